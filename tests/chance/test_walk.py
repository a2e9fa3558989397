"""The walk of two annotations, and every arrangement of one: against enumeration in fractions."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from oracles import PHI, matched, shared

from spanagree.chance.enumeration import Enumeration
from spanagree.chance.meeting_rules import CoverRule, EqualRule, OffsetRule, OverlapRule
from spanagree.chance.near_matches import NearRule
from spanagree.chance.walk import (
    OTHER,
    SegmentKind,
    SegmentSequence,
    Walk,
    build_uniform_ends,
    compute_distribution_of_ways,
)

LABELS = {0: "X", 1: "Y", OTHER: "-"}
MEASURES = ["exact", "token", "iou", "overlap", "overlap-at-0.5", "exact-within-1"]


def iou(offset, a, b):
    both = np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)
    return both / (a + b - both)


RULES = {
    "exact": EqualRule(),
    "token": CoverRule(),
    "overlap": OverlapRule(),
    "iou": OffsetRule(iou, takes_both=False),
    "overlap-at-0.5": OffsetRule(lambda *pair: (iou(*pair) >= 0.5) * 1, takes_both=True),
}


def drawn_kinds(rng, n, labels, is_uniform):
    """Up to three segments, by kind, and their places: all of a length, or some of any length."""
    kinds = []
    for _ in range(int(rng.integers(1, 3))):
        length = int(rng.integers(1, min(n, 3) + 1))
        places = [(s, s + length) for s in range(n - length + 1)]
        if not is_uniform:
            every = list(itertools.combinations(range(n + 1), 2))
            rows = rng.permutation(len(every))[: int(rng.integers(1, 7))]
            places = [every[i] for i in rows]
        ends = {}
        for start, end in places:
            ends.setdefault(start, []).append(end)
        kinds.append(SegmentKind(int(rng.choice(labels)), int(rng.integers(1, 3)), ends))
    return kinds


def arrangements(kinds):
    """Every way to place the segments, equal ones distinct, as (start, length, label)."""
    segments = [kind for kind in kinds for _ in range(kind.n_segments)]

    def place(placed, rest):
        if not rest:
            yield tuple(placed)
            return
        kind = rest[0]
        for start, ends in kind.ends.items():
            for end in ends:
                span = (start, end - start, LABELS[kind.label])
                if not any(shared(span, other) for other in placed):
                    yield from place([*placed, span], rest[1:])

    return list(place([], segments))


def compare(a, b, match):
    """The match of two arrangements; segments that can match nothing are left out."""
    a, b = (tuple(span for span in side if span[2] != "-") for side in (a, b))
    return matched(a, b, match)


def case(rng):
    """A document with two annotations, the first fixed or not, and a measure; few arrangements."""
    while True:
        n, match = int(rng.integers(2, 8)), str(rng.choice(MEASURES))
        labels = [0, OTHER] if match.startswith("exact-within") else [0, 1, OTHER]
        is_uniform, is_fixed = rng.random(2) < 0.5
        first, second = (drawn_kinds(rng, n, labels, is_uniform) for _ in "ab")
        ways = [arrangements(kinds) for kinds in (first, second)]
        if not all(ways) or (1 if is_fixed else len(ways[0])) * len(ways[1]) > 600:
            continue
        first_side = SegmentSequence(first)
        if is_fixed:
            ways[0] = [ways[0][int(rng.integers(len(ways[0])))]]
            code = {name: label for label, name in LABELS.items()}
            fixed = [SegmentKind(code[x], 1, {s: (s + size,)}) for s, size, x in ways[0][0]]
            first_side = SegmentSequence(fixed, is_fixed=True)
        return n, match, first_side, SegmentSequence(second), ways


def walked(n, match, a, b, *, moments):
    width = 3 if moments else 1 + 7 * 4
    more = {"moments": moments, "more_borders": range(n + 1)}
    rule = NearRule(1) if match.startswith("exact-within") else RULES[match]
    walk = Walk(a, b, rule, width, **more)
    return compute_distribution_of_ways(walk.run([n])[n], moments)


@pytest.mark.parametrize("cases", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_by_enumeration(cases):
    """Distribution, mean and variance over all pairs of arrangements, in fractions, to 1e-12."""
    rng = np.random.default_rng(cases)
    seen = Counter()
    for _ in range(cases):
        n, match, a, b, ways = case(rng)
        counts = Counter(compare(x, y, match) for x, y in itertools.product(*ways))
        total = counts.total()
        mean = sum(m * c for m, c in counts.items()) / Fraction(total)
        square = sum(m * m * c for m, c in counts.items()) / Fraction(total)
        ours = walked(n, match, a, b, moments=True)
        exact = [float(mean), float(square - mean**2)]
        assert ours == pytest.approx(exact, rel=1e-12, abs=1e-12)
        if match != "iou":
            pmf = {int(m): c / total for m, c in counts.items()}
            p = dict(enumerate(walked(n, match, a, b, moments=False).tolist()))
            assert {m: x for m, x in p.items() if x} == pytest.approx(pmf, rel=1e-12, abs=0)
        seen[match, a.is_fixed] += 1
    assert len(seen) == 2 * len(MEASURES)


@pytest.mark.parametrize("seed", range(20))
def test_every_arrangement(seed):
    """Each arrangement is written out once, segments of a kind not distinguished."""
    rng = np.random.default_rng(seed)
    kinds = drawn_kinds(rng, int(rng.integers(2, 8)), [0], seed % 2)
    every = Enumeration(kinds)
    ends = list(itertools.accumulate(kind.n_segments for kind in kinds))

    def by_kind(places):
        return tuple(
            tuple(sorted(places[low:high])) for low, high in zip([0, *ends], ends, strict=False)
        )

    distinct = {
        by_kind([(start, start + length) for start, length, _ in places])
        for places in arrangements(kinds)
    }
    written = [by_kind([*map(tuple, places)]) for places in every.list_places().tolist()]
    assert len(written) == every.count == len(distinct)
    assert set(written) == distinct


@pytest.mark.parametrize("most", [math.comb(60, 3), math.comb(60, 3) - 1, 1, 0])
def test_more_arrangements_than_of_use(most):
    """There are 60 choose 3 arrangements of three segments of one token in 60: infinite above the bound."""
    kinds = [SegmentKind(0, 3, build_uniform_ends(60, 1))]
    count = math.comb(60, 3)
    assert Enumeration(kinds, most).count == (count if count <= most else math.inf)


def test_arrangements_of_dense_segments():
    """150 segments of one token leave 2 of 152 tokens free, in 152 choose 2 ways, though ways are scaled."""
    every = Enumeration([SegmentKind(0, 150, build_uniform_ends(152, 1))])
    assert every.count == len(every.list_places()) == math.comb(152, 2)


def test_no_arrangement():
    """Three segments of one token have no place in two tokens."""
    every = Enumeration([SegmentKind(0, 3, build_uniform_ends(2, 1))])
    assert (every.count, every.list_places().shape) == (0, (0, 3, 2))


def test_lengths_share_a_walk():
    """A walk over the longest document counts the ways of shorter ones: as walks of their own."""
    kinds = [SegmentKind(0, 2, {s: (s + 2,) for s in range(8)})]
    side = SegmentSequence(kinds)
    walk = Walk(side, side, EqualRule(), 3, moments=False, more_borders=range(10))
    for n, ways in walk.run(range(4, 10)).items():
        places = [SegmentKind(0, 2, {s: (s + 2,) for s in range(n - 1)})]
        spans = arrangements(places)
        counts = Counter(compare(x, y, "exact") for x, y in itertools.product(spans, spans))
        p = compute_distribution_of_ways(ways, False)
        assert p == pytest.approx([counts[m] / counts.total() for m in range(len(p))], abs=1e-15)


def test_phi_of_the_oracle():
    """The oracle's similarity is that of the rules: two of three tokens are shared."""
    assert PHI["iou"]((0, 2, "X"), (0, 3, "X")) == Fraction(2, 3)
    assert iou(np.array([0]), np.array([2]), np.array([3]))[0] == pytest.approx(2 / 3)
