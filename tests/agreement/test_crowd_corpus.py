"""The crowd corpus is what its script makes, and is as its page says."""

from __future__ import annotations

import importlib
import re
from itertools import combinations
from pathlib import Path

import pytest

import spanagree as sa

ROOT = Path(__file__).parents[2]
CROWD = ROOT / "corpora" / "crowd"
NAMES = ("ann", "bob", "cem", "dia", "eli")


@pytest.fixture(scope="module")
def corpus():
    return sa.read_jsonl(CROWD / "crowd.jsonl")


@pytest.fixture(scope="module")
def seen(corpus):
    """Per annotator, the numbers of the notes seen."""
    return {
        name: {n for n, note in enumerate(corpus, 1) if note.segments[name] is not None}
        for name in NAMES
    }


def table(columns):
    """The rows of the README's tables with so many columns, by their first, backticks off."""
    page = (CROWD / "README.md").read_text("utf-8").replace("`", "")
    rows = [re.split(r"\s*\|\s*", line)[1:-1] for line in page.splitlines() if line[:1] == "|"]
    return {row[0]: row[1:] for row in rows if len(row) == columns}


def f1(corpus, one, other, match="exact"):
    pair = corpus.select_annotators([one, other])
    return sa.evaluate(pair, match=match).systems[other].f1.observed


def test_crowd_is_made_by_its_script(tmp_path, monkeypatch):
    """The file is, byte for byte, what scripts/make_crowd.py writes."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    module = importlib.import_module("make_crowd")
    module.main([str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["crowd.jsonl"]
    assert (tmp_path / "crowd.jsonl").read_bytes() == (CROWD / "crowd.jsonl").read_bytes()


def test_the_notes_are_as_the_page_counts_them(corpus):
    """The README's table of notes, tokens and how many saw them holds in full."""
    seen_by = [[s for s in note.segments.values() if s is not None] for note in corpus]
    counts = {
        "notes": len(corpus),
        "tokens": sum(note.length for note in corpus),
        "notes of up to six tokens": sum(note.length <= 6 for note in corpus),
        "tokens of the longest note": max(note.length for note in corpus),
        "notes left empty by all who saw them": sum(not any(of) for of in seen_by),
    }
    for k in range(1, 6):
        counts[f"notes seen by {k} annotator{'s' * (k > 1)}"] = [*map(len, seen_by)].count(k)
    rows = {key: row for key, row in table(2).items() if key.strip("-")}
    assert rows == {key: [str(count)] for key, count in counts.items()}


def test_the_annotators_are_as_the_page_counts_them(corpus):
    """The README's table of what each annotator saw and marked holds in full."""
    rows = table(7)
    head = rows.pop("annotator")
    assert rows.pop("---")
    assert tuple(rows) == NAMES
    for name, row in rows.items():
        notes = [s for note in corpus if (s := note.segments[name]) is not None]
        labels = [segment.label for segments in notes for segment in segments]
        counts = [len(notes), notes.count(()), len(labels), *map(labels.count, head[3:])]
        assert row == [str(count) for count in counts]


def test_the_corpus_loads(corpus):
    """It is read without notes: five annotators, three labels, tokens, and ids from note-01 on."""
    assert corpus.annotators == NAMES
    assert corpus.labels == ("PEST", "PLANT", "TOOL")
    assert corpus.offsets == "tokens"
    assert corpus.notes == ()
    assert corpus.ids == tuple(f"note-{n:02}" for n in range(1, len(corpus) + 1))
    assert all(note.tokens and note.length >= 3 for note in corpus)


def test_the_gaps_are_as_the_page_describes_them(corpus, seen):
    """Who saw which notes is as in the README: half-finished, every seventh, two of three, late."""
    every = set(range(1, len(corpus) + 1))
    assert seen["ann"] == every
    assert seen["bob"] == set(range(1, 43))
    assert seen["cem"] == {n for n in every if n % 7}
    assert seen["dia"] == {n for n in every if n % 3}
    assert seen["eli"] == {*range(43, 63), 8, 16, 24, 32, 40}
    assert len(seen["bob"] & seen["eli"]) == 5


def test_one_note_was_seen_by_one_annotator(seen):
    """Only the last note was seen by fewer than two, and that by ann."""
    lonely = {n for n in seen["ann"] if sum(n in of for of in seen.values()) < 2}
    assert lonely == {63}


def test_no_annotator_overlaps_herself(corpus):
    """An annotator's segments never share a token, but some stand side by side."""
    gaps = [
        right.start - left.end
        for note in corpus
        for segments in note.segments.values()
        for left, right in zip(segments or (), (segments or ())[1:], strict=False)
    ]
    assert min(gaps) == 0


def test_careful_annotators_agree(corpus):
    """Any two of ann, bob and eli have an exact F1 between .85 and .95."""
    for pair in combinations(("ann", "bob", "eli"), 2):
        assert 0.85 < f1(corpus, *pair) < 0.95


def test_cem_differs_in_boundaries(corpus):
    """With ann cem has an exact F1 of about a half, and one of .8 by tokens."""
    assert 0.4 < f1(corpus, "ann", "cem") < 0.6
    assert f1(corpus, "ann", "cem", match="token") > 0.8


@pytest.mark.parametrize("match", ["exact", "token"])
def test_dia_is_lowest(corpus, match):
    """Each of the others agrees less with dia than with anybody else."""
    others = [name for name in NAMES if name != "dia"]
    for name in others:
        with_others = [f1(corpus, name, other, match) for other in others if other != name]
        assert f1(corpus, name, "dia", match) < min(with_others)
