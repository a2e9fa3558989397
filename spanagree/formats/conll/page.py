"""One CoNLL page: the lines of a file as rows, columns and sentences."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, entries
from spanagree.corpus.tag_columns import TagOptions
from spanagree.corpus.tags import prefixed
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    counted,
    listed,
    printable,
    show,
)
from spanagree.files import PathName
from spanagree.formats.conll.columns import (
    NO_NAMES,
    OWN,
    Column,
    Layout,
    fields_of,
    layout_of,
    number_of,
)
from spanagree.formats.conll.fields import Fields, Lines, lines_of
from spanagree.formats.conll.lines import (
    BLANK,
    COMMENT,
    DOCSTART,
    ROW,
    FilePart,
    TextPart,
)
from spanagree.settings import as_read

UNITS = {
    "sentence": "each sentence is a document",
    "document": "the sentences between -DOCSTART- or newdoc lines are one document",
}
"""The text that one random annotation fills."""


_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*\S")


_NO_WORD = re.compile(rb"(?m)^[ \t]*[0-9]+([-.])[0-9]+(?=[ \t\n])")  # a row of CoNLL-U


_WIDEST = 10_000  # columns, of which each costs time and memory
_MARK = re.compile(r"#[^=]*=\s*\S")  # of the lines that begin documents, one with an id


@dataclass(frozen=True)
class ConllOptions(TagOptions):
    """How files are read, as in :func:`read_conll`; ``chosen`` is what the signature needs."""

    unit: str = "sentence"
    columns: Mapping[str, Column] | Column | Sequence[Column] = field(default_factory=dict)
    encoding: str = "utf-8"
    ignore_tokens: bool = False
    missing: str | None = None
    repair: str | Sequence[str] = ()
    breaks: str | None = None
    layouts: Mapping[PathName, Layout] = field(default_factory=dict)
    own: Mapping[PathName, str] = field(default_factory=dict)  # first lines that we wrote
    own_columns: bool = False  # whether the columns are those that such a line names
    chosen: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        check_choice(self.unit, UNITS, "unit")
        if not isinstance(self.columns, (Mapping, str, int, list, tuple)):
            raise SettingError(
                f"columns {show(self.columns)}; the number or name of a column by the name of its"
                ' layer, such as {"gold": 1}, or columns such as "1-3" or "all" are needed'
            )
        if self.breaks is not None and self.unit != "document":
            raise SettingError(
                "breaks are for --unit document (unit='document'); sentences that are documents"
                " have to be the same in all files"
            )
        if not isinstance(self.missing, (str, type(None))):
            raise SettingError(f"missing {show(self.missing)}; a tag is needed, such as '?'")
        if self.chosen is None:  # before what a file declares is added
            given = {} if self.missing is None else {"missing": self.missing}
            given |= as_read(self.encoding, columns=self.columns or None, breaks=self.breaks)
            object.__setattr__(self, "chosen", given)
        super().__post_init__()

    def declared(
        self, files: Mapping[str, PathName], texts: Mapping[PathName, str]
    ) -> ConllOptions:
        """Return the options with what the first lines of files say of their columns.

        Raises:
            InputError: for such a line that is damaged, where it has to name the columns.
        """
        first = {path: text.split("\n", 1)[0].rstrip(" \r") for path, text in texts.items()}
        own = {path: line for path, line in first.items() if line.startswith(OWN)}
        layouts = {path: layout_of(text) for path, text in texts.items()}
        if len(files) > 1 or self.columns or not own:
            return replace(self, own=own, layouts=layouts)
        ((path, line),) = own.items()
        names, missing = _named_in(line, f"{printable(os.fspath(path))}:1")
        columns = {name: i for i, name in enumerate(names, 1)}
        missing = missing if self.missing is None else self.missing
        return replace(
            self, columns=columns, missing=missing, own=own, own_columns=True, layouts=layouts
        )


def _named_in(line: str, where: str) -> tuple[list[str], str | None]:
    """Return the names of the columns that a line of ours has, and ``missing``."""
    try:
        own: Any = json.loads(line.removeprefix(OWN))
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
    layout = options.layouts.get(path, NO_NAMES)
    lines, kinds = lines_of(name, part.text, before, layout.sign)
    del part  # its text is no longer needed
    keep = (kinds == ROW) | (kinds == COMMENT)
    wanted = [None if c is None else number_of(c, layout) for c in columns]
    comments = _comments(lines, kinds, keep, wanted, options)
    keep[[i for i, _ in comments]] = False
    passed = _pass_over(lines, keep, layout, header=layout.header and not before)
    if not keep.any():
        raise InputError(f"{name}: no token rows; a file has lines of a token and its tags")
    at = _numbers(keep, before + 1)
    table = _table(name, lines, keep, at)
    others = np.flatnonzero(~keep)
    named = _among_rows(comments, others, before)
    own = {line: comment for _, comment, line in named if comment.startswith(OWN)}
    _check_columns(name, len(table), wanted, int(at[0]), own, options, path)
    starts = np.flatnonzero(kinds == DOCSTART).tolist()
    marks = _among_rows([(i, lines[i]) for i in starts], others, before)
    breaks = {what: _changes(table, column) for what, column in layout.breaks.items()}
    if len(table) == 2 and not layout.token:  # the tags are wanted then, and not where they stand
        _ = table[1].numbered
    documents = sorted({0, len(at), *(i for i, _, _ in marks), *breaks["document"]})
    ends = np.zeros(len(at) + 1, np.bool_)  # of sentences
    blank = np.flatnonzero(kinds == BLANK)
    blank -= np.searchsorted(others, blank)
    for some in (documents, blank, np.array(breaks["sentence"], np.int64)):
        ends[some] = True
    sentences = np.flatnonzero(ends)
    by_sentence = options.unit == "sentence"
    first = sentences[:-1].tolist() if named else []
    return Page(
        name,
        [table[layout.token].joined(), *table[1:]],
        at,
        np.diff(sentences),
        np.diff(documents),
        _ids(name, named, first, _SENT_ID.match, "sent_id") if first and by_sentence else None,
        len(documents) > 2 or bool(marks),
        tuple(line for _, comment, line in named if "\t" in comment),
        None if by_sentence else _ids(name, marks, documents[:-1], _MARK.match, "document id"),
        layout,
        passed,
    )


def _numbers(keep: Bools, first: int) -> Ints:
    """Return the numbers of the lines that are kept, in small numbers: new memory is slow."""
    end = first + len(keep)
    return np.arange(first, end, dtype=np.min_scalar_type(-end - 1))[keep]


def _among_rows(
    lines: Sequence[tuple[int, str]], others: Ints, before: int
) -> list[tuple[int, str, int]]:
    """Return how many rows are above each of some lines, its text and its number.

    ``others`` are the places of lines that are not rows, ``before`` counts those of other parts.
    """
    at = np.array([i for i, _ in lines], np.int64)
    above = (at - np.searchsorted(others, at)).tolist()
    return [(rows, text, before + i + 1) for rows, (i, text) in zip(above, lines, strict=True)]


def _pass_over(lines: Lines, keep: Bools, layout: Layout, *, header: bool) -> dict[str, int]:
    """Leave out the row of names, and rows of CoNLL-U that are not words; return their counts."""
    if header:
        keep[int(keep.argmax())] = False
    if not layout.numbered:
        return {}
    others = [(match.start(), match[1]) for match in _NO_WORD.finditer(lines.data)]
    starts = np.array([start for start, _ in others], lines.starts.dtype)
    at = np.searchsorted(lines.starts, starts, side="right") - 1
    kinds = [kind for (_, kind), kept in zip(others, keep[at].tolist(), strict=True) if kept]
    keep[at] = False
    return dict(Counter({b"-": "multiword range", b".": "empty node"}[kind] for kind in kinds))


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
    own: dict[int, str],
    options: ConllOptions,
    path: PathName,
) -> None:
    """Refuse columns that are not there, or are not as a first line of ours says.

    Args:
        name, path: of the file.
        width: how many columns there are.
        wanted: those that are read.
        row: the line of the first token.
        own: lines of columns' names by their numbers.
        options: how the file is read.
    """
    names = options.layouts.get(path, NO_NAMES).names
    if len(names) not in (0, width) and names[0]:  # ours have none for the token
        raise InputError(
            f"{name}:{row}: {counted(width, 'column')}, but {counted(len(names), 'name')} of"
            f" columns ({listed(names)}); each column needs one"
        )
    for column in wanted:
        if column is not None and column >= width:
            raise InputError(
                f"{name}:{row}: no column {show(column)}; there are columns 0 (the token) to"
                f" {width - 1}"
            )
    if options.own_columns and width - 1 > len(wanted):
        raise InputError(
            f"{name}: {counted(width - 1, 'column')} of tags, but the first line names"
            f" {len(wanted)}; mend it, or name the columns with --columns (columns=)"
        )
    for number, line in own.items():
        if line != options.own.get(path):
            raise InputError(
                f"{name}:{number}: a line of columns' names ({show(line)}), and not the first"
                " line's; files joined in one need the same columns: name them by one pattern in"
                " quotes instead"
            )


def _ids(
    name: str,
    lines: list[tuple[int, str, int]],
    begins: list[int],
    names_one: Callable[[str], object],
    what: str,
) -> tuple[str, ...] | None:
    """Return the ids of sentences or documents, where each has one.

    ``lines`` are those that may name one: how many rows are above each, its text and number.
    """
    ids = {i: (line, number) for i, line, number in lines if names_one(line)}
    if not ids.keys() >= set(begins):
        return None
    seen: dict[str, int] = {}
    for begin in begins:
        text, line = ids[begin]
        id_ = text.partition("=")[2].strip()
        if id_ in seen:
            raise InputError(
                f"{name}:{line}: {what} {show(id_)} again, it is that of line {seen[id_]} too;"
                " ids are used once"
            )
        seen[id_] = line
    return tuple(seen)


def _table(name: str, lines: Lines, keep: Bools, at: Ints) -> list[Fields]:
    """Return the columns of some lines; an error where one has more or fewer than the first."""
    rows = lines.fields(keep)
    width = int(rows.widths[0])
    if width > _WIDEST:
        raise InputError(
            f"{name}:{at[0]}: {counted(width, 'column')}; a line has a token and its tags, at most"
            f" {_WIDEST} columns: is this a text in one line?"
        )
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
    return [rows.column(column) for column in range(width)]


def _comments(
    lines: Lines,
    kinds: Ints,
    is_row: Bools,
    columns: Sequence[int | None],
    options: ConllOptions,
) -> list[tuple[int, str]]:
    """Return which lines that begin with # have not the columns and the tags of a token row.

    A # behind blanks is a token, as blanks separate, and such rows are not asked for here.
    """
    doubtful = np.flatnonzero(kinds == COMMENT)
    first = np.frombuffer(lines.data, np.uint8)[lines.starts[doubtful]]
    doubtful = doubtful[first == ord("#")]
    if not len(doubtful):
        return []
    texts = [text.rstrip(" ") for text in lines.texts(doubtful)]
    is_sure = is_row.copy()
    is_sure[doubtful] = False
    asked = [fields_of(text) for text in texts]
    where = [-1 if c is None else c for c in columns]

    @cache  # the columns of the rows that are sure are looked at only for what is no tag by itself
    def in_rows() -> set[str]:
        sure = lines.fields(is_sure)
        return {tag for c in where for tag in sure.where_wide(c).numbered[1]}

    @cache
    def is_tag(value: str) -> bool:
        # a word such as I is not a tag yet
        is_prefixed = len(value) > 1 and prefixed(value, options.scheme) is not None
        return is_prefixed or value in ("O", options.missing) or value in in_rows()

    def is_token(row: list[str]) -> bool:
        return 1 < len(row) > max(where) and all(is_tag(row[c]) for c in where)

    # without a row that is sure, the first that can be a token decides
    some = bool(is_sure.any())
    model = fields_of(lines[int(is_sure.argmax())]) if some else next(filter(is_token, asked), [])
    fitting = [len(row) == len(model) for row in asked]
    parted = [f and "\t" in text for f, text in zip(fitting, texts, strict=True)]
    if some and parted != fitting and lines.have(ord("\t"))[is_sure].all():
        fitting = parted
    return [
        (i, text)
        for i, text, fits, row in zip(doubtful.tolist(), texts, fitting, asked, strict=True)
        if not (fits and is_token(row))
    ]
