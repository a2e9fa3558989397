"""Coefficients by pair, by item and by label, and of some annotators."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.labels.formulas import COEFFICIENTS, CORRECTED


def drawn(items=30, annotators=5, there=0.6):
    """Rows of grades from 1 to 4, with gaps."""
    rng = np.random.default_rng(11)
    return [
        (f"i{i:02}", f"a{a}", int(np.clip(i % 4 + 1 + rng.integers(-1, 2), 1, 4)))
        for i in range(items)
        for a in range(annotators)
        if rng.random() < there
    ]


@pytest.mark.parametrize(
    "how", [{}, {"measurement": "interval"}, {"category_weights": "linear"}], ids=str
)
def test_pairs(how):
    """A row of a pair is what the coefficients say of the items that both labelled."""
    rows = drawn()
    table = sa.LabelTable.from_rows(rows)
    found = {(row["a"], row["b"]): row for row in sa.coefficients(table, **how).to_rows("pair")}
    assert found.keys() == set(combinations(table.annotators, 2))
    for pair, row in found.items():
        two = table.select_annotators(pair)
        both = sa.coefficients(two, complete_only=True, **how)
        assert row["items"] == both.counts.compared
        assert row["observed"] == pytest.approx(both.pi.observed, abs=1e-14)
        for whole in (both.of_kind(kind) for kind in CORRECTED):
            assert row[whole.name] == pytest.approx(whole.value, abs=1e-12, nan_ok=True)


def test_pairs_that_share_nothing():
    """Two annotators without a common item have no row; neither has a table of counts."""
    table = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "y"), (2, "c", "x")])
    assert [(r["a"], r["b"]) for r in sa.coefficients(table).to_rows("pair")] == [("a", "b")]
    counts = sa.coefficients(sa.LabelTable.from_counts([[2, 1]], ["x", "y"]))
    assert counts.to_rows("pair") == []
    assert "a table of counts does not say who gave which label" in str(
        counts.table("pair").remarks
    )


def test_items():
    """Disputed items, those of least agreement first, then those with more labels, then by name."""
    rows = [("even", "a", "x"), ("even", "b", "x"), ("two", "a", "x"), ("two", "b", "y")]
    rows += [("three", who, label) for who, label in zip("abc", "xyz", strict=True)]
    rows += [("most", who, label) for who, label in zip("abc", "xxz", strict=True)]
    queue = sa.coefficients(sa.LabelTable.from_rows(rows)).table("item")
    assert [row[:3] for row in queue.rows] == [
        ["three", 3, 0.0], ["two", 2, 0.0], ["most", 3, pytest.approx(1 / 3)],
    ]  # fmt: skip
    assert queue.rows[2][3] == "x: a, b; z: c"
    assert queue.remarks[0] == "on 1 item all labels are the same"
    counts = sa.LabelTable.from_counts([[2, 1]], ["x", "y"], items=["i"])
    assert sa.coefficients(counts).to_rows("item")[0]["given"] == "x: 2 annotators; y: 1 annotator"


@pytest.mark.parametrize("ids", [None, ["x", "y"]])
def test_names_of_tokens(ids):
    """A token is named by its document and its position there, whether others are left out or not."""
    layers = {
        "ann": [[(6, 7, "A")], [(1, 2, "A"), (5, 6, "B")]],
        "bob": [[], [(1, 2, "A"), (5, 6, "A")]],
    }
    corpus = sa.Corpus.from_segments([8, 8], layers, ids=ids)
    first, second = ids or "12"
    for skip in (False, True):
        found = sa.coefficients(sa.token_labels(corpus, skip_outside=skip)).to_rows("item")
        names = [row["item"] for row in found]
        assert names == [f"document {first}, token 7", f"document {second}, token 6"]


def test_items_by_weight():
    """With weights, 1 beside 4 is more disputed than 1 beside 2."""
    rows = [("near", "a", 1), ("near", "b", 2), ("far", "a", 1), ("far", "b", 4)]
    queue = sa.coefficients(sa.LabelTable.from_rows(rows), category_weights="linear")
    found = {row["item"]: row["agreement"] for row in queue.to_rows("item")}
    assert list(found) == ["far", "near"]
    assert found == pytest.approx({"far": 0, "near": 2 / 3})


def test_refused():
    """Tokens are named by their places; names have to be there."""
    corpus = sa.Corpus.from_segments(
        [4], {"ann": [[(0, 2, "A")]], "bob": [[(1, 2, "A")]]}, ids=["d"]
    )
    queue = sa.coefficients(sa.token_labels(corpus)).to_rows("item")
    assert [(row["item"], row["given"]) for row in queue] == [
        ("document d, token 1", "A: ann; O: bob")
    ]
    table = sa.LabelTable.from_rows([(1, "a", "x")])
    with pytest.raises(sa.SettingError, match="unknown annotator 'c'"):
        table.select_annotators(["c"])
    with pytest.raises(sa.SettingError, match=r"^annotators 'a'; a list of names is needed$"):
        table.select_annotators("a")


def test_by_label():
    """Each label is what one table of it alone says, overlapping segments or not."""
    layers = {"ann": [[(0, 2, "PER"), (1, 3, "LOC")]], "bob": [[(0, 1, "PER"), (1, 3, "LOC")]]}
    corpus = sa.Corpus.from_segments([4], layers)
    with pytest.raises(sa.InputError, match="--by label"):
        sa.token_labels(corpus)
    found = sa.coefficients_by_label(corpus)
    assert list(found) == ["LOC", "PER"]
    for label in found:
        alone = sa.coefficients(sa.token_labels(corpus.with_labels([label])))
        assert [w.value for w in found[label].all] == pytest.approx([w.value for w in alone.all], nan_ok=True)  # fmt: skip
    apart = {"ann": [[(0, 1, "PER"), (2, 3, "LOC")]], "bob": [[(0, 2, "PER")]]}
    corpus = sa.Corpus.from_segments([4], apart)
    whole = sa.coefficients(sa.token_labels(corpus))
    for label, part in sa.coefficients_by_label(corpus).items():
        assert part.pi.value == pytest.approx(whole.pi.by_category[label].value)
    rows = sa.coefficients_by_label(corpus).to_rows()
    assert [row["label"] for row in rows] == ["LOC"] * len(COEFFICIENTS) + ["PER"] * len(COEFFICIENTS)  # fmt: skip
    empty = sa.Corpus.from_segments([4], {"ann": [[]]})
    with refuses(sa.InputError, "the corpus has no segments … by label"):
        sa.coefficients_by_label(empty)


@pytest.fixture
def say(capsys):
    """What a command writes."""

    def run(*line):
        assert main(list(map(str, line))) == 0
        return capsys.readouterr().out

    return run


def test_command(tmp_path, say, capsys):
    """By pair, by item, of some annotators and by label, as JSON and CSV."""
    path = tmp_path / "grades.csv"
    path.write_text("item,annotator,label\n" + "\n".join(",".join(map(str, r)) for r in drawn()))
    line = ("coefficients", path, "--measurement", "ordinal")
    assert len(json.loads(say(*line, "--by", "pair", "--format", "json"))["tables"]["pairs"]) == 10
    queue = list(csv.DictReader(io.StringIO(say(*line, "--by", "item", "--format", "csv"))))
    assert queue[0].keys() >= {"item", "labels", "agreement", "given"}
    assert json.loads(say(*line, "--annotators", "a1,a3", "--format", "json"))["settings"]["chosen"] == ["a1", "a3"]  # fmt: skip
    tokens = {"spanagree": 1, "id": "1", "offsets": "tokens", "tokens": list("abcd")}
    spans = [{"start": s, "end": e, "label": x} for s, e, x in ((0, 2, "A"), (1, 3, "B"))]
    corpus = tmp_path / "o.jsonl"
    corpus.write_text(json.dumps({**tokens, "annotators": {"ann": spans, "bob": spans[:1]}}))
    labels = ("coefficients", corpus, "--tokens", "--by", "label")
    rows = json.loads(say(*labels, "--format", "json"))["tables"]["labels"]
    assert {row["label"] for row in rows} == {"A", "B"}
    assert "by_label:yes" in say(*labels).replace("\n  ", "")
    assert main(["coefficients", str(path), "--by", "label"]) == 2
    assert "--by label needs --tokens" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["rte", "wsd"])
def test_real_crowds(name, say, real):
    """Snow et al. 2008: quadratic κ of a pair, interval α and the queue, in twenty lines of Python."""
    path = real / "data" / "snow2008" / f"{name}.standardized.tsv"
    line = ["coefficients", path, "--item", "orig_id", "--annotator", "!amt_worker_ids"]
    line += ["--label", "response", "--measurement", "interval", "--format", "json"]
    result = json.loads(say(*line, "--by", "pair"))
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="\t"))
    by_item: dict = {}
    for row in rows:
        by_item.setdefault(row["orig_id"], {})[row["!amt_worker_ids"]] = int(row["response"])
    items = [list(each.values()) for each in by_item.values() if len(each) > 1]
    n = sum(map(len, items))
    apart = (
        sum(sum((x - y) ** 2 for x, y in combinations(i, 2)) * 2 / (len(i) - 1) for i in items) / n
    )
    every = Counter(x for i in items for x in i)
    by_chance = sum(every[x] * every[y] * (x - y) ** 2 for x in every for y in every) / (
        n * (n - 1)
    )
    alpha = next(c for c in result["tables"]["coefficients"] if c["coefficient"] == "α")
    assert alpha["value"] == pytest.approx(1 - apart / by_chance, abs=1e-12)
    a, b, shared = max(
        ((r["a"], r["b"], r["items"]) for r in result["tables"]["pairs"]), key=lambda r: r[2]
    )
    both = [(each[a], each[b]) for each in by_item.values() if a in each and b in each]
    assert len(both) == shared
    observed = np.mean([(x - y) ** 2 for x, y in both])
    expected = np.mean([(x - y) ** 2 for x, _ in both for _, y in both])
    row = next(r for r in result["tables"]["pairs"] if (r["a"], r["b"]) == (a, b))
    assert math.isclose(row["κ"], 1 - observed / expected, abs_tol=1e-12)
    queue = json.loads(say(*line, "--by", "item"))["tables"]["items"]
    assert len(queue) == sum(len(set(i)) > 1 for i in items)
    assert queue[0]["agreement"] == min(each["agreement"] for each in queue)


def test_report(tmp_path):
    """If segments of different labels overlap, a report has coefficients as a matrix by label."""
    layers = {"ann": [[(0, 2, "PER"), (1, 3, "LOC")]], "bob": [[(0, 1, "PER"), (1, 3, "LOC")]]}
    path, corpus = tmp_path / "report.html", sa.Corpus.from_segments([4], layers)
    sa.write_report(corpus, path, team=True, chance="overlapping")
    text = path.read_text("utf-8")
    assert "SPA corrected, jackknife" not in text
    assert "are not defined here" not in text
    section = text.split('<section id="bias"')[1].split("</section>")[0]
    heads = [re.sub("<[^>]+>", "", x) for x in re.findall('<th scope="?col.*?</th>', section)]
    titles = [kind.title.split()[0] for kind in COEFFICIENTS.values()]
    assert [x.split()[0] for x in heads] == ["label", *titles]
    of_label = sa.labels.coefficients_by_label(corpus)
    cells = re.sub("<[^>]+>", " ", section).split()
    for label in ("LOC", "PER"):
        at = cells.index(label, cells.index("B"))
        figures = [getattr(of_label[label], key).value for key in COEFFICIENTS]
        assert cells[at + 1 : at + 1 + len(figures)] == [f"{x:.3f}" for x in figures]


def test_byrt_and_stuart():
    """Byrt's indices by their definition, on whole numbers; Stuart's test is McNemar's for two labels.

    Of three labels it is the quadratic form of the differences of the first two, with the inverse of
    their covariance by hand, in fractions.
    """
    counts = [[20, 5, 3], [1, 15, 2], [4, 6, 10]]
    rows = [
        (f"{a}{b}{i}", who, "xyz"[label])
        for a, row in enumerate(counts)
        for b, times in enumerate(row)
        for i in range(times)
        for who, label in (("ann", a), ("bob", b))
    ]
    (row,) = sa.coefficients(sa.LabelTable.from_rows(rows)).to_rows("pair")
    total = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    d = [Fraction(a - b) for a, b in zip(*total, strict=True)]
    s = [
        [
            Fraction(total[0][k] + total[1][k] - 2 * counts[k][k])
            if k == m
            else Fraction(-counts[k][m] - counts[m][k])
            for m in range(2)
        ]
        for k in range(2)
    ]
    determinant = s[0][0] * s[1][1] - s[0][1] * s[1][0]
    statistic = d[0] ** 2 * s[1][1] - 2 * d[0] * d[1] * s[0][1] + d[1] ** 2 * s[0][0]
    # with two degrees of freedom chi-square's tail is exp(-x/2)
    assert row["stuart_p"] == pytest.approx(math.exp(-statistic / determinant / 2), rel=1e-9)
    assert math.isnan(row["pabak"])
    two = [r for r in rows if "2" not in r[0][:2]]
    (row,) = sa.coefficients(sa.LabelTable.from_rows(two)).to_rows("pair")
    assert [row[key] for key in ("prevalence", "bias_index", "pabak")] == pytest.approx(
        [(20 - 15) / 41, (5 - 1) / 41, 2 * 35 / 41 - 1]
    )
    assert row["stuart_p"] == pytest.approx(math.erfc(math.sqrt((5 - 1) ** 2 / (5 + 1) / 2)))
    same = [(str(i), who, "xy"[i % 2]) for i in range(6) for who in ("ann", "bob")]
    (row,) = sa.coefficients(sa.LabelTable.from_rows(same)).to_rows("pair")
    assert math.isnan(row["stuart_p"])
