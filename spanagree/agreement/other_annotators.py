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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.agreement.crowded import CrowdedDocuments
from spanagree.arrays import Floats, Ints, distinct, groups, places_in
from spanagree.comparisons.table import ALL, Comparisons, Marginals
from spanagree.errors import SettingError, counted
from spanagree.results.score import UNDEFINED, Figures, Interval, f1_figures
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.draws import portions

LEAST_ANNOTATORS = (
    4  # annotators: of fewer, the variance of pairs cannot be told from that of annotators
)
FEW_ANNOTATORS = 10  # below which a team tells little of others (scripts/simulate_annotators.py)
_LOWEST = ((0.0,), (0.0,), (-1.0,))  # of observed, expected and corrected figures
_DIGITS = 12  # of an error: sums of floats in another order differ after these


def sums_of(rows: Comparisons) -> Floats:
    """Return matched, expected and size of each row; (rows, 3)."""
    if rows.random_sizes:
        raise SettingError(
            "resample_by annotators or both: sizes are random under this rule of places;"
            " resample documents (unit), or take another rule or measure"
        )
    return np.stack(rows.symmetric_columns, axis=1).astype(np.float64)


def slopes(totals: Floats) -> Floats:
    """Return what sums are multiplied by, to first order, for the change that they make.

    That is a row for each of the three figures; (…, 3) to (…, 3, 3).
    """
    matched, expected, size = np.moveaxis(totals, -1, 0)
    left = size - 2 * expected
    observed, by_chance = 2 * matched / size, 2 * expected / size
    corrected = 2 * (matched - expected) / left
    zero, two = np.zeros(size.shape), np.full(size.shape, 2.0)
    rows = (
        (two / size, zero, -observed / size),
        (zero, two / size, -by_chance / size),
        (two / left, 2 * (corrected - 1) / left, -corrected / left),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def changes(sums: Floats) -> Floats:
    """Return by how much each row of sums changes their three figures, to first order."""
    return sums @ slopes(sums.sum(axis=0)).T


class _Error(NamedTuple):
    """The standard errors of three figures, how many annotators, and the degrees of freedom."""

    errors: Floats
    annotators: int
    freedom: float


class _Part:
    """The changes that pairs of annotators make to a team or a label, document after document.

    Attributes:
        pairs: the two annotators of some pairs each, and their sums; they add.
        alone: what documents add to the variance by themselves.
    """

    def __init__(self, total: Floats) -> None:
        self._slope = slopes(total)
        self.pairs: list[tuple[Ints, Ints, Floats]] = []
        self.alone = np.zeros(3)

    def add(self, rows: Comparisons) -> None:
        """Add some pairs of single documents."""
        sums = sums_of(rows)
        self.pairs.append((rows.first, rows.second, sums))
        self.alone += _alone(rows, sums @ self._slope.T)

    def add_document(self, sums: Floats) -> None:
        """Add what all pairs of a document, (3, annotators, annotators), are beyond their sums.

        These are added to ``pairs``, of all such documents at once.
        """
        change = self._slope @ sums.reshape(3, -1)
        squares = np.einsum("fp,fp->f", change, change)  # each pair stands twice
        of_annotator = change.reshape(sums.shape).sum(axis=2)
        self.alone += (of_annotator**2).sum(axis=1) - squares / 2

    def error(self, *, beyond: bool) -> _Error:
        """Return the errors; ``beyond``: without what documents add by themselves."""
        a, b, sums = (np.concatenate(column) for column in zip(*self.pairs, strict=True))
        (first, second), which, _ = distinct(np.minimum(a, b), np.maximum(a, b))
        of_pair = _sums(which, sums, len(first))
        change = of_pair @ self._slope.T
        return _of_two(first, second, change, of_pair[:, 2], self.alone if beyond else 0.0)


class _Members:
    """The changes that the pairs of each annotator make to her figures against all others.

    The others are the sample then, and each pair is one of them.
    """

    def __init__(self, sums: Comparisons | Marginals, annotators: int) -> None:
        both = sums.both_ways()
        by_annotator, pairs = both.by("first"), both.by("first", "second")
        self._slope = np.full((annotators, 3, 3), UNDEFINED)
        self._slope[by_annotator.first] = slopes(sums_of(by_annotator))
        self._alone = np.zeros((annotators, 3))
        totals = sums_of(pairs)
        of_pair = self._changes(pairs.first, totals)
        self._squares = _sums(pairs.first, of_pair**2, annotators)
        self._weight = [totals[these, 2] for these in groups(pairs.first, annotators)]

    def _changes(self, whose: Ints, sums: Floats) -> Floats:
        return np.einsum("nij,nj->ni", self._slope[whose], sums)

    def add(self, rows: Comparisons) -> None:
        """Add some pairs of single documents."""
        both = rows.both_ways()
        squares = self._changes(both.first, sums_of(both)) ** 2
        self._alone += _sums(both.first, squares, len(self._alone))

    def add_document(self, annotators: Ints, sums: Floats) -> None:
        """Add all pairs of a document; (3, annotators, annotators)."""
        change = self._slope[annotators] @ sums.transpose(1, 0, 2)
        self._alone[annotators] += np.einsum("akb,akb->ak", change, change)

    def errors(self, *, beyond: bool) -> list[_Error]:
        """Return the errors of each annotator."""
        alone = self._alone if beyond else np.zeros_like(self._alone)
        return [_of_others(*sums) for sums in zip(self._weight, self._squares, alone, strict=True)]


def _of_two(
    first: Ints, second: Ints, change: Floats, size: Floats, alone: Floats | float
) -> _Error:
    """Return the errors of a figure of pairs, of whom both are a sample.

    Args:
        first, second: the annotators of each pair.
        change: what each makes.
        size: what each is compared in.
        alone: what is taken off the variances.
    """
    sides = np.concatenate((first, second))
    weight = np.bincount(sides, np.tile(size, 2)).astype(np.float64)
    weight = weight[weight > 0]
    n = len(weight)
    if n < LEAST_ANNOTATORS:
        return _Error(np.full(3, UNDEFINED), n, UNDEFINED)
    equal = _as_many(weight)
    k = max(equal, LEAST_ANNOTATORS)
    of_annotator = _sums(sides, np.tile(change, (2, 1)), int(second.max()) + 1)
    apart = (change**2).sum(axis=0)  # which is in the sums of both
    spread = k * (k - 1) / ((k - 2) * (k - 3)) * ((of_annotator**2).sum(axis=0) - apart)
    variance = np.maximum(np.maximum(spread, apart) - alone, 0)
    return _Error(np.sqrt(variance), n, max(equal - 1, 1))


def _of_others(weight: Floats, squares: Floats, alone: Floats) -> _Error:
    """Return the errors of an annotator's figures, of which the others are a sample.

    Args:
        weight: the size that each of them is compared in with her.
        squares: the sum of squares of the changes that these make.
        alone: what is taken off the variances.
    """
    weight = weight[weight > 0]
    n = len(weight) + 1
    if n < LEAST_ANNOTATORS:
        return _Error(np.full(3, UNDEFINED), n, UNDEFINED)
    equal = _as_many(weight)
    k = max(equal, LEAST_ANNOTATORS - 1)
    return _Error(np.sqrt(np.maximum(k / (k - 1) * squares - alone, 0)), n, max(equal - 1, 1))


def _as_many(weight: Floats) -> float:
    """Return how many who do as much each these are."""
    return float(weight.sum() ** 2 / (weight**2).sum())


@dataclass(frozen=True)
class OtherAnnotators:
    """The errors of each part of an agreement, over other annotators.

    Attributes:
        sums: each two annotators of each document; of crowded documents only sums.
        beyond: whether what single documents add by themselves is taken off.
        crowded: these documents.
    """

    sums: Comparisons | Marginals
    beyond: bool
    crowded: CrowdedDocuments | None = None

    def of_team(self) -> _Error:
        """Return the errors of the team."""
        return self.of_parts(0, 0)[0]

    def of_parts(self, annotators: int, labels: int) -> list[_Error]:
        """Return the errors of the team, of each label and of each annotator."""
        rows = self.sums if isinstance(self.sums, Comparisons) else self.sums.rows
        pairs, by_label = self.sums.by("first", "second"), self.sums.by("label")
        wide = max(annotators, 1 + int(pairs.second.max(initial=-1)))  # the first is before it
        totals = np.zeros((labels, 3))
        if labels:
            totals[by_label.label] = sums_of(by_label)
        parts = {label: _Part(totals[label]) for label in range(labels)}
        for label, part in parts.items():
            part.add(rows.where(rows.label == label).by("first", "second", "document"))
        team, members = _Part(sums_of(self.sums.by())[0]), _Members(self.sums, wide)
        single = rows.by("first", "second", "document")
        for group in (team, members):
            group.add(single)
        self._add_crowded({ALL: team, **parts}, members)
        errors = [part.error(beyond=self.beyond) for part in (team, *parts.values())]
        return errors + members.errors(beyond=self.beyond)[:annotators]

    def _add_crowded(self, parts: Mapping[int, _Part], members: _Members) -> None:
        """Add the pairs of crowded documents to parts, by label, and to annotators."""
        if self.crowded is None:
            return
        crowd, figures = self.crowded.annotators, np.arange(3)
        many = len(crowd)
        i, j = np.triu_indices(many, 1)
        for low, high in portions(len(parts), 3 * many**2):
            some = [*parts.items()][low:high]
            of_pairs = np.zeros((len(some), 3, many, many))
            for document in self.crowded:
                here = document.annotators
                where = slice(None) if len(here) == many else np.ix_(figures, here, here)
                over_labels = np.zeros((3, len(here), len(here)))
                for of_label in document.sums.values():
                    over_labels += of_label
                sums = {**document.sums, ALL: over_labels}
                for of_pair, (label, part) in zip(of_pairs, some, strict=True):
                    if label in sums:
                        of_pair[where] += sums[label]
                        part.add_document(sums[label])
                if not low:
                    members.add_document(crowd[here], over_labels)
            for of_pair, (_, part) in zip(of_pairs, some, strict=True):
                part.pairs.append((crowd[i], crowd[j], of_pair[:, i, j].T))

    def of_mean(self, rows: Comparisons | None) -> _Error:
        """Return the errors of the mean over pairs.

        ``rows``: each two annotators of each document. Without them, the errors over annotators
        beyond what single documents add are not known.
        """
        pairs = self.sums.by("first", "second")
        totals = sums_of(pairs)
        figures = f1_figures(totals)
        number = (~np.isnan(figures)).sum(axis=0)
        mean = np.nan_to_num(figures).sum(axis=0) / number
        of_pair = np.nan_to_num(figures - mean) / number
        alone: Floats | float = UNDEFINED if self.beyond else 0.0
        if self.beyond and rows is not None:
            single = rows.by("first", "second", "document")
            place = places_in((pairs.first, pairs.second), (single.first, single.second))
            left_out = f1_figures(totals[place] - sums_of(single))
            alone = _alone(single, of_pair[place] - np.nan_to_num(left_out - mean) / number)
        return _of_two(pairs.first, pairs.second, of_pair, totals[:, 2], alone)


def _alone(rows: Comparisons, change: Floats) -> Floats:
    """Return what documents add to the variance by themselves, from the change of each row."""
    annotators, documents = np.concatenate((rows.first, rows.second)), np.tile(rows.document, 2)
    (annotator, _), which, _ = distinct(annotators, documents)
    together = _sums(which, np.tile(change, (2, 1)), len(annotator))
    of_documents: Floats = (together**2).sum(axis=0) - (change**2).sum(axis=0)
    return of_documents


def _sums(which: Ints, values: Floats, count: int) -> Floats:
    """Return the sums of the rows of a table by number; (count, columns)."""
    return np.stack([np.bincount(which, column, count) for column in values.T], axis=1)


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


def no_interval(why: str, kind: str, *before: str) -> Interval:
    """Return an interval of which nothing is defined, and why."""
    nothing = (UNDEFINED, UNDEFINED)
    reasons = [*filter(None, before), f"{', '.join(Figures._fields)}: {why}"]
    return Interval(nothing, nothing, nothing, "; ".join(reasons), kind)
