"""Labels that are confused more often than by chance, tested over documents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.agreement.paired import SegmentPairs
from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.uncertainty.jackknife import exceeds_rounding
from spanagree.uncertainty.permutation import holm


class LabelPairCounts(NamedTuple):
    """Number of times that two labels are paired in each document; the last label is nothing."""

    document: Ints
    first: Ints
    second: Ints
    times: Ints

    @classmethod
    def from_portions(
        cls, portions: Iterable[SegmentPairs], n_labels: int, is_symmetric: bool
    ) -> LabelPairCounts:
        """Count paired labels.

        Args:
            portions: paired segments.
            n_labels: number of labels, which is the index of "nothing".
            is_symmetric: True to count each pair in both orders, for a team.
        """
        columns = [np.zeros((3, 0), np.int64)]
        for portion in portions:
            label_columns = [
                np.where(label < 0, n_labels, label) for label in (portion.label_a, portion.label_b)
            ]
            columns.append(np.stack((portion.document, *label_columns)))
            if is_symmetric:
                columns.append(np.stack((portion.document, *label_columns[::-1])))
        (document, first, second), _, count = unique_rows(*np.concatenate(columns, axis=1))
        return cls(document, first, second, count)


class ConfusedLabels(NamedTuple):
    """Two labels that were confused.

    Attributes:
        a, b: label of the first annotator and label of the second; for a team in either order.
        times: number of times they were confused.
        by_chance: number expected by chance, with as many pairs of segments with different labels.
        ratio: times divided by the number expected by chance.
        p: p of being confused no more often than by chance; ``nan`` if it is undefined.
        p_holm: p after Holm's correction for all pairs of labels.
    """

    a: str
    b: str
    times: int
    by_chance: float
    ratio: float
    p: float
    p_holm: float


def list_confused_pairs(
    labels: Sequence[str], matrix: Ints, cells: LabelPairCounts, is_team: bool
) -> list[ConfusedLabels]:
    """List the pairs of labels that were confused, in the order of p, then of the ratio to chance.

    By chance, the segments that are paired with another label have labels in proportion to the
    product of both annotators' label counts. A t-test over documents compares the observed number
    with this expectation.

    Args:
        labels: names of labels by index.
        matrix: number of times that each pair of labels occurs; the last row and column are for
            nothing.
        cells: summands of each document in the matrix.
        is_team: True if each pair of segments is counted in both orders.
    """
    paired_counts = matrix[:-1, :-1]
    by_chance = np.outer(paired_counts.sum(axis=1), paired_counts.sum(axis=0)).astype(np.float64)
    is_pair = (
        np.triu(np.ones(by_chance.shape, bool), 1)
        if is_team
        else ~np.eye(len(by_chance), dtype=bool)
    )
    n_differing = int(paired_counts[is_pair].sum())
    i, j = np.nonzero(is_pair & (by_chance > 0))
    share = by_chance[i, j] / max(by_chance[i, j].sum(), 1)
    is_cell = (cells.first < len(labels)) & (cells.second < len(labels))
    is_cell[is_cell] = is_pair[cells.first[is_cell], cells.second[is_cell]]
    document, first, second, n_times = (column[is_cell] for column in cells)
    _, document_index = np.unique(document, return_inverse=True)
    document_totals = np.bincount(document_index, n_times)
    counts, squares, crossed = np.zeros((3, *by_chance.shape))
    np.add.at(counts, (first, second), n_times)
    np.add.at(squares, (first, second), n_times**2)
    np.add.at(crossed, (first, second), n_times * document_totals[document_index])
    expected = share * n_differing
    terms = squares[i, j], -2 * share * crossed[i, j], share**2 * (document_totals**2).sum()
    p = _compute_p(counts[i, j] - expected, np.stack(terms), len(document_totals))
    p[share > 1 - 1e-12] = math.nan  # if only two labels can be confused
    rows = zip(i.tolist(), j.tolist(), expected.tolist(), p.tolist(), holm(p.tolist()), strict=True)
    confusions = [
        ConfusedLabels(labels[a], labels[b], times, by_chance, times / by_chance, p, p_holm)
        for a, b, by_chance, p, p_holm in rows
        if (times := int(paired_counts[a, b]))
    ]
    return sorted(confusions, key=lambda pair: (pair.p if pair.p == pair.p else 2, -pair.ratio))


def _compute_p(total: Floats, terms: Floats, n_documents: int) -> Floats:
    """Compute p of one-sided t-tests for means above 0, of values with one value for each document.

    Args:
        total: sum of the values of each test: (tests,).
        terms: three summands of the sum of squared values of each test: (3, tests).
        n_documents: number of values of each test.

    Returns:
        p of each test; ``nan`` if its values do not vary.
    """
    from scipy.special import stdtr  # slow to import

    if n_documents < 2:
        return np.full(len(total), math.nan)
    mean_square = total**2 / n_documents
    squared_deviations = terms.sum(0) - mean_square
    varies = exceeds_rounding(squared_deviations, np.abs(terms).sum(0) + mean_square, 8)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squared_deviations / (n_documents - 1) * n_documents)
        t = np.where(varies, total / error, np.nan)
    return np.asarray(stdtr(n_documents - 1, -t))
