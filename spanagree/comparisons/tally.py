"""Tallies: counts that add, and the scores that are derived from them.

Store counts, derive scores: with counts and lengths fixed, precision, recall and F1 are linear in
what is matched, so their expected values follow from the expected match *exactly*, and tallies of
documents, labels and pairs of annotators can be added in any order before they are scored.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from spanagree.results.frame import Column, Value
from spanagree.results.score import Interval, Ratio, Score, Scored, Sums, corrected, undefined


@dataclass(frozen=True)
class Tally(Scored):
    """What two annotations have in common: counts of segments, or of tokens.

    Attributes:
        matched: the similarity observed, added up over pairs of segments.
        expected: its expected value if both annotations were random.
        size_a: the size of the first, in an evaluation of the gold annotation.
        size_b: the size of the second, in an evaluation of the system.
        intervals: of the figures by name, if they were asked for; a sum has none.
        expected_sizes: the expected sizes of random annotations, where these are random.

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

_IN_SIZES = (
    "size of gold and of the system, in {sizes}: what the row rests on. Figures over few are shaky."
)


class Count(NamedTuple):
    """A count of a tally, in the tables of results.

    Attributes:
        of: the count of a tally.
        title: name for people, in a table with a row for each part; empty if they see none.
        means: paragraph that explains it to people.
        of_pair: key in tables of annotators against each other, which leave it out without one.
        title_of_pair: name for people there, in a table of pairs.
        kind: kind of its column.
    """

    of: Callable[[Tally], Value]
    title: str = ""
    means: str = ""
    of_pair: str = ""
    title_of_pair: str = ""
    kind: str = "count"

    @property
    def meaning(self) -> str:
        """The heading of its explanation."""
        return f"{self.title} of gold or a system" if self.title else ""


COUNTS: Mapping[str, Count] = {
    "matched": Count(lambda tally: tally.matched, of_pair="matched", kind="figure"),
    "expected": Count(lambda tally: tally.expected, of_pair="expected", kind="figure"),
    "size_gold": Count(lambda tally: tally.size_a, "gold", _IN_SIZES, "size_a", "marked a"),
    "size_system": Count(lambda tally: tally.size_b, "marked", _IN_SIZES, "size_b", "marked b"),
}
"""The counts in tables, by key, in their order; each adds over parts, as tallies do."""


def count_columns(*, is_titled: bool, of_pairs: bool = False) -> list[Column]:
    """Return a column for each count.

    Args:
        is_titled: if True, people see those that have a title.
        of_pairs: if True, they are those of two annotators; else of gold and a system.
    """
    columns = [
        Column(count.of_pair, count.title_of_pair, count.kind)
        if of_pairs
        else Column(key, count.title, count.kind, count.meaning)
        for key, count in COUNTS.items()
        if count.of_pair or not of_pairs
    ]
    return columns if is_titled else [column._replace(title="") for column in columns]


def count_values(tally: Tally | None, *, of_pairs: bool = False) -> list[Value]:
    """Return the counts of a tally in these columns; ``None`` where there is no tally."""
    counts = (count for count in COUNTS.values() if count.of_pair or not of_pairs)
    return [None if tally is None else count.of(tally) for count in counts]
