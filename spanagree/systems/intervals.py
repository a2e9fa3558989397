"""Confidence intervals of an evaluation: for systems, for labels, and for means over labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spanagree.arrays import Floats, unique_rows
from spanagree.results.score import Interval, compute_all_figures, correct_figures
from spanagree.systems.clusters import count_clusters
from spanagree.systems.count import EvaluationCounts, SystemsByDocument, stack_columns
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import (
    Moments,
    Statistic,
    build_intervals,
    compute_mean_moments,
    compute_moments,
)


def compute_system_moments(
    per_document: SystemsByDocument, figures: Statistic = compute_all_figures
) -> Moments:
    """Compute the figures of each annotator as a system, and the change by each document."""
    rows = per_document.comparisons.of_wholes(per_document.parent_ids).by("second", "document")
    return compute_moments(stack_columns(rows), figures, rows.second, len(rows.annotators))


def compute_label_moments(
    per_document: SystemsByDocument, n_labels: int, figures: Statistic = compute_all_figures
) -> tuple[Moments, Moments]:
    """Compute figures by label and macro-averages of each annotator, with moments for intervals.

    Args:
        per_document: counts of single documents, or of clusters.
        n_labels: number of labels.
        figures: function that computes figures from sums.

    Returns:
        Moments of the labels, with all labels of the first annotator first, and moments of the
        means over labels of each annotator.
    """
    rows = per_document.comparisons.of_wholes(per_document.parent_ids).by(
        "second", "document", "label"
    )
    columns, n_systems = stack_columns(rows), len(rows.annotators)
    label_index = rows.second * n_labels + rows.label
    system_of_label = np.repeat(np.arange(n_systems), n_labels)
    (system, _), unit, _ = unique_rows(rows.second, rows.document)
    return compute_moments(
        columns, figures, label_index, n_systems * n_labels
    ), compute_mean_moments(
        columns,
        figures,
        label_index,
        system_of_label,
        unit,
        system,
        n_systems,
        _compute_macro_figures,
    )


def _compute_macro_figures(sums: Floats) -> Floats:
    """Compute macro-averages from sums over labels.

    Args:
        sums: observed, expected and corrected value of each figure, summed over labels, followed by
            the number of labels with a defined value for each: (…, 6 · figures).

    Returns:
        Means of shape (…, 3 · figures). The corrected mean is computed from the other two.
    """
    figures, counts = np.split(sums, 2, axis=-1)
    means: Floats = figures / counts
    means[..., 2::3] = correct_figures(means[..., ::3], means[..., 1::3])
    return means


Ends = Mapping[tuple[str, str], Sequence[Interval]]
"""The intervals of each figure, by system and label; the label is empty for all labels."""


def compute_intervals(
    counts: EvaluationCounts, jackknife: Jackknife
) -> tuple[Ends, Mapping[str, Sequence[Interval]]]:
    """Compute the intervals of every figure of every system.

    Returns:
        Intervals by system and label, the empty label for all labels together, and intervals of the
        macro-averages by system.
    """
    clusters = count_clusters(counts.per_document, jackknife, counts.settings)
    overall_intervals = build_intervals(
        compute_system_moments(clusters, counts.compute_figures), jackknife
    )
    interval_lists = {(name, ""): overall_intervals[i] for i, name in enumerate(counts.annotators)}
    labels = counts.labels
    if not labels:
        return interval_lists, {}
    label_intervals, mean_intervals = (
        build_intervals(sums, jackknife)
        for sums in compute_label_moments(clusters, len(labels), counts.compute_figures)
    )
    keys = ((name, label) for name in counts.annotators for label in labels)
    interval_lists |= dict(zip(keys, label_intervals, strict=True))
    return interval_lists, dict(zip(counts.annotators, mean_intervals, strict=True))
