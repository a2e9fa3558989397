"""Systems evaluated within each level of difficulty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanagree.errors import SettingError
from spanagree.evaluation.result import Evaluation
from spanagree.levels.borders import Level, levels_of, range_of
from spanagree.levels.difficulty import Difficulty
from spanagree.matching.score import UNDEFINED, plain
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown
from spanagree.settings import signature

_ALL_PAIRS = 10  # levels of which each two are compared


# --- evaluations by level -----------------------------------------------------------------------


@dataclass(frozen=True)
class EvaluationByLevel(Shown):
    """The result of :func:`evaluate_levels`.

    Attributes:
        whole: the evaluation over all documents.
        levels: the easiest first; the documents without a difficulty last, if there are any.
        evaluations: the same systems over the documents of each.
        settings: what made the difficulty and the borders.
        notes: where it could not be had as asked.
    """

    whole: Evaluation
    levels: tuple[Level, ...]
    evaluations: tuple[Evaluation, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

    def tau(self, one: Sequence[float], other: Sequence[float]) -> float:
        """Kendall's τ-b of two lists of scores of the systems; ``nan`` with fewer than two."""
        from scipy.stats import kendalltau  # takes half a second to import

        pairs = [
            (round(a, 12), round(b, 12))  # so that ties are those of ranks
            for a, b in zip(one, other, strict=True)
            if not (math.isnan(a) or math.isnan(b))
        ]
        if len(pairs) < 2 or any(len(set(column)) < 2 for column in zip(*pairs, strict=True)):
            return UNDEFINED
        return float(kendalltau(*zip(*pairs, strict=True)).statistic)

    def raw_and_corrected(self, evaluation: Evaluation) -> float:
        """τ between the systems' raw and corrected F1."""
        return self.tau(_f1(evaluation, "observed"), _f1(evaluation, "corrected"))

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return signature({**self.settings, **self.whole.settings})

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        return tuple(
            f"{level.name}: {said}" for level, of in self._defined() for said in of.caveats
        )

    def between(self, figure: str) -> list[tuple[str, str, float]]:
        """τ between the systems' F1 in each two levels; of more than ten, in neighbouring ones."""
        parts = [(level.name, _f1(of, figure)) for level, of in self._defined()]
        return [
            (a, b, self.tau(one, other))
            for i, (a, one) in enumerate(parts)
            for b, other in parts[i + 1 : i + 2 if len(parts) > _ALL_PAIRS else None]
        ]

    def _defined(self) -> list[tuple[Level, Evaluation]]:
        pairs = zip(self.levels, self.evaluations, strict=True)
        return [(level, of) for level, of in pairs if not math.isnan(level.low)]

    def to_dict(self) -> dict[str, Any]:
        """The evaluation with its levels, as plain data for JSON; undefined is ``None``."""
        data = self.whole.to_dict()
        data["signature"] = self.signature
        data["notes"] = [*data["notes"], *self.notes]
        data["caveats"] = [*data["caveats"], *self.caveats]
        return {
            **data,
            "difficulty": {
                key: value for key, value in self.settings.items() if key not in data["settings"]
            },
            "tau_raw_corrected": plain(self.raw_and_corrected(self.whole)),
            "levels": [
                {
                    **range_of(level),
                    "documents": of.documents,
                    "tau_raw_corrected": plain(self.raw_and_corrected(of)),
                    "systems": of.to_dict()["systems"],
                }
                for level, of in zip(self.levels, self.evaluations, strict=True)
            ],
            "tau_between_levels": {
                figure: [
                    {"levels": [a, b], "tau": plain(tau)} for a, b, tau in self.between(figure)
                ]
                for figure in ("observed", "corrected")
            },
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each level and system, then for each system over all documents."""
        parts = [*zip(self.levels, self.evaluations, strict=True), (None, self.whole)]
        return [
            {
                "level": "all" if level is None else level.name,
                "from": None if level is None else level.low,
                "to": None if level is None else level.high,
                **row,
                "signature": self.signature,
            }
            for level, of in parts
            for row in of.to_rows()
        ]

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows())


def _f1(evaluation: Evaluation, figure: str) -> list[float]:
    return [getattr(system.f1, figure) for system in evaluation.systems.values()]


def evaluate_levels(
    evaluation: Evaluation,
    difficulty: Difficulty,
    *,
    levels: int | None = None,
    at: Sequence[float] | None = None,
    chance_at: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
) -> EvaluationByLevel:
    """Every system's figures and ranks in each level of difficulty.

    The ways to split are those of :func:`levels_of`. Documents without a difficulty come last.

    Raises:
        SettingError: as for :func:`levels_of`; for the difficulty of another corpus.
    """
    if (evaluation.documents, evaluation.document_ids) != (
        len(difficulty), difficulty.document_ids
    ):  # fmt: skip
        raise SettingError(
            f"the difficulty is that of other documents ({len(difficulty)} of them; the evaluation"
            f" has {evaluation.documents})"
        )
    found = levels_of(difficulty, levels=levels, at=at, chance_at=chance_at, quantiles=quantiles)
    return EvaluationByLevel(
        evaluation,
        found.all,
        tuple(evaluation.over(level.documents) for level in found.all),
        {"of": difficulty.settings["of"], **found.borders},
        found.notes,
    )
