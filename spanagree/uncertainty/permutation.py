"""Permutation tests of two systems, and corrections of p for many tests.

In a permutation, each document's sums are exchanged between the systems or not. With D the observed
difference and D* that of a permutation, p is the share of permutations with |D*| ≥ |D|: of all 2^k
permutations of the k documents in which the systems differ, or of B drawn ones, with 1 added to
both counts. For m tests with the p-values p₍₁₎ ≤ … ≤ p₍ₘ₎,

    Holm (1979): max over j ≤ i of (m − j + 1) p₍ⱼ₎,
    Benjamini & Hochberg (1995): min over j ≥ i of m p₍ⱼ₎ / j.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from spanagree.arrays import Floats, Progress
from spanagree.errors import pluralize
from spanagree.results.score import UNDEFINED, compute_f1_differences
from spanagree.uncertainty.jackknife import TIE

_LEVEL = 0.05
_CELLS = 1 << 22  # size of one temporary array


def compute_exchange_p(
    table: Floats, resamples: int, seed: int, progress: Progress = None
) -> tuple[Floats, bool]:
    """Compute p of the differences of two systems in F1 and in corrected F1.

    p is the share of permutations with a difference at least as large.

    Args:
        table: matched, expected and size of each document and system; (documents, 2, 3).
        resamples: number of permutations to draw, unless there are no more in all.
        seed: random seed.
        progress: callback that receives the number of finished permutations and of all.

    Returns:
        p of both differences, and whether all permutations were counted.
    """
    differing = table[(table[:, 0] != table[:, 1]).any(axis=1)]
    differing = differing[np.lexsort(differing.reshape(len(differing), 2 * table.shape[-1]).T)]
    exact = len(differing) <= math.log2(resamples)
    n_permutations = 2 ** len(differing) if exact else resamples
    swap_changes = differing[:, 1] - differing[:, 0]
    first, second = table.sum(axis=0)
    n_as_large, n_defined, n_done = np.zeros(2), np.zeros(2), 0
    with np.errstate(divide="ignore", invalid="ignore"):
        value = compute_f1_differences(first, second)
        for exchanged in _yield_exchanges(len(differing), exact, resamples, seed):
            change = exchanged @ swap_changes
            difference = compute_f1_differences(first + change, second - change)
            n_as_large += (np.abs(difference) >= np.abs(value) - TIE).sum(axis=0)
            n_defined += (~np.isnan(difference)).sum(axis=0)
            n_done += len(exchanged)
            if progress is not None:
                progress(n_done, n_permutations)
    p = n_as_large / np.maximum(n_defined, 1) if exact else (1 + n_as_large) / (1 + n_defined)
    return np.where(np.isnan(value), UNDEFINED, p), exact


def _yield_exchanges(n_documents: int, exact: bool, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield batches of permutations, (batch, documents), with 1 for each exchanged document."""
    rng = np.random.default_rng(seed)
    for start, stop in yield_batches(2**n_documents if exact else resamples, n_documents):
        if exact:
            exchanged = np.arange(start, stop)[:, None] >> np.arange(n_documents) & 1
        else:
            exchanged = rng.integers(0, 2, size=(stop - start, n_documents))
        yield exchanged.astype(np.float64)


def yield_batches(n_draws: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each batch of draws that fits in a temporary array.

    >>> list(yield_batches(3, 1 << 21))
    [(0, 2), (2, 3)]
    """
    batch_size = max(1, _CELLS // max(n_columns, 1))
    return ((start, min(start + batch_size, n_draws)) for start in range(0, n_draws, batch_size))


def build_powerless_caveat(values: Sequence[float], n_draws: int, noun: str) -> tuple[str, ...]:
    """Build a caveat if no p can be significant after Holm's correction, because of too few draws.

    With n draws, p is at least 1 / (n + 1).

    Args:
        values: p of each test; an undefined p is not a test.
        n_draws: number of draws for each p.
        noun: word for one test, such as "system".

    >>> build_powerless_caveat([0.1] * 50, 1000, "system")
    ()
    """
    n_tests = sum(not math.isnan(p) for p in values)
    if n_tests / (1 + n_draws) <= _LEVEL:
        return ()
    return (
        f"p from {pluralize(n_draws, 'draw')} is not below {1 / (1 + n_draws):.2g}, so after Holm's"
        f" correction for {pluralize(n_tests, noun)} none can be as low as {_LEVEL:g}; draw"
        f" {math.ceil(round(n_tests / _LEVEL, 6)) - 1} at least (--resamples)",
    )


def _sort_positions(values: Sequence[float]) -> list[int]:
    """Sort the positions of the defined values by value, ascending."""
    return sorted(
        (position for position, value in enumerate(values) if not math.isnan(value)),
        key=values.__getitem__,
    )


def holm(values: Sequence[float]) -> list[float]:
    """Correct p by Holm's step-down procedure; undefined p stay undefined and do not count."""
    return _correct_step_down(values, lambda tests, p: min(1.0, tests * p))


def holm_log10(logs: Sequence[float]) -> list[float]:
    """Correct decimal logarithms of p by Holm's procedure, even if p is too small for a float.

    >>> holm_log10([-1268.0, -2.0])
    [-1267.69897, -2.0]
    """
    adjusted = _correct_step_down(logs, lambda tests, log_p: min(0.0, math.log10(tests) + log_p))
    return [round(log_p, 6) for log_p in adjusted]


def _correct_step_down(
    values: Sequence[float], correct: Callable[[int, float], float]
) -> list[float]:
    """Correct values in ascending order, each for one test fewer than the value before.

    A corrected value is at least as large as the one before.

    Args:
        values: p or its logarithm.
        correct: function from the number of tests and a value to the corrected value.
    """
    order = _sort_positions(values)
    adjusted = [UNDEFINED] * len(values)
    largest_so_far = -math.inf
    for rank, position in enumerate(order):
        largest_so_far = max(largest_so_far, correct(len(order) - rank, values[position]))
        adjusted[position] = largest_so_far
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Correct p by Benjamini and Hochberg's step-up procedure; undefined p do not count.

    If tests with a corrected p of at most α are called discoveries, the expected share of false
    discoveries is at most α.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = _sort_positions(values)
    adjusted = [UNDEFINED] * len(values)
    smallest_so_far = 1.0
    for rank in range(len(order), 0, -1):
        position = order[rank - 1]
        smallest_so_far = min(smallest_so_far, values[position] * len(order) / rank)
        adjusted[position] = smallest_so_far
    return adjusted
