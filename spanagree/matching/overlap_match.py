"""Overlap, each segment once: the greatest one-to-one matching of overlapping segments.

Two segments of the same label may be paired if they share a token, and each belongs to one pair at
most. Of layers that do not overlap themselves the greatest number of pairs is found from left to
right: take each pair as soon as it can be taken. Of two that overlap, the one that ends first
overlaps nothing further on, so no pair that comes later loses by it.

The match is not additive: whether a pair counts depends on those before it. But it depends on them
by one bit only, whether the segment that reaches over a border is taken already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Ints, ranges
from spanagree.matching.luck_pieces import OTHER, Kinds, Pieces, Side, count_kinds


@dataclass(frozen=True)
class Bits:
    """What a fixed annotation A gives to segments of B placed at random, with the bit carried."""

    pieces: Pieces

    def most(self, piece: Ints) -> Ints:
        """Return how many segments A has in each of these pieces."""
        return np.bincount(self.pieces.a.piece, minlength=len(self.pieces))[piece]

    def of_kinds(self, piece: Ints, kinds: Kinds, rows: Ints) -> tuple[Ints, Ints, Bools]:
        """Return gain and bit left behind of each kind, start and bit, and where the bit is kept.

        Args:
            piece: of each random annotation.
            kinds: of all.
            rows: of each annotation the kinds, by number; (annotations, kinds).
        """
        a, tokens = self.pieces.a, self.pieces.tokens[piece]
        places = np.arange(int(tokens.max()) + 1)
        first = np.searchsorted(a.piece, piece)
        gold, row = ranges(first, np.searchsorted(a.piece, piece + 1))
        # the segment of A that reaches over the border left of each token; len(a) is none
        over = np.full((len(piece), len(places)), len(a))
        inner, which = ranges(a.start[gold] + 1, a.start[gold] + a.length[gold])
        over[row[which], inner] = gold[which]
        keep = np.zeros(over.shape, np.bool_)
        keep[:, 1:] = (over[:, 1:] == over[:, :-1]) & (over[:, 1:] < len(a))
        labels = np.append(a.label, OTHER - 1)
        starts = np.append(a.start, places[-1] + 1)
        shape = (*rows.shape, len(places), 2)
        gain, after = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for k in range(rows.shape[1]):
            label, length = kinds.label[rows[:, k]], kinds.length[rows[:, k], None]
            following = np.full(over.shape, len(a))
            mine = a.label[gold] == label[row]
            following[row[mine], a.start[gold[mine]]] = gold[mine]
            following = np.minimum.accumulate(following[:, ::-1], axis=1)[:, ::-1]
            end = np.minimum(places + length, places[-1])
            new = np.take_along_axis(over, end, axis=1)
            for bit in (0, 1):
                open_ = (labels[over] == label[:, None]) & (bit == 0)
                fresh = starts[following] < places + length
                match = np.where(open_, over, np.where(fresh, following, len(a)))
                gain[:, k, :, bit] = match < len(a)
                still = (new == match) | ((new == over) & (bit == 1))
                after[:, k, :, bit] = (new < len(a)) & still
        return gain, after, keep


def overlap_gains(pieces: Pieces) -> tuple[Kinds, tuple[Ints, Ints, Ints], Bits]:
    """Return the kinds of B, the kinds that can match anything, and what carries the bit."""
    kinds, _ = count_kinds(pieces.b, has_partner(pieces.b, pieces.a))
    able = np.flatnonzero(kinds.label != OTHER)
    nothing = np.zeros(len(able), np.int64)
    return kinds, (able, nothing, nothing), Bits(pieces)


def has_partner(side: Side, other: Side) -> Bools:
    """Return which segments have a label that the other side has in the same piece."""
    many = 1 + max(int(side.label.max(initial=0)), int(other.label.max(initial=0)))
    return np.isin(side.piece * many + side.label, other.piece * many + other.label)
