"""Coefficients from batch to batch: those of each batch by itself."""

from __future__ import annotations

import json

import pytest

import spanagree as sa


def rows(items=12):
    """Labels of three annotators, who agree more on later items."""
    return [
        (f"r{i // 4}-{i}", who, "xy"[(i + (k == 2 and i < 6)) % 2])
        for i in range(items)
        for k, who in enumerate(("ann", "bob", "cem"))
    ]


@pytest.mark.parametrize("spec", [3, "r([0-9])-"])
def test_items(spec):
    """Each batch has the coefficients of its items alone, by number or by a pattern in their names."""
    found = sa.coefficients_by_batch(sa.LabelTable.from_rows(rows()), spec)
    assert list(found) == (["1", "2", "3"] if spec == 3 else ["0", "1", "2"])
    for number, part in enumerate(found.values()):
        own = [row for row in rows() if row[0].startswith(f"r{number}-")]
        alone = sa.coefficients(sa.LabelTable.from_rows(own))
        assert (part.alpha.value, part.spa.value) == (alone.alpha.value, alone.spa.value)
    assert "goes from" in found.verdict
    assert "batches:" in found.signature
    (first, *_) = found.to_rows()
    assert (first["items"], first["α"]) == (4, next(iter(found.values())).alpha.value)


def test_tokens(newsroom):
    """Of a corpus the batches are of documents, and its tokens are the items."""
    crowd = sa.read(newsroom.parent / "crowd" / "crowd.jsonl")
    found = sa.coefficients_by_batch(crowd, 3)
    first = crowd.subset(list(range(21)))
    assert found["1"].alpha.value == sa.coefficients(sa.token_labels(first)).alpha.value


def test_command(run, tmp_path, newsroom):
    """A table, and tokens of a corpus; what does not go together is refused."""
    table = tmp_path / "labels.csv"
    table.write_text("item,annotator,label\n" + "".join(f"{','.join(row)}\n" for row in rows()))
    code, out, _ = run("coefficients", table, "--batches", 3, "--format", "json")
    assert code == 0
    result = sa.coefficients_by_batch(sa.LabelTable.from_rows(rows()), 3)
    assert json.loads(out)["tables"] == json.loads(json.dumps(result.to_dict()["tables"]))
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    code, out, _ = run("coefficients", crowd, "--tokens", "--batches", 3)
    assert out.startswith("Krippendorff's α goes from")
    code, _, err = run("coefficients", crowd, "--tokens", "--batches", 3, "--by", "pair")
    assert code == 2
    assert "--batches does not go with --by" in err
    code, _, err = run("coefficients", table, "--batches", 40)
    assert code == 1
    assert "there are 12 items" in err


def test_what_is_said_of_batches():
    """Two batches are said to change; with intervals nothing is advised, and people see them."""
    found = sa.coefficients_by_batch(sa.LabelTable.from_rows(rows()), 2)
    assert "goes from" in found.verdict
    assert found.verdict.endswith("No test was made: add --ci.")
    assert "interval" not in str(found)
    table = sa.LabelTable.from_rows([*rows(), ("r9", "ann", "x")])  # one item with one label
    ask = sa.Jackknife()
    with_ci = sa.coefficients_by_batch(table, 2, ci=ask)
    assert with_ci.verdict.endswith("No test was made.")
    assert "interval" in str(with_ci)
    assert with_ci.table().caption == "2 batches, 12 of 13 items with two labels or more"
    assert sum(row["compared"] for row in with_ci.to_rows()) == 12
