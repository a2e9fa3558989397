"""Weights of pairs of categories, for labels that are grades or sets.

A coefficient counts each pair of labels k, l with a weight w_kl, which is 1 for equal labels. For
nominal labels all other weights are 0. Otherwise,

    w_kl = 1 − d_kl / max d,   with a distance d of the positions of categories on a scale,

or, for sets k and l with s common members (Jaccard; MASI, Passonneau 2006),

    w_kl = s / (|k| + |l| − s),   multiplied by 1, 2/3 or 1/3 for MASI.

Matrices of weights are shaped (categories, categories).
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.corpus.label_counts import find_cells
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.label_text import SIGN
from spanagree.errors import SettingError, check_choice, quote_value
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
"""Weights of two categories, by name; ``q`` is the number of categories."""

MEASUREMENTS = {
    "nominal": "labels are names, the same or not",
    "ordinal": "labels have an order; they differ by how many of the labels given lie between them",
    "interval": "labels are numbers that differ by (a − b)²",
    "ratio": "labels are numbers from 0 that differ by ((a − b) / (a + b))²",
}
"""Levels of measurement of labels, by name, with their distances in α."""

_WEIGHTS_OF = dict(zip(MEASUREMENTS, ("identity", "ordinal", "quadratic", "ratio"), strict=True))
MANY = 5
"""Smallest number of distinct numeric labels that are probably grades."""


class WeightMatrices(NamedTuple):
    """Weights of every two categories, or ``None`` if only equal labels agree.

    Attributes:
        weights: weights for all coefficients except α; (categories, categories).
        alpha: weights for α, which has other distances on an ordinal scale.
    """

    weights: Floats | None
    alpha: Floats | None

    @property
    def is_nominal(self) -> bool:
        """True if only equal labels agree."""
        return self.weights is None and self.alpha is None


NOMINAL = WeightMatrices(None, None)


def compute_weight_matrices(
    table: LabelTable,
    measurement: Measurement | None,
    category_weights: CategoryWeights | None,
    order: Sequence[str] | None,
) -> WeightMatrices:
    """Compute the weights of the categories of a table; see :func:`spanagree.coefficients`.

    Raises:
        SettingError: if a choice is unknown or does not fit the labels; if the order does not
            name each category once, or is not used.
    """
    check_choice("nominal" if measurement is None else measurement, MEASUREMENTS, "measurement")
    weights = choose_weights(measurement, category_weights)
    check_choice(weights, CATEGORY_WEIGHTS, "category_weights")
    alpha_weights = weights if measurement is None else _WEIGHTS_OF[measurement]
    if measurement == "ordinal":
        alpha_weights = "ranks"
    if order is not None and {weights, alpha_weights} <= {"identity", "jaccard", "masi"}:
        raise SettingError(
            "order: only an ordinal or interval scale has one; leave it out, or ask for a"
            " measurement or category_weights"
        )
    matrices = {
        name: _compute_matrix(name, table, order) for name in sorted({weights, alpha_weights})
    }
    return WeightMatrices(matrices[weights], matrices[alpha_weights])


def choose_weights(measurement: str | None, category_weights: str | None) -> str:
    """Choose the name of the weights of all coefficients except α.

    >>> choose_weights("interval", None), choose_weights("interval", "linear")
    ('quadratic', 'linear')
    """
    return _WEIGHTS_OF[measurement or "nominal"] if category_weights is None else category_weights


def _compute_matrix(name: str, table: LabelTable, order: Sequence[str] | None) -> Floats | None:
    """Compute the matrix of agreement weights of categories; (categories, categories).

    ``None`` is returned for identity weights.

    Args:
        name: name of the weights, a key of :data:`CATEGORY_WEIGHTS`, or "ranks" for α of an ordinal
            scale.
        table: labels.
        order: categories from low to high; ``None`` if categories are numbers.
    """
    if name == "identity":
        return None
    check_cost(3 * len(table.labels) ** 2, "a matrix with the weight of every two categories")
    if name in SETS:
        return _compute_set_weights(table.labels, SETS[name])
    n_labels_of_item, _, n_labels, _ = table.counts
    distance = _DISTANCES[name](
        _compute_label_positions(name, table, order),
        n_labels[n_labels_of_item >= 2].sum(axis=0),
    )
    return np.asarray(1 - distance / max(distance.max(initial=0), 1e-300), np.float64)


# --- scales -------------------------------------------------------------------------------------


def parse_numbers(labels: Sequence[str]) -> list[float] | None:
    """Parse labels as numbers; ``None`` if any label is not a finite number.

    >>> parse_numbers(["1", "2.5"]), parse_numbers(["1", "high"])
    ([1.0, 2.5], None)
    """
    try:
        numbers = [float(label) for label in labels if "_" not in label]
    except ValueError:
        return None
    return numbers if len(numbers) == len(labels) and all(map(math.isfinite, numbers)) else None


def compose_number_error(table: LabelTable, advice: str) -> str:
    """Compose the message on the first label that is not a number: where it is, and what to do.

    Args:
        table: labels, of which one is not a number.
        advice: what to do with a label that is neither missing nor written with a comma.
    """
    label = next(label for label in table.labels if parse_numbers([label]) is None)
    rows = np.flatnonzero(table.label == table.labels.index(label))
    location = f"item {quote_value(table.name_of(int(table.item[rows[0]])))}" if len(rows) else ""
    if len(rows) and table.annotator is not None:
        annotator = table.annotators[table.annotator[rows[0]]]
        location += f", annotator {quote_value(annotator)}"
    message = f"{location}{': ' if location else ''}label {quote_value(label)} is not a number"
    if label.count(",") == 1 and parse_numbers([label.replace(",", ".")]) is not None:
        return f"{message}; write it with a point, {label.replace(',', '.')}"
    if table.annotator is None or table.documents is not None:  # its labels cannot be missing
        return f"{message}; {advice}"
    missing = f"--missing {shlex.quote(label)} (missing={label!r})"
    return f"{message}; {missing} if it stands for a missing label; else {advice}"


def _compute_label_positions(name: str, table: LabelTable, order: Sequence[str] | None) -> Floats:
    """Compute the positions of labels on a scale: their indices in `order`, or their numbers.

    Raises:
        SettingError: if the order does not name each category once, a label is not a number, or a
            ratio scale has negative numbers.
    """
    labels = table.labels
    numbers = parse_numbers(labels)
    if order is not None:
        names = list(order)
        if isinstance(order, str) or sorted(names) != sorted(labels) or name == "ratio":
            raise SettingError(
                f"order {quote_value(order)}: it has to name each category once, from low to high,"
                " and a ratio scale needs numbers; the categories are:"
                f" {', '.join(map(quote_value, labels))}"
            )
        numbers = [float(names.index(label)) for label in labels]
    if numbers is None:
        ordered = "name the categories from low to high (--categories, order=), or choose nominal"
        advice = "choose nominal, as a ratio scale has numbers" if name == "ratio" else ordered
        raise SettingError(compose_number_error(table, advice))
    if name == "ratio" and min(numbers, default=0) < 0:
        raise SettingError(f"label {quote_value(min(numbers))}; a ratio scale has numbers from 0")
    return np.array(numbers, np.float64)


def _compute_distances(positions: Floats) -> Floats:
    return np.abs(positions[:, None] - positions)


def _compute_ordinal_distances(positions: Floats) -> Floats:
    """Compute m(m + 1) for each two categories with ranks that differ by m."""
    m = _compute_distances(
        np.unique(positions, return_inverse=True)[1].reshape(-1).astype(np.float64)
    )
    return m * (m + 1)


def _compute_ratio_distances(positions: Floats) -> Floats:
    sums = positions[:, None] + positions
    return (_compute_distances(positions) / np.where(sums > 0, sums, 1)) ** 2


def _compute_rank_distances(positions: Floats, n_labels: Ints) -> Floats:
    """Compute Krippendorff's ordinal distance of each two categories; (categories, categories).

    It is the squared difference of the mean ranks of their labels: the number of labels of the
    categories between them, plus half of the labels of both.

    Args:
        positions: position of each category on the scale.
        n_labels: number of labels of each category.
    """
    order = np.argsort(positions, kind="stable")
    mean_rank = np.empty(len(positions))
    mean_rank[order] = np.cumsum(n_labels[order]) - n_labels[order] / 2
    return _compute_distances(mean_rank) ** 2


_DISTANCES: Mapping[str, Callable[[Floats, Ints], Floats]] = {
    "linear": lambda positions, _: _compute_distances(positions),
    "quadratic": lambda positions, _: _compute_distances(positions) ** 2,
    "ordinal": lambda positions, _: _compute_ordinal_distances(positions),
    "ratio": lambda positions, _: _compute_ratio_distances(positions),
    "ranks": _compute_rank_distances,
}
"""Functions from positions and numbers of labels of categories to distances, by scale."""


# --- sets ---------------------------------------------------------------------------------------


def _compute_set_weights(
    labels: Sequence[str], weight: Callable[[Floats, Floats, Floats], Floats]
) -> Floats:
    """Compute the weights of categories that are sets of labels; (categories, categories).

    Args:
        labels: sets, written with a separator.
        weight: function from the numbers of common members and the sizes of both sets to weights.
    """
    sets = [frozenset(label.split(SIGN)) for label in labels]
    label_by_set: dict[frozenset[str], str] = {}
    for category, label in zip(sets, labels, strict=True):
        if label_by_set.setdefault(category, label) != label:
            raise SettingError(
                f"labels {quote_value(label_by_set[category])} and {quote_value(label)} are the"
                " same set; give"
                f" both the same name (--separator, separator=, writes sets in one way)"
            )
    members = sorted(frozenset().union(*sets))
    is_member = np.array(
        [[member in category for member in members] for category in sets], np.float64
    )
    is_member = is_member.reshape(len(sets), len(members))
    set_size, n_common = is_member.sum(axis=1), is_member @ is_member.T
    return weight(n_common, set_size[:, None], set_size[None, :])


def _jaccard(n_common: Floats, size_a: Floats, size_b: Floats) -> Floats:
    return n_common / (size_a + size_b - n_common)


def _masi(n_common: Floats, size_a: Floats, size_b: Floats) -> Floats:
    overlap_factor = np.where(n_common == np.minimum(size_a, size_b), 2 / 3, 1 / 3)
    return _jaccard(n_common, size_a, size_b) * np.where(
        (n_common == size_a) & (n_common == size_b), 1, overlap_factor
    )


SETS = {"jaccard": _jaccard, "masi": _masi}


# --- weighted pairs of labels on the same item --------------------------------------------------


def count_co_labels(table: LabelTable) -> tuple[Ints, Ints, Ints, Ints]:
    """Count the ordered pairs of labels on the same item, by the categories of both.

    Returns:
        Columns of item, first category, second category, and positive number of pairs; sorted by
        item, then by the categories.
    """
    item, label, n_labels = table.cells
    other_cell, cell = find_cells(table.cells, item)
    n_pairs = n_labels[cell] * (n_labels[other_cell] - (cell == other_cell))
    is_pair = n_pairs > 0
    return item[cell[is_pair]], label[cell[is_pair]], label[other_cell[is_pair]], n_pairs[is_pair]


def sum_weighted_agreement(table: LabelTable, weights: Floats | None) -> Floats | Ints:
    """Sum the weights of ordered pairs of labels of the same item.

    Sums are separate for items with different numbers of labels, and for the category of the first
    label of a pair.

    Args:
        table: labels.
        weights: weights of categories; ``None`` for nominal labels.

    Returns:
        Sums for the R distinct numbers of labels of an item; (R, categories). For nominal labels
        these are ``agreeing`` of :class:`~spanagree.corpus.label_counts.LabelCounts`.
    """
    n, _, n_given, agreeing = table.counts
    if weights is None:
        return agreeing
    item, label, other_label, n_pairs = count_co_labels(table)
    rows = np.searchsorted(n, table.given[item])
    # add integers first, so the order of items changes no digit
    (row, label, other_label), row_index, _ = unique_rows(rows, label, other_label)
    n_pairs_of_row = np.zeros(len(row), np.int64)
    np.add.at(n_pairs_of_row, row_index, n_pairs * table.times[item])
    sums = np.bincount(
        row * n_given.shape[1] + label, weights[label, other_label] * n_pairs_of_row, n_given.size
    )
    return sums.reshape(n_given.shape)


def sum_weighted_agreement_by_item(table: LabelTable, weights: Floats | None) -> Any:
    """Sum the weights of the ordered pairs of labels of each item; (items,).

    ``weights`` are those of categories; with ``None``, equal pairs are counted.
    """
    if weights is None:
        item, _, n_labels = table.cells
        return np.bincount(item, n_labels * (n_labels - 1), table.size)
    item, label, other_label, n_pairs = count_co_labels(table)
    return np.bincount(item, weights[label, other_label] * n_pairs, table.size)


def compute_weighted_sum(values: Floats, weights: Floats | None) -> Floats:
    """Compute Σ_l w_kl x_l for values x with categories on the last axis."""
    return values if weights is None else values @ weights


def compute_weighted_sum_of_cells(
    table: LabelTable, weights: Floats | None, values: Floats
) -> Floats:
    """Compute Σ_l w_kl x_l over the categories l of the item of each cell.

    Args:
        table: labels; its cells are the pairs of an item and a category with a label.
        weights: weights of categories; ``None`` for nominal labels.
        values: value x of each cell.
    """
    if weights is None:
        return values
    item, label, _ = table.cells
    other_cell, cell = find_cells(table.cells, item)
    weighted_sums = np.bincount(
        cell, weights[label[cell], label[other_cell]] * values[other_cell], len(values)
    )
    return np.asarray(weighted_sums, np.float64)


def has_order(labels: Sequence[str], *scales: str | None) -> bool:
    """Check whether a measurement or category weights need an order that labels do not have.

    >>> has_order(["low", "high"], "ordinal", None), has_order(["1", "2"], "ordinal", None)
    (True, False)
    """
    ordered_scales = set(scales) - {None, "nominal", "identity", *SETS}
    return bool(ordered_scales) and parse_numbers(labels) is None


def is_graded(table: LabelTable) -> bool:
    """Decide whether labels are probably grades: many distinct numbers."""
    return len(table.labels) >= MANY and parse_numbers(table.labels) is not None
