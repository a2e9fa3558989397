"""The tables and charts of the page, of what the overview computed."""

from __future__ import annotations

import math

from spanagree.agreement.result import Agreement
from spanagree.agreement.team import Pair
from spanagree.errors import counted
from spanagree.evaluation.result import System
from spanagree.levels.difficulty import bins
from spanagree.levels.difficulty import remarks as remarks_on
from spanagree.matching.pairing import OUTCOMES
from spanagree.matching.score import F1
from spanagree.rendering.html import Html, el, escaped, number, remarks, scrolled, table
from spanagree.rendering.svg import bar, histogram, slopes, strip
from spanagree.rendering.table import Column, Table, Value, figure, probability
from spanagree.report.overview import SHOWN, Overview, SystemsOverview, TeamOverview
from spanagree.settings import unit


def show_bars(figures: Table, report: SystemsOverview | None = None) -> Html:
    """Return a table with a bar below each F1; with ranks of systems that say which way they go."""
    systems = [] if report is None else list(report.evaluation.systems.values())
    shown = figures.shown
    texts = shown.texts()

    def cell(row: int, column: int) -> Html | None:
        value, title = shown.rows[row][column], shown.header[column]
        if title in F1 and isinstance(value, float) and not math.isnan(value):
            return Html(number(value) + bar(value))
        if title == "rank" and report is not None:
            return escaped(f"{texts[row][column]}{_change(systems[row], report)}")
        return None

    return table(figures, cell)


def _change(system: System, report: SystemsOverview) -> str:
    """Return which way a system goes in rank when luck is taken off, if that is not noise."""
    before, after = system.rank
    tested = [] if report.comparison is None else report.comparison.reordered
    sure = {name for pair, certain in tested if certain for name in (pair.a, pair.b)}
    if before is None or after is None or before == after or system.name not in sure:
        return ""
    return " ▼" if after > before else " ▲"


def _captioned(chart: Html, caption: str) -> Html:
    return el("figure", el("figcaption", caption), scrolled(chart, caption))


def draw_slopes(report: SystemsOverview) -> Html:
    """Return a chart of the systems' F1 as observed and beyond luck, of very many the best."""
    systems = [s for s in report.placed if not math.isnan(s.f1.corrected)][:SHOWN]
    if not systems:
        return Html()
    chart = slopes([(s.name, s.f1.observed, s.f1.corrected, _change(s, report)) for s in systems])
    below = ["▲ rises, ▼ falls in rank when luck is taken off, by the paired test below"]
    below = below if any(_change(system, report) for system in systems) else []
    if left := len(report.placed) - len(systems):
        below.append(f"without {counted(left, 'system')}, undefined or of the lowest ranks")
    return Html(_captioned(chart, "From F1 as observed to F1 beyond luck") + remarks(*below))


def draw_difficulty(report: Overview, borders: list[float] | None = None) -> Html:
    """Return a histogram of how difficult the documents are, with the borders of levels."""
    binned, below = bins(report.difficulty), remarks_on(report.difficulty)
    if not any(binned[0]):
        return remarks("no document has a difficulty", *below)
    documents = counted(int(report.difficulty.defined.sum()), unit(report.difficulty.settings))
    caption = f"{documents} by difficulty: 1 − the agreement that luck alone would give"
    return Html(_captioned(histogram(*binned, borders or []), caption) + remarks(*below))


def show_outcomes(report: Overview, first: str, second: str) -> Html:
    """Return a table of how often each two annotators part, by kind."""
    columns = [Column("", who, "name") for who in (first, second)]
    columns += [Column("", kind, "count") for kind in OUTCOMES]
    rows: list[list[Value]] = [
        [*pair, *(counts.get(kind) for kind in OUTCOMES)]
        for pair, counts in report.outcomes.items()
    ]
    below = [
        f"missed: {first} marked it, {second} not; spurious: {second} marked it, {first} not;"
        " boundary: other boundaries; label: another label"
    ]
    if left := len(report.pairs) - len(rows):
        below.append(f"the first {counted(SHOWN, 'pair')}; {left} more are left out here")
    return table(Table(columns, rows, remarks=below))


def luck_of(result: Agreement, pair: Pair) -> str:
    """Return what luck says of a pair, if it was asked for."""
    if (pair.a, pair.b) not in result.luck:
        return ""
    figures = result.luck[pair.a, pair.b].of_all(pair.tally)
    p = probability(figures.p, figures.log10_p)
    return f"; by luck: standard deviation {figure(figures.sd)}, p {p}"


def show_coverage(report: TeamOverview) -> Html:
    """Return a table of which documents each annotator saw."""
    document, layers = unit(report.difficulty.settings), report.corpus.layers
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
        f"{counted(times, document)} seen by {counted(annotators, 'annotator')}"
        for annotators, times in enumerate(report.seen_by)
        if times
    ][:SHOWN]
    if left := len(layers) - len(shown):
        below.append(f"the {len(shown)} who saw most; {left} more are left out here")

    def cell(row: int, column: int) -> Html | None:
        last = column == len(columns) - 1 and len(report.corpus)
        return strip(shown[row].annotated) if last else None

    return table(Table(columns, rows, remarks=below), cell)
