"""Matrices of the page, whose cells are F1 or differences of it: labels or levels × systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from spanagree.agreement.result import Agreement
from spanagree.agreement.team import Pair
from spanagree.comparisons.tally import Tally
from spanagree.errors import pluralize
from spanagree.report.page.deciding_f1 import look_up_kind, look_up_title
from spanagree.report.page.elements import render_short_name
from spanagree.report.references_overview import ReferencesOverview
from spanagree.report.systems_overview import SystemsOverview
from spanagree.results.cells import format_figure, format_p
from spanagree.results.html import (
    Html,
    build_element,
    make_scrollable,
    render_name,
    render_number,
    render_remarks,
)
from spanagree.results.score import Score
from spanagree.results.svg import select_shade
from spanagree.settings import document_noun

_WIDE = 8  # columns of a matrix from which names are upright
_ROWS = 100  # labels


def show_matrix(
    caption: str,
    rows: Sequence[tuple[str, str]],
    columns: Sequence[Html],
    cell: Callable[[int, int], Html],
) -> Html:
    """Render a matrix of cells.

    Args:
        caption: caption above the matrix.
        rows: name of each row, and small print below the name.
        columns: headers of columns.
        cell: function of a row and a column index that returns the HTML of the cell.
    """
    is_wide = len(columns) > _WIDE
    head = build_element(
        "tr", build_element("td"), *(build_element("th", column, scope="col") for column in columns)
    )
    body = []
    for i, (title, subtitle) in enumerate(rows):
        subtitle_elements = [build_element("small", subtitle)] if subtitle else []
        cells = (cell(i, j) for j in range(len(columns)))
        body.append(
            build_element(
                "tr",
                build_element("th", render_name(title, 24), *subtitle_elements, scope="row"),
                *cells,
            )
        )
    css_class = f"heatmap{' many' * is_wide}"
    matrix = build_element(
        "table", build_element("thead", head), build_element("tbody", *body), class_=css_class
    )
    return Html(build_element("p", caption, class_="caption") + make_scrollable(matrix, caption))


def _render_f1(score: Score, figure_name: str) -> Html:
    """Render a cell with corrected F1 and below it observed F1; without chance only observed F1.

    Args:
        score: F1 of the cell.
        figure_name: "corrected", or "observed" if chance is undefined.
    """
    observed = [] if math.isnan(score.observed) else [render_number(score.observed)]
    if figure_name == "observed" and observed:
        return build_element("td", *observed, class_=f"heat {select_shade(score.observed)}")
    is_undefined = math.isnan(score.corrected)
    return build_element(
        "td",
        render_number(score.corrected),
        *(build_element("small", number) for number in observed),
        class_="heat none" if is_undefined else f"heat {select_shade(score.corrected)}",
        title=score.reason if is_undefined else None,
    )


def _write_cell_caption(result: Any) -> str:
    """Write the caption of a matrix whose cells are rendered by :func:`_render_f1`."""
    if look_up_kind(result) == "observed":
        return "F1 as observed, as chance is undefined"
    return "corrected F1, and below it F1 as observed"


def _render_heads(report: SystemsOverview | ReferencesOverview) -> list[Html]:
    """Render the short names of systems as column heads."""
    return [
        render_short_name(system.name, report.short_names, 24) for system in report.ranked_systems
    ]


def show_labels(report: SystemsOverview) -> Html:
    """Render a matrix of F1, labels × systems; very many labels are cut to the first."""
    systems, no_tally = report.ranked_systems, Tally()
    labels = list(dict.fromkeys(label for system in systems for label in system.labels))
    if not labels:
        return render_remarks(
            f"no labels: match {report.evaluation.settings.match} disregards them"
        )
    sizes = [
        max(system.labels.get(label, no_tally).size_a for system in systems) for label in labels
    ]
    rows = [(label, f"{size} in gold") for label, size in zip(labels, sizes, strict=True)]

    def score_label(i: int, j: int) -> Score:
        """Look up the F1 of a label and a system."""
        return systems[j].labels.get(labels[i], no_tally).f1

    return _show_by_label(rows, _render_heads(report), score_label, report.evaluation)


def show_labels_against(report: ReferencesOverview) -> Html:
    """Render a matrix of F1, labels × systems and people; very many labels are cut to the first."""
    systems, ceiling, labels = report.ranked_systems, report.against.ceiling, report.against.labels
    if not labels:
        return render_remarks(*report.against.table("label").remarks[:1])

    def score_label(i: int, j: int) -> Score:
        """Look up the F1 of a label and a system, or that of people in the last column."""
        return systems[j].labels[labels[i]].f1 if j < len(systems) else ceiling.labels[labels[i]]

    heads = [*_render_heads(report), render_name(ceiling.name, 24)]
    return _show_by_label([(label, "") for label in labels], heads, score_label, report.against)


def _show_by_label(
    rows: Sequence[tuple[str, str]],
    heads: Sequence[Html],
    f1: Callable[[int, int], Score],
    result: Any,
) -> Html:
    """Render a matrix of F1 with a row for each label; very many labels are cut to the first.

    Args:
        rows: label of each row, and small print below it.
        heads: headers of columns.
        f1: function of a row and a column index that returns the F1 of the cell.
        result: result with the settings of chance.
    """
    figure_name = look_up_kind(result)

    def render_cell(i: int, j: int) -> Html:
        """Render the F1 of one cell."""
        return _render_f1(f1(i, j), figure_name)

    matrix = show_matrix(_write_cell_caption(result), rows[:_ROWS], heads, render_cell)
    if n_hidden := len(rows[_ROWS:]):
        hint = f"and {pluralize(n_hidden, 'more label')}; evaluate --by label has all"
        return Html(matrix + render_remarks(hint))
    return matrix


def show_levels(report: SystemsOverview) -> Html:
    """Render a matrix of F1 of levels of difficulty × systems, with a row for all documents."""
    levels, document = report.levels, document_noun(report.difficulty.settings)
    evaluations = [
        (format_figure((level.low, level.high)), evaluation) for level, evaluation in levels.defined
    ]
    evaluations.append(("all", levels.whole))
    rows = [(title, pluralize(evaluation.documents, document)) for title, evaluation in evaluations]

    names = [system.name for system in report.ranked_systems]
    figure_name = look_up_kind(report.evaluation)

    def render_cell(i: int, j: int) -> Html:
        """Render the F1 of a system on a level."""
        return _render_f1(evaluations[i][1].systems[names[j]].f1, figure_name)

    caption = f"by difficulty, the easiest first: {_write_cell_caption(report.evaluation)}"
    matrix = show_matrix(caption, rows, _render_heads(report), render_cell)
    return Html(matrix + render_remarks(*levels.table().remarks))


def show_tests(report: SystemsOverview) -> Html:
    """Render a matrix of the lead of each system over the systems of lower rank, with p.

    The lead is the difference in corrected F1, or in observed F1 if chance is undefined.
    """
    result, systems = report.comparison, [system.name for system in report.ranked_systems]
    if result is None:
        return Html()
    alone = " if it were the only pair" if len(result.pairs) > 1 else ""
    figure_name = look_up_kind(result)

    def render_cell(i: int, j: int) -> Html:
        """Render the lead of one system over another, with its p; below the diagonal, nothing."""
        if i > j:
            return build_element("td", class_="heat none")
        pair = result[systems[i], systems[j + 1]]
        lead, observed = getattr(pair, figure_name), pair.observed
        if math.isnan(lead.value):
            return build_element(
                "td", render_number(lead.value), class_="heat none", title=lead.reason
            )
        is_tied = report.is_tied(pair.a, pair.b, figure_name)
        title_text = f"{pair.a} − {pair.b}: {format_figure((lead.low, lead.high))}{alone}"
        title_text += f"; F1 {format_figure(observed.value)}" if figure_name == "corrected" else ""
        p = build_element("small", "p ", render_number(lead.p_adjusted, format_p(lead.p_adjusted)))
        number = render_number(lead.value)
        if is_tied:
            return build_element("td", number, p, class_="heat alike", title=title_text)
        number = build_element("strong", number)
        return build_element("td", number, p, class_="heat h5", title=title_text)

    title = look_up_title(result)
    caption = f"lead of the system at the left in {title}, and p times all pairs"
    rows = [(report.short_names[name], "") for name in systems[:-1]]
    matrix = show_matrix(caption, rows, _render_heads(report)[1:], render_cell)
    legend = [f"bold: told apart (p below 0.05, {result.settings.test}); pale: not told apart"]
    if any(pair.left_out for pair in result.pairs):
        legend.append(f"each difference is on the {document_noun(result.settings)}s that both saw")
    return Html(matrix + render_remarks(*legend, *result.caveats))


def write_chance(result: Agreement, pair: Pair) -> str:
    """Write the standard deviation of chance and p of a pair; empty if chance was not tested."""
    if (pair.a, pair.b) not in result.by_chance:
        return ""
    figures = result.by_chance[pair.a, pair.b].compute_for_all(pair.tally)
    p = format_p(figures.p)
    return f"; by chance: standard deviation {format_figure(figures.sd)}, p {p}"
