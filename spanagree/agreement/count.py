"""Counts of annotators against each other, over all documents and for each, of rows compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators, compare_annotators
from spanagree.arrays import Floats, row_order
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import ComparisonContext, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import (
    Comparisons,
    Coverage,
    PartlySummedComparisons,
    SharedDocumentCounts,
)
from spanagree.corpus.corpus import Corpus
from spanagree.parts.compared_rows import RowCounts, counts_under_each
from spanagree.settings import MatchSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementSettings(MatchSettings):
    """The settings of an agreement; the last four are those of a result, not of counts."""

    team: str = "summed"
    annotators: int | None = None
    min_shared: int | None = None
    p_values: bool | None = None
    without: Sequence[str] | None = None


@dataclass(frozen=True, eq=False)
class PairsByDocument:
    """The documents of a whole corpus, whose pairs are compared one by one where somebody asks.

    Attributes:
        corpus: the annotators that are compared.
        counting: measure and chance model.
        sums: what was compared: single rows, or of crowded documents their sums.
    """

    corpus: Corpus
    counting: MatchCountOptions
    sums: Comparisons | PartlySummedComparisons

    @classmethod
    def of(cls, corpus: Corpus, counting: MatchCountOptions) -> PairsByDocument:
        """Compare the annotators of a corpus; nothing is checked."""
        sums, _ = compare_annotators(corpus, AnnotationIndex.of(corpus), counting)
        return cls(corpus, counting, sums)

    @cached_property
    def coverage(self) -> Coverage:
        """Who annotated which documents."""
        layers = self.corpus.layers.values()
        return Coverage(len(self.corpus), [layer.annotated for layer in layers])

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus, of a measure that regards them."""
        return self.corpus.labels if self.counting.measure.of_label else ()

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
        crowded = self.corpus.select_annotators(seen).subset(documents)
        crowd, counting = AnnotationIndex.of(crowded), self.counting
        rows = compare_pairs(crowded, crowd, crowd.pairs(), counting.match, counting.chance)
        others = self.sums.rows.where(~np.isin(self.sums.rows.document, documents))
        both = others + replace(rows, document=documents[rows.document])
        return both.where(row_order(both.document, both.first, both.second, both.label))


def columns_of(rows: Comparisons) -> Floats:
    """Return matched, expected and size of each row, and the expected size where random."""
    return np.array(rows.symmetric_columns, np.float64).T


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementCounts(RowCounts):
    """What is counted of annotators against each other.

    Attributes:
        sharing: how many documents annotators saw, alone or with others, and how many each two
            share.
        settings: settings of the result.
        per_document: single documents.
        pairs: comparisons of each two, over the documents they share.
        by_label: comparisons of each label, over pairs; of none that disregards labels.
        single: in how many documents that two saw nobody marked more than one segment.
        inexact: where the expected match is not exact.
    """

    settings: AgreementSettings
    per_document: PairsByDocument
    sharing: SharedDocumentCounts
    pairs: Comparisons
    by_label: Comparisons
    single: int
    inexact: ApproximationError = field(default_factory=ApproximationError)
    uniform: AgreementCounts | None = None
    rows: ComparedAnnotators | None = None


def counted_of(compared: ComparedAnnotators) -> AgreementCounts:
    """Count what was compared in a corpus, or in all its parts."""
    return counts_under_each(compared, (compared.sums, compared.uniform), _counted)


def _counted(
    compared: ComparedAnnotators,
    sums: Comparisons | PartlySummedComparisons,
    counting: MatchCountOptions,
    description: ComparisonContext,
) -> AgreementCounts:
    """Count the rows under one chance model."""
    corpus = compared.corpus
    per_document = PairsByDocument(corpus, counting, sums)
    number = per_document.coverage.number()
    settings = counting.settings_of(corpus, sums.inexact, description)
    return AgreementCounts(
        documents=len(corpus),
        settings=AgreementSettings(chosen=compared.chosen, **settings),
        per_document=per_document,
        inexact=sums.inexact,
        sharing=compared.sharing,
        pairs=sums.by("first", "second"),
        by_label=sums.by("label") if per_document.labels else Comparisons.none(),
        single=int(((number > 1) & (compared.most < 2)).sum()),
    )
