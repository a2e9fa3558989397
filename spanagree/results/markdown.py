"""Tables for a README, an issue or a notebook."""

from __future__ import annotations

import re

from spanagree.results.frame import PLAIN, Frame, TableStyle

USUAL = 2  # decimals, as papers print


def render(table: Frame, look: TableStyle = PLAIN) -> str:
    """Return a Markdown table; whatever a name contains shows as text."""
    table = table if look.all_columns else table.turned
    shown = table.shown
    texts = shown.texts(look.decimals(USUAL), look.percent)
    best = shown.best(table, texts) if "bold" in look.style else ()
    align = ["---" if column.kind == "name" else "---:" for column in shown.columns]
    rows = [[escaped(title) for title in shown.header], align]
    for r, row in enumerate(texts):
        rows.append(
            [f"**{escaped(t)}**" if (r, c) in best else escaped(t) for c, t in enumerate(row)]
        )
    lines = [f"| {' | '.join(row)} |" for row in rows]
    heads = filter(None, (table.verdict, table.caption))
    above = [line for text in heads for line in (escaped(text), "")]
    below = [escaped(remark) + "  " for remark in table.remarks]
    if table.signature:
        below.append(f"Signature: `{table.signature}`")
    return "\n".join([*above, *lines, *([""] if below else []), *below, ""])


def escaped(text: str) -> str:
    """Return a text as Markdown shows it, whatever it contains."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#~$])", r"\\\1", text)
