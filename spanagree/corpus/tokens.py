"""Tokens in texts: where they stand, and which of them a stretch of characters takes in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.errors import InputError, show

CUTS = {
    "error": "a segment that cuts a token is an error",
    "expand": "it takes in the whole token",
    "contract": "it leaves the token out",
    "drop": "it is left out itself",
}
"""What becomes of a segment that begins or ends inside a token."""


def locate(text: str, tokens: Iterable[Any], where: str) -> tuple[list[str], list[int]]:
    """The tokens of a text and where each begins.

    Args:
        text: the text.
        tokens: what a tokenizer gave for it: strings in their order, (start, end) pairs, or
            objects with ``text`` and ``idx`` as spaCy's.
        where: names the document in an error.

    Raises:
        InputError: for a token that is not in the text where it should be.

    >>> locate("No way!", ["No", "way", "!"], "document 1")
    (['No', 'way', '!'], [0, 3, 6])
    """
    words: list[str] = []
    starts: list[int] = []
    at = 0
    if not isinstance(tokens, Iterable):
        raise InputError(f"{where}: the tokenizer gave {show(tokens)}; a list of tokens is needed")
    for token in tokens:
        if isinstance(token, str):
            word, start = token, text.find(token, at)
        elif hasattr(token, "idx"):
            word, start = token.text, token.idx
        elif hasattr(token, "__len__") and len(token) == 2:
            start, end = int(token[0]), int(token[1])
            word = text[start:end]
        else:
            raise InputError(
                f"{where}: token {show(token)}; strings, (start, end) or spaCy's tokens are needed"
            )
        if start < at or text[start : start + len(word)] != word or not word:
            raise InputError(
                f"{where}: token {show(word)} is not in the text from character {at} on; a"
                " tokenizer gives the pieces of the text in their order"
            )
        words.append(word)
        starts.append(start)
        at = start + len(word)
    return words, starts


class Taken(NamedTuple):
    """Which tokens stretches of characters take in: half-open ranges of token numbers.

    ``low`` to ``high`` are all tokens that a stretch touches, ``inner_low`` to ``inner_high``
    those that it holds whole.
    """

    low: Ints
    high: Ints
    inner_low: Ints
    inner_high: Ints

    @property
    def cuts(self) -> Bools:
        """Which stretches cut a token, or have none."""
        ragged = (self.low != self.inner_low) | (self.high != self.inner_high)
        return ragged | (self.low >= self.high)


def takes_in(start: Ints, end: Ints, token_start: Ints, token_end: Ints) -> Taken:
    """Which tokens stretches of one long line of characters take in.

    >>> taken = takes_in(np.array([1]), np.array([6]), np.array([0, 3, 6]), np.array([2, 6, 7]))
    >>> [column.tolist() for column in taken]
    [[0], [2], [1], [2]]
    """
    return Taken(
        np.searchsorted(token_end, start, side="right"),
        np.searchsorted(token_start, end, side="left"),
        np.searchsorted(token_start, start, side="left"),
        np.searchsorted(token_end, end, side="right"),
    )
