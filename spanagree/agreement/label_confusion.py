"""Labels of one annotator against labels of another, of all the others, or within the team."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from spanagree.agreement.confused_labels import (
    ConfusedLabels,
    LabelPairCounts,
    list_confused_pairs,
)
from spanagree.agreement.disagreements import check_between
from spanagree.agreement.paired import yield_paired
from spanagree.arrays import Floats, Ints
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import keep_placed
from spanagree.errors import (
    SettingError,
    check_known,
    escape_name,
    format_count_of_total,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_heat_map, prepare_names
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun

NOTHING = "(nothing)"
_NAMED = 3  # most frequently confused pairs of labels in a sentence
_REST, _TEAM = "the rest", "the team"


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfusionSettings(Settings):
    """Settings of a confusion: of a pair, of one and the ``rest``, or of a ``team``."""

    between: list[str] | None = None
    confusion: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Result):
    """Labels that two annotators, or more, assigned to paired segments.

    Attributes:
        labels: labels in use, sorted.
        matrix: number of pairs with each label of the first annotator (rows) and of the second
            (columns). The last row and the last column are for nothing: segments that the first or
            the second did not mark. They have no name, so no label can be taken for them.
        documents: number of documents that both saw; for a team, that two or more saw.
        of_documents: number of documents of the corpus.
        settings: settings that determine the figures.
        notes: repairs and omissions of the reader, and anything unusual here.
        cells: summands of each document in the matrix.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER")]], "bob": [[(0, 2, "LOC"), (4, 5, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.agreement.confusion(corpus, "ann", "bob")
    >>> found.labels, found.matrix.tolist()
    (('LOC', 'PER'), [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    """

    labels: tuple[str, ...]
    matrix: Ints
    documents: int
    of_documents: int
    settings: ConfusionSettings
    notes: tuple[str, ...]
    cells: LabelPairCounts = field(repr=False, compare=False)

    DRAWN: ClassVar[tuple[str, ...]] = ("share",)
    BY: ClassVar[Mapping[str, str]] = {
        "share": "shares of what the first gave in each row, instead of numbers",
        "pair": "a row for each two labels that were confused, and how often chance would",
    }

    @property
    def sides(self) -> tuple[str, str]:
        """Names of the annotators of the rows and of the columns."""
        if self.settings.confusion == "team":
            return _TEAM, _TEAM
        names = self.settings.between or []
        return (names[0], _REST) if self.settings.confusion == "rest" else (names[0], names[1])

    @property
    def shares(self) -> Floats:
        """The matrix as shares of each row; ``nan`` in a row of zeros."""
        totals = self.matrix.sum(axis=1, keepdims=True)
        empty = np.full(self.matrix.shape, np.nan)
        return np.divide(self.matrix, totals, out=empty, where=totals > 0)

    @cached_property
    def confused(self) -> list[ConfusedLabels]:
        """The confused pairs of labels, most frequent first, with what chance would give."""
        return list_confused_pairs(
            self.labels, self.matrix, self.cells, self.settings.confusion == "team"
        )

    @property
    def verdict(self) -> str:
        """The most frequently confused labels, and those confused more than by chance."""
        if not self.confused:
            return "No two labels were confused."
        max_times = max(pair.times for pair in self.confused)
        pairs = [pair for pair in self.confused if pair.times == max_times]
        pair_names = [f"{escape_name(pair.a)} and {escape_name(pair.b)}" for pair in pairs]
        pairs_phrase = "; ".join(verdict.abbreviate_names(pair_names, _NAMED, "other pair"))
        times_phrase = f"{pluralize(max_times, 'time')}{' each' * (len(pairs) > 1)}"
        significant = [pair for pair in self.confused if pair.p_holm < verdict.LEVEL]
        significant_phrase = ", ".join(
            f"{escape_name(pair.a)} with {escape_name(pair.b)}" for pair in significant
        )
        return (
            f"The labels confused most often are {pairs_phrase} ({times_phrase})."
            f" Confused more than chance would (p below {verdict.LEVEL:g} after Holm's correction):"
            f" {significant_phrase or 'none'}."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "cells": None,
        "shares": "share",
        "confused": "pair",
    }

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "of_documents", "labels")

    def _build_table(self, by: str | None) -> Frame:
        """Build the table of the matrix or, with ``by="pair"``, of confused labels."""
        return self._build_table_of_confused() if by == "pair" else self._build_matrix_table(by)

    def _build_matrix_table(self, by: str | None) -> Frame:
        """Build the table of the matrix; data have a row for each cell that is not zero."""
        a, b = map(escape_name, self.sides)
        names, label_values = (*self.labels, NOTHING), (*self.labels, None)
        values = self.matrix if by is None else self.shares
        column_kind, key = ("count", "count") if by is None else ("figure", "share")
        cells: list[list[Value]] = [
            [label_values[i], label_values[j], values[i, j].item()]
            for i, j in np.argwhere(self.matrix).tolist()
        ]
        columns_of_data = [
            Column("a", kind="name"),
            Column("b", kind="name"),
            Column(key, kind=column_kind),
        ]
        titles = (Column("", escape_name(name), column_kind) for name in names)
        shares_phrase = "" if by is None else ", as shares of each row"
        return Frame(
            [Column("", f"{a} ↓ {b} →", "name"), *titles],
            [[name, *row] for name, row in zip(names, values.tolist(), strict=True)],
            self.settings,
            caption=f"{self._subject}{shares_phrase}",
            in_data=Frame(columns_of_data, cells, self.settings),
        )

    def _build_table_of_confused(self) -> Frame:
        """Build the table with a row for each two labels that were confused."""
        a, b = map(escape_name, self.sides)
        columns = [
            Column("a", f"label of {a}", "name"),
            Column("b", f"label of {b}" if a != b else "and", "name"),
            Column("times", "times", "count"),
            Column("by_chance", "by chance", "number"),
            Column("ratio", "ratio", "number"),
            Column("p", "p", "probability"),
            Column("p_holm", "Holm", "probability"),
        ]
        remarks = [] if self.confused else ["no two labels were confused"]
        if any(math.isnan(pair.p) for pair in self.confused):
            remarks.append(
                "–: p undefined: two documents that differ are needed, and another label that"
                " either could be confused with"
            )
        caption = f"confused {self._subject}"
        return Frame(columns, self.confused, self.settings, caption=caption, remarks=remarks)

    @property
    def _subject(self) -> str:
        """Whose labels are confused, in how many documents, in words."""
        a, b = map(escape_name, self.sides)
        whose = f"{a} and {b}" if a != b else f"{a}, each with each other"
        documents = format_count_of_total(
            self.documents, self.of_documents, document_noun(self.settings)
        )
        return f"labels of {whose}, {documents}"

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the matrix as a heat map, of numbers or of shares."""
        names = [*self.labels, NOTHING]
        first, second = prepare_names(self.sides)
        titles = (first, second)
        if by is not None:
            return plot_heat_map(names, names, self.shares, "share of the row", axis_titles=titles)
        limits = (0, max(int(self.matrix.max()), 1))
        return plot_heat_map(names, names, self.matrix, "segments", limits, axis_titles=titles)


def confusion(corpus: CorpusLike, a: str | None = None, b: str | None = None) -> Confusion:
    """Count labels of one annotator against another's, with nothing as a row and a column.

    Segments are paired as in :func:`disagreements`, so the diagonal has pairs with the same label,
    whatever their boundaries. With ``a`` alone, the matrices of ``a`` and each other annotator are
    added up. Without names, matrices of all ordered pairs are added up: the team's matrix is
    symmetric, and contains each pair of segments twice.

    Raises:
        SettingError: if annotators are unknown, the same, or share no document.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 3, "PER")]]}
    ... )
    >>> confusion(corpus, "ann", "bob").matrix.tolist()
    [[0, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> confusion(corpus).matrix.tolist()
    [[0, 0, 1], [0, 2, 0], [1, 0, 0]]
    """
    corpus = keep_placed(as_corpus(corpus), "pairs of segments")
    if a is None and b is not None:
        raise SettingError("b without a; pass a too, or swap them")
    n_labels = len(corpus.labels)
    settings = ConfusionSettings(offsets=corpus.offsets, reading=corpus.reading)
    crowd = AnnotationIndex.from_corpus(corpus)
    first, second = crowd.pair_annotations()
    names = list(corpus.layers)
    if a is not None and b is not None:
        _, notes = check_between(corpus, a, b)
        settings = replace(settings, between=[a, b])
        requested = [names.index(a), names.index(b)]
    else:
        check_known([] if a is None else [a], corpus.layers)
        settings = replace(
            settings, between=None if a is None else [a], confusion="team" if a is None else "rest"
        )
        notes, requested = corpus.notes, [] if a is None else [names.index(a)]
    for annotator_index in requested:
        is_requested = (crowd.annotator[first] == annotator_index) | (
            crowd.annotator[second] == annotator_index
        )
        first, second = first[is_requested], second[is_requested]
    if not len(first):
        subject = "the team" if a is None else f"{quote_value(a)} and the rest"
        raise SettingError(
            f"{subject}: no document that two saw; two who share one are needed;"
            " spanagree check says who saw what"
        )
    if requested:  # the requested annotator comes first
        is_reversed = crowd.annotator[second] == requested[0]
        first, second = np.where(is_reversed, second, first), np.where(is_reversed, first, second)
    cells = LabelPairCounts.from_portions(
        yield_paired(corpus, crowd, (first, second)), n_labels, is_symmetric=a is None
    )
    documents = len(np.unique(crowd.document[first]))
    return _build_result(corpus, cells, documents, settings, notes)


def _build_result(
    corpus: Corpus,
    cells: LabelPairCounts,
    n_documents: int,
    settings: ConfusionSettings,
    notes: tuple[str, ...],
) -> Confusion:
    """Build the confusion of the labels that occur.

    Args:
        corpus: corpus of the annotators.
        cells: number of times that two labels are paired in each document.
        n_documents: number of documents that two compared annotators saw.
        settings: settings of the confusion.
        notes: notes of the corpus.
    """
    n_labels = len(corpus.labels)
    matrix = np.zeros((n_labels + 1, n_labels + 1), np.int64)
    np.add.at(matrix, (cells.first, cells.second), cells.times)
    is_used = (matrix.sum(0) + matrix.sum(1)) > 0
    is_used[-1] = True
    labels = tuple(name for name, exists in zip(corpus.labels, is_used, strict=False) if exists)
    new_index = np.cumsum(is_used) - 1
    cells = cells._replace(first=new_index[cells.first], second=new_index[cells.second])
    counts = matrix[np.ix_(is_used, is_used)]
    return Confusion(labels, counts, n_documents, len(corpus), settings, notes, cells)
