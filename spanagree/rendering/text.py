"""Tables for a terminal."""

from __future__ import annotations

import unicodedata

from spanagree.errors import counted
from spanagree.rendering.table import Table, figure

_LONGEST = 200  # characters of a line, beyond which no row is added


def render(table: Table) -> str:
    """Return names to the left, figures to the right, and a line for the signature.

    Of a table of which people see no column, only what stands above and below.
    """
    table = table.in_terminal or table
    columns, rows, breaks = shown = table.shown
    cells = [shown.header, *([figure(value) for value in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for number, row in enumerate(cells, -1):
        if number in breaks:
            lines.append("")
        padded = (
            cell + gap if column.kind == "name" else gap + cell
            for column, cell, width in zip(columns, row, widths, strict=True)
            for gap in (" " * (width - _width(cell)),)
        )
        lines.append("  ".join(padded).rstrip())
    below = [*table.remarks, *([f"signature: {table.signature}"] if table.signature else [])]
    if not columns:
        return "\n".join([table.caption, *below, ""])
    above = [table.caption, ""] if table.caption else []
    return "\n".join([*above, *lines, *([""] if below else []), *below, ""])


def one_line(table: Table) -> str:
    """Return the names and the figures of the first rows, as many as a line holds.

    Where a table has no figures, what stands above it, and counts.

    >>> from spanagree.rendering.table import Column
    >>> columns = [Column("", "system", "name"), Column("", "F1"), Column("", "gold", "count")]
    >>> one_line(Table(columns, [["mine", 0.5, 7], ["yours", None, 7]]))
    'mine: F1 0.5000; yours: F1 –'
    """
    columns, rows, _ = table.shown
    kind = "figure" if any(column.kind == "figure" for column in columns) else "count"
    parts = [table.caption] if kind == "count" and table.caption else []
    most = len(rows) if any(column.kind == kind for column in columns) else 0
    for number, row in enumerate(rows[:most], 1):
        cells = list(zip(columns, map(figure, row), strict=True))
        name = " ".join(cell for column, cell in cells if column.kind == "name" and cell)
        figures = ", ".join(
            f"{each.title} {cell}" for each, cell in cells if each.kind == kind and cell
        )
        parts.append(f"{name}: {figures}" if figures else name)
        if sum(map(len, parts)) > _LONGEST and most > number:
            parts.append(counted(most - number, "more row"))
            break
    return "; ".join(parts)


def _width(text: str) -> int:
    """Return the width in a terminal: combining marks have none, wide characters have two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
