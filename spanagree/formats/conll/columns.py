"""Columns of CoNLL files: their layout, names and fields."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from spanagree.corpus.tags import is_tag
from spanagree.errors import SettingError, is_integer, parse_whole_number, quote_value
from spanagree.files import PathName
from spanagree.formats.usual_names import (
    COLUMNS,
    NUMBER_NAMES,
    SENTENCE_NAMES,
    TOKEN_NAMES,
    simplify_name,
)
from spanagree.tables import find_separator, is_split_evenly, split_cells

Column: TypeAlias = int | str
"""A column by its number, the first is 0, or by its name."""


OWN = "# spanagree ="
"""Begin of a first line written by this package."""


_DOCUMENT = COLUMNS["document"][:4]  # further names may be of ids of sentences or tokens
_ANNOTATOR = COLUMNS["annotator"]
_CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_LINES = 50  # lines that decide on the layout
_BEGIN = re.compile(r"#\s*begin document\b")
_RAGGED = ("word", "ne", "coref")  # columns of CoNLL-2012 that are read
_FIXED = 11  # number of columns of CoNLL-2012 up to the names
INDEX = re.compile(r"[0-9]+(?:[-.][0-9]+)?")


class Layout(NamedTuple):
    """Columns of a file, as its first lines show them.

    Attributes:
        names: names of the columns; empty if they are unknown.
        token: number of the column of tokens.
        header: True if the first row has the names.
        sign: separator: a tab (or spaces); a comma or semicolon below a row of names, or if it
            separates tokens from tags and blanks do not.
        numbered: True if the first column numbers the tokens of each sentence, as in CoNLL-U.
        brackets: names of the parts that follow a bracket, for each key of CoNLL-U's last column.
        ragged: True for CoNLL-2012, in which the width of rows depends on the predicates.
    """

    names: tuple[str, ...] = ()
    token: int = 0
    header: bool = False
    sign: str = "\t"
    numbered: bool = False
    brackets: tuple[tuple[str, str], ...] = ()
    ragged: bool = False

    def find_column(self, names: Iterable[str]) -> int | None:
        """Find the first column with any of the names, in any case; `None` if no column has."""
        lower_names = [name.casefold() for name in self.names]
        return next((i for i, name in enumerate(lower_names) if name in names), None)

    @property
    def break_columns(self) -> dict[str, int | None]:
        """Numbers of the columns of sentences and documents; `None` for a missing column."""
        has_names = self.header  # without a header, lines separate them
        return {
            "sentence": self._find_usual_column(SENTENCE_NAMES) if has_names else None,
            "document": self._find_usual_column(_DOCUMENT) if has_names else None,
        }

    @property
    def annotator_column(self) -> int | None:
        """Number of the column of annotators, `None` without such a column."""
        return self._find_usual_column(_ANNOTATOR) if self.header else None

    def _find_usual_column(self, usual_names: Sequence[str]) -> int | None:
        """Find the first column with one of the usual names; `None` if no column has one."""
        return next(
            (i for i, name in enumerate(self.names) if simplify_name(name) in usual_names), None
        )

    @property
    def misc(self) -> int | None:
        """Number of the column of KEY=VALUE, `None` without such a column."""
        return self.find_column(["misc"]) if self.numbered else None

    def get_column_name(self, column: Column) -> str:
        """Return the name of a column, or its number if it has no name."""
        index = find_column_number(column, self)
        return str(column) if index is None or index >= len(self.names) else self.names[index]


NO_NAMES = Layout()
"""Layout of a file without names of columns, with tokens in the first column."""


def split_fields(row: str, sign: str = "\t") -> list[str]:
    """Split a row into fields: at tabs, else at spaces, or at another separator as in CSV."""
    if sign != "\t":
        return split_cells(row, sign)
    row = row.rstrip(" ")  # a tab at the end means that the last column is empty
    if "\t" in row:
        return [field.strip(" ") for field in row.split("\t")]
    return [field for field in row.split(" ") if field]


def infer_layout(text: str) -> Layout:
    """Infer the layout from the beginning of a text.

    >>> infer_layout("TOKEN\\tNE-COARSE-LIT\\nJo\\tB-pers\\n").names
    ('TOKEN', 'NE-COARSE-LIT')
    >>> infer_layout("Jo\\tB-pers\\n").names
    ()
    """
    names: tuple[str, ...] = ()
    brackets: tuple[tuple[str, str], ...] = ()
    sentences: list[list[str]] = [[]]
    for line in text[:100_000].split("\n", _LINES)[:_LINES]:
        row = line.rstrip(" \r")
        if not row.strip(" \t") or row.startswith("-DOCSTART-"):
            sentences.append([])
        elif row[0] != "#":
            sentences[-1].append(row)
        elif row.startswith("# global.columns ="):
            names = tuple(row.partition("=")[2].split())
        elif brackets_match := re.match(r"# global\.(\w+) *= *([\w-]+)$", row):
            brackets += ((brackets_match[1], brackets_match[2]),)
        elif row.startswith(OWN):
            parsed_line = parse_spanagree_line(row)
            names = ("", *parsed_line[0]) if parsed_line else ()
    rows = [*chain.from_iterable(sentences)]
    first = rows[0] if rows else ""
    cells = split_fields(first)
    if _BEGIN.match(text) and len(cells) > _FIXED and cells[2].isdecimal():
        return Layout(_RAGGED, ragged=True)
    sign = find_separator(rows) or "\t"
    fields = split_fields(first, sign)
    if not names and _is_header(fields):
        layout = Layout(tuple(name.strip() for name in fields), header=True, sign=sign)
        is_numbered = layout.names[0].casefold() in NUMBER_NAMES
        return layout._replace(token=layout.find_column(TOKEN_NAMES) or 0, numbered=is_numbered)
    are_cells = not names and sign != "\t" and _are_tagged_cells(rows, sign)
    sign = sign if are_cells else "\t"
    are_counted = len(fields) > 2 and all(
        _is_token_count_first(sentence, sign) for sentence in sentences
    )
    numbered = are_counted and (len(fields) == len(_CONLLU) or max(map(len, sentences)) > 1)
    if numbered and len(fields) == len(_CONLLU):
        names = names or _CONLLU
    token = Layout(names).find_column(TOKEN_NAMES)
    first_word = int(numbered) if token is None else token
    return Layout(names, first_word, sign=sign, numbered=numbered, brackets=brackets)


def find_spanagree_line(text: str) -> str:
    """Find the first line of a text that this package wrote; empty for other texts."""
    return text.split("\n", 1)[0].rstrip(" \r") if text.startswith(OWN) else ""


def parse_spanagree_line(line: str) -> tuple[tuple[str, ...], str | None] | None:
    """Parse a first line written by this package.

    Returns:
        The names of the columns and the tag for missing, or `None` if the line is damaged.
    """
    try:
        content: Any = json.loads(line.removeprefix(OWN))
        names, missing = content["columns"], content.get("missing")
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    is_valid = isinstance(names, list) and all(isinstance(name, str) and name for name in names)
    if not is_valid or not names or not isinstance(missing, (str, type(None))):
        return None
    return tuple(names), missing


def _is_header(fields: list[str]) -> bool:
    """Check whether a row has names of columns: one of the tokens, and no tag."""
    has_token_name = any(field.strip().casefold() in TOKEN_NAMES for field in fields)
    return len(fields) > 1 and has_token_name and not any(map(is_tag, fields))


def _are_tagged_cells(rows: list[str], sign: str) -> bool:
    """Check whether a comma or semicolon separates tokens from tags, and blanks do not."""
    if not is_split_evenly(rows, sign):
        return False
    fields_between_blanks = [split_fields(row) for row in rows]
    blanks_separate_tags = all(
        len(fields) > 1 and is_tag(fields[-1]) for fields in fields_between_blanks
    )
    return not blanks_separate_tags and all(is_tag(split_cells(row, sign)[-1]) for row in rows)


def _is_token_count_first(sentence: list[str], sign: str) -> bool:
    """Check whether the first fields of a sentence count its tokens."""
    first_fields = [split_fields(row, sign)[0] for row in sentence]
    word_numbers = [field for field in first_fields if field.isdecimal()]
    return all(map(INDEX.fullmatch, first_fields)) and word_numbers == [
        str(i + 1) for i in range(len(word_numbers))
    ]


def find_column_number(column: Column, layout: Layout) -> int | None:
    """Find the number of a column; `None` if no column has that name.

    Raises:
        SettingError: if two columns have that name.
    """
    if isinstance(column, int):
        return column
    for fold in (str, str.casefold):
        matching = [i for i, name in enumerate(layout.names) if fold(name) == fold(column)]
        if len(matching) > 1:
            raise SettingError(
                f"column {quote_value(column)}: columns {' and '.join(map(str, matching))} are"
                " called"
                " so; name one by its number"
            )
        if matching:
            return matching[0]
    return parse_whole_number(column, "column") if column.isdecimal() else None


def is_column(column: object) -> bool:
    """Check whether a value can be the name or number of a column of tags."""
    return column not in ("", "0") if isinstance(column, str) else is_integer(column) and column > 0


def split_columns(files: Mapping[str, PathName], columns: Any) -> tuple[dict[str, PathName], Any]:
    """Separate paths and columns, for files of the form FILE:COLUMN.

    Args:
        files: path of each layer, possibly with a column after a colon.
        columns: columns that are named otherwise.

    Raises:
        SettingError: if the column of a layer is named in both ways.

    >>> split_columns({"gold": os.devnull + ":1"}, None)
    ({'gold': '/dev/null'}, {'gold': '1'})
    """
    paths, column_by_layer = dict(files), {}
    for layer, path in files.items():
        try:
            path_before_colon, colon, column = os.fspath(path).rpartition(":")
        except TypeError:  # bytes, or no path; reading raises the error
            continue
        if (
            colon
            and path_before_colon
            and column
            and not os.path.exists(path)
            and os.path.exists(path_before_colon)
        ):
            paths[layer], column_by_layer[layer] = path_before_colon, column
    if not column_by_layer:
        return paths, columns
    if columns is not None and not isinstance(columns, Mapping):
        columns = dict.fromkeys(files, columns)
    for layer in column_by_layer.keys() & (columns or {}).keys():
        raise SettingError(
            f"annotator {quote_value(layer)}: FILE:COLUMN and columns; name its column once"
        )
    return paths, {**(columns or {}), **column_by_layer}
