"""Columns of tags, one for each layer over the same tokens: what all sources of tags share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus.segments import RawLayer
from spanagree.corpus.tags import Reading, read_tags
from spanagree.errors import InputError, check_choice, counted, printable, show

PARTIAL = {
    "error": "a document with tags on some of its tokens only is an error",
    "drop-tokens": "a token without a tag in one layer is left out in all, and counted",
}
"""What becomes of documents that a layer covers in part."""


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


class TagLayers(NamedTuple):
    """Layers read from tag columns.

    ``kept`` says which tokens are left, ``lengths`` how many each document has of them.
    """

    lengths: Ints
    kept: Bools
    layers: dict[str, RawLayer]
    notes: list[str]
    settings: dict[str, Any]


def read_columns(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    where: Callable[[str, int], str],
    *,
    sentences: Ints | None = None,
    scheme: str = "auto",
    strict: bool = False,
    partial: str = "error",
) -> TagLayers:
    """The layers of several tag columns.

    Args:
        columns: by layer.
        documents: per document its number of tokens.
        where: says where a token of a layer stands, for errors.
        sentences: per sentence its number of tokens; no segment goes beyond one. Default is the
            documents.
        scheme: the tag scheme, or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        partial: what becomes of documents that a layer covers in part, one of :data:`PARTIAL`.

    Raises:
        InputError: for tags that the scheme does not have, and documents covered in part.
        SettingError: for an unknown scheme or ``partial``.
    """
    check_choice(partial, PARTIAL, "partial")
    sentences = documents if sentences is None else sentences
    document = np.repeat(np.arange(len(documents)), documents)
    kept = np.ones(len(document), np.bool_)
    annotated = {}
    for name, column in columns.items():
        lacking = column.codes < 0
        seen = np.ones(len(documents), np.bool_) if column.never is None else ~column.never
        if lacking.any():
            missing = np.bincount(document[lacking], minlength=len(documents))
            seen &= (missing < documents) | (documents == 0)
            lacking &= seen[document]
            if lacking.any() and partial == "error":
                raise InputError(
                    f"{where(name, int(lacking.argmax()))}: no tag here, but elsewhere in the"
                    " document; a document is seen as a whole or not at all; partial drop-tokens"
                    " leaves such tokens out"
                )
            kept &= ~lacking
        annotated[name] = seen
    notes = []
    whole = bool(kept.all())
    if not whole:
        gone = int((~kept).sum())
        notes.append(f"{counted(gone, 'token')} without a tag in some layer left out in all")
        before = np.concatenate(([0], np.cumsum(kept)))
        sentences = np.diff(before[np.cumsum(sentences)], prepend=0)
        documents = np.bincount(document[kept], minlength=len(documents))
        document = document[kept]
    # the document that each sentence is in, and where in it the sentence begins
    first = np.cumsum(sentences) - sentences
    of_document = np.searchsorted(np.cumsum(documents), first, side="right")
    of_document = np.minimum(of_document, max(len(documents) - 1, 0))
    shift = first - (np.cumsum(documents) - documents)[of_document] if len(documents) else first
    left = np.flatnonzero(kept)
    layers, schemes, ill_formed = {}, {}, {}
    for name, column in columns.items():
        codes, used, sizes = column.codes if whole else column.codes[kept], left, sentences
        if not annotated[name].all():
            seen = annotated[name][document]
            codes, used = codes[seen], used[seen]
            sizes = np.where(annotated[name][of_document], sentences, 0)
        reading = read_tags(
            column.names,
            codes,
            sizes,
            scheme=scheme,
            strict=strict,
            where=lambda i, name=name, used=used: where(name, int(used[i])),  # type: ignore[misc]  # bound now
        )
        begin = shift[reading.sentence]
        layers[name] = RawLayer(
            of_document[reading.sentence],
            reading.start + begin,
            reading.end + begin,
            reading.label,
            reading.names,
            annotated[name],
        )
        notes += _notes_on(name, reading)
        schemes[name] = reading.scheme
        if reading.ill_formed:
            ill_formed[name] = reading.ill_formed
    different = {s for s in schemes.values() if s != "none"}
    if strict and len(different) > 1:
        said = ", ".join(f"{printable(name)} {of}" for name, of in schemes.items())
        notes.append(f"read strictly in different schemes ({said}); name one to compare layers")
    settings: dict[str, Any] = {"scheme": scheme, "strict": strict, "schemes": schemes}
    if ill_formed:
        settings["ill_formed"] = ill_formed
    if not whole:
        settings["partial"] = "drop-tokens"
    return TagLayers(documents, kept, layers, notes, settings)


class Vocabulary(dict[str, int]):
    """Numbers words as they come: ``map(vocabulary.__getitem__, words)`` runs without a loop."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class InDocument:
    """Says where a token stands in sources that have no lines: layer, document, token."""

    def __init__(self, documents: Ints) -> None:
        self.ends = np.cumsum(documents)

    def __call__(self, layer: str, token: int) -> str:
        d = int(np.searchsorted(self.ends, token, side="right"))
        before = int(self.ends[d - 1]) if d else 0
        return f"{show(layer)}, document {d + 1}, token {token - before + 1}"


def _notes_on(name: str, reading: Reading) -> list[str]:
    """What a user should know of how a layer's tags were read."""
    notes = []
    if reading.repaired:
        kind = "" if reading.scheme == "mixed" else f" ({reading.scheme})"
        notes.append(
            f"{printable(name)}: {reading.repaired} ill-formed tag"
            f"{'s' * (reading.repaired > 1)} read as conlleval does{kind}"
        )
    if reading.dropped:
        notes.append(
            f"{printable(name)}: {counted(reading.dropped, 'tag')} outside every"
            f" well-formed {reading.scheme} segment not counted (strict)"
        )
    return notes
