"""Results of a report on systems against a gold annotation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanagree.corpus.corpus import Corpus
from spanagree.levels.by_level import EvaluationByLevel, evaluate_levels
from spanagree.levels.difficulty import difficulty
from spanagree.report.overview import SHOWN, Overview, has_few_pairs
from spanagree.results.verdict import choose_figure
from spanagree.slices.score import score_slices
from spanagree.systems.compare_systems import compare_systems
from spanagree.systems.comparison import Comparison
from spanagree.systems.evaluate import add_p_values as evaluate_p_values
from spanagree.systems.evaluate import evaluate
from spanagree.systems.result import Evaluation, System
from spanagree.uncertainty.chance_statistics import ChanceStatistics

_LEVELS = 2
_CERTAIN = 0.05  # adjusted p below which two systems differ significantly


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
    if has_chance and has_few_pairs(corpus, len(evaluation.systems)):
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
