"""Results as JSON, CSV and Arrow for programs, and as text tables by format name."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from spanagree.extras import import_optional
from spanagree.results.frame import Frame, TableStyle

if TYPE_CHECKING:
    import pandas as pd

TABLES = ("text", "markdown", "latex")
"""Names of the formats of text tables; each is a module of this room."""

STYLES: Mapping[str, Mapping[str, str]] = {
    "markdown": {"bold": "the best figures in bold"},
    "latex": {
        "acl": "a table as in ACL's papers, which needs booktabs",
        "plain": "a tabular without a package",
    },
}
"""Names of table styles, by format, with their explanations."""

FORMATS = ("text", "json", "csv", "markdown", "latex")
"""Names of all formats."""


def render(table: Frame, format_name: str, style: TableStyle) -> str:
    """Render a table in a text format; only the module of that format is loaded."""
    rendered: str = import_module(f"spanagree.results.{format_name}").render(table, style)
    return rendered


def to_plain_data(data: Any) -> Any:
    """Convert data to plain data for JSON: undefined (``nan``) to ``None``, tuples to lists.

    An object with a ``to_dict`` method is replaced by its result.

    >>> to_plain_data({"f1": math.nan, "ends": (0.5, 1)})
    {'f1': None, 'ends': [0.5, 1]}
    """
    if isinstance(data, float):
        return None if math.isnan(data) else data
    if hasattr(data, "to_dict"):
        return to_plain_data(data.to_dict())
    if isinstance(data, Mapping):
        return {key: to_plain_data(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [to_plain_data(value) for value in data]
    return data


def to_json(data: Mapping[str, Any]) -> str:
    """Return stable JSON: keys in their order, all digits, ASCII; undefined is ``null``."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def to_jsonl(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a line of JSON for each row."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def to_csv(table: Frame, *, safe_cells: bool = False, bom: bool = False) -> str:
    """Convert a table to CSV with a header, all digits of numbers, and empty undefined cells.

    Args:
        table: table of a result.
        safe_cells: True to begin a text with an apostrophe if a spreadsheet would take it for a
            formula. Numbers are unchanged.
        bom: True to begin with a byte order mark, by which spreadsheets recognise UTF-8.
    """
    lines: list[str] = []
    # the writer quotes cells with a part of this line end, and passes one line at a time
    writer = csv.writer(_Sink(lines), lineterminator="\r\n")
    writer.writerow(table.types)
    writer.writerows(zip(*_yield_columns(table.in_data or table, safe_cells), strict=True))
    return "\ufeff" * bom + "".join(f"{line[:-2]}\n" for line in lines)


def _yield_columns(table: Frame, safe_cells: bool) -> Iterator[Sequence[Any]]:
    """Yield the cells of each column of a CSV file; ``None`` is an empty cell."""
    rows = table.data_rows
    columns = list(zip(*rows, strict=True)) or [()] * len(table.columns)
    for column, values in zip(table.columns, columns, strict=True):
        if column.in_data:
            plain_text = column.kind == "name" and not safe_cells
            yield values if plain_text else [_format_cell(value, safe_cells) for value in values]
    yield [_format_cell(table.signature, safe_cells)] * len(rows)


class _Sink(NamedTuple):
    lines: list[str]

    def write(self, line: str) -> None:
        """Store a line of the CSV writer."""
        self.lines.append(line)


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")  # first characters, also after a line end


def _format_cell(value: Any, safe_cells: bool) -> Any:
    """Format a cell for CSV: ``nan`` as empty, and formulas as text if cells are safe."""
    if isinstance(value, str):
        return f"'{value}" if safe_cells and value.startswith(_FORMULA) else value
    return "" if isinstance(value, float) and math.isnan(value) else value


def to_arrow(table: Frame) -> Any:
    """Convert the rows to a ``pyarrow.Table``, with null for undefined values.

    Columns of names are strings, counts int64, figures float64, and marks bool. Types do not depend
    on the values, so tables of several results can be concatenated.

    Raises:
        SettingError: if pyarrow is not installed.
    """
    pyarrow = import_optional("pyarrow", "arrow", "a table")
    rows = table.to_rows()
    return pyarrow.table(
        {
            key: pyarrow.array(
                [_escape_lone_surrogates(row[key]) for row in rows],
                getattr(pyarrow, type_name)(),
                from_pandas=True,  # nan becomes null
            )
            for key, type_name in table.types.items()
        }
    )


def to_pandas(table: Frame) -> pd.DataFrame:
    """Convert the rows to a ``pandas.DataFrame``; counts are ``Int64``, which has missing values.

    Raises:
        SettingError: if pandas is not installed.
    """
    pandas = import_optional("pandas", "", "a data frame")
    frame = pandas.DataFrame(table.to_rows(), columns=list(table.types))
    type_names = {"int64": "Int64", "float64": "float64"}
    return frame.astype(
        {
            key: type_names[type_name]
            for key, type_name in table.types.items()
            if type_name in type_names
        }
    )


def to_polars(table: Frame) -> Any:
    """Convert the rows to a ``polars.DataFrame``; undefined is null.

    Raises:
        SettingError: if polars is not installed.
    """
    polars = import_optional("polars", "", "a data frame")
    type_names = {"string": "String", "int64": "Int64", "float64": "Float64", "bool_": "Boolean"}
    schema = {key: getattr(polars, type_names[type_name]) for key, type_name in table.types.items()}
    rows = [
        {key: _escape_lone_surrogates(value) for key, value in row.items()}
        for row in table.to_rows()
    ]
    return polars.DataFrame(rows, schema=schema).fill_nan(None)


def _escape_lone_surrogates(value: Any) -> Any:
    """Escape surrogates without a partner, which UTF-8 cannot encode."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
