"""The paired bootstrap test of two systems (Koehn 2004; Berg-Kirkpatrick, Burkett & Klein 2012).

Documents are drawn with replacement, the same documents for both systems. With D the observed
difference and D* that of one of the B resamples, the two-sided p is centred at D, following
Berg-Kirkpatrick et al.:

    p = (1 + #{|D* − D| ≥ |D|}) / (1 + B).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from spanagree.arrays import Floats, Ints, Progress, unique_matrix_rows
from spanagree.results.score import UNDEFINED
from spanagree.uncertainty.jackknife import TIE
from spanagree.uncertainty.permutation import yield_batches

_MANY_EQUAL = 12  # documents for each distinct row from which drawing by row is faster
_NEAR = 1 << 16  # random numbers that stay in the processor's cache


def compute_bootstrap_p(
    rows: Floats,
    differences: Callable[[Floats], Floats],
    resamples: int,
    seed: int,
    progress: Progress = None,
) -> Floats:
    """Compute p of each difference, ``nan`` if the resamples do not vary; (differences,).

    Documents with equal rows are drawn together, so p does not depend on their order.

    Args:
        rows: summands of each document; (documents, columns).
        differences: function from sums, (resamples, columns), to (resamples, differences).
        resamples: number of resamples.
        seed: random seed.
        progress: callback that receives the number of finished resamples and of all resamples.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        observed_differences = differences(rows.sum(axis=0)[None])[0]
        if len(rows) < 2:
            return np.full(len(observed_differences), UNDEFINED)
        resampled_differences = []
        for resampled_sums in _yield_resampled_sums(rows, resamples, seed):
            resampled_differences.append(differences(resampled_sums))
            if progress is not None:
                progress(sum(map(len, resampled_differences)), resamples)
    return np.array(
        [
            _compute_centred_p(resampled, observed)
            for resampled, observed in zip(
                np.concatenate(resampled_differences).T, observed_differences, strict=True
            )
        ]
    )


def _yield_resampled_sums(rows: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield batches of the sums of resampled documents; (resamples of the batch, columns)."""
    distinct_rows, _, n_equal = unique_matrix_rows(rows)
    rng = np.random.default_rng(seed)
    draw = _draw_documents if len(rows) < _MANY_EQUAL * len(n_equal) else _draw_equal_rows
    for start, stop in yield_batches(resamples, len(n_equal)):
        yield draw(rng, n_equal, stop - start) @ distinct_rows


def _draw_equal_rows(rng: np.random.Generator, n_equal: Ints, resamples: int) -> Floats:
    """Draw how often each distinct row is in each resample; (resamples, distinct rows).

    Args:
        rng: random generator.
        n_equal: number of documents that have each distinct row.
        resamples: number of resamples.
    """
    n_documents = n_equal.sum()
    counts = rng.multinomial(n_documents, n_equal / n_documents, size=resamples)
    return counts.astype(np.float64)


def _draw_documents(rng: np.random.Generator, n_equal: Ints, resamples: int) -> Floats:
    """Draw the same as :func:`_draw_equal_rows` with one random number for each document."""
    n_rows = len(n_equal)
    row_of_document = np.repeat(np.arange(n_rows), n_equal)
    n_documents = len(row_of_document)
    counts = np.empty((resamples, n_rows))
    batch_size = max(1, _NEAR // n_documents)
    for start in range(0, resamples, batch_size):
        batch = counts[start : start + batch_size]
        drawn_rows = row_of_document[rng.integers(n_documents, size=(len(batch), n_documents))]
        cells = drawn_rows + n_rows * np.arange(len(batch))[:, None]
        batch[:] = np.bincount(cells.ravel(), minlength=batch.size).reshape(batch.shape)
    return counts


def _compute_centred_p(resampled: Floats, observed: float) -> float:
    """Compute the two-sided p of one observed difference from its resamples.

    It is undefined if the resampled differences do not vary.

    Args:
        resampled: difference D* in each resample.
        observed: observed difference D.
    """
    defined = resampled[~np.isnan(resampled)]
    does_not_vary = not len(defined) or (abs(observed) > TIE and np.ptp(defined) <= TIE)
    if np.isnan(observed) or does_not_vary:
        return UNDEFINED
    n_as_large = int((np.abs(defined - observed) >= abs(observed) - TIE).sum())
    return (1 + n_as_large) / (1 + len(defined))
