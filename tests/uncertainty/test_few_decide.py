"""Where few documents decide: intervals that no bootstrap gives, and p that goes with them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from spanagree.uncertainty.bootstrap import INTERVALS, Resampling, Sample, intervals_of
from spanagree.uncertainty.ends import with_t
from spanagree.uncertainty.evidence import clopper_pearson, joined, united
from spanagree.uncertainty.together import intervals

import spanagree as sa
from spanagree.results.score import f1_figures

ONE, TWO = [(0, 1, "X")], [(0, 1, "X"), (3, 5, "X")]


def share(some, units, confidence=0.95):
    """Clopper & Pearson's interval of a share, by scipy."""
    return np.array(stats.binomtest(some, units).proportion_ci(confidence, "exact"))


def corpus_of(wrong, documents=50, **layers):
    """Gold has two segments in each document; in the first ``wrong`` ones a system has one of them."""
    found = [ONE] * wrong + [TWO] * (documents - wrong)
    layers = {"gold": [TWO] * documents, "mine": found, **layers}
    return sa.Corpus.from_segments(
        [20] * documents, layers, ids=[f"d{i}" for i in range(documents)]
    )


def beyond(ends, score):
    return (ends - score.expected) / (1 - score.expected)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_clopper_pearson(counts):
    """The exact interval of a share equals scipy's."""
    assert clopper_pearson(*counts, 0.025) == pytest.approx(tuple(share(*counts)), abs=1e-9)


def test_evidence():
    """Documents that could tell, that disagree, that agree: counted by hand, equal rows too."""
    rows = np.array([[2, 0.1, 4], [2, 0.1, 4], [1, 0.1, 4], [0, 0.1, 3], [0, 0, 0]])
    assert Sample(rows).evidence(f1_figures).tolist() == [[4, 2, 3]]
    assert Sample(rows[:0]).evidence(f1_figures).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("wrong", [0, 1, 3, 9])
def test_few_errors(wrong, interval):
    """50 documents with few errors: the loss, at the ends of the share of documents with any (scipy)."""
    result = sa.evaluate(corpus_of(wrong), ci=sa.Bootstrap(resamples=200, interval=interval))
    for score, loss in ((result.systems["mine"].f1, wrong / (200 - wrong)), (result.systems["mine"].recall, wrong / 100)):  # fmt: skip
        low, high = 1 - (share(wrong, 50) * (loss * 50 / wrong if wrong else 1))[::-1]
        assert score.interval.observed[0] <= low + 1e-12
        assert score.interval.observed[1] >= high - 1e-12
        assert score.interval.corrected[0] <= beyond(low, score) + 1e-12
        if not wrong:
            assert score.interval.observed == pytest.approx((0.025 ** (1 / 50), 1))
            assert score.interval.corrected[0] == pytest.approx(beyond(low, score))
        joined = f"as {wrong} of 50 hold any disagreement" in score.interval.reason
        assert score.interval.kind == interval + "+clopper-pearson" * joined
        assert joined or wrong  # or that of t reaches as far
    said = f"mine: only {wrong} of 50 documents hold any disagreement; on others the figures may differ a lot"
    assert said in result.caveats
    data = result.to_dict()["tables"]["systems"][0]["f1"]["interval"]
    assert data["kind"] == result.systems["mine"].f1.interval.kind
    assert list(data)[:3] == ["observed", "expected", "corrected"]
    precision = result.systems["mine"].precision  # it never errs in what it marks
    assert precision.interval.observed == pytest.approx((0.025 ** (1 / 50), 1))


def test_ten_errors_are_the_bootstraps():
    """From ten documents on the interval is BCa's alone, and so said."""
    result = sa.evaluate(corpus_of(10), ci=sa.Bootstrap(resamples=200))
    interval = result.systems["mine"].f1.interval
    assert (interval.kind, interval.reason) == ("bca", "")
    assert result.caveats == ()


def test_nothing_matches():
    """50 documents without a match: the mirror image, up to 1 − 0.025^(1/50)."""
    other = [[(8, 9, "X")]] * 50
    result = sa.evaluate(corpus_of(0, mine=other), ci=sa.Bootstrap(resamples=100))
    f1 = result.systems["mine"].f1
    assert f1.interval.observed == pytest.approx((0, 1 - 0.025 ** (1 / 50)))
    assert f1.interval.corrected[1] == pytest.approx(beyond(1 - 0.025 ** (1 / 50), f1))
    assert result.caveats[0].startswith("mine: only 0 of 50 documents hold any agreement; ")


def test_documents_without_segments_do_not_count():
    """Of 400 documents 40 have segments: these are what the interval and the caveat count."""
    gold = [TWO if d < 40 else [] for d in range(400)]
    corpus = sa.Corpus.from_segments([20] * 400, {"gold": gold, "mine": gold})
    result = sa.evaluate(corpus, ci=sa.Bootstrap(resamples=100))
    assert result.systems["mine"].f1.interval.observed[0] == pytest.approx(0.025 ** (1 / 40))
    assert "only 0 of 40 documents hold any disagreement" in result.caveats[0]
    few = corpus.subset(range(20, 400))
    said = (
        "mine: only 20 documents with anything to compare; on others the figures may differ a lot"
    )
    assert sa.evaluate(few).caveats == (said,)


def test_agreement():
    """Pairs, annotators, labels, the team and the mean: all have the honest lower end."""
    layer = [TWO] * 30
    corpus = sa.Corpus.from_segments([20] * 30, {"a": layer, "b": layer, "c": [*layer[:20], *[None] * 10]})  # fmt: skip
    result = sa.agree(corpus, ci=sa.Bootstrap(resamples=100))
    for part, documents in ((result.team, 30), (result.pairs["a", "b"], 30), (result.pairs["a", "c"], 20), (result.annotators["c"], 20), (result.labels["X"], 30)):  # fmt: skip
        assert part.f1.interval.observed == pytest.approx((0.025 ** (1 / documents), 1))
    assert result.mean.interval.observed == pytest.approx((0.025 ** (1 / 30), 1))
    assert result.evidence == (30, 0, 30)
    assert "team: only 0 of 30 documents hold any disagreement" in result.caveats[0]


def test_items():
    """50 items on which two annotators agree: π, κ, α, AC1 and SPA have an honest lower end; B has its own."""
    rows = [(i, who, "xy"[i < 5]) for i in range(50) for who in "ab"]
    result = sa.coefficients(sa.LabelTable.from_rows(rows), ci=sa.Bootstrap(resamples=300))
    low = 0.025 ** (1 / 50)
    for part in (result.spa, result.pi, result.kappa, result.alpha, result.ac1):
        assert part.interval.observed == pytest.approx((low, 1))
        assert part.interval.corrected[0] == pytest.approx((low - part.expected) / (1 - part.expected))  # fmt: skip
    assert result.bias.interval.kind == "bca"
    assert result.evidence == (50, 0, 50)
    assert result.caveats[-1].startswith("π: interval: ") or "hold any disagreement" in result.caveats[0]  # fmt: skip
    gaps = [*rows, (50, "a", "x"), (51, "b", "y"), (52, "a", "x"), (52, "b", "y")]
    assert sa.coefficients(sa.LabelTable.from_rows(gaps)).evidence == (51, 1, 50)
    counts = sa.LabelTable.from_counts([[2, 0], [1, 1], [1, 0], [2, 1]], ["x", "y"])
    assert sa.coefficients(counts).evidence == (3, 2, 2)


@pytest.mark.long
@pytest.mark.parametrize("odds", [0.003, 0.013])
def test_coverage_where_errors_are_rare(odds):
    """Near-perfect systems: the interval holds the truth at least as often as it says (4 standard errors).

    BCa alone holds .9967 in 66 % of samples. scripts/simulate_coverage.py has more populations.
    """
    rng = np.random.default_rng(21)
    gold = 1 + rng.poisson(4, 20_000)
    matched = gold - rng.binomial(gold, odds)
    rows = np.stack((matched, 0.03 * gold, gold + matched), axis=1)
    truth, held, runs = f1_figures(rows.sum(axis=0))[2], 0, 200
    for seed in range(runs):
        how = Resampling(resamples=200, seed=seed)
        (interval,) = intervals_of(rows[rng.integers(0, len(rows), 50)], f1_figures, how)
        held += interval.corrected[0] <= truth <= interval.corrected[1]
    assert held / runs > 0.95 - 4 * math.sqrt(0.95 * 0.05 / runs)


def test_joined_by_hand():
    """Four of 40 documents hold an agreement: its size there, at the ends of scipy's exact interval.

    Of two large documents among five it would be above 1, which no figure is.
    """
    ends = np.array([[0.25, 0.35], [0.1, 0.2], [0.17, 0.28]])
    found, why = joined(ends.tolist(), np.array([0.3, 0.1, 0.22]), (40, 25, 4), 0.025)
    assert found[0] == pytest.approx(0.3 * 40 / 4 * share(4, 40), abs=1e-9)
    assert found[1] == (0.1, 0.2)
    assert found[2] == pytest.approx((np.array(found[0]) - 0.1) / 0.9)
    assert why == "joined with Clopper–Pearson's, as 4 of 40 hold any agreement"
    found, _ = joined((1 - ends[:, ::-1]).tolist(), np.array([0.7, 0.1, 0.67]), (40, 4, 25), 0.025)
    assert found[0] == pytest.approx(1 - (0.3 * 40 / 4 * share(4, 40))[::-1], abs=1e-9)
    found, _ = joined(ends.tolist(), np.array([0.6, 0.1, 0.5]), (9, 2, 5), 0.025)
    loss, gain = 0.4 * 9 / 2 * share(2, 9), 0.6 * 9 / 5 * share(5, 9)
    assert 1 - loss[1] < 0 < gain[0] < gain[1] < 1 - loss[0]  # both are few
    assert found[0] == pytest.approx([0, 1 - loss[0]], abs=1e-9)
    found, _ = joined(ends.tolist(), np.array([0.9, 0.1, 0.8]), (5, 20, 2), 0.025)
    assert 0.9 * 5 / 2 * share(2, 5)[1] > 1
    assert found[0][1] == found[2][1] == 1


def test_few_large_documents():
    """Five documents, each with errors: the interval is that of t, not Clopper and Pearson's.

    Oracle: for differing shares scipy's t interval of log odds, moved by hand; without documents
    that lack an error the interval is as wide with nine documents as with ten, but for t.
    """
    rates = np.array([0.88, 0.9, 0.91, 0.92, 0.87])
    table = np.stack((500 * rates, np.zeros(5), np.full(5, 1000)), axis=1)
    (interval,) = intervals_of(table, f1_figures, Resampling())
    mean, error = rates.mean(), rates.std(ddof=1) / math.sqrt(5) / rates.mean() / (1 - rates.mean())
    center = math.log(mean / (1 - mean))
    low, high = center + stats.t(4).interval(0.95) * np.array(error)
    low -= (5 - 1) / 4 / 2 * (2 * mean - 1) * math.log(1 + error**2)
    assert interval.observed == pytest.approx((1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))))
    assert interval.corrected == pytest.approx(interval.observed)  # nothing is expected
    assert interval.kind == "bca"
    assert interval.observed[1] - interval.observed[0] < 0.06
    rows = np.resize(table, (30, 3))
    widths = [np.diff(intervals_of(rows[:n], f1_figures, Resampling())[0].observed) for n in range(5, 16, 5)]  # fmt: skip
    assert widths == sorted(widths, reverse=True)


@given(
    st.floats(0.01, 0.99),
    st.floats(0, 0.9),
    st.floats(1e-6, 0.5),
    st.integers(2, 500),
    st.sampled_from((0.0005, 0.025, 0.25)),
)
def test_t_in_log_odds(share, floor, error, units, tail):
    """The joined interval holds the figure and what it had, stays above the floor and below 1, and is the mirror image of that of the rest."""
    value = floor + (1 - floor) * share
    ends = np.array([[value - 1e-9, value + 1e-9]])
    ask = np.array([value]), np.array([error]), np.array([units])
    ((low, high),) = with_t(ends, *ask, np.array([floor]), tail)
    assert floor <= low <= ends[0, 0] < ends[0, 1] <= high <= 1 + 1e-9
    ((a, b),) = with_t(ends, *ask, np.array([math.nan]), tail)
    t = stats.t.ppf(1 - tail, units - 1)
    assert (a, b) == pytest.approx((min(value - t * error, ends[0, 0]), max(value + t * error, ends[0, 1])))  # fmt: skip
    other = np.array([1 - share]), np.array([error]), np.array([units])
    zero = np.zeros(1)
    mine = with_t(np.full((1, 2), share), np.array([share]), *other[1:], zero, tail)
    mirrored = with_t(np.full((1, 2), 1 - share), *other, zero, tail)
    np.testing.assert_allclose(1 - mirrored[:, ::-1], mine, atol=1e-12)


def test_t_of_nothing():
    """What is undefined stays so, and what does not vary stays one number."""
    ends = np.array([[0.5, 0.5], [math.nan, math.nan], [0.2, 0.4]])
    errors = np.array([1e-17, 0.1, math.nan])
    made = with_t(ends, np.array([0.5, 0.5, 0.3]), errors, np.array([9] * 3), np.zeros(3), 0.025)
    np.testing.assert_array_equal(made, ends)


def test_undefined_stays_so():
    """Joining gives no end where there was none."""
    nothing = np.full((2, 2), np.nan)
    assert np.isnan(united(nothing, np.zeros((2, 2)))).all()
    assert united(np.array([0.2, 0.3]), np.array([0.1, 0.25])).tolist() == [0.1, 0.3]
    assert united(np.array([0.1, 0.3]), np.array([0.2, 0.25])).tolist() == [0.1, 0.3]
    assert united(np.array([0.2, 0.3]), np.array([np.nan, np.nan])).tolist() == [0.2, 0.3]


# --- differences ----------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_interval_and_p_agree(test):
    """3 of 50 documents differ, all for one system: p is 2/8 by enumeration, and 0 is in the interval."""
    evaluation = sa.evaluate(corpus_of(8, better=[ONE] * 5 + [TWO] * 45))
    pair = sa.compare_systems(evaluation, test=test, bootstrap=sa.Bootstrap(resamples=2000))[
        "better", "mine"
    ]
    low, _ = share(3, 3)
    for difference in (pair.observed, pair.corrected):
        assert difference.p == 0.25
        assert difference.value > 0
        # the most that exchanging gives is what was found
        assert difference.low == pytest.approx(difference.value * (2 * low - 1))
        assert difference.high >= difference.value
        assert difference.reason == "interval: joined with Clopper–Pearson's, as the systems differ in only 3 documents"  # fmt: skip
    assert pair.exact
    assert pair.differing == 3
    turned = sa.compare_systems(
        sa.evaluate(corpus_of(8, better=[ONE] * 5 + [TWO] * 45).of_annotators(["gold", "better", "mine"])),
        test=test, bootstrap=sa.Bootstrap(resamples=2000),
    )["better", "mine"]  # fmt: skip
    assert turned.corrected.low == pytest.approx(pair.corrected.low, abs=1e-15)


def test_no_document_differs():
    """Equal systems: of 50 documents any may differ, 1 − 0.025^(1/50) of them, and by all there is."""
    evaluation = sa.evaluate(corpus_of(8, same=[ONE] * 8 + [TWO] * 42))
    (pair,) = sa.compare_systems(evaluation, bootstrap=sa.Bootstrap(resamples=200)).pairs
    most = 1 - 0.025 ** (1 / 50)
    assert (pair.observed.low, pair.observed.high) == pytest.approx((-most, most))
    by_chance = evaluation.systems["mine"].f1.expected
    assert pair.corrected.high == pytest.approx(most / (1 - by_chance))
    assert pair.corrected.p == 1
    json.dumps(pair.observed._asdict(), allow_nan=False)


@pytest.mark.long
def test_contradictions_are_said():
    """Where interval and p still part, the row says so; elsewhere 0 is in the interval if p is above .05."""
    rng = np.random.default_rng(5)
    torn = 0
    for seed in range(40):
        gold = [TWO] * 40
        layers = {
            name: [[s for s in TWO if rng.random() < odds] for _ in gold]
            for name, odds in (("a", 0.8), ("b", 0.68))
        }
        corpus = sa.Corpus.from_segments([20] * 40, {"gold": gold, **layers})
        (pair,) = sa.compare_systems(
            sa.evaluate(corpus), bootstrap=sa.Bootstrap(resamples=199, seed=seed)
        ).pairs
        for difference in (pair.observed, pair.corrected):
            agree = (difference.p > 0.05) == (difference.low <= 0 <= difference.high)
            said = (
                f"interval and p disagree, and the systems differ in {pair.differing} documents; "
            )
            assert (said in difference.reason) is not agree
            torn += not agree
    assert torn


@pytest.mark.parametrize("documents", [0, 1])
def test_no_interval_of_one_document(documents):
    """Made at once for many, the answer is that of the bootstrap itself: there is none."""
    how = Resampling(resamples=20)
    table = np.array([[1.0, 0.5, 4]])[:documents]
    (at_once,), (one_by_one,) = (
        intervals([(np.arange(documents), table)], f1_figures, how)[0],
        intervals_of(table, f1_figures, how),
    )
    assert str(at_once) == str(one_by_one)  # nan is equal to nothing
    assert at_once.reason.endswith(f": only {documents} to resample; an interval needs two")
