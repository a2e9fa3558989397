"""Scores of systems against references, and of references against each other: the ceiling.

All scores are computed from the rows of :mod:`spanagree.references.reference_rows`. The ceiling is
the sum of the rows that compare a reference with another one; they contain each pair of references
twice. For matches M and sizes n of both annotations,

    F1 = 2 Σ M / Σ n,   share of the ceiling = F1 of the system / F1 of the ceiling,

and the expected F1 is the same with expected matches instead of M. The shares of expected and
corrected F1 are defined in the same way. The ceiling weights a document by its pairs of references;
in a share, the F1 of the system is weighted like this too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.results.score import (
    UNDEFINED,
    Interval,
    Score,
    build_undefined_score,
    compute_f1_figures,
)
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import (
    Statistic,
    build_intervals,
    compute_moments,
    count_evidence,
)

_TIE = 1e-12  # largest ceiling that counts as 0
_NO_PAIR = "no document that two references saw"


class DocumentSums(NamedTuple):
    """The sums behind an F1, for each of some documents.

    Attributes:
        documents: indices of the documents, sorted.
        sums: matches, expected matches and size, followed by the expected size if sizes are
            random; (documents, 3 or 4).
    """

    documents: Ints
    sums: Floats

    def select(self, is_chosen: Bools) -> DocumentSums:
        """Select documents by a mask with an entry for each of them."""
        return DocumentSums(self.documents[is_chosen], self.sums[is_chosen])

    @property
    def evidence(self) -> list[int]:
        """Numbers of documents with anything to compare, with an error, and with a match."""
        counts: list[int] = count_evidence(self.sums, compute_f1_figures)[0, 0].tolist()
        return counts


@dataclass(frozen=True, eq=False)
class ReferenceScores:
    """The scores of systems and of references, computed from rows of all labels or of one.

    Attributes:
        corpus: layers of the references, followed by layers of the systems.
        n_references: number of references.
        rows: rows of :func:`spanagree.references.reference_rows.compare_with_references`.
        jackknife: options of intervals, or `None`.
        parent_ids: index of the whole that each document is part of, if the jackknife leaves out
            wholes; `None` if it leaves out documents.
    """

    corpus: Corpus
    n_references: int
    rows: Comparisons
    jackknife: Jackknife | None
    parent_ids: Ints | None

    @cached_property
    def _n_seen(self) -> Ints:
        """Number of references that saw each document."""
        return count_seen(self.corpus, self.corpus.annotators[: self.n_references])

    @cached_property
    def ceiling(self) -> DocumentSums:
        """Sums of the pairs of references, for each document that two references saw."""
        documents = np.flatnonzero(self._n_seen > 1)
        rows = self.rows.where(self.rows.first < self.n_references)
        return DocumentSums(documents, rows.symmetric_table(documents) / 2)  # two rows for a pair

    def sum_documents(self, annotator: int) -> DocumentSums:
        """Sum the rows of an annotator in each document that another one, a reference, saw too."""
        n_others = self._n_seen - (annotator < self.n_references)
        layer = self.corpus.layers[self.corpus.annotators[annotator]]
        documents = np.flatnonzero(layer.annotated & (n_others > 0))
        rows = self.rows.where(self.rows.first == annotator)
        return DocumentSums(documents, rows.symmetric_table(documents))

    def score_system(self, own: DocumentSums) -> tuple[Score, Score, Score]:
        """Compute the F1 of a system, the ceiling on its documents, and its share of that.

        ``own`` has the sums of the system. The share is over documents that two references saw,
        each with the weight that it has in the ceiling.
        """
        ceiling = self.ceiling.select(np.isin(self.ceiling.documents, own.documents))
        documents, sums = own.select(self._n_seen[own.documents] > 1)
        weighed = DocumentSums(documents, sums * (self._n_seen[documents] - 1)[:, None])
        share = _compute_share(_compute_f1(weighed, _NO_PAIR), _compute_f1(ceiling, _NO_PAIR))
        if self.jackknife is not None:
            clusters = [self._sum_clusters(table) for table in (weighed, ceiling)]
            interval = _compute_interval(
                np.concatenate(clusters, axis=1),
                _compute_share_figures,
                self.jackknife,
                is_share=False,
            )
            share = share._replace(interval=interval)
        return self.score(own, "no document with a reference"), self.score(ceiling), share

    def score(self, table: DocumentSums, missing: str = _NO_PAIR) -> Score:
        """Compute an F1 over documents, with its interval if that was requested.

        Args:
            table: sums of the documents.
            missing: reason for an undefined F1 if there are no documents.
        """
        f1 = _compute_f1(table, missing)
        if self.jackknife is None:
            return f1
        interval = _compute_interval(self._sum_clusters(table), compute_f1_figures, self.jackknife)
        return f1._replace(interval=interval)

    def _sum_clusters(self, table: DocumentSums) -> Floats:
        """Add up the sums of documents that are left out together, as parts of one whole."""
        if self.parent_ids is None:
            return table.sums
        whole_ids, inverse = np.unique(self.parent_ids[table.documents], return_inverse=True)
        sums_of_wholes = np.zeros((len(whole_ids), table.sums.shape[1]))
        np.add.at(sums_of_wholes, inverse, table.sums)
        return sums_of_wholes


def _compute_interval(
    clusters: Floats, statistic: Statistic, jackknife: Jackknife, *, is_share: bool = True
) -> Interval:
    """Compute the interval of observed, expected and corrected F1, or of a ratio of F1."""
    moments = compute_moments(clusters, statistic)
    ((interval,),) = build_intervals(moments, jackknife, is_share)
    return interval


def _compute_f1(table: DocumentSums, missing: str) -> Score:
    """Compute the F1 of the total of documents; undefined without a document."""
    if not len(table.documents):
        return build_undefined_score(missing)
    matched, expected, size, *random = (math.fsum(column) for column in table.sums.T.tolist())
    return Tally.of((matched, expected, round(size), 0, *((random[0], 0) if random else ()))).f1


def _compute_share(system: Score, ceiling: Score) -> Score:
    """Divide the scores of a system by the ceiling; undefined if the ceiling is not above 0."""
    figures = np.array([[*system[:3], *ceiling[:3]]])
    observed, expected, corrected = _divide_figures(figures[:, :3], figures[:, 3:])[0].tolist()
    reason = ceiling.reason or system.reason
    if not reason and math.isnan(corrected):
        reason = "the corrected F1 of the references is not above 0"
    return Score(observed, expected, corrected, reason)


def _divide_figures(system: Floats, ceiling: Floats) -> Floats:
    """Divide the figures of a system by the figures of the ceiling; ``nan`` for a divisor of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = np.where(ceiling > _TIE, system / ceiling, UNDEFINED)
    return share


def _compute_share_figures(sums: Floats) -> Floats:
    """Compute shares of the ceiling from sums of the system and of the ceiling; (…, 3)."""
    return _divide_figures(*map(compute_f1_figures, np.split(sums, 2, axis=1)))
