"""Conversion of the offsets of a corpus to characters, or to tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from spanagree.choices import Cut
from spanagree.corpus.segments import AlteredSegment, Content, Layer, Segment
from spanagree.corpus.tokens import (
    CUTS,
    TokenRanges,
    count_characters,
    fit_pieces,
    join_words,
    tokenize_texts,
)
from spanagree.errors import (
    InputError,
    format_setting,
    pluralize,
    quote_value,
    write_number_of_further,
)


def convert_to_characters(content: Content, layers: Mapping[str, Layer]) -> dict[str, Any]:
    """Convert offsets from tokens to characters; return the changed attributes by name.

    Raises:
        SettingError: if the tokens are unknown.
    """
    tokens = content.known("tokens", "to_characters()")
    texts, starts = content.texts, content.token_starts
    if texts is None or starts is None:
        texts, starts = join_words(tokens, content.lengths)
    ends = starts + count_characters(tokens)
    new_layers = {}
    for name, layer in layers.items():
        first_token = content.starts[layer.document]
        bounds = {
            "start": starts[first_token + layer.start],
            "end": ends[first_token + layer.end - 1],
        }
        details = layer.details
        if details is not None:
            pieces = {
                row: tuple(
                    (int(starts[first_token[row] + s]), int(ends[first_token[row] + e - 1]))
                    for s, e in token_pieces
                )
                for row, token_pieces in details.compute_pieces_by_row(layer.start).items()
            }
            details = details.replace_pieces(pieces)
        new_layers[name] = replace(layer, **bounds, details=details)
    return {
        "lengths": count_characters(texts),
        "layers": new_layers,
        "offsets": "characters",
        "tokens": None,
        "texts": texts,
        "token_starts": None,
        "text_ends": None,
    }


def convert_to_tokens(
    content: Content,
    layers: Mapping[str, Layer],
    labels: Sequence[str],
    tokenizer: Callable[[str], Iterable[Any]],
    cut: Cut,
) -> tuple[dict[str, Any], list[AlteredSegment]]:
    """Convert offsets from characters to tokens.

    Arguments and errors are documented in :meth:`spanagree.Corpus.to_tokens`.

    Returns:
        The changed attributes of the corpus, by name; the segments that were altered or dropped.
    """
    texts = content.known("texts", "to_tokens()")
    tokens = tokenize_texts(texts, tokenizer, content.id_of)
    class_name = type(tokenizer).__name__
    tokenizer_name = (
        "space" if tokenizer is str.split else getattr(tokenizer, "__name__", class_name)
    )
    new_layers: dict[str, Layer] = {}
    changes: list[AlteredSegment] = []
    for name, layer in layers.items():
        fitted, details = fit_pieces(layer, texts, tokens, cut)
        changes += _yield_altered_segments(content, labels, name, layer, fitted, cut)
        kept_rows = np.flatnonzero(~(fitted.gone | fitted.again))
        new_layers[name] = Layer(
            layer.document[kept_rows],
            fitted.start[kept_rows],
            fitted.end[kept_rows],
            layer.label[kept_rows],
            layer.annotated,
            details and details.select(kept_rows, fitted.stands_for),
        )
    n_by_kind = Counter(change.kind for change in changes)
    text_by_kind = {
        cut: f"that cut a token: {CUTS[cut]} ({cut})",
        "duplicate": "that became the same as another left out",
    }
    notes = (
        f"{pluralize(n_by_kind[kind], 'segment')} {text}"
        for kind, text in text_by_kind.items()
        if n_by_kind[kind]
    )
    return {
        "lengths": tokens.lengths,
        "layers": new_layers,
        "offsets": "tokens",
        "tokens": tokens.words,
        "token_starts": tokens.starts,
        "text_ends": None,
        "reading": {
            **content.reading,
            "tokenizer": tokenizer_name,
            **({"cut": cut} if changes else {}),
        },
        "notes": (*content.notes, *notes),
    }, changes


def _yield_altered_segments(
    content: Content, labels: Sequence[str], name: str, layer: Layer, fitted: TokenRanges, cut: str
) -> Iterator[AlteredSegment]:
    """Yield the segments of a layer that the conversion to tokens altered or dropped.

    ``fitted`` are the converted segments, ``name`` is the annotator.

    Raises:
        InputError: if ``cut`` is error, and a segment cuts a token.
    """
    if cut == "error" and fitted.cuts.any():
        i = int(fitted.cuts.argmax())
        raise InputError(
            f"annotator {quote_value(name)}, document"
            f" {quote_value(content.id_of(int(layer.document[i])))}:"
            f" segment {layer.describe([i], labels)} cuts a token, or has none"
            f"{write_number_of_further(int(fitted.cuts.sum()))}; use"
            f" {format_setting('cut', *list(CUTS)[1:])}"
        )
    for i in np.flatnonzero(fitted.cuts | fitted.again).tolist():
        label = labels[layer.label[i]]
        old_segment = Segment(int(layer.start[i]), int(layer.end[i]), label)
        new_segment = Segment(int(fitted.start[i]), int(fitted.end[i]), label)
        is_lost = fitted.gone[i] or fitted.again[i]
        change_kind = "duplicate" if fitted.again[i] else cut
        document = content.id_of(int(layer.document[i]))
        yield AlteredSegment(
            change_kind, document, name, old_segment, None if is_lost else new_segment
        )
