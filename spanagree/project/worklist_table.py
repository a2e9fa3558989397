"""A worklist as tables of readings and annotators, and as a plot; its verdict and caveats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from spanagree.errors import format_count_of_total, join_names, pluralize
from spanagree.results.cells import Value
from spanagree.results.frame import (
    Column,
    Frame,
    LazyRows,
    build_shortened_table,
    hide_columns_without_rows,
)
from spanagree.results.plots import Plot, plot_counts
from spanagree.results.verdict import join_in_two_sentences
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from spanagree.project.next_readers import Worklist

_MOST, _FEW = 100, 20  # numbers of annotators that a terminal shows: up to _MOST all, else _FEW

_MEANINGS = {"read": "documents that were read", "to read": "documents to read"}
"""Meanings of the columns of annotators, shown in a terminal."""


def write_verdict(worklist: Worklist) -> str:
    """Write sentences on documents without enough readers, on loads, and on readings left."""
    noun, n_unfinished = document_noun(worklist.settings), worklist.n_unfinished
    n_documents = len(worklist.corpus)
    if not n_unfinished:
        return f"Of {pluralize(n_documents, noun)} none lacks a reader." if n_documents else ""
    predicate = "lacks" if n_unfinished == 1 else "lack"
    documents = format_count_of_total(n_unfinished, n_documents, noun)
    sentences = [f"{documents} {predicate} readers."]
    if len(worklist):
        low, high = int(worklist.loads.min()), int(worklist.loads.max())
        load = f"{low}" if low == high else f"{low} {'or' if high - low == 1 else 'to'} {high}"
        n_annotators = pluralize(len(worklist.names), "annotator")
        verb = "goes" if len(worklist) == 1 else "go"
        sentences.append(
            f"{pluralize(len(worklist), 'reading')} {verb} to {n_annotators}, {load} each."
        )
    if worklist.n_exhausted:
        n_readings = pluralize(worklist.n_exhausted, "reading")
        sentences.append(f"For {n_readings} nobody is left who has not seen the {noun}.")
    if n_later := worklist.left - worklist.n_exhausted:
        n_readings = pluralize(n_later, "reading")
        sentences.append(f"The limit of {worklist.settings.limit} leaves {n_readings} for later.")
    return join_in_two_sentences(*sentences)


def list_caveats(worklist: Worklist) -> tuple[str, ...]:
    """List warnings about uneven loads, and about documents with unknown readers."""
    noun, loads, warnings = document_noun(worklist.settings), worklist.loads, []
    if len(worklist) and loads.max() - loads.min() > 1:
        warnings.append(
            f"{int(loads.min())} to {int(loads.max())} {noun}s each: whoever gets fewer has"
            f" seen more of the {noun}s that lack readers"
        )
    if seen_unknown := [name for name in worklist.names if name in worklist.corpus.seen_unknown]:
        warnings.append(
            f"the files do not say what {join_names(seen_unknown)} saw and marked nothing in;"
            f" such a {noun} may come again"
        )
    return tuple(warnings)


def build_table(worklist: Worklist, by: str | None) -> Frame:
    """Build the table of readings, or of annotators with ``by`` and in a terminal."""
    n_annotators = len(worklist.names)
    if by is not None:
        return build_shortened_table(partial(_tabulate_annotators, worklist), n_annotators)
    n_shown = n_annotators if n_annotators <= _MOST else _FEW
    terminal_table = _tabulate_annotators(worklist, n_shown)
    hints = ["who reads which: --all"] if len(worklist) else []
    if n_shown < n_annotators:
        hints.append(f"{pluralize(n_annotators - n_shown, 'annotator')} more")
    return replace(
        _tabulate_readings(worklist, 1),
        rows=LazyRows(len(worklist), partial(_tabulate_readings, worklist)),
        in_terminal=replace(terminal_table, remarks=[*hints, *terminal_table.remarks]),
        meanings=_MEANINGS,
    )


def _tabulate_annotators(worklist: Worklist, count: int) -> Frame:
    """Build the table of the first ``count`` annotators: documents read, and to be read."""
    columns = [
        Column("annotator", "annotator", "name", "annotator of a worklist"),
        Column("read", "read", "count", _MEANINGS["read"]),
        Column("next", "to read", "count", _MEANINGS["to read"]),
    ]
    layers = worklist.corpus.layers
    rows: list[list[Value]] = []
    for name, load in islice(zip(worklist.names, worklist.loads.tolist(), strict=True), count):
        n_read = int(layers[name].annotated.sum()) if name in layers else 0
        rows.append([name, n_read, load])
    return _build_captioned_table(worklist, columns, rows)


def _tabulate_readings(worklist: Worklist, count: int) -> Frame:
    """Build the table of the first ``count`` readings."""
    columns = [
        Column("annotator", "annotator", "name", "annotator of a worklist"),
        Column("order", "order", "count", "order of a worklist"),
        Column("document", document_noun(worklist.settings), "name", "document of a worklist"),
        Column("readers", "readers", "count", "readers of a document"),
        Column("disagreement", "disagreement", meaning="disagreement of a document"),
    ]
    return _build_captioned_table(worklist, columns, list(islice(worklist, count)))


def _build_captioned_table(
    worklist: Worklist, columns: Sequence[Column], rows: Sequence[Sequence[Value]]
) -> Frame:
    """Build a table of the worklist with its caption; without rows, text shows no columns."""
    noun = document_noun(worklist.settings)
    location = format_count_of_total(worklist.n_unfinished, len(worklist.corpus), noun)
    n_annotators = pluralize(len(worklist.names), "annotator")
    caption = f"{pluralize(len(worklist), 'reading')} in {location} for {n_annotators}"
    return hide_columns_without_rows(
        Frame(columns, rows, worklist.settings, caption=caption, remarks=list_caveats(worklist))
    )


def build_plot(worklist: Worklist, by: str | None) -> Plot:
    """Plot the number of documents for each annotator to read."""
    counts = dict(zip(worklist.names, worklist.loads.tolist(), strict=True))
    return plot_counts(counts, f"{document_noun(worklist.settings)}s to read")
