"""The rows of a table in text: CSV and TSV."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np

from spanagree.errors import InputError, pluralize, printable_path, quote_value
from spanagree.files import PathName, lines_of, read_lines
from spanagree.formats.conll.fields import Fields
from spanagree.tables import rows_of, separator_of

_LOOKED_AT = 50  # lines


def csv_rows(path: PathName, encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """Return the header and the rows that are not blank, each with its line.

    Tabs, commas or semicolons separate the cells, as :func:`spanagree.tables.separator_of` finds.

    Raises:
        InputError: for a file that cannot be read, or is not such a table.
    """
    name = printable_path(path)
    lines: Iterator[str] = lines_of(path, encoding)
    if name == "-":
        lines = io.StringIO(read_lines(path, encoding), newline="")
    return _rows_of(path, lines)


def csv_records(
    path: PathName, encoding: str = "utf-8"
) -> tuple[list[str], Iterator[tuple[str, dict[str, str]]]]:
    """Return the header, and the rows below it by its names, each with its place for errors."""
    rows = csv_rows(path, encoding)
    _, header = next(rows, (0, []))
    name = printable_path(path)
    return header, ((f"{name}:{line}", dict(zip(header, row, strict=True))) for line, row in rows)


def csv_columns(
    path: PathName, encoding: str = "utf-8"
) -> tuple[list[str], Sequence[Sequence[str]], Sequence[int]]:
    """Return the header, the columns below it, and the line of each row; as :func:`csv_rows`."""
    text = read_lines(path, encoding)
    sign = _sign(path, [*islice(io.StringIO(text, newline=""), _LOOKED_AT)])
    if (plain := _plain_columns(text.replace("\r\n", "\n"), sign)) is not None:
        return plain
    rows = list(_rows_of(path, io.StringIO(text, newline="")))
    if len(rows) < 2:
        return (rows[0][1] if rows else []), [], ()
    lines, cells = zip(*rows[1:], strict=True)
    return rows[0][1], list(map(list, zip(*cells, strict=True))), lines


def _plain_columns(text: str, sign: str) -> tuple[list[str], list[Fields], Sequence[int]] | None:
    """Return the same of a text whose signs are all between cells, each line a row; else None."""
    text = text.rstrip("\n")
    if '"' in text or "\r" in text or "\n\n" in text or "\n" not in text:
        return None
    header = text[: text.index("\n")].split(sign)
    raw = text.encode("utf-8", "surrogatepass") + b"\n"
    data = np.frombuffer(raw, np.uint8)
    ends = np.flatnonzero((data == ord(sign)) | (data == ord("\n")))
    pattern = np.frombuffer((sign * (len(header) - 1) + "\n").encode(), np.uint8)
    if len(ends) % len(pattern) or not (data[ends].reshape(-1, len(pattern)) == pattern).all():
        return None
    begin, end = (x[len(header) :] for x in (np.append(0, ends[:-1] + 1), ends))
    columns = [
        Fields(raw, begin[c :: len(header)], end[c :: len(header)]) for c in range(len(pattern))
    ]
    if not all(map(str.strip, (header[0], *columns[0].numbered[1]))):  # rows may be blank
        return None
    return header, columns, range(2, len(columns[0]) + 2)


def _sign(path: PathName, first: Sequence[str]) -> str:
    """Return the sign between cells, by the first lines; of a single column, by the file's name."""
    has_tabs = Path(path).suffix.lower() in {".tsv", ".tab"}
    return separator_of(first) or ("\t" if has_tabs else ",")


def _rows_of(path: PathName, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield what :func:`csv_rows` does, from the lines of a file."""
    name = printable_path(path)
    first = [*islice(lines, _LOOKED_AT)]
    sign = _sign(path, first)
    size = 0
    for line, row in rows_of(name, chain(first, lines), sign, strict=True):
        size = size or len(row)
        if len(row) != size:
            raise InputError(
                f"{name}:{line}: {pluralize(len(row), 'cell')} (between {quote_value(sign)}); the"
                f" header has {size}, and each row needs as many"
            )
        yield line, row
