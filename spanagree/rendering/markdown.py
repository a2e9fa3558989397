"""Tables for a README, an issue or a notebook."""

from __future__ import annotations

import re

from spanagree.rendering.table import Table, figure


def render(table: Table) -> str:
    """Return a Markdown table; whatever a name contains shows as text."""
    shown = table.shown
    align = ["---" if column.kind == "name" else "---:" for column in shown.columns]
    rows = [shown.header, align, *([escaped(figure(v)) for v in row] for row in shown.rows)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    above = [escaped(table.caption), ""] if table.caption else []
    below = [escaped(remark) + "  " for remark in table.remarks]
    if table.signature:
        below.append(f"Signature: `{table.signature}`")
    return "\n".join([*above, *lines, *([""] if below else []), *below, ""])


def escaped(text: str) -> str:
    """Return a text as Markdown shows it, whatever it contains."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~$])", r"\\\1", text)
