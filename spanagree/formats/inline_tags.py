"""Marks written into a text, of any notation: the text without them, and what they mark.

XML, such as MUC's ENAMEX and TEI, is parsed by the library's parser, which knows character
references, comments and CDATA; any other tagged text is parsed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from spanagree.errors import quote_value


class MarkupToken(NamedTuple):
    """The meaning of a piece of a marked text.

    Attributes:
        kind: text that stays, a sign that opens or closes a span, one that marks nothing, or a
            span by itself, of which a text stays.
        name: by which a sign that closes finds the sign that opened.
        label: of the span.
        text: what stays of the piece.
    """

    kind: Literal["text", "open", "close", "empty", "span"]
    name: str = ""
    label: str = ""
    text: str = ""


Mark: TypeAlias = tuple[int, int, str]
"""Start, end and label of a span in a text that was marked; empty if the sign has no label."""

Notation: TypeAlias = Callable[[str, int], MarkupToken]
"""From a piece that may be a sign, and its place in the text without signs, to its meaning."""


def taken_apart(
    marked: str, pieces: re.Pattern[str], meaning: Notation, *, nested: bool = True
) -> tuple[str, list[Mark], list[str]]:
    """Take a marked text apart.

    Args:
        marked: the text with signs in it.
        pieces: finds what may be a sign; its one group is all of it.
        meaning: the meaning of such a piece.
        nested: if False, a sign that opens what is open replaces it.

    Returns:
        The text without signs, the marks in the order of their ends, and what is wrong with signs
        that have no partner: an entry for each of them.

    >>> meaning = lambda sign, at: MarkupToken("close" if sign[1] == "/" else "open", label="PER")
    >>> taken_apart("<p>Jo</p> sings</p>", re.compile("(</?p>)"), meaning)[:2]
    ('Jo sings', [(0, 2, 'PER')])
    """
    text = ""
    marks: list[Mark] = []
    odd: list[str] = []
    open_: dict[str, list[tuple[int, str]]] = {}
    for i, piece in enumerate(pieces.split(marked)):
        if i % 2 == 0:
            text += piece
            continue
        at = len(text)
        kind, name, label, kept = meaning(piece, at)
        if kind == "open":
            places = open_.setdefault(name, [])
            if places and not nested:
                odd.append(f"{quote_value(piece)} is opened again")
                places.clear()
            places.append((at, label))
        elif kind == "close":
            if open_.get(name):
                marks.append((open_[name][-1][0], at, open_[name].pop()[1]))
            else:
                odd.append(f"{quote_value(piece)} closes what is not open")
        elif kind == "empty":
            odd.append(f"{quote_value(piece)} marks nothing")
        else:
            text += kept
            if kind == "span":
                marks.append((at, len(text), label))
    if open_:
        left = [name for name, places in open_.items() for _ in places]
        odd += (f"{quote_value(name)} is opened and not closed" for name in left)
    return text, marks, odd
