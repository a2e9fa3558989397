"""Values of documents in a column of metadata, which is read only on request.

Rows are in files (JSON, JSON lines, CSV, TSV, Parquet, saved datasets) or in a data frame in
memory. A row belongs to the document with its id. Rows without ids are taken in order, if there are
as many as documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

from spanagree.corpus.tags import is_tag
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    escape_path,
    pluralize,
    quote_value,
)
from spanagree.formats.hugging_face.columns import get_cell, yield_each_row
from spanagree.formats.hugging_face.load import open_rows
from spanagree.formats.usual_names import COLUMNS, ID_NAMES, simplify_name

Source: TypeAlias = Any
"""One or several paths, a data frame, an Arrow table, a Dataset, or rows that are mappings."""

_MOST_LISTED_ROWS = 1000  # number of rows with listed columns
_LARGEST_DEPTH = 3  # largest depth of nested objects
_PATH = (str, os.PathLike)
_ID_NAMES = {*ID_NAMES, "inputhash", "spanagreeid"}
_NOT_LISTED = {*_ID_NAMES, *COLUMNS["text"], *COLUMNS["length"], "spanagree", "offsets"}


class MetadataColumn:
    """A column of rows, by the ids of the documents that the rows belong to.

    Attributes:
        n_rows: number of rows.
        is_there: True if a row has the column.
        in_order: value of each row; ``None`` for rows without a value.
        by_id: value by id, for each column that may contain ids.
        hits: number of rows with the id of a document, for each column.
    """

    def __init__(self, column: str, ids: Sequence[str], document: str | None = None) -> None:
        """Start without rows.

        Args:
            column: name of the column.
            ids: ids of the documents.
            document: column with the ids. Default: it is found by its contents.
        """
        self.column, self.document = column, document
        self.n_rows, self.is_there = 0, False
        self.in_order: list[str | None] = []
        self.by_id: dict[str, dict[str, str | None]] = {}
        self.hits: dict[str, int] = {}
        self._ids = {*ids}
        self._conflicts: dict[str, str] = {}

    def add(self, row: Mapping[str, Any], location: str) -> None:
        """Add the value of a row, under each id that the row may belong to.

        ``location`` is the place of the row in its source, for messages.
        """
        self.n_rows += 1
        value = None
        with suppress(KeyError):
            value = _convert_to_text(get_cell(row, self.column), self.column, location)
            self.is_there = True
        self.in_order.append(value)
        for name, id_ in self._yield_ids(row):
            if id_ in self._ids:
                self.hits[name] = self.hits.get(name, 0) + 1
                values = self.by_id.setdefault(name, {})
                earlier_value = values.setdefault(id_, value)
                if earlier_value is None or value is None:
                    values[id_] = earlier_value if value is None else value
                elif earlier_value != value and name not in self._conflicts:
                    self._conflicts[name] = (
                        f"{location}: {quote_value(id_)} has {self.column} {quote_value(value)},"
                        f" and {quote_value(earlier_value)} in another row; a document has one"
                    )

    def _yield_ids(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield column and value of each cell of a row that may be the id of its document."""
        if self.document is not None:
            for path in (self.document, f"data.{self.document}"):
                with suppress(KeyError):
                    yield path, str(get_cell(row, path))
            return
        for name, cell in row.items():
            if isinstance(cell, (str, int)):
                yield str(name), str(cell)

    def _is_usual(self, name: str) -> bool:
        """Whether a column has a usual name for ids."""
        return self.document is not None or simplify_name(name) in _ID_NAMES

    def find_values_by_document(self, ids: Sequence[str]) -> dict[str, str] | None:
        """Find the value of each document by id; ``None`` if rows do not state their documents.

        The ids are in the column with a usual name that contains most of them, or else in a column
        that contains only ids.

        Raises:
            InputError: if a document has two values.
        """
        hits = {name: n for name, n in self.hits.items() if self._is_usual(name)}
        hits = hits or {name: n for name, n in self.hits.items() if n == self.n_rows}
        if hits:
            name = max(hits, key=lambda key: hits[key])
            if name in self._conflicts:
                raise InputError(self._conflicts[name])
            return {id_: value for id_, value in self.by_id[name].items() if value is not None}
        if self.n_rows != len(ids):
            return None
        pairs = zip(ids, self.in_order, strict=True)
        return {id_: value for id_, value in pairs if value is not None}


def _convert_to_text(cell: Any, column: str, location: str) -> str | None:
    """Convert the cell of a row to text; ``None`` if the value is missing.

    Raises:
        InputError: if the cell is a list or an object.
    """
    if cell is None or cell == "" or cell != cell:  # NaN differs from itself
        return None
    if isinstance(cell, (list, tuple, Mapping)):
        raise InputError(
            f"{location}: {column} holds {quote_value(cell)}; a text or a number is needed, a.b"
            " leads into objects"
        )
    if isinstance(cell, bool):
        return str(cell).lower()
    is_whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if is_whole else cell).strip() or None


def read_column_values(
    source: Source,
    column: str,
    ids: Sequence[str],
    *,
    document: str | None = None,
    encoding: str = "utf-8",
    noun: str = "document",
) -> tuple[list[str | None] | None, list[str]]:
    """Read the value of each document in a column.

    Args:
        source: rows, or data with rows.
        column: name of the column; ``a.b`` is b in objects a.
        ids: ids of the documents, in order.
        document: column with the ids. Default: a column with a usual name.
        encoding: text encoding of tables in text.
        noun: word for a document.

    Returns:
        The values, ``None`` for a document without a value, or for all if no row has the column;
        and the names of the available columns.

    Raises:
        InputError: if rows do not state their documents, or a document has two values.

    >>> rows = [{"id": "a", "meta": {"genre": "news"}}, {"id": "b", "meta": {"genre": "blog"}}]
    >>> read_column_values(rows, "meta.genre", ["b", "a"])
    (['blog', 'news'], ['meta.genre'])
    """
    names: dict[str, None] = {}
    tables: list[tuple[str, MetadataColumn]] = []
    for name, rows in _yield_tables(source, encoding):
        table = MetadataColumn(column, ids, document)
        for location, row in rows:
            if table.n_rows < _MOST_LISTED_ROWS:
                names |= dict.fromkeys(_yield_columns(row))
            table.add(row, location)
        if table.is_there:
            tables.append((name, table))
    if not tables:
        return None, list(names)
    value_by_id: dict[str, str] = {}
    for name, table in tables:
        values_in_table = table.find_values_by_document(ids)
        if values_in_table is None and len(tables) > 1:
            return _join_in_order(tables, ids, noun), list(names)
        if values_in_table is None:
            raise _build_no_ids_error(name, table.n_rows, ids, noun)
        for id_, value in values_in_table.items():
            if value_by_id.setdefault(id_, value) != value:
                raise InputError(
                    f"{name}: document {quote_value(id_)} has {column} {quote_value(value)}, and"
                    f" {quote_value(value_by_id[id_])} in another file; a document has one"
                )
    return [value_by_id.get(id_) for id_ in ids], list(names)


def _join_in_order(
    tables: Sequence[tuple[str, MetadataColumn]], ids: Sequence[str], noun: str
) -> list[str | None]:
    """Join the values of several files without ids, whose rows are the documents in order.

    Raises:
        InputError: if there are not as many rows as documents.
    """
    values = [value for _, table in tables for value in table.in_order]
    if len(values) != len(ids):
        raise _build_no_ids_error(tables[0][0], len(values), ids, noun)
    return values


def _build_no_ids_error(name: str, n_rows: int, ids: Sequence[str], noun: str) -> InputError:
    """Build the error for rows that do not state their document."""
    return InputError(
        f"{name}: its {pluralize(n_rows, 'row')} have no ids of the {pluralize(len(ids), noun)},"
        f" such as {quote_value(ids[0]) if ids else 'none'}; --document names the column with the"
        " ids, or a table FILE:COLUMN has them"
    )


def _yield_tables(
    source: Source, encoding: str
) -> Iterator[tuple[str, Iterable[tuple[str, Mapping[str, Any]]]]]:
    """Yield the tables of a source: a name for messages, and rows with their locations."""
    if source is None:
        return
    is_list_of_paths = isinstance(source, (list, tuple)) and all(
        isinstance(item, _PATH) for item in source
    )
    if not isinstance(source, _PATH) and not is_list_of_paths:
        yield "rows", yield_each_row(source)
        return
    for path in [source] if isinstance(source, _PATH) else source:
        yield escape_path(path), _yield_rows_of_file(path, encoding)


def _yield_rows_of_file(path: Any, encoding: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a file with their locations; no rows if the file is not a table."""
    try:
        rows = iter(yield_each_row(open_rows(path, encoding)))
        first = [*islice(rows, 1)]
    except SettingError:  # a missing package
        raise
    except (
        SpanAgreeError,
        OSError,
        ValueError,
    ):  # no table, such as CoNLL, XML or the folder of a tool
        return
    if first and any(is_tag(str(name)) for name in first[0][1]):  # tokens and tags, no header
        return
    yield from first
    yield from rows


def _yield_columns(row: Mapping[str, Any], prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the names of the columns of a row with texts or numbers, for the list in an error.

    Columns in nested objects are named by paths such as a.b.

    Args:
        row: row, or object in a row.
        prefix: path of the object, with a final dot.
        depth: depth of the object; deeper objects than a limit are left out.
    """
    for name, cell in row.items():
        if isinstance(cell, Mapping):
            if depth < _LARGEST_DEPTH:
                yield from _yield_columns(cell, f"{prefix}{name}.", depth + 1)
        elif isinstance(cell, (str, int, float)) and simplify_name(name) not in _NOT_LISTED:
            yield f"{prefix}{name}"
