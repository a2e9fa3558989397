"""Expected matches of contiguous segments that may start anywhere.

For a random segment of length a with start distribution P_A, and one of length b with P_B,

    E[φ] = Σ_x P_A(x) Σ_δ φ(δ, a, b) P_B(x + δ),

which :mod:`.profile_sums` computes. E[Σ φ] of a *cell*, a document and label, is the sum over its
pairs of segments; pairs with the same lengths and start distributions are computed once. Arrays
have one entry for each segment, kind of segment or pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import (
    Floats,
    Ints,
    expand_ranges,
    join_sorted,
    join_unsorted,
    unique_rows,
    yield_batches,
)
from spanagree.chance.start_distributions import (
    Profiles,
    compute_start_profiles,
    find_exclusion_groups,
)
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.profile_sums import compute_inner_products
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.segments import split_by_layer

_KINDS = 32  # pairs of kinds in a cell; with more, covers are summed before they are multiplied
_TOGETHER = 1 << 20  # starts of pairs in one vectorized batch


@dataclass(frozen=True, eq=False)
class UniformStarts(Starts):
    """Start distributions of segments that may start anywhere; segments refer to them by index.

    Attributes:
        profiles: distinct start distributions.
    """

    profiles: Profiles

    @classmethod
    def from_request(cls, request: StartsRequest) -> tuple[UniformStarts, list[Ints]]:
        """Compute the start distributions of several layers, and their index for each segment."""
        layers, chance, measure = request.layers, request.chance, request.measure
        group, documents = find_exclusion_groups(layers, chance.name)
        profiles, profile = compute_start_profiles(
            group,
            request.corpus.lengths[documents],
            np.concatenate([layer.end - layer.start for layer in layers]),
            free=chance.is_free or (measure is not None and measure.one_to_one),
        )
        return cls(profiles), split_by_layer(profile, layers)

    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute E[Σ φ] of each cell; exact, see :meth:`Starts.compute_expected`."""
        if measure.one_to_one:
            tokens = [
                self.profiles.size[profile] + layer.end - layer.start - 1
                for layer, profile in zip(layer_pair.layers, layer_pair.profiles, strict=True)
            ]
            return compute_expected_one_to_one(
                layer_pair, layer_pair.find_document_tokens(tokens), measure
            )
        if layer_pair.first_is_fixed:
            return self._compute_with_fixed(layer_pair, measure), ApproximationError()
        return self._compute_both_random(layer_pair, measure), ApproximationError()

    def _compute_both_random(self, layer_pair: LayerPair, measure: Measure) -> Floats:
        """Compute E[Σ φ] of two random annotations, for each cell.

        Where a cell has many pairs of segments, the numbers of segments at each token are summed
        for each annotator first, and then multiplied.
        """
        cells = layer_pair.count
        # segments with the same cell, length and start distribution have the same expectation
        counted_segments = []
        for layer, profile, cell in zip(
            layer_pair.layers, layer_pair.profiles, layer_pair.cells, strict=True
        ):
            columns, _, count = unique_rows(cell, layer.end - layer.start, profile)
            counted_segments.append((*columns, count))
        expected_of_crowded = np.zeros(cells)
        if measure.kernel == "cover":
            n_kind_pairs = np.prod(
                [
                    np.bincount(columns_of_one[0], minlength=cells)
                    for columns_of_one in counted_segments
                ],
                axis=0,
            )
            is_summed_first = n_kind_pairs > _KINDS
            if is_summed_first.any():
                many_segments = [
                    tuple(column[is_summed_first[columns_of_one[0]]] for column in columns_of_one)
                    for columns_of_one in counted_segments
                ]
                from spanagree.comparisons.profile_correlations import compute_joint_cover

                expected_of_crowded = compute_joint_cover(self.profiles, many_segments, cells)
                counted_segments = [
                    tuple(column[~is_summed_first[columns_of_one[0]]] for column in columns_of_one)
                    for columns_of_one in counted_segments
                ]
        (cell_a, length_a, profile_a, count_a), (cell_b, length_b, profile_b, count_b) = (
            counted_segments
        )
        i, j = join_sorted(cell_a, cell_b)
        if measure.kernel == "equal":
            has_equal_length = length_a[i] == length_b[j]
            i, j = i[has_equal_length], j[has_equal_length]
        columns = (profile_a[i], length_a[i], profile_b[j], length_b[j])
        (profile_p, length_p, profile_q, length_q), inverse, _ = unique_rows(*columns)
        value = self._compute_for_pairs(profile_p, length_p, profile_q, length_q, measure)[inverse]
        return expected_of_crowded + np.bincount(cell_a[i], count_a[i] * count_b[j] * value, cells)

    def _compute_for_pairs(
        self, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, measure: Measure
    ) -> Floats:
        """Compute E[φ] of a random segment of A and one of B, for each pair.

        Args:
            profile_a, profile_b: start distributions of the two segments of each pair.
            a, b: lengths of the two segments of each pair.
            measure: additive measure.
        """
        profiles = self.profiles
        if measure.kernel == "equal":
            return compute_inner_products(profiles, profile_a, profiles, profile_b)
        # not needed for exact matches, which are most common
        from spanagree.comparisons.profile_correlations import compute_cover, correlate_profiles

        if measure.kernel == "cover":
            cover_a, row_a = compute_cover(profiles, profile_a, a)
            cover_b, row_b = compute_cover(profiles, profile_b, b)
            return compute_inner_products(cover_a, row_a, cover_b, row_b)
        return correlate_profiles(profiles, profile_a, a, profile_b, b, measure.phi)

    def _compute_with_fixed(self, layer_pair: LayerPair, measure: Measure) -> Floats:
        """Compute E[Σ φ] of a fixed first and a random second annotation, for each cell."""
        a, b = layer_pair.layers
        # equal random segments are computed once
        columns = layer_pair.cells[1], layer_pair.profiles[1], b.end - b.start
        (cell, profile, length), _, count = unique_rows(*columns)
        i, j = join_unsorted(cell, layer_pair.cells[0])
        length_a = (a.end - a.start)[j]
        if measure.kernel == "equal":
            has_equal_length = length[i] == length_a
            i, j = i[has_equal_length], j[has_equal_length]
            value = self.profiles.look_up(profile[i], a.start[j])
        else:
            value = np.zeros(len(i))
            for low, high in yield_batches(length[i] + length_a, _TOGETHER):
                rows = slice(low, high)
                size = length[i[rows]]
                offset, pair = expand_ranges(1 - size, length_a[rows])
                start = a.start[j[rows]][pair] + offset
                p = self.profiles.look_up(profile[i[rows]][pair], start)
                phi = measure.phi(offset, length_a[rows][pair], size[pair])
                value[rows] = np.bincount(pair, p * phi, high - low)
        return np.bincount(cell[i], count[i] * value, layer_pair.count).astype(np.float64)


def compute_expected_one_to_one(
    layer_pair: LayerPair, tokens: Ints, measure: Measure
) -> tuple[Floats, ApproximationError]:
    """Compute the expected one-to-one match of each cell, for segments that may start anywhere.

    Args:
        layer_pair: segments of both annotators.
        tokens: number of tokens of each document.
        measure: one-to-one measure, with a tolerance or of overlapping segments.
    """
    from spanagree.comparisons.overlap_expected import compute_expected_overlap

    return compute_expected_overlap(layer_pair, tokens, measure)
