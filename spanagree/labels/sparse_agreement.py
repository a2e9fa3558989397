"""Sparse Probability of Agreement: how likely two annotators agree, when labels are missing.

SPA (Nørregaard & Derczynski 2022, Eq. 7) is the weighted mean of item agreements,
Σ kᵢPᵢ / Σ kᵢ with Pᵢ = Σ_c nᵢ_c(nᵢ_c − 1) / (nᵢ(nᵢ − 1)). If labels are missing at random, every
choice of weights that depend on nᵢ alone leaves its mean what it would be on the complete table.
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
from spanagree.errors import SettingError, check_choice, listed, show
from spanagree.labels.category_weights import near, near_cells
from spanagree.labels.chance_corrected import Basis
from spanagree.labels.coefficient import Spa
from spanagree.labels.formulas import CoefficientSet, Sums, figures, rows_of
from spanagree.results.score import UNDEFINED, corrected

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
"""How much an item counts, by name."""

_FEWEST = 10  # items of which a dependence is looked for
_DOUBTED = 0.01  # p of a dependence that is told
_ALIKE = ("flat", "annotations_m1", "edges")  # weights that are compared
_LEFT_OUT = "without one of the items nothing, or chance alone, is left"
_CERTAIN = 1e-12  # a probability this close to 1 is 1


def spa(
    table: LabelTable,
    weights: Weights = "annotations_m1",
    *,
    class_distribution: Mapping[str, float] | None = None,
    complete_only: bool = False,
) -> Spa:
    """Return the probability that two annotators agree on an item, labels missing at random.

    Args:
        table: the labels.
        weights: flat, annotations, annotations_m1 (what the paper recommends), edges,
            inverse_variance or inverse_variance_class.
        class_distribution: how likely each category is, for ``inverse_variance_class``; estimated
            as the mean over items of nᵢ_c/nᵢ unless given.
        complete_only: only items that all annotators labelled.

    Raises:
        SettingError: for an unknown choice, or a distribution that is not one over the categories.

    >>> table = LabelTable.from_counts([[2, 0], [1, 1], [3, 1], [1, 0]], ["no", "yes"])
    >>> result = spa(table, "flat")
    >>> result.items.tolist(), round(result.value, 3)
    ([1.0, 0.0, 0.5, nan], 0.5)
    """
    return score_spa(Basis.of(table, complete_only), weights, class_distribution)


def score_spa(
    basis: Basis, weights: str, class_distribution: Mapping[str, float] | None = None
) -> Spa:
    """Return SPA, also of each category; see :func:`spa`."""
    check_choice(weights, WEIGHTS, "weights")
    by_class = weights == "inverse_variance_class"
    if class_distribution is not None and not by_class:
        raise SettingError(
            f"class_distribution: weights {weights} do not use it; inverse_variance_class does"
        )
    table = basis.table
    distribution = _distribution(table.labels, class_distribution)
    given = class_distribution
    classes = "estimated" if given is None else [given[label] for label in table.labels]
    settings = replace(basis.settings, weights=weights, classes=classes if by_class else None)
    shared = {**basis.shared(CoefficientSet.spa), "settings": settings}
    if basis.nothing:
        return Spa(**shared, reason=basis.nothing)
    n, items, of_n, _ = table.counts
    if by_class and distribution is None:
        distribution = (of_n / n[:, None]).sum(0)
        distribution /= distribution.sum()
    two = n >= 2
    k, note = _weights(weights, n[two], len(table.labels), distribution)
    shared["notes"] = (*basis.notes, note) if note else basis.notes
    by_n, parts = np.zeros((2, len(n)))
    by_n[two], parts[two] = k, k / (k * items[two]).sum()
    sums = basis.weighted_sums(by_n)
    ((observed, expected, beyond),) = rows_of(CoefficientSet.spa, sums)
    of_item = np.where(table.given >= 2, parts[np.searchsorted(n, table.given)], 0.0)
    per_item = _item_agreement(table.given, basis.weighted_agreement_by_item)
    share = (sums.weighted_share / sums.weight)[0]
    jackknife = _jackknife(basis, per_item, of_item, observed, share)
    left_out = not math.isnan(beyond) and math.isnan(jackknife)
    return Spa(
        **shared,
        **_fields(observed, expected, beyond),
        jackknife=jackknife,
        jackknife_reason=_LEFT_OUT if left_out else "",
        by_category={
            label: Spa(**shared, **_fields(*row))
            for label, row in zip(table.labels, _by_category(table, by_n, sums), strict=True)
        },
        items=per_item,
        weights=of_item,
        note=note,
        dependence=_dependence(table, per_item),
    )


def _fields(observed: float, expected: float, beyond: float) -> dict[str, Any]:
    """Return the figures of SPA as its fields, and why some are undefined."""
    reason = corrected(observed, expected).reason
    reason = reason and f"corrected: {reason}"
    if math.isnan(observed):
        reason = "given to no such item"
    figures = {"value": observed, "observed": observed, "expected": expected, "corrected": beyond}
    return {**figures, "reason": reason}


def _by_category(table: LabelTable, by_n: Floats, sums: Sums) -> list[list[float]]:
    """Return how likely another annotator chooses each category if one did."""
    n, _, _, agreeing = table.counts
    equal = (by_n / np.where(n >= 2, n * (n - 1), 1)) @ agreeing
    weighted, total = sums.weighted_share[0], sums.weight[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        rows: list[list[float]] = figures(
            (equal / weighted)[:, None], (weighted / total)[:, None]
        ).tolist()
    return rows


def agreement_variance(n: ArrayLike, class_distribution: ArrayLike) -> Floats:
    """Return the variance of Pᵢ for n labels drawn independently from a class distribution.

    Pᵢ is a U-statistic, so with S = Σp² it is 2/(n(n−1))·[2(n−2)·Σp(p − S)² + S − S²]: linear in
    the categories, where the paper's Eq. 22 takes a number of steps that grows with (nC)². For a
    uniform distribution the first term is 0, so the variance is inversely proportional to the
    number of pairs, whatever C: ``inverse_variance`` weights *are* ``edges`` weights, up to a
    factor.

    Args:
        n: the number of labels, 2 or more.
        class_distribution: the probability of each category.

    Raises:
        SettingError: for fewer than two labels, or what is not a distribution.

    >>> round(float(agreement_variance(3, [0.2, 0.8])), 7)  # 208/1875
    0.1109333
    """
    n = np.asarray(n, np.float64)
    if not (n >= 2).all():
        raise SettingError(f"n {show(n.tolist())}; numbers of labels from 2 are needed")
    p = _probabilities(np.asarray(class_distribution, np.float64).tolist())
    s = (p**2).sum()
    # S − S² without cancellation where one p is nearly 1: Σ_c p_c(1 − p_c)·S
    spread = (p * (1 - p)).sum() * s
    variance: Floats = 2 / (n * (n - 1)) * (2 * (n - 2) * (p * (p - s) ** 2).sum() + spread)
    return variance


def _distribution(labels: Sequence[str], given: Mapping[str, float] | None) -> Floats | None:
    """Return the probability of each label, if they are given."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise SettingError(f"class_distribution {show(given)}; a probability for each category")
    missing = [label for label in labels if label not in given]
    unknown = [label for label in given if label not in labels]
    if missing or unknown:
        raise SettingError(
            f"class_distribution: {'no probability for' if missing else 'unknown category'}"
            f" {show((missing or unknown)[0])}; the categories are:"
            f" {listed(labels)}"
        )
    return _probabilities([given[label] for label in labels])


def _probabilities(values: Sequence[Any]) -> Floats:
    numbers = all(isinstance(value, (int, float, np.number)) and value >= 0 for value in values)
    if not numbers or abs(math.fsum(values) - 1) > 1e-9:
        raise SettingError(
            f"class_distribution: {show(values)}; probabilities from 0 that sum to 1 are needed"
        )
    return np.array(values, np.float64)


def _weights(
    weights: str, n: Ints, categories: int, distribution: Floats | None
) -> tuple[Floats, str]:
    """Return kᵢ of items with n labels, and what there is to note on them."""
    by_number = {
        "flat": np.ones(len(n)),
        "annotations": n.astype(np.float64),
        "annotations_m1": (n - 1).astype(np.float64),
        "edges": n * (n - 1) / 2,
    }
    if weights in by_number:
        return by_number[weights], ""
    p = np.full(categories, 1 / categories) if distribution is None else distribution
    if p.max() >= 1 - _CERTAIN:
        return np.ones(len(n)), "one category has all the probability: variance 0, equal weights"
    return 1 / agreement_variance(n, p), ""


def _item_agreement(n: Ints, equal: Any) -> Floats:
    """Return Pᵢ of each item, from its labels and its ordered pairs of labels that agree."""
    pairs = np.where(n >= 2, n * (n - 1), 1)
    return np.where(n >= 2, equal / pairs, UNDEFINED)


def _dependence(table: LabelTable, agreement: Floats) -> str:
    """Say that the agreement of items depends on their number of labels, where it does.

    By the correlation of an item's agreement with the rank of its number of labels, and its
    robust standard error. Agreement is not ranked: of two labels it is 0 or 1, of five it has
    values between, so that its ranks depend on the number where its mean does not. Then what SPA is
    by three weights, which are the same, but for chance, if labels are missing at random.
    """
    chosen = table.given >= 2
    times, given, agreed = table.times[chosen], table.given[chosen], agreement[chosen]
    items = int(times.sum())
    pair = _mean_ranks(given, times), agreed
    apart = [x - float((times * x).sum()) / max(items, 1) for x in pair]
    squares = [float((times * x**2).sum()) for x in apart]
    if items < _FEWEST or min(squares) <= 0:
        return ""
    product = apart[0] * apart[1]
    correlation = float((times * product).sum()) / math.sqrt(squares[0] * squares[1])
    error = math.sqrt(float((times * product**2).sum()))
    p = math.erfc(abs(float((times * product).sum())) / error / math.sqrt(2)) if error else 1.0
    if p > _DOUBTED:
        return ""
    from spanagree.results.verdict import p_of  # few tables have this doubt

    values = []
    for name in _ALIKE:
        k = times * _weights(name, given, len(table.labels), None)[0]
        values.append(f"{float((k * agreed).sum() / k.sum()):.3f} ({name})")
    return (
        "SPA takes labels to be missing at random, but items with more labels agree"
        f" {'more' if correlation > 0 else 'less'} (correlation {correlation:.2f}, p"
        f" {p_of(p)}): by three weights it is {', '.join(values)}"
    )


def _mean_ranks(values: Ints | Floats, times: Ints) -> Floats:
    """Return the rank of each value, that is there so many times; equal ones have the middle."""
    distinct, which = np.unique(values, return_inverse=True)
    count = np.bincount(which, times, len(distinct))
    middle: Floats = np.cumsum(count) - (count - 1) / 2
    return middle[which]


def _jackknife(
    basis: Basis, agreement: Floats, weight: Floats, observed: float, share: Floats
) -> float:
    """Return θ + (I − 1)·mean of θ − θ₍₋ᵢ₎, θ the plug-in and θ₍₋ᵢ₎ the same without item i.

    With D = 1 − SPA and E = 1 − Σp², θ is 1 − D/E. Without item i the sums are less by its own
    terms; weights stay as they are. The differences are formed directly, as they nearly cancel.
    """
    table, weights = basis.table, basis.weight_matrices.weights
    D, E = 1 - observed, 1 - float((share * near(share, weights)).sum())
    counted = weight > 0
    times = table.times[counted]
    left = int(times.sum())
    if left < 2 or E < 1e-10:
        return UNDEFINED
    item, label, number = table.cells
    part = weight[item] * number / table.given[item]  # kᵢ nᵢ_c/nᵢ
    cross = np.bincount(item, near(share, weights)[label] * part, table.size)[counted]
    square = np.bincount(item, part * near_cells(table, weights, part), table.size)[counted]
    w = weight[counted]
    if (w > 1 - 1e-10).any():
        return UNDEFINED
    less_D = w * (D - (1 - agreement[counted])) / (1 - w)  # D₍₋ᵢ₎ − D
    less_E = ((1 - E) * (w**2 - 2 * w) + 2 * cross - square) / (1 - w) ** 2
    if (E + less_E < 1e-10).any():
        return UNDEFINED
    differences = (E * less_D - D * less_E) / ((E + less_E) * E)
    return 1 - D / E + (left - 1) / left * math.fsum((times * differences).tolist())
