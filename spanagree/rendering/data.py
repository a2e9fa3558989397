"""Results for programs: JSON, CSV and Arrow; and tables for people by the name of their format."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanagree.extras import optional
from spanagree.rendering import latex, markdown, text
from spanagree.rendering.table import Table

TABLES: Mapping[str, Callable[[Table], str]] = {
    "text": text.render,
    "markdown": markdown.render,
    "latex": latex.render,
}
"""The formats for people, by name."""

FORMATS = ("text", "json", "csv", "markdown", "latex")
"""All formats, by name."""


def plain(data: Any) -> Any:
    """Return plain data for JSON: what is undefined (``nan``) becomes ``None``, tuples lists.

    >>> plain({"f1": math.nan, "ends": (0.5, 1)})
    {'f1': None, 'ends': [0.5, 1]}
    """
    if isinstance(data, float):
        return None if math.isnan(data) else data
    if isinstance(data, Mapping):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, (list, tuple)) else data


def to_json(data: Mapping[str, Any]) -> str:
    """Return stable JSON: keys in the order given, all digits, ASCII; undefined is ``null``."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def to_jsonl(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a line of JSON for each row."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def to_csv(table: Table) -> str:
    """Return a line for each row, all digits, after a header; undefined is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table.types), lineterminator="\n")
    writer.writeheader()
    for row in table.to_rows():
        writer.writerow(
            {k: "" if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
        )
    return out.getvalue()


def to_arrow(table: Table) -> Any:
    """Return the rows as a ``pyarrow.Table``.

    Names are strings, counts int64, figures float64, and marks bool; what is undefined is null. So
    tables of several results can be put together.

    Raises:
        SettingError: if pyarrow is not installed.
    """
    pyarrow = optional("pyarrow", "arrow", "a table")
    rows = table.to_rows()
    return pyarrow.table(
        {
            key: pyarrow.array(
                [_encodable(row[key]) for row in rows],
                getattr(pyarrow, kind)(),
                from_pandas=True,  # nan becomes null
            )
            for key, kind in table.types.items()
        }
    )


def _encodable(value: Any) -> Any:
    """Escape half a surrogate pair, which has no UTF-8."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
