"""The one description of a result: typed columns and rows, which all renderers share."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from spanagree.errors import printable
from spanagree.settings import signature

Value = str | int | float | tuple[float, float] | None

UNDEFINED = "–"

_SMALL = -280  # decimal logarithms of numbers that are near the smallest floats

KINDS = {
    "name": "string",
    "count": "int64",
    "figure": "float64",
    "mark": "bool_",
    "interval": "",
    "place": "",
}
"""The kinds of columns, and their types in Arrow; intervals and places are for people only."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        key: its name in rows, data frames, CSV and Arrow; empty if only people see it.
        title: its name in tables for people; empty if it is in data only.
        kind: one of :data:`KINDS`.
        meaning: the heading of its paragraph in ``report/explanations.md``; its title unless given.
    """

    key: str
    title: str = ""
    kind: str = "figure"
    meaning: str = ""


@dataclass(frozen=True)
class Table:
    """A table: for people the columns with a title, for programs those with a key.

    Attributes:
        columns: what stands in each column.
        rows: the values, one for each column; ``None`` and ``nan`` are undefined.
        settings: those that made the figures; without them there is no signature.
        caption: what stands above, one line.
        remarks: what stands below, a line each.
        breaks: before which rows a new block begins.
        for_people: the numbers of rows that data do not have.
        for_data: the numbers of rows that people do not see.
        meanings: of what else in the table has a paragraph, by name.
        in_terminal: what a terminal shows instead, where there are more rows than fit.
        in_data: what data have instead, where they are arranged in another way.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    caption: str = ""
    remarks: Sequence[str] = ()
    breaks: Collection[int] = ()
    for_people: Collection[int] = ()
    for_data: Collection[int] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    in_terminal: Table | None = None
    in_data: Table | None = None

    @property
    def signature(self) -> str:
        """The settings that made the figures, in one line."""
        return signature(self.settings) if self.settings else ""

    @property
    def shown(self) -> Shown:
        """The part for people."""
        places = [i for i, column in enumerate(self.columns) if column.title]
        rows: list[list[Value]] = []
        breaks: list[int] = []
        for number, row in enumerate(self.rows):
            if number in self.breaks and rows:
                breaks.append(len(rows))
            if number not in self.for_data:
                rows.append([row[i] for i in places])
        return Shown([self.columns[i] for i in places], rows, breaks)

    @property
    def for_reading(self) -> Table:
        """The table itself, or one whose titles are its keys if it is for programs only."""
        if any(column.title for column in self.columns) or self.caption:
            return self
        return replace(self, columns=[each._replace(title=each.key) for each in self.columns])

    def to_rows(self) -> list[dict[str, Any]]:
        """The part for programs: each row by key, with the signature; undefined is as it is."""
        if self.in_data is not None:
            return self.in_data.to_rows()
        places = [(i, column.key) for i, column in enumerate(self.columns) if column.key]
        end = {"signature": self.signature} if self.settings else {}
        return [
            {key: row[i] for i, key in places} | end
            for number, row in enumerate(self.rows)
            if number not in self.for_people
        ]

    @property
    def types(self) -> dict[str, str]:
        """The type in Arrow of each column for programs, by key."""
        columns = (self.in_data or self).columns
        types = {column.key: KINDS[column.kind] for column in columns if column.key}
        return types | {"signature": "string"}


class Shown(NamedTuple):
    """What people see of a table: columns, rows, and before which rows a block begins."""

    columns: list[Column]
    rows: list[list[Value]]
    breaks: list[int]

    @property
    def header(self) -> list[str]:
        """The titles."""
        return [column.title for column in self.columns]


def probability(value: float, log10: float | None = None) -> str:
    """Return a probability as people read it: two digits of what four decimals would hide.

    Args:
        value: the probability.
        log10: its decimal logarithm, for one that is too small for a float.

    >>> probability(0.0312), probability(8.04e-78), probability(1e-290, -512.3), probability(1.0)
    ('0.0312', '8.0e-78', '5.0e-513', '1.0000')
    """
    if math.isnan(value):
        return UNDEFINED
    if log10 is not None and log10 < _SMALL:
        whole = math.floor(log10)
        return f"{10 ** (log10 - whole):.1f}e{whole}"
    return f"{value:.4f}" if value >= 1e-4 else f"{value:.1e}"


def figure(value: Value) -> str:
    """Return a value as people read it: four decimals; what does not print is escaped.

    >>> [figure(v) for v in (0.41934, 12, None, "PER", (0.36283, 0.4297))]
    ['0.4193', '12', '–', 'PER', '0.3628–0.4297']
    """
    if isinstance(value, tuple):
        return UNDEFINED if math.isnan(value[0]) else "–".join(f"{end:.4f}" for end in value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNDEFINED
    if isinstance(value, str):
        return printable(value)
    return str(value) if isinstance(value, int) else f"{value:.4f}"
