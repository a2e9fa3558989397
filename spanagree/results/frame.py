"""The one description of a result: typed columns and rows, which all renderers share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from spanagree.errors import escape_name
from spanagree.results.numbers import DIGITS, NOT_SHOWN, decimal
from spanagree.signature import signature

Value = Any
"""A cell: a text, a number, a pair of them, nothing; in a column for JSON a score."""

_FIRST = 20  # rows that a terminal shows of a list
LEAST_P = 0.001
"""The least p that people read; of a lower one they read that it is below this."""
# how the keys of columns end that a score or a difference stands for in JSON
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
"""The kinds of columns, and their types in Arrow; those without one are for people only.

A figure may be shown in per cent, a number may not. z has two decimals, and p is "< .001" below
that, as more digits would say nothing. A column of the kind json is in JSON alone, in place of
those whose keys begin with its key: a score, with its reason and interval, in place of its figures.
"""


class TableStyle(NamedTuple):
    """How people see tables.

    Attributes:
        digits: the decimals of figures; what is usual in a format unless given.
        percent: whether figures are in per cent; what is usual in a format unless given.
        all_columns: whether a table has all that is in it, however wide.
        style: what else is asked for, of those that a format has.
    """

    digits: int | None = None
    percent: bool | None = None
    all_columns: bool = False
    style: Collection[str] = ()

    def decimals(self, usual: int) -> int:
        """Return the decimals of figures, where ``usual`` are those of a share."""
        return self.digits if self.digits is not None else max(usual - bool(self.percent) * 2, 1)


PLAIN = TableStyle()


class Pivot(NamedTuple):
    """How a table can be turned, so that what one column names stands side by side.

    Attributes:
        rows: the title of the column whose names have a row each.
        columns: the title of the column whose names have a column each.
        figures: the titles of the figures, which have a block each.
        shared: the titles of what stands once behind, where it is the same in all columns.
    """

    rows: str
    columns: str
    figures: Sequence[str]
    shared: Sequence[str] = ()


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        key: its name in rows, data frames, CSV and Arrow; empty if only people see it.
        title: its name in tables for people; empty if it is in data only.
        kind: one of :data:`KINDS`.
        meaning: the heading of its paragraph in ``report/explanations.md``; its title unless given.
        spare: whether it may be left out where a table is wider than a page.
    """

    key: str
    title: str = ""
    kind: str = "figure"
    meaning: str = ""
    spare: bool = False

    @property
    def in_data(self) -> bool:
        """Whether flat rows have it."""
        return bool(self.key) and self.kind != "json"


class LazyRows(Sequence[Sequence[Value]]):
    """Rows that are made when one is looked at, as a terminal shows only the first of many."""

    def __init__(self, count: int, make: Callable[[], Sequence[Sequence[Value]]]) -> None:
        self._count, self._make = count, make

    @cached_property
    def _rows(self) -> Sequence[Sequence[Value]]:
        return self._make()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Sequence[Value]]:
        return iter(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]


@dataclass(frozen=True)
class Frame:
    """What a result says: for people the columns with a title, for programs those with a key.

    Attributes:
        columns: what stands in each column.
        rows: the values, one for each column; ``None`` and ``nan`` are undefined.
        settings: those that made the figures; without them there is no signature.
        caption: what stands above, one line.
        verdict: what the result says, in a sentence or two, before all else.
        remarks: what stands below, a line each.
        breaks: before which rows a new block begins.
        for_people: the numbers of rows that data do not have.
        for_data: the numbers of rows that people do not see.
        meanings: of what else in the table has a paragraph, by name.
        in_terminal: what a terminal shows instead, where there are more rows than fit.
        in_data: what data have instead, where they are arranged in another way.
        pivot: how people see it, where it has rows to be turned.
        best: the titles of the columns of which the greatest figure of a block is the best.
        across: if it is turned, how many titles behind those of the first two columns are names;
            blocks are named in the first, and the greatest figure of a row is the best.
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

    def saying(self, verdict: str, remarks: Sequence[str] = ()) -> Frame:
        """Return the table with a verdict above it, and more remarks, also in a terminal."""
        short = None if self.in_terminal is None else self.in_terminal.saying(verdict, remarks)
        below = [*self.remarks, *remarks]
        return replace(self, verdict=verdict, remarks=below, in_terminal=short)

    @property
    def signature(self) -> str:
        """The settings that made the figures, in one line."""
        return signature(self.settings) if self.settings else ""

    @property
    def shown(self) -> DisplayTable:
        """The part for people."""
        places = [i for i, column in enumerate(self.columns) if column.title]
        rows: list[list[Value]] = []
        breaks: list[int] = []
        for number, row in enumerate(self.rows):
            if number in self.breaks and rows:
                breaks.append(len(rows))
            if number not in self.for_data:
                rows.append([row[i] for i in places])
        return DisplayTable([self.columns[i] for i in places], rows, breaks)

    @property
    def turned(self) -> Frame:
        """The table as its pivot has it; the same if it has none, or no two names to compare."""
        return self if self.pivot is None else _turned(self, self.pivot)

    @property
    def for_reading(self) -> Frame:
        """The table itself, or one whose titles are its keys if it is for programs only."""
        if any(column.title for column in self.columns) or self.caption:
            return self
        return replace(self, columns=[column._replace(title=column.key) for column in self.columns])

    @property
    def data_rows(self) -> list[Sequence[Value]]:
        """The rows for programs: a figure in whose place people see nothing is undefined."""
        names = {i for i, column in enumerate(self.columns) if column.kind == "name"}
        rows = []
        for number, row in enumerate(self.rows):
            if number in self.for_people:
                continue
            if "" in row:
                row = [
                    None if cell == "" and i not in names else cell for i, cell in enumerate(row)
                ]
            rows.append(row)
        return rows

    def to_rows(self) -> list[dict[str, Any]]:
        """The part for programs: each row by key, with the signature; undefined is as it is."""
        if self.in_data is not None:
            return self.in_data.to_rows()
        places = [(i, column.key) for i, column in enumerate(self.columns) if column.in_data]
        end = {"signature": self.signature} if self.settings else {}
        return [{key: row[i] for i, key in places} | end for row in self.data_rows]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The part for programs as JSON has it: scores are objects; no signature in each row."""
        if self.in_data is not None:
            return self.in_data.records
        keys = [column.key for column in self.columns]
        objects = [column.key for column in self.columns if column.kind == "json"]
        inside = {f"{name}_{key}" for name in objects for key in _IN_OBJECTS}
        # one that stands for no other column is left out of rows in which there is nothing to say
        spare = {name for name in objects if not any(key.startswith(f"{name}_") for key in keys)}
        places = [(i, key) for i, key in enumerate(keys) if key and key not in inside]
        records = []
        for row in self.data_rows:
            record: dict[str, Any] = {}
            for i, key in places:
                value = row[i].to_dict() if hasattr(row[i], "to_dict") else row[i]
                if key not in spare or value not in (None, ""):
                    record[key] = value
            records.append(record)
        return records

    @property
    def types(self) -> dict[str, str]:
        """The type in Arrow of each column for programs, by key."""
        columns = (self.in_data or self).columns
        types = {column.key: KINDS[column.kind] for column in columns if column.in_data}
        return types | {"signature": "string"}


def _turned(table: Frame, pivot: Pivot) -> Frame:
    """Return a table with a row for each figure and name of a row, and a column for each other."""
    columns, rows, _ = table.shown
    place = {column.title: i for i, column in enumerate(columns)}
    row, column = place[pivot.rows], place[pivot.columns]
    cells = {(str(values[row]), str(values[column])): values for values in rows}
    row_names = list(dict.fromkeys(name for name, _ in cells))
    column_names = list(dict.fromkeys(name for _, name in cells))
    if len(column_names) < 2:
        return table

    def values_of(title: str, row_name: str) -> list[Value]:
        """Return the values of an old column for the name of a row, one for each new column."""
        old = (cells.get((row_name, name)) for name in column_names)
        return [None if values is None else values[place[title]] for values in old]

    shared = [
        title
        for title in pivot.shared
        if all(len(set(values_of(title, name))) == 1 for name in row_names)
    ]
    dropped = {column.title for column in columns} - {*pivot.figures}
    meanings = {name: columns[place[name]].meaning or name for name in pivot.figures}
    return replace(
        table,
        columns=[
            Column("", " ", "name"),
            columns[row],
            *(Column("", escape_name(name)) for name in column_names),
            *(columns[place[title]] for title in shared),
        ],
        rows=[
            [figure, name, *values_of(figure, name), *(values_of(x, name)[0] for x in shared)]
            for figure in pivot.figures
            for name in row_names
        ],
        breaks=[len(row_names) * i for i in range(1, len(pivot.figures))],
        remarks=[r for r in table.remarks if not any(f": {t} undefined" in r for t in dropped)],
        meanings={**table.meanings, **meanings},
        pivot=None,
        across=len(column_names),
    )


class DisplayTable(NamedTuple):
    """What people see of a table: columns, rows, and before which rows a block begins."""

    columns: list[Column]
    rows: list[list[Value]]
    breaks: list[int]

    @property
    def header(self) -> list[str]:
        """The titles."""
        return [column.title for column in self.columns]

    @property
    def blocks(self) -> Iterator[range]:
        """The numbers of the rows of each block."""
        return (range(*ends) for ends in pairwise([0, *self.breaks, len(self.rows)]))

    def texts(
        self, digits: int = DIGITS, percent: bool | None = False, ends: str = "{}–{}"
    ) -> list[list[str]]:
        """Return every cell as people read it.

        Args:
            digits: decimals of figures.
            percent: if True, figures are in per cent.
            ends: form of an interval.
        """
        return [
            [
                shown(value, column.kind, digits, percent, ends)
                for column, value in zip(self.columns, row, strict=True)
            ]
            for row in self.rows
        ]

    def best(self, table: Frame, texts: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
        """Return the cells (row and column) with the best figure of several, as it is printed."""
        figures = range(2, 2 + table.across)
        groups = [[(r, c) for c in figures] for r in range(len(self.rows))] if table.across else []
        for c, column in enumerate(self.columns):
            if column.title in table.best:
                groups += [[(r, c) for r in block] for block in self.blocks]
        cells: set[tuple[int, int]] = set()
        for group in groups:
            there = [(r, c) for r, c in group if texts[r][c] not in (NOT_SHOWN, "")]
            if len(there) > 1:
                most = max(float(texts[r][c]) for r, c in there)
                cells |= {(r, c) for r, c in there if float(texts[r][c]) == most}
        return cells


def probability(value: float) -> str:
    """Return a p value as people read it in a table: three decimals, or that it is below .001.

    >>> probability(0.0312), probability(8.04e-78), probability(0.0), probability(1.0)
    ('0.031', '< .001', '< .001', '1.000')
    """
    if math.isnan(value):
        return NOT_SHOWN
    return "< .001" if value < LEAST_P else decimal(value)


def figure(value: Value) -> str:
    """Return a value as people read it: three decimals; what does not print is escaped.

    >>> [figure(v) for v in (0.41934, 12, None, "PER", (0.36283, 0.4297))]
    ['0.419', '12', '–', 'PER', '0.363–0.430']
    """
    return shown(value)


def shown(
    value: Value,
    kind: str = "figure",
    digits: int = DIGITS,
    percent: bool | None = False,
    ends: str = "{}–{}",
) -> str:
    """Return a value of a kind of column as people read it.

    >>> shown(0.41934, digits=2), shown(0.41934, digits=1, percent=True), shown(31.28, "number")
    ('0.42', '41.9', '31.280')
    >>> shown(0.00002, "probability"), shown(31.28, "z"), shown((1.0, 1.0), "interval")
    ('< .001', '31.28', '–')
    >>> shown((-0.021, 0.25), "interval", 1, True, "[{}, {}]")
    '[-2.1, 25.0]'
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOT_SHOWN
    if isinstance(value, str):
        return escape_name(value)
    if isinstance(value, int):
        return str(value)
    if kind == "probability" and isinstance(value, float):
        return probability(value)
    if kind == "z" and isinstance(value, float):
        return decimal(value, 2)
    times = 100 if percent and kind != "number" else 1
    if isinstance(value, float):
        return decimal(times * value, digits)
    if math.isnan(value[0]) or value[0] == value[1]:  # undefined, or of no width
        return NOT_SHOWN
    return ends.format(*(decimal(times * end, digits) for end in value))


def first_shown(rows_of: Callable[[int], Frame], size: int) -> Frame:
    """Return a table of ``size`` rows, of which a terminal shows the first twenty.

    ``rows_of`` makes one of the first rows; the others are made when somebody looks at them.
    """
    if size <= _FIRST:
        return rows_of(size)
    first = rows_of(_FIRST)
    rows = LazyRows(size, lambda: rows_of(size).rows)
    return replace(first, rows=rows, in_terminal=with_more(first, size - _FIRST))


def with_more(table: Frame, more: int) -> Frame:
    """Return a table of some rows that says how many more there are, and how to see them."""
    return replace(table, remarks=[f"{more} more: --all", *table.remarks])
