"""The rows of a table in text: CSV and TSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from spanagree.errors import InputError, counted, printable, show
from spanagree.files import PathName, lines_of, read_text

_LONGEST_CELL = 1 << 30  # characters; a cell may be a document


def csv_rows(path: PathName, encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """Yield the header and the rows that are not blank, each with its line.

    Tabs, commas or semicolons separate the cells, as in the header.

    Raises:
        InputError: for a file that cannot be read, or is not such a table.
    """
    name = printable(os.fspath(path))
    lines: Iterator[str] = lines_of(path, encoding)
    if name == "-":
        lines = io.StringIO(read_text(path, encoding), newline="")
    first = next(lines, "")
    tab = Path(path).suffix.lower() in {".tsv", ".tab"} or "\t" in first
    sign = "\t" if tab else ";" if ";" in first and "," not in first else ","
    reader = csv.reader(chain([first], lines), delimiter=sign, strict=True)
    size = 0
    try:
        while (row := _next(reader)) is not None:
            if not any(cell.strip() for cell in row):
                continue
            size = size or len(row)
            if len(row) != size:
                raise InputError(
                    f"{name}:{reader.line_num}: {counted(len(row), 'cell')} (between {show(sign)});"
                    f" the header has {size}, and each row needs as many"
                )
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(
            f"{name}:{reader.line_num}: not valid CSV: {error}; a cell with a quote in it needs"
            " quotes around it, and quotes doubled; is one left open?"
        ) from None


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    """Return the next row, whose cells may be longer than the library lets others have them."""
    usual = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(usual)
