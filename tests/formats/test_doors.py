"""Every door in and out: what goes out comes back the same, and gives the same numbers."""

from __future__ import annotations

import builtins
import itertools
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.corpus.tag_writer import write_tags
from spanagree.formats.combine import merge_sources
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format
from spanagree.formats.write import list_lost_content, write_file

LABELS = ("PER", "creative-work", "日本")
words = st.text(
    st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=4
).filter(lambda w: w == w.strip() and not w.startswith("-DOCSTART-"))
same_files = at_most(40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])  # fmt: skip


@st.composite
def corpora(draw, *, overlapping=False, blank_documents=True):
    """Tokens, two or three annotators, gaps, empty annotations, ids or none."""
    sizes = draw(st.lists(st.integers(0 if blank_documents else 1, 6), min_size=1, max_size=4))
    names = draw(st.sampled_from([("ann", "bob"), ("ann", "bob", "c d")]))
    layers = {}
    for name in names:
        of = []
        for n in sizes:
            if draw(st.integers(0, 3)) == 0:
                of.append(None)
                continue
            spans, at = set(), 0
            while n and draw(st.booleans()):
                start = draw(st.integers(0, n - 1)) if overlapping else at
                if start >= n:
                    break
                end = draw(st.integers(start + 1, n))
                spans.add((start, end, draw(st.sampled_from(LABELS))))
                at = end + draw(st.integers(0, 1))
            of.append(sorted(spans))
        layers[name] = of
    for d in range(len(sizes)):  # somebody saw each
        if all(of[d] is None for of in layers.values()):
            layers["ann"][d] = []
    for name in names:
        if all(of is None for of in layers[name]):
            layers[name][0] = []
    ids = draw(st.none() | st.just([f"id {i}" for i in range(len(sizes))]))
    plain = sa.Corpus.from_segments(sizes, layers, ids=ids)
    tokens = draw(st.lists(words, min_size=sum(sizes), max_size=sum(sizes)))
    return sa.Corpus(plain.lengths, plain.layers, plain.labels, ids=plain.ids, tokens=tokens)


@pytest.mark.long
@given(corpora(overlapping=True), st.booleans())
@same_files
def test_jsonl(tmp_path, corpus, characters):
    """Our own format holds everything, in tokens and in characters, and is written the same."""
    corpus = corpus.to_characters() if characters else corpus
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    sa.write_jsonl(corpus, path)
    back = sa.read_jsonl(path)
    assert back == corpus
    assert back.annotators == corpus.annotators
    sa.write_jsonl(back, again)
    assert path.read_bytes() == again.read_bytes()


@pytest.mark.long
@given(corpora(blank_documents=False), st.sampled_from(["IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"]))  # fmt: skip
@same_files
def test_conll(tmp_path, corpus, scheme):
    """One file, a column for each annotator; missing and empty kept apart, ids as comments."""
    path = tmp_path / "a.conll"
    if any(token.startswith("\ufeff") for token in corpus.tokens):  # as where files were joined
        with pytest.raises(sa.InputError, match="begins with a byte order mark"):
            sa.write_conll(corpus, path, scheme=scheme)
        return
    sa.write_conll(corpus, path, scheme=scheme)
    columns = {name: i for i, name in enumerate(corpus.annotators, 1)}
    back = sa.read_conll(path, columns=columns, missing="?", scheme=scheme, strict=True)
    assert back == corpus
    assert back.notes == ()
    told = sa.read_conll(path, scheme=scheme)  # the file itself says which columns it has
    assert told == corpus
    assert told.annotators == corpus.annotators


in_either_unit = st.one_of(
    corpora(overlapping=True), corpora(overlapping=True).map(lambda corpus: corpus.to_characters())
)


def as_it_is_written(corpus, tmp_path, form, path, given=None, **options):
    """A corpus written in the format of a tool, recognised, and read; the same bytes twice."""
    again = tmp_path / f"again-{path}"
    path = tmp_path / path
    write_file(corpus, path, form, given)
    write_file(corpus, again, form, given)
    assert path.read_bytes() == again.read_bytes()
    if corpus.layers and any(layer.annotated.any() for layer in corpus.layers.values()):
        assert find_format(path) == form
    back = sa.read({"it": path}, form, **options)
    every = corpus.to_characters()
    assert back.texts == every.texts
    assert [d.segments for d in back] == [d.segments for d in every]
    return back


@pytest.mark.long
@given(in_either_unit)
@same_files
def test_label_studio(tmp_path, corpus):
    """Tasks with annotations, predictions, or both; never seen and marked nothing."""
    back = as_it_is_written(corpus, tmp_path, "label-studio", "a.json")
    assert (back.ids, set(back.annotators)) == (corpus.ids, set(corpus.annotators))
    for models in (["bob"], corpus.annotators):
        back = as_it_is_written(
            corpus, tmp_path, "label-studio", "a.json", {"predictions": models}, predictions=True
        )
        assert (back.ids, set(back.annotators)) == (corpus.ids, set(corpus.annotators))


@pytest.mark.long
@given(in_either_unit)
@same_files
def test_prodigy(tmp_path, corpus):
    """A row for each document and annotator; by tokens it says the same as by characters."""
    characters = corpus.offsets == "characters"
    back = as_it_is_written(corpus, tmp_path, "prodigy", "a.jsonl")
    assert back.ids == tuple(map(corpus.id_of, range(len(corpus))))
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert all(("tokens" in row) != characters for row in rows)
    if not characters:
        for row in rows:
            for span in row["spans"]:
                del span["start"], span["end"]
        path = tmp_path / "by-tokens.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        assert sa.read({"it": path}, "prodigy") == back


@pytest.mark.long
@given(in_either_unit)
@same_files
def test_doccano(tmp_path, corpus):
    """A file for each annotator, of what she saw."""
    every = corpus.to_characters()
    files = {name: tmp_path / f"{name}.jsonl" for name in corpus.annotators}
    for name, path in files.items():
        write_file(corpus.select_annotators([name]), path, "doccano")
    back = sa.read(files, "doccano", absent="unmarked")
    back = back.subset([back.ids.index(corpus.id_of(d)) for d in range(len(corpus))])
    assert back.texts == every.texts
    assert [d.segments for d in back] == [d.segments for d in every]
    assert back.annotators == corpus.annotators


@pytest.mark.parametrize("form", ["label-studio", "prodigy"])
def test_tools_and_odd_names(tmp_path, form):
    """Ids and names that are numbers or nearly so, one text twice, half surrogates, emoji."""
    texts = ["😀 Jo", "😀 Jo", "\ud800"]
    names = ("3", "03", "-4", "b@x.org", str(1 << 40), "日本")
    layers = {name: [[(0, 1, "X"), (0, 4, "Y"), (2, 4, "X")], [], None] for name in names}
    layers["3"][2] = [(0, 1, "Z")]
    for ids in (("1", "01", "-2147483648"), ("a\nb", " ", str(1 << 31))):
        corpus = sa.Corpus.from_segments([4, 4, 1], layers, offsets="characters", ids=ids, texts=texts)  # fmt: skip
        assert as_it_is_written(corpus, tmp_path, form, "a.json") == corpus


@given(in_either_unit)
@same_files
def test_datasets(corpus):
    """A Dataset, streamed or not, and as plain rows."""
    pytest.importorskip("datasets")
    ds = sa.to_dataset(corpus)
    text = "text" if corpus.offsets == "characters" else "tokens"
    ask = {
        text: text,
        "spans": {name: f"spans:{name}" for name in corpus.annotators},
        **({} if corpus.ids is None else {"document": "id"}),
    }
    for data in (ds, ds.to_iterable_dataset(), list(ds)):
        assert sa.from_dataset(data, **ask) == corpus


@pytest.mark.long
@given(corpora(overlapping=True))
@same_files
def test_long_form(corpus):
    """One row for each document and annotator, in any order of the annotators."""
    corpus = corpus.to_characters()
    rows = [
        {"id": d.id, "text": d.text, "who": who, "spans": [s._asdict() for s in segments]}
        for d in corpus
        for who, segments in d.segments.items()
        if segments is not None
    ]
    back = sa.from_dataset(rows, text="text", spans="spans", annotator="who", document="id")
    if set(back.annotators) == set(corpus.annotators):
        assert back == corpus


@pytest.mark.slow
@given(corpora(), st.sampled_from([None, "sc"]))
@same_files
def test_docs(tmp_path, corpus, spans):
    """spaCy's Docs and .spacy files, a list and a file for each annotator."""
    pytest.importorskip("spacy")
    docs = {name: sa.to_docs(corpus, name, spans=spans) for name in corpus.annotators}
    back = sa.from_docs(docs, spans=spans)
    assert [d.segments for d in back] == [d.segments for d in corpus]
    assert back.tokens == corpus.tokens
    files = {}
    for name in corpus.annotators:
        files[name] = tmp_path / f"{name}.spacy"
        sa.write_docbin(corpus, name, files[name], spans=spans)
    from_files = sa.read_docbin(files, spans=spans)
    assert from_files == back
    assert from_files.ids == corpus.ids


@pytest.mark.slow
@given(corpora(overlapping=True))
@same_files
def test_overlapping_docs(corpus):
    """doc.spans may overlap."""
    pytest.importorskip("spacy")
    docs = {name: sa.to_docs(corpus, name, spans="sc") for name in corpus.annotators}
    back = sa.from_docs(docs, spans="sc", ids=corpus.ids)
    assert [d.segments for d in back] == [d.segments for d in corpus]


@pytest.mark.long
@given(corpora(overlapping=True))
@same_files
def test_characters_and_back(corpus):
    """To characters and, with the same tokens, back."""
    there = corpus.to_characters()
    back = there.to_tokens(str.split)
    assert [d.segments for d in back] == [d.segments for d in corpus]
    assert back.tokens == corpus.tokens
    assert back.to_characters() == there
    assert back.changes == ()


@pytest.mark.long
@given(corpora(overlapping=True))
@same_files
def test_taken_apart_and_together(corpus):
    """A draft of a corpus is that corpus; annotators apart, united again, are it too."""
    assert build_valid_corpus(corpus.to_raw()) == corpus
    parts = {name: corpus.select_annotators([name]).to_raw() for name in corpus.annotators}
    assert build_valid_corpus(merge_sources(parts)) == corpus


@pytest.fixture
def news(newsroom):
    names = ("gold", "lexicon", "tagger")
    return sa.read_conll({name: newsroom / f"{name}.conll" for name in names})


def test_one_corpus_through_every_door(news, tmp_path):
    """The same corpus gives the same numbers, bit for bit, whichever way it came in."""
    pytest.importorskip("spacy")
    pytest.importorskip("datasets")
    bounds = np.cumsum([0, *news.lengths.tolist()])
    tags = {
        name: [
            write_tags(layer, news.labels, news.lengths, "IOB2")[a:b]
            for a, b in itertools.pairwise(bounds)
        ]
        for name, layer in news.layers.items()
    }
    sa.write_conll(news, tmp_path / "news.conll")
    sa.write_jsonl(news, tmp_path / "news.jsonl")
    docs = {name: sa.to_docs(news, name) for name in news.annotators}
    files = {}
    for name in news.annotators:
        files[name] = tmp_path / f"{name}.spacy"
        sa.write_docbin(news, name, files[name])
    ds = sa.to_dataset(news)
    ask = {"tokens": "tokens", "spans": {name: f"spans:{name}" for name in news.annotators}}
    write_file(news, tmp_path / "news.parquet")
    columns = {name: i for i, name in enumerate(news.annotators, 1)}
    doors = {
        "tag lists": sa.from_tags(tags),
        "CoNLL": sa.read_conll(tmp_path / "news.conll", columns=columns),
        "JSONL": sa.read_jsonl(tmp_path / "news.jsonl"),
        "Docs": sa.from_docs(docs),
        "DocBin": sa.read_docbin(files),
        "dataset": sa.from_dataset(ds, **ask),
        "streaming": sa.from_dataset(ds.to_iterable_dataset(), **ask),
        "Parquet": sa.read({"x": tmp_path / "news.parquet"}, **ask),
    }
    expected = {name: s.tally for name, s in sa.evaluate(news, gold="gold").systems.items()}
    for door, corpus in doors.items():
        got = {name: s.tally for name, s in sa.evaluate(corpus, gold="gold").systems.items()}
        assert got == expected, door
    in_characters = sa.evaluate(news.to_characters(), gold="gold").systems["tagger"]
    assert in_characters.tally.matched == expected["tagger"].matched


def test_files_of_several_formats(news, newsroom, tmp_path):
    """CoNLL, JSONL and .spacy side by side, matched by order or by id."""
    pytest.importorskip("spacy")
    sa.write_jsonl(news.select_annotators(["tagger"]), tmp_path / "t.jsonl")
    sa.write_docbin(news, "lexicon", tmp_path / "l.spacy")
    files = {"gold": newsroom / "gold.conll", "l": tmp_path / "l.spacy", "t": tmp_path / "t.jsonl"}
    corpus = sa.read(files)
    assert corpus.annotators == ("gold", "l", "t")
    expected = sa.evaluate(news, gold="gold").systems
    systems = sa.evaluate(corpus, gold="gold").systems
    assert systems["l"].tally == expected["lexicon"].tally
    assert systems["t"].tally == expected["tagger"].tally


def test_slips_are_errors(tmp_path):
    """Ids that are numbers match as ids; a key or label that does not fit is an error."""
    one = sa.Corpus.from_segments([5, 5], {"a": [[], []]}, ids=["1", "2"])
    two = sa.Corpus.from_segments([5, 5], {"b": [[], []]}, ids=["2", "3"])
    for name, corpus in (("one", one), ("two", two)):
        sa.write_jsonl(corpus, tmp_path / f"{name}.jsonl")
    both = sa.read({n: tmp_path / f"{n}.jsonl" for n in ("one", "two")})
    assert both.ids == ("1", "2", "3")
    word = sa.from_tags({"a": [["B-X"]]}, tokens=[["x"]])
    odd = sa.Corpus(word.lengths, word.layers, ("P\tB-L",), tokens=("x",))
    with pytest.raises(sa.InputError, match=r"^label 'P\\tB-L' cannot stand in a CoNLL file"):
        sa.write_conll(odd, tmp_path / "x")
    for missing in ("O", "B-X", "a\tb", ""):
        with refuses(sa.SettingError, "… cannot stand in a CoNLL"):
            sa.write_conll(word, tmp_path / "x", missing=missing)
    with pytest.raises(sa.SettingError, match=r".json files are not written; .parquet and .jsonl"):
        write_file(word, tmp_path / "x.json")
    with refuses(sa.InputError, "… no documents or no annotators … CoNLL"):
        sa.write_conll(sa.Corpus([1], {}, (), tokens=("x",)), tmp_path / "x")


def test_slips_with_docs_are_errors():
    """A key of spans that no Doc has is an error."""
    pytest.importorskip("spacy")
    word = sa.from_tags({"a": [["B-X"]]}, tokens=[["x"]])
    with refuses(sa.SettingError, "… no Doc … 'cs' … 'sc'"):
        sa.from_docs({"a": sa.to_docs(word, "a", spans="sc")}, spans="cs")


def test_parquet(tmp_path):
    """A corpus written as Parquet is read again without the names of its columns."""
    pytest.importorskip("datasets")
    word = sa.from_tags({"a": [["B-X"]]}, tokens=[["x"]])
    write_file(word, tmp_path / "x.parquet")
    assert sa.read(tmp_path / "x.parquet")[0].segments == word[0].segments


def test_parquet_of_attributes_and_blank_texts(tmp_path):
    """Attributes are left out, with a note; a text of nothing is one all the same."""
    pytest.importorskip("datasets")
    marked = {"ann": [[(0, 2, "X", {"Neg": "true"})], []]}
    corpus = sa.Corpus.from_segments([2, 0], marked, texts=["Jo", ""], offsets="characters")
    for some in (corpus, corpus.subset([1])):
        write_file(some, tmp_path / "a.parquet")
        back = sa.read(tmp_path / "a.parquet")
        assert back.texts == some.texts
        assert [tuple(s) for s in back[0].segments["ann"]] == [
            tuple(s) for s in some[0].segments["ann"]
        ]
    assert list_lost_content(corpus, "dataset") == [
        "left out, as dataset files do not hold them: attributes Neg"
    ]


def test_ids_match_files(tmp_path):
    """Files that cover different documents are matched by their ids; a name twice is told apart."""
    one = sa.Corpus.from_segments([2, 3], {"a": [[(0, 1, "X")], []], "b": [[], []]}, ids=["x", "y"])
    two = sa.Corpus.from_segments([4, 3], {"a": [[], [(1, 2, "X")]], "c": [[], []]}, ids=["z", "y"])
    for name, corpus in (("one", one), ("two", two)):
        sa.write_jsonl(corpus, tmp_path / f"{name}.jsonl")
    both = sa.read({n: tmp_path / f"{n}.jsonl" for n in ("one", "two")})
    assert both.ids == ("x", "y", "z")
    assert both.annotators == ("one:a", "b", "two:a", "c")
    assert both[1].segments["one:a"] == ()
    assert both[1].segments["two:a"] == (sa.Segment(1, 2, "X"),)
    assert both[0].segments["two:a"] is None
    assert both[2].segments["one:a"] is None


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        (sa.Corpus([2], {}, ()), sa.Corpus([2, 1], {}, ()), "two: 2 documents, one has 1"),
        (sa.Corpus([2], {}, ()), sa.Corpus([3], {}, ()), "two, document '1': length 3, 2 before … same text … pattern in quotes"),
        (sa.Corpus([2], {}, ()), sa.Corpus([2], {}, (), "characters"), "two: offsets in characters … one … tokens"),
        (sa.Corpus([2], {}, (), tokens=("a", "b")), sa.Corpus([2], {}, (), tokens=("a", "c")), "two, document '1' … differs … character 2: 'a c', not 'a b' … same text … pattern in quotes"),
    ],
)  # fmt: skip
def test_sources_that_do_not_fit(one, two, message):
    """Sources of different texts are not united."""
    with refuses(sa.InputError, message):
        merge_sources({"one": one.to_raw(), "two": two.to_raw()})


def test_options_that_no_format_takes(tmp_path):
    """An option for another format is an error, not passed over."""
    sa.write_jsonl(sa.Corpus([1], {}, ()), tmp_path / "a.jsonl")
    with refuses(sa.SettingError, "columns … jsonl … conll"):
        read_raw_files({"a": tmp_path / "a.jsonl"}, {"columns": {"x": 1}})
    with refuses(sa.SettingError, "… unknown format 'csv'; allowed: conll, jsonl, spacy"):
        read_raw_files({"a": "a"}, {}, "csv")
    with pytest.raises(sa.SettingError, match="unknown format to write 'mqm'; allowed: conll"):
        write_file(sa.Corpus([1], {}, ()), tmp_path / "x", "mqm")


def nested():
    """Two segments of which one lies in the other."""
    corpus = sa.Corpus.from_segments([3], {"a": [[(0, 3, "X"), (1, 2, "Y")]]})
    return sa.Corpus(corpus.lengths, corpus.layers, corpus.labels, tokens=("p", "q", "r"))


def test_docs_and_datasets_that_cannot_hold_a_corpus(tmp_path):
    """spaCy's and datasets' objects refuse what they cannot hold, naming the first case."""
    pytest.importorskip("spacy")
    pytest.importorskip("datasets")
    path, corpus = tmp_path / "out", nested()
    for write, message in (
        (lambda: sa.write_docbin(corpus, "a", path), "annotator 'a', document '1': segments 0–3 'X' and 1–2 'Y' overlap … doc.ents … doc.spans … key"),
        (lambda: sa.to_docs(corpus, "b"), "unknown annotator 'b'; allowed: a"),
        (lambda: sa.to_dataset(sa.Corpus([1], {}, ())), "the tokens are not known … dataset … with its tokens"),
        (lambda: sa.to_docs(sa.Corpus([1], {"a": corpus.layers["a"].only(np.zeros(2, bool))}, ()), "a"), "the tokens are not known … Doc … with its tokens"),
    ):  # fmt: skip
        with refuses(sa.SettingError, message):
            write()


def test_formats_that_cannot_hold_a_corpus(tmp_path):
    """A format that cannot hold a corpus refuses, naming the first case; nothing is written."""
    path, corpus = tmp_path / "out", nested()
    for write, message in (
        (lambda: sa.write_conll(corpus, path), "scheme IOB2: segments 0–3 'X' and 1–2 'Y' of document 1"),
        (lambda: sa.write_conll(corpus.to_characters(), path), "CoNLL … tokens … --tokenizer (to_tokens())"),
        (lambda: sa.Corpus([1], {}, ()).to_characters(), "the tokens are not known; to_characters() … with its tokens"),
        (lambda: sa.Corpus([1], {}, (), "characters").to_tokens(), "the texts are not known; to_tokens() … with its texts"),
        (lambda: corpus.select_annotators(["z"]), "unknown annotator 'z'; allowed: a"),
        (lambda: write_file(sa.Corpus([1], {}, ()), path, "spacy"), "a .spacy file … one annotator … 0 () … --annotators"),
    ):  # fmt: skip
        with refuses(sa.SettingError, message):
            write()
    blank = sa.from_tags({"a": [["O"]]}).layers["a"]
    for tokens, message in (
        (("a b ",), "document '1': token 'a b ' … CoNLL … space at its edge"),
        (("a\nb",), "document '1': token 'a\\nb' … CoNLL … line break"),
        (("-DOCSTART-",), "document '1': token '-DOCSTART-' … CoNLL … is -DOCSTART-"),
        (("\ufeffa",), "document '1': token '\\ufeffa' … CoNLL … byte order mark"),
    ):  # fmt: skip
        with refuses(sa.InputError, message):
            sa.write_conll(sa.Corpus([1], {"a": blank}, (), tokens=tokens), path)
    with refuses(sa.InputError, "… document '1' has no tokens … CoNLL"):
        sa.write_conll(sa.from_tags({"a": [[]]}, tokens=[[]]), path)
    with pytest.raises(sa.InputError, match=r"document id 'a\\nb' cannot stand in a line"):
        sa.write_conll(sa.Corpus([1], {"a": blank}, (), ids=("a\nb",), tokens=("x",)), path)
    assert not path.exists()


def test_without_the_extras(monkeypatch, tmp_path):
    """Each door says which extra it wants; those that need none still work."""
    real = builtins.__import__

    def blocked(name, *rest, **more):
        if name.partition(".")[0] in ("spacy", "datasets", "huggingface_hub"):
            raise ImportError(name)
        return real(name, *rest, **more)

    for name in [m for m in sys.modules if m.partition(".")[0] in ("spacy", "datasets")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", blocked)
    monkeypatch.setattr("importlib.import_module", lambda name: blocked(name))
    corpus = sa.from_tags({"a": [["B-X"]]}, tokens=[["x"]])
    path = tmp_path / "x.json"
    path.write_text("{}")
    path.with_suffix(".parquet").touch()
    path.with_suffix(".spacy").touch()
    for call, extra in (
        (lambda: sa.read_docbin(path.with_suffix(".spacy")), "spacy"),
        (lambda: sa.to_docs(corpus, "a"), "spacy"),
        (lambda: sa.write_docbin(corpus, "a", path), "spacy"),
        (lambda: sa.to_dataset(corpus), "datasets"),
        (lambda: sa.read({"x": path.with_suffix(".parquet")}), "datasets"),
        (lambda: sa.read({"x": "x"}, "hub"), "datasets"),
    ):
        with pytest.raises(
            sa.SettingError, match=rf"in a clone of spanagree: pip install '.\[{extra}\]'"
        ):
            call()
    rows = [{"text": "x y", "spans": [{"start": 0, "end": 1, "label": "X"}]}]
    assert len(sa.from_dataset(rows, text="text", spans={"a": "spans"})) == 1


def test_numbers_do_not_depend_on_the_unit_of_matching(news):
    """A corpus with a gap: what was not seen is left out, whichever way it is held."""
    masked = news.subset(range(10))
    assert math.isclose(
        sa.evaluate(masked, gold="gold").systems["tagger"].f1.observed,
        sa.evaluate(masked.to_characters(), gold="gold").systems["tagger"].f1.observed,
    )


def characters(names, texts=("No way",)):
    layers = {name: [[(0, 2, "X")]] for name in names}
    return sa.Corpus.from_segments([6], layers, offsets="characters", texts=texts)


TOOLS_REFUSE = {
    "two in a file": ("doccano", "a.jsonl", characters("ab"), {}, "a file of doccano … one annotator … 2 (a, b) … --annotators"),
    "no layer": ("label-studio", "a.json", characters("a"), {"predictions": ["b"]}, "unknown annotator 'b'; allowed: a"),
    "no text": ("prodigy", "a.jsonl", characters("a", None), {}, "the texts are not known; Prodigy … with its texts"),
    "no texts": ("label-studio", "a.json", characters("a", None), {}, "the texts are not known; Label Studio … with its texts"),
    "no text at all": ("doccano", "a.jsonl", characters("a", None), {}, "the texts are not known; doccano … with its texts"),
}  # fmt: skip


@pytest.mark.parametrize("case", TOOLS_REFUSE)
def test_what_tools_cannot_hold(tmp_path, case):
    """What a tool's format cannot hold is refused, with what to do, and nothing is written."""
    form, name, corpus, options, message = TOOLS_REFUSE[case]
    with refuses(sa.SpanAgreeError, message):
        write_file(corpus, tmp_path / name, form, options)
    assert not list(tmp_path.iterdir())


def test_convert_for_tools(tmp_path, capsys, monkeypatch):
    """The command line writes them, with predictions for Label Studio alone."""
    monkeypatch.chdir(tmp_path)
    sa.write_jsonl(characters(["ann", "m1"]), "a.jsonl")
    to = ["convert", "a.jsonl", "-o", "tasks.json", "--to"]
    assert main([*to, "label-studio", "--as-predictions", "m1"]) == 0
    (task,) = json.loads(Path("tasks.json").read_text("utf-8"))
    assert [each["completed_by"] for each in task["annotations"]] == [{"email": "ann"}]
    assert [each["model_version"] for each in task["predictions"]] == ["m1"]
    assert main([*to, "prodigy", "--as-predictions", "m1"]) == 2
    assert "--as-predictions: prodigy files have no predictions" in capsys.readouterr().err
