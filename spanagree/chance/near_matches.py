"""Segments that match if their borders differ by a few tokens at most, each in one pair.

Two segments of the same label are *near* if their starts differ by at most t tokens and their ends
too. Segments of an annotation that share no tokens have their starts and ends in the same order, so
the greatest number of pairs is found from the left: take the next two if they are near; else drop
each that is more than t tokens too early, at its start or its end, perhaps both. This needs only
the segments that still wait for a partner, so both annotations can be read at once, from the left.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.walk import OTHER, Annotation, Option, Walk, add_ways

Span: TypeAlias = tuple[int, int]
"""Start and end."""

_OPTION = 25  # numbers, as the least cost of an option

_State: TypeAlias = "tuple[tuple[int, int], tuple[tuple[Span, ...], tuple[Span, ...]]]"
"""Border up to which either annotation is read, and the segments that wait for a partner."""


def take_pairs(a: Sequence[Span], b: Sequence[Span], t: int) -> tuple[int, int, int]:
    """Count the pairs taken from the left, and the segments of A and of B that are done with.

    >>> take_pairs([(0, 2), (5, 6)], [(1, 2), (3, 4)], 1)
    (1, 1, 2)
    """
    i = j = pairs = 0
    while i < len(a) and j < len(b):
        start, end = a[i][0] - b[j][0], a[i][1] - b[j][1]
        if abs(start) <= t and abs(end) <= t:
            i, j, pairs = i + 1, j + 1, pairs + 1
            continue
        early_a, early_b = min(start, end) < -t, max(start, end) > t
        i, j = i + early_a, j + early_b
    return pairs, i, j


class NearWalk(Walk):
    """The walk for segments within a tolerance; one label can match at most."""

    def __init__(
        self,
        first: Annotation,
        second: Annotation,
        within: int,
        width: int,
        *,
        moments: bool,
        counted: tuple[Sequence[int], Sequence[int], Sequence[int]] | None = None,
        more_borders: Collection[int] = (),
    ) -> None:
        """Prepare the walk.

        Args:
            first, second: both annotations.
            within: greatest difference of starts, and of ends.
            width: width of the tables' last axis.
            moments: if True, tables hold moments.
            counted: for each border, its position as a start and as an end in the unit of the
                tolerance, and the least end of a segment that begins there. Default: tokens.
            more_borders: borders in addition to those of places.
        """
        super().__init__(first, second, width, moments=moments, more_borders=more_borders)
        self.within = within
        if counted is None:
            counted = self.borders, self.borders, [border + 1 for border in self.borders]
        self.counted = counted

    def run(self, borders: Collection[int], budget: float = math.inf) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border.

        Args:
            borders: borders for which ways are counted.
            budget: number of numbers that may be computed; borders that need more are missing.
        """
        wanted = {self.index[border] for border in borders}
        size = math.prod(self.shape)
        costs, work = np.zeros(len(self.borders)), 0.0  # up to each border, whatever comes behind
        everything_placed = tuple(-1 for _ in self.shape[:-1])
        found: dict[int, Floats] = {}
        if size > budget:
            return found
        start = np.zeros(self.shape)
        start.flat[0] = 1
        tables: dict[tuple[int, int], dict[_State, Floats]] = defaultdict(dict)  # border, side
        tables[0, 0][(0, 0), ((), ())] = start
        options = [
            _with_long_gaps(of_side, wanted) if annotation.is_fixed else of_side
            for annotation, of_side in zip(self.annotations, self.options, strict=True)
        ]
        for i in range(max(wanted, default=-1) + 1):
            work += costs[i]
            if work > budget:
                break
            if i in wanted:
                level = (x for (until, _), x in tables[i, 0].items() if until == (i, i))
                found[self.borders[i]] = np.asarray(sum(x[everything_placed] for x in level))
            if i == len(self.borders) - 1:
                break
            for side in (0, 1):
                for state, ways in tables.pop((i, side), {}).items():
                    for option in options[side][i]:
                        pairs, then = self._placed(state, side, option)
                        tables_there = tables[min(then[0]), int(then[0][0] > then[0][1])]
                        if then not in tables_there:
                            tables_there[then] = np.zeros(self.shape)
                        target, part = tables_there[then], ways
                        if option.axis is not None:
                            before = (slice(None),) * option.axis
                            target = target[(*before, slice(1, None))]
                            part = part[(*before, slice(None, -1))] * option.weight
                        add_ways(target, part, pairs, self.moments)
                        costs[max(then[0])] += max(size, _OPTION)
        return found

    def _placed(self, state: _State, side: int, option: Option) -> tuple[int, _State]:
        """Compute the pairs that an option adds, and the state that it leads to."""
        until, waiting = state
        pairs = 0
        if option.label != OTHER:
            span = self.counted[0][option.start], self.counted[1][option.end]
            a, b = waiting
            a, b = ((*a, span), b) if side == 0 else (a, (*b, span))
            pairs, i, j = take_pairs(a, b, self.within)
            waiting = a[i:], b[j:]
        then = (option.end, until[1]) if side == 0 else (until[0], option.end)
        if waiting == ((), ()):
            return pairs, (then, waiting)
        # whoever waits needs a partner that the other annotation has yet to place
        return pairs, (then, (self._still(waiting[0], then[1]), self._still(waiting[1], then[0])))

    def _still(self, waiting: tuple[Span, ...], i: int) -> tuple[Span, ...]:
        """Return the segments that one which starts at a border, index ``i``, or later can meet."""
        start, end = self.counted[0][i] - self.within, self.counted[2][i] - self.within
        return tuple(x for x in waiting if x[0] >= start and x[1] >= end)


def _with_long_gaps(
    options: Sequence[Sequence[Option]], wanted: Collection[int]
) -> list[list[Option]]:
    """Let a fixed annotation leave a gap up to its next segment that can match.

    Args:
        options: for each border, the option of the annotation.
        wanted: indices of borders at which gaps end too.
    """
    longer: list[list[Option]] = []
    stop = len(options)
    for i, (option,) in reversed([*enumerate(options)]):
        is_gap = option.label == OTHER
        longer.append([option._replace(end=max(option.end, stop)) if is_gap else option])
        if not is_gap or i in wanted:
            stop = i
    return longer[::-1]
