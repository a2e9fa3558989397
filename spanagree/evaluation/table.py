"""What an evaluation looks like, as a table and as rows."""

from __future__ import annotations

import math

from spanagree.errors import counted, printable
from spanagree.evaluation.result import Evaluation, Macro, Rank, System
from spanagree.matching.score import INTERVAL_FIGURES, with_intervals
from spanagree.matching.tally import Tally
from spanagree.rendering.table import UNDEFINED, Table, Value
from spanagree.settings import unit

_FIGURES = ("precision", "recall", "F1", "chance F1", "corrected F1")


def as_table(result: Evaluation, by: str | None = None) -> Table:
    """Systems in the order given; with ``by`` a block for each system, a row for each part."""
    gold = printable(result.settings["gold"])
    document = unit(result.settings)
    systems = result.systems.values()
    header: tuple[str, ...] = ("system", *_FIGURES, "rank")
    breaks: list[int] = []
    rows: list[list[Value]] = []
    if by is None and "ci" in result.settings:
        header = ("system", *INTERVAL_FIGURES, "rank")
        rows = [[s.name, *with_intervals(s.f1), _arrow(s.rank)] for s in systems]
    elif by is None:
        rows = [[s.name, *_scores(s.tally), _arrow(s.rank)] for s in systems]
    else:
        part = document if by == "document" else by
        with_ends = by == "label" and "ci" in result.settings
        figures = INTERVAL_FIGURES if with_ends else _FIGURES
        header = ("system", part, *figures, "gold", "marked")
        for system in systems:
            breaks.append(len(rows))
            rows += _parts(result, system, by)
    return Table(
        header,
        rows,
        names=1 if by is None else 2,
        breaks=breaks[1:],
        caption=f"{counted(len(systems), 'system')} against {gold},"
        f" {counted(result.documents, document)}",
        remarks=_remarks(result, by),
        signature=result.signature,
    )


def _parts(result: Evaluation, system: System, by: str) -> list[list[Value]]:
    parts = system.labels.items() if by == "label" else result.by_document(system.name)
    figures = _f1 if by == "label" and "ci" in result.settings else _scores
    rows: list[list[Value]] = [[system.name, name, *figures(t), *_sizes(t)] for name, t in parts]
    rows.append([system.name, "all (micro)", *figures(system.tally), *_sizes(system.tally)])
    if by == "label" and system.labels:
        rows.append([system.name, "all (macro)", *figures(system.macro), None, None])
    return rows


def _f1(of: Tally | Macro) -> list[Value]:
    return with_intervals(of.f1)


def _scores(of: Tally | Macro) -> list[Value]:
    return [
        of.precision.observed,
        of.recall.observed,
        of.f1.observed,
        of.f1.expected,
        of.f1.corrected,
    ]


def _sizes(tally: Tally) -> list[Value]:
    return [tally.size_a, tally.size_b]


def _arrow(rank: Rank) -> str:
    before, after = (UNDEFINED if place is None else str(place) for place in rank)
    return f"{before} → {after}"


def _remarks(result: Evaluation, by: str | None) -> list[str]:
    """Why figures of the table are undefined, each reason once."""
    remarks: dict[str, None] = {}
    if by == "label" and not any(system.labels for system in result.systems.values()):
        remarks[f"no rows for labels: match {result.settings['match']} disregards them"] = None
    for system in result.systems.values():
        name = printable(system.name)
        for what, of in (("", system), (" (macro)", system.macro)):
            if what and by != "label":
                continue
            remarks |= {f"{name}{what}: {said}": None for said in _undefined(of)}
        if by is not None:
            parts = system.labels.items() if by == "label" else result.by_document(system.name)
            for _, tally in parts:
                remarks |= {f"–: {said}": None for said in _undefined(tally)}
                if tally.f1.interval is not None and tally.f1.interval.reason:
                    remarks[f"intervals of some: {tally.f1.interval.reason}"] = None
    if by == "label" and "ci" in result.settings:
        remarks["–: macro-averages have no intervals"] = None
    return [*remarks, *result.caveats]


def _undefined(of: Tally | Macro | System) -> list[str]:
    said = []
    for what, score in (("precision", of.precision), ("recall", of.recall), ("F1", of.f1)):
        if score.reason:
            kind = "" if math.isnan(score.observed) else "corrected "
            said.append(f"{kind}{what} undefined: {score.reason}")
    return said
