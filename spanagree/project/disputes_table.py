"""Disputes as tables of segments and of documents, and as a plot, with their verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from spanagree.agreement.disagreements import LONGEST
from spanagree.choices import select_gold_names
from spanagree.errors import escape_name, format_percent, pluralize, truncate
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import (
    Column,
    Frame,
    LazyRows,
    build_shortened_table,
    hide_columns_without_rows,
)
from spanagree.results.plots import Plot, plot_counts
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from spanagree.project.disputed_documents import Disputes

ALONE = 30
"""Largest number of annotators with a column each; for more, one column lists who marked."""

_DRAWN = 30  # number of documents in a plot
_WORDS = {
    "disagreement": "disagreement: 1 − F1 over all pairs of those who saw the document",
    "without outliers": "without outliers: the same of all others",
    "by chance": "by chance: 1 − chance F1 over all pairs of those who saw the document",
    "p": "p: how likely chance would agree so little in any pair; –: at least every second time",
}


def write_verdict(disputes: Disputes) -> str:
    """Write a sentence on the share of the disputed segments in the first documents."""
    noun, gold = document_noun(disputes.settings), _find_gold(disputes)
    if not len(disputes):
        return ""
    tenth = max(1, len(disputes.documents) // 10)
    share = sum(document.disputed for document in disputes.documents[:tenth]) / len(disputes)
    # without outliers in the ranking, later documents may be worse
    adjective = "first" if disputes.outliers else "worst"
    of_documents = format_percent(tenth / len(disputes.documents))
    subject = f"The {adjective} {of_documents} of the disputed {noun}s ({tenth}) account"
    if tenth == 1:
        subject = f"The {adjective} disputed {noun} accounts"
    gold_phrase = f" of annotators with {escape_name(gold)}" if gold else ""
    return f"{subject} for {format_percent(share)} of all disagreements{gold_phrase}."


def list_caveats(disputes: Disputes) -> tuple[str, ...]:
    """Return no warning: disputes are counted, and not estimated."""
    return ()


def _find_gold(disputes: Disputes) -> str:
    """Find the name of the only layer called gold; empty if there is none, or several."""
    names = select_gold_names(disputes.corpus.annotators)
    return names[0] if len(names) == 1 else ""


def build_table(disputes: Disputes, by: str | None) -> Frame:
    """Build the table of disputed segments or, with ``by``, of documents.

    A terminal shows the first documents in both cases.
    """
    documents = build_shortened_table(
        partial(_tabulate_documents, disputes), len(disputes.documents)
    )
    if by is not None:
        return documents
    tabulate_segments = partial(_tabulate_segments, disputes)
    if not len(disputes):
        return tabulate_segments(0)
    hint = "each segment, and who marked it: --all"
    terminal_table = documents.in_terminal or documents
    remarks = [remark.replace("--all", "--by document --all") for remark in terminal_table.remarks]
    return replace(
        tabulate_segments(1),
        rows=LazyRows(len(disputes), tabulate_segments),
        in_terminal=replace(terminal_table, remarks=[hint, *remarks]),
    )


def _tabulate_documents(disputes: Disputes, count: int) -> Frame:
    """Build the table of the first ``count`` documents, with their counts and scores."""
    columns = [
        Column("document", document_noun(disputes.settings), "name"),
        Column("annotators", "seen by" if _find_gold(disputes) else "annotators", "count"),
        Column("segments", "segments", "count"),
        Column("disputed", "disputed", "count"),
        Column("disagreement", "disagreement"),
        *([Column("others", "without outliers")] if disputes.outliers else []),
        Column("disagreement_expected", "by chance"),
    ]
    is_by_chance = disputes.settings.sort == "unexpected"
    if is_by_chance:
        columns += [Column("p", "p", "probability"), Column("pair", "between", "name")]
    rows: list[list[Value]] = []
    for queued in disputes.documents[:count]:
        row: list[Value] = [*queued[:5], *([queued.others] if disputes.outliers else [])]
        row.append(queued.disagreement_expected)
        if is_by_chance:
            row += [queued.p, None if queued.pair is None else ", ".join(queued.pair)]
        rows.append(row)
    return _build_captioned_table(disputes, columns, rows)


def _tabulate_segments(disputes: Disputes, count: int) -> Frame:
    """Build the table of the first ``count`` disputed segments, and of who marked them.

    Each annotator has a column, unless there are many.
    """
    names = disputes.corpus.annotators
    columns = [
        Column("rank", kind="count"),
        Column("document", document_noun(disputes.settings), "name"),
        Column("disagreement", "disagreement"),
        Column("disagreement_expected"),
        *(Column(end, kind="count") for end in ("start", "end")),
        Column("", "segment", "name"),
        Column("label", "label", "name"),
    ]
    if disputes.with_text:
        columns += [Column("text", kind="name"), Column("", "text", "name")]
        columns += [Column(key, kind="name") for key in ("before", "after")]
    columns += [Column("marked", kind="count"), Column("saw", kind="count")]
    has_many = len(names) > ALONE
    if has_many:
        columns += [Column("", "marked", "place"), Column("by", "by", "name")]
    else:
        columns += [Column("", "marked by", "name"), Column("", "others", "name")]
        columns += [Column(f"by_{name}", kind="name") for name in names]
    contested = disputes.contested.select(slice(count))
    cells = [] if has_many else contested.describe_annotations(disputes.corpus)
    ranks = contested.find_places(disputes.number).tolist()
    rows: list[list[Value]] = []
    for i, dispute in enumerate(islice(disputes, count)):
        n_marked, markers = len(dispute.marked_by), ", ".join(dispute.marked_by)
        document, segment = disputes.documents[ranks[i]], f"{dispute.start}–{dispute.end}"
        row: list[Value] = [ranks[i] + 1, dispute.document]
        row += [document.disagreement, document.disagreement_expected]
        row += [dispute.start, dispute.end, segment, dispute.label]
        if disputes.with_text:
            row += [dispute.text, truncate(dispute.text, LONGEST), dispute.before, dispute.after]
        row += [n_marked, dispute.annotators]
        if has_many:
            row += [f"{n_marked} of {dispute.annotators}", markers]
        else:
            row += [markers, _list_others(names, cells[i]), *cells[i]]
        rows.append(row)
    return _build_captioned_table(disputes, columns, rows)


def _list_others(names: Sequence[str], cells: Sequence[str | None]) -> str:
    """List the annotators who did not mark a segment, grouped by how they annotated its text.

    Args:
        names: names of the annotators.
        cells: annotation of each annotator, as :meth:`DisputedSegments.describe_annotations`
            describes it.
    """
    names_by_cell: dict[str, list[str]] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell is not None and cell != "marked":
            names_by_cell.setdefault(cell, []).append(name)
    return "; ".join(
        f"{', '.join(annotators)}: {cell}" for cell, annotators in names_by_cell.items()
    )


def _build_captioned_table(
    disputes: Disputes, columns: Sequence[Column], rows: Sequence[Sequence[Value]]
) -> Frame:
    """Build a table of the queue with its caption; without rows, text shows no columns."""
    noun, gold = document_noun(disputes.settings), _find_gold(disputes)
    n_documents = len(disputes.corpus)
    total_note = f", of {n_documents}" * (disputes.shared < n_documents)
    annotators = pluralize(len(disputes.corpus.layers) - bool(gold), "annotator")
    marked_by = f"{escape_name(gold)} and {annotators}" if gold else annotators
    caption = (
        f"{marked_by}: {pluralize(len(disputes), 'segment')} in"
        f" dispute, in {len(disputes.documents)} of {pluralize(disputes.shared, noun)} that two or"
        f" more saw{total_note}"
    )
    table = hide_columns_without_rows(Frame(columns, rows, disputes.settings, caption=caption))
    titles = {column.title for column in table.columns}
    remarks = [words for name, words in _WORDS.items() if name in titles]
    remarks += verdict.write_chance_remarks(disputes.settings)
    return replace(table, remarks=remarks)


def build_plot(disputes: Disputes, by: str | None) -> Plot:
    """Plot the number of disputed segments in each of the first documents."""
    first_documents = disputes.documents[:_DRAWN]
    counts = {document.document: document.disputed for document in first_documents}
    n_documents = pluralize(len(first_documents), document_noun(disputes.settings))
    return plot_counts(counts, f"disputed segments of the first {n_documents}")
