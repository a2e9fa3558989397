"""Scores: observed, expected by chance, and corrected. Each formula stands here once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.data import plain
from spanagree.results.frame import Column, Value, figure

CERTAIN = 1e-10
"""An expected score this close to 1 is 1: sums of floats give 1 − 1e-16."""
UNDEFINED = math.nan
RARE = 10
"""Fewer documents than this that disagree, or that agree, make figures shaky."""

Number = TypeVar("Number", float, Floats)


class Figures(NamedTuple):
    """A number for each of the three figures of a score."""

    observed: float
    expected: float
    corrected: float


# --- the formulas -------------------------------------------------------------------------------


def _share_of_the_rest(observed: Number, expected: Number) -> Number:
    """Return what exceeds chance, as a share of what chance leaves."""
    return (observed - expected) / (1 - expected)


def parts_of(
    name: str,
    matched: Any,
    expected: Any,
    size_a: Any,
    size_b: Any,
    expected_a: Any = None,
    expected_b: Any = None,
) -> tuple[Any, ...]:
    """Return the two numerators and their denominators of precision, recall or F1.

    The numbers are scalars, or arrays of one shape; the expected sizes are the sizes unless given.
    """
    if expected_a is None:
        expected_a, expected_b = size_a, size_b
    if name == "precision":
        return matched, expected, size_b, expected_b
    if name == "recall":
        return matched, expected, size_a, expected_a
    return 2 * matched, 2 * expected, size_a + size_b, expected_a + expected_b


def score_figures(matched: Floats, expected: Floats, size: Floats, expected_size: Floats) -> Floats:
    """Return observed, expected and corrected figures; ``nan`` where undefined; (…) to (…, 3)."""
    # sums of floats drawn differently: what is 0 or 1 may be off by a few units of the last place
    random = np.where(size > 0.5, expected_size, np.nan)
    size = np.where(size > 0.5, size, np.nan)
    figures = np.moveaxis(np.empty((3, *np.shape(size))), 0, -1)  # each by itself, as it is made
    observed, by_chance = figures[..., 0], figures[..., 1]
    np.divide(matched, size, out=observed)
    np.divide(expected, random, out=by_chance)
    figures[..., 2] = corrected_figures(observed, by_chance)
    return figures


def corrected_figures(observed: Floats, expected: Floats) -> Floats:
    """Return corrected figures, as :func:`corrected` does: ``nan`` where chance alone gives 1."""
    value = np.where(expected < 1 - CERTAIN, _share_of_the_rest(observed, expected), np.nan)
    return np.asarray(value, np.float64)


def f1_figures(sums: Floats) -> Floats:
    """Return observed, expected and corrected F1 from sums; (…, columns) to (…, 3).

    Columns are matched, expected and the size of both sides together, and behind them the expected
    size where sizes are random.
    """
    matched, expected, size = sums[..., 0], sums[..., 1], sums[..., 2]
    return score_figures(*parts_of("f1", matched, expected, size, 0, sums[..., -1], 0))


def all_figures(sums: Floats) -> Floats:
    """Return three figures of precision, recall and F1 from a tally's columns.

    From (…, 4), or with expected sizes (…, 6), to (…, 9).
    """
    columns = np.moveaxis(sums, -1, 0)
    names = ("precision", "recall", "f1")
    return np.concatenate([score_figures(*parts_of(name, *columns)) for name in names], axis=-1)


# --- scores -------------------------------------------------------------------------------------


def with_reason(figures: Any) -> dict[str, Any]:
    """Return figures as plain data for JSON: undefined is ``None``; a reason if there is one."""
    data: dict[str, Any] = plain(figures._asdict())
    return {key: value for key, value in data.items() if key not in ("reason", "kind") or value}


class Interval(NamedTuple):
    """The low and the high end of the three figures of a score; ``nan`` where undefined.

    ``reason`` says why it is undefined, or what is out of the ordinary; ``kind`` is jackknife-t or
    exact. ``over_annotators`` is a second interval, over other annotators too, if it was requested.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "mine": [[(0, 1, "X")]] * 8 + [[]]}
    >>> result = sa.evaluate(sa.Corpus.from_segments([9] * 9, layers), ci=True)
    >>> low, high = result.systems["mine"].f1.interval.observed
    >>> bool(low < result.systems["mine"].f1.observed < high)
    True
    """

    observed: tuple[float, float]
    expected: tuple[float, float]
    corrected: tuple[float, float]
    reason: str = ""
    kind: str = ""
    over_annotators: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: undefined is ``None``, and why."""
        data = with_reason(self)
        others = data.pop("over_annotators", None) and self.over_annotators
        return data if others is None else {**data, "over_annotators": others.to_dict()}


def ends_of(interval: Any, kind: str) -> tuple[float, float]:
    """Return both ends of one of an interval's figures; ``nan`` where there is no interval."""
    ends: tuple[float, float] = getattr(interval, kind, (UNDEFINED, UNDEFINED))
    return ends


def over_annotators(interval: Interval | None) -> Interval | None:
    """Return the second interval, over other annotators too, if there is one."""
    return None if interval is None else interval.over_annotators


class Score(NamedTuple):
    """One figure: as observed, as chance alone would give, and corrected for chance.

    ``corrected = (observed − expected) / (1 − expected)``. What is not defined is ``nan``, and
    ``reason`` says why; it is empty where all three are defined. ``interval`` is there if intervals
    were asked for. ``float(score)`` is the observed figure, and ``f"{score:.2f}"`` formats it, as
    other programs have the same number; ``print`` shows all three.

    >>> score = Score(0.75, 0.5, 0.5)
    >>> print(score, f"{score:.2f}", float(score))
    0.7500 (chance 0.5000, corrected 0.5000) 0.75 0.75
    """

    observed: float
    expected: float
    corrected: float
    reason: str = ""
    interval: Interval | None = None

    def __float__(self) -> float:
        return float(self.observed)

    def __format__(self, spec: str) -> str:
        return format(self.observed, spec) if spec else str(self)

    def __str__(self) -> str:
        raw, by_chance, beyond = map(figure, self[:3])
        return f"{raw} (chance {by_chance}, corrected {beyond})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: undefined is ``None``, and why."""
        figures: dict[str, Any] = dict(zip(self._fields, plain(self[:3]), strict=False))
        if self.reason:
            figures["undefined"] = self.reason
        ends = {} if self.interval is None else {"interval": self.interval.to_dict()}
        return {**figures, **ends}


def corrected(observed: float, expected: float) -> Score:
    """Return a score with its chance correction; undefined where chance alone gives 1.

    >>> corrected(0.75, 0.5).corrected
    0.5
    """
    if expected >= 1 - CERTAIN:
        return Score(observed, expected, UNDEFINED, "chance alone gives 1")
    return Score(observed, expected, _share_of_the_rest(observed, expected))


def undefined(reason: str) -> Score:
    """Return a score of which nothing is defined."""
    return Score(UNDEFINED, UNDEFINED, UNDEFINED, reason)


# --- scores in tables ---------------------------------------------------------------------------


class ScoreColumns(NamedTuple):
    """The columns of a score in a table.

    Attributes:
        name: of the score, as it is in the keys.
        titles: of the observed, the expected and the corrected figure; empty where people see none.
        intervals: whether people see intervals.
        meanings: of the three figures; their titles unless given.
        others: if True, there are second intervals, over other annotators too.
    """

    name: str
    titles: Sequence[str] = ("", "", "")
    intervals: bool = False
    meanings: Sequence[str] = ("", "", "")
    others: bool = False

    @property
    def columns(self) -> list[Column]:
        """The three figures, each with its interval if people see it."""
        columns = [Column(self.name, kind="json")]
        for kind, title, meaning in zip(Figures._fields, self.titles, self.meanings, strict=True):
            columns.append(Column(f"{self.name}_{kind}", title, "figure", meaning))
            if self.intervals and title:
                columns.append(Column("", "interval", "interval", spare=kind == "expected"))
            if self.intervals and self.others and title and kind != "expected":
                meaning = "interval over other annotators"
                columns.append(Column("", "other annotators", "interval", meaning))
        return columns

    def values(self, score: Any) -> list[Value]:
        """Return the values of one score in these columns."""
        three = (score.observed, score.expected, score.corrected)
        values: list[Value] = [Score(*three, score.reason, score.interval)]
        for kind, title in zip(Figures._fields, self.titles, strict=True):
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
            for k in Figures._fields
            for end in ("low", "high")
        ]

    def end_values(self, score: Any) -> list[Value]:
        """Return the ends of the intervals of one score; ``nan`` where there are none."""
        intervals = [score.interval, over_annotators(score.interval)][: 1 + self.others]
        return [end for x in intervals for kind in Figures._fields for end in ends_of(x, kind)]


F1 = ("F1", "chance F1", "corrected F1")
"""The titles of an F1."""

ERROR_OF_CHANCE = Column("f1_expected_error", "chance error")
"""The column of the standard error of an F1 by chance that is a mean over draws."""
