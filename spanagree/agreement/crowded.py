"""All pairs of annotators of a crowded document at once, as one matrix product.

What two annotators have in common is an inner product of what each is by herself: observed, of the
segments (or tokens) that she marked; expected, of where her random segments start (or what they
cover), as the two are independent. So the k(k − 1)/2 pairs of a document are the entries of F W Fᵀ
(a Gram matrix): F has a row for each annotator and a column for each thing that two may share, W
the weights of the columns. Of a start distribution these are its edge, which stands at both ends
and so weighs two, and its middle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    Progress,
    batches_up_to,
    dense_ranks,
    expand_ranges,
    places_in,
    unique,
    unique_rows,
)
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import is_long
from spanagree.comparisons.annotation_pairs import AnnotationIndex, SegmentStarts
from spanagree.comparisons.expected import kind_of_starts
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.profile_sums import cover
from spanagree.comparisons.table import (
    ALL,
    NO_LABEL,
    Comparisons,
    PartlySummedComparisons,
    SharedDocumentCounts,
)
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.corpus import Corpus

_CELLS = 1 << 22  # of one F; a document that needs more is compared pair by pair
_TOGETHER = 1 << 20  # values that are laid out at a time, of no more than so many
_DOCUMENTS = 1000
_SINGLE = 1 << 24  # up to this, whole numbers are exact in single precision


class PairSums(NamedTuple):
    """What all pairs of annotators of a crowded document have in common.

    Attributes:
        annotators: who saw the document, by their places among those of all crowded documents.
        sums: matched, expected and the size of both sides of each pair, and 0 of an annotator with
            herself, (3, annotators, annotators); of each label that somebody marked, by number,
            or of ``NO_LABEL``.
    """

    annotators: Ints
    sums: dict[int, Floats]


class _Segments(NamedTuple):
    """The segments of crowded documents, by document and annotator's name.

    Attributes:
        document: of each segment, numbered from 0.
        row: of each segment, the place of its annotator in the document, by name.
        label: of each segment, numbered by name; 0 for a measure that disregards labels.
        start, length, profile: of each segment.
    """

    document: Ints
    row: Ints
    label: Ints
    start: Ints
    length: Ints
    profile: Ints

    def of_documents(self, low: int, high: int) -> _Segments:
        """Return the segments of some documents."""
        here = slice(*np.searchsorted(self.document, (low, high)).tolist())
        return _Segments(*(column[here] for column in self))


class _MarkedPositions(NamedTuple):
    """What annotators mark: columns of F, and the cells in which it has a one, by document.

    Attributes:
        document, label, weight: of each column.
        row, column: of each cell.
    """

    document: Ints
    label: Ints
    weight: Ints
    row: Ints
    column: Ints

    def products(self, low: int, annotators: Ints) -> Iterator[Floats]:
        """Yield F W Fᵀ of each document from ``low`` on; ``annotators`` says how many each has."""
        for _, W, F in self.laid_out(low, annotators):
            yield _product(W, F)

    def laid_out(self, low: int, annotators: Ints) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Yield the same as the label and the weight of each column, and F."""
        borders = np.arange(low, low + len(annotators) + 1)
        columns = np.searchsorted(self.document, borders).tolist()
        cells = np.searchsorted(self.document[self.column], borders).tolist()
        for i, k in enumerate(annotators.tolist()):
            first, last = columns[i : i + 2]
            here = slice(*cells[i : i + 2])
            W = self.weight[first:last].astype(np.float64)
            if W.sum() < _SINGLE:
                W = W.astype(np.float32)
            F = np.zeros((k, last - first), W.dtype)
            F[self.row[here], self.column[here] - first] = 1
            yield self.label[first:last], W, F


def _product(W: Floats, F: Floats) -> Floats:
    """Return F W Fᵀ."""
    return (F if (W == 1).all() else F * W) @ F.T  # of F itself, half of it is computed


class _Random(NamedTuple):
    """Where the random segments of a document start, or which tokens they cover.

    Segments that have the same label and equally many places to start are of a kind. Columns of F
    are the places of one kind after the other: edges, which stand at both ends and so weigh two,
    then middles.

    Attributes:
        document: its number.
        label: of each kind.
        first: the first column of each kind.
        F: F √W; (annotators, columns).
    """

    document: int
    label: Ints
    first: Ints
    F: Floats

    def of_label(self, label: int) -> Floats:
        """Return the columns of F of a label."""
        first = np.append(self.first, self.F.shape[1])
        return self.F[:, slice(*first[np.searchsorted(self.label, (label, label + 1))].tolist())]


def crowd_sums(
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
    """Return the crowded documents with the sums over their pairs; ``None`` if there are none.

    A document of ten annotators or more is crowded, unless F takes too much room, for measures that
    are inner products. The product of a document is the same whatever else there is, and products
    are added without rounding: so neither the order of documents nor the size of parts changes a
    digit. ``progress`` is called with the number of pairs of annotations done, and of all;
    ``references`` says which annotators are references, all unless given. ``by_label``: whether
    what they have in common is counted of each label too, for measures that regard labels.
    ``marks`` are the segments of the crowd, if they are known.
    """
    crowded = find_crowded(
        corpus, crowd, measure, chance, references, by_label=by_label, marks=marks
    )
    if crowded is None:
        return None
    report_progress = progress or (lambda done, total: None)
    report_progress(*crowded.pairs_done(0))
    for low, high in crowded.portions:
        crowded.add(low, high)
        report_progress(*crowded.pairs_done(high))
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
    """Return the crowded documents, of which nothing is summed yet; ``None`` if there are none."""
    many = crowd.is_crowded(len(corpus)) & (not is_long(corpus))
    if measure.kernel not in ("equal", "cover") or not many.any():
        return None
    if chance.keeps or chance.seed or kind_of_starts(corpus, chance, measure) != "segments":
        return None  # no inner product of start distributions; with a seed sums are of pairs
    marks = marks or SegmentStarts.of(corpus, crowd, chance, measure)
    if measure.kernel == "cover":
        profiles, profile = cover(marks.anywhere, marks.profile, marks.end - marks.start)
        marks = marks._replace(starts=UniformStarts(profiles), profile=profile)
    expected, observed = _cells(corpus, crowd, marks, measure)
    documents = many & (np.maximum(expected, observed) <= _CELLS)
    if not documents.any():
        return None
    if references is None:
        references = np.ones(len(corpus.layers), np.bool_)
    portions = [*batches_up_to(expected[documents], _TOGETHER, _DOCUMENTS)]
    labels = len(corpus.labels) if by_label else 0
    return CrowdedDocuments(corpus, crowd, marks, measure, documents, references, portions, labels)


def _cells(
    corpus: Corpus, crowd: AnnotationIndex, marks: SegmentStarts, measure: Measure
) -> tuple[Ints, Ints]:
    """Return for each document how many cells F has at most: of what is expected, and observed."""
    annotation = np.repeat(np.arange(len(crowd.document)), crowd.end - crowd.begin)
    document = crowd.document[annotation]
    kind = marks.anywhere.size[marks.profile]  # in a document, segments of one length
    label = marks.label if measure.of_label else 0 * document
    (document_index, _, _), which, _ = unique_rows(document, label, kind)
    width = np.zeros(len(document_index), np.int64)
    np.maximum.at(width, which, marks.anywhere.width[marks.profile] + 1)
    expected = np.bincount(document_index, width, len(corpus)).astype(np.int64)
    observed = 2 * np.bincount(document, minlength=len(corpus))
    annotators = np.bincount(crowd.document, minlength=len(corpus))
    return annotators * expected, annotators * observed


def _of_pairs(F: Floats) -> Floats:
    """Return Σ F[i] F[j] of all rows i < j, for each column."""
    total = np.zeros(F.shape[1])
    while len(F) > 1:
        half = len(F) // 2
        first, second = F[:half], F[half : 2 * half]
        total += np.einsum("ij,ij->j", first, second)
        F = np.concatenate((first + second, F[2 * half :]))
    return total


class CrowdedDocuments:
    """The crowded documents of a corpus: the sums of their products, and what these are made of.

    Iterate over it for the pairs of one document after the other, which are not kept.

    Attributes:
        documents: which documents these are.
        annotators: the numbers of those who saw any of them, by name.
        with_references: what each annotation of these documents has in common with the references
            of its document, itself left out: matched and expected; (2, annotations), or of each
            label one after the other (2, labels · annotations).
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
        count_labels: int,
    ) -> None:
        """Put the annotations of some documents in order.

        ``portions`` says from which of them to which are laid out together; ``count_labels`` of how
        many labels it is counted what annotations have in common, 0 if not by label.
        """
        self.measure, self.profiles, self.names = measure, marks.anywhere, corpus.annotators
        self.documents, self.portions = documents, portions
        self.numbers = numbers = np.flatnonzero(documents)
        by_name = np.argsort(dense_ranks(corpus.labels))
        self.labels = by_name if measure.of_label else np.array([NO_LABEL])
        rows = np.flatnonzero(documents[crowd.document])
        name = dense_ranks(corpus.annotators)[crowd.annotator[rows]]
        order = np.lexsort((name, crowd.document[rows]))
        rows = rows[order]
        self.reference = references[crowd.annotator[rows]].astype(np.float64)
        self.count_labels = count_labels
        self.with_references = np.zeros((2, max(count_labels, 1) * len(rows)))
        self.document = np.searchsorted(numbers, crowd.document[rows])
        self.count = np.bincount(self.document)
        self.first = np.cumsum([0, *self.count])
        # who made each annotation, by their places among those who saw any
        present, self.who = np.unique(name[order], return_inverse=True)
        self.annotators = np.argsort(dense_ranks(corpus.annotators))[present]
        self.place = order - self.first[self.document]  # in the order of the corpus
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
        K = len(present)
        self.shared, self.sizes = np.zeros((2, K, K))
        self.matched, self.expected = np.zeros((2, K, K))
        (document, label), self.cell, _ = unique_rows(self.segments.document, self.segments.label)
        self.cells = document, label
        self.totals = np.zeros((2, len(self.cells[0])))

    def add(self, low: int, high: int) -> None:
        """Add the products of the documents from ``low`` up to ``high``."""
        here = slice(self.first[low], self.first[high])
        seen, marked = np.zeros((2, high - low, len(self.annotators)))
        seen[self.document[here] - low, self.who[here]] = 1
        marked[self.document[here] - low, self.who[here]] = self.size[here]
        self.shared += seen.T @ seen
        self.sizes += marked.T @ seen
        part = self.segments.of_documents(low, high)
        self._add_observed(low, high, self._marked(part))
        for random in self._random(part):
            self._add_expected(random)

    def _where(self, document: int) -> Any:
        """Return where the annotators of a document have their pairs."""
        crowd = self.who[self.first[document] : self.first[document + 1]]
        return np.ix_(crowd, crowd) if len(crowd) < len(self.annotators) else slice(None)

    def _add_observed(self, low: int, high: int, marked: _MarkedPositions) -> None:
        """Add what the documents from ``low`` up to ``high`` have in common."""
        document, label, weight, row, column = marked
        annotation = self.first[document[column]] + row
        reference = self.reference[annotation]
        count = np.bincount(column, minlength=len(weight))
        references = np.bincount(column, reference, len(weight))
        of_cell = self._cell_of(document, label)
        pairs = weight * (count * (count - 1) // 2)
        self.totals[0] += np.bincount(of_cell, pairs, len(self.cells[0]))
        common = weight[column] * (references[column] - reference)
        place = self._place_of(label[column], annotation)
        np.add.at(self.with_references[0], place, common)
        for d, product in enumerate(marked.products(low, self.count[low:high]), low):
            self.matched[self._where(d)] += product

    def _add_expected(self, random: _Random) -> None:
        """Add what chance would give a document."""
        d, label, first, F = random
        product = F @ F.T
        location = self._where(d)
        self.expected[location] += product
        cell = self._cell_of(np.full(len(label), d), label)
        np.add.at(self.totals[1], cell, np.add.reduceat(_of_pairs(F), first))
        here = slice(self.first[d], self.first[d + 1])
        reference = self.reference[here]
        if not self.count_labels:
            common = product @ reference - np.diagonal(product) * reference
            self.with_references[1, here] = common
            return
        with_all, itself = (np.add.reduceat(F * x, first, axis=1).T for x in (reference @ F, F))
        place = self._place_of(label[:, None], np.arange(here.start, here.stop))
        np.add.at(self.with_references[1], place, with_all - itself * reference)

    def _place_of(self, label: Ints, annotation: Ints) -> Ints:
        """Return where annotations, or annotations by label, are in :attr:`with_references`."""
        return self.labels[label] * len(self.size) + annotation if self.count_labels else annotation

    def __iter__(self) -> Iterator[PairSums]:
        """Make the pairs of one document after the other."""
        for low, high in self.portions:
            yield from self._pair_sums(low, high)

    def _pair_sums(self, low: int, high: int) -> Iterator[PairSums]:
        """Yield what pairs have in common in the documents from ``low`` up to ``high``."""
        part = self.segments.of_documents(low, high)
        marked = self._marked(part).laid_out(low, self.count[low:high])
        random = {document_index.document: document_index for document_index in self._random(part)}
        for d, (label_of_column, W, F) in enumerate(marked, low):
            cells = slice(*np.searchsorted(self.cells[0], (d, d + 1)).tolist())
            labels, k = self.cells[1][cells], int(self.count[d])
            segments = slice(*np.searchsorted(self.segments.document, (d, d + 1)).tolist())
            cell = (self.cell[segments] - cells.start) * k + self.segments.row[segments]
            sizes = np.bincount(cell, self.weight[segments], len(labels) * k).reshape(-1, k)
            sums = {}
            for label, size in zip(labels.tolist(), sizes, strict=True):
                matched, expected, both = of_label = np.empty((3, k, k))
                sums[int(self.labels[label])] = of_label
                columns = slice(*np.searchsorted(label_of_column, (label, label + 1)).tolist())
                matched[:] = _product(W[columns], F[:, columns])
                starts = random[d].of_label(label) if d in random else np.empty((k, 0))
                np.matmul(starts, starts.T, out=expected)
                np.add(size[:, None], size, out=both)
                for table in of_label:
                    np.fill_diagonal(table, 0)
            yield PairSums(self.who[self.first[d] : self.first[d + 1]], sums)

    def _cell_of(self, document: Ints, label: Ints) -> Ints:
        """Return which of the documents and labels that occur these are."""
        return places_in(self.cells, (document, label))

    def _marked(self, part: _Segments) -> _MarkedPositions:
        """Return the segments that occur, or the stretches between borders of segments."""
        key = part.document, part.label
        if self.measure.kernel == "equal":
            (document, label, *_), which, _ = unique_rows(*key, part.start, part.length)
            return _MarkedPositions(document, label, np.ones(len(label), np.int64), part.row, which)
        ends = part.start, part.start + part.length
        (document, label, border), which, _ = unique_rows(
            *(np.concatenate((x, x)) for x in key), np.concatenate(ends)
        )
        column, segment = expand_ranges(*np.split(which, 2))
        length = np.append(np.diff(border), 0)  # none is covered from one label to the next
        return _MarkedPositions(document, label, np.maximum(length, 0), part.row[segment], column)

    def _random(self, part: _Segments) -> Iterator[_Random]:
        """Yield the documents in which two annotators have segments of a kind."""
        size = self.profiles.size[part.profile]
        columns, kind, _ = unique_rows(part.document, part.label, size)
        (of_kind, _), _, _ = unique_rows(kind, part.row)
        several = np.bincount(of_kind) > 1
        document, label, places = (column[several] for column in columns)
        kind, here = (np.cumsum(several) - 1)[kind], several[kind]
        # by length, as beside other documents profiles are numbered otherwise
        entries = (column[here] for column in (kind, part.row, part.length, part.profile))
        (kind, row, _, profile), _, number = unique_rows(*entries)
        width = np.zeros(len(document), np.int64)
        np.maximum.at(width, kind, self.profiles.width[profile])
        last = np.cumsum(width + 1)
        root = np.full(int(width.sum()) + len(width), math.sqrt(2))
        root[last - 1] = np.sqrt(places - 2 * width)
        # matrices one after the other, and in each the rows of annotators
        borders = np.flatnonzero(np.diff(document, prepend=-1, append=-1))
        numbers = document[borders[:-1]]
        column = np.append(0, last)[borders]
        shape = np.stack((self.count[numbers], np.diff(column)))
        begin = np.cumsum(np.append(0, shape.prod(axis=0)))
        matrix = np.repeat(np.arange(len(numbers)), np.diff(borders))
        first = last - width - 1 - column[matrix]
        at = begin[matrix[kind]] + row * shape[1, matrix[kind]] + first[kind]
        values = self._laid_out(int(begin[-1]), at, width[kind], profile, number)
        for i, (low, high) in enumerate(pairwise(borders.tolist())):
            F = (
                values[begin[i] : begin[i + 1]].reshape(shape[:, i])
                * root[column[i] : column[i + 1]]
            )
            yield _Random(int(numbers[i]), label[low:high], first[low:high], F)

    def _laid_out(self, size: int, at: Ints, width: Ints, profile: Ints, number: Ints) -> Floats:
        """Return the values of profiles, each from a place on; of one place, their sum."""
        laid_out = np.zeros(size)
        for w in unique(width).tolist():
            these = np.flatnonzero(width == w)
            new = np.flatnonzero(np.diff(at[these], prepend=-1))
            step = max(1, _TOGETHER // len(these))
            for x in range(0, w + 1, step):
                places = np.arange(x, min(x + step, w + 1))
                values = self.profiles.left(profile[these, None], places) * number[these, None]
                if len(new) < len(these):
                    values = np.add.reduceat(values, new)
                laid_out[at[these[new], None] + places] = values
        return laid_out

    def pairs_done(self, high: int) -> tuple[int, int]:
        """Return how many pairs of annotations the documents below ``high`` have, and all."""
        pairs = self.count * (self.count - 1) // 2
        return int(pairs[:high].sum()), int(pairs.sum())

    @property
    def sharing(self) -> SharedDocumentCounts:
        """How many of these documents annotators share."""
        i, j = np.nonzero(np.triu(self.shared, 1))  # by name, as products are
        times = self.shared[i, j].astype(np.int64)
        i, j = np.sort((self.annotators[i], self.annotators[j]), axis=0)
        order = np.lexsort((j, i))
        # who saw how many is counted over all documents
        nothing = np.zeros(len(self.names), np.int64)
        return SharedDocumentCounts(
            self.names, 0, nothing, nothing, i[order], j[order], times[order]
        )

    def marginals(self, rows: Comparisons) -> PartlySummedComparisons:
        """Return the sums together with rows of the documents that are not crowded."""
        documents, pairs, annotations = (
            part.named(rows.annotators, rows.labels)
            for part in (self._by_document(), self._by_pair(), self.by_annotation())
        )
        return PartlySummedComparisons(rows, documents, pairs, annotations)

    def _by_pair(self) -> Comparisons:
        """Return comparisons of two annotators each, over these documents."""
        i, j = np.nonzero(np.triu(self.shared, 1))
        columns = self.matched[i, j], self.sizes[i, j], self.sizes[j, i]
        matched, *sizes = (column.astype(np.int64) for column in columns)
        everything = np.full(len(i), ALL)
        pairs = Comparisons.of(everything, everything, matched, self.expected[i, j], sizes)
        first, second = self.annotators[i], self.annotators[j]
        turned = first > second
        return pairs.turned(turned).between(
            np.where(turned, second, first), np.where(turned, first, second)
        )

    def _by_document(self) -> Comparisons:
        """Return comparisons of documents and labels, over all pairs."""
        annotation = self.first[self.segments.document] + self.segments.row
        later = self.count[self.segments.document] - 1 - self.place[annotation]
        matched, expected = self.totals
        document, label = self.cells
        sizes = [
            np.bincount(self.cell, self.weight * times, len(label)).astype(np.int64)
            for times in (later, self.place[annotation])
        ]
        return Comparisons.of(
            self.numbers[document], self.labels[label], matched.astype(np.int64), expected, sizes
        ).between(ALL, ALL)

    def by_annotation(self) -> Comparisons:
        """Return comparisons of each annotation, the first, with the references of its document.

        That is all others if all are references. There is a row for each label if that was asked
        for.
        """
        annotations, labels = len(self.size), max(self.count_labels, 1)
        number, annotation = np.divmod(np.arange(labels * annotations), annotations)
        document, reference = self.document[annotation], self.reference[annotation]
        segment = self.first[self.segments.document] + self.segments.row
        place = self._place_of(self.segments.label, segment)
        size = np.bincount(place, self.weight, labels * annotations)
        cell = number * len(self.count) + document
        of_references = np.bincount(cell, size * reference)[cell]
        others = np.bincount(self.document, self.reference)[document] - reference
        sizes = size * others, of_references - size * reference
        rows = Comparisons.of(
            self.numbers[document],
            number if self.count_labels else np.full(annotations, ALL),
            self.with_references[0].astype(np.int64),
            self.with_references[1],
            [column.astype(np.int64) for column in sizes],
        )
        return rows.between(self.annotators[self.who][annotation], ALL)
