"""Formatting and ranking of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

DIGITS = 3
"""Default number of decimals of a figure."""

NOT_SHOWN = "–"
"""Text for an undefined figure."""

RANK_DIGITS = 4
"""Decimals to which scores of one rank are equal, and their difference is 0."""


def compute_ranks(values: Sequence[float], digits: int = RANK_DIGITS) -> list[int | None]:
    """Rank values from the greatest; equal decimals share a rank.

    An undefined value has no rank.

    >>> compute_ranks([0.91897, 0.918965, math.nan, 0.9])
    [1, 1, None, 3]
    """
    printed = [float(format_decimal(value, digits)) for value in values]
    return [
        None if math.isnan(value) else 1 + sum(other_value > value for other_value in printed)
        for value in printed
    ]


def format_decimal(value: float, digits: int = DIGITS) -> str:
    """Format a number with some decimals; a number that rounds to 0 has no sign.

    >>> format_decimal(0.41934), format_decimal(-0.00001), format_decimal(-0.5, 0)
    ('0.419', '0.000', '0')
    """
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text
