"""Tables for a paper, with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spanagree.rendering.table import UNDEFINED, Table, figure

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "→": r"$\to$",
    "−": "$-$",
    **{c: f"$\\{name}$" for c, name in zip("πκατ", ("pi", "kappa", "alpha", "tau"), strict=True)},
    "ᵢ": "$_i$",
    UNDEFINED: "--",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def render(table: Table) -> str:
    """Return a ``tabular`` to paste into a ``table``; it needs ``\\usepackage{booktabs}``.

    Caption, remarks and signature stand before it as comments.
    """
    comments = [table.caption, *table.remarks]
    comments += [f"signature: {table.signature}"] if table.signature else []
    lines = [f"% {line}" for line in comments if line]
    columns, rows, breaks = shown = table.shown
    align = "".join("l" if column.kind == "name" else "r" for column in columns)
    lines += [f"\\begin{{tabular}}{{{align}}}", r"\toprule"]
    lines += [_row(shown.header), r"\midrule"]
    for i, row in enumerate(rows):
        if i in breaks:
            lines.append(r"\midrule")
        lines.append(_row([figure(value) for value in row]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it, whatever it contains."""
    minus = re.sub(r"(?<![\w.])-(?=\d)", "−", text)  # of a number
    return "".join(_ESCAPES.get(c, c) for c in minus)
