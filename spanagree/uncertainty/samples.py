"""Variances over a second sample in addition to documents: annotators, or runs of a system.

Leaving out a unit of the sample leaves out all its data. With R₍ₐ₎ the figure without unit a of k,

    Vₐ = (k − 1)/k · Σ (R₍ₐ₎ − R)²

(Arvesen 1969) has k − 1 degrees of freedom; for a mean it is the variance of its units divided by
k. The variance of both samples is V = V_d + Vₐ, with V_d over documents. V has Satterthwaite's
degrees of freedom, V² / (V_d²/df_d + Vₐ²/(k − 1)). The variance common to both samples is not
subtracted (Cameron, Gelbach & Miller 2011), so intervals are rather too wide.

Figures are shaped (groups, figures).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import pluralize
from spanagree.results.score import Interval
from spanagree.uncertainty.confidence import LEAST_UNITS
from spanagree.uncertainty.jackknife import (
    TIE,
    Moments,
    build_undefined_interval,
    compute_t_ends,
    sum_groups,
)


class SampleVariance(NamedTuple):
    """The variance of figures over the units of a sample.

    Attributes:
        variance: variance of each group and figure; (groups, figures).
        n_units: number of units of each group, each left out once; (groups,).
    """

    variance: Floats
    n_units: Ints

    @classmethod
    def from_left_out(
        cls, value: Floats, left_out: Floats, group: Ints | None = None
    ) -> SampleVariance:
        """Compute the variance from figures that each leave out one unit.

        Args:
            value: figures of each group; (groups, figures).
            left_out: figures of a group without one of its units; (units, figures).
            group: group index of each unit; ``None`` for one group.
        """
        unit_group = np.zeros(len(left_out), np.int64) if group is None else group
        n_units = np.bincount(unit_group, minlength=len(value))
        squared_changes = sum_groups((left_out - value[unit_group]) ** 2, group, len(value))
        factor = (n_units - 1) / np.maximum(n_units, 1)
        return cls(factor[:, None] * squared_changes, n_units)

    @classmethod
    def from_unit_values(cls, values: Floats) -> SampleVariance:
        """Compute the variance of the mean of each figure over units, as one group.

        Args:
            values: figures of each unit; (units, figures).

        >>> sample = SampleVariance.from_unit_values(np.array([[1.0], [2.0], [3.0]]))
        >>> sample.variance.round(6).tolist()
        [[0.333333]]
        """
        n_units = len(values)
        sums = values.sum(axis=0)[None]
        return cls.from_left_out(sums / n_units, (sums - values) / max(n_units - 1, 1))


def add_sample_variances(
    variance: Floats, degrees: Floats, samples: Sequence[SampleVariance]
) -> tuple[Floats, Floats]:
    """Add variances over samples to the variance over documents, and compute degrees of freedom.

    Args:
        variance: variance over documents; (groups, figures).
        degrees: degrees of freedom of that variance; (groups, figures).
        samples: variances over other samples, independent of each other.

    >>> over_runs = SampleVariance(np.array([[4.0]]), np.array([3]))
    >>> both = add_sample_variances(np.array([[4.0]]), np.array([[10.0]]), [over_runs])
    >>> [x.round(4).tolist() for x in both]
    [[[8.0]], [[6.6667]]]
    """
    total, satterthwaite_sum = variance, variance**2 / degrees
    with np.errstate(all="ignore"):
        for sample in samples:
            n_units = np.asarray(sample.n_units)[:, None]
            total = total + sample.variance
            satterthwaite_sum = satterthwaite_sum + sample.variance**2 / np.maximum(n_units - 1, 1)
        return total, np.where(satterthwaite_sum > 0, total**2 / satterthwaite_sum, degrees)


def build_second_intervals(
    intervals: Sequence[Interval],
    sums: Moments,
    sample: SampleVariance,
    tail: float,
    noun: str,
    n_units: Sequence[int],
) -> list[Interval]:
    """Build intervals over documents and another sample, each of which contains the first.

    Log odds are infinite at F1 of 0 or 1, so no interval is defined there.

    Args:
        intervals: intervals over documents, one for the three figures of each group.
        sums: figures and their changes without a document; (groups, 3).
        sample: variances of the figures over the sample.
        tail: probability beyond each end.
        noun: word for a unit of the sample.
        n_units: number of units of each group, for messages.
    """
    with np.errstate(all="ignore"):
        variance, degrees = add_sample_variances(sums.variance, sums.freedom, [sample])
        second_ends = compute_t_ends(sums.value, variance, degrees, tail, True)
    groups = zip(intervals, sums.value[:, 0].tolist(), second_ends, n_units, strict=True)
    return [
        _build_second_interval(interval, observed, ends_of_both, int(n_group_units), noun)
        for interval, observed, ends_of_both, n_group_units in groups
    ]


def _build_second_interval(
    interval: Interval, observed: float, ends: Floats, n_units: int, noun: str
) -> Interval:
    """Build the second interval of three figures, which contains the first.

    Args:
        interval: interval over documents.
        observed: observed figure.
        ends: ends over documents and the sample; (3, 2).
        n_units: number of units of the sample.
        noun: word for a unit.
    """
    if n_units < LEAST_UNITS:
        return build_undefined_interval(
            f"{pluralize(n_units, noun)}; an interval over {noun}s needs {LEAST_UNITS}"
        )
    reason_without = f"undefined without one of the {noun}s"
    if observed < TIE or observed > 1 - TIE:
        return build_undefined_interval(
            f"undefined for F1 {round(observed)}, which no {noun} left out changes"
        )
    over_documents = np.array(interval[:3])
    is_defined = ~np.isnan(over_documents[:, 0])
    if not is_defined.any():
        return build_undefined_interval(interval.reason.partition(": ")[2] or reason_without)
    low = np.where(is_defined, np.minimum(ends[:, 0], over_documents[:, 0]), np.nan).tolist()
    high = np.where(is_defined, np.maximum(ends[:, 1], over_documents[:, 1]), np.nan).tolist()
    if np.isnan(low[2]) and is_defined[2]:
        return build_undefined_interval(reason_without)
    observed_ends, expected_ends, corrected_ends = zip(low, high, strict=True)
    return Interval(observed_ends, expected_ends, corrected_ends, kind=interval.kind)
