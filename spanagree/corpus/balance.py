"""Balances of a source: numbers of items that were read, and that were left out.

A balance has, for each unit such as segments, the number that was read and, for each reason, the
number that was left out. Their sum is the number of items in the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from spanagree.errors import pluralize

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


_ALWAYS = ("segment", "tag")  # units that have a line even if everything was read

_WITHIN = ("in ", "not ", "outside ", "without ")  # beginnings of reasons that are no noun


def write_balance_lines(balance: Balance) -> list[str]:
    """Write a line for each unit with items left out, and for segments and tags.

    >>> balance = {"segment": {"read": 1159, "repeated annotation": 7}, "answer": {"read": 2}}
    >>> write_balance_lines(balance)
    ['1,166 segments in the source: 1,159 read, 7 repeated annotations']
    """
    lines = []
    for unit in (unit for unit in UNITS if unit in balance):
        numbers = balance[unit]
        left_out = {reason: n for reason, n in numbers.items() if n and reason != READ}
        if not left_out and unit not in _ALWAYS:
            continue
        n_read, n_total = numbers.get(READ, 0), sum(numbers.values())
        clauses = [
            f"{n_read:,} read",
            *(_write_reason_count(reason, count) for reason, count in left_out.items()),
        ]
        outcome = ", ".join(clauses) if left_out else "all read" if n_total else "nothing is marked"
        lines.append(f"{_write_noun_count(n_total, unit)} in the source: {outcome}")
    return lines


def _write_reason_count(reason: str, count: int) -> str:
    """Write a count with its reason, a noun or a phrase such as "in drafts"."""
    return f"{count:,} {reason}" if reason.startswith(_WITHIN) else _write_noun_count(count, reason)


def _write_noun_count(count: int, noun: str) -> str:
    """Write a number, with thousands separators, and its noun."""
    return f"{count:,} {pluralize(count, noun).partition(' ')[2]}"
