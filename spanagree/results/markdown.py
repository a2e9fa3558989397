"""Tables in Markdown, for a README, an issue or a notebook."""

from __future__ import annotations

import re

from spanagree.results.display import DisplayTable, pivot_table
from spanagree.results.frame import PLAIN, Frame, TableStyle

DEFAULT_DIGITS = 2  # decimals, as in most papers


def render(table: Frame, style: TableStyle = PLAIN) -> str:
    """Render a Markdown table; names are escaped."""
    table = table if style.all_columns else pivot_table(table)
    display = DisplayTable.from_frame(table)
    texts = display.format_cells(style.count_decimals(DEFAULT_DIGITS), style.percent)
    best = display.find_best_cells(table, texts) if "bold" in style.style else ()
    align = ["---" if column.kind == "name" else "---:" for column in display.columns]
    rows = [[escape_markdown(title) for title in display.header], align]
    for row_index, row in enumerate(texts):
        rows.append(
            [
                f"**{escape_markdown(cell)}**"
                if (row_index, column_index) in best
                else escape_markdown(cell)
                for column_index, cell in enumerate(row)
            ]
        )
    lines = [f"| {' | '.join(row)} |" for row in rows]
    leading_texts = filter(None, (table.verdict, table.caption))
    leading_lines = [line for text in leading_texts for line in (escape_markdown(text), "")]
    trailing_lines = [escape_markdown(remark) + "  " for remark in table.remarks]
    if table.signature:
        trailing_lines.append(f"Signature: `{table.signature}`")
    return "\n".join(
        [*leading_lines, *lines, *([""] if trailing_lines else []), *trailing_lines, ""]
    )


def escape_markdown(text: str) -> str:
    """Escape a text for Markdown, whatever it contains."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~$])", r"\\\1", text)
