"""Coefficients 1 − observed/expected of two disagreements, such as α_U and γ.

With sums over documents i of disagreements and of their weights,

    value = 1 − (Σ o_i / Σ w_i) / (Σ e_i / Σ v_i).

Tables are shaped (documents, coefficients, 4), with the columns o, e, w, v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.cells import Value
from spanagree.results.data import to_plain_data
from spanagree.results.frame import Column
from spanagree.results.score import CERTAIN, UNDEFINED, Dot, Interval
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import build_intervals, compute_moments

FIGURES = ("observed", "expected", "value")


class CoefficientScore(NamedTuple):
    """Coefficient 1 − observed/expected, and its two disagreements.

    Attributes:
        value: coefficient; 1 for complete agreement, 0 for agreement as by chance.
        observed: observed disagreement.
        expected: disagreement expected by chance.
        error: standard error of the value from sampling; 0 without sampling.
        reason: reason for an undefined value (``nan``); empty if it is defined.
        interval: intervals of observed, expected and value (``corrected``); ``None`` without.
        bounds: lower and upper bound of a value that was not computed completely, and is
            undefined; else ``None``.

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
        """Build plain data for JSON; undefined figures are ``None``, with the reason."""
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
        return dict(to_plain_data(figures))


def compute_coefficient(
    observed: float, expected: float, no_chance_reason: str, error: float = 0.0
) -> CoefficientScore:
    """Compute 1 − observed/expected.

    Args:
        observed: observed disagreement.
        expected: expected disagreement.
        no_chance_reason: reason for an undefined value if the expected disagreement is 0.
        error: standard error of the value from sampling.

    >>> compute_coefficient(0.25, 1.0, "nothing is marked").value
    0.75
    """
    if not expected > 0:
        return CoefficientScore(UNDEFINED, observed, expected, reason=no_chance_reason)
    return CoefficientScore(1 - observed / expected, observed, expected, error)


def build_undefined(reason: str) -> CoefficientScore:
    """Build a coefficient with undefined figures."""
    return CoefficientScore(UNDEFINED, UNDEFINED, UNDEFINED, reason=reason)


def compute_figures(
    observed: Floats, expected: Floats, weight: Floats, chance_weight: Floats
) -> Floats:
    """Compute the coefficient 1 − observed / expected disagreement from sums.

    Disagreements are sums divided by weights. The coefficient is undefined if nothing can disagree.

    Args:
        observed: sums of observed disagreements.
        expected: sums of expected disagreements.
        weight: weights of the observed sums.
        chance_weight: weights of the expected sums.

    Returns:
        Observed disagreement, expected disagreement and coefficient, on a new last axis.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        observed_mean = np.where(weight > 0, observed / weight, np.nan)
        expected_mean = np.where(chance_weight > 0, expected / chance_weight, np.nan)
        value = np.where(
            expected_mean > CERTAIN * np.nanmax(expected_mean, initial=0),
            1 - observed_mean / expected_mean,
            np.nan,
        )
    return np.stack((observed_mean, expected_mean, value), axis=-1)


def compute_statistic(sums: Floats) -> Floats:
    """Compute the three figures of each coefficient from sums.

    Sums are shaped (…, coefficients · 4), figures (…, coefficients · 3).
    """
    disagreement_columns = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, 4), -1, 0)
    return compute_figures(*disagreement_columns).reshape(*sums.shape[:-1], -1)


def build_document_intervals(table: Floats, jackknife: Jackknife) -> list[Interval]:
    """Build the jackknife interval of each coefficient, with documents left out.

    Args:
        table: summands of each document, (documents, coefficients, 4): observed, expected, and
            the weights of both.
        jackknife: options of the intervals.
    """
    rows = table.reshape(len(table), -1)
    sums = compute_moments(rows, compute_statistic)
    n_units = np.full(sums.value.shape, float(np.count_nonzero(rows.any(axis=1))))
    (intervals,) = build_intervals(sums._replace(n_units=n_units), jackknife, shares=False)
    return [_clip_at_one(interval) for interval in intervals]


def _clip_at_one(interval: Interval) -> Interval:
    """Clip the interval of a coefficient at 1, its largest possible value."""
    low, high = interval.corrected
    return interval._replace(corrected=(low, min(high, 1.0)))


def add_intervals(
    coefficients: Sequence[CoefficientScore], ends: Sequence[Interval]
) -> list[CoefficientScore]:
    """Add an interval to each coefficient; the value of an undefined coefficient gets none."""
    undefined_ends = (UNDEFINED, UNDEFINED)
    return [
        figure._replace(interval=end._replace(corrected=undefined_ends) if figure.reason else end)
        for figure, end in zip(coefficients, ends, strict=True)
    ]


def build_columns(name: str, title: str, intervals: bool, sampled: bool) -> list[Column]:
    """Build the columns of a coefficient; keys in data begin with its name.

    Args:
        name: key of the coefficient in data.
        title: title of the value in text.
        intervals: True if there are intervals.
        sampled: True if the coefficient has an error from sampling.
    """
    meaning = "value of units" if title == "value" else title
    columns = [Column(name, kind="json"), Column(f"{name}_value", title, "figure", meaning)]
    if intervals:
        columns.append(Column("", "interval", "interval"))
    if sampled:
        columns.append(Column(f"{name}_error", "error", "number", "error"))
    columns += [
        Column(f"{name}_observed", "observed", "number", "observed and expected of units"),
        Column(f"{name}_expected", "expected", "number", "observed and expected of units"),
    ]
    if intervals:
        columns += [Column(f"{name}_{key}_{end}") for key in FIGURES for end in ("low", "high")]
    return columns


def build_cells(figure: CoefficientScore, intervals: bool, sampled: bool) -> list[Value]:
    """Build the cells of a coefficient in the columns of :func:`build_columns`."""
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


def collect_reasons(figures_by_name: Sequence[tuple[str, CoefficientScore]]) -> list[str]:
    """Collect the reasons for undefined values and undefined intervals, each once."""
    reasons: dict[str, None] = {}
    for name, figure in figures_by_name:
        if figure.reason:
            reasons[f"{name}: {figure.reason}"] = None
        if figure.interval is not None and figure.interval.reason and not figure.reason:
            reasons[f"{name}: interval: {figure.interval.reason}"] = None
    return list(reasons)


def build_dot(figure: CoefficientScore) -> Dot:
    """Build the dot of a plot: the value and the ends of its interval."""
    low, high = (float("nan"),) * 2 if figure.interval is None else figure.interval.corrected
    return figure.value, low, high
