"""Paths to several records in a value: each with its own text and spans, or refused."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.paths import find_misshapen, find_values, yield_inner_records

SPAN = {"start": "start", "end": "end", "label": "label"}
DOCS = {
    "docs": [
        {"id": "a", "text": "Bob sat.", "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"id": "b", "text": "Ana ran.", "spans": [{"start": 4, "end": 7, "label": "X"}]},
    ],
    "by": "ann",
}
COLUMNS = {
    "lines": [["Ana", "ran"], ["Bob", "sat", "here"], ["Eve", "met", "Al"]],
    "gold": [["B-PER", "O"], ["B-PER", "O", "O"], ["B-PER", "O", "B-PER"]],
    "sys": [["B-PER", "O"], ["O", "O", "O"], ["O", "O", "O"]],
}


@pytest.fixture
def write(tmp_path):
    def written(value, name="d.json"):
        (tmp_path / name).write_text(json.dumps(value), "utf-8")
        return tmp_path / name

    return written


def marked(corpus):
    """By document the text and what all marked in it."""
    return [
        (document.text, [tuple(s) for some in document.seen.values() for s in some])
        for document in corpus
    ]


RIGHT = [("Bob sat.", [(0, 3, "PER")]), ("Ana ran.", [(4, 7, "X")])]


def test_each_record_has_its_own(write):
    """Every option that is a path leads to what is under the same record."""
    path = write(DOCS)
    corpus = sa.read(path, text="docs[*].text", spans="docs[*].spans[*]", **SPAN)
    assert marked(corpus) == RIGHT
    corpus = sa.read(
        path, text="docs[*].text", spans="docs[*].spans[*]", document="docs[*].id", annotator="by", **SPAN
    )  # fmt: skip
    assert (marked(corpus), corpus.ids, corpus.annotators) == (RIGHT, ("a", "b"), ("ann",))
    assert marked(sa.read([DOCS], text="docs[*].text", spans="docs[*].spans")) == RIGHT
    assert marked(sa.read(iter([DOCS]), text="docs[*].text", spans="docs[*].spans[*]")) == RIGHT
    assert marked(sa.read(path, "dataset", text="docs[*].text", spans="docs[*].spans")) == RIGHT


def test_records_under_keys(write):
    """Each key of an object is a record, and may be its id's place in all lists."""
    by_id = {doc["id"]: doc for doc in DOCS["docs"]}
    corpus = sa.read(
        write(by_id), "paths", text="*.text", spans="*.spans[*]", document="*.id", **SPAN
    )
    assert (marked(corpus), corpus.ids) == (RIGHT, ("a", "b"))
    beside = {key: {doc["id"]: doc[key] for doc in DOCS["docs"]} for key in ("text", "spans")}
    corpus = sa.read(write(beside), "paths", text="text.*", spans="spans.*[*]", **SPAN)
    assert marked(corpus) == RIGHT


def test_columns_in_json(write, capsys):
    """Lists side by side are of the same records. Oracle: seqeval's F1 of the three sentences, by hand: 2·1/(4+1)."""
    options = {"tokens": "lines[*]", "tags": {"gold": "gold[*]", "sys": "sys[*]"}}
    for corpus in (sa.read([COLUMNS], **options), sa.read(write(COLUMNS), "dataset", **options)):
        assert [list(document.tokens) for document in corpus] == COLUMNS["lines"]
        assert sa.evaluate(corpus, gold="gold")["sys"].f1.observed == pytest.approx(2 / 5)
    argv = ["evaluate", str(write(COLUMNS)), "--from", "dataset", "--tokens", "lines[*]"]
    assert main([*argv, "--tags", "gold=gold[*],sys=sys[*]"]) == 0
    assert "0.400" in capsys.readouterr().out


def test_tokens_of_one_document_stay_together(write):
    """Lists in a list of tokens are parts of one document, as sentences; lists of tokens are documents."""
    value = {"sents": [["Ana", "ran"], ["Bob"]], "ner": [[[0, 0, "PER"]], [[2, 2, "PER"]]]}
    paths = {"start": "[0]", "end": "[1]", "label": "[2]", "ends": "inclusive"}
    (document,) = sa.read(write(value), "paths", tokens="sents[*][*]", spans="ner[*][*]", **paths)
    assert [tuple(s) for s in document.segments["d.json"]] == [(0, 1, "PER"), (2, 3, "PER")]
    value["ner"][1] = [[0, 0, "PER"]]
    corpus = sa.read(write(value), "paths", tokens="sents[*]", spans="ner[*]", **paths)
    assert [[tuple(s) for s in d.segments["d.json"]] for d in corpus] == [[(0, 1, "PER")]] * 2


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ({"text": "docs[0].text", "spans": "docs[*].spans[*]"}, "{0}:1: docs[*].spans[*] and docs[0].text join … different records (2 elements)"),
        ({"text": "docs[*].text", "spans": "docs[0].spans[*]"}, "{0}:1: docs[0].spans[*] and docs[*].text join … different records"),
        ({"text": "docs[*].text", "spans": "all"}, "{0}:1: all is one for all of the 2 records of docs[*].text"),
        ({"text": "docs[*].text", "spans": "all[*]"}, "{0}:1: all[*] {{'start': 0 … a list of spans is needed for each record"),
        ({"text": "docs[*].text", "spans": "more[*]"}, "{0}:1: docs[*].text leads to 2 records and more[*] to 3"),
        ({"text": "docs[*].text", "spans": "docs[*].spans[*]", "document": "by"}, "{0}:1: by is one for all of the 2 records"),
        ({"text": "by", "spans": "all[*]", "document": "docs[*].id"}, "{0}: document 'docs[*].id' leads to 2 ids of one text"),
        ({"text": "of[*].text", "spans": "docs[*].spans[*]"}, "{0}:1: of {{'a': 1}}; of[*].text needs a list there"),
    ],
)  # fmt: skip
def test_what_would_join_records_is_refused(write, paths, message):
    span = DOCS["docs"][0]["spans"][0]
    path = write({**DOCS, "all": [span, span], "more": [[], [], []], "of": {"a": 1}})
    with refuses(sa.InputError, message.format(path)):
        sa.read(path, "paths", **paths, **SPAN)


def test_annotators_beside_each_other(write):
    """Each element of a path to annotators is one's own part, or says whose span it is."""
    value = {"text": "Ana met Bo", "by": [{"who": "x", "spans": [[0, 3, "P"]]}, {"who": "y", "spans": []}]}  # fmt: skip
    triple = {"start": "[0]", "end": "[1]", "label": "[2]"}
    right = {"x": ((0, 3, "P"),), "y": ()}
    paths = {"text": "text", "spans": "by[*].spans[*]", "annotator": "by[*].who"}
    assert sa.read(write(value), "paths", **paths, **triple)[0].segments == right
    rows = [{**value, "id": "7"}]
    options = {**paths, "spans": "by[*].spans", "document": "id"}
    assert sa.read(rows, **options)[0].segments == right
    each = {"text": "Ana met Bo", "spans": [{"a": 0, "b": 3, "l": "P", "who": "x"}, {"a": 8, "b": 10, "l": "P", "who": "y"}, {"a": 4, "b": 7, "l": "P", "who": "x"}]}  # fmt: skip
    named = {"start": "a", "end": "b", "label": "l"}
    paths = {"text": "text", "spans": "spans[*]", "annotator": "spans[*].who"}
    corpus = sa.read(write(each), "paths", **paths, **named)
    assert corpus[0].segments == {"x": ((0, 3, "P"), (4, 7, "P")), "y": ((8, 10, "P"),)}
    table = "spans[*].a,spans[*].b,spans[*].l"
    rows = [{**each, "id": "7"}]
    corpus = sa.read(rows, text="text", spans=table, annotator="spans[*].who", document="id")
    assert corpus[0].segments == {"x": ((0, 3, "P"), (4, 7, "P")), "y": ((8, 10, "P"),)}


def test_a_column_that_leads_to_several_values():
    """Of several values of a row none is chosen."""
    rows = [{"text": "Ana ran", "parts": [{"spans": [[0, 3, "P"]]}, {"spans": [[4, 7, "X"]]}], "id": ["1", "2"]}]  # fmt: skip
    with refuses(sa.InputError, "column 'id[*]' leads to 2 values in a row"):
        sa.read(rows, text="text", spans="parts[0].spans", document="id[*]")


def test_a_key_beside_all_keys():
    """What stands under one of the keys under which the records are belongs to one of them."""
    value = {"a": {"text": "Jo", "spans": []}, "b": {"text": "Al", "spans": [1]}}
    with refuses(sa.InputError, "x: b.spans and *.text join what stands under different records"):
        list(yield_inner_records(value, "*.text", ("b.spans",), (), "x"))
    under_names = {"text": "Jo", "ann": {"spans": []}, "bob": {"spans": [1]}}
    assert list(yield_inner_records(under_names, "text", (), ("*.spans",), "x")) == [
        ("", under_names)
    ]


VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["Jo", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip
PATHS = st.lists(st.sampled_from(["a", "b", "[*]", "*", "[0]"]), min_size=1, max_size=4).map(
    lambda steps: ".".join(steps).replace(".[", "[")
)


@given(VALUES, PATHS, PATHS)
def test_records_hold_what_the_value_holds(value, content, other):
    """Of whatever value, the records have all to which the content's path leads, each its own."""
    before = deepcopy(value)
    try:
        records = [record for _, record in yield_inner_records(value, content, (), (other,), "x")]
    except sa.InputError:
        return
    assert value == before
    found = [find_values(record, content) for record in records]
    if records and not content.endswith("*"):  # of an object not all is a text
        assert [*chain(*found)] == find_values(value, content)
    assert all(len(some) <= 1 for some in found) or len(records) < 2 or content.endswith("*")


@given(VALUES, PATHS)
def test_a_misshapen_value_is_none_of_the_shape(value, path):
    """What is said to be misshapen is neither null nor empty, and leads nowhere by itself."""
    odd = find_misshapen(value, path)
    if odd is not None:
        assert odd[1] not in (None, [], {}, "")
