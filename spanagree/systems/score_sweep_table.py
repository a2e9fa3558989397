"""A sweep over scores as a table and a plot, with its verdict and remarks."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanagree.comparisons.tally_columns import build_count_columns, list_count_values
from spanagree.errors import escape_name, format_count_of_total, pluralize
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import STEPS, Plot, plot_lines
from spanagree.results.score import Score, compute_all_figures
from spanagree.results.score_columns import build_figure_columns
from spanagree.settings import document_noun, parse_confidence

if TYPE_CHECKING:
    from spanagree.comparisons.tally import Tally
    from spanagree.systems.score_sweep import BestScore, ScoreSweep, SystemSweep

_SHOWN = 12  # thresholds of each system that a terminal shows
_NAMED = 3  # systems in a verdict


def build_table(sweep: ScoreSweep, by: str | None) -> Frame:
    """Build a table with a row for each threshold of each system.

    Text output shows a selection of many thresholds: the lowest, the highest, the best, and some
    between them.
    """
    scores = [build_figure_columns(ratio, intervals=False) for ratio in sweep.figures.values()]
    columns = [
        Column("system", "system", "name"),
        Column("threshold", "threshold", "number", "threshold of a score"),
        *(column for score in scores for column in score.columns),
        *build_count_columns(is_titled=True),
    ]
    columns = [
        column._replace(title="") if column.key == "size_gold" else column for column in columns
    ]
    rows, breaks = list[list[Value]](), list[int]()
    shown_rows, shown_breaks = list[list[Value]](), list[int]()
    for system in sweep.systems.values():
        breaks.append(len(rows))
        shown_breaks.append(len(shown_rows))
        system_rows = []
        for index, threshold in enumerate(system.thresholds.tolist()):
            tally = system.tally(index)
            row: list[Value] = [system.name, threshold]
            for columns_of, ratio in zip(scores, sweep.figures.values(), strict=True):
                row += columns_of.list_values(tally.score_of(ratio))
            system_rows.append([*row, *list_count_values(tally)])
        rows += system_rows
        shown_rows += [system_rows[index] for index in _select_thresholds(system)]
    table = Frame(
        columns,
        rows,
        sweep.settings,
        caption=f"{pluralize(len(sweep.systems), 'system')} against"
        f" {escape_name(sweep.settings.gold)} by least score,"
        f" {pluralize(sweep.documents, document_noun(sweep.settings))}",
        remarks=_write_remarks(sweep),
        breaks=breaks[1:],
    )
    if len(shown_rows) == len(rows):
        return table
    shown_of_all = format_count_of_total(len(shown_rows), len(rows), "threshold")
    remarks = [f"{shown_of_all}: --all shows the others", *table.remarks]
    short_table = replace(table, rows=shown_rows, breaks=shown_breaks[1:], remarks=remarks)
    return replace(table, in_terminal=short_table)


def _select_thresholds(system: SystemSweep) -> list[int]:
    """Select the indices of evenly spread thresholds and of the best threshold."""
    n_thresholds = len(system.thresholds)
    spread_indices = np.linspace(0, n_thresholds - 1, min(_SHOWN, n_thresholds)).round().astype(int)
    best = [] if system.best is None else [system.best.threshold]
    return sorted({*spread_indices.tolist(), *np.searchsorted(system.thresholds, best).tolist()})


def _write_remarks(sweep: ScoreSweep) -> list[str]:
    """Write remarks on thresholds, and the figure of the best threshold in both halves."""
    noun = document_noun(sweep.settings)
    remarks = ["a threshold keeps predictions with at least that score, and those without one"]
    remarks += verdict.write_chance_remarks(sweep.settings)
    score_key, prefix = verdict.choose_figure(sweep.settings)
    for system in sweep.systems.values():
        name, best = escape_name(system.name), system.best
        if best is None:
            remarks.append(f"{name}: no best score, as {noun}s are too few to halve")
            continue
        title = _look_up_title(sweep)
        chosen, held_out = (
            verdict.format_short(getattr(_look_up_score(sweep, tally), score_key))
            for tally in (best.chosen, best.held_out)
        )
        remarks.append(
            f"{name}: score {best.threshold:g} is best by {prefix}{title} on"
            f" {pluralize(best.n_chosen, noun)} ({chosen}), and has {held_out} on"
            f" {best.n_held_out} others; seed {sweep.settings.seed} drew the halves"
        )
    return remarks


def _look_up_title(sweep: ScoreSweep) -> str:
    """Return the name of the figure by which the best threshold is chosen."""
    return [*sweep.figures.values()][-1].title


def _look_up_score(sweep: ScoreSweep, tally: Tally) -> Score:
    """Return the score by which the best threshold is chosen."""
    return tally.score_of([*sweep.figures.values()][-1])


def write_verdict(sweep: ScoreSweep) -> str:
    """Write the verdict, which compares the best thresholds of the first systems with none."""
    sentences = [
        _compare_best(sweep, system.name, system.best)
        for system in [*sweep.systems.values()][:_NAMED]
        if system.best is not None
    ]
    if not sentences:
        sentences = [
            f"No best score, as there are too few {document_noun(sweep.settings)}s to halve."
        ]
    if sweep.settings.get("chance_undefined"):
        sentences.append(verdict.write_chance_model(sweep.settings))
    return verdict.join_in_two_sentences(*sentences, sweep.not_in_text)


def _compare_best(sweep: ScoreSweep, name: str, best: BestScore) -> str:
    """Write a comparison of a system's best threshold with none, on held-out documents."""
    noun, title = document_noun(sweep.settings), _look_up_title(sweep)
    score_key, prefix = verdict.choose_figure(sweep.settings)
    held_out, all_kept = (
        verdict.format_short(getattr(_look_up_score(sweep, tally), score_key))
        for tally in (best.held_out, best.all_kept)
    )
    opening = (
        f"{escape_name(name)}: with scores from {best.threshold:g}, chosen on"
        f" {pluralize(best.n_chosen, noun)}, {prefix}{title} is {held_out} on the"
        f" {best.n_held_out} held out, and {all_kept} without a threshold"
    )
    gain = best.gain
    if math.isnan(gain.p):
        return f"{opening}."
    confidence = parse_confidence(sweep.settings) or 95
    difference_phrase = f"difference of {prefix}F1 {verdict.format_short(gain.value)}"
    if not math.isnan(gain.low):
        difference_phrase += f", {verdict.write_interval(gain.low, gain.high, confidence)}"
    difference_phrase += f", p {verdict.write_p(gain.p)}"
    outcome = "" if gain.p < verdict.LEVEL else ", which cannot be told from none"
    return f"{opening} ({difference_phrase}){outcome}."


def list_caveats(sweep: ScoreSweep) -> tuple[str, ...]:
    """Write a warning if few documents are held out; else the tuple is empty."""
    held_out_counts = [
        system.best.n_held_out for system in sweep.systems.values() if system.best is not None
    ]
    if not held_out_counts or min(held_out_counts) >= 30:
        return ()
    noun = document_noun(sweep.settings)
    return (
        f"the best score rests on {pluralize(min(held_out_counts), noun)} held out;"
        " others may differ a lot",
    )


def build_plot(sweep: ScoreSweep, by: str | None) -> Plot:
    """Plot the figures of one system over thresholds, or corrected F1 of several systems."""
    score_key, prefix = verdict.choose_figure(sweep.settings)
    is_corrected = score_key == "corrected"
    rows = {}
    for system in sweep.systems.values():
        with np.errstate(all="ignore"):
            figures = compute_all_figures(system.sums, system.beta)
        names = [*sweep.figures]
        if len(sweep.systems) > 1:
            rows[system.name] = (
                system.thresholds,
                figures[:, 3 * names.index("f1") + 2 * is_corrected],
            )
            continue
        for k, ratio in enumerate(sweep.figures.values()):
            rows[ratio.title] = system.thresholds, figures[:, 3 * k]
            if ratio.has_chance and is_corrected:
                rows[f"corrected {ratio.title}"] = system.thresholds, figures[:, 3 * k + 2]
    marks = [system.best.threshold for system in sweep.systems.values() if system.best is not None]
    y_title = "" if len(sweep.systems) == 1 else f"{prefix}F1"
    return plot_lines(rows, ("least score", y_title), STEPS, marks=marks)
