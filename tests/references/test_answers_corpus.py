"""The corpus of answers: made by its script, as its page says; its figures by independent lines."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import defaultdict
from itertools import permutations
from pathlib import Path

import pytest

import spanagree as sa

ROOT = Path(__file__).parents[2]
ANSWERS = ROOT / "corpora" / "answers"
SYSTEMS = ("detector", "eager")


@pytest.fixture(scope="module")
def rows():
    """Each answer: its length, and what each layer marked."""
    files = {
        name: [
            *map(json.loads, (ANSWERS / "task" / f"{name}.jsonl").read_text("utf-8").splitlines())
        ]
        for name in ("answers", *SYSTEMS)
    }
    return [
        (
            len(answer["model_output_text"]),
            answer["annotations"] | {s: files[s][d]["hard_labels"] for s in SYSTEMS},
        )
        for d, answer in enumerate(files["answers"])
    ]


def test_answers_are_made_by_their_script(tmp_path, monkeypatch):
    """The files are, byte for byte, what scripts/make_answers.py writes."""
    path = ROOT / "scripts" / "make_answers.py"
    spec = importlib.util.spec_from_file_location("make_answers", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "make_answers", module)
    spec.loader.exec_module(module)
    module.main([str(tmp_path)])
    made, there = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.jsonl")}
        for folder in (tmp_path, ANSWERS)
    )
    assert made == there


def test_the_layers_are_as_the_page_counts_them(rows):
    """The tables of the page hold in full."""
    page = (ANSWERS / "README.md").read_text("utf-8").replace("`", "")
    cells = [re.split(r"\s*\|\s*", line)[1:-1] for line in page.splitlines() if line[:1] == "|"]
    table = {row[0]: [int(x) for x in row[1:] if x.isdigit()] for row in cells}
    people = [[v for n, v in layers.items() if n not in SYSTEMS] for _, layers in rows]
    assert table["answers"] == [len(rows)]
    assert table["characters"] == [sum(length for length, _ in rows)]
    assert table["answers left empty by all who saw them"] == [sum(not any(p) for p in people)]
    names = {name for _, layers in rows for name in layers}
    for name in names:
        seen = [layers[name] for _, layers in rows if name in layers]
        spans = [span for layer in seen for span in layer]
        counts = [len(seen), sum(not x for x in seen), len(spans), sum(e - s for s, e in spans)]
        assert table[name] == counts


def coverage(length, spans):
    """How probable it is that a random annotation marks each character.

    What is left to lay out, segments and single gaps, comes in any order with equal probability.
    """
    covered = [0.0] * length
    at = [defaultdict(float) for _ in range(length + 1)]
    at[0][tuple(sorted(end - start for start, end in spans))] = 1.0
    for x in range(length):
        for left, probability in at[x].items():
            gaps = length - x - sum(left)
            share = probability / (gaps + len(left))
            if gaps:
                at[x + 1][left] += share * gaps
            for i, size in enumerate(left):
                at[x + size][left[:i] + left[i + 1 :]] += share
                for place in range(x, x + size):
                    covered[place] += share
    return covered


@pytest.mark.long
def test_figures_by_independent_lines(rows):
    """Systems, people and their ceiling by shared characters: raw, by chance, and beyond it."""
    sums = defaultdict(lambda: [0.0, 0.0, 0.0])
    for length, layers in rows:
        marked = {n: {i for s, e in spans for i in range(s, e)} for n, spans in layers.items()}
        by_chance = {n: coverage(length, spans) for n, spans in layers.items()}
        for a, b in permutations(layers, 2):
            if b not in SYSTEMS:
                shared = sum(p * q for p, q in zip(by_chance[a], by_chance[b], strict=True))
                size = len(marked[a]) + len(marked[b])
                for k, value in enumerate((len(marked[a] & marked[b]), shared, size)):
                    sums[a][k] += value
    for k in range(3):
        sums["ceiling"][k] = sum(sums[n][k] for n in list(sums) if n not in SYSTEMS)
    task = {"people": "answers", **{name: name for name in SYSTEMS}}
    whole = sa.read(ANSWERS / "answers.jsonl")
    same = sa.read({name: ANSWERS / "task" / f"{file}.jsonl" for name, file in task.items()})
    result, other = (
        sa.evaluate_references(corpus, systems=SYSTEMS, match="token") for corpus in (whole, same)
    )
    assert other.ceiling.f1 == result.ceiling.f1
    assert {*result.people} | {*result.systems} == sums.keys() - {"ceiling"}
    for name, (matched, expected, size) in sums.items():
        score = (result.people | result.systems).get(name, result.ceiling)
        f1, by_chance = 2 * matched / size, 2 * expected / size
        assert score.f1[:3] == pytest.approx(
            (f1, by_chance, (f1 - by_chance) / (1 - by_chance)), abs=1e-9
        )
    assert result.systems["eager"].f1.observed > result.ceiling.f1.observed
    assert result.systems["eager"].f1.corrected < 0 < result.systems["detector"].f1.corrected
