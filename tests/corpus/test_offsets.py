"""The one place where offsets meet text: units, ends, and what is misplaced."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.check import check
from spanagree.corpus.collector import Collector
from spanagree.corpus.offsets import nearest, points_at, stands
from spanagree.corpus.repairs import valid_corpus

TEXT = "Jo met Al in Rome, and Jo met Cy in Bonn with Di, Ed, Flo, Guy, Hal and Ida."
NAMES = ["Jo", "Al", "Rome", "Cy", "Bonn", "Di", "Ed", "Flo", "Guy", "Hal", "Ida"]


def raw(spans, text=TEXT, ends=None, tokens=None, annotator="ann"):
    """Rows of one annotator: start, end and text of each span."""
    collector = Collector("characters" if tokens is None else "tokens", ends=ends, name="x")
    content = {"text": text} if tokens is None else {"tokens": tokens}
    document = collector.document("d", "x", **content)
    annotation = collector.annotation(document, annotator, "x")
    for start, end, quote in spans:
        collector.segment(annotation, start, end, "N", "x", quote=quote)
    return collector.raw({})


def at(name, text=TEXT):
    """Start and end of a name, exclusive. Oracle for all below."""
    return text.index(name), text.index(name) + len(name)


def texts(corpus):
    return [TEXT[start:end] for start, end, _ in corpus[0].segments["ann"]]


def marked(corpus):
    return [(start, end) for start, end, _ in corpus[0].segments["ann"]]


RIGHT = sorted(at(name) for name in NAMES)


def test_inclusive_ends_are_detected_and_said():
    """Spans that carry their text show that ends are inclusive; others go with them."""
    spans = [(at(name)[0], at(name)[1] - 1, name) for name in NAMES]
    spans[3] = (*spans[3][:2], None)
    corpus = valid_corpus(raw(spans))
    assert marked(corpus) == RIGHT
    assert corpus.notes == (
        "x: 11 spans whose ends name the last character or token, as the text of the spans shows, and"
        " are read as --ends inclusive reads them",
    )


def test_inclusive_ends_of_one_annotator():
    """Who has texts says nothing of the ends of others; these stay, and the note names whose moved."""
    text = "Jo Doe met Al in Rome now."
    places = [(0, 6), (11, 13), (17, 21)]
    gold = [{"start": start, "end": end, "label": "P"} for start, end in places]
    model = [
        {**span, "end": span["end"] - 1, "text": text[slice(*at)]}
        for span, at in zip(gold, places, strict=True)
    ]
    corpus = sa.read([{"id": 1, "text": text, "gold": gold, "model": model}])
    for name in ("gold", "model"):
        assert [(s.start, s.end) for s in corpus[0].segments[name]] == places
    note = "3 spans of model whose ends name the last character or token, as the text of the spans"
    assert any(said.startswith(note) for said in corpus.notes)


def test_inclusive_ends_of_tokens():
    """The same of tokens, whose text may lack or have other white space between them."""
    tokens = ["New", "York", "is", "in", "the", "cold", "-", "season"]
    spans = [(0, 1, "New York"), (5, 7, "cold-season"), (3, 3, "in")]
    assert marked(valid_corpus(raw(spans, tokens=tokens))) == [(0, 2), (3, 4), (5, 8)]
    exclusive = [(0, 2, "New York"), (5, 8, "cold-season"), (3, 4, "in")]
    assert marked(valid_corpus(raw(exclusive, tokens=tokens))) == [(0, 2), (3, 4), (5, 8)]


@pytest.mark.parametrize("ends", ["inclusive", "exclusive"])
def test_ends_that_are_said(ends):
    """What the user says is believed; spans that then do not fit are misplaced."""
    spans = [(at(name)[0], at(name)[1] - 1, name) for name in NAMES]
    if ends == "inclusive":
        corpus = valid_corpus(raw(spans, ends=ends))
        assert marked(corpus) == RIGHT
        assert corpus.notes == ()
        return
    with refuses(sa.InputError, "… segment 0–1 'N' has 'J' in the text, not 'Jo' (and 10 more"):
        valid_corpus(raw(spans, ends=ends))


def test_inclusive_ends_without_text():
    """Recognised only by a span that begins where it ends, which is an error that names --ends."""
    with refuses(
        sa.InputError,
        "annotator 'ann', document 'd': segment 3–3 'N' is empty … --ends inclusive (ends='inclusive') … --repair drop-empty (repair='drop-empty')",
    ):
        valid_corpus(raw([(0, 1, None), (3, 3, None)]))
    assert marked(valid_corpus(raw([(0, 1, None), (3, 3, None)], ends="inclusive"))) == [
        (0, 2),
        (3, 4),
    ]
    with pytest.raises(sa.InputError, match="segment 3–3 'N' is empty; --repair drop-empty"):
        valid_corpus(raw([(0, 1, None), (3, 3, None)], ends="exclusive"))
    (finding,) = (f for f in check(raw([(3, 3, None)])).findings if f.name == "empty")
    assert "--ends inclusive" in finding.first
    (last,) = (line for line in check(raw([(3, 3, None)])).to_text().split("\n") if "help" in line)
    assert last.startswith("if ends name the last token or character, --ends inclusive")
    assert last.endswith("; if not, --repair drop-empty (repair='drop-empty') would help")


@pytest.mark.parametrize("share", [0.05, 0.4, 1.0])
def test_misplaced(share):
    """Up to one in ten is noted, more are refused, and neither moves a span by itself."""
    spans = [(*at(name), name) for name in NAMES * 2]
    wrong = round(share * len(spans))
    spans = [(a + 3 * (i < wrong), b + 3 * (i < wrong), q) for i, (a, b, q) in enumerate(spans)]
    spans = list(dict.fromkeys(spans))
    if share < 0.1:
        corpus = valid_corpus(raw(spans))
        assert marked(corpus) == sorted((a, b) for a, b, _ in spans)
        assert corpus.notes == (
            "1 segment taken as it is: annotator 'ann', document 'd': segment 3–5 'N' has 'me' in the"
            " text, not 'Jo'; --repair relocate-by-text or --repair drop-misplaced"
            " (repair='relocate-by-text' or 'drop-misplaced') would help",
        )
        return
    with refuses(sa.InputError, "… --repair relocate-by-text or --repair drop-misplaced"):
        valid_corpus(raw(spans))
    moved = valid_corpus(raw(spans), ["relocate-by-text", "drop-duplicates"])
    assert marked(moved) == RIGHT
    left = valid_corpus(raw(spans), ["drop-misplaced"]) if share < 1 else None
    assert left is None or set(marked(left)) <= set(RIGHT)
    (finding,) = (f for f in check(raw(spans)).findings if f.name == "misplaced")
    assert finding.error
    assert finding.repairs == ("relocate-by-text", "drop-misplaced")


def test_mixed_ends_are_misplaced():
    """Where some ends are inclusive and some are not, nothing is guessed."""
    spans = [(at(n)[0], at(n)[1] - (i % 2), n) for i, n in enumerate(NAMES)]
    with pytest.raises(sa.InputError, match="relocate-by-text"):
        valid_corpus(raw(spans))
    assert marked(valid_corpus(raw(spans), "relocate-by-text")) == RIGHT


def test_an_annotator_among_many(tmp_path):
    """One in ten is counted for each annotator: a system is not hidden behind others."""
    collector = Collector("characters")
    document = collector.document("d", "x", text=TEXT)
    for who in ("a", "b", "c", "d", "mine"):
        annotation = collector.annotation(document, who, "x")
        for name in NAMES:
            start, end = at(name)
            off = who == "mine" and name in ("Jo", "Al")
            collector.segment(annotation, start + off, end + off, "N", "x", quote=name)
    with pytest.raises(sa.InputError, match="annotator 'mine'"):
        valid_corpus(collector.raw({}))


def test_the_first_text_of_a_span_comes_late():
    """Spans without their text stay, however many; the one that has it is the one that moves."""
    spans = [(*at(name), None) for name in NAMES[:6]]
    corpus = valid_corpus(raw([*spans, (1, 4, "Flo")]), "relocate-by-text")
    assert marked(corpus) == sorted([*(span[:2] for span in spans), at("Flo")])


def test_tokens_stand_where_they_are_said_to():
    """Starts of tokens that fit the text are taken; others are refused, with what stands there."""
    document = {"text": "Jo met Al", "tokens": ["Jo", "met", "Al"]}
    Collector("tokens").document("d", "x", token_starts=[0, 3, 7], **document)
    with refuses(sa.InputError, "x: at token_starts the text has … 'et ' …"):
        Collector("tokens").document("d", "x", token_starts=[0, 4, 7], **document)


def test_quotes_that_are_nowhere():
    """What cannot be moved stays misplaced."""
    with pytest.raises(sa.InputError, match="not 'Zoe'"):
        valid_corpus(raw([(0, 2, "Zoe")]), "relocate-by-text")
    assert marked(valid_corpus(raw([(0, 2, "Zoe")]), ["relocate-by-text", "drop-misplaced"])) == []


UNITS = {
    "code points": lambda text, at: at,
    "UTF-16": lambda text, at: len(text[:at].encode("utf-16-le", "surrogatepass")) // 2,
    "bytes": lambda text, at: len(text[:at].encode("utf-8", "surrogatepass")),
}


@given(
    st.text("aé😀日 b", min_size=1, max_size=20),
    st.data(),
    st.sampled_from(list(UNITS)),
    st.booleans(),
)
def test_units(text, data, unit, inclusive):
    """Spans of which any text repeats are read as they were written. Oracle: Python's encoders.

    Texts in which the other unit fits too cannot be told apart, so each character occurs once.
    """
    text = "".join(dict.fromkeys(text))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    inclusive = inclusive and unit == "code points"
    bounds = UNITS[unit](text, start), UNITS[unit](text, end) - inclusive
    quote = text[start:end]
    if not quote.strip():
        return
    corpus = valid_corpus(raw([(*bounds, quote)], text))
    ((a, b),) = marked(corpus)
    assert text[a:b].strip() == quote.strip()


def test_beyond_the_text():
    """An end beyond the text is that of another unit if the quote says so; else it is beyond."""
    assert marked(valid_corpus(raw([(0, 4, "a é")], "a é"))) == [(0, 3)]
    for quote in ("abc", "abc\n", None):
        with refuses(sa.InputError, "… segment 0–4 'N' ends beyond … length 3"):
            valid_corpus(raw([(0, 4, quote)], "abc"))


@given(st.text("aé😀日\x7f\x80\u07ff\u0800\uffff\U00010000", max_size=20))
@example("\x80\u07ff\u0800\uffff\U00010000")
def test_points(text):
    """Oracle: Python's encoders."""
    for name, unit in (("UTF-16 units", "UTF-16"), ("bytes of UTF-8", "bytes")):
        points = points_at(text, name)
        whole = [UNITS[unit](text, i) for i in range(len(text) + 1)]
        if points is None:
            assert whole == list(range(len(text) + 1))
        else:
            assert [int(points[offset]) for offset in whole] == list(range(len(text) + 1))


def test_stands():
    """Outer white space and kinds of white space do not count; anything else does."""
    assert stands("a b", 0, 3, "a\nb ")
    assert stands("a b", 0, 3, "A b")
    assert stands("COVID-19", 0, 8, "covid - 19")
    assert not stands("a b", -1, 3, "a b")
    assert not stands("a b", 2, 1, "a b")


def test_nearest():
    """The nearest of several places; tokens only whole."""
    assert nearest("ab ab ab", 5, "ab") == (6, 8)
    assert nearest("ab ab ab", 5, "x") is None
    assert nearest("ab", 0, " ") is None
    assert nearest("a  b", 0, "a b") == (0, 4)
    assert nearest(["ab", "c", "ab", "c"], 3, "abc") == (2, 4)
    assert nearest(["xab"], 0, "ab") is None
