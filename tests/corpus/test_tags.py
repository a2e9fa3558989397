"""Tag schemes: reading as seqeval does, writing, recognising, and counting what is ill-formed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.arrays import encode_by_first_use
from spanagree.corpus.tag_writer import write_tags
from spanagree.corpus.tags import ALIASES, SCHEMES, look_up_scheme, parse_prefixed_tag, read_tags

LABELS = ("PER", "creative-work", "-x-")
MEANING = {"U": "S", "W": "S", "L": "E", "M": "I"}  # what seqeval's default mode misreads
SEQEVAL = ("IOB1", "IOB2", "IOE2", "IOBES", "BILOU")


def sequences(scheme):
    """Any tags of a scheme, well- or ill-formed."""
    tags = ["O"] + [
        f"{c}-{label}" for c in SCHEMES[scheme].letters_before_label for label in LABELS
    ]
    return st.lists(st.lists(st.sampled_from(tags), max_size=7), min_size=1, max_size=3)


def read(sentences, scheme="auto", strict=False):
    numbers, distinct = encode_by_first_use([tag for s in sentences for tag in s])
    lengths = np.array([len(s) for s in sentences])
    reading = read_tags(distinct, numbers, lengths, scheme=scheme, strict=strict)
    columns = (reading.sentence, reading.start, reading.end, reading.label)
    spans = zip(*(c.tolist() for c in columns), strict=True)
    return sorted((i, s, e, reading.names[c]) for i, s, e, c in spans), reading


def seqeval_default(sentences):
    labelling = pytest.importorskip("seqeval.metrics.sequence_labeling")

    def known(tag):
        return tag if tag == "O" else MEANING.get(tag[0], tag[0]) + tag[1:]

    return sorted(
        (i, start, end + 1, label)
        for i, s in enumerate(sentences)
        for label, start, end in labelling.get_entities([known(tag) for tag in s])
    )


@pytest.mark.parametrize("scheme", SCHEMES)
@given(st.data())
def test_lenient_is_seqeval_default(scheme, data):
    """Any sequence reads as seqeval's default mode reads it, with the scheme named or not."""
    sentences = data.draw(sequences(scheme))
    assert read(sentences, scheme)[0] == read(sentences)[0] == seqeval_default(sentences)


@pytest.mark.parametrize("scheme", SEQEVAL)
@given(st.data())
def test_strict_is_seqeval_strict(scheme, data):
    """Any sequence reads strictly as seqeval's own scheme reads it, ill-formed or not."""
    sentences = data.draw(sequences(scheme))
    got, reading = read(sentences, scheme, strict=True)
    # seqeval cuts dashes off the ends of labels and has no letters M and W
    known = [[t.replace("M-", "I-", 1).replace("W-", "S-", 1).replace("-x-", "x") for t in s] for s in sentences]  # fmt: skip
    if scheme == "BILOU":
        known = [[t.replace("S-", "U-", 1) for t in s] for s in known]
    seqeval_scheme = pytest.importorskip("seqeval.scheme")
    entities = seqeval_scheme.Entities(known, getattr(seqeval_scheme, scheme)).entities
    wanted = sorted((e.sent_id, e.start, e.end, e.tag) for s in entities for e in s)
    assert [(i, s, e, label.strip("-")) for i, s, e, label in got] == wanted
    inside = sum(e - s for _, s, e, _ in got)
    assert reading.dropped == sum(t != "O" for s in sentences for t in s) - inside
    assert reading.repaired == 0


@pytest.mark.long
@pytest.mark.parametrize("scheme", SEQEVAL)
def test_strict_is_seqeval_strict_at_length(scheme):
    """Four thousand sentences of up to 30 random tags read strictly as seqeval reads them."""
    draw = np.random.default_rng(SEQEVAL.index(scheme))
    letters = SCHEMES[scheme].letters
    tags = ["O"] + [f"{c}-{label}" for c in letters for label in ("x", "y")]
    sentences = [draw.choice(tags, draw.integers(31)).tolist() for _ in range(4000)]
    seqeval_scheme = pytest.importorskip("seqeval.scheme")
    entities = seqeval_scheme.Entities(sentences, getattr(seqeval_scheme, scheme)).entities
    wanted = sorted((e.sent_id, e.start, e.end, e.tag) for s in entities for e in s)
    assert len(wanted) > 5000
    assert read(sentences, scheme, strict=True)[0] == wanted


@pytest.mark.parametrize(
    ("scheme", "tags", "segments"),
    [
        # written by hand from the definition of the schemes
        ("IO", "I-x I-x O I-y I-x", [(0, 2), (3, 4), (4, 5)]),
        ("IOE1", "I-x E-x I-x O", [(0, 2), (2, 3)]),
        ("IOE1", "E-x E-x I-x O I-y", [(0, 1), (1, 2), (2, 3), (4, 5)]),
        ("IOE1", "I-x E-x O I-y", [(3, 4)]),  # E only where a segment of its label follows
        ("IOE1", "I-x E-x I-y", [(2, 3)]),
        ("IOB1", "I-x B-x I-x O", [(0, 1), (1, 3)]),
        ("IOB2", "B-x I-x B-x", [(0, 2), (2, 3)]),
        ("IOE2", "I-x E-x E-x", [(0, 2), (2, 3)]),
        ("IOBES", "B-x M-x E-x W-y", [(0, 3), (3, 4)]),
        ("BILOU", "U-x U-x B-y L-y", [(0, 1), (1, 2), (2, 4)]),
    ],
)
def test_strict_by_hand(scheme, tags, segments):
    """Well-formed tags of every scheme, IO and IOE1 included, which seqeval does not read right."""
    assert [(s, e) for _, s, e, _ in read([tags.split()], scheme, strict=True)[0]] == segments


def test_bilou_units():
    """U U is two segments; seqeval's default mode alone would read U as if it were O."""
    assert [s[1:3] for s in read([["U-x", "U-x"]])[0]] == [(0, 1), (1, 2)]


@pytest.mark.parametrize("tags", ["S-x I-x", "B-x S-x"])
def test_where_conlleval_differs(tags):
    """S I and B S of one label are two segments: seqeval's reading, not conlleval.pl's."""
    assert len(read([tags.split()])[0]) == 2


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("O O", "none"),
        ("I-x I-x O I-y", "IO"),
        ("B-x I-x B-x O", "IOB2"),
        ("I-x B-x O I-y", "IOB1"),
        ("B-x O", "IOB2"),
        ("O B-x I-y", "IOB2"),  # one ill-formed tag in IOB2, one in IOB1: a tie goes to IOB2
        ("I-x O I-x O B-x", "IOB1"),  # two ill-formed tags in IOB2, one in IOB1
        ("I-x E-x E-x", "IOE2"),
        ("I-x I-x O I-x E-x I-x", "IOE1"),
        ("B-x E-x S-y", "IOBES"),
        ("S-y", "IOBES"),
        ("B-x M-x E-x", "IOBES"),
        ("B-x L-x U-y", "BILOU"),
        ("U-y", "BILOU"),
        ("L-x E-x", "mixed"),
    ],
)
def test_auto(tags, scheme):
    """Which scheme is recognised, and when none can be told."""
    assert read([tags.split()])[1].scheme == scheme


@pytest.mark.parametrize(
    ("scheme", "tags", "ill_formed"),
    [
        ("IO", "I-x I-y", 0),
        ("IOB2", "B-x I-x O I-x B-y I-x", 2),
        ("IOB1", "B-x I-x B-x O B-y", 2),
        ("IOE1", "I-x E-x O E-y", 2),
        ("IOE2", "I-x E-x I-x O I-y E-x", 2),
        ("IOBES", "B-x I-x E-x S-x O B-x O I-x E-x", 2),
        ("BILOU", "B-x L-y U-x", 2),
    ],
)
def test_repairs_are_counted(scheme, tags, ill_formed):
    """Each tag that has no right to stand where it stands is counted once."""
    assert read([tags.split()], scheme)[1].repaired == ill_formed


@pytest.mark.parametrize(
    ("scheme", "sentences", "ill_formed"),
    [
        ("IOB2", ["B-x", "I-x"], 1),  # the I has no segment to continue
        ("IOB1", ["I-x", "B-x"], 1),  # the B parts no two segments that touch
        ("IOE2", ["I-x", "E-x"], 1),  # the I is not followed by one of its label
        ("IOE1", ["E-x", "I-x"], 1),
        ("IOBES", ["B-x", "E-x"], 2),
        ("BILOU", ["B-x I-x", "L-x"], 2),
        ("IOB2", ["B-x", "", "I-x"], 1),
        ("IO", ["I-x", "I-x"], 0),
    ],
)
def test_repairs_across_sentences(scheme, sentences, ill_formed):
    """A segment ends with its sentence: what would be right in one is ill-formed in two."""
    spans, reading = read([tags.split() for tags in sentences], scheme)
    assert reading.repaired == ill_formed
    assert len(spans) == len([tags for tags in sentences if tags])


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
@given(st.data())
def test_round_trip(scheme, data):
    """Segments written in a scheme are well-formed there and read back the same, both ways."""
    lengths = data.draw(st.lists(st.integers(0, 8), min_size=1, max_size=4))
    layers = []
    for n in lengths:
        at, spans = 0, []
        while at < n and data.draw(st.booleans()):
            end = data.draw(st.integers(at + 1, n))
            label = data.draw(st.sampled_from(LABELS))
            if scheme == "IO" and spans and spans[-1][1:] == (at, label):
                break  # IO cannot hold segments of one label that touch
            spans.append((at, end, label))
            at = end + data.draw(st.integers(0, 1))
        layers.append(spans)
    corpus = sa.Corpus.from_segments(lengths, {"a": layers})
    tags = write_tags(corpus.layers["a"], corpus.labels, corpus.lengths, scheme)
    bounds = np.cumsum([0, *lengths])
    sentences = [tags[a:b] for a, b in itertools.pairwise(bounds)]
    for strict in (False, True):
        back = sa.from_tags({"a": sentences}, scheme=scheme, strict=strict)
        assert back.notes == ()
        assert back == corpus


def test_writing_refuses():
    """Segments that a scheme cannot hold are refused, naming the first two."""
    touching = sa.Corpus.from_segments([4, 4], {"a": [[], [(0, 2, "x"), (2, 3, "x")]]})
    nested = sa.Corpus.from_segments([4], {"a": [[(0, 2, "x"), (1, 3, "y")]]})

    def write(corpus, scheme):
        write_tags(corpus.layers["a"], corpus.labels, corpus.lengths, scheme)

    with refuses(
        sa.SettingError, "scheme IO: segments 0–2 'x' and 2–3 'x' of document 2 … IOB2 or IOBES"
    ):
        write(touching, "IO")
    with refuses(
        sa.SettingError, "scheme IOB2: segments 0–2 'x' and 1–3 'y' of document 1 … no tag scheme"
    ):
        write(nested, "IOB2")
    with pytest.raises(sa.SettingError, match="unknown scheme 'BOI'; allowed: IO, IOB1, IOB2"):
        write(nested, "BOI")


def test_names_elsewhere():
    """A scheme has the names that others give it, reads what it reads, and is called by ours."""
    tags = {"gold": [["B-x", "M-x", "E-x", "S-x", "O"]]}
    ours = sa.from_tags(tags, scheme="IOBES")
    for name in ("BIOES", "BMES", "BMEWO"):
        assert sa.from_tags(tags, scheme=name) == ours
        assert sa.from_tags(tags, scheme=name).reading["scheme"] == "IOBES"
    for name, ours in ALIASES.items():
        assert look_up_scheme(name) == ours
    seqeval_scheme = pytest.importorskip("seqeval.scheme")
    for theirs in SEQEVAL:
        assert look_up_scheme(getattr(seqeval_scheme, theirs)) == theirs
    with pytest.raises(sa.SettingError, match="unknown scheme 'IOB'; allowed: IO, IOB1"):
        look_up_scheme("IOB")


@pytest.mark.parametrize(
    ("name", "tags"),
    [("BMES", "B-x M-x E-x S-x"), ("BMEWO", "B-x M-x E-x W-x"), ("BIOES", "B-x I-x E-x S-x")],
)
def test_written_as_the_name_says(name, tags):
    """A scheme asked for by another name is written in the letters of that name, and reads back."""
    corpus = sa.from_tags({"a": [tags.split()]})
    assert write_tags(corpus.layers["a"], corpus.labels, corpus.lengths, name) == tags.split()


def test_bare_labels():
    """IO takes labels without a prefix, hyphens and all, but not another scheme's tags."""
    for name in ("X-ray", "Inc", "Bahn", "Other", "i", "I2-x"):  # like a prefix, but none
        assert read([["O", name, name]], "IO")[0] == [(0, 1, 3, name)]
    spans, reading = read([["PER", "I-PER", "creative-work", "O", "I"]], "IO")
    assert [(s, e, label) for _, s, e, label in spans] == [
        (0, 2, "PER"),
        (2, 3, "creative-work"),
        (4, 5, "_"),
    ]
    assert reading.repaired == 0
    with refuses(sa.InputError, "… tag 1: unknown tag 'B-PER'; allowed: O"):
        read([["O", "B-PER"]], "IO")


ANY_PREFIX = "allowed: O … B- I- E- S- M- L- U- W- … --scheme IO (scheme='IO')"
EMPTY = "… O … delete a tab … --missing (missing=)"


@pytest.mark.parametrize(
    ("scheme", "tags", "needed"),
    [
        ("auto", ["X-PER", "PER"], ANY_PREFIX),
        ("IOB2", ["E-PER", "B-", "BPER", "o"], "allowed: O … B- I-"),
        ("IOB2", [""], EMPTY),
        ("IO", [""], EMPTY),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_unknown_tags(scheme, tags, needed, strict):
    """An unknown prefix is an error in both readings."""
    for tag in tags:
        with refuses(sa.InputError, f"tag 0: unknown tag {tag!r} … {needed}"):
            read([[tag]], scheme, strict)


def test_other_errors():
    """An unknown scheme; a strict reading of tags that fit no one scheme."""
    with pytest.raises(sa.SettingError, match="unknown scheme 'BOI'; allowed: auto, IO, IOB1"):
        read([["O"]], "BOI")
    with refuses(sa.SettingError, "… tag 0 … prefixes E L … no one scheme"):
        read([["L-x", "E-x"]], strict=True)


def test_bare_prefixes():
    """A prefix without a label has the label _, as seqeval has it."""
    assert read([["B", "I", "O"]])[0] == seqeval_default([["B", "I", "O"]]) == [(0, 0, 2, "_")]
    assert parse_prefixed_tag("B", "IOB2") == (1, "_")


def test_a_tag_that_is_a_line_end():
    """The message on a line end in the place of a tag has none."""
    with refuses(sa.InputError, r"… unknown tag '\n'; allowed: O …"):
        sa.from_tags({"a": [["O", "\n"]]})


def test_a_label_that_looks_like_no_mark():
    """Where every tag is a label, one of punctuation, or called none, is asked about."""
    tags = {"gold": [["PER", "_", "none", "LOC"]]}
    said = [note for note in sa.from_tags(tags, scheme="IO").notes if "is a label; if it" in note]
    assert [note.split(" is a label")[0] for note in said] == [
        "gold: the tag '_'", "gold: the tag 'none'",
    ]  # fmt: skip
    assert said[0].endswith("--outside _ (outside=) reads it so")
    named = sa.from_tags(tags, scheme="IO", outside=["_", "none"])
    assert not any("is a label; if it" in note for note in named.notes)
    assert named.labels == ("LOC", "PER")
