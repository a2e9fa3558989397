"""Quotes, the text of spans in their source: where they stand in a text or in tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from spanagree.corpus.offset_units import look_up_point, yield_possible_units

Place = str | Sequence[str]
"""Content that offsets count: the characters of a text, or tokens."""


def normalize_space(text: str) -> str:
    r"""Normalize white space to single spaces, without any at the ends of the text.

    Some versions of Label Studio write a line break as a backslash and an n.

    >>> normalize_space(" New\nYork") == normalize_space("New\\nYork ")
    True
    """
    return " ".join(text.replace("\\n", "\n").split())


def is_quote_at(content: Place, start: int, end: int, quote: str) -> bool:
    """Check if a quote equals the content at offsets, ignoring case, blanks and normal form.

    Models write the tokens of their vocabulary: ``covid - 19``.

    >>> is_quote_at("Jo is", 0, 2, "jo "), is_quote_at(["New", "York"], 0, 2, "New York")
    (True, True)
    """
    content_there = content[start:end] if 0 <= start <= end else content[:0]
    if isinstance(content_there, str) and content_there == quote:
        return True
    return _normalize_fully("".join(content_there)) == _normalize_fully(quote)


def _normalize_fully(text: str) -> str:
    return "".join(normalize_space(unicodedata.normalize("NFC", text)).split()).casefold()


def count_matching_quotes(text: str, spans: Iterable[tuple[int, int, str]]) -> int:
    """Count the quotes that equal the text in any unit of :func:`yield_possible_units`.

    ``spans`` are start, end and quote of each.

    >>> count_matching_quotes("😀 Jo", [(2, 4, "Jo"), (3, 5, "Jo"), (3, 4, "Jo")])
    2
    """
    spans = [*spans]
    inexact = [span for span in spans if text[span[0] : span[1]] != span[2]]  # usually empty
    misplaced = [span for span in inexact if not is_quote_at(text, *span)]
    fits = {
        i
        for _, points in (yield_possible_units(text) if misplaced else ())
        for i, (start, end, quote) in enumerate(misplaced)
        if is_quote_at(text, look_up_point(points, start), look_up_point(points, end), quote)
    }
    return len(spans) - len(misplaced) + len(fits)


def find_nearest(content: Place, start: int, quote: str) -> tuple[int, int] | None:
    """Find a quote in the content, the occurrence nearest to an offset; ``None`` if missing.

    >>> find_nearest("to be or not to be", 12, "to be"), find_nearest(["New", "York"], 0, "York")
    ((13, 18), (1, 2))
    """
    spans = find_occurrences(content, quote)
    return min(spans, key=lambda span: abs(span[0] - start), default=None)


def find_occurrences(content: Place, quote: str) -> list[tuple[int, int]]:
    """Find start and end of all occurrences of a quote in a text or tokens.

    White space in the quote matches any white space.
    """
    words = normalize_space(quote).split()
    if not words:
        return []
    if isinstance(content, str):
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        return [match.span() for match in pattern.finditer(content)]
    token_sizes = [len("".join(token.split())) for token in content]
    token_at = {offset: i for i, offset in enumerate(np.cumsum([0, *token_sizes]).tolist())}
    joined_tokens, joined_quote = (
        "".join("".join(token.split()) for token in content),
        "".join(words),
    )
    match_starts = (
        match.start() for match in re.finditer(f"(?={re.escape(joined_quote)})", joined_tokens)
    )
    return [
        (token_at[offset], token_at[offset + len(joined_quote)])
        for offset in match_starts
        if offset in token_at and offset + len(joined_quote) in token_at
    ]
