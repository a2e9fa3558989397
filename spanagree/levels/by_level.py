"""Systems evaluated within each level of difficulty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from spanagree.errors import counted, printable
from spanagree.levels.borders import Level, LevelSettings, Way, levels_of
from spanagree.levels.difficulty import Difficulty
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value, figure
from spanagree.results.plots import Picture, lines, rows_size
from spanagree.results.result import Result
from spanagree.results.score import NO_CHANCE, UNDEFINED
from spanagree.settings import unit
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.lost_quotes import not_in_text
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.table import remarks_on_chance

_ALL_PAIRS = 10  # levels of which each two are compared
_TAU = "Kendall's τ"
_NO_DIFFICULTY = "no difficulty"  # where gold has nothing, so no system can find anything

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Kendall's τ-b of two lists of scores; ``nan`` if one does not vary."""
    from scipy.stats import kendalltau  # takes half a second to import

    pairs = [
        (round(a, 12), round(b, 12))  # sums of floats part what is equal
        for a, b in zip(first, second, strict=True)
        if not (math.isnan(a) or math.isnan(b))
    ]
    if len(pairs) < 2:
        return UNDEFINED
    return float(kendalltau(*zip(*pairs, strict=True)).statistic)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByLevelSettings(EvaluationSettings, LevelSettings):
    """The settings of an evaluation by level; the difficulty is ``of`` a gold layer or a team."""

    of_: str


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationByLevel(Result):
    """The result of :func:`evaluate_levels`.

    Attributes:
        whole: the evaluation over all documents.
        levels: the easiest first; the documents without a difficulty last, if there are any.
        evaluations: the same systems over the documents of each.
        settings: what made the evaluation, the difficulty and the borders.
        notes: where levels could not be had as asked.

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
        """Return τ between the systems' raw and corrected F1."""
        return self.tau(_f1(evaluation, "observed"), _f1(evaluation, "corrected"))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return tuple(
            f"{level.name}: {caveat}"
            for level, evaluation in self.defined
            for caveat in evaluation.caveats
        )

    def between(self, kind: str) -> list[tuple[str, str, float]]:
        """Return τ between the systems' F1 in each two levels; of over ten, in neighbours only."""
        parts = [(level.name, _f1(evaluation, kind)) for level, evaluation in self.defined]
        return [
            (a, b, self.tau(first, second))
            for i, (a, first) in enumerate(parts)
            for b, second in parts[i + 1 : i + 2 if len(parts) > _ALL_PAIRS else None]
        ]

    @property
    def parts(self) -> list[tuple[Level, Evaluation]]:
        """Each level with its evaluation."""
        return list(zip(self.levels, self.evaluations, strict=True))

    @property
    def defined(self) -> list[tuple[Level, Evaluation]]:
        """Each level of documents with a difficulty, with its evaluation."""
        return [part for part in self.parts if not math.isnan(part[0].low)]

    @property
    def verdict(self) -> str:
        """Who is first on the easiest documents, and who on the hardest."""
        parts = self.defined
        if len(parts) < 2:
            return self.whole.verdict
        firsts = [verdict.first_by_chance(part.scores) for _, part in (parts[0], parts[-1])]
        if not all(firsts):
            return self.whole.verdict
        easy, hard = map(verdict.in_words, firsts)
        same = "on the easiest documents and on the hardest" if easy == hard else ""
        where = same or f"on the easiest documents, {hard} on the hardest"
        verb = "is" if len(firsts[0]) == 1 else "are"
        sentence = f"By corrected F1 {easy} {verb} first {where}. No test was made."
        return " ".join(filter(None, [sentence, not_in_text(self.whole)]))

    TABLES: ClassVar[Mapping[str, str | None]] = {"levels": None}

    SUMMARY: ClassVar[tuple[str, ...]] = (
        "documents=whole.documents",
        "tau_raw_corrected=_tau_of_whole",
        "tau_between_levels=_tau_between_levels",
    )

    @property
    def _tau_of_whole(self) -> float:
        """τ between the raw and the corrected order over all documents."""
        return self.raw_and_corrected(self.whole)

    @property
    def _tau_between_levels(self) -> dict[str, list[dict[str, Any]]]:
        """τ between the orders on each two levels, by raw and by corrected F1."""
        return {
            kind: [{"levels": [a, b], "tau": tau} for a, b, tau in self.between(kind)]
            for kind in ("observed", "corrected")
        }

    def head(self) -> dict[str, Any]:
        """Return what JSON begins with; notes and caveats are of the whole and of its levels."""
        notes = [*self.whole.notes, *self.notes]
        return {**super().head(), "notes": notes, "caveats": [*self.whole.caveats, *self.caveats]}

    def _table(self, by: str | None) -> Frame:
        """A block for each level, the easiest first, then all documents: a row for each system."""
        columns = [
            Column("level", "", "name"),
            Column("from"),
            Column("to"),
            Column("", "difficulty", "name", "difficulty of a level"),
            Column("", f"{unit(self.settings)}s", "count", "documents of a level"),
        ]
        overall = replace(self.whole, by_chance={})  # as there is none of the levels
        hidden = [ratio.title for ratio in self.whole.figures.values() if not ratio.has_chance]
        for column in overall.table().columns:  # the F1 is enough for people
            shown = column.title not in hidden
            columns.append(column._replace(title=column.title * shown))
        rows: list[list[Value]] = []
        for level, evaluation in [*self.parts, (None, overall)]:
            place: list[Value] = ["all", None, None, "all"]
            if level is not None:  # for people low and high are one text
                ends = f"{figure(level.low)}–{figure(level.high)}"
                name = _NO_DIFFICULTY if math.isnan(level.low) else ends
                place = [level.name, level.low, level.high, name]
            systems = evaluation.systems.values()
            for system, row in zip(systems, evaluation.table().rows, strict=True):
                rows.append([*place, system.documents, *row])
        taus, number = self._taus(), max(len(self.whole.systems), 1)
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"{counted(len(self.whole.systems), 'system')} against"
            f" {printable(self.settings.gold)} by difficulty, the easiest first",
            remarks=[
                *self._undefined(),
                *self._without(),
                *taus,
                *remarks_on_chance(overall),
                *self.caveats,
            ],
            breaks=range(number, len(rows), number),
            meanings={_TAU: _TAU} if taus else {},
        )

    def _undefined(self) -> list[str]:
        """Return why an F1 is undefined in some level, each reason once."""
        reasons = (
            system.f1.reason
            for evaluation in self.evaluations
            for system in evaluation.systems.values()
        )
        named = dict.fromkeys(reason for reason in reasons if reason not in ("", NO_CHANCE))
        return [f"–: undefined: {reason}" for reason in named]

    def _without(self) -> list[str]:
        """Say what documents without a difficulty do to the figures of all."""
        if self.settings.get("chance_undefined"):
            return []
        names = (part.documents for level, part in self.parts if math.isnan(level.low))
        return [
            f"{_NO_DIFFICULTY}: {printable(self.settings.gold)} marked nothing in"
            f" {counted(number, unit(self.settings))}, so what a system marks there is wrong; it"
            " counts in all, which may lie below every level"
            for number in names
        ]

    def _taus(self) -> list[str]:
        """Return how alike raw and corrected ranks are, and those of levels; in sentences."""
        if len(self.whole.systems) < 2:
            return []
        parts = [*((level.name, part) for level, part in self.defined), ("all", self.whole)]
        within = [f"{name} {figure(self.raw_and_corrected(part))}" for name, part in parts]
        remarks = [f"{_TAU} of raw and corrected F1: {', '.join(within)}"]
        for kind, name in (("observed", "raw"), ("corrected", "corrected")):
            between = [f"{a} and {b} {figure(tau)}" for a, b, tau in self.between(kind)]
            if between:
                remarks.append(f"{_TAU} between levels, {name} F1: {', '.join(between)}")
        return remarks

    def _picture(self, by: str | None) -> Picture:
        """Return the corrected F1 of each system in each level."""
        defined = self.defined
        names = [level.name for level, _ in defined]
        rows = {
            name: [evaluation.systems[name].f1.corrected for _, evaluation in defined]
            for name in self.whole.systems
        }
        size = rows_size(rows)
        return Picture(lambda ax: lines(ax, columns=names, rows=rows, what="corrected F1"), size)


def _f1(evaluation: Evaluation, kind: str) -> list[float]:
    return [getattr(system.f1, kind) for system in evaluation.systems.values()]


def evaluate_levels(
    evaluation: Evaluation, difficulty: Difficulty, **way: Unpack[Way]
) -> EvaluationByLevel:
    """Return every system's figures and ranks in each level of difficulty.

    The way is one of :func:`levels_of`: ``levels``, ``at``, ``chance_at`` or ``quantiles``.
    Documents without a difficulty come last.

    Raises:
        SettingError: as for :func:`levels_of`; for the difficulty of another corpus.

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
    made = levels_of(difficulty, **way)
    return EvaluationByLevel(
        evaluation,
        made.all,
        tuple(evaluation.over(level.documents) for level in made.all),
        evaluation.settings.extended(
            ByLevelSettings, of_=difficulty.settings["of"], **made.borders
        ),
        made.notes,
    )
