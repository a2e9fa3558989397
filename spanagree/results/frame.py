"""The description of a result as typed columns and rows, which all renderers share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from spanagree.results.cells import Value
from spanagree.signature import format_signature

_FIRST = 20  # rows of a list in a terminal
# ends of the keys of columns that a score or a difference replaces in JSON
_IN_OBJECTS = (
    *(
        f"{figure}{end}"
        for figure in ("observed", "expected", "corrected", "value")
        for end in ("", "_low", "_high")
    ),
    *("low", "high", "p", "p_holm", "p_adjusted", "error"),
)

KINDS = {
    "name": "string",
    "count": "int64",
    "figure": "float64",
    "number": "float64",
    "z": "float64",
    "probability": "float64",
    "mark": "bool_",
    "interval": "",
    "place": "",
    "json": "",
}
"""The kinds of columns, and their types in Arrow; kinds without a type are for text output only.

A figure may be shown in per cent, a number may not. z has two decimals, and p is "< .001" below
that, because more digits have no meaning. A column of the kind json is in JSON only: a score with
its reason and interval replaces its figures, the columns whose keys begin with the same key.
"""


class TableStyle(NamedTuple):
    """Style of tables in text output.

    Attributes:
        digits: number of decimals of figures. Default: depends on the format.
        percent: True for figures in per cent. Default: depends on the format.
        all_columns: True for all columns, however wide.
        style: names of further styles of the format.
    """

    digits: int | None = None
    percent: bool | None = None
    all_columns: bool = False
    style: Collection[str] = ()

    def count_decimals(self, default: int) -> int:
        """Compute the number of decimals; ``default`` is the number for a share."""
        return self.digits if self.digits is not None else max(default - bool(self.percent) * 2, 1)


PLAIN = TableStyle()


class Pivot(NamedTuple):
    """Titles for a pivot of a table, with a column for each name in one of its columns.

    Attributes:
        rows: title of the column of names that have a row each.
        columns: title of the column of names that have a column each.
        figures: titles of the figures, which have a block each.
        shared: titles of columns that are kept once at the end, if they are equal for all names.
    """

    rows: str
    columns: str
    figures: Sequence[str]
    shared: Sequence[str] = ()


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        key: name in rows, data frames, CSV and Arrow; empty for text output only.
        title: title in text output; empty for data only.
        kind: one of :data:`KINDS`.
        meaning: heading of its paragraph in ``report/explanations.md``. Default: the title.
        spare: True if it may be left out of a table that is wider than a page.
    """

    key: str
    title: str = ""
    kind: str = "figure"
    meaning: str = ""
    spare: bool = False

    @property
    def in_data(self) -> bool:
        """Whether the column is in flat rows."""
        return bool(self.key) and self.kind != "json"


class LazyRows(Sequence[Sequence[Value]]):
    """Rows that are built on access, because a terminal shows only the first of many.

    ``rows_of`` builds a table of the first rows, whose number is passed.
    """

    def __init__(self, count: int, rows_of: Callable[[int], Frame]) -> None:
        self._count, self._rows_of = count, rows_of

    @cached_property
    def _rows(self) -> Sequence[Sequence[Value]]:
        """Rows of the table, built on first access."""
        return self._rows_of(self._count).rows

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Sequence[Value]]:
        return iter(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]


@dataclass(frozen=True)
class Frame:
    """Description of a result: columns with a title for text output, with a key for data.

    Attributes:
        columns: columns of the table.
        rows: rows with a value for each column; ``None`` and ``nan`` are undefined.
        settings: settings that determine the figures; without them there is no signature.
        caption: line before the table.
        verdict: sentence or two on the result, before everything else.
        remarks: lines after the table.
        breaks: indices of the rows that begin a block.
        for_people: indices of rows in text output only.
        for_data: indices of rows in data only.
        meanings: headings of paragraphs on further entries of the table, by name.
        in_terminal: replacement for a terminal, if there are more rows than fit.
        in_data: replacement for data, if they are arranged in another way.
        pivot: titles for a pivot in text output, if there is one.
        best: titles of the columns whose greatest figure in each block is the best.
        across: number of names among the titles after the first two, if the table is pivoted; the
            first column then names blocks, and the greatest figure of a row is the best.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    caption: str = ""
    verdict: str = ""
    remarks: Sequence[str] = ()
    breaks: Collection[int] = ()
    for_people: Collection[int] = ()
    for_data: Collection[int] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    in_terminal: Frame | None = None
    in_data: Frame | None = None
    pivot: Pivot | None = None
    best: Collection[str] = ()
    across: int = 0

    def add_verdict(self, verdict: str, remarks: Sequence[str] = ()) -> Frame:
        """Add a verdict before the table, and further remarks, also in a terminal."""
        terminal_table = (
            None if self.in_terminal is None else self.in_terminal.add_verdict(verdict, remarks)
        )
        all_remarks = [*self.remarks, *remarks]
        return replace(self, verdict=verdict, remarks=all_remarks, in_terminal=terminal_table)

    @property
    def signature(self) -> str:
        """The settings that determine the figures, in one line."""
        return format_signature(self.settings) if self.settings else ""

    @property
    def readable_table(self) -> Frame:
        """The table itself; if it is for data only, with keys as titles, but of objects."""
        if any(column.title for column in self.columns) or self.caption:
            return self
        columns = [
            column if column.kind == "json" else column._replace(title=column.key)
            for column in self.columns
        ]
        return replace(self, columns=columns)

    @property
    def data_rows(self) -> list[Sequence[Value]]:
        """The rows for data; figures left empty in text output are undefined."""
        name_columns = {i for i, column in enumerate(self.columns) if column.kind == "name"}
        rows = []
        for row_index, row in enumerate(self.rows):
            if row_index in self.for_people:
                continue
            if "" in row:
                row = [
                    None if cell == "" and i not in name_columns else cell
                    for i, cell in enumerate(row)
                ]
            rows.append(row)
        return rows

    def to_rows(self) -> list[dict[str, Any]]:
        """Return each row for data by key, with the signature; undefined values stay."""
        if self.in_data is not None:
            return self.in_data.to_rows()
        keys_by_index = [(i, column.key) for i, column in enumerate(self.columns) if column.in_data]
        signature_cell = {"signature": self.signature} if self.settings else {}
        return [
            {key: row[i] for i, key in keys_by_index} | signature_cell for row in self.data_rows
        ]

    @property
    def records(self) -> list[dict[str, Any]]:
        """Return rows as mappings for JSON; scores are nested mappings, signatures are left out."""
        if self.in_data is not None:
            return self.in_data.records
        keys = [column.key for column in self.columns]
        objects = [column.key for column in self.columns if column.kind == "json"]
        keys_in_objects = {f"{name}_{key}" for name in objects for key in _IN_OBJECTS}
        # objects that replace no other column are left out of rows without a value
        omitted_if_empty = {
            name for name in objects if not any(key.startswith(f"{name}_") for key in keys)
        }
        keys_by_index = [
            (i, key) for i, key in enumerate(keys) if key and key not in keys_in_objects
        ]
        records = []
        for row in self.data_rows:
            record: dict[str, Any] = {}
            for i, key in keys_by_index:
                value = row[i].to_dict() if hasattr(row[i], "to_dict") else row[i]
                if key not in omitted_if_empty or value not in (None, ""):
                    record[key] = value
            records.append(record)
        return records

    @property
    def types(self) -> dict[str, str]:
        """The type in Arrow of each column for programs, by key."""
        columns = (self.in_data or self).columns
        types = {column.key: KINDS[column.kind] for column in columns if column.in_data}
        return types | {"signature": "string"}


def build_shortened_table(rows_of: Callable[[int], Frame], size: int) -> Frame:
    """Build a table of ``size`` rows, of which a terminal shows the first twenty.

    ``rows_of`` builds a table of the first rows; the other rows are built on access.
    """
    if size <= _FIRST:
        return rows_of(size)
    first_rows = rows_of(_FIRST)
    short_table = add_remark_on_more(first_rows, size - _FIRST)
    return replace(first_rows, rows=LazyRows(size, rows_of), in_terminal=short_table)


def add_remark_on_more(table: Frame, n_more: int) -> Frame:
    """Add a remark on the number of further rows, and on how to see them."""
    return replace(table, remarks=[f"{n_more} more: --all", *table.remarks])


def hide_columns_without_rows(table: Frame) -> Frame:
    """Hide all columns of a table without rows in text output, which then has the caption only.

    >>> hide_columns_without_rows(Frame([Column("document", "document", "name")], [])).columns
    [Column(key='document', title='', kind='name', meaning='', spare=False)]
    """
    if table.rows:
        return table
    return replace(table, columns=[column._replace(title="") for column in table.columns])
