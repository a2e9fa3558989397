"""Annotations without a place: quotes of an annotator that are not in the text."""

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
"""What becomes of quotes that are not in the text."""


@dataclass(frozen=True, eq=False)
class UnplacedQuotes:
    """Quotes that are not in their text, or were quoted more often than they are in it.

    They are predictions that match nothing, so they have a label and a length but no place.

    Attributes:
        at: index of the annotation of each quote in the rows of a source; in a corpus, which keeps
            them by annotator, index of its document.
        label: label of each quote; in rows of a source, empty for one without.
        size: length of each quote in units of the corpus: characters, or words between blanks.
        quote: text of each quote; empty in rows of files, which hold no text.
        score: score of each quote, ``nan`` for one without; ``None`` if none has a score.

    >>> UnplacedQuotes.of([0, 2], ["PER", "LOC"], ["Al", "New York"], "tokens").size.tolist()
    [1, 2]
    """

    at: Ints
    label: tuple[str, ...]
    size: Ints
    quote: tuple[str, ...]
    score: Floats | None = None

    @classmethod
    def of(
        cls,
        at: Sequence[int],
        label: Iterable[str],
        quote: Sequence[str],
        offsets: str,
        size: Sequence[int | None] | None = None,
        score: Sequence[float] | None = None,
    ) -> UnplacedQuotes:
        """Measure quotes in units of the corpus, whose ``offsets`` count tokens or characters.

        A ``size`` that is known stays.
        """
        sizes = [
            known
            if known is not None
            else len(text.split() if offsets == "tokens" else text.strip())
            for text, known in zip(quote, size or [None] * len(quote), strict=True)
        ]
        scores = None if score is None or np.isnan(score).all() else np.array(score, np.float64)
        columns = np.array(at, np.int64), tuple(label), np.array(sizes, np.int64), tuple(quote)
        return cls(*columns, scores)

    @classmethod
    def joined(cls, parts: Iterable[tuple[UnplacedQuotes | None, int]]) -> UnplacedQuotes | None:
        """Join the quotes of parts, each with the number of annotations or documents before it."""
        known = [(part, n) for part, n in parts if part is not None]
        if not known:
            return None
        return cls(
            np.concatenate([part.at + n for part, n in known]),
            tuple(label for part, _ in known for label in part.label),
            np.concatenate([part.size for part, _ in known]),
            tuple(quote for part, _ in known for quote in part.quote),
            None
            if all(part.score is None for part, _ in known)
            else np.concatenate([part.scores for part, _ in known]),
        )

    @property
    def scores(self) -> Floats:
        """The score of each quote, ``nan`` for one without."""
        return np.full(len(self), np.nan) if self.score is None else self.score

    def __len__(self) -> int:
        return len(self.at)

    def __eq__(self, other: object) -> bool:
        """Return whether labels and quotes are the same in each place, in any order."""
        if not isinstance(other, UnplacedQuotes):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def _content(self) -> list[tuple[Any, ...]]:
        scores = map(str, self.scores.tolist())  # nan equals itself as a text
        columns = self.at.tolist(), self.label, self.size.tolist(), self.quote, scores
        return sorted(zip(*columns, strict=True))

    def taken(self, kept: Bools) -> UnplacedQuotes:
        """Take the quotes of a mask."""
        return self.of_rows(np.flatnonzero(kept))

    def of_rows(self, rows: Ints) -> UnplacedQuotes:
        """Take quotes by number, each as often as it is named."""
        label, quote = (
            tuple(names[i] for i in rows.tolist()) for names in (self.label, self.quote)
        )
        score = None if self.score is None else self.score[rows]
        return UnplacedQuotes(self.at[rows], label, self.size[rows], quote, score)

    def moved(self, place: Ints) -> UnplacedQuotes:
        """Give quotes the new index of their annotation or document; −1 drops them."""
        kept = self.taken(place[self.at] >= 0)
        return replace(kept, at=place[kept.at])

    def renamed(self, new: Mapping[str, str], wanted: Sequence[str] | None) -> UnplacedQuotes:
        """Rename labels, and then take the quotes of the wanted labels; ``None`` takes all."""
        label = tuple(new.get(name, name) for name in self.label)
        is_wanted = np.array([wanted is None or name in wanted for name in label], np.bool_)
        return replace(self, label=label).taken(is_wanted)

    def measured(self, count: Callable[[str], int]) -> UnplacedQuotes:
        """Measure quotes anew, in other units."""
        size = np.array([count(quote) for quote in self.quote], np.int64)
        return replace(self, size=size)


def checked(
    unplaced: Mapping[str, UnplacedQuotes], seen: Mapping[str, Bools], labels: Sequence[str]
) -> dict[str, UnplacedQuotes]:
    """Take the quotes of the annotators of a corpus.

    Args:
        unplaced: quotes by annotator; those of others are left out.
        seen: mask of the documents that an annotator saw, by annotator.
        labels: labels of the corpus.

    Raises:
        InputError: for a label that the corpus has not, or a document that the annotator never saw.
    """
    kept = {name: quotes for name, quotes in unplaced.items() if name in seen and len(quotes)}
    for name, quotes in kept.items():
        if unknown := sorted({*quotes.label} - {*labels}):
            raise InputError(
                f"annotator {quote_value(name)}: no label {quote_value(unknown[0])} in the corpus"
            )
        documents = np.flatnonzero(seen[name])
        if not np.isin(quotes.at, documents).all():
            raise InputError(
                f"annotator {quote_value(name)}: quotes in a document that the annotator never saw"
            )
    return kept
