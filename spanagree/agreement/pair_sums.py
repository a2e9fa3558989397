"""What each two annotators have in common, summed over the documents they share, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Ints, distinct
from spanagree.blocks.exact_sums import TallySums


@dataclass(frozen=True, eq=False)
class PairSums:
    """The pairs of annotators that share a document.

    Attributes:
        first, second: the numbers of the two annotators of each pair, the lower first; sorted.
        shared: how many documents they share.
        sums: their tallies, without rounding; ``size_a`` is that of the first.
    """

    first: Ints
    second: Ints
    shared: Ints
    sums: TallySums

    @classmethod
    def of(cls, first: Ints, second: Ints, shared: Ints, sums: TallySums) -> PairSums:
        """Return the sums of pairs that may occur again, and with either annotator first."""
        turned = first > second
        pair = np.where(turned, second, first), np.where(turned, first, second)
        (first, second), which, times = distinct(*pair)
        total = np.bincount(which, shared, len(times)).astype(np.int64)
        return cls(first, second, total, sums.turned(turned).grouped(which, len(times)))

    def plus(self, other: PairSums, numbers: Ints | None = None) -> PairSums:
        """Return the sums of both; ``numbers`` are those here of the other's annotators."""
        first, second = other.first, other.second
        if numbers is not None:
            first, second = numbers[first], numbers[second]
        return PairSums.of(
            np.concatenate((self.first, first)),
            np.concatenate((self.second, second)),
            np.concatenate((self.shared, other.shared)),
            self.sums.joined(other.sums),
        )
