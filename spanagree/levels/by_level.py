"""Systems evaluated within each level of difficulty."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from spanagree.levels.borders import BorderOptions, Level, LevelSettings, sort_into_levels
from spanagree.levels.difficulty import Difficulty
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.result import Evaluation, check_evaluation

_ALL_PAIRS = 10  # largest number of levels with a comparison of all pairs

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Compute Kendall's τ-b of two lists of scores; ``nan`` if one list is constant.

    Pairs with an undefined score are left out.
    """
    from scipy.stats import kendalltau  # takes half a second to import

    pairs = [
        (round(a, 12), round(b, 12))  # sums of floats may differ in the last digits
        for a, b in zip(first, second, strict=True)
        if not (math.isnan(a) or math.isnan(b))
    ]
    if len(pairs) < 2:
        return UNDEFINED
    return float(kendalltau(*zip(*pairs, strict=True)).statistic)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByLevelSettings(EvaluationSettings, LevelSettings):
    """Settings of an evaluation by level; the difficulty is ``of`` a gold layer or a team."""

    of_: str


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationByLevel(Result):
    """The result of :func:`evaluate_levels`.

    Attributes:
        whole: evaluation over all documents.
        levels: levels from the easiest; if documents have no difficulty, their level is last.
        evaluations: evaluation of the same systems over the documents of each level.
        settings: settings of the evaluation, of the difficulty and of the borders.
        notes: deviations from the requested levels.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")], [(0, 1, "X")]], "mine": [[(0, 1, "X")], []]}
    >>> corpus = sa.Corpus.from_segments([2, 20], layers)
    >>> evaluation, hard = sa.evaluate(corpus), sa.difficulty(corpus, "gold")
    >>> found = sa.levels.evaluate_levels(evaluation, hard, levels=2)
    >>> [each.systems["mine"].f1.observed for each in found.evaluations]
    [1.0, 0.0]
    """

    whole: Evaluation
    levels: tuple[Level, ...]
    evaluations: tuple[Evaluation, ...]
    settings: ByLevelSettings
    notes: tuple[str, ...]

    tau = staticmethod(kendall_tau)

    def raw_and_corrected(self, evaluation: Evaluation) -> float:
        """Compute τ between the raw and the corrected F1 of the systems."""
        return self.tau(_look_up_f1(evaluation, "observed"), _look_up_f1(evaluation, "corrected"))

    def between(self, kind: str) -> list[tuple[str, str, float]]:
        """Compute τ between the F1 of the systems in two levels, for each pair of levels.

        If there are more than ten levels, only neighbours are compared.
        """
        f1_by_level = [
            (level.name, _look_up_f1(evaluation, kind)) for level, evaluation in self.defined
        ]
        has_many = len(f1_by_level) > _ALL_PAIRS
        pairs = (
            itertools.pairwise(f1_by_level) if has_many else itertools.combinations(f1_by_level, 2)
        )
        return [(a, b, self.tau(f1_a, f1_b)) for (a, f1_a), (b, f1_b) in pairs]

    @property
    def parts(self) -> list[tuple[Level, Evaluation]]:
        """Each level with its evaluation."""
        return list(zip(self.levels, self.evaluations, strict=True))

    @property
    def defined(self) -> list[tuple[Level, Evaluation]]:
        """Each level of documents with a difficulty, with its evaluation."""
        return [
            (level, evaluation) for level, evaluation in self.parts if not math.isnan(level.low)
        ]

    TABLES: ClassVar[Mapping[str, str | None]] = {"levels": None}
    SUMMARY: ClassVar[tuple[str, ...]] = (
        "documents=whole.documents",
        "tau_raw_corrected=_overall_tau",
        "tau_between_levels=_tau_between_levels",
    )
    SHOWN_BY: ClassVar[str] = f"{__package__}.by_level_table"

    @property
    def _overall_tau(self) -> float:
        """τ between the raw and the corrected order over all documents."""
        return self.raw_and_corrected(self.whole)

    @property
    def _tau_between_levels(self) -> dict[str, list[dict[str, Any]]]:
        """τ between the orders on each two levels, by raw and by corrected F1."""
        return {
            score_key: [{"levels": [a, b], "tau": tau} for a, b, tau in self.between(score_key)]
            for score_key in ("observed", "corrected")
        }

    def build_head(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the head of the JSON, with notes and caveats of the whole and of its levels."""
        return {
            **super().build_head(settings),
            "notes": [*self.whole.notes, *self.notes],
            "caveats": [*self.whole.caveats, *self.caveats],
        }


def _look_up_f1(evaluation: Evaluation, score_key: str) -> list[float]:
    """Return the observed or corrected F1 of each system."""
    return [getattr(system.f1, score_key) for system in evaluation.systems.values()]


def evaluate_levels(
    evaluation: Evaluation, difficulty: Difficulty, **way: Unpack[BorderOptions]
) -> EvaluationByLevel:
    """Evaluate all systems in each level of difficulty.

    The way is one of :func:`sort_into_levels`: ``levels``, ``at``, ``chance_at`` or ``quantiles``.
    Documents without a difficulty come last.

    Raises:
        SettingError: if the way is not valid, as for :func:`sort_into_levels`, or if the difficulty
            is that of another corpus.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")], [(0, 1, "X")]], "mine": [[(0, 1, "X")], []]}
    >>> corpus = sa.Corpus.from_segments([2, 20], layers)
    >>> evaluation, difficulty = sa.evaluate(corpus), sa.difficulty(corpus, "gold")
    >>> levels = evaluate_levels(evaluation, difficulty, levels=2)
    >>> [(row["level"], row["f1_observed"]) for row in levels.to_rows()]
    [('level-1', 1.0), ('level-2', 0.0), ('all', 0.6666666666666666)]
    """
    check_evaluation(evaluation, "evaluate_levels")
    difficulty.check_documents(evaluation.documents, evaluation.document_ids, "evaluation")
    levels = sort_into_levels(difficulty, **way)
    return EvaluationByLevel(
        evaluation,
        levels.all,
        tuple(evaluation.over(level.documents) for level in levels.all),
        evaluation.settings.extend_to(
            ByLevelSettings, of_=difficulty.settings["of"], **levels.borders
        ),
        levels.notes,
    )
