"""The formulas of the coefficients, each written once: from sums over items to three figures.

Every coefficient is a function of sums over items. A row of sums is a table of labels, the
table without an item, or the same table with all categories but one made one, so one formula gives
the figure, its interval and the figures by category.

Symbols as in Artstein & Poesio (2005): A_o the observed and A_e the expected agreement, P(k) the
share of category k, P(k|c) that of annotator c. For gaps there is no single accepted form; these
are the formulas of irrCAC (Gwet): A_o is the mean over items with two labels or more, P(k) the mean
over items with one or more.

Labels that are grades or sets have weights w_kl of every two categories (1 of equal ones), with
which every pair of labels counts; the squares P(k)² then become P(k) Σ_l w_kl P(l).
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
from spanagree.labels.category_weights import NOMINAL, WeightMatrices, near
from spanagree.results.score import corrected_figures

if TYPE_CHECKING:
    from spanagree.labels.coefficient import Bias, Coefficient, Spa


@dataclass(frozen=True, eq=False)
class Sums:
    """What items add up to; each field is (rows, columns).

    Attributes:
        seen: items with a label.
        compared: items with two labels or more; the sums that follow up to ``disagreement`` and
            ``values`` run over these.
        agreement: Σ Pᵢ, the share of pairs of labels of an item that are equal (or, here and
            below, their weights).
        weight: Σ kᵢ, the weights of SPA.
        weighted: Σ kᵢ Pᵢ.
        disagreement: Σ of the labels, less the equal pairs / (nᵢ − 1).
        share: Σ nᵢ_c/nᵢ, a column for each category.
        weighted_share: Σ kᵢ nᵢ_c/nᵢ, by category.
        values: labels, by category.
        own: labels by annotator, in the order of their names, and category.
        weight_matrices: how near the categories are; no column.
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
        """All fields side by side; (rows, columns)."""
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
        """P(k|c), (rows, annotators, categories), and how many gave a label, (rows, 1)."""
        categories = self.share.shape[1]
        gave = self.own.reshape(len(self.own), self.own.shape[1] // categories, categories)
        number = gave.sum(axis=2)
        labelled = number > 0.5
        preferences = np.where(
            labelled[..., None], gave / np.where(labelled, number, 1)[..., None], 0
        )
        return preferences, labelled.sum(axis=1)[:, None]

    @cached_property
    def of_one(self) -> Floats:
        """P(k)²: chance if there is one distribution for all annotators; (rows, categories)."""
        return self.square(self.shares)

    @cached_property
    def of_pairs(self) -> Floats:
        """Mean over pairs of annotators of P(k|c_m)·P(k|c_n); (rows, categories)."""
        share, annotators = self.preferences
        pairs = np.where(annotators > 1, annotators * (annotators - 1), np.nan)
        square: Floats = (self.square(share.sum(axis=1)) - self.square(share).sum(axis=1)) / pairs
        return square

    def square(self, shares: Floats) -> Floats:
        """Return p_k Σ_l w_kl p_l: how likely a pair has k first and agrees, by its weight."""
        weights = self.weight_matrices.weights
        return shares**2 if weights is None else shares * near(shares, weights)


def starts(categories: int, annotators: int) -> dict[str, int]:
    """Return the first column of each field among the columns of :class:`Sums`."""
    widths = [1] * 6 + [categories] * 3 + [annotators * categories]
    names = [column.name for column in fields(Sums)[:-1]]
    return dict(zip(names, accumulate([0, *widths]), strict=False))


def item_columns(n: Ints, items: Any, equal: Any, of_alpha: Any, weights: Floats) -> list[Any]:
    """Return what items with n labels add to the first six fields of :class:`Sums`.

    Args:
        n: how many labels they have.
        items: how many such items there are.
        equal: their ordered pairs of equal labels, or the weights of their pairs.
        of_alpha: the same with the weights of α.
        weights: k of each, 0 of those with fewer than two labels.
    """
    two = n >= 2
    pairs, others = np.where(two, n * (n - 1), 1), np.where(two, n - 1, 1)
    return [
        items,
        items * two,
        equal / pairs,
        weights * items,
        weights * equal / pairs,
        (n * items - of_alpha / others) * two,
    ]


def category_columns(n: Ints, given: Any, weights: Floats) -> list[Any]:
    """Return what so many labels of a category add to the three fields of :class:`Sums`."""
    share = given / n
    return [share, weights * share, given * (n >= 2)]


def sums_by_n(
    counts: LabelCounts,
    by_annotator: Any,
    weights: Any,
    of_alpha: Any | None,
    weight_matrices: WeightMatrices,
) -> Sums:
    """Return sums from counts of items by how many labels they have.

    Args:
        counts: of one table in each row, (rows, R, …) but for ``n``; ``agreeing`` are pairs of
            equal labels, or pairs by weight.
        by_annotator: labels by annotator and category; (rows, annotators · categories).
        weights: k of items with so many labels, 0 of fewer than two; (R,).
        of_alpha: as ``agreeing``, with the weights of α, if these differ.
        weight_matrices: the weights of categories.
    """
    n, items, given, agreeing = counts
    equal = agreeing.sum(axis=2)
    apart = equal if of_alpha is None else of_alpha.sum(axis=2)
    of_items = item_columns(n, items, equal, apart, weights)
    of_categories = category_columns(n[:, None], given, weights[:, None])
    sums = [column.sum(axis=1, keepdims=True) for column in of_items]
    sums += [column.sum(axis=1) for column in of_categories]
    return Sums(*[*sums, by_annotator], weight_matrices=weight_matrices)


# --- the formulas -------------------------------------------------------------------------------


def figures(observed: Floats, expected: Floats) -> Floats:
    """Return observed, expected and corrected figures; (rows, 1) to (rows, 3)."""
    return np.concatenate((observed, expected, corrected_figures(observed, expected)), axis=1)


def _total(by_category: Floats) -> Floats:
    total: Floats = by_category.sum(axis=1, keepdims=True)
    return total


def _spa(sums: Sums) -> Floats:
    """A_e is Σ p² of the shares that the weights give; the last figure is the corrected SPA."""
    share = sums.weighted_share / sums.weight
    return figures(sums.weighted / sums.weight, _total(sums.square(share)))


def _alpha(sums: Sums) -> Floats:
    """1 − D_o and 1 − D_e of the coincidence matrix."""
    n = _total(sums.values)
    equal = _total(sums.values * (near(sums.values, sums.weight_matrices.alpha) - 1))
    return figures(1 - sums.disagreement / n, equal / (n * (n - 1)))


def _ac1(sums: Sums) -> Floats:
    """AC2 if categories have weights: their sum / (q(q − 1)) takes the place of 1/(q − 1)."""
    p, categories, weights = sums.shares, sums.share.shape[1], sums.weight_matrices.weights
    by_chance = _total(p * (1 - p)) / (categories - 1 if categories > 1 else np.nan)
    return figures(
        sums.observed, by_chance if weights is None else by_chance * (weights.sum() / categories)
    )


def _bias(sums: Sums) -> Floats:
    """A_e of π, A_e of κ, and their difference."""
    of_pi, of_kappa = _total(sums.of_one), _total(sums.of_pairs)
    return np.concatenate((of_pi, of_kappa, of_pi - of_kappa), axis=1)


def pairs_of_categories(counts: LabelCounts) -> tuple[Ints, Ints]:
    """Return ordered pairs of labels of an item by category: both are it, and the first is."""
    n, _, given, agreeing = counts
    return agreeing.sum(axis=0), ((n - 1)[:, None] * given).sum(axis=0)


def agreement_figures(columns: Any) -> Floats:
    """Return R of each category, its chance, and R above it; then the mean and median of each.

    Args:
        columns: of each category ordered pairs in which both labels are it, then of each those
            in which the first is; (rows, 2 · categories).

    Returns:
        Figures in threes; (rows, 3 · (categories + 2)). A category without a pair is left out of
        the mean and the median.
    """
    agreement, pairs = category_agreement(columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = pairs / _total(pairs)
        expected = share / (2 - share)
        three = (agreement, expected, corrected_figures(agreement, expected))
        figures = [with_mean_and_median(values, pairs > 0) for values in three]
    return np.stack(figures, axis=2).reshape(len(agreement), -1)


def category_agreement(columns: Any) -> tuple[Floats, Floats]:
    """Return R of each category, ``nan`` without a pair, and its pairs; of the same columns."""
    equal, pairs = np.split(columns.astype(np.float64), 2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return equal / (2 * pairs - equal), pairs


def with_mean_and_median(values: Floats, counts: Bools) -> Floats:
    """Return values, and behind them the mean and the median of those of each row that count."""
    middle = mean_and_median(np.where(counts, values, np.nan))
    return np.concatenate((values, np.stack(middle, axis=1)), axis=1)


def mean_and_median(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the median of what is defined in each row; (rows,)."""
    known = ~np.isnan(values)
    number = known.sum(axis=1)
    mean = np.where(known, values, 0).sum(axis=1) / np.where(number, number, np.nan)
    if not values.shape[1]:
        return mean, mean
    ordered = np.sort(values, axis=1)  # undefined stand last
    at = np.stack([np.maximum(number - 1, 0) // 2, number // 2], axis=1)
    return mean, np.take_along_axis(ordered, at, axis=1).mean(axis=1)


def rows_of(kind: CoefficientKind[Any], sums: Sums) -> list[list[float]]:
    """Return the three figures of a coefficient for each row of sums."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rows: list[list[float]] = kind.formula(sums).tolist()
    return rows


def all_figures(
    columns: Floats, categories: int, annotators: int, weight_matrices: WeightMatrices = NOMINAL
) -> Floats:
    """Return the figures of all coefficients, from the columns of sums; (rows, 3 · kinds)."""
    borders = list(starts(categories, annotators).values())[1:]
    sums = Sums(*np.split(columns, borders, axis=1), weight_matrices=weight_matrices)
    return np.concatenate([kind.formula(sums) for kind in COEFFICIENTS.values()], axis=1)


# --- the coefficients -----------------------------------------------------------------------------

Formula: TypeAlias = Callable[[Sums], Floats]
"""From sums to observed, expected and value; ``nan`` where undefined; (rows, 3)."""

C = TypeVar("C", bound="Coefficient")


@dataclass(eq=False)
class CoefficientKind(Generic[C]):
    """A coefficient of labels: its formula, what it needs, what it cites, what it means.

    As an attribute of a set of coefficients it is the one of its kind.

    Attributes:
        sign: name in data, such as π.
        formula: from sums to its three figures.
        cites: keys of its sources in ``report/references.bib``.
        means: paragraph that explains it.
        title: name for people. Default: the sign.
        of_category: heading of the explanation of its column in a table of categories.
        is_corrected: if True, its value is (observed − expected) / (1 − expected).
        is_share: if True, its value is a share of agreement, of which 1 is all.
        needs_names: if True, it is undefined where a table does not say who gave which label.
        needs_second_category: if True, it is undefined for one category.
        weighted_sign, weighted_cites, weighted_means: sign, sources and explanation where
            categories have weights, if these are others.
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
        """Return its sign where categories have these weights."""
        return self.sign if weight_matrices.weights is None else self.weighted_sign or self.sign

    def undefined(self, *, has_names: bool, n_categories: int) -> str:
        """Return why nothing of it is defined, for what it needs; empty if something is."""
        if self.needs_names and not has_names:
            return "a table of counts does not say who gave which label"
        if self.needs_second_category and n_categories < 2:
            return f"one category; {self.sign} needs to know of a second"
        return ""


class CoefficientSet(ABC):
    """What has a coefficient of each kind: the attributes here are all kinds that there are."""

    spa: ClassVar[CoefficientKind[Spa]] = CoefficientKind(
        "SPA", _spa, "norregaard2022",
        "how likely two annotators agree on an item, labels missing at random (Nørregaard &"
        " Derczynski 2022). It is not corrected for chance: two who guess among two equally likely"
        " labels reach .5. Do not compare it where one category is frequent or categories differ.",
        of_category="SPA of a category", is_corrected=False,
    )  # fmt: skip
    pi: ClassVar[CoefficientKind[Coefficient]] = CoefficientKind(
        "π", lambda sums: figures(sums.observed, _total(sums.of_one)), "scott1955,fleiss1971",
        "chance is that both labels are drawn from one distribution for all annotators (Scott;"
        " Fleiss' kappa is the same for more than two). Different preferences count as"
        " disagreement. With gaps, items that one alone labelled count in the distribution but not"
        " in the observed agreement (Gwet's form), so a category may come out below 0. Not to be"
        " trusted where nearly everything is of one category: chance gives almost all then, and a"
        " few items decide.",
    )  # fmt: skip
    kappa: ClassVar[CoefficientKind[Coefficient]] = CoefficientKind(
        "κ", lambda sums: figures(sums.observed, _total(sums.of_pairs)), "cohen1960,conger1980",
        "chance is that each draws from her own distribution (Cohen; Conger for more than two)."
        " Annotators whose preferences differ make chance smaller, so κ rises where few annotators"
        " are further apart. As unstable as π where nearly everything is of one category.",
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
    def of_kind(self, kind: CoefficientKind[C]) -> C:
        """Return the coefficient of a kind."""


COEFFICIENTS: Mapping[str, CoefficientKind[Any]] = {
    key: kind for key, kind in vars(CoefficientSet).items() if isinstance(kind, CoefficientKind)
}
"""The coefficients of labels, by key, in the order in which they are reported."""

CORRECTED = tuple(kind for kind in COEFFICIENTS.values() if kind.is_corrected)
"""Those that are corrected for chance."""
