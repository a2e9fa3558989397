"""The walk for one-to-one matches of segments with borders that differ by at most t tokens.

Two segments of the same label are *near* if both |s₁ − s₂| ≤ t and |e₁ − e₂| ≤ t, for starts s and
ends e. Starts and ends of segments that share no tokens are in the same order, so the largest
number of pairs is found from the left: pair the next two segments if they are near; else drop each
one that starts or ends more than t tokens too early, or both. This needs only the *waiting*
segments, which have no partner yet and may be near a later segment. So both annotations can be read
together from the left (:mod:`spanagree.chance.walk`). Tables are shaped by the numbers of placed
segments of each kind, and by match or moment.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.walk import OTHER, SegmentSequence, Walk, WalkOption, add_ways

Span: TypeAlias = tuple[int, int]
"""Start and end of a segment."""

_OPTION = 25  # smallest cost of an option, in table cells

_State: TypeAlias = "tuple[tuple[int, int], tuple[tuple[Span, ...], tuple[Span, ...]]]"
"""Border up to which each annotation is read, and the segments that wait for a partner."""


def take_pairs(a: Sequence[Span], b: Sequence[Span], t: int) -> tuple[int, int, int]:
    """Pair near segments of A and B from the left; segments are sorted.

    Args:
        a, b: start and end of each segment of A and of B, sorted.
        t: largest difference of starts, and of ends.

    Returns:
        Number of pairs, and numbers of paired or dropped segments of A and of B.

    >>> take_pairs([(0, 2), (5, 6)], [(1, 2), (3, 4)], 1)
    (1, 1, 2)
    """
    i = j = n_pairs = 0
    while i < len(a) and j < len(b):
        start_difference, end_difference = a[i][0] - b[j][0], a[i][1] - b[j][1]
        if abs(start_difference) <= t and abs(end_difference) <= t:
            i, j, n_pairs = i + 1, j + 1, n_pairs + 1
            continue
        a_is_early, b_is_early = (
            min(start_difference, end_difference) < -t,
            max(start_difference, end_difference) > t,
        )
        i, j = i + a_is_early, j + b_is_early
    return n_pairs, i, j


class NearWalk(Walk):
    """The walk for segments within a tolerance; only the segments of one label can match."""

    def __init__(
        self,
        first: SegmentSequence,
        second: SegmentSequence,
        within: int,
        width: int,
        *,
        moments: bool,
        counted_borders: tuple[Sequence[int], Sequence[int], Sequence[int]] | None = None,
        more_borders: Collection[int] = (),
    ) -> None:
        """Prepare the walk.

        Args:
            first: first annotation.
            second: second annotation.
            within: tolerance t, the largest difference of starts, and of ends.
            width: length of the last axis of tables.
            moments: True if tables contain moments.
            counted_borders: position of each border as a start and as an end, in the unit of the
                tolerance, and the smallest end of a segment that begins at it. Default: tokens.
            more_borders: borders in addition to the borders of places.
        """
        super().__init__(first, second, width, moments=moments, more_borders=more_borders)
        self.within = within
        if counted_borders is None:
            counted_borders = self.borders, self.borders, [border + 1 for border in self.borders]
        self.counted_borders = counted_borders

    def run(self, borders: Collection[int], budget: float = math.inf) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border.

        Args:
            borders: borders for which ways are counted.
            budget: largest number of computed table cells.

        Returns:
            Number of ways by border; borders that exceed the budget are missing.
        """
        border_indices = {self.index[border] for border in borders}
        table_size = math.prod(self.shape)
        # cost of all steps up to each border
        cost_up_to, total_cost = (
            np.zeros(len(self.borders)),
            0.0,
        )
        all_placed = tuple(-1 for _ in self.shape[:-1])
        ways_by_border: dict[int, Floats] = {}
        if table_size > budget:
            return ways_by_border
        start = np.zeros(self.shape)
        start.flat[0] = 1
        # by border and annotation
        tables: dict[tuple[int, int], dict[_State, Floats]] = defaultdict(dict)
        tables[0, 0][(0, 0), ((), ())] = start
        options = [
            _extend_gaps(annotation_options, border_indices)
            if annotation.is_fixed
            else annotation_options
            for annotation, annotation_options in zip(self.annotations, self.options, strict=True)
        ]
        for i in range(max(border_indices, default=-1) + 1):
            total_cost += cost_up_to[i]
            if total_cost > budget:
                break
            if i in border_indices:
                finished_tables = (
                    table for (read_up_to, _), table in tables[i, 0].items() if read_up_to == (i, i)
                )
                ways_by_border[self.borders[i]] = np.asarray(
                    sum(table[all_placed] for table in finished_tables)
                )
            if i == len(self.borders) - 1:
                break
            for annotation_index in (0, 1):
                for state, n_ways in tables.pop((i, annotation_index), {}).items():
                    for option in options[annotation_index][i]:
                        pairs, next_state = self._place_segment(state, annotation_index, option)
                        tables_there = tables[
                            min(next_state[0]), int(next_state[0][0] > next_state[0][1])
                        ]
                        if next_state not in tables_there:
                            tables_there[next_state] = np.zeros(self.shape)
                        target, source = tables_there[next_state], n_ways
                        if option.axis is not None:
                            leading_axes = (slice(None),) * option.axis
                            target = target[(*leading_axes, slice(1, None))]
                            source = source[(*leading_axes, slice(None, -1))] * option.weight
                        add_ways(target, source, pairs, self.moments)
                        cost_up_to[max(next_state[0])] += max(table_size, _OPTION)
        return ways_by_border

    def _place_segment(
        self, state: _State, annotation_index: int, option: WalkOption
    ) -> tuple[int, _State]:
        """Count the pairs that an option adds to a state, and find the next state.

        Args:
            state: borders up to which the annotations are read, and waiting segments.
            annotation_index: 0 for an option of the first annotation, 1 for one of the second.
            option: segment or gap that is placed.
        """
        read_up_to, waiting = state
        n_pairs = 0
        if option.label != OTHER:
            span = self.counted_borders[0][option.start], self.counted_borders[1][option.end]
            a, b = waiting
            a, b = ((*a, span), b) if annotation_index == 0 else (a, (*b, span))
            n_pairs, i, j = take_pairs(a, b, self.within)
            waiting = a[i:], b[j:]
        next_read_up_to = (
            (option.end, read_up_to[1]) if annotation_index == 0 else (read_up_to[0], option.end)
        )
        if waiting == ((), ()):
            return n_pairs, (next_read_up_to, waiting)
        # waiting segments need a partner that the other annotation has not placed yet
        return n_pairs, (
            next_read_up_to,
            (
                self._select_matchable(waiting[0], next_read_up_to[1]),
                self._select_matchable(waiting[1], next_read_up_to[0]),
            ),
        )

    def _select_matchable(self, waiting: tuple[Span, ...], i: int) -> tuple[Span, ...]:
        """Select the waiting segments that may be near a segment placed from border ``i`` on."""
        start, end = (
            self.counted_borders[0][i] - self.within,
            self.counted_borders[2][i] - self.within,
        )
        return tuple(span for span in waiting if span[0] >= start and span[1] >= end)


def _extend_gaps(
    options: Sequence[Sequence[WalkOption]], border_indices: Collection[int]
) -> list[list[WalkOption]]:
    """Extend each gap of a fixed annotation up to its next segment that can match.

    One step then replaces many.

    Args:
        options: option of the annotation at each border.
        border_indices: indices of borders at which gaps also end.
    """
    options_from_end: list[list[WalkOption]] = []
    gap_end = len(options)
    for i, (option,) in reversed([*enumerate(options)]):
        is_gap = option.label == OTHER
        options_from_end.append(
            [option._replace(end=max(option.end, gap_end)) if is_gap else option]
        )
        if not is_gap or i in border_indices:
            gap_end = i
    return options_from_end[::-1]
