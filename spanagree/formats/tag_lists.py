"""Lists of tag lists, in the layout of seqeval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Ints, Vocabulary, encode_by_first_use
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.tag_columns import TagColumn, TagOptions, read_columns
from spanagree.errors import (
    InputError,
    count_entries,
    invalid_value,
    is_iterable,
    pluralize,
    quote_value,
)
from spanagree.settings import build_reading_settings

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
    """Build a corpus from tags such as ``B-PER``, with lists of them for each annotator.

    Args:
        layers: tags of each document by annotator or system; ``None`` in place of a list means that
            the annotator never saw the document. A token with the tag −100, which training ignores,
            is left out in all layers.
        tokens: tokens of each document.
        ids: unique name for each document.
        scheme: tag scheme IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU (or a usual alias), or auto: the
            scheme of each layer.
        strict: True to read only segments that are well-formed in the scheme.
        outside: tag, or several tags, for tokens outside of segments, in addition to ``O``.
        repair: repair steps, from join-pieces, drop-repeats, latest, relocate-by-text,
            drop-misplaced, clip-beyond-text, drop-beyond-text, strip-space, widen-points,
            drop-empty, drop-unlabelled, drop-duplicates, merge-overlaps, drop-relations.

    Raises:
        InputError: if layers differ in shape, or a tag is not in the scheme.
        SettingError: if the scheme is unknown.

    >>> corpus = from_tags({"gold": [["B-PER", "I-PER", "O"]], "mine": [["B-PER", "O", "O"]]})
    >>> corpus[0].segments["mine"]
    (Segment(start=0, end=1, label='PER'),)
    """
    options = TagOptions(scheme, strict, outside=outside)
    if not isinstance(layers, Mapping) or not layers:
        raise invalid_value("layers", layers, "a mapping of names to tags, at least one, is needed")
    layers = {name: _check_documents(name, documents) for name, documents in layers.items()}
    if tokens is not None:
        tokens = [words or () for words in _check_documents("tokens", tokens)]
    lengths = _compute_lengths(layers, tokens)
    columns = {
        name: _build_tag_column(name, documents, lengths) for name, documents in layers.items()
    }
    words = None if tokens is None else chain.from_iterable(tokens)
    if any(column.has_ignored for column in columns.values()):
        options = replace(options, partial="drop-tokens")
    reading = {"format": "tags", **build_reading_settings(outside=options.outside or None)}
    raw = read_columns(columns, lengths, options, reading, unread=(), tokens=words, ids=ids)
    if repair in ((), None) and raw.details is None:  # tags without repairs have no flaws
        return Corpus.from_raw(raw)
    from spanagree.corpus.repairs import build_valid_corpus

    return build_valid_corpus(raw, repair)


def _build_tag_column(name: str, documents: Tags, lengths: Ints) -> TagColumn:
    """Build the column of an annotator's tags; `None` is a document that they did not see."""
    is_unseen = np.array([tags is None for tags in documents], dtype=np.bool_)
    seen_documents = [tags for tags in documents if tags is not None]
    try:
        tag_codes, names = _encode_tags(seen_documents)
    except TypeError:
        raise InputError(
            f"{quote_value(name)}: a tag is not a string; every tag must be one"
        ) from None
    return TagColumn.from_seen(names, tag_codes, is_unseen, lengths).remove_ignored()


def _encode_tags(documents: list[Sequence[str]]) -> tuple[Ints, tuple[str, ...]]:
    """Encode tags as integers, and list the distinct tags."""
    vocabulary = Vocabulary()
    tags = chain.from_iterable(documents)
    try:
        tag_codes: Any = np.frombuffer(bytes(map(vocabulary.__getitem__, tags)), np.uint8)
    except ValueError:  # more than 256 tags, which need more than bytes
        return encode_by_first_use(chain.from_iterable(documents))
    return tag_codes, tuple(vocabulary)


def _check_documents(name: object, documents: object) -> list[Sequence[str] | None]:
    """Check a list of documents, each a list or None; iterators are consumed into a list."""
    text_types = (str, bytes, Mapping)
    if is_iterable(documents) and not isinstance(documents, text_types):
        items = list(documents)
        other_types = (*text_types, set, frozenset)
        unusual_types = {*map(type, items)} - {list, type(None)}
        unusual = (tags for tags in items if type(tags) in unusual_types) if unusual_types else ()
        if all(
            count_entries(tags) is not None and not isinstance(tags, other_types)
            for tags in unusual
        ):
            return items
    raise InputError(
        f"{quote_value(name)}: {quote_value(documents)}; a list of documents, each a list of"
        " strings, is needed"
    )


def _compute_lengths(layers: Mapping[str, Tags], tokens: Sequence[Sequence[str]] | None) -> Ints:
    """Compute the number of tokens of each document, and check that all annotators agree on it."""
    shapes = (
        {} if tokens is None else {"tokens": np.array([len(words) for words in tokens], np.int64)}
    )
    for name, documents in layers.items():
        sizes = [-1 if tags is None else len(tags) for tags in documents]
        shapes[quote_value(name)] = np.array(sizes, np.int64)
    (first_noun, lengths), *later_shapes = shapes.items()
    for noun, layer_sizes in later_shapes:
        if len(layer_sizes) != len(lengths):
            raise InputError(
                f"{noun}: {pluralize(len(layer_sizes), 'document')}; {first_noun} has"
                f" {len(lengths)}, and each annotator needs the same (None for one never seen)"
            )
        is_different = (layer_sizes != lengths) & (layer_sizes >= 0) & (lengths >= 0)
        if is_different.any():
            document_index = int(is_different.argmax())
            raise InputError(
                f"{noun}, document {document_index + 1}:"
                f" {pluralize(int(layer_sizes[document_index]), 'tag')}; the"
                f" annotators before it have {lengths[document_index]}, and each annotator needs"
                " the same"
            )
        lengths = np.maximum(lengths, layer_sizes)
    if len(lengths) and lengths.min() < 0:
        raise InputError(
            f"document {int(lengths.argmin()) + 1}: no annotator saw it, so its length is not"
            " known; give tokens, or leave it out"
        )
    return lengths
