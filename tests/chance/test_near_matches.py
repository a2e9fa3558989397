"""Matches with borders that may differ a little: enumeration in fractions."""

import json
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa
from spanagree.chance.near_matches import Lengths, both_random, one_random, take_pairs
from spanagree.comparisons.near_pairs import expected_pairs

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
    mean = pairs = 0.0
    for _, a, b in by_label(case):
        p = both_random(n, a, b, t, 1e7)
        mean += p @ np.arange(len(p))
        pairs += expected_pairs(n, a, b, t)
    assert mean == pytest.approx(case["expected"]["one_to_one"], abs=1e-12)
    assert pairs == pytest.approx(case["expected"]["pairs"], abs=1e-12)


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


def test_drawn_means_have_their_error():
    """Over the budget the note has the standard error, and 4 of them hold the exact mean.

    The exact one is that of the walk, whose budget is then raised. The upper bound is the expected
    count of pairs, which the golden cases hold; its distance from the drawn mean is in the note.
    """
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(2):
        at = np.sort(rng.choice(60, 14, replace=False)) * 4
        rows.append([(int(s), int(s) + 1 + i % 3, "X") for i, s in enumerate(at)])
    kinds = [lengths_of(side, "X", others=True) for side in rows]
    corpus = sa.Corpus.from_segments([250], {"gold": [rows[0]], "mine": [rows[1]]})
    exact = sa.evaluate(corpus, tolerance=1)["mine"].f1.expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spanagree.comparisons.near_pairs.BUDGET", 1)
        drawn = sa.evaluate(corpus, tolerance=1)
    (note,) = (note for note in drawn.notes if "expected match from draws in 1 pair" in note)
    error = float(note.rpartition(": ")[2])
    assert drawn.settings["expected"] == "partly-drawn"
    assert 0 < error < 0.01
    assert drawn["mine"].f1.expected == pytest.approx(exact, abs=4 * error)
    bound = 2 * expected_pairs(250, *kinds, 1) / 28
    assert exact < bound
    assert f"at most {bound - drawn['mine'].f1.expected:.4f} more;" in note
