"""Tables that fit a page: titles and names are broken into lines, columns are left out."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from spanagree.errors import shorten_message
from spanagree.results.frame import Column
from spanagree.results.names import find_common_parts

PAGE = 80
"""The width of a page, in columns of a terminal."""

COLUMNS = 8
"""Largest number of columns in text output, unless all are requested."""

_GAP = 2
_NARROW = 20  # width of names before columns are left out
_UNLIMITED = 6 * PAGE + 1  # a width of names that breaks no title either
_LINE = r" *(?:.{{1,{0}}}(?= |\Z)|.{{1,{0}}}(?<=[\W_])(?!\0)|.{{1,{0}}}(?!\0))"
"""A line, where NUL is the second column of a wide character: up to a space, else up to a sign
or a wide character, else as wide as allowed."""


def find_spare_columns(columns: Sequence[Column]) -> list[int]:
    """List the indices of columns that are left out if a table has more columns than fit."""
    return [i for i, column in enumerate(columns) if column.spare and len(columns) > COLUMNS]


@lru_cache(maxsize=1 << 14)
def compute_width(text: str) -> int:
    """Compute the width in a terminal: combining marks have 0 columns, wide characters 2."""
    if text.isascii():
        return len(text)
    letters = (character for character in text if not unicodedata.combining(character))
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in letters)


def wrap_text(text: str, width: int = PAGE, indent: str = "  ") -> str:
    """Break a text into lines of at most a width: at spaces, and within words if they are longer.

    >>> print(wrap_text("one two three", 9))
    one two
      three
    >>> print(wrap_text("second_annotator", 9, indent=""))
    second_
    annotator
    """
    if compute_width(text) <= width:
        return text
    text = " ".join(map(shorten_message, text.split(" ")))  # damaged files have endless words
    filled = "".join(letter + "\0" * (compute_width(letter) - 1) for letter in text)
    pattern = rf"\A{_LINE.format(width)}|{_LINE.format(width - len(indent))}"
    lines = [line.lstrip(" ") for line in re.findall(pattern, filled, re.DOTALL)]
    return f"\n{indent}".join(lines).replace("\0", "")


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of a table of texts.

    Attributes:
        head: title, which may have several lines.
        cells: texts, which may have several lines.
        names: True for names, False for figures.
        head_names: True if the title is a name too.
        spare: True if the column may be left out.
    """

    head: str
    cells: list[str]
    names: bool = False
    head_names: bool = False
    spare: bool = False

    @cached_property
    def width(self) -> int:
        """The width of the widest line."""
        return max(map(compute_width, "\n".join({self.head, *self.cells}).split("\n")))

    def wrap(self, limit: int) -> TextColumn:
        """Break names into lines of at most a limit, and the title into shorter lines.

        A title is as wide as the cells, a sixth of the limit, or its longest word; a title that is
        a name may be broken within words to half of the limit.
        """
        cells = [wrap_text(cell, limit, "") for cell in self.cells] if self.names else self.cells
        longest_word = max(map(compute_width, self.head.split()), default=1)
        head_width = limit // 2 if self.head_names else max(limit // 6, min(longest_word, limit))
        width = max(replace(self, head="", cells=cells).width, head_width)
        return replace(self, head=wrap_text(self.head, width, ""), cells=cells)


class TextTable(NamedTuple):
    """A table of texts.

    Attributes:
        columns: columns of the table.
        breaks: indices of the rows that begin a block.
        headings: lines before rows, by index of the row.
    """

    columns: list[TextColumn]
    breaks: Collection[int] = ()
    headings: Mapping[int, str] = {}


def fit_to_page(table: TextTable, is_pivoted: bool = False) -> tuple[TextTable, list[str]]:
    """Return a table no wider than a page, and remarks on it.

    Each step is taken only if the table is still too wide or has more than eight columns: names
    lose common affixes, spare columns are left out, repeated names of the first column become
    headings of their rows, the last figures are left out, and titles and names are broken into
    lines. A pivoted table always has headings, and keeps all columns.
    """

    def fits(columns: Sequence[TextColumn]) -> bool:
        """Check whether columns fit with narrow names, and are at most eight."""
        return _have_room(columns, _NARROW) and (is_pivoted or len(columns) <= COLUMNS)

    remarks: list[str] = []
    main_columns = [column for column in table.columns if not column.spare][:COLUMNS]
    if not _have_room(main_columns, _UNLIMITED):
        table = table._replace(columns=_drop_affixes(table.columns, remarks))
    if is_pivoted or not fits(table.columns):
        table = _group_by_first_column(table)
    columns = table.columns
    kept = columns
    if not fits(columns):
        kept = [column for column in columns if not column.spare] or columns
    while not (is_pivoted or fits(kept)) and (figures := [c for c in kept[1:] if not c.names]):
        kept = [column for column in kept if column is not figures[-1]]
    heads = [column.head for column in columns]
    left_out = [
        head if heads.count(head) == 1 else f"{head} of {heads[i - 1]}"
        for i, head in enumerate(heads)
        if columns[i] not in kept
    ]
    remarks += [f"left out: {', '.join(left_out)}; --all shows them"] * bool(left_out)
    if not _have_room(kept, _UNLIMITED):
        # the largest limit that leaves room, or 4, half of which is the width of a wide character
        limit = 4 + bisect_left(range(5, _UNLIMITED), True, key=lambda x: not _have_room(kept, x))
        kept = [column.wrap(limit) for column in kept]
    return table._replace(columns=kept), remarks


def _have_room(columns: Sequence[TextColumn], limit: int) -> bool:
    """Check whether a page is as wide as columns with names of at most a limit."""
    return sum(column.wrap(limit).width + _GAP for column in columns) - _GAP <= PAGE


def _group_by_first_column(table: TextTable) -> TextTable:
    """Turn repeated names of the first column into headings, if another column has names too."""
    first, *others = table.columns
    starts = [i for i, cell in enumerate(first.cells) if not i or cell != first.cells[i - 1]]
    if not (first.names and others and others[0].names) or len(starts) == len(first.cells):
        return table
    headings = {i: wrap_text(f"{first.head}: {first.cells[i]}".lstrip(" :")) for i in starts}
    return TextTable(others, starts[1:], headings)


def _drop_affixes(columns: list[TextColumn], remarks: list[str]) -> list[TextColumn]:
    """Drop common affixes of names in titles, else in cells without spaces, and add a remark."""
    heads = {column.head for column in columns if column.head_names}
    names = heads or {name for c in columns if c.names for name in c.cells if " " not in name}
    prefix, suffix = find_common_parts(sorted(names))
    remarks += [f"names in full: {prefix}…{suffix}"] * bool(prefix + suffix)

    def shorten(text: str) -> str:
        """Drop the affixes of a name; other texts stay."""
        return text[len(prefix) : len(text) - len(suffix)] if text in names else text

    return [replace(c, head=shorten(c.head), cells=list(map(shorten, c.cells))) for c in columns]
