"""What tests of systems against each other, or against luck, look like as a table."""

from __future__ import annotations

from spanagree.errors import printable
from spanagree.evaluation.compare_systems import Comparison, Difference
from spanagree.evaluation.luck_test import LuckTest
from spanagree.matching.score import ends
from spanagree.rendering.table import Table, Value


def as_table(result: Comparison | LuckTest) -> Table:
    """A row for each pair of systems, or for each system against luck."""
    return _pairs(result) if isinstance(result, Comparison) else _luck(result)


def _pairs(result: Comparison) -> Table:
    figures = ("interval", "p", "Holm")
    header = ("a", "b", "F1 a − b", *figures, "corrected a − b", *figures)
    rows: list[list[Value]] = [
        [pair.a, pair.b, *_difference(pair.observed), *_difference(pair.corrected)]
        for pair in result.pairs
    ]
    remarks = []
    if any(pair.exact for pair in result.pairs):
        remarks.append("p of pairs that differ in few documents is exact: all exchanges counted")
    said: dict[str, None] = {}
    for pair in result.pairs:
        for of in (pair.observed, pair.corrected):
            if of.reason:
                said[f"{printable(pair.a)}, {printable(pair.b)}: {of.reason}"] = None
    return Table(
        header,
        rows,
        names=2,
        caption=f"differences of systems ({result.settings['test']}); p is two-sided, Holm's"
        " correction is for all pairs",
        remarks=[*remarks, *said, *result.caveats],
        signature=result.signature,
    )


def _difference(of: Difference) -> list[Value]:
    return [of.value, ends(of.low, of.high), of.p, of.p_holm]


def _luck(result: LuckTest) -> Table:
    rows: list[list[Value]] = [[of.name, of.f1, of.mean, of.p] for of in result.systems.values()]
    reasons = {f"–: undefined: {of.reason}": None for of in result.systems.values() if of.reason}
    return Table(
        ("system", "F1", "mean F1 of draws", "p"),
        rows,
        caption=f"systems against luck: gold as it is, {result.settings['draws']} random"
        " annotations of each system",
        remarks=list(reasons),
        signature=result.signature,
    )
