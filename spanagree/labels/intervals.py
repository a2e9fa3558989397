"""Intervals of coefficients, by leaving out each item; of tokens, each document.

Every coefficient is a function of sums over items. Tokens of a document depend on each other, so
there the documents are left out, each with all its tokens.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, distinct_rows, ranks, unique
from spanagree.corpus.label_table import LabelTable
from spanagree.labels import formulas
from spanagree.labels.category_weights import NOMINAL, WeightMatrices, weighted_agreement_by_item
from spanagree.labels.chance_corrected import Basis
from spanagree.results.score import Interval
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, intervals_of, moments

_DENSE = 1 << 24  # cells of units and sums; of larger tables only filled cells are kept


def intervals(basis: Basis, weights: Floats, jackknife: Jackknife) -> dict[str, Interval]:
    """Return the intervals of each coefficient by key: of observed, expected and the value.

    Args:
        basis: the labels.
        weights: kᵢ of each item for SPA, which stay as they are; (items,).
        jackknife: the request.
    """
    shares = [kind.is_share for kind in formulas.COEFFICIENTS.values()]
    sums = coefficient_moments(basis, weights, jackknife)
    (ends,) = intervals_of(sums, jackknife, np.repeat(shares, 3))
    return dict(zip(formulas.COEFFICIENTS, ends, strict=True))


def coefficient_moments(basis: Basis, weights: Floats, jackknife: Jackknife) -> Moments:
    """Compute all coefficients, three figures each, and their changes without one cluster.

    Args:
        basis: the labels.
        weights: kᵢ of each item for SPA, which stay as they are; (items,).
        jackknife: the request, which says what clusters are.
    """
    table = basis.table
    annotators, categories = basis.own.shape
    statistic = functools.partial(
        formulas.all_figures,
        categories=categories,
        annotators=annotators,
        weight_matrices=basis.weight_matrices,
    )
    sums = units_of(table, weights, _clusters(table, jackknife), basis.weight_matrices)
    rows, times = _alike(sums)
    return moments(rows, statistic, times=times)


def category_intervals(basis: Basis, jackknife: Jackknife) -> list[Interval]:
    """Return the intervals of agreement on each category, then of its mean and median over them."""
    table = basis.table
    unit = _numbered(table, _clusters(table, jackknife))
    item, label, number = table.cells
    q = len(table.labels)
    entries: list[tuple[Any, Any, Any]] = [
        (unit[item], label, number * (number - 1)),
        (unit[item], q + label, number * (table.given[item] - 1)),
    ]
    rows, times = _alike(_table_of(entries, (int(unit.max(initial=-1)) + 1, 2 * q)))
    sums = moments(rows, formulas.agreement_figures, times=times, observed=_category_agreement)
    (ends,) = intervals_of(sums, jackknife)
    return ends


def _category_agreement(columns: Floats) -> Floats:
    """Return what :func:`formulas.agreement_figures` has without chance."""
    agreement, pairs = formulas.category_agreement(columns)
    return formulas.with_mean_and_median(agreement, pairs > 0)


def _clusters(table: LabelTable, jackknife: Jackknife) -> Ints | None:
    """Return the number of the whole or document of each item; nothing if items are clusters."""
    wholes = jackknife.wholes_of(table.wholes, table.reading)
    return table.documents if wholes is None else wholes


def _numbered(table: LabelTable, units: Ints | None) -> Ints:
    """Return the units of items, which may have gaps, numbered from 0; or else the items."""
    return np.arange(table.size) if units is None else np.unique(units, return_inverse=True)[1]


def units_of(
    table: LabelTable,
    weights: Floats,
    units: Ints | None = None,
    weight_matrices: WeightMatrices = NOMINAL,
) -> Any:
    """Return what each unit adds to the sums; (units, columns).

    ``units`` has the number of the unit of each item; each is one unless given.
    """
    annotators, categories = len(table.annotators), len(table.labels)
    n = table.given
    item, label, number = table.cells
    equal, of_alpha = (weighted_agreement_by_item(table, matrix) for matrix in weight_matrices)
    unit = _numbered(table, units)
    of_items = formulas.item_columns(n, n > 0, equal, of_alpha, weights)
    of_cells = formulas.category_columns(n[item], number, weights[item])
    at = list(formulas.starts(categories, annotators).values())
    entries: list[tuple[Any, Any, Any]] = [
        (unit, np.full(table.size, first), column)
        for first, column in zip(at, of_items, strict=False)
    ]
    entries += [
        (unit[item], first + label, column) for first, column in zip(at[6:], of_cells, strict=False)
    ]
    if table.annotator is not None:
        column = at[-1] + ranks(table.annotators)[table.annotator] * categories + table.label
        entries.append((unit[table.item], column, np.ones(len(table.item))))
    return _table_of(entries, (int(unit.max(initial=-1)) + 1, at[-1] + annotators * categories))


def _table_of(entries: Sequence[tuple[Ints, Ints, Floats | Ints]], shape: tuple[int, int]) -> Any:
    """Build a csr table from its cells: rows, columns, values; equal cells add."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    rows, columns, values = (np.concatenate([entry[k] for entry in entries]) for k in range(3))
    return coo_array((values.astype(np.float64), (rows, columns)), shape=shape).tocsr()


def _alike(table: Any) -> tuple[Any, Ints]:
    """Return the rows of a csr table that differ, dense or csr, and how often each occurs.

    Items with the same labels change figures alike, and are many where annotators agree.
    """
    n_cells = np.diff(table.indptr)
    rows, times = [], []
    for n in unique(n_cells).tolist():  # of rows with equally many cells, the cells are a matrix
        same = np.flatnonzero(n_cells == n)
        cell = table.indptr[same, None] + np.arange(n)
        _, which, counts = distinct_rows(np.hstack((table.indices[cell], table.data[cell])))
        row = np.empty(len(counts), np.int64)
        row[which] = same
        rows.append(row)
        times.append(counts)
    if not rows:
        return table.toarray(), np.zeros(0, np.int64)
    table = table[np.concatenate(rows)]
    is_small = table.shape[0] * table.shape[1] < _DENSE
    return table.toarray() if is_small else table, np.concatenate(times)
