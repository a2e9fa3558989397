"""How systems did against a gold annotation: raw, by chance alone, and corrected for chance."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Ints, Progress
from spanagree.choices import NOTHING
from spanagree.comparisons.inexact import Inexact, of_all
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.place_shares import PlaceShares, beside_uniform, notes_of
from spanagree.comparisons.tally import Tally, count_columns, count_values
from spanagree.corpus.times import with_seconds
from spanagree.errors import SettingError, check_choice, counted, listed, printable, show
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Pivot, Value, ranks
from spanagree.results.plots import Picture, f1_dots, heat_map, rows_size, sentence, slopes
from spanagree.results.result import Comparable, Keyed, Result, caveats_of, note_left_out
from spanagree.results.score import (
    ERROR_OF_CHANCE,
    FIGURES,
    Interval,
    Ratio,
    Score,
    Scored,
    corrected,
    undefined,
)
from spanagree.settings import confidence_of, unit
from spanagree.systems.compared_systems import ComparedSystems
from spanagree.systems.count import (
    CountedSystems,
    EvaluationSettings,
    moments_of_labels,
    moments_of_systems,
)
from spanagree.uncertainty.chance_statistics import COLUMNS as CHANCE_COLUMNS
from spanagree.uncertainty.chance_statistics import (
    WHOLE,
    ChanceStatistics,
    PairChance,
)
from spanagree.uncertainty.confidence import Jackknife, settings_with
from spanagree.uncertainty.jackknife import intervals_of

_NAMED = 5  # labels in a note
_BEST = (*(ratio.title for ratio in FIGURES.values()), "corrected F1")  # better if greater
_BY_LABEL = Pivot("label", "system", ("F1", "corrected F1"), ("gold",))


@dataclass(frozen=True, eq=False)
class Macro(Comparable, Scored):
    """Means over labels: of the observed and of the expected scores; corrected from these two.

    A label whose score is undefined is left out of the mean.

    Attributes:
        scores: the mean of each figure, by name; ``precision``, ``recall`` and ``f1`` are these.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> mine = sa.evaluate(sa.Corpus.from_segments([10], layers)).systems["mine"]
    >>> mine.macro.f1.observed, mine.macro.recall.observed
    (0.5, 0.5)
    """

    scores: Mapping[str, Score]

    def score_of(self, ratio: Ratio) -> Score:
        """Return the mean of a figure."""
        return self.scores[ratio.key]


class Rank(NamedTuple):
    """A system's place by F1, from 1; those that print alike share it, an undefined F1 has None.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> mine = sa.evaluate(sa.Corpus.from_segments([10], layers)).systems["mine"]
    >>> mine.rank
    Rank(observed=1, corrected=1)
    """

    observed: int | None
    corrected: int | None


@dataclass(frozen=True, eq=False, repr=False)
class System(Comparable, Scored):
    """How one system did: ``precision``, ``recall`` and ``f1`` over all documents and labels.

    Attributes:
        name: the layer's name.
        documents: how many documents both the gold annotator and the system saw.
        tally: the counts over all of them; the figures (micro-averages) derive from it.
        labels: a tally for each label; empty for a measure that disregards labels.
        macro: means over the labels.
        rank: place among the systems by F1.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> mine = sa.evaluate(sa.Corpus.from_segments([10], layers)).systems["mine"]
    >>> mine.precision.observed, mine.recall.observed, mine.tally.matched
    (1.0, 0.5, 1)
    """

    name: str
    documents: int
    tally: Tally
    labels: Mapping[str, Tally]
    macro: Macro
    rank: Rank

    def score_of(self, ratio: Ratio) -> Score:
        """Return the score of a figure over all documents and labels (micro-average)."""
        if not self.documents:
            return undefined("no document shared with gold")
        return self.tally.score_of(ratio)

    def __repr__(self) -> str:
        return f"<System {show(self.name)}: F1 {self.f1}>"


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result, Keyed):
    """The result of :func:`spanagree.evaluate`.

    Attributes:
        systems: by name, in the order of the corpus.
        documents: the number of documents of the corpus.
        document_ids: their names; without them they are numbered from 1.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
        counted: what the figures were made from.
        jackknife: the request for intervals, if there was one.
        by_chance: the distribution of each system's match by chance, if it was asked for.
        uniform: the same without the rule of places, if chance has one.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> result = sa.evaluate(sa.Corpus.from_segments([10], layers))
    >>> mine = result.systems["mine"].f1
    >>> round(mine.observed, 3), round(mine.expected, 3), round(mine.corrected, 3)
    (0.667, 0.074, 0.64)
    """

    systems: Mapping[str, System]
    documents: int
    document_ids: tuple[str, ...] | None
    settings: EvaluationSettings
    notes: tuple[str, ...]
    counted: CountedSystems = field(repr=False, compare=False)
    jackknife: Jackknife | None = field(default=None, repr=False)
    by_chance: Mapping[str, PairChance] = field(default_factory=dict, repr=False, compare=False)
    uniform: Evaluation | None = field(default=None, repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label",
        "document": "a row for each document that has a segment",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("label",)

    @property
    def scores(self) -> dict[str, Score]:
        """The F1 of each system."""
        return {name: system.f1 for name, system in self.systems.items()}

    @property
    def rows(self) -> ComparedSystems:
        """The rows of all documents, which hold no text; :func:`spanagree.evaluate` takes several.

        Raises:
            SettingError: for an evaluation over some of the documents of another.
        """
        if self.counted.rows is None:
            raise SettingError("rows are kept of a whole evaluation, not of some of its documents")
        return self.counted.rows

    @property
    def places(self) -> PlaceShares | None:
        """How segments stand to the rule of places, if chance has one."""
        return self.counted.places

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        scores = self.scores.items()
        rows = ((printable(name), score, self._evidence[name]) for name, score in scores)
        return caveats_of(rows, unit(self.settings))

    @property
    def _evidence(self) -> dict[str, list[int]]:
        """What the F1 of each system rests on."""
        f1 = list(FIGURES).index("f1")
        return {name: self.counted.evidence[name][f1].tolist() for name in self.systems}

    @property
    def verdict(self) -> str:
        """The order of systems by corrected F1, on how many documents; no test is needed."""
        noun = unit(self.settings)
        informative = [documents for documents, _, _ in self._evidence.values()]
        shared = [system.documents for system in self.systems.values()]
        where = f"{verdict.counted_from(informative, noun)} with anything marked"
        confidence = confidence_of(self.settings)
        sentence = verdict.order(self.scores, where, confidence, "--test jackknife", self.unmarked)
        seen = verdict.compared(shared, self.documents, noun)
        chance = verdict.chance_model(str.__str__(self.settings.chance))
        return " ".join(filter(None, [sentence, seen, chance]))

    @property
    def _keys(self) -> Sequence[Any]:
        return [*self.systems]

    @property
    def unmarked(self) -> tuple[str, ...]:
        """The names of gold and systems without a segment in the documents that they share.

        The baseline that marks nothing is none of them.
        """
        compared = [system for system in self.systems.values() if system.documents]
        of_gold = compared and not any(system.tally.size_a for system in compared)
        silent = (system.name for system in compared if not system.tally.size_b)
        of_systems = (name for name in silent if name != NOTHING)
        return (*((self.settings.gold,) if of_gold else ()), *of_systems)

    def __getitem__(self, system: str) -> System:
        """Return a system by its name; SettingError for an unknown one."""
        check_choice(system, self.systems, "system")
        return self.systems[system]

    def over(self, documents: Ints) -> Evaluation:
        """Return the same systems over some of the documents, by number from 0, ranked anew.

        Document numbers and names stay those of the whole.
        """
        fewer = result(self.counted.over(documents), self.jackknife)
        return replace(fewer, settings=self.settings, notes=self.notes)

    def by_document(self, system: str) -> Iterator[tuple[str, Tally]]:
        """Yield name and tally of each document that has a segment, of gold or of the system.

        Raises:
            SettingError: for an unknown system.
        """
        name, per_document = self[system].name, self.counted.per_document
        documents = per_document.of_system(name).by("document")
        for d, tally in zip(documents.document.tolist(), documents.tallies, strict=True):
            yield self.document_ids[d] if self.document_ids else str(d + 1), tally

    def chance_by_document(self, system: str) -> dict[int, ChanceStatistics]:
        """Return what chance says of each document that has a segment, by number from 0.

        Raises:
            SettingError: for an unknown system, or if chance was not asked for.
        """
        if self[system].name not in self.by_chance:
            raise SettingError("p values were not asked for; evaluate with p_values=True")
        numbers = self.counted.per_document.of_system(system).documents().tolist()
        tallies = (tally for _, tally in self.by_document(system))
        return self.by_chance[system].of_documents(dict(zip(numbers, tallies, strict=True)))

    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None, "labels": "label"}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "places?", "uniform=uniform.scores?")

    def _parts(self, system: System, by: str) -> Iterable[tuple[str, Tally]]:
        return system.labels.items() if by == "label" else self.by_document(system.name)

    def _chance_values(self, system: System) -> tuple[list[Value], list[list[Value]]]:
        by_chance = self.by_chance[system.name].of_all(system.tally)
        return by_chance.values(), [
            x.values() for x in self.chance_by_document(system.name).values()
        ]

    def _table(self, by: str | None) -> Frame:
        """A row for each system; with ``by`` for each part, then the averages of the system."""
        ci, ends = self.jackknife is not None, self.jackknife is not None and by != "document"
        scores = [ratio.columns(intervals=ends) for ratio in FIGURES.values()]
        counts = count_columns(is_titled=by is not None)
        all_saw = all(system.documents == self.documents for system in self.systems.values())
        drawn = by is None and any(inexact.drawn for inexact in self.counted.inexact.values())
        title = "" if all_saw else f"{unit(self.settings)}s"
        saw = Column("documents", title, "count", "documents of a system")
        columns = [
            Column("system", "system", "name"),
            *(_part_columns(by, unit(self.settings)) if by else [saw]),
            *(column for score in scores for column in score.columns),
            *(column for score in scores if ci for column in score.ends),
            *(ERROR_OF_CHANCE,) * drawn,
            *counts,
        ]
        with_p_values = bool(self.by_chance) and by != "label"
        columns += CHANCE_COLUMNS[: None if by else WHOLE] if with_p_values else ()
        if by is None:
            columns += [Column("rank_observed", "", "count"), Column("rank_corrected", "", "count")]
            columns.append(Column("", "F1 rank" * (len(self.systems) > 1), "rank", "rank"))

        def figures(scored: Scored) -> list[Value]:
            pairs = list(zip(scores, map(scored.score_of, FIGURES.values()), strict=True))
            values = [value for score, figure in pairs for value in score.values(figure)]
            ends = [value for score, figure in pairs for value in score.end_values(figure)]
            return values + ends if ci else values

        rows, breaks = list[list[Value]](), list[int]()
        for system in self.systems.values():
            breaks.append(len(rows))
            chance_of_all, by_chance = self._chance_values(system) if with_p_values else ([], [])
            error = [self._error_of_chance(system)] * drawn
            overall = [*figures(system), *error, *count_values(system.tally)]
            if by is None:
                overall += [*chance_of_all[:WHOLE], *system.rank, system.f1.observed]
                rows.append([system.name, system.documents, *overall])
                continue
            for number, (part, tally) in enumerate(self._parts(system, by)):
                row = [system.name, part, "", part, *figures(tally), *count_values(tally)]
                rows.append(row + by_chance[number] if with_p_values else row)
            rows.append([system.name, "", "micro", "all (micro)", *overall, *chance_of_all])
            if by == "label" and system.labels:
                macro = [*figures(system.macro), *count_values(None)]
                rows.append([system.name, "", "macro", "all (macro)", *macro])
        table = Frame(
            columns,
            rows,
            self.settings,
            caption=f"{counted(len(self.systems), 'system')} against"
            f" {printable(self.settings.gold)}, {counted(self.documents, unit(self.settings))}",
            remarks=self._remarks(by),
            breaks=breaks[1:] if by else (),
            pivot=_BY_LABEL if by == "label" and not ci else None,
            best=() if by else _BEST,
        )
        table = with_seconds(table, *(column.key for column in counts))
        if ends:  # a terminal has no room for these beside intervals
            hidden = [ratio.title for ratio in FIGURES.values() if not ratio.has_chance]
            narrow = [c._replace(title="") if c.title in hidden else c for c in table.columns]
            remarks = [*table.remarks, f"{verdict.in_words(hidden)}: --all shows them"]
            table = replace(table, in_terminal=replace(table, columns=narrow, remarks=remarks))
        uniform = None if self.uniform is None else self.uniform._table(by)
        return beside_uniform(table, uniform, self.places)

    def _remarks(self, by: str | None) -> list[str]:
        """Over how many documents figures stand, and why some are undefined, each reason once."""
        remarks: dict[str, None] = {}
        fewer = [system for system in self.systems.values() if system.documents < self.documents]
        if by == "label" and fewer:
            over = [f"{printable(system.name)} {system.documents}" for system in fewer]
            noun = counted(self.documents, unit(self.settings))
            remarks[f"not over all {noun}: {listed(over)}"] = None
        if by == "label" and not any(system.labels for system in self.systems.values()):
            remarks[f"no rows for labels: match {self.settings.match} disregards them"] = None
        for system in self.systems.values():
            name = printable(system.name)
            remarks |= {f"{name}: {reason}": None for reason in _undefined(system)}
            if by and (error := self._error_of_chance(system)):
                remarks[f"{name}: {of_all(error)}"] = None
            if by == "label":
                remarks |= {f"{name} (macro): {why}": None for why in _undefined(system.macro)}
            for _, tally in self._parts(system, by) if by else ():
                remarks |= {f"–: {reason}": None for reason in _undefined(tally)}
                if tally.f1.interval is not None and tally.f1.interval.reason:
                    remarks[f"intervals of some: {tally.f1.interval.reason}"] = None
        return [*remarks, *self.remarks_on_chance(), *self.caveats]

    def _error_of_chance(self, system: System) -> float | None:
        """Return the standard error of a system's chance F1, if it is of draws."""
        inexact = self.counted.inexact.get(system.name, Inexact())
        return inexact.error(system.tally.size)

    def remarks_on_chance(self) -> list[str]:
        """Say whose chance it is, and how segments stand to the rule of places."""
        remarks = []
        gold = self.settings.gold
        if self.settings.get("chance_of") == "systems":
            remarks.append(f"chance: of systems; {printable(gold)} is as it is")
        if self.places is not None:
            sides = {printable(gold): [gold], "systems": list(self.systems)}
            remarks += self.places.remarks(sides)
        return remarks

    def _picture(self, by: str | None) -> Picture:
        """Return F1 as observed and corrected: slopes, or dots with their intervals.

        By label it is a heat map of corrected F1, labels × systems.
        """
        systems = self.systems.values()
        if by == "label":
            labels = list(dict.fromkeys(label for s in systems for label in s.labels))
            if not labels:
                return Picture(functools.partial(sentence, text="no label"))
            none = Tally()
            values = [[s.labels.get(label, none).f1.corrected for s in systems] for label in labels]
            return heat_map(labels, list(self.systems), np.array(values), "corrected F1")
        if self.jackknife is not None:
            return f1_dots(self.scores.items(), "F1, with intervals")
        both = {s.name: (s.f1.observed, s.f1.corrected) for s in systems}
        lines = {name: ends for name, ends in both.items() if not any(map(math.isnan, ends))}
        draw = functools.partial(sentence, text="no system with a defined F1")
        if lines:
            draw = functools.partial(slopes, lines=lines, titles=("F1", "corrected F1"))
        return Picture(draw, rows_size(self.systems, 2))


def _part_columns(by: str, noun: str) -> list[Column]:
    """Return the columns that name a part: for data its name or which average, for people one."""
    title = noun if by == "document" else by
    return [
        Column(by, "", "name"),
        Column("average", "", "name"),
        Column("", title, "name", f"{by} of systems"),
    ]


def _undefined(scores: Scored) -> list[str]:
    """Return why figures are undefined."""
    reasons = []
    for ratio in FIGURES.values():
        score = scores.score_of(ratio)
        if score.reason:
            kind = "" if math.isnan(score.observed) else "corrected "
            reasons.append(f"{kind}{ratio.title} undefined: {score.reason}")
    return reasons


# --- from counts to the result ------------------------------------------------------------------

Ends = Mapping[tuple[str, str], Sequence[Interval]]
"""The intervals of each figure, by system and label; over all labels that is empty."""


def result(
    counts: CountedSystems, jackknife: Jackknife | None = None, progress: Progress = None
) -> Evaluation:
    """Score what was counted, with intervals if they are requested."""
    ends, macro_ends = ({}, {}) if jackknife is None else intervals_by_name(counts, jackknife)
    if progress is not None:
        progress(1, 1)
    tallied = {
        name: _tallies(counts, number, ends)
        for number, name in enumerate(counts.annotators)
        if name != counts.settings.gold
    }
    wholes = [tallies[""].f1 for tallies in tallied.values()]
    places = zip(
        *(ranks([getattr(f1, kind) for f1 in wholes]) for kind in Rank._fields), strict=True
    )
    systems = {}
    for (name, labels), rank in zip(tallied.items(), places, strict=True):
        overall = labels.pop("")
        of_label = find_match(counts.settings.match).of_label
        macro = _macro(labels.values(), of_label, macro_ends.get(name, ()))
        systems[name] = System(name, counts.shared[name], overall, labels, macro, Rank(*rank))
    kinds = (interval.kind for name in systems for interval in ends.get((name, ""), ()))
    return Evaluation(
        systems,
        counts.documents,
        counts.per_document.ids,
        settings_with(counts.settings, jackknife, kinds),
        (*counts.notes, *notes_of(counts.places), *_notes_on(systems.values(), counts)),
        counts,
        jackknife,
        uniform=None if counts.uniform is None else result(counts.uniform),
    )


def _tallies(counts: CountedSystems, number: int, ends: Ends) -> dict[str, Tally]:
    """Return the tally of a system over all labels, which is the empty one, and of each."""
    name = counts.annotators[number]
    rows = counts.sums.where(counts.sums.second == number)
    of_code = dict(zip(rows.label.tolist(), rows.tallies, strict=True))
    tallies = {
        label: of_code.get(code, rows.empty_tally) for code, label in enumerate(counts.labels)
    }
    tallies[""] = rows.total()
    for label, tally in tallies.items() if ends else ():
        intervals = dict(zip(FIGURES, ends[name, label], strict=True))
        tallies[label] = replace(tally, intervals=intervals)
    return tallies


def intervals_by_name(
    counts: CountedSystems, jackknife: Jackknife
) -> tuple[Ends, Mapping[str, Sequence[Interval]]]:
    """Compute the intervals of every system, over all labels and for each, and of their means."""
    clusters = counts.per_document.clustered(jackknife, counts.settings)
    of_all = intervals_of(moments_of_systems(clusters), jackknife)
    ends = {(name, ""): of_all[i] for i, name in enumerate(counts.annotators)}
    labels = counts.labels
    if not labels:
        return ends, {}
    by_label, means = (
        intervals_of(sums, jackknife) for sums in moments_of_labels(clusters, len(labels))
    )
    keys = ((name, label) for name in counts.annotators for label in labels)
    ends |= dict(zip(keys, by_label, strict=True))
    return ends, dict(zip(counts.annotators, means, strict=True))


def _notes_on(systems: Collection[System], counts: CountedSystems) -> list[str]:
    """Return how gold was made, and which systems lack documents or have no label of gold's."""
    notes, settings = [], counts.settings
    for system in systems:
        of_system = counts.inexact.get(system.name, Inexact())
        size = float(system.tally.size)
        notes += [f"{printable(system.name)}: {note}" for note in of_system.notes(size)]
    if made_of := settings.reading.get("made", {}).get(settings.gold):
        notes.append(
            f"{printable(settings.gold)} was made of other annotators ({printable(made_of)}); a"
            " system that is one of them is compared with itself in part"
        )
    for system in systems:
        name, noun = printable(system.name), unit(settings)
        notes += note_left_out(system.name, system.documents, counts.documents, "gold", noun)
        gold = [label for label, tally in system.labels.items() if tally.size_a]
        marked = [label for label, tally in system.labels.items() if tally.size_b]
        if gold and marked and not set(gold) & set(marked):
            of_gold, of_it = (", ".join(map(printable, sorted(x)[:_NAMED])) for x in (gold, marked))
            notes.append(f"{name}: no label in common; gold has {of_gold}, it {of_it}")
    return notes


def _macro(labels: Collection[Tally], of_label: bool, intervals: Sequence[Interval] = ()) -> Macro:
    """Return the means over labels; undefined for a measure that disregards labels."""
    nothing = "no label of which it is defined" if of_label else "labels are disregarded"
    means = {}
    for ratio, interval in zip_longest(FIGURES.values(), intervals):
        scores = [tally.score_of(ratio) for tally in labels]
        defined = [score[:2] for score in scores if not math.isnan(score.observed)]
        both = [math.fsum(column) / len(defined) for column in zip(*defined, strict=True)]
        mean = corrected(*both) if defined else undefined(nothing)
        means[ratio.key] = mean._replace(interval=interval)
    return Macro(means)


def check_evaluation(given: object, what: str) -> None:
    """Refuse what is not an evaluation.

    Raises:
        SettingError: naming ``what`` needs one, and what gives one.
    """
    if not isinstance(given, Evaluation):
        raise SettingError(
            f"{what}: {type(given).__name__}; an evaluation is needed, as evaluate(corpus) gives"
        )
