"""The exact test of wins, losses and ties, against enumeration and the binomial distribution."""

from __future__ import annotations

import importlib
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from spanagree.references.win_tests import (
    _compute_probability,
    _find_most_losses,
    compute_exact_p,
    compute_score,
)


@pytest.fixture
def levels_of(monkeypatch):
    """The script that makes the table of the page."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "scripts")
    return importlib.import_module("alt_test_levels")


def likelihood(losses, wins, n, lose, win):
    """The probability of a result, in fractions."""
    ways = math.comb(n, losses) * math.comb(n - losses, wins)
    return ways * lose**losses * win**wins * (1 - lose - win) ** (n - losses - wins)


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "epsilon"),
    [
        (4, Fraction(1, 10)),
        (6, Fraction(0)),
        pytest.param(7, Fraction(1, 5), marks=pytest.mark.slow),
    ],
)
def test_p_by_enumeration(n, epsilon):
    """p is the greatest probability of what scores no higher, over shares of ties in fractions."""
    every = [(a, b) for a, b in itertools.product(range(n + 1), repeat=2) if a + b <= n]
    scores = {r: float(compute_score(*map(np.array, r), n, float(epsilon))) for r in every}
    shares = [epsilon + (1 - epsilon) * Fraction(i, 200) for i in range(201)]
    for result in every:
        as_low = [r for r in every if scores[r] <= scores[result] + 1e-9]
        most = max(
            sum(likelihood(*r, n, (q + epsilon) / 2, (q - epsilon) / 2) for r in as_low)
            for q in shares
        )
        p = compute_exact_p(*result, n, float(epsilon))
        assert float(most) - 1e-12 <= p <= float(most) + 1e-4


def test_the_score_is_that_of_the_likeliest_share_of_ties():
    """Its variance is that at the maximum of the likelihood on p − q = ε, found by trying."""
    n, epsilon = 30, 0.1
    for losses, wins in ((0, 0), (3, 1), (10, 12), (0, 9)):
        x = np.linspace(0, (1 - epsilon) / 2, 200_001)[:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = losses * np.log(x + epsilon) + (wins * np.log(x) if wins else 0)
            logs = logs + (n - losses - wins) * np.log(1 - epsilon - 2 * x)
        best = x[int(np.nanargmax(logs))]
        variance = (2 * best + epsilon - epsilon**2) / n
        expected = ((losses - wins) / n - epsilon) / math.sqrt(variance)
        assert float(compute_score(np.array(losses), np.array(wins), n, epsilon)) == pytest.approx(
            expected, abs=1e-3
        )


def test_without_ties_or_epsilon_it_is_the_sign_test():
    """Two losses against eight wins, and nothing else: binomial."""
    assert compute_exact_p(2, 8, 10, 0) == pytest.approx(
        sum(math.comb(10, k) for k in range(3)) / 2**10
    )


@pytest.mark.slow
def test_many_instances():
    """Of sixteen thousand instances p is that of the score's normal distribution, nearly."""
    from scipy.stats import norm

    for result in ((900, 850, 16_000, 0.01), (310, 250, 16_000, 0.005)):
        a, b, n, epsilon = result
        near = norm.cdf(compute_score(np.array(a), np.array(b), n, epsilon))
        assert compute_exact_p(*result) == pytest.approx(near, rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_level_holds(levels_of, epsilon):
    """Whatever the share of ties, what is worse by just ε is taken for better in 5 % at most."""
    for n in (20, 33, 60):
        evidence = levels_of.rejected("exact", n, epsilon)
        for share in np.linspace(epsilon, 1, 40):
            lose, win = (share + epsilon) / 2, (share - epsilon) / 2
            assert levels_of.probability(evidence, n, lose, win) <= 0.05 + 1e-6


@pytest.mark.long
def test_the_table_of_the_page(levels_of, capsys):
    """The script prints what the page shows; there the t-test's level is .18 where ties are common."""
    levels_of.main(0.1)
    printed = capsys.readouterr().out
    pages = (Path(__file__).parents[2] / "docs").glob("*.md")
    assert any(printed.strip() in page.read_text("utf-8") for page in pages)
    assert "  30   0.9          0.184" in printed


def test_of_many_instances_the_likely_are_added_up():
    """The sum over all numbers without a tie, by scipy's binomials, to a thousandth of a level."""
    stats = pytest.importorskip("scipy.stats")
    n, epsilon, shares = 3000, 0.1, np.array([0, 1e-4, 0.2, 0.9, 1])
    for losses, wins in ((0, 0), (150, 10), (1700, 1290)):
        bounds = _find_most_losses(
            n, epsilon, float(compute_score(np.array(losses), np.array(wins), n, epsilon))
        )
        differ = np.arange(n + 1)
        for share, found in zip(
            shares, _compute_probability(bounds, n, epsilon, shares), strict=True
        ):
            lost = min(1, (share + epsilon) / (2 * share)) if share else 0.5
            below = np.where(bounds >= 0, stats.binom.cdf(bounds, differ, lost), 0)
            assert found == pytest.approx(
                (stats.binom.pmf(differ, n, share) * below).sum(), abs=5e-5
            )


@pytest.mark.long
@pytest.mark.parametrize("result", [(2, 5, 12, 0.2), (5, 5, 30, 0.15), (3, 9, 50, 0.05)])
def test_the_greatest_probability_is_found_between_the_points(result):
    """p is that of the best of 20,001 shares of ties, to eight digits."""
    losses, wins, n, epsilon = result
    bounds = _find_most_losses(
        n, epsilon, float(compute_score(np.array(losses), np.array(wins), n, epsilon))
    )
    every = _compute_probability(bounds, n, epsilon, np.linspace(epsilon, 1, 20_001))
    assert compute_exact_p(*result) == pytest.approx(every.max(), abs=5e-9)
