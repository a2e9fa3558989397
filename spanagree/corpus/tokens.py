"""Tokens in texts: where they stand, and which of them a stretch of characters takes in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, first_equal_row, is_repeated_row
from spanagree.corpus.details import SegmentDetails, united_pieces
from spanagree.corpus.segments import Layer
from spanagree.errors import InputError, quote_value

CUTS = {
    "error": "a segment that cuts a token is an error",
    "expand": "it takes in the whole token",
    "contract": "it leaves the token out",
    "drop": "it is left out itself",
}
"""What becomes of a segment that begins or ends inside a token."""


def locate(text: str, tokens: Iterable[Any], location: str) -> tuple[list[str], list[int]]:
    """Return the tokens of a text and where each begins.

    Args:
        text: the text.
        tokens: what a tokenizer gave for it: strings in their order, (start, end) pairs, or
            objects with ``text`` and ``idx`` as spaCy's.
        location: names the document in an error.

    Raises:
        InputError: for a token that is not in the text where it should be.

    >>> locate("No way!", ["No", "way", "!"], "document 1")
    (['No', 'way', '!'], [0, 3, 6])
    """
    words: list[str] = []
    starts: list[int] = []
    at = 0
    if not isinstance(tokens, Iterable):
        raise InputError(
            f"{location}: the tokenizer gave {quote_value(tokens)}; a list of tokens is needed"
        )
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
                f"{location}: token {quote_value(token)}; strings, (start, end) or spaCy's tokens"
                " are needed"
            )
        if start < at or text[start : start + len(word)] != word or not word:
            raise InputError(
                f"{location}: token {quote_value(word)} is not in the text from character {at} on;"
                " a tokenizer gives the pieces of the text in their order"
            )
        words.append(word)
        starts.append(start)
        at = start + len(word)
    return words, starts


class Tokens(NamedTuple):
    """The tokens of several texts.

    On one long line of characters each text has a stretch of its own: ``stretch`` is where it
    begins, ``line`` and ``ends`` are where each token begins and ends there.
    """

    words: tuple[str, ...]
    starts: Ints
    lengths: Ints
    stretch: Ints
    line: Ints
    ends: Ints


def tokenize(
    texts: Sequence[str], tokenizer: Callable[[str], Iterable[Any]], name_of: Callable[[int], str]
) -> Tokens:
    """Return the tokens of texts; ``name_of`` gives a document's name, for errors.

    Raises:
        InputError: for tokens that are not pieces of their text.
    """
    pieces = [
        locate(text, tokenizer(text), f"document {quote_value(name_of(d))}")
        for d, text in enumerate(texts)
    ]
    words = tuple(word for some, _ in pieces for word in some)
    starts = np.array([start for _, some in pieces for start in some], np.int64)
    lengths = np.array([len(some) for some, _ in pieces], np.int64)
    sizes = np.array([len(text) for text in texts], np.int64)
    stretch = np.cumsum(sizes + 1) - sizes - 1
    line = starts + np.repeat(stretch, lengths)
    return Tokens(words, starts, lengths, stretch, line, line + sizes_of(words))


def sizes_of(words: Sequence[str]) -> Ints:
    """Return the number of characters of each word."""
    return np.array([len(word) for word in words], np.int64)


def spaced(words: Sequence[str], lengths: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return texts made of so many words each with spaces between, and where each word starts.

    >>> spaced(["No", "way", "Yes"], np.array([2, 1]))
    (('No way', 'Yes'), array([0, 3, 0]))
    """
    ends = np.cumsum(lengths)
    bounds = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
    sizes = sizes_of(words)
    before = np.append(np.cumsum(sizes + 1) - sizes - 1, 0)
    starts = before[:-1] - np.repeat(before[ends - lengths], lengths)
    return tuple(" ".join(words[a:b]) for a, b in bounds), starts


class TokenRanges(NamedTuple):
    """Segments as ranges of tokens, counted within their documents.

    ``cuts`` says which of them cut a token or have none, ``gone`` of which nothing is left, and
    ``again`` which became the same as another, and ``stands_for`` which one each is, then.
    """

    start: Ints
    end: Ints
    cuts: Bools
    gone: Bools
    again: Bools
    stands_for: Ints


def fit_pieces(
    layer: Layer, texts: Sequence[str], tokens: Tokens, cut: str
) -> tuple[TokenRanges, SegmentDetails | None]:
    """Fit segments that may have several pieces to tokens, as :func:`fit` does; return details too.

    Each piece is taken over by itself; of a segment with one that is dropped nothing is left.
    """
    details = layer.details
    if details is None or not details.shape.any():
        return fit(layer, texts, tokens, cut), details
    owner, begin, stop = details.each_piece(layer.start, layer.end)
    document = layer.document[owner]
    order = np.lexsort((owner, stop, begin, document))
    owner = owner[order]  # in place of the label
    pieces = Layer(document[order], begin[order], stop[order], owner, layer.annotated)
    fitted = fit(pieces, texts, tokens, cut)
    n = len(layer)
    low, high = np.full(n, np.iinfo(np.int64).max), np.zeros(n, np.int64)
    left = ~fitted.gone
    np.minimum.at(low, owner[left], fitted.start[left])
    np.maximum.at(high, owner[left], fitted.end[left])
    cuts = np.bincount(owner, fitted.cuts, n) > 0
    gone = np.bincount(owner, left, n) == 0
    if cut == "drop":
        gone |= np.bincount(owner, fitted.gone, n) > 0
    low[gone] = 0
    bounds: dict[int, list[tuple[int, int]]] = {}
    kept = left & ~gone[owner]
    columns = (column[kept].tolist() for column in (owner, fitted.start, fitted.end))
    for row, start, end in zip(*columns, strict=True):
        bounds.setdefault(row, []).append((start, end))
    united = {row: united_pieces(some) for row, some in bounds.items() if len(some) > 1}
    in_tokens = details.with_pieces({row: some for row, some in united.items() if len(some) > 1})
    apart = np.where(gone, -1 - np.arange(n), 0 if in_tokens is None else in_tokens.shape)
    identity = (layer.document, low, high, layer.label, apart)
    return TokenRanges(
        low, high, cuts, gone, is_repeated_row(*identity), first_equal_row(*identity)
    ), in_tokens


def fit(layer: Layer, texts: Sequence[str], tokens: Tokens, cut: str) -> TokenRanges:
    """Return the segments of a layer in characters as ranges of tokens.

    ``cut`` is one of :data:`CUTS`.
    """
    base = tokens.stretch[layer.document]
    start, end = base + layer.start, base + layer.end
    # half-open ranges of the tokens that a segment touches, and of those that it holds whole
    low = np.searchsorted(tokens.ends, start, side="right")
    high = np.searchsorted(tokens.line, end, side="left")
    inner_low = np.searchsorted(tokens.line, start, side="left")
    inner_high = np.searchsorted(tokens.ends, end, side="right")
    cuts = (low != inner_low) | (high != inner_high) | (low >= high)
    cuts |= _uncovered(layer, texts, tokens, low, high, np.flatnonzero(~cuts))
    if cut == "contract":
        low, high = inner_low, inner_high
    gone = (low >= high) | (cuts & (cut == "drop"))
    first = (np.cumsum(tokens.lengths) - tokens.lengths)[layer.document]
    start, end = low - first, high - first
    apart = np.where(gone, -1 - np.arange(len(gone)), 0)  # what is gone repeats nothing
    columns = (layer.document, start, end, layer.label, apart)
    again = is_repeated_row(*columns)
    stands_for = first_equal_row(*columns) if layer.details is not None else np.arange(len(layer))
    return TokenRanges(start, end, cuts, gone, again, stands_for)


def _uncovered(
    layer: Layer, texts: Sequence[str], tokens: Tokens, low: Ints, high: Ints, on_tokens: Ints
) -> Bools:
    """Return which segments have characters at an edge, not white space, that no token covers.

    Only those are asked that are ``on_tokens``, from ``low`` up to ``high``.
    """
    uncovered = np.zeros(len(layer), np.bool_)
    base = tokens.stretch[layer.document[on_tokens]]
    low, high = tokens.line[low[on_tokens]] - base, tokens.ends[high[on_tokens] - 1] - base
    ragged = (layer.start[on_tokens] < low) | (high < layer.end[on_tokens])
    for i, a, b in zip(on_tokens[ragged], low[ragged].tolist(), high[ragged].tolist(), strict=True):
        text = texts[layer.document[i]]
        uncovered[i] = bool((text[layer.start[i] : a] + text[b : layer.end[i]]).strip())
    return uncovered
