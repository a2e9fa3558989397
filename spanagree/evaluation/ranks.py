"""The places of systems by their F1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from spanagree.matching.tally import Tally

_TIE = 1e-12  # scores closer than this are the same score


class Rank(NamedTuple):
    """A system's place by F1, from 1; ties share the better one, an undefined F1 has None."""

    observed: int | None
    corrected: int | None


def ranks_of(totals: Sequence[Tally]) -> list[Rank]:
    """Return the places of systems by their F1, raw and corrected."""
    columns = (_ranks([getattr(t.f1, kind) for t in totals]) for kind in Rank._fields)
    return [Rank(*pair) for pair in zip(*columns, strict=True)]


def _ranks(values: Sequence[float]) -> list[int | None]:
    """Return the place of each value, the greatest first; ties share the better one."""
    return [
        None if math.isnan(value) else 1 + sum(other > value + _TIE for other in values)
        for value in values
    ]
