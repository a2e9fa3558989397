"""Documents as views of a corpus: the segments and relations of each annotator in one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Content, Layer, Segment


class Relation(NamedTuple):
    """A link between two segments of one annotator; if directed, it leads from the first."""

    document: str
    annotator: str
    first: Segment
    second: Segment
    label: str
    directed: bool = True


@dataclass(frozen=True)
class Document:
    """One document with the segments of all annotators.

    ``segments`` has an entry for each annotator: a tuple of segments, empty if the annotator saw
    the document and marked nothing, ``None`` if they never saw it. ``relations`` are links between
    the segments. The document is read-only.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> corpus[0].length, corpus[0].segments["ann"][1].label
    (9, 'LOC')
    """

    id: str
    length: int
    segments: Mapping[str, tuple[Segment, ...] | None]
    tokens: tuple[str, ...] | None = None
    text: str | None = None
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.segments, SegmentsByAnnotator):
            segments_by_name = {
                name: segments for name, segments in self.segments.items() if segments is not None
            }
            object.__setattr__(
                self,
                "segments",
                SegmentsByAnnotator(segments_by_name, dict.fromkeys(self.segments)),
            )

    @property
    def seen(self) -> Mapping[str, tuple[Segment, ...]]:
        """Segments of the annotators who saw the document, in the order of all annotators."""
        assert isinstance(self.segments, SegmentsByAnnotator)  # set in __post_init__
        return MappingProxyType(self.segments.seen)


class SegmentsByAnnotator(Mapping[str, "tuple[Segment, ...] | None"]):
    """Segments of one document by annotator, a read-only mapping that can be pickled.

    Only annotators who saw the document are stored, since they may be few among thousands.
    """

    def __init__(
        self, seen: Mapping[str, tuple[Segment, ...]], names: Mapping[str, object]
    ) -> None:
        """Store segments of the annotators who saw the document; `names` are all annotators."""
        self.seen: Mapping[str, tuple[Segment, ...]] = dict(seen)
        self._names = names

    def __getitem__(self, name: str) -> tuple[Segment, ...] | None:
        if name in self.seen:
            return self.seen[name]
        if name in self._names:
            return None
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, eq=False)
class AnnotationsByDocument:
    """Annotations sorted by document, then by annotator.

    Attributes:
        names: names of all annotators.
        first: index of the first annotation of each document, and the number of annotations.
        annotator: name of the annotator of each annotation.
        low, high: range of rows of each annotation in the annotator's layer.
    """

    names: dict[str, None]
    first: Ints
    annotator: list[str]
    low: Ints
    high: Ints

    @classmethod
    def from_layers(cls, layers: Mapping[str, Layer], n_documents: int) -> AnnotationsByDocument:
        """Sort the annotations of all layers by document, and find their ranges of rows."""
        columns_by_layer: list[tuple[Ints, ...]] = [(np.zeros(0, np.int64),) * 4]
        for layer_index, layer in enumerate(layers.values()):
            seen_documents = np.flatnonzero(layer.annotated)
            low = np.searchsorted(layer.document, seen_documents)
            high = np.searchsorted(layer.document, seen_documents, side="right")
            columns_by_layer.append(
                (seen_documents, np.full(len(seen_documents), layer_index), low, high)
            )
        document, annotator, low, high = map(np.concatenate, zip(*columns_by_layer, strict=True))
        order = np.argsort(document, kind="stable")
        names = list(layers)
        return cls(
            dict.fromkeys(names),
            np.searchsorted(document[order], np.arange(n_documents + 1)),
            [names[layer_index] for layer_index in annotator[order].tolist()],
            low[order],
            high[order],
        )

    def build_document(
        self, content: Content, layers: Mapping[str, Layer], labels: Sequence[str], index: int
    ) -> Document:
        """Build a document by its index, with the segments of the annotators who saw it.

        Args:
            content: content of all documents.
            layers: layers by name, from which these annotations are.
            labels: labels of the corpus.
            index: index of the document, from 0.
        """
        seen: dict[str, tuple[Segment, ...]] = {}
        relations: list[Relation] = []
        annotations = slice(*self.first[index : index + 2].tolist())
        bounds = self.low[annotations].tolist(), self.high[annotations].tolist()
        for name, low, high in zip(self.annotator[annotations], *bounds, strict=True):
            layer = layers[name]
            seen[name] = layer.segments(low, high, labels)
            relations += yield_relations(content, name, layer, labels, low, high)
        return Document(
            content.id_of(index),
            int(content.lengths[index]),
            SegmentsByAnnotator(seen, self.names),
            None if content.tokens is None else content.tokens_of(index),
            None if content.texts is None else content.texts[index],
            tuple(relations),
        )


def yield_relations(
    content: Content, name: str, layer: Layer, labels: Sequence[str], low: int, high: int
) -> Iterator[Relation]:
    """Yield the relations that begin at segments in rows ``low`` up to ``high`` of a layer.

    Args:
        content: content of the documents.
        name: annotator of the layer.
        layer: segments with their relations.
        labels: labels of the corpus.
        low, high: range of rows.
    """
    if layer.details is None:
        return
    for first, second, label, directed in layer.details.yield_relations_from(low, high):
        document = content.id_of(int(layer.document[first]))
        head, tail = (layer.segment(row, labels) for row in (first, second))
        yield Relation(document, name, head, tail, label, directed)
