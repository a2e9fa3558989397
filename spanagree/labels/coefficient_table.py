"""Table, plot, verdict and caveats of one coefficient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spanagree.labels.coefficient import Coefficient, Counts
from spanagree.results import verdict
from spanagree.results.caveats import write_caveats
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.score import Dot, Score, build_undefined_score, get_ends
from spanagree.settings import parse_confidence

_COUNTED = (*Counts._fields, "agreements", "potential")


def list_caveats(coefficient: Coefficient) -> tuple[str, ...]:
    """Collect warnings about the corrected figure of a coefficient, and about its data."""
    score = build_undefined_score("")
    if coefficient.CORRECTED:
        corrected_figure = getattr(coefficient, coefficient.CORRECTED)
        score = Score(
            coefficient.observed,
            coefficient.expected,
            corrected_figure,
            interval=coefficient.interval,
        )
    noun = "item" if coefficient.units is None else "document"
    return tuple(write_caveats(coefficient.name, score, coefficient.evidence, noun))


def write_verdict(coefficient: Coefficient) -> str:
    """Write the sentence on the value of the coefficient; empty for SPA and bias."""
    if coefficient.CORRECTED != "value":
        return ""
    interval = None if coefficient.interval is None else coefficient.interval.corrected
    confidence = parse_confidence(coefficient.settings)
    return verdict.write_coefficient(
        coefficient.name, coefficient.value, interval, confidence, coefficient.reason
    )


def build_table(coefficient: Coefficient, by: str | None) -> Frame:
    """Build a table with a row for the coefficient, then one for each category."""
    named_coefficients = [("", coefficient), *coefficient.by_category.items()]
    table = build_data_table(type(coefficient), named_coefficients, coefficient.settings)
    if coefficient.interval is None:
        return table
    columns = table.readable_table.columns
    figure = _find_interval_figure(coefficient)
    index = 1 + [column.key for column in table.columns].index("value")
    intervals = [get_ends(named.interval, figure) for _, named in named_coefficients]
    return replace(
        table,
        columns=[*columns[:index], Column("", "interval", "interval"), *columns[index:]],
        rows=[
            [*row[:index], ends, *row[index:]]
            for row, ends in zip(table.rows, intervals, strict=True)
        ],
    )


def _find_interval_figure(coefficient: Coefficient) -> str:
    """Return the figure that has the interval of the value: of SPA observed, else corrected."""
    return "observed" if coefficient.CORRECTED == "corrected" else "corrected"


def build_plot(coefficient: Coefficient, by: str | None) -> Plot:
    """Plot the value with its interval, then the value of each category."""
    interval_figure = _find_interval_figure(coefficient)
    rows: list[tuple[str, list[Dot]]] = [
        (name, [(named_coefficient.value, *get_ends(named_coefficient.interval, interval_figure))])
        for name, named_coefficient in [
            (coefficient.name, coefficient),
            *coefficient.by_category.items(),
        ]
    ]
    return plot_dots(rows, ["value"], coefficient.name)


def build_data_table(
    coefficient_class: type[Coefficient],
    named_coefficients: Iterable[tuple[str, Coefficient]],
    settings: Mapping[str, Any],
) -> Frame:
    """Build a table for programs, with a row for each coefficient.

    Args:
        coefficient_class: class of the coefficients, which has the names of the figures.
        named_coefficients: category and coefficient of each row.
        settings: settings of the computation.
    """
    keys = dict.fromkeys((*coefficient_class.FIGURES, *Counts._fields))
    columns = [Column("coefficient", kind="name"), Column("category", kind="name")]
    columns += [Column(key, kind="count" if key in _COUNTED else "figure") for key in keys]
    columns += [Column("undefined", kind="json"), Column("interval", kind="json")]
    rows = []
    for category, coefficient in named_coefficients:
        cells = {**coefficient.figures(), **coefficient.counts._asdict()}
        rows.append(
            [
                coefficient.name,
                category,
                *(cells[key] for key in keys),
                coefficient.reason,
                coefficient.interval,
            ]
        )
    return Frame(columns, rows, settings)
