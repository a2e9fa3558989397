"""Rows of tables in text: CSV and TSV."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np

from spanagree.errors import InputError, escape_path, pluralize, quote_value
from spanagree.files import PathName, read_lines, yield_lines
from spanagree.formats.conll.fields import Fields
from spanagree.tables import find_separator, yield_rows

_N_PREVIEW_LINES = 50


def read_csv_rows(path: PathName, encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """Read the header and the rows that are not blank, each with its line number.

    Cells are separated by tabs, commas or semicolons; see :func:`spanagree.tables.find_separator`.

    Raises:
        InputError: if a file cannot be read, or is no such table.
    """
    name = escape_path(path)
    lines: Iterator[str] = yield_lines(path, encoding)
    if name == "-":
        lines = io.StringIO(read_lines(path, encoding), newline="")
    return _yield_rows(path, lines)


def read_csv_records(
    path: PathName, encoding: str = "utf-8"
) -> tuple[list[str], Iterator[tuple[str, dict[str, str]]]]:
    """Read the header, and the rows as mappings, each with its location for errors."""
    rows = read_csv_rows(path, encoding)
    _, header = next(rows, (0, []))
    name = escape_path(path)
    return header, ((f"{name}:{line}", dict(zip(header, row, strict=True))) for line, row in rows)


def read_csv_columns(
    path: PathName, encoding: str = "utf-8"
) -> tuple[list[str], Sequence[Sequence[str]], Sequence[int]]:
    """Read the names in the header, the columns, and the line number of each row.

    See :func:`read_csv_rows`.
    """
    text = read_lines(path, encoding)
    first_lines = text.split("\n", _N_PREVIEW_LINES)[:_N_PREVIEW_LINES]
    separator = _find_separator(path, first_lines)
    if (unquoted := _split_unquoted_columns(text.replace("\r\n", "\n"), separator)) is not None:
        return unquoted
    rows = list(_yield_rows(path, io.StringIO(text, newline="")))
    if len(rows) < 2:
        return (rows[0][1] if rows else []), [], ()
    lines, cells = zip(*rows[1:], strict=True)
    return rows[0][1], list(map(list, zip(*cells, strict=True))), lines


def _split_unquoted_columns(
    text: str, separator: str
) -> tuple[list[str], list[Fields], Sequence[int]] | None:
    """Split a text without quotes into the header, the columns and the line numbers of rows.

    Return ``None`` if a cell may contain a separator, or a row may be blank or take several lines.
    """
    text = text.rstrip("\n")
    if '"' in text or "\r" in text or "\n\n" in text or "\n" not in text:
        return None
    header = text[: text.index("\n")].split(separator)
    raw = text.encode("utf-8", "surrogatepass") + b"\n"
    data = np.frombuffer(raw, np.uint8)
    separator_positions = np.flatnonzero((data == ord(separator)) | (data == ord("\n")))
    row_pattern = np.frombuffer((separator * (len(header) - 1) + "\n").encode(), np.uint8)
    if (
        len(separator_positions) % len(row_pattern)
        or not (data[separator_positions].reshape(-1, len(row_pattern)) == row_pattern).all()
    ):
        return None
    starts, ends = (
        bounds[len(header) :]
        for bounds in (np.append(0, separator_positions[:-1] + 1), separator_positions)
    )
    columns = [
        Fields(raw, starts[column_index :: len(header)], ends[column_index :: len(header)])
        for column_index in range(len(row_pattern))
    ]
    if not all(map(str.strip, (header[0], *columns[0].codes_and_words[1]))):  # a row may be blank
        return None
    return header, columns, range(2, len(columns[0]) + 2)


def _find_separator(path: PathName, first_lines: Sequence[str]) -> str:
    """Find the separator by the first lines; for a single column by the file extension."""
    has_tabs = Path(path).suffix.lower() in {".tsv", ".tab"}
    return find_separator(first_lines) or ("\t" if has_tabs else ",")


def _yield_rows(path: PathName, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows in the lines of a file with their line numbers; see :func:`read_csv_rows`."""
    name = escape_path(path)
    first_lines = [*islice(lines, _N_PREVIEW_LINES)]
    separator = _find_separator(path, first_lines)
    n_cells = 0
    for line_number, row in yield_rows(name, chain(first_lines, lines), separator, strict=True):
        n_cells = n_cells or len(row)
        if len(row) != n_cells:
            raise InputError(
                f"{name}:{line_number}: {pluralize(len(row), 'cell')} (between"
                f" {quote_value(separator)}); the header has {n_cells}, and each row needs as many"
            )
        yield line_number, row
