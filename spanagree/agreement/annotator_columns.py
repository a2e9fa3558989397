"""Columns and rows of the table of annotators against the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from spanagree.agreement.by_annotator import AnnotatorSummary
from spanagree.agreement.team import AnnotatorScores, Mean
from spanagree.comparisons.pairing import KINDS
from spanagree.comparisons.tally import Tally
from spanagree.results.cells import Value
from spanagree.results.frame import Column
from spanagree.results.score import Score, ScoreValues, get_ends
from spanagree.results.score_columns import ScoreColumns
from spanagree.settings import Settings, document_noun

LayoutRow = tuple[Sequence[Value], "Score | Mean", "Tally | None", Sequence[Value]]
"""Cells before the F1 of a row, its F1, its tally, and the cells after."""

Layout = tuple[Sequence[Column], Sequence[LayoutRow], Sequence[Column]]
"""The columns before, the rows, and the columns after."""

PAIRS = Column("pairs", "pairs", "count", "pairs of a team")

SHARES = "shares of kinds"
"""Meaning of the columns of shares, by which a report folds them."""

_SHARES = {"all": "share of all", **{kind: f"of {kind}" for kind in KINDS}}
"""Titles of shares by key."""


def build_layout(
    members: Sequence[AnnotatorScores],
    standings: Mapping[str, AnnotatorSummary],
    settings: Settings,
) -> Layout:
    """Build columns and rows of the table of annotators against the others, without F1 and tally.

    Args:
        members: annotators in the order of the rows.
        standings: summaries by name; empty if they are unknown.
        settings: settings of the agreement.
    """
    without_columns = ScoreColumns("without_f1", ("team without", "", ""))
    has_intervals = settings.ci is not None
    columns = [
        Column("annotator", "annotator", "name", "annotator of a team"),
        Column("documents", f"{document_noun(settings)}s", "count", "documents of an annotator"),
        Column("segments", "segments", "count", "segments of an annotator", spare=True),
        PAIRS._replace(spare=True),
    ]
    trailing_columns = [column._replace(spare=True) for column in without_columns.columns]
    for score_key, title in zip(ScoreValues._fields, ("gain", "", "corrected gain"), strict=True):
        is_raw = score_key == "observed"
        trailing_columns.append(Column(f"gain_{score_key}", title, spare=is_raw))
        if has_intervals and title:
            meaning = "interval of a gain"
            trailing_columns.append(Column("", "gain interval", "interval", meaning, spare=is_raw))
    trailing_columns += ScoreColumns("gain").ends if has_intervals else []
    trailing_columns += [Column("p", "p", "probability", "p of an annotator", spare=True)]
    trailing_columns += [Column("p_holm", "Holm", "probability", "Holm of annotators")]
    trailing_columns += [Column(f"share_{k}", t, "figure", SHARES) for k, t in _SHARES.items()]
    if not standings:  # text output hides unknown columns
        n_hidden = 2 + len(_SHARES)
        trailing_columns[-n_hidden:] = [
            column._replace(title="") for column in trailing_columns[-n_hidden:]
        ]
        columns[2] = columns[2]._replace(title="")
    rows: list[LayoutRow] = []
    for member in members:
        summary = standings.get(member.name)
        cells: list[Value] = [*without_columns.list_values(member.without.f1)]
        for score_key in ScoreValues._fields:
            cells.append(getattr(member.gain, score_key))
            if has_intervals and score_key != "expected":
                cells.append(getattr(member.gain_interval, score_key, None))
        if has_intervals:
            cells += [
                end
                for score_key in ScoreValues._fields
                for end in get_ends(member.gain_interval, score_key)
            ]
        cells += [math.nan] * (2 + len(_SHARES)) if summary is None else summary.figures
        rows.append(
            (
                [
                    member.name,
                    member.documents,
                    None if summary is None else summary.segments,
                    member.pairs,
                ],
                member.f1,
                member.tally,
                cells,
            )
        )
    return columns, rows, trailing_columns


def hide_titles(columns: Sequence[Column]) -> list[Column]:
    """Hide the titles of most columns, for a table of many annotators."""
    shown_keys = {
        "annotator",
        "documents",
        "segments",
        "f1_observed",
        "f1_expected",
        "f1_corrected",
    }
    shown_keys |= {"gain_corrected", "p_holm"}
    return [column if column.key in shown_keys else column._replace(title="") for column in columns]
