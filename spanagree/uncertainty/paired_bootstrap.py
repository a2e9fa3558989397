"""The paired bootstrap test of two systems (Koehn 2004; Berg-Kirkpatrick, Burkett & Klein 2012).

Documents are drawn with replacement, the same ones for both systems. p is the share of resamples
whose difference is off its own value by as much as that is off 0: centred, as Berg-Kirkpatrick et
al. do, and two-sided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from spanagree.arrays import Floats, Progress, distinct_rows
from spanagree.results.score import UNDEFINED
from spanagree.uncertainty.jackknife import TIE
from spanagree.uncertainty.permutation import portions


def bootstrap_p(
    rows: Floats,
    differences: Callable[[Floats], Floats],
    resamples: int,
    seed: int,
    progress: Progress = None,
) -> Floats:
    """Compute p of each difference; ``nan`` where documents do not vary; (differences,).

    Documents that add the same are drawn together, so that their order does not matter.

    Args:
        rows: what each document adds to the sums; (documents, columns).
        differences: from sums, (resamples, columns), to differences, (resamples, differences).
        resamples: number of resamples.
        seed: of the draws.
        progress: called with the number of resamples done, and of all.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = differences(rows.sum(axis=0)[None])[0]
        if len(rows) < 2:
            return np.full(len(value), UNDEFINED)
        drawn = []
        for sums in _resampled(rows, resamples, seed):
            drawn.append(differences(sums))
            if progress is not None:
                progress(sum(map(len, drawn)), resamples)
    return np.array([_centred_p(x, v) for x, v in zip(np.concatenate(drawn).T, value, strict=True)])


def _resampled(rows: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield the sums of resamples, in portions; (some, columns)."""
    unique_rows, _, times = distinct_rows(rows)
    rng = np.random.default_rng(seed)
    for low, high in portions(resamples, len(times)):
        drawn = rng.multinomial(len(rows), times / len(rows), size=high - low)
        yield drawn.astype(np.float64) @ unique_rows


def _centred_p(drawn: Floats, value: float) -> float:
    """Compute p of one difference from its resamples."""
    defined = drawn[~np.isnan(drawn)]
    same = not len(defined) or (abs(value) > TIE and np.ptp(defined) <= TIE)
    if np.isnan(value) or same:
        return UNDEFINED
    hits = int((np.abs(defined - value) >= abs(value) - TIE).sum())
    return (1 + hits) / (1 + len(defined))
