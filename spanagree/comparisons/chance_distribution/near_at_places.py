"""One-to-one matches within a tolerance of random annotations that keep the kinds of their places.

The walk of :mod:`spanagree.chance.near_matches` with other steps: a segment goes from the start to
the end of one of its kind's places. An annotation that stays as it is has one place for each
segment. A tolerance may count words: a segment stands then at the words that it touches. Where
random segments go from edge to edge of these words, the walk is that of tokens, over words.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.near_matches import Lengths, Span, both_random, one_random, take_pairs
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.place_rules import WordRule
from spanagree.comparisons.chance_distribution.pieces import OTHER, Pieces, Side
from spanagree.comparisons.chance_distribution.walk_at_places import Alike, alike_of

_MOVE = 100  # numbers, for the cost of a move


class _State(NamedTuple):
    """Up to which border either side is read, and which segments still wait for a partner."""

    until: tuple[int, int]
    waiting: tuple[tuple[Span, ...], tuple[Span, ...]]


def near_walk_at_places(
    pieces: Pieces,
    kinds: PlaceKinds,
    t: int,
    budget: float,
    words: WordRule | None,
    *,
    at_words: bool,
    fixed: bool,
) -> list[Floats | None]:
    """Return the mean number of pairs of each piece, one number; ``None`` for too much work.

    Args:
        pieces: parts of documents; segments of one side and piece exclude each other.
        kinds: of the places of their segments.
        t: by how many tokens the borders may differ, or by how many words.
        budget: how many numbers may be computed for a piece.
        words: where words stand, if it is these.
        at_words: the rule of places is that of the words.
        fixed: A stays as it is.
    """
    means: list[Floats | None] = []
    for number in range(len(pieces)):
        a, b = (side.of_piece(number) for side in (pieces.a, pieces.b))
        there = set(a.label.tolist()) & set(b.label.tolist())
        random = (b,) if fixed else (a, b)
        if at_words and words and there and all((kinds.taken[x.kind] > 0).all() for x in random):
            means.append(_over_words(a, b, min(there), kinds, t, budget, words, fixed=fixed))
            continue
        sides = alike_of(a, kinds, there), alike_of(b, kinds, there)
        if fixed:
            spans = zip(a.start.tolist(), (a.start + a.length).tolist(), strict=True)
            ends = {
                start: [end]
                for (start, end), label in zip(spans, a.label.tolist(), strict=True)
                if label in there
            }
            sides = [Alike(min(there, default=OTHER), len(ends), ends)], sides[1]
        document = int(kinds.document[a.kind[0]])
        means.append(_Walk(sides, t, words, document).mean(budget) if there else np.zeros(1))
    return means


def _over_words(
    a: Side,
    b: Side,
    label: int,
    kinds: PlaceKinds,
    t: int,
    budget: float,
    words: WordRule,
    *,
    fixed: bool,
) -> Floats | None:
    """Return the mean number of pairs of a piece whose random segments take whole words."""
    n, document = int(kinds.slots[b.kind[0]]), int(kinds.document[b.kind[0]])
    counts = [
        Counter(zip(kinds.taken[x.kind].tolist(), (x.label == label).tolist(), strict=True))
        for x in (a, b)
    ]
    of_a, of_b = (
        tuple(Lengths(*kind, many) for kind, many in sorted(numbers.items())) for numbers in counts
    )
    if fixed:
        here = a.label == label
        start, end = a.start[here], (a.start + a.length)[here]
        spans = np.stack(words.in_words(np.full(len(start), document), start, end), axis=1)
        fixed_spans = tuple(map(tuple, (spans - words.words[document]).tolist()))
        p = one_random(n, fixed_spans, of_b, t, budget)
    else:
        p = both_random(n, of_a, of_b, t, budget)
    return None if p is None else np.array([p @ np.arange(len(p))])


class _Walk:
    """The walk of two annotations of one piece, in which at most one label can match."""

    def __init__(
        self,
        sides: tuple[Sequence[Alike], Sequence[Alike]],
        t: int,
        words: WordRule | None,
        document: int,
    ) -> None:
        self.sides, self.t = sides, t
        self.shape = (*(kind.number + 1 for kind in itertools.chain(*sides)), 2)
        borders = {
            border
            for kind in itertools.chain(*sides)
            for start, ends in kind.ends.items()
            for border in (start, *ends)
        }
        self.borders = sorted(borders)
        self.following = dict(itertools.pairwise(self.borders))
        self.scale = [_scale(kinds) for kinds in sides]
        # where what begins or ends at a border does so, and where what begins there ends at least
        start = end = np.array(self.borders)
        least = end + 1
        if words is not None:
            where = np.full(len(start), document)
            least = words.in_words(where, start, end + 1)[1]
            start, end = words.in_words(where, start, end)
        counted = zip(start.tolist(), end.tolist(), least.tolist(), strict=True)
        self.counted = dict(zip(self.borders, counted, strict=True))

    def mean(self, budget: float) -> Floats | None:
        """Return the mean number of pairs; ``None`` if it takes more numbers than the budget."""
        size = math.prod(self.shape)
        work = float(len(self.borders) * size)
        if work > budget:  # of many kinds one table alone may be too large
            return None
        start = np.zeros(self.shape)  # how many arrangements, and pairs in all of them
        start.flat[0] = 1
        first = self.borders[0]
        states: dict[int, dict[_State, Floats]] = defaultdict(dict)  # by what both are read up to
        states[first][_State((first, first), ((), ()))] = start
        for p in self.borders[:-1]:
            here = states.pop(p, {})
            for level in (True, False):  # where both are read equally far, A goes on
                for state in [x for x in here if (x.until == (p, p)) is level]:
                    ways = here.pop(state)
                    for axis, pairs, then in self._moves(state):
                        work += max(size, _MOVE)
                        read = min(then.until)
                        self._add(here if read == p else states[read], then, ways, axis, pairs)
                    if work > budget:
                        return None
        ends = states[self.borders[-1]].values()
        ways = np.sum([table[(*(-1 for _ in self.shape[:-1]),)] for table in ends], axis=0)
        return np.asarray(ways[1:] / ways[0])

    def _moves(self, state: _State) -> Iterator[tuple[int | None, int, _State]]:
        """Yield what the side that is behind can do: the axis of its kind, the pairs, the state."""
        side = 0 if state.until[0] <= state.until[1] else 1
        at = state.until[side]
        yield None, 0, self._state(state.until, side, self.following[at], state.waiting)
        axis = len(self.sides[0]) * side
        for number, kind in enumerate(self.sides[side], axis):
            for end in kind.ends.get(at, ()):
                if kind.label == OTHER:
                    yield number, 0, self._state(state.until, side, end, state.waiting)
                    continue
                a, b = state.waiting
                span = self.counted[at][0], self.counted[end][1]
                a, b = ((*a, span), b) if side == 0 else (a, (*b, span))
                pairs, i, j = take_pairs(a, b, self.t)
                yield number, pairs, self._state(state.until, side, end, (a[i:], b[j:]))

    def _state(
        self,
        until: tuple[int, int],
        side: int,
        border: int,
        waiting: tuple[tuple[Span, ...], tuple[Span, ...]],
    ) -> _State:
        """Return the state after a side was read on, with those who can still find a partner."""
        then = (border, until[1]) if side == 0 else (until[0], border)
        a, b = (
            tuple(x for x in some if x[0] >= start - self.t and x[1] >= least - self.t)
            for some, (start, _, least) in zip(
                waiting, (self.counted[border] for border in then[::-1]), strict=True
            )
        )
        return _State(then, (a, b))

    def _add(
        self, states: dict[_State, Floats], then: _State, ways: Floats, axis: int | None, pairs: int
    ) -> None:
        """Add what comes of a move to the state that it leads to."""
        target = states.setdefault(then, np.zeros(self.shape))
        if axis is None:
            target += ways
            return
        taken = tuple(slice(None, -1) if i == axis else slice(None) for i in range(axis + 1))
        onto = tuple(slice(1, None) if i == axis else slice(None) for i in range(axis + 1))
        part = ways[taken] * self.scale[axis >= len(self.sides[0])]
        part[..., 1] += pairs * part[..., 0]
        target[onto] += part


def _scale(kinds: Sequence[Alike]) -> float:
    """Return a factor for each segment, a power of 2, with which ways do not grow."""
    placed = sum(kind.number for kind in kinds)
    logs = sum(
        kind.number * math.log(sum(map(len, kind.ends.values()))) - math.lgamma(kind.number + 1)
        for kind in kinds
    )
    return 2.0 ** round(-logs / max(placed, 1) / math.log(2))
