"""Disputed segments: those that some annotators who saw the document marked, and others did not."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, argsort_rows, unique_rows
from spanagree.comparisons.overlapping_pairs import find_overlapping_pairs
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import encode_shapes
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer, concatenate_segments


class DisputedSegments(NamedTuple):
    """Columns of all disputed segments of a corpus, as arrays of indices and counts.

    :class:`~spanagree.project.disputed_documents.Dispute` is a single row with names and texts.

    Attributes:
        document, start, end, label: columns of the segments; document and label are indices.
        marked: number of annotators who marked each segment.
        begin: index in ``who`` of the first annotator who marked each segment.
        who: indices of annotators who marked a segment, ordered by segment.
        saw: number of annotators who saw each document of the corpus.
        segments: number of distinct segments of each document of the corpus.
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    marked: Ints
    begin: Ints
    who: Ints
    saw: Ints
    segments: Ints

    def count_by_document(self) -> Ints:
        """Count the disputed segments of each document of the corpus."""
        return np.bincount(self.document, minlength=len(self.saw))

    def find_marking_annotators(self, row: int) -> list[int]:
        """Find the indices of the annotators who marked a segment."""
        first = int(self.begin[row])
        return self.who[first : first + int(self.marked[row])].tolist()

    def find_places(self, documents: Ints) -> Ints:
        """Find the place in `documents` of the document of each segment."""
        place = np.zeros(len(self.saw), np.int64)
        place[documents] = np.arange(len(documents))
        return place[self.document]

    def select(self, rows: Ints | slice) -> DisputedSegments:
        """Select segments by row, in the order of `rows`."""
        columns = {name: getattr(self, name)[rows] for name in self._fields[:6]}
        return self._replace(**columns)

    def sort_by_documents(self, documents: Ints) -> DisputedSegments:
        """Sort segments by the order of `documents`, and within a document by position."""
        return self.select(np.argsort(self.find_places(documents), kind="stable"))

    def describe_annotations(self, corpus: Corpus) -> list[tuple[str | None, ...]]:
        """Describe how each annotator annotated the text of each disputed segment.

        Returns:
            For each segment and annotator, ``marked`` for the same segment, ``nothing`` if no
            segment of the annotator overlaps it, `None` if they did not see the document, or else
            the list of overlapping segments.
        """
        order = argsort_rows(*self[:4])
        document, start, end, label = (column[order] for column in self[:4])
        disputed_layer = Layer(document, start, end, label, np.ones(len(corpus), np.bool_))
        cells_by_annotator = []
        for layer in corpus.layers.values():
            overlapping_segments = defaultdict[int, list[str]](list)
            disputed_row, layer_row = find_overlapping_pairs(
                disputed_layer, layer, disputed_layer.document, layer.document
            )
            for row, i in zip(order[disputed_row].tolist(), layer_row.tolist(), strict=True):
                segment = layer.segment(i, corpus.labels)
                text = f"{segment.start}–{segment.end} {segment.label}"
                overlapping_segments[row].append(text)
            is_seen = layer.annotated[self.document].tolist()
            cells: list[str | None] = [
                ("; ".join(overlapping_segments[row]) or "nothing") if is_seen[row] else None
                for row in range(len(order))
            ]
            cells_by_annotator.append(cells)
        for row in range(len(order)):
            for annotator in self.find_marking_annotators(row):
                cells_by_annotator[annotator][row] = "marked"
        return list(zip(*cells_by_annotator, strict=True))


def find_disputed(corpus: Corpus) -> DisputedSegments:
    """Find the disputed segments of a corpus, sorted by document, start, end and label."""
    *columns, annotator = concatenate_segments(corpus.layers.values())
    n_saw = count_seen(corpus)
    # segments with other pieces are distinct
    shapes = np.concatenate([columns[0][:0], *encode_shapes(corpus.layers.values(), {})])
    (*distinct_columns, _), inverse, n_marked = unique_rows(*columns, shapes)
    document, start, end, label = distinct_columns
    all_segments = DisputedSegments(
        document,
        start,
        end,
        label,
        marked=n_marked,
        begin=np.cumsum(n_marked) - n_marked,
        who=annotator[np.argsort(inverse, kind="stable")],
        saw=n_saw,
        segments=np.bincount(document, minlength=len(corpus)),
    )
    return all_segments.select(np.flatnonzero(n_marked < n_saw[document]))
