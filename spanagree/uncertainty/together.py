"""Intervals of many things at once, as of all pairs of annotators.

What is drawn depends on the number of units, and on which of them are alike. So things for which
both are the same share their resamples, and what is drawn of them is one product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, Progress, distinct_rows, groups
from spanagree.results.score import UNDEFINED, Figures, Interval
from spanagree.uncertainty.bootstrap import FEW, Resampling, Sample, Statistic, bootstrap
from spanagree.uncertainty.draws import portions, replicates_of

_TOGETHER = 100  # things of the same documents, whose sums are one table

Thing = tuple[Ints, Floats]
"""The numbers of documents, and what each adds; (documents, columns)."""


def intervals(
    things: Sequence[Thing],
    statistic: Statistic,
    resampling: Resampling,
    progress: Progress = None,
) -> list[list[Interval]]:
    """Return intervals for figures that come in threes: observed, expected, corrected.

    Args:
        things: for each that has figures, its documents and what each adds; (documents,
            columns), in canonical order. Those with the same documents are resampled together.
        statistic: from the sums of one thing to its figures, a multiple of three.
        resampling: how.
        progress: called with the number of things done, and of all.
    """
    if not things:
        return []
    columns = things[0][1].shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        per = statistic(np.zeros((1, columns))).shape[1] // 3
    none = [[_none(units, resampling)] * per for units in (0, 1)]
    made = [none[min(len(documents), 1)] for documents, _ in things]
    done = sum(len(documents) < 2 for documents, _ in things)

    def each(sums: Floats) -> Floats:
        return statistic(sums.reshape(-1, columns)).reshape(len(sums), -1)

    for tables in _alike(things):
        for sample, members in _samples(things, tables, resampling.resamples):
            drawn = bootstrap(sample, each, resampling, ways=True)
            ends = drawn.intervals(resampling, sample.evidence(each))
            for place, i in enumerate(members):
                made[i] = ends[place * per : (place + 1) * per]
            done += len(members)
            if progress is not None:
                progress(done, len(things))
    return made


def _none(units: int, resampling: Resampling) -> Interval:
    """Return the interval of three figures that rest on fewer than two units."""
    ends = (UNDEFINED, UNDEFINED)
    reason = f"{', '.join(Figures._fields)}: {FEW.format(units)}"
    return Interval(ends, ends, ends, reason, resampling.name)


def _alike(things: Sequence[Thing]) -> Iterator[list[list[int]]]:
    """Yield numbers of things by tables: some of the same documents are one table, side by side.

    The tables that are yielded at a time have one shape, and have room together.
    """
    same: dict[bytes, list[int]] = {}
    for i, (documents, _) in enumerate(things):
        if len(documents) > 1:
            same.setdefault(documents.tobytes(), []).append(i)
    shapes: dict[tuple[int, int], list[list[int]]] = {}
    for members in same.values():
        for low in range(0, len(members), _TOGETHER):
            table = members[low : low + _TOGETHER]
            shapes.setdefault((len(things[table[0]][0]), len(table)), []).append(table)
    for (units, _), tables in sorted(shapes.items()):  # the draws of as many units are the same
        cells = units * sum(things[i][1].shape[1] for i in tables[0])
        for low, high in portions(len(tables), cells):
            yield tables[low:high]


def _samples(
    things: Sequence[Thing], tables: Sequence[Sequence[int]], resamples: int
) -> Iterator[tuple[Sample, list[int]]]:
    """Yield samples and which things their columns are of: tables that are drawn alike are one."""
    wide = [np.concatenate([things[i][1] for i in table], axis=1) for table in tables]
    if len(wide) == 1:
        yield Sample(wide[0]), [*tables[0]]
        return
    units, columns = wide[0].shape
    number = np.repeat(np.arange(len(wide), dtype=np.float64), units)
    rows, _, times = distinct_rows(np.column_stack((number, np.concatenate(wide))))
    table = rows[:, 0].astype(np.int64)
    order = np.argsort(table, kind="stable")
    rows, times, table = rows[order, 1:], times[order], table[order]
    first = np.searchsorted(table, np.arange(len(wide)))
    often = np.zeros((len(wide), units), np.int64)
    often[table, np.arange(len(table)) - first[table]] = times
    kinds, which, _ = distinct_rows(often)
    for kind, members in zip(kinds, groups(which, len(kinds)), strict=True):
        here = kind[kind > 0]
        for low, high in portions(len(members), columns * replicates_of(here, resamples)):
            some = members[low:high]
            both = rows[first[some] + np.arange(len(here))[:, None]]
            yield Sample(both.reshape(len(here), -1), here), [i for t in some for i in tables[t]]
