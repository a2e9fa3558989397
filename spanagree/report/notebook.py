"""Results in a notebook: the table that the command line prints, as HTML that is safe."""

from __future__ import annotations

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


def as_html(result: Any) -> Html:
    """The table of a result, and its signature."""
    of = _table(result)
    return el("div", table(of), el("p", el("small", f"signature: {of.signature}")))


def _table(result: Any) -> Table:
    if isinstance(result, Evaluation):
        return evaluation.as_table(result)
    if isinstance(result, EvaluationByLevel):
        return difficulty.levels_as_table(result)
    if isinstance(result, Agreement):
        return agreement.as_table(result)
    if isinstance(result, Coefficients):
        return coefficients.as_table(result)
    if isinstance(result, Difficulty):
        return difficulty.as_table(result)
    if isinstance(result, Disagreements):
        return disagreements.as_table(result)
    if isinstance(result, Confusion):
        return disagreements.confusion_as_table(result)
    assert isinstance(result, (Comparison, LuckTest))  # there are no other results to show
    return tests.as_table(result)
