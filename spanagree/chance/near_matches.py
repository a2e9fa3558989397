"""The rule of one-to-one matches of segments with borders that differ by at most t tokens.

Two segments of the same label are *near* if both |s₁ − s₂| ≤ t and |e₁ − e₂| ≤ t, for starts s and
ends e. Starts and ends of segments that share no tokens are in the same order, so the largest
number of pairs is found from the left: pair the next two segments if they are near; else drop each
one that starts or ends more than t tokens too early, or both. This needs only the *waiting*
segments, which have no partner yet and may be near a later segment. So they are part of the state
of a walk (:mod:`spanagree.chance.walk`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.walk import OTHER, Walk, WalkOption, add_ways

Span: TypeAlias = tuple[int, int]
"""Start and end of a segment."""

BorderCount: TypeAlias = Callable[
    [Sequence[int]], tuple[Sequence[int], Sequence[int], Sequence[int]]
]
"""Function from borders to their positions in the unit of a tolerance."""

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


class NearRule:
    """Rule of pairs within a tolerance; only the segments of one label can match."""

    def __init__(self, within: int, count_borders: BorderCount | None = None) -> None:
        """Store the tolerance and its unit.

        Args:
            within: tolerance t, the largest difference of starts, and of ends.
            count_borders: function from the borders of a walk to the position of each as a start
                and as an end, in the unit of the tolerance, and the smallest end of a segment that
                begins at it. Default: tokens.
        """
        self.within = within
        self.count_borders = count_borders or _count_in_tokens

    def build_tables(self, walk: Walk, border_indices: Collection[int]) -> WaitingTables:
        """Build the tables of a walk, with its first state."""
        return WaitingTables(walk, self, border_indices)


def _count_in_tokens(borders: Sequence[int]) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Return the positions of borders in tokens; see :class:`NearRule`."""
    return borders, borders, [border + 1 for border in borders]


class WaitingTables:
    """Tables of a walk by the borders up to which annotations are read, and waiting segments."""

    def __init__(self, walk: Walk, rule: NearRule, border_indices: Collection[int]) -> None:
        """Build the table of the first state.

        Args:
            walk: walk over two annotations.
            rule: rule of the tolerance.
            border_indices: indices of the borders for which ways are counted.
        """
        self.walk, self.within = walk, rule.within
        self.counted_borders = rule.count_borders(walk.borders)
        self._options = [
            _extend_gaps(options, border_indices) if annotation.is_fixed else options
            for annotation, options in zip(walk.annotations, walk.options, strict=True)
        ]
        start = np.zeros(walk.shape)
        start.flat[0] = 1
        # by the lesser border, and by the annotation that goes on
        self._tables: dict[tuple[int, int], dict[_State, Floats]] = defaultdict(dict)
        self._tables[0, 0][(0, 0), ((), ())] = start
        # cells computed for the states up to each border, without those of earlier borders
        self._n_cells = np.zeros(len(walk.borders))
        self._n_earlier_cells = 0.0

    def count_cells(self, i: int) -> float:
        """Count the cells computed for states in which an annotation is read up to a border."""
        return float(self._n_earlier_cells + self._n_cells[i])

    def find_finished_ways(self, i: int) -> Floats:
        """Find the ways in which all segments are placed before the border with index ``i``."""
        all_placed = tuple(-1 for _ in self.walk.shape[:-1])
        tables = self._tables[i, 0].items()
        return np.asarray(
            sum(table[all_placed] for (read_up_to, _), table in tables if read_up_to == (i, i))
        )

    def apply_options(self, i: int) -> None:
        """Apply all options to the states with border ``i`` as the lesser of their two borders."""
        self._n_earlier_cells += self._n_cells[i]
        for annotation_index in (0, 1):
            for state, n_ways in self._tables.pop((i, annotation_index), {}).items():
                for option in self._options[annotation_index][i]:
                    self._apply_option(state, n_ways, annotation_index, option)

    def _apply_option(
        self, state: _State, n_ways: Floats, annotation_index: int, option: WalkOption
    ) -> None:
        """Add the ways of a state to the state that an option leads to.

        Args:
            state: borders up to which the annotations are read, and waiting segments.
            n_ways: table of the state.
            annotation_index: 0 for an option of the first annotation, 1 for one of the second.
            option: segment or gap that is placed.
        """
        n_pairs, next_state = self._place_segment(state, annotation_index, option)
        first_border, second_border = next_state[0]
        tables_there = self._tables[
            min(first_border, second_border), int(first_border > second_border)
        ]
        if next_state not in tables_there:
            tables_there[next_state] = np.zeros(self.walk.shape)
        target, source = tables_there[next_state], n_ways
        if option.axis is not None:
            leading_axes = (slice(None),) * option.axis
            target = target[(*leading_axes, slice(1, None))]
            source = source[(*leading_axes, slice(None, -1))] * option.weight
        add_ways(target, source, n_pairs, self.walk.moments)
        self._n_cells[max(first_border, second_border)] += max(n_ways.size, _OPTION)

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
