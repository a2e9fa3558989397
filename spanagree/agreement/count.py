"""Counts of annotators against each other, over all documents and for each, of rows compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators, compare_annotators
from spanagree.agreement.weight import DominantDocument, heavy_documents
from spanagree.arrays import Floats, Ints, Progress, distinct, places_in, row_order
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.joined_texts import by_text
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.table import Comparisons, Coverage, Marginals, Sharing
from spanagree.corpus.corpus import Corpus
from spanagree.parts.compared_rows import Counts, counts_under_each
from spanagree.results.score import f1_figures
from spanagree.settings import MatchSettings
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, evidence_of, mean_moments, moments


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementSettings(MatchSettings):
    """The settings of an agreement; the last three are those of a result, not of counts."""

    team: str = "summed"
    annotators: int | None = None
    min_shared: int | None = None
    p_values: bool | None = None


@dataclass(frozen=True, eq=False)
class PerDocument:
    """The documents of a whole corpus, whose pairs are compared one by one where somebody asks.

    Attributes:
        corpus: the annotators that are compared.
        match, chance: how.
        sums: what was compared: single rows, or of crowded documents their sums.
    """

    corpus: Corpus
    match: str
    chance: str
    sums: Comparisons | Marginals

    @classmethod
    def of(cls, corpus: Corpus, match: str, chance: str, progress: Progress = None) -> PerDocument:
        """Compare the annotators of a corpus; nothing is checked."""
        counting = MatchCounting(match=match, chance=chance, progress=progress)
        sums, _ = compare_annotators(corpus, AnnotationIndex.of(corpus), counting)
        return cls(corpus, match, chance, sums)

    @cached_property
    def coverage(self) -> Coverage:
        """Who annotated which documents."""
        layers = self.corpus.layers.values()
        return Coverage(len(self.corpus), [layer.annotated for layer in layers])

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus, of a measure that regards them."""
        return self.corpus.labels if find_match(self.match).of_label else ()

    @cached_property
    def rows(self) -> Comparisons:
        """Each two annotators of each document."""
        if isinstance(self.sums, Comparisons):
            return self.sums
        self.corpus.check_segments("single pairs of crowded documents")
        documents = self.sums.documents.documents()
        seen = [
            name for name, layer in self.corpus.layers.items() if layer.annotated[documents].any()
        ]
        crowded = self.corpus.of_annotators(seen).subset(documents)
        crowd = AnnotationIndex.of(crowded)
        rows = compare_pairs(crowded, crowd, crowd.pairs(), self.match, self.chance)
        both = self.sums.rows + replace(rows, document=documents[rows.document])
        return both.where(row_order(both.document, both.first, both.second, both.label))

    def clustered(self, jackknife: Jackknife, settings: AgreementSettings) -> Clusters:
        """Return the clusters: documents, wholes of them, or texts they were joined of.

        Raises:
            SettingError: if it is not known what sentences belong to, or texts were not joined.
        """
        if not jackknife.by_text(settings):
            wholes = jackknife.wholes_of(self.corpus.wholes, settings)
            return Clusters(self, self.sums, self.coverage, wholes)
        self.corpus.check_segments("cluster_by text")

        def compare(texts: Corpus) -> Comparisons:
            crowd = AnnotationIndex.of(texts)
            return compare_pairs(texts, crowd, crowd.pairs(), self.match, self.chance)

        rows, document = by_text(self.rows, self.corpus, compare)
        masks = [mask[document] for mask in self.coverage.annotated]
        return Clusters(self, rows, Coverage(len(document), masks))


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of documents that are left out one at a time, and what each adds to figures.

    Attributes:
        per_document: the documents that are clusters, or parts or wholes of them.
        sums: single rows, or sums of crowded documents.
        coverage: who annotated which of the documents that ``sums`` numbers.
        wholes: number of the whole of each document, if wholes are clusters.
    """

    per_document: PerDocument
    sums: Comparisons | Marginals
    coverage: Coverage
    wholes: Ints | None = None

    @property
    def rows(self) -> Comparisons:
        """Each two annotators of each cluster."""
        rows = self.sums if isinstance(self.sums, Comparisons) else self.per_document.rows
        return rows.of_wholes(self.wholes)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of annotations."""
        number = self.coverage.number()
        return int((number * (number - 1) // 2).sum())

    def by(self, *columns: str) -> Comparisons:
        """Return what each cluster adds, also by label."""
        rows = self.sums.by("document", *columns).of_wholes(self.wholes)
        return rows if self.wholes is None else rows.by("document", *columns)

    @property
    def by_annotator(self) -> Comparisons:
        """What each cluster adds to each annotator, the first, against all others."""
        rows = self.sums.both_ways().by("document", "first").of_wholes(self.wholes)
        return rows if self.wholes is None else rows.by("document", "first")

    def of_team(self) -> Moments:
        """Compute F1 of the team and its changes."""
        return moments(columns_of(self.by()), f1_figures)

    def of_labels(self, n_labels: int) -> Moments:
        """Compute F1 of the team for each label and its changes."""
        rows = self.by("label")
        return moments(columns_of(rows), f1_figures, rows.label, n_labels)

    def of_annotators(self) -> Moments:
        """Compute F1 of each annotator against all others and its changes."""
        rows, n_annotators = self.by_annotator, len(self.coverage.annotated)
        return moments(columns_of(rows), f1_figures, rows.first, n_annotators)

    def of_pairs(self, first: Ints, second: Ints) -> Moments:
        """Compute F1 of pairs of annotators, given by two numbers each, and its changes."""
        rows = self.rows.by("first", "second", "document")
        pair = places_in((first, second), (rows.first, rows.second))
        return moments(columns_of(rows), f1_figures, pair, len(first))

    def of_mean(self) -> Moments:
        """Compute the mean of F1 over pairs and its changes."""
        rows = self.rows.by("document", "first", "second")
        pairs, pair, _ = distinct(rows.first, rows.second)
        documents, unit, _ = distinct(rows.document)
        of_pairs, of_units = (np.zeros(len(x[0]), np.int64) for x in (pairs, documents))
        return mean_moments(
            columns_of(rows), f1_figures, pair, of_pairs, unit, of_units, 1, mean_figures
        )


def columns_of(rows: Comparisons) -> Floats:
    """Return matched, expected and size of each row, and the expected size where random."""
    return np.array(rows.symmetric_columns, np.float64).T


def mean_figures(sums: Floats) -> Floats:
    """Compute means from sums of figures and their numbers; (…, 6) to (…, 3)."""
    means: Floats = sums[..., :3] / sums[..., 3:]
    return means


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedPairs(Counts):
    """What is counted of annotators against each other.

    Attributes:
        sharing: how many documents annotators saw, alone or with others, and how many each two
            share.
        settings: settings of the result.
        per_document: single documents.
        pairs: comparisons of each two, over the documents they share.
        by_label: comparisons of each label, over pairs; of none that disregards labels.
        single: in how many documents that two saw nobody marked more than one segment.
        heavy: the documents that carry much of the weight.
        evidence: what the F1 of the team rests on; (1, 3).
        inexact: where the expected match is not exact.
    """

    settings: AgreementSettings
    per_document: PerDocument
    sharing: Sharing
    pairs: Comparisons
    by_label: Comparisons
    single: int
    heavy: tuple[DominantDocument, ...]
    evidence: Ints
    inexact: Inexact = field(default_factory=Inexact)
    uniform: CountedPairs | None = None
    rows: ComparedAnnotators | None = None


def counted_of(compared: ComparedAnnotators) -> CountedPairs:
    """Count what was compared in a corpus, or in all its parts."""
    return counts_under_each(compared, (compared.sums, compared.uniform), _counted)


def _counted(
    compared: ComparedAnnotators, sums: Comparisons | Marginals, counting: MatchCounting
) -> CountedPairs:
    """Count the rows under one chance model."""
    corpus = compared.corpus
    per_document = PerDocument(corpus, counting.match, counting.chance, sums)
    by_document, number = sums.by("document"), per_document.coverage.number()
    shares = compared.description.shares if counting is compared.counting else None
    settings = counting.settings_of(corpus, sums.inexact, shares)
    return CountedPairs(
        documents=len(corpus),
        settings=AgreementSettings(chosen=compared.chosen, **settings),
        per_document=per_document,
        inexact=sums.inexact,
        sharing=compared.sharing,
        pairs=sums.by("first", "second"),
        by_label=sums.by("label") if per_document.labels else Comparisons.none(),
        single=int(((number > 1) & (compared.most < 2)).sum()),
        heavy=heavy_documents(corpus, by_document, number),
        evidence=evidence_of(columns_of(by_document), f1_figures)[0],
    )
