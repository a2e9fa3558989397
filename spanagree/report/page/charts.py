"""Charts of the page: F1 with intervals, and the difficulty of documents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spanagree.errors import pluralize
from spanagree.levels.difficulty_table import count_bins, write_remarks
from spanagree.references.against import HumanAgreement
from spanagree.report.overview import SHOWN, Overview
from spanagree.report.references_overview import ReferencesOverview
from spanagree.report.systems_overview import SystemsOverview
from spanagree.results.html import Html, build_element, make_scrollable, render_remarks
from spanagree.results.score import Score, get_dot
from spanagree.results.svg import draw_dots, draw_histogram
from spanagree.settings import document_noun

DRAWN = {"observed": "F1 as observed", "corrected": "corrected F1"}
"""Names of the F1 that are drawn, by kind."""


def draw_systems(report: SystemsOverview | ReferencesOverview, *people: HumanAgreement) -> Html:
    """Draw F1 as observed and corrected for systems; only the best if there are very many.

    The F1 of ``people`` among themselves is drawn too.
    """
    systems = [scored for scored in report.ranked_systems if not math.isnan(scored.f1.corrected)][
        :SHOWN
    ]
    drawn_scores = [scored for scored in [*systems, *people] if not math.isnan(scored.f1.corrected)]
    if not drawn_scores:
        return Html()
    scores = [
        (report.short_names.get(scored.name, scored.name), scored.f1) for scored in drawn_scores
    ]
    legend = []
    if n_hidden := len(report.ranked_systems) - len(systems):
        legend.append(f"without {pluralize(n_hidden, 'system')}, undefined or of the lowest ranks")
    chart = draw_f1(scores, [*DRAWN], "F1 as observed and corrected F1, with intervals")
    return Html(chart + render_remarks(*legend))


def draw_f1(scores: Sequence[tuple[str, Score]], figure_names: Sequence[str], caption: str) -> Html:
    """Draw one or two F1 of each name as dots on their intervals, with a caption."""
    rows = [
        (name, [get_dot(score, figure_name) for figure_name in figure_names])
        for name, score in scores
    ]
    series = [DRAWN[figure_name] for figure_name in figure_names]
    return _add_caption(draw_dots(rows, series, caption), caption)


def draw_difficulty(report: Overview, borders: list[float] | None = None) -> Html:
    """Draw a histogram of the difficulty of documents; ``borders`` of levels are marked in it."""
    binned, legend = count_bins(report.difficulty), write_remarks(report.difficulty)
    n_bars = sum(count > 0 for count in binned[0])
    if n_bars < 2:  # one bar shows nothing
        return render_remarks(*[] if n_bars else ["no document has a difficulty"], *legend)
    documents = pluralize(
        int(report.difficulty.defined.sum()), document_noun(report.difficulty.settings)
    )
    caption = f"{documents} by difficulty: 1 − the agreement that chance alone would give"
    return Html(
        _add_caption(draw_histogram(*binned, borders or []), caption) + render_remarks(*legend)
    )


def _add_caption(chart: Html, caption: str) -> Html:
    """Render a chart with a caption."""
    return build_element(
        "figure", build_element("figcaption", caption), make_scrollable(chart, caption)
    )
