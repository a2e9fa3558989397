"""One CoNLL page: the lines of a file as rows, columns and sentences."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, entries
from spanagree.corpus.tag_columns import TagOptions
from spanagree.corpus.tags import prefixed
from spanagree.errors import InputError, SettingError, check_choice, counted, printable, show
from spanagree.files import BOM, PathName, mark_inside
from spanagree.formats.conll.lines import (
    BLANK,
    COMMENT,
    DOCSTART,
    ROW,
    FilePart,
    TextPart,
    kinds_of_lines,
)
from spanagree.settings import as_read

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- lines are one document",
}
"""The text that one random annotation fills."""


_OWN = "# spanagree ="


@dataclass(frozen=True)
class ConllOptions(TagOptions):
    """How files are read, as in :func:`read_conll`; ``chosen`` is what the signature needs."""

    unit: str = "sentence"
    columns: Mapping[str, int] = field(default_factory=dict)
    encoding: str = "utf-8"
    ignore_tokens: bool = False
    missing: str | None = None
    repair: str | Sequence[str] = ()
    own: Mapping[PathName, str] = field(default_factory=dict)  # first lines that we wrote
    own_columns: bool = False  # whether the columns are those that such a line names
    chosen: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        check_choice(self.unit, UNITS, "unit")
        if not isinstance(self.columns, Mapping):
            raise SettingError(
                f"columns {show(self.columns)}; the number of the column by the name of its layer"
                ' is needed, such as {"gold": 1}'
            )
        if not isinstance(self.missing, (str, type(None))):
            raise SettingError(f"missing {show(self.missing)}; a tag is needed, such as '?'")
        if self.chosen is None:  # before what a file declares is added
            given = {} if self.missing is None else {"missing": self.missing}
            given |= as_read(self.encoding, columns=self.columns or None)
            object.__setattr__(self, "chosen", given)
        super().__post_init__()

    def declared(
        self, files: Mapping[str, PathName], texts: Mapping[PathName, str]
    ) -> ConllOptions:
        """Return the options with what the first lines of files that we wrote say of them.

        Raises:
            InputError: for such a line that is damaged, where it has to name the columns.
        """
        first = {path: text.split("\n", 1)[0].rstrip(" \r") for path, text in texts.items()}
        own = {path: line for path, line in first.items() if line.startswith(_OWN)}
        if len(files) > 1 or self.columns or not own:
            return replace(self, own=own)
        ((path, line),) = own.items()
        names, missing = _named_in(line, f"{printable(os.fspath(path))}:1")
        columns = {name: i for i, name in enumerate(names, 1)}
        missing = missing if self.missing is None else self.missing
        return replace(self, columns=columns, missing=missing, own=own, own_columns=True)


def _named_in(line: str, where: str) -> tuple[list[str], str | None]:
    """Return the names of the columns that a line of ours has, and ``missing``."""
    try:
        own: Any = json.loads(line.removeprefix(_OWN))
    except (ValueError, RecursionError):
        own = None
    names: Any = own.get("columns") if isinstance(own, dict) else None
    missing: Any = own.get("missing") if isinstance(own, dict) else None
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
    columns: list[tuple[str, ...]]
    lines: Ints  # the line number of each token
    sentences: Ints  # the number of tokens of each sentence
    documents: Ints
    ids: tuple[str, ...] | None  # of the sentences
    has_docstart: bool = False
    odd_comments: tuple[int, ...] = ()  # lines that begin with #, have a tab, and are not rows

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


def read_page(
    path: PathName, part: FilePart | TextPart, columns: Sequence[int | None], options: ConllOptions
) -> Page:
    """Return what is in a file, or in a part of it; ``columns`` are those that are wanted.

    Raises:
        InputError: for rows of different width, columns that are not there, ids that repeat.
    """
    name, text, before = printable(os.fspath(path)), part.text, part.before
    all_lines = _lines(name, text, before)
    if "\r" in text:
        text = "\n".join(all_lines)
    _, kinds = kinds_of_lines(text.encode(errors="surrogatepass"))
    is_row = (kinds == ROW) | (kinds == COMMENT)
    rows = list(compress(all_lines, is_row.tolist()))
    above = np.cumsum(is_row)  # how many rows there are down to a line
    lines = np.flatnonzero(is_row) + before + 1
    # a # behind blanks is a token, as blanks separate
    doubtful = [i for i in (above[kinds == COMMENT] - 1).tolist() if rows[i][0] == "#"]
    tokens = _is_token(rows, doubtful, columns, options) if doubtful else []
    keep = np.ones(len(rows) + 1, np.bool_)
    keep[[i for i, token in zip(doubtful, tokens, strict=True) if not token]] = False
    moved: Ints = np.cumsum(keep) - keep
    comments = [(i, rows[i].rstrip(" ")) for i in np.flatnonzero(~keep).tolist()]
    rows = list(compress(rows, keep.tolist())) if comments else rows
    if not rows:
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    table = _table(name, rows, lines[keep[:-1]])
    for column in columns:
        if column is not None and column >= len(table):
            raise InputError(
                f"{name}:{lines[keep[:-1]][0]}: no column {show(column)}; there are columns 0 (the"
                f" token) to {len(table) - 1}"
            )
    _refuse_other_names(
        name,
        len(table) - 1,
        len(columns) if options.own_columns else None,
        {int(lines[i]): comment for i, comment in comments if comment.startswith(_OWN)},
        options.own.get(path),
    )
    # where sentences and documents end
    documents = {0, len(rows), *moved[above[kinds == DOCSTART]].tolist()}
    begins = sorted(documents.union(moved[above[kinds == BLANK]].tolist()))
    ids = {}  # by the number of rows above: the id, its line
    for i, comment in comments:
        key, _, id_ = map(str.strip, comment[1:].partition("="))
        if key == "sent_id" and id_:
            ids[int(moved[i])] = id_, int(lines[i])
    return Page(
        name,
        table,
        lines[keep[:-1]],
        np.diff(begins),
        np.diff(sorted(documents)),
        _sentence_ids(name, ids, begins[:-1]) if options.unit == "sentence" else None,
        bool((kinds == DOCSTART).any()),
        tuple(int(lines[i]) for i, comment in comments if "\t" in comment),
    )


def _refuse_other_names(
    name: str, width: int, named: int | None, below: dict[int, str], first: str | None
) -> None:
    """Refuse columns that our first line does not name, and lines of names that are not as it is.

    Args:
        name: of the file.
        width: how many columns of tags there are.
        named: how many of them the first line names, if that counts.
        below: lines of names by their numbers, the first included.
        first: that line, if there is one.
    """
    if named is not None and width > named:
        raise InputError(
            f"{name}: {counted(width, 'column')} of tags, but the first line names {named}; mend"
            " it, or name the columns with --columns (columns=)"
        )
    for number, line in below.items():
        if line != first:
            raise InputError(
                f"{name}:{number}: a line of columns' names ({show(line)}), and not the first"
                " line's; files joined in one need the same columns: name them by one pattern in"
                " quotes instead"
            )


def _lines(name: str, text: str, before: int) -> list[str]:
    """Return the lines of a text without the carriage returns at their ends."""
    lines = text.split("\n")
    if BOM in text:
        for number in (n for n, line in enumerate(lines, before + 1) if line.startswith(BOM)):
            raise mark_inside(f"{name}:{number}")
    if "\r" in text:
        lines = [line.rstrip(" \r") for line in lines]
        for number in (number for number, line in enumerate(lines, before + 1) if "\r" in line):
            raise InputError(
                f"{name}:{number}: a carriage return inside the line; lines end in LF or CRLF"
            )
    return lines


def _sentence_ids(
    name: str, ids: dict[int, tuple[str, int]], begins: list[int]
) -> tuple[str, ...] | None:
    """Return the ids of the sentences, where each has one."""
    if not ids.keys() >= set(begins):
        return None
    seen: dict[str, int] = {}
    for begin in begins:
        id_, line = ids[begin]
        if id_ in seen:
            raise InputError(
                f"{name}:{line}: sent_id {show(id_)} again, it is that of line {seen[id_]} too;"
                " ids are used once"
            )
        seen[id_] = line
    return tuple(seen)


def _table(name: str, rows: list[str], lines: Ints) -> list[tuple[str, ...]]:
    """Return the columns of rows; an error where one has more or fewer than the first."""
    text = "\n".join(rows)
    separator = "\t" if "\t" in text else " "
    if " " in text if separator == "\t" else "  " in f" {text} ".replace("\n", " "):
        text, separator = "\n".join(["\t".join(_fields(row)) for row in rows]), "\t"
    characters = np.frombuffer(text.encode(errors="surrogatepass") + b"\n", np.uint8)
    ends = characters[(characters == ord(separator)) | (characters == ord("\n"))]  # of fields
    widths = np.diff(np.flatnonzero(ends == ord("\n")), prepend=-1)
    fields = text.replace("\n", separator).split(separator)
    width = int(widths[0])
    if width < 2:
        raise InputError(
            f"{name}:{lines[0]}: one column ({show(fields[0])}); a token and at least one tag"
            " are needed"
        )
    for i in np.flatnonzero(widths != width)[:1].tolist():
        row = " ".join(fields[int(widths[:i].sum()) :][: widths[i]])
        raise InputError(
            f"{name}:{lines[i]}: {counted(int(widths[i]), 'column')} ({show(row)});"
            f" the rows before it have {width}, and all need the same"
        )
    return [tuple(fields[column::width]) for column in range(width)]


def _fields(row: str) -> list[str]:
    row = row.rstrip(" ")  # a tab at the end says that the last column is empty
    if "\t" in row:
        return [field.strip(" ") for field in row.split("\t")]
    return [field for field in row.split(" ") if field]


def _is_token(
    rows: list[str], doubtful: list[int], columns: Sequence[int | None], options: ConllOptions
) -> list[bool]:
    """Return which of the rows that begin with # have the columns and the tags of a token row."""
    where = [-1 if c is None else c for c in columns]
    is_sure = np.ones(len(rows), np.bool_)
    is_sure[doubtful] = False
    sure = list(compress(rows, is_sure.tolist()))
    asked = [_fields(rows[i]) for i in doubtful]
    seen = {"O", options.missing}

    def token(row: list[str]) -> bool:
        return 1 < len(row) > max(where) and all(
            # a word such as I is not a tag yet
            row[c] in seen or (len(row[c]) > 1 and prefixed(row[c], options.scheme))
            for c in where
        )

    # without a row that is sure, the first that can be a token decides
    first = _fields(sure[0]) if sure else next(filter(token, asked), ())
    fitting = [len(row) == len(first) for row in asked]
    if sure and all("\t" in row for row in sure):
        fitting = [f and "\t" in rows[i] for f, i in zip(fitting, doubtful, strict=True)]
    if any(fitting):
        seen |= {row[c] for row in map(_fields, sure) for c in where if c < len(row)}
    return [f and token(row) for f, row in zip(fitting, asked, strict=True)]
