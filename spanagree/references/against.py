"""Each system against each reference that saw the document, beside the people's own ceiling."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import step_of
from spanagree.chance.model import ChanceModel, Given, chance_model
from spanagree.choices import MAJORITY, NOTHING, ChanceOf, ChanceOrAuto, MatchName
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.overlaps import chance_of_corpus
from spanagree.comparisons.place_shares import (
    PlaceShares,
    beside_uniform,
    notes_on_places,
    place_shares,
)
from spanagree.comparisons.random_layers import NAME, is_drawn, mean_of_random
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.roles import settled
from spanagree.errors import SettingError, annotator_names, counted, listed, printable, show
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.references.baselines import WITH_VOTERS
from spanagree.references.ceiling import (
    ALL,
    Key,
    Table,
    compare_with_references,
    scores_of,
    size_compared,
    tables_of_people,
    tables_of_systems,
    with_mean,
)
from spanagree.results import verdict
from spanagree.results.caveats import caveats_of
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Picture, f1_dots, heat_map
from spanagree.results.result import Comparable, note_left_out
from spanagree.results.score import Score, f1_figures
from spanagree.results.score_columns import F1, ScoreColumns
from spanagree.settings import MatchSettings, confidence_of, unit
from spanagree.systems.result import SystemsResult
from spanagree.uncertainty.confidence import Jackknife, parse_ci, settings_with
from spanagree.uncertainty.jackknife import evidence_of

PEOPLE = "human agreement"
_SHARE = ("system/human F1", "", "system/human corrected")


@dataclass(frozen=True, kw_only=True, eq=False)
class AgainstSettings(MatchSettings):
    """The settings of systems against references; ``chosen`` are these if not all others are."""

    systems: Sequence[str]
    references: int


class LabelAgainst(NamedTuple):
    """How one system did on the segments of one label; each as in :class:`SystemAgainst`."""

    f1: Score
    ceiling: Score
    share: Score


@dataclass(frozen=True, eq=False)
class SystemAgainst(Comparable):
    """How one system did against the references, and what these reach on the same documents.

    Attributes:
        name: the system.
        documents: how many documents it and a reference saw.
        f1: pooled over these documents and their references.
        ceiling: F1 of each reference against the others, on those that two references saw.
        share: the system's figures over those documents, weighing as they do in the ceiling, as
            shares of the ceiling's: of F1, of chance F1, and of corrected F1.
        labels: the same of each label; empty where labels do not count.
    """

    name: str
    documents: int
    f1: Score
    ceiling: Score
    share: Score
    labels: Mapping[str, LabelAgainst]


@dataclass(frozen=True, eq=False)
class Person(Comparable):
    """A reference against the others over the documents that two saw, or all of them: the ceiling.

    Attributes:
        name: the reference.
        documents: how many documents she and another reference saw; of all, how many two saw.
        f1: over these documents, pooled; or that of the best match.
        labels: the same of each label; of all references only.
    """

    name: str
    documents: int
    f1: Score
    labels: Mapping[str, Score] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class AgainstReferences(SystemsResult):
    """The result of :func:`spanagree.evaluate_references`.

    Attributes:
        systems: by name, in the order of the corpus.
        people: the references by name, each against the others.
        ceiling: all of them, each against the others.
        documents: the number of documents of the corpus.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and how chance was drawn.
        evidence: what each system's F1 rests on, and the ceiling's, whose name is empty.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same without that rule.
        unmarked: names of systems without a segment.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 4, "X")]], "bob": [[(0, 4, "X")]], "model": [[(0, 2, "X")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.evaluate_references(corpus, systems=["model"], match="token")
    >>> round(found["model"].f1.observed, 3), found.ceiling.f1.observed
    (0.667, 1.0)
    """

    systems: Mapping[str, SystemAgainst]
    people: Mapping[str, Person]
    ceiling: Person
    documents: int
    settings: AgainstSettings
    notes: tuple[str, ...]
    evidence: Mapping[str, Sequence[int]] = field(default_factory=dict, repr=False)
    places: PlaceShares | None = field(default=None, repr=False, compare=False)
    uniform: AgainstReferences | None = field(default=None, repr=False, compare=False)
    unmarked: tuple[str, ...] = field(default=(), repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "annotator": "a row for each reference too, against the others",
        "label": "a row for each label and system, then for the ceiling of the label",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("annotator", "label")
    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None}
    SUMMARY: ClassVar[tuple[str, ...]] = (
        "documents",
        "references",
        "places?",
        "uniform=uniform.scores?",
    )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        scores = self.scores | {"": self.ceiling.f1}
        rows = ((printable(name) or PEOPLE, x, self.evidence[name]) for name, x in scores.items())
        return caveats_of(rows, unit(self.settings))

    @property
    def verdict(self) -> str:
        """The order of systems by corrected F1 with people, and how far these agree themselves."""
        noun = unit(self.settings)
        seen = [system.documents for system in self.systems.values()]
        where = f"{verdict.counted_from(seen, noun)} that a person saw too"
        confidence = confidence_of(self.settings)
        advice = "--ci" if confidence is None else ""
        sentence = verdict.order(self.scores, where, confidence, advice, self.unmarked)
        chance = verdict.chance_model(self.settings)
        sentence = " ".join(filter(None, [sentence, chance, self.not_in_text]))
        people, both = self.ceiling.f1, counted(self.ceiling.documents, noun)
        if self.references == 1:
            return f"{sentence} One reference alone gives no human agreement."
        kind, before = verdict.figure_of(self.settings)
        value = getattr(people, kind)
        if math.isnan(value):
            return f"{sentence} Human agreement has no {before}F1: {people.reason}."
        reached = verdict.short(value)
        return f"{sentence} People agree with each other to {reached}, on {both}."

    @property
    def references(self) -> int:
        """How many references there are."""
        return self.settings.references

    def _table(self, by: str | None) -> Frame:
        """A row for each system, then one for the ceiling; ``by`` gives more of them."""
        ci, document = self.settings.ci is not None, unit(self.settings)
        f1 = ScoreColumns("f1", F1, ci, ("F1 of references", "", ""))
        ceiling = ScoreColumns("ceiling_f1")
        share = ScoreColumns("share", _SHARE, ci, spare=_SHARE[:1])
        of_label = [Column("label", "label", "name", "label against references")]
        columns = [
            *(of_label if by == "label" else ()),
            Column("system", "system", "name", "system against references"),
            Column("reference", "", "mark"),
            Column("documents", f"{document}s", "count", "documents of references"),
            *f1.columns,
            *share.columns,
            *ceiling.columns,
            *(column for score in (f1, share) if ci for column in score.ends),
        ]
        nothing = [""] * len([*share.columns, *ceiling.columns])
        no_ends = [""] * len(share.ends)
        rows: list[list[Value]] = []
        breaks: list[int] = []
        for label in self.labels if by == "label" else ("",):
            before: list[Value] = [label] if label else []
            for system in self.systems.values():
                scored = system.labels[label] if label else system
                scores = (
                    *f1.values(scored.f1),
                    *share.values(scored.share),
                    *ceiling.values(scored.ceiling),
                )
                ends = [*f1.end_values(scored.f1), *share.end_values(scored.share)] if ci else []
                rows.append([*before, system.name, False, system.documents, *scores, *ends])
            breaks.append(len(rows))
            top = self.ceiling.labels[label] if label else self.ceiling.f1
            people = [(self.ceiling, top)]
            people += [(person, person.f1) for person in self.people.values() if by == "annotator"]
            for person, score in people:
                ends = [*f1.end_values(score), *no_ends] if ci else []
                of_person = [*f1.values(score), *nothing, *ends]
                rows.append([*before, person.name, True, person.documents, *of_person])
            breaks += [len(rows)] if by == "label" else []
        references = counted(self.settings.references, "reference")
        table = Frame(
            columns,
            rows,
            self.settings,
            breaks=breaks,
            best=() if by == "label" else (*F1[::2], *_SHARE[::2]),
            remarks=self._remarks(by),
            caption=f"{counted(len(self.systems), 'system')} against {references},"
            f" {counted(self.documents, document)}",
        )
        uniform = None if self.uniform is None else self.uniform._table(by)
        return beside_uniform(table, uniform, self.places)

    @property
    def labels(self) -> list[str]:
        """The labels of which there are figures."""
        return list(self.ceiling.labels)

    def _remarks(self, by: str | None) -> list[str]:
        """Say what is pooled, and why figures are undefined."""
        document = unit(self.settings)
        if by == "label" and not self.labels:
            why = f"match {self.settings.match} disregards them"
            if find_match(self.settings.match).of_label:
                why = "there are no labels"
            return [f"no rows for labels: {why}", *self.caveats]
        remarks = [
            f"F1: tallies summed over references and {document}s; those that many saw weigh more",
            f"system/human: ratio to human agreement on the same {document}s",
        ]
        remarks += verdict.remarks_without_chance(self.settings)
        if self.settings.get("chance_of") == "systems":
            remarks.append(
                "chance: of systems; references are as they are, and of two people one is in turn"
            )
        if self.places is not None:
            sides = {"references": list(self.people), "systems": list(self.systems)}
            remarks += self.places.remarks(sides)
        if MAJORITY in self.systems and MAJORITY in self.settings.get("made", {}):
            remarks.append(WITH_VOTERS)
        for name, system in self.systems.items():
            known = {""}  # what is so of all labels is said once
            parts: dict[str, SystemAgainst | LabelAgainst] = {"": system}
            for label, scored in {**parts, **(system.labels if by == "label" else {})}.items():
                whose = ", ".join(printable(x) for x in (name, label) if x)
                what = "undefined" if scored.f1.reason else "share undefined"
                why = scored.f1.reason or scored.share.reason
                remarks += [] if why in known else [f"–: {whose}: {what}: {why}"]
                known |= set() if label else {why}
        if reason := self.ceiling.f1.reason:
            remarks.append(f"–: human agreement is undefined: {reason}")
        return [*remarks, *self.caveats]

    def _picture(self, by: str | None) -> Picture:
        """Return F1 and corrected F1 of each system, and below them the ceiling of people.

        By label it is a heat map of corrected F1, labels × systems and people.
        """
        if by == "label" and self.labels:
            values = np.array([
                [
                    *(system.labels[x].f1.corrected for system in self.systems.values()),
                    top.corrected,
                ]
                for x, top in self.ceiling.labels.items()
            ])  # fmt: skip
            return heat_map(self.labels, [*self.systems, PEOPLE], values, "corrected F1")
        rows: list[SystemAgainst | Person] = [*self.systems.values(), self.ceiling]
        rows += self.people.values() if by == "annotator" else ()
        return f1_dots(((row.name, row.f1) for row in rows), "F1")


def evaluate_references(
    corpus: CorpusLike,
    references: Sequence[str] | None = None,
    *,
    systems: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    places: Given | None = None,
    chance_of: ChanceOf = "both",
    seed: int = 0,
    ci: bool | Jackknife = False,
    progress: Callable[[int, int], None] | None = None,
) -> AgainstReferences:
    """Return F1 of systems against many annotators, beside what these reach among themselves.

    Each system is compared with each reference that saw the document, and each reference with the
    others; tallies are summed over pairs and documents, as :func:`spanagree.agree` does.

    Args:
        corpus: references and systems as layers.
        references: the names of the references, or all that are not systems.
        systems: the names of the systems, or all that are not references.
        match: name of the measure.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        places: where random segments may stand; see :func:`spanagree.evaluate`.
        chance_of: whose annotations are random, both, or systems with references as they are; of
            people too, each in turn as a system is.
        seed: a whole number from 0, of draws where expected scores are too much work to compute.
        ci: intervals for every figure, as of :func:`spanagree.evaluate`; not over texts.
        progress: called with the number of steps done, and of all.

    Raises:
        SettingError: for an unknown name, one on both sides, or none on one; otherwise as for
            :func:`spanagree.evaluate`.

    >>> layers = {"ann": [[(0, 4, "X")]], "bob": [[(0, 4, "X")]], "model": [[(0, 2, "X")]]}
    >>> corpus = Corpus.from_segments([8], layers)
    >>> result = evaluate_references(corpus, systems=["model"], match="token")
    >>> print(result["model"].f1, result.ceiling.f1.observed)
    0.667 (chance 0.362, corrected 0.478) 1.0
    """
    corpus = corpus_of(corpus)
    check_in_one_piece(corpus, "a comparison with references")
    if corpus.of_strings:
        from spanagree.comparisons.strings import as_segments  # most corpora have texts

        corpus = as_segments(corpus, match)
    named, corpus = chance_model(chance, places, chance_of, seed).with_ids(corpus)
    find_match(match)
    model = chance_of_corpus(corpus, match, named)
    jackknife = parse_ci(ci)
    people, machines = _sides(corpus, references, systems)
    compared_corpus = settled(corpus.of_annotators([*people, *machines]), machines, people)
    chosen = None if len(corpus.layers) == len(people + machines) else people
    corpus = compared_corpus

    def settings_under(chance: ChanceModel) -> AgainstSettings:
        return AgainstSettings(
            match=match, **chance.settings, systems=machines, references=len(people),
            chosen=chosen, unplaced=compared_corpus.unplaced_count_as,
            offsets=compared_corpus.offsets, reading=compared_corpus.reading,
        )  # fmt: skip

    def compare(counting: MatchCounting) -> tuple[MatchCounting, AgainstReferences]:
        settings = settings_under(counting.chance)
        return counting, _compared(compared_corpus, settings, counting, jackknife)

    counting, result = MatchCounting.asked(match, model, named, progress).run(compare)
    shares = place_shares(corpus, corpus.annotators, counting.chance)
    notes = (*result.notes, *notes_on_places(corpus, shares))
    silent = (name for name in machines if not len(corpus.layers[name]))
    unmarked = tuple(name for name in silent if name != NOTHING)
    lost = _not_in_text(corpus, result.settings, machines)
    result = replace(result, unmarked=unmarked, not_in_text=lost)
    uniform = counting.without_places()
    if shares is None or uniform is None:
        return replace(result, notes=notes)
    plain = _compared(corpus, settings_under(uniform.chance), uniform, None)
    settings = replace(result.settings, places_mean=shares.mixed)
    return replace(result, notes=notes, settings=settings, places=shares, uniform=plain)


def _not_in_text(corpus: Corpus, settings: AgainstSettings, machines: Sequence[str]) -> str:
    """Compose a sentence on the systems' quotes in documents that a person saw too."""
    people = [layer for name, layer in corpus.layers.items() if name not in machines]
    is_seen = np.any([layer.annotated for layer in people], axis=0)
    quotes = [corpus.unplaced[name] for name in machines if name in corpus.unplaced]
    n_lost = sum(int(is_seen[of_system.at].sum()) for of_system in quotes)
    return verdict.not_in_text(settings, machines, n_lost)


def _compared(
    corpus: Corpus,
    settings: AgainstSettings,
    counting: MatchCounting,
    jackknife: Jackknife | None,
) -> AgainstReferences:
    """Return the result for a corpus in which the references come first."""
    people = settings.references
    counting.check(corpus)
    by_label = counting.measure.of_label
    rows, settings, notes = _pooled(corpus, settings, counting, by_label=by_label)
    tables = tables_of_systems(corpus, people, rows)
    tables |= tables_of_people(corpus, people, rows)
    wholes = None if jackknife is None else jackknife.wholes_of(corpus.wholes, settings)
    if jackknife is not None:
        step_of(counting.progress, "intervals")
    score = functools.partial(scores_of, wholes=wholes, jackknife=jackknife)
    scores, labels = score(tables), {}
    kinds = (x.interval.kind for x in scores.values() if x.interval is not None)
    settings = settings_with(settings, jackknife, kinds)
    for code, label in enumerate(corpus.labels if by_label else ()):
        of_label = rows.where(rows.label == code)
        labels[label] = score(tables_of_systems(corpus, people, of_label))
    return _result(len(corpus), tables, scores, labels, settings, (*corpus.notes, *notes))


def _pooled(
    corpus: Corpus, settings: AgainstSettings, counting: MatchCounting, *, by_label: bool
) -> tuple[Comparisons, AgainstSettings, list[str]]:
    """Return the rows of all annotations with references, the settings, and notes on chance."""
    chance, people = counting.chance, settings.references
    rows = compare_with_references(corpus, people, counting, by_label=by_label)
    notes = rows.inexact.notes(size_compared(rows, people, chance))
    settings = replace(settings, **rows.inexact.settings(chance.seed))
    if is_drawn(corpus) and NAME in corpus.annotators[people:]:
        mean = mean_of_random(corpus, corpus.annotators[:people], counting.measure)
        number = corpus.annotators.index(NAME)
        rows = with_mean(rows, number, mean.matched)
        size = rows.where(rows.first == number).total().size
        notes.append(mean.note(size, "references stay as they are"))
    return rows, settings, notes


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
    people = None if references is None else annotator_names(references, corpus.layers)
    machines = None if systems is None else annotator_names(systems, corpus.layers)
    if people is None:
        people = [name for name in names if name not in (machines or ())]
    if machines is None:
        machines = [name for name in names if name not in people]
    for name in people:
        if name in machines:
            raise SettingError(
                f"{show(name)} is a reference and a system; name it on one side, as a system would"
                " agree with itself"
            )
    for side, what in ((people, "reference"), (machines, "system")):
        if not side:
            raise SettingError(
                f"no {what} is left; there are {counted(len(names), 'annotator')}:"
                f" {listed(names)}; name those that are {what}s"
            )
    return people, machines


def _result(
    documents: int,
    tables: Mapping[Key, Table],
    scores: Mapping[Key, Score],
    labels: Mapping[str, Mapping[Key, Score]],
    settings: AgainstSettings,
    notes: Sequence[str],
) -> AgainstReferences:
    """Return the result of tables and scores, which ``labels`` has of each label."""

    def against(name: str, scores: Mapping[Key, Score]) -> LabelAgainst:
        return LabelAgainst(*(scores[kind, name] for kind in ("system", "ceiling", "share")))

    systems = {
        name: SystemAgainst(
            name,
            len(table[0]),
            *against(name, scores),
            {label: against(name, of_label) for label, of_label in labels.items()},
        )
        for (kind, name), table in tables.items()
        if kind == "system"
    }
    noun = unit(settings)
    lacking = (
        note
        for system in systems.values()
        for note in note_left_out(system.name, system.documents, documents, "a reference", noun)
    )
    people = {
        name: Person(name, len(table[0]), scores["person", name])
        for (kind, name), table in tables.items()
        if kind == "person"
    }
    tops = {label: of_label[ALL] for label, of_label in labels.items()}
    ceiling = Person(PEOPLE, len(tables[ALL][0]), scores[ALL], tops)
    evidence = {
        name: evidence_of(table, f1_figures)[0, 0].tolist()
        for (kind, name), (_, table) in tables.items()
        if kind in ("system", "all")
    }
    return AgainstReferences(
        systems, people, ceiling, documents, settings, (*notes, *lacking), evidence
    )
