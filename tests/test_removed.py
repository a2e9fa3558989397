"""Names removed before 1.0: using one says what to do instead, and the changes list the same."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import spanagree as sa
from spanagree.cli.group import NAMES, spanagree
from spanagree.cli.main import main
from spanagree.public import RENAMED
from spanagree.removed import REMOVED

CHANGES = Path(__file__).parent.parent / "CHANGELOG.md"


def rows() -> dict[str, tuple[int, str]]:
    """The table of the changes: of each name its lines and what to do instead."""
    section = (
        CHANGES.read_text("utf-8").partition("### Left before 1.0\n")[2].partition("\n### ")[0]
    )
    found = {}
    for line in section.splitlines():
        if line.startswith("| `"):
            names, lines, instead = (cell.strip() for cell in line.strip("|").split(" | "))
            for name in re.findall(r"`([^`]+)`", names):
                assert name not in found
                found[name] = (int(lines.replace(",", "")), instead.replace("`", ""))
    return found


def test_the_changes_have_the_table():
    """Each name stands once in the changes, with the sentence that the old name answers."""
    assert {name: instead for name, (_, instead) in rows().items()} == REMOVED


def is_there(name: str) -> bool:
    """Whether what left is still taken: a command, an option, a choice, or a name of Python."""
    if name.startswith("sa."):
        return name.removeprefix("sa.") in {
            *dir(sa),
            *(n for p in sa.PACKAGES for n in dir(getattr(sa, p))),
        }
    words = name.split()
    command = words.pop(0) if not words[0].startswith("-") else ""
    if not words:
        return command in NAMES
    option, *value = words
    commands = [command] if command else NAMES
    for parameter in (p for word in commands for p in spanagree.commands[word].params):
        if isinstance(parameter, click.Option) and option in parameter.opts:
            return not value or value[0] in getattr(parameter.type, "choices", ())
    return False


@pytest.mark.parametrize("name", REMOVED)
def test_what_left_is_gone_and_answers(name, capsys):
    """No such name is taken, and it answers with one line that says what to do instead."""
    assert not is_there(name)
    sentence = f"was removed before 1.0: {REMOVED[name]}"
    if name.startswith("sa."):
        with pytest.raises(AttributeError, match=re.escape(f"{name} {sentence}")):
            getattr(sa, name.removeprefix("sa."))
        return
    words = name.split()
    command = [words.pop(0)] if not words[0].startswith("-") else []
    asked = [*(command or ["evaluate"]), *words] if words else command
    assert main([*asked, "x"]) in (1, 2)
    out, error = capsys.readouterr()
    assert sentence in error
    assert error.count("\n") == 1
    assert not out


RENAMED_SECTION = (
    CHANGES.read_text("utf-8").partition("### Renamed before 1.0\n")[2].partition("\n### ")[0]
)


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_renamed_names(old, new):
    """An old name is what its new name is, and the changes have both."""
    assert getattr(sa, old) is getattr(sa, new)
    assert any(f"{old}`" in line and f"`{new}`" in line for line in RENAMED_SECTION.splitlines())


def test_renamed_methods():
    """Old methods of corpora and tables of labels do what the new ones do."""
    corpus = sa.Corpus.from_segments([3, 2], {"a": [[(0, 1, "x")], []], "b": [[], []]})
    table = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "y")])
    assert corpus.of_annotators(["b"]) == corpus.select_annotators(["b"])
    assert corpus.but(notes=("odd",)) == corpus.replace(notes=("odd",))
    assert table.of_annotators(["b"]).annotators == table.select_annotators(["b"]).annotators
