"""Exports without spans are refused rather than read as seen and empty; messages keep figures."""

from __future__ import annotations

import json

import pytest
from messages import refuses

import spanagree as sa

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
