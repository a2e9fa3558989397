"""Tables, plots, verdict, caveats and remarks of all coefficients of a table of labels.

Some coefficients have other rows in text output than in data: a frame lists the indices of rows for
people only, and of rows for data only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.errors import escape_name, pluralize
from spanagree.labels import formulas
from spanagree.labels.coefficient import Coefficient, Counts, Spa
from spanagree.labels.formulas import COEFFICIENTS
from spanagree.labels.pairs_and_items import build_items_table, build_pairs_table
from spanagree.results import verdict
from spanagree.results.cells import Value, format_figure
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.score import UNDEFINED, Score, get_ends
from spanagree.settings import parse_confidence

if TYPE_CHECKING:
    from spanagree.labels.summary import Coefficients

_NO_ENDS = (UNDEFINED, UNDEFINED)
_LOWEST = "lowest agreement by category"


def list_caveats(coefficients: Coefficients) -> tuple[str, ...]:
    """Collect the caveats: the dependence of SPA, and those common to all coefficients."""
    dependence_sentences = (coefficients.spa.dependence,) if coefficients.spa.dependence else ()
    return (*dependence_sentences, *coefficients.pi.caveats)


def write_verdict(coefficients: Coefficients) -> str:
    """Write the verdict: the value of α, and the category with the lowest agreement."""
    ends, confidence = coefficients.alpha.interval, parse_confidence(coefficients.settings)
    interval = None if ends is None else ends.corrected
    name = "Krippendorff's α"
    alpha = verdict.write_coefficient(
        name, coefficients.alpha.value, interval, confidence, coefficients.alpha.reason
    )
    values = {
        agreement.value
        for agreement in coefficients.categories.values()
        if not math.isnan(agreement.value)
    }
    lowest = coefficients.categories.lowest
    if lowest is None or len(values) < 2:
        return alpha
    lowest_value = verdict.format_short(coefficients.categories[lowest].value)
    return f"{alpha} Agreement is lowest on {escape_name(lowest)} ({lowest_value} of its pairs)."


def build_table(coefficients: Coefficients, by: str | None) -> Frame:
    """Build a table with a row for each coefficient.

    With ``by`` it has a row for each category, annotator, pair of annotators or disputed item.
    """
    table_builders: dict[str | None, Callable[[], Frame]] = {
        None: lambda: _build_coefficients_table(coefficients),
        "category": lambda: _build_category_table(coefficients),
        "annotator": lambda: _build_annotator_table(coefficients),
        "pair": lambda: build_pairs_table(coefficients.basis),
        "item": lambda: build_items_table(coefficients.basis),
    }
    table, counts = table_builders[by](), coefficients.counts
    names = counts.annotators
    if by in (None, "category") and coefficients.categories.lowest is not None:
        table = replace(table, meanings={**table.meanings, _LOWEST: _LOWEST})
    return replace(
        table,
        settings=coefficients.settings,
        caption=f"{'annotators unnamed' if names is None else pluralize(names, 'annotator')},"
        f" {pluralize(counts.items, 'item')}, {counts.compared} with two labels or more,"
        f" {pluralize(counts.labels, 'label')}, {pluralize(counts.pairs, 'pair')} of labels,"
        f" {counts.categories} categor{'y' if counts.categories == 1 else 'ies'}",
        remarks=[
            *table.remarks,
            *dict.fromkeys(_yield_remarks(coefficients, by)),
            *list_caveats(coefficients),
        ],
    )


def _build_coefficients_table(coefficients: Coefficients) -> Frame:
    """Build the table of all coefficients.

    Text output has three rows for SPA, and a separate row for the bias.
    """
    ci = coefficients.settings.ci is not None
    columns = [Column("coefficient", " ", "name"), Column("corrected"), Column("jackknife")]
    columns += [Column("value", "value"), Column("", "interval" if ci else "", "interval")]
    columns += [Column("observed", "observed"), Column("expected", "expected")]
    columns += [Column("value_low"), Column("value_high")] if ci else []
    columns += [Column(key, kind="count") for key in Counts._fields]
    columns += [Column("undefined", kind="json"), Column("interval", kind="json")]

    def build_row(
        name: str,
        coefficient: Coefficient | Score,
        value: float,
        counts: Counts = coefficients.counts,
        **replaced_cells: Value,
    ) -> list[Value]:
        """List the cells of a row in the order of the columns.

        Args:
            name: name of the row.
            coefficient: coefficient, or F1.
            value: value of the row.
            counts: counts of the row.
            replaced_cells: cells with other contents, by key.
        """
        cells: dict[str, Any] = {
            "coefficient": name,
            "corrected": getattr(coefficient, "corrected", UNDEFINED),
            "jackknife": getattr(coefficient, "jackknife", UNDEFINED),
            "value": value,
            "ends": get_ends(coefficient.interval, "corrected"),
            "observed": coefficient.observed,
            "expected": coefficient.expected,
        } | replaced_cells
        if ci:
            cells |= dict(zip(("low", "high"), cells["ends"] or _NO_ENDS, strict=True))
        reason = getattr(coefficient, "reason", "")
        return [*cells.values(), *counts._asdict().values(), reason, coefficient.interval]

    rows, for_people, for_data = list[list[Value]](), set[int](), set[int]()
    no_figures: dict[str, Any] = {"observed": "", "expected": ""}
    for definition, result in zip(COEFFICIENTS.values(), coefficients.all, strict=True):
        row_index = len(rows)
        if isinstance(result, Spa):
            for_people |= {row_index + 1, row_index + 2}
            rows += [
                build_row("SPA", result, result.value, ends=get_ends(result.interval, "observed")),
                build_row("SPA corrected", result, result.corrected),
                build_row(
                    "SPA corrected, jackknife", result, result.jackknife, ends="", **no_figures
                ),
            ]
            continue
        rows.append(build_row(result.name, result, result.value))
        if definition.title != definition.sign:  # text output has only title and value
            for_data.add(row_index)
            for_people.add(row_index + 1)
            rows.append(build_row(definition.title, result, result.value, **no_figures))
    if (marked_coefficients := coefficients.marked) is not None:
        rows.append(
            build_row(
                "κ of marked tokens",
                marked_coefficients.kappa,
                marked_coefficients.kappa.value,
                marked_coefficients.counts,
            )
        )
    if (spans := coefficients.spans) is not None:
        rows.append(
            build_row(
                "F1 of segments", spans, spans.observed, ends=get_ends(spans.interval, "observed")
            )
        )
        rows.append(build_row("F1 of segments, corrected", spans, spans.corrected))
    names = [str(name) for name, *_ in rows]
    meanings = {name: name for i, name in enumerate(names) if i not in for_data}
    if {"measurement", "category_weights"} & coefficients.settings.keys():
        meanings["α"] = "α of grades or sets"
    return Frame(columns, rows, for_people=for_people, for_data=for_data, meanings=meanings)


def _build_category_table(coefficients: Coefficients) -> Frame:
    """Build the table with a row for each category, and rows for mean and median of categories."""
    ci = coefficients.settings.ci is not None
    columns = [
        Column("category", "", "name"),
        Column("average", "", "name"),
        Column("", "category", "name"),
        Column("agreement", "agreement", meaning="agreement of a category"),
        Column("", "interval" if ci else "", "interval"),
        Column("specific", "specific"),
        Column("agreements", kind="count"),
        Column("potential", kind="count"),
        Column("labels", kind="count"),
        *(
            Column(definition.sign, definition.sign, meaning=definition.of_category)
            for definition in COEFFICIENTS.values()
        ),
        Column("", "both", "count", spare=True),
        Column("", "either", "count", spare=True),
        *([Column("agreement_low"), Column("agreement_high")] if ci else ()),
        Column("interval", kind="json"),
    ]
    rows: list[list[Value]] = []
    other_figures: list[list[float]] = []
    for name, category_agreement in coefficients.categories.items():
        pair_counts = (category_agreement.agreements, category_agreement.potential)
        values = [
            getattr(coefficient.by_category.get(name), "value", UNDEFINED)
            for coefficient in coefficients.all
        ]
        other_figures.append([category_agreement.specific, *values])
        ends = get_ends(category_agreement.interval, "observed")
        first_cells = [name, "", name, category_agreement.value, ends, category_agreement.specific]
        data_ends = ends if ci else ()
        rows.append(
            [
                *first_cells,
                *pair_counts,
                category_agreement.given,
                *values,
                *pair_counts,
                *data_ends,
                category_agreement.interval,
            ]
        )
    averages = {"mean": coefficients.categories.mean, "median": coefficients.categories.median}
    averages_of_others = formulas.compute_mean_and_median(
        np.array(other_figures).reshape(-1, len(coefficients.all) + 1).T
    )
    for (name, agreement), average in zip(averages.items(), averages_of_others, strict=True):
        specific, *values = average.tolist()
        ends = get_ends(agreement.interval, "observed")
        first_cells = ["", name, name, agreement.observed, ends, specific]
        data_ends = ends if ci else ()
        no_counts = [None, None]
        rows.append(
            [*first_cells, *no_counts, None, *values, *no_counts, *data_ends, agreement.interval]
        )
    return Frame(columns, rows, breaks=[len(coefficients.categories)])


def _build_annotator_table(coefficients: Coefficients) -> Frame:
    """Build the table of labels and agreement of each annotator."""
    columns = [
        Column("annotator", "annotator", "name", "annotator of labels"),
        Column("labels", "labels", "count"),
        Column("pairs", "pairs", "count", "pairs of labels"),
        Column("agreement", "agreement", meaning="agreement of an annotator"),
        Column("share_of_bias", "share of bias"),
    ]
    return Frame(
        columns, [list(vars(labeller).values()) for labeller in coefficients.annotators.values()]
    )


def _yield_remarks(coefficients: Coefficients, by: str | None) -> Iterator[str]:
    """Yield remarks on the category of lowest agreement, and reasons for undefined figures."""
    if by in ("annotator", "pair"):
        if not coefficients.annotators:
            yield "no rows: a table of counts does not say who gave which label"
    elif by != "item" and (lowest := coefficients.categories.lowest) is not None:
        lowest_agreement = coefficients.categories[lowest]
        values = [category.value for category in coefficients.categories.values()]
        n_as_low = values.count(lowest_agreement.value) - 1
        yield (
            f"{_LOWEST}: {format_figure(lowest)}, {format_figure(lowest_agreement.value)}"
            f" ({lowest_agreement.agreements} of"
            f" {pluralize(lowest_agreement.potential, 'pair')} in which one chose it)"
            + (f", and {n_as_low} more as low" if n_as_low else "")
        )
    for coefficient in coefficients.all:
        if coefficient.reason:
            is_corrected = coefficient.reason.startswith("corrected: ")
            name = "SPA corrected" if is_corrected else coefficient.name
            yield f"{name} undefined: {coefficient.reason.removeprefix('corrected: ')}"
        elif by == "category":
            for category in coefficient.by_category.values():
                if category.reason:
                    yield f"–: {coefficient.name} undefined: {category.reason}"
    if by is None and coefficients.spa.jackknife_reason:
        yield f"jackknife undefined: {coefficients.spa.jackknife_reason}"
    if by is None and coefficients.spa.jackknife > 1:
        yield "jackknife above 1, which is full agreement: of few items it corrects too much"
    if by is None and coefficients.about_spans:
        yield coefficients.about_spans
    if by == "annotator" and not all(
        labeller.pairs for labeller in coefficients.annotators.values()
    ):
        yield "–: agreement undefined: no label of another on the same items"
    if by == "annotator" and not any(coefficients.bias.by_annotator.values()):
        yield "–: share of bias undefined: there is none to share"
    if by == "category":
        for agreement in coefficients.categories.values():
            if agreement.reason:
                yield f"–: agreement undefined: {agreement.reason}"


def build_plot(coefficients: Coefficients, by: str | None) -> Plot:
    """Plot the coefficients with their intervals, or agreement by category or annotator."""
    shown_coefficients = [
        coefficients.parts[key] for key, figure_name in COEFFICIENTS.items() if figure_name.is_share
    ]
    if by == "annotator":
        agreement_rows = [
            (annotator.name, [(annotator.agreement, *_NO_ENDS)])
            for annotator in coefficients.annotators.values()
        ]
        axis_title = "agreement with the others, as observed"
        return plot_dots(agreement_rows, [axis_title], axis_title)
    if by == "category":
        categorized = [coefficient for coefficient in shown_coefficients if coefficient.by_category]
        series, axis_title = (
            [coefficient.name for coefficient in categorized],
            "agreement by category",
        )
        values = [
            (
                name,
                [(coefficient.by_category[name].value, *_NO_ENDS) for coefficient in categorized],
            )
            for name in coefficients.categories
        ]
        return plot_dots(values, series, axis_title)
    rows = []
    for result in shown_coefficients:
        figure_name = "observed" if result is coefficients.spa else "corrected"
        rows.append((result.name, [(result.value, *get_ends(result.interval, figure_name))]))
    return plot_dots(rows, ["value"], "agreement corrected for chance (SPA: as observed)")
