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
    """A ``tabular`` to paste into a ``table``; it needs ``\\usepackage{booktabs}``.

    Caption, remarks and signature stand before it as comments.
    """
    said = [table.caption, *table.remarks]
    said += [f"signature: {table.signature}"] if table.signature else []
    lines = [f"% {line}" for line in said if line]
    figures = len(table.header) - table.names
    lines += [f"\\begin{{tabular}}{{{'l' * table.names}{'r' * figures}}}", r"\toprule"]
    lines += [_row(table.header), r"\midrule"]
    for i, row in enumerate(table.rows):
        if i in table.breaks and i:
            lines.append(r"\midrule")
        lines.append(_row([figure(value) for value in row]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"


def escaped(text: str) -> str:
    """A text as LaTeX shows it, whatever it contains."""
    minus = re.sub(r"(?<![\w.])-(?=\d)", "−", text)  # of a number
    return "".join(_ESCAPES.get(c, c) for c in minus)
