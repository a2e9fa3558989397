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
    (note,) = corpus.notes
    assert note == (
        "annotators of the same name in several files that share documents are one person each:"
        " ann, bob; NAME=FILE keeps those of a file apart"
    )


def test_named_files_are_kept_apart(files):
    corpus = sa.read({"x": files[0], "y": files[1]})
    assert corpus.annotators == ("x:ann", "x:bob", "y:ann", "y:bob")


def test_two_versions_are_two_people(files):
    """Who says different things of one document is not one annotator."""
    files[1].write_text(row("1", ann=[(9, 13)], bob=[]))
    corpus = sa.read(list(files))
    assert corpus.annotators == ("one.jsonl:ann", "bob", "two.jsonl:ann")
    apart = "annotators of the same name who mark shared documents differently are kept apart, each"
    assert f"{apart} with the name of the file: ann" in corpus.notes


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
