"""What a figure rests on: how many documents or items could tell, and how many decide.

A bootstrap knows only what it has seen: of 50 documents without an error each resample is perfect,
and with an error in three of them it takes too little for what could be. Where so few documents
hold a disagreement (or an agreement), the share that holds one is uncertain by itself, and that is
what Clopper & Pearson's exact interval (1934) is for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.results.score import RARE, corrected

_TIE = 1e-12  # a figure of a document closer than this to 0 or 1 is 0 or 1


def evidence_of(
    table: Floats, statistic: Callable[[Floats], Floats], times: Ints | None = None
) -> Ints:
    """Return the evidence of figures that come in threes: the observed one of each unit decides.

    Args:
        table: what each unit adds; (units, columns).
        statistic: from sums to figures.
        times: how often each unit is there; once unless given.

    Returns:
        Of each figure, how many units have something to compare, how many of these a disagreement
        (or an error), and how many an agreement; (figures, 3).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = statistic(table)[:, ::3]
    masks = (~np.isnan(observed), observed < 1 - _TIE, observed > _TIE)
    weights = np.ones(len(table), np.int64) if times is None else times
    return np.stack([weights @ mask for mask in masks], axis=1)


@lru_cache(maxsize=4096)  # pairs that share few documents have the same few numbers of them
def clopper_pearson(some: int, units: int, tail: float) -> tuple[float, float]:
    """Return the exact interval of a share, of which so many units were seen to have something.

    >>> [round(end, 4) for end in clopper_pearson(0, 50, 0.025)]  # 1 − 0.025^(1/50)
    [0.0, 0.0711]
    """
    from scipy.special import betaincinv  # takes a tenth of a second to import

    low = betaincinv(some, units - some + 1, tail) if some else 0.0
    high = betaincinv(some + 1, units - some, 1 - tail) if some < units else 1.0
    return float(low), float(high)


def joined(
    ends: Sequence[Sequence[float]],
    figures: Sequence[float],
    evidence: Sequence[int],
    tail: float,
) -> tuple[Sequence[Sequence[float]], str]:
    """Return intervals that also hold what few documents leave open, and why; else as they are.

    The observed disagreement (or agreement) is the share of documents that hold any, times its
    size there. The size stays; the share goes to the ends of its exact interval. Nothing seen may
    be as large as it can.

    Args:
        ends: of observed, expected and corrected figure; (3, 2).
        figures: the three figures.
        evidence: as :func:`evidence_of` returns it.
        tail: the share below the low end, and above the high one.
    """
    units, disagreeing, agreeing = evidence
    observed, expected, _ = figures
    lows, highs, why = [], [], []
    for few, size, noun in (
        (disagreeing, 1 - observed, "disagreement"),
        (agreeing, observed, "agreement"),
    ):
        if few >= RARE or few >= units:  # of those that all hold some, none lacks it
            continue
        scale = size * units / few if few else 1.0
        least, most = (scale * end for end in clopper_pearson(few, units, tail))
        lows.append(1 - most if noun == "disagreement" else least)
        highs.append(1 - least if noun == "disagreement" else most)
        why.append(f"{few} of {units} hold any {noun}")
    if not why:
        return ends, ""
    share = [min(max(end, 0.0), 1.0) for end in (min(lows), max(highs))]
    beyond = [max(corrected(end, expected).corrected, -1.0) for end in share]
    wide = [
        # an undefined end is not greater, and stays
        (other[0] if other[0] < low else low, other[1] if other[1] > high else high)
        for (low, high), other in zip(ends, (share, ends[1], beyond), strict=True)
    ]
    if wide == [tuple(end) for end in ends]:
        return ends, ""
    return wide, f"joined with Clopper–Pearson's, as {' and '.join(why)}"


def united(ends: Floats, others: Floats) -> Floats:
    """Return intervals that hold both of two, (…, 2); those that are undefined stay so."""
    (low, high), (other_low, other_high) = np.moveaxis(ends, -1, 0), np.moveaxis(others, -1, 0)
    lowest = np.where(other_low < low, other_low, low)
    return np.stack((lowest, np.where(other_high > high, other_high, high)), axis=-1)
