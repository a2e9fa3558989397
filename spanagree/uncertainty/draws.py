"""How often each unit is drawn in each resample.

The draws of a number of units are the same from the same seed, whatever the units are: so they are
made once. What a unit is drawn depends on its place among the units in their canonical order, which
is that of their ids, or of what they add. A few units can be drawn in few ways: each is then worked
on once, and counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from spanagree.arrays import Floats, Ints, distinct_rows

CELLS = 1 << 22  # of one temporary array
_NEAR = 1 << 14  # counts that are near the processor while draws are counted
_KEPT = 1 << 20  # draws that are kept for the next sample
_ALIKE = 4  # resamples for each way in which units can be drawn, at the least, to count them


def portions(count: int, wide: int) -> Iterator[tuple[int, int]]:
    """Yield from which to which of so many rows a temporary array has room for."""
    most = max(1, CELLS // max(wide, 1))
    for low in range(0, count, most):
        yield low, min(low + most, count)


def weights(row: Ints, rows: int, resamples: int, seed: int, wide: int) -> Iterator[Floats]:
    """Yield how often each row is drawn, for some resamples after the other; (some, rows).

    Args:
        row: which row each unit has, of the units in their canonical order: the same draws fall to
            the first unit, the second and so on, whatever rows these have.
        rows: how many rows there are.
        resamples: how many.
        seed: from which.
        wide: how many numbers a resample takes.
    """
    units = len(row)
    if 0 < resamples * units <= _KEPT:
        drawn = _by_row(_drawn(units, resamples, seed), row, rows)
        for low, high in portions(resamples, wide):
            yield drawn[:, low:high].T
        return
    rng = np.random.default_rng(seed)
    for low, high in portions(resamples, wide):
        yield _counts(rng, row, high - low, rows)


def _counts(rng: np.random.Generator, row: Ints, count: int, rows: int) -> Floats:
    """Return how often each row is drawn of units that have these rows; (count, rows)."""
    counts = np.empty((count, rows))
    together = max(1, _NEAR // max(rows, 1))
    for low in range(0, count, together):
        portion = counts[low : low + together]
        drawn = row[rng.integers(0, max(len(row), 1), size=(len(portion), len(row)))]
        drawn += (np.arange(len(portion)) * rows)[:, None]
        portion[:] = np.bincount(drawn.ravel(), minlength=portion.size).reshape(portion.shape)
    return counts


def _by_row(drawn: Floats, row: Ints, rows: int) -> Floats:
    """Return how often each row is drawn, from how often each unit is; (rows, resamples)."""
    order = np.argsort(row, kind="stable")
    first = np.searchsorted(row[order], np.arange(rows))
    return np.add.reduceat(drawn[order], first, axis=0)


@lru_cache(maxsize=4)
def _drawn(units: int, resamples: int, seed: int) -> Floats:
    """Return how often each of so many units is drawn; (units, resamples), not to be written to."""
    rng = np.random.default_rng(seed)
    drawn = np.ascontiguousarray(_counts(rng, np.arange(units), resamples, units).T)
    drawn.flags.writeable = False
    return drawn


def few_ways(row: Ints, rows: int, resamples: int, seed: int) -> tuple[Floats, Ints] | None:
    """Return the ways in which few units are drawn, and how often each is; ``None`` of many.

    The arguments are those of :func:`weights`.
    """
    if not len(row) or replicates_of(len(row), resamples) == resamples:
        return None
    ways, often = _ways(len(row), resamples, seed)
    return _by_row(ways, row, rows).T, often


def replicates_of(units: int, resamples: int) -> int:
    """Return how many resamples are worked on: the ways in which few units are drawn, or all."""
    ways = math.comb(2 * units - 1, max(units - 1, 0)) if units else 1
    return ways if ways * _ALIKE <= resamples else resamples


@lru_cache(maxsize=64)
def _ways(units: int, resamples: int, seed: int) -> tuple[Floats, Ints]:
    """Return the ways in which units are drawn, (units, ways), and how often each is."""
    ways, _, often = distinct_rows(np.ascontiguousarray(_drawn(units, resamples, seed).T))
    return np.ascontiguousarray(ways.T), often
