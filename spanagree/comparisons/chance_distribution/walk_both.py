"""The match of two random annotations: its exact distribution, read from the left.

As in :mod:`spanagree.comparisons.chance_distribution.walk`, but both annotations are read at once:
the one that lags behind places its next block, a free token or a segment. Where both are level,
both place one. The state is the place up to which both are read, what the one that is ahead has
placed and how far it reaches further, and how many segments of each kind are used on either side.
One walk serves all documents in which the same kinds of segments occur: it passes all lengths on
its way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats
from spanagree.comparisons.chance_distribution.pieces import (
    OTHER,
    Pieces,
    Side,
    least_costs,
)
from spanagree.comparisons.chance_distribution.walk_tables import (
    add_shifted,
    one_more,
    results_of,
)
from spanagree.comparisons.measures import Match


class Kind(NamedTuple):
    """So many segments of the same length and label."""

    length: int
    label: int
    number: int


class Ahead(NamedTuple):
    """The segment that reaches further than the other annotation is read.

    Attributes:
        side: whose it is, 0 or 1.
        tag: what the measure has to know of it.
        left: how many of its tokens lie beyond.
    """

    side: int
    tag: Any
    left: int


class Move(NamedTuple):
    """What follows a state.

    Attributes:
        step: by how much further both are read then.
        then: what is ahead.
        gain: what is added to the match.
        used: which kinds are placed, by number.
    """

    step: int
    then: Ahead | None
    gain: float
    used: tuple[int, ...]


@dataclass(frozen=True)
class Rule:
    """What a measure has to remember of a segment, and what it gives to two that overlap."""

    measure: Match

    def tag(self, kind: Kind) -> Any:
        """Return what is to be remembered of a segment that has not met another one."""
        if self.measure.kernel == "equal" or kind.label == OTHER:
            return None
        by_label = self.measure.kernel in ("cover", "one-to-one") and not self.measure.share
        return kind.label if by_label else kind

    def level(self, a: Kind, b: Kind) -> tuple[float, Any]:
        """Return the gain of two segments that start together, and the longer one's tag."""
        longer = a if a.length >= b.length else b
        if a.label != b.label or a.label == OTHER:
            return 0, self.tag(longer)
        gain = self._phi(0, a, b)
        return gain, None if gain and self.measure.kernel == "one-to-one" else self.tag(longer)

    def later(self, ahead: Ahead, kind: Kind) -> tuple[float, Any, Any]:
        """Return the gain of a segment of the side that lags, and the tags of both then."""
        tag = self.tag(kind)
        if ahead.tag is None or tag is None or self.measure.kernel == "equal":
            return 0, ahead.tag, tag
        if self.measure.kernel == "cover":
            gain = min(ahead.left, kind.length) if ahead.tag == tag else 0
            return gain, ahead.tag, tag
        one_to_one = self.measure.kernel == "one-to-one"
        if one_to_one and not self.measure.share:
            return (1, None, None) if ahead.tag == tag else (0, ahead.tag, tag)
        if ahead.tag.label != kind.label:
            return 0, ahead.tag, tag
        offset = ahead.tag.length - ahead.left
        pair = (offset, ahead.tag, kind) if ahead.side == 0 else (-offset, kind, ahead.tag)
        met = self._phi(*pair)
        return (met, None, None) if met and one_to_one else (met, ahead.tag, tag)

    def _phi(self, offset: int, a: Kind, b: Kind) -> float:
        lengths = (np.array([x]) for x in (offset, a.length, b.length))
        return self.measure.phi(*lengths)[0].item()


def kinds_of(side: Side, partner: Side, exact: bool) -> tuple[Kind, ...]:
    """Return the kinds of one piece's segments; those without a partner are of one label.

    Args:
        side: its segments.
        partner: those of the other annotator.
        exact: whether a partner has to be of the same length.
    """
    lengths = partner.length if exact else partner.label
    there = set(zip(lengths.tolist(), partner.label.tolist(), strict=True))
    counts: dict[tuple[int, int], int] = {}
    for length, label in zip(side.length.tolist(), side.label.tolist(), strict=True):
        known = (length if exact else label, label) in there
        key = (length, label if known else OTHER)
        counts[key] = counts.get(key, 0) + 1
    return tuple(Kind(*key, count) for key, count in sorted(counts.items()))


def renamed(a: Sequence[Kind], b: Sequence[Kind]) -> tuple[tuple[Kind, ...], tuple[Kind, ...]]:
    """Return the same kinds with labels numbered as they come, so that equal questions meet."""
    number = {OTHER: OTHER}
    for kind in (*a, *b):
        number.setdefault(kind.label, len(number) - 1)
    first, second = (tuple(sorted(k._replace(label=number[k.label]) for k in x)) for x in (a, b))
    return first, second


def both_walk(
    pieces: Pieces, measure: Match, budget: float, moments: bool, steps: float = math.inf
) -> list[Floats | None]:
    """Return the distribution of each piece's match, with A and B random and nothing shared within.

    Args, result: as of :func:`spanagree.comparisons.chance_distribution.walk.fixed_walk`; segments
    of one side and piece exclude each other. A walk may take so many steps at the most.
    """
    least = least_costs(pieces, pieces.a, pieces.b)
    results: list[Floats | None] = []
    asked: dict[tuple[tuple[Kind, ...], tuple[Kind, ...]], list[int]] = {}
    equal = measure.kernel == "equal"
    for piece in range(len(pieces)):
        results.append(None)
        if least[piece] > budget:
            continue
        results[piece] = np.zeros(2) if moments else np.ones(1)
        a, b = pieces.a.of_piece(piece), pieces.b.of_piece(piece)
        pair = renamed(kinds_of(a, b, equal), kinds_of(b, a, equal))
        if any(kind.label != OTHER for kind in pair[0]):
            asked.setdefault(pair, []).append(piece)
    for (first, second), numbers in asked.items():
        tokens = pieces.tokens[numbers]
        for n in np.unique(tokens).tolist():  # those within the budget share a walk
            taken = _steps(n, first, second, measure)
            if taken > steps or taken * _numbers(first, second, measure, moments) > budget:
                for i in np.array(numbers)[tokens == n].tolist():
                    results[i] = None
        within = [i for i in numbers if results[i] is not None]
        if within:
            walk = _Walk(first, second, Rule(measure), moments)
            at = walk.run(sorted({int(pieces.tokens[i]) for i in within}))
            for i in within:
                results[i] = at[int(pieces.tokens[i])]
    return results


def _most(first: Sequence[Kind], second: Sequence[Kind], measure: Match) -> int:
    """Return an upper bound of the match."""
    sizes = [
        sum(k.number * (k.length if measure.in_tokens else 1) for k in kinds if k.label != OTHER)
        for kinds in (first, second)
    ]
    return min(sizes)


def _steps(n: int, first: Sequence[Kind], second: Sequence[Kind], measure: Match) -> float:
    """Return about how many steps a walk takes."""
    rule = Rule(measure)
    reach: dict[Any, int] = {}
    for side, kinds in enumerate((first, second)):
        for kind in kinds:
            key = (side, rule.tag(kind))
            reach[key] = max(reach.get(key, 0), kind.length - 1)
    ahead = (
        1 + 2 * sum(reach.values()) if measure.kernel == "one-to-one" else 1 + sum(reach.values())
    )
    return (n + 1.0) * ahead * (len(first) + len(second))


def _numbers(first: Sequence[Kind], second: Sequence[Kind], measure: Match, moments: bool) -> float:
    """Return how many numbers each step of a walk computes."""
    wide = 3 if moments else _most(first, second, measure) + 1
    return wide * math.prod(kind.number + 1.0 for kind in (*first, *second))


Lead: TypeAlias = "tuple[int, Any] | None"
"""Whose segment reaches further, and its tag; ``None`` where both are read equally far."""


def _lead(ahead: Ahead | None) -> Lead:
    return None if ahead is None else (ahead.side, ahead.tag)


def _left(ahead: Ahead | None) -> int:
    return 0 if ahead is None else ahead.left


class _Addition(NamedTuple):
    """What a move adds to the states that it leads to, for all states that it leads evenly on.

    Attributes:
        left: how far one side is ahead in the states that are left.
        then: the lead in the others.
        onto, by: the place of the first of these in its table, and from one to the next.
        taken, given: which part of a state goes to which part of the other.
        factor: with what weight.
        gain: what is added to the match.
        moments: whether the last axis is (1, Σ, Σ²).
    """

    left: slice
    then: Lead
    onto: int
    by: int
    taken: tuple[slice, ...]
    given: tuple[slice, ...]
    factor: float
    gain: float
    moments: bool

    def add(self, table: Floats, states: Floats, row: int) -> None:
        """Add it to the table of its lead; the states and their row are those that are left."""
        part = states[(self.left, *self.taken)] * self.factor
        first = row * table.shape[1] + self.onto
        places = slice(first, first + self.by * (len(part) - 1) + 1, self.by)
        target = table.reshape(-1, *table.shape[2:])[(places, *self.given)]
        add_shifted(target, part, self.gain, self.moments)


def _evenly(
    left: Sequence[int], onto: Sequence[int], other: Sequence[object]
) -> Iterator[tuple[int, int]]:
    """Yield from which to which numbers rise evenly, the first ones by 1, and others are equal.

    >>> [*_evenly([1, 2, 3, 4], [5, 8, 11, 12], "aaaa")]
    [(0, 3), (3, 4)]
    """
    low = 0
    for high in range(1, len(left) + 1):
        if high < len(left) and other[high] == other[low] and left[high] - left[low] == high - low:
            by = onto[low + 1] - onto[low]
            if by > 0 and onto[high] - onto[low] == by * (high - low):
                continue
        yield low, high
        low = high


class _Walk:
    """The walk of two random annotations of given kinds."""

    def __init__(
        self, first: Sequence[Kind], second: Sequence[Kind], rule: Rule, moments: bool
    ) -> None:
        self.sides = (first, second)
        self.rule = rule
        self.moments = moments
        wide = 3 if moments else _most(first, second, rule.measure) + 1
        self.shape = (*(k.number + 1 for k in (*first, *second)), wide)

    def run(self, tokens: Sequence[int]) -> dict[int, Floats]:
        """Return the distribution, or mean and variance, for each of these lengths.

        The states of a lead are a table: how far both are read, how far it is ahead, what is used.
        It holds as many rows as moves reach from here, and as many again, then it moves on.
        """
        moves = self._moves()
        farthest = max(move.step for some in moves.values() for move in some)
        wide: dict[Lead, int] = {}
        for ahead in moves:
            wide[_lead(ahead)] = max(wide.get(_lead(ahead), 0), _left(ahead) + 1)
        additions = self._additions(moves, wide, tokens[-1])
        tables = {lead: np.zeros((2 * farthest, w, *self.shape)) for lead, w in wide.items()}
        tables[None].flat[0] = 1
        ends: dict[int, Floats] = {}
        wanted = set(tokens)
        row = 0
        for p in range(tokens[-1] + 1):
            if row == farthest:
                for table in tables.values():
                    table[:row], table[row:] = table[row:], 0
                row = 0
            if p in wanted:
                all_used = tables[None][(row, 0, *(-1 for _ in self.shape[:-1]))]
                (ends[p],) = results_of(all_used[None], self.moments)
            for lead, some in additions.items():
                for addition in some:
                    addition.add(tables[addition.then], tables[lead][row], row)
            row += 1
        return ends

    def _moves(self) -> dict[Ahead | None, list[Move]]:
        """Return what can follow each state, but for what is used."""
        moves: dict[Ahead | None, list[Move]] = {}
        waiting: list[Ahead | None] = [None]
        while waiting:
            ahead = waiting.pop()
            if ahead not in moves:
                moves[ahead] = [*(self._level() if ahead is None else self._behind(ahead))]
                waiting += [move.then for move in moves[ahead]]
        return moves

    def _additions(
        self, moves: Mapping[Ahead | None, Sequence[Move]], wide: Mapping[Lead, int], n: int
    ) -> dict[Lead, list[_Addition]]:
        """Return what is added from the states of each lead, whose tables are so wide."""
        weights = [self._weight(kinds, n) for kinds in self.sides]
        by_lead: dict[Lead, list[Ahead | None]] = {}
        for ahead in sorted(moves, key=_left):
            by_lead.setdefault(_lead(ahead), []).append(ahead)
        additions: dict[Lead, list[_Addition]] = {lead: [] for lead in by_lead}
        for lead, states in by_lead.items():
            lefts = [_left(ahead) for ahead in states]
            for alike in zip(*(moves[ahead] for ahead in states), strict=True):
                onto = [m.step * wide[_lead(m.then)] + _left(m.then) for m in alike]
                for low, high in _evenly(lefts, onto, [(_lead(m.then), m.gain) for m in alike]):
                    by = onto[low + 1] - onto[low] if high - low > 1 else 1
                    place = slice(lefts[low], lefts[high - 1] + 1), onto[low], by
                    additions[lead].append(self._addition(alike[low], place, weights))
        return additions

    def _addition(
        self, move: Move, place: tuple[slice, int, int], weights: Sequence[float]
    ) -> _Addition:
        left, onto, by = place
        taken, given = one_more(move.used, len(self.shape) - 1)
        return _Addition(
            left,
            _lead(move.then),
            onto,
            by,
            taken,
            given,
            math.prod(weights[i >= len(self.sides[0])] for i in move.used),
            move.gain,
            self.moments,
        )

    def _level(self) -> Iterator[Move]:
        """Yield what can follow where both are read equally far."""
        yield Move(1, None, 0, ())
        first, second = self.sides
        at = len(first)
        for side, kinds in enumerate(self.sides):
            for i, kind in enumerate(kinds):
                ahead = Ahead(side, self.rule.tag(kind), kind.length - 1)
                yield Move(1, ahead if ahead.left else None, 0, (i + at * side,))
        for i, a in enumerate(first):
            for j, b in enumerate(second):
                gain, tag = self.rule.level(a, b)
                left = abs(a.length - b.length)
                then = Ahead(int(b.length > a.length), tag, left) if left else None
                yield Move(min(a.length, b.length), then, gain, (i, at + j))

    def _behind(self, ahead: Ahead) -> Iterator[Move]:
        """Yield what can follow where one side is ahead: what the other one places."""
        rest = ahead._replace(left=ahead.left - 1)
        yield Move(1, rest if rest.left else None, 0, ())
        lags = 1 - ahead.side
        for i, kind in enumerate(self.sides[lags]):
            gain, tag, own_tag = self.rule.later(ahead, kind)
            more = kind.length - ahead.left
            then = None
            if more < 0:
                then = Ahead(ahead.side, tag, -more)
            elif more > 0:
                then = Ahead(lags, own_tag, more)
            step = min(kind.length, ahead.left)
            yield Move(step, then, gain, (i + len(self.sides[0]) * lags,))

    def _weight(self, kinds: Sequence[Kind], n: int) -> float:
        """Return a factor for each segment placed, such that all ways together count about 1.

        It is a power of 2, so it changes no digit.
        """
        placed = sum(kind.number for kind in kinds)
        slots = n - sum((kind.length - 1) * kind.number for kind in kinds)
        logs = math.lgamma(slots + 1) - math.lgamma(slots - placed + 1)
        logs -= sum(math.lgamma(kind.number + 1) for kind in kinds)
        return 2.0 ** round(-logs / max(placed, 1) / math.log(2))
