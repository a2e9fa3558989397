"""HTML that is safe by construction: any text that is no :class:`Html` is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from spanagree.errors import pluralize, truncate
from spanagree.results.cells import Value, format_figure
from spanagree.results.display import DisplayTable
from spanagree.results.frame import Frame
from spanagree.results.numbers import NOT_SHOWN

LONGEST = 40  # characters of a name that are shown; its title has all
_MAX_ROWS = 300  # rows of a table
_ALL_ROWS = "--format csv of the command line has all"
_IN_NOTEBOOKS = 60  # rows
_MAX_SENTENCES = 12  # after a table
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)


class Html(str):
    """A piece of HTML."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the text for a template, which writes it unescaped."""
        return self


def escape_invisible(text: str) -> str:
    """Make control characters and marks of direction visible in a text.

    >>> escape_invisible("a\\x00b\\u202ec")
    'a␀b[U+202E]c'
    """
    return _INVISIBLE.sub(_escape_character, text)


def _escape_character(invisible: re.Match[str]) -> str:
    """Replace an invisible character by a sign or its code."""
    code = ord(invisible[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"[U+{code:04X}]"


def build_element(name: str, *children: str, **attributes: str | float | None) -> Html:
    """Build an HTML element, and escape its children and the values of attributes.

    An attribute is left out if it is ``None``. A final ``_`` of its name is dropped, so that names
    such as ``class_`` are possible in Python.

    >>> build_element("p", "<b>", class_="note")
    '<p class="note">&lt;b&gt;</p>'
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(escape_invisible(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{attribute_text}>{''.join(map(escape_html, children))}</{name}>")


def escape_html(text: str) -> Html:
    """Escape a text as HTML; :class:`Html` is unchanged."""
    return text if isinstance(text, Html) else Html(html.escape(escape_invisible(text)))


def render_name(text: str, longest: int = LONGEST) -> Html:
    """Mark up a user's name, isolated from the direction of other text; truncate a long name."""
    if len(text) <= longest:
        return build_element("bdi", text)
    return build_element("bdi", truncate(text, longest), title=text)


def render_number(value: Value, printed: str = "") -> Html:
    """Mark up a figure as printed, with all its digits in ``value``."""
    text = printed or format_figure(value)
    if text == NOT_SHOWN:
        return build_element("span", text, class_="undefined")
    return (
        escape_html(text)
        if isinstance(value, tuple)
        else build_element("data", text, value=repr(value))
    )


Cell = Callable[[int, int], Html | None]
"""Function that returns the cell of a row and column, or ``None`` for the plain value."""


def render_table(
    frame: Frame, cell: Cell | None = None, max_rows: int = _MAX_ROWS, all_rows: str = _ALL_ROWS
) -> Html:
    """Build a table with verdict, caption, headers and remarks.

    Args:
        frame: table of a result.
        cell: function of a row and a column index of text output that returns the HTML of a special
            cell, or `None` for a name or figure. Default: no special cells.
        max_rows: largest number of rows.
        all_rows: words on where to find all rows, if there are more.
    """
    columns, all_rows_shown, breaks = display = DisplayTable.from_frame(frame)
    texts = display.format_cells()
    classes = [None if column.kind == "name" else "figure" for column in columns]
    titles = zip(columns, classes, strict=True)
    header_cells = [
        build_element("th", column.title, scope="col", class_=css_class)
        for column, css_class in titles
    ]
    rows = []
    for row_index, row in enumerate(all_rows_shown[:max_rows]):
        cells = []
        for column_index, value in enumerate(row):
            content = (cell and cell(row_index, column_index)) or _render_value(
                value, texts[row_index][column_index]
            )
            scope = None if column_index else "row"
            cells.append(
                build_element(
                    "td" if column_index else "th",
                    content,
                    class_=classes[column_index],
                    scope=scope,
                )
            )
        rows.append(build_element("tr", *cells, class_="break" if row_index in breaks else None))
    n_left = len(all_rows_shown) - max_rows
    rest_sentence = [f"and {pluralize(n_left, 'more row')}; {all_rows}"] if n_left > 0 else []
    body = build_element(
        "table",
        build_element("caption", frame.caption) if frame.caption else Html(),
        build_element("thead", build_element("tr", *header_cells)),
        build_element("tbody", *rows),
    )
    verdict = build_element("p", frame.verdict) if frame.verdict else Html()
    remark_list = render_remarks(*rest_sentence, *frame.remarks)
    return Html(verdict + make_scrollable(body, frame.caption or "table") + remark_list)


def _render_value(value: Value, text: str) -> Html:
    """Mark up a cell: a name, or a figure with all its digits."""
    if isinstance(value, str):
        return render_name(value)
    return render_number(value, text)


def make_scrollable(body: Html, label: str) -> Html:
    """Build an element that may be wider than the page and can be scrolled, by keyboard too."""
    return build_element("div", body, class_="wide", tabindex="0", role="group", aria_label=label)


def render_remarks(*sentences: str) -> Html:
    """Build a list of the first sentences after a table or chart, and the number of others."""
    if not sentences:
        return Html()
    n_left = len(sentences) - _MAX_SENTENCES
    rest_sentence = [f"and {n_left} more like these"] if n_left > 0 else []
    return build_element(
        "ul",
        *(
            build_element("li", sentence)
            for sentence in (*sentences[:_MAX_SENTENCES], *rest_sentence)
        ),
        class_="remarks",
    )


def render_for_notebook(frame: Frame) -> Html:
    """Build a table and its signature, for notebooks."""
    signature = build_element("p", build_element("small", f"signature: {frame.signature}"))
    return build_element(
        "div", render_table(frame, None, _IN_NOTEBOOKS, "to_rows() has all"), signature
    )
