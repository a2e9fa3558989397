"""Labels of one annotator against labels of another, of all the others, or within the team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spanagree.agreement.confused_labels import Cells, Confused, columns_of, confused, sentence_on
from spanagree.agreement.disagreements import compare
from spanagree.agreement.paired import paired
from spanagree.arrays import Floats, Ints
from spanagree.comparisons.annotation_pairs import Crowd
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.errors import SettingError, check_known, counted, printable, show
from spanagree.results.plots import Picture, heat_map, map_size, shown_text
from spanagree.results.result import Result
from spanagree.results.table import Column, Table, Value
from spanagree.settings import Settings, unit

NOTHING = "(nothing)"
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
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
        cells: what each document adds to the matrix.
    """

    labels: tuple[str, ...]
    matrix: Ints
    documents: int
    settings: ConfusionSettings
    notes: tuple[str, ...]
    cells: Cells = field(repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "share": "shares of what the first gave in each row, instead of numbers",
        "pair": "a row for each two labels that were confused, and how often chance would",
    }
    DRAWN = ("share",)

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
    def confused(self) -> list[Confused]:
        """The confused pairs of labels, most frequent first, with what chance would give."""
        return confused(self.labels, self.matrix, self.cells, self.settings.confusion == "team")

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "cells": None,
        "shares": "share",
        "confused": "pair",
    }

    def _summary(self) -> dict[str, Any]:
        return {"documents": self.documents, "labels": list(self.labels)}

    def _table(self, by: str | None) -> Table:
        """For people the matrix; for programs a row for each cell that is not 0."""
        a, b = map(printable, self.sides)
        names, given = (*self.labels, NOTHING), (*self.labels, None)
        values = self.matrix if by is None else self.shares
        kind, key = ("count", "count") if by is None else ("figure", "share")
        cells: list[list[Value]] = [
            [given[i], given[j], values[i, j].item()] for i, j in np.argwhere(self.matrix).tolist()
        ]
        heads = [Column("a", kind="name"), Column("b", kind="name"), Column(key, kind=kind)]
        titles = (Column("", printable(name), kind) for name in names)
        whose = f"labels of {a} and {b}" if a != b else f"labels of {a}, each with each other"
        documents = counted(self.documents, unit(self.settings))
        if by == "pair":
            rows: list[list[Value]] = [list(each) for each in self.confused]
            whole = f"confused {whose}, {documents}"
            below = sentence_on(self.confused)
            return Table(columns_of(a, b), rows, self.settings, caption=whole, remarks=below)
        what = "" if by is None else ", as shares of each row"
        return Table(
            [Column("", f"{a} ↓ {b} →", "name"), *titles],
            [[name, *row] for name, row in zip(names, values.tolist(), strict=True)],
            self.settings,
            caption=f"{whose}, {documents}{what}",
            in_data=Table(heads, cells, self.settings),
        )

    def _picture(self, by: str | None) -> Picture:
        """Return the matrix as a heat map, of numbers or of shares."""
        names = [*self.labels, NOTHING]
        first, second = map(shown_text, self.sides)
        values, limits, what = self.shares, (0.0, 1.0), "share of the row"
        if by is None:
            most = max(int(self.matrix.max()), 1)
            values, limits, what = self.matrix.astype(np.float64), (0, most), "segments"

        def draw(ax: Any) -> None:
            heat_map(ax, names, names, values, what, limits)
            ax.set_ylabel(first)
            ax.set_xlabel(second)

        return Picture(draw, map_size(names, names))


def confusion(corpus: Corpus, a: str | None = None, b: str | None = None) -> Confusion:
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
    check_in_one_piece(corpus, "a confusion of labels")
    if a is None and b is not None:
        raise SettingError("b without a; pass a too, or swap them")
    size = len(corpus.labels)
    settings = ConfusionSettings(offsets=corpus.offsets, reading=corpus.reading)
    crowd = Crowd.of(corpus)
    first, second = crowd.pairs()
    names = list(corpus.layers)
    if a is not None and b is not None:
        _, _, shared = compare(corpus, a, b)
        settings, notes = replace(settings, between=[a, b]), shared["notes"]
        whose = [names.index(a), names.index(b)]
    else:
        check_known([] if a is None else [a], corpus.layers)
        settings = replace(
            settings, between=None if a is None else [a], confusion="team" if a is None else "rest"
        )
        notes, whose = corpus.notes, [] if a is None else [names.index(a)]
    for number in whose:
        here = (crowd.annotator[first] == number) | (crowd.annotator[second] == number)
        first, second = first[here], second[here]
    if not len(first):
        whom = "the team" if a is None else f"{show(a)} and the rest"
        raise SettingError(
            f"{whom}: no document that two saw; two who share one are needed;"
            " spanagree check says who saw what"
        )
    if whose:  # who is asked for comes first
        turned = crowd.annotator[second] == whose[0]
        first, second = np.where(turned, second, first), np.where(turned, first, second)
    cells = Cells.of(paired(corpus, crowd, (first, second)), size, both_ways=a is None)
    documents = len(np.unique(crowd.document[first]))
    return _result(corpus, cells, documents, settings, notes)


def _result(
    corpus: Corpus,
    cells: Cells,
    documents: int,
    settings: ConfusionSettings,
    notes: tuple[str, ...],
) -> Confusion:
    """Return the matrix of those labels that somebody used."""
    size = len(corpus.labels)
    whole = np.zeros((size + 1, size + 1), np.int64)
    np.add.at(whole, (cells.first, cells.second), cells.often)
    used = (whole.sum(0) + whole.sum(1)) > 0
    used[-1] = True
    labels = tuple(name for name, there in zip(corpus.labels, used, strict=False) if there)
    place = np.cumsum(used) - 1
    cells = cells._replace(first=place[cells.first], second=place[cells.second])
    return Confusion(labels, whole[np.ix_(used, used)], documents, settings, notes, cells)
