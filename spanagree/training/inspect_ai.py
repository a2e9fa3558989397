"""The F1 of spans as a metric for Inspect (inspect_ai)."""

from __future__ import annotations

from typing import Any, Literal

from spanagree.choices import Chance, MatchName
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice, quote_value
from spanagree.extras import import_optional
from spanagree.systems.evaluate import evaluate

VALUES = ("observed", "expected", "corrected")


def inspect_metric(
    value: Literal["observed", "expected", "corrected"] = "corrected",
    *,
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
) -> Any:
    """Build a metric for ``@scorer(metrics=[…])`` of Inspect, which computes F1 over all samples.

    The metric reads the metadata of each ``Score``, where a scorer has to store ``length``, the
    length of the text, and ``gold`` and ``answer``, lists of (start, end, label).

    Args:
        value: kind of F1: observed, expected by chance alone, or corrected.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping.

    Raises:
        SettingError: if a name is unknown or inspect_ai is not installed; by the metric, if a score
            lacks these metadata.

    >>> from types import SimpleNamespace
    >>> metadata = {"length": 9, "gold": [(0, 2, "X")], "answer": [(0, 2, "X"), (4, 5, "X")]}
    >>> answer = SimpleNamespace(score=SimpleNamespace(metadata=metadata))
    >>> round(inspect_metric("observed")([answer]), 3)
    0.667
    """
    check_choice(value, VALUES, "value")
    scorer = import_optional("inspect_ai.scorer", "", "a metric for Inspect")

    def span_f1() -> Any:
        def compute(scores: list[Any]) -> float:
            samples = [sample_score.score.metadata or {} for sample_score in scores]
            for position, sample in enumerate(samples, 1):
                if missing := {"length", "gold", "answer"} - sample.keys():
                    problem = f"score {position}: metadata lack {quote_value(min(missing))}"
                    raise SettingError(f"{problem}; length, gold and answer are needed")
            layers = {
                name: [
                    [(start, end, label) for start, end, label in sample[name]]
                    for sample in samples
                ]
                for name in ("gold", "answer")
            }
            corpus = Corpus.from_segments([sample["length"] for sample in samples], layers)
            result = evaluate(corpus, gold="gold", match=match, chance=chance)
            return float(getattr(result.systems["answer"].f1, value))

        return compute

    return scorer.metric(name=f"span_f1_{value}")(span_f1)()
