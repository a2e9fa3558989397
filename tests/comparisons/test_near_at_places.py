"""Borders within a tolerance at places: against enumeration in fractions, and against draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from place_oracles import APART, configurations, random_rule, random_segments

import spanagree as sa
from spanagree.chance.near_matches import take_pairs
from spanagree.comparisons import overlap_expected


def pairs(a, b, labels, t):
    """How many segments of equal label go together one to one."""
    return sum(
        take_pairs(*(sorted(p for p, own in side if own == label) for side in (a, b)), t)[0]
        for label in labels
    )


def ways(segments, rule, n, chance):
    """Every random annotation, as places with labels."""
    labels = [label for *_, label in segments]
    chosen = configurations(n, rule, segments, APART[chance])
    return [list(zip(places, labels, strict=True)) for places in chosen]


def cases(number, seed):
    """Small documents with rules, as many as asked."""
    rng = np.random.default_rng(seed)
    while number:
        n = int(rng.integers(4, 11))
        rule = random_rule(rng, n, "".join(rng.choice(list("aB1 ,é"), n)))
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
