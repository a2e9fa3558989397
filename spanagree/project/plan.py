"""Plans: numbers of documents and annotators that an interval of a given width needs.

The interval is that of :func:`spanagree.agree`, and the variance of one document that of
:func:`~spanagree.project.document_variance.estimate_variances`. The certainty of a plan depends on
the degrees of freedom of the observed variance V: V · df is distributed as the true value times χ²
(Satterthwaite 1946).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import ClassVar, TypeVar

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.agreement.clusters import Clusters
from spanagree.agreement.count import AgreementSettings
from spanagree.agreement.result import Agreement
from spanagree.arrays import Progress
from spanagree.choices import ChanceOrAuto, Figure, MatchName
from spanagree.errors import (
    SettingError,
    check_choice,
    check_integer,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.project.document_variance import estimate_variances
from spanagree.results.result import ResultBase
from spanagree.results.score import ScoreValues
from spanagree.settings import document_noun
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.jackknife import TIE, Moments, compute_ends

_MOST_DOCUMENTS = 1 << 40  # largest number of documents in a plan
_WIDTHS = (0.2, 0.1, 0.05, 0.02, 0.01)  # widths of intervals that a report plans
_NARROWER = 2 / 3  # largest width that a report plans, relative to the current one


Number = TypeVar("Number", int, float)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanSettings(AgreementSettings):
    """Settings of a plan: those of the agreement, and those of the interval."""

    width: float
    figure: str
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class Plan(ResultBase):
    """Result of :func:`plan_sample`.

    Attributes:
        value: score of the team.
        documents: number of documents that two or more annotators saw.
        of_documents: number of documents of the corpus.
        each: mean number of annotators who saw one of these documents.
        width: width of the interval of :func:`spanagree.agree` for these documents.
        variance: variance of one document, by the number of annotators of each.
        team: scores of the team, and moments of their changes without each document.
        settings: settings of the computation, including the requested width.
        notes: notes of the reader and of this computation, one sentence each.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "X")]] * 9, "bob": [[(0, 2, "X")]] * 6 + [[(4, 6, "X")]] * 3}
    >>> found = sa.plan_sample(sa.Corpus.from_segments([9] * 9, layers), 0.2)
    >>> round(found.value, 3), round(found.width, 2), found.needed(2)
    (0.619, 0.78, (113, 53, 405))
    """

    value: float
    documents: int
    of_documents: int
    each: float
    width: float
    variance: Mapping[int, float]
    team: Moments = field(repr=False)
    settings: PlanSettings
    notes: tuple[str, ...]

    TABLES: ClassVar[Mapping[str, str | None]] = {"plan": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("value", "documents", "of_documents", "each", "width")

    SHOWN_BY: ClassVar[str] = f"{__package__}.plan_table"

    @property
    def _tail(self) -> float:
        """Probability beyond each end of an interval."""
        return Jackknife(self.settings.confidence).tail

    def needed(self, annotators: int) -> tuple[int, int, int]:
        """Compute the number of documents for a number of annotators each, with its range.

        Raises:
            SettingError: if the plan does not have this number of annotators.
        """
        return _extend_range(
            self._find_smallest_number(variance)
            for variance in self._compute_variance_range(annotators)
        )

    def _find_smallest_number(self, variance: float) -> int:
        """Find the smallest number of documents with an interval as narrow as requested.

        ``variance`` is that of one document. The search is binary, as widths decrease.
        """
        from scipy.special import ndtri  # takes a tenth of a second to import

        width_in_errors = -2 * float(ndtri(self._tail))
        n_estimated = math.ceil((width_in_errors / self.settings.width) ** 2 * variance)
        n_too_few = max(1, n_estimated // 2)
        n_enough = max(2, 2 * n_too_few)
        while (
            self._compute_width(n_enough, variance) > self.settings.width
            and n_enough < _MOST_DOCUMENTS
        ):
            n_too_few, n_enough = n_enough, 2 * n_enough
        while n_too_few + 1 < n_enough:
            midpoint = (n_too_few + n_enough) // 2
            if self._compute_width(midpoint, variance) > self.settings.width:
                n_too_few = midpoint
            else:
                n_enough = midpoint
        return max(2, n_enough)

    def _compute_width(self, documents: int, variance: float) -> float:
        """Compute the width of the interval of :func:`spanagree.agree` for a number of documents.

        Degrees of freedom, and the numbers of documents with an error or a match, are taken as
        proportional to the number of documents. ``variance`` is that of one document.
        """
        ratio = documents / self.documents
        n_units, n_wrong, n_right = (np.round(ratio * count) for count in self.team[3:])
        freedom = np.clip(ratio * self._freedom, 1, max(documents - 1, 1))
        variances = np.full((1, 3), variance / documents)
        fourth_moment = 2 * variances**2 / freedom + variances**2 / np.maximum(n_units, 1)
        counts = np.maximum(n_units, 2), n_wrong, n_right
        sums = Moments(self.team.value, variances, fourth_moment, *counts)
        low, high = compute_ends(sums, self._tail).ends[0, self._score_index].tolist()
        return float(high - low)

    @property
    def _score_index(self) -> int:
        """Index of the planned score."""
        return ScoreValues._fields.index(self.settings.figure)

    @property
    def _freedom(self) -> float:
        """Degrees of freedom of the observed variance."""
        return float(self.team.freedom[0, self._score_index])

    def width_of(self, documents: int, annotators: int) -> tuple[float, float, float]:
        """Compute the width of the interval for a number of documents, with its range.

        Raises:
            SettingError: if the plan does not have this number of annotators, or there is no
                document.
        """
        check_integer(documents, 1, "documents")
        return _extend_range(
            self._compute_width(documents, variance)
            for variance in self._compute_variance_range(annotators)
        )

    def _compute_variance_range(self, annotators: int) -> tuple[float, float, float]:
        """Compute the variance of a document for a number of annotators, and its range.

        Returns:
            The variance, and the low and the high end of its confidence interval.

        Raises:
            SettingError: if the plan does not have this number of annotators.
        """
        if annotators not in self.variance:
            known_numbers = ", ".join(map(str, self.variance))
            raise SettingError(
                f"annotators {quote_value(annotators)}; this plan has {known_numbers}"
            )
        from scipy.special import chdtri  # takes a tenth of a second to import

        factors = (self._freedom / chdtri(self._freedom, p) for p in (self._tail, 1 - self._tail))
        low, high = (self.variance[annotators] * float(factor) for factor in factors)
        return self.variance[annotators], low, high


FIGURE_NAMES = {"observed": "F1", "expected": "chance F1", "corrected": "corrected F1"}
"""Names of the planned scores in sentences."""


def plan_sample(
    corpus: CorpusLike,
    width: float,
    *,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    annotators: Sequence[str] | None = None,
    figure: Figure = "corrected",
    confidence: float = 95,
    seed: int = 0,
    progress: Progress = None,
) -> Plan:
    """Plan the numbers of documents and annotators that an interval of a given width needs.

    Args:
        corpus: annotations so far.
        width: requested width of the interval of the team's score, above 0 and below 2.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping; with auto, the first of
            these that the segments of all layers allow.
        annotators: names of the annotators. Default: all.
        figure: score to plan for, observed, expected or corrected.
        confidence: level of the interval, in per cent.
        seed: random seed, an integer from 0, for draws if expected scores are too expensive.
        progress: function that is called with the number of finished pairs and the total.

    Raises:
        SettingError: if the width is out of range, or no document has an agreement to plan from;
            see :func:`spanagree.agree`.

    >>> from spanagree.corpus.corpus import Corpus
    >>> layers = {"a": [[(0, 2, "X")]] * 40, "b": [[(0, 2, "X")], [(1, 3, "X")]] * 20}
    >>> plan_sample(Corpus.from_segments([9] * 40, layers), 0.1, figure="observed").needed(2)[0]
    385
    """
    corpus = as_corpus(corpus)
    is_number = isinstance(width, (Real, np.floating)) and not isinstance(width, bool)
    if not (is_number and 0 < width < 2):
        raise SettingError(f"width {quote_value(width)}; a number above 0 and below 2 is needed")
    check_choice(figure, ScoreValues._fields, "figure")
    jackknife = Jackknife(confidence)
    agreement = agree(
        corpus, match=match, chance=chance, annotators=annotators, seed=seed, progress=progress
    )
    return compute_plan(agreement, width, figure, jackknife)


def compute_plan(agreement: Agreement, width: float, figure: Figure, jackknife: Jackknife) -> Plan:
    """Compute a plan from an agreement.

    Args:
        agreement: agreement of the annotations so far.
        width: requested width of the interval.
        figure: score to plan for.
        jackknife: options of the interval.

    Raises:
        SettingError: if no document has an agreement to plan from, or documents do not vary.
    """
    if math.isnan(getattr(agreement.team.f1, figure)):
        raise SettingError(
            f"the team's {FIGURE_NAMES[figure]} is undefined ({agreement.team.f1.reason}); a plan"
            " needs a part of the work done by two annotators or more"
        )
    settings = replace(agreement.settings, min_shared=None).extend_to(
        PlanSettings,
        width=float(width),
        figure=figure,
        confidence=float(jackknife.confidence),
    )
    per_document, team_size = agreement.per_document, len(agreement.annotators)
    rows, n_annotators = per_document.rows, per_document.coverage.count_annotators()
    pair_rows = rows.by("first", "second", "document")
    n_seen = n_annotators[n_annotators > 1]
    team = Clusters.from_pairs(per_document, USUAL, agreement.settings).compute_team()
    score_index = ScoreValues._fields.index(figure)
    low, high = compute_ends(team, jackknife.tail).ends[0, score_index].tolist()
    if len(n_seen) < 2 or not high - low > TIE:
        equality_phrase = ", all with the same figures" * (len(n_seen) > 1)
        raise SettingError(
            f"{pluralize(len(n_seen), document_noun(settings))} seen by two annotators or"
            f" more{equality_phrase}; a plan needs two that differ"
        )
    return Plan(
        getattr(rows.total().f1, figure),
        len(n_seen),
        agreement.documents,
        float(n_seen.mean()),
        float(high - low),
        estimate_variances(pair_rows, n_annotators, team_size, figure),
        team,
        settings,
        agreement.notes,
    )


def plan_narrower(agreement: Agreement) -> Plan | None:
    """Plan for the widest usual width that is at most two thirds of the current width.

    The result is `None` if no plan is possible, or no usual width is that narrow.
    """
    try:
        plan = compute_plan(agreement, _WIDTHS[0], "corrected", USUAL)
    except SettingError:
        return None
    narrower_widths = (width for width in _WIDTHS if width <= _NARROWER * plan.width)
    width = next(narrower_widths, None)
    if width is None:
        return None
    return replace(plan, settings=replace(plan.settings, width=width))


def _extend_range(values: Iterable[Number]) -> tuple[Number, Number, Number]:
    """Return a planned number with the range of its low and high end, extended to include it."""
    estimate, low, high = values
    return estimate, min(low, estimate), max(high, estimate)
