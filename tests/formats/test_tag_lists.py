"""Lists of tag lists, as seqeval's users hold them."""

from __future__ import annotations

import numpy as np
import pytest
from messages import refuses

import spanagree as sa

GOLD = [["B-PER", "I-PER", "O"], ["O"], []]


def test_reads():
    """Lists, tuples and arrays; tokens and ids; None for a document never seen."""
    corpus = sa.from_tags(
        {"gold": GOLD, "mine": [np.array(["B-PER", "O", "O"]), None, ()]},
        tokens=[["a", "b", "c"], ["d"], []],
        ids=["x", "y", "z"],
    )
    assert corpus[0] == sa.Document(
        "x",
        3,
        {"gold": (sa.Segment(0, 2, "PER"),), "mine": (sa.Segment(0, 1, "PER"),)},
        ("a", "b", "c"),
    )
    assert corpus[1].segments == {"gold": (), "mine": None}
    assert corpus[2].length == 0
    assert dict(corpus.reading) == {
        "format": "tags",
        "scheme": "auto",
        "strict": False,
        "schemes": {"gold": "IOB2", "mine": "IOB2"},
    }


def test_missing_in_the_first_layer():
    """The length of a document is known from whoever saw it, or from the tokens."""
    corpus = sa.from_tags({"a": [None, ["O"]], "b": [["O", "O"], None]})
    assert corpus.lengths.tolist() == [2, 1]
    corpus = sa.from_tags({"a": [None]}, tokens=[["x", "y"]])
    assert corpus.lengths.tolist() == [2]


def test_generators():
    """What can be iterated but once is read once."""
    corpus = sa.from_tags({"a": (tags for tags in [["B-X"], ["O"]]), "b": iter([["O"], ["O"]])})
    assert len(corpus) == 2
    assert len(corpus.layers["a"]) == 1


def test_strict_in_different_schemes():
    """Read strictly, each layer in the scheme that suits it: that is said, and in the signature."""
    layers = {"gold": [["B-X", "I-X", "O", "B-X"]], "mine": [["I-X", "I-X", "O", "I-X"]]}
    corpus = sa.from_tags(layers, strict=True)
    assert corpus.notes == (
        "read strictly in different schemes (gold IOB2, mine IO); name one to compare annotators",
    )
    assert "scheme:auto(IO,IOB2)|strict:yes" in sa.evaluate(corpus).signature
    assert sa.from_tags(layers, strict=True, scheme="IOB2").notes == (
        "mine: 3 tags outside every well-formed IOB2 segment not counted (strict)",
    )


def test_notes():
    """Ill-formed tags are counted by layer."""
    corpus = sa.from_tags({"a": [["B-X", "O", "I-X", "B-X", "I-X"]], "b": [["O"] * 5]})
    assert corpus.notes == ("a: 1 ill-formed tag read as conlleval does (IOB2)",)


@pytest.mark.parametrize(
    ("layers", "settings", "message"),
    [
        ({}, {}, "layers {} … mapping … at least one"),
        ([["O"]], {}, "layers [['O']] … mapping … at least one"),
        ({"a": [{"O"}]}, {}, "'a': [{'O'}] … list of documents … strings"),
        ({"a": [["O"]]}, {"tokens": ["x"]}, "'tokens': ['x'] … list of documents … strings"),
        ({"a": ["O", "O"]}, {}, "'a': ['O', 'O'] … list of documents … strings"),
        ({"a": "OO"}, {}, "'a': 'OO' … list of documents … strings"),
        ({"a": 7}, {}, "'a': 7 … list of documents … strings"),
        ({"a": np.array(5)}, {}, "'a': array(5) … list of documents … strings"),
        ({"a": [np.array(5)]}, {}, "'a': [array(5)] … list of documents … strings"),
        ({"a": [7]}, {}, "'a': [7] … list of documents … strings"),
        ({"a": [["O"]], "b": []}, {}, "'b': 0 documents; 'a' has 1 … None"),
        ({"a": [["O"]], "b": [["O", "O"]]}, {}, "'b', document 1: 2 tags … 1"),
        ({"a": [["O"]]}, {"tokens": [["x", "y"]]}, "'a', document 1: 1 tag … 2"),
        ({"a": [None]}, {}, "document 1: no annotator saw it … give tokens, or leave it out"),
        ({"a": [["O"], ["O", "X-Y"]]}, {}, "'a', document 2, token 2: unknown tag 'X-Y'; allowed: O … B- I- E- S- M- L- U- W- … --scheme IO (scheme='IO')"),
        ({"a": [[3]]}, {}, "'a', document 1, token 1: unknown tag 3; allowed: O … B- I- E- S- M- L- U- W- … --scheme IO (scheme='IO')"),
        ({"a": [[["O"]]]}, {}, "'a': a tag is not a string"),
        ({"a": [["O"]]}, {"scheme": "BOI"}, "unknown scheme 'BOI'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU"),
    ],
)  # fmt: skip
def test_errors(layers, settings, message):
    """What is no list of tag lists is refused, naming layer, document and token."""
    with refuses(sa.SpanAgreeError, message):
        sa.from_tags(layers, **settings)


@pytest.mark.parametrize("count", [256, 257, 300])
def test_many_tags(count):
    """More tags than a byte can number are read as few are; the labels are those of the lists."""
    tags = [f"B-{i:03}" for i in range(count)]
    corpus = sa.from_tags({"a": [tags, tags[::-1]], "b": [tags, None]})
    labels = [[label for *_, label in document.segments["a"]] for document in corpus]
    assert labels == [[tag[2:] for tag in tags], [tag[2:] for tag in reversed(tags)]]
    assert corpus[1].segments["b"] is None
