"""Units and gaps of one category in step: the sums that α_U is made of.

Krippendorff (1995; 2004, p. 251 ff.): two overlapping units of two annotators differ by
(b₁ − b₂)² + (e₁ − e₂)², a unit within a gap of the other by its length squared, and two gaps by
nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import Floats, Ints, distinct, portions_of, ranges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import times_seen
from spanagree.corpus.segments import columns_of_all
from spanagree.errors import SettingError, show

_PORTION = 1 << 21  # pairs of units that are looked at together
_BELOW = 2**62  # sums of whole numbers stay below it


class Continua(NamedTuple):
    """Units of documents that two annotators or more saw, sorted by cell, annotator and start.

    A cell is a document and a label that has a unit in it.

    Attributes:
        cell, annotator, start, end: of each unit.
        document, label: of each cell.
        lengths: of each document.
        seen: by how many annotators each document was seen.
    """

    cell: Ints
    annotator: Ints
    start: Ints
    end: Ints
    document: Ints
    label: Ints
    lengths: Ints
    seen: Ints

    @property
    def before(self) -> Ints:
        """The end of the unit before each, of the same annotator and cell; 0 if it is the first."""
        before = np.zeros(len(self.cell), np.int64)
        before[1:] = np.where(self._first[1:], 0, self.end[:-1])
        return before

    @property
    def _first(self) -> NDArray[np.bool_]:
        first = np.ones(len(self.cell), np.bool_)
        first[1:] = (np.diff(self.cell) != 0) | (np.diff(self.annotator) != 0)
        return first

    @property
    def last(self) -> NDArray[np.bool_]:
        """Whether each unit is the last one of its annotator and cell."""
        return np.append(self._first[1:], len(self.cell) > 0)[: len(self.cell)]


def continua(corpus: Corpus, joined: bool) -> Continua:
    """Return the units of the documents that are compared.

    ``joined`` makes one document of all those that every annotator saw.

    Raises:
        SettingError: for units of one annotator and category that overlap.
    """
    layers = list(corpus.layers.values())
    seen = times_seen(corpus)
    compared = (seen == len(layers)) & (seen >= 2) if joined else seen >= 2
    place = np.where(compared, np.cumsum(compared) - 1, -1)
    lengths = corpus.lengths[compared]
    document, start, end, label, number = columns_of_all(layers)
    order = np.lexsort((start, number, label, document))
    document, start, end, label, number = (
        column[order] for column in (document, start, end, label, number)
    )
    _check(corpus, document, start, end, label, number)
    kept = compared[document]
    document, start, end, label, number = (
        column[kept] for column in (document, start, end, label, number)
    )
    document = place[document]
    if joined:
        base = (np.cumsum(lengths) - lengths)[document]
        document, start, end = np.zeros(len(start), np.int64), start + base, end + base
        order = np.lexsort((start, number, label))
        start, end, label, number = (column[order] for column in (start, end, label, number))
        lengths = lengths.sum(keepdims=True)[: int(compared.any())]
        compared = compared & (np.cumsum(compared) == 1)
    cells, cell, _ = distinct(document, label)
    return Continua(cell, number, start, end, cells[0], cells[1], lengths, seen[compared])


def _check(
    corpus: Corpus, document: Ints, start: Ints, end: Ints, label: Ints, number: Ints
) -> None:
    """Refuse units of one annotator and category that overlap."""
    same = np.logical_and.reduce([np.diff(column) == 0 for column in (document, label, number)])
    overlap = np.flatnonzero(same & (start[1:] < end[:-1]))
    if not len(overlap):
        return
    i = int(overlap[0])
    spans = " and ".join(f"{start[j]}–{end[j]}" for j in (i, i + 1))
    raise SettingError(
        f"{show(corpus.annotators[number[i]])}, document {show(corpus.id_of(int(document[i])))}:"
        f" units {spans} of {show(corpus.labels[label[i]])} overlap, which α_U has no definition"
        " for; merge them with repair, or report γ with chance overlapping"
    )


def observed(units: Continua) -> Floats:
    """Return L²·D_o of each cell."""
    seen, long = units.seen[units.document], units.lengths[units.document]
    rows = len(units.cell)
    fits = float(long.max(initial=1)) ** 2 * 4 * max(rows, 1) * max(int(seen.max(initial=1)), 1)
    kind: Any = np.int64 if fits < _BELOW else object
    length = (units.end - units.start).astype(kind)
    sums = np.zeros(len(units.document), kind)
    # a unit stands in a gap of every other annotator, unless they are found to overlap
    np.add.at(sums, units.cell, length * length * (seen[units.cell] - 1).astype(kind))
    stretch = int(units.lengths.max(initial=0)) + 1
    key = units.cell * stretch + units.start
    order = np.argsort(key, kind="stable")
    high = np.searchsorted(key[order], (units.cell * stretch + units.end)[order], side="left")
    low = np.arange(rows) + 1
    high = np.maximum(high, low)
    before = units.before
    for begin, stop in portions_of(high - low, _PORTION):
        second, row = ranges(low[begin:stop], high[begin:stop])
        u, v = order[begin + row], order[second]
        begins = (units.start[u] - units.start[v]).astype(kind)
        ends = (units.end[u] - units.end[v]).astype(kind)
        value = begins * begins + ends * ends
        # of the units of one annotator that overlap a unit, the first takes it out of the gap
        value -= np.where(before[v] <= units.start[u], length[u] * length[u], 0)
        value -= np.where(before[u] <= units.start[v], length[v] * length[v], 0)
        np.add.at(sums, units.cell[u], value)
    return np.asarray(2 * sums / (seen * (seen - 1)), np.float64)


def expected(units: Continua) -> Floats:
    """Return L²·D_e of each cell: of units and gaps put anywhere, of all annotators together."""
    cells = len(units.document)
    seen, long = units.seen[units.document], units.lengths[units.document]
    size = units.end - units.start
    gap, where = _gaps(units)
    stretch = int(units.lengths.max(initial=0)) + 1
    key = where * stretch + gap
    order = np.argsort(key, kind="stable")
    key, summed = key[order], np.concatenate(([0], np.cumsum(gap[order])))
    (cell, size), _, times = distinct(units.cell, size)
    low = np.searchsorted(key, cell * stretch + size, side="left")
    high = np.searchsorted(key, (cell + 1) * stretch, side="left")
    # annotators without a unit of the cell have one gap: all of it
    without = (seen - _annotators(units))[cell]
    rooms = summed[high] - summed[low] - (high - low) * (size - 1)
    rooms = rooms + without * (long[cell] - size + 1)
    number = np.bincount(units.cell, minlength=cells)[cell]
    length = size.astype(np.float64)
    terms = (number - 1) * (length * (length - 1) * (2 * length - 1) / 3) + length**2 * rooms
    total = np.bincount(cell, terms * times, cells)
    within = np.bincount(cell, length * (length - 1) * times, cells)
    places = seen * long.astype(np.float64)
    return np.asarray(2 * long * total / (places * (places - 1) - within), np.float64)


def _annotators(units: Continua) -> Ints:
    """Return how many annotators have a unit in each cell."""
    return np.bincount(units.cell[units.last], minlength=len(units.document)).astype(np.int64)


def _gaps(units: Continua) -> tuple[Ints, Ints]:
    """Return the gaps of annotators with a unit in a cell, and the cell of each."""
    before = units.start - units.before
    after = (units.lengths[units.document][units.cell] - units.end)[units.last]
    gap = np.concatenate((before, after))
    cell = np.concatenate((units.cell, units.cell[units.last]))
    return gap[gap > 0], cell[gap > 0]
