"""The greatest one-to-one matching of overlapping segments, found from left to right.

Two segments of the same label may be paired if φ > 0, that is if they share a token, or a large
enough share of their tokens. If the segments of each layer are disjoint, the greatest number of
pairs is found greedily from left to right: when two segments overlap, the segment that ends first
overlaps nothing to the right of the other, so pairing them is never worse.

The match is not additive, because a pair may depend on the pairs before it. But this dependence is
a single *bit* at each border between tokens: whether the segment of A that crosses the border is
already paired. A *part* is a document, or an independent part of one. The *rank* of a border is its
position among the borders of its part that are used. Arrays have the shape (places, bits), or
(parts, ranks of borders).
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    SegmentPlaces,
)
from spanagree.comparisons.measures import Measure


def compute_matches_at_places(
    document_parts: DocumentParts, measure: Measure, places: SegmentPlaces
) -> tuple[Ints | Floats, Ints]:
    """Compute the gain of the match from a segment of B at each place, and the bit after it.

    The segment is paired with the first candidate of A: among all that overlap it, or, if the bit
    at its start is set, among the candidates that start at or after its own start.

    Args:
        document_parts: parts with the fixed segments of A.
        measure: measure of overlaps.
        places: places of segments of B.

    Returns:
        Gain of the match, and bit at the end of the place; both by the bit at the start, (places,
        bits).
    """
    a = document_parts.a  # sorted by part and start; the segments are disjoint
    part_index, start, end, label = places
    bit_after = np.zeros((len(start), 2), np.int64)
    low = np.searchsorted(a.part_index, part_index)
    high = np.searchsorted(a.part_index, part_index + 1)
    segment, place_index = expand_ranges(low, high)
    s, e = a.start[segment], a.start[segment] + a.length[segment]
    length = (end - start)[place_index]
    meets = (
        (e > start[place_index]) & (s < end[place_index]) & (a.label[segment] == label[place_index])
    )
    similarity = measure.phi(start[place_index] - s, a.length[segment], length)
    gain = np.zeros((len(start), 2))
    is_match = meets & (similarity > 0)
    no_segment = len(a)
    crosses_start, crosses_end = np.full((2, len(start)), no_segment)
    for crossing, border in ((crosses_start, start), (crosses_end, end)):
        is_crossing = (s < border[place_index]) & (border[place_index] < e)
        crossing[place_index[is_crossing]] = segment[is_crossing]
    for bit in (0, 1):
        match = np.full(len(start), no_segment)
        allowed = np.flatnonzero(is_match & ((bit == 0) | (s >= start[place_index])))[::-1]
        # reversed, so the first candidate is written last
        match[place_index[allowed]] = segment[allowed]
        gain[place_index[allowed], bit] = similarity[allowed]
        is_taken = (crosses_end == match) | ((crosses_end == crosses_start) & (bit == 1))
        bit_after[:, bit] = (crosses_end < no_segment) & is_taken
    return gain.astype(np.int64) if measure.is_whole else gain, bit_after


def mask_same_crossings(
    document_parts: DocumentParts, part_index: Ints, is_used: Bools, rank: Ints
) -> Bools:
    """Mask borders crossed by the same segment of A as the border before; (parts, ranks).

    Args:
        document_parts: parts with the fixed segments of A.
        part_index: indices of the parts.
        is_used: mask of the used borders; (parts, borders).
        rank: rank of each border; (parts, borders).
    """
    a = document_parts.a
    segment, row_of_part = expand_ranges(
        np.searchsorted(a.part_index, part_index), np.searchsorted(a.part_index, part_index + 1)
    )
    crossing = np.full(is_used.shape, -1)
    end = np.minimum(a.start[segment] + a.length[segment], is_used.shape[1])
    border, crossed_row = expand_ranges(a.start[segment] + 1, np.maximum(end, a.start[segment] + 1))
    crossing[row_of_part[crossed_row], border] = segment[crossed_row]
    crossing_by_rank = np.full((len(part_index), int(rank.max()) + 1), -1)
    row, border_index = np.nonzero(is_used)
    crossing_by_rank[row, rank[row, border_index]] = crossing[row, border_index]
    is_same = np.zeros(crossing_by_rank.shape, np.bool_)
    is_same[:, 1:] = (crossing_by_rank[:, 1:] == crossing_by_rank[:, :-1]) & (
        crossing_by_rank[:, 1:] >= 0
    )
    return is_same


def mask_matchable_segments(segments: AnnotatorSegments, other: AnnotatorSegments) -> Bools:
    """Mask the segments with a label that the other annotator uses in the same part."""
    n_labels = 1 + max(int(segments.label.max(initial=0)), int(other.label.max(initial=0)))
    return np.isin(
        segments.part_index * n_labels + segments.label, other.part_index * n_labels + other.label
    )
