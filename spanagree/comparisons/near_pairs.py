"""One-to-one matching of segments with borders that differ by at most a tolerance."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Ints, argsort_rows


def find_near_pairs(
    a: tuple[Ints, Ints, Ints], b: tuple[Ints, Ints, Ints], t: int
) -> tuple[Ints, Ints]:
    """Find the pairs of a greatest one-to-one matching of segments within a tolerance.

    A *cell* is a document and label; segments of one annotator and cell share no tokens. Each cell
    is read from the left: a pair is taken if its segments are near, with borders that differ by at
    most t; otherwise the segment that is too far to the left is passed over. All cells are
    processed together.

    Args:
        a, b: cell, start and end of the segments of each annotator.
        t: greatest difference of starts, and of ends, in tokens.

    Returns:
        Index in A and index in B of the segments of each pair.

    >>> zero, at = np.zeros(2, int), np.array([0, 5])
    >>> [x.tolist() for x in find_near_pairs((zero, at, at + 2), (zero, at + 1, at + 3), 1)]
    [[0, 1], [0, 1]]
    """
    cells = np.intersect1d(a[0], b[0])
    orders = []
    for cell, start_difference, end_difference in (a, b):
        rows = np.flatnonzero(np.isin(cell, cells))
        # several segments may start at the same word
        orders.append(rows[argsort_rows(cell[rows], start_difference[rows], end_difference[rows])])
    (cell_a, start_a, end_a), (cell_b, start_b, end_b) = (
        [column[order] for column in columns] for columns, order in zip((a, b), orders, strict=True)
    )
    i, stop_i = np.searchsorted(cell_a, cells), np.searchsorted(cell_a, cells, "right")
    j, stop_j = np.searchsorted(cell_b, cells), np.searchsorted(cell_b, cells, "right")
    indices_a, indices_b = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    while len(i):
        start_difference, end_difference = start_a[i] - start_b[j], end_a[i] - end_b[j]
        is_near = (np.abs(start_difference) <= t) & (np.abs(end_difference) <= t)
        indices_a.append(i[is_near])
        indices_b.append(j[is_near])
        i = i + (is_near | (np.minimum(start_difference, end_difference) < -t))
        j = j + (is_near | (np.maximum(start_difference, end_difference) > t))
        is_active = (i < stop_i) & (j < stop_j)
        i, stop_i, j, stop_j = (x[is_active] for x in (i, stop_i, j, stop_j))
    return orders[0][np.concatenate(indices_a)], orders[1][np.concatenate(indices_b)]
