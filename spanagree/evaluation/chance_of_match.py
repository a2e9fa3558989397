"""What luck alone would give on a corpus: the distribution of the match, for each system."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spanagree.errors import counted, printable
from spanagree.evaluation.count import EvaluationSettings
from spanagree.evaluation.result import Evaluation
from spanagree.matching.luck_distribution import MatchDistribution, likely_matches
from spanagree.matching.score import UNDEFINED
from spanagree.rendering.data import plain
from spanagree.rendering.plots import Picture, heights, rows_size, sentence
from spanagree.rendering.table import Column, Table, Value
from spanagree.results import Result
from spanagree.settings import unit
from spanagree.uncertainty.luck_figures import HIGH

RANDOM = {"both": "both are random", "system": "gold is as it is, the system is random"}
"""What is random, by name."""


@dataclass(frozen=True, repr=False)
class ChanceOfMatch(Result):
    """The distribution of each system's match by luck; ``spanagree chance GOLD SYSTEM`` shows it.

    Attributes:
        evaluation: of the systems, with luck.
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

    def _each(self) -> Mapping[tuple[str, str], MatchDistribution]:
        return {
            (name, what): distribution
            for name, luck in self.evaluation.luck.items()
            for what, distribution in zip(RANDOM, (luck.both, luck.tested), strict=True)
        }

    def _scale(self, system: str) -> float:
        """Return the F1 of one match."""
        tally = self.evaluation.systems[system].tally
        size = tally.size_a + tally.size_b
        return 2 / size if size else UNDEFINED

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, for JSON: with the probability of each match."""
        systems = []
        for (name, what), luck in self._each().items():
            whole = luck.probabilities is not None
            systems.append(
                {
                    "system": name,
                    "random": what,
                    "match_mean": luck.mean,
                    "match_variance": luck.variance,
                    "match": list(luck.pmf) if whole else None,
                    "probability": list(luck.pmf.values()) if whole else None,
                    "documents": dict(luck.computed),
                }
            )
        return {**self.head(), "systems": plain(systems)}

    def _table(self, by: str | None) -> Table:
        """Two rows for each system: both random, and gold as it is."""
        rows: list[list[Value]] = []
        for (name, what), luck in self._each().items():
            scale = self._scale(name)
            high = luck.quantile(HIGH) * scale if luck.probabilities is not None else UNDEFINED
            observed = self.evaluation.systems[name].f1.observed
            rows.append([name, what, observed, luck.mean * scale, luck.sd * scale, high])
        gold, noun = printable(self.settings.gold), unit(self.settings)
        return Table(
            [
                Column("system", "system", "name", "system against luck"),
                Column("random", "random", "name"),
                Column("f1", "F1", meaning="F1 of a system"),
                Column("luck_mean", "F1 by luck"),
                Column("luck_sd", "sd", meaning="sd of luck"),
                Column("luck_95", "95 %", meaning="95 % point of luck"),
            ],
            rows,
            self.settings,
            caption=f"luck against {gold}, {counted(self.evaluation.documents, noun)}",
            remarks=[f"{what}: {means}" for what, means in RANDOM.items()],
        )

    def _picture(self, by: str | None) -> Picture:
        """Return how probable each F1 is by luck with gold as it is, and that of the system."""
        curves = {}
        for (name, what), luck in self._each().items():
            if what == "system" and luck.probabilities is not None:
                values, probabilities = likely_matches(luck)
                observed = self.evaluation.systems[name].f1.observed
                curves[name] = (values * self._scale(name), probabilities, observed)
        if not curves:
            return Picture(functools.partial(sentence, text="no matches that are whole numbers"))
        titles = ("by luck", "the system")
        draw = functools.partial(heights, rows=curves, titles=titles, what="F1")
        return Picture(draw, rows_size(curves))
