"""How systems did against a gold annotation: raw, by chance alone, and corrected for chance."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from spanagree.arrays import Ints, Progress
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.tally import ScoredTally, Tally
from spanagree.errors import SettingError, check_choice, escape_name, quote_value
from spanagree.results.numbers import ranks
from spanagree.results.result import MappingResult, NanEqualMixin, Result, coverage_note
from spanagree.results.score import (
    HasScores,
    Interval,
    Ratio,
    Score,
    corrected,
    figures_of,
    undefined,
)
from spanagree.settings import document_noun
from spanagree.systems.compared_systems import ComparedSystems
from spanagree.systems.count import EvaluationCounts, EvaluationSettings

if TYPE_CHECKING:
    from spanagree.comparisons.counting import MatchCountOptions
    from spanagree.comparisons.place_shares import PlacementStatistics
    from spanagree.systems.intervals import Ends
    from spanagree.uncertainty.chance_statistics import ChanceStatistics, PairChance
    from spanagree.uncertainty.confidence import Jackknife

_NAMED = 5  # labels in a note


@dataclass(frozen=True, eq=False)
class MacroAverage(NanEqualMixin, HasScores):
    """Means over labels: of the observed and of the expected scores; corrected from these two.

    A label whose score is undefined is left out of the mean.

    Attributes:
        scores: the mean of each figure, by name; ``precision``, ``recall`` and ``f1`` are these.
        beta: the β of ``f_beta``, if that was requested.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    >>> mine = sa.evaluate(sa.Corpus.from_segments([10], layers)).systems["mine"]
    >>> mine.macro.f1.observed, mine.macro.recall.observed
    (0.5, 0.5)
    """

    scores: Mapping[str, Score]
    beta: float | None = None

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
class System(NanEqualMixin, ScoredTally):
    """How one system did: ``precision``, ``recall`` and ``f1`` over all documents and labels.

    Attributes:
        name: the layer's name.
        documents: how many documents both the gold annotator and the system saw.
        tally: the counts over all of them; the figures (micro-averages) derive from it.
        labels: a tally for each label; empty for a measure that disregards labels.
        macro: means over the labels.
        rank: place among the systems by F1.
        not_found: number of its quotes that are not in the text; the tally counts them as marked.

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
    macro: MacroAverage
    rank: Rank
    not_found: int = 0

    def score_of(self, ratio: Ratio) -> Score:
        """Return the score of a figure over all documents and labels (micro-average)."""
        if not self.documents:
            return undefined("no document shared with gold")
        return self.tally.score_of(ratio)

    def __repr__(self) -> str:
        return f"<System {quote_value(self.name)}: F1 {self.f1}>"


class SystemsResult(Result, MappingResult):
    """A result that has something of each system, by name, with a score of its F1."""

    systems: Mapping[str, Any]

    @property
    def _keys(self) -> Sequence[Any]:
        return [*self.systems]

    def __getitem__(self, system: str) -> Any:
        """Return a system by its name; SettingError for an unknown one."""
        check_choice(system, self.systems, "system")
        return self.systems[system]

    @property
    def scores(self) -> dict[str, Score]:
        """The F1 of each system; over runs their mean."""
        return {name: system.f1 for name, system in self.systems.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(SystemsResult):
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
    counted: EvaluationCounts = field(repr=False, compare=False)
    jackknife: Jackknife | None = field(default=None, repr=False)
    by_chance: Mapping[str, PairChance] = field(default_factory=dict, repr=False, compare=False)
    uniform: Evaluation | None = field(default=None, repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label",
        "document": "a row for each document that has a segment",
    }
    DRAWN: ClassVar[tuple[str, ...]] = ("label",)
    SHOWN_BY: ClassVar[str] = f"{__package__}.table"

    @property
    def figures(self) -> Mapping[str, Ratio]:
        """The figures by key, F-beta among them if it was requested."""
        return figures_of(self.settings.f_beta)

    @property
    def counting(self) -> MatchCountOptions:
        """The measure and the chance model."""
        return self.counted.per_document.counting

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
    def not_found(self) -> int:
        """The number of quotes of all systems that are not in the text."""
        return sum(system.not_found for system in self.systems.values())

    @property
    def places(self) -> PlacementStatistics | None:
        """How segments stand to the rule of places, if chance has one."""
        return self.counted.places

    @property
    def unmarked(self) -> tuple[str, ...]:
        """The names of gold and systems without a segment in the documents that they share.

        The baseline that marks nothing is none of them.
        """
        from spanagree.choices import NOTHING  # the baseline is known by name to those who ask

        compared = [system for system in self.systems.values() if system.documents]
        of_gold = compared and not any(system.tally.size_a for system in compared)
        silent = (system.name for system in compared if not system.tally.size_b)
        of_systems = (name for name in silent if name != NOTHING)
        return (*((self.settings.gold,) if of_gold else ()), *of_systems)

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


# --- from counts to the result ------------------------------------------------------------------


def result(
    counts: EvaluationCounts, jackknife: Jackknife | None = None, progress: Progress = None
) -> Evaluation:
    """Score what was counted, with intervals if they are requested."""
    ends: Ends = {}
    macro_ends: Mapping[str, Sequence[Interval]] = {}
    if jackknife is not None:
        from spanagree.systems.intervals import intervals_by_name  # most ask for none

        ends, macro_ends = intervals_by_name(counts, jackknife)
    if progress is not None:
        progress(1, 1)
    tallied = {
        name: _tallies(counts, number, ends)
        for number, name in enumerate(counts.annotators)
        if name != counts.settings.gold
    }
    parent_ids = [tallies[""].f1 for tallies in tallied.values()]
    places = zip(
        *(ranks([getattr(f1, kind) for f1 in parent_ids]) for kind in Rank._fields), strict=True
    )
    systems = {}
    for (name, labels), rank in zip(tallied.items(), places, strict=True):
        overall = labels.pop("")
        of_label = find_measure(counts.settings.match).of_label
        intervals = macro_ends.get(name, ())
        macro = _macro(labels.values(), of_label, counts.settings.f_beta, intervals)
        not_found = _not_found(counts, name)
        shared = counts.shared[name]
        systems[name] = System(name, shared, overall, labels, macro, Rank(*rank), not_found)
    settings = counts.settings
    notes_on_places = () if counts.places is None else counts.places.notes()
    if jackknife is not None:
        kinds = (interval.kind for name in systems for interval in ends.get((name, ""), ()))
        settings = replace(settings, **jackknife.settings(kinds))
    return Evaluation(
        systems,
        counts.documents,
        counts.per_document.ids,
        settings,
        (*counts.notes, *notes_on_places, *_notes_on(systems.values(), counts)),
        counts,
        jackknife,
        uniform=None if counts.uniform is None else result(counts.uniform),
    )


def _not_found(counts: EvaluationCounts, system: str) -> int:
    """Count the quotes of a system that are not in the text, over the documents it shares."""
    per_document = counts.per_document
    if per_document.corpus is None or not per_document.corpus.unplaced:
        return 0
    from spanagree.comparisons.unplaced_rows import quotes_in  # most systems give offsets

    documents = per_document.shared_by(system)
    return len(quotes_in(per_document.corpus, system, documents)["label"])


def _tallies(counts: EvaluationCounts, number: int, ends: Ends) -> dict[str, Tally]:
    """Return the tally of a system over all labels, which is the empty one, and of each."""
    name = counts.annotators[number]
    rows = counts.sums.where(counts.sums.second == number)
    of_code = dict(zip(rows.label.tolist(), rows.tallies, strict=True))
    tallies = {
        label: of_code.get(code, rows.empty_tally) for code, label in enumerate(counts.labels)
    }
    tallies[""] = rows.total()
    beta = counts.settings.f_beta
    if beta is not None:
        tallies = {label: replace(tally, beta=beta) for label, tally in tallies.items()}
    for label, tally in tallies.items() if ends else ():
        intervals = dict(zip(figures_of(beta), ends[name, label], strict=True))
        tallies[label] = replace(tally, intervals=intervals)
    return tallies


def _notes_on(systems: Collection[System], counts: EvaluationCounts) -> list[str]:
    """Return how gold was made, and which systems lack documents or have no label of gold's."""
    notes, settings = [], counts.settings
    for system in systems:
        of_system = counts.inexact.get(system.name, ApproximationError())
        size = float(system.tally.size)
        notes += [f"{escape_name(system.name)}: {note}" for note in of_system.notes(size)]
    if made_of := settings.reading.get("made", {}).get(settings.gold):
        notes.append(
            f"{escape_name(settings.gold)} was made of other annotators ({escape_name(made_of)}); a"
            " system that is one of them is compared with itself in part"
        )
    for system in systems:
        name, noun = escape_name(system.name), document_noun(settings)
        notes += coverage_note(system.name, system.documents, counts.documents, "gold", noun)
        gold = [label for label, tally in system.labels.items() if tally.size_a]
        marked = [label for label, tally in system.labels.items() if tally.size_b]
        if gold and marked and not set(gold) & set(marked):
            of_gold, of_it = (
                ", ".join(map(escape_name, sorted(x)[:_NAMED])) for x in (gold, marked)
            )
            notes.append(f"{name}: no label in common; gold has {of_gold}, it {of_it}")
    return notes


def _macro(
    labels: Collection[Tally],
    of_label: bool,
    beta: float | None,
    intervals: Sequence[Interval] = (),
) -> MacroAverage:
    """Return the means over labels; undefined for a measure that disregards labels."""
    nothing = "no label of which it is defined" if of_label else "labels are disregarded"
    means = {}
    for ratio, interval in zip_longest(figures_of(beta).values(), intervals):
        scores = [tally.score_of(ratio) for tally in labels]
        defined = [score[:2] for score in scores if not math.isnan(score.observed)]
        both = [math.fsum(column) / len(defined) for column in zip(*defined, strict=True)]
        mean = corrected(*both) if defined else undefined(nothing)
        means[ratio.key] = mean._replace(interval=interval)
    return MacroAverage(means, beta)


def check_evaluation(given: object, what: str) -> None:
    """Refuse what is not an evaluation.

    Raises:
        SettingError: naming ``what`` needs one, and what gives one.
    """
    if not isinstance(given, Evaluation):
        raise SettingError(
            f"{what}: {type(given).__name__}; an evaluation is needed, as evaluate(corpus) gives"
        )
