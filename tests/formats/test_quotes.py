"""Quotes in place of offsets, as language models give them: placed, or counted as not found."""

import json
from unicodedata import combining, is_normalized, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.normal_form import compose_text, find_character_starts
from spanagree.formats.changed_texts import cuts_word, fold_text
from spanagree.formats.quotes import find_loose_occurrences, find_separate_occurrences

TEXT = "Jo met Jo in “New\nYork”, jo said."
GOLD = [{"start": 0, "end": 2, "label": "PER"}]


def read(tmp_path, *quotes, **options):
    path = tmp_path / "llm.jsonl"
    path.write_text(json.dumps({"id": "1", "text": TEXT, "gold": GOLD, "mine": quotes}), "utf-8")
    return sa.read(path, **options)


def marked(corpus):
    return [TEXT[start:end] + str(start) for start, end, _ in corpus[0].segments["mine"]]


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        ([{"text": "Jo", "label": "X"}], ["Jo0"]),
        ([{"text": "Jo", "label": "X"}, {"text": "Jo", "label": "X"}], ["Jo0", "Jo7"]),
        ([{"text": "Jo", "label": "X", "occurrence": 2}], ["Jo7"]),
        ([{"text": "Jo", "label": "X", "occurence_index": 1}], ["Jo7"]),
        ([{"text": "Jo", "label": "X", "occurrence": 3}], ["jo25"]),  # but for case there are three
        ([{"text": "jo", "label": "X"}], ["jo25"]),  # what is exact comes first
        ([{"text": '"new york"', "label": "X"}], ["“New\nYork”13"]),
        ([{"start": -1, "text": "met", "type": "X"}], ["met3"]),
        ([{"start": None, "end": None, "text": "met", "type": "X"}], ["met3"]),
        ([{"start": 7, "text": "Jo", "type": "X"}, {"text": "Jo", "label": "X"}], ["Jo0", "Jo7"]),
        ([{"text": "Paris", "label": "X"}, {"text": "", "label": "X"}], []),
        ([{"text": "Jo", "label": "X", "occurrence": 0}], []),  # counts from 1
    ],
)
def test_places(tmp_path, quotes, expected):
    """The k-th exact occurrence, else but for case, white space and quotation marks, else none."""
    assert marked(read(tmp_path, *quotes)) == expected


def test_share_not_found(tmp_path):
    """What is not in the text is counted for its annotator, in the notes of every result."""
    quotes = [{"text": text, "label": "PER"} for text in ("Jo", "NEW YORK", "Paris", "Rome")]
    corpus = read(tmp_path, *quotes)
    note = (
        "mine: 4 quotes in place of offsets, 2 (50.0 %) not in the text, the others"
        " found, 1 of them but for case, white space, quotation marks or normal form"
    )
    assert note in corpus.notes[0]
    assert any(note in each for each in sa.evaluate(corpus, "gold").to_dict()["notes"])
    alone = read(tmp_path, {"text": "Jo", "label": "PER"})
    said = "mine: 1 quote in place of offsets, 0 (0.0 %) not in the text, the others found"
    assert any(note.endswith((said, said + ";")) or said in note for note in alone.notes)


def test_occurrences():
    """Enumerated by hand; a quote that lower case makes longer keeps its place."""
    assert find_separate_occurrences("aaaa", "aa") == [(0, 2), (2, 4)]
    assert find_separate_occurrences("a", "") == []
    assert find_loose_occurrences("İ A  b", "a B") == [(2, 6)]
    assert find_loose_occurrences("abc", " ") == []


@pytest.mark.parametrize(
    ("text", "quotes", "expected"),
    [
        ("Also Al met us.", ["Al"], ["Al5"]),
        ("Marie met Mari.", ["Mari"], ["Mari10"]),
        ("Users love US.", ["us"], ["US11"]),  # but for case, rather than inside a word
        ("Berliner Mauer", ["Berlin"], ["Berlin0"]),  # only inside one
        ("Al, Also Al", ["Al", "Al", "Al", "Al"], ["Al0", "Al9", "Al4"]),
        ("Barack Obama spoke. Obama left.", ["Barack Obama", "Obama"], ["Barack Obama0", "Obama20"]),
        ("Barack Obama spoke. Obama left.", ["Obama", "Barack Obama"], ["Obama20", "Barack Obama0"]),
        ("Barack Obama spoke.", ["Barack Obama", "Obama"], ["Barack Obama0", "Obama7"]),  # nested
        ("北京大学在北京。北京", ["北京"], ["北京0"]),  # no blanks between words
        ("ab ab", ["ab", "ab", "AB"], ["ab0", "ab3"]),
    ],
)  # fmt: skip
def test_the_best_place(text, quotes, expected):
    """Where no other quote stands, and no word is cut; enumerated by hand."""
    model = [{"text": quote, "label": "X"} for quote in quotes]
    corpus = sa.read([{"text": text, "gold": [[0, 1, "X"]], "model": model}])
    placed = corpus[0].segments["model"]
    assert {text[s.start : s.end] + str(s.start) for s in placed} == {*expected}
    assert corpus.reading["quotes"]["model"] == {
        "read": len(quotes),
        "unaligned": len(quotes) - len(expected),
    }


def test_notes_on_quotes():
    """What is given too often is not said to be missing, and what cuts a word is counted."""
    notes = {
        ("Jo", "Jo"): "0 (0.0 %) not in the text, 1 (50.0 %) repeated more often than in it,"
        " the others found",
        ("sin",): "0 (0.0 %) not in the text, the others found, 1 of them inside a word",
    }
    for quotes, note in notes.items():
        model = [{"text": quote, "label": "X"} for quote in quotes]
        row = {"text": "Jo sings.", "gold": [[0, 2, "X"]], "model": model}
        assert sa.read([row]).notes[-1].endswith(note)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.data())
def test_quotes_of_all_segments_are_where_they_were(words, data):
    """Segments quoted in any order, all occurrences of each: they are the same segments."""
    names = ["Al", "Also", "Al Also", "met"]
    text, gold = "", []
    for word in words:
        gold += [] if names[word] == "met" else [(len(text), len(text) + len(names[word]))]
        text += names[word] + "; "
    quotes = [{"text": text[a:b], "label": "X"} for a, b in data.draw(st.permutations(gold))]
    corpus = sa.read([{"text": text, "model": quotes}], text="text", spans={"m": "model"})
    assert sorted((s.start, s.end) for s in corpus[0].segments["m"]) == gold


# --- normal forms --------------------------------------------------------------------------------

NFC_LETTERS = "aeosAÉéñôộ각가 ,がか"
# marks, letters of syllables, vowels that compose, what no form has, and letters
MARKED = (
    "\u0301\u0323\u0302\u0344\u0f71\u0f73\u0f72\u1100\u1161\u11a8"
    "\u09c7\u09be\u0ddd\u0dd9\u0dcf\u0dca\u212b\u3099"
    "aeé か"
)


def placed(text, quotes):
    model = [{"text": quote, "label": "X"} for quote in quotes]
    corpus = sa.read([{"text": text, "gold": [[0, 1, "X"]], "model": model}])
    return [(s.start, s.end) for s in corpus[0].segments["model"]]


@pytest.mark.parametrize(
    ("text", "quotes", "expected"),
    [
        ("In Cafés we sit.", ["Cafe\u0301s"], [(3, 8)]),
        ("In Cafe\u0301s we sit.", ["Cafés"], [(3, 9)]),
        ("In Cafe\u0301s we sit.", ["cafés"], [(3, 9)]),
        ("In Cafe\u0301s we sit.", ["Cafe\u0301"], [(3, 8)]),
        ("In Cafe\u0301 we sit.", ["Cafe"], []),  # a half character, as of NFC it is none
        ("Cafe\u0301, Cafe", ["Cafe"], [(7, 11)]),
        ("Cafe\u0301s, Café", ["Café"], [(8, 12)]),  # rather than inside a word
        ("Cafe\u0301s, Cafe\u0301", ["Café"], [(8, 13)]),
        ("Café Cafe\u0301 Café", ["Cafe\u0301"] * 3, [(0, 4), (5, 10), (11, 15)]),
        (normalize("NFD", "각 가"), ["가"], [(4, 6)]),  # no syllable's beginning
    ],
)  # fmt: skip
def test_quotes_in_another_normal_form(text, quotes, expected):
    """Each stands at whole characters, whatever form text and quote have; by hand."""
    assert placed(text, quotes) == expected


def test_the_kth_time_in_another_normal_form():
    model = [{"text": "Cafés", "label": "X", "occurrence": 2}]
    text = "Cafe\u0301s, Cafe\u0301s"
    corpus = sa.read([{"text": text, "gold": [[0, 1, "X"]], "model": model}])
    assert corpus[0].segments["model"] == (sa.Segment(8, 14, "X"),)
    assert corpus.notes[-1].endswith("quotation marks or normal form")


def test_tokens_in_another_normal_form():
    row = {"tokens": ["In", "Cafe\u0301s", "."], "gold": [[0, 1, "X"]],
           "model": [{"text": "Cafés", "label": "X"}]}  # fmt: skip
    names = {"tokens": "tokens", "spans": {"gold": "gold", "model": "model"}}
    assert sa.read([row], **names)[0].segments["model"] == (sa.Segment(1, 2, "X"),)


def test_a_segment_whose_quote_is_in_another_form():
    """Offsets that are right stay so, whatever the form of the quote beside them."""
    spans = [{"start": 3, "end": 8, "text": "Cafe\u0301s", "label": "X"}]
    corpus = sa.read([{"text": "In Cafés we sit.", "gold": spans, "model": []}])
    assert corpus[0].segments["gold"] == (sa.Segment(3, 8, "X"),)
    assert not any("misplaced" in note or "taken as" in note for note in corpus.notes)


@given(st.text(NFC_LETTERS, min_size=1, max_size=30), st.data())
def test_quotes_are_found_in_each_form_where_they_are_in_nfc(text, data):
    """All occurrences in NFD, of a quote in either form, are those in NFC; offsets are exact."""
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, min(len(text), start + 4)))]
    expected = find_loose_occurrences(text, quote)
    other = normalize("NFD", text)
    for form in ("NFC", "NFD"):
        asked = normalize(form, quote)
        assert find_loose_occurrences(text, asked) == expected
        found = find_loose_occurrences(other, asked)
        before = [tuple(len(normalize("NFC", other[:at])) for at in span) for span in found]
        assert before == expected
        assert [normalize("NFD", text[a:b]) for a, b in expected] == [other[a:b] for a, b in found]
        for (a, b), (low, high) in zip(expected, found, strict=True):
            assert cuts_word(other, low, high) == cuts_word(text, a, b)


@given(
    st.text(st.sampled_from([*MARKED]) | st.characters(codec="utf-8"), min_size=1),
    st.sampled_from(["NFC", "NFD"]),
)
def test_characters_of_any_text(text, form):
    """Normal forms change each character by itself, and whatever is found is whole."""
    starts = find_character_starts(text)
    parts = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    for each in ("NFC", "NFD"):
        assert "".join(normalize(each, part) for part in parts) == normalize(each, text)
    as_composed = compose_text(text)
    assert (as_composed is None) == is_normalized("NFC", text)
    quote = normalize(form, text)
    if fold_text(normalize("NFC", quote).strip())[0].strip():
        ((start, end),) = find_loose_occurrences(text, quote)
        stripped = normalize("NFC", quote).strip()
        assert normalize("NFC", text[start:end]) == stripped
        assert end == len(text) or not combining(text[end])


def tagged(tmp_path, marked, text=" Jo <b> is in a Rome\n"):
    path = tmp_path / "llm.jsonl"
    path.write_text(json.dumps({"id": "1", "text": text, "mine": marked}), "utf-8")
    return sa.read(path, text="text", spans={"mine": "mine"})[0].segments["mine"]


def test_tags(tmp_path):
    """Tags in a copy of the text, nested too; signs of the text itself are none."""
    assert tagged(tmp_path, "<PER>Jo</PER> <b> is in <A>a <LOC>Rome</LOC></A>") == (
        sa.Segment(1, 3, "PER"),
        sa.Segment(14, 20, "A"),
        sa.Segment(16, 20, "LOC"),
    )
    assert tagged(tmp_path, "@@Jo## <b> is in a @@Rome##\n") == (
        sa.Segment(1, 3, "span"),
        sa.Segment(16, 20, "span"),
    )
    assert tagged(tmp_path, "Jo <b> is in a Rome") == ()


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("<PER>Joe</PER> <b> is in a Rome", "the text differs … character 2: 'Joe  is in a', not 'Jo <b> is in' … --align"),
        ("<PER>Jo <b> is in a Rome", "'PER' is opened and not closed"),
        ("Jo</PER> <b> is in a Rome", "'</PER>' closes what is not open"),
    ],
)  # fmt: skip
def test_odd_tags(tmp_path, marked, message):
    """A copy that differs is refused with the first difference, and so are tags without a partner."""
    with refuses(sa.InputError, f"{tmp_path / 'llm.jsonl'}:1, annotator 'mine': {message}"):
        tagged(tmp_path, marked)


ROWS = [
    {
        "text": TEXT,
        "gold": GOLD,
        "mine": [{"text": t, "label": "PER"} for t in quotes],
        "else": GOLD,
    }
    for quotes in (["Jo", "Paris"], ["met"], ["Rome"])
]


def shares(result, by=None):
    rows = [row for row in result.to_rows(by) if row.get("average") in (None, "micro")]
    return {row.get("system") or row["annotator"]: row.get("unaligned", "none") for row in rows}


def test_share_is_a_figure():
    """2 of 4 quotes are not there, counted by hand: a column of every table, and in JSON."""
    corpus = sa.read(ROWS)
    evaluation = sa.evaluate(corpus, "gold")
    assert [shares(evaluation, by) for by in (None, "label", "document")] == [
        {"mine": 0.5, "else": None}
    ] * 3
    assert [x.get("unaligned") for x in evaluation.to_dict()["tables"]["systems"]] == [0.5, None]
    against = sa.evaluate_references(corpus, systems=["mine"])
    assert shares(against) == {"mine": 0.5, "human agreement": None}
    assert against.to_dict()["tables"]["systems"][0]["unaligned"] == 0.5
    turned = sa.evaluate_references(corpus, systems=["else"])
    assert shares(turned) == {"else": "none", "human agreement": "none"}
    assert shares(turned, "annotator")["mine"] == 0.5
    people = turned.to_dict("annotator")["tables"]["annotators"]
    assert [x.get("unaligned") for x in people][-2:] == [None, 0.5]
    team = sa.agree(corpus)
    assert shares(team, "annotator") == {"gold": None, "mine": 0.5, "else": None}
    assert [x.get("unaligned") for x in team.to_dict("annotator")["tables"]["annotators"]] == [
        None,
        0.5,
        None,
    ]
    assert "not found" in str(evaluation)
    assert "mine: 0.500 of its quotes or tags are not aligned" in evaluation.table("label").remarks
    assert "not found" in evaluation._repr_html_()
    quoted = sa.evaluate(sa.read([{**ROWS[1], "else": GOLD}]), "gold")
    assert shares(quoted) == {"mine": 0.0, "else": None}  # 0 is a figure
    without = sa.evaluate(corpus.select_annotators(["gold", "else"]))
    assert "unaligned" not in without.to_rows()[0]


def test_share_stays(tmp_path):
    """It is that of all files and parts, of a layer without a name, and stays in our own files."""
    for i, row in enumerate(ROWS):
        (tmp_path / f"{i}.jsonl").write_text(json.dumps({"id": str(i), **row}), "utf-8")
    whole = sa.read(str(tmp_path / "*.jsonl"))
    counts = {"mine": {"read": 4, "unaligned": 2}}
    assert whole.reading["quotes"] == counts
    path = tmp_path / "own.jsonl"
    sa.write_jsonl(whole, path)
    again = sa.read(path)
    assert again.reading["quotes"] == counts
    assert shares(sa.evaluate(again.select_annotators(["gold", "mine"]), "gold")) == {"mine": 0.5}
    parts = sa.evaluate(sa.read_parts(str(tmp_path / "[0-9].jsonl")), "gold")
    assert shares(parts) == {"mine": 0.5, "else": None}
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps([{"text": TEXT, "spans": ROWS[0]["mine"]}]), "utf-8")
    assert sa.read(alone, text="text", spans="spans").annotators == ("alone.json",)
    assert sa.read(alone, text="text", spans="spans").reading["quotes"] == {
        "alone.json": {"read": 2, "unaligned": 1}
    }
    lines = path.read_text("utf-8").replace('"unaligned": 2', '"unaligned": 5')
    path.write_text(lines, "utf-8")
    with refuses(sa.InputError, "… own.jsonl:1: provenance … settings"):
        sa.read(path)


def test_tables_without_rows_of_layers():
    """2 of 4 quotes, counted by hand, in a sentence below; of many annotators, one sentence."""
    corpus = sa.read(ROWS)
    sentence = "mine: 0.500 of its quotes or tags are not aligned"
    for result, by in (
        (sa.agree(corpus), None),
        (sa.agree(corpus), "pair"),
        (sa.agree(corpus), "document"),
    ):
        assert result.table(by).remarks[-1] == sentence
    compared = sa.compare_systems(sa.evaluate(corpus, "gold"), resamples=100)
    assert compared.table().remarks[-1] == sentence
    without = corpus.select_annotators(["gold", "else"])
    assert "quotes" not in without.reading
    assert sentence not in sa.agree(without).table().remarks
    quotes = {f"m{i}": [{"text": "Jo" if i else "Al", "label": "PER"}] for i in range(10)}
    many = sa.agree(sa.read([{"text": TEXT, **quotes}]))
    assert (
        many.table().remarks[-1] == "0.100 of the quotes or tags of 10 annotators are not aligned"
    )


@pytest.mark.parametrize(
    "answer",
    [
        'Here it is: [{"text": "Jo", "label": "PER"}]',
        '[{"text": "Jo", "label": "PER"}]\nDone.',
        'Found: {"entities": [{"text": "Jo", "label": "PER"}]}, as of note [1].',
        '<think>maybe ["York"]</think>[{"text": "Jo", "label": "PER"}]',
        '{"PER": ["Jo"], "LOC": []} (no place)',
        '{"PER": "Jo", "LOC": ""}',
    ],
)
def test_answers_among_words(answer):
    """The one list or object of an answer counts, whatever is said around it."""
    corpus = sa.read(
        [{"text": TEXT, "gold": GOLD, "mine": answer}],
        text="text",
        spans={"gold": "gold", "mine": "mine"},
    )
    assert corpus[0].segments["mine"] == ((0, 2, "PER"),)
    assert corpus.reading["quotes"]["mine"] == {"read": 1, "unaligned": 0}
    empty = sa.read(
        [{"text": TEXT, "gold": GOLD, "mine": "Nothing: []"}], text="text", spans={"mine": "mine"}
    )
    assert empty[0].segments["mine"] == ()
    with refuses(sa.InputError, "… the JSON of an answer that is cut off, not valid, …"):
        sa.read([{"text": TEXT, "mine": '["Jo"] or ["York"]'}], text="text", spans={"mine": "mine"})


def read_answer(answer, **options):
    """Read one answer beside gold."""
    rows = [{"text": TEXT, "gold": GOLD, "mine": answer}]
    return sa.read(rows, text="text", spans={"gold": "gold", "mine": "mine"}, **options)


WHOLE = '[{"entity": "Jo", "type": "PER"}]'


@pytest.mark.parametrize("words", ["", "Here: ", "```json\n", '{"PER": ["Jo"]}\n'])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(
    "damaged",
    [
        WHOLE[:-1],
        WHOLE[:-1] + ",",
        WHOLE[:-1] + ', {"entity": "Yo',
        '[{"entity": "Jo", "type": "PER"}, {"entity": "Y"or"k", "type": "LOC"}]',
        '[{"entity": "Jo", "type": "PER"}, {"entity": "Y"ork", "type": "LOC"}]',
        '{"PER": ["Jo"], "LOC": ["Yo',
        "{'PER': [\"Jo\"], 'LOC': ['Yo",
        "[['Jo', 'PER'], [\"Jo\", 'PER'], ['Yo",
        '{"entities": [{"entity": "Jo", "type": "PER"}], "note": "',
        '{"PER": "Jo", "PER": "York"}',
        "{'PER': ['Jo'], 'PER': ['York']}",
    ],
)
def test_damaged_answers(words, align, damaged):
    """What is left of an answer that is cut off, or not valid, is not read as if it were all."""
    with refuses(sa.InputError, "row 1, annotator 'mine': … cut off, … or has a key twice; …"):
        read_answer(words + damaged, align=align)


@pytest.mark.parametrize(
    "answer",
    [
        'In the form [{"entity": "…", …}]: ' + WHOLE,
        'In the form {"LABEL": ["name", ...]}: ' + WHOLE,
        "See [[1]: " + WHOLE.replace("[{", "]] [{"),
        "As of [[Jo Smith]] and {{York}}: " + WHOLE,
        "So: [{'entity': 'Jo', 'type': 'PER'},]",
        "So: {'PER': ['Jo'], 'LOC': [],}.",
    ],
)
def test_layouts_among_words(answer):
    """A layout with an ellipsis and names in brackets are words; Python's lists are read whole."""
    assert read_answer(answer)[0].segments["mine"] == ((0, 2, "PER"),)


@pytest.mark.parametrize("words", ["", "Here: "])
def test_a_label_that_comes_twice(words):
    """The lists under it are one."""
    corpus = read_answer(words + '{"PER": ["Jo"], "LOC": [], "PER": ["York"]}')
    assert {label for _, _, label in corpus[0].segments["mine"]} == {"PER"}
    assert len(corpus[0].segments["mine"]) == 2


@pytest.mark.parametrize("odd", [1984, 3.5, ["a"], None, {"a": 1}])
def test_quotes_that_are_no_strings(odd):
    """Their column was a TypeError; it is passed over, by name if it has numbers."""
    row = {"text": "Jo met Al in 1984 at 3.5", "gold": [{"text": "Jo", "label": "X"}]}
    corpus = sa.read([row | {"mine": [{"text": "Jo", "label": "X"}, {"text": odd, "label": "X"}]}])
    assert corpus.annotators == ("gold",)
    assert len(corpus.layers["gold"]) == 1
    assert isinstance(odd, (int, float)) == any("passed over: mine" in x for x in corpus.notes)
