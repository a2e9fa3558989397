"""Marks written into a text, of any notation: the text without them, and what they mark."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from spanagree.errors import show


class Sign(NamedTuple):
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


class Mark(NamedTuple):
    """A span in a text that was marked; the label is empty if the sign has none."""

    start: int
    end: int
    label: str


Notation: TypeAlias = Callable[["re.Match[str]", int], Sign]
"""From a piece that may be a sign, and its place in the text without signs, to its meaning."""


def taken_apart(
    marked: str, pieces: re.Pattern[str], meaning: Notation, *, nested: bool = True
) -> tuple[str, list[Mark], list[str]]:
    """Take a marked text apart.

    Args:
        marked: the text with signs in it.
        pieces: finds what may be a sign.
        meaning: the meaning of such a piece.
        nested: if False, a sign that opens what is open replaces it.

    Returns:
        The text without signs, the marks in the order of their ends, and what is wrong with signs
        that have no partner: an entry for each of them.

    >>> meaning = lambda sign, at: Sign("close" if sign[0][1] == "/" else "open", label="PER")
    >>> taken_apart("<p>Jo</p> sings</p>", re.compile("</?p>"), meaning)[:2]
    ('Jo sings', [Mark(start=0, end=2, label='PER')])
    """
    text: list[str] = []
    marks: list[Mark] = []
    odd: list[str] = []
    open_: dict[str, list[tuple[int, str]]] = {}
    at = end = 0  # in the text without signs, and in the marked one
    for match in pieces.finditer(marked):
        between = marked[end : match.start()]
        text.append(between)
        at, end = at + len(between), match.end()
        kind, name, label, kept = meaning(match, at)
        text.append(kept)
        if kind == "span":
            marks.append(Mark(at, at + len(kept), label))
        elif kind == "empty":
            odd.append(f"{show(match[0])} marks nothing")
        elif kind == "open":
            places = open_.setdefault(name, [])
            if places and not nested:
                odd.append(f"{show(match[0])} is opened again")
                places.clear()
            places.append((at, label))
        elif kind == "close" and open_.get(name):
            start, label = open_[name].pop()
            marks.append(Mark(start, at, label))
        elif kind == "close":
            odd.append(f"{show(match[0])} closes what is not open")
        at += len(kept)
    text.append(marked[end:])
    left = [name for name, places in open_.items() for _ in places]
    odd += (f"{show(name)} is opened and not closed" for name in left)
    return "".join(text), marks, odd
