"""The one-to-one overlap of two random annotations, in many draws of both at once.

Where both have a handful of segments, which is the rule, a draw of all of them is a column of a few
arrays: segments in order, so that the greatest matching is found from left to right. That takes a
seventh of the time of :mod:`spanagree.comparisons.chance_distribution.draws`, its witness.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.comparisons.measures import Measure

MOST_PAIRS = 1000
"""Of how many pairs of segments the steps are taken one by one."""


class _DrawnSegments(NamedTuple):
    """Segments in order of their place, (segments, draws)."""

    start: Ints
    end: Ints
    able: Bools


def draw_pairs(
    tokens: int,
    sides: tuple[tuple[Ints, Bools], tuple[Ints, Bools]],
    measure: Measure,
    draws: int,
    rng: np.random.Generator,
) -> Ints | Floats:
    """Return the greatest one-to-one matching in each draw.

    Args:
        tokens: of the document.
        sides: of both annotations the lengths of all segments, and which of them can match.
        measure: one-to-one, by overlap or a share of it.
        draws: how many.
        rng: to draw from.
    """
    a, b = (_place(tokens, *side, draws, rng) for side in sides)
    free = b.able.copy()
    matches: Ints | Floats = np.zeros(draws, np.int64)
    for start, end, able in zip(*a, strict=True):
        for j in range(len(free)):
            similarity: Ints | Floats = np.ones(draws, np.int64)
            if measure.any_overlap:
                met = (start < b.end[j]) & (b.start[j] < end)
            else:
                similarity = measure.phi(b.start[j] - start, end - start, b.end[j] - b.start[j])
                met = similarity > 0
            # all that a later segment of the first can overlap too is the last of these, so the
            # first that is left is never a bad choice
            met &= able & free[j]
            able = able & ~met
            free[j] &= ~met
            matches = matches + met * similarity
    return matches


def _place(
    tokens: int, length: Ints, able: Bools, draws: int, rng: np.random.Generator
) -> _DrawnSegments:
    """Place segments that exclude each other, all arrangements being equally likely."""
    k = len(length)
    order = rng.random((draws, k)).argsort(axis=1)
    size = length[order]
    slots = _distinct(k, tokens - int(length.sum()) + k, draws, rng)
    end = slots + 1 + (size - 1).cumsum(axis=1)  # a slot is one token, a segment has more
    columns = (end - size, end, able[order])
    return _DrawnSegments(*(np.ascontiguousarray(column.T) for column in columns))


def _distinct(k: int, slots: int, draws: int, rng: np.random.Generator) -> Ints:
    """Draw k of the slots, in order, a row for each draw."""
    if k == slots:
        return np.tile(np.arange(k), (draws, 1))
    if k * k > 2 * slots:  # so few rows would be without a repetition that shuffling is less work
        rows = rng.random((draws, slots)).argpartition(k - 1, axis=1)[:, :k]
        rows.sort(axis=1)
        return rows.astype(np.int64)
    rows = np.empty((draws, k), np.int64)
    left = np.arange(draws)
    while len(left):  # a row in which one comes twice is drawn anew as a whole
        drawn = np.sort(rng.integers(0, slots, (len(left), k)), axis=1)
        rows[left] = drawn
        left = left[(drawn[:, 1:] == drawn[:, :-1]).any(1)]
    return rows
