"""Lists of tag lists, as seqeval's users hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Vocabulary, codes
from spanagree.corpus.tag_columns import TagColumn, TagOptions, read_columns
from spanagree.errors import (
    InputError,
    invalid_value,
    is_iterable,
    length_of,
    pluralize,
    quote_value,
)
from spanagree.settings import reading_settings

if TYPE_CHECKING:
    from spanagree.choices import Repair, Scheme

Tags = Sequence[Sequence[str] | None]


def from_tags(
    layers: Mapping[str, Tags],
    *,
    tokens: Sequence[Sequence[str]] | None = None,
    ids: Sequence[str] | None = None,
    scheme: Scheme = "auto",
    strict: bool = False,
    outside: str | Sequence[str] = (),
    repair: Repair | Sequence[Repair] = (),
) -> Corpus:
    """Return the corpus of tags such as ``B-PER``, lists of them for each annotator.

    Args:
        layers: per annotator or system and document its tags; ``None`` in place of a list says
            that this annotator never saw the document. A token of tag −100, which training leaves
            out, is left out in all.
        tokens: the tokens of each document.
        ids: a unique name for each document.
        scheme: IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU (or as others call them), or
            auto: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        outside: a tag, or several, that means that nothing is marked, in addition to ``O``.
        repair: steps, of join-pieces, drop-repeats, latest, relocate-by-text, drop-misplaced,
            clip-beyond-text, drop-beyond-text, strip-space, widen-points, drop-empty,
            drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: for layers of different shape, and for tags that the scheme does not have.
        SettingError: for an unknown scheme.

    >>> corpus = from_tags({"gold": [["B-PER", "I-PER", "O"]], "mine": [["B-PER", "O", "O"]]})
    >>> corpus[0].segments["mine"]
    (Segment(start=0, end=1, label='PER'),)
    """
    options = TagOptions(scheme, strict, outside=outside)
    if not isinstance(layers, Mapping) or not layers:
        raise invalid_value("layers", layers, "a mapping of names to tags, at least one, is needed")
    layers = {name: _documents(name, documents) for name, documents in layers.items()}
    if tokens is not None:
        tokens = [words or () for words in _documents("tokens", tokens)]
    lengths = _lengths(layers, tokens)
    columns = {name: _column(name, documents, lengths) for name, documents in layers.items()}
    words = None if tokens is None else chain.from_iterable(tokens)
    if any(column.has_ignored for column in columns.values()):
        options = replace(options, partial="drop-tokens")
    reading = {"format": "tags", **reading_settings(outside=options.outside or None)}
    raw = read_columns(columns, lengths, options, reading, unread=(), tokens=words, ids=ids)
    if repair in ((), None) and raw.details is None:  # then tags give rows without flaws
        return Corpus.from_raw(raw)
    from spanagree.corpus.repairs import valid_corpus

    return valid_corpus(raw, repair)


def _column(name: str, documents: Tags, lengths: Ints) -> TagColumn:
    never = np.array([tags is None for tags in documents], dtype=np.bool_)
    seen = [tags for tags in documents if tags is not None]
    try:
        numbers, names = _codes(seen)
    except TypeError:
        raise InputError(
            f"{quote_value(name)}: a tag is not a string; every tag must be one"
        ) from None
    return TagColumn.of_seen(names, numbers, never, lengths).without_ignored()


def _codes(documents: list[Sequence[str]]) -> tuple[Ints, tuple[str, ...]]:
    """Return tags as numbers and the distinct tags: as bytes, which is faster, where they fit."""
    number = Vocabulary()
    tags = chain.from_iterable(documents)
    try:
        numbers: Any = np.frombuffer(bytes(map(number.__getitem__, tags)), np.uint8)
    except ValueError:  # more than 256 tags
        return codes(chain.from_iterable(documents))
    return numbers, tuple(number)


def _documents(name: object, documents: object) -> list[Sequence[str] | None]:
    """Return a list of documents, each a list or None; whatever may be iterated once is kept."""
    apart = (str, bytes, Mapping)
    if is_iterable(documents) and not isinstance(documents, apart):
        kept = list(documents)
        refused = (*apart, set, frozenset)
        others = {*map(type, kept)} - {list, type(None)}  # most often there are none
        odd = (tags for tags in kept if type(tags) in others) if others else ()
        if all(length_of(tags) is not None and not isinstance(tags, refused) for tags in odd):
            return kept
    raise InputError(
        f"{quote_value(name)}: {quote_value(documents)}; a list of documents, each a list of"
        " strings, is needed"
    )


def _lengths(layers: Mapping[str, Tags], tokens: Sequence[Sequence[str]] | None) -> Ints:
    """Return the length of each document; every layer that saw it must have as many tags."""
    shapes = {} if tokens is None else {"tokens": np.array([len(d) for d in tokens], np.int64)}
    for name, documents in layers.items():
        sizes = [-1 if tags is None else len(tags) for tags in documents]
        shapes[quote_value(name)] = np.array(sizes, np.int64)
    (first, lengths), *others = shapes.items()
    for what, sizes_here in others:
        if len(sizes_here) != len(lengths):
            raise InputError(
                f"{what}: {pluralize(len(sizes_here), 'document')}; {first} has {len(lengths)}, and"
                " each annotator needs the same (None for one never seen)"
            )
        differ = (sizes_here != lengths) & (sizes_here >= 0) & (lengths >= 0)
        if differ.any():
            d = int(differ.argmax())
            raise InputError(
                f"{what}, document {d + 1}: {pluralize(int(sizes_here[d]), 'tag')}; the annotators"
                f" before it have {lengths[d]}, and each annotator needs the same"
            )
        lengths = np.maximum(lengths, sizes_here)
    if len(lengths) and lengths.min() < 0:
        raise InputError(
            f"document {int(lengths.argmin()) + 1}: no annotator saw it, so its length is not"
            " known; give tokens, or leave it out"
        )
    return lengths
