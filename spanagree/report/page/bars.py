"""Tables with bars below F1, and with a reader's order of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from spanagree.report.page.elements import render_folded, render_short_name
from spanagree.results.display import DisplayTable
from spanagree.results.fit import find_spare_columns
from spanagree.results.frame import Column, Frame
from spanagree.results.html import Html, render_number, render_table
from spanagree.results.score_columns import F1
from spanagree.results.svg import draw_bar

MORE_COLUMNS = "more columns"
"""Title of a folded table with the columns that a reader can do without."""

_LEADING = ("corrected F1", "system/human corrected", "F1", "chance F1")
_MOVED = {"sd": "sd of chance", "95 %": "95 % of chance"}
"""Titles of columns that need more words after their neighbours have moved."""


def show_bars(figures: Frame, short_names: Mapping[str, str] | None = None) -> Html:
    """Render a table with bars below F1 and short names; corrected F1 is its first figure.

    Spare columns, which a reader can do without, are a second, folded table.
    """
    figures = replace(move_f1_to_front(figures), verdict="")  # the summary shows it
    spare = find_spare_columns(figures.columns)
    if not spare:
        return _render_bars(figures, short_names)
    names = find_columns(figures, lambda column: column.kind == "name")
    first_columns = [index for index in range(len(figures.columns)) if index not in spare]
    more_columns = reorder_columns(figures, sorted({*names, *spare}))
    more_columns = replace(more_columns, caption="", remarks=())
    return Html(
        _render_bars(reorder_columns(figures, first_columns), short_names)
        + render_folded(MORE_COLUMNS, _render_bars(more_columns, short_names))
    )


def _render_bars(figures: Frame, short_names: Mapping[str, str] | None) -> Html:
    """Render a table with a bar below each F1.

    ``short_names`` has a shorter form of names of layers; `None` keeps the names.
    """
    display = DisplayTable.from_frame(figures)

    def render_cell(row: int, column: int) -> Html | None:
        """Render an F1 with a bar, and a name shortened; `None` for other cells."""
        value, title = display.rows[row][column], display.header[column]
        if title in F1 and isinstance(value, float) and not math.isnan(value):
            return Html(render_number(value) + draw_bar(value))
        if short_names and isinstance(value, str) and value in short_names:
            return render_short_name(value, short_names)
        return None

    return render_table(figures, render_cell)


def find_columns(figures: Frame, is_wanted: Callable[[Column], bool]) -> list[int]:
    """Find the indices of the shown columns of a table that fulfil a condition."""
    columns = DisplayTable.from_frame(figures).columns
    return [index for index, column in enumerate(columns) if is_wanted(column)]


def reorder_columns(figures: Frame, order: Sequence[int]) -> Frame:
    """Select columns of a table by their indices, in this order."""
    columns, rows, breaks = DisplayTable.from_frame(figures)
    return replace(
        figures,
        columns=[columns[index] for index in order],
        rows=[[row[index] for index in order] for row in rows],
        breaks=breaks,
        for_data=(),
    )


def move_f1_to_front(figures: Frame) -> Frame:
    """Move corrected F1 to the front of a table, as narrow windows cut off its last columns."""
    titles = DisplayTable.from_frame(figures).header
    front = find_columns(figures, lambda column: column.kind == "name")
    for title in _LEADING:
        if title in titles:
            index = titles.index(title)
            has_interval = titles[index + 1 : index + 2] == ["interval"]
            front += [index, index + 1] if has_interval else [index]
    others = [index for index in range(len(titles)) if index not in front]
    reordered = reorder_columns(figures, [*front, *others])
    columns = [
        column._replace(
            title=_MOVED.get(column.title, column.title), meaning=column.meaning or column.title
        )
        for column in reordered.columns
    ]
    return replace(reordered, columns=columns)


def remove_repeated_remarks(figures: Frame, previous: Frame) -> Frame:
    """Remove the remarks that another table above it already has."""
    return replace(
        figures, remarks=[remark for remark in figures.remarks if remark not in previous.remarks]
    )
