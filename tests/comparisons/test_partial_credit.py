"""Credit by share: every matching of small documents, an example by hand, chance by enumeration."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.comparisons.credit_by_share import best_credit


def every_matching(first, second):
    """All one-to-one matchings, as lists of pairs of numbers."""
    for size in range(min(len(first), len(second)) + 1):
        for mine in itertools.combinations(range(len(second)), size):
            for theirs in itertools.permutations(range(len(first)), size):
                yield list(zip(theirs, mine, strict=True))


def f1_of(p, r, sizes):
    precision, recall = (x / n if n else 1 for x, n in zip((p, r), sizes, strict=True))
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


def by_enumeration(first, second, sizes):
    """The greatest F1 over all matchings, in fractions."""
    best = Fraction(0)
    for pairs in every_matching(first, second):
        p = r = Fraction(0)
        for i, j in pairs:
            (s, e, w), (t, f, v) = first[i], second[j]
            shared = max(0, min(e, f) - max(s, t)) * Fraction(min(w, v))
            p, r = p + shared / (f - t), r + shared / (e - s)
        best = max(best, f1_of(p, r, sizes))
    return best


SPANS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 6), st.sampled_from([1, 5])).map(
        lambda x: (x[0], x[0] + x[1], x[2])
    ),
    max_size=4,
).map(sorted)


@given(SPANS, SPANS)
def test_no_matching_is_better(first, second):
    """The walk finds the greatest F1 of all matchings, enumerated, also of layers that overlap."""
    sizes = sum(x[2] for x in second), sum(x[2] for x in first)
    found = best_credit(first, second, sizes)
    assert float(f1_of(*found, sizes)) == pytest.approx(float(by_enumeration(first, second, sizes)))


def one(gold, system, **settings):
    corpus = sa.Corpus.from_segments([30], {"gold": [gold], "system": [system]})
    return sa.partial_credit(corpus, "gold", "system", **{"draws": 0, **settings})


def test_example_by_hand():
    """A span of 5 in one of 10 characters, and one found as it is.

    By hand: P (5/10 + 3/3) / 2 = 3/4, R (5/5 + 3/3) / 2 = 1, so F1 is 2 · 3/4 / (7/4) = 6/7.
    """
    made = one([(0, 5, "X"), (12, 15, "X")], [(0, 10, "X"), (12, 15, "X")])
    assert (made.precision.observed, made.recall.observed) == (0.75, 1)
    assert made.f1.observed == pytest.approx(6 / 7)


def test_weights():
    """A pair weighs as its lighter segment, sizes are sums of weights."""
    weights = {"major": 1.0, "minor": 0.2}
    made = one([(0, 4, "major"), (6, 8, "minor")], [(0, 4, "minor")], label_weights=weights)
    assert made.precision.observed == pytest.approx(0.2 / 0.2)
    assert made.recall.observed == pytest.approx(0.2 / 1.2)
    with pytest.raises(sa.errors.SettingError, match="label 'minor' has none"):
        one([(0, 4, "minor")], [], label_weights={"major": 1})
    with pytest.raises(sa.errors.SettingError, match="a number from 0 is needed"):
        one([(0, 4, "X")], [], label_weights={"X": math.nan})


def test_averages_and_undefined():
    """Micro adds up; macro gives a document without errors, and none found, 1."""
    layers = {"gold": [[(0, 4, "X")], []], "system": [[(0, 2, "X")], []]}
    corpus = sa.Corpus.from_segments([9, 9], layers)
    micro, macro = (
        sa.partial_credit(corpus, "gold", "system", macro=x, draws=0) for x in (False, True)
    )
    assert (micro.precision.observed, micro.recall.observed) == (1, 0.5)
    assert macro.recall.observed == 0.75
    assert math.isnan(one([(0, 1, "X")], []).precision.observed)
    assert one([(0, 1, "X")], []).f1.observed == 0
    nothing = one([], [])
    assert math.isnan(nothing.f1.observed)
    assert nothing.f1.reason == "nobody marked anything"


def test_chance():
    """The drawn F1 is the mean over all places of both segments, within 4 standard errors."""
    made = one([(0, 10, "X")], [(3, 24, "X")], draws=600)
    every = [
        f1_of(Fraction(shared, 21), Fraction(shared, 10), (1, 1))
        for s in range(21)
        for t in range(10)
        for shared in [max(0, min(s + 10, t + 21) - max(s, t))]
    ]
    mean = float(sum(every) / len(every))
    assert abs(made.f1.expected - mean) < 4 * made.error
    assert made == one([(0, 10, "X")], [(3, 24, "X")], draws=600)
