"""Who saw each document and what they marked in it: layers turned from annotators to documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.segments import Layer, Segment, columns_of_all


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
        nothing = np.zeros(0, np.int64)
        many, names = len(layers), list(layers)
        seen = [np.flatnonzero(x.annotated) * many + i for i, x in enumerate(layers.values())]
        annotations = np.sort(np.concatenate([nothing, *seen]))
        of_segment = [x.document * many + i for i, x in enumerate(layers.values())]
        segments = np.concatenate([nothing, *of_segment])
        order = np.argsort(segments, kind="stable")
        _, start, end, label, _ = (column[order] for column in columns_of_all(layers.values()))
        return cls(
            dict.fromkeys(names),
            np.searchsorted(annotations, np.arange(documents + 1) * many),
            tuple(names[i] for i in (annotations % max(many, 1)).tolist()),
            np.append(np.searchsorted(segments[order], annotations), len(segments)),
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
