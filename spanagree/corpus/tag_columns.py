"""Columns of tags, one for each layer over the same tokens: what all sources of tags share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import RawLayer
from spanagree.corpus.tags import SCHEMES, Reading, read_tags
from spanagree.errors import InputError, check_choice, counted, printable, show

PARTIAL = {
    "error": "a document with tags on some of its tokens only is an error",
    "drop-tokens": "a token without a tag in one layer is left out in all, and counted",
}
"""What becomes of documents that a layer covers in part."""


@dataclass(frozen=True)
class TagOptions:
    """How tags are read.

    Attributes:
        scheme: the tag scheme, or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        partial: what becomes of documents that a layer covers in part, one of :data:`PARTIAL`.

    Raises:
        SettingError: for an unknown scheme or ``partial``.
    """

    scheme: str = "auto"
    strict: bool = False
    partial: str = "error"

    def __post_init__(self) -> None:
        check_choice(self.scheme, ["auto", *SCHEMES], "scheme")
        check_choice(self.partial, PARTIAL, "partial")


@dataclass(frozen=True)
class TagColumn:
    """The tags of one layer.

    Attributes:
        names: the distinct tags.
        codes: per token of all documents the index of its tag, −1 where it has none.
        never: per document, whether this annotator is known never to have seen it; a document
            without any tag was not seen either.
    """

    names: Sequence[str]
    codes: Ints
    never: Bools | None = None

    @classmethod
    def of_seen(cls, names: Sequence[str], codes: Ints, never: Bools, lengths: Ints) -> TagColumn:
        """Return the column of which only the tags of documents that were seen are given."""
        if never.any():
            everywhere = np.full(int(lengths.sum()), -1)
            everywhere[np.repeat(~never, lengths)] = codes
            codes = everywhere
        return cls(names, codes, never)


class TagLayers(NamedTuple):
    """Layers read from tag columns.

    ``kept`` says which tokens are left, ``lengths`` how many each document has of them.
    """

    lengths: Ints
    kept: Bools
    layers: dict[str, RawLayer]
    notes: list[str]
    settings: dict[str, Any]

    def to_raw(
        self,
        reading: Mapping[str, Any],
        *,
        tokens: Iterable[str] | None = None,
        ids: Iterable[str] | None = None,
        notes: Iterable[str] = (),
    ) -> RawCorpus:
        """Return the rows, with the tokens that are left of all."""
        if tokens is not None and not self.kept.all():
            tokens = compress(tokens, self.kept.tolist())
        return RawCorpus.from_layers(
            self.lengths,
            self.layers,
            ids=None if ids is None else tuple(ids),
            tokens=None if tokens is None else tuple(tokens),
            reading={**reading, **self.settings},
            notes=(*notes, *self.notes),
        )


def read_columns(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    where: Callable[[str, int], str],
    options: TagOptions,
    sentences: Ints | None = None,
) -> TagLayers:
    """Return the layers of several tag columns.

    Args:
        columns: by layer.
        documents: per document its number of tokens.
        where: says where a token of a layer stands, for errors.
        options: how tags are read.
        sentences: per sentence its number of tokens; no segment goes beyond one. Default is the
            documents.

    Raises:
        InputError: for tags that the scheme does not have, and documents covered in part.
    """
    document = np.repeat(np.arange(len(documents)), documents)
    seen, kept = _coverage(columns, documents, document, where, options.partial)
    place = np.flatnonzero(kept)
    sentences = documents if sentences is None else sentences
    notes = []
    settings: dict[str, Any] = {"scheme": options.scheme, "strict": options.strict}
    whole = len(place) == len(kept)
    if not whole:
        lost = counted(len(kept) - len(place), "token")
        notes.append(f"{lost} without a tag in some layer left out in all")
        before = np.concatenate(([0], np.cumsum(kept)))
        sentences = np.diff(before[np.cumsum(sentences)], prepend=0)
        documents = np.bincount(document[kept], minlength=len(documents))
    first, ends = np.cumsum(sentences) - sentences, np.cumsum(documents)
    in_document = np.minimum(np.searchsorted(ends, first, side="right"), len(documents) - 1)
    first -= (ends - documents)[in_document]  # where in its document each sentence begins
    layers: dict[str, RawLayer] = {}
    readings: dict[str, Reading] = {}
    for name, column in columns.items():
        reading = readings[name] = read_tags(
            column.names,
            column.codes if whole else column.codes[kept],
            sentences,
            scheme=options.scheme,
            strict=options.strict,
            where=lambda i, name=name: where(name, int(place[i])),  # type: ignore[misc]  # mypy knows no default of a lambda
        )
        bounds = reading.start + first[reading.sentence], reading.end + first[reading.sentence]
        layers[name] = RawLayer(
            in_document[reading.sentence], *bounds, reading.label, reading.names, seen[name]
        )
        notes += _notes_on(name, reading)
    schemes = settings["schemes"] = {name: reading.scheme for name, reading in readings.items()}
    if options.strict and len(set(schemes.values()) - {"none"}) > 1:
        each = ", ".join(f"{printable(name)} {scheme}" for name, scheme in schemes.items())
        notes.append(f"read strictly in different schemes ({each}); name one to compare layers")
    ill_formed = {name: r.ill_formed for name, r in readings.items() if r.ill_formed}
    settings |= {"ill_formed": ill_formed} if ill_formed else {}
    settings |= {} if whole else {"partial": "drop-tokens"}
    return TagLayers(documents, kept, layers, notes, settings)


def _coverage(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    document: Ints,
    where: Callable[[str, int], str],
    partial: str,
) -> tuple[dict[str, Bools], Bools]:
    """Return which documents each layer saw, and which tokens have a tag in all that saw them."""
    kept = np.ones(len(document), np.bool_)
    seen = {}
    for name, column in columns.items():
        lacking = column.codes < 0
        here = np.ones(len(documents), np.bool_) if column.never is None else ~column.never
        if lacking.any():
            missing = np.bincount(document[lacking], minlength=len(documents))
            here &= (missing < documents) | (documents == 0)
            lacking &= here[document]
            if lacking.any() and partial == "error":
                raise InputError(
                    f"{where(name, int(lacking.argmax()))}: no tag here, but elsewhere in the"
                    " document; a document is seen as a whole or not at all; partial drop-tokens"
                    " leaves such tokens out"
                )
            kept &= ~lacking
        seen[name] = here
    return seen, kept


class InDocument:
    """Says where a token stands in sources that have no lines: layer, document, token."""

    def __init__(self, documents: Ints) -> None:
        self.ends = np.cumsum(documents)

    def __call__(self, layer: str, token: int) -> str:
        d = int(np.searchsorted(self.ends, token, side="right"))
        before = int(self.ends[d - 1]) if d else 0
        return f"{show(layer)}, document {d + 1}, token {token - before + 1}"


def _notes_on(name: str, reading: Reading) -> list[str]:
    """Return what a user should know of how a layer's tags were read."""
    notes = []
    if reading.repaired:
        kind = "" if reading.scheme == "mixed" else f" ({reading.scheme})"
        tags = counted(reading.repaired, "ill-formed tag")
        notes.append(f"{printable(name)}: {tags} read as conlleval does{kind}")
    if reading.dropped:
        tags = counted(reading.dropped, "tag")
        notes.append(
            f"{printable(name)}: {tags} outside every well-formed {reading.scheme} segment not"
            " counted (strict)"
        )
    return notes
