"""The ends of intervals and p to the digit: scipy's BCa on the same resamples, and by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from spanagree.uncertainty.bootstrap import (
    ResampledFigures,
    Resampling,
    Sample,
    _to_40_bits,
    bootstrap,
)
from spanagree.uncertainty.ends import Drawn, bca, quantiles

import spanagree as sa
from spanagree.results.score import f1_figures
from spanagree.uncertainty import draws
from spanagree.uncertainty.permutation import exchange, few_ends, holm

UNDEFINED = "percentile, as its bias or acceleration is undefined"


def interval_of_resamples(resampled, figure, how):
    """Return low and high end of one figure from its resamples alone, and the note."""
    ends, (note,), _ = resampled.ends(slice(figure, figure + 1), how)
    return *ends[0].tolist(), note


def means(values):
    """Documents of size 2 without chance, so that observed F1 is the mean of what they match."""
    values = np.asarray(values, np.float64)
    return np.stack((values, np.zeros(len(values)), np.full(len(values), 2.0)), axis=1)


SKEWED = {  # their sums are exact, so that both programs find the same ties
    "one that is far off": [0, 0, 0.125, 0.125, 0.25, 0.25, 0.375, 0.375, 5],
    "the other way": [0, 0.875, 0.875, 0.875, 1, 1, 1, 1, 1, 1],
    "two documents": [0.25, 1],
    "whole numbers, with ties": [0, 0, 1, 1, 1, 2, 7],
    "as many equal ones as are drawn from their number": [0] * 40 + [1] * 3,
}


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 3)), min_size=1, max_size=8),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_quantiles_of_what_occurs_often(some, low, high):
    """Quantiles of counted values are NumPy's of the same values written out."""
    values, often = map(np.array, zip(*some, strict=True))
    plain = np.quantile(np.repeat(values, often), [low, high])
    (ends,) = quantiles(Drawn.of(values[:, None], often), np.array([[low, high]]))
    np.testing.assert_allclose(ends, plain, rtol=0, atol=1e-15)


@pytest.mark.parametrize("confidence", [50, 95, 99])
@pytest.mark.parametrize("values", SKEWED.values(), ids=SKEWED)
def test_bca_is_scipys(values, confidence):
    """On skewed data and the very same resamples, the ends are those of scipy.stats.bootstrap."""
    how = Resampling(confidence=confidence, resamples=2000)
    drawn = bootstrap(Sample(means(values)), f1_figures, how)
    theirs = stats.bootstrap(
        (np.array(values, np.float64),), np.mean, method="BCa", n_resamples=0,
        confidence_level=confidence / 100,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn.replicates[:, 0]),
    ).confidence_interval  # fmt: skip
    low, high, note = interval_of_resamples(drawn, 0, how)
    assert note == ""
    assert (low, high) == (pytest.approx(theirs.low), pytest.approx(theirs.high))


def bare(estimate, replicates, left_out, times=None):
    """A bootstrap of one figure from its numbers."""
    column = [np.array(x, np.float64)[:, None] for x in (replicates, left_out)]
    return ResampledFigures(np.array([estimate]), *column, np.array(times or [1] * len(left_out)))


@pytest.mark.parametrize("left_out", [[1, 2, 4], [-1, -2, -4], [1, 2, 3]])
@pytest.mark.parametrize("estimate", [0.0, 9.0])
def test_no_resample_on_one_side(estimate, left_out):
    """Where no resample is below (or above) the estimate, the bias is undefined: percentiles."""
    values = np.arange(1.0, 6)
    low, high, note = interval_of_resamples(
        bare(estimate, values, left_out), 0, Resampling(confidence=50)
    )
    assert (low, high, note) == (2, 4, UNDEFINED)


@pytest.mark.parametrize("off", [0, 1e-14, -1e-14])
def test_estimate_at_the_edge_of_its_resamples(off):
    """Resamples equal to the estimate count half on each side, also where rounding parts them.

    By hand (Efron 1987): 10 of 100 are equal and none is below, so z₀ = Φ⁻¹(.05).
    """
    replicates = np.concatenate((np.full(10, 0.3), 0.3 + np.random.default_rng(5).random(90)))
    z0 = stats.norm.ppf(0.05)
    deviation = 0.8 / 3 - np.array([0.1, 0.3, 0.4])
    a = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    z = z0 + stats.norm.ppf([0.025, 0.975])
    ends = np.quantile(replicates, stats.norm.cdf(z0 + z / (1 - a * z)))
    *found, note = interval_of_resamples(
        bare(0.3 + off, replicates, [0.1, 0.3, 0.4]), 0, Resampling()
    )
    assert note == ""
    assert found == pytest.approx(ends.tolist())


def test_acceleration_without_end():
    """1 − a(z₀ + z) ≤ 0 has no end (Efron 1987, eq. 6.6): percentiles, though the other end has one."""
    replicates = np.concatenate((np.zeros(999), [2.0]))
    one = bare(1.0, replicates, [0.0, 1.0], times=[1, 999])  # one document far above the others
    how = Resampling(confidence=99.9)
    assert interval_of_resamples(one, 0, how) == (
        0,
        pytest.approx(np.quantile(replicates, 0.9995)),
        UNDEFINED,
    )
    assert interval_of_resamples(one, 0, Resampling(confidence=50))[2] == ""


def test_ends_do_not_depend_on_how_little_a_figure_varies():
    """BCa's ends are quantiles, and the acceleration is a ratio (Efron 1987, eq. 6.6): figures that
    vary a hundred million times less, as those of very many documents do, have the same."""
    below, left_out, times = np.array([0.4]), np.array([[0.1], [0.3], [0.4]]), np.ones(3, np.int64)
    ends, defined = bca(below, left_out, times, 0.025)
    of_little, defined_too = bca(below, left_out * 1e-8, times, 0.025)
    assert (defined.tolist(), defined_too.tolist()) == ([True], [True])
    np.testing.assert_allclose(of_little, ends, rtol=1e-6)


def test_two_documents_are_enough():
    """An interval needs two documents, no more; one says so."""
    how = Resampling(resamples=50)
    assert bootstrap(Sample(means([0.25, 1])), f1_figures, how).interval(0, how)[2] == ""
    low, _, note = bootstrap(Sample(means([1])), f1_figures, how).interval(0, how)
    assert math.isnan(low)
    assert note == "only 1 to resample; an interval needs two"


def test_nothing_varies():
    """Where every document adds the same, resamples of what is no share of agreement tell nothing:
    there is no interval, and the reason."""
    layers = {"ann": [[(0, 2, "X")]] * 5, "bob": [[(0, 3, "X")]] * 5}
    corpus = sa.Corpus.from_segments([9] * 5, layers)
    interval = sa.alpha_u(corpus, ci=sa.Bootstrap(resamples=50)).all.interval
    assert np.isnan(interval[:3]).all()
    assert "the same in every resample" in interval.reason


@pytest.mark.parametrize("documents", [2, 3, 20])
def test_documents_that_are_alike(documents):
    """Where documents hold agreement and disagreement, but all the same, no resample tells anything
    of others: no result, sentence or JSON has an interval."""
    layers = {"ann": [[(0, 1, "X"), (3, 4, "Y")]], "bob": [[(0, 1, "X"), (4, 5, "Y")]]}
    layers = {name: of_one * documents for name, of_one in layers.items()}
    corpus = sa.Corpus.from_segments([6] * documents, layers)
    ci = sa.Bootstrap(resamples=50)
    evaluation, team = sa.evaluate(corpus, ci=ci), sa.agree(corpus, ci=ci)
    labels = sa.coefficients(sa.token_labels(corpus), ci=ci)
    for interval in (
        evaluation["bob"].f1.interval, team.team.f1.interval, labels.alpha.interval,
    ):  # fmt: skip
        assert np.isnan(interval[:3]).all()
        assert "the same in every resample" in interval.reason
        assert interval.to_dict()["corrected"] in (None, [None, None])
    for result in (evaluation, team, labels):
        assert "CI" not in result.verdict


def test_where_only_chance_varies():
    """Two documents of the same observed agreement, but of other lengths, have no corrected one."""
    layers = {"ann": [[(0, 1, "X"), (3, 4, "Y")]] * 2, "bob": [[(0, 1, "X"), (4, 5, "Y")]] * 2}
    interval = sa.evaluate(sa.Corpus.from_segments([6, 30], layers), ci=True)["bob"].f1.interval
    assert np.isnan((interval.observed, interval.corrected)).all()
    assert interval.expected[0] < interval.expected[1]


@pytest.mark.parametrize("number", [0.5, 1.0, 3.0])
def test_neighbours_are_the_same(number):
    """Sums that come out a last digit lower or higher are the same unit: a number of few binary
    digits and both its neighbours are that number."""
    near = np.nextafter(number, [0, number, 9])
    assert _to_40_bits(near).tolist() == [number] * 3


def test_defaults_and_limits():
    """The defaults of the docs; 0 and 100 per cent are not between 1 and 100, seed 0 and one resample are taken."""
    assert Resampling() == Resampling(95, 10_000, 0, "bca", "unit")
    assert Resampling(99.9, 1, 0).settings() == {"ci": "bca99.9", "resamples": 1, "seed": 0}
    assert Resampling(1.5).settings()["ci"] == "bca1.5"
    for wrong in (0, 100, True, math.nan):
        with pytest.raises(sa.SettingError, match="a percentage above 1 and below 100"):
            Resampling(wrong)
    for wrong in ({"resamples": 0}, {"seed": -1}):
        with pytest.raises(sa.SettingError):
            Resampling(**wrong)


@pytest.mark.parametrize("cells", [1, 7, 1 << 22])
def test_portions_change_no_digit(cells, monkeypatch):
    """As many resamples, leave-one-outs and exchanges as asked for, however few a portion holds."""
    table = means([0, 0.1, 0.2, 0.5, 1, 3])
    how = Resampling(resamples=50)
    whole, evidence = bootstrap(Sample(table), f1_figures, how), Sample(table).evidence(f1_figures)
    monkeypatch.setattr(draws, "CELLS", cells)
    assert Sample(table).evidence(f1_figures).tolist() == evidence.tolist()
    parts = bootstrap(Sample(table), f1_figures, how)
    assert np.array_equal(parts.replicates, whole.replicates, equal_nan=True)
    assert np.array_equal(parts.left_out, whole.left_out)
    pair = np.stack((table, table[::-1]), axis=1)
    own = np.array([0.1, 0.1])
    for exact in (True, False):
        monkeypatch.setattr(draws, "CELLS", 1 << 22)
        at_once = exchange(pair, pair, own, exact, how)
        monkeypatch.setattr(draws, "CELLS", cells)
        assert exchange(pair, pair, own, exact, how) == at_once


@pytest.mark.parametrize("equal", [16, 17])
def test_draws_are_numpys(equal):
    """Units are drawn by NumPy's generator, in the order of what they add; by hand."""
    table = means([0.5] * (equal - 1) + [1])
    drawn = next(Sample(table).resampled(Resampling(resamples=3, seed=4)))
    rng = np.random.default_rng(4)
    ones = (rng.integers(0, equal, size=(3, equal)) == equal - 1).sum(axis=1)
    assert np.array_equal(drawn[:, 0], 0.5 * (equal - ones) + ones)
    assert np.array_equal(drawn[:, 2], np.full(3, 2.0 * equal))


def test_p_of_an_exchange_by_hand():
    """Two documents that differ: 4 ways, of which those as far off 0 count, ties among them."""
    pair = np.array([[[1.0, 0, 2], [0, 0, 2]], [[1, 0, 2], [0, 0, 2]], [[1, 0, 2], [1, 0, 2]]])
    differing = pair[:2]
    # F1 of 3 documents of size 2 each: a − b is ±2/3 or 0
    five = Resampling(resamples=5)  # which the 4 ways do not depend on
    for value, p in ((2 / 3, 2 / 4), (0.0, 1.0), (0.5, 2 / 4)):
        assert exchange(pair, differing, np.array([value] * 2), True, five) == [p, p]
    assert math.isnan(exchange(pair, differing, np.array([math.nan, 0.5]), True, Resampling())[0])
    how = Resampling(resamples=9, seed=1)
    flips = np.random.default_rng(1).integers(0, 2, size=(9, 2))
    hits = int((flips[:, 0] == flips[:, 1]).sum())  # both exchanged, or none
    assert exchange(pair, differing, np.array([2 / 3] * 2), False, how)[0] == (1 + hits) / 10


def test_holm_is_no_more_than_one():
    """Adjusted p are at most 1, and rise with p: by hand."""
    assert holm([0.5, 0.9, 0.4]) == [1.0, 1.0, 1.0]
    assert holm([0.01, 0.02, 0.5]) == [0.03, 0.04, 0.5]


def test_few_ends_by_hand():
    """Ends where systems differ nowhere, or where nothing that differs moves a figure.

    Oracle: Clopper and Pearson's interval of none of three documents is 0 to 1 − tail^(1/3). A
    document counts if either system has something in it; chance is that of the more random system.
    """
    both = np.array(
        [[[1, 0.4, 2], [1, 0.8, 2]], [[2, 0.4, 2], [2, 0.8, 2]], [[0, 0, 0], [0, 0, 2]]]
    )
    by_chance = 3.2 / 6  # of the second, F1; that of the first is 1.6 of 4
    most = 1 - 0.025 ** (1 / 3)
    same = few_ends(both, np.zeros((0, 2, 3)), 0.025)
    np.testing.assert_allclose(
        same, [[-most, most], [-most / (1 - by_chance), most / (1 - by_chance)]]
    )
    # of one that differs in chance alone, the observed figure does not move
    ends = few_ends(both[:2], both[:1], 0.025)
    most = 1 - 0.025 ** (1 / 2)
    np.testing.assert_allclose(ends[0], [-most, most])
