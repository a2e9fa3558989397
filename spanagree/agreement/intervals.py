"""Confidence intervals of an agreement, over documents and annotators."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spanagree.agreement.count import CountedPairs, Drawn
from spanagree.agreement.gain import gain_intervals
from spanagree.agreement.mean_over_pairs import interval_of_mean
from spanagree.agreement.other_annotators import (
    OtherAnnotators,
    no_interval,
    widened,
)
from spanagree.agreement.team import Scored
from spanagree.arrays import Ints, Progress, distinct, ranks, step_of
from spanagree.comparisons.tally import Tally
from spanagree.results.score import Interval, f1_figures
from spanagree.uncertainty.bootstrap import SAMPLED_BY, Resampling, Sample, table_of
from spanagree.uncertainty.together import intervals

_MOST = 1 << 22  # pairs of annotations that are compared one by one for the mean

_OF_PAIR = "a pair is these two annotators, and no others; resample by unit, document or both"

Ends = tuple[Sequence[Interval], "Interval | None"]
"""The intervals of team, labels (sorted) and annotators, in this order; that of the mean."""


def with_intervals(
    figures: Scored, counts: CountedPairs, resampling: Resampling, progress: Progress = None
) -> Scored:
    """Return the same figures with intervals: each figure's own documents are resampled.

    Those of pairs are made when somebody asks for them.
    """
    drawn = counts.per_document.drawn(resampling, counts.settings)
    ends, mean = _over_documents(figures, drawn, resampling, progress)
    gains: list[Interval | None] = [None] * len(figures.annotators)
    if resampling.resample_by != "annotators":  # a gain is of these others
        gains = gain_intervals(figures, drawn, resampling)
    of_team, *rest = ends
    of_labels = dict(zip(sorted(figures.labels), rest, strict=False))
    of_members = zip(figures.annotators.items(), rest[len(of_labels) :], gains, strict=True)
    return Scored(
        replace(figures.team, tally=_with_interval(figures.team.tally, of_team)),
        replace(figures.mean, interval=mean),
        figures.pairs.with_intervals(functools.partial(_intervals_of_pairs, counts, resampling)),
        {
            name: replace(member, tally=_with_interval(member.tally, interval), gain_interval=gain)
            for (name, member), interval, gain in of_members
        },
        {label: _with_interval(x, of_labels[label]) for label, x in figures.labels.items()},
    )


def _with_interval(tally: Tally, interval: Interval) -> Tally:
    return replace(tally, intervals={"f1": interval})


def _intervals_of_pairs(counts: CountedPairs, resampling: Resampling) -> list[Interval]:
    """Return the interval of each pair, in their order."""
    sharing, per_document = counts.sharing, counts.per_document
    if resampling.resample_by == "annotators":
        return [no_interval(_OF_PAIR, resampling.interval)] * len(sharing.first)
    drawn = per_document.drawn(resampling, counts.settings)
    tables = [*drawn.pair_tables(sharing.first, sharing.second)]
    return [ends for (ends,) in intervals(tables, f1_figures, resampling, ids=drawn.ids)]


def _over_documents(
    figures: Scored, drawn: Drawn, resampling: Resampling, progress: Progress
) -> Ends:
    """Return intervals from resamples of single documents, and over annotators if asked."""
    parts = [*drawn.tables(len(figures.labels))]
    made = intervals(parts, f1_figures, resampling, progress, drawn.ids)
    ends = [interval for (interval,) in made]
    step_of(progress, "interval of the mean")
    mean = _mean_interval(figures, drawn, parts[0][0], resampling)
    if resampling.resample_by in SAMPLED_BY:
        *ends, mean = _over_annotators(figures, drawn, resampling, [*ends, mean])
    return ends, mean


def _mean_interval(figures: Scored, drawn: Drawn, seen: Ints, resampling: Resampling) -> Interval:
    """Return the interval of the mean over pairs: all pairs on the same resampled documents.

    There is none over a great many annotations, which are not compared pair by pair.
    """
    pairs = drawn.pairs
    if pairs > _MOST:
        return no_interval(
            f"{pairs:,} pairs of annotations; an interval of the mean over pairs needs at most"
            f" {_MOST:,}, so compare fewer annotators or documents",
            resampling.interval,
        )
    rows, rank = drawn.rows, ranks([*figures.annotators])
    both = np.sort(rank[np.stack((rows.first, rows.second))], axis=0)  # by name: canonical order
    _, pair, times = distinct(*both)
    values = rows.symmetric_columns
    wide = len(values)
    unit, column = np.searchsorted(seen, rows.document), wide * pair
    entries = [(unit, column + k, value) for k, value in enumerate(values)]
    table = table_of(entries, (len(seen), wide * max(len(times), 1)))
    sample = Sample(table, None if drawn.ids is None else drawn.ids[seen])
    return interval_of_mean(sample, resampling, wide)


# --- over annotators ----------------------------------------------------------------------------


def _over_annotators(
    figures: Scored, drawn: Drawn, resampling: Resampling, over: Sequence[Interval]
) -> list[Interval]:
    """Return intervals over other annotators too, or only; ``over`` are those over documents."""
    others = OtherAnnotators(drawn.sums, resampling.resample_by == "both", drawn.crowded)
    rows = drawn.rows if drawn.pairs <= _MOST else None
    scores = [
        figures.team.f1,
        *(figures.labels[label].f1 for label in sorted(figures.labels)),
        *(member.f1 for member in figures.annotators.values()),
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = [
            *others.of_parts(len(figures.annotators), len(figures.labels)),
            others.of_mean(rows),
        ]
    mean = (figures.mean.observed, figures.mean.expected, figures.mean.corrected)
    every = zip(over, [*(score[:3] for score in scores), mean], errors, strict=True)
    return [widened(interval, values, error, resampling) for interval, values, error in every]
