"""Sums of observed and expected disagreement for α_U, for each document and label."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, Progress
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.placed import keep_placed
from spanagree.corpus.roles import choose_annotators, count_seen
from spanagree.units import continuum as sums_of
from spanagree.units.alpha_u_result import AlphaUSettings

OBSERVED, EXPECTED, WEIGHT = range(3)
ALL = None
"""Key for all categories together, in place of a label."""


class DisagreementTable(NamedTuple):
    """Observed and expected disagreement of each compared document, and both weights.

    Attributes:
        sums: observed, expected and their weights; (documents, 1 + labels, 4), all labels first.
        document: index of each document; joined documents have one row with the first index.
        marked: mask of the labels with a unit.
        documents: number of compared documents.
    """

    sums: Floats
    document: Ints
    marked: Sequence[bool]
    documents: int


@dataclass(frozen=True, eq=False)
class DisagreementSums:
    """Sums over documents.

    Attributes:
        documents: number of documents.
        weight: sum of the weights; (1,).
        figures: observed and expected disagreement of all categories and of each label with a
            unit; (2,).
    """

    documents: int
    weight: Floats
    figures: Mapping[str | None, Floats]


@dataclass(frozen=True, kw_only=True, eq=False)
class DisagreementCounts:
    """Sums for α_U of a team and of its pairs.

    Attributes:
        documents: number of documents of the corpus.
        settings: settings of the computation.
        notes: notes on the corpus, one sentence each.
        annotators: names of the annotators.
        labels: names of the categories.
        sums: sums of each two annotators, by their sorted names; those of all by ``()``.
        per_document: summands of each document, with the same keys.
    """

    documents: int
    settings: AlphaUSettings
    notes: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    sums: Mapping[tuple[str, ...], DisagreementSums]
    per_document: Mapping[tuple[str, ...], DisagreementTable]


@dataclass(frozen=True, kw_only=True, eq=False)
class DisagreementOptions:
    """Options for counting the disagreements of one corpus.

    Attributes:
        continuum: treatment of several documents; see :func:`spanagree.alpha_u`.
        annotators: names of the annotators to compare. Default: all.
        pairs: True to compare each two annotators too.
        progress: callback that receives the number of finished tables and of all.
    """

    continuum: str
    annotators: Sequence[str] | None = None
    pairs: bool = False
    progress: Progress = None


def sum_disagreements(corpus: Corpus, counting: DisagreementOptions) -> DisagreementCounts:
    """Sum the disagreements of one corpus, of all annotators and of each two.

    Raises:
        SettingError: if units of the same annotator and category overlap.
    """
    check_contiguous(corpus, "α_U")
    corpus = keep_placed(corpus, "units")
    corpus, chosen_names = choose_annotators(corpus, counting.annotators)
    settings = AlphaUSettings(
        continuum=counting.continuum,
        chosen=chosen_names,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    tables: dict[tuple[str, ...], DisagreementTable] = {
        (): _build_disagreement_table(corpus, settings)
    }
    for pair in combinations(sorted(corpus.annotators), 2) if counting.pairs else ():
        tables[pair] = _build_disagreement_table(corpus.select_annotators(pair), settings)
    if counting.progress is not None:
        counting.progress(len(tables), len(tables))
    return DisagreementCounts(
        documents=len(corpus),
        settings=settings,
        notes=corpus.notes,
        annotators=corpus.annotators,
        labels=corpus.labels,
        sums={key: _sum_over_documents(table, corpus.labels) for key, table in tables.items()},
        per_document=tables,
    )


def _build_disagreement_table(corpus: Corpus, settings: AlphaUSettings) -> DisagreementTable:
    """Build the table of the observed and the expected disagreement of each document.

    A disagreement is multiplied by the weight L², with L the length of the document.
    """
    joined = settings.continuum == "joined"
    units = sums_of.collect_continua(corpus, joined)
    sums = np.zeros((len(units.lengths), 1 + len(corpus.labels), 4))
    weight = units.lengths.astype(np.float64) ** 2
    sums[:, :, WEIGHT:] = weight[:, None, None]
    sums[units.document, 1 + units.label, OBSERVED] = sums_of.compute_observed(units)
    sums[units.document, 1 + units.label, EXPECTED] = sums_of.compute_expected(units)
    for column in (OBSERVED, EXPECTED):
        sums[:, 0, column] = [math.fsum(row) for row in sums[:, 1:, column].tolist()]
    n_seen = count_seen(corpus)
    compared_documents = np.flatnonzero(
        (n_seen >= 2) & (n_seen >= (len(corpus.layers) if joined else 2))
    )
    has_units = np.isin(np.arange(len(corpus.labels)), units.label).tolist()
    return DisagreementTable(
        sums, compared_documents[: len(sums)], has_units, len(compared_documents)
    )


def _sum_over_documents(table: DisagreementTable, labels: Sequence[str]) -> DisagreementSums:
    """Sum the disagreements and weights of a table over its documents."""

    def sum_columns(coefficient_index: int, columns: Sequence[int]) -> Floats:
        """Sum columns of the table for one label over all documents."""
        return table.sums[:, coefficient_index, columns].sum(axis=0)

    has_units = (any(table.marked), *table.marked)
    figures = {
        label: sum_columns(label_index, (OBSERVED, EXPECTED))
        for label_index, label in enumerate((ALL, *labels))
        if has_units[label_index]
    }
    return DisagreementSums(table.documents, sum_columns(0, [WEIGHT]), figures)
