"""Marks, such as spans and tags, in columns of a dataset that are neither read nor named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, pluralize, quote_value
from spanagree.formats.hugging_face.columns import (
    DatasetColumns,
    MappingRows,
    build_arrow_table,
    find_label_names,
)
from spanagree.formats.hugging_face.guess import is_tag
from spanagree.formats.hugging_face.shape import ColumnMapping
from spanagree.formats.hugging_face.spans import is_sequence
from spanagree.formats.paths import parse_steps
from spanagree.formats.records import ReadLog
from spanagree.formats.spans_beside import Tree, build_tree

_NUMBERS = ("int", "uint", "float", "bool")


class InspectedRows(MappingRows):
    """Rows that are inspected while they are read, for marks in other columns."""

    def __init__(self, data: Any, log: ReadLog) -> None:
        rows = (
            data
            if isinstance(data, MappingRows)
            else MappingRows(data, getattr(data, "features", None))
        )
        super().__init__(rows, rows.features)
        self.gaps, self.flat, self.log = rows.gaps, rows.flat, log

    def yield_located_rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the rows, each with its location."""
        rows = self.rows.yield_located_rows() if isinstance(self.rows, MappingRows) else ()
        for location, row in rows:
            if isinstance(row, Mapping) and self.flat:
                self.log.count_unread_cells(row)
            elif isinstance(row, Mapping) and (cells := self.log.select_unread_cells(row)):
                self.log.count_unread_marks(_convert_to_lists(cells))
            yield location, row


class UnreadColumns:
    """Columns that are not read.

    Args:
        data: the rows.
        shape: columns that are read.
    """

    def __init__(self, data: Any, shape: ColumnMapping) -> None:
        self.shape, self.log = shape, ReadLog(shape.file or "")
        self.log.tree = _build_tree_of_columns(shape)
        self.is_in_columns = hasattr(data, "with_format") and hasattr(data, "features")
        self.data: Any = data if self.is_in_columns else InspectedRows(data, self.log)

    def count_unread(self, raw: RawCorpus) -> RawCorpus:
        """Count the marks in columns that are not read, and add them to the balance of rows.

        Raises:
            InputError: if there are such marks, and nothing was read.
        """
        if self.is_in_columns:
            self._count_marks_in_columns()
        unread = self.log.unread
        if unread and not len(raw.start) and self.shape.file is None:
            path, n_marks = unread.most_common(1)[0]
            raise InputError(
                f"nothing is marked in the columns that are read, but {pluralize(n_marks, 'mark')}"
                f" under {quote_value(path)}; name the columns with spans= or tags="
            )
        return self.log.add_unread_marks(raw)

    def _count_marks_in_columns(self) -> None:
        """Count the marks in the columns of a Dataset, except columns of numbers."""
        features: Mapping[str, Any] = self.data.features or {}
        columns_of_lists = []
        for name in self.data.column_names:
            if self.log.tree.get(name, {}) is None:
                continue
            if (names := find_label_names(features, name, None)) is not None:
                tag_codes = [i for i, tag in enumerate(names) if tag != "O" and is_tag(tag, None)]
                codes, _ = (
                    DatasetColumns(self.data, [name]).concatenate_entries(name)
                    if tag_codes
                    else ((), None)
                )
                n_tagged = int(np.isin(np.asarray(codes), tag_codes).sum())
                self.log.unread.update({name: n_tagged} if n_tagged else {})
            elif _may_be_marked(features.get(name)):
                columns_of_lists.append(name)
        for row in _iterate_rows(self.data, columns_of_lists) if columns_of_lists else ():
            self.log.count_unread_marks(row)


def _build_tree_of_columns(shape: ColumnMapping) -> Tree:
    """Build a tree of the columns that are read, which may be paths."""
    columns = [*shape.columns, *shape.optional_columns, "relations"]
    names = [name.strip() for column in columns for name in (column, *column.split(","))]
    paths: list[tuple[str | int, ...]] = [(name,) for name in names]
    for name in names:
        with suppress(SettingError):  # a name that is not a path
            paths += parse_steps(name)
    return build_tree(paths)


def _may_be_marked(feature: Any) -> bool:
    """Check whether a column has lists or objects other than lists of numbers."""
    element = feature
    while hasattr(element, "feature"):
        element = element.feature
    element = element[0] if isinstance(element, list) and element else element
    dtype = getattr(element, "dtype", "")
    is_scalar = element is feature and isinstance(dtype, str) and not isinstance(feature, Mapping)
    return not (is_scalar and dtype) and not str(dtype).startswith(_NUMBERS)


def _iterate_rows(data: Any, columns: list[str]) -> Iterable[Any]:
    """Iterate over the rows of some columns of a Dataset."""
    table = build_arrow_table(data, columns)
    if table is None:
        return iter(data)
    return chain.from_iterable(batch.to_pylist() for batch in table.to_batches(max_chunksize=1000))


def _convert_to_lists(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """Convert arrays and tuples in cells to lists; the result has the cells by name."""
    return {name: [*cell] if is_sequence(cell) else cell for name, cell in row.items()}
