"""Tables for a terminal."""

from __future__ import annotations

import unicodedata

from spanagree.rendering.table import Table, figure


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


def _width(text: str) -> int:
    """Return the width in a terminal: combining marks have none, wide characters have two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
