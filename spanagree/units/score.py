"""A figure that is made of two disagreements: observed and expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.data import plain
from spanagree.results.frame import Column, Value
from spanagree.results.plots import Dot
from spanagree.results.score import CERTAIN, UNDEFINED, Interval
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import intervals_of, moments

FIGURES = ("observed", "expected", "value")


class Disagreement(NamedTuple):
    """A coefficient 1 − observed/expected, and the disagreements that it is made of.

    Attributes:
        value: 1 where annotators agree throughout, 0 where they do no better than chance.
        observed: the disagreement observed.
        expected: that which chance alone would give.
        error: the standard error of the value that comes from sampling; 0 if nothing is sampled.
        reason: why the value is undefined (``nan``), if it is.
        interval: of observed, expected and value (its ``corrected``), if asked for.
        bounds: between which the value is, where it was not computed to its end; then it is
            undefined.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> score = sa.alpha_u(sa.Corpus.from_segments([9], layers)).all
    >>> round(score.observed, 4), round(score.expected, 4), round(score.value, 4)
    (0.0123, 0.1182, 0.8955)
    """

    value: float
    observed: float
    expected: float
    error: float = 0.0
    reason: str = ""
    interval: Interval | None = None
    bounds: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: undefined is ``None``, and why."""
        figures: dict[str, Any] = {name: getattr(self, name) for name in FIGURES}
        if self.error > 0:  # nan is not
            figures["error"] = self.error
        if self.bounds is not None:
            figures["bounds"] = self.bounds
        if self.reason:
            figures["undefined"] = self.reason
        if self.interval is not None:
            observed, expected, value, reason, *_ = self.interval
            figures["interval"] = {"observed": observed, "expected": expected, "value": value}
            figures["interval"] |= {"reason": reason} if reason else {}
        return dict(plain(figures))


def disagreement(
    observed: float, expected: float, nothing: str, error: float = 0.0
) -> Disagreement:
    """Return 1 − observed/expected, or why it is undefined.

    ``nothing`` is the reason if there is nothing that chance could disagree on.

    >>> disagreement(0.25, 1.0, "nothing is marked").value
    0.75
    """
    if not expected > 0:
        return Disagreement(UNDEFINED, observed, expected, reason=nothing)
    return Disagreement(1 - observed / expected, observed, expected, error)


def undefined(reason: str) -> Disagreement:
    """Return a coefficient of which nothing is defined."""
    return Disagreement(UNDEFINED, UNDEFINED, UNDEFINED, reason=reason)


def figures(observed: Floats, expected: Floats, weight: Floats, by_chance: Floats) -> Floats:
    """Return observed and expected disagreement and the coefficient; (…) to (…, 3).

    What is observed is divided by ``weight``, what is expected by ``chance``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        disorder = np.where(weight > 0, observed / weight, np.nan)
        by_chance_alone = np.where(by_chance > 0, expected / by_chance, np.nan)
        value = np.where(
            by_chance_alone > CERTAIN * np.nanmax(by_chance_alone, initial=0),
            1 - disorder / by_chance_alone,
            np.nan,
        )
    return np.stack((disorder, by_chance_alone, value), axis=-1)


def statistic(sums: Floats) -> Floats:
    """Return the three figures of each coefficient; (…, coefficients · 4) to (…, … · 3)."""
    parts = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, 4), -1, 0)
    return figures(*parts).reshape(*sums.shape[:-1], -1)


def over_documents(table: Floats, jackknife: Jackknife) -> list[Interval]:
    """Build the intervals of coefficients, by leaving out each document.

    Args:
        table: what each document adds to their sums; (documents, coefficients, 4): observed,
            expected, and the weights of both.
        jackknife: the request.
    """
    flat = table.reshape(len(table), -1)
    sums = moments(flat, statistic)
    n_units = np.full(sums.value.shape, float(np.count_nonzero(flat.any(axis=1))))
    (built,) = intervals_of(sums._replace(n_units=n_units), jackknife, shares=False)
    return [_at_most_one(interval) for interval in built]


def _at_most_one(interval: Interval) -> Interval:
    """Cut the interval of a coefficient at 1, which is the most that it can be."""
    low, high = interval.corrected
    return interval._replace(corrected=(low, min(high, 1.0)))


def with_intervals(
    coefficients: Sequence[Disagreement], ends: Sequence[Interval]
) -> list[Disagreement]:
    """Return coefficients with their intervals; that of an undefined value is undefined."""
    nothing = (UNDEFINED, UNDEFINED)
    return [
        figure._replace(interval=end._replace(corrected=nothing) if figure.reason else end)
        for figure, end in zip(coefficients, ends, strict=True)
    ]


def columns(name: str, title: str, intervals: bool, sampled: bool) -> list[Column]:
    """Return the columns of a coefficient: for data its name stands before the figures."""
    meaning = "value of units" if title == "value" else title
    listed = [Column(name, kind="json"), Column(f"{name}_value", title, "figure", meaning)]
    if intervals:
        listed.append(Column("", "interval", "interval"))
    if sampled:
        listed.append(Column(f"{name}_error", "error", "number", "error"))
    listed += [
        Column(f"{name}_observed", "observed", "number", "observed and expected of units"),
        Column(f"{name}_expected", "expected", "number", "observed and expected of units"),
    ]
    if intervals:
        listed += [Column(f"{name}_{key}_{end}") for key in FIGURES for end in ("low", "high")]
    return listed


def values(figure: Disagreement, intervals: bool, sampled: bool) -> list[Value]:
    """Return the values of a coefficient in :func:`columns`."""
    row: list[Value] = [figure, figure.value]
    ends = figure.interval[:3] if figure.interval is not None else ((UNDEFINED, UNDEFINED),) * 3
    if intervals:
        row.append(ends[2])
    if sampled:
        row.append(UNDEFINED if figure.reason else figure.error)
    row += [figure.observed, figure.expected]
    if intervals:
        row += [end for pair in ends for end in pair]
    return row


def reasons(named: Sequence[tuple[str, Disagreement]]) -> list[str]:
    """Return why figures are undefined or their intervals odd, each reason once."""
    listed: dict[str, None] = {}
    for name, figure in named:
        if figure.reason:
            listed[f"{name}: {figure.reason}"] = None
        if figure.interval is not None and figure.interval.reason and not figure.reason:
            listed[f"{name}: interval: {figure.interval.reason}"] = None
    return list(listed)


def dot(figure: Disagreement) -> Dot:
    """Return a value with its interval."""
    low, high = (float("nan"),) * 2 if figure.interval is None else figure.interval.corrected
    return figure.value, low, high
