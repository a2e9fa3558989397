"""One-to-one matches within a tolerance: how many there are, and how many are expected.

The expected number is exact (:mod:`spanagree.chance.near_matches`), or where that is too much work
the mean over draws of both annotations. Beside that stands the expected count of all pairs that are
near, which is exact, and an upper bound.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, join_unsorted
from spanagree.chance.model import seed_of
from spanagree.chance.near_matches import Lengths, both_random, count_lengths
from spanagree.chance.random_annotations import draw_starts
from spanagree.chance.start_distributions import start_distribution
from spanagree.comparisons.inexact import Inexact, digest_of, generator_of, mean_of
from spanagree.comparisons.measures import Match
from spanagree.comparisons.starts import Sides
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError

BUDGET = 3_000_000
"""How many numbers may be computed for the mean of one document and label."""

DRAWS = 1000
"""Draws of both annotations, where that is not enough."""


def near_pairs(a: tuple[Ints, Ints, Ints], b: tuple[Ints, Ints, Ints], t: int) -> tuple[Ints, Ints]:
    """Return the pairs of a greatest one-to-one matching of segments that are near, by number.

    Segments of one side and cell share no tokens. All cells are read at once, from the left.

    Args:
        a, b: cell, start and end of each segment of either side.
        t: by how many tokens starts may differ, and ends.

    >>> zero, at = np.zeros(2, int), np.array([0, 5])
    >>> [x.tolist() for x in near_pairs((zero, at, at + 2), (zero, at + 1, at + 3), 1)]
    [[0, 1], [0, 1]]
    """
    # in words several may begin alike
    orders = [np.lexsort((end, start, cell)) for cell, start, end in (a, b)]
    (cell_a, start_a, end_a), (cell_b, start_b, end_b) = (
        [column[order] for column in side] for side, order in zip((a, b), orders, strict=True)
    )
    cells = np.intersect1d(cell_a, cell_b)
    i, last_i = np.searchsorted(cell_a, cells), np.searchsorted(cell_a, cells, "right")
    j, last_j = np.searchsorted(cell_b, cells), np.searchsorted(cell_b, cells, "right")
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    while len(i):
        start, end = start_a[i] - start_b[j], end_a[i] - end_b[j]
        near = (np.abs(start) <= t) & (np.abs(end) <= t)
        firsts.append(i[near])
        seconds.append(j[near])
        i = i + (near | (np.minimum(start, end) < -t))
        j = j + (near | (np.maximum(start, end) > t))
        left = (i < last_i) & (j < last_j)
        i, last_i, j, last_j = (x[left] for x in (i, last_i, j, last_j))
    return orders[0][np.concatenate(firsts)], orders[1][np.concatenate(seconds)]


def expected_near(sides: Sides, tokens: Ints, measure: Match) -> tuple[Floats, Inexact]:
    """Return the expected number of pairs of each cell, and those that are drawn.

    ``tokens`` are those of each document. In the chance model, the segments of an annotator exclude
    each other.
    """
    layers, cells = sides.layers, sides.cells
    values, drawn = np.zeros(sides.count), Inexact()
    known: dict[bytes, tuple[float, float, float]] = {}
    both = np.intersect1d(*cells)
    document = np.zeros(sides.count, np.int64)
    document[cells[0]] = layers[0].document
    kinds = [
        _lengths(layer, cell, both, document[both], sides.chance)
        for layer, cell in zip(layers, cells, strict=True)
    ]
    for cell, a, b in zip(both.tolist(), *kinds, strict=True):
        n = int(tokens[document[cell]])
        p = both_random(n, a, b, measure.within, BUDGET)
        if p is None:
            what = digest_of((n, a, b))
            if what not in known:
                rng = generator_of(what, seed_of(sides.chance))
                try:
                    bound = expected_pairs(n, a, b, measure.within)
                except SettingError:  # too many numbers; each segment is in one pair at most
                    bound = min(sum(x.number for x in side if x.matches) for side in (a, b))
                known[what] = *drawn_near(n, a, b, measure.within, rng), bound
            values[cell], error, bound = known[what]
            drawn.add(what, error, bound - values[cell])
        else:
            values[cell] = p @ np.arange(len(p))
    return values, drawn


def _lengths(
    layer: Layer, cell: Ints, both: Ints, document: Ints, chance: str
) -> list[tuple[Lengths, ...]]:
    """Return the kinds of an annotation's segments, for each cell."""
    key, wanted = (layer.document, document) if chance == "nonoverlapping" else (cell, both)
    number, row = join_unsorted(wanted, key)
    length, matches = (layer.end - layer.start)[row], cell[row] == both[number]
    return count_lengths(length, matches, number, len(both))


def expected_pairs(n: int, a: tuple[Lengths, ...], b: tuple[Lengths, ...], t: int) -> float:
    """Return the expected number of pairs that are near, where a segment may be in several.

    Args:
        n: the tokens of the document.
        a, b: the segments of either; those of one annotation exclude each other.
        t: by how many tokens the borders may differ.

    >>> one = (Lengths(1, True, 1),)
    >>> round(9 * expected_pairs(3, one, one, 1))  # of nine pairs of places
    7
    """
    starts = [
        dict(zip(sizes, start_distribution(n, sizes), strict=True))
        for side in (a, b)
        for sizes in [[x.length for x in side for _ in range(x.number)]]
    ]
    total = 0.0
    for x in (x for x in a if x.matches):
        at = np.arange(n - x.length + 1)
        for y in (y for y in b if y.matches):
            until = np.concatenate(([0.0], np.cumsum(starts[1][y.length])))
            low, high = max(-t, x.length - y.length - t), min(t, x.length - y.length + t)
            first, last = (np.clip(at + d, 0, len(until) - 1) for d in (low, high + 1))
            near = np.maximum(until[last] - until[first], 0)  # lengths may differ by over 2t
            total += x.number * y.number * float(starts[0][x.length] @ near)
    return total


def drawn_near(
    n: int, a: tuple[Lengths, ...], b: tuple[Lengths, ...], t: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mean number of pairs over draws of both annotations, and its standard error."""
    sides = []
    for side in (a, b):
        size = np.repeat([x.length for x in side], [x.number for x in side])
        mine = np.repeat([x.matches for x in side], [x.number for x in side])
        start = draw_starts(n, size.tolist(), DRAWS, rng)[:, mine]
        draw = np.repeat(np.arange(DRAWS), start.shape[1])
        flat = start.ravel()
        sides.append((draw, flat, flat + np.tile(size[mine], DRAWS)))
    first, _ = near_pairs(sides[0], sides[1], t)
    pairs = np.bincount(sides[0][0][first], minlength=DRAWS)
    return mean_of(pairs)
