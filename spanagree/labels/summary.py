"""All coefficients of a table at once, with what each category and each annotator adds to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, ranges
from spanagree.choices import CategoryWeights, Measurement, Weights
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import InputError, counted, printable
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.labels import formulas
from spanagree.labels.chance_corrected import Basis, score
from spanagree.labels.coefficient import (
    Bias,
    Coefficient,
    CoefficientSettings,
    Counts,
    Spa,
    data_table,
)
from spanagree.labels.formulas import (
    COEFFICIENTS,
    CORRECTED,
    C,
    CoefficientKind,
    CoefficientSet,
    Sums,
    rows_of,
)
from spanagree.labels.intervals import category_intervals, intervals
from spanagree.labels.neighbours import neighbours
from spanagree.labels.sparse_agreement import score_spa
from spanagree.labels.tokens import token_labels
from spanagree.results import verdict
from spanagree.results.caveats import merge_caveats
from spanagree.results.frame import Column, Frame, Value, figure
from spanagree.results.plots import Dot, Picture, dots_of
from spanagree.results.result import Comparable, Result
from spanagree.results.score import UNDEFINED, Interval, Score, ends_of
from spanagree.settings import confidence_of
from spanagree.uncertainty.confidence import Jackknife, parse_ci, settings_with

_NO_ENDS = (UNDEFINED, UNDEFINED)
_CELLS = 1 << 22  # of tables of two annotators' labels
_LOWEST = "lowest agreement by category"
BYRT = {"prevalence": "prevalence", "bias_index": "bias index", "pabak": "PABAK"}
"""Byrt's indices of two annotators: their titles by key."""

Part = TypeVar("Part")


class ResultByPart(Result, Mapping[str, Part]):
    """A result that is a mapping: of each part, by its name."""

    parts: Mapping[str, Part]

    def __getitem__(self, name: str) -> Part:
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


# --- bias between annotators ----------------------------------------------------------------------


def bias(table: LabelTable, *, complete_only: bool = False) -> Bias:
    """Return bias B (Artstein & Poesio 2005, 13.3): how far annotators' preferences differ.

    ``value`` is A_e of π − A_e of κ. Of a complete table that is Σ_k Var_c(P(k|c))/(c − 1), never
    negative; by category it is the term of k, by annotator the share of c in the variances. With
    gaps, annotators who labelled other items differ for that reason too.

    >>> rows = [("1", "ann", "O"), ("1", "bob", "O"), ("2", "ann", "O"), ("2", "bob", "X")]
    >>> bias(LabelTable.from_rows(rows)).value
    0.125
    """
    return score_bias(Basis.of(table, complete_only))


def score_bias(basis: Basis) -> Bias:
    """Return the bias, also of each category and annotator."""
    shared = basis.shared(CoefficientSet.bias)
    if reason := basis.undefined(CoefficientSet.bias):
        return Bias(**shared, reason=reason)
    sums = basis.sums
    ((of_pi, of_kappa, value),) = rows_of(CoefficientSet.bias, sums)
    terms = zip(basis.table.labels, sums.of_one[0].tolist(), sums.of_pairs[0].tolist(), strict=True)
    return Bias(
        **shared,
        value=value,
        observed=of_pi,
        expected=of_kappa,
        by_category={
            label: Coefficient(**shared, value=a - b, observed=a, expected=b)
            for label, a, b in terms
        },
        by_annotator=_by_annotator(basis, sums),
    )


def _by_annotator(basis: Basis, sums: Sums) -> dict[str, float]:
    """Return each annotator's share of the variances of P(k|c) over annotators, Σ_k (q_k − mean)².

    Who gave no label has none.
    """
    preferences, c = (part[0] for part in sums.preferences)
    apart = sums.square(preferences - preferences.sum(axis=0) / c).sum(axis=1) / (c * (c - 1))
    gave = np.flatnonzero(basis.own.sum(axis=1)[basis.ranks])
    return {basis.table.annotators[i]: float(apart[basis.ranks[i]]) for i in gave.tolist()}


# --- agreement on a category ----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CategoryAgreement(Coefficient):
    """Agreement on one category: of the pairs in which one chose it, in how many both did.

    Attributes:
        agreements: A_j, pairs of annotators who both chose the category.
        potential: P_j, pairs of whom one at least chose it.
        given: how many labels are of the category.
        specific: Uebersax's specific agreement, 2R/(1 + R): how likely another chooses the category
            if one does.
    """

    agreements: int
    potential: int
    given: int
    specific: float

    FIGURES: ClassVar[tuple[str, ...]] = (
        *Coefficient.FIGURES,
        "specific",
        "agreements",
        "potential",
        "labels",
    )

    CORRECTED: ClassVar[str] = ""

    @property
    def labels(self) -> int:
        """How many labels are of the category, as the data call it."""
        return self.given


@dataclass(frozen=True, eq=False, repr=False)
class Categories(ResultByPart[CategoryAgreement]):
    """Agreement on each category; ``lowest`` is the name of that on which it is lowest.

    ``mean`` and ``median`` are over the categories that are in a pair of labels.
    """

    parts: Mapping[str, CategoryAgreement]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()
    mean: Score = field(kw_only=True)
    median: Score = field(kw_only=True)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each; all categories rest on the same items."""
        return next((part.caveats for part in self.values()), ())

    @property
    def lowest(self) -> str | None:
        """The first of those with the lowest value; ``None`` if none is defined."""
        values = {name: part.value for name, part in self.items() if not math.isnan(part.value)}
        return min(values, key=values.__getitem__) if values else None

    TABLES: ClassVar[Mapping[str, str | None]] = {"categories": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("lowest",)

    def _table(self, by: str | None) -> Frame:
        """A row for each category."""
        return data_table(CategoryAgreement, self.items(), self.settings)

    def _picture(self, by: str | None) -> Picture:
        """Return the value of each category."""
        rows: list[tuple[str, list[Dot]]] = [
            (name, [(part.value, UNDEFINED, UNDEFINED)]) for name, part in self.items()
        ]
        return dots_of(rows, ["R"], "agreement by category")


def category_agreement(table: LabelTable, *, complete_only: bool = False) -> Categories:
    """Return agreement on each category by itself (Uebersax, as worked out by Siegel 2018).

    ``value`` is R_j = A_j / P_j: of the pairs of labels of the same item of which at least one is
    j, the share in which both are (a Jaccard index). ``expected`` is R_j if labels were drawn at
    random from their shares among pairs. No category is hidden behind a frequent one, so report
    the lowest.

    >>> from spanagree.corpus.label_table import LabelTable
    >>> sandwich = [[2, 0]] * 400 + [[1, 1]] * 150 + [[0, 2]] * 450
    >>> found = category_agreement(LabelTable.from_counts(sandwich, ["no", "yes"]))
    >>> {name: (of.agreements, of.potential, round(of.specific, 3)) for name, of in found.items()}
    {'no': (400, 550, 0.842), 'yes': (450, 600, 0.857)}
    >>> found.lowest
    'no'
    """
    return score_categories(Basis.of(table, complete_only))


def score_categories(basis: Basis, ends: Sequence[Interval] = ()) -> Categories:
    """Return agreement on each category, with these intervals, and their mean and median."""
    table = basis.table
    both, first = formulas.pairs_of_categories(table.counts)
    figures = formulas.agreement_figures(np.concatenate((both, first))[None]).reshape(-1, 3)
    *scores, mean, median = (
        Score(observed, expected, above, interval=interval)
        for (observed, expected, above), interval in zip_longest(figures.tolist(), ends)
    )
    given = table.counts.given.sum(axis=0)
    columns = (column.tolist() for column in (both, first, given))
    categories = {
        name: CategoryAgreement(
            **basis.shared(),
            value=agreement.observed,
            observed=agreement.observed,
            expected=agreement.expected,
            interval=agreement.interval,
            reason="" if pairs else basis.nothing or "in no pair of labels",
            agreements=equal // 2,
            potential=pairs - equal // 2,
            given=labels,
            specific=equal / pairs if pairs else UNDEFINED,
        )
        for name, agreement, equal, pairs, labels in zip(
            table.labels, scores, *columns, strict=True
        )
    }
    return Categories(categories, basis.settings, basis.notes, mean=mean, median=median)


# --- by pair of annotators and by item ------------------------------------------------------------


def pairs_table(basis: Basis) -> Frame:
    """Return a row for each two annotators who labelled an item both, over these items."""
    table = basis.table
    signs = [kind.sign_with(basis.weight_matrices) for kind in CORRECTED]
    columns = [
        Column("a", "annotators", "name", "pair of annotators"),
        Column("b", " ", "name"),
        Column("items", "items", "count", "items of a pair"),
        Column("observed", "agreement", meaning="agreement of a pair"),
        *(Column(sign, sign, meaning="coefficient of a pair") for sign in signs),
        *(Column(key, title, spare=True) for key, title in BYRT.items()),
        Column("stuart_p", "Stuart", "probability", spare=True),
    ]
    if table.annotator is None or not table.labels:
        return Frame(columns, [])
    pairs, items, sums, contingency = _sums_of_pairs(basis, table)
    figures = [
        sums.observed[:, 0],
        *(np.reshape(rows_of(kind, sums), (-1, 3))[:, 2] for kind in CORRECTED),
        *byrt(contingency),
        stuart(contingency),
    ]
    rows: list[list[Value]] = [
        [table.annotators[a], table.annotators[b], number, *of_pair]
        for (a, b), number, of_pair in zip(
            pairs.tolist(), items.tolist(), np.stack(figures, axis=1).tolist(), strict=True
        )
    ]
    return Frame(columns, rows)


def _sums_of_pairs(basis: Basis, table: LabelTable) -> tuple[Ints, Ints, Sums, Floats]:
    """Return each two annotators, how many items both labelled, and the sums over these.

    Last comes how often the first gave one label and the second another; (pairs, labels, labels),
    without labels where that would be very many numbers.
    """
    assert table.annotator is not None
    q, near = len(table.labels), basis.weight_matrices
    order = np.lexsort((table.annotator, table.item))
    item, annotator, label = (
        column[order] for column in (table.item, table.annotator, table.label)
    )
    other, row = ranges(np.arange(len(item)) + 1, np.searchsorted(item, item, side="right"))
    (a, b, x, y), _, times = distinct(annotator[row], annotator[other], label[row], label[other])
    (first, second), pair, _ = distinct(a, b)
    size = len(first)
    items = np.bincount(pair, times, size).astype(np.int64)
    of_a, of_b = (
        np.bincount(pair * q + given, times, size * q).reshape(size, q) for given in (x, y)
    )

    def weighted_agreement(weights: Floats | None) -> Floats:
        weight = (x == y) if weights is None else weights[x, y]
        sums: Floats = np.bincount(pair, weight * times, size)[:, None].astype(np.float64)
        return sums

    number = items[:, None].astype(np.float64)
    nothing = np.zeros_like(number)
    values = (of_a + of_b).astype(np.float64)
    sums = Sums(
        number, number, weighted_agreement(near.weights), nothing, nothing,
        2 * (number - weighted_agreement(near.alpha)), values / 2, np.zeros_like(values), values,
        np.concatenate((of_a, of_b), axis=1), weight_matrices=near,
    )  # fmt: skip
    contingency = np.zeros((size, 0, 0))
    if size * q * q <= _CELLS:
        cells = np.bincount((pair * q + x) * q + y, times, size * q * q)
        contingency = cells.reshape(size, q, q).astype(np.float64)
    return np.stack((first, second), axis=1), items, sums, contingency


def byrt(both: Floats) -> list[Floats]:
    """Return prevalence index, bias index and PABAK of pairs, for two categories only.

    Byrt, Bishop & Carlin (1993): (a − d)/n, (b − c)/n and 2·A_o − 1, with a and d what both gave.

    >>> [x.round(2).tolist() for x in byrt(np.array([[[80.0, 10.0], [5.0, 5.0]]]))]
    [[0.75], [0.05], [0.7]]
    """
    if both.shape[1] != 2:
        return [np.full(len(both), UNDEFINED)] * 3
    number = both.sum(axis=(1, 2))
    a, b, c, d = both.reshape(len(both), 4).T
    return [(a - d) / number, (b - c) / number, 2 * (a + d) / number - 1]


def stuart(both: Floats) -> Floats:
    """Return p of Stuart's test (1955) that two annotators use the categories equally often.

    Of two categories it is McNemar's; undefined where they never differ.

    >>> stuart(np.array([[[80.0, 10.0], [2.0, 8.0]]])).round(4).tolist()
    [0.0209]
    """
    from scipy.special import chdtrc  # takes a tenth of a second to import

    if not both.size:
        return np.full(len(both), UNDEFINED)
    rows, columns = both.sum(axis=2), both.sum(axis=1)
    change = rows - columns
    covariance = -(both + both.transpose(0, 2, 1))
    place = np.arange(both.shape[1])
    covariance[:, place, place] += rows + columns
    free = np.linalg.matrix_rank(covariance, hermitian=True)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    statistic = np.einsum("pk,pkl,pl->p", change, inverse, change)
    return np.where(free > 0, chdtrc(np.maximum(free, 1), statistic), UNDEFINED)


def items_table(basis: Basis) -> Frame:
    """Return a row for each item on which any labels differ, those of least agreement first.

    Of items that agree alike, the one with more labels comes first.
    """
    table = basis.table
    n = table.given
    pairs = np.maximum(n * (n - 1), 1)
    agreement = np.where(n >= 2, basis.weighted_agreement_by_item / pairs, UNDEFINED)
    disputed = np.flatnonzero(table.informative[1])
    names = _names(table, disputed)
    rank = sorted(names, key=lambda i: (agreement[i], -n[i], names[i]))
    given = _given(table, disputed)
    columns = [Column("item", "item", "name", "disputed item")]
    columns += [Column("labels", "labels", "count", "labels of an item")]
    columns += [Column("agreement", "agreement", meaning="agreement of an item")]
    columns += [Column("given", "who gave which", "name")]
    rows: list[list[Value]] = [
        [names[i], int(n[i]), float(agreement[i]), "; ".join(given[i])] for i in rank
    ]
    alike = int((n >= 2).sum()) - len(rank)
    remarks = [f"on {counted(alike, 'item')} all labels are the same"] if alike else []
    return Frame(columns, rows, remarks=remarks)


def _names(table: LabelTable, items: Ints) -> dict[int, str]:
    """Return the names of some items; of tokens, where they stand, from 1."""
    if table.documents is None:
        return {i: table.name_of(i) for i in items.tolist()}
    document = table.documents[items]
    token = items - np.searchsorted(table.documents, document) + 1
    unit = str(table.reading.get("items", "tokens")).removesuffix("s")
    places = zip(items.tolist(), (document + 1).tolist(), token.tolist(), strict=True)
    return {i: f"document {d}, {unit} {k}" for i, d, k in places}


def _given(table: LabelTable, items: Ints) -> dict[int, list[str]]:
    """Return the labels of some items, each with those who gave it, or how many did."""
    asked = np.zeros(table.size, np.bool_)
    asked[items] = True
    rows = np.flatnonzero(asked[table.item])
    order = rows[np.lexsort((table.label[rows], table.item[rows]))]
    gave: dict[int, dict[str, list[str]]] = {}
    for row in order.tolist():
        labels = gave.setdefault(int(table.item[row]), {})
        annotator = table.annotators[table.annotator[row]] if table.annotator is not None else ""
        labels.setdefault(table.labels[table.label[row]], []).append(
            annotator or f"{counted(int(table.number[row]), 'annotator')}"
        )
    return {
        item: [f"{label}: {', '.join(sorted(annotators))}" for label, annotators in labels.items()]
        for item, labels in gave.items()
    }


# --- all coefficients -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Labeller(Comparable):
    """One annotator of a table.

    Attributes:
        name: the annotator.
        labels: how many labels she gave.
        pairs: how many labels of others stand beside hers, on the same items.
        agreement: the share of these that are the same as hers; ``nan`` if there are none.
        bias: her share of all annotators' bias, of 1; see :func:`bias`.
    """

    name: str
    labels: int
    pairs: int
    agreement: float
    bias: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coefficients(Result, CoefficientSet):
    """The result of :func:`coefficients`; ``spa``, ``pi``, ``kappa`` and so on are in it.

    Attributes:
        parts: the coefficients, by key, in the order in which they are reported.
        categories: agreement on each category by itself.
        annotators: by name; empty for a table of counts.
        counts: the items, labels and pairs behind all of them.
        settings: what made the numbers.
        notes: what was read in another way than it stands.
        units: of tokens, the number of their documents.
        evidence: how many items (of tokens, their documents) have two labels or more, and of
            these, how many have any that disagree, and that agree.
        basis: what they were made of.

    >>> import spanagree as sa
    >>> rows = [("1", "ann", "x"), ("1", "bob", "x"), ("2", "ann", "y"), ("2", "bob", "x")]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> found = sa.coefficients(table)
    >>> found.kappa.value, round(found.alpha.value, 3), round(found.ac1.value, 3)
    (0.0, 0.0, 0.2)
    """

    parts: Mapping[str, Coefficient]
    categories: Categories
    annotators: Mapping[str, Labeller]
    counts: Counts
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()
    units: int | None = None
    evidence: tuple[int, ...]
    basis: Basis = field(repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "category": "a row for each category",
        "annotator": "a row for each annotator",
        "pair": "a row for each two annotators, over the items that both labelled",
        "item": "a row for each item on which labels differ, the most disputed first",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("category", "annotator")

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        doubt = (self.spa.dependence,) if self.spa.dependence else ()
        return (*doubt, *self.pi.caveats)

    def of_kind(self, kind: CoefficientKind[C]) -> C:
        """Return the coefficient of a kind."""
        return cast("C", self.parts[kind.key])

    @property
    def all(self) -> tuple[Coefficient, ...]:
        """The coefficients, in the order in which they are reported."""
        return tuple(self.parts.values())

    @property
    def verdict(self) -> str:
        """How high α is, and on which category agreement is lowest."""
        ends, confidence = self.alpha.interval, confidence_of(self.settings)
        interval = None if ends is None else ends.corrected
        name = "Krippendorff's α"
        alpha = verdict.coefficient(name, self.alpha.value, interval, confidence, self.alpha.reason)
        values = {part.value for part in self.categories.values() if not math.isnan(part.value)}
        lowest = self.categories.lowest
        if lowest is None or len(values) < 2:
            return alpha
        least = verdict.short(self.categories[lowest].value)
        return f"{alpha} Agreement is lowest on {printable(lowest)} ({least} of its pairs)."

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "coefficients": None,
        "categories": "category",
        "annotators": "annotator",
    }

    SUMMARY: ClassVar[tuple[str, ...]] = (
        *(f"{name}=counts.{name}" for name in Counts._fields),
        "lowest_category=categories.lowest",
    )

    def _table(self, by: str | None) -> Frame:
        """A row for each coefficient, or with ``by`` for each category or annotator."""
        make: dict[str | None, Callable[[], Frame]] = {
            None: self._whole,
            "category": self._by_category,
            "annotator": self._by_annotator,
            "pair": lambda: pairs_table(self.basis),
            "item": lambda: items_table(self.basis),
        }
        table, counts = make[by](), self.counts
        names = counts.annotators
        if by in (None, "category") and self.categories.lowest is not None:
            table = replace(table, meanings={**table.meanings, _LOWEST: _LOWEST})
        return replace(
            table,
            settings=self.settings,
            caption=f"{'annotators unnamed' if names is None else counted(names, 'annotator')},"
            f" {counted(counts.items, 'item')}, {counts.compared} with two labels or more,"
            f" {counted(counts.labels, 'label')}, {counted(counts.pairs, 'pair')} of labels,"
            f" {counts.categories} categor{'y' if counts.categories == 1 else 'ies'}",
            remarks=[*table.remarks, *dict.fromkeys(self._remarks(by)), *self.caveats],
        )

    def _whole(self) -> Frame:
        """SPA has three rows for people, and the bias a row of its own for them."""
        ci = self.settings.ci is not None
        columns = [Column("coefficient", " ", "name"), Column("corrected"), Column("jackknife")]
        columns += [Column("value", "value"), Column("", "interval" if ci else "", "interval")]
        columns += [Column("observed", "observed"), Column("expected", "expected")]
        columns += [Column("value_low"), Column("value_high")] if ci else []
        columns += [Column(key, kind="count") for key in Counts._fields]
        columns += [Column("undefined", kind="json"), Column("interval", kind="json")]

        def row(name: str, part: Coefficient, value: float, **other: Value) -> list[Value]:
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
            counts = self.counts._asdict().values()
            return [*cells.values(), *counts, part.reason, part.interval]

        rows, for_people, for_data = list[list[Value]](), set[int](), set[int]()
        none = {"observed": "", "expected": ""}
        for kind, part in zip(COEFFICIENTS.values(), self.all, strict=True):
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
        names = [str(name) for name, *_ in rows]
        meanings = {name: name for i, name in enumerate(names) if i not in for_data}
        if {"measurement", "category_weights"} & self.settings.keys():
            meanings["α"] = "α of grades or sets"
        return Frame(columns, rows, for_people=for_people, for_data=for_data, meanings=meanings)

    def _by_category(self) -> Frame:
        ci = self.settings.ci is not None
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
        for name, part in self.categories.items():
            pairs = (part.agreements, part.potential)
            values = [getattr(x.by_category.get(name), "value", UNDEFINED) for x in self.all]
            others.append([part.specific, *values])
            ends = ends_of(part.interval, "observed")
            begin = [name, "", name, part.value, ends, part.specific]
            data_ends = ends if ci else ()
            rows.append([*begin, *pairs, part.given, *values, *pairs, *data_ends, part.interval])
        averages = {"mean": self.categories.mean, "median": self.categories.median}
        of_others = formulas.mean_and_median(np.array(others).reshape(-1, len(self.all) + 1).T)
        for (name, agreement), average in zip(averages.items(), of_others, strict=True):
            specific, *values = average.tolist()
            ends = ends_of(agreement.interval, "observed")
            begin = ["", name, name, agreement.observed, ends, specific]
            data_ends = ends if ci else ()
            none = [None, None]
            rows.append([*begin, *none, None, *values, *none, *data_ends, agreement.interval])
        return Frame(columns, rows, breaks=[len(self.categories)])

    def _by_annotator(self) -> Frame:
        columns = [
            Column("annotator", "annotator", "name", "annotator of labels"),
            Column("labels", "labels", "count"),
            Column("pairs", "pairs", "count", "pairs of labels"),
            Column("agreement", "agreement", meaning="agreement of an annotator"),
            Column("share_of_bias", "share of bias"),
        ]
        return Frame(
            columns, [list(vars(labeller).values()) for labeller in self.annotators.values()]
        )

    def _remarks(self, by: str | None) -> Iterator[str]:
        """Yield the lowest agreement by category, and why figures of the table are undefined."""
        if by in ("annotator", "pair"):
            if not self.annotators:
                yield "no rows: a table of counts does not say who gave which label"
        elif by != "item" and (lowest := self.categories.lowest) is not None:
            part, values = self.categories[lowest], [c.value for c in self.categories.values()]
            also = values.count(part.value) - 1
            yield (
                f"{_LOWEST}: {figure(lowest)}, {figure(part.value)} ({part.agreements} of"
                f" {counted(part.potential, 'pair')} in which one chose it)"
                + (f", and {also} more as low" if also else "")
            )
        for coefficient in self.all:
            if coefficient.reason:
                beyond = coefficient.reason.startswith("corrected: ")
                name = "SPA corrected" if beyond else coefficient.name
                yield f"{name} undefined: {coefficient.reason.removeprefix('corrected: ')}"
            elif by == "category":
                for category in coefficient.by_category.values():
                    if category.reason:
                        yield f"–: {coefficient.name} undefined: {category.reason}"
        if by is None and self.spa.jackknife_reason:
            yield f"jackknife undefined: {self.spa.jackknife_reason}"
        if by is None and self.spa.jackknife > 1:
            yield "jackknife above 1, which is full agreement: of few items it corrects too much"
        if by == "annotator" and not all(labeller.pairs for labeller in self.annotators.values()):
            yield "–: agreement undefined: no label of another on the same items"
        if by == "annotator" and not any(self.bias.by_annotator.values()):
            yield "–: share of bias undefined: there is none to share"
        if by == "category":
            for of_category in self.categories.values():
                if of_category.reason:
                    yield f"–: agreement undefined: {of_category.reason}"

    def _picture(self, by: str | None) -> Picture:
        """Return the coefficients with their intervals; by category, or each annotator's share."""
        shares = [self.parts[key] for key, kind in COEFFICIENTS.items() if kind.is_share]
        if by == "annotator":
            agreeing = [(x.name, [(x.agreement, *_NO_ENDS)]) for x in self.annotators.values()]
            what = "agreement with the others, as observed"
            return dots_of(agreeing, [what], what)
        if by == "category":
            split = [coefficient for coefficient in shares if coefficient.by_category]
            kinds, what = [coefficient.name for coefficient in split], "agreement by category"
            values = [
                (name, [(coefficient.by_category[name].value, *_NO_ENDS) for coefficient in split])
                for name in self.categories
            ]
            return dots_of(values, kinds, what)
        rows = []
        for part in shares:
            kind = "observed" if part is self.spa else "corrected"
            rows.append((part.name, [(part.value, *ends_of(part.interval, kind))]))
        return dots_of(rows, ["value"], "agreement corrected for chance (SPA: as observed)")


def coefficients(
    table: LabelTable,
    *,
    weights: Weights = "annotations_m1",
    class_distribution: Mapping[str, float] | None = None,
    complete_only: bool = False,
    ci: bool | Jackknife = False,
    measurement: Measurement | None = None,
    category_weights: CategoryWeights | None = None,
    order: Sequence[str] | None = None,
) -> Coefficients:
    """Return all coefficients of one table, from SPA to bias, and agreement by category.

    Every pair of labels counts with the weight of its two categories, which is 1 of equal ones and
    of nominal labels 0 of others. AC1 with other weights is AC2.

    Args:
        table: the labels.
        weights: of SPA, flat, annotations, annotations_m1, edges, inverse_variance or
            inverse_variance_class.
        class_distribution: for SPA with the weights ``inverse_variance_class``.
        complete_only: only items that all annotators labelled.
        ci: confidence intervals, also of agreement by category, by leaving out items, or of tokens
            their documents; or a :class:`Jackknife`.
        measurement: what labels measure, nominal, ordinal, interval or ratio: the distances of α,
            and the weights of the others unless ``category_weights`` names them: identity,
            ordinal, quadratic, ratio.
        category_weights: how near two categories are, identity, linear, quadratic, ordinal, ratio,
            or of labels that are sets, such as ``a|b``, jaccard or masi; of α too, unless
            ``measurement`` is given.
        order: the categories from low to high, where they are not numbers.

    Raises:
        SettingError: as for :func:`spa`; for a number out of range; for labels that do not fit
            the measurement or the weights.

    >>> from spanagree.corpus.label_table import LabelTable
    >>> table = LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "x"), (2, "ann", "y")])
    >>> [(row["coefficient"], row["value"]) for row in coefficients(table).to_rows()][:2]
    [('SPA', 1.0), ('π', 1.0)]
    """
    jackknife = parse_ci(ci)
    basis = Basis.of(table, complete_only, measurement, category_weights, order)
    of_spa, of_bias = score_spa(basis, weights, class_distribution), score_bias(basis)
    own: dict[str, Coefficient] = {"spa": of_spa, "bias": of_bias}
    parts = {key: own.get(key) or score(kind, basis) for key, kind in COEFFICIENTS.items()}
    settings = of_spa.settings
    by_category: list[Interval] = []
    if jackknife is not None:
        ends = {} if basis.nothing else intervals(basis, of_spa.weights, jackknife)
        settings = settings_with(settings, jackknife, [x.kind for x in ends.values()])
        by_category = [] if basis.nothing else category_intervals(basis, jackknife)
        parts = {key: replace(part, interval=ends.get(key)) for key, part in parts.items()}
    return Coefficients(
        parts=parts,
        categories=score_categories(basis, by_category),
        annotators=_labellers(basis, of_bias),
        counts=basis.counts,
        settings=settings,
        notes=of_spa.notes,
        units=basis.table.units,
        evidence=basis.evidence,
        basis=basis,
    )


def _labellers(basis: Basis, of_bias: Bias) -> dict[str, Labeller]:
    """Return what each annotator gave, and how it agrees with the others."""
    table, weights = basis.table, basis.weight_matrices.weights
    gave, others, agreeing = table.co_labels
    if weights is not None and table.named:
        annotator, label, other_label, number, _ = neighbours(table)
        agreeing = np.bincount(annotator, weights[label, other_label] * number, len(gave))
    columns = (column.tolist() for column in (gave, others, agreeing))
    total = sum(of_bias.by_annotator.values()) or UNDEFINED
    shares = [of_bias.by_annotator.get(name, UNDEFINED) / total for name in table.annotators]
    return {
        name: Labeller(name, labels, pairs, near / pairs if pairs else UNDEFINED, share)
        for name, labels, pairs, near, share in zip(table.annotators, *columns, shares, strict=True)
    }


# --- one label at a time --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CoefficientsByPart(ResultByPart[Coefficients]):
    """The coefficients of parts of what was labelled: a mapping from the name of each.

    Attributes:
        parts: what :func:`coefficients` says of each part.
        settings: what made the numbers.
        notes: what was read in another way than it stands.
    """

    parts: Mapping[str, Coefficients]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()

    PICTURED: ClassVar[str] = "α"

    @property
    def alphas(self) -> dict[str, float]:
        """α of each part."""
        return {name: part.alpha.value for name, part in self.items()}

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each, with the names of the parts."""
        every = ((name, caveat) for name, part in self.items() for caveat in part.caveats)
        parts = ((name, *caveat.partition(": ")) for name, caveat in every)
        return merge_caveats(f"{what} of {name}: {sentence}" for name, what, _, sentence in parts)

    def _picture(self, by: str | None) -> Picture:
        """Return α of each part with its interval."""
        rows = [
            (name, [(part.alpha.value, *ends_of(part.alpha.interval, "corrected"))])
            for name, part in self.items()
        ]
        return dots_of(rows, ["α"], self.PICTURED)


class CoefficientsByLabel(CoefficientsByPart):
    """The coefficients of each label by itself; see :func:`coefficients_by_label`.

    Each part is what :func:`coefficients` says of the tokens in a segment of the label or not.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.labels.coefficients_by_label(corpus)
    >>> list(found), round(found["LOC"].alpha.value, 3)
    (['LOC', 'PER'], 0.622)
    """

    PICTURED: ClassVar[str] = "α of tokens by label"

    @property
    def verdict(self) -> str:
        """On which label tokens agree most, and on which least, by α."""
        intervals = {x: ends_of(part.alpha.interval, "corrected") for x, part in self.items()}
        name, confidence = "Krippendorff's α of tokens", confidence_of(self.settings)
        sentence = verdict.extremes(self.alphas, "label", name, intervals, confidence)
        return sentence or next((part.verdict for part in self.values()), "")

    TABLES: ClassVar[Mapping[str, str | None]] = {"labels": None}

    def _table(self, by: str | None) -> Frame:
        """The tables of the labels, one below the other."""
        tables = {label: part.table() for label, part in self.items()}
        first = next(iter(tables.values()))
        size = len(first.rows)
        shift = [size * i for i in range(len(tables))]
        return replace(
            first,
            columns=[Column("label", "label", "name", "label of tokens"), *first.columns],
            rows=[[label, *row] for label, table in tables.items() for row in table.rows],
            breaks=set(shift[1:]),
            for_people={at + row for at in shift for row in first.for_people},
            for_data={at + row for at in shift for row in first.for_data},
            settings=self.settings,
            meanings={name: meaning for name, meaning in first.meanings.items() if name == meaning},
            remarks=list(self.caveats),
        )


def coefficients_by_label(
    corpus: CorpusLike, *, skip_outside: bool = False, **settings: Any
) -> CoefficientsByLabel:
    """Return coefficients of the tokens of a corpus for each label: in such a segment, or not.

    Segments of different labels may overlap, which one table of all labels could not hold.

    Args:
        corpus: the annotators (or systems) as layers.
        skip_outside: leave out, for each label, the tokens that nobody marked with it.
        settings: as for :func:`spanagree.coefficients`.

    Raises:
        InputError: for a corpus without labels.
        SettingError: as for :func:`spanagree.coefficients`.

    >>> corpus = Corpus.from_segments(
    ...     [4], {"ann": [[(0, 2, "PER"), (1, 3, "LOC")]], "bob": [[(0, 1, "PER"), (1, 3, "LOC")]]}
    ... )
    >>> {name: round(part.pi.value, 3) for name, part in coefficients_by_label(corpus).items()}
    {'LOC': 1.0, 'PER': 0.467}
    """
    corpus = corpus_of(corpus)
    parts = {
        label: coefficients(
            token_labels(_only(corpus, code), skip_outside=skip_outside), **settings
        )
        for code, label in enumerate(corpus.labels)
    }
    if not parts:
        raise InputError("the corpus has no segments; coefficients by label need a label")
    first = next(iter(parts.values())).settings
    return CoefficientsByLabel(
        parts=dict(sorted(parts.items())),
        settings=replace(first, reading={**first.reading, "by_label": True}),
        notes=corpus.notes,
    )


def _only(corpus: Corpus, code: int) -> Corpus:
    """Return a corpus with the segments of one label."""
    kept = {name: layer.only(layer.label == code) for name, layer in corpus.layers.items()}
    layers = {
        name: replace(layer, label=np.zeros(len(layer), np.int64)) for name, layer in kept.items()
    }
    return corpus.but(layers=layers, labels=(corpus.labels[code],))
