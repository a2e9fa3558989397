"""Variances over a second sample beside the documents: annotators, or runs of a system.

Leaving out a unit of the sample leaves out all that is its own. With R₍ₐ₎ lacking unit a of k,

    Vₐ = (k − 1)/k · Σ (R₍ₐ₎ − R)²

(Arvesen 1969) has k − 1 degrees of freedom; of a mean it is the variance of its units divided by k.
It is added to the variance V over documents; the degrees of freedom of the sum are Satterthwaite's,
V² / (V_d²/df_d + Vₐ²/(k − 1)). The part that both have is not taken off again (Cameron, Gelbach &
Miller 2011), which errs on the wide side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import counted
from spanagree.results.score import Interval
from spanagree.uncertainty.confidence import LEAST_UNITS
from spanagree.uncertainty.jackknife import Moments, group_sums, no_interval, t_ends


class SampleVariance(NamedTuple):
    """The variance of figures over the units of a sample.

    Attributes:
        variance: of each group and figure; (groups, figures).
        n_units: number of units that are left out once, of each group.
    """

    variance: Floats
    n_units: Ints

    @classmethod
    def of(cls, value: Floats, left_out: Floats, group: Ints | None = None) -> SampleVariance:
        """Compute it from figures without a unit each.

        Args:
            value: figures of each group; (groups, figures).
            left_out: figures of a group without one of its units; (entries, figures).
            group: number of the group of each entry; ``None`` of one group.
        """
        place = np.zeros(len(left_out), np.int64) if group is None else group
        n_units = np.bincount(place, minlength=len(value))
        squares = group_sums((left_out - value[place]) ** 2, group, len(value))
        share = (n_units - 1) / np.maximum(n_units, 1)
        return cls(share[:, None] * squares, n_units)

    @classmethod
    def of_mean(cls, values: Floats) -> SampleVariance:
        """Compute it of the mean of each figure over units; (units, figures) to one group.

        >>> SampleVariance.of_mean(np.array([[1.0], [2.0], [3.0]])).variance.round(6).tolist()
        [[0.333333]]
        """
        n_units = len(values)
        total = values.sum(axis=0)[None]
        return cls.of(total / n_units, (total - values) / max(n_units - 1, 1))


def two_way(
    variance: Floats, freedom: Floats, samples: Sequence[SampleVariance]
) -> tuple[Floats, Floats]:
    """Add variances over samples to one over documents, and compute its degrees of freedom.

    Args:
        variance: over documents; (groups, figures).
        freedom: its degrees of freedom.
        samples: variances over other samples, independent of each other.

    >>> over_runs = SampleVariance(np.array([[4.0]]), np.array([3]))
    >>> both = two_way(np.array([[4.0]]), np.array([[10.0]]), [over_runs])
    >>> [x.round(4).tolist() for x in both]
    [[[8.0]], [[6.6667]]]
    """
    total, parts = variance, variance**2 / freedom
    with np.errstate(all="ignore"):
        for sample in samples:
            k = np.asarray(sample.n_units)[:, None]
            total = total + sample.variance
            parts = parts + sample.variance**2 / np.maximum(k - 1, 1)
        return total, np.where(parts > 0, total**2 / parts, freedom)


def second_intervals(
    intervals: Sequence[Interval],
    sums: Moments,
    over: SampleVariance,
    tail: float,
    noun: str,
    n_units: Sequence[int],
) -> list[Interval]:
    """Build intervals over documents and another sample, each of which contains the first.

    Args:
        intervals: over documents, one for three figures of each group.
        sums: figures and their changes without a document; (groups, 3).
        over: their variances over the sample.
        tail: probability beyond each end.
        noun: word for a unit of the sample.
        n_units: number of units of each group, as people count them.
    """
    with np.errstate(all="ignore"):
        variance, freedom = two_way(sums.variance, sums.freedom, [over])
        ends = t_ends(sums.value, variance, freedom, tail, True)
    groups = zip(intervals, ends, n_units, strict=True)
    return [_second(interval, both, int(n), noun) for interval, both, n in groups]


def _second(interval: Interval, ends: Floats, n_units: int, noun: str) -> Interval:
    """Build the second interval of three figures, which contains the first."""
    if n_units < LEAST_UNITS:
        return no_interval(
            f"{counted(n_units, noun)}; an interval over {noun}s needs {LEAST_UNITS}"
        )
    without = f"undefined without one of the {noun}s"
    over_documents = np.array(interval[:3])
    known = ~np.isnan(over_documents[:, 0])
    if not known.any():
        return no_interval(interval.reason.partition(": ")[2] or without)
    low = np.where(known, np.minimum(ends[:, 0], over_documents[:, 0]), np.nan).tolist()
    high = np.where(known, np.maximum(ends[:, 1], over_documents[:, 1]), np.nan).tolist()
    if np.isnan(low[2]) and known[2]:
        return no_interval(without)
    observed, expected, corrected = zip(low, high, strict=True)
    return Interval(observed, expected, corrected, kind=interval.kind)
