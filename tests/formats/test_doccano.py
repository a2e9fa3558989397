"""doccano's exports in four shapes, its zips, and what nobody can know of empty documents."""

from __future__ import annotations

import json
from zipfile import ZipFile

import pytest
from messages import refuses
from strategies import marked, notes

import spanagree as sa
from spanagree.formats.doccano import looks_like_doccano
from spanagree.formats.file_head import read_head
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format

TOOL, FILE = "doccano", "x.jsonl"
TEXT = "Jo is in 😀 Rome"  # Rome: 11 to 15
PER, LOC = (0, 2, "PER"), (11, 15, "LOC")


def entity(start, end, label, **more):
    return {"label": label, "start_offset": start, "end_offset": end, **more}


def row(id_=7, **more):
    return {"id": id_, "text": TEXT, **more}


def lines(rows):
    return "".join(f"{json.dumps(each)}\n" for each in rows)


SHAPES = {
    "label": row(label=[PER, LOC], Comments=["hm"], topic="x"),
    "labels": row(labels=[PER, LOC], meta={}, annotation_approver=None),
    "entities": row(
        entities=[entity(*PER, id=1), entity(*LOC, id=2)],
        relations=[{"id": 1, "from_id": 1, "to_id": 2, "type": "in"}],
    ),
    "entities as lists": row(entities=[PER, LOC], cats=["greeting"], Comments=[]),
    "data": {"id": 7, "data": TEXT, "label": [PER, LOC]},
    "annotations": row(annotations=[entity(*PER), entity(*LOC)], meta={}),
}
PASSED = {"label": "1 comment", "entities as lists": "1 category"}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(read, tmp_path, shape):
    """Four shapes and two that occur beside them; the file is the annotator."""
    corpus = read([SHAPES[shape]])
    assert corpus.ids == ("7",)
    assert marked(corpus) == {FILE: [PER, LOC]}
    assert notes(corpus) == ([f"{PASSED[shape]} passed over"] if shape in PASSED else [])
    if shape != "entities as lists":
        assert find_format(tmp_path / "x.jsonl") == "doccano"


def test_users(read):
    """Up to version 1.0 spans have users, and labels are numbers; who has none was not there."""
    spans = [entity(0, 2, 18, user=3), entity(11, 15, 4, user=3), entity(0, 2, 18, user=1)]
    rows = [row(annotations=spans), row(8, annotations=spans[:1]), row(9, annotations=[])]
    corpus = read(rows)
    assert marked(corpus) == {"3": [(0, 2, "18"), (11, 15, "4")], "1": [(0, 2, "18")]}
    assert marked(corpus, 1) == {"3": [(0, 2, "18")], "1": None}
    assert marked(corpus, 2) == {"3": None, "1": None}
    unclear = "nobody says whether annotators saw documents in which they have nothing (3 cases): "
    assert corpus.notes[-1].startswith(unclear)
    unseen = read(rows, absent="unseen")
    assert (marked(unseen, 1), notes(unseen)) == (marked(corpus, 1), [])
    seen = read(rows, absent="unmarked")
    assert marked(seen, 1) == {"3": [(0, 2, "18")], "1": []}
    assert marked(seen, 2) == {"3": [], "1": []}
    assert seen.reading["read"] == {"absent": "unmarked"}
    assert notes(seen) == []
    joined = read([rows[1]], annotator_from="file")
    assert marked(joined) == {FILE: [(0, 2, "18")]}


def test_empty(read):
    """Without a span: seen and said so; with --empty as it says, and without a word."""
    rows = [row(label=[PER]), row(8, label=[], Comments=[])]
    corpus = read(rows)
    assert marked(corpus, 1) == {FILE: []}
    assert notes(corpus) == [
        "1 document without a span taken as seen, which is so if only what was confirmed was"
        " exported; --absent unseen takes them as never seen"
    ]
    assert [marked(read(rows, absent=how), 1) for how in ("unmarked", "unseen")] == [{FILE: []}, {FILE: None}]  # fmt: skip
    assert notes(read(rows, absent="unmarked")) == notes(read(rows, absent="unseen")) == []


def test_labels_of_whole_texts(read):
    """Labels of texts are not spans."""
    whole = [row(label=["good"]), row(8, annotations=[{"label": 3, "user": 1}]), row(9, label="x")]
    corpus = read(whole)
    assert notes(corpus)[0].partition(";")[0] == "3 document labels passed over"
    assert marked(corpus, 1) == {FILE: None, "1": []}


def zipped(path, members):
    with ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_zip(tmp_path):
    """A file for each member; documents are matched by their ids."""
    files = {"ann.jsonl": lines([row(label=[PER])]), "bob.jsonl": lines([row(label=[LOC]), row(8, label=[PER])])}  # fmt: skip
    path = zipped(tmp_path / "export.zip", files)
    assert find_format(path) == "doccano"
    corpus = sa.read({"it": path})
    assert marked(corpus) == {"ann": [PER], "bob": [LOC]}
    assert marked(corpus, 1) == {"ann": None, "bob": [PER]}
    lists = {"ann.json": "\ufeff" + json.dumps([row(label=[PER])]), "b c.json": json.dumps([row(label=[LOC])])}  # fmt: skip
    path = zipped(tmp_path / "lists.zip", lists)
    assert find_format(path) == "doccano"
    assert marked(sa.read({"it": path})) == {"ann": [PER], "b c": [LOC]}
    project = zipped(tmp_path / "project.zip", {"exportedproject1.json": "{}"})
    assert find_format(project) != "doccano"


def test_all(tmp_path):
    """A collaborative project is one layer, and this is said."""
    one = tmp_path / "all.jsonl"
    one.write_text(lines([row(label=[PER])]), "utf-8")
    path = zipped(tmp_path / "export.zip", {"all.jsonl": one.read_text("utf-8")})
    for source in (one, path):
        corpus = sa.read({"it": source})
        assert marked(corpus) == {"it": [PER]}
        assert notes(corpus) == [
            "all.jsonl, as of a collaborative project, does not say who marked what; it is one"
            " annotator"
        ]
    users = zipped(tmp_path / "users.zip", {"all.jsonl": lines([row(annotations=[entity(*PER, user=1)])])})  # fmt: skip
    assert notes(sa.read({"it": users})) == []  # it says whose they are


def test_other_zips(tmp_path):
    """A zip that holds something else, or is damaged."""
    path = zipped(tmp_path / "x.zip", {"a/notes.txt": "hm"})
    with refuses(sa.InputError, f"{path}: no .jsonl or .json … a/notes.txt"):
        read_raw_files({"it": path}, {}, "doccano")
    task = {"id": 1, "data": {"text": "Jo"}, "annotations": [{"completed_by": 1, "result": []}]}
    other = zipped(tmp_path / "z.zip", {"project.json": json.dumps([task])})
    with refuses(sa.InputError, f"{other} … project.json … unpack it … --from"):
        read_raw_files({"it": other}, {})
    for tool in ("label-studio", "conll"):
        with refuses(sa.InputError, "… z.zip … unpack it"):
            read_raw_files({"it": other}, {}, tool)
    bad = zipped(tmp_path / "y.zip", {"ann.jsonl": lines([row(label=[PER])])[:-9]})
    with refuses(sa.InputError, "… y.zip, ann.jsonl:1: not valid JSON ( … an object a line"):  # fmt: skip
        read_raw_files({"it": bad}, {})


def test_beyond_the_text(read):
    """Refused with the repairs that help."""
    with refuses(sa.InputError, "… ends beyond … length 15 … --repair clip-beyond-text"):
        read([row(label=[(11, 16, "LOC")])])
    corpus = read([row(label=[(11, 16, "LOC")])], "clip-beyond-text")
    assert marked(corpus) == {FILE: [LOC]}


REFUSED = {
    "not an object": ([5], "… x.jsonl:1: 5 … object a line"),
    "nothing": ([], "… x.jsonl: no rows … object a line"),
    "no text": ([{"id": 7, "label": []}], "… x.jsonl:1: a row … text … entities, annotations, labels, label … the keys are id, label"),
    "no spans": ([row()], "… x.jsonl:1: a row … text … entities, annotations, labels, label … the keys are id, text"),
    "span": ([row(label=[[0, 2]])], "… x.jsonl:1: span [0, 2] … [start, end, label] … start_offset, end_offset and label"),
    "offset": ([row(label=[["0", 2, "X"]])], "… x.jsonl:1: start '0' … whole number"),
    "no end": ([row(entities=[{"start_offset": 2, "label": "X"}])], "… x.jsonl:1: end None … whole number"),
    "user": ([row(annotations=[entity(*PER, user=[1])])], "… x.jsonl:1: name [1] … string … not empty"),
    "no id": ([row(None, label=[])], "… x.jsonl:1: id None … string … not empty"),
    "texts": ([row(label=[]), {**row(label=[]), "text": "Al"}], "… x.jsonl:2: document '7' … differs … character 0: 'Al', not 'Jo is in 😀' … same text … pattern in quotes"),
    "twice": ([row(label=[]), row(label=[])], "annotator 'x.jsonl', document '7' … second time … --repair drop-repeats or --repair latest … name the annotators"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(read, case):
    """Each with file and line, the value, and what is needed."""
    rows, message = REFUSED[case]
    with refuses(sa.InputError, message):
        read(rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"annotator_from": "email"}, "unknown annotator_from 'email'; allowed: id, file"),
        ({"absent": "maybe"}, "unknown absent 'maybe'; allowed: unseen, unmarked"),
    ],
)
def test_unknown_choices(read, options, message):
    """Choices that there are not are refused."""
    with refuses(sa.SettingError, message):
        read([row(label=[PER])], **options)


def test_not_ours(tmp_path):
    """Rows with a column of annotators are others'."""
    path = tmp_path / "x.jsonl"
    others = [row(label=[PER], annotator="ann"), row(entities=[entity(*PER), {"text": "Jo"}])]
    for other in (*others, row(label=[PER, [1, 2]]), row(label=[])):
        path.write_text(lines([other]), "utf-8")
        assert not looks_like_doccano(read_head(path))


CRLF = "Ana ran.\r\nBob sat in Rome.\r\n"


def test_line_ends_that_a_page_counts_once(tmp_path):
    """A browser makes one character of each line end; the edges of words show it."""
    for at, note in ((9, True), (10, False)):
        label = [[0, 3, "PER"], [at, at + 3, "PER"], [at + 11, at + 15, "LOC"]]
        row = {"id": 1, "text": CRLF, "label": label, "Comments": []}
        (tmp_path / "ann.jsonl").write_text(json.dumps(row), "utf-8")
        corpus = sa.read(tmp_path / "ann.jsonl")
        found = [CRLF[s.start : s.end] for s in corpus[0].segments["ann.jsonl"]]
        assert found == ["Ana", "Bob", "Rome"]
        said = "2 spans with offsets that count line ends of two characters as one"
        assert any(said in x and "edges of words" in x for x in corpus.notes) == note


def test_spans_under_another_key_are_counted(tmp_path):
    """Of two keys with spans one is read, and the note says how many stand under the other."""
    entity = {"id": 1, "start_offset": 0, "end_offset": 3, "label": "PER"}
    row = {
        "id": 1,
        "text": CRLF,
        "entities": [entity],
        "label": [[4, 7, "X"], "pos"],
        "Comments": [],
    }
    (tmp_path / "ann.jsonl").write_text(json.dumps(row), "utf-8")
    corpus = sa.read(tmp_path / "ann.jsonl")
    assert [tuple(s) for s in corpus[0].segments["ann.jsonl"]] == [(0, 3, "PER")]
    assert any("1 other span and 1 document label passed over" in x for x in corpus.notes)
