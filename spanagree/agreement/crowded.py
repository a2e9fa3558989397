"""All pairs of annotators of a crowded document, computed as one matrix product.

Matches of two annotators are an inner product of values that each has separately: observed matches,
of the segments (or tokens) that they marked; expected matches, of the probabilities that their
random segments start at a position (or cover it), because the two are independent. So the
k(k − 1)/2 pairs of a document are entries of F W Fᵀ (a Gram matrix). F has a row for each annotator
and a column for each segment, token or start that two may share; W has the weights of the columns.
A profile is the distribution of the start of a random segment; that of its cover has the
probability that the segment covers a token. Both are symmetric: the probabilities at the beginning
of a document, the edge, occur at its end too, and all starts between the edges have one
probability, the middle. So the columns of a profile are its edge, with weight 2, and its middle,
with the number of starts that it stands for as weight.

The kernel of a measure is ``equal`` if a match is a pair of equal segments, and ``cover`` if it is
the number of shared tokens. A cell of F is one of its entries. A portion is a range of documents
that are laid out in memory together. Documents are numbered among the crowded documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.coverage import SharedDocumentCounts
from spanagree.agreement.crowd_sums import PartlySummedComparisons
from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    Progress,
    dense_ranks,
    expand_ranges,
    find_rows,
    unique,
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
_MAX_VALUES = 1 << 20  # values that are laid out at a time
_MAX_DOCUMENTS = 1000  # documents that are laid out at a time
_MAX_SINGLE = 1 << 24  # integers up to this are exact in single precision


class PairSums(NamedTuple):
    """Matches and sizes of all pairs of annotators of a crowded document.

    Attributes:
        annotators: index of each annotator of the document, among all annotators of crowded
            documents.
        sums: matched, expected and the size of both annotators of each pair, with 0 on the
            diagonal, (3, annotators, annotators); by index of each label that occurs, or under
            ``NO_LABEL``.
    """

    annotators: Ints
    sums: dict[int, Floats]


class _Segments(NamedTuple):
    """The segments of crowded documents, sorted by document and name of the annotator.

    Attributes:
        document: index of the document of each segment.
        row: position of the annotator of each segment in the document, by name.
        label: index of the label of each segment, by name; 0 if the measure ignores labels.
        start, length, profile: start, length and profile index of each segment.
    """

    document: Ints
    row: Ints
    label: Ints
    start: Ints
    length: Ints
    profile: Ints

    def select_documents(self, low: int, high: int) -> _Segments:
        """Select the segments of a range of documents."""
        rows = slice(*np.searchsorted(self.document, (low, high)).tolist())
        return _Segments(*(column[rows] for column in self))


class _MarkedPositions(NamedTuple):
    """Columns of F for marked segments or tokens, and the cells that are 1, by document.

    Attributes:
        document, label, weight: document, label and weight of each column.
        row, column: position of each cell.
    """

    document: Ints
    label: Ints
    weight: Ints
    row: Ints
    column: Ints

    def yield_products(self, low: int, annotators: Ints) -> Iterator[Floats]:
        """Yield F W Fᵀ of each document from ``low``; ``annotators`` has their numbers."""
        for _, W, F in self.yield_columns(low, annotators):
            yield _multiply(W, F)

    def yield_columns(self, low: int, annotators: Ints) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Yield the labels of columns, their weights W, and F, document by document.

        Args:
            low: index of the first document.
            annotators: number of annotators of each of the documents.
        """
        borders = np.arange(low, low + len(annotators) + 1)
        columns = np.searchsorted(self.document, borders).tolist()
        cells = np.searchsorted(self.document[self.column], borders).tolist()
        for i, k in enumerate(annotators.tolist()):
            begin, end = columns[i : i + 2]
            cell_range = slice(*cells[i : i + 2])
            W = self.weight[begin:end].astype(np.float64)
            if W.sum() < _MAX_SINGLE:
                W = W.astype(np.float32)
            F = np.zeros((k, end - begin), W.dtype)
            F[self.row[cell_range], self.column[cell_range] - begin] = 1
            yield self.label[begin:end], W, F


def _multiply(W: Floats, F: Floats) -> Floats:
    """Compute F W Fᵀ."""
    return (F if (W == 1).all() else F * W) @ F.T  # for F @ F.T only one half is computed


class _Random(NamedTuple):
    """Starts of the random segments of a document, or tokens that they cover.

    Segments with the same label and the same number of possible starts are of one kind. The columns
    of F are the starts of one kind after the other: first edges, which occur at both ends and
    therefore have weight 2, then middles.

    Attributes:
        document: index of the document.
        label: label of each kind.
        first: first column of each kind.
        F: F √W; (annotators, columns).
    """

    document: int
    label: Ints
    first: Ints
    F: Floats

    def select_columns_of_label(self, label: int) -> Floats:
        """Select the columns of F for a label."""
        first = np.append(self.first, self.F.shape[1])
        return self.F[:, slice(*first[np.searchsorted(self.label, (label, label + 1))].tolist())]


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
    crowded = find_crowded(
        corpus, crowd, measure, chance, references, by_label=by_label, marks=marks
    )
    if crowded is None:
        return None
    report_progress = progress or (lambda n_done, total: None)
    report_progress(*crowded.count_pairs_done(0))
    for low, high in crowded.portions:
        crowded.add(low, high)
        report_progress(*crowded.count_pairs_done(high))
    return crowded


def find_crowded(
    corpus: Corpus,
    crowd: AnnotationIndex,
    measure: Measure,
    chance: ChanceModel,
    references: Bools | None = None,
    *,
    by_label: bool = False,
    marks: SegmentStarts | None = None,
) -> CrowdedDocuments | None:
    """Find the crowded documents of a corpus, and lay them out without computing sums.

    The result is ``None`` if no document is crowded, or if the measure or the chance model is not
    an inner product. The arguments are as for :func:`sum_crowded`.
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
    expected, observed = _bound_cell_counts(corpus, crowd, marks, measure)
    documents = is_crowded & (np.maximum(expected, observed) <= _MAX_CELLS)
    if not documents.any():
        return None
    if references is None:
        references = np.ones(len(corpus.layers), np.bool_)
    portions = [*yield_batches(expected[documents], _MAX_VALUES, _MAX_DOCUMENTS)]
    n_labels = len(corpus.labels) if by_label else 0
    return CrowdedDocuments(
        corpus, crowd, marks, measure, documents, references, portions, n_labels
    )


def _bound_cell_counts(
    corpus: Corpus, crowd: AnnotationIndex, marks: SegmentStarts, measure: Measure
) -> tuple[Ints, Ints]:
    """Compute upper bounds of the number of cells of F, for each document of the corpus.

    Args:
        corpus: annotators as layers.
        crowd: annotations of the corpus.
        marks: segments of the annotations, with their profiles.
        measure: measure of matches.

    Returns:
        Bound for expected matches and bound for observed matches, (documents,) each.
    """
    annotation = np.repeat(np.arange(len(crowd.document)), crowd.end - crowd.begin)
    document = crowd.document[annotation]
    n_starts = marks.uniform_profiles.size[marks.profile]  # equal for segments of one length
    label = marks.label if measure.of_label else 0 * document
    (document_index, _, _), inverse, _ = unique_rows(document, label, n_starts)
    width_of_kind = np.zeros(len(document_index), np.int64)
    np.maximum.at(width_of_kind, inverse, marks.uniform_profiles.width[marks.profile] + 1)
    n_expected_columns = np.bincount(document_index, width_of_kind, len(corpus)).astype(np.int64)
    n_observed_columns = 2 * np.bincount(document, minlength=len(corpus))
    n_annotators = np.bincount(crowd.document, minlength=len(corpus))
    return n_annotators * n_expected_columns, n_annotators * n_observed_columns


def _sum_pair_products(F: Floats) -> Floats:
    """Compute Σ F[i] F[j] over all rows i < j, for each column; halves of the rows are paired."""
    total = np.zeros(F.shape[1])
    while len(F) > 1:
        n_half = len(F) // 2
        first, second = F[:n_half], F[n_half : 2 * n_half]
        total += np.einsum("ij,ij->j", first, second)
        F = np.concatenate((first + second, F[2 * n_half :]))
    return total


class CrowdedDocuments:
    """The crowded documents of a corpus: their segments, and the sums of their products.

    Iterate over it for the pairs of one document after the other, which are not kept.

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
        portions: Sequence[tuple[int, int]],
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
            portions: ranges of crowded documents that are laid out together.
            n_counted_labels: number of labels that are counted separately; 0 if matches with
                references are not counted by label.
        """
        self.measure, self.profiles, self.names = measure, marks.uniform_profiles, corpus.annotators
        self.documents, self.portions = documents, portions
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
        self.segments = _Segments(
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
        self._add_observed(low, high, self._select_marked(segments))
        for random in self._yield_random(segments):
            self._add_expected(random)

    def _index_pairs(self, document: int) -> Any:
        """Build the index that selects the annotators of a document in the matrices of sums."""
        annotators = self.annotator_index[self.first[document] : self.first[document + 1]]
        return (
            np.ix_(annotators, annotators)
            if len(annotators) < len(self.annotators)
            else slice(None)
        )

    def _add_observed(self, low: int, high: int, marked: _MarkedPositions) -> None:
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

    def _add_expected(self, random: _Random) -> None:
        """Add the expected matches of the document of ``random``, whose F is multiplied by √W."""
        document, label, first, F = random
        product = F @ F.T
        pairs = self._index_pairs(document)
        self.expected[pairs] += product
        document_label = self._find_document_labels(np.full(len(label), document), label)
        np.add.at(self.totals[1], document_label, np.add.reduceat(_sum_pair_products(F), first))
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

    def __iter__(self) -> Iterator[PairSums]:
        """Yield the pairs of one document after the other."""
        for low, high in self.portions:
            yield from self._yield_pair_sums(low, high)

    def _yield_pair_sums(self, low: int, high: int) -> Iterator[PairSums]:
        """Yield matches and sizes of all pairs, document by document from ``low`` to ``high``."""
        segments_of_documents = self.segments.select_documents(low, high)
        layouts = self._select_marked(segments_of_documents).yield_columns(
            low, self.count[low:high]
        )
        random_by_document = {
            random.document: random for random in self._yield_random(segments_of_documents)
        }
        for document, (label_of_column, W, F) in enumerate(layouts, low):
            label_range = slice(
                *np.searchsorted(self.document_labels[0], (document, document + 1)).tolist()
            )
            labels, n_annotators = self.document_labels[1][label_range], int(self.count[document])
            segments = slice(
                *np.searchsorted(self.segments.document, (document, document + 1)).tolist()
            )
            label_and_row = (
                self.document_label_index[segments] - label_range.start
            ) * n_annotators + self.segments.row[segments]
            sizes = np.bincount(
                label_and_row, self.weight[segments], len(labels) * n_annotators
            ).reshape(-1, n_annotators)
            sums = {}
            for label, size in zip(labels.tolist(), sizes, strict=True):
                matched, expected, size_sum = label_sums = np.empty((3, n_annotators, n_annotators))
                sums[int(self.labels[label])] = label_sums
                columns = slice(*np.searchsorted(label_of_column, (label, label + 1)).tolist())
                matched[:] = _multiply(W[columns], F[:, columns])
                starts = (
                    random_by_document[document].select_columns_of_label(label)
                    if document in random_by_document
                    else np.empty((n_annotators, 0))
                )
                np.matmul(starts, starts.T, out=expected)
                np.add(size[:, None], size, out=size_sum)
                for table in label_sums:
                    np.fill_diagonal(table, 0)
            yield PairSums(
                self.annotator_index[self.first[document] : self.first[document + 1]], sums
            )

    def _find_document_labels(self, document: Ints, label: Ints) -> Ints:
        """Find the positions of pairs of document and label in :attr:`document_labels`."""
        return find_rows(self.document_labels, (document, label))

    def _select_marked(self, segments: _Segments) -> _MarkedPositions:
        """Select the columns of F for observed matches.

        They are the distinct segments for measures of equal segments. For measures of shared
        tokens, they are the stretches of tokens between neighbouring borders of segments.
        """
        key = segments.document, segments.label
        if self.measure.kernel == "equal":
            (document, label, *_), inverse, _ = unique_rows(*key, segments.start, segments.length)
            return _MarkedPositions(
                document, label, np.ones(len(label), np.int64), segments.row, inverse
            )
        ends = segments.start, segments.start + segments.length
        (document, label, border), inverse, _ = unique_rows(
            *(np.concatenate((column, column)) for column in key), np.concatenate(ends)
        )
        column, segment = expand_ranges(*np.split(inverse, 2))
        length = np.append(np.diff(border), 0)  # none is covered from one label to the next
        return _MarkedPositions(
            document, label, np.maximum(length, 0), segments.row[segment], column
        )

    def _yield_random(self, segments: _Segments) -> Iterator[_Random]:
        """Yield F of random segments for documents in which annotators have a kind in common.

        Kinds are defined in :class:`_Random`. A kind of one annotator alone adds nothing to pairs,
        and has no columns.
        """
        n_starts_of_segment = self.profiles.size[segments.profile]
        columns, kind_index, _ = unique_rows(segments.document, segments.label, n_starts_of_segment)
        (kind_of_row, _), _, _ = unique_rows(kind_index, segments.row)
        is_shared = np.bincount(kind_of_row) > 1
        document, label, n_starts = (column[is_shared] for column in columns)
        kind_index, is_kept = (np.cumsum(is_shared) - 1)[kind_index], is_shared[kind_index]
        # sorted by length, as the indices of profiles depend on other documents
        entries = (
            column[is_kept]
            for column in (kind_index, segments.row, segments.length, segments.profile)
        )
        (kind_index, row, _, profile), _, n_segments = unique_rows(*entries)
        width = np.zeros(len(document), np.int64)
        np.maximum.at(width, kind_index, self.profiles.width[profile])
        end_of_kind = np.cumsum(width + 1)
        root_weight = np.full(int(width.sum()) + len(width), math.sqrt(2))
        root_weight[end_of_kind - 1] = np.sqrt(n_starts - 2 * width)
        # one matrix after the other, each with the rows of annotators
        borders = np.flatnonzero(np.diff(document, prepend=-1, append=-1))
        document_indices = document[borders[:-1]]
        matrix_column = np.append(0, end_of_kind)[borders]
        matrix_shape = np.stack((self.count[document_indices], np.diff(matrix_column)))
        first_value = np.cumsum(np.append(0, matrix_shape.prod(axis=0)))
        matrix_of_kind = np.repeat(np.arange(len(document_indices)), np.diff(borders))
        first_column = end_of_kind - width - 1 - matrix_column[matrix_of_kind]
        value_index = (
            first_value[matrix_of_kind[kind_index]]
            + row * matrix_shape[1, matrix_of_kind[kind_index]]
            + first_column[kind_index]
        )
        values = self._lay_out_profiles(
            int(first_value[-1]), value_index, width[kind_index], profile, n_segments
        )
        for i, (low, high) in enumerate(pairwise(borders.tolist())):
            F = (
                values[first_value[i] : first_value[i + 1]].reshape(matrix_shape[:, i])
                * root_weight[matrix_column[i] : matrix_column[i + 1]]
            )
            yield _Random(int(document_indices[i]), label[low:high], first_column[low:high], F)

    def _lay_out_profiles(
        self, size: int, value_index: Ints, width: Ints, profile: Ints, n_segments: Ints
    ) -> Floats:
        """Write the values of profiles into one flat array of all matrices F.

        Args:
            size: length of the array.
            value_index: index of the first value of each entry; values of entries with the same
                index are added.
            width: width of the edge of each entry's kind.
            profile: index of the profile of each entry.
            n_segments: number of segments that each entry stands for.
        """
        flat_values = np.zeros(size)
        for w in unique(width).tolist():
            rows = np.flatnonzero(width == w)
            first_rows = np.flatnonzero(np.diff(value_index[rows], prepend=-1))
            step = max(1, _MAX_VALUES // len(rows))
            for low in range(0, w + 1, step):
                starts = np.arange(low, min(low + step, w + 1))
                values = (
                    self.profiles.look_up_left(profile[rows, None], starts) * n_segments[rows, None]
                )
                if len(first_rows) < len(rows):
                    values = np.add.reduceat(values, first_rows)
                flat_values[value_index[rows[first_rows], None] + starts] = values
        return flat_values

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
