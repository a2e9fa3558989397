"""Whether one of two is worse by less than ε, from wins, losses and ties of the same instances.

In each of n instances the first wins alone, loses alone, or it is a tie. The null hypothesis is
that lone losses are likelier than lone wins by ε or more. The score test of Nam (1997) and Tango
(1998) takes ties into account, but its level is right of large samples only. Here its score orders
the results that could have been: p is the probability of those that speak as much against the null
hypothesis as the one that was found, at the share of ties that makes it greatest (Hsueh, Liu & Chen
2001). So the test holds its level whatever that share is.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints

_POINTS = 16  # shares of ties that are looked at, times n
_SMOOTH = 60  # the same, times √n; of large n enough
_WIDE = 8.0  # standard deviations, beyond which a number of ties does not count
_MORE = 40  # numbers of ties that count besides
_TOGETHER = 1 << 20  # probabilities that are computed together
_SAME = 1e-9  # scores that differ by no more are equal


def exact_p(losses: int, wins: int, instances: int, epsilon: float) -> float:
    """Return the p-value that lone losses are likelier than lone wins by less than ε.

    Args:
        losses: instances that the first lost.
        wins: those that it won.
        instances: all, ties among them.
        epsilon: by how much it may be worse, from 0 to below 1.

    >>> round(exact_p(0, 0, 30, 0.1), 4), round(0.9**30, 4)  # thirty ties
    (0.0424, 0.0424)
    """
    n = instances
    reached = float(score(np.array(losses), np.array(wins), n, epsilon))
    bounds = _most_losses(n, epsilon, reached)
    points = max(2, min(_POINTS * n, int(_SMOOTH * n**0.5)))
    angles = np.linspace(0, np.pi, points + 1)
    probable = _probability(bounds, n, epsilon, _shares(angles, epsilon))
    top = int(probable.argmax())
    near = np.linspace(angles[max(top - 1, 0)], angles[min(top + 1, points)], 41)
    finer = _probability(bounds, n, epsilon, _shares(near, epsilon))
    return min(1.0, float(max(probable[top], finer.max())))


def score(losses: Ints, wins: Ints, instances: int, epsilon: float) -> Floats:
    """Return how far lone losses less lone wins are from ε, in standard errors.

    The standard error is that under the null hypothesis with lone losses likelier by just ε.
    """
    n, ties = instances, instances - losses - wins
    # the likeliest probability x of a lone win solves 2n·x² − slope·x − wins·ε·(1 − ε) = 0
    slope = losses * (1 - epsilon) + wins * (1 - 3 * epsilon) - 2 * ties * epsilon
    x = (slope + np.sqrt(slope**2 + 8 * n * wins * epsilon * (1 - epsilon))) / (4 * n)
    variance = np.maximum(2 * x + epsilon - epsilon**2, 0) / n
    away = (losses - wins) / n - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 0, away / np.sqrt(variance), 0.0), np.float64)


def _most_losses(n: int, epsilon: float, reached: float) -> Ints:
    """Return for each number of instances without a tie the most losses that score no higher.

    It is −1 where there is none. The score rises with the losses among them.
    """
    differ = np.arange(n + 1)
    low, high = np.full(n + 1, -1), differ.copy()
    while (low < high).any():
        middle = (low + high + 1) // 2
        fits = score(middle, differ - middle, n, epsilon) <= reached + _SAME
        low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
    return low


def _shares(angles: Floats, epsilon: float) -> Floats:
    """Return shares of instances without a tie from ε to 1, closest at both ends."""
    return np.asarray(epsilon + (1 - epsilon) * (1 - np.cos(angles)) / 2, np.float64)


def _probability(bounds: Ints, n: int, epsilon: float, shares: Floats) -> Floats:
    """Return how probable a score no higher is for each share of instances without a tie."""
    from scipy.special import bdtr, gammaln, xlog1py, xlogy  # take a tenth of a second to import

    wide = int(_WIDE * (n * 0.25) ** 0.5) + _MORE
    counted = min(n + 1, 2 * wide + 1)
    total = np.empty(len(shares))
    step = max(1, _TOGETHER // counted)
    for at in range(0, len(shares), step):
        share = shares[at : at + step, None]
        first = np.clip(np.round(share * n).astype(np.int64) - wide, 0, n + 1 - counted)
        differ = first + np.arange(counted)
        chosen = gammaln(n + 1) - gammaln(differ + 1) - gammaln(n - differ + 1)
        weight = np.exp(chosen + xlogy(differ, share) + xlog1py(n - differ, -share))
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(share > 0, (share + epsilon) / (2 * share), 0.5).clip(0, 1)
        below = np.where(bounds[differ] >= 0, bdtr(bounds[differ], differ, lost), 0.0)
        total[at : at + step] = (weight * below).sum(1)
    return total
