"""Texts of another file of the command, joined by id; and what models answer without a text."""

from __future__ import annotations

import json

import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.read_files import select_options_of_file
from spanagree.formats.recognise import find_format

TEXT = "Jo met Al in Rome."
JO, ROME = (0, 2, "PER"), (13, 17, "LOC")
GOLD = [{"id": "a", "text": TEXT, "gold": [JO, ROME]}, {"id": "b", "text": "No", "gold": []}]


@pytest.fixture
def write(write_here):
    write_here("gold.jsonl", GOLD)
    return write_here


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
    assert find_format(path) == "batch-output"
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


def test_answers_of_candidates(write):
    """A batch whose answers are called candidates, and its ids keys. Oracle: as it was made."""
    contents = {"a": ANSWERS["in a fence"], "b": "[]"}
    rows = [
        {"key": id_, "response": {"candidates": [{"content": {"parts": [{"text": text}]}}]}}
        for id_, text in contents.items()
    ]
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows)])
    assert [document.segments["llm.jsonl"] for document in corpus] == [(JO, ROME), ()]


def test_further_answers_are_counted(write):
    """Of several answers to a request the first is read; a note counts the others."""
    line = openai("a", ANSWERS["quotes"])
    line["response"]["body"]["choices"] *= 3
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", [line, openai("b", "[]")])])
    assert [document.segments["llm.jsonl"] for document in corpus] == [(JO, ROME), ()]
    assert any("2 further answers passed over" in note for note in corpus.notes)
    candidates = [{"content": {"parts": [{"text": text}]}} for text in ('[["Jo", "PER"]]', "[]")]
    rows = [{"key": "a", "response": {"candidates": candidates}}]
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows)])
    assert corpus[0].segments["llm.jsonl"] == (JO,)
    assert any("1 further answer passed over" in note for note in corpus.notes)


def called(id_, *answers):
    """A batch of OpenAI in which the model calls a function, which is how it gives objects."""
    calls = [{"type": "function", "function": {"name": "mark", "arguments": a}} for a in answers]
    line = openai(id_, None)
    line["response"]["body"]["choices"][0]["message"]["tool_calls"] = calls
    return line


def called_responses(id_, *answers):
    output = [{"type": "function_call", "name": "mark", "arguments": a} for a in answers]
    return {"custom_id": id_, "response": {"status_code": 200, "body": {"output": output}}}


def used(id_, *answers):
    """The same where a message has what the model says before it."""
    content = [{"type": "text", "text": "I mark the names."}]
    content += [{"type": "tool_use", "name": "mark", "input": json.loads(a)} for a in answers]
    return {"custom_id": id_, "result": {"type": "succeeded", "message": {"content": content}}}


@pytest.mark.parametrize("made", [called, called_responses, used])
def test_calls_of_functions(write, made):
    """All spans in one call, or a call for each. Oracle: as it was made."""
    one = ANSWERS["in an object"]
    each = [json.dumps({"text": t, "label": k}) for t, k in (("Jo", "PER"), ("Rome", "LOC"))]
    for answers in ([one], each):
        rows = [made("a", *answers), made("b", '{"entities": []}')]
        corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows)])
        assert [document.segments["llm.jsonl"] for document in corpus] == [(JO, ROME), ()]


def test_an_answer_in_pieces(write):
    """A text that a model gives in several pieces is one. Oracle: as it was made."""
    line = responses("a", '[["Jo", "PER"],')
    line["response"]["body"]["output"][1]["content"].append({"text": ' ["Rome", "LOC"]]'})
    assert sa.read(["gold.jsonl", write("llm.jsonl", [line])])[0].segments["llm.jsonl"] == (
        JO,
        ROME,
    )


def test_answers_in_another_order(write):
    """Documents are those of ``custom_id``, in whatever order and number they come."""
    rows = [{"custom_id": "b", "answer": "[]"}, {"custom_id": "a", "answer": ANSWERS["quotes"]}]
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows)])
    assert [document.segments["answer"] for document in corpus] == [(JO, ROME), ()]
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows[1:])])
    assert [document.segments["answer"] for document in corpus] == [(JO, ROME), None]


def test_no_answer_is_unseen(write):
    """A request that failed, and an answer that was refused, are never seen; others are counted."""
    failed = {"custom_id": "b", "response": None, "error": {"code": "x"}}
    rows = [openai("a", None), failed, openai("z", "[]")]
    corpus = sa.read(["gold.jsonl", write("llm.jsonl", rows)])
    assert [document.segments["llm.jsonl"] for document in corpus] == [None, None]
    assert any("1 failed request passed over" in note for note in corpus.notes)
    body = {"error": {"message": "The server had an error", "type": "server_error"}}
    refused = {"custom_id": "b", "response": {"status_code": 500, "body": body}, "error": None}
    again = sa.read(["gold.jsonl", write("llm.jsonl", [openai("a", "[]"), refused])])
    assert [document.segments["llm.jsonl"] for document in again] == [(), None]
    assert any("1 failed request passed over" in note for note in again.notes)
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


def test_strings_by_id(write):
    """Strings alone, one that is nowhere, and null for no answer. Oracle: as it was made."""
    path = write("llm.json", [{"b": None, "a": ["Jo", "Bo"]}])
    corpus = sa.read(["gold.jsonl", path])
    assert [document.segments[path] for document in corpus] == [((0, 2, "span"),), None]
    assert any("2 quotes in place of offsets, 1 (50.0" in note for note in corpus.notes)


@pytest.mark.long
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
    assert select_options_of_file({"text": "body:raw"}, "llm", files) == {"text": "body:raw"}
    assert select_options_of_file({"text": "x:raw", "document": None}, "llm", files) == {
        "text": "raw"
    }
    assert select_options_of_file({"text": "x:raw"}, "gold", files) == {}


def test_refused(write):
    """One line each: no text anywhere, ids that nobody has, no ids, two texts of one id."""
    quotes = write("llm.jsonl", [{"id": "q", "entities": [["Jo", "PER"]]}])
    with refuses(sa.InputError, "… no document has an id … theirs"):
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


def test_texts_that_nobody_needs(tmp_path):
    """A folder of texts alone is no annotator who marked nothing, and is not left out in silence."""
    for who in ("ann", "bob"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "d.txt").write_text("Jo met Al.", "utf-8")
    (tmp_path / "ann" / "d.ann").write_text("T1\tPER 0 2\tJo\n", "utf-8")
    with refuses(sa.InputError, "… bob: texts with nothing marked"):
        sa.read([tmp_path / "ann", tmp_path / "bob"])


IN_TOKENS = "# sent_id = a\nJo B-PER\nmet O\nJo B-PER\nin O\nNew B-LOC\nYork I-LOC\n. O\n\n# sent_id = b\nNo O\n"
QUOTED = [{"text": "Jo", "label": "PER"}, {"text": "Jo", "label": "PER"}, {"text": "New York.", "label": "LOC"}, {"text": "ork", "label": "LOC"}]  # fmt: skip


def answer(id_, content):
    choices = [{"message": {"content": json.dumps(content)}}]
    return {"custom_id": id_, "response": {"body": {"choices": choices}}, "error": None}


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "a", "entities": QUOTED}, {"id": "b", "entities": []}],
        [answer("a", {"entities": QUOTED}), answer("b", {"entities": []})],
        [answer("a", {"entities": {"PER": ["Jo", "Jo"], "LOC": ["New York.", "ork"]}}), answer("b", {"entities": {}})],
    ],
    ids=["rows", "batch", "batch by label"],
)  # fmt: skip
def test_quotes_in_tokens(tmp_path, rows):
    """They stand where whole tokens say them; a part of a token does not, and is counted."""
    (tmp_path / "gold.conll").write_text(IN_TOKENS, "utf-8")
    (tmp_path / "llm.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    corpus = sa.read([tmp_path / "gold.conll", tmp_path / "llm.jsonl"])
    assert corpus.offsets == "tokens"
    expected = ((0, 1, "PER"), (2, 3, "PER"), (4, 7, "LOC"))
    assert [d.segments["llm.jsonl"] for d in corpus] == [expected, ()]
    assert corpus.reading["quotes"]["llm.jsonl"] == {"read": 4, "unaligned": 1}


def test_quotes_beside_tokens(tmp_path):
    """In one file, as in two; in other case where it nowhere stands so."""
    spans = [{"text": "Jo", "label": "X"}, {"text": "MET", "label": "X"}]
    row = {"id": "a", "tokens": ["Jo", "met", "Jo", "."], "spans": spans}
    (tmp_path / "x.jsonl").write_text(json.dumps(row), "utf-8")
    assert sa.read(tmp_path / "x.jsonl")[0].segments == {"x.jsonl": ((0, 1, "X"), (1, 2, "X"))}


def test_quotes_with_a_text_against_tokens(tmp_path):
    """Offsets in a text of its own do not count another file's tokens; the message says what does."""
    (tmp_path / "gold.conll").write_text(IN_TOKENS, "utf-8")
    row = {"id": "a", "text": "Jo met Jo.", "entities": [{"text": "Jo", "label": "PER"}]}
    (tmp_path / "llm.jsonl").write_text(json.dumps(row), "utf-8")
    with pytest.raises(sa.InputError, match="quotes without a text beside them are found in"):
        sa.read([tmp_path / "gold.conll", tmp_path / "llm.jsonl"])


@pytest.mark.parametrize(
    ("answer", "label"), [("@@Jo## met Al.", "span"), ("<PER>Jo</PER> met Al.", "PER")]
)
def test_marks_in_answers_with_the_text_elsewhere(write, answer, label):
    """An error names the option that reads them. Oracle: the marks, which stand in the text."""
    write("gold.jsonl", [{"id": "a", "text": "Jo met Al.", "spans": [[0, 2, label]]}])
    write("llm.jsonl", [{"id": "a", "output": answer}])
    with refuses(
        sa.InputError, "llm.jsonl: texts with marks or JSON in them; --spans llm.jsonl:output"
    ):
        sa.read(["llm.jsonl", "gold.jsonl"])
    corpus = sa.read(["llm.jsonl", "gold.jsonl"], spans="llm.jsonl:output")
    assert corpus[0].segments == {"output": ((0, 2, label),), "gold.jsonl": ((0, 2, label),)}


IN_WORDS = ["Sure! {} Done.", "Here:\n```json\n{}\n```"]
ODD_ANSWERS = [words.format('[{"text": "Jo", "label": "PER"}]') for words in IN_WORDS]
ODD_ANSWERS.append("<PER>Jo</PER> met Al in Rome.")


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        *((answer, "jsonl") for answer in ODD_ANSWERS),
        *((answer, "csv") for answer in ODD_ANSWERS[:2]),
    ],
)
def test_answers_in_words_with_the_text_elsewhere(write, tmp_path, answer, ending):
    """The error names the option that reads them. Oracle: as they were made."""
    file = f"llm.{ending}"
    if ending == "jsonl":
        write(file, [{"id": id_, "answer": answer} for id_ in "ac"])
    else:
        cell = '"' + answer.replace('"', '""') + '"'
        (tmp_path / file).write_text(f"id,answer\na,{cell}\nc,{cell}\n", "utf-8")
    advice = f"{file}: answers … under 'answer', and no texts; … --spans {file}:answer"
    for files in (["gold.jsonl", file], [file]):
        with refuses(sa.InputError, advice):
            sa.read(files)
    corpus = sa.read(["gold.jsonl", file], spans=f"{file}:answer")
    assert corpus[0].segments["answer"] == (JO,)
    missing = "gold.jsonl: no column 'answer'; … --spans FILE:answer …"
    with refuses(sa.SettingError, missing):
        sa.read(["gold.jsonl", file], spans="answer")


def test_answers_in_words_beside_the_text(write):
    """A file with the text too takes the names of both columns."""
    write("llm.jsonl", [{"id": "a", "text": TEXT, "answer": ODD_ANSWERS[0]}])
    with refuses(sa.InputError, "llm.jsonl: answers … --text text … and --spans answer …"):
        sa.read("llm.jsonl")
    corpus = sa.read("llm.jsonl", text="text", spans="answer")
    assert corpus[0].segments == {"answer": (JO,)}


@pytest.mark.parametrize("texts", ["texts.csv", "gold.jsonl", "texts-[1].csv"])
@pytest.mark.parametrize("answer", [ODD_ANSWERS[0], [["Jo", "PER"]]])
def test_checking_with_the_text_elsewhere(write, tmp_path, capsys, texts, answer):
    """It names a file of texts as that; the options of JSON read each file again."""
    write("llm.jsonl", [{"id": "a", "answer": answer}])
    for name in ("texts.csv", "texts-1.csv"):
        (tmp_path / name).write_text(f"id,text\na,{TEXT}\n", "utf-8")
    answers = "llm-[1].jsonl" if "[" in texts else "llm.jsonl"
    if "[" in texts:
        (tmp_path / "llm.jsonl").rename("llm-1.jsonl")
    file, text_file = (name.replace("[1]", "1") for name in (answers, texts))
    spans = ["--spans", f"{file}:answer"] if isinstance(answer, str) else []
    assert main(["check", answers, texts, *spans]) in (None, 0)
    has_gold = texts == "gold.jsonl"
    counted = "read as dataset" if has_gold else "read as dataset (1 file), texts alone (1 file)"
    assert capsys.readouterr().out.splitlines()[0] == counted
    assert main(["check", answers, texts, *spans, "--format", "json"]) in (None, 0)
    reading = json.loads(capsys.readouterr().out)["reading"]
    assert reading[file] == {"from": "dataset", "spans": "answer", "document": "id"}
    assert bool(reading[text_file]) == has_gold
    options = {option: value for option, value in reading[file].items() if option != "from"}
    again = sa.read([file, text_file], **{key: f"{file}:{value}" for key, value in options.items()})
    assert again[0].segments["answer"] == (JO,)


def test_converting_with_the_text_elsewhere(write):
    """A file of texts has no format of its own; convert asked it for one, and refused it."""
    write("llm.jsonl", [{"id": "a", "spans": [[0, 2, "PER"]]}])
    write("texts.jsonl", [{"id": "a", "text": "Jo met Al."}])
    files = ["convert", "llm.jsonl", "texts.jsonl", "-o"]
    assert main([*files, "out.jsonl"]) in (None, 0)
    assert main([*files, "out.conll", "--tokenizer", "space"]) in (None, 0)
    assert sa.read("out.jsonl")[0].segments == {"llm.jsonl": ((0, 2, "PER"),)}
    assert sa.read("out.conll")[0].segments == {"llm.jsonl": ((0, 1, "PER"),)}


def test_files_of_texts_are_said(write):
    """A file that is read for its texts alone is said to be; named as an annotator, it is refused."""
    lines = "".join(f'{{"id": "{i}", "text": "Jo met Al"%s}}\n' for i in range(3))
    gold = write(
        "gold.jsonl", lines.replace("%s", ', "gold": [{"start": 0, "end": 2, "label": "P"}]')
    )
    model = write("model.jsonl", lines.replace("%s", ', "llama": "n/a"'))
    quotes = write(
        "quotes.jsonl",
        "".join(f'{{"id": "{i}", "spans": [{{"text": "Jo", "label": "P"}}]}}\n' for i in range(3)),
    )
    corpus = sa.read({"gold": gold, "quotes.jsonl": quotes, "model.jsonl": model})
    assert corpus.annotators == ("gold", "quotes.jsonl")
    said = "model.jsonl: read for its texts alone; no spans or tags are recognised in its columns llama"
    assert any(note.endswith(said) for note in corpus.notes)
    with refuses(
        sa.InputError, "… named as annotator 'llama', and no spans … --spans llama:llama …"
    ):
        sa.read({"gold": gold, "quotes.jsonl": quotes, "llama": model})
    with refuses(sa.InputError, "… no other file needs its texts; --spans model.jsonl:llama …"):
        sa.read({"gold": gold, "model.jsonl": model})


def test_a_table_of_nothing_marked(write):
    """Rows without a start and an end are documents that somebody saw, and no file of texts."""
    header, text = "document,annotator,start,end,label,text\n", "Jo met Al"
    rows = {
        "ann": f"1,ann,0,2,P,{text}\n2,ann,0,2,P,{text}\n",
        "bob": f"1,bob,,,,{text}\n2,bob,,,,{text}\n",
    }
    corpus = sa.read([write(f"{name}.csv", header + lines) for name, lines in rows.items()])
    assert sorted(corpus.annotators) == ["ann", "bob"]
    assert corpus.layers["bob"].annotated.all()
    assert not len(corpus.layers["bob"])


def test_keys_of_spans_by_annotator(write):
    """A key of spans for each annotator is looked for in files of texts too, and refused in time."""
    row = json.dumps(
        {"spanagree": 1, "id": "1", "offsets": "tokens", "length": 2, "annotators": {}}
    )
    files = {name: write(f"{name}.jsonl", row + "\n") for name in ("a", "b")}
    with refuses(sa.SettingError, "spans doesn't apply to jsonl files; it is for …; …"):
        sa.read(files, spans={"gold": "1"})
