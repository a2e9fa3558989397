"""One CoNLL page: the lines of a file as rows, columns and sentences."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, entries
from spanagree.corpus.tag_columns import TagOptions
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    counted,
    is_iterable,
    listed,
    printable,
    show,
)
from spanagree.files import BOM, PathName, mark_inside
from spanagree.formats.conll.columns import (
    NO_NAMES,
    OWN,
    Column,
    Layout,
    fields_of,
    is_column,
    layout_of,
    number_of,
    with_brackets,
)
from spanagree.formats.conll.fields import Fields, Lines
from spanagree.formats.conll.head import (
    MARK,
    SENT_ID,
    Head,
    first_lines,
    head_of,
    id_in,
    rows_above,
)
from spanagree.formats.conll.lines import LineKind, kinds_of_lines, without_returns
from spanagree.formats.conll.parts import FilePart, TextPart, no_rows
from spanagree.settings import as_read

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- or newdoc lines are one document",
}
"""The text that one random annotation fills."""


_WORD, _NAME = 3, 10  # the columns of CoNLL-2012
_WIDEST = 10_000  # columns, of which each costs time and memory


@dataclass(frozen=True)
class ConllOptions(TagOptions):
    """How files are read, as in :func:`read_conll`; ``chosen`` is what the signature needs."""

    unit: str = "sentence"
    columns: Mapping[str, Column] | Column | Sequence[Column] = field(default_factory=dict)
    encoding: str = "utf-8"
    ignore_tokens: bool = False
    missing: str | None = None
    repair: str | Sequence[str] = ()
    sentences_from: str | None = None
    attributes: Sequence[Column] = ()
    heads: Mapping[PathName, Head] = field(default_factory=dict)
    own_lines: Mapping[PathName, str] = field(default_factory=dict)  # first lines that we wrote
    own_columns: bool = False  # whether the columns are those that such a line names
    chosen: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        check_choice(self.unit, UNITS, "unit")
        if not isinstance(self.columns, (Mapping, str, int, list, tuple)):
            raise SettingError(
                f"columns {show(self.columns)}; the number or name of a column by the name of its"
                ' annotator, such as {"gold": 1}, or columns such as "1-3" or "all" are needed'
            )
        if self.sentences_from is not None and self.unit != "document":
            raise SettingError(
                "sentences_from is for --unit document (unit='document'); sentences that are"
                " documents have to be the same in all files"
            )
        if isinstance(self.attributes, str) or not is_iterable(self.attributes):
            raise SettingError(
                f"attributes {show(self.attributes)}; a list of columns is needed, such as"
                " ['NEL-LIT']"
            )
        if not isinstance(self.missing, (str, type(None))):
            raise SettingError(f"missing {show(self.missing)}; a tag is needed, such as '?'")
        if self.chosen is None:  # before what a file declares is added
            given = {} if self.missing is None else {"missing": self.missing}
            given |= as_read(
                self.encoding, columns=self.columns or None, sentences_from=self.sentences_from
            )
            object.__setattr__(self, "chosen", given)
        super().__post_init__()

    def declared(
        self, files: Mapping[str, PathName], first: Mapping[PathName, str]
    ) -> ConllOptions:
        """Return the options with what the first lines of files say.

        Raises:
            InputError: for a line of ours that is damaged, where it has to name the columns.
        """
        line = {path: text.split("\n", 1)[0].rstrip(" \r") for path, text in first.items()}
        ours = {path: opening for path, opening in line.items() if opening.startswith(OWN)}
        options = replace(self, own_lines=ours)
        if len(files) == 1 and not self.columns and ours:
            ((path, opening),) = ours.items()
            names, missing = _named_in(opening, f"{printable(os.fspath(path))}:1")
            options = replace(
                options,
                columns={name: i for i, name in enumerate(names, 1)},
                missing=missing if self.missing is None else self.missing,
                own_columns=True,
            )
        heads = {path: options.head(path, files, text) for path, text in first.items()}
        return replace(options, heads=heads)

    def head(self, path: PathName, files: Mapping[str, PathName], first: str) -> Head:
        """Return what the first lines of a file settle."""
        columns: list[Any] = [self.columns]
        if isinstance(self.columns, Mapping):
            of_path = (name for name in files if files[name] == path)
            is_single = len(files) == 1
            columns = [*self.columns.values()] if is_single else [*map(self.columns.get, of_path)]
        return self.head_by(first, [column for column in columns if is_column(column)])

    def head_by(self, first: str, columns: Sequence[Column | None]) -> Head:
        """Return what the first lines of a file settle, of which some columns are named."""
        layout = layout_of(first)
        where = [None if column is None else number_of(column, layout) for column in columns]
        return head_of(
            first,
            where=where or [None],
            scheme=self.scheme,
            missing=self.missing,
            layout=layout,
        )


def _named_in(line: str, where: str) -> tuple[list[str], str | None]:
    """Return the names of the columns that a line of ours has, and ``missing``."""
    try:
        written: Any = json.loads(line.removeprefix(OWN))
    except (ValueError, RecursionError):
        written = None
    names: Any = written.get("columns") if isinstance(written, dict) else None
    missing: Any = written.get("missing") if isinstance(written, dict) else None
    problem = ""
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) and name for name in names)
        or not isinstance(missing, (str, type(None)))
    ):
        problem = "is damaged"
    elif len(set(names)) < len(names):
        problem = f"has the name {show(max(names, key=names.count))} twice"
    if problem:
        raise InputError(
            f"{where}: the line of the columns' names {problem} ({show(line)}); mend it, or name"
            " the columns with --columns (columns=)"
        )
    return names, missing


@dataclass(frozen=True)
class Page:
    """What is in one file: its columns, and where sentences and documents end."""

    name: str
    columns: list[Sequence[str]]
    lines: Ints  # the line number of each token
    sentences: Ints  # the number of tokens of each sentence
    documents: Ints
    ids: tuple[str, ...] | None  # of the sentences
    has_docstart: bool = False
    odd_comments: tuple[int, ...] = ()  # lines that begin with #, have a tab, and are not rows
    document_ids: tuple[str, ...] | None = None
    layout: Layout = NO_NAMES
    passed: Mapping[str, int] = field(default_factory=dict)  # rows that are not tokens, by kind

    def where(self, token: int) -> str:
        """Return file and line of a token."""
        return f"{self.name}:{self.lines[token]}"

    def begins(self, unit: str) -> Ints:
        """Return the first token of each sentence, or document."""
        sizes = self.sentences if unit == "sentence" else self.documents
        return np.cumsum(sizes) - sizes

    @property
    def wholes(self) -> Ints:
        """The number of the document of each sentence."""
        ends = np.cumsum(self.documents)
        return np.searchsorted(ends, self.begins("sentence"), side="right")

    def part(self, sentences: list[int]) -> Page:
        """Return some sentences of the page."""
        tokens = self.take(sentences)
        sizes = self.sentences[sentences]
        words = tuple(self.columns[0][i] for i in tokens.tolist())
        ids = tuple(self.ids[i] for i in sentences) if self.ids else None
        return Page(self.name, [words], self.lines[tokens], sizes, sizes, ids)

    def take(self, sentences: list[int]) -> Ints:
        """Return the tokens of some sentences, in a row."""
        return entries(self.sentences, np.array(sentences, np.int64))

    def placed(self, codes: Ints, text: Page) -> tuple[Ints, Bools | None]:
        """Return codes of this page at their places in the text, and which sentences it lacks."""
        if self.ids == text.ids or self.ids is None or text.ids is None:
            return codes, None
        mine = {id_: i for i, id_ in enumerate(self.ids)}
        there = [i for i, id_ in enumerate(text.ids) if id_ in mine]
        everywhere = np.full(len(text.lines), -1)
        everywhere[text.take(there)] = codes[self.take([mine[text.ids[i]] for i in there])]
        never = np.ones(len(text.ids), np.bool_)
        never[there] = False
        return everywhere, never

    def line_of(self, token: int, text: Page) -> str:
        """Return where a token of the whole text stands in this file."""
        return self.where(int(self.placed(np.arange(len(self.lines)), text)[0][token]))


def _lines_of(name: str, text: str, before: int, head: Head) -> tuple[Lines, Ints, dict[str, int]]:
    """Return the lines of a text, with tabs between the fields of rows where a sign separates them.

    With them comes what each is, and how many rows are not tokens, by kind.

    Raises:
        InputError: for a byte order mark or a carriage return inside, and what is not valid CSV.
    """
    if BOM in text:
        for number in (n for n, line in _numbered(text, before) if line.startswith(BOM)):
            raise mark_inside(f"{name}:{number}")
    data = (text if text.endswith("\n") else f"{text}\n").encode(errors="surrogatepass")
    data = without_returns(data)
    if b"\r" in data:
        numbered = enumerate(data.split(b"\n"), before + 1)
        number = next(number for number, line in numbered if b"\r" in line)
        raise InputError(
            f"{name}:{number}: a carriage return inside the line; lines end in LF or CRLF"
        )
    starts, kinds = kinds_of_lines(data)
    header = head.layout.header and not before
    kinds, passed = head.settled(data, starts, kinds, header=header)
    lines = Lines(data, starts)
    if head.layout.sign != "\t":
        rows = np.flatnonzero((kinds == LineKind.ROW) | (kinds == LineKind.OTHER))
        lines = _unquoted(name, lines, rows.tolist(), head.layout.sign)
    return lines, kinds, passed


def _numbered(text: str, before: int) -> Iterable[tuple[int, str]]:
    return enumerate(text.split("\n"), before + 1)


def _unquoted(name: str, lines: Lines, rows: list[int], sign: str) -> Lines:
    """Return lines of which the rows have tabs in place of commas or semicolons."""
    try:
        fields = [
            "\t".join(row) for row in csv.reader(map(lines.__getitem__, rows), delimiter=sign)
        ]
    except csv.Error as error:
        raise InputError(f"{name}: not valid CSV ({error}); mend it, or write tabs") from None
    if len(fields) != len(rows):
        raise InputError(
            f"{name}: {counted(len(rows), 'line')} have {counted(len(fields), 'row')}, as a quoted"
            " field goes over several; each token has a line of its own"
        )
    texts = [lines[i] for i in range(len(lines.starts) - 1)]
    for i, row in zip(rows, fields, strict=True):
        texts[i] = row
    return Lines.of(texts)


def read_page(
    path: PathName,
    part: FilePart | TextPart,
    columns: Sequence[Column | None],
    options: ConllOptions,
) -> Page:
    """Return what is in a file, or in a part of it; ``columns`` are those that are wanted.

    Raises:
        InputError: for rows of different width, columns that are not there, ids that repeat.
    """
    name, before = printable(os.fspath(path)), part.before
    head = options.heads.get(path) or options.head_by(first_lines(part.text), columns)
    layout, is_whole = head.layout, part.is_whole
    lines, kinds, passed = _lines_of(name, part.text, before, head)
    del part  # its text is no longer needed
    keep = kinds == LineKind.ROW
    wanted = [None if c is None else number_of(c, layout) for c in columns]
    if not keep.any():
        raise no_rows(path)
    at = _numbers(keep, before + 1)
    if layout.ragged:
        table, cut = _ragged(lines, keep), 0
    else:
        table, cut = _table(name, lines, keep, at, head.width)
    others = np.flatnonzero(~keep)
    named = _among_rows(lines, np.flatnonzero(kinds == LineKind.COMMENT), others, before)
    declarations = {line: comment for _, comment, line in named if comment.startswith(OWN)}
    _check_columns(name, len(table), wanted, int(at[0]), declarations, options, path)
    column = layout.people
    if column is not None and len(people := table[column].numbered[1]) > 1:
        raise InputError(
            f"{name}: the column {layout.called(column)} names {listed(people)}, and a token has"
            " one row here; give each annotator a column of tags, or a file"
        )
    marks = _among_rows(lines, np.flatnonzero(kinds == LineKind.DOCSTART), others, before)
    breaks = {what: _changes(table, column) for what, column in layout.breaks.items()}
    if len(table) == 2 and not layout.token:  # the tags are wanted then, and not where they stand
        _ = table[1].numbered
    documents = sorted({0, len(at), *(i for i, _, _ in marks), *breaks["document"]})
    ends = np.zeros(len(at) + 1, np.bool_)  # of sentences
    blank = rows_above(np.flatnonzero(kinds == LineKind.BLANK), others)
    for some in (documents, blank, np.array(breaks["sentence"], np.int64)):
        ends[some] = True
    sentences = np.flatnonzero(ends)
    by_sentence = options.unit == "sentence"
    ids = _ids(
        name,
        named if by_sentence else marks,
        sentences[:-1] if by_sentence else np.array(documents[:-1]),
        at,
        "sentence" if by_sentence else "document",
        None if is_whole else head.has_ids,
    )
    return Page(
        name,
        [table[layout.token].joined(), *(_opened(c) if layout.ragged else c for c in table[1:])],
        at,
        np.diff(sentences),
        np.diff(documents),
        ids if by_sentence else None,
        len(documents) > 2 or bool(marks),
        tuple(line for _, comment, line in named if "\t" in comment),
        None if by_sentence else ids,
        layout,
        passed | ({"empty last cell": cut} if cut else {}),
    )


def _numbers(keep: Bools, first: int) -> Ints:
    """Return the numbers of the lines that are kept, in small numbers: new memory is slow."""
    end = first + len(keep)
    return np.arange(first, end, dtype=np.min_scalar_type(-end - 1))[keep]


def _among_rows(lines: Lines, which: Ints, others: Ints, before: int) -> list[tuple[int, str, int]]:
    """Return how many rows are above each of some lines, its text and its number.

    ``others`` are the places of lines that are not rows, ``before`` counts those of other parts.
    """
    above = rows_above(which, others).tolist()
    texts = [text.rstrip(" ") for text in lines.texts(which)]
    numbers = (which + (before + 1)).tolist()
    return list(zip(above, texts, numbers, strict=True))


def _changes(table: Sequence[Sequence[str]], column: int | None) -> list[int]:
    """Return where the value of a column that is not empty is not the one before."""
    values = () if column is None else table[column]
    pairs = pairwise(values)
    return [i for i, (old, new) in enumerate(pairs, 1) if new and new != old]


def _check_columns(
    name: str,
    width: int,
    wanted: Sequence[int | None],
    row: int,
    declarations: dict[int, str],
    options: ConllOptions,
    path: PathName,
) -> None:
    """Refuse columns that are not there, or are not as a first line of ours says.

    Args:
        name, path: of the file.
        width: how many columns there are.
        wanted: those that are read.
        row: the line of the first token.
        declarations: lines of columns' names by their numbers.
        options: how the file is read.
    """
    names = options.heads.get(path, Head()).layout.names
    if len(names) not in (0, width) and names[0]:  # ours have none for the token
        raise InputError(
            f"{name}:{row}: {counted(width, 'column')}, but {counted(len(names), 'name')} of"
            f" columns ({listed(names)}); each column needs one"
        )
    missing = [column for column in wanted if column is not None and column >= width]
    if missing:
        raise InputError(
            f"{name}:{row}: no column {show(missing[0])}; there are columns 0 (the token) to"
            f" {width - 1}"
        )
    if options.own_columns and width - 1 > len(wanted):
        raise InputError(
            f"{name}: {counted(width - 1, 'column')} of tags, but the first line names"
            f" {len(wanted)}; mend it, or name the columns with --columns (columns=)"
        )
    for number, line in declarations.items():
        if line != options.own_lines.get(path):
            raise InputError(
                f"{name}:{number}: a line of columns' names ({show(line)}), and not the first"
                " line's; files joined in one need the same columns: name them by one pattern in"
                " quotes instead"
            )


def _ids(
    name: str,
    lines: list[tuple[int, str, int]],
    begins: Ints,
    at: Ints,
    unit: str,
    promised: bool | None,
) -> tuple[str, ...] | None:
    """Return the ids of sentences or documents, where each has one.

    Args:
        name: of the file.
        lines: those that may name one: how many rows are above each, its text and number.
        begins: the first row of each sentence or document.
        at: the number of the line of each row.
        unit: what it is that has ids.
        promised: whether each has one, as the beginning of the file shows, of which this is a
            part; None for a whole file.
    """
    names_one, what = {"sentence": (SENT_ID, "sent_id"), "document": (MARK, "document id")}[unit]
    ids = {i: (line, number) for i, line, number in lines if names_one.match(line)}
    if promised is False or (promised is None and not ids):
        return None
    first = begins.tolist()
    lacking = [begin for begin in first if begin not in ids]
    if lacking and promised is None:
        return None
    if lacking:
        raise InputError(
            f"{name}:{at[lacking[0]]}: no {what} above this {unit}; the first {unit}s of the file"
            f" have one, and in blocks all of them have to; leave out --block and --workers (block)"
        )
    seen: dict[str, int] = {}
    for begin in first:
        text, line = ids[begin]
        id_ = id_in(text)
        if id_ in seen:
            raise InputError(
                f"{name}:{line}: {what} {show(id_)} again, it is that of line {seen[id_]} too;"
                " ids are used once"
            )
        seen[id_] = line
    return tuple(seen)


def _ragged(lines: Lines, keep: Bools) -> list[Fields]:
    """Return word, name and mention of CoNLL-2012's rows, of which the last has no fixed place."""
    rows = lines.fields(keep)
    return [rows.where_wide(_WORD), rows.where_wide(_NAME), rows.where_wide(-1)]


def _opened(column: Fields) -> Sequence[str]:
    """Return a column of CoNLL-2012 as brackets."""
    numbers, names = column.numbered
    return tuple(map([*map(with_brackets, names)].__getitem__, numbers.tolist()))


def _table(name: str, lines: Lines, keep: Bools, at: Ints, width: int) -> tuple[list[Fields], int]:
    """Return the columns of some lines, and how many rows end in an empty cell more.

    Raises:
        InputError: for one that has otherwise not as many columns as the first rows.
    """
    if width > _WIDEST:
        raise InputError(
            f"{name}:{at[0]}: {counted(width, 'column')}; a line has a token and its tags, at most"
            f" {_WIDEST} columns: is this a text in one line?"
        )
    rows, cut = lines.fields(keep).cut_to(width)
    if width < 2:
        raise InputError(
            f"{name}:{at[0]}: one column ({show(rows.column(0)[0])}); a token and at least one tag"
            " are needed"
        )
    for i in np.flatnonzero(rows.widths != width)[:1].tolist():
        row = " ".join(fields_of(lines[np.flatnonzero(keep)[i]]))
        raise InputError(
            f"{name}:{at[i]}: {counted(int(rows.widths[i]), 'column')} ({show(row)});"
            f" the rows before it have {width}, and all need the same"
        )
    return [rows.column(column) for column in range(width)], cut
