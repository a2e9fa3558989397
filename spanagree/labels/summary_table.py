"""All coefficients as tables and pictures, their verdict, and what is said beside figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.errors import counted, printable
from spanagree.labels import formulas
from spanagree.labels.coefficient import Coefficient, Counts, Spa
from spanagree.labels.formulas import (
    COEFFICIENTS,
)
from spanagree.labels.pairs_and_items import items_table, pairs_table
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value, figure
from spanagree.results.plots import Picture, dots_of
from spanagree.results.score import UNDEFINED, Score, ends_of
from spanagree.settings import confidence_of

if TYPE_CHECKING:
    from spanagree.labels.summary import Coefficients

_NO_ENDS = (UNDEFINED, UNDEFINED)
_LOWEST = "lowest agreement by category"


def caveats_of(coefficients: Coefficients) -> tuple[str, ...]:
    """Collect the doubt on SPA, and caveats of what all coefficients rest on."""
    doubt = (coefficients.spa.dependence,) if coefficients.spa.dependence else ()
    return (*doubt, *coefficients.pi.caveats)


def verdict_of(coefficients: Coefficients) -> str:
    """Compose how high α is, and on which category agreement is lowest."""
    ends, confidence = coefficients.alpha.interval, confidence_of(coefficients.settings)
    interval = None if ends is None else ends.corrected
    name = "Krippendorff's α"
    alpha = verdict.coefficient(
        name, coefficients.alpha.value, interval, confidence, coefficients.alpha.reason
    )
    values = {part.value for part in coefficients.categories.values() if not math.isnan(part.value)}
    lowest = coefficients.categories.lowest
    if lowest is None or len(values) < 2:
        return alpha
    least = verdict.short(coefficients.categories[lowest].value)
    return f"{alpha} Agreement is lowest on {printable(lowest)} ({least} of its pairs)."


def table_of(coefficients: Coefficients, by: str | None) -> Frame:
    """Build a table with a row for each coefficient; with ``by`` for each part instead."""
    make: dict[str | None, Callable[[], Frame]] = {
        None: lambda: _whole(coefficients),
        "category": lambda: _by_category(coefficients),
        "annotator": lambda: _by_annotator(coefficients),
        "pair": lambda: pairs_table(coefficients.basis),
        "item": lambda: items_table(coefficients.basis),
    }
    table, counts = make[by](), coefficients.counts
    names = counts.annotators
    if by in (None, "category") and coefficients.categories.lowest is not None:
        table = replace(table, meanings={**table.meanings, _LOWEST: _LOWEST})
    return replace(
        table,
        settings=coefficients.settings,
        caption=f"{'annotators unnamed' if names is None else counted(names, 'annotator')},"
        f" {counted(counts.items, 'item')}, {counts.compared} with two labels or more,"
        f" {counted(counts.labels, 'label')}, {counted(counts.pairs, 'pair')} of labels,"
        f" {counts.categories} categor{'y' if counts.categories == 1 else 'ies'}",
        remarks=[
            *table.remarks,
            *dict.fromkeys(_remarks(coefficients, by)),
            *caveats_of(coefficients),
        ],
    )


def _whole(coefficients: Coefficients) -> Frame:
    """Build the table of all coefficients.

    SPA has three rows for people, and the bias a row of its own for them.
    """
    ci = coefficients.settings.ci is not None
    columns = [Column("coefficient", " ", "name"), Column("corrected"), Column("jackknife")]
    columns += [Column("value", "value"), Column("", "interval" if ci else "", "interval")]
    columns += [Column("observed", "observed"), Column("expected", "expected")]
    columns += [Column("value_low"), Column("value_high")] if ci else []
    columns += [Column(key, kind="count") for key in Counts._fields]
    columns += [Column("undefined", kind="json"), Column("interval", kind="json")]

    def row(
        name: str,
        part: Coefficient | Score,
        value: float,
        counts: Counts = coefficients.counts,
        **other: Value,
    ) -> list[Value]:
        """Return the cells of a coefficient, in the order of the columns; some are others."""
        cells: dict[str, Any] = {
            "coefficient": name,
            "corrected": getattr(part, "corrected", UNDEFINED),
            "jackknife": getattr(part, "jackknife", UNDEFINED),
            "value": value,
            "ends": ends_of(part.interval, "corrected"),
            "observed": part.observed,
            "expected": part.expected,
        } | other
        if ci:
            cells |= dict(zip(("low", "high"), cells["ends"] or _NO_ENDS, strict=True))
        reason = getattr(part, "reason", "")
        return [*cells.values(), *counts._asdict().values(), reason, part.interval]

    rows, for_people, for_data = list[list[Value]](), set[int](), set[int]()
    none: dict[str, Any] = {"observed": "", "expected": ""}
    for kind, part in zip(COEFFICIENTS.values(), coefficients.all, strict=True):
        at = len(rows)
        if isinstance(part, Spa):
            for_people |= {at + 1, at + 2}
            rows += [
                row("SPA", part, part.value, ends=ends_of(part.interval, "observed")),
                row("SPA corrected", part, part.corrected),
                row("SPA corrected, jackknife", part, part.jackknife, ends="", **none),
            ]
            continue
        rows.append(row(part.name, part, part.value))
        if kind.title != kind.sign:  # people see its title and its value alone
            for_data.add(at)
            for_people.add(at + 1)
            rows.append(row(kind.title, part, part.value, **none))
    if (marked := coefficients.marked) is not None:
        rows.append(row("κ of marked tokens", marked.kappa, marked.kappa.value, marked.counts))
    if (spans := coefficients.spans) is not None:
        rows.append(
            row("F1 of segments", spans, spans.observed, ends=ends_of(spans.interval, "observed"))
        )
        rows.append(row("F1 of segments, corrected", spans, spans.corrected))
    names = [str(name) for name, *_ in rows]
    meanings = {name: name for i, name in enumerate(names) if i not in for_data}
    if {"measurement", "category_weights"} & coefficients.settings.keys():
        meanings["α"] = "α of grades or sets"
    return Frame(columns, rows, for_people=for_people, for_data=for_data, meanings=meanings)


def _by_category(coefficients: Coefficients) -> Frame:
    """Build the table of agreement by category, then its mean and median."""
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
        *(Column(k.sign, k.sign, meaning=k.of_category) for k in COEFFICIENTS.values()),
        Column("", "both", "count", spare=True),
        Column("", "either", "count", spare=True),
        *([Column("agreement_low"), Column("agreement_high")] if ci else ()),
        Column("interval", kind="json"),
    ]
    rows: list[list[Value]] = []
    others: list[list[float]] = []
    for name, part in coefficients.categories.items():
        pairs = (part.agreements, part.potential)
        values = [getattr(x.by_category.get(name), "value", UNDEFINED) for x in coefficients.all]
        others.append([part.specific, *values])
        ends = ends_of(part.interval, "observed")
        begin = [name, "", name, part.value, ends, part.specific]
        data_ends = ends if ci else ()
        rows.append([*begin, *pairs, part.given, *values, *pairs, *data_ends, part.interval])
    averages = {"mean": coefficients.categories.mean, "median": coefficients.categories.median}
    of_others = formulas.mean_and_median(np.array(others).reshape(-1, len(coefficients.all) + 1).T)
    for (name, agreement), average in zip(averages.items(), of_others, strict=True):
        specific, *values = average.tolist()
        ends = ends_of(agreement.interval, "observed")
        begin = ["", name, name, agreement.observed, ends, specific]
        data_ends = ends if ci else ()
        none = [None, None]
        rows.append([*begin, *none, None, *values, *none, *data_ends, agreement.interval])
    return Frame(columns, rows, breaks=[len(coefficients.categories)])


def _by_annotator(coefficients: Coefficients) -> Frame:
    """Build the table of what each annotator gave."""
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


def _remarks(coefficients: Coefficients, by: str | None) -> Iterator[str]:
    """Yield the lowest agreement by category, and why figures of the table are undefined."""
    if by in ("annotator", "pair"):
        if not coefficients.annotators:
            yield "no rows: a table of counts does not say who gave which label"
    elif by != "item" and (lowest := coefficients.categories.lowest) is not None:
        part = coefficients.categories[lowest]
        values = [category.value for category in coefficients.categories.values()]
        also = values.count(part.value) - 1
        yield (
            f"{_LOWEST}: {figure(lowest)}, {figure(part.value)} ({part.agreements} of"
            f" {counted(part.potential, 'pair')} in which one chose it)"
            + (f", and {also} more as low" if also else "")
        )
    for coefficient in coefficients.all:
        if coefficient.reason:
            beyond = coefficient.reason.startswith("corrected: ")
            name = "SPA corrected" if beyond else coefficient.name
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
        for of_category in coefficients.categories.values():
            if of_category.reason:
                yield f"–: agreement undefined: {of_category.reason}"


def picture_of(coefficients: Coefficients, by: str | None) -> Picture:
    """Return the coefficients with their intervals; by category, or each annotator's share."""
    shares = [coefficients.parts[key] for key, kind in COEFFICIENTS.items() if kind.is_share]
    if by == "annotator":
        agreeing = [(x.name, [(x.agreement, *_NO_ENDS)]) for x in coefficients.annotators.values()]
        what = "agreement with the others, as observed"
        return dots_of(agreeing, [what], what)
    if by == "category":
        split = [coefficient for coefficient in shares if coefficient.by_category]
        kinds, what = [coefficient.name for coefficient in split], "agreement by category"
        values = [
            (name, [(coefficient.by_category[name].value, *_NO_ENDS) for coefficient in split])
            for name in coefficients.categories
        ]
        return dots_of(values, kinds, what)
    rows = []
    for part in shares:
        kind = "observed" if part is coefficients.spa else "corrected"
        rows.append((part.name, [(part.value, *ends_of(part.interval, kind))]))
    return dots_of(rows, ["value"], "agreement corrected for chance (SPA: as observed)")
