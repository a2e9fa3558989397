"""What an evaluation by level looks like as a table."""

from __future__ import annotations

import math

from spanagree.errors import counted, printable
from spanagree.levels.by_level import EvaluationByLevel
from spanagree.levels.difficulty_table import FIGURES, NO_DIFFICULTY
from spanagree.matching.score import INTERVAL_FIGURES, with_intervals
from spanagree.rendering.table import UNDEFINED, Table, Value, figure
from spanagree.settings import unit


def levels_as_table(result: EvaluationByLevel) -> Table:
    """A block for each level, the easiest first, then all documents."""
    document = unit(result.whole.settings)
    rows: list[list[Value]] = []
    breaks = []
    parts = [*zip(result.levels, result.evaluations, strict=True), (None, result.whole)]
    sure = "ci" in result.whole.settings
    for level, evaluation in parts:
        breaks.append(len(rows))
        if level is None:
            name = "all"
        elif math.isnan(level.low):
            name = NO_DIFFICULTY
        else:
            name = f"{figure(level.low)}–{figure(level.high)}"
        rows += [
            [
                name,
                system.documents,
                system.name,
                *(with_intervals(system.f1) if sure else system.f1[:3]),
                UNDEFINED
                if name == NO_DIFFICULTY
                else " → ".join(UNDEFINED if r is None else str(r) for r in system.rank),
            ]
            for system in evaluation.systems.values()
        ]
    return Table(
        ("difficulty", f"{document}s", "system", *(INTERVAL_FIGURES if sure else FIGURES), "rank"),
        rows,
        names=1,
        prose=(2,),
        breaks=breaks[1:],
        caption=f"{counted(len(result.whole.systems), 'system')} against"
        f" {printable(result.whole.settings['gold'])} by difficulty, the easiest first",
        remarks=[*_undefined(result), *_taus(result), *result.caveats],
        signature=result.signature,
    )


def _taus(result: EvaluationByLevel) -> list[str]:
    if len(result.whole.systems) < 2:
        return []
    within = [
        f"{level.name} {figure(result.raw_and_corrected(of))}"
        for level, of in zip(result.levels, result.evaluations, strict=True)
        if not math.isnan(level.low)
    ]
    remarks = [
        "Kendall's τ of raw and corrected F1: "
        + ", ".join([*within, f"all {figure(result.raw_and_corrected(result.whole))}"])
    ]
    for kind, said in (("observed", "raw"), ("corrected", "corrected")):
        between = [f"{a} and {b} {figure(tau)}" for a, b, tau in result.between(kind)]
        if between:
            remarks.append(f"Kendall's τ between levels, {said} F1: {', '.join(between)}")
    return remarks


def _undefined(result: EvaluationByLevel) -> list[str]:
    reasons = {
        system.f1.reason: None
        for of in result.evaluations
        for system in of.systems.values()
        if system.f1.reason
    }
    return [f"–: undefined: {reason}" for reason in reasons]
