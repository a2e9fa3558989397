"""Sums of floats without rounding, as whole numbers, so that parts can be added in any order.

A float is a whole number times a power of two. Sums of such numbers are exact; only the last step
rounds, once. So a sum over blocks, processes or files is that over everything, to the last digit,
and equal to :func:`math.fsum`.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, distinct

_SHIFT = 1126  # the smallest float is 2**-1074, whose mantissa of 53 bits ends at 2**-1126
_HALF = 26  # bits; halves of mantissas are summed apart, which no int64 overflows


def exact_sum(values: Floats | Ints) -> int:
    """Σ of finite numbers, as a whole number of units of 2**-1126.

    >>> rounded(exact_sum(np.array([0.1] * 10)))
    1.0
    """
    return exact_sums(values, np.zeros(len(values), np.int64), 1)[0]


def exact_sums(values: Floats | Ints, which: Ints, count: int) -> list[int]:
    """The same for each number below ``count``, of the values that ``which`` gives it."""
    totals = [0] * count
    whole: Ints
    power: Ints
    if values.dtype.kind == "f":
        mantissa, exponents = np.frexp(values)
        whole, power = (mantissa * 2.0**53).astype(np.int64), exponents.astype(np.int64)
    else:
        whole, power = values.astype(np.int64), np.full(len(values), 53)
    (group, exponent), place, _ = distinct(which, power)
    high, low = np.zeros((2, len(group)), np.int64)
    np.add.at(high, place, whole >> _HALF)
    np.add.at(low, place, whole & (2**_HALF - 1))
    columns = (group.tolist(), exponent.tolist(), high.tolist(), low.tolist())
    for g, e, h, part in zip(*columns, strict=True):
        totals[g] += ((h << _HALF) + part) << (e - 53 + _SHIFT)
    return totals


def rounded(total: int) -> float:
    """The float that is nearest to an exact sum."""
    return total / (1 << _SHIFT)
