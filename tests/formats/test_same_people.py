"""Who is the same person in several files, and which columns of tags are people at all."""

from __future__ import annotations

import json

import pytest
from messages import refuses

import spanagree as sa

TEXT = "Rome and Bonn"


def row(id_, **people):
    marked = {
        name: None if some is None else [{"start": a, "end": b, "label": "X"} for a, b in some]
        for name, some in people.items()
    }
    return json.dumps({"spanagree": 1, "id": id_, "text": TEXT, "annotators": marked})


@pytest.fixture
def files(tmp_path):
    """Two files of the same documents: in one ann saw the first, in the other the second."""
    a, b = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    a.write_text("\n".join([row("1", ann=[(0, 4)], bob=[]), row("2", ann=None, bob=[(0, 4)])]))
    b.write_text("\n".join([row("1", ann=None, bob=[]), row("2", ann=[(9, 13)], bob=[(0, 4)])]))
    return a, b


def test_one_by_one_as_by_a_pattern(files, tmp_path):
    """A shell makes file names of a pattern that is not quoted; the people stay the same."""
    corpus = sa.read(list(files))
    assert corpus.annotators == ("ann", "bob")
    assert [len(document.seen["ann"]) for document in corpus] == [1, 1]
    assert [len(document.seen["bob"]) for document in corpus] == [0, 1]
    assert corpus.notes == (
        "2 documents in more than one file, united by id",
        "2 annotations the same in another file, read once",
        "annotators of the same name in several files are one person each: ann, bob; NAME=FILE"
        " keeps those of a file apart",
    )
    pattern = sa.read(tmp_path / "*.jsonl")
    assert (pattern, pattern.notes) == (corpus, corpus.notes[:2])


def test_named_files_are_kept_apart(files):
    corpus = sa.read({"x": files[0], "y": files[1]})
    assert corpus.annotators == ("x:ann", "x:bob", "y:ann", "y:bob")


def test_two_versions_are_refused(files):
    """Who says different things of one document is not one annotator, or it is not one version."""
    files[1].write_text(row("1", ann=[(9, 13)], bob=[]))
    message = "two.jsonl: annotator 'ann' has document '1' … one.jsonl too, marked differently …"
    for source in (list(files), files[0].parent / "*.jsonl"):
        with refuses(sa.InputError, f"{message} NAME=FILE … --repair drop-repeats …"):
            sa.read(source)
    assert sa.read(list(files), repair="drop-repeats").annotators == ("ann", "bob")
    corpus = sa.read({"x": files[0], "y": files[1]})
    assert corpus.annotators == ("x:ann", "x:bob", "y:ann", "y:bob")


def test_another_file_does_not_change_the_people(files):
    """Files without a shared document are one corpus, and stay so beside one that shares some."""
    files[1].write_text(row("3", ann=[(9, 13)], bob=[]))
    assert sa.read(list(files)).annotators == ("ann", "bob")
    third = files[0].with_name("three.jsonl")
    third.write_text(row("1", ann=[(0, 4)], eve=[]))
    corpus = sa.read([*files, third])
    assert corpus.annotators == ("ann", "bob", "eve")
    assert [len(document.seen) for document in corpus] == [3, 1, 2]
    assert corpus == sa.read(files[0].parent / "*.jsonl")


def test_documents_without_ids_are_different_ones(tmp_path):
    """Rows without ids are counted for each file, as of a pattern."""
    rows = [{"tokens": ["Jo", "sang"], "ann": ["B-PER", "O"], "bob": ["O", "O"]}]
    paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for path in paths:
        path.write_text("\n".join(map(json.dumps, rows)))
    corpus = sa.read(paths)
    assert (corpus.annotators, corpus.ids) == (("ann", "bob"), ("a.jsonl:1", "b.jsonl:1"))
    assert corpus == sa.read(tmp_path / "*.jsonl")


KNOWTATOR = """<knowtator-project><document id="{0}" text-file="{0}.txt">
<annotation annotator="ann" id="m0"><class id="X" label="X"/><span start="0" end="4"/></annotation>
<annotation annotator="bob" id="m1"><class id="X" label="X"/><span start="0" end="4"/></annotation>
<annotation annotator="bob" id="m2"><class id="X" label="X"/><span start="9" end="13"/></annotation>
</document></knowtator-project>"""


def test_names_of_files_as_a_pattern_in_quotes(tmp_path):
    """Two annotators of three documents, F1 2/3 by hand: of 3 and 6 segments 3 are the same."""
    for name in ("d1", "d2", "d3"):
        (tmp_path / f"{name}.txt").write_text(TEXT)
        (tmp_path / f"{name}.xml").write_text(KNOWTATOR.format(name))
    corpus = sa.read([tmp_path / f"d{n}.xml" for n in (1, 2, 3)])
    assert (corpus.annotators, len(corpus)) == (("ann", "bob"), 3)
    assert corpus == sa.read(tmp_path / "d?.xml")
    result = sa.agree(corpus)
    assert len(result.pairs) == 1
    assert result.team.f1.observed == pytest.approx(2 / 3)
    apart = sa.read({"x": tmp_path / "d1.xml", "y": tmp_path / "d2.xml"})
    assert apart.annotators == ("x:ann", "x:bob", "y:ann", "y:bob")


def test_people_who_are_named_by_files_are_never_one(tmp_path):
    """Folders of people under one pattern: who marks the same as another is not that other."""
    for person in ("ann", "bob"):
        (tmp_path / person).mkdir()
        (tmp_path / person / "d.txt").write_text(TEXT)
        (tmp_path / person / "d.ann").write_text("T1\tX 0 4\tRome\n")
    with refuses(sa.InputError, "bob/d.ann: annotator 'd.ann' has document 'd' … ann/d.ann too; …"):
        sa.read(tmp_path / "*" / "d.ann")


@pytest.fixture
def songs(tmp_path):
    """Two songs of two annotators each, in folders by song."""
    for song in ("song1", "song2"):
        (tmp_path / song).mkdir()
        for name, at in (("a", 5), ("b", 6)):
            lines = f"0.0\tVerse\n{at}.0\tChorus\n10.0\tEnd\n"
            (tmp_path / song / f"{name}.txt").write_text(lines)
    return tmp_path


def test_recordings_one_by_one_are_one(songs):
    """Nothing in them says which recording they are of, so a note names the files."""
    corpus = sa.read([songs / song / f"{name}.txt" for song in ("song1", "song2") for name in "ab"])
    names = ("song1/a.txt", "song1/b.txt", "song2/a.txt", "song2/b.txt")
    assert (corpus.annotators, len(corpus)) == (names, 1)
    assert corpus.notes[0] == (
        f"{', '.join(names)}: taken as annotators of one recording; if they are of several, name a"
        " pattern for each annotator, such as ann='song?/a.txt' bob='song?/b.txt'"
    )
    named = sa.read({"ann": songs / "song1" / "a.txt", "bob": songs / "song1" / "b.txt"})
    assert not any("one recording" in note for note in named.notes)


def test_several_recordings_by_a_pattern_for_each_annotator(songs):
    corpus = sa.read({name: songs / "song?" / f"{name}.txt" for name in "ab"})
    assert (corpus.annotators, len(corpus)) == (("a", "b"), 2)
    assert not any("one recording" in note for note in corpus.notes)
    folders = [songs / "song1", songs / "song2"]
    with refuses(sa.InputError, "… of recordings, name them by a pattern for each annotator, …"):
        sa.read(folders)


def task(number, id_, text, spans, by):
    value = [
        {"id": str(i), "type": "labels", "from_name": "l", "to_name": "text", "value": {"start": a, "end": b, "labels": ["X"]}}
        for i, (a, b) in enumerate(spans)
    ]  # fmt: skip
    data = {"text": text, "id": {"num": id_}}
    return {"id": number, "data": data, "annotations": [{"completed_by": by, "result": value}]}


@pytest.fixture
def exports(tmp_path):
    """Two projects over the same two texts, whose tasks have other numbers: F1 2/3 by hand."""
    first = [task(7, "A1", TEXT, [(0, 4), (9, 13)], 3), task(8, "A2", "Al ran", [], 3)]
    second = [task(8, "A2", "Al ran", [], 4), task(9, "A1", TEXT, [(0, 4)], 4)]
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, tasks in zip(paths, (first, second), strict=True):
        path.write_text(json.dumps(tasks))
    return paths


@pytest.mark.parametrize(
    ("options", "ids"), [({"document": "id.num"}, ("A1", "A2")), ({"join": "text"}, ("7", "8"))]
)
def test_projects_over_the_same_texts(exports, options, ids):
    """Joined by an id in the data, or by the texts, in any order and by a pattern too."""
    for source in (exports, exports[0].parent / "*.json"):
        corpus = sa.read(source, **options)
        assert (corpus.ids, corpus.annotators) == (ids, ("3", "4"))
        assert sa.agree(corpus).team.f1.observed == pytest.approx(2 / 3)


def test_the_same_texts_under_other_ids_are_noticed(exports):
    exports[1].write_text(exports[1].read_text().replace('"id": 8', '"id": 10'))
    corpus = sa.read({"a": exports[0], "b": exports[1]})
    assert len(corpus) == 4
    assert any("same text as another, under another id; --join text" in x for x in corpus.notes)


def test_texts_that_come_twice_are_joined_in_order(tmp_path):
    """An id that stands for another text in another file is not that document."""
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    a.write_text("\n".join([row("1", ann=[]), row("2", ann=[(0, 4)])]))
    other = row("1", bob=[]).replace(TEXT, "Al ran to Rome")
    b.write_text("\n".join([other, row("8", bob=[]), row("9", bob=[(9, 13)])]))
    corpus = sa.read([a, b], join="text")
    assert corpus.ids == ("1", "2", "b.jsonl:1")
    assert [len(d.seen["bob"]) for d in corpus] == [0, 1, 0]


def test_what_cannot_be_joined(exports, songs):
    with refuses(sa.InputError, "… task 7: nothing at document 'x.y' in its data, which has …"):
        sa.read(exports, document="x.y")
    with refuses(sa.SettingError, "… join 'id' … text"):
        sa.read(exports, join="id")
    with refuses(sa.SettingError, "song1/a.txt: no texts, by which join text joins documents; …"):
        sa.read([songs / "song1" / "a.txt", songs / "song2" / "a.txt"], join="text")


CHUNKS = {"tokens": ["Jo", "Doe", "sang"], "chunk_tags": ["B-NP", "I-NP", "B-VP"], "ner_tags": ["B-PER", "I-PER", "O"]}  # fmt: skip


def test_chunks_are_nobody():
    """Columns of another kind by their names are passed over: F1 0.0000 was given against chunks."""
    corpus = sa.from_dataset([{**CHUNKS, "pos_tags": ["B-X", "B-X", "B-Y"]}] * 3)
    assert corpus.annotators == ("ner_tags",)
    assert "passed over: chunk_tags, pos_tags" in corpus.notes[0]


def test_columns_of_several_kinds_are_refused():
    """Where names do not tell, the columns are listed with what each looks like."""
    rows = [{"tokens": CHUNKS["tokens"], "a": CHUNKS["chunk_tags"], "b": CHUNKS["ner_tags"]}] * 3
    with refuses(sa.InputError, "… several kinds (a: NP, VP; b: PER)"):
        sa.from_dataset(rows)
    assert sa.from_dataset(rows, tokens="tokens", tags={"gold": "b"}).annotators == ("gold",)


def test_a_level_inside_another_is_no_annotator():
    """Outer and inner names share labels, and are two levels of one annotation."""
    words = [f"w{i}" for i in range(12)]
    outer = ["B-X", *["I-X"] * 9, "O", "O"]
    inner = ["O", "B-X", "I-X", "I-X", *["O"] * 8]
    with pytest.raises(sa.InputError, match="columns of tags of several kinds"):
        sa.from_dataset([{"tokens": words, "first": outer, "second": inner}])
    both = {"tokens": words, "gold": outer, "pred": ["O", *outer[1:]]}
    assert sa.from_dataset([both]).annotators == ("gold", "pred")


@pytest.mark.parametrize("order", ["{}_errors", "errors_{}"])
def test_spans_in_another_text_are_no_annotator(tmp_path, order):
    """Errors of a source are not laid on its translation: bio-MQM has both in one record."""
    error = {"start": 0, "end": 2, "label": "E"}
    row = {"id": "d", "source": "Wir", "target": "We ran", order.format("source"): [error]}
    row |= {order.format("target"): [{**error, "end": 6}], "annotator": "ann"}
    path = tmp_path / "bio.json"
    path.write_text(json.dumps([row]))
    one = order.format("target")
    for given in (path, [row]):
        with pytest.raises(sa.InputError, match=f"in several texts .*--text target --spans {one}"):
            sa.read(given)
    assert sa.read(path, text="target", spans=one, annotator="annotator").annotators == ("ann",)
    corpus = sa.read(path, text="target", annotator="annotator")
    assert [*corpus[0].segments.values()] == [(sa.Segment(0, 6, "E"),)]


def test_tokenizers_of_several_files(tmp_path):
    """What was split beside tokens of its own goes together; two tokenizers do not, nor other tokens."""

    def written(name, id_, tokens, **settings):
        record = {"spanagree": 1, "id": id_, "offsets": "tokens", "tokens": tokens.split()}
        annotators = {"ann": [{"start": 0, "end": 1, "label": "X"}]}
        path = tmp_path / name
        path.write_text(json.dumps({**record, "annotators": annotators, "provenance": settings}))
        return path

    given = written("given.jsonl", "1", TEXT)
    split = written("split.jsonl", "1", TEXT, tokenizer="space")
    assert sa.read([given, split]).reading["tokenizer"] == "space"
    with refuses(
        sa.InputError, "split.jsonl: document '1', which other.jsonl has too: the text differs …"
    ):
        sa.read([written("other.jsonl", "1", "Rome and B onn"), split])
    with refuses(sa.InputError, "split.jsonl: tokenizer 'space'; of those before it is 'en' …"):
        sa.read([written("en.jsonl", "1", TEXT, tokenizer="en"), split])
