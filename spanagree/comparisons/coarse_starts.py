"""Expected matches in long documents: computed in few units, and extrapolated to the true unit.

These documents are recordings, or texts in which sums over all units, such as milliseconds or
characters, would take too long. The expected share of the text in which two random annotations
overlap has a limit as units shrink, so sums over every unit are not necessary. Values are computed
at three *levels*, with n, n/2 and n/4 units, and Richardson's extrapolation takes them to the unit
of the corpus. With u the unit of the corpus as a ratio of the finest unit, and f(1), f(2), f(4) the
three values,

    f(u) ≈ (2−u)(4−u)/3 · f(1) + (u−1)(4−u)/2 · f(2) + (1−u)(2−u)/6 · f(4).

So the cost depends on the number of segments, not on the resolution. The error in notes is the
difference of the quadratic and the linear extrapolation. A *kind* of segments has the same start
distribution and length at all levels and in the corpus; a *cell* is a document and label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    expand_ranges,
    group_indices,
    unique_rows,
    yield_batches,
)
from spanagree.chance.start_distributions import (
    UNITS,
    Profiles,
    compute_start_profiles,
    find_exclusion_groups,
)
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.profile_correlations import compute_joint_cover, correlate_profiles
from spanagree.comparisons.profile_sums import compute_inner_products
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.comparisons.uniform_starts import compute_expected_one_to_one
from spanagree.corpus.segments import split_by_layer
from spanagree.limits import check_cost

_UNITS_PER_SEGMENT = 16  # least number of the finest units for each segment of an annotation
_TOGETHER = 1 << 20  # offsets in one vectorized batch
_LEVELS = 3  # each level has half as many units as the level before


class Resolution(NamedTuple):
    """Start distributions in documents of fewer units, with one row for each kind of segment.

    Attributes:
        profiles: start distributions.
        profile: index of the start distribution of each kind.
        length: length of each kind in these units.
        factor: number of corpus units in one of these units, for each kind.
    """

    profiles: Profiles
    profile: Ints
    length: Ints
    factor: Floats


@dataclass(frozen=True, eq=False)
class CoarseStarts(Starts):
    """Start distributions at several resolutions, with one row for each kind of segment.

    Attributes:
        levels: resolutions, from the finest to the coarsest.
        length: length of each kind in the units of the corpus.
        units: number of corpus units of the document of each kind.
    """

    levels: tuple[Resolution, ...]
    length: Ints
    units: Ints

    @classmethod
    def from_request(cls, request: StartsRequest) -> tuple[CoarseStarts, list[Ints]]:
        """Compute start distributions at each level, and the kind of each segment."""
        corpus, layers, is_free = request.corpus, request.layers, request.chance.is_free
        group, document = find_exclusion_groups(layers, request.chance.name)
        length = np.concatenate([layer.end - layer.start for layer in layers])
        max_segments = np.zeros(len(corpus), np.int64)  # number of segments
        np.maximum.at(max_segments, document, np.bincount(group, minlength=len(document)))
        n_finest_units = np.maximum(
            UNITS,
            1 << np.ceil(np.log2(np.maximum(_UNITS_PER_SEGMENT * max_segments, 1))).astype(int),
        )
        levels_of_segments = []
        for level in range(_LEVELS):
            units_at_level = np.where(
                corpus.lengths > n_finest_units, n_finest_units >> level, corpus.lengths
            )
            factor = corpus.lengths / np.maximum(units_at_level, 1)
            coarse_length = shorten_lengths(length, group, factor[document])
            profiles, profile = compute_start_profiles(
                group, units_at_level[document], coarse_length, free=is_free
            )
            levels_of_segments.append((profiles, profile, coarse_length, factor[document][group]))
        columns = [
            x
            for _, profile, coarse_length, _ in levels_of_segments
            for x in (profile, coarse_length)
        ]
        document_length = corpus.lengths[document][group]
        kind_columns, kind_index, counts = unique_rows(*columns, length, document_length)
        segment_of_kind = np.empty(len(counts), np.int64)
        segment_of_kind[kind_index] = np.arange(len(kind_index))
        levels = tuple(
            Resolution(
                profiles,
                profile[segment_of_kind],
                coarse_length[segment_of_kind],
                factor[segment_of_kind],
            )
            for profiles, profile, coarse_length, factor in levels_of_segments
        )
        return cls(levels, kind_columns[-2], kind_columns[-1]), split_by_layer(kind_index, layers)

    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute E[Σ φ] of each cell by extrapolation; one-to-one matches are not extrapolated."""
        if measure.one_to_one:
            tokens = layer_pair.find_document_tokens(
                [self.units[kind_indices] for kind_indices in layer_pair.profiles]
            )
            return compute_expected_one_to_one(layer_pair, tokens, measure)
        values = [
            self._compute_expected_at_level(level, layer_pair, measure) for level in self.levels
        ]
        unit_ratio = np.ones(layer_pair.count)
        unit_ratio[layer_pair.cells[0]] = 1 / self.levels[0].factor[layer_pair.profiles[0]]
        value, error = extrapolate_values(values, unit_ratio)
        return value, ApproximationError(
            extrapolated=layer_pair.count, off=error * layer_pair.count
        )

    def _compute_expected_at_level(
        self, level: Resolution, layer_pair: LayerPair, measure: Measure
    ) -> Floats:
        """Compute E[Σ φ] of each cell, with starts rounded to the units of a resolution."""
        if measure.kernel == "cover":
            return self._compute_covered(level, layer_pair)

        def have_same_length(a: Ints, b: Ints) -> Bools:
            """Mask the pairs of kinds with the same length at this resolution."""
            return self.length[a] == self.length[b]

        return layer_pair.compute_expected_from_pairs(
            lambda p, q: self._compute_for_pairs(level, p, q, measure),
            have_same_length if measure.kernel == "equal" else None,
        )

    def _compute_covered(self, level: Resolution, layer_pair: LayerPair) -> Floats:
        """Compute the expected number of units that both annotators cover, for each cell.

        The value is in units of the corpus.
        """
        covering, factor = [], np.ones(layer_pair.count)
        for cell, kind_index, count in layer_pair.count_equal_segments():
            weight = count * self._compute_scale(level, kind_index)
            covering.append((cell, level.length[kind_index], level.profile[kind_index], weight))
            factor[cell] = level.factor[kind_index]
        return compute_joint_cover(level.profiles, covering, layer_pair.count) * factor

    def _compute_for_pairs(self, level: Resolution, p: Ints, q: Ints, measure: Measure) -> Floats:
        """Compute E[φ] of a random segment of kind p and one of kind q, for each pair of kinds.

        Args:
            level: start distributions at one level.
            p, q: kinds of the two segments of each pair.
            measure: additive measure.
        """
        profiles, first, second = level.profiles, level.profile[p], level.profile[q]
        if measure.kernel == "equal":
            return compute_inner_products(profiles, first, profiles, second) / level.factor[p]
        (first_profile, a, second_profile, b), inverse, _ = unique_rows(
            first, level.length[p], second, level.length[q]
        )
        value = correlate_profiles(profiles, first_profile, a, second_profile, b, measure.phi)[
            inverse
        ]
        total_phi = sum_over_offsets(measure, level.length[p], level.length[q]) * level.factor[p]
        return value * sum_over_offsets(measure, self.length[p], self.length[q]) / total_phi

    def _compute_scale(self, level: Resolution, kind_index: Ints) -> Floats:
        """Compute the ratio of the true length of each kind to its rounded length."""
        return self.length[kind_index] / (level.length[kind_index] * level.factor[kind_index])


def shorten_lengths(length: Ints, group: Ints, factor: Floats) -> Ints:
    """Convert lengths to coarser units, at least 1 each, and keep the sum of each group.

    Args:
        length: length of each segment.
        group: group of each segment.
        factor: number of units in one coarser unit, for each group.

    >>> shorten_lengths(np.array([5, 5, 5, 25]), np.zeros(4, int), np.array([10.0])).tolist()
    [1, 1, 1, 1]
    >>> shorten_lengths(np.array([15, 15, 15, 15]), np.zeros(4, int), np.array([10.0])).tolist()
    [2, 1, 1, 2]
    """
    coarse_length = np.empty(len(length), np.int64)
    for members, units_per_coarse_unit in zip(
        group_indices(group, len(factor)), factor.tolist(), strict=True
    ):
        rows = members[np.argsort(length[members], kind="stable")]
        n_first = np.arange(1, len(rows) + 1)
        total_surplus = (
            np.rint(np.cumsum(length[rows]) / units_per_coarse_unit).astype(np.int64) - n_first
        )
        end = n_first + np.maximum.accumulate(np.maximum(total_surplus, 0))
        coarse_length[rows] = np.diff(end, prepend=0)
    return coarse_length


def sum_over_offsets(measure: Measure, a: Ints, b: Ints) -> Floats:
    """Sum φ over all offsets at which two segments overlap, for each pair of lengths.

    Args:
        measure: measure with φ.
        a, b: lengths of both segments of each pair.

    >>> from spanagree.comparisons.measures import MEASURES
    >>> sum_over_offsets(MEASURES["iou"], np.array([1, 2]), np.array([1, 2])).round(3).tolist()
    [1.0, 1.667]
    """
    if measure.of_all_offsets is not None:
        return np.asarray(measure.of_all_offsets(a, b), np.float64)
    (a, b), inverse, _ = unique_rows(a, b)
    sums = np.zeros(len(a))
    check_cost(
        float((a + b).sum()), f"the sum over all offsets of segments of {a.max(initial=0)} units"
    )
    for low, high in yield_batches(a + b, _TOGETHER):
        offset, pair = expand_ranges(1 - b[low:high], a[low:high])
        pair += low
        np.add.at(sums, pair, measure.phi(offset, a[pair], b[pair]))
    return sums[inverse]


def extrapolate_values(values: Sequence[Floats], unit: Floats) -> tuple[Floats, float]:
    """Extrapolate values in coarser units to the unit of the corpus.

    Args:
        values: values for units of ratios 1, 2 and 4 to the finest unit.
        unit: unit of the corpus as a ratio of the finest unit; 1 keeps the finest value.

    Returns:
        Extrapolated values, and the largest difference from the linear extrapolation.

    >>> limit, error = extrapolate_values([np.array([x]) for x in (1.25, 1.5, 2.0)], np.zeros(1))
    >>> round(float(limit[0]), 9), round(error, 9)
    (1.0, 0.0)
    """
    finest, medium, coarsest = values
    linear = (2 - unit) * finest + (unit - 1) * medium
    weights = (2 - unit) * (4 - unit) / 3, (unit - 1) * (4 - unit) / 2, (1 - unit) * (2 - unit) / 6
    quadratic = weights[0] * finest + weights[1] * medium + weights[2] * coarsest
    return np.maximum(quadratic, 0), float(np.abs(quadratic - linear).max(initial=0))
