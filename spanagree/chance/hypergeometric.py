"""How many of some segments lie to the left of another: hypergeometric distributions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from spanagree.arrays import Floats, Ints

PASCAL_ROWS = 512  # binomials up to here come from a table; its last row is near 1e153
_LEAST = 1e-250  # smaller floats may lose digits
_NEGLIGIBLE = 1e-30  # probabilities below this are left out of sums of order 1


def left_of(K: int, slots: Ints, limit: int, most: int, alone: int = 0) -> Floats:
    """Return H(m | y) at [F, y ≤ limit, m], without columns m that are negligible everywhere.

    Each is weighted with how many subsets of ``alone`` slots are among the y and have none of the
    K, as a share of the most such subsets that there may be.
    """
    H = hypergeometric(limit, K, slots - 1, min(K, most))
    free = np.arange(limit + 1)[:, None] - np.arange(H.shape[2])
    most_free = np.minimum(limit, slots - 1 - K)[:, None, None]
    for given in range(alone):
        H *= np.maximum(free - given, 0) / (most_free - given)
    greatest = H.max((0, 1))
    return H[:, :, : np.flatnonzero(greatest >= _NEGLIGIBLE * greatest.max())[-1] + 1]


def left_of_up_to_half(K: int, F: int, m: Ints) -> Floats:
    """Return H(m | y) at [m, y < F], for some m up to K/2, half of it where m is K/2.

    H(m | y) = C(y, m) C(F − 1 − y, K − m) / C(F − 1, K), from the ratios of neighbours on either
    side of each row's peak; the sum of a row is F / (K + 1).
    """
    H = np.empty((len(m), F))
    y = np.arange(F - 1.0)
    for row, left in zip(H, m.tolist(), strict=True):
        more = (y + 1) * (F - 1 - y + (left - K))
        less = (y + (1 - left)) * (F - 1 - y)
        peak = left * (F - 1) // max(K, 1)
        row[peak] = 1
        np.cumprod(np.maximum(more[peak:], 0) / less[peak:], out=row[peak + 1 :])
        np.cumprod((np.maximum(less[:peak], 0) / more[:peak])[::-1], out=row[:peak][::-1])
        row *= (0.5 if 2 * left == K else 1.0) * F / (K + 1) / row.sum()
    return H


@lru_cache(maxsize=1024)
def shares(drawn: int, special: int, total: int, most: int) -> Floats:
    """Return the same as :func:`hypergeometric` for one total; most shapes need the same few."""
    return hypergeometric(drawn, special, np.array([total]), most)[0]


def hypergeometric(drawn: int, special: int, total: Ints, most: int) -> Floats:
    """Return Pr(m of the ``special`` are among y drawn out of ``total``).

    At [total, y ≤ drawn, m ≤ most]; zero where y exceeds the total. Small tables are ratios of
    binomials. In large ones these would overflow: each m follows from the one before, and m = 0 is
    a product over the draws; where that is impossible or too small for a float, the draws are
    followed one by one. All are products and sums of positive numbers, so nothing cancels. What is
    made of a total does not depend on those beside it.
    """
    table = np.zeros((len(total), drawn + 1, most + 1))
    large = total >= PASCAL_ROWS
    for these, route in ((~large, _by_binomials), (large, _by_ratios)):
        if these.any():
            top = min(drawn, int(total[these].max()))
            table[these, : top + 1] = route(top, special, total[these], most)
    return table


def _by_binomials(drawn: int, special: int, total: Ints, most: int) -> Floats:
    """Return the table of small totals."""
    y, m, C = np.arange(drawn + 1)[:, None], np.arange(most + 1), binomials()
    rest = (total[:, None] - y.T)[:, :, None]
    table = C[y, m] * C[np.maximum(rest, 0), special - m]
    return np.where(rest >= 0, table / C[total, special][:, None, None], 0.0)


def _by_ratios(drawn: int, special: int, total: Ints, most: int) -> Floats:
    """Return the same, each m from the one before, or where that is impossible draw by draw."""
    rest, m = np.maximum(total[:, None] - np.arange(drawn), 1), np.arange(most)
    none = np.ones((len(total), drawn + 1))
    np.cumprod(np.maximum(rest - special, 0) / rest, axis=1, out=none[:, 1:])
    able = (total - special - drawn >= 0) & (none.min(axis=1) > _LEAST)
    table = np.empty((len(total), drawn + 1, most + 1))
    table[~able] = _by_draws(drawn, special, total[~able], most)
    y = np.arange(drawn + 1)[:, None]
    rest = (total[able, None] - y.T)[:, :, None]
    more = (special - m).clip(0) * (y - m).clip(0)
    less = (m + 1) * (rest - special + m + 1)
    table[able, :, 0] = none[able]
    table[able, :, 1:] = none[able, :, None] * np.cumprod(more / less, axis=2)
    return table


def _by_draws(drawn: int, special: int, total: Ints, most: int) -> Floats:
    """Return the same, one draw after the other."""
    m = np.arange(most + 1)
    table = np.zeros((len(total), drawn + 1, most + 1))
    table[:, 0, 0] = 1
    for i in range(drawn if len(total) else 0):
        left = np.maximum(total - i, 0)[:, None]
        hit = np.minimum(special - m, left) / np.maximum(left, 1)
        stay = np.maximum(left - special + m, 0) / np.maximum(left, 1)
        table[:, i + 1] = table[:, i] * stay
        table[:, i + 1, 1:] += table[:, i, :-1] * hit[:, :-1]
    return table


@lru_cache(maxsize=1)
def binomials() -> Floats:
    """Return Pascal's triangle as floats: C[n, k], 0 for k > n."""
    C = np.zeros((PASCAL_ROWS, PASCAL_ROWS))
    C[:, 0] = 1
    for n in range(1, PASCAL_ROWS):
        C[n, 1:] = C[n - 1, 1:] + C[n - 1, :-1]
    return C
