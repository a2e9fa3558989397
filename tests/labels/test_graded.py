"""Grades and sets as labels: print, other programs, enumeration, resamples, parts, refusals."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import shares

import spanagree as sa
from spanagree.labels import formulas
from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS, choose_weights
from spanagree.labels.chance_corrected import CoefficientInputs
from spanagree.labels.formulas import compute_agreement_figures
from spanagree.labels.intervals import build_unit_table

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "coefficients.json").read_text())
COEFFICIENTS = {"pi": sa.pi, "kappa": sa.kappa, "alpha": sa.alpha, "ac1": sa.ac1}
KINDS = [{"measurement": name} for name in MEASUREMENTS] + [
    {"category_weights": name} for name in CATEGORY_WEIGHTS
]


def table(*annotators, **options):
    """A table from a string of labels for each annotator; a space is a missing label."""
    return sa.LabelTable.from_rows(
        [
            (i, f"a{a}", label.strip())
            for a, labels in enumerate(annotators)
            for i, label in enumerate(labels)
        ],
        **options,
    )


def test_krippendorff_prints():
    """Krippendorff 2011, four observers and twelve units: .743, .815, .849, .797."""
    four = table("123321412   ", "1233224125 3", " 3332342251 ", "12332441251 ")
    shown = {kind: round(sa.alpha(four, measurement=kind).value, 3) for kind in MEASUREMENTS}
    assert shown == {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}


def test_a_ratio_has_no_unit():
    """Theory: grades of which each is an eighth of another's have the same distances."""
    grades = table("123321412   ", "1233224125 3", " 3332342251 ", "12332441251 ")
    eighths = sa.LabelTable.from_rows(
        (item, grades.annotators[who], str(int(grades.labels[label]) / 8))
        for item, who, label in zip(grades.item, grades.annotator, grades.label, strict=True)
    )
    one, other = (sa.alpha(each, measurement="ratio").value for each in (grades, eighths))
    assert one == pytest.approx(other, abs=1e-12)


def test_a_category_without_a_pair():
    """It changes neither the mean over categories nor their median."""
    with_it = compute_agreement_figures(np.array([[2, 0, 1, 4, 0, 2]]))
    assert (
        with_it[0, -6:].tolist()
        == compute_agreement_figures(np.array([[2, 1, 4, 2]]))[0, -6:].tolist()
    )


@pytest.mark.parametrize("case", GOLDEN["graded"], ids=lambda c: f"{len(c['labels'])} items")
def test_other_programs(case):
    """krippendorff's α and irrCAC's four with weights, on random grades, complete and with gaps."""
    rows = [
        (i, a, label if label > 0 else None)
        for i, row in enumerate(case["labels"])
        for a, label in enumerate(row)
    ]
    labels = sa.LabelTable.from_rows(rows, categories=range(1, case["categories"] + 1))
    compared = 0
    for kind, values in case["values"].items():
        _, weights, name = kind.rpartition("weights ")
        how = {"category_weights" if weights else "measurement": name}
        for coefficient, value in values.items():
            ours = COEFFICIENTS[coefficient](labels, **how)
            assert ours.value == pytest.approx(value, abs=1e-12), (kind, coefficient)
            compared += 1
    assert compared == 19


@pytest.mark.parametrize("case", GOLDEN["sets"], ids=["one", "other"])
def test_sets_as_nltk(case):
    """α with Jaccard and MASI as distances, as nltk gives it."""
    rows = [(i, a, x) for i, row in enumerate(case["labels"]) for a, x in enumerate(row)]
    for weights, value in case["values"].items():
        ours = sa.alpha(sa.LabelTable.from_rows(rows), category_weights=weights)
        assert ours.value == pytest.approx(value, abs=1e-13)


# --- by hand, in fractions ----------------------------------------------------------------------


def weight(name, a, b, categories):
    """The weight of two grades, in fractions, as it is defined."""
    a, b, grades = int(a), int(b), sorted(map(int, categories))
    wide, q = max(grades[-1] - grades[0], 1), len(grades)
    m = abs(grades.index(a) - grades.index(b))
    apart = {
        "identity": Fraction(a != b),
        "linear": Fraction(abs(a - b), wide),
        "quadratic": Fraction((a - b) ** 2, wide**2),
        "ordinal": Fraction(m * (m + 1), max(q * (q - 1), 1)),
    }
    return 1 - apart[name]


def by_hand(annotators, categories, name):
    """π, κ, α, AC2 and flat SPA in fractions, straight from the definitions, pair by pair."""
    w = {(a, b): weight(name, a, b, categories) for a in categories for b in categories}
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    two = [i for i in items if len(i) > 1]
    if not two:
        return {}
    agreed = [sum(w[p] for p in itertools.permutations(i, 2)) / math.perm(len(i), 2) for i in two]
    observed = sum(agreed) / len(agreed)
    share, own = shares(annotators, categories)
    pairs = list(itertools.permutations(own, 2))
    values = [label for i in two for label in i]
    n, q = len(values), len(categories)
    apart = sum(
        sum(1 - w[p] for p in itertools.permutations(i, 2)) / Fraction(len(i) - 1) for i in two
    )
    chance_apart = sum(1 - w[p] for p in itertools.permutations(values, 2)) / Fraction(n * (n - 1))
    spread = sum(p * (1 - p) for p in share.values())
    expected = {
        "pi": sum(w[a, b] * share[a] * share[b] for a, b in w),
        "kappa": sum(w[a, b] * p[a] * r[b] for a, b in w for p, r in pairs) / len(pairs),
        "alpha": 1 - chance_apart,
        "ac1": spread * sum(w.values()) / (q * (q - 1)) if q > 1 else None,
    }
    return {
        coefficient: (1 - apart / n if coefficient == "alpha" else observed, e)
        for coefficient, e in expected.items()
    }


@st.composite
def grades(draw):
    """Two to four annotators, up to seven items, grades from 1 to 9, with gaps."""
    v, items = draw(st.integers(2, 4)), draw(st.integers(1, 7))
    return [draw(st.text("1249 ", min_size=items, max_size=items)) for _ in range(v)]


@given(grades(), st.sampled_from(["identity", "linear", "quadratic", "ordinal"]))
def test_by_hand(annotators, name):
    """With weights and gaps, all equal their definitions in fractions."""
    categories = sorted(set("".join(annotators)) - {" "})
    reference = by_hand(annotators, categories, name)
    labels = table(*annotators)
    for coefficient, of in COEFFICIENTS.items():
        found = of(labels, category_weights=name)
        if not reference or reference[coefficient][1] is None:
            assert math.isnan(found.value)
            continue
        observed, expected = reference[coefficient]
        assert found.observed == pytest.approx(float(observed), abs=1e-14)
        assert found.expected == pytest.approx(float(expected), abs=1e-14)
    if reference:
        flat = sa.coefficients(labels, weights="flat", category_weights=name).spa
        assert flat.value == pytest.approx(float(reference["pi"][0]), abs=1e-14)


@given(grades())
def test_ordinal_alpha_by_hand(annotators):
    """Ordinal α: δ = (Σ n_g from c to k − (n_c + n_k)/2)², in fractions."""
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    two = [i for i in items if len(i) > 1]
    values = [label for i in two for label in i]
    given_ = Counter(values)

    def delta(pair):
        c, k = sorted(pair)
        between = sum(n for g, n in given_.items() if c <= g <= k)
        return (between - Fraction(given_[c] + given_[k], 2)) ** 2

    found = sa.alpha(table(*annotators), measurement="ordinal")
    if len(set(values)) < 2:
        assert math.isnan(found.value)
        return
    apart = sum(sum(map(delta, itertools.permutations(i, 2))) / (len(i) - 1) for i in two)
    by_chance = sum(map(delta, itertools.permutations(values, 2))) / (len(values) - 1)
    assert found.value == pytest.approx(float(1 - apart / by_chance), abs=1e-12)


def test_sets_by_hand():
    """MASI: 1, 2/3 of the share within, 1/3 where sets overlap, 0; Jaccard the share itself."""
    names = ["a", "a|b", "b|c", "d"]
    labels = sa.LabelTable.from_rows([(i, "ann", name) for i, name in enumerate(names)])
    masi, jaccard = (
        CoefficientInputs.from_table(labels, False, category_weights=name).weight_matrices.weights
        for name in ("masi", "jaccard")
    )
    order = labels.labels
    shown = {(order[i], order[k]): (masi[i, k], jaccard[i, k]) for i in range(4) for k in range(4)}
    assert shown["a", "a"] == (1, 1)
    assert shown["a", "a|b"] == pytest.approx((1 / 3, 1 / 2))
    assert shown["a|b", "b|c"] == pytest.approx((1 / 9, 1 / 3))
    assert shown["a", "d"] == (0, 0)


# --- what must hold -----------------------------------------------------------------------------


@given(grades(), st.sampled_from(KINDS), st.randoms(use_true_random=False))
def test_order_changes_nothing(annotators, how, random):
    """Rows in any order, annotators in any order: the same digits, whatever the weights."""
    rows = [(i, a, label) for a, labels in enumerate(annotators) for i, label in enumerate(labels)]
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = (sa.coefficients(sa.LabelTable.from_rows(r), **how) for r in (rows, shuffled))
    assert [repr(c.figures()) for c in one.all] == [repr(c.figures()) for c in other.all]
    assert {n: repr(w.agreement) for n, w in one.annotators.items()} == {
        n: repr(w.agreement) for n, w in other.annotators.items()
    }


@given(grades(), st.sampled_from(KINDS))
def test_units_give_the_figures(annotators, how):
    """What the items add up to, which is resampled, gives the coefficients themselves."""
    labels = table(*annotators)
    result = sa.coefficients(labels, **how)
    if not result.counts.compared or len(labels.labels) < 2:
        return
    basis = CoefficientInputs.from_table(labels, False, **how)
    units = build_unit_table(labels, result.spa.weights, weight_matrices=basis.weight_matrices)
    total = np.asarray(units.sum(axis=0))[None]
    sizes = len(labels.labels), len(labels.annotators)
    with np.errstate(all="ignore"):
        rows = formulas.compute_all_figures(total, *sizes, basis.weight_matrices)[0].reshape(-1, 3)
    for whole, row in zip(result.all, rows, strict=True):
        value = result.spa.corrected if whole is result.spa else whole.value
        figures = [whole.observed, whole.expected, value]
        if not math.isnan(value):
            assert row.tolist() == pytest.approx(figures, abs=1e-11)


@given(grades(), st.sampled_from(KINDS))
def test_jackknife_leaves_out_items(annotators, how):
    """The jackknife of SPA with weights is that of its definition, item by item."""
    labels = table(*annotators)
    basis, spa = (
        CoefficientInputs.from_table(labels, False, **how),
        sa.coefficients(labels, **how).spa,
    )
    if math.isnan(spa.jackknife):
        return
    W = basis.weight_matrices.weights
    W = np.eye(len(labels.labels)) if W is None else W
    items = [[labels.labels.index(c) for c in column if c != " "] for column in zip(*annotators, strict=True)]  # fmt: skip
    items = [i for i in items if len(i) > 1]

    def theta(some):
        k = np.array([len(i) - 1 for i in some])
        P = [np.mean([W[p] for p in itertools.permutations(i, 2)]) for i in some]
        share = sum(
            n * np.bincount(i, minlength=len(W)) / len(i) for n, i in zip(k, some, strict=True)
        )
        share = share / k.sum()
        by_chance = share @ W @ share
        return (k @ P / k.sum() - by_chance) / (1 - by_chance)

    without = [theta(items[:i] + items[i + 1 :]) for i in range(len(items))]
    exact = len(items) * theta(items) - (len(items) - 1) * np.mean(without)
    assert spa.jackknife == pytest.approx(exact, abs=1e-8)


def test_identity_is_nominal():
    """Nominal and identity change no digit and no signature; with weights AC1 is AC2."""
    labels = table("12345", "12354", "1 234")
    plain = sa.coefficients(labels)
    for how in ({"measurement": "nominal"}, {"category_weights": "identity"}):
        assert repr(sa.coefficients(labels, **how).to_rows()) == repr(plain.to_rows())
    assert plain.ac1.name == "AC1"
    graded = sa.coefficients(labels, measurement="interval")
    assert (graded.ac1.name, graded.ac1.by_category["1"].name) == ("AC2", "AC1")
    assert "|measurement:interval|" in graded.signature
    assert repr(graded.pi.by_category) == repr(plain.pi.by_category)
    with_both = sa.coefficients(labels, measurement="interval", category_weights="linear")
    assert with_both.alpha == sa.alpha(labels, measurement="interval", category_weights="linear")
    assert with_both.alpha.value == graded.alpha.value
    assert with_both.kappa.value == sa.kappa(labels, category_weights="linear").value
    assert choose_weights("ratio", None) == "ratio"


def test_names_in_order():
    """Names with an order are grades; the order stands in the signature."""
    numbers, names = table("1233", "1323"), table("lmhh", "lhmh")
    for measurement in ("ordinal", "interval"):
        of_names = sa.alpha(names, measurement=measurement, order=["l", "m", "h"])
        assert of_names.value == sa.alpha(numbers, measurement=measurement).value
    assert of_names.signature.startswith("order:l,m,h|")


def test_annotators_by_category_weights():
    """Agreement of an annotator counts near labels: 3 beside 2 and 5 is (1 − 1/3 + 1 − 2/3) / 2."""
    labels = sa.LabelTable.from_rows([(1, "a", 3), (1, "b", 2), (1, "c", 5)])
    found = sa.coefficients(labels, category_weights="linear").annotators["a"]
    assert found.agreement == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_evidence_counts_near_labels():
    """Where no two labels are equal, near ones are an agreement: nothing says that there is none."""
    labels = sa.LabelTable.from_rows(
        [
            (i, who, i % 7 + far)
            for i in range(40)
            for who, far in (("a", 0), ("b", 1 + (i % 5 == 0)))
        ]
    )
    assert any("any agreement" in caveat for caveat in sa.coefficients(labels).caveats)
    graded = sa.coefficients(labels, measurement="interval", ci=sa.Jackknife())
    assert not any("any agreement" in caveat for caveat in graded.caveats)
    assert graded.alpha.interval.corrected[0] > 0.5


def test_grades_are_noted():
    """Five numbers as nominal labels get a note, unless it was said that they are nominal."""
    five = table("12345", "12345")
    note = "5 numbers are labels, and nominal figures treat 4 and 5 as different as 1 and 5"
    assert any(each.startswith(note) for each in sa.alpha(five).notes)
    assert sa.alpha(five, measurement="nominal").notes == ()
    assert sa.alpha(five, category_weights="linear").notes == ()
    assert sa.alpha(table("1234", "1234")).notes == ()


# --- parts ------------------------------------------------------------------------------------


def graded_corpus(documents):
    """Documents of ten tokens whose spans are called by grades."""
    rng = np.random.default_rng(7)
    layers = {
        who: [
            [(2 * k, 2 * k + 1, str(rng.integers(1, 4))) for k in range(5) if rng.random() < 0.6]
            for _ in range(documents)
        ]
        for who in ("ann", "bob", "cem")
    }
    ids = [f"d{i}" for i in range(documents)]
    return sa.Corpus.from_segments([10] * documents, layers, ids=ids)


@pytest.mark.parametrize(
    "how", [{"measurement": "ordinal"}, {"category_weights": "linear", "measurement": "interval"}]
)
def test_parts(how):
    """Over parts the figures and intervals are those of the whole, bit by bit."""
    whole = graded_corpus(12)
    parts = [whole.subset(range(low, low + 4)) for low in (0, 4, 8)]
    how = {**how, "order": ["O", "1", "2", "3"], "ci": sa.Jackknife()}
    over, at_once = (sa.coefficients(sa.token_labels(x), **how) for x in (parts, whole))
    assert over.to_dict() == at_once.to_dict()
    assert over.annotators == at_once.annotators


# --- what is refused ----------------------------------------------------------------------------

REFUSED = [
    ("lmh", {"measurement": "steps"}, "unknown measurement 'steps'; allowed: nominal, ordinal"),
    ("lmh", {"category_weights": "cubic"}, "unknown category_weights 'cubic'; allowed: identity"),
    ("lmh", {"measurement": "interval"}, "item '2', annotator 'a0': label 'h' is not a number; --missing h (missing='h') … order"),
    ("lmh", {"measurement": "ratio"}, "item '2', annotator 'a0': label 'h' is not a number … choose nominal"),
    (["1", "not one"], {"measurement": "interval"}, "… label 'not one' is not a number; --missing 'not one' (missing='not one') …"),
    (["1", "1,5"], {"category_weights": "linear"}, "… label '1,5' is not a number; write it with a point, 1.5"),
    ("lmh", {"measurement": "ordinal", "order": ["l", "m"]}, "order ['l', 'm'] … each"),
    ("lmh", {"category_weights": "linear", "order": "lmh"}, "order 'lmh' … each"),
    ("lmh", {"measurement": "ratio", "order": ["l", "m", "h"]}, "order ['l', 'm', 'h']"),
    ("lmh", {"order": ["l", "m", "h"]}, "order … ordinal or interval … leave"),
    ("lmh", {"category_weights": "masi", "order": ["l"]}, "order … ordinal or interval"),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "how", "said"), REFUSED)
def test_refused(labels, how, said):
    """One line says which choice does not fit, and what to do."""
    with refuses(sa.SettingError, said):
        sa.coefficients(table(labels, labels), **how)


def test_refused_labels(monkeypatch):
    """Numbers below 0 have no ratios; one set under two names is one; too many categories."""
    negative = sa.LabelTable.from_rows([(1, "a", -2), (1, "b", 3)])
    with pytest.raises(sa.SettingError, match=r"^label -2.0; a ratio scale has numbers from 0$"):
        sa.alpha(negative, measurement="ratio")
    twice = sa.LabelTable.from_rows([(1, "a", "x|y"), (1, "b", "y|x")])
    with pytest.raises(sa.SettingError, match=r"^labels 'x\|y' and 'y\|x' are the same set; give"):
        sa.alpha(twice, category_weights="masi")
    monkeypatch.setenv("SPANAGREE_NUMBERS", "10")
    with pytest.raises(sa.SettingError, match=r"^a matrix with the weight of every two"):
        sa.alpha(table("123", "123"), measurement="interval")
    assert sa.alpha(table("123", "123")).value == 1
