"""How near two categories are, for labels that are grades or sets.

A coefficient counts each pair of labels by a weight, 1 of equal ones; of nominal labels all other
weights are 0. So a kind of labels is a row of a table here: it makes the matrix of weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, distinct
from spanagree.corpus.label_counts import cells_of
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.label_text import SIGN
from spanagree.errors import SettingError, check_choice, show
from spanagree.limits import check_cost

if TYPE_CHECKING:
    from spanagree.choices import CategoryWeights, Measurement

CATEGORY_WEIGHTS = {
    "identity": "1 of equal labels, 0 of others",
    "linear": "1 − |a − b| / the widest difference",
    "quadratic": "1 − (a − b)² / the widest difference²",
    "ordinal": "1 − m(m + 1) / (q(q − 1)) of labels m places apart among q",
    "ratio": "1 − ((a − b) / (a + b))² / the largest of these",
    "jaccard": "of sets, the labels in both / those in either",
    "masi": "as jaccard, times 2/3 of a set within the other, 1/3 of others that overlap",
}
"""How near two categories are, by name; ``q`` is the number of categories."""

MEASUREMENTS = {
    "nominal": "labels are names, the same or not",
    "ordinal": "labels have an order; they differ by how many of the labels given lie between them",
    "interval": "labels are numbers that differ by (a − b)²",
    "ratio": "labels are numbers from 0 that differ by ((a − b) / (a + b))²",
}
"""What labels measure, by name: their distances in α."""

_WEIGHTS_OF = dict(zip(MEASUREMENTS, ("identity", "ordinal", "quadratic", "ratio"), strict=True))
MANY = 5
"""From so many numbers on, labels are probably grades."""


class WeightMatrices(NamedTuple):
    """The weights of every two categories, or ``None`` if only equal labels agree.

    Attributes:
        weights: of all coefficients but α; (categories, categories).
        alpha: of α, which has distances of its own on an ordinal scale.
    """

    weights: Floats | None
    alpha: Floats | None

    @property
    def nominal(self) -> bool:
        """Whether only equal labels agree."""
        return self.weights is None and self.alpha is None


NOMINAL = WeightMatrices(None, None)


def weight_matrices_of(
    table: LabelTable,
    measurement: Measurement | None,
    category_weights: CategoryWeights | None,
    order: Sequence[str] | None,
) -> WeightMatrices:
    """Return how near the categories of a table are; see :func:`spanagree.coefficients`.

    Raises:
        SettingError: for an unknown choice; for labels that the choice does not fit; for an order
            that does not name each category once, or that nothing uses.
    """
    check_choice("nominal" if measurement is None else measurement, MEASUREMENTS, "measurement")
    weights = weights_of(measurement, category_weights)
    check_choice(weights, CATEGORY_WEIGHTS, "category_weights")
    of_alpha = weights if measurement is None else _WEIGHTS_OF[measurement]
    if measurement == "ordinal":
        of_alpha = "ranks"
    if order is not None and {weights, of_alpha} <= {"identity", "jaccard", "masi"}:
        raise SettingError(
            "order: only an ordinal or interval scale has one; leave it out, or ask for a"
            " measurement or category_weights"
        )
    matrices = {name: _matrix(name, table, order) for name in sorted({weights, of_alpha})}
    return WeightMatrices(matrices[weights], matrices[of_alpha])


def weights_of(measurement: str | None, category_weights: str | None) -> str:
    """Return the name of the weights of all coefficients but α.

    >>> weights_of("interval", None), weights_of("interval", "linear")
    ('quadratic', 'linear')
    """
    return _WEIGHTS_OF[measurement or "nominal"] if category_weights is None else category_weights


def _matrix(name: str, table: LabelTable, order: Sequence[str] | None) -> Floats | None:
    """Return a matrix of weights by its name."""
    if name == "identity":
        return None
    check_cost(3 * len(table.labels) ** 2, "a matrix with the weight of every two categories")
    if name in SETS:
        return _of_sets(table.labels, SETS[name])
    n, _, given, _ = table.counts
    distance = _DISTANCES[name](_places(name, table.labels, order), given[n >= 2].sum(axis=0))
    return np.asarray(1 - distance / max(distance.max(initial=0), 1e-300), np.float64)


# --- scales -------------------------------------------------------------------------------------


def numbers_of(labels: Sequence[str]) -> list[float] | None:
    """Return labels as numbers, if all are.

    >>> numbers_of(["1", "2.5"]), numbers_of(["1", "high"])
    ([1.0, 2.5], None)
    """
    try:
        numbers = [float(label) for label in labels if "_" not in label]
    except ValueError:
        return None
    return numbers if len(numbers) == len(labels) and all(map(math.isfinite, numbers)) else None


def _places(name: str, labels: Sequence[str], order: Sequence[str] | None) -> Floats:
    """Return where labels stand on a scale: their numbers, or else their places in the order."""
    numbers = numbers_of(labels)
    if order is not None:
        names = list(order)
        if isinstance(order, str) or sorted(names) != sorted(labels) or name == "ratio":
            raise SettingError(
                f"order {show(order)}: it has to name each category once, from low to high, and a"
                f" ratio scale needs numbers; the categories are: {', '.join(map(show, labels))}"
            )
        numbers = [float(names.index(label)) for label in labels]
    if numbers is None:
        odd = next(label for label in labels if numbers_of([label]) is None)
        raise SettingError(
            f"label {show(odd)} is not a number; name the categories from low to high"
            " (--categories, order=), or choose nominal"
        )
    if name == "ratio" and min(numbers, default=0) < 0:
        raise SettingError(f"label {show(min(numbers))}; a ratio scale has numbers from 0")
    return np.array(numbers, np.float64)


def _apart(places: Floats) -> Floats:
    return np.abs(places[:, None] - places)


def _steps(places: Floats) -> Floats:
    """Return m(m + 1) of categories m places apart."""
    m = _apart(np.unique(places, return_inverse=True)[1].reshape(-1).astype(np.float64))
    return m * (m + 1)


def _ratios(places: Floats) -> Floats:
    sums = places[:, None] + places
    return (_apart(places) / np.where(sums > 0, sums, 1)) ** 2


def _ranks(places: Floats, given: Ints) -> Floats:
    """Return the squared number of labels given from one category to the other, halves of both."""
    order = np.argsort(places, kind="stable")
    middle = np.empty(len(places))
    middle[order] = np.cumsum(given[order]) - given[order] / 2
    return _apart(middle) ** 2


_DISTANCES: Mapping[str, Callable[[Floats, Ints], Floats]] = {
    "linear": lambda places, _: _apart(places),
    "quadratic": lambda places, _: _apart(places) ** 2,
    "ordinal": lambda places, _: _steps(places),
    "ratio": lambda places, _: _ratios(places),
    "ranks": _ranks,
}
"""How far apart categories at some places are, and how often each was given."""


# --- sets ---------------------------------------------------------------------------------------


def _of_sets(labels: Sequence[str], weight: Callable[[Floats, Floats, Floats], Floats]) -> Floats:
    """Return the weights of sets of labels."""
    sets = [frozenset(label.split(SIGN)) for label in labels]
    seen: dict[frozenset[str], str] = {}
    for category, label in zip(sets, labels, strict=True):
        if seen.setdefault(category, label) != label:
            raise SettingError(
                f"labels {show(seen[category])} and {show(label)} are the same set; give both the"
                f" same name (--separator, separator=, writes sets in one way)"
            )
    members = sorted(frozenset().union(*sets))
    has = np.array([[member in category for member in members] for category in sets], np.float64)
    has = has.reshape(len(sets), len(members))
    size, shared = has.sum(axis=1), has @ has.T
    return weight(shared, size[:, None], size[None, :])


def _jaccard(shared: Floats, a: Floats, b: Floats) -> Floats:
    return shared / (a + b - shared)


def _masi(shared: Floats, a: Floats, b: Floats) -> Floats:
    within = np.where(shared == np.minimum(a, b), 2 / 3, 1 / 3)
    return _jaccard(shared, a, b) * np.where((shared == a) & (shared == b), 1, within)


SETS = {"jaccard": _jaccard, "masi": _masi}


# --- what labels beside each other add ----------------------------------------------------------


def co_labels(table: LabelTable) -> tuple[Ints, Ints, Ints, Ints]:
    """Return item, category, category, and ordered pairs of labels of these on this item, if any.

    Items are sorted, and within them the categories.
    """
    item, label, number = table.cells
    other, cell = cells_of(table.cells, item)
    pairs = number[cell] * (number[other] - (cell == other))
    kept = pairs > 0
    return item[cell[kept]], label[cell[kept]], label[other[kept]], pairs[kept]


def weighted_agreement(table: LabelTable, weights: Floats | None) -> Floats | Ints:
    """Return pairs of labels by their weights: how many labels items have, by first category.

    As ``agreeing`` of :class:`~spanagree.corpus.label_counts.LabelCounts`; (R, categories).
    """
    n, _, given, agreeing = table.counts
    if weights is None:
        return agreeing
    item, label, other, pairs = co_labels(table)
    rows = np.searchsorted(n, table.given[item])
    # whole numbers first, in their order
    (row, label, other), cell, _ = distinct(rows, label, other)
    number = np.zeros(len(row), np.int64)
    np.add.at(number, cell, pairs * table.times[item])
    sums = np.bincount(row * given.shape[1] + label, weights[label, other] * number, given.size)
    return sums.reshape(given.shape)


def weighted_agreement_by_item(table: LabelTable, weights: Floats | None) -> Any:
    """Return the ordered pairs of labels of each item by their weights; (items,)."""
    if weights is None:
        item, _, number = table.cells
        return np.bincount(item, number * (number - 1), table.size)
    item, label, other, pairs = co_labels(table)
    return np.bincount(item, weights[label, other] * pairs, table.size)


def near(values: Floats, weights: Floats | None) -> Floats:
    """Return Σ_l w_kl x_l of values by category, on the last axis."""
    return values if weights is None else values @ weights


def near_cells(table: LabelTable, weights: Floats | None, values: Floats) -> Floats:
    """Return Σ_l w_kl x_l over the categories of the item, for values of the table's cells."""
    if weights is None:
        return values
    item, label, _ = table.cells
    other, cell = cells_of(table.cells, item)
    near_to = np.bincount(cell, weights[label[cell], label[other]] * values[other], len(values))
    return np.asarray(near_to, np.float64)


def has_order(labels: Sequence[str], *kinds: str | None) -> bool:
    """Return whether labels have to be put in order for a measurement or category weights.

    >>> has_order(["low", "high"], "ordinal", None), has_order(["1", "2"], "ordinal", None)
    (True, False)
    """
    ordered = set(kinds) - {None, "nominal", "identity", *SETS}
    return bool(ordered) and numbers_of(labels) is None


def is_graded(table: LabelTable) -> bool:
    """Return whether labels are so many numbers that they are probably grades."""
    return len(table.labels) >= MANY and numbers_of(table.labels) is not None
