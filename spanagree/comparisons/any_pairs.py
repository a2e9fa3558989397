"""One-to-one matches of segments that may overlap others of their layer, without chance.

Where segments of a layer are disjoint, a greatest matching follows from left to right. Here it is
an assignment problem (Kuhn 1955), one for each group of segments that are connected by pairs.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges


def all_near_pairs(
    a: tuple[Ints, Ints, Ints], b: tuple[Ints, Ints, Ints], t: int
) -> tuple[Ints, Ints]:
    """Return all pairs of segments whose starts, and whose ends, differ by at most so many tokens.

    Args:
        a, b: cell, start and end of each segment of either side.
        t: the greatest difference.

    >>> zero, at = np.zeros(2, np.int64), np.array([0, 1])
    >>> [x.tolist() for x in all_near_pairs((zero, at, at + 3), (zero, at, at + 3), 1)]
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    stretch = max(int(start.max(initial=0)) for _, start, _ in (a, b)) + t + 1
    at_a, at_b = (cell * stretch + start for cell, start, _ in (a, b))
    order = np.argsort(at_b, kind="stable")
    low = np.searchsorted(at_b[order], at_a - t)
    place, i = expand_ranges(low, np.searchsorted(at_b[order], at_a + t, "right"))
    j = order[place]
    is_near = (a[0][i] == b[0][j]) & (np.abs(a[2][i] - b[2][j]) <= t)
    return i[is_near], j[is_near]


def greatest_matching(i: Ints, j: Ints, value: Ints | Floats, n_first: int, n_second: int) -> Bools:
    """Mask the pairs of a one-to-one matching with the greatest total.

    Args:
        i, j: numbers of the two segments of each pair.
        value: φ of each pair; of 0, a pair is not taken.
        n_first, n_second: number of segments of either side.

    >>> first, second = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> greatest_matching(first, second, np.array([1.0, 0.5, 0.5]), 2, 2).tolist()
    [True, False, False]
    >>> greatest_matching(first, second, np.array([1, 1, 1]), 2, 2).tolist()
    [False, True, True]
    """
    from scipy.optimize import linear_sum_assignment  # takes a while to load
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    taken: Bools = value > 0
    rest = np.flatnonzero(taken)
    is_alone = (np.bincount(i[rest], minlength=n_first)[i[rest]] == 1) & (
        np.bincount(j[rest], minlength=n_second)[j[rest]] == 1
    )
    rest = rest[~is_alone]
    if not len(rest):
        return taken
    taken[rest] = False
    size = n_first + n_second
    graph = coo_array((np.ones(len(rest)), (i[rest], n_first + j[rest])), (size, size))
    _, group = connected_components(graph, directed=False)
    rest = rest[np.argsort(group[i[rest]], kind="stable")]
    for pairs in np.split(rest, np.flatnonzero(np.diff(group[i[rest]])) + 1):
        rows, row = np.unique(i[pairs], return_inverse=True)
        columns, column = np.unique(j[pairs], return_inverse=True)
        similarity = np.zeros((len(rows), len(columns)))
        number = np.full(similarity.shape, -1)
        similarity[row, column], number[row, column] = value[pairs], pairs
        chosen = number[linear_sum_assignment(similarity, maximize=True)]
        taken[chosen[chosen >= 0]] = True
    return taken
