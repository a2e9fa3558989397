"""Values of tables as text, by the kind of their column."""

from __future__ import annotations

import math
from typing import Any

from spanagree.errors import escape_name
from spanagree.results.numbers import DIGITS, NOT_SHOWN, format_decimal

Value = Any
"""A cell: a text, a number, a pair of numbers, or ``None``; in a column for JSON a score."""

LEAST_P = 0.001
"""The smallest p that is printed; smaller values are printed as below it."""


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
