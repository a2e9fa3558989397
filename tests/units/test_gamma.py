"""γ: best alignments against fixtures and enumeration, expected disorder, and what stays the same."""

from __future__ import annotations

import csv
import dataclasses
import functools
import itertools
import json
import math
import os
import random
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from scipy.optimize import LinearConstraint, milp
from strategies import at_most

import spanagree as sa
from spanagree.chance.model import build_chance_model
from spanagree.chance.start_distributions import UNITS, is_long
from spanagree.choices import Chance, Sampler, list_names
from spanagree.units import CoefficientScore, unitary_alignments
from spanagree.units.alignment import align_units, bound_disorder, compute_cost
from spanagree.units.control import compute_expected_gains, is_affordable
from spanagree.units.dissimilarity import (
    Dissimilarity,
    Units,
    collect_units,
    compute_ordinal_positions,
    find_near_pairs,
)
from spanagree.units.expected_disorder import (
    ExpectedDisorder,
    GammaTask,
    compute_ratio,
    estimate_expected_cost,
)
from spanagree.units.gamma import (
    _compute_gamma,
    _compute_gamma_cat,
    _replace_by_bounds,
    sort_canonically,
)
from spanagree.units.sampling import (
    AlignmentSums,
    Continuum,
    Sampling,
    _draw_as_pygamma,
    _draw_shuffled,
    align_annotations,
    sum_draws,
)
from spanagree.units.time_limit import NO_DEADLINE, Deadline

gamma = functools.partial(sa.gamma, time_limit=None)  # however busy the machine is


def units_from(rows):
    """Units of one document from (annotator, start, end, category), and how many annotators."""
    names = sorted({row[0] for row in rows})
    labels = sorted({row[3] for row in rows})
    columns = zip(
        *((0, names.index(a), float(s), float(e), labels.index(c)) for a, s, e, c in rows),
        strict=True,
    )
    return Units(*map(np.array, columns)).sort(), len(names)


def best_alignment(units, annotators, dissimilarity):
    """The best alignment of each document, of the pairs that it could reach."""
    pairs = find_near_pairs(units, bound_disorder(annotators, dissimilarity), dissimilarity)
    return align_units(units, pairs, annotators, dissimilarity)


def disorder(rows, dissimilarity):
    units, annotators = units_from(rows)
    found = best_alignment(units, np.array([annotators]), dissimilarity)
    assert found.gap[0] == 0  # proven
    return found.cost[0] / (len(rows) / annotators), found.group.max() + 1


FIXTURES = [
    "01_two_annotators_simple", "02_unequal_counts", "03_identical_perfect",
    "04_three_annotators", "05_larger_two_annotators", "06_weighted_alpha3_beta2",
]  # fmt: skip


@pytest.mark.parametrize("name", FIXTURES)
def test_fixtures(real, name):
    """Every dissimilarity and every best alignment that pygamma-agreement gives, to 1e-6.

    Its dissimilarities are floats of 32 bits, so those above 1 are compared relatively.
    """
    data = json.loads((real / "data" / "gamma" / f"fixture_{name}.json").read_text("utf-8"))
    d = Dissimilarity(*(data["params"][key] for key in ("alpha", "beta", "deltaEmpty")))

    def rows(units):
        return [(x["annotator"], x["start"], x["end"], x["category"]) for x in units]

    own: dict[str, list[tuple[str, float, float, str]]] = {}
    for row in rows(data["continuum"]):
        own.setdefault(row[0], []).append(row)
    for pair in data["tier1"]["pairDissimilarities"]:
        both = [own[pair[f"annotator{x}"]][pair[f"unitIndex{x}"]] for x in "AB"]
        units, _ = units_from(both)
        u, v = np.array([0]), np.array([1])
        assert d.compute_positional(units, u, v)[0] == pytest.approx(pair["positional"], rel=1e-6)
        assert d.compute_for_pairs(units, u, v)[0] == pytest.approx(pair["combined"], rel=1e-6)
    best, _ = disorder(rows(data["continuum"]), d)
    assert best == pytest.approx(data["tier1"]["bestAlignmentDisorder"], abs=1e-6)
    for sampled in data["tier2"]["sampledContinua"]:
        for of in (sampled, sampled["scaled"]):
            best, _ = disorder(rows(of["units"]), d)
            assert best == pytest.approx(of["bestAlignmentDisorder"], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIXTURES)
def test_gamma_of_fixtures(real, name):
    """Its sampled γ lies within three of its standard errors, of 30 draws, of ours."""
    data = json.loads((real / "data" / "gamma" / f"fixture_{name}.json").read_text("utf-8"))
    layers: dict[str, list[tuple[int, int, str]]] = {}
    for x in data["continuum"]:
        layers.setdefault(x["annotator"], []).append((x["start"], x["end"], x["category"]))
    length = max(end for units in layers.values() for _, end, _ in units)
    corpus = sa.Corpus.from_segments([length], {name: [units] for name, units in layers.items()})
    params = {"alpha": "alpha", "beta": "beta", "delta_empty": "deltaEmpty"}
    weights = {ours: data["params"][theirs] for ours, theirs in params.items()}
    result = gamma(corpus, sampler="pygamma", precision=0.005, **weights)
    of, draws = result.gamma, result.team.draws
    error = of.error * math.sqrt(draws / data["tier3"]["nSamples"])
    assert abs(of.value - data["tier3"]["gamma"]) <= 3 * error + 1e-6


FROZEN = json.loads((Path(__file__).parent.parent / "golden" / "pygamma.json").read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("name", FROZEN["cases"])
def test_disorder_is_that_of_pygamma_in_double_floats(name):
    """Oracle: pygamma-agreement 0.5.9 (scripts/freeze_pygamma.py), which counts in single floats.

    With double ones in its source its observed disorder is ours to 1e-9; as released, to seven
    digits. Its mean of 300 random disorders, from the generator that ours follows, is within four
    standard errors of ours, and so is γ.
    """
    case = FROZEN["cases"][name]
    layers = {who: [[tuple(unit) for unit in units]] for who, units in case["units"].items()}
    length = max(end for ((*_, (_, end, _)),) in layers.values())
    corpus = sa.Corpus.from_segments([length], layers, offsets="10ms")
    ours, theirs = gamma(corpus, sampler="pygamma", precision=0.005).gamma, case["double"]
    assert ours.observed == pytest.approx(theirs["observed"], abs=1e-9)
    single = case["single"]["observed"]
    assert 1e-9 < abs(ours.observed - single) < 1e-7
    error = theirs["sd"] / math.sqrt(theirs["draws"]) / theirs["expected"] * (1 - ours.value)
    value = 1 - theirs["observed"] / theirs["expected"]
    assert abs(ours.value - value) <= 4 * math.hypot(ours.error, error)


FILES = [
    ("2by1000", 1085, None, (0.39, 0.42), "pygamma"),
    ("3by100", 127, None, (0.79, 0.81), "pygamma"),
    ("AlexPaulSuzan", 6, 0.96, (0.44, 0.47), "shuffle"),
]


@pytest.mark.parametrize(("name", "alignments", "best", "within", "sampler"), FILES)
def test_csv_files(real, name, alignments, best, within, sampler):
    """The unitary alignments, the disorder and the range of γ in pygamma-agreement's tests."""
    layers: dict[str, list[tuple[int, int, str]]] = {}
    with (real / "data" / "gamma" / f"{name}.csv").open(encoding="utf-8") as file:
        for annotator, label, start, end in csv.reader(file):
            layers.setdefault(annotator, []).append((int(start), int(end), label))
    length = max(end for units in layers.values() for _, end, _ in units)
    corpus = sa.Corpus.from_segments([length], {name: [units] for name, units in layers.items()})
    result = gamma(corpus, alpha=3, sampler=sampler, precision=0.004)
    assert result.team.alignments == alignments
    assert result.team.gap == 0
    if best is not None:
        assert result.gamma.observed == pytest.approx(best, abs=0.01)
    assert within[0] <= result.gamma.value <= within[1]


def every_alignment(units, annotators):
    """All partitions of units into sets with at most one unit of each annotator."""

    def grow(left, groups):
        if not left:
            yield groups
            return
        first, *rest = left
        for i, group in enumerate(groups):
            if all(units.annotator[first] != units.annotator[x] for x in group):
                yield from grow(rest, [*groups[:i], [*group, first], *groups[i + 1 :]])
        yield from grow(rest, [*groups, [first]])

    yield from grow(list(range(len(units.start))), [])


def cost(units, groups, annotators, d):
    total = 0.0
    pairs = annotators * (annotators - 1) // 2
    for group in groups:
        inside = [*itertools.combinations(group, 2)]
        of = sum(d.compute_for_pairs(units, np.array([u]), np.array([v]))[0] for u, v in inside)
        total += (of + (pairs - len(inside)) * d.delta_empty) / pairs
    return total


@st.composite
def documents(draw, most=7):
    annotators = draw(st.integers(2, 4))
    rows = [
        (who, start, start + draw(st.integers(1, 4)), "XYZ"[draw(st.integers(0, 2))])
        for who in range(annotators)
        for start in draw(st.lists(st.integers(0, 9), max_size=3, unique=True))
    ][:most]
    return annotators, rows


@pytest.mark.long
@at_most(60)
@given(documents(), st.sampled_from([(1, 1, 1), (3, 1, 1), (1, 2, 0.5), (0, 1, 1), (2, 0, 3)]))
def test_best_alignment_by_enumeration(case, weights):
    """No alignment is better, of those that there are."""
    annotators, rows = case
    if not rows:
        return
    d = Dissimilarity(*map(float, weights))
    columns = zip(*((0, a, float(s), float(e), "XYZ".index(c)) for a, s, e, c in rows), strict=True)
    units = Units(*map(np.array, columns)).sort()
    found = best_alignment(units, np.array([annotators]), d)
    best = min(cost(units, groups, annotators, d) for groups in every_alignment(units, annotators))
    assert found.gap[0] == 0
    assert found.cost[0] == pytest.approx(best, abs=2e-6)


def three(seed=0, documents=6, gaps=True, annotators=3):
    """Annotators who mark about the same units of some documents."""
    rng = np.random.default_rng(seed)
    layers: dict[str, list[list[tuple[int, int, str]] | None]] = {
        n: [] for n in "abcdef"[:annotators]
    }
    for _ in range(documents):
        base = np.cumsum(rng.integers(3, 12, 5)).tolist()
        for units in layers.values():
            made, last = [], 0
            for at in base:
                start = max(at + int(rng.integers(-2, 3)), last)
                last = start + int(rng.integers(1, 5))
                if rng.random() < 0.8:
                    made.append((start, last, "XYZ"[int(rng.integers(3))]))
            units.append(None if gaps and rng.random() < 0.2 else made)
    return sa.Corpus.from_segments([70] * documents, layers)


def best_matching_pairs(units, most, d):
    """Align greedily: the most similar pair first, as long as no annotator would be in it twice."""
    group = np.arange(len(units.start))
    pairs = find_near_pairs(units, most, d)
    for i in np.argsort(pairs.value, kind="stable"):
        one, other = (np.flatnonzero(group == group[x[i]]) for x in (pairs.u, pairs.v))
        if not set(units.annotator[one]) & set(units.annotator[other]):
            group[other] = group[one[0]]
    return np.unique(group, return_inverse=True)[1]


@pytest.mark.long
@pytest.mark.parametrize("annotators", [2, 3, 5, 6])
def test_never_worse_than_matching_pairs(annotators):
    """An optimum is never worse than units left alone, or than the best matching pairs."""
    corpus = three(3, annotators=annotators)
    d = Dissimilarity()
    continuum = Continuum.from_corpus(corpus)
    found = best_alignment(continuum.units, continuum.annotators, d)
    assert not found.gap.any()
    alone = np.bincount(continuum.units.document, minlength=len(corpus))
    assert (found.cost <= alone + 1e-9).all()
    matched = best_matching_pairs(continuum.units, np.full(len(corpus), d.delta_empty), d)
    assert (
        found.cost <= compute_cost(continuum.units, matched, continuum.annotators, d) + 1e-6
    ).all()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_many_annotators_by_one_program(seed):
    """Five to seven annotators: the optimum over a list of all unitary alignments there can be."""
    rng = np.random.default_rng(seed)
    annotators, spread = int(rng.integers(5, 8)), int(rng.integers(1, 5))
    rows = []
    for a in range(annotators):
        for place in range(int(rng.integers(1, 3))):
            start = 6 * place + int(rng.integers(spread))
            rows.append((a, start, start + int(rng.integers(2, 5)), "XY"[int(rng.integers(2))]))
    d = Dissimilarity(3.0)
    units, _ = units_from(rows)
    count, pairs = len(rows), annotators * (annotators - 1) / 2
    u, v = np.triu_indices(count, 1)
    unlike = np.zeros((count, count))
    unlike[u, v] = d.compute_for_pairs(units, u, v)
    own = [[None, *np.flatnonzero(units.annotator == a)] for a in range(annotators)]
    every = [sorted(x for x in of if x is not None) for of in itertools.product(*own)][1:]
    costs = [
        (sum(unlike[p] for p in itertools.combinations(of, 2)) + pairs - math.comb(len(of), 2)) / pairs
        for of in every
    ]  # fmt: skip
    holds = np.array([np.isin(np.arange(count), of) for of in every]).T
    best = milp(
        np.array(costs), integrality=np.ones(len(every)), constraints=LinearConstraint(holds, 1, 1)
    )
    assert disorder(rows, d)[0] == pytest.approx(best.fun / (count / annotators), abs=2e-6)


def test_components_are_solved_apart(monkeypatch):
    """Units and their copies far away cost twice as much, and no program has both."""
    rng = np.random.default_rng(17)  # whose relaxed optimum is not whole
    rows = [
        (a, start, start + int(rng.integers(1, 5)), "XYZ"[int(rng.integers(3))])
        for a in range(4)
        for start in rng.choice(12, 4, replace=False).tolist()
    ]
    sizes, programme = [], unitary_alignments._solve_integer

    def counted(columns, members, *settings):
        sizes.append(len(members))
        return programme(columns, members, *settings)

    monkeypatch.setattr(unitary_alignments, "_solve_integer", counted)
    d = Dissimilarity(3.0)
    copies = [(a, start + 10_000, end + 10_000, label) for a, start, end, label in rows]
    # the disorder of the whole is that of each half, as there are twice as many units
    assert disorder(rows + copies, d)[0] == pytest.approx(disorder(rows, d)[0], abs=1e-9)
    assert set(sizes) == {len(rows)}


@pytest.mark.long
@pytest.mark.parametrize("annotators", [8, 16])
def test_many_who_mark_the_same(annotators):
    """What all mark alike is in no disorder, however many they are: 0 by the definition."""
    rows = [(a, 10 * i, 10 * i + 4, "X") for a in range(annotators) for i in range(5)]
    assert disorder(rows, Dissimilarity()) == (0, 5)


@pytest.mark.slow
@pytest.mark.parametrize("chance", list_names(Chance))
@pytest.mark.parametrize("weights", [(1, 1), (3, 0.5), (0, 1)])
def test_control_variate(chance, weights):
    """The exact mean of all pair gains is that of many draws."""
    corpus = three(1, documents=2)
    d = Dissimilarity(*map(float, weights))
    continuum = Continuum.from_corpus(corpus)
    exact = compute_expected_gains(corpus, build_chance_model(chance), continuum.annotators, d)
    drawn = sum_draws(
        continuum, d, Sampling("chance", build_chance_model(chance), 0.01, 0), range(400)
    ).gain
    error = np.std(drawn, axis=0) / 20
    assert (abs(np.mean(drawn, axis=0) - exact) <= 4 * error + 1e-6).all()


def test_control_variate_by_hand():
    """One unit each in three tokens: all nine places, one by one."""
    corpus = sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "Y")]]})
    gain = [max(0, 2 - (2 * abs(x - y) / 2) ** 2 - 1) for x in range(3) for y in range(3)]
    exact = compute_expected_gains(
        corpus, build_chance_model("nonoverlapping"), np.array([2]), Dissimilarity()
    )
    assert exact[0] == pytest.approx(sum(gain) / 9, abs=1e-12)


@pytest.mark.parametrize(
    ("size", "lengths", "near"),
    [(1, (13, 9, 11, 30), 1e-5), (4, (13, 9, 11, 30), 0.03), (20, (150, 141, 177, 123), 0.03)],
)
def test_control_variate_of_long_recordings(size, lengths, near):
    """Looked at in coarser units, mean gains are those of every offset within 3 in a hundred; in
    those that are nearly the recording's own, to five digits."""
    one, other, third, fourth = lengths
    layers = {
        "a": [[(0, one, "X"), (5000, 5000 + other, "X")]],
        "b": [[(100, 100 + third, "X"), (9000, 9000 + fourth, "X")]],
    }
    tokens = sa.Corpus.from_segments([size * UNITS + 1], layers)
    recording = dataclasses.replace(tokens, offsets="1ms")
    assert is_long(recording)
    assert not is_long(tokens)
    exact, coarse = (
        compute_expected_gains(
            each, build_chance_model("nonoverlapping"), np.array([2]), Dissimilarity()
        )[0]
        for each in (tokens, recording)
    )
    assert coarse == pytest.approx(exact, rel=near)


@pytest.mark.long
def test_expected_disorder_by_enumeration():
    """The sampled expected disorder is the mean over all places, within its error."""
    corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 1, "X"), (2, 3, "Y")]]})
    d = Dissimilarity()
    costs = []
    for x, y, z in itertools.product(range(4), range(5), range(5)):
        if y != z:
            rows = [("a", x, x + 2, "X"), ("b", y, y + 1, "X"), ("b", z, z + 1, "Y")]
            costs.append(disorder(rows, d)[0])
    result = gamma(corpus, precision=0.004)
    exact = sum(costs) / len(costs)
    of = result.gamma
    assert abs(of.value - (1 - of.observed / exact)) <= 4 * of.error
    assert of.error <= 0.004


@pytest.mark.long
def test_identical_is_one():
    """Identical annotations have γ 1, γ_cat 1 and γ_k 1."""
    units = [(0, 2, "X"), (5, 9, "Y"), (11, 12, "X")]
    for names in ("ab", "abc", "abcd"):
        corpus = sa.Corpus.from_segments([20], {name: [units] for name in names})
        result = gamma(corpus)
        assert (result.gamma.value, result.gamma_cat.value) == (1, 1)
        assert result.team.alignments == 3
        assert result.verdict.endswith(" γ_k is the same for each label (1.000).")


def test_undefined():
    """Nothing marked, or nobody to compare with, has a reason."""
    nothing = gamma(sa.Corpus.from_segments([9], {"a": [[]], "b": [[]]}))
    assert math.isnan(nothing.gamma.value)
    assert nothing.gamma.reason == "nothing is marked in a document that two annotators saw"
    apart = sa.Corpus.from_segments(
        [9, 9], {"a": [[(0, 1, "X")], None], "b": [None, [(0, 1, "X")]]}
    )
    assert gamma(apart).gamma.reason == "no document that two annotators saw"
    full = sa.Corpus.from_segments([4], {"a": [[(0, 4, "X")]], "b": [[(0, 4, "X")]]})
    assert gamma(full).gamma.reason == "random annotations are in no disorder either"
    assert gamma(full).to_dict()["tables"]["figures"][0]["gamma"]["value"] is None


def test_what_the_pygamma_sampler_draws_from():
    """By hand: gaps are 0, those between units and those before each first; lengths; numbers.

    Where every draw is the mean, both annotators of the first document have one unit, after the
    mean gap. In the second the mean number is below 1: just the first annotator has one.
    """
    drawn = []

    class Means:
        def normal(self, mean, deviation, size=None):
            drawn.append((mean, deviation))
            return mean if size is None else np.full(size, mean)

        def integers(self, _, size):
            return np.zeros(size, np.int64)

    corpus = sa.Corpus.from_segments(
        [9, 9], {"a": [[(3, 4, "X"), (6, 8, "X")], [(0, 1, "X")]], "b": [[(5, 6, "X")], []]}
    )
    units = _draw_as_pygamma(Continuum.from_corpus(corpus), "nonoverlapping", Means())
    number, length, gap = ((np.mean(x), np.std(x)) for x in ([2, 1], [1, 2, 1], [0, 2, 3, 5]))
    np.testing.assert_allclose(drawn[:6], 2 * [number, length, gap])
    np.testing.assert_allclose(drawn[6:], 2 * [(0.5, 0.5), (1, 0), (0, 0)])
    assert units.document.tolist() == [0, 0, 1]
    assert units.annotator.tolist() == [0, 1, 0]
    assert units.start == pytest.approx([2.5, 2.5, 0])
    assert units.end == pytest.approx([2.5 + 4 / 3, 2.5 + 4 / 3, 1])


@pytest.mark.slow
@pytest.mark.parametrize("sampler", list_names(Sampler))
def test_order_changes_no_digit(sampler):
    """Neither annotators, documents, labels of rows nor workers change a digit."""
    corpus = three(2)
    order = [4, 1, 5, 0, 3, 2]
    turned = corpus.subset(order).select_annotators(["c", "a", "b"])
    result = gamma(corpus, sampler=sampler, ci=sa.Jackknife())
    with ThreadPoolExecutor(2) as workers:
        for other in (
            gamma(turned, sampler=sampler, ci=sa.Jackknife()),
            gamma(corpus, sampler=sampler, ci=sa.Jackknife(), executor=workers),
        ):
            assert other.team == result.team
    assert gamma(corpus, sampler=sampler, seed=1).gamma != result.gamma


@pytest.mark.slow
def test_precision():
    """Sampling ends when the standard error is below the precision, and says what it is."""
    corpus = three(4, documents=2)
    coarse, fine = (gamma(corpus, precision=p) for p in (0.05, 0.004))
    assert fine.team.draws > coarse.team.draws
    assert fine.gamma.error <= 0.004
    assert abs(fine.gamma.value - coarse.gamma.value) < 4 * coarse.gamma.error
    assert fine.to_dict()["tables"]["figures"][0]["gamma"]["error"] == fine.gamma.error


def test_the_control_variate_pays():
    """The same precision takes fewer draws than without it: the error of 40 draws is smaller."""
    corpus = three(4, documents=4, annotators=2, gaps=False)
    continuum, d = Continuum.from_corpus(corpus), Dissimilarity()
    drawn = sum_draws(
        continuum, d, Sampling("chance", build_chance_model("nonoverlapping"), 0.01, 0), range(40)
    )
    known = compute_expected_gains(
        corpus, build_chance_model("nonoverlapping"), continuum.annotators, d
    )
    with_it, without = estimate_expected_cost(drawn, known), estimate_expected_cost(drawn, None)
    assert with_it.error < without.error / 2  # a quarter of the draws
    assert abs(with_it.total - without.total) < 4 * without.error


@pytest.mark.slow
def test_documents_are_weighted_by_units():
    """The observed disorder is the mean over documents, weighted by their mean number of units."""
    corpus = three(5, documents=3, gaps=False)
    parts = [gamma(corpus.subset([d])) for d in range(3)]
    whole = gamma(corpus)
    weights = [part.team.units for part in parts]
    mean = np.average([part.gamma.observed for part in parts], weights=weights)
    assert whole.gamma.observed == pytest.approx(mean)


def test_ordinal():
    """Categories on a scale differ by their distance on it."""
    labels = ("high", "low", "middle")
    d = Dissimilarity(
        categorical="ordinal", places=compute_ordinal_positions(labels, ["low", "middle", "high"])
    )
    assert d.compute_categorical(np.array([0, 0, 1]), np.array([1, 2, 1])).tolist() == [1, 0.5, 0]
    corpus = sa.Corpus.from_segments([9], {"a": [[(0, 2, "low")]], "b": [[(0, 2, "middle")]]})
    near = gamma(corpus, categorical="ordinal", order=["low", "middle", "high"])
    assert near.gamma.observed == 0.5
    assert "|categorical:ordinal|order:low,middle,high|" in near.signature
    assert gamma(corpus).gamma.observed == 1
    with pytest.raises(sa.SettingError, match="middle is not in it"):
        gamma(corpus, categorical="ordinal", order=["low", "high"])


def test_workers_that_fail():
    """Anything but an executor is refused, one that died too, and a draw's own error is raised."""
    corpus = three()
    with pytest.raises(sa.SettingError, match=r"executor 3; a concurrent\.futures\.Executor"):
        gamma(corpus, executor=3)
    gone = ThreadPoolExecutor(1)
    gone.shutdown()
    with pytest.raises(sa.SettingError, match="the executor died: RuntimeError"):
        gamma(corpus, executor=gone)

    class Failing:
        def submit(self, function, *arguments):
            future = Future()
            future.set_exception(MemoryError("too large"))
            return future

    with pytest.raises(MemoryError, match="too large"):
        gamma(corpus, executor=Failing())


def test_settings_are_checked():
    """Names and numbers out of range are refused, and so are units that overlap."""
    corpus = three()
    for bad in ({"alpha": -1}, {"delta_empty": 0}, {"beta": math.inf}, {"precision": 0},
                {"sampler": "x"}, {"categorical": "x"}, {"seed": -1}):  # fmt: skip
        with pytest.raises(sa.SettingError):
            gamma(corpus, **bad)
    twice = sa.Corpus.from_segments([9], {"a": [[(0, 3, "X"), (1, 4, "Y")]], "b": [[(0, 3, "X")]]})
    with pytest.raises(sa.SettingError, match="overlap"):
        gamma(twice, chance="nonoverlapping")
    with refuses(sa.SettingError, "unknown chance 'exact'; …"):
        gamma(twice, chance="exact")
    assert gamma(twice, chance="overlapping").gamma.value < 1
    many = sa.Corpus.from_segments([9], {f"a{i}": [[(0, 2, "X")]] for i in range(33)}, ids=["d"])
    with refuses(sa.SettingError, "… 'd': 33 annotators … 32 at most"):
        gamma(many)


@pytest.mark.parametrize(
    ("units", "model"),
    [
        ([(0, 3, "X"), (4, 6, "Y")], "nonoverlapping"),
        ([(0, 3, "X"), (1, 4, "Y")], "per-label"),
        ([(0, 3, "X"), (1, 4, "X")], "overlapping"),
    ],
)
def test_unnamed_chance_is_the_first_that_units_allow(units, model):
    """As of F1, and of γ beside it; figures are those of the same model by name."""
    corpus = sa.Corpus.from_segments([9], {"a": [units], "b": [[(0, 3, "X")]]})
    found = gamma(corpus, precision=0.1)
    assert found.settings.chance == sa.agree(corpus).settings.chance == model
    assert found.gamma == gamma(corpus, chance=model, precision=0.1).gamma
    assert found.gamma.value == sa.compare_measures(corpus, precision=0.1).measures["γ"].value
    of_b = gamma(corpus.replace(layers={**corpus.layers, "c": corpus.layers["b"]}),
                 annotators=["b", "c"], precision=0.1)  # fmt: skip
    assert of_b.settings.chance == model  # of all layers


@pytest.mark.slow
def test_by_pair():
    """Each pair is that of the two alone."""
    corpus = three(6, documents=3)
    result = gamma(corpus, pairs=True)
    assert list(result.pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert result.pairs["a", "c"] == gamma(corpus, annotators=["a", "c"]).team
    assert len(result.to_rows("pair")) == 6
    assert [row["label"] for row in result.to_rows("label")] == ["X", "Y", "Z"]
    names = ["γ", "γ_cat", "γ_k X", "γ_k Y", "γ_k Z"]
    assert [row["coefficient"] for row in result.to_rows()] == names


@pytest.mark.long
def test_categories_by_hand():
    """γ_cat weighs aligned pairs by how near they are; γ_k looks at those with its category."""
    corpus = sa.Corpus.from_segments(
        [30], {"a": [[(0, 4, "X"), (10, 14, "X")]], "b": [[(0, 4, "X"), (11, 15, "Y")]]}
    )
    continuum = Continuum.from_corpus(corpus)
    _, seen = align_annotations([continuum.units], continuum, Dissimilarity(alpha=2.0))
    weight = 1 - 2 * (2 / 8) ** 2
    assert seen.categories[0, 0].tolist() == [
        [weight, 1 + weight],
        [weight, 1 + weight],
        [weight, weight],
    ]
    result = gamma(corpus, alpha=2, precision=1)
    assert result.gamma_cat.observed == pytest.approx(weight / (1 + weight))
    assert result.gamma_k["Y"].observed == 1


@pytest.mark.parametrize("annotators", [(), ("a",)])
def test_nobody_to_compare_with(annotators):
    """Without two annotators every measure is undefined, with the reason."""
    units = {name: [[(0, 2, "X")]] for name in annotators}
    corpus = sa.Corpus.from_segments([9], units)
    for of in (sa.alpha_u(corpus).all, gamma(corpus).gamma):
        assert of.reason == "no document that two annotators saw"
    assert all(of.reason for of in sa.compare_measures(corpus).measures.values())


@pytest.mark.long
def test_documents_without_units():
    """Empty documents add nothing, wherever they stand."""
    x, y = [(0, 2, "X"), (4, 6, "Y")], [(0, 3, "X")]
    filled = {"a": [x], "b": [y], "c": [x]}
    whole = {name: [[], *units, []] for name, units in filled.items()}
    ids = ["a", "b", "c"]
    corpus = sa.Corpus.from_segments([9, 9, 9], whole, ids=ids)
    one = gamma(sa.Corpus.from_segments([9], filled)).gamma
    assert gamma(corpus).gamma[:3] == pytest.approx(one[:3], rel=1e-9)


# --- time ---------------------------------------------------------------------------------------


def dense(documents, annotators, seed=1, length=120):
    """Documents whose units many annotators place about the same places: hard to align."""
    rng = random.Random(seed)
    layers = {f"a{i:02}": [] for i in range(annotators)}
    for _ in range(documents):
        true = sorted(rng.sample(range(0, length - 20, 4), 5))
        for layer in layers.values():
            starts = sorted({max(0, x + rng.randint(-4, 4)) for x in true if rng.random() < 0.8})
            ends = [*starts[1:], length]
            layer.append(
                [
                    (s, min(e, s + rng.randint(2, 18)), rng.choice("XY"))
                    for s, e in zip(starts, ends, strict=True)
                ]
            )
    return sa.Corpus.from_segments([length] * documents, layers)


def end_after(monkeypatch, number):
    """Let the time be over when somebody has asked for it so many times."""
    asked = itertools.count()
    monkeypatch.setattr(
        Deadline, "seconds_left", property(lambda self: 1.0 if next(asked) < number else -1.0)
    )


@pytest.mark.slow
def test_what_was_stopped_has_bounds():
    """Whenever the time ends, γ has bounds that hold the figure, the same each time."""
    corpus = dense(6, 5)
    whole = gamma(corpus)
    assert whole.settings.stopped is None
    for number in (0, 1, 6):
        results = []
        for _ in range(2):
            with pytest.MonkeyPatch.context() as patched:
                end_after(patched, number)
                patched.setattr(Deadline, "options", {})
                results.append(gamma(corpus))
        one, other = results
        assert one.to_dict() == other.to_dict()
        assert "|stopped:time|" in one.signature
        low, high = one.gamma.bounds
        assert math.isnan(one.gamma.value)
        assert low - 0.02 <= whole.gamma.value <= high + 0.02
        assert f"γ: between {low:.3f} and {high:.3f}: the time limit" in str(one)
        whole_row = one.to_dict()["tables"]["figures"][0]
        assert (whole_row["coefficient"], whole_row["gamma"]["value"]) == ("γ", None)
        assert whole_row["gamma"]["bounds"] == [low, high]
        assert whole_row["gamma"]["expected"] is None  # of too few draws, no plain number either


@pytest.mark.parametrize(
    ("observed_gap", "expected_gap", "error", "is_cut", "bounds"),
    [
        (0.5, 2.0, 0.1, True, ((0.55, 1.0), None)),
        (0.5, 2.0, 0.1, False, ((0.55, 1.0), None)),  # too few draws
        (0.5, 2.0, 0.01, False, ((0.75, 0.85), None)),  # enough
        (0.0, 2.0, 0.01, False, ((0.75, 0.8), None)),
        (0.5, 0.0, 0.01, False, ((0.8, 0.85), None)),
        (0.0, 0.0, 0.1, True, ((0.6, 1.0), (0.1, 0.9))),
        (0.0, 10.0, 0.01, False, ((-math.inf, 0.8), None)),
        (0.0, 0.0, 0.01, False, (None, None)),
    ],
)
def test_bounds_by_hand(observed_gap, expected_gap, error, is_cut, bounds):
    """Observed 2 of 10: γ .8, from 1 − 2/(10 − its gap) to 1 − (2 − gap)/10, ± two errors.

    γ_cat, .5 with twice the error, is not known where alignments may not be the best.
    """
    sampling = Sampling("chance", build_chance_model("overlapping"), 0.05, 0)
    job = GammaTask(Dissimilarity(), sampling, None, None, None, NO_DEADLINE)
    nothing = np.zeros((1, 2))
    observed = AlignmentSums(
        np.array([[0.5, 1.5]]), nothing, nothing, np.array([[observed_gap, 0.0]])
    )
    expected = ExpectedDisorder(observed, nothing[0], 10.0, error, expected_gap, is_cut)
    made = [CoefficientScore(0.8, 2.0, 10.0, error), CoefficientScore(0.5, 1.0, 2.0, 2 * error)]
    whole, category = _replace_by_bounds(made, observed, expected, job)
    assert whole.bounds == (bounds[0] and pytest.approx(bounds[0]))
    assert category.bounds == (bounds[1] and pytest.approx(bounds[1]))
    known = [figure.value for figure in (whole, category) if not figure.reason]
    assert known == ([] if bounds[0] else [0.8, 0.5])
    why = "time limit ended the search" if is_cut else "not proven"
    if bounds[0]:
        assert whole.reason.endswith(why)


def test_the_time_limit_of_all_measures():
    """A limit of 0 ends the search beside other measures as it does alone."""
    corpus = dense(6, 5)
    stopped = gamma(corpus, time_limit=0)
    assert stopped.settings.stopped == "time"
    both = sa.compare_measures(corpus, time_limit=0)
    assert both.measures["γ"].bounds == stopped.gamma.bounds
    assert "|stopped:time|" in both.signature
    (row,) = (row for row in both.to_dict()["tables"]["measures"] if row["measure"] == "γ")
    assert [row[key] for key in ("value", "expected", "error")] == [None] * 3


def test_what_is_left_is_known_before_the_first_draw():
    """Six documents of 600 units are three parts of 1,500 at most; twelve draws come at least."""
    spans = [(100 * i, 100 * i + 10, "X") for i in range(300)]
    corpus = sa.Corpus.from_segments([30_000] * 6, {"a": [spans] * 6, "b": [spans] * 6})
    said = []
    gamma(corpus, progress=lambda done, total: said.append((done, total)))
    assert said[:4] == [(1, 15), (2, 15), (3, 15), (4, 15)]
    assert all(done <= total for done, total in said)
    assert said[-1][0] == said[-1][1]


@pytest.mark.long
@pytest.mark.parametrize("annotators", [3, 4, 5])
def test_bounds_hold_the_best_alignment(annotators, monkeypatch):
    """Of too many units an alignment is one, and its least cost is no more than the best one's."""
    d = Dissimilarity()
    for seed in range(4):
        corpus = dense(1, annotators, seed, length=60)
        units, count = collect_units(corpus), np.array([annotators])
        pairs = find_near_pairs(units, bound_disorder(count, d), d)
        best = align_units(units, pairs, count, d)
        assert best.gap[0] == 0
        cut_short = [align_units(units, pairs, count, d, Deadline.from_time_limit(0))]
        for most in (3, 30):
            monkeypatch.setattr(unitary_alignments, "_COLUMNS", most)
            cut_short.append(align_units(units, pairs, count, d))
        monkeypatch.undo()
        for found in cut_short:
            assert found.cost[0] == pytest.approx(compute_cost(units, found.group, count, d)[0])
            assert found.lowest[0] <= best.cost[0] + 1e-9 <= found.cost[0] + 2e-9
            key = found.group * annotators + units.annotator
            assert len(np.unique(key)) == len(key)  # one unit of an annotator at most


@pytest.mark.parametrize("annotators", [3, 5])
def test_what_all_mark_alike_needs_no_search(annotators):
    """Aligned in turn, without time, units that all mark alike are in no disorder: 0, proven."""
    rows = [(a, 10 * i, 10 * i + 4, "X") for a in range(annotators) for i in range(4)]
    d, (units, count) = Dissimilarity(), units_from(rows)
    pairs = find_near_pairs(units, bound_disorder(np.array([count]), d), d)
    found = align_units(units, pairs, np.array([count]), d, Deadline.from_time_limit(0))
    assert found.cost[0] == 0
    assert found.gap[0] == pytest.approx(0, abs=1e-6)  # but for what breaks ties
    assert len(set(found.group.tolist())) == 4


def test_the_gap_of_a_disorder():
    """A disorder is a cost over the mean number of units, and so is what it may be lower by."""
    corpus = dense(1, 4)
    continuum = Continuum.from_corpus(sort_canonically(corpus))
    _, drawn = align_annotations(
        [continuum.units], continuum, Dissimilarity(), Deadline.from_time_limit(0)
    )
    stopped = gamma(corpus, time_limit=0)
    mean = len(continuum.units.start) / 4
    assert stopped.team.gap == pytest.approx(drawn.gap.sum() / mean)
    assert stopped.team.gap > 0
    assert f"may be lower by {stopped.team.gap:.2g}" in " ".join(stopped.notes)


@pytest.mark.slow
def test_time_units_change_neither_cost_nor_figure(growth):
    """Offsets a thousand times as fine take no longer, and give γ within its error."""
    rng = random.Random(3)
    starts = sorted(rng.sample(range(0, 3600, 8), 100))
    marks = [
        [(s + rng.randint(0, 2), s + rng.randint(3, 6), rng.choice("XY")) for s in starts if rng.random() < 0.9]
        for _ in range(2)
    ]  # fmt: skip

    def of_unit(unit):
        layers = {
            name: [[(s * unit, e * unit, c) for s, e, c in x]]
            for name, x in zip("ab", marks, strict=True)
        }
        return sa.Corpus.from_segments([3610 * unit], layers)

    coarse, fine = of_unit(1), of_unit(1000)
    assert growth(lambda: gamma(coarse), lambda: gamma(fine)) < 3
    one, other = gamma(coarse).gamma, gamma(fine).gamma
    assert one.observed == pytest.approx(other.observed)
    assert abs(one.value - other.value) < 4 * math.hypot(one.error, other.error) + 2e-3


def test_ties_are_broken_by_category():
    """Of two units as near as each other that of the same category is aligned, on either side."""
    d = Dissimilarity(beta=0)  # so that the category is no part of what is minimised
    for labels in ("YX", "XY"):
        layers = {
            "a": [[(10, 14, "X")]],
            "b": [[(8, 12, labels[0]), (12, 16, labels[1])]],
        }
        units = collect_units(sa.Corpus.from_segments([40], layers))
        group = best_alignment(units, np.array([2]), d).group
        partner = np.flatnonzero(group == group[0]).tolist()
        assert len(partner) == 2
        assert units.label[partner[0]] == units.label[partner[1]]


def on_a_grid(rng, annotators):
    """One document in which each unit lies as near to two of the next annotator: many ties."""
    layers = {}
    for number in range(annotators):
        starts = rng.sample(range(2 * (number % 2), 17, 4), rng.randint(2, 4))
        layers[f"a{number}"] = [[(s, s + 4, rng.choice("XYZ")) for s in sorted(starts)]]
    return sa.Corpus.from_segments([22], layers)


def matchings(mine, theirs):
    """All matchings of two sets, as lists of pairs."""
    if not mine:
        yield []
        return
    yield from matchings(mine[1:], theirs)
    for k, other in enumerate(theirs):
        for rest in matchings(mine[1:], theirs[:k] + theirs[k + 1 :]):
            yield [(mine[0], other), *rest]


@pytest.mark.long
def test_ties_go_to_more_pairs_and_closer_categories():
    """Among all best alignments, enumerated, ours has the most pairs, then the nearest categories.

    In many documents others, as good, would give another γ_cat.
    """
    d, rng, others = Dissimilarity(beta=0), random.Random(5), 0
    for _ in range(40):
        units = collect_units(on_a_grid(rng, 2))
        first, second = (np.flatnonzero(units.annotator == k).tolist() for k in (0, 1))
        tied = defaultdict(list)
        for pairs in matchings(first, second):
            u, v = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
            cost = (
                d.compute_for_pairs(units, u, v).sum() + len(first) + len(second) - 2 * len(pairs)
            )
            unlike = np.maximum(1 - d.compute_positional(units, u, v), 0) * (units.label[u] != units.label[v])  # fmt: skip
            tied[round(float(cost), 9)].append((-len(pairs), round(float(unlike.sum()), 9), pairs))
        best = sorted(tied[min(tied)])
        others += len({unlike for _, unlike, _ in best}) > 1
        group = best_alignment(units, np.array([2]), d).group
        ours = sorted((u, v) for u in first for v in second if group[u] == group[v])
        (mine,) = (one for one in best if sorted(one[2]) == ours)
        assert mine[:2] == best[0][:2]
    assert others > 5


def test_ties_go_to_pairs_that_lie_closer():
    """By hand: two pairs differ by 1/25 and 49/25, or by 1 and 1, which is as much in all: the one
    that is near counts, as those that differ by 1 and more share nothing."""
    layers = {"a": [[(7, 10, "X"), (9, 15, "X")]], "b": [[(3, 7, "X"), (7, 9, "X")]]}
    units, d = collect_units(sa.Corpus.from_segments([15], layers)), Dissimilarity()
    u, v = np.array([0, 1, 0, 1]), np.array([3, 2, 2, 3])  # a's units and b's, by their starts
    assert d.compute_for_pairs(units, u, v) == pytest.approx([1 / 25, 49 / 25, 1, 1])
    group = best_alignment(units, np.array([2]), d).group
    assert (group[0] == group[3], group[1] == group[2]) == (True, True)


@pytest.mark.slow
def test_tied_alignments_know_no_order(tmp_path):
    """Other names and orders, and Python's hashes, change no γ_cat where alignments are tied."""

    def of_labels(result):
        return [result.gamma_cat, *result.gamma_k.values()]

    rng = random.Random(2)
    for annotators in (2, 4):
        corpus = on_a_grid(rng, annotators)
        spans = corpus[0].segments
        figures = [one.observed for one in of_labels(gamma(corpus, precision=1))]
        for _ in range(3):
            names = rng.sample(corpus.annotators, annotators)
            layers = {
                name: [rng.sample(spans[other], len(spans[other]))]
                for name, other in zip(names, corpus.annotators, strict=True)
            }
            turned = gamma(sa.Corpus.from_segments([22], layers), precision=1)
            assert [one.observed for one in of_labels(turned)] == pytest.approx(figures, rel=1e-12)
    sa.write_jsonl(corpus, tmp_path / "grid.jsonl")
    ask = [sys.executable, "-m", "spanagree", "agree", "grid.jsonl", "--measure", "gamma"]
    said = set()
    for seed in ("1", "2"):
        more = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(sa.__file__).parents[1])}
        done = subprocess.run(
            [*ask, "--format", "json"],
            capture_output=True, text=True, check=True, cwd=tmp_path, env={**os.environ, **more},
        )  # fmt: skip
        said.add(done.stdout)
    assert len(said) == 1


def test_the_time_limit_gives_bounds():
    """A limit of 0 ends at once: bounds that hold the figure, and no figure."""
    corpus = dense(1, 4)
    stopped = gamma(corpus, time_limit=0)
    (figure, *_) = stopped.to_dict()["tables"]["figures"]
    low, high = figure["gamma"]["bounds"]
    assert figure["gamma"]["value"] is None
    assert figure["gamma"]["expected"] is None
    assert figure["gamma"]["observed"] is None  # no alignment was looked for
    assert low < gamma(corpus, precision=1).gamma.value < high
    assert f"γ: between {low:.3f} and {high:.3f}: " in str(stopped)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"time_limit": -1}, "time_limit -1 … from 0, or none"),
    ],
)
def test_limits_are_checked(asked, message):
    """What is no limit is refused."""
    with refuses(sa.SettingError, message):
        gamma(dense(1, 2), **asked)


def test_errors_beside_all_measures():
    """Of all measures only γ is sampled: it has an error, the others have none."""
    sides = {"a": [[(0, 3, "X"), (6, 9, "X")]], "b": [[(1, 4, "X"), (5, 9, "X")]]}
    made = sa.units.compare_measures(sa.Corpus.from_segments([12], sides), precision=0.2)
    errors = {row["measure"]: row["error"] for row in made.to_rows()}
    assert errors["γ"] > 0
    assert errors["α_U"] is None


def test_what_can_be_part_of_a_best_alignment():
    """By enumeration: all unitary alignments in which each unit adds to what is saved, and savings."""
    d = Dissimilarity(alpha=3.0)
    for seed in range(6):
        units, count = collect_units(dense(1, 4, seed, length=60)), np.array([4])
        pairs = find_near_pairs(units, bound_disorder(count, d), d)
        component = unitary_alignments.find_components(pairs, len(units.start))
        columns, left_out = unitary_alignments.list_unitary_alignments(
            units, pairs, count, d, component
        )
        found = {
            tuple(row): saving
            for listed in columns
            for row, saving in zip(listed.units.tolist(), listed.saving.tolist(), strict=True)
        }
        u, v = np.triu_indices(len(units.start), 1)
        saving = ((1 - d.compute_for_pairs(units, u, v)) / 6).tolist()
        save = dict(zip(zip(u.tolist(), v.tolist(), strict=True), saving, strict=True))
        wanted, tied = {}, set()
        for size in (2, 3, 4):
            for some in itertools.combinations(range(len(units.start)), size):
                if len({*units.annotator[[*some]].tolist()}) < size:
                    continue
                inside = [*itertools.combinations(some, 2)]
                gains = [1 + sum(save[pair] for pair in inside if unit in pair) for unit in some]
                if abs(min(gains)) < 1e-6:  # what breaks ties decides
                    tied.add(some)
                elif min(gains) > 0:
                    wanted[some] = size - 1 + sum(save[pair] for pair in inside)
        assert not left_out.any()
        found = {some: saving for some, saving in found.items() if some not in tied}
        assert found == pytest.approx(wanted, abs=1e-6)


def test_errors_by_the_delta_method():
    """γ is 1 − o/e, so an error of e is o/e² times as large in γ; o 1/4, e 1/2, its error .2."""
    nothing = np.zeros((1, 1))
    expected = ExpectedDisorder(
        AlignmentSums(nothing, nothing, nothing, nothing), nothing[0], 4.0, 0.2, 0.0
    )
    made = _compute_gamma(np.array([[2.0, 4.0, 8.0, 8.0]]), expected)
    assert (made.observed, made.expected, made.value) == (0.25, 0.5, 0.5)
    assert made.error == pytest.approx(2.0 / 4.0**2 * 0.2)


def test_error_of_categories():
    """Expected γ_cat is a ratio of sums over draws, whose error is that of a ratio (Cochran 1977,
    eq. 2.39): 6/11 of three draws, which miss it by −1/11, −2/11 and 3/11, over 11/3. What is
    observed, 1/2, divides by its square. Without any weight there is neither."""
    draws = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 5.0]])
    miss = np.array([-1, -2, 3]) / 11 / (11 / 3)
    ratio, error = compute_ratio(draws)
    assert (ratio, error) == pytest.approx((6 / 11, math.sqrt((miss**2).sum() / 2 / 3)))
    assert compute_ratio(np.zeros((3, 2))) == (0, 0)
    nothing = np.zeros((3, 1))
    drawn = AlignmentSums(nothing, nothing, draws[:, None, None], nothing)
    expected = ExpectedDisorder(drawn, nothing[0], 4.0, 0.2, 0.0)
    made = _compute_gamma_cat(np.array([[2.0, 6.0, 4.0, 11.0]]), expected, 0, None)
    assert made.value == pytest.approx(1 - 0.5 / ratio)
    assert made.error == pytest.approx(0.5 / ratio**2 * error)


def test_one_long_document_makes_exact_means_dear():
    """Means are exact where they take five million places at most of each document: of two units
    a document of three million tokens has six."""
    units = [[(0, 1, "X")], [(0, 1, "X")]]
    short, long = (
        sa.Corpus.from_segments([10, length], {"a": units, "b": units})
        for length in (2_000_000, 3_000_000)
    )
    assert is_affordable(short)
    assert not is_affordable(long)


def test_annotators_and_documents_have_an_order_of_their_own():
    """Annotators by name; documents by id, or else by length and what is in them."""
    layers = {"bob": [[(0, 1, "X")], [], []], "ann": [[], [(0, 2, "X")], None]}
    ordered = sort_canonically(sa.Corpus.from_segments([5, 4, 5], layers))
    assert ordered.annotators == ("ann", "bob")
    assert ordered.lengths.tolist() == [4, 5, 5]
    seen = [layer.annotated.tolist() for layer in ordered.layers.values()]
    assert seen == [[True, False, True], [True, True, True]]  # not seen comes first
    named = sort_canonically(sa.Corpus.from_segments([5, 4, 5], layers, ids=["c", "b", "a"]))
    assert named.ids == ("a", "b", "c")
    assert named.lengths.tolist() == [5, 4, 5]


def test_what_the_shuffle_draws_from():
    """By hand: a shift lands anywhere in what earlier ones leave free, half a mean length apart.

    Of a document of 10 and units of mean length 2 a shift by 3 leaves 0–2 and 4–10: the next one
    falls into the first with probability 2/8. Units that begin beyond the end come back at the
    front. Who is shuffled is drawn for each, of all three.
    """
    drawn = []

    class First:
        shifts = iter([3.0, 5.0, 5.0])

        def choice(self, what, p=None):
            if p is None:
                return 2
            drawn.append(np.asarray(p).tolist())
            return what - 1

        def uniform(self, low, high):
            drawn.append((low, high))
            return next(self.shifts)

    corpus = sa.Corpus.from_segments(
        [10], {"a": [[(0, 2, "X")]], "b": [[(1, 2, "X")]], "c": [[(1, 3, "X"), (7, 10, "Y")]]}
    )
    units = _draw_shuffled(Continuum.from_corpus(corpus), "nonoverlapping", First())
    assert drawn[0] == [1.0]
    assert drawn[1] == (0, 10)
    assert drawn[2] == pytest.approx([2 / 8, 6 / 8])
    assert drawn[3] == (4, 10)
    assert drawn[4] == pytest.approx([2 / 6, 4 / 6])  # 0–2 and 6–10: 4–4 is no place
    placed = zip(units.annotator.tolist(), units.start.tolist(), units.end.tolist(), strict=True)
    assert set(placed) == {(0, 4, 6), (0, 10, 13), (1, 6, 8), (1, 2, 5), (2, 6, 8), (2, 2, 5)}
