"""The F1 that decides: corrected, or observed if chance is undefined."""

from __future__ import annotations

from typing import Any

from spanagree.results.score import Score
from spanagree.results.verdict import choose_figure


def look_up_kind(result: Any) -> str:
    """Look up the F1 that decides: corrected, or observed if chance is undefined."""
    return choose_figure(result.settings)[0]


def look_up_title(result: Any) -> str:
    """Look up the title of the F1 that decides: corrected F1, or F1 if chance is undefined."""
    return f"{choose_figure(result.settings)[1]}F1"


def select_f1(result: Any, score: Score) -> float:
    """Select the F1 that decides from a score."""
    value: float = getattr(score, look_up_kind(result))
    return value
