"""The similarity observed between two layers."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import (
    Floats,
    Ints,
    expand_ranges,
    join_unsorted,
    packed,
    row_order,
    unique_rows,
)
from spanagree.comparisons.measures import Measure
from spanagree.corpus.segments import Layer


def observed(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, cells: int, measure: Measure
) -> Ints | Floats:
    """Return Σ φ over all pairs of segments in the same cell, for each cell."""
    i, _, value = similar(a, b, cell_a, cell_b, measure)
    total = np.bincount(cell_a[i], value, cells)  # of nothing, whole numbers whatever φ is
    return total.astype(np.int64) if value.dtype.kind == "i" else total.astype(np.float64)


def similar(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Measure
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return pairs of segments in the same cell, by their numbers, and φ of each.

    Pairs that do not overlap add nothing, so only the others are looked at.
    """
    if measure.disjoint:
        return _pairs(a, b, cell_a, cell_b, measure)
    from spanagree.comparisons.any_pairs import greatest_matching  # most layers have no overlap

    i, j, value = _pairs(a, b, cell_a, cell_b, measure)
    taken = greatest_matching(i, j, value, len(a), len(b))
    return i[taken], j[taken], value[taken]


def _pairs(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Measure
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return pairs as :func:`similar`; of layers with overlaps, all that may match."""
    if measure.kernel == "near":
        borders = [measure.borders(layer) for layer in (a, b)]
        sides = (cell_a, *borders[0]), (cell_b, *borders[1])
        if measure.disjoint:
            from spanagree.comparisons.near_pairs import near_pairs

            i, j = near_pairs(*sides, measure.within)
        else:
            from spanagree.comparisons.any_pairs import all_near_pairs  # of layers with overlaps

            i, j = all_near_pairs(*sides, measure.within)
        return i, j, np.ones(len(i), np.int64)
    if a.shape.any() or b.shape.any():
        return _similar_in_pieces(a, b, cell_a, cell_b, measure)
    pairs = equal_pairs if measure.kernel == "equal" else overlapping_pairs
    i, j = pairs(a, b, cell_a, cell_b)
    value = measure.phi(b.start[j] - a.start[i], a.end[i] - a.start[i], b.end[j] - b.start[j])
    if measure.kernel == "one-to-one" and measure.disjoint:
        able = value > 0
        return _one_to_one(a, b, i[able], j[able], cell_a[i[able]], value[able])
    return i, j, value


def _similar_in_pieces(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Measure
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return the same where segments have several pieces: equal shapes, or the tokens of pieces."""
    from spanagree.corpus.discontinuous import in_pieces, shape_codes  # most have one piece

    if measure.kernel == "equal":
        i, j = equal_pairs(a, b, cell_a, cell_b)
        shape_a, shape_b = shape_codes((a, b), {})
        same = shape_a[i] == shape_b[j]
        return i[same], j[same], np.ones(int(same.sum()), np.int64)
    (of_a, owner_a), (of_b, owner_b) = in_pieces(a), in_pieces(b)
    p, q = overlapping_pairs(of_a, of_b, cell_a[owner_a], cell_b[owner_b])
    shared = np.minimum(of_a.end[p], of_b.end[q]) - np.maximum(of_a.start[p], of_b.start[q])
    if not len(p):
        return p, q, shared
    (i, j), which, _ = unique_rows(owner_a[p], owner_b[q])
    value = np.bincount(which, shared, len(i)).astype(np.int64)
    size_a, size_b = (
        np.bincount(owner, piece.end - piece.start, len(layer)).astype(np.int64)
        for piece, owner, layer in ((of_a, owner_a, a), (of_b, owner_b, b))
    )
    assert measure.of_shared is not None  # others are refused
    return i, j, measure.of_shared(value, size_a[i], size_b[j])


def equal_pairs(a: Layer, b: Layer, cell_a: Ints, cell_b: Ints) -> tuple[Ints, Ints]:
    """Return the indices of all pairs with the same start and end in the same cell."""
    pairs = ((cell_a, cell_b), (a.start, b.start), (a.end, b.end))
    columns = [np.concatenate(pair) for pair in pairs]
    which = packed(*columns)
    if which is None:
        _, which, _ = unique_rows(*columns)
    return join_unsorted(which[: len(a)], which[len(a) :])


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
    j, i = expand_ranges(
        np.searchsorted(begin_b, begin_a), np.searchsorted(begin_b, end_a[order_a])
    )
    p, q = expand_ranges(
        np.searchsorted(begin_a, start_b, side="right"), np.searchsorted(begin_a, end_b)
    )
    i, j = np.concatenate([i, p]), np.concatenate([order_b[j], q])
    order = row_order(j, i)  # canonical order
    return order_a[i[order]], j[order]


def _one_to_one(
    a: Layer, b: Layer, i: Ints, j: Ints, cell: Ints, value: Ints | Floats
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return the pairs from left to right, and φ for those of a greatest matching, else 0.

    All overlap; the segments of a layer do not, within the cell that is given for each pair. Of two
    that overlap, the one that ends first overlaps nothing further on; so each pair is taken as soon
    as it can be: where the later of its segments starts, unless the earlier one is taken already.
    """
    order = row_order(cell, np.maximum(a.start[i], b.start[j]))
    i, j, cell, value = i[order], j[order], cell[order], value[order]
    a_first = a.start[i] <= b.start[j]
    earlier = np.where(a_first, i, len(a) + j)
    later = np.where(a_first, len(a) + j, i)
    # after a pair that shared its earlier segment with this one, that segment is taken. Is it the
    # later one of the pair before, then it is taken if that pair was. Else nothing is taken yet.
    together = cell[1:] == cell[:-1]
    taken_before, turns = (
        np.concatenate(([False], (earlier[1:] == before[:-1]) & together))[: len(i)]
        for before in (earlier, later)
    )
    place = np.arange(len(i))
    last = np.maximum.accumulate(np.where(turns, 0, place))
    taken = ~(taken_before[last] ^ ((place - last) % 2 == 1))
    return i, j, value * taken
