"""Chance of long recordings: extrapolated from coarser units, beside what it is in all of them.

Oracle: the exact sums, which are feasible where documents are small, with the same code made to
look at fewer units than these have.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from oracles import PHI, enumerated_starts
from strategies import ADDITIVE

import spanagree as sa
from spanagree.chance import start_distributions
from spanagree.chance.model import build_chance_model
from spanagree.choices import Chance, list_names
from spanagree.comparisons import coarse_starts
from spanagree.comparisons.coarse_starts import shorten_lengths, sum_over_offsets
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import MEASURES, Measure
from spanagree.limits import CostError


def set_units(monkeypatch, units):
    """Look at so many units of a long recording."""
    for module in (start_distributions, coarse_starts):
        monkeypatch.setattr(module, "UNITS", units)


def recording(length, number, mean, seed=0, annotators=2, unit="10ms"):
    """Two annotators with segments that lie anywhere, apart from each other."""
    rng = np.random.default_rng(seed)
    layers = {}
    for name in "ABCDEFGHIJKL"[:annotators]:
        sizes = np.maximum(1, rng.exponential(mean, number)).astype(int)
        gaps = rng.multinomial(length - sizes.sum(), np.ones(number + 1) / (number + 1))
        start = np.cumsum(gaps[:-1]) + np.cumsum(sizes) - sizes
        rows = zip(start.tolist(), sizes.tolist(), strict=True)
        layers[name] = [[(x, x + size, "XY"[i % 2]) for i, (x, size) in enumerate(rows)]]
    return sa.Corpus.from_segments([length], layers, offsets=unit)


@pytest.mark.long
@pytest.mark.parametrize("chance", list_names(Chance))
@pytest.mark.parametrize("match", ADDITIVE)
@pytest.mark.parametrize(
    ("length", "number", "mean"), [(20_000, 40, 30), (20_000, 9, 1200), (20_000, 150, 5)]
)
def test_near_exact(monkeypatch, match, chance, length, number, mean):
    """Within 2e-4 of the exact figure, and within the error that the note states."""
    corpus = recording(length, number, mean)
    set_units(monkeypatch, 10**9)
    exact = sa.agree(corpus, match=match, chance=chance).team.f1.expected
    set_units(monkeypatch, 1 << 12)
    result = sa.agree(corpus, match=match, chance=chance)
    got = result.team.f1.expected
    assert got == pytest.approx(exact, rel=2e-4, abs=1e-12)
    (note,) = (note for note in result.notes if "extrapolated" in note)
    stated = float(note.partition("to ")[2].partition(" ")[0])
    assert abs(got - exact) <= 10 * stated


def test_documents_that_are_short_stay_exact(monkeypatch):
    """A short recording beside a long one has its exact figure."""
    short, long = recording(900, 5, 20), recording(9000, 9, 50)
    layers = {
        name: [
            [(s.start, s.end, s.label) for s in each[0].segments[name]] for each in (short, long)
        ]
        for name in "AB"
    }
    corpus = sa.Corpus.from_segments([900, 9000], layers, offsets="10ms")
    set_units(monkeypatch, 1 << 12)

    def of_first(some):
        starts, placed = compute_start_distributions(
            some, ("A", "B"), build_chance_model("nonoverlapping")
        )
        rows = compare_layers(*placed.values(), starts, MEASURES["token"], 2)
        return rows.expected[rows.document == 0].sum()

    assert of_first(corpus) == pytest.approx(of_first(short), rel=1e-12)


def test_text_is_always_exact(monkeypatch):
    """Only units of time are looked at in coarser ones."""
    corpus = recording(9000, 9, 50)
    text = corpus.replace(offsets="characters")
    exact = sa.agree(text, match="token").team.f1.expected
    set_units(monkeypatch, 1 << 12)
    assert sa.agree(text, match="token").team.f1.expected == exact


def refuse_each_unit(monkeypatch):
    """Let no start distribution in all units of a document be computed."""

    def refuse(*arguments, **options):
        raise CostError("too many numbers")

    monkeypatch.setattr("spanagree.comparisons.uniform_starts.compute_start_profiles", refuse)


@pytest.mark.long
@pytest.mark.parametrize("match", ["token", "iou", "exact"])
@pytest.mark.parametrize(("length", "number", "mean"), [(20_000, 40, 30), (20_000, 150, 5)])
def test_text_that_would_be_too_much_work(monkeypatch, match, length, number, mean):
    """It is extrapolated, near the exact figure and with a note, where it was refused."""
    corpus = recording(length, number, mean, unit="characters")
    exact = sa.agree(corpus, match=match)
    assert not [note for note in exact.notes if "extrapolated" in note]
    set_units(monkeypatch, 1 << 12)
    refuse_each_unit(monkeypatch)
    result = sa.agree(corpus, match=match)
    got, wanted = (x.team.f1.expected for x in (result, exact))
    assert got == pytest.approx(wanted, rel=2e-4)
    (note,) = (note for note in result.notes if "extrapolated" in note)
    assert abs(got - wanted) <= 10 * float(note.partition("to ")[2].partition(" ")[0])


@pytest.mark.parametrize(
    ("n", "a", "b"), [(9, [2, 3], [4]), (12, [1, 2, 4], [3, 3]), (14, [5], [2, 2, 1])]
)
def test_iou_of_a_short_text(monkeypatch, n, a, b):
    """The direct sum in fractions, over all starts of both; short texts stay exact in any case."""
    starts = [enumerated_starts(n, lengths) for lengths in (a, b)]
    expected = Fraction(0)
    for length_a, p in zip(a, starts[0], strict=True):
        for length_b, q in zip(b, starts[1], strict=True):
            for x, y in itertools.product(range(len(p)), range(len(q))):
                both = max(min(x + length_a, y + length_b) - max(x, y), 0)
                expected += p[x] * q[y] * Fraction(both, length_a + length_b - both)
    layers = {}
    for name, lengths in (("A", a), ("B", b)):
        ends = np.cumsum(lengths).tolist()
        layers[name] = [[(end - k, end, "X") for end, k in zip(ends, lengths, strict=True)]]
    corpus = sa.Corpus.from_segments([n], layers)
    wanted = float(2 * expected / (len(a) + len(b)))
    assert sa.agree(corpus, match="iou").team.f1.expected == pytest.approx(wanted, rel=1e-12)
    refuse_each_unit(monkeypatch)
    assert sa.agree(corpus, match="iou").team.f1.expected == pytest.approx(wanted, rel=1e-12)


@pytest.mark.long
def test_the_cost_of_iou_follows_segments():
    """150 segments a side on 2,600,000 characters were refused, and 400 took a minute and a half."""
    for number in (150, 400):
        corpus = recording(2_600_000, number, 3000, unit="characters")
        begin = time.process_time()
        result = sa.agree(corpus, match="iou")
        assert time.process_time() - begin < 20
        in_time = sa.agree(corpus.replace(offsets="1ms"), match="iou")
        assert result.team.f1.expected == in_time.team.f1.expected


@pytest.mark.long
@pytest.mark.parametrize("match", ["token", "iou", "exact", "overlap", "exact-within-50"])
def test_many_units_are_not_refused(match):
    """A recording of 2,600,000 units costs what its segments do."""
    corpus = recording(2_600_000, 60, 3000, unit="1ms")
    begin = time.process_time()
    result = sa.agree(corpus, match=match)
    assert 0 <= result.team.f1.expected < 0.5
    assert time.process_time() - begin < 30


def test_a_crowd_of_annotators_has_the_same(monkeypatch):
    """Ten annotators or more, whose pairs are else compared at once."""
    corpus = recording(9000, 6, 60, annotators=11)
    exact = sa.agree(corpus, match="token").team.f1.expected
    set_units(monkeypatch, 1 << 12)
    assert sa.agree(corpus, match="token").team.f1.expected == pytest.approx(exact, rel=1e-4)


@pytest.mark.long
def test_gamma_of_a_long_recording(monkeypatch):
    """γ within its error of that with exact mean gains."""
    corpus = recording(9000, 20, 60)
    exact = sa.gamma(corpus).gamma
    set_units(monkeypatch, 1 << 12)
    got = sa.gamma(corpus).gamma
    assert got.observed == exact.observed
    assert got.value == pytest.approx(exact.value, abs=0.01)


def test_lengths_in_coarser_units_add_up():
    """Oracle: each group's sum, and at least one unit for each segment."""
    rng = np.random.default_rng(1)
    length, group = rng.integers(1, 400, 300), rng.integers(0, 4, 300)
    factor = np.array([1.0, 3.7, 10.0, 64.0])
    short = shorten_lengths(length, group, factor)
    assert short.min() >= 1
    for number, many in enumerate(factor):
        own = group == number
        least = max(round(length[own].sum() / many), own.sum())
        assert short[own].sum() == pytest.approx(least, abs=own.sum() / 4)
    assert (short[group == 0] == length[group == 0]).all()


@pytest.mark.parametrize("is_closed", [True, False])
@pytest.mark.parametrize("match", ADDITIVE)
def test_all_offsets(match, is_closed, monkeypatch):
    """A measure's sum over all offsets, in closed form or added up; oracle: the sum in fractions."""
    monkeypatch.setattr(coarse_starts, "_TOGETHER", 100)
    measure = MEASURES[match]
    if not is_closed:
        measure = replace(measure, of_all_offsets=None)
    pairs = [(1, 1), (3, 7), (3, 7), (70, 500), (500, 70), (9, 9)]
    got = sum_over_offsets(measure, *np.array(pairs).T)
    for (a, b), value in zip(pairs, got.tolist(), strict=True):
        every = [PHI[match]((0, a, "X"), (x, b, "X")) for x in range(-b, a + 1)]
        assert value == pytest.approx(float(sum(every)), rel=1e-9)


def test_a_new_measure_of_long_recordings(monkeypatch):
    """Its sums are rescaled by what it gives over all offsets, not by that of iou, to 2e-4.

    Half the tokens that are not shared count: φ = s / (s + (a + b - 2s) / 2), the Dice coefficient.
    Oracle: the exact sums in all units.
    """

    def dice(offset, a, b):
        shared = np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)
        return 2 * shared / (a + b)

    monkeypatch.setitem(
        MEASURES, "dice", Measure("dice", "shared tokens / mean tokens, same label", dice)
    )
    corpus = recording(20_000, 150, 5)
    set_units(monkeypatch, 10**9)
    exact = sa.agree(corpus, match="dice").team.f1.expected
    set_units(monkeypatch, 1 << 12)
    result = sa.agree(corpus, match="dice")
    assert any("extrapolated" in note for note in result.notes)
    assert result.team.f1.expected == pytest.approx(exact, rel=2e-4)


@pytest.mark.long
def test_the_distribution_of_chance_is_drawn_where_units_are_many():
    """What is too much to compute is drawn, not refused."""
    corpus = recording(2_600_000, 60, 12_000, unit="1ms")
    for match in ("exact", "token"):
        result = sa.evaluate(corpus, match=match, p_values=True)
        assert any("drawn" in note for note in result.notes)


def test_shared_tokens_of_one_document_and_label():
    """One segment each, of a and b units out of n: a · b / n, but for the edges, below b / n."""
    layers = {"a": [[(0, 2000, "X")]], "b": [[(500, 1500, "X")]]}
    corpus = sa.Corpus.from_segments([10**9], layers, offsets="1ms")
    tally = sa.evaluate(corpus, match="token").systems["b"].tally
    assert tally.expected == pytest.approx(2000 * 1000 / 10**9, rel=2000 / 10**9)


def test_the_note_on_extrapolation():
    """By hand: off by 4 matches of a total size of 400 is 2 % of F1; nothing of no size."""
    inexact = ApproximationError(extrapolated=2, off=4.0)
    assert [inexact.notes(size) for size in (400, 0)] == [
        [f"expected scores of long documents extrapolated from coarser units, to {off} of F1"]
        for off in ("0.02", "1e-06")
    ]


def test_linear_values_are_extrapolated_without_error():
    """Values 1, 2 and 4 units from 1 on the line 1 + u/4 meet it at u = 0 and u = 1."""
    values = [np.full(2, 1 + unit / 4) for unit in (1, 2, 4)]
    limit, error = coarse_starts.extrapolate_values(values, np.array([0.0, 1.0]))
    assert limit == pytest.approx([1, 1.25])
    assert error == pytest.approx(0, abs=1e-15)
