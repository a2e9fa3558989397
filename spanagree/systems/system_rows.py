"""Rows of gold and systems: what each system and gold have in common, by document and label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus

if TYPE_CHECKING:
    from spanagree.arrays import Ints

_ORDER = ("second", "document", "label")  # of rows: system by system


class SystemRows(NamedTuple):
    """Rows of gold and systems under one chance model.

    Attributes:
        comparisons: comparisons of gold, the first, with each system, the second.
        inexact: number and error bounds of approximate expected matches, by system.
    """

    comparisons: Comparisons
    inexact: Mapping[str, ApproximationError]

    def _joined(self, others: Iterable[tuple[SystemRows, int]], corpus: Corpus) -> SystemRows:
        """Join the rows with those of later parts, each with the number of documents before it."""
        parts = [(self, 0), *others]
        return SystemRows(
            Comparisons.of_parts(
                [(rows.comparisons, n) for rows, n in parts],
                corpus.annotators,
                corpus.labels,
                _ORDER,
                gold_first=True,
            ),
            {
                name: sum(
                    (rows.inexact[name] for rows, _ in parts if name in rows.inexact),
                    ApproximationError(),
                )
                for name in dict.fromkeys(name for rows, _ in parts for name in rows.inexact)
            },
        )


def _with_unplaced(
    rows: Comparisons,
    corpus: Corpus,
    counting: MatchCountOptions,
    documents: Ints,
    sides: tuple[int, int],
) -> Comparisons:
    """Add the quotes of a system that are not in the text to its rows."""
    from spanagree.comparisons.unplaced_rows import with_unplaced  # most systems give offsets

    first, second = (np.full(len(documents), side) for side in sides)
    pairs = documents, first, second
    order = (*_ORDER, "first")
    is_undefined = bool(counting.chance.undefined)
    return with_unplaced(rows, corpus, counting.measure, pairs, order, is_undefined=is_undefined)


def compare_with_gold(corpus: Corpus, gold: str, counting: MatchCountOptions) -> SystemRows:
    """Compare each system with gold, if that is a layer of the corpus; nothing is checked."""
    names, measure = corpus.annotators, counting.measure
    if gold not in names:
        none = Comparisons.none(is_whole=measure.is_whole)
        return SystemRows(none.named(names, corpus.labels), {})
    report_progress = counting.progress or (lambda done, total: None)
    report_progress(0, len(names))
    profiles, placed = compute_start_distributions(corpus, names, counting.chance, measure)
    labels = max(1, len(corpus.labels))
    first = names.index(gold)
    parts: dict[str, Comparisons] = {}
    for second, name in enumerate(names):
        if name != gold:
            report_progress(len(parts) + 1, len(names))
            part = compare_layers(placed[gold], placed[name], profiles, measure, labels)
            part = part.between(first, second)
            if corpus.unplaced:
                part = part.named(names, corpus.labels)
                both = corpus.layers[gold].annotated & corpus.layers[name].annotated
                part = _with_unplaced(part, corpus, counting, np.flatnonzero(both), (first, second))
            parts[name] = part
    report_progress(len(names), len(names))
    comparisons = Comparisons.joined([*parts.values()]).named(names, corpus.labels)
    return SystemRows(comparisons, {name: part.inexact for name, part in parts.items()})
