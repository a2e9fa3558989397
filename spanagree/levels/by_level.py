"""Systems evaluated within each level of difficulty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from spanagree.errors import escape_name, pluralize
from spanagree.levels.borders import BorderOptions, Level, LevelSettings, sort_into_levels
from spanagree.levels.difficulty import Difficulty
from spanagree.results import verdict
from spanagree.results.cells import Value, format_figure
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import LINES, Plot, plot_lines
from spanagree.results.result import Result
from spanagree.results.score import NO_CHANCE, UNDEFINED
from spanagree.settings import document_noun
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.table import write_remarks_on_chance

_ALL_PAIRS = 10  # largest number of levels with a comparison of all pairs
_TAU = "Kendall's τ"
_NO_DIFFICULTY = "no difficulty"  # of documents without gold segments

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

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        return tuple(
            f"{level.name}: {caveat}"
            for level, evaluation in self.defined
            for caveat in evaluation.caveats
        )

    def between(self, kind: str) -> list[tuple[str, str, float]]:
        """Compute τ between the F1 of the systems in two levels, for each pair of levels.

        If there are more than ten levels, only neighbours are compared.
        """
        f1_by_level = [
            (level.name, _look_up_f1(evaluation, kind)) for level, evaluation in self.defined
        ]
        return [
            (a, b, self.tau(f1_a, f1_b))
            for i, (a, f1_a) in enumerate(f1_by_level)
            for b, f1_b in f1_by_level[i + 1 : i + 2 if len(f1_by_level) > _ALL_PAIRS else None]
        ]

    @property
    def parts(self) -> list[tuple[Level, Evaluation]]:
        """Each level with its evaluation."""
        return list(zip(self.levels, self.evaluations, strict=True))

    @property
    def defined(self) -> list[tuple[Level, Evaluation]]:
        """Each level of documents with a difficulty, with its evaluation."""
        return [
            level_and_evaluation
            for level_and_evaluation in self.parts
            if not math.isnan(level_and_evaluation[0].low)
        ]

    @property
    def verdict(self) -> str:
        """Sentence on the leading systems on the easiest and on the hardest documents."""
        defined = self.defined
        if len(defined) < 2:
            return self.whole.verdict
        leaders = [
            verdict.list_leaders(evaluation.scores) for _, evaluation in (defined[0], defined[-1])
        ]
        if not all(leaders):
            return self.whole.verdict
        easiest_leader, hardest_leader = map(verdict.join_in_words, leaders)
        shared_phrase = (
            "on the easiest documents and on the hardest"
            if easiest_leader == hardest_leader
            else ""
        )
        levels_phrase = (
            shared_phrase or f"on the easiest documents, {hardest_leader} on the hardest"
        )
        verb = "is" if len(leaders[0]) == 1 else "are"
        sentence = f"By corrected F1 {easiest_leader} {verb} first {levels_phrase}."
        return verdict.join_in_two_sentences(
            sentence, "No test was made.", write_lost_quotes_sentence(self.whole)
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"levels": None}

    SUMMARY: ClassVar[tuple[str, ...]] = (
        "documents=whole.documents",
        "tau_raw_corrected=_overall_tau",
        "tau_between_levels=_tau_between_levels",
    )

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

    def build_head(self) -> dict[str, Any]:
        """Return the head of the JSON, with notes and caveats of the whole and of its levels."""
        notes = [*self.whole.notes, *self.notes]
        return {
            **super().build_head(),
            "notes": notes,
            "caveats": [*self.whole.caveats, *self.caveats],
        }

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each level and system, and rows for all documents."""
        columns = [
            Column("level", "", "name"),
            Column("from"),
            Column("to"),
            Column("", "difficulty", "name", "difficulty of a level"),
            Column("", f"{document_noun(self.settings)}s", "count", "documents of a level"),
        ]
        overall = replace(self.whole, by_chance={})  # levels have no tests against chance
        hidden = [ratio.title for ratio in self.whole.figures.values() if not ratio.has_chance]
        for column in overall.table().columns:  # text output shows the chance level of F1 alone
            is_shown = column.title not in hidden
            columns.append(column._replace(title=column.title * is_shown))
        rows: list[list[Value]] = []
        for level, evaluation in [*self.parts, (None, overall)]:
            level_cells: list[Value] = ["all", None, None, "all"]
            if level is not None:  # text output has one column for low and high
                difficulty_range = f"{format_figure(level.low)}–{format_figure(level.high)}"
                name = _NO_DIFFICULTY if math.isnan(level.low) else difficulty_range
                level_cells = [level.name, level.low, level.high, name]
            systems = evaluation.systems.values()
            for system, row in zip(systems, evaluation.table().rows, strict=True):
                rows.append([*level_cells, system.documents, *row])
        tau_remarks, rows_per_level = self._write_tau_remarks(), max(len(self.whole.systems), 1)
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"{pluralize(len(self.whole.systems), 'system')} against"
            f" {escape_name(self.settings.gold)} by difficulty, the easiest first",
            remarks=[
                *self._write_undefined_remarks(),
                *self._write_no_difficulty_remarks(),
                *tau_remarks,
                *write_remarks_on_chance(overall),
                *self.caveats,
            ],
            breaks=range(rows_per_level, len(rows), rows_per_level),
            meanings={_TAU: _TAU} if tau_remarks else {},
        )

    def _write_undefined_remarks(self) -> list[str]:
        """Write a remark for each distinct reason of an undefined F1 in a level."""
        reasons = (
            system.f1.reason
            for evaluation in self.evaluations
            for system in evaluation.systems.values()
        )
        distinct_reasons = dict.fromkeys(
            reason for reason in reasons if reason not in ("", NO_CHANCE)
        )
        return [f"–: undefined: {reason}" for reason in distinct_reasons]

    def _write_no_difficulty_remarks(self) -> list[str]:
        """Write the remark on documents without gold segments, which have no difficulty."""
        if self.settings.get("chance_undefined"):
            return []
        document_counts = (
            evaluation.documents for level, evaluation in self.parts if math.isnan(level.low)
        )
        return [
            f"{_NO_DIFFICULTY}: {escape_name(self.settings.gold)} marked nothing in"
            f" {pluralize(n_documents, document_noun(self.settings))}, so what a system marks"
            " there is wrong; it counts in all, which may lie below every level"
            for n_documents in document_counts
        ]

    def _write_tau_remarks(self) -> list[str]:
        """Write the remarks on τ between raw and corrected F1, and between levels."""
        if len(self.whole.systems) < 2:
            return []
        evaluations = [
            *((level.name, evaluation) for level, evaluation in self.defined),
            ("all", self.whole),
        ]
        raw_and_corrected = [
            f"{name} {format_figure(self.raw_and_corrected(evaluation))}"
            for name, evaluation in evaluations
        ]
        remarks = [f"{_TAU} of raw and corrected F1: {', '.join(raw_and_corrected)}"]
        for score_key, name in (("observed", "raw"), ("corrected", "corrected")):
            between_levels = [
                f"{a} and {b} {format_figure(tau)}" for a, b, tau in self.between(score_key)
            ]
            if between_levels:
                remarks.append(f"{_TAU} between levels, {name} F1: {', '.join(between_levels)}")
        return remarks

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the corrected F1 of each system in each level."""
        defined, rows = self.defined, {}
        for name in self.whole.systems:
            values = [evaluation.systems[name].f1.corrected for _, evaluation in defined]
            rows[name] = range(len(values)), values
        return plot_lines(rows, ("", "corrected F1"), LINES, [level.name for level, _ in defined])


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
