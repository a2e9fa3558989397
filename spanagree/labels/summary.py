"""All coefficients of a table, with agreement by category and by annotator.

Agreement on category j is R_j = A_j / P_j, with A_j the pairs of labels of the same item in which
both are j, and P_j the pairs in which at least one is. Bias is A_e of π less A_e of κ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

import numpy as np

from spanagree.corpus.label_table import LabelTable
from spanagree.labels.chance_corrected import CoefficientInputs, score_coefficient
from spanagree.labels.coefficient import Bias, Coefficient, CoefficientSettings, Counts
from spanagree.labels.formulas import (
    COEFFICIENTS,
    C,
    CoefficientKind,
    CoefficientSet,
    CoefficientSums,
    compute_agreement_figures,
    compute_rows,
    count_pairs_of_categories,
)
from spanagree.labels.neighbours import count_neighbours
from spanagree.labels.sparse_agreement import score_spa
from spanagree.results.result import NanEqualMixin, Result
from spanagree.results.score import UNDEFINED, Interval, Score

if TYPE_CHECKING:
    from spanagree.choices import CategoryWeights, Measurement, Weights
    from spanagree.results.frame import Frame
    from spanagree.results.plots import Plot
    from spanagree.uncertainty.confidence import Jackknife


Part = TypeVar("Part")


class ResultByPart(Result, Mapping[str, Part]):
    """Result that is a mapping from names to parts."""

    parts: Mapping[str, Part]

    def __getitem__(self, name: str) -> Part:
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)


# --- bias between annotators ----------------------------------------------------------------------


def bias(table: LabelTable, *, complete_only: bool = False) -> Bias:
    """Compute bias B (Artstein & Poesio 2005, 13.3), the difference of annotators' preferences.

    ``value`` is A_e of π − A_e of κ. For a complete table with c annotators it is
    Σ_k Var_c(P(k|c))/(c − 1), which is never negative. The bias by category is the term of k, and
    that by annotator the annotator's summand in the variances. With gaps, annotators also differ
    because they labelled different items.

    >>> rows = [("1", "ann", "O"), ("1", "bob", "O"), ("2", "ann", "O"), ("2", "bob", "X")]
    >>> bias(LabelTable.from_rows(rows)).value
    0.125
    """
    return score_bias(CoefficientInputs.from_table(table, complete_only))


def score_bias(inputs: CoefficientInputs) -> Bias:
    """Compute bias B from prepared inputs, also by category and annotator; see :func:`bias`."""
    shared_fields = inputs.build_shared_fields(CoefficientSet.bias)
    if reason := inputs.explain_undefined(CoefficientSet.bias):
        return Bias(**shared_fields, reason=reason)
    sums = inputs.sums
    ((expected_pi, expected_kappa, value),) = compute_rows(CoefficientSet.bias, sums)
    terms = zip(
        inputs.table.labels,
        sums.squared_shares[0].tolist(),
        sums.pair_products[0].tolist(),
        strict=True,
    )
    return Bias(
        **shared_fields,
        value=value,
        observed=expected_pi,
        expected=expected_kappa,
        by_category={
            label: Coefficient(**shared_fields, value=a - b, observed=a, expected=b)
            for label, a, b in terms
        },
        by_annotator=_compute_by_annotator(inputs, sums),
    )


def _compute_by_annotator(inputs: CoefficientInputs, sums: CoefficientSums) -> dict[str, float]:
    """Compute the summand of each annotator c in the bias, by name.

    It is Σ_k (P(k|c) − mean over annotators)², divided by n(n − 1) for n annotators. Annotators
    without a label are left out.
    """
    preferences, n_annotators = (field_values[0] for field_values in sums.preferences)
    variance_share = sums.weigh_squares(preferences - preferences.sum(axis=0) / n_annotators).sum(
        axis=1
    ) / (n_annotators * (n_annotators - 1))
    labelling_annotators = np.flatnonzero(inputs.counts_by_annotator.sum(axis=1)[inputs.ranks])
    return {
        inputs.table.annotators[i]: float(variance_share[inputs.ranks[i]])
        for i in labelling_annotators.tolist()
    }


# --- agreement on a category ----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CategoryAgreement(Coefficient):
    """Agreement R_j = A_j / P_j on one category j.

    Attributes:
        agreements: number A_j of pairs of annotators who both chose the category.
        potential: number P_j of pairs with at least one annotator who chose the category.
        given: number of labels of the category.
        specific: Uebersax's specific agreement 2R/(1 + R), the probability that another annotator
            chooses the category if one does.
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
        """Number of labels of the category, under its name in data."""
        return self.given


@dataclass(frozen=True, eq=False, repr=False)
class Categories(ResultByPart[CategoryAgreement]):
    """Agreement on each category, a mapping by name.

    Attributes:
        parts: agreement on each category.
        settings: settings of the computation.
        notes: notes on changes to the data while reading, one sentence each.
        mean: mean over the categories with a pair of labels.
        median: median over the categories with a pair of labels.
    """

    parts: Mapping[str, CategoryAgreement]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()
    mean: Score = field(kw_only=True)
    median: Score = field(kw_only=True)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each; the same for all categories."""
        return next((agreement.caveats for agreement in self.values()), ())

    @property
    def lowest(self) -> str | None:
        """Name of the first category with the lowest value; ``None`` if all are undefined."""
        values = {
            name: agreement.value
            for name, agreement in self.items()
            if not math.isnan(agreement.value)
        }
        return min(values, key=values.__getitem__) if values else None

    TABLES: ClassVar[Mapping[str, str | None]] = {"categories": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("lowest",)

    def _build_table(self, by: str | None) -> Frame:
        """Build a table with a row for each category."""
        from spanagree.labels.coefficient_table import build_data_table  # loaded when shown

        return build_data_table(CategoryAgreement, self.items(), self.settings)

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the value of each category."""
        from spanagree.results.plots import plot_dots  # loaded when shown

        rows = [
            (name, [(agreement.value, UNDEFINED, UNDEFINED)]) for name, agreement in self.items()
        ]
        return plot_dots(rows, ["R"], "agreement by category")


def category_agreement(table: LabelTable, *, complete_only: bool = False) -> Categories:
    """Compute agreement on each category by itself (Uebersax, as worked out by Siegel 2018).

    ``value`` is R_j = A_j / P_j (a Jaccard index). A_j counts the pairs of labels of the same item
    in which both are j, and P_j those in which at least one is. ``expected`` is R_j if labels were
    drawn at random from their shares among pairs. Frequent categories hide no rare ones, so report
    the lowest value.

    >>> from spanagree.corpus.label_table import LabelTable
    >>> sandwich = [[2, 0]] * 400 + [[1, 1]] * 150 + [[0, 2]] * 450
    >>> found = category_agreement(LabelTable.from_counts(sandwich, ["no", "yes"]))
    >>> {name: (of.agreements, of.potential, round(of.specific, 3)) for name, of in found.items()}
    {'no': (400, 550, 0.842), 'yes': (450, 600, 0.857)}
    >>> found.lowest
    'no'
    """
    return score_categories(CoefficientInputs.from_table(table, complete_only))


def score_categories(
    inputs: CoefficientInputs, category_intervals: Sequence[Interval] = ()
) -> Categories:
    """Compute agreement on each category, and its mean and median over categories.

    Args:
        inputs: labels.
        category_intervals: intervals of the categories, of the mean and of the median. Default:
            no intervals.
    """
    table = inputs.table
    pairs_with_both, pairs_with_first = count_pairs_of_categories(table.counts)
    figures = compute_agreement_figures(
        np.concatenate((pairs_with_both, pairs_with_first))[None]
    ).reshape(-1, 3)
    *scores, mean, median = (
        Score(observed, expected, corrected_figure, interval=interval)
        for (observed, expected, corrected_figure), interval in zip_longest(
            figures.tolist(), category_intervals
        )
    )
    n_labels = table.counts.given.sum(axis=0)
    count_columns = (column.tolist() for column in (pairs_with_both, pairs_with_first, n_labels))
    categories = {
        name: CategoryAgreement(
            **inputs.build_shared_fields(),
            value=agreement.observed,
            observed=agreement.observed,
            expected=agreement.expected,
            interval=agreement.interval,
            reason="" if n_pairs else inputs.no_pairs_reason or "in no pair of labels",
            agreements=n_equal // 2,
            potential=n_pairs - n_equal // 2,
            given=n_category_labels,
            specific=n_equal / n_pairs if n_pairs else UNDEFINED,
        )
        for name, agreement, n_equal, n_pairs, n_category_labels in zip(
            table.labels, scores, *count_columns, strict=True
        )
    }
    return Categories(categories, inputs.settings, inputs.notes, mean=mean, median=median)


# --- all coefficients -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AnnotatorLabels(NanEqualMixin):
    """One annotator of a table.

    Attributes:
        name: name of the annotator.
        labels: number of the annotator's labels.
        pairs: number of pairs of these with labels of others on the same items.
        agreement: share of equal labels among these pairs; ``nan`` without pairs.
        bias: share of the bias of all annotators, from 0 to 1; see :func:`bias`.
    """

    name: str
    labels: int
    pairs: int
    agreement: float
    bias: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coefficients(Result, CoefficientSet):
    """Result of :func:`coefficients`, with the attributes ``spa``, ``pi``, ``kappa`` and so on.

    Attributes:
        parts: coefficients by key, in the order of reports.
        categories: agreement on each category by itself.
        annotators: labels and agreement of each annotator, by name; empty for a table of counts.
        counts: numbers of items, labels and pairs.
        settings: settings of the computation.
        notes: notes on changes to the data while reading, one sentence each.
        units: number of documents, if items are tokens; else ``None``.
        evidence: numbers of items (for tokens: documents) with two labels or more, with a
            disagreement, and with an agreement.
        basis: inputs of the coefficients.
        marked: coefficients of the tokens that one annotator or more marked, if items are tokens;
            see :func:`spanagree.labels.token_coefficients`.
        spans: F1 of the segments by exact match over all pairs of annotators, if items are tokens.
        about_spans: sentence on that F1: match, chance model, and quotes that are not in the text.

    >>> import spanagree as sa
    >>> rows = [("1", "ann", "x"), ("1", "bob", "x"), ("2", "ann", "y"), ("2", "bob", "x")]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> found = sa.coefficients(table)
    >>> found.kappa.value, round(found.alpha.value, 3), round(found.ac1.value, 3)
    (0.0, 0.0, 0.2)
    """

    parts: Mapping[str, Coefficient]
    categories: Categories
    annotators: Mapping[str, AnnotatorLabels]
    counts: Counts
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()
    units: int | None = None
    evidence: tuple[int, ...]
    basis: CoefficientInputs = field(repr=False, compare=False)
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

    def of_kind(self, definition: CoefficientKind[C]) -> C:
        """Return the coefficient of a kind."""
        return cast("C", self.parts[definition.key])

    @property
    def all(self) -> tuple[Coefficient, ...]:
        """Coefficients in the order of reports."""
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
    """Compute all coefficients of one table, from SPA to bias, and agreement by category.

    Each pair of labels counts with the weight of its two categories. The weight is 1 for equal
    categories; for nominal labels it is 0 for different ones. AC1 with other weights is AC2.

    Args:
        table: labels.
        weights: weights of SPA: flat, annotations, annotations_m1, edges, inverse_variance or
            inverse_variance_class.
        class_distribution: probability of each category, for the SPA weights
            ``inverse_variance_class``.
        complete_only: True for only the items that all annotators labelled.
        ci: True for jackknife intervals, over items or, for tokens, over documents; False for
            none; or a :class:`Jackknife`. Agreement by category has intervals too.
        measurement: level of measurement of the labels: nominal, ordinal, interval or ratio. It
            sets the distances of α; and the weights of the others, identity, ordinal, quadratic
            or ratio, unless ``category_weights`` does.
        category_weights: weights of two categories: identity, linear, quadratic, ordinal or ratio;
            for labels that are sets, such as ``a|b``, jaccard or masi. They apply to α too, unless
            ``measurement`` is set.
        order: categories from low to high, if they are not numbers.

    Raises:
        SettingError: if :func:`spa` raises it, a number is out of range, or the labels do not
            fit the measurement or the weights.

    >>> from spanagree.corpus.label_table import LabelTable
    >>> table = LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "x"), (2, "ann", "y")])
    >>> [(row["coefficient"], row["value"]) for row in coefficients(table).to_rows()][:2]
    [('SPA', 1.0), ('π', 1.0)]
    """
    jackknife = None if ci is False else _parse_ci(ci)
    inputs = CoefficientInputs.from_table(
        table, complete_only, measurement, category_weights, order
    )
    spa_result, bias_result = score_spa(inputs, weights, class_distribution), score_bias(inputs)
    separate_results: dict[str, Coefficient] = {"spa": spa_result, "bias": bias_result}
    coefficients_by_key = {
        key: separate_results.get(key) or score_coefficient(definition, inputs)
        for key, definition in COEFFICIENTS.items()
    }
    settings = spa_result.settings
    category_ends: list[Interval] = []
    if jackknife is not None:
        from spanagree.labels.intervals import (  # most ask for none
            add_interval,
            compute_category_intervals,
            compute_intervals,
        )

        ends = (
            {}
            if inputs.no_pairs_reason
            else compute_intervals(inputs, spa_result.weights, jackknife)
        )
        settings = replace(
            settings, **jackknife.settings(interval.kind for interval in ends.values())
        )
        category_ends = (
            [] if inputs.no_pairs_reason else compute_category_intervals(inputs, jackknife)
        )
        coefficients_by_key = {
            key: add_interval(coefficient, ends.get(key), jackknife)
            for key, coefficient in coefficients_by_key.items()
        }
    return Coefficients(
        parts=coefficients_by_key,
        categories=score_categories(inputs, category_ends),
        annotators=_summarize_annotators(inputs, bias_result),
        counts=inputs.counts,
        settings=settings,
        notes=spa_result.notes,
        units=inputs.table.units,
        evidence=inputs.evidence,
        basis=inputs,
    )


def _parse_ci(ci: bool | Jackknife) -> Jackknife | None:
    from spanagree.uncertainty.confidence import parse_ci  # most ask for no intervals

    return parse_ci(ci)


def _summarize_annotators(
    inputs: CoefficientInputs, bias_result: Bias
) -> dict[str, AnnotatorLabels]:
    """Compute the number of labels, agreement with others, and share of bias of each annotator."""
    table, weights = inputs.table, inputs.weight_matrices.weights
    n_labels, n_others, n_agreeing_pairs = table.co_labels
    if weights is not None and table.named:
        annotator, label, other_label, n_pairs_of_labels, _ = count_neighbours(table)
        n_agreeing_pairs = np.bincount(
            annotator, weights[label, other_label] * n_pairs_of_labels, len(n_labels)
        )
    count_columns = (column.tolist() for column in (n_labels, n_others, n_agreeing_pairs))
    total_bias = sum(bias_result.by_annotator.values()) or UNDEFINED
    bias_shares = [
        bias_result.by_annotator.get(name, UNDEFINED) / total_bias for name in table.annotators
    ]
    return {
        name: AnnotatorLabels(
            name,
            n_labels_given,
            n_pairs,
            n_agreeing / n_pairs if n_pairs else UNDEFINED,
            bias_share,
        )
        for name, n_labels_given, n_pairs, n_agreeing, bias_share in zip(
            table.annotators, *count_columns, bias_shares, strict=True
        )
    }
