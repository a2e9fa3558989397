"""Documents that annotators saw, and documents that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Ints, unique_rows


@dataclass(frozen=True, eq=False)
class Coverage:
    """Documents that each annotator saw, with or without segments.

    Attributes:
        documents: number of documents.
        annotated: mask of the documents seen by each annotator, in the order of their indices.
    """

    documents: int
    annotated: Sequence[Bools]

    def count_annotators(self) -> Ints:
        """Count the annotators who saw each document."""
        n_annotators = np.zeros(self.documents, np.int64)
        for mask in self.annotated:
            n_annotators += mask
        return n_annotators

    def find_seen_by_two(self) -> Ints:
        """Find the documents that at least two annotators saw."""
        return np.flatnonzero(self.count_annotators() > 1)


@dataclass(frozen=True, eq=False)
class SharedDocumentCounts:
    """Numbers of documents that annotators saw and share; parts of a corpus can be added.

    Attributes:
        annotators: names of the annotators.
        seen: number of documents that at least two annotators saw.
        saw: number of documents that each annotator saw.
        only: number of documents that each annotator saw with exactly one other annotator.
        first, second: indices of each pair that shares a document, the lower first; sorted.
        shared: number of documents that each pair shares.
    """

    annotators: tuple[str, ...]
    seen: int
    saw: Ints
    only: Ints
    first: Ints
    second: Ints
    shared: Ints

    @classmethod
    def build_empty(cls, annotators: tuple[str, ...]) -> SharedDocumentCounts:
        """Build the counts of annotators who saw no document."""
        empty, zeros = np.zeros(0, np.int64), np.zeros(len(annotators), np.int64)
        return cls(annotators, 0, zeros, zeros, empty, empty, empty)

    def __add__(self, other: SharedDocumentCounts) -> SharedDocumentCounts:
        """Add the counts of two parts of a corpus."""
        names = tuple(dict.fromkeys((*self.annotators, *other.annotators)))
        position = {name: i for i, name in enumerate(names)}
        positions_by_part = [
            np.array([position[name] for name in counts.annotators], np.int64)
            for counts in (self, other)
        ]

        def add_counts(name: str) -> Ints:
            """Add a count of both parts for each annotator."""
            total = np.zeros(len(names), np.int64)
            for counts, positions in zip((self, other), positions_by_part, strict=True):
                total[positions] += getattr(counts, name)
            return total

        pairs = [
            np.sort((positions[counts.first], positions[counts.second]), axis=0)
            for counts, positions in zip((self, other), positions_by_part, strict=True)
        ]
        (first, second), pair_index, _ = unique_rows(*np.concatenate(pairs, axis=1))
        n_shared = np.concatenate((self.shared, other.shared))
        shared = np.bincount(pair_index, n_shared, len(first)).astype(np.int64)
        seen = self.seen + other.seen
        return SharedDocumentCounts(
            names, seen, add_counts("saw"), add_counts("only"), first, second, shared
        )
