"""Clusters of documents that are left out one at a time, and their summands in figures.

A cluster is a document, a parent document with all its sentences, or one of the texts that were
joined into a document. Moments are figures, with the sums of powers of their changes when clusters
are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.count import AgreementSettings, PairsByDocument, stack_columns
from spanagree.agreement.coverage import Coverage
from spanagree.arrays import Floats, Ints, find_rows, unique_rows
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.results.score import compute_f1_figures
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, compute_mean_moments, compute_moments

if TYPE_CHECKING:
    from spanagree.agreement.crowd_sums import PartlySummedComparisons  # most have no crowd


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of documents that are left out one at a time, with their summands in figures.

    Attributes:
        per_document: documents that are clusters, or parts or parents of them.
        sums: single rows, or sums of crowded documents.
        coverage: masks of the documents in ``sums`` that each annotator saw.
        parent_ids: index of the parent of each document, if parents are clusters.
    """

    per_document: PairsByDocument
    sums: Comparisons | PartlySummedComparisons
    coverage: Coverage
    parent_ids: Ints | None = None

    @classmethod
    def from_pairs(
        cls, per_document: PairsByDocument, jackknife: Jackknife, settings: AgreementSettings
    ) -> Clusters:
        """Find the clusters that the options of intervals ask for.

        Args:
            per_document: documents of an agreement.
            jackknife: options of intervals.
            settings: settings of the agreement.

        Raises:
            SettingError: if parents of sentences are unknown, or texts were not joined.
        """
        corpus, coverage = per_document.corpus, per_document.coverage
        counting = per_document.counting
        if not jackknife.by_text(settings):
            parent_ids = jackknife.wholes_of(corpus.parent_ids, settings)
            return cls(per_document, per_document.sums, coverage, parent_ids)
        from spanagree.comparisons.joined_texts import (
            distribute_over_texts,  # texts are rarely joined
        )

        corpus.check_segments("cluster_by text")

        def compare(texts: Corpus) -> Comparisons:
            crowd = AnnotationIndex.from_corpus(texts)
            pairs = crowd.pair_annotations()
            return compare_pairs(texts, crowd, pairs, counting.match, counting.chance)

        rows, document_of_text = distribute_over_texts(per_document.rows, corpus, compare)
        masks = [mask[document_of_text] for mask in coverage.annotated]
        return cls(per_document, rows, Coverage(len(document_of_text), masks))

    @property
    def rows(self) -> Comparisons:
        """Rows of each pair of annotators in each cluster."""
        rows = self.sums if isinstance(self.sums, Comparisons) else self.per_document.rows
        return rows.of_wholes(self.parent_ids)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of annotations."""
        n_annotators = self.coverage.count_annotators()
        return int((n_annotators * (n_annotators - 1) // 2).sum())

    def sum_rows_by(self, *columns: str) -> Comparisons:
        """Sum the rows of each cluster, by further columns such as the label."""
        rows = self.sums.by("document", *columns).of_wholes(self.parent_ids)
        return rows if self.parent_ids is None else rows.by("document", *columns)

    @property
    def rows_by_annotator(self) -> Comparisons:
        """Rows of each annotator, the first, against all others in each cluster."""
        rows = self.sums.both_ways().by("document", "first").of_wholes(self.parent_ids)
        return rows if self.parent_ids is None else rows.by("document", "first")

    def compute_team(self) -> Moments:
        """Compute F1 of the team and its change by each cluster."""
        return compute_moments(stack_columns(self.sum_rows_by()), compute_f1_figures)

    def compute_labels(self, n_labels: int) -> Moments:
        """Compute F1 of the team for each label and its change by each cluster."""
        rows = self.sum_rows_by("label")
        return compute_moments(stack_columns(rows), compute_f1_figures, rows.label, n_labels)

    def compute_annotators(self) -> Moments:
        """Compute F1 of each annotator against all others and its change by each cluster."""
        rows, n_annotators = self.rows_by_annotator, len(self.coverage.annotated)
        return compute_moments(stack_columns(rows), compute_f1_figures, rows.first, n_annotators)

    def compute_pairs(self, first: Ints, second: Ints) -> Moments:
        """Compute the moments of F1 of pairs of annotators, whose indices are passed."""
        rows = self.rows.by("first", "second", "document")
        pair = find_rows((first, second), (rows.first, rows.second))
        return compute_moments(stack_columns(rows), compute_f1_figures, pair, len(first))

    def compute_mean(self) -> Moments:
        """Compute the moments of the mean of F1 over pairs."""
        rows = self.rows.by("document", "first", "second")
        pairs, pair, _ = unique_rows(rows.first, rows.second)
        documents, unit, _ = unique_rows(rows.document)
        group_of_pair, group_of_unit = (
            np.zeros(len(columns[0]), np.int64) for columns in (pairs, documents)
        )
        return compute_mean_moments(
            stack_columns(rows),
            compute_f1_figures,
            pair,
            group_of_pair,
            unit,
            group_of_unit,
            1,
            compute_means,
        )


def compute_means(sums: Floats) -> Floats:
    """Compute means from sums of figures and their counts; (…, 6) to (…, 3)."""
    means: Floats = sums[..., :3] / sums[..., 3:]
    return means
