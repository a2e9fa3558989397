"""The command line: what it prints, where, and how it refuses."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from messages import says

import spanagree as sa
from spanagree.choices import Repair, Shown, list_names
from spanagree.cli import group
from spanagree.cli.group import SECTIONS, spanagree
from spanagree.cli.main import main
from spanagree.comparisons.measures import MEASURES, list_measures
from spanagree.errors import format_setting


@pytest.fixture
def files(newsroom):
    return [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger", "chunker")]


def test_evaluate(run, files):
    """The main job: a table on stdout, notes on stderr, the signature in the last line."""
    code, out, err = run("evaluate", *files)
    assert code == 0
    assert "lexicon.conll      0.869   0.518  0.649      0.138         0.593\n" in out
    assert "tagger.conll       0.718   0.566  0.633      0.050         0.614\n" in out
    assert out.replace("|\n  ", "|").endswith(
        f"|unit:sentence|scheme:auto(IOB2)|strict:no|spec:1.0|spanagree:{sa.__version__}\n"
    )
    says(err, "spanagree: note: chunker.conll: 14 ill-formed tags … (IOB2)")


@pytest.mark.long
def test_json_is_the_python_result(run, files):
    """The command line adds nothing to what Python gives."""
    corpus = sa.read_conll(files, unit="document", scheme="IOB2")
    result = sa.evaluate(corpus, "tagger.conll", match="token", chance="per-label", p_values=True)
    code, out, _ = run(
        "evaluate", *files, "--gold", "tagger.conll", "--match", "token", "--chance", "per-label",
        "--unit", "document", "--scheme", "IOB2", "--format", "json", "--by", "document",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out) == result.to_dict("document")


@pytest.mark.long
@pytest.mark.parametrize("form", list_names(Shown))
@pytest.mark.parametrize("by", ["label", "document", None])
def test_formats_and_files(run, files, tmp_path, form, by):
    """Every format, by label and document, on stdout as in a file; the file replaces an old one."""
    options = ["--format", form, *(["--by", by] if by else [])]
    code, out, _ = run("evaluate", *files, *options)
    assert code == 0
    path = tmp_path / "out"
    path.write_text("old")
    code, nothing, _ = run("evaluate", *files, *options, "-o", path)
    assert (code, nothing) == (0, "")
    assert path.read_text(encoding="utf-8") == out
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("name", "form"),
    [("r.json", "json"), ("r.CSV", "csv"), ("r.md", "markdown"), ("r.tex", "latex"), ("r", "text")],
)
def test_the_format_by_the_name_of_the_file(run, files, tmp_path, name, form):
    """A file called as one of a format is one; another format is refused before any work."""
    _, out, _ = run("evaluate", *files, "--format", form)
    assert run("evaluate", *files, "-o", tmp_path / name)[0] == 0
    assert (tmp_path / name).read_text("utf-8") == out
    other = "csv" if form == "json" else "json"
    code, nothing, message = run("evaluate", *files, "-o", tmp_path / name, "--format", other)
    if form == "text":
        assert code == 0
        return
    assert (code, nothing) == (2, "")
    assert f"by its name it is {form}, and --format is {other}" in message
    assert (tmp_path / name).read_text("utf-8") == out


@pytest.mark.parametrize(
    "name", ["r.pdf", "r.html", "r.XLSX", "r.tsv", "r.jsonl", "r.bib", "r.svg", "r.zip"]
)
def test_names_of_other_formats(run, files, tmp_path, name):
    """A file called as of a format that is not written is refused, whatever the format; others are text."""
    ending = Path(name).suffix.lower()
    needed = (
        f"… -o {tmp_path / name}: {ending} … text (.txt), json (.json), csv (.csv), markdown (.md)"
    )
    for options in ([], ["--format", "csv"]):
        code, nothing, message = run("evaluate", *files, "-o", tmp_path / name, *options)
        assert (code, nothing, message.count("\n")) == (2, "", 1)
        says(message, needed)
    assert not (tmp_path / name).exists()
    _, out, _ = run("evaluate", *files)
    for other in ("r.txt", "r.out", "r.2024"):
        assert run("evaluate", *files, "-o", tmp_path / other)[0] == 0
        assert (tmp_path / other).read_text("utf-8") == out


def test_names_of_the_formats_of_other_commands(run, files, tmp_path):
    """What check and cite write: prose is Markdown too, and references are BibTeX by name."""
    code, _, message = run("check", *files, "-o", tmp_path / "r.csv")
    assert code == 2
    says(message, "… r.csv: .csv … text (.txt), json (.json)")
    for name, form in (("r.bib", "bibtex"), ("r.md", "text"), ("r.tex", "latex")):
        assert run("cite", "-o", tmp_path / name)[0] == 0
        assert (tmp_path / name).read_text("utf-8") == run("cite", "--format", form)[1]


def test_columns_and_names(run, tmp_path):
    """One file with several tag columns; NAME=FILE; a file whose name has a = in it."""
    path = tmp_path / "a=b"
    path.write_text("x B-X O\ny O B-X\n")
    code, out, _ = run("evaluate", path, "--columns", "gold=1,my=system=2", "--format", "json")
    assert code == 0
    assert [s["system"] for s in json.loads(out)["tables"]["systems"]] == ["my=system"]
    code, out, _ = run("evaluate", f"{path}:1", f"mine={path}:2", "--format", "json")
    assert code == 0
    data = json.loads(out)
    assert (data["settings"]["gold"], data["tables"]["systems"][0]["system"]) == ("a=b:1", "mine")


def test_strict_and_ignore_tokens(run, tmp_path):
    """Both are settings of the reading and stand in the signature."""
    (tmp_path / "a").write_text("x B-X\ny I-X\n\nz I-X\n")
    (tmp_path / "b").write_text("x B-X\nY I-X\n\nz O\n")
    code, out, err = run(
        "evaluate",
        tmp_path / "a",
        tmp_path / "b",
        "--strict",
        "--ignore-tokens",
        "--format",
        "json",
    )
    assert code == 0
    assert json.loads(out)["tables"]["systems"][0]["size_gold"] == 1
    assert "strict:yes|tokens:ignored|" in json.loads(out)["signature"]
    assert err.count("spanagree: note: ") == 2


@pytest.mark.long
def test_standard_input(tmp_path):
    """- is standard input, called stdin; -o - is standard output."""
    (tmp_path / "gold").write_text("x B-X\n")
    done = subprocess.run(
        [sys.executable, "-m", "spanagree", "evaluate", "gold", "-", "-o", "-"],
        input="x B-X\n", capture_output=True, text=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert "stdin" in done.stdout
    assert done.stderr == ""


def test_chance(run):
    """The model by itself, as Python gives it."""
    code, out, err = run("chance", "--length", 12, "--segments", "1,3,3", "--format", "json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    starts = sa.start_distribution(12, [1, 3])
    assert (
        data["tables"]["starts"]
        == [
            {"length": length, "start": place, "probability": probability}
            for length, each in zip([1, 3], starts, strict=True)
            for place, probability in enumerate(each.tolist())
        ]
        or len(data["tables"]["starts"]) == 22
    )
    code, out, _ = run("chance", "--length", 6, "--segments", "3,3", "--chance", "overlapping")
    assert "0.2500" in out
    code, out, _ = run("chance", "--length", 100, "--segments", "1,5,10,15", "--quiet")
    assert "no start is likelier than 0.0137" in out  # of 100 − 31 + 4 slots, 1/73
    for form in ("csv", "latex", "markdown"):
        assert run("chance", "--length", 6, "--segments", "3,3", "--format", form)[0] == 0


def test_help_and_version(run):
    """Help names every choice; no command at all shows where to begin."""
    assert run("--version") == (0, f"spanagree {sa.__version__}\n", "")
    assert run()[0] == 0
    code, out, _ = run("evaluate", "--help")
    assert code == 0
    for choice in (", ".join(MEASURES), "nonoverlapping, per-label"):
        assert choice in " ".join(out.split())
    out = " ".join(run("agree", "--help-all")[1].split())
    assert "--confidence X Level of the intervals, in per cent. [default: 95]" in out
    assert (
        "letters, capitals, capitals+digits, column:NAME, column:NAME=VALUE,..., or a rule" in out
    )


def without_names(page):
    """A page of help without its paragraph of options that check describes, and their names."""
    begin, title, rest = page.partition("Reading, as 'spanagree check --help-all' describes:\n")
    names, _, end = rest.partition("\n\n")
    return begin + end if title else page, set(names.split())


@pytest.mark.parametrize("name", [name for names in SECTIONS.values() for name in names])
def test_help_is_short(run, name):
    """The help of a command has at most 15 options in 45 lines; --help-all has every one.

    Options of reading are described by --help-all of check, and named by that of other commands.
    """
    params = (o for o in spanagree.commands[name].params if o.opts[0].startswith("-"))
    options = {next(x for x in o.opts if x.startswith("--")) for o in params}
    (code, short, err), (all_code, every, all_err) = (
        run(name, x) for x in ("--help", "--help-all")
    )
    assert (code, err, all_code, all_err) == (0, "", 0, "")
    shown = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", short, re.MULTILINE))
    assert len(shown) <= 15
    assert len(short.splitlines()) <= 45
    assert shown - {"--help-all"} <= options
    every, named = without_names(every)
    described = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", every, re.MULTILINE))
    assert described | named == options
    assert not described & named
    checked = run("check", "--help-all")[1]
    assert named <= set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", checked, re.MULTILINE))
    assert bool(named) is ("--from" in options and name != "check")
    assert ("--help-all" in shown) is (len(shown) < len(options))


@pytest.mark.long
def test_convert_and_check(run, files, tmp_path):
    """CoNLL to JSONL, to Parquet, to .spacy and back; the same numbers all the way."""
    pytest.importorskip("datasets")
    pytest.importorskip("spacy")
    _, expected, _ = run("evaluate", *files[:3], "--format", "json")
    tallies = [
        (s["matched"], s["size_gold"], s["size_system"])
        for s in json.loads(expected)["tables"]["systems"]
    ]
    jsonl, conll, parquet = (tmp_path / f"news.{x}" for x in ("jsonl", "conll", "parquet"))
    assert run("convert", *files[:3], "-o", jsonl) == (0, "", "")
    assert run("convert", jsonl, "-o", conll, "--to-scheme", "IOBES") == (0, "", "")
    assert run("convert", jsonl, "-o", parquet)[0] == 0
    assert run("convert", jsonl, "-o", tmp_path / "x.spacy", "--annotators", "tagger.conll")[0] == 0
    columns = "gold.conll=1,lexicon.conll=2,tagger.conll=3"
    spans = ",".join(f"{f.name}=spans:{f.name}" for f in files[:3])
    for arguments in (
        [jsonl],
        [conll, "--columns", columns],
        [parquet, "--tokens", "tokens", "--spans", spans, "--document", "id"],
    ):
        code, out, err = run("evaluate", *arguments, "--format", "json")
        assert (code, err) == (0, "")
        assert [
            (s["matched"], s["size_gold"], s["size_system"])
            for s in json.loads(out)["tables"]["systems"]
        ] == tallies
    code, out, _ = run("check", jsonl)
    assert code == 0
    assert "103 documents, 3 annotators, 309 annotations, 396 segments; offsets in tokens" in out
    assert "nothing odd found" in out
    code, out, _ = run("check", jsonl, "--format", "json")
    assert json.loads(out)["tables"]["annotators"][0]["annotator"] == "gold.conll"


def test_check_asks_whose_files_they_are(run, tmp_path):
    """Files of one name in a folder for each annotator, by a pattern: two people's work is not
    thrown away by a repair before it is asked whether it is theirs."""
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        text = json.dumps(
            {"id": "t1", "text": "Al ran", "spans": [{"start": 0, "end": 2, "label": "P"}]}
        )
        (tmp_path / name / "one.jsonl").write_text(text)
    pattern = tmp_path / "*" / "one.jsonl"
    asked = "if they are by several people, name these in the rows, or give each a file (NAME=FILE)"
    code, out, _ = run("check", pattern)
    assert (code, f"{asked}; if not, --repair drop-repeats" in out) == (1, True)
    assert "if they are of several people, name each as NAME=FILE" in refused(run, "agree", pattern)
    files = [f"{name}={tmp_path / name / 'one.jsonl'}" for name in ("ann", "bob")]
    assert run("agree", *files)[0] == 0


def test_check_exits_with_1_on_errors(run, tmp_path):
    """What has to be repaired is an error; repaired, it is none."""
    pytest.importorskip("datasets")
    path = tmp_path / "dirty.jsonl"
    segments = (
        '[{"start": 0, "end": 9, "label": "<X>"}, {"start": 1, "end": 2, "label": "\\u001b"}]'
    )
    path.write_text(
        f'{{"spanagree": 1, "id": "7", "text": "Jo is", "annotators": {{"a": {segments}}}}}\n'
    )
    code, out, err = run("check", path)
    assert (code, err) == (1, "")
    assert "beyond-text" in out
    assert "repairs that would help: --repair clip-beyond-text or --repair drop-beyond-text" in out
    assert all(line.isprintable() for line in out.split("\n"))
    code, out, _ = run("check", path, "--repair", "clip-beyond-text")
    assert code == 0
    assert "1 segment cut off at the end of the document (clip-beyond-text)" in out
    out = tmp_path / "out.jsonl"
    assert "--repair clip-beyond-text or --repair drop-beyond-text (repair='clip-beyond-text' or 'drop-beyond-text') would help" in refused(run, "convert", path, "-o", out)  # fmt: skip
    assert not out.exists()
    assert run("convert", path, "-o", out, "--repair", "clip-beyond-text")[0] == 0
    words = tmp_path / "out.conll"
    assert "cuts a token" in refused(run, "convert", out, "-o", words, "--tokenizer", "space")
    code, _, err = run("convert", out, "-o", words, "--cut", "drop")
    assert code == 0
    says(err, "spanagree: note: 1 segment that cut a token … (drop)")
    assert words.read_text().splitlines()[:3] == [
        '# spanagree = {"columns": ["a"], "missing": "?"}',
        "# sent_id = 7",
        "Jo\tB-<X>",
    ]
    said = refused(run, "convert", out, "-o", words, "--tokenizer", "en", "--cut", "expand")
    assert "share tokens, which IOB2 cannot hold; no tag scheme can" in said


# --- bad input -----------------------------------------------------------------------------------


def refused(run, *arguments, code=1):
    """The one line on stderr; nothing on stdout."""
    got, out, err = run(*arguments)
    assert got == code
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("spanagree: error: ")
    return lines[0].removeprefix("spanagree: error: ")


DOE = 'document,annotator,start,end,label,length\n1,"Doe, Jane",0,3,PER,11\n1,bob,0,3,PER,11\n'
CASES = {
    # what: files (name to content), arguments, exit code, the message
    "missing file": ({}, ["evaluate", "no"], 1, "no: no such file"),
    "folder": ({"d/x": "x O\n"}, ["evaluate", "d"], 1, "d: a folder of x, and neither brat's nor a project of INCEpTION; name its files, or a pattern in quotes such as 'FOLDER/*.xmi', for each annotator (NAME='FOLDER/*.xmi')"),
    "empty file": ({"a": ""}, ["evaluate", "a"], 1, "a: no token rows; a file has lines of a token and its tags"),
    "name with a comma": ({"a.csv": DOE}, ["agree", "a.csv", "--annotators", "bob,Doe, Jane"], 1, "unknown annotator 'Doe'; allowed: \"Doe, Jane\", bob"),
    "nobody named": ({"a.csv": DOE + "2,,0,3,PER,9\n"}, ["agree", "a.csv"], 1, "a.csv:4: no annotator is named; give each row one"),
    "open quote": ({"a.csv": DOE}, ["agree", "a.csv", "--annotators", 'bob,"Doe, Jane'], 2, "--annotators: 'bob,\"Doe, Jane'; a name with a comma stands in double quotes, as in 'ann,\"Doe, Jane\"'; see 'spanagree agree --help'"),
    "ragged row": ({"a": "x O\ny\n"}, ["evaluate", "a"], 1, "a:2: 1 column ('y'); the rows before it have 2, and all need the same"),
    "unknown prefix": ({"a": "x O\ny Q-X\n"}, ["evaluate", "a", "--scheme", "IOB2"], 1, "a:2: unknown tag 'Q-X'; allowed: O, or a label behind B- I-"),
    "one layer": ({"a": "x O\n"}, ["evaluate", "a"], 1, "1 annotator in the corpus; gold and at least one system are needed: pass a second file, or --columns gold=1,mine=2"),
    "tokens differ": ({"a": "x O\n", "b": "y O\n"}, ["evaluate", "a", "b"], 1, "b:1: token 'y'; a:1 has 'x', and all annotators need the same text; --ignore-tokens (ignore_tokens=True) aligns by position"),
    "no such column": ({"a": "x O\n"}, ["evaluate", "a", "--columns", "g=1,m=7"], 1, "a:1: no column 7; there are columns 0 (the token) to 1"),
    "token column": ({"a": "x O\n"}, ["evaluate", "a", "--columns", "g=0,m=1"], 1, "column 0 of 'g'; columns are names, or whole numbers from 1, as 0 is the token"),
    "columns without number": ({"a": "x O\n"}, ["evaluate", "a", "--columns", "g="], 2, "--columns: 'g='; NAME=COLUMN is needed; see 'spanagree evaluate --help'"),
    "no such name": ({"a": "x O\n"}, ["evaluate", "a", "--columns", "g=x"], 1, "a: no column 'x'; there are columns 0 (the token) to 1"),
    "columns too long": ({"a": "x O\n"}, ["evaluate", "a", "--columns", "g=" + "9" * 5000], 1, "--columns: '" + "9" * 58 + "…; a whole number of at most 15 digits is needed"),
    "column name twice": ({"a": "x O\n"}, ["evaluate", "a", "--columns", "g=1,g=1"], 1, "--columns: the name 'g' is given twice; give each annotator a name of its own"),
    "name twice": ({"a": "x O\n"}, ["evaluate", "g=a", "g=a"], 1, "the name 'g' is given twice; give each annotator a name of its own"),
    "file twice": ({"a": "x O\n"}, ["evaluate", "a", "a"], 1, "a: the same file twice; NAME=FILE gives it a name of its own"),
    "name without file": ({}, ["evaluate", "g="], 2, "'g=': NAME=FILE needs both; see 'spanagree evaluate --help'"),
    "stdin twice": ({}, ["evaluate", "a=-", "b=-"], 1, "standard input (-) is given twice; give it once, as it is read once"),
    "stdin twice without names": ({}, ["evaluate", "-", "-"], 1, "standard input (-) is given twice; give it once, as it is read once"),
    "no name": ({"a": "x O\n"}, ["evaluate", "", "a"], 1, "'': there is nothing to read; a file's name is needed"),
    "output name too long": ({"a": "x O\n"}, ["evaluate", "a", "-o", "x" * 300], 1, f"{'x' * 300}: cannot be written: File name too long"),
    "mixed schemes": ({"a": "x L-X\ny E-X\n", "b": "x O\ny O\n"}, ["evaluate", "a", "b", "--strict"], 1, "a:1 and below: the prefixes E L belong to no one scheme, so a strict reading is not defined; name a scheme (IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU) or read leniently"),
    "length beyond all": ({}, ["chance", "--length", "9" * 25, "--segments", "3"], 1, f"length: {'9' * 25}; a length is a whole number from 1 to 1000000000"),
    "segments in other digits": ({}, ["chance", "--length", "5", "--segments", "１"], 2, "--segments: '１' is not a whole number; see 'spanagree chance --help'"),
    "unknown repair, before a file is read": ({}, ["evaluate", "a", "--repair", "fix"], 1, f"unknown repair 'fix'; allowed: {', '.join(list_names(Repair))}"),
    "option of another format": ({"a": "x O\n"}, ["check", "a", "--text", "t"], 1, "text doesn't apply to conll files; it is for mqm, paths, dataset, hub, records of tools"),
    "option of one tool": ({"a": "x O\n"}, ["check", "a", "--predictions"], 1, "predictions doesn't apply to conll files; it is for label-studio"),
    "option of tools": ({"a": "x O\n"}, ["check", "a", "--tier", "t"], 1, "tier doesn't apply to conll files; it is for textgrid, elan, subtitles, times"),
    "tags without columns": ({"a": "x O\n"}, ["check", "a", "--tags", "t"], 2, "--tags: 't'; NAME=COLUMN is needed; see 'spanagree check --help'"),
    "tags twice": ({"a": "x O\n"}, ["check", "a", "--tags", "t=a,t=b"], 1, "--tags: the name 't' is given twice; give each annotator a name of its own"),
    "no such annotator": ({"a": "x O\n"}, ["convert", "a", "-o", "b.jsonl", "--annotators", "z"], 1, "unknown annotator 'z'; allowed: a"),
    "no such tokenizer": ({"a.jsonl": '{"spanagree": 1, "id": "1", "text": "x", "annotators": {}}'}, ["convert", "a.jsonl", "-o", "b.conll", "--tokenizer", "qq"], 1, "tokenizer qq: spaCy has none of that name; space, or a language such as en, is allowed"),
    "no such gold": ({"a": "x O\n", "b": "x O\n"}, ["evaluate", "a", "b", "--gold", "c"], 1, "unknown gold 'c'; allowed: a, b"),
    "no files": ({}, ["evaluate"], 2, "Missing argument 'FILE...'; see 'spanagree evaluate --help'"),
    "no such match": ({"a": "x O\n"}, ["evaluate", "a", "--match", "fuzzy"], 2, f"Invalid value for '--match': 'fuzzy' is not one of {', '.join(map(repr, MEASURES))}; see 'spanagree evaluate --help'"),
    "no such option": ({}, ["evaluate", "a", "--fuzzy"], 2, "No such option '--fuzzy'; see 'spanagree evaluate --help'"),
    "no such command": ({}, ["frobnicate"], 2, "No such command 'frobnicate'; see 'spanagree --help'"),
    "encoding": ({"a": b"\xffx O\n"}, ["evaluate", "a"], 1, "a:1: byte 0xff is not utf-8; --encoding (encoding=) names the file's encoding"),
    "no such encoding": ({"a": "x O\n"}, ["evaluate", "a", "--encoding", "klingon"], 1, "unknown encoding 'klingon'; utf-8, latin-1 and all of Python's are allowed"),
    "output folder": ({"a": "x O\n"}, ["evaluate", "a", "-o", "."], 1, ".: is a folder; a file is needed, such as ./result.txt"),
    "output in no folder": ({"a": "x O\n"}, ["evaluate", "a", "-o", "no/out"], 1, "no/out: cannot be written: there is no folder 'no'"),
    "output over input": ({"a": "x O\n"}, ["evaluate", "a", "-o", "a"], 1, "a: is an input too, which -o would overwrite; name another file"),
    "output over named input": ({"a": "x O\n"}, ["evaluate", "g=a", "-o", "a"], 1, "a: is an input too, which -o would overwrite; name another file"),
    "segments too long": ({}, ["chance", "--length", "5", "--segments", "3,3"], 1, "segments do not fit: the segments have 6 tokens, the document 5; chance 'nonoverlapping' allows at most 5"),
    "negative length": ({}, ["chance", "--length", "-5", "--segments", "3"], 1, "length: -5; a length is a whole number from 1 to 1000000000"),
    "length no number": ({}, ["chance", "--length", "x", "--segments", "3"], 2, "Invalid value for '--length': 'x' is not a valid integer; see 'spanagree chance --help'"),
    "chance of nothing": ({}, ["chance"], 2, "chance needs --length and --segments; see 'spanagree chance --help'"),
    "share of another measure": ({"a.conll": "x O\n", "b.conll": "x O\n"}, ["evaluate", "a.conll", "b.conll", "--match", "iou", "--overlap-at", "0.5"], 2, "--overlap-at does not go with --match iou; see 'spanagree evaluate --help'"),
    "share above 1": ({"a.conll": "x O\n", "b.conll": "x O\n"}, ["evaluate", "a.conll", "b.conll", "--overlap-at", "2"], 1, "match 'overlap-at-2': a share from 0.0001 to 1 stands at its end, such as overlap-at-0.5"),
    "workers of one corpus": ({"a.conll": "x O\n", "b.conll": "x O\n"}, ["agree", "a.conll", "b.conll", "--workers", "5"], 2, "--workers needs files found by a pattern: each file is read and compared by itself; see 'spanagree agree --help'"),
    "boundaries within and per label": ({"a.conll": "x O\n", "b.conll": "x O\n"}, ["evaluate", "a.conll", "b.conll", "--match", "boundaries", "--tolerance", "1", "--chance", "per-label"], 1, "match boundaries-within-1 pairs segments of any label, and of chance per-label only those of one label exclude each other; use --chance nonoverlapping (chance='nonoverlapping'), or --match exact (match='exact')"),
    "overlap and overlapping": ({"a.conll": "x O\n", "b.conll": "x O\n"}, ["evaluate", "a.conll", "b.conll", "--match", "overlap", "--chance", "overlapping"], 1, "match overlap pairs segments of annotators who do not overlap themselves, and those of chance overlapping do; use --chance nonoverlapping or --chance per-label (chance='nonoverlapping' or 'per-label'), or " + format_setting("match", *list_measures(lambda x: not x.one_to_one and x.kernel != "equal"))),
    "segments no number": ({}, ["chance", "--length", "5", "--segments", "1,x"], 2, "--segments: 'x' is not a whole number; see 'spanagree chance --help'"),
    "segments empty": ({}, ["chance", "--length", "5", "--segments", ""], 2, "--segments: '' is not a whole number; see 'spanagree chance --help'"),
    "negative segments": ({}, ["chance", "--length", "5", "--segments=-1"], 1, "segments: -1; a length is a whole number from 1 to 1000000000"),
    "control characters": ({}, ["evaluate", "\x1b[31m\n"], 1, "\\x1b[31m\\n: no such file"),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_refused(run, tmp_path, monkeypatch, what):
    """One line that says what, where, the value and what is allowed; nothing on stdout."""
    if what == "no such tokenizer":
        pytest.importorskip("spacy")
    contents, arguments, code, message = CASES[what]
    monkeypatch.chdir(tmp_path)
    for name, content in contents.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()}
    got = refused(run, *arguments, code=code)
    # click's releases differ in how they quote
    assert got.replace(": --fuzzy", " '--fuzzy'") == message
    assert {p: p.read_bytes() for p in Path().rglob("*") if p.is_file()} == before


def test_a_failure_leaves_no_output_file(run, tmp_path):
    """What was at -o before stays as it is when the work fails."""
    bad = tmp_path / "bad"
    bad.write_text("x Q-X\n")
    out = tmp_path / "out"
    refused(run, "evaluate", bad, "-o", out)
    assert not out.exists()
    out.write_text("old")
    refused(run, "evaluate", bad, "-o", out)
    assert out.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["bad", "out"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_no_permission(run, tmp_path, files):
    """An output that may not be written is refused before the work."""
    tmp_path.chmod(0o500)
    assert "permission denied" in refused(run, "evaluate", *files, "-o", tmp_path / "out")


@pytest.mark.long
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_output_to_an_open_file(newsroom, tmp_path, name):
    """Standard output that is a file is written to behind what is there, and not replaced."""
    if name == "link":
        (tmp_path / name).symlink_to("/dev/stdout")
    elif not Path(name).exists():
        pytest.skip(f"{name} is not there")
    target = tmp_path / "all.txt"
    run = f"{sys.executable} -m spanagree evaluate {newsroom}/gold.conll {newsroom}/tagger.conll"
    line = f"(echo before; {run} -o {name}; echo behind) > {target}"
    subprocess.run(line, shell=True, check=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(Path(sa.__file__).parents[1])})  # fmt: skip
    lines = target.read_text("utf-8").splitlines()
    assert lines[0] == "before"
    assert any("tagger" in line for line in lines)
    assert lines[-1] == "behind"
    assert sorted(path.name for path in tmp_path.iterdir()) in (["all.txt"], ["all.txt", "link"])


def test_output_to_a_device(run, files):
    """A device is written to, never replaced."""
    assert run("evaluate", *files, "-o", "/dev/null")[0] == 0
    assert not Path("/dev/null").is_file()


@pytest.mark.long
def test_quiet_pipes(newsroom):
    """A reader that has seen enough, such as head, gets no complaint."""
    command = f"{sys.executable} -m spanagree chance --length 20000 --segments 1 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("P(start)")
    assert done.stderr == ""


def shell(command, cwd):
    return subprocess.run(
        command.format(f"{sys.executable} -m spanagree"), shell=True, cwd=cwd,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_closed_and_full_streams(newsroom):
    """Closed streams and full disks are one line each; a closed stderr harms nothing."""
    run = "{} evaluate gold.conll tagger.conll"
    done = shell(f"{run} 2>&-", newsroom)
    assert done.returncode == 0
    assert "tagger.conll" in done.stdout
    done = shell(f"{run} >&-", newsroom)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "standard output is closed" in done.stderr
    done = shell(f"{run} > /dev/full", newsroom)
    assert done.returncode == 1
    assert done.stderr == (
        "spanagree: error: standard output: cannot be written: No space left on device\n"
    )
    done = shell("{} evaluate - gold.conll <&-", newsroom)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    done = shell(f"{run} -o /dev/stdout | cat", newsroom)
    assert "tagger.conll" in done.stdout


def test_output_keeps_its_mode(run, files, tmp_path):
    """A file that is replaced keeps its permissions; a name that has no UTF-8 is escaped."""
    out = tmp_path / "out"
    out.write_text("old")
    out.chmod(0o640)
    named = f"a\udcff={files[1]}"
    assert run("evaluate", files[0], named, "--format", "csv", "-o", out)[0] == 0
    assert out.stat().st_mode & 0o777 == 0o640
    assert "a\\udcff" in out.read_text()


def test_gold_as_typed(run, files):
    """--gold takes the file as it was typed, too."""
    code, out, _ = run("evaluate", *files, "--gold", files[1], "--format", "json")
    assert code == 0
    assert json.loads(out)["settings"]["gold"] == "lexicon.conll"
    code, _, err = run("evaluate", files[1], "--gold", files[0])
    assert code == 1
    says(
        err,
        f"spanagree: error: {str(files[0])!r} is a file that is not read … add the file to the other files",
    )


def test_names_with_commas(run, tmp_path):
    """A name in double quotes may have a comma, with or without spaces around."""
    path = tmp_path / "a.csv"
    path.write_text(DOE + "1,ann,0,3,PER,11\n", encoding="utf-8")
    for names in ('bob,"Doe, Jane"', '"Doe, Jane", bob'):
        found = json.loads(run("agree", str(path), "--annotators", names, "--format", "json")[1])
        assert found["summary"]["saw"].keys() == {"Doe, Jane", "bob"}


def test_safe_cells(run, files):
    """--safe-cells is for CSV, where it goes for the names that somebody else chose."""
    code, out, _ = run("agree", files[0], f"@sum={files[1]}", "--by", "pair", "--safe-cells", "--format", "csv")  # fmt: skip
    assert (code, "'@sum" in out) == (0, True)
    assert "'-" not in out
    code, _, err = run("evaluate", *files, "--safe-cells")
    said = "--safe-cells needs --format csv; see 'spanagree evaluate --help'"
    assert (code, err) == (2, f"spanagree: error: {said}\n")


def test_not_enough_memory(run, monkeypatch):
    """Running out of memory is one line."""

    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(sa, "start_distribution", fail)
    code, out, err = run("chance", "--length", "5", "--segments", "1")
    assert (code, out) == (1, "")
    says(err, "spanagree: error: … not enough memory")


@pytest.mark.long
def test_a_terminal_without_unicode(newsroom):
    """A stream that lacks a character gets an escape, no traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "spanagree", "evaluate", "gold.conll", "lexicon.conll", "--by", "difficulty"],
        capture_output=True, cwd=newsroom, check=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert b"\\u2013" in done.stdout


def test_interrupted(run, files, monkeypatch):
    """Ctrl-C ends in one line."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sa, "evaluate", interrupt)
    code, out, err = run("evaluate", *files)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "spanagree: error: interrupted; nothing was written"


@pytest.mark.long
@pytest.mark.parametrize("command", [["evaluate"], ["agree", "--by", "pair"], ["agree", "--help"]])
def test_reader_that_has_seen_enough(files, command):
    """A reader that closes the pipe, such as head, is no error: exit code 0, nothing on stderr."""
    line = [sys.executable, "-m", "spanagree", *command, *map(str, files[:3])]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_gold_that_is_another_layer(newsroom, capsys):
    """The first layer is gold; where another one is called so, that is said. A stem names a layer."""
    mine, gold = (str(newsroom / f"{n}.conll") for n in ("tagger", "gold"))
    assert main(["evaluate", mine, gold]) == 0
    said = "spanagree: note: gold is tagger.conll … --gold gold.conll"
    says(capsys.readouterr().err, said)
    for name in ("gold", "gold.conll", gold):
        assert main(["evaluate", mine, gold, "--gold", name]) == 0
        assert "1 system against gold.conll" in capsys.readouterr().out


def test_labels_that_have_nothing_in_common(tmp_path, capsys):
    """Figures of 0 for this reason are explained."""
    for name, label in (("gold", "PER"), ("mine", "Person")):
        (tmp_path / f"{name}.conll").write_text(f"Jo B-{label}\n", "utf-8")
    assert main(["evaluate", *(str(tmp_path / f"{n}.conll") for n in ("gold", "mine"))]) == 0
    assert "mine.conll: no label in common; gold has PER, it Person" in capsys.readouterr().err


def test_span_corpus_without_tokens(tmp_path, capsys):
    """A span corpus handed to coefficients as a table is pointed to --tokens."""
    path = tmp_path / "x.jsonl"
    path.write_text("{}", "utf-8")
    assert main(["coefficients", str(path)]) == 2
    said = f"{path}: not a CSV or TSV table … --tokens … 'spanagree coefficients --help'"
    says(capsys.readouterr().err, f"spanagree: error: {said}")


def test_parts_of_a_corpus_as_layers(tmp_path, capsys):
    """Files with the same annotators are parts of one corpus, unless they are named."""
    for i in range(2):
        line = {"spanagree": 1, "id": str(i), "text": "Jo", "annotators": {"ann": [], "bob": []}}
        (tmp_path / f"part-{i}.jsonl").write_text(json.dumps(line), "utf-8")
    assert main(["agree", *(str(tmp_path / f"part-{i}.jsonl") for i in range(2))]) == 0
    assert "same name in several files are one person each: ann, bob;" in capsys.readouterr().err
    assert main(["agree", *(f"{i}={tmp_path / f'part-{i}.jsonl'}" for i in range(2))]) == 0
    says(capsys.readouterr().err, "… the files share no document … FILE:NAME … pattern in quotes")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["convert", "a", "-o", "g.pdf"], "g.pdf: no format is written to files ending in '.pdf'; name one with --to ("),
        (["convert", "a", "-o", "g"], "g: no format is written to files ending in ''; name one with --to ("),
        (["convert", "a", "-o", "g.json"], ".json files are not written; .parquet and .jsonl files are, and those of the tool that --to names"),
        (["convert", "a", "--to", "dataset", "-o", "g.jsonl"], "g.jsonl: dataset files are binary, and other files end in .jsonl; name one that ends in .parquet"),
        (["convert", "a", "--to", "spacy", "-o", "g.txt"], "g.txt: spacy files are binary, and other files end in .txt; name one that ends in .spacy"),
        (["evaluate", "a", "not there", "--plot", "p.gif"], "p.gif: pictures are .png, "),
    ],
)  # fmt: skip
def test_extensions_that_do_not_fit(run, tmp_path, monkeypatch, command, message):
    """What an extension says is not written over with something else; it is seen before any work."""
    if "--plot" in command:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / name).write_text("x O\n")
    code, _, err = run(*command)
    assert code == 1
    assert message in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_formats_that_are_named(run, tmp_path):
    """--to names a format whatever the extension; a split has spaCy's as convert has."""
    (tmp_path / "a").write_text("x B-X\n\ny O\n")
    assert run("convert", tmp_path / "a", "-o", tmp_path / "o.ann", "--to", "jsonl")[0] == 0
    assert (tmp_path / "o.ann").read_text().startswith('{"spanagree": 1')
    pytest.importorskip("spacy")
    folder = tmp_path / "parts"
    split = ["split", f"g={tmp_path / 'a'}", f"m={tmp_path / 'a'}", "--gold", "g", "-o", folder]
    assert run(*split, "--to", "spacy")[0] == 0
    assert list(folder.glob("*.spacy"))


TEN_LINES = '''\
"""Say how far annotators agree by shared tokens."""

import spanagree as sa
from spanagree.cli import comparison_options, options, output_options, reading_options
from spanagree.cli.command import command

chance = options.build_options_from_function("spanagree.agreement.agree.agree", "chance")
certainty, workers = comparison_options.build_certainty_options(), comparison_options.build_workers_option()
comparing = options.group_options("Comparing", *chance, comparison_options.build_view_option(["label"]))
@command(options.FILES, comparing, certainty, workers, reading_options.build_reading_options(), output_options.build_output_options())
def shared_tokens(job, **own):
    job.show_result(job.run_with_workers("comparing", sa.agree, job.read_corpus_or_parts(), match="token", **own, **job.intervals))
'''


@pytest.mark.long
@pytest.mark.parametrize("form", list_names(Shown))
def test_a_new_command_of_ten_lines(run, newsroom, monkeypatch, form):
    """A command of ten lines has its function's options, every format, intervals and workers."""
    module = types.ModuleType("spanagree.cli.shared_tokens")
    assert len(TEN_LINES.replace("\n\n", "\n").splitlines()) <= 10
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(TEN_LINES, module.__name__, "exec"), vars(module))
    monkeypatch.setitem(group.SECTIONS, "New", ("shared-tokens",))
    monkeypatch.setattr(group, "NAMES", [*group.NAMES, "shared-tokens"])
    files = [newsroom / f"{name}.conll" for name in ("gold", "tagger")]
    more = ["--format", form, "--scheme", "IOB2", "--ci"]
    code, out, err = run("shared-tokens", *files, *more, "--by", "label")
    assert (code, "error" in err) == (0, False)
    wanted = run("agree", *files, *more, "--by", "label", "--match", "token")
    assert (code, out, err) == wanted
    for page in ("--help", "--help-all"):
        code, out, _ = run("shared-tokens", page)
        known = [name in out for name in ("--ci", "--by", "--workers", "--format", "--chance")]
        assert (code, known, "--match" in out) == (0, [True] * 5, False)
        assert ("--bom" in out) is (page == "--help-all")


@pytest.mark.parametrize("command", group.NAMES)
def test_every_option_says_what_it_is_for(run, command):
    """No text is taken from a docstring that does not have it: agree's `--attribute` said "."."""
    code, out, _ = run(command, "--help-all")
    assert code == 0
    assert not re.findall(r"^ +--[\w-]+.*  [.:](?: .*)?$", out, re.MULTILINE)


@pytest.mark.long
def test_agree_takes_what_it_can_do(run, newsroom):
    """There is no gold among annotators; p are of pairs, so these are shown, or p refused."""
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    code, out, err = run("agree", crowd, "--chance-of", "systems")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "--chance-of: agree has no gold" in err
    assert run("evaluate", crowd, "--gold", "ann", "--chance-of", "systems")[0] == 0
    assert run("agree", crowd, "--test", "chance") == run(
        "agree", crowd, "--test", "chance", "--by", "pair"
    )
    assert "--test does not go with --by label" in run(
        "agree", crowd, "--test", "chance", "--by", "label"
    )[2]  # fmt: skip


@pytest.mark.parametrize("name", ["crowd/crowd.jsonl", "answers/answers.jsonl"])
def test_nothing_marked_is_nothing_odd(run, newsroom, name):
    """Whoever marked nothing did what one may: a note, on which `--fail-on warning` is silent."""
    code, out, _ = run("check", newsroom.parent / name, "--fail-on", "warning")
    assert (code, "note  marked-nothing" in out, "nothing odd found" in out) == (0, True, True)
    assert "several people" not in out  # which is asked of repeats


def test_an_annotator_called_like_the_file(run, tmp_path):
    """A name that an annotator has means the annotator, not the file of the same stem."""
    corpus = sa.Corpus.from_segments([5], {"ann": [[(0, 2, "X")]], "mt": [[(0, 1, "X")]]})
    path = tmp_path / "mt.jsonl"
    sa.formats.write_jsonl(corpus, path)
    for command in (["evaluate", path, "--gold", "mt"], ["disagreements", path, "--between", "mt", "ann"]):  # fmt: skip
        code, out, err = run(*command)
        assert code == 0, err
        assert "mt" in out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("form", ["csv", "text", "json"])
def test_names_on_a_terminal(tmp_path, form):
    """Escapes in names do not reach a terminal; what goes to a file or a pipe is as it is."""
    import pty

    marked = {"a\x1b[31m": [[(0, 1, "X\x1b]0;t\x07")]], "b\x9b2J": [[(0, 1, "X\x1b]0;t\x07")]]}
    path = tmp_path / "x.jsonl"
    sa.formats.write_jsonl(sa.Corpus.from_segments([2], marked), path)
    line = [
        sys.executable,
        "-m",
        "spanagree",
        "agree",
        str(path),
        "--by",
        "label",
        "--format",
        form,
    ]
    ours, theirs = pty.openpty()
    done = subprocess.run(line, stdout=theirs, stderr=subprocess.PIPE, check=True)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(ours, 1 << 16):
            shown += piece
    os.close(ours)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown.decode().replace("\r\n", "\n"))
    assert "\x1b" not in done.stderr.decode()
    piped = subprocess.run(line, capture_output=True, check=True).stdout.decode()
    assert ("\x1b" in piped) == (form == "csv")


def figures(table):
    """The rows of CSV without the signature, which names the columns."""
    return [row[:-1] for row in csv.reader(table.splitlines())]


@pytest.mark.parametrize("command", [["coefficients", "--tokens"], ["alt-test", "--candidate", "cem", "--epsilon", "0.2"]], ids=lambda line: line[-1])  # fmt: skip
def test_columns_of_spans_where_tables_have_them_too(run, tmp_path, command):
    """--annotator and --label name those of spans, too. Oracle: names that need no option."""
    spans = [{"start": k, "end": k + 1, "sure": "yes", "kind": "XY"[k % 2]} for k in range(4)]
    rows = [
        {"id": str(d), "text": "a b c d", "who": who, "spans": spans[: d % 3 + (who == "bob")]}
        for d in range(40)
        for who in ("ann", "bob", "cem")
    ]
    odd, usual = tmp_path / "odd.jsonl", tmp_path / "usual.jsonl"
    odd.write_text("\n".join(map(json.dumps, rows)))
    text = odd.read_text().replace('"who"', '"annotator"').replace('"kind"', '"label"')
    usual.write_text(text)
    name, *more = command
    _, wanted, _ = run(name, usual, *more, "--format", "csv")
    spans = ["--text", "text", "--document", "id", "--spans", "spans[*]", "--start", "start"]
    named = ["--annotator", "who", "--label", "kind", *spans, "--end", "end"]
    code, out, err = run(name, odd, *more, *named, "--format", "csv")
    assert code == 0, err
    assert figures(out) == figures(wanted)
