"""Results that a report shows; the page only renders them.

A report has one of three subjects: systems against gold, a team of annotators, or systems against
several references. Each has an overview, which computes all results of the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from spanagree.agreement.agree import add_p_values as agree_p_values
from spanagree.agreement.agree import agree
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
from spanagree.project.plan import Plan, plan_narrower
from spanagree.references.against import (
    HumanAgreement,
    ReferenceEvaluation,
    SystemVsReferences,
    evaluate_references,
)
from spanagree.results.names import find_common_parts
from spanagree.results.verdict import choose_figure
from spanagree.slices.result import Slices
from spanagree.slices.score import score_slices
from spanagree.systems.compare_systems import compare_systems
from spanagree.systems.comparison import Comparison
from spanagree.systems.evaluate import add_p_values as evaluate_p_values
from spanagree.systems.evaluate import evaluate
from spanagree.systems.result import Evaluation, System
from spanagree.uncertainty.chance_statistics import ChanceStatistics
from spanagree.units.all_measures import MeasureComparison, compare_measures

SHOWN = 40  # annotators in a heat map, pairs in a table, pairs and systems tested against chance
_LEVELS = 2
_AGAINST_CHANCE = 20_000  # documents times pairs tested against chance
_CERTAIN = 0.05  # adjusted p below which two systems differ significantly
_CONFUSED = 1 << 22  # pairs of annotations in a table of confusion
_LABELS = 100  # labels in the team's table of confusion
_LAYERS = 1000  # labels times annotators with coefficients by label


@dataclass(frozen=True, kw_only=True)
class Overview:
    """Results of any report.

    Attributes:
        corpus: corpus of the report.
        difficulty: difficulty of its documents.
        pairs: pairs of layers that can be compared.
        first_pair: pair that the browser of documents shows first.
        signature: settings of the figures.
        notes: notes of readers and results.
        slices: figures of slices, if they were requested.
    """

    TEMPLATE: ClassVar[str]  # template of the page
    PAIRS_SHOWN: ClassVar[str] = (
        "the first"  # description of the pairs that are shown if there are many
    )

    corpus: Corpus
    difficulty: Difficulty
    pairs: Sequence[tuple[str, str]]
    first_pair: tuple[str, str]
    signature: str
    notes: tuple[str, ...]
    slices: Slices | None = None

    @property
    def chance_by_pair(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """Chance statistics of documents, by index, for pairs tested against chance."""
        return {}

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature of each part with settings of its own; that of the report has no name."""
        parts = {"slices": self.slices, **self._signed_parts}
        signatures = {
            part: result.signature for part, result in parts.items() if result is not None
        }
        return {"": self.signature, **signatures}

    @property
    def _signed_parts(self) -> Mapping[str, Any]:
        """Results of parts of the report, by name; ``None`` for a missing part."""
        return {}

    @property
    def compared_names(self) -> Sequence[str]:
        """Names of the systems, or of the annotators."""
        return list(self.corpus.layers)

    @cached_property
    def short_names(self) -> Mapping[str, str]:
        """Names of all layers, without the common beginning and end of the compared names."""
        prefix, suffix = find_common_parts(self.compared_names)
        short_names = {
            name: name.removeprefix(prefix).removesuffix(suffix) for name in self.corpus.layers
        }
        distinct = len(set(short_names.values())) == len(short_names) and all(short_names.values())
        return short_names if distinct else {name: name for name in short_names}

    @property
    def omitted_name_parts(self) -> str:
        """Sentence on the omitted parts of names; empty if names are complete."""
        prefix, suffix = find_common_parts(self.compared_names)
        if all(name == short_name for name, short_name in self.short_names.items()):
            return ""
        omissions = [f"“{prefix}” at their beginning"] * bool(prefix) + [
            f"“{suffix}” at their end"
        ] * bool(suffix)
        return f"names are shown without {' and '.join(omissions)}"

    @property
    def team_confusion(self) -> Confusion | None:
        """Confusion of labels in a team; ``None`` for systems."""
        return None

    @cached_property
    def outcomes(self) -> Mapping[tuple[str, str], Mapping[str, int]]:
        """Disagreements by kind for each of the first pairs; empty without a shared document."""
        seen_by_layer = {name: layer.annotated for name, layer in self.corpus.layers.items()}
        return {
            (a, b): disagreements(self.corpus, a, b, text=False).counts
            if (seen_by_layer[a] & seen_by_layer[b]).any()
            else {}
            for a, b in self.pairs[:SHOWN]
        }


@dataclass(frozen=True, kw_only=True)
class SystemsOverview(Overview):
    """Results of a report on systems against a gold annotation.

    Attributes:
        levels: evaluation of the systems, overall and by level of difficulty.
        comparison: test of all pairs of systems, unless there are very many.
    """

    TEMPLATE = "systems.html"

    levels: EvaluationByLevel
    comparison: Comparison | None

    @property
    def evaluation(self) -> Evaluation:
        """Evaluation of the systems over all documents."""
        return self.levels.whole

    @property
    def verdict(self) -> str:
        """Sentence on the best system and its lead; for a single system its F1 with an interval."""
        if self.comparison is not None:
            return self.comparison.verdict
        return self.evaluation.verdict

    @property
    def chance_by_pair(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """Chance statistics of documents, for gold and each system."""
        result = self.evaluation
        return {
            (result.settings.gold, system_name): result.chance_by_document(system_name)
            for system_name in result.by_chance
        }

    @property
    def ranked_systems(self) -> list[System]:
        """Systems in the order of their rank by corrected F1, or by F1 if chance is undefined."""
        figure_name = choose_figure(self.evaluation.settings)[0]

        def get_rank(system: System) -> float:
            """Return the rank of a system; infinity if it is undefined."""
            rank: int | None = getattr(system.rank, figure_name)
            return math.inf if rank is None else rank

        return sorted(self.evaluation.systems.values(), key=get_rank)

    @property
    def _signed_parts(self) -> Mapping[str, Any]:
        """The tests of differences."""
        return {"tests": self.comparison}

    @property
    def compared_names(self) -> Sequence[str]:
        """Names of the systems."""
        return list(self.evaluation.systems)

    @property
    def is_order_changed(self) -> bool:
        """True if chance changes the order of two systems that differ significantly."""
        return self.comparison is not None and any(sure for _, sure in self.comparison.reordered)

    @property
    def borders(self) -> list[float]:
        """Difficulties at which a level ends and the next one begins."""
        return [level.low for level, _ in self.levels.defined[1:]]

    def is_tied(self, a: str, b: str, figure_name: str = "corrected") -> bool:
        """Check whether a test finds no significant difference between two systems."""
        if self.comparison is None:
            return False
        return not getattr(self.comparison[a, b], figure_name).p_adjusted < _CERTAIN  # true for nan

    @property
    def hard_half(self) -> tuple[float, Evaluation] | None:
        """Least difficulty of the harder half, and the evaluation of the systems on it."""
        halves = [(level.low, evaluation) for level, evaluation in self.levels.defined]
        return halves[-1] if len(halves) > 1 else None


@dataclass(frozen=True, kw_only=True)
class TeamOverview(Overview):
    """Results of a report on a team of annotators.

    Attributes:
        agreement: agreement of the annotators.
        annotators: annotators in the heat map, those who saw the most, in the order of the corpus.
        seen_by: number of documents that 0, 1, 2 and more annotators saw.
        plan: number of documents that a narrower interval needs, if it can be planned.
        coefficients: coefficients of the labels of tokens, or the reason why there are none.
        measures: corrected F1, α of tokens, α_U and γ, if requested.
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
    def chance_by_pair(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """Chance statistics of documents, for each pair of annotators."""
        return self.agreement.chance_by_document()

    @cached_property
    def team_confusion(self) -> Confusion | None:
        """Confusion of labels in the team; ``None`` for very many pairs or labels."""
        pairs = sum(
            times * n_annotators * (n_annotators - 1) // 2
            for n_annotators, times in enumerate(self.seen_by)
        )
        if not 0 < pairs <= _CONFUSED or len(self.corpus.labels) > _LABELS:
            return None
        return confusion(self.corpus)

    @cached_property
    def document_agreement(self) -> DocumentAgreement:
        """Agreement on documents with and without segments, which chance keeps fixed."""
        return document_agreement(self.corpus)

    @cached_property
    def queue(self) -> Disputes | None:
        """Disputed documents, with most disagreement first; ``None`` if no document is shared."""
        if not self.agreement.pairs:
            return None
        counting = self.agreement.counting
        settings: dict[str, Any] = {"match": counting.match, "chance": counting.chance}
        return disputes(self.corpus, **settings, text=False)

    @cached_property
    def gold(self) -> Gold | None:
        """Gold by majority; ``None`` if no document is shared, or the corpus has such a layer.

        Votes are by token, so corpora with discontinuous segments have no such gold.
        """
        has_majority = MAJORITY in self.corpus.layers
        if not self.agreement.pairs or has_majority or self.corpus.kind == "pieces":
            return None
        return by_votes(self.corpus, vote="tokens")

    @property
    def _signed_parts(self) -> Mapping[str, Any]:
        """The other measures, the gold and the plan."""
        return {"measures": self.measures, "gold": self.gold, "plan": self.plan}

    @property
    def outliers(self) -> list[AnnotatorScores]:
        """Outliers, the lowest F1 first."""
        members, standings = self.agreement.sorted("corrected").members, self.agreement.standings
        return [
            member
            for member in members
            if member.name in standings and standings[member.name].outlier
        ]


@dataclass(frozen=True, kw_only=True)
class ReferencesOverview(Overview):
    """Results of a report on systems against many annotators.

    Attributes:
        against: comparison of the systems with the references, and of these with each other.
    """

    TEMPLATE = "references.html"

    against: ReferenceEvaluation

    @property
    def compared_names(self) -> Sequence[str]:
        """Names of the systems and the references."""
        return [*self.against.systems, *self.against.people]

    @property
    def ranked_systems(self) -> list[SystemVsReferences]:
        """Systems, the highest F1 first, corrected if chance is defined."""
        return _sort_by_f1(self.against.systems, self.against.settings)

    @property
    def references(self) -> list[HumanAgreement]:
        """References, the highest F1 first, corrected if chance is defined."""
        return _sort_by_f1(self.against.people, self.against.settings)


_Scored = TypeVar("_Scored", SystemVsReferences, HumanAgreement)


def _sort_by_f1(scored: Mapping[str, _Scored], settings: Mapping[str, Any]) -> list[_Scored]:
    """Sort systems or people by the F1 that ranks them, the highest first, undefined F1 last."""
    figure_name = choose_figure(settings)[0]
    return sorted(
        scored.values(),
        key=lambda system: np.nan_to_num(-getattr(system.f1, figure_name), nan=math.inf),
    )


def select_first(evaluation: Evaluation, figure_name: str) -> list[str]:
    """Select the names of the systems with rank 1 by an observed or a corrected F1."""
    systems = evaluation.systems.values()
    return [system.name for system in systems if getattr(system.rank, figure_name) == 1]


def build_systems_overview(
    corpus: Corpus,
    gold: str | None,
    slicing: Mapping[str, Any],
    beta: float | None = None,
    **settings: Any,
) -> SystemsOverview:
    """Evaluate systems against gold: overall, by level of difficulty, by slice, and in pairs.

    Args:
        corpus: corpus of gold and systems.
        gold: name of the gold layer.
        slicing: arguments of :func:`spanagree.slices.score_slices`, if slices are requested.
        beta: β of F-beta, if it is requested.
        settings: measure and chance model.
    """
    evaluation = evaluate(corpus, gold, ci=True, beta=beta, **settings)
    slices = score_slices(evaluation, ci=True, **slicing) if slicing else None
    has_chance = not evaluation.settings.chance_undefined
    if has_chance and _has_few_pairs(corpus, len(evaluation.systems)):
        evaluation = evaluate_p_values(evaluation, corpus)
    gold = evaluation.settings.gold
    difficulties = difficulty(corpus, gold, **settings)
    levels = evaluate_levels(evaluation, difficulties, levels=_LEVELS)
    has_tests = 1 < len(evaluation.systems) <= SHOWN
    pairs = [(gold, name) for name in evaluation.systems]
    return SystemsOverview(
        corpus=corpus,
        difficulty=difficulties,
        pairs=pairs,
        first_pair=pairs[0],
        signature=levels.signature,
        notes=(*evaluation.notes, *levels.notes),
        levels=levels,
        comparison=compare_systems(evaluation) if has_tests else None,
        slices=slices,
    )


def build_references_overview(
    corpus: Corpus,
    references: Sequence[str] | None,
    systems: Sequence[str] | None,
    **settings: Any,
) -> ReferencesOverview:
    """Evaluate systems against references, with intervals, next to the agreement of references.

    Args:
        corpus: corpus of references and systems.
        references, systems: names; `None` for all annotators without the other role.
        settings: measure and chance model.
    """
    against = evaluate_references(corpus, references, systems=systems, ci=True, **settings)
    seen_by_layer = {name: layer.annotated for name, layer in corpus.layers.items()}
    pairs = [(person, system) for system in against.systems for person in against.people]
    return ReferencesOverview(
        corpus=corpus.select_annotators([*against.people, *against.systems]),
        difficulty=difficulty(corpus.select_annotators([*against.people]), **settings),
        pairs=pairs,
        first_pair=max(
            pairs, key=lambda pair: (seen_by_layer[pair[0]] & seen_by_layer[pair[1]]).sum()
        ),
        signature=against.signature,
        notes=against.notes,
        against=against,
    )


def _has_few_pairs(corpus: Corpus, pairs: int) -> bool:
    """Check whether few enough pairs are tested against chance, which takes a while."""
    return pairs <= SHOWN and len(corpus) * pairs <= _AGAINST_CHANCE


def build_team_overview(
    corpus: Corpus, measures: bool, slicing: Mapping[str, Any], **settings: Any
) -> TeamOverview:
    """Compute the results of a team: agreement, difficulty, coefficients and a plan.

    Args:
        corpus: corpus of the annotators.
        measures: True to compute α_U and γ.
        slicing: arguments of :func:`spanagree.slices.score_slices`, if slices are requested.
        settings: measure and chance model.
    """
    chance = settings.get("chance", "nonoverlapping")
    unsorted_agreement = agree(corpus, **settings)
    agreement = unsorted_agreement.sorted("outlier")
    has_chance = not agreement.settings.chance_undefined
    if has_chance and _has_few_pairs(corpus, len(agreement.pairs)):
        agreement = agree_p_values(agreement, corpus)
    pairs = list(agreement.pairs)
    if len(pairs) > SHOWN:  # those that share most
        pairs.sort(key=lambda names: -agreement.pairs[names].documents)
    largest_pair = max(
        agreement.pairs.pairs_without_intervals, key=lambda pair: pair.documents, default=None
    )
    members = sorted(agreement.annotators.values(), key=lambda member: -member.documents)
    shown_names = {member.name for member in members[:SHOWN]}
    annotators = corpus.layers
    n_seen = count_seen(corpus)
    return TeamOverview(
        corpus=corpus,
        difficulty=difficulty(corpus, **settings),
        pairs=pairs,
        first_pair=(largest_pair.a, largest_pair.b)
        if largest_pair
        else next(combinations(annotators, 2)),
        signature=agreement.signature,
        notes=agreement.notes,
        agreement=agreement,
        annotators=[name for name in annotators if name in shown_names],
        seen_by=np.bincount(n_seen, minlength=len(annotators) + 1).tolist(),
        plan=plan_narrower(unsorted_agreement),
        coefficients=_compute_coefficients(corpus),
        measures=compare_measures(corpus, chance=chance) if measures else None,
        slices=score_slices(unsorted_agreement, ci=True, **slicing) if slicing else None,
    )


def _compute_coefficients(corpus: Corpus) -> Coefficients | CoefficientsByLabel | str:
    """Compute coefficients of token labels, by label if segments of different labels overlap.

    Returns:
        The coefficients, or the reason why there are none.
    """
    try:
        return coefficients(token_labels(corpus))
    except InputError as error:
        has_many_layers = len(corpus.labels) * len(corpus.annotators) > _LAYERS
        if OUTSIDE in corpus.labels or len(corpus.labels) > _LABELS or has_many_layers:
            return str(error)
        return coefficients_by_label(corpus)
    except SpanAgreeError as error:
        return str(error)
