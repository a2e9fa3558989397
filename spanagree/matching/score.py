"""Scores: observed, expected by luck, and corrected; one formula for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.rendering.table import Value


class Figures(NamedTuple):
    """A number for each of the three figures of a score."""

    observed: float
    expected: float
    corrected: float


@dataclass(frozen=True)
class Mean:
    """The mean over pairs of annotators, each pair counted once whatever it shares.

    Attributes:
        observed: the mean of the pairs' observed F1.
        expected: the mean of their expected F1.
        corrected: the mean of their corrected F1.
        sd: the standard deviations over the pairs, with their number as divisor.
        pairs: over how many pairs each mean runs: those for which the figure is defined.
        reason: why the means are undefined, if they are.
    """

    observed: float
    expected: float
    corrected: float
    sd: Figures
    pairs: Figures
    reason: str = ""
    interval: Interval | None = None


INTERVAL_FIGURES = ("F1", "interval", "chance F1", "interval", "corrected F1", "interval")
"""The columns of a score with its intervals."""


def with_intervals(score: Score | Mean) -> list[Value]:
    """Observed, expected and corrected figure, each with its interval."""
    if score.interval is None:
        return [score.observed, None, score.expected, None, score.corrected, None]
    kinds = ("observed", "expected", "corrected")
    return [
        value
        for kind in kinds
        for value in (getattr(score, kind), ends(*getattr(score.interval, kind)))
    ]


def ends(low: float, high: float) -> Value:
    """An interval as people read it.

    >>> ends(0.36283, 0.4297)
    '0.3628–0.4297'
    """
    return None if math.isnan(low) else f"{low:.4f}–{high:.4f}"


# --- figures from sums --------------------------------------------------------------------------


def f1_figures(sums: Floats) -> Floats:
    """Observed, expected and corrected F1 from matched, expected, size; (…, 3) to (…, 3).

    ``size`` is that of both together.
    """
    matched, expected, size = np.moveaxis(sums, -1, 0)
    return _three(2 * matched, 2 * expected, size)


def all_figures(sums: Floats) -> Floats:
    """Precision, recall and F1, three figures each, from a tally's columns; (…, 4) to (…, 9)."""
    matched, expected, size_a, size_b = np.moveaxis(sums, -1, 0)
    parts = (
        _three(matched, expected, size_b),
        _three(matched, expected, size_a),
        _three(2 * matched, 2 * expected, size_a + size_b),
    )
    return np.concatenate(parts, axis=-1)


def _three(matched: Floats, expected: Floats, size: Floats) -> Floats:
    # sums of floats drawn differently: what is 0 or 1 may be off by a few units of the last place
    size = np.where(size > 0.5, size, np.nan)
    observed, luck = matched / size, expected / size
    return np.stack((observed, luck, beyond_luck(observed, luck)), axis=-1)


def beyond_luck(observed: Floats, expected: Floats) -> Floats:
    """Corrected figures, as of :func:`spanagree.tally.corrected`: ``nan`` where luck gives 1."""
    value = np.where(expected < 1 - CERTAIN, (observed - expected) / (1 - expected), np.nan)
    return np.asarray(value, np.float64)


CERTAIN = 1e-10
"""An expected score this close to 1 is 1: sums of floats give 1 − 1e-16."""


UNDEFINED = math.nan


def plain(data: Any) -> Any:
    """Plain data for JSON: what is undefined (``nan``) becomes ``None``, tuples become lists.

    >>> plain({"f1": math.nan, "ends": (0.5, 1)})
    {'f1': None, 'ends': [0.5, 1]}
    """
    if isinstance(data, float):
        return None if math.isnan(data) else data
    if isinstance(data, Mapping):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, (list, tuple)) else data


class Interval(NamedTuple):
    """The low and the high end of the three figures of a score; ``nan`` where undefined.

    ``reason`` says why it is undefined, or what is out of the ordinary.
    """

    observed: tuple[float, float]
    expected: tuple[float, float]
    corrected: tuple[float, float]
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON: undefined is ``None``, and why."""
        ends: dict[str, Any] = plain(self._asdict())
        return ends if self.reason else {k: v for k, v in ends.items() if k != "reason"}


class Score(NamedTuple):
    """One figure: as observed, as luck alone would give, and beyond luck.

    ``corrected = (observed − expected) / (1 − expected)``. What is not defined is ``nan``, and
    ``reason`` says why; it is empty where all three are defined. ``interval`` is there if intervals
    were asked for.
    """

    observed: float
    expected: float
    corrected: float
    reason: str = ""
    interval: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: undefined is ``None``, and why."""
        figures: dict[str, Any] = dict(zip(self._fields, plain(self[:3]), strict=False))
        if self.reason:
            figures["undefined"] = self.reason
        return (
            figures if self.interval is None else {**figures, "interval": self.interval.to_dict()}
        )


def corrected(observed: float, expected: float) -> Score:
    """A score with its chance correction; undefined where luck alone gives 1.

    >>> corrected(0.75, 0.5).corrected
    0.5
    """
    if expected >= 1 - CERTAIN:
        return Score(observed, expected, UNDEFINED, "luck alone gives 1")
    return Score(observed, expected, (observed - expected) / (1 - expected))


def undefined(reason: str) -> Score:
    """A score of which nothing is defined."""
    return Score(UNDEFINED, UNDEFINED, UNDEFINED, reason)
