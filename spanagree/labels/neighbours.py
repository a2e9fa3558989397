"""Counts of the pairs of labels that different annotators gave the same item."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Ints, unique_rows
from spanagree.corpus.label_counts import find_cells
from spanagree.corpus.label_table import LabelTable


def count_neighbours(table: LabelTable) -> tuple[Ints, ...]:
    """Count the pairs of a label of an annotator and a label of another annotator on the same item.

    Returns:
        Columns of annotator, label, other label, number of pairs, and number of labels of the
        item; one row for each combination, sorted.
    """
    assert table.annotator is not None
    _, label, n_labels = table.cells
    cell, row = find_cells(table.cells, table.item)
    n_others = n_labels[cell] - (label[cell] == table.label[row])
    cell, row, n_others = cell[n_others > 0], row[n_others > 0], n_others[n_others > 0]
    columns = table.annotator[row], table.label[row], label[cell], table.given[table.item[row]]
    (annotator, own_label, other_label, n_labels_of_item), combination_index, _ = unique_rows(
        *columns
    )
    n_others = n_others * table.times[table.item[row]]
    n_labels = np.bincount(combination_index, n_others, len(annotator)).astype(np.int64)
    return annotator, own_label, other_label, n_labels, n_labels_of_item
