"""One-to-one overlap if one of two random annotations has a single segment that can match.

The match is then 0 or 1, and no walk is needed. If both annotations have a single such segment, the
probability is that of an additive measure. If A has one, of length a, and all segments of B have
its label, it is matched unless all of its tokens are free in B. B leaves the tokens x … x + a − 1
free in as many arrangements as there are for B and an additional segment of length a that starts at
x:

    P(free) = Σ_x P_A(x) P_added(x) · arr(B and the added segment) / arr(B),

with arr the number of arrangements. Arrays have one entry for each part, segment or pair.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges
from spanagree.chance.start_distributions import compute_start_profiles
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    compute_profiles_of_parts,
)
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.overlap_match import mask_matchable_segments
from spanagree.comparisons.profile_correlations import correlate_profiles
from spanagree.comparisons.profile_sums import compute_inner_products


def compute_single_matches(document_parts: DocumentParts, measure: Measure) -> tuple[Bools, Floats]:
    """Compute the mean match of parts where an annotator has only one segment that can match.

    Args:
        document_parts: parts with both annotations random; segments of one annotator exclude each
            other.
        measure: one-to-one measure.

    Returns:
        Mask of the parts with a known mean, and the mean of each part; 0 for other parts.
    """
    n_parts = len(document_parts)
    is_known, p = np.zeros(n_parts, np.bool_), np.zeros(n_parts)
    annotators = (document_parts.a, document_parts.b)
    can_match = [
        mask_matchable_segments(annotator, other_segments)
        for annotator, other_segments in (annotators, annotators[::-1])
    ]
    n_matchable = [
        np.bincount(segments.part_index[rows], minlength=n_parts)
        for segments, rows in zip(annotators, can_match, strict=True)
    ]
    is_known |= n_matchable[0] == 0  # nothing can match
    has_single_pair = (n_matchable[0] == 1) & (n_matchable[1] == 1)
    if has_single_pair.any():
        chosen_parts = document_parts.select_parts(np.flatnonzero(has_single_pair))
        p[has_single_pair] = _compute_mean_of_pairs(chosen_parts, measure)
        is_known |= has_single_pair
    if not measure.any_overlap:
        return is_known, p
    for annotator, other_annotator in ((0, 1), (1, 0)):
        all_can_match = (
            np.bincount(annotators[other_annotator].part_index, minlength=n_parts)
            == n_matchable[other_annotator]
        )
        is_chosen = (
            (n_matchable[annotator] == 1) & (n_matchable[other_annotator] > 1) & all_can_match
        )
        if is_chosen.any():
            p[is_chosen] = 1 - _compute_probability_free(
                document_parts,
                is_chosen,
                annotators[annotator],
                can_match[annotator],
                annotators[other_annotator],
            )
            is_known |= is_chosen
    return is_known, p.clip(0, 1)


def _compute_mean_of_pairs(document_parts: DocumentParts, measure: Measure) -> Floats:
    """Compute the mean φ of the only pair of segments that can match, for each part.

    Args:
        document_parts: parts with only one pair of segments that can match.
        measure: one-to-one measure.
    """
    a, b = document_parts.a, document_parts.b
    profiles, (profile_a, profile_b) = compute_profiles_of_parts(document_parts)
    rows_a, rows_b = mask_matchable_segments(a, b), mask_matchable_segments(b, a)
    return correlate_profiles(
        profiles,
        profile_a[rows_a],
        a.length[rows_a],
        profile_b[rows_b],
        b.length[rows_b],
        measure.phi,
    )


def _compute_probability_free(
    document_parts: DocumentParts,
    is_chosen: Bools,
    segments: AnnotatorSegments,
    can_match: Bools,
    other_segments: AnnotatorSegments,
) -> Floats:
    """Compute the probability that a single segment overlaps no segment of the other layer.

    Args:
        document_parts: all parts.
        is_chosen: mask of the parts to compute.
        segments: segments of the annotator with the single segment.
        can_match: mask of the segments of this annotator that can match.
        other_segments: segments of the other annotator.
    """
    rows = np.flatnonzero(is_chosen[segments.part_index])
    own_chosen, other_chosen = (
        segments.select_rows(rows),
        other_segments.select_rows(np.flatnonzero(is_chosen[other_segments.part_index])),
    )
    matchable = np.flatnonzero(can_match[rows])
    length, part_index = own_chosen.length[matchable], own_chosen.part_index[matchable]
    n_parts = len(document_parts)
    n_free = document_parts.tokens - np.bincount(
        other_chosen.part_index, other_chosen.length, n_parts
    ).astype(np.int64)
    n_starts = n_free[part_index] - length
    has_room = n_starts >= 0
    added_columns = part_index[has_room], length[has_room]
    group = np.concatenate(
        (own_chosen.part_index, other_chosen.part_index + n_parts, added_columns[0] + n_parts)
    )
    lengths = np.concatenate((own_chosen.length, other_chosen.length, added_columns[1]))
    profiles, profile = compute_start_profiles(group, np.tile(document_parts.tokens, 2), lengths)
    start_profile, added_profile = (
        profile[matchable][has_room],
        profile[len(own_chosen) + len(other_chosen) :],
    )
    p_same_start = compute_inner_products(profiles, start_profile, profiles, added_profile)
    p_free = np.zeros(len(matchable))
    p_free[has_room] = p_same_start * _compute_arrangement_ratio(
        n_free[added_columns[0]], added_columns, other_chosen
    )
    return p_free


def _compute_arrangement_ratio(
    n_free: Ints, added_columns: tuple[Ints, Ints], segments: AnnotatorSegments
) -> Floats:
    """Compute arr(B and the added segment) / arr(B), for each added segment.

    Args:
        n_free: number of free tokens of B in the part of each added segment.
        added_columns: part and length of each added segment.
        segments: segments of B.
    """
    part_index, length = added_columns
    n_segments = np.bincount(segments.part_index, minlength=int(part_index.max(initial=0)) + 1)[
        part_index
    ]
    step, row = expand_ranges(np.ones_like(n_segments), n_segments + 1)
    factor = (n_free - length)[row] + step
    factor = factor / (n_free[row] + step)
    first_step = np.cumsum(n_segments) - n_segments
    products = np.multiply.reduceat(factor, first_step) if len(first_step) else np.zeros(0)
    return np.asarray(products * (n_free - length + n_segments + 1), np.float64)
