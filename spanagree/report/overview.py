"""All that a report shows, computed here: the page only renders it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.agreement.agree import with_p_values as agree_p_values
from spanagree.agreement.disagreements import disagreements
from spanagree.agreement.label_confusion import Confusion, confusion
from spanagree.agreement.result import Agreement
from spanagree.agreement.team import AnnotatorScores
from spanagree.choices import MAJORITY
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.errors import InputError, SpanAgreeError
from spanagree.labels.by_label import CoefficientsByLabel, coefficients_by_label
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import OUTSIDE, token_labels
from spanagree.levels.by_level import EvaluationByLevel, evaluate_levels
from spanagree.levels.difficulty import Difficulty, difficulty
from spanagree.project.disputed_documents import Disputes, disputes
from spanagree.project.document_level import DocumentAgreement, document_agreement
from spanagree.project.gold import Gold
from spanagree.project.gold import make_gold as by_votes
from spanagree.project.plan import Plan, narrower
from spanagree.references.against import (
    HumanAgreement,
    ReferenceEvaluation,
    SystemVsReferences,
    evaluate_references,
)
from spanagree.results.names import common_parts
from spanagree.results.verdict import figure_of
from spanagree.slices.result import Slices
from spanagree.slices.score import score_slices
from spanagree.systems.compare_systems import Comparison, compare_systems
from spanagree.systems.evaluate import evaluate
from spanagree.systems.evaluate import with_p_values as evaluate_p_values
from spanagree.systems.result import Evaluation, System
from spanagree.uncertainty.chance_statistics import ChanceStatistics
from spanagree.units.all_measures import MeasureComparison, compare_measures

SHOWN = 40  # annotators in a heat map, pairs in a table, pairs and systems set against chance
_LEVELS = 2
_AGAINST_CHANCE = 20_000  # documents of pairs
_CERTAIN = 0.05  # p for all pairs below which two systems are told apart
_CONFUSED = 1 << 22  # pairs of annotations
_LABELS = 100  # of the team's confusion
_LAYERS = 1000  # labels times annotators, of the coefficients by label


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What every report shows.

    Attributes:
        corpus: the corpus.
        difficulty: how difficult its documents are.
        pairs: each two that are set side by side.
        first_pair: the two that the browser of documents begins with.
        signature: the settings that made the figures.
        notes: what readers and results remarked.
        slices: the figures of slices, if they were asked for.
    """

    TEMPLATE: ClassVar[str]  # the page that shows it
    PAIRS_SHOWN: ClassVar[str] = "the first"  # which pairs are shown where there are many

    corpus: Corpus
    difficulty: Difficulty
    pairs: Sequence[tuple[str, str]]
    first_pair: tuple[str, str]
    signature: str
    notes: tuple[str, ...]
    slices: Slices | None = None

    @property
    def by_chance(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """The chance statistics of documents, by number, for pairs set against chance."""
        return {}

    @property
    def compared(self) -> Sequence[str]:
        """The systems, or the annotators."""
        return list(self.corpus.layers)

    @cached_property
    def short(self) -> Mapping[str, str]:
        """The names of all layers, without what the compared ones have in common."""
        before, after = common_parts(self.compared)
        short = {name: name.removeprefix(before).removesuffix(after) for name in self.corpus.layers}
        distinct = len(set(short.values())) == len(short) and all(short.values())
        return short if distinct else {name: name for name in short}

    @property
    def shortened(self) -> str:
        """A sentence on what names are shown without; empty if they are whole."""
        before, after = common_parts(self.compared)
        if all(name == short for name, short in self.short.items()):
            return ""
        parts = [f"“{before}” before them"] * bool(before) + [f"“{after}” behind them"] * bool(
            after
        )
        return f"names are shown without {' and '.join(parts)}"

    @property
    def team_confusion(self) -> Confusion | None:
        """Which labels the team confuses; of systems ``None``."""
        return None

    @cached_property
    def outcomes(self) -> Mapping[tuple[str, str], Mapping[str, int]]:
        """How often each of the first pairs part, by kind; empty if they share nothing."""
        seen = {name: layer.annotated for name, layer in self.corpus.layers.items()}
        return {
            (a, b): disagreements(self.corpus, a, b, text=False).counts
            if (seen[a] & seen[b]).any()
            else {}
            for a, b in self.pairs[:SHOWN]
        }


@dataclass(frozen=True, kw_only=True)
class SystemsOverview(Overview):
    """What a report on systems against a gold annotation shows.

    Attributes:
        levels: how they did, and how by level of difficulty.
        comparison: a test of each two of them, unless there are very many.
    """

    TEMPLATE = "systems.html"

    levels: EvaluationByLevel
    comparison: Comparison | None

    @property
    def evaluation(self) -> Evaluation:
        """How the systems did over all documents."""
        return self.levels.whole

    @property
    def verdict(self) -> str:
        """Who is first and how certain that is; of a single system its F1 with an interval."""
        if self.comparison is not None:
            return self.comparison.verdict
        return self.evaluation.verdict

    @property
    def by_chance(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """The chance statistics of documents, for gold and each system."""
        result = self.evaluation
        return {(result.settings.gold, x): result.chance_by_document(x) for x in result.by_chance}

    @property
    def placed(self) -> list[System]:
        """The systems by rank, the highest corrected F1 first, or F1 where there is no chance."""
        kind = figure_of(self.evaluation.settings)[0]

        def place(system: System) -> float:
            rank: int | None = getattr(system.rank, kind)
            return math.inf if rank is None else rank

        return sorted(self.evaluation.systems.values(), key=place)

    @property
    def compared(self) -> Sequence[str]:
        """The systems."""
        return list(self.evaluation.systems)

    @property
    def reordered(self) -> bool:
        """Whether chance changes the order of any two systems that can be told apart."""
        return self.comparison is not None and any(sure for _, sure in self.comparison.reordered)

    @property
    def borders(self) -> list[float]:
        """The difficulties at which a level ends and the next one begins."""
        return [level.low for level, _ in self.levels.defined[1:]]

    def alike(self, a: str, b: str, kind: str = "corrected") -> bool:
        """Return whether two systems cannot be told apart by a test of their F1."""
        if self.comparison is None:
            return False
        return not getattr(self.comparison[a, b], kind).p_adjusted < _CERTAIN  # nor if it is nan

    @property
    def hard_half(self) -> tuple[float, Evaluation] | None:
        """From which difficulty on documents are hard, and how the systems did on these."""
        halves = [(level.low, part) for level, part in self.levels.defined]
        return halves[-1] if len(halves) > 1 else None


@dataclass(frozen=True, kw_only=True)
class TeamOverview(Overview):
    """What a report on a team of annotators shows.

    Attributes:
        agreement: how far they agree.
        annotators: those for which there is room, who saw the most, in the order of the corpus.
        seen_by: how many documents were seen by no annotator, by one, by two, and so on.
        plan: how many documents a narrower interval needs, if that can be planned.
        coefficients: those of the labels of tokens, or why there are none.
        measures: corrected F1, α of tokens, α_U and γ side by side, if asked for.
    """

    TEMPLATE = "team.html"
    PAIRS_SHOWN = "those that share most,"

    agreement: Agreement
    annotators: Sequence[str]
    seen_by: Sequence[int]
    plan: Plan | None
    coefficients: Coefficients | CoefficientsByLabel | str
    measures: MeasureComparison | None

    @property
    def by_chance(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """The chance statistics of documents, for each two annotators."""
        return self.agreement.chance_by_document()

    @cached_property
    def team_confusion(self) -> Confusion | None:
        """Which labels the team confuses; of very many pairs or labels ``None``."""
        pairs = sum(times * k * (k - 1) // 2 for k, times in enumerate(self.seen_by))
        if not 0 < pairs <= _CONFUSED or len(self.corpus.labels) > _LABELS:
            return None
        return confusion(self.corpus)

    @cached_property
    def document_agreement(self) -> DocumentAgreement:
        """How far they agree on which documents have anything, which chance keeps."""
        return document_agreement(self.corpus)

    @cached_property
    def queue(self) -> Disputes | None:
        """Their disagreements, the worst documents first; ``None`` if nobody shares one."""
        if not self.agreement.pairs:
            return None
        counting = self.agreement.counting
        compared: dict[str, Any] = {"match": counting.match, "chance": counting.chance}
        return disputes(self.corpus, **compared, text=False)

    @cached_property
    def gold(self) -> Gold | None:
        """The gold of the majority; ``None`` if nobody shares a document, or it is a layer already.

        Votes are of tokens, so segments of several pieces have none.
        """
        is_there = MAJORITY in self.corpus.layers
        if not self.agreement.pairs or is_there or self.corpus.kind == "pieces":
            return None
        return by_votes(self.corpus, vote="tokens")

    @property
    def outliers(self) -> list[AnnotatorScores]:
        """The outliers, the lowest F1 first."""
        members, standings = self.agreement.sorted("corrected").members, self.agreement.standings
        return [
            member
            for member in members
            if member.name in standings and standings[member.name].outlier
        ]


@dataclass(frozen=True, kw_only=True)
class ReferencesOverview(Overview):
    """What a report on systems against many annotators shows.

    Attributes:
        against: how the systems did against the references, and these against each other.
    """

    TEMPLATE = "references.html"

    against: ReferenceEvaluation

    @property
    def compared(self) -> Sequence[str]:
        """The systems and the references."""
        return [*self.against.systems, *self.against.people]

    @property
    def placed(self) -> list[SystemVsReferences]:
        """The systems, the highest F1 first, corrected if there is chance."""
        return _by_f1(self.against.systems, self.against.settings)

    @property
    def references(self) -> list[HumanAgreement]:
        """The references, the highest F1 first, corrected if there is chance."""
        return _by_f1(self.against.people, self.against.settings)


_Scored = TypeVar("_Scored", SystemVsReferences, HumanAgreement)


def _by_f1(scored: Mapping[str, _Scored], settings: Mapping[str, Any]) -> list[_Scored]:
    """Return systems or people, the highest F1 of the kind that decides first, no F1 last."""
    kind = figure_of(settings)[0]
    return sorted(
        scored.values(), key=lambda system: np.nan_to_num(-getattr(system.f1, kind), nan=math.inf)
    )


def first(evaluation: Evaluation, kind: str) -> list[str]:
    """Return the names of the systems that are first by an observed or a corrected F1."""
    systems = evaluation.systems.values()
    return [system.name for system in systems if getattr(system.rank, kind) == 1]


def systems_overview(
    corpus: Corpus,
    gold: str | None,
    slicing: Mapping[str, Any],
    beta: float | None = None,
    **settings: Any,
) -> SystemsOverview:
    """Return the results of systems: all documents, by level, each two against each other.

    Args:
        corpus: gold and systems.
        gold: name of the gold layer.
        slicing: arguments of :func:`spanagree.slices.score_slices`, if slices are asked for.
        beta: the β of F-beta, if that is asked for.
        settings: measure and chance model.
    """
    evaluation = evaluate(corpus, gold, ci=True, beta=beta, **settings)
    slices = score_slices(evaluation, ci=True, **slicing) if slicing else None
    has_chance = not evaluation.settings.chance_undefined
    if has_chance and _few(corpus, len(evaluation.systems)):
        evaluation = evaluate_p_values(evaluation, corpus)
    gold = evaluation.settings.gold
    hard = difficulty(corpus, gold, **settings)
    levels = evaluate_levels(evaluation, hard, levels=_LEVELS)
    compared = 1 < len(evaluation.systems) <= SHOWN
    pairs = [(gold, name) for name in evaluation.systems]
    return SystemsOverview(
        corpus=corpus,
        difficulty=hard,
        pairs=pairs,
        first_pair=pairs[0],
        signature=levels.signature,
        notes=(*evaluation.notes, *levels.notes),
        levels=levels,
        comparison=compare_systems(evaluation) if compared else None,
        slices=slices,
    )


def references_overview(
    corpus: Corpus,
    references: Sequence[str] | None,
    systems: Sequence[str] | None,
    **settings: Any,
) -> ReferencesOverview:
    """Return the results of systems against references, with intervals, and of the ceiling."""
    against = evaluate_references(corpus, references, systems=systems, ci=True, **settings)
    seen = {name: layer.annotated for name, layer in corpus.layers.items()}
    pairs = [(person, system) for system in against.systems for person in against.people]
    return ReferencesOverview(
        corpus=corpus.select_annotators([*against.people, *against.systems]),
        difficulty=difficulty(corpus.select_annotators([*against.people]), **settings),
        pairs=pairs,
        first_pair=max(pairs, key=lambda pair: (seen[pair[0]] & seen[pair[1]]).sum()),
        signature=against.signature,
        notes=against.notes,
        against=against,
    )


def _few(corpus: Corpus, pairs: int) -> bool:
    """Return whether so many pairs are set against chance, which takes a while."""
    return pairs <= SHOWN and len(corpus) * pairs <= _AGAINST_CHANCE


def team_overview(
    corpus: Corpus, measures: bool, slicing: Mapping[str, Any], **settings: Any
) -> TeamOverview:
    """Return the results of a team: agreement, who saw what, coefficients of token labels.

    Args:
        corpus: the annotators.
        measures: whether α_U and γ are computed.
        slicing: arguments of :func:`spanagree.slices.score_slices`, if slices are asked for.
        settings: measure and chance model.
    """
    chance = settings.get("chance", "nonoverlapping")
    made = agree(corpus, **settings)
    agreement = made.sorted("outlier")
    has_chance = not agreement.settings.chance_undefined
    if has_chance and _few(corpus, len(agreement.pairs)):
        agreement = agree_p_values(agreement, corpus)
    pairs = list(agreement.pairs)
    if len(pairs) > SHOWN:  # those that share most
        pairs.sort(key=lambda names: -agreement.pairs[names].documents)
    most = max(agreement.pairs.without_intervals, key=lambda pair: pair.documents, default=None)
    members = sorted(agreement.annotators.values(), key=lambda member: -member.documents)
    active = {member.name for member in members[:SHOWN]}
    annotators = corpus.layers
    seen = count_seen(corpus)
    return TeamOverview(
        corpus=corpus,
        difficulty=difficulty(corpus, **settings),
        pairs=pairs,
        first_pair=(most.a, most.b) if most else next(combinations(annotators, 2)),
        signature=agreement.signature,
        notes=agreement.notes,
        agreement=agreement,
        annotators=[name for name in annotators if name in active],
        seen_by=np.bincount(seen, minlength=len(annotators) + 1).tolist(),
        plan=narrower(made),
        coefficients=_coefficients(corpus),
        measures=compare_measures(corpus, chance=chance) if measures else None,
        slices=score_slices(made, ci=True, **slicing) if slicing else None,
    )


def _coefficients(corpus: Corpus) -> Coefficients | CoefficientsByLabel | str:
    """Return those of tokens; of each label by itself where segments of several overlap."""
    try:
        return coefficients(token_labels(corpus))
    except InputError as error:
        many = len(corpus.labels) * len(corpus.annotators) > _LAYERS
        if OUTSIDE in corpus.labels or len(corpus.labels) > _LABELS or many:
            return str(error)
        return coefficients_by_label(corpus)
    except SpanAgreeError as error:
        return str(error)
