"""Intervals of coefficients, by resampling items; of tokens, their documents.

Every coefficient is a function of sums over items, so the sums are resampled. Tokens of a document
depend on each other, so there the documents are drawn, each with all its tokens.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, ranks
from spanagree.blocks.poisson import Key, percentile_intervals
from spanagree.corpus.label_counts import LabelCounts
from spanagree.corpus.label_table import LabelTable
from spanagree.labels import formulas
from spanagree.labels.category_weights import NOMINAL, WeightMatrices, weighted_agreement_by_item
from spanagree.labels.chance_corrected import Basis
from spanagree.labels.patterns import LabelTallies
from spanagree.results.score import Interval
from spanagree.uncertainty.bootstrap import Resampling, intervals_of, table_of


def intervals(basis: Basis, weights: Floats, resampling: Resampling) -> dict[str, Interval]:
    """Return the intervals of each coefficient: of observed and expected agreement and the value.

    Args:
        basis: the labels; of tallies over blocks resamples are those that they hold.
        weights: kᵢ of each item (or pattern) for SPA, which stay as they are; (items,).
        resampling: how.
    """
    table = basis.table
    shares = [name != "B" for name in formulas.FORMULAS]  # a bias is not a share of agreement
    annotators, categories = basis.own.shape
    statistic = functools.partial(
        formulas.all_figures,
        categories=categories,
        annotators=annotators,
        weight_matrices=basis.weight_matrices,
    )
    if isinstance(table, LabelTallies):
        by_n = np.zeros(len(table.counts.n))
        by_n[np.searchsorted(table.counts.n, table.given)] = weights
        total, drawn = basis.weighted_sums(by_n).columns[0], _replicated(basis, by_n).columns
        few = np.outer(shares, basis.evidence)
        ends = percentile_intervals(total, drawn, statistic, table.units, few, resampling)
    else:
        sums = units_of(table, weights, _drawn(table, resampling), basis.weight_matrices)
        ends = intervals_of(sums, statistic, resampling, shares)
    return dict(zip(formulas.FORMULAS, ends, strict=True))


def category_intervals(basis: Basis, resampling: Resampling) -> list[Interval]:
    """Return the intervals of agreement on each category, then of its mean and median over them."""
    table = basis.table
    if isinstance(table, LabelTallies):
        n, drawn = table.counts.n.tolist(), table.draws()
        equal = [drawn.over([("agreeing", k, c) for k in n])[:, 0] for c in table.labels]
        pairs = [
            sum((k - 1) * drawn.over([("given", k, c)])[:, 0] for k in n) for c in table.labels
        ]
        total = np.concatenate(formulas.pairs_of_categories(table.counts)).astype(np.float64)
        few = np.tile(basis.evidence, (len(table.labels) + 2, 1))
        columns = np.stack([*equal, *pairs], axis=1)
        return percentile_intervals(
            total, columns, formulas.agreement_figures, table.units, few, resampling
        )
    unit = _numbered(table, _drawn(table, resampling))
    item, label, number = table.cells
    q = len(table.labels)
    entries: list[tuple[Any, Any, Any]] = [
        (unit[item], label, number * (number - 1)),
        (unit[item], q + label, number * (table.given[item] - 1)),
    ]
    sums = table_of(entries, (int(unit.max(initial=-1)) + 1, 2 * q))
    return intervals_of(sums, formulas.agreement_figures, resampling)


def _replicated(basis: Basis, weights: Floats) -> formulas.Sums:
    """Return the sums in each resample over blocks."""
    tallies = basis.table
    assert isinstance(tallies, LabelTallies)
    drawn, labels = tallies.draws(), tallies.labels

    def over(keys: Sequence[Key]) -> Floats:
        return drawn.over(keys)[:, 0]

    n = tallies.counts.n.tolist()
    by_label = (
        [[over([(name, k, label)]) for label in labels] for k in n]
        for name in ("given", "agreeing")
    )
    by_annotator = [
        over([("own", k, name, label) for k in n])
        for name in sorted(tallies.annotators)
        for label in labels
    ]
    items, given, agreeing, annotator_labels = (
        np.moveaxis(np.array(part), -1, 0)  # the resamples first
        for part in ([over([("items", k)]) for k in n], *by_label, by_annotator)
    )
    near = basis.weight_matrices
    agreeing, of_alpha = (_weighted(tallies, agreeing, matrix) for matrix in near)
    counts = LabelCounts(tallies.counts.n, items, given, agreeing)
    return formulas.sums_by_n(counts, annotator_labels, weights, of_alpha, near)


def _weighted(tallies: LabelTallies, agreeing: Floats, weights: Floats | None) -> Any:
    """Return pairs of equal labels in each resample, and with weights those of others too."""
    if weights is None:
        return agreeing
    drawn, code = tallies.draws(), {label: i for i, label in enumerate(tallies.labels)}
    row_of = {n: row for row, n in enumerate(tallies.counts.n.tolist())}
    weighted = agreeing.astype(np.float64)
    for key in sorted(key for key in drawn.sums if key[0] == "pair"):
        _, n, first_label, second_label = key
        first, second = code[first_label], code[second_label]
        weighted[:, row_of[n], first] += weights[first, second] * drawn.over([key])[:, 0]
    return weighted


def _drawn(table: LabelTable, resampling: Resampling) -> Ints | None:
    """Return the number of the whole or document of each item; nothing if items are drawn."""
    wholes = resampling.wholes_of(table.wholes, table.reading)
    return table.documents if wholes is None else wholes


def _numbered(table: LabelTable, units: Ints | None) -> Ints:
    """Return the units of items, which may have gaps, numbered from 0; or else the items."""
    return np.arange(table.size) if units is None else np.unique(units, return_inverse=True)[1]


def units_of(
    table: LabelTable,
    weights: Floats,
    units: Ints | None = None,
    weight_matrices: WeightMatrices = NOMINAL,
) -> Any:
    """Return what each unit adds to the sums; (units, columns).

    ``units`` has the number of the unit of each item; each is one unless given.
    """
    annotators, categories = len(table.annotators), len(table.labels)
    n = table.given
    item, label, number = table.cells
    equal, of_alpha = (weighted_agreement_by_item(table, matrix) for matrix in weight_matrices)
    unit = _numbered(table, units)
    of_items = formulas.item_columns(n, n > 0, equal, of_alpha, weights)
    of_cells = formulas.category_columns(n[item], number, weights[item])
    at = list(formulas.starts(categories, annotators).values())
    entries: list[tuple[Any, Any, Any]] = [
        (unit, np.full(table.size, first), column)
        for first, column in zip(at, of_items, strict=False)
    ]
    entries += [
        (unit[item], first + label, column) for first, column in zip(at[6:], of_cells, strict=False)
    ]
    if table.annotator is not None:
        column = at[-1] + ranks(table.annotators)[table.annotator] * categories + table.label
        entries.append((unit[table.item], column, np.ones(len(table.item))))
    return table_of(entries, (int(unit.max(initial=-1)) + 1, at[-1] + annotators * categories))
