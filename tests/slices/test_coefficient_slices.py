"""Coefficients of slices: those of each slice by itself, and differences of α."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import spanagree as sa


def rows(items=12):
    """Labels of three annotators, who agree more on later items."""
    return [
        (f"r{i // 4}-{i}", who, "xy"[(i + (k == 2 and i < 6)) % 2])
        for i in range(items)
        for k, who in enumerate(("ann", "bob", "cem"))
    ]


def test_items():
    """Each slice has the coefficients of its items alone."""
    found = sa.slices.coefficients_by_slice(sa.labels.LabelTable.from_rows(rows()), "r([0-9])-")
    assert list(found) == ["0", "1", "2"]
    for number, part in enumerate(found.values()):
        own = [row for row in rows() if row[0].startswith(f"r{number}-")]
        alone = sa.coefficients(sa.labels.LabelTable.from_rows(own))
        assert (part.alpha.value, part.spa.value) == (alone.alpha.value, alone.spa.value)
    assert "goes from" in found.verdict
    assert "slices:" in found.signature
    (first, *_) = found.to_rows()
    assert (first["items"], first["α"]) == (4, next(iter(found.values())).alpha.value)


def test_intervals_in_data():
    """Rows, CSV and JSON have the interval of every figure: those of the slice's items alone.

    Two who always agree have exact intervals, as the signature says; without ci there are none.
    """
    table = labelled([1.0, 0.3])
    found = sa.slices.coefficients_by_slice(table, "([ab])", ci=True)
    for row, record in zip(found.to_rows(), found.to_dict()["tables"]["slices"], strict=True):
        items = [i for i in range(table.size) if table.name_of(i).startswith(row["slice"])]
        alone = sa.coefficients(table.subset(np.array(items)), ci=True)
        ends = {"observed": alone.pi.interval.observed, "spa": alone.spa.interval.observed}
        ends |= {c.name: c.interval.corrected for c in (alone.pi, alone.kappa, alone.alpha, alone.ac1)}  # fmt: skip
        for source in (row, record):
            assert {key: (source[f"{key}_low"], source[f"{key}_high"]) for key in ends} == ends
        assert record["interval"]["α"] == alone.alpha.interval.to_dict()
        assert record["interval"].keys() == ends.keys() - {"observed"}
    data = found.to_dict()
    header = found.to_csv().splitlines()[0].split(",")
    kinds = [row["interval"]["α"]["kind"] for row in data["tables"]["slices"]]
    assert {"α_low", "AC1_high", "spa_low"} <= {*header}
    assert kinds == ["exact", "jackknife-t"]
    assert "|ci:jackknife-t95+exact95|" in data["signature"]
    assert data["signature"] == found.table().signature
    without = sa.slices.coefficients_by_slice(table, "([ab])")
    assert "interval" not in without.to_dict()["tables"]["slices"][0]
    assert "α_low" not in without.to_rows()[0]


def test_tokens(crowd):
    """Of a corpus the slices are of documents, and its tokens are the items."""
    names = ["one"] * 21 + ["two"] * 42
    found = sa.slices.coefficients_by_slice(crowd, names)
    first = crowd.subset(list(range(21)))
    assert found["one"].alpha.value == sa.coefficients(sa.token_labels(first)).alpha.value


def labelled(shares, n=60, seed=0):
    """Items of slices a, b, … whose annotators agree in these shares, besides by chance."""
    rng = np.random.default_rng(seed)
    made = []
    for name, share in zip("abc", shares, strict=False):
        for i in range(n):
            label = rng.choice(["x", "y"])
            other = label if rng.random() < share else rng.choice(["x", "y"])
            made += [(f"{name}{i}", "ann", label), (f"{name}{i}", "bob", other)]
    return sa.labels.LabelTable.from_rows(made)


def test_the_difference_of_alpha():
    """V is the sum of the slices' own, each by leaving out one item after the other: a loop."""
    table = labelled([0.9, 0.3])
    found = sa.slices.coefficients_by_slice(table, "([ab])")
    (largest,) = found.differences
    variances, size = [], 0
    for name in "ab":
        items = [i for i in range(table.size) if table.name_of(i).startswith(name)]
        whole = sa.labels.alpha(table.subset(np.array(items))).value
        left = [sa.labels.alpha(table.subset(np.array([x for x in items if x != i]))).value for i in items]  # fmt: skip
        variances.append(sum((x - whole) ** 2 for x in left))
        size += len(items)
    reach = (largest.high - largest.low) / 2
    assert reach / math.sqrt(sum(variances)) == pytest.approx(1.98, abs=0.02)  # t with some 100
    assert largest.value == pytest.approx(found["a"].alpha.value - found["b"].alpha.value)
    assert (largest.a, largest.b, found.n_tested) == ("b", "a", 1)
    assert largest.p < 0.01
    assert found.verdict.startswith("The largest difference that a test supports: Krippendorff's α")


@pytest.mark.slow
def test_level_of_the_largest_difference():
    """Without a difference one is found in at most a twentieth of samples, by four errors."""
    found = [
        sa.slices.coefficients_by_slice(labelled([0.7] * 3, 40, i), "([abc])").differences[0]
        for i in range(150)
    ]
    share = np.mean([x.p_adjusted < 0.05 for x in found])
    assert share < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 150)


def test_command(run, tmp_path, newsroom):
    """A column of the table, and tokens of a corpus; what does not go together is refused."""
    table = tmp_path / "labels.csv"
    lines = [f"{','.join(row)},{row[0][:2]}\n" for row in rows()]
    table.write_text("item,annotator,label,round\n" + "".join(lines))
    code, out, _ = run("coefficients", table, "--by", "round", "--format", "json")
    assert code == 0
    made = json.loads(out)
    assert [row["slice"] for row in made["tables"]["slices"]] == ["r0", "r1", "r2"]
    assert made["summary"]["by"] == "round"
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    code, out, _ = run("coefficients", crowd, "--tokens", "--by", "note-([0-3])")
    assert out.startswith("Krippendorff's α goes from")
    for more, says in (
        (
            ("--by", "nix"),
            "--by 'nix': unknown; allowed: category, annotator, pair, item, label; a",
        ),
        (("--by", "file"), "--by file: it is for spans"),
        (("--batches", "2"), "--batches was removed before 1.0"),
    ):
        code, _, err = run("coefficients", table, *more)
        assert code == 2
        assert says in err


def test_what_is_said_of_slices():
    """With intervals people see them; few items are not tested; items in no slice are counted."""
    table = sa.labels.LabelTable.from_rows([*rows(), ("r9", "ann", "x")])  # one with one label
    names = ["early"] * 6 + ["late"] * 6 + [None]
    found = sa.slices.coefficients_by_slice(table, names)
    assert "no test was made: fewer than two slices have 10 items" in found.verdict
    assert "interval" not in str(found)
    assert "1 item has no slice, left out" in found.notes
    with_ci = sa.slices.coefficients_by_slice(table, [*names[:-1], "late"], ci=True)
    assert "interval" in str(with_ci)
    assert with_ci.table().caption == "2 slices, 12 of 13 items with two labels or more"
