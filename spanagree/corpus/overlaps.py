"""Find segments that share tokens with another one beside them."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Ints, row_order


def overlapping(cell: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the segments that share tokens with an earlier one of their cell, and those earlier.

    Segments come in the order of cell and start, the longest first. Of all that are earlier in
    the cell, the one is given that reaches furthest. Cells are numbered from 0.

    >>> cell, start, end = np.array([0, 0, 0, 1]), np.array([0, 4, 2, 3]), np.array([3, 6, 3, 9])
    >>> [x.tolist() for x in overlapping(cell, start, end)]
    [[2], [0]]
    """
    count = len(start)
    if count < 2:
        return np.zeros((2, 0), np.int64)[0], np.zeros(0, np.int64)
    cell = np.asarray(cell, np.int64)  # of fewer bits in what a reader gives
    bounds = np.concatenate((start, end), dtype=np.int64)
    if (int(np.abs(bounds).max()) + 1) * (int(cell.max()) + 1) >= 2**61:
        bounds = np.unique(bounds, return_inverse=True)[1].reshape(-1)  # as ranks they fit
    bounds = bounds - bounds.min()
    order = row_order(cell, bounds[:count], -bounds[count:])
    # every cell has a stretch of its own on one long line
    line = np.tile(cell * (bounds.max() + 1), 2) + bounds
    first, last = line[:count][order], line[count:][order]
    reach = np.maximum.accumulate(last)
    later = np.flatnonzero(first[1:] < reach[:-1]) + 1
    furthest = np.maximum.accumulate(np.where(last == reach, np.arange(count), 0))
    return order[later], order[furthest[later - 1]]
