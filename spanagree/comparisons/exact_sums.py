"""Sums of floats that do not depend on the order in which they are added: a value and a remainder.

The value is the float nearest to the sum, as :func:`math.fsum` gives it, and the remainder what it
lacks. Two such sums add to a third one, so parts of a corpus, workers and files add in any order:
a sum has 106 bits, of which 53 are shown.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, row_order


class ExactSums(NamedTuple):
    """Sums as values and remainders; two arrays of one shape."""

    value: Floats
    remainder: Floats

    def __add__(self, other: ExactSums) -> ExactSums:  # type: ignore[override]  # not a tuple's
        """Return the sums of both.

        >>> tenth = ExactSums(np.array([0.1]), np.array([0.0]))
        >>> sum([tenth] * 9, tenth).value.tolist()
        [1.0]
        """
        value, lost = two_sum(self.value, other.value)
        return ExactSums(*two_sum(value, lost + (self.remainder + other.remainder)))


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sums of two arrays, and what was lost in rounding (Knuth).

    >>> value, lost = two_sum(np.array([1e16]), np.array([1.0]))
    >>> value.tolist(), lost.tolist()
    ([1e+16], [1.0])
    """
    value = a + b
    of_b = value - a
    return value, (a - (value - of_b)) + (b - of_b)


def exact_sums(values: Floats, which: Ints, count: int) -> ExactSums:
    """Return Σ of the values that ``which`` gives each number below ``count``.

    >>> exact_sums(np.array([0.1] * 10), np.arange(10) % 2, 2).value.tolist()
    [0.5, 0.5]
    """
    some = values != 0
    values, which = values[some], which[some]
    ordered = values[row_order(which)]
    size = np.bincount(which, minlength=count)
    first = np.cumsum(size) - size
    value, remainder = np.zeros((2, count))
    single, pair = size == 1, size == 2
    value[single] = ordered[first[single]]
    value[pair], remainder[pair] = two_sum(ordered[first[pair]], ordered[first[pair] + 1])
    many = np.flatnonzero(size > 2)
    columns = (column[many].tolist() for column in (first, size))
    for group, begin, length in zip(many.tolist(), *columns, strict=True):
        numbers = ordered[begin : begin + length].tolist()
        total = math.fsum(numbers)
        value[group], remainder[group] = total, math.fsum(chain(numbers, [-total]))
    return ExactSums(value, remainder)


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


def whole_sums(values: Ints, which: Ints, count: int) -> Ints:
    """Return the same of whole numbers."""
    total = np.zeros(count, np.int64)
    np.add.at(total, which, values)
    return total
