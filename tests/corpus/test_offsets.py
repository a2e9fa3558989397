"""The one place where offsets meet text: units, ends, and what is misplaced."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.check import check
from spanagree.corpus.collector import Collector
from spanagree.corpus.offset_units import (
    compute_offsets,
    convert_to_code_points,
    map_between_line_ends,
    map_offsets_to_points,
    yield_possible_units,
)
from spanagree.corpus.quoted_texts import find_nearest, is_quote_at
from spanagree.corpus.raw import STANDS
from spanagree.corpus.repairs import apply_repairs, build_valid_corpus
from spanagree.errors import InputError
from spanagree.formats.inception.sentences import Sentences

TEXT = "Jo met Al in Rome, and Jo met Cy in Bonn with Di, Ed, Flo, Guy, Hal and Ida."
NAMES = ["Jo", "Al", "Rome", "Cy", "Bonn", "Di", "Ed", "Flo", "Guy", "Hal", "Ida"]


def raw(spans, text=TEXT, ends=None, tokens=None, annotator="ann"):
    """Rows of one annotator: start, end and text of each span."""
    collector = Collector("characters" if tokens is None else "tokens", ends=ends, name="x")
    content = {"text": text} if tokens is None else {"tokens": tokens}
    document = collector.add_document("d", "x", **content)
    annotation = collector.add_annotation(document, annotator, "x")
    for start, end, quote in spans:
        collector.add_segment(annotation, start, end, "N", "x", quote=quote)
    return collector.build_raw_corpus({})


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
    corpus = build_valid_corpus(raw(spans))
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
    assert marked(build_valid_corpus(raw(spans, tokens=tokens))) == [(0, 2), (3, 4), (5, 8)]
    exclusive = [(0, 2, "New York"), (5, 8, "cold-season"), (3, 4, "in")]
    assert marked(build_valid_corpus(raw(exclusive, tokens=tokens))) == [(0, 2), (3, 4), (5, 8)]


@pytest.mark.parametrize("ends", ["inclusive", "exclusive"])
def test_ends_that_are_said(ends):
    """What the user says is believed; spans that then do not fit are misplaced."""
    spans = [(at(name)[0], at(name)[1] - 1, name) for name in NAMES]
    if ends == "inclusive":
        corpus = build_valid_corpus(raw(spans, ends=ends))
        assert marked(corpus) == RIGHT
        assert corpus.notes == ()
        return
    with refuses(sa.InputError, "… segment 0–1 'N' has 'J' in the text, not 'Jo' (and 10 more"):
        build_valid_corpus(raw(spans, ends=ends))


def test_inclusive_ends_without_text():
    """Recognised only by a span that begins where it ends, which is an error that names --ends."""
    with refuses(
        sa.InputError,
        "annotator 'ann', document 'd': segment 3–3 'N' is empty … --ends inclusive (ends='inclusive') … --repair drop-empty (repair='drop-empty')",
    ):
        build_valid_corpus(raw([(0, 1, None), (3, 3, None)]))
    assert marked(build_valid_corpus(raw([(0, 1, None), (3, 3, None)], ends="inclusive"))) == [
        (0, 2),
        (3, 4),
    ]
    with pytest.raises(sa.InputError, match="segment 3–3 'N' is empty; --repair drop-empty"):
        build_valid_corpus(raw([(0, 1, None), (3, 3, None)], ends="exclusive"))
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
        corpus = build_valid_corpus(raw(spans))
        assert marked(corpus) == sorted((a, b) for a, b, _ in spans)
        assert corpus.notes == (
            "1 segment taken as it is: annotator 'ann', document 'd': segment 3–5 'N' has 'me' in the"
            " text, not 'Jo'; --repair relocate-by-text or --repair drop-misplaced"
            " (repair='relocate-by-text' or 'drop-misplaced') would help",
        )
        return
    with refuses(sa.InputError, "… --repair relocate-by-text or --repair drop-misplaced"):
        build_valid_corpus(raw(spans))
    moved = build_valid_corpus(raw(spans), ["relocate-by-text", "drop-duplicates"])
    assert marked(moved) == RIGHT
    left = build_valid_corpus(raw(spans), ["drop-misplaced"]) if share < 1 else None
    assert left is None or set(marked(left)) <= set(RIGHT)
    (finding,) = (f for f in check(raw(spans)).findings if f.name == "misplaced")
    assert finding.error
    assert finding.repairs == ("relocate-by-text", "drop-misplaced")


def test_mixed_ends_are_misplaced():
    """Where some ends are inclusive and some are not, nothing is guessed."""
    spans = [(at(n)[0], at(n)[1] - (i % 2), n) for i, n in enumerate(NAMES)]
    with pytest.raises(sa.InputError, match="relocate-by-text"):
        build_valid_corpus(raw(spans))
    assert marked(build_valid_corpus(raw(spans), "relocate-by-text")) == RIGHT


def test_an_annotator_among_many(tmp_path):
    """One in ten is counted for each annotator: a system is not hidden behind others."""
    collector = Collector("characters")
    document = collector.add_document("d", "x", text=TEXT)
    for who in ("a", "b", "c", "d", "mine"):
        annotation = collector.add_annotation(document, who, "x")
        for name in NAMES:
            start, end = at(name)
            off = who == "mine" and name in ("Jo", "Al")
            collector.add_segment(annotation, start + off, end + off, "N", "x", quote=name)
    with pytest.raises(sa.InputError, match="annotator 'mine'"):
        build_valid_corpus(collector.build_raw_corpus({}))


def test_the_first_text_of_a_span_comes_late():
    """Spans without their text stay, however many; the one that has it is the one that moves."""
    spans = [(*at(name), None) for name in NAMES[:6]]
    corpus = build_valid_corpus(raw([*spans, (1, 4, "Flo")]), "relocate-by-text")
    assert marked(corpus) == sorted([*(span[:2] for span in spans), at("Flo")])


def test_tokens_stand_where_they_are_said_to():
    """Starts of tokens that fit the text are taken; others are refused, with what stands there."""
    document = {"text": "Jo met Al", "tokens": ["Jo", "met", "Al"]}
    Collector("tokens").add_document("d", "x", token_starts=[0, 3, 7], **document)
    with refuses(sa.InputError, "x: at token_starts the text has … 'et ' …"):
        Collector("tokens").add_document("d", "x", token_starts=[0, 4, 7], **document)


def test_quotes_that_are_nowhere():
    """What cannot be moved stays misplaced, and moving it is not advised."""
    for repair in ((), "relocate-by-text"):
        with pytest.raises(sa.InputError, match="not 'Zoe'; --repair drop-misplaced"):
            build_valid_corpus(raw([(0, 2, "Zoe")]), repair)
    both = raw([(0, 2, "Zoe"), (0, 2, "Rome")])
    for rows, repairs in ((both, 2), (apply_repairs(both, "relocate-by-text"), 1)):
        (found,) = (finding for finding in check(rows).findings if finding.name == "misplaced")
        assert found.repairs == ("relocate-by-text", "drop-misplaced")[-repairs:]
    assert (
        marked(build_valid_corpus(raw([(0, 2, "Zoe")]), ["relocate-by-text", "drop-misplaced"]))
        == []
    )


def test_what_begins_beyond_the_text():
    """It cannot be clipped, so that only leaving it out is advised."""
    beyond = sa.Corpus.from_segments([99], {"ann": [[(90, 95, "X"), (70, 80, "X")]]}).to_raw()
    beyond = beyond.replace(lengths=np.array([76]))
    for rows, repairs in ((beyond, 2), (apply_repairs(beyond, "clip-beyond-text"), 1)):
        (found,) = (finding for finding in check(rows).findings if finding.name == "beyond-text")
        assert found.repairs == ("clip-beyond-text", "drop-beyond-text")[-repairs:]


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
    corpus = build_valid_corpus(raw([(*bounds, quote)], text))
    ((a, b),) = marked(corpus)
    assert text[a:b].strip() == quote.strip()


def test_beyond_the_text():
    """An end beyond the text is that of another unit if the quote says so; else it is beyond."""
    assert marked(build_valid_corpus(raw([(0, 4, "a é")], "a é"))) == [(0, 3)]
    for quote in ("abc", "abc\n", None):
        with refuses(sa.InputError, "… segment 0–4 'N' ends beyond … length 3"):
            build_valid_corpus(raw([(0, 4, quote)], "abc"))


def lines_as(ends):
    return lambda text, at: len(text[:at].replace("\r\n", "\n").replace("\n", ends))


COUNTS = {
    "in UTF-16 units": UNITS["UTF-16"],
    "in bytes of UTF-8": UNITS["bytes"],
    "that count line ends of two characters as one": lines_as("\n"),
    "that count line ends of one character as two": lambda text, at: lines_as("\r\n")(text, at),
    "that count the byte order mark": lambda text, at: at + 1,
    "that count the characters of NFC": lambda text, at: len(
        unicodedata.normalize("NFC", text[:at])
    ),
    "that count the characters of NFD": lambda text, at: len(
        unicodedata.normalize("NFD", text[:at])
    ),
}


PARTS = ["a", "\xe9", "e\u0301", "😀", "\r\n", "\n", "\uac00", "\u1100\u1161", " "]


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_counts(parts):
    """Each offset at the edge of a character leads there. Oracle: Python's own strings."""
    text = "".join(parts)
    edges = [0, *(m.end() for m in re.finditer("\r\n|\u1100\u1161|.\u0301?", text, re.DOTALL))]
    for says, points in yield_possible_units(text, has_mark=True):
        for at in edges if says in COUNTS else ():
            assert points[COUNTS[says](text, at)] == at, (says, at)
    assert len(dict(yield_possible_units("a\r\n\xe9", has_mark=True))) > 5


@given(st.lists(st.sampled_from(["a", "bc", "\r\n", "\n", " "]), max_size=9))
def test_points_between_line_ends(parts):
    text, other = "".join(parts), "".join(parts).replace("\r\n", "\n")
    points, back = map_between_line_ends(text, other), map_between_line_ends(other, text)
    at, there = 0, 0
    for part in [*parts, ""]:
        assert (points[at], back[there]) == (there, at)
        at, there = at + len(part), there + len(part.replace("\r\n", "\n"))
    assert map_between_line_ends(text, f"{other}x") is None


CRLF = "Ana ran.\r\nBob sat in Rome.\r\n"
LINES = [(0, 3, "Ana"), (9, 12, "Bob"), (20, 24, "Rome")]  # as the text with line ends of one


@pytest.mark.parametrize("quoted", [True, False])
def test_line_ends_that_count_as_one(quoted):
    """With quotes these show it, without them the edges of words; right offsets stay."""
    spans = [(start, end, quote if quoted else None) for start, end, quote in LINES]
    corpus = build_valid_corpus(raw(spans, CRLF))
    assert [CRLF[a:b] for a, b in marked(corpus)] == ["Ana", "Bob", "Rome"]
    more = "" if quoted else ", as the edges of words show"
    assert corpus.notes[0] == (
        "x: 2 spans with offsets that count line ends of two characters as one, turned into code"
        f" points{more}"
    )
    spans = [
        (start + (start > 5), end + (start > 5), q if quoted else None) for start, end, q in LINES
    ]
    right = build_valid_corpus(raw(spans, CRLF))
    assert (marked(right), right.notes) == (marked(corpus), ())
    if not quoted:  # who says what ends are says that offsets are as they are
        assert marked(build_valid_corpus(raw(spans, CRLF, ends="exclusive"))) == marked(corpus)


def test_normal_forms():
    """Offsets that count a decomposed text are read in the composed one, and the other way."""
    for form, other in (("NFC", "NFD"), ("NFD", "NFC")):
        text = unicodedata.normalize(form, "\u65e5: (Zo\xeb), (Ren\xe9e), (K\xf6ln)")
        counted = unicodedata.normalize(other, text)
        spans = [(*at(n, counted), n) for n in (unicodedata.normalize(other, x) for x in ("Zo\xeb", "Ren\xe9e", "K\xf6ln"))]  # fmt: skip
        corpus = build_valid_corpus(
            raw([(a, b, unicodedata.normalize(form, n)) for a, b, n in spans], text)
        )
        assert [text[a:b] for a, b in marked(corpus)] == [unicodedata.normalize(form, n) for _, _, n in spans]  # fmt: skip
        assert f"that count the characters of {other}" in corpus.notes[0]


def test_the_count_in_which_most_fit():
    """A span that fits in bytes by chance does not hide that all fit in another count."""
    text = "\xe9 to\r\nto to me"
    # in bytes the second would be at the first "to", and so in no other count
    spans = [(4, 6, "to"), (7, 9, "to"), (10, 12, "me")]
    start = text.replace("\r\n", "\n")
    spans = [
        (start.index("to", 4), start.index("to", 4) + 2, "to"),
        (start.index("me"), len(start), "me"),
    ]
    corpus = build_valid_corpus(raw(spans, text))
    assert [text[a:b] for a, b in marked(corpus)] == ["to", "me"]
    assert "line ends of two" in corpus.notes[0]


def test_texts_that_differ_in_line_ends():
    """The same document with other line ends is the same document, with offsets in the first."""
    collector = Collector("characters", ends=None, name="x")
    for name, text, quoted in (("a", CRLF, False), ("b", CRLF.replace("\r\n", "\n"), True)):
        document = collector.add_document("d", "x", text=text, again=True)
        annotation = collector.add_annotation(document, name, "x")
        for start, end, quote in LINES:
            collector.add_segment(annotation, start, end, "N", "x", quote=quote if quoted else None)
    corpus = build_valid_corpus(collector.build_raw_corpus({}))
    assert corpus.texts == (CRLF,)
    assert corpus[0].segments["a"] == corpus[0].segments["b"]
    with refuses(sa.InputError, "x: document 'd': the text differs"):
        collector.add_document("d", "x", text=f"{CRLF}.", again=True)


def test_pieces_in_a_text_that_differs_in_line_ends():
    """Pieces in UTF-16 units of a copy with longer line ends have the words of their quote."""
    first = "a😀\nbb ccc\ndd ee"
    copy = first.replace("\n", "\r\n")
    collector = Collector("characters")
    collector.add_document("d", "x", text=first)
    document = collector.add_document("d", "x", text=copy, again=True)
    annotation = collector.add_annotation(document, "ann", "x")

    def bounds(word):
        start = len(copy[: copy.index(word)].encode("utf-16-le")) // 2
        return start, start + len(word)

    pieces = [bounds("bb"), bounds("dd")]
    collector.add_segment_in_pieces(annotation, pieces, "N", "x", None, "bb dd")
    for word in ("ccc", "ee"):
        collector.add_segment(annotation, *bounds(word), "N", "x", quote=word)
    raw = collector.build_raw_corpus({})
    assert [first[a:b] for a, b in zip(raw.start, raw.end, strict=True)] == [
        "bb ccc\ndd", "ccc", "ee",
    ]  # fmt: skip
    assert raw.quote.tolist() == [STANDS] * 3


def test_pieces_of_a_document_whose_first_version_has_no_text():
    """Offsets then count the text of the later version, and quotes are compared with it."""
    text = "😀 bb ccc dd ee"
    collector = Collector("characters")
    collector.add_document("d", "x", length=len(text))
    document = collector.add_document("d", "x", text=text, again=True)
    annotation = collector.add_annotation(document, "ann", "x")
    pieces = [(text.index(word) + 1, text.index(word) + 3) for word in ("bb", "dd")]  # UTF-16
    collector.add_segment_in_pieces(annotation, pieces, "N", "x", None, "bb dd")
    for word in ("ccc", "ee"):
        start = text.index(word) + 1
        collector.add_segment(annotation, start, start + len(word), "N", "x", quote=word)
    assert collector.build_raw_corpus({}).quote.tolist() == [STANDS] * 3


def test_quotes_of_offsets_in_tokens():
    """They are compared with tokens, also where a byte order mark precedes the text."""
    collector = Collector("tokens")
    words = ["Jo", "Doe", "sings"]
    document = collector.add_document("d", "x", text=" ".join(words), tokens=words, has_mark=True)
    annotation = collector.add_annotation(document, "ann", "x")
    collector.add_segment(annotation, 1, 3, "N", "x", quote="Doe sings")
    raw = collector.build_raw_corpus({})
    assert raw.quote.tolist() == [STANDS]
    assert [raw.start.tolist(), raw.end.tolist()] == [[1], [3]]


@given(st.text("aé😀日\x7f\x80\u07ff\u0800\uffff\U00010000", max_size=20))
@example("\x80\u07ff\u0800\uffff\U00010000")
def test_points(text):
    """Oracle: Python's encoders."""
    for name, unit in (("UTF-16 units", "UTF-16"), ("bytes of UTF-8", "bytes")):
        points = map_offsets_to_points(text, name)
        whole = [UNITS[unit](text, i) for i in range(len(text) + 1)]
        if points is None:
            assert whole == list(range(len(text) + 1))
        else:
            assert [int(points[offset]) for offset in whole] == list(range(len(text) + 1))


def test_stands():
    """Outer white space and kinds of white space do not count; anything else does."""
    assert is_quote_at("a b", 0, 3, "a\nb ")
    assert is_quote_at("a b", 0, 3, "A b")
    assert is_quote_at("COVID-19", 0, 8, "covid - 19")
    assert not is_quote_at("a b", -1, 3, "a b")
    assert not is_quote_at("a b", 2, 1, "a b")


def test_nearest():
    """The nearest of several places; tokens only whole."""
    assert find_nearest("ab ab ab", 5, "ab") == (6, 8)
    assert find_nearest("ab ab ab", 5, "x") is None
    assert find_nearest("ab", 0, " ") is None
    assert find_nearest("a  b", 0, "a b") == (0, 4)
    assert find_nearest(["ab", "c", "ab", "c"], 3, "abc") == (2, 4)
    assert find_nearest(["xab"], 0, "ab") is None


@given(
    st.text("aé😀€\n", max_size=12),
    st.lists(st.integers(-3, 50), min_size=1),
    st.sampled_from(["code points", "UTF-16 units", "bytes of UTF-8"]),
)
def test_code_points_of_offsets(text, numbers, unit):
    """Oracle: the table of the code point at each offset."""
    offsets = np.array(numbers)
    points, half = convert_to_code_points(offsets, text, unit)
    table = compute_offsets(text, unit)
    for offset, found in zip(numbers, points.tolist(), strict=True):
        inside = min(max(offset, 0), table[-1])
        assert found == bisect(table, inside) - 1 + offset - inside
    within = [x for x in numbers if 0 <= x <= table[-1] and x not in table]
    assert half == (within[0] if within else None)


@given(
    st.lists(st.lists(st.sampled_from(["Jo", "😀", "né", "x😀"]), min_size=1), min_size=1),
    st.booleans(),
)
def test_sentences_say_what_offsets_count(words, in_code_points_alone):
    """Oracle: the whole text, and the offsets in the unit in which they were written."""
    unit = "code points" if in_code_points_alone else "UTF-16 units"
    lines = [" ".join(line) for line in words]
    text = " ".join(lines)
    table, at = compute_offsets(text, unit), 0
    sentences = Sentences(("UTF-16 units", "code points"), "#Text=")
    for line, own_words in zip(lines, words, strict=True):
        sentences.begin(line, table[at], own_words[0], "x:1")
        for word in own_words:
            sentences.check(table[at], table[at + len(word)], word, "x:1")
            at += len(word) + 1
    assert sentences.text.split() == text.split()
    if unit == "UTF-16 units" or "😀" in text:
        assert (sentences.text, sentences.unit) == (text, unit)


def test_words_that_stand_in_no_unit():
    """What is wrong is said of the likeliest unit. Oracle: the text."""
    sentences = Sentences(("UTF-16 units", "code points"), "#Text=")
    sentences.begin("😀 a 😀 b", 0, "😀", "x:3")
    with refuses(InputError, "x:4: token 'a' at 2-4 … #Text= has … in UTF-16 units"):
        sentences.check(2, 4, "a", "x:4")
