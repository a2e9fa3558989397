"""Who saw each document, and which segments of their layers lie in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Layer


@dataclass(frozen=True, eq=False)
class AnnotationsByDocument:
    """Annotations in the order of their documents, then of the annotators.

    Attributes:
        names: the names of all annotators.
        first: per document, the number of its first annotation; at the end, that of all.
        annotator: per annotation, the name of the annotator.
        low, high: per annotation, where its segments begin and end in the annotator's layer.
    """

    names: dict[str, None]
    first: Ints
    annotator: list[str]
    low: Ints
    high: Ints

    @classmethod
    def of(cls, layers: Mapping[str, Layer], documents: int) -> AnnotationsByDocument:
        """Return the annotations of all layers over so many documents."""
        parts: list[tuple[Ints, ...]] = [(np.zeros(0, np.int64),) * 4]
        for number, layer in enumerate(layers.values()):
            seen = np.flatnonzero(layer.annotated)
            low = np.searchsorted(layer.document, seen)
            high = np.searchsorted(layer.document, seen, side="right")
            parts.append((seen, np.full(len(seen), number), low, high))
        document, annotator, low, high = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(document, kind="stable")
        names = list(layers)
        return cls(
            dict.fromkeys(names),
            np.searchsorted(document[order], np.arange(documents + 1)),
            [names[number] for number in annotator[order].tolist()],
            low[order],
            high[order],
        )

    def in_document(self, document: int) -> Iterator[tuple[str, int, int]]:
        """Yield who saw a document, and where their segments in it begin and end."""
        here = slice(*self.first[document : document + 2].tolist())
        bounds = self.low[here].tolist(), self.high[here].tolist()
        return zip(self.annotator[here], *bounds, strict=True)
