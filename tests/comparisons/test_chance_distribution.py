"""The distribution of chance: against enumeration in fractions, against draws, and in its tails."""

from __future__ import annotations

import inspect
import itertools
import json
import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import apart, arranged, configurations, matched
from strategies import COUNTED, PAIRS, at_most

import spanagree as sa
from spanagree.chance.meeting_rules import CoverRule, EqualRule, OverlapRule
from spanagree.chance.model import build_chance_model
from spanagree.comparisons import MatchDistribution, overlap_expected
from spanagree.comparisons.chance_distribution import both_random as random_pairs
from spanagree.comparisons.chance_distribution import distribution as whole
from spanagree.comparisons.chance_distribution import draws as drawing
from spanagree.comparisons.chance_distribution import fixed_walk
from spanagree.comparisons.chance_distribution.convolution import (
    compute_log10_tail,
    convolve_distributions,
)
from spanagree.comparisons.chance_distribution.distribution import (
    DistributionOptions,
    compute_distribution,
    find_likely_matches,
    yield_match_draws,
)
from spanagree.comparisons.chance_distribution.draws import sort_canonically
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    bound_costs,
    find_parts,
)
from spanagree.comparisons.chance_distribution.single import compute_single_matches
from spanagree.comparisons.chance_distribution.walk_both import (
    KindCount,
    PartKinds,
    estimate_steps_anywhere,
)
from spanagree.comparisons.measures import MEASURES, find_measure
from spanagree.corpus.joined import merge_settings

OFFERED = [*PAIRS]
OFFERED += itertools.product(["overlap-at-0.5", "overlap-at-0.3"], ["nonoverlapping", "per-label"])
IDS = ["-".join(pair) for pair in OFFERED]
GOLDEN = {"one_to_one_overlap": "overlap"}  # its name there


def layer(spans):
    return [(start, start + length, label) for start, length, label in spans]


def corpus_of(n, a, b):
    return sa.Corpus.from_segments([n], {"a": [layer(a)], "b": [layer(b)]})


def summary(match_and_weight):
    """The distribution in fractions, its mean and variance."""
    counts = Counter()
    for match, weight in match_and_weight:
        counts[match] += weight
    total = sum(counts.values())
    pmf = {match: Fraction(weight, total) for match, weight in counts.items()}
    mean = sum(m * p for m, p in pmf.items())
    return pmf, mean, sum((m - mean) ** 2 * p for m, p in pmf.items())


def check(by_chance, pmf, mean, variance):
    """All figures to 1e-12; where matches are not whole numbers there is no distribution."""
    assert by_chance.mean == pytest.approx(float(mean), abs=1e-12)
    assert by_chance.variance == pytest.approx(float(variance), abs=1e-12)
    if by_chance.probabilities is None:
        with pytest.raises(sa.SettingError, match="the matches are not whole numbers, so only"):
            by_chance.tail(1)
        return
    expected = {int(match): float(p) for match, p in pmf.items()}
    assert by_chance.pmf.keys() == expected.keys()
    assert by_chance.pmf == pytest.approx(expected, abs=1e-12)
    for k in range(int(max(pmf)) + 2):
        above = float(sum(p for match, p in pmf.items() if match >= k))
        assert by_chance.tail(k) == pytest.approx(max(above, 1e-290), abs=1e-12)


def test_golden():
    """Ninety cases that were enumerated elsewhere: each measure, model and kind of chance."""
    path = Path(__file__).parents[1] / "golden" / "match_distributions.json"
    cases = json.loads(path.read_text("utf-8"))
    checked = 0
    for case in cases:
        n, chance = case["length"], case["chance"]
        second = next(configurations(n, [tuple(s) for s in case["second"]], "nonoverlapping"), None)
        if second is None:  # too long to lie side by side: any place does
            second = next(configurations(n, [tuple(s) for s in case["second"]], chance))
        first = [(start, end - start, label) for start, end, label in case["fixed_first"]]
        corpus = corpus_of(n, first, second)
        for fixed, name in itertools.product(("fixed", "both"), case["fixed"]):
            match = GOLDEN.get(name, name)
            if (match, chance) not in OFFERED:
                continue
            ask = DistributionOptions(find_measure(match), build_chance_model(chance))
            by_chance = compute_distribution(
                corpus, ("a", "b"), "a" if fixed == "fixed" else None, ask
            )
            figures = case[fixed][name]
            pmf = {Fraction(m): Fraction(p) for m, p in figures["pmf"].items()}
            check(by_chance, pmf, Fraction(figures["mean"]), Fraction(figures["variance"]))
            checked += 1
    assert checked == 860  # 2 kinds of chance × (70 cases × 5 measures + 20 of overlapping × 4)


def drawn_case(n, a, b, chance, data):
    """Return a corpus with one arrangement of A drawn, the segments of A there, and all of both."""
    all_a, all_b = arranged(n, a, b, chance)
    fixed = data.draw(st.sampled_from(apart(all_a)))
    return corpus_of(n, fixed, apart(all_b)[0]), fixed, all_a, all_b


SEGMENTS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("XY")), max_size=3)


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), OFFERED, ids=IDS)
@at_most(25)
@given(st.integers(1, 7), SEGMENTS, SEGMENTS, st.data())
def test_by_enumeration(match, chance, n, a, b, data):
    """Every arrangement of one side, and of both, counted: the distribution, mean and variance.

    Which of two annotators is named first makes no difference.
    """
    corpus, fixed, all_a, all_b = drawn_case(n, a, b, chance, data)
    for one, sides in (("a", [fixed]), (None, all_a)):
        by_chance = sa.match_distribution(corpus, "a", "b", match=match, chance=chance, fixed=one)
        check(by_chance, *summary((matched(x, y, match), 1) for x in sides for y in all_b))
    by_chance = sa.match_distribution(corpus, "b", "a", match=match, chance=chance, fixed="a")
    check(by_chance, *summary((matched(fixed, y, match), 1) for y in all_b))


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), OFFERED, ids=IDS)
@at_most(10)
@given(st.integers(1, 6), SEGMENTS, SEGMENTS, st.data())
def test_moments_of_what_is_drawn(match, chance, n, a, b, data):
    """A document over the budget has the exact mean and variance all the same; by enumeration."""
    corpus, fixed, all_a, all_b = drawn_case(n, a, b, chance, data)
    few = {"match": match, "chance": chance, "budget": 0, "draws": 2}
    for names in (("a", "b"), ("b", "a")):
        for one, sides in (("a", [fixed]), (None, all_a)):
            by_chance = sa.match_distribution(corpus, *names, fixed=one, **few)
            _, mean, variance = summary((matched(x, y, match), 1) for x in sides for y in all_b)
            assert by_chance.mean == pytest.approx(float(mean), abs=1e-12)
            if match != "iou":  # of it there are no more than these, so they are drawn too
                assert by_chance.variance == pytest.approx(float(variance), abs=1e-12)


def test_mean_over_many_drawn_documents(monkeypatch):
    """The mean is that of the expected scores, by arithmetic in fractions, and z counts from it.

    Of 200 long documents whose segments may overlap, the mean of 19 draws is another number.
    """
    rng = np.random.default_rng(4)
    lengths, layers = [400] * 200, {"gold": [], "mine": []}
    expected = Fraction(0)
    for n in lengths:
        spans = {}
        for name in layers:
            starts = rng.choice(380, 12, replace=False).tolist()
            spans[name] = [
                (x, x + int(k)) for x, k in zip(starts, rng.integers(1, 3, 12), strict=True)
            ]
        for name, marked in spans.items():
            layers[name].append([(start, end, "X") for start, end in marked])
        for k in (1, 2):
            of_gold, of_mine = (sum(e - s == k for s, e in spans[name]) for name in layers)
            expected += Fraction(of_gold * of_mine, n - k + 1)
    corpus = sa.Corpus.from_segments(lengths, layers)
    ask = {"chance": "overlapping", "budget": 0, "draws": 19}
    monkeypatch.setattr(whole, "_MOMENTS_BUDGET", 0)  # too little for the exact variance too
    for fixed in (None, "gold"):
        by_chance = sa.match_distribution(corpus, "gold", "mine", fixed=fixed, **ask)
        assert by_chance.computed == {"exact": 0, "drawn": 200}
        assert by_chance.mean == pytest.approx(float(expected), rel=1e-12)
        assert abs(by_chance.drawn.mean() - by_chance.mean) > 0.01
        assert by_chance.z(70) == (70 - by_chance.mean) / by_chance.sd
        # the spread is that of the draws, and has their error
        of_draws = sum(part.drawn.var(ddof=1) for part in by_chance.documents)
        assert by_chance.variance == pytest.approx(of_draws, rel=1e-12)
    evaluation = sa.evaluate(corpus, "gold", chance="overlapping")
    tested = sa.chance_test(corpus, evaluation, budget=0, draws=19).systems["mine"]
    assert tested.mean == pytest.approx(evaluation.systems["mine"].f1.expected, rel=1e-12)


@at_most(25)
@given(st.integers(1, 6), SEGMENTS, SEGMENTS)
def test_a_measure_of_ones_own(n, a, b):
    """Mean and variance of any additive measure, one that is not its own mirror image too."""
    all_a, all_b = arranged(n, a, b, "nonoverlapping")
    lying, other = all_a[0], all_b[0]

    def left(offset, x, y):
        return np.where((offset > -y) & (offset < x), (offset >= 0) * 1.0 + x / 4, 0.0)

    def value(x, y):
        return sum(Fraction(float(left(q[0] - p[0], p[1], q[1]))) for p in x for q in y)

    corpus = corpus_of(n, lying, other)
    for fixed, sides in (("a", [lying]), (None, all_a)):
        by_chance = sa.match_distribution(corpus, "a", "b", match=left, of_label=False, fixed=fixed)
        check(by_chance, *summary((value(x, y), 1) for x in sides for y in all_b))
    by_chance = sa.match_distribution(corpus, "a", "b", match=left, of_label=False, fixed="b")
    check(by_chance, *summary((value(x, other), 1) for x in all_a))


# --- over documents -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def news(newsroom):
    return sa.read_conll([newsroom / f"{n}.conll" for n in ("gold", "lexicon", "tagger")])


def wnut(real):
    folder = real / "data" / "wnut17_systems"
    given = [folder / "emerging.test.annotated", *sorted((folder / "submissions").iterdir())]
    return sa.read_conll(given, ignore_tokens=True)


def check_means(corpus, match, systems):
    """Both random: Σ match × probability of every document is what the evaluation expects."""
    gold = corpus.annotators[0]
    evaluation = sa.evaluate(corpus, gold, match=match)
    for name in systems:
        by_chance = sa.match_distribution(corpus, gold, name, match=match)
        tallies = evaluation.counted.per_document.select_system(name)
        expected = np.bincount(tallies.document, tallies.expected, len(corpus))
        computed = {d for d, part in by_chance.parts.items() if "drawn" not in part.computed}
        assert len(computed) >= len(by_chance.parts) - 1
        for d in computed:
            part = by_chance.documents[d]
            assert part.mean == pytest.approx(expected[d], abs=1e-12)
            if part.probabilities is not None:
                total = math.fsum(m * p for m, p in part.pmf.items())
                assert total == pytest.approx(expected[d], abs=1e-12)
        assert by_chance.mean == pytest.approx(math.fsum(p.mean for p in by_chance.parts.values()))


@pytest.mark.long
@pytest.mark.parametrize("match", MEASURES)
def test_mean_is_the_expected_match(news, match):
    """The closed form and the walk share no formula, and give the same mean."""
    check_means(news, match, news.annotators[1:])


@pytest.mark.parametrize("match", ["exact", "token", "boundaries"])
def test_mean_is_the_expected_match_of_wnut17(real, match):
    """The same for every document of WNUT-17 and its seven systems."""
    corpus = wnut(real)
    check_means(corpus, match, corpus.annotators[1:])


def chi_square(corpus, system, match, fixed, draws):
    """p of the draws of the simulator under the exact distribution, rare matches together."""
    from scipy.stats import chisquare

    gold = corpus.annotators[0]
    ask = DistributionOptions(
        find_measure(match), build_chance_model("nonoverlapping"), draws=draws, seed=7
    )
    by_chance = compute_distribution(corpus, (gold, system), fixed, ask)
    drawn = np.concatenate(
        [d.sum(1) for d in yield_match_draws(corpus, (gold, system), fixed, ask, draws)]
    )
    expected = by_chance.probabilities * draws
    found = np.bincount(drawn.astype(int), minlength=len(expected))
    below = np.cumsum(expected)
    bins = np.minimum((below - expected / 2) // (draws / 12), 11).astype(int)
    few = np.bincount(bins, expected)
    assert few[few > 0].min() > 5
    return chisquare(np.bincount(bins, found)[few > 0], few[few > 0]).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("match", COUNTED)
def test_draws_follow_the_distribution(news, match):
    """The simulator shares no formula with the walk, and its draws fall as it says."""
    for system in news.annotators[1:]:
        for fixed in (news.annotators[0], None):
            assert chi_square(news, system, match, fixed, 2000) > 1e-4


def test_draws_follow_the_distribution_of_wnut17(real):
    """The same on WNUT-17, gold as it is."""
    corpus = wnut(real)
    system = corpus.annotators[1]
    two = corpus.select_annotators([corpus.annotators[0], system])
    assert chi_square(two, system, "exact", corpus.annotators[0], 1000) > 1e-4


def test_p_is_valid(news):
    """Under true chance P(p ≤ α) ≤ α for every α, and p takes the value α where it can."""
    by_chance = sa.match_distribution(news, "gold.conll", "lexicon.conll", fixed="gold.conll")
    pmf = by_chance.pmf
    tails = {k: by_chance.tail(k) for k in pmf}
    for alpha in (*tails.values(), 0.01, 0.05, 0.1):
        reached = math.fsum(p for k, p in pmf.items() if tails[k] <= alpha)
        assert reached <= alpha * (1 + 1e-12)
    for k, alpha in tails.items():
        if alpha > 1e-200:
            reached = math.fsum(p for j, p in pmf.items() if tails[j] <= alpha)
            assert reached == pytest.approx(alpha, rel=1e-9), k


# --- tails --------------------------------------------------------------------------------------


def hypergeometric(n, k, least):
    """P(at least so many of k random tokens are among k given ones), in fractions."""
    ways = [math.comb(k, m) * math.comb(n - k, k - m) for m in range(k + 1)]
    return [Fraction(w, sum(ways)) for w in ways], Fraction(sum(ways[least:]), sum(ways))


def test_tails_keep_their_digits():
    """p of 1e-30, 1e-100 and less against fractions: relative errors below 1e-9."""
    n, k = 120, 40
    spans = [(3 * i, 3 * i + 1, "X") for i in range(k)]
    one = sa.Corpus.from_segments([n], {"a": [spans], "b": [spans]})
    by_chance = sa.match_distribution(one, "a", "b", fixed="a")
    for least in (20, 30, 40):
        pmf, tail = hypergeometric(n, k, least)
        assert by_chance.tail(least) == pytest.approx(float(tail), rel=1e-12, abs=0)
    assert float(tail) < 1e-31
    four = sa.Corpus.from_segments([n] * 4, {"a": [spans] * 4, "b": [spans] * 4})
    by_chance = sa.match_distribution(four, "a", "b", fixed="a")
    total = [Fraction(1)]
    for _ in range(4):
        total = [
            sum(total[i] * pmf[m - i] for i in range(max(0, m - k), min(m, len(total) - 1) + 1))
            for m in range(len(total) + k)
        ]
    for least in (100, 130, 150, 160):
        tail = sum(total[least:])
        assert by_chance.tail(least) == pytest.approx(float(tail), rel=1e-9, abs=0)
        assert by_chance.log10_tail(least) == pytest.approx(math.log10(float(tail)), abs=1e-9)
    assert by_chance.tail(160) < 1e-120


def test_tails_below_floats():
    """Where p is no float any more its logarithm is: p ** 20 of a hypergeometric tail."""
    n, k, copies = 120, 40, 20
    spans = [(3 * i, 3 * i + 1, "X") for i in range(k)]
    corpus = sa.Corpus.from_segments([n] * copies, {"a": [spans] * copies, "b": [spans] * copies})
    by_chance = sa.match_distribution(corpus, "a", "b", fixed="a")
    _, all_of_one = hypergeometric(n, k, k)
    expected = -copies * math.log10(math.comb(n, k))
    assert expected == pytest.approx(copies * math.log10(float(all_of_one)))
    assert by_chance.tail(copies * k) == 1e-290 == by_chance.least_p
    assert by_chance.log10_tail(copies * k) == pytest.approx(expected, rel=1e-12)


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=6), st.data()
)
def test_log10_tail(weights, data):
    """The tilted sum gives the logarithm of every tail of a plain convolution in fractions."""
    total = [Fraction(1)]
    for row in weights:
        new = [Fraction(0)] * (len(total) + len(row) - 1)
        for i, p in enumerate(total):
            for j, w in enumerate(row):
                new[i + j] += p * Fraction(w, sum(row))
        total = new
    each = [np.array(row) / sum(row) for row in weights]
    assert convolve_distributions(each) == pytest.approx([float(p) for p in total], rel=1e-13)
    k = data.draw(st.integers(0, len(total) - 1))
    assert 10 ** compute_log10_tail(each, k) == pytest.approx(float(sum(total[k:])), rel=1e-11)
    assert compute_log10_tail(each, len(total)) == -math.inf


@pytest.mark.parametrize("turned", [False, True])
def test_two_among_many(turned):
    """Of 2,000 tokens one marks 2 and the other 400: ways to place them that no float holds.

    The hypergeometric distribution, in fractions.
    """
    n, numbers = 2000, (400, 2) if turned else (2, 400)
    a, b = ([(2 * i, 1, "X") for i in range(k)] for k in numbers)
    by_chance = sa.match_distribution(corpus_of(n, a, b), "a", "b")
    ways = [math.comb(400, m) * math.comb(n - 400, 2 - m) for m in range(3)]
    assert by_chance.computed == {"exact": 1}
    assert by_chance.pmf == pytest.approx(
        {m: w / math.comb(n, 2) for m, w in enumerate(ways)}, rel=1e-9
    )


@pytest.mark.long
def test_many_documents():
    """Of very many documents only what a float holds is kept, each to its digits: a binomial in fractions."""
    n = 6000
    p = convolve_distributions([np.array([0.5, 0.5])] * n)
    ends = np.flatnonzero(p)
    assert ends[0] > 500
    assert len(p) < n - 500
    for k in (*ends[::97].tolist(), len(p) - 1):
        exact = Fraction(math.comb(n, k), 2**n)
        if exact > Fraction(1, 10**290):
            assert p[k] == pytest.approx(float(exact), rel=1e-11, abs=0)


# --- what is too much, what is refused ----------------------------------------------------------


@pytest.mark.long
def test_over_the_budget(news):
    """Documents over the budget are drawn, and said so: near the exact figures, in any order."""
    names = ("gold.conll", "tagger.conll")
    exact = sa.match_distribution(news, *names, fixed="gold.conll")
    assert exact.computed == {"exact": 103}
    small = {"fixed": "gold.conll", "budget": 200, "draws": 1000, "seed": 3}
    by_chance = sa.match_distribution(news, *names, **small)
    assert by_chance.computed["drawn"] > 5
    assert sum(by_chance.computed.values()) == 103
    assert sum(by_chance.pmf.values()) == pytest.approx(1)
    assert abs(by_chance.mean - exact.mean) < 4 * exact.sd / math.sqrt(1000)
    assert by_chance.least_p == 1 / 1001
    assert by_chance.tail(90) == pytest.approx(1 / 1001)
    middle = round(exact.mean)
    assert by_chance.tail(middle) == pytest.approx(exact.tail(middle), abs=0.08)
    assert by_chance.tail(0) == pytest.approx(1)
    # far out the exact documents bound p: as if all matched in the others
    one = sa.match_distribution(news, *names, fixed="gold.conll", budget=3000, draws=99)
    assert one.computed["drawn"] == 1
    far = 83
    assert exact.tail(far) < one.tail(far) < 1e-30
    assert one.log10_tail(far) == pytest.approx(math.log10(one.tail(far)))
    # mean and variance of these are exact all the same
    assert one.mean == pytest.approx(exact.mean, abs=1e-12)
    assert one.variance == pytest.approx(exact.variance, abs=1e-12)
    turned = news.subset(range(102, -1, -1))
    again = sa.match_distribution(turned, *names, **small)
    assert again.mean == pytest.approx(by_chance.mean, rel=1e-12)
    assert again.pmf == pytest.approx(by_chance.pmf, rel=1e-9)


def test_what_documents_say(news, monkeypatch):
    """Each document is one, exact or drawn; the variance of draws divides by one less, of one draw is 0."""
    names = ("gold.conll", "tagger.conll")
    for match in ("exact", "iou"):
        by_chance = sa.match_distribution(news, *names, match=match, fixed="gold.conll")
        assert all((p.computed, p.size) == ({"exact": 1}, 1) for p in by_chance.documents)
    monkeypatch.setattr(whole, "_MOMENTS_BUDGET", 0)  # too little for the exact variance too
    for draws in (1, 50):
        by_chance = sa.match_distribution(news, *names, chance="per-label", match="overlap", budget=1, draws=draws)  # fmt: skip
        drawn = [part for part in by_chance.parts.values() if len(part.drawn)]
        assert drawn
        for part in drawn:
            assert (part.computed, part.size, part.pmf.keys()) == ({"drawn": 1}, 1, {*part.drawn})
            mean = sum(part.drawn) / draws
            squares = sum((x - mean) ** 2 for x in part.drawn)
            assert part.variance == pytest.approx(squares / max(draws - 1, 1), abs=1e-12)


def test_points_of_a_distribution():
    """Ten matches of a tenth each: 8 of them are .8 though floats add up to less; one in 1001 is not shown."""
    by_chance = MatchDistribution(4.5, 8.25, {"exact": 1}, np.full(10, 0.1))
    assert sum([0.1] * 8) < 0.8
    assert [by_chance.quantile(k / 10) for k in range(1, 11)] == list(range(10))
    p = np.array([1, 999.9, 0, 0.9, 1.1]) / 1002.9
    matches, shown = find_likely_matches(MatchDistribution(1, 1, {"exact": 1}, p))
    assert matches.tolist() == [0, 1, 4]
    assert shown.tolist() == p[[0, 1, 4]].tolist()
    even = np.full(57, 1 / 57)
    assert even.cumsum()[-1] > 1  # as floats add up; p is 1, whether or not documents were drawn
    for drawn in (np.zeros(0), np.zeros(3)):
        assert MatchDistribution(28, 270, {"exact": 1}, even, drawn).tail(0) == 1


def test_defaults_of_chance():
    """Wherever chance is asked for, the budget, the draws and the seed are those of the public function."""
    public = inspect.signature(sa.match_distribution).parameters
    ask = DistributionOptions(find_measure("exact"), build_chance_model("nonoverlapping"))
    for name in ("budget", "draws", "seed"):
        assert getattr(ask, name) == public[name].default


def test_many_segments_in_one_document():
    """300 segments in 3100 tokens: more ways than a float holds, and the mean is the expected match.

    Oracle: the sum over start distributions, which shares no formula with the walk.
    """
    spans = [[(10 * i, 10 * i + 10, "X") for i in range(300)]]
    corpus = sa.Corpus.from_segments([3_100], {"a": spans, "b": spans})
    by_chance = sa.match_distribution(corpus, "a", "b", match="iou", fixed="a")
    assert by_chance.computed == {"exact": 1}
    assert by_chance.variance > 0
    starts = sa.start_distribution(3_100, [10] * 300)[0]
    offsets = np.arange(-9, 10)
    share = (10 - abs(offsets)) / (10 + abs(offsets))
    near = np.convolve(starts, share)[9:-9]
    assert by_chance.mean == pytest.approx(300 * near[np.arange(300) * 10].sum(), rel=1e-9)


def test_what_cannot_vary():
    """Segments that fill their document meet the others in the same way always: no variance, no z."""
    for tokens, number in itertools.product((3, 6, 7), range(1, 9)):
        begins = [tokens * i for i in range(number)]
        layers = {
            name: [[(at, at + size, "X") for at in begins]]
            for name, size in (("a", 1), ("b", tokens))
        }
        corpus = sa.Corpus.from_segments([tokens * number], layers)
        by_chance = sa.match_distribution(corpus, "a", "b", match="iou", fixed="a")
        assert (by_chance.mean, by_chance.variance) == (pytest.approx(number / tokens), 0)
        assert math.isnan(by_chance.z(1))


def test_what_walks_cost():
    """Numbers that are computed, by hand: ten places, three segments of two tokens on either side.

    4 · 4 states by how many are placed; either segment may reach one token ahead, of an overlap
    taken or not; two kinds of segments.
    """
    side = (KindCount(2, 0, 3),)
    for rule, ahead in ((EqualRule(), 3), (CoverRule(), 3), (OverlapRule(), 5)):
        assert estimate_steps_anywhere(9, PartKinds(side, side), rule) == 10 * ahead * 2
    assert PartKinds(side, side).size == 16


@pytest.mark.parametrize("match", ["exact", "boundaries", "token"])
@pytest.mark.parametrize("fixed", [None, "a"])
def test_variance_over_the_budget_of_a_walk(monkeypatch, match, fixed):
    """Mean and variance of what is drawn: by the walk within a budget of their own, or of the draws.

    Oracle: the whole walk. Its mean is exact either way.
    """
    spans = [(3 * i, 1 + i // 2, "XY"[i % 2]) for i in range(4)]
    corpus = corpus_of(12, spans, spans)
    ask = {"match": match, "fixed": fixed}
    whole_walk = sa.match_distribution(corpus, "a", "b", **ask)
    drawn = sa.match_distribution(corpus, "a", "b", **ask, budget=100, draws=20)
    assert (whole_walk.computed, drawn.computed["drawn"]) == ({"exact": 1}, 1)
    assert drawn.mean == pytest.approx(whole_walk.mean, rel=1e-12)
    assert drawn.variance == pytest.approx(whole_walk.variance, rel=1e-11)
    monkeypatch.setattr(whole, "_MOMENTS_BUDGET", 100)
    drawn = sa.match_distribution(corpus, "a", "b", **ask, budget=100, draws=20)
    assert drawn.mean == pytest.approx(whole_walk.mean, rel=1e-12)
    assert drawn.variance == np.var(drawn.drawn, ddof=1)


def test_what_arrangements_cost():
    """Ten segments fill ten tokens in one way: 11 places times 11 segments are computed, and no less will do."""
    singles = [(i, 1, "X") for i in range(10)]
    corpus = corpus_of(10, singles, [(0, 2, "X")])
    ask = {"match": "boundaries", "chance": "per-label"}
    for budget, how in ((121, "exact"), (120, "drawn")):
        by_chance = sa.match_distribution(corpus, "a", "b", **ask, budget=budget)
        assert by_chance.computed[how] == 1


@pytest.mark.parametrize("match", ["exact", "token", "iou", "overlap"])
@pytest.mark.parametrize("fixed", [None, "a"])
def test_long_documents_are_drawn(match, fixed):
    """1,000 tokens with 20 segments a side, three labels, up to four tokens: drawn, as its page says."""
    sides = [[(10 * i + j, 1 + i % 4, "XYZ"[(i + j) % 3]) for i in range(20)] for j in (0, 1)]
    by_chance = sa.match_distribution(corpus_of(1000, *sides), "a", "b", match=match, fixed=fixed)
    assert by_chance.computed == {"exact": 0, "drawn": 1}


def test_arrangements_over_the_budget_are_not_counted(monkeypatch):
    """Of 300 segments that may overlap there are 3,000 ** 300 arrangements: one of them is over the budget."""
    many = [(10 * i, 1 + i % 3, "X") for i in range(300)]
    corpus = corpus_of(3000, many, many)
    asked = []

    class Counting(random_pairs.Enumeration):
        def __init__(self, *kinds):
            asked.append(kinds)
            super().__init__(*kinds)

    monkeypatch.setattr(random_pairs, "Enumeration", Counting)
    by_chance = sa.match_distribution(corpus, "a", "b", chance="overlapping", draws=20)
    assert by_chance.computed == {"exact": 0, "drawn": 1}
    assert len(asked) <= 4  # one for either side, for distribution and moments


def test_equal_segments_are_looked_at_once(monkeypatch):
    """Of 300 segments of two lengths that may overlap, only two are compared with the fixed ones."""
    many = [(10 * i, 1 + i % 2, "X") for i in range(300)]
    corpus = corpus_of(3000, many, many)
    seen, gains = [], fixed_walk._compute_gains_and_bits

    def noted(document_parts, measure, places):
        seen.append(len(places.part_index))
        return gains(document_parts, measure, places)

    monkeypatch.setattr(fixed_walk, "_compute_gains_and_bits", noted)
    by_chance = sa.match_distribution(corpus, "a", "b", chance="overlapping", fixed="a")
    assert seen == [3000 + 2999]
    mean = 150 * 150 / 3000 + 150 * 150 / 2999  # each of B starts where any of 150 of A do
    assert by_chance.mean == pytest.approx(mean, rel=1e-12)


def test_bound_where_labels_share_a_segment():
    """By boundaries under per-label two labels may hit one segment: the drawn p's bound allows it.

    All four of one match two of the other in some arrangements, by the exact distribution.
    """
    spans = [(0, 2, "X"), (4, 2, "X")]
    corpus = corpus_of(9, spans, [*spans, (1, 2, "Y"), (5, 2, "Y")])
    ask = {"match": "boundaries", "chance": "per-label"}
    exact, drawn = (
        sa.match_distribution(corpus, "a", "b", **ask, budget=budget) for budget in (20_000_000, 1)
    )
    assert (exact.computed["exact"], drawn.computed["drawn"]) == (1, 1)
    assert drawn.most >= max(exact.pmf) == 4
    for k in range(5):
        assert drawn.tail(k) >= exact.tail(k) - 4 * math.sqrt(exact.tail(k) / 1000)
    assert drawn.tail(5) == 1e-290  # no arrangement has that many


def test_least_costs():
    """Ten places; two segments of one length and one of another have 3 · 2 states, one has 2, by hand.

    Of groups that do not exclude each other the largest counts.
    """
    nothing = np.zeros(4, np.int64)
    one = AnnotatorSegments(
        np.array([0, 0, 0, 1]), nothing, nothing, np.array([2, 2, 3, 1]), nothing, nothing
    )
    two = AnnotatorSegments(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 0]), nothing, np.array([1, 1, 1, 1]), nothing, nothing)  # fmt: skip
    pieces = DocumentParts(np.array([0, 1]), np.array([9, 4]), one, two)
    assert bound_costs(pieces, one) == pytest.approx([10 * 6, 5 * 2])
    assert bound_costs(pieces, two) == pytest.approx([10 * 3, 5 * 2])
    assert bound_costs(pieces, one, two) == pytest.approx([10 * 6 * 3, 5 * 2 * 2])


@pytest.mark.parametrize(
    ("match", "fixed", "cost"),
    [
        ("exact", "a", 4 * 4 * 8),  # states by matches by places
        ("overlap", "a", 4 * 4 * 8 * 2),  # and the bit
        ("exact", None, 10 * 16 * 3 * 2 * 4),
        ("overlap", None, 10 * 16 * 5 * 2 * 4),
    ],
)
def test_the_last_that_is_computed(match, fixed, cost):
    """A document that costs as much as the budget is computed, with one less it is drawn; longer ones too.

    Three segments of two tokens in nine, on either side; the costs are those of the tests above.
    """
    spans = [(2 * i, 2 * i + 2, "X") for i in range(3)]
    corpus = sa.Corpus.from_segments([9, 30], {"a": [spans] * 2, "b": [spans] * 2})
    for budget, exact in ((cost, 1), (cost - 1, 0), (3.7 * cost, 2)):
        by_chance = sa.match_distribution(corpus, "a", "b", match=match, fixed=fixed, budget=budget, draws=20)  # fmt: skip
        assert by_chance.computed["exact"] == exact
    whole = sa.match_distribution(corpus, "a", "b", match=match, fixed=fixed)
    for d in (0, 1):
        alone = sa.match_distribution(corpus.subset([d]), "a", "b", match=match, fixed=fixed)
        assert whole.documents[d].pmf == pytest.approx(alone.pmf, abs=1e-14)


@pytest.mark.parametrize("match", ["exact", "token", "overlap", "iou"])
def test_walks_in_portions(news, monkeypatch, match):
    """One document at a time gives the digits of all together."""
    ask = {"match": match, "fixed": "gold.conll"}
    whole = sa.match_distribution(news, "gold.conll", "lexicon.conll", **ask)
    monkeypatch.setattr(fixed_walk, "_PLACES_PER_BATCH", 1)
    monkeypatch.setattr(fixed_walk, "_VALUES_PER_BATCH", 1)
    parts = sa.match_distribution(news, "gold.conll", "lexicon.conll", **ask)
    assert (parts.mean, parts.variance) == pytest.approx((whole.mean, whole.variance), rel=1e-12)
    if match != "iou":
        assert parts.pmf == pytest.approx(whole.pmf, rel=1e-9)


@pytest.mark.parametrize("fixed", ["gold.conll", None])
def test_draws_in_portions(news, monkeypatch, fixed):
    """Some draws at a time: as many in all, whose mean is the exact one within 4 standard errors."""
    names = ("gold.conll", "lexicon.conll")
    exact = sa.match_distribution(news, *names, fixed=fixed)
    monkeypatch.setattr(drawing, "_BATCH_SIZE", 1500)
    ask = DistributionOptions(find_measure("exact"), build_chance_model("nonoverlapping"), seed=5)
    each = list(yield_match_draws(news, names, fixed, ask, 400))
    assert len(each) > 20
    drawn = np.concatenate(each)
    assert drawn.shape == (400, len(news))
    assert abs(drawn.sum(1).mean() - exact.mean) < 4 * exact.sd / math.sqrt(400)


def test_canonical_order_of_equal_lengths():
    """Documents as long as each other come in the order of their segments."""
    spans = [[(1, 2, "X")], [(0, 2, "X")], [], [(0, 1, "X")], [(2, 3, "X")]]
    corpus = sa.Corpus.from_segments([5, 5, 5, 3, 9], {"a": spans, "b": [[]] * 5})
    for turned in itertools.permutations(range(5)):
        order = sort_canonically(corpus.subset(turned))
        assert [turned[i] for i in order] == [3, 2, 1, 0, 4]


def test_documents(news):
    """The parts of a distribution are those of its documents."""
    by_chance = sa.match_distribution(news, "gold.conll", "tagger.conll", fixed="gold.conll")
    assert len(by_chance.documents) == 103
    alone = sa.match_distribution(
        news.subset([99]), "gold.conll", "tagger.conll", fixed="gold.conll"
    )
    assert by_chance.documents[99].pmf == pytest.approx(alone.pmf)
    assert by_chance.quantile(0.95) == min(
        k for k in by_chance.pmf if sum(p for j, p in by_chance.pmf.items() if j <= k) >= 0.95
    )
    unseen = sa.Corpus.from_segments(
        [5, 5], {"a": [[(0, 1, "X")], None], "b": [None, [(0, 1, "X")]]}
    )
    nothing = sa.match_distribution(unseen, "a", "b")
    assert nothing.pmf == {0: 1.0}
    assert math.isnan(nothing.z(0))


def test_errors(news):
    """Unknown names, two of the same, and layers that overlap themselves are refused."""
    for names, more, message in (
        (("gold.conll", "x"), {}, "unknown annotator 'x'"),
        (("gold.conll", "gold.conll"), {}, "name two annotators"),
        (
            ("gold.conll", "tagger.conll"),
            {"fixed": "lexicon.conll"},
            "as fixed one of them or None",
        ),
        (("gold.conll", "tagger.conll"), {"match": "x"}, "unknown match 'x'"),
        (("gold.conll", "tagger.conll"), {"draws": 0}, "draws 0"),
        (("gold.conll", "tagger.conll"), {"seed": -1}, "seed -1"),
        (
            ("gold.conll", "tagger.conll"),
            {"match": "overlap", "chance": "overlapping"},
            "match overlap pairs segments of annotators who do not overlap themselves",
        ),
    ):
        with pytest.raises(sa.SettingError, match=message):
            sa.match_distribution(news, *names, **more)
    nested = sa.Corpus.from_segments([9], {"a": [[(0, 5, "X"), (1, 2, "X")]], "b": [[]]})
    for match in ("overlap", "overlap-at-0.5"):
        message = f"which match {match} and chance per-label does not allow; --match exact"
        with pytest.raises(sa.SettingError, match=message):
            sa.match_distribution(nested, "a", "b", match=match, chance="per-label")
    with pytest.raises(sa.SettingError, match=r"--chance overlapping .* would work"):
        sa.match_distribution(nested, "a", "b", match=lambda o, a, b: (o == 0) * 1.0)


def test_canonical_order(news):
    """Documents in another order come out in the same one."""
    turned = news.subset(range(102, -1, -1))
    one, other = (c.subset(sort_canonically(c)) for c in (news, turned))
    assert (one.lengths == other.lengths).all()


@pytest.mark.long
def test_expected_overlap_over_the_budget(news, monkeypatch):
    """Where a walk is too much work the mean is over draws of both: near the exact one, and said.

    The note gives the standard error of the chance F1; figures are within four of it. Renaming an
    annotator changes no digit that is printed.
    """
    exact = sa.evaluate(news, match="overlap")
    assert not exact.notes
    monkeypatch.setattr(overlap_expected, "STEPS", 1)
    near = sa.evaluate(news, match="overlap")
    for name, system in exact.systems.items():
        (note,) = (note for note in near.notes if note.startswith(f"{name}: "))
        assert re.search(r"drawn in \d+ pairs of document and label", note)
        error = float(note.rpartition(" ")[2])
        assert 0 < error < 0.005
        off = near.systems[name].f1.expected - system.f1.expected
        assert 0 < abs(off) < 4 * error + 5e-5
    team, hard = sa.agree(news, match="overlap"), sa.difficulty(news, match="overlap")
    hard = sa.difficulty(news, match="overlap")
    for result in (near, team, hard):
        assert any("standard error of the chance F1: 0.00" in note for note in result.notes)
        assert "|chance:nonoverlapping|expected:partly-drawn|chance-seed:0|" in result.signature
        for source in (result, result.signature):
            assert "exact" not in sa.cite(source).partition("Expected scores are")[2][:20]
            assert "means over at most 2,000 draws" in " ".join(sa.cite(source).split())
    assert "chance_seed" not in exact.settings
    # the standard error stands beside the figure, and another seed draws anew
    for row in near.to_rows():
        (note,) = (note for note in near.notes if note.startswith(f"{row['system']}: "))
        assert f"{row['f1_expected_error']:.4f}" == note.rpartition(" ")[2]
    assert "f1_expected_error" not in exact.to_rows()[0]
    assert "chance error" in repr(near)
    assert "chance F1 over all is of draws, standard error 0.0" in near.table("label").remarks[0]
    assert "chance error" in repr(team)
    assert "of draws" in " ".join(team.table("pair").remarks)
    for seed in (0, 7):
        again = sa.evaluate(news, match="overlap", seed=seed)
        assert f"|chance-seed:{seed}|" in again.signature
        for name, system in near.systems.items():
            other = again.systems[name].f1.expected
            error = near.counted.inexact[name].compute_error(sum(system.tally.counts[2:]))
            assert (other == system.f1.expected) == (seed == 0)
            assert abs(other - system.f1.expected) < 4 * 2**0.5 * error + 1e-15
    for measure in (sa.difficulty, sa.agree, sa.disputes):
        drawn = measure(news, match="overlap", seed=7)
        assert "|chance-seed:7|" in drawn.signature
        assert "|chance-seed:0|" in measure(news, match="overlap").signature
    turned = news.select_annotators(news.annotators[::-1])
    names = {name: f"{9 - i}" for i, name in enumerate(news.annotators)}
    renamed = news.replace(layers={names[name]: layer for name, layer in news.layers.items()})
    assert sa.agree(turned, match="overlap").team.f1.expected == pytest.approx(team.team.f1.expected, rel=1e-12)  # fmt: skip
    other = sa.agree(renamed, match="overlap")
    assert other.team.f1.expected == pytest.approx(team.team.f1.expected, rel=1e-12)
    for a, b in team.pairs:
        mine, hers = team.pairs[a, b].f1, other.pairs[names[a], names[b]].f1
        assert hers.expected == pytest.approx(mine.expected, rel=1e-12)
    assert "expected:" not in exact.signature
    # parts of which one was too much work: the whole is said to be so
    monkeypatch.undo()
    assert merge_settings(exact.settings, near.settings)["expected"] == "partly-drawn"
    assert merge_settings(near.settings, exact.settings)["expected"] == "partly-drawn"


@pytest.mark.parametrize("chance", ["per-label", "overlapping"])
def test_labels_keep_documents_apart(chance):
    """Documents of other lengths and labels have the chance that each has alone."""
    corpus = sa.Corpus.from_segments(
        [4, 9, 7],
        {
            "a": [[(0, 1, "X")], [(0, 2, "X")], [(0, 1, "X"), (2, 4, "X")]],
            "b": [[(1, 2, "Y")], [(3, 5, "X")], [(4, 5, "Z"), (0, 2, "X")]],
        },
    )
    turned = corpus.select_annotators(["b", "a"])
    for both in (corpus, turned):
        by_chance = sa.match_distribution(both, "a", "b", chance=chance)
        alone = [sa.match_distribution(both.subset([d]), "a", "b", chance=chance) for d in range(3)]
        assert by_chance.mean == pytest.approx(math.fsum(one.mean for one in alone), abs=1e-15)
        assert by_chance.variance == pytest.approx(
            math.fsum(one.variance for one in alone), abs=1e-15
        )
    layers = {"a": [[(0, 1, "X"), (2, 3, "Z")], []], "b": [[(1, 2, "Z")], [(2, 3, "Z")]]}
    both = sa.Corpus.from_segments([4, 9], layers)
    # one place of four, by chance
    assert sa.match_distribution(both, "a", "b", chance=chance).mean == pytest.approx(1 / 4)


@pytest.mark.long
@given(st.integers(1, 7), st.lists(st.integers(1, 3), min_size=1, max_size=3), st.integers(0, 2))
def test_one_segment_to_pair(length, others, beside):
    """Where one side has a single segment to pair, the probability of a match is the enumerated one."""
    sides = [(length, "X")], [(each, "X") for each in others]
    sides[0].extend([(1, "Y")] * beside)
    n = max(sum(size for size, _ in side) for side in sides) + 2
    every = [list(configurations(n, side, "nonoverlapping")) for side in sides]
    hits = sum(matched(a, b, "overlap") > 0 for a in every[0] for b in every[1])
    p = hits / len(every[0]) / len(every[1])
    layers = {}
    for name, side in zip("ab", every, strict=True):
        layers[name] = [[(start, start + size, label) for start, size, label in side[0]]]
    corpus = sa.Corpus.from_segments([n], layers)
    pieces = find_parts(corpus.layers["a"], corpus.layers["b"], corpus.lengths, find_measure("overlap"), "nonoverlapping")  # fmt: skip
    (known,), (found,) = compute_single_matches(pieces, find_measure("overlap"))
    assert known
    assert found == pytest.approx(p, abs=1e-12)


@pytest.mark.long
def test_drawn_overlap_with_gold_as_it_is(monkeypatch):
    """Over the budget only systems are drawn: by the seed, within four of the errors that are said.

    Documents share a stream of draws, so those that are alike err alike: the error of nine is that
    of one, not a third of it.
    """
    gold = [(9 * i, 9 * i + 1 + i, "X") for i in range(6)]
    mine = [(8 * i, 8 * i + 6 - i, "X") for i in range(6)]

    def scored(documents, **how):
        layers = {"gold": [gold] * documents, "mine": [mine] * documents}
        corpus = sa.Corpus.from_segments([80] * documents, layers)
        return sa.evaluate(corpus, "gold", match="overlap", chance_of="systems", **how)

    exact = scored(1)
    assert "chance_seed" not in exact.settings
    monkeypatch.setattr(overlap_expected, "BUDGET", 1)
    one, nine, other = scored(1), scored(9), scored(1, seed=5)
    assert nine["mine"].f1.expected == pytest.approx(one["mine"].f1.expected, abs=1e-12)
    error = one.to_rows()[0]["f1_expected_error"]
    assert nine.to_rows()[0]["f1_expected_error"] == pytest.approx(error, rel=1e-9)
    assert 0 < error < 0.01
    assert one["mine"].f1.expected != other["mine"].f1.expected
    for drawn in (one, other):
        assert abs(drawn["mine"].f1.expected - exact["mine"].f1.expected) < 4 * error


def test_draws_of_many_labels_cost_what_is_there(monkeypatch):
    """A thousand labels over as many documents are two of each, and no table of a million cells."""
    sizes = []

    def recorded(layers, random, lengths, cells, *arguments, **options):
        sizes.append(cells.size)
        return draw_matches(layers, random, lengths, cells, *arguments, **options)

    draw_matches = drawing.draw_matches
    monkeypatch.setattr(whole, "draw_matches", recorded)
    layers = {
        name: [[(0, 1, f"{d}"), (2, 4, f"{d + 1}")] for d in range(1000)] for name in ("a", "b")
    }
    corpus = sa.Corpus.from_segments([9] * 1000, layers)
    ask = whole.DistributionOptions(find_measure("exact"), build_chance_model("nonoverlapping"))
    drawn = np.concatenate(list(whole.yield_match_draws(corpus, ("a", "b"), None, ask, 20)))
    assert drawn.shape == (20, 1000)
    assert max(sizes) == 2000


@pytest.mark.parametrize(
    ("match", "places", "bounds"),
    [
        ("token", None, [5, 0]),  # the tokens of both segments
        ("exact", None, [2, 0]),  # the segments
        ("token", "words", [18, 14]),  # places may be longer: all tokens, for each of two labels
        ("exact", "words", [2, 0]),
    ],
)
def test_bound_of_the_match_of_drawn_documents(match, places, bounds):
    """By hand, of two segments with two labels in the first of two documents."""
    layers = {"a": [[(0, 2, "X"), (4, 7, "Y")], []]}
    corpus = sa.Corpus.from_segments([9, 7], layers)
    options = whole.DistributionOptions(find_measure(match), build_chance_model("auto", places))
    assert whole._bound_matches(corpus, "a", options).tolist() == bounds
