"""Measures of one's own, and random corpora to try them on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import configurations, shared
from strategies import crowds, spans

import spanagree as sa
from spanagree.chance.start_distributions import CHANCES


def half(offset, a, b):
    """1 where at least half of the longer segment is shared."""
    common = np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)
    return 2 * common >= np.maximum(a, b)


def half_by_hand(p, q):
    return float(p[2] == q[2] and 2 * shared(p, q) >= max(p[1], q[1]))


@given(crowds(most=4), st.sampled_from(list(CHANCES)))
def test_enumerated(crowd, chance):
    """Observed and expected totals of a measure of one's own equal enumeration over all configurations."""
    lengths, layers = crowd
    two = dict(itertools.islice(layers.items(), 2))
    total = sa.expected(sa.Corpus.from_segments(lengths, two), half, chance=chance).total()
    observed, expected = 0.0, 0.0
    for n, a, b in zip(lengths, *two.values(), strict=True):
        if a is None or b is None:
            continue
        one, other = spans(a), spans(b)
        observed += sum(half_by_hand(p, q) for p in one for q in other)
        every = [list(configurations(n, [s[1:] for s in x], chance)) for x in (one, other)]
        sums = [sum(half_by_hand(p, q) for p in x for q in y) for x in every[0] for y in every[1]]
        expected += sum(sums) / len(sums)
    assert total.matched == pytest.approx(observed)
    assert total.expected == pytest.approx(expected, abs=1e-12)


@given(crowds())
def test_the_measures_that_there_are(crowd):
    """Written as one's own, iou gives what the built-in one gives."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    a, b = corpus.annotators[:2]

    def iou(offset, x, y):
        common = np.maximum(np.minimum(x, offset + y) - np.maximum(offset, 0), 0)
        return common / (x + y - common)

    ours = sa.expected(corpus, iou, annotators=[a, b]).total()
    theirs = sa.evaluate(corpus.select_annotators([a, b]), match="iou").systems[b].tally
    assert ours.matched == pytest.approx(theirs.matched)
    assert ours.expected == pytest.approx(theirs.expected)
    assert (ours.size_a, ours.size_b) == (theirs.size_a, theirs.size_b)


def test_refused():
    """A function that does not return what it has to is refused, with what it returned."""
    corpus = sa.Corpus.from_segments([9], {"a": [[(0, 4, "X")]], "b": [[(2, 4, "X")]], "c": [[]]})
    two = {"annotators": ["a", "b"]}
    for similarity, ask, said in (
        (half, {}, "3 annotators … two … annotators"),
        (3, two, "similarity 3 … a function … match="),
        (lambda o, a, b: np.ones(1), two, "similarity returns float64 of shape (1,) … shape (2,)"),
        (lambda o, a, b: np.full(o.shape, "x"), two, "similarity returns <U1 of shape (2,)"),
        (lambda o, a, b: a / b, two, "similarity gives 0.6666666666666666 … 0"),
        (lambda o, a, b: (o > 0) / 2, two, "similarity gives 0.5 to segments that share no token"),
        (lambda o, a, b: (o == a) * 1, two, "similarity gives 1.0 to segments that share no token"),
        (lambda o, a, b: (o == -b) * 1, two, "similarity gives 1.0 to segments that share no token"),
        (lambda o, a, b: o / 0.0 * (a < 0), two, "similarity returns nan … finite"),
        (half, {"annotators": ["a", "z"]}, "unknown annotator 'z'; allowed: a, b, c"),
    ):  # fmt: skip
        with refuses(sa.SettingError, said), np.errstate(all="ignore"):
            sa.expected(corpus, similarity, **ask)
    overlapping = sa.Corpus.from_segments([9], {"a": [[(0, 4, "X"), (2, 5, "X")]], "b": [[]]})
    with refuses(sa.SettingError, "… overlap … chance nonoverlapping"):
        sa.expected(overlapping, half)
    assert sa.expected(overlapping, half, chance="overlapping").total().matched == 0


@given(crowds(), st.integers(0, 9))
def test_random_corpora(crowd, seed):
    """Number, lengths and labels of the segments stay, who saw what too; the same seed, the same corpus."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    drawn = sa.simulate(corpus, seed=seed)
    assert drawn == sa.simulate(corpus, seed=seed)
    assert drawn.annotators == corpus.annotators
    for one, other in zip(corpus, drawn, strict=True):
        for name in corpus.annotators:
            a, b = one.segments[name], other.segments[name]
            assert (a is None) == (b is None)
            assert sorted((s.end - s.start, s.label) for s in a or ()) == sorted(
                (s.end - s.start, s.label) for s in b or ()
            )


def test_random_corpora_by_label():
    """Segments of one label exclude each other, in each document by itself: here each has one place."""
    full = [[(0, 3, "X"), (0, 3, "Y")], [(0, 9, "X"), (0, 9, "Y")]]
    corpus = sa.Corpus.from_segments([3, 9], {"a": full})
    assert sa.simulate(corpus, seed=1, chance="per-label") == corpus


@pytest.mark.slow
def test_mean_of_random_corpora():
    """The mean agreement of random corpora is the expected one, within 4 standard errors."""
    layers = {"a": [[(0, 2, "X"), (5, 6, "X")]] * 9, "b": [[(1, 3, "X"), (6, 7, "X")]] * 9}
    corpus = sa.Corpus.from_segments([9] * 9, layers)
    rng = np.random.default_rng(12)
    drawn = [sa.agree(sa.simulate(corpus, seed=rng)).team.f1.observed for _ in range(300)]
    expected = sa.agree(corpus).team.f1.expected
    assert abs(np.mean(drawn) - expected) < 4 * np.std(drawn) / np.sqrt(300)


def test_simulate_refuses():
    """A bad seed, an unknown model, and equal segments that may fall on one place."""
    corpus = sa.Corpus.from_segments([3], {"a": [[(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]]})
    for seed in (-1, "x", None):
        with pytest.raises(sa.SettingError, match="a whole number from 0 is needed"):
            sa.simulate(corpus, seed=seed)
    with pytest.raises(sa.SettingError, match="unknown chance 'x'"):
        sa.simulate(corpus, seed=0, chance="x")

    said = "chance overlapping: annotator a, document '1': two segments of one label and length may"
    with pytest.raises(sa.SettingError, match=said):
        sa.simulate(corpus, seed=0, chance="overlapping")
