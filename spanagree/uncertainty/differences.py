"""Differences of two systems by the jackknife: simultaneous intervals, and p.

Leaving out a document changes the difference of two figures by the difference of their changes, so
V and its degrees of freedom are those of :mod:`spanagree.uncertainty.jackknife`, on the scale of
the figures. p and interval come from the same t: of m pairs p is multiplied by m, and intervals
hold all at once at their confidence, as each has 1/m of the rest (Dunn 1961). So an interval leaves
out 0 just where its p is below 1 less the confidence.

A system may have several runs, as of other seeds. Its figure is the mean over them, and from three
runs on their variance, divided by their number, is added to V: so the difference is one over other
documents and other runs; see :mod:`spanagree.uncertainty.samples`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.score import f1_figures
from spanagree.uncertainty.clopper_pearson import greatest_share
from spanagree.uncertainty.confidence import LEAST_UNITS
from spanagree.uncertainty.jackknife import TIE, satterthwaite

_ALIKE = "p and interval: undefined, as the documents are all alike; --test permutation has a p"
_FEW = "p and interval: undefined, as only one document has anything to compare"
_ONE = "interval: exact, as at most one document tells the two apart, which is no evidence"


class Differences(NamedTuple):
    """The differences of two systems in F1 and corrected F1.

    Attributes:
        value: differences, the first less the second; (2,).
        ends: ends of their simultaneous intervals; (2, 2).
        p: two-sided probability of each, before it is multiplied by the number of pairs; (2,).
        exact: whether the intervals are exact.
        reasons: what is out of the ordinary about each.
    """

    value: Floats
    ends: Floats
    p: Floats
    exact: bool
    reasons: tuple[str, str]


def p_and_reach(
    value: Floats, variance: Floats, fourth: Floats, n_units: float, tail: float
) -> tuple[Floats, Floats]:
    """Compute two-sided p of differences, and how far their intervals reach to either side.

    Args:
        value: differences.
        variance: sum of the squared changes of each.
        fourth: sum of their fourth powers.
        n_units: number of units with anything to compare.
        tail: probability beyond each end.

    >>> one = np.ones(1)
    >>> p, reach = p_and_reach(0 * one, 4 * one, 4 * one, 4, 0.025)  # four alike: t of 3 degrees
    >>> p.tolist(), reach.round(3).tolist()
    ([1.0], [6.365])
    """
    return _p_and_reach(value, variance, satterthwaite(variance, fourth, n_units), tail)


def _p_and_reach(
    value: Floats, variance: Floats, freedom: Floats, tail: float
) -> tuple[Floats, Floats]:
    """Compute the same of a variance with its degrees of freedom."""
    from scipy.special import stdtr, stdtrit  # take a tenth of a second to import

    error = np.sqrt(variance)
    with np.errstate(all="ignore"):
        p = 2 * stdtr(freedom, -np.abs(value) / error)
        reach = -stdtrit(freedom, tail) * error
    return p, reach


class LeftOut(NamedTuple):
    """F1 and corrected F1 of systems over some documents, and their changes without each one.

    Attributes:
        rows: matched, expected and size of each document and system; (documents, systems, 3 or 4).
        figures: F1, expected and corrected F1; (systems, 3).
        change: changes of F1 and corrected F1; (documents, systems, 2).
    """

    rows: Floats
    figures: Floats
    change: Floats

    @classmethod
    def of(cls, rows: Floats) -> LeftOut:
        """Leave out each document of a table once."""
        total = rows.sum(axis=0)
        with np.errstate(all="ignore"):
            figures = f1_figures(total)
            change = f1_figures(total - rows) - figures
        return cls(rows, figures, change[..., ::2])

    def difference(
        self, a: int | Sequence[int], b: int | Sequence[int], tail: float, n_pairs: int
    ) -> Differences:
        """Compare two systems, or the means over the runs of each.

        Args:
            a, b: position of each system, or positions of its runs.
            tail: probability beyond each end of all intervals together.
            n_pairs: number of pairs that are compared.
        """
        sides = [[x] if isinstance(x, int) else [*x] for x in (a, b)]
        runs = self.rows[:, sides[0] + sides[1]]
        n_units = int(runs.any(axis=(1, 2)).sum())
        n_differing = int((runs != runs[:, :1]).any(axis=(1, 2)).sum())
        mean = np.stack([self.figures[side].mean(axis=0) for side in sides])
        value = (mean[0] - mean[1])[::2]
        tail = tail / n_pairs
        nothing = np.full((2, 2), np.nan)
        with np.errstate(all="ignore"):
            if n_units < 2:
                return Differences(value, nothing, nothing[0], False, (_FEW, _FEW))
            if n_differing < 2:
                most = float(greatest_share(n_differing, n_units, tail))
                scale = np.array([1, 1 - np.fmax(*mean[:, 1])])
                reach = (most / scale)[:, None] * [-1, 1]
                # a document may hold more of the sums than its share of the documents
                ends = np.stack(
                    (np.fmin(value + reach[:, 0], 0), np.fmax(value + reach[:, 1], 0)), axis=1
                )
                p = np.where(np.isnan(value), np.nan, 1.0)
                ends[np.isnan(value)] = np.nan
                return Differences(value, _clipped(ends, mean[:, 1]), p, True, (_ONE, _ONE))
            first, second = (self.change[:, side].mean(axis=1) for side in sides)
            square = (first - second) ** 2
            variance, fourth = square.sum(axis=0), (square * square).sum(axis=0)
            freedom = satterthwaite(variance, fourth, n_units)
            variance, freedom = self._over_runs(variance, freedom, sides)
            p, reach = _p_and_reach(value, variance, freedom, tail)
            ends = np.stack((value - reach, value + reach), axis=1)
        alike = ~(np.sqrt(variance) > TIE)
        same = alike & (np.abs(value) <= TIE)  # the systems are equal wherever one looks
        ends[alike], p = np.nan, np.where(alike, np.where(same, 1.0, np.nan), p)
        reasons = tuple(_ALIKE if x else "" for x in (alike & ~same & ~np.isnan(value)).tolist())
        return Differences(value, _clipped(ends, mean[:, 1]), p, False, (reasons[0], reasons[1]))

    def _over_runs(
        self, variance: Floats, freedom: Floats, sides: Sequence[Sequence[int]]
    ) -> tuple[Floats, Floats]:
        """Add the variances over the runs of systems that have enough, with their freedom."""
        several = [side for side in sides if len(side) >= LEAST_UNITS]
        if not several:
            return variance, freedom
        from spanagree.uncertainty.samples import SampleVariance, two_way  # few have runs

        samples = [SampleVariance.of_mean(self.figures[side][:, ::2]) for side in several]
        total, freedom = two_way(variance[None], freedom[None], samples)
        return total[0], freedom[0]


def _clipped(ends: Floats, expected: Floats) -> Floats:
    """Cut ends at the least and the greatest difference that there can be."""
    with np.errstate(all="ignore"):
        lowest = -expected / (1 - expected)  # of corrected F1, where nothing matches
    limits = np.array([[-1, 1], [lowest[0] - 1, 1 - lowest[1]]])
    return ends.clip(limits[:, :1], limits[:, 1:])
