"""The formulas of the coefficients, from sums over items to observed, expected and value.

Every coefficient is a function of sums over items. A row of sums belongs to a table of labels, to
the table without an item, or to the table with one category against the others. So one formula
gives the coefficient, its interval, and the coefficients by category.

The symbols are those of Artstein & Poesio (2005): A_o is the observed and A_e the expected
agreement, P(k) the share of category k, and P(k|c) its share among the labels of annotator c. With
n annotators and q categories,

    value = (A_o − A_e) / (1 − A_e),
    π:    A_e = Σ_k P(k)²,
    κ:    A_e = Σ_k P(k|c)·P(k|c′), averaged over pairs of annotators c, c′,
    AC1:  A_e = Σ_k P(k)(1 − P(k)) / (q − 1),
    α:    1 − D_o/D_e of the coincidence matrix.

For tables with gaps there is no single accepted form. These are the formulas of irrCAC (Gwet): A_o
is the mean over items with two labels or more, and P(k) the mean over items with a label.

For grades and sets, each pair of labels k, l counts with a weight w_kl, which is 1 for k = l; the
squares P(k)² then become P(k) Σ_l w_kl P(l). Arrays are shaped (rows, columns).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar, overload

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.corpus.label_counts import LabelCounts
from spanagree.labels.category_weights import NOMINAL, WeightMatrices, compute_weighted_sum
from spanagree.results.score import correct_figures

if TYPE_CHECKING:
    from spanagree.labels.coefficient import Bias, Coefficient, Spa


@dataclass(frozen=True, eq=False)
class CoefficientSums:
    """Sums over items; each field is (rows, columns).

    Attributes:
        seen: number of items with a label.
        compared: number of items with two labels or more; the sums up to ``disagreement``, and
            ``values``, are over these.
        agreement: Σ Pᵢ, with Pᵢ the share of equal pairs among the pairs of labels of item i; with
            weights of categories, here and below, their mean weight.
        weight: Σ kᵢ, with the weights kᵢ of SPA.
        weighted: Σ kᵢ Pᵢ.
        disagreement: Σ (nᵢ − number of equal pairs / (nᵢ − 1)).
        share: Σ nᵢ_c/nᵢ for each category c.
        weighted_share: Σ kᵢ nᵢ_c/nᵢ for each category c.
        values: number of labels of each category.
        own: number of labels of each annotator, sorted by name, and category.
        weight_matrices: weights of categories; no column.
    """

    seen: Floats
    compared: Floats
    agreement: Floats
    weight: Floats
    weighted: Floats
    disagreement: Floats
    share: Floats
    weighted_share: Floats
    values: Floats
    own: Floats
    weight_matrices: WeightMatrices = field(default=NOMINAL, kw_only=True)

    @property
    def columns(self) -> Floats:
        """All fields next to each other; (rows, columns)."""
        return np.concatenate([getattr(self, column.name) for column in fields(self)[:-1]], axis=1)

    @cached_property
    def observed(self) -> Floats:
        """A_o; (rows, 1)."""
        return self.agreement / np.where(self.compared > 0.5, self.compared, np.nan)

    @cached_property
    def shares(self) -> Floats:
        """P(k); (rows, categories)."""
        return self.share / self.seen

    @cached_property
    def preferences(self) -> tuple[Floats, Ints]:
        """P(k|c), (rows, annotators, categories), and the number of labelling annotators."""
        n_categories = self.share.shape[1]
        n_by_category = self.own.reshape(
            len(self.own), self.own.shape[1] // n_categories, n_categories
        )
        n_labels = n_by_category.sum(axis=2)
        has_labels = n_labels > 0.5
        preferences = np.where(
            has_labels[..., None], n_by_category / np.where(has_labels, n_labels, 1)[..., None], 0
        )
        return preferences, has_labels.sum(axis=1)[:, None]

    @cached_property
    def squared_shares(self) -> Floats:
        """P(k)², for one distribution of all annotators; (rows, categories)."""
        return self.weigh_squares(self.shares)

    @cached_property
    def pair_products(self) -> Floats:
        """Mean over pairs of annotators of P(k|c_m)·P(k|c_n); (rows, categories)."""
        share, n_annotators = self.preferences
        n_pairs = np.where(n_annotators > 1, n_annotators * (n_annotators - 1), np.nan)
        square: Floats = (
            self.weigh_squares(share.sum(axis=1)) - self.weigh_squares(share).sum(axis=1)
        ) / n_pairs
        return square

    def weigh_squares(self, shares: Floats) -> Floats:
        """Compute p_k Σ_l w_kl p_l, the weighted probability of k and an agreeing label."""
        weights = self.weight_matrices.weights
        return shares**2 if weights is None else shares * compute_weighted_sum(shares, weights)


def find_first_columns(n_categories: int, n_annotators: int) -> dict[str, int]:
    """Compute the first column of each field among the columns of :class:`CoefficientSums`."""
    widths = [1] * 6 + [n_categories] * 3 + [n_annotators * n_categories]
    names = [column.name for column in fields(CoefficientSums)[:-1]]
    return dict(zip(names, accumulate([0, *widths]), strict=False))


def compute_item_columns(
    n_labels: Ints, n_items: Any, equal_pairs: Any, pairs_for_alpha: Any, weights: Floats
) -> list[Any]:
    """Compute the summands of items for the first six fields of :class:`CoefficientSums`.

    Args:
        n_labels: number n of labels of an item; (R,).
        n_items: number of items with n labels.
        equal_pairs: number of ordered pairs of equal labels of these items, or sum of weights.
        pairs_for_alpha: sum of the weights of α over these pairs.
        weights: weight k of an item, 0 with fewer than two labels; (R,).
    """
    has_two = n_labels >= 2
    n_pairs, n_others = (
        np.where(has_two, n_labels * (n_labels - 1), 1),
        np.where(has_two, n_labels - 1, 1),
    )
    return [
        n_items,
        n_items * has_two,
        equal_pairs / n_pairs,
        weights * n_items,
        weights * equal_pairs / n_pairs,
        (n_labels * n_items - pairs_for_alpha / n_others) * has_two,
    ]


def compute_category_columns(n_labels: Ints, n_given: Any, weights: Floats) -> list[Any]:
    """Compute the summands of categories for the next three fields of :class:`CoefficientSums`.

    Args:
        n_labels: number n of labels of an item.
        n_given: number of labels of the category.
        weights: weight k of an item.
    """
    share = n_given / n_labels
    return [share, weights * share, n_given * (n_labels >= 2)]


def compute_sums_by_n(
    counts: LabelCounts,
    by_annotator: Any,
    weights: Any,
    agreeing_for_alpha: Any | None,
    weight_matrices: WeightMatrices,
) -> CoefficientSums:
    """Compute sums from counts of items by their number of labels.

    Args:
        counts: counts of the table of each row, (rows, R, …) except ``n``, (R,); ``agreeing`` are
            numbers of equal pairs, or sums of weights.
        by_annotator: number of labels by annotator and category; (rows, annotators · categories).
        weights: weight k for each number of labels, 0 with fewer than two; (R,).
        agreeing_for_alpha: ``agreeing`` with the weights of α; ``None`` if equal.
        weight_matrices: weights of categories.
    """
    n, items, n_given, agreeing = counts
    equal_pairs = agreeing.sum(axis=2)
    equal_for_alpha = equal_pairs if agreeing_for_alpha is None else agreeing_for_alpha.sum(axis=2)
    item_sums = compute_item_columns(n, items, equal_pairs, equal_for_alpha, weights)
    category_sums = compute_category_columns(n[:, None], n_given, weights[:, None])
    sums = [column.sum(axis=1, keepdims=True) for column in item_sums]
    sums += [column.sum(axis=1) for column in category_sums]
    return CoefficientSums(*[*sums, by_annotator], weight_matrices=weight_matrices)


# --- the formulas -------------------------------------------------------------------------------


def append_corrected(observed: Floats, expected: Floats) -> Floats:
    """Append the corrected figure to observed and expected; (rows, 1) to (rows, 3)."""
    return np.concatenate((observed, expected, correct_figures(observed, expected)), axis=1)


def _sum_categories(by_category: Floats) -> Floats:
    total: Floats = by_category.sum(axis=1, keepdims=True)
    return total


def _spa(sums: CoefficientSums) -> Floats:
    """Compute SPA, A_e = Σ p_c² of the weighted shares p_c, and corrected SPA."""
    share = sums.weighted_share / sums.weight
    return append_corrected(sums.weighted / sums.weight, _sum_categories(sums.weigh_squares(share)))


def _alpha(sums: CoefficientSums) -> Floats:
    """Compute 1 − D_o and 1 − D_e of the coincidence matrix, and α."""
    n = _sum_categories(sums.values)
    equal = _sum_categories(
        sums.values * (compute_weighted_sum(sums.values, sums.weight_matrices.alpha) - 1)
    )
    return append_corrected(1 - sums.disagreement / n, equal / (n * (n - 1)))


def _ac1(sums: CoefficientSums) -> Floats:
    """Compute AC1; with weights AC2, with Σ w_kl / (q(q − 1)) in place of 1/(q − 1)."""
    p, n_categories, weights = sums.shares, sums.share.shape[1], sums.weight_matrices.weights
    expected = _sum_categories(p * (1 - p)) / (n_categories - 1 if n_categories > 1 else np.nan)
    return append_corrected(
        sums.observed, expected if weights is None else expected * (weights.sum() / n_categories)
    )


def _bias(sums: CoefficientSums) -> Floats:
    """Compute A_e of π, A_e of κ, and their difference."""
    of_pi, of_kappa = (
        _sum_categories(sums.squared_shares),
        _sum_categories(sums.pair_products),
    )
    return np.concatenate((of_pi, of_kappa, of_pi - of_kappa), axis=1)


def count_pairs_of_categories(counts: LabelCounts) -> tuple[Ints, Ints]:
    """Count, for each category, ordered pairs with it twice, and pairs with it first."""
    n, _, n_given, agreeing = counts
    return agreeing.sum(axis=0), ((n - 1)[:, None] * n_given).sum(axis=0)


def compute_agreement_figures(columns: Any) -> Floats:
    """Compute observed, expected and corrected agreement R of each category, its mean and median.

    R is the number of pairs of labels with the category twice, divided by the number of pairs with
    the category at least once.

    Args:
        columns: number of ordered pairs with the category twice, for each category, then number
            of pairs with it first; (rows, 2 · categories).

    Returns:
        Figures in threes; (rows, 3 · (categories + 2)). Categories without a pair are left out of
        the mean and the median.
    """
    agreement, pairs = compute_category_agreement(columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = pairs / _sum_categories(pairs)
        expected = share / (2 - share)
        figure_columns = (agreement, expected, correct_figures(agreement, expected))
        figures = [append_mean_and_median(values, pairs > 0) for values in figure_columns]
    return np.stack(figures, axis=2).reshape(len(agreement), -1)


def compute_category_agreement(columns: Any) -> tuple[Floats, Floats]:
    """Compute R of each category, ``nan`` without a pair, and its number of pairs.

    Args:
        columns: numbers of pairs; see :func:`compute_agreement_figures`.
    """
    equal_pairs, pairs = np.split(columns.astype(np.float64), 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return equal_pairs / (2 * pairs - equal_pairs), pairs


def append_mean_and_median(values: Floats, is_counted: Bools) -> Floats:
    """Append the mean and the median of the counted values of each row."""
    averages = compute_mean_and_median(np.where(is_counted, values, np.nan))
    return np.concatenate((values, np.stack(averages, axis=1)), axis=1)


def compute_mean_and_median(values: Floats) -> tuple[Floats, Floats]:
    """Compute the mean and the median of the defined values of each row; (rows,) each."""
    is_defined = ~np.isnan(values)
    n_defined = is_defined.sum(axis=1)
    mean = np.where(is_defined, values, 0).sum(axis=1) / np.where(n_defined, n_defined, np.nan)
    if not values.shape[1]:
        return mean, mean
    ascending = np.sort(values, axis=1)  # nan sorts last
    middle_positions = np.stack([np.maximum(n_defined - 1, 0) // 2, n_defined // 2], axis=1)
    return mean, np.take_along_axis(ascending, middle_positions, axis=1).mean(axis=1)


def compute_rows(definition: CoefficientKind[Any], sums: CoefficientSums) -> list[list[float]]:
    """Compute observed, expected and value of a coefficient for each row of sums; (rows, 3)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rows: list[list[float]] = definition.formula(sums).tolist()
    return rows


def compute_all_figures(
    columns: Floats, n_categories: int, n_annotators: int, weight_matrices: WeightMatrices = NOMINAL
) -> Floats:
    """Compute observed, expected and value of all coefficients; (rows, 3 · coefficients).

    Args:
        columns: fields of :class:`CoefficientSums` next to each other; (rows, columns).
        n_categories: number of categories.
        n_annotators: number of annotators.
        weight_matrices: weights of categories.
    """
    column_borders = list(find_first_columns(n_categories, n_annotators).values())[1:]
    sums = CoefficientSums(
        *np.split(columns, column_borders, axis=1), weight_matrices=weight_matrices
    )
    return np.concatenate(
        [definition.formula(sums) for definition in COEFFICIENTS.values()], axis=1
    )


# --- the coefficients -----------------------------------------------------------------------------

Formula: TypeAlias = Callable[[CoefficientSums], Floats]
"""Function from sums to observed, expected and value, (rows, 3); ``nan`` if undefined."""

C = TypeVar("C", bound="Coefficient")


@dataclass(eq=False)
class CoefficientKind(Generic[C]):
    """Definition of a coefficient of labels: formula, requirements, sources and explanation.

    It is a descriptor: as an attribute of a set of coefficients it returns the result.

    Attributes:
        sign: name in data, such as π.
        formula: function from sums to three figures.
        cites: keys of the sources in ``report/references.bib``.
        means: paragraph that explains the coefficient.
        title: name for people. Default: the sign.
        of_category: heading of the explanation of the column in a table of categories.
        is_corrected: True if the value is (observed − expected) / (1 − expected).
        is_share: True if the value is a share of agreement, at most 1.
        needs_names: True if the coefficient is undefined for a table of counts.
        needs_second_category: True if the coefficient is undefined for one category.
        weighted_sign: sign with weights of categories, if different.
        weighted_cites: sources with weights of categories, if different.
        weighted_means: explanation with weights of categories, if different.
        key: name as an attribute.
    """

    sign: str
    formula: Formula
    cites: str
    means: str
    title: str = ""
    of_category: str = "coefficient of a category"
    is_corrected: bool = True
    is_share: bool = True
    needs_names: bool = False
    needs_second_category: bool = False
    weighted_sign: str = ""
    weighted_cites: str = ""
    weighted_means: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        self.title = self.title or self.sign
        self.__doc__ = f"The coefficient {self.title}."

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = name

    @overload
    def __get__(self, coefficients: None, owner: type) -> CoefficientKind[C]: ...
    @overload
    def __get__(self, coefficients: CoefficientSet, owner: type) -> C: ...
    def __get__(self, coefficients: CoefficientSet | None, owner: type) -> CoefficientKind[C] | C:
        return self if coefficients is None else coefficients.of_kind(self)

    def sign_with(self, weight_matrices: WeightMatrices) -> str:
        """Choose the sign for weights of categories."""
        return self.sign if weight_matrices.weights is None else self.weighted_sign or self.sign

    def explain_undefined(self, *, has_names: bool, n_categories: int) -> str:
        """Write the reason if a coefficient is undefined for all tables like this; else empty.

        Args:
            has_names: False for a table of counts, without names of annotators.
            n_categories: number of categories.
        """
        if self.needs_names and not has_names:
            return "a table of counts does not say who gave which label"
        if self.needs_second_category and n_categories < 2:
            return f"one category; {self.sign} needs to know of a second"
        return ""


class CoefficientSet(ABC):
    """Base of results with all coefficients; its attributes are the definitions."""

    spa: ClassVar[CoefficientKind[Spa]] = CoefficientKind(
        "SPA", _spa, "norregaard2022",
        "how likely two annotators agree on an item, labels missing at random (Nørregaard &"
        " Derczynski 2022). It is not corrected for chance: two who guess among two equally likely"
        " labels reach .5. Do not compare it where one category is frequent or categories differ.",
        of_category="SPA of a category", is_corrected=False,
    )  # fmt: skip
    pi: ClassVar[CoefficientKind[Coefficient]] = CoefficientKind(
        "π", lambda sums: append_corrected(sums.observed, _sum_categories(sums.squared_shares)),
        "scott1955,fleiss1971",
        "chance is that both labels are drawn from one distribution for all annotators (Scott;"
        " Fleiss' kappa is the same for more than two). Different preferences count as"
        " disagreement. With gaps, items that one alone labelled count in the distribution but not"
        " in the observed agreement (Gwet's form), so a category may come out below 0. Not to be"
        " trusted where nearly everything is of one category: chance gives almost all then, and a"
        " few items decide.",
    )  # fmt: skip
    kappa: ClassVar[CoefficientKind[Coefficient]] = CoefficientKind(
        "κ", lambda sums: append_corrected(sums.observed, _sum_categories(sums.pair_products)),
        "cohen1960,conger1980",
        "chance is that each annotator draws from their own distribution (Cohen; Conger for"
        " more than two). Annotators with different preferences make chance smaller, so κ rises if"
        " few annotators are further apart. As unstable as π where nearly everything is of one"
        " category.",
        needs_names=True,
    )  # fmt: skip
    alpha: ClassVar[CoefficientKind[Coefficient]] = CoefficientKind(
        "α", _alpha, "krippendorff2011",
        "Krippendorff's, nominal: π with a correction for small samples; items count by their"
        " number of labels. Near and far misses are the same, so it is not for steps of a scale. As"
        " unstable as π where nearly everything is of one category.",
    )  # fmt: skip
    ac1: ClassVar[CoefficientKind[Coefficient]] = CoefficientKind(
        "AC1", _ac1, "gwet2008",
        "Gwet's: chance is small where one category is frequent, so it is near the observed"
        " agreement there, which can flatter. It rises with the number of categories, including"
        " declared ones that nobody uses.",
        needs_second_category=True,
        weighted_sign="AC2",
        weighted_cites="gwet2014",
        weighted_means="Gwet's AC1 with weights of categories. It rises with the number of"
        " categories, including declared ones that nobody uses, and hardly corrects where one"
        " category is frequent.",
    )  # fmt: skip
    bias: ClassVar[CoefficientKind[Bias]] = CoefficientKind(
        "B", _bias, "artstein2005",
        "expected agreement of π less that of κ: how far annotators' preferences for categories"
        " differ. With gaps, annotators who labelled other items differ for that reason too, and it"
        " may be below 0.",
        title="bias B", of_category="B", is_corrected=False, is_share=False, needs_names=True,
    )  # fmt: skip

    @abstractmethod
    def of_kind(self, definition: CoefficientKind[C]) -> C:
        """Return the result of a definition."""


COEFFICIENTS: Mapping[str, CoefficientKind[Any]] = {
    key: kind for key, kind in vars(CoefficientSet).items() if isinstance(kind, CoefficientKind)
}
"""Definitions of the coefficients by key, in the order of reports."""

CORRECTED = tuple(kind for kind in COEFFICIENTS.values() if kind.is_corrected)
"""Definitions of the coefficients that are corrected for chance."""
