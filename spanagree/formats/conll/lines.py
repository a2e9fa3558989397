"""Lines of CoNLL files as bytes: their starts and kinds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from spanagree.arrays import Ints, to_smallest_integers


class LineKind:
    """Kind of a line, as an integer; OTHER is a row of column names, or a row without a word."""

    ROW, BLANK, COMMENT, DOCSTART, OTHER = range(5)


# kind of a line, by its first byte that is not a blank
_FIRST = to_smallest_integers(np.full(256, LineKind.ROW))
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
"""A line that is certainly a token: a row that does not begin with ``#``."""


_NEWLINE, _RETURN = b"\n\r"
_PORTION = 1 << 18  # bytes that are searched for newlines in one step


def encode_lines(text: str) -> bytes:
    """Encode a text such that each line ends with a newline, and no carriage return."""
    data = (text if text.endswith("\n") else f"{text}\n").encode(errors="surrogatepass")
    if b"\r" not in data:
        return data
    characters = np.frombuffer(data, np.uint8)
    next_byte = characters[np.flatnonzero(characters == _RETURN) + 1]
    if (next_byte == _NEWLINE).all():
        return data.translate(None, b"\r")
    return b"\n".join([line.rstrip(b" \r") for line in data.split(b"\n")])


def classify_lines(text: bytes) -> tuple[Ints, Ints]:
    r"""Classify lines as rows, blank lines, comments, or lines that begin a document.

    Blanks at the edges of a line do not matter. A comment may still be a row of the token ``#``:
    :class:`spanagree.formats.conll.head.ConllHeader` decides.

    Returns:
        The start of each line, and the end of the text; the kind of each line.

    >>> starts, kinds = classify_lines(b"a O\n \n# b")
    >>> starts.tolist(), [("row", "blank", "comment")[kind] for kind in kinds]
    ([0, 4, 6, 9], ['row', 'blank', 'comment'])
    """
    terminated = text if text.endswith(b"\n") or not text else text + b"\n"
    characters = np.frombuffer(terminated, np.uint8)
    starts = find_line_starts(characters)
    first_position = starts[:-1]
    first_byte = characters[first_position]
    is_indented = _IS_BLANK[first_byte]
    if is_indented.any():
        non_blank_positions = np.flatnonzero(~_IS_BLANK[characters])
        first_position = first_position.copy()
        first_position[is_indented] = non_blank_positions[
            np.searchsorted(non_blank_positions, first_position[is_indented])
        ]
        first_byte = characters[first_position]
    line_kinds = _FIRST[first_byte]
    marks: list[int] = []
    if DOCSTART.encode() in terminated:
        marks = [match.start() for match in _DOCSTART.finditer(terminated)]
    if (line_kinds == LineKind.COMMENT).any() and any(word in terminated for word in _WORDS):
        marks += [match.start() for match in _NEWDOC.finditer(terminated)]
    mark_starts = np.array(marks, starts.dtype)
    line = np.searchsorted(starts, mark_starts, side="right") - 1
    line_kinds[line[first_position[line] == mark_starts]] = LineKind.DOCSTART
    starts[-1] = len(text)
    return starts, line_kinds


def find_line_starts(characters: Any) -> Ints:
    """Find the start of each line, and the end of the last; all lines end in a newline.

    The positions are small integers in one array, filled portion by portion: to allocate further
    memory would take longer.
    """
    n_bytes = len(characters)
    portions = [
        (offset, characters[offset : offset + _PORTION]) for offset in range(0, n_bytes, _PORTION)
    ]
    n_lines = sum(int(np.count_nonzero(portion == _NEWLINE)) for _, portion in portions)
    starts: Ints = np.zeros(
        n_lines + 1, np.int32 if n_bytes <= np.iinfo(np.int32).max else np.int64
    )
    n_done = 1
    for offset, portion in portions:
        ends = np.flatnonzero(portion == _NEWLINE)
        starts[n_done : n_done + len(ends)] = ends + (offset + 1)
        n_done += len(ends)
    return starts
