"""Labels of one annotator against labels of another, of all the others, or within the team."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.disagreements import check_between
from spanagree.agreement.paired import SegmentPairs, paired
from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import placed_only
from spanagree.errors import (
    SettingError,
    check_known,
    escape_name,
    pluralize,
    pluralize_of,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, heat_map, shown_text
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun
from spanagree.uncertainty.jackknife import beyond_rounding
from spanagree.uncertainty.permutation import holm


class LabelPairCounts(NamedTuple):
    """How often two labels stand beside each other in each document; the last one is nothing."""

    document: Ints
    first: Ints
    second: Ints
    often: Ints

    @classmethod
    def of(cls, parts: Iterable[SegmentPairs], labels: int, both_ways: bool) -> LabelPairCounts:
        """Return the cells of segments in pairs, those of a team both ways round."""
        columns = [np.zeros((3, 0), np.int64)]
        for part in parts:
            sides = [np.where(x < 0, labels, x) for x in (part.label_a, part.label_b)]
            columns.append(np.stack((part.document, *sides)))
            if both_ways:
                columns.append(np.stack((part.document, *sides[::-1])))
        (document, first, second), _, count = unique_rows(*np.concatenate(columns, axis=1))
        return cls(document, first, second, count)


class ConfusedLabels(NamedTuple):
    """Two labels that were confused.

    Attributes:
        a, b: the label that the first gave, and that of the second; of a team either way round.
        times: how often.
        by_chance: how often chance would, with as many pairs of segments whose labels differ.
        ratio: how many times as often as by chance.
        p: of being confused no more often than by chance; ``nan`` where nothing can tell.
        p_holm: p after Holm's correction for all pairs of labels.
    """

    a: str
    b: str
    times: int
    by_chance: float
    ratio: float
    p: float
    p_holm: float


def confused_pairs(
    labels: Sequence[str], matrix: Ints, cells: LabelPairCounts, team: bool
) -> list[ConfusedLabels]:
    """Return the pairs of labels that were confused, those first that chance explains least.

    Args:
        labels: by number.
        matrix: how often each two stand beside each other; the last row and column are for nothing.
        cells: what each document adds to it.
        team: whether each pair of segments is there both ways round.
    """
    together = matrix[:-1, :-1]
    by_chance = np.outer(together.sum(axis=1), together.sum(axis=0)).astype(np.float64)
    pairs = (
        np.triu(np.ones(by_chance.shape, bool), 1) if team else ~np.eye(len(by_chance), dtype=bool)
    )
    differing = int(together[pairs].sum())
    i, j = np.nonzero(pairs & (by_chance > 0))
    share = by_chance[i, j] / max(by_chance[i, j].sum(), 1)
    here = (cells.first < len(labels)) & (cells.second < len(labels))
    here[here] = pairs[cells.first[here], cells.second[here]]
    document, first, second, often = (column[here] for column in cells)
    _, place = np.unique(document, return_inverse=True)
    document_index = np.bincount(place, often)
    counts, squares, crossed = np.zeros((3, *by_chance.shape))
    np.add.at(counts, (first, second), often)
    np.add.at(squares, (first, second), often**2)
    np.add.at(crossed, (first, second), often * document_index[place])
    expected = share * differing
    terms = squares[i, j], -2 * share * crossed[i, j], share**2 * (document_index**2).sum()
    p = _p(counts[i, j] - expected, np.stack(terms), len(document_index))
    p[share > 1 - 1e-12] = math.nan  # two labels can be confused with each other only
    rows = zip(i.tolist(), j.tolist(), expected.tolist(), p.tolist(), holm(p.tolist()), strict=True)
    confusions = [
        ConfusedLabels(labels[a], labels[b], times, by_chance, times / by_chance, p, p_holm)
        for a, b, by_chance, p, p_holm in rows
        if (times := int(together[a, b]))
    ]
    return sorted(confusions, key=lambda pair: (pair.p if pair.p == pair.p else 2, -pair.ratio))


def _p(total: Floats, terms: Floats, documents: int) -> Floats:
    """Return p of t-tests, that a mean is not above 0; undefined where documents do not vary.

    Args:
        total: the sums of values.
        terms: the three parts that sums of squares have; (3, sums).
        documents: how many values there are.
    """
    from scipy.special import stdtr  # takes a tenth of a second to import

    if documents < 2:
        return np.full(len(total), math.nan)
    of_mean = total**2 / documents
    spread = terms.sum(0) - of_mean
    varies = beyond_rounding(spread, np.abs(terms).sum(0) + of_mean, 8)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(spread / (documents - 1) * documents)
        t = np.where(varies, total / error, np.nan)
    return np.asarray(stdtr(documents - 1, -t))


NOTHING = "(nothing)"
_NAMED = 3  # pairs of labels confused equally often that a sentence names
_REST, _TEAM = "the rest", "the team"


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfusionSettings(Settings):
    """The settings of a confusion: of a pair, of one and the ``rest``, or of a ``team``."""

    between: list[str] | None = None
    confusion: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Result):
    """Which labels two annotators, or more, gave to segments that go together.

    Attributes:
        labels: those that any of them used, sorted.
        matrix: labels × labels, how often the first gave one (rows) and the second the other
            (columns). The last row and the last column are for nothing: what the first did not mark
            and what the second did not. They have no name, so no label can be taken for them.
        documents: how many documents both saw; of a team, two or more.
        of_documents: how many the corpus has.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
        cells: what each document adds to the matrix.

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
        """Whose labels stand in the rows, and whose in the columns."""
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
        return confused_pairs(
            self.labels, self.matrix, self.cells, self.settings.confusion == "team"
        )

    @property
    def verdict(self) -> str:
        """Which labels are confused, and which more than chance would."""
        if not self.confused:
            return "No two labels were confused."
        most = max(pair.times for pair in self.confused)
        pairs = [pair for pair in self.confused if pair.times == most]
        named = [f"{escape_name(pair.a)} and {escape_name(pair.b)}" for pair in pairs]
        shown = "; ".join(verdict.first_of(named, _NAMED, "other pair"))
        times = f"{pluralize(most, 'time')}{' each' * (len(pairs) > 1)}"
        more = [pair for pair in self.confused if pair.p_holm < verdict.LEVEL]
        names = ", ".join(f"{escape_name(pair.a)} with {escape_name(pair.b)}" for pair in more)
        return (
            f"The labels confused most often are {shown} ({times}). Confused more than chance would"
            f" (p below {verdict.LEVEL:g} after Holm's correction): {names or 'none'}."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "cells": None,
        "shares": "share",
        "confused": "pair",
    }

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "of_documents", "labels")

    def _table(self, by: str | None) -> Frame:
        """For people the matrix; for programs a row for each cell that is not 0."""
        a, b = map(escape_name, self.sides)
        names, given = (*self.labels, NOTHING), (*self.labels, None)
        values = self.matrix if by is None else self.shares
        kind, key = ("count", "count") if by is None else ("figure", "share")
        cells: list[list[Value]] = [
            [given[i], given[j], values[i, j].item()] for i, j in np.argwhere(self.matrix).tolist()
        ]
        heads = [Column("a", kind="name"), Column("b", kind="name"), Column(key, kind=kind)]
        titles = (Column("", escape_name(name), kind) for name in names)
        whose = f"labels of {a} and {b}" if a != b else f"labels of {a}, each with each other"
        documents = pluralize_of(self.documents, self.of_documents, document_noun(self.settings))
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
            caption = f"confused {whose}, {documents}"
            return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)
        what = "" if by is None else ", as shares of each row"
        return Frame(
            [Column("", f"{a} ↓ {b} →", "name"), *titles],
            [[name, *row] for name, row in zip(names, values.tolist(), strict=True)],
            self.settings,
            caption=f"{whose}, {documents}{what}",
            in_data=Frame(heads, cells, self.settings),
        )

    def _picture(self, by: str | None) -> Plot:
        """Return the matrix as a heat map, of numbers or of shares."""
        names = [*self.labels, NOTHING]
        values, limits, what = self.shares, (0.0, 1.0), "share of the row"
        if by is None:
            most = max(int(self.matrix.max()), 1)
            values, limits, what = self.matrix.astype(np.float64), (0, most), "segments"
        first, second = map(shown_text, self.sides)
        return heat_map(names, names, values, what, limits, sides=(first, second))


def confusion(corpus: CorpusLike, a: str | None = None, b: str | None = None) -> Confusion:
    """Return labels of one annotator against another's, with nothing as a row and a column.

    Segments go together as in :func:`disagreements`, so the diagonal has those of the same label,
    whether their boundaries are the same or not. With ``a`` alone the matrices of ``a`` and each
    other annotator are added up, with neither those of all ordered pairs: the team's matrix is
    symmetric, and has each pair of segments twice.

    Raises:
        SettingError: as for :func:`disagreements`; if nobody shares a document.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 3, "PER")]]}
    ... )
    >>> confusion(corpus, "ann", "bob").matrix.tolist()
    [[0, 0, 1], [0, 1, 0], [0, 0, 0]]
    >>> confusion(corpus).matrix.tolist()
    [[0, 0, 1], [0, 2, 0], [1, 0, 0]]
    """
    corpus = placed_only(as_corpus(corpus), "pairs of segments")
    if a is None and b is not None:
        raise SettingError("b without a; pass a too, or swap them")
    size = len(corpus.labels)
    settings = ConfusionSettings(offsets=corpus.offsets, reading=corpus.reading)
    crowd = AnnotationIndex.of(corpus)
    first, second = crowd.pairs()
    names = list(corpus.layers)
    if a is not None and b is not None:
        _, notes = check_between(corpus, a, b)
        settings = replace(settings, between=[a, b])
        wanted = [names.index(a), names.index(b)]
    else:
        check_known([] if a is None else [a], corpus.layers)
        settings = replace(
            settings, between=None if a is None else [a], confusion="team" if a is None else "rest"
        )
        notes, wanted = corpus.notes, [] if a is None else [names.index(a)]
    for number in wanted:
        here = (crowd.annotator[first] == number) | (crowd.annotator[second] == number)
        first, second = first[here], second[here]
    if not len(first):
        whom = "the team" if a is None else f"{quote_value(a)} and the rest"
        raise SettingError(
            f"{whom}: no document that two saw; two who share one are needed;"
            " spanagree check says who saw what"
        )
    if wanted:  # who is asked for comes first
        turned = crowd.annotator[second] == wanted[0]
        first, second = np.where(turned, second, first), np.where(turned, first, second)
    cells = LabelPairCounts.of(paired(corpus, crowd, (first, second)), size, both_ways=a is None)
    documents = len(np.unique(crowd.document[first]))
    return _result(corpus, cells, documents, settings, notes)


def _result(
    corpus: Corpus,
    cells: LabelPairCounts,
    documents: int,
    settings: ConfusionSettings,
    notes: tuple[str, ...],
) -> Confusion:
    """Return the matrix of those labels that somebody used."""
    size = len(corpus.labels)
    matrix = np.zeros((size + 1, size + 1), np.int64)
    np.add.at(matrix, (cells.first, cells.second), cells.often)
    used = (matrix.sum(0) + matrix.sum(1)) > 0
    used[-1] = True
    labels = tuple(name for name, there in zip(corpus.labels, used, strict=False) if there)
    place = np.cumsum(used) - 1
    cells = cells._replace(first=place[cells.first], second=place[cells.second])
    counts = matrix[np.ix_(used, used)]
    return Confusion(labels, counts, documents, len(corpus), settings, notes, cells)
