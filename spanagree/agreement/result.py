"""Annotators against each other: pairs, each against the rest, the team.

The paper on chance stops at two annotators who see everything. Tallies add, so a team's is the sum
over its pairs, and a pair's the sum over the documents that both saw. Only F1 is reported: which
of two annotators is asked for precision would be arbitrary.
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
    columns_of,
)
from spanagree.agreement.team import AnnotatorScores, Mean, Pairs, Team, notes_on_sharing, scored
from spanagree.arrays import Floats
from spanagree.choices import MIN_SHARED
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.tally import Tally
from spanagree.errors import check_choice, check_known
from spanagree.results.result import MappingResult, Result
from spanagree.results.score import ScoreValues, f1_figures

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
    """The result of :func:`spanagree.agree`.

    Attributes:
        team: the tallies summed over all pairs.
        mean: the mean over pairs, with the standard deviation over pairs (divisor n − 1).
        pairs: by the names of two annotators, in either order.
        annotators: by name, each against the rest.
        labels: the team by label; empty for a measure that disregards labels.
        documents: the number of documents of the corpus.
        document_ids: their names; without them they are numbered from 1.
        settings: what made the numbers.
        notes: what a reader repaired or passed over.
        per_document: single documents.
        single: in how many documents that two saw nobody marked more than one segment.
        by_chance: the distribution of each pair's match by chance, if it was asked for.
        sort: in which order annotators are shown; that of the corpus unless asked for.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same without that rule.
        inexact: where the expected match is not exact.
        without: agreement without some of the annotators, if it was asked for.
        rows: the rows of all documents, which hold no text; :func:`spanagree.agree` takes several.

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
        from spanagree.uncertainty.jackknife import evidence_of  # figures are doubted when shown

        columns = columns_of(self.per_document.sums.by("document"))
        return tuple(evidence_of(columns, f1_figures)[0, 0].tolist())

    @cached_property
    def heavy(self) -> tuple[DominantDocument, ...]:
        """The documents that may carry more than a tenth of the weight."""
        from spanagree.agreement.weight import heavy_documents  # figures are doubted when shown

        documents = self.per_document
        by_document, n_annotators = documents.sums.by("document"), documents.coverage.number()
        return heavy_documents(documents.corpus, by_document, n_annotators)

    @property
    def counting(self) -> MatchCountOptions:
        """The measure and the chance model."""
        return self.per_document.counting

    def beside(self, others: Agreement, names: Sequence[str]) -> Agreement:
        """Return the same with an agreement of others beside it, without those who are named."""
        uniform = self.uniform
        if uniform is not None and others.uniform is not None:
            uniform = uniform.beside(others.uniform, names)
        settings = replace(self.settings, without=tuple(names))
        return replace(self, without=others, uniform=uniform, settings=settings)

    @property
    def not_found(self) -> int:
        """The number of quotes that are not in the text, in documents that two or more saw."""
        quotes = self.per_document.corpus.unplaced.values()
        n_annotators = self.per_document.coverage.number()
        return sum(int((n_annotators[of_layer.at] > 1).sum()) for of_layer in quotes)

    @property
    def mostly_single(self) -> bool:
        """Whether anything is marked, but in most documents that two saw at most one segment."""
        return self.team.tally.size > 0 and 2 * self.single > self.team.documents

    @property
    def _keys(self) -> Sequence[Any]:
        return [*self.annotators]

    def __getitem__(self, names: str | tuple[str, str]) -> Any:
        """Return an annotator against the rest by name, or a pair by two names.

        Raises:
            SettingError: for an unknown annotator.
        """
        check_known(names if isinstance(names, tuple) else [names], self.annotators)
        return self.pairs[names] if isinstance(names, tuple) else self.annotators[names]

    @cached_property
    def standings(self) -> Mapping[str, AnnotatorSummary]:
        """How each annotator stands among the others, by name."""
        from spanagree.agreement import by_annotator  # few look at single annotators

        return by_annotator.standings(self.per_document, self.settings)

    @property
    def members(self) -> list[AnnotatorScores]:
        """Each annotator against the rest, in the order asked for."""
        from spanagree.agreement import by_annotator  # few look at single annotators

        standings = self.standings if self.sort else {}
        return by_annotator.arranged(self.annotators.values(), standings, self.sort)

    def sorted(self, by: str) -> Agreement:
        """Return the same with annotators shown in another order.

        ``by`` is corrected or observed (the lowest F1 first), gain (the highest), p (the lowest),
        documents or segments (the most), or outlier: those first, then who saw most.

        Raises:
            SettingError: for an unknown order.
        """
        from spanagree.agreement import by_annotator  # few look at single annotators

        check_choice(by, by_annotator.SORTS, "sort")
        return replace(self, sort=by)

    @property
    def error_of_chance(self) -> float | None:
        """The standard error of the team's chance F1, if it is of draws."""
        return self.inexact.error(float(self.team.tally.size))

    @cached_property
    def few(self) -> int:
        """How many pairs share fewer documents than the number asked for."""
        return int(self.pairs.few.sum())

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
        """Yield name, number of annotators who saw it, and tally over pairs, of each document.

        Documents that fewer than two saw, or in which nothing is marked, are left out.
        """
        per_document = self.per_document
        documents, saw = per_document.sums.by("document"), per_document.coverage.number()
        for d, tally in zip(documents.document.tolist(), documents.tallies, strict=True):
            yield self.document_ids[d] if self.document_ids else str(d + 1), int(saw[d]), tally

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
        """How many documents each annotator saw."""
        return {name: member.documents for name, member in self.annotators.items()}

    def chance_by_document(self) -> dict[tuple[str, str], dict[int, ChanceStatistics]]:
        """Return what chance says of each pair's documents with a segment, by number from 0."""
        rows = self.per_document.rows.by("first", "second", "document")
        numbers = {name: i for i, name in enumerate(self.annotators)}
        by_chance = {}
        for (a, b), statistics in self.by_chance.items():
            of_pair = rows.where((rows.first == numbers[a]) & (rows.second == numbers[b]))
            by_document = dict(zip(of_pair.document.tolist(), of_pair.tallies, strict=True))
            by_chance[a, b] = statistics.of_documents(by_document)
        return by_chance


# --- from counts to the result ------------------------------------------------------------------


def result(
    counts: AgreementCounts, min_shared: int = MIN_SHARED, jackknife: Jackknife | None = None
) -> Agreement:
    """Score what was counted, with intervals if they are requested."""
    settings = replace(
        counts.settings,
        annotators=len(counts.sharing.annotators),
        min_shared=int(min_shared),
    )
    figures = scored(counts, min_shared)
    if jackknife is not None:
        from spanagree.agreement.intervals import with_intervals  # most ask for none

        figures = with_intervals(figures, counts, jackknife)
        shown = (figures.team.tally.intervals["f1"], figures.mean.interval)
        kinds = [interval.kind for interval in shown if interval is not None]
        settings = replace(settings, **jackknife.settings(kinds))
    return Agreement(
        *figures,
        counts.documents,
        settings,
        (
            *counts.notes,
            *(() if counts.places is None else counts.places.notes()),
            *counts.inexact.notes(float(figures.team.tally.size)),
            *notes_on_sharing(counts),
        ),
        counts.per_document.corpus.ids,
        counts.per_document,
        counts.single,
        inexact=counts.inexact,
        rows=counts.rows,
        places=counts.places,
        uniform=None if counts.uniform is None else result(counts.uniform, min_shared),
    )
