"""Differences of two systems by the jackknife: simultaneous intervals and p.

With D the difference of two scores and d its change when a document is left out,

    V = Σ d²,   p = 2 P(T ≤ −|D| / √V),   interval D ± t · √V,

where T has Satterthwaite's degrees of freedom; see :mod:`spanagree.uncertainty.jackknife`. With m
pairs of systems, p is multiplied by m and each interval has 1/m of the error probability (Dunn
1961), so all intervals together have the requested confidence. An interval excludes 0 exactly if
its p, multiplied by m, is below 1 less the confidence.

A system may have several runs, such as from different seeds. Its score is the mean over the runs.
From three runs on, the variance of this mean is added to V, so the interval covers new documents
and new runs; see :mod:`spanagree.uncertainty.samples`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.score import compute_f1_figures
from spanagree.uncertainty.clopper_pearson import compute_greatest_share
from spanagree.uncertainty.confidence import LEAST_UNITS
from spanagree.uncertainty.jackknife import TIE, satterthwaite

_ALIKE = "p and interval: undefined, as the documents are all alike; --test permutation has a p"
_FEW = "p and interval: undefined, as only one document has anything to compare"
_ONE = "interval: exact, as at most one document tells the two apart, which is no evidence"


class Differences(NamedTuple):
    """Differences of two systems in F1 and corrected F1.

    Attributes:
        value: scores of the first system less those of the second; (2,).
        ends: ends of the simultaneous intervals; (2, 2).
        p: two-sided p of each difference, not yet multiplied by the number of pairs; (2,).
        exact: True if the intervals are exact.
        reasons: remark on each difference, such as an undefined interval; empty without any.
    """

    value: Floats
    ends: Floats
    p: Floats
    exact: bool
    reasons: tuple[str, str]


def compute_p_and_half_width(
    value: Floats, variance: Floats, fourth_powers: Floats, n_units: float, tail: float
) -> tuple[Floats, Floats]:
    """Compute two-sided p of differences, and half the widths of their intervals.

    Args:
        value: differences.
        variance: sum of the squared changes of each difference.
        fourth_powers: sum of the fourth powers of these changes.
        n_units: number of units with anything to compare.
        tail: probability beyond each end.

    >>> one = np.ones(1)
    >>> p, half_width = compute_p_and_half_width(0 * one, 4 * one, 4 * one, 4, 0.025)  # 3 degrees
    >>> p.tolist(), half_width.round(3).tolist()
    ([1.0], [6.365])
    """
    return _compute_p_and_half_width(
        value, variance, satterthwaite(variance, fourth_powers, n_units), tail
    )


def _compute_p_and_half_width(
    value: Floats, variance: Floats, degrees: Floats, tail: float
) -> tuple[Floats, Floats]:
    """Compute p of differences, and half the widths of their intervals.

    Args:
        value: differences.
        variance: variance of each difference.
        degrees: degrees of freedom of each variance.
        tail: probability beyond each end.
    """
    from scipy.special import stdtr, stdtrit  # take a tenth of a second to import

    standard_error = np.sqrt(variance)
    with np.errstate(all="ignore"):
        p = 2 * stdtr(degrees, -np.abs(value) / standard_error)
        half_width = -stdtrit(degrees, tail) * standard_error
    return p, half_width


class DocumentInfluence(NamedTuple):
    """F1 and corrected F1 of systems, and their changes when each document is left out.

    Attributes:
        rows: matched, expected and size of each document and system; (documents, systems, 3 or 4).
        figures: F1, expected and corrected F1; (systems, 3).
        change: changes of F1 and corrected F1; (documents, systems, 2).
    """

    rows: Floats
    figures: Floats
    change: Floats

    @classmethod
    def from_rows(cls, rows: Floats) -> DocumentInfluence:
        """Compute the figures over all documents, and their changes without each document.

        Args:
            rows: matched, expected and size of each document and system; (documents, systems, 3 or
                4).
        """
        total = rows.sum(axis=0)
        with np.errstate(all="ignore"):
            figures = compute_f1_figures(total)
            change = compute_f1_figures(total - rows) - figures
        return cls(rows, figures, change[..., ::2])

    def compare(
        self, a: int | Sequence[int], b: int | Sequence[int], tail: float, n_pairs: int
    ) -> Differences:
        """Compare two systems, or the means over the runs of each.

        Args:
            a, b: position of each system, or positions of its runs.
            tail: probability beyond each end of all intervals together.
            n_pairs: number of pairs that are compared.
        """
        run_indices = [
            [run_index] if isinstance(run_index, int) else [*run_index] for run_index in (a, b)
        ]
        runs = self.rows[:, run_indices[0] + run_indices[1]]
        n_units = int(runs.any(axis=(1, 2)).sum())
        n_differing = int((runs != runs[:, :1]).any(axis=(1, 2)).sum())
        mean = np.stack([self.figures[system_runs].mean(axis=0) for system_runs in run_indices])
        value = (mean[0] - mean[1])[::2]
        tail = tail / n_pairs
        undefined_ends = np.full((2, 2), np.nan)
        with np.errstate(all="ignore"):
            if n_units < 2:
                return Differences(value, undefined_ends, undefined_ends[0], False, (_FEW, _FEW))
            if n_differing < 2:
                upper = float(compute_greatest_share(n_differing, n_units, tail))
                scales = np.array([1, 1 - np.fmax(*mean[:, 1])])
                half_width = (upper / scales)[:, None] * [-1, 1]
                # a long document may change the scores by more than one n-th
                ends = np.stack(
                    (np.fmin(value + half_width[:, 0], 0), np.fmax(value + half_width[:, 1], 0)),
                    axis=1,
                )
                p = np.where(np.isnan(value), np.nan, 1.0)
                ends[np.isnan(value)] = np.nan
                return Differences(value, _clip_ends(ends, mean[:, 1]), p, True, (_ONE, _ONE))
            first_change, second_change = (
                self.change[:, system_runs].mean(axis=1) for system_runs in run_indices
            )
            squared_changes = (first_change - second_change) ** 2
            variance, fourth_powers = (
                squared_changes.sum(axis=0),
                (squared_changes * squared_changes).sum(axis=0),
            )
            degrees = satterthwaite(variance, fourth_powers, n_units)
            variance, degrees = self._add_run_variances(variance, degrees, run_indices)
            p, half_width = _compute_p_and_half_width(value, variance, degrees, tail)
            ends = np.stack((value - half_width, value + half_width), axis=1)
        has_no_variance = ~(np.sqrt(variance) > TIE)
        is_equal = has_no_variance & (np.abs(value) <= TIE)  # equal in every document
        ends[has_no_variance], p = (
            np.nan,
            np.where(has_no_variance, np.where(is_equal, 1.0, np.nan), p),
        )
        reasons = tuple(
            _ALIKE if is_undefined else ""
            for is_undefined in (has_no_variance & ~is_equal & ~np.isnan(value)).tolist()
        )
        return Differences(value, _clip_ends(ends, mean[:, 1]), p, False, (reasons[0], reasons[1]))

    def _add_run_variances(
        self, variance: Floats, degrees: Floats, run_indices: Sequence[Sequence[int]]
    ) -> tuple[Floats, Floats]:
        """Add the variances over runs to the variances over documents.

        Only systems with at least :data:`LEAST_UNITS` runs add a variance.

        Args:
            variance: variance of each difference over documents; (2,).
            degrees: degrees of freedom of each variance; (2,).
            run_indices: positions of the runs of each system.

        Returns:
            Variances over documents and runs, and their degrees of freedom.
        """
        sampled_runs = [
            system_runs for system_runs in run_indices if len(system_runs) >= LEAST_UNITS
        ]
        if not sampled_runs:
            return variance, degrees
        from spanagree.uncertainty.samples import (  # few have runs
            SampleVariance,
            add_sample_variances,
        )

        samples = [
            SampleVariance.from_unit_values(self.figures[system_runs][:, ::2])
            for system_runs in sampled_runs
        ]
        total, degrees = add_sample_variances(variance[None], degrees[None], samples)
        return total[0], degrees[0]


def _clip_ends(ends: Floats, expected: Floats) -> Floats:
    """Clip ends of intervals to the smallest and the largest possible difference.

    Args:
        ends: ends for F1 and corrected F1; (2, 2).
        expected: expected F1 of each system; (2,).
    """
    with np.errstate(all="ignore"):
        lowest_corrected = -expected / (1 - expected)  # of corrected F1, where nothing matches
    limits = np.array([[-1, 1], [lowest_corrected[0] - 1, 1 - lowest_corrected[1]]])
    return ends.clip(limits[:, :1], limits[:, 1:])
