"""Matches with borders that may differ a little: enumeration in fractions."""

import json
from pathlib import Path

import numpy as np
import pytest

from spanagree.chance.near_matches import Lengths, both_random, one_random, take_pairs

CASES = json.loads((Path(__file__).parents[1] / "golden/tolerance.json").read_text())["cases"]


def lengths_of(spans, label, others):
    """Return the kinds of one annotation's segments; others take up room where they exclude."""
    counts = {}
    for start, end, name in spans:
        if name == label or others:
            key = end - start, name == label
            counts[key] = counts.get(key, 0) + 1
    return tuple(Lengths(*key, number) for key, number in sorted(counts.items()))


def by_label(case):
    for label in sorted({span[2] for side in "ab" for span in case[side]}):
        others = case["chance"] == "nonoverlapping"
        yield label, *(lengths_of(case[side], label, others) for side in "ab")


def spans_of(case, side, label):
    return tuple(sorted((s, e) for s, e, name in case[side] if name == label))


EXCLUSIVE = [case for case in CASES if case["chance"] != "overlapping"]


@pytest.mark.parametrize("case", EXCLUSIVE)
def test_golden(case):
    """One-to-one, observed and expected, equals the enumeration of every arrangement."""
    n, t = case["length"], case["tolerance"]
    taken = [take_pairs(*(spans_of(case, x, label) for x in "ab"), t)[0] for label in "XYZ"]
    assert sum(taken) == case["observed"]["one_to_one"]
    mean = 0.0
    for _, a, b in by_label(case):
        p = both_random(n, a, b, t, 1e7)
        mean += p @ np.arange(len(p))
    assert mean == pytest.approx(case["expected"]["one_to_one"], abs=1e-12)


@pytest.mark.parametrize("case", EXCLUSIVE)
def test_golden_distributions(case):
    """The distributions equal the enumeration, both random and the first as it is."""
    n, t = case["length"], case["tolerance"]
    labels = list(by_label(case))
    if case["chance"] == "nonoverlapping" and len(labels) > 1:
        pytest.skip("labels that exclude each other are not independent")
    both = fixed = np.ones(1)
    for label, a, b in labels:
        both = np.convolve(both, both_random(n, a, b, t, 1e7))
        fixed = np.convolve(fixed, one_random(n, spans_of(case, "a", label), b, t, 1e7))
    for key, p in (("distribution_one_to_one", both), ("distribution_one_to_one_a_fixed", fixed)):
        expected = np.zeros(len(p))
        for m, share in case[key]:
            expected[m] = share
        np.testing.assert_allclose(p, expected, rtol=0, atol=1e-12)


def test_over_budget():
    """A walk that would cost more than allowed is not made."""
    kinds = (Lengths(1, True, 3),)
    assert both_random(50, kinds, kinds, 1, 100) is None
    assert one_random(50, ((0, 1),), kinds, 1, 100) is None
