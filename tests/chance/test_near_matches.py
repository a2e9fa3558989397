"""Matches with borders that may differ a little: enumeration in fractions."""

import json
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa
from spanagree.chance.near_matches import NearRule, take_pairs
from spanagree.chance.walk import (
    OTHER,
    SegmentKind,
    SegmentSequence,
    Walk,
    build_uniform_ends,
    compute_distribution_of_ways,
)
from spanagree.comparisons import overlap_expected

CASES = json.loads((Path(__file__).parents[1] / "golden/tolerance.json").read_text())["cases"]


def random_side(n, spans, label, others):
    """Segments of one annotation that may start anywhere; others take up room where they exclude."""
    counts = {}
    for start, end, name in spans:
        if name == label or others:
            key = end - start, name == label
            counts[key] = counts.get(key, 0) + 1
    return SegmentSequence(
        [
            SegmentKind(0 if able else OTHER, count, build_uniform_ends(n, length))
            for (length, able), count in sorted(counts.items())
        ]
    )


def fixed_side(spans):
    return SegmentSequence(
        [SegmentKind(0, 1, {start: (end,)}) for start, end in spans], is_fixed=True
    )


def spans_of(case, side, label):
    return tuple(sorted((s, e) for s, e, name in case[side] if name == label))


def distribution(case, a, b, most, budget=np.inf):
    rule, borders = NearRule(case["tolerance"]), [0, case["length"]]
    walk = Walk(a, b, rule, most + 1, moments=False, more_borders=borders)
    ends = walk.run([case["length"]], budget)
    return compute_distribution_of_ways(ends[case["length"]], False) if ends else None


EXCLUSIVE = [case for case in CASES if case["chance"] != "overlapping"]


@pytest.mark.parametrize("case", EXCLUSIVE)
def test_golden(case):
    """One-to-one, observed and expected, equals the enumeration of every arrangement."""
    n, t = case["length"], case["tolerance"]
    taken = [take_pairs(*(spans_of(case, x, label) for x in "ab"), t)[0] for label in "XYZ"]
    assert sum(taken) == case["observed"]["one_to_one"]
    mean = 0.0
    for label in {label for side in "ab" for *_, label in case[side]}:
        others = case["chance"] == "nonoverlapping"
        p = distribution(case, *(random_side(n, case[x], label, others) for x in "ab"), n)
        mean += p @ np.arange(len(p))
    assert mean == pytest.approx(case["expected"]["one_to_one"], abs=1e-12)


@pytest.mark.parametrize("case", EXCLUSIVE)
def test_golden_distributions(case):
    """The distributions equal the enumeration, both random and the first fixed."""
    n = case["length"]
    labels = {label for side in "ab" for *_, label in case[side]}
    if case["chance"] == "nonoverlapping" and len(labels) > 1:
        pytest.skip("labels that exclude each other are not independent")
    both = fixed = np.ones(1)
    for label in labels:
        a, b = (random_side(n, case[x], label, others=False) for x in "ab")
        both = np.convolve(both, distribution(case, a, b, n))
        if spans := spans_of(case, "a", label):
            fixed = np.convolve(fixed, distribution(case, fixed_side(spans), b, n))
    for key, p in (("distribution_one_to_one", both), ("distribution_one_to_one_a_fixed", fixed)):
        expected = np.zeros(max(len(p), 1 + max(m for m, _ in case[key])))
        for m, share in case[key]:
            expected[m] = share
        np.testing.assert_allclose(
            np.pad(p, (0, len(expected) - len(p))), expected, rtol=0, atol=1e-12
        )


def test_over_budget():
    """A walk that would cost more than allowed is not finished."""
    case = {"length": 50, "tolerance": 1}
    side = random_side(50, [(0, 1, "X"), (2, 3, "X"), (4, 5, "X")], "X", others=False)
    assert distribution(case, side, side, 3, 100) is None
    assert distribution(case, fixed_side([(0, 1)]), side, 1, 100) is None
    assert distribution(case, side, side, 3, 1) is None


def test_drawn_means_have_their_error(monkeypatch):
    """Over the budget the note has the standard error, and 4 of them hold the exact mean."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(2):
        at = np.sort(rng.choice(14, 5, replace=False)) * 4
        rows.append([(int(s), int(s) + 1 + i % 3, "X") for i, s in enumerate(at)])
    corpus = sa.Corpus.from_segments([58], {"gold": [rows[0]], "mine": [rows[1]]})
    exact = sa.evaluate(corpus, tolerance=1)
    assert "partly-drawn" not in exact.signature
    monkeypatch.setattr(overlap_expected, "NEAR_BUDGET", 1)
    drawn = sa.evaluate(corpus, tolerance=1)
    (note,) = (note for note in drawn.notes if "chance is drawn in 1 pair" in note)
    error = float(note.rpartition(": ")[2])
    assert drawn.settings["expected"] == "partly-drawn"
    assert 0 < error < 0.01
    assert drawn["mine"].f1.expected == pytest.approx(exact["mine"].f1.expected, abs=4 * error)
