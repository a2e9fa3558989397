"""Intervals over other annotators: the definition by enumeration, plain loops, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

import spanagree as sa
from spanagree.agreement.other_annotators import changes
from spanagree.results.score import f1_figures

CROWD = Path(__file__).parents[2] / "corpora" / "crowd" / "crowd.jsonl"
ASK = {"ci": sa.Bootstrap(resamples=200, seed=3)}


def complete(annotators, documents, seed):
    """A corpus that all saw whole; everybody marks two segments of each document."""
    rng = np.random.default_rng(seed)
    layers = {}
    for a in range(annotators):
        starts = rng.integers(0, 2 + a, (documents, 2))
        layers[f"a{a}"] = [
            [(int(s), int(s) + 1, "X"), (10 + int(t), 11 + int(t), "X")] for s, t in starts
        ]
    return sa.Corpus.from_segments([20] * documents, layers)


@pytest.mark.parametrize("annotators", [4, 5, 7])
def test_the_variance_is_the_unbiased_one(annotators):
    """Over annotators: U² less the mean product of pairs without a common annotator, enumerated.

    The mean of U² is the variance and the squared mean of the population, and the mean product of
    two pairs that have nobody in common is the latter.
    """
    corpus = complete(annotators, 6, seed=annotators)
    result = sa.agree(corpus, ci=sa.Bootstrap(resample_by="annotators"))
    h = {frozenset((p.a, p.b)): p.f1.observed for p in result.pairs.values()}
    disjoint = [h[p] * h[q] for p, q in itertools.product(h, h) if not p & q]
    mean = math.fsum(h.values()) / len(h)
    variance = mean**2 - math.fsum(disjoint) / len(disjoint)
    apart = math.fsum((x - mean) ** 2 for x in h.values()) / len(h) ** 2
    half = student.ppf(0.975, annotators - 1) * math.sqrt(max(variance, apart))
    # all sizes are the same, so the team's observed F1 is the mean over pairs
    for low, high in (result.mean.interval.observed, result.team.f1.interval.observed):
        assert low == pytest.approx(max(mean - half, 0), abs=1e-9)
        assert high == pytest.approx(min(mean + half, 1), abs=1e-9)
    assert result.team.f1.interval.kind == "annotators"


def by_hand(crowd, figure):
    """The error of the team's observed F1 beyond documents, and degrees of freedom, with loops."""
    cells = {}
    for document in crowd:
        seen = {name: set(each) for name, each in document.segments.items() if each is not None}
        for a, b in itertools.combinations(sorted(seen), 2):
            if seen[a] or seen[b]:
                cells[a, b, document.id] = 2 * len(seen[a] & seen[b]), len(seen[a]) + len(seen[b])
    whole = sum(size for _, size in cells.values())
    change = {key: (m - figure * size) / whole for key, (m, size) in cells.items()}
    of = defaultdict(lambda: defaultdict(float))
    sizes = defaultdict(float)
    for (a, b, d), x in change.items():
        of["pair"][a, b] += x
        of["entry"][a, b, d] += x
        for who in (a, b):
            of["annotator"][who] += x
            of["both"][who, d] += x
            sizes[who] += cells[a, b, d][1]
    squares = {key: sum(x**2 for x in sums.values()) for key, sums in of.items()}
    freedom = sum(sizes.values()) ** 2 / sum(x**2 for x in sizes.values()) - 1
    n = max(freedom + 1, 4)
    variance = n * (n - 1) / ((n - 2) * (n - 3)) * (squares["annotator"] - squares["pair"])
    variance = max(variance, squares["pair"])
    variance = max(variance - (squares["both"] - squares["entry"]), 0)
    return math.sqrt(variance), freedom


def test_both_by_twenty_lines(crowd):
    """The interval over both, with gaps: that over documents, widened by the error of loops."""
    plain, both = (
        sa.agree(crowd, **{**ASK, "ci": replace(ASK["ci"], resample_by=by)})
        for by in ("unit", "both")
    )
    value = plain.team.f1.observed
    error, freedom = by_hand(crowd, value)
    wide = student.ppf(0.975, freedom) * error
    low, high = plain.team.f1.interval.observed
    assert both.team.f1.interval.observed == pytest.approx(
        (value - math.hypot(value - low, wide), min(value + math.hypot(high - value, wide), 1)),
        abs=1e-9,
    )
    assert both.team.f1[:3] == plain.team.f1[:3]
    assert both.team.f1.interval.kind == "bca+annotators"
    assert [p.f1.interval for p in both.pairs.values()] == [
        p.f1.interval for p in plain.pairs.values()
    ]
    assert "|ci:bca95|resample_by:both|resamples:200|seed:3|" in both.signature


def test_one_against_others(crowd):
    """An annotator against the rest: the others are the sample; the plain formula of a mean."""
    result = sa.agree(crowd, ci=sa.Bootstrap(resample_by="annotators"))
    member = result.annotators["ann"]
    whole, value = member.tally.size_a + member.tally.size_b, member.f1.observed
    pairs = [p for p in result.pairs.values() if "ann" in (p.a, p.b)]
    sizes = [p.tally.size_a + p.tally.size_b for p in pairs]
    changes = [
        (2 * p.tally.matched - value * size) / whole for p, size in zip(pairs, sizes, strict=True)
    ]
    freedom = sum(sizes) ** 2 / sum(x**2 for x in sizes) - 1
    others = max(freedom + 1, 3)
    error = math.sqrt(others / (others - 1) * sum(x**2 for x in changes))
    half = student.ppf(0.975, freedom) * error
    ends = max(value - half, 0), min(value + half, 1)
    assert member.f1.interval.observed == pytest.approx(ends, abs=1e-9)


def test_order_changes_no_digit(crowd):
    """Annotators and documents in another order give the same digits."""
    turned = crowd.of_annotators(crowd.annotators[::-1]).subset(np.arange(len(crowd))[::-1])
    one, other = (
        sa.agree(c, **{**ASK, "ci": replace(ASK["ci"], resample_by="both")})
        for c in (crowd, turned)
    )
    assert one.team.f1.interval == other.team.f1.interval
    assert one.mean.interval == other.mean.interval
    assert one.labels["PEST"].f1.interval == other.labels["PEST"].f1.interval
    assert one.annotators["eli"].f1.interval == other.annotators["eli"].f1.interval


@pytest.mark.parametrize("by", ["annotators", "both"])
def test_fewer_than_four(crowd, by):
    """Three annotators give no interval, and a reason; nor do two, one, or an empty corpus."""
    for names in (["ann", "bob", "cem"], ["ann", "bob"]):
        result = sa.agree(crowd, annotators=names, ci=replace(sa.Bootstrap() if by == "annotators" else ASK["ci"], resample_by=by))  # fmt: skip
        for interval in (result.team.f1.interval, result.mean.interval):
            assert all(math.isnan(end) for end in interval.corrected)
            assert f"{len(names)} annotators; an interval over annotators needs 4" in interval.reason  # fmt: skip
    for none in (crowd.of_annotators(["ann"]), crowd.subset([])):
        assert sa.agree(none, ci=sa.Bootstrap(resample_by=by)).team.f1.interval is None


def test_a_pair_is_fixed(crowd):
    """Over annotators alone a pair has no interval: it is these two."""
    interval = (
        sa.agree(crowd, ci=sa.Bootstrap(resample_by="annotators")).pairs["ann", "bob"].f1.interval
    )
    assert math.isnan(interval.observed[0])
    assert "a pair is these two annotators, and no others; resample by unit" in interval.reason


@pytest.mark.parametrize("annotators", [2, 3, 4, 9, 10])
def test_other_annotators_only_on_request(annotators, run, tmp_path):
    """Intervals are over documents for any number of annotators; over others, too, if asked for.

    Both are those that ``resample_by`` names, which the tests above derive.
    """
    corpus = complete(annotators, 6, seed=annotators)
    plain, unit, both = (
        sa.agree(corpus, ci=sa.Bootstrap(resamples=99, resample_by=by))
        for by in (None, "unit", "both")
    )
    for part in ("team", "mean", "labels", "annotators", "pairs", "signature", "notes", "caveats"):
        assert getattr(plain, part) == getattr(unit, part), part
    assert "resample_by" not in plain.signature
    assert plain.to_dict() == unit.to_dict()
    assert plain.team.f1.interval.kind == "bca"
    assert both.team.f1.interval.kind == ("bca+annotators" if annotators >= 4 else "bca")
    assert math.isnan(both.team.f1.interval.corrected[0]) == (annotators < 4)
    assert "intervals: for these annotators" in str(plain)
    assert "intervals: for these annotators" not in str(both)
    path = tmp_path / "team.jsonl"
    sa.write_jsonl(corpus, path)
    code, out, _ = run("agree", path, "--ci", "--resamples", "99", "--format", "json")
    assert code == 0
    unit = sa.agree(sa.read(path), ci=sa.Bootstrap(resamples=99, resample_by="unit"))
    assert json.loads(out) == unit.to_dict()


@pytest.mark.parametrize("by", ["annotators", "both"])
def test_few_annotators_are_remarked(by):
    """Below ten, an interval over annotators has a caveat: in text, JSON and a paragraph."""
    for annotators in (3, 4, 9, 10):
        corpus = complete(annotators, 4, seed=1)
        result = sa.agree(corpus, ci=sa.Bootstrap(resamples=99, resample_by=by))
        says = f"{annotators} annotators: an interval over annotators wants 10 or more"
        shown = (
            " ".join(str(result).split()),
            " ".join(result.to_dict()["caveats"]),
            " ".join(sa.cite(result, results=True).split()),
        )
        assert [says in text for text in shown] == [annotators < 10] * 3
    fixed = sa.agree(complete(4, 4, seed=1), ci=sa.Bootstrap(resamples=99))
    assert "wants 10" not in str(fixed)


@pytest.mark.slow
def test_coverage_of_few():
    """Teams of six from many: the interval over both holds the population's F1, over documents not.

    The oracle is the population's figure, known by its making: two segments of an annotator of
    skill s are hers with s each; 95 % of 150 within four standard errors.
    """
    rng = np.random.default_rng(8)
    skill = rng.beta(6, 2, 3000)
    truth = skill.mean() ** 2  # a segment is matched if both have it
    held = np.zeros(2)
    for _ in range(150):
        own = rng.choice(skill, 6)
        layers = {}
        for a, s in enumerate(own):
            wrong = rng.random((15, 2)) >= s  # then at a place of her own
            starts = np.where(wrong, [2 + a, 12 + a], [0, 10])
            layers[f"a{a}"] = [[(x, x + 1, "X") for x in each] for each in starts.tolist()]
        corpus = sa.Corpus.from_segments([20] * 15, layers)
        for i, by in enumerate(("unit", "both")):
            got = sa.agree(corpus, ci=sa.Bootstrap(interval="jackknife", resample_by=by))
            low, high = got.team.f1.interval.observed
            held[i] += low <= truth <= high
    assert abs(held[1] / 150 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 150)
    assert held[0] / 150 < 0.75


def test_refused(crowd, run):
    """Where annotators are no sample: systems, coefficients; and draws of nothing."""
    wrong = r"resample_by '(annotators|both)'; allowed: unit, document"
    pair = {"ci": sa.Bootstrap(resample_by="both")}
    with pytest.raises(sa.SettingError, match=wrong):
        sa.evaluate(crowd, "ann", **pair)
    with pytest.raises(sa.SettingError, match=wrong):
        sa.evaluate(crowd, "ann", ci=sa.Bootstrap(resample_by="annotators"))
    with pytest.raises(sa.SettingError, match="interval bca; over annotators nothing is drawn"):
        sa.agree(crowd, ci=sa.Bootstrap(interval="bca", resample_by="annotators"))
    code, _, err = run("agree", CROWD, "--ci", "--resample-by", "annotators", "--seed", "1")
    assert code == 2
    assert "--seed does not go with --resample-by annotators: it draws nothing" in err


@pytest.mark.long
def test_in_words(crowd, run):
    """What is fixed and what is a sample stands in the explanation and in the methods."""
    for by, explained, cited in (
        ("unit", "The annotators are held fixed", "The annotators are held fixed."),
        (None, "The annotators are held fixed", "The annotators are held fixed."),
        ("both", "about other documents and other annotators", "widened for other annotators"),
        ("annotators", "t times the standard error", "over annotators, by leaving out one and two"),
    ):
        more = () if by is None else ("--resample-by", by)
        code, out, _ = run("agree", CROWD, "--ci", "--explain", "--format", "markdown", *more)
        assert code == 0
        assert explained in " ".join(out.split())
        result = sa.agree(crowd, ci=sa.Bootstrap(resample_by=by))
        assert cited in " ".join(sa.cite(result).split())


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.floats(0.01, 0.9), st.integers(1, 9)),
        min_size=2,
        max_size=6,
    )
)
def test_changes_are_derivatives(rows):
    """What a row changes, to first order: the slope of the figures as the row's weight grows."""
    sums = np.array([[min(m, s), e * s / 2, 2 * s] for m, e, s in rows])
    found, step = changes(sums), 1e-6
    for row, change in zip(sums, found, strict=True):
        ends = [f1_figures(sums.sum(axis=0) + sign * step * row) for sign in (1, -1)]
        assert change == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-6, rel=1e-5)
