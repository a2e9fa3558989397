"""The noun that all renderers share: a table of names and figures, with what is said below it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from spanagree.errors import printable

Value = str | int | float | None


UNDEFINED = "–"


@dataclass(frozen=True)
class Table:
    """A table: names on the left, figures on the right.

    Attributes:
        header: the name of each column.
        rows: the values, one for each column; ``None`` and ``nan`` are undefined.
        names: how many columns, from the left, hold names.
        prose: further columns that hold names or sentences.
        breaks: before which rows a new block begins.
        caption: what stands above, one line.
        remarks: what stands below, a line each.
        signature: the settings that made the figures.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Value]]
    names: int = 1
    prose: Sequence[int] = ()
    breaks: Sequence[int] = ()
    caption: str = ""
    remarks: Sequence[str] = field(default_factory=tuple)
    signature: str = ""


def figure(value: Value) -> str:
    """A value as people read it: four decimals; what does not print is escaped.

    >>> [figure(v) for v in (0.41934, 12, None, "PER")]
    ['0.4193', '12', '–', 'PER']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNDEFINED
    return printable(value) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"
