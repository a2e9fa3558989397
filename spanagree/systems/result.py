"""Scores of systems against a gold annotation: raw, by chance alone, and corrected for chance."""

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
from spanagree.errors import SettingError, check_choice, escape_name, join_names, quote_value
from spanagree.results.numbers import compute_ranks
from spanagree.results.result import MappingResult, NanEqualMixin, Result, write_coverage_note
from spanagree.results.score import (
    HasScores,
    Interval,
    Ratio,
    Score,
    build_corrected_score,
    build_undefined_score,
    list_figures,
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


@dataclass(frozen=True, eq=False)
class MacroAverage(NanEqualMixin, HasScores):
    """Means of scores over labels: observed and expected means, and the corrected score of these.

    A label with an undefined score is left out of the mean.

    Attributes:
        scores: mean of each figure, by key; ``precision``, ``recall`` and ``f1`` look it up.
        beta: β of ``f_beta``; ``None`` if that was not requested.

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
    """A system's rank by F1, from 1; equal printed figures share a rank, ``None`` if undefined.

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
    """Scores of one system: ``precision``, ``recall`` and ``f1`` over all documents and labels.

    Attributes:
        name: name of the layer.
        documents: number of documents that gold and the system both saw.
        tally: counts over these documents; the figures (micro-averages) derive from them.
        labels: tally of each label; empty if the measure ignores labels.
        macro: means over the labels.
        rank: rank among the systems by F1.
        not_found: number of quotes that are not in the text; the tally counts them as marked.

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
            return build_undefined_score("no document shared with gold")
        return self.tally.score_of(ratio)

    def __repr__(self) -> str:
        return f"<System {quote_value(self.name)}: F1 {self.f1}>"


class SystemsResult(Result, MappingResult):
    """A result with an entry for each system, by name, and a score of its F1."""

    systems: Mapping[str, Any]

    @property
    def _keys(self) -> Sequence[Any]:
        return [*self.systems]

    def __getitem__(self, system: str) -> Any:
        """Return a system by its name; raise `SettingError` for an unknown name."""
        check_choice(system, self.systems, "system")
        return self.systems[system]

    @property
    def scores(self) -> dict[str, Score]:
        """The F1 of each system; with runs, the mean over them."""
        return {name: system.f1 for name, system in self.systems.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(SystemsResult):
    """Result of :func:`spanagree.evaluate`.

    Attributes:
        systems: systems by name, in the order of the corpus.
        documents: number of documents of the corpus.
        document_ids: names of the documents; ``None`` if they are numbered from 1.
        settings: settings that determine the figures.
        notes: repairs and omissions of the reader, and anything unusual here.
        counted: counts that the figures are computed from.
        jackknife: settings of the intervals; ``None`` without intervals.
        by_chance: distribution of each system's match by chance, if it was requested.
        uniform: evaluation without the rule of places; ``None`` if chance has no such rule.

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
        """The figures by key, including F-beta if it was requested."""
        return list_figures(self.settings.f_beta)

    @property
    def counting(self) -> MatchCountOptions:
        """The measure and the chance model."""
        return self.counted.per_document.counting

    @property
    def rows(self) -> ComparedSystems:
        """The rows of all documents, without text; :func:`spanagree.evaluate` combines several.

        Raises:
            SettingError: if this evaluation is over some of the documents of another.
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
        """Statistics of segments under the rule of places, if chance has one."""
        return self.counted.places

    @property
    def unmarked(self) -> tuple[str, ...]:
        """The names of gold and systems without a segment in the documents that they share.

        The baseline that marks nothing is not listed.
        """
        from spanagree.choices import NOTHING  # rarely needed

        with_documents = [system for system in self.systems.values() if system.documents]
        is_gold_unmarked = with_documents and not any(
            system.tally.size_a for system in with_documents
        )
        unmarked_systems = (system.name for system in with_documents if not system.tally.size_b)
        without_baseline = (name for name in unmarked_systems if name != NOTHING)
        return (*((self.settings.gold,) if is_gold_unmarked else ()), *without_baseline)

    def over(self, documents: Ints) -> Evaluation:
        """Evaluate the systems on the documents with these indices alone, with new ranks.

        Document indices and names are the same as in the whole.
        """
        evaluation = build_evaluation(self.counted.select_documents(documents), self.jackknife)
        return replace(evaluation, settings=self.settings, notes=self.notes)

    def by_document(self, system: str) -> Iterator[tuple[str, Tally]]:
        """Yield name and tally of each document in which gold or the system has a segment.

        Raises:
            SettingError: if the system is unknown.
        """
        name, per_document = self[system].name, self.counted.per_document
        documents = per_document.select_system(name).by("document")
        for index, tally in zip(documents.document.tolist(), documents.tallies, strict=True):
            yield self.document_ids[index] if self.document_ids else str(index + 1), tally

    def chance_by_document(self, system: str) -> dict[int, ChanceStatistics]:
        """Compute statistics of chance for each document that has a segment, by document index.

        Raises:
            SettingError: if the system is unknown, or chance was not requested.
        """
        if self[system].name not in self.by_chance:
            raise SettingError("p values were not requested; evaluate with p_values=True")
        indices = self.counted.per_document.select_system(system).documents().tolist()
        tallies = (tally for _, tally in self.by_document(system))
        return self.by_chance[system].compute_for_documents(
            dict(zip(indices, tallies, strict=True))
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None, "labels": "label"}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "places?", "uniform=uniform.scores?")

    def _list_parts(self, system: System, by: str) -> Iterable[tuple[str, Tally]]:
        return system.labels.items() if by == "label" else self.by_document(system.name)


# --- from counts to the result ------------------------------------------------------------------


def build_evaluation(
    counts: EvaluationCounts, jackknife: Jackknife | None = None, progress: Progress = None
) -> Evaluation:
    """Build an evaluation from counts.

    Args:
        counts: counts of systems against gold.
        jackknife: options of intervals. Default: no intervals.
        progress: callback for the end of the intervals.
    """
    intervals_of: Ends = {}
    macro_ends: Mapping[str, Sequence[Interval]] = {}
    if jackknife is not None:
        from spanagree.systems.intervals import compute_intervals  # rarely requested

        intervals_of, macro_ends = compute_intervals(counts, jackknife)
    if progress is not None:
        progress(1, 1)
    tallies_by_system = {
        name: _build_tallies(counts, index, intervals_of)
        for index, name in enumerate(counts.annotators)
        if name != counts.settings.gold
    }
    f1_scores = [tallies[""].f1 for tallies in tallies_by_system.values()]
    rank_rows = zip(
        *(
            compute_ranks([getattr(f1, score_key) for f1 in f1_scores])
            for score_key in Rank._fields
        ),
        strict=True,
    )
    systems = {}
    for (name, labels), rank in zip(tallies_by_system.items(), rank_rows, strict=True):
        overall = labels.pop("")
        uses_labels = find_measure(counts.settings.match).of_label
        intervals = macro_ends.get(name, ())
        macro = _compute_macro(labels.values(), uses_labels, counts.settings.f_beta, intervals)
        not_found = _count_not_found(counts, name)
        n_shared = counts.shared[name]
        systems[name] = System(name, n_shared, overall, labels, macro, Rank(*rank), not_found)
    settings = counts.settings
    notes_on_places = () if counts.places is None else counts.places.notes()
    if jackknife is not None:
        methods = (
            interval.kind for name in systems for interval in intervals_of.get((name, ""), ())
        )
        settings = replace(settings, **jackknife.settings(methods))
    return Evaluation(
        systems,
        counts.documents,
        counts.per_document.ids,
        settings,
        (*counts.notes, *notes_on_places, *_write_notes(systems.values(), counts)),
        counts,
        jackknife,
        uniform=None if counts.uniform is None else build_evaluation(counts.uniform),
    )


def _count_not_found(counts: EvaluationCounts, system: str) -> int:
    """Count the quotes of a system that are not in the text, in documents that gold saw too."""
    per_document = counts.per_document
    if per_document.corpus is None or not per_document.corpus.unplaced:
        return 0
    from spanagree.comparisons.unplaced_rows import find_quotes  # most systems have offsets

    documents = per_document.find_shared_documents(system)
    return len(find_quotes(per_document.corpus, system, documents)["label"])


def _build_tallies(counts: EvaluationCounts, index: int, intervals_of: Ends) -> dict[str, Tally]:
    """Build the tallies of a system by label; the empty label is for all labels together.

    Args:
        counts: counts of systems against gold.
        index: annotator index of the system.
        intervals_of: intervals by system and label; empty without intervals.
    """
    name = counts.annotators[index]
    rows = counts.sums.where(counts.sums.second == index)
    tally_by_code = dict(zip(rows.label.tolist(), rows.tallies, strict=True))
    tallies = {
        label: tally_by_code.get(code, rows.empty_tally) for code, label in enumerate(counts.labels)
    }
    tallies[""] = rows.total()
    beta = counts.settings.f_beta
    if beta is not None:
        tallies = {label: replace(tally, beta=beta) for label, tally in tallies.items()}
    for label, tally in tallies.items() if intervals_of else ():
        intervals = dict(zip(list_figures(beta), intervals_of[name, label], strict=True))
        tallies[label] = replace(tally, intervals=intervals)
    return tallies


def _write_notes(systems: Collection[System], counts: EvaluationCounts) -> list[str]:
    """Write notes on inexact chance, the origin of gold, and documents and labels of systems.

    A system has a note if it did not see all documents of gold, or has no label of gold.
    """
    notes, settings = [], counts.settings
    for system in systems:
        error = counts.inexact.get(system.name, ApproximationError())
        size = float(system.tally.size)
        notes += [f"{escape_name(system.name)}: {note}" for note in error.notes(size)]
    if sources := settings.reading.get("made", {}).get(settings.gold):
        notes.append(
            f"{escape_name(settings.gold)} was combined from other annotators"
            f" ({escape_name(sources)}); a system that is one of them is partly"
            " compared with itself"
        )
    for system in systems:
        name, noun = escape_name(system.name), document_noun(settings)
        notes += write_coverage_note(system.name, system.documents, counts.documents, "gold", noun)
        gold_labels = [label for label, tally in system.labels.items() if tally.size_a]
        system_labels = [label for label, tally in system.labels.items() if tally.size_b]
        if gold_labels and system_labels and not set(gold_labels) & set(system_labels):
            notes.append(
                f"{name}: no label in common; gold has {join_names(sorted(gold_labels))}, it"
                f" {join_names(sorted(system_labels))}"
            )
    return notes


def _compute_macro(
    labels: Collection[Tally],
    uses_labels: bool,
    beta: float | None,
    intervals: Sequence[Interval] = (),
) -> MacroAverage:
    """Compute the macro-averages over labels; undefined if the measure ignores labels.

    Args:
        labels: tally of each label.
        uses_labels: False for a measure that ignores labels.
        beta: β of F-beta, if it was requested.
        intervals: interval of each macro-average, if intervals were requested.
    """
    reason = "no label of which it is defined" if uses_labels else "labels are disregarded"
    means = {}
    for ratio, interval in zip_longest(list_figures(beta).values(), intervals):
        scores = [tally.score_of(ratio) for tally in labels]
        defined = [score[:2] for score in scores if not math.isnan(score.observed)]
        mean_values = [math.fsum(column) / len(defined) for column in zip(*defined, strict=True)]
        mean = build_corrected_score(*mean_values) if defined else build_undefined_score(reason)
        means[ratio.key] = mean._replace(interval=interval)
    return MacroAverage(means, beta)


def check_evaluation(value: object, purpose: str) -> None:
    """Check that a value is an evaluation; ``purpose`` begins the message.

    Raises:
        SettingError: if it is not.
    """
    if not isinstance(value, Evaluation):
        raise SettingError(
            f"{purpose}: {type(value).__name__}; an evaluation is needed, as evaluate(corpus) gives"
        )
