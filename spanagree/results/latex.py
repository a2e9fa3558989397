"""Tables for a paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from spanagree.results.fit import spare_columns
from spanagree.results.frame import PLAIN, DisplayTable, Frame, TableStyle
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


USUAL = 2  # decimals, as papers print, of F1 in per cent
_RULES = (r"\toprule", r"\midrule", r"\bottomrule")  # of booktabs
_LINES = (r"\hline",) * 3
_WIDE = 4  # columns that fit into one of two columns of text


def render(table: Frame, look: TableStyle = PLAIN) -> str:
    """Return a table for a paper: in the style of ACL's papers, or ``plain``.

    Verdict, remarks and signature are comments before it. Figures of F1 are in per cent unless
    something else is asked for. The style ``acl`` is a ``table`` with the rules of booktabs, a
    caption, a label, and the best figures in bold; ``plain`` is a ``tabular`` without a package.
    """
    table = table if look.all_columns else table.turned
    is_plain = "plain" in look.style
    shown = table.shown if look.all_columns else _without_spare(table.shown)
    of_rows = [str(row[0]) for row in shown.rows] if table.across else []  # of a turned table
    has_f1 = any("F1" in name for name in [*shown.header, *of_rows])
    percent = has_f1 if look.percent is None else look.percent
    digits = USUAL if look.digits is None else look.digits
    texts = shown.texts(digits, percent, ends="[{}, {}]")
    if table.across:  # blocks are named once
        for block in shown.blocks:
            for r in block[1:]:
                texts[r][0] = ""
    best = set() if is_plain else shown.best(table, texts)
    comments = [table.verdict, *([table.caption] if is_plain else []), *table.remarks]
    comments += [f"signature: {table.signature}"] if table.signature else []
    if not shown.columns:
        return "\n".join([*(f"% {line}" for line in (table.caption, *comments) if line), ""])
    comments += [] if is_plain else [r"needs \usepackage{booktabs}"]
    tabular = _tabular(shown, texts, best, table, _LINES if is_plain else _RULES)
    if not is_plain:
        sentences = [table.caption, "F1 in per cent" if has_f1 and percent else ""]
        sentences += ["best figures in bold"] if best else []
        names = [x.title for x in shown.columns if x.kind == "name" and x.title.strip()]
        tabular = _float(tabular, sentences, names, wide=len(shown.columns) > _WIDE)
    return "\n".join([*(f"% {line}" for line in comments if line), *tabular, ""])


def _without_spare(shown: DisplayTable) -> DisplayTable:
    """Return a table without its spare columns, if it is wider than a page."""
    spare = spare_columns(shown.columns)
    kept = [c for c in range(len(shown.columns)) if c not in spare]
    rows = [[row[c] for c in kept] for row in shown.rows]
    return shown._replace(columns=[shown.columns[c] for c in kept], rows=rows)


def _tabular(
    shown: DisplayTable,
    texts: Sequence[Sequence[str]],
    best: Collection[tuple[int, int]],
    table: Frame,
    rules: Sequence[str],
) -> list[str]:
    """Return the lines of a ``tabular``.

    Args:
        shown: columns and rows.
        texts: text of each cell.
        best: row and column of the cells in bold.
        table: table that is shown, with its settings.
        rules: commands of the rules at the top, in the middle and at the foot.
    """
    top, middle, foot = rules
    align = "".join("lr"[column.kind != "name"] for column in shown.columns)
    lines = [
        rf"\begin{{tabular}}{{{align}}}",
        top,
        _line(map(escaped, _header(shown.header, table))),
    ]
    lines.append(middle)
    for r, row in enumerate(texts):
        if r in shown.breaks:
            lines.append(middle)
        cells = (
            rf"\textbf{{{escaped(x)}}}" if (r, c) in best else escaped(x) for c, x in enumerate(row)
        )
        lines.append(_line(cells))
    return [*lines, foot, r"\end{tabular}"]


def _float(
    tabular: Sequence[str], sentences: Sequence[str], names: Sequence[str], *, wide: bool
) -> list[str]:
    """Return the lines of a ``table`` with caption and label.

    Args:
        tabular: lines of its ``tabular``.
        sentences: sentences of the caption, without points.
        names: titles of the columns of names, which label the table.
        wide: if True, it is as wide as two columns of text.
    """
    name = "table*" if wide else "table"
    caption = " ".join(f"{x[0].upper()}{x[1:]}." for x in sentences if x)
    label = re.sub("[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")
    return [
        rf"\begin{{{name}}}[t]",
        r"\centering",
        r"\small",
        *tabular,
        *([rf"\caption{{{escaped(caption)}}}"] if caption else []),
        rf"\label{{tab:{label or 'spanagree'}}}",
        rf"\end{{{name}}}",
    ]


def _line(cells: Iterable[str]) -> str:
    r"""Return a row; what it begins with is no argument of the ``\\\\`` before it."""
    row = " & ".join(cells) + r" \\"
    return f"{{{row[0]}}}{row[1:]}" if row[0] in "[*" else row


def _header(titles: Sequence[str], table: Frame) -> list[str]:
    """Return the titles; those of intervals say of which confidence these are."""
    confidence = confidence_of(table.settings or {})
    name = "interval" if confidence is None else f"{confidence:g} % CI"
    return [title.replace("interval", name) for title in titles]


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it, whatever it contains."""
    minus = re.sub(r"(?<![\w.])-(?=\d)", "−", text)  # of a number
    return _CHARACTER.sub(lambda c: _ESCAPES.get(c[0], c[0]), minus)
