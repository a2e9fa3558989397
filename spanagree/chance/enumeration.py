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
        starts = sorted(set[int]().union(*(kind.ends for kind in kinds)))
        options: list[list[tuple[int, int, int]]] = []
        nothing = np.zeros([c + 1 for c in self._counts])
        nothing.flat[0] = 1
        ways = [nothing]
        for start in reversed(starts):
            here = [
                (k, end, bisect_left(starts, end))
                for k, kind in enumerate(kinds)
                for end in kind.ends.get(start, ())
            ]
            total = ways[-1].copy()
            for k, _, behind in here:
                before = (slice(None),) * k
                part = ways[len(starts) - behind][(*before, slice(None, -1))]
                total[(*before, slice(1, None))] += part
            options.append(here)
            ways.append(total)
            if total[self._counts] > most:  # and more to the left
                self.count = math.inf
                return
        self._starts = starts
        # at each start: kind, end, and index of the first start from there on
        self._options = options[::-1]
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
                start, options = self._starts[i], self._options[i]
                i += 1
                for k, end, behind in options:
                    if left[k]:
                        rest = (*left[:k], left[k] - 1, *left[k + 1 :])
                        if self._ways[behind][rest]:
                            waiting.append((behind, rest, (*placed, (k, start, end))))
