"""The way tests hold messages, and ten messages held to the letter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from messages import refuses, says

import spanagree as sa
from spanagree.comparisons.measures import MEASURES

MESSAGE = "a.conll:12: unknown tag 'X'; allowed: O, B-; --repair drop-empty would help"


@pytest.mark.parametrize(
    "needed",
    ["a.conll:12 … 'X' … --repair drop-empty", "… drop-empty …", "a.conll … O, B-", MESSAGE],
)
def test_says(needed):
    """A message has its parts in order, the first at its beginning unless "…" stands there."""
    says(MESSAGE, needed)
    with refuses(ValueError, needed) as error:
        raise ValueError(MESSAGE)
    assert str(error.value) == MESSAGE


@pytest.mark.parametrize(
    ("needed", "missing"),
    [
        ("a.conll:1 …", "no 'a.conll:1' at the beginning"),
        ("unknown tag 'X'", "no \"unknown tag 'X'\" at the beginning"),
        ("a.conll:12 … --repair … 'X'", "no \"'X'\" behind \""),
        ("… empty'", "no \"empty'\" behind ''"),
        ("… drop-emp", "no 'drop-emp' behind ''"),
        ("… nown", "no 'nown' behind ''"),
    ],
)  # fmt: skip
def test_says_not(needed, missing):
    """What a message lacks fails, and what is needed, what there is and where it lacks are shown."""
    with pytest.raises(pytest.fail.Exception) as failure:
        says(MESSAGE, needed)
    assert str(failure.value).startswith(missing)
    assert f"needed:  {needed}\nmessage: {MESSAGE}" in str(failure.value)


@pytest.mark.parametrize("needed", ["", "…", " … … "])
def test_nothing_needed(needed):
    """A message of which nothing is needed would never fail: that is an error of the test."""
    with pytest.raises(AssertionError, match="name its parts"):
        says(MESSAGE, needed)


def test_refuses_another():
    """Another kind of error, several lines, or no error at all fail too."""
    with pytest.raises(TypeError), refuses(ValueError, "a"):
        raise TypeError("a")
    with pytest.raises(AssertionError, match="several lines"), refuses(ValueError, "a"):
        raise ValueError("a\nb")
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"), refuses(ValueError, "a"):
        pass


EXACT = {
    "none.conll": "none.conll: no such file",
    "gold.conll tag.conll": "tag.conll:2: unknown tag 'PER'; allowed: O, or a label behind B- I- E- S- M- L- U- W-; where an annotator's labels stand bare, write I- before them, or if all annotators' do, name --scheme IO (scheme='IO')",
    "gold.conll word.conll": "word.conll:2: token 'Ran'; gold.conll:2 has 'ran', and all annotators need the same text; --ignore-tokens (ignore_tokens=True) aligns by position",
    "gold.conll short.conll": "gold.conll:2: token 'ran' is missing in short.conll, which ends before it; all annotators need the same text (1 and 1 sentences)",
    "gold.conll byte.conll": "byte.conll:1: byte 0xff is not utf-8; --encoding (encoding=) names the file's encoding",
    "gold.conll --encoding utf-9": "unknown encoding 'utf-9'; utf-8, latin-1 and all of Python's are allowed",
    "gold.conll gold.conll --at x": "--at: 'x' is not a number; see 'spanagree evaluate --help'",
    "gold.conll gold.conll --match same": f"Invalid value for '--match': 'same' is not one of {', '.join(map(repr, MEASURES))}; see 'spanagree evaluate --help'",
    "twice.jsonl": "twice.jsonl:2: id '7' comes twice; ids are used once",
    "long.jsonl": "annotator 'a', document '7': segment 0–9 'X' ends beyond the document of length 8; --repair clip-beyond-text or --repair drop-beyond-text (repair='clip-beyond-text' or 'drop-beyond-text') would help",
}
FILES = {
    "gold.conll": b"Jo B-PER\nran O\n",
    "tag.conll": b"Jo B-PER\nran PER\n",
    "word.conll": b"Jo B-PER\nRan O\n",
    "short.conll": b"Jo B-PER\n",
    "byte.conll": b"\xff O\nran O\n",
    "twice.jsonl": b'{"spanagree": 1, "id": "7", "length": 8, "annotators": {"a": []}}\n' * 2,
    "long.jsonl": b'{"spanagree": 1, "id": "7", "length": 8, "annotators": {"a": [{"start": 0, "end": 9, "label": "X"}], "b": []}}',
}


@pytest.mark.parametrize("line", EXACT)
def test_to_the_letter(tmp_path, monkeypatch, run, line):
    """Ten messages that many people see, to the letter; elsewhere, what a message must say is held."""
    monkeypatch.chdir(tmp_path)
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    code, out, err = run("evaluate", *line.split())
    assert (code, out) in ((1, ""), (2, ""))
    assert err == f"spanagree: error: {EXACT[line]}\n"


def test_no_other_message_to_the_letter():
    """Elsewhere no test compares an error's whole message; `refuses` holds what it must say."""
    tests = Path(__file__).parent
    whole = re.compile(r"str\(\w+\.value\) ==|re\.escape\((?:message|said)\)")
    found = [
        f"{path.relative_to(tests)}:{number}"
        for path in sorted(tests.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if whole.search(line) and path.name != "test_messages.py"
    ]
    assert found == []


def test_a_value_of_several_lines_is_shown_on_one():
    """What a user gave may be a table: a column for lists of tags stands on the message's line."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"gold": ["B-X", "O"], "mine": ["O", "O"]})
    with refuses(sa.InputError, "'gold': 0 … a list of documents") as error:
        sa.evaluate(frame["gold"], frame["mine"])
    assert "\n" not in str(error.value)
