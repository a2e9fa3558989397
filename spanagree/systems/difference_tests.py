"""Tests of the differences of pairs of systems: jackknife, permutation, paired bootstrap.

A table has the sums of each document and run: match, expected match and size; (documents, runs,
columns). A position is the index of a run, or of a system without several runs, in such a table.
All tests resample or exchange whole documents: the sums of a document stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Progress
from spanagree.results.score import UNDEFINED, compute_f1_differences
from spanagree.uncertainty.differences import Differences, DocumentInfluence
from spanagree.uncertainty.paired_bootstrap import compute_bootstrap_p
from spanagree.uncertainty.permutation import compute_exchange_p

TESTS = {
    "jackknife": "would the difference be there on other documents like these? With intervals",
    "permutation": "could the two systems be exchanged for each other?",
    "bootstrap": "is the difference as large in resampled documents? The paired bootstrap",
}
"""The tests of a difference, by name."""

_NO_VARIATION = "p: undefined, as resamples of documents that are alike do not vary"

_Position: TypeAlias = "tuple[Sequence[int], Sequence[int]]"
"""The positions of the runs of the first system of a pair, and of the second."""


class ComparisonOptions(NamedTuple):
    """The options of all tests.

    Attributes:
        tail: probability beyond each end of all intervals together.
        n_pairs: number of pairs of systems.
        resamples: number of permutations or resamples, if the test draws any.
        seed: random seed of the draws.
        progress: callback that receives the number of finished draws and of all draws.
    """

    tail: float
    n_pairs: int
    resamples: int
    seed: int
    progress: Progress


def _test_by_jackknife(
    table: Floats, positions: Sequence[_Position], options: ComparisonOptions
) -> Iterator[Differences]:
    """Yield the test of each pair by the jackknife, which leaves out each document once."""
    influence = DocumentInfluence.from_rows(table)
    for first, second in positions:
        yield influence.compare(first, second, options.tail, options.n_pairs)


def _test_by_permutation(
    table: Floats, positions: Sequence[_Position], options: ComparisonOptions
) -> Iterator[Differences]:
    """Yield the test of each pair by permutations, which exchange the systems in documents."""
    total = table.sum(axis=0)
    for (i,), (j,) in positions:
        p, exact = compute_exchange_p(
            table[:, sorted((i, j))], options.resamples, options.seed, options.progress
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            value = compute_f1_differences(total[i], total[j])
        yield Differences(value, np.full((2, 2), UNDEFINED), p, exact, ("", ""))


def _test_by_bootstrap(
    table: Floats, positions: Sequence[_Position], options: ComparisonOptions
) -> Iterator[Differences]:
    """Yield the test of each pair by the paired bootstrap, which draws documents for all pairs."""
    n_units, n_systems, n_columns = table.shape
    first, second = ([run for (run,) in systems] for systems in zip(*positions, strict=True))

    def compute_differences(sums: Floats) -> Floats:
        """Compute the differences of each pair from flat sums: (draws, …) to (draws, 2 · pairs)."""
        by_system = sums.reshape(len(sums), n_systems, n_columns)
        differences = compute_f1_differences(by_system[:, first], by_system[:, second])
        return differences.reshape(len(sums), -1)

    flat_table = table.reshape(n_units, n_systems * n_columns)
    p_values = compute_bootstrap_p(
        flat_table, compute_differences, options.resamples, options.seed, options.progress
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        values = compute_differences(flat_table.sum(axis=0)[None])
    for value, p in zip(values.reshape(-1, 2), p_values.reshape(-1, 2), strict=True):
        observed, corrected = (
            _NO_VARIATION if does_not_vary else ""
            for does_not_vary in (np.isnan(p) & ~np.isnan(value)).tolist()
        )
        yield Differences(value, np.full((2, 2), UNDEFINED), p, False, (observed, corrected))


TEST_FUNCTIONS: Mapping[str, Callable[..., Iterator[Differences]]] = {
    "jackknife": _test_by_jackknife,
    "permutation": _test_by_permutation,
    "bootstrap": _test_by_bootstrap,
}
"""By the name of a test, the function from a table, positions and options to differences."""
