"""Lists of tag lists, as seqeval's users hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.repairs import valid_corpus
from spanagree.corpus.tag_columns import InDocument, TagColumn, Vocabulary, read_columns
from spanagree.errors import InputError, show

Tags = Sequence[Sequence[str] | None]


def from_tags(
    layers: Mapping[str, Tags],
    *,
    tokens: Sequence[Sequence[str]] | None = None,
    ids: Sequence[str] | None = None,
    scheme: str = "auto",
    strict: bool = False,
    repair: str | Sequence[str] = (),
) -> Corpus:
    """A corpus from lists of tag lists.

    Args:
        layers: per annotator or system and document its tags; ``None`` in place of a list says
            that this annotator never saw the document.
        tokens: the tokens of each document.
        ids: a unique name for each document.
        scheme: the tag scheme (:data:`spanagree.tags.SCHEMES`), or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        repair: names of :data:`spanagree.draft.REPAIRS`.

    Raises:
        InputError: for layers of different shape, and for tags that the scheme does not have.
        SettingError: for an unknown scheme.

    >>> corpus = from_tags({"gold": [["B-PER", "I-PER", "O"]], "mine": [["B-PER", "O", "O"]]})
    >>> corpus[0].segments["mine"]
    (Segment(start=0, end=1, label='PER'),)
    """
    if not isinstance(layers, Mapping) or not layers:
        raise InputError(
            f"layers {show(layers)}; a mapping of names to tags, at least one, is needed"
        )
    layers = {name: _nested(name, documents) for name, documents in layers.items()}
    if tokens is not None:
        tokens = [of or () for of in _nested("tokens", tokens)]
    lengths = _lengths(layers, tokens)
    read = read_columns(
        {name: _column(name, documents, lengths) for name, documents in layers.items()},
        lengths,
        InDocument(lengths),
        scheme=scheme,
        strict=strict,
    )
    corpus = Corpus.from_raw(
        lengths,
        read.layers,
        ids=None if ids is None else tuple(ids),
        tokens=None if tokens is None else tuple(chain.from_iterable(tokens)),
        reading={"format": "tags", **read.settings},
        notes=tuple(read.notes),
    )
    return valid_corpus(RawCorpus.of(corpus), repair) if repair else corpus


def _column(name: str, documents: Tags, lengths: Ints) -> TagColumn:
    never = np.array([tags is None for tags in documents], dtype=np.bool_)
    seen = np.repeat(~never, lengths)
    number = Vocabulary()
    try:
        flat = chain.from_iterable(tags for tags in documents if tags is not None)
        codes = np.fromiter(map(number.__getitem__, flat), np.int64, int(seen.sum()))
    except TypeError:
        raise InputError(f"{show(name)}: a tag is no string; every tag must be one") from None
    if never.any():
        everywhere = np.full(len(seen), -1)
        everywhere[seen] = codes
        codes = everywhere
    return TagColumn(list(number), codes, never)


def _nested(name: object, documents: object) -> list[Sequence[str] | None]:
    """A list of documents, each a list or None; whatever may be iterated once is kept."""
    try:
        if not isinstance(documents, (str, bytes, Mapping)):
            kept = list(documents)  # type: ignore[call-overload]  # what is no list is refused here
            if all(tags is None or _is_list(tags) for tags in kept):
                return kept
    except TypeError:
        pass
    raise InputError(
        f"{show(name)}: {show(documents)}; a list of documents, each a list of strings, is needed"
    )


def _is_list(tags: object) -> bool:
    return hasattr(tags, "__len__") and not isinstance(tags, (str, bytes, Mapping, set, frozenset))


def _lengths(layers: Mapping[str, Tags], tokens: Sequence[Sequence[str]] | None) -> Ints:
    """The length of each document; every layer that saw it must have as many tags."""
    shapes = {} if tokens is None else {"tokens": np.array([len(d) for d in tokens], np.int64)}
    for name, documents in layers.items():
        sizes = [-1 if tags is None else len(tags) for tags in documents]
        shapes[show(name)] = np.array(sizes, np.int64)
    (first, lengths), *others = shapes.items()
    for what, sizes_here in others:
        if len(sizes_here) != len(lengths):
            raise InputError(
                f"{what}: {len(sizes_here)} documents; {first} has {len(lengths)}, and each layer"
                " needs the same (None for one that it never saw)"
            )
        differ = (sizes_here != lengths) & (sizes_here >= 0) & (lengths >= 0)
        if differ.any():
            d = int(differ.argmax())
            raise InputError(
                f"{what}, document {d + 1}: {sizes_here[d]} tags; the layers before it have"
                f" {lengths[d]}, and each layer needs the same"
            )
        lengths = np.maximum(lengths, sizes_here)
    if len(lengths) and lengths.min() < 0:
        raise InputError(
            f"document {int(lengths.argmin()) + 1}: no layer saw it, so its length is not known;"
            " give tokens, or leave it out"
        )
    return lengths
