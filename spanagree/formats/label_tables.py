"""Tables of items and labels, as CSV or TSV: a row a label, a column an annotator, or counts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from spanagree.choices import Duplicates
from spanagree.corpus.label_table import LabelTable, label_table
from spanagree.corpus.label_text import as_text
from spanagree.errors import InputError, SettingError, pluralize, printable_path, quote_value
from spanagree.files import BOM, PathName, mark_inside
from spanagree.formats.conll.fields import numbered
from spanagree.formats.csv_rows import csv_columns
from spanagree.settings import reading_settings


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
    """Return the items and labels in a CSV or TSV file with a header, or in standard input (``-``).

    Blank cells are missing labels, and counted. Names and labels are text; ``1.0`` is ``1``, and
    spaces at their ends are part of them, but not of numbers.

    Args:
        path: the file. Tabs, commas or semicolons separate its cells, as in its header.
        wide: a row is an item and a column an annotator; otherwise a row is one label given.
        counts: a row is an item and a column a category, with how many chose it.
        item: the column of the items: ``item`` unless given; in a table that is wide or of counts
            the first one, unless the others are named: then rows are numbered.
        annotator: the column of the annotators, ``annotator`` unless given; in a wide table the
            columns that are annotators, all but the item's unless given.
        label: the column of the labels, ``label`` unless given; of counts the columns that are
            categories, all but the item's unless given.
        categories: all labels there could be, for AC1; those that occur unless given.
        duplicates: what becomes of an item labelled twice by one annotator, error or first.
        missing: a label that stands for a missing one, such as ``NA``.
        separator: the sign between the members of labels that are sets, which are then written
            sorted, with ``|`` between them.
        encoding: of the file.

    Raises:
        InputError: for anything but a file; for one that cannot be read so, such as two that were
            joined; for a label given twice, differently; for a column that is the sum of the
            others, unless named.
        SettingError: for an unknown choice, or one that such a table does not take.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("item,annotator,label\\n1,ann,x\\n1,bob,y\\n")
    ...     read_labels(path).annotators
    ('ann', 'bob')
    """
    given: dict[str, object] = {"annotator": annotator, "label": label, "wide": wide or None}
    given |= {"categories": categories, "missing": missing, "separator": separator}
    _check_options(given, wide, counts)
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            f"{type(path).__name__}; a file is needed. LabelTable.from_rows takes rows of item,"
            " annotator and label, as frame.itertuples(index=False) gives of a data frame"
        )
    table = _Table(path, encoding)
    read = reading_settings(
        encoding, item=item, annotator=annotator, label=label, wide=wide, counts=counts
    )
    asked: dict[str, Any] = {"categories": categories, "duplicates": duplicates, "missing": missing}
    asked |= {"separator": separator, "chosen": read}
    if not wide and not counts:
        asked_columns = {"item": item, "annotator": annotator, "label": label}
        columns = [table.column(name, what) for what, name in asked_columns.items()]
        return label_table(*(table.columns[c] for c in columns), location=table.location, **asked)
    if counts:
        item_column, columns = table.split(item, label, "label")
        items = None if item_column is None else table.items(item_column)
        counted_labels = table.of_counts(columns, items, named=label is not None)
        return replace(counted_labels, reading={**counted_labels.reading, **read})
    return _read_wide(table, item, annotator, asked)


def _read_wide(
    table: _Table,
    item: str | None,
    annotator: str | Sequence[str] | None,
    asked: Mapping[str, Any],
) -> LabelTable:
    """Return the labels in a table with a column for each annotator."""
    item_column, columns = table.split(item, annotator, "annotator")
    header = [table.header[c] for c in columns]
    rows = range(1, len(table.lines) + 1) if item_column is None else table.items(item_column)
    names = [name for name in rows for _ in columns]
    labels = list(chain.from_iterable(zip(*(table.columns[c] for c in columns), strict=True)))
    return label_table(
        names,
        header * len(rows),
        labels,
        location=lambda k: table.location(k // len(columns)),
        **asked,
    )


def _check_options(given: Mapping[str, object], wide: bool, counts: bool) -> None:
    """Refuse options that do not go with the layout."""
    if (sign := given["separator"]) is not None and not (isinstance(sign, str) and sign):
        raise SettingError(
            f"separator {quote_value(sign)}; the sign between labels of a set, such as ','"
        )
    if not isinstance(missing := given["missing"], (str, type(None))):
        raise SettingError(f"missing {quote_value(missing)}; a label is needed, such as 'NA'")
    kind, refused = "with a column for each annotator", ["label"] if wide else []
    if counts:
        kind, refused = "of counts", ["annotator", "categories", "missing", "separator", "wide"]
    for name in refused:
        if given[name] is not None:
            raise SettingError(f"{name}: does not go with a table {kind}")


class _Table:
    """A file's header and rows; a row knows its line."""

    def __init__(self, path: PathName, encoding: str) -> None:
        self.name = printable_path(path)
        self.header, self.columns, self.lines = csv_columns(path, encoding)
        if not self.header:
            raise InputError(
                f"{self.name}: is empty; a header and rows are needed, such as item,annotator,label"
            )
        if not self.columns:
            raise InputError(
                f"{self.name}: no rows below the header; a row for each label is needed"
            )
        self._refuse_joined()

    def _refuse_joined(self) -> None:
        """Refuse what is left where files were joined: a byte order mark, and a second header."""
        header = sorted(cell.strip() for cell in self.header)
        is_text = any(re.search(r"[^\W\d]", cell) for cell in header)  # labels may be such numbers
        known = set(header) if is_text else set()
        first = {
            cell
            for cell in numbered(self.columns[0])[1]
            if cell[:1] == BOM or cell.strip() in known
        }
        for i, cell in enumerate(self.columns[0] if first else ()):
            if cell.startswith(BOM):
                raise mark_inside(self.location(i).removesuffix(": "))
            row = [column[i] for column in self.columns] if cell in first else []
            if sorted(cell.strip() for cell in row) == header:
                raise InputError(
                    f"{self.location(i)}the names of the columns again ({quote_value(row)}), as is"
                    " left"
                    " where files were joined; delete the line, and have the columns below it in"
                    " the same order"
                )

    def location(self, row: int) -> str:
        return f"{self.name}:{self.lines[row]}: "

    def column(self, name: object, what: str) -> int:
        """Return the number of a column: that of this name, or else the one called as it is."""
        headers = ", ".join(map(quote_value, self.header))
        if name is None:
            alike = [c for c, name in enumerate(self.header) if name.strip().lower() == what]
            if len(alike) != 1:
                raise InputError(
                    f"{self.name}: which column is the {what}? name it (--{what}, {what}=); there"
                    f" are: {headers}"
                )
            return alike[0]
        if not isinstance(name, str):
            raise SettingError(f"{what} {quote_value(name)}; the name of one column is needed")
        called = [c for c, header in enumerate(self.header) if header == name]
        called = called or [c for c, header in enumerate(self.header) if header.strip() == name]
        if len(called) != 1:
            problem = f"{pluralize(len(called), 'column')} are" if called else "no column"
            raise InputError(
                f"{self.name}: {problem} called {quote_value(name)}; there are: {headers}"
            )
        return called[0]

    def split(
        self, item: str | None, names: str | Sequence[str] | None, what: str
    ) -> tuple[int | None, list[int]]:
        """Return the items' column, if there is one, and those of annotators or categories."""
        item_column = None if item is None else self.column(item, "item")
        if names is not None:
            columns = [self.column(n, what) for n in ([names] if isinstance(names, str) else names)]
        else:
            item_column = item_column or 0
            columns = [c for c in range(len(self.header)) if c != item_column]
            if not columns:
                raise InputError(
                    f"{self.name}: one column; besides the item's one for each {what} is needed"
                )
        texts = [as_text(self.header[c]) for c in columns]  # 1.0 is 1, as in cells
        for i, (c, name) in enumerate(zip(columns, texts, strict=True)):
            if name is None:
                raise InputError(f"{self.name}: column {c + 1} has no name; each {what} needs one")
            if name in texts[:i]:
                raise InputError(
                    f"{self.name}: columns {columns[texts.index(name)] + 1} and {c + 1} are both"
                    f" called {quote_value(name)}; each {what} needs a name of its own"
                )
        return item_column, columns

    def items(self, column: int) -> list[str]:
        """Return the names of the items; each has one row."""
        seen: dict[str, None] = {}
        for row, name in enumerate(self.columns[column]):
            if not name.strip():
                raise InputError(f"{self.location(row)}the item is missing; every row needs one")
            if name in seen:
                raise InputError(
                    f"{self.location(row)}item {quote_value(name)} stands twice; in this layout"
                    " each has one"
                    " row (if no column names the items, name those of the annotators or labels)"
                )
            seen[name] = None
        return list(seen)

    def of_counts(
        self, columns: Sequence[int], items: Sequence[str] | None, *, named: bool
    ) -> LabelTable:
        """Return the table of the whole numbers in some columns.

        Of three or more that were not ``named``, none may be the sum of the others.
        """
        numbers_of = {
            cell: int(float(cell))
            for cell in set(chain.from_iterable(self.columns[c] for c in columns))
            if re.fullmatch(r"\s*[0-9]{1,15}(\.0+)?\s*", cell, re.ASCII)
        }
        rows = list(zip(*(self.columns[c] for c in columns), strict=True))
        for i, row in enumerate(rows):
            for c, cell in zip(columns, row, strict=True):
                if cell not in numbers_of:
                    raise InputError(
                        f"{self.location(i)}count {quote_value(cell)} of"
                        f" {quote_value(self.header[c])}; a whole number from 0 is needed"
                    )
        counts = [[numbers_of[cell] for cell in row] for row in rows]
        header = [self.header[c] for c in columns]
        try:
            table = LabelTable.from_counts(counts, header, items=items)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None
        numbers = np.array(counts)
        total = (2 * numbers == numbers.sum(axis=1, keepdims=True)).all(axis=0) & numbers.any(
            axis=0
        )
        if total.any() and len(columns) > 2 and not named:
            raise InputError(
                f"{self.name}: column {quote_value(header[int(total.argmax())])} is the sum of the"
                " others in every row, so hardly a category; name the columns that are categories"
                " (--label, label=), all of them if it is one"
            )
        if len(numbers) > 2 and numbers.any() and (2 * numbers[-1] == numbers.sum(axis=0)).all():
            note = f"{self.location(-1)}the row is the sum of those above it; counted as an item"
            table = replace(table, notes=(*table.notes, note))
        return table
