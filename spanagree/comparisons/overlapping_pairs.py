"""Pairs of segments that share tokens, of one or of several fragments."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import (
    Floats,
    Ints,
    argsort_rows,
    expand_ranges,
    unique_rows,
)
from spanagree.comparisons.measures import Measure
from spanagree.corpus.segments import Layer


def find_overlapping_fragments(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Measure
) -> tuple[Ints, Ints, Ints | Floats]:
    """Find pairs of segments with fragments that share tokens, with φ of each pair.

    Args:
        a, b: layers of both annotators.
        cell_a, cell_b: cell of each segment of A and of B.
        measure: measure of two segments.

    Returns:
        Index in A, index in B, and φ of each pair.
    """
    from spanagree.corpus.discontinuous import split_into_pieces  # most have one piece

    (fragments_a, owner_a), (fragments_b, owner_b) = split_into_pieces(a), split_into_pieces(b)
    p, q = find_overlapping_pairs(fragments_a, fragments_b, cell_a[owner_a], cell_b[owner_b])
    n_shared = np.minimum(fragments_a.end[p], fragments_b.end[q]) - np.maximum(
        fragments_a.start[p], fragments_b.start[q]
    )
    if not len(p):
        return p, q, n_shared
    (i, j), pair, _ = unique_rows(owner_a[p], owner_b[q])
    value = np.bincount(pair, n_shared, len(i)).astype(np.int64)
    size_a, size_b = (
        np.bincount(owner, fragments.end - fragments.start, len(layer)).astype(np.int64)
        for fragments, owner, layer in ((fragments_a, owner_a, a), (fragments_b, owner_b, b))
    )
    assert measure.of_shared is not None  # other measures are forbidden
    return i, j, measure.of_shared(value, size_a[i], size_b[j])


def find_overlapping_pairs(a: Layer, b: Layer, cell_a: Ints, cell_b: Ints) -> tuple[Ints, Ints]:
    """Find all pairs of a segment of A and a segment of B in the same cell that share a token.

    Segments overlap exactly if one of them starts within the other. Therefore each start is looked
    up among the segments of the other annotator, and tokens are not compared.

    Returns:
        Index in A and index in B of the segments of each pair.
    """
    # each cell gets a separate stretch of one common line
    cell_width = max(int(a.end.max(initial=0)), int(b.end.max(initial=0))) + 1
    start_a, end_a = (cell_a * cell_width + x for x in (a.start, a.end))
    start_b, end_b = (cell_b * cell_width + x for x in (b.start, b.end))
    order_a, order_b = (np.argsort(start, kind="stable") for start in (start_a, start_b))
    begin_a, begin_b = start_a[order_a], start_b[order_b]
    j, i = expand_ranges(
        np.searchsorted(begin_b, begin_a), np.searchsorted(begin_b, end_a[order_a])
    )
    p, q = expand_ranges(
        np.searchsorted(begin_a, start_b, side="right"), np.searchsorted(begin_a, end_b)
    )
    i, j = np.concatenate([i, p]), np.concatenate([order_b[j], q])
    order = argsort_rows(j, i)  # canonical order
    return order_a[i[order]], j[order]


def restrict_to_matching(
    a: Layer, b: Layer, i: Ints, j: Ints, cell: Ints, value: Ints | Floats
) -> tuple[Ints, Ints, Ints | Floats]:
    """Sort overlapping pairs from left to right, and set φ to 0 outside a greatest matching.

    The segments of each layer are disjoint in a cell. If two segments overlap, the segment that
    ends first overlaps nothing further on. So a greedy matching is greatest: each pair is taken,
    from left to right by the later start of its two segments, unless the segment that starts
    earlier is already matched.

    Args:
        a, b: layers of both annotators.
        i, j: index in A and index in B of each overlapping pair.
        cell: cell of each pair.
        value: φ of each pair.

    Returns:
        Index in A, index in B, and φ of each pair.
    """
    order = argsort_rows(cell, np.maximum(a.start[i], b.start[j]))
    i, j, cell, value = i[order], j[order], cell[order], value[order]
    a_first = a.start[i] <= b.start[j]
    earlier_segment = np.where(a_first, i, len(a) + j)
    later_segment = np.where(a_first, len(a) + j, i)
    # if the previous pair has the same earlier segment, this segment is already matched; if its
    # later segment is the earlier one here, it is matched if that pair was; else it is free
    is_same_cell = cell[1:] == cell[:-1]
    shares_earlier, follows_later = (
        np.concatenate(([False], (earlier_segment[1:] == segment[:-1]) & is_same_cell))[: len(i)]
        for segment in (earlier_segment, later_segment)
    )
    position = np.arange(len(i))
    first_of_chain = np.maximum.accumulate(np.where(follows_later, 0, position))
    is_matched = ~(shares_earlier[first_of_chain] ^ ((position - first_of_chain) % 2 == 1))
    return i, j, value * is_matched
