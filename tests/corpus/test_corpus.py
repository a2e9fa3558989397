"""The nouns: made once, checked once, frozen."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import crowds

import spanagree as sa
from spanagree import Corpus
from spanagree.corpus import Layer, layer_flaws
from spanagree.corpus import corpus as checked


def corpus(**rest):
    return Corpus.from_segments(
        [5, 4, 0],
        {"ann": [[(3, 5, "PER"), (0, 2, "LOC")], [], []], "bob": [[(0, 2, "PER")], None, []]},
        **rest,
    )


def test_views():
    """Documents show segments in order; seen and empty is not the same as never seen."""
    c = corpus(ids=["x", "y", "z"])
    assert len(c) == 3
    assert c[0] == sa.Document(
        "x",
        5,
        {
            "ann": (sa.Segment(0, 2, "LOC"), sa.Segment(3, 5, "PER")),
            "bob": (sa.Segment(0, 2, "PER"),),
        },
    )
    assert c[1].segments == {"ann": (), "bob": None}
    assert c[1].seen == {"ann": ()}
    assert list(c[1].segments) == ["ann", "bob"]
    assert repr(c[1].segments) == "{'ann': (), 'bob': None}"
    assert pickle.loads(pickle.dumps(c[1])) == c[1]
    with pytest.raises(KeyError, match="cem"):
        c[1].segments["cem"]
    with pytest.raises(TypeError):
        c[1].seen["ann"] = ()
    assert c[-1] == c[2]
    assert [d.id for d in c] == ["x", "y", "z"]
    assert c.annotators == ("ann", "bob")
    assert c.labels == ("LOC", "PER")
    assert repr(c) == (
        "<Corpus of 3 documents, 9 tokens; annotators: ann (2), bob (1); labels: LOC, PER>"
    )
    with pytest.raises(IndexError):
        c[3]


def test_equality_and_order():
    """Segments in another order are the same corpus; another label, mask or id is not."""
    same = Corpus.from_segments(
        [5, 4, 0],
        {"ann": [[(0, 2, "LOC"), (3, 5, "PER")], [], []], "bob": [[(0, 2, "PER")], None, []]},
    )
    assert corpus() == same
    assert corpus() != corpus(ids=["x", "y", "z"])
    assert corpus() != Corpus.from_segments([5, 4, 0], {"ann": [[], [], []], "bob": [[], [], []]})
    assert corpus() != 1
    assert same.layers["ann"] != 1


def test_frozen():
    """Nothing of a corpus can be written to, and its arrays are its own."""
    c = corpus()
    with pytest.raises(ValueError, match="read-only"):
        c.layers["ann"].start[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        c.lengths[0] = 1
    with pytest.raises(AttributeError):
        c.labels = ()
    with pytest.raises(TypeError):
        c.layers["new"] = c.layers["ann"]
    with pytest.raises(TypeError):
        c.reading["unit"] = "document"
    parent_ids = c.replace(parent_ids=np.array([0, 0, 1])).parent_ids
    with pytest.raises(ValueError, match="read-only"):
        parent_ids[0] = 1
    lengths = np.array([5])
    other = Corpus(lengths, {}, ())
    lengths[0] = 3
    assert other.lengths[0] == 5


def test_pieces_and_attributes():
    """They stay with their segments, and are shown; a name or value that is blank is refused."""
    marked = [([(0, 2), (4, 6)], "X"), (1, 2, "Y", {"k": "v"})]
    of = Corpus.from_segments([9], {"a": [marked]})
    (first,) = of.with_labels(["X"])[0].segments["a"]
    (second,) = of.with_labels(["Y"])[0].segments["a"]
    assert first.pieces == ((0, 2), (4, 6))
    assert repr(second) == "Segment(start=1, end=2, label='Y', attributes={'k': 'v'})"
    for bad in ({"k": " "}, {" ": "v"}, {3: "v"}):
        with refuses(sa.InputError, "… of an attribute … a string that is not blank"):
            Corpus.from_segments([9], {"a": [[(0, 2, "X", bad)]]})


@pytest.mark.parametrize("pieces", [[(0, 3), (3, 1)], [(0, 3), (5, 4)], [(0, 3), (2, 5)]])
def test_pieces_that_are_reversed_or_overlap(pieces):
    """They are refused, also where they touch another piece."""
    with refuses(sa.InputError, "… pieces that overlap or are empty"):
        Corpus.from_segments([9], {"a": [[(pieces, "X")]]})


def test_pickles():
    """A corpus travels to other processes, and stays frozen there."""
    there = pickle.loads(pickle.dumps(corpus(ids=["x", "y", "z"])))
    assert there == corpus(ids=["x", "y", "z"])
    with pytest.raises(TypeError):
        there.layers["new"] = there.layers["ann"]


def test_subset():
    """Some documents, in the order asked for, with ids, tokens and masks."""
    c = Corpus(
        np.array([2, 1, 3]),
        {},
        (),
        ids=("x", "y", "z"),
        tokens=tuple("abcdef"),
    )
    part = c.subset([2, -3])
    assert part.ids == ("z", "x")
    assert part.tokens == tuple("defab")
    assert part[0].tokens == tuple("def")
    assert corpus().subset([1, 0])[1] == sa.Document("2", 5, corpus()[0].segments)
    assert corpus().subset([1])[0].segments["bob"] is None
    assert len(c.subset([])) == 0
    assert c.subset([True, False, True]) == c.subset(np.array([0, 2])) == c.subset(range(0, 3, 2))
    with pytest.raises(sa.InputError, match="a document is named twice"):
        c.subset([0, 0])
    for wrong in ([3], [0.5], [True, False], "0"):
        with refuses(sa.InputError, "… subset: … whole numbers below 3"):
            c.subset(wrong)


BAD = [
    ([5], {"a": [[(0, 6, "X")]]}, "annotator 'a', document '1': segment 0–6 'X' ends beyond … length 5"),
    ([5], {"a": [[(-1, 2, "X")]]}, "annotator 'a', document '1': segment -1–2 'X' starts before … from 0"),
    ([5], {"a": [[(2, 2, "X")]]}, "annotator 'a', document '1': segment 2–2 'X' is empty … at least one"),
    ([5], {"a": [[(3, 2, "X")]]}, "annotator 'a', document '1': segment 3–2 'X' ends before"),
    ([5], {"a": [[(0, 2, "X"), (0, 2, "X")]]}, "annotator 'a', document '1': segment 0–2 'X' … twice"),
    ([5, 5], {"a": [[], [(0, 6, "X"), (1, 7, "Y")]]}, "annotator 'a', document '2': segment 0–6 'X' ends beyond … length 5 (and 1 more"),
    ([5], {"a": [[], []]}, "annotator 'a': [[], []] … list of 1 document … None"),
    ([5], {"a": [[(0, 1)]]}, "annotator 'a', document 1: segment (0, 1) … (start, end, label)"),
    ([5], {"a": [[(0, 1, 7)]]}, "annotator 'a', document 1: label 7 … string"),
    ([5], {"a": [[(0.0, 1, "X")]]}, "annotator 'a', document 1: start 0.0 … whole number"),
    ([5], {"a": [[(0, 1, "")]]}, "annotator 'a', document '1': segment 0–1 without a label … string … not blank"),
    ([5], {"a": [[(0, True, "X")]]}, "annotator 'a', document 1: end True … whole number"),
    ([5], {"a": [[(0, 2**70, "X")]]}, "annotator 'a', document 1: end 1180591620717411303424 … whole number"),
    (7, {}, "lengths 7 … list of whole numbers"),
    (np.array(5), {}, "lengths array(5) … list of whole numbers"),
    ([5], [[]], "layers [[]] … mapping"),
    ([5], {"a": None}, "annotator 'a': None … list of 1 document"),
    ([5], {"a": [3]}, "annotator 'a': [3] … list of 1 document … None"),
    ([2**60], {}, "document 1: length 1152921504606846976 … from 0 to 2.81e+14"),
    ([2**47] * 3, {}, "the documents have 4.22e+14 tokens … 2.81e+14"),
    ([5], {"": [[]]}, "annotator '': name '' … string … not empty"),
    ([-1], {}, "document 1: length -1 … from 0 to 2.81e+14"),
    (["5"], {}, "document 1: length '5' … whole number from 0 to 2.81e+14"),
]  # fmt: skip


@pytest.mark.parametrize(("lengths", "layers", "message"), BAD, ids=lambda x: str(x)[:40])
def test_refused(lengths, layers, message):
    """What is no valid annotation is refused, naming annotator, document and segment."""
    with refuses(sa.InputError, message):
        Corpus.from_segments(lengths, layers)


def layer(document=(0,), start=(0,), end=(1,), label=(0,), annotated=(True,)):
    return Layer(*(np.array(x) for x in (document, start, end, label, annotated)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: corpus(offsets="bytes"), "unknown offsets 'bytes'; allowed: tokens, characters"),
        (lambda: corpus(ids=["x"]), "1 id … 3 documents"),
        (lambda: corpus(ids=["x", "y", "x"]), "document id 'x' … used once"),
        (lambda: corpus(ids=["x", "y", 3]), "document id 3 … strings"),
        (lambda: Corpus([2], {}, ("",)), "label '' … string … not blank"),
        (lambda: Corpus([2], {}, ("X", "X")), "labels ('X', 'X') … once"),
        (lambda: layer(start=(0.5,)), "a layer's document, start, end and label … of one length"),
        (lambda: layer(start=(0, 1)), "a layer's document, start, end and label … of one length"),
        (lambda: Corpus([2], {}, (), tokens=("a",)), "1 token … 2"),
        (lambda: Corpus([-2], {}, ()), "document '1': length -2 … at least 0"),
        (lambda: Corpus([2], {"a": layer(annotated=(False,))}, ("X",)), "annotator 'a', document '1': segment 0–1 'X' … never seen"),
        (lambda: Corpus([2, 2], {"a": layer()}, ("X",)), "annotator 'a' … 1 document … 2"),
        (lambda: Corpus([2], {"a": layer(document=(1,))}, ("X",)), "annotator 'a' … document number 1 … 1, from 0"),
        (lambda: Corpus([2], {"a": layer(label=(1,))}, ("X",)), "annotator 'a' … label number 1 … 1, from 0"),
    ],
)  # fmt: skip
def test_parts_that_do_not_belong_together(make, message):
    """Arrays, ids and tokens that do not fit each other are refused."""
    with refuses(sa.SpanAgreeError, message):
        make()


def test_characters():
    """Offsets may count characters; nothing else changes."""
    c = Corpus.from_segments(
        [40], {"a": [[(3, 17, "X")]], "b": [[(3, 17, "X")]]}, offsets="characters"
    )
    result = sa.evaluate(c)
    assert result.systems["b"].f1.observed == 1
    assert "offsets:characters" in result.signature


@given(crowds())
def test_documents_are_the_layers_turned(crowd):
    """What was handed in comes back document by document; a pickle holds the layers only."""
    lengths, layers = crowd
    corpus = Corpus.from_segments(lengths, layers)
    for d, document in enumerate(corpus):
        marked = {name: None if x[d] is None else tuple(sorted(x[d])) for name, x in layers.items()}
        assert document.segments == marked
        assert document.seen == {name: x for name, x in marked.items() if x is not None}
    assert len(pickle.dumps(corpus)) == len(pickle.dumps(Corpus.from_segments(lengths, layers)))


def test_documents_have_the_relations_of_the_corpus():
    """Each relation is that of one document, in the order of the corpus."""
    layers = {
        "ann": [[(0, 1, "X"), (2, 3, "Y")], [], [(4, 5, "X"), (0, 1, "Y")]],
        "bob": [None] * 3,
    }
    links = {"ann": [[(0, 1, "a"), (1, 0, "b")], [], [(1, 0, "c")]]}
    corpus = sa.Corpus.from_segments([9, 9, 9], layers, relations=links)
    of_documents = [document.relations for document in corpus]
    assert [[relation.label for relation in some] for some in of_documents] == [
        ["a", "b"],
        [],
        ["c"],
    ]
    assert tuple(relation for some in of_documents for relation in some) == corpus.relations


# --- many layers --------------------------------------------------------------------------------

NUMBERS = st.tuples(*(st.integers(-1, 3) for _ in range(4)))


@st.composite
def odd_layers(draw):
    """Up to three layers of two documents and labels, some with a flaw; mostly with one more."""
    layers = {}
    for name in draw(st.lists(st.sampled_from(("ann", "bob", "cem", "")), unique=True, max_size=3)):
        rows = draw(st.lists(NUMBERS, max_size=3)) if draw(st.booleans()) else [(0, 0, 2, 1)]
        columns = np.array(rows, np.int64).reshape(-1, 4).T
        seen = draw(st.lists(st.booleans(), min_size=2, max_size=3 if name == "cem" else 2))
        layers[name] = Layer(*columns, np.array(seen))
    return layers


@given(odd_layers())
def test_layers_are_checked_together_as_one_by_one(layers):
    """The first layer that is refused by itself is refused among others, in the same words."""
    content = SimpleNamespace(lengths=np.array([3, 2]), ids=None)

    def answer(check):
        try:
            check()
        except sa.InputError as error:
            return str(error)
        return ""

    def one_by_one():
        for name, layer in layers.items():
            layer_flaws.check_layer(content, ("A", "B"), name, layer)

    together = answer(lambda: checked.check_layers(content, ("A", "B"), layers))
    assert together == answer(one_by_one)


def test_sound_layers_are_not_checked_one_by_one(monkeypatch):
    """Thousands of annotators cost no check each."""
    monkeypatch.setattr(layer_flaws, "check_layer", None)
    assert (
        len(Corpus.from_segments([9], {f"a{i}": [[(0, 2, "A")]] for i in range(50)}).layers) == 50
    )
