"""Blocks of segments that move together in a random annotation of discontinuous segments.

The *shape* of a segment, its pieces and the gaps between them, is fixed, and its *hull* reaches
from its first to its last token. Segments with hulls that share tokens, directly or through other
segments, keep their relative positions: they move together as one *block*, which is placed like a
segment of the length of its hull. So

    P(segment starts at x) = P(block starts at x − offset),

where the segment begins `offset` tokens after its block. If gaps were random instead, segments that
belong together would be separated, and chance agreement would be too low.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints


class Blocks(NamedTuple):
    """Segments that move together.

    Attributes:
        block: block of each segment; (segments,).
        offset: start of each segment less that of its block; (segments,).
        group: group of each block; (blocks,).
        start: start of each block; (blocks,).
        end: end of each block; (blocks,).
    """

    block: Ints
    offset: Ints
    group: Ints
    start: Ints
    end: Ints


def chain_hulls(group: Ints, start: Ints, end: Ints, alone: bool = False) -> Blocks:
    """Merge segments of the same group into blocks, if their hulls overlap.

    The hull of a segment extends from its first to its last token. A block contains all segments
    that are connected by a chain of overlapping hulls.

    Args:
        group: group of each segment, such as its document.
        start: start of the hull of each segment.
        end: end of the hull of each segment.
        alone: True to make each segment a block, even if hulls overlap.

    >>> blocks = chain_hulls(np.zeros(3, int), np.array([0, 3, 7]), np.array([4, 6, 9]))
    >>> blocks.block.tolist(), blocks.offset.tolist(), blocks.end.tolist()
    ([0, 0, 1], [0, 3, 0], [6, 9])
    """
    n_segments = len(start)
    if alone or not n_segments:
        return Blocks(np.arange(n_segments), np.zeros(n_segments, np.int64), group, start, end)
    order = np.lexsort((end, start, group))
    sorted_group, sorted_start, sorted_end = group[order], start[order], end[order]
    # concatenate all groups on one line, so that they are processed together
    line = np.cumsum(np.concatenate(([False], sorted_group[1:] != sorted_group[:-1]))) * (
        int(end.max()) + 1
    )
    furthest_end = np.maximum.accumulate(line + sorted_end)
    is_first = np.ones(n_segments, np.bool_)
    is_first[1:] = (line + sorted_start)[1:] >= furthest_end[:-1]
    first_rows = np.flatnonzero(is_first)
    block_index = np.cumsum(is_first) - 1
    block = np.empty(n_segments, np.int64)
    block[order] = block_index
    block_start = sorted_start[first_rows]
    return Blocks(
        block,
        start - block_start[block],
        sorted_group[first_rows],
        block_start,
        np.maximum.reduceat(sorted_end, first_rows),
    )


def count_shared_tokens_by_offset(
    pieces: tuple[tuple[int, int], ...], other_pieces: tuple[tuple[int, int], ...]
) -> tuple[int, Ints]:
    """Count the shared tokens of two shapes for each offset of the second from the first.

    Args:
        pieces, other_pieces: start and end of each piece of a shape, which starts at 0.

    Returns:
        The smallest offset, and the number of shared tokens for each offset from there on, up to
        the largest offset at which the hulls share a token.

    >>> least, shared = count_shared_tokens_by_offset(((0, 1), (2, 3)), ((0, 2),))
    >>> least, shared.tolist()
    (-1, [1, 1, 1, 1])
    """
    mask, other_mask = (_build_mask(shape_pieces) for shape_pieces in (pieces, other_pieces))
    n_shared = np.correlate(mask, other_mask, "full")
    return 1 - len(other_mask), n_shared.astype(np.int64)


def _build_mask(pieces: tuple[tuple[int, int], ...]) -> Ints:
    """Build the mask of a shape: 1 for each token of a piece, 0 for tokens of gaps."""
    mask = np.zeros(pieces[-1][1], np.int64)
    for start, end in pieces:
        mask[start:end] = 1
    return mask
