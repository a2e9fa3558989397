"""The sum of the IoU of two segments over all offsets at which they overlap.

With lengths a ≤ b and s shared units, the IoU is s / (a + b − s). Each s < a occurs at two offsets,
and s = a at b − a + 1 offsets, so the sum is (b − a + 1) a / b + 2 Σ_{s<a} s / (a + b − s).
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints

_N_EXACT = 64  # number of terms from which the asymptotic series is used


def sum_iou_over_offsets(a: Ints, b: Ints) -> Floats:
    """Compute the sum of the IoU over all offsets, for each pair of lengths a and b.

    >>> sum_iou_over_offsets(np.array([1, 2]), np.array([1, 2])).round(3).tolist()
    [1.0, 1.667]
    """
    shorter, longer = np.minimum(a, b), np.maximum(a, b)
    partial_overlaps = (shorter + longer) * (
        _harmonic_number(shorter + longer - 1) - _harmonic_number(longer)
    ) - (shorter - 1)
    return np.asarray((longer - shorter + 1) * shorter / longer + 2 * partial_overlaps)


def _harmonic_number(index: Ints) -> Floats:
    """Compute the harmonic numbers 1 + 1/2 + … + 1/n for integers n."""
    exact = np.cumsum(1 / np.arange(1, _N_EXACT))
    n = np.maximum(index, _N_EXACT).astype(np.float64)
    asymptotic = np.log(n) + np.euler_gamma + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4)
    return np.where(index < _N_EXACT, exact[np.minimum(index, _N_EXACT - 1) - 1], asymptotic)
