"""Observed similarity of two layers, Σ φ(δ, a, b) over pairs of segments in the same cell.

φ is the measure of two segments with offset δ and lengths a and b, and a *cell* is a document and
label. Arrays have one entry for each segment (``cell_a``, ``cell_b``), pair (``i``, ``j``,
``value``) or cell.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import (
    Floats,
    Ints,
    join_unsorted,
    pack_rows,
    unique_rows,
)
from spanagree.comparisons.measures import Measure
from spanagree.corpus.segments import Layer


def compute_observed(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, cells: int, measure: Measure
) -> Ints | Floats:
    """Compute Σ φ over all pairs of segments in the same cell, for each cell."""
    i, _, value = find_similar_pairs(a, b, cell_a, cell_b, measure)
    # the sums of no pairs are integers, even if φ is not
    total = np.bincount(cell_a[i], value, cells)
    return total.astype(np.int64) if value.dtype.kind == "i" else total.astype(np.float64)


def find_similar_pairs(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Measure
) -> tuple[Ints, Ints, Ints | Floats]:
    """Find the pairs of segments in the same cell, with φ of each pair.

    Pairs that do not overlap have φ = 0, and are left out.

    Args:
        a, b: layers of both annotators.
        cell_a, cell_b: cell of each segment of A and of B.
        measure: measure of two segments.

    Returns:
        Index in A, index in B, and φ of each pair; for one-to-one measures, φ is 0 outside a
        greatest matching.
    """
    if measure.disjoint:
        return _find_candidate_pairs(a, b, cell_a, cell_b, measure)
    from spanagree.comparisons.any_pairs import (
        find_greatest_matching,  # most layers have no overlap
    )

    i, j, value = _find_candidate_pairs(a, b, cell_a, cell_b, measure)
    is_matched = find_greatest_matching(i, j, value, len(a), len(b))
    return i[is_matched], j[is_matched], value[is_matched]


def _find_candidate_pairs(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Measure
) -> tuple[Ints, Ints, Ints | Floats]:
    """Find the pairs of segments in the same cell, with φ of each pair.

    For arguments, see :func:`find_similar_pairs`. If layers have overlaps, a segment may be in
    several pairs, also for one-to-one measures.

    Returns:
        Index in A, index in B, and φ of each pair.
    """
    if measure.kernel == "near":
        borders = [measure.borders(layer) for layer in (a, b)]
        columns = (cell_a, *borders[0]), (cell_b, *borders[1])
        if measure.disjoint:
            from spanagree.comparisons.near_pairs import find_near_pairs

            i, j = find_near_pairs(*columns, measure.within)
        else:
            from spanagree.comparisons.any_pairs import (
                find_all_near_pairs,  # of layers with overlaps
            )

            i, j = find_all_near_pairs(*columns, measure.within)
        return i, j, np.ones(len(i), np.int64)
    has_fragments = bool(a.shape.any() or b.shape.any())
    if measure.kernel == "equal":
        i, j = find_equal_pairs(a, b, cell_a, cell_b)
        if has_fragments:
            from spanagree.corpus.discontinuous import encode_shapes  # most have one piece

            shape_a, shape_b = encode_shapes((a, b), {})
            is_equal = shape_a[i] == shape_b[j]
            i, j = i[is_equal], j[is_equal]
    else:
        from spanagree.comparisons.overlapping_pairs import (
            find_overlapping_fragments,
            find_overlapping_pairs,
        )  # exact matches need none of them

        if has_fragments:
            return find_overlapping_fragments(a, b, cell_a, cell_b, measure)
        i, j = find_overlapping_pairs(a, b, cell_a, cell_b)
    value = measure.phi(b.start[j] - a.start[i], a.end[i] - a.start[i], b.end[j] - b.start[j])
    if measure.kernel == "one-to-one" and measure.disjoint:
        from spanagree.comparisons.overlapping_pairs import restrict_to_matching

        is_similar = value > 0
        return restrict_to_matching(
            a, b, i[is_similar], j[is_similar], cell_a[i[is_similar]], value[is_similar]
        )
    return i, j, value


def find_equal_pairs(a: Layer, b: Layer, cell_a: Ints, cell_b: Ints) -> tuple[Ints, Ints]:
    """Find all pairs of segments with the same start and end in the same cell.

    Returns:
        Index in A and index in B of the segments of each pair.
    """
    pairs = ((cell_a, cell_b), (a.start, b.start), (a.end, b.end))
    columns = [np.concatenate(pair) for pair in pairs]
    code = pack_rows(*columns)
    if code is None:
        _, code, _ = unique_rows(*columns)
    return join_unsorted(code[: len(a)], code[len(a) :])
