"""Balances of a source: numbers of items that were read, and that were left out.

A balance has, for each unit such as segments, the number that was read and, for each reason, the
number that was left out. Their sum is the number of items in the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

Balance: TypeAlias = Mapping[str, Mapping[str, int]]
"""Numbers by unit and reason; :data:`READ` is one of the reasons."""

READ = "read"
"""Reason of items that are in the corpus."""

UNITS = ("record", "answer", "segment", "relation", "tag", "token")
"""Units that are counted: records of a file, answers of an annotator, and their content."""


def add_balances(balances: Iterable[Balance]) -> Balance:
    """Add the balances of the parts of a source.

    >>> add_balances([{"segment": {"read": 2}}, {"segment": {"read": 1, "repeated annotation": 1}}])
    {'segment': {'read': 3, 'repeated annotation': 1}}
    """
    sums: dict[str, Counter[str]] = {}
    for balance in balances:
        for unit, numbers in balance.items():
            sums.setdefault(unit, Counter()).update(numbers)
    return {unit: dict(numbers) for unit, numbers in sums.items()}


def move_count(balance: Balance, unit: str, reason: str, n_moved: int) -> Balance:
    """Move a number of items from read to left out, with a reason.

    >>> move_count({"segment": {"read": 9}}, "segment", "repeated segment", 2)
    {'segment': {'read': 7, 'repeated segment': 2}}
    """
    return (
        add_balances([balance, {unit: {READ: -n_moved, reason: n_moved}}]) if n_moved else balance
    )
