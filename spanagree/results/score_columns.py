"""Scores in tables: their columns, with intervals if requested."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from spanagree.results.frame import Column, Value
from spanagree.results.score import Ratio, Score, ScoreValues, ends_of, over_annotators


class ScoreColumns(NamedTuple):
    """The columns of a score in a table.

    Attributes:
        name: of the score, as it is in the keys.
        titles: of the observed, the expected and the corrected figure; empty where people see none.
        intervals: whether people see intervals.
        meanings: of the three figures; their titles unless given.
        others: if True, there are second intervals, over other annotators too.
        spare: the titles of figures that may be left out where a table is too wide.
    """

    name: str
    titles: Sequence[str] = ("", "", "")
    intervals: bool = False
    meanings: Sequence[str] = ("", "", "")
    others: bool = False
    spare: Collection[str] = ()

    @property
    def columns(self) -> list[Column]:
        """The three figures, each with its interval if people see it."""
        columns = [Column(self.name, kind="json")]
        for kind, title, meaning in zip(
            ScoreValues._fields, self.titles, self.meanings, strict=True
        ):
            key, may_go = f"{self.name}_{kind}", title in self.spare
            columns.append(Column(key, title, "figure", meaning, may_go))
            is_spare = bool(self.titles[2]) and kind != "corrected"
            if self.intervals and title:
                columns.append(Column("", "interval", "interval", spare=is_spare))
            if self.intervals and self.others and title and kind != "expected":
                meaning = "interval over other annotators"
                columns.append(Column("", "other annotators", "interval", meaning, is_spare))
        return columns

    def values(self, score: Any) -> list[Value]:
        """Return the values of one score in these columns."""
        three = (score.observed, score.expected, score.corrected)
        values: list[Value] = [Score(*three, score.reason, score.interval)]
        for kind, title in zip(ScoreValues._fields, self.titles, strict=True):
            values.append(getattr(score, kind))
            if self.intervals and title:
                values.append(getattr(score.interval, kind, None))
            if self.intervals and self.others and title and kind != "expected":
                values.append(getattr(over_annotators(score.interval), kind, None))
        return values

    @property
    def ends(self) -> list[Column]:
        """The ends of the intervals, for data."""
        return [
            Column(f"{self.name}_{k}{sample}_{end}")
            for sample in ("", "_annotators")[: 1 + self.others]
            for k in ScoreValues._fields
            for end in ("low", "high")
        ]

    def end_values(self, score: Any) -> list[Value]:
        """Return the ends of the intervals of one score; ``nan`` where there are none."""
        intervals = [score.interval, over_annotators(score.interval)][: 1 + self.others]
        return [end for x in intervals for kind in ScoreValues._fields for end in ends_of(x, kind)]


def titles_of(figure: str) -> tuple[str, str, str]:
    """Return the titles of the observed, the expected and the corrected figure."""
    return figure, f"chance {figure}", f"corrected {figure}"


def columns_of_figure(ratio: Ratio, *, intervals: bool) -> ScoreColumns:
    """Return the columns of a figure of systems; people see intervals if requested."""
    if not ratio.has_chance:
        return ScoreColumns(ratio.key, (ratio.title, "", ""), meanings=(ratio.meaning, "", ""))
    more = ("chance of F-beta", "corrected F-beta") if ratio.heading else ("", "")
    titles, meanings = titles_of(ratio.title), (ratio.meaning, *more)
    return ScoreColumns(
        ratio.key, titles, intervals, meanings, spare=titles[1:2] * bool(ratio.heading)
    )


F1 = titles_of("F1")
"""The titles of an F1."""


ERROR_OF_CHANCE = Column("f1_expected_error", "chance error")
"""The column of the standard error of an F1 by chance that is a mean over draws."""
