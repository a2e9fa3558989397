"""What chance alone would give on a corpus: the distribution of the match, for each system."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from spanagree.comparisons.chance_distribution.distribution import MatchDistribution, likely_matches
from spanagree.errors import counted, percent, printable
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Picture, heights, rows_size, sentence
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED
from spanagree.settings import unit
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.result import Evaluation
from spanagree.uncertainty.chance_statistics import HIGH

RANDOM = {"both": "both are random", "system": "gold is as it is, the system is random"}
"""What is random, by name."""


@dataclass(frozen=True, repr=False)
class ChanceOfMatch(Result):
    """The distribution of each system's match by chance; ``spanagree chance GOLD SYSTEM`` shows it.

    Attributes:
        evaluation: of the systems, with chance.
    """

    evaluation: Evaluation

    @property
    def settings(self) -> EvaluationSettings:  # type: ignore[override]  # not a field here
        """What made the numbers."""
        return self.evaluation.settings

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]  # not a field here
        """What is out of the ordinary."""
        return self.evaluation.notes

    def _distributions(self) -> Mapping[tuple[str, str], MatchDistribution]:
        """Return the distribution of each system and of what is random, by name."""
        return {
            (name, what): distribution
            for name, by_chance in self.evaluation.by_chance.items()
            for what, distribution in zip(RANDOM, (by_chance.both, by_chance.tested), strict=True)
        }

    def _scale(self, system: str) -> float:
        """Return the F1 of one match."""
        size = self.evaluation.systems[system].tally.size
        return 2 / size if size else UNDEFINED

    @property
    def verdict(self) -> str:
        """Whether each system's F1 is above what chance hardly reaches."""
        sentences = []
        for name, by_chance in self.evaluation.by_chance.items():
            observed, chance = self.evaluation.systems[name].f1.observed, by_chance.tested
            if name in self.evaluation.unmarked:
                continue
            if chance.probabilities is None or math.isnan(observed):
                continue
            high = chance.quantile(HIGH) * self._scale(name)
            sentences.append(
                f"{printable(name)}: F1 {verdict.short(observed)}; chance alone stays at or below"
                f" {verdict.short(high)} in {percent(HIGH)} of cases."
            )
        unmarked = verdict.marked_nothing(self.evaluation.unmarked)
        return " ".join([*sentences, unmarked]).strip()

    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None}

    def _table(self, by: str | None) -> Frame:
        """Two rows for each system: both random, and gold as it is."""
        rows: list[list[Value]] = []
        for (name, what), by_chance in self._distributions().items():
            scale = self._scale(name)
            high = (
                by_chance.quantile(HIGH) * scale
                if by_chance.probabilities is not None
                else UNDEFINED
            )
            system = self.evaluation.systems[name]
            observed, saw = system.f1.observed, system.documents
            mean, sd = by_chance.mean * scale, by_chance.sd * scale
            rows.append([name, what, saw, observed, mean, sd, high])
        gold, noun = printable(self.settings.gold), unit(self.settings)
        return Frame(
            [
                Column("system", "system", "name", "system against chance"),
                Column("random", "random", "name"),
                Column("documents", f"{noun}s", "count", "documents of a system"),
                Column("f1", "F1", meaning="F1 of a system"),
                Column("chance_mean", "F1 by chance"),
                Column("chance_sd", "sd", meaning="sd of chance"),
                Column("chance_95", "95 %", meaning="95 % point of chance"),
            ],
            rows,
            self.settings,
            caption=f"chance against {gold}, {counted(self.evaluation.documents, noun)}",
            remarks=[f"{what}: {means}" for what, means in RANDOM.items()],
        )

    def _picture(self, by: str | None) -> Picture:
        """Return how probable each F1 is by chance with gold as it is, and that of the system."""
        curves = {}
        for (name, what), by_chance in self._distributions().items():
            if what == "system" and by_chance.probabilities is not None:
                values, probabilities = likely_matches(by_chance)
                observed = self.evaluation.systems[name].f1.observed
                curves[name] = (values * self._scale(name), probabilities, observed)
        if not curves:
            return Picture(functools.partial(sentence, text="no matches that are whole numbers"))
        titles = ("by chance", "the system")
        draw = functools.partial(heights, rows=curves, titles=titles, what="F1")
        return Picture(draw, rows_size(curves))
