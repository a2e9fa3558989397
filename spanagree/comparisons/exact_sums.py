"""Values in two parts, whose sums are not rounded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints


class ExactSums(NamedTuple):
    """Values and their remainders; two arrays of one shape."""

    value: Floats
    remainder: Floats


_GRIDS = (2.0**20, 2.0**54)
"""Values are kept in units of 2⁻²⁰, and what these leave in units of 2⁻⁵⁴."""


def on_grids(values: Floats | Ints) -> ExactSums:
    """Return values in two parts that are multiples of powers of two.

    So sums of either part, each value taken any whole number of times, are not rounded while the
    first stays below 2³³ and the values are fewer than a million: whatever adds them up, and in
    whatever order, gives the same bits.

    >>> parts = on_grids(np.array([0.3, 3.0]))
    >>> parts.remainder.tolist()[1], (parts.value + parts.remainder).round(15).tolist()
    (0.0, [0.3, 3.0])
    """
    coarse, fine = _GRIDS
    value = np.rint(np.asarray(values, np.float64) * coarse) / coarse
    return ExactSums(value, np.rint((values - value) * fine) / fine)
