"""One-to-one matches within a tolerance of random annotations that keep the kinds of their places.

The walk of :mod:`spanagree.chance.near_matches` with other steps: a segment goes from the start to
the end of one of its kind's places. An annotation that stays as it is has one place for each
segment. A tolerance may count words: a segment stands then at the words that it touches. Where
random segments go from edge to edge of these words, the walk is that of tokens, over words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.near_matches import (
    Span,
    both_random,
    count_lengths,
    one_random,
    take_pairs,
)
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.place_rules import WordRule
from spanagree.comparisons.chance_distribution.both_at_places import (
    Alike,
    Move,
    Stage,
    WalkOfTwo,
    alike_of,
)
from spanagree.comparisons.chance_distribution.pieces import OTHER, Pieces, Side

_MOVE = 100  # numbers, for the cost of a move


_Waiting: TypeAlias = "tuple[tuple[Span, ...], tuple[Span, ...]]"


class _State(NamedTuple):
    """Up to which border either side is read, and which segments still wait for a partner."""

    until: tuple[int, int]
    waiting: _Waiting


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
    of_a, of_b = (count_lengths(kinds.taken[x.kind], x.label == label)[0] for x in (a, b))
    if fixed:
        here = a.label == label
        start, end = a.start[here], (a.start + a.length)[here]
        spans = np.stack(words.in_words(np.full(len(start), document), start, end), axis=1)
        fixed_spans = tuple(map(tuple, (spans - words.words[document]).tolist()))
        p = one_random(n, fixed_spans, of_b, t, budget)
    else:
        p = both_random(n, of_a, of_b, t, budget)
    return None if p is None else np.array([p @ np.arange(len(p))])


class _Walk(WalkOfTwo):
    """The walk of two annotations of one piece, in which at most one label can match.

    The side that is behind goes on; where both are read equally far, the first one does.
    """

    def __init__(
        self,
        sides: tuple[Sequence[Alike], Sequence[Alike]],
        t: int,
        words: WordRule | None,
        document: int,
    ) -> None:
        super().__init__(sides, 2)
        self.t = t
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
        first = self.borders[0]
        ways = self.run(_State((first, first), ((), ())), True, budget, _MOVE)
        return None if ways is None else ways[1:] / ways[0]

    def moves(self, stage: Stage, state: _State) -> Iterator[Move]:
        """Yield what the side that is behind can do."""
        side = 0 if state.until[0] <= state.until[1] else 1
        at = state.until[side]
        yield self._move((), 0, self._read_on(state, side, self.following[at], state.waiting))
        axis = len(self.sides[0]) * side
        for number, kind in enumerate(self.sides[side], axis):
            for end in kind.ends.get(at, ()):
                pairs, waiting = 0, state.waiting
                if kind.label != OTHER:
                    a, b = waiting
                    span = self.counted[at][0], self.counted[end][1]
                    a, b = ((*a, span), b) if side == 0 else (a, (*b, span))
                    pairs, i, j = take_pairs(a, b, self.t)
                    waiting = a[i:], b[j:]
                yield self._move((number,), pairs, self._read_on(state, side, end, waiting))

    @staticmethod
    def _move(used: tuple[int, ...], pairs: int, state: _State) -> Move:
        a, b = state.until
        return Move(used, pairs, (min(a, b), a != b), state)

    def _read_on(self, state: _State, side: int, border: int, waiting: _Waiting) -> _State:
        """Return the state after a side was read on, with those who can still find a partner."""
        then = (border, state.until[1]) if side == 0 else (state.until[0], border)
        a, b = (
            tuple(x for x in some if x[0] >= start - self.t and x[1] >= least - self.t)
            for some, (start, _, least) in zip(
                waiting, (self.counted[border] for border in then[::-1]), strict=True
            )
        )
        return _State(then, (a, b))
