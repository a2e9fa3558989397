"""Counts of annotators against each other, over all documents and for each document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators, compare_annotators
from spanagree.agreement.coverage import Coverage, SharedDocumentCounts
from spanagree.arrays import Floats, argsort_rows
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import ComparisonContext, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.parts.compared_rows import RowCounts, count_under_each
from spanagree.settings import MatchSettings

if TYPE_CHECKING:
    from spanagree.agreement.crowd_sums import PartlySummedComparisons  # most have no crowd


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementSettings(MatchSettings):
    """Settings of an agreement; the last four are set for a result, not for counts."""

    team: str = "summed"
    annotators: int | None = None
    min_shared: int | None = None
    p_values: bool | None = None
    without: Sequence[str] | None = None


@dataclass(frozen=True, eq=False)
class PairsByDocument:
    """The documents of a whole corpus, whose pairs are compared one by one on request.

    Attributes:
        corpus: annotators that are compared.
        counting: measure and chance model.
        sums: rows of pairs, with sums of them for crowded documents.
    """

    corpus: Corpus
    counting: MatchCountOptions
    sums: Comparisons | PartlySummedComparisons

    @classmethod
    def from_corpus(cls, corpus: Corpus, counting: MatchCountOptions) -> PairsByDocument:
        """Compare the annotators of a corpus; check nothing."""
        sums, _ = compare_annotators(corpus, AnnotationIndex.from_corpus(corpus), counting)
        return cls(corpus, counting, sums)

    @cached_property
    def coverage(self) -> Coverage:
        """Masks of the documents that each annotator saw."""
        layers = self.corpus.layers.values()
        return Coverage(len(self.corpus), [layer.annotated for layer in layers])

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus; empty if the measure ignores labels."""
        return self.corpus.labels if self.counting.measure.of_label else ()

    @cached_property
    def rows(self) -> Comparisons:
        """Rows of each pair of annotators in each document."""
        if isinstance(self.sums, Comparisons):
            return self.sums
        self.corpus.check_segments("single pairs of crowded documents")
        documents = self.sums.documents.documents()
        crowd_names = [
            name for name, layer in self.corpus.layers.items() if layer.annotated[documents].any()
        ]
        crowded = self.corpus.select_annotators(crowd_names).subset(documents)
        crowd, counting = AnnotationIndex.from_corpus(crowded), self.counting
        rows = compare_pairs(
            crowded, crowd, crowd.pair_annotations(), counting.match, counting.chance
        )
        other_rows = self.sums.rows.where(~np.isin(self.sums.rows.document, documents))
        all_rows = other_rows + replace(rows, document=documents[rows.document])
        return all_rows.where(
            argsort_rows(all_rows.document, all_rows.first, all_rows.second, all_rows.label)
        )


def stack_columns(rows: Comparisons) -> Floats:
    """Return matched, expected and size of each row, and the expected size if it is random."""
    return np.array(rows.symmetric_columns, np.float64).T


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementCounts(RowCounts):
    """Counts of annotators against each other.

    Attributes:
        sharing: numbers of documents that annotators saw, alone or with others, and that each pair
            shares.
        settings: settings of the result.
        per_document: single documents.
        pairs: comparisons of each pair, over the documents they share.
        by_label: comparisons of each label, over pairs; empty if the measure ignores labels.
        single: number of shared documents in which nobody marked more than one segment.
        inexact: error bounds of expected matches that are not exact.
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


def count_compared(compared: ComparedAnnotators) -> AgreementCounts:
    """Count the rows of a corpus, or of all its parts."""
    return count_under_each(compared, (compared.sums, compared.uniform), _count_under_chance)


def _count_under_chance(
    compared: ComparedAnnotators,
    sums: Comparisons | PartlySummedComparisons,
    counting: MatchCountOptions,
    description: ComparisonContext,
) -> AgreementCounts:
    """Sum the rows of pairs under one chance model.

    Args:
        compared: rows of a whole corpus.
        sums: rows under this model, with sums of them for crowded documents.
        counting: measure and this chance model.
        description: description of the corpus, for settings.
    """
    corpus = compared.corpus
    per_document = PairsByDocument(corpus, counting, sums)
    n_annotators = per_document.coverage.count_annotators()
    settings = counting.collect_settings(corpus, sums.inexact, description)
    return AgreementCounts(
        documents=len(corpus),
        settings=AgreementSettings(chosen=compared.chosen, **settings),
        per_document=per_document,
        inexact=sums.inexact,
        sharing=compared.sharing,
        pairs=sums.by("first", "second"),
        by_label=sums.by("label") if per_document.labels else Comparisons.none(),
        single=int(((n_annotators > 1) & (compared.most < 2)).sum()),
    )
