"""Notes on a terminal: one for each kind, and only about what was asked."""

from __future__ import annotations

import pytest

import spanagree as sa
from spanagree.cli.main import main
from spanagree.cli.notes import select_note_of_each_kind


def test_one_note_for_a_kind():
    """The worst comes whole, two more by name and number; the others are counted."""
    notes = [f"ann-{n}: {n} ill-formed tags read as conlleval does (IOB2)" for n in range(2, 47)]
    notes.insert(3, "no text in b.conll")
    notes.append("ann-1: 1 ill-formed tag read as conlleval does (IOB2)")
    assert select_note_of_each_kind(notes, "--verbose lists all") == [
        "ann-46: 46 ill-formed tags read as conlleval does (IOB2); also ann-45 (45), ann-44 (44)"
        " and 43 more; --verbose lists all",
        "no text in b.conll",
    ]
    assert select_note_of_each_kind(["a: 2 tags read", "b: 3 tags read"]) == [
        "b: 3 tags read; also a (2)"
    ]
    others = ["a: 2 tags read", "b: 3 tags left out", "a: 2 tags read", "c"]
    assert select_note_of_each_kind(others) == [others[0], others[1], "c"]


@pytest.fixture
def ill_formed(tmp_path):
    """Five files, of which four have I- tags that continue nothing."""
    for i in range(5):
        tags = ["B-X", *["I-Y"] * i, *["O"] * (4 - i)]
        lines = [f"word{j}\t{tag}" for j, tag in enumerate(tags)]
        (tmp_path / f"ann{i}.conll").write_text("\n".join([*lines, ""]), "utf-8")
    return [str(tmp_path / f"ann{i}.conll") for i in range(5)]


def test_verbose(ill_formed, capsys):
    """The command line gives one line for a kind, or all if asked."""
    arguments = ["evaluate", *ill_formed, "--scheme", "IOB2"]
    assert main(arguments) == 0
    (short,) = [x for x in capsys.readouterr().err.splitlines() if "ill-formed" in x]
    assert short.endswith("--verbose lists all")
    assert main([*arguments, "--verbose"]) == 0
    every = [x for x in capsys.readouterr().err.splitlines() if "ill-formed" in x]
    assert len(every) == 4


def test_notes_are_about_those_who_are_compared(ill_formed):
    """What was read of annotators who are left out is not said of those who are not."""
    corpus = sa.read_conll({f"a{i}": path for i, path in enumerate(ill_formed)}, scheme="IOB2")
    assert len(corpus.notes) == 4
    two = sa.agree(corpus, annotators=["a0", "a1"])
    assert [note[:3] for note in two.notes if "ill-formed" in note] == ["a1:"]
    for result in (sa.disagreements(corpus, "a0", "a2"), sa.difficulty(corpus, "a2")):
        assert [note[:3] for note in result.notes if "ill-formed" in note] == ["a2:"]


def test_check_does_not_warn_of_sentences_without_entities(newsroom, tmp_path, capsys):
    """A sentence in which nothing is marked is usual; a document is worth a warning still."""
    gold = str(newsroom / "gold.conll")
    assert main(["check", gold]) == 0
    assert "nothing odd found" in capsys.readouterr().out
    (tmp_path / "two.conll").write_text("-DOCSTART- O\n\na B-X\n\n-DOCSTART- O\n\nb O\n", "utf-8")
    assert main(["check", str(tmp_path / "two.conll"), "--unit", "document"]) == 0
    assert "marked-nothing" in capsys.readouterr().out
