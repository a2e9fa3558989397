"""Tables that say of each document what it belongs to: a batch, or a group."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spanagree.errors import InputError, escape_name, quote_value
from spanagree.files import read_lines
from spanagree.formats.hugging_face.columns import cell_of, has
from spanagree.formats.joined_texts import column_of
from spanagree.formats.json_records import json_records
from spanagree.formats.usual_names import ID_NAMES
from spanagree.tables import rows_of, separator_of


def table_named(by: str) -> tuple[str, str | None] | None:
    """Return path and column in FILE or FILE:COLUMN, if the file is there; else ``None``."""
    path, _, column = by.rpartition(":")
    for table in ((by, None), (path, column)):
        if os.path.exists(table[0]) and not os.path.isdir(table[0]):
            return table
    return None


def says_table(path: str, column: str | None) -> str:
    """Return the table in words, for the signature."""
    return f"table {Path(path).name}{'' if column is None else f':{column}'}"


def names_in_table(
    ids: Sequence[str], path: str, column: str | None, what: str, document: str | None = None
) -> list[str | None]:
    """Return the batch or group of each document that a table names: CSV, TSV or JSON.

    Args:
        ids: of the documents.
        path: the table.
        column: that which has the names; ``what`` unless given. ``a.b`` is b in objects a.
        what: batch or group.
        document: the column with the documents' ids; that with a usual name unless given.

    Raises:
        InputError: for what is not such a table, or names two for a document.
    """
    name, wanted = escape_name(path), column or what
    rows = _rows(path)
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"{name}: no rows; a table with the {what} of each document is needed")
    id_column = document if document is not None and has(rows[0], document) else None
    if document is None:
        id_column = column_of(rows[0], [name for name in ("document", *ID_NAMES) if name != what])
    if id_column is None or not any(has(row, wanted) for row in rows):
        columns = ", ".join(map(escape_name, map(str, rows[0])))
        missing = (document or "document or id") if id_column is None else wanted
        raise InputError(f"{name}: no column {escape_name(missing)}; there are {columns}")
    name_of: dict[str, str | None] = {}
    for row in rows:
        cell = cell_of(row, wanted) if has(row, wanted) else None
        id_ = str(cell_of(row, id_column)) if has(row, id_column) else ""
        value = None if cell in (None, "") else str(cell)
        if name_of.setdefault(id_, value) != value:
            raise InputError(
                f"{name}: document {quote_value(id_)} has {what} {quote_value(name_of[id_])}, and"
                f" {quote_value(value)} in another row; a document has one {what}"
            )
    return [name_of.get(id_) for id_ in ids]


def _rows(path: str) -> list[Any]:
    if path.endswith((".json", ".jsonl", ".ndjson")):
        return [row for _, row in json_records(path)] if os.path.getsize(path) else []
    lines = [*io.StringIO(read_lines(path), newline="")]
    rows = [row for _, row in rows_of(escape_name(path), lines, separator_of(lines))]
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
