"""The disagreement of α_U under our own chance model, exact.

Each annotator's units keep their number and lengths, and each category is a layer of its own. So
the disagreement that chance gives two annotators is the sum over pairs of units of what overlapping
units differ by, at all their places, and over units of their length squared times the probability
that the other has nothing there. That is a start distribution too: as many arrangements leave
x … x + a − 1 free as have one more unit of length a start at x.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, join
from spanagree.chance.start_distributions import Profiles, profiles_of_one_more, start_profiles
from spanagree.comparisons.profile_sums import correlated, inner
from spanagree.units.continuum import Continua

CHANCES = {
    "per-label": "no two units of one annotator and label share a token",
    "overlapping": "every unit by itself, anywhere",
}
"""The chance models under which the disagreement of α_U is known, by name."""


def expected_placed(units: Continua, chance: str) -> Floats:
    """Return L²·D_e of each cell under a chance model."""
    free = chance == "overlapping"
    size = units.end - units.start
    holders = np.cumsum(np.concatenate(([0], units.last[:-1].astype(np.int64))))
    holders = holders[: len(size)]  # of each unit the number of its annotator and cell
    cell_of = units.cell[units.last]
    tokens = units.lengths[units.document][cell_of]
    profiles, profile = start_profiles(holders, tokens, size, free=free)
    (holder, length, shape), _, times = distinct(holders, size, profile)
    cell = cell_of[holder]
    i, j = join(cell, cell)
    later = holder[j] > holder[i]
    i, j = i[later], j[later]
    met = _differences(profiles, length[i], length[j], shape[i], shape[j]) * times[i] * times[j]
    cells = len(units.document)
    total = np.bincount(cell[i], met, cells).astype(np.float64)
    # units within a gap: of annotators who have units in the cell, and of those who have none
    k, other = join(cell, cell_of)
    k, other = k[holder[k] != other], other[holder[k] != other]
    kinds, kind = _shapes(holders, size, tokens)
    clear = _void(profiles, shape[k], length[k], kind[other], kinds, free)
    squares = length.astype(np.float64) ** 2 * times
    total += np.bincount(cell[k], squares[k] * clear, cells)
    seen = units.seen[units.document]
    without = seen - np.bincount(cell_of, minlength=cells)
    total += np.bincount(cell, squares, cells) * without
    return np.asarray(2 * total / (seen * (seen - 1)), np.float64)


def _differences(profiles: Profiles, a: Ints, b: Ints, A: Ints, B: Ints) -> Floats:
    """Return the mean of what two random units differ by if they overlap, for each pair."""
    (length_a, length_b, profile_a, profile_b), which, _ = distinct(a, b, A, B)
    total = correlated(profiles, profile_a, length_a, profile_b, length_b, _squares)
    return total[which]


def _squares(offset: Ints, a: Ints, b: Ints) -> Floats:
    """Return what two units that overlap differ by: at their starts and ends, squared."""
    return (offset**2 + (offset + b - a) ** 2).astype(np.float64)


Shape = tuple[int, tuple[int, ...]]
"""A document's length, and the lengths of the units of an annotator and label in it."""


def _shapes(holders: Ints, size: Ints, tokens: Ints) -> tuple[list[Shape], Ints]:
    """Return the distinct shapes, and which of them each annotator and cell has."""
    order = np.lexsort((size, holders))
    ends = np.cumsum(np.bincount(holders, minlength=len(tokens)))
    parts = np.split(size[order], ends[:-1]) if len(ends) else []
    shapes = [(int(n), tuple(x.tolist())) for n, x in zip(tokens, parts, strict=True)]
    number = {shape: i for i, shape in enumerate(sorted(set(shapes)))}
    return list(number), np.array([number[shape] for shape in shapes], np.int64)


def _void(
    profiles: Profiles, A: Ints, a: Ints, other: Ints, shapes: list[Shape], free: bool
) -> Floats:
    """Return the probability that a random unit meets no unit of a random annotation, for each."""
    rows, which, _ = distinct(A, a, other)
    (length, shape), kind, _ = distinct(rows[1], rows[2])
    keys = list(zip(length.tolist(), (shapes[s] for s in shape.tolist()), strict=True))
    if free:
        alone = np.array([_void_free(n, sizes, size) for size, (n, sizes) in keys])
        return alone[kind][which]
    fits = np.array([size + sum(sizes) <= n for size, (n, sizes) in keys], np.bool_)
    fitting = [key for key, fit in zip(keys, fits.tolist(), strict=True) if fit]
    added, profile = profiles_of_one_more(
        np.array([n for _, (n, _) in fitting], np.int64),
        [sizes for _, (_, sizes) in fitting],
        np.array([size for size, _ in fitting], np.int64),
    )
    ratio = np.array([_more(n, sizes, size) for size, (n, sizes) in fitting])
    number = np.cumsum(fits) - 1
    total = np.zeros(len(rows[0]))
    can = np.flatnonzero(fits[kind])
    of_fitting = number[kind[can]]
    total[can] = ratio[of_fitting] * inner(profiles, rows[0][can], added, profile[of_fitting])
    return total[which]


def _more(n: int, sizes: tuple[int, ...], added: int) -> float:
    """Return how many arrangements there are with one more unit, per arrangement without it."""
    slots = n - sum(sizes) + len(sizes)
    used = np.arange(len(sizes))
    return float((slots - added + 1) * np.prod(1 - added / (slots - used)))


def _void_free(n: int, sizes: tuple[int, ...], added: int) -> float:
    """Return the same for units that may overlap: each misses the unit by itself."""
    x = np.arange(n - added + 1)
    clear = np.ones(len(x))
    for size in sizes:
        hits = np.minimum(x + added - 1, n - size) - np.maximum(x - size + 1, 0) + 1
        clear *= 1 - hits / (n - size + 1)
    return float(clear.mean())
