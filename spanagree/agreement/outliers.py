"""Outliers: annotators who agree significantly less with the others than these among themselves.

On each document every annotator has a score: the mean over the others of
2·(matched − expected) − C·(sizes − 2·expected), which is 0 if the corrected F1 is C. C is the
corrected F1 of the annotators of the documents that the tested annotator saw. If the tested
annotator were no worse than the others, their score on a document could be the score of any
annotator of the document. So p is the share of all ways to draw one score on each document whose
sum is at most the observed sum.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.arrays import (
    Floats,
    Ints,
    encode_by_first_use,
    expand_ranges,
    unique_rows,
    yield_batches,
)
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.settings import Settings
from spanagree.uncertainty.permutation import holm

OUTLIER_LEVEL = 0.05
"""p with Holm's correction below which an annotator is an outlier."""

_MAX_WAYS = 1 << 14  # largest number of ways to draw annotators of half the documents
_BATCH = 1 << 20  # annotations that are processed together
_MAX_STEPS = 100  # of a search, which ends earlier if nothing changes any more
_TIE = 1e-9  # scores closer than this, relative to their size, are equal
_NEAR_MEAN = 0.01  # standard deviations from the mean, where the approximation divides by 0
_MAX_PAIRS = 1 << 22  # pairs of annotations that are compared segment by segment
UNKNOWN_OUTLIERS = (
    "outliers are not known: their p needs segments, which files of rows do not hold, and at most"
    f" {_MAX_PAIRS:,} pairs of annotations; a part of the annotators, or of the documents, has it"
)


class AnnotationAgreement(NamedTuple):
    """Agreement of each annotation with the others of its document.

    Attributes:
        document, annotator: index of the document and of the annotator of each annotation, sorted.
        numerator: 2·(matched − expected), the mean over the others of the document.
        denominator: sizes − 2·expected, the mean over the same; the corrected F1 is the quotient.
    """

    document: Ints
    annotator: Ints
    numerator: Floats
    denominator: Floats

    @classmethod
    def from_pairs(cls, per_document: PairsByDocument) -> AnnotationAgreement:
        """Compute the agreement of each annotation in documents of two annotators or more."""
        crowd, n_saw = (
            AnnotationIndex.from_corpus(per_document.corpus),
            per_document.coverage.count_annotators(),
        )
        is_shared = n_saw[crowd.document] > 1
        document, annotator = crowd.document[is_shared], crowd.annotator[is_shared]
        table = crowd.sum_by_annotation(per_document.sums.both_ways().by("document", "first"))[
            is_shared
        ]
        matched, expected, size, *_ = table.T
        expected = np.nan_to_num(expected)  # without chance the raw agreement counts
        n_others = n_saw[document] - 1
        numerator, denominator = 2 * (matched - expected), size - 2 * expected
        return cls(document, annotator, numerator / n_others, denominator / n_others)

    def sum_by_parent(self, parent_ids: Ints) -> AnnotationAgreement:
        """Sum over documents with the same parent and the same annotators.

        ``parent_ids`` has the index of the parent of each document, such as that of a sentence.
        """
        documents, first_row, document_index = np.unique(
            self.document, return_index=True, return_inverse=True
        )
        borders = pairwise([*first_row.tolist(), len(self.document)])
        team, _ = encode_by_first_use(
            self.annotator[low:high].tobytes().hex() for low, high in borders
        )
        _, parent_index, _ = unique_rows(parent_ids[documents], team)
        (document, annotator), inverse, _ = unique_rows(
            parent_index[document_index], self.annotator
        )
        return AnnotationAgreement(
            document,
            annotator,
            *(np.bincount(inverse, column).astype(float) for column in self[2:]),
        )


def compute_outlier_p(agreement: AnnotationAgreement, n_annotators: int) -> Floats:
    """Compute p of the null hypothesis that an annotator is no worse than the others.

    Args:
        agreement: agreement of each annotation.
        n_annotators: number of annotators.

    Returns:
        p of each annotator; ``nan`` if there is only one way to draw scores.
    """
    document, annotator = agreement.document, agreement.annotator
    _, first_row, document_index, size = np.unique(
        document, return_index=True, return_inverse=True, return_counts=True
    )
    means = [
        (np.bincount(document_index, column) / size)[document_index]
        for column in (agreement.numerator, agreement.denominator)
    ]
    # minus the mean of its document, so that the scores of a document add up to 0
    numerator, denominator = agreement.numerator - means[0], agreement.denominator - means[1]
    numerator_sum, denominator_sum = (np.bincount(annotator, mean, n_annotators) for mean in means)
    corrected_f1 = np.divide(
        numerator_sum, denominator_sum, out=np.zeros(n_annotators), where=denominator_sum > _TIE
    )  # C of each annotator
    p = np.full(n_annotators, np.nan)
    by_annotator = np.argsort(annotator, kind="stable")
    begin = np.searchsorted(annotator[by_annotator], np.arange(n_annotators + 1))
    n_scores_before = np.concatenate([[0], np.cumsum(size[document_index[by_annotator]])])[begin]
    for low, high in yield_batches(np.diff(n_scores_before), _BATCH):
        rows = by_annotator[begin[low] : begin[high]]
        # all annotations of the document of each row; one of them is drawn
        drawn_row, draw = expand_ranges(
            first_row[document_index[rows]],
            first_row[document_index[rows]] + size[document_index[rows]],
        )
        c = corrected_f1[annotator[rows]]
        scores = numerator[drawn_row] - c[draw] * denominator[drawn_row]
        observed_scores = np.bincount(
            annotator[rows] - low, numerator[rows] - c * denominator[rows], high - low
        )
        p[low:high] = _Draws.from_scores(scores, draw, annotator[rows] - low).compute_tails(
            observed_scores.astype(np.float64)
        )
    return p


class _Draws(NamedTuple):
    """The random draws of the null hypothesis: one score of each document that an annotator saw.

    The sum of an annotator's draws is compared with their observed sum, the target.

    Attributes:
        score: score of each annotator of the document of a draw; scores of a draw add up to 0.
        first: index of the first score of each draw.
        size: number of scores of each draw.
        annotator: index of the annotator whose score the draw is a summand of.
    """

    score: Floats
    first: Ints
    size: Ints
    annotator: Ints

    @classmethod
    def from_scores(cls, score: Floats, draw: Ints, annotator: Ints) -> _Draws:
        """Build the draws, without documents in which all scores are equal.

        Args:
            score: scores of the annotators of all drawn documents.
            draw: index of the draw of each score, ascending.
            annotator: index of the tested annotator of each draw.
        """
        size = np.bincount(draw, minlength=len(annotator))
        max_abs_score = (
            np.maximum.reduceat(np.abs(score), np.cumsum(size) - size) if len(size) else size
        )
        largest_score = np.zeros(annotator.max(initial=-1) + 1)
        np.maximum.at(largest_score, annotator, max_abs_score)
        varies = max_abs_score > _TIE * np.maximum(largest_score[annotator], 1)
        size = size[varies]
        return cls(score[varies[draw]], np.cumsum(size) - size, size, annotator[varies])

    def compute_tails(self, target: Floats) -> Floats:
        """Compute, for each annotator, the probability that the sum of draws is at most the target.

        It is exact if few ways to draw exist, else approximate, and ``nan`` without any variation.
        """
        log2_ways = np.bincount(self.annotator, np.log2(self.size), len(target))
        p = self._approximate_tails(target)
        p[log2_ways == 0] = np.nan
        for a in np.flatnonzero((log2_ways > 0) & (log2_ways <= 2 * np.log2(_MAX_WAYS))).tolist():
            first_sums, second_sums = self._list_sums(a)
            if max(len(first_sums), len(second_sums)) <= _MAX_WAYS:
                limit = target[a] + _TIE - second_sums
                n_below = np.searchsorted(np.sort(first_sums), limit, side="right").sum()
                p[a] = n_below / (len(first_sums) * len(second_sums))
        return p

    def _list_sums(self, annotator: int) -> tuple[Floats, Floats]:
        """List the sums of all ways to draw in two halves of an annotator's documents.

        Each sum of one half with each of the other is a sum of all documents. A half with more than
        the largest number of ways is cut short.
        """
        rows = np.flatnonzero(self.annotator == annotator)
        halves = [np.zeros(1), np.zeros(1)]
        for d in rows[np.argsort(-self.size[rows], kind="stable")].tolist():
            half = int(len(halves[1]) < len(halves[0]))
            if len(halves[half]) <= _MAX_WAYS:
                draw_scores = self.score[self.first[d] : self.first[d] + self.size[d]]
                halves[half] = np.add.outer(halves[half], draw_scores).ravel()
        return halves[0], halves[1]

    def _compute_tilted(self, slope: Floats) -> tuple[Floats, Floats, Floats]:
        """Compute log E exp(slope · sum of draws) of each annotator, and its two derivatives.

        The derivatives with regard to the slope are the mean and the variance of the tilted sum, in
        which a score has a weight proportional to exp(slope · score).
        """
        exponent = np.repeat(slope[self.annotator], self.size) * self.score
        max_exponent = np.maximum.reduceat(exponent, self.first)
        weight = np.exp(exponent - np.repeat(max_exponent, self.size))
        total, linear, squared = (
            np.add.reduceat(weight * factor, self.first)
            for factor in (1, self.score, self.score**2)
        )
        mean = linear / total
        derivatives = max_exponent + np.log(total / self.size), mean, squared / total - mean**2
        log, first, second = (
            np.bincount(self.annotator, derivative, len(slope)) for derivative in derivatives
        )
        return log.astype(float), first.astype(float), second.astype(float)

    def _approximate_tails(self, target: Floats) -> Floats:
        """Approximate the probability that a sum of draws is at most the target, by annotator.

        The saddlepoint formula of Lugannani and Rice (1980) is Φ(w) + φ(w)·(1/w − 1/u), with
        w = −√(2·(slope·target − log)), u = slope·√second, and ``log`` and ``second`` of
        :meth:`_compute_tilted` at the slope at which the tilted mean is the target. Near the mean,
        the normal approximation is used.
        """
        from scipy.special import ndtr  # slow to import

        if not len(self.size):
            return np.full(len(target), np.nan)
        sign = np.where(target > 0, -1.0, 1.0)  # of the tail that contains the target
        draws = self._replace(score=self.score * np.repeat(sign[self.annotator], self.size))
        target = sign * target
        min_score = np.minimum.reduceat(draws.score, self.first)
        n_lowest = np.add.reduceat(
            (draws.score <= np.repeat(min_score, self.size) + _TIE).astype(np.float64), self.first
        )
        floor = np.exp(np.bincount(self.annotator, np.log(n_lowest / self.size), len(target)))
        is_above_minimum = target > np.bincount(self.annotator, min_score, len(target)) + _TIE
        with np.errstate(divide="ignore", invalid="ignore"):
            z = target / np.sqrt(draws._compute_tilted(np.zeros(len(target)))[2])
            is_inside = is_above_minimum & (z < -_NEAR_MEAN)
            slope = draws._find_slope(np.where(is_inside, target, 0))
            log, _, second = draws._compute_tilted(slope)
            w, u = -np.sqrt(2 * (slope * target - log)), slope * np.sqrt(second)
            p = ndtr(w) + np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / w - 1 / u)
        p = np.where(is_inside, p, np.where(is_above_minimum, ndtr(z), floor))
        p = np.clip(p, floor, 1)
        return np.asarray(np.where(sign < 0, 1 - p, p))

    def _find_slope(self, target: Floats) -> Floats:
        """Find the slope of each annotator, at most 0, at which the tilted mean is the target.

        Newton's method is used, with bisection if a step leaves the bounds.
        """
        slope, low, high = (
            np.full(len(target), initial_value) for initial_value in (0.0, -np.inf, 0.0)
        )
        for _ in range(_MAX_STEPS):
            _, first, second = self._compute_tilted(slope)
            is_over = first > target
            low, high = np.where(is_over, low, slope), np.where(is_over, slope, high)
            next_slope = slope - (first - target) / second
            midpoint = np.where(np.isinf(low), 2 * slope - 1, (low + high) / 2)
            next_slope = np.where((next_slope > low) & (next_slope < high), next_slope, midpoint)
            next_slope = np.where(target < 0, next_slope, 0)
            if (np.abs(next_slope - slope) <= _TIE * np.abs(slope)).all():
                break
            slope = next_slope
        return slope


def compute_p_of_team(per_document: PairsByDocument, settings: Settings) -> list[float] | None:
    """Compute p of each annotator of a team, rounded to ten digits.

    p is the probability of such an agreement or a lower one, if the annotator were no worse than
    the others. ``None`` is returned for rows of files, or for too many pairs.
    """
    corpus = per_document.corpus
    n_saw = per_document.coverage.count_annotators()
    if corpus.of_rows or not corpus.layers or int((n_saw * (n_saw - 1) // 2).sum()) > _MAX_PAIRS:
        return None
    agreement = AnnotationAgreement.from_pairs(per_document)
    if settings.cluster_by == "document" and corpus.parent_ids is not None:
        agreement = agreement.sum_by_parent(corpus.parent_ids)
    # the order of documents changes digits after the tenth
    return [float(f"{x:.10g}") for x in compute_outlier_p(agreement, len(corpus.layers)).tolist()]


def find_outliers(per_document: PairsByDocument, settings: Settings) -> list[str] | None:
    """Find the annotators who are outliers; ``None`` if that is unknown."""
    p = compute_p_of_team(per_document, settings)
    if p is None:
        return None
    names = per_document.corpus.annotators
    return [name for name, p_holm in zip(names, holm(p), strict=True) if p_holm < OUTLIER_LEVEL]
