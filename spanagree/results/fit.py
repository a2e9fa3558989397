"""Tables that fit a page: what repeats is dropped, names are made short, columns are left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from spanagree.results.names import common_parts
from spanagree.results.numbers import NOT_SHOWN

if TYPE_CHECKING:
    from spanagree.results.frame import Column

PAGE = 80
"""The width of a page, in columns of a terminal."""

COLUMNS = 8
"""The most columns of a table that people see unless they ask for more."""

_NAMED = 6  # columns left out that are named
_GAP = 2
_SHORT = 20  # columns to which names are cut before a table is parted
_LEAST = 8  # columns to which names are cut where nothing else helps
_HEADS = range(14, 5, -1)  # columns to which names in titles are broken
_ROOM = 24  # columns that sentences of the last column need
_SAVED = 4  # characters in common that are worth a sentence


def spare_columns(columns: Sequence[Column]) -> list[int]:
    """List the positions of the columns that a table with more columns than fit leaves out."""
    return [c for c, column in enumerate(columns) if column.spare and len(columns) > COLUMNS]


@lru_cache(maxsize=1 << 14)
def width_of(text: str) -> int:
    """Return the width in a terminal: combining marks have none, wide characters have two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def wrap(text: str, width: int = PAGE, indent: str = "  ") -> str:
    """Return a text on lines no wider than that, broken at its spaces.

    >>> print(wrap("one two three", 9))
    one two
      three
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if width_of(longer) > width and lines[-1].strip():
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of a table, as texts.

    Attributes:
        head: the title, which may have several lines.
        cells: the texts, which may have several lines.
        names: what they name, as in all columns of systems; empty for figures.
        head_names: whether the title is a name too.
        spare: whether it may be left out.
        joined: whether it belongs to the column before it.
    """

    head: str
    cells: list[str]
    names: str = ""
    head_names: bool = False
    spare: bool = False
    joined: bool = False

    @cached_property
    def width(self) -> int:
        """The width of the widest line."""
        return max(map(width_of, "\n".join({self.head, *self.cells}).split("\n")))

    def change(self, short: Callable[[str], str]) -> TextColumn:
        """Return the column with other names."""
        return replace(self, cells=list(map(short, self.cells)))


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of texts on its way to a page.

    Attributes:
        columns: the columns.
        breaks: before which rows a block begins.
        above: what stands above a row, by its number.
        below: what has to be said below.
        left_out: the titles of columns that were left out.
    """

    columns: list[TextColumn]
    breaks: Collection[int] = ()
    above: dict[int, str] = field(default_factory=dict)
    below: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def excess(self) -> int:
        """By how much the table is wider than a page."""
        return sum(column.width + _GAP for column in self.columns) - _GAP - PAGE


def fitted(grid: TextTable, turned: bool = False) -> list[TextTable]:
    """Return a table no wider than a page if it can be; parts of one that stand below each other.

    Of more than eight columns the spare ones and the last figures are left out. One step after the
    other is taken until it fits: names lose what they have in common, titles and sentences stand on
    several lines, a name that repeats stands above its rows, long names are cut, spare columns go,
    and the columns that still do not fit stand below. Of a turned table the first column stands
    above its rows in any case, and none is left out.
    """
    grid = _grouped(grid) if turned else _with_few_columns(grid)
    parts = _fit(grid, grouped=True)
    if len(parts) > 1 and len(apart := _fit(grid, grouped=False)) <= len(parts):
        parts = apart  # nothing was gained
    if left_out := parts[-1].left_out:
        left = len(left_out) - _NAMED
        more = [f"{left} more"] * (left > 0)
        note = f"left out: {', '.join([*left_out[:_NAMED], *more])}; --all shows them"
        parts[-1] = replace(parts[-1], below=[*parts[-1].below, note])
    return parts


def _fit(grid: TextTable, *, grouped: bool) -> list[TextTable]:
    steps = [_without_affixes, _with_low_heads, _wrapped, _grouped, _cut, _without_spare]
    for step in steps if grouped else [step for step in steps if step is not _grouped]:
        if grid.excess <= 0:
            break
        grid = step(grid)
    return [_squeezed(part) if part.excess > 0 else part for part in _parted(grid)]


def _with_few_columns(grid: TextTable) -> TextTable:
    """Of more than eight columns, leave out empty intervals, the spare ones, then the last figures.

    Names of the first column that repeat stand above their rows, which is a column less.
    """
    for step in (_grouped, _without_empty, _without_spare):
        if len(grid.columns) > COLUMNS:
            grid = step(grid)
    figures = _figures(grid)
    while len(grid.columns) > COLUMNS and len(figures) > 1:
        grid = _without(grid, figures.pop())
    return grid


def _squeezed(grid: TextTable) -> TextTable:
    """Cut names to a few letters, and put what the last column says on several lines."""
    *before, last = grid.columns
    if not last.names or last.width <= _ROOM or not before:
        return _cut(grid, _LEAST)
    room = TextColumn("", ["." * _ROOM] * len(last.cells))
    names = _cut(replace(grid, columns=[*before, room]), _LEAST).columns[:-1]
    left = max(PAGE - sum(column.width + _GAP for column in names), _LEAST)
    return replace(grid, columns=[*names, last.change(lambda text: wrap(text, left, ""))])


def _without_affixes(grid: TextTable) -> TextTable:
    """Drop what all names of one thing begin or end with; it is said once below."""
    columns, below = list(grid.columns), list(grid.below)
    for pool in dict.fromkeys(column.names for column in columns if column.names):
        inside = {cell for column in columns if column.names == pool for cell in column.cells}
        title = next(column.head for column in columns if column.names == pool)
        short = _shortening(inside, title if len(title) > 1 else "name", below)
        columns = [column.change(short) if column.names == pool else column for column in columns]
    short = _shortening({column.head for column in columns if column.head_names}, "name", below)
    columns = [
        replace(column, head=short(column.head)) if column.head_names else column
        for column in columns
    ]
    return replace(grid, columns=columns, below=below)


def _shortening(names: Collection[str], what: str, below: list[str]) -> Callable[[str], str]:
    """Return a function that drops what all names begin and end with; add a note to ``below``."""
    prefix, suffix = common_parts(sorted(names))
    if len(prefix + suffix) < _SAVED or any(" " in name for name in names):  # those are sentences
        return lambda name: name
    ends = [f"begins with {prefix}"] * bool(prefix) + [f"ends with {suffix}"] * bool(suffix)
    below.append(f"each {what} {' and '.join(ends)}")
    return lambda name: name[len(prefix) : len(name) - len(suffix)]


def _with_low_heads(grid: TextTable) -> TextTable:
    """Break titles of several words, and those that are names, as far as that makes room."""

    def low(column: TextColumn, width: int) -> TextColumn:
        widest = max(map(width_of, column.cells), default=1)
        if column.head_names or column.names:
            least = width if column.head_names else _HEADS[0]
            return replace(column, head=_broken(column.head, max(widest, least)))
        longest = max(map(width_of, column.head.split()), default=1)
        return replace(column, head=wrap(column.head, max(widest, longest), ""))

    tried = (replace(grid, columns=[low(column, w) for column in grid.columns]) for w in _HEADS)
    return next((candidate for candidate in tried if candidate.excess <= 0), None) or replace(
        grid, columns=[low(column, _HEADS[len(_HEADS) // 2]) for column in grid.columns]
    )


def _broken(name: str, width: int) -> str:
    """Return a name on several lines, broken behind signs where there are any."""
    lines = [""]
    for piece in [] if width_of(name) <= width else re.findall(r"[^\W_]+[\W_]*|[\W_]+", name):
        for part in [piece[i : i + width] for i in range(0, len(piece), width)]:
            if width_of(lines[-1] + part) > width:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.strip() for line in lines if line) or name


def _grouped(grid: TextTable) -> TextTable:
    """Put names of the first column that repeat above their rows, if another has names too."""
    first, *rest = grid.columns
    starts = [i for i, cell in enumerate(first.cells) if not i or cell != first.cells[i - 1]]
    if not first.names or not rest or not rest[0].names or len(starts) == len(first.cells):
        return grid
    title = f"{first.head}: " if first.head.strip() else ""
    above = {i: title + first.cells[i] for i in starts}
    return replace(grid, columns=rest, breaks=starts[1:], above=above)


def _wrapped(grid: TextTable) -> TextTable:
    """Put what is said in the last column on several lines."""
    *before, last = grid.columns
    room = last.width - grid.excess
    if not last.names or room < _ROOM or any(column.names == last.names for column in before):
        return grid
    lines = last.change(lambda text: wrap(text, room, ""))
    return replace(grid, columns=[*before, lines])


def _cut(grid: TextTable, least: int = _SHORT) -> TextTable:
    """Cut long names in the middle, the longest first, as far as they stay apart."""
    columns, excess = list(grid.columns), grid.excess
    room = {i: column.width for i, column in enumerate(columns) if column.names}
    if sum(max(width - least, 0) for width in room.values()) < excess:
        return grid
    while excess > 0:
        longest = max(room, key=room.__getitem__)
        next_one = max((width for i, width in room.items() if i != longest), default=0)
        less = min(excess, max(room[longest] - next_one, 1))
        room[longest] -= less
        excess -= less
    for i, width in room.items():
        short = {cell: _middle_cut(cell, width) for cell in columns[i].cells}
        if len(set(short.values())) == len(short):
            columns[i] = columns[i].change(short.__getitem__)
    return replace(grid, columns=columns)


def _middle_cut(name: str, width: int) -> str:
    """Return a name without as much of its middle as is too wide."""
    short, keep = name, min(len(name), 4 * width)  # of a name without end most goes at once
    while width_of(short) > width and keep > 1:
        keep -= 1
        short = f"{name[: (keep + 1) // 2]}…{name[len(name) - keep // 2 :]}"
    return short


def _without_spare(grid: TextTable) -> TextTable:
    """Leave out the columns that may be left out."""
    return _without(grid, [i for i, column in enumerate(grid.columns) if column.spare])


def _without_empty(grid: TextTable) -> TextTable:
    """Leave out what belongs to a figure that is undefined throughout, such as its interval."""
    columns = enumerate(grid.columns)
    empty = [i for i, c in columns if c.joined and {"", NOT_SHOWN}.issuperset(c.cells)]
    return replace(_without(grid, empty), left_out=grid.left_out)


def _without(grid: TextTable, places: Collection[int]) -> TextTable:
    """Leave out columns by number, and keep their titles."""
    heads = [" ".join(column.head.split()) for column in grid.columns]
    titles = [
        f"{heads[i]} of {heads[i - 1]}" if heads.count(heads[i]) > 1 else heads[i] for i in places
    ]
    columns = [column for i, column in enumerate(grid.columns) if i not in places]
    return replace(grid, columns=columns, left_out=[*titles, *grid.left_out])


def _figures(grid: TextTable) -> list[list[int]]:
    """Return the numbers of the columns that are no names: each with those that belong to it."""
    chunks: list[list[int]] = []
    for i, column in enumerate(grid.columns):
        if not column.names:
            chunks += [] if column.joined and chunks else [[]]
            chunks[-1].append(i)
    return chunks


def _parted(grid: TextTable) -> list[TextTable]:
    """Put the columns that do not fit below, behind the same names."""
    if grid.excess <= 0:
        return [grid]
    heads = [i for i, column in enumerate(grid.columns[:-1]) if column.names]
    chunks = _figures(grid)
    if grid.columns[-1].names:
        chunks.append([len(grid.columns) - 1])
    parts = [heads]
    for chunk in chunks:
        wider = sorted([*parts[-1], *chunk])
        fits = replace(grid, columns=[grid.columns[i] for i in wider]).excess <= 0
        if fits or parts[-1] == heads:
            parts[-1] = wider
        else:
            parts.append(sorted([*heads, *chunk]))
    return [replace(grid, columns=[grid.columns[i] for i in part]) for part in parts]
