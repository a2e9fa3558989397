"""The match of two random annotations, on the shortest way to its distribution.

A match of at most one is there with the probability of its mean, and that is known without a walk
(:mod:`spanagree.comparisons.uniform_starts`). Where segments of one annotation exclude each other,
both are walked at once. Where they need not, two pairs of segments may share one, and nothing can
be taken apart: so every arrangement of one side is written out, and the other one is walked against
each.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from spanagree.arrays import Floats, Ints, distinct
from spanagree.chance.start_distributions import start_profiles
from spanagree.comparisons.chance_distribution.pieces import (
    Pieces,
    Side,
    least_costs,
    with_arranged,
)
from spanagree.comparisons.chance_distribution.single import single_matches
from spanagree.comparisons.chance_distribution.walk import fixed_walk
from spanagree.comparisons.chance_distribution.walk_both import both_walk
from spanagree.comparisons.chance_distribution.walk_tables import mixture
from spanagree.comparisons.measures import Match, turned
from spanagree.comparisons.starts import Sides
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError

_CERTAIN = 1e-13  # sums of floats give 1 − 1e-16 for what is certain


def both_random(
    pieces: Pieces, measure: Match, chance: str, budget: float, moments: bool
) -> list[Floats | None]:
    """Return the distribution of each piece's match, with A and B random.

    Args, result: as of :func:`spanagree.comparisons.chance_distribution.walk.fixed_walk`.
    """
    if chance == "nonoverlapping" or (chance == "per-label" and measure.of_label):
        return _walked(pieces, measure, budget, moments)
    results: list[Floats | None] = []
    known: dict[tuple[object, ...], Floats | None] = {}
    for piece in range(len(pieces)):
        single_piece = pieces.some(np.array([piece]))
        key = (
            int(single_piece.tokens[0]),
            *(_shape(side) for side in (single_piece.a, single_piece.b)),
        )
        if key not in known:
            known[key] = _enumerated(single_piece, measure, budget, moments)
        results.append(known[key])
    return results


def _walked(pieces: Pieces, measure: Match, budget: float, moments: bool) -> list[Floats | None]:
    """Return the distributions of pieces in which the segments of one side exclude each other."""
    results: list[Floats | None] = [None] * len(pieces)
    single = np.zeros(len(pieces), np.bool_)
    means: list[float] = []
    if measure.kernel in ("equal", "cover"):
        single = _most(pieces, measure) <= 1
        try:
            means = _means(pieces.some(np.flatnonzero(single)), measure)
        except SettingError:  # too many units, as recordings have; chance is drawn then
            single[:] = False
    elif measure.kernel == "one-to-one":
        single, probability = single_matches(pieces, measure)
        means = probability[single].tolist()
    for piece, p in zip(np.flatnonzero(single).tolist(), means, strict=True):
        p = round(p) if min(p, 1 - p) < _CERTAIN else p
        results[piece] = np.array([1 - p, p]) if p else np.ones(1)
    others = np.flatnonzero(~single)
    made = both_walk(pieces.some(others), measure, budget, moments)
    for piece, distribution in zip(others.tolist(), made, strict=True):
        results[piece] = distribution
    return results


def _most(pieces: Pieces, measure: Match) -> Ints:
    """Return an upper bound of the match of each piece."""
    sides = (pieces.a, pieces.b)
    partner = (
        np.concatenate([side.piece for side in sides]),
        np.concatenate([side.label for side in sides]),
        np.concatenate([side.length * (measure.kernel == "equal") for side in sides]),
    )
    _, kind, _ = distinct(*partner)
    kinds = np.split(kind, [len(pieces.a)])
    bounds = []
    for side, kinds_here, kinds_there in zip(sides, kinds, kinds[::-1], strict=True):
        size = (side.length if measure.in_tokens else 1) * np.isin(kinds_here, kinds_there)
        bounds.append(np.bincount(side.piece, size, len(pieces)))
    return np.minimum(*bounds).astype(np.int64)


def _means(pieces: Pieces, measure: Match) -> list[float]:
    """Return the mean match of each piece; segments of one side and piece exclude each other."""
    sides = (pieces.a, pieces.b)
    group = np.concatenate([sides[0].piece, sides[1].piece + len(pieces)])
    length = np.concatenate([side.length for side in sides])
    profiles, profile = start_profiles(group, np.tile(pieces.tokens, 2), length)
    many = 1 + int(max(side.label.max(initial=0) for side in sides))
    everyone = np.ones(len(pieces), np.bool_)
    layers = [
        Layer(side.piece, side.start, side.start + side.length, side.label, everyone)
        for side in sides
    ]
    alike = np.split(profile, [len(sides[0])])
    cells = [side.piece * many + side.label for side in sides]
    both = Sides(
        (layers[0], layers[1]),
        (alike[0], alike[1]),
        (cells[0], cells[1]),
        len(pieces) * many,
        "nonoverlapping",
    )
    means, _ = UniformStarts(profiles).expected(both, measure)
    return means.reshape(len(pieces), many).sum(1).tolist()


def _shape(side: Side) -> tuple[tuple[int, ...], ...]:
    columns = (side.group.tolist(), side.length.tolist(), side.label.tolist())
    return tuple(sorted(zip(*columns, strict=True)))


def _enumerated(piece: Pieces, measure: Match, budget: float, moments: bool) -> Floats | None:
    n = int(piece.tokens[0])
    if min(least_costs(piece, piece.a)[0], least_costs(piece, piece.b)[0]) > budget:
        return None
    ways = [_number(side, n) for side in (piece.a, piece.b)]
    swapped = ways[1] < ways[0]
    fixed, random = (piece.b, piece.a) if swapped else (piece.a, piece.b)
    count = min(ways)
    if count * (n + 1) * (len(fixed) + len(random)) > budget:
        return None
    starts = np.array(list(_arrangements(fixed, n)), np.int64).reshape(count, len(fixed))
    if swapped:  # φ of the pair turned round
        measure = turned(measure)
    arranged = with_arranged(piece, swap=swapped, starts=starts)
    return mixture(fixed_walk(arranged, measure, budget, moments), moments)


def _groups(side: Side) -> list[Ints]:
    return [np.flatnonzero(side.group == group) for group in np.unique(side.group)]


def _number(side: Side, n: int) -> int:
    """Return how many arrangements a side has."""
    ways = 1
    for rows in _groups(side):
        kinds = Counter(zip(side.length[rows].tolist(), side.label[rows].tolist(), strict=True))
        slots = n - int((side.length[rows] - 1).sum())
        ways *= math.perm(slots, len(rows))
        for count in kinds.values():
            ways //= math.factorial(count)
    return ways


def _arrangements(side: Side, n: int) -> Iterator[list[int]]:
    """Yield the starts of a side's segments in every arrangement."""
    parts = _groups(side)
    order = np.argsort(np.concatenate(parts)).tolist()
    ways = [
        list(_placed(list(zip(side.length[r].tolist(), side.label[r].tolist(), strict=True)), n))
        for r in parts
    ]
    for chosen in itertools.product(*ways):
        flat = [start for part in chosen for start in part]
        yield [flat[i] for i in order]


def _placed(segments: list[tuple[int, int]], n: int) -> Iterator[list[int]]:
    """Yield the starts of segments that exclude each other; equal ones are not told apart.

    The segments in some order and the free tokens between them are so many slots, of which each
    segment takes one; it starts as much later as the segments before it are longer than a slot.

    Args:
        segments: length and label of each.
        n: tokens of the document.
    """
    slots = n - sum(length - 1 for length, _ in segments)
    for order in _orders(segments):
        longer = [0, *itertools.accumulate(segments[i][0] - 1 for i in order)]
        starts = [0] * len(segments)
        for chosen in itertools.combinations(range(slots), len(segments)):
            for i, slot, shift in zip(order, chosen, longer, strict=False):
                starts[i] = slot + shift
            yield list(starts)


def _orders(segments: list[tuple[int, int]]) -> list[list[int]]:
    """Return the orders of segments, by number; equal ones are not told apart."""
    orders: list[list[int]] = [[]]
    for _ in segments:
        orders = [
            [*order, i]
            for order in orders
            for i in {segment: i for i, segment in enumerate(segments) if i not in order}.values()
        ]
    return orders
