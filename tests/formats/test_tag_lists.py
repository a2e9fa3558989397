"""Lists of tag lists, as seqeval's users hold them."""

from __future__ import annotations

import numpy as np
import pytest

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
        "read strictly in different schemes (gold IOB2, mine IO); name one to compare layers",
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
        ({}, {}, "layers {}; a mapping of names to tags, at least one, is needed"),
        ([["O"]], {}, "layers [['O']]; a mapping of names to tags, at least one, is needed"),
        ({"a": [{"O"}]}, {}, "'a': [{'O'}]; a list of documents, each a list of strings, is needed"),
        ({"a": [["O"]]}, {"tokens": ["x"]}, "'tokens': ['x']; a list of documents, each a list of strings, is needed"),
        ({"a": ["O", "O"]}, {}, "'a': ['O', 'O']; a list of documents, each a list of strings, is needed"),
        ({"a": "OO"}, {}, "'a': 'OO'; a list of documents, each a list of strings, is needed"),
        ({"a": 7}, {}, "'a': 7; a list of documents, each a list of strings, is needed"),
        ({"a": np.array(5)}, {}, "'a': array(5); a list of documents, each a list of strings, is needed"),
        ({"a": [np.array(5)]}, {}, "'a': [array(5)]; a list of documents, each a list of strings, is needed"),
        ({"a": [7]}, {}, "'a': [7]; a list of documents, each a list of strings, is needed"),
        ({"a": [["O"]], "b": []}, {}, "'b': 0 documents; 'a' has 1, and each layer needs the same (None for one that it never saw)"),
        ({"a": [["O"]], "b": [["O", "O"]]}, {}, "'b', document 1: 2 tags; the layers before it have 1, and each layer needs the same"),
        ({"a": [["O"]]}, {"tokens": [["x", "y"]]}, "'a', document 1: 1 tag; the layers before it have 2, and each layer needs the same"),
        ({"a": [None]}, {}, "document 1: no layer saw it, so its length is not known; give tokens, or leave it out"),
        ({"a": [["O"], ["O", "X-Y"]]}, {}, "'a', document 2, token 2: unknown tag 'X-Y'; allowed: O, or a label behind B- I- E- S- M- L- U- W-; where a layer's labels stand bare, write I- before them, or if all layers' do, name --scheme IO (scheme='IO')"),
        ({"a": [[3]]}, {}, "'a', document 1, token 1: unknown tag 3; allowed: O, or a label behind B- I- E- S- M- L- U- W-; where a layer's labels stand bare, write I- before them, or if all layers' do, name --scheme IO (scheme='IO')"),
        ({"a": [[["O"]]]}, {}, "'a': a tag is not a string; every tag must be one"),
        ({"a": [["O"]]}, {"scheme": "BOI"}, "unknown scheme 'BOI'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU"),
    ],
)  # fmt: skip
def test_errors(layers, settings, message):
    """What is no list of tag lists is refused, naming layer, document and token."""
    with pytest.raises(sa.SpanAgreeError) as error:
        sa.from_tags(layers, **settings)
    assert str(error.value) == message


@pytest.mark.parametrize("count", [256, 257, 300])
def test_many_tags(count):
    """More tags than a byte can number are read as few are; the labels are those of the lists."""
    tags = [f"B-{i:03}" for i in range(count)]
    corpus = sa.from_tags({"a": [tags, tags[::-1]], "b": [tags, None]})
    labels = [[label for *_, label in document.segments["a"]] for document in corpus]
    assert labels == [[tag[2:] for tag in tags], [tag[2:] for tag in reversed(tags)]]
    assert corpus[1].segments["b"] is None
