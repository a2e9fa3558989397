"""Texts of another file of the command, joined by id; and what models answer without a text."""

from __future__ import annotations

import json

import pytest

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.registry import format_of, own_columns

TEXT = "Jo met Al in Rome."
JO, ROME = (0, 2, "PER"), (13, 17, "LOC")
GOLD = [{"id": "a", "text": TEXT, "gold": [JO, ROME]}, {"id": "b", "text": "No", "gold": []}]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, rows):
        lines = rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows))
        (tmp_path / name).write_text(lines, "utf-8")
        return name

    write("gold.jsonl", GOLD)
    return write


def openai(id_, content, **others):
    """A line of what a batch of OpenAI gives, from its documentation."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, "refusal": None}}
    body = {"object": "chat.completion", "choices": [{**choice, "finish_reason": "stop"}]}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": f"batch_{id_}", "custom_id": id_, "response": response, "error": None, **others}


def anthropic(id_, text):
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"custom_id": id_, "result": {"type": "succeeded", "message": message}}


def responses(id_, text):
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": text}]},
    ]
    return {"custom_id": id_, "response": {"status_code": 200, "body": {"output": output}}}


ANSWERS = {
    "quotes": '[{"text": "Jo", "label": "PER"}, {"text": "rome", "type": "LOC"}]',
    "in a fence": 'Sure:\n```json\n[{"text": "Jo", "label": "PER"}, ["Rome", "LOC"]]\n```',
    "in an object": '{"entities": [["Jo", "PER"], ["Rome", "LOC"]]}',
    "beside a reason": '{"reasoning": "…", "entities": [["Jo", "PER"], ["Rome", "LOC"]]}',
    "by label": '{"PER": ["Jo"], "LOC": ["Rome"], "ORG": []}',
    "offsets": '[{"start": 0, "end": 2, "label": "PER"}, {"start": 13, "end": 17, "label": "LOC"}]',
    "tags": "<PER>Jo</PER> met Al in <LOC>Rome</LOC>.",
}


@pytest.mark.long
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("made", [openai, anthropic, responses])
def test_answers_of_a_batch(write, answer, made):
    """Each shape is the same two names; an empty list marks nothing. Oracle: as it was made."""
    path = write("llm.jsonl", [made("a", ANSWERS[answer]), made("b", "[]")])
    assert format_of(path) == "batch-output"
    corpus = sa.read(["gold.jsonl", path])
    for document, segments in zip(corpus, ((JO, ROME), ()), strict=True):
        assert document.segments == {"gold": segments, path: segments}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('["Jo", "Rome", "Rome"]', ((0, 2, "span"), (13, 17, "span"))),
        ("@@Jo## met @@Al## in Rome.", ((0, 2, "span"), (7, 9, "span"))),
        ("{}", ()),
    ],
)
def test_answers_without_labels(write, answer, expected):
    """Strings, and GPT-NER's marks; the string that is there once is not found a second time."""
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", [openai("a", answer)])])
    assert corpus[0].segments["llm.jsonl"] == expected


def test_no_answer_is_unseen(write):
    """A request that failed, and an answer that was refused, are never seen; others are counted."""
    failed = {"custom_id": "b", "response": None, "error": {"code": "x"}}
    rows = [openai("a", None), failed, openai("z", "[]")]
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows)])
    assert [document.segments["llm.jsonl"] for document in corpus] == [None, None]
    assert any("1 failed request passed over" in note for note in corpus.notes)
    assert any("1 document left out, which no other file has: z" in x for x in corpus.notes)
    with pytest.raises(sa.InputError, match="neither a list of spans in JSON nor a copy"):
        sa.read(["gold.jsonl", write("llm.jsonl", [openai("a", "I cannot do that.")])])


WITHOUT = {
    "quotes": [{"id": "a", "entities": [{"text": "Jo", "label": "PER"}]}],
    "pairs": [{"id": "a", "entities": [["Jo", "PER"]]}],
    "offsets": [{"id": "a", "spans": [{"start": 0, "end": 2, "label": "PER"}]}],
    "by id": [{"a": [{"start": 0, "end": 2, "label": "PER"}]}],
    "quotes by id": [{"a": {"entities": [["Jo", "PER"]]}}],
}


@pytest.mark.parametrize("form", WITHOUT)
@pytest.mark.parametrize("source", ["gold.jsonl", "texts.jsonl", "texts.csv", "folder"])
def test_texts_of_another_file(write, tmp_path, form, source):
    """The text is gold's, or that of a file or folder that holds nothing else."""
    write("texts.jsonl", [{"id": row["id"], "text": row["text"]} for row in GOLD])
    write("texts.csv", f'id,text\na,"{TEXT}"\nb,No\n')
    (tmp_path / "folder").mkdir()
    write("folder/a.txt", TEXT)
    path = write("llm.json" if "by id" in form else "llm.jsonl", WITHOUT[form])
    corpus = sa.read([source, path])
    assert corpus.texts[0] == TEXT
    assert corpus[0].segments[path] == (JO,)
    assert any("1 document with the text of another file" in note for note in corpus.notes)


def test_columns_of_one_file(write, capsys):
    """``FILE:COLUMN`` is for that file alone, by its layer's name, its own, or that without end."""
    path = write("llm.jsonl", [{"id": "x7", "custom_id": "a", "entities": [["Jo", "PER"]]}])
    for name in ("llm", "llm.jsonl"):
        corpus = sa.read(["gold.jsonl", path], document=f"{name}:custom_id")
        assert corpus[0].segments[path] == (JO,)
    named = sa.read({"gold": "gold.jsonl", "mine": path}, document="id,mine:custom_id")
    assert named[0].segments["mine"] == (JO,)
    main(["evaluate", "gold.jsonl", f"mine={path}", "--document", "mine:custom_id"])
    assert "mine" in capsys.readouterr().out


def test_columns_that_are_no_ones():
    """A name that is no file's is part of the column; what is not given stays so."""
    files = {"gold": "g.jsonl", "llm": "out/x.jsonl"}
    assert own_columns({"text": "body:raw"}, "llm", files) == {"text": "body:raw"}
    assert own_columns({"text": "x:raw", "document": None}, "llm", files) == {"text": "raw"}
    assert own_columns({"text": "x:raw"}, "gold", files) == {}


def test_refused(write):
    """One line each: no text anywhere, ids that nobody has, no ids, two texts of one id."""
    quotes = write("llm.jsonl", [{"id": "q", "entities": [["Jo", "PER"]]}])
    with pytest.raises(sa.InputError, match="no document has an id that another file has; theirs"):
        sa.read(["gold.jsonl", quotes])
    with pytest.raises(sa.SpanAgreeError, match="name the file that has the texts by id beside"):
        sa.read(quotes)
    other = write("other.jsonl", [{"id": "q", "entities": [["Jo", "PER"]]}])
    with pytest.raises(sa.InputError, match="no other file has texts by id; name the file"):
        sa.read([other, quotes])
    nameless = write("nameless.jsonl", [{"entities": [["Jo", "PER"]]}])
    with pytest.raises(sa.InputError, match="no id by which another file has a text"):
        sa.read(["gold.jsonl", nameless])
    with pytest.raises(sa.InputError, match="in which no spans or tags were found"):
        sa.read(write("texts.jsonl", [{"id": "a", "text": "Jo"}]))
