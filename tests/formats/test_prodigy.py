"""Prodigy's rows: answers, annotators and sittings, reviews, spans by tokens."""

from __future__ import annotations

import json

import pytest
from messages import refuses
from strategies import marked, notes

import spanagree as sa
from spanagree.formats.prodigy import write_prodigy
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format

TOOL, FILE = "prodigy", "x.jsonl"
TEXT = "Jo is in 😀 Rome"  # Rome: 11 to 15
TOKENS = [{"text": w, "start": s, "end": s + len(w), "id": i} for i, (s, w) in enumerate([(0, "Jo"), (3, "is"), (6, "in"), (9, "😀"), (11, "Rome")])]  # fmt: skip
PER, LOC = {"start": 0, "end": 2, "label": "PER"}, {"start": 11, "end": 15, "label": "LOC"}


def answer(*spans, by=None, hash_=-12, answer="accept", **more):
    """A row, as `prodigy db-out` writes it."""
    return {"text": TEXT, "_input_hash": hash_, "_task_hash": 8, "_annotator_id": by, "_session_id": by, "answer": answer, "spans": list(spans), **more}  # fmt: skip


def without(row, *keys):
    return {key: value for key, value in row.items() if key not in keys}


def test_answers(read, tmp_path):
    """Accepted rows are annotations, with spans or without; rejected and ignored were never seen."""
    silent = without(answer(by="ann", hash_=2), "spans", "answer")
    rows = [
        answer(PER, LOC, by="ann"),
        answer(by="bob"),
        silent,
        answer(PER, by="bob", hash_=2, answer="ignore"),
        answer(PER, by="ann", hash_=3, answer="reject"),
        answer(by="bob", hash_=3, spans=None),
    ]
    corpus = read(rows)
    assert find_format(tmp_path / "x.jsonl") == "prodigy"
    assert corpus.ids == ("-12", "2", "3")
    assert marked(corpus) == {"ann": [(0, 2, "PER"), (11, 15, "LOC")], "bob": []}
    assert marked(corpus, 1) == {"ann": [], "bob": None}
    assert marked(corpus, 2) == {"ann": None, "bob": []}
    assert notes(corpus) == ["1 ignored row and 1 rejected row passed over"]


def test_rows_without_hashes(tmp_path):
    """They are read as a dataset, by the same rule; an answer of another kind says nothing."""
    path = tmp_path / "rows.jsonl"
    kept = ("text", "spans", "answer")

    def read_answers(*answers):
        """Read rows of one text and span each, with these answers."""
        rows = [{key: answer(PER, answer=word)[key] for key in kept} for word in answers]
        path.write_text("".join(f"{json.dumps({'id': i, **row})}\n" for i, row in enumerate(rows)))
        return sa.read(path)

    corpus = read_answers("accept", "reject", "ignore", None)
    assert find_format(path) == "dataset"
    accepted = [(0, 2, "PER")]
    seen = [marked(corpus, i)[corpus.annotators[0]] for i in range(4)]
    assert seen == [accepted, None, None, accepted]
    assert any("1 rejected row and 1 ignored row passed over" in note for note in corpus.notes)
    balance = {"read": 2, "in ignored rows": 1, "in rejected rows": 1}
    assert read_raw_files({"": path}, {}).balance["segment"] == balance
    assert len(read_answers("reject", "yes").layers[path.name]) == 2


def test_rows_without_hashes_of_an_unknown_answer():
    """A later row of another answer is an error, as in Prodigy's own rows."""
    rows = [{"text": TEXT, "spans": [PER], "answer": "accept"}] * 10_000
    with refuses(sa.InputError, "row 10001: answer 'skip'; accept, reject or ignore is needed"):
        sa.read([*rows, {"text": TEXT, "spans": [PER], "answer": "skip"}])


def test_notes_on_rows_in_memory():
    """Rows without a file have notes without a name before them."""
    rows = [{"text": TEXT, "spans": [PER], "answer": "reject"}]
    assert sa.read(rows).notes[-1] == "1 rejected row passed over"


def test_annotators(read):
    """By _annotator_id, else _session_id, else the file; the session or the file on request."""
    both = answer(by="ann", _session_id="ds-ann")
    rows = [both, answer(by=None, _session_id="bob"), without(answer(), "_annotator_id")]
    assert read(rows).annotators == ("ann", "bob", FILE)
    assert read(rows, annotator_from="session").annotators == ("ds-ann", "bob", FILE)
    assert read(rows, annotator_from="id").annotators == ("ann", "bob", FILE)
    assert read([both], annotator_from="file").annotators == (FILE,)
    with pytest.raises(sa.SettingError, match=r"'email'; allowed: id, session, file$"):
        read(rows, annotator_from="email")


def test_sittings(read):
    """Times at which Prodigy was started are not people; the file joins them."""
    times = ["2024-04-29_08-16-14", "ds-2024-05-01_10-00-00"]
    rows = [answer(PER, by=time, hash_=i) for i, time in enumerate(times)]
    corpus = read(rows)
    assert corpus.annotators == tuple(times)
    assert notes(corpus) == [
        "annotators named by the time of a start are sittings, not people (2024-04-29_08-16-14,"
        " ds-2024-05-01_10-00-00); --annotator-from file takes the file as the annotator"
    ]
    joined = read(rows, annotator_from="file")
    assert (joined.annotators, notes(joined)) == ((FILE,), [])
    assert joined.reading["read"] == {"annotator_from": "file"}


def test_twice(read):
    """A person's second answer to an input is refused, unless the latest is asked for."""
    rows = [answer(PER, by="ann", _timestamp=7), answer(LOC, by="ann", _timestamp=5, _task_hash=9)]
    with refuses(
        sa.InputError, "… 'ann', document '-12' … drop-repeats … if both are by one person"
    ):
        read(rows)
    assert marked(read(rows, "latest")) == {"ann": [(0, 2, "PER")]}


def test_review(read):
    """The rows of a review are a layer, and so is each version, for each of its sessions."""
    versions = [
        {"text": TEXT, "spans": [PER], "answer": "accept", "sessions": ["ds-ann", "ds-bob"]},
        {"spans": [], "answer": "accept", "_session_id": "ds-cem"},
        {"spans": [LOC], "answer": "reject", "sessions": ["ds-dia"]},
        {"spans": [], "_session_id": "ds-eli", "sessions": []},
    ]
    rows = [answer(LOC, by="ds-ann", versions=versions, _view_id="review")]
    rows.append(answer(PER, hash_=2, _view_id="review"))  # without versions, as occurs
    corpus = read(rows)
    assert marked(corpus) == {
        "review": [(11, 15, "LOC")],
        "ds-ann": [(0, 2, "PER")],
        "ds-bob": [(0, 2, "PER")],
        "ds-cem": [],
        "ds-dia": None,
        "ds-eli": [],
    }
    assert marked(corpus, 1)["review"] == [(0, 2, "PER")]
    assert notes(corpus) == [
        "1 rejected row passed over; 2 answers of a reviewer, who saw the others', are the annotator"
        " review; --gold review takes them as gold, and --annotators leaves them out of agreement"
    ]


def test_rows_that_name_nobody(read):
    """They are one annotator, which is said where others are named; of several people, refused."""
    nobody = without(answer(PER), "_annotator_id", "_session_id")
    corpus = read([nobody, answer(PER, by="ann")])
    assert notes(corpus) == [
        "1 answer without _annotator_id or _session_id, taken as one annotator's, who is called as the"
        " file and stands beside ann"
    ]
    assert notes(read([nobody])) == []
    with refuses(sa.InputError, "… name the annotators"):
        read([nobody, nobody])


def test_spans_by_tokens(read):
    """token_end is the last token, not the one behind it; offsets come first."""
    by_tokens = {"token_start": 2, "token_end": 4, "label": "X"}
    first = {"token_start": 0, "token_end": 0, "label": "X"}
    corpus = read([answer(first, by_tokens, {**by_tokens, **LOC}, by="ann", tokens=TOKENS)])
    assert marked(corpus) == {"ann": [(0, 2, "X"), (6, 15, "X"), (11, 15, "LOC")]}
    review = answer(_view_id="review", tokens=TOKENS, versions=[{"spans": [by_tokens], "sessions": ["a"]}])  # fmt: skip
    assert marked(read([review])) == {"review": [], "a": [(6, 15, "X")]}


def test_relations_and_choices(read):
    """What is not between spans is counted; a span without a label needs a repair."""
    link = {"head_span": PER, "child_span": LOC, "label": "in"}
    links = [link, {**link, "head_span": {"start": 3, "end": 5, "label": None}}, {}]
    row = answer(PER, {**LOC, "label": None}, by="ann", relations=links, accept=["a"])
    with pytest.raises(sa.InputError, match="needs one; --repair drop-unlabelled"):
        read([row])
    corpus = read([row], "drop-unlabelled")
    assert notes(corpus)[0] == "1 choice and 2 token relations passed over"
    row = answer(PER, LOC, by="ann", relations=links[:1])
    ((first, second, label),) = [(r.first, r.second, r.label) for r in read([row]).relations]
    assert (first.label, second.label, label) == ("PER", "LOC", "in")


def test_binary_answers(read):
    """A yes to one span is said to be no more than that."""
    rows = [answer(PER, by="ann", _is_binary=True), answer(by="bob", _is_binary=False)]
    assert notes(read(rows)) == [
        "1 accepted row with an answer to a question about one span (_is_binary), which does not"
        " say that there are no others; those of one text and annotator are one annotation"
    ]


def test_binary_answers_about_one_text(read):
    """Spans that somebody accepted one by one are all theirs; a rejected one takes none away."""
    rows = [
        answer(PER, by="ann", _is_binary=True, _timestamp=1),
        answer({**LOC, "label": "X"}, by="ann", _is_binary=True, answer="reject"),
        answer(LOC, by="bob", _is_binary=True),
        answer(LOC, by="ann", _is_binary=True, _timestamp=2),
    ]
    expected = [(span["start"], span["end"], span["label"]) for span in (PER, LOC)]
    for repair in ((), "latest", "drop-repeats"):
        assert marked(read(rows, repair)) == {"ann": expected, "bob": expected[1:]}
    for last in (answer(LOC, by="ann"), answer(by="ann")):  # of all spans: another answer
        with refuses(sa.InputError, "annotator 'ann', document … second time … --repair"):
            read([*rows, last])


def test_text_of_a_span(read):
    """The text that stands beside a span is compared with the one at its offsets."""
    spans = [{**PER, "text": "Jo"}, {**LOC, "text": "Bonn"}]
    with refuses(sa.InputError, "… segment 11–15 'LOC' has 'Rome' … not 'Bonn' … --repair"):
        read([answer(*spans, by="ann")])


REFUSED = {
    "not an object": ([5], "x.jsonl:1: 5 … object"),
    "nothing": ([], "x.jsonl: no rows … object a line"),
    "no hash": ([without(answer(), "_input_hash")], "x.jsonl:1: a row … text and _input_hash … the keys are text, _task_hash, _annotator_id, _session_id, answer, spans"),
    "no text": ([answer(text=None, tokens=[])], "x.jsonl:1: a row … text and _input_hash … the keys are text, _input_hash, _task_hash, _annotator_id, _session_id, answer, spans, tokens"),
    "answer": ([answer(answer="maybe")], "x.jsonl:1: answer 'maybe' … accept, reject or ignore"),
    "no offsets": ([answer({"label": "X"})], "x.jsonl:1: start and end of a span (None, None) … whole numbers"),
    "one offset": ([answer({"start": 0, "label": "X"})], "x.jsonl:1: start and end of a span (0, None) … whole numbers"),
    "spans": ([answer(spans=[3])], "x.jsonl:1: spans [3] … list of objects"),
    "tokens": ([answer({"token_start": 4, "token_end": 5, "label": "X"}, tokens=TOKENS)], "x.jsonl:1: token_start and token_end (4, 5) … tokens from 0 to 4"),
    "texts": ([answer(by="ann"), answer(by="bob", text="Al")], "x.jsonl:2: document '-12' … differs … character 0: 'Al', not 'Jo is in 😀' … same text … pattern in quotes"),
    "name": ([answer(by=["ann"])], "x.jsonl:1: name ['ann'] … string … not empty"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(read, case):
    """Each with file and line, the value, and what is needed."""
    rows, message = REFUSED[case]
    with refuses(sa.InputError, f"… {message}"):
        read(rows)


def test_cut_off(tmp_path):
    """A file that ends too early is an error of one line."""
    path = tmp_path / "x.jsonl"
    path.write_text((json.dumps(answer()) + "\n") * 2 + json.dumps(answer())[:-9], "utf-8")
    with pytest.raises(sa.InputError, match=r"x.jsonl:3: not valid JSON .*an object a line$"):
        read_raw_files({"it": path}, {}, "prodigy")


def test_file_by_annotator(tmp_path):
    """Two files without names in them: the files' names, and one document for each input."""
    for name, spans in (("ann", [PER]), ("bob", [])):
        rows = [answer(*spans, hash_=i) for i in (1, 2)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    files = {name: tmp_path / f"{name}.jsonl" for name in ("ann", "bob")}
    corpus = sa.read(files)
    assert marked(corpus) == {"ann": [(0, 2, "PER")], "bob": []}
    assert len(corpus) == 2


def test_tokens_that_are_written(tmp_path):
    """Tokens stand where they are in the text, or with a space between; ends are of last tokens."""
    texts = sa.Corpus.from_segments(
        [9], {"ann": [[(0, 2, "X"), (4, 9, "Y")]]}, offsets="characters", texts=["Jo: in Ur"]
    )
    tokens = texts.to_tokens(lambda _: ["Jo", ":", "in", "Ur"])
    alone = sa.Corpus(tokens.lengths, tokens.layers, tokens.labels, tokens=tokens.tokens)
    for corpus, text, starts in ((tokens, "Jo: in Ur", [0, 2, 4, 7]), (alone, "Jo : in Ur", [0, 3, 5, 8])):  # fmt: skip
        write_prodigy(corpus, tmp_path / "a.jsonl")
        (row,) = map(json.loads, (tmp_path / "a.jsonl").read_text("utf-8").splitlines())
        assert row["text"] == text
        assert [t["start"] for t in row["tokens"]] == starts
        assert [t["text"] for t in row["tokens"]] == [text[t["start"] : t["end"]] for t in row["tokens"]]  # fmt: skip
        assert [t["ws"] for t in row["tokens"]] == [text != "Jo: in Ur", True, True, False]
        assert [t["id"] for t in row["tokens"]] == [0, 1, 2, 3]
        assert [(s["token_start"], s["token_end"]) for s in row["spans"]] == [(0, 0), (2, 3)]
        assert (row["_input_hash"], row["answer"], row["_annotator_id"]) == (1, "accept", "ann")
        assert "spanagree_id" not in row
