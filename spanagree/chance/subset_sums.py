"""The distribution T(m, d) of the total excess d of m segments drawn at random out of K.

The *excess* of a segment is its length less one token. Segments are added one distinct excess e
after the other. If c of the n segments so far have excess e, j of m drawn segments have excess e
with a hypergeometric probability h(j; m, c, n):

    T(m, d) = Σ_j h(j; m, c, n) · T′(m − j, d − j e),

with T′ the table without these c segments. Tables are shaped (m, d).
"""

from __future__ import annotations

from math import prod

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.hypergeometric import cached_hypergeometric

_KEPT = 64  # largest number of draws of a cached table of probabilities


def subset_sums(excess: Ints, max_m: int, max_excess: int) -> Floats:
    """Compute T(m, d) for m ≤ max_m and d ≤ max_excess.

    Args:
        excess: excess of each of the K segments.
        max_m: largest number of drawn segments.
        max_excess: largest total excess.
    """
    T = np.zeros((max_m + 1, max_excess + 1))
    T[0, 0] = height = width = 1
    n_total = 0
    # start with small total excess, so the table grows as late as possible
    n_by_excess = np.bincount(excess)
    excesses_with_counts = ((e, int(n_by_excess[e])) for e in np.flatnonzero(n_by_excess).tolist())
    for e, n_of_excess in sorted(
        excesses_with_counts,
        key=lambda excess_and_count: (prod(excess_and_count), excess_and_count[0]),
    ):
        n_total += n_of_excess
        earlier = T[:height, :width].copy()
        new_height = min(height + n_of_excess, max_m + 1)
        # large tables are not cached
        look_up = (
            cached_hypergeometric if new_height <= _KEPT else cached_hypergeometric.__wrapped__
        )
        p_of_excess = look_up(new_height - 1, n_of_excess, n_total, min(n_of_excess, max_m))
        T[:height, :width] *= p_of_excess[:height, :1]
        for j in range(1, min(n_of_excess, max_m, max_excess // e) + 1):
            rows = min(height, max_m + 1 - j)
            columns = min(width, max_excess + 1 - j * e)
            T[j : j + rows, j * e : j * e + columns] += (
                p_of_excess[j : j + rows, j, None] * earlier[:rows, :columns]
            )
        height, width = new_height, min(width + n_of_excess * e, max_excess + 1)
    return T


def subset_sums_without(excesses: list[int], T: Floats, excess: Ints) -> Floats:
    """Compute T without one segment, for each excess e of the segment that is left out.

    T(m, d) = (1 − m/K) T'(m, d) + (m/K) T'(m − 1, d − e), as the segment is among the m with
    probability m/K. This is solved for T' from m = 0 upwards, which is stable up to K/2.

    Args:
        excesses: distinct excesses e of the segment that is left out.
        T: table of all K segments.
        excess: excess of each segment.

    Returns:
        Tables T'; (excesses, m, d).
    """
    K, max_m, width = len(excess), len(T) - 1, T.shape[1]
    if 2 * max_m > K:
        left_out = (np.flatnonzero(excess == e)[0] for e in excesses)
        return np.stack([subset_sums(np.delete(excess, i), max_m, width - 1) for i in left_out])
    shifted_excess = np.arange(width) - np.array(excesses)[:, None]
    shifted_excess[shifted_excess < 0] = width  # index of a column of zeros
    T_rest = np.zeros((len(excesses), max_m + 1, width + 1))
    T_rest[:, 0, :width] = T[0]
    for m in range(1, max_m + 1):
        including = np.take_along_axis(T_rest[:, m - 1], shifted_excess, axis=1)
        np.maximum(T[m] - m / K * including, 0, out=T_rest[:, m, :width])
        T_rest[:, m, :width] /= 1 - m / K
    return T_rest[:, :, :width]


def count_subsets(excess: Ints, max_m: int, max_excess: int) -> Floats:
    """Count the sets of m segments with total excess d; (m ≤ max_m, d ≤ max_excess).

    Args:
        excess: excess of each segment.
        max_m: largest number of segments.
        max_excess: largest total excess.
    """
    table = np.zeros((max_m + 1, max_excess + 1))
    table[0, 0] = height = width = 1
    for e in np.sort(excess).tolist():
        columns = min(width, max_excess + 1 - e)
        if columns <= 0:
            break
        table[1 : height + 1, e : e + columns] += table[: min(height, max_m), :columns]
        height, width = min(height + 1, max_m + 1), min(width + e, max_excess + 1)
    return table
