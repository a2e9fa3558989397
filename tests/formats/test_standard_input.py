"""Standard input: the formats that are read from it, and what is said of others."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from messages import says

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.recognise import FROM_STDIN
from spanagree.formats.registry import FORMATS

EXPORTS = Path(__file__).parent.parent.parent / "corpora" / "exports"
SPAN_TABLE = "document,annotator,start,end\nd1,ann,0,2\n"
READ = {
    "conll": "Jo\tB-PER\nis\tO\n",
    "jsonl": '{"spanagree": 1, "id": "1", "text": "Jo", "annotators": {"ann": []}}\n',
    "pubtator": "17|t|Jo\n17|a|in Rome\n17\t0\t2\tJo\tPER\n",
    "mqm": (EXPORTS / "mqm.tsv").read_text("utf-8"),
    "label-studio": (EXPORTS / "label-studio.json").read_text("utf-8"),
    "prodigy": (EXPORTS / "prodigy" / "ann.jsonl").read_text("utf-8"),
    "doccano": (EXPORTS / "doccano" / "ann.jsonl").read_text("utf-8"),
}


@pytest.fixture
def give(tmp_path, monkeypatch):
    """Make a text what stands on standard input."""
    with ExitStack() as files:

        def given(text):
            (tmp_path / "input").write_text(text, encoding="utf-8")
            file = files.enter_context(open(tmp_path / "input", encoding="utf-8"))
            monkeypatch.setattr(sys, "stdin", file)

        yield given


@pytest.mark.parametrize("form", FROM_STDIN)
def test_read(give, tmp_path, form):
    """What is named is read from standard input as from a file; CoNLL needs no name."""
    (tmp_path / "stdin").write_text(READ[form], encoding="utf-8")
    expected = sa.read(tmp_path / "stdin", form)
    give(READ[form])
    assert sa.read("-", form) == expected
    if form == "conll":
        give(READ[form])
        assert sa.read("-") == expected


@pytest.mark.parametrize("form", sorted({*FORMATS} - {*FROM_STDIN, "hub"}))
def test_formats_of_files(give, capsys, form):
    """A format that needs a file is refused, with those that do not."""
    give(READ["jsonl"])
    assert main(["check", "--from", form, "-"]) == 1
    allowed = ", ".join(FROM_STDIN)
    needed = f"spanagree: error: -: {form} … standard input ({allowed} are) … name a file"
    says(capsys.readouterr().err, needed)


@pytest.mark.parametrize(
    ("text", "kind"),
    [(READ["prodigy"], "JSON"), (READ["label-studio"], "JSON"), ("<a><b/></a>", "XML"),
     (SPAN_TABLE, "a table of spans")],
)  # fmt: skip
def test_not_named(give, capsys, text, kind):
    """What is plainly not CoNLL is refused, with what to name."""
    give(text)
    assert main(["check", "-"]) == 1
    start = f"spanagree: error: -: {kind} on standard input, which is read as CoNLL; name its format with --from ("  # fmt: skip
    message = capsys.readouterr().err
    assert message.startswith(start)
    assert message.endswith(", or name a file\n")
    assert "jsonl" in message.removeprefix(start)
