"""Rows of the parts of a corpus, joined to the rows of the whole corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spanagree.comparisons.table import KEYS, Comparisons


def join_rows(
    parts: Sequence[tuple[Comparisons, int]],
    annotators: Sequence[str],
    labels: Sequence[str],
    order: Sequence[str] = KEYS,
    *,
    gold_first: bool = False,
) -> Comparisons:
    """Join the rows of parts of a corpus, in the row order of the whole corpus.

    Floats are thus added in the same order, so that sums have the same digits as for the whole
    corpus.

    Args:
        parts: rows of each part, and the number of documents before it.
        annotators: names in the whole corpus, which indices refer to.
        labels: labels of the whole corpus.
        order: columns that the rows are sorted by.
        gold_first: True to keep the first annotator of each row first. Default: the annotator who
            comes first in the whole corpus.
    """
    names = tuple(annotators), tuple(labels)
    rows = Comparisons.joined(
        [
            _add_documents_before(table.convert_indices(*names).named(*names), n_before)
            for table, n_before in parts
        ]
    )
    if not gold_first:
        rows = rows.turned((rows.first > rows.second) & (rows.second >= 0))
    return rows.where(np.lexsort([np.asarray(getattr(rows, key)) for key in reversed(order)]))


def _add_documents_before(rows: Comparisons, n_before: int) -> Comparisons:
    """Add the number of preceding documents to the indices of documents.

    Rows that sum over documents stay.
    """
    document = np.where(rows.document >= 0, rows.document + n_before, rows.document)
    return replace(rows, document=document)
