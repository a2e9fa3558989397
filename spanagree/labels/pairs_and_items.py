"""Agreement by pair of annotators and by item, as tables."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, ranges
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import counted
from spanagree.labels.chance_corrected import Basis
from spanagree.labels.formulas import (
    CORRECTED,
    Sums,
    rows_of,
)
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.score import UNDEFINED

_CELLS = 1 << 22  # of tables of two annotators' labels


BYRT = {"prevalence": "prevalence", "bias_index": "bias index", "pabak": "PABAK"}
"""Byrt's indices of two annotators: their titles by key."""


def pairs_table(basis: Basis) -> Frame:
    """Return a row for each two annotators who labelled an item both, over these items."""
    table = basis.table
    signs = [kind.sign_with(basis.weight_matrices) for kind in CORRECTED]
    columns = [
        Column("a", "annotators", "name", "pair of annotators"),
        Column("b", " ", "name"),
        Column("items", "items", "count", "items of a pair"),
        Column("observed", "agreement", meaning="agreement of a pair"),
        *(Column(sign, sign, meaning="coefficient of a pair") for sign in signs),
        *(Column(key, title, spare=True) for key, title in BYRT.items()),
        Column("stuart_p", "Stuart", "probability", spare=True),
    ]
    if table.annotator is None or not table.labels:
        return Frame(columns, [])
    pairs, items, sums, contingency = _sums_of_pairs(basis, table)
    figures = [
        sums.observed[:, 0],
        *(np.reshape(rows_of(kind, sums), (-1, 3))[:, 2] for kind in CORRECTED),
        *byrt(contingency),
        stuart(contingency),
    ]
    rows: list[list[Value]] = [
        [table.annotators[a], table.annotators[b], number, *of_pair]
        for (a, b), number, of_pair in zip(
            pairs.tolist(), items.tolist(), np.stack(figures, axis=1).tolist(), strict=True
        )
    ]
    return Frame(columns, rows)


def _sums_of_pairs(basis: Basis, table: LabelTable) -> tuple[Ints, Ints, Sums, Floats]:
    """Return each two annotators, how many items both labelled, and the sums over these.

    Last comes how often the first gave one label and the second another; (pairs, labels, labels),
    without labels where that would be very many numbers.
    """
    assert table.annotator is not None
    q, near = len(table.labels), basis.weight_matrices
    order = np.lexsort((table.annotator, table.item))
    item, annotator, label = (
        column[order] for column in (table.item, table.annotator, table.label)
    )
    other, row = ranges(np.arange(len(item)) + 1, np.searchsorted(item, item, side="right"))
    (a, b, x, y), _, times = distinct(annotator[row], annotator[other], label[row], label[other])
    (first, second), pair, _ = distinct(a, b)
    size = len(first)
    items = np.bincount(pair, times, size).astype(np.int64)
    of_a, of_b = (
        np.bincount(pair * q + given, times, size * q).reshape(size, q) for given in (x, y)
    )

    def weighted_agreement(weights: Floats | None) -> Floats:
        weight = (x == y) if weights is None else weights[x, y]
        sums: Floats = np.bincount(pair, weight * times, size)[:, None].astype(np.float64)
        return sums

    number = items[:, None].astype(np.float64)
    nothing = np.zeros_like(number)
    values = (of_a + of_b).astype(np.float64)
    sums = Sums(
        number, number, weighted_agreement(near.weights), nothing, nothing,
        2 * (number - weighted_agreement(near.alpha)), values / 2, np.zeros_like(values), values,
        np.concatenate((of_a, of_b), axis=1), weight_matrices=near,
    )  # fmt: skip
    contingency = np.zeros((size, 0, 0))
    if size * q * q <= _CELLS:
        cells = np.bincount((pair * q + x) * q + y, times, size * q * q)
        contingency = cells.reshape(size, q, q).astype(np.float64)
    return np.stack((first, second), axis=1), items, sums, contingency


def byrt(both: Floats) -> list[Floats]:
    """Return prevalence index, bias index and PABAK of pairs, for two categories only.

    Byrt, Bishop & Carlin (1993): (a − d)/n, (b − c)/n and 2·A_o − 1, with a and d what both gave.

    >>> [x.round(2).tolist() for x in byrt(np.array([[[80.0, 10.0], [5.0, 5.0]]]))]
    [[0.75], [0.05], [0.7]]
    """
    if both.shape[1] != 2:
        return [np.full(len(both), UNDEFINED)] * 3
    number = both.sum(axis=(1, 2))
    a, b, c, d = both.reshape(len(both), 4).T
    return [(a - d) / number, (b - c) / number, 2 * (a + d) / number - 1]


def stuart(both: Floats) -> Floats:
    """Return p of Stuart's test (1955) that two annotators use the categories equally often.

    Of two categories it is McNemar's; undefined where they never differ.

    >>> stuart(np.array([[[80.0, 10.0], [2.0, 8.0]]])).round(4).tolist()
    [0.0209]
    """
    from scipy.special import chdtrc  # takes a tenth of a second to import

    if not both.size:
        return np.full(len(both), UNDEFINED)
    rows, columns = both.sum(axis=2), both.sum(axis=1)
    change = rows - columns
    covariance = -(both + both.transpose(0, 2, 1))
    place = np.arange(both.shape[1])
    covariance[:, place, place] += rows + columns
    free = np.linalg.matrix_rank(covariance, hermitian=True)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    statistic = np.einsum("pk,pkl,pl->p", change, inverse, change)
    return np.where(free > 0, chdtrc(np.maximum(free, 1), statistic), UNDEFINED)


def items_table(basis: Basis) -> Frame:
    """Return a row for each item on which any labels differ, those of least agreement first.

    Of items that agree alike, the one with more labels comes first.
    """
    table = basis.table
    n = table.given
    pairs = np.maximum(n * (n - 1), 1)
    agreement = np.where(n >= 2, basis.weighted_agreement_by_item / pairs, UNDEFINED)
    disputed = np.flatnonzero(table.informative[1])
    names = _names(table, disputed)
    rank = sorted(names, key=lambda i: (agreement[i], -n[i], names[i]))
    given = _given(table, disputed)
    columns = [Column("item", "item", "name", "disputed item")]
    columns += [Column("labels", "labels", "count", "labels of an item")]
    columns += [Column("agreement", "agreement", meaning="agreement of an item")]
    columns += [Column("given", "who gave which", "name")]
    rows: list[list[Value]] = [
        [names[i], int(n[i]), float(agreement[i]), "; ".join(given[i])] for i in rank
    ]
    alike = int((n >= 2).sum()) - len(rank)
    remarks = [f"on {counted(alike, 'item')} all labels are the same"] if alike else []
    return Frame(columns, rows, remarks=remarks)


def _names(table: LabelTable, items: Ints) -> dict[int, str]:
    """Return the names of some items; of tokens, where they stand, from 1."""
    if table.documents is None:
        return {i: table.name_of(i) for i in items.tolist()}
    document = table.documents[items]
    token = items - np.searchsorted(table.documents, document) + 1
    unit = str(table.reading.get("items", "tokens")).removesuffix("s")
    places = zip(items.tolist(), (document + 1).tolist(), token.tolist(), strict=True)
    return {i: f"document {d}, {unit} {k}" for i, d, k in places}


def _given(table: LabelTable, items: Ints) -> dict[int, list[str]]:
    """Return the labels of some items, each with those who gave it, or how many did."""
    asked = np.zeros(table.size, np.bool_)
    asked[items] = True
    rows = np.flatnonzero(asked[table.item])
    order = rows[np.lexsort((table.label[rows], table.item[rows]))]
    gave: dict[int, dict[str, list[str]]] = {}
    for row in order.tolist():
        labels = gave.setdefault(int(table.item[row]), {})
        annotator = table.annotators[table.annotator[row]] if table.annotator is not None else ""
        labels.setdefault(table.labels[table.label[row]], []).append(
            annotator or f"{counted(int(table.number[row]), 'annotator')}"
        )
    return {
        item: [f"{label}: {', '.join(sorted(annotators))}" for label, annotators in labels.items()]
        for item, labels in gave.items()
    }
