"""Tables as text, for a terminal."""

from __future__ import annotations

import re

from spanagree.errors import pluralize
from spanagree.results.display import DisplayTable, pivot_table
from spanagree.results.fit import PAGE, TextColumn, TextTable, compute_width, fit_to_page, wrap_text
from spanagree.results.frame import PLAIN, Frame, TableStyle
from spanagree.results.numbers import DIGITS

_LONGEST = 200  # characters of a line; no row is added to a longer one


def render(table: Frame, style: TableStyle = PLAIN) -> str:
    """Render verdict, caption, table, remarks and signature of a result as text.

    Names are aligned on the left and figures on the right. A table without columns for text output
    has no grid of cells.
    """
    table = table if style.all_columns else pivot_table(table.in_terminal or table)
    columns, _, breaks = display = DisplayTable.from_frame(table)
    remarks = list(table.remarks)
    blocks = [wrap_text(table.verdict, indent=""), _wrap_sentence(table.caption)]
    if columns:
        texts = display.format_cells(style.count_decimals(DIGITS), style.percent)
        text_columns = [
            TextColumn(
                column.title,
                [row[column_index] for row in texts],
                column.kind == "name",
                1 < column_index < 2 + table.across,
                column.spare,
            )
            for column_index, column in enumerate(columns)
        ]
        text_table = TextTable(text_columns, breaks)
        if not style.all_columns:
            text_table, notes = fit_to_page(text_table, table.across > 0)
            remarks += notes
        blocks.append(_format_table(text_table))
    blocks += ["\n".join(map(_wrap_sentence, remarks)), break_signature(table.signature)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def summarize_table(table: Frame) -> str:
    """Write the names and figures of the first rows of a table in one line.

    For a table without figures the line has the caption, and names with their counts.

    >>> from spanagree.results.frame import Column
    >>> columns = [Column("", "system", "name"), Column("", "F1"), Column("", "gold", "count")]
    >>> summarize_table(Frame(columns, [["mine", 0.5, 7], ["yours", None, 7]]))
    'mine: F1 0.500; yours: F1 –'
    """
    columns, rows, _ = display = DisplayTable.from_frame(table)
    texts = display.format_cells()
    column_kind = "figure" if any(column.kind == "figure" for column in columns) else "count"
    entries = [table.caption] if column_kind == "count" and table.caption else []
    n_rows = len(rows) if any(column.kind == column_kind for column in columns) else 0
    for row_number, row in enumerate(texts[:n_rows], 1):
        cells = list(zip(columns, row, strict=True))
        name = " ".join(cell for column, cell in cells if column.kind == "name" and cell)
        figures = ", ".join(
            f"{column.title} {cell}"
            for column, cell in cells
            if column.kind == column_kind and cell
        )
        entries.append(f"{name}: {figures}" if figures else name)
        if sum(map(len, entries)) > _LONGEST and n_rows > row_number:
            entries.append(pluralize(n_rows - row_number, "more row"))
            break
    return "; ".join(entries)


def _format_table(grid: TextTable) -> str:
    """Format the header and the rows of a table, with empty lines and headings between blocks."""
    lines = _format_row(grid.columns, [column.head for column in grid.columns], from_top=False)
    for row_index in range(len(grid.columns[0].cells)):
        lines += [""] * (row_index in grid.breaks)
        lines += [grid.headings[row_index]] if row_index in grid.headings else []
        lines += _format_row(grid.columns, [column.cells[row_index] for column in grid.columns])
    return "\n".join(lines)


def _format_row(columns: list[TextColumn], cells: list[str], from_top: bool = True) -> list[str]:
    """Format a row of a table as lines of text; cells with fewer lines are padded.

    Args:
        columns: columns of the table, with their widths.
        cells: text of each cell, which may have several lines.
        from_top: True to pad below a cell, as in rows; False to pad above it, as in headers.
    """
    cell_lines = [cell.split("\n") for cell in cells]
    height = max(map(len, cell_lines))
    lines = []
    for line_index in range(height):
        line = ""
        for column, text_lines in zip(columns, cell_lines, strict=True):
            i = line_index if from_top else line_index - height + len(text_lines)
            text = text_lines[i] if 0 <= i < len(text_lines) else ""
            gap = " " * (column.width - compute_width(text))
            line += (text + gap if column.names else gap + text) + "  "
        lines.append(line.rstrip())
    return lines


def _wrap_sentence(text: str) -> str:
    """Wrap each line of a caption or a remark to the width of a page."""
    return "\n".join(map(wrap_text, text.split("\n")))


def break_signature(signature: str) -> str:
    """Break the signature into lines no wider than a page, after bars or commas."""
    lines = ["signature:"] if signature else []
    entries = re.findall(r"[^|]+\|?", signature)
    pieces = [piece for entry in entries for piece in _split_after_commas(entry)]
    for piece in pieces:
        space = " " if lines == ["signature:"] else ""
        if compute_width(lines[-1] + space + piece) > PAGE and lines[-1] != "signature:":
            lines.append(f"  {piece}")
        else:
            lines[-1] += space + piece
    return "\n".join(lines)


def _split_after_commas(entry: str) -> list[str]:
    """Split an entry after commas, if it is wider than a line."""
    return [entry] if compute_width(entry) < PAGE - 1 else re.findall(r"[^,]*,|[^,]+", entry)
