"""Overlap, each segment once: the greatest one-to-one matching of overlapping segments.

Two segments of the same label may be paired if they share a token, or as large a share of their
tokens as is asked for, and each belongs to one pair at most. Of layers that do not overlap
themselves the greatest number of pairs is found from left to right: take each pair as soon as it
can be taken. Of two that overlap, the one that ends first overlaps nothing further on, so no pair
that comes later loses by it.

The match is not additive: whether a pair counts depends on those before it. But it depends on them
by one bit only, whether the segment that reaches over a border is taken already.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges
from spanagree.comparisons.chance_distribution.pieces import AnnotatorSegments, DocumentParts
from spanagree.comparisons.measures import Measure


def taken_at(
    pieces: DocumentParts, measure: Measure, piece: Ints, start: Ints, end: Ints, label: Ints
) -> tuple[Ints | Floats, Ints]:
    """Return what a segment of B at each place takes, and the bit behind it; (places, bits).

    The bit says whether the segment of A that reaches over the border is taken already. Of those
    that can be paired the first is: all are asked, or with the bit those that start here or later.
    """
    a = pieces.a  # sorted by piece and start; its segments do not overlap
    after = np.zeros((len(start), 2), np.int64)
    low = np.searchsorted(a.piece, piece)
    high = np.searchsorted(a.piece, piece + 1)
    segment, place = expand_ranges(low, high)
    s, e = a.start[segment], a.start[segment] + a.length[segment]
    length = (end - start)[place]
    meets = (e > start[place]) & (s < end[place]) & (a.label[segment] == label[place])
    similarity = measure.phi(start[place] - s, a.length[segment], length)
    gain = np.zeros((len(start), 2))
    able = meets & (similarity > 0)
    none = len(a)
    over_start, over_end = np.full((2, len(start)), none)
    for over, border in ((over_start, start), (over_end, end)):
        here = (s < border[place]) & (border[place] < e)
        over[place[here]] = segment[here]
    for bit in (0, 1):
        match = np.full(len(start), none)
        can = np.flatnonzero(able & ((bit == 0) | (s >= start[place])))[::-1]
        match[place[can]] = segment[can]  # of several that are set in one place the first stays
        gain[place[can], bit] = similarity[can]
        still = (over_end == match) | ((over_end == over_start) & (bit == 1))
        after[:, bit] = (over_end < none) & still
    return gain.astype(np.int64) if measure.is_whole else gain, after


def kept_at(pieces: DocumentParts, piece: Ints, used: Bools, rank: Ints) -> Bools:
    """Return at which borders one segment of A reaches over this one and the one before."""
    a = pieces.a
    segment, unit = expand_ranges(
        np.searchsorted(a.piece, piece), np.searchsorted(a.piece, piece + 1)
    )
    over = np.full(used.shape, -1)
    end = np.minimum(a.start[segment] + a.length[segment], used.shape[1])
    border, row = expand_ranges(a.start[segment] + 1, np.maximum(end, a.start[segment] + 1))
    over[unit[row], border] = segment[row]
    at = np.full((len(piece), int(rank.max()) + 1), -1)
    u, p = np.nonzero(used)
    at[u, rank[u, p]] = over[u, p]
    keep = np.zeros(at.shape, np.bool_)
    keep[:, 1:] = (at[:, 1:] == at[:, :-1]) & (at[:, 1:] >= 0)
    return keep


def has_partner(side: AnnotatorSegments, other: AnnotatorSegments) -> Bools:
    """Return which segments have a label that the other side has in the same piece."""
    many = 1 + max(int(side.label.max(initial=0)), int(other.label.max(initial=0)))
    return np.isin(side.piece * many + side.label, other.piece * many + other.label)
