"""What agreement among annotators looks like, as a table."""

from __future__ import annotations

import math

from spanagree.agreement import Agreement, Figures, Mean
from spanagree.errors import counted
from spanagree.report.table import Table, Value, unit
from spanagree.tally import Score, Tally

_F1 = ("F1", "chance F1", "corrected F1")
_FEW = "*"


def as_table(result: Agreement, by: str | None = None) -> Table:
    """The team and the mean over pairs; with ``by`` a row for each part instead."""
    document = unit(result.settings)
    header, rows, names = _PARTS[by](result)
    annotators = counted(len(result.annotators), "annotator")
    return Table(
        header,
        rows,
        names=names,
        caption=f"{annotators}, {counted(result.team.pairs, 'pair')} that share a {document},"
        f" {counted(result.documents, document)}, {result.team.documents} seen by two or more",
        remarks=_remarks(result, by, document),
        signature=result.signature,
    )


_Part = tuple[tuple[str, ...], list[list[Value]], int]


def _whole(result: Agreement) -> _Part:
    mean = result.mean
    rows: list[list[Value]] = [
        ["team", *_scores(result.team.f1), result.team.pairs],
        ["mean over pairs", *_scores(mean), int(mean.pairs.observed)],
        ["sd over pairs", *_scores(mean.sd), int(mean.pairs.observed)],
    ]
    return ("", *_F1, "pairs"), rows, 1


def _pairs(result: Agreement) -> _Part:
    shared = f"{unit(result.settings)}s"
    rows: list[list[Value]] = [
        [
            pair.a,
            pair.b,
            f"{pair.documents}{_FEW * pair.few}",
            *_scores(pair.f1),
            pair.tally.size_a,
            pair.tally.size_b,
        ]
        for pair in result.pairs.values()
    ]
    return ("a", "b", shared, *_F1, "marked a", "marked b"), rows, 2


def _annotators(result: Agreement) -> _Part:
    saw = f"{unit(result.settings)}s"
    header = ("annotator", saw, "pairs", *_F1, "team without", "rise", "corrected rise")
    rows: list[list[Value]] = [
        [
            member.name,
            member.documents,
            member.pairs,
            *_scores(member.f1),
            member.without.f1.observed,
            member.rise.observed,
            member.rise.corrected,
        ]
        for member in result.annotators.values()
    ]
    return header, rows, 1


def _labels(result: Agreement) -> _Part:
    rows: list[list[Value]] = [
        [label, *_scores(tally.f1), _marked(tally)] for label, tally in result.labels.items()
    ]
    rows.append(["all", *_scores(result.team.f1), _marked(result.team.tally)])
    return ("label", *_F1, "marked, over pairs"), rows, 1


def _documents(result: Agreement) -> _Part:
    rows: list[list[Value]] = [
        [name, saw, *_scores(tally.f1), _marked(tally)] for name, saw, tally in result.by_document()
    ]
    header = (unit(result.settings), "annotators", *_F1, "marked, over pairs")
    return header, rows, 1


_PARTS = {
    None: _whole,
    "pair": _pairs,
    "annotator": _annotators,
    "label": _labels,
    "document": _documents,
}


def _scores(of: Score | Mean | Figures) -> list[Value]:
    return [of.observed, of.expected, of.corrected]


def _marked(tally: Tally) -> int:
    return tally.size_a + tally.size_b


def _remarks(result: Agreement, by: str | None, document: str) -> list[str]:
    """How the team is added up, what is shaky, and why figures are undefined."""
    remarks = [f"team: tallies summed over pairs and {document}s; those that many saw weigh more"]
    if by == "label" and not result.labels:
        remarks.append(f"no rows for labels: match {result.settings['match']} disregards them")
    if result.few:
        least = result.settings["min_shared"]
        few = f"{result.few} of {counted(len(result.pairs), 'pair')}"
        mark = f"{_FEW} " if by == "pair" else ""
        remarks.append(f"{mark}{few} share fewer than {least} {document}s; their figures are shaky")
    silent = len(result.pairs) - int(result.mean.pairs.observed)
    if silent and result.mean.pairs.observed:
        remarks.append(
            f"{counted(silent, 'pair')} marked nothing in what is shared: left out of the mean"
        )
    reasons = dict.fromkeys(_reasons(result, by))
    return [*remarks, *(f"–: {reason}" for reason in reasons)]


def _reasons(result: Agreement, by: str | None) -> list[str]:
    scores: dict[str | None, list[Score]] = {
        None: [result.team.f1],
        "pair": [pair.f1 for pair in result.pairs.values()],
        "annotator": [f1 for m in result.annotators.values() for f1 in (m.f1, m.without.f1)],
        "label": [tally.f1 for tally in result.labels.values()],
        "document": [tally.f1 for _, _, tally in result.by_document()] if by == "document" else [],
    }
    of_mean = [result.mean.reason] if by is None and result.mean.reason else []
    return [_said(score) for score in scores[by] if score.reason] + [
        f"mean undefined: {reason}" for reason in of_mean
    ]


def _said(score: Score) -> str:
    return f"{'' if math.isnan(score.observed) else 'corrected '}F1 undefined: {score.reason}"
