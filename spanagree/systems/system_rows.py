"""Rows of gold and systems: matches and sizes by system, document and label.

Gold is the first annotator of each row, and a system the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus

if TYPE_CHECKING:
    from spanagree.arrays import Ints

ROW_ORDER = ("second", "document", "label")
"""Columns that rows are sorted by, so that those of a system follow each other."""


class SystemRows(NamedTuple):
    """Rows of gold and systems under one chance model.

    Attributes:
        comparisons: comparisons of gold, the first, with each system, the second.
        inexact: number and error bounds of approximate expected matches, by system.
    """

    comparisons: Comparisons
    inexact: Mapping[str, ApproximationError]


def _add_unplaced(
    rows: Comparisons,
    corpus: Corpus,
    counting: MatchCountOptions,
    documents: Ints,
    pair: tuple[int, int],
) -> Comparisons:
    """Add the quotes of a system that are not in the text to its rows.

    Args:
        rows: rows of gold and the system.
        corpus: corpus with the quotes.
        counting: measure and chance model.
        documents: indices of the documents that gold and the system saw.
        pair: annotator index of gold and of the system.
    """
    from spanagree.comparisons.unplaced_rows import add_unplaced_quotes  # most systems have offsets

    first, second = (np.full(len(documents), annotator) for annotator in pair)
    pairs = documents, first, second
    order = (*ROW_ORDER, "first")
    is_undefined = bool(counting.chance.undefined)
    return add_unplaced_quotes(
        rows, corpus, counting.measure, pairs, order, is_undefined=is_undefined
    )


def compare_with_gold(corpus: Corpus, gold: str, counting: MatchCountOptions) -> SystemRows:
    """Compare each system with gold, without checks of the layers.

    Without a gold layer, as in a part of a corpus, there are no rows.
    """
    names, measure = corpus.annotators, counting.measure
    if gold not in names:
        no_rows = Comparisons.none(is_whole=measure.is_whole)
        return SystemRows(no_rows.named(names, corpus.labels), {})
    report_progress = counting.progress or (lambda done, total: None)
    report_progress(0, len(names))
    profiles, layers_with_starts = compute_start_distributions(
        corpus, names, counting.chance, measure
    )
    n_labels = max(1, len(corpus.labels))
    gold_index = names.index(gold)
    rows_by_system: dict[str, Comparisons] = {}
    for system_index, name in enumerate(names):
        if name != gold:
            report_progress(len(rows_by_system) + 1, len(names))
            rows = compare_layers(
                layers_with_starts[gold], layers_with_starts[name], profiles, measure, n_labels
            )
            rows = rows.between(gold_index, system_index)
            if corpus.unplaced:
                rows = rows.named(names, corpus.labels)
                is_shared = corpus.layers[gold].annotated & corpus.layers[name].annotated
                rows = _add_unplaced(
                    rows, corpus, counting, np.flatnonzero(is_shared), (gold_index, system_index)
                )
            rows_by_system[name] = rows
    report_progress(len(names), len(names))
    comparisons = Comparisons.joined([*rows_by_system.values()]).named(names, corpus.labels)
    return SystemRows(comparisons, {name: rows.inexact for name, rows in rows_by_system.items()})
