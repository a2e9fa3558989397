"""Options that do nothing are refused, and settings without effect are not signed."""

from __future__ import annotations

import pytest

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.joined import merge_settings
from spanagree.signature import format_signature

EVALUATE = "evaluate {0}/gold.conll {0}/lexicon.conll "
CROWD = "{0}/../crowd/crowd.jsonl "
REFUSED = {
    EVALUATE + "--ci --by document": "--ci does not go with --by document: such rows have no intervals",
    "agree " + CROWD + "--ci --by document": "--ci does not go with --by document",
    "coefficients --tokens " + CROWD + "--ci --by annotator": "--ci does not go with --by annotator",
    EVALUATE + "--test jackknife --seed 1": "--seed does not go with --test jackknife: it draws nothing",
    EVALUATE + "--digits 2 --format csv": "--digits does not go with --format csv",
    EVALUATE + "--percent --format json": "--percent does not go with --format json",
    EVALUATE + "--all --format csv": "--all does not go with --format csv",
    EVALUATE + "--digits -1": "--digits -1; a whole number from 0 is needed",
    EVALUATE + "--digits 16": "--digits 16; at most 15 are exact",
    EVALUATE + "--style bold": "--style bold is for --format markdown; not for text",
    EVALUATE + "--style plain --format markdown": "--style plain is for --format latex",
    EVALUATE + "--style fat --format latex": "unknown style 'fat'; allowed: bold",
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line, newsroom, capsys):
    """One line says which option, and what to do."""
    assert main([part.format(newsroom) for part in line.split()]) != 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"spanagree: error: {REFUSED[line]}")
    assert err.count("\n") == 1


@pytest.mark.long
def test_seed_of_draws(newsroom, capsys):
    """A seed needs a measure that may be drawn, and is signed only where something was."""
    lines = [f"{newsroom}/gold.conll", f"{newsroom}/lexicon.conll", "--seed", "3"]
    for command in ("evaluate", "agree", "difficulty"):
        assert main([command, *lines]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("spanagree: error: --seed needs ")
        assert main([command, *lines, "--match", "overlap"]) == 0
        assert "seed:" not in capsys.readouterr().out


def test_settings_of_reading_without_effect(newsroom, tmp_path):
    """Asked for and not needed, they are not in the signature; where they were needed, they are."""
    files = {name: newsroom / f"{name}.conll" for name in ("gold", "tagger")}
    plain = sa.evaluate(sa.read_conll(files)).signature
    asked = sa.read_conll(files, ignore_tokens=True, missing="?", repair=["drop-empty"])
    assert sa.evaluate(asked).signature == plain
    other = tmp_path / "other.conll"
    other.write_text(files["tagger"].read_text("utf-8").replace("\nthe\t", "\nTHE\t"), "utf-8")
    differ = sa.read_conll({**files, "tagger": other}, ignore_tokens=True)
    assert "|tokens:ignored|" in sa.evaluate(differ).signature


def test_coefficients_without_effect():
    """Of a complete table, complete-only leaves nothing out; missing and duplicates may be idle."""
    rows = [(item, who, "x") for item in "ab" for who in ("ann", "bob")]
    whole, gaps = (sa.LabelTable.from_rows(some) for some in (rows, rows[:3]))
    assert "complete_only" not in sa.alpha(whole, complete_only=True).signature
    assert "complete_only:yes" in sa.alpha(gaps, complete_only=True).signature
    given = {"duplicates": "first", "missing": "NA"}
    assert "duplicates" not in sa.alpha(sa.LabelTable.from_rows(rows, duplicates="first")).signature
    twice = sa.LabelTable.from_rows([*rows, ("a", "ann", "y")], duplicates=given["duplicates"])
    assert "duplicates:first" in sa.alpha(twice).signature


def test_parts_need_not_all_have_had_an_effect():
    """A setting that only one of the parts needed is that of the whole, in either order."""
    one = {"version": "1", "repair": ["drop-empty"], "missing": "?"}
    other = {"version": "1", "repair": ["clip-beyond-text"]}
    for parts in ((one, other), (other, one)):
        whole = merge_settings(*parts)
        assert format_signature(whole) == "missing:?|repair:clip-beyond-text+drop-empty|spanagree:1"
    with pytest.raises(sa.InputError, match="missing"):
        merge_settings(one, {**other, "missing": "NA"})
