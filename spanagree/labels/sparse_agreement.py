"""Sparse Probability of Agreement: the probability that two annotators agree, with missing labels.

SPA (Nørregaard & Derczynski 2022, Eq. 7) is the weighted mean of the agreements of items,

    SPA = Σ kᵢ Pᵢ / Σ kᵢ,   Pᵢ = Σ_c nᵢ_c (nᵢ_c − 1) / (nᵢ (nᵢ − 1)),

with nᵢ_c the number of labels c among the nᵢ labels of item i. If labels are missing at random, SPA
has the expectation of the complete table for all weights kᵢ that are functions of nᵢ. Arrays have
one entry for each item, or for each of the R distinct numbers of labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from spanagree.arrays import Floats, Ints
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import SettingError, check_choice, join_names, quote_value
from spanagree.labels.category_weights import compute_weighted_sum, compute_weighted_sum_of_cells
from spanagree.labels.chance_corrected import CoefficientInputs
from spanagree.labels.coefficient import Spa
from spanagree.labels.formulas import (
    CoefficientSet,
    CoefficientSums,
    append_corrected,
    compute_rows,
)
from spanagree.results.score import UNDEFINED, build_corrected_score

if TYPE_CHECKING:
    from spanagree.choices import Weights

WEIGHTS = {
    "flat": "every item counts the same",
    "annotations": "by the number of labels n, as in Krippendorff's α",
    "annotations_m1": "by n − 1",
    "edges": "by the number of pairs, n(n − 1)/2",
    "inverse_variance": "by 1 / the variance of Pᵢ if all categories are equally likely",
    "inverse_variance_class": "by 1 / the variance of Pᵢ under a class distribution",
}
"""Weights of items, by name."""

_FEWEST = 10  # smallest number of items to test for a dependence
_DOUBTED = 0.01  # largest p of a reported dependence
_ALIKE = ("flat", "annotations_m1", "edges")  # weights to compare if there is a dependence
_LEFT_OUT = "without one of the items nothing, or chance alone, is left"
_CERTAIN = 1e-12  # largest difference from 1 of a probability that counts as 1


def spa(
    table: LabelTable,
    weights: Weights = "annotations_m1",
    *,
    class_distribution: Mapping[str, float] | None = None,
    complete_only: bool = False,
) -> Spa:
    """Compute the probability that two annotators agree on an item, with labels missing at random.

    Args:
        table: labels.
        weights: weights of items: flat, annotations, annotations_m1 (recommended in the paper),
            edges, inverse_variance or inverse_variance_class.
        class_distribution: probability of each category, for ``inverse_variance_class``. Default:
            the mean of nᵢ_c/nᵢ over items.
        complete_only: True for only the items that all annotators labelled.

    Raises:
        SettingError: if a choice is unknown, or the distribution is not one over the categories.

    >>> table = LabelTable.from_counts([[2, 0], [1, 1], [3, 1], [1, 0]], ["no", "yes"])
    >>> result = spa(table, "flat")
    >>> result.items.tolist(), round(result.value, 3)
    ([1.0, 0.0, 0.5, nan], 0.5)
    """
    return score_spa(
        CoefficientInputs.from_table(table, complete_only), weights, class_distribution
    )


def score_spa(
    inputs: CoefficientInputs, weights: str, class_distribution: Mapping[str, float] | None = None
) -> Spa:
    """Compute SPA from prepared inputs, overall and for each category.

    Args:
        inputs: labels and weights of categories.
        weights: name of the weights of items, in :data:`WEIGHTS`.
        class_distribution: probability of each category; see :func:`spa`.
    """
    check_choice(weights, WEIGHTS, "weights")
    by_class = weights == "inverse_variance_class"
    if class_distribution is not None and not by_class:
        raise SettingError(
            f"class_distribution: weights {weights} do not use it; inverse_variance_class does"
        )
    table = inputs.table
    distribution = _parse_distribution(table.labels, class_distribution)
    class_probabilities = class_distribution
    classes = (
        "estimated"
        if class_probabilities is None
        else [class_probabilities[label] for label in table.labels]
    )
    settings = replace(inputs.settings, weights=weights, classes=classes if by_class else None)
    shared_fields = {**inputs.build_shared_fields(CoefficientSet.spa), "settings": settings}
    if inputs.no_pairs_reason:
        return Spa(**shared_fields, reason=inputs.no_pairs_reason)
    n_labels, n_items, n_given, _ = table.counts
    if by_class and distribution is None:
        distribution = (n_given / n_labels[:, None]).sum(0)
        distribution /= distribution.sum()
    has_two = n_labels >= 2
    unscaled_weights, note = _compute_weights(
        weights, n_labels[has_two], len(table.labels), distribution
    )
    shared_fields["notes"] = (*inputs.notes, note) if note else inputs.notes
    unscaled_by_n, weight_by_n = np.zeros((2, len(n_labels)))
    unscaled_by_n[has_two], weight_by_n[has_two] = (
        unscaled_weights,
        unscaled_weights / (unscaled_weights * n_items[has_two]).sum(),
    )
    sums = inputs.compute_weighted_sums(unscaled_by_n)
    ((observed, expected, corrected_figure),) = compute_rows(CoefficientSet.spa, sums)
    item_weights = np.where(
        table.given >= 2, weight_by_n[np.searchsorted(n_labels, table.given)], 0.0
    )
    item_agreement = _compute_item_agreement(table.given, inputs.weighted_agreement_by_item)
    share = (sums.weighted_share / sums.weight)[0]
    jackknife = _compute_jackknife_estimate(inputs, item_agreement, item_weights, observed, share)
    is_undefined = not math.isnan(corrected_figure) and math.isnan(jackknife)
    return Spa(
        **shared_fields,
        **_build_spa_fields(observed, expected, corrected_figure),
        jackknife=jackknife,
        jackknife_reason=_LEFT_OUT if is_undefined else "",
        by_category={
            label: Spa(**shared_fields, **_build_spa_fields(*row))
            for label, row in zip(
                table.labels, _compute_by_category(table, unscaled_by_n, sums), strict=True
            )
        },
        items=item_agreement,
        weights=item_weights,
        note=note,
        dependence=_test_dependence(table, item_agreement),
    )


def _build_spa_fields(observed: float, expected: float, corrected_figure: float) -> dict[str, Any]:
    """Build the fields of a result of SPA: its figures, and the reason if one is undefined."""
    reason = build_corrected_score(observed, expected).reason
    reason = reason and f"corrected: {reason}"
    if math.isnan(observed):
        reason = "given to no such item"
    figures = {
        "value": observed,
        "observed": observed,
        "expected": expected,
        "corrected": corrected_figure,
    }
    return {**figures, "reason": reason}


def _compute_by_category(
    table: LabelTable, weight_by_n: Floats, sums: CoefficientSums
) -> list[list[float]]:
    """Compute SPA of each category: the probability that another annotator chooses it if one did.

    Args:
        table: labels.
        weight_by_n: weight k for each number of labels; (R,).
        sums: sums over all items.

    Returns:
        Observed, expected and corrected probability of each category.
    """
    n, _, _, agreeing = table.counts
    weighted_pairs = (weight_by_n / np.where(n >= 2, n * (n - 1), 1)) @ agreeing
    weighted_share, total_weight = sums.weighted_share[0], sums.weight[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        rows: list[list[float]] = append_corrected(
            (weighted_pairs / weighted_share)[:, None], (weighted_share / total_weight)[:, None]
        ).tolist()
    return rows


def agreement_variance(n: ArrayLike, class_distribution: ArrayLike) -> Floats:
    """Compute the variance of Pᵢ for n labels drawn independently from a class distribution.

    Pᵢ is a U-statistic, so with S = Σ p² its variance is

        2/(n(n − 1)) · [2(n − 2) · Σ p(p − S)² + S − S²].

    This takes time linear in the number of categories C, while Eq. 22 of the paper takes steps of
    the order (nC)². For a uniform distribution the first term is 0, so the variance is inversely
    proportional to the number of pairs: ``inverse_variance`` weights equal ``edges`` weights up to
    a factor.

    Args:
        n: number of labels, 2 or more.
        class_distribution: probability of each category.

    Raises:
        SettingError: if there are fewer than two labels, or the probabilities do not sum to 1.

    >>> round(float(agreement_variance(3, [0.2, 0.8])), 7)  # 208/1875
    0.1109333
    """
    n = np.asarray(n, np.float64)
    if not (n >= 2).all():
        raise SettingError(f"n {quote_value(n.tolist())}; numbers of labels from 2 are needed")
    p = _check_probabilities(np.asarray(class_distribution, np.float64).tolist())
    s = (p**2).sum()
    # Σ_c p_c(1 − p_c)·S is S − S² without cancellation if one p is nearly 1
    spread = (p * (1 - p)).sum() * s
    variance: Floats = 2 / (n * (n - 1)) * (2 * (n - 2) * (p * (p - s) ** 2).sum() + spread)
    return variance


def _parse_distribution(
    labels: Sequence[str], class_distribution: Mapping[str, float] | None
) -> Floats | None:
    """Check a class distribution, and convert it to an array in the order of labels.

    The result is ``None`` without a distribution.

    Raises:
        SettingError: if it is not a probability for each category.
    """
    if class_distribution is None:
        return None
    if not isinstance(class_distribution, Mapping):
        raise SettingError(
            f"class_distribution {quote_value(class_distribution)}; a probability for each category"
        )
    missing = [label for label in labels if label not in class_distribution]
    unknown = [label for label in class_distribution if label not in labels]
    if missing or unknown:
        raise SettingError(
            f"class_distribution: {'no probability for' if missing else 'unknown category'}"
            f" {quote_value((missing or unknown)[0])}; the categories are:"
            f" {join_names(labels)}"
        )
    return _check_probabilities([class_distribution[label] for label in labels])


def _check_probabilities(values: Sequence[Any]) -> Floats:
    """Convert probabilities to an array; raise an error unless they sum to 1."""
    are_probabilities = all(
        isinstance(value, (int, float, np.number)) and value >= 0 for value in values
    )
    if not are_probabilities or abs(math.fsum(values) - 1) > 1e-9:
        raise SettingError(
            f"class_distribution: {quote_value(values)}; probabilities from 0 that sum to 1 are"
            " needed"
        )
    return np.array(values, np.float64)


def _compute_weights(
    weights: str, n: Ints, n_categories: int, distribution: Floats | None
) -> tuple[Floats, str]:
    """Compute the weight k of an item for each number of labels.

    Args:
        weights: name in :data:`WEIGHTS`.
        n: numbers of labels, 2 or more; (R,).
        n_categories: number of categories.
        distribution: probability of each category, for weights by variance. Default: uniform.

    Returns:
        Weights of shape (R,), and a note if all variances are 0; else empty.
    """
    weights_by_name = {
        "flat": np.ones(len(n)),
        "annotations": n.astype(np.float64),
        "annotations_m1": (n - 1).astype(np.float64),
        "edges": n * (n - 1) / 2,
    }
    if weights in weights_by_name:
        return weights_by_name[weights], ""
    p = np.full(n_categories, 1 / n_categories) if distribution is None else distribution
    if p.max() >= 1 - _CERTAIN:
        return np.ones(len(n)), "one category has all the probability: variance 0, equal weights"
    return 1 / agreement_variance(n, p), ""


def _compute_item_agreement(n: Ints, equal: Any) -> Floats:
    """Compute Pᵢ of each item from its number of labels and its agreeing ordered pairs."""
    pairs = np.where(n >= 2, n * (n - 1), 1)
    return np.where(n >= 2, equal / pairs, UNDEFINED)


def _test_dependence(table: LabelTable, agreement: Floats) -> str:
    """Test if the agreement of items depends on their number of labels, and write a sentence.

    The test is the correlation of an item's agreement with the rank of its number of labels, with a
    robust standard error. Agreement is not ranked: it is 0 or 1 for two labels, but has values in
    between for five labels, so its ranks would depend on the number of labels even if its mean does
    not. The sentence reports SPA with three weights, which have equal expectations if labels are
    missing at random.

    Args:
        table: labels.
        agreement: agreement Pᵢ of each item.

    Returns:
        The sentence; empty without a significant dependence.
    """
    has_two = table.given >= 2
    n_equal, n_labels, item_agreement = (
        table.times[has_two],
        table.given[has_two],
        agreement[has_two],
    )
    n_items = int(n_equal.sum())
    rank_and_agreement = _compute_mean_ranks(n_labels, n_equal), item_agreement
    centred = [
        column - float((n_equal * column).sum()) / max(n_items, 1) for column in rank_and_agreement
    ]
    squares = [float((n_equal * column**2).sum()) for column in centred]
    if n_items < _FEWEST or min(squares) <= 0:
        return ""
    products = centred[0] * centred[1]
    correlation = float((n_equal * products).sum()) / math.sqrt(squares[0] * squares[1])
    standard_error = math.sqrt(float((n_equal * products**2).sum()))
    p = (
        math.erfc(abs(float((n_equal * products).sum())) / standard_error / math.sqrt(2))
        if standard_error
        else 1.0
    )
    if p > _DOUBTED:
        return ""
    from spanagree.results.verdict import write_p  # few tables have this doubt

    spa_by_weights = []
    for name in _ALIKE:
        k = n_equal * _compute_weights(name, n_labels, len(table.labels), None)[0]
        spa_by_weights.append(f"{float((k * item_agreement).sum() / k.sum()):.3f} ({name})")
    return (
        "SPA takes labels to be missing at random, but items with more labels agree"
        f" {'more' if correlation > 0 else 'less'} (correlation {correlation:.2f}, p"
        f" {write_p(p)}): by three weights it is {', '.join(spa_by_weights)}"
    )


def _compute_mean_ranks(values: Ints | Floats, n_equal: Ints) -> Floats:
    """Compute the mean rank of each value.

    Args:
        values: value of each row.
        n_equal: number of observations that each row represents.
    """
    distinct_values, value_index = np.unique(values, return_inverse=True)
    n_by_value = np.bincount(value_index, n_equal, len(distinct_values))
    mean_rank: Floats = np.cumsum(n_by_value) - (n_by_value - 1) / 2
    return mean_rank[value_index]


def _compute_jackknife_estimate(
    inputs: CoefficientInputs, agreement: Floats, weight: Floats, observed: float, share: Floats
) -> float:
    """Compute the jackknife estimate θ + (I − 1) · mean of (θ − θ₍₋ᵢ₎) over I items.

    θ = 1 − D/E, with D = 1 − SPA and E = 1 − Σ p², is the plug-in estimate, and θ₍₋ᵢ₎ the same
    without item i. Weights stay fixed. The differences nearly cancel, so D₍₋ᵢ₎ − D and E₍₋ᵢ₎ − E
    are computed directly.

    Args:
        inputs: labels.
        agreement: Pᵢ of each item.
        weight: kᵢ of each item, with the sum 1.
        observed: SPA.
        share: weighted share p of each category.
    """
    table, weights = inputs.table, inputs.weight_matrices.weights
    D, E = 1 - observed, 1 - float((share * compute_weighted_sum(share, weights)).sum())
    has_weight = weight > 0
    n_equal = table.times[has_weight]
    n_items = int(n_equal.sum())
    if n_items < 2 or E < 1e-10:
        return UNDEFINED
    item, label, n_labels = table.cells
    weighted_share = weight[item] * n_labels / table.given[item]  # kᵢ nᵢ_c/nᵢ
    cross = np.bincount(
        item, compute_weighted_sum(share, weights)[label] * weighted_share, table.size
    )[has_weight]
    square = np.bincount(
        item,
        weighted_share * compute_weighted_sum_of_cells(table, weights, weighted_share),
        table.size,
    )[has_weight]
    w = weight[has_weight]
    if (w > 1 - 1e-10).any():
        return UNDEFINED
    less_D = w * (D - (1 - agreement[has_weight])) / (1 - w)  # D₍₋ᵢ₎ − D
    less_E = ((1 - E) * (w**2 - 2 * w) + 2 * cross - square) / (1 - w) ** 2
    if (E + less_E < 1e-10).any():
        return UNDEFINED
    differences = (E * less_D - D * less_E) / ((E + less_E) * E)
    return 1 - D / E + (n_items - 1) / n_items * math.fsum((n_equal * differences).tolist())
