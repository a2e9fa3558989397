"""Tables of items and labels, as CSV or TSV: a row a label, a column an annotator, or counts."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spanagree.corpus.label_table import LabelTable, label_table
from spanagree.errors import InputError, SettingError, counted, printable, show
from spanagree.files import PathName, read_text
from spanagree.settings import as_read


def read_labels(
    path: PathName,
    *,
    wide: bool = False,
    counts: bool = False,
    item: str | None = None,
    annotator: str | Sequence[str] | None = None,
    label: str | Sequence[str] | None = None,
    categories: Sequence[str] | None = None,
    duplicates: str = "error",
    missing: str | None = None,
    encoding: str = "utf-8",
) -> LabelTable:
    """Return the items and labels in a CSV or TSV file with a header, or in standard input (``-``).

    Blank cells are missing labels, and counted. Names and labels are text; ``1.0`` is ``1``.

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
        duplicates: one of :data:`spanagree.corpus.label_table.DUPLICATES`.
        missing: a label that stands for a missing one, such as ``NA``.
        encoding: of the file.

    Raises:
        InputError: for a file that cannot be read so, or a label given twice, differently.
        SettingError: for an unknown choice, or one that such a table does not take.
    """
    if counts:
        refused = {"annotator": annotator, "categories": categories, "missing": missing}
        _refuse_options({**refused, "wide": wide or None}, "of counts")
    elif wide:
        _refuse_options({"label": label}, "with a column for each annotator")
    table = _Table(path, encoding)
    read = as_read(encoding, item=item, annotator=annotator, label=label, wide=wide, counts=counts)
    asked: dict[str, Any] = {"categories": categories, "duplicates": duplicates, "missing": missing}
    if not wide and not counts:
        asked_columns = {"item": item, "annotator": annotator, "label": label}
        columns = [table.column(name, what) for what, name in asked_columns.items()]
        cells = ([row[c] for _, row in table.rows] for c in columns)
        return label_table(*cells, where=table.where, chosen=read, **asked)
    own, columns = table.split(item, *((annotator, "annotator") if wide else (label, "label")))
    header = [table.header[c] for c in columns]
    items = None if own is None else table.items(own)
    if counts:
        made = table.of_counts(columns, header, items)
        return replace(made, reading={**made.reading, **read})
    rows = items or range(1, len(table.rows) + 1)
    names = [name for name in rows for _ in columns]
    labels = [row[c] for _, row in table.rows for c in columns]
    asked |= {"where": lambda k: table.where(k // len(columns)), "chosen": read}
    return label_table(names, header * len(rows), labels, **asked)


def _refuse_options(given: Mapping[str, object], kind: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise SettingError(f"{name}: does not go with a table {kind}")


class _Table:
    """A file's header and rows; a row knows its line."""

    def __init__(self, path: PathName, encoding: str) -> None:
        self.name = printable(os.fspath(path))
        text = read_text(path, encoding)
        first = text.split("\n", 1)[0]
        tab = Path(path).suffix.lower() in {".tsv", ".tab"} or "\t" in first
        sign = "\t" if tab else ";" if ";" in first and "," not in first else ","
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
        try:
            rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
        except csv.Error as error:
            raise InputError(
                f"{self.name}:{reader.line_num}: not valid CSV: {error}; a cell with a quote in it"
                " needs quotes around it, and quotes doubled; is one left open?"
            ) from None
        if not rows:
            raise InputError(f"{self.name}: is empty; a header and rows are needed")
        self.header = [cell.strip() for cell in rows[0][1]]
        self.rows = rows[1:]
        if not self.rows:
            raise InputError(f"{self.name}: no rows below the header; a row for each is needed")
        for line, row in self.rows:
            if len(row) != len(self.header):
                raise InputError(
                    f"{self.name}:{line}: {counted(len(row), 'cell')} (between {show(sign)}); the"
                    f" header has {len(self.header)}, and each row needs as many"
                )

    def where(self, row: int) -> str:
        return f"{self.name}:{self.rows[row][0]}: "

    def column(self, name: object, what: str) -> int:
        """Return the number of a column: that of this name, or else the one called as it is."""
        headers = ", ".join(map(show, self.header))
        if name is None:
            alike = [c for c, header in enumerate(self.header) if header.lower() == what]
            if len(alike) != 1:
                raise InputError(
                    f"{self.name}: which column is the {what}? name it (--{what}, {what}=); there"
                    f" are: {headers}"
                )
            return alike[0]
        if not isinstance(name, str):
            raise SettingError(f"{what} {show(name)}; the name of one column is needed")
        if (times := self.header.count(name)) != 1:
            problem = f"{times} columns are" if times else "no column"
            raise InputError(f"{self.name}: {problem} called {show(name)}; there are: {headers}")
        return self.header.index(name)

    def split(
        self, item: str | None, names: str | Sequence[str] | None, what: str
    ) -> tuple[int | None, list[int]]:
        """Return the items' column, if there is one, and those of annotators or categories."""
        own = None if item is None else self.column(item, "item")
        if names is not None:
            columns = [self.column(n, what) for n in ([names] if isinstance(names, str) else names)]
        else:
            own = own or 0
            columns = [c for c in range(len(self.header)) if c != own]
            if not columns:
                raise InputError(
                    f"{self.name}: one column; besides the item's one for each {what} is needed"
                )
        names = [re.sub(r"\.0+$", "", self.header[c]) for c in columns]  # 1.0 is 1, as in cells
        for i, (c, name) in enumerate(zip(columns, names, strict=True)):
            if not name:
                raise InputError(f"{self.name}: column {c + 1} has no name; each {what} needs one")
            if name in names[:i]:
                raise InputError(
                    f"{self.name}: columns {columns[names.index(name)] + 1} and {c + 1} are both"
                    f" called {show(name)}; each {what} needs a name of its own"
                )
        return own, columns

    def items(self, column: int) -> list[str]:
        """Return the names of the items; each has one row."""
        seen: dict[str, None] = {}
        for row, (_, cells) in enumerate(self.rows):
            name = cells[column]
            if not name.strip():
                raise InputError(f"{self.where(row)}the item is missing; every row needs one")
            if name in seen:
                raise InputError(
                    f"{self.where(row)}item {show(name)} stands twice; in this layout each has one"
                    " row (if no column names the items, name those of the annotators or labels)"
                )
            seen[name] = None
        return list(seen)

    def of_counts(
        self, columns: Sequence[int], header: Sequence[str], items: Sequence[str] | None
    ) -> LabelTable:
        """Return the table of the whole numbers in some columns."""
        for row, (_, cells) in enumerate(self.rows):
            for c in columns:
                if not re.fullmatch(r"\s*[0-9]{1,15}(\.0+)?\s*", cells[c], re.ASCII):
                    raise InputError(
                        f"{self.where(row)}count {show(cells[c])} of {show(self.header[c])}; a"
                        " whole number from 0 is needed"
                    )
        counts = [[int(float(cells[c])) for c in columns] for _, cells in self.rows]
        try:
            return LabelTable.from_counts(counts, header, items=items)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None
