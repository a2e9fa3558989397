"""How often items have which labels: what coefficients need of a table of labels.

Whole numbers, grouped by how many labels an item has, so that sums are exact, do not depend on the
order of rows, and add over parts of the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, expand_ranges


class LabelCounts(NamedTuple):
    """What coefficients need of a table. R is the number of distinct nᵢ, the labels of an item.

    Attributes:
        n: the distinct numbers of labels that items have, ascending, from 1; shape (R,).
        items: how many items have that many; (R,).
        given: Σ nᵢ_c over them, by category; (R, categories).
        agreeing: Σ nᵢ_c(nᵢ_c − 1), ordered pairs of equal labels; (R, categories).
    """

    n: Ints
    items: Ints
    given: Ints
    agreeing: Ints


def counts_of_cells(
    cells: tuple[Ints, Ints, Ints], given: Ints, times: Ints, categories: int
) -> LabelCounts:
    """Return the counts of items, each of which stands for so many.

    Args:
        cells: item, category and number of labels wherever that is not 0.
        given: how many labels each item has; (items,).
        times: how many items it stands for; (items,).
        categories: their number.
    """
    item, label, number = cells
    n, places = np.unique(given, return_inverse=True)
    row: Ints = places.reshape(-1)
    items: Ints = np.zeros(len(n), np.int64)
    np.add.at(items, row, times)
    row = row[item]
    if len(n) and n[0] == 0:  # items without a label
        n, items, row = n[1:], items[1:], row - 1
    of_n, agreeing = np.zeros((2, len(n), categories), np.int64)
    np.add.at(of_n, (row, label), number * times[item])
    np.add.at(agreeing, (row, label), number * (number - 1) * times[item])
    return LabelCounts(n, items, of_n, agreeing)


def cells_of(cells: tuple[Ints, Ints, Ints], items: Ints) -> tuple[Ints, Ints]:
    """Return the places of all cells of some items, and the item that each belongs to."""
    item = cells[0]
    return expand_ranges(np.searchsorted(item, items), np.searchsorted(item, items, side="right"))
