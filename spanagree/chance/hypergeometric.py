"""Hypergeometric distributions: numbers m of K segments among y slots to the left of a segment.

    H(m | y) = C(y, m) C(N − y, K − m) / C(N, K),

the probability that m of K special elements are among y drawn out of N. Tables are shaped
(N, y ≤ max_draws, m ≤ max_m).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from spanagree.arrays import Floats, Ints

PASCAL_ROWS = 512  # number of rows of the table of binomials; its last row is near 1e153
_LEAST = 1e-250  # smallest float that keeps all digits in products
_NEGLIGIBLE = 1e-30  # relative size of probabilities that are left out of sums


def hypergeometric_left_of(
    K: int, slots: Ints, limit: int, max_m: int, n_singles: int = 0
) -> Floats:
    """Compute H(m | y), shaped (F, y ≤ limit, m); negligible last columns m are left out.

    Slots, F and y are as in :mod:`spanagree.chance.edges`.

    Args:
        K: number of segments longer than one token.
        slots: numbers of slots F; y slots are drawn out of F − 1.
        limit: largest y.
        max_m: largest m.
        n_singles: number of further segments of one token that must be among the y slots. Each
            value is weighted by the number of their positions, relative to the largest number.
    """
    H = hypergeometric(limit, K, slots - 1, min(K, max_m))
    n_free = np.arange(limit + 1)[:, None] - np.arange(H.shape[2])
    max_free = np.minimum(limit, slots - 1 - K)[:, None, None]
    for n_earlier in range(n_singles):
        H *= np.maximum(n_free - n_earlier, 0) / (max_free - n_earlier)
    greatest = H.max((0, 1))
    return H[:, :, : np.flatnonzero(greatest >= _NEGLIGIBLE * greatest.max())[-1] + 1]


def hypergeometric_up_to_half(K: int, F: int, m: Ints) -> Floats:
    """Compute H(m | y) for m up to K/2 and all y < F, shaped (m, y).

    H(m | y) = C(y, m) C(F − 1 − y, K − m) / C(F − 1, K) is computed from the ratios of neighbouring
    values on both sides of the peak of each row, which sums to F / (K + 1). Values for m = K/2 are
    halved, because the caller adds the mirror image.

    Args:
        K: number of segments longer than one token.
        F: number of slots.
        m: numbers of segments to the left.
    """
    H = np.empty((len(m), F))
    y = np.arange(F - 1.0)
    for row, m_left in zip(H, m.tolist(), strict=True):
        rise = (y + 1) * (F - 1 - y + (m_left - K))
        fall = (y + (1 - m_left)) * (F - 1 - y)
        peak = m_left * (F - 1) // max(K, 1)
        row[peak] = 1
        np.cumprod(np.maximum(rise[peak:], 0) / fall[peak:], out=row[peak + 1 :])
        np.cumprod((np.maximum(fall[:peak], 0) / rise[:peak])[::-1], out=row[:peak][::-1])
        row *= (0.5 if 2 * m_left == K else 1.0) * F / (K + 1) / row.sum()
    return H


@lru_cache(maxsize=1024)
def cached_hypergeometric(max_draws: int, n_special: int, total: int, max_m: int) -> Floats:
    """Compute :func:`hypergeometric` for one total, shaped (y, m), and cache it."""
    return hypergeometric(max_draws, n_special, np.array([total]), max_m)[0]


def hypergeometric(max_draws: int, n_special: int, total: Ints, max_m: int) -> Floats:
    """Compute the probability of m special elements among y drawn out of a total.

    Small tables are ratios of binomials. For large totals these would overflow, so each m follows
    from m − 1, and m = 0 is a product over the draws. If this product is 0 or too small for a
    float, the draws are followed one by one. All are products and sums of positive numbers, so
    nothing cancels. The table of a total does not depend on the other totals.

    Args:
        max_draws: largest number y of draws.
        n_special: number of special elements.
        total: numbers of elements; (N,).
        max_m: largest number m of special elements that are drawn.

    Returns:
        Probabilities, (N, y ≤ max_draws, m ≤ max_m); 0 if y exceeds the total.
    """
    table = np.zeros((len(total), max_draws + 1, max_m + 1))
    large = total >= PASCAL_ROWS
    for is_of_route, route in ((~large, _compute_by_binomials), (large, _compute_by_ratios)):
        if is_of_route.any():
            max_y = min(max_draws, int(total[is_of_route].max()))
            table[is_of_route, : max_y + 1] = route(max_y, n_special, total[is_of_route], max_m)
    return table


def _compute_by_binomials(max_draws: int, n_special: int, total: Ints, max_m: int) -> Floats:
    """Compute the table of :func:`hypergeometric` for small totals, by binomials.

    It has the same arguments and result.
    """
    y, m, C = np.arange(max_draws + 1)[:, None], np.arange(max_m + 1), compute_binomials()
    n_undrawn = (total[:, None] - y.T)[:, :, None]
    table = C[y, m] * C[np.maximum(n_undrawn, 0), n_special - m]
    return np.where(n_undrawn >= 0, table / C[total, n_special][:, None, None], 0.0)


def _compute_by_ratios(max_draws: int, n_special: int, total: Ints, max_m: int) -> Floats:
    """Compute the table of :func:`hypergeometric` for large totals, each m from m − 1.

    It has the same arguments and result. Rows y in which m = 0 is too improbable for a float, which
    are the last ones, are computed draw by draw.
    """
    n_remaining, m = np.maximum(total[:, None] - np.arange(max_draws), 1), np.arange(max_m)
    p_zero = np.ones((len(total), max_draws + 1))
    np.cumprod(np.maximum(n_remaining - n_special, 0) / n_remaining, axis=1, out=p_zero[:, 1:])
    y = np.arange(max_draws + 1)[:, None]
    n_undrawn = (total[:, None] - y.T)[:, :, None]
    rise = (n_special - m).clip(0) * (y - m).clip(0)
    fall = (m + 1) * (n_undrawn - n_special + m + 1)
    is_by_ratios = (p_zero > _LEAST) & (total[:, None] >= y.T)
    ratio = np.divide(rise, fall, out=np.zeros(fall.shape), where=is_by_ratios[:, :, None])
    table = np.empty((len(total), max_draws + 1, max_m + 1))
    table[:, :, 0] = p_zero
    table[:, :, 1:] = p_zero[:, :, None] * np.cumprod(ratio, axis=2)
    _follow_draws(table, is_by_ratios.sum(axis=1), n_special, total)
    return table


def _follow_draws(table: Floats, first_row: Ints, n_special: int, total: Ints) -> None:
    """Compute the last rows of each table from the rows before them, by one more draw, in place.

    Args:
        table: probabilities of each total; (N, y, m).
        first_row: first row to compute, of each total; (N,).
        n_special: number of special elements.
        total: numbers of elements; (N,).
    """
    m = np.arange(table.shape[2])
    for y in range(int(first_row.min()), table.shape[1]):
        follows = first_row <= y
        n_remaining = np.maximum(total[follows] - y + 1, 0)[:, None]
        p_special = np.minimum(n_special - m, n_remaining) / np.maximum(n_remaining, 1)
        p_other = np.maximum(n_remaining - n_special + m, 0) / np.maximum(n_remaining, 1)
        before = table[follows, y - 1]
        after = before * p_other
        after[:, 1:] += before[:, :-1] * p_special[:, :-1]
        table[follows, y] = after


@lru_cache(maxsize=1)
def compute_binomials() -> Floats:
    """Compute Pascal's triangle as floats C[n, k], with 0 for k > n."""
    C = np.zeros((PASCAL_ROWS, PASCAL_ROWS))
    C[:, 0] = 1
    for n in range(1, PASCAL_ROWS):
        C[n, 1:] = C[n - 1, 1:] + C[n - 1, :-1]
    return C
