"""Draws of the one-to-one overlap of two random annotations, with both drawn together.

If both annotations have few segments, all draws are columns of a few arrays. The segments are
sorted, so the greatest matching is found from left to right. This takes a seventh of the time of
:mod:`spanagree.comparisons.chance_distribution.draws`, which serves as its test.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.comparisons.measures import Measure

MOST_PAIRS = 1000
"""Largest number of pairs of segments for which the pairs are visited one by one."""


class _DrawnSegments(NamedTuple):
    """Drawn segments, sorted by start; (segments, draws).

    Attributes:
        start, end: borders of each segment in each draw.
        can_match: mask of the segments with the label.
    """

    start: Ints
    end: Ints
    can_match: Bools


def draw_pairs(
    tokens: int,
    lengths_and_masks: tuple[tuple[Ints, Bools], tuple[Ints, Bools]],
    measure: Measure,
    draws: int,
    rng: np.random.Generator,
) -> Ints | Floats:
    """Draw both annotations, and compute the greatest one-to-one matching of each draw; (draws,).

    Args:
        tokens: number of tokens of the document.
        lengths_and_masks: lengths of all segments of each annotator, and a mask of those that can
            match.
        measure: one-to-one measure of overlaps.
        draws: number of draws.
        rng: random generator.
    """
    a, b = (
        _draw_arrangements(tokens, *length_and_mask, draws, rng)
        for length_and_mask in lengths_and_masks
    )
    is_free = b.can_match.copy()
    match_by_draw: Ints | Floats = np.zeros(draws, np.int64)
    for start, end, can_match in zip(*a, strict=True):
        for j in range(len(is_free)):
            similarity: Ints | Floats = np.ones(draws, np.int64)
            if measure.any_overlap:
                is_match = (start < b.end[j]) & (b.start[j] < end)
            else:
                similarity = measure.phi(b.start[j] - start, end - start, b.end[j] - b.start[j])
                is_match = similarity > 0
            # a later segment of A can overlap only the last of the segments that this one overlaps,
            # so the first free segment of B is always a best choice
            is_match &= can_match & is_free[j]
            can_match = can_match & ~is_match
            is_free[j] &= ~is_match
            match_by_draw = match_by_draw + is_match * similarity
    return match_by_draw


def _draw_arrangements(
    tokens: int, length: Ints, can_match: Bools, draws: int, rng: np.random.Generator
) -> _DrawnSegments:
    """Draw arrangements of segments that exclude each other, all equally likely.

    Args:
        tokens: number of tokens of the document.
        length: length of each segment.
        can_match: mask of the segments with the label.
        draws: number of draws.
        rng: random generator.
    """
    k = len(length)
    order = rng.random((draws, k)).argsort(axis=1)
    size = length[order]
    slots = _draw_slots(k, tokens - int(length.sum()) + k, draws, rng)
    end = slots + 1 + (size - 1).cumsum(axis=1)  # a slot is one token, a segment may have more
    columns = (end - size, end, can_match[order])
    return _DrawnSegments(*(np.ascontiguousarray(column.T) for column in columns))


def _draw_slots(k: int, slots: int, draws: int, rng: np.random.Generator) -> Ints:
    """Draw k distinct slots in ascending order for each draw; (draws, k)."""
    if k == slots:
        return np.tile(np.arange(k), (draws, 1))
    if k * k > 2 * slots:  # few rows would be free of repetitions, so shuffling is faster
        rows = rng.random((draws, slots)).argpartition(k - 1, axis=1)[:, :k]
        rows.sort(axis=1)
        return rows.astype(np.int64)
    rows = np.empty((draws, k), np.int64)
    open_rows = np.arange(draws)
    while len(open_rows):  # a row with a repetition is drawn again as a whole
        sorted_draws = np.sort(rng.integers(0, slots, (len(open_rows), k)), axis=1)
        rows[open_rows] = sorted_draws
        open_rows = open_rows[(sorted_draws[:, 1:] == sorted_draws[:, :-1]).any(1)]
    return rows
