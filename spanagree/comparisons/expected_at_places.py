"""The expected match of two random annotations that keep the kinds of their places.

Where a segment may stand depends on the text, so start distributions have no edges and middles as
those of the uniform model have: sums run over places. Segments of two annotators at one place are
of one kind, so an exact match is a sum within kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    batches_up_to,
    expand_ranges,
    join_unsorted,
    row_order,
    unique,
    unique_matrix_rows,
    unique_rows,
)
from spanagree.comparisons.at_places import PlacementModel, placement_model
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure, Phi, turned
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest

_TOGETHER = 1 << 20  # numbers of cells that are computed at once
_PAIRS = 1 << 15  # pairs of places that are computed at once


@dataclass(frozen=True, eq=False)
class StartsAtPlaces(Starts):
    """Where segments stand under a rule of places; a segment's number is its class there."""

    at: PlacementModel

    @classmethod
    def of(cls, request: StartsRequest) -> tuple[StartsAtPlaces, list[Ints]]:
        """Return where the segments of several layers stand, and the classes of each layer's."""
        corpus, names, chance, measure = request
        placed = placement_model(corpus, names, chance, "" if measure is None else measure.unit)
        assert placed is not None  # as there is a rule, or a tolerance counts words
        at, classes = placed
        return cls(at), classes

    def adapted(self, measure: Measure, sides: LayerPair) -> Measure:
        """Return the measure with a tolerance in words, if it is one."""
        return self.at.in_words(measure, sides.layers, sides.profiles)

    def random_tokens(self, profiles: Ints) -> Floats | None:
        """Return the mean length of segments; ``None`` if the places of a kind have one length."""
        return self.at.mean_length[profiles] if self.at.random_lengths else None

    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return E[Σ φ] of each cell, as :class:`Starts` has it."""
        if measure.one_to_one:
            return self._one_to_one(sides, measure)
        expected = _expected_with_fixed if sides.first_is_fixed else _expected_of_both
        return expected(self.at, sides, measure), ApproximationError()

    def _one_to_one(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        from spanagree.comparisons.overlap_expected import expected_overlap

        both = np.intersect1d(*sides.cells)
        additive = np.zeros(sides.count)
        if measure.kernel != "near" and not sides.first_is_fixed:
            # one segment of each is a pair or none, so their match is that of an additive measure
            many = [np.bincount(cell, minlength=sides.count) for cell in sides.cells]
            single = (many[0] == 1) & (many[1] == 1)
            both = both[~single[both]]
            as_additive = replace(measure, kernel="offsets")
            additive = _expected_of_both(self.at, sides, as_additive, single)
        tokens = sides.document_tokens([self.at.longest[classes] for classes in sides.profiles])
        values, drawn = expected_overlap(sides, tokens, measure, self.at, both)
        return values + additive, drawn


def _expected_of_both(
    at: PlacementModel, sides: LayerPair, measure: Measure, cells: Bools | None = None
) -> Floats:
    """Return E[Σ φ] over all pairs of random segments in the same cell, for each cell.

    Args:
        at: where segments stand.
        sides: the segments of both annotators.
        measure: the measure, an additive one.
        cells: which cells are asked for, all unless given; the others are 0.
    """
    count = sides.count
    kinds = [_PlacedSegments(*columns) for columns in sides.alike()]
    both = np.multiply(*(np.bincount(side.cell, minlength=count) for side in kinds)) > 0
    if cells is not None:
        both &= cells
    kinds = [_PlacedSegments(*(column[both[side.cell]] for column in side)) for side in kinds]
    if measure.kernel == "equal" and (measure.of_label or at.one_rule):
        return _equal(at, kinds, count)
    total = np.zeros(count)
    for portion in _portions(at, kinds, np.flatnonzero(both)):
        some = [side.of_cells(portion) for side in kinds]
        if measure.kernel == "cover":
            total[portion] = _covered(at, some, len(portion))
        else:
            total[portion] = _pairs([_rows(at, side) for side in some], len(portion), measure)
    return total


def _expected_with_fixed(at: PlacementModel, sides: LayerPair, measure: Measure) -> Floats:
    """Return E[Σ φ] of the first annotation as it is and a random second one, for each cell."""
    a = sides.layers[0]
    cell, of_class, number = sides.alike()[1]
    i, j = join_unsorted(cell, sides.cells[0])
    value = np.zeros(len(i))
    length = a.end - a.start
    for low, high in batches_up_to(np.diff(at.random.first)[of_class[i]], _TOGETHER):
        which, start, end, p = at.random.rows(at.kinds, of_class[i[low:high]])
        fixed = j[low:high][which]
        phi = measure.phi(start - a.start[fixed], length[fixed], end - start)
        value[low:high] = np.bincount(which, p * phi, high - low)
    return np.bincount(cell[i], number[i] * value, sides.count).astype(np.float64)


class _PlacedSegments(NamedTuple):
    """The segments of one annotator that are alike: cell and class, sorted, and how many."""

    cell: Ints
    of_class: Ints
    number: Ints

    def of_cells(self, cells: Ints) -> _PlacedSegments:
        """Return the segments of some cells that stand together, which are numbered from 0."""
        here = slice(*np.searchsorted(self.cell, (cells[0], cells[-1] + 1)).tolist())
        cell, of_class, number = (column[here] for column in self)
        return _PlacedSegments(np.searchsorted(cells, cell), of_class, number)


def _equal(at: PlacementModel, sides: Sequence[_PlacedSegments], count: int) -> Floats:
    """Return Σ P_A · P_B over the places of the kinds that both have in a cell."""
    kind = at.random.kind
    (cell_a, a, number_a), (cell_b, b, number_b) = sides
    keys = np.concatenate((cell_a, cell_b)), np.concatenate((kind[a], kind[b]))
    _, which, _ = unique_rows(*keys)
    i, j = join_unsorted(which[: len(a)], which[len(a) :])
    # equal pairs of classes once
    (p, q), pair, _ = unique_rows(a[i], b[j])
    first, p_of = at.random.first, at.random.p
    size = np.diff(first)[p]
    value = np.zeros(len(p))
    for low, high in batches_up_to(size, _TOGETHER):
        places, row = expand_ranges(first[p[low:high]], first[p[low:high] + 1])
        other = places - first[p[low:high]][row] + first[q[low:high]][row]
        value[low:high] = np.add.reduceat(
            p_of[places] * p_of[other], np.cumsum(size[low:high]) - size[low:high]
        )
    total = np.bincount(cell_a[i], number_a[i] * number_b[j] * value[pair], count)
    return total.astype(np.float64)


def _portions(at: PlacementModel, sides: Sequence[_PlacedSegments], cells: Ints) -> Iterator[Ints]:
    """Yield cells whose places are looked at together."""
    size = np.diff(at.random.first)
    many = np.maximum(*(np.bincount(side.cell, size[side.of_class]) for side in sides))
    for low, high in batches_up_to(many[cells].astype(np.int64), _TOGETHER):
        yield cells[low:high]


# --- covered tokens ------------------------------------------------------------------------------


def _covered(at: PlacementModel, sides: Sequence[_PlacedSegments], count: int) -> Floats:
    """Return Σ_t c_A(t) · c_B(t) of each cell, c the expected number that cover a token.

    One annotation is in many cells, of pairs of annotators: what it covers is computed once.
    """
    cell, of_class, number = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    cell[len(sides[0].cell) :] += count
    annotation, one_of = _annotations(cell, of_class, number)
    power, row, covers = _covers(at, cell, of_class, number, one_of)
    first, second = annotation[:count], annotation[count:]
    total = np.zeros(count)
    (powers_a, powers_b), which, _ = unique_rows(power[first], power[second])
    for k, (x, y) in enumerate(zip(powers_a.tolist(), powers_b.tolist(), strict=True)):
        cells, wide = np.flatnonzero(which == k), 1 << min(x, y)
        for some in np.array_split(cells, 1 + (len(cells) * wide) // _TOGETHER):
            a, b = covers[x][row[first[some]], :wide], covers[y][row[second[some]], :wide]
            total[some] = (a * b).sum(1)
    return total


def _annotations(cell: Ints, of_class: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Return which annotation each cell has, and one cell of each annotation.

    An annotation is a set of classes, each with its number of segments.
    """
    size = np.bincount(cell)
    begin = np.cumsum(size) - size
    annotation, one_of = np.zeros(len(size), np.int64), [np.zeros(0, np.int64)]
    known = 0
    for k in unique(size).tolist():
        cells = np.flatnonzero(size == k)
        rows = begin[cells][:, None] + np.arange(k)
        alike, which, _ = unique_matrix_rows(np.hstack((of_class[rows], number[rows])))
        annotation[cells] = which + known
        some = np.zeros(len(alike), np.int64)
        some[which] = cells
        one_of.append(some)
        known += len(alike)
    return annotation, np.concatenate(one_of)


def _covers(
    at: PlacementModel, cell: Ints, of_class: Ints, number: Ints, one_of: Ints
) -> tuple[Ints, Ints, dict[int, Floats]]:
    """Return what annotations cover, as rows of tables whose width is a power of 2.

    Args:
        at: where segments stand.
        cell, of_class, number: of segments, as :class:`_PlacedSegments` has them.
        one_of: a cell of each annotation.

    Returns:
        The power of each annotation, its row, and the table of each power.
    """
    unit_of = np.full(int(cell[-1]) + 1, -1)
    unit_of[one_of] = np.arange(len(one_of))
    here = unit_of[cell] >= 0
    which, start, end, p = at.random.rows(at.kinds, of_class[here])
    unit, value = unit_of[cell[here]][which], p * number[here][which]
    width = np.zeros(len(one_of), np.int64)
    np.maximum.at(width, unit, end + 1)
    power = np.frexp(width - 1)[1].astype(np.int64)
    row, covers = np.zeros(len(one_of), np.int64), dict[int, Floats]()
    for wide in unique(power).tolist():
        units = np.flatnonzero(power == wide)
        row[units] = np.arange(len(units))
        some = power[unit] == wide
        first, size = row[unit[some]] << wide, len(units) << wide
        change = np.bincount(first + start[some], value[some], size)
        change -= np.bincount(first + end[some], value[some], size)
        covers[wide] = np.cumsum(change.reshape(len(units), -1), axis=1, dtype=np.float64)
    return power, row, covers


# --- pairs of places -----------------------------------------------------------------------------


class _PlacedRows(NamedTuple):
    """Places by cell, start and end, with the number of segments expected there."""

    cell: Ints
    start: Ints
    end: Ints
    value: Floats


def _rows(at: PlacementModel, side: _PlacedSegments) -> _PlacedRows:
    """Return the places of an annotator's segments."""
    which, start, end, p = at.random.rows(at.kinds, side.of_class)
    value = p * side.number[which]
    order = row_order(side.cell[which], start, end)
    return _PlacedRows(side.cell[which][order], start[order], end[order], value[order])


def _pairs(rows: Sequence[_PlacedRows], count: int, measure: Measure) -> Floats:
    """Return Σ P_A · P_B · φ over all pairs of places that overlap, of each cell.

    Of two that overlap, one begins in the other.
    """
    a, b = rows
    stretch = 1 + max(int(side.end.max()) for side in rows)  # of each cell, on one long line
    b_begins = _begun(a, b, stretch, "left", measure.phi)
    a_begins = _begun(b, a, stretch, "right", turned(measure).phi)
    total = np.bincount(a.cell, b_begins, count) + np.bincount(b.cell, a_begins, count)
    return total.astype(np.float64)


def _begun(
    a: _PlacedRows, b: _PlacedRows, stretch: int, side: Literal["left", "right"], phi: Phi
) -> Floats:
    """Return Σ P_A · P_B · φ of each place of A over those of B that begin in it.

    That is where it begins too, if ``side`` is left.
    """
    line = b.cell * stretch + b.start
    low = np.searchsorted(line, a.cell * stretch + a.start, side)
    high = np.searchsorted(line, a.cell * stretch + a.end)
    total, length = np.zeros(len(low)), b.end - b.start
    some = np.flatnonzero(high > low)
    low, many = low[some], (high - low)[some]
    start, size = a.start[some], (a.end - a.start)[some]
    for first, last in batches_up_to(many, _PAIRS):
        here = slice(first, last)
        j, _ = expand_ranges(low[here], low[here] + many[here])
        offset = b.start[j] - np.repeat(start[here], many[here])
        value = b.value[j] * phi(offset, np.repeat(size[here], many[here]), length[j])
        total[some[here]] = np.add.reduceat(value, np.cumsum(many[here]) - many[here])
    return total * a.value
