"""The study of shared tasks: a made-up task from files to tables, and the page against its results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import spanagree as sa
from spanagree.report.study import study

pytest.importorskip("tomllib")  # as the manifest is TOML
ROOT = Path(__file__).parents[2]
STUDY = ROOT / "studies" / "shared_tasks"
RESULTS = STUDY / "results"
PAGE = ROOT / "docs" / "shared_tasks.md"

MANIFEST = """
[[task]]
name = "tiny"
title = "A made-up task"
source = "made for this test"
licence = "none needed"
folder = "."
prepare = "files"
files = { gold = "gold.conll", one = "one.conll", two = "two.conll" }
gold = "gold"
unit = "sentence"
measure = "exact"
places = "letters"

[task.printed]
measure = "exact F1"
figure = "exact"
where = "counted by hand"
values = { one = 1.0, two = 0.5 }
"""
SENTENCE = ["Jo", "met", "Ann", "in", "Rome"]
TAGS = {
    "gold": ["B-PER", "O", "B-PER", "O", "B-LOC"],
    "one": ["B-PER", "O", "B-PER", "O", "B-LOC"],
    "two": ["B-PER", "O", "O", "O", "O"],
}


@pytest.fixture
def data(tmp_path):
    """The files of the made-up task: one system finds all, one a third of it."""
    for name, tags in TAGS.items():
        rows = "\n".join(f"{word}\t{tag}" for word, tag in zip(SENTENCE, tags, strict=True))
        (tmp_path / f"{name}.conll").write_text(f"{rows}\n\n" * 12, "utf-8")
    (tmp_path / "tasks.toml").write_text(MANIFEST, "utf-8")
    return tmp_path


def run(data, out, *more):
    """Run the study's command, and return the files that it wrote."""
    command = [sys.executable, str(STUDY / "run.py"), str(data), *more]
    command += ["--manifest", str(data / "tasks.toml"), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return {path.name: path.read_bytes() for path in out.iterdir()}, done.stderr


@pytest.mark.slow
def test_from_files_to_tables(data, tmp_path):
    """F1 of 1 and .5, as by hand; chance of gold against itself; a second run is equal to the byte."""
    first, _ = run(data, tmp_path / "one")
    made = json.loads(first["tiny.json"])
    assert [row["difference"] for row in made["printed"]["rows"]] == [0, 0]
    exact = made["study"]["rows"][0]
    # two names and a place, of one token each, in 5 tokens: 2·2/5 and 1/5 of 3 match by chance
    assert exact["best"]["expected"] == pytest.approx((2 * 2 / 5 + 1 / 5) / 3)
    assert exact["tau"] == 1
    assert exact["reordered"]["pairs"] == 0
    second, _ = run(data, tmp_path / "two")
    assert first == second
    _, said = run(data, tmp_path / "one")
    assert "tiny: there already" in said
    again, _ = run(data, tmp_path / "one", "--again")
    assert again == first


@pytest.mark.long
def test_files_that_are_not_there(tmp_path, data):
    """A task whose files somebody does not have is passed over."""
    manifest = (data / "tasks.toml").read_text("utf-8").replace('folder = "."', 'folder = "x"')
    (data / "tasks.toml").write_text(manifest, "utf-8")
    _, said = run(data, tmp_path / "out")
    assert "tiny: no files at x, passed over" in said


def test_study_of_people_and_systems():
    """Systems against annotators, and annotators alone, whose measures may be refused."""
    layers = {name: [[(0, 2, "X"), (1, 3, "X")]] * 3 for name in ("ann", "bob", "cem")}
    corpus = sa.Corpus.from_segments([9] * 3, layers)
    team = study(corpus)
    assert [row["match"] for row in team.rows] == ["exact"]  # the others allow no overlap
    assert set(team.refused) == {"iou", "token"}
    assert team.rows[0]["people"]["observed"] == 1
    against = study(corpus, systems=["cem"], matches=["exact"])
    assert against.rows[0]["best"]["name"] == "cem"
    assert "best" in str(against.table().to_rows()[0]["place"])
    with pytest.raises(sa.errors.SettingError, match="overlap"):
        study(corpus, matches=["token"])
    with pytest.raises(sa.errors.SettingError, match="gold and systems"):
        study(corpus, "ann", systems=["cem"])


def tables():
    """The module that makes the tables."""
    sys.path.insert(0, str(STUDY))
    try:
        import tables
    finally:
        sys.path.remove(str(STUDY))
    return tables


def results():
    """The results that the page shows, in the order of the manifest."""
    import tomllib

    listed = tomllib.loads((STUDY / "tasks.toml").read_text("utf-8"))["task"]
    paths = [RESULTS / f"{task['name']}.json" for task in listed]
    return [json.loads(path.read_text("utf-8")) for path in paths if path.exists()]


@pytest.mark.slow
def test_page():
    """Each table of the page and its figure are those of the results."""
    page = PAGE.read_text("utf-8")
    made = results()
    assert tables().with_blocks(page, made) == page
    assert (ROOT / "docs" / "shared_tasks.svg").read_text("utf-8") == tables().figure(made)
    assert len(made) >= 12
    assert tables().claims(made)["compared"] >= 60


def test_printed_scores():
    """HIPE's strict coarse F1 is that of the published ranking, for all runs in it."""
    by_name = {result["task"]["name"]: result for result in results()}
    rows = by_name["hipe2020_literal"]["printed"]["rows"]
    assert len(rows) == 13
    assert all(row["difference"] == 0 for row in rows)
