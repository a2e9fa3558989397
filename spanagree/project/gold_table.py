"""Gold by votes as tables of labels, segments and cases to adjudicate, and as a plot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.disagreements import LONGEST, extract_texts
from spanagree.corpus.segments import is_time
from spanagree.corpus.times import convert_to_seconds
from spanagree.errors import escape_name, format_count_of_total, pluralize, truncate
from spanagree.project.ballots import BORDER, CONFLICT, GOLD, OUTCOMES, TIE
from spanagree.project.gold import describe_segment
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame, hide_columns_without_rows
from spanagree.results.plots import Plot, plot_counts
from spanagree.settings import document_noun

if TYPE_CHECKING:
    from spanagree.project.gold import Gold

FEW = "few"
"""Outcome of a document that too few voters saw."""

_OPEN_CASES = {TIE: "tie", BORDER: "tied boundary", CONFLICT: "conflict"}
"""Names of the outcomes of segments that are to be adjudicated."""

_BINS = 20


def write_verdict(gold: Gold) -> str:
    """Write a sentence on the numbers of segments that were elected, and to be adjudicated."""
    open_cases = _write_open_cases(gold) or "nothing"
    return f"The vote gives {_write_size(gold)}; to be adjudicated: {open_cases}."


def _write_size(gold: Gold) -> str:
    """Write the number of elected segments, and of documents that enough voters saw."""
    has_enough = gold.layer.annotated
    documents = format_count_of_total(
        int(has_enough.sum()), len(has_enough), document_noun(gold.settings)
    )
    return f"{pluralize(len(gold.layer), 'segment')} in {documents}"


def _write_open_cases(gold: Gold) -> str:
    """Write the numbers of ties, tied boundaries, conflicts, and documents with few voters."""
    clauses = []
    for outcome, noun in _OPEN_CASES.items():
        if n_cases := int((gold.counted.outcome == outcome).sum()):
            clauses.append(pluralize(n_cases, noun))
    if n_few := len(gold.few):
        noun = document_noun(gold.settings)
        clauses.append(f"{pluralize(n_few, noun)} with too few annotators")
    return ", ".join(clauses)


def list_caveats(gold: Gold) -> tuple[str, ...]:
    """Return no warning: what is uncertain is listed as a case to adjudicate."""
    return ()


def build_table(gold: Gold, by: str | None) -> Frame:
    """Build the table by label, of segments, or of cases to be adjudicated."""
    return _tabulate_labels(gold) if by is None else _tabulate_segments(gold, by)


def _tabulate_labels(gold: Gold) -> Frame:
    """Build a table of the elected segments and the segments to adjudicate of each label."""
    counted = gold.counted
    is_gold = counted.outcome == GOLD
    rows: list[list[Value]] = []
    for code in np.unique(counted.label).tolist():
        has_label = counted.label == code
        shares = counted.share[has_label & is_gold]
        mean_share = float(shares.mean()) if len(shares) else float("nan")
        n_open = int((has_label & ~is_gold).sum())
        rows.append([gold.corpus.labels[code], len(shares), mean_share, n_open])
    columns = [
        Column("label", "label", "name", "label of a vote"),
        Column("segments", "segments", "count", "segments of a vote"),
        Column("share", f"mean {_name_share(gold)}", "figure", "share of votes"),
        Column("adjudicate", "to adjudicate", "count"),
    ]
    return _build_captioned_table(gold, columns, rows, write_remarks_on_open_cases(gold))


def write_remarks_on_open_cases(gold: Gold, command: str = "") -> list[str]:
    """Write a remark on the cases to adjudicate, and on how to list them; none without any.

    Args:
        gold: gold by votes.
        command: command that gives this gold, where it is not the one that was run.
    """
    open_cases = _write_open_cases(gold)
    if not open_cases:
        return []
    option = f"{command} --by adjudicate".lstrip()
    return [f"to adjudicate: {open_cases}; {option} lists them"]


def _name_share(gold: Gold) -> str:
    """Name the share of the votes for a segment; a model computes a probability."""
    return "probability" if gold.vote == "dawid-skene" else "share"


def _tabulate_segments(gold: Gold, by: str) -> Frame:
    """Build a table of the elected segments or, by adjudicate, of all others and few voters."""
    bound_kind = "number" if is_time(gold.corpus.offsets) else "count"
    columns = [
        Column("document", document_noun(gold.settings), "name", "document of a vote"),
        Column("outcome", "" if by == "segment" else "outcome", "name"),
        *(Column(end, "", bound_kind) for end in ("start", "end")),
        Column("", "segment", "name", "segment of a vote"),
        Column("label", "label", "name", "segment of a vote"),
        Column("text", "", "name"),
        Column("", "text", "name", "segment of a vote"),
        Column("share", _name_share(gold), meaning="share of votes"),
        Column("support", "support", "count"),
        Column("annotators", "of", "count", meaning="annotators"),
        Column("supporters", "", "name"),
        Column("", "who", "name", "support"),
    ]
    shown = np.flatnonzero((gold.counted.outcome == GOLD) == (by == "segment"))
    texts = extract_texts(gold.corpus, *(column[shown] for column in gold.counted[:3]))
    rows = [_list_cells(gold, i, text) for i, text in zip(shown.tolist(), texts, strict=True)]
    if by == "adjudicate":
        empty_cells: list[Value] = [None, None, "", None, None, "", None, None]
        rows += [
            [gold.corpus.id_of(d), FEW, *empty_cells, int(gold.seen[d]), None, ""]
            for d in gold.few.tolist()
        ]
    return _build_captioned_table(gold, columns, rows, [])


def _list_cells(gold: Gold, i: int, text: str) -> list[Value]:
    """List the cells of the segment of the vote with index ``i``, whose text is passed."""
    segment = describe_segment(gold, i)
    start, end = convert_to_seconds((segment["start"], segment["end"]), gold.corpus.offsets)
    names = ", ".join(segment["supporters"])
    return [
        gold.corpus.id_of(int(gold.counted.document[i])),
        OUTCOMES[gold.counted.outcome[i]],
        start,
        end,
        f"{start:.12g}–{end:.12g}",
        segment["label"],
        text,
        truncate(text, LONGEST),
        segment["share"],
        len(segment["supporters"]),
        segment["annotators"],
        names,
        truncate(names, LONGEST),
    ]


def _build_captioned_table(
    gold: Gold, columns: list[Column], rows: list[list[Value]], remarks: list[str]
) -> Frame:
    """Build a table of the gold with its caption; without rows, text shows no columns."""
    n_voters = pluralize(len(gold.voters), "annotator")
    caption = f"{escape_name(gold.name)}: {_write_size(gold)}, by the votes of {n_voters}"
    return hide_columns_without_rows(
        Frame(columns, rows, gold.settings, caption=caption, remarks=remarks)
    )


def build_plot(gold: Gold, by: str | None) -> Plot:
    """Plot the distribution of the share of votes over the gold segments."""
    shares = gold.counted.share[gold.counted.outcome == GOLD]
    counts, edges = np.histogram(shares, bins=np.linspace(0, 1, _BINS + 1))
    names = [f"{low:.2f}–{high:.2f}" for low, high in pairwise(edges.tolist())]
    first_bin = int(np.argmax(counts > 0))
    shown = zip(names[first_bin:], counts[first_bin:].tolist(), strict=True)
    return plot_counts(dict(shown), "segments by their share of the votes")
