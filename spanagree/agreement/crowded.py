"""All pairs of annotators of a crowded document at once, as one matrix product.

What two annotators have in common is an inner product of what each is by herself: observed, of the
segments (or tokens) that she marked; expected, of where her random segments start (or what they
cover), as the two are independent. So the k(k − 1)/2 pairs of a document are the entries of F W Fᵀ
(a Gram matrix): F has a row for each annotator and a column for each thing that two may share, W
the weights of the columns. Of a start distribution these are its edge, which stands at both ends
and so weighs two, and its middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, Progress, distinct, ranges, ranks
from spanagree.blocks.exact_sums import FixedPoint, TallySum
from spanagree.corpus.corpus import Corpus
from spanagree.matching.annotation_pairs import Crowd, Marks
from spanagree.matching.expected import cover
from spanagree.matching.measures import Match
from spanagree.matching.tally import Tallies

_CROWD = 10  # annotators of a document, from which on a product is faster than pairs one by one
_CELLS = 1 << 22  # of one F; a document that needs more is compared pair by pair
_TOGETHER = 1 << 20  # cells that are laid out at a time, of no more than so many
_DOCUMENTS = 1000


class CrowdSums(NamedTuple):
    """The sums over the pairs of crowded documents.

    Attributes:
        documents: which documents these are.
        pairs: how many of these documents two annotators share and their sums, by the numbers of
            the two, the lower first.
        tallies: of documents and labels, over all pairs.
        rows: the annotations of these documents, by their rows in the crowd.
        rest: what each of them has in common with the references of its document, herself left
            out: matched and expected; (2, rows).
        by_label: the same of each label of the corpus, if that was asked for.
    """

    documents: Bools
    pairs: dict[tuple[int, int], tuple[int, TallySum]]
    tallies: Tallies
    rows: Ints
    rest: Floats
    by_label: Floats


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


class _Columns(NamedTuple):
    """What annotators may share, a column of F each; document after document, as the cells are."""

    document: Ints
    label: Ints
    weight: Ints
    row: Ints  # of each cell
    column: Ints
    value: Floats | Ints

    def matrices(self, low: int, annotators: Ints) -> Iterator[tuple[Floats, Ints, Ints]]:
        """Yield F, W and the labels of the columns, of each document from ``low`` on.

        ``annotators`` says how many each document has.
        """
        borders = np.arange(low, low + len(annotators) + 1)
        columns = np.searchsorted(self.document, borders).tolist()
        cells = np.searchsorted(self.document[self.column], borders).tolist()
        for i, k in enumerate(annotators.tolist()):
            first, last = columns[i : i + 2]
            here = slice(*cells[i : i + 2])
            cell = self.row[here] * (last - first) + self.column[here] - first
            filled = np.bincount(cell, self.value[here], k * (last - first))
            F: Floats = filled.astype(np.float64).reshape(k, last - first)
            yield F, self.weight[first:last], self.label[first:last]


def crowd_sums(
    corpus: Corpus,
    crowd: Crowd,
    measure: Match,
    chance: str,
    progress: Progress = None,
    references: Bools | None = None,
    *,
    by_label: bool = False,
) -> CrowdSums | None:
    """Return the sums over the pairs of crowded documents; ``None`` if there are none.

    A document of ten annotators or more is crowded, unless F takes too much room, for measures that
    are inner products. The product of a document is the same whatever else there is, and products
    are added in fixed point: so neither the order of documents nor the size of blocks changes a
    digit. ``progress`` is called with the number of pairs of annotations done, and of all;
    ``references`` says which annotators are references, all unless given. ``by_label``: whether
    what they have in common is counted of each label too, for measures that regard labels.
    """
    many = np.bincount(crowd.document, minlength=len(corpus)) >= _CROWD
    if measure.route not in ("equal", "cover") or not many.any():
        return None
    marks = Marks.of(corpus, crowd, chance)
    if measure.route == "cover":
        profiles, profile = cover(marks.profiles, marks.profile, marks.end - marks.start)
        marks = marks._replace(profiles=profiles, profile=profile)
    cells = _cells(corpus, crowd, marks, measure)
    documents = many & (cells <= _CELLS)
    if not documents.any():
        return None
    if references is None:
        references = np.ones(len(corpus.layers), np.bool_)
    products = _Products(corpus, crowd, marks, measure, np.flatnonzero(documents), references)
    if by_label:
        products.by_label = np.zeros((len(corpus.labels), *products.rest.shape))
    for low, high in _portions(cells[documents]):
        products.add(low, high)
        if progress is not None:
            progress(*products.pairs_done(high))
    return CrowdSums(
        documents, products.pairs(), products.tallies(corpus), products.rows, products.rest,
        products.by_label[ranks(corpus.labels)] if by_label else products.by_label,
    )  # fmt: skip


def _cells(corpus: Corpus, crowd: Crowd, marks: Marks, measure: Match) -> Ints:
    """Return for each document how many cells F has at most."""
    annotation = np.repeat(np.arange(len(crowd.document)), crowd.end - crowd.begin)
    document = crowd.document[annotation]
    kind = marks.profiles.size[marks.profile]  # in a document, segments of one length
    label = marks.label if measure.of_label else 0 * document
    (of_document, _, _), which, _ = distinct(document, label, kind)
    width = np.zeros(len(of_document), np.int64)
    np.maximum.at(width, which, marks.profiles.width[marks.profile] + 1)
    expected = np.bincount(of_document, width, len(corpus))
    observed = 2 * np.bincount(document, minlength=len(corpus))
    annotators = np.bincount(crowd.document, minlength=len(corpus))
    return annotators * np.maximum(expected, observed).astype(np.int64)


def _portions(cells: Ints) -> Iterator[tuple[int, int]]:
    """Yield from which to which document cells are laid out together."""
    low, up_to = 0, np.cumsum(cells)
    while low < len(cells):
        most = up_to[low] - cells[low] + _TOGETHER
        high = int(np.searchsorted(up_to, most, side="right"))
        high = max(low + 1, min(high, low + _DOCUMENTS))
        yield low, high
        low = high


class _Products:
    """The products of crowded documents, added up."""

    def __init__(
        self,
        corpus: Corpus,
        crowd: Crowd,
        marks: Marks,
        measure: Match,
        numbers: Ints,
        references: Bools,
    ) -> None:
        """Put the annotations of some documents, given by number, in order."""
        self.measure, self.profiles, self.numbers = measure, marks.profiles, numbers
        rows = np.flatnonzero(np.isin(crowd.document, numbers))
        name = ranks(corpus.annotators)[crowd.annotator[rows]]
        order = np.lexsort((name, crowd.document[rows]))
        self.rows = rows = rows[order]
        self.reference = references[crowd.annotator[rows]].astype(np.float64)
        self.rest = np.zeros((2, len(rows)))
        self.by_label = np.zeros((0, 2, len(rows)))  # of each label by name, if it is asked for
        self.document = np.searchsorted(numbers, crowd.document[rows])
        self.count = np.bincount(self.document)
        self.first = np.cumsum([0, *self.count])
        present, self.who = np.unique(name[order], return_inverse=True)
        self.members = np.argsort(ranks(corpus.annotators))[present]  # by name
        self.place = order - self.first[self.document]  # in the order of the corpus
        segment, row = ranges(crowd.begin[rows], crowd.end[rows])
        self.segments = _Segments(
            self.document[row],
            row - self.first[self.document[row]],
            ranks(corpus.labels)[marks.label[segment]] if measure.of_label else 0 * segment,
            marks.start[segment],
            (marks.end - marks.start)[segment],
            marks.profile[segment],
        )
        self.weight = self.segments.length if measure.in_tokens else np.ones(len(row), np.int64)
        self.size = np.bincount(row, self.weight, len(rows))
        K = len(present)
        self.shared, self.sizes = np.zeros((2, K, K))
        self.matched, self.expected = np.zeros((K, K), np.int64), FixedPoint(K, K)
        self.cells, self.cell, _ = distinct(self.segments.document, self.segments.label)
        self.totals = np.zeros((2, len(self.cells[0])))

    def add(self, low: int, high: int) -> None:
        """Add the products of the documents from ``low`` up to ``high``."""
        here = slice(self.first[low], self.first[high])
        seen, marked = np.zeros((2, high - low, len(self.members)))
        seen[self.document[here] - low, self.who[here]] = 1
        marked[self.document[here] - low, self.who[here]] = self.size[here]
        self.shared += seen.T @ seen
        self.sizes += marked.T @ seen
        part = self.segments.of_documents(low, high)
        for kind, columns in enumerate((self._observed(part), self._expected(part))):
            totals = [np.zeros(0)]
            for d, (F, W, label) in enumerate(columns.matrices(low, self.count[low:high]), low):
                annotations = slice(self.first[d], self.first[d + 1])
                who, reference = self.who[annotations], self.reference[annotations]
                FW = F * W
                product = FW @ F.T
                total = W * (F * (np.cumsum(F, axis=0) - F)).sum(axis=0)
                self.rest[kind, annotations] = (
                    product @ reference - np.diagonal(product) * reference
                )
                if len(self.by_label) and len(label):
                    begin = np.flatnonzero(np.diff(label, prepend=-1))  # columns are by label
                    all_of_them, herself = (
                        np.add.reduceat(FW * x, begin, axis=1).T for x in (reference @ F, F)
                    )
                    of_label = all_of_them - herself * reference
                    self.by_label[label[begin], kind, annotations] = of_label
                where = np.ix_(who, who) if len(who) < len(self.members) else slice(None)
                if kind:
                    self.expected.add(where, product)
                else:
                    self.matched[where] += product.astype(np.int64)
                totals.append(total)
            of_cell = self._cell_of(columns.document, columns.label)
            self.totals[kind] += np.bincount(of_cell, np.concatenate(totals), len(self.cells[0]))

    def _cell_of(self, document: Ints, label: Ints) -> Ints:
        """Return which of the documents and labels that occur these are."""
        wide = 1 + int(self.cells[1].max(initial=0))
        return np.searchsorted(self.cells[0] * wide + self.cells[1], document * wide + label)

    def _observed(self, part: _Segments) -> _Columns:
        """Return the segments that occur, or the stretches between borders of segments."""
        key = part.document, part.label
        if self.measure.route == "equal":
            (document, label, *_), which, _ = distinct(*key, part.start, part.length)
            one = np.ones(len(which), np.int64)
            return _Columns(document, label, one[: len(label)], part.row, which, one)
        ends = part.start, part.start + part.length
        (document, label, border), which, _ = distinct(
            *(np.concatenate((x, x)) for x in key), np.concatenate(ends)
        )
        column, segment = ranges(*np.split(which, 2))
        length = np.append(np.diff(border), 0)  # none is covered from one label to the next
        row = part.row[segment]
        return _Columns(document, label, np.maximum(length, 0), row, column, np.ones(len(row)))

    def _expected(self, part: _Segments) -> _Columns:
        """Return the places of start distributions (or of what they cover): edges, then middles."""
        size = self.profiles.size[part.profile]
        (document, label, n), kind, _ = distinct(part.document, part.label, size)
        (kind, row, profile), _, number = distinct(kind, part.row, part.profile)
        width = np.zeros(len(n), np.int64)
        np.maximum.at(width, kind, self.profiles.width[profile])
        first = np.cumsum(width + 1) - width - 1
        x, which = ranges(0 * kind, width[kind] + 1)
        value = number[which] * self.profiles.at(profile[which], x)
        weight = np.full(int(width.sum()) + len(n), 2)
        weight[first + width] = n - 2 * width
        document, label = (np.repeat(each, width + 1) for each in (document, label))
        return _Columns(document, label, weight, row[which], first[kind[which]] + x, value)

    def pairs_done(self, high: int) -> tuple[int, int]:
        """Return how many pairs of annotations the documents below ``high`` have, and all."""
        pairs = self.count * (self.count - 1) // 2
        return int(pairs[:high].sum()), int(pairs.sum())

    def pairs(self) -> dict[tuple[int, int], tuple[int, TallySum]]:
        """Return how many documents each pair shares, and its sums, by the annotators' numbers."""
        i, j = np.nonzero(np.triu(self.shared, 1))  # by name, as products are
        expected = self.expected.totals((i, j))
        matched = self.matched[i, j].tolist()
        turned = self.members[i] > self.members[j]
        i, j = np.where(turned, j, i), np.where(turned, i, j)
        sizes = (
            s[a, b].astype(np.int64).tolist()
            for s, a, b in ((self.sizes, i, j), (self.sizes, j, i))
        )
        sums = map(TallySum.of_whole, matched, expected, *sizes)
        shared = self.shared[i, j].astype(np.int64).tolist()
        keys = zip(self.members[i].tolist(), self.members[j].tolist(), strict=True)
        return dict(zip(keys, zip(shared, sums, strict=True), strict=True))

    def tallies(self, corpus: Corpus) -> Tallies:
        """Return the tallies of documents and labels, over all pairs."""
        annotation = self.first[self.segments.document] + self.segments.row
        later = self.count[self.segments.document] - 1 - self.place[annotation]
        matched, expected = self.totals
        document, label = self.cells
        sizes = (
            np.bincount(self.cell, self.weight * times, len(label)).astype(np.int64)
            for times in (later, self.place[annotation])
        )
        by_name = np.argsort(ranks(corpus.labels))
        label = by_name[label] if self.measure.of_label else label - 1
        return Tallies(self.numbers[document], label, matched.astype(np.int64), expected, *sizes)
