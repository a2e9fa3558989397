"""Tables that fit a page: repeated names are dropped, names shortened, columns left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from spanagree.results.names import find_common_parts
from spanagree.results.numbers import NOT_SHOWN

if TYPE_CHECKING:
    from spanagree.results.frame import Column

PAGE = 80
"""The width of a page, in columns of a terminal."""

COLUMNS = 8
"""Largest number of columns in text output, unless all are requested."""

_NAMED = 6  # columns left out whose names are listed
_GAP = 2
_MAX_NAME = 20  # columns of a name before a table is split
_MIN_NAME = 8  # columns of a name if nothing else helps
_TITLE_WIDTHS = range(14, 5, -1)  # columns of a name in a title
_MIN_SENTENCE = 24  # columns of sentences in the last column
_MIN_SAVING = 4  # characters in common that are worth a sentence


def find_spare_columns(columns: Sequence[Column]) -> list[int]:
    """List the indices of columns that are left out if a table has more columns than fit."""
    return [i for i, column in enumerate(columns) if column.spare and len(columns) > COLUMNS]


@lru_cache(maxsize=1 << 14)
def compute_width(text: str) -> int:
    """Compute the width in a terminal: combining marks have 0 columns, wide characters 2."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def wrap_text(text: str, width: int = PAGE, indent: str = "  ") -> str:
    """Break a text at spaces into lines of at most a width.

    >>> print(wrap_text("one two three", 9))
    one two
      three
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if compute_width(longer) > width and lines[-1].strip():
            lines.append(indent + word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of a table of texts.

    Attributes:
        head: title, which may have several lines.
        cells: texts, which may have several lines.
        names: kind of the names in the cells, equal in all columns of it; empty for figures.
        head_names: True if the title is a name too.
        spare: True if the column may be left out.
        is_attached: True if the column belongs to the previous column.
    """

    head: str
    cells: list[str]
    names: str = ""
    head_names: bool = False
    spare: bool = False
    is_attached: bool = False

    @cached_property
    def width(self) -> int:
        """The width of the widest line."""
        return max(map(compute_width, "\n".join({self.head, *self.cells}).split("\n")))

    def change_cells(self, shorten: Callable[[str], str]) -> TextColumn:
        """Return the column with changed cells."""
        return replace(self, cells=list(map(shorten, self.cells)))


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table of texts on its way to a page.

    Attributes:
        columns: columns of the table.
        breaks: indices of the rows that begin a block.
        headings: lines before rows, by index of the row.
        remarks: sentences after the table.
        left_out: titles of the columns that were left out.
    """

    columns: list[TextColumn]
    breaks: Collection[int] = ()
    headings: dict[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def excess(self) -> int:
        """Number of columns by which the table is wider than a page."""
        return sum(column.width + _GAP for column in self.columns) - _GAP - PAGE


def fit_to_page(grid: TextTable, is_pivoted: bool = False) -> list[TextTable]:
    """Return a table no wider than a page if possible, or several tables to be printed in turn.

    If there are more than eight columns, spare columns and the last figures are left out. Further
    steps are taken until the table fits: names lose common affixes, titles and sentences are broken
    into lines, repeated names become headings of their rows, long names are truncated, spare
    columns are left out, and the remaining columns become further tables. In a pivoted table the
    first column always becomes headings, and no column is left out.
    """
    grid = _group_by_first_column(grid) if is_pivoted else _reduce_columns(grid)
    tables = _narrow_until_fit(grid, is_grouped=True)
    if len(tables) > 1 and len(ungrouped := _narrow_until_fit(grid, is_grouped=False)) <= len(
        tables
    ):
        tables = ungrouped  # headings gained nothing
    if left_out := tables[-1].left_out:
        n_unnamed = len(left_out) - _NAMED
        rest_phrase = [f"{n_unnamed} more"] * (n_unnamed > 0)
        note = f"left out: {', '.join([*left_out[:_NAMED], *rest_phrase])}; --all shows them"
        tables[-1] = replace(tables[-1], remarks=[*tables[-1].remarks, note])
    return tables


def _narrow_until_fit(grid: TextTable, *, is_grouped: bool) -> list[TextTable]:
    """Narrow a table step by step until it fits a page; else split it into several."""
    steps = [
        _drop_affixes,
        _break_titles,
        _wrap_last_column,
        _group_by_first_column,
        _truncate_names,
        _drop_spare_columns,
    ]
    for step in (
        steps if is_grouped else [step for step in steps if step is not _group_by_first_column]
    ):
        if grid.excess <= 0:
            break
        grid = step(grid)
    return [
        _shorten_names_and_wrap(table) if table.excess > 0 else table
        for table in _split_columns(grid)
    ]


def _reduce_columns(grid: TextTable) -> TextTable:
    """Reduce to eight columns: leave out empty intervals, spare columns, then the last figures.

    Repeated names of the first column become headings of their rows, which saves a column.
    """
    for step in (_group_by_first_column, _drop_empty_columns, _drop_spare_columns):
        if len(grid.columns) > COLUMNS:
            grid = step(grid)
    figures = _list_figure_columns(grid)
    while len(grid.columns) > COLUMNS and len(figures) > 1:
        grid = _drop_columns(grid, figures.pop())
    return grid


def _shorten_names_and_wrap(grid: TextTable) -> TextTable:
    """Truncate names to a few letters, and break the texts of the last column into lines."""
    *other_columns, last_column = grid.columns
    if not last_column.names or last_column.width <= _MIN_SENTENCE or not other_columns:
        return _truncate_names(grid, _MIN_NAME)
    placeholder = TextColumn("", ["." * _MIN_SENTENCE] * len(last_column.cells))
    names = _truncate_names(
        replace(grid, columns=[*other_columns, placeholder]), _MIN_NAME
    ).columns[:-1]
    remaining_width = max(PAGE - sum(column.width + _GAP for column in names), _MIN_NAME)
    return replace(
        grid,
        columns=[
            *names,
            last_column.change_cells(lambda text: wrap_text(text, remaining_width, "")),
        ],
    )


def _drop_affixes(grid: TextTable) -> TextTable:
    """Drop common affixes of names of the same kind, and name the affixes in a remark."""
    columns, remarks = list(grid.columns), list(grid.remarks)
    for kind_of_name in dict.fromkeys(column.names for column in columns if column.names):
        names = {
            cell for column in columns if column.names == kind_of_name for cell in column.cells
        }
        title = next(column.head for column in columns if column.names == kind_of_name)
        shorten = _build_shortener(names, title if len(title) > 1 else "name", remarks)
        columns = [
            column.change_cells(shorten) if column.names == kind_of_name else column
            for column in columns
        ]
    shorten = _build_shortener(
        {column.head for column in columns if column.head_names}, "name", remarks
    )
    columns = [
        replace(column, head=shorten(column.head)) if column.head_names else column
        for column in columns
    ]
    return replace(grid, columns=columns, remarks=remarks)


def _build_shortener(names: Collection[str], noun: str, remarks: list[str]) -> Callable[[str], str]:
    """Return a function that drops common affixes of names, and add a remark on them."""
    prefix, suffix = find_common_parts(sorted(names))
    # names with spaces are sentences
    if len(prefix + suffix) < _MIN_SAVING or any(" " in name for name in names):
        return lambda name: name
    phrases = [f"begins with {prefix}"] * bool(prefix) + [f"ends with {suffix}"] * bool(suffix)
    remarks.append(f"each {noun} {' and '.join(phrases)}")
    return lambda name: name[len(prefix) : len(name) - len(suffix)]


def _break_titles(grid: TextTable) -> TextTable:
    """Break titles of several words, and titles that are names, as far as that saves width."""

    def break_title(column: TextColumn, width: int) -> TextColumn:
        """Break the title of a column into lines as wide as its cells, or as its longest word."""
        widest = max(map(compute_width, column.cells), default=1)
        if column.head_names or column.names:
            min_width = width if column.head_names else _TITLE_WIDTHS[0]
            return replace(column, head=_break_name(column.head, max(widest, min_width)))
        longest_word = max(map(compute_width, column.head.split()), default=1)
        return replace(column, head=wrap_text(column.head, max(widest, longest_word), ""))

    candidates = (
        replace(grid, columns=[break_title(column, width) for column in grid.columns])
        for width in _TITLE_WIDTHS
    )
    return next((candidate for candidate in candidates if candidate.excess <= 0), None) or replace(
        grid,
        columns=[
            break_title(column, _TITLE_WIDTHS[len(_TITLE_WIDTHS) // 2]) for column in grid.columns
        ],
    )


def _break_name(name: str, width: int) -> str:
    """Break a name into lines, after punctuation if there is any."""
    lines = [""]
    for piece in [] if compute_width(name) <= width else re.findall(r"[^\W_]+[\W_]*|[\W_]+", name):
        for chunk in [piece[i : i + width] for i in range(0, len(piece), width)]:
            if compute_width(lines[-1] + chunk) > width:
                lines.append("")
            lines[-1] += chunk
    return "\n".join(line.strip() for line in lines if line) or name


def _group_by_first_column(grid: TextTable) -> TextTable:
    """Turn repeated names of the first column into headings, if another column has names too."""
    first_column, *other_columns = grid.columns
    group_starts = [
        i for i, cell in enumerate(first_column.cells) if not i or cell != first_column.cells[i - 1]
    ]
    if (
        not first_column.names
        or not other_columns
        or not other_columns[0].names
        or len(group_starts) == len(first_column.cells)
    ):
        return grid
    title = f"{first_column.head}: " if first_column.head.strip() else ""
    headings = {i: title + first_column.cells[i] for i in group_starts}
    return replace(grid, columns=other_columns, breaks=group_starts[1:], headings=headings)


def _wrap_last_column(grid: TextTable) -> TextTable:
    """Break the texts of the last column into lines."""
    *other_columns, last_column = grid.columns
    width = last_column.width - grid.excess
    if (
        not last_column.names
        or width < _MIN_SENTENCE
        or any(column.names == last_column.names for column in other_columns)
    ):
        return grid
    lines = last_column.change_cells(lambda text: wrap_text(text, width, ""))
    return replace(grid, columns=[*other_columns, lines])


def _truncate_names(grid: TextTable, min_width: int = _MAX_NAME) -> TextTable:
    """Truncate long names in the middle, the longest first, while they remain distinct."""
    columns, excess = list(grid.columns), grid.excess
    width_by_column = {i: column.width for i, column in enumerate(columns) if column.names}
    if sum(max(width - min_width, 0) for width in width_by_column.values()) < excess:
        return grid
    while excess > 0:
        longest = max(width_by_column, key=width_by_column.__getitem__)
        second_width = max(
            (width for i, width in width_by_column.items() if i != longest), default=0
        )
        reduction = min(excess, max(width_by_column[longest] - second_width, 1))
        width_by_column[longest] -= reduction
        excess -= reduction
    for i, width in width_by_column.items():
        shortened_names = {cell: _truncate_middle(cell, width) for cell in columns[i].cells}
        if len(set(shortened_names.values())) == len(shortened_names):
            columns[i] = columns[i].change_cells(shortened_names.__getitem__)
    return replace(grid, columns=columns)


def _truncate_middle(name: str, width: int) -> str:
    """Truncate the middle of a name to a width."""
    shortened, n_kept = name, min(len(name), 4 * width)  # quick for very long names
    while compute_width(shortened) > width and n_kept > 1:
        n_kept -= 1
        shortened = f"{name[: (n_kept + 1) // 2]}…{name[len(name) - n_kept // 2 :]}"
    return shortened


def _drop_spare_columns(grid: TextTable) -> TextTable:
    """Leave out the columns that may be left out."""
    return _drop_columns(grid, [i for i, column in enumerate(grid.columns) if column.spare])


def _drop_empty_columns(grid: TextTable) -> TextTable:
    """Leave out columns attached to a figure that is undefined in every row."""
    columns = enumerate(grid.columns)
    empty = [
        i
        for i, column in columns
        if column.is_attached and {"", NOT_SHOWN}.issuperset(column.cells)
    ]
    return replace(_drop_columns(grid, empty), left_out=grid.left_out)


def _drop_columns(grid: TextTable, indices: Collection[int]) -> TextTable:
    """Leave out columns by index, and keep their titles."""
    heads = [" ".join(column.head.split()) for column in grid.columns]
    titles = [
        f"{heads[i]} of {heads[i - 1]}" if heads.count(heads[i]) > 1 else heads[i] for i in indices
    ]
    columns = [column for i, column in enumerate(grid.columns) if i not in indices]
    return replace(grid, columns=columns, left_out=[*titles, *grid.left_out])


def _list_figure_columns(grid: TextTable) -> list[list[int]]:
    """List the indices of the columns of figures, each with the columns attached to it."""
    groups: list[list[int]] = []
    for i, column in enumerate(grid.columns):
        if not column.names:
            groups += [] if column.is_attached and groups else [[]]
            groups[-1].append(i)
    return groups


def _split_columns(grid: TextTable) -> list[TextTable]:
    """Split columns that do not fit into further tables, each with the same names."""
    if grid.excess <= 0:
        return [grid]
    name_columns = [i for i, column in enumerate(grid.columns[:-1]) if column.names]
    figure_columns = _list_figure_columns(grid)
    if grid.columns[-1].names:
        figure_columns.append([len(grid.columns) - 1])
    column_sets = [name_columns]
    for figure_group in figure_columns:
        with_group = sorted([*column_sets[-1], *figure_group])
        has_room = replace(grid, columns=[grid.columns[i] for i in with_group]).excess <= 0
        if has_room or column_sets[-1] == name_columns:
            column_sets[-1] = with_group
        else:
            column_sets.append(sorted([*name_columns, *figure_group]))
    return [
        replace(grid, columns=[grid.columns[i] for i in column_set]) for column_set in column_sets
    ]
