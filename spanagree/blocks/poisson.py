"""Intervals over blocks: a Poisson bootstrap whose weights come from the documents' ids.

In each resample a document counts as often as a Poisson number of mean 1 says, which a hash of its
id, the seed and the number of the resample draws (Chamandy et al. 2012, "Estimating uncertainty for
massive data streams"). So no block needs to know of another; and as the sums are whole numbers,
neither the size of blocks nor their order changes a digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.blocks.ids import Hashes
from spanagree.errors import InputError, SettingError, counted, printable, show
from spanagree.results.score import Interval
from spanagree.uncertainty.bootstrap import Bootstrap, Resampling, Statistic

Key: TypeAlias = tuple[Any, ...]

_CELLS = 1 << 22  # of one temporary array
_MOST = 1 << 27  # numbers that are kept
_BITS = 26  # of a limb: a sum of limbs, times weights, is a whole number below 2**53
_BELOW = 2  # limbs below the point, so fractions are kept to 2**-52

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
    """What documents add to sums: ``values`` of ``document`` to the sum ``keys[which]``."""

    keys: Sequence[Key]
    which: Ints
    document: Ints
    values: Ints | Floats


class Replicates(NamedTuple):
    """Sums over documents in every resample, to be added over blocks in any order.

    Attributes:
        sums: whole numbers, (limbs, resamples): the sum's whole part, and for what is not whole
            its fraction in limbs of 26 bits.
    """

    sums: Mapping[Key, Ints]

    def plus(self, other: Replicates) -> Replicates:
        """Return the sums over the documents of both."""
        sums = dict(self.sums)
        for key, limbs in other.sums.items():
            sums[key] = _added(sums[key], limbs) if key in sums else limbs
        whole = Replicates(sums)
        _check_size(sum(map(len, sums.values())), whole.resamples)
        return whole

    @property
    def resamples(self) -> int:
        """The number of resamples."""
        return max((limbs.shape[1] for limbs in self.sums.values()), default=0)

    def over(self, keys: Sequence[Key]) -> Floats:
        """Return the sum of the sums of some keys, in each resample; (resamples,)."""
        total = np.zeros((1 + _BELOW, self.resamples), np.int64)
        for key in keys:
            if key in self.sums:
                total[: len(self.sums[key])] += self.sums[key]
        return np.ldexp(total.astype(np.float64), -_BITS * np.arange(1 + _BELOW)[:, None]).sum(
            axis=0
        )


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
    parts = [(part, _limbs(part.values)) for part in entries]
    tables = [
        coo_array(
            (limb.astype(np.float64), (part.which, part.document)),
            shape=(len(part.keys), len(documents)),
        )
        for part, limbs in parts
        for limb in limbs
    ]
    table = vstack(tables).tocsr() if tables else np.empty((0, len(documents)))
    height = table.shape[0]
    _check_size(height, resampling.resamples)
    sums = np.empty((height, resampling.resamples), np.int64)
    portion = 2 * max(1, _CELLS // max(len(documents), 1) // 2)
    for low in range(0, resampling.resamples, portion):
        high = min(low + portion, resampling.resamples)
        sums[:, low:high] = table @ weights(documents, low, high, resampling.seed)
    by_key: dict[Key, Ints] = {}
    at = 0
    for part, limbs in parts:
        rows = sums[at : at + len(limbs) * len(part.keys)]
        by_key |= {key: rows[k :: len(part.keys)] for k, key in enumerate(part.keys)}
        at += len(rows)
    return Replicates(by_key)


def _added(one: Ints, other: Ints) -> Ints:
    """Return the sums of both; a whole number has fewer limbs."""
    more, less = (one, other) if len(one) >= len(other) else (other, one)
    total = more.copy()
    total[: len(less)] += less
    return total


def _check_size(limbs: int, resamples: int) -> None:
    if limbs * resamples > _MOST:
        raise SettingError(
            f"ci: {limbs} sums in each of {counted(resamples, 'resample')}; over blocks they are"
            f" all kept, and {counted(_MOST // limbs, 'resample')} or fewer, or fewer annotators,"
            " would fit"
        )


def _limbs(values: Ints | Floats) -> list[Ints]:
    """Return a whole number and its fraction, in pieces of whole numbers."""
    if values.dtype.kind != "f":
        return [values.astype(np.int64)]
    pieces = []
    for _ in range(1 + _BELOW):
        whole = np.floor(values)
        pieces.append(whole.astype(np.int64))
        values = np.ldexp(values - whole, _BITS)
    return pieces


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


def asked_resampling(
    in_blocks: bool,
    ci: bool,
    confidence: float,
    resamples: int,
    seed: int,
    interval: str | None,
    resample_by: str = "unit",
    kind: type[Resampling] = Resampling,
) -> Resampling | None:
    """Return how to resample, if intervals are asked for; over blocks by a Poisson bootstrap.

    ``kind`` is that of a team, if annotators may be a sample too.

    Raises:
        SettingError: over blocks for another interval than percentile; as for :class:`Resampling`.
    """
    if in_blocks and interval not in (None, "percentile"):
        raise SettingError(
            f"interval {show(interval)}; over blocks there is percentile, of a Poisson bootstrap"
        )
    if in_blocks and resample_by != "unit":
        documents = ", or by documents (--unit document)" if resample_by == "document" else ""
        raise SettingError(
            f"resample_by {printable(resample_by)}: over blocks units are drawn; read the corpus"
            f" whole{documents}"
        )
    if not ci:
        return None
    usual = "jackknife" if resample_by == "annotators" else "bca"
    made = "percentile" if in_blocks else interval or usual
    return kind(confidence, resamples, seed, made, in_blocks, resample_by)


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
    resampled = Bootstrap(estimate, figures, np.empty((0, 0)), np.array([units]))
    return resampled.intervals(resampling, evidence)
