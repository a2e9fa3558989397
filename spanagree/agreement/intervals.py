"""Confidence intervals of an agreement, over kept documents or over blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from spanagree.agreement.count import COLUMNS, CountedPairs, PairRows, tables_of
from spanagree.agreement.mean_over_pairs import interval_of_mean
from spanagree.agreement.other_annotators import OtherAnnotators, widened
from spanagree.agreement.rise import rise_intervals
from spanagree.agreement.team import Member, Pair, Scored, Team
from spanagree.arrays import Floats, Ints, Progress, ranks, step_of
from spanagree.blocks.poisson import percentile_intervals
from spanagree.comparisons.tally import Tally
from spanagree.results.score import Interval, f1_figures
from spanagree.uncertainty.bootstrap import SAMPLED_BY, Resampling, Sample, table_of
from spanagree.uncertainty.together import intervals

Part = TypeVar("Part", Team, Member, Pair)
Ends = tuple[Sequence[Interval], "Interval | None"]
"""The intervals of team, labels (sorted), annotators and pairs, in this order; that of the mean."""


def with_intervals(
    figures: Scored, counts: CountedPairs, resampling: Resampling, progress: Progress = None
) -> Scored:
    """Return the same figures with intervals: each figure's own documents are resampled."""
    if (kept := counts.kept) is not None:
        rows = kept.drawn(resampling, counts.settings)
        ends, mean = _over_documents(figures, rows, resampling, progress)
    else:
        ends, mean = _over_replicates(figures, counts, resampling)
    rises: list[Interval | None] = [None] * len(figures.annotators)
    if kept is not None and resampling.resample_by not in SAMPLED_BY:  # a rise is of these others
        rises = rise_intervals(figures, rows, resampling)
    each = iter(ends)

    def tally(bare: Tally) -> Tally:
        return Tally(bare.matched, bare.expected, bare.size_a, bare.size_b, {"f1": next(each)})

    def part(bare: Part) -> Part:
        return replace(bare, tally=tally(bare.tally))

    team = part(figures.team)
    risen = dict(zip(figures.annotators, rises, strict=True))
    labels = {label: tally(figures.labels[label]) for label in sorted(figures.labels)}
    return Scored(
        team,
        replace(figures.mean, interval=mean),
        annotators={
            name: replace(part(member), rise_interval=risen[name])
            for name, member in figures.annotators.items()
        },
        pairs=figures.pairs.replaced([part(pair) for pair in figures.pairs.values()]),
        labels={label: labels[label] for label in figures.labels},
    )


def _mean_figures(sums: Floats) -> Floats:
    """Return the means over pairs of their figures; (some, 3·pairs) to (some, 3)."""
    f1 = f1_figures(sums.reshape(len(sums), -1, 3))
    defined = ~np.isnan(f1)
    means: Floats = np.where(defined, f1, 0).sum(axis=1) / defined.sum(axis=1)
    return means


# --- over blocks --------------------------------------------------------------------------------


def _over_replicates(figures: Scored, counts: CountedPairs, resampling: Resampling) -> Ends:
    """Return intervals from resamples that blocks drew, all figures on the same documents."""
    drawn, evidence = counts.draws(), counts.evidence
    seen = figures.team.documents
    keys = [tuple(sorted(names)) for names in figures.pairs]
    own: dict[str, list[tuple[str, ...]]] = {name: [] for name in figures.annotators}
    for key in keys:
        for name in key:
            own[name].append(key)
    pairs = list(figures.pairs.values())

    def sums(whose: Sequence[tuple[str, ...]]) -> Floats:
        return np.stack([drawn.over([(*key, column) for key in whose]) for column in COLUMNS], 1)

    parts: list[tuple[tuple[str, ...], Tally, Sequence[tuple[str, ...]], int]] = [
        ((), figures.team.tally, keys, seen),
        *(((label,), figures.labels[label], [(label,)], seen) for label in sorted(figures.labels)),
        *(
            ((name, name), m.tally, own[name], m.documents)
            for name, m in figures.annotators.items()
        ),
        *((key, p.tally, [key], p.documents) for p, key in zip(pairs, keys, strict=True)),
    ]

    ends = [
        percentile_intervals(
            _columns(tally), sums(whose), f1_figures, documents, evidence[part], resampling
        )[0]
        for part, tally, whose, documents in parts
    ]
    if not keys:
        return ends, None
    order = sorted(range(len(keys)), key=keys.__getitem__)  # canonical order
    total = np.concatenate([_columns(pairs[i].tally) for i in order])
    each = np.concatenate([sums([keys[i]]) for i in order], axis=1)
    mean = percentile_intervals(total, each, _mean_figures, seen, evidence[()], resampling)[0]
    return ends, mean


def _columns(tally: Tally) -> Floats:
    return np.array([tally.matched, tally.expected, tally.size_a + tally.size_b], np.float64)


# --- over kept documents ------------------------------------------------------------------------


def _over_documents(
    figures: Scored, rows: PairRows, resampling: Resampling, progress: Progress
) -> Ends:
    """Return intervals from resamples of single documents, and over annotators if asked."""
    parts = [*tables_of(rows, len(figures.annotators), len(figures.labels))]
    place = _place_by_name(figures)
    first, last = len(parts) - len(figures.annotators) - len(place), len(parts) - len(place)
    members = np.argsort(ranks([*figures.annotators]))
    by_name = np.concatenate((np.arange(first), first + members, last + np.argsort(place)))
    made = intervals([parts[i] for i in by_name.tolist()], f1_figures, resampling, progress)
    ends = [made[i][0] for i in np.argsort(by_name).tolist()]
    step_of(progress, "interval of the mean")
    mean = _mean_interval(rows, place, parts[0][0], resampling)
    if resampling.resample_by in SAMPLED_BY:
        *ends, mean = _over_annotators(figures, rows, resampling, [*ends, mean])
    return ends, mean


def _place_by_name(figures: Scored) -> Ints:
    """Return the place of each pair among all, by the names of the two: in canonical order."""
    rank = ranks([*figures.annotators])
    both = np.sort(rank[figures.pairs.members], axis=1)
    return np.argsort(np.argsort(both[:, 0] * len(rank) + both[:, 1]))


def _mean_interval(rows: PairRows, place: Ints, seen: Ints, resampling: Resampling) -> Interval:
    """Return the interval of the mean over pairs: all pairs on the same resampled documents."""
    tallies, pair = rows.tallies, rows.pair[rows.tallies.document]
    unit = np.searchsorted(seen, rows.document[tallies.document])
    column = 3 * place[pair]
    values = (tallies.matched, tallies.expected, tallies.size_a + tallies.size_b)
    entries = [(unit, column + k, value) for k, value in enumerate(values)]
    sample = Sample(table_of(entries, (len(seen), 3 * max(len(place), 1))))
    return interval_of_mean(sample, resampling)


# --- over annotators ----------------------------------------------------------------------------


def _over_annotators(
    figures: Scored, rows: PairRows, resampling: Resampling, over: Sequence[Interval]
) -> list[Interval]:
    """Return intervals over other annotators too, or only; ``over`` are those over documents."""
    others = OtherAnnotators(rows, resampling.resample_by == "both")
    scores = [
        figures.team.f1,
        *(figures.labels[label].f1 for label in sorted(figures.labels)),
        *(part.f1 for part in (*figures.annotators.values(), *figures.pairs.values())),
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = [*others.of_parts(len(figures.annotators), len(figures.labels)), others.of_mean()]
    mean = (figures.mean.observed, figures.mean.expected, figures.mean.corrected)
    every = zip(over, [*(score[:3] for score in scores), mean], errors, strict=True)
    return [widened(interval, values, error, resampling) for interval, values, error in every]
