"""The match of random annotations at places of their kinds: against enumeration in fractions."""

from __future__ import annotations

import functools
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from place_oracles import APART, configurations, random_rule, random_segments

from spanagree import Corpus
from spanagree.chance.arrangements import compute_arrangements
from spanagree.chance.model import build_chance_model
from spanagree.chance.places import find_places
from spanagree.chance.simulate_places import redraw_at_places
from spanagree.chance.start_distributions import find_exclusion_groups
from spanagree.comparisons.at_places import build_placement_model
from spanagree.comparisons.chance_distribution.both_random import compute_both_random
from spanagree.comparisons.chance_distribution.fixed_walk import compute_fixed_by_walk
from spanagree.comparisons.chance_distribution.pieces import find_parts
from spanagree.comparisons.expected_at_places import StartsAtPlaces
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.starts import LayerPair

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sites.json").read_text())["cases"]


def corpus_of(n, rule, a, b):
    offsets = "characters" if "text" in json.dumps(rule) else "tokens"
    layers = {"a": [list(map(tuple, a))], "b": [list(map(tuple, b))]}
    return Corpus.from_segments([n], layers, offsets=offsets)


class Case:
    """Two annotators of one document, with what the package makes of their places."""

    def __init__(self, n, rule, a, b, chance):
        self.corpus, self.chance = corpus_of(n, rule, a, b), chance
        self.model = build_chance_model(chance, [rule])
        self.at, self.classes = build_placement_model(self.corpus, ("a", "b"), self.model)
        self.kinds = tuple(self.at.look_up_kinds(classes) for classes in self.classes)
        self.layers = self.corpus.layers["a"], self.corpus.layers["b"]

    def expected(self, match):
        measure = find_measure(match)
        cells = tuple(layer.label * measure.of_label for layer in self.layers)
        count = len(self.corpus.labels)
        sides = LayerPair(self.layers, tuple(self.classes), cells, count, self.model)
        return StartsAtPlaces(self.at).compute_expected(sides, measure)[0].sum()

    def sizes(self, match):
        assert find_measure(match).in_tokens
        for classes in self.classes:
            yield self.at.mean_length[classes].sum()

    def results(self, match, both, moments=False):
        measure = find_measure(match)
        pieces = find_parts(*self.layers, self.corpus.lengths, measure, self.chance, self.kinds)
        if both:
            return compute_both_random(pieces, measure, self.chance, 1e9, moments, self.at.kinds)
        return compute_fixed_by_walk(pieces, measure, 1e9, moments, self.at.kinds)

    def distribution(self, match, both):
        return functools.reduce(np.convolve, self.results(match, both), np.ones(1))

    def moments(self, match, both):
        return sum(self.results(match, both, moments=True), np.zeros(2))


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(GOLDEN)))
def test_golden(number):
    """Reference cases: every expected match, expected sizes, and a distribution, to 1e-12."""
    golden = GOLDEN[number]
    rule, chance, n = golden["rule"], golden["chance"], golden["length"]
    case = Case(n, rule, golden["a"], golden["b"], chance)
    reference = golden["expected"]
    assert case.expected("exact") == pytest.approx(reference["exact"], abs=1e-12)
    assert case.expected("boundaries") == pytest.approx(reference["boundaries"], abs=1e-12)
    close = functools.partial(pytest.approx, rel=1e-12, abs=1e-12)
    if golden["weight"] is None:
        assert case.expected("token") == close(reference["token"])
        assert case.expected("iou") == close(reference["iou"])
        assert [*case.sizes("token")] == close([reference["size_a"], reference["size_b"]])
    else:
        assert weighted(case, golden["weight"]) == close(
            [reference[name] for name in ("token", "iou", "size_a", "size_b")]
        )
    if chance != "overlapping":
        assert case.moments("overlap", both=True)[0] == close(reference["overlap"])
    fixed = case.distribution("exact", both=False)
    exact = dict(golden["matches_of_random_b_with_a"])
    for match in range(max(len(fixed), *(int(m) + 1 for m in exact))):
        ours = fixed[match] if match < len(fixed) else 0
        assert ours == pytest.approx(exact.get(match, 0), abs=1e-12)


def weighted(case, weight):
    """Token match, iou and sizes with weights of tokens, of the package's places by hand."""
    up_to = np.append(0, np.cumsum(weight))
    segments = []
    for layer, classes in zip(case.layers, case.classes, strict=True):
        for label, which in zip(layer.label.tolist(), classes, strict=True):
            _, s, e, p = case.at.random.list_places(case.at.kinds, np.array([which]))
            segments.append((layer is case.layers[0], label, s, e, p))
    token = iou = 0.0
    sizes = [0.0, 0.0]
    for first, label, s, e, p in segments:
        sizes[not first] += ((up_to[e] - up_to[s]) * p).sum()
        for other, label_b, s_b, e_b, p_b in segments:
            if first and not other and label == label_b:
                shared = up_to[np.minimum(e[:, None], e_b)] - up_to[np.maximum(s[:, None], s_b)]
                shared = np.maximum(shared, 0)
                both = (up_to[e] - up_to[s])[:, None] + (up_to[e_b] - up_to[s_b]) - shared
                token += (p[:, None] * p_b * shared).sum()
                iou += (p[:, None] * p_b * shared / both).sum()
    return [token, iou, *sizes]


# --- against the definition ----------------------------------------------------------------------


def phi(match, one, other):
    """How similar two segments, each start, end and label, are."""
    if match != "boundaries" and one[2] != other[2]:
        return 0
    if match in ("exact", "boundaries"):
        return int(one[:2] == other[:2])
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    if match == "token":
        return shared
    iou = Fraction(shared, one[1] - one[0] + other[1] - other[0] - shared)
    if match == "iou":
        return iou
    return int(shared > 0 and iou >= Fraction(match.removeprefix("overlap-at-")))


def matched(match, a, b):
    """The match of two annotations; one-to-one as the greatest number of pairs."""
    if not match.startswith("overlap"):
        return sum(phi(match, one, other) for one in a for other in b)
    match = "overlap-at-0.0001" if match == "overlap" else match

    def most(rest, free):
        if not rest:
            return 0
        found = [most(rest[1:], free)]
        found += [1 + most(rest[1:], free - {j}) for j in free if phi(match, rest[0], b[j])]
        return max(found)

    return most(list(a), frozenset(range(len(b))))


def labelled(chosen, segments):
    return [(*place, label) for place, (_, _, label) in zip(chosen, segments, strict=True)]


MEASURES = ["exact", "boundaries", "token", "iou", "overlap", "overlap-at-0.5"]


@pytest.mark.parametrize(
    "cases", [pytest.param(150, marks=pytest.mark.long), pytest.param(1000, marks=pytest.mark.slow)]
)
def test_distributions_by_enumeration(cases):
    """Random cases of every rule, measure and chance model, one side as it is and both random."""
    rng = np.random.default_rng(11)
    checked = Counter()
    while sum(checked.values()) < cases:
        n = int(rng.integers(2, 8))
        text = "".join(rng.choice(list("ab 'É-"), n))
        rule = random_rule(rng, n, text)
        a, b = random_segments(rng, n)[:3], random_segments(rng, n)[:3]
        match, chance = str(rng.choice(MEASURES)), str(rng.choice(list(APART)))
        if match.startswith("overlap") and chance != "nonoverlapping":
            continue
        ways = [configurations(n, rule, x, APART[chance]) for x in (a, b)]
        if len(ways[0]) * len(ways[1]) > 400:
            continue
        case = Case(n, rule, a, b, chance)
        both = bool(rng.random() < 0.5)
        sides = [[labelled(w, x) for w in way] for way, x in zip(ways, (a, b), strict=True)]
        matches = [matched(match, x, y) for x in (sides[0] if both else [a]) for y in sides[1]]
        mean = sum(map(Fraction, matches)) / len(matches)
        square = sum(Fraction(m) ** 2 for m in matches) / len(matches)
        ours = case.moments(match, both)
        exact = [float(mean), float(square - mean**2)]
        assert ours == pytest.approx(exact, rel=1e-11, abs=1e-12), (match, chance, both)
        if match != "iou":
            pmf = {m: c / len(matches) for m, c in Counter(matches).items()}
            made = dict(enumerate(case.distribution(match, both)))
            assert {m: p for m, p in made.items() if p} == pytest.approx(pmf, rel=0, abs=1e-12)
        checked[match, both] += 1
    assert len(checked) == 2 * len(MEASURES)


def test_over_the_budget_is_none():
    """What is too much work is not computed."""
    segments = [(0, 2, "X"), (3, 5, "X"), (6, 7, "X")]
    case = Case(8, {"name": "site", "ok": [True] * 8}, segments, segments, "nonoverlapping")
    measure = find_measure("token")
    pieces = find_parts(*case.layers, case.corpus.lengths, measure, case.chance, case.kinds)
    assert compute_fixed_by_walk(pieces, measure, 10, False, case.at.kinds) == [None]
    for chance in ("nonoverlapping", "overlapping"):
        assert compute_both_random(pieces, measure, chance, 10, False, case.at.kinds) == [None]


@pytest.mark.parametrize("budget", [1e9, 0])
@pytest.mark.parametrize("chance", list(APART))
def test_draws(chance, budget):
    """Drawn annotations stand where it is computed that they do, within 4 standard errors."""
    rng = np.random.default_rng(5)
    n, draws = 12, 20_000
    rule = {"name": "site", "ok": (np.arange(n) % 3 < 2).tolist()}
    segments = [(0, 2, "X"), (3, 4, "Y"), (6, 9, "X"), (9, 10, "X")]
    case = Case(n, rule, segments, segments, chance)
    layer = case.layers[0]
    group, _ = find_exclusion_groups([layer], chance)
    kinds = find_places([rule]).bind_to_corpus(case.corpus).find_kinds(layer)
    free = chance == "overlapping"
    random = compute_arrangements(kinds, group, free=free, budget=budget)
    drawn = redraw_at_places(layer, kinds, kinds.kind, group, draws, rng, free=free, budget=budget)
    assert np.bincount(drawn.document).tolist() == [len(segments)] * draws
    for label in (0, 1):
        seen = np.zeros((n + 1, n + 1))
        here = drawn.label == label
        np.add.at(seen, (drawn.start[here], drawn.end[here]), 1 / draws)
        computed = np.zeros((n + 1, n + 1))
        for which, code in zip(random.class_of, layer.label.tolist(), strict=True):
            if code == label:
                _, s, e, p = random.list_places(kinds, np.array([which]))
                computed[s, e] += p
        error = np.sqrt(np.maximum(computed, 1e-4) / draws)
        assert (np.abs(seen - computed) < 4.5 * error).all()
        error = np.sqrt(np.maximum(computed, 1e-4) / draws)
        assert (np.abs(seen - computed) < 4.5 * error).all()


def test_a_share_that_is_too_small_is_no_match():
    """One token of four shares a quarter with all of them, not a half, wherever it stands."""
    rule = {"name": "site", "ok": [True] * 5}
    case = Case(5, rule, [(0, 4, "X")], [(1, 2, "X")], "nonoverlapping")
    for both in (False, True):
        made = case.distribution("overlap-at-0.5", both)
        assert [m for m, p in enumerate(made) if p] == [0]
    assert case.distribution("overlap", False)[1] == pytest.approx(4 / 5)
