"""Each annotator against the rest: outliers, how they differ, and in which order they are shown.

An outlier agrees less with the others than these do. On each document everybody has a score: the
mean over the others of 2·(matched − expected) − C·(sizes − 2·expected), which is 0 for a corrected
F1 of C; that is the F1 of those who saw the documents of the annotator who is tested. If she were
no worse than they are, her score on a document could be that of any of them. So p is the share of
all ways to draw one of them on each document that sum as low as hers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.paired import outcomes
from spanagree.agreement.team import AnnotatorScores, Mean
from spanagree.arrays import Floats, Ints, batches_up_to, expand_ranges, unique_rows
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.comparisons.pairing import KINDS, OUTCOMES
from spanagree.comparisons.tally import Tally
from spanagree.corpus.segments import codes
from spanagree.errors import escape_name, pluralize
from spanagree.results.frame import Column, Value, figure
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import NO_CHANCE, Score, ScoreValues, ends_of
from spanagree.results.score_columns import ScoreColumns
from spanagree.settings import Settings, document_noun
from spanagree.uncertainty.permutation import holm

_WAYS = 1 << 14  # in which annotators can be drawn, up to which all are gone through
_CELLS = 1 << 20  # annotations of documents that are worked on together
_STEPS = 100  # of a search, which ends when nothing changes any more
_TIE = 1e-9  # scores closer than this, for their size, are the same
_NEAR = 0.01  # standard deviations from the mean, where the approximation divides by 0


class AnnotationAgreement(NamedTuple):
    """How far each annotation agrees with the others of its document.

    Attributes:
        document, annotator: of each annotation, sorted by both.
        above: 2·(matched − expected), the mean over the others of the document.
        room: sizes − 2·expected, the same; above / room is the corrected F1.
    """

    document: Ints
    annotator: Ints
    above: Floats
    room: Floats

    @classmethod
    def of(cls, per_document: PairsByDocument) -> AnnotationAgreement:
        """Return how far the annotations agree that are not alone in their document."""
        crowd, saw = AnnotationIndex.of(per_document.corpus), per_document.coverage.number()
        shared = saw[crowd.document] > 1
        document, annotator = crowd.document[shared], crowd.annotator[shared]
        table = crowd.table(per_document.sums.both_ways().by("document", "first"))[shared]
        matched, expected, size, *_ = table.T
        expected = np.nan_to_num(expected)  # without chance they agree as far as they match
        others = saw[document] - 1
        above, room = 2 * (matched - expected), size - 2 * expected
        return cls(document, annotator, above / others, room / others)

    def over(self, parent_ids: Ints) -> AnnotationAgreement:
        """Return the same of wholes; parts that other annotators saw are wholes of their own."""
        documents, first, place = np.unique(self.document, return_index=True, return_inverse=True)
        borders = pairwise([*first.tolist(), len(self.document)])
        team, _ = codes(self.annotator[low:high].tobytes().hex() for low, high in borders)
        _, number, _ = unique_rows(parent_ids[documents], team)
        (document, annotator), which, _ = unique_rows(number[place], self.annotator)
        return AnnotationAgreement(
            document, annotator, *(np.bincount(which, x).astype(float) for x in self[2:])
        )


def outlier_p(agreeing: AnnotationAgreement, annotators: int) -> Floats:
    """Return p of "no worse than the others" of each annotator; ``nan`` where nothing can tell."""
    document, annotator = agreeing.document, agreeing.annotator
    _, first, place, size = np.unique(
        document, return_index=True, return_inverse=True, return_counts=True
    )
    means = [(np.bincount(place, x) / size)[place] for x in (agreeing.above, agreeing.room)]
    # less the mean of its document, so that the scores of a document add up to 0
    above, room = agreeing.above - means[0], agreeing.room - means[1]
    up, down = (np.bincount(annotator, mean, annotators) for mean in means)
    level = np.divide(up, down, out=np.zeros(annotators), where=down > _TIE)  # C of each annotator
    p = np.full(annotators, np.nan)
    by_annotator = np.argsort(annotator, kind="stable")
    begin = np.searchsorted(annotator[by_annotator], np.arange(annotators + 1))
    scores_before = np.concatenate([[0], np.cumsum(size[place[by_annotator]])])[begin]
    for low, high in batches_up_to(np.diff(scores_before), _CELLS):
        rows = by_annotator[begin[low] : begin[high]]
        # all annotations of the document of each row, one of which is drawn
        other, draw = expand_ranges(first[place[rows]], first[place[rows]] + size[place[rows]])
        c = level[annotator[rows]]
        scores = above[other] - c[draw] * room[other]
        scores_seen = np.bincount(annotator[rows] - low, above[rows] - c * room[rows], high - low)
        p[low:high] = _Draws.of(scores, draw, annotator[rows] - low).tails(
            scores_seen.astype(np.float64)
        )
    return p


class _Draws(NamedTuple):
    """What the score of each annotator is drawn from: one draw for each document that she saw.

    Attributes:
        score: of all who saw the document of a draw; they add up to 0.
        first: where the scores of each draw begin.
        size: how many they are.
        whose: of which annotator's score each draw is a part.
    """

    score: Floats
    first: Ints
    size: Ints
    whose: Ints

    @classmethod
    def of(cls, score: Floats, draw: Ints, whose: Ints) -> _Draws:
        """Return those draws that change anything."""
        size = np.bincount(draw, minlength=len(whose))
        reach = np.maximum.reduceat(np.abs(score), np.cumsum(size) - size) if len(size) else size
        most = np.zeros(whose.max(initial=-1) + 1)
        np.maximum.at(most, whose, reach)
        varies = reach > _TIE * np.maximum(most[whose], 1)
        size = size[varies]
        return cls(score[varies[draw]], np.cumsum(size) - size, size, whose[varies])

    def tails(self, target: Floats) -> Floats:
        """Return how likely the sum of draws is at most the target, of each annotator."""
        ways = np.bincount(self.whose, np.log2(self.size), len(target))
        p = self._approximate(target)
        p[ways == 0] = np.nan
        for a in np.flatnonzero((ways > 0) & (ways <= np.log2(_WAYS))).tolist():
            sums = np.zeros(1)
            for d in np.flatnonzero(self.whose == a).tolist():
                part = self.score[self.first[d] : self.first[d] + self.size[d]]
                sums = np.add.outer(sums, part).ravel()
            p[a] = (sums <= target[a] + _TIE).mean()
        return p

    def _tilted(self, slope: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the logarithm of E exp(slope · sum) of each annotator, and two derivatives."""
        exponent = np.repeat(slope[self.whose], self.size) * self.score
        top = np.maximum.reduceat(exponent, self.first)
        weight = np.exp(exponent - np.repeat(top, self.size))
        total, linear, squared = (
            np.add.reduceat(weight * x, self.first) for x in (1, self.score, self.score**2)
        )
        mean = linear / total
        parts = top + np.log(total / self.size), mean, squared / total - mean**2
        log, first, second = (np.bincount(self.whose, part, len(slope)) for part in parts)
        return log.astype(float), first.astype(float), second.astype(float)

    def _approximate(self, target: Floats) -> Floats:
        """Return the probabilities by a saddlepoint approximation (Lugannani & Rice 1980)."""
        from scipy.special import ndtr  # takes a tenth of a second to import

        if not len(self.size):
            return np.full(len(target), np.nan)
        sign = np.where(target > 0, -1.0, 1.0)  # the tail of the side on which the target is
        draws = self._replace(score=self.score * np.repeat(sign[self.whose], self.size))
        target = sign * target
        least = np.minimum.reduceat(draws.score, self.first)
        lowest = np.add.reduceat(
            (draws.score <= np.repeat(least, self.size) + _TIE).astype(np.float64), self.first
        )
        floor = np.exp(np.bincount(self.whose, np.log(lowest / self.size), len(target)))
        above = target > np.bincount(self.whose, least, len(target)) + _TIE
        with np.errstate(divide="ignore", invalid="ignore"):
            z = target / np.sqrt(draws._tilted(np.zeros(len(target)))[2])
            within = above & (z < -_NEAR)
            slope = draws._slope(np.where(within, target, 0))
            log, _, second = draws._tilted(slope)
            w, u = -np.sqrt(2 * (slope * target - log)), slope * np.sqrt(second)
            p = ndtr(w) + np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / w - 1 / u)
        p = np.where(within, p, np.where(above, ndtr(z), floor))
        p = np.clip(p, floor, 1)
        return np.asarray(np.where(sign < 0, 1 - p, p))

    def _slope(self, target: Floats) -> Floats:
        """Return the slope at which each annotator's sum has the target, at most 0, as its mean."""
        slope, low, high = (np.full(len(target), x) for x in (0.0, -np.inf, 0.0))
        for _ in range(_STEPS):
            _, first, second = self._tilted(slope)
            over = first > target
            low, high = np.where(over, low, slope), np.where(over, slope, high)
            new = slope - (first - target) / second
            middle = np.where(np.isinf(low), 2 * slope - 1, (low + high) / 2)
            new = np.where((new > low) & (new < high), new, middle)
            new = np.where(target < 0, new, 0)
            if (np.abs(new - slope) <= _TIE * np.abs(slope)).all():
                break
            slope = new
        return slope


APART = 0.05
"""p with Holm's correction below which an annotator is an outlier."""

SHOWN = 10  # annotators in a terminal; of more, outliers come first

_MOST = 1 << 22  # pairs of annotations that are compared segment by segment
_UNKNOWN = (
    "outliers are not known: their p needs segments, which files of rows do not hold, and at most"
    f" {_MOST:,} pairs of annotations; a part of the annotators, or of the documents, has it"
)


@dataclass(frozen=True, eq=False)
class AnnotatorSummary(NanEqualMixin):
    """How one annotator stands among the others.

    Attributes:
        segments: how many she marked.
        p: how likely she would agree so little with the others, or less, if she were no worse than
            they are on the same documents; ``nan`` where no document of three or more can tell.
        p_holm: p after Holm's correction for all annotators.
        outcomes: how often a segment was one of :data:`OUTCOMES` between her and another.
        shares: her share of all that the team's pairs hold of each kind of disagreement; ``all`` is
            her share of all that was compared, which is what she would have of each if she were
            like the others.
    """

    segments: int
    p: float
    p_holm: float
    outcomes: Mapping[str, int]
    shares: Mapping[str, float]

    @property
    def outlier(self) -> bool:
        """Whether she agrees less with the others than these do."""
        return self.p_holm < APART  # nan is not

    @property
    def figures(self) -> list[float]:
        """The figures in the order of a table."""
        return [self.p, self.p_holm, *self.shares.values()]


def standings(per_document: PairsByDocument, settings: Settings) -> dict[str, AnnotatorSummary]:
    """Return how each annotator stands, by name; nothing of rows of files, or of too many pairs."""
    p = _p_of_annotators(per_document, settings)
    if p is None:
        return {}
    corpus = per_document.corpus
    counts = outcomes(corpus, AnnotationIndex.of(corpus))
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


def _p_of_annotators(per_document: PairsByDocument, settings: Settings) -> list[float] | None:
    """Compute p of each annotator; ``None`` for rows of files, or too many pairs."""
    corpus = per_document.corpus
    saw = per_document.coverage.number()
    if corpus.of_rows or not corpus.layers or int((saw * (saw - 1) // 2).sum()) > _MOST:
        return None
    agreeing = AnnotationAgreement.of(per_document)
    if settings.cluster_by == "document" and corpus.parent_ids is not None:
        agreeing = agreeing.over(corpus.parent_ids)
    # the order of documents changes what stands behind ten digits
    return [float(f"{x:.10g}") for x in outlier_p(agreeing, len(corpus.layers)).tolist()]


def outliers(per_document: PairsByDocument, settings: Settings) -> list[str] | None:
    """Find the annotators who are outliers; ``None`` if that is not known."""
    p = _p_of_annotators(per_document, settings)
    if p is None:
        return None
    names = per_document.corpus.annotators
    return [name for name, p_holm in zip(names, holm(p), strict=True) if p_holm < APART]


# --- the order ----------------------------------------------------------------------------------

_Key = Callable[[AnnotatorScores, "AnnotatorSummary | None"], float]


def _outlier_first(member: AnnotatorScores, standing: AnnotatorSummary | None) -> float:
    """Outliers first, then those who saw most."""
    outlier = standing is not None and standing.outlier
    return _decisive(member, member.f1) - 1e9 if outlier else -member.documents


def _decisive(member: AnnotatorScores, figures: ScoreValues | Score) -> float:
    """Return the corrected figure of a member, or the raw one where chance is undefined."""
    return figures.observed if member.f1.reason == NO_CHANCE else figures.corrected


SORTS: Mapping[str, _Key] = {
    "corrected": lambda member, _: _decisive(member, member.f1),
    "observed": lambda member, _: member.f1.observed,
    "gain": lambda member, _: -_decisive(member, member.gain),
    "p": lambda _, standing: math.nan if standing is None else standing.p,
    "documents": lambda member, _: -member.documents,
    "segments": lambda _, standing: math.nan if standing is None else -standing.segments,
    "outlier": _outlier_first,
}
"""In which order annotators are shown, by name: first those with the least of a key.

That is the lowest agreement, the highest gain, the lowest p, the most documents or segments; or
outliers, and then those who saw most.
"""


def arranged(
    members: Iterable[AnnotatorScores], standings: Mapping[str, AnnotatorSummary], sort: str | None
) -> list[AnnotatorScores]:
    """Return annotators in an order that has a name; undefined ones come last."""
    if sort is None:
        return list(members)

    def key(member: AnnotatorScores) -> tuple[bool, float]:
        value = SORTS[sort](member, standings.get(member.name))
        return (True, 0) if math.isnan(value) else (False, value)

    return sorted(members, key=key)


# --- the table ----------------------------------------------------------------------------------


Part = tuple[Sequence[Value], "Score | Mean", "Tally | None", Sequence[Value]]
"""What stands before the F1 of a part, its F1, its tally, and what stands behind."""
Layout = tuple[Sequence[Column], Sequence[Part], Sequence[Column]]
"""The columns before, the parts, and the columns behind."""

PAIRS = Column("pairs", "pairs", "count", "pairs of a team")
SHARES = "shares of kinds"
"""The meaning of the columns of shares, by which a report folds them."""
_SHARES = {"all": "share of all", **{kind: f"of {kind}" for kind in KINDS}}
"""The titles of shares by key."""


def layout(
    members: Sequence[AnnotatorScores],
    standings: Mapping[str, AnnotatorSummary],
    settings: Settings,
) -> Layout:
    """Return what a table of annotators against the rest shows.

    Args:
        members: in the order of the rows.
        standings: by name; nothing where they are not known.
        settings: of the agreement.
    """
    without = ScoreColumns("without_f1", ("team without", "", ""))
    ci = settings.ci is not None
    columns = [
        Column("annotator", "annotator", "name", "annotator of a team"),
        Column("documents", f"{document_noun(settings)}s", "count", "documents of an annotator"),
        Column("segments", "segments", "count", "segments of an annotator", spare=True),
        PAIRS._replace(spare=True),
    ]
    behind = [column._replace(spare=True) for column in without.columns]
    for kind, title in zip(ScoreValues._fields, ("gain", "", "corrected gain"), strict=True):
        is_raw = kind == "observed"
        behind.append(Column(f"gain_{kind}", title, spare=is_raw))
        if ci and title:
            meaning = "interval of a gain"
            behind.append(Column("", "gain interval", "interval", meaning, spare=is_raw))
    behind += ScoreColumns("gain").ends if ci else []
    behind += [Column("p", "p", "probability", "p of an annotator", spare=True)]
    behind += [Column("p_holm", "Holm", "probability", "Holm of annotators")]
    behind += [Column(f"share_{k}", t, "figure", SHARES) for k, t in _SHARES.items()]
    if not standings:  # people see what is known
        last = 2 + len(_SHARES)
        behind[-last:] = [column._replace(title="") for column in behind[-last:]]
        columns[2] = columns[2]._replace(title="")
    parts: list[Part] = []
    for m in members:
        known = standings.get(m.name)
        more: list[Value] = [*without.values(m.without.f1)]
        for kind in ScoreValues._fields:
            more.append(getattr(m.gain, kind))
            if ci and kind != "expected":
                more.append(getattr(m.gain_interval, kind, None))
        if ci:
            more += [end for kind in ScoreValues._fields for end in ends_of(m.gain_interval, kind)]
        more += [math.nan] * (2 + len(_SHARES)) if known is None else known.figures
        parts.append(
            (
                [m.name, m.documents, None if known is None else known.segments, m.pairs],
                m.f1,
                m.tally,
                more,
            )
        )
    return columns, parts, behind


def for_terminal(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of a table of many annotators, of which few have a title."""
    shown = {"annotator", "documents", "segments", "f1_observed", "f1_expected", "f1_corrected"}
    shown |= {"gain_corrected", "p_holm"}
    return [c if c.key in shown else c._replace(title="") for c in columns]


def sentence_on(
    members: Mapping[str, AnnotatorScores], standings: Mapping[str, AnnotatorSummary]
) -> str:
    """Name all outliers, the lowest agreement first; or say why they are not known."""
    if members and not standings:
        return _UNKNOWN
    tests = sum(not math.isnan(standing.p) for standing in standings.values())
    if not tests:
        return ""
    outliers = [
        m for m in arranged(members.values(), standings, "corrected") if standings[m.name].outlier
    ]
    names = ", ".join(f"{escape_name(m.name)} ({figure(_decisive(m, m.f1))})" for m in outliers)
    rule = f"Holm's p below {APART:g}, {pluralize(tests, 'annotator')} tested"
    by = "F1" if any(m.f1.reason == NO_CHANCE for m in outliers) else "corrected F1"
    return f"outliers ({by}; {rule}): {names}" if names else f"no outliers ({rule})"
