"""Who saw what, and what each two annotators of the same document have in common.

Pairs of annotators who share no document are never visited: the rows here are annotations, one of
each document and annotator who saw it, and pairs of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, Progress, dense_ranks, expand_ranges, places_in
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import Profiles
from spanagree.comparisons.expected import (
    LayerWithStarts,
    compare_layers,
    compute_start_distributions,
)
from spanagree.comparisons.measures import Measure, find_measure
from spanagree.comparisons.starts import Starts
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import Pieces, SegmentDetails
from spanagree.corpus.segments import Layer, columns_of_all

CROWD = 10
"""Annotators of a document, from which on a product is faster than pairs one by one."""

_FIRST = 1 << 8  # segments of pairs that are compared first, so that progress is soon known
_PORTION = 1 << 20  # at the most at a time


@dataclass(frozen=True, eq=False)
class AnnotationIndex:
    """Annotations: a row for each document and annotator who saw it, in this order.

    Attributes:
        document: of each annotation.
        annotator: of each annotation.
        begin, end: where its segments stand among all, sorted by document and annotator.
        order: the numbers of the segments, layer after layer, in that order.
    """

    document: Ints
    annotator: Ints
    begin: Ints
    end: Ints
    order: Ints

    @classmethod
    def of(cls, corpus: Corpus) -> AnnotationIndex:
        """Return who saw what in a corpus."""
        layers = list(corpus.layers.values())
        nothing = np.zeros(0, np.int64)
        # an annotation is numbered by its document, times the layers, and its layer
        seen = [np.flatnonzero(layer.annotated) * len(layers) + i for i, layer in enumerate(layers)]
        marked = [layer.document * len(layers) + i for i, layer in enumerate(layers)]
        annotations = np.sort(np.concatenate([nothing, *seen]))
        segments = np.concatenate([nothing, *marked])
        order = np.argsort(segments, kind="stable")
        segments = segments[order]
        begin, end = (np.searchsorted(segments, annotations, side) for side in ("left", "right"))
        document, annotator = np.divmod(annotations, max(len(layers), 1))
        return cls(document, annotator, begin, end, order)

    def is_crowded(self, n_documents: int) -> Bools:
        """Mask the documents that so many annotators saw that all pairs are compared at once."""
        return np.bincount(self.document, minlength=n_documents) >= CROWD

    def segments(self, corpus: Corpus) -> tuple[Ints, Ints, Ints]:
        """Return start, end and label of all segments of the corpus, in the order of the crowd."""
        _, start, end, label, _ = columns_of_all(corpus.layers.values())
        return start[self.order], end[self.order], label[self.order]

    def details(self, corpus: Corpus) -> SegmentDetails | None:
        """Return the pieces of all segments, in the order of the crowd, if some have several."""
        if not corpus.has_pieces:
            return None
        from spanagree.corpus.discontinuous import shape_codes  # most have one piece

        known: dict[Pieces, int] = {}
        codes = np.concatenate(shape_codes(corpus.layers.values(), known))
        return SegmentDetails(codes[self.order], tuple(known))

    def side(
        self, segments: Sequence[Ints], rows: Ints, details: SegmentDetails | None = None
    ) -> tuple[Layer, Ints]:
        """Return the segments of some annotations, each as a document of its own, and which."""
        segment, row = expand_ranges(self.begin[rows], self.end[rows])
        start, end, label = (column[segment] for column in segments)
        taken_details = (
            None if details is None else SegmentDetails(details.shape[segment], details.shapes)
        )
        return Layer(row, start, end, label, np.ones(len(rows), np.bool_), taken_details), segment

    def find(self, document: Ints, annotator: Ints) -> Ints:
        """Return the rows of some annotations, by document and annotator."""
        return places_in((self.document, self.annotator), (document, annotator))

    def table(self, rows: Comparisons) -> Floats:
        """Return what each annotation, the first of some rows, adds to matched, expected and size.

        That is (annotations, 3), and where sizes are random, with the expected one, 4 columns.
        """
        by_annotation = replace(rows, document=self.find(rows.document, rows.first))
        return by_annotation.symmetric_table(np.arange(len(self.document)))

    def pairs(
        self, *, with_itself: bool = False, documents: Bools | None = None
    ) -> tuple[Ints, Ints]:
        """Return the rows of all pairs of annotations of a document, the earlier one first.

        ``documents`` says of which documents; all unless given.
        """
        last = np.searchsorted(self.document, self.document, side="right")
        low = np.arange(len(last)) + (not with_itself)
        if documents is not None:
            last = np.where(documents[self.document], last, low)
        second, first = expand_ranges(low, last)
        return first, second

    def annotators_of_pairs(self, documents: Bools) -> tuple[Ints, Ints, Ints]:
        """Return document, first and second annotator of all pairs in some documents, by number."""
        first, second = self.pairs(documents=documents)
        return self.document[first], self.annotator[first], self.annotator[second]


class SegmentStarts(NamedTuple):
    """The segments of a crowd, in its order, each with its start distribution.

    Attributes:
        starts: where all of them start.
        profile: the number of each segment in these.
        start, end, label: of each segment.
        chance: the chance model.
        details: the pieces of segments, if some have several.
    """

    starts: Starts
    profile: Ints
    start: Ints
    end: Ints
    label: Ints
    chance: ChanceModel
    details: SegmentDetails | None = None

    @classmethod
    def of(
        cls, corpus: Corpus, crowd: AnnotationIndex, chance: ChanceModel, measure: Measure
    ) -> SegmentStarts:
        """Return the segments of all annotators of a corpus."""
        starts, placed = compute_start_distributions(corpus, corpus.annotators, chance, measure)
        profile = np.concatenate([layer.profile for layer in placed.values()])[crowd.order]
        return cls(starts, profile, *crowd.segments(corpus), chance, crowd.details(corpus))

    @property
    def anywhere(self) -> Profiles:
        """The start distributions of a model without a rule of places."""
        assert isinstance(self.starts, UniformStarts)
        return self.starts.profiles

    def side(self, crowd: AnnotationIndex, rows: Ints) -> LayerWithStarts:
        """Return the segments of some annotations, each as a document of its own."""
        layer, segment = crowd.side((self.start, self.end, self.label), rows, self.details)
        return LayerWithStarts(layer, self.profile[segment], self.chance)


def compare_pairs(
    corpus: Corpus,
    crowd: AnnotationIndex,
    pairs: tuple[Ints, Ints],
    match: str,
    chance: ChanceModel,
    progress: Progress = None,
    marks: SegmentStarts | None = None,
) -> Comparisons:
    """Return what the two annotations of each pair have in common.

    The layers must not overlap themselves in the measure's sense
    (:func:`spanagree.comparisons.overlaps.check_layer`).

    Args:
        corpus: the annotators.
        crowd: their annotations.
        pairs: rows of the crowd, two of the same document each.
        match: the measure.
        chance: the chance model; of systems only, the first of each pair stays as it is.
        progress: called with the number of pairs done, and of all.
        marks: the segments of the crowd, if they are known.
    """
    first, second = pairs
    report_progress = progress or (lambda done, total: None)
    measure = find_measure(match)
    if not len(first):
        report_progress(0, 0)
        none = Comparisons.none(is_whole=measure.is_whole)
        return none.named(corpus.annotators, corpus.labels)
    marks = marks or SegmentStarts.of(corpus, crowd, chance, measure)
    report_progress(0, len(first))  # how long all takes is told from here
    # sides by name: canonical order; of systems only, the first is as it is
    rank = dense_ranks(corpus.annotators)
    turned = rank[crowd.annotator[first]] > rank[crowd.annotator[second]]
    turned &= not chance.first_is_fixed
    left, right = np.where(turned, second, first), np.where(turned, first, second)
    segments = crowd.end - crowd.begin
    done = np.cumsum(segments[left] + segments[right])
    parts = []
    low, size = 0, _FIRST
    while low < len(first):
        before = int(done[low - 1]) if low else 0
        high = min(int(np.searchsorted(done, before + size)) + 1, len(first))
        size = min(2 * size, _PORTION)
        a, b = (marks.side(crowd, rows[low:high]) for rows in (left, right))
        part = compare_layers(a, b, marks.starts, measure, max(1, len(corpus.labels)))
        pair = part.document + low
        part = replace(part, document=crowd.document[first[pair]]).turned(turned[pair])
        parts.append(part.between(*(crowd.annotator[side[pair]] for side in pairs)))
        report_progress(high, len(first))
        low = high
    rows = Comparisons.joined(parts).named(corpus.annotators, corpus.labels)
    if not corpus.unplaced:
        return rows
    from spanagree.comparisons.unplaced_rows import with_unplaced  # most annotators give offsets

    annotators = crowd.annotator[first], crowd.annotator[second]
    pairs_of_rows = crowd.document[first], *annotators
    return with_unplaced(rows, corpus, measure, pairs_of_rows, is_undefined=bool(chance.undefined))
