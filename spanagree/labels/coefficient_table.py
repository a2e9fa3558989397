"""A coefficient as a table and a picture, its verdict and its caveats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spanagree.labels.coefficient import Coefficient, Counts
from spanagree.results import verdict
from spanagree.results.caveats import caveats
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Dot, Picture, dots_of
from spanagree.results.score import Score, ends_of, undefined
from spanagree.settings import confidence_of

_COUNTED = (*Counts._fields, "agreements", "potential")


def caveats_of(coefficient: Coefficient) -> tuple[str, ...]:
    """Collect caveats of the corrected figure."""
    score = undefined("")
    if coefficient.CORRECTED:
        beyond = getattr(coefficient, coefficient.CORRECTED)
        score = Score(
            coefficient.observed, coefficient.expected, beyond, interval=coefficient.interval
        )
    noun = "item" if coefficient.units is None else "document"
    return tuple(caveats(coefficient.name, score, coefficient.evidence, noun))


def verdict_of(coefficient: Coefficient) -> str:
    """Compose how high the coefficient is."""
    if coefficient.CORRECTED != "value":
        return ""
    interval = None if coefficient.interval is None else coefficient.interval.corrected
    confidence = confidence_of(coefficient.settings)
    return verdict.coefficient(
        coefficient.name, coefficient.value, interval, confidence, coefficient.reason
    )


def table_of(coefficient: Coefficient, by: str | None) -> Frame:
    """Build a table with a row for the coefficient, then one for each category."""
    return data_table(
        type(coefficient),
        [("", coefficient), *coefficient.by_category.items()],
        coefficient.settings,
    )


def picture_of(coefficient: Coefficient, by: str | None) -> Picture:
    """Draw the value with its interval, then that of each category."""
    # the value is the corrected figure, unless that has a name of its own, as of SPA
    kind = "observed" if coefficient.CORRECTED == "corrected" else "corrected"
    rows: list[tuple[str, list[Dot]]] = [
        (name, [(part.value, *ends_of(part.interval, kind))])
        for name, part in [(coefficient.name, coefficient), *coefficient.by_category.items()]
    ]
    return dots_of(rows, ["value"], coefficient.name)


def data_table(
    kind: type[Coefficient],
    parts: Iterable[tuple[str, Coefficient]],
    settings: Mapping[str, Any],
) -> Frame:
    """Return a table for programs, with a row for each part of a kind of coefficient, by name."""
    keys = dict.fromkeys((*kind.FIGURES, *Counts._fields))
    columns = [Column("coefficient", kind="name"), Column("category", kind="name")]
    columns += [Column(key, kind="count" if key in _COUNTED else "figure") for key in keys]
    columns += [Column("undefined", kind="json"), Column("interval", kind="json")]
    rows = []
    for category, part in parts:
        row = {**part.figures(), **part.counts._asdict()}
        rows.append([part.name, category, *(row[key] for key in keys), part.reason, part.interval])
    return Frame(columns, rows, settings)
