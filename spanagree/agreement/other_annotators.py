"""Variances over other annotators: those who are there are a sample, and each is left out once.

Leaving out an annotator leaves out all pairs with them, so a team's figure is a U-statistic of
annotators. With R₍ₐ₎ lacking annotator a of k,

    Vₐ = (k − 1)/k · Σ (R₍ₐ₎ − R)²

(Arvesen 1969) has k − 1 degrees of freedom. It is added to the variance V over documents; the
degrees of freedom of the sum are Satterthwaite's, V² / (V_d²/df_d + Vₐ²/(k − 1)). The part that
both have is not taken off again (Cameron, Gelbach & Miller 2011), which errs on the wide side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.agreement.clusters import Clusters, mean_figures
from spanagree.agreement.count import columns_of
from spanagree.arrays import Floats, Ints
from spanagree.comparisons.table import Comparisons, Marginals
from spanagree.errors import counted
from spanagree.results.score import Interval, f1_figures
from spanagree.uncertainty.confidence import LEAST_ANNOTATORS
from spanagree.uncertainty.jackknife import Moments, group_sums, no_interval, t_ends, with_defined

_WITHOUT = "undefined without one of the annotators"


class AnnotatorVariance(NamedTuple):
    """The variance of figures over annotators.

    Attributes:
        variance: of each group and figure; (groups, 3).
        n_annotators: number of annotators that are left out once, of each group.
    """

    variance: Floats
    n_annotators: Ints

    @classmethod
    def of(cls, value: Floats, left_out: Floats, group: Ints | None = None) -> AnnotatorVariance:
        """Compute it from figures without an annotator each.

        Args:
            value: figures of each group; (groups, 3).
            left_out: figures of a group without one of its annotators; (entries, 3).
            group: number of the group of each entry; ``None`` of one group.
        """
        place = np.zeros(len(left_out), np.int64) if group is None else group
        n_annotators = np.bincount(place, minlength=len(value))
        squares = group_sums((left_out - value[place]) ** 2, group, len(value))
        share = (n_annotators - 1) / np.maximum(n_annotators, 1)
        return cls(share[:, None] * squares, n_annotators)


def of_team(sums: Comparisons | Marginals) -> AnnotatorVariance:
    """Compute the variance of the team's F1 from what pairs add in documents."""
    both = sums.both_ways().by("first")
    return _less_each(columns_of(sums.by()), both, None)


def of_labels(rows: Comparisons, n_labels: int) -> AnnotatorVariance:
    """Compute the variance of the team's F1 for each label, from rows of two annotators each."""
    by_label = rows.by("label")
    total = np.zeros((n_labels, columns_of(by_label).shape[1]))
    total[by_label.label] = columns_of(by_label)
    both = rows.both_ways().by("label", "first")
    return _less_each(total, both, both.label)


def of_annotators(clusters: Clusters) -> AnnotatorVariance:
    """Compute the variance of each annotator's F1 against the others, who are the sample."""
    both = clusters.sums.both_ways()
    by_annotator, pairs = both.by("first"), both.by("first", "second")
    columns = columns_of(by_annotator)
    total = np.zeros((len(clusters.coverage.annotated), columns.shape[1]))
    total[by_annotator.first] = columns
    return _less_each(total, pairs, pairs.first)


def of_mean(clusters: Clusters) -> AnnotatorVariance:
    """Compute the variance of the mean of F1 over pairs."""
    pairs = clusters.sums.by("first", "second")
    sums = with_defined(f1_figures(columns_of(pairs)))
    total = sums.sum(axis=0)[None]
    sides = np.concatenate((pairs.first, pairs.second))
    annotators, side = np.unique(sides, return_inverse=True)
    of_annotator = group_sums(np.tile(sums, (2, 1)), side, len(annotators))
    return AnnotatorVariance.of(mean_figures(total), mean_figures(total - of_annotator))


def _less_each(total: Floats, parts: Comparisons, group: Ints | None) -> AnnotatorVariance:
    """Leave out the rows of an annotator each from the sums of their group."""
    of_group = total[np.zeros(len(parts), np.int64) if group is None else group]
    return AnnotatorVariance.of(f1_figures(total), f1_figures(of_group - columns_of(parts)), group)


def with_annotators(
    intervals: list[Interval], sums: Moments, over: AnnotatorVariance, tail: float,
    *, of_others: bool = False,
) -> list[Interval]:  # fmt: skip
    """Return intervals over documents, each with a second one over annotators too.

    Args:
        intervals: over documents.
        sums: figures and their changes without a document.
        over: their variances over annotators.
        tail: probability beyond each end.
        of_others: whether the sample is the others of an annotator, who counts too.
    """
    k = over.n_annotators[:, None]
    with np.errstate(all="ignore"):
        variance = sums.variance + over.variance
        parts = sums.variance**2 / sums.freedom + over.variance**2 / np.maximum(k - 1, 1)
        ends = t_ends(sums.value, variance, variance**2 / parts, tail, True)
    return [
        interval._replace(over_annotators=_second(interval, both, int(n) + of_others))
        for interval, both, n in zip(intervals, ends, over.n_annotators, strict=True)
    ]


def _second(interval: Interval, ends: Floats, n_annotators: int) -> Interval:
    """Build the second interval of three figures, which contains the first."""
    if n_annotators < LEAST_ANNOTATORS:
        noun = counted(n_annotators, "annotator")
        return no_interval(f"{noun}; an interval over annotators needs {LEAST_ANNOTATORS}")
    over_documents = np.array(interval[:3])
    known = ~np.isnan(over_documents[:, 0])
    if not known.any():
        return no_interval(interval.reason.partition(": ")[2] or _WITHOUT)
    low = np.where(known, np.minimum(ends[:, 0], over_documents[:, 0]), np.nan).tolist()
    high = np.where(known, np.maximum(ends[:, 1], over_documents[:, 1]), np.nan).tolist()
    if np.isnan(low[2]) and known[2]:
        return no_interval(_WITHOUT)
    observed, expected, corrected = zip(low, high, strict=True)
    return Interval(observed, expected, corrected, kind=interval.kind)
