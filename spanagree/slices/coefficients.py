"""Coefficients of each slice of items, or of the tokens of a corpus.

Differences between slices are differences of Krippendorff's α. Their variances come from the
jackknife, which leaves out one unit at a time: an item or, for tokens, a document.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.corpus.label_table import LabelTable
from spanagree.errors import escape_name, format_count_of_total, pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels import formulas
from spanagree.labels.by_label import CoefficientsByPart
from spanagree.labels.formulas import CORRECTED, CoefficientSet
from spanagree.labels.intervals import compute_coefficient_moments
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import token_labels
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.score import Interval, get_ends
from spanagree.results.verdict import LEVEL
from spanagree.settings import document_noun, parse_confidence
from spanagree.slices.differences import ENOUGH
from spanagree.slices.metadata import Source
from spanagree.slices.values import SliceBy, find_sliced_documents
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.differences import compute_p_and_half_width
from spanagree.uncertainty.jackknife import TIE

_LEAST_UNITS = 2  # least number of units with an error, and with a match
_MOST_SLICES = 50  # largest number of slices that are compared in pairs


class AlphaDifference(NamedTuple):
    """The difference of Krippendorff's α between two slices, the second minus the first.

    Attributes:
        a, b: names of the slices.
        value: difference of α.
        low, high: ends of its interval; simultaneous if there are several differences.
        p: two-sided probability.
        p_adjusted: p times the number of differences.

    >>> import spanagree as sa
    >>> rows = [(i, "a", "xy"[i % 3 == 0]) for i in range(99)]
    >>> rows += [(i, "b", "xy"[i % 7 == 0 or (i % 3 == 0 and i < 60)]) for i in range(99)]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> names = ["early" if i < 60 else "late" for i in range(99)]
    >>> [change] = sa.slices.coefficients_by_slice(table, names).differences
    >>> change.a, change.b, change.value > 0
    ('late', 'early', True)
    """

    a: str
    b: str
    value: float
    low: float
    high: float
    p: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CoefficientsBySlice(CoefficientsByPart):
    """The coefficients of each slice; see :func:`coefficients_by_slice`.

    Each part is the result of :func:`spanagree.coefficients` for its items, in the order of the
    slices. The notes also count items that are in no slice.

    Attributes:
        title: name of the property that the slices are values of.
        is_ordered: True if slices have an order.
        differences: differences of each slice to the next, if slices have an order; otherwise the
            largest significant difference, or the largest tested difference.
        n_tested: number of differences that p and intervals are adjusted for.

    >>> import spanagree as sa
    >>> rows = [(i, who, "xy"[i % 2 if who == "a" else i > 2]) for i in range(6) for who in "ab"]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> sliced = sa.slices.coefficients_by_slice(table, ["news"] * 3 + ["blog"] * 3)
    >>> list(sliced), round(sliced["news"].kappa.value, 2)
    (['blog', 'news'], 0.0)
    """

    title: str
    is_ordered: bool
    differences: tuple[AlphaDifference, ...]
    n_tested: int

    PICTURED: ClassVar[str] = "α by slice"

    @property
    def verdict(self) -> str:
        """Summary of the change of α with significant steps, or of the largest difference."""
        if self.is_ordered:
            return self._verdict_in_order
        if not self.differences:
            sentence = verdict.write_extremes(self.alphas, "slice", "α", None, 95)
            if not sentence:
                return "Fewer than two slices have an α that is defined."
            reason = (
                f"fewer than two slices have {ENOUGH} {self._clusters} with anything to compare"
            )
            return sentence.replace("no test was made.", f"no test was made: {reason}.")
        (largest,) = self.differences
        high, low = (
            f"{verdict.format_short(self.alphas[name])} in {escape_name(name)}"
            for name in (largest.b, largest.a)
        )
        confidence = parse_confidence(self.settings) or 95
        interval = verdict.write_interval(largest.low, largest.high, confidence)
        simultaneous, pairs = "", ""
        if self.n_tested > 1:
            simultaneous, pairs = "simultaneous ", f", {pluralize(self.n_tested, 'pair')}"
        description = (
            f"Krippendorff's α is {high} and {low} (difference"
            f" {verdict.format_short(largest.value)},"
            f" {simultaneous}{interval}, p {verdict.write_p(largest.p_adjusted)}{pairs})"
        )
        if largest.p_adjusted < LEVEL:
            return f"The largest difference that a test supports: {description}."
        return f"No two slices can be told apart; the largest difference: {description}."

    @property
    def _verdict_in_order(self) -> str:
        """Summary of the first and last α, and the significant steps."""
        ends = verdict.write_first_and_last(self.alphas)
        if not ends:
            return "Fewer than two slices have an α that is defined."
        sentence = f"Krippendorff's α goes {ends}."
        if not self.differences:
            return f"{sentence} There are too few {self._clusters} for a test."
        steps = [
            f"from {escape_name(step.a)} to {escape_name(step.b)} (p"
            f" {verdict.write_p(step.p_adjusted)})"
            for step in self.differences
            if step.p_adjusted < LEVEL
        ]
        adjustment = f", p times {self.n_tested} steps" if self.n_tested > 1 else ""
        if not steps:
            smallest_p = min(step.p_adjusted for step in self.differences)
            return (
                f"{sentence} No step is significant (p {verdict.write_p(smallest_p)} at"
                f" least{adjustment})."
            )
        step_names = ", ".join(verdict.abbreviate_names(steps, 5, "more step"))
        return f"{sentence} Significant steps{adjustment}: {step_names}."

    @property
    def _clusters(self) -> str:
        """Word for the units that are left out one at a time."""
        return (
            f"{document_noun(self.settings)}s"
            if self.settings.get("items") == "tokens"
            else "items"
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"slices": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("by=title", "differences=_differences?")

    @property
    def _differences(self) -> list[dict[str, Any]] | None:
        """Tested differences as plain data."""
        return [change._asdict() for change in self.differences] or None

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each slice, and columns for coefficients."""
        has_intervals = self.settings.ci is not None
        columns = [
            Column("slice", escape_name(self.title), "name", "slice"),
            Column("items", "items", "count", "items of a slice"),
            Column("compared", "with two", "count", "items of a slice with two labels", spare=True),
            Column("labels", "labels", "count", "labels of a slice", spare=True),
            Column("observed", "agreement", meaning="agreement of a pair"),
            Column("spa", "SPA", meaning="SPA"),
        ]
        for coefficient in CORRECTED:
            columns.append(Column(coefficient.sign, coefficient.sign, meaning=coefficient.sign))
            if coefficient is CoefficientSet.alpha:
                columns.append(
                    Column("", "interval of α" if has_intervals else "", "interval", "interval")
                )
        if has_intervals:
            keys = [column.key for column in columns if column.kind == "figure"]
            columns += [Column(f"{key}_{end}") for key in keys for end in ("low", "high")]
        columns.append(Column("interval", kind="json"))
        rows: list[list[Value]] = []
        for name, coefficients_of_slice in self.items():
            counts, figures = coefficients_of_slice.counts, [*_yield_figures(coefficients_of_slice)]
            row: list[Value] = [name, counts.items, counts.compared, counts.labels]
            for key, value, ends in figures:
                row += [value, ends] if key == CoefficientSet.alpha.sign else [value]
            if has_intervals:
                row += [end for *_, ends in figures for end in ends]
            rows.append([*row, _collect_intervals(coefficients_of_slice)])
        items = sum(coefficients_of_slice.counts.items for coefficients_of_slice in self.values())
        with_two = format_count_of_total(
            sum(coefficients_of_slice.counts.compared for coefficients_of_slice in self.values()),
            items,
            "item",
        )
        caption = f"{pluralize(len(self), 'slice')}, {with_two} with two labels or more"
        return Frame(columns, rows, self.settings, caption=caption, remarks=list(self.caveats))


def _yield_figures(
    coefficients_of_slice: Coefficients,
) -> Iterator[tuple[str, float, tuple[float, float]]]:
    """Yield the key, the value and the ends of the interval of each figure of a slice."""
    pi, spa = coefficients_of_slice.pi, coefficients_of_slice.spa
    yield "observed", pi.observed, get_ends(pi.interval, "observed")
    yield "spa", spa.value, get_ends(spa.interval, "observed")
    for kind in CORRECTED:
        coefficient = coefficients_of_slice.of_kind(kind)
        yield kind.sign, coefficient.value, get_ends(coefficient.interval, "corrected")


def _collect_intervals(coefficients_of_slice: Coefficients) -> dict[str, Interval] | None:
    """Collect the intervals of a slice by the key of the coefficient; ``None`` without any."""
    by_key = {"spa": coefficients_of_slice.spa.interval}
    by_key |= {kind.sign: coefficients_of_slice.of_kind(kind).interval for kind in CORRECTED}
    return {key: interval for key, interval in by_key.items() if interval is not None} or None


def coefficients_by_slice(
    source: LabelTable | CorpusLike,
    group_by: SliceBy,
    rows: Source = None,
    *,
    skip_outside: bool = False,
    document: str | None = None,
    encoding: str = "utf-8",
    ci: bool | Jackknife = False,
    **settings: Any,
) -> CoefficientsBySlice:
    """Compute the coefficients of each slice of items.

    Args:
        source: table of labels with items in slices; or a corpus with tokens as items and documents
            in slices.
        group_by: column of the rows, FILE or FILE:COLUMN, a pattern with a group, or the slice of
            each item or document; see :func:`spanagree.slices.score_slices`.
        rows: data with the column: one or several paths, a data frame, a Dataset, or rows.
        skip_outside: True to leave out tokens of a corpus that nobody marked.
        document: column of the rows with the names of items or documents.
        encoding: text encoding of rows that are a table in text.
        ci: True for confidence intervals, or their settings.
        settings: keywords of :func:`spanagree.coefficients`.

    Raises:
        SettingError: for an unknown column; see also :func:`spanagree.coefficients`.
        InputError: if the rows cannot be read, or do not state the item of each row.

    >>> rows = [(i, who, "xy"[i % 2 if who == "a" else i > 2]) for i in range(6) for who in "ab"]
    >>> table = LabelTable.from_rows(rows)
    >>> sliced = coefficients_by_slice(table, ["news"] * 3 + ["blog"] * 3)
    >>> {name: round(part.pi.observed, 2) for name, part in sliced.items()}
    {'blog': 0.67, 'news': 0.67}
    """
    reading = {"document": document, "encoding": encoding}
    if isinstance(source, LabelTable):
        ids = [source.name_of(item) for item in range(source.size)]
        sliced = find_sliced_documents(group_by, ids, rows, noun="item", **reading)  # type: ignore[arg-type]  # texts
        tables = {
            name: source.subset(np.array(indices))
            for name, indices in sliced.collect_documents().items()
        }
    else:
        corpus = as_corpus(source)
        ids = [corpus.id_of(d) for d in range(len(corpus))]
        noun = document_noun(corpus.reading)
        sliced = find_sliced_documents(group_by, ids, rows, noun=noun, **reading)  # type: ignore[arg-type]  # texts
        tables = {
            name: token_labels(corpus.subset(np.array(indices)), skip_outside=skip_outside)
            for name, indices in sliced.collect_documents().items()
        }
    coefficients_by_name = {
        name: coefficients(table, ci=ci, **settings) for name, table in tables.items()
    }
    jackknife = ci if isinstance(ci, Jackknife) else USUAL
    differences, n_tested = _compute_differences(coefficients_by_name, jackknife, sliced.is_ordered)
    all_notes = dict.fromkeys(
        note
        for coefficients_of_slice in coefficients_by_name.values()
        for note in coefficients_of_slice.notes
    )
    first_settings = next(iter(coefficients_by_name.values())).settings
    return CoefficientsBySlice(
        parts=coefficients_by_name,
        settings=replace(
            first_settings, reading={**first_settings.reading, "slices": sliced.record}
        ),
        notes=(*all_notes, *sliced.notes),
        title=sliced.title,
        is_ordered=sliced.is_ordered,
        differences=differences,
        n_tested=n_tested,
    )


class _Alpha(NamedTuple):
    """α of a slice, with its jackknife moments.

    Attributes:
        value: α.
        variance: sum of the squared changes of α if a unit is left out.
        fourth: sum of the fourth powers of these changes.
        n_units: number of units.
        is_tested: True if the slice is large enough for a test.
    """

    value: float
    variance: float
    fourth: float
    n_units: float
    is_tested: bool


def _compute_alpha(coefficients_of_slice: Coefficients, jackknife: Jackknife) -> _Alpha:
    """Compute α of a slice and its jackknife moments, and check if the slice can be tested."""
    inputs = coefficients_of_slice.basis
    if inputs is None or inputs.no_pairs_reason:
        return _Alpha(math.nan, 0.0, 0.0, 0.0, False)
    sums = compute_coefficient_moments(inputs, coefficients_of_slice.spa.weights, jackknife)
    column_index = 3 * [*formulas.COEFFICIENTS].index("alpha") + 2
    values = [float(column[0, column_index]) for column in sums]
    value, variance, fourth, n_units, n_wrong, n_right = values
    is_tested = (
        n_units >= ENOUGH and min(n_wrong, n_right) >= _LEAST_UNITS and not math.isnan(value)
    )
    return _Alpha(value, variance, fourth, n_units, is_tested)


def _compute_differences(
    coefficients_by_name: Mapping[str, Coefficients], jackknife: Jackknife, is_ordered: bool
) -> tuple[tuple[AlphaDifference, ...], int]:
    """Test differences of α: of each slice to the next in an order, or else of all pairs.

    Args:
        coefficients_by_name: coefficients of each slice.
        jackknife: options of the intervals.
        is_ordered: True if slices have an order.

    Returns:
        All tested steps or, without an order, the largest significant difference (the largest
        difference if none is significant), and the number of tests that p is adjusted for.
    """
    alphas = {
        name: _compute_alpha(coefficients_of_slice, jackknife)
        for name, coefficients_of_slice in coefficients_by_name.items()
    }
    if is_ordered:
        steps = list(itertools.pairwise(coefficients_by_name))
        tested_pairs = [
            pair for pair in steps if alphas[pair[0]].is_tested and alphas[pair[1]].is_tested
        ]
        differences = [
            _compute_difference(pair, alphas, jackknife.tail, len(steps)) for pair in tested_pairs
        ]
        return tuple(difference for difference in differences if not math.isnan(difference.p)), len(
            steps
        )
    names = [name for name in coefficients_by_name if alphas[name].is_tested][:_MOST_SLICES]
    pairs = [
        (a, b) if alphas[a].value <= alphas[b].value else (b, a)
        for a, b in itertools.combinations(names, 2)
    ]
    differences = [_compute_difference(pair, alphas, jackknife.tail, len(pairs)) for pair in pairs]
    differences = [change for change in differences if not math.isnan(change.p)]
    if not differences:
        return (), 0
    significant = [change for change in differences if change.p_adjusted < LEVEL]
    return (max(significant or differences, key=lambda change: change.value),), len(pairs)


def _compute_difference(
    pair: tuple[str, str], alphas: Mapping[str, _Alpha], tail: float, n_differences: int
) -> AlphaDifference:
    """Compute the difference of α of two slices, with its interval and p.

    The slices have no common units, so the variance of the difference is the sum of both variances.

    Args:
        pair: names of both slices.
        alphas: α of each slice.
        tail: probability beyond each end of all intervals together.
        n_differences: number of differences that p and the interval are adjusted for.
    """
    first, second = (alphas[name] for name in pair)
    value = second.value - first.value
    variance, fourth = first.variance + second.variance, first.fourth + second.fourth
    if not math.sqrt(variance) > TIE:
        nan = math.nan
        return AlphaDifference(*pair, value, nan, nan, nan, nan)
    n_units = first.n_units + second.n_units
    p_and_half_widths = compute_p_and_half_width(
        np.array([value]), np.array([variance]), np.array([fourth]), n_units, tail / n_differences
    )
    p, half_width = (float(values[0]) for values in p_and_half_widths)
    return AlphaDifference(
        *pair, value, value - half_width, value + half_width, p, min(1.0, n_differences * p)
    )
