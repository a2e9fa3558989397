"""The balance of a source: the number of things in it, and what became of each.

A balance has for each unit, such as a segment, the number that was read, and under a reason each
number that was left out. Its sum is what the source holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from spanagree.errors import pluralize

Balance: TypeAlias = Mapping[str, Mapping[str, int]]
"""By unit and reason, a number; :data:`READ` is one of the reasons."""

READ = "read"
"""The reason of what is in the corpus."""

UNITS = ("record", "answer", "segment", "relation", "tag", "token")
"""The units that are counted: records of a file, answers of an annotator, and what is in these."""

_ALWAYS = ("segment", "tag")  # units that have a line even if everything was read
_WITHIN = (
    "in ",
    "not ",
    "outside ",
    "without ",
)  # how reasons begin that are not the name of a thing


def added(balances: Iterable[Balance]) -> Balance:
    """Add up the balances of the parts of a source.

    >>> added([{"segment": {"read": 2}}, {"segment": {"read": 1, "repeated annotation": 1}}])
    {'segment': {'read': 3, 'repeated annotation': 1}}
    """
    sums: dict[str, Counter[str]] = {}
    for balance in balances:
        for unit, numbers in balance.items():
            sums.setdefault(unit, Counter()).update(numbers)
    return {unit: dict(numbers) for unit, numbers in sums.items()}


def moved(balance: Balance, unit: str, reason: str, number: int) -> Balance:
    """Move a number of things from those that were read to those left out for a reason.

    >>> moved({"segment": {"read": 9}}, "segment", "repeated segment", 2)
    {'segment': {'read': 7, 'repeated segment': 2}}
    """
    return added([balance, {unit: {READ: -number, reason: number}}]) if number else balance


def says_balance(balance: Balance) -> list[str]:
    """Compose a line for each unit of which something was left out, and for segments or tags.

    >>> says_balance({"segment": {"read": 1159, "repeated annotation": 7}, "answer": {"read": 2}})
    ['1,166 segments in the source: 1,159 read, 7 repeated annotations']
    """
    lines = []
    for unit in (unit for unit in UNITS if unit in balance):
        numbers = balance[unit]
        left = {reason: n for reason, n in numbers.items() if n and reason != READ}
        if not left and unit not in _ALWAYS:
            continue
        read, total = numbers.get(READ, 0), sum(numbers.values())
        parts = [f"{read:,} read", *(_says(reason, number) for reason, number in left.items())]
        fate = ", ".join(parts) if left else "all read" if total else "nothing is marked"
        lines.append(f"{_thousands(total, unit)} in the source: {fate}")
    return lines


def _says(reason: str, number: int) -> str:
    """Compose a number with its reason, which is the name of a thing or says where it is."""
    return f"{number:,} {reason}" if reason.startswith(_WITHIN) else _thousands(number, reason)


def _thousands(number: int, noun: str) -> str:
    """Compose a number, with commas, and its noun."""
    return f"{number:,} {pluralize(number, noun).partition(' ')[2]}"
