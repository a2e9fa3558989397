"""Slices in order: figures of each, tests by enumeration and by their level, and the trend."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import spanagree as sa


def team(right, ids=None):
    """Two annotators with a segment in each document, the same where ``right`` says so."""
    layers = {"a": [[(0, 1, "X")]] * len(right), "b": [[(0 if x else 2, 1 if x else 3, "X")] for x in right]}  # fmt: skip
    return sa.Corpus.from_segments([9] * len(right), layers, ids=ids)


def in_order(corpus, sizes, **how):
    """Slices one after the other, named by numbers from 1."""
    names = [str(i) for i, size in enumerate(sizes, 1) for _ in range(size)]
    return sa.slices.score_slices(sa.agree(corpus), names, **how)


def f1_of(part):
    """The F1 of a team in a slice."""
    return part.scores["team"].f1


def test_figures_of_the_batches_that_were(crowd):
    """Trend, changes and p of three parts of crowd, frozen from ``agree --batches 3`` of d1c795b7."""
    made = in_order(crowd, [21, 21, 21])
    trend = made.trends["team"]
    assert trend.slope == pytest.approx(-0.017603610423292265, abs=1e-12)
    assert trend.p == 0.58994100589941
    changes = [change.corrected for change in made.changes]
    assert [x.value for x in changes] == pytest.approx(
        [0.08581333694698151, -0.1227441735830706], abs=1e-12
    )
    assert [x.p for x in changes] == [0.18468153184681532, 0.055694430556944306]
    assert [x.p_adjusted for x in changes] == [0.18468153184681532, 0.11138886111388861]
    assert made.verdict == (
        "Corrected F1 goes from .494 (1) to .457 (3). By a permutation test the trend over all"
        " slices is not significant (p .590)."
    )
    by_pattern = sa.slices.score_slices(sa.agree(crowd), "note-([0-9])")
    assert by_pattern.trends["team"].p == 0.6888311168883112
    assert by_pattern.changes[0].corrected.p == 0.2703729627037296


def test_each_is_the_agreement_of_its_documents(crowd):
    """F1 and interval of a slice are those that agree gives for its documents."""
    made = in_order(crowd, [21, 21, 21], ci=True)
    for part, documents in zip(made.slices, np.array_split(np.arange(63), 3), strict=True):
        alone = sa.agree(crowd.subset(documents), ci=True)
        assert f1_of(part)[:3] == pytest.approx(alone.team.f1[:3], abs=1e-12)
        for kind in ("observed", "expected", "corrected"):
            ends = getattr(alone.team.f1.interval, kind)
            assert getattr(f1_of(part).interval, kind) == pytest.approx(ends)
        assert part.scores["team"].documents == alone.team.documents
    assert made.settings.annotators == 5
    assert "|slices:names|" in made.signature
    assert made["2"].documents == 21
    with pytest.raises(sa.SettingError, match="unknown slice 4; allowed: 1, 2, 3"):
        made["4"]


def test_other_documents_by_enumeration():
    """p of a change is the share of all divisions of the documents that are as far apart."""
    right = [0, 0, 1, 0, 1, 1, 1, 1, 1]
    made = in_order(team(right), [4, 5], resamples=20_000)
    gap = abs(np.mean(right[4:]) - np.mean(right[:4]))
    every = [
        abs(np.mean(np.delete(right, own)) - np.mean(np.array(right)[list(own)]))
        for own in itertools.combinations(range(9), 4)
    ]
    truth = np.mean([x >= gap - 1e-9 for x in every])
    (change,) = made.changes
    assert change.both == 0
    assert change.observed.value == pytest.approx(1 - 1 / 4)
    assert abs(change.observed.p - truth) < 4 * math.sqrt(truth * (1 - truth) / 20_000)
    assert math.isnan(change.observed.low)  # one of the first slice is right
    assert change.observed.reason.endswith("at most one document of 1 holds a match")


def test_same_documents_by_enumeration():
    """Documents in both rounds have their tallies exchanged: of 6 that differ, all 64 ways."""
    ids = [f"d{i}" for i in range(8)]
    rounds = {
        "round 1": sa.agree(team([0, 0, 0, 0, 0, 1, 1, 1], ids)),
        "round 2": sa.agree(team([1, 1, 1, 1, 1, 0, 1, 1], ids)),
    }
    made = sa.slices.score_slices(rounds, resamples=20_000)
    differing = np.array([1, 1, 1, 1, 1, -1])
    every = [abs((differing * signs).sum()) for signs in itertools.product((1, -1), repeat=6)]
    truth = np.mean([x >= 4 for x in every])
    (change,) = made.changes
    assert (change.both, change.observed.value) == (8, pytest.approx(0.5))
    assert abs(change.observed.p - truth) < 4 * math.sqrt(truth * (1 - truth) / 20_000)
    assert "8 documents are in two slices" in str(made)


def test_a_change_by_leaving_out_documents():
    """Each document is left out of the slice that it is in: the difference, V and t by hand."""
    right = np.arange(30) % 3 > np.repeat([0, 1], 15)
    change = in_order(team(right), [15, 15], resamples=9).changes[0].observed
    halves = right[:15].astype(float), right[15:].astype(float)
    changes = [(x.sum() - d) / 14 - x.mean() for x in halves for d in x]
    variance = sum(d**2 for d in changes)
    freedom = 2 * variance**2 / (sum(d**4 for d in changes) - variance**2 / 30)
    reach = stats.t.isf(0.025, min(freedom, 29)) * math.sqrt(variance)
    assert change.value == pytest.approx(halves[1].mean() - halves[0].mean())
    assert (change.low, change.high) == pytest.approx((change.value - reach, change.value + reach))


@pytest.mark.long
def test_the_interval_of_a_change():
    """Of shares: the standard error of two binomial shares, or of paired differences; theory."""
    rng = np.random.default_rng(2)
    first, second = rng.random(400) < 0.6, rng.random(400) < 0.7
    apart = in_order(team([*first, *second]), [400, 400], resamples=9).changes[0].observed
    error = math.sqrt(sum(x.mean() * (1 - x.mean()) / 400 for x in (first, second)))
    assert apart.high - apart.low == pytest.approx(2 * 1.96 * error, rel=0.02)
    ids = [str(i) for i in range(400)]
    noisy = first ^ (rng.random(400) < 0.1)
    rounds = {"1": sa.agree(team(first, ids)), "2": sa.agree(team(noisy, ids))}
    paired = sa.slices.score_slices(rounds, resamples=9).changes[0].observed
    error = (noisy.astype(int) - first).std() / 20
    assert paired.high - paired.low == pytest.approx(2 * 1.96 * error, rel=0.04)  # t, not normal
    assert paired.low < paired.value < paired.high


@pytest.mark.slow
def test_level_of_the_trend():
    """Without a trend p is at most .1 in a tenth of samples, within four standard errors."""
    rng = np.random.default_rng(7)
    ps = [
        in_order(team(rng.random(60) < 0.6), [12] * 5, resamples=99, seed=i).trends["team"].p
        for i in range(150)
    ]
    assert abs(np.mean(np.array(ps) <= 0.1) - 0.1) < 4 * math.sqrt(0.09 / 150)


def test_a_trend_is_found():
    """The slope is that of least squares over slices of the same size, and p small."""
    rng = np.random.default_rng(3)
    right = rng.random(500) < np.repeat([0.4, 0.5, 0.6, 0.7, 0.8], 100)
    made = in_order(team(right), [100] * 5, resamples=999)
    shares = [f1_of(part).corrected for part in made.slices]
    assert made.trends["team"].slope == pytest.approx(np.polyfit(range(5), shares, 1)[0])
    assert made.trends["team"].p == 0.001
    assert "trend: corrected F1 +0." in str(made)


def test_a_trend_by_hand():
    """Slices of 2, 4 and 2 documents: weighted least squares of shares 0, 1/2, 1 is 1/2 a step."""
    made = in_order(team([0, 0, 1, 0, 1, 0, 1, 1]), [2, 4, 2], resamples=9)
    corrected = [f1_of(part).corrected for part in made.slices]
    assert [f1_of(part).observed for part in made.slices] == [0, 0.5, 1]
    weight, x = np.array([2, 4, 2]), np.arange(3)
    centre = weight @ x / weight.sum()
    by_hand = (weight * (x - centre)) @ corrected / ((weight * (x - centre)) @ (x - centre))
    assert made.trends["team"].slope == pytest.approx(by_hand)


def test_other_texts_are_other_documents():
    """Documents whose ids differ in the slice alone, but that have other texts, are not paired."""
    ids, layers = ["r1/a", "r1/b", "r2/a", "r2/b"], {"x": [[(0, 1, "X")]] * 4}
    layers |= {"y": [[(0, 1, "X")], [], [(0, 1, "X")], [(0, 1, "X")]]}
    for texts, both in ((["one", "two", "one", "two"], 2), (["one", "two", "one", "six"], 1)):
        corpus = sa.Corpus.from_segments(
            [3] * 4, layers, ids=ids, texts=texts, offsets="characters"
        )
        made = sa.slices.score_slices(sa.agree(corpus), "r([12])", resamples=9)
        assert made.changes[0].both == both
        assert sum("another text" in note for note in made.notes) == (both < 2)
        halves = {"1": corpus.subset([0, 1]), "2": corpus.subset([2, 3])}
        by_name = {name: sa.agree(half.replace(ids=("a", "b"))) for name, half in halves.items()}
        assert sa.slices.score_slices(by_name, resamples=9).changes[0].both == both
    lengths = sa.Corpus.from_segments([3, 4, 3, 5], layers, ids=ids)
    assert sa.slices.score_slices(sa.agree(lengths), "r([12])", resamples=9).changes[0].both == 1


def test_documents_of_one_slice_that_look_the_same():
    """What a pattern leaves of two ids of one slice may be equal; both count."""
    right = [1, 0, 1, 1]
    corpus = team(right, ["r1/a", "a/r1", "r2/a", "a/r2"])
    made = sa.slices.score_slices(sa.agree(corpus), "/?(r[12])/?", resamples=9)
    assert made.changes[0].observed.value == 1 - 1 / 2


def test_the_verdict_says_what_p_is_of():
    """p is that of the trend over all slices; a step that is significant by itself is named, and
    a last slice that is undefined is not taken for the last that is defined."""
    right = np.arange(120) % 10 < np.repeat([2, 9, 4, 2], 30)
    made = in_order(team(right), [30] * 4, resamples=999)
    assert [step.corrected.p_adjusted < 0.05 for step in made.changes] == [True, True, False]
    assert made.verdict.startswith("Corrected F1 goes from .100 (1) to .100 (4). By a")
    p = f"{made.trends['team'].p:.3f}".replace("0.", ".")
    assert f"the trend over all slices is not significant (p {p}" in made.verdict
    assert made.verdict.endswith(
        "; significant steps, after Holm's correction: from 1 to 2 (p .003), from 2 to 3 (p .003)."
    )
    empty = {"a": [[]] * 9, "b": [[]] * 9}
    rounds = {
        "r1": team([1] * 9),
        "r2": team([0, 1, 1] * 6),
        "r3": sa.Corpus.from_segments([9] * 9, empty),
    }
    agreements = {name: sa.agree(corpus) for name, corpus in rounds.items()}
    made = sa.slices.score_slices(agreements, resamples=99)
    assert "from 1.000 (r1) to .625 (r2, the last that is defined)." in made.verdict


def test_order_changes_no_figure(crowd):
    """Documents and annotators in another order give the same, p too, where names are the same."""
    turned = crowd.select_annotators(crowd.annotators[::-1]).subset(np.arange(63)[::-1])
    one, other = (
        sa.slices.score_slices(sa.agree(c), "note-([0-9])", ci=True, resamples=99)
        for c in (crowd, turned)
    )
    for ours, theirs in zip(one.slices, other.slices, strict=True):
        assert f1_of(ours)[:3] == pytest.approx(f1_of(theirs)[:3], abs=1e-12)
        interval, of_other = f1_of(ours).interval, f1_of(theirs).interval
        assert interval.corrected == pytest.approx(of_other.corrected, abs=1e-12)
    for ours, theirs in zip(one.changes, other.changes, strict=True):
        assert ours.corrected[:5] == pytest.approx(theirs.corrected[:5], abs=1e-12, nan_ok=True)
    assert one.trends["team"] == pytest.approx(other.trends["team"], abs=1e-12)


def test_gaps_and_nothing():
    """A slice that one annotator saw has no figure and a reason; the others have theirs."""
    layers = {"a": [[(0, 1, "X")]] * 3, "b": [[(0, 1, "X")], None, [(0, 1, "X")]]}
    made = in_order(sa.Corpus.from_segments([9] * 3, layers), [1, 1, 1], ci=True, resamples=9)
    assert math.isnan(f1_of(made["2"]).observed)
    assert math.isnan(made.changes[0].observed.value)
    assert math.isnan(made.changes[0].corrected.p_adjusted)
    assert "2: F1 undefined: no document was seen by both, or by two annotators" in str(made)
    assert len(made.caveats) == 2  # of no document, and of one
