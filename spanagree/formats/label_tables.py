"""Tables of items and labels, as CSV or TSV: a row a label, a column an annotator, or counts."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path

from spanagree.corpus.label_table import LabelTable, label_table
from spanagree.errors import InputError, SettingError, counted, printable, show
from spanagree.files import PathName, read_text


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
    """Reads items and labels from a CSV or TSV file with a header, or from standard input (``-``).

    Blank cells are missing labels, and counted. All names and labels are text; ``1.0`` is ``1``.

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
        categories: all labels there could be; those that occur unless given. (For AC1.)
        duplicates: one of :data:`spanagree.label_table.DUPLICATES`.
        missing: a label that stands for a missing one, such as ``NA``.
        encoding: of the file.

    Raises:
        InputError: for a file that cannot be read so, or a label given twice, differently.
        SettingError: for an unknown choice, or one that such a table does not take.
    """
    refused: dict[str, object] = {"label": label} if wide else {}
    if counts:
        refused = {"annotator": annotator, "categories": categories, "missing": missing}
        refused |= {"wide": wide or None}
    for name, value in refused.items():
        if value is not None:
            kind = "of counts" if counts else "with a column for each annotator"
            raise SettingError(f"{name}: does not go with a table {kind}")
    table = _Table(path, encoding)
    if not wide and not counts:
        for name, given in (("annotator", annotator), ("label", label)):
            if given is not None and not isinstance(given, str):
                raise SettingError(f"{name} {show(given)}; the name of one column is needed")
        columns = [
            table.column(given, name)  # type: ignore[arg-type]  # one name, as checked above
            for name, given in (("item", item), ("annotator", annotator), ("label", label))
        ]
        cells = [[row[c] for _, row in table.rows] for c in columns]
        return label_table(
            *cells, categories=categories, duplicates=duplicates, missing=missing, where=table.where
        )
    own, columns = table.split(item, *((annotator, "annotator") if wide else (label, "label")))
    names = [table.header[c] for c in columns]
    items = [row[own] for _, row in table.rows] if own is not None else None
    if items is not None:
        table.check_items(items)
    if counts:
        rows_of_counts = table.counts(columns)
        try:
            return LabelTable.from_counts(rows_of_counts, names, items=items)
        except InputError as error:
            raise InputError(f"{table.name}: {error}") from None
    rows = items or range(1, len(table.rows) + 1)
    return label_table(
        [name for name in rows for _ in columns],
        names * len(rows),
        [row[c] for _, row in table.rows for c in columns],
        categories=categories,
        duplicates=duplicates,
        missing=missing,
        where=lambda k: table.where(k // len(columns)),
    )


class _Table:
    """A file's header and rows; a row knows its line."""

    def __init__(self, path: PathName, encoding: str) -> None:
        self.name = printable(os.fspath(path))
        text = read_text(path, encoding)
        first = text.split("\n", 1)[0]
        tab = Path(path).suffix.lower() in {".tsv", ".tab"} or "\t" in first
        sign = "\t" if tab else ";" if ";" in first and "," not in first else ","
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
        self.rows: list[tuple[int, list[str]]] = []
        self.header: list[str] = []
        try:
            for row in reader:
                if not any(cell.strip() for cell in row):
                    continue
                if not self.header:
                    self.header = [cell.strip() for cell in row]
                    continue
                if len(row) != len(self.header):
                    raise InputError(
                        f"{self.name}:{reader.line_num}: {counted(len(row), 'cell')} (between"
                        f" {show(sign)}); the header has {len(self.header)}, and each row needs as"
                        " many"
                    )
                self.rows.append((reader.line_num, row))
        except csv.Error as error:
            if "field limit" in str(error):
                raise InputError(
                    f"{self.name}:{reader.line_num}: a cell of more than {csv.field_size_limit()}"
                    " characters; is a quote left open?"
                ) from None
            raise InputError(
                f"{self.name}:{reader.line_num}: no CSV: {error}; a cell with a quote in it needs"
                " quotes around it, and quotes doubled"
            ) from None
        if not self.header:
            raise InputError(f"{self.name}: is empty; a header and rows are needed")
        if not self.rows:
            raise InputError(f"{self.name}: no rows below the header; a row for each is needed")

    def where(self, row: int) -> str:
        return f"{self.name}:{self.rows[row][0]}: "

    def column(self, name: str | None, what: str) -> int:
        """The number of a column: that of this name, or else the one that is called as it is."""
        if name is None:
            alike = [c for c, header in enumerate(self.header) if header.lower() == what]
            if len(alike) != 1:
                raise InputError(
                    f"{self.name}: which column is the {what}? name it (--{what}, {what}=); there"
                    f" are: {self._headers()}"
                )
            return alike[0]
        if (times := self.header.count(name)) != 1:
            raise InputError(
                f"{self.name}: {'no column' if not times else f'{times} columns are'} called"
                f" {show(name)}; there are: {self._headers()}"
            )
        return self.header.index(name)

    def split(
        self, item: str | None, names: str | Sequence[str] | None, what: str
    ) -> tuple[int | None, list[int]]:
        """The column of the items, if there is one, and those of annotators or categories."""
        own = None if item is None else self.column(item, "item")
        if names is not None:
            chosen = [self.column(n, what) for n in ([names] if isinstance(names, str) else names)]
            self._check_names(chosen, what)
            return own, chosen
        own = 0 if own is None else own
        rest = [c for c in range(len(self.header)) if c != own]
        self._check_names(rest, what)
        if not rest:
            raise InputError(
                f"{self.name}: one column; besides the item's one for each {what} is needed"
            )
        return own, rest

    def _check_names(self, columns: Sequence[int], what: str) -> None:
        """Refuses columns without a name, or with one that another has too."""
        seen: dict[str, int] = {}
        for c in columns:
            name = re.sub(r"\.0+$", "", self.header[c])  # 1.0 is 1, as in cells
            if not name:
                raise InputError(f"{self.name}: column {c + 1} has no name; each {what} needs one")
            if name in seen:
                raise InputError(
                    f"{self.name}: columns {seen[name] + 1} and {c + 1} are both called"
                    f" {show(name)}; each {what} needs a name of its own"
                )
            seen[name] = c

    def check_items(self, items: Sequence[str]) -> None:
        seen: set[str] = set()
        for row, name in enumerate(items):
            if not name.strip():
                raise InputError(f"{self.where(row)}the item is missing; every row needs one")
            if name in seen:
                raise InputError(
                    f"{self.where(row)}item {show(name)} stands twice; in this layout each has one"
                    " row (if no column names the items, name those of the annotators or labels)"
                )
            seen.add(name)

    def counts(self, columns: Sequence[int]) -> list[list[int]]:
        found = []
        for row, (_, cells) in enumerate(self.rows):
            for c in columns:
                if not re.fullmatch(r"\s*[0-9]{1,15}(\.0+)?\s*", cells[c], re.ASCII):
                    raise InputError(
                        f"{self.where(row)}count {show(cells[c])} of {show(self.header[c])}; a"
                        " whole number from 0 is needed"
                    )
            found.append([int(float(cells[c])) for c in columns])
        return found

    def _headers(self) -> str:
        return ", ".join(show(header) for header in self.header)
