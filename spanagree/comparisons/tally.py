"""Tallies: counts that add, and the scores that are derived from them.

Store counts, derive scores: with counts and lengths fixed, precision, recall and F1 are linear in
what is matched, so their expected values follow from the expected match *exactly*, and tallies of
documents, labels and pairs of annotators can be added in any order before they are scored.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from spanagree.results.score import HasScores, Interval, Ratio, Score, Sums, corrected, undefined


@dataclass(frozen=True)
class Tally(HasScores):
    """What two annotations have in common: counts of segments, or of tokens.

    Attributes:
        matched: the similarity observed, added up over pairs of segments.
        expected: its expected value if both annotations were random.
        size_a: the size of the first, in an evaluation of the gold annotation.
        size_b: the size of the second, in an evaluation of the system.
        intervals: of the figures by name, if they were asked for; a sum has none.
        expected_sizes: the expected sizes of random annotations, where these are random.
        beta: the β of ``f_beta``, if that was requested; a sum has none.

    ``precision``, ``recall`` and ``f1`` are its scores.

    >>> (Tally(3, 0.5, 4, 5) + Tally(1, 0.25, 2, 1)).f1.observed
    0.6666666666666666
    """

    matched: float = 0
    expected: float = 0.0
    size_a: int = 0
    size_b: int = 0
    intervals: Mapping[str, Interval] = field(default_factory=dict, repr=False, compare=False)
    expected_sizes: tuple[float, float] | None = None
    beta: float | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, sums: Iterable[Any]) -> Tally:
        """Return the tally of the sums of a row of comparisons, in their order."""
        matched, expected, size_a, size_b, *random = sums
        return cls(matched, expected, size_a, size_b, expected_sizes=tuple(random) or None)

    def __add__(self, other: Tally) -> Tally:
        total = Tally(*map(operator.add, self.counts, other.counts))
        if self.expected_sizes is None and other.expected_sizes is None:
            return total
        both = zip(self._random_sizes, other._random_sizes, strict=True)
        a, b = (size + more for size, more in both)
        return replace(total, expected_sizes=(a, b))

    def without(self, part: Tally) -> Tally:
        """Return what is left of the counts without those of a part."""
        return Tally(*map(operator.sub, self.counts, part.counts))

    @property
    def size(self) -> int:
        """The size of both annotations together."""
        return self.size_a + self.size_b

    @property
    def counts(self) -> tuple[Any, ...]:
        """Matched, expected, and both sizes."""
        return self.matched, self.expected, self.size_a, self.size_b

    @property
    def sums(self) -> Sums:
        """The counts, and both expected sizes where these are random."""
        return Sums(*self.counts, *(self.expected_sizes or ()))

    @property
    def _random_sizes(self) -> tuple[float, float]:
        return self.expected_sizes or (self.size_a, self.size_b)

    def score_of(self, ratio: Ratio) -> Score:
        """Return the score of a figure; undefined where its sizes are 0."""
        matched, expected, size, random = ratio.parts(self.sums)
        score = corrected(matched / size, expected / random) if size else undefined(ratio.undefined)
        return score._replace(interval=self.intervals.get(ratio.key)) if self.intervals else score


# --- counts in tables -----------------------------------------------------------------------------


class ScoredTally(HasScores):
    """What has the scores of counts of its own."""

    tally: Tally

    @property
    def beta(self) -> float | None:  # type: ignore[override]  # elsewhere it is stored
        """The β of ``f_beta``, if that was requested."""
        return self.tally.beta
