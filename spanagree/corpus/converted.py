"""A corpus with other offsets: in characters, or in the tokens of a tokenizer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from spanagree.choices import Cut
from spanagree.corpus.segments import AlteredSegment, Content, Layer, Segment
from spanagree.corpus.tokens import CUTS, TokenRanges, fit_pieces, sizes_of, spaced, tokenize
from spanagree.errors import InputError, chosen, more_like_it, pluralize, quote_value


def in_characters(content: Content, layers: Mapping[str, Layer]) -> dict[str, Any]:
    """Return what changes in a corpus with offsets in tokens if they are in characters, by name.

    Raises:
        SettingError: if the tokens are not known.
    """
    tokens = content.known("tokens", "to_characters()")
    texts, starts = content.texts, content.token_starts
    if texts is None or starts is None:
        texts, starts = spaced(tokens, content.lengths)
    ends = starts + sizes_of(tokens)
    new_layers = {}
    for name, layer in layers.items():
        first = content.starts[layer.document]
        bounds = {"start": starts[first + layer.start], "end": ends[first + layer.end - 1]}
        details = layer.details
        if details is not None:
            pieces = {
                row: tuple(
                    (int(starts[first[row] + s]), int(ends[first[row] + e - 1])) for s, e in some
                )
                for row, some in details.pieces(layer.start).items()
            }
            details = details.with_pieces(pieces)
        new_layers[name] = replace(layer, **bounds, details=details)
    return {
        "lengths": sizes_of(texts),
        "layers": new_layers,
        "offsets": "characters",
        "tokens": None,
        "texts": texts,
        "token_starts": None,
        "text_ends": None,
    }


def in_tokens(
    content: Content,
    layers: Mapping[str, Layer],
    labels: Sequence[str],
    tokenizer: Callable[[str], Iterable[Any]],
    cut: Cut,
) -> tuple[dict[str, Any], list[AlteredSegment]]:
    """Return what changes in a corpus with offsets in characters if they are in tokens, by name.

    The second are the segments that were not taken over as they were.

    Args and errors are those of :meth:`spanagree.Corpus.to_tokens`.
    """
    texts = content.known("texts", "to_tokens()")
    tokens = tokenize(texts, tokenizer, content.id_of)
    kind = type(tokenizer).__name__
    called = "space" if tokenizer is str.split else getattr(tokenizer, "__name__", kind)
    new_layers: dict[str, Layer] = {}
    changes: list[AlteredSegment] = []
    for name, layer in layers.items():
        fitted, details = fit_pieces(layer, texts, tokens, cut)
        changes += _changes(content, labels, name, layer, fitted, cut)
        kept = np.flatnonzero(~(fitted.gone | fitted.again))
        new_layers[name] = Layer(
            layer.document[kept],
            fitted.start[kept],
            fitted.end[kept],
            layer.label[kept],
            layer.annotated,
            details and details.taken(kept, fitted.stands_for),
        )
    kinds = Counter(change.kind for change in changes)
    says = {
        cut: f"that cut a token: {CUTS[cut]} ({cut})",
        "duplicate": "that became the same as another left out",
    }
    notes = (
        f"{pluralize(kinds[kind], 'segment')} {text}" for kind, text in says.items() if kinds[kind]
    )
    return {
        "lengths": tokens.lengths,
        "layers": new_layers,
        "offsets": "tokens",
        "tokens": tokens.words,
        "token_starts": tokens.starts,
        "text_ends": None,
        "reading": {**content.reading, "tokenizer": called, **({"cut": cut} if changes else {})},
        "notes": (*content.notes, *notes),
    }, changes


def _changes(
    content: Content, labels: Sequence[str], name: str, layer: Layer, fitted: TokenRanges, cut: str
) -> Iterator[AlteredSegment]:
    """Yield the segments that were not taken over as they were; refuse them as ``cut`` says."""
    if cut == "error" and fitted.cuts.any():
        i = int(fitted.cuts.argmax())
        raise InputError(
            f"annotator {quote_value(name)}, document"
            f" {quote_value(content.id_of(int(layer.document[i])))}:"
            f" segment {layer.describe([i], labels)} cuts a token, or has none"
            f"{more_like_it(int(fitted.cuts.sum()))}; use {chosen('cut', *list(CUTS)[1:])}"
        )
    for i in np.flatnonzero(fitted.cuts | fitted.again).tolist():
        label = labels[layer.label[i]]
        before = Segment(int(layer.start[i]), int(layer.end[i]), label)
        after = Segment(int(fitted.start[i]), int(fitted.end[i]), label)
        lost = fitted.gone[i] or fitted.again[i]
        kind = "duplicate" if fitted.again[i] else cut
        document = content.id_of(int(layer.document[i]))
        yield AlteredSegment(kind, document, name, before, None if lost else after)
