"""The benchmark, at small sizes: it runs, and what it compares is the same work."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa

SCRIPT = Path(__file__).parent.parent / "scripts" / "bench.py"


@pytest.fixture(scope="module")
def bench():
    """The module of the script, which finds those beside it."""
    sys.path.insert(0, str(SCRIPT.parent))
    try:
        return importlib.import_module("bench")
    finally:
        sys.path.remove(str(SCRIPT.parent))


@pytest.mark.slow
@pytest.mark.timeout(3600)  # some minutes on a quiet machine, and an hour on a busy one
def test_runs(bench):
    """A small run prints a ratio for each work whose peer is there, and says which is not; and slopes."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--small", "--rounds", "1"], capture_output=True, text=True, check=True
    )  # fmt: skip
    lines = done.stdout.splitlines()
    works = [*bench.all_work(small=True, wnut17=None)]
    assert "load at the start " in lines[0]
    for work, line in zip(works, lines[2:], strict=False):
        assert line.startswith(f"{work.name:42} {work.peer:27} ".rstrip())
        ratio = line.split("–")[0].split()[-1]
        assert "is not installed: passed over" in line or float(ratio) > 0
    slopes = lines[3 + len(works) : -1]
    assert [line[:42].strip() for line in slopes] == [g.name for g in bench.all_growth()]
    assert lines[-1] == "sizes are small: no bar is held"


def work(bench, name, ours, bar):
    """A row of fixed values, beside 1."""
    given = (lambda: bench.Given(ours), lambda: bench.Given(1))
    return bench.Work(name, "one", bar, lambda: given, unit="bytes")


def grown(monkeypatch, power, bar):
    """A growth whose call takes its size to a power, by a clock of its own."""
    growth = sys.modules["bench_growth"]
    clock = [0.0]
    monkeypatch.setattr(growth.time, "process_time", lambda: clock[0])

    def make(size):
        return lambda: clock.__setitem__(0, clock[0] + size**power)

    return growth.Growth("size", (100, 200, 400, 800), make, bar)


def test_over(bench, monkeypatch, capsys):
    """A ratio or a slope over its bar ends the script with 1, and the last lines say by how much."""
    monkeypatch.setattr(
        bench, "all_work", lambda *_, **__: [work(bench, "a", 3, 2), work(bench, "b", 2, 2)]
    )
    monkeypatch.setattr(bench, "all_growth", lambda: [grown(monkeypatch, 2, 1.1)])
    assert bench.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "over its bar: a, beside one: 3 for ≤ 2, 50 % over",
        "over its bar: growth with size: 2 for ≤ 1.1, 82 % over",
    ]
    assert bench.main(["--small"]) == 0
    monkeypatch.setattr(
        bench, "all_work", lambda *_, **__: [work(bench, "b", 2, 2), work(bench, "c", 9, None)]
    )
    monkeypatch.setattr(bench, "all_growth", lambda: [grown(monkeypatch, 1, 1.1)])
    assert bench.main([]) == 0
    assert "over its bar" not in capsys.readouterr().out


def test_rounds(bench):
    """Rounds begin with one and the other in turn, after a call of each; ratios are of rounds."""
    calls = []
    pair = (lambda: calls.append("ours"), lambda: calls.append("theirs"))
    bench.compared(bench.Work("a", "b", None, lambda: pair), 3)
    first = ["ours", "theirs", "ours", "theirs"]  # the first two are not counted
    assert calls == [*first, "theirs", "ours", "ours", "theirs"]
    row = bench.Row(bench.Work("a", "b", 0.4, lambda: pair), [(1, 4), (3, 4), (8, 4)], (2, 5))
    assert row.cells() == [
        "a",
        "b",
        "3 s (1 s)",
        "4 s (4 s)",
        "2 s / 5 s",
        "0.75",
        "0.25–2",
        "≤ 0.4",
    ]


def test_rounds_of_growth(monkeypatch, bench):
    """A minute in which everything takes ten times as long slows a round of all sizes, not one of
    them: the least of three rounds, and so the slope, are those of a quiet machine."""
    growth, clock, calls = sys.modules["bench_growth"], [0.0], []
    monkeypatch.setattr(growth.time, "process_time", lambda: clock[0])

    def call(size):
        calls.append(size)
        clock[0] += size * (10 if 5 <= len(calls) < 10 else 1)

    given = growth.Growth("size", (2, 4, 8, 16), lambda size: lambda: call(size))
    fitted = growth.measure(given, 3, 1)
    assert calls == [2, *(3 * [2, 4, 8, 16])]  # the first one is not counted
    assert (fitted.seconds, fitted.slope) == ([2, 4, 8, 16], pytest.approx(1))


def test_page_is_written(bench, monkeypatch, tmp_path):
    """The tables stand between the marks, below the machine; the plot beside the page."""
    page = tmp_path / "benchmarks.md"
    page.write_text("before\n<!-- measured -->\nold\n<!-- end -->\nafter\n", "utf-8")
    monkeypatch.setattr(bench, "DOCS", tmp_path)
    monkeypatch.setattr(bench, "plot", lambda slopes: None)
    monkeypatch.setattr(bench, "all_work", lambda *_, **__: [work(bench, "a", 3 * 2**20, 2**22)])
    monkeypatch.setattr(bench, "all_growth", lambda: [grown(monkeypatch, 1, 1.1)])
    assert bench.main(["--write"]) == 0
    lines = page.read_text("utf-8").splitlines()
    assert lines[:2] == ["before", "<!-- measured -->"]
    assert lines[-2:] == ["<!-- end -->", "after"]
    assert lines[2].startswith("Measured on ")
    assert "cores" in lines[2]
    assert (
        "| a | one | 3 MB (3 MB) | 0 MB (0 MB) |  | 3.15e+06 | 3.15e+06–3.15e+06 | ≤ 4.19e+06 |"
        in lines
    )
    assert "| size | 100 – 800 | 100 – 800 | 1.00 | ≤ 1.1 |" in lines
    assert "old" not in lines


def test_bars_of_the_page(bench):
    """The bars in docs/benchmarks.md are those of the script; rows are called and paired alike."""
    page = (SCRIPT.parents[1] / "docs" / "benchmarks.md").read_text("utf-8")
    table = page.partition("<!-- measured -->")[2].partition("<!-- end -->")[0]
    rows = [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()]
    works = [*bench.all_work(False, None, toxic=Path(), real=Path())]
    bars = {(w.name, w.peer): f"≤ {w.bar:.3g}" if w.bar else "" for w in works}
    bars |= {g.name: f"≤ {g.bar:g}" for g in bench.all_growth()}
    assert len(bars) == len(works) + len([*bench.all_growth()])
    shown = {row[0] if row[0] in bars else (row[0], row[1]): row[-1] for row in rows if row}
    for head in (("work", "beside"), ("growth with", "sizes"), ("---", "---")):
        shown.pop(head, None)
    assert shown == {key: bars[key] for key in shown}
    assert ("1,000,000 tokens of a dataset", "get_entities") in shown


def test_growth_has_reasons(bench):
    """What may grow faster than its size is named in docs/scale.md; slopes are of the largest sizes."""
    page = (SCRIPT.parents[1] / "docs" / "scale.md").read_text("utf-8")
    linear = sys.modules["bench_growth"].LINEAR
    steep = [growth.name for growth in bench.all_growth() if growth.bar > linear]
    assert steep == ["annotators who all saw everything"]
    assert all(f"*{name}*: " in page for name in steep)


def test_plain_programs(bench, tmp_path):
    """What is set beside ours does the same work: α of a table, raw F1 of pairs, other tags."""
    inputs, plain = sys.modules["bench_inputs"], sys.modules["bench_peer"]
    values = inputs.labels(200, 6)
    inputs.write_labels(tmp_path / "labels.csv", values)
    ours = sa.alpha(sa.LabelTable.from_array(values)).value
    assert plain.alpha(str(tmp_path / "labels.csv")) == pytest.approx(ours, abs=1e-12)
    corpus = inputs.crowd(5, 20)
    theirs = plain.pairwise(inputs.sets(corpus))
    assert [p.f1.observed for p in sa.agree(corpus).pairs.values()] == pytest.approx(theirs)
    tags = [inputs.sentences(30, 12, seed) for seed in (1, 2)]
    for name, rows, odd in (("a", tags[0], False), ("b", tags[1], True)):
        inputs.write_tags(tmp_path / name, rows, odd=odd)
    found = plain.different([str(tmp_path / "a"), str(tmp_path / "b")])
    assert len(found) == sum(
        a != b for x, y in zip(*tags, strict=True) for a, b in zip(x, y, strict=True)
    )
    inputs.write_crowd(tmp_path / "crowd.jsonl", inputs.crowd(6, 20, seen=2))
    read = sa.read_jsonl(tmp_path / "crowd.jsonl")
    again = inputs.crowd(6, 20, seen=2)
    assert {name: len(layer) for name, layer in read.layers.items()} == {
        name: len(layer) for name, layer in again.layers.items()
    }


@pytest.mark.long
def test_stretches(bench):
    """Stretches have the lengths, the number and the share asked for, and do not overlap."""
    corpus = sys.modules["bench_inputs"].stretches(3, 5000, 60, 0.96, 5000)
    layer = corpus.layers["gold"]
    assert corpus.lengths.tolist() == [5000] * 3
    assert len(layer) == 180
    assert (layer.end - layer.start).sum() == 3 * 4800
    assert sa.evaluate(corpus, chance="nonoverlapping").documents == 3
    long = sys.modules["bench_inputs"].one_long(20_000, 8000, 30).layers["gold"]
    assert sorted((long.end - long.start).tolist())[-2:][0] < 9
    assert (long.start[1:] >= long.end[:-1]).all()


def test_same_input(bench):
    """Ours and seqeval's raw F1 are the same on the benchmark's input."""
    f1_score = pytest.importorskip("seqeval.metrics").f1_score
    gold, mine = sys.modules["bench_inputs"].shapes(300, 1)
    ours = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"].f1.observed
    assert ours == pytest.approx(f1_score(gold, mine))
    corpus = sa.from_tags({"gold": gold, "mine": mine})
    assert sys.modules["bench_work"].as_tags(corpus, "gold") == gold


def test_long_document(bench):
    """The long document has the segments asked for, which do not overlap."""
    corpus = sys.modules["bench_inputs"].long_document(1000, 100)
    layer = corpus.layers["a"]
    assert len(layer) == 100
    assert (layer.start[1:] >= layer.end[:-1]).all()
    assert layer.end[-1] <= 1000


def test_arrays(bench):
    """A table from an array is that from its rows; nan is missing; bad arrays are refused."""
    values = sys.modules["bench_inputs"].labels(40).astype(float)
    values[3, 1] = np.nan
    rows = [(i, a, values[i, a]) for i in range(40) for a in range(5)]
    one, other = sa.LabelTable.from_array(values), sa.LabelTable.from_rows(rows)
    for of in (sa.pi, sa.alpha, sa.kappa, sa.ac1, sa.spa):
        assert of(one).value == pytest.approx(of(other).value, abs=1e-15)
    assert (one.labels, one.notes) == (other.labels, ("1 blank label counted as missing",))
    assert sa.LabelTable.from_array([[1, 2]], annotators=["ann", "bob"]).annotators == (
        "ann",
        "bob",
    )
    for bad, names, said in (
        ([1, 2], (), "an array of shape (2,), int64; a matrix of numbers, items × annotators, is needed"),
        ([["x"]], (), "an array of shape (1, 1), <U1; a matrix of numbers"),
        ([[1, 2]], ["a"], "1 name of annotators; each of 2 needs one of its own"),
        ([[1, 2]], ["a", "a"], "2 names of annotators; each of 2 needs one of its own"),
    ):  # fmt: skip
        with pytest.raises(sa.InputError) as error:
            sa.LabelTable.from_array(bad, annotators=names)
        assert str(error.value).startswith(said)
