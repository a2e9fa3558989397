"""Tables that assign each document to a batch or group."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spanagree.errors import InputError, escape_name, quote_value
from spanagree.files import read_lines
from spanagree.formats.hugging_face.columns import get_cell, has_column
from spanagree.formats.joined_texts import find_first_column
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.usual_names import ID_NAMES
from spanagree.tables import find_separator, yield_rows


def parse_table_name(by: str) -> tuple[str, str | None] | None:
    """Parse FILE or FILE:COLUMN to path and column if the file exists; otherwise return None."""
    path, _, column = by.rpartition(":")
    for table in ((by, None), (path, column)):
        if os.path.exists(table[0]) and not os.path.isdir(table[0]):
            return table
    return None


def describe_table(path: str, column: str | None) -> str:
    """Describe the table in words, for the signature."""
    return f"table {Path(path).name}{'' if column is None else f':{column}'}"


def read_document_names(
    ids: Sequence[str], path: str, column: str | None, noun: str, document: str | None = None
) -> list[str | None]:
    """Read the batch or group of each document from a table: CSV, TSV or JSON.

    ``None`` is returned for documents without a name in the table.

    Args:
        ids: ids of the documents.
        path: path of the table.
        column: name of the column that contains the names. Default: ``noun``. ``a.b`` is the
            key b of objects in column a.
        noun: noun for the names, batch or group.
        document: name of the column with the ids of documents. Default: a column with a usual name.

    Raises:
        InputError: if the file is no such table, or contains two names for a document.
    """
    file_name, name_column = escape_name(path), column or noun
    rows = _read_rows(path)
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            f"{file_name}: no rows; a table with the {noun} of each document is needed"
        )
    id_column = document if document is not None and has_column(rows[0], document) else None
    if document is None:
        id_column = find_first_column(
            rows[0], [name for name in ("document", *ID_NAMES) if name != noun]
        )
    if id_column is None or not any(has_column(row, name_column) for row in rows):
        columns = ", ".join(map(escape_name, map(str, rows[0])))
        missing = (document or "document or id") if id_column is None else name_column
        raise InputError(f"{file_name}: no column {escape_name(missing)}; there are {columns}")
    name_by_document: dict[str, str | None] = {}
    for row in rows:
        cell = get_cell(row, name_column) if has_column(row, name_column) else None
        id_ = str(get_cell(row, id_column)) if has_column(row, id_column) else ""
        name_of_row = None if cell in (None, "") else str(cell)
        if name_by_document.setdefault(id_, name_of_row) != name_of_row:
            raise InputError(
                f"{file_name}: document {quote_value(id_)} has {noun}"
                f" {quote_value(name_by_document[id_])},"
                f" and {quote_value(name_of_row)} in another row; a document has one {noun}"
            )
    return [name_by_document.get(id_) for id_ in ids]


def _read_rows(path: str) -> list[Any]:
    """Read the rows of a table, or of JSON, as mappings by column."""
    if path.endswith((".json", ".jsonl", ".ndjson")):
        return [row for _, row in yield_json_records(path)] if os.path.getsize(path) else []
    lines = [*io.StringIO(read_lines(path), newline="")]
    rows = [row for _, row in yield_rows(escape_name(path), lines, find_separator(lines))]
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
