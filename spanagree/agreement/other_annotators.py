"""Variances over other annotators: those who are there are a sample, and each is left out once.

Leaving out an annotator leaves out all pairs with them, so a team's figure is a U-statistic of
annotators; see :mod:`spanagree.uncertainty.samples`.
"""

from __future__ import annotations

import numpy as np

from spanagree.agreement.clusters import Clusters, mean_figures
from spanagree.agreement.count import columns_of
from spanagree.arrays import Floats, Ints
from spanagree.comparisons.table import Comparisons, PartlySummedComparisons
from spanagree.results.score import Interval, f1_figures
from spanagree.uncertainty.jackknife import Moments, group_sums, with_defined
from spanagree.uncertainty.samples import SampleVariance, second_intervals


def of_team(sums: Comparisons | PartlySummedComparisons) -> SampleVariance:
    """Compute the variance of the team's F1 from what pairs add in documents."""
    both = sums.both_ways().by("first")
    return _less_each(columns_of(sums.by()), both, None)


def of_labels(rows: Comparisons, n_labels: int) -> SampleVariance:
    """Compute the variance of the team's F1 for each label, from rows of two annotators each."""
    by_label = rows.by("label")
    total = np.zeros((n_labels, columns_of(by_label).shape[1]))
    total[by_label.label] = columns_of(by_label)
    both = rows.both_ways().by("label", "first")
    return _less_each(total, both, both.label)


def variance_over_annotators(clusters: Clusters) -> SampleVariance:
    """Compute the variance of each annotator's F1 against the others, who are the sample."""
    both = clusters.sums.both_ways()
    by_annotator, pairs = both.by("first"), both.by("first", "second")
    columns = columns_of(by_annotator)
    total = np.zeros((len(clusters.coverage.annotated), columns.shape[1]))
    total[by_annotator.first] = columns
    return _less_each(total, pairs, pairs.first)


def of_mean(clusters: Clusters) -> SampleVariance:
    """Compute the variance of the mean of F1 over pairs."""
    pairs = clusters.sums.by("first", "second")
    sums = with_defined(f1_figures(columns_of(pairs)))
    total = sums.sum(axis=0)[None]
    sides = np.concatenate((pairs.first, pairs.second))
    annotators, side = np.unique(sides, return_inverse=True)
    annotator_index = group_sums(np.tile(sums, (2, 1)), side, len(annotators))
    return SampleVariance.of(mean_figures(total), mean_figures(total - annotator_index))


def _less_each(total: Floats, parts: Comparisons, group: Ints | None) -> SampleVariance:
    """Leave out the rows of an annotator each from the sums of their group."""
    of_group = total[np.zeros(len(parts), np.int64) if group is None else group]
    return SampleVariance.of(f1_figures(total), f1_figures(of_group - columns_of(parts)), group)


def with_annotators(
    intervals: list[Interval], sums: Moments, over: SampleVariance, tail: float,
    *, of_others: bool = False,
) -> list[Interval]:  # fmt: skip
    """Return intervals over documents, each with a second one over annotators too.

    Args:
        intervals: over documents.
        sums: figures and their changes without a document.
        over: their variances over annotators.
        tail: probability beyond each end.
        of_others: whether the sample is the others of an annotator, who counts too.
    """
    n_annotators = (over.n_units + of_others).tolist()
    second = second_intervals(intervals, sums, over, tail, "annotator", n_annotators)
    return [
        interval._replace(over_annotators=other)
        for interval, other in zip(intervals, second, strict=True)
    ]
