"""Tables for a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from spanagree.results.frame import PLAIN, Column, Frame, TableStyle
from spanagree.results.numbers import NOT_SHOWN
from spanagree.settings import confidence_of

_GREEK = dict(zip(
    "αβγδεζηθικλμνξπρςστυφχψω",
    ("alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota", "kappa",
     "lambda", "mu", "nu", "xi", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "varphi",
     "chi", "psi", "omega"),
    strict=True,
))  # fmt: skip
_GREEK |= {c: _GREEK[c.lower()].removeprefix("var").title() for c in "ΓΔΘΛΞΠΣΥΦΨΩ"}
_MATHEMATICS = {
    **{c: f"\\{name}" for c, name in _GREEK.items()},
    **dict(zip("οΑΒΕΖΗΙΚΜΝΟΡΤΧ", "oABEZHIKMNOPTX", strict=True)),  # which TeX has no names for
    "→": r"\to", "↓": r"\downarrow", "−": "-", "±": r"\pm", "×": r"\times", "·": r"\cdot",
    "≤": r"\le", "≥": r"\ge", "√": r"\surd", "∅": r"\emptyset", "²": "^2",
    "ᵢ": "_i", "ⱼ": "_j", "₁": "_1", "₂": "_2", "₃": "_3",
}  # fmt: skip
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # \textquotedbl is not in the encoding that LaTeX starts with
    **{c: f"${written}$" for c, written in _MATHEMATICS.items()},
    NOT_SHOWN: "--",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}
_CHARACTER = re.compile("[^\u0370-\u03ff]|(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])")
"""Any but the letters of a Greek word, which are not symbols."""


_USUAL = 2  # decimals, as papers print, of F1 in per cent
_RULES = (r"\toprule", r"\midrule", r"\bottomrule")  # of booktabs


def render(table: Frame, look: TableStyle = PLAIN) -> str:
    """Return a ``tabular`` to paste into a ``table``.

    Tables of F1 are in per cent unless something else is asked for. Caption, remarks and signature
    stand before the table as comments. Of the styles, ``booktabs`` and ``siunitx`` need these
    packages, and ``bold`` marks the best figures.
    """
    table = table if look.all_columns else table.turned
    columns, rows, breaks = shown = table.shown
    of_rows = [str(row[0]) for row in rows] if table.across else []  # of a turned table
    usual = any("F1" in name for name in [*shown.header, *of_rows])
    percent = usual if look.percent is None else look.percent
    texts = shown.texts(_USUAL if look.digits is None else look.digits, percent)
    best = shown.best(table, texts) if "bold" in look.style else ()
    packages = sorted(set(look.style) & {"booktabs", "siunitx"})
    comments = [table.verdict, table.caption, *table.remarks]
    comments += [f"signature: {table.signature}"] if table.signature else []
    comments += [rf"needs \usepackage{{{','.join(packages)}}}"] if packages else []
    lines = [f"% {line}" for line in comments if line]
    kinds = [
        _number_column(column, [row[c] for row in texts]) if "siunitx" in packages else ""
        for c, column in enumerate(columns)
    ]
    align = "".join(k or "lr"[c.kind != "name"] for k, c in zip(kinds, columns, strict=True))
    top, middle, foot = _RULES if "booktabs" in packages else (r"\hline",) * 3

    header = map(_cell, _header(shown.header, table), kinds)
    lines += [rf"\begin{{tabular}}{{{align}}}", top, _line(header), middle]
    for r, row in enumerate(texts):
        if r in breaks:
            lines.append(middle)
        marks = [r"\bfseries " if (r, c) in best else "" for c in range(len(row))]
        lines.append(_line(map(_cell, row, kinds, marks)))
    return "\n".join([*lines, foot, r"\end{tabular}", ""])


def _line(cells: Iterable[str]) -> str:
    r"""Return a row; what it begins with is no argument of the ``\\\\`` before it."""
    row = " & ".join(cells) + r" \\"
    return f"{{{row[0]}}}{row[1:]}" if row[0] in "[*" else row


def _cell(text: str, kind: str, mark: str = "") -> str:
    """Return a cell; in a column of siunitx what is no number stands in braces."""
    if mark:
        return mark + escaped(text)
    if not kind:
        return escaped(text)
    return text if _NUMBER.fullmatch(text) else f"{{{escaped(text)}}}"


def _header(titles: Sequence[str], table: Frame) -> list[str]:
    """Return the titles; those of intervals say of which confidence these are."""
    confidence = confidence_of(table.settings or {})
    name = "interval" if confidence is None else f"{confidence:g} % CI"
    return [title.replace("interval", name) for title in titles]


_NUMBER = re.compile(r"-?(\d+)(?:\.(\d+))?")


def _number_column(column: Column, texts: Sequence[str]) -> str:
    """Return how siunitx aligns a column; empty for one that is not of plain numbers."""
    numbers = [match for text in texts if (match := _NUMBER.fullmatch(text))]
    if column.kind not in ("figure", "number", "z", "count") or not numbers:
        return ""
    before, after = (max(len(match[i] or "") for match in numbers) for i in (1, 2))
    sign = "-" if any(match[0].startswith("-") for match in numbers) else ""
    return f"S[table-format={sign}{before}.{after}]"


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it, whatever it contains."""
    minus = re.sub(r"(?<![\w.])-(?=\d)", "−", text)  # of a number
    return _CHARACTER.sub(lambda c: _ESCAPES.get(c[0], c[0]), minus)
