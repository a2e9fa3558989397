"""Offsets in time: read exactly, stored as integers of a resolution, shown in seconds.

Offsets of recordings are named by their unit, such as ``10ms``. While files are read, the common
unit is unknown, so readers count ticks of 50 ns: an even number is an exact multiple of 100 ns, and
an odd number is a time between two multiples. So no time is rounded twice, and halves stay exact.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.corpus.segments import LONGEST, UNIT_OF_TIME, is_time
from spanagree.errors import SettingError, invalid_value, join_names, pluralize, quote_value
from spanagree.results.frame import Frame

if TYPE_CHECKING:  # loaded on demand: most corpora have no times
    from fractions import Fraction


TICKS = "50ns"
"""Unit of offsets before a resolution is chosen."""

_A_SECOND = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_PER_SECOND = 20_000_000
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?")
_RATE = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)fps")


def look_up_scale(unit: str) -> Fraction:
    """Return the length of a unit in seconds: s, ms, us, or frames such as 25fps.

    Raises:
        SettingError: if the unit is unknown.

    >>> look_up_scale("25fps")
    Fraction(1, 25)
    """
    from fractions import Fraction

    if unit in ("s", "ms", "us"):
        return Fraction(1, _A_SECOND[unit])
    rate = _RATE.fullmatch(unit) if isinstance(unit, str) else None
    if rate is None or not Fraction(rate[1]):
        raise SettingError(
            f"time-unit {quote_value(unit)}; s, ms, us or frames such as 25fps are known"
        )
    return 1 / Fraction(rate[1])


def parse_seconds(value: object, location: str, unit: str = "s") -> Fraction:
    """Parse a time into exact seconds: a number, or a clock time such as 1:02:03.5.

    A float is rounded to 15 digits, so that .1 + .2 is .3. The decimal sign may be a comma.

    Raises:
        InputError: if the value is not a time, or too long.
    """
    from decimal import Decimal, InvalidOperation
    from fractions import Fraction

    text = f"{value:.15g}" if isinstance(value, float) else str(value).strip()
    exact: Fraction | None = None
    if not isinstance(value, bool) and (clock := _CLOCK.fullmatch(text)):
        hours, minutes, second_text = clock.groups()
        exact_second = Fraction(Decimal(second_text.replace(",", ".")))
        if (
            int(minutes) < 60 and exact_second < 60
        ):  # not int(): hours may have any number of digits
            exact = 3600 * Fraction(Decimal(hours or 0)) + 60 * int(minutes) + exact_second
    elif not isinstance(value, bool) and _NUMBER.fullmatch(text):
        try:
            exact = Fraction(Decimal(text.replace(",", "."))) * look_up_scale(unit)
        except (InvalidOperation, OverflowError):
            exact = None
    if exact is None:
        raise invalid_value(
            f"{location}: time", value, "a number such as 12.5, or 0:00:12.5, is needed"
        )
    if abs(exact) * _PER_SECOND > LONGEST:
        raise invalid_value(
            f"{location}: time", value, f"up to {LONGEST // _PER_SECOND} s are allowed"
        )
    return exact


def parse_ticks(value: object, location: str, unit: str = "s") -> int:
    """Parse a time into ticks; see :func:`parse_seconds`.

    >>> parse_ticks("0.3", ""), parse_ticks(0.1 + 0.2, "")
    (6000000, 6000000)
    >>> parse_ticks("1:02:03,5", "") // 20_000_000
    3723
    """
    return convert_to_ticks(parse_seconds(value, location, unit))


def convert_to_ticks(exact: Fraction) -> int:
    """Convert exact seconds to ticks."""
    scaled = exact * (_PER_SECOND // 2)
    return 2 * (scaled.numerator // scaled.denominator) + (scaled.denominator != 1)


def look_up_ticks(offsets: str) -> int:
    """Return the number of ticks of a unit of time; 0 if it is not one.

    >>> look_up_ticks("10ms"), look_up_ticks("tokens")
    (200000, 0)
    """
    match = UNIT_OF_TIME.fullmatch(offsets)
    return 0 if match is None else int(match[1]) * _PER_SECOND // _A_SECOND[match[2]]


def format_offset(offset: int, offsets: str) -> str:
    """Format an offset; times in seconds.

    >>> format_offset(123, "10ms"), format_offset(123, "tokens"), format_offset(2, "1s")
    ('1.23', '123', '2')
    """
    return (
        f"{offset}" if not (unit := look_up_ticks(offsets)) else _format_seconds(int(offset) * unit)
    )


def format_length(size: int, offsets: str) -> str:
    """Format a length with its unit.

    >>> format_length(1, "tokens"), format_length(150, "10ms")
    ('1 token', '1.5 s')
    """
    return (
        f"{format_offset(size, offsets)} s" if is_time(offsets) else pluralize(size, offsets[:-1])
    )


def convert_to_seconds(offset: Any, offsets: str) -> Any:
    """Convert offsets for data; times become the nearest float in seconds.

    >>> convert_to_seconds(30, "10ms"), convert_to_seconds(30, "tokens")
    (0.3, 30)
    """
    if not (unit := look_up_ticks(offsets)):
        return offset
    if isinstance(offset, (int, float, np.integer)):
        return offset * unit / _PER_SECOND
    return [convert_to_seconds(moment, offsets) for moment in offset]


def convert_table_to_seconds(table: Frame, *names: str) -> Frame:
    """Convert columns with sizes of segments to seconds, if the table compares shared time.

    Args:
        table: table of a result.
        names: keys of the columns with sizes, or titles of columns without a key.
    """
    match, offsets = (getattr(table.settings, name, "") for name in ("match", "offsets"))
    if match != "token" or not is_time(offsets):
        return table
    is_size_column = [(column.key or column.title) in names for column in table.columns]
    columns = [
        column._replace(kind="number") if is_size else column
        for column, is_size in zip(table.columns, is_size_column, strict=True)
    ]
    rows = [
        [
            convert_to_seconds(value, offsets) if is_size and value is not None else value
            for value, is_size in zip(row, is_size_column, strict=True)
        ]
        for row in table.rows
    ]
    titles = [
        c.title for c, is_size in zip(columns, is_size_column, strict=True) if is_size and c.title
    ]
    remarks = [*table.remarks, *([f"{join_names(titles)}: in seconds"] if titles else ())]
    return replace(table, columns=columns, rows=rows, remarks=remarks)


def _format_seconds(ticks: int) -> str:
    """Format ticks as seconds, with all decimals.

    >>> _format_seconds(24_600_000), _format_seconds(-1), _format_seconds(40_000_000)
    ('1.23', '-0.00000005', '2')
    """
    full_seconds, rest_ticks = divmod(abs(ticks), _PER_SECOND)
    sign = "-" if ticks < 0 else ""
    return f"{sign}{full_seconds}.{rest_ticks * (10**8 // _PER_SECOND):08d}".rstrip("0").rstrip(".")
