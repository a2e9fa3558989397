"""spaCy's Docs: real ones of several languages, what was never annotated, what does not fit."""

from __future__ import annotations

import zlib
from types import SimpleNamespace

import pytest
from messages import refuses

import spanagree as sa

spacy = pytest.importorskip("spacy")
Doc, Span = spacy.tokens.Doc, spacy.tokens.Span

TEXTS = {
    "en": "Jo Doe isn't in  New York.",
    "de": "Frau Müller fährt nach Köln.",
    "zh": "王小明住在北京。",
}


def doc(nlp, text, *spans, missing=False):
    made = nlp(text)
    marked = [made.char_span(start, end, label=label) for start, end, label in spans]
    if not missing:
        made.set_ents(marked, default="outside")
    return made


@pytest.mark.parametrize("lang", TEXTS)
def test_languages(lang):
    """Real Docs: ents of two annotators, with one that was never annotated."""
    nlp, text = spacy.blank(lang), TEXTS[lang]
    first = nlp(text)[0]
    span = (0, len(first.text), "X")
    corpus = sa.from_docs(
        {
            "ann": [doc(nlp, text, span), doc(nlp, text)],
            "bob": [doc(nlp, text, missing=True), doc(nlp, text, span)],
        }
    )
    assert corpus.offsets == "tokens"
    assert corpus[0].segments == {"ann": (sa.Segment(0, 1, "X"),), "bob": None}
    assert corpus[1].segments == {"ann": (), "bob": (sa.Segment(0, 1, "X"),)}
    assert corpus[0].text == text
    assert [d.text for d in sa.to_docs(corpus, "ann", nlp)] == [text, text]
    assert corpus.to_characters()[0].segments["ann"] == (sa.Segment(*span),)
    assert corpus.to_characters().to_tokens(nlp, cut="error")[0].segments == corpus[0].segments


def test_other_tokens():
    """Docs of one text that are tokenised differently: offsets in characters, and said so."""
    text = "New York-based firm"
    one, other = spacy.blank("en"), spacy.blank("en")
    words = ["New York", "-", "based", "firm"]
    other.tokenizer = lambda _: Doc(other.vocab, words=words, spaces=[0, 0, 1, 0])
    corpus = sa.from_docs(
        {"ann": [doc(one, text, (0, 8, "LOC"))], "bob": [doc(other, text, (9, 14, "X"))]}
    )
    assert corpus.offsets == "characters"
    assert corpus.notes == (
        "document 1 is tokenised differently by ann and bob, so offsets count characters",
    )
    assert corpus[0].segments == {
        "ann": (sa.Segment(0, 8, "LOC"),),
        "bob": (sa.Segment(9, 14, "X"),),
    }


def test_every_predicted_span_counts():
    """One right in three is a precision of 1/3, whether or not spans fit the other's tokens."""
    one, other = spacy.blank("en"), spacy.blank("en")
    other.tokenizer = lambda text: Doc(other.vocab, list(text), [False] * len(text))
    text = "Jo met Al in Rome."
    gold = doc(one, text, (0, 2, "PER"))
    mine = doc(other, text, (0, 2, "PER"), (3, 5, "PER"), (8, 9, "PER"))
    system = sa.evaluate(sa.from_docs({"gold": [gold], "mine": [mine]})).systems["mine"]
    assert system.precision.observed == pytest.approx(1 / 3)


def test_span_groups():
    """doc.spans may overlap; a Doc without the key was not annotated, an empty group was."""
    nlp = spacy.blank("en")
    a, b, c = (nlp("Jo is in New York") for _ in range(3))
    a.spans["sc"] = [Span(a, 0, 2, label="X"), Span(a, 1, 3, label="Y")]
    b.spans["sc"] = []
    corpus = sa.from_docs({"ann": [a, b, c], "bob": [b, b, b]}, spans="sc")
    assert [d.segments["ann"] for d in corpus] == [
        (sa.Segment(0, 2, "X"), sa.Segment(1, 3, "Y")),
        (),
        None,
    ]


def test_annotated_in_part():
    """A Doc of which some tokens are open: refused, or these are dropped in every layer."""
    nlp = spacy.blank("en")
    part = nlp("Jo is in New York")
    part.set_ents([part.char_span(9, 17, label="LOC")], outside=[part[0:1]], default="missing")
    whole = doc(nlp, "Jo is in New York", (0, 2, "PER"), (3, 8, "X"))
    with refuses(
        sa.InputError,
        "annotator 'ann', document '1': token 2 ('is') … --partial drop-tokens (partial='drop-tokens') leaves such tokens out",
    ):
        sa.from_docs({"ann": [part], "bob": [whole]})
    corpus = sa.from_docs({"ann": [part], "bob": [whole]}, partial="drop-tokens")
    assert corpus.tokens == ("Jo", "New", "York")
    assert corpus[0].segments == {
        "ann": (sa.Segment(1, 3, "LOC"),),
        "bob": (sa.Segment(0, 1, "PER"),),
    }
    assert corpus.notes == ("2 tokens that some annotator did not annotate left out for all",)


def test_anything_that_looks_like_a_doc():
    """The object is taken, not the library."""
    token = SimpleNamespace(text="Jo", idx=0, ent_iob=3)

    class Alike(list):
        text = "Jo"
        ents = (SimpleNamespace(start=0, end=1, start_char=0, end_char=2, label_="PER"),)

    assert sa.from_docs({"ann": [Alike([token])]})[0].segments["ann"] == (sa.Segment(0, 1, "PER"),)


@pytest.mark.parametrize(
    ("layers", "settings", "message"),
    [
        ({}, {}, "Docs: no annotator … at least one … None"),
        ({"a": ["x"], "b": []}, {}, "Docs: 'a' 1, 'b' 0 … the same number … None"),
        ({"a": ["x"], "b": ["y"]}, {}, "annotator 'b', document '1' … differs … character 0: 'y', not 'x' … same text … pattern in quotes"),
        ({"a": ["x"]}, {"ids": []}, "0 ids … 1 Doc"),
        ({"a": [None]}, {}, "document '1': no annotator … leave it out"),
        ({"a": ["x", "x"]}, {"ids": ["i", "i"]}, "document 'i': id 'i' … twice"),
        ({"a": ["x"]}, {"partial": "x"}, "unknown partial 'x'; allowed: error, drop-tokens"),
        ({"a": ["x"]}, {"repair": "x"}, "unknown repair 'x'; allowed: join-pieces, … drop-relations"),
    ],
)  # fmt: skip
def test_errors(layers, settings, message):
    """Docs that do not belong together are refused."""
    nlp = spacy.blank("en")
    docs = {n: [t if t is None else doc(nlp, t) for t in of] for n, of in layers.items()}
    with refuses(sa.SpanAgreeError, message):
        sa.from_docs(docs, **settings)


def test_files_that_are_none(tmp_path):
    """Missing, truncated and foreign files, and folders."""
    nlp = spacy.blank("en")
    corpus = sa.from_docs({"a": [doc(nlp, "Jo is in", (0, 2, "X"))]})
    path = tmp_path / "a.spacy"
    sa.write_docbin(corpus, "a", path)
    good = path.read_bytes()
    for bad in (good[: len(good) // 2], b"", b"no spacy"):
        path.write_bytes(bad)
        with pytest.raises(sa.InputError, match=rf"^{path}: not a .spacy file, or truncated \("):
            sa.read_docbin(path)
    import srsly

    content = srsly.msgpack_loads(zlib.decompress(good))
    for key, value in (("strings", []), ("tokens", b"\xff" * len(content["tokens"]))):
        path.write_bytes(zlib.compress(srsly.msgpack_dumps({**content, key: value})))
        with pytest.raises(sa.InputError, match=r"a.*: not a .spacy file, or truncated \("):
            sa.read_docbin({"a": path})
    with pytest.raises(
        sa.InputError,
        match=rf"^{tmp_path}: is a folder; a file is needed, or a pattern such as 'FOLDER",
    ):
        sa.read_docbin(tmp_path)
    with pytest.raises(sa.InputError, match=r"none: no such file$"):
        sa.read_docbin(tmp_path / "none")
    with pytest.raises(sa.InputError, match="there is no folder"):
        sa.write_docbin(corpus, "a", tmp_path / "no" / "a.spacy")


def test_texts_that_docs_cannot_hold():
    """A text with more between its tokens than single spaces."""
    corpus = sa.Corpus(
        [2], {"a": sa.from_tags({"a": [["O", "O"]]}).layers["a"]}, (), tokens=("a", "b"),
        texts=("a\t b",), token_starts=[0, 3],
    )  # fmt: skip
    with refuses(sa.InputError, "… between its tokens … single spaces"):
        sa.to_docs(corpus, "a")
    assert sa.to_docs(corpus.to_characters(), "a", spacy.blank("en"))[0].text == "a\t b"


def test_spans_under_keys_are_said():
    """Without a key entities are read, and a note counts what stands under keys."""
    doc = spacy.blank("en")("Jo met Al")
    doc.spans["sc"] = [Span(doc, 0, 1, "P"), Span(doc, 2, 3, "P")]
    (note,) = sa.from_docs({"a": [doc]}).notes
    assert note.startswith("2 spans under 'sc' passed over, as entities are read; --spans sc")
    assert not sa.from_docs({"a": [doc]}, spans="sc").notes


def test_docs_that_match_by_text(tmp_path):
    """With join text, files may have other Docs, in another order. Oracle: as they were made."""
    nlp = spacy.blank("en")
    texts = {"a": ["Jo is in Rome", "Al is in Oslo"], "b": ["Al is in Oslo", "Bo is", "Cy is"]}
    for name, of_file in texts.items():
        docs = [doc(nlp, text, (0, 2, "PER")) for text in of_file]
        spacy.tokens.DocBin(docs=docs).to_disk(tmp_path / f"{name}.spacy")
    corpus = sa.read({name: tmp_path / f"{name}.spacy" for name in texts}, join="text")
    seen = {name: layer.annotated.tolist() for name, layer in corpus.layers.items()}
    assert seen == {"a": [True, True, False, False], "b": [False, True, True, True]}
    assert sa.agree(corpus).team.f1.observed == 1
