"""Counts of labels, all that coefficients need of a table of labels.

Integers, grouped by the number of labels of an item, so that sums are exact, independent of the
order of rows, and additive over parts of the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, expand_ranges


class LabelCounts(NamedTuple):
    """Counts of labels by nᵢ, the number of labels of item i; R is the number of distinct nᵢ.

    Attributes:
        n: distinct numbers of labels per item, ascending, from 1; shape (R,).
        items: number of items with nᵢ labels; (R,).
        given: sum of nᵢ_c over these items, for each category c; (R, categories).
        agreeing: sum of nᵢ_c(nᵢ_c − 1), ordered pairs of equal labels; (R, categories).
    """

    n: Ints
    items: Ints
    given: Ints
    agreeing: Ints


def count_labels_of_items(
    cells: tuple[Ints, Ints, Ints], n_labels: Ints, weight: Ints, n_categories: int
) -> LabelCounts:
    """Count the labels of items by their number of labels; items may have a weight.

    Args:
        cells: item, category and number of labels of each nonzero cell, three arrays.
        n_labels: number of labels of each item; (items,).
        weight: weight of each item, an integer; (items,).
        n_categories: number of categories.
    """
    item, label, n_in_cell = cells
    n, inverse = np.unique(n_labels, return_inverse=True)
    row: Ints = inverse.reshape(-1)
    items: Ints = np.zeros(len(n), np.int64)
    np.add.at(items, row, weight)
    row = row[item]
    if len(n) and n[0] == 0:  # items without a label
        n, items, row = n[1:], items[1:], row - 1
    n_given, agreeing = np.zeros((2, len(n), n_categories), np.int64)
    np.add.at(n_given, (row, label), n_in_cell * weight[item])
    np.add.at(agreeing, (row, label), n_in_cell * (n_in_cell - 1) * weight[item])
    return LabelCounts(n, items, n_given, agreeing)


def find_cells(cells: tuple[Ints, Ints, Ints], items: Ints) -> tuple[Ints, Ints]:
    """Find the indices of all cells of some items, and the item of each cell."""
    item = cells[0]
    return expand_ranges(np.searchsorted(item, items), np.searchsorted(item, items, side="right"))
