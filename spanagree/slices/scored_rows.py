"""Rows of an evaluation or an agreement, one for each document, for each system or the team.

The team are all annotators of an agreement. A row has the sums of a document: match, expected match
and sizes. A cluster is a document, or a parent text with all its sentences.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np

from spanagree.agreement.result import Agreement
from spanagree.arrays import Bools, Floats, Ints
from spanagree.comparisons.table import Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.results.score import compute_all_figures, list_figures
from spanagree.systems.result import Evaluation
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import build_intervals, compute_moments

Scorable: TypeAlias = Evaluation | Agreement
"""Results with documents, or segments, that can be scored in slices."""

TEAM = "team"
"""Name of the scored annotators in an agreement."""


class ScoredRows(NamedTuple):
    """Rows of a system or of the team, one for each document with a segment.

    Attributes:
        rows: comparisons by document.
        seen: indices of the documents that gold and the system saw, or two annotators of the team.
        beta: β of F-beta, if it was requested.
    """

    rows: Comparisons
    seen: Ints
    beta: float | None = None

    def select_documents(self, is_chosen: Bools) -> ScoredRows:
        """Select the rows of the chosen documents."""
        rows = self.rows.where(is_chosen[self.rows.document])
        return self._replace(rows=rows, seen=self.seen[is_chosen[self.seen]])

    def tally(self, jackknife: Jackknife | None, parent_ids: Ints | None) -> Tally:
        """Sum the rows, with intervals if they are requested.

        Args:
            jackknife: request for intervals; ``None`` for none.
            parent_ids: index of the parent text of each document, if parent texts are clusters.
        """
        total = self.rows.total()
        if self.beta is not None:
            total = replace(total, beta=self.beta)
        if jackknife is None:
            return total
        columns = self.rows.of_wholes(parent_ids).by("document").columns
        figures = functools.partial(compute_all_figures, beta=self.beta)
        sums = compute_moments(np.stack(columns, axis=1).astype(np.float64), figures)
        (ends,) = build_intervals(sums, jackknife)
        return replace(total, intervals=dict(zip(list_figures(self.beta), ends, strict=True)))

    def table(self, parent_ids: Ints | None) -> tuple[Ints, Floats]:
        """Sum matched, expected and size for each cluster; (clusters, 3).

        If sizes are random, the expected size follows; (clusters, 4).
        """
        clusters = np.unique(self.seen if parent_ids is None else parent_ids[self.seen])
        return clusters, self.rows.of_wholes(parent_ids).symmetric_table(clusters)


def collect_scored_rows(result: Scorable) -> dict[str, ScoredRows]:
    """Collect the rows of each system by name, or of the team under the name :data:`TEAM`."""
    if isinstance(result, Agreement):
        team = result.per_document
        return {TEAM: ScoredRows(team.sums.by("document"), team.coverage.find_seen_by_two())}
    per_document, beta = result.counted.per_document, result.settings.f_beta
    return {
        name: ScoredRows(
            per_document.select_system(name).by("document"),
            np.flatnonzero(per_document.shared[per_document.find_annotator_index(name)]),
            beta,
        )
        for name in result.systems
    }


def look_up_corpus(result: Scorable) -> Corpus:
    """Return the corpus that was compared, if the result is of a whole corpus."""
    return result.per_document.corpus if isinstance(result, Agreement) else result.rows.corpus


def find_annotators(result: Scorable, is_chosen: Bools) -> tuple[str, ...]:
    """Find the names of annotators who saw a chosen document.

    In an agreement, another annotator must have seen it too. ``is_chosen`` is a mask of documents.
    """
    corpus = look_up_corpus(result)
    masks = {name: layer.annotated for name, layer in corpus.layers.items()}
    if isinstance(result, Agreement):
        is_shared = np.sum([*masks.values()], axis=0) > 1
        return tuple(name for name, mask in masks.items() if (mask & is_shared & is_chosen).any())
    return tuple(name for name, mask in masks.items() if (mask & is_chosen).any())
