"""The benchmark, at small sizes: it runs, and what it compares is the same work."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from seqeval.metrics import f1_score

import spanagree as sa

SCRIPT = Path(__file__).parent.parent / "scripts" / "bench.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_runs(bench):
    """A small run prints a ratio for each work whose peer is there, and says which is not."""
    done = subprocess.run(
        [sys.executable, SCRIPT, "--small", "--rounds", "1"], capture_output=True, text=True, check=True
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + len([*bench.all_work(small=True, wnut17=None)]) + 2
    for line in lines[1:-2]:
        assert "is not installed: passed over" in line or float(line.split("≤")[0].split()[-1]) > 0
    assert lines[-2].startswith("slope of the exact test against luck: ")
    assert lines[-1].startswith("slope of cost against sentences, log-log: ")


def test_bars_of_the_page(bench):
    """The bars in docs/benchmarks.md are those of the script; rows are called and paired alike."""
    page = (SCRIPT.parents[1] / "docs" / "benchmarks.md").read_text("utf-8")
    lines = (line.split("|")[1:-1] for line in page.splitlines() if line.count("|") == 7)
    shown = {(name.strip(), peer.strip()): bar.strip() for name, peer, *_, bar in lines}
    bars = {
        (w.name, w.peer): f"≤ {w.bar:g}" if w.bar else ""
        for w in bench.all_work(small=False, wnut17=None)
    }
    both = bars.keys() & shown.keys()
    assert {key: shown[key] for key in both} == {key: bars[key] for key in both}
    assert ("1,000,000 tokens of a dataset", "get_entities") in shown


def test_same_input(bench):
    """Ours and seqeval's raw F1 are the same on the benchmark's input."""
    gold, mine = bench.shapes(300, 1)
    ours = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"].f1.observed
    assert ours == pytest.approx(f1_score(gold, mine))
    corpus = sa.from_tags({"gold": gold, "mine": mine})
    assert bench.as_tags(corpus, "gold") == gold


def test_long_document(bench):
    """The long document has the segments asked for, which do not overlap."""
    corpus = bench.long_document(1000, 100)
    layer = corpus.layers["a"]
    assert len(layer) == 100
    assert (layer.start[1:] >= layer.end[:-1]).all()
    assert layer.end[-1] <= 1000


def test_arrays(bench):
    """A table from an array is that from its rows; nan is missing; bad arrays are refused."""
    values = bench.labels(40).astype(float)
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
