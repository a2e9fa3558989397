"""Views of a table for text output: columns with a title, names across, cells as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from spanagree.errors import escape_name
from spanagree.results.cells import Value, format_cell
from spanagree.results.frame import Column, Frame
from spanagree.results.numbers import DIGITS, NOT_SHOWN

_MAX_ACROSS = 7  # names that have a column each and fit a page


def pivot_table(table: Frame) -> Frame:
    """Build a table with a row for each figure and row name, and a column for each other name.

    The table is unchanged without a pivot, or unless 2 to 7 names are compared.
    """
    pivot = table.pivot
    if pivot is None:
        return table
    columns, rows, _ = DisplayTable.from_frame(table)
    index_by_title = {column.title: i for i, column in enumerate(columns)}
    row, column = index_by_title[pivot.rows], index_by_title[pivot.columns]
    cells = {(str(values[row]), str(values[column])): values for values in rows}
    row_names = list(dict.fromkeys(name for name, _ in cells))
    column_names = list(dict.fromkeys(name for _, name in cells))
    if not 2 <= len(column_names) <= _MAX_ACROSS:
        return table

    def list_values(title: str, row_name: str) -> list[Value]:
        """Return the values of one column for a row name, one for each new column."""
        rows_of_name = (cells.get((row_name, name)) for name in column_names)
        return [
            None if values is None else values[index_by_title[title]] for values in rows_of_name
        ]

    shared_titles = [
        title
        for title in pivot.shared
        if all(len(set(list_values(title, name))) == 1 for name in row_names)
    ]
    dropped_titles = {column.title for column in columns} - {*pivot.figures}
    meanings = {name: columns[index_by_title[name]].meaning or name for name in pivot.figures}
    return replace(
        table,
        columns=[
            Column("", " ", "name"),
            columns[row],
            *(Column("", escape_name(name)) for name in column_names),
            *(columns[index_by_title[title]] for title in shared_titles),
        ],
        rows=[
            [
                figure,
                name,
                *list_values(figure, name),
                *(list_values(shared_title, name)[0] for shared_title in shared_titles),
            ]
            for figure in pivot.figures
            for name in row_names
        ],
        breaks=[len(row_names) * i for i in range(1, len(pivot.figures))],
        remarks=[
            remark
            for remark in table.remarks
            if not any(f": {dropped_title} undefined" in remark for dropped_title in dropped_titles)
        ],
        meanings={**table.meanings, **meanings},
        pivot=None,
        across=len(column_names),
    )


class DisplayTable(NamedTuple):
    """Text output of a table: columns, rows, and the indices of the rows that begin a block."""

    columns: list[Column]
    rows: list[list[Value]]
    breaks: list[int]

    @classmethod
    def from_frame(cls, frame: Frame) -> DisplayTable:
        """Select the columns with a title, and the rows that are not for data only."""
        indices = [i for i, column in enumerate(frame.columns) if column.title]
        rows: list[list[Value]] = []
        breaks: list[int] = []
        for row_index, row in enumerate(frame.rows):
            if row_index in frame.breaks and rows:
                breaks.append(len(rows))
            if row_index not in frame.for_data:
                rows.append([row[i] for i in indices])
        return cls([frame.columns[i] for i in indices], rows, breaks)

    @property
    def header(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def blocks(self) -> Iterator[range]:
        """The indices of the rows of each block."""
        return (range(*ends) for ends in pairwise([0, *self.breaks, len(self.rows)]))

    def format_cells(
        self, digits: int = DIGITS, percent: bool | None = False, interval_format: str = "{}–{}"
    ) -> list[list[str]]:
        """Format every cell.

        Args:
            digits: number of decimals of figures.
            percent: True for figures in per cent.
            interval_format: format of an interval.
        """
        return [
            [
                format_cell(value, column.kind, digits, percent, interval_format)
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]

    def find_best_cells(self, table: Frame, texts: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
        """Find the cells (row and column) with the best of several figures, as printed."""
        figures = range(2, 2 + table.across)
        groups = (
            [
                [(row_index, column_index) for column_index in figures]
                for row_index in range(len(self.rows))
            ]
            if table.across
            else []
        )
        for column_index, column in enumerate(self.columns):
            if column.title in table.best:
                groups += [
                    [(row_index, column_index) for row_index in block] for block in self.blocks
                ]
        cells: set[tuple[int, int]] = set()
        for group in groups:
            with_figure = [
                (row_index, column_index)
                for row_index, column_index in group
                if texts[row_index][column_index] not in (NOT_SHOWN, "")
            ]
            if len(with_figure) > 1:
                max_figure = max(
                    float(texts[row_index][column_index]) for row_index, column_index in with_figure
                )
                cells |= {
                    (row_index, column_index)
                    for row_index, column_index in with_figure
                    if float(texts[row_index][column_index]) == max_figure
                }
        return cells
