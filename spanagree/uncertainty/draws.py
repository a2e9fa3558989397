"""How often each unit is drawn in each resample.

The draws of a number of units are the same from the same seed, whatever the units are: so they are
made once. A few units can be drawn in few ways: each is then worked on once, and counted.
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


def weights(times: Ints, resamples: int, seed: int, wide: int) -> Iterator[Floats]:
    """Yield how often each row is drawn, for some resamples after the other; (some, rows).

    Args:
        times: how many units have each row.
        resamples: how many.
        seed: from which.
        wide: how many numbers a resample takes.
    """
    units, rows = int(times.sum()), len(times)
    rng = np.random.default_rng(seed)
    if rows * 8 >= units and 0 < resamples * units <= _KEPT:
        each, first = _drawn(units, resamples, seed), np.cumsum(times) - times
        if rows < units:
            of_unit, each = each, each[first]
            for i in np.flatnonzero(times > 1).tolist():
                each[i] = of_unit[first[i] : first[i] + times[i]].sum(axis=0)
        for low, high in portions(resamples, wide):
            yield each[:, low:high].T
        return
    for low, high in portions(resamples, wide):
        if rows * 8 < units:
            yield rng.multinomial(units, times / units, size=high - low).astype(np.float64)
        else:
            yield _counts(rng, np.repeat(np.arange(rows), times), high - low, rows)


def _counts(rng: np.random.Generator, row: Ints, count: int, rows: int) -> Floats:
    """Return how often each row is drawn of units that have these rows; (count, rows)."""
    made = np.empty((count, rows))
    some = max(1, _NEAR // max(rows, 1))
    for low in range(0, count, some):
        here = made[low : low + some]
        drawn = row[rng.integers(0, max(len(row), 1), size=(len(here), len(row)))]
        drawn += (np.arange(len(here)) * rows)[:, None]
        here[:] = np.bincount(drawn.ravel(), minlength=here.size).reshape(here.shape)
    return made


@lru_cache(maxsize=4)
def _drawn(units: int, resamples: int, seed: int) -> Floats:
    """Return how often each of so many units is drawn; (units, resamples), not to be written to."""
    rng = np.random.default_rng(seed)
    drawn = np.ascontiguousarray(_counts(rng, np.arange(units), resamples, units).T)
    drawn.flags.writeable = False
    return drawn


def few_ways(times: Ints, resamples: int, seed: int) -> tuple[Floats, Ints] | None:
    """Return the ways in which few rows are drawn, and how often each is; ``None`` of many."""
    if not len(times) or replicates_of(times, resamples) == resamples:
        return None
    return _ways(tuple(times.tolist()), resamples, seed)


def replicates_of(times: Ints, resamples: int) -> int:
    """Return how many resamples are worked on: the ways in which few rows are drawn, or all."""
    ways = math.comb(int(times.sum()) + len(times) - 1, len(times) - 1)
    return ways if ways * _ALIKE <= resamples else resamples


@lru_cache(maxsize=256)
def _ways(times: tuple[int, ...], resamples: int, seed: int) -> tuple[Floats, Ints]:
    whole = np.concatenate([*weights(np.array(times), resamples, seed, len(times))])
    ways, _, often = distinct_rows(whole)
    return ways, often
