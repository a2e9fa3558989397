"""SPA: weights, variance, absence at random, correction for chance, the jackknife."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.labels.sparse_agreement import WEIGHTS

ROOT = Path(__file__).parents[2]
VARIANCES = json.loads((ROOT / "tests" / "golden" / "spa_variance.json").read_text())


@pytest.mark.parametrize("case", VARIANCES, ids=lambda c: f"{c['annotators']}")
def test_variance(case):
    """The closed form equals enumeration in fractions (tests/golden/README.md), to the last digits."""
    p = [float(Fraction(x)) for x in case["class_probabilities"]]
    found = sa.agreement_variance(case["annotators"], p)
    assert found == pytest.approx(float(Fraction(case["variance"])), rel=1e-14)


@pytest.mark.parametrize("p", [(0.5, 0.5), (0.7, 0.2, 0.1), (1.0, 0.0), (0.25,) * 4], ids=str)
def test_variance_is_enumerated(p):
    """The same by enumerating all labels of two to five annotators."""
    for n in range(2, 6):
        values, chances = [], []
        for labels in itertools.product(range(len(p)), repeat=n):
            equal = sum(a == b for a, b in itertools.combinations(labels, 2))
            values.append(equal / math.comb(n, 2))
            chances.append(math.prod(p[c] for c in labels))
        mean = np.dot(values, chances)
        variance = np.dot((np.array(values) - mean) ** 2, chances)
        assert sa.agreement_variance(n, p) == pytest.approx(variance, abs=1e-15)


@given(st.integers(2, 60), st.integers(2, 200))
def test_uniform_variance_is_of_edges(categories, n):
    """Corollary: for a uniform distribution Var ∝ 1/edges, so inverse_variance weights are edges."""
    uniform = np.full(categories, 1 / categories)
    one, other = sa.agreement_variance([2, n], uniform)
    assert one / other == pytest.approx(n * (n - 1) / 2, rel=1e-12)


def table(counts, labels="XYZ"):
    return sa.LabelTable.from_counts(counts, list(labels))


COUNTS = [[2, 0, 0], [1, 1, 0], [3, 1, 0], [0, 2, 3], [1, 0, 0], [0, 0, 0], [1, 4, 0]]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights(weights):
    """SPA is Σ kᵢPᵢ/Σ kᵢ in fractions; items with fewer than two labels carry nothing."""
    n = [sum(row) for row in COUNTS]
    share = [sum(Fraction(r[c], sum(r)) for r in COUNTS if any(r)) / 6 for c in range(3)]

    def variance(m):  # by enumeration
        values = {}
        for labels in itertools.product(range(3), repeat=m):
            equal = sum(a == b for a, b in itertools.combinations(labels, 2))
            chance = math.prod(share[c] for c in labels)
            values[equal] = values.get(equal, 0) + chance
        pairs = math.comb(m, 2)
        mean = sum(Fraction(e, pairs) * p for e, p in values.items())
        return sum((Fraction(e, pairs) - mean) ** 2 * p for e, p in values.items())

    k = {
        "flat": lambda m: 1,
        "annotations": lambda m: m,
        "annotations_m1": lambda m: m - 1,
        "edges": lambda m: math.comb(m, 2),
        "inverse_variance": lambda m: math.comb(m, 2),
        "inverse_variance_class": lambda m: 1 / variance(m),
    }[weights]
    agreement = [
        Fraction(sum(c * (c - 1) for c in row), m * (m - 1)) if m > 1 else None
        for row, m in zip(COUNTS, n, strict=True)
    ]
    used = [(k(m), p) for m, p in zip(n, agreement, strict=True) if p is not None]
    exact = sum(w * p for w, p in used) / sum(w for w, _ in used)
    found = sa.spa(table(COUNTS), weights)
    assert found.value == pytest.approx(float(exact), rel=1e-13)
    assert found.weights.sum() == pytest.approx(1)
    for ours, theirs in zip(found.items.tolist(), agreement, strict=True):
        assert ours == pytest.approx(float(theirs)) if theirs is not None else math.isnan(ours)


@pytest.mark.long
def test_missing_at_random():
    """Labels removed at random leave the mean of SPA, whatever the weights (4 standard errors)."""
    rng = np.random.default_rng(8)
    truth = rng.integers(3, size=60)
    labels = np.where(rng.random((60, 6)) < 0.6, truth[:, None], rng.integers(3, size=(60, 6)))

    def counts(there):
        return [[int((labels[i][there[i]] == c).sum()) for c in range(3)] for i in range(60)]

    complete = sa.spa(table(counts(np.ones((60, 6), np.bool_))), "flat").value
    found = {weights: [] for weights in WEIGHTS if weights != "inverse_variance_class"}
    for _ in range(600):
        left = table(counts(rng.random((60, 6)) < 0.5))
        for weights, values in found.items():
            values.append(sa.spa(left, weights).value)
    for weights, values in found.items():
        error = np.std(values) / math.sqrt(len(values))
        assert abs(np.mean(values) - complete) < 4 * error, weights


counted = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=7)


@given(counted, st.sampled_from(list(WEIGHTS)))
def test_jackknife(rows, weights):
    """The jackknife equals leaving out one item at a time and starting anew, weights unchanged."""
    found = sa.spa(table(rows), weights)
    used = [i for i, row in enumerate(rows) if sum(row) > 1]

    def plug_in(items):
        k = found.weights[items]
        if not items or k.sum() == 0:
            return math.nan
        share = np.array([[c / sum(rows[i]) for c in rows[i]] for i in items])
        p = k @ share / k.sum()
        expected = (p**2).sum()
        return ((k @ found.items[items]) / k.sum() - expected) / (1 - expected) if expected < 1 - 1e-9 else math.nan  # fmt: skip

    whole = plug_in(used)
    assert found.corrected == pytest.approx(whole, abs=1e-9, nan_ok=True)
    without = [plug_in([i for i in used if i != j]) for j in used]
    if len(used) < 2 or any(map(math.isnan, without)):
        assert math.isnan(found.jackknife)
    else:
        exact = len(used) * whole - (len(used) - 1) * sum(without) / len(used)
        assert found.jackknife == pytest.approx(exact, abs=1e-7)


@given(counted, st.sampled_from(list(WEIGHTS)))
def test_categories_make_up_the_whole(rows, weights):
    """SPA is the mean of its categories, weighted by their shares, which sum to 1."""
    found = sa.spa(table(rows), weights)
    if math.isnan(found.value):
        return
    parts = [(of.expected, of.value) for of in found.by_category.values() if of.expected > 0]
    assert sum(share for share, _ in parts) == pytest.approx(1)
    assert sum(share * value for share, value in parts) == pytest.approx(found.value, abs=1e-12)


def test_class_distribution():
    """Given, it is used; with one class all weights are equal, and it is said."""
    t = table(COUNTS)
    given = sa.spa(t, "inverse_variance_class", class_distribution={"X": 0.6, "Y": 0.3, "Z": 0.1})
    k = 1 / sa.agreement_variance([2, 4, 5], [0.6, 0.3, 0.1])
    assert (given.weights[2] / given.weights[0]) == pytest.approx(k[1] / k[0])
    assert (given.weights[3] / given.weights[0]) == pytest.approx(k[2] / k[0])
    assert "|classes:0.6,0.3,0.1|" in given.signature
    assert "|classes:estimated|" in sa.spa(t, "inverse_variance_class").signature
    whole = sa.coefficients(t, weights="inverse_variance_class", class_distribution={"X": 0.6, "Y": 0.3, "Z": 0.1})  # fmt: skip
    assert whole.signature == given.signature
    one = sa.spa(t, "inverse_variance_class", class_distribution={"X": 1, "Y": 0, "Z": 0})
    assert one.value == sa.spa(t, "flat").value
    assert one.note == "one category has all the probability: variance 0, equal weights"
    estimated = sa.spa(table([[2, 0], [3, 0]], "XY"), "inverse_variance_class")
    assert estimated.note == one.note
    assert one.note in sa.coefficients(table([[2], [3]], "X"), weights="inverse_variance").notes


def test_bad_settings():
    """Unknown weights are answered with those there are; a distribution has to be one."""
    t = table(COUNTS)
    names = "flat, annotations, annotations_m1, edges, inverse_variance, inverse_variance_class"
    with pytest.raises(sa.SettingError, match=f"^unknown weights 'x'; allowed: {names}$"):
        sa.spa(t, "x")
    for distribution, said in (
        ({"X": 1}, "no probability for 'Y'; the categories are: X, Y, Z"),
        ({"X": 1, "Y": 0, "Z": 0, "Q": 0}, "unknown category 'Q'; the categories are: X, Y, Z"),
        ({"X": 0.5, "Y": 0.5, "Z": 0.5}, "probabilities from 0 that sum to 1 are needed"),
        ({"X": "q", "Y": 0, "Z": 0}, "probabilities from 0 that sum to 1 are needed"),
        ([1, 0, 0], "a probability for each category"),
        ({"X": 1.5, "Y": -0.5, "Z": 0}, "probabilities from 0 that sum to 1 are needed"),
    ):
        with pytest.raises(sa.SettingError, match=said):
            sa.spa(t, "inverse_variance_class", class_distribution=distribution)
    for n, p, said in (
        (1, [0.5, 0.5], "n 1.0; numbers of labels from 2 are needed"),
        ([2, 1], [0.5, 0.5], r"n \[2.0, 1.0\]; numbers of labels from 2 are needed"),
        ([2, 3], [-0.5, 1.5], "probabilities from 0 that sum to 1 are needed"),
    ):
        with pytest.raises(sa.SettingError, match=said):
            sa.agreement_variance(n, p)
    with pytest.raises(sa.SettingError, match="class_distribution: weights flat do not use it"):
        sa.spa(t, "flat", class_distribution={"X": 1, "Y": 0, "Z": 0})


@pytest.mark.slow
def test_simulation_in_the_docs():
    """The script that shows both frames prints what docs/reproduction.md shows."""
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "simulate_spa.py"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert f"```text\n{done.stdout}```" in (ROOT / "docs" / "reproduction.md").read_text("utf-8")


def uneven(rng, items, hard):
    """Items with two labels or five; those with two agree with the probability ``hard``."""
    counts = []
    for item in range(items):
        many = item % 2
        share = 0.95 if many else hard
        yes = int((rng.random(5 if many else 2) < share).sum())
        counts.append([yes, (5 if many else 2) - yes])
    return sa.LabelTable.from_counts(counts, ["yes", "no"])


@pytest.mark.long
def test_more_labels_where_it_is_easier_is_told():
    """Hard items with two labels, easy ones with five: the caveat names the three weights' SPA.

    Where numbers do not depend on it, it is told in 1 % of tables: theory, within four errors.
    """
    doubted = sa.coefficients(uneven(np.random.default_rng(1), 200, 0.6))
    (caveat,) = [each for each in doubted.caveats if "missing at random" in each]
    for name in ("flat", "annotations_m1", "edges"):
        assert (
            f"{sa.spa(uneven(np.random.default_rng(1), 200, 0.6), name).value:.3f} ({name})"
            in caveat
        )
    assert "agree more" in caveat
    doubts = sum(bool(sa.spa(independent(seed)).dependence) for seed in range(400))
    assert doubts / 400 <= 0.01 + 4 * np.sqrt(0.01 * 0.99 / 400)


def independent(seed):
    """Items of mixed difficulty whose numbers of labels are drawn apart from it."""
    rng = np.random.default_rng(seed)
    share, many = rng.choice([0.5, 0.8, 0.95], 80), rng.choice([2, 3, 5], 80)
    yes = rng.binomial(many, share)
    return sa.LabelTable.from_counts(np.stack((yes, many - yes), axis=1), ["yes", "no"])
