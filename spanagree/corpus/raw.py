"""What a source says, row by row, before it is checked.

A :class:`~spanagree.corpus.corpus.Corpus` is always valid. Real files are not, so every reader
first makes a :class:`RawCorpus`, which holds whatever the source says;
:func:`spanagree.corpus.repairs.valid_corpus` makes a corpus of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import LONGEST, RawLayer, codes
from spanagree.errors import InputError, is_whole, show

CONTENT = ("offsets", "ids", "tokens", "texts", "token_starts", "reading", "notes")
"""What a raw corpus and a corpus have in common, besides lengths and labels."""


@dataclass(frozen=True)
class RawCorpus:
    """The rows of a source, unchecked.

    An *annotation* is one annotator's pass over one document; a source may wrongly have two of the
    same. ``label`` is −1 where a segment has none.

    Attributes:
        lengths: per document, its length.
        annotators: the names, in the order met.
        of_document, of_annotator: per annotation, its document and its annotator.
        annotation, start, end, label: per segment.
        labels: the names of the labels, in the order met.
        offsets, ids, tokens, texts, token_starts, reading, notes: as in a corpus.
    """

    lengths: Ints
    annotators: tuple[str, ...]
    of_document: Ints
    of_annotator: Ints
    annotation: Ints
    start: Ints
    end: Ints
    label: Ints
    labels: tuple[str, ...]
    offsets: str = "tokens"
    ids: tuple[str, ...] | None = None
    tokens: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    token_starts: Ints | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def from_layers(
        cls, lengths: Ints, layers: Mapping[str, RawLayer], **content: Any
    ) -> RawCorpus:
        """Return the rows of layers that number labels each in its own way."""
        labels = tuple(dict.fromkeys(name for layer in layers.values() for name in layer.names))
        number = {name: i for i, name in enumerate(labels)}
        seen = [np.flatnonzero(layer.annotated) for layer in layers.values()]
        before = np.cumsum([0, *map(len, seen)])
        rows: list[tuple[Ints, ...]] = [(np.zeros(0, np.int64),) * 4]
        for first, layer in zip(before.tolist(), layers.values(), strict=False):
            annotation = (np.cumsum(layer.annotated) + (first - 1))[layer.document]
            united = np.array([number[name] for name in layer.names], np.int64)
            rows.append((annotation, layer.start, layer.end, united[layer.label]))
        annotation, start, end, label = map(np.concatenate, zip(*rows, strict=True))
        return cls(
            lengths,
            tuple(layers),
            np.concatenate([np.zeros(0, np.int64), *seen]),
            np.repeat(np.arange(len(seen)), np.diff(before)),
            annotation,
            start,
            end,
            label,
            labels,
            **content,
        )

    @property
    def content(self) -> dict[str, Any]:
        """What a corpus of these rows has too, by name."""
        return {name: getattr(self, name) for name in CONTENT}

    @property
    def document(self) -> Ints:
        """Per segment, its document."""
        return self.of_document[self.annotation]

    def id_of(self, index: int) -> str:
        """Return the name of a document: its id, or its number from 1."""
        return str(index + 1) if self.ids is None else self.ids[index]

    @cached_property
    def starts(self) -> Ints:
        """Per document, how many tokens or characters come before it."""
        return np.cumsum(self.lengths) - self.lengths

    def tokens_of(self, index: int) -> tuple[str, ...]:
        """Return the tokens of a document, where they are known."""
        first = int(self.starts[index])
        return (self.tokens or ())[first : first + int(self.lengths[index])]

    def place_of(self, annotation: int) -> tuple[str, str]:
        """Return annotator and document of an annotation."""
        annotator = self.annotators[self.of_annotator[annotation]]
        return annotator, self.id_of(int(self.of_document[annotation]))


def checked_length(n: object, document: int) -> int:
    """Return a document's length, which has to be a whole number that is not too large."""
    if is_whole(n) and 0 <= n <= LONGEST:
        return int(n)
    raise InputError(
        f"document {document + 1}: length {show(n)}; a whole number from 0 to {LONGEST:.3g} is"
        " needed"
    )


def layer_of_lists(name: str, documents: Any, count: int) -> RawLayer:
    """Return what an annotator marked in so many documents, from plain lists."""
    if not isinstance(documents, Sequence) or not all(
        segments is None or isinstance(segments, Sequence) for segments in documents
    ):
        raise InputError(
            f"annotator {show(name)}: {show(documents)}; a list of documents is needed, each a"
            " list of segments or None"
        )
    if len(documents) != count:
        raise InputError(
            f"annotator {show(name)}: {len(documents)} documents; {count} lengths are given, one"
            " for each is needed"
        )
    rows = [
        (d, *_bounds(segment, name, d), segment[2])
        for d, segments in enumerate(documents)
        for segment in segments or ()
    ]
    *bounds, labels = zip(*rows, strict=True) if rows else ((), (), (), ())
    annotated = np.array([segments is not None for segments in documents], np.bool_)
    document, start, end = (np.array(column, np.int64) for column in bounds)
    return RawLayer(document, start, end, *codes(labels), annotated)


def _bounds(segment: Any, annotator: str, document: int) -> tuple[int, int]:
    match segment:
        case (start, end, str() as label) if label and is_whole(start) and is_whole(end):
            if max(abs(start), abs(end)) <= LONGEST:
                return int(start), int(end)
    raise InputError(
        f"annotator {show(annotator)}, document {document + 1}: segment {show(segment)};"
        " (start, end, label) is needed, two whole numbers and a string that is not empty"
    )
