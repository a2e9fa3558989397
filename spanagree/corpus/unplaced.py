"""Quotes of annotators that are not in the text, so that they have no position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.errors import InputError, quote_value

UNPLACED = {
    "wrong": "they are false positives, and take part in chance as segments that match nothing",
    "ignore": "they are left out",
}
"""Treatments of quotes that are not in the text."""

NO_TEXT = "strings have no places in a text"
"""Reason why expected matches of strings are undefined."""


@dataclass(frozen=True, eq=False)
class UnplacedQuotes:
    """Quotes that are not in the text, or that occur in it less often than they were quoted.

    They are predictions that match nothing, with a label and a length but no position.

    Attributes:
        at: index of the annotation of each quote, in rows of a source; in a corpus, with quotes by
            annotator, index of the document.
        label: label of each quote; in rows of a source, empty for a quote without a label.
        size: length of each quote in units of the corpus: characters, or words between blanks.
        quote: text of each quote; empty in rows of files, which contain no text.
        score: score of each quote, ``nan`` without a score; ``None`` if no quote has a score.

    >>> quotes = UnplacedQuotes.from_texts([0, 2], ["PER", "LOC"], ["Al", "New York"], "tokens")
    >>> quotes.size.tolist()
    [1, 2]
    """

    at: Ints
    label: tuple[str, ...]
    size: Ints
    quote: tuple[str, ...]
    score: Floats | None = None

    @classmethod
    def from_texts(
        cls,
        at: Sequence[int],
        label: Iterable[str],
        quote: Sequence[str],
        offsets: str,
        size: Sequence[int | None] | None = None,
        score: Sequence[float] | None = None,
    ) -> UnplacedQuotes:
        """Measure quotes in the units of a corpus, tokens or characters.

        A known ``size`` is kept.
        """
        sizes = [
            known_size
            if known_size is not None
            else len(text.split() if offsets == "tokens" else text.strip())
            for text, known_size in zip(quote, size or [None] * len(quote), strict=True)
        ]
        scores = None if score is None or np.isnan(score).all() else np.array(score, np.float64)
        columns = np.array(at, np.int64), tuple(label), np.array(sizes, np.int64), tuple(quote)
        return cls(*columns, scores)

    @classmethod
    def concatenate(
        cls, quotes_and_counts: Iterable[tuple[UnplacedQuotes | None, int]]
    ) -> UnplacedQuotes | None:
        """Concatenate quotes, each with the number of annotations or documents before it."""
        known_quotes = [
            (quotes, n_before) for quotes, n_before in quotes_and_counts if quotes is not None
        ]
        if not known_quotes:
            return None
        return cls(
            np.concatenate([quotes.at + n_before for quotes, n_before in known_quotes]),
            tuple(label for quotes, _ in known_quotes for label in quotes.label),
            np.concatenate([quotes.size for quotes, _ in known_quotes]),
            tuple(quote for quotes, _ in known_quotes for quote in quotes.quote),
            None
            if all(quotes.score is None for quotes, _ in known_quotes)
            else np.concatenate([quotes.scores for quotes, _ in known_quotes]),
        )

    @property
    def scores(self) -> Floats:
        """Score of each quote, ``nan`` without a score."""
        return np.full(len(self), np.nan) if self.score is None else self.score

    def __len__(self) -> int:
        return len(self.at)

    def __eq__(self, other: object) -> bool:
        """Compare labels and quotes in each document, in any order."""
        if not isinstance(other, UnplacedQuotes):
            return NotImplemented
        return self._list_comparable_rows() == other._list_comparable_rows()

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def _list_comparable_rows(self) -> list[tuple[Any, ...]]:
        scores = map(str, self.scores.tolist())  # nan equals itself as a text
        columns = self.at.tolist(), self.label, self.size.tolist(), self.quote, scores
        return sorted(zip(*columns, strict=True))

    def select(self, is_kept: Bools) -> UnplacedQuotes:
        """Select quotes by mask."""
        return self.select_rows(np.flatnonzero(is_kept))

    def select_rows(self, rows: Ints) -> UnplacedQuotes:
        """Select quotes by row, repeated rows several times."""
        label, quote = (
            tuple(names[i] for i in rows.tolist()) for names in (self.label, self.quote)
        )
        score = None if self.score is None else self.score[rows]
        return UnplacedQuotes(self.at[rows], label, self.size[rows], quote, score)

    def reindex(self, new_index: Ints) -> UnplacedQuotes:
        """Replace the index of the annotation or document; −1 drops quotes."""
        remaining = self.select(new_index[self.at] >= 0)
        return replace(remaining, at=new_index[remaining.at])

    def rename_labels(
        self, new_names: Mapping[str, str], wanted_labels: Sequence[str] | None
    ) -> UnplacedQuotes:
        """Rename labels, and then select quotes of the wanted labels; ``None`` selects all."""
        label = tuple(new_names.get(name, name) for name in self.label)
        is_wanted = np.array(
            [wanted_labels is None or name in wanted_labels for name in label], np.bool_
        )
        return replace(self, label=label).select(is_wanted)

    def measure(self, count: Callable[[str], int]) -> UnplacedQuotes:
        """Measure quotes in other units."""
        size = np.array([count(quote) for quote in self.quote], np.int64)
        return replace(self, size=size)


def check_quotes(
    unplaced: Mapping[str, UnplacedQuotes],
    seen_by_annotator: Mapping[str, Bools],
    labels: Sequence[str],
) -> dict[str, UnplacedQuotes]:
    """Select the quotes of the annotators of a corpus.

    Args:
        unplaced: quotes by annotator; quotes of others are left out.
        seen_by_annotator: mask of the documents that an annotator saw, by annotator.
        labels: labels of the corpus.

    Raises:
        InputError: if a label is not in the corpus, or a document was not seen by the annotator.
    """
    quotes_by_annotator = {
        name: quotes
        for name, quotes in unplaced.items()
        if name in seen_by_annotator and len(quotes)
    }
    for name, quotes in quotes_by_annotator.items():
        if unknown := sorted({*quotes.label} - {*labels}):
            raise InputError(
                f"annotator {quote_value(name)}: no label {quote_value(unknown[0])} in the corpus"
            )
        documents = np.flatnonzero(seen_by_annotator[name])
        if not np.isin(quotes.at, documents).all():
            raise InputError(
                f"annotator {quote_value(name)}: quotes in a document that the annotator never saw"
            )
    return quotes_by_annotator
