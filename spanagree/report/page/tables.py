"""Tables of the page; rows or columns that few readers need are folded."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

from spanagree.agreement.annotator_columns import SHARES
from spanagree.comparisons.pairing import OUTCOMES
from spanagree.corpus.placed import write_note_on_unplaced
from spanagree.errors import pluralize
from spanagree.labels.by_label import CoefficientsByLabel
from spanagree.labels.formulas import COEFFICIENTS
from spanagree.labels.summary import Coefficients
from spanagree.project.gold_table import write_remarks_on_open_cases
from spanagree.report.overview import SHOWN, Overview
from spanagree.report.page.bars import (
    MORE_COLUMNS,
    find_columns,
    move_f1_to_front,
    remove_repeated_remarks,
    reorder_columns,
    show_bars,
)
from spanagree.report.page.charts import DRAWN, draw_f1
from spanagree.report.page.deciding_f1 import look_up_kind
from spanagree.report.page.elements import put_side_by_side, render_folded, render_short_name
from spanagree.report.references_overview import ReferencesOverview
from spanagree.report.systems_overview import SystemsOverview
from spanagree.report.team_overview import TeamOverview
from spanagree.results.cells import Value
from spanagree.results.display import DisplayTable
from spanagree.results.frame import Column, Frame
from spanagree.results.html import Html, build_element, render_name, render_remarks, render_table
from spanagree.results.svg import draw_strip
from spanagree.settings import document_noun

_UNFOLDED_ANNOTATORS = 12
_UNFOLDED_DOCUMENTS = 10  # disputed documents


def show_systems(report: SystemsOverview) -> Html:
    """Render the table of the systems by rank."""
    figures = report.evaluation.table()
    order = {system.name: i for i, system in enumerate(report.ranked_systems)}
    rows = sorted(figures.rows, key=lambda row: order[str(row[0])])
    return show_bars(replace(figures, rows=rows, breaks=()), report.short_names)


def show_systems_and_references(report: ReferencesOverview) -> Html:
    """Render a table with rows for systems by rank, for human agreement, and for references."""
    figures, people = report.against.table("annotator"), report.references
    rows = {str(row[0]): row for row in figures.rows if not row[1]}
    of_people = {str(row[0]): row for row in figures.rows[len(rows) + 1 :]}
    shown_rows = [rows[system.name] for system in report.ranked_systems]
    shown_rows += [figures.rows[len(rows)], *(of_people[person.name] for person in people[:SHOWN])]
    remarks = list(figures.remarks)
    if n_hidden := len(people[SHOWN:]):
        remarks.append(
            f"{n_hidden} more references are left out here; evaluate --by annotator has all"
        )
    return show_bars(replace(figures, rows=shown_rows, remarks=remarks), report.short_names)


def show_annotators(report: TeamOverview) -> Html:
    """Render a table of annotators, outliers first; further rows and columns are folded."""
    figures = report.agreement.sorted("outlier").table("annotator")
    shares = find_columns(figures, lambda column: column.meaning == SHARES)
    spare = find_columns(figures, lambda column: column.spare and column.meaning != SHARES)
    others = find_columns(figures, lambda column: not column.spare and column.meaning != SHARES)
    main_figures = reorder_columns(figures, others)
    first_rows = main_figures.rows[:_UNFOLDED_ANNOTATORS]
    other_rows = main_figures.rows[_UNFOLDED_ANNOTATORS:]
    elements = [show_bars(replace(main_figures, rows=first_rows), report.short_names)]
    if other_rows:
        title = f"the other {pluralize(len(other_rows), 'annotator')}"
        folded_rows = replace(main_figures, rows=other_rows, remarks=())
        elements.append(render_folded(title, show_bars(folded_rows, report.short_names)))
    indices_by_title = {MORE_COLUMNS: spare, "shares of each kind of disagreement": shares}
    for title, indices in indices_by_title.items():
        if indices:
            folded = reorder_columns(figures, [0, *indices])
            columns = [column._replace(spare=False) for column in folded.columns]
            folded = replace(folded, columns=columns, caption="", remarks=())
            elements.append(render_folded(title, show_bars(folded, report.short_names)))
    return Html("".join(elements))


def show_labels_of_team(report: TeamOverview) -> Html:
    """Render a table of labels, without the remarks of the table of annotators."""
    figures = report.agreement.table("label")
    return show_bars(remove_repeated_remarks(figures, report.agreement.table("annotator")))


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
    legend += write_note_on_unplaced(report.corpus, "pairs of segments")
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
        return put_side_by_side(render_table(table), _show_bias(token_coefficients))
    columns = [table.columns[0], *(Column("", kind.title) for kind in COEFFICIENTS.values())]
    rows: list[list[Value]] = [
        [label, *(getattr(coefficients, key).value for key in COEFFICIENTS)]
        for label, coefficients in token_coefficients.items()
    ]
    matrix = replace(table, columns=columns, rows=rows, breaks=(), for_people=(), for_data=())
    return render_table(matrix)


def _show_bias(token_coefficients: Coefficients) -> Html:
    """Render a table of each annotator's labels, without remarks of the coefficients' table."""
    figures = token_coefficients.table("annotator")
    bias_table = remove_repeated_remarks(figures, token_coefficients.table())
    return render_table(replace(bias_table, caption="", verdict=""))


def show_queue(report: TeamOverview) -> Html:
    """Render a table of the documents with most disagreement; all but the first are folded."""
    if report.queue is None:
        return render_remarks("no document was seen by two annotators")
    figures = report.queue.table("document")
    if not figures.rows:
        return render_remarks(figures.caption)
    hint = "spanagree disagreements lists every disputed segment, with who marked it"
    first_rows = figures.rows[:_UNFOLDED_DOCUMENTS]
    first_figures = replace(figures, rows=first_rows, remarks=[*figures.remarks, hint])
    table = _link_documents(first_figures, report.first_pair)
    more_rows = figures.rows[_UNFOLDED_DOCUMENTS:SHOWN]
    if not more_rows:
        return table
    title = f"the next {pluralize(len(more_rows), document_noun(report.queue.settings))}"
    more_figures = replace(
        figures, rows=more_rows, caption="", verdict="", remarks=_write_omission(figures)
    )
    return Html(table + render_folded(title, _link_documents(more_figures, report.first_pair)))


def _link_documents(figures: Frame, pair: tuple[str, str]) -> Html:
    """Render a table of documents that link to the browser, which then shows a pair's segments."""
    display = DisplayTable.from_frame(figures)
    a, b = (quote(name, errors="replace") for name in pair)

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
    # by default the command may take another vote, with other figures
    command = f"spanagree gold FILE --vote {report.gold.vote}"
    labels = replace(report.gold.table(), remarks=write_remarks_on_open_cases(report.gold, command))
    hint = (
        f"{command} -o gold.jsonl writes {report.gold.name}; with --keep-annotators it writes the"
        " annotators, too"
    )
    queue = replace(
        figures, caption="left to be adjudicated", rows=figures.rows[:SHOWN], verdict=""
    )
    # the last column names the supporters, so none counts them
    queue = reorder_columns(queue, find_columns(queue, lambda column: column.title != "support"))
    legend = [*_write_omission(figures), hint]
    return Html(
        render_table(labels) + (render_table(queue) if queue.rows else "") + render_remarks(*legend)
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
    table = render_table(move_f1_to_front(slices.table()))
    if len(slices.scored) != 1:
        return table
    (scored,) = slices.scored
    scored_slices = [each for each in slices.slices if scored in each.scores]
    scores = [(each.name, each.scores[scored].f1) for each in scored_slices[:SHOWN]]
    figure_names = [name for name in DRAWN if name in ("observed", look_up_kind(slices))]
    chart = draw_f1(scores, figure_names, "F1 of each slice with its 95 % interval")
    if n_hidden := len(slices.slices) - len(scores):
        hint = f"the chart has the first {len(scores)} of them, without {n_hidden} more"
        return Html(chart + table + render_remarks(hint))
    return Html(chart + table)


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
