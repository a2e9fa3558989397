"""The match of two random annotations, on the shortest way to its distribution.

A match of at most one is there with the probability of its mean, and that is known without a walk
(:mod:`spanagree.comparisons.uniform_starts`). Where segments of one annotation exclude each other,
both are walked at once. Where they need not, two pairs of segments may share one, and nothing can
be taken apart: so every arrangement of one side is written out, and the other one is walked against
each.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.chance.enumeration import Enumeration
from spanagree.chance.model import ChanceModel
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.start_distributions import start_profiles
from spanagree.chance.walk import SegmentKind, uniform_ends
from spanagree.comparisons.chance_distribution.fixed_walk import fixed_walk
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    least_costs,
    with_arranged,
    without_gaps_between,
)
from spanagree.comparisons.chance_distribution.single import single_matches
from spanagree.comparisons.chance_distribution.walk_both import both_walk
from spanagree.comparisons.measures import Measure, turned
from spanagree.comparisons.starts import LayerPair
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError

_CERTAIN = 1e-13  # sums of floats give 1 − 1e-16 for what is certain


def both_random(
    pieces: DocumentParts,
    measure: Measure,
    chance: str,
    budget: float,
    moments: bool,
    kinds: PlaceKinds | None = None,
) -> list[Floats | None]:
    """Compute the distribution of the match in each piece, with A and B random.

    Args, result: as of :func:`spanagree.comparisons.chance_distribution.walk_both.both_walk`, and
    ``chance``, the name of the chance model.
    """
    if chance == "nonoverlapping" or (chance == "per-label" and measure.of_label):
        if kinds is not None:
            return both_walk(pieces, measure, budget, moments, kinds=kinds)
        return _walked(pieces, measure, budget, moments)
    if kinds is not None and len(pieces):
        pieces, kinds = without_gaps_between(pieces, kinds)
    results: list[Floats | None] = []
    known: dict[tuple[object, ...], Floats | None] = {}
    for piece in range(len(pieces)):
        single_piece = pieces.some(np.array([piece]))
        key = (
            int(single_piece.tokens[0]),
            *(_shape(side) for side in (single_piece.a, single_piece.b)),
        )
        if key not in known:
            known[key] = _enumerated(single_piece, measure, budget, moments, kinds)
        results.append(known[key])
    return results


def _walked(
    pieces: DocumentParts, measure: Measure, budget: float, moments: bool
) -> list[Floats | None]:
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
    elif measure.kernel == "one-to-one" and measure.is_whole:
        single, probability = single_matches(pieces, measure)
        means = probability[single].tolist()
    for piece, p in zip(np.flatnonzero(single).tolist(), means, strict=True):
        p = round(p) if min(p, 1 - p) < _CERTAIN else p
        distribution = np.array([1 - p, p]) if p else np.ones(1)
        results[piece] = np.array([p, p * (1 - p)]) if moments else distribution
    others = np.flatnonzero(~single)
    made = both_walk(pieces.some(others), measure, budget, moments)
    for piece, values in zip(others.tolist(), made, strict=True):
        results[piece] = values
    return results


def _most(pieces: DocumentParts, measure: Measure) -> Ints:
    """Return an upper bound of the match of each piece."""
    sides = (pieces.a, pieces.b)
    partner = (
        np.concatenate([side.piece for side in sides]),
        np.concatenate([side.label for side in sides]),
        np.concatenate([side.length * (measure.kernel == "equal") for side in sides]),
    )
    _, kind, _ = unique_rows(*partner)
    kinds = np.split(kind, [len(pieces.a)])
    bounds = []
    for side, kinds_here, kinds_there in zip(sides, kinds, kinds[::-1], strict=True):
        size = (side.length if measure.in_tokens else 1) * np.isin(kinds_here, kinds_there)
        bounds.append(np.bincount(side.piece, size, len(pieces)))
    return np.minimum(*bounds).astype(np.int64)


def _means(pieces: DocumentParts, measure: Measure) -> list[float]:
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
    both = LayerPair(
        (layers[0], layers[1]),
        (alike[0], alike[1]),
        (cells[0], cells[1]),
        len(pieces) * many,
        ChanceModel("nonoverlapping"),
    )
    means, _ = UniformStarts(profiles).expected(both, measure)
    return means.reshape(len(pieces), many).sum(1).tolist()


def _enumerated(
    piece: DocumentParts, measure: Measure, budget: float, moments: bool, kinds: PlaceKinds | None
) -> Floats | None:
    """Compute the same of one piece: B against every arrangement of A, or A against those of B."""
    n = int(piece.tokens[0])
    sides = [piece.a, piece.b]
    most = budget / ((n + 1) * (len(piece.a) + len(piece.b)))
    groups = [
        _groups(side, n, kinds, most) if least_costs(piece, side)[0] <= budget else None
        for side in sides
    ]
    ways = [math.inf if x is None else math.prod(every.count for _, every in x) for x in groups]
    swap = ways[1] < ways[0]
    chosen = groups[swap]
    if chosen is None:
        return None
    of_groups = [np.array([*every], np.int64) for _, every in chosen]
    places = np.zeros((int(min(ways)), len(sides[swap]), 2), np.int64)
    product = np.indices([len(x) for x in of_groups]).reshape(len(of_groups), -1)
    for (rows, _), of_group, row in zip(chosen, of_groups, product, strict=True):
        places[:, rows] = of_group[row]
    if swap:  # φ of the pair turned round
        measure = turned(measure)
    starts, ends = np.moveaxis(places, 2, 0)
    arranged = with_arranged(piece, swap=swap, starts=starts, lengths=ends - starts)
    return _mixture(fixed_walk(arranged, measure, budget, moments, kinds), moments)


def _shape(side: AnnotatorSegments) -> tuple[tuple[int, ...], ...]:
    columns = side.group.tolist(), side.length.tolist(), side.label.tolist(), side.kind.tolist()
    return tuple(sorted(zip(*columns, strict=True)))


def _groups(
    side: AnnotatorSegments, n: int, kinds: PlaceKinds | None, most: float
) -> list[tuple[Ints, Enumeration]] | None:
    """List the rows of each group of segments, by kind, and all their arrangements.

    Returns:
        The groups; ``None`` if there are more arrangements than ``most``.
    """
    groups = []
    for group in np.unique(side.group):
        rows = np.flatnonzero(side.group == group)
        place = (side.length if kinds is None else side.kind)[rows]
        rows = rows[np.lexsort((side.label[rows], place))]
        keys = zip(sorted(place.tolist()), side.label[rows].tolist(), strict=True)
        counts = sorted(Counter(keys).items())
        alike = [
            SegmentKind(label, count, uniform_ends(n, x) if kinds is None else kinds.ends(x))
            for (x, label), count in counts
        ]
        every = Enumeration(alike, most)
        if every.count > most:
            return None
        groups.append((rows, every))
        most /= max(every.count, 1)
    return groups


def _mixture(ways: Sequence[Floats | None], moments: bool) -> Floats | None:
    """Return the distribution over ways that are equally likely, or its mean and variance.

    Args:
        ways: the distribution of each, or its mean and variance; ``None`` if it is not known.
        moments: whether means and variances are given, and returned.
    """
    known = [way for way in ways if way is not None]
    if len(known) < len(ways):
        return None
    if moments:
        mean, spread = np.stack(known).T
        mean_of_all = mean.mean()
        return np.array([mean_of_all, spread.mean() + ((mean - mean_of_all) ** 2).mean()])
    total = np.zeros(max(map(len, known)))
    for way in known:
        total[: len(way)] += way
    return total / len(known)
