"""The team, the mean over pairs and each annotator, from counts of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.count import AgreementCounts
from spanagree.agreement.coverage import SharedDocumentCounts
from spanagree.arrays import Bools, Floats, Ints
from spanagree.comparisons.table import ALL, Comparisons
from spanagree.comparisons.tally import Tally
from spanagree.errors import escape_name, join_names, pluralize, quote_value
from spanagree.results.result import NanEqualMixin
from spanagree.results.score import (
    NO_CHANCE,
    UNDEFINED,
    Interval,
    Score,
    ScoreValues,
    build_undefined_score,
    compute_f1_figures,
)
from spanagree.settings import document_noun


@dataclass(frozen=True)
class Pair:
    """Two annotators over the documents that both saw.

    ``few`` is true if they share fewer documents than requested, so the figures are unreliable.
    ``size_a`` of the tally belongs to ``a``, ``size_b`` to ``b``.
    """

    a: str
    b: str
    documents: int
    tally: Tally
    few: bool

    @property
    def f1(self) -> Score:
        """F1 over shared documents; undefined without any, or if nothing is marked in them."""
        return self.tally.f1 if self.documents else build_undefined_score("no document shared")


@dataclass(frozen=True)
class Team:
    """All pairs together: their tallies summed, so documents that many saw weigh more.

    ``pairs`` counts the pairs that share a document; ``documents`` those that two or more saw.
    """

    pairs: int
    documents: int
    tally: Tally
    reason: str = ""

    @property
    def f1(self) -> Score:
        """F1 of the summed tallies."""
        return build_undefined_score(self.reason) if self.reason else self.tally.f1


@dataclass(frozen=True, eq=False)
class Mean(NanEqualMixin):
    """The mean over pairs of annotators; each pair has the same weight.

    Attributes:
        observed: mean of the pairs' observed F1.
        expected: mean of their expected F1.
        corrected: mean of their corrected F1.
        sd: standard deviations over the pairs (divisor n − 1); ``nan`` for one pair.
        pairs: number of pairs for which each figure is defined.
        reason: reason for undefined means; empty if they are defined.
        interval: interval of the means, if intervals were requested.
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
    """One annotator against all others, and the team without the annotator.

    Attributes:
        name: name of the annotator.
        documents: number of documents that the annotator saw.
        pairs: number of other annotators who share a document.
        tally: sum of the tallies of these pairs; ``size_a`` is the annotator's.
        without: team without the annotator.
        gain: F1 of the team without the annotator minus F1 of the team.
        gain_interval: interval of the gain, if intervals were requested.
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
        """F1 against all others."""
        return (
            self.tally.f1
            if self.pairs
            else build_undefined_score("no document shared with another")
        )


class Pairs(Mapping[tuple[str, str], Pair]):
    """The pairs of annotators that share a document, in the order of the corpus.

    A pair is found by its names in either order. For two annotators who share no document the pair
    has an undefined F1; such pairs are not counted and not listed.
    """

    def __init__(
        self, sharing: SharedDocumentCounts, comparisons: Comparisons, min_shared: int
    ) -> None:
        """Build the pairs.

        Args:
            sharing: pairs that share documents, and numbers of these documents.
            comparisons: sums of each pair over its documents.
            min_shared: number of shared documents below which a pair is marked as few.
        """
        self._names = {name: i for i, name in enumerate(sharing.annotators)}
        self._sharing, self._min_shared = sharing, min_shared
        self._build_intervals: Callable[[], Sequence[Interval]] | None = None
        # pairs without a segment have no row, and get an empty one
        zeros = np.zeros(len(sharing.first), np.int64)
        all_documents = np.full(len(sharing.first), ALL)
        rows = Comparisons.of(
            all_documents, all_documents, zeros, np.zeros(len(zeros)), (zeros, zeros)
        )
        rows = rows.named(comparisons.annotators, comparisons.labels)
        rows = comparisons + rows.between(sharing.first, sharing.second)
        self._comparisons = rows.by("first", "second")

    @property
    def members(self) -> Ints:
        """The indices of the two annotators of each pair; (pairs, 2)."""
        return np.stack((self._sharing.first, self._sharing.second), axis=1)

    @property
    def has_few_documents(self) -> Bools:
        """Mask of the pairs that share fewer documents than the requested number."""
        return self._sharing.shared < self._min_shared

    @cached_property
    def f1(self) -> Floats:
        """Observed, expected and corrected F1 of each pair; (pairs, 3)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return compute_f1_figures(np.column_stack(self._comparisons.symmetric_columns))

    def __getitem__(self, names: tuple[str, str]) -> Pair:
        """Return the pair of two annotators.

        Raises:
            KeyError: if a name is unknown, or both names are the same.
        """
        first, second = self._sort_names(names)
        index = self._index_by_names.get((first, second))
        if index is None:
            return Pair(first, second, 0, self._comparisons.empty_tally, True)
        return self.values()[index]

    @cached_property
    def _index_by_names(self) -> dict[tuple[str, str], int]:
        return {names: index for index, names in enumerate(self)}

    def _sort_names(self, names: tuple[str, str]) -> tuple[str, str]:
        """Sort two names in the order of the corpus; raise `KeyError` for other arguments."""
        are_two = isinstance(names, tuple) and len(names) == 2 and names[0] != names[1]
        if not are_two or not all(name in self._names for name in names):
            raise KeyError(f"{quote_value(names)}: two of {', '.join(self._names)} are needed")
        first, second = sorted(names, key=self._names.__getitem__)
        return first, second

    def __contains__(self, names: object) -> bool:
        try:
            return self._sort_names(names) in self._index_by_names  # type: ignore[arg-type]  # or anything
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
    def n_shared(self) -> Ints:
        """Number of documents that each pair shares."""
        return self._sharing.shared

    @cached_property
    def pairs_without_intervals(self) -> Sequence[Pair]:
        """The pairs in a list, without intervals, which may take long."""
        tallies, is_few = self._comparisons.tallies, self.has_few_documents.tolist()
        rows = zip(self, self._sharing.shared.tolist(), tallies, is_few, strict=True)
        return [Pair(*names, n_shared, tally, is_few) for names, n_shared, tally, is_few in rows]

    @cached_property
    def _pairs_with_intervals(self) -> Sequence[Pair]:
        """The pairs in a list, with intervals if they were requested."""
        if self._build_intervals is None:
            return self.pairs_without_intervals
        return [
            replace(pair, tally=replace(pair.tally, intervals={"f1": interval}))
            for pair, interval in zip(
                self.pairs_without_intervals, self._build_intervals(), strict=True
            )
        ]

    def values(self) -> Any:
        """Return the pairs in a list, with intervals if they were requested."""
        return self._pairs_with_intervals

    def add_intervals(self, build_intervals: Callable[[], Sequence[Interval]]) -> Pairs:
        """Return a copy with intervals; ``build_intervals`` is called when they are needed."""
        pairs = copy(self)
        pairs._build_intervals = build_intervals
        return pairs


class AgreementScores(NamedTuple):
    """All scores of an agreement; see :class:`spanagree.agreement.Agreement`."""

    team: Team
    mean: Mean
    pairs: Pairs
    annotators: Mapping[str, AnnotatorScores]
    labels: Mapping[str, Tally]


# --- from counts to figures ---------------------------------------------------------------------


def compute_scores(counts: AgreementCounts, min_shared: int) -> AgreementScores:
    """Compute the scores of the team, of pairs, of annotators and of labels, without intervals."""
    pairs = Pairs(counts.sharing, counts.pairs, min_shared)
    reason = "" if pairs else _explain_missing_team(len(counts.sharing.annotators))
    team, annotators = _score_team_and_members(counts, pairs, reason)
    mean = _compute_mean(pairs.f1, reason)
    rows, labels = counts.by_label, counts.by_label.labels
    tally_by_code = dict(zip(rows.label.tolist(), rows.tallies, strict=True))
    tally_by_label = {
        label: tally_by_code.get(code, rows.empty_tally) for code, label in enumerate(labels)
    }
    return AgreementScores(team, mean, pairs, annotators, tally_by_label)


def write_notes_on_sharing(counts: AgreementCounts) -> list[str]:
    """Write a note on each annotator who shares no document with another."""
    sharing, noun = counts.sharing, document_noun(counts.settings)
    names = sharing.annotators
    is_alone = np.full(len(names), len(names) > 1)
    is_alone[sharing.first] = is_alone[sharing.second] = False
    return [
        f"{escape_name(names[i])}: {pluralize(int(sharing.saw[i]), noun)}, none shared with another"
        " annotator"
        for i in np.flatnonzero(is_alone & (sharing.saw > 0)).tolist()
    ]


def write_notes_on_labels(counts: AgreementCounts) -> list[str]:
    """Write a note on each annotator who has no label in common with those compared with them.

    There is none if the measure ignores labels, or of crowds, whose labels are known only in sum.
    """
    labels, rows = counts.per_document.labels, counts.per_document.sums
    if not (labels and isinstance(rows, Comparisons)) or (rows.label < 0).any():
        return []  # sums over labels or annotators
    names = counts.sharing.annotators
    first, second = (
        annotator * len(labels) + rows.label for annotator in (rows.first, rows.second)
    )

    def find_marked(size_of_first: Ints, size_of_second: Ints) -> Bools:
        """Find the labels with a size, as a mask; (annotators, labels)."""
        n_cells = len(names) * len(labels)
        size = np.bincount(first, size_of_first, n_cells)
        size += np.bincount(second, size_of_second, n_cells)
        return (size > 0).reshape(len(names), -1)

    has_own = find_marked(rows.size_first, rows.size_second)
    has_other = find_marked(rows.size_second, rows.size_first)
    notes = []
    is_apart = has_own.any(axis=1) & has_other.any(axis=1) & ~(has_own & has_other).any(axis=1)
    for index in np.flatnonzero(is_apart).tolist():
        own, other = (
            join_names(labels[code] for code in np.flatnonzero(has_label[index]).tolist())
            for has_label in (has_own, has_other)
        )
        notes.append(
            f"{escape_name(names[index])}: no label in common with another annotator; it has {own},"
            f" the others {other}"
        )
    return notes


def _explain_missing_team(n_annotators: int) -> str:
    """Write the reason why no pair of annotators shares a document."""
    if n_annotators < 2:
        return f"{pluralize(n_annotators, 'annotator')}; agreement needs two"
    return "no document was seen by two annotators"


def _compute_mean(f1: Floats, reason: str) -> Mean:
    """Compute mean and standard deviation of F1 over pairs, for each of its three figures.

    Args:
        f1: observed, expected and corrected F1 of each pair, or ``nan``: (pairs, 3).
        reason: reason for undefined means, if there is no pair.
    """
    figures = [column[~np.isnan(column)] for column in f1.T]
    means = [math.fsum(values) / len(values) if len(values) else math.nan for values in figures]
    deviations = [
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
    return Mean(observed, expected, corrected, ScoreValues(*deviations), counts, reason)


def _score_team_and_members(
    counts: AgreementCounts, pairs: Pairs, reason: str
) -> tuple[Team, dict[str, AnnotatorScores]]:
    """Compute the scores of the team, of each annotator, and of the team without each annotator.

    Args:
        counts: counts of annotators against each other.
        pairs: pairs of annotators.
        reason: reason for an undefined team, if there is no pair.
    """
    sharing, total = counts.sharing, counts.pairs.by()
    team = Team(len(pairs), sharing.seen, total.tallies[0], reason)
    annotator_rows = counts.pairs.both_ways().by("first")
    tally_by_annotator = dict(
        zip(annotator_rows.first.tolist(), annotator_rows.tallies, strict=True)
    )
    # rows with an annotator's pairs, to be subtracted from the team
    rows_with_pairs = (counts.pairs + replace(counts.pairs, first=counts.pairs.second)).by("first")
    tally_without = dict(
        zip(annotator_rows.first.tolist(), total.less(rows_with_pairs).tallies, strict=True)
    )
    n_pairs = np.bincount(pairs.members.ravel(), minlength=len(sharing.annotators)).tolist()
    n_saw, n_only = sharing.saw.tolist(), sharing.only.tolist()
    annotators = {}
    for i, name in enumerate(sharing.annotators):
        n_remaining = len(pairs) - n_pairs[i]
        missing_reason = "" if n_remaining else "no pair is left"
        without = Team(
            n_remaining, sharing.seen - n_only[i], tally_without.get(i, team.tally), missing_reason
        )
        gain = ScoreValues(*map(_compute_gain, team.f1[:3], without.f1[:3]))
        tally = tally_by_annotator.get(i, annotator_rows.empty_tally)
        annotators[name] = AnnotatorScores(name, n_saw[i], n_pairs[i], tally, without, gain)
    return team, annotators


def _compute_gain(before: float, after: float) -> float:
    return UNDEFINED if math.isnan(gain := after - before) else gain  # this nan equals itself
