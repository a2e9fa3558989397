"""Each annotator against the others: their disagreements, and the order of display."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.outliers import OUTLIER_LEVEL, UNKNOWN_OUTLIERS, compute_p_of_team
from spanagree.agreement.paired import count_outcomes
from spanagree.agreement.team import AnnotatorScores
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.comparisons.pairing import KINDS, OUTCOMES
from spanagree.errors import escape_name, pluralize
from spanagree.results.cells import format_figure
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import NO_CHANCE, Score, ScoreValues
from spanagree.settings import Settings
from spanagree.uncertainty.permutation import holm

SHOWN = 10  # annotators in a terminal; if there are more, outliers come first


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
    p = compute_p_of_team(per_document, settings)
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


# --- the order ----------------------------------------------------------------------------------

_Key = Callable[[AnnotatorScores, "AnnotatorSummary | None"], float]


def _compute_sort_key(member: AnnotatorScores, summary: AnnotatorSummary | None) -> float:
    """Compute the sort key for outliers first, then annotators with most documents."""
    is_outlier = summary is not None and summary.outlier
    return choose_figure(member, member.f1) - 1e9 if is_outlier else -member.documents


def choose_figure(member: AnnotatorScores, figures: ScoreValues | Score) -> float:
    """Return the corrected figure of a member, or the raw one if chance is undefined."""
    return figures.observed if member.f1.reason == NO_CHANCE else figures.corrected


SORTS: Mapping[str, _Key] = {
    "corrected": lambda member, _: choose_figure(member, member.f1),
    "observed": lambda member, _: member.f1.observed,
    "gain": lambda member, _: -choose_figure(member, member.gain),
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


def write_outlier_sentence(
    members: Mapping[str, AnnotatorScores], standings: Mapping[str, AnnotatorSummary]
) -> str:
    """Write the sentence that names all outliers, the lowest agreement first.

    It has the reason if outliers are unknown, and is empty if no annotator could be tested.
    """
    if members and not standings:
        return UNKNOWN_OUTLIERS
    n_tests = sum(not math.isnan(standing.p) for standing in standings.values())
    if not n_tests:
        return ""
    outliers = [
        member
        for member in sort_annotators(members.values(), standings, "corrected")
        if standings[member.name].outlier
    ]
    names = ", ".join(
        f"{escape_name(member.name)} ({format_figure(choose_figure(member, member.f1))})"
        for member in outliers
    )
    rule = f"Holm's p below {OUTLIER_LEVEL:g}, {pluralize(n_tests, 'annotator')} tested"
    score_name = (
        "F1" if any(member.f1.reason == NO_CHANCE for member in outliers) else "corrected F1"
    )
    return f"outliers ({score_name}; {rule}): {names}" if names else f"no outliers ({rule})"
