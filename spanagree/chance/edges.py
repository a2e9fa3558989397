"""The edges of start distributions: sums over the segments to the left of a segment.

Eq. 1 of Li et al. 2024 (*Chance*) sums over all sets of other segments; see
:mod:`spanagree.chance.start_distributions`. Here, sets of equal size m and length are counted
together. The *excess* of a segment is its length less one token. Shrink every segment to one token:
the k segments of the document, with a tokens out of n, occupy k of F = n − a + k *slots*. A segment
in slot y, with m longer segments of total excess d to its left, starts at x = y + d::

    P(x) = 1/F · Σ_y Σ_m H(m | y) · T(m, x − y)

    H(m | y)  probability that m of the K segments longer than one token are in the y slots to the
              left (hypergeometric: y slots drawn out of the F − 1 others)
    T(m, d)   probability that m segments drawn at random out of these K have the total excess d

Every factor is a probability and every term is positive, so there is neither overflow nor
cancellation. P depends on the segment only through F and the excesses of the *other* segments. It
is symmetric, and constant for D ≤ x ≤ F − 1, with D the excess of all others (Prop. 3). The
constant is its *plateau*, and the values before it are its *edge*. In long documents, the edge
converges to the constant long before D. So a distribution is stored as one edge and one constant
(:class:`spanagree.chance.start_distributions.Profiles`).

Tables are shaped (F, y, m) for H, (m, d) for T, and (F, x) for P.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.hypergeometric import hypergeometric_left_of
from spanagree.chance.subset_sums import subset_sums

FIRST_EDGE = 64  # largest number of tokens of an edge that is summed directly
CHUNK = 1 << 22  # number of elements of one temporary array
_FOURIER = 256  # largest number of tokens of an edge that is summed without Fourier transforms


def compute_short_edges(excess: Ints, slots: Ints) -> list[Floats]:
    """Compute the edge of P, followed by its plateau, for each number of slots F.

    Args:
        excess: excess of each of the K other segments that are longer than one token.
        slots: numbers of slots F.
    """
    widths = compute_edge_width(int(excess.sum()), slots)
    max_width = int(widths.max())
    edges_with_plateau: list[Floats] = []
    batch_size = max(1, CHUNK // (max_width + 1) ** 2)
    for first_row in range(0, len(slots), batch_size):
        K = len(excess)
        H = hypergeometric_left_of(
            K,
            slots[first_row : first_row + batch_size],
            max_width,
            count_max_segments_left_of(excess, max_width),
        )
        P = convolve_starts(
            H,
            subset_sums(excess, H.shape[2] - 1, max_width),
            slots[first_row : first_row + batch_size],
        )
        edges_with_plateau += [
            p[: w + 1] for p, w in zip(P, widths[first_row : first_row + batch_size], strict=True)
        ]
    return edges_with_plateau


def compute_edge_width(D: int, slots: Ints | int) -> Ints:
    """Compute the number of positions of an edge by Prop. 3, limited to half of P.

    Args:
        D: total excess of the other segments.
        slots: numbers of slots F.
    """
    return np.minimum(D, (slots + D) // 2)


def count_max_segments_left_of(excess: Ints, limit: int) -> int:
    """Count the most segments longer than one token that fit left of ``limit``.

    Args:
        excess: excess of each segment, sorted.
    """
    shortest = excess[: limit // 2 + 1]  # a segment longer than one token takes two tokens or more
    return int(np.searchsorted(np.cumsum(shortest + 1), limit, side="right"))


def convolve_starts(H: Floats, T: Floats, slots: Ints) -> Floats:
    """Compute P(x) for x below the width of T, by convolutions of H(m | ·) with T(m, ·).

    Short sums are computed directly, long ones by Fourier transforms, with an error of 1e-16 of the
    largest value.

    Args:
        H: H(m | y); (F, y, m).
        T: T(m, d), (m, d); or one table for each row of P, (rows, m, d).
        slots: numbers of slots F.

    Returns:
        P; a row for each F, or for each table T.
    """
    height, n_rows = T.shape[-1], max(len(H), len(T) if T.ndim > 2 else 1)
    if height > _FOURIER:
        from scipy.fft import irfft, next_fast_len, rfft  # lazy: only long documents need it

        size = next_fast_len(2 * height, real=True)
        T_transformed = rfft(T, size)
        convolutions = [(rfft(h[:height].T, size) * T_transformed).sum(-2) for h in H]
        P = np.maximum(irfft(np.vstack(convolutions), size)[:, :height], 0)
    else:
        P = np.zeros((n_rows, height))
        batch_size = max(1, CHUNK // (2 * n_rows * height))
        for y in range(0, height, batch_size):  # batches of slots, to save memory
            table = H[:, y : y + batch_size] @ T[..., : height - y]  # sum over m; (F or T, slot, d)
            P[:, y:] += _sum_antidiagonals(table)
    return P / slots[:, None]


def _sum_antidiagonals(table: Floats) -> Floats:
    """Compute Σ_y table[f, y, x − y] for x below the width of the table; (f, x)."""
    rows, height, width = table.shape
    padded = np.zeros((rows, height, width + height))
    padded[:, :, :width] = table
    skewed = padded.reshape(rows, -1)[:, : height * (width + height - 1)]
    return skewed.reshape(rows, height, -1).sum(1)[:, :width]
