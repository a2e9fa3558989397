"""The table of coefficients: each entry is computed, shown, exported, explained, cited, documented."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa
from spanagree.labels import formulas
from spanagree.labels.formulas import COEFFICIENTS, CORRECTED, CoefficientKind, CoefficientSet
from spanagree.report.citation import cite
from spanagree.report.explain import explain
from spanagree.report.sources import REFERENCES
from spanagree.results.display import DisplayTable

PAGE = Path(__file__).parents[2] / "docs" / "coefficients.md"
ANN, BOB = "XXXXYYYYZX", "XXXYYYYXZZ"
ROWS = [(i, who, x) for who, labels in (("ann", ANN), ("bob", BOB)) for i, x in enumerate(labels)]


def by_hand():
    """Observed, expected and value of two complete annotators, from definitions in fractions."""
    n, categories = len(ANN), sorted({*ANN, *BOB})
    observed = Fraction(sum(a == b for a, b in zip(ANN, BOB, strict=True)), n)
    own = [{k: Fraction(labels.count(k), n) for k in categories} for labels in (ANN, BOB)]
    pooled = {k: Fraction((ANN + BOB).count(k), 2 * n) for k in categories}
    every = [x == y for x, y in itertools.permutations(ANN + BOB, 2)]  # pairs of all labels
    expected = {
        "spa": sum(p**2 for p in pooled.values()),
        "pi": sum(p**2 for p in pooled.values()),
        "kappa": sum(own[0][k] * own[1][k] for k in categories),
        "alpha": Fraction(sum(every), len(every)),
        "ac1": sum(p * (1 - p) for p in pooled.values()) / (len(categories) - 1),
    }
    found = {key: (observed, e, (observed - e) / (1 - e)) for key, e in expected.items()}
    found["spa"] = (observed, expected["spa"], observed)
    of_pi, of_kappa = expected["pi"], expected["kappa"]
    return {**found, "bias": (of_pi, of_kappa, of_pi - of_kappa)}


BY_HAND = by_hand()


@pytest.fixture(scope="module")
def table():
    return sa.labels.LabelTable.from_rows(ROWS)


@pytest.fixture(scope="module")
def found(table):
    return sa.coefficients(table, ci=True)


def test_every_coefficient_has_its_test():
    """The oracle above is written by hand, for each entry of the table."""
    assert list(COEFFICIENTS) == list(BY_HAND)
    assert all(kind.key == key for key, kind in COEFFICIENTS.items())
    assert set(CORRECTED) <= {*COEFFICIENTS.values()}


@pytest.mark.parametrize("key", COEFFICIENTS)
def test_a_coefficient_by_hand(key, found):
    """It is what its definition gives, in fractions, and an attribute of all that there are."""
    part, kind = getattr(found, key), COEFFICIENTS[key]
    assert isinstance(kind, CoefficientKind)
    assert getattr(CoefficientSet, key) is kind
    assert part is found.parts[key] is found.of_kind(kind)
    assert (part.observed, part.expected, part.value) == pytest.approx(tuple(map(float, BY_HAND[key])))  # fmt: skip
    assert part.name == kind.sign
    assert part.interval is not None
    assert kind.is_share == (key != "bias")


@pytest.mark.parametrize("key", COEFFICIENTS)
def test_a_coefficient_is_shown(key, table, found):
    """Tables and JSON have it, by category too; it is explained."""
    kind, row = COEFFICIENTS[key], {x["coefficient"]: x for x in found.to_rows()}
    assert row[kind.sign]["value"] == getattr(found, key).value
    data = {x["coefficient"]: x for x in found.to_dict()["tables"]["coefficients"]}
    assert data[kind.sign]["interval"] == getattr(found, key).interval.to_dict()
    assert kind.title in [names[0] for names in DisplayTable.from_frame(found.table()).rows]
    explained = dict(explain([found.table()]))
    assert explained[kind.title] == kind.means
    by_category = {x["category"]: x for x in found.to_rows("category")}
    for label in table.labels:
        assert by_category[label][kind.sign] == getattr(found, key).by_category[label].value
    parts = sa.slices.coefficients_by_slice(table, ["a"] * 5 + ["b"] * 5)
    if kind.is_corrected:
        (pair,) = found.to_rows("pair")
        assert pair[kind.sign] == pytest.approx(getattr(found, key).value)
        assert [x[kind.sign] for x in parts.to_rows()] == [getattr(x, key).value for x in parts.values()]  # fmt: skip


@pytest.mark.parametrize("key", COEFFICIENTS)
def test_a_coefficient_is_cited(key, found):
    """Its sources are in the list of references, the paragraph that cites a result, and its page."""
    kind, paragraph = COEFFICIENTS[key], " ".join(cite(found).split())
    (row,) = [x for x in PAGE.read_text("utf-8").split("\n") if x.startswith(f"| **{kind.title}**")][:1]  # fmt: skip
    for source in kind.cites.split(","):
        assert REFERENCES[source].short_citation in paragraph
        assert REFERENCES[source].year in row
    for source in filter(None, kind.weighted_cites.split(",")):
        grades = sa.labels.LabelTable.from_rows([(i, who, "XYZ".index(x)) for i, who, x in ROWS])
        weighted = sa.coefficients(grades, category_weights="linear")
        assert getattr(weighted, key).name == kind.weighted_sign
        assert kind.weighted_sign in [
            names[0] for names in DisplayTable.from_frame(weighted.table()).rows
        ]
        assert dict(explain([weighted.table()]))[kind.weighted_sign] == kind.weighted_means
        assert REFERENCES[source].short_citation in " ".join(cite(weighted).split())


@pytest.mark.parametrize("key", COEFFICIENTS)
def test_what_a_coefficient_needs(key):
    """Without names, or a second category, it is undefined if it needs them, for that reason."""
    kind = COEFFICIENTS[key]
    no_names = getattr(
        sa.coefficients(sa.labels.LabelTable.from_counts([[2, 0], [1, 1]], ["X", "Y"])), key
    )
    assert math.isnan(no_names.value) == kind.needs_names
    assert no_names.reason.startswith("a table of counts") == kind.needs_names
    alone = getattr(
        sa.coefficients(sa.labels.LabelTable.from_rows([(1, "a", "X"), (1, "b", "X")])), key
    )
    assert alone.reason.startswith("one category") == kind.needs_second_category


def test_figures_stand_in_the_order_of_the_table(table, found):
    """Three figures of each coefficient, as intervals leave items out of them."""
    sums = found.basis.compute_weighted_sums(np.array([1.0]))
    columns = formulas.compute_all_figures(sums.columns, len(table.labels), 2)
    want = [float(x) for key in COEFFICIENTS for x in BY_HAND[key]]
    want[2] = float((BY_HAND["spa"][0] - BY_HAND["spa"][1]) / (1 - BY_HAND["spa"][1]))
    assert columns[0].tolist() == pytest.approx(want)
