"""Tests of lone losses against lone wins, as if an annotator could be replaced at a cost of ε.

Among n instances the candidate has L lone losses and W lone wins; the others are ties. The null
hypothesis is E[(L − W) / n] ≥ ε. The exact test holds for any share of ties; the t-test is the
published one, which is wrong if ties are common.
"""

from __future__ import annotations

import math

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.uncertainty.permutation import benjamini_hochberg, yield_batches

_POINTS = 16  # steps of the grid of shares of ties, times n
_SMOOTH = 60  # the same, times √n, for large n
_WIDE = 8.0  # counts of ties farther from the mean, in standard deviations, are dropped
_MORE = 40  # counts of ties that are kept beyond this
_SAME = 1e-9  # largest difference of equal scores


def compute_exact_p(losses: int, wins: int, instances: int, epsilon: float) -> float:
    """Compute the exact p-value of the null hypothesis E[(L − W) / n] ≥ ε.

    L is the number of lone losses and W of lone wins. A possible result is a pair (L, W). Results
    are ordered by the score statistic of Nam (1997) and Tango (1998), see :func:`compute_score`;
    its normal approximation holds only for large samples, and is not used. Instead, p is the
    probability of all results with a score no higher than the observed score. It depends on the
    unknown share of ties, so p is its maximum over this share (Hsueh, Liu & Chen 2001). The test
    therefore keeps its level for each share of ties.

    Args:
        losses: number L of instances that the candidate lost alone.
        wins: number W of instances that the candidate won alone.
        instances: number n of all instances, including ties.
        epsilon: largest tolerated difference ε, from 0 to below 1.

    >>> round(compute_exact_p(0, 0, 30, 0.1), 4), round(0.9**30, 4)  # thirty ties
    (0.0424, 0.0424)
    """
    n = instances
    observed_score = float(compute_score(np.array(losses), np.array(wins), n, epsilon))
    most_losses = _find_most_losses(n, epsilon, observed_score)

    def compute_probabilities(angles: Floats) -> Floats:
        """Compute the probability at shares of decided instances from ε to 1, for angles to π."""
        shares = epsilon + (1 - epsilon) * (1 - np.cos(angles)) / 2  # densest at both ends
        return _compute_probability(most_losses, n, epsilon, shares)

    n_steps = max(2, min(_POINTS * n, int(_SMOOTH * n**0.5)))
    angles = np.linspace(0, np.pi, n_steps + 1)
    probabilities = compute_probabilities(angles)
    top_index = int(probabilities.argmax())
    near_angles = np.linspace(
        angles[max(top_index - 1, 0)], angles[min(top_index + 1, n_steps)], 41
    )
    near_probabilities = compute_probabilities(near_angles)
    return min(1.0, float(max(probabilities[top_index], near_probabilities.max())))


def compute_score(losses: Ints, wins: Ints, instances: int, epsilon: float) -> Floats:
    """Compute the score statistic ((L − W) / n − ε) / standard error, for L losses and W wins.

    The standard error holds if the expected difference is exactly ε. The arrays ``losses`` and
    ``wins`` have one shape, which the result has too; ``instances`` is n.
    """
    n, ties = instances, instances - losses - wins
    # the likeliest probability x of a lone win solves 2n·x² − slope·x − wins·ε·(1 − ε) = 0
    slope = losses * (1 - epsilon) + wins * (1 - 3 * epsilon) - 2 * ties * epsilon
    x = (slope + np.sqrt(slope**2 + 8 * n * wins * epsilon * (1 - epsilon))) / (4 * n)
    variance = np.maximum(2 * x + epsilon - epsilon**2, 0) / n
    excess = (losses - wins) / n - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 0, excess / np.sqrt(variance), 0.0), np.float64)


def _find_most_losses(n: int, epsilon: float, observed_score: float) -> Ints:
    """Find the largest number of losses with a score no higher than the observed score.

    The score increases with the losses, so the search is binary.

    Args:
        n: number of instances.
        epsilon: largest tolerated difference ε.
        observed_score: score of the observed losses and wins.

    Returns:
        Number of losses for each number of instances without a tie, from 0 to n: (n + 1,). It is
        −1 if the score is higher for any number of losses.
    """
    n_decided = np.arange(n + 1)
    low, high = np.full(n + 1, -1), n_decided.copy()
    while (low < high).any():
        losses = (low + high + 1) // 2
        is_allowed = compute_score(losses, n_decided - losses, n, epsilon) <= observed_score + _SAME
        low, high = np.where(is_allowed, losses, low), np.where(is_allowed, high, losses - 1)
    return low


def _compute_probability(most_losses: Ints, n: int, epsilon: float, shares: Floats) -> Floats:
    """Compute the probability that a random score is at most as large as the observed score.

    Args:
        most_losses: largest number of losses with such a score, by number of instances without a
            tie, from :func:`_find_most_losses`.
        n: number of instances.
        epsilon: ε, the probability of a loss minus the probability of a win.
        shares: values of the probability that an instance is not a tie.

    Returns:
        Probability of such a score for each value in ``shares``.
    """
    from scipy.special import bdtr, gammaln, xlog1py, xlogy  # take a tenth of a second to import

    half_width = int(_WIDE * (n * 0.25) ** 0.5) + _MORE
    n_counts = min(n + 1, 2 * half_width + 1)
    probabilities = np.empty(len(shares))
    for start, stop in yield_batches(len(shares), n_counts):
        share = shares[start:stop, None]
        first_count = np.clip(
            np.round(share * n).astype(np.int64) - half_width, 0, n + 1 - n_counts
        )
        n_decided = first_count + np.arange(n_counts)
        log_combinations = gammaln(n + 1) - gammaln(n_decided + 1) - gammaln(n - n_decided + 1)
        probability_of_count = np.exp(
            log_combinations + xlogy(n_decided, share) + xlog1py(n - n_decided, -share)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            loss_probability = np.where(share > 0, (share + epsilon) / (2 * share), 0.5).clip(0, 1)
        probability_below = np.where(
            most_losses[n_decided] >= 0,
            bdtr(most_losses[n_decided], n_decided, loss_probability),
            0.0,
        )
        probabilities[start:stop] = (probability_of_count * probability_below).sum(1)
    return probabilities


def compute_t_test_p(difference: Ints, epsilon: float) -> float:
    """Compute p of a one-sided t-test for a mean difference below ε.

    ``difference`` is 1, 0 or −1 for each instance: lone loss, tie or lone win of the candidate.
    """
    from scipy.special import stdtr  # takes a tenth of a second to import

    n, mean = len(difference), float(difference.mean())
    standard_error = float(difference.std(ddof=1)) / math.sqrt(n)
    if standard_error == 0:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / standard_error))


def benjamini_yekutieli(values: list[float]) -> list[float]:
    """Correct p-values by Benjamini and Yekutieli's procedure, valid for any dependence.

    >>> benjamini_yekutieli([0.01, 0.04])
    [0.03, 0.06]
    """
    harmonic_sum = sum(1 / k for k in range(1, len(values) + 1))
    return [min(1.0, p * harmonic_sum) for p in benjamini_hochberg(values)]
