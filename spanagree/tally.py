"""Tallies: counts that add, and the scores that are derived from them.

Store counts, derive scores: with counts and lengths fixed, precision, recall and F1 are linear in
what is matched, so their expected values follow from the expected match *exactly*, and tallies of
documents, labels and pairs of annotators can be added in any order before they are scored.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.exact import exact_sums, rounded

CERTAIN = 1e-10
"""An expected score this close to 1 is 1: sums of floats give 1 − 1e-16."""
UNDEFINED = math.nan


def plain(data: Any) -> Any:
    """Plain data for JSON: what is undefined (``nan``) becomes ``None``, tuples become lists.

    >>> plain({"f1": math.nan, "ends": (0.5, 1)})
    {'f1': None, 'ends': [0.5, 1]}
    """
    if isinstance(data, float):
        return None if math.isnan(data) else data
    if isinstance(data, Mapping):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, (list, tuple)) else data


class Interval(NamedTuple):
    """The low and the high end of the three figures of a score; ``nan`` where undefined.

    ``reason`` says why it is undefined, or what is out of the ordinary.
    """

    observed: tuple[float, float]
    expected: tuple[float, float]
    corrected: tuple[float, float]
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON: undefined is ``None``, and why."""
        ends: dict[str, Any] = plain(self._asdict())
        return ends if self.reason else {k: v for k, v in ends.items() if k != "reason"}


class Score(NamedTuple):
    """One figure: as observed, as luck alone would give, and beyond luck.

    ``corrected = (observed − expected) / (1 − expected)``. What is not defined is ``nan``, and
    ``reason`` says why; it is empty where all three are defined. ``interval`` is there if intervals
    were asked for.
    """

    observed: float
    expected: float
    corrected: float
    reason: str = ""
    interval: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: undefined is ``None``, and why."""
        figures: dict[str, Any] = dict(zip(self._fields, plain(self[:3]), strict=False))
        if self.reason:
            figures["undefined"] = self.reason
        return (
            figures if self.interval is None else {**figures, "interval": self.interval.to_dict()}
        )


def corrected(observed: float, expected: float) -> Score:
    """A score with its chance correction; undefined where luck alone gives 1.

    >>> corrected(0.75, 0.5).corrected
    0.5
    """
    if expected >= 1 - CERTAIN:
        return Score(observed, expected, UNDEFINED, "luck alone gives 1")
    return Score(observed, expected, (observed - expected) / (1 - expected))


def undefined(reason: str) -> Score:
    """A score of which nothing is defined."""
    return Score(UNDEFINED, UNDEFINED, UNDEFINED, reason)


@dataclass(frozen=True)
class Tally:
    """What two annotations have in common: counts of segments, or of tokens.

    Attributes:
        matched: the similarity observed, added up over pairs of segments.
        expected: its expected value if both annotations were random.
        size_a: the size of the first, in an evaluation of the gold annotation.
        size_b: the size of the second, in an evaluation of the system.
        intervals: of precision, recall and f1 by name, if they were asked for; a sum has none.

    >>> (Tally(3, 0.5, 4, 5) + Tally(1, 0.25, 2, 1)).f1.observed
    0.6666666666666666
    """

    matched: float = 0
    expected: float = 0.0
    size_a: int = 0
    size_b: int = 0
    intervals: Mapping[str, Interval] = field(default_factory=dict, repr=False, compare=False)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.matched + other.matched,
            self.expected + other.expected,
            self.size_a + other.size_a,
            self.size_b + other.size_b,
        )

    @property
    def precision(self) -> Score:
        """matched / size_b; undefined if the second marked nothing."""
        return self._score("precision", 1, self.size_b, "the system marked nothing")

    @property
    def recall(self) -> Score:
        """matched / size_a; undefined if the first marked nothing."""
        return self._score("recall", 1, self.size_a, "the gold annotation has nothing marked")

    @property
    def f1(self) -> Score:
        """2·matched / (size_a + size_b); undefined if neither marked anything."""
        return self._score("f1", 2, self.size_a + self.size_b, "neither marked anything")

    def _score(self, name: str, times: int, size: int, reason: str) -> Score:
        score = undefined(reason)
        if size:
            score = corrected(times * self.matched / size, times * self.expected / size)
        if name in self.intervals:
            return score._replace(interval=self.intervals[name])
        return score


@dataclass(frozen=True)
class Tallies:
    """The tallies of many documents and labels, as columns.

    One entry for each document and label in which at least one of the two annotations has a
    segment; ``label`` is −1 throughout for a measure that disregards labels.
    """

    document: Ints
    label: Ints
    matched: Floats | Ints
    expected: Floats
    size_a: Ints
    size_b: Ints

    def total(self, where: Ints | slice = slice(None)) -> Tally:
        """The sum over all entries, or over those chosen; independent of their order."""
        return Tally(
            _sum(self.matched[where].tolist()),
            math.fsum(self.expected[where].tolist()),
            int(self.size_a[where].sum()),
            int(self.size_b[where].sum()),
        )

    def where(self, rows: Bools | Ints | slice) -> Tallies:
        """Some of the entries, by a mask or by number."""
        return Tallies(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def by_label(self, labels: Iterable[str]) -> dict[str, Tally]:
        """A tally for each label, zeros for those that occur nowhere."""
        if len(self.label) and self.label[0] < 0:
            return {}
        names = tuple(labels)
        return dict(zip(names, self.totals(self.label, len(names)), strict=True))

    def totals(self, which: Ints, count: int) -> list[Tally]:
        """A tally for each number below ``count``: of the entries that ``which`` gives it."""
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=count)).tolist()
        columns = (self.matched, self.expected, self.size_a, self.size_b)
        matched, expected, size_a, size_b = (column[order].tolist() for column in columns)
        return [
            Tally(
                _sum(matched[low:high]),
                math.fsum(expected[low:high]),
                sum(size_a[low:high]),
                sum(size_b[low:high]),
            )
            for low, high in zip([0, *ends], ends, strict=False)
        ]

    def table(self, documents: Ints) -> Floats:
        """What each of these documents adds to matched, expected, size_a, size_b; (documents, 4).

        ``documents`` are numbers, rising; entries of other documents are left out.
        """
        place = np.searchsorted(documents, self.document)
        here = place < len(documents)
        here[here] = documents[place[here]] == self.document[here]
        rows = np.flatnonzero(here)
        # added up in the order of their values, so that the order of pairs changes no digit
        rows = rows[np.lexsort((self.matched[rows], self.expected[rows], place[rows]))]
        columns = (self.matched, self.expected, self.size_a, self.size_b)
        sums = [np.bincount(place[rows], c[rows], len(documents)) for c in columns]
        return np.stack(sums, axis=1)

    def of_document(self, document: int) -> Tally:
        """The tally of one document, over its labels."""
        low, high = np.searchsorted(self.document, (document, document + 1))
        return self.total(slice(low, high))


class TallySum(NamedTuple):
    """Sums of tallies without rounding, to be added over blocks in any order.

    ``matched`` and ``expected`` are exact sums (:mod:`spanagree.exact`); ``whole`` says that what
    is matched are whole numbers.
    """

    whole: bool
    matched: int
    expected: int
    size_a: int
    size_b: int

    @classmethod
    def of(cls, tallies: Tallies) -> TallySum:
        """The sums over all entries."""
        return cls.each(tallies, np.zeros(len(tallies.document), np.int64), 1)[0]

    @classmethod
    def each(cls, tallies: Tallies, which: Ints, count: int) -> list[TallySum]:
        """The sums for each number below ``count``, of the entries that ``which`` gives it."""
        whole = tallies.matched.dtype.kind == "i"
        sizes = [
            np.bincount(which, size, count).astype(np.int64).tolist()
            for size in (tallies.size_a, tallies.size_b)
        ]
        sums = (exact_sums(column, which, count) for column in (tallies.matched, tallies.expected))
        return [cls(whole, *row) for row in zip(*sums, *sizes, strict=True)]

    def turned(self) -> TallySum:
        """With the two sides changed for each other."""
        return self._replace(size_a=self.size_b, size_b=self.size_a)

    def plus(self, other: TallySum) -> TallySum:
        """The sums of both."""
        return TallySum(
            self.whole and other.whole,
            self.matched + other.matched,
            self.expected + other.expected,
            self.size_a + other.size_a,
            self.size_b + other.size_b,
        )

    @property
    def tally(self) -> Tally:
        """The tally, rounded once."""
        matched = rounded(self.matched)
        whole = int(matched) if self.whole else matched
        return Tally(whole, rounded(self.expected), self.size_a, self.size_b)


NO_TALLY = TallySum(True, 0, 0, 0, 0)
"""The sum of no tallies."""


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies; independent of their order.

    >>> total([Tally(1, 0.5, 2, 1), Tally(1, 0.25, 1, 1)])
    Tally(matched=2, expected=0.75, size_a=3, size_b=2)
    """
    columns = [[t.matched, t.expected, t.size_a, t.size_b] for t in tallies]
    matched, expected, size_a, size_b = zip(*columns, strict=True) if columns else ((),) * 4
    return Tally(_sum(matched), math.fsum(expected), int(sum(size_a)), int(sum(size_b)))


def _sum(values: Sequence[float]) -> float:
    """Exact, so that the order of documents changes no digit; of whole numbers a whole number."""
    return sum(values) if set(map(type, values)) <= {int} else math.fsum(values)
