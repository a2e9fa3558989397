"""The study of shared tasks: a made-up task from files to tables, and the page against its results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import spanagree as sa

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    tomllib = pytest.importorskip("tomli")
ROOT = Path(__file__).parents[2]
STUDY = ROOT / "studies" / "shared_tasks"
RESULTS = STUDY / "results"
PAGE = ROOT / "docs" / "shared_tasks.md"
sys.path.insert(0, str(STUDY))

import ehealthkd  # noqa: E402 — beside the study's command
import error_spans  # noqa: E402
import prepare  # noqa: E402
import tables  # noqa: E402
from study import _Asked, _copies, study  # noqa: E402

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
    """Run the study's command in an empty folder, and return the files that it wrote."""
    empty = out.parent / f"{out.name}_from"
    empty.mkdir(exist_ok=True)
    command = [sys.executable, str(STUDY / "run.py"), str(data), *more]
    command += ["--manifest", str(data / "tasks.toml"), "--out", str(out)]
    done = subprocess.run(
        command, cwd=empty, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert not list(empty.iterdir())
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
    few = study(corpus, matches=["exact"], seed=3)
    assert "|draws:200|seed:3|" in few.signature  # as it was asked for
    against = study(corpus, systems=["cem"], matches=["exact"])
    assert against.rows[0]["best"]["name"] == "cem"
    assert against.rows[0]["why"]["per-label"] == "one label"
    with pytest.raises(sa.errors.SettingError, match="overlap"):
        study(corpus, matches=["token"])
    with pytest.raises(sa.errors.SettingError, match="gold and systems"):
        study(corpus, "ann", systems=["cem"])
    with pytest.raises(sa.errors.SettingError, match=r"settings .*chance_of.*: with systems"):
        study(corpus, systems=["cem"], settings={"chance_of": "systems"})


def test_systems_are_compared_with_each_other():
    """Of two systems there is one pair, whose order chance does not change; of one there is none."""
    marked = [[(0, 2, "X")]] * 12
    layers = {"gold": marked, "good": marked, "bad": [*marked[:6], *[[(4, 5, "X")]] * 6]}
    corpus = sa.Corpus.from_segments([9] * 12, layers)
    (row,) = study(corpus, "gold", matches=["exact"]).rows
    assert (row["reordered"]["of"], row["reordered"]["pairs"], row["tau"]) == (1, 0, 1)
    (row,) = study(corpus.select_annotators(["gold", "good"]), "gold", matches=["exact"]).rows
    assert row["reordered"] is None


def test_very_many_annotators(monkeypatch):
    """Of more than there is time for, neither intervals, nor everybody's figures, nor a baseline."""
    monkeypatch.setattr("study._MANY", 3)
    layers = {name: [[(0, 2, "X")], [(3, 4, "Y")], []] for name in ("ann", "bob", "cem", "dia")}
    corpus = sa.Corpus.from_segments([9] * 3, layers)
    (few,) = study(corpus.select_annotators(["ann", "bob", "cem"]), matches=["exact"]).rows
    (many,) = study(corpus, matches=["exact"]).rows
    for row, scored, baselines in ((few, 3, ["everything"]), (many, 0, [])):
        assert ("interval" in row["people"]) is (row is few)
        assert (len(row["scored"]), [*row["baselines"]]) == (scored, baselines)
    assert many["people"]["observed"] == 1


def test_a_baseline_that_cannot_be_made():
    """Who has the name of a baseline takes its place: the study says so, and has none."""
    layers = {name: [[(0, 2, "X")], []] for name in ("ann", "bob", "everything")}
    corpus = sa.Corpus.from_segments([9, 9], layers)
    for systems in (None, ["bob"]):
        (row,) = study(corpus, systems=systems, matches=["exact"]).rows
        assert "everything" not in row["baselines"]
        assert "everything" in row["why"]["everything"]


def test_what_a_task_is():
    """Words of texts are counted; without texts, units of length are all that there is.

    By hand: 2 and 3 words in 5 and 7 characters, of which two segments mark 5 and 3.
    """
    layers = {"gold": [[(0, 5, "X")], [(0, 3, "X")]], "mine": [[], []]}
    for texts, words, of_segment in ((["ab cd", "abc d e"], 2.5, 8 * 5 / 12 / 2), (None, 6, 4)):
        corpus = sa.Corpus.from_segments([5, 7], layers, offsets="characters", texts=texts)
        about = study(corpus, "gold", matches=["exact"]).about
        assert (about["words"], about["share_marked"]) == (words, 8 / 12)
        assert about["words_of_segment"] == pytest.approx(of_segment)


@pytest.mark.long
def test_systems_against_people_are_tested_by_document():
    """A copy of each document for each annotator has the F1 of the comparison with all of them.

    Oracle: ``evaluate_references``, whose tallies come another way. The first of the two systems
    is right in all 40 documents and the other in none, so that the test tells them apart; one
    annotator has not seen ten documents.
    """
    right, wrong = [[(0, 2, "X")]] * 40, [[(3, 5, "X")]] * 40
    late = [[(0, 2, "X"), (4, 6, "Y")]] * 30 + [None] * 10
    layers = {"ann": right, "good": right, "bad": wrong, "bob": late}
    corpus = sa.Corpus.from_segments([7, 9] * 20, layers)
    row = study(corpus, systems=["good", "bad"], matches=["token"]).rows[0]
    assert (row["reordered"]["of"], row["reordered"]["pairs"]) == (1, 0)
    assert row["reordered"]["told_apart_raw"] == row["reordered"]["told_apart_corrected"] == 1
    drawn = study(corpus, systems=["good", "bad"], matches=["overlap"]).rows[0]
    assert [drawn["why"][key] for key in ("per-label", "places", "whole")] == ["drawn"] * 3
    asked = _Asked(corpus, "token", None, None, {}, sa.Jackknife(), 0, 1)
    copies = _copies(asked, ["ann", "bob"])
    assert (len(copies), copies.parent_ids[:4].tolist()) == (40 + 30, [0, 0, 1, 1])
    whole = asked._replace(ci=sa.Jackknife(cluster_by="document"))
    assert _copies(whole, ["ann", "bob"]).parent_ids.tolist() == copies.parent_ids.tolist()
    of_tens = whole._replace(corpus=corpus.replace(parent_ids=np.arange(40) // 10))
    assert np.bincount(_copies(of_tens, ["ann", "bob"]).parent_ids).tolist() == [20, 20, 20, 10]
    each = sa.evaluate(copies, "ann", match="token")
    every = sa.evaluate_references(corpus, ["ann", "bob"], match="token")
    for name in ("good", "bad"):
        for kind in ("observed", "expected"):
            assert getattr(each[name].f1, kind) == pytest.approx(getattr(every[name].f1, kind))


def results():
    """The results that the page shows, in the order of the manifest."""
    listed = tomllib.loads((STUDY / "tasks.toml").read_text("utf-8"))["task"]
    paths = [RESULTS / f"{task['name']}.json" for task in listed]
    return [json.loads(path.read_text("utf-8")) for path in paths if path.exists()]


@pytest.mark.slow
def test_page():
    """Each table of the page and its figure are those of the results."""
    page = PAGE.read_text("utf-8")
    made = results()
    assert tables.with_blocks(page, made) == page
    assert (ROOT / "docs" / "shared_tasks.svg").read_text("utf-8") == tables.figure(made)
    assert len(made) >= 12
    assert tables.claims(made)["compared"] >= 60


def test_printed_scores():
    """Every printed score is made again, but one whose printed F1 is not that of its own P and R.

    HIPE's ranking lists 13 of 14 runs: the other one is a run of the baseline, which is listed. Of
    flytxt (W17-4424) the abstract prints 47.92, 31.97 and 38.55: F1 of these is 38.35, as ours.
    """
    gaps, runs = {}, {}
    for result in results():
        rows = (result["printed"] or {"rows": []})["rows"]
        name = result["task"]["name"]
        runs[name] = [row["name"] for row in rows if row["ours"] is not None]
        found = [row["difference"] for row in rows if row["difference"] is not None]
        gaps |= {name: found} if found else {}
    assert {name: len(found) for name, found in gaps.items()} == {
        "wnut17": 4, "wnut16": 2, "hipe2020_literal": 13, "hipe2020_metonymic": 9, "noisebench": 6,
        "ehealthkd2020_entities": 19, "ehealthkd2020_relations": 19, "bratiaa": 1, "mbic": 1,
    }  # fmt: skip
    assert len(runs["hipe2020_literal"]) == 14
    assert [gap for gap in gaps.pop("wnut17") if gap] == [-0.2]
    assert round(2 * 47.92 * 31.97 / (47.92 + 31.97), 2) == 38.35
    assert not any(gap for found in gaps.values() for gap in found)


def brat(path, text, *lines):
    path.mkdir()
    (path / "x.txt").write_text(text, "utf-8")
    (path / "x.ann").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return ehealthkd.read(path / "x.ann")


def test_rules_of_ehealthkd(tmp_path):
    """By hand: of three entities one correct, one with another label, one partial, one spurious.

    2 · (1 + ½) / (3 + 4) = 3/7. A relation between words that gold calls the same counts too, and
    one that is in gold is not taken twice: 1 of 2 in gold and 1 of 2 of the system's.
    """
    text = "aa bb cc dd ee\n"
    gold = brat(
        tmp_path / "gold", text, "T1\tX 0 2\taa", "T2\tX 3 5\tbb", "T3\tY 6 11\tcc dd",
        "R1\tof Arg1:T1 Arg2:T3", "*\tsame-as T1 T2",
    )  # fmt: skip
    mine = brat(
        tmp_path / "mine", text, "T1\tX 0 2\taa", "T2\tY 3 5\tbb", "T3\tY 6 8\tcc", "T4\tX 12 14\tee",
        "R1\tof Arg1:T1 Arg2:T3", "R2\tof Arg1:T4 Arg2:T3",
    )  # fmt: skip
    assert ehealthkd.f1(gold, mine, relations=False) == pytest.approx(3 / 7)
    assert ehealthkd.f1(gold, mine, relations=True) == pytest.approx(1 / 2)
    same = brat(
        tmp_path / "same", text, "T1\tX 0 2\taa", "T2\tX 3 5\tbb", "T3\tY 6 11\tcc dd",
        "R1\tof Arg1:T2 Arg2:T3", "R2\tof Arg1:T1 Arg2:T3",
    )  # fmt: skip
    assert ehealthkd.f1(gold, same, relations=True) == pytest.approx(1 / 2)
    assert ehealthkd.f1(gold, gold, relations=True) == 1


def test_error_spans_by_hand():
    """Characters of two translations: 2 of 3 and 4 shared; the other, where neither marks, is 1.

    Chance of the first, of 6 characters, over 4 · 3 places: the shared are 3 · 4 / 6 on average.
    """
    layers = {"gold": [[(0, 3, "X")], []], "mt": [[(1, 5, "X")], []]}
    corpus = sa.Corpus.from_segments([6, 9], layers)
    rows = error_spans.error_spans(corpus, corpus, {"error_spans": True, "gold": "gold"})
    micro, macro = rows[:2]
    shared = [max(0, min(a + 3, b + 4) - max(a, b)) for a in range(4) for b in range(3)]
    chance = 2 * Fraction(sum(shared), len(shared)) / 7
    assert (micro["precision"], micro["recall"]) == (pytest.approx(2 / 4), pytest.approx(2 / 3))
    assert micro["observed"] == pytest.approx(4 / 7)
    assert micro["expected"] == pytest.approx(float(chance))
    assert macro["observed"] == pytest.approx((4 / 7 + 1) / 2)
    assert macro["expected"] == pytest.approx(float(chance + 1) / 2)
    # 2 of 15 tokens are marked by both, 1 by gold alone, 2 by the other, 10 by neither
    assert error_spans.mcc(corpus, "gold")["mt"] == pytest.approx(
        (2 * 10 - 1 * 2) / (3 * 4 * 11 * 12) ** 0.5
    )


def test_graded_scores_by_hand():
    """Two of four tokens are bad; the highest two scores have one and a half of them, by a tie.

    Of the 2 · 2 pairs of a bad and a good token 3½ are in order.
    """
    made = error_spans._of_translation(np.array([1, 1, 0, 0], bool), np.array([0.9, 0.4, 0.4, 0.1]))
    assert made == (pytest.approx(3.5 / 4), pytest.approx(1.5 / 2), 1 / 2)


def task(name):
    listed = tomllib.loads((STUDY / "tasks.toml").read_text("utf-8"))["task"]
    return next(each for each in listed if each["name"] == name)


def test_first_surprise(real):
    """The first Swedish answer: 39 characters, 30–39 against 30–38, chance by enumeration."""
    corpus = prepare.files(real / "data" / "tools" / "mushroom", task("mushroom_sv"))
    layers = corpus[0].segments.values()
    assert int(corpus.lengths[0]) == 39
    assert sorted((x.start, x.end) for layer in layers for x in layer) == [
        (30, 38),
        (30, 38),
        (30, 39),
    ]
    shared = [max(0, min(a + 9, b + 8) - max(a, b)) for a in range(31) for b in range(32)]
    one = [name for name, layer in corpus[0].segments.items() if layer[0].end == 39]
    other = [name for name in corpus[0].segments if name not in one][:1]
    pair = corpus.subset([0]).select_annotators([*one, *other])
    f1 = sa.agree(pair, match="token").team.f1
    assert f1.observed == pytest.approx(16 / 17)
    assert f1.expected == pytest.approx(float(2 * Fraction(sum(shared), len(shared)) / 17))


def test_second_surprise(real, tmp_path):
    """NoiseBench: a name of two words in a sentence of two is certain, one of one word is 1/2."""
    import tarfile

    with tarfile.open(real / "data" / "tasks" / "noisebench_en" / "noisebench_en.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    corpus = prepare.files(tmp_path, task("noisebench")).select_annotators(["gold", "crowdbest"])
    rows = sa.evaluate(corpus, "gold").to_rows("document")
    by_number = {row["document"]: row for row in rows}
    for number, end, chance in (("3", 2, 1), ("38", 1, 1 / 2)):
        document = corpus[int(number) - 1]
        assert [(x.start, x.end) for x in document.segments["gold"]] == [(0, end)]
        assert document.segments["crowdbest"] == document.segments["gold"]
        assert int(corpus.lengths[int(number) - 1]) == 2
        assert by_number[number]["f1_expected"] == pytest.approx(chance)
    short = [
        row for row in rows if not row["average"] and corpus.lengths[int(row["document"]) - 1] < 6
    ]
    assert sum(row["size_gold"] for row in short) == 1475
    whole = by_number[""]
    assert whole["size_gold"] == 9685
    assert sum(row["expected"] for row in short) / whole["expected"] == pytest.approx(
        0.422, abs=5e-4
    )


def test_third_surprise(real, tmp_path):
    """Quality estimation: 294 of 511 translations where neither marks; one with an error, by hand."""
    import tarfile

    folder = real / "data" / "tasks" / "wmtqe22_word_en-de"
    with tarfile.open(folder / "wmtqe22_word_en-de.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    corpus = prepare.quality_estimation(tmp_path, {})
    marked = {
        layer for name in ("gold", "NJUQE") for layer in corpus.layers[name].document.tolist()
    }
    assert len(corpus) - len(marked) == 294
    number = corpus.ids.index("s0093")
    document = corpus[number]
    places = [[(x.start, x.end) for x in document.segments[name]] for name in ("gold", "NJUQE")]
    assert (int(corpus.lengths[number]), places) == (6, [[(3, 5)], [(3, 4)]])
    made = sa.partial_credit(corpus.subset([number]), "gold", "NJUQE", draws=2000)
    assert made.f1.observed == pytest.approx(2 / 3)
    chance = Fraction(sum(a <= b < a + 2 for a in range(5) for b in range(6)), 30) * Fraction(2, 3)
    assert abs(made.f1.expected - float(chance)) < 4 * made.error


def test_strings_without_a_place_are_wrong(tmp_path):
    """By hand: of a model's four strings one is found, two have no place, one has no label."""
    item = {
        "gold_sent_str": "Jo met Al",
        "gold_spans": [["Jo", "PER"]],
        "predicted_spans": [["Jo", "PER"], ["Jo", "PER"], ["Bo", "NEW"], ["Cy", ""]],
    }
    folder = tmp_path / "answers" / "model"
    folder.mkdir(parents=True)
    (folder / "one.json").write_text(json.dumps([item]), "utf-8")
    corpus = prepare.strings(tmp_path, {})
    model = sa.evaluate(corpus, "gold")["model/one"]
    assert (model.tally.matched, model.tally.size_b, model.not_found) == (1, 3, 2)
    assert study(corpus, "gold", matches=["exact"]).about["labels"] == 1


def test_twelve_real_runs(real, tmp_path):
    """F1 of twelve runs is 2m/(g + s + k) of counts that leave k strings out."""
    archive = real / "data" / "tasks" / "llm_ner_ccner" / "ccner_parsed_strings.tar.gz"
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    rows = [
        {
            "id": str(i),
            "text": text,
            "who": who,
            "spans": [{"text": x, "label": y} for x, y, *_ in spans],
        }
        for i, text, who, spans, _ in prepare._answers(tmp_path)
    ]
    columns = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    corpus = sa.read(rows, repair="drop-unlabelled", **columns)
    counted, ignored = (sa.evaluate(corpus, "gold", unplaced=x) for x in ("wrong", "ignore"))
    assert len(counted.systems) == 12
    lost = {name: count["unaligned"] for name, count in corpus.reading["quotes"].items()}
    falls = []
    for name, system in counted.systems.items():
        tally = ignored[name].tally
        assert 0 < system.not_found <= lost[name]
        size = tally.size_a + tally.size_b + system.not_found
        assert system.f1.observed == pytest.approx(float(Fraction(2 * tally.matched, size)))
        falls.append(ignored[name].f1.observed - system.f1.observed)
    assert 0.005 < min(falls) < max(falls) < 0.03
    assert counted.signature.replace("wrong", "ignore") == ignored.signature
