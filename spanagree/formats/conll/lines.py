"""The lines of CoNLL files, by bytes: where each begins, and what it can be."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from spanagree.arrays import Ints, as_small


class LineKind:
    """What a line is, as a plain number; others are names of columns, and rows of no word."""

    ROW, BLANK, COMMENT, DOCSTART, OTHER = range(5)


# what a line is, by its first byte that is not a blank
_FIRST = as_small(np.full(256, LineKind.ROW))
_FIRST[[ord("\n"), ord("#")]] = LineKind.BLANK, LineKind.COMMENT


_IS_BLANK = np.isin(np.arange(256), list(b" \t\r"))


DOCSTART = "-DOCSTART-"
"""The token of a line that begins a document."""

_DOCSTART_LINE = rf"{DOCSTART}(?=[ \t]|[ \t\r]*(?:\n|\Z))"
_DOCSTART = re.compile(_DOCSTART_LINE.encode())


_NEWDOC_LINE = (
    r"#[ \t]*(?:(?:newdoc(?:[ \t]+id)?|[\w:]*document_id)[ \t]*(?:=|(?=[\r\n])|\Z)"
    r"|begin document\b)"
)
_NEWDOC = re.compile(_NEWDOC_LINE.encode())
_WORDS = (b"newdoc", b"document_id", b"begin document")


SURE_ROW = re.compile(rf"(?am)^(?!#)[ \t\r]*(?!{_DOCSTART_LINE}|{_NEWDOC_LINE})[^ \t\r\n].*")
"""A line that is a token for sure: a row that does not begin with ``#``."""


_NEWLINE, _RETURN = b"\n\r"
_PORTION = 1 << 18  # bytes of which ends of lines are looked for in one go


def as_lines(text: str) -> bytes:
    """Return a text in which each line ends with a newline, without a carriage return before it."""
    data = (text if text.endswith("\n") else f"{text}\n").encode(errors="surrogatepass")
    if b"\r" not in data:
        return data
    characters = np.frombuffer(data, np.uint8)
    behind = characters[np.flatnonzero(characters == _RETURN) + 1]
    if (behind == _NEWLINE).all():
        return data.translate(None, b"\r")
    return b"\n".join([line.rstrip(b" \r") for line in data.split(b"\n")])


def kinds_of_lines(text: bytes) -> tuple[Ints, Ints]:
    r"""Return what each line looks like: a row, blank, a comment or one that begins a document.

    Blanks at its edges do not count. What looks like a comment may be a row of the token ``#``:
    :class:`spanagree.formats.conll.head.ConllHeader` decides.

    Returns:
        Where each line begins, and behind them where a next one would; the kind of each line.

    >>> starts, kinds = kinds_of_lines(b"a O\n \n# b")
    >>> starts.tolist(), [("row", "blank", "comment")[kind] for kind in kinds]
    ([0, 4, 6, 9], ['row', 'blank', 'comment'])
    """
    ended = text if text.endswith(b"\n") or not text else text + b"\n"
    characters = np.frombuffer(ended, np.uint8)
    starts = starts_of_lines(characters)
    first = starts[:-1]
    initial = characters[first]
    indented = _IS_BLANK[initial]
    if indented.any():
        solid = np.flatnonzero(~_IS_BLANK[characters])
        first = first.copy()
        first[indented] = solid[np.searchsorted(solid, first[indented])]
        initial = characters[first]
    kinds = _FIRST[initial]
    marks: list[int] = []
    if DOCSTART.encode() in ended:
        marks = [match.start() for match in _DOCSTART.finditer(ended)]
    if (kinds == LineKind.COMMENT).any() and any(word in ended for word in _WORDS):
        marks += [match.start() for match in _NEWDOC.finditer(ended)]
    at = np.array(marks, starts.dtype)
    line = np.searchsorted(starts, at, side="right") - 1
    kinds[line[first[line] == at]] = LineKind.DOCSTART
    starts[-1] = len(text)
    return starts, kinds


def starts_of_lines(characters: Any) -> Ints:
    """Return where each line begins, and where a next one would; all of them end in a newline.

    They are small numbers in one array, looked for in portions: to get new memory takes longer.
    """
    count = len(characters)
    portions = [(at, characters[at : at + _PORTION]) for at in range(0, count, _PORTION)]
    lines = sum(int(np.count_nonzero(portion == _NEWLINE)) for _, portion in portions)
    starts: Ints = np.zeros(lines + 1, np.int32 if count <= np.iinfo(np.int32).max else np.int64)
    done = 1
    for at, portion in portions:
        ends = np.flatnonzero(portion == _NEWLINE)
        starts[done : done + len(ends)] = ends + (at + 1)
        done += len(ends)
    return starts
