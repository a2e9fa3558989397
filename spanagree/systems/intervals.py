"""Confidence intervals of systems' scores, over kept documents or over blocks."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from spanagree.arrays import Progress
from spanagree.blocks.exact_sums import NO_TALLY, TallySum
from spanagree.blocks.poisson import percentile_intervals
from spanagree.results.score import Interval, all_figures
from spanagree.systems.count import COLUMNS, CountedSystems, tables_of
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.together import intervals

Ends = Mapping[tuple[str, str], Sequence[Interval]]
"""The intervals of precision, recall and F1, by system and label; over all labels that is empty."""


def intervals_of(counts: CountedSystems, resampling: Resampling, progress: Progress = None) -> Ends:
    """Return the intervals of every system, over all labels and for each."""
    labels = list(next(iter(counts.sums.values()), {}))
    parts = {"": labels, **{label: [label] for label in labels if label}}
    if counts.kept is None:
        return _over_blocks(counts, parts, resampling)
    kept, wholes = counts.kept.drawn(resampling, counts.settings)
    whose, tables = zip(*tables_of(kept, [*filter(None, labels)], wholes), strict=True)
    return dict(zip(whose, intervals(tables, all_figures, resampling, progress), strict=True))


def _over_blocks(
    counts: CountedSystems, parts: Mapping[str, Sequence[str]], resampling: Resampling
) -> Ends:
    """Return the intervals of every system over the labels of each part, from blocks' resamples."""
    draws, ends = counts.draws(), {}
    for (name, sums), (part, labels) in itertools.product(counts.sums.items(), parts.items()):
        keys = [[(name, label, column) for label in labels] for column in COLUMNS]
        drawn = np.stack([draws.over(key) for key in keys], axis=1)
        tally = functools.reduce(TallySum.plus, map(sums.__getitem__, labels), NO_TALLY).tally
        total = np.array(tally.counts, np.float64)
        ends[name, part] = percentile_intervals(
            total,
            drawn,
            all_figures,
            counts.shared[name],
            counts.evidence[name, part],
            resampling,
        )
    return ends
