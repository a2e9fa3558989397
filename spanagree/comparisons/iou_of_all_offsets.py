"""The iou of two segments, added up over all offsets at which they overlap."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints

_FEW = 64  # terms of a sum that are added as they are


def iou_of_all_offsets(a: Ints, b: Ints) -> Floats:
    """Compute the sum for each pair of lengths.

    With s shared units that is s / (a + b − s), twice for each s below the shorter length.

    >>> iou_of_all_offsets(np.array([1, 2]), np.array([1, 2])).round(3).tolist()
    [1.0, 1.667]
    """
    short, long = np.minimum(a, b), np.maximum(a, b)
    ramp = (short + long) * (_harmonic(short + long - 1) - _harmonic(long)) - (short - 1)
    return np.asarray((long - short + 1) * short / long + 2 * ramp)


def _harmonic(number: Ints) -> Floats:
    """Return 1 + 1/2 + … + 1/n."""
    few = np.cumsum(1 / np.arange(1, _FEW))
    n = np.maximum(number, _FEW).astype(np.float64)
    many = np.log(n) + np.euler_gamma + 1 / (2 * n) - 1 / (12 * n**2) + 1 / (120 * n**4)
    return np.where(number < _FEW, few[np.minimum(number, _FEW - 1) - 1], many)
