"""The alternative annotator test as a table and a plot, with its verdict and remarks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spanagree.errors import (
    escape_name,
    format_count_of_total,
    format_percent,
    join_names,
    pluralize,
)
from spanagree.references.alt_test import FDR, LEAST, PASSES, look_up_noun
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots

if TYPE_CHECKING:
    from spanagree.references.alt_test import AltTest

_NEARLY_EMPTY = 10  # documents with any segment, for one with a segment of the candidate
_BLANK = "empty against empty is no evidence, so nothing is tested"
_NAMES = {"observed": "F1", "corrected": "corrected F1", "neg_rmse": "−RMSE"}
_SCORE_COLUMNS = (
    Column("score", "score", "name", "score of an instance"),
    Column("annotators", "annotators", "count", "annotators left out"),
    Column("instances", "instances", "count"),
    Column("decided", "decided", "count"),
    Column("winning_rate", "ω"),
    Column("advantage", "ρ"),
    Column("passes", "", "mark"),
    Column("", "replace?", "name"),
    Column("winning_rate_t", "ω, t-test", spare=True),
    Column("passes_t", "", "mark"),
)
_ANNOTATOR_COLUMNS = (
    Column("score", "score", "name", "score of an instance"),
    Column("annotator", "annotator", "name", "annotators left out"),
    Column("instances", "instances", "count"),
    Column("decided", "decided", "count"),
    Column("advantage", "ρ"),
    Column("difference", "difference", meaning="difference of an annotator left out"),
    Column("p", "p", "probability", "p of ε"),
    Column("p_by", "p, BY", "probability", "p of ε"),
    Column("p_t", "t-test", "probability", "p of ε", spare=True),
    Column("p_t_by", "t-test, BY", "probability", "p of ε", spare=True),
)


def _look_up_title(score_name: str) -> str:
    """Look up the title of a score of instances."""
    return _NAMES.get(score_name, score_name)


def list_caveats(result: AltTest) -> tuple[str, ...]:
    """Return no caveats: the verdict and the remarks say when to doubt the test."""
    return ()


def write_verdict(result: AltTest) -> str:
    """Write the outcome of the test by each kind of score."""
    candidate, epsilon = escape_name(result.settings.candidate), f"{result.settings.epsilon:g}"
    if result.marked == 0:
        return f"{candidate} marked nothing: {_BLANK}."
    outcomes: dict[bool, list[str]] = {True: [], False: []}
    for score_name, test in result.verdicts.items():
        rate = verdict.format_short(test.winning_rate)
        outcomes[bool(test.passes)].append(f"by {_look_up_title(score_name)} (ω {rate})")
    passed_scores, failed_scores = " and ".join(outcomes[True]), " or ".join(outcomes[False])
    if not passed_scores:
        outcome = f"does not pass the alternative annotator test {failed_scores}"
    else:
        exception = f", but not {failed_scores}" if failed_scores else ""
        outcome = f"passes the alternative annotator test {passed_scores}{exception}"
    sentence = f"{candidate} {outcome}, with ε {epsilon}."
    return verdict.join_in_two_sentences(
        sentence, _warn_if_nearly_empty(result), result.not_in_text
    )


def _warn_if_nearly_empty(result: AltTest) -> str:
    """Write a warning if the candidate marked so few documents that it may pass by ties."""
    if result.marked_in is None or not 0 < result.marked_in * _NEARLY_EMPTY < result.compared:
        return ""
    return (
        f"It marked something in {result.marked_in} of {result.compared} documents in which"
        " somebody did, so this says little of what it marks."
    )


def build_table(result: AltTest, by: str | None) -> Frame:
    """Build the table with a row for each kind of score, and with ``by`` for each annotator."""
    rows, breaks = _list_scores(result), range(0)
    if by is not None:
        rows = [
            [_look_up_title(score_name), *annotator_test]
            for score_name, test in result.verdicts.items()
            for annotator_test in test.annotators
        ]
        (n_annotators,) = {len(test.annotators) for test in result.verdicts.values()}
        breaks = range(n_annotators, len(rows), n_annotators)
    noun = look_up_noun(result.settings)
    return Frame(
        list(_SCORE_COLUMNS if by is None else _ANNOTATOR_COLUMNS),
        rows,
        result.settings,
        caption=f"may {escape_name(result.settings.candidate)} replace an annotator?"
        f" ε {result.settings.epsilon:g},"
        f" {format_count_of_total(result.compared, result.documents, noun)}",
        remarks=_write_remarks(result),
        breaks=breaks,
    )


def _list_scores(result: AltTest) -> list[list[Value]]:
    """List the cells of the outcome by each kind of score."""
    rows: list[list[Value]] = []
    for score_name, test in result.verdicts.items():
        word = "passes" if test.passes else "does not pass"
        rows.append(
            [
                _look_up_title(score_name),
                len(test.annotators),
                sum(annotator_test.instances for annotator_test in test.annotators),
                sum(annotator_test.decided for annotator_test in test.annotators),
                test.winning_rate,
                test.advantage,
                test.passes,
                "" if result.marked == 0 else word,
                test.winning_rate_t,
                test.passes_t,
            ]
        )
    return rows


def _write_remarks(result: AltTest) -> list[str]:
    """Write the remarks on ω, on instances without segments, and on annotators with too few."""
    remarks = [
        f"ω: share of annotators that the candidate significantly matches (exact test,"
        f" Benjamini–Yekutieli, {format_percent(FDR)}); it passes at {PASSES:g} and above"
    ]
    if result.marked == 0:
        candidate = escape_name(result.settings.candidate)
        remarks.append(f"–: undefined: {candidate} marked nothing: {_BLANK}")
    if result.empty:
        empty_instances = f"{pluralize(result.empty, 'instance')} in which nobody marked anything"
        remarks.append(f"{empty_instances}: no evidence, left out")
    if result.left_out:
        names = join_names(
            f"{name} ({n_instances})" for name, n_instances in result.left_out.items()
        )
        remarks.append(f"left out, with fewer than {LEAST} instances: {names}")
    return remarks


def build_plot(result: AltTest, by: str | None) -> Plot:
    """Plot the advantage of the candidate for each annotator, with a dot for each score."""
    of_annotators = zip(*(test.annotators for test in result.verdicts.values()), strict=True)
    rows = [
        (
            by_score[0].name,
            [(annotator_test.advantage, math.nan, math.nan) for annotator_test in by_score],
        )
        for by_score in of_annotators
    ]
    axis_label = "share in which the candidate is as good"
    return plot_dots(rows, [*map(_look_up_title, result.verdicts)], axis_label)
