"""All pairs of annotators of a crowded document, computed as one matrix product.

Matches of two annotators are an inner product of values that each has separately: observed matches,
of the segments (or tokens) that they marked; expected matches, of the probabilities that their
random segments start at a position (or cover it), because the two are independent. So the
k(k − 1)/2 pairs of a document are entries of F W Fᵀ (a Gram matrix); see
:mod:`spanagree.agreement.crowd_matrices`.

The kernel of a measure is ``equal`` if a match is a pair of equal segments, and ``cover`` if it is
the number of shared tokens. A portion is a range of documents that are laid out in memory together.
Documents are numbered among the crowded documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spanagree.agreement.coverage import SharedDocumentCounts
from spanagree.agreement.crowd_matrices import (
    MAX_VALUES,
    CrowdSegments,
    MarkedCells,
    RandomStarts,
    bound_cell_counts,
    sum_pair_products,
    yield_random_starts,
)
from spanagree.agreement.crowd_sums import PartlySummedComparisons
from spanagree.arrays import (
    Bools,
    Ints,
    Progress,
    dense_ranks,
    expand_ranges,
    find_rows,
    unique_rows,
    yield_batches,
)
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import is_long
from spanagree.comparisons.annotation_pairs import AnnotationIndex, SegmentStarts
from spanagree.comparisons.expected import find_starts_key
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.profile_correlations import compute_cover
from spanagree.comparisons.table import ALL, NO_LABEL, Comparisons
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.corpus import Corpus

_MAX_CELLS = 1 << 22  # of one F; a document that needs more is compared pair by pair
_MAX_DOCUMENTS = 1000  # documents that are laid out at a time


def sum_crowded(
    corpus: Corpus,
    crowd: AnnotationIndex,
    measure: Measure,
    chance: ChanceModel,
    progress: Progress = None,
    references: Bools | None = None,
    *,
    by_label: bool = False,
    marks: SegmentStarts | None = None,
) -> CrowdedDocuments | None:
    """Sum over the pairs of each crowded document; return ``None`` if there are none.

    A document of ten annotators or more is crowded, unless F is too large, for measures that are
    inner products. The product of a document does not depend on other documents, and products are
    added without rounding, so the order of documents and the size of portions change no digit.

    Args:
        corpus: annotators as layers.
        crowd: annotations of the corpus.
        measure: measure of matches.
        chance: chance model.
        progress: function called with the number of pairs of annotations done, and of all.
        references: mask of the annotators who are references. Default: all.
        by_label: True to count matches for each label too, if the measure regards labels.
        marks: segments of the crowd, if they are known.
    """
    is_crowded = crowd.is_crowded(len(corpus)) & (not is_long(corpus))
    if measure.kernel not in ("equal", "cover") or not is_crowded.any():
        return None
    if (
        chance.option_settings
        or chance.seed
        or find_starts_key(corpus, chance, measure) != "segments"
    ):
        return None  # not an inner product of start distributions; a seed needs single pairs
    marks = marks or SegmentStarts.from_corpus(corpus, crowd, chance, measure)
    if measure.kernel == "cover":
        profiles, profile = compute_cover(
            marks.uniform_profiles, marks.profile, marks.end - marks.start
        )
        marks = marks._replace(starts=UniformStarts(profiles), profile=profile)
    expected, observed = bound_cell_counts(corpus, crowd, marks, measure)
    documents = is_crowded & (np.maximum(expected, observed) <= _MAX_CELLS)
    if not documents.any():
        return None
    if references is None:
        references = np.ones(len(corpus.layers), np.bool_)
    portions = yield_batches(expected[documents], MAX_VALUES, _MAX_DOCUMENTS)
    n_labels = len(corpus.labels) if by_label else 0
    summed = CrowdedDocuments(corpus, crowd, marks, measure, documents, references, n_labels)
    report_progress = progress or (lambda n_done, total: None)
    report_progress(*summed.count_pairs_done(0))
    for low, high in portions:
        summed.add(low, high)
        report_progress(*summed.count_pairs_done(high))
    return summed


class CrowdedDocuments:
    """The crowded documents of a corpus: their segments, and the sums of their products.

    Attributes:
        documents: mask of the crowded documents.
        annotators: indices of their annotators, sorted by name.
        with_references: matches of each annotation of these documents with the references of its
            document, except itself: matched and expected; (2, annotations), or for each label in
            turn (2, labels · annotations).
        document_labels: pairs of a document and a label that occur, as two columns.
        totals: matched and expected of each of these pairs, summed over pairs of annotators.
        shared, sizes, matched, expected: number of shared documents, size of the first annotator,
            match and expected match of two annotators, summed over documents;
            (annotators, annotators).
    """

    def __init__(
        self,
        corpus: Corpus,
        crowd: AnnotationIndex,
        marks: SegmentStarts,
        measure: Measure,
        documents: Bools,
        references: Bools,
        n_counted_labels: int,
    ) -> None:
        """Sort the annotations of crowded documents by document and by name of the annotator.

        Args:
            corpus: annotators as layers.
            crowd: annotations of the corpus.
            marks: segments of the annotations, with their profiles.
            measure: measure of matches.
            documents: mask of the crowded documents.
            references: mask of the annotators who are references.
            n_counted_labels: number of labels that are counted separately; 0 if matches with
                references are not counted by label.
        """
        self.measure, self.profiles, self.names = measure, marks.uniform_profiles, corpus.annotators
        self.documents = documents
        self.document_indices = document_indices = np.flatnonzero(documents)
        by_name = np.argsort(dense_ranks(corpus.labels))
        self.labels = by_name if measure.of_label else np.array([NO_LABEL])
        rows = np.flatnonzero(documents[crowd.document])
        name = dense_ranks(corpus.annotators)[crowd.annotator[rows]]
        order = np.lexsort((name, crowd.document[rows]))
        rows = rows[order]
        self.reference = references[crowd.annotator[rows]].astype(np.float64)
        self.n_counted_labels = n_counted_labels
        self.with_references = np.zeros((2, max(n_counted_labels, 1) * len(rows)))
        self.document = np.searchsorted(document_indices, crowd.document[rows])
        self.count = np.bincount(self.document)
        self.first = np.cumsum([0, *self.count])
        # index of the annotator of each annotation, among annotators of these documents
        present_ranks, self.annotator_index = np.unique(name[order], return_inverse=True)
        self.annotators = np.argsort(dense_ranks(corpus.annotators))[present_ranks]
        self.corpus_order = order - self.first[self.document]  # in the order of the corpus
        segment, row = expand_ranges(crowd.begin[rows], crowd.end[rows])
        self.segments = CrowdSegments(
            self.document[row],
            row - self.first[self.document[row]],
            dense_ranks(corpus.labels)[marks.label[segment]] if measure.of_label else 0 * segment,
            marks.start[segment],
            (marks.end - marks.start)[segment],
            marks.profile[segment],
        )
        self.weight = self.segments.length if measure.in_tokens else np.ones(len(row), np.int64)
        self.size = np.bincount(row, self.weight, len(rows))
        K = len(present_ranks)
        self.shared, self.sizes = np.zeros((2, K, K))
        self.matched, self.expected = np.zeros((2, K, K))
        (document, label), self.document_label_index, _ = unique_rows(
            self.segments.document, self.segments.label
        )
        self.document_labels = document, label
        self.totals = np.zeros((2, len(self.document_labels[0])))

    def add(self, low: int, high: int) -> None:
        """Add the sums of the crowded documents with indices from ``low`` to below ``high``."""
        rows = slice(self.first[low], self.first[high])
        has_seen, marked_size = np.zeros((2, high - low, len(self.annotators)))
        has_seen[self.document[rows] - low, self.annotator_index[rows]] = 1
        marked_size[self.document[rows] - low, self.annotator_index[rows]] = self.size[rows]
        self.shared += has_seen.T @ has_seen
        self.sizes += marked_size.T @ has_seen
        segments = self.segments.select_documents(low, high)
        self._add_observed(low, high, MarkedCells.of(segments, self.measure))
        for random in yield_random_starts(segments, self.profiles, self.count):
            self._add_expected(random)

    def _index_pairs(self, document: int) -> Any:
        """Build the index that selects the annotators of a document in the matrices of sums."""
        annotators = self.annotator_index[self.first[document] : self.first[document + 1]]
        return (
            np.ix_(annotators, annotators)
            if len(annotators) < len(self.annotators)
            else slice(None)
        )

    def _add_observed(self, low: int, high: int, marked: MarkedCells) -> None:
        """Add the observed matches of the crowded documents from ``low`` to below ``high``.

        ``marked`` has the columns of F of these documents.
        """
        document, label, weight, row, column = marked
        annotation = self.first[document[column]] + row
        reference = self.reference[annotation]
        count = np.bincount(column, minlength=len(weight))
        n_references = np.bincount(column, reference, len(weight))
        document_label = self._find_document_labels(document, label)
        n_matched = weight * (count * (count - 1) // 2)
        self.totals[0] += np.bincount(document_label, n_matched, len(self.document_labels[0]))
        matched_with_references = weight[column] * (n_references[column] - reference)
        index = self._look_up_reference(label[column], annotation)
        np.add.at(self.with_references[0], index, matched_with_references)
        for document_index, product in enumerate(
            marked.yield_products(low, self.count[low:high]), low
        ):
            self.matched[self._index_pairs(document_index)] += product

    def _add_expected(self, random: RandomStarts) -> None:
        """Add the expected matches of the document of ``random``, whose F is multiplied by √W."""
        document, label, first, F = random
        product = F @ F.T
        pairs = self._index_pairs(document)
        self.expected[pairs] += product
        document_label = self._find_document_labels(np.full(len(label), document), label)
        np.add.at(self.totals[1], document_label, np.add.reduceat(sum_pair_products(F), first))
        rows = slice(self.first[document], self.first[document + 1])
        reference = self.reference[rows]
        if not self.n_counted_labels:
            matched_with_references = product @ reference - np.diagonal(product) * reference
            self.with_references[1, rows] = matched_with_references
            return
        with_references, with_itself = (
            np.add.reduceat(F * side, first, axis=1).T for side in (reference @ F, F)
        )
        index = self._look_up_reference(label[:, None], np.arange(rows.start, rows.stop))
        np.add.at(self.with_references[1], index, with_references - with_itself * reference)

    def _look_up_reference(self, label: Ints, annotation: Ints) -> Ints:
        """Return the position of annotations, or of their labels, in :attr:`with_references`."""
        return (
            self.labels[label] * len(self.size) + annotation
            if self.n_counted_labels
            else annotation
        )

    def _find_document_labels(self, document: Ints, label: Ints) -> Ints:
        """Find the positions of pairs of document and label in :attr:`document_labels`."""
        return find_rows(self.document_labels, (document, label))

    def count_pairs_done(self, high: int) -> tuple[int, int]:
        """Count the pairs of annotations in the documents before ``high``, and all pairs."""
        pairs = self.count * (self.count - 1) // 2
        return int(pairs[:high].sum()), int(pairs.sum())

    @property
    def sharing(self) -> SharedDocumentCounts:
        """Numbers of these documents that annotators share."""
        i, j = np.nonzero(np.triu(self.shared, 1))  # by name, like products
        n_shared = self.shared[i, j].astype(np.int64)
        i, j = np.sort((self.annotators[i], self.annotators[j]), axis=0)
        order = np.lexsort((j, i))
        # numbers of documents of each annotator are counted over all documents
        zeros = np.zeros(len(self.names), np.int64)
        return SharedDocumentCounts(
            self.names, 0, zeros, zeros, i[order], j[order], n_shared[order]
        )

    def join_with_rows(self, rows: Comparisons) -> PartlySummedComparisons:
        """Join these sums with rows of the documents that are not crowded."""
        documents, pairs, annotations = (
            sums.named(rows.annotators, rows.labels)
            for sums in (
                self._build_document_rows(),
                self._build_pair_rows(),
                self.build_annotation_rows(),
            )
        )
        return PartlySummedComparisons(rows, documents, pairs, annotations)

    def _build_pair_rows(self) -> Comparisons:
        """Build a row for each pair of annotators, with sums over all crowded documents."""
        i, j = np.nonzero(np.triu(self.shared, 1))
        columns = self.matched[i, j], self.sizes[i, j], self.sizes[j, i]
        matched, *sizes = (column.astype(np.int64) for column in columns)
        all_documents = np.full(len(i), ALL)
        pairs = Comparisons.of(all_documents, all_documents, matched, self.expected[i, j], sizes)
        first, second = self.annotators[i], self.annotators[j]
        is_reversed = first > second
        return pairs.turned(is_reversed).between(
            np.where(is_reversed, second, first), np.where(is_reversed, first, second)
        )

    def _build_document_rows(self) -> Comparisons:
        """Build a row for each crowded document and label, with sums over all pairs.

        The sizes of a pair are those of the first and the second annotator in the order of the
        corpus, so an annotator's size counts once for each later, or earlier, annotator.
        """
        annotation = self.first[self.segments.document] + self.segments.row
        n_later = self.count[self.segments.document] - 1 - self.corpus_order[annotation]
        matched, expected = self.totals
        document, label = self.document_labels
        sizes = [
            np.bincount(self.document_label_index, self.weight * n_partners, len(label)).astype(
                np.int64
            )
            for n_partners in (n_later, self.corpus_order[annotation])
        ]
        return Comparisons.of(
            self.document_indices[document],
            self.labels[label],
            matched.astype(np.int64),
            expected,
            sizes,
        ).between(ALL, ALL)

    def build_annotation_rows(self) -> Comparisons:
        """Build a row for each annotation, with sums over the references of its document.

        The references are all other annotators by default. If labels are counted, each label has a
        row.
        """
        n_annotations, n_labels = len(self.size), max(self.n_counted_labels, 1)
        label_index, annotation = np.divmod(np.arange(n_labels * n_annotations), n_annotations)
        document, reference = self.document[annotation], self.reference[annotation]
        segment = self.first[self.segments.document] + self.segments.row
        row = self._look_up_reference(self.segments.label, segment)
        size = np.bincount(row, self.weight, n_labels * n_annotations)
        cell = label_index * len(self.count) + document
        of_references = np.bincount(cell, size * reference)[cell]
        n_others = np.bincount(self.document, self.reference)[document] - reference
        sizes = size * n_others, of_references - size * reference
        rows = Comparisons.of(
            self.document_indices[document],
            label_index if self.n_counted_labels else np.full(n_annotations, ALL),
            self.with_references[0].astype(np.int64),
            self.with_references[1],
            [column.astype(np.int64) for column in sizes],
        )
        return rows.between(self.annotators[self.annotator_index][annotation], ALL)
