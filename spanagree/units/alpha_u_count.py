"""What one corpus or block adds to α_U, and how two such counts add."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, Progress
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.placed import placed_only
from spanagree.corpus.roles import choose_annotators, times_seen
from spanagree.units import continuum as sums_of
from spanagree.units.alpha_u_result import AlphaUSettings

OBSERVED, EXPECTED, WEIGHT = range(3)
ALL = None
"""Stands for all categories where a label names one."""


class Table(NamedTuple):
    """What each document that is compared adds to observed and expected, and both weights.

    Attributes:
        sums: (documents, all and each label, 4).
        document: the numbers of the documents; joined they are one, which has the first's.
        marked: whether a unit has each label.
        documents: how many documents are compared.
    """

    sums: Floats
    document: Ints
    marked: Sequence[bool]
    documents: int


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over documents: their number, their weight, and two for all and each label.

    A label that no unit has is not among them.
    """

    documents: int
    weight: Floats
    figures: Mapping[str | None, Floats]


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedUnits:
    """What is counted for α_U.

    Attributes:
        annotators: their names.
        labels: the categories.
        sums: those of all annotators, whose key is empty, and of each two by their sorted names.
        per_document: what each document adds to these.
    """

    documents: int
    settings: AlphaUSettings
    notes: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    sums: Mapping[tuple[str, ...], Sums]
    per_document: Mapping[tuple[str, ...], Table]


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitCounting:
    """How the disagreements of one corpus or block are counted.

    Attributes:
        continuum: as for :func:`spanagree.alpha_u`.
        annotators: the names of those to compare. A block need not have all.
        pairs: whether each two are compared too.
    """

    continuum: str
    annotators: Sequence[str] | None = None
    pairs: bool = False
    progress: Progress = None


def count(corpus: Corpus, counting: UnitCounting) -> CountedUnits:
    """Count the disagreements of one corpus or block, of all annotators and of each two.

    Raises:
        SettingError: for units of one annotator and category that overlap.
    """
    check_in_one_piece(corpus, "α_U")
    corpus = placed_only(corpus, "units")
    corpus, chosen = choose_annotators(corpus, counting.annotators)
    settings = AlphaUSettings(
        continuum=counting.continuum,
        chosen=chosen,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    tables: dict[tuple[str, ...], Table] = {(): _table(corpus, settings)}
    for two in combinations(sorted(corpus.annotators), 2) if counting.pairs else ():
        tables[two] = _table(corpus.of_annotators(two), settings)
    if counting.progress is not None:
        counting.progress(len(tables), len(tables))
    return CountedUnits(
        documents=len(corpus),
        settings=settings,
        notes=corpus.notes,
        annotators=corpus.annotators,
        labels=corpus.labels,
        sums={key: _sums(table, corpus.labels) for key, table in tables.items()},
        per_document=tables,
    )


def _table(corpus: Corpus, settings: AlphaUSettings) -> Table:
    joined = settings.continuum == "joined"
    units = sums_of.continua(corpus, joined)
    sums = np.zeros((len(units.lengths), 1 + len(corpus.labels), 4))
    weight = units.lengths.astype(np.float64) ** 2
    sums[:, :, WEIGHT:] = weight[:, None, None]
    sums[units.document, 1 + units.label, OBSERVED] = sums_of.observed(units)
    sums[units.document, 1 + units.label, EXPECTED] = sums_of.expected(units)
    for column in (OBSERVED, EXPECTED):
        sums[:, 0, column] = [math.fsum(row) for row in sums[:, 1:, column].tolist()]
    seen = times_seen(corpus)
    compared = np.flatnonzero((seen >= 2) & (seen >= (len(corpus.layers) if joined else 2)))
    marked = np.isin(np.arange(len(corpus.labels)), units.label).tolist()
    return Table(sums, compared[: len(sums)], marked, len(compared))


def _sums(table: Table, labels: Sequence[str]) -> Sums:
    """Return the sums over the documents of a table."""

    def total(k: int, columns: Sequence[int]) -> Floats:
        return table.sums[:, k, columns].sum(axis=0)

    marked = (any(table.marked), *table.marked)
    figures = {
        label: total(k, (OBSERVED, EXPECTED)) for k, label in enumerate((ALL, *labels)) if marked[k]
    }
    return Sums(table.documents, total(0, [WEIGHT]), figures)
