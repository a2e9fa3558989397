"""Labels of one annotator against labels of another, of all the others, or within the team."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.disagreements import check_between
from spanagree.agreement.paired import SegmentPairs, yield_paired
from spanagree.arrays import Floats, Ints, unique_rows
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
from spanagree.uncertainty.jackknife import exceeds_rounding
from spanagree.uncertainty.permutation import holm


class LabelPairCounts(NamedTuple):
    """Number of times that two labels are paired in each document; the last label is nothing."""

    document: Ints
    first: Ints
    second: Ints
    times: Ints

    @classmethod
    def from_portions(
        cls, portions: Iterable[SegmentPairs], n_labels: int, is_symmetric: bool
    ) -> LabelPairCounts:
        """Count paired labels.

        Args:
            portions: paired segments.
            n_labels: number of labels, which is the index of "nothing".
            is_symmetric: True to count each pair in both orders, for a team.
        """
        columns = [np.zeros((3, 0), np.int64)]
        for portion in portions:
            label_columns = [
                np.where(label < 0, n_labels, label) for label in (portion.label_a, portion.label_b)
            ]
            columns.append(np.stack((portion.document, *label_columns)))
            if is_symmetric:
                columns.append(np.stack((portion.document, *label_columns[::-1])))
        (document, first, second), _, count = unique_rows(*np.concatenate(columns, axis=1))
        return cls(document, first, second, count)


class ConfusedLabels(NamedTuple):
    """Two labels that were confused.

    Attributes:
        a, b: label of the first annotator and label of the second; for a team in either order.
        times: number of times they were confused.
        by_chance: number expected by chance, with as many pairs of segments with different labels.
        ratio: times divided by the number expected by chance.
        p: p of being confused no more often than by chance; ``nan`` if it is undefined.
        p_holm: p after Holm's correction for all pairs of labels.
    """

    a: str
    b: str
    times: int
    by_chance: float
    ratio: float
    p: float
    p_holm: float


def list_confused_pairs(
    labels: Sequence[str], matrix: Ints, cells: LabelPairCounts, is_team: bool
) -> list[ConfusedLabels]:
    """List the pairs of labels that were confused, in the order of p, then of the ratio to chance.

    By chance, the segments that are paired with another label have labels in proportion to the
    product of both annotators' label counts. A t-test over documents compares the observed number
    with this expectation.

    Args:
        labels: names of labels by index.
        matrix: number of times that each pair of labels occurs; the last row and column are for
            nothing.
        cells: summands of each document in the matrix.
        is_team: True if each pair of segments is counted in both orders.
    """
    paired_counts = matrix[:-1, :-1]
    by_chance = np.outer(paired_counts.sum(axis=1), paired_counts.sum(axis=0)).astype(np.float64)
    is_pair = (
        np.triu(np.ones(by_chance.shape, bool), 1)
        if is_team
        else ~np.eye(len(by_chance), dtype=bool)
    )
    n_differing = int(paired_counts[is_pair].sum())
    i, j = np.nonzero(is_pair & (by_chance > 0))
    share = by_chance[i, j] / max(by_chance[i, j].sum(), 1)
    is_cell = (cells.first < len(labels)) & (cells.second < len(labels))
    is_cell[is_cell] = is_pair[cells.first[is_cell], cells.second[is_cell]]
    document, first, second, n_times = (column[is_cell] for column in cells)
    _, document_index = np.unique(document, return_inverse=True)
    document_totals = np.bincount(document_index, n_times)
    counts, squares, crossed = np.zeros((3, *by_chance.shape))
    np.add.at(counts, (first, second), n_times)
    np.add.at(squares, (first, second), n_times**2)
    np.add.at(crossed, (first, second), n_times * document_totals[document_index])
    expected = share * n_differing
    terms = squares[i, j], -2 * share * crossed[i, j], share**2 * (document_totals**2).sum()
    p = _compute_p(counts[i, j] - expected, np.stack(terms), len(document_totals))
    p[share > 1 - 1e-12] = math.nan  # if only two labels can be confused
    rows = zip(i.tolist(), j.tolist(), expected.tolist(), p.tolist(), holm(p.tolist()), strict=True)
    confusions = [
        ConfusedLabels(labels[a], labels[b], times, by_chance, times / by_chance, p, p_holm)
        for a, b, by_chance, p, p_holm in rows
        if (times := int(paired_counts[a, b]))
    ]
    return sorted(confusions, key=lambda pair: (pair.p if pair.p == pair.p else 2, -pair.ratio))


def _compute_p(total: Floats, terms: Floats, n_documents: int) -> Floats:
    """Compute p of one-sided t-tests for means above 0, of values with one value for each document.

    Args:
        total: sum of the values of each test: (tests,).
        terms: three summands of the sum of squared values of each test: (3, tests).
        n_documents: number of values of each test.

    Returns:
        p of each test; ``nan`` if its values do not vary.
    """
    from scipy.special import stdtr  # slow to import

    if n_documents < 2:
        return np.full(len(total), math.nan)
    mean_square = total**2 / n_documents
    squared_deviations = terms.sum(0) - mean_square
    varies = exceeds_rounding(squared_deviations, np.abs(terms).sum(0) + mean_square, 8)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squared_deviations / (n_documents - 1) * n_documents)
        t = np.where(varies, total / error, np.nan)
    return np.asarray(stdtr(n_documents - 1, -t))


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
        """Build the table of the matrix or, with ``by="pair"``, of confused labels.

        Text output has the matrix; data have a row for each nonzero cell.
        """
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
        subject = f"labels of {a} and {b}" if a != b else f"labels of {a}, each with each other"
        documents = format_count_of_total(
            self.documents, self.of_documents, document_noun(self.settings)
        )
        if by == "pair":
            columns = [
                Column("a", f"label of {a}", "name"),
                Column("b", f"label of {b}" if a != b else "and", "name"),
                Column("times", "times", "count"),
                Column("by_chance", "by chance", "number"),
                Column("ratio", "ratio", "number"),
                Column("p", "p", "probability"),
                Column("p_holm", "Holm", "probability"),
            ]
            rows: list[list[Value]] = [list(pair) for pair in self.confused]
            remarks = [] if rows else ["no two labels were confused"]
            if any(math.isnan(pair.p) for pair in self.confused):
                remarks.append(
                    "–: p undefined: two documents that differ are needed, and another label that"
                    " either could be confused with"
                )
            caption = f"confused {subject}, {documents}"
            return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)
        shares_phrase = "" if by is None else ", as shares of each row"
        return Frame(
            [Column("", f"{a} ↓ {b} →", "name"), *titles],
            [[name, *row] for name, row in zip(names, values.tolist(), strict=True)],
            self.settings,
            caption=f"{subject}, {documents}{shares_phrase}",
            in_data=Frame(columns_of_data, cells, self.settings),
        )

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
