"""Confidence intervals of an agreement, over documents and annotators.

The jackknife leaves out one cluster at a time: a document, or the sentences of a document. Moments
are figures with the sums of their changes when clusters are left out. If annotators are a sample
too, each is also left out once, and a second interval covers other annotators.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.clusters import Clusters
from spanagree.agreement.count import AgreementCounts
from spanagree.agreement.gain import build_gain_intervals
from spanagree.agreement.team import AgreementScores
from spanagree.comparisons.tally import Tally
from spanagree.results.score import Interval
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, build_intervals, build_undefined_interval

if TYPE_CHECKING:
    from spanagree.uncertainty.samples import SampleVariance

_MAX_PAIRS = 1 << 22  # pairs of annotations that are compared one by one for the mean


def add_intervals(
    figures: AgreementScores, counts: AgreementCounts, jackknife: Jackknife
) -> AgreementScores:
    """Add intervals to the scores; those of pairs are computed when they are needed.

    Args:
        figures: scores without intervals.
        counts: counts that the scores were computed from.
        jackknife: options of intervals.
    """
    clusters = Clusters.from_pairs(counts.per_document, jackknife, counts.settings)
    labels, is_feasible = counts.by_label.labels, clusters.n_pairs <= _MAX_PAIRS
    variances = (
        _compute_variances(clusters, len(labels), is_feasible) if jackknife.over_annotators else {}
    )
    (team,) = _build_intervals(clusters.compute_team(), jackknife, variances.get("team"))
    members = _build_intervals(
        clusters.compute_annotators(), jackknife, variances.get("annotators"), of_others=True
    )
    gains = build_gain_intervals(figures, clusters, jackknife)
    label_intervals: Sequence[Interval] = ()
    if labels:
        label_intervals = _build_intervals(
            clusters.compute_labels(len(labels)), jackknife, variances.get("labels")
        )
    mean = (
        _build_mean_interval(clusters, jackknife, variances.get("mean"))
        if is_feasible
        else _build_undefined_mean(clusters)
    )
    return AgreementScores(
        replace(figures.team, tally=_add_interval(figures.team.tally, team)),
        replace(figures.mean, interval=mean),
        figures.pairs.add_intervals(functools.partial(_build_pair_intervals, counts, jackknife)),
        {
            name: replace(member, tally=_add_interval(member.tally, interval), gain_interval=gain)
            for (name, member), interval, gain in zip(
                figures.annotators.items(), members, gains, strict=True
            )
        },
        {
            label: _add_interval(figures.labels[label], interval)
            for label, interval in zip(labels, label_intervals, strict=True)
        },
    )


def _add_interval(tally: Tally, interval: Interval) -> Tally:
    return replace(tally, intervals={"f1": interval})


def _build_intervals(
    sums: Moments,
    jackknife: Jackknife,
    variance: SampleVariance | None,
    *,
    of_others: bool = False,
) -> list[Interval]:
    """Build the interval of each figure.

    Args:
        sums: moments of the figures over clusters.
        jackknife: options of intervals.
        variance: variances over annotators, for second intervals; `None` without these.
        of_others: True if the sample are the others of each annotator.
    """
    intervals = [interval for (interval,) in build_intervals(sums, jackknife)]
    if variance is None:
        return intervals
    from spanagree.agreement.other_annotators import add_annotator_intervals  # rarely requested

    return add_annotator_intervals(intervals, sums, variance, jackknife.tail, of_others=of_others)


def _build_pair_intervals(counts: AgreementCounts, jackknife: Jackknife) -> list[Interval]:
    """Build the interval of each pair, in the order of pairs."""
    sharing = counts.sharing
    clusters = Clusters.from_pairs(counts.per_document, jackknife, counts.settings)
    return _build_intervals(clusters.compute_pairs(sharing.first, sharing.second), jackknife, None)


def _build_mean_interval(
    clusters: Clusters, jackknife: Jackknife, variance: SampleVariance | None
) -> Interval:
    """Build the interval of the mean over pairs."""
    return _build_intervals(clusters.compute_mean(), jackknife, variance)[0]


def _build_undefined_mean(clusters: Clusters) -> Interval:
    """Build the undefined interval of the mean, for annotations too many to compare by pair."""
    return build_undefined_interval(
        f"{clusters.n_pairs:,} pairs of annotations; an interval of the mean over pairs needs at"
        f" most {_MAX_PAIRS:,}, so compare fewer annotators or documents"
    )


def _compute_variances(
    clusters: Clusters, n_labels: int, is_feasible: bool
) -> dict[str, SampleVariance]:
    """Compute variances over annotators of four figures: of team, annotators, labels and mean.

    Args:
        clusters: clusters with the sums of pairs.
        n_labels: number of labels.
        is_feasible: False to leave out the labels, whose variances need the rows of single pairs,
            if these are too many.

    Returns:
        Variances of observed, expected and corrected F1 by "team", "annotators", "labels", "mean".
    """
    from spanagree.agreement import other_annotators  # rarely requested

    with np.errstate(all="ignore"):
        variances = {
            "team": other_annotators.compute_team_variance(clusters.sums),
            "annotators": other_annotators.compute_annotator_variances(clusters),
            "mean": other_annotators.compute_mean_variance(clusters),
        }
        if n_labels and is_feasible:
            variances["labels"] = other_annotators.compute_label_variances(clusters.rows, n_labels)
    return variances
