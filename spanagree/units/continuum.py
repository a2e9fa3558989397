"""Observed and expected disagreement of units and gaps of one category, for α_U.

A *unit* is a segment, a *gap* a stretch without units between an annotator's units of the category,
and both are *stretches* of the text. The difference δ² of two annotators' stretches is
(Krippendorff 1995; 2004, p. 251 ff.)

    (b₁ − b₂)² + (e₁ − e₂)²   for two overlapping units from b to e,
    (e − b)²                  for a unit within a gap of the other annotator,
    0                         for two gaps.

For a document of length L seen by m annotators,

    D_o = Σ δ² / (m (m − 1) L²),   over ordered pairs of annotators,

and D_e is the mean of δ² over all positions of the units and gaps of all annotators. Both are
computed for each *cell*, a document and a label; arrays have one entry for each cell or unit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import Floats, Ints, expand_ranges, unique_rows, yield_batches
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import concatenate_segments
from spanagree.errors import SettingError, quote_value

_PORTION = 1 << 21  # number of pairs of units in a batch
_BELOW = 2**62  # upper limit of sums of 64-bit integers


class Continua(NamedTuple):
    """Units of documents that two annotators or more saw, sorted by cell, annotator and start.

    A cell is a document and a label with a unit in it.

    Attributes:
        cell: cell of each unit.
        annotator: annotator of each unit.
        start: start of each unit.
        end: end of each unit.
        document: document of each cell.
        label: label of each cell.
        lengths: length of each document.
        seen: number of annotators who saw each document.
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
    def previous_end(self) -> Ints:
        """End of the previous unit of the same annotator and cell; 0 for the first unit."""
        previous_end = np.zeros(len(self.cell), np.int64)
        previous_end[1:] = np.where(self._is_first[1:], 0, self.end[:-1])
        return previous_end

    @property
    def _is_first(self) -> NDArray[np.bool_]:
        """Mask of the first unit of each annotator and cell."""
        is_first = np.ones(len(self.cell), np.bool_)
        is_first[1:] = (np.diff(self.cell) != 0) | (np.diff(self.annotator) != 0)
        return is_first

    @property
    def is_last(self) -> NDArray[np.bool_]:
        """Mask of the last unit of each annotator and cell."""
        return np.append(self._is_first[1:], len(self.cell) > 0)[: len(self.cell)]


def collect_continua(corpus: Corpus, joined: bool) -> Continua:
    """Collect the units of all annotators in each document that at least two annotators saw.

    Args:
        corpus: annotations.
        joined: True to concatenate the documents that every annotator saw into one document, and to
            leave out all others.

    Raises:
        SettingError: if units of the same annotator and category overlap.
    """
    layers = list(corpus.layers.values())
    n_seen = count_seen(corpus)
    is_compared = (n_seen == len(layers)) & (n_seen >= 2) if joined else n_seen >= 2
    compared_index = np.where(is_compared, np.cumsum(is_compared) - 1, -1)
    lengths = corpus.lengths[is_compared]
    document, start, end, label, annotator = concatenate_segments(layers)
    order = np.lexsort((start, annotator, label, document))
    document, start, end, label, annotator = (
        column[order] for column in (document, start, end, label, annotator)
    )
    _check_overlaps(corpus, document, start, end, label, annotator)
    is_in_compared = is_compared[document]
    document, start, end, label, annotator = (
        column[is_in_compared] for column in (document, start, end, label, annotator)
    )
    document = compared_index[document]
    if joined:
        offset = (np.cumsum(lengths) - lengths)[document]
        document, start, end = np.zeros(len(start), np.int64), start + offset, end + offset
        order = np.lexsort((start, annotator, label))
        start, end, label, annotator = (column[order] for column in (start, end, label, annotator))
        lengths = lengths.sum(keepdims=True)[: int(is_compared.any())]
        is_compared = is_compared & (np.cumsum(is_compared) == 1)
    distinct_cells, cell, _ = unique_rows(document, label)
    return Continua(
        cell,
        annotator,
        start,
        end,
        distinct_cells[0],
        distinct_cells[1],
        lengths,
        n_seen[is_compared],
    )


def _check_overlaps(
    corpus: Corpus, document: Ints, start: Ints, end: Ints, label: Ints, annotator: Ints
) -> None:
    """Raise a SettingError if units of the same annotator and category overlap.

    Args:
        corpus: annotations.
        document, start, end, label, annotator: columns of the units, sorted by document, label,
            annotator and start.
    """
    same_cell = np.logical_and.reduce(
        [np.diff(column) == 0 for column in (document, label, annotator)]
    )
    overlap = np.flatnonzero(same_cell & (start[1:] < end[:-1]))
    if not len(overlap):
        return
    i = int(overlap[0])  # the unit overlaps the next one
    spans = " and ".join(f"{start[j]}–{end[j]}" for j in (i, i + 1))
    raise SettingError(
        f"{quote_value(corpus.annotators[annotator[i]])}, document"
        f" {quote_value(corpus.id_of(int(document[i])))}:"
        f" units {spans} of {quote_value(corpus.labels[label[i]])} overlap, which α_U has no"
        " definition for; merge them with repair, or report γ with chance overlapping"
    )


def compute_observed(units: Continua) -> Floats:
    """Compute L²·D_o of each cell, with integers as long as they fit.

    Units are compared with the overlapping units of other annotators; all other units are in gaps.
    """
    n_seen, document_length = units.seen[units.document], units.lengths[units.document]
    n_units = len(units.cell)
    largest_sum = (
        float(document_length.max(initial=1)) ** 2
        * 4
        * max(n_units, 1)
        * max(int(n_seen.max(initial=1)), 1)
    )
    dtype: Any = np.int64 if largest_sum < _BELOW else object
    length = (units.end - units.start).astype(dtype)
    sums = np.zeros(len(units.document), dtype)
    # first count each unit as within a gap of every other annotator; overlaps correct this below
    np.add.at(sums, units.cell, length * length * (n_seen[units.cell] - 1).astype(dtype))
    key_step = int(units.lengths.max(initial=0)) + 1
    key = units.cell * key_step + units.start
    order = np.argsort(key, kind="stable")
    candidate_stop = np.searchsorted(
        key[order], (units.cell * key_step + units.end)[order], side="left"
    )
    first_candidate = np.arange(n_units) + 1
    candidate_stop = np.maximum(candidate_stop, first_candidate)
    previous_end = units.previous_end
    for batch_start, batch_stop in yield_batches(candidate_stop - first_candidate, _PORTION):
        second, row = expand_ranges(
            first_candidate[batch_start:batch_stop], candidate_stop[batch_start:batch_stop]
        )
        u, v = order[batch_start + row], order[second]
        start_difference = (units.start[u] - units.start[v]).astype(dtype)
        end_difference = (units.end[u] - units.end[v]).astype(dtype)
        summands = start_difference * start_difference + end_difference * end_difference
        # the first unit of an annotator that overlaps a unit cancels its count within a gap
        summands -= np.where(previous_end[v] <= units.start[u], length[u] * length[u], 0)
        summands -= np.where(previous_end[u] <= units.start[v], length[v] * length[v], 0)
        np.add.at(sums, units.cell[u], summands)
    return np.asarray(2 * sums / (n_seen * (n_seen - 1)), np.float64)


def compute_expected(units: Continua) -> Floats:
    """Compute L² · D_e of each cell: the expected disagreement of α_U, for document length L.

    This is the mean disagreement if units and gaps of all annotators may be at any position.
    """
    n_cells = len(units.document)
    n_seen, document_length = units.seen[units.document], units.lengths[units.document]
    size = units.end - units.start
    gap, gap_cell = _compute_gaps(units)
    key_step = int(units.lengths.max(initial=0)) + 1
    key = gap_cell * key_step + gap
    order = np.argsort(key, kind="stable")
    key, cumulative_gaps = key[order], np.concatenate(([0], np.cumsum(gap[order])))
    (cell, size), _, n_equal = unique_rows(units.cell, size)
    first_gap = np.searchsorted(key, cell * key_step + size, side="left")
    gap_stop = np.searchsorted(key, (cell + 1) * key_step, side="left")
    # for annotators without a unit of the cell, the whole document is one gap
    n_without_units = (n_seen - _count_annotators(units))[cell]
    n_placements = (
        cumulative_gaps[gap_stop] - cumulative_gaps[first_gap] - (gap_stop - first_gap) * (size - 1)
    )
    n_placements = n_placements + n_without_units * (document_length[cell] - size + 1)
    n_units = np.bincount(units.cell, minlength=n_cells)[cell]
    length = size.astype(np.float64)
    sum_of_differences = (n_units - 1) * (
        length * (length - 1) * (2 * length - 1) / 3
    ) + length**2 * n_placements
    disagreements = np.bincount(cell, sum_of_differences * n_equal, n_cells)
    n_positions_in_units = np.bincount(cell, length * (length - 1) * n_equal, n_cells)
    n_positions = n_seen * document_length.astype(np.float64)
    return np.asarray(
        2
        * document_length
        * disagreements
        / (n_positions * (n_positions - 1) - n_positions_in_units),
        np.float64,
    )


def _count_annotators(units: Continua) -> Ints:
    """Count the annotators with a unit in each cell."""
    return np.bincount(units.cell[units.is_last], minlength=len(units.document)).astype(np.int64)


def _compute_gaps(units: Continua) -> tuple[Ints, Ints]:
    """Compute the length and the cell of each gap of annotators with a unit in the cell."""
    gap_before = units.start - units.previous_end
    gap_after = (units.lengths[units.document][units.cell] - units.end)[units.is_last]
    gap = np.concatenate((gap_before, gap_after))
    cell = np.concatenate((units.cell, units.cell[units.is_last]))
    return gap[gap > 0], cell[gap > 0]
