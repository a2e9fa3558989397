"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

DIGITS = 3
"""Decimals of a figure that people read, where no others are asked for."""

NOT_SHOWN = "–"
"""What people see in place of a figure that is undefined."""

RANK_DIGITS = 4
"""Decimals to which scores of one rank are the same, and a difference of them is none."""


def ranks(values: Sequence[float], digits: int = RANK_DIGITS) -> list[int | None]:
    """Return the place of each value, the greatest first; those with equal decimals share a place.

    An undefined value has none.

    >>> ranks([0.91897, 0.918965, math.nan, 0.9])
    [1, 1, None, 3]
    """
    printed = [float(decimal(value, digits)) for value in values]
    return [
        None if math.isnan(value) else 1 + sum(other > value for other in printed)
        for value in printed
    ]


def decimal(value: float, digits: int = DIGITS) -> str:
    """Return a number with so many decimals; what rounds to 0 has no sign.

    >>> decimal(0.41934), decimal(-0.00001), decimal(-0.5, 0)
    ('0.419', '0.000', '0')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text
