"""Difficulties of documents as a table, a histogram and a plot, with a verdict and remarks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spanagree.comparisons.place_shares import insert_uniform_column
from spanagree.corpus.times import convert_table_to_seconds
from spanagree.errors import escape_name, format_count_of_total, pluralize
from spanagree.levels.difficulty import NOTHING
from spanagree.results import verdict
from spanagree.results.cells import format_figure
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import POINTS, Plot, plot_lines, plot_sentence
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from spanagree.levels.difficulty import Difficulty

EASY = 0.5  # largest difficulty of an easy document: chance alone gives half of full agreement

_BINS, _BAR = 20, 40  # of the histogram: bins from 0 to 1, characters of the longest bar
_DIGITS = 12
_MOST = 20  # largest number of documents that a terminal shows in full
_ENDS = 5  # easiest and hardest documents in a terminal
_NAMED = 5  # annotators in the caption


def list_caveats(result: Difficulty) -> tuple[str, ...]:
    """Return no caveats: a difficulty depends on no sample."""
    return ()


def write_verdict(result: Difficulty) -> str:
    """Write the number of documents in which chance gives an F1 of at least .5."""
    values = result.values[result.defined]
    if not len(values):
        reason = result.settings.get("chance_undefined")
        reason_suffix = f": {escape_name(reason)}" if reason else ""
        return f"{NOTHING[:1].upper()}{NOTHING[1:]}{reason_suffix}."
    n_easy, noun = int((values <= EASY).sum()), document_noun(result.settings)
    of_documents = f"of {pluralize(len(values), noun)}"
    sentence = f"In none {of_documents} does chance alone give an F1 of .500 or more"
    if n_easy:
        sentence = (
            f"In {n_easy} {of_documents} chance alone gives an F1 of .500 or more, so agreement"
            " there says little"
        )
    median = verdict.format_short(float(np.median(values)))
    return f"{sentence}; the median difficulty is {median}."


def build_table(result: Difficulty, by: str | None) -> Frame:
    """Build the table with a row for each document; a terminal shows a shorter table."""
    noun = document_noun(result.settings)
    reasons = np.where(result.seen, "nothing marked", "not seen")
    figures = (result.values, result.chance, result.expected, result.size, result.marked)
    columns = (*figures, np.where(result.defined, "", reasons))
    ids = [result.id_of(document) for document in range(len(result))]
    n_seen_of_all = format_count_of_total(int(result.seen.sum()), len(result), noun)
    table = Frame(
        [
            Column("document", noun, "name", "document of difficulty"),
            Column("difficulty", "difficulty"),
            Column("chance", "chance", meaning="chance of a document"),
            Column("expected", "expected match", "number"),
            Column("size", "size", "number"),
            Column("marked"),
            Column("undefined", "", "name"),
        ],
        list(zip(ids, *(column.tolist() for column in columns), strict=True)),
        result.settings,
        caption=f"difficulty of {n_seen_of_all} by {_name_annotators(result)}",
        remarks=[*write_remarks(result), *_write_remarks_on_places(result)],
    )
    table = convert_table_to_seconds(table, "expected", "size")
    if result.places is not None and result.uniform is not None:
        uniform = dict(zip(ids, result.uniform.tolist(), strict=True))
        table = insert_uniform_column(
            table, "chance", lambda row: uniform[row[0]], result.places.rule
        )
    return replace(table, in_terminal=_shorten_table(result, table))


def _write_remarks_on_places(result: Difficulty) -> list[str]:
    """Write the remarks on segments that do not follow the rule of places."""
    if result.places is None:
        return []
    return result.places.write_remarks({_name_annotators(result): list(result.places.annotators)})


def _shorten_table(result: Difficulty, table: Frame) -> Frame:
    """Build the table for a terminal: a histogram, and the easiest and hardest documents."""
    short = replace(table, caption="\n".join([table.caption, "", *_draw_bars(result)]))
    easiest_first = np.flatnonzero(result.defined)
    if len(easiest_first) <= _MOST:
        return short
    easiest_first = easiest_first[np.argsort(result.values[easiest_first], kind="stable")]
    selection_remark = (
        f"the {_ENDS} easiest and the {_ENDS} hardest of {len(easiest_first)}; --format csv has all"
    )
    rows = [
        table.rows[document_index]
        for document_index in (*easiest_first[:_ENDS], *easiest_first[-_ENDS:])
    ]
    return replace(short, rows=rows, breaks=[_ENDS], remarks=[*table.remarks, selection_remark])


def _name_annotators(result: Difficulty) -> str:
    """Name the annotators, the first ones if there are many."""
    names = ", ".join(map(escape_name, result.annotators[:_NAMED]))
    n_more = len(result.annotators) - _NAMED
    team = "the team of " if len(result.annotators) > 1 else ""
    return f"{team}{names}{f' and {n_more} more' if n_more > 0 else ''}"


def build_plot(result: Difficulty, by: str | None) -> Plot:
    """Plot the F1 by chance alone of each document against its marked share."""
    if not result.defined.any():
        return plot_sentence(NOTHING)
    document = f"a {document_noun(result.settings)}"
    points = {document: (result.marked[result.defined], result.chance[result.defined])}
    share = f"share of {document} that is marked"
    return plot_lines(points, (share, "F1 by chance alone"), POINTS)


def count_bins(result: Difficulty) -> tuple[list[int], list[float]]:
    """Count the documents in bins of difficulty from 0 to 1.

    Returns:
        Number of documents in each bin, and edges of the bins: one more than there are bins.
    """
    values = result.values[result.defined]
    # values and edges are rounded to the same digit, so that a difficulty at an edge is in the
    # bin above it
    edges = np.round(np.linspace(0, 1, _BINS + 1), _DIGITS)
    counts, _ = np.histogram(np.round(np.clip(values, 0, 1), _DIGITS), bins=edges)
    return counts.tolist(), edges.tolist()


def _draw_bars(result: Difficulty) -> list[str]:
    """Draw the histogram of difficulties as lines of text, from the first bin with a document."""
    counts, edges = count_bins(result)
    lines: list[str] = []
    for n_documents, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        if lines or n_documents:
            bar = "█" * max(round(_BAR * n_documents / max(counts)), bool(n_documents))
            lines.append(f"{low:.2f}–{high:.2f}  {bar:<{_BAR}}  {n_documents}")
    return lines or [NOTHING]


def write_remarks(result: Difficulty) -> list[str]:
    """Write remarks on the range of difficulties, and on documents that have no difficulty."""
    if result.settings.get("chance_undefined"):
        return verdict.write_chance_remarks(result.settings)
    values = result.values[result.defined]
    sentences = []
    if len(values):
        median, smallest, largest = map(
            format_figure, (np.median(values), values.min(), values.max())
        )
        sentences.append(f"median {median}, from {smallest} to {largest}")
    nothing_marked = "nobody of the team marked anything"
    if len(result.annotators) == 1:
        nothing_marked = f"{escape_name(result.annotators[0])} marked nothing"
    documents_by_remark = {
        f"without a difficulty: {nothing_marked} there": result.seen & ~result.defined,
        "without a difficulty: not seen": ~result.seen,
        "below 0: random segments that may overlap can match more than fully": values < 0,
    }
    return sentences + [
        f"{has_remark.sum()} {remark}"
        for remark, has_remark in documents_by_remark.items()
        if has_remark.any()
    ]
