"""Tallies: additive counts, and the scores that are computed from them.

Precision, recall and F1 are linear in the match M if sizes are fixed:

    precision = M / b,   recall = M / a,   F1 = 2 M / (a + b),

so their expected values follow exactly from E[M]. Tallies of documents, labels and pairs of
annotators can be added in any order before scores are computed.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from spanagree.results.score import (
    HasScores,
    Interval,
    Ratio,
    Score,
    Sums,
    build_corrected_score,
    build_undefined_score,
)


@dataclass(frozen=True)
class Tally(HasScores):
    """Match and sizes of two annotations, in segments or tokens, with their scores.

    Attributes:
        matched: observed similarity, summed over pairs of segments.
        expected: expected value of ``matched`` if the annotations are random.
        size_a: size of the first annotation, gold in an evaluation.
        size_b: size of the second annotation, the system in an evaluation.
        intervals: intervals of scores by name, if they were requested; empty for a sum.
        expected_sizes: expected sizes of random annotations, if sizes are random.
        beta: β of ``f_beta``, if it was requested; ``None`` for a sum.

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
        """Build the tally from the sums of a row of comparisons, in their order."""
        matched, expected, size_a, size_b, *expected_sizes = sums
        return cls(matched, expected, size_a, size_b, expected_sizes=tuple(expected_sizes) or None)

    def __add__(self, other: Tally) -> Tally:
        total = Tally(*map(operator.add, self.counts, other.counts))
        if self.expected_sizes is None and other.expected_sizes is None:
            return total
        size_pairs = zip(self._random_sizes, other._random_sizes, strict=True)
        a, b = (size + other_size for size, other_size in size_pairs)
        return replace(total, expected_sizes=(a, b))

    def without(self, other: Tally) -> Tally:
        """Subtract the counts of another tally."""
        return Tally(*map(operator.sub, self.counts, other.counts))

    @property
    def size(self) -> int:
        """Total size of both annotations."""
        return self.size_a + self.size_b

    @property
    def counts(self) -> tuple[Any, ...]:
        """Matched, expected and both sizes."""
        return self.matched, self.expected, self.size_a, self.size_b

    @property
    def sums(self) -> Sums:
        """Counts, and both expected sizes if sizes are random."""
        return Sums(*self.counts, *(self.expected_sizes or ()))

    @property
    def _random_sizes(self) -> tuple[float, float]:
        """Sizes that expected scores are divided by."""
        return self.expected_sizes or (self.size_a, self.size_b)

    def score_of(self, ratio: Ratio) -> Score:
        """Compute the score of a ratio; undefined if its sizes are 0."""
        matched, expected, size, expected_size = ratio.compute_parts(self.sums)
        score = (
            build_corrected_score(matched / size, expected / expected_size)
            if size
            else build_undefined_score(ratio.undefined)
        )
        return score._replace(interval=self.intervals.get(ratio.key)) if self.intervals else score


# --- counts in tables -----------------------------------------------------------------------------


class ScoredTally(HasScores):
    """Base of results with the scores of a tally."""

    tally: Tally

    @property
    def beta(self) -> float | None:  # type: ignore[override]  # a field in other classes
        """β of ``f_beta``, if it was requested."""
        return self.tally.beta
