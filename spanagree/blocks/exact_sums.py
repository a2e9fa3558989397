"""Sums of floats without rounding, as whole numbers, so that parts can be added in any order.

A float is a whole number times a power of two. Sums of such numbers are exact; only the last step
rounds, once. So a sum over blocks, processes or files is that over everything, to the last digit,
and equal to :func:`math.fsum`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct
from spanagree.comparisons.tally import Tallies, Tally

_SHIFT = 1126  # the smallest float is 2**-1074, whose mantissa of 53 bits ends at 2**-1126
_HALF = 26  # bits; halves of mantissas are summed apart, which no int64 overflows


def exact_sums(values: Floats | Ints, which: Ints, count: int) -> list[int]:
    """Return Σ of the values that ``which`` gives each number below ``count``, exactly.

    The sums are whole numbers of units of 2**-1126; the values have to be finite.

    >>> [rounded(total) for total in exact_sums(np.array([0.1] * 10), np.arange(10) % 2, 2)]
    [0.5, 0.5]
    """
    totals = [0] * count
    whole: Ints
    if values.dtype.kind == "f":
        mantissa, exponents = np.frexp(values)
        whole = (mantissa * 2.0**53).astype(np.int64)
        (group, exponent), place, _ = distinct(which, exponents.astype(np.int64))
    else:
        whole, place = values.astype(np.int64), which
        group, exponent = np.arange(count), np.full(count, 53)
    high, low = np.zeros((2, len(group)), np.int64)
    np.add.at(high, place, whole >> _HALF)
    np.add.at(low, place, whole & (2**_HALF - 1))
    columns = (group.tolist(), exponent.tolist(), high.tolist(), low.tolist())
    for g, e, h, part in zip(*columns, strict=True):
        totals[g] += ((h << _HALF) + part) << (e - 53 + _SHIFT)
    return totals


def rounded(total: int) -> float:
    """Return the float that is nearest to an exact sum."""
    return total / (1 << _SHIFT)


class TallySum(NamedTuple):
    """Sums of tallies without rounding, to be added over blocks in any order.

    ``matched`` and ``expected`` are exact sums; ``whole`` says that what
    is matched are whole numbers.
    """

    whole: bool
    matched: int
    expected: int
    size_a: int
    size_b: int

    @classmethod
    def of(cls, tallies: Tallies) -> TallySum:
        """Return the sums over all entries."""
        return cls.each(tallies, np.zeros(len(tallies.document), np.int64), 1)[0]

    @classmethod
    def each(cls, tallies: Tallies, which: Ints, count: int) -> list[TallySum]:
        """Return the sums for each number below ``count``, over what ``which`` gives it."""
        sums = TallySums.each(tallies, which, count)
        columns = sums.matched, sums.expected, sums.size_a.tolist(), sums.size_b.tolist()
        return [cls(sums.whole, *row) for row in zip(*columns, strict=True)]

    def turned(self) -> TallySum:
        """Return the sums with the two sides exchanged."""
        return self._replace(size_a=self.size_b, size_b=self.size_a)

    def plus(self, other: TallySum) -> TallySum:
        """Return the sums of both."""
        return TallySum(self.whole and other.whole, *map(operator.add, self[1:], other[1:]))

    def minus(self, other: TallySum) -> TallySum:
        """Return the sums without those of the other, which are part of them."""
        return TallySum(self.whole, *map(operator.sub, self[1:], other[1:]))

    @property
    def tally(self) -> Tally:
        """The tally, rounded once."""
        matched = rounded(self.matched)
        whole = int(matched) if self.whole else matched
        return Tally(whole, rounded(self.expected), self.size_a, self.size_b)


@dataclass(frozen=True, eq=False)
class TallySums:
    """Many sums as :class:`TallySum` has them, as columns; sizes are arrays."""

    whole: bool
    matched: list[int]
    expected: list[int]
    size_a: Ints
    size_b: Ints

    @classmethod
    def each(cls, tallies: Tallies, which: Ints, count: int) -> TallySums:
        """Return the sums for each number below ``count``, over what ``which`` gives it."""
        return cls(
            tallies.matched.dtype.kind == "i",
            exact_sums(tallies.matched, which, count),
            exact_sums(tallies.expected, which, count),
            *(_whole_sums(size, which, count) for size in (tallies.size_a, tallies.size_b)),
        )

    @classmethod
    def of_whole(cls, matched: Ints, expected: list[int], size_a: Ints, size_b: Ints) -> TallySums:
        """Return sums of which what is matched are whole numbers, given as such."""
        return cls(True, [m << _SHIFT for m in matched.tolist()], expected, size_a, size_b)

    def turned(self, where: Bools) -> TallySums:
        """Return the sums with the two sides exchanged at some places."""
        a, b = self.size_a, self.size_b
        return replace(self, size_a=np.where(where, b, a), size_b=np.where(where, a, b))

    def joined(self, other: TallySums) -> TallySums:
        """Return the sums of one, then those of the other."""
        return TallySums(
            self.whole and other.whole,
            self.matched + other.matched,
            self.expected + other.expected,
            np.concatenate((self.size_a, other.size_a)),
            np.concatenate((self.size_b, other.size_b)),
        )

    def grouped(self, which: Ints, count: int) -> TallySums:
        """Return the sums for each number below ``count``, over what ``which`` gives it."""
        matched, expected = [0] * count, [0] * count
        for group, m, e in zip(which.tolist(), self.matched, self.expected, strict=True):
            matched[group] += m
            expected[group] += e
        sizes = (_whole_sums(size, which, count) for size in (self.size_a, self.size_b))
        return TallySums(self.whole, matched, expected, *sizes)

    @property
    def tallies(self) -> Tallies:
        """The tallies, each rounded once; the column ``document`` numbers them."""
        number = np.arange(len(self.matched))
        matched: Floats | Ints = np.array([*map(rounded, self.matched)], np.float64)
        matched = matched.astype(np.int64) if self.whole else matched
        expected = np.array([*map(rounded, self.expected)], np.float64)
        return Tallies(number, number, matched, expected, self.size_a, self.size_b)


def _whole_sums(values: Ints, which: Ints, count: int) -> Ints:
    return np.bincount(which, values, count).astype(np.int64)


NO_TALLY = TallySum(True, 0, 0, 0, 0)
"""The sum of no tallies."""


def added(one: Mapping[str, TallySum], other: Mapping[str, TallySum]) -> dict[str, TallySum]:
    """Return the sums of both by name, sorted; a name that one of them lacks has none there."""
    names = sorted({*one, *other})
    return {name: one.get(name, NO_TALLY).plus(other.get(name, NO_TALLY)) for name in names}


class FixedPoint:
    """Sums of arrays of floats of one shape, in units of 2**-75: what is smaller is cut off.

    Whole numbers add up in any order; this is faster than :func:`exact_sums` where each of many
    places has a value in each of many arrays. A sum has to stay below 2**33.

    >>> sums = FixedPoint(1)
    >>> for _ in range(10):
    ...     sums.add(slice(None), np.array([0.1]))
    >>> [rounded(total) for total in sums.totals(slice(None))]
    [1.0]
    """

    _HIGH, _LOW = 30, 45  # bits behind the point, in two numbers
    _ROOM = 1 << 17  # sums of the lower number, before it overflows

    def __init__(self, *shape: int) -> None:
        """Make sums of nothing."""
        self._high, self._low = np.zeros((2, *shape), np.int64)
        self._room = self._ROOM

    def add(self, where: Any, values: Floats) -> None:
        """Add values, 0 or greater, to some of the sums, each of which is there once."""
        scaled = values * 2.0**self._HIGH
        whole = np.floor(scaled)
        self._high[where] += whole.astype(np.int64)
        self._low[where] += ((scaled - whole) * 2.0**self._LOW).astype(np.int64)
        self._room -= 1
        if not self._room:
            self._high += self._low >> self._LOW
            self._low &= (1 << self._LOW) - 1
            self._room = self._ROOM

    def totals(self, where: Any) -> list[int]:
        """Return some of the sums as those of :func:`exact_sums`, in units of 2**-1126."""
        shift = _SHIFT - self._HIGH - self._LOW
        columns = self._high[where].tolist(), self._low[where].tolist()
        return [((high << self._LOW) + low) << shift for high, low in zip(*columns, strict=True)]
