"""Counts of a tally in the tables of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from spanagree.comparisons.tally import Tally
from spanagree.results.cells import Value
from spanagree.results.frame import Column

_IN_SIZES = (
    "size of gold and of the system, in {sizes}: what the row rests on. Figures over few are shaky."
)


class Count(NamedTuple):
    """A count of a tally, in the tables of results.

    Attributes:
        of: function that returns the count of a tally.
        title: displayed name in a table with a row for each part; empty if it is not displayed.
        means: paragraph that explains the count to readers.
        of_pair: key in tables of pairs of annotators; empty if they leave the count out.
        title_of_pair: displayed name in a table of pairs.
        kind: kind of the column.
    """

    of: Callable[[Tally], Value]
    title: str = ""
    means: str = ""
    of_pair: str = ""
    title_of_pair: str = ""
    kind: str = "count"

    @property
    def meaning(self) -> str:
        """Heading of the explanation."""
        return f"{self.title} of gold or a system" if self.title else ""


COUNTS: Mapping[str, Count] = {
    "matched": Count(lambda tally: tally.matched, of_pair="matched", kind="figure"),
    "expected": Count(lambda tally: tally.expected, of_pair="expected", kind="figure"),
    "size_gold": Count(lambda tally: tally.size_a, "gold", _IN_SIZES, "size_a", "marked a"),
    "size_system": Count(lambda tally: tally.size_b, "marked", _IN_SIZES, "size_b", "marked b"),
}
"""Counts in tables, by key, in order; each of them adds over parts."""


def build_count_columns(*, is_titled: bool, of_pairs: bool = False) -> list[Column]:
    """Build a column for each count.

    Args:
        is_titled: True to display the columns that have a title.
        of_pairs: True for the counts of two annotators. Default: of gold and a system.
    """
    columns = [
        Column(count.of_pair, count.title_of_pair, count.kind, spare=True)
        if of_pairs
        else Column(key, count.title, count.kind, count.meaning)
        for key, count in COUNTS.items()
        if count.of_pair or not of_pairs
    ]
    return columns if is_titled else [column._replace(title="") for column in columns]


def list_count_values(tally: Tally | None, *, of_pairs: bool = False) -> list[Value]:
    """List the counts of a tally in the order of the columns; ``None`` for each without a tally."""
    counts = (count for count in COUNTS.values() if count.of_pair or not of_pairs)
    return [None if tally is None else count.of(tally) for count in counts]
