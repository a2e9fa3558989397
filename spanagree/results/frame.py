"""The description of a result as typed columns and rows, which all renderers share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from spanagree.errors import escape_name
from spanagree.results.numbers import DIGITS, NOT_SHOWN, format_decimal
from spanagree.signature import format_signature

Value = Any
"""A cell: a text, a number, a pair of numbers, or ``None``; in a column for JSON a score."""

_FIRST = 20  # rows of a list in a terminal
_MAX_ACROSS = 7  # names that have a column each and fit a page
LEAST_P = 0.001
"""The smallest p that is printed; smaller values are printed as below it."""
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
    """Rows that are built on access, because a terminal shows only the first of many."""

    def __init__(self, count: int, build_rows: Callable[[], Sequence[Sequence[Value]]]) -> None:
        self._count, self._build_rows = count, build_rows

    @cached_property
    def _rows(self) -> Sequence[Sequence[Value]]:
        """Rows of the table, built on first access."""
        return self._build_rows()

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
    def shown(self) -> DisplayTable:
        """The columns and rows for text output."""
        indices = [i for i, column in enumerate(self.columns) if column.title]
        rows: list[list[Value]] = []
        breaks: list[int] = []
        for row_index, row in enumerate(self.rows):
            if row_index in self.breaks and rows:
                breaks.append(len(rows))
            if row_index not in self.for_data:
                rows.append([row[i] for i in indices])
        return DisplayTable([self.columns[i] for i in indices], rows, breaks)

    @property
    def pivoted(self) -> Frame:
        """The pivoted table; unchanged without a pivot, or unless 2 to 7 names are compared."""
        return self if self.pivot is None else _pivot_table(self, self.pivot)

    @property
    def readable_table(self) -> Frame:
        """The table itself; if it is for data only, with keys as titles."""
        if any(column.title for column in self.columns) or self.caption:
            return self
        return replace(self, columns=[column._replace(title=column.key) for column in self.columns])

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


def _pivot_table(table: Frame, pivot: Pivot) -> Frame:
    """Build a table with a row for each figure and row name, and a column for each other name."""
    columns, rows, _ = table.shown
    index_by_title = {column.title: i for i, column in enumerate(columns)}
    row, column = index_by_title[pivot.rows], index_by_title[pivot.columns]
    cells = {(str(values[row]), str(values[column])): values for values in rows}
    row_names = list(dict.fromkeys(name for name, _ in cells))
    column_names = list(dict.fromkeys(name for _, name in cells))
    if not 2 <= len(column_names) <= _MAX_ACROSS:
        return table

    def list_values(title: str, row_name: str) -> list[Value]:
        """Return the values of one column for a row name, one for each new column."""
        rows_of_name = (cells.get((row_name, name)) for name in column_names)
        return [
            None if values is None else values[index_by_title[title]] for values in rows_of_name
        ]

    shared_titles = [
        title
        for title in pivot.shared
        if all(len(set(list_values(title, name))) == 1 for name in row_names)
    ]
    dropped_titles = {column.title for column in columns} - {*pivot.figures}
    meanings = {name: columns[index_by_title[name]].meaning or name for name in pivot.figures}
    return replace(
        table,
        columns=[
            Column("", " ", "name"),
            columns[row],
            *(Column("", escape_name(name)) for name in column_names),
            *(columns[index_by_title[title]] for title in shared_titles),
        ],
        rows=[
            [
                figure,
                name,
                *list_values(figure, name),
                *(list_values(shared_title, name)[0] for shared_title in shared_titles),
            ]
            for figure in pivot.figures
            for name in row_names
        ],
        breaks=[len(row_names) * i for i in range(1, len(pivot.figures))],
        remarks=[
            remark
            for remark in table.remarks
            if not any(f": {dropped_title} undefined" in remark for dropped_title in dropped_titles)
        ],
        meanings={**table.meanings, **meanings},
        pivot=None,
        across=len(column_names),
    )


class DisplayTable(NamedTuple):
    """Text output of a table: columns, rows, and the indices of the rows that begin a block."""

    columns: list[Column]
    rows: list[list[Value]]
    breaks: list[int]

    @property
    def header(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def blocks(self) -> Iterator[range]:
        """The indices of the rows of each block."""
        return (range(*ends) for ends in pairwise([0, *self.breaks, len(self.rows)]))

    def format_cells(
        self, digits: int = DIGITS, percent: bool | None = False, interval_format: str = "{}–{}"
    ) -> list[list[str]]:
        """Format every cell.

        Args:
            digits: number of decimals of figures.
            percent: True for figures in per cent.
            interval_format: format of an interval.
        """
        return [
            [
                format_cell(value, column.kind, digits, percent, interval_format)
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]

    def find_best_cells(self, table: Frame, texts: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
        """Find the cells (row and column) with the best of several figures, as printed."""
        figures = range(2, 2 + table.across)
        groups = (
            [
                [(row_index, column_index) for column_index in figures]
                for row_index in range(len(self.rows))
            ]
            if table.across
            else []
        )
        for column_index, column in enumerate(self.columns):
            if column.title in table.best:
                groups += [
                    [(row_index, column_index) for row_index in block] for block in self.blocks
                ]
        cells: set[tuple[int, int]] = set()
        for group in groups:
            with_figure = [
                (row_index, column_index)
                for row_index, column_index in group
                if texts[row_index][column_index] not in (NOT_SHOWN, "")
            ]
            if len(with_figure) > 1:
                max_figure = max(
                    float(texts[row_index][column_index]) for row_index, column_index in with_figure
                )
                cells |= {
                    (row_index, column_index)
                    for row_index, column_index in with_figure
                    if float(texts[row_index][column_index]) == max_figure
                }
        return cells


def format_p(value: float) -> str:
    """Format a p value for a table: three decimals, or that it is below .001.

    >>> format_p(0.0312), format_p(8.04e-78), format_p(0.0), format_p(1.0)
    ('0.031', '< .001', '< .001', '1.000')
    """
    if math.isnan(value):
        return NOT_SHOWN
    return "< .001" if value < LEAST_P else format_decimal(value)


def format_figure(value: Value) -> str:
    """Format a value: three decimals; unprintable characters are escaped.

    >>> [format_figure(v) for v in (0.41934, 12, None, "PER", (0.36283, 0.4297))]
    ['0.419', '12', '–', 'PER', '0.363–0.430']
    """
    return format_cell(value)


def format_cell(
    value: Value,
    kind: str = "figure",
    digits: int = DIGITS,
    percent: bool | None = False,
    interval_format: str = "{}–{}",
) -> str:
    """Format a value according to the kind of its column.

    >>> format_cell(0.41934, digits=2), format_cell(0.41934, digits=1, percent=True)
    ('0.42', '41.9')
    >>> format_cell(31.28, "number"), format_cell(31.28, "z")
    ('31.280', '31.28')
    >>> format_cell(0.00002, "probability"), format_cell((1.0, 1.0), "interval")
    ('< .001', '–')
    >>> format_cell((-0.021, 0.25), "interval", 1, True, "[{}, {}]")
    '[-2.1, 25.0]'
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOT_SHOWN
    if isinstance(value, str):
        return escape_name(value)
    if isinstance(value, int):
        return str(value)
    if kind == "probability" and isinstance(value, float):
        return format_p(value)
    if kind == "z" and isinstance(value, float):
        return format_decimal(value, 2)
    factor = 100 if percent and kind != "number" else 1
    if isinstance(value, float):
        return format_decimal(factor * value, digits)
    if math.isnan(value[0]) or value[0] == value[1]:  # undefined, or of width 0
        return NOT_SHOWN
    return interval_format.format(*(format_decimal(factor * end, digits) for end in value))


def build_shortened_table(rows_of: Callable[[int], Frame], size: int) -> Frame:
    """Build a table of ``size`` rows, of which a terminal shows the first twenty.

    ``rows_of`` builds a table of the first rows; the other rows are built on access.
    """
    if size <= _FIRST:
        return rows_of(size)
    first_rows = rows_of(_FIRST)
    rows = LazyRows(size, lambda: rows_of(size).rows)
    return replace(first_rows, rows=rows, in_terminal=add_remark_on_more(first_rows, size - _FIRST))


def add_remark_on_more(table: Frame, n_more: int) -> Frame:
    """Add a remark on the number of further rows, and on how to see them."""
    return replace(table, remarks=[f"{n_more} more: --all", *table.remarks])
