"""The sections on a team of annotators."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from spanagree.agreement import table as of_agreement
from spanagree.agreement.result import Agreement
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SpanAgreeError, counted
from spanagree.labels import table as of_coefficients
from spanagree.labels.summary import coefficients
from spanagree.labels.tokens import token_labels
from spanagree.levels.difficulty import Difficulty
from spanagree.rendering.html import Html, el, escaped, name, number, remarks, scrolled, table
from spanagree.rendering.svg import shade, strip
from spanagree.rendering.table import UNDEFINED, Table, Value, figure
from spanagree.report.page.documents import browser
from spanagree.report.page.pieces import (
    SHOWN,
    Sections,
    difficulty_section,
    kinds_table,
    paragraph,
    with_bars,
)
from spanagree.settings import unit

_FULL = 12  # annotators up to which a heat map has four digits


def sections_of_team(corpus: Corpus, found: Agreement, hard: Difficulty) -> tuple[Html, Sections]:
    """The heading of the page, and its sections."""
    document = unit(found.settings)
    members = of_agreement.as_table(found, "annotator")
    labels = of_agreement.as_table(found, "label")
    pairs = list(found.pairs)
    heading = escaped(f"Agreement among {counted(len(corpus.layers), 'annotator')}")
    parts: Sections = [
        ("summary", "Summary", _summary_of_team(found, document)),
        ("pairs", "Pairs", _heat_map(found)),
        ("coverage", "Who saw what", _coverage(corpus, document)),
        ("annotators", "Each against the rest", table(members, with_bars(members))),
        ("labels", "By label", table(labels, with_bars(labels))),
        ("difficulty", "Difficulty", difficulty_section(hard, None)),
        ("bias", "Coefficients and bias", _bias(corpus)),
        ("disagreements", "Kinds of disagreement", kinds_table(corpus, pairs, ("a", "b"))),
        browser(document),
    ]
    return heading, parts


def _summary_of_team(found: Agreement, document: str) -> Html:
    team, f1 = found.team, found.team.f1
    if math.isnan(f1.observed):
        return paragraph(f"There is no agreement to report: {f1.reason}.")
    said = [
        paragraph(
            "Of the team's F1 of ", number(f1.observed),
            f" over {counted(team.pairs, 'pair')} and {counted(team.documents, document)},",
            " luck alone would give ", number(f1.expected), "; beyond luck it is ",
            el("strong", number(f1.corrected)), ".",
        ),
    ]  # fmt: skip
    if not math.isnan(found.mean.corrected):
        said.append(
            paragraph(
                "The mean over pairs is ", number(found.mean.corrected), " beyond luck, with a"
                " standard deviation of ", number(found.mean.sd.corrected), ".",
            )
        )  # fmt: skip
    rising = [m for m in found.annotators.values() if m.rise.corrected > 0]
    if rising:
        apart = max(rising, key=lambda m: m.rise.corrected)
        said.append(
            paragraph("Without ", name(apart.name), " the team would be at ",
               number(apart.without.f1.corrected), " beyond luck, ",
               number(apart.rise.corrected), " higher.")
        )  # fmt: skip
    if found.few:
        least = found.settings["min_shared"]
        few = f"{found.few} of {len(found.pairs)} pairs share fewer than {least} {document}s"
        said.append(paragraph(f"{few}; their figures are shaky."))
    return Html("".join(said) + remarks(*found.caveats))


def _most_active(found: Agreement) -> list[str]:
    """Annotators for which there is room, those who saw the most, in the order of the corpus."""
    members = list(found.annotators.values())
    kept = {m.name for m in sorted(members, key=lambda m: -m.documents)[:SHOWN]}
    return [m.name for m in members if m.name in kept]


def _heat_map(found: Agreement) -> Html:
    names = _most_active(found)
    longest = 12 if len(names) <= _FULL else 24
    head = [el("th", name(who, longest), scope="col") for who in names]
    rows = [
        el(
            "tr",
            el("th", name(a, 24), scope="row"),
            *(_heat(found, a, b, len(names)) for b in names),
        )
        for a in names
    ]
    body = el(
        "table",
        el("caption", "F1 beyond luck of each annotator with each other"),
        el("thead", el("tr", el("td"), *head)),
        el("tbody", *rows),
        class_="heatmap" if len(names) <= _FULL else "heatmap many",
    )
    said = [
        "the stronger the colour, the more they agree; a cell's title has the figure as observed",
        f"{UNDEFINED}: nothing shared, or undefined",
    ]
    if found.few:
        said.append(f"* share fewer than {found.settings['min_shared']} documents")
    if (left := len(found.annotators) - len(names)) > 0:
        said.append(f"the {len(names)} who saw most; {left} more are left out here")
    return Html(scrolled(body, "heat map") + remarks(*said))


def _heat(found: Agreement, a: str, b: str, annotators: int) -> Html:
    """One cell of the heat map; of many annotators with two digits."""
    if a == b:
        return el("td", class_="heat none")
    pair = found.pairs[a, b]
    value = pair.f1.corrected
    if math.isnan(value):
        return el("td", UNDEFINED, class_="heat none", title=pair.f1.reason)
    shown = figure(value) if annotators <= _FULL else f"{value:.2f}".replace("-0.00", "0.00")
    said = (
        f"{a}, {b}: F1 {figure(pair.f1.observed)}, beyond luck {figure(value)}, over"
        f" {counted(pair.documents, 'document')}"
    )
    cell = el("data", shown, value=repr(value))
    return el("td", cell, "*" if pair.few else "", class_=f"heat {shade(value)}", title=said)


def _coverage(corpus: Corpus, document: str) -> Html:
    layers = corpus.layers
    times = np.bincount(
        np.sum([x.annotated for x in layers.values()], axis=0), minlength=len(layers) + 1
    ).tolist()
    kept = sorted(layers, key=lambda n: -int(layers[n].annotated.sum()))[:SHOWN]
    shown = [n for n in layers if n in set(kept)]
    header = ("annotator", f"{document}s seen", "segments", f"which of the {len(corpus)}")
    rows: list[list[Value]] = [
        [n, int(layers[n].annotated.sum()), len(layers[n]), ""] for n in shown
    ]
    said = [
        f"{counted(number_of, document)} seen by {counted(k, 'annotator')}"
        for k, number_of in enumerate(times) if number_of
    ][:SHOWN]  # fmt: skip
    if len(shown) < len(layers):
        said.append(
            f"the {len(shown)} who saw most; {len(layers) - len(shown)} more are left out here"
        )

    def cell(row: int, column: int) -> Html | None:
        return (
            strip(layers[shown[row]].annotated)
            if column == len(header) - 1 and len(corpus)
            else None
        )

    return table(Table(header, rows, prose=(3,), remarks=said), cell)


def _bias(corpus: Corpus) -> Html:
    try:
        result = coefficients(token_labels(corpus))
    except SpanAgreeError as error:
        return paragraph("The coefficients of token labels are not defined here: ", str(error), ".")
    return Html(
        table(of_coefficients.as_table(result))
        + table(of_coefficients.as_table(result, "annotator"))
    )


def first_pair(corpus: Corpus, found: Agreement) -> tuple[str, str]:
    """The two that the browser begins with: those who share the most documents."""
    pairs = list(found.pairs.values())
    if not pairs:
        return next(combinations(corpus.layers, 2))
    most = max(pairs, key=lambda pair: pair.documents)
    return most.a, most.b
