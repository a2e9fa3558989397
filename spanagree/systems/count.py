"""Counts of systems against gold, over all documents and for each, of the rows compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, unique
from spanagree.comparisons.counting import MatchCounting, of_gold
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.joined_texts import by_text
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.parts.compared_rows import Counts, counts_under_each
from spanagree.results.score import all_figures, corrected_figures
from spanagree.settings import MatchSettings
from spanagree.systems.compared_systems import (
    ComparedSystems,
    SystemRows,
    compare_with_gold,
)
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, evidence_of, mean_moments, moments


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationSettings(MatchSettings):
    """The settings of an evaluation."""

    gold: str
    average: str = "micro"


class PerDocument(NamedTuple):
    """Single documents, which a whole corpus keeps.

    Attributes:
        comparisons: of gold, the first, with each system, the second.
        shared: which documents each system and gold both saw, by its number.
        ids: the names of the documents, if they have any.
        wholes: the number of the whole that each document is a sentence of, if it is known; of
            clusters, only if wholes are.
        corpus: the annotations that were compared, after all that selects or changes segments;
            ``None`` for counts that were read from files of tallies.
    """

    comparisons: Comparisons
    shared: Mapping[int, Bools]
    ids: tuple[str, ...] | None
    wholes: Ints | None = None
    corpus: Corpus | None = None

    @property
    def joined(self) -> Corpus | None:
        """The corpus, if its documents were joined of texts."""
        return None if self.corpus is None or self.corpus.text_ends is None else self.corpus

    def of_system(self, name: str) -> Comparisons:
        """Return the comparisons of one system with gold."""
        return self.comparisons.where(self.comparisons.second == self.number(name))

    def shared_by(self, *names: str) -> Bools:
        """Return which documents gold and all of some systems saw."""
        shared: Bools = np.logical_and.reduce([self.shared[self.number(name)] for name in names])
        return shared

    def number(self, name: str) -> int:
        """Return the number of an annotator."""
        return self.comparisons.annotators.index(name)

    def table(self, name: str, documents: Ints) -> Floats:
        """Return what documents add to a system's matched, expected and sizes; (documents, 4)."""
        return self.of_system(name).table(documents)

    def units(self, documents: Bools) -> Ints:
        """Return the units that some documents are, or are parts of."""
        return np.flatnonzero(documents) if self.wholes is None else unique(self.wholes[documents])

    def clustered(self, jackknife: Jackknife, settings: EvaluationSettings) -> PerDocument:
        """Return the clusters: documents, wholes of them, or texts they were joined of.

        Raises:
            SettingError: if it is not known what sentences belong to, or texts were not joined.
        """
        if not jackknife.by_text(settings):
            return self._replace(wholes=jackknife.wholes_of(self.wholes, settings))
        counting = MatchCounting(match=settings.match, chance=settings.chance)

        def compare(texts: Corpus) -> Comparisons:
            counting.check(texts)
            return compare_with_gold(texts, settings.gold, counting).comparisons

        comparisons, document = by_text(self.comparisons, self.joined, compare)
        shared = {number: both[document] for number, both in self.shared.items()}
        return PerDocument(comparisons, shared, self.ids)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedSystems(Counts):
    """What is counted of systems against gold.

    Attributes:
        settings: settings of the result.
        per_document: single documents.
        annotators: the layers, gold among them.
        shared: how many documents each system and gold both saw.
        sums: comparisons of gold, the first, with systems, the second, over all documents, by
            system and label.
        evidence: what each figure of each system rests on; (figures, 3).
        inexact: where the expected match of each system is not exact.
    """

    settings: EvaluationSettings
    per_document: PerDocument
    annotators: tuple[str, ...]
    shared: Mapping[str, int]
    sums: Comparisons
    evidence: Mapping[str, Ints]
    inexact: Mapping[str, Inexact] = field(default_factory=dict)
    uniform: CountedSystems | None = None
    rows: ComparedSystems | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus, of a measure that regards them."""
        return self.sums.labels if find_match(self.settings.match).of_label else ()

    def over(self, documents: Ints) -> CountedSystems:
        """Return the counts over some of the documents, by number from 0."""
        per_document = self.per_document
        chosen = np.zeros(len(next(iter(per_document.shared.values()))), np.bool_)
        chosen[documents] = True
        fewer = per_document._replace(
            comparisons=per_document.comparisons.where(chosen[per_document.comparisons.document]),
            shared={number: both & chosen for number, both in per_document.shared.items()},
        )
        uniform = self.uniform and self.uniform.over(documents)
        return replace(
            self, documents=len(documents), inexact={}, uniform=uniform, rows=None, **sums_of(fewer)
        )


def sums_of(per_document: PerDocument) -> dict[str, Any]:
    """Return the fields of :class:`CountedSystems` that follow from single documents."""
    names = per_document.comparisons.annotators
    return {
        "shared": {names[number]: int(both.sum()) for number, both in per_document.shared.items()},
        "sums": per_document.comparisons.by("second", "label"),
        "evidence": _evidence(per_document),
        "per_document": per_document,
    }


def _evidence(per_document: PerDocument) -> dict[str, Ints]:
    """Count what each figure of each system rests on."""
    rows = per_document.comparisons.by("second", "document")
    names = per_document.comparisons.annotators
    evidence = evidence_of(_columns(rows), all_figures, rows.second, len(names))
    return {names[number]: evidence[number] for number in per_document.shared}


def _columns(rows: Comparisons) -> Floats:
    """Return what each row adds to the sums; (rows, 4 or 6)."""
    return np.array(rows.columns, np.float64).T


def moments_of_systems(per_document: PerDocument) -> Moments:
    """Compute the figures of each annotator as a system, and their changes."""
    rows = per_document.comparisons.of_wholes(per_document.wholes).by("second", "document")
    return moments(_columns(rows), all_figures, rows.second, len(rows.annotators))


def moments_of_labels(per_document: PerDocument, n_labels: int) -> tuple[Moments, Moments]:
    """Compute the same of each label of each annotator, and of their means over labels.

    The first are in the order of annotators, of each all labels.
    """
    rows = per_document.comparisons.of_wholes(per_document.wholes).by("second", "document", "label")
    columns, n_systems = _columns(rows), len(rows.annotators)
    label = rows.second * n_labels + rows.label
    system_of_label = np.repeat(np.arange(n_systems), n_labels)
    (system, _), unit, _ = distinct(rows.second, rows.document)
    return moments(columns, all_figures, label, n_systems * n_labels), mean_moments(
        columns, all_figures, label, system_of_label, unit, system, n_systems, _macro_figures
    )


def _macro_figures(sums: Floats) -> Floats:
    """Compute macro-averages from sums over labels and numbers of labels.

    From (…, 2 · 3 · figures) to (…, 3 · figures).
    """
    figures, counts = np.split(sums, 2, axis=-1)
    means: Floats = figures / counts
    means[..., 2::3] = corrected_figures(means[..., ::3], means[..., 1::3])
    return means


def count(corpus: Corpus, counting: MatchCounting, gold: str | None = None) -> CountedSystems:
    """Count what systems and gold have in common in one corpus; see :meth:`ComparedSystems.of`."""
    return counted_of(ComparedSystems.of(corpus, counting, gold))


def counted_of(compared: ComparedSystems) -> CountedSystems:
    """Count what was compared in a corpus, or in all its parts."""
    return counts_under_each(compared, (compared.rows, compared.uniform), _counted, compared.notes)


def _counted(
    compared: ComparedSystems, rows: SystemRows, counting: MatchCounting
) -> CountedSystems:
    """Count the rows under one chance model."""
    corpus, gold = compared.corpus, compared.gold
    names = corpus.annotators
    seen = [layer.annotated for layer in corpus.layers.values()]
    seen_by_gold = seen[names.index(gold)]
    shared = {i: seen_by_gold & mask for i, mask in enumerate(seen) if names[i] != gold}
    shares = compared.description.shares if counting is compared.counting else None
    settings = counting.settings_of(corpus, rows.comparisons.inexact, shares)
    return CountedSystems(
        documents=len(corpus),
        settings=EvaluationSettings(**of_gold(gold, corpus), **settings),
        annotators=names,
        inexact=rows.inexact,
        **sums_of(PerDocument(rows.comparisons, shared, corpus.ids, corpus.wholes, corpus)),
    )
