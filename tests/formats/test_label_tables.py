"""Tables of labels from files: three layouts, blanks, repeats, and how bad files are refused."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main

FILE = "labels.csv"
LONG = "item,annotator,label\n1,ann,yes\n1,bob,no\n2,ann,yes\n2,bob,yes\n3,ann,\n"
WIDE = "item,ann,bob\n1,yes,no\n2,yes,yes\n3,,\n"
COUNTS = "item,no,yes\n1,1,1\n2,0,2\n3,0,0\n"


def test_layouts(write):
    """A row a label, a column an annotator, and counts hold the same; blanks are missing, and noted."""
    long = sa.read_labels(write(LONG))
    wide = sa.read_labels(write(WIDE), wide=True)
    counts = sa.read_labels(write(COUNTS), counts=True)
    for of in (sa.pi, sa.alpha, sa.ac1, sa.spa):
        assert of(long).figures() == of(wide).figures() == of(counts).figures()
    assert sa.kappa(long).figures() == sa.kappa(wide).figures()
    assert long.items == wide.items == counts.items == ("1", "2", "3")
    assert long.annotators == wide.annotators == ("ann", "bob")
    assert long.notes == ("1 blank label counted as missing",)
    assert wide.notes == ("2 blank labels counted as missing",)


@pytest.mark.parametrize(("sign", "name"), [("\t", "x.tsv"), ("\t", "x.csv"), (";", "x.csv"), (",", "x.txt")])  # fmt: skip
def test_separators(write, sign, name):
    """Tabs, semicolons and commas; CRLF, a byte order mark, quotes and empty lines."""
    text = "\ufeff" + LONG.replace(",", sign).replace("\n", "\r\n") + '\r\n4' + f'{sign}"a""b"{sign}"x\n{sign}y"\r\n'  # fmt: skip
    table = sa.read_labels(write(text, name))
    assert table.annotators == ("ann", "bob", 'a"b')
    assert table.labels == ("no", f"x\n{sign}y", "yes")


@given(
    st.lists(
        st.tuples(*[st.text("ab1. \u00e4\U0001f600", min_size=1, max_size=20)] * 3),
        min_size=1,
        max_size=20,
    )
)
def test_quoted_cells(tmp_path_factory, rows):
    """Rows without quotes, which are parted as bytes, are those that the csv module reads in quotes.

    The same table, or the same error with the same line.
    """
    made = []
    for mark in ("", '"'):
        path = tmp_path_factory.mktemp("labels") / "a.csv"
        lines = [("item", "annotator", "label"), *rows]
        text = "".join(",".join(f"{mark}{cell}{mark}" for cell in row) + "\n" for row in lines)
        path.write_text(text, "utf-8")
        try:
            table = sa.read_labels(path)
            columns = [x.tolist() for x in (table.item, table.annotator, table.label)]
            made.append((table.items, table.annotators, table.labels, table.notes, *columns))
        except sa.InputError as error:
            made.append(str(error).partition("a.csv")[2])
    assert made[0] == made[1]


def test_named_columns(write):
    """Columns are named; in a wide table the others are left aside, and rows are numbered unless the items are named too."""
    path = write("unit,group,r1,r2\nq,G,1,1\nr,G,2,1.0\n")
    table = sa.read_labels(path, wide=True, item="unit", annotator=["r1", "r2"])
    assert (table.items, table.annotators, table.labels) == (("q", "r"), ("r1", "r2"), ("1", "2"))
    assert table.notes == ("1 numeric label such as '1.0' read as '1'",)
    assert sa.read_labels(path, wide=True, annotator=["r1", "r2"]).items == ("1", "2")
    only = write("r1,r2\nA,A\nA,B\n")
    assert sa.read_labels(only, wide=True, annotator=["r1", "r2"]).items == ("1", "2")
    counts = write("unit,group,x,y\nq,G,2,1\n")
    table = sa.read_labels(counts, counts=True, item="unit", label=["x", "y"])
    assert table.counts.given.tolist() == [[2, 1]]
    long = write("a,b,c\n1,ann,x\n1,bob,x\n")
    assert len(sa.read_labels(long, item="a", annotator="b", label="c")) == 2


def test_missing_and_categories(write):
    """A label may stand for a missing one; categories may be declared."""
    path = write(LONG.replace("3,ann,", "3,ann,NA"))
    table = sa.read_labels(path)
    assert table.labels == ("NA", "no", "yes")
    note = (
        "1 label 'NA' counted as a category; --missing NA (missing=) takes such labels as missing"
    )
    assert table.notes == (note,)
    assert sa.read_labels(path, categories=["no", "yes", "NA"]).notes == ()  # meant as it stands
    assert sa.read_labels(path, missing="NA").labels == ("no", "yes")
    missing = sa.read_labels(path, missing="NA")
    assert missing.notes == ("1 label 'NA' counted as missing",)
    assert "|missing:NA|" in sa.pi(missing).signature
    assert (
        "no label is 'NA,nan', which was to count as missing"
        in sa.read_labels(path, missing="NA,nan").notes
    )
    declared = sa.read_labels(path, missing="NA", categories=["no", "yes", "maybe"])
    assert declared.labels == ("maybe", "no", "yes")
    assert sa.ac1(declared).counts.categories == 3


def test_names_are_kept(write):
    """Spaces at the ends of names are part of them, also unbreakable ones; what looks alike is noted."""
    path = write("item, annotator ,label\n1,ann,yes\n1\u00a0,ann ,yes \n2,ann,yes\n 2,ann ,\u00e9\n3,ann,e\u0301\n3,ann , 4.0\n")  # fmt: skip
    table = sa.read_labels(path)
    assert table.items == ("1", "1\u00a0", "2", "3")  # a number has no spaces
    assert table.annotators == ("ann", "ann ")
    assert table.labels == ("4", "e\u0301", "yes", "yes ", "\u00e9")
    differ = "differ in outer space or in the form of Unicode alone, and count apart"
    notes = (
        "1 numeric label such as '4.0' read as '4'",
        f"items '1' and '1\\xa0' {differ}",
        f"annotators 'ann' and 'ann ' {differ}",
        f"labels 'e\u0301' and '\u00e9' {differ} (and 1 more like it)",
    )
    assert table.notes == notes
    rows = [("a", "x", "y"), ("a\u00a0", "x", "y")]
    assert sa.LabelTable.from_rows(rows).items == ("a", "a\u00a0")
    wide = sa.read_labels(write("item, ann,bob\n1,yes,no\n", "wide.csv"), wide=True, annotator=["ann", "bob"])  # fmt: skip
    assert wide.annotators == (" ann", "bob")
    assert sa.read_labels(path, missing="yes").labels == ("4", "e\u0301", "\u00e9")


def test_arrays_as_names():
    """An array among the names is the name that it prints as: it is not compared, as it has no truth."""
    rows = [("x", "ann", "1"), (np.array(["x", "y"]), "ann", "2"), (np.array(["x", "y"]), "b", "1")]
    assert sa.LabelTable.from_rows(rows).items == ("x", "['x' 'y']")


def test_headers_that_are_no_repeats(write):
    """Where annotators and labels are numbers, a row may equal the header; versions are no numbers."""
    path = write("1,2\n1,2\n2,1\n")
    assert sa.read_labels(path, wide=True, annotator=["1", "2"]).labels == ("1", "2")
    assert sa.read_labels(write("item,v1,v1.0\n1,a,b\n"), wide=True).annotators == ("v1", "v1.0")


def test_totals(write):
    """A column of totals is a category only if it is named as one; a row of totals is noted."""
    path = write("item,no,yes,total\n1,1,1,2\n2,0,2,2\n")
    assert sa.read_labels(path, counts=True, label=["no", "yes"]).labels == ("no", "yes")
    assert len(sa.read_labels(path, counts=True, label=["no", "yes", "total"])) == 8
    assert len(sa.read_labels(write("item,no,yes\n1,1,1\n2,2,2\n"), counts=True)) == 6
    path = write("item,no,yes\n1,1,1\n2,0,2\nall,1,3\n")
    note = f"{path}:4: the row is the sum of those above it; counted as an item"
    assert sa.read_labels(path, counts=True).notes == (note,)


BAD = [
    (LONG, {"item": "x"}, "no column called 'x' … 'item', 'annotator', 'label'"),
    ("item,ann,bob\n1,x,y\n", {}, "which column is the annotator … 'bob'; a table with a column for each annotator needs --wide (wide=True)"),
    ("a,b,c\n1,2,3\n", {}, "which column is the item … (--item, item=) … 'a', 'b', 'c'"),
    ("item,annotator,label,label\n1,2,3,4\n", {"label": "label"}, "2 columns … 'label' … 'item', 'annotator', 'label', 'label'"),
    ("item,annotator,label\n1,ann\n", {}, ":2: 2 cells (between ',') … 3"),
    ("item,annotator,label\n1,ann,x\n\n ,bob,x\n", {}, ":4: the item is missing"),
    ("item,annotator,label\n1,,x\n", {}, ":2: the annotator is missing"),
    ("item,annotator,label\n1,a,x\n1,a,y\n", {}, ":3: item '1', annotator 'a' … twice, 'x' and 'y'; --duplicates first (duplicates='first') keeps the first"),
    (LONG, {"categories": ["no"]}, ":2: unknown label 'yes' … no"),
    ("", {}, "is empty … item,annotator,label"),
    ("item,annotator,label\n1,\"a\"b,x\n", {}, ":2: not valid CSV … quote"),
    ("item,a,b\n1,x,y\n1,x,y\n", {"wide": True}, ":3: item '1' … twice … (if no column names the items"),
    ("item,a,b\n,x,y\n", {"wide": True}, ":2: the item is missing"),
    ("item,a,a\n1,x,y\n", {"wide": True}, "columns 2 and 3 … 'a' … name of its own"),
    ("item,a,\n1,x,\n", {"wide": True}, "column 3 has no name"),
    ("item,a\n1,x\n", {"wide": True, "annotator": ["a", "a"]}, "columns 2 and 2 … 'a' … name of its own"),
    ("item,annotator,label\n", {}, "no rows below the header"),
    ("item,annotator,label\n1,a,\"" + "x" * 140_000, {}, ":2: not valid CSV … quote"),
    ("item,x,y\n1,3000000000,1\n", {"counts": True}, "3000000001 labels … 2147483647"),
    ("item\n1\n", {"wide": True}, "one column … each annotator"),
    ("item,x,y\n1,1,-1\n", {"counts": True}, ":2: count '-1' of 'y' … from 0"),
    ("item,x,y\n1,1,\n", {"counts": True}, ":2: count '' of 'y' … from 0"),
    ("item,x,x\n1,1,2\n", {"counts": True}, "columns 2 and 3 … 'x' … name of its own"),
    (LONG + LONG, {}, ":7: the names of the columns again (['item', 'annotator', 'label']) … delete the line"),
    (LONG + "label,item,annotator\n", {}, ":7: the names of the columns again (['label', 'item', 'annotator']) … delete the line"),
    (LONG + "\ufeff4,ann,yes\n", {}, ":7: a byte order mark … delete it"),
    ("item,x,y,total\n1,1,2,3\n2,0,1,1\n", {"counts": True}, "column 'total' … sum … (--label, label=)"),
    ("item,1,1.0\n1,1,2\n", {"counts": True}, "columns 2 and 3 … '1' … name of its own"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "said"), BAD, ids=range(len(BAD)))
def test_bad_files(write, text, options, said):
    """Every refusal names the file, the line where there is one, the value, and what is needed."""
    path = write(text)
    with refuses(sa.InputError, f"{path}{said if said.startswith(':') else f': {said}'}"):
        sa.read_labels(path, **options)


def test_bad_settings(write):
    """What does not go with a layout is refused, by name."""
    path = write(LONG)
    for options, said in (
        ({"wide": True, "label": "label"}, "label … column for each annotator"),
        ({"counts": True, "annotator": "x"}, "annotator … table of counts"),
        ({"counts": True, "wide": True}, "wide … table of counts"),
        ({"annotator": ["a", "b"]}, "annotator ['a', 'b'] … one column"),
        ({"missing": 3}, "missing 3 … 'NA'"),
        ({"duplicates": "x"}, "unknown duplicates 'x'; allowed: error, first"),
    ):  # fmt: skip
        with refuses(sa.SettingError, said):
            sa.read_labels(path, **options)


# --- the command --------------------------------------------------------------------------------


def test_command(write, capsys):
    """The command prints what Python gives, in every format; notes go to stderr."""
    path = write(LONG)
    result = sa.coefficients(sa.read_labels(path))
    assert main(["coefficients", str(path), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == result.to_dict()
    assert err == "spanagree: note: 1 blank label counted as missing\n"
    for by in ([], ["--by", "category"], ["--by", "annotator"]):
        for form in ("text", "csv", "markdown", "latex"):
            assert main(["coefficients", str(path), *by, "--format", form]) == 0
            assert capsys.readouterr().out
    assert main(["coefficients", str(path)]) == 0
    assert "lowest agreement by category: no, 0.000 (0 of 1 pair in which one chose it)" in capsys.readouterr().out  # fmt: skip


def test_command_layouts(write, capsys, monkeypatch):
    """Wide tables, counts, named columns, standard input, categories: as in Python."""
    path = write(WIDE)
    assert main(["coefficients", str(path), "--wide", "--annotator", "ann,bob"]) == 0
    assert "κ" in capsys.readouterr().out
    path = write(COUNTS)
    assert (
        main(["coefficients", str(path), "--counts", "--label", "no,yes", "--by", "annotator"]) == 0
    )
    assert "no rows: a table of counts does not say who gave which label" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
    assert main(["coefficients", "-", "--categories", "no,yes,maybe", "--weights", "edges"]) == 0
    out, _ = capsys.readouterr()
    assert "signature: items:labels|categories:3|weights:edges|" in out


def test_command_tokens(newsroom, capsys):
    """Tokens of a span corpus: annotators or systems, with the readers' own options."""
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    table = sa.token_labels(sa.read_jsonl(crowd), skip_outside=True)
    ask = ["coefficients", str(crowd), "--tokens", "--skip-outside", "--format", "json"]
    assert main(ask) == 0
    assert json.loads(capsys.readouterr().out) == sa.coefficients(table).to_dict()
    assert main(["coefficients", str(crowd), "--tokens", "--annotators", "ann,bob"]) == 0
    assert "\n2 annotators, " in capsys.readouterr().out
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "tagger")]
    assert main(["coefficients", *files, "--tokens", "--unit", "document"]) == 0
    assert "|unit:document|" in capsys.readouterr().out.replace("|\n  ", "|")


MISUSED = [
    (["{}", "--unit", "document"], "--unit needs --tokens or --attribute: it is for span corpora"),
    (["{}", "--skip-outside"], "--skip-outside needs --tokens"),
    (["{}", "x={}"], "2 files; one table of labels is needed, or --tokens for span corpora"),
    (["{}", "--tokens", "--wide"], "--wide does not go with --tokens: it is for a table of labels"),
]


@pytest.mark.parametrize(("arguments", "said"), MISUSED, ids=lambda x: str(x)[:40])
def test_command_misused(write, capsys, arguments, said):
    """An option of the other kind of input is refused with exit code 2, and nothing is printed."""
    path = str(write(LONG))
    assert main(["coefficients", *(a.format(path) for a in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(f"spanagree: error: {said}; see 'spanagree coefficients --help'\n")


def test_command_refuses(write, capsys):
    """A conflict is one line on stderr; --duplicates first answers it."""
    path = str(write("item,annotator,label\n1,a,x\n1,a,y\n1,b,x\n"))
    assert main(["coefficients", path]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["coefficients", path, "--duplicates", "first"]) == 0
    assert "duplicates:first" in capsys.readouterr().out
    assert main(["coefficients", path, "-o", path, "--duplicates", "first"]) == 1
    assert "is an input too" in capsys.readouterr().err


@pytest.mark.parametrize("what", [3, None, {"a": [1]}])
def test_what_is_no_file(what):
    """It is refused by its kind, with what takes rows, rather than by an error of Python's."""
    with refuses(
        sa.InputError, f"{type(what).__name__}; a file is needed … from_rows … itertuples"
    ):
        sa.read_labels(what)


@pytest.mark.parametrize(
    ("labels", "is_odd"), [("one,two,three", True), ("x,two,three", False), (",,", False)]
)
def test_a_column_that_may_be_no_annotator(tmp_path, labels, is_odd):
    """A column of texts among annotators is noted, unless the annotators were named."""
    rows = zip("123", labels.split(","), "xyx", "xxy", strict=True)
    path = tmp_path / "labels.csv"
    path.write_text("id,text,ann,bob\n" + "".join(f"{','.join(row)}\n" for row in rows), "utf-8")
    notes = sa.read_labels(path, wide=True).notes
    found = "column 'text' was read as an annotator, and no other column has any of its labels"
    assert any(note.startswith(found) for note in notes) is is_odd
    assert not any(
        "column" in note for note in sa.read_labels(path, wide=True, annotator=["ann", "bob"]).notes
    )
