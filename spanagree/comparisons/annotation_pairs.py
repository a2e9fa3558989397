"""Annotations, and comparisons of pairs of them.

An *annotation* is a document seen by one annotator, with or without segments. Only pairs of
annotators who share a document are visited. Arrays have one entry for each annotation, pair of
annotations or segment, as stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, Progress, dense_ranks, expand_ranges, find_rows
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
from spanagree.corpus.segments import Layer, concatenate_segments

CROWD = 10
"""Least number of annotators of a document for which a product is faster than single pairs."""

# segments in the first batch of pairs, small so that progress is reported early
_FIRST_BATCH = 1 << 8
_LARGEST_BATCH = 1 << 20  # segments in a batch of pairs


@dataclass(frozen=True, eq=False)
class AnnotationIndex:
    """Annotations, with one row for each document and annotator who saw it, sorted by both.

    Attributes:
        document: index of the document of each annotation.
        annotator: index of the annotator of each annotation.
        begin, end: range of the segments of each annotation, among all segments sorted by document
            and annotator.
        order: indices of the segments in this order, if they are counted layer after layer.
    """

    document: Ints
    annotator: Ints
    begin: Ints
    end: Ints
    order: Ints

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> AnnotationIndex:
        """Build the index of all annotations of a corpus."""
        layers = list(corpus.layers.values())
        empty = np.zeros(0, np.int64)
        # id of an annotation: (index of the document) · (number of layers) + index of the layer
        seen_ids = [
            np.flatnonzero(layer.annotated) * len(layers) + i for i, layer in enumerate(layers)
        ]
        segment_ids = [layer.document * len(layers) + i for i, layer in enumerate(layers)]
        annotations = np.sort(np.concatenate([empty, *seen_ids]))
        annotation_of_segment = np.concatenate([empty, *segment_ids])
        order = np.argsort(annotation_of_segment, kind="stable")
        annotation_of_segment = annotation_of_segment[order]
        begin, end = (
            np.searchsorted(annotation_of_segment, annotations, bound)
            for bound in ("left", "right")
        )
        document, annotator = np.divmod(annotations, max(len(layers), 1))
        return cls(document, annotator, begin, end, order)

    def is_crowded(self, n_documents: int) -> Bools:
        """Mask the documents with at least :data:`CROWD` annotators.

        In these, matrix products compare all pairs of annotators faster than a loop.
        """
        return np.bincount(self.document, minlength=n_documents) >= CROWD

    def concatenate_segments(self, corpus: Corpus) -> tuple[Ints, Ints, Ints]:
        """Concatenate start, end and label of all segments of the corpus, in index order."""
        _, start, end, label, _ = concatenate_segments(corpus.layers.values())
        return start[self.order], end[self.order], label[self.order]

    def concatenate_details(self, corpus: Corpus) -> SegmentDetails | None:
        """Concatenate the fragments of all segments in index order; ``None`` without fragments."""
        if not corpus.has_pieces:
            return None
        from spanagree.corpus.discontinuous import encode_shapes  # most have one piece

        index_by_shape: dict[Pieces, int] = {}
        codes = np.concatenate(encode_shapes(corpus.layers.values(), index_by_shape))
        return SegmentDetails(codes[self.order], tuple(index_by_shape))

    def build_layer(
        self, segments: Sequence[Ints], rows: Ints, details: SegmentDetails | None = None
    ) -> tuple[Layer, Ints]:
        """Build a layer with one document for each of these annotations.

        Args:
            segments: start, end and label of all segments, in index order.
            rows: rows of the annotations in the index.
            details: fragments of all segments, if a segment has several.

        Returns:
            Layer, and the position in index order of each of its segments.
        """
        segment, row = expand_ranges(self.begin[rows], self.end[rows])
        start, end, label = (column[segment] for column in segments)
        details_of_rows = (
            None if details is None else SegmentDetails(details.shape[segment], details.shapes)
        )
        return Layer(row, start, end, label, np.ones(len(rows), np.bool_), details_of_rows), segment

    def find_rows(self, document: Ints, annotator: Ints) -> Ints:
        """Find the rows of annotations by document and annotator."""
        return find_rows((self.document, self.annotator), (document, annotator))

    def sum_by_annotation(self, rows: Comparisons) -> Floats:
        """Sum matched, expected and size over all comparisons of each annotation with others.

        The shape is (annotations, 3), or (annotations, 4) with the expected size if sizes are
        random.
        """
        by_annotation = replace(rows, document=self.find_rows(rows.document, rows.first))
        return by_annotation.symmetric_table(np.arange(len(self.document)))

    def pair_annotations(
        self, *, with_itself: bool = False, documents: Bools | None = None
    ) -> tuple[Ints, Ints]:
        """Pair the annotations of each document, the earlier annotation in the index first.

        Args:
            with_itself: True to pair each annotation with itself too.
            documents: mask of the documents. Default: all.

        Returns:
            Row of the first and of the second annotation of each pair.
        """
        stop = np.searchsorted(self.document, self.document, side="right")
        low = np.arange(len(stop)) + (not with_itself)
        if documents is not None:
            stop = np.where(documents[self.document], stop, low)
        second, first = expand_ranges(low, stop)
        return first, second

    def find_annotators_of_pairs(self, documents: Bools) -> tuple[Ints, Ints, Ints]:
        """Find document, first and second annotator of all pairs of annotations.

        Args:
            documents: mask of the documents.
        """
        first, second = self.pair_annotations(documents=documents)
        return self.document[first], self.annotator[first], self.annotator[second]


class SegmentStarts(NamedTuple):
    """Segments of all annotations in index order, each with its start distribution.

    Attributes:
        starts: start distributions of all segments.
        profile: index of the start distribution of each segment.
        start, end, label: borders and label of each segment.
        chance: chance model.
        details: fragments of the segments, if a segment has several.
    """

    starts: Starts
    profile: Ints
    start: Ints
    end: Ints
    label: Ints
    chance: ChanceModel
    details: SegmentDetails | None = None

    @classmethod
    def from_corpus(
        cls, corpus: Corpus, index: AnnotationIndex, chance: ChanceModel, measure: Measure
    ) -> SegmentStarts:
        """Compute the start distributions of the segments of all annotators."""
        starts, layers = compute_start_distributions(corpus, corpus.annotators, chance, measure)
        profile = np.concatenate([layer.profile for layer in layers.values()])[index.order]
        return cls(
            starts,
            profile,
            *index.concatenate_segments(corpus),
            chance,
            index.concatenate_details(corpus),
        )

    @property
    def uniform_profiles(self) -> Profiles:
        """Start distributions of a model without a rule of places."""
        assert isinstance(self.starts, UniformStarts)
        return self.starts.profiles

    def build_layer(self, index: AnnotationIndex, rows: Ints) -> LayerWithStarts:
        """Build a layer with one document for each of these annotations, with its starts."""
        layer, segment = index.build_layer((self.start, self.end, self.label), rows, self.details)
        return LayerWithStarts(layer, self.profile[segment], self.chance)


def compare_pairs(
    corpus: Corpus,
    index: AnnotationIndex,
    pairs: tuple[Ints, Ints],
    match: str,
    chance: ChanceModel,
    progress: Progress = None,
    segment_starts: SegmentStarts | None = None,
) -> Comparisons:
    """Compare the annotations of each pair, observed and expected, by document and label.

    The layers must not have overlaps that the measure forbids; see
    :func:`spanagree.comparisons.overlaps.check_layers`.

    Args:
        corpus: annotations.
        index: index of the annotations.
        pairs: rows of the two annotations of each pair, of the same document.
        match: name of the measure.
        chance: chance model; if only systems are random, the first annotation of each pair is
            fixed.
        progress: function called with the number of finished pairs and of all pairs.
        segment_starts: segments with their start distributions, if they are known.
    """
    first, second = pairs
    report_progress = progress or (lambda cumulative_segments, total: None)
    measure = find_measure(match)
    if not len(first):
        report_progress(0, 0)
        no_rows = Comparisons.none(is_whole=measure.is_whole)
        return no_rows.named(corpus.annotators, corpus.labels)
    segment_starts = segment_starts or SegmentStarts.from_corpus(corpus, index, chance, measure)
    report_progress(0, len(first))  # the time left is estimated from here
    # canonical order by name; if only systems are random, the first annotation is fixed
    rank = dense_ranks(corpus.annotators)
    is_exchanged = rank[index.annotator[first]] > rank[index.annotator[second]]
    is_exchanged &= not chance.first_is_fixed
    first_by_name, second_by_name = (
        np.where(is_exchanged, second, first),
        np.where(is_exchanged, first, second),
    )
    n_segments = index.end - index.begin
    cumulative_segments = np.cumsum(n_segments[first_by_name] + n_segments[second_by_name])
    batches = []
    start, batch_size = 0, _FIRST_BATCH
    while start < len(first):
        n_segments_before = int(cumulative_segments[start - 1]) if start else 0
        stop = min(
            int(np.searchsorted(cumulative_segments, n_segments_before + batch_size)) + 1,
            len(first),
        )
        batch_size = min(2 * batch_size, _LARGEST_BATCH)
        a, b = (
            segment_starts.build_layer(index, rows[start:stop])
            for rows in (first_by_name, second_by_name)
        )
        rows_of_batch = compare_layers(
            a, b, segment_starts.starts, measure, max(1, len(corpus.labels))
        )
        pair = rows_of_batch.document + start
        rows_of_batch = replace(rows_of_batch, document=index.document[first[pair]]).turned(
            is_exchanged[pair]
        )
        batches.append(
            rows_of_batch.between(*(index.annotator[annotations[pair]] for annotations in pairs))
        )
        report_progress(stop, len(first))
        start = stop
    rows = Comparisons.joined(batches).named(corpus.annotators, corpus.labels)
    if not corpus.unplaced:
        return rows
    from spanagree.comparisons.unplaced_rows import (
        add_unplaced_quotes,  # most annotators give offsets
    )

    annotators = index.annotator[first], index.annotator[second]
    pairs_of_rows = index.document[first], *annotators
    return add_unplaced_quotes(
        rows, corpus, measure, pairs_of_rows, is_undefined=bool(chance.undefined)
    )
