"""Differences between slices, and a trend over slices that have an order.

The variance of a difference of two slices is the sum of their variances if they have different
documents, and the variance of the differences of documents if they have the same. The jackknife
over documents covers both cases: a document that is in only one slice changes only the score of
that slice.

A trend, and the steps from each slice to the next, are tested by permutation. Under the null
hypothesis, documents are exchangeable between slices. So documents are shuffled among slices, and a
document that is in both slices has its two tallies exchanged at random. With n_k documents in slice
k, and F_k its corrected F1, the slope of the trend is

    Σ_k n_k (k − k̄) F_k / Σ_k n_k (k − k̄)²,   with k̄ the weighted mean of k.

Tables have the shape (documents, 3 or 4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.results.score import UNDEFINED, compute_f1_figures
from spanagree.systems.comparison import Difference
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.jackknife import TIE, count_evidence
from spanagree.uncertainty.permutation import holm, yield_batches

ENOUGH = 10  # least number of documents with a segment, for a slice that is tested
_LEAST_INFORMATIVE = 2  # least number of documents with an error, and with a match, for a variance
_CORRECTED_INDEX = 2  # index in the three scores

_TOO_UNIFORM = "interval: undefined, as at most one {noun} of {name} holds {what}"


@dataclass(frozen=True, eq=False)
class SliceTable:
    """Matches and sizes of the documents of a slice, for a system or the team.

    Attributes:
        name: name of the slice.
        keys: key of each document; a document has the same key in all slices.
        table: matched, expected and size of each document, and the expected size if it is random;
            (documents, 3 or 4).
    """

    name: str
    keys: Ints
    table: Floats

    @cached_property
    def evidence(self) -> tuple[int, int, int]:
        """Number of documents with a segment, with an error, and with a match."""
        n_units, n_wrong, n_right = count_evidence(self.table, compute_f1_figures)[0, 0].tolist()
        return n_units, n_wrong, n_right

    @property
    def is_tested(self) -> bool:
        """Whether the slice is large enough for a test."""
        n_units, *informative = self.evidence
        return n_units >= ENOUGH and min(informative) >= _LEAST_INFORMATIVE

    def explain_missing_variance(self, noun: str) -> str:
        """Write the reason if too few documents have an error or a match for a variance.

        The result is empty if there are enough. ``noun`` is the word for a document.
        """
        _, *informative_counts = self.evidence
        for n_informative, outcome in zip(informative_counts, ("an error", "a match"), strict=True):
            if n_informative < _LEAST_INFORMATIVE:
                return _TOO_UNIFORM.format(noun=noun, name=self.name, what=outcome)
        return ""


class SliceDifference(NamedTuple):
    """The difference of two slices, the second minus the first.

    Attributes:
        scored: name of the system; team in an agreement.
        a, b: names of the slices.
        both: number of documents in both slices.
        observed: difference of F1.
        corrected: difference of corrected F1.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> agreement = sa.agree(sa.Corpus.from_segments([9] * 4, layers))
    >>> [step] = sa.slices.score_slices(agreement, ["1", "1", "2", "2"], resamples=99).changes
    >>> step.a, step.b, step.observed.value
    ('1', '2', 1.0)
    """

    scored: str
    a: str
    b: str
    both: int
    observed: Difference
    corrected: Difference

    @property
    def turned(self) -> SliceDifference:
        """Difference of the first slice minus the second."""
        observed, corrected = self.observed.exchange_systems(), self.corrected.exchange_systems()
        return SliceDifference(self.scored, self.b, self.a, self.both, observed, corrected)


def compute_difference(
    scored: str, pair: tuple[SliceTable, SliceTable], tail: float, n_differences: int, noun: str
) -> SliceDifference:
    """Compute the difference of two slices, with its interval and p.

    Args:
        scored: name of the system, or team.
        pair: tables of the slices.
        tail: probability beyond each end of all intervals together.
        n_differences: number of differences that p and intervals are adjusted for.
        noun: word for a document.
    """
    keys, position = np.unique(np.concatenate([table.keys for table in pair]), return_inverse=True)
    rows = np.zeros((len(keys), 2, max(table.table.shape[1] for table in pair)))
    for index, (table, rows_of_slice) in enumerate(
        zip(pair, np.split(position, [len(pair[0].keys)]), strict=True)
    ):
        rows[rows_of_slice, index] = add_expected_sizes(table.table, rows.shape[2])
    n_shared = len(pair[0].keys) + len(pair[1].keys) - len(keys)
    change = DocumentInfluence.from_rows(rows).compare(1, 0, tail, n_differences)
    columns = change.value.tolist(), change.ends.tolist(), change.p.tolist(), change.reasons
    differences = [
        Difference(value, low, high, p, min(1.0, n_differences * p) if p == p else p, reason)
        for value, (low, high), p, reason in zip(*columns, strict=True)
    ]
    reasons = (
        []
        if n_shared == len(keys)
        else [
            explanation for table in pair if (explanation := table.explain_missing_variance(noun))
        ]
    )
    if reasons:  # too few documents of a slice are informative
        undefined = UNDEFINED
        differences = [
            Difference(
                change_of_score.value, undefined, undefined, undefined, undefined, reasons[0]
            )
            for change_of_score in differences
        ]
    return SliceDifference(
        scored, pair[0].name, pair[1].name, n_shared, differences[0], differences[1]
    )


def compute_steps(
    scored: str, tables: Sequence[SliceTable], tail: float, resamples: int, seed: int, noun: str
) -> list[SliceDifference]:
    """Compute the difference of each slice to the next, with p by permutation and Holm's p.

    Args:
        scored: name of the system, or team.
        tables: tables of the slices in order.
        tail: probability beyond each end of all intervals together.
        resamples: number of permutations.
        seed: random seed of the permutations.
        noun: word for a document.
    """
    differences = []
    for pair in pairwise(tables):
        change = compute_difference(scored, pair, tail, len(tables) - 1, noun)
        p = compute_permutation_p(pair, resamples, seed)
        changes_of_scores = (change.observed, change.corrected)
        observed, corrected = (
            change_of_score._replace(p=p_of_score)
            for change_of_score, p_of_score in zip(changes_of_scores, p, strict=True)
        )
        differences.append(change._replace(observed=observed, corrected=corrected))
    holm_observed, holm_corrected = (
        holm([getattr(step, value_name).p for step in differences])
        for value_name in ("observed", "corrected")
    )
    return [
        step._replace(
            observed=step.observed._replace(p_adjusted=p),
            corrected=step.corrected._replace(p_adjusted=p_corrected),
        )
        for step, p, p_corrected in zip(differences, holm_observed, holm_corrected, strict=True)
    ]


def compute_permutation_p(
    pair: tuple[SliceTable, SliceTable], resamples: int, seed: int
) -> tuple[float, float]:
    """Compute p of the difference of F1, and of corrected F1, of two slices.

    The tallies of a document in both slices are exchanged at random. Other documents are shuffled
    between the slices.

    Args:
        pair: tables of both slices.
        resamples: number of permutations.
        seed: random seed of the permutations.

    >>> right, wrong = [1.0, 0.0, 2.0], [0.0, 0.0, 2.0]
    >>> slices = [np.array([right] * n + [wrong] * (4 - n)) for n in (0, 4)]
    >>> two = [SliceTable(name, np.arange(4), x) for name, x in zip("ab", slices)]
    >>> compute_permutation_p(two, 9999, 0)[0] < 0.15  # 2 of 16 ways
    True
    """
    width = max(slice_table.table.shape[1] for slice_table in pair)
    first, second = (add_expected_sizes(slice_table.table, width) for slice_table in pair)
    _, at_first, at_second = np.intersect1d(pair[0].keys, pair[1].keys, return_indices=True)
    paired = np.concatenate((first[at_first], second[at_second]), axis=1)
    unshared_tables = [np.delete(first, at_first, axis=0), np.delete(second, at_second, axis=0)]
    # canonical order
    paired, *unshared_tables = (table[np.lexsort(table.T)] for table in (paired, *unshared_tables))
    first_total, second_total = first.sum(axis=0), second.sum(axis=0)
    a, b = np.split(paired, 2, axis=1)
    unshared = np.concatenate(unshared_tables)
    in_first = np.arange(len(unshared)) < len(unshared_tables[0])
    total = a.sum(axis=0) + b.sum(axis=0) + unshared.sum(axis=0)
    rng = np.random.default_rng(seed)
    difference_batches = []
    with np.errstate(divide="ignore", invalid="ignore"):
        value = compute_f1_figures(second_total) - compute_f1_figures(first_total)
        for low, high in yield_batches(resamples, len(paired) + len(unshared)):
            is_exchanged = rng.integers(0, 2, (high - low, len(paired))).astype(np.float64)
            is_in_first = rng.permuted(np.tile(in_first, (high - low, 1)), axis=1).astype(
                np.float64
            )
            sums = a.sum(axis=0) + is_exchanged @ (b - a) + is_in_first @ unshared
            difference_batches.append(compute_f1_figures(total - sums) - compute_f1_figures(sums))
    shuffled = np.concatenate(difference_batches)
    observed, corrected = (
        UNDEFINED
        if math.isnan(value[score_index])
        else _compute_p(shuffled[:, score_index], float(value[score_index]))
        for score_index in (0, _CORRECTED_INDEX)
    )
    return observed, corrected


def add_expected_sizes(table: Floats, n_columns: int) -> Floats:
    """Add the expected size to a table, equal to the size if sizes are not random."""
    return table if table.shape[1] == n_columns else np.column_stack((table, table[:, 2]))


class Trend(NamedTuple):
    """The trend of corrected F1 over slices.

    Attributes:
        slope: change of corrected F1 from slice to slice, by least squares weighted by the number
            of documents.
        p: probability of a slope at least as steep if documents are shuffled among slices.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 3, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]]}
    >>> agreement = sa.agree(sa.Corpus.from_segments([9] * 3, layers))
    >>> made = sa.slices.score_slices(agreement, ["1", "2", "3"], resamples=99)
    >>> round(made.trends["team"].slope, 3)
    0.571
    """

    slope: float = UNDEFINED
    p: float = UNDEFINED


def compute_trend(tables: Sequence[SliceTable], resamples: int, seed: int) -> Trend:
    """Compute the slope of corrected F1, and test it by shuffling documents among slices.

    Args:
        tables: tables of the slices in order.
        resamples: number of permutations.
        seed: random seed of the permutations.

    >>> right, wrong = [1.0, 0.0, 2.0], [0.0, 0.0, 2.0]
    >>> slices = [np.array([right] * n + [wrong] * (4 - n)) for n in (1, 2, 3)]
    >>> tables = [SliceTable(str(i), np.arange(4) + 4 * i, x) for i, x in enumerate(slices)]
    >>> compute_trend(tables, 99, 0).slope
    0.25
    """
    if len(tables) < 2:
        return Trend()
    width = max(slice_table.table.shape[1] for slice_table in tables)
    table = np.concatenate([add_expected_sizes(slice_table.table, width) for slice_table in tables])
    slice_index = np.repeat(
        np.arange(len(tables)), [len(slice_table.keys) for slice_table in tables]
    )
    order = np.lexsort((slice_index, *table.T))  # canonical order
    table, slice_index = table[order], slice_index[order]
    n_documents = np.bincount(slice_index, minlength=len(tables))

    def compute_slopes(drawn_index: Any) -> Floats:
        """Compute the slope of each draw of slice indices; (draws, documents) to (draws,)."""
        sums = np.stack(
            [(drawn_index == index).astype(np.float64) @ table for index in range(len(tables))], 1
        )
        figures = compute_f1_figures(sums)[..., _CORRECTED_INDEX]
        weight = np.where(np.isnan(figures), 0.0, n_documents)
        centre = (weight @ np.arange(len(tables)) / weight.sum(axis=1))[:, None]
        weighted_distance = weight * (np.arange(len(tables)) - centre)
        rise: Floats = (weighted_distance * np.nan_to_num(figures)).sum(axis=1)
        return rise / (weighted_distance * (np.arange(len(tables)) - centre)).sum(axis=1)

    rng = np.random.default_rng(seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = float(compute_slopes(slice_index[None])[0])
        if math.isnan(slope):
            return Trend()
        slope_batches = [
            compute_slopes(rng.permuted(np.tile(slice_index, (high - low, 1)), axis=1))
            for low, high in yield_batches(resamples, len(slice_index))
        ]
    return Trend(slope, _compute_p(np.concatenate(slope_batches), slope))


def _compute_p(resampled: Floats, value: float) -> float:
    """Compute the share of values at least as far from 0; two-sided, and never 0."""
    defined = resampled[~np.isnan(resampled)]
    return float((1 + (np.abs(defined) >= abs(value) - TIE).sum()) / (1 + len(defined)))
