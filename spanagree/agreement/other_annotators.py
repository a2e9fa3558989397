"""How far the figures of a team may lie on other annotators: those who are there are a sample.

A team's figure is a U-statistic: a sum over pairs of annotators. Drawing annotators with
replacement does not do for it: one who is drawn twice is no pair with herself, and where each
document was seen by few, a pair counts as often as the draws of both sides and of the document
multiplied, which takes the noise of single documents several times. So annotators are left out
instead, one and two at a time, to first order: with x the change that each pair of annotators
makes to the figure, and xₐ the sum over the pairs of a,

    n(n − 1) / ((n − 2)(n − 3)) · (Σ xₐ² − Σ x²)

is the variance over other annotators, without bias where all pairs weigh the same (Hoeffding's
decomposition has two unknown variances, of annotators and of pairs, and there are two sums of
squares). It needs four. Where some do far more than others, n counts as many who do as much each.
What a document adds to it by itself is taken off where documents are drawn too, as their own
interval has it already (Cameron, Gelbach & Miller 2011).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, groups
from spanagree.comparisons.table import Comparisons
from spanagree.errors import SettingError, counted
from spanagree.results.score import UNDEFINED, Figures, Interval, f1_figures
from spanagree.uncertainty.bootstrap import Resampling

LEAST_ANNOTATORS = (
    4  # annotators: of fewer, the variance of pairs cannot be told from that of annotators
)
_OF_PAIR = "a pair is these two annotators, and no others; resample by unit, document or both"
_LOWEST = ((0.0,), (0.0,), (-1.0,))  # of observed, expected and corrected figures
_DIGITS = 12  # of an error: sums of floats in another order differ after these


class Entries(NamedTuple):
    """What each pair adds in each document to matched, expected and size; (entries, 3)."""

    pair: Ints
    document: Ints
    sums: Floats

    @classmethod
    def of(cls, rows: Comparisons) -> tuple[Ints, Entries]:
        """Return the two annotators of each pair, (2, pairs), and the entries."""
        if rows.random_sizes:
            raise SettingError(
                "resample_by annotators or both: sizes are random under this rule of places;"
                " resample documents (unit), or take another rule or measure"
            )
        each = rows.by("first", "second", "document")
        sides, pair, _ = distinct(each.first, each.second)
        values = (each.matched, each.expected, each.size_first + each.size_second)
        columns = [value.astype(np.float64) for value in values]
        return np.stack(sides), cls(pair, each.document, np.stack(columns, axis=1))

    def where(self, chosen: Ints | slice) -> tuple[Ints, Entries]:
        """Return some of the entries, with their pairs numbered anew, and which pairs these are."""
        present, place = np.unique(self.pair[chosen], return_inverse=True)
        return present, Entries(place, self.document[chosen], self.sums[chosen])


class _Error(NamedTuple):
    """The standard errors of three figures, how many annotators, and the degrees of freedom."""

    errors: Floats
    annotators: int
    freedom: float


@dataclass(frozen=True)
class OtherAnnotators:
    """The errors of each part of an agreement, over other annotators.

    Attributes:
        rows: each two annotators of each document.
        beyond: whether what single documents add by themselves is taken off.
    """

    rows: Comparisons
    beyond: bool

    def of_parts(self, annotators: int, labels: int) -> Iterator[_Error]:
        """Yield the errors of the team, of each label and of each annotator."""
        sides, whole = Entries.of(self.rows)
        yield self._error(sides, whole)
        for label in range(labels):
            yield self._error(*Entries.of(self.rows.where(self.rows.label == label)))
        who = sides[:, whole.pair].ravel()
        for name, chosen in enumerate(groups(who, annotators)):
            pairs, entries = whole.where(chosen % max(len(whole.pair), 1))
            first, second = sides[:, pairs]
            others: Ints = np.where(first == name, second, first)
            yield self._error(others.reshape(1, -1), entries)

    def of_mean(self) -> _Error:
        """Return the errors of the mean over pairs."""
        sides, entries = Entries.of(self.rows)
        totals = _sums(entries.pair, entries.sums, sides.shape[1])
        figures = f1_figures(totals)
        number = (~np.isnan(figures)).sum(axis=0)
        mean = np.nan_to_num(figures).sum(axis=0) / number
        of_pair = np.nan_to_num(figures - mean) / number
        left_out = f1_figures(totals[entries.pair] - entries.sums)
        of_entry = of_pair[entries.pair] - np.nan_to_num(left_out - mean) / number
        return self._spread(sides, entries, of_pair, of_entry)

    def _error(self, sides: Ints, entries: Entries) -> _Error:
        """Return the errors of a figure that is made of sums."""
        of_entry = changes(entries.sums)
        of_pair = _sums(entries.pair, of_entry, sides.shape[1])
        return self._spread(sides, entries, of_pair, of_entry)

    def _spread(self, sides: Ints, entries: Entries, of_pair: Floats, of_entry: Floats) -> _Error:
        """Return the errors from the change that each pair, and each pair in a document, makes.

        ``sides`` are the annotators who are a sample, of each pair: both, or one where the other
        is who the figure is about; (1 or 2, pairs).
        """
        order = len(sides)
        names, which = np.unique(sides, return_inverse=True)
        who: Ints = which.reshape(order, -1)
        n = len(names)
        if n < LEAST_ANNOTATORS + order - 2:
            return _Error(np.full(3, UNDEFINED), n + 2 - order, UNDEFINED)
        squares = _sums(who.ravel(), np.tile(of_pair, (order, 1)), n) ** 2
        side_of_entry = who[:, entries.pair].ravel()
        seen, which, _ = distinct(side_of_entry, np.tile(entries.document, order))
        together = _sums(which, np.tile(of_entry, (order, 1)), len(seen[0])) ** 2
        weight = np.bincount(side_of_entry, np.tile(entries.sums[:, 2], order), n)
        equal = weight.sum() ** 2 / (weight**2).sum()  # as many who do as much each
        k = max(equal, LEAST_ANNOTATORS + order - 2)
        own, alone = squares.sum(axis=0), together.sum(axis=0)
        if order == 2:  # pairs are in the sums of both
            apart = (of_pair**2).sum(axis=0)
            variance = np.maximum(k * (k - 1) / ((k - 2) * (k - 3)) * (own - apart), apart)
            alone -= (of_entry**2).sum(axis=0)
        else:
            variance = k / (k - 1) * own
        if self.beyond:
            variance = np.maximum(variance - alone, 0)
        return _Error(np.sqrt(variance), n + 2 - order, max(equal - 1, 1))


def _sums(which: Ints, values: Floats, count: int) -> Floats:
    """Return the sums of the rows of a table by number; (count, columns)."""
    return np.stack([np.bincount(which, column, count) for column in values.T], axis=1)


def changes(sums: Floats) -> Floats:
    """Return by how much each row of sums changes their three figures, to first order."""
    matched, expected, size = (sums * (2, 2, 1)).T
    all_matched, all_expected, whole = sums.sum(axis=0) * (2, 2, 1)
    rest, left = size - expected, whole - all_expected
    observed, by_chance = all_matched / whole, all_expected / whole
    corrected = (all_matched - all_expected) / left
    changes = (
        (matched - observed * size) / whole,
        (expected - by_chance * size) / whole,
        (matched - expected - corrected * rest) / left,
    )
    return np.stack(changes, axis=1)


def widened(
    interval: Interval, figures: Sequence[float], error: _Error, resampling: Resampling
) -> Interval:
    """Return the interval of three figures over other annotators, and over documents if asked.

    The ends of two intervals of independent errors join as the root of the sum of squares of their
    distances from the figure (Zou & Donner 2008).

    Args:
        interval: that over documents.
        figures: the figures themselves.
        error: that over annotators.
        resampling: how.
    """
    from scipy.special import stdtrit  # takes a tenth of a second to import

    both = resampling.resample_by == "both"
    reason = interval.reason if both else ""
    if np.isnan(error.freedom):
        few = counted(error.annotators, "annotator")
        why = f"{few}; an interval over annotators needs {LEAST_ANNOTATORS}"
        return no_interval(why, interval.kind, reason)
    values = np.array(figures)[:, None]
    ends = np.array(interval[:3]) if both else np.repeat(values, 2, axis=1)
    times = -float(stdtrit(error.freedom, resampling.tail))
    wide = [[float(f"{times * spread:.{_DIGITS}g}")] for spread in error.errors.tolist()]
    joined = values + np.hypot(ends - values, wide) * (-1, 1)
    kept = np.minimum(np.maximum(joined, np.fmin(ends, _LOWEST)), np.fmax(ends, 1.0))
    observed, expected, corrected = map(tuple, kept.tolist())
    kind = f"{interval.kind}+annotators" if both else "annotators"
    return Interval(observed, expected, corrected, reason, kind)


def over_annotators_of_pair(resampling: Resampling) -> Interval:
    """Return the interval of a pair over annotators: there is none, as they are who they are."""
    return no_interval(_OF_PAIR, resampling.name)


def no_interval(why: str, kind: str, *before: str) -> Interval:
    """Return an interval of which nothing is defined, and why."""
    nothing = (UNDEFINED, UNDEFINED)
    reasons = [*filter(None, before), f"{', '.join(Figures._fields)}: {why}"]
    return Interval(nothing, nothing, nothing, "; ".join(reasons), kind)
