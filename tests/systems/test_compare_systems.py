"""Pairs of systems and systems against chance: gaps, few documents, what is undefined. By hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from messages import says

import spanagree as sa
from spanagree.choices import Test, list_names
from spanagree.systems import Comparison
from spanagree.systems.comparison import ComparisonSettings, Difference, SystemPair

X, NONE = [(0, 1, "X")], []


def compared(layers, test="jackknife", **ask):
    """The one pair of two systems over documents of 5 tokens."""
    (length,) = {len(layer) for layer in layers.values()}
    corpus = sa.Corpus.from_segments([5] * length, layers)
    result = sa.compare_systems(sa.evaluate(corpus), test=test, **ask)
    return result, result.pairs[0]


@pytest.mark.parametrize("test", list_names(Test))
def test_documents_that_one_missed(test):
    """The difference is that over the documents both saw: F1 2·1/3 of one, 1 of the other."""
    layers = {"gold": [X] * 4, "a": [X, X, X, NONE], "b": [None, None, X, X]}
    result, pair = compared(layers, test=test, resamples=99)
    assert (pair.documents, pair.differing) == (2, 1)
    assert pair.observed.value == pytest.approx(2 / 3 - 1)
    assert result.to_dict()["tables"]["pairs"][0]["observed"]["value"] == pair.observed.value


def test_a_difference_stays_in_its_range():
    """F1 is from 0 to 1, corrected F1 from −e/(1 − e) to 1, of two documents also their difference."""
    layers = {"gold": [X, [(0, 1, "X"), (2, 3, "Y")]], "a": [X, [(2, 3, "Z")]], "b": [NONE, NONE]}
    result, pair = compared(layers)
    assert -1 <= pair.observed.low < pair.observed.value < pair.observed.high <= 1
    e = result.scores["a"].expected
    assert result.scores["b"].expected == 0
    assert -e / (1 - e) - 1 <= pair.corrected.low < pair.corrected.high <= 1


def test_two_documents_can_tell():
    """Two documents that are not alike have a p; what needs no remark has no reason in JSON."""
    result, pair = compared({"gold": [X, X], "a": [X, NONE], "b": [X, X]}, resamples=99)
    assert 0 < pair.observed.p <= 1
    joined = "interval: exact, as at most one document tells the two apart, which is no evidence"
    assert result.to_dict()["tables"]["pairs"][0]["observed"]["reason"] == joined
    result, _ = compared({"gold": [X] * 24, "a": [X, NONE] * 12, "b": [X] * 24}, resamples=99)
    assert "reason" not in result.to_dict()["tables"]["pairs"][0]["observed"]


def test_where_nothing_varies():
    """One system right and the other wrong in all of 20 documents: none tells of others.

    Exchanges have a p: of all 2^20, two are as far apart, and none of those that are drawn.
    """
    layers = {"gold": [X] * 20, "a": [X] * 20, "b": [NONE] * 20}
    _, pair = compared(layers)
    assert math.isnan(pair.observed.low)
    assert math.isnan(pair.observed.p)
    says(pair.observed.reason, "p and interval: undefined … --test permutation")
    result, pair = compared(layers, test="permutation", resamples=999)
    assert pair.observed.p == 1 / 1000
    assert "is told apart from all others" in result.verdict


def test_nothing_marked_has_a_reason():
    """Of documents without a segment nothing is defined; JSON has a reason, and p is null."""
    result, pair = compared({"gold": [NONE, NONE], "a": [NONE] * 2, "b": [NONE] * 2})
    assert math.isnan(pair.observed.value)
    data = result.to_dict()["tables"]["pairs"][0]["observed"]
    assert (data["p"], data["reason"]) == (None, pair.observed.reason)
    says(pair.observed.reason, "p and interval: undefined")


def test_systems_of_other_documents():
    """Systems are tested where both were measured: the first of all may be behind there."""
    unseen, wrong = None, [(3, 4, "X")]
    layers = {
        "gold": [X] * 60,
        "a": [X] * 40 + [wrong] * 10 + [unseen] * 10,
        "b": [unseen] * 38 + [X] * 12 + [wrong] * 10,
    }
    result, pair = compared(layers)
    assert (pair.documents, pair.left_out) == (12, 48)
    assert result.scores["a"].observed == 40 / 50 > result.scores["b"].observed == 12 / 22
    assert pair.observed.value == 2 / 12 - 1
    says(result.verdict, "a has the highest corrected F1 … but is behind b … that both saw")
    assert "documents" in str(result)
    (row,) = result.to_dict()["tables"]["pairs"]
    assert (row["documents"], row["left_out"]) == (12, 48)
    result, _ = compared({name: layer[40:50] for name, layer in layers.items()})
    assert "both saw" not in result.verdict


@pytest.mark.parametrize(("match", "mean"), [("exact", 1 / 6), ("boundaries", 1 / 3)])
@pytest.mark.parametrize("simulate", [False, True])
def test_chance_regards_labels(match, mean, simulate):
    """A random X on 4 tokens is gold's X in 1 place of 4, by boundaries gold's X or Y in 2 of 4.

    F1 is 2·1/3 where it is. Drawn: within 4 standard errors.
    """
    layers = {"gold": [[(0, 1, "X"), (1, 2, "Y")]], "a": [[(0, 1, "X")]]}
    corpus = sa.Corpus.from_segments([4], layers)
    evaluation = sa.evaluate(corpus, match=match)
    by_chance = sa.chance_test(corpus, evaluation, simulate=simulate, draws=2000).systems["a"]
    share = mean * 3 / 2
    error = 4 * 2 / 3 * math.sqrt(share * (1 - share) / 2000) if simulate else 1e-12
    assert abs(by_chance.mean - mean) < error
    assert by_chance.z == pytest.approx((by_chance.f1 - by_chance.mean) / by_chance.sd)


def test_chance_of_nothing_in_data():
    """JSON of the test against chance has a reason where p is undefined, and only there."""
    corpus = sa.Corpus.from_segments([4, 4], {"gold": [X, None], "a": [X, X], "b": [None, X]})
    data = sa.chance_test(corpus, sa.evaluate(corpus)).to_dict()["tables"]["systems"]
    assert data[0]["reason"] == ""
    assert data[1]["p"] is None
    assert data[1]["reason"]


def test_distribution_of_chance():
    """Of two texts with one of four tokens each, chance matches 0, 1 or 2: binomial with 1/4.

    F1 is half of that. Asked again, the test is the same.
    """
    corpus = sa.Corpus.from_segments([4, 4], {"gold": [X, X], "a": [X, [(2, 3, "X")]]})
    evaluation = sa.evaluate(corpus, p_values=True)
    assert sa.chance_test(corpus, evaluation) == sa.chance_test(corpus, evaluation)
    (row,) = sa.chance_test(corpus, evaluation).to_rows()
    assert (row["f1"], row["null_95"]) == (0.5, 1)  # more than 1 in 1/16 of cases
    assert row["null_mean"] == pytest.approx(1 / 4)
    assert row["null_sd"] == pytest.approx(math.sqrt(2 * 3 / 16) / 2)
    chance = evaluation.by_chance["a"].both  # both random: the same, as all places are alike
    assert (chance.mean, chance.variance) == pytest.approx((1 / 2, 2 * 3 / 16))


def test_picture_of_chance():
    """With gold as it is: of three places one has both of its tokens, one has one, one has none.

    With both random, one token is shared in four of nine cases.
    """
    corpus = sa.Corpus.from_segments([4], {"gold": [[(0, 2, "X")]], "a": [[(2, 4, "X")]]})
    made = sa.chance_test(corpus, sa.evaluate(corpus, match="token"))
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = made.plot(Figure().subplots())
    strokes = np.array(ax.collections[0].get_segments())
    assert strokes[:, 0, 0].tolist() == [0, 0.5, 1]
    assert np.ptp(strokes[:, :, 1], 1) == pytest.approx([0.8] * 3)  # equal probabilities
    assert ax.containers[0][0].get_xdata().tolist() == [0]


def test_a_pair_turned():
    """Asked for in the other order, a difference and the ends of its interval change their sign."""
    result, pair = compared({"gold": [X] * 5, "a": [X, X, X, NONE, X], "b": [NONE, X, NONE, X, X]})
    turned = result["b", "a"].observed
    assert (turned.value, turned.p) == (-pair.observed.value, pair.observed.p)
    assert (turned.low, turned.high) == (-pair.observed.high, -pair.observed.low)


# --- changes of order ---------------------------------------------------------------------------


def two_systems(a, b, p_adjusted):
    """A comparison of two systems with these differences, before and after chance is taken off."""
    differences = (
        Difference(value, 0, 0, 0.01, p) for value, p in zip((a, b), p_adjusted, strict=True)
    )
    pair = SystemPair("mine", "yours", 100, 50, *differences)
    settings = ComparisonSettings(
        gold="gold", match="exact", chance="nonoverlapping", test="bootstrap", resamples=100, seed=0
    )
    return Comparison((pair,), settings)


@pytest.mark.parametrize(
    ("a", "b", "p_adjusted", "changes"),
    [
        (0.1, -0.1, (0.01, 0.01), [True]),
        (0.1, -0.1, (0.01, 0.2), [False]),
        (0.1, -0.1, (0.2, 0.01), [False]),
        (0.1, -0.1, (math.nan, 0.01), [False]),
        (0.1, 0.1, (0.01, 0.01), []),
        (0.1, -0.00004, (0.01, 0.01), []),  # prints as 0
        (0.1, math.nan, (0.01, 0.01), []),
    ],
)
def test_a_change_of_order_is_a_finding_if_both_differences_are(a, b, p_adjusted, changes):
    """Chance changes the order of two if they can be told apart before and after, by Holm's p."""
    comparison = two_systems(a, b, p_adjusted)
    assert [certain for _, certain in comparison.reordered] == changes
    below = " ".join(comparison.table().remarks)
    sentence = "chance changes the order of mine and yours"
    assert (sentence in below) is bool(changes)
    noise = ", but they cannot be told apart, so that is not a finding"
    assert (noise in below) is (changes == [False])
    assert ("1 of 1 pair cannot be told apart" in below) is not (p_adjusted[1] <= 0.05)


def test_many_changes_of_order_are_counted():
    """Three pairs are named, and how many more there are."""
    comparison = two_systems(0.1, -0.1, (0.01, 0.01))
    many = replace(comparison, pairs=comparison.pairs * 5)
    (sentence,) = (x for x in many.table().remarks if x.startswith("chance changes"))
    assert sentence.endswith("mine and yours, 2 more pairs")


def build_levels(*systems):
    """Documents of ten tokens, all of them gold; each system marks so many of the first tokens."""
    layers = {"gold": [10] * len(systems[0]), **{f"s{i}": marks for i, marks in enumerate(systems)}}
    spans = {
        name: [[(k, k + 1, "A") for k in range(n)] for n in marks] for name, marks in layers.items()
    }
    return sa.evaluate(sa.Corpus.from_segments([12] * len(systems[0]), spans))


def test_an_undefined_p_is_no_finding():
    """Where all documents are alike there is no test, so nothing "cannot be told apart"."""
    result = sa.compare_systems(
        build_levels([10] * 6, [2, 3, 5, 1, 4, 3], [0] * 6), test="jackknife"
    )
    assert math.isnan(result["s0", "s2"].corrected.p)
    verdict = "but cannot be tested against s2 (difference 1.000, jackknife p undefined)"
    assert verdict in result.verdict
    assert "told apart" not in result.verdict
    assert not any("cannot be told apart" in remark for remark in result.table().remarks)


@pytest.mark.parametrize(("documents", "warns"), [(2, True), (29, True), (30, False)])
def test_the_bootstrap_of_few_documents(documents, warns):
    """The verdict says where the bootstrap's p is too small."""
    result = sa.compare_systems(
        build_levels(*(([high, low] * 15)[:documents] for high, low in ((9, 8), (2, 3)))),
        test="bootstrap",
        resamples=99,
    )
    assert (
        f"With {documents} documents the bootstrap finds differences too often" in result.verdict
    ) is warns
