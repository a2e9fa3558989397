"""An agreement as tables and plots, with its verdict and remarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spanagree.agreement import annotator_columns, by_annotator
from spanagree.agreement.annotator_columns import PAIRS, Layout, LayoutRow
from spanagree.agreement.team import Mean
from spanagree.agreement.weight import write_single_caveat, yield_weight_caveats
from spanagree.comparisons.inexact import write_standard_error_note
from spanagree.comparisons.place_shares import insert_uniform_chance
from spanagree.comparisons.tally_columns import build_count_columns, list_count_values
from spanagree.corpus.times import convert_table_to_seconds
from spanagree.errors import join_names, pluralize
from spanagree.results import caveats, verdict
from spanagree.results.frame import Column, Frame, add_remark_on_more
from spanagree.results.plots import Plot, plot_f1_dots, plot_heat_map, plot_sentence
from spanagree.results.score import NO_CHANCE, Score, get_annotator_interval
from spanagree.results.score_columns import ERROR_OF_CHANCE, F1, ScoreColumns
from spanagree.settings import document_noun, parse_confidence
from spanagree.uncertainty.chance_statistics import COLUMNS as CHANCE_COLUMNS
from spanagree.uncertainty.chance_statistics import WHOLE, ChanceStatistics
from spanagree.uncertainty.confidence import FEW_ANNOTATORS, LEAST_UNITS
from spanagree.uncertainty.permutation import holm, holm_log10

if TYPE_CHECKING:
    from spanagree.agreement.result import Agreement

_SD = "sd over pairs"  # name of a row
_WITHOUT = " without "  # in the name of a row, before the names of annotators left out
_FEW = "*"
_MARKED = Column("", "marked, over pairs", "count")


def build_table(agreement: Agreement, by: str | None) -> Frame:
    """Build a table with a row for the team and rows for the mean over pairs.

    With ``by`` it has a row for each pair, annotator, label or document instead.
    """
    leading_columns, layout_rows, trailing_columns = _LAYOUTS[by](agreement)
    has_intervals = agreement.settings.ci is not None and by != "document"
    has_second_intervals = agreement.settings.over is not None and by in (
        None,
        "label",
        "annotator",
    )
    f1 = ScoreColumns("f1", F1, has_intervals, ("F1 of a pair", "", ""), has_second_intervals)
    error = agreement.error_of_chance if by is None else None
    columns = [*leading_columns, *f1.columns, *(f1.ends if has_intervals else ())]
    columns += [ERROR_OF_CHANCE] * (error is not None)
    sizes = build_count_columns(is_titled=by == "pair", of_pairs=True)
    columns += [*sizes, *trailing_columns]
    errors = [] if error is None else [error]
    rows = []
    for leading_cells, score, tally, trailing_cells in layout_rows:
        error_cells = errors if tally else [None] * len(errors)  # not for means over pairs
        ends = f1.list_end_values(score) if has_intervals else []
        rows.append(
            [
                *leading_cells,
                *f1.list_values(score),
                *ends,
                *error_cells,
                *list_count_values(tally, of_pairs=True),
                *trailing_cells,
            ]
        )
    if by is None and has_intervals:  # a spread has no interval
        rows = [
            [
                "" if column.kind == "interval" else value
                for column, value in zip(columns, row, strict=True)
            ]
            if row[0] == _SD
            else row
            for row in rows
        ]
    document, documents = document_noun(agreement.settings), agreement.team.documents
    table = Frame(
        columns,
        rows,
        agreement.settings,
        caption=f"{pluralize(len(agreement.annotators), 'annotator')},"
        f" {pluralize(agreement.team.pairs, 'pair')} with {_write_shared_documents(agreement)},"
        f" {pluralize(agreement.documents, document)}, {documents} seen by two or more",
        remarks=_write_remarks(
            agreement,
            by,
            [score for leading_columns, score, *_ in layout_rows if leading_columns != [_SD]],
        ),
        for_people=[len(rows) - 1] if by == "label" else (),
        meanings={str(row[0]): _look_up_heading(str(row[0])) for row in rows} if by is None else {},
    )
    table = convert_table_to_seconds(table, *(column.key for column in sizes), _MARKED.title)
    if by == "annotator" and len(rows) > by_annotator.SHOWN:
        sort = agreement.sort or "outlier"
        sorted_members = by_annotator.sort_annotators(agreement.members, agreement.standings, sort)
        row_of_name = {member.name: i for i, member in enumerate(agreement.members)}
        short_table = replace(
            table,
            columns=annotator_columns.hide_titles(columns),
            rows=[
                rows[row_of_name[member.name]] for member in sorted_members[: by_annotator.SHOWN]
            ],
        )
        short_table = add_remark_on_more(short_table, len(rows) - by_annotator.SHOWN)
        table = replace(table, in_terminal=short_table)
    uniform = None if agreement.uniform is None else agreement.uniform._build_table(by)
    return insert_uniform_chance(table, uniform, agreement.places)


def _look_up_heading(name: str) -> str:
    """Return the heading of the explanation of a row."""
    name_of_figure, separator, _ = name.partition(_WITHOUT)
    return f"{name_of_figure} without annotators" if separator else name_of_figure


def _write_remarks(
    agreement: Agreement, by: str | None, scores: Sequence[Score | Mean]
) -> list[str]:
    """Write remarks on the team's sums, unreliable figures and undefined figures.

    Args:
        agreement: agreement of the table.
        by: breakdown of the table, or `None`.
        scores: F1 of each row, whose reasons are written if they are undefined.
    """
    document = document_noun(agreement.settings)
    remarks = [f"team: tallies summed over pairs and {document}s; those that many saw weigh more"]
    remarks += verdict.write_chance_remarks(agreement.settings)
    if agreement.places is not None:
        remarks += agreement.places.write_remarks({"annotators": list(agreement.annotators)})
    if agreement.settings.over is not None:
        remarks.append(
            f"intervals: over {document}s, for these annotators; then over other annotators too"
        )
    elif agreement.settings.ci is not None:
        remarks.append(
            f"intervals: cover new {document}s only;"
            + (
                " --over annotators adds intervals for other annotators"
                if _count_compared(agreement) >= LEAST_UNITS
                else f" for other annotators (--over annotators) at least {LEAST_UNITS} are needed"
            )
        )
    if by == "label" and not agreement.labels:
        remarks.append(f"no rows for labels: match {agreement.settings.match} disregards them")
    if by and (error := agreement.error_of_chance):
        remarks.append(f"team: {write_standard_error_note(error)}")
    if agreement.few:
        mark = f"{_FEW} " if by == "pair" else ""
        min_documents = pluralize(agreement.settings.min_shared or 0, document)
        pairs = pluralize(len(agreement.pairs), "pair")
        warning = (
            f"{agreement.few} of {pairs} share fewer than {min_documents}; their figures are shaky"
        )
        if len(agreement.pairs) == 1:
            warning = f"the only pair shares fewer than {min_documents}; its figures are shaky"
        remarks.append(mark + warning)
    n_unmarked = len(agreement.pairs) - int(agreement.mean.pairs.observed)
    if n_unmarked and agreement.mean.pairs.observed:
        remarks.append(
            f"{pluralize(n_unmarked, 'pair')} marked nothing in what is shared: left out of"
            " the mean"
        )
    if by is None and agreement.mean.pairs.observed:
        n_pairs = getattr(agreement.mean.pairs, verdict.choose_figure(agreement.settings)[0])
        explanation = "undefined of one pair" if n_pairs == 1 else "divisor n − 1"
        remarks.append(f"{_SD}: {explanation}")
    if by == "annotator":
        scores = [*scores, *(member.without.f1 for member in agreement.annotators.values())]
        remarks.append(
            by_annotator.write_outlier_sentence(agreement.annotators, agreement.standings)
        )
    for score in scores:
        name = "mean" if isinstance(score, Mean) else "F1"
        if score.reason and score.reason != NO_CHANCE:
            prefix = "corrected " if name == "F1" and not math.isnan(score.observed) else ""
            remarks.append(f"–: {prefix}{name} undefined: {score.reason}")
    return [*dict.fromkeys(filter(None, [*remarks, *list_caveats(agreement)]))]


def build_plot(agreement: Agreement, by: str | None) -> Plot:
    """Plot the corrected F1 of each annotator with each other as a heat map.

    By annotator or label, plot the F1 of each row as dots, with their intervals.
    """
    if by in ("annotator", "label"):
        _, layout_rows, _ = _LAYOUTS[by](agreement)
        return plot_f1_dots(
            ((str(name), score) for (name, *_), score, *_ in layout_rows), f"F1 by {by}"
        )
    names = list(agreement.annotators)
    if not names:
        return plot_sentence("no annotator")
    score_key, prefix = verdict.choose_figure(agreement.settings)
    return plot_heat_map(names, names, agreement.matrix(score_key), f"{prefix}F1")


# --- layouts: columns and rows of each view, without F1 and tally ---


def _build_team_layout(result: Agreement) -> Layout:
    """Build the rows of the team, of the mean over pairs, and of the deviation over pairs."""
    team, mean = result.team, result.mean
    observed, corrected = int(mean.pairs.observed), int(mean.pairs.corrected)
    if mean.reason == NO_CHANCE:
        corrected = observed
    sd_score = Score(*mean.sd, "one pair" if corrected == 1 else "")
    # one number, or two if chance alone gives 1 for some pairs
    pairs_text = str(observed) if observed == corrected else f"{observed}, corrected {corrected}"
    pair_cells = (observed, corrected, pairs_text)
    rows: list[LayoutRow] = [
        (["team"], team.f1, team.tally, (team.pairs, team.pairs, str(team.pairs))),
        (["mean over pairs"], mean, None, pair_cells),
        ([_SD], sd_score, None, pair_cells),
    ]
    if result.without is not None:
        _, (team_row, mean_row, *_), _ = _build_team_layout(result.without)
        names = join_names(result.settings.without or ())
        for (name, *_), score, tally, pair_columns in (team_row, mean_row):
            rows.append(([f"{name}{_WITHOUT}{names}"], score, tally, pair_columns))
    pair_columns = [PAIRS._replace(title=""), Column("pairs_corrected", "", "count")]
    return [Column("of", " ", "name")], rows, [*pair_columns, PAIRS._replace(key="", kind="place")]


def _build_pair_layout(result: Agreement) -> Layout:
    """Build a row for each pair of annotators, with figures of chance if they were requested."""
    columns = [
        *(Column(side_name, side_name, "name", "two annotators") for side_name in "ab"),
        *(Column("documents", "", "count"), Column("few", "", "mark")),
        Column("", f"{document_noun(result.settings)}s", "place", "documents of a pair"),
    ]
    by_chance = [
        [*statistics.list_values()[:WHOLE], p_holm, statistics.log10_p, log10_p_holm]
        for statistics, p_holm, log10_p_holm in _collect_chance(result)
    ]
    rows: list[LayoutRow] = []
    for i, pair in enumerate(result.pairs.values()):
        names = [pair.a, pair.b, pair.documents, pair.few, f"{pair.documents}{_FEW * pair.few}"]
        rows.append((names, pair.f1, pair.tally, by_chance[i] if by_chance else ()))
    adjusted_columns = [
        Column("p_holm", "Holm", "probability", "Holm of pairs against chance"),
        *(Column("log10_p"), Column("log10_p_holm")),
    ]
    return columns, rows, (*CHANCE_COLUMNS[:WHOLE], *adjusted_columns) if by_chance else ()


def _build_label_layout(result: Agreement) -> Layout:
    """Build a row for each label, and one for all labels."""
    rows: list[LayoutRow] = [
        ([label], tally.f1, tally, [tally.size]) for label, tally in result.labels.items()
    ]
    team = result.team
    rows.append((["all"], team.f1, team.tally, [team.tally.size]))
    return [Column("label", "label", "name", "label of a team")], rows, [_MARKED]


def _build_document_layout(result: Agreement) -> Layout:
    """Build a row for each document that two annotators saw."""
    columns = [
        Column("document", document_noun(result.settings), "name", "document of a team"),
        Column("annotators", "annotators", "count"),
    ]
    rows: list[LayoutRow] = [
        ([name, n_saw], tally.f1, tally, [tally.size])
        for name, n_saw, tally in result.by_document()
    ]
    return columns, rows, [_MARKED]


_LAYOUTS: Mapping[str | None, Callable[[Agreement], Layout]] = {
    None: _build_team_layout,
    "pair": _build_pair_layout,
    "annotator": lambda agreement: annotator_columns.build_layout(
        agreement.members, agreement.standings, agreement.settings
    ),
    "label": _build_label_layout,
    "document": _build_document_layout,
}


# --- verdict and warnings ---


def list_caveats(agreement: Agreement) -> tuple[str, ...]:
    """Collect warnings about the F1 of the team, and about heavy documents and annotators."""
    team, documents = agreement.team, agreement.evidence[0]
    with_pairs = (member for member in agreement.annotators.values() if member.pairs)
    weights = ((member.name, member.tally.size_a, member.without.f1) for member in with_pairs)
    team_sentences = [
        *yield_weight_caveats(team.tally, team.pairs, documents, agreement.heavy, weights)
    ]
    if agreement.mostly_single:
        team_sentences.append(
            write_single_caveat(agreement.single, team.documents, agreement.settings)
        )
    warnings = caveats.write_caveats(
        "team", team.f1, agreement.evidence, document_noun(agreement.settings)
    )
    other_warnings: list[str] = []
    if (without := agreement.without) is not None:
        name = f"team{_WITHOUT}{join_names(agreement.settings.without or ())}"
        other_warnings += caveats.write_caveats(
            name, without.team.f1, without.evidence, document_noun(agreement.settings)
        )
    team_caveats = (f"team: {sentence}" for sentence in team_sentences)
    return (*warnings, *team_caveats, *_yield_caveats_on_annotators(agreement), *other_warnings)


def _count_compared(agreement: Agreement) -> int:
    """Count the annotators who share a document with another."""
    return sum(1 for member in agreement.annotators.values() if member.pairs)


def _yield_caveats_on_annotators(agreement: Agreement) -> Iterator[str]:
    """Yield why intervals over annotators are undefined, or unreliable as there are few."""
    if agreement.settings.over is None:
        return
    n_annotators = _count_compared(agreement)
    noun = pluralize(n_annotators, "annotator")
    interval = get_annotator_interval(agreement.team.f1.interval)
    if n_annotators < LEAST_UNITS:
        yield f"{noun}: an interval over annotators needs {LEAST_UNITS}, so there is none"
    elif interval is not None and interval.reason:
        yield f"team: other annotators: {interval.reason}"
    elif n_annotators < FEW_ANNOTATORS:
        yield f"{noun}: an interval over annotators is unreliable with fewer than {FEW_ANNOTATORS}"


def write_verdict(agreement: Agreement) -> str:
    """Write the corrected agreement of the team, and the number of documents behind it."""
    noun, confidence = document_noun(agreement.settings), parse_confidence(agreement.settings)
    scope = f" over {noun}s, for these {pluralize(_count_compared(agreement), 'annotator')}"
    sentences = [verdict.write_score("The team", agreement.team.f1, confidence, scope)]
    if math.isnan(agreement.team.f1.observed):
        return sentences[0]
    with_pairs = [member for member in agreement.annotators.values() if member.pairs]
    unmarked = [member.name for member in with_pairs if not member.tally.size_a]
    pairs_phrase = pluralize(agreement.team.pairs, "pair")
    documents_phrase = f"{agreement.team.documents} of {pluralize(agreement.documents, noun)}"
    sentences.append(f"It is over {pairs_phrase}, and {documents_phrase} that two or more saw.")
    sentences.append(_write_annotator_interval(agreement))
    if agreement.without is not None:
        without = f"Without {join_names(agreement.settings.without or ())}"
        sentences.append(verdict.write_score(without, agreement.without.team.f1, confidence))
    sentences.append(verdict.write_chance_model(agreement.settings))
    names = [member.name for member in with_pairs]
    lost_quotes = verdict.write_quotes_not_in_text(
        agreement.settings, names, agreement.not_found, "match nothing"
    )
    return verdict.join_in_two_sentences(
        *sentences, verdict.write_names_without_segments(unmarked), lost_quotes
    )


def _write_annotator_interval(agreement: Agreement) -> str:
    """Write the interval that also covers other annotators; empty if it is undefined."""
    interval = get_annotator_interval(agreement.team.f1.interval)
    if interval is None:
        return ""
    low, high = getattr(interval, verdict.choose_figure(agreement.settings)[0])
    if math.isnan(low):
        return ""
    n_annotators = _count_compared(agreement)
    is_reliable = n_annotators >= FEW_ANNOTATORS
    remark = "" if is_reliable else f" (unreliable with {n_annotators} annotators)"
    ends = f"{verdict.format_short(low)} to {verdict.format_short(high)}"
    return f"Over other annotators too: {ends}{remark}."


def _write_shared_documents(agreement: Agreement) -> str:
    """Write the phrase on shared documents; it has their number if coverage was only inferred."""
    document = document_noun(agreement.settings)
    per_document = agreement.per_document
    if not per_document.corpus.seen_unknown or not agreement.pairs:
        return f"a shared {document}"
    return verdict.write_range(agreement.pairs.n_shared.tolist(), f"shared {document}")


def _collect_chance(agreement: Agreement) -> list[tuple[ChanceStatistics, float, float]]:
    """Collect the chance statistics of each pair, its p after Holm's correction, and log10 of that.

    The list is empty if chance was not requested.
    """
    if not agreement.by_chance:
        return []
    by_chance = [
        agreement.by_chance[pair.a, pair.b].compute_for_all(pair.tally)
        for pair in agreement.pairs.pairs_without_intervals
    ]
    adjusted_p = holm([statistics.p for statistics in by_chance])
    adjusted_log10_p = holm_log10([statistics.log10_p for statistics in by_chance])
    return list(zip(by_chance, adjusted_p, adjusted_log10_p, strict=True))
