"""Comparison of versions of a document, such as those in the files of two annotators."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeAlias
from unicodedata import normalize

from spanagree.errors import InputError, quote_value

Version: TypeAlias = tuple[str | None, Sequence[str] | None, int]
"""Text, tokens and length of a document, as far as they are known."""

_ONE_TEXT = (
    "all annotators need the same text (parts of one corpus are named by one pattern in quotes)"
)


def check_same_document(
    version: Version, known_version: Version, location: str, rule: str = _ONE_TEXT
) -> None:
    """Check that two versions of a document, each (text, tokens, length), are equal.

    ``rule`` ends the error message.
    """
    (text, words, size), (known_text, known_words, known_size) = version, known_version
    if text is not None and known_text is not None:
        check_same_text(text, known_text, location, rule)
    if words is not None and known_words is not None and list(words) != list(known_words):
        check_same_text(" ".join(words), " ".join(known_words), location, rule)
    if size != known_size:
        raise InputError(f"{location}: length {size}, {known_size} before; {rule}")


def check_same_text(text: str, known_text: str, location: str, rule: str = _ONE_TEXT) -> None:
    """Check that a text equals the known version; the error shows the first difference.

    ``rule`` ends the error message.
    """
    if text == known_text:
        return
    first_difference = next(i for i, (a, b) in enumerate(zip_longest(text, known_text)) if a != b)
    excerpt = slice(max(first_difference - 10, 0), first_difference + 10)
    if normalize("NFC", text) == normalize("NFC", known_text):
        how = " in its Unicode normal form alone"
    else:
        how = " in white space alone" if text.split() == known_text.split() else ""
    raise InputError(
        f"{location}: the text differs from the one before{how}, first at character"
        f" {first_difference}:"
        f" {quote_value(text[excerpt])}, not {quote_value(known_text[excerpt])}; {rule}"
    )
