"""Annotators against each other: pairs, each annotator against the others, the team.

The paper on chance stops at two annotators who see everything. Tallies add: the tally of a team
is the sum over its pairs, and the tally of a pair is the sum over the documents that both saw. Only
F1 is reported, because the choice of the annotator for precision would be arbitrary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.agreement.count import (
    AgreementCounts,
    AgreementSettings,
    PairsByDocument,
    stack_columns,
)
from spanagree.agreement.team import (
    AnnotatorScores,
    Mean,
    Pairs,
    Team,
    compute_scores,
    write_notes_on_labels,
    write_notes_on_sharing,
)
from spanagree.arrays import Floats
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.tally import Tally
from spanagree.errors import check_choice, check_known
from spanagree.results.result import MappingResult, Result
from spanagree.results.score import ScoreValues, compute_f1_figures

if TYPE_CHECKING:
    from spanagree.agreement.by_annotator import AnnotatorSummary
    from spanagree.agreement.weight import DominantDocument
    from spanagree.choices import Figure
    from spanagree.comparisons.counting import MatchCountOptions
    from spanagree.comparisons.place_shares import PlacementStatistics
    from spanagree.uncertainty.chance_statistics import ChanceStatistics, PairChance
    from spanagree.uncertainty.confidence import Jackknife


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result, MappingResult):
    """Result of :func:`spanagree.agree`.

    Attributes:
        team: tallies summed over all pairs.
        mean: mean over pairs, with the standard deviation over pairs (divisor n − 1).
        pairs: pairs by the names of two annotators, in either order.
        annotators: scores of each annotator against the others, by name.
        labels: tally of the team by label; empty if the measure ignores labels.
        documents: number of documents of the corpus.
        document_ids: names of the documents; ``None`` if they are numbered from 1.
        settings: settings that determine the figures.
        notes: repairs and omissions of the reader.
        per_document: single documents.
        single: number of shared documents in which nobody marked more than one segment.
        by_chance: distribution of each pair's match by chance, if it was requested.
        sort: name of the order of annotators; ``None`` for the order of the corpus.
        places: statistics of segments under the rule of places, if chance has one.
        uniform: agreement without the rule of places; ``None`` if chance has no such rule.
        inexact: error bounds of expected matches that are not exact.
        without: agreement without some of the annotators, if it was requested.
        rows: rows of all documents, without text; :func:`spanagree.agree` combines several.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> result = sa.agree(corpus)
    >>> result.team.f1.observed, round(result.pairs["ann", "bob"].f1.corrected, 3)
    (0.5, 0.467)
    >>> result.evidence[0], round(result.labels["PER"].f1.observed, 2)
    (1, 1.0)
    """

    team: Team
    mean: Mean
    pairs: Pairs
    annotators: Mapping[str, AnnotatorScores]
    labels: Mapping[str, Tally]
    documents: int
    settings: AgreementSettings
    notes: tuple[str, ...]
    document_ids: tuple[str, ...] | None
    per_document: PairsByDocument = field(repr=False, compare=False)
    single: int = field(default=0, repr=False)
    by_chance: Mapping[tuple[str, str], PairChance] = field(
        default_factory=dict, repr=False, compare=False
    )
    sort: str | None = field(default=None, repr=False, compare=False)
    places: PlacementStatistics | None = field(default=None, repr=False, compare=False)
    uniform: Agreement | None = field(default=None, repr=False, compare=False)
    inexact: ApproximationError = field(
        default_factory=ApproximationError, repr=False, compare=False
    )
    without: Agreement | None = field(default=None, repr=False)
    rows: ComparedAnnotators | None = field(default=None, repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "pair": "a row for each pair that shares a document",
        "annotator": "a row for each annotator: against all others, and the team without",
        "label": "a row for each label",
        "document": "a row for each document that two annotators saw and one marked something in",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("pair", "annotator", "label")
    OF_LAYERS: ClassVar[bool] = True
    SHOWN_BY: ClassVar[str] = f"{__package__}.table"

    @cached_property
    def evidence(self) -> tuple[int, ...]:
        """Numbers of documents: with anything marked by two, disagreeing there, and agreeing."""
        from spanagree.uncertainty.jackknife import count_evidence  # only needed for display

        columns = stack_columns(self.per_document.sums.by("document"))
        return tuple(count_evidence(columns, compute_f1_figures)[0, 0].tolist())

    @cached_property
    def heavy(self) -> tuple[DominantDocument, ...]:
        """The documents with more than a tenth of the weight."""
        from spanagree.agreement.weight import find_heavy_documents  # only needed for display

        documents = self.per_document
        by_document, n_annotators = (
            documents.sums.by("document"),
            documents.coverage.count_annotators(),
        )
        return find_heavy_documents(documents.corpus, by_document, n_annotators)

    @property
    def counting(self) -> MatchCountOptions:
        """The measure and the chance model."""
        return self.per_document.counting

    def beside(self, other: Agreement, names: Sequence[str]) -> Agreement:
        """Add an agreement without the named annotators to this one."""
        uniform = self.uniform
        if uniform is not None and other.uniform is not None:
            uniform = uniform.beside(other.uniform, names)
        settings = replace(self.settings, without=tuple(names))
        return replace(self, without=other, uniform=uniform, settings=settings)

    @property
    def not_found(self) -> int:
        """The number of quotes that are not in the text, in documents that two or more saw."""
        quotes = self.per_document.corpus.unplaced.values()
        n_annotators = self.per_document.coverage.count_annotators()
        return sum(int((n_annotators[layer_quotes.at] > 1).sum()) for layer_quotes in quotes)

    @property
    def mostly_single(self) -> bool:
        """Whether anything is marked, but at most one segment in most shared documents."""
        return self.team.tally.size > 0 and 2 * self.single > self.team.documents

    @property
    def _keys(self) -> Sequence[Any]:
        return [*self.annotators]

    def __getitem__(self, names: str | tuple[str, str]) -> Any:
        """Return an annotator against the others by name, or a pair by two names.

        Raises:
            SettingError: if an annotator is unknown.
        """
        check_known(names if isinstance(names, tuple) else [names], self.annotators)
        return self.pairs[names] if isinstance(names, tuple) else self.annotators[names]

    @cached_property
    def standings(self) -> Mapping[str, AnnotatorSummary]:
        """Summary of each annotator in comparison with the others, by name."""
        from spanagree.agreement import by_annotator  # rarely needed

        return by_annotator.summarize_annotators(self.per_document, self.settings)

    @property
    def members(self) -> list[AnnotatorScores]:
        """Each annotator against the others, in the requested order."""
        from spanagree.agreement import by_annotator  # rarely needed

        standings = self.standings if self.sort else {}
        return by_annotator.sort_annotators(self.annotators.values(), standings, self.sort)

    def sorted(self, by: str) -> Agreement:
        """Return this agreement with annotators in another order.

        ``by`` is corrected or observed (the lowest F1 first), gain (the highest), p (the lowest),
        documents or segments (the most), or outlier: outliers, then annotators with most documents.

        Raises:
            SettingError: if the order is unknown.
        """
        from spanagree.agreement import by_annotator  # rarely needed

        check_choice(by, by_annotator.SORTS, "sort")
        return replace(self, sort=by)

    @property
    def error_of_chance(self) -> float | None:
        """The standard error of the team's chance F1, if it is estimated from draws."""
        return self.inexact.compute_error(float(self.team.tally.size))

    @cached_property
    def few(self) -> int:
        """Number of pairs that share fewer documents than the requested number."""
        return int(self.pairs.has_few_documents.sum())

    def matrix(self, figure: Figure = "corrected") -> Floats:
        """Return the F1 of each annotator with each other, in the order of ``annotators``.

        Undefined figures, pairs that share nothing, and the diagonal are ``nan``.

        Raises:
            SettingError: if ``figure`` is not observed, expected or corrected.

        >>> import spanagree as sa
        >>> one = [[(0, 2, "X")]]
        >>> sa.agree(sa.Corpus.from_segments([9], {"a": one, "b": one})).matrix()
        array([[nan,  1.],
               [ 1., nan]])
        """
        check_choice(figure, ScoreValues._fields, "figure")
        matrix = np.full((len(self.annotators),) * 2, np.nan)
        i, j = self.pairs.members.T
        matrix[i, j] = matrix[j, i] = self.pairs.f1[:, ScoreValues._fields.index(figure)]
        return matrix

    def by_document(self) -> Iterator[tuple[str, int, Tally]]:
        """Yield name, number of annotators, and tally over pairs of each document.

        Documents of fewer than two annotators, or without a segment, are left out.
        """
        per_document = self.per_document
        documents, n_saw = (
            per_document.sums.by("document"),
            per_document.coverage.count_annotators(),
        )
        for index, tally in zip(documents.document.tolist(), documents.tallies, strict=True):
            yield (
                self.document_ids[index] if self.document_ids else str(index + 1),
                int(n_saw[index]),
                tally,
            )

    TABLES: ClassVar[Mapping[str, str | None]] = {"team": None, "labels": "label"}

    SUMMARY: ClassVar[tuple[str, ...]] = (
        "documents",
        "shared=team.documents",
        "pairs=team.pairs",
        "saw=_saw",
        "places?",
        "uniform=uniform.team.f1?",
    )

    @property
    def _saw(self) -> dict[str, int]:
        """Number of documents of each annotator."""
        return {name: member.documents for name, member in self.annotators.items()}

    def chance_by_document(self) -> dict[tuple[str, str], dict[int, ChanceStatistics]]:
        """Compute the statistics of chance of each pair in each document that has a segment.

        Returns:
            Statistics by index of the document, for each pair of names.
        """
        rows = self.per_document.rows.by("first", "second", "document")
        annotator_index = {name: i for i, name in enumerate(self.annotators)}
        statistics_by_pair = {}
        for (a, b), pair_chance in self.by_chance.items():
            pair_rows = rows.where(
                (rows.first == annotator_index[a]) & (rows.second == annotator_index[b])
            )
            by_document = dict(zip(pair_rows.document.tolist(), pair_rows.tallies, strict=True))
            statistics_by_pair[a, b] = pair_chance.compute_for_documents(by_document)
        return statistics_by_pair


# --- from counts to the result ------------------------------------------------------------------


def build_agreement(
    counts: AgreementCounts, min_shared: int, jackknife: Jackknife | None = None
) -> Agreement:
    """Build an agreement from counts.

    Args:
        counts: counts of annotators against each other.
        min_shared: smallest number of shared documents of a pair that is not marked.
        jackknife: options of intervals. Default: no intervals.
    """
    settings = replace(
        counts.settings,
        annotators=len(counts.sharing.annotators),
        min_shared=int(min_shared),
    )
    figures = compute_scores(counts, min_shared)
    if jackknife is not None:
        from spanagree.agreement.intervals import add_intervals  # rarely requested

        figures = add_intervals(figures, counts, jackknife)
        team_and_mean = (figures.team.tally.intervals["f1"], figures.mean.interval)
        methods = [interval.kind for interval in team_and_mean if interval is not None]
        settings = replace(settings, **jackknife.settings(methods))
    return Agreement(
        *figures,
        counts.documents,
        settings,
        (
            *counts.notes,
            *(() if counts.places is None else counts.places.notes()),
            *counts.inexact.notes(float(figures.team.tally.size)),
            *write_notes_on_sharing(counts),
            *write_notes_on_labels(counts),
        ),
        counts.per_document.corpus.ids,
        counts.per_document,
        counts.single,
        inexact=counts.inexact,
        rows=counts.rows,
        places=counts.places,
        uniform=None if counts.uniform is None else build_agreement(counts.uniform, min_shared),
    )
