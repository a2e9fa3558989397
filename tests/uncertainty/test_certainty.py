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
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from oracles import joined_with_t
from scipy import stats
from spanagree.uncertainty.bootstrap import INTERVALS, Resampling, Sample, bootstrap
from strategies import crowds, turned

import spanagree as sa
from spanagree.chance.random_annotations import redraw
from spanagree.cli.main import main
from spanagree.results.score import f1_figures
from spanagree.systems.compare_systems import TESTS
from spanagree.uncertainty.permutation import benjamini_hochberg, holm_log10
from spanagree.uncertainty.permutation import holm as _holm

SEED = (
    "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
)  # of scipy
NAMES = ("gold", "lexicon", "tagger", "chunker")


def interval_of_resamples(resampled, figure, how):
    """Return low and high end of one figure from its resamples alone, and the note."""
    ends, (note,), _ = resampled.ends(slice(figure, figure + 1), how)
    return *ends[0].tolist(), note


@pytest.fixture(scope="module")
def systems(newsroom):
    return sa.read_conll({n: newsroom / f"{n}.conll" for n in NAMES})


def drawn(table, resampling, statistic=f1_figures):
    return bootstrap(Sample(table), statistic, resampling)


def triples(rng, documents, matched=0.6):
    """Matched, expected and size of documents that are drawn independently; (documents, 3)."""
    size = rng.poisson(3, documents) + 1.0
    hits = rng.binomial(size.astype(int), matched)
    return np.stack((hits, 0.1 * size * rng.random(documents), 2 * size), axis=1)


# --- intervals ----------------------------------------------------------------------------------


def test_theory():
    """With equal sizes F1 is a mean: the variance of resamples is σ²/n, within 4 standard errors."""
    rng = np.random.default_rng(1)
    values = rng.random(40)
    table = np.stack((values, np.zeros(40), np.full(40, 2.0)), axis=1)
    resamples = 20_000
    f1 = drawn(table, Resampling(resamples=resamples)).replicates[:, 0]
    theory = values.var() / 40
    assert abs(f1.mean() - values.mean()) < 4 * math.sqrt(theory / resamples)
    assert abs(f1.var() / theory - 1) < 4 * math.sqrt(2 / resamples)


@pytest.mark.long
@pytest.mark.parametrize(("interval", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_scipys(interval, theirs):
    """Both kinds of intervals equal scipy.stats.bootstrap on the same tallies, within simulation error."""
    rng = np.random.default_rng(2)
    table = triples(rng, 60)
    ours = Resampling(resamples=20_000, interval=interval)
    found = drawn(table, ours)
    for figure in range(3):

        def statistic(rows, axis, figure=figure):  # rows: document numbers
            return f1_figures(table[rows].sum(axis=axis - 1))[..., figure]

        reference = stats.bootstrap(
            (np.arange(len(table)),), statistic, n_resamples=20_000, method=theirs, batch=2000, **{SEED: 3}
        )  # fmt: skip
        spread = found.replicates[:, figure].std()
        # the error of a 2.5 % quantile is √(.025·.975)/φ(1.96) ≈ 2.7 σ/√R; two of them are compared
        error = math.sqrt(2) * 2.7 * spread / math.sqrt(20_000)
        low, high, said = interval_of_resamples(found, figure, ours)
        assert said == ""
        assert abs(low - reference.confidence_interval.low) < 4 * error
        assert abs(high - reference.confidence_interval.high) < 4 * error


def test_jackknife_interval():
    """With equal sizes the jackknife is the textbook t interval of a mean (scipy); no draws are made."""
    rng = np.random.default_rng(3)
    values = rng.random(30)
    table = np.stack((values, np.zeros(30), np.full(30, 2.0)), axis=1)
    how = Resampling(interval="jackknife")
    found = drawn(table, how)
    assert len(found.replicates) == 0
    low, high, said = interval_of_resamples(found, 0, how)
    ends = stats.t(29, values.mean(), stats.sem(values)).interval(0.95)
    assert ((low, high), said) == (pytest.approx(ends), "")
    one = np.array([[1.0, 0, 2], [0, 0, 0], [0, 0, 0]])
    assert (
        interval_of_resamples(drawn(one, how), 0, how)[2]
        == "undefined without one of those it rests on"
    )


@pytest.mark.long
def test_coverage():
    """At 100 documents BCa intervals hold the true corrected F1 in 95 % of samples (4 standard errors).

    scripts/simulate_coverage.py has the large version.
    """
    rng = np.random.default_rng(4)
    size = 4.0  # E(poisson(3) + 1)
    truth = 2 * (0.6 * size - 0.05 * size) / (2 * size - 2 * 0.05 * size)
    held, runs = 0, 300
    for _ in range(runs):
        how = Resampling(resamples=800, seed=int(rng.integers(1 << 30)))
        low, high, _ = interval_of_resamples(drawn(triples(rng, 100), how), 2, how)
        held += low <= truth <= high
    assert abs(held / runs - 0.95) < 4 * math.sqrt(0.95 * 0.05 / runs)


@pytest.mark.slow
@given(crowds(), st.randoms(use_true_random=False))
def test_same_seed_same_digits(crowd, random):
    """The same seed gives the same digits, with documents and systems in any order."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    ask = {"gold": "ann", "ci": sa.Bootstrap(resamples=50, seed=7)}
    result = sa.evaluate(corpus, **ask)
    again = sa.evaluate(turned(lengths, layers, random)[0], **ask)
    for name, system in result.systems.items():
        other = again.systems[name]
        for kind in ("precision", "recall", "f1"):
            assert repr(getattr(other, kind).interval) == repr(getattr(system, kind).interval)
        for label, tally in system.labels.items():
            assert repr(other.labels[label].f1.interval) == repr(tally.f1.interval)
    for test in TESTS if len(layers) > 2 else ():
        one, other = (
            sa.compare_systems(r, bootstrap=sa.Bootstrap(resamples=50), test=test)
            for r in (result, again)
        )
        for pair in one.pairs:
            theirs = other[pair.a, pair.b]
            ends = [(of.corrected.p, of.observed.low, of.observed.high) for of in (pair, theirs)]
            assert np.array_equal(*ends, equal_nan=True)  # 0 may be -0


@pytest.mark.long
def test_intervals_hold_the_figures(systems):
    """Every interval of a real evaluation holds its figure; the others are those without intervals."""
    plain, sure = sa.evaluate(systems), sa.evaluate(systems, ci=sa.Bootstrap(resamples=500))
    for name, system in sure.systems.items():
        assert plain.systems[name].tally == system.tally
        for tally in (system.tally, *system.labels.values()):
            for score in (tally.precision, tally.recall, tally.f1):
                for kind in ("observed", "expected", "corrected"):
                    low, high = getattr(score.interval, kind)
                    assert low - 1e-12 <= getattr(score, kind) <= high + 1e-12
    other = sa.evaluate(systems, ci=sa.Bootstrap(resamples=500, seed=1))
    assert other.systems["tagger"].f1.interval != sure.systems["tagger"].f1.interval
    assert "|ci:bca95|resamples:500|seed:0|" in sure.signature
    wide = sa.evaluate(
        systems, ci=sa.Bootstrap(resamples=500, confidence=99.5, interval="percentile")
    )
    assert wide.systems["tagger"].f1.interval.observed[0] < sure.systems["tagger"].f1.interval.observed[0]  # fmt: skip
    assert "|ci:percentile99.5|" in wide.signature


def test_one_document():
    """Fewer than two documents: the interval is undefined, with the reason."""
    corpus = sa.Corpus.from_segments([9], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]})
    interval = sa.evaluate(corpus, ci=True).systems["b"].f1.interval
    assert all(map(math.isnan, interval.corrected))
    assert (
        interval.reason
        == "observed, expected, corrected: only 1 to resample; an interval needs two"
    )
    json.dumps(sa.evaluate(corpus, ci=True).to_dict(), allow_nan=False)
    team = sa.agree(corpus, ci=True).team.f1.interval
    assert team.reason == interval.reason
    nobody = sa.Corpus.from_segments([9, 9], {"a": [[], None], "b": [None, []]})
    assert "0 to resample" in sa.evaluate(nobody, ci=True).systems["b"].tally.f1.interval.reason
    assert "0 to resample" in sa.agree(nobody, ci=True).mean.interval.reason


def test_undefined_figures():
    """A figure that is undefined has no interval; one that never varies falls back, and says so."""
    nothing = sa.Corpus.from_segments([9] * 5, {"a": [[]] * 5, "b": [[]] * 5})
    interval = sa.evaluate(nothing, ci=True).systems["b"].f1.interval
    assert interval.reason == "observed, expected, corrected: the figure itself is undefined"
    same = sa.Corpus.from_segments([9] * 5, {"a": [[(0, 1, "X")]] * 5, "b": [[(0, 1, "X")]] * 5})
    interval = sa.evaluate(same, ci=sa.Bootstrap(resamples=100)).systems["b"].f1.interval
    assert interval.observed == pytest.approx((0.025 ** (1 / 5), 1))
    assert interval.reason == (
        "observed, corrected: percentile, as its bias or acceleration is undefined; expected: the"
        " same in every resample, which tells nothing of others;"
        " joined with Clopper–Pearson's, as 0 of 5 hold any disagreement"
    )
    assert np.isnan(interval.expected).all()
    some = sa.Corpus.from_segments([9] * 3, {"a": [[(0, 1, "X")], [], []], "b": [[(0, 1, "X")], [], []]})  # fmt: skip
    interval = sa.evaluate(some, ci=sa.Bootstrap(resamples=2000)).systems["b"].f1.interval
    assert re.search(r"undefined in \d+ of 2000 resamples", interval.reason)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ({"resamples": 0}, "resamples 0; a whole number from 1 is needed"),
        ({"resamples": -5}, "resamples -5; a whole number from 1 is needed"),
        ({"resamples": 1.5}, "resamples 1.5; a whole number from 1 is needed"),
        ({"seed": -1}, "seed -1; a whole number from 0 is needed"),
        ({"confidence": 0.95}, "confidence 0.95; a percentage above 1 … such as 95, is needed"),
        ({"confidence": 1}, "confidence 1; a percentage above 1 and below 100"),
        ({"confidence": 100}, "confidence 100; a percentage above 1 and below 100"),
        ({"confidence": math.nan}, "confidence nan; a percentage above 1 and below 100"),
        ({"interval": "x"}, "unknown interval 'x'; allowed: bca, percentile, jackknife"),
    ],
)
def test_bad_settings(ask, said):
    """Resamples, seeds and confidences that are none are refused."""
    with refuses(sa.SettingError, said):
        sa.Bootstrap(**ask)


@pytest.mark.parametrize("ci", [1, "yes", 95, None])
def test_ci_is_a_bootstrap_or_none(systems, ci):
    """What is no answer to whether, or how, is refused, wherever it is given."""
    table = sa.token_labels(systems)
    for call in (
        lambda: sa.evaluate(systems, ci=ci),
        lambda: sa.agree(systems, ci=ci),
        lambda: sa.coefficients(table, ci=ci),
        lambda: sa.alpha_u(systems, ci=ci),
    ):
        with pytest.raises(sa.SettingError, match=f"^ci {ci!r}; True, False or a Bootstrap is"):
            call()


@pytest.mark.parametrize("how", [False, 95, None])
def test_what_is_no_bootstrap(systems, how):
    """Where intervals are always made, only how they are made can be said."""
    result = sa.evaluate(systems)
    for call in (
        lambda: sa.compare_systems(result, bootstrap=how),
        lambda: sa.batches(systems, 2, bootstrap=how),
    ):
        with pytest.raises(sa.SettingError, match=f"^bootstrap {how!r}; a Bootstrap is needed$"):
            call()


# --- annotators and tables of labels -------------------------------------------------------------


def test_agreement_of_two_is_evaluation(systems):
    """Of two annotators the team, the mean and the pair have the interval of their evaluation."""
    two = systems.of_annotators(["gold", "tagger"])
    ask = {"ci": sa.Bootstrap(resamples=300)}
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


def test_agreement_of_a_team(newsroom):
    """Intervals of the team, its labels, members and pairs hold their figures; sparse sums are the same."""
    corpus = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    result = sa.agree(corpus, ci=sa.Bootstrap(resamples=400))
    parts = [result.team, *result.annotators.values(), *result.pairs.values(), *result.labels.values()]  # fmt: skip
    for part in parts:
        low, high = part.f1.interval.corrected
        assert low <= part.f1.corrected <= high
    low, high = result.mean.interval.corrected
    assert low <= result.mean.corrected <= high
    import spanagree.uncertainty.bootstrap as module

    dense = module._DENSE
    try:
        module._DENSE = 0
        sparse = sa.agree(corpus, ci=sa.Bootstrap(resamples=400)).mean.interval
    finally:
        module._DENSE = dense
    assert sparse.corrected == pytest.approx(result.mean.interval.corrected, abs=0.03)


def test_sparse_sums():
    """A sparse table gives the sums, leave-one-outs and resamples of the same dense one."""
    from scipy.sparse import csr_array

    table = np.array([[1.0, 0, 2], [0, 0, 1], [1, 0, 2], [0, 3, 0]])
    dense, sparse = Sample(table), Sample(csr_array(table))
    assert dense.units == sparse.units == 4
    assert sorted(sparse.times.tolist()) == sorted(dense.times.tolist()) == [1, 1, 2]
    np.testing.assert_array_equal(dense.total, sparse.total)
    one, other = (np.concatenate(list(s.each_left_out())) for s in (dense, sparse))
    assert sorted(one.tolist()) == sorted(other.tolist())
    for sample in (dense, sparse):
        sums = np.concatenate(list(sample.resampled(Resampling(resamples=4000))))
        mean, error = sums.mean(axis=0), sums.std(axis=0) / math.sqrt(4000)
        assert (abs(mean - sample.total[0]) < 4 * error).all()


@pytest.mark.long
def test_multinomial_draws():
    """Where many units are alike their numbers are drawn at once: mean and variance of a multinomial."""
    table = np.repeat([[1.0, 0], [0, 1]], [900, 100], axis=0)
    sums = np.concatenate(list(Sample(table).resampled(Resampling(resamples=4000))))
    assert (sums.sum(axis=1) == 1000).all()
    assert abs(sums[:, 0].mean() - 900) < 4 * math.sqrt(90 / 4000)
    assert abs(sums[:, 0].var() / 90 - 1) < 4 * math.sqrt(2 / 4000)


def label_rows(rng, items=60):
    truth = rng.integers(3, size=items)
    for i, a in itertools.product(range(items), range(4)):
        if rng.random() < 0.8:
            yield i, f"a{a}", int(truth[i] if rng.random() < 0.7 else rng.integers(3))


def test_coefficients_from_sums():
    """The sums that are resampled give the coefficients themselves, and hold them in their intervals."""
    from spanagree.labels.formulas import FORMULAS, all_figures
    from spanagree.labels.intervals import units_of

    table = sa.LabelTable.from_rows(label_rows(np.random.default_rng(5)))
    result = sa.coefficients(table, ci=sa.Bootstrap(resamples=500))
    total = units_of(table, result.spa.weights).sum(axis=0)[None]
    figures = all_figures(total, 3, 4)[0].reshape(-1, 3)
    for of, row in zip(result.all, figures, strict=True):
        assert of.name == list(FORMULAS)[result.all.index(of)]
        value = result.spa.corrected if of.name == "SPA" else of.value
        assert row.tolist() == pytest.approx([of.observed, of.expected, value], abs=1e-13)
        low, high = of.interval.corrected
        assert low <= value <= high


@pytest.mark.long
def test_items_are_resampled():
    """The interval of π equals resampling items and starting anew (scipy), within simulation error."""
    rng = np.random.default_rng(6)
    counts = rng.multinomial(4, [0.6, 0.3, 0.1], size=50)
    counts[:25] = [4, 0, 0]

    def statistic(rows, axis):
        return np.array(
            [
                sa.pi(sa.LabelTable.from_counts(counts[r], list("abc"))).value
                for r in np.atleast_2d(rows)
            ]
        )

    reference = stats.bootstrap(
        (np.arange(50),), statistic, n_resamples=1500, method="percentile", batch=500, **{SEED: 1}
    ).confidence_interval
    table = sa.LabelTable.from_counts(counts, list("abc"))
    ours = sa.coefficients(
        table, ci=sa.Bootstrap(resamples=20_000, interval="percentile")
    ).pi.interval
    error = 2.7 * (reference.high - reference.low) / 3.92 / math.sqrt(1500)
    every = np.arange(50)
    left_out = statistic(np.array([np.delete(every, i) for i in every]), 0)
    pi = sa.pi(table)
    floor = -pi.expected / (1 - pi.expected)
    ends = joined_with_t(tuple(reference), pi.value, left_out, floor)
    assert ours.corrected == pytest.approx(ends, abs=4 * 1.05 * error)


def test_rows_in_any_order():
    """Rows of labels in any order give the same digits of every interval."""
    rows = list(label_rows(np.random.default_rng(14)))
    one = sa.coefficients(sa.LabelTable.from_rows(rows), ci=sa.Bootstrap(resamples=100))
    np.random.default_rng(1).shuffle(rows)
    other = sa.coefficients(
        sa.LabelTable.from_rows([tuple(r) for r in rows]), ci=sa.Bootstrap(resamples=100)
    )
    for a, b in zip(one.all, other.all, strict=True):
        for kind in ("observed", "expected", "corrected"):
            assert getattr(a.interval, kind) == pytest.approx(getattr(b.interval, kind), abs=1e-12)


def test_tokens_are_resampled_by_document():
    """Of tokens the documents are drawn: tokens that all go together make the interval wider."""
    rng = np.random.default_rng(7)
    layers = {"a": [], "b": []}
    for _ in range(30):
        agree = rng.random() < 0.5
        layers["a"].append([(0, 20, "X")])
        layers["b"].append([(0, 20, "X")] if agree else [(0, 20, "Y")])
    corpus = sa.Corpus.from_segments([20] * 30, layers)
    table = sa.token_labels(corpus)
    pi = sa.coefficients(table, ci=sa.Bootstrap(resamples=2000, interval="percentile")).pi
    agreed = pi.observed * 30
    left_out = [(agreed - 1) / 29] * round(agreed) + [agreed / 29] * round(30 - agreed)
    ends = stats.binom(30, pi.observed).ppf([0.025, 0.975]) / 30  # of documents, not of tokens
    ends = joined_with_t(ends, pi.observed, left_out)
    assert pi.interval.observed == pytest.approx(ends, abs=1.01 / 30)


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
            f1 = [f1_figures(rows.reshape(-1, 3)[x.astype(int)].sum(axis=-2))[..., figure] for x in (a, b)]  # fmt: skip
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
    (pair,) = sa.compare_systems(
        evaluation, test="permutation", bootstrap=sa.Bootstrap(resamples=20_000)
    ).pairs
    assert not pair.exact
    t = [evaluation.counted.per_document.table(name, np.arange(80)) for name in "ab"]
    rows = np.concatenate([np.stack((x[:, 0], x[:, 1], x[:, 2] + x[:, 3]), axis=1) for x in t])

    def statistic(a, b, axis):
        f1 = [f1_figures(rows[x.astype(int)].sum(axis=-2))[..., 2] for x in (a, b)]
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
        (pair,) = sa.compare_systems(evaluation, test=test, bootstrap=sa.Bootstrap(resamples=199, seed=int(rng.integers(1 << 30)))).pairs  # fmt: skip
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
    result = sa.compare_systems(sa.evaluate(systems), bootstrap=sa.Bootstrap(resamples=200))
    assert [(p.a, p.b) for p in result.pairs] == list(itertools.combinations(NAMES[1:], 2))
    one, other = result["tagger", "chunker"], result["chunker", "tagger"]
    assert (other.a, other.b) == ("chunker", "tagger")
    assert one.corrected.value == -other.corrected.value
    assert (one.corrected.low, one.corrected.high) == (-other.corrected.high, -other.corrected.low)
    assert one.corrected.p == other.corrected.p
    with pytest.raises(KeyError):
        result["tagger", "x"]
    with pytest.raises(sa.SettingError, match="one system; a difference needs two"):
        sa.compare_systems(sa.evaluate(systems.of_annotators(["gold", "tagger"])))
    with pytest.raises(sa.SettingError, match="unknown test 'x'; allowed: bootstrap, permutation"):
        sa.compare_systems(sa.evaluate(systems), test="x")
    assert "|test:bootstrap|resamples:200|seed:0|" in result.signature


def test_order_of_systems():
    """Systems in another order give the same p and the same interval, with the sign turned."""
    corpus = two_systems(np.random.default_rng(13), 60, better=0.1)
    turned = corpus.of_annotators(["gold", "b", "a"])
    for test in TESTS:
        one, other = (sa.compare_systems(sa.evaluate(c), test=test, bootstrap=sa.Bootstrap(resamples=300))["a", "b"] for c in (corpus, turned))  # fmt: skip
        assert repr(one.corrected.p) == repr(other.corrected.p)
        assert repr(one.observed.p) == repr(other.observed.p)
        assert one.corrected.low == pytest.approx(other.corrected.low, abs=1e-15)


def test_documents_that_are_alike():
    """Resamples of one document, or of equal ones, do not vary: both tests count exchanges."""
    one = {"gold": [[(0, 2, "X"), (5, 6, "X")]], "a": [[(0, 2, "X")]], "b": [[(3, 4, "X")]]}
    for times in (1, 3, 12):
        corpus = sa.Corpus.from_segments(
            [10] * times, {n: layer * times for n, layer in one.items()}
        )
        for test in TESTS:
            (pair,) = sa.compare_systems(sa.evaluate(corpus), test=test).pairs
            assert pair.corrected.p == 2 / 2**times  # all ways, two of them as far apart


def test_few_documents(systems):
    """With few documents the bootstrap finds too much; it is said, and the permutation test does not."""
    few = sa.evaluate(systems.subset(range(20)))
    said = "only 20 documents: with fewer than 30 the bootstrap finds differences too often; the permutation test does not"
    assert sa.compare_systems(few, bootstrap=sa.Bootstrap(resamples=99)).caveats == (said,)
    assert (
        sa.compare_systems(few, bootstrap=sa.Bootstrap(resamples=99), test="permutation").caveats
        == ()
    )
    assert (
        sa.compare_systems(sa.evaluate(systems), bootstrap=sa.Bootstrap(resamples=99)).caveats == ()
    )


def test_gaps_between_systems():
    """Systems that saw different documents are compared on those that both saw."""
    gold = [[(0, 1, "X")]] * 6
    layers = {
        "gold": gold,
        "a": gold,
        "b": [*gold[:3], [], [], None],
        "c": [None, None, *gold[:4]],
    }
    result = sa.compare_systems(
        sa.evaluate(sa.Corpus.from_segments([5] * 6, layers)), bootstrap=sa.Bootstrap(resamples=50)
    )
    assert {(p.a, p.b): p.documents for p in result.pairs} == {
        ("a", "b"): 5, ("a", "c"): 4, ("b", "c"): 3,
    }  # fmt: skip
    nothing = {"gold": [[], []], "a": [[], None], "b": [None, []]}
    (pair,) = sa.compare_systems(sa.evaluate(sa.Corpus.from_segments([5, 5], nothing)), bootstrap=sa.Bootstrap(resamples=9)).pairs  # fmt: skip
    assert pair.documents == 0
    assert math.isnan(pair.corrected.p)
    assert math.isnan(pair.corrected.p_holm)
    json.dumps(sa.compare_systems(sa.evaluate(sa.Corpus.from_segments([5, 5], nothing)), bootstrap=sa.Bootstrap(resamples=9)).to_dict(), allow_nan=False)  # fmt: skip


def test_holm_of_logarithms():
    """Six decimals, as log10 3 = .4771212547 shows, never above 0 nor below one before."""
    assert holm_log10([-9.0, math.nan, -2.0, -1.9]) == pytest.approx(
        [-8.522879, math.nan, -1.69897, -1.69897], abs=0, nan_ok=True
    )
    assert holm_log10([-0.1, -0.2]) == [0.0, 0.0]


def test_holm():
    """Holm's step-down correction by hand; undefined ones do not count."""
    assert _holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    found = _holm([0.5, math.nan, 0.9])
    assert found[0] == 1
    assert found[2] == 1
    assert math.isnan(found[1])


# --- chance -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("where", ["edges", "anywhere"])
@pytest.mark.parametrize("match", ["exact", "token", "iou"])
def test_random_systems(match, where):
    """A truly random system is rejected about as often as the level says, also with gold at the edges."""
    rng = np.random.default_rng(11)
    lengths = rng.integers(6, 15, 25).tolist()
    gold = [
        [(0, 2, "X"), (n - 1, n, "X")] if where == "edges" else [(2, 4, "X"), (n - 2, n - 1, "X")]
        for n in lengths
    ]
    start = sa.Corpus.from_segments(lengths, {"gold": gold, "mine": gold})
    runs, rejected = 150, 0
    for _ in range(runs):
        layer = redraw(start.layers["mine"], start.lengths, 1, rng)
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
    assert "|test:chance|null:exact|spanagree:" in test.signature
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
    assert "without an exact distribution; p is not below 0.01 unless" in small.notes[0]
    iou = sa.evaluate(systems, match="iou")
    assert sa.chance_test(systems, iou, draws=50).settings["null"] == "drawn"


@pytest.mark.long
@pytest.mark.parametrize("match", ["exact", "token", "boundaries", "overlap"])
def test_exact_p_under_chance(match):
    """A truly random system has p ≤ α about as often as α says, less where p cannot be α."""
    rng = np.random.default_rng(12)
    lengths = rng.integers(6, 15, 25).tolist()
    spans = [[(0, 2, "X"), (n - 1, n, "Y")] for n in lengths]
    start = sa.Corpus.from_segments(lengths, {"gold": spans, "mine": spans})
    runs, rejected, allowed = 200, 0, 0.0
    for _ in range(runs):
        layer = redraw(start.layers["mine"], start.lengths, 2, rng)
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
    tallies = evaluation.counted.per_document.of_system(name)
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
    pairs = sa.compare_systems(
        sa.evaluate(corpus), test="permutation", bootstrap=sa.Bootstrap(resamples=9)
    )
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
    easy = sa.evaluate(sa.Corpus.from_segments([2] * 40, layers), ci=sa.Bootstrap(resamples=100))
    assert easy.caveats[0].startswith("mine: the interval of the corrected figure is wide: ")
    one = {name: [[(0, 1, "X")]] * 40 for name in ("gold", "mine")}
    tight = sa.evaluate(sa.Corpus.from_segments([1] * 40, one))
    assert tight.caveats == (
        "mine: only 0 of 40 documents hold any disagreement; on others the figures may differ a lot",
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
    layers = {"gold": gold, "sure": gold, "most": [*gold[:25], *[[(1, 2, "X")]] * 5]}
    layers["off"] = [[(1, 2, "X")]] * 30
    result = sa.evaluate(sa.Corpus.from_segments([2] * 30, layers), gold="gold")
    shaky = "; on others the figures may differ a lot"
    assert result.caveats == (
        f"sure, most: only 0 to 5 of 30 documents hold any disagreement{shaky}",
        f"off: only 0 of 30 documents hold any agreement{shaky}",
    )
    easy = sa.evaluate(sa.Corpus.from_segments([1] * 30, dict.fromkeys(("gold", "a", "b"), gold)))
    assert (
        easy.caveats[1:] == ()
    )  # chance alone gives 1, so corrected F1 is undefined, not unstable
    both = [[(0, 1, "X"), (1, 2, "Y")]] * 30
    by_label = sa.coefficients_by_label(sa.Corpus.from_segments([4] * 30, {"a": both, "b": both}))
    assert by_label.caveats[-1].startswith(
        "π of X, π of Y: chance alone gives 0.6250, so"
    )  # ¼² + ¾²


# --- the command line --------------------------------------------------------------------------------


@pytest.fixture
def files(newsroom):
    return [str(newsroom / f"{n}.conll") for n in NAMES]


@pytest.mark.slow
def test_commands(files, newsroom, systems, capsys):
    """--ci and --test print what Python gives, in every format."""
    ask = ["--resamples", "200", "--seed", "5"]
    assert main(["evaluate", *files, "--ci", *ask, "--format", "json"]) == 0
    out = json.loads(capsys.readouterr().out)
    result = sa.evaluate(systems, ci=sa.Bootstrap(resamples=200, seed=5))
    interval = result.systems["tagger"].f1.interval
    assert out["tables"]["systems"][1]["f1"]["interval"]["corrected"] == list(interval.corrected)
    for more in (["--ci"], ["--ci", "--by", "label"], ["--ci", "--by", "difficulty"], ["--test", "bootstrap"], ["--test", "permutation"], ["--test", "chance"], ["--ci", "--test", "bootstrap", "--by", "label"]):  # fmt: skip
        for form in ("text", "json", "csv", "markdown", "latex"):
            assert main(["evaluate", *files, *more, *ask, "--format", form]) == 0
            out = capsys.readouterr().out
            assert out
            if form == "json" and "--test" in more:
                assert json.loads(out)["test"]
    crowd = str(newsroom.parent / "crowd" / "crowd.jsonl")
    for command in (["agree", crowd], ["agree", crowd, "--by", "annotator"], ["agree", crowd, "--by", "label"], ["coefficients", crowd, "--tokens"]):  # fmt: skip
        for form in ("text", "json", "csv", "markdown", "latex"):
            assert main([*command, "--ci", *ask, "--format", form]) == 0
            assert re.search("ci:bca95|ci:percentile|interval", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--seed", "1"], "--seed needs --ci or --test or --baseline random"),
        (["--test", "chance", "--interval", "percentile"], "--interval does not go with --test chance"),
        (["--test", "chance", "--by", "difficulty"], "--test … --by difficulty … all documents"),
    ],
)  # fmt: skip
def test_misused(files, capsys, more, said):
    """What goes with nothing is refused, not silently passed over."""
    assert main(["evaluate", *files, *more]) == 2
    says(capsys.readouterr().err, f"spanagree: error: {said} … 'spanagree evaluate --help'")


def test_few_resamples(files, capsys):
    """Resamples that do not reach beyond the ends are said to be few, in the table and in JSON."""
    said = "intervals: 1 resample is too few for the ends of 95 % intervals; draw 100 at least"
    for more in ([], ["--format", "json"], ["--by", "label"]):
        assert main(["evaluate", *files, "--ci", "--resamples", "1", *more]) == 0
        assert said in " ".join(capsys.readouterr().out.split())
    assert main(["evaluate", *files, "--ci", "--resamples", "100"]) == 0
    assert "too few" not in capsys.readouterr().out


def test_refused(files, capsys):
    """A number out of range is one line and exit code 1."""
    assert main(["evaluate", *files, "--ci", "--resamples", "0"]) == 1
    assert (
        capsys.readouterr().err
        == "spanagree: error: resamples 0; a whole number from 1 is needed\n"
    )
    assert list(INTERVALS) == ["bca", "percentile", "jackknife"]


@pytest.mark.slow
@pytest.mark.timeout(3600)  # ten minutes on a quiet machine, and an hour on a busy one
@pytest.mark.parametrize("name", ["simulate_coverage", "simulate_annotators"])
def test_coverage_in_the_docs(name):
    """The scripts that measure coverage print what docs/certainty.md shows."""
    root = Path(__file__).parents[2]
    script = [sys.executable, root / "scripts" / f"{name}.py"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert f"```text\n{done.stdout}```" in (root / "docs" / "certainty.md").read_text("utf-8")
