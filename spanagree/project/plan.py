"""Plans: numbers of documents and annotators that an interval of a given width needs.

With fixed annotators, a score of the team is a mean over documents of contributions of their pairs
of annotators: the changes of the score by the sums of the pair, to first order. In the square of a
document's contribution, a product of the contributions of two pairs is of one of three kinds: the
pairs are the same (mean c2), they share an annotator (c1), or they do not (c0). The variance of a
document seen by k annotators follows from these means over the observed documents:

    2 / (k(k − 1)) · (c2 + 2(k − 2) c1 + (k − 2)(k − 3)/2 · c0)

It is divided by the number of documents, and more annotators reduce it to c0, the variance between
documents. The interval is that of :func:`spanagree.agree`. The certainty of a plan depends on the
degrees of freedom of the observed variance V: V · df is distributed as the true value times χ²
(Satterthwaite 1946). Tables of documents are shaped (documents, 8), see
`_build_document_table`; the slopes of scores by sums (3, 3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, TypeVar

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.agreement.clusters import Clusters
from spanagree.agreement.count import AgreementSettings, stack_columns
from spanagree.agreement.result import Agreement
from spanagree.arrays import Floats, Ints, Progress, unique_rows
from spanagree.choices import ChanceOrAuto, Figure, MatchName
from spanagree.comparisons.table import Comparisons
from spanagree.errors import (
    SettingError,
    check_choice,
    check_integer,
    format_count_of_total,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.result import ResultBase
from spanagree.results.score import ScoreValues
from spanagree.settings import document_noun
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.jackknife import TIE, Moments, compute_ends

_MOST_ANNOTATORS = 10  # largest number of annotators of a document in a plan
_FEW = 30  # number of documents below which a variance is unreliable
_MOST_DOCUMENTS = 1 << 40  # largest number of documents in a plan
_WIDTHS = (0.2, 0.1, 0.05, 0.02, 0.01)  # widths of intervals that a report plans
_NARROWER = 2 / 3  # largest width that a report plans, relative to the current one
_ENOUGH = 10  # smallest number of documents with as many annotators
_SEEN = 7  # column with the number of annotators of a document


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

    @property
    def _tail_probability(self) -> float:
        return (1 - self.settings.confidence / 100) / 2

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
        n_too_few = max(
            1,
            math.ceil(
                (_compute_width_in_errors(self._tail_probability) / self.settings.width) ** 2
                * variance
            )
            // 2,
        )
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
        ratio = documents / max(self.documents, 1)
        n_units, n_wrong, n_right = (np.round(ratio * count) for count in self.team[3:])
        freedom = np.clip(ratio * self._freedom, 1, max(documents - 1, 1))
        variances = np.full((1, 3), variance / documents)
        fourth_moment = 2 * variances**2 / freedom + variances**2 / np.maximum(n_units, 1)
        limited_counts = np.maximum(n_units, 2), np.maximum(n_wrong, 0), np.maximum(n_right, 0)
        sums = Moments(self.team.value, variances, fourth_moment, *limited_counts)
        low, high = compute_ends(sums, self._tail_probability).ends[0, self._score_index].tolist()
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

        factors = (
            self._freedom / chdtri(self._freedom, p)
            for p in (self._tail_probability, 1 - self._tail_probability)
        )
        low, high = (self.variance[annotators] * float(factor) for factor in factors)
        return self.variance[annotators], low, high

    @property
    def _rows(self) -> list[dict[str, Any]]:
        """Rows of the plan, one for each number of annotators of a document, as mappings by key."""
        ends = ("documents_low", "documents_high")
        keys = ("annotators", "documents", *ends, "more", "annotations", "width_now")
        rows = []
        for k in self.variance:
            n_needed = self.needed(k)
            current_width, *_ = self.width_of(self.documents, k)
            cells = (
                k,
                *n_needed,
                max(0, n_needed[0] - self.documents),
                n_needed[0] * k,
                current_width,
            )
            rows.append(dict(zip(keys, cells, strict=True)))
        return rows

    @property
    def verdict(self) -> str:
        """Sentence on the current width, and on the requirements of the requested width."""
        noun, smallest, largest = (
            document_noun(self.settings),
            min(self.variance),
            max(self.variance),
        )
        documents = f"{pluralize(self.documents, noun)} so far give{'s' * (self.documents == 1)}"
        requirements = [
            f"{self._write_requirement(smallest)} with {pluralize(smallest, 'annotator')} each"
        ]
        if largest > smallest:
            requirements.append(f"{self._write_requirement(largest)} with {largest}")
        return (
            f"For these annotators, the {documents} a {self.settings.confidence:g} % interval"
            f" {verdict.format_short(self.width)} wide; one of"
            f" {verdict.format_short(self.settings.width)} needs {', or '.join(requirements)}."
        )

    def _write_requirement(self, annotators: int) -> str:
        """Write the number of documents for a number of annotators, with its range."""
        n_needed, low, high = self.needed(annotators)
        range_text = f" ({low} to {high})" if low < high else ""
        return f"{pluralize(n_needed, document_noun(self.settings))}{range_text}"

    TABLES: ClassVar[Mapping[str, str | None]] = {"plan": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("value", "documents", "of_documents", "each", "width")

    def _build_table(self, by: str | None) -> Frame:
        """Build the table of requirements for each number of annotators."""
        heads = [
            Column("annotators", "annotators of each", "count"),
            Column(
                "documents", f"{document_noun(self.settings)}s needed", "count", "documents needed"
            ),
            *(Column(f"documents_{end}", "", "count") for end in ("low", "high")),
            Column("", "from–to", "place"),
            Column("more", "more", "count", "more documents"),
            Column("annotations", "annotations", "count", "annotations needed"),
            Column("width_now", f"width with {self.documents}", meaning="width"),
        ]
        rows: list[list[Value]] = []
        for row in self._rows:
            cells = list(row.values())
            rows.append([*cells[:4], f"{cells[2]}–{cells[3]}", *cells[4:]])
        interval_text = (
            f"{self.settings.confidence:g} % interval of {self.settings.width:g} in width"
        )
        caption = f"for a {interval_text}: team's {_NAMES[self.settings.figure]} {self.value:.3f}"
        shared_documents = format_count_of_total(
            self.documents, self.of_documents, document_noun(self.settings)
        )
        coverage = f"{shared_documents} seen by two or more, {self.each:.1f} annotators each"
        current_remark = f"so far: {coverage}, width {self.width:.3f}"
        return Frame(
            heads, rows, self.settings, caption=caption, remarks=[current_remark, *self.caveats]
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        if self.documents >= _FEW:
            return ()
        n_documents = pluralize(self.documents, document_noun(self.settings))
        return (f"only {n_documents} to plan from; the variance is shaky",)


_NAMES = {"observed": "F1", "expected": "chance F1", "corrected": "corrected F1"}


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
            f"the team's {_NAMES[figure]} is undefined ({agreement.team.f1.reason}); a plan needs a"
            " part of the work done by two annotators or more"
        )
    settings = replace(agreement.settings, min_shared=None).extend_to(
        PlanSettings,
        width=float(width),
        figure=figure,
        confidence=float(jackknife.confidence),
    )
    per_document = agreement.per_document
    n_annotators = per_document.coverage.count_annotators()
    plan = _plan_from_rows(agreement, per_document.rows, n_annotators, settings, jackknife)
    if plan.documents < 2 or not plan.width > TIE:
        equality_phrase = ", all with the same figures" * (plan.documents > 1)
        raise SettingError(
            f"{pluralize(plan.documents, document_noun(settings))} seen by two annotators or"
            f" more{equality_phrase}; a plan needs two that differ"
        )
    return plan


def _plan_from_rows(
    agreement: Agreement,
    rows: Comparisons,
    n_annotators: Ints,
    settings: PlanSettings,
    jackknife: Jackknife,
) -> Plan:
    """Compute a plan from the rows of pairs.

    Args:
        agreement: agreement of the annotations so far.
        rows: rows of pairs of annotators.
        n_annotators: number of annotators who saw each document.
        settings: settings of the plan.
        jackknife: options of the interval.
    """
    score_index = ScoreValues._fields.index(settings.figure)
    pair_rows = rows.by("first", "second", "document")
    change = compute_changes(stack_columns(pair_rows))[:, score_index]
    table = _build_document_table(n_annotators, pair_rows, change, score_index)
    planned_numbers = _list_plannable_numbers(table, len(agreement.annotators))
    n_estimable = int(np.sort(table[:, _SEEN])[-_ENOUGH:][0])
    variance = _compute_variances(table.sum(axis=0)[None], planned_numbers, n_estimable)
    team = Clusters.from_pairs(agreement.per_document, USUAL, agreement.settings).compute_team()
    low, high = compute_ends(team, jackknife.tail).ends[0, score_index].tolist()
    return Plan(
        getattr(rows.total().f1, settings.figure),
        len(table),
        agreement.documents,
        float(table[:, _SEEN].mean()),
        float(high - low),
        {k: float(values[0]) for k, values in variance.items()},
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


def _compute_width_in_errors(tail: float) -> float:
    """Compute the width of an interval in standard errors."""
    from scipy.special import ndtri  # takes a tenth of a second to import

    return -2 * float(ndtri(tail))


def compute_slopes(totals: Floats) -> Floats:
    """Compute the derivatives of the three scores by the three sums that they depend on.

    The sums are m (matched), e (expected) and s (size). The scores are 2m/s, 2e/s and
    2(m − e)/(s − 2e).

    Args:
        totals: m, e and s.

    Returns:
        Array (scores, sums).
    """
    matched, expected, size = totals.tolist()
    n_not_expected = size - 2 * expected
    observed, by_chance = 2 * matched / size, 2 * expected / size
    corrected = 2 * (matched - expected) / n_not_expected if n_not_expected else math.nan
    return np.array(
        (
            (2 / size, 0, -observed / size),
            (0, 2 / size, -by_chance / size),
            (2 / n_not_expected, 2 * (corrected - 1) / n_not_expected, -corrected / n_not_expected)
            if n_not_expected
            else [math.nan] * 3,
        )
    )


def compute_changes(sums: Floats) -> Floats:
    """Compute the first-order contribution of each row of sums to the three scores; (rows, 3)."""
    change: Floats = sums @ compute_slopes(sums.sum(axis=0)).T
    return change


def _build_document_table(
    n_annotators: Ints, rows: Comparisons, change: Floats, score_index: int
) -> Floats:
    """Build the table of sums for variances, with a row for each document that two annotators saw.

    Args:
        n_annotators: number of annotators who saw each document of the corpus.
        rows: rows of pairs and documents.
        change: contribution of each row to the score.
        score_index: index of the score: observed, expected or corrected.

    Returns:
        Table (documents, 8). Columns 0–2 are products of the contributions of two pairs, summed
        over equal pairs, pairs that share an annotator, and other pairs; columns 3–5 are the
        numbers of such products; column 6 is the denominator of the contributions; column 7 is the
        number of annotators.
    """
    documents = np.flatnonzero(n_annotators > 1)
    k = n_annotators[documents].astype(np.float64)
    n_pairs = k * (k - 1) / 2
    document = np.searchsorted(documents, rows.document)
    _, expected, size = stack_columns(rows).T
    denominator = size - 2 * expected if ScoreValues._fields[score_index] == "corrected" else size
    change = change * denominator.sum()
    annotator = np.concatenate((rows.first, rows.second))
    (document_of_annotator, _), inverse, _ = unique_rows(np.tile(document, 2), annotator)
    change_by_annotator = np.bincount(inverse, np.tile(change, 2))

    def sum_by(index: Ints, values: Any) -> Floats:
        return np.bincount(index, values, len(documents)).astype(np.float64)

    same_pair = sum_by(document, change * change)
    shared_annotator = sum_by(document_of_annotator, change_by_annotator * change_by_annotator)
    total = sum_by(document, change) ** 2
    columns = [same_pair, shared_annotator - 2 * same_pair, total - shared_annotator + same_pair]
    columns += [n_pairs, k * (k - 1) * (k - 2), n_pairs * (k - 2) * (k - 3) / 2]
    return np.stack([*columns, sum_by(document, denominator), k], axis=1)


def _list_plannable_numbers(table: Floats, n_annotators: int) -> list[int]:
    """List the numbers of annotators of a document that a plan can have.

    Numbers from 4 need documents with four annotators, from which c0 is estimated, and 3 needs
    documents with three, from which c1 is estimated.
    """
    n_seen = table[:, _SEEN]
    if (n_seen > 3).sum() >= _ENOUGH:
        return list(range(2, min(_MOST_ANNOTATORS, n_annotators) + 1))
    return [2, 3] if (n_seen > 2).sum() >= _ENOUGH else [2]


def _compute_variances(
    total: Floats, numbers: Sequence[int], n_estimable: int
) -> dict[int, Floats]:
    """Compute the variance of one document for each number of annotators.

    It is the variance of a U-statistic of pairs, see the equation in the module's opening. For
    numbers above ``n_estimable``, and if the estimate is not above 0, the variance at
    ``n_estimable`` is extrapolated: it decreases as in a model with effects of document, annotator
    and pair (Hoeffding 1948), with 0 ≤ c1 ≤ c2 and max(2·c1 − c2, 0) ≤ c0 ≤ c1.

    Args:
        total: sums over documents of the columns of the document table: (samples, 8).
        numbers: numbers of annotators.
        n_estimable: largest number of annotators that enough documents have.

    Returns:
        Variances of each sample, by number of annotators.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        same_pair, shared_annotator, other = np.nan_to_num(total[:, :3] / total[:, 3:6]).T
        mean_denominator = total[:, 6] / total[:, 3]
        annotator_effect = shared_annotator.clip(0, same_pair)
        document_effect = other.clip(
            np.maximum(2 * annotator_effect - same_pair, 0), annotator_effect
        )

        def variance_of(k: int, shared_annotator: Floats, other: Floats) -> Floats:
            weighted_sum = (
                same_pair + 2 * (k - 2) * shared_annotator + (k - 2) * (k - 3) / 2 * other
            )
            return np.asarray(2 / (k * (k - 1)) * weighted_sum / mean_denominator**2, np.float64)

        estimates = {k: variance_of(k, shared_annotator, other) for k in {*numbers, n_estimable}}
        decreasing = {k: variance_of(k, annotator_effect, document_effect) for k in estimates}
        scale = np.where(
            estimates[n_estimable] > 0, estimates[n_estimable] / decreasing[n_estimable], 1
        )
        return {
            k: np.where(
                (k <= n_estimable) & (estimates[k] > 0), estimates[k], scale * decreasing[k]
            )
            for k in numbers
        }
