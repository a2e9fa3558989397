"""Confidence intervals of an agreement, over documents and annotators."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.clusters import Clusters
from spanagree.agreement.count import AgreementCounts
from spanagree.agreement.gain import gain_intervals
from spanagree.agreement.team import AgreementScores
from spanagree.comparisons.tally import Tally
from spanagree.results.score import Interval
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import Moments, intervals_of, no_interval

if TYPE_CHECKING:
    from spanagree.uncertainty.samples import SampleVariance

_MOST = 1 << 22  # pairs of annotations that are compared one by one for the mean


def with_intervals(
    figures: AgreementScores, counts: AgreementCounts, jackknife: Jackknife
) -> AgreementScores:
    """Return the same figures with intervals.

    Those of pairs are computed when somebody asks for them.
    """
    clusters = Clusters.of(counts.per_document, jackknife, counts.settings)
    labels, few = counts.by_label.labels, clusters.n_pairs <= _MOST
    over = _over_annotators(clusters, len(labels), few) if jackknife.over_annotators else {}
    (team,) = _built(clusters.of_team(), jackknife, over.get("team"))
    members = _built(
        clusters.annotator_moments(), jackknife, over.get("annotators"), of_others=True
    )
    gains = gain_intervals(figures, clusters, jackknife)
    of_labels: Sequence[Interval] = ()
    if labels:
        of_labels = _built(clusters.of_labels(len(labels)), jackknife, over.get("labels"))
    mean = _mean_interval(clusters, jackknife, over.get("mean")) if few else _no_mean(clusters)
    return AgreementScores(
        replace(figures.team, tally=_with_interval(figures.team.tally, team)),
        replace(figures.mean, interval=mean),
        figures.pairs.with_intervals(functools.partial(_intervals_of_pairs, counts, jackknife)),
        {
            name: replace(member, tally=_with_interval(member.tally, interval), gain_interval=gain)
            for (name, member), interval, gain in zip(
                figures.annotators.items(), members, gains, strict=True
            )
        },
        {
            label: _with_interval(figures.labels[label], interval)
            for label, interval in zip(labels, of_labels, strict=True)
        },
    )


def _with_interval(tally: Tally, interval: Interval) -> Tally:
    return replace(tally, intervals={"f1": interval})


def _built(
    sums: Moments,
    jackknife: Jackknife,
    over: SampleVariance | None,
    *,
    of_others: bool = False,
) -> list[Interval]:
    """Build the interval of each group, with a second one if annotators are a sample too."""
    intervals = [interval for (interval,) in intervals_of(sums, jackknife)]
    if over is None:
        return intervals
    from spanagree.agreement.other_annotators import with_annotators  # few ask for others

    return with_annotators(intervals, sums, over, jackknife.tail, of_others=of_others)


def _intervals_of_pairs(counts: AgreementCounts, jackknife: Jackknife) -> list[Interval]:
    """Build the interval of each pair, in their order."""
    sharing = counts.sharing
    clusters = Clusters.of(counts.per_document, jackknife, counts.settings)
    return _built(clusters.of_pairs(sharing.first, sharing.second), jackknife, None)


def _mean_interval(
    clusters: Clusters, jackknife: Jackknife, over: SampleVariance | None
) -> Interval:
    """Build the interval of the mean over pairs."""
    return _built(clusters.of_mean(), jackknife, over)[0]


def _no_mean(clusters: Clusters) -> Interval:
    """Build no interval for the mean of many annotations, which are not compared by pair."""
    return no_interval(
        f"{clusters.n_pairs:,} pairs of annotations; an interval of the mean over pairs needs at"
        f" most {_MOST:,}, so compare fewer annotators or documents"
    )


def _over_annotators(clusters: Clusters, n_labels: int, few: bool) -> dict[str, SampleVariance]:
    """Compute variances over annotators: of the team, of annotators, of labels and of the mean.

    Those of labels need each two annotators of each document; of many annotations (not ``few``)
    they are undefined.
    """
    from spanagree.agreement import other_annotators  # few ask for others

    with np.errstate(all="ignore"):
        over = {
            "team": other_annotators.of_team(clusters.sums),
            "annotators": other_annotators.variance_over_annotators(clusters),
            "mean": other_annotators.of_mean(clusters),
        }
        if n_labels and few:
            over["labels"] = other_annotators.of_labels(clusters.rows, n_labels)
    return over
