"""The paired bootstrap test of two systems (Koehn 2004; Berg-Kirkpatrick, Burkett & Klein 2012).

Documents are drawn with replacement, the same documents for both systems. With D the observed
difference and D* that of one of the B resamples, the two-sided p is centred at D, following
Berg-Kirkpatrick et al.:

    p = (1 + #{|D* − D| ≥ |D|}) / (1 + B).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from spanagree.arrays import Floats, Progress, unique_matrix_rows
from spanagree.results.score import UNDEFINED
from spanagree.uncertainty.jackknife import TIE
from spanagree.uncertainty.permutation import yield_batches


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
    for start, stop in yield_batches(resamples, len(n_equal)):
        draw_counts = rng.multinomial(len(rows), n_equal / len(rows), size=stop - start)
        yield draw_counts.astype(np.float64) @ distinct_rows


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
