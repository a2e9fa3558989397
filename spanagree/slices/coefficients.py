"""Coefficients of each slice of items, or of a corpus's tokens."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.corpus.label_table import LabelTable
from spanagree.errors import escape_name, pluralize, pluralize_of
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels import formulas
from spanagree.labels.by_label import CoefficientsByPart
from spanagree.labels.formulas import CORRECTED, CoefficientSet
from spanagree.labels.intervals import coefficient_moments
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import token_labels
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.score import ends_of
from spanagree.results.verdict import LEVEL
from spanagree.settings import confidence_of, document_noun
from spanagree.slices.differences import ENOUGH
from spanagree.slices.metadata import Source
from spanagree.slices.values import SliceBy, sliced_documents
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.differences import p_and_half_width
from spanagree.uncertainty.jackknife import TIE

_LEAST = 2  # units with an error, and with a match
_MOST = 50  # slices of which each two are compared


class AlphaDifference(NamedTuple):
    """The difference of Krippendorff's α between two slices, the second less the first.

    Attributes:
        a, b: names of the slices.
        value: the difference.
        low, high: its interval; of several, intervals hold all at once.
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

    Each part is what :func:`spanagree.coefficients` says of its items, in the slices' order; the
    notes name items in no slice, too.

    Attributes:
        title: name of what slices are the values of.
        is_ordered: whether slices follow each other.
        differences: from each slice to the next of slices in order, else the largest one that a
            test supports, or that was tested.
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
        """From where to where α goes, and the significant steps; or the largest difference."""
        if self.is_ordered:
            return self._verdict_in_order
        if not self.differences:
            sentence = verdict.extremes(self.alphas, "slice", "α", None, 95)
            if not sentence:
                return "Fewer than two slices have an α that is defined."
            why = f"fewer than two slices have {ENOUGH} {self._clusters} with anything to compare"
            return sentence.replace("No test was made.", f"No test was made: {why}.")
        (largest,) = self.differences
        high, low = (
            f"{verdict.short(self.alphas[x])} in {escape_name(x)}" for x in (largest.b, largest.a)
        )
        confidence = confidence_of(self.settings) or 95
        sure = verdict.ends(largest.low, largest.high, confidence)
        simultaneous, pairs = "", ""
        if self.n_tested > 1:
            simultaneous, pairs = "simultaneous ", f", {pluralize(self.n_tested, 'pair')}"
        figures = (
            f"Krippendorff's α is {high} and {low} (difference {verdict.short(largest.value)},"
            f" {simultaneous}{sure}, p {verdict.p_of(largest.p_adjusted)}{pairs})"
        )
        if largest.p_adjusted < LEVEL:
            return f"The largest difference that a test supports: {figures}."
        return f"No two slices can be told apart; the largest difference: {figures}."

    @property
    def _verdict_in_order(self) -> str:
        """Say where α began and ended, and which steps are significant."""
        ends = verdict.from_first_to_last(self.alphas)
        if not ends:
            return "Fewer than two slices have an α that is defined."
        sentence = f"Krippendorff's α goes {ends}."
        if not self.differences:
            return f"{sentence} There are too few {self._clusters} for a test."
        steps = [
            f"from {escape_name(step.a)} to {escape_name(step.b)} (p"
            f" {verdict.p_of(step.p_adjusted)})"
            for step in self.differences
            if step.p_adjusted < LEVEL
        ]
        times = f", p times {self.n_tested} steps" if self.n_tested > 1 else ""
        if not steps:
            least = min(step.p_adjusted for step in self.differences)
            return f"{sentence} No step is significant (p {verdict.p_of(least)} at least{times})."
        named = ", ".join(verdict.first_of(steps, 5, "more step"))
        return f"{sentence} Significant steps{times}: {named}."

    @property
    def _clusters(self) -> str:
        """The word for what is left out one at a time."""
        return (
            f"{document_noun(self.settings)}s"
            if self.settings.get("items") == "tokens"
            else "items"
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"slices": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("by=title", "differences=_differences?")

    @property
    def _differences(self) -> list[dict[str, Any]] | None:
        """The differences that were tested, as plain data."""
        return [change._asdict() for change in self.differences] or None

    def _table(self, by: str | None) -> Frame:
        """A row for each slice."""
        ci = self.settings.ci is not None
        columns = [
            Column("slice", escape_name(self.title), "name", "slice"),
            Column("items", "items", "count", "items of a slice"),
            Column("compared", "with two", "count", "items of a slice with two labels", spare=True),
            Column("labels", "labels", "count", "labels of a slice", spare=True),
            Column("observed", "agreement", meaning="agreement of a pair"),
            Column("spa", "SPA", meaning="SPA"),
        ]
        for kind in CORRECTED:
            columns.append(Column(kind.sign, kind.sign, meaning=kind.sign))
            if kind is CoefficientSet.alpha:
                columns.append(Column("", "interval of α" if ci else "", "interval", "interval"))
        rows: list[list[Value]] = []
        for name, part in self.items():
            counts, figures = part.counts, list[Value]([part.pi.observed, part.spa.value])
            for kind in CORRECTED:
                figures.append(part.of_kind(kind).value)
                if kind is CoefficientSet.alpha:
                    figures.append(ends_of(part.alpha.interval, "corrected"))
            rows.append([name, counts.items, counts.compared, counts.labels, *figures])
        items = sum(part.counts.items for part in self.values())
        with_two = pluralize_of(sum(part.counts.compared for part in self.values()), items, "item")
        caption = f"{pluralize(len(self), 'slice')}, {with_two} with two labels or more"
        return Frame(columns, rows, self.settings, caption=caption, remarks=list(self.caveats))


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
    """Return the coefficients of each slice of items.

    Args:
        source: a table of labels, whose items are in slices; or a corpus, whose tokens are the
            items and whose documents are in slices.
        group_by: a column of the rows, FILE or FILE:COLUMN, a pattern with a group, or the slice of
            each item (or document), as for :func:`spanagree.slices.score_slices`.
        rows: what has the column: a path, several, a data frame, a Dataset, or rows.
        skip_outside: of a corpus, leave out tokens that nobody marked.
        document: the column of the rows with the names of items or documents.
        encoding: of rows that are a table in text.
        ci: confidence intervals, and their confidence.
        settings: as for :func:`spanagree.coefficients`.

    Raises:
        SettingError: for an unknown column; as for :func:`spanagree.coefficients`.
        InputError: for rows that cannot be read, or do not tell of which item they are.

    >>> rows = [(i, who, "xy"[i % 2 if who == "a" else i > 2]) for i in range(6) for who in "ab"]
    >>> table = LabelTable.from_rows(rows)
    >>> sliced = coefficients_by_slice(table, ["news"] * 3 + ["blog"] * 3)
    >>> {name: round(part.pi.observed, 2) for name, part in sliced.items()}
    {'blog': 0.67, 'news': 0.67}
    """
    reading = {"document": document, "encoding": encoding}
    if isinstance(source, LabelTable):
        ids = [source.name_of(item) for item in range(source.size)]
        sliced = sliced_documents(group_by, ids, rows, noun="item", **reading)  # type: ignore[arg-type]  # texts
        tables = {name: source.subset(np.array(here)) for name, here in sliced.documents().items()}
    else:
        corpus = as_corpus(source)
        ids = [corpus.id_of(d) for d in range(len(corpus))]
        noun = document_noun(corpus.reading)
        sliced = sliced_documents(group_by, ids, rows, noun=noun, **reading)  # type: ignore[arg-type]  # texts
        tables = {
            name: token_labels(corpus.subset(np.array(here)), skip_outside=skip_outside)
            for name, here in sliced.documents().items()
        }
    parts = {name: coefficients(table, ci=ci, **settings) for name, table in tables.items()}
    jackknife = ci if isinstance(ci, Jackknife) else USUAL
    differences, n_tested = _differences(parts, jackknife, sliced.is_ordered)
    every = dict.fromkeys(note for part in parts.values() for note in part.notes)
    first = next(iter(parts.values())).settings
    return CoefficientsBySlice(
        parts=parts,
        settings=replace(first, reading={**first.reading, "slices": sliced.says}),
        notes=(*every, *sliced.notes),
        title=sliced.title,
        is_ordered=sliced.is_ordered,
        differences=differences,
        n_tested=n_tested,
    )


class _Alpha(NamedTuple):
    """α of a slice: its value, the sums of its changes, and the number of units."""

    value: float
    variance: float
    fourth: float
    n_units: float
    is_tested: bool


def _alpha_of(part: Coefficients, jackknife: Jackknife) -> _Alpha:
    """Leave out each item of a slice once; of tokens each document."""
    basis = part.basis
    if basis is None or basis.no_pairs_reason:
        return _Alpha(math.nan, 0.0, 0.0, 0.0, False)
    sums = coefficient_moments(basis, part.spa.weights, jackknife)
    at = 3 * [*formulas.COEFFICIENTS].index("alpha") + 2
    values = [float(column[0, at]) for column in sums]
    value, variance, fourth, n_units, n_wrong, n_right = values
    is_tested = n_units >= ENOUGH and min(n_wrong, n_right) >= _LEAST and not math.isnan(value)
    return _Alpha(value, variance, fourth, n_units, is_tested)


def _differences(
    parts: Mapping[str, Coefficients], jackknife: Jackknife, is_ordered: bool
) -> tuple[tuple[AlphaDifference, ...], int]:
    """Test each step of slices in order; or else each two, of which the largest is returned."""
    alphas = {name: _alpha_of(part, jackknife) for name, part in parts.items()}
    if is_ordered:
        steps = list(itertools.pairwise(parts))
        tested = [two for two in steps if alphas[two[0]].is_tested and alphas[two[1]].is_tested]
        made = [_difference(two, alphas, jackknife.tail, len(steps)) for two in tested]
        return tuple(x for x in made if not math.isnan(x.p)), len(steps)
    names = [name for name in parts if alphas[name].is_tested][:_MOST]
    pairs = [
        (a, b) if alphas[a].value <= alphas[b].value else (b, a)
        for a, b in itertools.combinations(names, 2)
    ]
    made = [_difference(two, alphas, jackknife.tail, len(pairs)) for two in pairs]
    made = [change for change in made if not math.isnan(change.p)]
    if not made:
        return (), 0
    apart = [change for change in made if change.p_adjusted < LEVEL]
    return (max(apart or made, key=lambda change: change.value),), len(pairs)


def _difference(
    two: tuple[str, str], alphas: Mapping[str, _Alpha], tail: float, number: int
) -> AlphaDifference:
    """Compute the difference of α in two slices of different units, whose variances add."""
    first, second = (alphas[name] for name in two)
    value = second.value - first.value
    variance, fourth = first.variance + second.variance, first.fourth + second.fourth
    if not math.sqrt(variance) > TIE:
        nan = math.nan
        return AlphaDifference(*two, value, nan, nan, nan, nan)
    n_units = first.n_units + second.n_units
    of_all = p_and_half_width(
        np.array([value]), np.array([variance]), np.array([fourth]), n_units, tail / number
    )
    p, reach = (float(x[0]) for x in of_all)
    return AlphaDifference(*two, value, value - reach, value + reach, p, min(1.0, number * p))
