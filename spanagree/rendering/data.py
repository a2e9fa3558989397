"""Rows of results as Arrow tables, with the same types whatever is in them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanagree.rendering import latex, markdown, text
from spanagree.rendering.table import Table

_STRINGS = (
    *("a", "b", "annotator", "average", "category", "coefficient", "document", "label", "level"),
    *("of", "reason", "signature", "system", "undefined"),
    *("kind", "a_label", "a_text", "b_label", "b_text", "before", "after"),
)


_COUNTS = (
    *("agreements", "annotators", "categories", "compared", "differing", "documents", "items"),
    *("labels", "pairs", "pairs_corrected", "potential", "rank_corrected", "rank_observed"),
    *("size_a", "size_b", "size_gold", "size_system"),
    *("count", "a_start", "a_end", "b_start", "b_end"),
)


_MARKS = ("exact", "few")


_TYPES = {
    **dict.fromkeys(_STRINGS, "string"),
    **dict.fromkeys(_COUNTS, "int64"),
    **dict.fromkeys(_MARKS, "bool_"),
}  # all else are figures


def to_arrow(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> Any:
    """Rows of a result as a ``pyarrow.Table``.

    Names are strings, counts int64, figures float64, and marks bool; what is undefined is null.
    The type of a column hangs on its name alone, so tables of several results can be put together.

    Args:
        rows: as ``to_rows`` of a result gives them.
        columns: what a table without rows has.

    Raises:
        SettingError: if pyarrow is not installed.

    >>> to_arrow([{"system": "mine", "f1_observed": float("nan")}])["f1_observed"].to_pylist()
    [None]
    """
    from spanagree.extras import optional  # late: all doors are imported with it

    pyarrow = optional("pyarrow", "arrow", "a table")
    names = list(dict.fromkeys(name for row in rows for name in row)) or columns
    return pyarrow.table(
        {
            name: pyarrow.array(
                [_written(row.get(name)) for row in rows],
                getattr(pyarrow, _TYPES.get(name, "float64"))(),
                from_pandas=True,  # nan becomes null
            )
            for name in names
        }
    )


def _written(value: Any) -> Any:
    """Half a surrogate pair has no UTF-8, and is escaped."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


TABLES: Mapping[str, Callable[[Table], str]] = {
    "text": text.render,
    "markdown": markdown.render,
    "latex": latex.render,
}
"""The formats for people, by name."""


FORMATS = ("text", "json", "csv", "markdown", "latex")
"""All formats, by name."""


def to_json(data: Mapping[str, Any]) -> str:
    """Stable JSON: keys in the order given, all digits, ASCII only, undefined is ``null``."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def to_jsonl(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line of JSON for each row."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def to_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """A line for each row, all digits; undefined is empty.

    ``columns`` are for the header where there may be no rows.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {k: "" if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
        )
    return out.getvalue()
