"""How many more documents, or annotators for each, an interval of some width needs.

With the annotators fixed, a team's figure is a mean over documents of what their pairs add. What
two pairs add to it goes together in three ways: they are the same pair in a document (c2), they
share an annotator there (c1), or neither (c0). These three are means over what is there, and the
variance of a document that k annotators see is made of them:

    2 / (k(k − 1)) · (c2 + 2(k − 2) c1 + (k − 2)(k − 3)/2 · c0)

So documents divide it, and more annotators take it down to c0, which is how far documents differ.
The interval is the one of :func:`spanagree.agree`, whose variance is that of a document divided by
their number. How certain a plan is follows from the degrees of freedom of the variance that is
there: V · df is distributed as its true value times χ² (Satterthwaite 1946).
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
from spanagree.agreement.count import AgreementSettings, columns_of
from spanagree.agreement.result import Agreement
from spanagree.arrays import Floats, Ints, Progress, unique_rows
from spanagree.choices import ChanceOrAuto, Figure, MatchName
from spanagree.comparisons.table import Comparisons
from spanagree.errors import (
    SettingError,
    check_choice,
    check_whole,
    pluralize,
    pluralize_of,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.result import ResultBase
from spanagree.results.score import ScoreValues
from spanagree.settings import document_noun
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.jackknife import TIE, Moments, ends_of

_MOST_ANNOTATORS = 10  # of a document, that a plan goes up to
_FEW = 30  # documents; a variance of fewer is shaky
_MOST_DOCUMENTS = 1 << 40  # more than which no plan asks for
_WIDTHS = (0.2, 0.1, 0.05, 0.02, 0.01)  # of intervals that a report plans
_NARROWER = 2 / 3  # of the width that is there, at most
_ENOUGH = 10  # documents that so many annotators saw
_SEEN = 7  # the column of how many saw a document


Number = TypeVar("Number", int, float)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlanSettings(AgreementSettings):
    """The settings of a plan: those of the agreement, and what is asked for."""

    width: float
    figure: str
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class Plan(ResultBase):
    """The result of :func:`plan_sample`.

    Attributes:
        value: the team's figure.
        documents: how many documents two or more annotators saw.
        of_documents: how many the corpus has.
        each: the mean number of annotators who saw one of these.
        width: width of the interval over these documents, as :func:`spanagree.agree` has it.
        variance: variance of one document, by the number of annotators of each.
        team: the team's figures, and their changes without each document.
        settings: what made the numbers; the width that is asked for among them.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.

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
    def _tail(self) -> float:
        return (1 - self.settings.confidence / 100) / 2

    def needed(self, annotators: int) -> tuple[int, int, int]:
        """Return how many documents in all are needed with so many annotators each, and from–to.

        Raises:
            SettingError: for a number of annotators that the plan does not have.
        """
        return _from_to(self._enough(variance) for variance in self._of(annotators))

    def _enough(self, variance: float) -> int:
        """Return the least number of documents whose interval is no wider than was asked for."""
        low = max(1, math.ceil((_scale(self._tail) / self.settings.width) ** 2 * variance) // 2)
        high = max(2, 2 * low)
        while self._width(high, variance) > self.settings.width and high < _MOST_DOCUMENTS:
            low, high = high, 2 * high
        while low + 1 < high:
            middle = (low + high) // 2
            if self._width(middle, variance) > self.settings.width:
                low = middle
            else:
                high = middle
        return max(2, high)

    def _width(self, documents: int, variance: float) -> float:
        """Compute the width of the interval of :func:`spanagree.agree` over so many documents.

        Degrees of freedom, and the documents with an error or a match, grow with the documents.
        """
        share = documents / max(self.documents, 1)
        n_units, n_wrong, n_right = (np.round(share * x) for x in self.team[3:])
        freedom = np.clip(share * self._freedom, 1, max(documents - 1, 1))
        spread = np.full((1, 3), variance / documents)
        fourth = 2 * spread**2 / freedom + spread**2 / np.maximum(n_units, 1)
        there = np.maximum(n_units, 2), np.maximum(n_wrong, 0), np.maximum(n_right, 0)
        sums = Moments(self.team.value, spread, fourth, *there)
        low, high = ends_of(sums, self._tail).ends[0, self._at].tolist()
        return float(high - low)

    @property
    def _at(self) -> int:
        """The position of the figure that is planned for."""
        return ScoreValues._fields.index(self.settings.figure)

    @property
    def _freedom(self) -> float:
        """Degrees of freedom of the variance that is there."""
        return float(self.team.freedom[0, self._at])

    def width_of(self, documents: int, annotators: int) -> tuple[float, float, float]:
        """Return how wide the interval would be over so many documents, and from–to.

        Raises:
            SettingError: for a number of annotators that the plan does not have, or no document.
        """
        check_whole(documents, 1, "documents")
        return _from_to(self._width(documents, variance) for variance in self._of(annotators))

    def _of(self, annotators: int) -> tuple[float, float, float]:
        """Return the variance of a document that so many annotators see, and from–to."""
        if annotators not in self.variance:
            known = ", ".join(map(str, self.variance))
            raise SettingError(f"annotators {quote_value(annotators)}; this plan has {known}")
        from scipy.special import chdtri  # takes a tenth of a second to import

        ends = (self._freedom / chdtri(self._freedom, p) for p in (self._tail, 1 - self._tail))
        low, high = (self.variance[annotators] * float(end) for end in ends)
        return self.variance[annotators], low, high

    @property
    def _rows(self) -> list[dict[str, Any]]:
        """What is needed with so many annotators of each document."""
        ends = ("documents_low", "documents_high")
        keys = ("annotators", "documents", *ends, "more", "annotations", "width_now")
        rows = []
        for k in self.variance:
            needed = self.needed(k)
            now, *_ = self.width_of(self.documents, k)
            cells = (k, *needed, max(0, needed[0] - self.documents), needed[0] * k, now)
            rows.append(dict(zip(keys, cells, strict=True)))
        return rows

    @property
    def verdict(self) -> str:
        """How wide the interval is so far, and what one of the width asked for needs."""
        noun, fewest, most = document_noun(self.settings), min(self.variance), max(self.variance)
        there = f"{pluralize(self.documents, noun)} so far give{'s' * (self.documents == 1)}"
        needs = [f"{self._needs(fewest)} with {pluralize(fewest, 'annotator')} each"]
        if most > fewest:
            needs.append(f"{self._needs(most)} with {most}")
        return (
            f"For these annotators, the {there} a {self.settings.confidence:g} % interval"
            f" {verdict.short(self.width)} wide; one of {verdict.short(self.settings.width)} needs"
            f" {', or '.join(needs)}."
        )

    def _needs(self, annotators: int) -> str:
        """Return how many documents so many annotators each need, and how certain that is."""
        enough, low, high = self.needed(annotators)
        between = f" ({low} to {high})" if low < high else ""
        return f"{pluralize(enough, document_noun(self.settings))}{between}"

    TABLES: ClassVar[Mapping[str, str | None]] = {"plan": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("value", "documents", "of_documents", "each", "width")

    def _table(self, by: str | None) -> Frame:
        """What is needed with so many annotators of each document."""
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
        asked = f"{self.settings.confidence:g} % interval of {self.settings.width:g} in width"
        what = f"for a {asked}: team's {_NAMES[self.settings.figure]} {self.value:.3f}"
        there = pluralize_of(self.documents, self.of_documents, document_noun(self.settings))
        seen = f"{there} seen by two or more, {self.each:.1f} annotators each"
        so_far = f"so far: {seen}, width {self.width:.3f}"
        return Frame(heads, rows, self.settings, caption=what, remarks=[so_far, *self.caveats])

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if self.documents >= _FEW:
            return ()
        few = pluralize(self.documents, document_noun(self.settings))
        return (f"only {few} to plan from; the variance is shaky",)


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
    """Return how many documents, with how many annotators each, an interval of this width needs.

    Args:
        corpus: what is there so far.
        width: let the interval of the team's figure be so wide.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        annotators: plan for these annotators only; all unless given.
        figure: plan for the interval of this figure, observed, expected or corrected.
        confidence: the level of the interval, in per cent.
        seed: a whole number from 0, of draws where expected scores are too much work to compute.
        progress: called with the number of pairs done, and of all.

    Raises:
        SettingError: for a width that is not above 0 and below 2, or where no document has an
            agreement to plan from; as for :func:`spanagree.agree`.

    >>> from spanagree.corpus.corpus import Corpus
    >>> layers = {"a": [[(0, 2, "X")]] * 40, "b": [[(0, 2, "X")], [(1, 3, "X")]] * 20}
    >>> plan_sample(Corpus.from_segments([9] * 40, layers), 0.1, figure="observed").needed(2)[0]
    385
    """
    corpus = as_corpus(corpus)
    number = isinstance(width, (Real, np.floating)) and not isinstance(width, bool)
    if not (number and 0 < width < 2):
        raise SettingError(f"width {quote_value(width)}; a number above 0 and below 2 is needed")
    check_choice(figure, ScoreValues._fields, "figure")
    jackknife = Jackknife(confidence)
    made = agree(
        corpus, match=match, chance=chance, annotators=annotators, seed=seed, progress=progress
    )
    return planned(made, width, figure, jackknife)


def planned(made: Agreement, width: float, figure: Figure, jackknife: Jackknife) -> Plan:
    """Return the plan from what is there.

    Raises:
        SettingError: where no document has an agreement to plan from, or documents do not vary.
    """
    if math.isnan(getattr(made.team.f1, figure)):
        raise SettingError(
            f"the team's {_NAMES[figure]} is undefined ({made.team.f1.reason}); a plan needs a"
            " part of the work done by two annotators or more"
        )
    settings = replace(made.settings, min_shared=None).extended(
        PlanSettings,
        width=float(width),
        figure=figure,
        confidence=float(jackknife.confidence),
    )
    per_document = made.per_document
    number = per_document.coverage.number()
    plan = _of_rows(made, per_document.rows, number, settings, jackknife)
    if plan.documents < 2 or not plan.width > TIE:
        alike = ", all with the same figures" * (plan.documents > 1)
        raise SettingError(
            f"{pluralize(plan.documents, document_noun(settings))} seen by two annotators or"
            f" more{alike}; a plan needs two that differ"
        )
    return plan


def _of_rows(
    made: Agreement,
    rows: Comparisons,
    number: Ints,
    settings: PlanSettings,
    jackknife: Jackknife,
) -> Plan:
    """Return the plan from some documents; ``number`` says how many annotators saw each."""
    kind = ScoreValues._fields.index(settings.figure)
    single = rows.by("first", "second", "document")
    change = changes(columns_of(single))[:, kind]
    table = _of_documents(number, single, change, kind)
    counts = _numbers(table, len(made.annotators))
    seen = int(np.sort(table[:, _SEEN])[-_ENOUGH:][0])
    variance = _variances(table.sum(axis=0)[None], counts, seen)
    team = Clusters.of(made.per_document, USUAL, made.settings).of_team()
    low, high = ends_of(team, jackknife.tail).ends[0, kind].tolist()
    return Plan(
        getattr(rows.total().f1, settings.figure),
        len(table),
        made.documents,
        float(table[:, _SEEN].mean()),
        float(high - low),
        {k: float(values[0]) for k, values in variance.items()},
        team,
        settings,
        made.notes,
    )


def narrower(made: Agreement) -> Plan | None:
    """Return a plan for the widest of some intervals that is clearly narrower than what is there.

    There is none where nothing can be planned, or the interval is the narrowest of them already.
    """
    try:
        plan = planned(made, _WIDTHS[0], "corrected", USUAL)
    except SettingError:
        return None
    narrow = (width for width in _WIDTHS if width <= _NARROWER * plan.width)
    width = next(narrow, None)
    if width is None:
        return None
    return replace(plan, settings=replace(plan.settings, width=width))


def _from_to(values: Iterable[Number]) -> tuple[Number, Number, Number]:
    """Return a number that is planned, and its low and high end, which hold it."""
    best, low, high = values
    return best, min(low, best), max(high, best)


def _scale(tail: float) -> float:
    """Return how many standard errors wide an interval is."""
    from scipy.special import ndtri  # takes a tenth of a second to import

    return -2 * float(ndtri(tail))


def slopes(totals: Floats) -> Floats:
    """Compute the change of the three figures by each sum, to first order; (3, 3).

    ``totals`` are matched, expected and size.
    """
    matched, expected, size = totals.tolist()
    left = size - 2 * expected
    observed, by_chance = 2 * matched / size, 2 * expected / size
    corrected = 2 * (matched - expected) / left if left else math.nan
    return np.array(
        (
            (2 / size, 0, -observed / size),
            (0, 2 / size, -by_chance / size),
            (2 / left, 2 * (corrected - 1) / left, -corrected / left) if left else [math.nan] * 3,
        )
    )


def changes(sums: Floats) -> Floats:
    """Compute the changes that rows of sums make to their three figures, to first order."""
    made: Floats = sums @ slopes(sums.sum(axis=0)).T
    return made


def _of_documents(number: Ints, rows: Comparisons, change: Floats, kind: int) -> Floats:
    """Return a row for each document that two or more saw.

    Its columns are the products of what two pairs change, summed over the same pair, pairs that
    share an annotator, and others; how many products these are; what the changes are divided by;
    and how many annotators saw it.
    """
    numbers = np.flatnonzero(number > 1)
    k = number[numbers].astype(np.float64)
    pairs = k * (k - 1) / 2
    document = np.searchsorted(numbers, rows.document)
    _, expected, size = columns_of(rows).T
    base = size - 2 * expected if ScoreValues._fields[kind] == "corrected" else size
    change = change * base.sum()
    annotator = np.concatenate((rows.first, rows.second))
    (location, _), which, _ = unique_rows(np.tile(document, 2), annotator)
    annotator_index = np.bincount(which, np.tile(change, 2))

    def added(place: Ints, values: Any) -> Floats:
        return np.bincount(place, values, len(numbers)).astype(np.float64)

    same = added(document, change * change)
    shared = added(location, annotator_index * annotator_index)
    total = added(document, change) ** 2
    columns = [same, shared - 2 * same, total - shared + same]
    columns += [pairs, k * (k - 1) * (k - 2), pairs * (k - 2) * (k - 3) / 2]
    return np.stack([*columns, added(document, base), k], axis=1)


def _numbers(table: Floats, annotators: int) -> list[int]:
    """Return the numbers of annotators of a document for which there is enough to plan from."""
    seen = table[:, _SEEN]
    if (seen > 3).sum() >= _ENOUGH:
        return list(range(2, min(_MOST_ANNOTATORS, annotators) + 1))
    return [2, 3] if (seen > 2).sum() >= _ENOUGH else [2]


def _variances(sums: Floats, numbers: Sequence[int], seen: int) -> dict[int, Floats]:
    """Return the variance of one document, by how many see each, from sums over documents.

    It is that of a U-statistic of pairs. Up to the number of annotators that enough documents were
    ``seen`` by it is estimated; from there on it falls as it can with effects of document,
    annotator and pair (Hoeffding 1948), as it does where an estimate is not above 0: few documents
    would promise intervals of no width.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        same, shared, apart = np.nan_to_num(sums[:, :3] / sums[:, 3:6]).T
        base = sums[:, 6] / sums[:, 3]
        of_effects = shared.clip(0, same)
        document_index = apart.clip(np.maximum(2 * of_effects - same, 0), of_effects)

        def of(k: int, shared: Floats, apart: Floats) -> Floats:
            sums = same + 2 * (k - 2) * shared + (k - 2) * (k - 3) / 2 * apart
            return np.asarray(2 / (k * (k - 1)) * sums / base**2, np.float64)

        estimates = {k: of(k, shared, apart) for k in {*numbers, seen}}
        falling = {k: of(k, of_effects, document_index) for k in estimates}
        scale = np.where(estimates[seen] > 0, estimates[seen] / falling[seen], 1)
        return {
            k: np.where((k <= seen) & (estimates[k] > 0), estimates[k], scale * falling[k])
            for k in numbers
        }
