"""Which labels stand beside which on the same items."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Ints, distinct
from spanagree.corpus.label_counts import cells_of
from spanagree.corpus.label_table import LabelTable


def neighbours(table: LabelTable) -> tuple[Ints, ...]:
    """Return annotator, label, another's on the same item, how often, and the number of labels.

    Sorted by the first columns; of items that differ in their number of labels apart.
    """
    assert table.annotator is not None
    _, label, number = table.cells
    cell, row = cells_of(table.cells, table.item)
    beside = number[cell] - (label[cell] == table.label[row])
    cell, row, beside = cell[beside > 0], row[beside > 0], beside[beside > 0]
    columns = table.annotator[row], table.label[row], label[cell], table.given[table.item[row]]
    (annotator, first, second, n), which, _ = distinct(*columns)
    beside = beside * table.times[table.item[row]]
    number = np.bincount(which, beside, len(annotator)).astype(np.int64)
    return annotator, first, second, number, n
