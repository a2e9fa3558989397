"""Permutation tests of paired tallies, and the correction for many tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from spanagree.arrays import Floats, Progress
from spanagree.errors import counted
from spanagree.results.score import UNDEFINED, f1_figures
from spanagree.uncertainty.jackknife import TIE

_LEVEL = 0.05
_CELLS = 1 << 22  # of one temporary array


def exchange(
    table: Floats,
    differing: Floats,
    value: Floats,
    exact: bool,
    resamples: int,
    seed: int,
    progress: Progress = None,
) -> list[float]:
    """Compute p of two differences: the share of exchanges of systems with one as large.

    Args:
        table: what each document adds to matched, expected and size of both systems; (units, 2, 3).
        differing: the rows of documents in which the systems differ.
        value: differences in F1 and corrected F1; (2,).
        exact: whether all exchanges are counted, rather than drawn.
        resamples: number of exchanges that are drawn.
        seed: of the draws.
        progress: called with the number of exchanges made, and of all.
    """
    differing = differing[np.lexsort(differing.reshape(len(differing), 2 * table.shape[-1]).T)]
    change = differing[:, 1] - differing[:, 0]
    total = table.sum(axis=0)
    hits, draws, done = np.zeros(2), np.zeros(2), 0
    for chosen in _exchanges(len(differing), exact, resamples, seed):
        difference = _differences(total, chosen @ change)
        hits += (np.abs(difference) >= np.abs(value) - TIE).sum(axis=0)
        draws += (~np.isnan(difference)).sum(axis=0)
        done += len(chosen)
        if progress is not None:
            progress(done, 2 ** len(differing) if exact else resamples)
    p = hits / np.maximum(draws, 1) if exact else (1 + hits) / (1 + draws)
    return np.where(np.isnan(value), UNDEFINED, p).tolist()


def _differences(total: Floats, moved: Floats) -> Floats:
    """Return differences in F1, observed and corrected, with sums moved to the first; (ways, 2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = f1_figures(total[0] + moved) - f1_figures(total[1] - moved)
    return difference[:, [0, 2]]


def _exchanges(documents: int, exact: bool, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield which documents are exchanged, all ways or drawn ones; (some, documents) of 0 and 1."""
    rng = np.random.default_rng(seed)
    for low, high in portions(2**documents if exact else resamples, documents):
        if exact:
            ways = np.arange(low, high)[:, None] >> np.arange(documents) & 1
        else:
            ways = rng.integers(0, 2, size=(high - low, documents))
        yield ways.astype(np.float64)


def portions(count: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each portion of draws that fits in a temporary array.

    >>> list(portions(3, 1 << 21))
    [(0, 2), (2, 3)]
    """
    step = max(1, _CELLS // max(width, 1))
    return ((low, min(low + step, count)) for low in range(0, count, step))


def powerless(values: Sequence[float], draws: int, what: str) -> tuple[str, ...]:
    """Return a caveat if so many p, from so many draws each, cannot be small after Holm's.

    >>> powerless([0.1] * 50, 1000, "system")
    ()
    """
    tests = sum(not math.isnan(p) for p in values)
    if tests / (1 + draws) <= _LEVEL:
        return ()
    return (
        f"p from {counted(draws, 'draw')} is not below {1 / (1 + draws):.2g}, so after Holm's"
        f" correction for {counted(tests, what)} none can be as low as {_LEVEL:g}; draw"
        f" {math.ceil(round(tests / _LEVEL, 6)) - 1} at least (--resamples)",
    )


def _from_least(values: Sequence[float]) -> list[int]:
    """Return the places of those that are defined, the least first."""
    return sorted((k for k, x in enumerate(values) if not math.isnan(x)), key=values.__getitem__)


def holm(values: Sequence[float]) -> list[float]:
    """Return p after Holm's step-down correction; undefined ones do not count."""
    return _step_down(values, lambda tests, p: min(1.0, tests * p))


def holm_log10(logs: Sequence[float]) -> list[float]:
    """Return the same from the decimal logarithms of p, also where p is too small for a float.

    >>> holm_log10([-1268.0, -2.0])
    [-1267.69897, -2.0]
    """
    adjusted = _step_down(logs, lambda tests, log_p: min(0.0, math.log10(tests) + log_p))
    return [round(log_p, 6) for log_p in adjusted]


def _step_down(values: Sequence[float], correct: Callable[[int, float], float]) -> list[float]:
    """Return p after a correction for so many tests: for all, then for all but the least, …"""
    order = _from_least(values)
    adjusted = [UNDEFINED] * len(values)
    least = -math.inf
    for rank, k in enumerate(order):
        least = max(least, correct(len(order) - rank, values[k]))
        adjusted[k] = least
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Return p-values after Benjamini and Hochberg's step-up correction; undefined do not count.

    Those at most α are, in expectation, at most a share α false discoveries.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = _from_least(values)
    adjusted = [UNDEFINED] * len(values)
    most = 1.0
    for rank in range(len(order), 0, -1):
        k = order[rank - 1]
        most = min(most, values[k] * len(order) / rank)
        adjusted[k] = most
    return adjusted
