"""Shares of annotators, or probabilities, per token or character; and scores of two of them.

The scores are those of the Mu-SHROOM task (SemEval-2025, task 3), of each document: IoU of what is
marked, and Spearman's rank correlation of the probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges
from spanagree.choices import HALF
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer, concatenate_segments
from spanagree.errors import check_annotator_names
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.limits import check_cost
from spanagree.project.ballots import merge_overlapping


@dataclass(frozen=True, eq=False)
class Shares:
    """A number from 0 to 1 for each token or character of a corpus.

    Attributes:
        values: of all documents, concatenated.
        lengths: per document, how many there are.
        seen: which documents have them at all.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(1, 3, "X")]]}
    >>> found = shares(sa.Corpus.from_segments([4], layers))
    >>> found.values.tolist(), found.lengths.tolist()
    ([0.5, 1.0, 0.5, 0.0], [4])
    """

    values: Floats
    lengths: Ints
    seen: Bools

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.lengths)

    def __getitem__(self, document: int) -> Floats:
        """Return the values of document number ``document``, from 0."""
        document = range(len(self))[document]
        first = int(self.lengths[:document].sum())
        return self.values[first : first + int(self.lengths[document])]

    @property
    def document(self) -> Ints:
        """The number of the document of each value."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def runs(self) -> tuple[Ints, Ints, Ints, Floats]:
        """Return document, start, end and value of all stretches of one value above 0."""
        document = self.document
        new = np.ones(len(document), np.bool_)
        new[1:] = (document[1:] != document[:-1]) | (self.values[1:] != self.values[:-1])
        begin = np.flatnonzero(new)
        size = np.diff(np.append(begin, len(document)))
        some = self.values[begin] > 0
        begin, size = begin[some], size[some]
        start = begin - (np.cumsum(self.lengths) - self.lengths)[document[begin]]
        return document[begin], start, start + size, self.values[begin]

    def hard(self, threshold: float = HALF, label: int = 0) -> Layer:
        """Return the stretches above a threshold as segments of a layer."""
        marked = Shares((self.values > threshold).astype(np.float64), self.lengths, self.seen)
        document, start, end, _ = marked.runs()
        return Layer(document, start, end, np.full_like(document, label), self.seen)


def shares(corpus: CorpusLike, annotators: Sequence[str] | None = None) -> Shares:
    """Return which share of those who saw a document marked each of its tokens or characters.

    Labels play no part; :meth:`Corpus.with_labels` chooses some. What an annotator marked twice
    counts once.

    Args:
        corpus: the annotators as layers.
        annotators: the names of those who count; all unless given.

    Raises:
        SettingError: for an unknown name, or texts too long for the memory.

    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(1, 3, "X")]]}
    >>> shares(Corpus.from_segments([4], layers))[0].tolist()
    [0.5, 1.0, 0.5, 0.0]
    """
    corpus = as_corpus(corpus)
    check_contiguous(corpus, "shares of annotators")
    named = corpus.annotators if annotators is None else annotators
    names = check_annotator_names(named, corpus.layers)
    seen = count_seen(corpus, names)
    counts = counts_of(corpus, [corpus.layers[name] for name in names])
    most = np.repeat(np.maximum(seen, 1), corpus.lengths)
    return Shares(counts / most, corpus.lengths, seen > 0)


def counts_of(corpus: Corpus, layers: Sequence[Layer]) -> Ints:
    """Return for each token or character of all documents how many of the layers mark it."""
    size = int(corpus.lengths.sum())
    check_cost(4 * size, "a share for each token or character")
    document, start, end, _, annotator = concatenate_segments(layers)
    _, document, start, end = merge_overlapping(annotator, document, start, end)
    first = corpus.starts[document]
    rises = np.bincount(first + start, minlength=size + 1) - np.bincount(
        first + end, minlength=size + 1
    )
    counted: Ints = np.cumsum(rises)[:size]
    return counted


# --- scores of each document --------------------------------------------------------------------


def iou(a: Bools, b: Bools, document: Ints, count: int) -> Floats:
    """Return per document what both mark as a share of what either marks; 1 if neither does.

    >>> a, b = np.array([True, True, False]), np.array([False, True, False])
    >>> iou(a, b, np.array([0, 0, 1]), 2).tolist()
    [0.5, 1.0]
    """
    both = np.bincount(document, a & b, count)
    either = np.bincount(document, a | b, count)
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)


def spearman(a: Floats, b: Floats, document: Ints, count: int) -> Floats:
    """Return Spearman's ρ of each document; where one is constant, 1 if both are, and else 0.

    Ranks are counted twofold, so that means of tied ranks are whole numbers and sums are exact.

    >>> x, y = np.array([0.1, 0.2, 0.3, 0, 0]), np.array([0.1, 0.3, 0.2, 1, 1])
    >>> spearman(x, y, np.array([0, 0, 0, 1, 1]), 2).tolist()
    [0.5, 1.0]
    """
    size = np.bincount(document, minlength=count)
    ranks_a, ranks_b = (_twofold_ranks(x, document, size) for x in (a, b))
    middle = (size + 1)[document]  # the mean of the twofold ranks
    off_a, off_b = ranks_a - middle, ranks_b - middle
    products = (off_a * off_a, off_b * off_b, off_a * off_b)
    aa, bb, ab = (np.bincount(document, product, count) for product in products)
    varied = (aa > 0) & (bb > 0)
    rho = ab / np.sqrt(np.where(varied, aa * bb, 1.0))
    return np.where(varied, rho, ((aa == 0) & (bb == 0)).astype(np.float64))


def _twofold_ranks(values: Floats, document: Ints, size: Ints) -> Ints:
    """Return twice the rank of each value in its document, from 1; tied values share the mean."""
    order = np.lexsort((values, document))
    sorted_by, sorted_values = document[order], values[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (sorted_by[1:] != sorted_by[:-1]) | (sorted_values[1:] != sorted_values[:-1])
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order))
    before = (np.cumsum(size) - size)[sorted_by[first]]
    shared = first - before + 1 + last - before
    out = np.empty(len(order), np.int64)
    out[order] = np.repeat(shared, last - first)
    return out


class OfDocuments(NamedTuple):
    """The scores of one system, or of people, in documents: their numbers, IoU and ρ."""

    document: Ints
    iou: Floats
    rho: Floats


def scores_of_people(corpus: Corpus, names: Sequence[str]) -> OfDocuments:
    """Return the scores of each annotator against the shares of the others who saw a document.

    There is a row for each annotator and document that another one of them saw.
    """
    layers = [corpus.layers[name] for name in names]
    counts = counts_of(corpus, layers)
    seen = count_seen(corpus, names)
    documents, ious, rhos = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0)]
    for layer in layers:
        which = np.flatnonzero(layer.annotated & (seen > 1))
        place, row = expand_ranges(
            corpus.starts[which], corpus.starts[which] + corpus.lengths[which]
        )
        marked = counts_of(corpus, [layer])[place]
        others = counts[place] - marked
        most = (seen[which] - 1)[row]
        share = others / most
        documents.append(which)
        ious.append(iou(marked > 0, share > HALF, row, len(which)))
        rhos.append(spearman(marked.astype(np.float64), share, row, len(which)))
    return OfDocuments(np.concatenate(documents), np.concatenate(ious), np.concatenate(rhos))
