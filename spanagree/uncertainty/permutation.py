"""Permutation tests of paired tallies, and the correction for many tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, Progress
from spanagree.errors import counted
from spanagree.results.score import UNDEFINED, f1_figures
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.draws import portions
from spanagree.uncertainty.evidence import clopper_pearson

TIE = 1e-12  # differences closer than this are the same
_LEVEL = 0.05


def exchange(
    table: Floats,
    differing: Floats,
    value: Floats,
    exact: bool,
    resampling: Resampling,
    progress: Progress = None,
) -> list[float]:
    """Return p of the two differences: how often exchanging systems gives one as large.

    ``progress`` is called with the number of exchanges made, and of all.
    """
    differing = differing[np.lexsort(differing.reshape(len(differing), 2 * table.shape[-1]).T)]
    change = differing[:, 1] - differing[:, 0]
    total = table.sum(axis=0)
    hits, draws, done = np.zeros(2), np.zeros(2), 0
    for chosen in _exchanges(len(differing), exact, resampling):
        difference = _differences(total, chosen @ change)
        hits += (np.abs(difference) >= np.abs(value) - TIE).sum(axis=0)
        draws += (~np.isnan(difference)).sum(axis=0)
        done += len(chosen)
        if progress is not None:
            progress(done, 2 ** len(differing) if exact else resampling.resamples)
    p = hits / np.maximum(draws, 1) if exact else (1 + hits) / (1 + draws)
    return np.where(np.isnan(value), UNDEFINED, p).tolist()


def few_ends(both: Floats, differing: Floats, tail: float) -> Floats:
    """Return intervals of the two differences where systems differ in so few documents.

    Which system a differing document favours is as uncertain as Clopper & Pearson's interval of a
    share says; if all favoured one, the difference would be the greatest that exchanging gives.
    Where none differs, any of them may, and as much as can be.

    Args:
        both: what each document adds to matched, expected and size of two systems; (units, 2, 3).
        differing: those of them that differ.
        tail: the share below the low end, and above the high one.

    Returns:
        The ends for the observed and the corrected difference; (2, 2).
    """
    change = (differing[:, 1] - differing[:, 0]).reshape(-1, both.shape[2])
    total = both.sum(axis=0)
    difference = _differences(total, _ways(0, 2 ** len(differing), len(differing)) @ change)
    most = clopper_pearson(0, int(both[..., 2].any(axis=1).sum()), tail)[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        half = most / np.array([1, 1 - max(f1_figures(total)[:, 1].tolist())])
    by_one = difference[2 ** np.arange(len(differing))] - difference[0]  # each exchanged alone
    ends = np.stack((-half, half), axis=1)
    for figure, moves in enumerate(by_one.T):
        first, second = int((moves < -TIE).sum()), int((moves > TIE).sum())
        if first + second:
            share = np.array(clopper_pearson(first, first + second, tail))
            ends[figure] = np.abs(difference[:, figure]).max() * (2 * share - 1)
    return ends


def _differences(total: Floats, moved: Floats) -> Floats:
    """Return differences in F1, observed and corrected, with sums moved to the first; (ways, 2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = f1_figures(total[0] + moved) - f1_figures(total[1] - moved)
    return difference[:, [0, 2]]


def _ways(low: int, high: int, documents: int) -> Ints:
    """Return which documents are exchanged in the ways of these numbers, whose bits say so."""
    return np.arange(low, high)[:, None] >> np.arange(documents) & 1


def _exchanges(documents: int, exact: bool, resampling: Resampling) -> Iterator[Floats]:
    """Yield which documents are exchanged, all ways or drawn ones; (some, documents) of 0 and 1."""
    rng = np.random.default_rng(resampling.seed)
    for low, high in portions(2**documents if exact else resampling.resamples, documents):
        if exact:
            ways = _ways(low, high, documents)
        else:
            ways = rng.integers(0, 2, size=(high - low, documents))
        yield ways.astype(np.float64)


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
