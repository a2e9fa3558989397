"""Each annotator against the others: outliers, their disagreements, and the order of display.

An outlier agrees with the others significantly less than they agree among themselves. On each
document every annotator has a score: the mean over the others of
2·(matched − expected) − C·(sizes − 2·expected), which is 0 if the corrected F1 is C. C is the
corrected F1 of the annotators of the documents that the tested annotator saw. If the tested
annotator were no worse than the others, their score on a document could be the score of any
annotator of the document. So p is the share of all ways to draw one score on each document whose
sum is at most the observed sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.paired import count_outcomes
from spanagree.agreement.team import AnnotatorScores, Mean
from spanagree.arrays import (
    Floats,
    Ints,
    encode_by_first_use,
    expand_ranges,
    unique_rows,
    yield_batches,
)
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.comparisons.pairing import KINDS, OUTCOMES
from spanagree.comparisons.tally import Tally
from spanagree.errors import escape_name, pluralize
from spanagree.results.cells import Value, format_figure
from spanagree.results.frame import Column
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import NO_CHANCE, Score, ScoreValues, get_ends
from spanagree.results.score_columns import ScoreColumns
from spanagree.settings import Settings, document_noun
from spanagree.uncertainty.permutation import holm

_MAX_WAYS = 1 << 14  # largest number of ways to draw annotators that are all counted
_BATCH = 1 << 20  # annotations that are processed together
_MAX_STEPS = 100  # of a search, which ends earlier if nothing changes any more
_TIE = 1e-9  # scores closer than this, relative to their size, are equal
_NEAR_MEAN = 0.01  # standard deviations from the mean, where the approximation divides by 0


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
        for a in np.flatnonzero((log2_ways > 0) & (log2_ways <= np.log2(_MAX_WAYS))).tolist():
            sums = np.zeros(1)
            for d in np.flatnonzero(self.annotator == a).tolist():
                draw_scores = self.score[self.first[d] : self.first[d] + self.size[d]]
                sums = np.add.outer(sums, draw_scores).ravel()
            p[a] = (sums <= target[a] + _TIE).mean()
        return p

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


OUTLIER_LEVEL = 0.05
"""p with Holm's correction below which an annotator is an outlier."""

SHOWN = 10  # annotators in a terminal; if there are more, outliers come first

_MAX_PAIRS = 1 << 22  # pairs of annotations that are compared segment by segment
_UNKNOWN = (
    "outliers are not known: their p needs segments, which files of rows do not hold, and at most"
    f" {_MAX_PAIRS:,} pairs of annotations; a part of the annotators, or of the documents, has it"
)


@dataclass(frozen=True, eq=False)
class AnnotatorSummary(NanEqualMixin):
    """Summary of one annotator in comparison with the others.

    Attributes:
        segments: number of segments that the annotator marked.
        p: probability of an agreement with the others this low or lower, if the annotator were no
            worse than they are on the same documents; ``nan`` if no document with three annotators
            or more can tell.
        p_holm: p after Holm's correction for all annotators.
        outcomes: number of segments with each of :data:`OUTCOMES` in pairs with the annotator.
        shares: share of the annotator in all disagreements of the team's pairs, by kind; ``all`` is
            their share in everything compared, and the expected share of each kind.
    """

    segments: int
    p: float
    p_holm: float
    outcomes: Mapping[str, int]
    shares: Mapping[str, float]

    @property
    def outlier(self) -> bool:
        """True if they agree significantly less than the others among themselves."""
        return self.p_holm < OUTLIER_LEVEL  # nan is not

    @property
    def figures(self) -> list[float]:
        """p and shares in the order of a table."""
        return [self.p, self.p_holm, *self.shares.values()]


def summarize_annotators(
    per_document: PairsByDocument, settings: Settings
) -> dict[str, AnnotatorSummary]:
    """Summarize each annotator in comparison with the others, by name.

    The summary needs segments: it is empty for rows of files, or for too many pairs.
    """
    p = _compute_p(per_document, settings)
    if p is None:
        return {}
    corpus = per_document.corpus
    counts = count_outcomes(corpus, AnnotationIndex.from_corpus(corpus))
    totals = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.column_stack((counts.sum(axis=1) / totals.sum(), (counts / totals)[:, 1:]))
    return {
        name: AnnotatorSummary(
            len(layer),
            p[i],
            p_holm,
            dict(zip(OUTCOMES, counts[i].tolist(), strict=True)),
            dict(zip(("all", *KINDS), shares[i].tolist(), strict=True)),
        )
        for i, ((name, layer), p_holm) in enumerate(
            zip(corpus.layers.items(), holm(p), strict=True)
        )
    }


def _compute_p(per_document: PairsByDocument, settings: Settings) -> list[float] | None:
    """Compute p of each annotator being no worse than the others, see the module's opening.

    The result is ``None`` for rows of files, or for too many pairs.
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
    p = _compute_p(per_document, settings)
    if p is None:
        return None
    names = per_document.corpus.annotators
    return [name for name, p_holm in zip(names, holm(p), strict=True) if p_holm < OUTLIER_LEVEL]


# --- the order ----------------------------------------------------------------------------------

_Key = Callable[[AnnotatorScores, "AnnotatorSummary | None"], float]


def _compute_sort_key(member: AnnotatorScores, summary: AnnotatorSummary | None) -> float:
    """Compute the sort key for outliers first, then annotators with most documents."""
    is_outlier = summary is not None and summary.outlier
    return _choose_figure(member, member.f1) - 1e9 if is_outlier else -member.documents


def _choose_figure(member: AnnotatorScores, figures: ScoreValues | Score) -> float:
    """Return the corrected figure of a member, or the raw one if chance is undefined."""
    return figures.observed if member.f1.reason == NO_CHANCE else figures.corrected


SORTS: Mapping[str, _Key] = {
    "corrected": lambda member, _: _choose_figure(member, member.f1),
    "observed": lambda member, _: member.f1.observed,
    "gain": lambda member, _: -_choose_figure(member, member.gain),
    "p": lambda _, standing: math.nan if standing is None else standing.p,
    "documents": lambda member, _: -member.documents,
    "segments": lambda _, standing: math.nan if standing is None else -standing.segments,
    "outlier": _compute_sort_key,
}
"""The orders of annotators by name: keys that are sorted in ascending order.

First is the lowest agreement, the highest gain, the lowest p, or the largest number of documents or
segments; or outliers, and then annotators with most documents.
"""


def sort_annotators(
    members: Iterable[AnnotatorScores], standings: Mapping[str, AnnotatorSummary], sort: str | None
) -> list[AnnotatorScores]:
    """Sort annotators by one of :data:`SORTS`; annotators with an undefined key come last.

    Args:
        members: scores of annotators.
        standings: summaries by name; empty if they are unknown.
        sort: name of the order; `None` to keep the order.
    """
    if sort is None:
        return list(members)

    def build_sort_key(member: AnnotatorScores) -> tuple[bool, float]:
        value = SORTS[sort](member, standings.get(member.name))
        return (True, 0) if math.isnan(value) else (False, value)

    return sorted(members, key=build_sort_key)


# --- the table ----------------------------------------------------------------------------------


LayoutRow = tuple[Sequence[Value], "Score | Mean", "Tally | None", Sequence[Value]]
"""Cells before the F1 of a row, its F1, its tally, and the cells after."""
Layout = tuple[Sequence[Column], Sequence[LayoutRow], Sequence[Column]]
"""The columns before, the rows, and the columns after."""

PAIRS = Column("pairs", "pairs", "count", "pairs of a team")
SHARES = "shares of kinds"
"""Meaning of the columns of shares, by which a report folds them."""
_SHARES = {"all": "share of all", **{kind: f"of {kind}" for kind in KINDS}}
"""Titles of shares by key."""


def build_layout(
    members: Sequence[AnnotatorScores],
    standings: Mapping[str, AnnotatorSummary],
    settings: Settings,
) -> Layout:
    """Build columns and rows of the table of annotators against the others, without F1 and tally.

    Args:
        members: annotators in the order of the rows.
        standings: summaries by name; empty if they are unknown.
        settings: settings of the agreement.
    """
    without_columns = ScoreColumns("without_f1", ("team without", "", ""))
    has_intervals = settings.ci is not None
    columns = [
        Column("annotator", "annotator", "name", "annotator of a team"),
        Column("documents", f"{document_noun(settings)}s", "count", "documents of an annotator"),
        Column("segments", "segments", "count", "segments of an annotator", spare=True),
        PAIRS._replace(spare=True),
    ]
    trailing_columns = [column._replace(spare=True) for column in without_columns.columns]
    for score_key, title in zip(ScoreValues._fields, ("gain", "", "corrected gain"), strict=True):
        is_raw = score_key == "observed"
        trailing_columns.append(Column(f"gain_{score_key}", title, spare=is_raw))
        if has_intervals and title:
            meaning = "interval of a gain"
            trailing_columns.append(Column("", "gain interval", "interval", meaning, spare=is_raw))
    trailing_columns += ScoreColumns("gain").ends if has_intervals else []
    trailing_columns += [Column("p", "p", "probability", "p of an annotator", spare=True)]
    trailing_columns += [Column("p_holm", "Holm", "probability", "Holm of annotators")]
    trailing_columns += [Column(f"share_{k}", t, "figure", SHARES) for k, t in _SHARES.items()]
    if not standings:  # text output hides unknown columns
        n_hidden = 2 + len(_SHARES)
        trailing_columns[-n_hidden:] = [
            column._replace(title="") for column in trailing_columns[-n_hidden:]
        ]
        columns[2] = columns[2]._replace(title="")
    rows: list[LayoutRow] = []
    for member in members:
        summary = standings.get(member.name)
        cells: list[Value] = [*without_columns.list_values(member.without.f1)]
        for score_key in ScoreValues._fields:
            cells.append(getattr(member.gain, score_key))
            if has_intervals and score_key != "expected":
                cells.append(getattr(member.gain_interval, score_key, None))
        if has_intervals:
            cells += [
                end
                for score_key in ScoreValues._fields
                for end in get_ends(member.gain_interval, score_key)
            ]
        cells += [math.nan] * (2 + len(_SHARES)) if summary is None else summary.figures
        rows.append(
            (
                [
                    member.name,
                    member.documents,
                    None if summary is None else summary.segments,
                    member.pairs,
                ],
                member.f1,
                member.tally,
                cells,
            )
        )
    return columns, rows, trailing_columns


def hide_titles(columns: Sequence[Column]) -> list[Column]:
    """Hide the titles of most columns, for a table of many annotators."""
    shown_keys = {
        "annotator",
        "documents",
        "segments",
        "f1_observed",
        "f1_expected",
        "f1_corrected",
    }
    shown_keys |= {"gain_corrected", "p_holm"}
    return [column if column.key in shown_keys else column._replace(title="") for column in columns]


def write_outlier_sentence(
    members: Mapping[str, AnnotatorScores], standings: Mapping[str, AnnotatorSummary]
) -> str:
    """Write the sentence that names all outliers, the lowest agreement first.

    It has the reason if outliers are unknown, and is empty if no annotator could be tested.
    """
    if members and not standings:
        return _UNKNOWN
    n_tests = sum(not math.isnan(standing.p) for standing in standings.values())
    if not n_tests:
        return ""
    outliers = [
        member
        for member in sort_annotators(members.values(), standings, "corrected")
        if standings[member.name].outlier
    ]
    names = ", ".join(
        f"{escape_name(member.name)} ({format_figure(_choose_figure(member, member.f1))})"
        for member in outliers
    )
    rule = f"Holm's p below {OUTLIER_LEVEL:g}, {pluralize(n_tests, 'annotator')} tested"
    score_name = (
        "F1" if any(member.f1.reason == NO_CHANCE for member in outliers) else "corrected F1"
    )
    return f"outliers ({score_name}; {rule}): {names}" if names else f"no outliers ({rule})"
