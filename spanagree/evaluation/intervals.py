"""Confidence intervals of systems' scores, over kept documents or over blocks."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from spanagree.blocks.exact_sums import NO_TALLY, TallySum
from spanagree.blocks.poisson import percentile_intervals
from spanagree.evaluation.count import COLUMNS, CountedSystems
from spanagree.matching.score import Interval, all_figures
from spanagree.uncertainty.bootstrap import Resampling, intervals

Ends = Mapping[tuple[str, str], Sequence[Interval]]
"""The intervals of precision, recall and F1, by system and label; over all labels that is empty."""


def intervals_of(counts: CountedSystems, resampling: Resampling) -> Ends:
    """Return the intervals of every system, over all labels and for each."""
    labels = list(next(iter(counts.sums.values()), {}))
    parts = {"": labels, **{label: [label] for label in labels if label}}
    if counts.kept is None:
        counts.check_ids()
        return {
            (name, part): _poisson(counts, resampling, name, chosen)
            for name in counts.sums
            for part, chosen in parts.items()
        }
    whose, tables = [], []
    for name in sorted(counts.sums):  # canonical order
        tallies, documents = counts.kept.tallies[name], np.flatnonzero(counts.kept.shared[name])
        for part in parts:
            rows = tallies if not part else tallies.where(tallies.label == labels.index(part))
            whose.append((name, part))
            tables.append((documents, rows.table(documents)))
    return dict(zip(whose, intervals(tables, all_figures, resampling), strict=True))


def _poisson(
    counts: CountedSystems, resampling: Resampling, name: str, labels: Sequence[str]
) -> list[Interval]:
    """Return the intervals of a system over some labels, from resamples over blocks."""
    assert counts.replicates is not None  # as resampling was asked for
    keys = [[(name, label, column) for label in labels] for column in COLUMNS]
    drawn = np.stack([counts.replicates.over(key) for key in keys], axis=1)
    sums = functools.reduce(
        TallySum.plus, (counts.sums[name][label] for label in labels), NO_TALLY
    ).tally
    total = np.array([getattr(sums, column) for column in COLUMNS], np.float64)
    return percentile_intervals(total, drawn, all_figures, counts.shared[name], resampling)
