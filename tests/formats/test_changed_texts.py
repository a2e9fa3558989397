"""Copies and quotes that a model changed: aligned to the text, or counted as not aligned."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.formats.changed_texts import Alignment, find_changed_quote
from spanagree.formats.tagged_copies import _align_spans, find_tagged_spans

TEXT = 'Dr. Jo Smith sang in "Rome" & Paris last night.\nShe was received well, says Al.'
COPY = (
    'Dr. <PER>Jo Smith</PER> sang in "<LOC>Rome</LOC>" & <LOC>Paris</LOC> last night.\n'
    "She was received well, says <PER>Al</PER>."
)
GOLD = [{"start": 4, "end": 12, "label": "PER"}]


def read(*answers, text=TEXT, **options):
    rows = [{"text": text, "gold": GOLD, "model": answer} for answer in answers]
    return sa.read(rows, text="text", spans={"gold": "gold", "model": "model"}, **options)


def marked(corpus, text=TEXT):
    return [f"{text[s.start : s.end]}/{s.label}" for s in corpus[0].segments["model"]]


ALL = ["Jo Smith/PER", "Rome/LOC", "Paris/LOC", "Al/PER"]
CHANGED = {
    "a preamble": (f"Here is the annotated text:\n\n{COPY}", ALL, 0),
    "a preamble with a tag": (f"With <PER> around people:\n{COPY}", ALL, 1),
    "other quotation marks": (COPY.replace('"', "'").replace(" & ", " and "), ALL, 0),
    "spelling": (COPY.replace("Smith", "Smyth").replace("received", "recieved"), ALL, 0),
    "a word put in": (COPY.replace("sang", "sang very well"), ALL, 0),
    "a word left out": (COPY.replace("last night", "").replace("Dr. ", ""), ALL, 0),
    "cut off": (COPY[: COPY.index("says")], ALL[:3], 0),
    "cut off in a span": (COPY[:-7], ALL[:3], 1),
    "a part of a name": (COPY.replace("Jo Smith", "Jo"), ["Jo/PER", *ALL[1:]], 0),
    "more of a name": (COPY.replace("Al<", "Al Jones<"), ALL[:3], 1),
    "a span put in": (COPY + " <PER>Bo</PER> too.", ALL, 1),
    "another name": (COPY.replace("Paris", "London"), [*ALL[:2], ALL[3]], 1),
    "a fence": (f"Sure!\n```\n{COPY.replace('well', 'very well')}\n```", ALL, 0),
    "escaped": (COPY.replace("<", "&lt;").replace(">", "&gt;") + "!", ALL, 0),
    "no pair": (COPY.replace("</PER> sang", " sang"), ALL[1:], 1),
    "closed only": (COPY.replace("<PER>Jo", "Jo"), ALL[1:], 1),
}


@pytest.mark.parametrize("case", CHANGED)
def test_changed(case):
    """Spans stay where they were; those of what the model made up are counted, by hand."""
    copy, expected, lost = CHANGED[case]
    with pytest.raises(sa.InputError):
        read(copy)
    corpus = read(copy, align=True)
    assert marked(corpus) == expected
    read_spans = len(expected) + lost
    counts = {"read": read_spans, "unaligned": lost, "copies": 1, "changed": 1}
    assert corpus.reading["quotes"] == {"model": counts}
    assert corpus.notes[-1] == (
        "model: 1 text (100.0 % of 1) changed by the model and aligned;"
        f" {lost} of {read_spans} spans in tags ({100 * lost / read_spans:.1f} %) not aligned"
    )


def test_the_share_is_shown(tmp_path):
    """1 of 9 spans has no counterpart, one of two copies is changed: in tables, data and files."""
    corpus = read(COPY, COPY + " <PER>Bo</PER> too.", align=True)
    result = sa.evaluate(corpus, "gold")
    assert result.to_rows()[0]["unaligned"] == pytest.approx(1 / 9, abs=1e-15)
    assert result.to_dict()["settings"]["quotes"] == {
        "model": {"read": 9, "unaligned": 1, "copies": 2, "changed": 1}
    }
    assert "1 text (50.0 % of 2) changed by the model" in corpus.notes[-1]
    assert "align=yes" in result.signature
    path = tmp_path / "own.jsonl"
    sa.write_jsonl(corpus, path)
    assert sa.read(path).reading["quotes"] == corpus.reading["quotes"]
    path.write_text(path.read_text("utf-8").replace('"changed": 1', '"changed": 3'), "utf-8")
    with refuses(sa.InputError, "… own.jsonl:1: provenance … settings"):
        sa.read(path)


def test_unchanged():
    """With the option too, a copy is read as it stands, and nothing is said of it."""
    plain, aligned = read(COPY), read(COPY, align=True)
    assert marked(plain) == marked(aligned) == ALL
    assert plain.notes == aligned.notes == ()
    counts = {"read": 4, "unaligned": 0, "copies": 1, "changed": 0}
    assert plain.reading["quotes"] == aligned.reading["quotes"] == {"model": counts}
    assert sa.evaluate(plain, "gold").to_rows()[0]["unaligned"] == 0


@pytest.mark.parametrize(
    ("answer", "text", "message"),
    [
        ("I'm sorry, I can't do that.", TEXT, "\"I'm sorry, I can't do that.\" has 0 % … 50 % … null … []"),
        ("", TEXT, "'' has 0 % … 50 % … null … []"),
        ("<b>Jo</b> <b>sings</b>!", "Jo <b>sings</b>", "'<b>' … 1 time … 2 in the copy … other tags"),
    ],
)  # fmt: skip
def test_refused(answer, text, message):
    """What is not a copy is refused, and so are tags that the text itself has."""
    with refuses(sa.InputError, f"row 1, annotator 'model': {message}"):
        read(answer, text=text, align=True)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("I'm sorry, I can't do that.", "… neither a list of spans in JSON nor a copy of the …"),
        ("", "… neither a list of spans in JSON nor a copy of the …"),
        ("[{", "… the JSON of an answer that is cut off, not valid, …"),
    ],
)
def test_no_answer(answer, message):
    """Without the option it is refused too, with what to do about it."""
    with refuses(sa.InputError, message):
        read(answer)


def test_own_tags():
    """Tags that the text has stay text in a changed copy."""
    text = "Jo <b>sings</b> in Rome tonight"
    corpus = read("<PER>Jo</PER> <b>sings</b> in Rome", text=text, align=True)
    assert marked(corpus, text) == ["Jo/PER"]


@pytest.mark.parametrize(
    ("copy", "expected"),
    [
        ('<entity type="PER" id=1>Jo</entity> sings', [(0, 2, "PER")]),
        ("<span class='PER'>Jo</span> sings", [(0, 2, "PER")]),
        ("<person id='7'>Jo</person> sings", [(0, 2, "person")]),
        ("<人名>Jo</人名> sings", [(0, 2, "人名")]),
        ("<A>Jo <B>sings</A></B>", [(0, 8, "A"), (3, 8, "B")]),
        ("<A>Jo <A>sings</A></A>", [(3, 8, "A"), (0, 8, "A")]),
        ("```xml\n<PER>Jo</PER> sings\n```", [(0, 2, "PER")]),
        ("&lt;PER&gt;Jo&lt;/PER&gt; sings", [(0, 2, "PER")]),
    ],
)
def test_tags(copy, expected):
    """Attributes, other scripts, tags that cross, code fences and escaped signs, by hand."""
    spans = find_tagged_spans(copy, "Jo sings", "row 1")
    assert [(s["start"], s["end"], s["label"]) for s in spans] == expected


def test_escaped_text():
    """A copy may write the signs of the text as XML does."""
    assert find_tagged_spans("<A>R&amp;D</A> &lt; 3", "R&D < 3", "") == [
        {"start": 0, "end": 3, "label": "A"}
    ]


def test_tag_without_content():
    """A tag that closes itself marks nothing, and says so."""
    with pytest.raises(sa.InputError, match=r"row 1: '<PER/>' marks nothing; tags are in pairs"):
        find_tagged_spans("<PER/>Jo sings", "Jo sings", "row 1")


@pytest.mark.parametrize(
    "answer",
    [
        '```json\n[{"text": "Jo Smith", "label": "PER"}]\n```',
        'Here they are:\n```\n[{"text": "Jo Smith", "label": "PER"}]\n```\nAnything else?',
        '{"entities": [{"text": "Jo Smith", "label": "PER"}]}',
        {"annotations": [{"text": "Jo Smith", "label": "PER"}]},
    ],
)
def test_answers_in_json(answer):
    """Lists of quotes in a code fence, or in an object of their own."""
    assert marked(read(answer)) == ["Jo Smith/PER"]


@pytest.mark.parametrize("begin", ["", "```json\n"])
def test_cut_off(begin):
    """JSON that is cut off is not taken for a copy, though it has most of the text."""
    answer = begin + json.dumps([{"text": TEXT, "label": "PER"}])[:-5]
    with refuses(sa.InputError, "… the JSON of an answer that is cut off …"):
        read(answer, align=True)


def test_one_quote():
    """An answer that is one object is one quote."""
    assert marked(read('{"text": "Jo Smith", "label": "PER"}')) == ["Jo Smith/PER"]


@pytest.mark.parametrize(
    ("occurrence", "start"), [("2", 7), (" 2", 7), (2, 7), (None, 0), ("1", 0)]
)
def test_which_occurrence(occurrence, start):
    """A model may write the number as text; null is none."""
    quote = {"text": "Jo", "label": "X", "occurrence": occurrence}
    corpus = sa.read([{"text": "Jo met Jo", "gold": [[0, 2, "X"]], "model": [quote]}])
    assert [segment.start for segment in corpus[0].segments["model"]] == [start]


@pytest.mark.parametrize("occurrence", ["first", 1.5, True, "9" * 5000])
def test_odd_occurrence(occurrence):
    """Anything else is refused, as it would be taken for the first."""
    quote = {"text": "Jo", "label": "X", "occurrence": occurrence}
    with refuses(sa.InputError, "… spans: occurrence … whole number … null"):
        read([quote])


def test_copies_are_passed_over_aloud():
    """A column of copies that is not named is said to be passed over."""
    corpus = sa.read([{"text": TEXT, "gold": GOLD, "model": COPY}])
    assert corpus.annotators == ("gold",)
    assert "passed over: model" in corpus.notes[0]


# --- quotes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Jo Smyth", "Jo Smith"),  # one of 8 is changed
        ("was recieved well", "was received well"),  # two of 17
        ("sang in Rome", 'sang in "Rome'),
        ("She was very received well", "She was received well"),  # five of 26
        ("She was not at all received well", None),  # eleven of 32
        ("last nights.", "last night"),
        ("Bo", None),  # of fewer than five none may be changed
        ("London", None),
        ("", None),
    ],
)
def test_nearest(quote, expected):
    """At most one sign in five is changed, counted by hand."""
    place = find_changed_quote(TEXT, quote)
    assert (place and TEXT[slice(*place)].rstrip(".")) == expected


def test_two_places():
    """A quote that is like two places is at neither, unless they share a sign."""
    assert find_changed_quote("Mr. Smith and Mr, Smith", "Mr Smith") is None
    assert find_changed_quote("Mr. Smith and Mrs. Jones", "Mr Smith") == (0, 9)


def test_quotes_are_counted():
    """Two are aligned or found, three not: the same place again, twice, and what is not there."""
    quotes = ["Jo Smith", "Jo Smyth", "Jo Smyth", "recieved well", "Bob Dylan"]
    answer = [{"text": quote, "label": f"{i}"} for i, quote in enumerate(quotes)]
    corpus = read(answer, align=True)
    assert marked(corpus) == ["Jo Smith/0", "received well/3"]
    assert corpus.notes[-1] == (
        "model: 5 quotes in place of offsets, 1 (20.0 %) not in the text, 2 (40.0 %) repeated more"
        " often than in it, the others found, 1 of them where the text is nearly the"
        " same"
    )
    assert corpus.reading["quotes"] == {"model": {"read": 5, "unaligned": 3}}
    assert marked(read(answer)) == ["Jo Smith/0"]


@given(st.text("ab c", max_size=12), st.text("ab c", max_size=8))
def test_fewest_changes(text, quote):
    """What is found differs by the fewest changes of all parts, by the usual table written out,
    but that its ends may be moved to the border of a word, a fifth of the quote each.
    """
    place = find_changed_quote(text, quote)
    wanted = re.sub(" +", " ", quote.strip())
    if place is None or len(wanted) < 5:
        assert place is None or len(wanted) >= 5
        return
    parts = {text[a:b] for a in range(len(text)) for b in range(a + 1, len(text) + 1)}
    fewest = min(distance(re.sub(" +", " ", part), wanted) for part in parts)
    part = re.sub(" +", " ", text[slice(*place)])
    assert fewest <= distance(part, wanted) <= 2 * (len(wanted) // 5) + fewest


def distance(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


# --- what holds of any text ---------------------------------------------------------------------

WORDS = st.lists(st.text("abcdexyz", min_size=3, max_size=9), min_size=4, max_size=40, unique=True)


@given(WORDS, st.data())
def test_unchanged_as_exact(words, data):
    """What is aligned in an unchanged copy is what is read there exactly."""
    spans = data.draw(st.sets(st.integers(0, len(words) - 1)))
    text = " ".join(words)
    copy = " ".join(f"<A>{w}</A>" if i in spans else w for i, w in enumerate(words))
    assert _align_spans(copy, text, "") == (find_tagged_spans(copy, text, ""), [], 0)


@pytest.mark.long
@given(st.text(max_size=200), st.data())
def test_any_unchanged_text(text, data):
    """Each part of a text stands in it where it stands, whatever its signs are."""
    alignment = Alignment(text, text)
    low = data.draw(st.integers(0, len(text)))
    high = data.draw(st.integers(low, len(text)))
    place = alignment.find_span(low, high)
    if place is None:
        assert not text[low:high].strip()
    else:  # white space is one blank
        assert text[slice(*place)].split() == text[low:high].split()


@pytest.mark.long
@given(WORDS, st.data())
def test_edits_outside(words, data):
    """Where other words are changed, put in or left out, the marked ones are where they were."""
    n = len(words)
    kept = data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=max(1, n // 3)))
    others = st.sampled_from([i for i in range(n) if i not in kept])
    edited = data.draw(
        st.dictionaries(others, st.sampled_from(["", "QQQ", "W QQ W"]), max_size=n // 4)
    )
    text = " ".join(words)
    copy = "Sure:\n" + " ".join(
        f"<A>{w}</A>" if i in kept else edited.get(i, w) for i, w in enumerate(words)
    )
    at = [sum(map(len, words[:i])) + i for i in range(n)]
    expected = [(at[i], at[i] + len(words[i])) for i in sorted(kept)]
    try:
        spans, lost, n_odd = _align_spans(copy, text, "")
    except sa.InputError:
        assert sum(len(w) for i, w in enumerate(words) if i not in edited) < 0.8 * len(text)
        return
    assert [(s["start"], s["end"]) for s in spans] == expected
    assert not lost
    assert not n_odd


@pytest.mark.slow
@pytest.mark.parametrize("base", ["to be or not to be ", "a", "x y\n", "word{} is here "])
def test_long_texts(base, growth):
    """Time grows with the text, not with its square, also if it says the same again and again."""

    def align(size):
        text = "".join(base.format(i) for i in range(size // len(base) + 1))
        copy = "Sure: " + "".join(f"{text[i : i + 97]}?" for i in range(0, len(text), 98))
        find_changed_quote(text, text[500:900].replace("e", "3"))
        assert Alignment(copy, text).share > 0.5

    assert growth(lambda: align(12_500), lambda: align(100_000)) < 30


def test_from_the_command_line(tmp_path, run):
    """``--align`` is for rows, and asks for what the error names."""
    path = tmp_path / "llm.jsonl"
    path.write_text(
        json.dumps({"id": "1", "text": TEXT, "gold": GOLD, "model": COPY + "!"}), "utf-8"
    )
    asked = ["evaluate", path, "--text", "text", "--spans", "gold=gold,model=model"]
    code, _, err = run(*asked)
    assert code == 1
    assert "--align aligns what it changed" in err
    code, out, err = run(*asked, "--align")
    assert code == 0
    assert "not aligned" in out
    assert "1 text (100.0 % of 1) changed by the model" in err
