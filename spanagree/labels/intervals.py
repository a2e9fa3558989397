"""Intervals of coefficients, by resampling items; of tokens, their documents.

Every coefficient is a function of sums over items, so the sums are resampled. Tokens of a document
depend on each other, so there the documents are drawn, each with all its tokens.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.blocks.poisson import percentile_intervals
from spanagree.labels.chance_corrected import Basis
from spanagree.labels.formulas import FORMULAS, Sums, all_figures, starts, sums_by_n
from spanagree.labels.patterns import LabelTallies
from spanagree.matching.score import Interval
from spanagree.uncertainty.bootstrap import Resampling, Sample, bootstrap, interval_of

_DENSE = 1 << 24  # cells of units and sums; of more, only those that are filled are kept


def intervals(basis: Basis, weights: Floats, resampling: Resampling) -> dict[str, Interval]:
    """Return the intervals of each coefficient: of observed and expected agreement and the value.

    Args:
        basis: the labels; of tallies over blocks resamples are those that they hold.
        weights: kᵢ of each item (or pattern) for SPA, which stay as they are; (items,).
        resampling: how.
    """
    table = basis.table
    annotators, categories = basis.own.shape
    statistic = functools.partial(all_figures, categories=categories, annotators=annotators)
    if isinstance(table, LabelTallies):
        by_n = np.zeros(len(table.counts.n))
        by_n[np.searchsorted(table.counts.n, table.given)] = weights
        total, drawn = basis.sums(by_n).columns[0], _replicated(table, by_n).columns
        ends = percentile_intervals(total, drawn, statistic, table.units, resampling)
    else:
        made = bootstrap(Sample(units_of(basis, weights)), statistic, resampling)
        ends = [interval_of(made, 3 * k, resampling) for k in range(len(FORMULAS))]
    return dict(zip(FORMULAS, ends, strict=True))


def _replicated(tallies: LabelTallies, weights: Floats) -> Sums:
    """Return the sums in each resample over blocks."""
    assert tallies.replicates is not None  # as intervals were asked for
    over, labels = tallies.replicates.over, tallies.labels
    n = tallies.counts.n.tolist()
    items = np.array([over([("items", k)]) for k in n])
    given, agreeing = (
        np.array([[over([(name, k, label)]) for label in labels] for k in n])
        for name in ("given", "agreeing")
    )
    own = np.array(
        [
            over([("own", k, name, label) for k in n])
            for name in sorted(tallies.annotators)
            for label in labels
        ]
    )
    resamples_first = (np.moveaxis(part, -1, 0) for part in (items, given, agreeing, own))
    return sums_by_n(tallies.counts.n, *resamples_first, weights)


def units_of(basis: Basis, weights: Floats) -> Any:
    """Return what each item (or document of tokens) adds to the sums; (units, columns)."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    table = basis.table
    annotators, categories = basis.own.shape
    n = table.given
    item, label, number = table.cells
    two = n >= 2
    equal = np.bincount(item, number * (number - 1), table.size)
    pairs = np.where(two, n * (n - 1), 1)
    at = starts(categories, annotators)
    of_items = {
        "seen": n > 0,
        "compared": two,
        "agreement": equal / pairs * two,
        "weight": weights,
        "weighted": weights * equal / pairs,
        "disagreement": np.where(two, n - equal / np.maximum(n - 1, 1), 0),
    }
    unit: Ints = np.arange(table.size)
    if table.documents is not None:
        _, unit = np.unique(table.documents, return_inverse=True)
    share = number / n[item]
    entries: list[tuple[Any, Any, Any]] = [
        (unit, np.full(table.size, at[name]), column) for name, column in of_items.items()
    ]
    entries += [
        (unit[item], at["share"] + label, share),
        (unit[item], at["weighted_share"] + label, weights[item] * share),
        (unit[item], at["values"] + label, number * two[item]),
    ]
    if table.annotator is not None:
        column = at["own"] + basis.ranks[table.annotator] * categories + table.label
        entries.append((unit[table.item], column, np.ones(len(table.item))))
    rows, columns, values = (np.concatenate([e[k] for e in entries]) for k in range(3))
    shape = (int(unit.max(initial=-1)) + 1, at["own"] + basis.own.size)
    made = coo_array((values.astype(np.float64), (rows, columns)), shape=shape)
    return made.toarray() if shape[0] * shape[1] < _DENSE else made
