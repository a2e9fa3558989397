"""Oracle: opt-gamma 0.4.1, the only other program that has the start law of Li et al. (2024)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import spanagree as sa
from spanagree import start_distribution

li_null = pytest.importorskip("opt_gamma.li_null")


def test_start_distributions() -> None:
    """300 random documents: its sums over subsets, in whole numbers, and ours agree to 1e-15."""
    rng = np.random.default_rng(41)
    apart = 0.0
    for _ in range(300):
        lengths = rng.integers(1, 6, rng.integers(1, 6)).tolist()
        n = sum(lengths) + int(rng.integers(0, 25))
        for i, ours in enumerate(start_distribution(n, lengths)):
            theirs = li_null.start_distribution(n, lengths, i)
            apart = max(apart, float(np.abs(ours - theirs).max()))
    assert apart < 1e-15


@pytest.mark.parametrize("match", ["exact", "token", "overlap"])
def test_expected_match_of_its_sampler(match: sa.MatchName) -> None:
    """2,000 annotations that it draws for both: their mean match is ours within 4 standard errors."""
    rng = np.random.default_rng(7)
    n, sizes = 20, {"ann": [1, 2, 4], "bob": [2, 3]}
    rows = {
        who: [
            [
                (s, s + a, "X")
                for s, a in zip(li_null._sample_placement(n, own, rng), own, strict=True)
            ]
            for _ in range(2000)
        ]
        for who, own in sizes.items()
    }
    corpus = sa.Corpus.from_segments([n] * 2000, rows)
    tallies = [t for _, _, t in sa.agree(corpus, match=match).by_document()]
    matched = np.array([t.matched for t in tallies])
    error = matched.std(ddof=1) / math.sqrt(len(matched))
    assert matched.mean() == pytest.approx(tallies[0].expected, abs=4 * error)
