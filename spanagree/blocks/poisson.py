"""Intervals over blocks: a Poisson bootstrap whose weights come from the documents' ids.

In each resample a document counts as often as a Poisson number of mean 1 says, which a hash of its
id, the seed and the number of the resample draws (Chamandy et al. 2012, "Estimating uncertainty for
massive data streams"). So no block needs to know of another; and as no sum is rounded, neither the
size of blocks nor their order changes a digit.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Hashes, Ints
from spanagree.comparisons.exact_sums import ExactSums, on_grids
from spanagree.errors import InputError, SettingError, counted
from spanagree.results.score import Interval
from spanagree.uncertainty.bootstrap import ResampledFigures, Resampling, Statistic

Key: TypeAlias = tuple[Any, ...]

_CELLS = 1 << 22  # of one temporary array
_MOST = 1 << 26  # sums that are kept

# splitmix64 (Steele, Lea & Flood 2014)
STEP, _MIX_1, _MIX_2 = map(np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))

# the least of 2**32 numbers that draw 1, 2, …; the last one is drawn less than once in 2**32
_BORDERS = np.array(
    [
        round(2**32 * math.fsum(math.exp(-1) / math.factorial(i) for i in range(k + 1)))
        for k in range(12)
    ],
    np.uint64,
)


class Entries(NamedTuple):
    """What documents add to sums: ``values`` of ``document`` to the sums of ``keys[which]``.

    ``values`` are columns; (entries, columns).
    """

    keys: Sequence[Key]
    which: Ints
    document: Ints
    values: Ints | Floats


@dataclass(frozen=True, eq=False)
class Replicates:
    """Sums over documents in every resample, to be added over blocks in any order.

    Attributes:
        sums: by key; (resamples, columns).
        resampling: how they were drawn.
    """

    sums: Mapping[Key, ExactSums]
    resampling: Resampling

    def __add__(self, other: Replicates) -> Replicates:
        """Return the sums over the documents of both."""
        sums = dict(self.sums)
        for key, more in other.sums.items():
            sums[key] = sums[key] + more if key in sums else more
        columns = sum(entry.value.shape[1] for entry in sums.values())
        _check_size(columns, self.resampling.resamples)
        return Replicates(sums, self.resampling)

    def over(self, keys: Sequence[Key], columns: int = 1) -> Floats:
        """Return the sums of some keys together in each resample; (resamples, columns)."""
        known = [self.sums[key] for key in keys if key in self.sums]
        if not known:
            return np.zeros((self.resampling.resamples, columns))
        total = functools.reduce(operator.add, known)
        return total.value + total.remainder


def replicates(
    ids: Sequence[Hashes], entries: Sequence[Entries], resampling: Resampling
) -> Replicates:
    """Return what one block adds to its sums in every resample.

    ``ids`` are those of its documents, as :func:`spanagree.blocks.ids.ids_of` gives them.

    Raises:
        InputError: if there are none.
    """
    from scipy.sparse import coo_array, vstack  # takes a tenth of a second to import

    if not ids:
        raise InputError(
            "the documents have no ids; intervals over blocks draw by ids, and each document needs"
            " one"
        )
    (documents,) = ids
    _check_size(sum(len(p.keys) * p.values.shape[1] for p in entries), resampling.resamples)
    tables = [
        coo_array((values, (part.which, part.document)), shape=(len(part.keys), len(documents)))
        for part in entries
        for column in part.values.T
        for values in on_grids(column)
    ]
    table = vstack(tables).tocsr() if tables else np.empty((0, len(documents)))
    sums = np.empty((table.shape[0], resampling.resamples))
    portion = 2 * max(1, _CELLS // max(len(documents), 1) // 2)
    for low in range(0, resampling.resamples, portion):
        high = min(low + portion, resampling.resamples)
        sums[:, low:high] = table @ weights(documents, low, high, resampling.seed)
    by_key: dict[Key, ExactSums] = {}
    at = 0
    for part in entries:
        shape = (part.values.shape[1], 2, len(part.keys), resampling.resamples)
        end = at + int(np.prod(shape[:3]))
        for key, (value, remainder) in zip(
            part.keys, sums[at:end].reshape(shape).transpose(2, 1, 3, 0), strict=True
        ):
            by_key[key] = ExactSums(value, remainder)
        at = end
    return Replicates(by_key, resampling)


def _check_size(sums: int, resamples: int) -> None:
    if sums * resamples > _MOST:
        raise SettingError(
            f"ci: {sums} sums in each of {counted(resamples, 'resample')}; over blocks they are"
            f" all kept, and {counted(_MOST // sums, 'resample')} or fewer, or fewer annotators,"
            " would fit"
        )


def weights(ids: Hashes, low: int, high: int, seed: int) -> Floats:
    """Return how often documents count in resamples from ``low``, which is even; (documents, some).

    >>> drawn = weights(np.arange(1000, dtype=np.uint64), 0, 1000, seed=0)
    >>> round(float(drawn.mean()), 2), round(float(drawn.var()), 1)
    (1.0, 1.0)
    """
    start = mixed(ids + mixed(np.array([seed % 2**64], np.uint64) * STEP + STEP))
    number = np.arange(low // 2, (high + 1) // 2, dtype=np.uint64) * STEP
    halves = mixed(start[:, None] + number).astype("<u8").view("<u4")[:, : high - low]
    return np.searchsorted(_BORDERS, halves, side="right").astype(np.float64)


def mixed(z: Hashes) -> Hashes:
    """Return numbers in which every bit of a number has a part in every bit."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


def percentile_intervals(
    total: Floats,
    drawn: Floats,
    statistic: Statistic,
    units: int,
    evidence: Ints,
    resampling: Resampling,
) -> list[Interval]:
    """Return intervals of figures that come in threes.

    Args:
        total: the sums over all documents; (columns,).
        drawn: the same in each resample; (resamples, columns).
        statistic: from sums to figures.
        units: how many documents there are.
        evidence: what each figure rests on; (figures, 3).
        resampling: how.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate, figures = statistic(total[None])[0], statistic(drawn)
    resampled = ResampledFigures(estimate, figures, np.empty((0, 0)), np.array([units]))
    return resampled.intervals(resampling, evidence)
