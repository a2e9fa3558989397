"""Coefficients: worked cases, other programs, enumeration, what holds on all tables, undefined cases."""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from messages import refuses
from oracles import shares

import spanagree as sa
from spanagree.labels import coefficient_table, formulas, summary_table
from spanagree.labels.coefficient import Counts
from spanagree.labels.intervals import _find_distinct_rows, build_unit_table
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.labels.tokens import label_tokens
from spanagree.results.display import DisplayTable
from spanagree.uncertainty.jackknife import compute_moments

GOLDEN = Path(__file__).parents[1] / "golden"
COEFFICIENTS = {"pi": sa.pi, "kappa": sa.kappa, "alpha": sa.alpha, "ac1": sa.ac1}
SIGNS = [kind.sign for kind in formulas.COEFFICIENTS.values()]
SHARES = [kind.sign for kind in formulas.COEFFICIENTS.values() if kind.is_share]


def table(*annotators, **options):
    """A table from a string of labels for each annotator; a space is a missing label."""
    rows = [
        (i, f"a{a}", label.strip())
        for a, labels in enumerate(annotators)
        for i, label in enumerate(labels)
    ]
    return sa.LabelTable.from_rows(rows, **options)


@st.composite
def tables(draw, complete=False, least=2):
    """Two to five annotators, up to eight items, up to three labels, with gaps unless complete."""
    v, items = draw(st.integers(least, 5)), draw(st.integers(1, 8))
    labels = "XYZ" if complete else "XYZ "
    return [draw(st.text(labels, min_size=items, max_size=items)) for _ in range(v)]


# --- by hand, in fractions ----------------------------------------------------------------------


def by_hand(annotators, categories):
    """π, κ, α, AC1 and SPA in fractions, straight from the definitions, pair by pair."""
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    agreed = [
        Fraction(sum(x == y for x, y in itertools.combinations(i, 2)), math.comb(len(i), 2))
        for i in items
        if len(i) > 1
    ]
    if not agreed:
        return {}
    observed = sum(agreed) / len(agreed)
    share, own = shares(annotators, categories)
    pairs = list(itertools.combinations(own, 2))
    values = [label for i in items if len(i) > 1 for label in i]
    apart = sum(  # of the coincidence matrix: each item's pairs weigh 1/(n − 1)
        Fraction(sum(x != y for x, y in itertools.permutations(i, 2)), len(i) - 1)
        for i in items
        if len(i) > 1
    ) / len(values)
    chance_apart = Fraction(
        sum(x != y for x, y in itertools.permutations(values, 2)), len(values) * (len(values) - 1)
    )
    expected = {
        "pi": sum(p**2 for p in share.values()),
        "kappa": sum(sum(p[c] * q[c] for c in categories) for p, q in pairs) / len(pairs),
        "alpha": 1 - chance_apart,
        "ac1": sum(p * (1 - p) for p in share.values()) / (len(share) - 1) if len(share) > 1 else None,
    }  # fmt: skip
    return {name: (1 - apart if name == "alpha" else observed, e) for name, e in expected.items()}


@given(tables())
def test_by_hand(annotators):
    """π, κ, α and AC1 equal their definitions in fractions, with gaps; undefined where 1 − A_e is 0."""
    categories = sorted(set("".join(annotators)) - {" "})
    reference = by_hand(annotators, categories)
    found = {name: of(table(*annotators)) for name, of in COEFFICIENTS.items()}
    for name, coefficient in found.items():
        if not reference or reference[name][1] is None:
            assert math.isnan(coefficient.value)
            assert coefficient.reason
            continue
        observed, expected = reference[name]
        assert coefficient.observed == pytest.approx(float(observed), abs=1e-14)
        assert coefficient.expected == pytest.approx(float(expected), abs=1e-14)
        if expected == 1:
            assert math.isnan(coefficient.value)
            assert coefficient.reason == "chance alone gives 1"
        else:
            exact = (observed - expected) / (1 - expected)
            assert coefficient.value == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.long
@given(tables())
def test_by_category_is_one_against_the_rest(annotators):
    """A coefficient by category equals the same coefficient with all other categories made one."""
    whole = {name: of(table(*annotators)) for name, of in COEFFICIENTS.items()}
    for category in whole["pi"].by_category:
        two = [
            re.sub("[^ ]", lambda m, c=category: "YN"[m[0] != c], labels) for labels in annotators
        ]
        for name, of in COEFFICIENTS.items():
            if not whole[name].by_category:
                continue  # undefined as a whole
            ours = whole[name].by_category[category]
            rest = of(table(*two, categories="NY"))
            assert ours.observed == pytest.approx(rest.observed, abs=1e-14)
            assert ours.expected == pytest.approx(rest.expected, abs=1e-14)
            assert ours.value == pytest.approx(rest.value, abs=1e-11, nan_ok=True)


# --- print and other programs -------------------------------------------------------------------


def test_alice_and_bill():
    """Artstein & Poesio 2005, 13.2 and 13.4: π .3407, κ .3478; doubled A_e .54333, tripled .544."""
    alice, bill = "YYYYYYNNNN", "YYYYYNYYNN"  # 6 and 7 times Y, agreeing on 7 of 10
    two = table(alice, bill)
    assert sa.pi(two).observed == pytest.approx(0.7)
    assert sa.pi(two).expected == pytest.approx(0.545)
    assert round(sa.pi(two).value, 4) == 0.3407
    assert sa.kappa(two).expected == pytest.approx(0.54)
    assert round(sa.kappa(two).value, 4) == 0.3478
    assert sa.bias(two).value == pytest.approx(0.005)
    assert round(sa.kappa(table(alice, bill, alice, bill)).expected, 5) == 0.54333
    assert round(sa.kappa(table(*[alice, bill] * 3)).expected, 3) == 0.544


def test_sandwiches():
    """Siegel 2018: R 400/550 and 450/600, specific agreement .842 and .857; the lowest is named."""
    sandwich = [[2, 0]] * 400 + [[1, 1]] * 150 + [[0, 2]] * 450
    found = sa.category_agreement(sa.LabelTable.from_counts(sandwich, ["without", "with"]))
    assert {name: of.value for name, of in found.items()} == {
        "with": 450 / 600,
        "without": 400 / 550,
    }
    assert [round(found[name].specific, 3) for name in ("without", "with")] == [0.842, 0.857]
    assert found.lowest == "without"


FROZEN = json.loads((GOLDEN / "coefficients.json").read_text())


@pytest.mark.parametrize("case", FROZEN["cases"], ids=lambda c: f"{len(c['labels'])} items")
@pytest.mark.parametrize("program", FROZEN["versions"])
def test_other_programs(case, program):
    """nltk, statsmodels, krippendorff and irrCAC on random tables, complete and with gaps."""
    rows = [
        (i, a, label if label >= 0 else None)
        for i, row in enumerate(case["labels"])
        for a, label in enumerate(row)
    ]
    labels = sa.LabelTable.from_rows(rows, categories=range(case["categories"]))
    complete = all(label >= 0 for row in case["labels"] for label in row)
    assert (program in case["values"]) == (complete or program in ("krippendorff", "irrCAC"))
    for name, value in case["values"].get(program, {}).items():
        assert COEFFICIENTS[name](labels).value == pytest.approx(value, abs=1e-13)


# --- what must hold -----------------------------------------------------------------------------


@given(tables(complete=True))
def test_complete_tables(annotators):
    """Complete: SPA flat is A_o of π, π ≤ κ, B = Σ variances/(c − 1), corrected SPA is π."""
    t = table(*annotators)
    pi, kappa, bias = sa.pi(t), sa.kappa(t), sa.bias(t)
    flat = sa.spa(t, "flat")
    assert flat.value == pytest.approx(pi.observed, abs=1e-14)
    assert bias.value == pytest.approx(pi.expected - kappa.expected, abs=1e-14)
    shares = [[labels.count(c) / len(labels) for c in t.labels] for labels in annotators]
    variance = np.var(shares, axis=0)
    assert bias.value == pytest.approx(variance.sum() / (len(annotators) - 1), abs=1e-14)
    assert bias.value >= -1e-15
    assert sum(bias.by_annotator.values()) == pytest.approx(bias.value, abs=1e-14)
    terms = [of.value for of in bias.by_category.values()]
    assert terms == pytest.approx((variance / (len(annotators) - 1)).tolist(), abs=1e-14)
    if not math.isnan(kappa.value):
        assert math.isnan(pi.value) or pi.value <= kappa.value + 1e-12
    for weights in WEIGHTS:
        assert sa.spa(t, weights).corrected == pytest.approx(pi.value, abs=1e-10, nan_ok=True)


@given(tables())
def test_annotations_weights_are_alphas(annotators):
    """SPA weighted by annotations is 1 − D_o of α (SPA, Eq. 6), with gaps too."""
    t = table(*annotators)
    ours = sa.spa(t, "annotations").value
    assert ours == pytest.approx(sa.alpha(t).observed, abs=1e-14, nan_ok=True)


@given(tables())
def test_flat_is_the_observed_agreement(annotators):
    """SPA flat is A_o of π, κ and AC1, with gaps too."""
    t = table(*annotators)
    assert sa.spa(t, "flat").value == pytest.approx(sa.pi(t).observed, abs=1e-14, nan_ok=True)


@given(tables(), st.randoms(use_true_random=False))
def test_order_changes_nothing(annotators, random):
    """Rows in any order, annotators renamed: the same digits."""
    rows = [(i, a, label) for a, labels in enumerate(annotators) for i, label in enumerate(labels)]
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (sa.LabelTable.from_rows(r) for r in (rows, shuffled))
    for of in (*COEFFICIENTS.values(), sa.bias, sa.spa):
        ours, theirs = of(one), of(other)
        for figure, value in ours.figures().items():
            assert repr(value) == repr(theirs.figures()[figure]), (of, figure)


@given(tables())
def test_counts_give_the_same(annotators):
    """A table of counts gives the same π, α, AC1, SPA and agreement by category."""
    t = table(*annotators)
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    counts = sa.LabelTable.from_counts([[i.count(c) for c in t.labels] for i in items], t.labels)
    for of in (sa.pi, sa.alpha, sa.ac1, sa.spa):
        assert repr(of(counts).figures()) == repr(of(t).figures())
    assert (
        repr(sa.category_agreement(counts)["X"].figures())
        == repr(sa.category_agreement(t)["X"].figures())
        if "X" in t.labels
        else True
    )
    for of in (sa.kappa, sa.bias):
        assert of(counts).reason in (
            "a table of counts does not say who gave which label", "no item has two labels",
        )  # fmt: skip


@given(tables())
def test_category_agreement_by_hand(annotators):
    """R and specific agreement equal counts over all pairs of labels of an item."""
    t = table(*annotators)
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    pairs = [pair for item in items for pair in itertools.combinations(item, 2)]
    for name, of in sa.category_agreement(t).items():
        both = sum(a == b == name for a, b in pairs)
        either = sum(name in pair for pair in pairs)
        assert (of.agreements, of.potential) == (both, either)
        if either:
            assert of.value == both / either
            assert of.specific == pytest.approx(2 * of.value / (1 + of.value))
        else:
            assert math.isnan(of.value)
            assert of.reason


@given(tables())
def test_category_agreement_by_chance(annotators):
    """The observed figure is R; the expected one is enumerated: two labels drawn from those in pairs."""
    t = table(*annotators)
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    drawn = [c for item in items for c in item for _ in item[1:]]  # each label in each of its pairs
    for name, of in sa.category_agreement(t).items():
        assert of.observed == of.value or (math.isnan(of.observed) and math.isnan(of.value))
        both = sum(a == b == name for a in drawn for b in drawn)
        either = sum(name in (a, b) for a in drawn for b in drawn)
        if either:
            assert of.expected == pytest.approx(both / either)
        else:
            assert of.expected == 0 or not drawn


def test_category_agreement_of_gaps():
    """Items that not all labelled count unless asked otherwise; a reason stands where nothing is defined."""
    t = table("XYZX", "XX  ", "X  Y")
    found = sa.category_agreement(t)
    assert {name: of.given for name, of in found.items()} == {"X": 5, "Y": 2, "Z": 1}
    assert {name: of.reason for name, of in found.items()} == {"X": "", "Y": "", "Z": "in no pair of labels"}  # fmt: skip
    assert found["X"].expected == pytest.approx(
        0.8 / 1.2
    )  # 8 of 10 labels, each in each of its pairs
    assert found["Z"].expected == 0
    assert {row["signature"] for row in found.to_rows()} == {found["X"].signature}
    assert sa.category_agreement(t, complete_only=True)["X"].given == 3


@given(tables())
def test_edges_by_category_is_specific_agreement(annotators):
    """SPA by category with edges as weights is Uebersax's specific agreement."""
    t = table(*annotators)
    specific = sa.category_agreement(t)
    for name, of in sa.spa(t, "edges").by_category.items():
        assert of.value == pytest.approx(specific[name].specific, abs=1e-14, nan_ok=True)


@pytest.mark.long
@given(tables())
def test_labellers(annotators):
    """Each annotator's labels, pairs and agreement with others, by hand."""
    t = table(*annotators)
    for a, labels in enumerate(annotators):
        others = [o for b, o in enumerate(annotators) if b != a]
        pairs = [
            (x, o[i]) for i, x in enumerate(labels) for o in others if x != " " and o[i] != " "
        ]
        of = sa.coefficients(t).annotators[f"a{a}"]
        assert (of.labels, of.pairs) == (len(labels.replace(" ", "")), len(pairs))
        if pairs:
            assert of.agreement == sum(x == y for x, y in pairs) / len(pairs)
        else:
            assert math.isnan(of.agreement)


# --- undefined ----------------------------------------------------------------------------------


def test_one_label_throughout():
    """One label: π, κ, α undefined, SPA and R 1, bias 0; AC1 1 once a second category is declared."""
    t = table("XXX", "XXX")
    for of in (sa.pi, sa.kappa, sa.alpha):
        assert math.isnan(of(t).value)
        assert of(t).reason == "chance alone gives 1"
    assert sa.spa(t).value == 1
    assert sa.spa(t).reason == "corrected: chance alone gives 1"
    assert math.isnan(sa.spa(t).corrected)
    assert math.isnan(sa.spa(t).jackknife)
    assert sa.category_agreement(t)["X"].value == 1
    assert sa.bias(t).value == 0
    assert sa.ac1(t).reason == "one category; AC1 needs to know of a second"
    assert sa.ac1(table("XXX", "XXX", categories=["X", "Y"])).value == 1


@pytest.mark.parametrize("of", [*COEFFICIENTS.values(), sa.bias, sa.spa])
def test_no_pairs_reason(of):
    """One annotator, no shared item, no label at all: undefined, with the reason."""
    for t, said in (
        (table("XY"), "1 annotator; agreement needs two"),
        (table("X ", " Y"), "no item has two labels"),
        (table("  ", "  "), "0 annotators; agreement needs two"),
        (sa.LabelTable.from_rows([]), "0 annotators; agreement needs two"),
    ):
        found = of(t)
        assert math.isnan(found.value)
        assert found.reason == said
        row = found.to_dict()["tables"]["coefficients"][0]
        assert row["value"] is None
        assert row["undefined"] == said
    counts = sa.LabelTable.from_counts([[1, 0]], ["X", "Y"])
    assert of(counts).reason in (
        "no item has two labels", "a table of counts does not say who gave which label",
    )  # fmt: skip


def test_category_that_nobody_compares():
    """A category in no pair of labels has no agreement; without any pair none is the lowest."""
    found = sa.category_agreement(table("XY", "X "))
    assert found["Y"].reason == "in no pair of labels"
    assert found.lowest == "X"
    assert sa.category_agreement(table("XY")).lowest is None


def test_large_counts():
    """The largest counts are exact: pairs of a billion labels are whole numbers."""
    n = 2**30 - 1
    found = sa.category_agreement(sa.LabelTable.from_counts([[n, n]], ["X", "Y"]))
    assert found["X"].agreements == n * (n - 1) // 2
    assert found["X"].potential == n * (n - 1) // 2 + n * n
    t = sa.LabelTable.from_counts([[n, n]], ["X", "Y"])
    assert sa.spa(t).value == pytest.approx((n - 1) / (2 * n - 1))
    assert sa.pi(t).counts.pairs == n * (2 * n - 1)


def test_data_frames():
    """A data frame of three columns is read as rows; what pandas has for missing is missing."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"item": [1, 1, 2], "who": ["a", "b", "a"], "label": ["x", pandas.NA, pandas.NaT]}
    )
    t = sa.LabelTable.from_rows(frame)
    assert (t.size, t.annotators, t.labels) == (2, ("a", "b"), ("x",))
    assert t.notes == ("2 blank labels counted as missing",)


def test_no_table():
    """What is no table is refused by name, whatever the coefficient."""
    said = (
        "str; a LabelTable is needed: LabelTable.from_rows, read_labels and token_labels make one"
    )
    for of in (*COEFFICIENTS.values(), sa.bias, sa.spa, sa.category_agreement, sa.coefficients):
        with pytest.raises(sa.InputError, match=f"^{said}$"):
            of("labels.csv")


def test_results_are_frozen_and_equal():
    """Results cannot be changed, and the same table gives equal ones."""
    t = table("XYX", "XXX")
    found = sa.category_agreement(t)
    with pytest.raises(AttributeError):
        found.by_name = {}
    assert found == sa.category_agreement(t)
    assert sa.coefficients(t) == sa.coefficients(t)
    assert found.to_dict()["summary"]["lowest"] == "Y"
    assert [row["category"] for row in found.to_rows()] == ["X", "Y"]
    assert {name: of.given for name, of in found.items()} == {"X": 5, "Y": 1}


def test_undefined_parts_say_why():
    """The jackknife, an annotator alone, and nothing complete: each is said below the table."""
    t = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "x"), (2, "a", "x"), (2, "b", "y"), (3, "c", "x")])  # fmt: skip
    result = sa.coefficients(t)
    assert (
        result.spa.jackknife_reason == "without one of the items nothing, or chance alone, is left"
    )
    assert f"jackknife undefined: {result.spa.jackknife_reason}" in result.table().remarks
    assert "–: agreement undefined: no label of another on the same items" in result.table("annotator").remarks  # fmt: skip
    single = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "x"), (2, "a", "y")])
    by_category = sa.coefficients(single).table("category").remarks
    assert "–: agreement undefined: in no pair of labels" in by_category
    nobody = sa.coefficients(t, complete_only=True)
    assert nobody.pi.reason == nobody.spa.reason == "no item was labelled by all annotators"
    one = sa.coefficients(table("XX", "XX")).table().remarks
    assert "SPA corrected undefined: chance alone gives 1" in one
    tied = sa.coefficients(table("XY", "YX")).table().remarks
    assert tied[0] == "lowest agreement by category: X, 0.000 (0 of 2 pairs in which one chose it), and 1 more as low"  # fmt: skip


def test_complete_only():
    """Only the items that all labelled count; the setting stands in the signature."""
    t = table("XYX", "XX ", "XYX")
    assert sa.pi(t, complete_only=True).value == sa.pi(table("XY", "XX", "XY")).value
    assert sa.pi(t, complete_only=True).counts.items == 2
    assert "|complete_only:yes|" in sa.pi(t, complete_only=True).signature
    assert "complete_only" not in sa.pi(t).signature
    # where every annotator labelled every item it changes nothing
    assert "complete_only" not in sa.pi(table("XY", "XX", "XX"), complete_only=True).signature
    counts = sa.LabelTable.from_counts([[2, 1], [1, 0], [3, 0]], ["X", "Y"])
    assert sa.alpha(counts, complete_only=True).counts.items == 2


def test_counts():
    """Every number carries its counts: items, compared, annotators, labels, pairs, categories."""
    t = table("XYX ", "XX  ", "X   ")
    assert sa.pi(t).counts == Counts(3, 2, 3, 6, 4, 2)
    assert sa.LabelTable.from_counts([[2, 0]], ["X", "Y"]).annotators == ()
    assert sa.pi(sa.LabelTable.from_counts([[2, 0]], ["X", "Y"])).counts.annotators is None


def test_repeats():
    """A rating repeated is no agreement with herself; another label is an error, or the first counts."""
    rows = [(1, "ann", "x"), (1, "ann", "x"), (1, "bob", "y")]
    t = sa.LabelTable.from_rows(rows)
    assert sa.spa(t).value == 0
    assert t.notes == ("1 repeated label by the same annotator counted once",)
    assert t.reading == {"items": "labels"}  # settings that are the usual ones are not named
    rows += [(1, "bob", "x"), (2, "bob", "y")]
    said = "item '1', annotator 'bob': labelled twice, 'y' and 'x'; --duplicates first (duplicates='first') keeps the first"
    with refuses(sa.InputError, said):
        sa.LabelTable.from_rows(rows)
    t = sa.LabelTable.from_rows(rows, duplicates="first")
    assert sa.spa(t).value == 0
    assert t.notes[1] == "1 later label of the same item and annotator left out (duplicates first)"
    assert "|duplicates:first|" in sa.spa(t).signature
    with pytest.raises(sa.SettingError, match="unknown duplicates 'x'; allowed: error, first"):
        sa.LabelTable.from_rows(rows, duplicates="x")


def test_labels_are_text():
    """1, 1.0, "1", "1.0" and NumPy's are one label; what was written otherwise is noted."""
    labels = [1, 1.0, "1", " 1.0 ", np.int64(1), np.float64(1), 1.5, True, "x"]
    t = sa.LabelTable.from_rows((1, a, label) for a, label in enumerate(labels))
    assert t.labels == ("1", "1.5", "True", "x")
    assert t.counts.given.tolist() == [[6, 1, 1, 1]]
    assert t.notes == ("1 numeric label such as '1.0' read as '1'",)
    blank = sa.LabelTable.from_rows(
        [(1, "a", None), (1, "b", math.nan), (1, "c", " "), (1, "d", 0)]
    )
    assert blank.notes == ("3 blank labels counted as missing",)
    assert blank.counts.given.tolist() == [[1]]


def test_labels_that_are_arrays():
    """An array is a label by what it is written as, as any other object is."""
    table = sa.LabelTable.from_rows([(1, "a", np.array([1, 2])), (1, "b", "[1 2]")])
    assert (table.labels, table.notes) == (("[1 2]",), ())


def test_bad_rows():
    """A missing name, an unknown label, rows of another width: each is said, with the value."""
    for rows, options, said in (
        ([("", "a", "x")], {}, "the item is missing; every label needs one"),
        ([("i", None, "x")], {}, "the annotator is missing; every label needs one"),
        ([("i", "a", "x")], {"categories": ["y", "z"]}, "unknown label 'x'; the categories are: y, z"),
        ([("i", "a", "x")], {"categories": ["", "z"]}, "category ''; a name is needed"),
        ([("i", "a")], {}, "row 1: ('i', 'a'); item, annotator and label of each are needed"),
        ([("i", "a", "x"), "iax"], {}, "row 2: 'iax'; item, annotator and label of each are needed"),
        ([{"item": 1}], {}, "row 1: {'item': 1}; item, annotator and label of each are needed"),
        (None, {}, "None; a list is needed"),
        (np.array(5), {}, "array(5); a list is needed"),
        ([np.array(5)], {}, "row 1: array(5); item, annotator and label of each are needed"),
        ([("i", "a", 10**5000)], {}, "a number of thousands of digits is not a label; give a shorter one"),
        ([("i", "a", "x")], {"categories": ["y\nz"]}, "unknown label 'x'; the categories are: y\\nz"),
    ):  # fmt: skip
        with refuses(sa.InputError, said):
            sa.LabelTable.from_rows(rows, **options)
    for counts, items, said in (
        ([[1, -1]], None, "item '1': count -1; a whole number from 0 is needed for each of 2 categories"),
        ([[1, True]], ["q"], "item 'q': count True; a whole number from 0 is needed for each of 2 categories"),
        ([[1]], None, "item '1': 1 count; a whole number from 0 is needed for each of 2 categories"),
        ([[1, 1]], ["q", "r"], "2 names of items for 1 row; each needs one"),
        ([[1, 1], [1, 1]], ["q", "q"], "item 'q' stands twice; each needs a name"),
        ([1, 2], None, "1; a list is needed"),
        ([[2**30, 2**30]], None, "2147483648 labels; a table holds at most 2147483647"),
        ([[10**5000, 1]], None, "<int> labels; a table holds at most 2147483647"),
        ([[10**30, 1]], None, f"{10**30 + 1} labels; a table holds at most 2147483647"),
    ):  # fmt: skip
        with refuses(sa.InputError, said):
            sa.LabelTable.from_counts(counts, ["x", "y"], items=items)
    with pytest.raises(sa.InputError, match="category 'x' stands twice; each needs a name"):
        sa.LabelTable.from_counts([[1, 1]], ["x", "x"])


# --- tokens of span corpora ---------------------------------------------------------------------


def test_token_labels():
    """A token is its segment's type or O, missing where the document was not seen."""
    layers = {"ann": [[(1, 3, "PER")], []], "bob": [[(1, 2, "PER"), (3, 4, "LOC")], None]}
    t = sa.token_labels(sa.Corpus.from_segments([4, 2], layers))
    columns = (t.item.tolist(), t.annotator.tolist(), t.label.tolist())
    found = [[None] * 2 for _ in range(t.size)]
    for item, annotator, label in zip(*columns, strict=True):
        found[item][annotator] = t.labels[label]
    assert found == [
        ["O", "O"], ["PER", "PER"], ["PER", "O"], ["O", "LOC"], ["O", None], ["O", None],
    ]  # fmt: skip
    assert sa.pi(t).counts == Counts(6, 4, 2, 10, 4, 3)


def test_token_labels_without_those_outside():
    """Tokens that all who saw them call O are left out; one that a single annotator marked stays."""
    layers = {"ann": [[(1, 3, "PER")], []], "bob": [[(1, 2, "PER")], None]}
    corpus = sa.Corpus.from_segments([4, 2], layers)
    t = sa.token_labels(corpus, skip_outside=True)
    assert t.size == 2
    assert [t.name_of(i) for i in range(2)] == ["2", "3"]
    assert "|outside:skipped|" in sa.pi(t).signature
    assert "|outside:kept|" in sa.pi(sa.token_labels(corpus)).signature


@pytest.mark.long
@given(tables())
def test_token_labels_are_tables(annotators):
    """One document of one token for each item gives the table of its labels; O where unmarked."""
    lengths = [1] * len(annotators[0])
    layers = {
        f"a{a}": [{" ": None, "Z": []}.get(c, [(0, 1, c)]) for c in labels]
        for a, labels in enumerate(annotators)
    }
    t = sa.token_labels(sa.Corpus.from_segments(lengths, layers))
    other = table(*(labels.replace("Z", "O") for labels in annotators), categories=t.labels)
    for of in (*COEFFICIENTS.values(), sa.bias, sa.spa):
        assert repr(of(t).figures()) == repr(of(other).figures())


def test_tokens_of_two_labels():
    """A token takes one label: the first that would have two is named; equal labels are no clash."""
    corpus = sa.Corpus.from_segments([5], {"a": [[(0, 3, "X"), (2, 4, "Y")]]}, ids=["d"])
    said = "annotator 'a', document 'd': token 2 has two labels, 'X' and 'Y' … --by label"
    with refuses(sa.InputError, said):
        sa.token_labels(corpus)
    second = sa.Corpus.from_segments([7, 5], {"a": [[(6, 7, "X")], [(0, 3, "X"), (2, 4, "Y")]]}, ids=["c", "d"])  # fmt: skip
    with refuses(sa.InputError, said):
        sa.token_labels(second)
    with refuses(sa.InputError, f"part 1: {said}"):
        sa.token_labels([second])  # items are runs of tokens, and errors name tokens
    same = sa.Corpus.from_segments([5], {"a": [[(0, 3, "X"), (2, 4, "X")]]})
    assert sa.token_labels(same).counts.given.tolist() == [[1, 4]]
    with pytest.raises(sa.InputError, match="a label of the corpus is called 'O'"):
        sa.token_labels(sa.Corpus.from_segments([5], {"a": [[(0, 3, "O")]]}))


# --- results ------------------------------------------------------------------------------------


@given(tables())
def test_results_are_plain_data(annotators):
    """to_dict is strict JSON and to_rows has the same keys in every row, whatever is undefined."""
    result = sa.coefficients(table(*annotators))
    json.dumps(result.to_dict(), allow_nan=False)
    for by in (None, "category", "annotator"):
        rows = result.to_rows(by)
        assert len({tuple(row) for row in rows}) <= 1
    for of in (*result.all, *result.categories.values()):
        json.dumps(of.to_dict(), allow_nan=False)
        assert len({tuple(row) for row in of.to_rows()}) == 1
    with pytest.raises(sa.SettingError, match="unknown by 'x'; allowed: category, annotator"):
        result.to_rows("x")


def test_runs_of_tokens_cost_what_segments_do():
    """A recording of 10¹² units has π of its runs: two annotators, a third of it each, a sixth shared.

    Shares of X are a third each, so 1 − 2/6 of the labels agree and (1/3)² + (2/3)² is expected.
    """
    n = 6 * 10**11
    layers = {"a": [[(0, 2 * n // 6, "X")]], "b": [[(n // 6, 3 * n // 6, "X")]]}
    corpus = sa.Corpus.from_segments([n], layers)
    score = sa.labels.pi(label_tokens(corpus, skip_outside=False, runs=True))
    assert score.observed == pytest.approx(2 / 3, abs=1e-12)
    assert score.expected == pytest.approx(5 / 9, abs=1e-12)


def test_coefficients_as_a_table(monkeypatch):
    """Names and their meanings, kinds of columns, the caption, and what is drawn: by hand."""
    labels = table("xyxxyx", "xyyxxx")
    result = sa.coefficients(labels)
    shown = result.table()
    names = ["SPA corrected", "SPA corrected, jackknife", *SIGNS[1:-1]]  # SPA is first, B last
    assert [row[0] for row in shown.rows] == ["SPA", *names, "B", "bias B"]
    assert [*shown.meanings] == ["SPA", *names, "bias B", "lowest agreement by category"]
    assert [row[0] for row in DisplayTable.from_frame(shown).rows] == ["SPA", *names, "bias B"]
    assert {len(row) for row in shown.rows} == {len(shown.columns)}
    empty = next(i for i, column in enumerate(shown.columns) if column.title == "observed")
    blank = [row[0] for row in shown.rows if row[empty : empty + 2] == ["", ""]]
    assert blank == ["SPA corrected, jackknife", "bias B"]
    assert [row["coefficient"] for row in result.to_rows()] == SIGNS
    counts = sa.LabelTable.from_counts([[2, 0], [1, 1]], ["x", "y"])
    for each, who in ((labels, "2 annotators"), (counts, "annotators unnamed")):
        assert sa.coefficients(each).table().caption.startswith(f"{who}, ")
    kinds = {column.key: column.kind for column in result.pi.table().columns if column.in_data}
    assert kinds == {
        **dict.fromkeys(("coefficient", "category"), "name"),
        **dict.fromkeys(("value", "observed", "expected"), "figure"),
        **dict.fromkeys(Counts._fields, "count"),
    }
    drawn = []
    monkeypatch.setattr(summary_table, "plot_dots", lambda rows, *more: drawn.extend(rows))
    with_ends = sa.coefficients(labels, ci=sa.Jackknife())
    for each in (result, with_ends):
        each.picture()
    assert [name for name, _ in drawn] == SHARES * 2
    (point,) = drawn[len(SHARES) + 1][1]
    assert point == (with_ends.pi.value, *with_ends.pi.interval.corrected)
    (point,) = drawn[1][1]
    assert point[0] == result.pi.value
    assert np.isnan(point[1:]).all()
    asked = []
    monkeypatch.setattr(summary_table, "plot_dots", lambda *picture: asked.append(picture[:2]))
    result.picture("category")
    ((rows, kinds),) = asked
    assert kinds == SHARES  # each that has categories; B is on another scale
    assert [[value for value, *_ in points] for _, points in rows] == [
        [part.by_category[category].value for part in result.all if part.name != "B"]
        for category in result.categories
    ]


def test_picture_of_one(monkeypatch):
    """The interval that is drawn is that of the value: of π and B what is above chance, of SPA not."""
    drawn = []
    monkeypatch.setattr(coefficient_table, "plot_dots", lambda rows, *more: drawn.append(rows[0]))
    result = sa.coefficients(table("xyxxyxyyxx", "xyyxxxxxxx"), ci=sa.Jackknife())
    of_each = (result.pi, "corrected"), (result.spa, "observed"), (result.bias, "corrected")
    for part, kind in of_each:
        part.picture()
        assert drawn.pop() == (part.name, [(part.value, *getattr(part.interval, kind))])
    low, high = result.bias.interval.corrected
    assert low <= result.bias.value <= high < result.bias.interval.observed[0]


def test_defaults_of_coefficients():
    """No interval unless asked for, one of 95 % if it is; shown are the figures, not what is behind them."""
    labels = table("xyxxyx", "xyyxxx")
    result = sa.coefficients(labels)
    assert (result.settings.ci, result.pi.interval, result.settings.complete_only) == (None,) * 3
    assert sa.coefficients(labels, ci=sa.Jackknife()).settings.ci == "jackknife-t95"
    for part in result.all:
        for hidden in ("settings", "notes", "units", "evidence", "by_category"):
            assert f"{hidden}=" not in repr(part)


def test_what_a_coefficient_rests_on():
    """Two items of a table, two documents of a corpus: the caveat says which."""
    layer = [[(0, 1, "X")]] * 2
    corpus = sa.Corpus.from_segments([9, 9], {"a": layer, "b": layer})
    for labels, what in ((table("xy", "xx"), "items"), (sa.token_labels(corpus), "documents")):
        assert sa.pi(labels).caveats[0].startswith(f"π: only 2 {what} with anything to compare")


def test_parts_as_tables():
    """By category and by annotator: each column by its key or title, by hand.

    Of x 3 of 5 pairs in which one chose it agree, of y 1 of 3; specific are 6 of 8 labels and 2 of 4.
    """
    result = sa.coefficients(table("xyxxyx", "xyyxxx"))
    by_category = result.table("category")
    assert [(c.key, c.title, c.kind) for c in by_category.columns] == [
        ("category", "", "name"), ("average", "", "name"), ("", "category", "name"),
        ("agreement", "agreement", "figure"), ("", "", "interval"),
        ("specific", "specific", "figure"), ("agreements", "", "count"), ("potential", "", "count"),
        ("labels", "", "count"), *((n, n, "figure") for n in SIGNS),
        ("", "both", "count"), ("", "either", "count"), ("interval", "", "json"),
    ]  # fmt: skip
    hand = {"x": (3 / 5, 6 / 8, 3, 5, 8), "y": (1 / 3, 2 / 4, 1, 3, 4)}
    for row, (label, figures) in zip(by_category.rows, hand.items(), strict=False):
        assert row[:3] == [label, "", label]
        assert [row[3], *row[5:9]] == pytest.approx(figures)
        assert row[9:15] == [whole.by_category[label].value for whole in result.all]
        assert row[15:17] == list(figures[2:4])
    mean, median = by_category.rows[2:]
    for name, row in (("mean", mean), ("median", median)):  # of two, both are the same
        assert row[:3] == ["", name, name]
        assert [row[3], row[5]] == pytest.approx([(3 / 5 + 1 / 3) / 2, (6 / 8 + 2 / 4) / 2])
    assert by_category.remarks[0] == "lowest agreement by category: y, 0.333 (1 of 3 pairs in which one chose it)"  # fmt: skip
    by_annotator = result.table("annotator")
    assert [(c.key, c.kind) for c in by_annotator.columns] == [
        ("annotator", "name"), ("labels", "count"), ("pairs", "count"), ("agreement", "figure"),
        ("share_of_bias", "figure"),
    ]  # fmt: skip
    assert set(result.bias.by_annotator.values()) == {0}  # both gave the same labels as often
    for name, row in zip(("a0", "a1"), by_annotator.rows, strict=True):
        assert row[:4] == [name, 6, 6, pytest.approx(4 / 6)]
        assert np.isnan(row[4])
    assert "–: share of bias undefined: there is none to share" in by_annotator.remarks
    assert not any("lowest" in remark for remark in by_annotator.remarks)
    assert "lowest agreement by category" not in by_annotator.meanings
    counts = sa.coefficients(sa.LabelTable.from_counts([[2, 0], [1, 1]], ["x", "y"]))
    said = "no rows: a table of counts does not say who gave which label"
    assert counts.table("annotator").remarks[0] == said
    assert counts.table("annotator").rows == []


def test_coefficients_by_category_as_data():
    """The JSON of one coefficient has it for each category too; one category is not called categories."""
    pi = sa.pi(table("xyxxyx", "xyyxxx"))
    rows = pi.to_dict()["tables"]["coefficients"]
    assert [row["category"] for row in rows] == ["", "x", "y"]
    assert [row["value"] for row in rows[1:]] == [part.value for part in pi.by_category.values()]
    one = sa.coefficients(table("xx", "xx")).table()
    assert one.caption.endswith(" 1 category")
    two = sa.coefficients(table("xy", "yx"))
    assert two.table().caption.endswith(" 2 categories")
    spare = [column.title for column in two.table("category").columns if column.spare]
    assert spare == ["both", "either"]


def test_shares_of_bias_add_up():
    """Each share is a part of what annotators differ by; they were parts of B, 0.0000 for all."""
    rows = [("i", "a", "x"), ("i", "b", "x"), ("j", "a", "y"), ("j", "b", "x"), ("j", "c", "x")]
    result = sa.coefficients(sa.LabelTable.from_rows(rows))
    shares = [row[-1] for row in result.table("annotator").rows]
    assert sum(shares) == pytest.approx(1)
    of_bias = [*result.bias.by_annotator.values()]
    assert shares == pytest.approx([each / sum(of_bias) for each in of_bias])


def test_options_that_are_misspelt():
    """An option that no coefficient takes is refused by its name."""
    table = sa.LabelTable.from_rows([("1", "a", "X"), ("1", "b", "X")])
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'ordr'.* order"):
        sa.labels.kappa(table, ordr=["X"])


# --- intervals ----------------------------------------------------------------------------------


@given(tables())
def test_equal_items_are_left_out_once(annotators):
    """Each distinct item, with its number, changes the figures as all items by themselves do."""
    labels = table(*annotators)
    assume(labels.labels and len(labels.annotators) > 1)  # else no figure is asked for
    weights = np.ones(labels.size)
    units = build_unit_table(labels, weights)
    rows, times = _find_distinct_rows(units)
    sizes = {"n_categories": len(labels.labels), "n_annotators": len(labels.annotators)}
    statistic = functools.partial(formulas.compute_all_figures, **sizes)
    once = compute_moments(rows, statistic, times=times)
    each = compute_moments(units.toarray(), statistic)
    assert times.sum() == labels.size
    assert len({row.tobytes() for row in rows}) == len(rows)
    for of_rows, of_items in zip(once, each, strict=True):
        assert np.allclose(of_rows, of_items, rtol=1e-9, atol=1e-12, equal_nan=True)


def test_intervals_ask_equal_questions_once(monkeypatch):
    """A thousand items of three kinds are three rows, of coefficients and of categories."""
    asked = []

    def recorded(function):
        def figures(columns, *arguments, **options):
            asked.append(len(columns))
            return function(columns, *arguments, **options)

        return figures

    for name in ("compute_all_figures", "compute_agreement_figures"):
        monkeypatch.setattr(formulas, name, recorded(getattr(formulas, name)))
    sa.coefficients(table("XYX" * 400, "XYY" * 400), ci=True)
    assert max(asked) == 3


@pytest.mark.parametrize("ci", [False, True])
def test_one_coefficient_in_every_form(ci):
    """A coefficient by itself is shown with its interval, and with what it was computed with."""
    rows = [(i, who, "xy"[i * (1 + k) % 3 == 0]) for i in range(12) for k, who in enumerate("abc")]
    result = sa.coefficients(sa.LabelTable.from_rows(rows), ci=ci)
    for one in (result.alpha, result.spa, result.bias, result.kappa):
        shown = [str(one), one.to_markdown(), one._repr_html_()]
        assert all(("interval" in text) is ci and "value" in text for text in shown)
        assert (r"& 95 \% CI &" in one.to_latex()) is ci
        assert ("ci:jackknife-t95" in one.signature) is ci
        assert repr(one).startswith(f"<{type(one).__name__}: {one.name}: value ")
    low, high = result.alpha.interval.corrected if ci else (math.nan, math.nan)
    assert (f"{low:.3f}–{high:.3f}" in str(result.alpha)) is ci
