"""Tables of agreement by pair of annotators and by item.

For two annotators and two categories, with the contingency table (a b; c d) of n items, Byrt,
Bishop & Carlin (1993) define

    prevalence index (a − d)/n,   bias index (b − c)/n,   PABAK 2 (a + d)/n − 1.

Stuart's statistic (1955) is dᵀ V⁻¹ d for the differences d of the marginal counts, with covariance
V, and has a χ² distribution with rank(V) degrees of freedom. Contingency tables of pairs are
shaped (pairs, categories, categories).
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, expand_ranges, unique_rows
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import pluralize
from spanagree.labels.chance_corrected import CoefficientInputs
from spanagree.labels.formulas import CORRECTED, CoefficientSums, compute_rows
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.score import UNDEFINED

_CELLS = 1 << 22  # largest number of cells of the contingency tables of all pairs

BYRT = {"prevalence": "prevalence", "bias_index": "bias index", "pabak": "PABAK"}
"""Titles of Byrt's indices of two annotators, by key."""


def build_pairs_table(inputs: CoefficientInputs) -> Frame:
    """Build a table with a row for each pair of annotators, over the items that both labelled."""
    table = inputs.table
    signs = [definition.sign_with(inputs.weight_matrices) for definition in CORRECTED]
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
    annotator_pairs, n_items_by_pair, pair_sums, contingency = _compute_sums_of_pairs(inputs, table)
    figures = [
        pair_sums.observed[:, 0],
        *(
            np.reshape(compute_rows(definition, pair_sums), (-1, 3))[:, 2]
            for definition in CORRECTED
        ),
        *byrt(contingency),
        stuart(contingency),
    ]
    rows: list[list[Value]] = [
        [table.annotators[a], table.annotators[b], n_items, *pair_figures]
        for (a, b), n_items, pair_figures in zip(
            annotator_pairs.tolist(),
            n_items_by_pair.tolist(),
            np.stack(figures, axis=1).tolist(),
            strict=True,
        )
    ]
    return Frame(columns, rows)


def _compute_sums_of_pairs(
    inputs: CoefficientInputs, table: LabelTable
) -> tuple[Ints, Ints, CoefficientSums, Floats]:
    """Compute, for each pair of annotators, the sums over the items that both labelled.

    Args:
        inputs: inputs of the coefficients, with the weights of categories.
        table: labels with named annotators.

    Returns:
        Indices of both annotators, (pairs, 2); number of items, (pairs,); sums, with a row for
        each pair; and contingency tables, (pairs, categories, categories), or (pairs, 0, 0) if
        these are too large.
    """
    assert table.annotator is not None
    n_categories, weight_matrices = len(table.labels), inputs.weight_matrices
    order = np.lexsort((table.annotator, table.item))
    item, annotator, label = (
        column[order] for column in (table.item, table.annotator, table.label)
    )
    other_row, row = expand_ranges(
        np.arange(len(item)) + 1, np.searchsorted(item, item, side="right")
    )
    (a, b, label_a, label_b), _, n_equal = unique_rows(
        annotator[row], annotator[other_row], label[row], label[other_row]
    )
    (first, second), pair, _ = unique_rows(a, b)
    n_pairs = len(first)
    n_items = np.bincount(pair, n_equal, n_pairs).astype(np.int64)
    n_labels_a, n_labels_b = (
        np.bincount(pair * n_categories + label_of_pair, n_equal, n_pairs * n_categories).reshape(
            n_pairs, n_categories
        )
        for label_of_pair in (label_a, label_b)
    )

    def compute_weighted_agreement(weights: Floats | None) -> Floats:
        weight = (label_a == label_b) if weights is None else weights[label_a, label_b]
        sums: Floats = np.bincount(pair, weight * n_equal, n_pairs)[:, None].astype(np.float64)
        return sums

    n_items_column = n_items[:, None].astype(np.float64)
    zeros = np.zeros_like(n_items_column)
    n_labels = (n_labels_a + n_labels_b).astype(np.float64)
    sums = CoefficientSums(
        n_items_column, n_items_column,
        compute_weighted_agreement(weight_matrices.weights), zeros, zeros,
        2 * (n_items_column - compute_weighted_agreement(weight_matrices.alpha)),
        n_labels / 2, np.zeros_like(n_labels), n_labels,
        np.concatenate((n_labels_a, n_labels_b), axis=1), weight_matrices=weight_matrices,
    )  # fmt: skip
    contingency = np.zeros((n_pairs, 0, 0))
    if n_pairs * n_categories * n_categories <= _CELLS:
        cells = np.bincount(
            (pair * n_categories + label_a) * n_categories + label_b,
            n_equal,
            n_pairs * n_categories * n_categories,
        )
        contingency = cells.reshape(n_pairs, n_categories, n_categories).astype(np.float64)
    return np.stack((first, second), axis=1), n_items, sums, contingency


def byrt(contingency: Floats) -> list[Floats]:
    """Compute the prevalence index, bias index and PABAK of pairs; undefined unless q = 2.

    Args:
        contingency: contingency tables; (pairs, q, q).

    >>> [x.round(2).tolist() for x in byrt(np.array([[[80.0, 10.0], [5.0, 5.0]]]))]
    [[0.75], [0.05], [0.7]]
    """
    if contingency.shape[1] != 2:
        return [np.full(len(contingency), UNDEFINED)] * 3
    n_items = contingency.sum(axis=(1, 2))
    a, b, c, d = contingency.reshape(len(contingency), 4).T
    return [(a - d) / n_items, (b - c) / n_items, 2 * (a + d) / n_items - 1]


def stuart(contingency: Floats) -> Floats:
    """Compute p of Stuart's test (1955) that two annotators use the categories equally often.

    For two categories this is McNemar's test. p is undefined for annotators who never differ.

    Args:
        contingency: contingency tables; (pairs, q, q).

    >>> stuart(np.array([[[80.0, 10.0], [2.0, 8.0]]])).round(4).tolist()
    [0.0209]
    """
    from scipy.special import chdtrc  # takes a tenth of a second to import

    if not contingency.size:
        return np.full(len(contingency), UNDEFINED)
    rows, columns = contingency.sum(axis=2), contingency.sum(axis=1)
    differences = rows - columns
    covariance = -(contingency + contingency.transpose(0, 2, 1))
    diagonal = np.arange(contingency.shape[1])
    covariance[:, diagonal, diagonal] += rows + columns
    degrees = np.linalg.matrix_rank(covariance, hermitian=True)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    statistic = np.einsum("pk,pkl,pl->p", differences, inverse, differences)
    return np.where(degrees > 0, chdtrc(np.maximum(degrees, 1), statistic), UNDEFINED)


def build_items_table(inputs: CoefficientInputs) -> Frame:
    """Build a table with a row for each disputed item, which has different labels.

    Items are sorted by agreement, ascending, then by number of labels, descending, then by name.
    """
    table = inputs.table
    n_labels = table.given
    n_pairs = np.maximum(n_labels * (n_labels - 1), 1)
    agreement = np.where(n_labels >= 2, inputs.weighted_agreement_by_item / n_pairs, UNDEFINED)
    disputed = np.flatnonzero(table.informative[1])
    names = _name_items(table, disputed)
    ordered_items = sorted(names, key=lambda i: (agreement[i], -n_labels[i], names[i]))
    labels_by_item = _list_labels(table, disputed)
    columns = [Column("item", "item", "name", "disputed item")]
    columns += [Column("labels", "labels", "count", "labels of an item")]
    columns += [Column("agreement", "agreement", meaning="agreement of an item")]
    columns += [Column("given", "who gave which", "name")]
    rows: list[list[Value]] = [
        [names[i], int(n_labels[i]), float(agreement[i]), "; ".join(labels_by_item[i])]
        for i in ordered_items
    ]
    n_unanimous = int((n_labels >= 2).sum()) - len(ordered_items)
    remarks = (
        [f"on {pluralize(n_unanimous, 'item')} all labels are the same"] if n_unanimous else []
    )
    return Frame(columns, rows, remarks=remarks)


def _name_items(table: LabelTable, items: Ints) -> dict[int, str]:
    """Look up the names of items; a token is named by its document and its position from 1."""
    if table.documents is None:
        return {i: table.name_of(i) for i in items.tolist()}
    item_noun = str(table.reading.get("items", "tokens")).removesuffix("s")
    documents, positions = table.documents[items], table.find_positions()[items]
    ids = [
        str(d + 1) if table.document_ids is None else table.document_ids[d]
        for d in documents.tolist()
    ]
    return {
        i: f"document {id_}, {item_noun} {position}"
        for i, id_, position in zip(items.tolist(), ids, positions.tolist(), strict=True)
    }


def _list_labels(table: LabelTable, items: Ints) -> dict[int, list[str]]:
    """List the labels of items as text, each label with the annotators who gave it.

    In a table of counts, annotators have no names, and their number is written.
    """
    is_requested = np.zeros(table.size, np.bool_)
    is_requested[items] = True
    rows = np.flatnonzero(is_requested[table.item])
    order = rows[np.lexsort((table.label[rows], table.item[rows]))]
    annotators_by_label: dict[int, dict[str, list[str]]] = {}
    for row in order.tolist():
        labels = annotators_by_label.setdefault(int(table.item[row]), {})
        annotator = table.annotators[table.annotator[row]] if table.annotator is not None else ""
        labels.setdefault(table.labels[table.label[row]], []).append(
            annotator or f"{pluralize(int(table.number[row]), 'annotator')}"
        )
    return {
        item: [f"{label}: {', '.join(sorted(annotators))}" for label, annotators in labels.items()]
        for item, labels in annotators_by_label.items()
    }
