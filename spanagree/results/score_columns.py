"""Scores in tables: their columns, with intervals if requested."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from spanagree.results.cells import Value
from spanagree.results.frame import Column
from spanagree.results.score import Ratio, Score, ScoreValues, get_annotator_interval, get_ends


class ScoreColumns(NamedTuple):
    """The columns of one score in a table: its three figures, and intervals if requested.

    Attributes:
        name: name of the score in keys.
        titles: titles of the observed, the expected and the corrected figure; empty to hide one.
        intervals: True for intervals in text output.
        meanings: meanings of the three figures. Default: their titles.
        has_second_intervals: True to add intervals over other annotators too.
        spare: titles of figures that may be left out of a table that is too wide for the page.
    """

    name: str
    titles: Sequence[str] = ("", "", "")
    intervals: bool = False
    meanings: Sequence[str] = ("", "", "")
    has_second_intervals: bool = False
    spare: Collection[str] = ()

    @property
    def columns(self) -> list[Column]:
        """Columns of the three figures, each followed by its interval if intervals are shown."""
        columns = [Column(self.name, kind="json")]
        for score_key, title, meaning in zip(
            ScoreValues._fields, self.titles, self.meanings, strict=True
        ):
            key, is_spare_title = f"{self.name}_{score_key}", title in self.spare
            columns.append(Column(key, title, "figure", meaning, is_spare_title))
            is_spare = bool(self.titles[2]) and score_key != "corrected"
            if self.intervals and title:
                columns.append(Column("", "interval", "interval", spare=is_spare))
            if self.intervals and self.has_second_intervals and title and score_key != "expected":
                meaning = "interval over other annotators"
                columns.append(Column("", "other annotators", "interval", meaning, is_spare))
        return columns

    def list_values(self, score: Any) -> list[Value]:
        """List the cells of one score, a value for each of :attr:`columns`."""
        figures = (score.observed, score.expected, score.corrected)
        values: list[Value] = [Score(*figures, score.reason, score.interval)]
        for score_key, title in zip(ScoreValues._fields, self.titles, strict=True):
            values.append(getattr(score, score_key))
            if self.intervals and title:
                values.append(getattr(score.interval, score_key, None))
            if self.intervals and self.has_second_intervals and title and score_key != "expected":
                values.append(getattr(get_annotator_interval(score.interval), score_key, None))
        return values

    @property
    def ends(self) -> list[Column]:
        """The ends of the intervals, for data."""
        return [
            Column(f"{self.name}_{score_key}{sample}_{end}")
            for sample in ("", "_annotators")[: 1 + self.has_second_intervals]
            for score_key in ScoreValues._fields
            for end in ("low", "high")
        ]

    def list_end_values(self, score: Any) -> list[Value]:
        """Return the ends of the intervals of one score; ``nan`` without intervals."""
        intervals = [score.interval, get_annotator_interval(score.interval)][
            : 1 + self.has_second_intervals
        ]
        return [
            end
            for interval in intervals
            for score_key in ScoreValues._fields
            for end in get_ends(interval, score_key)
        ]


def get_titles(figure: str) -> tuple[str, str, str]:
    """Return the titles of the observed, the expected and the corrected figure."""
    return figure, f"chance {figure}", f"corrected {figure}"


def build_figure_columns(ratio: Ratio, *, intervals: bool) -> ScoreColumns:
    """Build the columns of a figure of systems, with intervals in text output if requested."""
    if not ratio.has_chance:
        return ScoreColumns(ratio.key, (ratio.title, "", ""), meanings=(ratio.meaning, "", ""))
    chance_meanings = ("chance of F-beta", "corrected F-beta") if ratio.heading else ("", "")
    titles, meanings = get_titles(ratio.title), (ratio.meaning, *chance_meanings)
    return ScoreColumns(
        ratio.key, titles, intervals, meanings, spare=titles[1:2] * bool(ratio.heading)
    )


F1 = get_titles("F1")
"""The titles of an F1."""


ERROR_OF_CHANCE = Column("f1_expected_error", "chance error")
"""The column of the standard error of an F1 by chance that is a mean over draws."""
