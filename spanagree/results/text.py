"""Tables for a terminal."""

from __future__ import annotations

import re

from spanagree.errors import pluralize
from spanagree.results.fit import PAGE, TextColumn, TextTable, fitted, width_of, wrap
from spanagree.results.frame import PLAIN, Frame, TableStyle
from spanagree.results.numbers import DIGITS

_LONGEST = 200  # characters of a line, beyond which no row is added


def render(table: Frame, look: TableStyle = PLAIN) -> str:
    """Return names to the left, figures to the right, and below them the signature by itself.

    Of a table of which people see no column, only what stands above and below.
    """
    table = table if look.all_columns else (table.in_terminal or table).turned
    columns, _, breaks = shown = table.shown
    below = list(table.remarks)
    parts = [wrap(table.verdict, indent=""), _wrapped(table.caption)]
    if columns:
        texts = shown.texts(look.decimals(DIGITS), look.percent)
        as_texts = [
            TextColumn(
                column.title,
                [row[c] for row in texts],
                column.meaning or column.title if column.kind == "name" else "",
                1 < c < 2 + table.across,
                column.spare,
                column.kind in ("interval", "probability", "place"),
            )
            for c, column in enumerate(columns)
        ]
        grid = TextTable(as_texts, breaks)
        grids = [grid] if look.all_columns else fitted(grid, table.across > 0)
        parts += map(_drawn, grids)
        below += grids[-1].below
    parts += ["\n".join(map(_wrapped, below)), signature_lines(table.signature)]
    return "\n\n".join(filter(None, parts)) + "\n"


def one_line(table: Frame) -> str:
    """Return the names and the figures of the first rows, as many as a line holds.

    Where a table has no figures, what stands above it, and counts.

    >>> from spanagree.results.frame import Column
    >>> columns = [Column("", "system", "name"), Column("", "F1"), Column("", "gold", "count")]
    >>> one_line(Frame(columns, [["mine", 0.5, 7], ["yours", None, 7]]))
    'mine: F1 0.500; yours: F1 –'
    """
    columns, rows, _ = shown = table.shown
    texts = shown.texts()
    kind = "figure" if any(column.kind == "figure" for column in columns) else "count"
    parts = [table.caption] if kind == "count" and table.caption else []
    most = len(rows) if any(column.kind == kind for column in columns) else 0
    for number, row in enumerate(texts[:most], 1):
        cells = list(zip(columns, row, strict=True))
        name = " ".join(cell for column, cell in cells if column.kind == "name" and cell)
        figures = ", ".join(
            f"{column.title} {cell}" for column, cell in cells if column.kind == kind and cell
        )
        parts.append(f"{name}: {figures}" if figures else name)
        if sum(map(len, parts)) > _LONGEST and most > number:
            parts.append(pluralize(most - number, "more row"))
            break
    return "; ".join(parts)


def _drawn(grid: TextTable) -> str:
    """Return the lines of a table."""
    lines = _lines(grid.columns, [column.head for column in grid.columns], top=False)
    for number in range(len(grid.columns[0].cells)):
        lines += [""] * (number in grid.breaks)
        lines += [grid.above[number]] if number in grid.above else []
        lines += _lines(grid.columns, [column.cells[number] for column in grid.columns])
    return "\n".join(lines)


def _lines(columns: list[TextColumn], cells: list[str], top: bool = True) -> list[str]:
    """Return the lines of a row, whose cells begin at its top or end at its foot."""
    pieces = [cell.split("\n") for cell in cells]
    height = max(map(len, pieces))
    lines = []
    for n in range(height):
        line = ""
        for column, piece in zip(columns, pieces, strict=True):
            i = n if top else n - height + len(piece)
            text = piece[i] if 0 <= i < len(piece) else ""
            gap = " " * (column.width - width_of(text))
            line += (text + gap if column.names else gap + text) + "  "
        lines.append(line.rstrip())
    return lines


def _wrapped(text: str) -> str:
    """Return a caption or remark on lines no wider than a page."""
    return "\n".join(line if width_of(line) <= PAGE else wrap(line) for line in text.split("\n"))


def signature_lines(signature: str) -> str:
    """Return the signature as lines no wider than a page, broken behind its bars or commas."""
    lines = ["signature:"] if signature else []
    entries = re.findall(r"[^|]+\|?", signature)
    parts = [part for entry in entries for part in _behind_commas(entry)]
    for part in parts:
        space = " " if lines == ["signature:"] else ""
        if width_of(lines[-1] + space + part) > PAGE and lines[-1] != "signature:":
            lines.append(f"  {part}")
        else:
            lines[-1] += space + part
    return "\n".join(lines)


def _behind_commas(entry: str) -> list[str]:
    """Return an entry in pieces, if it is wider than a line."""
    return [entry] if width_of(entry) < PAGE - 1 else re.findall(r"[^,]*,|[^,]+", entry)
