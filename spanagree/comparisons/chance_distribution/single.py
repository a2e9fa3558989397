"""One-to-one overlap where one of two random annotations has a single segment to pair.

Then the match is 0 or 1, and no walk is needed. Of one segment on either side, the probability is
that of any additive measure. Of several segments of B that all have the label, one of A with length
a finds a partner unless its tokens are all free in B. B leaves ``x … x + a − 1`` free as often as
an additional segment of length a starts at x, by how many more arrangements there are with it:

    P(free) = P(start of the additional one = x) · arr(B and it) / arr(B)
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges
from spanagree.chance.start_distributions import start_profiles
from spanagree.comparisons.chance_distribution.pieces import AnnotatorSegments, DocumentParts
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.overlap_match import has_partner
from spanagree.comparisons.profile_sums import correlated, inner


def single_matches(pieces: DocumentParts, measure: Measure) -> tuple[Bools, Floats]:
    """Return which pieces are like that, and the mean match in these; else 0.

    Args:
        pieces: both annotations random; segments of one side and piece exclude each other.
        measure: a one-to-one measure.
    """
    count = len(pieces)
    known, p = np.zeros(count, np.bool_), np.zeros(count)
    sides = (pieces.a, pieces.b)
    able = [has_partner(side, other) for side, other in (sides, sides[::-1])]
    number = [np.bincount(s.piece[r], minlength=count) for s, r in zip(sides, able, strict=True)]
    known |= number[0] == 0  # nothing can match
    both = (number[0] == 1) & (number[1] == 1)
    if both.any():
        p[both] = _of_pairs(pieces, both, able, measure)
        known |= both
    if not measure.any_overlap:
        return known, p
    for side, opposite in ((0, 1), (1, 0)):
        alone = np.bincount(sides[opposite].piece, minlength=count) == number[opposite]
        some = (number[side] == 1) & (number[opposite] > 1) & alone
        if some.any():
            p[some] = 1 - _all_free(pieces, some, sides[side], able[side], sides[opposite])
            known |= some
    return known, p.clip(0, 1)


def _of_pairs(pieces: DocumentParts, some: Bools, able: list[Bools], measure: Measure) -> Floats:
    """Return the mean φ of the two segments that can match, one of A and one of B."""
    sides = [side.rows(np.flatnonzero(some[side.piece])) for side in (pieces.a, pieces.b)]
    group = np.concatenate([sides[0].piece, sides[1].piece + len(pieces)])
    length = np.concatenate([side.length for side in sides])
    profiles, profile = start_profiles(group, np.tile(pieces.tokens, 2), length)
    chosen = np.concatenate(
        [rows[some[side.piece]] for side, rows in zip((pieces.a, pieces.b), able, strict=True)]
    )
    at = np.split(np.flatnonzero(chosen), 2)
    (profile_a, a), (profile_b, b) = ((profile[rows], length[rows]) for rows in at)
    return correlated(profiles, profile_a, a, profile_b, b, measure.phi)


def _all_free(
    pieces: DocumentParts,
    some: Bools,
    alone: AnnotatorSegments,
    able: Bools,
    opposite: AnnotatorSegments,
) -> Floats:
    """Return how likely all tokens of the one segment of a side are free on the other side."""
    rows = np.flatnonzero(some[alone.piece])
    mine, theirs = alone.rows(rows), opposite.rows(np.flatnonzero(some[opposite.piece]))
    single = np.flatnonzero(able[rows])
    length, piece = mine.length[single], mine.piece[single]
    count = len(pieces)
    free = pieces.tokens - np.bincount(theirs.piece, theirs.length, count).astype(np.int64)
    room = free[piece] - length
    fits = room >= 0
    beside = piece[fits], length[fits]
    group = np.concatenate((mine.piece, theirs.piece + count, beside[0] + count))
    lengths = np.concatenate((mine.length, theirs.length, beside[1]))
    profiles, profile = start_profiles(group, np.tile(pieces.tokens, 2), lengths)
    start, added = profile[single][fits], profile[len(mine) + len(theirs) :]
    together = inner(profiles, start, profiles, added)
    result = np.zeros(len(single))
    result[fits] = together * _more_ways(free[beside[0]], beside, theirs)
    return result


def _more_ways(free: Ints, added: tuple[Ints, Ints], side: AnnotatorSegments) -> Floats:
    """Return by how much more arrangements of a side there are with one more segment in a piece."""
    piece, length = added
    segments = np.bincount(side.piece, minlength=int(piece.max(initial=0)) + 1)[piece]
    step, which = expand_ranges(np.ones_like(segments), segments + 1)
    shrink = (free - length)[which] + step
    shrink = shrink / (free[which] + step)
    first = np.cumsum(segments) - segments
    products = np.multiply.reduceat(shrink, first) if len(first) else np.zeros(0)
    return np.asarray(products * (free - length + segments + 1), np.float64)
