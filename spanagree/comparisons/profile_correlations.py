"""Covers and correlations of start distributions P of random segments.

- covers, c(t) = Σ P(s) over the starts s from t − a + 1 to t, and their products Σ_t c_A(t) c_B(t),
- correlations, Σ_x P_A(x) Σ_δ φ(δ, a, b) P_B(x + δ), for any φ that is 0 without an overlap.

A profile is symmetric, and constant between its edges, so sums run over one edge and the middle
(:mod:`.profile_sums`). Arguments are arrays with one entry for each pair, and so are the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, expand_ranges, group_indices, unique, unique_rows
from spanagree.chance.start_distributions import Profiles
from spanagree.comparisons.measures import Phi
from spanagree.comparisons.profile_sums import CHUNK, batch_by_width
from spanagree.limits import check_cost

_FOURIER = 256  # least number of tokens of a document for Fourier transforms
_FOURIER_TERMS = 1  # number of terms per token that take longer than a transform
_TOGETHER = 16  # number of chunks of pairs with transforms in memory
_PASSING = 64  # numbers that are only added, at the cost of one that is stored


def compute_cover(profiles: Profiles, profile: Ints, a: Ints) -> tuple[Profiles, Ints]:
    """Compute the cover c(t) of a random segment from its start distribution.

    Args:
        profiles: start distributions.
        profile: start distribution of each segment.
        a: length of each segment.

    Returns:
        A profile of covers for each distinct pair of start distribution and length, and the index
        of the cover of each segment.
    """
    (profile, a), inverse, _ = unique_rows(profile, a)
    size = profiles.size[profile] + a - 1
    width = np.minimum(profiles.width[profile] + a - 1, size // 2)
    check_cost(
        4 * int(width.max(initial=0)), f"the chance of segments of up to {a.max(initial=0)} tokens"
    )
    edges: list[Floats] = [np.empty(0)] * len(a)
    for rows, x in batch_by_width(width + 1):
        started = np.cumsum(profiles.look_up(profile[rows, None], x), axis=1)
        before_start = x - a[rows, None]
        ended = np.take_along_axis(started, np.maximum(before_start, 0), axis=1) * (
            before_start >= 0
        )
        for row, cover in zip(rows.tolist(), started - ended, strict=True):
            edges[row] = cover[: width[row] + 1]
    return Profiles.from_edges(size, edges), inverse


def compute_joint_cover(
    profiles: Profiles, segments_of_both: Sequence[tuple[Any, ...]], cells: int
) -> Floats:
    """Compute Σ_t c_A(t) c_B(t), the expected number of tokens that both annotators cover.

    There is a value for each cell, a document and label.

    Args:
        profiles: start distributions.
        segments_of_both: cell, length, profile and number of the segments of each annotator,
            sorted by cell.
        cells: number of cells.
    """
    total = np.zeros(cells)
    covers = [
        compute_cover(profiles, profile, length) for _, length, profile, _ in segments_of_both
    ]
    width, size, n_covers = (np.zeros(cells, np.int64) for _ in range(3))
    for (cover_profiles, row), (cell, *_) in zip(covers, segments_of_both, strict=True):
        np.maximum.at(width, cell, cover_profiles.width[row])
        size[cell] = cover_profiles.size[row]
        n_covers += np.bincount(cell, minlength=cells)
    cumulative_work = np.cumsum(n_covers * (width + 1))
    borders = (
        np.searchsorted(
            cumulative_work, np.arange(0, int(cumulative_work[-1]) if cells else 0, CHUNK)
        )
        + 1
    )
    for low, high in pairwise(sorted({0, *borders.tolist(), cells})):
        widths = width[low:high]
        first = np.cumsum(widths + 1) - widths - 1
        shared = np.full(int(widths.sum()) + high - low, 2.0)  # there are two edges
        shared[first + widths] = size[low:high] - 2 * widths
        for (cover_profiles, row), (cell, _, _, count) in zip(
            covers, segments_of_both, strict=True
        ):
            rows = slice(*np.searchsorted(cell, (low, high)).tolist())
            x, cover_index = expand_ranges(0 * cell[rows], widths[cell[rows] - low] + 1)
            value = count[rows][cover_index] * cover_profiles.look_up(row[rows][cover_index], x)
            shared *= np.bincount(first[cell[rows] - low][cover_index] + x, value, len(shared))
        total[low:high] = np.add.reduceat(shared, first)
    return total


def correlate_profiles(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Compute Σ_x P_A(x) Σ_δ φ(δ, a, b) P_B(x + δ) for pairs of random segments.

    φ is 0 for segments that do not overlap. Long sums over x are computed for all δ together, by
    Fourier transforms.

    Args:
        profiles: start distributions.
        profile_a, profile_b: start distribution of both segments of each pair.
        a, b: lengths of both segments of each pair.
        phi: similarity φ.
    """
    total = np.empty(len(a))
    n_tokens = profiles.size[profile_a] + a - 1
    edge = np.maximum(profiles.width[profile_a], profiles.width[profile_b] + b - 1)
    n_terms = (np.minimum(edge, profiles.size[profile_a] // 2) + 1) * (a + b)
    is_long = (n_tokens > _FOURIER) & (
        n_terms > _FOURIER_TERMS * n_tokens
    )  # independent of the other pairs
    for uses_method, correlate in (
        (is_long, _correlate_by_fourier),
        (~is_long, _correlate_directly),
    ):
        pairs = profile_a[uses_method], a[uses_method], profile_b[uses_method], b[uses_method]
        total[uses_method] = correlate(profiles, *pairs, phi)
    return total


def _correlate_by_fourier(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Compute the correlation Σ P_A(a) P_B(b) φ(b − a) as an inner product in Fourier space.

    The arguments are documented in :func:`correlate_profiles`. P_A, P_B and φ are each symmetric
    about a point, so their transforms are real after multiplication by a phase, and the product of
    the three phases is 1. All tokens between the edges contribute the same value; most of these
    tokens are left out of the transforms, and their values are added at the end.
    """
    total = np.empty(len(a))
    if not len(a):
        return total
    n_tokens = profiles.size[profile_a] + a - 1
    edge = np.maximum(profiles.width[profile_a], profiles.width[profile_b] + b - 1)
    least_size = np.minimum(n_tokens, 2 * edge + a + 1)
    power_of_two = 1 << np.frexp(least_size - 1)[1].astype(np.int64)
    # few sizes, so that kernels recur
    size = np.where(least_size <= power_of_two // 4 * 3, power_of_two // 4 * 3, power_of_two)
    check_cost(
        4 * int(size.max()), f"the chance of segments of up to {max(a.max(), b.max())} tokens"
    )
    for S in unique(size).tolist():
        rows = np.flatnonzero(size == S)
        step = max(1, CHUNK // S)
        for batch in np.array_split(rows, range(_TOGETHER * step, len(rows), _TOGETHER * step)):
            n_near = np.minimum(n_tokens[batch], S)
            profile_of_both = np.concatenate((profile_a[batch], profile_b[batch]))
            (profile, length, tokens), inverse, _ = unique_rows(
                profile_of_both,
                np.concatenate((a[batch], b[batch])),
                np.concatenate((n_near, n_near)),
            )
            shortened = replace(
                profiles,
                size=tokens - length + 1,
                width=profiles.width[profile],
                offset=profiles.offset[profile],
            )
            starts = _compute_real_transforms(
                shortened.look_up(np.arange(len(profile))[:, None], np.arange(S)), tokens - length
            )
            (distinct_a, distinct_b), pair_index, _ = unique_rows(a[batch], b[batch])
            kernels, phi_sum = _compute_kernels(distinct_a, distinct_b, S, phi)
            i, j = inverse.reshape(2, -1)
            n_between = (n_tokens[batch] - n_near) * profiles.plateau[profile_a[batch]]
            total[batch] = n_between * profiles.plateau[profile_b[batch]] * phi_sum[pair_index]
            for row in range(0, len(batch), step):
                chunk = slice(row, row + step)
                product = starts[i[chunk]] * starts[j[chunk]] * kernels[pair_index[chunk]]
                total[batch[chunk]] += np.maximum(product.sum(1), 0)
    return total


def _compute_real_transforms(functions: Floats, double_center: Ints) -> Floats:
    """Compute the transforms of symmetric functions, which are real after a phase shift.

    Args:
        functions: values of each function; (functions, S).
        double_center: twice the point that each function is symmetric about, an integer.
    """
    from scipy.fft import rfft  # lazy: only long documents need it

    S = functions.shape[1]
    rotations = np.exp(1j * np.pi / S * np.arange(2 * S))
    transforms: Floats = (
        rfft(functions) * rotations[double_center[:, None] * np.arange(S // 2 + 1) % (2 * S)]
    ).real
    return transforms


def _compute_kernels(a: Ints, b: Ints, S: int, phi: Phi) -> tuple[Floats, Floats]:
    """Compute φ of each pair of lengths in Fourier space, for inner products.

    Parseval's weights are included, so a sum of products is the inner product.

    Args:
        a, b: lengths of both segments of each pair.
        S: size of the transforms.
        phi: similarity φ.

    Returns:
        Kernels, (pairs, S // 2 + 1), and Σ_δ φ(δ) of each pair.
    """
    offset, pair = expand_ranges(1 - b, a)
    phi_by_offset = np.zeros((len(a), S))
    phi_by_offset[pair, offset % S] = phi(offset, a[pair], b[pair])
    weight = np.full(S // 2 + 1, 2 / S)
    weight[0] = 1 / S
    if S % 2 == 0:
        weight[-1] = 1 / S
    kernels: Floats = _compute_real_transforms(phi_by_offset, a - b) * weight
    return kernels, phi_by_offset.sum(1)


def _correlate_directly(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Compute the correlation as a sum over one edge, counted twice, and the constant middle.

    For arguments, see :func:`correlate_profiles`.
    """
    total = np.empty(len(a))
    distinct_lengths, pair_index, counts = unique_rows(a, b)
    for length_a, length_b, rows in zip(
        *(x.tolist() for x in distinct_lengths), group_indices(pair_index, len(counts)), strict=True
    ):
        A, B = profile_a[rows], profile_b[rows]
        # both factors are constant beyond this width
        width = np.maximum(profiles.width[A], profiles.width[B] + length_b - 1)
        width = np.minimum(width, profiles.size[A] // 2)
        purpose = f"the chance of segments of {length_a} and {length_b} tokens"
        max_width, n_offsets = float(width.max()), length_a + length_b
        check_cost(4 * (max_width + n_offsets) + max_width * n_offsets / _PASSING, purpose)
        offsets = np.arange(1 - length_b, length_a)
        weights = phi(offsets, np.array(length_a), np.array(length_b))
        weights = (weights + weights[::-1]) / 2  # P_A and P_B are their own mirror images
        for chunk, x in batch_by_width(width + 1, len(offsets)):
            positions = np.arange(1 - length_b, x[-1] + length_a)
            p_b = profiles.look_up(B[chunk, None], positions)
            windows = np.lib.stride_tricks.sliding_window_view(p_b, len(offsets), axis=1)
            value = profiles.look_up(A[chunk, None], x) * (windows @ weights)
            last_edge = width[chunk]
            edge = np.where(x < last_edge[:, None], value, 0.0).sum(1)
            n_middle = profiles.size[A[chunk]] - 2 * last_edge
            total[rows[chunk]] = 2 * edge + n_middle * value[np.arange(len(chunk)), last_edge]
    return total
