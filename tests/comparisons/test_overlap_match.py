"""One-to-one overlap: the greatest matching, by trying all; its expected match by label."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import apart, arranged, configurations, matched

import spanagree as sa
from spanagree.comparisons import overlap_expected
from spanagree.comparisons.chance_distribution.pair_draws import draw_pairs
from spanagree.comparisons.chance_distribution.pieces import AnnotatorSegments
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.overlap_match import mask_matchable_segments


@st.composite
def layers(draw):
    """Two layers of up to five segments that do not overlap within a label."""
    n = draw(st.integers(2, 14))
    made = []
    for _ in range(2):
        spans = []
        for label in "XY":
            cuts = sorted(draw(st.sets(st.integers(0, n), max_size=6)))
            kept = [(a, b, label) for a, b in itertools.pairwise(cuts) if draw(st.booleans())]
            spans += kept[:5]
        made.append(spans)
    return n, made


def lengths(spans):
    return tuple((start, end - start, label) for start, end, label in spans)


@pytest.mark.long
@given(layers(), st.sampled_from(["", "-at-0.2", "-at-0.5", "-at-0.6", "-at-1"]))
def test_observed_is_the_greatest_matching(drawn, share):
    """The sweep from left to right finds as many pairs as trying all, and never exceeds 1."""
    n, (a, b) = drawn
    match = f"overlap{share}"
    corpus = sa.Corpus.from_segments([n, n], {"a": [a, b], "b": [b, a]})
    tally = sa.evaluate(corpus, match=match, chance="per-label").systems["b"].tally
    assert tally.matched == 2 * matched(lengths(a), lengths(b), match)
    assert tally.matched <= min(tally.size_a, tally.size_b)


def test_each_segment_once():
    """Three short hits in one long segment are one pair: precision 1/3, recall 1, F1 1/2."""
    short = [(0, 1, "X"), (2, 3, "X"), (4, 5, "X")]
    corpus = sa.Corpus.from_segments([9], {"gold": [[(0, 6, "X")]], "mine": [short]})
    tally = sa.evaluate(corpus, match="overlap").systems["mine"].tally
    assert (tally.precision.observed, tally.recall.observed) == (pytest.approx(1 / 3), 1)
    assert tally.f1.observed == 0.5


@pytest.mark.long
@pytest.mark.parametrize("chance", ["nonoverlapping", "per-label"])
def test_shares_above_a_half(newsroom, chance):
    """They need no matching: counted over pairs, whose expected sum shares no formula, it is the same."""
    corpus = sa.read_conll({n: newsroom / f"{n}.conll" for n in ("gold", "lexicon", "tagger")})

    def above_half(offset, a, b):
        both = (np.minimum(a, offset + b) - np.maximum(offset, 0)).clip(0)
        return (2 * both > a + b - both) * 1

    by_share = {
        x: sa.evaluate(corpus, match=f"overlap-at-{x}", chance=chance) for x in ("0.5001", "1")
    }
    exact = sa.evaluate(corpus, chance=chance)
    for name in ("lexicon", "tagger"):
        pairs = sa.expected(
            corpus.select_annotators(["gold", name]), above_half, chance=chance
        ).total()
        half, whole = (by_share[x].systems[name].tally for x in ("0.5001", "1"))
        assert half.matched == pairs.matched
        assert half.expected == pytest.approx(pairs.expected, abs=1e-11)
        assert whole.matched == exact.systems[name].tally.matched
        assert whole.expected == pytest.approx(exact.systems[name].tally.expected, abs=1e-11)


@pytest.mark.parametrize("share", ["0", "1.5", "nan", ".5", "0.50", "1e-05", "-1", ""])
def test_shares_that_are_none(share):
    """A share is written in one way, so that a signature has one name for it."""
    corpus = sa.Corpus.from_segments([9], {"gold": [[]], "mine": [[]]})
    message = f"match 'overlap-at-{share}' … from 0.0001 to 1"
    with refuses(sa.SettingError, message):
        sa.evaluate(corpus, match=f"overlap-at-{share}")


SEGMENTS = st.lists(st.tuples(st.integers(1, 3), st.sampled_from("XY")), max_size=3)


@given(st.integers(1, 6), SEGMENTS, SEGMENTS, st.sampled_from(["nonoverlapping", "per-label"]))
def test_expected_by_label(n, a, b, chance):
    """The expected match of each label is that of its segments, the others taking up room."""
    all_a, all_b = arranged(n, a, b, chance)
    lying = [apart(side)[0] for side in (all_a, all_b)]
    spans = [[(s, s + size, label) for s, size, label in side] for side in lying]
    corpus = sa.Corpus.from_segments([n], {"a": [spans[0]], "b": [spans[1]]})
    labels = sa.evaluate(corpus, match="overlap", chance=chance).systems["b"].labels
    for label, tally in labels.items():
        total = sum(
            matched(*(tuple(s for s in side if s[2] == label) for side in (x, y)), "overlap")
            for x in all_a
            for y in all_b
        )
        mean = Fraction(total, len(all_a) * len(all_b))
        assert tally.expected == pytest.approx(float(mean), abs=1e-12)


@pytest.mark.parametrize("chance", ["nonoverlapping", "per-label"])
def test_expected_from_draws(chance, monkeypatch):
    """Drawn means of two labels beside segments of others: the exact ones within 4 standard errors."""
    layers = {
        "a": [[(0, 1, "W")], [(0, 3, "X"), (4, 6, "Y"), (7, 8, "Y")], [(1, 4, "Y"), (6, 7, "Y")]],
        "b": [[(1, 2, "V")], [(1, 4, "X"), (5, 6, "Y"), (8, 11, "Y")], [(2, 4, "Y"), (8, 9, "Y")]],
    }
    corpus = sa.Corpus.from_segments([3, 12, 11], layers)
    exact = sa.evaluate(corpus, match="overlap", chance=chance).systems["b"].labels
    monkeypatch.setattr(overlap_expected, "STEPS", 1)
    result = sa.evaluate(corpus, match="overlap", chance=chance)
    (note,) = (note for note in result.notes if "chance is drawn" in note)
    assert "drawn in 2 pairs of document and label" in note
    drawn = result.systems["b"].labels
    error = float(note.rpartition(" ")[2]) * (result.systems["b"].tally.size_a + result.systems["b"].tally.size_b) / 2  # fmt: skip
    assert 0 < abs(drawn["Y"].expected - exact["Y"].expected) < 4 * error
    for label in "VWX":  # one segment to pair, or none
        if label in drawn:
            assert drawn[label].expected == exact[label].expected


@pytest.mark.long
@pytest.mark.parametrize("match", ["overlap", "overlap-at-0.4"])
@pytest.mark.parametrize(
    ("n", "a", "b"),
    [
        (6, [1, 2, 3], [2, 2, 2]),  # no room to spare
        (9, [1, 1, 2, 3], [4, 1]),  # rows are shuffled
        (14, [1, 3], [2, 5]),  # rows with a repetition are drawn anew
    ],
)
def test_draws_of_both_sides(n, a, b, match):
    """How often each number of pairs is drawn: by enumeration, within 4 standard errors."""
    labels = [["X", "Y", "X", "X"][: len(side)] for side in (a, b)]  # segments of Y cannot match
    placed = [
        list(configurations(n, list(zip(*side, strict=True)), "nonoverlapping"))
        for side in zip((a, b), labels, strict=True)
    ]
    counts = Counter(
        int(matched(*(tuple(s for s in side if s[2] == "X") for side in both), match))
        for both in itertools.product(*placed)
    )
    sides = [
        (np.array(side), np.array(of_side) == "X")
        for side, of_side in zip((a, b), labels, strict=True)
    ]
    draws = 40_000
    rng = np.random.default_rng(3)
    drawn = draw_pairs(n, (sides[0], sides[1]), find_measure(match), draws, rng)
    assert set(drawn.tolist()) <= set(counts)
    for value, count in counts.items():
        p = count / counts.total()
        assert abs((drawn == value).mean() - p) <= 4 * np.sqrt(p * (1 - p) / draws)


@pytest.mark.parametrize(
    ("fixed", "random"),
    [
        ([(1, 6)], [1, 1, 1]),  # the first takes the long one, and it stays taken
        ([(1, 6)], [2, 2, 2]),
        ([(0, 2), (2, 1), (3, 4)], [1, 5]),  # a long one takes the first of several, not the last
        ([(0, 3), (3, 3), (6, 3)], [2, 4]),
        ([(0, 4), (5, 4)], [1, 2, 3]),
    ],
)
@pytest.mark.parametrize("match", ["overlap", "overlap-at-0.3"])
def test_chance_of_several_in_one(fixed, random, match):
    """One side fixed, nine tokens: the distribution over all arrangements of the other, counted."""
    lying = tuple((*span, "X") for span in fixed)
    placed = list(configurations(9, [(length, "X") for length in random], "nonoverlapping"))
    spans = [[(start, start + length, "X") for start, length, _ in x] for x in (lying, placed[0])]
    corpus = sa.Corpus.from_segments([9], {"a": [spans[0]], "b": [spans[1]]})
    by_chance = sa.match_distribution(corpus, "a", "b", match=match, fixed="a")
    counts = Counter(int(matched(lying, each, match)) for each in placed)
    assert by_chance.pmf == pytest.approx(
        {k: v / len(placed) for k, v in counts.items()}, abs=1e-13
    )


@given(*[st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=6)] * 2)
def test_who_has_a_partner(mine, theirs):
    """A segment has one if the other side has its label in its piece; by looking at all."""
    sides = []
    for rows in (mine, theirs):
        piece, label = np.array(rows, np.int64).reshape(-1, 2).T
        sides.append(AnnotatorSegments(piece, label, label, label, label, label))
    assert mask_matchable_segments(*sides).tolist() == [row in theirs for row in mine]


@pytest.mark.long
def test_draws_of_both_sides_are_quick(monkeypatch):
    """Fewer than half of the time of the witness, which an answer of twelve annotators takes 66 times."""
    shape = tuple(tuple((x, True, 0) for x in side) for side in ([3, 9, 12, 20, 31], [2, 8, 15, 16, 27, 30]))  # fmt: skip

    def quickest():
        times = []
        for seed in range(5):
            begun = time.process_time()
            for each in range(5):
                rng = np.random.default_rng(seed + each)
                overlap_expected._draw_mean(300, shape, find_measure("overlap"), None, rng)
            times.append(time.process_time() - begun)
        return min(times)

    ours = quickest()
    monkeypatch.setattr(overlap_expected, "MOST_PAIRS", 0)
    assert 2 * ours < quickest()


def test_long_texts_need_no_start_distributions():
    """Overlap is drawn or walked; what starts of forty long segments cost is not asked for.

    Their start distributions in 10 million characters take more numbers than are allowed.
    """
    rng = np.random.default_rng(0)
    layers = {}
    for name in "ab":
        start = 100_000 * np.sort(rng.choice(99, 40, replace=False))
        ends = (start + rng.integers(1, 99_999, 40)).tolist()
        layers[name] = [[(s, e, "X") for s, e in zip(start.tolist(), ends, strict=True)]]
    corpus = sa.Corpus.from_segments([10_000_000], layers)
    with pytest.raises(sa.SettingError, match="numbers, and"):
        sa.evaluate(corpus, chance_of="systems")
    f1 = sa.agree(corpus, match="overlap").team.f1
    assert sa.evaluate(corpus, match="overlap")["b"].f1[:2] == f1[:2]
    assert 0 < f1.expected < 1
