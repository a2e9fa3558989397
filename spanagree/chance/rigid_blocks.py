"""Where segments of several pieces stand in a random annotation.

The *shape* of a segment, its pieces and the gaps between them, stays as it is. Segments whose hulls
share tokens, chained, keep their places towards each other: they move together as one *block*,
which is placed as a segment of the length of its hull. So P(segment starts at x) is P(block starts
at x − offset), where the segment begins so many tokens after its block. Gaps that were placed anew
would tear apart what stands together, and chance would come out too low.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints


class Blocks(NamedTuple):
    """Segments that move together.

    Attributes:
        block: of each segment, the number of its block.
        offset: of each segment, how far after its block it begins.
        group: of each block, that of its segments.
        start, end: of each block.
    """

    block: Ints
    offset: Ints
    group: Ints
    start: Ints
    end: Ints


def chain_hulls(group: Ints, start: Ints, end: Ints, alone: bool = False) -> Blocks:
    """Return the blocks of segments, of which those of one group may share tokens.

    Args:
        group: of each segment, such as its document.
        start, end: the hull of each segment.
        alone: every segment is a block of its own.

    >>> blocks = chain_hulls(np.zeros(3, int), np.array([0, 3, 7]), np.array([4, 6, 9]))
    >>> blocks.block.tolist(), blocks.offset.tolist(), blocks.end.tolist()
    ([0, 0, 1], [0, 3, 0], [6, 9])
    """
    count = len(start)
    if alone or not count:
        return Blocks(np.arange(count), np.zeros(count, np.int64), group, start, end)
    order = np.lexsort((end, start, group))
    group_, start_, end_ = group[order], start[order], end[order]
    # every group has a stretch of its own on one long line
    line = np.cumsum(np.concatenate(([False], group_[1:] != group_[:-1]))) * (int(end.max()) + 1)
    reach = np.maximum.accumulate(line + end_)
    first = np.ones(count, np.bool_)
    first[1:] = (line + start_)[1:] >= reach[:-1]
    at = np.flatnonzero(first)
    number = np.cumsum(first) - 1
    block = np.empty(count, np.int64)
    block[order] = number
    begins = start_[at]
    return Blocks(
        block,
        start - begins[block],
        group_[at],
        begins,
        np.maximum.reduceat(end_, at),
    )


def shares_of_offsets(
    pieces: tuple[tuple[int, int], ...], others: tuple[tuple[int, int], ...]
) -> tuple[int, Ints]:
    """Return how many tokens two shapes share where the second begins so far after the first.

    Returns:
        The least offset, and the shared tokens from there on, up to the greatest offset at which
        the hulls share a token.

    >>> least, shared = shares_of_offsets(((0, 1), (2, 3)), ((0, 2),))
    >>> least, shared.tolist()
    (-1, [1, 1, 1, 1])
    """
    mask, other_mask = (_mask(shape) for shape in (pieces, others))
    shared = np.correlate(mask, other_mask, "full")
    return 1 - len(other_mask), shared.astype(np.int64)


def _mask(pieces: tuple[tuple[int, int], ...]) -> Ints:
    """Return 1 for each token of a shape, and 0 for those of its gaps."""
    mask = np.zeros(pieces[-1][1], np.int64)
    for start, end in pieces:
        mask[start:end] = 1
    return mask
