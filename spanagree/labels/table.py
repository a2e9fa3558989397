"""What the coefficients of a table of labels look like, as a table."""

from __future__ import annotations

import math

from spanagree.errors import counted
from spanagree.labels.summary import Coefficients
from spanagree.matching.score import ends
from spanagree.rendering.table import Table, Value, figure


def as_table(result: Coefficients, by: str | None = None) -> Table:
    """A row for each coefficient, or with ``by`` for each category or annotator."""
    header, rows = _PARTS[by](result)
    counts = result.counts
    who = "annotators unnamed" if counts.annotators is None else None
    return Table(
        header,
        rows,
        caption=f"{who or counted(counts.annotators or 0, 'annotator')},"
        f" {counted(counts.items, 'item')}, {counts.compared} with two labels or more,"
        f" {counted(counts.labels, 'label')}, {counted(counts.pairs, 'pair')} of labels,"
        f" {counts.categories} categor{'y' if counts.categories == 1 else 'ies'}",
        remarks=_remarks(result, by),
        signature=result.signature,
    )


_Part = tuple[tuple[str, ...], list[list[Value]]]


def _whole(result: Coefficients) -> _Part:
    spa = result.spa
    rows: list[list[Value]] = [
        ["SPA", spa.value, spa.observed, spa.expected],
        ["SPA corrected", spa.corrected, spa.observed, spa.expected],
        ["SPA corrected, jackknife", spa.jackknife, "", ""],
    ]
    corrected = (result.pi, result.kappa, result.alpha, result.ac1)
    rows += [[of.name, of.value, of.observed, of.expected] for of in corrected]
    rows.append(["bias B", result.bias.value, "", ""])
    header = ("", "value", "observed", "expected")
    if "ci" not in result.settings:
        return header, rows
    intervals = [of.interval for of in (*result.all[:1] * 3, *result.all[1:])]
    columns = [("observed", "expected"), ("corrected", "expected"), ()]
    columns += [("corrected", "expected")] * 4 + [("corrected",)]
    for row, interval, kinds in zip(rows, intervals, columns, strict=True):
        of_value = ends(*getattr(interval, kinds[0])) if interval and kinds else ""
        row.insert(2, of_value)
    return ("", "value", "interval", *header[2:]), rows


def _categories(result: Coefficients) -> _Part:
    header = (
        "category",
        "agreement",
        "specific",
        *(of.name for of in result.all),
        "both",
        "either",
    )
    rows: list[list[Value]] = [
        [
            name,
            of.value,
            of.specific,
            *(w.by_category[name].value if w.by_category else math.nan for w in result.all),
            of.agreements,
            of.potential,
        ]
        for name, of in result.categories.items()
    ]
    return header, rows


def _annotators(result: Coefficients) -> _Part:
    rows: list[list[Value]] = [
        [of.name, of.labels, of.pairs, of.agreement, of.bias] for of in result.annotators.values()
    ]
    return ("annotator", "labels", "pairs", "agreement", "share of bias"), rows


_PARTS = {None: _whole, "category": _categories, "annotator": _annotators}


def _remarks(result: Coefficients, by: str | None) -> list[str]:
    remarks = []
    lowest = result.categories.lowest
    if by != "annotator" and lowest is not None:
        of = result.categories[lowest]
        remarks.append(
            f"lowest agreement by category: {figure(lowest)}, {figure(of.value)}"
            f" ({of.agreements} of {counted(of.potential, 'pair')} in which one chose it)"
            + (f", and {more} more as low" if (more := _as_low(result)) else "")
        )
    if by == "annotator" and not result.annotators:
        remarks.append("no rows: a table of counts does not say who gave which label")
    said: dict[str, None] = {}
    for whole in result.all:
        if whole.reason:
            name = "SPA corrected" if whole.reason.startswith("corrected: ") else whole.name
            reason = whole.reason.removeprefix("corrected: ")
            said[f"{name} undefined: {reason}"] = None
        elif by == "category":
            of_parts = (part.reason for part in whole.by_category.values() if part.reason)
            said |= {f"–: {whole.name} undefined: {reason}": None for reason in of_parts}
    if by is None and result.spa.jackknife_reason:
        said[f"jackknife undefined: {result.spa.jackknife_reason}"] = None
    if by == "annotator" and any(not of.pairs for of in result.annotators.values()):
        said["–: agreement undefined: no label of another on the same items"] = None
    if by == "category":
        reasons = (of.reason for of in result.categories.values() if of.reason)
        said |= {f"–: agreement undefined: {reason}": None for reason in reasons}
    return [*remarks, *said, *result.caveats]


def _as_low(result: Coefficients) -> int:
    """How many other categories have the lowest agreement too."""
    values = [of.value for of in result.categories.values()]
    return values.count(min(v for v in values if not math.isnan(v))) - 1
