"""The noun that all renderers share: a table of names and figures, with what is said below it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanagree.agreement import Mean
from spanagree.errors import printable
from spanagree.tally import Score

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


INTERVAL_FIGURES = ("F1", "interval", "chance F1", "interval", "corrected F1", "interval")
"""The columns of a score with its intervals."""


def with_intervals(score: Score | Mean) -> list[Value]:
    """Observed, expected and corrected figure, each with its interval."""
    if score.interval is None:
        return [score.observed, None, score.expected, None, score.corrected, None]
    kinds = ("observed", "expected", "corrected")
    return [
        value
        for kind in kinds
        for value in (getattr(score, kind), ends(*getattr(score.interval, kind)))
    ]


def ends(low: float, high: float) -> Value:
    """An interval as people read it.

    >>> ends(0.36283, 0.4297)
    '0.3628–0.4297'
    """
    return None if math.isnan(low) else f"{low:.4f}–{high:.4f}"


def unit(settings: Mapping[str, Any]) -> str:
    """What a document of the corpus is called."""
    return "sentence" if settings.get("unit") == "sentence" else "document"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"
