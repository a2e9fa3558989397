"""Intervals and tests: theory, scipy, coverage, uniform p-values, chance, what is undefined."""

from __future__ import annotations

import inspect
import itertools
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import refuses, says
from scipy import stats
from strategies import COUNTED

import spanagree as sa
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.choices import Shown, list_names
from spanagree.cli.main import main
from spanagree.results.score import compute_f1_figures
from spanagree.systems.difference_tests import TESTS
from spanagree.uncertainty.permutation import (
    benjamini_hochberg,
    compute_exchange_p,
    holm_log10,
)
from spanagree.uncertainty.permutation import holm as _holm

SEED = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
"""What SciPy calls its generator."""
NAMES = ("gold", "lexicon", "tagger", "chunker")


@pytest.fixture(scope="module")
def systems(newsroom):
    return sa.read_conll({n: newsroom / f"{n}.conll" for n in NAMES})


# --- intervals ----------------------------------------------------------------------------------


@pytest.mark.long
def test_intervals_hold_the_figures(systems):
    """Every interval of a real evaluation holds its figure; the others are those without intervals."""
    plain, sure = sa.evaluate(systems), sa.evaluate(systems, ci=sa.Jackknife())
    for name, system in sure.systems.items():
        assert plain.systems[name].tally == system.tally
        for tally in (system.tally, *system.labels.values()):
            for score in (tally.precision, tally.recall, tally.f1):
                for kind in ("observed", "expected", "corrected"):
                    low, high = getattr(score.interval, kind)
                    assert low - 1e-12 <= getattr(score, kind) <= high + 1e-12
    assert "|ci:jackknife-t95|" in sure.signature
    wide = sa.evaluate(systems, ci=sa.Jackknife(confidence=99.5))
    assert wide.systems["tagger"].f1.interval.observed[0] < sure.systems["tagger"].f1.interval.observed[0]  # fmt: skip
    assert "|ci:jackknife-t99.5|" in wide.signature


# --- annotators and tables of labels -------------------------------------------------------------


def test_agreement_of_two_is_evaluation(systems):
    """Of two annotators the team, the mean and the pair have the interval of their evaluation."""
    two = systems.select_annotators(["gold", "tagger"])
    ask = {"ci": sa.Jackknife()}
    f1 = sa.evaluate(two, **ask).systems["tagger"].f1.interval
    result = sa.agree(two, **ask)
    for ours in (
        result.team.f1.interval,
        result.mean.interval,
        result.pairs["gold", "tagger"].f1.interval,
        result.annotators["gold"].f1.interval,
    ):
        for kind in ("observed", "expected", "corrected"):
            # another column more or less sorts documents otherwise: other draws of the same kind
            assert getattr(ours, kind) == pytest.approx(getattr(f1, kind), abs=0.04)


def label_rows(rng, items=60):
    truth = rng.integers(3, size=items)
    for i, a in itertools.product(range(items), range(4)):
        if rng.random() < 0.8:
            yield i, f"a{a}", int(truth[i] if rng.random() < 0.7 else rng.integers(3))


def test_coefficients_from_sums():
    """The sums that are resampled give the coefficients themselves, and hold them in their intervals."""
    from spanagree.labels.formulas import COEFFICIENTS, compute_all_figures
    from spanagree.labels.intervals import build_unit_table

    table = sa.LabelTable.from_rows(label_rows(np.random.default_rng(5)))
    result = sa.coefficients(table, ci=sa.Jackknife())
    total = build_unit_table(table, result.spa.weights).sum(axis=0)[None]
    figures = compute_all_figures(total, 3, 4)[0].reshape(-1, 3)
    for of, row in zip(result.all, figures, strict=True):
        assert of.name == list(COEFFICIENTS.values())[result.all.index(of)].sign
        value = result.spa.corrected if of.name == "SPA" else of.value
        assert row.tolist() == pytest.approx([of.observed, of.expected, value], abs=1e-13)
        low, high = of.interval.corrected
        assert low <= value <= high


# --- tests of two systems -------------------------------------------------------------------------


def two_systems(rng, documents, better=0.0):
    """A corpus of two systems that find gold segments equally often, or b more often by a share."""
    layers = {"gold": [], "a": [], "b": []}
    for _ in range(documents):
        layers["gold"].append([(1, 2, "X"), (5, 7, "X")])
        for name, hit in (("a", 0.5), ("b", 0.5 + better)):
            found = [s for s in layers["gold"][-1] if rng.random() < hit]
            layers[name].append([*found, *([(9, 10, "X")] if rng.random() < 0.5 else [])])
    return sa.Corpus.from_segments([12] * documents, layers)


def test_exact_permutation_is_scipys():
    """Few documents: all exchanges are counted, and p is scipy's exact permutation test."""
    evaluation = sa.evaluate(two_systems(np.random.default_rng(8), 9, better=0.3))
    (pair,) = sa.compare_systems(evaluation, test="permutation").pairs
    assert pair.exact
    tables = []
    for name in "ab":
        t = evaluation.counted.per_document.table(name, np.arange(9))
        tables.append(np.stack((t[:, 0], t[:, 1], t[:, 2] + t[:, 3]), axis=1))
    rows = np.stack(tables)

    for figure, ours in ((0, pair.observed), (2, pair.corrected)):

        def statistic(a, b, axis, figure=figure):  # which system, and which document, as one number
            f1 = [compute_f1_figures(rows.reshape(-1, 3)[x.astype(int)].sum(axis=-2))[..., figure] for x in (a, b)]  # fmt: skip
            return f1[0] - f1[1]

        reference = stats.permutation_test(
            (np.arange(9), np.arange(9) + 9), statistic, permutation_type="samples", n_resamples=np.inf
        )  # fmt: skip
        assert ours.value == pytest.approx(reference.statistic)
        null = np.abs(reference.null_distribution)
        assert ours.p == pytest.approx((null >= abs(ours.value) - 1e-12).mean())


@pytest.mark.long
def test_drawn_permutation_is_scipys():
    """Many documents: p of drawn exchanges equals scipy's within simulation error."""
    evaluation = sa.evaluate(two_systems(np.random.default_rng(9), 80, better=0.08))
    (pair,) = sa.compare_systems(evaluation, test="permutation", resamples=20_000).pairs
    assert not pair.exact
    t = [evaluation.counted.per_document.table(name, np.arange(80)) for name in "ab"]
    rows = np.concatenate([np.stack((x[:, 0], x[:, 1], x[:, 2] + x[:, 3]), axis=1) for x in t])

    def statistic(a, b, axis):
        f1 = [compute_f1_figures(rows[x.astype(int)].sum(axis=-2))[..., 2] for x in (a, b)]
        return f1[0] - f1[1]

    reference = stats.permutation_test(
        (np.arange(80), np.arange(80) + 80), statistic, permutation_type="samples",
        n_resamples=20_000, batch=1000, **{SEED: 1},
    )  # fmt: skip
    p = reference.pvalue
    assert abs(pair.corrected.p - p) < 4 * math.sqrt(2 * p * (1 - p) / 20_000) + 2e-4


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_uniform_under_the_null(test):
    """Two systems alike: p-values are uniform (Kolmogorov–Smirnov, seeded, p > 1e-3)."""
    rng = np.random.default_rng(10)
    found = []
    for _ in range(200):
        evaluation = sa.evaluate(two_systems(rng, 60))
        (pair,) = sa.compare_systems(evaluation, test=test, resamples=199, seed=int(rng.integers(1 << 30))).pairs  # fmt: skip
        found.append(pair.corrected.p)
    assert stats.kstest(found, "uniform").pvalue > 1e-3
    assert min(found) > 0


def test_difference_of_a_system_and_itself():
    """Equal systems: difference 0, p 1, and no document in which they differ."""
    layer = [[(0, 1, "X")], [(2, 3, "X")], []]
    corpus = sa.Corpus.from_segments([5] * 3, {"gold": layer, "a": layer, "b": layer})
    for test in TESTS:
        (pair,) = sa.compare_systems(sa.evaluate(corpus), test=test).pairs
        assert (pair.observed.value, pair.observed.p, pair.corrected.p) == (0, 1, 1)
        assert pair.differing == 0


def test_pairs_of_systems(systems):
    """All pairs, found in either order with the sign turned; documents both saw."""
    result = sa.compare_systems(sa.evaluate(systems))
    assert [(p.a, p.b) for p in result.pairs] == list(itertools.combinations(NAMES[1:], 2))
    one, other = result["tagger", "chunker"], result["chunker", "tagger"]
    assert (other.a, other.b) == ("chunker", "tagger")
    assert one.corrected.value == -other.corrected.value
    assert (one.corrected.low, one.corrected.high) == (-other.corrected.high, -other.corrected.low)
    assert one.corrected.p == other.corrected.p
    with pytest.raises(KeyError):
        result["tagger", "x"]
    with pytest.raises(sa.SettingError, match="one system; a difference needs two"):
        sa.compare_systems(sa.evaluate(systems.select_annotators(["gold", "tagger"])))
    with pytest.raises(sa.SettingError, match="unknown test 'x'; allowed: jackknife"):
        sa.compare_systems(sa.evaluate(systems), test="x")
    assert "|ci:jackknife-t95|test:jackknife|spec:1.0|spanagree" in result.signature


def test_order_of_systems():
    """Systems in another order give the same p and the same interval, with the sign turned."""
    corpus = two_systems(np.random.default_rng(13), 60, better=0.1)
    turned = corpus.select_annotators(["gold", "b", "a"])
    for test in TESTS:
        one, other = (sa.compare_systems(sa.evaluate(c), test=test, resamples=300)["a", "b"] for c in (corpus, turned))  # fmt: skip
        assert repr(one.corrected.p) == repr(other.corrected.p)
        assert repr(one.observed.p) == repr(other.observed.p)
        assert one.corrected.low == pytest.approx(other.corrected.low, abs=1e-15, nan_ok=True)


def test_few_documents(systems):
    """With few documents the bootstrap finds too much; it is said, and the permutation test does not."""
    few = sa.evaluate(systems.subset(range(20)))
    said = "only 20 documents: with fewer than 30 the bootstrap finds differences too often; the jackknife does not"
    assert sa.compare_systems(few, resamples=99, test="bootstrap").caveats == (said,)
    assert sa.compare_systems(few).caveats == ()
    assert sa.compare_systems(few, resamples=99, test="permutation").caveats == ()
    assert sa.compare_systems(sa.evaluate(systems), resamples=99, test="bootstrap").caveats == ()


def test_gaps_between_systems():
    """Systems that saw different documents are compared on those that both saw."""
    gold = [[(0, 1, "X")]] * 6
    layers = {
        "gold": gold,
        "a": gold,
        "b": [*gold[:3], [], [], None],
        "c": [None, None, *gold[:4]],
    }
    result = sa.compare_systems(sa.evaluate(sa.Corpus.from_segments([5] * 6, layers)), resamples=50)
    assert {(p.a, p.b): p.documents for p in result.pairs} == {
        ("a", "b"): 5, ("a", "c"): 4, ("b", "c"): 3,
    }  # fmt: skip
    nothing = {"gold": [[], []], "a": [[], None], "b": [None, []]}
    (pair,) = sa.compare_systems(sa.evaluate(sa.Corpus.from_segments([5, 5], nothing)), resamples=9).pairs  # fmt: skip
    assert pair.documents == 0
    assert math.isnan(pair.corrected.p)
    assert math.isnan(pair.corrected.p_adjusted)
    json.dumps(sa.compare_systems(sa.evaluate(sa.Corpus.from_segments([5, 5], nothing)), resamples=9).to_dict(), allow_nan=False)  # fmt: skip


def test_holm_of_logarithms():
    """Six decimals, as log10 3 = .4771212547 shows, never above 0 nor below one before."""
    assert holm_log10([-9.0, math.nan, -2.0, -1.9]) == pytest.approx(
        [-8.522879, math.nan, -1.69897, -1.69897], abs=0, nan_ok=True
    )
    assert holm_log10([-0.1, -0.2]) == [0.0, 0.0]


def test_holm():
    """Holm's step-down correction by hand; undefined ones do not count."""
    assert _holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    found = _holm([0.6, math.nan, 0.9])  # twice .6 is above 1
    assert found[0] == 1
    assert found[2] == 1
    assert math.isnan(found[1])


@pytest.mark.parametrize(("exact", "n_permutations"), [(True, 8), (False, 7)])
def test_progress_of_permutations(exact, n_permutations):
    """The last call has all permutations: 2³ of three documents that differ, or those drawn."""
    table = np.array([[[1, 0.1, 2.0], [0, 0.1, 2.0]]] * 3 + [[[1, 0.1, 2.0]] * 2])
    told = []
    resamples = 100 if exact else 7
    _, is_exact = compute_exchange_p(table, resamples, 0, lambda *counts: told.append(counts))
    assert is_exact == exact
    assert told[-1] == (n_permutations, n_permutations)


# --- chance -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("location", ["edges", "anywhere"])
@pytest.mark.parametrize("match", ["exact", "token", "iou"])
def test_random_systems(match, location):
    """A truly random system is rejected about as often as the level says, also with gold at the edges."""
    rng = np.random.default_rng(11)
    lengths = rng.integers(6, 15, 25).tolist()
    gold = [
        [(0, 2, "X"), (n - 1, n, "X")]
        if location == "edges"
        else [(2, 4, "X"), (n - 2, n - 1, "X")]
        for n in lengths
    ]
    start = sa.Corpus.from_segments(lengths, {"gold": gold, "mine": gold})
    runs, rejected = 150, 0
    for _ in range(runs):
        layer = draw_random_layer(start.layers["mine"], start.lengths, 1, rng)
        corpus = sa.Corpus(start.lengths, {"gold": start.layers["gold"], "mine": layer}, ("X",))
        test = sa.chance_test(corpus, sa.evaluate(corpus, match=match), draws=99, seed=int(rng.integers(1 << 30)), simulate=True)  # fmt: skip
        rejected += test.systems["mine"].p <= 0.1
    # ties make the test careful, never careless
    assert rejected / runs < 0.1 + 4 * math.sqrt(0.09 / runs)
    assert rejected / runs > 0.1 - 4 * math.sqrt(0.09 / runs) or match == "exact"


@pytest.mark.long
def test_chance(systems):
    """Real systems are better than chance; the null distribution is kept; the same seed, the same digits."""
    evaluation = sa.evaluate(systems)
    test = sa.chance_test(systems, evaluation, simulate=True, draws=200, seed=3)
    for name, by_chance in test.systems.items():
        assert by_chance.p == 1 / 201
        assert by_chance.null.shape == (200,)
        assert by_chance.mean == pytest.approx(by_chance.null.mean())
        # near what two random annotations would give, but not the same: gold is fixed
        assert by_chance.mean == pytest.approx(evaluation.systems[name].f1.expected, abs=0.03)
    turned = systems.subset(range(len(systems) - 1, -1, -1))
    other = sa.chance_test(turned, sa.evaluate(turned), simulate=True, draws=200, seed=3)
    assert (other.systems["tagger"].null == test.systems["tagger"].null).all()
    again = sa.chance_test(systems, evaluation, simulate=True, draws=200, seed=3)
    assert (again.systems["tagger"].null == test.systems["tagger"].null).all()
    assert "|test:chance|null:drawn|draws:200|seed:3|" in test.signature
    json.dumps(test.to_dict(), allow_nan=False)


@pytest.mark.long
def test_exact_chance(systems):
    """The exact test: what draws tell roughly, in any order of documents, and p far below their floor."""
    evaluation = sa.evaluate(systems)
    test = sa.chance_test(systems, evaluation)
    drawn = sa.chance_test(systems, evaluation, simulate=True, draws=2000)
    assert "|test:chance|null:exact|spec:1.0|spanagree:" in test.signature
    assert test.settings["fixed"] == systems.annotators[0]
    for name, by_chance in test.systems.items():
        witness = drawn.systems[name]
        assert len(by_chance.null) == 0
        assert by_chance.mean == pytest.approx(witness.mean, abs=4 * by_chance.sd / math.sqrt(2000))
        assert by_chance.sd == pytest.approx(witness.sd, rel=0.1)
        tally, pmf = evaluation.systems[name].tally, by_chance.distribution.pmf
        f1 = {k: 2 * k / (tally.size_a + tally.size_b) for k in pmf}
        above = math.fsum(p for k, p in pmf.items() if f1[k] > by_chance.high + 1e-9)
        error = math.sqrt(above * (1 - above) / 2000)
        assert (
            above
            <= 0.05
            < above + math.fsum(p for k, p in pmf.items() if abs(f1[k] - by_chance.high) < 1e-9)
        )
        assert np.mean(witness.null > by_chance.high + 1e-9) == pytest.approx(above, abs=4 * error)
        assert by_chance.p < 1e-60
        assert by_chance.log10_p == pytest.approx(math.log10(by_chance.p))
        assert by_chance.p <= by_chance.p_holm <= len(test.systems) * by_chance.p
        assert by_chance.z == pytest.approx((by_chance.f1 - by_chance.mean) / by_chance.sd)
    turned = systems.subset(range(len(systems) - 1, -1, -1))
    assert sa.chance_test(turned, sa.evaluate(turned)).to_rows() == test.to_rows()
    json.dumps(test.to_dict(), allow_nan=False)
    small = sa.chance_test(systems, evaluation, budget=200, draws=99)
    assert "|test:chance|null:partly-drawn|draws:99|seed:0|" in small.signature
    assert "as exact chance would be too much work; p is not below 0.01 unless" in small.notes[0]
    iou = sa.evaluate(systems, match="iou")
    assert sa.chance_test(systems, iou, draws=50).settings["null"] == "drawn"


@pytest.mark.long
@pytest.mark.parametrize("match", COUNTED)
def test_exact_p_under_chance(match):
    """A truly random system has p ≤ α about as often as α says, less where p cannot be α."""
    rng = np.random.default_rng(12)
    lengths = rng.integers(6, 15, 25).tolist()
    spans = [[(0, 2, "X"), (n - 1, n, "Y")] for n in lengths]
    start = sa.Corpus.from_segments(lengths, {"gold": spans, "mine": spans})
    runs, rejected, allowed = 200, 0, 0.0
    for _ in range(runs):
        layer = draw_random_layer(start.layers["mine"], start.lengths, 2, rng)
        layers = {"gold": start.layers["gold"], "mine": layer}
        corpus = sa.Corpus(start.lengths, layers, ("X", "Y"))
        by_chance = sa.chance_test(corpus, sa.evaluate(corpus, match=match)).systems["mine"]
        rejected += by_chance.p <= 0.1
        pmf = by_chance.distribution.pmf
        allowed = math.fsum(p for k, p in pmf.items() if by_chance.distribution.tail(k) <= 0.1)
    assert allowed <= 0.1
    assert abs(rejected / runs - allowed) < 4 * math.sqrt(allowed * (1 - allowed) / runs)


@pytest.mark.long
def test_chance_by_document(systems):
    """p, z and sd of documents: those of a corpus of one document; B-H by hand; a note with a count."""
    evaluation = sa.evaluate(systems, p_values=True)
    gold, name = evaluation.settings.gold, "tagger"
    by_chance = evaluation.chance_by_document(name)
    tallies = evaluation.counted.per_document.select_system(name)
    assert list(by_chance) == np.unique(tallies.document).tolist()
    for d in (7, 98, 99):
        one = sa.match_distribution(systems.subset([d]), gold, name, fixed=gold)
        both = sa.match_distribution(systems.subset([d]), gold, name)
        tally = tallies.where(tallies.document == d).total()
        assert by_chance[d].p == pytest.approx(one.tail(tally.matched))
        if one.variance:
            assert by_chance[d].z == pytest.approx((tally.matched - one.mean) / one.sd)
        assert by_chance[d].sd == pytest.approx(2 * both.sd / (tally.size_a + tally.size_b))
        point = next(k for k in one.pmf if sum(p for j, p in one.pmf.items() if j <= k) >= 0.95)
        assert by_chance[d].high == 2 * point / (tally.size_a + tally.size_b)
    asked = [x for x in by_chance.values() if not math.isnan(x.p_bh)]
    ps = sorted(x.p for x in asked)
    for x in asked:
        rest = [p * len(ps) / rank for rank, p in enumerate(ps, 1) if p >= x.p]
        assert x.p_bh == pytest.approx(min([1.0, *rest]))
    dull = sum(x.p_bh > 0.05 for x in asked)
    assert f"{name}: {dull} of {len(asked)} " in " ".join(evaluation.notes)
    rows = evaluation.to_rows(by="document")
    assert {"p", "z", "p_bh", "f1_expected_sd"} <= rows[0].keys()
    data = evaluation.to_dict(by="document")
    entry = data["tables"]["systems"][0]
    tested = sa.chance_test(systems, evaluation).systems[entry["system"]]
    assert entry["f1_95"] == evaluation.to_rows()[0]["f1_95"]
    assert entry["f1_95"] == pytest.approx(tested.high, rel=1e-14)
    assert all("p_bh" in document for document in data["tables"]["documents"])
    json.dumps(data, allow_nan=False)
    with refuses(sa.SettingError, "… p values … p_values=True"):
        sa.evaluate(systems).chance_by_document(name)


def test_benjamini_hochberg():
    """The step-up correction by hand; undefined ones do not count."""
    adjusted = benjamini_hochberg([0.01, 0.04, 0.03, math.nan, 0.5])
    assert adjusted[:3] == pytest.approx([0.04, 0.16 / 3, 0.16 / 3])
    assert math.isnan(adjusted[3])
    assert adjusted[4] == 0.5


def test_chance_of_nothing():
    """A system without anything to compare: undefined, with the reason; bad numbers are refused."""
    corpus = sa.Corpus.from_segments([5, 5], {"gold": [[], None], "a": [None, []]})
    by_chance = sa.chance_test(corpus, sa.evaluate(corpus)).systems["a"]
    assert math.isnan(by_chance.p)
    assert by_chance.reason == "no document shared with gold"
    for ask, said in (
        ({"draws": 0}, "draws 0; a whole number from 1"),
        ({"seed": "x"}, "seed 'x'"),
    ):
        with pytest.raises(sa.SettingError, match=said):
            sa.chance_test(corpus, sa.evaluate(corpus), **ask)
    other = sa.Corpus.from_segments([5], {"x": [[]], "y": [[]]})
    with pytest.raises(sa.SettingError, match="the evaluation is that of another corpus"):
        sa.chance_test(other, sa.evaluate(corpus))
    one = corpus.subset([0])
    with pytest.raises(sa.SettingError, match="the evaluation is that of another corpus"):
        sa.chance_test(corpus, sa.evaluate(one))


def test_many_systems_against_chance():
    """p against chance is corrected by Holm (by hand), and a floor of draws that leaves no power is said."""
    gold, wrong = [[(0, 1, "X")]] * 12, [[(4, 5, "X")]] * 12
    layers = {"gold": gold, "good": gold, "bad": wrong, "silent": [None] * 12}
    corpus = sa.Corpus.from_segments([5] * 12, layers)
    test = sa.chance_test(corpus, sa.evaluate(corpus), simulate=True, draws=39)
    good, bad, silent = test.systems.values()
    assert (good.p, good.p_holm, bad.p_holm) == (1 / 40, 2 / 40, 1)
    assert math.isnan(silent.p_holm)
    assert test.caveats == ()
    assert [row["p_holm"] for row in test.to_rows()][:2] == [2 / 40, 1]
    few = sa.chance_test(corpus, sa.evaluate(corpus), simulate=True, draws=38)
    said = "p from 38 draws is not below 0.026, so after Holm's correction for 2 systems none can be as low as 0.05; draw 39 at least (--resamples)"  # fmt: skip
    assert few.caveats == (said,)
    assert few.to_dict()["caveats"] == [said]
    assert said in few.table().remarks
    exact = sa.chance_test(corpus, sa.evaluate(corpus))
    assert (exact.systems["good"].p_holm, exact.caveats) == (2 * exact.systems["good"].p, ())
    pairs = sa.compare_systems(sa.evaluate(corpus), test="permutation", resamples=9)
    assert "after Holm's correction for 1 pair none" in pairs.caveats[0]


# --- where an answer is shaky ----------------------------------------------------------------------


def test_caveats():
    """Few documents, chance that gives nearly all, and wide intervals are said; a solid answer has none."""
    layers = {"gold": [[(0, 1, "X")]] * 40, "mine": [[(0, 1, "X")], [(1, 2, "X")]] * 20}
    solid = sa.evaluate(sa.Corpus.from_segments([50] * 40, layers))
    assert solid.caveats == ()
    few = {name: layer[:5] for name, layer in layers.items()}
    assert sa.evaluate(sa.Corpus.from_segments([50] * 5, few)).caveats == (
        "mine: only 5 documents with anything to compare; on others the figures may differ a lot",
    )
    easy = sa.evaluate(sa.Corpus.from_segments([2] * 40, layers), ci=sa.Jackknife())
    assert easy.caveats[0].startswith("mine: the interval of the corrected figure is wide: ")
    one = {name: [[(0, 1, "X")]] * 40 for name in ("gold", "mine")}
    tight = sa.evaluate(sa.Corpus.from_segments([1] * 40, one))
    assert tight.caveats == (
        "mine: none of 40 documents holds any disagreement; on others the figures may differ a lot",
    )
    table = sa.token_labels(sa.Corpus.from_segments([2] * 5, few))
    assert sa.coefficients(table).caveats[0] == "π: only 5 documents with anything to compare; on others the figures may differ a lot"  # fmt: skip
    rows = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "x")])
    assert sa.coefficients(rows).caveats[0].startswith("π: only 1 item with ")
    assert sa.agree(sa.Corpus.from_segments([50] * 5, few)).caveats[0].startswith("team: only 5")


def test_shared_caveats():
    """What is said of several systems names them once, with its least and greatest number, in text
    and in JSON; a sentence with other words stays by itself. Of one token, chance hits each time."""
    gold = [[(0, 1, "X")]] * 30
    off = [[(1, 2, "X")]]
    layers = {"gold": gold, "sure": [*gold[:29], *off], "most": [*gold[:25], *off * 5]}
    layers["off"] = off * 30
    result = sa.evaluate(sa.Corpus.from_segments([2] * 30, layers), gold="gold")
    shaky = "; on others the figures may differ a lot"
    assert result.caveats == (
        f"sure, most: only 1 to 5 of 30 documents hold any disagreement{shaky}",
        f"off: none of 30 documents holds any agreement{shaky}",
    )
    easy = sa.evaluate(sa.Corpus.from_segments([1] * 30, dict.fromkeys(("gold", "a", "b"), gold)))
    assert (
        easy.caveats[1:] == ()
    )  # chance alone gives 1, so corrected F1 is undefined, not unstable
    both = [[(0, 1, "X"), (1, 2, "Y")]] * 30
    by_label = sa.coefficients_by_label(sa.Corpus.from_segments([4] * 30, {"a": both, "b": both}))
    assert by_label.caveats[-1].startswith(
        "π of X, π of Y: chance alone gives 0.625, so"
    )  # ¼² + ¾²


# --- the command line --------------------------------------------------------------------------------


@pytest.fixture
def files(newsroom):
    return [str(newsroom / f"{n}.conll") for n in NAMES]


@pytest.mark.slow
def test_commands(files, newsroom, systems, capsys):
    """--ci and --test print what Python gives, in every format."""
    assert main(["evaluate", *files, "--ci", "--format", "json"]) == 0
    out = json.loads(capsys.readouterr().out)
    result = sa.evaluate(systems, ci=sa.Jackknife())
    interval = result.systems["tagger"].f1.interval
    assert out["tables"]["systems"][1]["f1"]["interval"]["corrected"] == list(interval.corrected)
    for more in (["--ci"], ["--ci", "--by", "label"], ["--ci", "--by", "difficulty"], ["--test", "bootstrap", "--resamples", "200"], ["--test", "permutation", "--resamples", "200"], ["--test", "chance"], ["--ci", "--test", "jackknife", "--by", "label"]):  # fmt: skip
        for form in list_names(Shown):
            assert main(["evaluate", *files, *more, "--format", form]) == 0
            out = capsys.readouterr().out
            assert out
            if form == "json" and "--test" in more:
                assert json.loads(out)["test"]
    crowd = str(newsroom.parent / "crowd" / "crowd.jsonl")
    for command in (["agree", crowd], ["agree", crowd, "--by", "annotator"], ["agree", crowd, "--by", "label"], ["coefficients", crowd, "--tokens"]):  # fmt: skip
        for form in list_names(Shown):
            assert main([*command, "--ci", "--format", form]) == 0
            assert re.search("ci:jackknife-t95|interval", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--seed", "1"], "--seed needs --test or --baseline random"),
        (["--test", "chance", "--confidence", "90"], "--confidence does not go with --test chance"),
        (["--test", "jackknife", "--seed", "1"], "--seed does not go with --test jackknife"),
        (["--ci", "--resamples", "9"], "--resamples needs --test permutation"),
        (["--test", "chance", "--by", "difficulty"], "--test … --by difficulty … all documents"),
    ],
)  # fmt: skip
def test_misused(files, capsys, more, said):
    """What goes with nothing is refused, not silently passed over."""
    assert main(["evaluate", *files, *more]) == 2
    says(capsys.readouterr().err, f"spanagree: error: {said} … 'spanagree evaluate --help'")


def test_refused(files, capsys):
    """A number out of range is one line and exit code 1."""
    assert main(["evaluate", *files, "--test", "bootstrap", "--resamples", "0"]) == 1
    says(capsys.readouterr().err, "… resamples 0; a whole number from 1 is needed")


@pytest.mark.slow
@pytest.mark.timeout(3600)  # three to seven minutes on a quiet machine, and an hour on a busy one
@pytest.mark.parametrize("name", ["simulate_coverage", "simulate_annotators", "simulate_runs"])
def test_coverage_in_the_docs(name):
    """The scripts that measure coverage print what docs/certainty.md shows."""
    root = Path(__file__).parents[2]
    script = [sys.executable, root / "scripts" / f"{name}.py"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    page = (root / "docs" / "certainty.md").read_text("utf-8")
    assert all(part.strip() in page for part in done.stdout.split("\n\n"))
