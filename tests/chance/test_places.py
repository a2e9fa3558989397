"""Where random segments stand under a rule of places: against enumeration in fractions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from place_oracles import APART, configurations, random_rule, random_segments, shares

import spanagree as sa
from spanagree import Corpus
from spanagree.chance import place_rules
from spanagree.chance.arrangements import compute_arrangements, compute_weighted_probabilities
from spanagree.chance.places import find_places
from spanagree.chance.start_distributions import find_exclusion_groups
from spanagree.comparisons import expected_at_places

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sites.json").read_text())["cases"]


def corpus_of(case):
    layers = {side: [[tuple(s) for s in case[side]]] for side in "ab"}
    in_text = "text" in json.dumps(case.get("rule", ""))
    offsets = "characters" if in_text else "tokens"
    return Corpus.from_segments([case["length"]], layers, offsets=offsets)


def placed(corpus, rule, chance, side="a", **more):
    """The places and probabilities of each segment of a layer of one document, by segment."""
    layer, kinds = (
        corpus.layers[side],
        find_places([rule]).bind_to_corpus(corpus).find_kinds(corpus.layers[side]),
    )
    group, _ = find_exclusion_groups([layer], chance)
    made = compute_arrangements(kinds, group, free=chance == "overlapping", **more)
    result = {}
    for i, (s, e, label) in enumerate(zip(layer.start, layer.end, layer.label, strict=True)):
        _, start, end, p = made.list_places(kinds, made.class_of[[i]])
        places = zip(start.tolist(), end.tolist(), p.tolist(), strict=True)
        result[int(s), int(e), corpus.labels[label]] = {(a, b): x for a, b, x in places if x}
    return result


@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_golden(number):
    """Reference cases of every rule and chance model, enumerated in fractions, to 1e-12."""
    case = GOLDEN[number]
    corpus = corpus_of(case)
    for side in "ab":
        ours = placed(corpus, case["rule"], case["chance"], side)
        assert len(ours) == len(case[side])
        for segment, reference in zip(case[side], case["places_" + side], strict=True):
            exact = {(s, e): p for s, e, p in reference}
            assert ours[tuple(segment)] == pytest.approx(exact, rel=0, abs=1e-12)


@pytest.mark.long
def test_enumeration():
    """A thousand random cases of every rule and chance model equal enumeration in fractions."""
    rng = np.random.default_rng(7)
    checked = 0
    while checked < 1000:
        n = int(rng.integers(2, 9))
        text = "".join(rng.choice(list("ab 'É-"), n))
        rule, segments = random_rule(rng, n, text), random_segments(rng, n)
        chance = str(rng.choice(list(APART)))
        case = {"length": n, "a": segments, "b": [], "rule": rule}
        ours = placed(corpus_of(case), rule, chance)
        for segment, exact in zip(
            segments, shares(configurations(n, rule, segments, APART[chance])), strict=True
        ):
            reference = {p: float(x) for p, x in exact.items()}
            assert ours[segment] == pytest.approx(reference, rel=0, abs=1e-12)
        checked += 1


def test_the_uniform_rule_is_the_uniform_model():
    """A kind for each length: the start distributions of the uniform model, read from both ends."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(5, 40))
        segments = random_segments(rng, n)
        case = {"length": n, "a": segments, "b": []}
        rule = {"name": "site", "ok": [True] * n}  # has kinds of places, but all are sites
        ours = placed(corpus_of(case), rule, "nonoverlapping")
        exact = sa.start_distribution(n, [e - s for s, e, _ in segments])
        for (s, e, label), p in zip(segments, exact, strict=True):
            reference = {(x, x + e - s): value for x, value in enumerate(p.tolist()) if value}
            assert ours[s, e, label] == pytest.approx(reference, rel=0, abs=1e-12)


def test_over_the_budget():
    """With kinds in the mean: exact for one kind, each segment is somewhere, and close for many."""
    n, rng = 60, np.random.default_rng(3)
    rule = {"name": "site", "ok": (rng.random(n) < 0.5).tolist()}
    ok = rule["ok"]
    pairs = [s for s in range(0, n - 2, 3) if ok[s] and ok[s + 1]][:5]
    case = {"length": n, "a": [(s, s + 2, "X") for s in pairs], "b": []}
    for segment, exact in placed(corpus_of(case), rule, "nonoverlapping").items():
        mixed = placed(corpus_of(case), rule, "nonoverlapping", budget=0)[segment]
        assert mixed == pytest.approx(exact, rel=0, abs=1e-12)
    borders = np.sort(rng.choice(n + 1, 16, False)).reshape(-1, 2).tolist()
    case = {"length": n, "a": [(s, e, "X") for s, e in borders], "b": []}
    exact = placed(corpus_of(case), rule, "nonoverlapping")
    mixed = placed(corpus_of(case), rule, "nonoverlapping", budget=0)
    covers = [np.zeros(n), np.zeros(n)]
    for cover, each in zip(covers, (exact, mixed), strict=True):
        for places in each.values():
            assert sum(places.values()) == pytest.approx(1, abs=1e-12)
            for (s, e), p in places.items():
                cover[s:e] += p
    one, other = (cover @ covers[0] for cover in covers)
    assert other == pytest.approx(one, rel=2.2e-3)  # as measured, expected token match


@pytest.mark.parametrize("match", ["iou", "token"])
def test_portions_change_no_digit(match, monkeypatch):
    """A document by itself has the figure that it has among all: sums are over its places alone."""
    folder = Path(__file__).parents[2] / "corpora" / "newsroom"
    corpus = sa.read_conll([folder / f"{name}.conll" for name in ("gold", "tagger")])

    def expected():
        made = sa.evaluate(corpus, match=match, places="capitals")
        return [row["expected"] for row in made.to_rows("document")]

    together = expected()
    assert len(set(together)) > 9
    monkeypatch.setattr(expected_at_places, "_TOGETHER", 1)
    assert expected() == together


@pytest.mark.long
def test_many_segments_are_scaled():
    """Counts of arrangements beyond what a float holds: 400 segments of two kinds in 4,000 tokens."""
    n = 4000
    ok = [True] * 2000 + [False] * 2000
    segments = [(i * 5, i * 5 + 2, "X") for i in range(390)] + [(3000, 3001, "X")]
    case = {"length": n, "a": segments, "b": []}
    ours = placed(corpus_of(case), {"name": "site", "ok": ok}, "nonoverlapping")
    assert sum(ours[0, 2, "X"].values()) == pytest.approx(1, abs=1e-9)
    assert ours[3000, 3001, "X"][2500, 2501] == pytest.approx(1 / 2000, rel=1e-9)


def test_words_of_each_text():
    """A word stays a word of its own text: of two words each, either with probability 1/2."""
    corpus = Corpus.from_segments(
        [5, 4],
        {"a": [[(0, 2, "X")], [(2, 4, "X")]]},
        offsets="characters",
        texts=["ab cd", "x yz"],
    )
    layer, kinds = (
        corpus.layers["a"],
        find_places("words").bind_to_corpus(corpus).find_kinds(corpus.layers["a"]),
    )
    made = compute_arrangements(kinds, find_exclusion_groups([layer], "nonoverlapping")[0])
    for number, words in enumerate([[(0, 2), (3, 5)], [(0, 1), (2, 4)]]):
        _, start, end, p = made.list_places(kinds, made.class_of[[number]])
        shares_of = zip(start.tolist(), end.tolist(), p.tolist(), strict=True)
        assert {(s, e): x for s, e, x in shares_of if x} == dict.fromkeys(words, 0.5)


@pytest.mark.long
def test_more_ways_than_a_float_holds():
    """100 segments of two tokens in 1,000, but none at 10 or 500: counted with whole numbers."""
    n, k = 1000, 100
    may = [s not in (10, 500) for s in range(n - 1)]
    rule = {"name": "places", "places": [[s, s + 2] for s in range(n - 1) if may[s]]}
    case = {"length": n, "a": [(4 * i, 4 * i + 2, "X") for i in range(k)], "b": []}
    ours = placed(corpus_of(case), rule, "nonoverlapping")[0, 2, "X"]

    def ways(may):
        """In how many ways up to k segments stand before each border."""
        table = [[1] + [0] * k for _ in range(n + 1)]
        for p in range(2, n + 1):
            two = table[p - 2] if may[p - 2] else [0] * k
            table[p] = [1, *(table[p - 1][j] + two[j - 1] for j in range(1, k + 1))]
        return table

    left, right = ways(may), ways(may[::-1])
    for s in (0, 8, 9, 12, 499, 501, 502, 998):
        here = sum(left[s][j] * right[n - s - 2][k - 1 - j] for j in range(k))
        assert ours[s, s + 2] == pytest.approx(here / (k * left[n][k]), rel=1e-9)


def test_small_weights():
    """A hundred segments fill a hundred places, whatever their weights: each has one in a hundred.

    The only arrangement has a weight of 1e-1000, which no float holds.
    """
    start = np.arange(100)
    p = compute_weighted_probabilities(start, start + 1, np.full(100, 1e-10), 101, 100)
    np.testing.assert_allclose(p, 0.01, rtol=1e-12)


def test_what_places_of_all_kinds_cost(monkeypatch):
    """The starts checked for lengths 2 and 5 in a text of 9 tokens, by hand: 4 · (8 + 5)."""
    asked = []
    monkeypatch.setattr(place_rules, "check_cost", lambda cost, what: asked.append(cost))
    rule = place_rules.build_anywhere_rule(np.array([9]))
    row, start, end = rule.list_places(np.zeros(2, np.int64), np.array([2, 5]), np.zeros(2, int))
    assert asked == [4 * (8 + 5)]
    assert row.tolist() == [0] * 8 + [1] * 5
    assert (end - start).tolist() == [2] * 8 + [5] * 5
