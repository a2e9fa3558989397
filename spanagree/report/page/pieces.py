"""The tables and charts of the page, of what the overview computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from spanagree.agreement.by_annotator import SHARES
from spanagree.agreement.result import Agreement
from spanagree.agreement.team import Pair
from spanagree.comparisons.pairing import OUTCOMES
from spanagree.comparisons.tally import Tally
from spanagree.errors import pluralize, truncate
from spanagree.levels.difficulty import bins
from spanagree.levels.difficulty import remarks as remarks_on
from spanagree.references.against import HumanAgreement
from spanagree.report.overview import (
    SHOWN,
    Overview,
    ReferencesOverview,
    SystemsOverview,
    TeamOverview,
)
from spanagree.results import verdict
from spanagree.results.fit import spare_columns
from spanagree.results.frame import Column, Frame, Value, figure, probability
from spanagree.results.html import LONGEST, Html, el, name, number, remarks, scrolled, table
from spanagree.results.plots import dot_of
from spanagree.results.score import Score
from spanagree.results.score_columns import F1
from spanagree.results.svg import bar, histogram, ranges, shade, slopes, strip
from spanagree.settings import document_noun

_WIDE = 8  # columns of a matrix whose names stand upright
_ROWS = 100  # labels
_MEMBERS = 12  # annotators who are shown without being asked for
_MORE_COLUMNS = "more columns"
_DRAWN = {"observed": "F1 as observed", "corrected": "corrected F1"}


def kind_of(result: Any) -> str:
    """Return the kind of the figure that decides: corrected, or observed without chance."""
    return verdict.figure_of(result.settings)[0]


def _kinds_shown(result: Any) -> str:
    """Return the caption of cells of :func:`_cell`."""
    if kind_of(result) == "observed":
        return "F1 as observed, as chance is undefined"
    return "corrected F1, and below it F1 as observed"


def title_of(result: Any) -> str:
    """Return the figure that decides: corrected F1, or F1 where chance is undefined."""
    return f"{verdict.figure_of(result.settings)[1]}F1"


def decisive(result: Any, score: Score) -> float:
    """Return the value of a score in the figure that decides."""
    value: float = getattr(score, kind_of(result))
    return value


def show_bars(figures: Frame, short: Mapping[str, str] | None = None) -> Html:
    """Return a table with a bar below each F1, the corrected one first, and with short names."""
    figures = replace(_led(figures), verdict="")  # the summary has it
    columns = figures.columns
    if spare := spare_columns(columns):
        names = [c for c, column in enumerate(columns) if column.kind == "name"]
        rest = replace(_arranged(figures, sorted({*names, *spare})), caption="", remarks=())
        kept = _arranged(figures, [c for c in range(len(columns)) if c not in spare])
        return Html(_with_bars(kept, short) + folded(_MORE_COLUMNS, _with_bars(rest, short)))
    return _with_bars(figures, short)


def _with_bars(figures: Frame, short: Mapping[str, str] | None) -> Html:
    """Return a table as it is, with a bar below each F1, and with short names."""
    shown = figures.shown

    def cell(row: int, column: int) -> Html | None:
        value, title = shown.rows[row][column], shown.header[column]
        if title in F1 and isinstance(value, float) and not math.isnan(value):
            return Html(number(value) + bar(value))
        return named(value, short) if short and isinstance(value, str) and value in short else None

    return table(figures, cell)


def beside(*parts: Html) -> Html:
    """Return parts that stand side by side where a window is wide."""
    return el("div", *(el("div", part) for part in parts if part), class_="beside")


def named(full: str, short: Mapping[str, str], longest: int = LONGEST) -> Html:
    """Return a short name whose title is the full one."""
    shown = short.get(full, full)
    if shown == full:
        return name(full, longest)
    return el("bdi", truncate(shown, longest), title=full)


_LEADING = ("corrected F1", "system/human corrected", "F1", "chance F1")
_MOVED = {"sd": "sd of chance", "95 %": "95 % of chance"}
"""Titles that the columns beside them explain, as they are where these stand elsewhere."""


def _arranged(figures: Frame, order: Sequence[int]) -> Frame:
    """Return the part of a table for people, with these columns in this order."""
    columns, rows, breaks = figures.shown
    return replace(
        figures,
        columns=[columns[c] for c in order],
        rows=[[row[c] for c in order] for row in rows],
        breaks=breaks,
        for_data=(),
    )


def _led(figures: Frame) -> Frame:
    """Return a table for people whose corrected F1 stands first, as narrow windows cut the rest."""
    shown = figures.shown
    first = [c for c, column in enumerate(shown.columns) if column.kind == "name"]
    for title in (title for title in _LEADING if title in shown.header):
        place = shown.header.index(title)
        first.append(place)
        if shown.header[place + 1 : place + 2] == ["interval"]:
            first.append(place + 1)
    others = [c for c in range(len(shown.columns)) if c not in first]
    arranged = _arranged(figures, [*first, *others])
    columns = [
        column._replace(
            title=_MOVED.get(column.title, column.title), meaning=column.meaning or column.title
        )
        for column in arranged.columns
    ]
    return replace(arranged, columns=columns)


def show_members(report: TeamOverview) -> Html:
    """Return a table of annotators, outliers first; more rows and columns are folded."""
    figures = report.agreement.sorted("outlier").table("annotator")
    columns = figures.shown.columns
    kinds = [c for c, column in enumerate(columns) if column.meaning == SHARES]
    spare = [c for c, column in enumerate(columns) if column.spare and c not in kinds]
    narrow = _arranged(figures, [c for c in range(len(columns)) if c not in (*kinds, *spare)])
    parts = [show_bars(replace(narrow, rows=narrow.rows[:_MEMBERS]), report.short)]
    if left := len(narrow.rows[_MEMBERS:]):
        others = replace(narrow, rows=narrow.rows[_MEMBERS:], remarks=())
        parts.append(
            folded(f"the other {pluralize(left, 'annotator')}", show_bars(others, report.short))
        )
    for title, order in {
        _MORE_COLUMNS: spare,
        "shares of each kind of disagreement": kinds,
    }.items():
        if order:
            more = replace(_arranged(figures, [0, *order]), caption="", remarks=())
            more = replace(more, columns=[column._replace(spare=False) for column in more.columns])
            parts.append(folded(title, show_bars(more, report.short)))
    return Html("".join(parts))


def show_labels_of_team(report: TeamOverview) -> Html:
    """Return a table of labels, without what stands below that of annotators."""
    figures = report.agreement.table("label")
    return show_bars(_without_remarks(figures, report.agreement.table("annotator")))


def _without_remarks(figures: Frame, above: Frame) -> Frame:
    """Return a table without the remarks that stand below another one above it already."""
    return replace(figures, remarks=[x for x in figures.remarks if x not in above.remarks])


def folded(title: str, body: Html) -> Html:
    """Return an element that a reader opens."""
    return el("details", el("summary", title), body, class_="fold")


def show_systems(report: SystemsOverview) -> Html:
    """Return the table of the systems by rank."""
    figures, place = report.evaluation.table(), {s.name: i for i, s in enumerate(report.placed)}
    rows = sorted(figures.rows, key=lambda row: place[str(row[0])])
    return show_bars(replace(figures, rows=rows, breaks=()), report.short)


def show_against(report: ReferencesOverview) -> Html:
    """Return the table of systems by rank and of the ceiling, with references below it."""
    figures, people = report.against.table("annotator"), report.references
    rows = {str(row[0]): row for row in figures.rows if not row[1]}
    of_people = {str(row[0]): row for row in figures.rows[len(rows) + 1 :]}
    shown = [rows[system.name] for system in report.placed]
    shown += [figures.rows[len(rows)], *(of_people[person.name] for person in people[:SHOWN])]
    more = []
    if left := len(people[SHOWN:]):
        more = [f"{left} more references are left out here; evaluate --by annotator has all"]
    figures = replace(figures, rows=shown, remarks=[*figures.remarks, *more])
    return show_bars(figures, report.short)


def show_matrix(
    caption: str,
    rows: Sequence[tuple[str, str]],
    columns: Sequence[Html],
    cell: Callable[[int, int], Html],
) -> Html:
    """Return a table with a cell for each row and column; a row has a name and a word below it."""
    many = len(columns) > _WIDE
    head = el("tr", el("td"), *(el("th", column, scope="col") for column in columns))
    body = []
    for i, (title, more) in enumerate(rows):
        below = [el("small", more)] if more else []
        cells = (cell(i, j) for j in range(len(columns)))
        body.append(el("tr", el("th", name(title, 24), *below, scope="row"), *cells))
    kind = f"heatmap{' many' * many}"
    matrix = el("table", el("thead", head), el("tbody", *body), class_=kind)
    return Html(el("p", caption, class_="caption") + scrolled(matrix, caption))


def _cell(score: Score, kind: str) -> Html:
    """Return a corrected F1 with the F1 as observed below it; this alone where there is no chance.

    Args:
        score: F1.
        kind: kind of the figure that decides.
    """
    if kind == "observed" and not math.isnan(score.observed):
        return el("td", number(score.observed), class_=f"heat {shade(score.observed)}")
    if math.isnan(score.corrected):
        observed = [] if math.isnan(score.observed) else [el("small", number(score.observed))]
        return el("td", number(score.corrected), *observed, class_="heat none", title=score.reason)
    small = el("small", number(score.observed))
    return el("td", number(score.corrected), small, class_=f"heat {shade(score.corrected)}")


def _heads(report: SystemsOverview | ReferencesOverview) -> list[Html]:
    return [named(system.name, report.short, 24) for system in report.placed]


def show_labels(report: SystemsOverview) -> Html:
    """Return the F1 of each label and system; of very many labels the first."""
    systems, none = report.placed, Tally()
    labels = list(dict.fromkeys(label for system in systems for label in system.labels))
    if not labels:
        return remarks(f"no labels: match {report.evaluation.settings.match} disregards them")
    sizes = [max(s.labels.get(label, none).size_a for s in systems) for label in labels]
    rows = [(label, f"{size} in gold") for label, size in zip(labels, sizes, strict=True)]

    def f1(i: int, j: int) -> Score:
        return systems[j].labels.get(labels[i], none).f1

    return _show_by_label(rows, _heads(report), f1, report.evaluation)


def show_labels_against(report: ReferencesOverview) -> Html:
    """Return the F1 of each label and system, and of people; of very many labels the first."""
    systems, top, labels = report.placed, report.against.ceiling, report.against.labels
    if not labels:
        return remarks(*report.against.table("label").remarks[:1])

    def f1(i: int, j: int) -> Score:
        return systems[j].labels[labels[i]].f1 if j < len(systems) else top.labels[labels[i]]

    heads = [*_heads(report), name(top.name, 24)]
    return _show_by_label([(label, "") for label in labels], heads, f1, report.against)


def _show_by_label(
    rows: Sequence[tuple[str, str]],
    heads: Sequence[Html],
    f1: Callable[[int, int], Score],
    result: Any,
) -> Html:
    """Return a matrix with a row for each label; of very many the first."""
    left = len(rows[_ROWS:])
    more = [f"and {pluralize(left, 'more label')}; evaluate --by label has all"] if left else []
    kind, caption = kind_of(result), _kinds_shown(result)
    made = show_matrix(caption, rows[:_ROWS], heads, lambda i, j: _cell(f1(i, j), kind))
    return Html(made + remarks(*more))


def show_levels(report: SystemsOverview) -> Html:
    """Return the F1 of each level of difficulty and system, and of all documents."""
    levels, document = report.levels, document_noun(report.difficulty.settings)
    parts = [(figure((level.low, level.high)), part) for level, part in levels.defined]
    parts.append(("all", levels.whole))
    rows = [(title, pluralize(part.documents, document)) for title, part in parts]

    names, kind = [system.name for system in report.placed], kind_of(report.evaluation)

    def cell(i: int, j: int) -> Html:
        return _cell(parts[i][1].systems[names[j]].f1, kind)

    caption = f"by difficulty, the easiest first: {_kinds_shown(report.evaluation)}"
    made = show_matrix(caption, rows, _heads(report), cell)
    return Html(made + remarks(*levels.table().remarks))


def show_tests(report: SystemsOverview) -> Html:
    """Return a matrix of how far each system is ahead of those below it, with p."""
    result, systems = report.comparison, [system.name for system in report.placed]
    if result is None:
        return Html()
    alone = " if it were the only pair" if len(result.pairs) > 1 else ""
    kind_shown = kind_of(result)

    def cell(i: int, j: int) -> Html:
        if i > j:
            return el("td", class_="heat none")
        pair = result[systems[i], systems[j + 1]]
        ahead, observed = getattr(pair, kind_shown), pair.observed
        if math.isnan(ahead.value):
            return el("td", number(ahead.value), class_="heat none", title=ahead.reason)
        alike = report.alike(pair.a, pair.b, kind_shown)
        about = f"{pair.a} − {pair.b}: {figure((ahead.low, ahead.high))}{alone}"
        about += f"; F1 {figure(observed.value)}" if kind_shown == "corrected" else ""
        p = el("small", "p ", number(ahead.p_adjusted, probability(ahead.p_adjusted)))
        kind = "heat alike" if alike else "heat h5"
        shown = number(ahead.value) if alike else el("strong", number(ahead.value))
        return el("td", shown, p, class_=kind, title=about)

    title = title_of(result)
    caption = f"by how much the system at the left is ahead in {title}, and p times all pairs"
    rows = [(report.short[name], "") for name in systems[:-1]]
    made = show_matrix(caption, rows, _heads(report)[1:], cell)
    below = [f"in bold: told apart (p below 0.05, {result.settings.test}); pale: not told apart"]
    if any(pair.left_out for pair in result.pairs):
        below.append(
            f"each difference is that on the {document_noun(result.settings)}s that both saw"
        )
    return Html(made + remarks(*below, *result.caveats, f"signature: {result.signature}"))


def _captioned(chart: Html, caption: str) -> Html:
    return el("figure", el("figcaption", caption), scrolled(chart, caption))


def draw_slopes(report: SystemsOverview | ReferencesOverview, *people: HumanAgreement) -> Html:
    """Return a chart of F1 as observed and corrected: of systems, of very many the best.

    The F1 of ``people`` among themselves stands beside them.
    """
    systems = [s for s in report.placed if not math.isnan(s.f1.corrected)][:SHOWN]
    shown = [s for s in [*systems, *people] if not math.isnan(s.f1.corrected)]
    if not shown:
        return Html()
    lines = [(report.short.get(s.name, s.name), s.f1.observed, s.f1.corrected, "") for s in shown]
    chart, below = slopes(lines), []
    if left := len(report.placed) - len(systems):
        below.append(f"without {pluralize(left, 'system')}, undefined or of the lowest ranks")
    return Html(_captioned(chart, "From F1 as observed to corrected F1") + remarks(*below))


def draw_difficulty(report: Overview, borders: list[float] | None = None) -> Html:
    """Return a histogram of how difficult the documents are, with the borders of levels."""
    binned, below = bins(report.difficulty), remarks_on(report.difficulty)
    n_bars = sum(count > 0 for count in binned[0])
    if n_bars < 2:  # one bar shows nothing
        return remarks(*[] if n_bars else ["no document has a difficulty"], *below)
    documents = pluralize(
        int(report.difficulty.defined.sum()), document_noun(report.difficulty.settings)
    )
    caption = f"{documents} by difficulty: 1 − the agreement that chance alone would give"
    return Html(_captioned(histogram(*binned, borders or []), caption) + remarks(*below))


def show_outcomes(report: Overview, first: str, second: str) -> Html:
    """Return a table of how often each two annotators part, by kind."""
    sides = (second,) if first == "gold" else (first, second)  # gold is the same for all
    columns = [Column("", side, "name") for side in sides]
    columns += [Column("", kind, "count") for kind in OUTCOMES]
    rows: list[list[Value]] = [
        [*pair[-len(sides) :], *(counts.get(kind) for kind in OUTCOMES)]
        for pair, counts in report.outcomes.items()
    ]
    below = [
        f"missed: {first} marked it, {second} not; spurious: {second} marked it, {first} not;"
        " boundary: other boundaries; label: another label"
    ]
    if left := len(report.pairs) - len(rows):
        below.append(
            f"{report.PAIRS_SHOWN} {pluralize(SHOWN, 'pair')}; {left} more are left out here"
        )
    return show_bars(Frame(columns, rows, remarks=below), report.short)


def show_bias(report: TeamOverview) -> Html:
    """Return a table of how annotators label, without what stands at the coefficients above it."""
    if isinstance(report.coefficients, str):
        return Html()
    figures = report.coefficients.table("annotator")
    below = _without_remarks(figures, report.coefficients.table())
    return table(replace(below, caption="", verdict=""))


def show_queue(report: TeamOverview) -> Html:
    """Return a table of the documents in which annotators disagree most."""
    if report.queue is None:
        return remarks("no document was seen by two annotators")
    figures = report.queue.table("document")
    if not figures.rows:
        return remarks(figures.caption)
    more = "spanagree disagreements lists every disputed segment, with who marked it"
    below = [*figures.remarks, *_left_out(figures), more]
    figures = replace(figures, rows=figures.rows[:SHOWN], remarks=below)
    shown, (a, b) = figures.shown, (quote(name, errors="replace") for name in report.first_pair)

    def cell(row: int, column: int) -> Html | None:
        document = shown.rows[row][0]
        if column or not isinstance(document, str):
            return None
        place = quote(document, errors="replace")
        return el("a", name(document), href=f"#doc={place}&a={a}&b={b}")

    return table(figures, cell)


def _left_out(figures: Frame) -> list[str]:
    """Return a remark on how many rows of a table are not shown, if any."""
    left = len(figures.rows[SHOWN:])
    return [f"{left} more are left out here"] if left else []


def show_gold(report: TeamOverview) -> Html:
    """Return a table of gold by label, and one of the first segments to adjudicate."""
    if report.gold is None:
        return Html()
    figures = report.gold.table("adjudicate")
    writes = (
        f"spanagree gold FILE --vote tokens -o gold.jsonl writes {report.gold.name} beside the"
        " annotators"
    )
    shown = replace(
        figures, caption="left to be adjudicated", rows=figures.rows[:SHOWN], verdict=""
    )
    below = [*_left_out(figures), writes, f"signature: {report.gold.signature}"]
    return Html(table(report.gold.table()) + (table(shown) if shown.rows else "") + remarks(*below))


def show_plan(report: TeamOverview) -> Html:
    """Return how many documents a narrower interval needs, as a table."""
    if report.plan is None:
        return Html("")
    plan = report.plan
    below = (
        *(note for note in plan.notes if note not in report.notes),
        f"spanagree plan FILE --width {plan.settings.width:g} makes this plan, and those for other"
        " widths",
        f"signature: {plan.signature}",
    )
    return Html(table(plan.table()) + remarks(*below))


def show_slices(report: Overview) -> Html:
    """Return the figures of slices: what differs, a chart of one system or team, and a table."""
    slices = report.slices
    if slices is None:
        return Html("")
    chart, below = "", [f"signature: {slices.signature}"]
    if len(slices.scored) == 1:
        (scored,) = slices.scored
        drawn = [part for part in slices.slices if scored in part.scores][:SHOWN]
        kinds = [kind for kind in _DRAWN if kind in ("observed", kind_of(slices))]
        dots = [
            (part.name, [dot_of(part.scores[scored].f1, kind) for kind in kinds]) for part in drawn
        ]
        what = "F1 of each slice with its 95 % interval"
        chart = _captioned(ranges(dots, [_DRAWN[kind] for kind in kinds], what), what)
        if left := len(slices.slices) - len(dots):
            below.insert(0, f"the chart has the first {len(dots)} of them, without {left} more")
    return Html(chart + table(_led(slices.table())) + remarks(*below))


def chance_of(result: Agreement, pair: Pair) -> str:
    """Return the chance statistics of a pair in words, if it was set against chance."""
    if (pair.a, pair.b) not in result.by_chance:
        return ""
    figures = result.by_chance[pair.a, pair.b].of_all(pair.tally)
    p = probability(figures.p)
    return f"; by chance: standard deviation {figure(figures.sd)}, p {p}"


def show_coverage(report: TeamOverview) -> Html:
    """Return a table of which documents each annotator saw."""
    document, layers = document_noun(report.difficulty.settings), report.corpus.layers
    columns = [
        Column("", "annotator", "name"),
        Column("", f"{document}s seen", "count"),
        Column("", "segments", "count"),
        Column("", f"which of the {len(report.corpus)}", "name"),
    ]
    shown = [layers[name] for name in report.annotators]
    rows: list[list[Value]] = [
        [name, int(layer.annotated.sum()), len(layer), ""]
        for name, layer in zip(report.annotators, shown, strict=True)
    ]
    below = [
        f"{pluralize(times, document)} seen by {pluralize(annotators, 'annotator')}"
        for annotators, times in enumerate(report.seen_by)
        if times
    ][:SHOWN]
    if left := len(layers) - len(shown):
        below.append(f"the {len(shown)} who saw most; {left} more are left out here")

    def cell(row: int, column: int) -> Html | None:
        if column == 0:
            return named(report.annotators[row], report.short)
        last = column == len(columns) - 1 and len(report.corpus)
        return strip(shown[row].annotated) if last else None

    return table(Frame(columns, rows, remarks=below), cell)
