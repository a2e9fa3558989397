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

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Ints, ranges
from spanagree.comparisons.chance_distribution.pieces import OTHER, Kinds, Pieces, Side, count_kinds
from spanagree.comparisons.measures import Match


@dataclass(frozen=True)
class Bits:
    """What a fixed annotation A gives to segments of B placed at random, with the bit carried."""

    pieces: Pieces
    measure: Match

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
        shape = (*rows.shape, len(places), 2)
        gain, after = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for k in range(rows.shape[1]):
            label, length = kinds.label[rows[:, k]], kinds.length[rows[:, k], None]
            mine = a.label[gold] == label[row]
            partners = self._first(gold[mine], row[mine], length[row[mine], 0], over)
            end = np.minimum(places + length, places[-1])
            new = np.take_along_axis(over, end, axis=1)
            for bit, match in enumerate(partners):
                gain[:, k, :, bit] = match < len(a)
                still = (new == match) | ((new == over) & (bit == 1))
                after[:, k, :, bit] = (new < len(a)) & still
        return gain, after, keep

    def _first(self, gold: Ints, row: Ints, length: Ints, over: Ints) -> tuple[Ints, Ints]:
        """Return the first segment of A that one of B is paired with at each place.

        That is with any that can be paired; and with those only that start there or later, as the
        one that reaches over the border is taken already.

        Args:
            gold: segments of A of the same label, by number, rising.
            row: of each the random annotation.
            length: of each that of the segment of B.
            over: which of A reaches over the border left of each place.
        """
        a = self.pieces.a
        last = np.minimum(a.start[gold] + a.length[gold], over.shape[1])
        start, at = ranges(np.maximum(a.start[gold] - length + 1, 0), last)
        segment = gold[at]
        able = np.flatnonzero(
            self.measure.phi(start - a.start[segment], a.length[segment], length[at])
        )
        able = able[::-1]  # of several that are set in one place the last stays
        reaching = start[able] > a.start[segment[able]]
        fresh = np.full(over.shape, len(a))
        fresh[row[at[able[~reaching]]], start[able[~reaching]]] = segment[able[~reaching]]
        every = fresh.copy()
        every[row[at[able[reaching]]], start[able[reaching]]] = segment[able[reaching]]
        return every, fresh


def overlap_gains(pieces: Pieces, measure: Match) -> tuple[Kinds, tuple[Ints, Ints, Ints], Bits]:
    """Return the kinds of B, the kinds that can match anything, and what carries the bit."""
    kinds, _ = count_kinds(pieces.b, has_partner(pieces.b, pieces.a))
    able = np.flatnonzero(kinds.label != OTHER)
    nothing = np.zeros(len(able), np.int64)
    return kinds, (able, nothing, nothing), Bits(pieces, measure)


def has_partner(side: Side, other: Side) -> Bools:
    """Return which segments have a label that the other side has in the same piece."""
    many = 1 + max(int(side.label.max(initial=0)), int(other.label.max(initial=0)))
    return np.isin(side.piece * many + side.label, other.piece * many + other.label)
