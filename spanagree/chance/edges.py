"""The edges of start distributions: sums over the segments that may lie to the left of one.

Li et al. 2024 (*Chance*), Eq. 1, sums over all sets of other segments, as
:mod:`spanagree.chance.start_distributions` has it. Sets of equal size m and length are counted
together here. Shrink every segment to one token: the k segments lie in k of F = n − a + k slots. A
segment in slot y, with m longer segments of total excess d = Σ(aⱼ − 1) to its left, starts at
x = y + d::

    P(x) = 1/F · Σ_y Σ_m H(m | y) · T(m, x − y)

    H(m | y)  m of the K segments longer than one token lie in the y slots to the left
              (hypergeometric: y slots drawn out of the F − 1 others)
    T(m, d)   m segments drawn at random out of these K have the total excess d

Every factor is a probability and every term is positive, so nothing overflows and nothing cancels.
P depends on i only through F and the excesses of the *other* segments, it is symmetric, and it is
constant for D ≤ x ≤ F − 1, D the excess of all others (Prop. 3). Further in than that edge it is
also constant to the last digit once the edge has converged, which in long documents happens long
before D; so a distribution is kept as one edge and one constant
(:class:`spanagree.chance.start_distributions.Profiles`).
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.hypergeometric import left_of
from spanagree.chance.subset_sums import subset_sums

FIRST_EDGE = 64  # tokens; an edge of up to so many is summed as it stands
CHUNK = 1 << 22  # elements of one temporary array
_FOURIER = 256  # edges longer than this are summed by Fourier transforms


def short_edges(excess: Ints, slots: Ints) -> list[Floats]:
    """Return for each F in ``slots`` the edge of P with its plateau.

    ``excess`` is that of the K longer others.
    """
    widths = whole_edge(int(excess.sum()), slots)
    limit = int(widths.max())
    edges: list[Floats] = []
    step = max(1, CHUNK // (limit + 1) ** 2)
    for at in range(0, len(slots), step):
        K = len(excess)
        H = left_of(K, slots[at : at + step], limit, most_left_of(excess, limit))
        P = starts(H, subset_sums(excess, H.shape[2] - 1, limit), slots[at : at + step])
        edges += [p[: w + 1] for p, w in zip(P, widths[at : at + step], strict=True)]
    return edges


def whole_edge(D: int, slots: Ints | int) -> Ints:
    """Return the width of an edge by Prop. 3, or up to the middle where the two edges meet."""
    return np.minimum(D, (slots + D) // 2)


def most_left_of(excess: Ints, limit: int) -> int:
    """Return how many longer segments fit left of ``limit``: the shortest, each with its slot."""
    some = excess[: limit // 2 + 1]  # no segment longer than a token has room in less than two
    return int(np.searchsorted(np.cumsum(some + 1), limit, side="right"))


def starts(H: Floats, T: Floats, slots: Ints) -> Floats:
    """Return P(x) for x below the width of T, a row for each F in ``slots``, or for each of many T.

    Σ_m of the convolutions of H(m | ·) with T(m, ·): summed as they stand where that is little
    work, by Fourier transforms, which err by 1e-16 of the greatest value, where it is much.
    """
    height, count = T.shape[-1], max(len(H), len(T) if T.ndim > 2 else 1)
    if height > _FOURIER:
        from scipy.fft import irfft, next_fast_len, rfft  # lazy: only long documents need it

        size = next_fast_len(2 * height, real=True)
        both = rfft(T, size)
        of_each = [(rfft(h[:height].T, size) * both).sum(-2) for h in H]
        P = np.maximum(irfft(np.vstack(of_each), size)[:, :height], 0)
    else:
        P = np.zeros((count, height))
        step = max(1, CHUNK // (2 * count * height))
        for y in range(0, height, step):  # slots in portions, for memory
            table = H[:, y : y + step] @ T[..., : height - y]  # Σ_m, at [F or T, slot, d]
            P[:, y:] += _sum_antidiagonals(table)
    return P / slots[:, None]


def _sum_antidiagonals(table: Floats) -> Floats:
    """Return Σ of table[f, y, x − y] over y, for x below the table's width."""
    rows, height, width = table.shape
    padded = np.zeros((rows, height, width + height))
    padded[:, :, :width] = table
    skewed = padded.reshape(rows, -1)[:, : height * (width + height - 1)]
    return skewed.reshape(rows, height, -1).sum(1)[:, :width]
