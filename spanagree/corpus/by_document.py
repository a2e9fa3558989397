"""Annotators of each document, with the ranges of their segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Layer


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

    def yield_annotators(self, document: int) -> Iterator[tuple[str, int, int]]:
        """Yield the annotators who saw a document, with the range of their segments in it."""
        annotations = slice(*self.first[document : document + 2].tolist())
        bounds = self.low[annotations].tolist(), self.high[annotations].tolist()
        return zip(self.annotator[annotations], *bounds, strict=True)
