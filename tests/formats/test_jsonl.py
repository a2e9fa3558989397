"""Our own format: what it says, and what is no line of it."""

from __future__ import annotations

import json

import pytest
from messages import check_refused, refuses

import spanagree as sa
from spanagree.cli.main import main

FILE = "corpus.jsonl"
GOOD = {"spanagree": 1, "id": "7", "text": "Jo is in", "annotators": {"ann": []}}


def test_reads(write):
    """Text or tokens, absent and null for never seen, other keys passed over, code points."""
    segment = {"start": 0, "end": 1, "label": "X"}
    corpus = sa.read_jsonl(
        write(
            [
                {**GOOD, "annotators": {"ann": [segment], "bob": []}, "difficulty": 0.5},
                "",
                {**GOOD, "id": "8", "text": "😀 a\u2028b", "annotators": {"bob": None}},
            ]
        )
    )
    assert corpus.offsets == "characters"
    assert corpus.ids == ("7", "8")
    assert corpus.lengths.tolist() == [8, 5]
    assert corpus[0].segments == {"ann": (sa.Segment(0, 1, "X"),), "bob": ()}
    assert corpus[1].segments == {"ann": None, "bob": None}
    tokens = sa.read_jsonl(write([{"spanagree": 1, "id": 5, "tokens": ["a"], "annotators": {}}]))
    assert (tokens.offsets, tokens.ids) == ("tokens", ("5",))
    length = {"spanagree": 1, "id": "1", "offsets": "tokens", "length": 3, "annotators": {}}
    assert sa.read_jsonl(write([length])).lengths.tolist() == [3]


def test_surrogates_and_unicode(tmp_path):
    """Text of any kind survives, halves of surrogate pairs included."""
    texts = ["日本\u2028\x85", "\ud83d", '"\\\n\x00']
    corpus = sa.Corpus.from_segments(
        [len(t) for t in texts], {"a b": [[], None, [(0, 1, "<é>")]]}, offsets="characters", texts=texts
    )  # fmt: skip
    sa.write_jsonl(corpus, tmp_path / "x")
    assert sa.read_jsonl(tmp_path / "x") == corpus
    assert "日本" in (tmp_path / "x").read_text("utf-8")


BAD = {
    "nothing": ([], "{0}: no documents … spanagree convert"),
    "no JSON": ([GOOD, "{"], "{0}:2: not valid JSON … one object"),
    "no object": ([GOOD, "[1]"], "{0}:2: [1] … one object"),
    "a key twice": (['{"spanagree": 1, "id": "1", "id": "2"}'], "{0}:1: the key 'id' … twice"),
    "too deep": (["[" * 100_000], "{0}:1: not valid JSON (nested too deeply … one object"),
    "version": ([{**GOOD, "spanagree": 2}], '{0}:1: version 2; "spanagree": 1 … --from dataset'),
    "no id": ([{**GOOD, "id": None}], "{0}:1: id None … string … not empty"),
    "id twice": ([GOOD, GOOD], "{0}:2: id '7' … twice"),
    "no text": ([{"spanagree": 1, "id": "7", "annotators": {}}], "{0}:1: neither text nor length"),
    "text no string": ([{**GOOD, "text": 3}], "{0}:1: text 3 … string"),
    "tokens no strings": ([{**GOOD, "tokens": ["a", 3], "offsets": "tokens"}], "{0}:1: tokens ['a', 3] … list of strings"),
    "starts no numbers": ([{**GOOD, "tokens": ["a"], "token_starts": ["a"]}], "{0}:1: token_starts ['a'] … list of whole numbers"),
    "number too long": (['{"spanagree": 1, "id": ' + "9" * 5000 + "}"], "{0}:1: not valid JSON (… number too long) … one object"),
    "offsets a list": ([{**GOOD, "offsets": ["tokens"]}], "{0}:1: offsets ['tokens']; allowed: tokens, characters … 10ms"),
    "tokens of characters": ([{**GOOD, "offsets": "characters", "tokens": ["Jo"]}], "{0}:1: tokens … offsets in characters … offsets tokens"),
    "tokens not in the text": ([{**GOOD, "tokens": ["Al"]}], "{0}:1: token 'Al' … not in the text … character 0"),
    "starts of other tokens": ([{**GOOD, "tokens": ["Jo"], "token_starts": [3]}], "{0}:1: at token_starts … ['is']"),
    "too many starts": ([{**GOOD, "tokens": ["Jo"], "token_starts": [0, 3]}], "{0}:1: 2 token_starts for 1 token"),
    "length": ([{**GOOD, "length": 9}], "{0}:1: length 9 … 8 characters … leave the length out"),
    "length below 0": ([{**GOOD, "length": -9}], "{0}:1: length -9 … whole number from 0 to 2.81e+14"),
    "length not a number": ([{**GOOD, "length": "8"}], "{0}:1: length '8' … whole number from 0 to 2.81e+14"),
    "length not whole": ([{**GOOD, "length": 8.0}], "{0}:1: length 8.0 … whole number from 0 to 2.81e+14"),
    "text in some": ([GOOD, {"spanagree": 1, "id": "8", "offsets": "characters", "length": 3, "annotators": {}}], "document '8' has no text, others have"),
    "offsets": ([{**GOOD, "offsets": "bytes"}], "{0}:1: offsets 'bytes'; allowed: tokens, characters … 10ms"),
    "mixed offsets": ([GOOD, {"spanagree": 1, "id": "8", "tokens": ["a"], "annotators": {}}], "{0}:2: offsets in tokens … before … characters"),
    "no annotators": ([{**GOOD, "annotators": []}], "{0}:1: annotators [] … object"),
    "nameless": ([{**GOOD, "annotators": {"": []}}], "{0}:1: annotator '': name '' … string … not empty"),
    "no segments": ([{**GOOD, "annotators": {"a": 3}}], "{0}:1: annotator 'a': 3 … {{start, end, label}} … null"),
    "no segment": ([{**GOOD, "annotators": {"a": [[0, 1]]}}], "{0}:1: annotator 'a': [[0, 1]] … {{start, end, label}} … null"),
    "start no number": ([{**GOOD, "annotators": {"a": [{"start": 0.5, "end": 1, "label": "X"}]}}], "{0}:1: annotator 'a': start 0.5 … whole number"),
    "label no string": ([{**GOOD, "annotators": {"a": [{"start": 0, "end": 1, "label": 3}]}}], "{0}:1: annotator 'a': label 3 … string"),
    "beyond": ([{**GOOD, "annotators": {"a": [{"start": 0, "end": 9, "label": "X"}]}}], "annotator 'a', document '7': segment 0–9 'X' … length 8 … --repair clip-beyond-text … --repair drop-beyond-text"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_lines(write, what):
    """What is no line of the format is refused, naming file and line."""
    check_refused(sa.read_jsonl, write, *BAD[what])


# --- what was done before ----------------------------------------------------------------------


def test_provenance_travels(tmp_path):
    """What was changed before a file was written stays with it, in the signature too."""
    corpus = sa.Corpus.from_segments(
        [11, 3], {"a": [[(0, 4, "X"), (4, 7, "Y")], []]}, offsets="characters",
        texts=["Jo is here.", "abc"],
    )  # fmt: skip
    tokens = corpus.with_labels(map_labels={"Y": "X"}).to_tokens(str.split, "expand")
    path = tmp_path / "o.jsonl"
    sa.write_jsonl(tokens, path)
    made = {"cut": "expand", "tokenizer": "space", "map_labels": {"Y": "X"}}
    first, second = map(json.loads, path.read_text("utf-8").splitlines())
    assert first["provenance"] == made
    assert "provenance" not in second
    again = sa.read_jsonl(path, repair="merge-overlaps")
    assert again.reading == {"format": "jsonl", **made, "repair": ["merge-overlaps"]}
    line = sa.difficulty(sa.read_jsonl(path), "a", chance="overlapping").signature
    assert "|cut:expand|tokenizer:space|map_labels:Y=X|" in line
    sa.write_jsonl(again, path)
    later = sa.read_jsonl(path, repair="drop-empty")  # which has nothing to do
    assert later.reading["repair"] == ["merge-overlaps"]
    plain = sa.Corpus.from_segments([3], {"a": [[]]})
    sa.write_jsonl(plain, path)
    assert "provenance" not in path.read_text()


@pytest.mark.parametrize(
    "given", [3, "x", ["cut"], {"cut": 3}, {"repair": [3]}, {"map_labels": {"a": 1}}, {"strict": 1}]
)
def test_provenance_that_cannot_be(tmp_path, given):
    """What we do not write there is refused; keys of others are passed over."""
    path = tmp_path / "o.jsonl"
    line = {"spanagree": 1, "id": "1", "length": 3, "annotators": {}}
    path.write_text(json.dumps({**line, "provenance": given}))
    with pytest.raises(sa.InputError, match=r"o.jsonl:1: provenance .*; settings as the writer"):
        sa.read_jsonl(path)
    path.write_text(json.dumps({**line, "provenance": {"else": given}}))
    assert sa.read_jsonl(path).reading == {"format": "jsonl"}


def test_joined_files_of_other_provenance(tmp_path):
    """Lines below the first have the same provenance, or none."""
    line = {"spanagree": 1, "length": 3, "annotators": {"a": []}}
    path = tmp_path / "o.jsonl"
    lines = [{**line, "id": str(i), "provenance": {"cut": cut}} for i, cut in enumerate(("x", "y"))]
    path.write_text("\n".join(map(json.dumps, lines)))
    with refuses(sa.InputError, f"{path}:2: a provenance … first line's … one by one"):
        sa.read_jsonl(path)
    path.write_text("\n".join(map(json.dumps, [lines[0], {**lines[0], "id": "9"}])))
    assert len(sa.read_jsonl(path)) == 2


def test_relations_left_behind(tmp_path, capsys):
    """What a format does not hold is named when it is written, and our own holds all of it."""
    layers = {"ann": [[(0, 1, "P", {"new": "yes"}), (2, 3, "P")]]}
    links = {"ann": [[(0, 1, "r", False)]]}
    corpus = sa.Corpus.from_segments([3], layers, relations=links, ids=["7"])
    path = tmp_path / "a.jsonl"
    sa.write_jsonl(corpus, path)
    assert sa.read_jsonl(path) == corpus
    assert main(["convert", str(path), "-o", str(tmp_path / "b.jsonl")]) == 0
    assert "left out" not in capsys.readouterr().err
    corpus = sa.Corpus.from_segments([3], layers, relations=links)
    sa.write_jsonl(corpus.replace(tokens=("a", "b", "c")), path)
    assert main(["convert", str(path), "-o", str(tmp_path / "b.conll")]) == 0
    message = "left out, as conll files do not hold them: 1 relation, attributes new"
    assert message in capsys.readouterr().err
