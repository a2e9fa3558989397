"""Intervals of coefficients, by resampling items; of tokens, their documents.

Every coefficient is a function of sums over items, so the sums are resampled. Tokens of a document
depend on each other, so there the documents are drawn, each with all its tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, ranks
from spanagree.blocks.poisson import percentile_intervals
from spanagree.corpus.label_table import LabelTable
from spanagree.labels.patterns import LabelTallies
from spanagree.matching.score import Interval, beyond_luck
from spanagree.uncertainty.bootstrap import Resampling, Sample, bootstrap, interval_of

_DENSE = 1 << 24  # cells of units and sums; of more, only those that are filled are kept


NAMES = ("SPA", "π", "κ", "α", "AC1", "B")
"""The coefficients that get an interval, in the order of the figures."""


def coefficient_intervals(
    table: LabelTable, weights: Floats, resampling: Resampling
) -> dict[str, Interval]:
    """The intervals of each coefficient: of observed and expected agreement and the value.

    Args:
        table: the labels.
        weights: kᵢ of each item for SPA, which stay as they are; (items,).
        resampling: how.
    """
    sums = _Sums(len(table.labels), len(table.annotators))
    drawn = bootstrap(Sample(_units(table, weights, sums)), sums.figures, resampling)
    return {name: interval_of(drawn, 3 * k, resampling) for k, name in enumerate(NAMES)}


def poisson_intervals(
    tallies: LabelTallies, weights: Floats, resampling: Resampling
) -> dict[str, Interval]:
    """The same of tallies over blocks, from the sums in resamples that they hold.

    Args:
        tallies: the labels.
        weights: kᵢ of the items of each pattern; (patterns,).
        resampling: how.
    """
    sums = _Sums(len(tallies.labels), len(tallies.annotators))
    weight_of = dict(zip(tallies.given.tolist(), weights.tolist(), strict=True))
    n, items, given, agreeing = tallies.counts
    annotator, label, number = tallies.by_annotator
    own = np.zeros((len(tallies.annotators), len(tallies.labels)))
    own[annotator, label] = number
    total = _by_n(sums, weight_of, n.tolist(), items, given, agreeing, own)
    drawn = tallies.replicates
    assert drawn is not None  # as intervals were asked for
    each = [
        np.stack([drawn.over([(name, k, label)]) for k in n.tolist() for label in tallies.labels])
        for name in ("given", "agreeing")
    ]
    shape = (len(n), len(tallies.labels), resampling.resamples)
    columns = _by_n(
        sums,
        weight_of,
        n.tolist(),
        np.stack([drawn.over([("items", k)]) for k in n.tolist()]),
        each[0].reshape(shape),
        each[1].reshape(shape),
        np.array(
            [
                [
                    drawn.over([("own", k, who, label) for k in n.tolist()])
                    for label in tallies.labels
                ]
                for who in tallies.annotators
            ]
        ),
    )
    found = percentile_intervals(total, columns.T, sums.figures, tallies.units, resampling)
    return dict(zip(NAMES, found, strict=True))


def _by_n(
    sums: _Sums,
    weight_of: Mapping[int, float],
    n: Sequence[int],
    items: Any,
    given: Any,
    agreeing: Any,
    own: Any,
) -> Floats:
    """The columns of :class:`_Sums` from counts by n; (columns, …), … as the last of the counts.

    ``items`` is (n, …), ``given`` and ``agreeing`` are (n, categories, …), ``own`` is
    (annotators, categories, …).
    """
    K = sums.categories
    out = np.zeros((sums.columns, *items.shape[1:]))
    for k, of, gave, agree in zip(n, items, given, agreeing, strict=True):
        weight = weight_of[k]
        out[0] += of
        out[6 : 6 + K] += gave / k
        if k >= 2:
            equal = agree.sum(axis=0)
            out[1] += of
            out[2] += equal / (k * (k - 1))
            out[3] += weight * of
            out[4] += weight * equal / (k * (k - 1))
            out[5] += k * of - equal / (k - 1)
            out[6 + K : 6 + 2 * K] += weight * gave / k
            out[6 + 2 * K : 6 + 3 * K] += gave
    out[6 + 3 * K :] = own.reshape(-1, *items.shape[1:])
    return out


class _Sums(NamedTuple):
    """The columns of what an item adds: six numbers, three for each category, the annotators'."""

    categories: int
    annotators: int

    @property
    def columns(self) -> int:
        return 6 + (3 + self.annotators) * self.categories

    def figures(self, sums: Floats) -> Floats:
        """Observed, expected and value of each coefficient; (some, columns) to (some, 18)."""
        K, G = self.categories, self.annotators
        seen, compared, agreement, weight, weighted, disagreement = sums[:, :6].T
        per_category = sums[:, 6 : 6 + 3 * K].reshape(len(sums), 3, K)
        share = per_category[:, 0] / seen[:, None]
        of_spa = per_category[:, 1] / weight[:, None]
        values = per_category[:, 2]
        gave = sums[:, 6 + 3 * K :].reshape(len(sums), G, K)
        of_each = gave.sum(axis=2)
        there = of_each > 0.5
        own = np.where(there[..., None], gave / np.where(there, of_each, 1)[..., None], 0)
        c = there.sum(axis=1)
        observed = agreement / np.where(compared > 0.5, compared, np.nan)
        spread = (share**2).sum(axis=1)
        square = own.sum(axis=1) ** 2 - (own**2).sum(axis=1)
        of_kappa = square.sum(axis=1) / np.where(c > 1, c * (c - 1), np.nan)
        n = values.sum(axis=1)
        of_alpha = (values * (values - 1)).sum(axis=1) / (n * (n - 1))
        of_ac1 = (share * (1 - share)).sum(axis=1) / (K - 1 if K > 1 else np.nan)
        three = [
            _corrected(weighted / weight, (of_spa**2).sum(axis=1)),
            _corrected(observed, spread),
            _corrected(observed, of_kappa),
            _corrected(1 - disagreement / n, of_alpha),
            _corrected(observed, of_ac1),
            np.stack((spread, of_kappa, spread - of_kappa), axis=1),
        ]
        return np.concatenate(three, axis=1)


def _corrected(observed: Floats, expected: Floats) -> Floats:
    return np.stack((observed, expected, beyond_luck(observed, expected)), axis=1)


def _units(table: LabelTable, weights: Floats, sums: _Sums) -> Any:
    """What each item (or document of tokens) adds to the sums; (units, columns)."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    K = sums.categories
    n = table.given
    item, label, number = table.cells
    two = n >= 2
    equal = np.bincount(item, number * (number - 1), table.size)
    pairs = np.where(two, n * (n - 1), 1)
    of_items = (
        n > 0,
        two,
        equal / pairs * two,
        weights,
        weights * equal / pairs,
        np.where(two, n - equal / np.maximum(n - 1, 1), 0),
    )
    unit: Ints = np.arange(table.size)
    if table.documents is not None:
        _, unit = np.unique(table.documents, return_inverse=True)
    share = number / n[item]
    entries: list[tuple[Any, Any, Any]] = [
        (unit, np.full(table.size, k), column) for k, column in enumerate(of_items)
    ]
    entries += [
        (unit[item], 6 + label, share),
        (unit[item], 6 + K + label, weights[item] * share),
        (unit[item], 6 + 2 * K + label, number * two[item]),
    ]
    if table.annotator is not None:
        # annotators in the order of their names, so that the order of rows changes no draw
        column = 6 + 3 * K + ranks(table.annotators)[table.annotator] * K + table.label
        entries.append((unit[table.item], column, np.ones(len(table.item))))
    rows, columns, values = (np.concatenate([e[k] for e in entries]) for k in range(3))
    shape = (int(unit.max(initial=-1)) + 1, sums.columns)
    made = coo_array((values.astype(np.float64), (rows, columns)), shape=shape)
    return made.toarray() if shape[0] * shape[1] < _DENSE else made
