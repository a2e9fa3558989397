"""What disagreements look like in a terminal."""

from __future__ import annotations

from spanagree.agreement.disagreements import Confusion, Disagreements
from spanagree.corpus.segments import Segment
from spanagree.errors import counted, printable
from spanagree.matching.pairing import KINDS
from spanagree.rendering.table import Table, Value
from spanagree.rendering.text import render
from spanagree.settings import unit

_NOTHING = "(nothing)"


_LONGEST = 40  # characters of a segment's text that are shown; the other formats have all


def as_text(result: Disagreements) -> str:
    """A row for each disagreement, and how many there are of each kind."""
    if not len(result):
        return f"{_none(result)}\nsignature: {result.signature}\n"
    return render(as_table(result))


def as_table(result: Disagreements) -> Table:
    """A row for each disagreement; if there is none, a sentence that says so."""
    if not len(result):
        return Table(
            (unit(result.settings),), [], caption=_none(result), signature=result.signature
        )
    names = map(printable, result.between)
    headers = [[name, "label", *(["text"] if result.with_text else [])] for name in names]
    header = (unit(result.settings), "kind", *headers[0], *headers[1])
    rows: list[list[Value]] = [
        [
            row.document,
            row.kind,
            *_side(row.a, row.a_text, result.with_text),
            *_side(row.b, row.b_text, result.with_text),
        ]
        for row in result
    ]
    return Table(
        header, rows, names=len(header), caption=_caption(result), signature=result.signature
    )


def confusion_as_table(result: Confusion) -> Table:
    """The labels of the first in rows, those of the second in columns; nothing comes last."""
    names = (*result.labels, _NOTHING)
    a, b = map(printable, result.settings["between"])
    return Table(
        (f"{a} ↓ {b} →", *names),
        [[name, *row] for name, row in zip(names, result.matrix.tolist(), strict=True)],
        caption=f"labels of {a} and {b}, {counted(result.documents, unit(result.settings))}",
        signature=result.signature,
    )


def _side(of: Segment | None, text: str, with_text: bool) -> list[Value]:
    span = "" if of is None else f"{of.start}–{of.end}"
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return [span, "" if of is None else of.label, *([shown] if with_text else [])]


def _caption(result: Disagreements) -> str:
    kinds = ", ".join(f"{result.counts[kind]} {kind}" for kind in KINDS if result.counts[kind])
    return f"{_between(result)}: {result.counts['match']} the same, {kinds}"


def _none(result: Disagreements) -> str:
    """What is said where there is nothing to show."""
    others = {kind: n for kind, n in result.counts.items() if kind in KINDS and n}
    if others:
        said = ", ".join(f"{n} {kind}" for kind, n in others.items())
        return f"no disagreement of these kinds: {_between(result)}; there are {said}"
    same = result.counts["match"]
    what = f"all {counted(same, 'segment')} the same" if same else "neither marked anything"
    return f"no disagreement: {_between(result)}, {what}"


def _between(result: Disagreements) -> str:
    a, b = map(printable, result.between)
    return f"{a} and {b}, {counted(result.documents, unit(result.settings))}"
