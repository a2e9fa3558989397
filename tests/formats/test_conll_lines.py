"""Lines and parts of CoNLL files, against readers that go line by line."""

from __future__ import annotations

import os
import pickle
import re
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import spanagree as sa
from spanagree.arrays import encode_by_first_use
from spanagree.corpus import segments
from spanagree.corpus.same_texts import hash_texts
from spanagree.corpus.segments import TokenBytes
from spanagree.corpus.tags import parse_prefixed_tag
from spanagree.errors import InputError, escape_name, pluralize, quote_value
from spanagree.files import build_mark_error, yield_lines
from spanagree.formats.conll import fields, page
from spanagree.formats.conll import lines as conll_lines
from spanagree.formats.conll.head import infer_header

IS_DOCSTART = re.compile(r"[ \t]*-DOCSTART-(?=[ \t]|$)")

# --- the oracles: one line after the other --------------------------------------------------------


def slow_rows(text, columns, scheme, missing):
    """Which lines are rows of a token, by their numbers from 0."""
    rows, lines, doubtful, texts = [], [], [], []
    for number, line in enumerate(text.split("\n")):
        row = line.rstrip(" \r")
        if row.strip(" \t\r") and not IS_DOCSTART.match(row.strip(" \t\r")):
            if row[0] == "#":
                doubtful.append(len(rows))
            rows.append(slow_fields(row))
            lines.append(number)
            texts.append(row)
    tokens = slow_is_token(rows, doubtful, columns, scheme, missing)
    sure = [text for i, text in enumerate(texts) if i not in doubtful]
    parted = bool(sure) and all("\t" in text for text in sure)
    out = {
        lines[i]
        for i, token in zip(doubtful, tokens, strict=True)
        if not token or (parted and "\t" not in texts[i])
    }
    return {*lines} - out


def slow_parts(path, encoding, block, unit):
    """Line by line: text, lines before it, how many units; each ends behind the last row."""
    text = "".join(yield_lines(path, encoding))
    rows = slow_rows(text, [None], "auto", None)
    lines = re.findall("[^\n]*\n|[^\n]+", text)
    ends = []  # the line behind each sentence or document
    last = None
    for number, line in enumerate(lines):
        row = line.strip(" \t\r\n")
        ending = bool(IS_DOCSTART.match(row)) or (not row and unit == "sentence")
        if number in rows:
            last = number
        elif ending and last is not None:
            ends.append(last + 1)
            last = None
    borders = [0, *ends[block - 1 :: block]]
    for first, end in pairwise(borders):
        yield "".join(lines[first:end]), first, block
    rest = len(ends) % block + (last is not None)
    if rest:
        yield "".join(lines[borders[-1] :]), borders[-1], rest


SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S.*?)\s*")


def slow_page(path, text, before, columns, scheme, missing, unit):
    """Line by line, as a reader without arrays does."""
    name = escape_name(os.fspath(path))
    rows = []
    lines = []
    sentences = []  # after how many rows a sentence ends
    documents = []
    doubtful = []  # rows that begin with #
    comments = []
    tabbed = True
    for number, line in enumerate(text.split("\n"), before + 1):
        if line.startswith("\ufeff"):
            raise build_mark_error(f"{name}:{number}")
    for number, line in enumerate(text.split("\n"), before + 1):
        row = line.rstrip(" \r")  # a tab at the end says that the last column is empty
        if "\r" in row:
            raise InputError(
                f"{name}:{number}: a carriage return inside the line; lines end in LF or CRLF"
            )
        if not row.strip(" \t"):
            sentences.append(len(rows))
        elif "-DOCSTART-" in row and IS_DOCSTART.match(row):
            documents.append(len(rows))
        else:
            if row[0] == "#":
                doubtful.append(len(rows))
                comments.append(row)
            elif "\t" not in row:
                tabbed = False
            rows.append(slow_fields(row))
            lines.append(number)
    ids = []  # the number of rows above, the comment, its line
    odd = []
    if doubtful:
        tokens = slow_is_token(rows, doubtful, columns, scheme, missing)
        if tabbed and len(rows) > len(doubtful):  # all token rows have tabs
            tokens = [t and "\t" in row for t, row in zip(tokens, comments, strict=True)]
        keep = np.ones(len(rows) + 1, np.int64)
        keep[[i for i, token in zip(doubtful, tokens, strict=True) if not token]] = 0
        moved = np.cumsum(keep) - keep
        for i, token, comment in zip(doubtful, tokens, comments, strict=True):
            if not token and "\t" in comment:
                odd.append(lines[i])
            if not token and (match := SENT_ID.fullmatch(comment)):
                ids.append((int(moved[i]), f"# sent_id = {match[1]}", lines[i]))
        sentences, documents = moved[sentences].tolist(), moved[documents].tolist()
        rows = [row for row, k in zip(rows, keep.tolist(), strict=False) if k]
        lines = [line for line, k in zip(lines, keep.tolist(), strict=False) if k]
    if not rows:
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    width = len(rows[0])
    cut = [len(row) == width + 1 and not row[-1] for row in rows]  # as a tab at the end leaves it
    rows = [row[:width] if c else row for row, c in zip(rows, cut, strict=True)]
    slow_check_width(name, rows, lines, columns)
    ends = {0, len(rows)}
    of_documents = np.diff(sorted(ends.union(documents)))
    begins = sorted(ends.union(documents, sentences))
    return page.ConllFile(
        name,
        list(zip(*rows, strict=True)),
        np.array(lines),
        np.diff(begins),
        of_documents,
        page._find_ids(name, ids, np.array(begins[:-1]), "sentence")
        if unit == "sentence"
        else None,
        bool(documents),
        tuple(odd),
    )


def slow_fields(row):
    if "\t" in row:
        fields = row.split("\t")
        return [field.strip(" ") for field in fields] if " " in row else fields
    fields = row.split(" ")
    return [field for field in fields if field] if "" in fields else fields


def slow_is_token(rows, doubtful, columns, scheme, missing):
    """Which of the rows that begin with # have the columns and the tags of a token row."""
    apart = set(doubtful)
    sure = [row for i, row in enumerate(rows) if i not in apart]
    width = len(sure[0]) if sure else 0
    location = [-1 if c is None else c for c in columns]
    seen = {row[c] for row in sure for c in location if c < len(row)} - {""}

    def token(row):
        return 1 < len(row) > max(location) and all(
            row[c] in seen
            or row[c] == missing
            or row[c] == "O"
            or (
                len(row[c]) > 1 and parse_prefixed_tag(row[c], scheme)
            )  # a word such as I is no tag yet
            for c in location
        )

    if not sure:  # the first row that can be a token decides
        width = next((len(row) for row in rows if token(row)), 0)
    return [len(rows[i]) == width and token(rows[i]) for i in doubtful]


def slow_check_width(name, rows, lines, columns):
    width = len(rows[0])
    if width < 2:
        raise InputError(
            f"{name}:{lines[0]}: one column ({quote_value(rows[0][0])}); a token and at least one tag are"
            " needed"
        )
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise InputError(
                f"{name}:{line}: {pluralize(len(row), 'column')} ({quote_value(' '.join(row))});"
                f" the rows before it have {width}, and all need the same"
            )
    for column in columns:
        if column is not None and column >= width:
            raise InputError(
                f"{name}:{lines[0]}: no column {column}; there are columns 0 (the token) to"
                f" {width - 1}"
            )


# --- texts ----------------------------------------------------------------------------------------

PIECES = ("a O", "a\tO", "b\tB-X", "b B-X ", " c  O", "c \tI-X", "\tO", "a\tO\t", "-\tO", "a NN O", "x", "", " ", "\t ", " \r", "#", "# b", " # b O",
    "#\tO", "# O", "#h\tB-X", "#\tq", "# sent_id = 1", "# sent_id = 2", "#\tsent_id = 3 ", "-DOCSTART-", " -DOCSTART- O", "-DOCSTART-\tO", "-DOCSTART-\r", "-DOCSTART-ing\tO",
    "-DOCSTART-\rx O", "a -DOCSTART-", "a\rb O", "\r", "é\tO", "\u2028\x85\tO", "\ufeffa O", "-X")  # fmt: skip
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n"])


@st.composite
def texts(draw):
    few = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6))
    lines = draw(st.lists(st.tuples(st.sampled_from(few), ends), max_size=20))
    text = draw(st.sampled_from(["", "", "\ufeff"])) + "".join(line + end for line, end in lines)
    return text if draw(st.booleans()) else text.removesuffix("\n").removesuffix("\r")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return str(tmp_path_factory.mktemp("lines") / "file")


def outcome(read, *arguments):
    try:
        page = read(*arguments)
    except InputError as error:
        return str(error)
    values = [page.lines.tolist(), page.sentences.tolist(), page.documents.tolist()]
    return [page.columns, *values, page.ids, page.has_docstart, page.odd_comments]


@example("a O\na\tO\t", [None], "auto", None, "document", 1)
@given(texts(), st.sampled_from([[None], [1], [1, 2], [2, None]]), st.sampled_from(["auto", "IOB2", "IO"]),
    st.sampled_from([None, "q"]), st.sampled_from(sorted(page.UNITS)), st.integers(1, 20))  # fmt: skip
def test_pages(text, columns, scheme, missing, unit, portion):
    """Columns, lines, sentences, ids and errors are those of a reader that goes line by line."""
    options = page.ConllOptions(scheme=scheme, missing=missing, unit=unit)
    slow = outcome(slow_page, "name", text, 0, columns, scheme, missing, unit)
    head = infer_header(text, columns=columns, scheme=scheme, missing=missing)
    with patch.object(fields, "_PORTION", portion), patch.object(conll_lines, "_PORTION", portion):
        assert outcome(page.read_conll_file, "name", text, head, columns, options) == slow


words = st.text("abé\u2028😀", max_size=70).map(lambda word: word[:9] if len(word) < 60 else word)


@given(st.lists(words, max_size=40), st.integers(1, 20), st.data())
def test_fields(column, portion, data):
    """Fields are numbered, joined and compared, whatever their length, as Python's strings are."""

    def found(first):
        rows = fields.Lines.from_rows(f"{word}\t{len(word)}" for word in first)
        return rows.split_into_fields(np.ones(len(first), np.bool_)).select_ragged_column(0)

    other = list(column)
    if column:
        other[data.draw(st.integers(0, len(column) - 1))] = data.draw(words)
    with patch.object(fields, "_PORTION", portion), patch.object(segments, "_PORTION", portion):
        mine, its = found(column), found(other)
        assert [mine[i] for i in range(len(mine))] == list(mine.words) == column
        tokens = mine.copy_fields()
        assert tokens == tuple(column) == tokens
        assert (tokens == its.copy_fields()) == (column == other)
        assert (len(tokens), tokens[1:3]) == (len(column), tuple(column[1:3]))
        mine = found(column)
        numbers, names = mine.codes_and_words
        assert (numbers.tolist(), names) == (
            encode_by_first_use(column)[0].tolist(),
            encode_by_first_use(column)[1],
        )
        assert list(mine) == [mine[i] for i in range(len(mine))] == column
        assert mine[1:3] == tuple(column[1:3])
        assert (mine == its) == (column == other)
        assert mine == found(column)
        assert mine != found([]) or not column


@given(st.lists(words), st.lists(words), st.lists(st.tuples(words, words)))
def test_unlike(column, more, changed):
    """The places of tokens that differ are those where their strings do, as far as both go."""

    def joined(tokens):
        return TokenBytes("".join(f"{token}\n" for token in tokens).encode(), len(tokens))

    mine, its = ([*column, *(pair[i] for pair in changed), *column] for i in (0, 1))
    differ = [i for i, (a, b) in enumerate(zip(mine, its, strict=True)) if a != b]
    assert joined(mine).find_differences(joined([*its, *more])) == differ
    assert joined([*its, *more]).find_differences(joined(mine)) == differ


def test_equal_tokens_are_one_string(tmp_path):
    """Tokens that are equal are one string in memory, also of different parts of a file."""
    path = tmp_path / "a"
    path.write_text("Jo B-X\na O\nJo O\n")
    with patch.object(fields, "_PORTION", 1), patch.object(segments, "_PORTION", 1):
        first, _, third = sa.read_conll({"x": path}).tokens
    assert first is third


def test_tokens_are_strings_when_asked_for(tmp_path):
    """An evaluation makes no strings of tokens; a corpus has a tuple of them."""
    for name in "xy":
        (tmp_path / name).write_text("Jo B-X\na O\n\nJo O\n")
    files = {name: tmp_path / name for name in "xy"}
    whole = sa.read_conll(files)
    sa.evaluate(whole)
    again = pickle.loads(pickle.dumps(whole))
    for corpus in (whole, again):
        assert isinstance(vars(corpus)["tokens"], TokenBytes)
    assert whole.tokens == again.tokens == ("Jo", "a", "Jo") == vars(whole)["tokens"]
    assert whole.subset([1]).tokens == ("Jo",)
    assert whole == sa.read_conll(files)


def test_a_pattern_makes_no_strings_of_tokens(tmp_path):
    """Tokens of joined files stay bytes, and are those of the files, one after the other."""
    texts = {"a-x": "Jo B-X\na O\n\nJo O\n", "b-x": "é B-X\n\nat O\nhome O\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
        (tmp_path / name.replace("x", "y")).write_text(text, "utf-8")
    corpus = sa.read({name: f"{tmp_path}/*-{name}" for name in "xy"})
    sa.evaluate(corpus)
    assert isinstance(vars(corpus)["tokens"], TokenBytes)
    assert corpus.tokens == ("Jo", "a", "Jo", "é", "at", "home")
    assert corpus.lengths.tolist() == [2, 1, 1, 2]


@given(st.lists(st.lists(words)))
def test_texts_of_tokens(documents):
    """The hash of a text is that of its tokens, as bytes or as strings; 0 if they are blank."""
    tokens = [token for document in documents for token in document]
    lengths = np.array([*map(len, documents)], np.int64)
    joined = TokenBytes("".join(f"{token}\n" for token in tokens).encode(), len(tokens))
    as_strings, as_bytes = (sa.Corpus(lengths, {}, (), tokens=x) for x in (tuple(tokens), joined))
    hashes = hash_texts(as_bytes)
    assert isinstance(vars(as_bytes)["tokens"], TokenBytes) or not documents
    assert hashes.tolist() == hash_texts(as_strings).tolist()
    assert [bool(x) for x in hashes] == [bool("".join(d).strip()) for d in documents]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (b"a \xff\n", ":5: byte 0xff is not utf-8; --encoding"),
        (b"\na O\0\n", ":6: a NUL character: the file is binary, or in another encoding"),
        (b"# \xff", ":5: byte 0xff is not utf-8"),
    ],
)
def test_errors_name_lines(tmp_path, more, said):
    """What is no text is said with its line in the file, behind the last sentence too."""
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfa O\n\nb O\n\n" + more)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}{said}"):
        sa.read_conll({"x": path}, scheme="IOB2")
