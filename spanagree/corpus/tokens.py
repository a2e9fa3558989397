"""Tokens of texts: their positions, and the tokens that a range of characters covers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, first_equal_row, is_repeated_row
from spanagree.corpus.details import SegmentDetails, merge_pieces
from spanagree.corpus.segments import Layer
from spanagree.errors import InputError, pluralize, quote_value

CUTS = {
    "error": "a segment that cuts a token is an error",
    "expand": "it takes in the whole token",
    "contract": "it leaves the token out",
    "drop": "it is left out itself",
}
"""Treatments of a segment that begins or ends inside a token."""


def locate_tokens(text: str, tokens: Iterable[Any], location: str) -> tuple[list[str], list[int]]:
    """Locate the tokens of a text; return the tokens and their starts.

    Args:
        text: text of the document.
        tokens: output of a tokenizer: strings in order, (start, end) pairs, or objects with
            ``text`` and ``idx``, such as spaCy tokens.
        location: name of the document, for error messages.

    Raises:
        InputError: if a token is not in the text at its position.

    >>> locate_tokens("No way!", ["No", "way", "!"], "document 1")
    (['No', 'way', '!'], [0, 3, 6])
    """
    words: list[str] = []
    starts: list[int] = []
    position = 0
    if not isinstance(tokens, Iterable):
        raise InputError(
            f"{location}: the tokenizer gave {quote_value(tokens)}; a list of tokens is needed"
        )
    for token in tokens:
        if isinstance(token, str):
            word, start = token, text.find(token, position)
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
        if start < position or text[start : start + len(word)] != word or not word:
            raise InputError(
                f"{location}: token {quote_value(word)} is not in the text from character"
                f" {position} on; a tokenizer gives the pieces of the text in their order"
            )
        words.append(word)
        starts.append(start)
        position = start + len(word)
    return words, starts


def find_token_starts(
    tokens: Sequence[str], text: str, known_starts: Sequence[int] | None, location: str
) -> list[int]:
    """Find the start of each token in a text, or check the known starts.

    Args:
        tokens: tokens of the document.
        text: text of the document.
        known_starts: start of each token, ``None`` if unknown.
        location: beginning of error messages.

    Raises:
        InputError: if a token is not in the text at its position.
    """
    tokens_or_bounds: Sequence[Any] = tokens
    if known_starts is not None:
        if len(known_starts) != len(tokens):
            raise InputError(
                f"{location}: {pluralize(len(known_starts), 'token_start')} for"
                f" {pluralize(len(tokens), 'token')}; each needs one"
            )
        tokens_or_bounds = [
            (start, start + len(token)) for start, token in zip(known_starts, tokens, strict=True)
        ]
    tokens_in_text, starts = locate_tokens(text, tokens_or_bounds, location)
    if tokens_in_text != list(tokens):
        raise InputError(
            f"{location}: at token_starts the text has {quote_value(tokens_in_text)}; the tokens"
            " have to stand there"
        )
    return starts


class Tokens(NamedTuple):
    """Tokens of several texts.

    The texts are shifted to separate ranges of one axis: ``stretch`` is the start of each text on
    it, ``line`` and ``ends`` are the start and end of each token.
    """

    words: tuple[str, ...]
    starts: Ints
    lengths: Ints
    stretch: Ints
    line: Ints
    ends: Ints


def tokenize_texts(
    texts: Sequence[str],
    tokenizer: Callable[[str], Iterable[Any]],
    look_up_name: Callable[[int], str],
) -> Tokens:
    """Tokenize texts; ``look_up_name`` returns the name of a document, for error messages.

    Raises:
        InputError: if tokens are not pieces of their text.
    """
    tokens_and_starts = [
        locate_tokens(text, tokenizer(text), f"document {quote_value(look_up_name(d))}")
        for d, text in enumerate(texts)
    ]
    words = tuple(word for items, _ in tokens_and_starts for word in items)
    starts = np.array([start for _, items in tokens_and_starts for start in items], np.int64)
    lengths = np.array([len(items) for items, _ in tokens_and_starts], np.int64)
    sizes = np.array([len(text) for text in texts], np.int64)
    stretch = np.cumsum(sizes + 1) - sizes - 1
    line = starts + np.repeat(stretch, lengths)
    return Tokens(words, starts, lengths, stretch, line, line + count_characters(words))


def count_characters(words: Sequence[str]) -> Ints:
    """Count the characters of each word."""
    return np.array([len(word) for word in words], np.int64)


def join_words(words: Sequence[str], lengths: Ints) -> tuple[tuple[str, ...], Ints]:
    """Join words to texts, with spaces between; also return the start of each word.

    ``lengths`` are the numbers of words of the texts.

    >>> join_words(["No", "way", "Yes"], np.array([2, 1]))
    (('No way', 'Yes'), array([0, 3, 0]))
    """
    ends = np.cumsum(lengths)
    bounds = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
    sizes = count_characters(words)
    line_start = np.append(np.cumsum(sizes + 1) - sizes - 1, 0)
    starts = line_start[:-1] - np.repeat(line_start[ends - lengths], lengths)
    return tuple(" ".join(words[a:b]) for a, b in bounds), starts


class TokenRanges(NamedTuple):
    """Segments as ranges of tokens within their documents.

    ``cuts`` is a mask of segments that cut a token or contain none, ``gone`` of those that are
    dropped, ``again`` of those equal to an earlier one; ``stands_for`` is the first equal segment.
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
    """Convert segments of characters, which may have several pieces, to ranges of tokens.

    Each piece is converted by :func:`fit_segments`. If a piece fits no token, the whole segment is
    dropped.
    """
    details = layer.details
    if details is None or not details.shape.any():
        return fit_segments(layer, texts, tokens, cut), details
    segment_row, piece_start, piece_end = details.list_pieces(layer.start, layer.end)
    document = layer.document[segment_row]
    order = np.lexsort((segment_row, piece_end, piece_start, document))
    segment_row = segment_row[order]  # takes the place of the label
    pieces = Layer(
        document[order], piece_start[order], piece_end[order], segment_row, layer.annotated
    )
    fitted = fit_segments(pieces, texts, tokens, cut)
    n_segments = len(layer)
    low, high = np.full(n_segments, np.iinfo(np.int64).max), np.zeros(n_segments, np.int64)
    is_left = ~fitted.gone
    np.minimum.at(low, segment_row[is_left], fitted.start[is_left])
    np.maximum.at(high, segment_row[is_left], fitted.end[is_left])
    cuts_token = np.bincount(segment_row, fitted.cuts, n_segments) > 0
    is_gone = np.bincount(segment_row, is_left, n_segments) == 0
    if cut == "drop":
        is_gone |= np.bincount(segment_row, fitted.gone, n_segments) > 0
    low[is_gone] = 0
    bounds: dict[int, list[tuple[int, int]]] = {}
    is_kept = is_left & ~is_gone[segment_row]
    columns = (column[is_kept].tolist() for column in (segment_row, fitted.start, fitted.end))
    for row, start, end in zip(*columns, strict=True):
        bounds.setdefault(row, []).append((start, end))
    merged_pieces = {
        row: merge_pieces(piece_list) for row, piece_list in bounds.items() if len(piece_list) > 1
    }
    new_details = details.replace_pieces(
        {row: piece_list for row, piece_list in merged_pieces.items() if len(piece_list) > 1}
    )
    shape_code = np.where(
        is_gone, -1 - np.arange(n_segments), 0 if new_details is None else new_details.shape
    )
    identity = (layer.document, low, high, layer.label, shape_code)
    return TokenRanges(
        low, high, cuts_token, is_gone, is_repeated_row(*identity), first_equal_row(*identity)
    ), new_details


def fit_segments(layer: Layer, texts: Sequence[str], tokens: Tokens, cut: str) -> TokenRanges:
    """Convert the segments of a layer from characters to ranges of tokens.

    ``cut`` is a name in :data:`CUTS`.
    """
    text_start = tokens.stretch[layer.document]
    start, end = text_start + layer.start, text_start + layer.end
    # half-open ranges of tokens that overlap a segment, and of tokens that are inside it
    low = np.searchsorted(tokens.ends, start, side="right")
    high = np.searchsorted(tokens.line, end, side="left")
    inner_low = np.searchsorted(tokens.line, start, side="left")
    inner_high = np.searchsorted(tokens.ends, end, side="right")
    cuts_token = (low != inner_low) | (high != inner_high) | (low >= high)
    cuts_token |= _has_uncovered_edge(layer, texts, tokens, low, high, np.flatnonzero(~cuts_token))
    if cut == "contract":
        low, high = inner_low, inner_high
    is_gone = (low >= high) | (cuts_token & (cut == "drop"))
    first_token = (np.cumsum(tokens.lengths) - tokens.lengths)[layer.document]
    start, end = low - first_token, high - first_token
    separate_code = np.where(
        is_gone, -1 - np.arange(len(is_gone)), 0
    )  # dropped segments repeat none
    columns = (layer.document, start, end, layer.label, separate_code)
    is_repeated = is_repeated_row(*columns)
    stands_for = first_equal_row(*columns) if layer.details is not None else np.arange(len(layer))
    return TokenRanges(start, end, cuts_token, is_gone, is_repeated, stands_for)


def _has_uncovered_edge(
    layer: Layer, texts: Sequence[str], tokens: Tokens, low: Ints, high: Ints, on_tokens: Ints
) -> Bools:
    """Find segments that begin or end with characters that no token covers, as a mask.

    White space needs no token. Only the segments in rows ``on_tokens`` are checked; their tokens
    are ``low`` up to ``high``.
    """
    uncovered = np.zeros(len(layer), np.bool_)
    text_start = tokens.stretch[layer.document[on_tokens]]
    low, high = (
        tokens.line[low[on_tokens]] - text_start,
        tokens.ends[high[on_tokens] - 1] - text_start,
    )
    is_ragged = (layer.start[on_tokens] < low) | (high < layer.end[on_tokens])
    for i, a, b in zip(
        on_tokens[is_ragged], low[is_ragged].tolist(), high[is_ragged].tolist(), strict=True
    ):
        text = texts[layer.document[i]]
        uncovered[i] = bool((text[layer.start[i] : a] + text[b : layer.end[i]]).strip())
    return uncovered
