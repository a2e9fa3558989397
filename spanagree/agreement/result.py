"""Annotators against each other: pairs, each against the rest, the team.

The paper on chance stops at two annotators who see everything. Tallies add, so a team's is the sum
over its pairs, and a pair's the sum over the documents that both saw. Only F1 is reported: which
of two annotators is asked for precision would be arbitrary.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spanagree.agreement import by_annotator
from spanagree.agreement.by_annotator import PAIRS, Layout, Part, Standing
from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.agreement.count import AgreementSettings, CountedPairs, PerDocument
from spanagree.agreement.intervals import with_intervals
from spanagree.agreement.team import (
    Mean,
    Member,
    Pairs,
    Team,
    notes_on_sharing,
    scored,
)
from spanagree.agreement.weight import DominantDocument, single_caveat, weight_caveats
from spanagree.arrays import Floats
from spanagree.choices import MIN_SHARED, Figure
from spanagree.comparisons.inexact import Inexact, of_all
from spanagree.comparisons.place_shares import PlaceShares, beside_uniform, notes_of
from spanagree.comparisons.tally import Tally
from spanagree.comparisons.tally_columns import count_columns, count_values
from spanagree.corpus.times import with_seconds
from spanagree.errors import check_choice, check_known, counted
from spanagree.results import verdict
from spanagree.results.caveats import caveats
from spanagree.results.frame import Column, Frame, with_more
from spanagree.results.plots import Picture, f1_dots, heat_map, sentence
from spanagree.results.result import Keyed, Result
from spanagree.results.score import Figures, Score, over_annotators
from spanagree.results.score_columns import ERROR_OF_CHANCE, F1, ScoreColumns
from spanagree.settings import confidence_of, unit
from spanagree.uncertainty.chance_statistics import COLUMNS as CHANCE_COLUMNS
from spanagree.uncertainty.chance_statistics import WHOLE, ChanceStatistics, PairChance
from spanagree.uncertainty.confidence import (
    FEW_ANNOTATORS,
    LEAST_ANNOTATORS,
    Jackknife,
    settings_with,
)
from spanagree.uncertainty.permutation import holm, holm_log10

_SD = "sd over pairs"  # a row
_FEW = "*"


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result, Keyed):
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
        evidence: in how many documents anything is marked by two who saw them, and of these, in
            how many any of them disagree, and agree.
        single: in how many documents that two saw nobody marked more than one segment.
        heavy: the documents that may carry more than a tenth of the weight.
        by_chance: the distribution of each pair's match by chance, if it was asked for.
        sort: in which order annotators are shown; that of the corpus unless asked for.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same without that rule.
        inexact: where the expected match is not exact.
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
    annotators: Mapping[str, Member]
    labels: Mapping[str, Tally]
    documents: int
    settings: AgreementSettings
    notes: tuple[str, ...]
    document_ids: tuple[str, ...] | None
    per_document: PerDocument = field(repr=False, compare=False)
    evidence: tuple[int, ...] = field(default=(0, 0, 0), repr=False)
    single: int = field(default=0, repr=False)
    heavy: tuple[DominantDocument, ...] = field(default=(), repr=False, compare=False)
    by_chance: Mapping[tuple[str, str], PairChance] = field(
        default_factory=dict, repr=False, compare=False
    )
    sort: str | None = field(default=None, repr=False, compare=False)
    places: PlaceShares | None = field(default=None, repr=False, compare=False)
    uniform: Agreement | None = field(default=None, repr=False, compare=False)
    inexact: Inexact = field(default_factory=Inexact, repr=False, compare=False)
    rows: ComparedAnnotators | None = field(default=None, repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "pair": "a row for each pair that shares a document",
        "annotator": "a row for each annotator: against all others, and the team without",
        "label": "a row for each label",
        "document": "a row for each document that two annotators saw and one marked something in",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("pair", "annotator", "label")
    OF_LAYERS: ClassVar[bool] = True

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        team, documents = self.team, self.evidence[0]
        compared = (member for member in self.annotators.values() if member.pairs)
        members = ((member.name, member.tally.size_a, member.without.f1) for member in compared)
        more = [*weight_caveats(team.tally, team.pairs, documents, self.heavy, members)]
        if self.mostly_single:
            more.append(single_caveat(self.single, team.documents, self.settings))
        shaky = caveats("team", team.f1, self.evidence, unit(self.settings))
        return (*shaky, *(f"team: {sentence}" for sentence in more), *self._few_annotators())

    def _few_annotators(self) -> Iterator[str]:
        """Yield a caveat if intervals over annotators rest on few of them."""
        n_annotators = self._n_compared
        if self.settings.over is None or n_annotators >= FEW_ANNOTATORS:
            return
        noun = counted(n_annotators, "annotator")
        if n_annotators < LEAST_ANNOTATORS:
            yield f"{noun}: an interval over annotators needs {LEAST_ANNOTATORS}, so there is none"
        else:
            yield (
                f"{noun}: an interval over annotators wants {FEW_ANNOTATORS} or more, as few tell"
                " little of others"
            )

    @property
    def _n_compared(self) -> int:
        """Number of annotators who share a document with another."""
        return sum(1 for member in self.annotators.values() if member.pairs)

    @property
    def verdict(self) -> str:
        """How far the team agrees, corrected for chance, on how many documents."""
        noun, confidence = unit(self.settings), confidence_of(self.settings)
        over = f" over {noun}s, for these {counted(self._n_compared, 'annotator')}"
        sentences = [verdict.one_score("The team", self.team.f1, confidence, over)]
        if math.isnan(self.team.f1.observed):
            return sentences[0]
        compared = [member for member in self.annotators.values() if member.pairs]
        unmarked = [member.name for member in compared if not member.tally.size_a]
        pairs = counted(self.team.pairs, "pair")
        seen = f"{self.team.documents} of {counted(self.documents, noun)}"
        sentences.append(f"It is over {pairs}, and {seen} that two or more saw.")
        if (others := over_annotators(self.team.f1.interval)) is not None:
            ends = others.corrected
            sentences.append(verdict.other_annotators(ends, self._n_compared, FEW_ANNOTATORS))
        sentences.append(verdict.chance_model(str.__str__(self.settings.chance)))
        return " ".join(filter(None, [*sentences, verdict.marked_nothing(unmarked)]))

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
    def standings(self) -> Mapping[str, Standing]:
        """How each annotator stands among the others, by name."""
        return by_annotator.standings(self.per_document, self.settings)

    @property
    def members(self) -> list[Member]:
        """Each annotator against the rest, in the order asked for."""
        standings = self.standings if self.sort else {}
        return by_annotator.arranged(self.annotators.values(), standings, self.sort)

    def sorted(self, by: str) -> Agreement:
        """Return the same with annotators shown in another order.

        ``by`` is corrected or observed (the lowest F1 first), gain (the highest), p (the lowest),
        documents or segments (the most), or outlier: those first, then who saw most.

        Raises:
            SettingError: for an unknown order.
        """
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
        check_choice(figure, Figures._fields, "figure")
        matrix = np.full((len(self.annotators),) * 2, np.nan)
        i, j = self.pairs.members.T
        matrix[i, j] = matrix[j, i] = self.pairs.f1[:, Figures._fields.index(figure)]
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

    @property
    def _shared_by_pairs(self) -> str:
        """What pairs share; how many documents where a source does not say who saw which."""
        document = unit(self.settings)
        kept = self.per_document
        if not kept.corpus.unsaid or not self.pairs:
            return f"a shared {document}"
        return verdict.counted_from(self.pairs.shared.tolist(), f"shared {document}")

    def _chance_of_pairs(self) -> list[tuple[ChanceStatistics, float, float]]:
        """Return what chance says of each pair, and p and its logarithm after Holm's correction."""
        if not self.by_chance:
            return []
        by_chance = [
            self.by_chance[pair.a, pair.b].of_all(pair.tally)
            for pair in self.pairs.without_intervals
        ]
        adjusted = holm([figures.p for figures in by_chance])
        logs = holm_log10([figures.log10_p for figures in by_chance])
        return list(zip(by_chance, adjusted, logs, strict=True))

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

    def _table(self, by: str | None) -> Frame:
        """The team and the mean over pairs; with ``by`` a row for each part instead."""
        names, parts, more = _LAYOUTS[by](self)
        ci = self.settings.ci is not None and by != "document"
        others = self.settings.over is not None and by in (None, "label", "annotator")
        f1 = ScoreColumns("f1", F1, ci, ("F1 of a pair", "", ""), others)
        error = self.error_of_chance if by is None else None
        columns = [*names, *f1.columns, *(f1.ends if ci else ())]
        columns += [ERROR_OF_CHANCE] * (error is not None)
        sizes = count_columns(is_titled=by == "pair", of_pairs=True)
        columns += [*sizes, *more]
        errors = [] if error is None else [error]
        rows = []
        for before, score, tally, behind in parts:
            of_chance = errors if tally else [None] * len(errors)  # means over pairs have none
            ends = f1.end_values(score) if ci else []
            rows.append(
                [
                    *before,
                    *f1.values(score),
                    *ends,
                    *of_chance,
                    *count_values(tally, of_pairs=True),
                    *behind,
                ]
            )
        if by is None and ci:  # a spread has no interval
            rows[-1] = [
                "" if c.kind == "interval" else v for c, v in zip(columns, rows[-1], strict=True)
            ]
        document = unit(self.settings)
        table = Frame(
            columns,
            rows,
            self.settings,
            caption=f"{counted(len(self.annotators), 'annotator')},"
            f" {counted(self.team.pairs, 'pair')} with {self._shared_by_pairs},"
            f" {counted(self.documents, document)}, {self.team.documents} seen by two or more",
            remarks=self._remarks(by, [score for names, score, *_ in parts if names != [_SD]]),
            for_people=[len(rows) - 1] if by == "label" else (),
            meanings={str(row[0]): str(row[0]) for row in rows} if by is None else {},
        )
        table = with_seconds(table, *(column.key for column in sizes), _MARKED.title)
        if by == "annotator" and len(rows) > by_annotator.SHOWN:
            sort = self.sort or "outlier"
            first = by_annotator.arranged(self.members, self.standings, sort)
            place = {member.name: i for i, member in enumerate(self.members)}
            short = replace(
                table,
                columns=by_annotator.for_terminal(columns),
                rows=[rows[place[member.name]] for member in first[: by_annotator.SHOWN]],
            )
            short = with_more(short, len(rows) - by_annotator.SHOWN)
            table = replace(table, in_terminal=short)
        uniform = None if self.uniform is None else self.uniform._table(by)
        return beside_uniform(table, uniform, self.places)

    def _remarks(self, by: str | None, scores: Sequence[Score | Mean]) -> list[str]:
        """Say how the team is added up, what is shaky, and why figures are undefined."""
        document = unit(self.settings)
        remarks = [
            f"team: tallies summed over pairs and {document}s; those that many saw weigh more"
        ]
        if self.places is not None:
            remarks += self.places.remarks({"annotators": list(self.annotators)})
        if self.settings.over is not None:
            remarks.append(
                f"intervals: over {document}s, for these annotators; then over other annotators too"
            )
        elif self.settings.ci is not None:
            remarks.append("intervals: for these annotators; others may differ by much more")
        if by == "label" and not self.labels:
            remarks.append(f"no rows for labels: match {self.settings.match} disregards them")
        if by and (error := self.error_of_chance):
            remarks.append(f"team: {of_all(error)}")
        if self.few:
            mark = f"{_FEW} " if by == "pair" else ""
            least = counted(self.settings.min_shared or 0, document)
            pairs = counted(len(self.pairs), "pair")
            shaky = f"{self.few} of {pairs} share fewer than {least}; their figures are shaky"
            if len(self.pairs) == 1:
                shaky = f"the only pair shares fewer than {least}; its figures are shaky"
            remarks.append(mark + shaky)
        silent = len(self.pairs) - int(self.mean.pairs.observed)
        if silent and self.mean.pairs.observed:
            remarks.append(
                f"{counted(silent, 'pair')} marked nothing in what is shared: left out of the mean"
            )
        if by is None and self.mean.pairs.observed:
            spread = "undefined of one pair" if self.mean.pairs.corrected == 1 else "divisor n − 1"
            remarks.append(f"{_SD}: {spread}")
        if by == "annotator":
            scores = [*scores, *(member.without.f1 for member in self.annotators.values())]
            remarks.append(by_annotator.sentence_on(self.annotators, self.standings))
        for score in scores:
            name = "mean" if isinstance(score, Mean) else "F1"
            if score.reason:
                kind = "corrected " if name == "F1" and not math.isnan(score.observed) else ""
                remarks.append(f"–: {kind}{name} undefined: {score.reason}")
        return [*dict.fromkeys(filter(None, [*remarks, *self.caveats]))]

    def _picture(self, by: str | None) -> Picture:
        """Return the corrected F1 of each annotator with each other as a heat map.

        By annotator or label it is F1 of each part as dots, with their intervals.
        """
        if by in ("annotator", "label"):
            _, parts, _ = _LAYOUTS[by](self)
            return f1_dots(((str(name), score) for (name, *_), score, *_ in parts), f"F1 by {by}")
        names = list(self.annotators)
        if not names:
            return Picture(functools.partial(sentence, text="no annotator"))
        return heat_map(names, names, self.matrix(), "corrected F1")


# --- the parts of an agreement in tables --------------------------------------------------------

_MARKED = Column("", "marked, over pairs", "count")


def _whole(result: Agreement) -> Layout:
    team, mean = result.team, result.mean
    spread = Score(*mean.sd, "one pair" if mean.pairs.corrected == 1 else "")
    observed, corrected = int(mean.pairs.observed), int(mean.pairs.corrected)
    # one number, or two if chance alone gives 1 for some
    shown = str(observed) if observed == corrected else f"{observed}, corrected {corrected}"
    over = (observed, corrected, shown)
    parts: list[Part] = [
        (["team"], team.f1, team.tally, (team.pairs, team.pairs, str(team.pairs))),
        (["mean over pairs"], mean, None, over),
        ([_SD], spread, None, over),
    ]
    numbers = [PAIRS._replace(title=""), Column("pairs_corrected", "", "count")]
    return [Column("of", " ", "name")], parts, [*numbers, PAIRS._replace(key="", kind="place")]


def _pairs(result: Agreement) -> Layout:
    columns = [
        *(Column(side, side, "name", "two annotators") for side in "ab"),
        *(Column("documents", "", "count"), Column("few", "", "mark")),
        Column("", f"{unit(result.settings)}s", "place", "documents of a pair"),
    ]
    by_chance = [
        [*figures.values()[:WHOLE], p_holm, figures.log10_p, log10]
        for figures, p_holm, log10 in result._chance_of_pairs()
    ]
    parts: list[Part] = []
    for i, p in enumerate(result.pairs.values()):
        names = [p.a, p.b, p.documents, p.few, f"{p.documents}{_FEW * p.few}"]
        parts.append((names, p.f1, p.tally, by_chance[i] if by_chance else ()))
    adjusted = [
        Column("p_holm", "Holm", "probability", "Holm of pairs against chance"),
        *(Column("log10_p"), Column("log10_p_holm")),
    ]
    return columns, parts, (*CHANCE_COLUMNS[:WHOLE], *adjusted) if by_chance else ()


def _labels(result: Agreement) -> Layout:
    parts: list[Part] = [([label], t.f1, t, [t.size]) for label, t in result.labels.items()]
    team = result.team
    parts.append((["all"], team.f1, team.tally, [team.tally.size]))
    return [Column("label", "label", "name", "label of a team")], parts, [_MARKED]


def _documents(result: Agreement) -> Layout:
    columns = [
        Column("document", unit(result.settings), "name", "document of a team"),
        Column("annotators", "annotators", "count"),
    ]
    parts: list[Part] = [([name, saw], t.f1, t, [t.size]) for name, saw, t in result.by_document()]
    return columns, parts, [_MARKED]


_LAYOUTS: Mapping[str | None, Callable[[Agreement], Layout]] = {
    None: _whole,
    "pair": _pairs,
    "annotator": lambda made: by_annotator.layout(made.members, made.standings, made.settings),
    "label": _labels,
    "document": _documents,
}


# --- from counts to the result ------------------------------------------------------------------


def result(
    counts: CountedPairs, min_shared: int = MIN_SHARED, jackknife: Jackknife | None = None
) -> Agreement:
    """Score what was counted, with intervals if they are requested."""
    settings = replace(
        counts.settings,
        annotators=len(counts.sharing.annotators),
        min_shared=int(min_shared),
    )
    figures = scored(counts, min_shared)
    if jackknife is not None:
        figures = with_intervals(figures, counts, jackknife)
        shown = (figures.team.tally.intervals["f1"], figures.mean.interval)
        settings = settings_with(settings, jackknife, [x.kind for x in shown if x is not None])
    return Agreement(
        *figures,
        counts.documents,
        settings,
        (
            *counts.notes,
            *notes_of(counts.places),
            *counts.inexact.notes(float(figures.team.tally.size)),
            *notes_on_sharing(counts),
        ),
        counts.per_document.corpus.ids,
        counts.per_document,
        tuple(counts.evidence[0].tolist()),
        counts.single,
        counts.heavy,
        inexact=counts.inexact,
        rows=counts.rows,
        places=counts.places,
        uniform=None if counts.uniform is None else result(counts.uniform, min_shared),
    )
