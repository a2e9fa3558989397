"""The ends of intervals, of many figures at once: from their resamples and leave-one-outs.

A figure is a column throughout, and ``nan`` where it is undefined. What is done with a column does
not depend on the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.uncertainty.evidence import united

TIE = 1e-12
"""Figures that are no further apart are the same."""

_EPSILON = float(np.finfo(np.float64).eps)


class Drawn(NamedTuple):
    """Resamples of figures.

    Attributes:
        values: (figures, resamples).
        often: how often each resample occurs; (resamples,).
        known: how many resamples there are in which a figure is defined; (figures,).
    """

    values: Floats
    often: Ints
    known: Ints

    @classmethod
    def of(cls, replicates: Floats, often: Ints | None) -> Drawn:
        """Make it of (resamples, figures), each of which occurs so often; once unless given."""
        often = np.ones(len(replicates), np.int64) if often is None else often
        values = np.ascontiguousarray(replicates.T)
        return cls(values, often, _counted(often, ~np.isnan(values)))


def _counted(often: Ints, which: Bools) -> Ints:
    """Return how many resamples are marked, of each figure; (figures,)."""
    if (often == 1).all():
        return np.array([np.count_nonzero(row) for row in which], np.int64)
    counts: Ints = which @ often
    return counts


def share_below(estimates: Floats, drawn: Drawn) -> Floats:
    """Return which share of the resamples is below each figure; of those that equal it, half."""
    values, often, known = drawn
    both = (values < estimates[:, None] - TIE, values <= estimates[:, None] + TIE)
    below, up_to = (_counted(often, which) for which in both)
    return (below + up_to) / (2 * known)


def quantiles(drawn: Drawn, shares: Floats) -> Floats:
    """Return two quantiles of each figure, as ``np.quantile`` interpolates.

    ``shares`` are those of the quantiles; (figures, 2). Of a figure without a defined resample
    they mean nothing.
    """
    values, often, known = drawn
    place = shares * (known - 1)[:, None]
    below = np.floor(np.maximum(place, 0))
    ends = np.concatenate((below, np.minimum(below + 1, known[:, None] - 1).clip(0)), axis=1)
    if (often == 1).all():
        at = ends.astype(np.int64)  # what is undefined comes last
        rows = zip(values, at, strict=True)
        quantile = np.stack([np.partition(row, some)[some] for row, some in rows])
    else:
        order = np.argsort(values, axis=1)
        ordered = np.take_along_axis(values, order, axis=1)
        up_to = np.cumsum(np.where(np.isnan(ordered), 0, often[order]), axis=1)
        at = np.stack([(up_to <= end[:, None]).sum(axis=1) for end in ends.T], axis=1)
        quantile = np.take_along_axis(ordered, np.minimum(at, len(often) - 1), axis=1)
    a, b = quantile[:, :2], quantile[:, 2:]
    t = place - below
    once = np.count_nonzero(~np.isnan(values), axis=1) == known
    back = once[:, None] & (t >= 0.5)  # as NumPy rounds, of values that occur once
    between: Floats = np.where(back, b - (b - a) * (1 - t), a + (b - a) * t)
    return between


def bca(below: Floats, left_out: Floats, times: Ints, tail: float) -> tuple[Floats, Bools]:
    """Return the ends of BCa intervals as quantiles (Efron 1987), and which of them are defined.

    Args:
        below: the share of the resamples below each figure; (figures,).
        left_out: the figures without a unit of each row; (rows, figures).
        times: how many units have each row.
        tail: the share below the low end, and above the high one.
    """
    from scipy.special import ndtr, ndtri  # takes a tenth of a second to import

    deviation = _deviation(left_out, times)
    spread = (times * deviation**2).sum(axis=1)
    defined = (below > 0) & (below < 1) & (spread > TIE**2)  # nan is not greater either
    z0 = ndtri(np.where(defined, below, 0.5))[:, None]
    scale = np.array([x**1.5 for x in spread.tolist()])  # as of one: arrays round otherwise
    a = ((times * deviation**3).sum(axis=1) / (6 * scale))[:, None]
    z = z0 + np.array([ndtri(tail), -ndtri(tail)])
    defined &= (a * z < 1).all(axis=1)
    return ndtr(z0 + z / (1 - a * z)), defined


def jackknife(left_out: Floats, times: Ints) -> Floats:
    """Return standard errors, from leaving out a unit of each row; ``nan`` where undefined."""
    units = int(times.sum())
    spread = (times * _deviation(left_out, times) ** 2).sum(axis=1) * (units - 1) / units
    return np.asarray(np.sqrt(spread), np.float64)


def spread(drawn: Drawn, units: int) -> Floats:
    """Return standard errors from resamples of so many units."""
    values, often, known = drawn
    weights = np.where(np.isnan(values), 0, often)
    filled = np.nan_to_num(values)
    mean = (weights * filled).sum(axis=1) / known
    variance = (weights * (filled - mean[:, None]) ** 2).sum(axis=1) / known
    return np.asarray(np.sqrt(variance * units / (units - 1)), np.float64)


def beyond_rounding(sums: Floats, sizes: Floats, operations: int) -> Bools:
    """Return which sums of squares are more than what rounding leaves of terms that cancel.

    Args:
        sums: of terms with a sign.
        sizes: the same sums without signs.
        operations: how many made each, with half an epsilon of error and as much in their terms.
    """
    beyond: Bools = sums > operations * _EPSILON * sizes
    return beyond


def student_t(freedom: Any, tail: float) -> Any:
    """Return how many standard errors cut off a tail, by degrees of freedom.

    >>> round(float(student_t(4, 0.025)), 3)
    2.776
    """
    from scipy.special import stdtrit  # takes a tenth of a second to import

    return -stdtrit(freedom, tail)


def with_t(
    ends: Floats, estimates: Floats, errors: Floats, units: Ints, floors: Floats, tail: float
) -> Floats:
    """Return intervals joined with the figure ± t standard errors; (figures, 2).

    Few units have few resamples, and none reaches as far as t. A share of agreement, from its floor
    to 1, has its t interval on the scale of log odds. There an end is moved on, the low one of a
    share above 1/2 or the high one of one below, as the logarithm of the mean of few skewed losses
    is biased, and its error too small where the mean is: by ``log(1 + error²)`` times half of
    ``min((units − 1)/4, 36/units)``. That factor comes from simulations, not from theory
    (``scripts/simulate_coverage.py``); it is greatest for 12 units, and nothing for many.

    Args:
        ends: the intervals so far.
        estimates: the figures.
        errors: their standard errors; undefined ones change nothing.
        units: on how many units each rests.
        floors: the lowest that each can be, if it is a share; else ``nan``.
        tail: the share below the low end, and above the high one.
    """
    from scipy.special import expit  # takes a tenth of a second to import

    t = student_t(np.maximum(units - 1, 1), tail)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (estimates - floors) / (1 - floors)
    odds = (share > 0) & (share < 1)  # nan is not
    floors = np.where(odds, floors, 0)
    inside = np.where(odds, share, 0.5)
    error = np.where(odds, errors / ((1 - floors) * inside * (1 - inside)), 0)
    factor = np.minimum((units - 1) / 4, 36 / np.maximum(units, 1)) / 2
    moved = factor * (2 * inside - 1) * np.log1p(error**2)
    center = np.log(inside) - np.log1p(-inside)
    low = expit(center - np.maximum(moved, 0) - t * error)
    high = expit(center - np.minimum(moved, 0) + t * error)
    wide = np.where(
        odds[:, None],
        np.stack((low, high), axis=1) * (1 - floors[:, None]) + floors[:, None],
        np.stack((estimates - t * errors, estimates + t * errors), axis=1),
    )
    varies = errors > TIE  # what does not vary stays one number
    return np.where(varies[:, None], united(ends, wide), ends)


def _deviation(left_out: Floats, times: Ints) -> Floats:
    """Return by how much the figures without a unit are below their mean; (figures, rows)."""
    by_figure = np.ascontiguousarray(left_out.T)  # so that a figure's sum is the same by itself
    mean: Floats = np.average(by_figure, axis=1, weights=times)
    return mean[:, None] - by_figure
