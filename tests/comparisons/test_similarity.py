"""Observed and expected totals: against enumeration of both annotators, and the witness."""

from __future__ import annotations

import itertools
import math
import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import enumerated_expectation, matched
from strategies import ADDITIVE, PAIRS

import spanagree as sa
from spanagree import Corpus
from spanagree.chance.model import build_chance_model
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons import annotation_pairs, profile_correlations, profile_sums
from spanagree.comparisons import measures as measure_table
from spanagree.comparisons import uniform_starts as kinds_at
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.measures import MEASURES, find_measure, list_measures
from spanagree.comparisons.observed import compute_observed
from spanagree.corpus import Layer
from spanagree.errors import SettingError

IDS = ["-".join(pair) for pair in PAIRS]
SUMMED = [pair for pair in PAIRS if pair[0] in ADDITIVE]


def layout(n, segments):
    """Any allowed placement of (length, label), one after the other."""
    spans, at = [], 0
    for length, label in segments:
        spans.append((at, at + length, label))
        at += length
    assert at <= n
    return spans


def totals(corpus, match, chance, names=("a", "b")):
    profiles, placed = compute_start_distributions(corpus, names, build_chance_model(chance))
    a, b = (placed[name] for name in names)
    return compare_layers(a, b, profiles, MEASURES[match], max(1, len(corpus.labels)))


SMALL = [
    (1, [(1, "X")], [(1, "X")]),
    (4, [(2, "X")], [(3, "X")]),
    (4, [(4, "X")], [(1, "X"), (2, "X")]),
    (5, [(2, "X"), (1, "Y")], [(2, "X"), (2, "Y")]),
    (5, [(1, "X"), (1, "X")], [(1, "X"), (1, "Y"), (2, "X")]),
    (6, [(2, "X"), (2, "Y")], [(3, "Y"), (1, "X")]),
    (6, [(3, "X"), (2, "X")], [(2, "X"), (2, "X")]),
    (6, [(1, "X"), (2, "X"), (3, "Y")], [(3, "X")]),
    (7, [(2, "X"), (3, "X")], [(2, "X"), (1, "Y"), (2, "X")]),
    (7, [(5, "X")], [(4, "X"), (1, "Y")]),
    (8, [(2, "X"), (4, "X")], [(2, "X"), (3, "Y")]),
]


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), PAIRS, ids=IDS)
@pytest.mark.parametrize("n_a_b", SMALL, ids=str)
def test_expected_by_enumeration(n_a_b, match, chance):
    """E[matched] is the mean over all pairs of configurations of the two annotators."""
    n, a, b = n_a_b
    corpus = Corpus.from_segments([n], {"a": [layout(n, a)], "b": [layout(n, b)]})
    exact = enumerated_expectation(n, a, b, match, chance)
    assert totals(corpus, match, chance).total().expected == pytest.approx(float(exact), abs=1e-13)


def annotations_of(n, labels="XY"):
    """Every annotation of n tokens up to where its segments lie: lengths with labels."""

    def fill(room, least):
        yield []
        for segment in itertools.product(range(1, room + 1), labels):
            if segment >= least:
                yield from ([segment, *rest] for rest in fill(room - segment[0], segment))

    return list(fill(n, (0, "")))


@pytest.mark.slow
@pytest.mark.parametrize(("match", "chance"), PAIRS, ids=IDS)
def test_expected_on_all_small_shapes(match, chance):
    """Every pair of annotations of up to three tokens and two labels, and four of one label."""
    for n, labels in ((1, "XY"), (2, "XY"), (3, "XY"), (4, "X")):
        shapes = annotations_of(n, labels)
        for a, b in itertools.product(shapes, shapes):
            corpus = Corpus.from_segments([n], {"a": [layout(n, a)], "b": [layout(n, b)]})
            exact = float(enumerated_expectation(n, a, b, match, chance))
            assert totals(corpus, match, chance).total().expected == pytest.approx(exact, abs=1e-13)


@st.composite
def annotations(draw):
    """Two annotations of one small text."""
    n = draw(st.integers(1, 6))

    def segments():
        chosen, room = [], n
        while room and draw(st.booleans()):
            length = draw(st.integers(1, room))
            chosen.append((length, draw(st.sampled_from("XY"))))
            room -= length
        return chosen

    return n, segments(), segments()


@pytest.mark.long
@given(annotations(), st.sampled_from(PAIRS))
def test_expected_by_enumeration_anywhere(drawn, pair):
    """The same for any two small annotations, empty ones included."""
    n, a, b = drawn
    corpus = Corpus.from_segments([n], {"a": [layout(n, a)], "b": [layout(n, b)]})
    exact = enumerated_expectation(n, a, b, *pair)
    assert totals(corpus, *pair).total().expected == pytest.approx(float(exact), abs=1e-13)


@pytest.mark.long
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 5), st.sampled_from("XY")), max_size=8),
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 5), st.sampled_from("XY")), max_size=8),
    st.sampled_from(ADDITIVE),
)
def test_observed_by_counting(a, b, match):
    """Observed totals equal the sum over all pairs, self-overlapping layers included."""
    layers = []
    for spans in (a, b):
        columns = np.array(
            [(0, s, s + length, "XY".index(label)) for s, length, label in spans], np.int64
        ).reshape(-1, 4)
        layers.append(Layer(*columns.T, np.ones(1, np.bool_)))
    measure = MEASURES[match]
    cells = [x.label if measure.of_label else x.document for x in layers]
    got = compute_observed(*layers, *cells, 2, measure).sum()
    assert isinstance(got, np.integer if measure.is_whole else np.floating)
    assert got == pytest.approx(float(matched(tuple(a), tuple(b), match)), rel=1e-13)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    "match", list_measures(lambda measure: measure.of_label or measure.kernel == "equal")
)
def test_other_labels_match_nothing(match, turned):
    """A long segment of one layer and a short one of another label share tokens, and no label.

    By hand; only ``boundaries`` regards no label, and these two differ in theirs. The other
    document has short segments alone, so that the layers reach differently far.
    """
    layers = [[[(0, 9, "X")], [(0, 1, "X")]], [[(0, 3, "Y")], [(0, 2, "Y")]]]
    corpus = Corpus.from_segments([9, 9], dict(zip("ba" if turned else "ab", layers, strict=True)))
    assert totals(corpus, match, "nonoverlapping").total().matched == 0


@pytest.mark.parametrize("chance_of", ["both", "systems"])
@pytest.mark.parametrize("places", [None, "capitals"])
def test_partial_is_the_mean_of_two_measures(sentences, places, chance_of):
    """Of one label the match and what is expected are half of overlap's and half of exact's.

    Theory: where a side does not overlap itself, equal segments meet nothing else.
    """
    corpus = sentences.with_labels(map_labels=dict.fromkeys(sentences.labels, "X"))
    partial, overlap, exact = (
        sa.evaluate(corpus, match=match, places=places, chance_of=chance_of).systems
        for match in ("partial", "overlap", "exact")
    )
    for name, system in partial.items():
        both = overlap[name].tally, exact[name].tally
        assert system.tally.matched == sum(tally.matched for tally in both) / 2
        expected = sum(tally.expected for tally in both) / 2
        assert system.tally.expected == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("number", range(2, 9))
def test_overlaps_in_a_row(number):
    """Segments of both layers in turn, each over the end of the one before: half of them are pairs.

    Oracle: a path of n places has a greatest matching of ⌊n / 2⌋ edges.
    """
    spans = [(3 * i, 3 * i + 4, "X") for i in range(number)]
    corpus = Corpus.from_segments([3 * number + 1], {"a": [spans[::2]], "b": [spans[1::2]]})
    assert totals(corpus, "overlap", "nonoverlapping").total().matched == number // 2


@pytest.mark.parametrize("match", [*MEASURES, "overlap-at-0.5", "overlap-at-0.25"])
def test_two_segments(match):
    """φ of two segments anywhere, beside each other too, is what their tokens say one by one."""
    offset, a, b = np.meshgrid(np.arange(-6, 7), np.arange(1, 5), np.arange(1, 5))
    found = find_measure(match).phi(offset, a, b)
    for o, x, y, value in zip(*(column.ravel().tolist() for column in (offset, a, b, found)), strict=True):  # fmt: skip
        assert value == pytest.approx(float(matched(((0, x, "X"),), ((o, y, "X"),), match)))


def random_corpus(seed, documents=60, longest=60):
    """Documents of mixed length and density, two layers without self-overlap."""
    rng = np.random.default_rng(seed)
    lengths, layers = [], {"a": [], "b": []}
    for _ in range(documents):
        n = int(rng.integers(1, longest))
        lengths.append(n)
        for of in layers.values():
            at, spans = int(rng.integers(0, 5)), []
            while at < n and rng.random() < 0.8:
                end = min(n, at + int(rng.geometric(0.4)))
                spans.append((at, end, str(rng.choice(["PER", "LOC", "creative-work"]))))
                at = end + int(rng.integers(0, 6))
            of.append(spans)
    return Corpus.from_segments(lengths, layers)


@pytest.mark.long
@pytest.mark.parametrize(
    ("longest", "match", "chance"),
    [
        pytest.param(longest, *pair, marks=pytest.mark.slow if longest == 400 else ())
        for longest, pair in itertools.product([12, 400], PAIRS)
    ],
)
def test_expected_by_the_witness(match, chance, longest):
    """Larger documents: the mean over seeded random annotations, within 4 standard errors."""
    corpus = random_corpus(seed=7, longest=longest)
    exact = totals(corpus, match, chance).total().expected
    measure = MEASURES[match]
    rng = np.random.default_rng(8)
    draws = []
    for _ in range(400):
        a, b = (
            draw_random_layer(corpus.layers[name], corpus.lengths, len(corpus.labels), rng, chance)
            for name in "ab"
        )
        n = len(corpus) * len(corpus.labels)
        cells = [
            x.document * len(corpus.labels) + (x.label if measure.of_label else 0) for x in (a, b)
        ]
        draws.append(compute_observed(a, b, *cells, n, measure).sum())
    error = np.std(draws, ddof=1) / math.sqrt(len(draws))
    assert abs(np.mean(draws) - exact) < 4 * error


def long_documents(seed):
    """Documents of characters: hundreds of segments of many lengths, dense and sparse."""
    rng = np.random.default_rng(seed)
    lengths, layers = [3_000, 2_500, 1_500], {"a": [], "b": []}
    for n, gap in zip(lengths, (1.0, 0.02, 0.2), strict=True):
        for of in layers.values():
            at, spans = 0, []
            while (end := at + int(rng.integers(5, 40))) <= n:
                spans.append((at, end, str(rng.choice(["PER", "LOC"]))))
                at = end + int(rng.geometric(1 / (1 + 20 * gap)) - 1)
            of.append(spans)
    return Corpus.from_segments(lengths, layers, offsets="characters")


def plain_sum(corpus, match, chance):
    """E[matched] from start distributions written out in full, with NumPy's own convolution."""
    total = 0.0
    for d, n in enumerate(corpus.lengths.tolist()):
        sides = []
        for name in "ab":
            spans = corpus[d].segments[name]
            kinds = {}
            for label in corpus.labels:
                mine = [s for s in spans if s.label == label]
                among = mine if chance == "per-label" else spans
                sizes = [s.end - s.start for s in among]
                starts = dict(zip(sizes, sa.start_distribution(n, sizes, chance), strict=True))
                for s in mine:
                    kinds.setdefault((label, s.end - s.start), [0, starts[s.end - s.start]])[0] += 1
            sides.append(kinds)
        for (label_a, a), (count_a, p) in sides[0].items():
            for (label_b, b), (count_b, q) in sides[1].items():
                if label_a != label_b and match != "boundaries":
                    continue
                offsets = np.arange(1 - b, a)
                shared = np.minimum(a, offsets + b) - np.maximum(offsets, 0)
                if match in ("exact", "boundaries"):
                    phi = ((offsets == 0) & (a == b)) * 1.0
                else:
                    phi = shared / (a + b - shared) if match == "iou" else shared * 1.0
                if not phi.any():
                    continue
                # Σ_δ φ(δ) Q(x + δ) for every start x of A
                near = np.convolve(q, phi[::-1])[a - 1 : a - 1 + len(p)]
                total += count_a * count_b * float(p @ near)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("size", ["long", "short"])
@pytest.mark.parametrize(("match", "chance"), SUMMED, ids="-".join)
def test_documents_against_the_plain_sum(match, chance, size):
    """Edges and plateaus give what distributions written out in full give, to 1e-11."""
    corpus = long_documents(seed=12) if size == "long" else random_corpus(seed=9)
    exact = totals(corpus, match, chance).total().expected
    assert exact == pytest.approx(plain_sum(corpus, match, chance), rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("chance", CHANCES)
def test_long_documents_by_the_witness(chance):
    """Long documents: the mean over seeded random annotations, within 4 standard errors."""
    corpus = long_documents(seed=13)
    exact = totals(corpus, "token", chance).total().expected
    rng = np.random.default_rng(14)
    draws = []
    for _ in range(100):
        a, b = (draw_random_layer(corpus.layers[x], corpus.lengths, 2, rng, chance) for x in "ab")
        cells = [x.document * 2 + x.label for x in (a, b)]
        draws.append(compute_observed(a, b, *cells, 6, MEASURES["token"]).sum())
    assert abs(np.mean(draws) - exact) < 4 * np.std(draws, ddof=1) / math.sqrt(len(draws))


@pytest.mark.parametrize("match", ["exact", "token", "boundaries"])
def test_pairs_of_annotators_in_portions(match, monkeypatch):
    """Every pair of annotations of a document, some at a time: the tallies of the two layers alone."""
    two = random_corpus(seed=15, documents=20)
    three = Corpus(two.lengths, {**two.layers, "c": two.layers["a"]}, two.labels)
    crowd = AnnotationIndex.from_corpus(three)
    pairs = crowd.pair_annotations()
    assert len(pairs[0]) == 3 * 20
    chance = build_chance_model("nonoverlapping")
    whole = compare_pairs(three, crowd, pairs, match, chance)
    monkeypatch.setattr(annotation_pairs, "_LARGEST_BATCH", 5)
    monkeypatch.setattr(annotation_pairs, "_FIRST_BATCH", 5)
    steps = []
    parts = compare_pairs(three, crowd, pairs, match, chance, lambda *x: steps.append(x))
    assert steps[0] == (0, 60)
    assert steps[-1] == (60, 60)
    assert len(steps) > 10
    assert sorted(steps) == steps
    for name in ("document", "first", "second", "label", "matched", "size_first", "size_second"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()
    np.testing.assert_allclose(parts.expected, whole.expected, rtol=1e-13)
    for names in itertools.combinations("abc", 2):
        first, second = ("abc".index(name) for name in names)
        here = parts.where((parts.first == first) & (parts.second == second)).total()
        alone = totals(three, match, "nonoverlapping", names).total()
        assert here.counts == pytest.approx(alone.counts, rel=1e-12)


def test_any_additive_measure(monkeypatch):
    """A φ that is not its own mirror image is summed right too (enumeration)."""
    monkeypatch.setitem(
        MEASURES, "left", kinds_at.Measure("left", "", lambda o, a, b: (o == 0) * 1.0)
    )
    # starts of lengths 1 and 2 in 3 tokens: equal with probability 1/3 · 1/2 · 2
    corpus = Corpus.from_segments([3], {"a": [[(0, 1, "X")]], "b": [[(0, 2, "X")]]})
    assert totals(corpus, "left", "nonoverlapping").total().expected == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("forbids", "message"),
    [
        ("", None),
        (measure_table.SAME_BORDERS, None),
        (
            measure_table.OVERLAP,
            "overlap, which match left does not allow; --match exact or --match token or",
        ),
        (measure_table.LABEL_OVERLAP, None),
    ],
)
def test_what_a_measure_forbids(monkeypatch, forbids, message):
    """Of a new measure its entry says what layers must not hold, here an overlap of two labels."""
    measure = kinds_at.Measure("left", "", lambda o, a, b: (o == 0) * 1.0, forbids=forbids)
    monkeypatch.setitem(MEASURES, "left", measure)
    overlapping = [[(0, 2, "X"), (1, 3, "Y")]]
    corpus = Corpus.from_segments([5], {"a": overlapping, "b": [[(0, 2, "X")]]})
    with nullcontext() if message is None else pytest.raises(SettingError, match=message):
        sa.evaluate(corpus, match="left", chance="overlapping")


def test_what_expected_matches_cost(monkeypatch):
    """The work that is checked before it is done, by hand: segments of 3 and 5 of 20 tokens.

    Random ones are covered alike but for the first 2 and 4 tokens. Pairs of them meet alike but for
    the first 4 starts: these are kept with 8 tokens around, and 8 numbers each added up.
    """
    asked = []
    monkeypatch.setattr(
        profile_correlations, "check_cost", lambda cost, what: asked.append((cost, what))
    )
    corpus = Corpus.from_segments([20], {"a": [[(0, 3, "X")]], "b": [[(9, 14, "X")]]})
    totals(corpus, "token", "nonoverlapping")
    what = "the chance of segments of {} tokens"
    assert asked == [(4 * 2, what.format("up to 3")), (4 * 4, what.format("up to 5"))]
    asked.clear()
    totals(corpus, "iou", "nonoverlapping")
    assert asked == [(4 * (4 + 8) + 4 * 8 / 64, what.format("3 and 5"))]


@pytest.mark.parametrize(("match", "chance"), SUMMED, ids="-".join)
def test_pieces_are_chunked_alike(match, chance, monkeypatch):
    """Working in small portions changes no number."""
    corpus = random_corpus(seed=10, documents=30)
    whole = totals(corpus, match, chance).expected
    for module in (profile_sums, profile_correlations):
        monkeypatch.setattr(module, "CHUNK", 7)
    np.testing.assert_allclose(totals(corpus, match, chance).expected, whole, rtol=1e-13)


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), PAIRS, ids=IDS)
def test_tallies_by_document_and_label(match, chance):
    """Cells add up: a corpus is the sum of its documents, whatever their order."""
    corpus = random_corpus(seed=11, documents=40)
    whole = totals(corpus, match, chance)
    parts = sum(
        (totals(corpus.subset([i]), match, chance).total() for i in range(len(corpus))), sa.Tally()
    )
    total = whole.total()
    assert (total.matched, total.size_a, total.size_b) == (
        pytest.approx(parts.matched, rel=1e-13),
        parts.size_a,
        parts.size_b,
    )
    assert total.expected == pytest.approx(parts.expected, rel=1e-12)
    mixed = corpus.subset(np.random.default_rng(1).permutation(len(corpus)))
    other = totals(mixed, match, chance).total()  # plain sums: floats keep their order's last bits
    assert (other.size_a, other.size_b) == (total.size_a, total.size_b)
    assert (other.matched, other.expected) == pytest.approx(
        (total.matched, total.expected), rel=1e-13
    )
    if MEASURES[match].of_label:
        assert sum(whole.by("label").expected) == pytest.approx(total.expected)
    else:
        assert set(whole.label.tolist()) == {-1}
    assert math.fsum(whole.by("document").expected) == pytest.approx(total.expected, rel=1e-12)


OVERLAPS = {
    "nested": [(0, 5, "PER"), (1, 3, "LOC")],
    "same label": [(0, 5, "PER"), (3, 6, "PER")],
    "same boundaries": [(0, 2, "LOC"), (0, 2, "PER")],
    "nested in the first": [(0, 9, "PER"), (1, 2, "LOC"), (4, 5, "PER")],
}
HELD = {
    # what is forbidden -> the layers that have it
    "": (),
    measure_table.SAME_BORDERS: ("same boundaries",),
    measure_table.LABEL_OVERLAP: ("same label", "nested in the first"),
    measure_table.OVERLAP: tuple(OVERLAPS),
}
REFUSED = {
    **{match: HELD[measure.forbids] for match, measure in MEASURES.items()},
    "nonoverlapping": tuple(OVERLAPS),
    "per-label": ("same label", "nested in the first"),
    "overlapping": (),
}


def test_each_measure_has_its_row():
    """The page says of each what a pair counts, and the specification has a rule of it."""
    docs = Path(__file__).parents[2] / "docs"
    page, specification = (
        (docs / f"{name}.md").read_text("utf-8") for name in ("evaluate", "specification")
    )
    for match in MEASURES:
        assert f"| `{match}` | " in page, match
        assert re.search(rf"^\*\*M\d+\*\* `{match}`: ", specification, re.M), match


def test_what_each_measure_forbids():
    """By hand: what gives more than 1 to one segment, or leaves open which pairs are made."""
    forbids = {match: measure.forbids for match, measure in MEASURES.items()}
    assert forbids.pop("exact") == ""
    assert forbids.pop("boundaries") == measure_table.SAME_BORDERS
    for match in [name for name, measure in MEASURES.items() if not measure.of_label]:
        assert forbids.pop(match, measure_table.OVERLAP) == measure_table.OVERLAP
    assert set(forbids.values()) == {measure_table.LABEL_OVERLAP}


@pytest.mark.parametrize(("match", "chance"), PAIRS, ids=IDS)
@pytest.mark.parametrize("which", OVERLAPS)
def test_self_overlap(which, match, chance):
    """A layer that overlaps itself in the measure's or the model's sense is refused, no other."""
    corpus = Corpus.from_segments([9], {"a": [OVERLAPS[which]], "b": [[]]})
    refused = which in REFUSED[match] or which in REFUSED[chance]
    if not refused:
        tally = sa.evaluate(corpus, match=match, chance=chance).systems["b"].tally
        assert tally.size_a > 0
        return
    with pytest.raises(sa.SettingError, match=r"'a', document '1': segments .* would work"):
        sa.evaluate(corpus, match=match, chance=chance)


@pytest.mark.parametrize(
    ("which", "match", "chance", "message"),
    [
        ("nested", "exact", "nonoverlapping", "annotator 'a', document '1': segments 0–5 'PER' and 1–3 'LOC' overlap … chance nonoverlapping … --chance per-label or --chance overlapping (chance='per-label' or 'overlapping')"),
        ("same label", "token", "overlapping", "annotator 'a', document '1': segments 0–5 'PER' and 3–6 'PER' overlap … match token … --match exact or --match boundaries (match='exact' or 'boundaries')"),
        ("same label", "token", "nonoverlapping", "annotator 'a', document '1': segments 0–5 'PER' and 3–6 'PER' overlap … match token and chance nonoverlapping … --match exact or --match boundaries (match='exact' or 'boundaries') with --chance overlapping (chance='overlapping')"),
        ("same boundaries", "boundaries", "overlapping", "annotator 'a', document '1': segments 0–2 'LOC' and 0–2 'PER' … the same boundaries … match boundaries … --match exact or --match token or …"),
        ("same boundaries", "boundaries", "nonoverlapping", "annotator 'a', document '1': segments 0–2 'LOC' and 0–2 'PER' … the same boundaries … match boundaries and chance nonoverlapping … --match exact or --match token or … (match='exact' or 'token' or …) with --chance per-label or --chance overlapping (chance='per-label' or 'overlapping')"),
        ("nested in the first", "exact", "per-label", "annotator 'a', document '1': segments 0–9 'PER' and 4–5 'PER' overlap … chance per-label … --chance overlapping (chance='overlapping')"),
    ],
)  # fmt: skip
def test_self_overlap_messages(which, match, chance, message):
    """The message names the first case and what would work."""
    corpus = Corpus.from_segments([9], {"a": [OVERLAPS[which]], "b": [[]]})
    with refuses(sa.SettingError, message):
        sa.evaluate(corpus, match=match, chance=chance)


@pytest.mark.parametrize(("match", "chance"), PAIRS, ids=IDS)
@pytest.mark.parametrize("which", OVERLAPS)
def test_a_layer_behind_sound_ones_is_refused(which, match, chance):
    """All layers are looked at together, and the one that overlaps itself is named."""
    segments = {"a": [[(0, 1, "PER")]], "b": [[]], "c": [OVERLAPS[which]]}
    corpus = Corpus.from_segments([9], segments)
    if which not in REFUSED[match] and which not in REFUSED[chance]:
        assert len(sa.agree(corpus, match=match, chance=chance).pairs) == 3
        return
    with pytest.raises(sa.SettingError, match=r"'c', document '1': segments .* would work"):
        sa.agree(corpus, match=match, chance=chance)


def test_the_hint_holds_for_all_layers():
    """What would work for one layer and not for another is not proposed."""
    corpus = Corpus.from_segments([9], {"a": [OVERLAPS["nested"]], "b": [OVERLAPS["same label"]]})
    hint = r"chance nonoverlapping does not allow; --chance overlapping \(chance='overlapping'\) would work$"
    with pytest.raises(sa.SettingError, match=hint):
        sa.evaluate(corpus, chance="nonoverlapping")


@pytest.mark.parametrize("names", [("overlapping", "per-label"), ("exact", "token")])
def test_names_of_the_other_kind(names):
    """A chance model is not a measure, nor a measure a chance model; known before anything runs."""
    with pytest.raises(sa.SettingError, match=r"^unknown (match 'overlapping'|chance 'token'); "):
        sa.evaluate([lambda: 1 / 0], match=names[0], chance=names[1])


def by_characters(documents, seed=0):
    """Two annotators who mark stretches of many lengths in texts of some hundred characters."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(300, 700, documents)
    layers = {}
    for name in "ab":
        layers[name] = []
        for n in tokens.tolist():
            sizes = rng.integers(1, 40, rng.integers(2, 9))
            free = np.sort(rng.integers(0, n - sizes.sum() + 1, len(sizes)))
            start = free + np.cumsum(sizes) - sizes
            rows = zip(start.tolist(), sizes.tolist(), strict=True)
            layers[name].append([(at, at + size, "X") for at, size in rows])
    return sa.Corpus.from_segments(tokens.tolist(), layers)


def test_by_fourier_transforms(monkeypatch):
    """Sums over all distances at once are those that are made as they stand; to 1e-12."""
    corpus = by_characters(6)
    many = []
    by_fourier = profile_correlations._correlate_by_fourier

    def counting(profiles, pairs, *columns):
        many.append(len(pairs))
        return by_fourier(profiles, pairs, *columns)

    monkeypatch.setattr(profile_correlations, "_correlate_by_fourier", counting)
    mine = sa.evaluate(corpus, match="iou").systems["b"].f1.expected
    assert sum(many) > 100
    monkeypatch.setattr(profile_correlations, "_FOURIER", 10**9)
    many.clear()
    summed = sa.evaluate(corpus, match="iou").systems["b"].f1.expected
    assert sum(many) == 0
    assert mine == pytest.approx(summed, 1e-12)


def test_covers_are_added_up(monkeypatch):
    """What covers a token is added up before it is multiplied, also in portions; to 1e-12.

    Oracle: the product of each pair of kinds of segments, summed.
    """
    corpus = by_characters(6)
    made = []
    for kinds, chunk in ((10**9, 1 << 20), (0, 1 << 20), (0, 1 << 8), (32, 1 << 20)):
        monkeypatch.setattr(kinds_at, "_KINDS", kinds)
        for module in (profile_sums, profile_correlations):
            monkeypatch.setattr(module, "CHUNK", chunk)
        result = sa.evaluate(corpus, match="token")
        made.append([tally.expected for _, tally in result.by_document("b")])
    for other in made[1:]:
        assert other == pytest.approx(made[0], 1e-12)


@pytest.mark.parametrize("match", ["exact", "iou", "token"])
def test_documents_beside_others(match):
    """The expected match of a text does not depend on those beside it, not in the last digit."""
    corpus = by_characters(5, seed=1)
    together = [tally for _, tally in sa.evaluate(corpus, match=match).by_document("b")]
    alone = (sa.evaluate(corpus.subset([i]), match=match) for i in range(len(corpus)))
    assert [tally for each in alone for _, tally in each.by_document("b")] == together
