"""What the sections of the page are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from spanagree.agreement.disagreements import disagreements
from spanagree.corpus.corpus import Corpus
from spanagree.errors import counted
from spanagree.evaluation.result import Evaluation, System
from spanagree.levels import difficulty_table as of_difficulty
from spanagree.levels.by_level import EvaluationByLevel
from spanagree.levels.by_level_table import levels_as_table
from spanagree.levels.difficulty import Difficulty
from spanagree.matching.pairing import OUTCOMES
from spanagree.rendering.html import Html, el, escaped, number, remarks, scrolled, table
from spanagree.rendering.svg import bar, histogram
from spanagree.rendering.table import Table, Value
from spanagree.settings import unit

SHOWN = 40  # annotators in a heat map, and pairs in a table


Sections = list[tuple[str, str, Html]]


def paragraph(*parts: str) -> Html:
    """A paragraph of texts and pieces."""
    return el("p", *parts)


_BARRED = ("F1", "chance F1", "corrected F1")


def with_bars(of: Table, result: Evaluation | None = None) -> Any:
    """Cells with a bar below each F1; of systems, ranks that say which way they go."""
    systems = list(result.systems.values()) if result is not None else []

    def cell(row: int, column: int) -> Html | None:
        value: Value = of.rows[row][column]
        if of.header[column] in _BARRED and isinstance(value, float) and not math.isnan(value):
            return Html(number(value) + bar(value))
        if of.header[column] == "rank" and systems:
            return escaped(f"{value}{change(systems[row])}")
        return None

    return cell


def change(system: System) -> str:
    """Which way a system goes in rank when luck is taken off."""
    before, after = system.rank
    if before is None or after is None or before == after:
        return ""
    return " ▼" if after > before else " ▲"


def captioned(chart: Html, caption: str) -> Html:
    """A chart with its caption."""
    return el(
        "figure",
        el("figcaption", caption),
        scrolled(chart, caption),
    )


def difficulty_section(hard: Difficulty, levels: EvaluationByLevel | None) -> Html:
    """How difficult the documents are; of systems also how they did in each level."""
    borders = (
        [level.low for level in levels.levels[1:] if not math.isnan(level.low)] if levels else []
    )
    found = of_difficulty.bins(hard)
    said = of_difficulty.remarks(hard)
    if found is None:
        return remarks("no document has a difficulty", *said)
    chart = histogram(*found, borders)
    documents = counted(int(hard.defined.sum()), unit(hard.settings))
    caption = f"{documents} by difficulty: 1 − the agreement that luck alone would give"
    body = Html(captioned(chart, caption) + remarks(*said))
    if levels is None:
        return body
    by_level = levels_as_table(levels)
    return Html(body + table(by_level, with_bars(by_level)))


def kinds_table(corpus: Corpus, pairs: Sequence[tuple[str, str]], who: tuple[str, str]) -> Html:
    """How often two annotators part, by kind."""
    rows: list[list[Value]] = []
    for a, b in pairs[:SHOWN]:
        counts: Mapping[str, int] = {}
        if (corpus.layers[a].annotated & corpus.layers[b].annotated).any():
            counts = disagreements(corpus, a, b, text=False).counts
        rows.append([a, b, *(counts.get(kind) for kind in OUTCOMES)])
    first, second = who
    said = [
        f"missed: {first} marked it, {second} not; spurious: {second} marked it, {first} not;"
        " boundary: other boundaries; label: another label"
    ]
    if (left := len(pairs) - SHOWN) > 0:
        said.append(f"the first {SHOWN} pairs; {left} more are left out here")
    return table(Table((*who, *OUTCOMES), rows, names=2, remarks=said))
