"""The exact mean gain of random pairs of units, a control variate for the expected disorder of γ.

Two units that are aligned with each other alone gain

    g = max(0, (C + 1) Δ_∅ − d) / C,

with C the number of pairs of annotators. The sum G of g over all pairs of units is additive, so
E G under chance follows from the start distributions of the units:

    E g = Σ_x P_A(x) Σ_δ g(δ) P_B(x + δ).

The known error of the mean of G over draws, mean G − E G, predicts much of the error of the mean
disorder. Arrays have one entry for each document, unit, or group of equal pairs of units.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, group_indices, join_sorted, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import UNITS, Profiles, is_long
from spanagree.comparisons.coarse_starts import CoarseStarts, extrapolate_values
from spanagree.comparisons.expected import compute_start_distributions
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import concatenate_segments
from spanagree.units.dissimilarity import Dissimilarity, UnitPairs, Units, count_pairs

_PLACES = 5_000_000  # largest number of distinct lengths times positions of a document
_CHUNK = 1 << 20  # number of elements of one temporary array


def sum_gains(
    units: Units, pairs: UnitPairs, annotators: Ints, dissimilarity: Dissimilarity
) -> Floats:
    """Compute G, the sum of the gains g of all pairs of units, in each document.

    Args:
        units: units of all documents.
        pairs: pairs of units that may be aligned.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
    """
    n_pairs = np.maximum(count_pairs(annotators), 1)
    document = units.document[pairs.u]
    gain = (n_pairs[document] + 1) * dissimilarity.delta_empty - pairs.value
    sums = np.bincount(document, np.maximum(gain, 0), len(annotators))
    return np.asarray(sums / n_pairs, np.float64)


def is_affordable(corpus: Corpus) -> bool:
    """Decide whether computing E G costs less than the draws that it saves.

    The cost of E G grows with the number of positions; that of draws with the number of units.
    """
    document, start, end, _, annotator = concatenate_segments(corpus.layers.values())
    (document, *_), _, _ = unique_rows(document, annotator, end - start)
    n_lengths = np.bincount(document, minlength=len(corpus))
    n_positions = np.minimum(corpus.lengths, UNITS) if is_long(corpus) else corpus.lengths
    return bool((n_lengths * n_positions <= _PLACES).all())


def compute_expected_gains(
    corpus: Corpus, chance: ChanceModel, annotators: Ints, dissimilarity: Dissimilarity
) -> Floats:
    """Compute E G, the mean of :func:`sum_gains` over random annotations, for each document."""
    starts, starts_by_annotator = compute_start_distributions(corpus, corpus.annotators, chance)
    columns = [
        (
            annotator_starts.layer.document,
            np.full(len(annotator_starts.layer), annotator_index),
            annotator_starts.layer.label,
            annotator_starts.layer.end - annotator_starts.layer.start,
            annotator_starts.profile,
        )
        for annotator_index, annotator_starts in enumerate(starts_by_annotator.values())
    ]
    no_rows = np.zeros(0, np.int64)
    columns_of_units = [np.concatenate([no_rows, *column]) for column in zip(*columns, strict=True)]
    if isinstance(starts, UniformStarts):
        return _sum_mean_gains(starts.profiles, columns_of_units, annotators, dissimilarity)
    assert isinstance(starts, CoarseStarts)  # as segments are one piece
    document, _, _, length, profile = columns_of_units
    sums_by_level = []
    for level in starts.levels:
        units = level.length[profile]
        columns_at_level = [*columns_of_units[:3], units, level.profile[profile]]
        # the gain of two units, summed over all offsets, is proportional to their lengths
        scale = length / (units * level.factor[profile])
        sums_by_level.append(
            _sum_mean_gains(level.profiles, columns_at_level, annotators, dissimilarity, scale)
        )
    unit_ratio = np.ones(len(annotators))
    unit_ratio[document] = 1 / starts.levels[0].factor[profile]
    return extrapolate_values(sums_by_level, unit_ratio)[0]


def _sum_mean_gains(
    profiles: Profiles,
    columns: Sequence[Ints],
    annotators: Ints,
    dissimilarity: Dissimilarity,
    scale: Floats | None = None,
) -> Floats:
    """Sum E g over all pairs of units of different annotators, in each document.

    Args:
        profiles: start distributions.
        columns: document, annotator, label, length and profile of each unit.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        scale: true length of each unit, divided by its length in `columns`. Default: 1.
    """
    (document, annotator, label, length, profile), row_index, n_units = unique_rows(*columns)
    length_ratio = np.ones(len(document))
    if scale is not None:
        length_ratio = np.bincount(row_index, scale, len(document)) / n_units
    i, j = join_sorted(document, document)
    is_later = annotator[j] > annotator[i]
    i, j = i[is_later], j[is_later]
    n_pairs = np.maximum(count_pairs(annotators), 1)[document[i]]
    distance_code, distances = _encode_values(dissimilarity.compute_categorical(label[i], label[j]))
    unit_pairs, row_index, _ = unique_rows(
        length[i], length[j], distance_code, n_pairs, profile[i], profile[j]
    )
    mean_gain = _compute_mean_gains(profiles, unit_pairs, distances, dissimilarity)[row_index]
    total_length = length[i] + length[j]
    mean_ratio = (length_ratio[i] * length[i] + length_ratio[j] * length[j]) / total_length
    weights = n_units[i] * n_units[j] * mean_gain * mean_ratio
    return np.bincount(document[i], weights, len(annotators)).astype(np.float64)


def _encode_values(values: Floats) -> tuple[Ints, Floats]:
    """Encode values as indices, and list the distinct values."""
    distinct_values, code = np.unique(values, return_inverse=True)
    return code.astype(np.int64), distinct_values


def _compute_mean_gains(
    profiles: Profiles, rows: tuple[Ints, ...], distances: Floats, dissimilarity: Dissimilarity
) -> Floats:
    """Compute E g of one random unit of A and one of B, for each row.

    Args:
        profiles: start distributions.
        rows: columns of the length of A and of B, the index of their categorical distance, the
            number of pairs of annotators, and the profile of A and of B.
        distances: distances of categories.
        dissimilarity: dissimilarity of two units.
    """
    a, b, category, n_annotator_pairs, profile_a, profile_b = rows
    mean_gains = np.zeros(len(a))
    distinct_pairs, pair_index, n_rows = unique_rows(a, b, category, n_annotator_pairs)
    pair_columns = (x.tolist() for x in distinct_pairs)
    for length_a, length_b, distance_code, n_pairs, row_indices in zip(
        *pair_columns, group_indices(pair_index, len(n_rows)), strict=True
    ):
        A, B = profile_a[row_indices], profile_b[row_indices]
        beta = dissimilarity.beta * float(distances[distance_code])
        largest_gain = n_pairs + 1 - beta
        if largest_gain <= 0:
            continue
        longest = int(max(profiles.size[A].max(), profiles.size[B].max()))
        reach = min(
            float(dissimilarity.compute_reach(np.array(largest_gain * dissimilarity.delta_empty))),
            1e9,
        )
        first_offset = max(
            int(np.ceil((length_a - length_b - reach * (length_a + length_b)) / 2)), -longest
        )
        offset = np.arange(first_offset, length_a - length_b - first_offset + 1)
        distance = (np.abs(offset) + np.abs(offset + length_b - length_a)) / (length_a + length_b)
        gain = np.maximum(largest_gain - dissimilarity.alpha * distance**2, 0)
        mean_gains[row_indices] = correlate_starts(profiles, A, B, offset, gain) / n_pairs
    return mean_gains * dissimilarity.delta_empty


def correlate_starts(profiles: Profiles, A: Ints, B: Ints, offset: Ints, gain: Floats) -> Floats:
    """Compute Σ_x P_A(x) Σ_δ gain(δ) P_B(x + δ) for each pair of profiles.

    Start distributions are symmetric, and constant between their edges, so one edge is summed and
    counted twice.

    Args:
        profiles: start distributions.
        A, B: profile of each unit of a pair; (pairs,).
        offset: consecutive differences δ of starts.
        gain: gain at each offset.
    """
    width = np.maximum(profiles.width[A], profiles.width[B] - offset[0])
    width = np.minimum(width, profiles.size[A] // 2)
    sums = np.empty(len(A))
    order = np.argsort(width, kind="stable")
    position = 0
    while position < len(order):
        n_edge = max(int(width[order[position]]) + 1, 1)
        similar_stop = int(np.searchsorted(width[order], 2 * n_edge, side="right"))
        rows = order[
            position : min(similar_stop, position + max(1, _CHUNK // (2 * n_edge * len(offset))))
        ]
        x = np.arange(int(width[rows].max()) + 1)
        reached_positions = np.arange(offset[0], x[-1] + offset[-1] + 1)
        probabilities_b = profiles.look_up(B[rows, None], reached_positions)
        weighted_gain = np.stack([np.correlate(row, gain, "valid") for row in probabilities_b])
        value = profiles.look_up(A[rows, None], x) * weighted_gain
        edge_stop = width[rows]
        # sum each row by itself, so that other rows change no digit
        edge_sum = np.where(x < edge_stop[:, None], value, 0.0).cumsum(1)[:, -1]
        n_middle = profiles.size[A[rows]] - 2 * edge_stop
        sums[rows] = 2 * edge_sum + n_middle * value[np.arange(len(rows)), edge_stop]
        position += len(rows)
    return sums
