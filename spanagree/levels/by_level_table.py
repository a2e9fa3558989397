"""Systems in each level of difficulty as a table and a plot, with caveats, verdict and remarks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from spanagree.errors import escape_name, pluralize
from spanagree.results import verdict
from spanagree.results.cells import Value, format_figure
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import LINES, Plot, plot_lines
from spanagree.results.score import NO_CHANCE
from spanagree.settings import document_noun
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.table import write_remarks_on_chance

if TYPE_CHECKING:
    from spanagree.levels.by_level import EvaluationByLevel

_TAU = "Kendall's τ"
_NO_DIFFICULTY = "no difficulty"  # of documents without gold segments


def list_caveats(result: EvaluationByLevel) -> tuple[str, ...]:
    """List warnings about unreliable results, one sentence each."""
    return tuple(
        f"{level.name}: {caveat}"
        for level, evaluation in result.defined
        for caveat in evaluation.caveats
    )


def write_verdict(result: EvaluationByLevel) -> str:
    """Write the leading systems on the easiest and on the hardest documents."""
    defined = result.defined
    if len(defined) < 2:
        return result.whole.verdict
    leaders = [
        verdict.list_leaders(evaluation.scores) for _, evaluation in (defined[0], defined[-1])
    ]
    if not all(leaders):
        return result.whole.verdict
    easiest_leader, hardest_leader = map(verdict.join_in_words, leaders)
    levels_phrase = f"on the easiest documents, {hardest_leader} on the hardest"
    if easiest_leader == hardest_leader:
        levels_phrase = "on the easiest documents and on the hardest"
    verb = "is" if len(leaders[0]) == 1 else "are"
    sentence = f"By corrected F1 {easiest_leader} {verb} first {levels_phrase}."
    return verdict.join_in_two_sentences(
        sentence, "No test was made.", write_lost_quotes_sentence(result.whole)
    )


def build_table(result: EvaluationByLevel, by: str | None) -> Frame:
    """Build the table with a row for each level and system, and rows for all documents."""
    columns = [
        Column("level", "", "name"),
        Column("from"),
        Column("to"),
        Column("", "difficulty", "name", "difficulty of a level"),
        Column("", f"{document_noun(result.settings)}s", "count", "documents of a level"),
    ]
    overall = replace(result.whole, by_chance={})  # levels have no tests against chance
    hidden = [ratio.title for ratio in result.whole.figures.values() if not ratio.has_chance]
    for column in overall.table().columns:  # text output shows the chance level of F1 alone
        is_shown = column.title not in hidden
        columns.append(column._replace(title=column.title * is_shown))
    rows: list[list[Value]] = []
    for level, evaluation in [*result.parts, (None, overall)]:
        level_cells: list[Value] = ["all", None, None, "all"]
        if level is not None:  # text output has one column for low and high
            difficulty_range = f"{format_figure(level.low)}–{format_figure(level.high)}"
            name = _NO_DIFFICULTY if math.isnan(level.low) else difficulty_range
            level_cells = [level.name, level.low, level.high, name]
        systems = evaluation.systems.values()
        for system, row in zip(systems, evaluation.table().rows, strict=True):
            rows.append([*level_cells, system.documents, *row])
    tau_remarks, rows_per_level = _write_tau_remarks(result), max(len(result.whole.systems), 1)
    return Frame(
        columns,
        rows,
        result.settings,
        caption=f"{pluralize(len(result.whole.systems), 'system')} against"
        f" {escape_name(result.settings.gold)} by difficulty, the easiest first",
        remarks=[
            *_write_undefined_remarks(result),
            *_write_no_difficulty_remarks(result),
            *tau_remarks,
            *write_remarks_on_chance(overall),
            *result.caveats,
        ],
        breaks=range(rows_per_level, len(rows), rows_per_level),
        meanings={_TAU: _TAU} if tau_remarks else {},
    )


def _write_undefined_remarks(result: EvaluationByLevel) -> list[str]:
    """Write a remark for each distinct reason of an undefined F1 in a level."""
    reasons = (
        system.f1.reason
        for evaluation in result.evaluations
        for system in evaluation.systems.values()
    )
    distinct_reasons = dict.fromkeys(reason for reason in reasons if reason not in ("", NO_CHANCE))
    return [f"–: undefined: {reason}" for reason in distinct_reasons]


def _write_no_difficulty_remarks(result: EvaluationByLevel) -> list[str]:
    """Write the remark on documents without gold segments, which have no difficulty."""
    if result.settings.get("chance_undefined"):
        return []
    document_counts = (
        evaluation.documents for level, evaluation in result.parts if math.isnan(level.low)
    )
    return [
        f"{_NO_DIFFICULTY}: {escape_name(result.settings.gold)} marked nothing in"
        f" {pluralize(n_documents, document_noun(result.settings))}, so what a system marks"
        " there is wrong; it counts in all, which may lie below every level"
        for n_documents in document_counts
    ]


def _write_tau_remarks(result: EvaluationByLevel) -> list[str]:
    """Write the remarks on τ between raw and corrected F1, and between levels."""
    if len(result.whole.systems) < 2:
        return []
    evaluations = [
        *((level.name, evaluation) for level, evaluation in result.defined),
        ("all", result.whole),
    ]
    raw_and_corrected = [
        f"{name} {format_figure(result.raw_and_corrected(evaluation))}"
        for name, evaluation in evaluations
    ]
    remarks = [f"{_TAU} of raw and corrected F1: {', '.join(raw_and_corrected)}"]
    for score_key, name in (("observed", "raw"), ("corrected", "corrected")):
        between_levels = [
            f"{a} and {b} {format_figure(tau)}" for a, b, tau in result.between(score_key)
        ]
        if between_levels:
            remarks.append(f"{_TAU} between levels, {name} F1: {', '.join(between_levels)}")
    return remarks


def build_plot(result: EvaluationByLevel, by: str | None) -> Plot:
    """Plot the corrected F1 of each system in each level."""
    defined, rows = result.defined, {}
    for name in result.whole.systems:
        values = [evaluation.systems[name].f1.corrected for _, evaluation in defined]
        rows[name] = range(len(values)), values
    return plot_lines(rows, ("", "corrected F1"), LINES, [level.name for level, _ in defined])
