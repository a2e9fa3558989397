"""Sums over start distributions: of products, of what covers tokens, and of any φ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, expand_ranges, group_indices, unique, unique_rows
from spanagree.chance.start_distributions import Profiles
from spanagree.comparisons.measures import Phi
from spanagree.limits import check_cost

_CHUNK = 1 << 20  # elements of one temporary array


_FOURIER = 256  # tokens of a document in which sums may be made by Fourier transforms
_FOURIER_TERMS = 1  # and how many for each of them are more work than that


_TOGETHER = 16  # portions of pairs whose transforms are kept together


_PASSING = 64  # numbers that are only added up, for the cost of one that is kept


def inner(f: Profiles, i: Ints, g: Profiles, j: Ints) -> Floats:
    """Return Σ_x f_i(x) g_j(x) for each pair of profiles of one size: two edges and the middle."""
    width = np.maximum(f.width[i], g.width[j])
    total = np.empty(len(i))
    for rows, x in _by_width(width):
        inside = x < width[rows, None]
        edge = f.at(i[rows, None], x) * g.at(j[rows, None], x) * inside
        total[rows] = 2 * edge.sum(1)
    middle = f.size[i] - 2 * width
    return total + middle * f.plateau[i] * g.plateau[j]


def cover(profiles: Profiles, profile: Ints, a: Ints) -> tuple[Profiles, Ints]:
    """Return the probability that a random segment covers each token, from its start distribution.

    A token t is covered by the starts from t − a + 1 to t. The result has a profile for each
    distinct pair of start distribution and length, and says which one belongs to each.
    """
    (profile, a), which, _ = unique_rows(profile, a)
    size = profiles.size[profile] + a - 1
    width = np.minimum(profiles.width[profile] + a - 1, size // 2)
    check_cost(
        4 * int(width.max(initial=0)), f"the chance of segments of up to {a.max(initial=0)} tokens"
    )
    edges: list[Floats] = [np.empty(0)] * len(a)
    for rows, x in _by_width(width + 1):
        started = np.cumsum(profiles.at(profile[rows, None], x), axis=1)
        before = x - a[rows, None]
        ended = np.take_along_axis(started, np.maximum(before, 0), axis=1) * (before >= 0)
        for row, cover in zip(rows.tolist(), started - ended, strict=True):
            edges[row] = cover[: width[row] + 1]
    return Profiles.of(size, edges), which


def covered_together(profiles: Profiles, sides: Sequence[tuple[Any, ...]], cells: int) -> Floats:
    """Return the expected number of tokens that are covered on both sides, for each cell.

    Each side has the cell, length, profile and number of its segments, sorted by cell.
    """
    total = np.zeros(cells)
    covers = [cover(profiles, profile, length) for _, length, profile, _ in sides]
    width, size, work = (np.zeros(cells, np.int64) for _ in range(3))
    for (covering, row), (cell, *_) in zip(covers, sides, strict=True):
        np.maximum.at(width, cell, covering.width[row])
        size[cell] = covering.size[row]
        work += np.bincount(cell, minlength=cells)
    done = np.cumsum(work * (width + 1))
    borders = np.searchsorted(done, np.arange(0, int(done[-1]) if cells else 0, _CHUNK)) + 1
    for low, high in pairwise(sorted({0, *borders.tolist(), cells})):
        wide = width[low:high]
        first = np.cumsum(wide + 1) - wide - 1
        shared = np.full(int(wide.sum()) + high - low, 2.0)  # an edge stands at both ends
        shared[first + wide] = size[low:high] - 2 * wide
        for (covering, row), (cell, _, _, number) in zip(covers, sides, strict=True):
            here = slice(*np.searchsorted(cell, (low, high)).tolist())
            x, kind = expand_ranges(0 * cell[here], wide[cell[here] - low] + 1)
            value = number[here][kind] * covering.at(row[here][kind], x)
            shared *= np.bincount(first[cell[here] - low][kind] + x, value, len(shared))
        total[low:high] = np.add.reduceat(shared, first)
    return total


def correlated(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Return Σ_x P_A(x) Σ_δ φ(δ, a, b) P_B(x + δ), for any φ that is 0 without an overlap.

    Where the sums over x are long, they are made for all δ at once, by Fourier transforms.
    """
    total = np.empty(len(a))
    n = profiles.size[profile_a] + a - 1
    edge = np.maximum(profiles.width[profile_a], profiles.width[profile_b] + b - 1)
    terms = (np.minimum(edge, profiles.size[profile_a] // 2) + 1) * (a + b)
    far = (n > _FOURIER) & (terms > _FOURIER_TERMS * n)  # of the pair alone, whatever is beside it
    for rows, sums in ((far, _correlated_by_fourier), (~far, _correlated_near)):
        pairs = profile_a[rows], a[rows], profile_b[rows], b[rows]
        total[rows] = sums(profiles, *pairs, phi)
    return total


def _correlated_by_fourier(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Return the same as an inner product of P_A, P_B and φ in Fourier space.

    Each of them is symmetric about a point of its own: turned about it, its transform is real, and
    the three turns cancel. Tokens between the edges all add the same, so most of them are left out
    of the transforms and added afterwards.
    """
    total = np.empty(len(a))
    if not len(a):
        return total
    n = profiles.size[profile_a] + a - 1
    edge = np.maximum(profiles.width[profile_a], profiles.width[profile_b] + b - 1)
    least = np.minimum(n, 2 * edge + a + 1)
    power = 1 << np.frexp(least - 1)[1].astype(np.int64)
    size = np.where(least <= power // 4 * 3, power // 4 * 3, power)  # few, so that kernels recur
    check_cost(
        4 * int(size.max()), f"the chance of segments of up to {max(a.max(), b.max())} tokens"
    )
    for S in unique(size).tolist():
        rows = np.flatnonzero(size == S)
        step = max(1, _CHUNK // S)
        for some in np.array_split(rows, range(_TOGETHER * step, len(rows), _TOGETHER * step)):
            near = np.minimum(n[some], S)
            sides = np.concatenate((profile_a[some], profile_b[some]))
            (profile, length, tokens), which, _ = unique_rows(
                sides, np.concatenate((a[some], b[some])), np.concatenate((near, near))
            )
            shorter = replace(
                profiles,
                size=tokens - length + 1,
                width=profiles.width[profile],
                offset=profiles.offset[profile],
            )
            starts = _turned(
                shorter.at(np.arange(len(profile))[:, None], np.arange(S)), tokens - length
            )
            (kind_a, kind_b), kind, _ = unique_rows(a[some], b[some])
            kernels, mass = _kernels(kind_a, kind_b, S, phi)
            i, j = which.reshape(2, -1)
            between = (n[some] - near) * profiles.plateau[profile_a[some]]
            total[some] = between * profiles.plateau[profile_b[some]] * mass[kind]
            for at in range(0, len(some), step):
                here = slice(at, at + step)
                product = starts[i[here]] * starts[j[here]] * kernels[kind[here]]
                total[some[here]] += np.maximum(product.sum(1), 0)
    return total


def _turned(functions: Floats, twice: Ints) -> Floats:
    """Return the transforms of symmetric functions, each about half of a whole number."""
    from scipy.fft import rfft  # lazy: only long documents need it

    S = functions.shape[1]
    turns = np.exp(1j * np.pi / S * np.arange(2 * S))
    turned: Floats = (
        rfft(functions) * turns[twice[:, None] * np.arange(S // 2 + 1) % (2 * S)]
    ).real
    return turned


def _kernels(a: Ints, b: Ints, S: int, phi: Phi) -> tuple[Floats, Floats]:
    """Return φ of each pair of lengths in Fourier space, with Parseval's weights, and its sum."""
    offset, pair = expand_ranges(1 - b, a)
    placed = np.zeros((len(a), S))
    placed[pair, offset % S] = phi(offset, a[pair], b[pair])
    weight = np.full(S // 2 + 1, 2 / S)
    weight[0] = 1 / S
    if S % 2 == 0:
        weight[-1] = 1 / S
    kernels: Floats = _turned(placed, a - b) * weight
    return kernels, placed.sum(1)


def _correlated_near(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Return the same, summed as it stands: over the edges, and once for what lies between."""
    total = np.empty(len(a))
    lengths, which, counts = unique_rows(a, b)
    for length_a, length_b, rows in zip(
        *(x.tolist() for x in lengths), group_indices(which, len(counts)), strict=True
    ):
        A, B = profile_a[rows], profile_b[rows]
        # further in than this both factors are constant
        width = np.maximum(profiles.width[A], profiles.width[B] + length_b - 1)
        width = np.minimum(width, profiles.size[A] // 2)
        purpose = f"the chance of segments of {length_a} and {length_b} tokens"
        wide, near_by = float(width.max()), length_a + length_b
        check_cost(4 * (wide + near_by) + wide * near_by / _PASSING, purpose)
        offsets = np.arange(1 - length_b, length_a)
        weights = phi(offsets, np.array(length_a), np.array(length_b))
        weights = (weights + weights[::-1]) / 2  # P_A and P_B are their own mirror images
        for chunk, x in _by_width(width + 1, len(offsets)):
            reached = np.arange(1 - length_b, x[-1] + length_a)
            near = profiles.at(B[chunk, None], reached)
            windows = np.lib.stride_tricks.sliding_window_view(near, len(offsets), axis=1)
            value = profiles.at(A[chunk, None], x) * (windows @ weights)
            last = width[chunk]
            edge = np.where(x < last[:, None], value, 0.0).sum(1)
            middle = profiles.size[A[chunk]] - 2 * last
            total[rows[chunk]] = 2 * edge + middle * value[np.arange(len(chunk)), last]
    return total


def _by_width(width: Ints, times: int = 1) -> list[tuple[Ints, Ints]]:
    """Return rows in portions, each with the places from 0 up to a power of two, their width."""
    doubled = np.frexp(np.maximum(width - 1, 0))[1]  # of the row alone, whatever is beside it
    portions: list[tuple[Ints, Ints]] = []
    for power, alike in enumerate(group_indices(doubled, int(doubled.max(initial=-1)) + 1)):
        step = max(1, _CHUNK // (times << power))
        x = np.arange(1 << power)
        portions += [(alike[at : at + step], x) for at in range(0, len(alike), step)]
    return portions
