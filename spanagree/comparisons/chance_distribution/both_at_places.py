"""The match of two random annotations that keep the kinds of their places, read from the left.

The walk of :mod:`spanagree.comparisons.chance_distribution.walk_both` with other steps: a segment
goes from the start to the end of one of its kind's places. Places are of the text, so documents are
walked one by one.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.comparisons.chance_distribution.pieces import OTHER, Pieces, Side, with_arranged
from spanagree.comparisons.chance_distribution.walk_at_places import fixed_walk_at_places
from spanagree.comparisons.chance_distribution.walk_tables import (
    add_shifted,
    mixture,
    one_more,
    results_of,
)
from spanagree.comparisons.measures import Match, turned

_MOVE = 50  # numbers, for the cost of a move


class Alike(NamedTuple):
    """Segments of one side that are alike: their label, number, and where they end by start."""

    label: int
    number: int
    ends: dict[int, list[int]]


def alike_of(side: Side, kinds: PlaceKinds, there: set[int]) -> list[Alike]:
    """Return the segments of one side that are alike, by kind and label.

    Those of other labels than are ``there`` on both sides can match nothing.
    """
    labels = [label if label in there else OTHER for label in side.label.tolist()]
    counts = Counter(zip(side.kind.tolist(), labels, strict=True))
    result = []
    for (kind, label), number in sorted(counts.items()):
        here = slice(int(kinds.first[kind]), int(kinds.first[kind + 1]))
        ends: dict[int, list[int]] = {}
        for s, e in zip(kinds.start[here].tolist(), kinds.end[here].tolist(), strict=True):
            ends.setdefault(s, []).append(e)
        result.append(Alike(label, number, ends))
    return result


Stage: TypeAlias = "tuple[int, bool]"
"""Up to which border both sides are read, and whether one of them is read further."""


class Move(NamedTuple):
    """What can follow a state.

    Attributes:
        used: the axes of the kinds of which a segment is placed.
        gain: what is matched by it.
        stage: of the state that it leads to.
        state: what else that state is.
    """

    used: tuple[int, ...]
    gain: float
    stage: Stage
    state: Any


class WalkOfTwo(ABC):
    """A walk of two random annotations of one piece, over the borders of their places.

    A table belongs to each state, with an axis for each kind: how many of its segments are placed.

    Attributes:
        sides: the segments of either annotation.
        borders: where places start or end, in order.
        following: of each border, the next one.
        shape: of a table.
    """

    def __init__(self, sides: Sequence[Sequence[Alike]], wide: int) -> None:
        """Prepare tables whose last axis is so wide."""
        self.sides = sides
        borders = {
            border
            for kind in itertools.chain(*sides)
            for start, ends in kind.ends.items()
            for border in (start, *ends)
        }
        self.borders = sorted(borders)
        self.following = dict(itertools.pairwise(self.borders))
        self.shape = (*(kind.number + 1 for kind in itertools.chain(*sides)), wide)
        scales = [_scale(kinds) for kinds in sides]
        self._weights = np.repeat(scales, [len(kinds) for kinds in sides]).tolist()  # of each axis

    @abstractmethod
    def moves(self, stage: Stage, state: Any) -> Iterator[Move]:
        """Yield what can follow a state."""

    def run(
        self, first: Any, moments: bool, budget: float = math.inf, move_costs: int = 0
    ) -> Floats | None:
        """Return in how many ways each match comes about, or the moments; up to a factor.

        Args:
            first: the state in which nothing is read.
            moments: whether tables hold moments.
            budget: how many numbers may be computed; ``None`` is returned if that is not enough.
            move_costs: as how many numbers a move counts at least.
        """
        size = math.prod(self.shape)
        work = float(len(self.borders) * size)
        if work > budget:  # of many kinds one table alone may be too large
            return None
        start = np.zeros(self.shape)
        start.flat[0] = 1
        states: dict[Stage, dict[Any, Floats]] = defaultdict(dict)
        states[self.borders[0], False][first] = start
        for stage in itertools.product(self.borders[:-1], (False, True)):
            for state, ways in states.pop(stage, {}).items():
                for move in self.moves(stage, state):
                    work += max(size, move_costs)
                    there = states[move.stage]
                    if move.state not in there:
                        there[move.state] = np.zeros(self.shape)
                    self._add(there[move.state], ways, move, moments)
                if work > budget:
                    return None
        everything_used = tuple(-1 for _ in self.shape[:-1])
        ends = states[self.borders[-1], False].values()
        return np.asarray(np.sum([table[everything_used] for table in ends], axis=0))

    def _add(self, target: Floats, ways: Floats, move: Move, moments: bool) -> None:
        """Add what comes of a move to the state that it leads to."""
        if move.used:
            before, after = one_more(move.used, len(self.shape) - 1)
            weight = math.prod(self._weights[axis] for axis in move.used)
            target, ways = target[after], ways[before] * weight
        add_shifted(target, ways, move.gain, moments)


def _scale(kinds: Sequence[Alike]) -> float:
    """Return a factor for each segment placed, a power of 2, with which ways do not grow."""
    placed = sum(kind.number for kind in kinds)
    logs = sum(
        kind.number * math.log(sum(map(len, kind.ends.values()))) - math.lgamma(kind.number + 1)
        for kind in kinds
    )
    return 2.0 ** round(-logs / max(placed, 1) / math.log(2))


class _Ahead(NamedTuple):
    """The side that is read further: to which border, and what its segment there still needs.

    The tag is its start and label, as far as the measure asks; ``None`` where nothing that comes
    can add to the match.
    """

    side: int
    until: int
    tag: tuple[int, int] | None


def both_walk_at_places(
    pieces: Pieces, kinds: PlaceKinds, measure: Match, budget: float, moments: bool,
    steps: float = math.inf,
) -> list[Floats | None]:  # fmt: skip
    """Return the distribution of each piece's match, with A and B random at their places.

    Args, result: as of :func:`fixed_walk_at_places`; segments of one side and piece exclude each
    other. A walk may take so many steps at the most.
    """
    results: list[Floats | None] = []
    for number in range(len(pieces)):
        sides = [side.of_piece(number) for side in (pieces.a, pieces.b)]
        there = set(sides[0].label.tolist()) & set(sides[1].label.tolist())
        if not there:
            results.append(np.zeros(2) if moments else np.ones(1))
            continue
        alike = [alike_of(side, kinds, there) for side in sides]
        walk = _BothWalk(alike, measure, moments)
        taken = walk.steps()
        within = taken <= steps and taken * max(math.prod(walk.shape), _MOVE) <= budget
        results.append(walk.result() if within else None)
    return results


class _BothWalk(WalkOfTwo):
    """The walk for measures that need to know of one segment at most: the one that is ahead.

    A state is that of :class:`_Ahead`; ``None`` where both sides are read equally far.
    """

    def __init__(self, sides: Sequence[Sequence[Alike]], measure: Match, moments: bool) -> None:
        super().__init__(sides, 3 if moments else _most(sides, measure) + 1)
        self.measure, self.moments = measure, moments

    def steps(self) -> float:
        """Return about how many steps the walk takes."""
        number = {border: i for i, border in enumerate(self.borders)}
        begin, over = np.zeros((2, 2, len(self.borders) + 1))
        for side, kinds in enumerate(self.sides):
            for kind in kinds:
                for s, ends in kind.ends.items():
                    begin[side, number[s]] += len(ends)
                    for e in ends:
                        over[side, number[s] + 1] += 1
                        over[side, number[e]] -= 1
        over = np.cumsum(over, axis=1)
        moves = (1 + begin[0]) * (1 + begin[1])
        moves += over[0] * (1 + begin[1]) + over[1] * (1 + begin[0])
        return float(moves.sum())

    def result(self) -> Floats:
        """Return the distribution, or mean and variance."""
        ways = self.run(None, self.moments)
        assert ways is not None  # without a budget
        (result,) = results_of(ways[None], self.moments)
        return result

    def moves(self, stage: Stage, state: _Ahead | None) -> Iterator[Move]:
        """Yield what can follow a state."""
        p = stage[0]
        return self._level(p) if state is None else self._behind(p, state)

    def _level(self, p: int) -> Iterator[Move]:
        """Yield what can follow where both are read equally far."""
        following = self.following[p]
        yield _move((), 0, following, None)
        for side in (0, 1):
            for axis, e, label in self._placed(side, p):
                yield _move((axis,), 0, following, _Ahead(side, e, self._tag(p, label)))
        for i, e, label in self._placed(0, p):
            for j, f, other in self._placed(1, p):
                gain = self._gain(0, (p, e, label), (p, f, other))
                longer = _Ahead(0, e, self._tag(p, label))
                if f > e:
                    longer = _Ahead(1, f, self._tag(p, other))
                if gain and self.measure.kernel == "one-to-one":
                    longer = longer._replace(tag=None)
                yield _move((i, j), gain, min(e, f), longer)

    def _behind(self, p: int, ahead: _Ahead) -> Iterator[Move]:
        """Yield what can follow where one side is ahead: what the other one places."""
        q = ahead.until
        yield _move((), 0, self.following[p], ahead)
        lags = 1 - ahead.side
        for axis, e, label in self._placed(lags, p):
            tag, own_tag, gain = ahead.tag, self._tag(p, label), 0.0
            if tag is not None and own_tag is not None:
                gain = self._gain(ahead.side, (tag[0], q, tag[1]), (p, e, label))
            if gain and self.measure.kernel == "one-to-one":
                tag = own_tag = None
            then = ahead._replace(tag=tag) if e < q else _Ahead(lags, e, own_tag)
            yield _move((axis,), gain, min(e, q), then)

    def _placed(self, side: int, p: int) -> Iterator[tuple[int, int, int]]:
        """Yield axis, end and label of each segment of a side that can be placed at p."""
        for axis, kind in enumerate(self.sides[side], side * len(self.sides[0])):
            for e in kind.ends.get(p, ()):
                yield axis, e, kind.label

    def _tag(self, start: int, label: int) -> tuple[int, int] | None:
        """Return what has to be known of a segment while what comes can add to the match."""
        measure = self.measure
        if measure.kernel == "equal" or label == OTHER:
            return None
        any_start = measure.kernel == "cover" or (
            measure.kernel == "one-to-one" and not measure.share
        )
        return (0 if any_start else start), label

    def _gain(
        self, side: int, segment: tuple[int, int, int], following: tuple[int, int, int]
    ) -> float:
        """Return what two segments, each start, end and label, add; ``segment`` is of ``side``.

        Where the start does not matter, only what lies behind that of the other one counts.
        """
        if segment[2] != following[2] or segment[2] == OTHER:
            return 0
        first, second = (segment, following) if side == 0 else (following, segment)
        if self.measure.kernel == "cover":
            return min(segment[1], following[1]) - following[0]
        offset, a, b = second[0] - first[0], first[1] - first[0], second[1] - second[0]
        lengths = (np.array([x]) for x in (offset, a, b))
        return self.measure.phi(*lengths)[0].item()


def _move(used: tuple[int, ...], gain: float, border: int, ahead: _Ahead | None) -> Move:
    """Return a move after which both sides are read up to a border, and one perhaps further."""
    if ahead is not None and ahead.until == border:
        ahead = None
    return Move(used, gain, (border, ahead is not None), ahead)


def _most(sides: Sequence[Sequence[Alike]], measure: Match) -> int:
    """Return an upper bound of the match."""
    sizes = []
    for kinds in sides:
        size = 0
        for kind in kinds:
            if kind.label != OTHER:
                longest = max(e - s for s, ends in kind.ends.items() for e in ends)
                size += kind.number * (longest if measure.in_tokens else 1)
        sizes.append(size)
    return min(sizes)


# --- both random, where pairs may share a segment ------------------------------------------------


def both_random_at_places(
    pieces: Pieces, kinds: PlaceKinds, measure: Match, chance: str, budget: float, moments: bool
) -> list[Floats | None]:
    """Return the distribution of each piece's match, with A and B random, under any chance model.

    Args, result: as of :func:`fixed_walk_at_places`.
    """
    if chance == "nonoverlapping" or (chance == "per-label" and measure.of_label):
        return both_walk_at_places(pieces, kinds, measure, budget, moments)
    return [
        _enumerated(pieces.some(np.array([piece])), kinds, measure, budget, moments)
        for piece in range(len(pieces))
    ]


def _enumerated(
    piece: Pieces, kinds: PlaceKinds, measure: Match, budget: float, moments: bool
) -> Floats | None:
    """Return the same of one piece: every arrangement of one side is written out."""
    ways = [_number(side, kinds) for side in (piece.a, piece.b)]
    swapped = ways[1] < ways[0]
    fixed, random = (piece.b, piece.a) if swapped else (piece.a, piece.b)
    places = float(kinds.places[random.kind].sum())
    if min(ways) * (places + len(fixed)) * len(random) > budget:
        return None
    starts, ends = np.moveaxis(np.array(_arrangements(fixed, kinds), np.int64), 2, 0)
    if swapped:
        measure = turned(measure)
    arranged = with_arranged(piece, swap=swapped, starts=starts, lengths=ends - starts)
    return mixture(fixed_walk_at_places(arranged, kinds, measure, budget, moments), moments)


def _number(side: Side, kinds: PlaceKinds) -> float:
    """Return how many arrangements a side has at most."""
    return math.exp(min(float(np.log(kinds.places[side.kind]).sum()), 700))


def _arrangements(side: Side, kinds: PlaceKinds) -> list[list[tuple[int, int]]]:
    """Return start and end of a side's segments in every arrangement, segments being distinct."""
    choices = []
    for kind in side.kind.tolist():
        here = slice(int(kinds.first[kind]), int(kinds.first[kind + 1]))
        columns = kinds.start[here].tolist(), kinds.end[here].tolist()
        choices.append(list(zip(*columns, strict=True)))
    group = side.group.tolist()
    arranged: list[list[tuple[int, int]]] = [[]]
    for i, places in enumerate(choices):
        before = [j for j in range(i) if group[j] == group[i]]
        arranged = [
            [*chosen, (s, e)]
            for chosen in arranged
            for s, e in places
            if all(e <= chosen[j][0] or chosen[j][1] <= s for j in before)
        ]
    return arranged
