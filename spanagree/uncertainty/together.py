"""Intervals of many things at once, as of all pairs of annotators.

What is drawn depends on the number of units alone. So things that have as many share their draws,
and their resamples are one product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from spanagree.arrays import Floats, Hashes, Ints, Progress
from spanagree.results.score import UNDEFINED, Figures, Interval
from spanagree.uncertainty.bootstrap import (
    FEW,
    Resampling,
    Sample,
    Statistic,
    bootstrap,
    canonical_order,
)
from spanagree.uncertainty.draws import portions, replicates_of

_TOGETHER = 100  # things whose sums are one table

Thing = tuple[Ints, Floats]
"""The numbers of units, and what each adds; (units, columns)."""


def intervals(
    things: Sequence[Thing],
    statistic: Statistic,
    resampling: Resampling,
    progress: Progress = None,
    ids: Hashes | None = None,
) -> list[list[Interval]]:
    """Return intervals for figures that come in threes: observed, expected, corrected.

    What is made of a thing does not depend on the others.

    Args:
        things: for each that has figures, its units and what each adds; (units, columns).
        statistic: from the sums of one thing to its figures, a multiple of three.
        resampling: how.
        progress: called with the number of resamples done, of each thing, and of all.
        ids: of all units by number, what says how often each is drawn; what it adds unless given.
    """
    if not things:
        return []
    columns = things[0][1].shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        per = statistic(np.zeros((1, columns))).shape[1] // 3
    none = [[_none(units, resampling)] * per for units in (0, 1)]
    interval_lists = [none[min(len(units), 1)] for units, _ in things]
    done = sum(len(units) < 2 for units, _ in things)

    def figures_of_all(sums: Floats) -> Floats:
        return statistic(sums.reshape(-1, columns)).reshape(len(sums), -1)

    for members in _alike(things, resampling.resamples):
        ranked = []
        for i in members:
            units, table = things[i]
            ranked.append(table[canonical_order(table, None if ids is None else ids[units])])
        sample = Sample(np.concatenate(ranked, axis=1), ranked=True)
        part = part_of(progress, done, len(members), len(things))
        drawn = bootstrap(sample, figures_of_all, resampling, ways=True, progress=part)
        ends = drawn.intervals(resampling, sample.evidence(figures_of_all))
        for place, i in enumerate(members):
            interval_lists[i] = ends[place * per : (place + 1) * per]
        done += len(members)
        if progress is not None:
            progress(done * resampling.resamples, len(things) * resampling.resamples)
    return interval_lists


def part_of(progress: Progress, before: int, members: int, things: int) -> Progress:
    """Return what reports the steps of some things, after those of others, among those of all."""
    if progress is None:
        return None
    return lambda done, total: progress(before * total + members * done, things * total)


def _none(units: int, resampling: Resampling) -> Interval:
    """Return the interval of three figures that rest on fewer than two units."""
    ends = (UNDEFINED, UNDEFINED)
    reason = f"{', '.join(Figures._fields)}: {FEW.format(units)}"
    return Interval(ends, ends, ends, reason, resampling.interval)


def _alike(things: Sequence[Thing], resamples: int) -> Iterator[list[int]]:
    """Yield numbers of things with as many units, so many as have room together."""
    same: dict[int, list[int]] = {}
    for i, (units, _) in enumerate(things):
        if len(units) > 1:
            same.setdefault(len(units), []).append(i)
    for many, members in sorted(same.items()):
        wide = things[members[0]][1].shape[1] * max(many, replicates_of(many, resamples))
        for low, high in portions(len(members), wide):
            for at in range(low, high, _TOGETHER):
                yield members[at : min(at + _TOGETHER, high)]
