"""Tables for a terminal."""

from __future__ import annotations

import unicodedata

from spanagree.rendering.table import Table, figure


def render(table: Table) -> str:
    """Names to the left, figures to the right, a line for the signature."""
    cells = [list(table.header), *([figure(value) for value in row] for row in table.rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for i, row in enumerate(cells):
        if i - 1 in table.breaks:
            lines.append("")
        padded = (
            cell + gap if c < table.names or c in table.prose else gap + cell
            for c, (cell, width) in enumerate(zip(row, widths, strict=True))
            for gap in (" " * (width - _width(cell)),)
        )
        lines.append("  ".join(padded).rstrip())
    above = [table.caption, ""] if table.caption else []
    below = list(table.remarks)
    below += [f"signature: {table.signature}"] if table.signature else []
    return "\n".join([*above, *lines, *([""] if below else []), *below, ""])


def _width(text: str) -> int:
    """Columns that a text takes up: none for combining marks, two for wide characters."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
