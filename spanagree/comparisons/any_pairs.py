"""One-to-one matches of segments that may overlap others of their layer, without chance.

Where segments of a layer are disjoint, a greatest matching follows from left to right. Here it is
an assignment problem (Kuhn 1955), one for each group of segments that are connected by pairs.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from spanagree.arrays import Bools, Floats, Ints, ranges
from spanagree.comparisons.measures import Match
from spanagree.comparisons.observed import equal_pairs, overlapping_pairs
from spanagree.corpus.segments import Layer


def pairs_of_any(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Match
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return the pairs of a matching with the greatest Σ φ, by their numbers, and φ of each.

    Args:
        a, b: segments of either annotator.
        cell_a, cell_b: cell of each segment; only those of one cell are paired.
        measure: measure in which each segment is in one pair at most.

    >>> seen, zero = np.array([True]), np.zeros(2, np.int64)
    >>> a = Layer(zero, np.array([0, 0]), np.array([6, 2]), zero, seen)
    >>> b = Layer(zero[:1], zero[:1], np.array([2]), zero[:1], seen)
    >>> from spanagree.comparisons.measures import find_match
    >>> [x.tolist() for x in pairs_of_any(a, b, zero, zero[:1], find_match("partial"))]
    [[1], [0], [1.0]]
    """
    i, j, value = _similar(a, b, cell_a, cell_b, measure)
    able = value > 0
    i, j, value = i[able], j[able], value[able]
    taken = _greatest_matching(i, j, value, len(a), len(b))
    return i[taken], j[taken], value[taken]


def _similar(
    a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, measure: Match
) -> tuple[Ints, Ints, Ints | Floats]:
    """Return all pairs that the measure may match, and φ of each."""
    if a.shape.any() or b.shape.any():
        from spanagree.comparisons.observed import similar_in_pieces  # most have one piece

        return similar_in_pieces(a, b, cell_a, cell_b, measure)
    if measure.kernel == "near":
        i, j = _near(a, b, cell_a, cell_b, measure.within)
    else:
        pairs = equal_pairs if measure.kernel == "equal" else overlapping_pairs
        i, j = pairs(a, b, cell_a, cell_b)
    value = measure.phi(b.start[j] - a.start[i], a.end[i] - a.start[i], b.end[j] - b.start[j])
    return i, j, value


def _near(a: Layer, b: Layer, cell_a: Ints, cell_b: Ints, t: int) -> tuple[Ints, Ints]:
    """Return all pairs whose starts differ by at most so many tokens."""
    stretch = max(int(a.start.max(initial=0)), int(b.start.max(initial=0))) + t + 1
    at_a, at_b = cell_a * stretch + a.start, cell_b * stretch + b.start
    order = np.argsort(at_b, kind="stable")
    j, i = ranges(
        np.searchsorted(at_b[order], at_a - t), np.searchsorted(at_b[order], at_a + t, "right")
    )
    return i, order[j]


def _greatest_matching(
    i: Ints, j: Ints, value: Ints | Floats, n_first: int, n_second: int
) -> Bools:
    """Mask the pairs of a one-to-one matching with the greatest total."""
    alone = (np.bincount(i, minlength=n_first)[i] == 1) & (
        np.bincount(j, minlength=n_second)[j] == 1
    )
    taken: Bools = alone.copy()
    rest = np.flatnonzero(~alone)
    if not len(rest):
        return taken
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
