"""Tallies: counts that add, and the scores that are derived from them.

Store counts, derive scores: with counts and lengths fixed, precision, recall and F1 are linear in
what is matched, so their expected values follow from the expected match *exactly*, and tallies of
documents, labels and pairs of annotators can be added in any order before they are scored.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique
from spanagree.results.score import Interval, Score, corrected, parts_of, undefined


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
        return Tally(*map(operator.add, self.counts, other.counts))

    @property
    def counts(self) -> tuple[Any, ...]:
        """Matched, expected, and both sizes."""
        return self.matched, self.expected, self.size_a, self.size_b

    @property
    def precision(self) -> Score:
        """matched / size_b; undefined if the second marked nothing."""
        return self._score("precision", "the system marked nothing")

    @property
    def recall(self) -> Score:
        """matched / size_a; undefined if the first marked nothing."""
        return self._score("recall", "the gold annotation has nothing marked")

    @property
    def f1(self) -> Score:
        """2·matched / (size_a + size_b); undefined if neither marked anything."""
        return self._score("f1", "neither marked anything")

    def _score(self, name: str, reason: str) -> Score:
        matched, expected, size = parts_of(name, *self.counts)
        score = corrected(matched / size, expected / size) if size else undefined(reason)
        return score._replace(interval=self.intervals.get(name)) if self.intervals else score


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

    @classmethod
    def joined(cls, parts: Sequence[Tallies]) -> Tallies:
        """Return the entries of all parts, one after the other."""
        columns = ([getattr(part, name) for part in parts] for name in cls.__dataclass_fields__)
        return cls(*map(np.concatenate, columns))

    def total(self) -> Tally:
        """The sum over all entries; independent of their order."""
        values = self.matched.tolist()
        return Tally(
            math.fsum(values) if self.matched.dtype.kind == "f" else sum(values),
            math.fsum(self.expected.tolist()),
            int(self.size_a.sum()),
            int(self.size_b.sum()),
        )

    def where(self, rows: Bools | Ints | slice) -> Tallies:
        """Some of the entries, by a mask or by number."""
        return Tallies(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def tables_by(self, documents: Ints, wholes: Ints | None) -> tuple[Ints, Floats]:
        """Return what is resampled, these documents or the wholes they are of, and what each adds.

        ``wholes`` has the number of the whole of every document, if those are resampled.
        """
        if wholes is None:
            return documents, self.table(documents)
        here = self.where(np.isin(self.document, documents))
        units = unique(wholes[documents])
        return units, replace(here, document=wholes[here.document]).table(units)

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
