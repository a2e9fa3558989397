"""Results in a notebook: the table that the command line prints, as HTML that is safe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanagree.agreement import Agreement
from spanagree.comparison import Comparison
from spanagree.disagreement import Confusion, Disagreements
from spanagree.evaluation import Evaluation
from spanagree.levels import Difficulty, EvaluationByLevel
from spanagree.luck import LuckTest
from spanagree.reliability import Coefficients
from spanagree.report import agreement, coefficients, difficulty, disagreements, evaluation, tests
from spanagree.report.html import Html, el, table
from spanagree.report.table import Table

_TABLES: Mapping[type, Callable[[Any], Table]] = {
    Agreement: agreement.as_table,
    Coefficients: coefficients.as_table,
    Comparison: tests.as_table,
    Confusion: disagreements.confusion_as_table,
    Difficulty: difficulty.as_table,
    Disagreements: disagreements.as_table,
    Evaluation: evaluation.as_table,
    EvaluationByLevel: difficulty.levels_as_table,
    LuckTest: tests.as_table,
}


def as_html(result: Any) -> Html:
    """The table of a result, and its signature."""
    of = _TABLES[type(result)](result)
    return el("div", table(of), el("p", el("small", f"signature: {of.signature}")))
