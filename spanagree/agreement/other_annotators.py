"""Variances over other annotators: the annotators are a sample, and each is left out once.

Leaving out an annotator leaves out all pairs with them, so a team's figure is a U-statistic of
annotators; see :mod:`spanagree.uncertainty.samples`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.clusters import Clusters, compute_means
from spanagree.agreement.count import stack_columns
from spanagree.arrays import Floats, Ints
from spanagree.comparisons.table import Comparisons
from spanagree.results.score import Interval, compute_f1_figures
from spanagree.uncertainty.jackknife import Moments, append_defined_mask, sum_groups
from spanagree.uncertainty.samples import SampleVariance, build_second_intervals

if TYPE_CHECKING:
    from spanagree.agreement.crowd_sums import PartlySummedComparisons  # most have no crowd


def compute_team_variance(sums: Comparisons | PartlySummedComparisons) -> SampleVariance:
    """Compute the variance of the team's F1 from rows of pairs."""
    rows = sums.both_ways().by("first")
    return _leave_out_each(stack_columns(sums.by()), rows, None)


def compute_label_variances(rows: Comparisons, n_labels: int) -> SampleVariance:
    """Compute the variance of the team's F1 for each label; ``rows`` are those of single pairs."""
    by_label = rows.by("label")
    total = np.zeros((n_labels, stack_columns(by_label).shape[1]))
    total[by_label.label] = stack_columns(by_label)
    annotator_rows = rows.both_ways().by("label", "first")
    return _leave_out_each(total, annotator_rows, annotator_rows.label)


def compute_annotator_variances(clusters: Clusters) -> SampleVariance:
    """Compute the variance of each annotator's F1, with the other annotators as a sample."""
    rows = clusters.sums.both_ways()
    by_annotator, pairs = rows.by("first"), rows.by("first", "second")
    columns = stack_columns(by_annotator)
    total = np.zeros((len(clusters.coverage.annotated), columns.shape[1]))
    total[by_annotator.first] = columns
    return _leave_out_each(total, pairs, pairs.first)


def compute_mean_variance(clusters: Clusters) -> SampleVariance:
    """Compute the variance of the mean of F1 over pairs."""
    pairs = clusters.sums.by("first", "second")
    sums = append_defined_mask(compute_f1_figures(stack_columns(pairs)))
    total = sums.sum(axis=0)[None]
    members = np.concatenate((pairs.first, pairs.second))
    annotators, member_index = np.unique(members, return_inverse=True)
    sums_of_annotators = sum_groups(np.tile(sums, (2, 1)), member_index, len(annotators))
    return SampleVariance.from_left_out(
        compute_means(total), compute_means(total - sums_of_annotators)
    )


def _leave_out_each(total: Floats, rows: Comparisons, group: Ints | None) -> SampleVariance:
    """Leave out the rows of one annotator at a time from the sums of their group."""
    group_totals = total[np.zeros(len(rows), np.int64) if group is None else group]
    return SampleVariance.from_left_out(
        compute_f1_figures(total), compute_f1_figures(group_totals - stack_columns(rows)), group
    )


def add_annotator_intervals(
    intervals: list[Interval], sums: Moments, variance: SampleVariance, tail: float,
    *, of_others: bool = False,
) -> list[Interval]:  # fmt: skip
    """Add a second interval, over annotators too, to each interval over documents.

    Args:
        intervals: intervals over documents.
        sums: figures and their changes by each document.
        variance: variances of the figures over annotators.
        tail: probability beyond each end.
        of_others: True if the sample are the others of an annotator, who counts too.
    """
    n_annotators = (variance.n_units + of_others).tolist()
    second_intervals = build_second_intervals(
        intervals, sums, variance, tail, "annotator", n_annotators
    )
    return [
        interval._replace(over_annotators=second_interval)
        for interval, second_interval in zip(intervals, second_intervals, strict=True)
    ]
