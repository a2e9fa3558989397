"""The CoNLL reader: what it takes, and what it says of what it cannot take."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.files import choose_file_names, name_layers

FILE = "gold.conll"


def spans(corpus, layer=None):
    name = layer or corpus.annotators[0]
    return [d.segments[name] for d in corpus]


def tokens(corpus):
    return [d.tokens for d in corpus]


PLAIN = [(sa.Segment(0, 2, "PER"),), (sa.Segment(1, 2, "LOC"),)]


@pytest.mark.parametrize(
    "text",
    [
        "Jo\tB-PER\nDoe\tI-PER\n\nin\tO\nRome\tB-LOC\n",
        "Jo\tB-PER\nDoe\tI-PER\n\nin\tO\nRome\tB-LOC",
        "Jo B-PER\nDoe I-PER\n\nin O\nRome B-LOC\n",
        "Jo  B-PER\nDoe   I-PER \n\nin O\nRome B-LOC\n",
        " Jo B-PER\nDoe\tI-PER\n\nin O\nRome\tB-LOC\n",
        "Jo \tB-PER\nDoe\t I-PER\n \t \nin\tO\nRome\tB-LOC\n",
        "Jo\tB-PER\r\nDoe\tI-PER\r\n\r\nin\tO\r\nRome\tB-LOC\r\n",
        "\ufeffJo\tB-PER\nDoe\tI-PER\n\n\n\nin\tO\nRome\tB-LOC\n\n\n",
        "  -DOCSTART- O\n\nJo\tB-PER\nDoe\tI-PER\n-DOCSTART-\tO\nin\tO\nRome\tB-LOC\n",
        "# id = 1\nJo\tB-PER\nDoe\tI-PER\n\n#\n# a b c\nin\tO\nRome\tB-LOC\n",
        "Jo\tNNP\tB-PER\nDoe\tNNP\tI-PER\n\nin\tIN\tO\nRome\tNNP\tB-LOC\n",
    ],
)
def test_shapes_of_file(write, text):
    """Tabs or spaces, CRLF or LF, BOM, blank lines, -DOCSTART-, metadata, further columns."""
    corpus = sa.read_conll(write(text))
    assert spans(corpus) == PLAIN
    assert tokens(corpus) == [("Jo", "Doe"), ("in", "Rome")]
    assert corpus.annotators == ("gold.conll",)
    assert corpus.notes == ()


def test_hash_tokens(write):
    """A # line is a token where it can be one, and metadata where it cannot."""
    text = "# new = 1\n#\tO\n#tag\tB-X\n\n# O\n#1 B-Y\n# x y\n##\tO\n#no tag\n"
    corpus = sa.read_conll(write(text))
    assert tokens(corpus) == [("#", "#tag"), ("#", "#1", "##")]
    assert spans(corpus) == [(sa.Segment(1, 2, "X"),), (sa.Segment(1, 2, "Y"),)]


def test_hash_with_words_that_could_be_tags(write):
    """A word such as I in a comment is no tag; with --columns, the tag columns decide."""
    text = "# text = I\na NN NN B-X\nb NN NN I-X\n"
    assert tokens(sa.read_conll(write(text))) == [("a", "b")]
    text = "# B-X O x\na B-X O x\n# x O O\n"
    corpus = sa.read_conll(write(text), columns={"g": 1, "m": 2})
    assert tokens(corpus) == [("#", "a")]


def test_hash_with_bare_labels(write):
    """With bare labels, a # line is a token if its label occurs on another line."""
    corpus = sa.read_conll(write("# Comment\nJo PER\n# PER\n# I-PER\n"), scheme="IO")
    assert tokens(corpus) == [("Jo", "#", "#")]
    assert spans(corpus) == [(sa.Segment(0, 3, "PER"),)]


def test_hash_lines_that_look_like_rows(write):
    """A # line with a tab that is no row is passed over as metadata is, but said."""
    path = write("a\tB-X\n#b\tLOC\n#c\tB-X\tO\n# d O\n-DOCSTART-ing\tB-X\n")
    corpus = sa.read_conll(path)
    assert tokens(corpus) == [("a", "-DOCSTART-ing")]
    assert corpus.notes == (
        f"{path}:2: begins with # and has a tab, but neither the columns nor the tags of a token:"
        " passed over (2 such lines)",
    )


def test_unusual_tokens(write):
    """Empty tokens and Unicode spaces are tokens; U+2028 and U+0085 end no line."""
    corpus = sa.read_conll(write("\tO\n\u00a0\tO\n\u3000\tB-X\na\u2028b\x85c\x0bd\tI-X\n"))
    assert tokens(corpus) == [("", "\u00a0", "\u3000", "a\u2028b\x85c\x0bd")]
    assert spans(corpus) == [(sa.Segment(2, 4, "X"),)]


def test_units(write):
    """A document joins sentences between -DOCSTART- lines; segments still end with sentences."""
    text = "a\tB-X\n\nb\tI-X\n\n-DOCSTART-\tO\n\nc\tB-X\nd\tO\n\n-DOCSTART-\n-DOCSTART-\n\ne\tB-X\n"
    path = write(text)
    assert [d.length for d in sa.read_conll(path)] == [1, 1, 2, 1]
    corpus = sa.read_conll(path, unit="document")
    assert [d.length for d in corpus] == [2, 2, 1]
    assert spans(corpus) == [
        (sa.Segment(0, 1, "X"), sa.Segment(1, 2, "X")),
        (sa.Segment(0, 1, "X"),),
        (sa.Segment(0, 1, "X"),),
    ]
    assert corpus.reading["unit"] == "document"


def test_columns(write):
    """One file with a column for each layer; several files with the tag column of each."""
    text = "a NN B-X O\nb NN I-X B-Y\n"
    path = write(text, "all.conll")
    corpus = sa.read_conll(path, columns={"gold": 2, "mine": 3})
    assert corpus.annotators == ("gold", "mine")
    assert spans(corpus, "gold") == [(sa.Segment(0, 2, "X"),)]
    assert spans(corpus, "mine") == [(sa.Segment(1, 2, "Y"),)]
    corpus = sa.read_conll({"g": path, "m": write(text, "b.conll")}, columns={"g": 2})
    assert spans(corpus, "g") == [(sa.Segment(0, 2, "X"),)]
    assert spans(corpus, "m") == [(sa.Segment(1, 2, "Y"),)]
    assert spans(sa.read_conll(path, columns={"all.conll": 2})) == [(sa.Segment(0, 2, "X"),)]


def test_encodings(write):
    """UTF-8 unless another is named."""
    latin = write("Müller\tB-PER\n".encode("latin-1"))
    assert tokens(sa.read_conll(latin, encoding="latin-1")) == [("Müller",)]
    wide = write("Müller\tB-PER\n".encode("utf-16"), "wide")
    assert tokens(sa.read_conll(wide, encoding="utf-16")) == [("Müller",)]


def test_repairs_are_noted(write):
    """Ill-formed tags are counted and named by file and scheme; strict ones are not counted."""
    a = write("a\tB-X\nb\tI-X\nc\tB-Y\n\nd\tI-X\n\ne\tB-X\nf\tI-Y\n")
    b = write("a\tB-X\nb\tI-X\nc\tO\n\nd\tO\n\ne\tO\nf\tB-X\n", "b")
    corpus = sa.read_conll([a, b])
    assert corpus.notes == ("gold.conll: 2 ill-formed tags read as conlleval does (IOB2)",)
    assert corpus.reading["schemes"] == {"gold.conll": "IOB2", "b": "IOB2"}
    strict = sa.read_conll([a, b], strict=True)
    assert strict.notes == (
        "gold.conll: 2 tags outside every well-formed IOB2 segment not counted (strict)",
    )


def test_ignore_tokens(write):
    """Aligned by position on request; how many tokens differ is noted, and is in the signature."""
    a, b = write("a\tB-X\nb\tO\n"), write("a\tB-X\nB\tO\n", "b")
    corpus = sa.read_conll([a, b], ignore_tokens=True)
    assert corpus.notes == (f"{b}: 1 token not as in {a}, aligned by position",)
    assert tokens(corpus) == [("a", "b")]
    assert "tokens:ignored" in sa.evaluate(corpus).signature


def test_progress(write):
    """Progress is told after each layer."""
    told = []
    sa.read_conll(
        [write("a O\n"), write("a O\n", "b")], progress=lambda *numbers: told.append(numbers)
    )
    assert told == [(0, 2), (1, 2), (2, 2)]


words = st.text(
    st.characters(exclude_characters="\t\n\r ", exclude_categories=("Cs",)), min_size=1
).filter(lambda w: "\0" not in w and not w.startswith(("#", "-DOCSTART-", "\ufeff")))
rows = st.tuples(words, st.sampled_from(["O", "B-X", "I-X", "B-a-b"]))


@pytest.mark.long
@given(st.lists(st.lists(rows, min_size=1), min_size=1), st.sampled_from(["\t", " "]))
def test_any_text(tmp_path_factory, sentences, separator):
    """Any tokens come back as they were written."""
    path = tmp_path_factory.mktemp("any") / "file"
    text = "\n\n".join("\n".join(separator.join(row) for row in s) for s in sentences)
    path.write_bytes(text.encode())
    corpus = sa.read_conll(path)
    assert tokens(corpus) == [tuple(token for token, _ in s) for s in sentences]
    assert corpus == sa.from_tags(
        {"file": [[tag for _, tag in s] for s in sentences]},
        tokens=[[token for token, _ in s] for s in sentences],
    )


BAD = {
    # what: text, message behind the file's name
    "empty": ("", ": no token rows"),
    "blank": (" \n\t\n", ": no token rows"),
    "only comments": ("# a\n# b c\n", ": no token rows"),
    "one column": ("a\nb\n", ":1: one column ('a') … at least one tag"),
    "short row": ("a NN O\n\nb O\n", ":3: 2 columns ('b O') … 3"),
    "long row": ("a O\nb O O\n", ":2: 3 columns ('b O O') … 2"),
    "row without a tag": ("a\tO\nb\n", ":2: 1 column ('b') … 2"),
    "unknown prefix": ("a O\n\nb X-PER\n", ":3: unknown tag 'X-PER'; allowed: O … B- I- E- S- M- L- U- W- … --scheme IO (scheme='IO')"),
    "bare label": ("a O\nb PER\n", ":2: unknown tag 'PER'; allowed: O … B- I- E- S- M- L- U- W- … --scheme IO (scheme='IO')"),
    "blank tag": ("a\t\tO\nb\t \tO\nc\tx\tB-\n", ":3: unknown tag 'B-'; allowed: O … --scheme IO"),
    "control characters": ("a O\nb \x1b[31m\n", ":2: unknown tag '\\x1b[31m'; allowed: O … --scheme IO"),
    "wrong encoding": (b"a O\nM\xfcller O\n", ":2: byte 0xfc … utf-8 … --encoding (encoding=)"),
    "utf-16 without its mark": ("ü O\n".encode("utf-16-le"), ": is not text in utf-8 … --encoding (encoding=)"),
    "binary": (b"a O\n\0\0", ":2 … NUL … --encoding (encoding=)"),
    "carriage returns": ("a O\rb O\r\n", ":1: a carriage return … LF or CRLF"),
    "empty last column": ("a\tO\t\nb\tO\t\n", ":1: unknown tag '' … O … delete a tab … --missing (missing=)"),
    "joined": ("a O\n\n\ufeffb O\n", ":3: a byte order mark … delete it"),
    "a column more": ("a\tO\nb\tO\tx\n", ":2: 3 columns ('b O x') … 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_files(write, what):
    """A file that cannot be taken is refused; the message names file, line and value."""
    text, message = BAD[what]
    path = write(text)
    with refuses(sa.InputError, f"{path}{message}") as error:
        sa.read_conll(path)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("a O\nb O\n", "a O\nB O\n", "{1}:2: token 'B'; {0}:2 has 'b' … --ignore-tokens (ignore_tokens=True)"),
        ("a O\n\nb O\n", "a O\nb O\n", "{1}:2: a sentence begins at 'b' … {0}:3 (1 and 2 sentences)"),
        ("a O\n\nb O\n", "a O\n", "{0}:3: token 'b' is missing in {1} … (1 and 2 sentences) … --missing ? (missing='?') … '# sent_id = ID'"),
        ("a O\n", "a O\n\nb O\n", "{1}:3: token 'b' is missing in {0} … (2 and 1 sentences) … --missing ? (missing='?') … '# sent_id = ID'"),
        ("a O\n\nb O\n\nc O\n", "a O\n\nc O\n", "{1}:3: token 'c'; {0}:3 has 'b' … (2 and 3 sentences) … --missing ? (missing='?') … '# sent_id = ID'"),
    ],
)  # fmt: skip
def test_texts_that_differ(write, first, second, message):
    """Layers of different text are refused at the first difference."""
    paths = write(first), write(second, "mine.conll")
    with refuses(sa.InputError, message.format(*paths)):
        sa.read_conll(paths)


def test_documents_that_differ(write):
    """With whole documents, these must begin at the same tokens too."""
    a, b = write("a O\n\nb O\n"), write("a O\n\n-DOCSTART- O\n\nb O\n", "b")
    assert len(sa.read_conll([a, b])) == 2
    with refuses(sa.InputError, "… b:5: a document begins at 'b'") as e:
        sa.read_conll([a, b], unit="document")
    assert "(2 and 1 documents)" in str(e.value)
    notes = sa.read_conll(a, unit="document").notes
    assert notes == ("no -DOCSTART- line: all sentences are one document",)


def test_ignored_tokens_still_need_sentences(write):
    """By position means sentence by sentence."""
    with pytest.raises(sa.InputError, match=":2: a sentence begins at 'y' in only one"):
        sa.read_conll([write("a O\n\nb O\n"), write("x O\ny O\n", "b")], ignore_tokens=True)


def test_what_a_file_that_lacks_a_sentence_needs(write):
    """Both ways that the message names leave the sentence out for the layer that lacks it."""
    gold = write("a O\n\nb O\n")
    marked = sa.read_conll([gold, write("a O\n\nb ?\n", "mine.conll")], missing="?")
    gold = write("# sent_id = 1\na O\n\n# sent_id = 2\nb O\n")
    by_id = sa.read_conll([gold, write("# sent_id = 1\na O\n", "mine.conll")])
    for corpus in (marked, by_id):
        assert [layer.annotated.tolist() for layer in corpus.layers.values()] == [
            [True, True],
            [True, False],
        ]


def test_files_that_are_none(tmp_path):
    """Missing files, folders, odd names."""
    missing = str(tmp_path / "no")
    for path, message in (
        (3, "3 is not a path"),
        ([3], "3 is not a path"),
        (missing, f"{missing}: no such file"),
        (
            str(tmp_path),
            f"{tmp_path}: is a folder … 'FOLDER/*.conll'",
        ),
        ("a\0b", "a\\x00b: cannot be read … null byte"),
        ("", "'' … a file's name"),
    ):
        with refuses(sa.InputError, message):
            sa.read_conll(path)
    with pytest.raises(sa.InputError, match="no file; at least one is needed"):
        sa.read_conll([])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": {"gold": 5}}, "{0}:1: no column 5 … 0 (the token) to 1"),
        ({"columns": {"gold": 0}}, "column 0 of 'gold' … names … numbers from 1"),
        ({"columns": {"gold": 1.5}}, "column 1.5 of 'gold' … names … numbers from 1"),
        ({"columns": 1.5}, "columns 1.5 … {{\"gold\": 1}} … \"1-3\" or \"all\""),
        ({"columns": [0]}, "columns [0] … names … numbers from 1 … once"),
        ({"columns": ["1", "1"]}, "columns ['1', '1'] … names … numbers from 1 … once"),
        ({"columns": "2"}, "{0}:1: no column 2 … 0 (the token) to 1"),
        ({"columns": "1-3"}, "columns 1-3 … columns 1 to 1"),
        ({"sentences_from": "a"}, "sentences_from … --unit document (unit='document')"),
        ({"sentences_from": "b", "unit": "document"}, "unknown annotator for sentences_from 'b'; allowed: gold.conll"),
        ({"columns": {"gold": 10**5000}}, "{0}:1: no column <int> … 0 (the token) to 1"),
        ({"missing": [1]}, "missing [1] … '?'"),
        ({"repair": 3}, "unknown repair 3; allowed: join-pieces"),
        ({"unit": "page"}, "unknown unit 'page'; allowed: sentence, document"),
        ({"scheme": "BOI"}, "unknown scheme 'BOI'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU"),
        ({"encoding": "utf-9"}, "unknown encoding 'utf-9' … utf-8, latin-1"),
    ],
)  # fmt: skip
def test_settings(write, settings, message):
    """Choices that do not exist are refused, and the existing ones named."""
    path = write("a O\n")
    with refuses(sa.SpanAgreeError, message.format(path)):
        sa.read_conll(path, **settings)


def test_columns_of_no_layer(write):
    """With several files, columns belong to their layers."""
    files = {"a": write("a O\n"), "b": write("a O\n", "b")}
    with refuses(sa.SettingError, "columns name 'c' … a, b"):
        sa.read_conll(files, columns={"c": 1})


def test_unknown_columns_are_named_in_order(write):
    """The first column that is not a layer is named, whatever the order of a set."""
    files = {"a": write("a O\n"), "b": write("a O\n", "b")}
    for names in ("cdefgh", "hgfedc"):
        with pytest.raises(
            sa.SettingError, match=f"^columns name '{names[0]}', which is no annotator"
        ):
            sa.read_conll(files, columns=dict.fromkeys(names, 1))


def test_long_comments(write):
    """The ids of sentences end before the blanks behind them; many blanks take no longer."""
    text = "# sent_id = 1 \t\na O\n\n#sent_id=" + " \t" * 100_000 + "b c\nb O\n"
    assert sa.read_conll(write(text)).ids == ("1", "b c")


OWN = '# spanagree = {"columns": ["a", "b"], "missing": "?"}\n'
HEADERS = {
    # what: text, message behind the file's name
    "other order": (f"{OWN}x\tO\tO\n\n" + OWN.replace('"a", "b"', '"b", "a"') + "y\tO\tO\n", ":4: a line of columns' names ('# spanagree = {{\"columns\": [\"b\", \"a\"], \"missing\": \"?\"}}') … pattern in quotes"),
    "below another": (f"# by us\n{OWN}x\tO\tO\n", ":2: a line of columns' names ('# spanagree = {{\"columns\": [\"a\", \"b\"], \"missing\": \"?\"}}') … pattern in quotes"),
    "twice": (OWN.replace('"b"', '"a"') + "x\tO\tO\n", ":1 … 'a' twice ('# spanagree = {{\"columns\": [\"a\", \"a\"], \"missing\": \"?\"}}') … --columns (columns=)"),
    "cut": (OWN[:28] + "\nx\tO\tO\n", ":1 … damaged ('# spanagree = {{\"columns\": [\"') … --columns (columns=)"),
    "deep": ("# spanagree = " + "[" * 100_000 + "\nx\tO\tO\n", ":1 … damaged ('# spanagree = " + "[" * 44 + "…) … --columns (columns=)"),
    "a name": ('# spanagree = {"columns": "ab"}\nx\tO\tO\n', ":1 … damaged ('# spanagree = {{\"columns\": \"ab\"}}') … --columns (columns=)"),
    "a list": ('# spanagree = {"columns": ["a", "b"], "missing": ["?"]}\nx\tO\tO\n', ":1 … damaged ('# spanagree = {{\"columns\": [\"a\", \"b\"], \"missing\": [\"?\"]}}') … --columns (columns=)"),
    "too few": (OWN.replace(', "b"', "") + "x\tO\tO\n", ": 2 columns … names 1 … --columns (columns=)"),
    "too many": (OWN.replace('"b"', '"b", "c"') + "x\tO\tO\n", ":2: no column 3 … 0 (the token) to 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", HEADERS)
def test_names_of_columns_that_cannot_be(write, what):
    """A first line of ours that is damaged, or another below, is not passed over."""
    text, message = HEADERS[what]
    path = write(text)
    with refuses(sa.InputError, f"{path}" + message.replace("{{", "{").replace("}}", "}")):
        sa.read_conll(path)
    if ":1:" in message or what == "too few":  # named columns need no line
        assert sa.read_conll(path, columns={"c": 1}).annotators == ("c",)


def test_joined_files_of_ours(write):
    """Files of ours joined in one are read where their columns are the same."""
    one, other = f"{OWN}x\tB-X\tO\n\n", f"{OWN}y\tO\tB-Y\n\n"
    path = write(one + other)
    whole = sa.read_conll(path)
    assert [spans(whole, name) for name in "ab"] == [[((0, 1, "X"),), ()], [(), ((0, 1, "Y"),)]]
    turned = write(one + other.replace('"a", "b"', '"b", "a"'), "turned")
    for files, columns in ((turned, None), ({"a": turned, "b": path}, 1)):
        with pytest.raises(sa.InputError, match="turned:4: a line of columns' names"):
            sa.read_conll(files, columns=columns, scheme="IOB2")


def test_names():
    """Layers are called as their files, with folders where that alone tells them apart."""
    assert choose_file_names(["x/a.conll", "y/b.conll"]) == ["a.conll", "b.conll"]
    assert choose_file_names(["x/a", "y/a", "z/b"]) == ["x/a", "y/a", "b"]
    assert choose_file_names(["p/x/a", "q/x/a"]) == ["p/x/a", "q/x/a"]
    assert choose_file_names(["a", "x/a"]) == ["a", "x/a"]
    here = Path.cwd()
    assert choose_file_names(["."]) == [here.name]
    assert choose_file_names([".."]) == [here.parent.name]
    assert choose_file_names(["x/a", "-"], taken_names=["a"]) == ["x/a", "stdin"]
    assert name_layers({"n": "x/a"}) == {"n": "x/a"}
    with refuses(sa.InputError, "… ./a: the same file as a … NAME=FILE"):
        choose_file_names(["a", "./a"])


def test_tokens_in_another_unicode_form(tmp_path):
    """Two tokens that look the same are told apart by the sentence: é, and e with an accent."""
    for name, word in {"a": "Jo\u00e9", "b": "Joe\u0301"}.items():
        (tmp_path / name).write_text(f"{word} B-PER\n", "utf-8")
    with refuses(
        sa.InputError, "… in another Unicode form, and all annotators need the same text …"
    ):
        sa.read_conll([tmp_path / "a", tmp_path / "b"])
