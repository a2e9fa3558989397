"""How many segments match if their borders may differ by a few tokens: random annotations.

Two segments of the same label are *near* if their starts differ by at most t tokens and their ends
too. Each segment belongs to one pair at most. Segments of an annotation that share no tokens have
their starts and ends in the same order, so the greatest number of pairs is found from the left:
take the next two if they are near; else drop each that is more than t tokens too early, at its
start or its end, perhaps both. This needs only those segments that still wait for a partner, which
is why both annotations can be read at once, from the left, and the distribution is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import lgamma, log, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct

Span: TypeAlias = tuple[int, int]  # start and end


class Lengths(NamedTuple):
    """How many segments of an annotation have which length, and whether they can match.

    Attributes:
        length: in tokens.
        matches: whether they have the label that is compared; others only take up room.
        number: how many there are.
    """

    length: int
    matches: bool
    number: int


def count_lengths(
    length: Ints, matches: Bools, group: Ints | None = None, groups: int = 1
) -> list[tuple[Lengths, ...]]:
    """Return for each group how many segments have which length, and whether they can match.

    >>> count_lengths(np.array([2, 1, 2]), np.array([True, False, True]))
    [(Lengths(length=1, matches=False, number=1), Lengths(length=2, matches=True, number=2))]
    """
    group = np.zeros(len(length), np.int64) if group is None else group
    rows, _, count = distinct(group, length, matches.astype(np.int64))
    kinds: list[list[Lengths]] = [[] for _ in range(groups)]
    for number, *kind, many in zip(*(column.tolist() for column in (*rows, count)), strict=True):
        kinds[number].append(Lengths(kind[0], kind[1] == 1, many))
    return [tuple(of_group) for of_group in kinds]


class _State(NamedTuple):
    """How far ahead of B is A, and who waits for a partner: places count from the one behind."""

    ahead: int
    waiting_a: tuple[Span, ...]
    waiting_b: tuple[Span, ...]


def take_pairs(a: Sequence[Span], b: Sequence[Span], t: int) -> tuple[int, int, int]:
    """Return the pairs taken from the left, and how many segments of A and B are done with.

    >>> take_pairs([(0, 2), (5, 6)], [(1, 2), (3, 4)], 1)
    (1, 1, 2)
    """
    i = j = pairs = 0
    while i < len(a) and j < len(b):
        start, end = a[i][0] - b[j][0], a[i][1] - b[j][1]
        if abs(start) <= t and abs(end) <= t:
            i, j, pairs = i + 1, j + 1, pairs + 1
            continue
        early_a, early_b = min(start, end) < -t, max(start, end) > t
        i, j = i + early_a, j + early_b
    return pairs, i, j


@lru_cache(maxsize=4096)
def both_random(
    n: int, a: tuple[Lengths, ...], b: tuple[Lengths, ...], t: int, budget: float
) -> Floats | None:
    """Return the distribution of the number of pairs of two random annotations of n tokens.

    Args:
        n: the tokens of the document.
        a, b: the segments of either; those of one annotation exclude each other.
        t: by how many tokens the borders may differ.
        budget: how many numbers may be computed; ``None`` is returned if that is not enough.
    """
    most = min(sum(x.number for x in side if x.matches) for side in (a, b))
    shape = (*(x.number + 1 for x in (*a, *b)), most + 1)
    if n * prod(shape) > budget:
        return None
    start = np.zeros(shape)
    start.flat[0] = 1
    weight = [_weight(side, n) for side in (a, b)]
    layers: list[dict[_State, Floats]] = [{} for _ in range(n + 1)]
    layers[0][_State(0, (), ())] = start
    work = 0.0
    for p in range(n):
        # where both are read equally far, A goes on first: then it is ahead, or both are further
        queue = layers[p]
        while queue:
            state, ways = queue.popitem()
            work += prod(shape) * (len(a) + len(b))
            if work > budget:
                return None
            side = 1 if state.ahead > 0 else 0
            first = len(a) * side
            for kind in range(-1, len((a, b)[side])):
                piece = (a, b)[side][kind] if kind >= 0 else Lengths(1, False, 0)
                then, pairs, step = _placed(state, side, piece, t)
                place = p + step
                if place + abs(then.ahead) > n:
                    continue
                part = ways
                if kind >= 0:
                    axis = first + kind
                    part = np.zeros(shape)
                    onto = [slice(None)] * len(shape)
                    taken = [slice(None)] * len(shape)
                    onto[axis], taken[axis] = slice(1, None), slice(None, -1)
                    if pairs:
                        onto[-1], taken[-1] = slice(pairs, None), slice(None, -pairs)
                    part[tuple(onto)] = ways[tuple(taken)] * weight[side]
                target = queue if step == 0 else layers[place]
                target[then] = target[then] + part if then in target else part
        layers[p] = {}
    # whoever still waits at the end finds no partner
    total = sum(ways[(*(-1 for _ in shape[:-1]),)] for ways in layers[n].values())
    return np.asarray(total / np.sum(total))


def _placed(state: _State, side: int, piece: Lengths, t: int) -> tuple[_State, int, int]:
    """Return the state after the next block of a side, the pairs, and how far both are read on."""
    ahead, waiting = state.ahead, [state.waiting_a, state.waiting_b]
    at = 0  # whoever places the next block is behind, or level
    if piece.matches:
        waiting[side] = (*waiting[side], (at, at + piece.length))
    pairs, i, j = take_pairs(waiting[0], waiting[1], t)
    left = waiting[0][i:], waiting[1][j:]
    ahead += piece.length if side == 0 else -piece.length
    step = min(piece.length, abs(state.ahead))
    # the next block of each side starts here or later
    next_a, next_b = step + max(ahead, 0), step + max(-ahead, 0)
    kept = []
    for mine, other in ((0, next_b), (1, next_a)):
        some = [x for x in left[mine] if x[0] >= other - t and x[1] > other - t]
        kept.append(tuple((s - step, e - step) for s, e in some))
    return _State(ahead, kept[0], kept[1]), pairs, step


def _weight(side: Sequence[Lengths], n: int) -> float:
    """Return a factor for each segment placed, such that all ways together count about 1."""
    placed = sum(x.number for x in side)
    slots = n - sum((x.length - 1) * x.number for x in side)
    logs = lgamma(slots + 1) - lgamma(slots - placed + 1)
    logs -= sum(lgamma(x.number + 1) for x in side)
    return 2.0 ** round(-logs / max(placed, 1) / log(2))


@lru_cache(maxsize=4096)
def one_random(
    n: int, fixed: tuple[Span, ...], b: tuple[Lengths, ...], t: int, budget: float
) -> Floats | None:
    """Return the distribution of the number of pairs of a random annotation with a fixed one.

    ``fixed`` are start and end of the segments of the label that is compared, from left to right;
    the other arguments are those of :func:`both_random`.
    """
    most = min(len(fixed), sum(x.number for x in b if x.matches))
    counts = tuple(x.number + 1 for x in b)
    shape = (*counts, len(fixed) + 1, most + 1)  # used, segments of A done with, pairs
    if (n + 1.0) * prod(shape) * (len(b) + 1) > budget:
        return None
    weight = _weight(b, n)
    longest = max((x.length for x in b), default=1)
    states = [np.zeros(shape) for _ in range(n + longest + 1)]
    states[0].flat[0] = 1
    for p in range(n):
        here = states[p]
        states[p + 1] += here
        for axis, kind in enumerate(b):
            if p + kind.length > n or not kind.number:
                continue
            taken = [slice(None)] * len(counts)
            onto = [slice(None)] * len(counts)
            taken[axis], onto[axis] = slice(None, -1), slice(1, None)
            from_, to = here[tuple(taken)] * weight, states[p + kind.length][tuple(onto)]
            if not kind.matches:
                to += from_
                continue
            for done in range(len(fixed) + 1):
                pairs, i, _ = take_pairs(fixed[done:], [(p, p + kind.length)], t)
                if pairs:
                    to[..., done + i, 1:] += from_[..., done, :-1]
                else:
                    to[..., done + i, :] += from_[..., done, :]
    total = states[n][(*(-1 for _ in counts),)].sum(axis=0)
    return np.asarray(total / total.sum())
