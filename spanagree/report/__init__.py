"""Rendering only: results as text, Markdown, LaTeX, CSV and JSON. Nothing here computes."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanagree.report import latex, markdown, text
from spanagree.report.table import Table

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
