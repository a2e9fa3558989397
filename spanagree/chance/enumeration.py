"""Every arrangement of segments that exclude each other, written out."""

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
        count: number of arrangements; infinite if there are more than ``most``.

    >>> from spanagree.chance.walk import uniform_ends
    >>> kinds = [SegmentKind(0, n, uniform_ends(4, length)) for n, length in ((2, 1), (1, 2))]
    >>> [*Enumeration(kinds)]
    [[(2, 3), (3, 4), (0, 2)], [(0, 1), (3, 4), (1, 3)], [(0, 1), (1, 2), (2, 4)]]
    """

    def __init__(self, kinds: Sequence[SegmentKind], most: float = math.inf) -> None:
        """Count the arrangements to the right of each border, by the segments left to place.

        Args:
            kinds: the segments by kind.
            most: greatest number of arrangements that are of use; of more, none can be listed.
        """
        self._counts = tuple(kind.n_segments for kind in kinds)
        at: dict[int, list[tuple[int, int]]] = {}
        for k, kind in enumerate(kinds):
            for start, ends in kind.ends.items():
                at.setdefault(start, []).extend((k, end) for end in ends)
        self._options = [(start, at[start]) for start in sorted(at)]
        starts = [start for start, _ in self._options]
        borders = {end for options in at.values() for _, end in options}
        # of each border, the first start from there on
        self._next = {border: bisect_left(starts, border) for border in borders}
        nothing = np.zeros([c + 1 for c in self._counts])
        nothing.flat[0] = 1
        ways = [nothing]
        for _, options in reversed(self._options):
            total = ways[-1].copy()
            for k, end in options:
                before = (slice(None),) * k
                behind = ways[len(starts) - self._next[end]]
                total[(*before, slice(1, None))] += behind[(*before, slice(None, -1))]
            ways.append(total)
            if total[self._counts] > most:  # and more to the left
                self.count = math.inf
                return
        self._ways: list[Floats] = ways[::-1]
        self.count = float(self._ways[0][self._counts])

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        """Yield start and end of each segment, kind by kind, in every arrangement."""
        waiting: list[tuple[int, tuple[int, ...], tuple[tuple[int, int, int], ...]]]
        waiting = [(0, self._counts, ())]
        while waiting:
            i, left, placed = waiting.pop()
            if not any(left):
                yield [(start, end) for _, start, end in sorted(placed)]
                continue
            while i < len(self._options) and self._ways[i][left]:
                start, options = self._options[i]
                i += 1
                for k, end in options:
                    if left[k]:
                        rest = (*left[:k], left[k] - 1, *left[k + 1 :])
                        behind = self._next[end]
                        if self._ways[behind][rest]:
                            waiting.append((behind, rest, (*placed, (k, start, end))))
