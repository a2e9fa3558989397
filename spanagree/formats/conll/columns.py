"""The columns of CoNLL files: what they are called, and what is in them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from spanagree.corpus.tags import is_tag
from spanagree.errors import SettingError, is_whole, quote_value, whole_number
from spanagree.files import PathName
from spanagree.formats.usual_names import (
    COLUMNS,
    NUMBER_NAMES,
    SENTENCE_NAMES,
    TOKEN_NAMES,
    plain,
)
from spanagree.tables import cells_of, is_even, separator_of

Column: TypeAlias = int | str
"""A column by its number, the first is 0, or by its name."""


OWN = "# spanagree ="
"""How a first line of ours begins."""


_DOCUMENT = COLUMNS["document"][:4]  # the others may be ids of sentences or tokens
_ANNOTATOR = COLUMNS["annotator"]
_CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_LINES = 50  # that are looked at for a layout
_BEGIN = re.compile(r"#\s*begin document\b")
_RAGGED = ("word", "ne", "coref")  # the columns that are kept of CoNLL-2012
_FIXED = 11  # columns of CoNLL-2012 up to the names
INDEX = re.compile(r"[0-9]+(?:[-.][0-9]+)?")


class Layout(NamedTuple):
    """What the beginning of a file says of its columns.

    Attributes:
        names: what they are called, if that is known.
        token: the number of that with the tokens.
        header: whether the first row has the names.
        sign: the separator: a tab (or spaces); a comma or semicolon below such a row, or where it
            and no blank separates tokens from tags.
        numbered: whether the first numbers the tokens of each sentence, as in CoNLL-U.
        brackets: by key of its last column, what the parts behind a bracket are called.
        ragged: whether it is CoNLL-2012's, whose rows are as wide as their sentence has predicates.
    """

    names: tuple[str, ...] = ()
    token: int = 0
    header: bool = False
    sign: str = "\t"
    numbered: bool = False
    brackets: tuple[tuple[str, str], ...] = ()
    ragged: bool = False

    def place(self, names: Iterable[str]) -> int | None:
        """Return the number of the first column that is called so, if one is."""
        lower = [name.casefold() for name in self.names]
        return next((i for i, name in enumerate(lower) if name in names), None)

    @property
    def breaks(self) -> dict[str, int | None]:
        """The numbers of the columns that say where sentences and documents begin."""
        known = self.header  # elsewhere lines do
        return {
            "sentence": self._usual(SENTENCE_NAMES) if known else None,
            "document": self._usual(_DOCUMENT) if known else None,
        }

    @property
    def people(self) -> int | None:
        """The number of the column that names annotators."""
        return self._usual(_ANNOTATOR) if self.header else None

    def _usual(self, usual: Sequence[str]) -> int | None:
        """Return the number of the first column with one of some usual names."""
        return next((i for i, name in enumerate(self.names) if plain(name) in usual), None)

    @property
    def misc(self) -> int | None:
        """The number of the column of KEY=VALUE."""
        return self.place(["misc"]) if self.numbered else None

    def called(self, column: Column) -> str:
        """Return the name of a column, or its number."""
        number = number_of(column, self)
        return str(column) if number is None or number >= len(self.names) else self.names[number]


NO_NAMES = Layout()
"""The layout of a file that says nothing of its columns, and has the tokens in the first."""


def fields_of(row: str, sign: str = "\t") -> list[str]:
    """Return the fields of a row that tabs or else spaces separate, or as in CSV another sign."""
    if sign != "\t":
        return cells_of(row, sign)
    row = row.rstrip(" ")  # a tab at the end says that the last column is empty
    if "\t" in row:
        return [field.strip(" ") for field in row.split("\t")]
    return [field for field in row.split(" ") if field]


def layout_of(text: str) -> Layout:
    """Return what the beginning of a text says of its columns.

    >>> layout_of("TOKEN\\tNE-COARSE-LIT\\nJo\\tB-pers\\n").names
    ('TOKEN', 'NE-COARSE-LIT')
    >>> layout_of("Jo\\tB-pers\\n").names
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
        elif declared := re.match(r"# global\.(\w+) *= *([\w-]+)$", row):
            brackets += ((declared[1], declared[2]),)
        elif row.startswith(OWN):
            ours = declared_in(row)
            names = ("", *ours[0]) if ours else ()
    rows = [*chain.from_iterable(sentences)]
    first = rows[0] if rows else ""
    cells = fields_of(first)
    if _BEGIN.match(text) and len(cells) > _FIXED and cells[2].isdecimal():
        return Layout(_RAGGED, ragged=True)
    sign = separator_of(rows) or "\t"
    fields = fields_of(first, sign)
    if not names and _is_header(fields):
        named = Layout(tuple(name.strip() for name in fields), header=True, sign=sign)
        is_numbered = named.names[0].casefold() in NUMBER_NAMES
        return named._replace(token=named.place(TOKEN_NAMES) or 0, numbered=is_numbered)
    are_cells = not names and sign != "\t" and _are_tagged_cells(rows, sign)
    sign = sign if are_cells else "\t"
    counted = len(fields) > 2 and all(_counts(sentence, sign) for sentence in sentences)
    numbered = counted and (len(fields) == len(_CONLLU) or max(map(len, sentences)) > 1)
    if numbered and len(fields) == len(_CONLLU):
        names = names or _CONLLU
    token = Layout(names).place(TOKEN_NAMES)
    first_word = int(numbered) if token is None else token
    return Layout(names, first_word, sign=sign, numbered=numbered, brackets=brackets)


def line_of_ours(text: str) -> str:
    """Return the first line of a text, if we wrote it."""
    return text.split("\n", 1)[0].rstrip(" \r") if text.startswith(OWN) else ""


def declared_in(line: str) -> tuple[tuple[str, ...], str | None] | None:
    """Return the names of columns in a line of ours, and what stands for missing.

    Of a line that is damaged there are none.
    """
    try:
        written: Any = json.loads(line.removeprefix(OWN))
        names, missing = written["columns"], written.get("missing")
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    are_names = isinstance(names, list) and all(isinstance(n, str) and n for n in names)
    if not are_names or not names or not isinstance(missing, (str, type(None))):
        return None
    return tuple(names), missing


def _is_header(fields: list[str]) -> bool:
    """Return whether a row has the names of columns: one of the tokens, and no tag."""
    named = any(field.strip().casefold() in TOKEN_NAMES for field in fields)
    return len(fields) > 1 and named and not any(map(is_tag, fields))


def _are_tagged_cells(rows: list[str], sign: str) -> bool:
    """Return whether a comma or semicolon separates tokens from tags, and blanks do not."""
    if not is_even(rows, sign):
        return False
    by_blanks = [fields_of(row) for row in rows]
    is_apart = all(len(fields) > 1 and is_tag(fields[-1]) for fields in by_blanks)
    return not is_apart and all(is_tag(cells_of(row, sign)[-1]) for row in rows)


def _counts(sentence: list[str], sign: str) -> bool:
    """Return whether the first fields of a sentence count its tokens."""
    first = [fields_of(row, sign)[0] for row in sentence]
    words = [field for field in first if field.isdecimal()]
    return all(map(INDEX.fullmatch, first)) and words == [str(i + 1) for i in range(len(words))]


def number_of(column: Column, layout: Layout) -> int | None:
    """Return the number of a column; none for a name that no column has.

    Raises:
        SettingError: for a name that two columns have.
    """
    if isinstance(column, int):
        return column
    for fold in (str, str.casefold):
        same = [i for i, name in enumerate(layout.names) if fold(name) == fold(column)]
        if len(same) > 1:
            raise SettingError(
                f"column {quote_value(column)}: columns {' and '.join(map(str, same))} are called"
                " so; name one by its number"
            )
        if same:
            return same[0]
    return whole_number(column, "column") if column.isdecimal() else None


def is_column(column: object) -> bool:
    """Return whether something can be the name or number of a column of tags."""
    return column not in ("", "0") if isinstance(column, str) else is_whole(column) and column > 0


def split_columns(files: Mapping[str, PathName], columns: Any) -> tuple[dict[str, PathName], Any]:
    """Return files and columns, with what stands behind the colon of FILE:COLUMN as a column.

    >>> split_columns({"gold": os.devnull + ":1"}, None)
    ({'gold': '/dev/null'}, {'gold': '1'})
    """
    paths, named = dict(files), {}
    for layer, path in files.items():
        try:
            before, colon, column = os.fspath(path).rpartition(":")
        except TypeError:  # bytes, or no path at all, which is refused where it is read
            continue
        if colon and before and column and not os.path.exists(path) and os.path.exists(before):
            paths[layer], named[layer] = before, column
    if not named:
        return paths, columns
    if columns is not None and not isinstance(columns, Mapping):
        columns = dict.fromkeys(files, columns)
    for layer in named.keys() & (columns or {}).keys():
        raise SettingError(
            f"annotator {quote_value(layer)}: FILE:COLUMN and columns; name its column once"
        )
    return paths, {**(columns or {}), **named}
