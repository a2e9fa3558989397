"""Tables of items and labels, as CSV or TSV: a row per label, a column per annotator, or counts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from spanagree.arrays import unique_rows
from spanagree.choices import Duplicates
from spanagree.corpus.label_columns import collect_columns
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.label_text import convert_to_text
from spanagree.errors import InputError, SettingError, escape_path, pluralize, quote_value
from spanagree.files import BOM, PathName, build_mark_error
from spanagree.formats.conll.fields import encode_column
from spanagree.formats.csv_rows import read_csv_columns
from spanagree.settings import build_reading_settings


def read_labels(
    path: PathName,
    *,
    wide: bool = False,
    counts: bool = False,
    item: str | None = None,
    annotator: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    categories: Sequence[str] | None = None,
    duplicates: Duplicates = "error",
    missing: str | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> LabelTable:
    """Read items and labels from a CSV or TSV file with a header, or from standard input (``-``).

    Blank cells are missing labels, and counted. Names and labels are text; ``1.0`` is ``1``. Spaces
    at the ends of names and labels are kept, except for numbers.

    Args:
        path: path of the file. Its cells are separated by tabs, commas or semicolons, as in its
            header.
        wide: True for a table with one row per item and one column per annotator; otherwise a row
            is one label.
        counts: True for a table with one row per item and one column per category, with the number
            of annotators who chose it.
        item: column of the items. Default: ``item``. In a wide table or one of counts, the default
            is the first column; rows are numbered if the other columns are named.
        annotator: column of the annotators. Default: ``annotator``. In a wide table the columns of
            the annotators, by default all columns except the items.
        label: column of the labels. Default: ``label``. In a table of counts the columns of the
            categories, by default all columns except the items.
        categories: possible labels, for AC1. Default: the labels that occur.
        duplicates: treatment of an item that one annotator labelled twice: error or first.
        missing: label that represents a missing label, such as ``NA``.
        separator: separator between the members of labels that are sets; these are then written
            sorted, with ``|`` between them.
        encoding: encoding of the file.

    Raises:
        InputError: if the argument is no file; if the file is invalid, for example two files
            joined; if a label occurs twice with different values; if a column is the sum of the
            others, unless named.
        SettingError: if a choice is unknown, or not allowed for the type of table.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("item,annotator,label\\n1,ann,x\\n1,bob,y\\n")
    ...     read_labels(path).annotators
    ('ann', 'bob')
    """
    options: dict[str, object] = {"annotator": annotator, "label": label, "wide": wide or None}
    options |= {"categories": categories, "missing": missing, "separator": separator}
    _check_options(options, wide, counts)
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            f"{type(path).__name__}; a file is needed. LabelTable.from_rows takes rows of item,"
            " annotator and label, as frame.itertuples(index=False) gives of a data frame"
        )
    table = _LabelFile(path, encoding)
    reading = build_reading_settings(
        encoding, item=item, annotator=annotator, label=label, wide=wide, counts=counts
    )
    table_options: dict[str, Any] = {
        "categories": categories,
        "duplicates": duplicates,
        "missing": missing,
    }
    table_options |= {"separator": separator, "chosen": reading}
    if not wide and not counts:
        column_by_role = {"item": item, "annotator": annotator, "label": label}
        columns = [
            table.find_column(column_name, role) for role, column_name in column_by_role.items()
        ]
        attributes = collect_columns(
            *(table.columns[column_index] for column_index in columns),
            location=table.format_location,
            **table_options,
        )
        return LabelTable(**attributes)
    if counts:
        item_column, columns = table.find_columns(item, label, "label")
        items = None if item_column is None else table.list_item_names(item_column)
        counted_labels = table.build_labels_from_counts(columns, items, are_named=label is not None)
        return replace(counted_labels, reading={**counted_labels.reading, **reading})
    return _read_wide(table, item, annotator, table_options)


def _read_wide(
    table: _LabelFile,
    item: str | None,
    annotator: str | Sequence[str] | None,
    table_options: Mapping[str, Any],
) -> LabelTable:
    """Read the labels in a table with one column per annotator.

    ``item`` and ``annotator`` are columns that the user named.
    """
    item_column, columns = table.find_columns(item, annotator, "annotator")
    header = [table.header[column_index] for column_index in columns]
    rows = (
        range(1, len(table.lines) + 1)
        if item_column is None
        else table.list_item_names(item_column)
    )
    names = [name for name in rows for _ in columns]
    labels = list(
        chain.from_iterable(
            zip(*(table.columns[column_index] for column_index in columns), strict=True)
        )
    )
    attributes = collect_columns(
        names,
        header * len(rows),
        labels,
        location=lambda cell_index: table.format_location(cell_index // len(columns)),
        **table_options,
    )
    read_table = LabelTable(**attributes)
    if annotator is not None:
        return read_table
    return replace(read_table, notes=(*read_table.notes, *_yield_notes_on_columns(read_table)))


def _yield_notes_on_columns(table: LabelTable) -> Iterator[str]:
    """Yield a note on each annotator whose labels no other annotator has, such as texts."""
    if table.annotator is None or not len(table.label):
        return
    (annotators, labels), _, _ = unique_rows(table.annotator, table.label)
    is_shared = np.bincount(labels, minlength=len(table.labels)) > 1
    n_annotators = len(table.annotators)
    n_labels = np.bincount(annotators, minlength=n_annotators)
    n_shared = np.bincount(annotators, is_shared[labels], n_annotators)
    if is_shared.any():
        for index in np.flatnonzero((n_labels > 0) & (n_shared == 0)).tolist():
            yield (
                f"column {quote_value(table.annotators[index])} was read as an annotator, and no"
                " other column has any of its labels; --annotator names the columns of annotators"
            )


def _check_options(options: Mapping[str, object], wide: bool, counts: bool) -> None:
    """Check that the options are allowed for the type of table."""
    if (separator := options["separator"]) is not None and not (
        isinstance(separator, str) and separator
    ):
        raise SettingError(
            f"separator {quote_value(separator)}; the sign between labels of a set, such as ','"
        )
    if not isinstance(missing := options["missing"], (str, type(None))):
        raise SettingError(f"missing {quote_value(missing)}; a label is needed, such as 'NA'")
    table_type, refused = "with a column for each annotator", ["label"] if wide else []
    if counts:
        table_type, refused = (
            "of counts",
            ["annotator", "categories", "missing", "separator", "wide"],
        )
    for name in refused:
        if options[name] is not None:
            raise SettingError(f"{name}: does not go with a table {table_type}")


class _LabelFile:
    """Header and rows of a file, with the line of each row."""

    def __init__(self, path: PathName, encoding: str) -> None:
        self.name = escape_path(path)
        self.header, self.columns, self.lines = read_csv_columns(path, encoding)
        if not self.header:
            raise InputError(
                f"{self.name}: is empty; a header and rows are needed, such as item,annotator,label"
            )
        if not self.columns:
            raise InputError(
                f"{self.name}: no rows below the header; a row for each label is needed"
            )
        self._check_not_joined()

    def _check_not_joined(self) -> None:
        """Check that rows have no byte order mark and no second header, as joined files have."""
        header = sorted(cell.strip() for cell in self.header)
        # numbers in a header may be labels too
        is_text = any(re.search(r"[^\W\d]", cell) for cell in header)
        column_names = set(header) if is_text else set()
        suspicious = {
            cell
            for cell in encode_column(self.columns[0])[1]
            if cell[:1] == BOM or cell.strip() in column_names
        }
        for i, cell in enumerate(self.columns[0] if suspicious else ()):
            if cell.startswith(BOM):
                raise build_mark_error(self.format_location(i).removesuffix(": "))
            row = [column[i] for column in self.columns] if cell in suspicious else []
            if sorted(cell.strip() for cell in row) == header:
                raise InputError(
                    f"{self.format_location(i)}the names of the columns again"
                    f" ({quote_value(row)}), as is left"
                    " where files were joined; delete the line, and have the columns below it in"
                    " the same order"
                )

    def format_location(self, row: int) -> str:
        """Format the file and line of a row, as the beginning of a message."""
        return f"{self.name}:{self.lines[row]}: "

    def find_column(self, name: object, role: str) -> int:
        """Find the index of a column, by its name or, without one, by its role."""
        headers = ", ".join(map(quote_value, self.header))
        if name is None:
            matching = [
                column_index
                for column_index, name in enumerate(self.header)
                if name.strip().lower() == role
            ]
            if len(matching) != 1:
                advice = (
                    "; a table with a column for each annotator needs --wide (wide=True)"
                    if role == "annotator" and not matching
                    else ""
                )
                raise InputError(
                    f"{self.name}: which column is the {role}? name it (--{role}, {role}=); there"
                    f" are: {headers}{advice}"
                )
            return matching[0]
        if not isinstance(name, str):
            raise SettingError(f"{role} {quote_value(name)}; the name of one column is needed")
        matching_columns = [
            column_index for column_index, header in enumerate(self.header) if header == name
        ]
        matching_columns = matching_columns or [
            column_index
            for column_index, header in enumerate(self.header)
            if header.strip() == name
        ]
        if len(matching_columns) != 1:
            problem = (
                f"{pluralize(len(matching_columns), 'column')} are"
                if matching_columns
                else "no column"
            )
            raise InputError(
                f"{self.name}: {problem} called {quote_value(name)}; there are: {headers}"
            )
        return matching_columns[0]

    def find_columns(
        self, item: str | None, names: str | Sequence[str] | None, role: str
    ) -> tuple[int | None, list[int]]:
        """Find the column of the items, if any, and the columns of annotators or categories.

        ``names`` are the columns that the user named; ``role`` is the noun for them, in messages.
        """
        item_column = None if item is None else self.find_column(item, "item")
        if names is not None:
            columns = [
                self.find_column(column_name, role)
                for column_name in ([names] if isinstance(names, str) else names)
            ]
        else:
            item_column = item_column or 0
            columns = [
                column_index
                for column_index in range(len(self.header))
                if column_index != item_column
            ]
            if not columns:
                raise InputError(
                    f"{self.name}: one column; besides the item's one for each {role} is needed"
                )
        texts = [
            convert_to_text(self.header[column_index]) for column_index in columns
        ]  # 1.0 is 1, as in cells
        for i, (column_index, name) in enumerate(zip(columns, texts, strict=True)):
            if name is None:
                raise InputError(
                    f"{self.name}: column {column_index + 1} has no name; each {role} needs one"
                )
            if name in texts[:i]:
                raise InputError(
                    f"{self.name}: columns {columns[texts.index(name)] + 1} and {column_index + 1}"
                    f" are both called {quote_value(name)}; each {role} needs a name of its own"
                )
        return item_column, columns

    def list_item_names(self, column: int) -> list[str]:
        """List the names of the items, one per row."""
        names: dict[str, None] = {}
        for row, name in enumerate(self.columns[column]):
            if not name.strip():
                raise InputError(
                    f"{self.format_location(row)}the item is missing; every row needs one"
                )
            if name in names:
                raise InputError(
                    f"{self.format_location(row)}item {quote_value(name)} stands twice; in this"
                    " layout each has one"
                    " row (if no column names the items, name those of the annotators or labels)"
                )
            names[name] = None
        return list(names)

    def build_labels_from_counts(
        self, columns: Sequence[int], items: Sequence[str] | None, *, are_named: bool
    ) -> LabelTable:
        """Build the table of labels from columns of counts.

        If there are three or more columns that are not named by the user, no column may be the sum
        of the others.
        """
        count_by_cell = {
            cell: int(float(cell))
            for cell in set(
                chain.from_iterable(self.columns[column_index] for column_index in columns)
            )
            if re.fullmatch(r"\s*[0-9]{1,15}(\.0+)?\s*", cell, re.ASCII)
        }
        rows = list(zip(*(self.columns[column_index] for column_index in columns), strict=True))
        for i, row in enumerate(rows):
            for column_index, cell in zip(columns, row, strict=True):
                if cell not in count_by_cell:
                    raise InputError(
                        f"{self.format_location(i)}count {quote_value(cell)} of"
                        f" {quote_value(self.header[column_index])}; a whole number from 0 is"
                        " needed"
                    )
        counts = [[count_by_cell[cell] for cell in row] for row in rows]
        header = [self.header[column_index] for column_index in columns]
        try:
            table = LabelTable.from_counts(counts, header, items=items)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None
        count_array = np.array(counts)
        is_sum = (2 * count_array == count_array.sum(axis=1, keepdims=True)).all(
            axis=0
        ) & count_array.any(axis=0)
        if is_sum.any() and len(columns) > 2 and not are_named:
            raise InputError(
                f"{self.name}: column {quote_value(header[int(is_sum.argmax())])} is the sum of the"
                " others in every row, so hardly a category; name the columns that are categories"
                " (--label, label=), all of them if it is one"
            )
        if (
            len(count_array) > 2
            and count_array.any()
            and (2 * count_array[-1] == count_array.sum(axis=0)).all()
        ):
            location = self.format_location(-1)
            note = f"{location}the row is the sum of those above it; counted as an item"
            table = replace(table, notes=(*table.notes, note))
        return table
