"""Enumeration of all arrangements of segments that exclude each other.

Arrangements are listed from their end, as they are drawn (:mod:`spanagree.chance.simulate_places`).
The last of u segments before a border is at any place (s, e) of a kind i with e at or before the
border and F[u − eᵢ][s] > 0 (:mod:`spanagree.chance.ways`), so that the others have places too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Ints, group_indices
from spanagree.chance.walk import SegmentKind
from spanagree.chance.ways import KindPlaces, count_ways_by_state


class Enumeration:
    """All arrangements of the segments of a group; segments of one kind are not distinguished.

    Attributes:
        count: number of arrangements; infinite if it exceeds the limit.

    >>> from spanagree.chance.walk import build_uniform_ends
    >>> kinds = [SegmentKind(0, n, build_uniform_ends(4, length)) for n, length in ((2, 1), (1, 2))]
    >>> Enumeration(kinds).list_places().tolist()
    [[[2, 3], [3, 4], [0, 2]], [[0, 1], [3, 4], [1, 3]], [[0, 1], [1, 2], [2, 4]]]
    """

    def __init__(self, segment_kinds: Sequence[SegmentKind], max_count: float = math.inf) -> None:
        """Count the arrangements.

        Args:
            segment_kinds: segments by kind.
            max_count: largest number of arrangements; if there are more, they cannot be listed.
        """
        self._counts = tuple(kind.n_segments for kind in segment_kinds)
        places = sorted(
            (index, start, end)
            for index, kind in enumerate(segment_kinds)
            for start, ends in kind.ends.items()
            for end in ends
        )
        kind_of_place, *places_of_kinds = np.array(places, np.int64).reshape(-1, 3).T
        self._places = np.column_stack(places_of_kinds)
        borders, indices = np.unique(self._places, return_inverse=True)
        self._start, self._end = indices.reshape(-1, 2).T
        self._last_border = max(0, len(borders) - 1)
        self._rows = group_indices(kind_of_place, len(segment_kinds))
        self._ways, exponent = count_ways_by_state(
            self._counts,
            [KindPlaces(0 * rows, self._start[rows], self._end[rows]) for rows in self._rows],
            self._last_border + 1,
        )
        count = float(np.ldexp(self._ways[self._counts][-1], exponent))
        self.count = count if count <= max_count else math.inf

    def list_places(self) -> Ints:
        """List the places of all arrangements, as start and end of each segment, kind by kind.

        Returns:
            Shape: (arrangements, segments, 2); the segments of a kind are sorted.
        """
        # for each state of segments left to place: border before which they are placed, and rows of
        # the places of the other segments
        lists = {self._counts: (np.array([self._last_border]), np.zeros((1, 0), np.int64))}
        for _ in range(sum(self._counts)):
            longer_lists: dict[tuple[int, ...], list[tuple[Ints, Ints]]] = defaultdict(list)
            for state, (border, placed) in lists.items():
                for kind, rows in enumerate(self._rows):
                    if not state[kind]:
                        continue
                    left = (*state[:kind], state[kind] - 1, *state[kind + 1 :])
                    fitting = rows[self._ways[left][self._start[rows]] > 0]
                    at, column = np.nonzero(self._end[fitting] <= border[:, None])
                    row = fitting[column]
                    longer_lists[left].append(
                        (self._start[row], np.column_stack((placed[at], row)))
                    )
            lists = {
                state: (np.concatenate(borders), np.concatenate(rows))
                for state, parts in longer_lists.items()
                for borders, rows in [zip(*parts, strict=True)]
            }
        rows_of_all = [rows for _, rows in lists.values()]
        if not rows_of_all:
            return np.zeros((0, sum(self._counts), 2), np.int64)
        return self._places[np.sort(rows_of_all[0], axis=1)]
