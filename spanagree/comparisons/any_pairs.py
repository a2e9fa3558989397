"""One-to-one matches of segments that may overlap others of their layer, without chance.

If the segments of each layer are disjoint, a greatest matching is found from left to right. Here it
is an assignment problem (Kuhn 1955): maximize Σ φ over one-to-one matchings. Segments that are
connected by pairs with φ > 0, directly or through other segments, form a *group*, and each group is
solved separately. A *cell* is a document and label. Arrays have one entry for each segment or pair.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges


def find_all_near_pairs(
    a: tuple[Ints, Ints, Ints], b: tuple[Ints, Ints, Ints], t: int
) -> tuple[Ints, Ints]:
    """Find all pairs of segments with starts and ends that differ by at most t.

    Only segments of the same cell are paired.

    Args:
        a, b: cell, start and end of the segments of each annotator.
        t: greatest difference, in tokens.

    Returns:
        Index in A and index in B of the segments of each pair.

    >>> zero, at = np.zeros(2, np.int64), np.array([0, 1])
    >>> [x.tolist() for x in find_all_near_pairs((zero, at, at + 3), (zero, at, at + 3), 1)]
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    cell_width = max(int(start.max(initial=0)) for _, start, _ in (a, b)) + t + 1
    line_a, line_b = (cell * cell_width + start for cell, start, _ in (a, b))
    order = np.argsort(line_b, kind="stable")
    low = np.searchsorted(line_b[order], line_a - t)
    position, i = expand_ranges(low, np.searchsorted(line_b[order], line_a + t, "right"))
    j = order[position]
    is_near = (a[0][i] == b[0][j]) & (np.abs(a[2][i] - b[2][j]) <= t)
    return i[is_near], j[is_near]


def find_greatest_matching(
    i: Ints, j: Ints, value: Ints | Floats, n_first: int, n_second: int
) -> Bools:
    """Mask the pairs of a one-to-one matching with the greatest total.

    Args:
        i, j: indices of the two segments of each pair.
        value: φ of each pair; a pair with 0 is never taken.
        n_first, n_second: number of segments of each annotator.

    >>> first, second = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> find_greatest_matching(first, second, np.array([1.0, 0.5, 0.5]), 2, 2).tolist()
    [True, False, False]
    >>> find_greatest_matching(first, second, np.array([1, 1, 1]), 2, 2).tolist()
    [False, True, True]
    """
    from scipy.optimize import linear_sum_assignment  # takes a while to load
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    is_matched: Bools = value > 0
    pair = np.flatnonzero(is_matched)
    has_no_rival = (np.bincount(i[pair], minlength=n_first)[i[pair]] == 1) & (
        np.bincount(j[pair], minlength=n_second)[j[pair]] == 1
    )
    pair = pair[~has_no_rival]
    if not len(pair):
        return is_matched
    is_matched[pair] = False
    size = n_first + n_second
    graph = coo_array((np.ones(len(pair)), (i[pair], n_first + j[pair])), (size, size))
    _, group = connected_components(graph, directed=False)
    pair = pair[np.argsort(group[i[pair]], kind="stable")]
    for group_pairs in np.split(pair, np.flatnonzero(np.diff(group[i[pair]])) + 1):
        rows, row = np.unique(i[group_pairs], return_inverse=True)
        columns, column = np.unique(j[group_pairs], return_inverse=True)
        similarity = np.zeros((len(rows), len(columns)))
        pair_at = np.full(similarity.shape, -1)
        similarity[row, column], pair_at[row, column] = value[group_pairs], group_pairs
        chosen_pairs = pair_at[linear_sum_assignment(similarity, maximize=True)]
        is_matched[chosen_pairs[chosen_pairs >= 0]] = True
    return is_matched
