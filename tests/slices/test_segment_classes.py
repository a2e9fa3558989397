"""Slices of segments: lengths add up and have exact chance; what was seen has raw figures."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.comparisons.measures import OF_EQUAL, list_measures


def test_chance_of_a_length_by_enumeration():
    """Gold has lengths 1 and 2, a system 1 and 1, on 4 tokens: all arrangements, in fractions."""
    layers = {"gold": [[(0, 1, "X"), (1, 3, "X")]], "mine": [[(0, 1, "X"), (3, 4, "X")]]}
    made = sa.slices.score_slices(sa.evaluate(sa.Corpus.from_segments([4], layers)), "length")

    def arrangements(lengths):
        """All sets of segments of these lengths, in any order, that do not overlap."""
        for order in itertools.permutations(range(len(lengths))):
            for starts in itertools.combinations(range(4), len(lengths)):
                ends = [s + lengths[k] for s, k in zip(starts, order, strict=True)]
                if all(e <= s for e, s in zip(ends, [*starts[1:], 4], strict=True)):
                    yield frozenset(
                        (s, s + lengths[k], k) for s, k in zip(starts, order, strict=True)
                    )

    gold = list({*arrangements([1, 2])})
    mine = list({*arrangements([1, 1])})
    total = sum(
        (g[0], g[1]) == (m[0], m[1]) for a in gold for b in mine for g in a for m in b if g[1] - g[0] == 1
    )  # fmt: skip
    truth = Fraction(total, len(gold) * len(mine))
    assert made["1"].scores["mine"].tally.expected == pytest.approx(float(truth))
    assert made["2"].scores["mine"].tally.expected == 0
    assert [made[name].scores["mine"].tally.size_a for name in "12"] == [1, 1]


segments = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 7), st.sampled_from("XY")), max_size=4
)


def apart(drawn):
    """Segments that do not overlap, of drawn starts and lengths."""
    taken, end = [], 0
    for start, length, label in sorted(drawn):
        if start >= end:
            taken.append((start, start + length, label))
            end = start + length
    return taken


@given(st.lists(st.tuples(segments, segments), min_size=1, max_size=3))
@pytest.mark.parametrize("match", OF_EQUAL)
def test_lengths_add_up(match, drawn):
    """Matches, expected ones and sizes of all lengths are those of all segments; of annotators too."""
    layers = {"a": [apart(x) for x, _ in drawn], "b": [apart(x) for _, x in drawn]}
    corpus = sa.Corpus.from_segments([16] * len(drawn), layers)
    if not any(len(layer) for layer in corpus.layers.values()):
        return
    for result, name in ((sa.evaluate(corpus, match=match), "b"), (sa.agree(corpus, match=match), "team")):  # fmt: skip
        made = sa.slices.score_slices(result, "length")
        whole = made.whole.scores[name].tally
        parts = [part.scores[name].tally for part in made.slices]
        for k, count in enumerate(whole.counts):
            assert math.fsum(part.counts[k] for part in parts) == pytest.approx(count, abs=1e-12)


def test_a_crowd_adds_up_too(crowd):
    """Where many saw each document, whose pairs are compared at once."""
    layers = {f"{name}{i}": layer for i in range(3) for name, layer in crowd.layers.items()}
    many = crowd.replace(layers=layers)
    made = sa.slices.score_slices(sa.agree(many), "length")
    sums = [math.fsum(part.scores["team"].tally.counts[k] for part in made.slices) for k in (0, 1)]
    assert sums == pytest.approx(made.whole.scores["team"].tally.counts[:2])


def test_names_of_lengths():
    """Tokens one by one and 5 or more; characters by doubling."""
    spans = [[(0, 1, "X"), (2, 5, "X"), (10, 17, "X")]]
    tokens = sa.Corpus.from_segments([20], {"a": spans, "b": spans})
    assert list(sa.slices.score_slices(sa.agree(tokens), "length")) == ["1", "3", "5 or more"]
    characters = sa.Corpus.from_segments([20], {"a": spans, "b": spans}, offsets="characters")
    assert list(sa.slices.score_slices(sa.agree(characters), "length")) == ["1", "2–3", "4–7"]


@pytest.mark.parametrize("how", [{"chance": "per-label"}, {"places": "words"}])
def test_no_chance_of_a_length(how):
    """Where no length has a chance of its own, raw figures stand and the reason is said."""
    spans = [[(0, 5, "X")]]
    corpus = sa.Corpus.from_segments(
        [9], {"a": spans, "b": spans}, texts=["Jo Li ran"], offsets="characters"
    )
    made = sa.slices.score_slices(sa.evaluate(corpus, **how), "length")
    f1 = made["4–7"].scores["b"].f1
    assert f1.observed == 1
    assert math.isnan(f1.expected)
    assert math.isnan(f1.corrected)
    assert f1.reason == made.no_chance != ""
    assert f"–: chance undefined: {made.no_chance}"[:60] in " ".join(str(made).split())


@pytest.mark.parametrize("match", list_measures(lambda measure: measure.kernel != "equal"))
def test_other_measures_are_refused(match):
    """Under them segments of different lengths match."""
    spans = [[(0, 2, "X")]]
    result = sa.agree(sa.Corpus.from_segments([9], {"a": spans, "b": spans}), match=match)
    with pytest.raises(sa.SettingError, match="may pair segments of different classes; choose"):
        sa.slices.score_slices(result, "length")


def seen_corpus():
    """Gold Ann PER, Rome LOC and Bob PER; a system finds Ann and takes Rome for a person."""
    rows = [
        {"tokens": ["Ann", "saw", "Rome"], "gold": ["B-PER", "O", "B-LOC"], "mine": ["B-PER", "O", "B-PER"]},
        {"tokens": ["Bob", "ran"], "gold": ["B-PER", "O"], "mine": ["O", "O"]},
    ]  # fmt: skip
    training = [{"tokens": ["Ann", "in", "Rome"], "tags": ["B-PER", "O", "B-LOC"]}]
    return sa.evaluate(sa.read(rows), "gold"), sa.read(training)


def test_seen_and_unseen_by_hand():
    """Seen: gold Ann and Rome, of the system Ann; unseen: gold Bob, of the system Rome as a person."""
    result, training = seen_corpus()
    made = sa.slices.score_slices(result, "seen", seen=training)
    counts = {part.name: part.scores["mine"].tally for part in made.slices}
    seen, unseen = counts["seen"], counts["unseen"]
    assert (seen.matched, seen.size_a, seen.size_b) == (1, 2, 1)
    assert (unseen.matched, unseen.size_a, unseen.size_b) == (0, 1, 1)
    assert made["seen"].scores["mine"].recall.observed == 0.5
    assert math.isnan(made["seen"].scores["mine"].f1.expected)
    assert made["seen"].scores["mine"].f1.reason.startswith("whether a random segment")
    assert made.whole.scores["mine"].f1.expected == result["mine"].f1.expected


def test_seen_regards_no_white_space():
    """Texts in characters are held against tokens, and tokens that are cut otherwise."""
    training = sa.Corpus.from_segments(
        [12], {"x": [[(0, 8, "LOC")]]}, texts=["New York is."], offsets="characters"
    )
    rows = [{"tokens": ["New", "York"], "gold": ["B-LOC", "I-LOC"], "mine": ["B-LOC", "I-LOC"]}]
    made = sa.slices.score_slices(sa.evaluate(sa.read(rows), "gold"), "seen", seen=training)
    assert made["seen"].scores["mine"].tally.matched == 1
    assert made["unseen"].scores["mine"].tally.size_a == 0


def test_seen_is_refused_without_a_training_corpus(tmp_path, run):
    """Both or neither; under exact match only; with texts."""
    result, training = seen_corpus()
    with pytest.raises(sa.SettingError, match="needs a training corpus"):
        sa.slices.score_slices(result, "seen")
    with pytest.raises(sa.SettingError, match="needs a training corpus"):
        sa.slices.score_slices(result, "length", seen=training)
    other = sa.evaluate(result.rows.corpus, "gold", match="boundaries")
    with pytest.raises(sa.SettingError, match="choose match exact"):
        sa.slices.score_slices(other, "seen", seen=training)
    spans = [[(0, 2, "X")]]
    bare = sa.evaluate(sa.Corpus.from_segments([9], {"a": spans, "b": spans}))
    with pytest.raises(sa.SettingError, match="the tokens are not known"):
        sa.slices.score_slices(bare, "seen", seen=training)
    train, gold, mine = (tmp_path / f"{name}.conll" for name in ("train", "gold", "mine"))
    train.write_text("Ann B-PER\n")
    gold.write_text("Ann B-PER\nRome B-LOC\n")
    mine.write_text("Ann B-PER\nRome O\n")
    code, out, err = run("evaluate", gold, mine, "--seen", train)
    assert code == 0, err
    assert "slices:seen train.conll" in out.replace("\n  ", "")
    assert "chance undefined: whether a random segment" in out
