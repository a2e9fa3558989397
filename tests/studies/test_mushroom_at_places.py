"""Soft scores under a rule of places, and with references as they are: by enumeration."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa
from tests.place_oracles import APART, configurations, random_rule, random_segments, shares

sys.path.insert(0, str(Path(__file__).parents[2] / "studies" / "mushroom"))

from scores import soft_scores

LETTERS = np.array(list("ab c-'"))


def covered(segments, places, n):
    """How many segments of each label cover each token, in the mean."""
    cover = {label: [Fraction(0)] * n for label in "XY"}
    for (_, _, label), mean in zip(segments, places, strict=True):
        for (start, end), share in mean.items():
            for t in range(start, end):
                cover[label][t] += share
    return cover


def by_hand(documents, system_only, apart):
    """Chance F1 with a reference drawn at random: of each document the mean over those there."""
    matched = sizes = Fraction(0)
    for n, rule, references, system in documents:
        there = [x for x in references if x is not None]
        for reference in there:
            covers = []
            for segments, fixed in ((reference, system_only), (system, False)):
                kept = [{(s, e): Fraction(1)} for s, e, _ in segments]
                mean = kept if fixed else shares(configurations(n, rule, segments, apart))
                covers.append(covered(segments, mean or [], n))
            pairs = [(covers[0][x][t], covers[1][x][t]) for x in "XY" for t in range(n)]
            matched += sum(a * b for a, b in pairs) / len(there)
            sizes += sum(a + b for a, b in pairs) / len(there)
    return float(2 * matched / sizes) if sizes else None


@pytest.mark.long
@pytest.mark.parametrize("chance", [*APART])
@pytest.mark.parametrize("chance_of", ["both", "systems"])
def test_by_enumeration(chance, chance_of):
    """F1's chance is that of all configurations of every pair, in fractions; uniform beside it."""
    rng = np.random.default_rng(len(chance) + len(chance_of))
    differ = 0
    for _ in range(15):
        documents = []
        for number in range(3):
            n = int(rng.integers(4, 7))
            rule = random_rule(rng, n, "".join(rng.choice(LETTERS, n)))
            people = [random_segments(rng, n) for _ in range(2)]
            people[0] = people[0] if number else None  # one of two saw the first
            documents.append((n, rule, people, random_segments(rng, n)))
        layers = {
            "ann": [people[0] for _, _, people, _ in documents],
            "bob": [people[1] for _, _, people, _ in documents],
            "model": [system for *_, system in documents],
        }
        corpus = sa.Corpus.from_segments([n for n, *_ in documents], layers)
        how = {"systems": ["model"], "baselines": [], "chance": chance, "chance_of": chance_of}
        found = soft_scores(corpus, **how, places=[rule for _, rule, *_ in documents])
        expected = by_hand(documents, chance_of == "systems", APART[chance])
        assert found["model"].f1.expected == pytest.approx(expected, abs=1e-12)
        plain = soft_scores(corpus, **how)["model"].f1
        assert found.uniform["model"] == plain
        differ += abs(plain.expected - expected) > 1e-3
    assert differ > 10
