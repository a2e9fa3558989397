"""Tables in text: the sign between their cells, and their rows.

Every reader of a table asks here, so that a file has the same cells whoever opens it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from spanagree.errors import InputError

SEPARATORS = "\t,;"
"""The signs that separate cells; of several that fit equally well, the first."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LONGEST_CELL = 1 << 30  # characters; a cell may be a document
_LOOKED_AT = 50  # lines
_PROBLEMS = (  # of the library, in words for those who did not write the file by hand
    ("new-line character", "a carriage return in a cell without quotes"),
    ("unexpected end of data", "a quote that is not closed"),
    ("expected after", "a cell that goes on after its closing quote"),
)


def separator_of(lines: Iterable[str], signs: str = SEPARATORS) -> str:
    """Return the sign between the cells of a table that begins with some lines; empty for none.

    It occurs outside quotes in the first line that is not blank. If several signs do, the rows
    decide: the first sign that gives all of them the same number of cells, or else a tab, or else
    the sign with the most cells in the first line.

    >>> separator_of(['onset,offset,"a; b"']), separator_of(["when;who, where", "1;x", "2;y"])
    (',', ';')
    >>> separator_of(["a line of words"])
    ''
    """
    rows = [line for line in islice(lines, _LOOKED_AT) if line.strip()]
    head = _QUOTED.sub("", rows[0]) if rows else ""
    present = [sign for sign in signs if sign in head]
    if len(present) < 2:
        return "".join(present)
    even = (sign for sign in present if is_even(rows, sign))
    most = "\t" if "\t" in present else max(present, key=head.count)
    return next(even, most)


def is_even(lines: Sequence[str], sign: str) -> bool:
    """Return whether a sign gives each row of some lines the same number of cells, and several.

    The last of many rows may be cut off.
    """
    try:
        rows = list(csv.reader([f"{line}\n" for line in lines], delimiter=sign))
    except csv.Error:
        return False
    complete = rows[:-1] if len(rows) > 1 and len(lines) >= _LOOKED_AT else rows
    return bool(complete) and len(complete[0]) > 1 and len({len(row) for row in complete}) == 1


def cells_of(line: str, sign: str) -> list[str]:
    """Return the cells of a line; of a line that is not CSV, the texts between the signs.

    >>> cells_of('1,"a, b"', ","), cells_of("a line of words", "")
    (['1', 'a, b'], ['a line of words'])
    """
    if not sign:
        return [line]
    try:
        return next(csv.reader([line], delimiter=sign), [])
    except csv.Error:  # a carriage return inside, as in text that is not CSV after all
        return line.split(sign)


def rows_of(
    name: str, lines: Iterable[str], sign: str, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the line on which it ends.

    Args:
        name: the name of the file, for errors.
        lines: the lines of a table with their ends.
        sign: the sign between cells; none for a table of one column.
        strict: if True, quotes are where CSV has them.

    Raises:
        InputError: if a row is not CSV.
    """
    reader = csv.reader(iter(lines), delimiter=sign or ",", strict=strict)
    while True:
        try:
            row = _next_row(reader)
        except csv.Error as error:
            problem = next((ours for words, ours in _PROBLEMS if words in str(error)), str(error))
            raise InputError(
                f"{name}:{reader.line_num}: not valid CSV: {problem}; a cell with a quote in it"
                " needs quotes around it, and quotes doubled; is one left open?"
            ) from None
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield reader.line_num, row


def _next_row(reader: Iterator[list[str]]) -> list[str] | None:
    """Return the next row. Its cells may be longer than the library lets other programs read."""
    usual = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(usual)
