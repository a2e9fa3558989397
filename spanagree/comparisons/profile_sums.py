"""Inner products of start distributions P of random segments, Σ_x f(x) g(x).

A *profile* is one distinct distribution (:class:`spanagree.chance.start_distributions.Profiles`).
It is symmetric: an *edge* of varying values, the constant *middle*, and the mirrored edge. So sums
run over one edge and the middle. Arguments are arrays with one entry for each pair, and so are the
results.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, group_indices
from spanagree.chance.start_distributions import Profiles

CHUNK = 1 << 20  # elements of one temporary array


def compute_inner_products(f: Profiles, i: Ints, g: Profiles, j: Ints) -> Floats:
    """Compute Σ_x f_i(x) g_j(x) for each pair of profiles of one size.

    Both edges are equal, so one is summed and counted twice.

    Args:
        f, g: profiles.
        i, j: index in f and index in g of each pair.
    """
    width = np.maximum(f.width[i], g.width[j])
    total = np.empty(len(i))
    for rows, x in batch_by_width(width):
        is_edge = x < width[rows, None]
        edge = f.look_up(i[rows, None], x) * g.look_up(j[rows, None], x) * is_edge
        total[rows] = 2 * edge.sum(1)
    n_middle = f.size[i] - 2 * width
    return total + n_middle * f.plateau[i] * g.plateau[j]


def batch_by_width(width: Ints, elements: int = 1) -> list[tuple[Ints, Ints]]:
    """Split rows into batches of similar width, each with the positions to compute.

    The positions are 0 to a power of 2 that is at least the width of each row of the batch.

    Args:
        width: number of positions that each row needs.
        elements: number of array elements for each position.
    """
    exponent = np.frexp(np.maximum(width - 1, 0))[1]  # independent of the other rows
    batches: list[tuple[Ints, Ints]] = []
    for power, members in enumerate(group_indices(exponent, int(exponent.max(initial=-1)) + 1)):
        step = max(1, CHUNK // (elements << power))
        x = np.arange(1 << power)
        batches += [(members[first : first + step], x) for first in range(0, len(members), step)]
    return batches
