"""What is written and read again is equal, or a note says what went, whatever stands in it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from messages import says
from strategies import at_most

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.formats import records as raw_records
from spanagree.formats.write import list_lost_content, write_file

SIGNS = [
    *("a", "B", " ", "\t", "\n", "\r\n", "\r", '"', "'", "“", "😀", "e\u0301", "日", "\u200b", "<"),
    *("\ufeff", ">", "&", "|", "\\", "_", ";", "#", "O", "-", "\u2028", "\x85", "\x0b", "\x0c"),
    *("\x1c", "%", "[", "]", "{", "}", "\xa0", "\U000e0001", "\u202e"),
]
LABELS = ["PER", "a b", "B-X", "日本", "_", "O", "x;y", 'q"', "tab\there", "|", "😀", "1", " lead"]
NAMES = ["ann", "bob", "c d", "3", "b@x.org", "日本", "a:b", "x,y"]
IDS = ["1", "01", "a b", "x/y", "日", 'q"r', "😀", "d.1", "#2", "ann", "-4"]
FILES = {
    "jsonl": "a.jsonl",
    "brat": "folder",
    "label-studio": "a.json",
    "prodigy": "a.jsonl",
    "doccano": "a.jsonl",
    "conll": "a.conll",
    "inception": "a.zip",
    "dataset": "a.parquet",
    "spacy": "a.spacy",
}
NAMED_BY_FILE = ("brat", "doccano", "spacy")  # of one annotator; the others write the name


@st.composite
def spans(draw, size, *, details):
    """A span in a text of this size: one piece or two, perhaps with an attribute."""
    start = draw(st.integers(0, size - 1))
    end = draw(st.integers(start + 1, size))
    pieces, attributes = [(start, end)], {}
    if details and end + 1 < size and draw(st.booleans()):
        again = draw(st.integers(end + 1, size - 1))
        pieces.append((again, draw(st.integers(again + 1, size))))
    if details and draw(st.booleans()):
        attributes = {draw(st.sampled_from(["Neg", "conf x"])): draw(st.sampled_from(["true", "a b", "C1;C2"]))}  # fmt: skip
    return raw_records.RawSpan(None, None, draw(st.sampled_from(LABELS)), None, attributes, pieces) if pieces[1:] else raw_records.RawSpan(start, end, draw(st.sampled_from(LABELS)), None, attributes)  # fmt: skip


@st.composite
def corpora(draw, *, people, details):
    """Odd texts, ids, names and labels; nested, crossing and discontinuous spans; gaps; relations."""
    size = draw(st.integers(1, 3))
    texts = draw(st.lists(st.lists(st.sampled_from(SIGNS), max_size=9).map("".join), min_size=size, max_size=size))  # fmt: skip
    ids = draw(st.lists(st.sampled_from(IDS), min_size=size, max_size=size, unique=True))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=people, unique=True))
    records, is_seen = [], False
    for text, id_ in zip(texts, ids, strict=True):
        annotations = []
        for name in names:
            seen = draw(st.integers(0, 4)) > 0
            some = st.lists(spans(len(text), details=details), max_size=3) if text else st.just([])
            made = draw(some) if seen else None
            links = (
                [(0, 1, "R 1", "", draw(st.booleans()))] if details and made and made[1:] else []
            )
            annotations.append(raw_records.RawAnnotation(name, made, relations=links))
            is_seen |= seen
        if not is_seen and id_ == ids[-1]:  # nobody saw anything
            annotations[0] = raw_records.RawAnnotation(names[0], [])
        records.append(raw_records.Record(id_, id_, {"text": text}, annotations))
    raw = raw_records.build_raw_from_records(records, raw_records.ReadLog(""), {"format": "made"})
    return build_valid_corpus(raw, ["drop-duplicates", "drop-relations"])


def content(corpus, name=None):
    """All that a corpus says, by document; of one annotator without the name."""
    corpus = corpus.to_characters()
    there = {}
    for document in corpus:
        marked = {
            name or who: some if some is None else sorted((s.pieces, s.label, *sorted(s.attributes.items())) for s in some)
            for who, some in document.segments.items()
        }  # fmt: skip
        relations = sorted(
            (name or r.annotator, r.label, r.first.pieces, r.second.pieces, r.directed)
            for r in document.relations
        )
        there[document.id] = document.text, marked, relations
    return there


@pytest.mark.long
@pytest.mark.parametrize("details", [False, True])
@pytest.mark.parametrize("form", FILES)
def test_round_trip(form, details):
    """Equal, refused, or a note. Oracle: the corpus itself."""
    if form == "spacy":
        pytest.importorskip("spacy")
    if form == "dataset":
        pytest.importorskip("datasets")

    @given(corpora(people=1 if form in ("doccano", "spacy") else 3, details=details))
    @at_most(60, suppress_health_check=list(HealthCheck))
    def check(corpus):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, FILES[form])
            try:
                write_file(corpus, path, form)
            except (sa.InputError, sa.SettingError):  # which says what it cannot hold
                return
            back = sa.read({path.name: path}, form)
            gone = list_lost_content(corpus, form)
            assert any("they are in tokens" in note for note in gone) == (form == "spacy")
            if [note for note in gone if "they are in tokens" not in note]:
                return
            alone = len(corpus.annotators) == 1 and form in NAMED_BY_FILE
            assert content(back, "it" if alone else None) == content(
                corpus, "it" if alone else None
            )

    check()


def test_a_doc_has_a_text(write_here, capsys):
    """Tokens without a text are written with spaces between, as a Doc has a text; a note says so."""
    pytest.importorskip("spacy")
    write_here("a.conll", "Jo B-PER\nran O\n")
    assert main(["convert", "a.conll", "-o", "a.spacy"]) in (None, 0)
    says(capsys.readouterr().err, "… no texts are known: Docs are written with a space between …")
    before, after = sa.read("a.conll"), sa.read("a.spacy")
    assert (before.texts, after.texts) == (None, ("Jo ran",))
    assert after.layers["a.spacy"].start.tolist() == before.layers["a.conll"].start.tolist()
    assert main(["convert", "a.spacy", "-o", "b.spacy"]) in (None, 0)
    assert "no texts" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "out"), [("doccano", "a.jsonl"), ("brat", "a"), ("inception", "a.tsv")]
)
def test_the_name_of_the_only_annotator(write_here, capsys, form, out):
    """Where the file alone says it, a note names both, and what to write to keep it."""
    write_here("in.jsonl", '{"spanagree": 1, "id": "1", "text": "Jo", "annotators": {"ann": []}}')
    assert main(["convert", "in.jsonl", "-o", out, "--to", form]) in (None, 0)
    says(capsys.readouterr().err, f"… a file of {form} does not name its annotator … ann={out}")
    assert sa.read({"ann": out}, form).annotators == ("ann",)
    named = out.replace("a", "ann")
    assert main(["convert", "in.jsonl", "-o", named, "--to", form]) in (None, 0)
    assert "does not name" not in capsys.readouterr().err


def test_texts_that_conll_does_not_hold(write_here, capsys):
    """The tokens are written, and a note says so."""
    write_here(
        "in.jsonl", '{"spanagree": 1, "id": "1", "text": "Jo  ran", "annotators": {"a": []}}'
    )
    assert main(["convert", "in.jsonl", "-o", "a.conll", "--tokenizer", "space"]) in (None, 0)
    says(capsys.readouterr().err, "… left out, as conll files do not hold them: texts beside")
    assert sa.read("a.conll").texts is None


@pytest.mark.parametrize("form", ["brat", "inception", "label-studio", "prodigy", "doccano"])
def test_tokens_that_become_characters(write_here, capsys, form):
    """A note says so, and how they become tokens again. Oracle: the corpus itself."""
    line = '{"spanagree": 1, "id": "1", "offsets": "tokens", "tokens": ["New", "York"], "annotators": {"a": [{"start": 1, "end": 2, "label": "X"}]}}'  # fmt: skip
    write_here("in.jsonl", line)
    out = FILES[form]
    assert main(["convert", "in.jsonl", "-o", out, "--to", form]) in (None, 0)
    says(capsys.readouterr().err, f"… written in characters, as {form} counts … --tokenizer")
    back = sa.read({"a": out}, form)
    assert back.offsets == "characters"
    assert list(back.to_tokens(str.split)[0].segments["a"]) == [(1, 2, "X")]


def test_a_space_at_an_edge_of_a_segment():
    """SpaCy has no token for a space after a word: a note counts the segments that lose it."""
    rows = [{"id": "1", "text": "a b c", "who": "ann", "spans": [[0, 2, "X"], [2, 3, "X"]]}]
    columns = {"text": "text", "spans": "spans", "annotator": "who", "document": "id"}
    corpus = sa.read(rows, **columns)
    (*_, note) = list_lost_content(corpus, "spacy")
    assert note.startswith("1 segment with a space at an edge: spaCy has no token for a space")
    corpus = sa.read([{**rows[0], "spans": [[2, 3, "X"]]}], **columns)
    assert not any("space at an edge" in note for note in list_lost_content(corpus, "spacy"))
    without_text = replace(
        sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]]}), offsets="characters"
    )
    assert not any("space at an edge" in note for note in list_lost_content(without_text, "spacy"))
