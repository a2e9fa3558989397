"""α_U: the printed values, by hand, against enumeration, and what it refuses."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from rounding import equal_to_rounding

import spanagree as sa
from spanagree import alpha_u


def corpus_of(length, **layers):
    return sa.Corpus.from_segments([length], {name: [units] for name, units in layers.items()})


def from_lengths(first, *units):
    return [(start - first, start - first + long, label) for label, start, long in units]


def test_printed_2004():
    """Krippendorff 2004, p. 254; .8591 is printed, .8587 follows from the formula."""
    i = from_lengths(150, ("c", 225, 70), ("c", 370, 30), ("k", 180, 60), ("k", 300, 50))
    j = from_lengths(
        150, ("c", 220, 80), ("c", 355, 20), ("c", 400, 20), ("k", 180, 60), ("k", 300, 50)
    )
    result = alpha_u(corpus_of(300, i=i, j=j))
    c, k = result.labels["c"], result.labels["k"]
    assert (round(c.observed, 4), round(c.expected, 4), round(c.value, 4)) == (
        0.0144,
        0.0532,
        0.7286,
    )
    assert k.value == 1
    assert round(result.all.value, 4) == 0.8587


A = [(2, 8), (14, 6)], [(4, 4), (15, 2)]
D = [(0, 2), (2, 8), (10, 4), (14, 6), (20, 4)], [(0, 4), (4, 4), (8, 7), (15, 2), (17, 7)]


@pytest.mark.parametrize(
    ("pair", "observed", "expected", "value"),
    [(A, 0.03125, 0.0699, 0.55295), (D, 0.38715, 0.41445, 0.06587)],
)
def test_printed_1995(pair, observed, expected, value):
    """Krippendorff 1995, p. 57: pairs A and D, stretched until lengths are as good as continuous."""
    for stretch in (1, 50_000):
        layers = {
            name: [(s * stretch, (s + n) * stretch, "x") for s, n in units]
            for name, units in zip("ij", pair, strict=True)
        }
        whole = alpha_u(corpus_of(24 * stretch, **layers)).all
        assert whole.observed == pytest.approx(observed, abs=5e-6)
    assert whole.expected == pytest.approx(expected, abs=5e-5)
    assert whole.value == pytest.approx(value, abs=5e-6)


def by_the_book(length, layers, label):
    """D_o and D_e as the definition has them: units and gaps met in step, one by one."""
    parts = []
    for units in layers:
        at, own = 0, []
        for start, end in sorted((s, e) for s, e, of in units if of == label):
            own += [(at, start, 0)] if start > at else []
            own.append((start, end, 1))
            at = end
        parts.append(own + ([(at, length, 0)] if at < length else []))
    total = Fraction(0)
    for one, other in itertools.permutations(parts, 2):
        for (b, e, v), (c, f, w) in itertools.product(one, other):
            if v and w and max(b, c) < min(e, f):
                total += (b - c) ** 2 + (e - f) ** 2
            elif v and not w and c <= b and e <= f:
                total += (e - b) ** 2
            elif w and not v and b <= c and f <= e:
                total += (f - c) ** 2
    R = len(layers)
    observed = total / (R * (R - 1) * length**2)
    units = [e - b for own in parts for b, e, v in own if v]
    gaps = [e - b for own in parts for b, e, v in own if not v]
    number = Fraction(0)
    for n in units:
        number += Fraction(len(units) - 1) * (2 * n**3 - 3 * n**2 + n) / 3
        number += n**2 * sum(g - n + 1 for g in gaps if g >= n)
    places = R * length * (R * length - 1) - sum(n * (n - 1) for n in units)
    return observed, Fraction(2, length) * number / places


@st.composite
def layers_of_units(draw, overlapping=False):
    """Lists of units that do not overlap within a label."""
    length = draw(st.integers(2, 14))
    layers = []
    for _ in range(draw(st.integers(2, 4))):
        units = set()
        for label in "XY":
            at = 0
            for _ in range(draw(st.integers(0, 3))):
                start = at + draw(st.integers(0, 3))
                end = start + draw(st.integers(1, 4))
                if end > length:
                    break
                units.add((start, end, label))
                at = end
        layers.append(sorted(units))
    return length, layers


@given(layers_of_units())
def test_by_the_definition(case):
    """Every figure is that of the definition, in fractions."""
    length, layers = case
    result = alpha_u(corpus_of(length, **{f"a{i}": units for i, units in enumerate(layers)}))
    sums = [by_the_book(length, layers, label) for label in result.labels]
    for (observed, expected), of in zip(sums, result.labels.values(), strict=True):
        assert of.observed == pytest.approx(float(observed), abs=1e-12)
        assert of.expected == pytest.approx(float(expected), abs=1e-12)
        if expected:
            assert of.value == pytest.approx(float(1 - observed / expected), abs=1e-12)
    if sums:
        observed, expected = (sum(column) for column in zip(*sums, strict=True))
        if expected:
            assert result.all.value == pytest.approx(float(1 - observed / expected), abs=1e-12)


BY_HAND = [
    # length, a, b, L²·D_o of X
    (10, [(0, 2)], [(0, 2)], 0),
    (10, [(0, 2)], [], 4),
    (10, [], [(3, 9)], 36),
    (10, [(0, 2)], [(2, 4)], 8),  # they touch, each in a gap
    (10, [(0, 2)], [(1, 4)], 1 + 4),
    (10, [(0, 5)], [(1, 2), (3, 4)], 1 + 9 + 9 + 1),
    (10, [(0, 2), (2, 4)], [(0, 4)], 4 + 4),
    (10, [(0, 10)], [(0, 10)], 0),
    (10, [(0, 10)], [], 100),
    (10, [(4, 6)], [(4, 5), (5, 6)], 1 + 1),
]  # fmt: skip


@pytest.mark.parametrize(("length", "a", "b", "total"), BY_HAND)
def test_by_hand(length, a, b, total):
    """Ten small cases, worked out by hand."""
    layers = {n: [(s, e, "X") for s, e in units] for n, units in (("a", a), ("b", b))}
    of = alpha_u(corpus_of(length, **layers)).labels["X"]
    assert of.observed * length**2 == pytest.approx(total, abs=1e-9)


def arrangements(length, sizes):
    """All places of units that do not overlap, each equally likely; by hand."""
    for starts in itertools.product(*(range(length - n + 1) for n in sizes)):
        spans = sorted(
            zip(starts, (s + n for s, n in zip(starts, sizes, strict=True)), strict=True)
        )
        if all(a[1] <= b[0] for a, b in itertools.pairwise(spans)):
            yield [(s, e, "X") for s, e in spans]


def test_documents_are_summed_or_joined():
    """A gap of one document never meets another, unless they are joined."""
    x, y = [(0, 2, "X")], [(1, 3, "X")]
    corpus = sa.Corpus.from_segments([4, 6], {"a": [x, []], "b": [y, x]})
    summed = alpha_u(corpus)
    one = alpha_u(corpus.subset([0])).all
    two = alpha_u(corpus.subset([1])).all
    weight = 16 + 36
    assert summed.all.observed == pytest.approx((16 * one.observed + 36 * two.observed) / weight)
    assert summed.all.expected == pytest.approx((16 * one.expected + 36 * two.expected) / weight)
    joined = alpha_u(corpus, continuum="joined")
    whole = corpus_of(10, a=x, b=[*y, (4, 6, "X")])
    assert joined.all[:3] == alpha_u(whole).all[:3]
    assert "continuum:joined" in joined.signature
    assert summed.all.expected != joined.all.expected


def test_documents_seen_by_one_are_not_compared():
    """Annotators who share no document have nothing to agree on: undefined, not 1."""
    corpus = sa.Corpus.from_segments([5, 5], {"a": [[(0, 2, "X")], None], "b": [None, []]})
    of = alpha_u(corpus).all
    assert math.isnan(of.value)
    assert of.reason == "no document that two annotators saw"
    assert alpha_u(corpus).notes[-1].startswith("2 of 2 documents not seen by two annotators")
    more = sa.Corpus.from_segments([5, 5], {"a": [[(0, 2, "X")], None], "b": [[(0, 2, "X")], []]})
    assert alpha_u(more).all.value == 1
    assert alpha_u(more, continuum="joined").team.documents == 1


def test_undefined():
    """Nothing marked has a reason, and JSON has null."""
    of = alpha_u(corpus_of(5, a=[], b=[]))
    assert of.all.reason == "nothing is marked"
    assert of.to_dict()["tables"]["figures"][-1]["alpha_u"]["value"] is None
    apart = {"a": [[(0, 1, "X")], None], "b": [None, [(0, 1, "X")]]}
    of = alpha_u(sa.Corpus.from_segments([9, 9], apart))
    assert (of.all.reason, of.team.documents) == ("no document that two annotators saw", 0)
    assert "2 of 2 documents not seen by two annotators, left out" in of.notes
    # units of one token that fill their documents: no gap that chance could put them into
    full = alpha_u(corpus_of(1, a=[(0, 1, "X")], b=[(0, 1, "X")]))
    assert full.all.reason == full.labels["X"].reason == "chance alone gives no disagreement"


def test_overlaps_are_refused():
    """The definition has no units of one annotator and category that overlap."""
    corpus = corpus_of(9, a=[(0, 3, "X"), (2, 4, "X")], b=[])
    with refuses(sa.SettingError, "… 'a', document '1' … 0–3 and 2–4 of 'X' overlap"):
        alpha_u(corpus)
    alpha_u(corpus_of(9, a=[(0, 3, "X"), (2, 4, "Y")], b=[]))  # other categories may


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"continuum": "x"}, "allowed: summed, joined"),
    ],
)
def test_choices_are_checked(settings, message):
    """An unknown choice, or one that has no meaning with another, is refused."""
    with pytest.raises(sa.SettingError, match=message):
        alpha_u(some(), **settings)


def test_order_changes_rounding_alone():
    """Annotators and documents in another order change rounding alone, of intervals too."""
    rng = np.random.default_rng(5)
    documents = [
        [[(s, s + int(rng.integers(1, 4)), "XY"[int(rng.integers(2))]) for s in (0, 5, 9)]
         if rng.random() < 0.8 else None for _ in range(20)]
        for _ in range(4)
    ]  # fmt: skip
    order = rng.permutation(20).tolist()
    corpus = sa.Corpus.from_segments([13] * 20, {n: documents[i] for i, n in enumerate("abcd")})
    turned = sa.Corpus.from_segments(
        [13] * 20, {n: [documents[i][d] for d in order] for i, n in reversed([*enumerate("abcd")])}
    )
    one, other = (alpha_u(c, ci=sa.Jackknife()) for c in (corpus, turned))
    assert equal_to_rounding(one.all, other.all)
    assert equal_to_rounding(one.labels, other.labels)


def some(documents=20):
    """Four annotators with gaps in what they saw, two categories, ids."""
    rng = np.random.default_rng(7)
    layers = {
        name: [[(s, s + int(rng.integers(1, 5)), "XY"[int(rng.integers(2))]) for s in (0, 5, 10)]
               if rng.random() < 0.7 else None for _ in range(documents)]
        for name in "abcd"
    }  # fmt: skip
    ids = [f"d{i}" for i in range(documents)]
    return sa.Corpus.from_segments([15 + i % 9 for i in range(documents)], layers, ids=ids)


@pytest.mark.long
def test_parts_change_no_digit():
    """Parts of any size give what the whole corpus gives, intervals too."""
    corpus = some()
    ask = {"pairs": True, "ci": sa.Jackknife()}
    whole = alpha_u(corpus, **ask)
    for size in (1, 3, 20):
        # annotators who saw nothing of a part are not in it, and labels are numbered anew
        parts = []
        for first in range(0, 20, size):
            part = corpus.subset(list(range(first, min(first + size, 20))))
            seen = [name for name, layer in part.layers.items() if layer.annotated.any()]
            parts.append(part.select_annotators(seen))
        with ThreadPoolExecutor(2) as executor:
            result = alpha_u(parts, executor=executor, **ask)
        assert (result.all, result.labels) == (whole.all, whole.labels)
        assert {frozenset(two): figures for two, figures in result.pairs.items()} == {
            frozenset(two): figures for two, figures in whole.pairs.items()
        }
        assert (result.signature, result.notes) == (whole.signature, whole.notes)


def test_annotators_of_parts():
    """Documents of parts are joined as those of the whole; an annotator has to be in some part."""
    corpus = some()
    whole = alpha_u(corpus, continuum="joined")
    parts = [corpus.subset(range(7)), corpus.subset(range(7, 20))]
    assert alpha_u(parts, continuum="joined").all == whole.all
    with pytest.raises(sa.SettingError, match="zoe"):
        alpha_u([corpus], annotators=["a", "zoe"])


def test_by_pair_and_rows():
    """Each pair is that of the two alone; rows have what tables show."""
    corpus = corpus_of(9, a=[(0, 2, "X")], b=[(0, 3, "X")], c=[(4, 6, "X")])
    result = alpha_u(corpus, pairs=True)
    alone = alpha_u(corpus, annotators=["a", "c"])
    assert result.pairs["a", "c"].all == alone.all
    rows = result.to_rows("pair")
    assert [(row["annotator_a"], row["annotator_b"]) for row in rows] == [
        *itertools.combinations("abc", 2)
    ]
    assert result.to_rows()[-1]["alpha_u_value"] == result.all.value
    with pytest.raises(sa.SettingError, match="pairs=True"):
        alone.to_rows("pair")


@pytest.mark.long
def test_many_annotators_are_quick(growth):
    """Time grows with the documents, not with their square: 40 annotators of 50 and of 400."""
    rng = np.random.default_rng(0)

    def units():
        at = np.cumsum(rng.integers(1, 9, 20))
        pairs = zip(at[::2].tolist(), at[1::2].tolist(), strict=True)
        return [(s, e, "XYZ"[int(rng.integers(3))]) for s, e in pairs]

    corpus = sa.Corpus.from_segments(
        [200] * 400, {f"a{i}": [units() for _ in range(400)] for i in range(40)}
    )
    few = corpus.subset(range(50))
    assert growth(lambda: alpha_u(few), lambda: alpha_u(corpus)) < 30
