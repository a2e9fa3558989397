"""scripts/reproduce_*.py and what docs/reproduction.md says came of them."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "reproduce_li2024.py"
PAGE = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^```text\n\$ (.*?)\n(.*?)^```$", PAGE, re.M | re.S))
(SIMULATIONS,) = (command for command in BLOCKS if command.endswith("simulations"))
TABLES = [command for command in BLOCKS if " table " in command]
MODEL = {"match": "token", "chance": "per-label"}


def run(command, folder):
    """What a command of the page prints, run where the page says."""
    here = f"{shlex.quote(sys.executable)} {shlex.quote(str(SCRIPT))}"
    line = re.sub(r"^python \S*scripts/reproduce_li2024.py", lambda _: here, command)
    assert line != command
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, encoding="utf-8", check=True
    ).stdout


def timeless(text):
    """Without the seconds, which follow a rank, and without the version."""
    return re.sub(r"(\s\d+\s+)\d+\.\d{4}$|(?<=spanagree:)\S+", r"\1", text, flags=re.M)


def script(name="reproduce_li2024"):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_simulations():
    """The simulations print what the page shows, and all figures agree with the printed ones."""
    shown = run(SIMULATIONS, ROOT)
    assert shown == BLOCKS[SIMULATIONS]
    figures = 3 * len(json.loads((ROOT / "tests/golden/simulations.json").read_text("utf-8")))
    assert f"\n{figures} of {figures} figures agree" in shown


def shown_parts(text):
    """Of each part of a table: its name, its number of sentences, and its systems' figures."""
    for block in text.split("\n\n"):
        if head := re.match(r"(all|easy half|hard half): ([\d,]+) sentences", block):
            rows = re.findall(r"^(\S+\.conll) +(.+)$", block, re.M)
            figures = {name: [float(cell) for cell in row.split()] for name, row in rows}
            tau = re.search(r"raw and corrected F1: (\S+)$", block, re.M)[1]
            yield head[1], int(head[2].replace(",", "")), figures, float(tau)


@pytest.mark.slow
@pytest.mark.parametrize("border", [None, 0.175])
def test_table(newsroom, border):
    """Every part's figures and ranks are those of sa.evaluate on its sentences, chosen by hand."""
    names = ("gold", "lexicon", "tagger", "chunker")
    files = [f"{name}.conll" for name in names]
    option = "" if border is None else f" --chance-at {border}"
    text = run(f"python scripts/reproduce_li2024.py table {' '.join(files)}{option}", newsroom)
    parts = list(shown_parts(text))
    corpus = sa.read_conll([newsroom / file for file in files])
    # the chance level: gold against itself
    twice = sa.read_conll({"gold": newsroom / files[0], "again": newsroom / files[0]})
    by_sentence = sa.evaluate(twice, **MODEL).by_document("again")
    chance = {int(d) - 1: tally.f1.expected for d, tally in by_sentence}
    ordered = sorted(chance, key=chance.get, reverse=True)
    easy = parts[1][1] if border is None else sum(level >= border for level in chance.values())
    if border is None:
        assert abs(2 * easy - len(ordered)) <= 1
        assert chance[ordered[easy - 1]] > chance[ordered[easy]]  # equal ones are not parted
    chosen = {
        "all": range(len(corpus)),
        "easy half": sorted(ordered[:easy]),
        "hard half": sorted(ordered[easy:]),
    }
    assert [name for name, *_ in parts] == list(chosen)
    for name, sentences, figures, tau in parts:
        assert sentences == len(chosen[name])
        systems = sa.evaluate(corpus.subset(chosen[name]), gold="gold.conll", **MODEL).systems
        assert list(figures) == list(systems)
        for system, (raw, rank, expected, corrected, corrected_rank, seconds) in figures.items():
            f1 = systems[system].f1
            assert [raw, expected, corrected] == [round(value, 4) for value in f1[:3]]
            assert (rank, corrected_rank) == systems[system].rank
            assert 0 < seconds < 60
        kept = all(of.rank.observed == of.rank.corrected for of in systems.values())
        assert (tau == 1) == kept
    silent = len(corpus) - len(chance)
    assert f"\nwithout gold segment: {silent} sentences; in all, in no half\n" in text


def test_table_without_a_half(newsroom, capsys):
    """A border beyond all chance levels leaves a half empty, and says so rather than fails."""
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "tagger")]
    script().main(["table", *files, "--chance-at", "1"])
    shown = capsys.readouterr().out
    assert "\neasy half: 0 sentences\n\nhard half: 96 sentences" in shown
    assert "Kendall's τ of the two halves: raw F1 –, corrected F1 –" in shown
    assert "\nnote: no document has a difficulty from 0 to 0 (level-1)\n" in shown


def test_what_cannot_be_done(newsroom, monkeypatch):
    """Bad input and a missing matplotlib end in one line and exit code 1."""
    gold, tagger = (str(newsroom / f"{name}.conll") for name in ("gold", "tagger"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    for arguments, said in (
        (["figure"], "the figure needs matplotlib: pip install matplotlib"),
        (["table", gold, "nowhere.conll"], "nowhere.conll: no such file"),
        (["table", gold, tagger, "--chance-at", "1.5"], "chance_at [1.5]; a list of rising numbers from 0 to 1 is needed"),
    ):  # fmt: skip
        with pytest.raises(SystemExit) as error:
            script().main(arguments)
        assert error.value.code == said  # a text: printed, and the exit code is 1


@pytest.mark.slow
def test_figure(tmp_path):
    """The plot is written where it is asked for, if matplotlib is there."""
    pytest.importorskip("matplotlib")
    shown = run("python scripts/reproduce_li2024.py figure here.png", tmp_path)
    assert re.fullmatch(r"4 start distributions in \d\.\d{4} seconds, plotted to here.png\n", shown)
    assert (tmp_path / "here.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("command", TABLES, ids=range(len(TABLES)))
def test_wnut17_table(real, command):
    """The table of seven systems is the page's, but for the seconds."""
    shown = run(command, real / "data" / "wnut17_systems")
    assert timeless(shown) == timeless(BLOCKS[command])


@pytest.mark.slow
def test_wnut17_what_it_shows(real):
    """The jackknife tells no pair apart that the correction turns; the worst system marks least."""
    folder = real / "data" / "wnut17_systems"
    files = [folder / "emerging.test.annotated", *sorted((folder / "submissions").iterdir())]
    corpus = sa.read_conll(files, ignore_tokens=True)
    difficulty = sa.difficulty(corpus, files[0].name, **MODEL)
    turned = 0
    for border in (None, [0.175]):
        for part in (corpus, *sa.split(corpus, difficulty, chance_at=border)):
            evaluation = sa.evaluate(part, files[0].name, **MODEL)
            for pair in sa.compare_systems(evaluation).pairs:
                if pair.observed.value * pair.corrected.value < 0:
                    turned += 1
                    assert pair.observed.p > 0.5
                    assert pair.corrected.p > 0.8
            marked = {name: of.tally.size_b for name, of in evaluation.systems.items()}
            corrections = {
                name: of.f1.observed - of.f1.corrected for name, of in evaluation.systems.items()
            }
            assert min(marked, key=marked.get) == "drexel_cci"
            assert min(corrections, key=corrections.get) == "drexel_cci"
            assert not any(math.isnan(value) for value in corrections.values())
    assert turned > 0


def test_spa_after_each_label():
    """Each point of a curve is that of the labels so far, item by item by the definition of SPA."""
    spa = script("reproduce_spa2022")
    rng = np.random.default_rng(0)
    item, label = np.repeat(np.arange(8), 5), rng.integers(0, 3, 40)
    order = rng.permutation(40)
    item, label = item[order], label[order]
    weights = spa.weights_of(5, np.bincount(label) / 40)
    found, used = spa.grown(item, label, weights)
    for size in range(1, 41):
        counts = np.zeros((8, 3))
        np.add.at(counts, (item[:size], label[:size]), 1)
        counts = counts[counts.sum(axis=1) > 1]
        n = counts.sum(axis=1).astype(int)
        assert used[size - 1] == n.sum()
        agreement = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
        for weight, at in zip(weights[:, n], found[:, size - 1], strict=True):
            expected = weight @ agreement / weight.sum() if len(n) else math.nan
            assert at == pytest.approx(expected, nan_ok=True)


@pytest.mark.slow
def test_spa_of_mbic(real):
    """SPA of all labels, with the three weights that need no shares, is that of sa.coefficients."""
    spa = script("reproduce_spa2022")
    path = real / "data" / "mbic" / "mbic_slim.csv"
    item, label = spa.read(str(path), "label_bias")
    found, used = spa.grown(item, label, spa.weights_of(12, np.bincount(label) / len(label)))
    assert used[-1] == len(item) == 17_775
    table = sa.read_labels(path, item="sentence_id", annotator="survey_record_id", label="label_bias")  # fmt: skip
    for scheme in ("edges", "flat", "annotations", "annotations_m1"):
        of_all = sa.labels.spa(table, weights=scheme)
        assert found[spa.SCHEMES.index(scheme), -1] == pytest.approx(of_all.value)
