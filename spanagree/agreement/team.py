"""The team, the mean over pairs and each annotator, from what is counted of the pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.count import AgreementCounts
from spanagree.arrays import Bools, Floats, Ints
from spanagree.comparisons.table import ALL, Comparisons, SharedDocumentCounts
from spanagree.comparisons.tally import Tally
from spanagree.errors import escape_name, pluralize, quote_value
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import (
    NO_CHANCE,
    UNDEFINED,
    Interval,
    Score,
    ScoreValues,
    f1_figures,
    undefined,
)
from spanagree.settings import document_noun


@dataclass(frozen=True)
class Pair:
    """Two annotators over the documents that both saw.

    ``few``: they share fewer documents than the number asked for, so the figures are shaky.
    ``size_a`` of the tally belongs to ``a``, ``size_b`` to ``b``.
    """

    a: str
    b: str
    documents: int
    tally: Tally
    few: bool

    @property
    def f1(self) -> Score:
        """Over the documents shared; undefined if there are none or nothing is marked in them."""
        return self.tally.f1 if self.documents else undefined("no document shared")


@dataclass(frozen=True)
class Team:
    """All pairs together: their tallies summed, so documents that many saw weigh more.

    ``pairs`` share a document; ``documents`` were seen by two annotators or more.
    """

    pairs: int
    documents: int
    tally: Tally
    reason: str = ""

    @property
    def f1(self) -> Score:
        """From the summed tallies."""
        return undefined(self.reason) if self.reason else self.tally.f1


@dataclass(frozen=True, eq=False)
class Mean(NanEqualMixin):
    """The mean over pairs of annotators, each pair counted once whatever it shares.

    Attributes:
        observed: the mean of the pairs' observed F1.
        expected: the mean of their expected F1.
        corrected: the mean of their corrected F1.
        sd: standard deviations over the pairs (divisor n − 1); ``nan`` of one pair.
        pairs: over how many pairs each mean runs: those for which the figure is defined.
        reason: why the means are undefined, if they are.
        interval: their interval, if intervals were asked for.
    """

    observed: float
    expected: float
    corrected: float
    sd: ScoreValues
    pairs: ScoreValues
    reason: str = ""
    interval: Interval | None = None


@dataclass(frozen=True, eq=False)
class AnnotatorScores(NanEqualMixin):
    """One annotator against all others, and the team without.

    Attributes:
        name: the annotator.
        documents: how many documents the annotator saw.
        pairs: with how many others a document is shared.
        tally: summed over these pairs; ``size_a`` is the annotator's.
        without: the team without the annotator.
        gain: how much higher the team's F1 is without the annotator.
        gain_interval: its interval, if intervals were asked for.
    """

    name: str
    documents: int
    pairs: int
    tally: Tally
    without: Team
    gain: ScoreValues
    gain_interval: Interval | None = None

    @property
    def f1(self) -> Score:
        """Against all others."""
        return self.tally.f1 if self.pairs else undefined("no document shared with another")


class Pairs(Mapping[tuple[str, str], Pair]):
    """The pairs of annotators that share a document, in the order of the corpus.

    A pair is found by its names in either order. Asked for two annotators who share no document,
    it gives a pair whose F1 is undefined; such pairs are not counted and not listed.
    """

    def __init__(
        self, sharing: SharedDocumentCounts, comparisons: Comparisons, min_shared: int
    ) -> None:
        """Make it of what annotators share and of comparisons by pair."""
        self._names = {name: i for i, name in enumerate(sharing.annotators)}
        self._sharing, self._min_shared = sharing, min_shared
        self._ends: Callable[[], Sequence[Interval]] | None = None
        # pairs that have marked nothing have no row, and get one
        nothing = np.zeros(len(sharing.first), np.int64)
        everything = np.full(len(sharing.first), ALL)
        rows = Comparisons.of(
            everything, everything, nothing, np.zeros(len(nothing)), (nothing, nothing)
        )
        rows = rows.named(comparisons.annotators, comparisons.labels)
        rows = comparisons + rows.between(sharing.first, sharing.second)
        self._comparisons = rows.by("first", "second")

    @property
    def members(self) -> Ints:
        """The numbers of the two annotators of each pair; (pairs, 2)."""
        return np.stack((self._sharing.first, self._sharing.second), axis=1)

    @property
    def few(self) -> Bools:
        """Which pairs share fewer documents than the number asked for."""
        return self._sharing.shared < self._min_shared

    @cached_property
    def f1(self) -> Floats:
        """Observed, expected and corrected F1 of each pair; (pairs, 3)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return f1_figures(np.column_stack(self._comparisons.symmetric_columns))

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        """The pair of these two annotators.

        Raises:
            KeyError: for a name that is not there, or twice the same.
        """
        first, second = self._in_order(names)
        place = self._places.get((first, second))
        if place is None:
            return Pair(first, second, 0, self._comparisons.empty_tally, True)
        return self.values()[place]

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        return {names: place for place, names in enumerate(self)}

    def _in_order(self, names: tuple[str, str]) -> tuple[str, str]:
        known = isinstance(names, tuple) and len(names) == 2 and names[0] != names[1]
        if not known or not all(name in self._names for name in names):
            raise KeyError(f"{quote_value(names)}: two of {', '.join(self._names)} are needed")
        first, second = sorted(names, key=self._names.__getitem__)
        return first, second

    def __contains__(self, names: object) -> bool:
        try:
            return self._in_order(names) in self._places  # type: ignore[arg-type]  # or anything
        except (KeyError, TypeError):
            return False

    def __iter__(self) -> Iterator[tuple[str, str]]:
        names = [*self._names]
        return ((names[i], names[j]) for i, j in self.members.tolist())

    def __len__(self) -> int:
        return len(self._sharing.first)

    def __repr__(self) -> str:
        return f"<Pairs: {len(self)} of {pluralize(len(self._names), 'annotator')}>"

    @property
    def shared(self) -> Ints:
        """Number of documents that each pair shares."""
        return self._sharing.shared

    @cached_property
    def without_intervals(self) -> Sequence[Pair]:
        """The pairs themselves, without intervals, which may take long."""
        tallies, few = self._comparisons.tallies, self.few.tolist()
        rows = zip(self, self._sharing.shared.tolist(), tallies, few, strict=True)
        return [Pair(*names, shared, tally, few) for names, shared, tally, few in rows]

    @cached_property
    def _with_intervals(self) -> Sequence[Pair]:
        if self._ends is None:
            return self.without_intervals
        return [
            replace(pair, tally=replace(pair.tally, intervals={"f1": ends}))
            for pair, ends in zip(self.without_intervals, self._ends(), strict=True)
        ]

    def values(self) -> Any:
        """The pairs themselves, with intervals if they were asked for."""
        return self._with_intervals

    def with_intervals(self, ends: Callable[[], Sequence[Interval]]) -> Pairs:
        """Return the same with intervals; ``ends`` is called when somebody asks for them."""
        made = copy(self)
        made._ends = ends
        return made


class AgreementScores(NamedTuple):
    """All figures of an agreement, as :class:`spanagree.agreement.Agreement` has them."""

    team: Team
    mean: Mean
    pairs: Pairs
    annotators: Mapping[str, AnnotatorScores]
    labels: Mapping[str, Tally]


# --- from counts to figures ---------------------------------------------------------------------


def scored(counts: AgreementCounts, min_shared: int) -> AgreementScores:
    """Return the figures of what was counted, without intervals."""
    pairs = Pairs(counts.sharing, counts.pairs, min_shared)
    reason = "" if pairs else _nobody(len(counts.sharing.annotators))
    team, annotators = _team_and_members(counts, pairs, reason)
    mean = _mean(pairs.f1, reason)
    rows, labels = counts.by_label, counts.by_label.labels
    of_code = dict(zip(rows.label.tolist(), rows.tallies, strict=True))
    by_label = {label: of_code.get(code, rows.empty_tally) for code, label in enumerate(labels)}
    return AgreementScores(team, mean, pairs, annotators, by_label)


def notes_on_sharing(counts: AgreementCounts) -> list[str]:
    """Return who shares no document with another annotator, a note for each."""
    sharing, what = counts.sharing, document_noun(counts.settings)
    names = sharing.annotators
    alone = np.full(len(names), len(names) > 1)
    alone[sharing.first] = alone[sharing.second] = False
    return [
        f"{escape_name(names[i])}: {pluralize(int(sharing.saw[i]), what)}, none shared with another"
        " annotator"
        for i in np.flatnonzero(alone & (sharing.saw > 0)).tolist()
    ]


def _nobody(annotators: int) -> str:
    if annotators < 2:
        return f"{pluralize(annotators, 'annotator')}; agreement needs two"
    return "no document was seen by two annotators"


def _mean(f1: Floats, reason: str) -> Mean:
    """Return the mean over pairs of their figures; (pairs, 3)."""
    figures = [column[~np.isnan(column)] for column in f1.T]
    means = [math.fsum(values) / len(values) if len(values) else math.nan for values in figures]
    spread = [
        math.sqrt(math.fsum((values - mean) ** 2) / (len(values) - 1))
        if len(values) > 1
        else math.nan
        for values, mean in zip(figures, means, strict=True)
    ]
    if not reason and not len(figures[0]):
        reason = "no pair for which it is defined"
    if not reason and len(figures[0]) and not len(figures[1]):
        reason = NO_CHANCE
    if not reason and not len(figures[2]):
        reason = "corrected: chance alone gives 1 for every pair"
    observed, expected, corrected = means
    counts = ScoreValues(*map(len, figures))
    return Mean(observed, expected, corrected, ScoreValues(*spread), counts, reason)


def _team_and_members(
    counts: AgreementCounts, pairs: Pairs, reason: str
) -> tuple[Team, dict[str, AnnotatorScores]]:
    """Return the team, and each annotator against the others, with the team less these pairs."""
    sharing, total = counts.sharing, counts.pairs.by()
    team = Team(len(pairs), sharing.seen, total.tallies[0], reason)
    annotator_index = counts.pairs.both_ways().by("first")
    with_others = dict(zip(annotator_index.first.tolist(), annotator_index.tallies, strict=True))
    # the pairs that are left without an annotator's own, which stand as they do in the team
    pairs_of = (counts.pairs + replace(counts.pairs, first=counts.pairs.second)).by("first")
    rest = dict(zip(annotator_index.first.tolist(), total.less(pairs_of).tallies, strict=True))
    number = np.bincount(pairs.members.ravel(), minlength=len(sharing.annotators)).tolist()
    saw, only = sharing.saw.tolist(), sharing.only.tolist()
    annotators = {}
    for i, name in enumerate(sharing.annotators):
        left = len(pairs) - number[i]
        why = "" if left else "no pair is left"
        without = Team(left, sharing.seen - only[i], rest.get(i, team.tally), why)
        gain = ScoreValues(*map(_gain, team.f1[:3], without.f1[:3]))
        tally = with_others.get(i, annotator_index.empty_tally)
        annotators[name] = AnnotatorScores(name, saw[i], number[i], tally, without, gain)
    return team, annotators


def _gain(before: float, after: float) -> float:
    return UNDEFINED if math.isnan(gain := after - before) else gain  # one nan equals itself
