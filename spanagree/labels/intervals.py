"""Jackknife intervals of coefficients, over items or, for tokens, over documents.

Every coefficient is a function of sums S = Σ s_u over units u, so the coefficient without unit u
is the same function of S − s_u; see :mod:`spanagree.uncertainty.jackknife`. A unit is an item.
Tokens of the same document are dependent, so for tokens a unit is a document with all its tokens.
Summands are a sparse table of (units, columns). Moments are the figures, with sums of powers of
their changes without each unit.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from spanagree.arrays import Floats, Ints, dense_ranks, unique, unique_matrix_rows
from spanagree.corpus.label_table import LabelTable
from spanagree.labels import formulas
from spanagree.labels.category_weights import (
    NOMINAL,
    WeightMatrices,
    sum_weighted_agreement_by_item,
)
from spanagree.labels.chance_corrected import CoefficientInputs
from spanagree.labels.coefficient import Coefficient
from spanagree.results.score import Interval
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, build_intervals, compute_moments

_DENSE = 1 << 24  # largest number of cells of a dense table of summands; larger tables are sparse


_C = TypeVar("_C", bound=Coefficient)


def compute_intervals(
    inputs: CoefficientInputs, weights: Floats, jackknife: Jackknife
) -> dict[str, Interval]:
    """Compute the intervals of observed, expected and value of each coefficient, by key.

    Args:
        inputs: labels.
        weights: fixed weight kᵢ of each item for SPA; (items,).
        jackknife: options of the intervals.
    """
    is_share = [definition.is_share for definition in formulas.COEFFICIENTS.values()]
    sums = compute_coefficient_moments(inputs, weights, jackknife)
    (ends,) = build_intervals(sums, jackknife, np.repeat(is_share, 3))
    return dict(zip(formulas.COEFFICIENTS, ends, strict=True))


def add_interval(coefficient: _C, interval: Interval | None, jackknife: Jackknife) -> _C:
    """Add an interval to a coefficient, and its method to the settings.

    Args:
        coefficient: coefficient without an interval.
        interval: interval of the coefficient, if it has one.
        jackknife: options of the interval.
    """
    if interval is None:
        return coefficient
    settings = replace(coefficient.settings, **jackknife.settings([interval.kind]))
    return replace(coefficient, interval=interval, settings=settings)


def compute_coefficient_moments(
    inputs: CoefficientInputs, weights: Floats, jackknife: Jackknife
) -> Moments:
    """Compute the moments of observed, expected and value of each coefficient.

    Args:
        inputs: labels.
        weights: fixed weight kᵢ of each item for SPA; (items,).
        jackknife: options of the intervals, with the kind of units.
    """
    table = inputs.table
    n_annotators, n_categories = inputs.counts_by_annotator.shape
    statistic = functools.partial(
        formulas.compute_all_figures,
        n_categories=n_categories,
        n_annotators=n_annotators,
        weight_matrices=inputs.weight_matrices,
    )
    unit_rows = build_unit_table(
        table, weights, _look_up_clusters(table, jackknife), inputs.weight_matrices
    )
    distinct_rows_of_sums, n_equal = _find_distinct_rows(unit_rows)
    return compute_moments(distinct_rows_of_sums, statistic, times=n_equal)


def compute_category_intervals(inputs: CoefficientInputs, jackknife: Jackknife) -> list[Interval]:
    """Compute the intervals of the agreement on each category, and of mean and median agreement.

    Args:
        inputs: labels.
        jackknife: options of the intervals.

    Returns:
        Intervals of the categories in the order of labels, followed by those of mean and median.
    """
    table = inputs.table
    unit = _number_units(table, _look_up_clusters(table, jackknife))
    item, label, n_labels = table.cells
    n_categories = len(table.labels)
    entries: list[tuple[Any, Any, Any]] = [
        (unit[item], label, n_labels * (n_labels - 1)),
        (unit[item], n_categories + label, n_labels * (table.given[item] - 1)),
    ]
    distinct_rows_of_sums, n_equal = _find_distinct_rows(
        _build_sparse_table(entries, (int(unit.max(initial=-1)) + 1, 2 * n_categories))
    )
    sums = compute_moments(
        distinct_rows_of_sums,
        formulas.compute_agreement_figures,
        times=n_equal,
        observed=_compute_category_agreement,
    )
    (ends,) = build_intervals(sums, jackknife)
    return ends


def _compute_category_agreement(columns: Floats) -> Floats:
    """Compute the observed figures of :func:`formulas.compute_agreement_figures`."""
    agreement, pairs = formulas.compute_category_agreement(columns)
    return formulas.append_mean_and_median(agreement, pairs > 0)


def _look_up_clusters(table: LabelTable, jackknife: Jackknife) -> Ints | None:
    """Look up the cluster of each item; ``None`` if each item is a cluster."""
    parent_ids = jackknife.wholes_of(table.parent_ids, table.reading)
    return table.documents if parent_ids is None else parent_ids


def _number_units(table: LabelTable, units: Ints | None) -> Ints:
    """Number the units of items from 0 without gaps; by default each item is a unit."""
    return np.arange(table.size) if units is None else np.unique(units, return_inverse=True)[1]


def build_unit_table(
    table: LabelTable,
    weights: Floats,
    units: Ints | None = None,
    weight_matrices: WeightMatrices = NOMINAL,
) -> Any:
    """Build the sparse table of the summands of each unit; (units, columns).

    Args:
        table: labels.
        weights: weight kᵢ of each item for SPA; (items,).
        units: unit of each item. Default: each item is a unit.
        weight_matrices: weights of categories.
    """
    n_annotators, n_categories = len(table.annotators), len(table.labels)
    n_labels_of_item = table.given
    item, label, n_labels = table.cells
    equal_pairs, pairs_for_alpha = (
        sum_weighted_agreement_by_item(table, matrix) for matrix in weight_matrices
    )
    unit = _number_units(table, units)
    item_columns = formulas.compute_item_columns(
        n_labels_of_item, n_labels_of_item > 0, equal_pairs, pairs_for_alpha, weights
    )
    cell_columns = formulas.compute_category_columns(
        n_labels_of_item[item], n_labels, weights[item]
    )
    first_column = list(formulas.find_first_columns(n_categories, n_annotators).values())
    entries: list[tuple[Any, Any, Any]] = [
        (unit, np.full(table.size, column_index), column)
        for column_index, column in zip(first_column, item_columns, strict=False)
    ]
    entries += [
        (unit[item], column_index + label, column)
        for column_index, column in zip(first_column[6:], cell_columns, strict=False)
    ]
    if table.annotator is not None:
        column = (
            first_column[-1]
            + dense_ranks(table.annotators)[table.annotator] * n_categories
            + table.label
        )
        entries.append((unit[table.item], column, np.ones(len(table.item))))
    return _build_sparse_table(
        entries, (int(unit.max(initial=-1)) + 1, first_column[-1] + n_annotators * n_categories)
    )


def _build_sparse_table(
    entries: Sequence[tuple[Ints, Ints, Floats | Ints]], shape: tuple[int, int]
) -> Any:
    """Build a sparse table in csr format; values of the same cell are added.

    Args:
        entries: arrays of rows, columns and values of cells.
        shape: shape of the table.
    """
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    rows, columns, values = (np.concatenate([entry[k] for entry in entries]) for k in range(3))
    return coo_array((values.astype(np.float64), (rows, columns)), shape=shape).tocsr()


def _find_distinct_rows(table: Any) -> tuple[Any, Ints]:
    """Find the distinct rows of a csr table, and count the occurrences of each.

    Items with equal labels have equal rows, which are many if annotators agree.

    Returns:
        Distinct rows, dense if they are few, and the number of occurrences of each.
    """
    n_cells = np.diff(table.indptr)
    rows, n_equal = [], []
    for n in unique(n_cells).tolist():  # cells of rows with n cells form a matrix
        rows_with_n = np.flatnonzero(n_cells == n)
        cell = table.indptr[rows_with_n, None] + np.arange(n)
        _, group_index, n_in_group = unique_matrix_rows(
            np.hstack((table.indices[cell], table.data[cell]))
        )
        representative = np.empty(len(n_in_group), np.int64)
        representative[group_index] = rows_with_n
        rows.append(representative)
        n_equal.append(n_in_group)
    if not rows:
        return table.toarray(), np.zeros(0, np.int64)
    table = table[np.concatenate(rows)]
    is_small = table.shape[0] * table.shape[1] < _DENSE
    return table.toarray() if is_small else table, np.concatenate(n_equal)
