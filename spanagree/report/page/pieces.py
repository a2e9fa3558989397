"""Tables and charts of the page, from the results of the overview.

Templates call these functions, and insert the HTML that they return. Rows or columns that few
readers need are folded: the reader unfolds them by a click.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from spanagree.agreement.annotator_columns import SHARES
from spanagree.agreement.result import Agreement
from spanagree.agreement.team import Pair
from spanagree.comparisons.pairing import OUTCOMES
from spanagree.comparisons.tally import Tally
from spanagree.errors import pluralize, truncate
from spanagree.labels.by_label import CoefficientsByLabel
from spanagree.labels.formulas import COEFFICIENTS
from spanagree.levels.difficulty_table import count_bins
from spanagree.levels.difficulty_table import write_remarks as remarks_on
from spanagree.references.against import HumanAgreement
from spanagree.report.overview import (
    SHOWN,
    Overview,
    ReferencesOverview,
    SystemsOverview,
    TeamOverview,
)
from spanagree.results import verdict
from spanagree.results.cells import Value, format_figure, format_p
from spanagree.results.display import DisplayTable
from spanagree.results.fit import find_spare_columns
from spanagree.results.frame import Column, Frame
from spanagree.results.html import (
    LONGEST,
    Html,
    build_element,
    make_scrollable,
    render_name,
    render_number,
    render_remarks,
    render_table,
)
from spanagree.results.score import Score, get_dot
from spanagree.results.score_columns import F1
from spanagree.results.svg import (
    draw_bar,
    draw_dots,
    draw_histogram,
    draw_strip,
    select_shade,
)
from spanagree.settings import document_noun

_WIDE = 8  # columns of a matrix from which names are upright
_ROWS = 100  # labels
_UNFOLDED_ANNOTATORS = 12  # annotators who are shown unfolded
_UNFOLDED_DOCUMENTS = 10  # disputed documents that are shown unfolded
_MORE_COLUMNS = "more columns"
_DRAWN = {"observed": "F1 as observed", "corrected": "corrected F1"}


def look_up_kind(result: Any) -> str:
    """Look up the F1 that decides: corrected, or observed if chance is undefined."""
    return verdict.choose_figure(result.settings)[0]


def _write_cell_caption(result: Any) -> str:
    """Write the caption of a matrix whose cells are rendered by :func:`_render_f1`."""
    if look_up_kind(result) == "observed":
        return "F1 as observed, as chance is undefined"
    return "corrected F1, and below it F1 as observed"


def look_up_title(result: Any) -> str:
    """Look up the title of the F1 that decides: corrected F1, or F1 if chance is undefined."""
    return f"{verdict.choose_figure(result.settings)[1]}F1"


def select_f1(result: Any, score: Score) -> float:
    """Select the F1 that decides from a score."""
    value: float = getattr(score, look_up_kind(result))
    return value


def show_bars(figures: Frame, short_names: Mapping[str, str] | None = None) -> Html:
    """Render a table with bars below F1 and short names; corrected F1 is its first figure.

    Spare columns, which a reader can do without, are a second, folded table.
    """
    figures = replace(_move_f1_to_front(figures), verdict="")  # the summary shows it
    columns = figures.columns
    if spare := find_spare_columns(columns):
        names = [
            column_index for column_index, column in enumerate(columns) if column.kind == "name"
        ]
        more_columns = replace(
            _reorder_columns(figures, sorted({*names, *spare})), caption="", remarks=()
        )
        first_columns = _reorder_columns(
            figures,
            [column_index for column_index in range(len(columns)) if column_index not in spare],
        )
        return Html(
            _render_bars(first_columns, short_names)
            + render_folded(_MORE_COLUMNS, _render_bars(more_columns, short_names))
        )
    return _render_bars(figures, short_names)


def _render_bars(figures: Frame, short_names: Mapping[str, str] | None) -> Html:
    """Render a table with a bar below each F1.

    ``short_names`` has a shorter form of names of layers; `None` keeps the names.
    """
    display = DisplayTable.from_frame(figures)

    def render_cell(row: int, column: int) -> Html | None:
        """Render an F1 with a bar, and a name shortened; `None` for other cells."""
        value, title = display.rows[row][column], display.header[column]
        if title in F1 and isinstance(value, float) and not math.isnan(value):
            return Html(render_number(value) + draw_bar(value))
        return (
            render_short_name(value, short_names)
            if short_names and isinstance(value, str) and value in short_names
            else None
        )

    return render_table(figures, render_cell)


def render_short_number(value: float) -> Html:
    """Mark up a figure of a sentence as verdicts print it."""
    return render_number(value, verdict.format_short(value))


def put_side_by_side(*elements: Html) -> Html:
    """Put elements side by side if the window is wide."""
    return build_element(
        "div", *(build_element("div", element) for element in elements if element), class_="beside"
    )


def render_short_name(name: str, short_names: Mapping[str, str], longest: int = LONGEST) -> Html:
    """Render a short name with the full name as its title."""
    short_name = short_names.get(name, name)
    if short_name == name:
        return render_name(name, longest)
    return build_element("bdi", truncate(short_name, longest), title=name)


_LEADING = ("corrected F1", "system/human corrected", "F1", "chance F1")
_MOVED = {"sd": "sd of chance", "95 %": "95 % of chance"}
"""Titles of columns that need more words after their neighbours have moved."""


def _reorder_columns(figures: Frame, order: Sequence[int]) -> Frame:
    """Reorder the columns of a table."""
    columns, rows, breaks = DisplayTable.from_frame(figures)
    return replace(
        figures,
        columns=[columns[column_index] for column_index in order],
        rows=[[row[column_index] for column_index in order] for row in rows],
        breaks=breaks,
        for_data=(),
    )


def _move_f1_to_front(figures: Frame) -> Frame:
    """Move corrected F1 to the front of a table, as narrow windows cut off its last columns."""
    display = DisplayTable.from_frame(figures)
    front_columns = [index for index, column in enumerate(display.columns) if column.kind == "name"]
    for title in (title for title in _LEADING if title in display.header):
        column_index = display.header.index(title)
        front_columns.append(column_index)
        if display.header[column_index + 1 : column_index + 2] == ["interval"]:
            front_columns.append(column_index + 1)
    remaining = [index for index in range(len(display.columns)) if index not in front_columns]
    reordered = _reorder_columns(figures, [*front_columns, *remaining])
    columns = [
        column._replace(
            title=_MOVED.get(column.title, column.title), meaning=column.meaning or column.title
        )
        for column in reordered.columns
    ]
    return replace(reordered, columns=columns)


def show_annotators(report: TeamOverview) -> Html:
    """Render a table of annotators, outliers first; further rows and columns are folded."""
    figures = report.agreement.sorted("outlier").table("annotator")
    columns = DisplayTable.from_frame(figures).columns
    kind_columns = [
        column_index for column_index, column in enumerate(columns) if column.meaning == SHARES
    ]
    spare_indices = [
        column_index
        for column_index, column in enumerate(columns)
        if column.spare and column_index not in kind_columns
    ]
    main_columns = _reorder_columns(
        figures,
        [
            column_index
            for column_index in range(len(columns))
            if column_index not in (*kind_columns, *spare_indices)
        ],
    )
    elements = [
        show_bars(
            replace(main_columns, rows=main_columns.rows[:_UNFOLDED_ANNOTATORS]), report.short_names
        )
    ]
    if n_folded := len(main_columns.rows[_UNFOLDED_ANNOTATORS:]):
        folded_rows = replace(
            main_columns, rows=main_columns.rows[_UNFOLDED_ANNOTATORS:], remarks=()
        )
        elements.append(
            render_folded(
                f"the other {pluralize(n_folded, 'annotator')}",
                show_bars(folded_rows, report.short_names),
            )
        )
    for title, order in {
        _MORE_COLUMNS: spare_indices,
        "shares of each kind of disagreement": kind_columns,
    }.items():
        if order:
            folded_columns = replace(_reorder_columns(figures, [0, *order]), caption="", remarks=())
            folded_columns = replace(
                folded_columns,
                columns=[column._replace(spare=False) for column in folded_columns.columns],
            )
            elements.append(render_folded(title, show_bars(folded_columns, report.short_names)))
    return Html("".join(elements))


def show_labels_of_team(report: TeamOverview) -> Html:
    """Render a table of labels, without the remarks of the table of annotators."""
    figures = report.agreement.table("label")
    return show_bars(_remove_repeated_remarks(figures, report.agreement.table("annotator")))


def _remove_repeated_remarks(figures: Frame, previous: Frame) -> Frame:
    """Remove the remarks that another table above it already has."""
    return replace(
        figures, remarks=[remark for remark in figures.remarks if remark not in previous.remarks]
    )


def render_folded(title: str, body: Html) -> Html:
    """Render a folded element that a reader can open."""
    return build_element("details", build_element("summary", title), body, class_="fold")


def show_systems(report: SystemsOverview) -> Html:
    """Render the table of the systems by rank."""
    figures, order = (
        report.evaluation.table(),
        {system.name: i for i, system in enumerate(report.ranked_systems)},
    )
    rows = sorted(figures.rows, key=lambda row: order[str(row[0])])
    return show_bars(replace(figures, rows=rows, breaks=()), report.short_names)


def show_systems_and_references(report: ReferencesOverview) -> Html:
    """Render a table with rows for systems by rank, for human agreement, and for references."""
    figures, people = report.against.table("annotator"), report.references
    rows = {str(row[0]): row for row in figures.rows if not row[1]}
    of_people = {str(row[0]): row for row in figures.rows[len(rows) + 1 :]}
    shown_rows = [rows[system.name] for system in report.ranked_systems]
    shown_rows += [figures.rows[len(rows)], *(of_people[person.name] for person in people[:SHOWN])]
    extra_remarks = []
    if n_hidden := len(people[SHOWN:]):
        extra_remarks = [
            f"{n_hidden} more references are left out here; evaluate --by annotator has all"
        ]
    figures = replace(figures, rows=shown_rows, remarks=[*figures.remarks, *extra_remarks])
    return show_bars(figures, report.short_names)


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
    if figure_name == "observed" and not math.isnan(score.observed):
        return build_element(
            "td", render_number(score.observed), class_=f"heat {select_shade(score.observed)}"
        )
    if math.isnan(score.corrected):
        observed = (
            []
            if math.isnan(score.observed)
            else [build_element("small", render_number(score.observed))]
        )
        return build_element(
            "td", render_number(score.corrected), *observed, class_="heat none", title=score.reason
        )
    observed_element = build_element("small", render_number(score.observed))
    return build_element(
        "td",
        render_number(score.corrected),
        observed_element,
        class_=f"heat {select_shade(score.corrected)}",
    )


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
    n_hidden = len(rows[_ROWS:])
    extra_remarks = (
        [f"and {pluralize(n_hidden, 'more label')}; evaluate --by label has all"]
        if n_hidden
        else []
    )
    figure_name, caption = look_up_kind(result), _write_cell_caption(result)
    matrix = show_matrix(
        caption, rows[:_ROWS], heads, lambda i, j: _render_f1(f1(i, j), figure_name)
    )
    return Html(matrix + render_remarks(*extra_remarks))


def show_levels(report: SystemsOverview) -> Html:
    """Render a matrix of F1 of levels of difficulty × systems, with a row for all documents."""
    levels, document = report.levels, document_noun(report.difficulty.settings)
    evaluations = [
        (format_figure((level.low, level.high)), evaluation) for level, evaluation in levels.defined
    ]
    evaluations.append(("all", levels.whole))
    rows = [(title, pluralize(evaluation.documents, document)) for title, evaluation in evaluations]

    names, figure_name = (
        [system.name for system in report.ranked_systems],
        look_up_kind(report.evaluation),
    )

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
        css_class = "heat alike" if is_tied else "heat h5"
        lead_text = (
            render_number(lead.value)
            if is_tied
            else build_element("strong", render_number(lead.value))
        )
        return build_element("td", lead_text, p, class_=css_class, title=title_text)

    title = look_up_title(result)
    caption = f"lead of the system at the left in {title}, and p times all pairs"
    rows = [(report.short_names[name], "") for name in systems[:-1]]
    matrix = show_matrix(caption, rows, _render_heads(report)[1:], render_cell)
    legend = [f"bold: told apart (p below 0.05, {result.settings.test}); pale: not told apart"]
    if any(pair.left_out for pair in result.pairs):
        legend.append(f"each difference is on the {document_noun(result.settings)}s that both saw")
    return Html(matrix + render_remarks(*legend, *result.caveats))


def _add_caption(chart: Html, caption: str) -> Html:
    """Render a chart with a caption."""
    return build_element(
        "figure", build_element("figcaption", caption), make_scrollable(chart, caption)
    )


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
    chart = _draw_f1(scores, [*_DRAWN], "F1 as observed and corrected F1, with intervals")
    return Html(chart + render_remarks(*legend))


def _draw_f1(
    scores: Sequence[tuple[str, Score]], figure_names: Sequence[str], caption: str
) -> Html:
    """Draw one or two F1 of each name as dots on their intervals, with a caption."""
    rows = [
        (name, [get_dot(score, figure_name) for figure_name in figure_names])
        for name, score in scores
    ]
    series = [_DRAWN[figure_name] for figure_name in figure_names]
    return _add_caption(draw_dots(rows, series, caption), caption)


def draw_difficulty(report: Overview, borders: list[float] | None = None) -> Html:
    """Draw a histogram of the difficulty of documents; ``borders`` of levels are marked in it."""
    binned, legend = count_bins(report.difficulty), remarks_on(report.difficulty)
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


def show_outcomes(report: Overview, first: str, second: str) -> Html:
    """Render a table of the numbers of disagreements of each kind, with a row for each pair.

    Args:
        report: results of the report.
        first, second: titles of the columns with the two names of a pair; "gold" needs no column.
    """
    names = (second,) if first == "gold" else (first, second)  # gold is the same in all rows
    columns = [Column("", side_name, "name") for side_name in names]
    columns += [Column("", outcome, "count") for outcome in OUTCOMES]
    rows: list[list[Value]] = [
        [*pair[-len(names) :], *(counts.get(outcome) for outcome in OUTCOMES)]
        for pair, counts in report.outcomes.items()
    ]
    legend = [
        f"missed: {first} marked it, {second} not; spurious: {second} marked it, {first} not;"
        " boundary: other boundaries; label: another label"
    ]
    if n_hidden := len(report.pairs) - len(rows):
        legend.append(
            f"{report.PAIRS_SHOWN} {pluralize(SHOWN, 'pair')}; {n_hidden} more are left out here"
        )
    return show_bars(Frame(columns, rows, remarks=legend), report.short_names)


def show_coefficients(report: TeamOverview) -> Html:
    """Render the coefficients of token labels, such as α.

    The table of annotators' labels is next to them. If segments of different labels overlap, there
    is a row of coefficients for each label instead.
    """
    token_coefficients = report.coefficients
    if isinstance(token_coefficients, str):
        return build_element(
            "p", f"The coefficients of token labels are not defined here: {token_coefficients}."
        )
    table = token_coefficients.table()
    if not isinstance(token_coefficients, CoefficientsByLabel):
        return put_side_by_side(render_table(table), show_bias(report))
    columns = [table.columns[0], *(Column("", kind.title) for kind in COEFFICIENTS.values())]
    rows: list[list[Value]] = [
        [label, *(getattr(coefficients, key).value for key in COEFFICIENTS)]
        for label, coefficients in token_coefficients.items()
    ]
    matrix = replace(table, columns=columns, rows=rows, breaks=(), for_people=(), for_data=())
    return render_table(matrix)


def show_bias(report: TeamOverview) -> Html:
    """Render a table of each annotator's labels, without remarks of the coefficients' table."""
    if isinstance(report.coefficients, str):
        return Html()
    figures = report.coefficients.table("annotator")
    bias_table = _remove_repeated_remarks(figures, report.coefficients.table())
    return render_table(replace(bias_table, caption="", verdict=""))


def show_queue(report: TeamOverview) -> Html:
    """Render a table of the documents with most disagreement; all but the first are folded."""
    if report.queue is None:
        return render_remarks("no document was seen by two annotators")
    figures = report.queue.table("document")
    if not figures.rows:
        return render_remarks(figures.caption)
    hint = "spanagree disagreements lists every disputed segment, with who marked it"
    first_rows, more_rows = (
        figures.rows[:_UNFOLDED_DOCUMENTS],
        figures.rows[_UNFOLDED_DOCUMENTS:SHOWN],
    )
    folded_documents = ""
    if more_rows:
        more_figures = replace(
            figures, rows=more_rows, caption="", verdict="", remarks=_write_omission(figures)
        )
        folded_documents = render_folded(
            f"the next {pluralize(len(more_rows), document_noun(report.queue.settings))}",
            _link_documents(more_figures, report.first_pair),
        )
    figures = replace(figures, rows=first_rows, remarks=[*figures.remarks, hint])
    return Html(_link_documents(figures, report.first_pair) + folded_documents)


def _link_documents(figures: Frame, pair: tuple[str, str]) -> Html:
    """Render a table of documents that link to the browser, which then shows a pair's segments."""
    display, (a, b) = (
        DisplayTable.from_frame(figures),
        (quote(name, errors="replace") for name in pair),
    )

    def render_cell(row: int, column: int) -> Html | None:
        """Render a document as a link to its place in the browser; `None` for other cells."""
        document = display.rows[row][0]
        if column or not isinstance(document, str):
            return None
        document_id = quote(document, errors="replace")
        return build_element("a", render_name(document), href=f"#doc={document_id}&a={a}&b={b}")

    return render_table(figures, render_cell)


def _write_omission(figures: Frame) -> list[str]:
    """Word a remark on the number of rows that are not shown, if any."""
    n_hidden = len(figures.rows[SHOWN:])
    return [f"{n_hidden} more are left out here"] if n_hidden else []


def show_gold(report: TeamOverview) -> Html:
    """Render a table of gold by label, and a table of the first segments to adjudicate."""
    if report.gold is None:
        return Html()
    figures = report.gold.table("adjudicate")
    hint = (
        f"spanagree gold FILE --vote tokens -o gold.jsonl writes {report.gold.name} in addition to"
        " the annotators"
    )
    queue = replace(
        figures, caption="left to be adjudicated", rows=figures.rows[:SHOWN], verdict=""
    )
    # the last column names the supporters, so none counts them
    titles = DisplayTable.from_frame(queue).header
    queue = _reorder_columns(
        queue, [column_index for column_index, title in enumerate(titles) if title != "support"]
    )
    legend = [*_write_omission(figures), hint]
    return Html(
        render_table(report.gold.table())
        + (render_table(queue) if queue.rows else "")
        + render_remarks(*legend)
    )


def show_plan(report: TeamOverview) -> Html:
    """Render a table of the number of documents that a narrower interval needs."""
    if report.plan is None:
        return Html("")
    plan = report.plan
    legend = (
        *(note for note in plan.notes if note not in report.notes),
        f"spanagree plan FILE --width {plan.settings.width:g} computes this plan; other widths give"
        " other plans",
    )
    return Html(render_table(plan.table()) + render_remarks(*legend))


def show_slices(report: Overview) -> Html:
    """Render the table of slices, and a chart of their F1 if there is one system or a team."""
    slices = report.slices
    if slices is None:
        return Html("")
    chart, legend = "", list[str]()
    if len(slices.scored) == 1:
        (scored,) = slices.scored
        drawn_slices = [
            single_slice for single_slice in slices.slices if scored in single_slice.scores
        ][:SHOWN]
        figure_names = [
            figure_name
            for figure_name in _DRAWN
            if figure_name in ("observed", look_up_kind(slices))
        ]
        scores = [
            (single_slice.name, single_slice.scores[scored].f1) for single_slice in drawn_slices
        ]
        chart = _draw_f1(scores, figure_names, "F1 of each slice with its 95 % interval")
        if n_hidden := len(slices.slices) - len(scores):
            legend.append(f"the chart has the first {len(scores)} of them, without {n_hidden} more")
    return Html(chart + render_table(_move_f1_to_front(slices.table())) + render_remarks(*legend))


def write_chance(result: Agreement, pair: Pair) -> str:
    """Write the standard deviation of chance and p of a pair; empty if chance was not tested."""
    if (pair.a, pair.b) not in result.by_chance:
        return ""
    figures = result.by_chance[pair.a, pair.b].compute_for_all(pair.tally)
    p = format_p(figures.p)
    return f"; by chance: standard deviation {format_figure(figures.sd)}, p {p}"


def show_coverage(report: TeamOverview) -> Html:
    """Render a table of the documents that each annotator saw, with a strip that shows which."""
    document, layers = document_noun(report.difficulty.settings), report.corpus.layers
    columns = [
        Column("", "annotator", "name"),
        Column("", f"{document}s seen", "count"),
        Column("", "segments", "count"),
        Column("", f"coverage of the {len(report.corpus)}", "name"),
    ]
    shown_layers = [layers[name] for name in report.annotators]
    rows: list[list[Value]] = [
        [name, int(layer.annotated.sum()), len(layer), ""]
        for name, layer in zip(report.annotators, shown_layers, strict=True)
    ]
    legend = [
        f"{pluralize(times, document)} seen by {pluralize(annotators, 'annotator')}"
        for annotators, times in enumerate(report.seen_by)
        if times
    ][:SHOWN]
    if n_hidden := len(layers) - len(shown_layers):
        legend.append(f"the {len(shown_layers)} who saw most; {n_hidden} more are left out here")

    def render_cell(row: int, column: int) -> Html | None:
        """Render the name of an annotator, and in the last column the annotated documents."""
        if column == 0:
            return render_short_name(report.annotators[row], report.short_names)
        is_last_column = column == len(columns) - 1 and len(report.corpus)
        return draw_strip(shown_layers[row].annotated) if is_last_column else None

    return render_table(Frame(columns, rows, remarks=legend), render_cell)
