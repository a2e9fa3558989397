"""What is odd in the part of a file by which it is recognised: it is read, or said with its place."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from messages import refuses, says

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.recognise import find_format

pd = pytest.importorskip("pandas")

HEADER = "document,annotator,start,end,label,text\n"
TEXT = "José sang in Rome"
ROWS = [f"d{i},{who},13,17,LOC,{TEXT}\n" for i in range(3) for who in ("ann", "bob")]


def table(*odd, at=1):
    """A table of spans with odd rows, the first of them behind ``at`` others."""
    return HEADER + "".join([*ROWS[:at], *odd, *ROWS[at:]])


def test_floats(write_here):
    """Whole numbers that pandas wrote as floats are read. Oracle: the same without the zeros."""
    expected = sa.read(write_here("a.csv", HEADER + "".join(ROWS)))
    again = sa.read(write_here("a.csv", HEADER + "".join(ROWS).replace("13,17", "13.0,17.0")))
    assert again == expected
    gap = f"d9,ann,,,,{TEXT}\n"  # a row without a span, for which pandas makes all floats
    assert "13.0" in (text := table(gap).replace("13,17", "13.0,17.0"))
    assert len(sa.read(write_here("a.csv", text))) == 4


QUOTES = """document,annotator,start,end,label,text,length
d1,ann,13,17,LOC,Rome,17
d1,bob,0.0,4.0,PER,José,17
d1,cy,-2,4,PER,José,17
d1,dan,x7,4,PER,José,17
"""

ODD = {
    "a word": (table(f"d0,cy,x7,9,PER,{TEXT}\n"), "a.csv:3, annotator 'cy': start 'x7' … whole number"),
    "later": (table(f"d0,cy,x7,9,PER,{TEXT}\n", at=6), "a.csv:8, annotator 'cy': start 'x7' … whole number"),
    "a word as end": (table(f"d0,cy,7,?,PER,{TEXT}\n"), "a.csv:3, annotator 'cy': end '?' … whole number"),
    "among the spans' texts": (QUOTES, "a.csv:5, annotator 'dan': start 'x7' … whole number"),
    "a short row": (table("d0,cy,0,4\n"), "a.csv:3: 4 cells (between ',') … 6"),
    "no rows": (HEADER, "a.csv: no rows … header"),
    "a header of labels": ("item,annotator,label\n", "a.csv: no rows … header"),
    "nothing": ("", "a.csv: no rows … header"),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_where_it_is(write_here, capsys, case):
    """An early mistake in a table is said with its line, as a later one is."""
    text, message = ODD[case]
    assert main(["agree", write_here("a.csv", text)]) == 1
    says(capsys.readouterr().err, f"spanagree: error: {message}")


def test_negative(write_here, capsys):
    """A negative offset is an error of the segment, and a finding of check."""
    name = write_here("a.csv", table(f"d0,cy,-3,4,PER,{TEXT}\n"))
    with pytest.raises(sa.InputError, match="segment -3–4 'PER' starts before the document"):
        sa.read(name)
    assert main(["check", name]) == 1
    assert "-3" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_tables_in_other_encodings(write_here, encoding):
    """A table in another encoding is recognised, and read if it is named, or by its mark.

    Oracle: the same table in UTF-8.
    """
    expected = sa.read(write_here("a.csv", HEADER + "".join(ROWS)))
    name = write_here("a.csv", (HEADER + "".join(ROWS)).encode(encoding))
    assert find_format(name) == "dataset"
    assert sa.read(name, encoding=encoding) == expected
    if encoding == "utf-16":
        assert sa.read(name) == expected
    else:
        with refuses(sa.InputError, "… byte 0xe9 … utf-8 … --encoding (encoding=)"):
            sa.read(name)


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_tables_in_utf_16_without_a_mark(write_here, ending, order):
    """They are recognised by the zeros, and read with the encoding. Oracle: the table in UTF-8."""
    lines = [f"text,start,end,label,id\n{TEXT},0,4,PER,1\n", f"{TEXT},0,4,LOC,2\n"]
    text = "".join(lines).replace(",", "\t" if ending == "tsv" else ",")
    expected = sa.read(write_here(f"a.{ending}", text))
    name = write_here(f"a.{ending}", text.encode(f"utf-16-{order}"))
    assert sa.read(name, encoding=f"utf-16-{order}") == expected
    with refuses(sa.InputError, f"{name} … --encoding (encoding=)"):
        sa.read(name)


PUBTATOR = "1|t|Jürgen met Al.\n1|a|\n1\t0\t6\tJürgen\tPER\n\n"
IN_JSON = {
    "doccano": {"id": 1, "text": "Jürgen", "label": [[0, 6, "PER"]], "Comments": []},
    "prodigy": {"_input_hash": 1, "_task_hash": 1, "text": "Jürgen", "spans": []},
    "jsonl": {"spanagree": 1, "text": "Jürgen", "offsets": "characters", "annotators": {}},
}
LATIN = {name: json.dumps(row, ensure_ascii=False) for name, row in IN_JSON.items()}


@pytest.mark.parametrize(("form", "text"), [*LATIN.items(), ("pubtator", PUBTATOR)])
def test_formats_without_an_option_for_encodings(write_here, form, text):
    """The message advises what works, and no option that is then refused."""
    name = write_here("a.txt" if form == "pubtator" else "a.jsonl", text.encode("latin-1"))
    assert find_format(name) == form
    with refuses(sa.InputError, f"{name}:1: byte 0xfc is not utf-8; convert … iconv …") as error:
        sa.read(name)
    assert "--encoding" not in str(error.value)
    with refuses(sa.SettingError, "encoding doesn't apply … save the files as UTF-8"):
        sa.read(name, encoding="latin-1")


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("name", ["a.conll.gz", "a.jsonl.gz", "a.csv.gz", "a.conll", "a.csv"])
def test_compressed_files(write_here, name, encoding):
    """They are said to be compressed, whatever their encoding is called."""
    path = write_here(name, gzip.compress(b"Jo B-PER\nsings O\n"))
    with refuses(sa.InputError, f"{path}: compressed by gzip … gunzip"):
        sa.read(path, encoding=encoding)


JSON_ROWS = [{"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "PER"}]}] * 3


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_json_in_other_encodings(write_here, name):
    """The encoding that is named holds for JSON too; an unknown one is an error."""
    rows = [json.dumps(row, ensure_ascii=False) for row in JSON_ROWS]
    text = "\n".join(rows) if name == "a.jsonl" else f"[{','.join(rows)}]"
    expected = sa.read(write_here(name, text))
    assert sa.read(write_here(name, text.encode("latin-1")), encoding="latin-1") == expected
    with pytest.raises(sa.InputError, match="byte 0xe9 is not utf-8"):
        sa.read(name)
    with pytest.raises(sa.SettingError, match="unknown encoding 'foo'; utf-8, latin-1 and all"):
        sa.read(name, encoding="foo")


@pytest.mark.parametrize("spans", [
    [{"start": 0, "label": "PER"}],
    [{"start": 0, "end": 4, "label": "PER"}, {"start": 0, "label": "PER"}],
])  # fmt: skip
def test_an_early_span_without_its_end(write_here, spans):
    """One span that lacks its end is said with its line; what has mostly other lists has no spans."""
    rows = [{"text": TEXT, "spans": spans}, *JSON_ROWS]
    with pytest.raises(sa.InputError) as error:
        sa.read(write_here("a.jsonl", rows))
    assert str(error.value).startswith("a.jsonl:1: ")
    assert "end" in str(error.value)
    rows = [{"text": TEXT, "labels": cell} for cell in ([], [], [], ["x"])]
    with pytest.raises(sa.InputError, match="no spans or tags were found"):
        sa.read(write_here("a.jsonl", rows))


CONLL = "José\tB-PER\nsang\tO\n\nRome\tB-LOC\n"


@pytest.mark.parametrize("end", ["le", "be"])
def test_conll_in_utf_16(write_here, capsys, end):
    """A file with the mark of UTF-16 is read beside one in UTF-8.

    Oracle: both in UTF-8.
    """
    write_here("gold.conll", CONLL)
    write_here("mine.conll", CONLL)
    arguments = ["evaluate", "gold.conll", "mine.conll", "--scheme", "IOB2", "--format", "csv"]
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    write_here("mine.conll", f"\ufeff{CONLL}".encode(f"utf-16-{end}"))
    assert main(arguments) == 0
    assert capsys.readouterr().out == expected


SPANS = [{"start": 0, "end": 4, "label": "PER"}]


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ("I'm sorry, I can't.", 'spans "I\'m sorry, I can\'t."; neither … null where there was no answer'),
        ("n/a", "spans 'n/a'; neither …"),
        ("", "spans ''; neither …"),
        (0, "spans 0; a list …"),
        (False, "spans False; a list …"),
        (float("nan"), "spans nan; a list … or null"),
        ([None], "spans [None]; a list …"),
        ({"a": 1}, "spans {'a': 1}; …"),
        ({"error": "I cannot."}, "spans {'error': 'I cannot.'}; neither …"),
        ('[{"text": "Jo", "lab', 'spans \'[{"text": "Jo", "lab\'; the JSON of an answer that is cut off …'),
    ],
)  # fmt: skip
def test_one_odd_cell_among_spans(odd, message):
    """A system is not left out for one refusal: the row says what is odd in it."""
    rows = [{"text": TEXT, "gold": SPANS, "model": SPANS if i != 7 else odd} for i in range(20)]
    with refuses(sa.InputError, f"row 8, annotator 'model': {message}"):
        sa.read(rows)


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (["O"], "column 'model', row 4: 1 tag for 2 tokens; …"),
        (["O", "X"], "'model', document 4, token 2: unknown tag 'X'; …"),
        ("sorry", "column 'model', row 4: 'sorry'; a list of tags is needed"),
    ],
)
def test_one_odd_row_among_tags(odd, message):
    """Nor for one row that lacks a tag, or has an odd one."""
    tags = ["B-PER", "O"]
    rows = [
        {"tokens": ["Jo", "is"], "gold": tags, "model": odd if i == 3 else tags} for i in range(6)
    ]
    with refuses(sa.InputError, message):
        sa.read(rows)


@pytest.mark.parametrize("name", ["ner_tags", "bio", "labels"])
@pytest.mark.parametrize("tags", [["B-PER"], ["B-PER", "O", "O"], ["B-PER", "I-PER", "E-PER", "O"]])
@pytest.mark.parametrize("n_rows", [1, 3])
def test_no_row_has_a_tag_for_each_token(name, tags, n_rows):
    """Tags are not taken for quotes because their number is wrong in every row."""
    with refuses(sa.InputError, f"column '{name}', row 1: {len(tags)} … for 2 tokens; …"):
        sa.read([{"tokens": ["Jo", "Smith"], name: tags}] * n_rows)


def test_unmarked_rows_without_a_tag_for_each_token():
    """A usual name is enough where nothing is marked."""
    with refuses(sa.InputError, "column 'ner_tags', row 1: 1 tag for 2 tokens; …"):
        sa.read([{"tokens": ["Jo", "Smith"], "ner_tags": ["O"]}])


def test_quotes_that_look_like_tags():
    """A quote such as E-mail stands in the tokens, and is no tag."""
    corpus = sa.read([{"tokens": ["An", "E-mail", "of", "Jo"], "answer": ["E-mail"]}])
    assert corpus[0].segments["answer"] == ((1, 2, "span"),)


def test_mostly_odd_cells_are_said(write_here, capsys):
    """A column of which most are no spans is said to be passed over, also before an error."""
    rows = [{"text": TEXT, "gold": SPANS, "model": SPANS if i < 2 else "no"} for i in range(6)]
    corpus = sa.read(rows)
    assert corpus.annotators == ("gold",)
    assert "passed over: model" in corpus.notes[0]
    path = write_here("a.json", json.dumps(rows))
    assert main(["evaluate", str(path)]) == 1
    note, error = capsys.readouterr().err.splitlines()
    assert "passed over: model" in note
    assert error.startswith("spanagree: error: 1 annotator in the corpus")


@pytest.mark.parametrize("begun", [{}, {"bob": None}, {"bob": []}, {"bob": ""}])
@pytest.mark.parametrize("kind", ["rows", "file", "generator"])
def test_who_began_late(write_here, begun, kind):
    """Someone whose first spans come after the rows that are looked at is there all the same."""
    rows = [
        {
            "id": str(i),
            "text": TEXT,
            "ann": SPANS,
            "cy": SPANS,
            **({"bob": SPANS} if i >= 60 else begun),
        }
        for i in range(70)
    ]
    if begun == {"bob": ""}:  # an answer that is blank is an error of its row
        with refuses(sa.InputError, "… 1, annotator 'bob': spans ''; …"):
            sa.read(rows)
        return
    source = write_here("a.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    corpus = sa.read(source if kind == "file" else rows if kind == "rows" else iter(rows))
    assert sorted(corpus.annotators) == ["ann", "bob", "cy"]
    saw = int(corpus.layers["bob"].annotated.sum())
    assert saw == (70 if begun == {"bob": []} else 10)
    tags = [
        {
            "tokens": ["Jo", "is"],
            "ann": ["B-PER", "O"],
            **({"bob": ["B-PER", "O"]} if i > 60 else {}),
        }
        for i in range(70)
    ]
    assert sa.read(tags).annotators == ("ann", "bob")


@pytest.mark.parametrize(
    "answer",
    [
        {"PER": ["José"]},
        [["José", "PER"]],
        ["José"],
        '{"PER": ["José"]}',
        "<PER>José</PER> sang in Rome",
    ],
)
@pytest.mark.parametrize("name", ["llama", "answer"])
def test_answers_of_any_name_are_said(answer, name):
    """Quotes in a column beside columns of spans are passed over aloud, whatever its name."""
    rows = [{"text": TEXT, "gold": SPANS, "gpt": SPANS, name: answer} for _ in range(8)]
    corpus = sa.read(rows)
    assert corpus.annotators == ("gold", "gpt")
    assert f"passed over: {name}" in corpus.notes[0]


def test_tags_that_mostly_do_not_fit_are_said():
    """A column of tags that is too short in half of its rows is passed over aloud."""
    rows = [
        {"tokens": ["Jo", "is"], "gold": ["B-PER", "O"], "pred": ["B-PER", "O"] if i % 2 else ["O"]}
        for i in range(8)
    ]
    corpus = sa.read(rows)
    assert corpus.annotators == ("gold",)
    assert "passed over: pred" in corpus.notes[0]


@pytest.mark.parametrize("size", [2, 120])
def test_cells_as_numpy_writes_them(write_here, size):
    """Two texts side by side are two, as ``df.to_csv`` writes arrays, and not one that is joined."""
    tokens = [f"it's {i}" if i % 3 else "Rome" for i in range(size)]
    tags = ["B-LOC" if i % 2 else "O" for i in range(size)]
    frame = pd.DataFrame(
        {
            "id": [1, 2],
            "tokens": [np.array(tokens)] * 2,
            "gold": [np.array(tags)] * 2,
            "mine": [np.array(tags[::-1])] * 2,
        }
    )
    path = write_here("a.csv", frame.to_csv(index=False))
    expected = sa.read(
        [{"id": i, "tokens": tokens, "gold": tags, "mine": tags[::-1]} for i in (1, 2)]
    )
    for document, other in zip(sa.read(path), expected, strict=True):
        assert document.segments == other.segments
        assert document.tokens == other.tokens
    spans = [{"start": 0, "end": 2, "label": "P"}, {"start": 3, "end": 5, "label": "P"}]
    frame = pd.DataFrame({"text": ["Jo Al"], "gold": [np.array(spans)]})
    corpus = sa.read(write_here("b.csv", frame.to_csv(index=False)))
    assert [(s.start, s.end) for s in corpus[0].segments["gold"]] == [(0, 2), (3, 5)]
