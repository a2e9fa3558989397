"""What agreement among annotators looks like, as a table."""

from __future__ import annotations

import math

from spanagree.agreement.result import Agreement
from spanagree.errors import counted
from spanagree.matching.score import INTERVAL_FIGURES, Figures, Mean, Score, with_intervals
from spanagree.matching.tally import Tally
from spanagree.rendering.table import Table, Value
from spanagree.settings import unit

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
        caption=f"{annotators}, {counted(result.team.pairs, 'pair')} with a shared {document},"
        f" {counted(result.documents, document)}, {result.team.documents} seen by two or more",
        remarks=_remarks(result, by, document),
        signature=result.signature,
    )


_Part = tuple[tuple[str, ...], list[list[Value]], int]


def _whole(result: Agreement) -> _Part:
    mean = result.mean
    team, means = _scores(result.team.f1), _scores(mean)
    header: tuple[str, ...] = _F1
    spread = _scores(mean.sd)
    if mean.interval is not None:
        header = INTERVAL_FIGURES
        team, means = with_intervals(result.team.f1), with_intervals(mean)
        spread = [x for sd in spread for x in (sd, "")]
    rows: list[list[Value]] = [
        ["team", *team, str(result.team.pairs)],
        ["mean over pairs", *means, _numbers(mean.pairs)],
        ["sd over pairs", *spread, _numbers(mean.pairs)],
    ]
    return ("", *header, "pairs"), rows, 1


def _numbers(pairs: Figures) -> str:
    """Over how many pairs the means run: one number, or two if luck alone gives 1 for some."""
    observed, corrected = int(pairs.observed), int(pairs.corrected)
    return str(observed) if observed == corrected else f"{observed}, corrected {corrected}"


def _pairs(result: Agreement) -> _Part:
    shared = f"{unit(result.settings)}s"
    rows: list[list[Value]] = [
        [
            pair.a,
            pair.b,
            f"{pair.documents}{_FEW * pair.few}",
            *_of(pair.f1, result),
            pair.tally.size_a,
            pair.tally.size_b,
        ]
        for pair in result.pairs.values()
    ]
    return ("a", "b", shared, *_header(result), "marked a", "marked b"), rows, 2


def _annotators(result: Agreement) -> _Part:
    saw = f"{unit(result.settings)}s"
    header = ("annotator", saw, "pairs", *_header(result), "team without", "rise", "corrected rise")
    rows: list[list[Value]] = [
        [
            member.name,
            member.documents,
            member.pairs,
            *_of(member.f1, result),
            member.without.f1.observed,
            member.rise.observed,
            member.rise.corrected,
        ]
        for member in result.annotators.values()
    ]
    return header, rows, 1


def _labels(result: Agreement) -> _Part:
    rows: list[list[Value]] = [
        [label, *_of(tally.f1, result), _marked(tally)] for label, tally in result.labels.items()
    ]
    rows.append(["all", *_of(result.team.f1, result), _marked(result.team.tally)])
    return ("label", *_header(result), "marked, over pairs"), rows, 1


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


def _header(result: Agreement) -> tuple[str, ...]:
    return INTERVAL_FIGURES if "ci" in result.settings else _F1


def _of(score: Score, result: Agreement) -> list[Value]:
    return with_intervals(score) if "ci" in result.settings else _scores(score)


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
        few = f"{result.few} of {len(result.pairs)} pairs"
        mark = f"{_FEW} " if by == "pair" else ""
        remarks.append(f"{mark}{few} share fewer than {least} {document}s; their figures are shaky")
    silent = len(result.pairs) - int(result.mean.pairs.observed)
    if silent and result.mean.pairs.observed:
        remarks.append(
            f"{counted(silent, 'pair')} marked nothing in what is shared: left out of the mean"
        )
    reasons = dict.fromkeys(_reasons(result, by))
    return [*remarks, *(f"–: {reason}" for reason in reasons), *result.caveats]


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
