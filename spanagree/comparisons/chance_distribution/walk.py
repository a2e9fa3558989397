"""The match of random annotations with a fixed one: its exact distribution, read from the left.

Under ``nonoverlapping`` all orders of the segments and the free tokens are equally likely. Segments
of the same length and label are of one *kind*; kind i occurs cᵢ times, and u says how many of each
kind are placed already. Let G(u, p, m) be the number of ways to fill the first p tokens with u such
that m is matched; the last block is a free token or a segment::

    G(u, p, m) = G(u, p − 1, m) + Σ_i G(u − eᵢ, p − aᵢ, m − gᵢ(p − aᵢ))

where gᵢ(x) is what a segment of kind i adds at x. G(c, n, ·), scaled to the sum 1, is the
distribution. All terms are positive, so even the smallest probabilities keep their digits. Each u
needs a few operations over all p, m and all documents with the same lengths at once.

A measure that is not additive can carry one more bit; and where only mean and variance are wanted,
or matches are not whole numbers, G carries (1, Σ, Σ²) in place of a distribution.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, distinct_rows, groups, ranges
from spanagree.comparisons.chance_distribution.pieces import (
    OTHER,
    Kinds,
    Pieces,
    count_kinds,
    gains,
    least_costs,
)
from spanagree.comparisons.chance_distribution.walk_tables import (
    add_independent,
    add_moments,
    carry,
    results_of,
)
from spanagree.comparisons.measures import Match
from spanagree.comparisons.overlap_match import has_partner, kept_at, taken_at

_CHUNK = 1 << 22  # elements of the arrays of one u
_PLACES = 1 << 18  # places that are compared with the segments of A at once


@dataclass(frozen=True)
class Moves:
    """What segments add, for annotations whose segments have the same lengths and counts.

    Attributes:
        lengths, counts: of each kind.
        tokens: of each annotation.
        gain: of kind, start and bit; (annotations, kinds, starts, bits).
        after: the bit that is left behind there, if the measure carries one.
        keep: whether a free token that ends here keeps the bit; (annotations, places).
        most: an upper bound of the match.
    """

    lengths: Ints
    counts: Ints
    tokens: Ints
    gain: Ints | Floats
    after: Ints | None
    keep: Bools | None
    most: int

    def rows(self, rows: Ints) -> Moves:
        """Return some of the annotations."""
        end = int(self.tokens[rows].max()) + 1
        return Moves(
            self.lengths,
            self.counts,
            self.tokens[rows],
            self.gain[rows, :, :end],
            None if self.after is None else self.after[rows, :, :end],
            None if self.keep is None else self.keep[rows, :end],
            self.most,
        )


def fixed_walk(pieces: Pieces, measure: Match, budget: float, moments: bool) -> list[Floats | None]:
    """Return the distribution of each piece's match, with A as it is and B random.

    Args:
        pieces: what is looked at.
        measure: what counts as a match.
        budget: the most elements that are computed of one piece's walk.
        moments: mean and variance rather than the distribution.

    Returns:
        The probabilities of 0, 1, … for each piece, or its mean and variance; ``None`` for a piece
        that is over the budget.
    """
    least = least_costs(pieces, pieces.b)
    results: list[Floats | None] = [
        None if cost > budget else np.zeros(2) if moments else np.ones(1) for cost in least
    ]
    within = np.flatnonzero(least <= budget)
    if not len(within):
        return results
    pieces = pieces.some(within)
    entries: tuple[Ints, Ints, Ints | Floats]
    if measure.kernel == "one-to-one":  # what is gained depends on the bit; here only who can
        kinds, _ = count_kinds(pieces.b, has_partner(pieces.b, pieces.a))
        able = np.flatnonzero(kinds.label != OTHER)
        entries = able, 0 * able, 0 * able
    else:
        kinds, entries = gains(pieces, measure)
    for place, moves in _batches(pieces, kinds, entries, measure):
        of_piece = within[place]
        costs = _costs(moves, moments)
        for row in np.flatnonzero(costs > budget).tolist():
            results[of_piece[row]] = None
        rows = np.flatnonzero(costs <= budget)
        step = max(1, int(_CHUNK // max(costs.max(initial=1) / len(moves.counts), 1)))
        rows = rows[np.argsort(moves.tokens[rows], kind="stable")]
        for at in range(0, len(rows), step):
            some = rows[at : at + step]
            for row, made in zip(some.tolist(), _walk(moves.rows(some), moments), strict=True):
                add_independent(results, int(of_piece[row]), made, moments)
    return results


def _costs(moves: Moves, moments: bool) -> Floats:
    states = math.prod((moves.counts + 1.0).tolist()) * len(moves.counts)
    wide = 3 if moments else moves.most + 1
    return states * wide * moves.gain.shape[3] * (moves.tokens + 1.0)


# --- annotations of the same lengths, together ---------------------------------------------------


def _batches(
    pieces: Pieces, kinds: Kinds, entries: tuple[Ints, Ints, Ints | Floats], measure: Match
) -> Iterator[tuple[Ints, Moves]]:
    """Yield the moves of the random annotations that can match anything, and the piece of each.

    Each kind of random annotation is computed once: equal ones are one row, and yielded again.
    """
    _, unit, _ = distinct(kinds.piece, kinds.group)
    order = np.lexsort((kinds.label, kinds.count, kinds.length, unit))
    begin = np.searchsorted(unit[order], np.arange(unit.max() + 1))
    size = np.bincount(unit)
    place = np.empty(len(order), np.int64)  # of a kind within its unit
    place[order] = np.arange(len(order)) - np.repeat(begin, size)
    by_unit = np.argsort(unit[entries[0]], kind="stable")
    kind, start, gain = (column[by_unit] for column in entries)
    first = np.searchsorted(unit[kind], np.arange(len(size) + 1))
    able = np.flatnonzero(np.diff(first))
    for t in np.unique(size[able]).tolist():
        units = able[size[able] == t]
        rows = order[begin[units][:, None] + np.arange(t)]
        table = np.hstack((kinds.length[rows], kinds.count[rows]))
        alike, which, _ = distinct_rows(table)
        for shape, here in zip(alike, groups(which, len(alike)), strict=True):
            of_kinds = rows[here]
            piece = kinds.piece[of_kinds[:, 0]]
            tokens = pieces.tokens[piece]
            dense = np.zeros((len(here), t, int(tokens.max()) + 1, 1), gain.dtype)
            chosen, row = ranges(first[units[here]], first[units[here] + 1])
            dense[row, place[kind[chosen]], start[chosen], 0] = gain[chosen]
            after = keep = None
            if measure.kernel == "one-to-one":
                dense, after, keep = _with_bits(pieces, measure, piece, kinds, of_kinds)
            most = dense.max((2, 3)) @ shape[t:]
            if measure.kernel == "one-to-one":
                most = np.minimum(most, np.bincount(pieces.a.piece, minlength=len(pieces))[piece])
            yield (
                piece,
                Moves(shape[:t], shape[t:], tokens, dense, after, keep, math.ceil(most.max())),
            )


def _with_bits(
    pieces: Pieces, measure: Match, piece: Ints, kinds: Kinds, rows: Ints
) -> tuple[Ints, Ints, Bools]:
    """Return gain and bit left behind of each kind, start and bit, and where the bit is kept.

    Args:
        pieces: of which A stays as it is.
        measure: a one-to-one measure.
        piece: of each random annotation.
        kinds: of all.
        rows: of each annotation the kinds, by number; (annotations, kinds).
    """
    borders = int(pieces.tokens[piece].max()) + 1
    shape = (*rows.shape, borders)
    start = np.broadcast_to(np.arange(borders), shape)
    end = start + kinds.length[rows][:, :, None]
    of_place = piece[:, None, None], start, end, kinds.label[rows][:, :, None]
    gain, after = np.zeros((2, *shape, 2), np.int64)
    for some in np.array_split(np.arange(len(piece)), 1 + start.size // _PLACES):
        columns = (np.broadcast_to(column, shape)[some].ravel() for column in of_place)
        for table, values in zip((gain, after), taken_at(pieces, measure, *columns), strict=True):
            table[some] = values.reshape(len(some), *shape[1:], 2)
    every = np.ones((len(piece), borders), np.bool_)
    keep = kept_at(pieces, piece, every, np.cumsum(every, axis=1) - 1)
    return gain, after, keep


# --- the walk ------------------------------------------------------------------------------------


def _walk(moves: Moves, moments: bool) -> list[Floats]:
    """Return the distribution, or mean and variance, of each annotation; equal ones once."""
    columns = (moves.tokens, moves.gain, moves.after, moves.keep)
    flat = [x.reshape(len(moves.tokens), -1) for x in columns if x is not None]
    _, which, _ = distinct_rows(np.hstack(flat).astype(np.float64))
    first_rows = np.unique(which, return_index=True)[1]
    ends = _ends(moves.rows(first_rows), moments)
    of_rows = results_of(ends, moments)
    return [of_rows[row] for row in which.tolist()]


def _ends(moves: Moves, moments: bool) -> Floats:
    """Return G(c, n, ·) of each annotation; (annotations, matches)."""
    order = np.argsort(moves.counts, kind="stable")  # the most frequent kind last: less to keep
    lengths, counts = moves.lengths[order].tolist(), moves.counts[order].tolist()
    adders = [_adder(moves, kind, moments) for kind in order.tolist()]
    strides = [math.prod(c + 1 for c in counts[:i]) for i in range(len(counts))]
    units, n = len(moves.tokens), int(moves.tokens.max())
    weight = _weights(moves)[:, None, None, None]
    empty = np.zeros((units, n + 1, moves.gain.shape[3], 3 if moments else moves.most + 1))
    empty[:, :, 0, 0] = 1
    ways = {0: empty}
    for state in range(1, strides[-1] * (counts[-1] + 1)):
        arrived = np.zeros_like(empty)
        for stride, count, a, add in zip(strides, counts, lengths, adders, strict=True):
            if state // stride % (count + 1) and a <= n:
                add(arrived[:, a:], ways[state - stride][:, : n + 1 - a])
        arrived *= weight
        carry(arrived, moves.keep)
        ways[state] = arrived
        ways.pop(state - strides[-1], None)
    last = ways[strides[-1] * (counts[-1] + 1) - 1]
    return np.asarray(last[np.arange(units), moves.tokens].sum(1))


def _adder(moves: Moves, kind: int, moments: bool) -> Callable[[Floats, Floats], None]:
    """Return the function that adds to an array what comes of placing a segment of this kind."""
    gain = moves.gain[:, kind]
    left = np.zeros_like(gain, np.int64) if moves.after is None else moves.after[:, kind]
    bits = range(gain.shape[2])
    cases: list[tuple[int, int, Any, Bools]] = []  # bit before and behind, gain, where
    for bit, after in itertools.product(bits, bits):
        before = gain[:, :, bit]
        leads_there = left[:, :, bit] == after
        if moments and leads_there.any():
            cases.append((bit, after, before, leads_there))
        elif not moments:
            gains_there = np.unique(before[leads_there]).tolist()
            cases += [(bit, after, g, leads_there & (before == g)) for g in gains_there]

    def add(target: Floats, source: Floats) -> None:
        starts, wide = source.shape[1], source.shape[3]
        for bit, after, g, where in cases:
            there = where[:, :starts, None]
            if moments:
                part = source[:, :, bit] if where.all() else source[:, :, bit] * there
                add_moments(target[:, :, after], part, g[:, :starts])
            else:
                target[:, :, after, g:] += source[:, :, bit, : wide - g] * there

    return add


def _weights(moves: Moves) -> Floats:
    """Return a factor for each segment placed, such that all ways together count about 1.

    It is a power of 2, so it changes no digit.
    """
    placed = int(moves.counts.sum())
    slots = moves.tokens - int(((moves.lengths - 1) * moves.counts).sum())
    ways = math.lgamma(placed + 1) - sum(math.lgamma(c + 1) for c in moves.counts.tolist())
    logs = np.log(slots[:, None] - np.arange(placed)).sum(1) - math.lgamma(placed + 1) + ways
    return np.asarray(np.exp2(np.round(-logs / placed / math.log(2))))
