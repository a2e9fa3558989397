"""Tables in LaTeX, for papers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from spanagree.results.display import DisplayTable, pivot_table
from spanagree.results.fit import find_spare_columns
from spanagree.results.frame import PLAIN, Frame, TableStyle
from spanagree.results.numbers import NOT_SHOWN
from spanagree.settings import parse_confidence

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
    **dict(zip("οΑΒΕΖΗΙΚΜΝΟΡΤΧ", "oABEZHIKMNOPTX", strict=True)),  # without names in TeX
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
    '"': "''",  # \textquotedbl is not in the default encoding of LaTeX
    **{c: f"${written}$" for c, written in _MATHEMATICS.items()},
    NOT_SHOWN: "--",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}
_CHARACTER = re.compile("[^\u0370-\u03ff]|(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])")
"""Any character, except letters of a Greek word, which are no symbols."""


DEFAULT_DIGITS = 2  # decimals of F1 in per cent, as in most papers
_RULES = (r"\toprule", r"\midrule", r"\bottomrule")  # of booktabs
_LINES = (r"\hline",) * 3
_NARROW_COLUMNS = 4  # columns that fit into one of two columns of text


def render(table: Frame, style: TableStyle = PLAIN) -> str:
    """Render a table in LaTeX, in the style ``acl`` or ``plain``.

    The style ``acl`` is a ``table`` as in ACL's papers, with the rules of booktabs, a caption, a
    label, and the best figures in bold. The style ``plain`` is a ``tabular`` that needs no package.
    Verdict, remarks and signature are comments before the table. Tables with an F1 show their
    figures in per cent by default.
    """
    table = table if style.all_columns else pivot_table(table)
    is_plain = "plain" in style.style
    display = DisplayTable.from_frame(table)
    if not style.all_columns:
        display = _drop_spare_columns(display)
    row_titles = [str(row[0]) for row in display.rows] if table.across else []  # if pivoted
    has_f1 = any("F1" in name for name in [*display.header, *row_titles])
    percent = has_f1 if style.percent is None else style.percent
    digits = DEFAULT_DIGITS if style.digits is None else style.digits
    texts = display.format_cells(digits, percent, interval_format="[{}, {}]")
    if table.across:  # each block is named once
        for block in display.blocks:
            for row_index in block[1:]:
                texts[row_index][0] = ""
    best = set() if is_plain else display.find_best_cells(table, texts)
    comments = [table.verdict, *([table.caption] if is_plain else []), *table.remarks]
    comments += [f"signature: {table.signature}"] if table.signature else []
    if not display.columns:
        return "\n".join([*(f"% {line}" for line in (table.caption, *comments) if line), ""])
    comments += [] if is_plain else [r"needs \usepackage{booktabs}"]
    tabular = _build_tabular(display, texts, best, table, _LINES if is_plain else _RULES)
    if not is_plain:
        sentences = [table.caption, "F1 in per cent" if has_f1 and percent else ""]
        sentences += ["best figures in bold"] if best else []
        names = [
            column.title
            for column in display.columns
            if column.kind == "name" and column.title.strip()
        ]
        tabular = _build_float(
            tabular, sentences, names, is_wide=len(display.columns) > _NARROW_COLUMNS
        )
    return "\n".join([*(f"% {line}" for line in comments if line), *tabular, ""])


def _drop_spare_columns(display: DisplayTable) -> DisplayTable:
    """Leave out spare columns until the table fits on a page.

    Spare columns hold figures that a reader can do without; see :class:`Column`.
    """
    spare = find_spare_columns(display.columns)
    kept_indices = [
        column_index for column_index in range(len(display.columns)) if column_index not in spare
    ]
    rows = [[row[column_index] for column_index in kept_indices] for row in display.rows]
    return display._replace(
        columns=[display.columns[column_index] for column_index in kept_indices], rows=rows
    )


def _build_tabular(
    display: DisplayTable,
    texts: Sequence[Sequence[str]],
    best: Collection[tuple[int, int]],
    table: Frame,
    rules: Sequence[str],
) -> list[str]:
    """Build the lines of a ``tabular``.

    Args:
        display: columns and rows.
        texts: text of each cell.
        best: row and column indices of the cells in bold.
        table: table of the result, whose settings have the confidence of intervals.
        rules: commands of the rules at the top, in the middle and at the bottom.
    """
    top_rule, middle_rule, bottom_rule = rules
    align = "".join("lr"[column.kind != "name"] for column in display.columns)
    lines = [
        rf"\begin{{tabular}}{{{align}}}",
        top_rule,
        _format_row(map(escape_latex, _list_titles(display.header, table))),
    ]
    lines.append(middle_rule)
    for row_index, row in enumerate(texts):
        if row_index in display.breaks:
            lines.append(middle_rule)
        cells = (
            rf"\textbf{{{escape_latex(cell)}}}"
            if (row_index, column_index) in best
            else escape_latex(cell)
            for column_index, cell in enumerate(row)
        )
        lines.append(_format_row(cells))
    return [*lines, bottom_rule, r"\end{tabular}"]


def _build_float(
    tabular: Sequence[str], sentences: Sequence[str], names: Sequence[str], *, is_wide: bool
) -> list[str]:
    """Build the lines of a ``table`` with caption and label.

    Args:
        tabular: lines of its ``tabular``.
        sentences: sentences of the caption, without full stops.
        names: titles of the columns of names; the ``\\label`` consists of them.
        is_wide: True for a table over both columns of a two-column page.
    """
    name = "table*" if is_wide else "table"
    caption = " ".join(
        f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence
    )
    label = re.sub("[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")
    return [
        rf"\begin{{{name}}}[t]",
        r"\centering",
        r"\small",
        *tabular,
        *([rf"\caption{{{escape_latex(caption)}}}"] if caption else []),
        rf"\label{{tab:{label or 'spanagree'}}}",
        rf"\end{{{name}}}",
    ]


def _format_row(cells: Iterable[str]) -> str:
    r"""Build a row; its beginning cannot be read as an argument of the ``\\\\`` before it."""
    row = " & ".join(cells) + r" \\"
    return f"{{{row[0]}}}{row[1:]}" if row[0] in "[*" else row


def _list_titles(titles: Sequence[str], table: Frame) -> list[str]:
    """List the titles of columns, with "95 % CI" in the place of "interval"."""
    confidence = parse_confidence(table.settings or {})
    name = "interval" if confidence is None else f"{confidence:g} % CI"
    return [title.replace("interval", name) for title in titles]


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX, whatever it contains."""
    minus = re.sub(r"(?<![\w.])-(?=\d)", "−", text)  # of a number
    return _CHARACTER.sub(lambda match: _ESCAPES.get(match[0], match[0]), minus)
