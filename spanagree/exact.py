"""Sums of floats without rounding, as whole numbers, so that parts can be added in any order.

A float is a whole number times a power of two. Sums of such numbers are exact; only the last step
rounds, once. So a sum over blocks, processes or files is that over everything, to the last digit,
and equal to :func:`math.fsum`.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints

_SHIFT = 1126  # the smallest float is 2**-1074, whose mantissa of 53 bits ends at 2**-1126
_HALF = 26  # bits; halves of mantissas are summed apart, which no int64 overflows


def exact_sum(values: Floats | Ints) -> int:
    """Σ of finite numbers, as a whole number of units of 2**-1126.

    >>> rounded(exact_sum(np.array([0.1] * 10)))
    1.0
    """
    if values.dtype.kind in "iub":
        return sum(values.tolist()) << _SHIFT
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**53).astype(np.int64)
    total = 0
    for power in np.unique(exponent).tolist():
        some = whole[exponent == power]
        high, low = int((some >> _HALF).sum()), int((some & (2**_HALF - 1)).sum())
        total += ((high << _HALF) + low) << (power - 53 + _SHIFT)
    return total


def rounded(total: int) -> float:
    """The float that is nearest to an exact sum."""
    return total / (1 << _SHIFT)
