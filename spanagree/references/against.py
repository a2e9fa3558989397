"""Each system against each reference that saw the document, beside the people's own ceiling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Progress, step_of
from spanagree.choices import DRAWS, By, Chance, Interval, MatchName, ResampleBy
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice, counted, listed, printable, show
from spanagree.matching.expected import expected_how, notes_on
from spanagree.matching.overlaps import check_layer, check_names
from spanagree.matching.score import F1, Score, ScoreColumns
from spanagree.references.best_match import best_matches, check_draws
from spanagree.references.ceiling import Scores, Tables, scores_of, shared_with
from spanagree.rendering.data import plain
from spanagree.rendering.plots import Picture, dot_of, dots, rows_size
from spanagree.rendering.table import Column, Table, Value
from spanagree.results import Comparable, Result, caveats, unaligned_of
from spanagree.settings import Settings, kept_names, unit
from spanagree.uncertainty.bootstrap import Resampling

PEOPLE = "people (the ceiling)"
_SHARE = ("share of F1", "", "share beyond luck")


@dataclass(frozen=True, kw_only=True, eq=False)
class AgainstSettings(Settings):
    """The settings of systems against references; ``chosen`` are these if not all others are."""

    match: str
    chance: str
    expected: str | None = None
    systems: Sequence[str]
    references: int
    best_match: bool | None = None
    draws: int | None = None


@dataclass(frozen=True, eq=False)
class SystemAgainst(Comparable):
    """How one system did against the references, and what these reach on the same documents.

    Attributes:
        name: the system.
        documents: how many documents it and a reference saw.
        f1: pooled over these documents and their references; or that of the best match.
        ceiling: F1 of each reference against the others, on those that two references saw.
        share: the system's figures over those documents, weighing as they do in the ceiling, as
            shares of the ceiling's: of F1, of luck, and beyond luck.
    """

    name: str
    documents: int
    f1: Score
    ceiling: Score
    share: Score


@dataclass(frozen=True, eq=False)
class Person(Comparable):
    """A reference against the others over the documents that two saw, or all of them: the ceiling.

    Attributes:
        name: the reference.
        documents: how many documents she and another reference saw; of all, how many two saw.
        f1: over these documents, pooled; or that of the best match.
    """

    name: str
    documents: int
    f1: Score


@dataclass(frozen=True, eq=False, repr=False)
class AgainstReferences(Result):
    """The result of :func:`spanagree.evaluate_references`.

    Attributes:
        systems: by name, in the order of the corpus.
        people: the references by name, each against the others.
        ceiling: all of them, each against the others.
        documents: the number of documents of the corpus.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and how luck was drawn.
        evidence: what each system's F1 rests on, and the ceiling's, whose name is empty.
    """

    systems: Mapping[str, SystemAgainst]
    people: Mapping[str, Person]
    ceiling: Person
    documents: int
    settings: AgainstSettings
    notes: tuple[str, ...]
    evidence: Mapping[str, Sequence[int]] = field(default_factory=dict, repr=False)

    BY: ClassVar[Mapping[str, str]] = {
        "annotator": "a row for each reference too, against the others"
    }
    DRAWN = ("annotator",)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        scores = {name: system.f1 for name, system in self.systems.items()} | {"": self.ceiling.f1}
        return tuple(
            caveat
            for name, score in scores.items()
            for caveat in caveats(
                printable(name) or PEOPLE, score, self.evidence[name], unit(self.settings)
            )
        )

    def __getitem__(self, system: str) -> SystemAgainst:
        """Return a system by its name; SettingError for an unknown one."""
        check_choice(system, self.systems, "system")
        return self.systems[system]

    def to_dict(self, by: By | None = None) -> dict[str, Any]:
        """Return the result as plain data, for JSON; undefined is ``None``."""
        data = {
            **self.head(documents=self.documents),
            "systems": [
                {
                    "name": system.name,
                    "documents": system.documents,
                    **unaligned_of(self.settings, system.name),
                    "f1": system.f1.to_dict(),
                    "ceiling": system.ceiling.to_dict(),
                    "share": system.share.to_dict(),
                }
                for system in self.systems.values()
            ],
            "ceiling": {
                "references": self.settings.references,
                "documents": self.ceiling.documents,
                "f1": self.ceiling.f1.to_dict(),
                "annotators": [
                    {
                        "name": one.name,
                        "documents": one.documents,
                        **unaligned_of(self.settings, one.name),
                        "f1": one.f1.to_dict(),
                    }
                    for one in self.people.values()
                ],
            },
        }
        return dict(plain(data))

    def _table(self, by: str | None) -> Table:
        """A row for each system, then one for the ceiling; with ``by`` one for each reference."""
        ci, document = self.settings.ci is not None, unit(self.settings)
        f1 = ScoreColumns("f1", F1, ci, ("F1 of references", "", ""))
        ceiling = ScoreColumns("ceiling_f1")
        share = ScoreColumns("share", _SHARE, ci)
        columns = [
            Column("system", "system", "name", "system against references"),
            Column("reference", "", "mark"),
            Column("documents", f"{document}s", "count", "documents of references"),
            *f1.columns,
            *share.columns,
            *ceiling.columns,
        ]
        nothing: list[Value] = ["" if each.title else None for each in share.columns]
        rows: list[list[Value]] = [
            [
                *(system.name, False, system.documents),
                *f1.values(system.f1),
                *share.values(system.share),
                *ceiling.values(system.ceiling),
            ]
            for system in self.systems.values()
        ]
        breaks = [len(rows)]
        people = [self.ceiling, *(self.people.values() if by == "annotator" else ())]
        nothing += [None] * len(ceiling.columns)
        rows += [
            [person.name, True, person.documents, *f1.values(person.f1), *nothing]
            for person in people
        ]
        references = counted(self.settings.references, "reference")
        how = "the nearest of" if self.settings.best_match else ""
        in_data = [[None if value == "" else value for value in row] for row in rows]
        return Table(
            columns,
            rows,
            self.settings,
            in_data=Table(columns, in_data, self.settings),
            caption=f"{counted(len(self.systems), 'system')} against {how} {references},"
            f" {counted(self.documents, document)}".replace("  ", " "),
            remarks=self._remarks(),
            breaks=breaks,
            best=(*F1[::2], *_SHARE[::2]),
        )

    def _remarks(self) -> list[str]:
        """Say what is pooled, and why figures are undefined."""
        document = unit(self.settings)
        remarks = [
            f"F1: the best match in each {document}, of all references but one, and the mean over"
            f" {document}s and over which one is left out"
            if self.settings.best_match
            else f"F1: tallies summed over references and {document}s; those that many saw weigh"
            " more",
            f"share: of the figure of people on the same {document}s, each weighing the same",
        ]
        for name, system in self.systems.items():
            reasons = dict.fromkeys(each.reason for each in (system.f1, system.share))
            remarks += [f"–: {printable(name)}: undefined: {why}" for why in reasons if why]
        if reason := self.ceiling.f1.reason:
            remarks.append(f"–: the ceiling is undefined: {reason}")
        return [*remarks, *self.caveats]

    def _picture(self, by: str | None) -> Picture:
        """Return F1 and corrected F1 of each system, and below them the ceiling of people."""
        rows: list[SystemAgainst | Person] = [*self.systems.values(), self.ceiling]
        rows += self.people.values() if by == "annotator" else ()
        kinds = ("F1", "corrected F1")
        figures = [
            (row.name, [dot_of(row.f1, kind) for kind in ("observed", "corrected")]) for row in rows
        ]
        names = [row.name for row in rows]
        return Picture(lambda ax: dots(ax, figures, kinds, "F1"), rows_size(names))


def evaluate_references(
    corpus: Corpus,
    references: Sequence[str] | None = None,
    *,
    systems: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
    best_match: bool = False,
    draws: int = DRAWS,
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: Interval = "bca",
    resample_by: ResampleBy = "unit",
    progress: Callable[[int, int], None] | None = None,
) -> AgainstReferences:
    """Return F1 of systems against many annotators, beside what these reach among themselves.

    Each system is compared with each reference that saw the document, and each reference with the
    others; tallies are summed over pairs and documents, as :func:`spanagree.agree` does.

    Args:
        corpus: references and systems as layers.
        references: the names of the references, or all that are not systems.
        systems: the names of the systems, or all that are not references.
        match: the measure, exact, boundaries, token, iou or overlap.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        best_match: whether the nearest reference of each document counts, its luck being drawn; of
            R, systems too choose among R − 1, as a mean over which one is left out.
        draws: how many, for the luck of the best match.
        ci: intervals for every figure, as of :func:`spanagree.evaluate`.
        seed: a whole number from 0, of resamples and of draws.
        interval: bca, percentile or jackknife.
        resample_by: what is drawn for intervals, unit or document; not text.
        progress: called with the number of steps done, and of all.

    Raises:
        SettingError: for an unknown name, one on both sides, or none on one; otherwise as for
            :func:`spanagree.evaluate`.

    >>> layers = {"ann": [[(0, 4, "X")]], "bob": [[(0, 4, "X")]], "model": [[(0, 2, "X")]]}
    >>> corpus = Corpus.from_segments([8], layers)
    >>> result = evaluate_references(corpus, systems=["model"], match="token")
    >>> print(result["model"].f1, result.ceiling.f1.observed)
    0.6667 (luck 0.3619, corrected 0.4776) 1.0
    """
    check_names(match, chance)
    check_draws(draws)
    resampling = Resampling(confidence, resamples, seed, interval, resample_by=resample_by)
    people, machines = _sides(corpus, kept_names(references), kept_names(systems))
    settings = AgainstSettings(
        match=match, chance=chance, systems=machines, references=len(people),
        chosen=None if len(corpus.layers) == len(people + machines) else people,
        offsets=corpus.offsets, reading=corpus.reading,
    )  # fmt: skip
    luck = (draws, seed) if best_match else None
    corpus = corpus.of_annotators([*people, *machines])
    return _compared(corpus, settings, luck, resampling if ci else None, progress)


def _compared(
    corpus: Corpus,
    settings: AgainstSettings,
    luck: tuple[int, int] | None,
    resampling: Resampling | None,
    progress: Progress,
) -> AgainstReferences:
    """Return the result for a corpus in which the references come first.

    ``luck`` has the number of draws and their seed, if the best match is asked for.
    """
    match, chance, people = settings.match, settings.chance, settings.references
    for name in corpus.annotators:
        check_layer(corpus, name, match, chance)
    notes = [*corpus.notes]
    if luck is not None:
        shared, error = best_matches(corpus, people, match, chance, *luck, progress)
        draws, seed = map(int, luck)
        settings = replace(settings, best_match=True, draws=draws, seed=seed)
        notes.append(
            f"luck of the best match is the mean of {counted(draws, 'draw')}; its standard error is"
            f" {error:.2g} at most"
        )
    else:
        over = Counter[str]()
        is_reference = np.arange(len(corpus.annotators)) < people
        shared = shared_with(corpus, is_reference, match, chance, over, progress)
        settings = replace(settings, expected=expected_how(over))
        notes += notes_on(over)
    alike = luck is not None
    tables = drawn = Tables.of(corpus, people, shared, alike=alike)
    if resampling is not None:
        drawn = tables.by_wholes(resampling.wholes_of(corpus.wholes, settings))
        settings = replace(settings, **resampling.settings())
    drawing = None if resampling is None else step_of(progress, "intervals")
    scores = scores_of(tables, drawn, resampling, drawing, alike=alike)
    return _result(len(corpus), tables, scores, settings, notes)


def _sides(
    corpus: Corpus, references: Sequence[str] | None, systems: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the names of the references and of the systems.

    Raises:
        SettingError: if one is on both sides or not there, or a side has none.
    """
    if references is None and systems is None:
        raise SettingError(
            "neither references nor systems; name the ones or the others, and all that are not"
            " named are on the other side"
        )
    names = corpus.annotators
    given = [None if side is None else corpus.of_annotators(side) for side in (references, systems)]
    one, other = (None if side is None else list(side.layers) for side in given)
    people = one if one is not None else [name for name in names if name not in (other or ())]
    machines = other if other is not None else [name for name in names if name not in people]
    for name in people:
        if name in machines:
            raise SettingError(
                f"{show(name)} is a reference and a system; name it on one side, as a system would"
                " agree with itself"
            )
    for side, what in ((people, "reference"), (machines, "system")):
        if not side:
            raise SettingError(
                f"no {what} is left; there are {counted(len(names), 'layer')}:"
                f" {listed(names)}; name those that are {what}s"
            )
    return people, machines


def _result(
    documents: int,
    tables: Tables,
    scores: Scores,
    settings: AgainstSettings,
    notes: Sequence[str],
) -> AgainstReferences:
    """Return the result of tables and scores."""
    systems = {
        name: SystemAgainst(
            name, len(table[0]), scores.systems[name], scores.ceilings[name], scores.shares[name]
        )
        for name, table in tables.systems.items()
    }
    people = {
        name: Person(name, len(table[0]), scores.people[name])
        for name, table in tables.people.items()
    }
    ceiling = Person(PEOPLE, len(tables.ceiling[0]), scores.ceiling)
    return AgainstReferences(
        systems, people, ceiling, documents, settings, tuple(notes), scores.evidence
    )
