"""The similarity observed between two layers."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, join, packed, ranges
from spanagree.corpus.segments import Layer
from spanagree.matching.measures import Match


def observed(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, cells: int, measure: Match
) -> Ints | Floats:
    """Return Σ φ over all pairs of segments in the same cell, for each cell."""
    i, _, value = similar(a, b, cell_a, cell_b, measure)
    total = np.bincount(cell_a[i], value, cells)  # of nothing, whole numbers whatever φ is
    return total.astype(np.int64) if value.dtype.kind == "i" else total.astype(np.float64)


def similar(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Match
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return pairs of segments in the same cell, by their numbers, and φ of each.

    Pairs that do not overlap add nothing, so only the others are looked at.
    """
    pairs = _equal_pairs if measure.route == "equal" else overlapping_pairs
    i, j = pairs(a, b, cell_a, cell_b)
    value = measure.phi(b.start[j] - a.start[i], a.end[i] - a.start[i], b.end[j] - b.start[j])
    if measure.route == "one-to-one":
        able = value > 0
        return _one_to_one(a, b, i[able], j[able], cell_a)
    return i, j, value


def _equal_pairs(a: Layer, b: Layer, cell_a: Ints, cell_b: Ints) -> tuple[Ints, Ints]:
    """Return the indices of all pairs with the same start and end in the same cell."""
    pairs = ((cell_a, cell_b), (a.start, b.start), (a.end, b.end))
    columns = [np.concatenate(pair) for pair in pairs]
    which = packed(*columns)
    if which is None:
        _, which, _ = distinct(*columns)
    order = np.argsort(which[len(a) :], kind="stable")
    i, j = join(which[: len(a)], which[len(a) :][order])
    return i, order[j]


def overlapping_pairs(a: Layer, b: Layer, cell_a: Ints, cell_b: Ints) -> tuple[Ints, Ints]:
    """Return the indices of all pairs of segments that share a token in the same cell.

    Of two that overlap one begins in the other: no other pairs are looked at, however far some
    segments reach.
    """
    # every cell gets a stretch of its own on one long line
    stretch = max(int(a.end.max(initial=0)), int(b.end.max(initial=0))) + 1
    start_a, end_a = (cell_a * stretch + x for x in (a.start, a.end))
    start_b, end_b = (cell_b * stretch + x for x in (b.start, b.end))
    order_a, order_b = (np.argsort(start, kind="stable") for start in (start_a, start_b))
    begin_a, begin_b = start_a[order_a], start_b[order_b]
    j, i = ranges(np.searchsorted(begin_b, begin_a), np.searchsorted(begin_b, end_a[order_a]))
    p, q = ranges(np.searchsorted(begin_a, start_b, side="right"), np.searchsorted(begin_a, end_b))
    i, j = np.concatenate([i, p]), np.concatenate([order_b[j], q])
    order = np.lexsort((i, j))  # canonical order
    return order_a[i[order]], j[order]


def _one_to_one(a: Layer, b: Layer, i: Ints, j: Ints, cell: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the pairs from left to right, and 1 for those of a greatest matching, else 0.

    All overlap; the segments of a layer do not, within a cell. Of two that overlap, the one that
    ends first overlaps nothing further on; so each pair is taken as soon as it can be: where the
    later of its segments starts, unless the earlier one is taken already.
    """
    order = np.lexsort((np.maximum(a.start[i], b.start[j]), cell[i]))
    i, j = i[order], j[order]
    a_first = a.start[i] <= b.start[j]
    earlier = np.where(a_first, i, len(a) + j)
    later = np.where(a_first, len(a) + j, i)
    # after a pair that shared its earlier segment with this one, that segment is taken. Is it the
    # later one of the pair before, then it is taken if that pair was. Else nothing is taken yet.
    taken_before = np.concatenate(([False], earlier[1:] == earlier[:-1]))[: len(i)]
    turns = np.concatenate(([False], earlier[1:] == later[:-1]))[: len(i)]
    place = np.arange(len(i))
    last = np.maximum.accumulate(np.where(turns, 0, place))
    taken = ~(taken_before[last] ^ ((place - last) % 2 == 1))
    return i, j, taken.astype(np.int64)
