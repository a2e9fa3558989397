"""Tables in text: separators of cells, and reading of rows.

All readers of tables use it, so that a file has the same cells for each of them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from spanagree.errors import InputError

SEPARATORS = "\t,;"
"""Separators of cells, in order of preference."""

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LONGEST_CELL = 1 << 30  # characters; a cell may be a document
_LOOKED_AT = 50  # lines
_PROBLEMS = (  # messages of the csv module, and plainer words for them
    ("new-line character", "a carriage return in a cell without quotes"),
    ("unexpected end of data", "a quote that is not closed"),
    ("expected after", "a cell that goes on after its closing quote"),
)


def find_separator(lines: Iterable[str], separators: str = SEPARATORS) -> str:
    """Find the separator of cells in the first lines of a table; empty if there is none.

    It occurs outside quotes in the first line that is not blank. If several separators do, the
    first one that splits all rows into the same number of cells is chosen, else a tab, else the
    separator with the most cells in the first line.

    >>> find_separator(['onset,offset,"a; b"']), find_separator(["when;who, where", "1;x", "2;y"])
    (',', ';')
    >>> find_separator(["a line of words"])
    ''
    """
    rows = [line for line in islice(lines, _LOOKED_AT) if line.strip()]
    head = _QUOTED.sub("", rows[0]) if rows else ""
    candidates = [separator for separator in separators if separator in head]
    if len(candidates) < 2:
        return "".join(candidates)
    consistent = (separator for separator in candidates if is_split_evenly(rows, separator))
    fallback = "\t" if "\t" in candidates else max(candidates, key=head.count)
    return next(consistent, fallback)


def is_split_evenly(lines: Sequence[str], separator: str) -> bool:
    """Check whether a separator splits all rows into the same number of cells, of two or more.

    The last of many rows may be cut off.
    """
    try:
        rows = list(csv.reader([f"{line}\n" for line in lines], delimiter=separator))
    except csv.Error:
        return False
    complete = rows[:-1] if len(rows) > 1 and len(lines) >= _LOOKED_AT else rows
    return bool(complete) and len(complete[0]) > 1 and len({len(row) for row in complete}) == 1


def split_cells(line: str, separator: str) -> list[str]:
    """Split a line into cells; a line that is not CSV is split at every separator.

    >>> split_cells('1,"a, b"', ","), split_cells("a line of words", "")
    (['1', 'a, b'], ['a line of words'])
    """
    if not separator:
        return [line]
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # a carriage return in the line, as in text that is not CSV
        return line.split(separator)


def yield_rows(
    name: str, lines: Iterable[str], separator: str, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its last line.

    Args:
        name: name of the file, for errors.
        lines: lines of a table with their ends.
        separator: separator of cells; empty for a table of one column.
        strict: if True, misplaced quotes are errors.

    Raises:
        InputError: if a row is not CSV.
    """
    reader = csv.reader(iter(lines), delimiter=separator or ",", strict=strict)
    while True:
        try:
            row = _read_next_row(reader)
        except csv.Error as error:
            problem = next(
                (message for text, message in _PROBLEMS if text in str(error)), str(error)
            )
            raise InputError(
                f"{name}:{reader.line_num}: not valid CSV: {problem}; a cell with a quote in it"
                " needs quotes around it, and quotes doubled; is one left open?"
            ) from None
        if row is None:
            return
        if any(cell.strip() for cell in row):
            yield reader.line_num, row


def _read_next_row(reader: Iterator[list[str]]) -> list[str] | None:
    """Read the next row; its cells may be longer than the csv module's usual limit."""
    previous_limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(previous_limit)
