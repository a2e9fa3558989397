"""Who saw each document and what they marked in it: layers turned from annotators to documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Layer, Segment, columns_of_all


def numbered_annotations(layers: Sequence[Layer]) -> tuple[Ints, Ints, Ints]:
    """Return annotations and segments as numbers, by document and then by layer, sorted.

    A number is that of the document, times the layers, and that of the layer. With them comes the
    order of the segments: which each is, one layer after the other.
    """
    nothing = np.zeros(0, np.int64)
    seen = [np.flatnonzero(layer.annotated) * len(layers) + i for i, layer in enumerate(layers)]
    marked = [layer.document * len(layers) + i for i, layer in enumerate(layers)]
    segments = np.concatenate([nothing, *marked])
    order = np.argsort(segments, kind="stable")
    return np.sort(np.concatenate([nothing, *seen])), segments[order], order


@dataclass(frozen=True)
class ByDocument:
    """Annotations by document and annotator, in the order of the corpus, and their segments.

    Attributes:
        names: of all annotators.
        first: where the annotations of each document begin, and the end of all.
        annotator: the number of the annotator, of each annotation.
        begin: where the segments of each annotation begin, and the end of all.
        start, end, label: of each segment.
    """

    names: dict[str, None]
    first: Ints
    annotator: tuple[str, ...]
    begin: Ints
    start: Ints
    end: Ints
    label: Ints

    @classmethod
    def of(cls, layers: Mapping[str, Layer], documents: int) -> ByDocument:
        """Return the annotations of all layers over so many documents."""
        many, names = len(layers), list(layers)
        annotations, segments, order = numbered_annotations(list(layers.values()))
        _, start, end, label, _ = (column[order] for column in columns_of_all(layers.values()))
        return cls(
            dict.fromkeys(names),
            np.searchsorted(annotations, np.arange(documents + 1) * many),
            tuple(names[i] for i in (annotations % max(many, 1)).tolist()),
            np.append(np.searchsorted(segments, annotations), len(segments)),
            *(start, end, label),
        )

    def seen(self, document: int, labels: tuple[str, ...]) -> dict[str, tuple[Segment, ...]]:
        """Return what those who saw a document marked in it, by their names."""
        low, high = self.first[document : document + 2].tolist()
        begin = self.begin[low : high + 1]
        here = slice(int(begin[0]), int(begin[-1]))
        columns = (column[here].tolist() for column in (self.start, self.end, self.label))
        segments = [Segment(s, e, labels[c]) for s, e, c in zip(*columns, strict=True)]
        cuts = pairwise((begin - begin[0]).tolist())
        names = self.annotator[low:high]
        return {name: tuple(segments[a:b]) for name, (a, b) in zip(names, cuts, strict=True)}
