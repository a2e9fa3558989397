"""An evaluation as tables and plots, with its verdict and remarks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from spanagree.comparisons.inexact import ApproximationError, write_standard_error_note
from spanagree.comparisons.place_shares import insert_uniform_chance
from spanagree.comparisons.tally import Tally
from spanagree.comparisons.tally_columns import build_count_columns, list_count_values
from spanagree.corpus.times import convert_table_to_seconds
from spanagree.errors import escape_name, join_names, pluralize
from spanagree.results import caveats, verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame, Pivot
from spanagree.results.plots import (
    Plot,
    plot_f1_dots,
    plot_heat_map,
    plot_sentence,
)
from spanagree.results.score import FIGURES, NO_CHANCE, HasScores, list_figures
from spanagree.results.score_columns import ERROR_OF_CHANCE, build_figure_columns
from spanagree.settings import document_noun, parse_confidence
from spanagree.systems.lost_quotes import find_lost_quotes, write_lost_quotes_sentence
from spanagree.uncertainty.chance_statistics import COLUMNS as CHANCE_COLUMNS
from spanagree.uncertainty.chance_statistics import WHOLE

if TYPE_CHECKING:
    from spanagree.systems.result import Evaluation, System

NOT_FOUND = Column("not_found", "not found", "count", "not found")
"""The column of quotes that are not in the text."""

_BY_LABEL = Pivot("label", "system", ("precision", "recall", "F1", "corrected F1"), ("gold",))


def _list_best_columns(evaluation: Evaluation) -> list[str]:
    """List the titles of columns whose greatest figure is the best."""
    corrected = (f"corrected {ratio.title}" for ratio in evaluation.figures.values())
    return [*(ratio.title for ratio in evaluation.figures.values()), *corrected]


def _build_chance_cells(
    evaluation: Evaluation, system: System
) -> tuple[list[Value], list[list[Value]]]:
    """Build the cells of chance over all documents, and for each document."""
    overall = evaluation.by_chance[system.name].compute_for_all(system.tally)
    return overall.list_values(), [
        statistics.list_values()
        for statistics in evaluation.chance_by_document(system.name).values()
    ]


def build_table(evaluation: Evaluation, by: str | None) -> Frame:
    """Build a table with a row for each system.

    With ``by`` each label or document of each system has a row, followed by rows of its averages.
    """
    has_intervals = evaluation.jackknife is not None
    shows_ends = has_intervals and by != "document"
    noun = document_noun(evaluation.settings)
    columns_of_figures = [
        build_figure_columns(ratio, intervals=shows_ends) for ratio in evaluation.figures.values()
    ]
    counts = build_count_columns(is_titled=by is not None)
    all_saw = all(
        system.documents == evaluation.documents for system in evaluation.systems.values()
    )
    error_column = by is None and any(
        inexact.drawn for inexact in evaluation.counted.inexact.values()
    )
    title = "" if all_saw else f"{noun}s"
    documents_column = Column("documents", title, "count", "documents of a system")
    columns = [
        Column("system", "system", "name"),
        *(_build_part_columns(by, noun) if by else [documents_column]),
        *(column for figure_columns in columns_of_figures for column in figure_columns.columns),
        *(
            column
            for figure_columns in columns_of_figures
            if has_intervals
            for column in figure_columns.ends
        ),
        *(ERROR_OF_CHANCE,) * error_column,
        *counts,
    ]
    has_lost_quotes = any(system.not_found for system in evaluation.systems.values())
    columns += [NOT_FOUND] * has_lost_quotes
    has_p_values = bool(evaluation.by_chance) and by != "label"
    columns += CHANCE_COLUMNS[: None if by else WHOLE] if has_p_values else ()
    if by is None:
        columns += [Column("rank_observed", "", "count"), Column("rank_corrected", "", "count")]

    def list_figure_cells(scored: HasScores) -> list[Value]:
        """List the cells of all figures of a system, a label, a document or an average."""
        pairs = list(
            zip(columns_of_figures, map(scored.score_of, evaluation.figures.values()), strict=True)
        )
        values = [
            value for figure_columns, score in pairs for value in figure_columns.list_values(score)
        ]
        end_values = [
            value
            for figure_columns, score in pairs
            for value in figure_columns.list_end_values(score)
        ]
        return values + end_values if has_intervals else values

    rows, breaks = list[list[Value]](), list[int]()
    for system in evaluation.systems.values():
        breaks.append(len(rows))
        chance_of_all, by_chance = (
            _build_chance_cells(evaluation, system) if has_p_values else ([], [])
        )
        error = [_look_up_chance_error(evaluation, system)] * error_column
        overall = [*list_figure_cells(system), *error, *list_count_values(system.tally)]
        overall += [system.not_found] * has_lost_quotes
        not_found = _count_not_found_by_part(evaluation, system, by)
        if by is None:
            overall += [*chance_of_all[:WHOLE], *system.rank]
            rows.append([system.name, system.documents, *overall])
            continue
        for index, (part, tally) in enumerate(evaluation._list_parts(system, by)):
            row = [system.name, part, "", part, *list_figure_cells(tally)]
            row += list_count_values(tally)
            row += [not_found[part]] * has_lost_quotes
            rows.append(row + by_chance[index] if has_p_values else row)
        rows.append([system.name, "", "micro", "all (micro)", *overall, *chance_of_all])
        if by == "label" and system.labels:
            macro = [
                *list_figure_cells(system.macro),
                *list_count_values(None),
                *[None] * has_lost_quotes,
            ]
            rows.append([system.name, "", "macro", "all (macro)", *macro])
    table = Frame(
        columns,
        rows,
        evaluation.settings,
        caption=f"{pluralize(len(evaluation.systems), 'system')} against"
        f" {escape_name(evaluation.settings.gold)}, {pluralize(evaluation.documents, noun)}",
        remarks=_write_remarks(evaluation, by),
        breaks=breaks[1:] if by else (),
        pivot=_BY_LABEL if by == "label" and not has_intervals else None,
        best=() if by else _list_best_columns(evaluation),
    )
    table = convert_table_to_seconds(table, *(column.key for column in counts))
    uniform = None if evaluation.uniform is None else evaluation.uniform._build_table(by)
    return insert_uniform_chance(table, uniform, evaluation.places)


def _count_not_found_by_part(
    evaluation: Evaluation, system: System, by: str | None
) -> Mapping[str, int]:
    """Count the quotes of a system that are not in the text.

    The counts are by name of the label or document, as ``by`` says, and empty without it.
    """
    if by is None:
        return {}
    indices = find_lost_quotes(evaluation.counted.per_document, system.name)[by].tolist()
    if by == "label":
        labels = evaluation.counted.sums.labels
        return Counter(labels[index] for index in indices)
    ids = evaluation.document_ids
    return Counter(ids[index] if ids else str(index + 1) for index in indices)


def _write_remarks(evaluation: Evaluation, by: str | None) -> list[str]:
    """Write remarks on missing documents, and on undefined figures, each reason once."""
    remarks: dict[str, None] = {}
    incomplete = [
        system for system in evaluation.systems.values() if system.documents < evaluation.documents
    ]
    if by == "label" and incomplete:
        counts = [f"{escape_name(system.name)} {system.documents}" for system in incomplete]
        noun = pluralize(evaluation.documents, document_noun(evaluation.settings))
        remarks[f"not over all {noun}: {join_names(counts)}"] = None
    if by == "label" and not any(system.labels for system in evaluation.systems.values()):
        remarks[f"no rows for labels: match {evaluation.settings.match} disregards them"] = None
    for system in evaluation.systems.values():
        name = escape_name(system.name)
        remarks |= {f"{name}: {reason}": None for reason in _list_undefined_reasons(system)}
        if by and (error := _look_up_chance_error(evaluation, system)):
            remarks[f"{name}: {write_standard_error_note(error)}"] = None
        if by == "label":
            remarks |= {
                f"{name} (macro): {reason}": None
                for reason in _list_undefined_reasons(system.macro)
            }
        for _, tally in evaluation._list_parts(system, by) if by else ():
            remarks |= {f"–: {reason}": None for reason in _list_undefined_reasons(tally)}
            if tally.f1.interval is not None and tally.f1.interval.reason:
                remarks[f"intervals of some: {tally.f1.interval.reason}"] = None
    return [*remarks, *write_remarks_on_chance(evaluation), *list_caveats(evaluation)]


def build_plot(evaluation: Evaluation, by: str | None) -> Plot:
    """Plot observed and corrected F1 of systems, as dots with their intervals.

    By label, plot a heat map of corrected F1, labels × systems.
    """
    systems = evaluation.systems.values()
    if by == "label":
        labels = list(dict.fromkeys(label for system in systems for label in system.labels))
        if not labels:
            return plot_sentence("no label")
        empty_tally = Tally()
        values = [
            [system.labels.get(label, empty_tally).f1.corrected for system in systems]
            for label in labels
        ]
        return plot_heat_map(labels, list(evaluation.systems), np.array(values), "corrected F1")
    title = "F1" if evaluation.jackknife is None else "F1, with intervals"
    return plot_f1_dots(evaluation.scores.items(), title)


def _build_part_columns(by: str, noun: str) -> list[Column]:
    """Build the columns of the name of a part and of its average; text output has one for both."""
    title = noun if by == "document" else by
    return [
        Column(by, "", "name"),
        Column("average", "", "name"),
        Column("", title, "name", f"{by} of systems"),
    ]


def _list_undefined_reasons(scores: HasScores) -> list[str]:
    """List the undefined figures of a system, label or document, each with its reason."""
    reasons = []
    for ratio in list_figures(scores.beta).values():
        score = scores.score_of(ratio)
        if score.reason and score.reason != NO_CHANCE:
            prefix = "" if math.isnan(score.observed) else "corrected "
            reasons.append(f"{prefix}{ratio.title} undefined: {score.reason}")
    return reasons


def list_caveats(evaluation: Evaluation) -> tuple[str, ...]:
    """Collect warnings about the F1 of each system."""
    scores = evaluation.scores.items()
    evidence = _look_up_evidence(evaluation)
    rows = ((escape_name(name), score, evidence[name]) for name, score in scores)
    return caveats.write_caveats_of_rows(rows, document_noun(evaluation.settings))


def _look_up_evidence(evaluation: Evaluation) -> dict[str, list[int]]:
    """Look up the evidence for the F1 of each system."""
    f1 = list(FIGURES).index("f1")
    return {name: evaluation.counted.evidence[name][f1].tolist() for name in evaluation.systems}


def write_verdict(evaluation: Evaluation) -> str:
    """Write the order of systems by corrected F1, and the number of documents behind it."""
    noun = document_noun(evaluation.settings)
    n_informative_documents = [
        documents for documents, _, _ in _look_up_evidence(evaluation).values()
    ]
    documents_phrase = f"{verdict.write_range(n_informative_documents, noun)} with anything marked"
    confidence = parse_confidence(evaluation.settings)
    sentences = verdict.write_order(
        evaluation.scores, documents_phrase, confidence, "--test jackknife", evaluation.unmarked
    )
    return verdict.join_in_two_sentences(
        *sentences,
        _write_compared_documents(evaluation),
        verdict.write_chance_model(evaluation.settings),
        write_lost_quotes_sentence(evaluation),
    )


def _write_compared_documents(evaluation: Evaluation) -> str:
    """Write the number of compared documents; empty if all documents were compared."""
    n_compared = [system.documents for system in evaluation.systems.values()]
    low, high = min(n_compared), max(n_compared)
    if low == evaluation.documents:
        return ""
    number_phrase = f"{low} to {high}" if low < high else f"{high}"
    documents_phrase = pluralize(evaluation.documents, document_noun(evaluation.settings))
    return f"{number_phrase} of {documents_phrase} were compared."


def _look_up_chance_error(evaluation: Evaluation, system: System) -> float | None:
    """Return the standard error of a system's chance F1, if it is estimated from draws."""
    inexact = evaluation.counted.inexact.get(system.name, ApproximationError())
    return inexact.compute_error(system.tally.size)


def write_remarks_on_chance(evaluation: Evaluation) -> list[str]:
    """Write remarks on undefined chance, on fixed layers, and on the rule of places."""
    remarks = verdict.write_chance_remarks(evaluation.settings)
    gold = evaluation.settings.gold
    if evaluation.settings.get("chance_of") == "systems":
        remarks.append(f"chance: systems random, {escape_name(gold)} fixed")
    if evaluation.places is not None:
        names_by_role = {escape_name(gold): [gold], "systems": list(evaluation.systems)}
        remarks += evaluation.places.write_remarks(names_by_role)
    return remarks
