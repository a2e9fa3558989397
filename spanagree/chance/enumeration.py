"""Enumeration of all arrangements of segments that exclude each other.

W[i][u], the number of arrangements of u segments of each kind from the i-th start on, is

    W[i][u] = W[i + 1][u] + Σ over places of kind k at start i:  W[j][u − e_k],

with j the first start at or after the end of the place. Tables W are shaped by the numbers of
segments of each kind, plus one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.walk import SegmentKind


class Enumeration:
    """All arrangements of the segments of a group; segments of one kind are not distinguished.

    Attributes:
        count: number of arrangements; infinite if it exceeds the limit.

    >>> from spanagree.chance.walk import build_uniform_ends
    >>> kinds = [SegmentKind(0, n, build_uniform_ends(4, length)) for n, length in ((2, 1), (1, 2))]
    >>> [*Enumeration(kinds)]
    [[(2, 3), (3, 4), (0, 2)], [(0, 1), (3, 4), (1, 3)], [(0, 1), (1, 2), (2, 4)]]
    """

    def __init__(self, segment_kinds: Sequence[SegmentKind], max_count: float = math.inf) -> None:
        """Count the arrangements from each start on, for all numbers of segments to place.

        Args:
            segment_kinds: segments by kind.
            max_count: largest number of arrangements; if there are more, they cannot be listed.
        """
        self._counts = tuple(segment_kind.n_segments for segment_kind in segment_kinds)
        starts = sorted(set[int]().union(*(segment_kind.ends for segment_kind in segment_kinds)))
        options: list[list[tuple[int, int, int]]] = []
        no_segments = np.zeros([c + 1 for c in self._counts])
        no_segments.flat[0] = 1
        n_ways = [no_segments]
        for start in reversed(starts):
            options_here = [
                (kind_index, end, bisect_left(starts, end))
                for kind_index, segment_kind in enumerate(segment_kinds)
                for end in segment_kind.ends.get(start, ())
            ]
            n_ways_here = n_ways[-1].copy()
            for kind_index, _, next_start in options_here:
                leading_axes = (slice(None),) * kind_index
                n_ways_after = n_ways[len(starts) - next_start][(*leading_axes, slice(None, -1))]
                n_ways_here[(*leading_axes, slice(1, None))] += n_ways_after
            options.append(options_here)
            n_ways.append(n_ways_here)
            if n_ways_here[self._counts] > max_count:  # earlier starts only add arrangements
                self.count = math.inf
                return
        self._starts = starts
        # for each start: kind, end, and index of the first start at or after the end
        self._options = options[::-1]
        self._ways: list[Floats] = n_ways[::-1]
        self.count = float(self._ways[0][self._counts])

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        """Yield each arrangement as the start and end of its segments, kind by kind."""
        pending: list[tuple[int, tuple[int, ...], tuple[tuple[int, int, int], ...]]]
        pending = [(0, self._counts, ())]
        while pending:
            i, n_left, placed_segments = pending.pop()
            if not any(n_left):
                yield [(start, end) for _, start, end in sorted(placed_segments)]
                continue
            while i < len(self._options) and self._ways[i][n_left]:
                start, options = self._starts[i], self._options[i]
                i += 1
                for kind_index, end, next_start in options:
                    if n_left[kind_index]:
                        n_left_after = (
                            *n_left[:kind_index],
                            n_left[kind_index] - 1,
                            *n_left[kind_index + 1 :],
                        )
                        if self._ways[next_start][n_left_after]:
                            pending.append(
                                (
                                    next_start,
                                    n_left_after,
                                    (*placed_segments, (kind_index, start, end)),
                                )
                            )
