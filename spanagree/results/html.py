"""HTML that is safe by construction: what is not :class:`Html` is a user's text, and escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from spanagree.errors import pluralize, truncate
from spanagree.results.frame import Frame, Value, figure
from spanagree.results.numbers import NOT_SHOWN

LONGEST = 40  # characters of a name that are shown; all of it is in its title
_MOST = 300  # rows of a table
_ALL_ROWS = "--format csv of the command line has all"
_IN_NOTEBOOKS = 60  # rows
_SENTENCES = 12  # below it
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)


class Html(str):
    """A piece of HTML."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return what a template writes as it is."""
        return self


def visible(text: str) -> str:
    """Return a text in which nothing is hidden: control characters and marks of direction show.

    >>> visible("a\\x00b\\u202ec")
    'a␀b[U+202E]c'
    """
    return _UNSEEN.sub(_picture, text)


def _picture(unseen: re.Match[str]) -> str:
    code = ord(unseen[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"[U+{code:04X}]"


def el(name: str, *children: str, **attributes: str | float | None) -> Html:
    """Return an element without the attributes that are ``None``; ``_`` may end their names.

    >>> el("p", "<b>", class_="note")
    '<p class="note">&lt;b&gt;</p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(visible(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{''.join(map(escaped, children))}</{name}>")


def escaped(text: str) -> Html:
    """Return a text as HTML; what is HTML already stays."""
    return text if isinstance(text, Html) else Html(html.escape(visible(text)))


def name(text: str, longest: int = LONGEST) -> Html:
    """Return a user's name, apart from the direction of the text around it, cut if it is long."""
    if len(text) <= longest:
        return el("bdi", text)
    return el("bdi", truncate(text, longest), title=text)


def number(value: Value, shown: str = "") -> Html:
    """Return a figure as people read it, with all its digits in ``value``."""
    text = shown or figure(value)
    if text == NOT_SHOWN:
        return el("span", text, class_="undefined")
    return escaped(text) if isinstance(value, tuple) else el("data", text, value=repr(value))


Cell = Callable[[int, int], Html | None]
"""Gives the cell of a row and column, ``None`` for the plain value."""


def table(
    described: Frame, cell: Cell | None = None, most: int = _MOST, all_rows: str = _ALL_ROWS
) -> Html:
    """Return a table with caption, headers and remarks; of very many rows the first ``most``.

    ``cell`` gives cells that are more than a name or a figure; rows and columns are those shown.
    """
    columns, every_row, breaks = shown = described.shown
    texts = shown.texts()
    kinds = [None if column.kind == "name" else "figure" for column in columns]
    titles = zip(columns, kinds, strict=True)
    head = [el("th", column.title, scope="col", class_=kind) for column, kind in titles]
    rows = []
    for r, row in enumerate(every_row[:most]):
        cells = []
        for c, value in enumerate(row):
            content = (cell and cell(r, c)) or _content(value, texts[r][c])
            scope = None if c else "row"
            cells.append(el("td" if c else "th", content, class_=kinds[c], scope=scope))
        rows.append(el("tr", *cells, class_="break" if r in breaks else None))
    left = len(every_row) - most
    more = [f"and {pluralize(left, 'more row')}; {all_rows}"] if left > 0 else []
    body = el(
        "table",
        el("caption", described.caption) if described.caption else Html(),
        el("thead", el("tr", *head)),
        el("tbody", *rows),
    )
    verdict = el("p", described.verdict) if described.verdict else Html()
    below = remarks(*more, *described.remarks)
    return Html(verdict + scrolled(body, described.caption or "table") + below)


def _content(value: Value, text: str) -> Html:
    """Return a cell: a name, or a figure with all its digits."""
    if isinstance(value, str):
        return name(value)
    return number(value, text)


def scrolled(body: Html, label: str) -> Html:
    """Return an element that may be wider than the page and scrolls by itself, by keyboard too."""
    return el("div", body, class_="wide", tabindex="0", role="group", aria_label=label)


def remarks(*sentences: str) -> Html:
    """Return sentences below a table or a chart; of very many the first."""
    if not sentences:
        return Html()
    left = len(sentences) - _SENTENCES
    more = [f"and {left} more like these"] if left > 0 else []
    return el(
        "ul",
        *(el("li", sentence) for sentence in (*sentences[:_SENTENCES], *more)),
        class_="remarks",
    )


def as_html(described: Frame) -> Html:
    """Return a table and its signature, for notebooks."""
    signature = el("p", el("small", f"signature: {described.signature}"))
    return el("div", table(described, None, _IN_NOTEBOOKS, "to_rows() has all"), signature)
