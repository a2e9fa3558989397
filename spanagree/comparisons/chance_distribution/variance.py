"""Mean and variance of the match in closed form, where the distribution is over the budget.

The walk counts how many segments of each kind either annotation has placed; of many kinds these are
many states, which the sum over pairs of places does not need.

The second moment of an additive measure needs to know where *two* random segments start. Take
segment i at x and segment j further right at y; the others lie left of both, between them, or right
of both::

    P(i at x, j at y) = Σ N(m₁, s₁, m₂, s₂) · W(m₁, s₁; x) · W(m₂, s₂; y − x − aᵢ)
                          · W(m₃, s₃; n − y − aⱼ) / W(all; n)

N is the number of ways to choose m₁ of the others with s₁ tokens in all for the left and m₂ with s₂
for the middle, and W(m, s; p) = (p − s + m)! / (p − s)! the number of ways to place m segments of s
tokens in all in p tokens. All terms are positive.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.comparisons.chance_distribution.fixed_walk import gains_at
from spanagree.comparisons.chance_distribution.pieces import Pieces, Side
from spanagree.comparisons.measures import Measure

Kind: TypeAlias = tuple[int, int]
"""Length and label."""


def closed_moments(
    piece: Pieces, measure: Measure, chance: str, fixed: bool, budget: float
) -> Floats | None:
    """Return mean and variance of one piece's match in closed form.

    Args:
        piece: what is looked at.
        measure: what counts as a match.
        chance: the chance model.
        fixed: whether A stays as it is; else both are random.
        budget: the most numbers that are computed.

    Returns:
        Mean and variance; ``None`` for what is over the budget, where segments of one side need not
        exclude each other, and for measures other than exact, boundaries and token.
    """
    apart = chance == "nonoverlapping" or (chance == "per-label" and measure.of_label)
    if not apart or measure.kernel not in ("equal", "cover"):
        return None
    n = int(piece.tokens[0])
    a_kinds, b_kinds = _kinds(piece.a), _kinds(piece.b)
    if any(_cost(side, n) > budget for side in ((b_kinds,) if fixed else (a_kinds, b_kinds))):
        return None
    b = StartsOfTwo(b_kinds, n)
    if fixed:
        first, second = _against(piece, measure, b)
    else:
        first, second = _both(StartsOfTwo(a_kinds, n), b, measure)
    return np.array([first, max(second - first**2, 0.0)])


def _kinds(side: Side) -> Counter[Kind]:
    """Return how many segments of each length and label a side has."""
    return Counter(zip(side.length.tolist(), side.label.tolist(), strict=True))


def _cost(kinds: Counter[Kind], n: int) -> float:
    """Return about how many numbers the pairs of all kinds need."""
    return float(len({length for length, _ in kinds}) ** 2) * cost_of_two(kinds, n)


def cost_of_two(kinds: Counter[Kind], n: int) -> float:
    """Return about how many numbers the starts of two segments need, of some lengths."""
    lengths: Counter[int] = Counter()
    for (length, _), count in kinds.items():
        lengths[length] += count
    ways = sum(math.log(math.comb(c + 2, 2)) for c in lengths.values())
    return float((n + 1.0) ** 2 * math.exp(min(ways, 600)))


class StartsOfTwo:
    """Where one random segment starts, and where two do, of segments that exclude each other."""

    def __init__(self, kinds: Counter[Kind], n: int) -> None:
        self.n = n
        self.kinds = kinds
        self.lengths: Counter[int] = Counter()
        for (length, _), count in kinds.items():
            self.lengths[length] += count
        self.count = self.lengths.total()
        self.slots = n - self._tokens(self.lengths) + self.count
        self._of_length: dict[int, Floats] = {}
        self._of_lengths: dict[tuple[int, int], Floats] = {}

    def starts_of_one(self, kind: Kind) -> Floats:
        """Return E(how many of a kind start at x), at [x]."""
        return self.kinds[kind] * self.starts_of_length(kind[0])

    def starts(self, first: Kind, second: Kind) -> Floats:
        """Return E(how many of one kind start at x and of the other at y), at [x, y]."""
        number = self.kinds[first] * (self.kinds[second] - (first == second))
        total = np.zeros((self.n, self.n))
        if number:
            total += number * self.starts_of_lengths(first[0], second[0])
        if first == second:
            total[np.diag_indices(self.n)] += self.starts_of_one(first)
        return total

    def starts_of_lengths(self, a: int, b: int) -> Floats:
        """Return P(one segment of length a starts at x and another of length b at y), at [x, y]."""
        if (a, b) not in self._of_lengths:
            everywhere = np.arange(self.n)
            self._of_lengths[a, b] = self.starts_at(a, b, everywhere, everywhere)
        return self._of_lengths[a, b]

    def starts_at(self, a: int, b: int, x: Ints, y: Ints) -> Floats:
        """Return the same at some starts of either, at [x, y]."""
        return self._ordered(a, b, x, y) + self._ordered(b, a, y, x).T

    def starts_of_length(self, a: int) -> Floats:
        """Return P(a segment of length a starts at x)."""
        if a in self._of_length:
            return self._of_length[a]
        others = self.lengths - Counter([a])
        x = np.arange(self.n)
        total = np.zeros(self.n)
        for (m, s), ways in _splits(others, 1).items():
            right = self.count - 1 - m, self._tokens(others) - s
            total += ways * self._ways(m, s, x) * self._ways(*right, self.n - x - a)
        self._of_length[a] = total * _scale(self.slots, self.count, 1)
        return self._of_length[a]

    def _ordered(self, a: int, b: int, x: Ints, y: Ints) -> Floats:
        """Return P(one segment of length a starts at x and another of length b at y ≥ x + a)."""
        others = self.lengths - Counter([a, b])
        total = np.zeros((len(x), len(y)))
        for (m1, s1, m2, s2), ways in _splits(others, 2).items():
            m3, s3 = self.count - 2 - m1 - m2, self._tokens(others) - s1 - s2
            between = self._ways(m2, s2, np.arange(1 - self.n, self.n) - a)
            total += (
                ways
                * self._ways(m1, s1, x)[:, None]
                * between[y - x[:, None] + self.n - 1]
                * self._ways(m3, s3, self.n - y - b)
            )
        return total * _scale(self.slots, self.count, 2)

    @staticmethod
    def _tokens(lengths: Counter[int]) -> int:
        return sum(length * c for length, c in lengths.items())

    def _ways(self, m: int, s: int, p: Ints) -> Floats:
        """Return W(m, s; p) / slots**m, and 0 where they do not fit."""
        ways = np.where(p >= s, 1.0, 0.0)
        for i in range(m):
            ways = ways * (np.maximum(p - s, 0) + m - i) / self.slots
        return np.asarray(ways)


def _scale(slots: int, count: int, placed: int) -> float:
    """Return slots**(count − placed) / (slots · (slots − 1) · …)."""
    return math.exp(
        (count - placed) * math.log(slots) + math.lgamma(slots - count + 1) - math.lgamma(slots + 1)
    )


def _splits(others: Counter[int], parts: int) -> dict[tuple[int, ...], int]:
    """Return in how many ways others go to each of some parts, by number and tokens of each."""
    table: dict[tuple[int, ...], int] = {(0,) * (2 * parts): 1}
    for length, count in others.items():
        more: dict[tuple[int, ...], int] = {}
        for chosen in _choices(count, parts):
            ways = math.factorial(count) // math.prod(map(math.factorial, chosen))
            ways //= math.factorial(count - sum(chosen))
            added = [x for c in chosen for x in (c, c * length)]
            for key, before in table.items():
                new = tuple(x + y for x, y in zip(key, added, strict=True))
                more[new] = more.get(new, 0) + before * ways
        table = more
    return table


def _choices(count: int, parts: int) -> Iterator[tuple[int, ...]]:
    if not parts:
        yield ()
        return
    for first in range(count + 1):
        for rest in _choices(count - first, parts - 1):
            yield (first, *rest)


# --- moments ------------------------------------------------------------------------------------


def _against(piece: Pieces, measure: Measure, b: StartsOfTwo) -> tuple[float, float]:
    """Return E(match) and E(match²), A as it is."""
    gains: defaultdict[int, list[Floats]] = defaultdict(list)
    counts: defaultdict[int, list[int]] = defaultdict(list)
    for (length, label), n_segments in b.kinds.items():
        start = np.arange(b.n - length + 1)
        labels = np.full_like(start, label)
        gain = gains_at(piece, measure, 0 * start, start, start + length, labels)
        if gain.any():
            gains[length].append(np.append(gain, np.zeros(length - 1)))
            counts[length].append(n_segments)
    by_length = {}  # starts at which any kind gains, the gains at [kind, start], segments of a kind
    for length, of_kinds in gains.items():
        at = np.flatnonzero(np.any(of_kinds, axis=0))
        by_length[length] = at, np.array(of_kinds)[:, at], np.array(counts[length])
    first = second = 0.0
    for length, (at, gain, count) in by_length.items():
        starts = b.starts_of_length(length)[at]
        first += float(count @ gain @ starts)
        second += float(count @ gain**2 @ starts)
        for other, (its_at, its_gain, its_count) in by_length.items():
            n_pairs = np.outer(count, its_count) - (np.diag(count) if other == length else 0)
            both = b.starts_at(length, other, at, its_at)
            second += float((gain @ both @ its_gain.T * n_pairs).sum())
    return first, second


def _both(a: StartsOfTwo, b: StartsOfTwo, measure: Measure) -> tuple[float, float]:
    """Return E(match) and E(match²), both random.

    The match is a sum over places (starts of a kind, or tokens of a label) of the product of how
    often either side is there; of two places, the sides are independent of each other.
    """
    if measure.in_tokens:
        labels = {label for _, label in a.kinds} & {label for _, label in b.kinds}
        places = [
            tuple([kind for kind in side.kinds if kind[1] == label] for side in (a, b))
            for label in sorted(labels)
        ]
    else:
        places = [([kind], [kind]) for kind in sorted(a.kinds.keys() & b.kinds.keys())]
    first = second = 0.0
    for of_a, of_b in places:
        first += float(_at_one(a, of_a, measure) @ _at_one(b, of_b, measure))
        for also_a, also_b in places:
            both = _at_two(a, of_a, also_a, measure) * _at_two(b, of_b, also_b, measure)
            second += float(both.sum())
    return first, second


def _at_one(side: StartsOfTwo, kinds: Sequence[Kind], measure: Measure) -> Floats:
    """Return E(how many segments of some kinds are at t): start there, or cover it as a token."""
    total = np.zeros(side.n)
    for kind in kinds:
        starts = side.starts_of_one(kind)
        total += _covers(kind, side.n) @ starts if measure.in_tokens else starts
    return total


def _at_two(
    side: StartsOfTwo, kinds: Sequence[Kind], others: Sequence[Kind], measure: Measure
) -> Floats:
    """Return E(how many of some kinds are at t and how many of others at u), at [t, u]."""
    total = np.zeros((side.n, side.n))
    for kind, other in itertools.product(kinds, others):
        starts = side.starts(kind, other)
        if measure.in_tokens:
            starts = _covers(kind, side.n) @ starts @ _covers(other, side.n).T
        total += starts
    return total


def _covers(kind: Kind, n: int) -> Floats:
    """Return 1 where a segment of a kind that starts at x covers t, at [t, x]."""
    t = np.arange(n)[:, None] - np.arange(n)
    return ((t >= 0) & (t < kind[0])).astype(np.float64)
