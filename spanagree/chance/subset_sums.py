"""How long some of many segments are together: T(m, d), of m of them that are drawn at random."""

from __future__ import annotations

from math import prod

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.hypergeometric import shares

_KEPT = 64  # draws; larger tables of shares are not kept


def subset_sums(excess: Ints, most: int, limit: int) -> Floats:
    """Return T(m, d): m of these segments, drawn at random, have the excess d; m ≤ most, d ≤ limit.

    One distinct length after the other: of m drawn from those up to now, j are of this length.
    """
    T = np.zeros((most + 1, limit + 1))
    T[0, 0] = height = width = 1
    total = 0
    # those of little excess first: so the table stays small for long
    count = np.bincount(excess)
    lengths = ((e, int(count[e])) for e in np.flatnonzero(count).tolist())
    for e, c in sorted(
        lengths, key=lambda lengths_of_one: (prod(lengths_of_one), lengths_of_one[0])
    ):
        total += c
        known = T[:height, :width].copy()
        drawn = min(height + c, most + 1)
        look_up = shares if drawn <= _KEPT else shares.__wrapped__  # large ones are not kept
        share = look_up(drawn - 1, c, total, min(c, most))
        T[:height, :width] *= share[:height, :1]
        for j in range(1, min(c, most, limit // e) + 1):
            rows = min(height, most + 1 - j)
            columns = min(width, limit + 1 - j * e)
            T[j : j + rows, j * e : j * e + columns] += (
                share[j : j + rows, j, None] * known[:rows, :columns]
            )
        height, width = drawn, min(width + c * e, limit + 1)
    return T


def without(excesses: list[int], T: Floats, excess: Ints) -> Floats:
    """Return T of all segments but one, for each of these excesses of that one.

    T(m, d) is a mean over whether that one is among the m: with weight 1 − m/K of T' (m, d) and
    with m/K of T'(m − 1, d − e). Solved for T' from m = 0 upwards; that is stable up to K/2.
    """
    K, most, width = len(excess), len(T) - 1, T.shape[1]
    if 2 * most > K:
        left_out = (np.flatnonzero(excess == e)[0] for e in excesses)
        return np.stack([subset_sums(np.delete(excess, i), most, width - 1) for i in left_out])
    before = np.arange(width) - np.array(excesses)[:, None]
    before[before < 0] = width  # a place where nothing is
    rest = np.zeros((len(excesses), most + 1, width + 1))
    rest[:, 0, :width] = T[0]
    for m in range(1, most + 1):
        with_it = np.take_along_axis(rest[:, m - 1], before, axis=1)
        np.maximum(T[m] - m / K * with_it, 0, out=rest[:, m, :width])
        rest[:, m, :width] /= 1 - m / K
    return rest[:, :, :width]


def ways(excess: Ints, most: int, limit: int) -> Floats:
    """Return in how many ways m of these segments have the excess d; m ≤ most, d ≤ limit."""
    table = np.zeros((most + 1, limit + 1))
    table[0, 0] = height = width = 1
    for e in np.sort(excess).tolist():
        columns = min(width, limit + 1 - e)
        if columns <= 0:
            break
        table[1 : height + 1, e : e + columns] += table[: min(height, most), :columns]
        height, width = min(height + 1, most + 1), min(width + e, limit + 1)
    return table
