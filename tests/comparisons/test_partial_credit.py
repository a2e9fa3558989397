"""Credit by share: every matching of small documents, an example by hand, chance by enumeration."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.comparisons.credit_by_share import compute_best_credit
from spanagree.report.explain import explain


def every_matching(first, second):
    """All one-to-one matchings, as lists of pairs of numbers."""
    for size in range(min(len(first), len(second)) + 1):
        for mine in itertools.combinations(range(len(second)), size):
            for theirs in itertools.permutations(range(len(first)), size):
                yield list(zip(theirs, mine, strict=True))


def pair_of(first, second, penalty):
    """What a pair adds to precision and to recall, in fractions."""
    (s, e, w, label), (t, f, v, name) = first, second
    shared = max(0, min(e, f) - max(s, t)) * Fraction(min(w, v)) * (1 - penalty * (label != name))
    return shared / (f - t), shared / (e - s)


def harmonic(p, r):
    return 2 * p * r / (p + r) if p + r else Fraction(0)


SPANS = st.lists(
    st.tuples(
        st.integers(0, 8), st.integers(1, 6), st.sampled_from([1, 5]), st.sampled_from([0, 1])
    ).map(lambda x: (x[0], x[0] + x[1], *x[2:])),
    max_size=4,
).map(sorted)


@given(SPANS, SPANS, st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
def test_no_matching_is_better(first, second, penalty):
    """The sum of the pairs' F1s is the greatest of all matchings, enumerated in fractions.

    Of equal sums any matching counts, so one of these has the credits.
    """
    made = []
    for pairs in every_matching(first, second):
        found_in = [pair_of(first[i], second[j], penalty) for i, j in pairs]
        total = sum((harmonic(*x) for x in found_in), start=Fraction(0))
        made.append((total, *(float(sum(x[i] for x in found_in)) for i in (0, 1))))
    best = max(total for total, *_ in made)
    rows = [np.array(x, float).reshape(-1, 4) for x in (first, second)]
    found = compute_best_credit(*rows, float(penalty))
    assert any(found == pytest.approx(x) for total, *x in made if best - total < 1e-12)


# Twelve documents drawn at random: segments of the first and of the second, M major, m minor.
DOCUMENTS = (
    ("4-15M 12-14M", "1-2M 18-27M"),
    ("2-3M 7-11M 13-15m", "1-4M 7-17m 12-17m 18-19M"),
    ("3-13M 5-14M 21-27M 26-36M", "6-13m 15-23m 17-21M 21-27m"),
    ("2-12m", "10-12m 15-23m 23-26m 28-38M"),
    ("15-22M", ""),
    ("18-24m 25-37m 26-36m 28-38m", ""),
    ("", "15-26M 22-23m"),
    ("9-15M 14-15m 21-33m 26-37m", "1-8m 3-8M 6-14M 15-27M"),
    ("14-21m", "26-33m"),
    ("11-18M 21-24M 28-31M", "21-25M"),
    ("5-12m 18-19M 26-31m", "4-11m 10-18m 18-27M 22-29M"),
    ("1-4M 12-16m 20-24M", "1-11M 19-21M"),
)


@pytest.mark.parametrize(
    ("penalty", "macro", "wanted"),
    [
        (0, False, (0.29304138321995465, 0.37993979200875755, 0.3308802275270478)),
        (0.5, False, (0.23360260770975058, 0.31308155446086483, 0.26756461082571104)),
        (1, False, (0.17416383219954648, 0.2462233169129721, 0.2040176372706804)),
        (0, True, (0.4011491402116402, 0.37890211640211646, 0.2332336170673643)),
        (0.5, True, (0.36647652116402113, 0.33295304232804235, 0.19606848965444398)),
        (1, True, (0.33180390211640215, 0.2870039682539683, 0.15884275546446866)),
    ],
)
def test_as_the_scorer_of_its_authors(penalty, macro, wanted):
    """Precision, recall and F1 by the rules of the released scorer of MPP, frozen.

    Its character proportions with optimal matching, `compute_tp_fp_fn_with_error_matching`.
    """
    layers = {
        name: [
            [(*map(int, x[:-1].split("-")), x[-1]) for x in document[i].split()]
            for document in DOCUMENTS
        ]
        for i, name in enumerate(("gold", "system"))
    }
    corpus = sa.Corpus.from_segments([40] * 12, layers)
    made = sa.partial_credit(
        corpus, "gold", "system", severity_penalty=penalty, macro=macro, draws=0
    )
    figures = made.precision.observed, made.recall.observed, made.f1.observed
    assert figures == pytest.approx(wanted, abs=1e-12)


def test_standard_error_of_the_draws():
    """Four times as many draws halve the error, but for estimating it (4 · 8 %); one has none."""
    spans = [(0, 9, "X"), (12, 15, "X")], [(3, 8, "X")]
    few, many, single = (one(*spans, draws=draws).error for draws in (100, 400, 1))
    assert many / few == pytest.approx(1 / 2, rel=0.32)
    assert math.isnan(single)


def test_severity_penalty():
    """A case of the authors' tests: minor 10–15 in major 10–21 at a penalty of .5.

    By hand: half of 5/5 for precision, half of 5/11 for recall; P and R are of one segment each.
    """
    spans = [(10, 21, "major")], [(10, 15, "minor")]
    made = one(*spans, severity_penalty=0.5)
    assert (made.precision.observed, made.recall.observed) == pytest.approx((1 / 2, 5 / 22))
    assert "severity_penalty:0.5" in made.signature
    assert "severity" not in one(*spans).signature
    with pytest.raises(sa.errors.SettingError, match=r"^severity_penalty 2; a number from 0 to 1"):
        one(*spans, severity_penalty=2)


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
    """Micro adds up; macro gives a document without errors, and none found, 1.

    By hand: the documents' F1s are 2/3 and 1, so macro F1 is 5/6, and no mean of P 1 and R 3/4.
    """
    layers = {"gold": [[(0, 4, "X")], []], "system": [[(0, 2, "X")], []]}
    corpus = sa.Corpus.from_segments([9, 9], layers)
    micro, macro = (
        sa.partial_credit(corpus, "gold", "system", macro=x, draws=0) for x in (False, True)
    )
    assert (micro.precision.observed, micro.recall.observed) == (1, 0.5)
    assert (macro.precision.observed, macro.recall.observed) == (1, 0.75)
    assert (micro.f1.observed, macro.f1.observed) == pytest.approx((2 / 3, 5 / 6))
    assert "mean of the documents' F1s" in dict(explain([macro.table()]))["figure"]
    assert math.isnan(one([(0, 1, "X")], []).precision.observed)
    assert one([(0, 1, "X")], []).f1.observed == 0
    nothing = one([], [])
    assert math.isnan(nothing.f1.observed)
    assert nothing.f1.reason == "nobody marked anything"
    assert math.isnan(one([], [], draws=9).error)


@pytest.mark.long
def test_chance():
    """The drawn F1 is the mean over all places of both segments, within 4 standard errors."""
    made = one([(0, 10, "X")], [(3, 24, "X")], draws=600)
    every = [
        harmonic(Fraction(shared, 21), Fraction(shared, 10))
        for s in range(21)
        for t in range(10)
        for shared in [max(0, min(s + 10, t + 21) - max(s, t))]
    ]
    mean = float(sum(every) / len(every))
    assert abs(made.f1.expected - mean) < 4 * made.error
    assert made == one([(0, 10, "X")], [(3, 24, "X")], draws=600)
