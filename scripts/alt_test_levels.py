"""The level and the power of tests of wins and losses with ties: the table of the alt-test's page.

Not simulated: each result that could be is weighed with its probability. *Level*: how often a test
at 5 % finds that the candidate is worse by less than ε where it is worse by just ε. *Power*: how
often where it is as good as the annotator. *t-test* is that of Calderon, Reichart & Dror (2025);
*lone losses* asks whether the candidate loses alone in less than a share ε of all instances.

Usage: python scripts/alt_test_levels.py [EPSILON]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import gammaln, stdtr, xlogy
from scipy.stats import binom

from spanagree.references.win_tests import compute_exact_p, compute_score

LEVEL = 0.05
INSTANCES = (20, 30, 60, 200)
TIES = (0, 0.3, 0.6, 0.8, 0.9)
TESTS = ("t-test", "lone losses", "exact")


def results(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all numbers of losses and wins."""
    losses, wins = np.divmod(np.arange((n + 1) ** 2), n + 1)
    fits = losses + wins <= n
    return losses[fits], wins[fits]


def t_test(losses: np.ndarray, wins: np.ndarray, n: int, epsilon: float) -> np.ndarray:
    """Return p of the t-test that the mean of the differences is below ε."""
    mean = (losses - wins) / n
    variance = (losses + wins - n * mean**2) / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (mean - epsilon) / np.sqrt(variance / n)
    return np.where(variance > 1e-12, stdtr(n - 1, t), np.where(mean < epsilon, 0.0, 1.0))


def rejected(test: str, n: int, epsilon: float) -> np.ndarray:
    """Return which results a test takes for evidence."""
    losses, wins = results(n)
    if test == "t-test":
        return t_test(losses, wins, n, epsilon) <= LEVEL
    if test == "lone losses":
        return binom.cdf(losses, n, epsilon) <= LEVEL
    # p rises with the score, so it is enough to find the highest score that is evidence
    scores = compute_score(losses, wins, n, epsilon)
    order = np.argsort(scores, kind="stable")
    low, high = -1, len(order) - 1
    while low < high:
        middle = (low + high + 1) // 2
        one = order[middle]
        if compute_exact_p(int(losses[one]), int(wins[one]), n, epsilon) <= LEVEL:
            low = middle
        else:
            high = middle - 1
    return scores <= (scores[order[low]] + 1e-9 if low >= 0 else -np.inf)


def probability(which: np.ndarray, n: int, lose: float, win: float) -> float:
    """Return how probable some results are."""
    losses, wins = results(n)
    ties = n - losses - wins
    logs = gammaln(n + 1) - gammaln(losses + 1) - gammaln(wins + 1) - gammaln(ties + 1)
    logs += xlogy(losses, lose) + xlogy(wins, win) + xlogy(ties, max(1 - lose - win, 0))
    return float(np.exp(logs)[which].sum())


def main(epsilon: float) -> None:
    """Print the table."""
    heads = "".join(f"{test:>14}" for test in TESTS)
    print(f"ε {epsilon:g}{'':12}level{'':37}power")
    print(f"{'n':>4}{'ties':>6} {heads}{heads}")
    for n in INSTANCES:
        evidence = {test: rejected(test, n, epsilon) for test in TESTS}
        for ties in TIES:
            differ = max(1 - ties, epsilon)
            lose, win = (differ + epsilon) / 2, (differ - epsilon) / 2
            level = (probability(evidence[test], n, lose, win) for test in TESTS)
            power = (probability(evidence[test], n, differ / 2, differ / 2) for test in TESTS)
            row = "".join(f"{x:14.3f}" for x in (*level, *power))
            print(f"{n:4}{1 - differ:6.1f} {row}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.1)
