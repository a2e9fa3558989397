"""All coefficients of a table at once, with what each category and each annotator adds to them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

import numpy as np

from spanagree.corpus.label_table import LabelTable
from spanagree.labels.chance_corrected import Basis, score
from spanagree.labels.coefficient import Bias, Coefficient, CoefficientSettings, Counts
from spanagree.labels.formulas import (
    COEFFICIENTS,
    C,
    CoefficientKind,
    CoefficientSet,
    Sums,
    agreement_figures,
    pairs_of_categories,
    rows_of,
)
from spanagree.labels.neighbours import neighbours
from spanagree.labels.sparse_agreement import score_spa
from spanagree.results.result import Comparable, Result
from spanagree.results.score import UNDEFINED, Interval, Score

if TYPE_CHECKING:
    from spanagree.choices import CategoryWeights, Measurement, Weights
    from spanagree.results.frame import Frame
    from spanagree.results.plots import Picture
    from spanagree.uncertainty.confidence import Jackknife


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
        from spanagree.labels.coefficient_table import data_table  # loaded when shown

        return data_table(CategoryAgreement, self.items(), self.settings)

    def _picture(self, by: str | None) -> Picture:
        """Return the value of each category."""
        from spanagree.results.plots import dots_of  # loaded when shown

        rows = [(name, [(part.value, UNDEFINED, UNDEFINED)]) for name, part in self.items()]
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
    both, first = pairs_of_categories(table.counts)
    figures = agreement_figures(np.concatenate((both, first))[None]).reshape(-1, 3)
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
        marked: of tokens, the same of those that one annotator or more marked; see
            :func:`spanagree.labels.token_coefficients`.
        spans: of tokens, F1 of the segments by exact match, all pairs of annotators together.
        about_spans: how that F1 was made, of segments and of quotes that are not in the text.

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
    marked: Coefficients | None = None
    spans: Score | None = None
    about_spans: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "category": "a row for each category",
        "annotator": "a row for each annotator",
        "pair": "a row for each two annotators, over the items that both labelled",
        "item": "a row for each item on which labels differ, the most disputed first",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("category", "annotator")
    SHOWN_BY: ClassVar[str] = f"{__package__}.summary_table"

    def of_kind(self, kind: CoefficientKind[C]) -> C:
        """Return the coefficient of a kind."""
        return cast("C", self.parts[kind.key])

    @property
    def all(self) -> tuple[Coefficient, ...]:
        """The coefficients, in the order in which they are reported."""
        return tuple(self.parts.values())

    TABLES: ClassVar[Mapping[str, str | None]] = {
        "coefficients": None,
        "categories": "category",
        "annotators": "annotator",
    }

    SUMMARY: ClassVar[tuple[str, ...]] = (
        *(f"{name}=counts.{name}" for name in Counts._fields),
        "lowest_category=categories.lowest",
    )


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
    jackknife = None if ci is False else _parsed(ci)
    basis = Basis.of(table, complete_only, measurement, category_weights, order)
    of_spa, of_bias = score_spa(basis, weights, class_distribution), score_bias(basis)
    own: dict[str, Coefficient] = {"spa": of_spa, "bias": of_bias}
    parts = {key: own.get(key) or score(kind, basis) for key, kind in COEFFICIENTS.items()}
    settings = of_spa.settings
    by_category: list[Interval] = []
    if jackknife is not None:
        from spanagree.labels.intervals import category_intervals, intervals  # most ask for none

        ends = {} if basis.nothing else intervals(basis, of_spa.weights, jackknife)
        settings = replace(settings, **jackknife.settings(x.kind for x in ends.values()))
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


def _parsed(ci: bool | Jackknife) -> Jackknife | None:
    from spanagree.uncertainty.confidence import parse_ci  # most ask for no intervals

    return parse_ci(ci)


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
