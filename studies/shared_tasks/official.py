"""The measures that tasks printed, by the names that the manifest calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ehealthkd
import error_spans

import spanagree as sa

Result = Mapping[str, Any]


def exact(task: Any, source: Path, corpus: Any, result: Result) -> dict[str, float]:
    """Return exact F1 of each system."""
    return {one["name"]: one["observed"] for one in result["rows"][0]["scored"]}


def mean_pairwise(task: Any, source: Path, corpus: Any, result: Result) -> dict[str, float]:
    """Return the mean exact F1 over pairs of annotators."""
    return {"team": result["rows"][0]["people"]["mean_pairwise"]}


def alpha(task: Any, source: Path, corpus: Any, result: Result) -> dict[str, float]:
    """Return Krippendorff's α of a table of labels."""
    labels = sa.read_labels(source / task["files"], **task["labels"])
    return {"team": sa.alpha(labels).value}


def mcc(task: Any, source: Path, corpus: Any, result: Result) -> dict[str, float]:
    """Return Matthews' correlation of tokens."""
    return error_spans.mcc(corpus, task["gold"])


def ehealth(task: Any, source: Path, corpus: Any, result: Result) -> dict[str, float]:
    """Return F1 of entities, or of relations, by the rules of eHealth-KD 2020."""
    relations, file = task.get("what") == "relations", f"{task['scenario']}.ann"
    gold = ehealthkd.read(source / "gold" / file)
    return {
        path.name: ehealthkd.f1(gold, ehealthkd.read(path / file), relations=relations)
        for path in sorted((source / "systems").iterdir())
    }


FIGURES: Mapping[str, Callable[..., dict[str, float]]] = {
    each.__name__: each for each in (exact, mean_pairwise, alpha, mcc, ehealth)
}
