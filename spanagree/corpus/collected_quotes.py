"""Collection of the quotes of segments, and of quotes without a place, during reading."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from typing import Any

from spanagree.corpus.quoted_texts import Place, is_quote_at
from spanagree.corpus.raw import STANDS, UNKNOWN
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import InputError, invalid_value, quote_value


class CollectedQuotes:
    """Quotes of a source, collected one by one.

    Attributes:
        status: status of the quote of each segment, up to the last with a quote; values as in
            ``quote`` of :class:`spanagree.corpus.raw.RawCorpus`.
        texts: quotes that differ from the text at the offsets.
    """

    def __init__(self) -> None:
        self.status = array("i")
        self.texts: list[str] = []
        self._unplaced: list[tuple[int, str, str, int | None, float]] = []

    def add(
        self, segment: int, content: Place | None, pieces: Sequence[tuple[int, int]], quote: str
    ) -> None:
        """Compare the quote of a segment with the content at its pieces, and store its status.

        Args:
            segment: index of the segment.
            content: text or tokens of its document; ``None`` if unknown.
            pieces: start and end of each piece.
            quote: text of the segment in the source.
        """
        self.fill(segment)
        if content is None:
            self.status.append(UNKNOWN)
        elif _is_quote_of(content, pieces, quote):
            self.status.append(STANDS)
        else:
            self.status.append(len(self.texts))
            self.texts.append(quote)

    def fill(self, n_segments: int) -> None:
        """Add the status of segments without a quote, up to a number of segments."""
        self.status.extend([UNKNOWN] * (n_segments - len(self.status)))

    def add_unplaced(
        self, annotation: int, label: object, quote: str, location: str, size: Any, score: object
    ) -> None:
        """Add a quote of an annotation that is not in its text, with size and score if known.

        Raises:
            InputError: if the label is not a string, or the score is not a finite number.
        """
        if label is not None and not isinstance(label, str):
            raise InputError(f"{location}: label {quote_value(label)}; a string is needed")
        name = label if label is not None and label.strip() else ""
        self._unplaced.append((annotation, name, quote, size, _parse_score(score, location)))

    def set_label_of_unplaced(self, label: str) -> bool:
        """Set the label of all quotes that are not in the text; True if there are any."""
        self._unplaced = [
            (at, label, quote, size, score) for at, _, quote, size, score in self._unplaced
        ]
        return bool(self._unplaced)

    def build_unplaced(self, offsets: str) -> UnplacedQuotes | None:
        """Build the columns of quotes that are not in the text; ``None`` if there are none."""
        if not self._unplaced:
            return None
        at, labels, quotes, sizes, scores = zip(*self._unplaced, strict=True)
        return UnplacedQuotes.from_texts(at, labels, quotes, offsets, sizes, scores)


def _is_quote_of(content: Place, pieces: Sequence[tuple[int, int]], quote: str) -> bool:
    """Check if a segment of one or several pieces has the text of its quote."""
    if len(pieces) > 1:
        return are_words_of_pieces(content, pieces, quote)
    start, end = pieces[0]  # an end beyond the content may count another unit
    return end <= len(content) and is_quote_at(content, start, end, quote)


def are_words_of_pieces(content: Place, pieces: Sequence[tuple[int, int]], quote: str) -> bool:
    """Check if pieces have the words of a quote, ignoring any separators.

    >>> are_words_of_pieces("no way, no", [(0, 2), (8, 10)], "no ... no")
    True
    """
    text_of_pieces = " ".join("".join(content[start:end]) for start, end in pieces)
    words, quoted_words = ("".join(re.findall(r"\w+", text)) for text in (text_of_pieces, quote))
    return words == quoted_words if quoted_words else text_of_pieces.split() == quote.split()


def _parse_score(value: object, location: str) -> float:
    """Convert a score to a float; ``nan`` if it is missing."""
    if value is None:
        return math.nan
    try:
        score = float(value)  # type: ignore[arg-type]  # an error if it is no number
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise invalid_value(f"{location}: score", value, "a number is needed")
    return score
