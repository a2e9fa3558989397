"""One-to-one matches within a tolerance: which segments are paired."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Ints, row_order


def near_pairs(a: tuple[Ints, Ints, Ints], b: tuple[Ints, Ints, Ints], t: int) -> tuple[Ints, Ints]:
    """Return the pairs of a greatest one-to-one matching of segments that are near, by number.

    Segments of one side and cell share no tokens. All cells are read at once, from the left.

    Args:
        a, b: cell, start and end of each segment of either side.
        t: by how many tokens starts may differ, and ends.

    >>> zero, at = np.zeros(2, int), np.array([0, 5])
    >>> [x.tolist() for x in near_pairs((zero, at, at + 2), (zero, at + 1, at + 3), 1)]
    [[0, 1], [0, 1]]
    """
    cells = np.intersect1d(a[0], b[0])
    orders = []
    for cell, start, end in (a, b):
        rows = np.flatnonzero(np.isin(cell, cells))
        # in words several may begin alike
        orders.append(rows[row_order(cell[rows], start[rows], end[rows])])
    (cell_a, start_a, end_a), (cell_b, start_b, end_b) = (
        [column[order] for column in side] for side, order in zip((a, b), orders, strict=True)
    )
    i, last_i = np.searchsorted(cell_a, cells), np.searchsorted(cell_a, cells, "right")
    j, last_j = np.searchsorted(cell_b, cells), np.searchsorted(cell_b, cells, "right")
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    while len(i):
        start, end = start_a[i] - start_b[j], end_a[i] - end_b[j]
        near = (np.abs(start) <= t) & (np.abs(end) <= t)
        firsts.append(i[near])
        seconds.append(j[near])
        i = i + (near | (np.minimum(start, end) < -t))
        j = j + (near | (np.maximum(start, end) > t))
        left = (i < last_i) & (j < last_j)
        i, last_i, j, last_j = (x[left] for x in (i, last_i, j, last_j))
    return orders[0][np.concatenate(firsts)], orders[1][np.concatenate(seconds)]
