"""Rows of any shape: columns guessed, spans in all forms, tables of spans, frames, one reader."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.hugging_face.guess import guess_columns
from spanagree.formats.recognise import find_format

TEXT = "Jo is in Rome"
JO, ROME = sa.Segment(0, 2, "PER"), sa.Segment(9, 13, "LOC")
OPTIONS = " (--text, --tokens, --spans, --tags, --annotator and --document name others)"


def lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


START = [
    "start",
    "begin",
    "start_offset",
    "startOffset",
    "from",
    "start_char",
    "char_start",
    "startIndex",
]
END = ["end", "stop", "end_offset", "endOffset", "to", "end_char", "char_end", "endIndex"]
LABEL = ["label", "type", "tag", "entity_group", "class", "category", "label_type", "entity_type"]
FORMS = {
    "lists": [[0, 2, "PER"], [9, 13, "LOC"]],
    "tuples in Python's spelling": "[(0, 2, 'PER'), (9, 13, 'LOC')]",
    "JSON": '[{"start": 0, "end": 2, "label": "PER"}, {"start": 9, "end": 13, "label": "LOC"}]',
    "Python's spelling": "[{'begin': 0, 'end': 2, 'tag': 'PER'}, {'begin': 9, 'end': 13, 'tag': 'LOC'}]",
    "lists of keys": {"start": [0, 9], "end": [2, 13], "label": ["PER", "LOC"]},
    "start and text": [{"type": "PER", "text": "Jo", "start": 0}, {"type": "LOC", "text": "Rome", "start": 9}],
    "several labels": [{"start": 0, "end": 2, "labels": ["PER"]}, {"start": 9, "end": 13, "labels": ["LOC"]}],
    "arrays": np.array([{"start": np.int64(0), "end": 2, "label": "PER"}, {"start": 9, "end": 13, "label": "LOC"}]),
    **{
        f"{start}, {end}, {label}": [{start: 0, end: 2, label: "PER"}, {start: 9, end: 13, label: "LOC"}]
        for start, end, label in zip(START, END, LABEL, strict=True)
    },
}  # fmt: skip


def test_relations_of_rows_are_counted(tmp_path):
    """Rows whose columns are guessed have no paths to relations; how many there are is said."""
    spans = [{"start": 0, "end": 2, "label": "PER"}, {"start": 9, "end": 13, "label": "LOC"}]
    links = [{"head": 0, "child": 1, "label": "in"}]
    row = {"text": TEXT, "spans": spans, "relations": links}
    path = tmp_path / "rows.jsonl"
    path.write_text(lines([row, {**row, "text": TEXT + "."}, {**row, "relations": None}]))
    assert any("2 relations passed over" in note for note in sa.read(path).notes)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_spans(form):
    """The same two spans in each form, in a column of them and by annotator."""
    corpus = sa.read([{"id": "7", "text": TEXT, "spans": FORMS[form]}])
    assert corpus[0].segments == {"spans": (JO, ROME)}
    assert corpus.ids == ("7",)
    by_name = sa.read([{"text": TEXT, "annotations": {"ann": FORMS[form], "bob": [], "cy": None}}])
    assert by_name[0].segments == {"ann": (JO, ROME), "bob": (), "cy": None}


def test_numbers_as_labels():
    """Labels that are numbers are text; with names they are these."""
    rows = [{"text": TEXT, "spans": [[0, 2, 1]]}]
    ask = {"text": "text", "spans": {"a": "spans"}}
    assert sa.read(rows, **ask)[0].segments["a"] == (sa.Segment(0, 2, "1"),)
    assert sa.read(rows, **ask, label_names=["X", "Y"])[0].segments["a"] == (sa.Segment(0, 2, "Y"),)


def test_mushroom():
    """Spans by annotator and without labels; what was made of them is left alone, and can be asked for."""
    rows = [
        {
            "id": "t-1", "lang": "EN", "model_input": "Where?", "model_output_text": TEXT,
            "hard_labels": [[0, 2]], "soft_labels": [{"start": 0, "end": 2, "prob": 1.0}],
            "annotations": {"a1": [[0, 2]], "a2": [[0, 2], [9, 13]], "a3": []},
            "model_output_tokens": ["Jo", " is", " in", " Rome"],
        }
    ]  # fmt: skip
    corpus = sa.read(rows)
    jo, rome = sa.Segment(0, 2, "span"), sa.Segment(9, 13, "span")
    assert corpus[0].segments == {"a1": (jo,), "a2": (jo, rome), "a3": ()}
    assert corpus.notes == (
        "columns guessed: text model_output_text; spans annotations; document id; passed over:"
        f" hard_labels, soft_labels{OPTIONS}",
        "the spans have no labels; all are called 'span'",
    )
    assert sa.read(rows, spans="hard_labels")[0].segments == {"hard_labels": (jo,)}
    assert sa.read(rows, spans={"team": "hard_labels"}).annotators == ("team",)


SHAPES = {
    "tags": ([{"tokens": ["Jo", "is"], "gold": ["B-PER", "O"], "pred": ["O", "O"], "pos": ["NE", "V"]}], {"gold": (sa.Segment(0, 1, "PER"),), "pred": ()}),
    "layers": ([{"text": TEXT, "gold": [{"start": 0, "end": 2, "label": "PER"}], "pred": [{"start": 9, "end": 13, "label": "LOC"}]}], {"gold": (JO,), "pred": (ROME,)}),
    "tokens": ([{"tokens": ["Jo", "is"], "entities": [{"start": 0, "end": 1, "type": "PER"}]}], {"entities": (sa.Segment(0, 1, "PER"),)}),
    "long": ([{"doc_id": 1, "content": TEXT, "annotator": who, "entities": s} for who, s in (("ann", [{"start": 0, "end": 2, "label": "PER"}]), ("bob", []))], {"ann": (JO,), "bob": ()}),
    "Argilla 2": (
        [{"id": "1", "status": "completed", "text": TEXT, "ner.responses": [[{"start": 0, "end": 2, "label": "PER"}], [], []],
          "ner.responses.users": ["u1", "u2", "u3"], "ner.responses.status": ["submitted", "submitted", "draft"]}],
        {"u1": (JO,), "u2": ()},
    ),
    "Argilla 1": (
        [{"text": TEXT, "ner": [{"user_id": "u1", "value": [{"start": 0, "end": 2, "label": "PER", "text": "Jo"}], "status": "submitted"},
                                {"user_id": "u2", "value": [], "status": "discarded"}]}],
        {"u1": (JO,)},
    ),
    "RAGTruth": ([{"id": "0", "source_id": "9", "response": TEXT, "labels": [{"start": 0, "end": 2, "text": "Jo", "label_type": "PER", "meta": ""}]}], {"labels": (JO,)}),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("frame", ["rows", "pandas", "polars", "pyarrow", "arrow stream"])
def test_shapes_and_frames(shape, frame):
    """Each shape is guessed, in rows and in tables of three libraries."""
    rows, segments = SHAPES[shape]
    if frame == "rows":
        data = rows
    elif frame == "arrow stream":
        table = pytest.importorskip("pyarrow").Table.from_pylist(rows)
        data = type("Stream", (), {"__arrow_c_stream__": table.__arrow_c_stream__})()
    else:
        library = pytest.importorskip(frame)
        of = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "Table"}[frame]
        make = getattr(library, of)
        data = make.from_pylist(rows) if frame == "pyarrow" else make(rows, strict=False) if frame == "polars" else make(rows)  # fmt: skip
    corpus = sa.read(data)
    assert {k: v for k, v in corpus[0].segments.items() if v is not None} == segments
    assert len(corpus) == 1
    assert sa.from_dataset(data) == corpus


TABLE = [
    {"document": "a", "annotator": "ann", "start": 0, "end": 2, "label": "PER", "text": TEXT},
    {"document": "a", "annotator": "bob", "start": 9, "end": 13, "label": "LOC", "text": TEXT},
    {"document": "b", "annotator": "ann", "start": 0, "end": 2, "label": "PER", "text": TEXT},
]


def table_text(rows, sign=","):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=sign)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def test_span_tables(write_here):
    """One row a span; an empty row, or the option, says who saw what has no span."""
    unclear = (
        "nobody says whether annotators saw documents in which they have nothing (1 case):"
        " systems are taken as having seen what gold or references saw, annotators as never having"
        " seen it; --absent unmarked or unseen (absent=) decides for all, and in a table a row without start"
        " and end says that one was seen"
    )
    corpus = sa.read(TABLE)
    assert corpus[0].segments == {"ann": (JO,), "bob": (ROME,)}
    assert corpus[1].segments == {"ann": (JO,), "bob": None}
    assert corpus.notes[-1] == unclear
    assert sa.read(TABLE, absent="unmarked")[1].segments["bob"] == ()
    assert unclear not in sa.read(TABLE, absent="unseen").notes
    stated = [*TABLE, {**TABLE[0], "document": "b", "annotator": "bob", "start": None, "end": None}]
    assert sa.read(stated)[1].segments["bob"] == ()
    assert unclear not in sa.read(stated).notes
    for name, sign in (("t.csv", ","), ("t.tsv", "\t"), ("s.csv", ";")):
        assert sa.read(write_here(name, table_text(stated, sign))) == sa.read(stated)
    lengths = [{**row, "text": row["text"][:1], "length": 13} for row in TABLE]
    del lengths[0]["text"], lengths[1]["text"], lengths[2]["text"]
    assert sa.read(lengths)[0].segments == corpus[0].segments
    named = [{"d": "a", "von": 0, "bis": 2, "typ": "PER", "t": TEXT}]
    assert sa.read(named, spans="von,bis,typ", document="d", text="t")[0].segments == {
        "spans": (JO,)
    }
    only = [{**TABLE[0], "annotator": None, "start": None, "end": None, "document": "c"}, *TABLE]
    assert sa.read(only)[0].segments == {"ann": None, "bob": None}
    quoted = [{**row, "text": row["text"][row["start"] : row["end"]]} for row in TABLE]
    with pytest.raises(sa.SettingError, match="neither text nor tokens"):
        sa.read(quoted)  # the text of the span is not that of the document
    with pytest.raises(sa.SettingError, match=r"t.csv: neither text nor tokens.*column length"):
        sa.read(write_here("t.csv", "document,annotator,start,end,label\nd,ann,0,2,PER\n"))


def test_offsets_in_tokens_are_none_in_a_text():
    """Spans that say their tokens alone are refused beside a text, whose characters they are not.

    Oracle: with the offsets in characters, too, these are read.
    """
    span = {"token_start": 0, "token_end": 1, "label": "PER"}
    with pytest.raises(sa.InputError, match=r"row 1.*token_start.*start and end in the text"):
        sa.read([{"text": TEXT, "spans": [span]}])
    read = sa.read([{"text": TEXT, "spans": [{**span, "start": 0, "end": 2}]}])
    assert read[0].segments == {"spans": (JO,)}


spans = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4), st.sampled_from(["A", "B c"])), max_size=3)  # fmt: skip


@pytest.mark.long
@given(st.lists(st.tuples(spans, st.none() | spans), min_size=1, max_size=4))
@at_most(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_as_csv(tmp_path, layers):
    """Rows as CSV, with lists as JSON or in Python's spelling, are what they are in Python."""
    text = TEXT + ' "x", y\n'
    rows = [
        {"id": f"d{i}", "text": text, "ann": [[s, s + n, c] for s, n, c in one], "bob": other and [[s, s + n, c] for s, n, c in other]}
        for i, (one, other) in enumerate(layers)
    ]  # fmt: skip
    ask = {"text": "text", "spans": {"ann": "ann", "bob": "bob"}, "document": "id", "repair": ["drop-duplicates"]}  # fmt: skip
    for spelled in (json.dumps, repr):
        flat = [{k: "" if v is None else spelled(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]  # fmt: skip
        (tmp_path / "a.csv").write_text(table_text(flat), encoding="utf-8")
        assert sa.read(tmp_path / "a.csv", **ask) == sa.from_dataset(rows, **ask)


def test_words_in_csv(write_here):
    """Tokens and tags with spaces between, a row a document; a token a row is for CoNLL."""
    name = write_here("a.csv", "id,tokens,gold,pred\n1,Jo is,B-PER O,O O\n2,Rome,B-LOC,B-LOC\n")
    corpus = sa.read(name)
    assert corpus[0].segments == {"gold": (sa.Segment(0, 1, "PER"),), "pred": ()}
    assert corpus.ids == ("1", "2")


@pytest.mark.parametrize("key", ["id", "uid"])
@pytest.mark.parametrize(
    "fields", [{"text": "Jo", "ann": [[0, 1, "P"]]}, {"tokens": ["Jo", "is"], "gold": ["B-P", "O"]}]
)
def test_ids_that_repeat(write_here, key, fields):
    """Rows of one id are never counted as different documents: they are refused."""
    rows = [{key: number, **fields} for number in (7, 8, 7)]
    with pytest.raises(sa.InputError, match=r"'7' comes twice; ids are used once"):
        sa.read(write_here("a.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows)))


@pytest.mark.parametrize("name", ["comments", "Comments", "events", "owner"])
def test_lists_of_something_else(write_here, name):
    """An empty list is not an annotator's only because its name ends as one of spans does."""
    row = {"text": "Jo", "spans": [[0, 2, "PER"]], name: []}
    assert sa.read(write_here("a.jsonl", json.dumps(row))).annotators == ("a.jsonl",)
    whole = {"id": 1, "text": "Jo", "label": ["good"], name: []}  # of a project without spans
    with pytest.raises(sa.InputError, match="in which no spans or tags were found"):
        sa.read(write_here("b.json", json.dumps([whole])))


def test_nameless_columns(write_here):
    """A column that names nobody is called by its file; one file an annotator needs no option."""
    for name, marks in (("ann", [[0, 2, "PER"]]), ("bob", [])):
        write_here(f"{name}.jsonl", lines([{"id": 7, "text": TEXT, "spans": marks}]))
    corpus = sa.read(["ann.jsonl", "bob.jsonl"])
    assert corpus[0].segments == {"ann.jsonl": (JO,), "bob.jsonl": ()}
    assert sa.read("*.jsonl") == corpus
    assert sa.read("*.jsonl").notes[0] == f"ann.jsonl and 1 more: read as dataset; columns guessed: text text; spans spans; document id{OPTIONS}"  # fmt: skip
    assert sa.read({"x": "ann.jsonl"}).annotators == ("x",)
    assert sa.read("ann.jsonl", format="dataset", spans={"gold": "spans"}, text="text").annotators == ("gold",)  # fmt: skip


def test_units_of_offsets():
    """Offsets in UTF-16 are turned where the text of the spans says so; what fits nowhere is noted."""
    row = {"text": "\U0001f600 Rome", "spans": [{"start": 3, "end": 7, "text": "Rome", "label": "LOC"}]}  # fmt: skip
    corpus = sa.read([row])
    assert corpus[0].segments["spans"] == (sa.Segment(2, 6, "LOC"),)
    assert "1 span with offsets in UTF-16 units, turned into code points" in corpus.notes


def test_gaps(write_here):
    """A key that a record lacks is null; one that all lack is an error that names those there are."""
    name = write_here("a.json", json.dumps([{"text": TEXT, "gold": []}, {"text": TEXT, "gold": [], "mine": [[0, 2, "PER"]]}]))  # fmt: skip
    ask = {"text": "text", "spans": {"gold": "gold", "mine": "mine"}}
    assert sa.read(name, **ask)[0].segments == {"gold": (), "mine": None}
    with pytest.raises(sa.SettingError, match="no column 'nope'; there are text, gold, mine"):
        sa.read(name, text="text", spans={"a": "nope"})
    bad = write_here("b.json", json.dumps([{"text": TEXT, "spans": [[0, 2, "PER"]]}, 7]))
    with pytest.raises(sa.InputError, match=r"b.json: record 2: 7; a list of objects"):
        sa.read(bad)
    with pytest.raises(sa.InputError, match=r"c.csv: two columns are called 'a'"):
        sa.read(write_here("c.csv", "a,a\n1,2\n"), text="a", spans={"x": "a"})
    with pytest.raises(sa.InputError, match=r"d.csv: no rows; a header and rows are needed"):
        sa.read(write_here("d.csv", "a,b\n"), text="a", spans={"x": "b"})


NAMED = "--text C --spans C, --tokens C --tags gold=C,mine=C, or --from FORMAT"
UNKNOWN = {
    "keys.json": ('[{"a": 1, "b": 2}]', "keys.json: JSON with the keys a, b, in which no spans or tags were found; name its columns: " + NAMED + " (conll, jsonl, spacy, brat"),
    "keys.jsonl": ('{"a": 1}\n{"c": 1}\n', "keys.jsonl: JSON with the keys a, c, in which no spans"),
    "labels.csv": ("item,annotator,label\n1,a,x\n", "labels.csv: a table of labels (columns item, annotator, label), and spans are needed here; spanagree coefficients and sa.read_labels read it"),
    "bounds.csv": ("id,text,annotator,start,end,label\n1,Ana met Bob,ann,x,3,PER\n1,Ana met Bob,ann,8,11,PER\n", "bounds.csv:2: column 'start' 'x'; a whole number is needed"),
    "bounds.tsv": ("id\tannotator\tstart\tend\tlabel\n1\tann\t\t\t\n1\tann\t8\tlast\tPER\n", "bounds.tsv:3: column 'end' 'last'; a whole number is needed"),
    "pairs.csv": ("item,annotator,label,from,to\n1,a,x,en,de\n", "pairs.csv: a table of labels (columns item, annotator, label, from, to)"),
    "labels.tsv": ("item\tworker\tanswer\n1\ta\tx\n", "labels.tsv: a table of labels (columns item, worker, answer)"),
    "other.csv": ('"a";b\n1;2\n', "other.csv: a table of the columns a, b, in which no spans or tags were found; name its columns: " + NAMED + "; a table of labels is read by spanagree coefficients and sa.read_labels"),
    "none.json": ("{}", "none.json: JSON without keys, in which no spans or tags were found; name its columns: " + NAMED),
    "wrapped.json": ('{"n": 1, "docs": [{"text": "Jo", "entities": [{"text": "Jo", "label": "P"}]}]}', "wrapped.json: JSON with the keys n, docs, in which no spans or tags were found; if each object under docs is a document, save that list as a file"),
    "alone.json": ('{"data": [{"text": "Jo", "spans": [[0, 2, "P"]]}]}', "alone.json: JSON with the keys data, in which no spans or tags were found; if each object under data"),
    "train.json": ("[('Jo', {'entities': [(0, 2, 'P')]})]", "train.json: this looks like spaCy's pairs as Python writes them, which is not read; save them with json.dump"),
    "train.py": ("TRAIN_DATA = [\n  ('Jo', {'entities': [(0, 2, 'P')]}),\n]\n", "train.py: this looks like spaCy's pairs as Python"),
    "page.xml": ("<html>\n<p>x</p></html>", "page.xml: this looks like a web page, which is not read; export the annotations from the tool that shows it"),
    "song.xml": ("<song>\n<p>x</p></song>", "song.xml: xml that no reader knows, beginning with '<song>'; name its format with --from (conll,"),
}  # fmt: skip


def test_other_zips(tmp_path):
    """A zip that is no tool's export is said to be one, with what it holds; a bomb is a bomb."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes.md", "x")
    with refuses(sa.InputError, "… a.zip … notes.md … unpack it"):  # fmt: skip
        sa.read(tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("notes.md", bytes(1 << 25))
    with pytest.raises(sa.InputError, match=r"b.zip: its \d+ bytes expand to more than 50 times"):
        sa.read(tmp_path / "b.zip")


@pytest.mark.parametrize("name", UNKNOWN)
def test_not_recognised(write_here, capsys, name):
    """What no reader knows is shown: its keys, columns or first line, and what would read it."""
    text, message = UNKNOWN[name]
    with pytest.raises(sa.InputError) as error:
        sa.read(write_here(name, text))
    assert str(error.value).startswith(message)
    assert main(["agree", name]) == 1
    assert f"spanagree: error: {message}" in capsys.readouterr().err


def test_what_it_takes(write_here):
    """Columns that are named, or a format, are enough; an unknown one, or one without a file, is not."""
    name = write_here("a.json", '[{"a": "Jo", "b": [[0, 2]], "c": 1}]')
    assert sa.read(name, text="a", spans={"x": "b"}).annotators == ("x",)
    with pytest.raises(sa.SettingError, match="unknown format 'x'; allowed: conll"):
        sa.read(name, format="x")
    with pytest.raises(sa.SettingError, match="format 'json', but there is no file; leave it out"):
        sa.read([{"text": "Jo", "spans": []}], format="json")
    with pytest.raises(sa.SettingError, match="colour is not an option of reading"):
        sa.read(name, text="a", spans={"x": "b"}, colour=1)
    with pytest.raises(sa.InputError, match="no file; at least one is needed"):
        sa.read([])


def test_two_formats(write_here):
    """Files of two formats with the same documents are one corpus; without one in common an error."""
    write_here("a.jsonl", lines([{"id": "7", "text": TEXT, "spans": [[0, 2, "PER"]]}]))
    corpus = sa.Corpus.from_segments([2], {"bob": [[(0, 1, "PER")]]}, ids=["7"])
    own = sa.Corpus(
        [13], corpus.layers, corpus.labels, ids=["7"], texts=[TEXT], offsets="characters"
    )
    sa.write_jsonl(own, "b.jsonl")
    both = sa.read(["a.jsonl", "b.jsonl"])
    assert len(both) == 1
    assert set(both.annotators) == {"a.jsonl", "bob"}
    other = sa.Corpus(
        [13], corpus.layers, corpus.labels, ids=["8"], texts=[TEXT], offsets="characters"
    )
    sa.write_jsonl(other, "c.jsonl")
    with refuses(sa.InputError, "a.jsonl: read as dataset … 7, … 8, … the same ids"):
        sa.read(["a.jsonl", "c.jsonl"])


def test_nothing_to_guess():
    """Rows without spans give no guess; tweets' users are no annotators; a token a row is no tag row."""
    assert guess_columns([{"a": 1}], {}) == ({}, [])
    made, _ = guess_columns([{"text": TEXT, "user": "@jo", "spans": [[0, 2, "X"]]}], {})
    assert made == {"spans": "spans", "text": "text"}


def test_tables_and_objects_are_named(tmp_path):
    """The note on guessed columns says what a CSV was read as; empty objects are nobody's spans."""
    path = tmp_path / "spans.csv"
    path.write_text("doc,annotator,start,end,length\n1,ann,0,2,9\n", "utf-8")
    assert sa.read(path).notes[0].startswith(f"{path}: read as dataset; columns guessed: spans start,end")  # fmt: skip
    path = tmp_path / "gate.json"
    path.write_text('{"text": "Jo", "features": {}, "sets": {"a": {"name": "a"}}}', "utf-8")
    with pytest.raises(sa.InputError) as error:
        sa.read(path)
    assert str(error.value).startswith(
        f"{path}: JSON with the keys text, features, sets, in which no spans or tags were"
        " found; name its columns: --text C --spans C"
    )


def test_a_span_without_its_text():
    """Of rows that are spans, one may lack the column of the spans' texts, or its end."""
    span = {"id": "1", "start": 0, "end": 2, "label": "A", "length": 9}
    rows = [{**span, "text": "Jo"}, {**span, "start": 3, "end": 5}]
    assert len(sa.read(rows)[0].segments["spans"]) == 2
    with pytest.raises(sa.SettingError, match="row 2: no column 'end'"):
        sa.read([{**span, "text": "Jo"}, {"id": "1", "start": 3, "text": "x"}])


EXPORTS = {
    "label-studio": '[{"id": 1, "text": "Jo sang", "annotator": 1, "annotation_id": 1, "label": '
    '[{"start": 0, "end": 2, "text": "Jo", "labels": ["PER"]}]}, {"id": 1, "text": "Jo sang",'
    ' "annotator": 2, "annotation_id": 2}]',
    "prodigy": '{"text": "Jo", "_input_hash": 1, "answer": "accept", "tokens": [{"text": "Jo",'
    ' "start": 0, "end": 2, "id": 0}], "spans": [{"start": 0, "end": 2, "label": "PER"}]}',
    "doccano": '{"id": 1, "text": "Jo", "label": [[0, 2, "PER"]], "Comments": []}',
    "jsonl": '{"spanagree": 1, "id": "1", "text": "Jo", "annotators": {"ann": []}}',
}


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize(
    "options", [{"strict": True}, {"scheme": "IO"}, {"encoding": "utf-8"}, {"tokens": "tokens"}]
)
def test_options_choose_no_other_reader(write_here, name, options):
    """A tool's file stays one with an option that its reader does not take, which is refused."""
    path = write_here("a.json" if name == "label-studio" else "a.jsonl", EXPORTS[name])
    assert find_format(path) == find_format(path, options) == name
    with pytest.raises(sa.SettingError) as error:
        sa.read(path, **options)
    (option,) = options
    more = {
        "tokens": "; --from dataset reads them as rows",
        "encoding": "; save the files as UTF-8",
    }.get(option, "")
    assert str(error.value).startswith(f"{option} doesn't apply to {name} files; it is for ")
    assert str(error.value).endswith(more)


def test_options_that_name_no_column(write_here):
    """Rows that no tool wrote are read by the columns that are named, and not by other options."""
    path = write_here("a.json", '[{"a": "Jo", "b": [[0, 2]]}]')
    assert sa.read(path, text="a", spans="b", strict=True).annotators == ("b",)
    with pytest.raises(sa.InputError, match="no spans or tags were found; name its columns"):
        sa.read(path, strict=True)


def test_an_iterator_of_rows():
    """Looking at the first rows takes none of them away. Oracle: the list of the same rows."""
    rows = [{"id": i, "text": TEXT, "who": who, "marks": [[0, 2, "PER"]]} for i in range(60) for who in "ab"]  # fmt: skip
    ask = {"text": "text", "spans": "marks", "annotator": "who", "document": "id"}
    assert sa.from_dataset(iter(rows), **ask) == sa.from_dataset(rows, **ask)
    assert len(sa.from_dataset(iter(rows), **ask)) == 60


QUOTES = {
    "entity": {"entity": "Jo", "type": "PER"},
    "name": {"name": "Jo", "label": "PER"},
    "span": {"span": "Jo", "category": "PER", "start": None, "end": None},
    "both": {"entity": "PER", "text": "Jo"},
    "offsets": {"start": 0, "end": 2, "entity": "PER", "name": "Al"},
}


@pytest.mark.parametrize("name", QUOTES)
@pytest.mark.parametrize("form", ["column", "object", "text"])
def test_what_models_call_a_quote(write_here, name, form):
    """A list of objects, in an object or a text with a reason. Oracle: as it was made."""
    made = {
        "column": lambda spans: {"entities": spans},
        "object": lambda spans: {"answer": {"entities": spans, "reason": "so"}},
        "text": lambda spans: {"answer": json.dumps({"reason": "so", "entities": spans})},
    }[form]
    rows = [{"text": "Jo met Al", **made([QUOTES[name]])}, {"text": "No", **made([])}]
    write_here("x.jsonl", lines(rows))
    segments = [[*document.segments.values()] for document in sa.read("x.jsonl")]
    assert segments == [[((0, 2, "PER"),)], [()]]


@pytest.mark.parametrize("dump", [json.dumps, lambda answer: answer])
def test_a_column_by_its_path(write_here, dump):
    """In an object, or in a text that holds one; a name that is no path is a column too."""
    rows = [{"t]": "Jo met Al", "answer": dump({"why": "so", "found": [["Jo", "PER"]]})}]
    write_here("x.jsonl", lines([*rows, {"t]": "No", "answer": dump({"found": []})}]))
    corpus = sa.read("x.jsonl", "dataset", text="t]", spans="answer.found")
    assert [[*document.segments.values()] for document in corpus] == [[((0, 2, "PER"),)], [()]]
    with refuses(sa.SettingError, "row 1: no column 'x]'; there are t], answer"):
        sa.read(rows, text="t]", spans="x]")


def test_names_that_are_no_quotes(write_here):
    """Objects with a name and a type are spans where the column says so, and nowhere else."""
    rows = [{"text": "Jo met Al", "files": [{"name": "Jo", "type": "pdf"}]}]
    write_here("x.jsonl", lines(rows))
    with refuses(sa.InputError, "x.jsonl: JSON with the keys text, files, in which no spans"):
        sa.read("x.jsonl")


BARE = [
    {"tokens": ["Jo", "met", "Al"], "ner": ["PER", "O", "PER"]},
    {"tokens": ["No"], "ner": ["O"]},
]


def test_labels_without_a_prefix(write_here):
    """A label for each token is no quote: the options that read it are named, and do."""
    write_here("x.jsonl", lines(BARE))
    with refuses(
        sa.InputError, "x.jsonl: column ner … --tokens tokens --tags gold=ner --scheme IO"
    ):
        sa.read("x.jsonl")
    corpus = sa.read("x.jsonl", tokens="tokens", tags={"gold": "ner"}, scheme="IO")
    assert corpus[0].segments == {"gold": ((0, 1, "PER"), (2, 3, "PER"))}
    table = "sentence,token,label\n" + "".join(
        f"{i},{token},{label}\n"
        for i, row in enumerate(BARE)
        for token, label in zip(row["tokens"], row["ner"], strict=True)
    )
    write_here("x.csv", table)
    with refuses(sa.InputError, "x.csv … --scheme IO"):
        sa.read("x.csv")
    assert sa.read("x.csv", scheme="IO")[0].segments == {"x.csv": ((0, 1, "PER"), (2, 3, "PER"))}


@pytest.mark.parametrize("name", ["x.jsonl", "x.parquet"])
def test_a_token_in_each_row(write_here, name):
    """``document`` names the column of the sentences, of a file too. Oracle: as it was made."""
    rows = [{"sent": 1, "token": "Jo", "tag": "B-PER"}, {"sent": 1, "token": "ran", "tag": "O"}]
    rows.append({"sent": 2, "token": "Al", "tag": "B-PER"})
    write_here("x.jsonl", lines(rows))
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(rows), "x.parquet")
    corpus = sa.read(name, "dataset", document="sent")
    assert [document.segments["tag"] for document in corpus] == [((0, 1, "PER"),), ((0, 1, "PER"),)]


def test_tokens_by_annotator(write_here):
    """A table whose tokens stand once for each annotator is no sentence of all of them."""
    rows = ["s,token,rater,tag", "1,Jo,ann,B-PER", "1,ran,ann,O", "1,Jo,bob,O", "1,ran,bob,O"]
    write_here("x.csv", "\n".join(rows))
    with refuses(sa.InputError, "x.csv: the column rater names ann, bob … a column of tags"):
        sa.read("x.csv")
    write_here("x.csv", "\n".join(rows[:3]))
    assert len(sa.read("x.csv").annotators) == 1


def test_spans_with_a_probability_are_a_systems():
    """With labels they are; without, they are shares of annotators, which are none."""
    span = {"start": 0, "end": 2, "prob": 0.7}
    spans = [{"start": 0, "end": 2, "label": "PER"}]
    for extra, annotators in (({"label": "PER"}, ("gold", "llm")), ({}, ("gold",))):
        rows = [{"text": "Jo met Al", "gold": spans, "llm": [{**span, **extra}]}]
        corpus = sa.read(rows)
        assert corpus.annotators == annotators
        note = "1 span with a probability, which is not used" if extra else "passed over: llm"
        assert any(note in said for said in corpus.notes)


def test_names_of_systems_in_tables(write_here):
    """A column of systems is one of annotators; so is one with several names in a document.

    With one name in each, it may be of who wrote the text, and is said; so are rows of texts of
    their own in a thread, beside the thread's id.
    """
    rows = "1,gpt,0,2,P,Jo met Al\n1,llama,7,9,P,Jo met Al\n"
    for name in ("model", "system", "llm"):
        path = write_here("a.csv", f"document,{name},start,end,label,text\n{rows}")
        assert sa.read(path).annotators == ("gpt", "llama")
    apart = rows.replace("\n1,", "\n2,")
    late = (
        "".join(f"{i},gpt,0,2,P,Jo met Al\n" for i in range(1, 100)) + "1,llama,7,9,P,Jo met Al\n"
    )
    for name in ("user", "author", "email"):
        path = write_here("a.csv", f"document,{name},start,end,label,text\n{rows}")
        assert sa.read(path).annotators == ("gpt", "llama")
        path = write_here("a.csv", f"document,{name},start,end,label,text\n{late}")
        assert sa.read(path).annotators == ("gpt", "llama")
        path = write_here("a.csv", f"document,{name},start,end,label,text\n{apart}")
        corpus = sa.read(path)
        assert corpus.annotators == ("a.csv",)
        assert f"passed over: {name}" in corpus.notes[0]
    spans = [{"start": 0, "end": 2, "label": "P"}]
    thread = [
        {"id": i, "docid": "t", "user": f"u{i}", "text": f"Jo {i}", "spans": spans} for i in (1, 2)
    ]
    assert len(sa.read(thread)) == 2
    rows = [
        {"id": str(i // 2), "text": "Jo met Al", "model": "ab"[i % 2], "spans": spans}
        for i in range(6)
    ]
    assert sa.read(rows).annotators == ("a", "b")


def test_spans_that_name_their_annotator():
    """Of one list they are of several annotators, and the same span twice is of two."""
    spans = [{"start": 0, "end": 2, "label": "P", "annotator": name} for name in ("ann", "bob")]
    segments = sa.read([{"text": "Jo met Al", "spans": spans}])[0].segments
    assert segments == {"ann": ((0, 2, "P"),), "bob": ((0, 2, "P"),)}


def test_output_of_pipelines():
    """Words in small letters at the right offsets are there; labels of tokens are said to be."""
    text = "Jo Doe had COVID-19."
    spans = [
        {"start": 0, "end": 6, "word": "jo doe", "entity_group": "P", "score": 0.9},
        {"start": 11, "end": 19, "word": "covid - 19", "entity_group": "D", "score": 0.9},
    ]
    corpus = sa.read([{"text": text, "entities": spans}])
    assert corpus[0].segments["entities"] == ((0, 6, "P"), (11, 19, "D"))
    tokens = [
        {"start": 0, "end": 2, "word": "jo", "entity": "B-P", "score": 0.9},
        {"start": 3, "end": 6, "word": "doe", "entity": "I-P", "score": 0.9},
    ]
    notes = sa.read([{"text": text, "entities": tokens}]).notes
    assert any("all labels begin with B- or I-, as of single tokens" in note for note in notes)


def test_a_system_that_marked_nothing():
    """Its empty lists beside others' spans are its answers; lists of something else are none."""
    spans = [{"start": 0, "end": 2, "label": "P"}]
    row = {"text": "Jo met Al", "gold": spans, "gpt": spans, "llama": [], "relations": []}
    corpus = sa.read([row] * 6)
    assert corpus.annotators == ("gold", "gpt", "llama")
    assert sa.evaluate(corpus, "gold")["llama"].recall.observed == 0
    assert "passed over: relations" in corpus.notes[0]


@pytest.mark.parametrize(
    "answer",
    [
        {"entities": [{"text": "Jo", "label": "P"}], "relations": []},
        {"P": [[0, 2]], "LOC": []},
        {"P": [], "LOC": []},
    ],
)
def test_keys_that_are_labels(answer):
    """Keys of a model's answers are no annotators where gold has them as labels."""
    gold = [{"start": 0, "end": 2, "label": "P"}]
    corpus = sa.read([{"text": "Jo met Al", "gold": gold, "model": answer}] * 3)
    assert corpus.annotators == ("gold",)
    assert "passed over: model" in corpus.notes[0]
    people = sa.read([{"text": "Jo met Al", "annotations": {"ann": gold, "bob": []}}] * 3)
    assert people.annotators == ("ann", "bob")


def test_a_note_says_that_probabilities_are_not_used(tmp_path):
    """Read as a layer, spans with a probability are all taken, and a note says so."""
    path = tmp_path / "m.jsonl"
    row = {"id": "1", "text": "No way", "spans": [{"start": 0, "end": 2, "prob": 0.1}]}
    path.write_text(json.dumps(row), "utf-8")
    corpus = sa.read(path, spans="spans", text="text")
    note = "1 span with a probability, which is not used: all are taken as marked"
    assert any(note in each for each in corpus.notes)
    assert len(next(iter(corpus.layers.values()))) == 1


@pytest.mark.parametrize("key", ["label_name", "labelName", "class_name", "ner_label", "concept"])
def test_further_names_of_labels(key, write_here):
    """Next to offsets they are labels, in objects and in a table. Oracle: as it was made."""
    span = {"start": 0, "end": 2}
    rows = [{"text": "Jo is", "a": [{**span, key: "PER"}], "b": [{**span, key: "LOC"}]}]
    for document in (sa.read(rows)[0], sa.read(write_here("x.jsonl", lines(rows)))[0]):
        assert document.segments == {"a": ((0, 2, "PER"),), "b": ((0, 2, "LOC"),)}
    table = f"doc,annotator,start,end,{key},text\n1,a,0,2,PER,Jo is\n1,b,0,2,LOC,Jo is\n"
    segments = sa.read(write_here("x.csv", table))[0].segments
    assert segments == {"a": ((0, 2, "PER"),), "b": ((0, 2, "LOC"),)}


def test_what_is_not_read_as_a_label_is_named(write_here):
    """If no span has a label, words in their other fields may be it."""
    rows = [{"text": "Jo is", "a": [{"start": 0, "end": 2, "kind of it": "PER", "n": 3, "t": "7"}]}]
    said = "all are called 'span'; not read as a label: 'kind of it'"
    assert any(note.endswith(said) for note in sa.read(rows).notes)
    table = "doc,annotator,start,end,kind of it,text\n1,a,0,2,PER,Jo is\n"
    assert any(note.endswith(said) for note in sa.read(write_here("x.csv", table)).notes)


def test_labels_in_a_list_beside_the_spans():
    """The first label is of the first span; lists of other lengths are refused."""
    rows = [
        {
            "id": 1,
            "text": "Jo is in Rome",
            "annotator": who,
            "spans": [[0, 2], [9, 13]],
            "labels": labels,
        }
        for who, labels in (("ann", ["PER", "LOC"]), ("bob", ["ORG", "ORG"]))
    ]
    assert sa.read(rows)[0].segments == {
        "ann": ((0, 2, "PER"), (9, 13, "LOC")),
        "bob": ((0, 2, "ORG"), (9, 13, "ORG")),
    }
    quotes = [{"text": "Jo is in Rome", "spans": ["Rome", "Jo"], "labels": ["LOC", "PER"]}]
    assert [*sa.read(quotes)[0].segments.values()] == [((0, 2, "PER"), (9, 13, "LOC"))]
    rows += [{**rows[1], "id": 2, "labels": ["ORG"]}]
    with refuses(sa.InputError, "row 3, annotator 'bob': 1 label for 2 spans; each span needs one"):
        sa.read(rows)


def test_named_columns_leave_the_guesses_of_others():
    """Ids and annotators are found, whether the spans, or the text too, are named or not."""
    spans = [{"start": 0, "end": 2, "label": "PER"}]
    rows = [{"id": "7", "text": "Jo is", "annotator": who, "ents": spans} for who in "ab"]
    for named in ({}, {"spans": "ents"}, {"spans": "ents", "text": "text"}):
        corpus = sa.formats.from_dataset(rows, **named)
        assert (corpus.ids, corpus.annotators) == (("7",), ("a", "b"))


def test_words_about_quotes_are_none(write_here):
    """What a model writes about its quotes is no entity, in JSON or in an object."""
    quotes = {"PER": ["Jo"], "explanation": "Jo is a person", "LOC": []}
    for cell in (json.dumps(quotes), quotes):
        path = write_here("llm.jsonl", lines([{"id": 1, "text": "Jo is", "answer": cell}]))
        corpus = sa.read(path, spans="answer")
        assert [*corpus[0].segments.values()] == [((0, 2, "PER"),)]
        assert not corpus.unplaced


def test_refusals_are_counted(write_here):
    """Forty answers without spans are one error, with the first and the number of others."""
    rows = [
        {"id": i, "text": "Jo is", "gold": [], "answer": "I cannot" if i else "I am sorry"}
        for i in range(40)
    ]
    path = write_here("llm.jsonl", lines(rows))
    with refuses(sa.InputError, "llm.jsonl:1, … spans 'I am sorry'; … (and 39 more like it)"):
        sa.read(path, spans={"gold": "gold", "llm": "answer"})


def test_spans_under_their_labels():
    """In rows that name their annotators, lists of spans without labels stand under these."""
    rows = [
        {"id": 1, "text": "Jo is in Rome", "annotator": "ann", "spans": {"PER": [[0, 2]], "LOC": [[9, 13]]}},
        {"id": 1, "text": "Jo is in Rome", "annotator": "bob", "spans": {"PER": None, "ORG": [{"start": 9, "end": 13}]}},
    ]  # fmt: skip
    assert sa.read(rows)[0].segments == {
        "ann": ((0, 2, "PER"), (9, 13, "LOC")),
        "bob": ((9, 13, "ORG"),),
    }
    by_annotator = [{"id": 1, "text": "Jo is in Rome", "spans": {"ann": [[0, 2]], "bob": []}}]
    assert sa.read(by_annotator).annotators == ("ann", "bob")


def test_names_in_an_object_beside_wrapped_spans():
    """An object around the spans is no annotator; several names in a document are."""
    rows = [
        {"Doc_ID": 0, "text": "Jo is", "meta": {"who": who}, "result": {"ents": [{"from": 0, "to": 2, "class": "P"}]}}
        for who in ("ann", "bob")
    ]  # fmt: skip
    assert sa.read(rows)[0].segments == {"ann": ((0, 2, "P"),), "bob": ((0, 2, "P"),)}


def test_labels_beside_spans_that_nobody_gave():
    """No list is never seen, in JSON and in a table; odd labels are errors of their row."""
    rows = [
        {"id": i, "text": "Jo is", "annotator": who, "spans": [[0, 2]], "labels": ["PER"]}
        for i in (1, 2)
        for who in ("ann", "bob")
    ]
    for unseen in ({"spans": None, "labels": None}, {"spans": None, "labels": []}, {"spans": None}):
        last = {key: value for key, value in rows[3].items() if key != "labels"} | unseen
        corpus = sa.read([*rows[:3], last])
        assert corpus[1].segments == {"ann": ((0, 2, "PER"),), "bob": None}
    for labels in ([None], [""]):
        with refuses(sa.InputError, "annotator 'bob', document '2': segment 0–2 without a label …"):
            sa.read([*rows[:3], {**rows[3], "labels": labels}])
    ids = [{**row, "labels": [1]} for row in rows]
    assert sa.read(ids, label_names=["O", "PER"])[0].segments["ann"] == ((0, 2, "PER"),)


def test_labels_and_spans_of_columns():
    """Beside several columns of spans, labels are under their names; or spans under their labels."""
    row = {"id": 1, "text": "Jo is", "gold": [[0, 2]], "gold_labels": ["PER"]}
    assert sa.read([{**row, "pred": [[0, 2]], "pred_labels": ["LOC"]}])[0].segments == {
        "gold": ((0, 2, "PER"),), "pred": ((0, 2, "LOC"),),
    }  # fmt: skip
    by_label = {"gold": {"PER": [[0, 2]]}, "pred": {"PER": [[0, 2]], "LOC": [[3, 5]]}}
    assert sa.read([{"id": 1, "text": "Jo is", **by_label}])[0].segments == {
        "gold": ((0, 2, "PER"),), "pred": ((0, 2, "PER"), (3, 5, "LOC")),
    }  # fmt: skip


@pytest.mark.parametrize("key", ["author", "user", "reviewer", "annotator"])
def test_spans_by_their_author(key):
    """The author of a span is its annotator; of a text without spans nobody is known."""
    spans = [{key: who, "start": 0, "end": 2, "label": "PER"} for who in ("ann", "bob")]
    rows = [{"id": 1, "text": "Jo is", "spans": spans}, {"id": 2, "text": "So", "spans": []}]
    for order in (rows, rows[::-1]):
        assert sa.read(order).annotators == ("ann", "bob")


def test_the_latest_of_rows():
    """``latest`` goes by the time in a row, whatever the order. Oracle: the dates."""
    rows = [
        {"id": 1, "text": "Jo is", "annotator": "ann", "created_at": day, "spans": [[0, 2, label]]}
        for day, label in (("2024-05-02T10:00:00Z", "NEW"), ("2024-05-01T10:00:00Z", "OLD"))
    ]
    for order in (rows, rows[::-1]):
        assert sa.read(order, repair="latest")[0].segments == {"ann": ((0, 2, "NEW"),)}


def test_offsets_of_a_text_and_its_tokens():
    """With both, offsets count what they fit: tokens, if characters would cut words."""
    row = {"id": 1, "text": "Jo is in Rome", "tokens": ["Jo", "is", "in", "Rome"]}
    assert sa.read([{**row, "ann": [[0, 1, "PER"], [3, 4, "LOC"]]}]).offsets == "tokens"
    assert sa.read([{**row, "ann": [[0, 2, "PER"], [9, 13, "LOC"]]}]).offsets == "characters"


def test_named_columns_of_no_row(write_here):
    """A column that no line of JSON has is named, with those that there are."""
    row = {"d": "1", "body": "Jo is", "who": "ann", "marks": [[0, 2, "P"]]}
    path = write_here("x.jsonl", lines([row]))
    named = {"text": "body", "document": "d", "annotator": "who", "spans": "marks"}
    for use in named:
        with refuses(sa.SettingError, "x.jsonl: no column 'other'; there are d, body, who, marks"):
            sa.read(path, **{**named, use: "other"})
