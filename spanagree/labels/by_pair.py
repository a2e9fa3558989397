"""Coefficients of each two annotators, and the items on which annotators differ most."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, ranges
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import SettingError, counted
from spanagree.labels.chance_corrected import Basis
from spanagree.labels.formulas import Sums, rows_of
from spanagree.results.score import UNDEFINED
from spanagree.results.table import Column, Table, Value

_CORRECTED = ("π", "κ", "α", "AC1")


def _kept(basis: Basis, by: str) -> LabelTable:
    """Return the table of a basis, whose items are kept and have annotators' labels."""
    if not isinstance(basis.table, LabelTable):
        raise SettingError(
            f"by {by}: over blocks single items are not kept; read the corpus as a whole"
        )
    return basis.table


def pairs_table(basis: Basis) -> Table:
    """Return a row for each two annotators who labelled an item both, over these items.

    Raises:
        SettingError: for tallies over blocks.
    """
    table, near = _kept(basis, "pair"), basis.nearness
    columns = [Column("a", "annotators", "name", "pair of annotators"), Column("b", " ", "name")]
    columns += [Column("items", "items", "count", "items of a pair")]
    columns += [Column("observed", "agreement", meaning="agreement of a pair")]
    last = "AC1" if near.weights is None else "AC2"
    names = (*_CORRECTED[:3], last)
    columns += [Column(name, name, meaning="coefficient of a pair") for name in names]
    if table.annotator is None or not table.labels:
        return Table(columns, [])
    who, items, sums = _sums(basis, table)
    figures = [rows_of(name, sums) for name in _CORRECTED]
    observed = sums.observed[:, 0].tolist()
    rows: list[list[Value]] = []
    for i, (a, b) in enumerate(who.tolist()):
        row: list[Value] = [table.annotators[a], table.annotators[b], int(items[i]), observed[i]]
        rows.append([*row, *(of_all[i][2] for of_all in figures)])
    return Table(columns, rows)


def _sums(basis: Basis, table: LabelTable) -> tuple[Ints, Ints, Sums]:
    """Return each two annotators, how many items both labelled, and the sums over these."""
    assert table.annotator is not None
    q, near = len(table.labels), basis.nearness
    order = np.lexsort((table.annotator, table.item))
    item, who, label = (each[order] for each in (table.item, table.annotator, table.label))
    other, one = ranges(np.arange(len(item)) + 1, np.searchsorted(item, item, side="right"))
    (a, b, x, y), _, times = distinct(who[one], who[other], label[one], label[other])
    (first, second), pair, _ = distinct(a, b)
    size = len(first)
    items = np.bincount(pair, times, size).astype(np.int64)
    of_a, of_b = (np.bincount(pair * q + each, times, size * q).reshape(size, q) for each in (x, y))

    def credit(weights: Floats | None) -> Floats:
        weight = (x == y) if weights is None else weights[x, y]
        sums: Floats = np.bincount(pair, weight * times, size)[:, None].astype(np.float64)
        return sums

    number = items[:, None].astype(np.float64)
    nothing = np.zeros_like(number)
    values = (of_a + of_b).astype(np.float64)
    sums = Sums(
        number, number, credit(near.weights), nothing, nothing,
        2 * (number - credit(near.alpha)), values / 2, np.zeros_like(values), values,
        np.concatenate((of_a, of_b), axis=1), nearness=near,
    )  # fmt: skip
    return np.stack((first, second), axis=1), items, sums


def items_table(basis: Basis) -> Table:
    """Return a row for each item on which any labels differ, those of least agreement first.

    Of items that agree alike, the one with more labels comes first.

    Raises:
        SettingError: for tallies over blocks.
    """
    table = _kept(basis, "item")
    n = table.given
    pairs = np.maximum(n * (n - 1), 1)
    agreement = np.where(n >= 2, basis.credit_by_item / pairs, UNDEFINED)
    disputed = np.flatnonzero(table.telling[1])
    names = _names(table, disputed)
    rank = sorted(names, key=lambda i: (agreement[i], -n[i], names[i]))
    given = _given(table, disputed)
    columns = [Column("item", "item", "name", "disputed item"), Column("labels", "labels", "count")]
    columns += [Column("agreement", "agreement", meaning="agreement of an item")]
    columns += [Column("given", "who gave which", "name")]
    rows: list[list[Value]] = [
        [names[i], int(n[i]), float(agreement[i]), "; ".join(given[i])] for i in rank
    ]
    alike = int((n >= 2).sum()) - len(rank)
    remarks = [f"on {counted(alike, 'item')} all labels are the same"] if alike else []
    return Table(columns, rows, remarks=remarks)


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
        who = table.annotators[table.annotator[row]] if table.annotator is not None else ""
        labels.setdefault(table.labels[table.label[row]], []).append(
            who or f"{counted(int(table.number[row]), 'annotator')}"
        )
    return {
        item: [f"{label}: {', '.join(sorted(who))}" for label, who in labels.items()]
        for item, labels in gave.items()
    }
