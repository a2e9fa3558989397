"""One CoNLL page: the lines of a file as rows, columns and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, entries
from spanagree.corpus.tag_columns import TagOptions, outside_tags
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    is_iterable,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import BOM, PathName, mark_inside
from spanagree.formats.conll.columns import (
    NO_NAMES,
    OWN,
    Column,
    Layout,
    declared_in,
    fields_of,
    is_column,
    line_of_ours,
    number_of,
)
from spanagree.formats.conll.fields import Fields, Lines
from spanagree.formats.conll.head import MARK, SENT_ID, ConllHeader, head_of, id_in, rows_above
from spanagree.formats.conll.lines import LineKind, as_lines
from spanagree.settings import reading_settings
from spanagree.tables import rows_of

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
    are_declared: bool = False  # whether the columns are those that a first line of ours names
    chosen: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        check_choice(self.unit, UNITS, "unit")
        if not isinstance(self.columns, (Mapping, str, int, list, tuple)):
            raise SettingError(
                f"columns {quote_value(self.columns)}; the number or name of a column by the name"
                " of its"
                ' annotator, such as {"gold": 1}, or columns such as "1-3" or "all" are needed'
            )
        if self.sentences_from is not None and self.unit != "document":
            raise SettingError(
                "sentences_from is for --unit document (unit='document'); sentences that are"
                " documents have to be the same in all files"
            )
        if isinstance(self.attributes, str) or not is_iterable(self.attributes):
            raise SettingError(
                f"attributes {quote_value(self.attributes)}; a list of columns is needed, such as"
                " ['NEL-LIT']"
            )
        if not isinstance(self.missing, (str, type(None))):
            raise SettingError(f"missing {quote_value(self.missing)}; a tag is needed, such as '?'")
        if self.chosen is None:  # before what a file declares is added
            given = {} if self.missing is None else {"missing": self.missing}
            given |= reading_settings(
                self.encoding,
                columns=self.columns or None,
                sentences_from=self.sentences_from,
                outside=outside_tags(self.outside) or None,
            )
            object.__setattr__(self, "chosen", given)
        super().__post_init__()

    def with_declared(
        self, files: Mapping[str, PathName], first: Mapping[PathName, str]
    ) -> ConllOptions:
        """Return the options with the columns that the first line of a single file of ours names.

        Raises:
            InputError: for such a line that is damaged.
        """
        if len(files) > 1 or self.columns:
            return self
        ((path, text),) = first.items()
        line = line_of_ours(text)
        if not line:
            return self
        declared = declared_in(line)
        problem = "is damaged" if declared is None else ""
        names, missing = declared or ((), None)
        if len(set(names)) < len(names):
            problem = f"has the name {quote_value(max(names, key=names.count))} twice"
        if problem:
            raise InputError(
                f"{printable_path(path)}:1: the line of the columns' names {problem}"
                f" ({quote_value(line)}); mend it, or name the columns with --columns (columns=)"
            )
        return replace(
            self,
            columns={name: i for i, name in enumerate(names, 1)},
            missing=missing if self.missing is None else self.missing,
            are_declared=True,
        )

    def heads(
        self, files: Mapping[str, PathName], first: Mapping[PathName, str]
    ) -> dict[PathName, ConllHeader]:
        """Return what the first lines of each file settle."""
        return {
            path: head_of(
                text,
                columns=self._columns_in(path, files),
                scheme=self.scheme,
                missing=self.missing,
                outside=self.outside,
            )
            for path, text in first.items()
        }

    def _columns_in(self, path: PathName, files: Mapping[str, PathName]) -> list[Column]:
        """Return the columns of tags that are named of a file."""
        named: Iterable[Any] = [self.columns]
        if isinstance(self.columns, Mapping) and len(files) == 1:
            named = self.columns.values()
        elif isinstance(self.columns, Mapping):
            named = [self.columns.get(layer) for layer in files if files[layer] == path]
        return [column for column in named if is_column(column)]


@dataclass(frozen=True, eq=False)
class ConllFile:
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

    def location(self, token: int) -> str:
        """Return file and line of a token."""
        return f"{self.name}:{self.lines[token]}"

    def begins(self, unit: str) -> Ints:
        """Return the first token of each sentence, or document."""
        sizes = self.sentences if unit == "sentence" else self.documents
        return np.cumsum(sizes) - sizes

    @property
    def parent_ids(self) -> Ints:
        """The number of the document of each sentence."""
        ends = np.cumsum(self.documents)
        return np.searchsorted(ends, self.begins("sentence"), side="right")

    def part(self, sentences: list[int]) -> ConllFile:
        """Return some sentences of the page."""
        tokens = self.take(sentences)
        sizes = self.sentences[sentences]
        words = tuple(self.columns[0][i] for i in tokens.tolist())
        ids = tuple(self.ids[i] for i in sentences) if self.ids else None
        return ConllFile(self.name, [words], self.lines[tokens], sizes, sizes, ids)

    def take(self, sentences: list[int]) -> Ints:
        """Return the tokens of some sentences, in a row."""
        return entries(self.sentences, np.array(sentences, np.int64))

    def placed(self, codes: Ints, text: ConllFile) -> tuple[Ints, Bools | None]:
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

    def line_of(self, token: int, text: ConllFile) -> str:
        """Return where a token of the whole text stands in this file."""
        return self.location(int(self.placed(np.arange(len(self.lines)), text)[0][token]))


def _lines_of(name: str, text: str, head: ConllHeader) -> tuple[Lines, Ints, dict[str, int]]:
    """Return the lines of a text, with tabs between the fields of rows where a sign separates them.

    With them comes what each is, and how many rows are not tokens, by kind.

    Raises:
        InputError: for a byte order mark or a carriage return inside, and what is not valid CSV.
    """
    if BOM in text:
        for number, line in enumerate(text.split("\n"), 1):
            if line.startswith(BOM):
                raise mark_inside(f"{name}:{number}")
    data = as_lines(text)
    if b"\r" in data:
        number = 1 + data.count(b"\n", 0, data.index(b"\r"))
        raise InputError(
            f"{name}:{number}: a carriage return inside the line; lines end in LF or CRLF"
        )
    starts, kinds, passed = head.kinds_of(data, header=head.layout.header)
    lines = Lines(data, starts)
    if head.layout.sign != "\t":
        rows = np.flatnonzero((kinds == LineKind.ROW) | (kinds == LineKind.OTHER))
        lines = _unquoted(name, lines, rows, head.layout.sign)
    return lines, kinds, passed


def _unquoted(name: str, lines: Lines, rows: Ints, sign: str) -> Lines:
    """Return lines of which the rows have tabs in place of commas or semicolons."""
    texts = [""] * (len(lines.starts) - 1)  # of all lines, so that errors name the right one
    for i, text in zip(rows.tolist(), lines.texts(rows), strict=True):
        texts[i] = text
    fields = ["\t".join(row) for _, row in rows_of(name, texts, sign)]
    if len(fields) != len(rows):
        raise InputError(
            f"{name}: {pluralize(len(rows), 'line')} have {pluralize(len(fields), 'row')}, as a"
            " quoted field goes over several; each token has a line of its own"
        )
    texts = lines.texts(np.arange(len(lines.starts) - 1))
    for i, row in zip(rows.tolist(), fields, strict=True):
        texts[i] = row
    return Lines.of(texts)


def read_page(
    path: PathName,
    text: str,
    head: ConllHeader,
    columns: Sequence[Column | None],
    options: ConllOptions,
) -> ConllFile:
    """Return what is in a file.

    Args:
        path: of the file.
        text: of it, or of its first lines.
        head: what the first lines of the file settle.
        columns: those that are wanted; None is the last.
        options: how files are read.

    Raises:
        InputError: for rows of different width, columns that are not there, ids that repeat.
    """
    name = printable_path(path)
    lines, kinds, passed = _lines_of(name, text, head)
    del text  # it is no longer needed
    layout = head.layout
    are_rows = kinds == LineKind.ROW
    if not are_rows.any():
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    line_numbers = _numbers(are_rows)
    if layout.ragged:
        table, cut = _ragged(lines, are_rows), 0
    else:
        table, cut = _table(name, lines, are_rows, line_numbers, head.width)
    others = np.flatnonzero(~are_rows)
    comments = _among_rows(lines, np.flatnonzero(kinds == LineKind.COMMENT), others)
    marks = _among_rows(lines, np.flatnonzero(kinds == LineKind.DOCSTART), others)
    wanted = [number_of(c, layout) for c in columns if c is not None]
    _check_columns(
        name, len(table), [c for c in wanted if c is not None], int(line_numbers[0]), layout
    )
    if options.are_declared and len(table) - 1 > len(columns):
        raise InputError(
            f"{name}: {pluralize(len(table) - 1, 'column')} of tags, but the first line names"
            f" {len(columns)}; mend it, or name the columns with --columns (columns=)"
        )
    for _, comment, number in comments:
        if comment.startswith(OWN) and comment != head.line_of_ours:
            raise InputError(
                f"{name}:{number}: a line of columns' names ({quote_value(comment)}), and not the"
                " first"
                " line's; files joined in one need the same columns: name them by one pattern in"
                " quotes instead"
            )
    annotator = layout.people
    if annotator is not None and len(people := table[annotator].numbered[1]) > 1:
        raise InputError(
            f"{name}: the column {layout.called(annotator)} names {join_names(people)}, and a"
            " token has one row here; give each annotator a column of tags, or a file"
        )
    breaks = {unit: _changes(table, column) for unit, column in layout.breaks.items()}
    if len(table) == 2 and not layout.token:  # the tags are wanted then, and not where they stand
        _ = table[1].numbered
    ends_document = np.zeros(len(line_numbers) + 1, np.bool_)
    ends_document[[0, -1, *(above for above, _, _ in marks), *breaks["document"]]] = True
    ends_sentence = ends_document.copy()
    ends_sentence[rows_above(np.flatnonzero(kinds == LineKind.BLANK), others)] = True
    ends_sentence[breaks["sentence"]] = True
    documents, sentences = np.flatnonzero(ends_document), np.flatnonzero(ends_sentence)
    by_sentence = options.unit == "sentence"
    ids = _ids(
        name,
        comments if by_sentence else marks,
        (sentences if by_sentence else documents)[:-1],
        options.unit,
    )
    return ConllFile(
        name,
        [table[layout.token].joined(), *(_opened(c) if layout.ragged else c for c in table[1:])],
        line_numbers,
        sentences=np.diff(sentences),
        documents=np.diff(documents),
        ids=ids if by_sentence else None,
        has_docstart=len(documents) > 2 or bool(marks),
        odd_comments=tuple(number for _, comment, number in comments if "\t" in comment),
        document_ids=None if by_sentence else ids,
        layout=layout,
        passed=passed | ({"empty last cell": cut} if cut else {}),
    )


def _numbers(keep: Bools) -> Ints:
    """Return the numbers from 1 of the lines that are kept, in small integers."""
    end = 1 + len(keep)
    return np.arange(1, end, dtype=np.min_scalar_type(-end - 1))[keep]


def _among_rows(lines: Lines, which: Ints, others: Ints) -> list[tuple[int, str, int]]:
    """Return how many rows are above each of some lines, its text and its number.

    ``others`` are the places of lines that are not rows.
    """
    above = rows_above(which, others).tolist()
    texts = [text.rstrip(" ") for text in lines.texts(which)]
    numbers = (which + 1).tolist()
    return list(zip(above, texts, numbers, strict=True))


def _changes(table: Sequence[Sequence[str]], column: int | None) -> list[int]:
    """Return where the value of a column that is not empty is not the one before."""
    values = () if column is None else table[column]
    pairs = pairwise(values)
    return [i for i, (old, new) in enumerate(pairs, 1) if new and new != old]


def _check_columns(name: str, width: int, wanted: Sequence[int], row: int, layout: Layout) -> None:
    """Refuse columns that have no name, or are not there; ``row`` is the line of the first."""
    names = layout.names
    if len(names) not in (0, width) and names[0]:  # ours have none for the token
        raise InputError(
            f"{name}:{row}: {pluralize(width, 'column')}, but {pluralize(len(names), 'name')} of"
            f" columns ({join_names(names)}); each column needs one"
        )
    for column in wanted:
        if column >= width:
            raise InputError(
                f"{name}:{row}: no column {quote_value(column)}; there are columns 0 (the token) to"
                f" {width - 1}"
            )


def _ids(
    name: str,
    lines: list[tuple[int, str, int]],
    begins: Ints,
    unit: str,
) -> tuple[str, ...] | None:
    """Return the ids of sentences or documents, where each has one.

    Args:
        name: of the file.
        lines: those that may name one: how many rows are above each, its text and number.
        begins: the first row of each sentence or document.
        unit: what it is that has ids.
    """
    names_one, what = {"sentence": (SENT_ID, "sent_id"), "document": (MARK, "document id")}[unit]
    ids = {i: (line, number) for i, line, number in lines if names_one.match(line)}
    first = begins.tolist()
    if not ids or any(begin not in ids for begin in first):
        return None
    seen: dict[str, int] = {}
    for begin in first:
        text, line = ids[begin]
        id_ = id_in(text)
        if id_ in seen:
            raise InputError(
                f"{name}:{line}: {what} {quote_value(id_)} again, it is that of line {seen[id_]}"
                " too; ids are used once"
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
    return tuple(map([*map(_with_brackets, names)].__getitem__, numbers.tolist()))


def _with_brackets(value: str) -> str:
    """Return what CoNLL-2012 says of a token as brackets that say what they open or close.

    >>> [_with_brackets(value) for value in ("(GPE*", "*)", "(GPE)", "*", "-", "(1|(23)")]
    ['(GPE', '*)', '(GPE)', 'O', '_', '(1-mention(23-mention)']
    """
    if value in ("*", "-", "_", ""):
        return "O" if value == "*" else "_"
    opened = re.sub(r"\((\d+)", r"(\1-mention", value.replace("|", ""))
    return opened.replace("*", "") if opened.startswith("(") else opened


def _table(name: str, lines: Lines, keep: Bools, at: Ints, width: int) -> tuple[list[Fields], int]:
    """Return the columns of some lines, and how many rows end in an empty cell more.

    Raises:
        InputError: for one that has otherwise not as many columns as the first rows.
    """
    if width > _WIDEST:
        raise InputError(
            f"{name}:{at[0]}: {pluralize(width, 'column')}; a line has a token and its tags, at"
            f" most {_WIDEST} columns: is this a text in one line?"
        )
    rows, cut = lines.fields(keep).cut_to(width)
    if width < 2:
        raise InputError(
            f"{name}:{at[0]}: one column ({quote_value(rows.column(0)[0])}); a token and at least"
            " one tag are needed"
        )
    for i in np.flatnonzero(rows.widths != width)[:1].tolist():
        row = " ".join(fields_of(lines[np.flatnonzero(keep)[i]]))
        raise InputError(
            f"{name}:{at[i]}: {pluralize(int(rows.widths[i]), 'column')} ({quote_value(row)});"
            f" the rows before it have {width}, and all need the same"
        )
    return [rows.column(column) for column in range(width)], cut
