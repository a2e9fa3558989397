"""Borders within a tolerance at places: against enumeration in fractions, and against draws."""

from __future__ import annotations

import re
import time
from fractions import Fraction

import numpy as np
import pytest
from messages import refuses
from place_oracles import APART, configurations, random_rule, random_segments

import spanagree as sa
from spanagree.chance.near_matches import take_pairs
from spanagree.comparisons import overlap_expected


def pairs(a, b, labels, t, words=None):
    """How many segments of equal label go together one to one; borders in words where given."""
    if words is not None:
        a, b = ([(in_words(p, words), label) for p, label in side] for side in (a, b))
    return sum(
        take_pairs(*(sorted(p for p, own in side if own == label) for side in (a, b)), t)[0]
        for label in labels
    )


def in_words(place, words):
    """The first word that a place touches, and behind the last; between two, where it stands."""
    start, end = place
    touched = [i for i, (s, e) in enumerate(words) if s < end and start < e]
    between = sum(e <= start for _, e in words)
    return (touched[0], touched[-1] + 1) if touched else (between, between)


def ways(segments, rule, n, chance):
    """Every random annotation, as places with labels."""
    labels = [label for *_, label in segments]
    chosen = configurations(n, rule, segments, APART[chance])
    return [list(zip(places, labels, strict=True)) for places in chosen]


def cases(number, seed, only_words=False):
    """Small documents with rules, as many as asked; none of words for one label only."""
    rng = np.random.default_rng(seed)
    while number:
        n = int(rng.integers(4, 11))
        text = "".join(rng.choice(list("aB1 ,é"), n))
        rule = random_rule(rng, n, text)
        if only_words:
            rule = {"name": "words", "text": text}
        elif "words" in str(rule):
            continue
        a, b = (random_segments(rng, n)[:3] for _ in "ab")
        chance = str(rng.choice(["nonoverlapping", "per-label"]))
        both = [ways(side, rule, n, chance) for side in (a, b)]
        if len(both[0]) * len(both[1]) < 3000:
            number -= 1
            yield n, rule, a, b, chance, both


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_enumeration(seed):
    """Both random, and with gold as it is, the mean is that over all annotations, in fractions."""
    rng = np.random.default_rng(seed)
    for n, rule, a, b, chance, both in cases(25, seed):
        t = int(rng.integers(1, 4))
        gold = [[((s, e), label) for s, e, label in a]]
        corpus = sa.Corpus.from_segments([n], {"a": [a], "b": [b]})
        for chance_of, first in (("both", both[0]), ("systems", gold)):
            total = sum(pairs(x, y, "XY", t) for x in first for y in both[1])
            mean = Fraction(total, len(first) * len(both[1]))
            ask = {"chance": chance, "tolerance": t, "chance_of": chance_of}
            f1 = sa.evaluate(corpus, places=[rule], **ask)["b"].f1
            assert f1.expected == pytest.approx(2 * mean / (len(a) + len(b)), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_enumeration_in_words(seed):
    """At places of words a tolerance counts words: over all annotations, in fractions.

    Beside it stands chance without a rule, over all annotations anywhere.
    """
    for n, rule, a, b, chance, both in cases(12, seed, only_words=True):
        words = [x.span() for x in re.finditer(r"[^\W_]+", rule["text"])]
        t = 1 + seed % 2
        gold, mine = ([((s, e), label) for s, e, label in side] for side in (a, b))
        texts, size = {"texts": [rule["text"]], "offsets": "characters"}, len(a) + len(b)
        corpus = sa.Corpus.from_segments([n], {"a": [a], "b": [b]}, **texts)
        observed = pairs(gold, mine, "XY", t, words)
        for chance_of, first in (("both", both[0]), ("systems", [gold])):
            total = sum(pairs(x, y, "XY", t, words) for x in first for y in both[1])
            mean = Fraction(total, len(first) * len(both[1]))
            ask = {"chance": chance, "tolerance": t, "chance_of": chance_of}
            made = sa.evaluate(corpus, places="words", **ask)
            wanted = 2 * observed / size, float(2 * mean / size)
            assert made["b"].f1[:2] == pytest.approx(wanted, abs=1e-12)
            assert f"match:exact-within-{t}-words|" in made.signature
        if len(a) * len(b) == 1:
            free = [ways(side, {"name": "anywhere"}, n, chance) for side in (a, b)]
            total = sum(pairs(x, y, "XY", t, words) for x in free[0] for y in free[1])
            mean = Fraction(total, len(free[0]) * len(free[1]))
            (row,) = sa.evaluate(corpus, places="words", tolerance=t, chance=chance).to_rows()
            assert row["f1_expected_uniform"] == pytest.approx(float(2 * mean / size), abs=1e-12)


@pytest.mark.long
def test_words_are_tokens():
    """Segments from edge to edge of words: as tokens, in `agree` with gaps, by p, and in draws."""
    text = "the big cat, sat on: a mat and 1 slept"
    words = [x.span() for x in re.finditer(r"\w+", text)]
    layers = {
        "ann": [[(0, 3, "X"), (5, 7, "Y")], [(1, 2, "X")]],
        "bob": [[(1, 3, "X"), (7, 8, "Y")], None],
        "cyd": [[(0, 2, "X"), (5, 6, "X"), (6, 8, "Y")], [(3, 4, "X")]],
    }
    tokens = sa.Corpus.from_segments([len(words)] * 2, layers)
    written = {
        name: [
            some and [(words[s][0], words[e - 1][1], label) for s, e, label in some]
            for some in documents
        ]
        for name, documents in layers.items()
    }
    of_text = {"texts": [text, text], "offsets": "characters"}
    corpus = sa.Corpus.from_segments([len(text)] * 2, written, **of_text)
    for match in ("exact", "boundaries"):
        in_tokens = sa.agree(tokens, match=match, tolerance=1)
        made = sa.agree(corpus, match=match, tolerance=1, places="words")
        assert made.team.f1[:3] == pytest.approx(in_tokens.team.f1[:3], abs=1e-12)
    assert sa.agree(corpus, match="exact-within-1", places="words").settings.match == (
        "exact-within-1-words"
    )
    drawn = sa.agree(corpus, tolerance=1, places="words", p_values=True)
    for pair, by_chance in drawn.by_chance.items():
        mean, tally = by_chance.both.mean, drawn.pairs[pair].tally
        assert mean == pytest.approx(tally.expected, abs=4 * by_chance.both.sd / 1000**0.5)


def test_words_of_some_segments_only():
    """Words for one label only, or offsets that count tokens, are refused."""
    layers = {"a": [[(0, 2, "X")]], "b": [[(0, 2, "Y")]]}
    corpus = sa.Corpus.from_segments([4], layers, texts=["ab c"], offsets="characters")
    with refuses(sa.errors.SettingError, "tolerance 1 … places X=words … places words"):
        sa.evaluate(corpus, tolerance=1, places="X=words")
    with refuses(sa.errors.SettingError, "places words … tokens … characters"):
        sa.evaluate(sa.Corpus.from_segments([4], layers), tolerance=1, places="words")
    with refuses(sa.errors.SettingError, "match 'exact-within-1-letters' … -words"):
        sa.evaluate(corpus, match="exact-within-1-letters")
    # the unit alone is a measure too, with chance anywhere
    made = sa.evaluate(corpus, match="boundaries-within-1-words")
    assert "places" not in made.signature
    assert made["b"].f1.observed == 1


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_gold_as_it_is_anywhere(seed):
    """Without a rule too gold may stay as it is: over all random systems, in fractions."""
    for n, _, a, b, chance, _ in cases(15, seed):
        many = ways(b, {"name": "anywhere"}, n, chance)
        gold = [((s, e), label) for s, e, label in a]
        mean = Fraction(sum(pairs(gold, y, "XY", 1) for y in many), len(many))
        corpus = sa.Corpus.from_segments([n], {"a": [a], "b": [b]})
        f1 = sa.evaluate(corpus, chance=chance, tolerance=1, chance_of="systems")["b"].f1
        assert f1.expected == pytest.approx(2 * mean / (len(a) + len(b)), abs=1e-12)


@pytest.mark.parametrize("match", ["exact", "boundaries"])
def test_the_uniform_rule_changes_nothing(match):
    """A rule that all places keep gives the figure without one, to 1e-12."""
    corpus = sa.Corpus.from_segments(
        [9, 12],
        {
            "a": [[(0, 2, "X"), (4, 5, "Y")], [(3, 6, "X"), (8, 9, "X")]],
            "b": [[(1, 2, "X"), (5, 8, "X")], [(3, 5, "X"), (8, 10, "Y")]],
        },
    )
    rule = [{"name": "site", "ok": [True] * n} for n in (9, 12)]
    plain, ruled = (sa.evaluate(corpus, match=match, tolerance=2, places=x) for x in (None, rule))
    assert ruled["b"].f1[:3] == pytest.approx(plain["b"].f1[:3], abs=1e-12)


@pytest.mark.parametrize("chance_of", ["both", "systems"])
def test_over_budget(monkeypatch, chance_of):
    """What would be too much work is drawn: within 4 standard errors, which the note has."""
    spans = [[(0, 2, "X"), (4, 5, "X"), (7, 9, "X")]], [[(1, 2, "X"), (5, 8, "X")]]
    corpus = sa.Corpus.from_segments([14], dict(zip("ab", spans, strict=True)))
    ok = [{"name": "site", "ok": [x % 3 != 2 for x in range(14)]}]
    ask = {"tolerance": 1, "places": ok, "chance_of": chance_of}
    exact = sa.evaluate(corpus, **ask)
    monkeypatch.setattr(overlap_expected, "NEAR_BUDGET", 10)
    drawn = sa.evaluate(corpus, **ask)
    (note,) = (note for note in drawn.notes if "standard error" in note)
    error = float(note.rpartition(" ")[2])
    assert drawn["b"].f1.expected == pytest.approx(exact["b"].f1.expected, abs=4 * error + 1e-4)
    assert drawn["b"].f1.expected != exact["b"].f1.expected
    assert "expected:partly-drawn" in drawn.signature
    assert "partly-drawn" not in exact.signature


@pytest.mark.long
def test_p_is_drawn(newsroom):
    """p of a tolerance at places is of draws that keep the kinds: their mean is the expected one."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "tagger")]
    news = sa.read_conll(files)
    ask = {"tolerance": 1, "places": "capitals", "chance_of": "systems", "p_values": True}
    made = sa.evaluate(news, **ask)
    ((name, system),) = made.systems.items()
    tested = made.by_chance[name].tested
    error = tested.sd / np.sqrt(1000)
    assert tested.mean == pytest.approx(system.tally.expected, abs=4 * error)


@pytest.mark.long
def test_many_kinds():
    """A document of very many kinds is drawn at once: one table of them all would fill memory."""
    sizes = range(1, 17)
    starts = np.cumsum([0, *sizes]).tolist()
    spans = [(starts[i], starts[i] + size, "XY"[i > 0]) for i, size in enumerate(sizes)]
    n = starts[-1] + 20
    corpus = sa.Corpus.from_segments([n], {"a": [spans], "b": [spans]})
    places = [{"name": "site", "ok": [True] * n}]
    made = sa.evaluate(corpus, tolerance=1, places=places)
    assert "expected:partly-drawn" in made.signature
    assert made["b"].f1.observed == 1


@pytest.mark.parametrize(
    ("match", "budget"), [("exact-within-1", "NEAR_BUDGET"), ("overlap", "BUDGET")]
)
def test_draws_of_alike_lengths(monkeypatch, match, budget):
    """Segments of one length, of two labels and kinds, keep these in draws: within 4 errors."""
    spans = [(0, 2), (5, 7), (9, 11)], [(1, 3), (6, 8), (12, 14)]
    layers = {
        name: [[(*place, label) for place, label in zip(some, "YXX", strict=True)]]
        for name, some in zip("ab", spans, strict=True)
    }
    corpus = sa.Corpus.from_segments([16], layers)
    places = [{"name": "site", "ok": [x < 4 for x in range(16)]}]
    exact = sa.evaluate(corpus, match=match, places=places)["b"].f1.expected
    monkeypatch.setattr(overlap_expected, budget, 10)
    drawn = sa.evaluate(corpus, match=match, places=places)
    (note,) = (note for note in drawn.notes if "standard error" in note)
    error = float(note.rpartition(" ")[2])
    assert drawn["b"].f1.expected == pytest.approx(exact, abs=4 * error + 1e-4)


def test_work_of_overlap_at_places():
    """Overlap at places of many starts is drawn where the exact walk takes longer than draws."""
    layers = {"a": [[(5, 40, "X"), (60, 75, "X")]], "b": [[(0, 45, "X"), (55, 90, "X")]]}
    corpus = sa.Corpus.from_segments([134], layers)
    everywhere = [{"name": "site", "ok": [True] * 134}]
    begun = time.process_time()
    drawn = sa.evaluate(corpus, match="overlap", places=everywhere)
    assert time.process_time() - begun < 10
    assert "expected:partly-drawn" in drawn.signature
    (note,) = (note for note in drawn.notes if "standard error" in note)
    error = float(note.rpartition(" ")[2])
    anywhere = sa.evaluate(corpus, match="overlap")["b"].f1.expected  # every place is allowed
    assert drawn["b"].f1.expected == pytest.approx(anywhere, abs=4 * error + 1e-4)
