"""Counts of systems against gold, over all documents and for each document."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique
from spanagree.comparisons.counting import (
    ComparisonContext,
    MatchCountOptions,
    collect_gold_settings,
)
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.parts.compared_rows import RowCounts, count_under_each
from spanagree.results.score import compute_all_figures
from spanagree.settings import MatchSettings
from spanagree.systems.compared_systems import ComparedSystems
from spanagree.systems.system_rows import SystemRows


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationSettings(MatchSettings):
    """Settings of an evaluation.

    Attributes:
        gold: name of the gold layer.
        average: sums that figures are computed from.
        f_beta: β of F-beta; ``None`` if that was not requested.
    """

    gold: str
    average: str = "micro"
    f_beta: float | None = None


class SystemsByDocument(NamedTuple):
    """Counts of single documents, which a whole corpus keeps.

    Attributes:
        comparisons: comparisons of gold, the first, with each system, the second.
        shared: mask of the documents that gold and a system both saw, by index of the system.
        ids: names of the documents, if they have any.
        counting: measure and chance model.
        parent_ids: index of the parent that each document is a sentence of, if it is known; after
            clustering, only if clusters are parents.
        corpus: annotations that were compared, after every selection or change of segments;
            ``None`` for counts that were read from files of tallies.
    """

    comparisons: Comparisons
    shared: Mapping[int, Bools]
    ids: tuple[str, ...] | None
    counting: MatchCountOptions
    parent_ids: Ints | None = None
    corpus: Corpus | None = None

    def select_system(self, name: str) -> Comparisons:
        """Select the comparisons of one system with gold."""
        return self.comparisons.where(self.comparisons.second == self.find_annotator_index(name))

    def find_shared_documents(self, *names: str) -> Bools:
        """Find the documents that gold and all named systems saw; a mask."""
        shared: Bools = np.logical_and.reduce(
            [self.shared[self.find_annotator_index(name)] for name in names]
        )
        return shared

    def find_annotator_index(self, name: str) -> int:
        """Find the index of an annotator by name."""
        return self.comparisons.annotators.index(name)

    def table(self, name: str, documents: Ints) -> Floats:
        """Return matched, expected and sizes of a system by document; (documents, 4)."""
        return self.select_system(name).table(documents)

    def find_units(self, documents: Bools) -> Ints:
        """Find the units that contain documents of a mask; sorted indices."""
        return (
            np.flatnonzero(documents)
            if self.parent_ids is None
            else unique(self.parent_ids[documents])
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationCounts(RowCounts):
    """Counts of systems against gold.

    Attributes:
        settings: settings of the result.
        per_document: counts of single documents.
        annotators: names of the layers, including gold.
        shared: number of documents that gold and a system both saw, by name of the system.
        sums: comparisons of gold, the first, with systems, the second, over all documents, by
            system and label.
        inexact: error bounds of the expected match of each system, if it is not exact.
    """

    settings: EvaluationSettings
    per_document: SystemsByDocument
    annotators: tuple[str, ...]
    shared: Mapping[str, int]
    sums: Comparisons
    inexact: Mapping[str, ApproximationError] = field(default_factory=dict)
    uniform: EvaluationCounts | None = None
    rows: ComparedSystems | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus; empty if the measure ignores labels."""
        return self.sums.labels if self.per_document.counting.measure.of_label else ()

    @cached_property
    def evidence(self) -> Mapping[str, Ints]:
        """Numbers of documents behind each figure, by system; each array is (figures, 3).

        The columns are documents with any segment, with a disagreement, and with an agreement.
        """
        from spanagree.uncertainty.jackknife import count_evidence  # only needed for display

        rows = self.per_document.comparisons.by("second", "document")
        evidence = count_evidence(
            stack_columns(rows), self.compute_figures, rows.second, len(self.annotators)
        )
        shared = self.per_document.shared
        return {self.annotators[system_index]: evidence[system_index] for system_index in shared}

    def compute_figures(self, sums: Floats) -> Floats:
        """Compute the figures of sums; see :func:`spanagree.results.score.compute_all_figures`."""
        return compute_all_figures(sums, self.settings.f_beta)

    def select_documents(self, documents: Ints) -> EvaluationCounts:
        """Count over the documents with these indices only."""
        per_document = self.per_document
        is_chosen = np.zeros(len(next(iter(per_document.shared.values()))), np.bool_)
        is_chosen[documents] = True
        chosen_documents = per_document._replace(
            comparisons=per_document.comparisons.where(
                is_chosen[per_document.comparisons.document]
            ),
            shared={
                system_index: seen_by_both & is_chosen
                for system_index, seen_by_both in per_document.shared.items()
            },
        )
        uniform = self.uniform and self.uniform.select_documents(documents)
        return replace(
            self,
            documents=len(documents),
            inexact={},
            uniform=uniform,
            rows=None,
            **compute_document_sums(chosen_documents),
        )


def compute_document_sums(per_document: SystemsByDocument) -> dict[str, Any]:
    """Compute the fields of :class:`EvaluationCounts` that follow from single documents."""
    names = per_document.comparisons.annotators
    return {
        "shared": {
            names[system_index]: int(seen_by_both.sum())
            for system_index, seen_by_both in per_document.shared.items()
        },
        "sums": per_document.comparisons.by("second", "label"),
        "per_document": per_document,
    }


def stack_columns(rows: Comparisons) -> Floats:
    """Return the summands of each row; (rows, 4 or 6)."""
    return np.array(rows.columns, np.float64).T


def count_matches(
    corpus: Corpus, counting: MatchCountOptions, gold: str | None = None
) -> EvaluationCounts:
    """Count matches of systems with gold in one corpus; see :meth:`ComparedSystems.of`."""
    return count_compared(ComparedSystems.of(corpus, counting, gold))


def count_compared(compared: ComparedSystems, beta: float | None = None) -> EvaluationCounts:
    """Sum the rows of a whole corpus under each of its chance models.

    Args:
        compared: rows of the corpus.
        beta: β of F-beta, if it was requested.
    """
    count_rows = functools.partial(_count_under_chance, beta=beta)
    rows = (compared.rows, compared.uniform)
    return count_under_each(compared, rows, count_rows, compared.notes)


def _count_under_chance(
    compared: ComparedSystems,
    rows: SystemRows,
    counting: MatchCountOptions,
    description: ComparisonContext,
    beta: float | None,
) -> EvaluationCounts:
    """Sum the rows under one chance model.

    Args:
        compared: rows of the corpus.
        rows: rows of ``compared`` under this model.
        counting: measure and this chance model.
        description: description of the corpus, for settings.
        beta: β of F-beta, if it was requested.
    """
    corpus, gold = compared.corpus, compared.gold
    names = corpus.annotators
    seen_masks = [layer.annotated for layer in corpus.layers.values()]
    seen_by_gold = seen_masks[names.index(gold)]
    shared = {i: seen_by_gold & is_seen for i, is_seen in enumerate(seen_masks) if names[i] != gold}
    settings = counting.collect_settings(corpus, rows.comparisons.inexact, description)
    return EvaluationCounts(
        documents=len(corpus),
        settings=EvaluationSettings(**collect_gold_settings(gold, corpus), f_beta=beta, **settings),
        annotators=names,
        inexact=rows.inexact,
        **compute_document_sums(
            SystemsByDocument(
                rows.comparisons, shared, corpus.ids, counting, corpus.parent_ids, corpus
            )
        ),
    )
