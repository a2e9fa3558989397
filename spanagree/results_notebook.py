"""Results in a notebook: the table that the command line prints, as HTML that is safe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanagree.agreement import disagreements_table as disagreements
from spanagree.agreement import table as agreement
from spanagree.agreement.disagreements import Confusion, Disagreements
from spanagree.agreement.result import Agreement
from spanagree.evaluation import table as evaluation
from spanagree.evaluation import tests_table as tests
from spanagree.evaluation.compare_systems import Comparison
from spanagree.evaluation.luck_test import LuckTest
from spanagree.evaluation.result import Evaluation
from spanagree.labels import table as coefficients
from spanagree.labels.summary import Coefficients
from spanagree.levels import by_level_table
from spanagree.levels import difficulty_table as difficulty
from spanagree.levels.by_level import EvaluationByLevel
from spanagree.levels.difficulty import Difficulty
from spanagree.rendering.html import Html, el, table
from spanagree.rendering.table import Table

_TABLES: Mapping[type, Callable[[Any], Table]] = {
    Agreement: agreement.as_table,
    Coefficients: coefficients.as_table,
    Comparison: tests.as_table,
    Confusion: disagreements.confusion_as_table,
    Difficulty: difficulty.as_table,
    Disagreements: disagreements.as_table,
    Evaluation: evaluation.as_table,
    EvaluationByLevel: by_level_table.levels_as_table,
    LuckTest: tests.as_table,
}


def as_html(result: Any) -> Html:
    """The table of a result, and its signature."""
    of = _TABLES[type(result)](result)
    return el("div", table(of), el("p", el("small", f"signature: {of.signature}")))
