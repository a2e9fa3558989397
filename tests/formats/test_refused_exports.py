"""Exports without spans are refused rather than read as seen and empty; messages keep figures."""

from __future__ import annotations

import json

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.corpus.same_texts import write_note_on_same_texts

FILE = "x.json"


@pytest.mark.parametrize(
    ("data", "kind"),
    [({"image": "a.png"}, "rectanglelabels"), ({"chat": "x", "text": "y"}, "paragraphlabels"), ({"text": "Jo"}, "choices")],
)  # fmt: skip
def test_label_studio_of_other_things(write, data, kind):
    """Images, chats and choices opened as 'saw, and marked nothing'."""
    item = {"type": kind, "from_name": "l", "to_name": "t", "value": {"x": 1}}
    tasks = [{"id": 1, "data": data, "annotations": [{"completed_by": 3, "result": [item]}]}]
    with refuses(sa.InputError, "… x.json: nothing is marked"):
        sa.read(write(tasks))


def test_label_studio_that_is_empty_is_read(write):
    """An empty result says that nothing was marked."""
    tasks = [{"id": 1, "data": {"text": "Jo"}, "annotations": [{"completed_by": 3, "result": []}]}]
    assert sa.read(write(tasks))[0].segments == {"3": ()}


def test_prodigy_textcat(write):
    """Answers about whole texts have no spans."""
    row = {"text": "Jo", "_input_hash": 1, "_task_hash": 2, "answer": "accept"}
    for more in ({"label": "POS"}, {"options": [{"id": "a"}], "accept": ["a"]}):
        with pytest.raises(sa.InputError, match="answers about whole texts"):
            sa.read(write([{**row, **more}], "x.jsonl"))
    assert sa.read(write([row], "x.jsonl"))[0].segments == {"x.jsonl": ()}


def test_a_frame_of_tokens():
    """A row a token: sentences stay sentences. Oracle: the same as lists of tags.

    The line that was offered made one document of all, and another corrected figure.
    """
    rows = [
        {"sentence_id": s, "word": w, "gold": g, "pred": p}
        for s, w, g, p in (
            (1, "Jo", "B-PER", "B-PER"), (1, "sang", "O", "O"), (2, "In", "O", "O"), (2, "Rome", "B-LOC", "O"),
        )
    ]  # fmt: skip
    corpus = sa.read(rows, document="sentence_id")
    assert corpus.lengths.tolist() == [2, 2]
    assert corpus.annotators == ("gold", "pred")
    tags = {name: [[r[name] for r in rows if r["sentence_id"] == s] for s in (1, 2)] for name in ("gold", "pred")}  # fmt: skip
    one, other = sa.evaluate(corpus)["pred"].f1, sa.evaluate(sa.from_tags(tags))["pred"].f1
    assert (one.observed, one.expected) == (other.observed, other.expected)
    with pytest.raises(sa.InputError, match="its rows do not follow each other"):
        sa.read([rows[0], rows[2], rows[1]], document="sentence_id")


def test_the_message_for_a_frame():
    """It names the column of the sentences, and no line that joins them."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"sentence_id": [1, 2], "word": ["a", "b"], "gold": ["O", "O"], "pred": ["O", "O"]})  # fmt: skip
    with pytest.raises(sa.InputError) as error:
        sa.evaluate(frame)
    assert "spanagree.read(frame, document='sentence_id')" in str(error.value)
    assert "tolist" not in str(error.value)


def test_the_same_text_under_other_ids(tmp_path):
    """Five files of one text are five annotators, or five documents: it is said."""
    for who in ("ann", "bob"):
        line = {"spanagree": 1, "id": f"{who}-1", "text": "Jo sang.", "annotators": {"x": []}}
        (tmp_path / f"{who}.jsonl").write_text(json.dumps(line), "utf-8")
    corpus = sa.read(str(tmp_path / "*.jsonl"))
    assert len(corpus) == 2
    assert any("2 documents of different files have the same text" in note for note in corpus.notes)


def test_lines_of_m2_that_are_cut_off(tmp_path):
    """The last cell is a number; half a line made an annotator of the cell before."""
    line = "A 0 1|||R:DET|||Every|||REQUIRED|||-NONE-|||0"
    for size in range(4, len(line)):
        (tmp_path / "x.m2").write_text(f"S All good .\n{line}\n\nS No .\n{line[:size]}", "utf-8")
        with refuses(sa.InputError, f"… x.m2:5 … {line[:size]!r}"):
            sa.read(tmp_path / "x.m2")


def test_a_file_of_a_folder_with_nothing_in_it(tmp_path):
    """tagtog's file is an object; an empty one left its document out."""
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("Jo sang", "utf-8")
        (tmp_path / f"{name}.ann.json").write_text(
            json.dumps({"annotatable": {"parts": ["s1v1"]}, "entities": []}), "utf-8"
        )
    assert len(sa.read(tmp_path)) == 2
    (tmp_path / "b.ann.json").write_text("", "utf-8")
    with refuses(sa.InputError, "… b.ann.json: nothing is in it"):
        sa.read(tmp_path)


@pytest.mark.parametrize("name", ["x.xml", "gt.manifest"])
def test_a_file_with_nothing_in_it(tmp_path, name):
    """It is said so, rather than that rows of tokens are needed."""
    (tmp_path / name).write_text("\n", "utf-8")
    with refuses(sa.InputError, f"… {name}: nothing is in it"):
        sa.read(tmp_path / name)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_json_that_is_not_valid(tmp_path, name):
    """It was taken for a table, two columns of which had one name."""
    (tmp_path / name).write_text('[{"id": x1, "a": [1, "PER"], "b": [1, "PER"], "c": [1, "PER"]}]')
    with refuses(sa.InputError, f"… {name} … not valid JSON"):
        sa.read(tmp_path / name)


def test_bytes_of_another_encoding_have_a_line(tmp_path):
    """Where a file is read in pieces too."""
    rows = '{"text": "Jo", "spans": []}\n' * 9 + '{"text": "J\xfcrgen", "spans": []}\n'
    (tmp_path / "x.jsonl").write_bytes(rows.encode("latin-1"))
    with refuses(sa.InputError, "… x.jsonl:10 … byte 0xfc is not utf-8"):
        sa.read(tmp_path / "x.jsonl")


@pytest.mark.parametrize("name", ["ann.jsonl", "conll"])
def test_every_command_says_so(tmp_path, name, run):
    """A pattern is one corpus, of parts with workers: commands that give figures warn as check does, and once."""
    for who in ("ann", "bob"):
        folder = tmp_path / who
        folder.mkdir()
        if name == "conll":
            (folder / "one.conll").write_text("Jo B-P\nsang O\n\nAy B-P\n\n", "utf-8")
            continue
        line = {"spanagree": 1, "id": f"{who}-1", "text": "Jo sang.", "annotators": {"x": []}}
        (folder / "one.jsonl").write_text(json.dumps(line), "utf-8")
    pattern = str(tmp_path / "*" / "one.*")
    for command in ("agree", "difficulty", "check", "agree --workers 1"):
        said = "".join(run(*command.split(), pattern)[1:])
        assert said.count("of different files have the same text") == 1, command
        assert "NAME=FILE" in said
    said = "".join(run("evaluate", f"gold={pattern}", f"mine={pattern}")[1:])
    assert said.count("of different files have the same text") == 1


def test_some_texts_recur_in_any_corpus():
    """One in three sentences that another file has too is no sign of a second annotator."""
    numbers = [np.array(some, np.uint64) for some in ([1, 2, 3], [3, 4, 5], [0, 0, 6])]
    assert write_note_on_same_texts(numbers) == ()
    (note,) = write_note_on_same_texts([*numbers, np.array([7, 5], np.uint64)])
    assert note.startswith("4 documents of different files")


def test_tags_of_rows_are_refused_by_the_name_of_their_file(tmp_path):
    """Also where nobody is named for them. Oracle: the file."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"tokens": ["Jo", "runs"], "ner_tags": ["B-PER", "NONE"]}\n')
    with refuses(
        sa.InputError, f"{path}: document 1, token 2: unknown tag 'NONE' … --outside NONE"
    ):
        sa.read(path)
    corpus = sa.read(path, outside="NONE")
    assert corpus[0].segments["x.jsonl"] == (sa.Segment(0, 1, "PER"),)


def test_spans_deep_in_records_of_a_list_are_none_by_id(tmp_path):
    """The message says what is under the key. Oracle: the file."""
    path = tmp_path / "x.json"
    spans = [{"start": 0, "end": 2, "label": "PER"}]
    records = [{"text": "Jo runs", "by": {"ann": {"spans": spans}}}] * 2
    path.write_text(json.dumps({"docs": records}))
    with refuses(sa.InputError, f"{path}: JSON with the keys docs … each object under docs"):
        sa.read(path)
