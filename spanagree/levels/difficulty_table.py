"""What difficulty and evaluations by level of it look like."""

from __future__ import annotations

import numpy as np

from spanagree.errors import counted, printable
from spanagree.levels.difficulty import Difficulty
from spanagree.rendering.table import Table, figure
from spanagree.rendering.text import render
from spanagree.settings import unit

_BINS, _BAR = 20, 40  # of the histogram: bins from 0 to 1, characters of the longest bar


_DIGITS = 12


NO_DIFFICULTY = "no difficulty"  # where gold has nothing, so no system can find anything


_MOST = 20  # documents shown in full; of more, the easiest and the hardest


_ENDS = 5


FIGURES = ("F1", "chance F1", "corrected F1")


def as_table(result: Difficulty) -> Table:
    """A row for each document."""
    document = unit(result.settings)
    rows = [[row[k] for k in ("document", "difficulty", "chance", "expected", "size")]
            for row in result.to_rows()]  # fmt: skip
    return Table(
        (document, "difficulty", "chance", "expected match", "size"),
        rows,
        caption=_caption(result),
        remarks=remarks(result),
        signature=result.signature,
    )


def as_text(result: Difficulty) -> str:
    """A histogram, then the documents, or if there are many the easiest and the hardest."""
    table = as_table(result)
    defined = np.flatnonzero(result.defined)
    order = defined[np.argsort(result.values[defined], kind="stable")].tolist()
    shown = list(table.rows)
    breaks: list[int] = []
    below = list(table.remarks)
    if len(order) > _MOST:
        shown = [table.rows[d] for d in (*order[:_ENDS], *order[-_ENDS:])]
        breaks = [_ENDS]
        below.append(
            f"the {_ENDS} easiest and the {_ENDS} hardest of {len(order)}; --format csv has all"
        )
    body = render(
        Table(table.header, shown, breaks=breaks, remarks=below, signature=table.signature)
    )
    return "\n".join([table.caption, "", *_histogram(result), "", body])


def bins(result: Difficulty) -> tuple[list[int], list[float]] | None:
    """How many documents are in each bin of difficulty, and the bins' edges; None without any."""
    values = result.values[result.defined]
    if not len(values):
        return None
    # rounded alike, so that a difficulty at an edge is in the bin that begins there
    edges = np.round(np.linspace(0, 1, _BINS + 1), _DIGITS)
    counts, _ = np.histogram(np.round(np.clip(values, 0, 1), _DIGITS), bins=edges)
    return counts.tolist(), edges.tolist()


def _histogram(result: Difficulty) -> list[str]:
    found = bins(result)
    if found is None:
        return ["no document has a difficulty"]
    counts, edges = found
    longest = max(counts)
    first = next(i for i, count in enumerate(counts) if count)
    lines = []
    for count, low, high in zip(counts[first:], edges[first:], edges[first + 1 :], strict=False):
        bar = "█" * max(round(_BAR * count / longest), bool(count))
        lines.append(f"{low:.2f}–{high:.2f}  {bar:<{_BAR}}  {count}")
    return lines


def _caption(result: Difficulty) -> str:
    names = ", ".join(map(printable, result.annotators[:5]))
    more = len(result.annotators) - 5
    whose = f"{names}{f' and {more} more' if more > 0 else ''}"
    by = "the team of " if len(result.annotators) > 1 else ""
    return f"difficulty of {counted(len(result), unit(result.settings))} by {by}{whose}"


def remarks(result: Difficulty) -> list[str]:
    """The range of the difficulties, and the documents without one, a sentence each."""
    values = result.values[result.defined]
    said = []
    if len(values):
        said.append(
            f"median {figure(float(np.median(values)))}, from {figure(float(values.min()))} to"
            f" {figure(float(values.max()))}"
        )
    if missing := int((result.seen & ~result.defined).sum()):
        said.append(f"{missing} without a difficulty: nobody marked anything in them")
    if unseen := int((~result.seen).sum()):
        said.append(f"{unseen} without a difficulty: not seen")
    if below := int((values < 0).sum()):
        said.append(f"{below} below 0: random segments that may overlap can match more than fully")
    return said
