"""Where segments of one piece start if they may stand anywhere: sums over start distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import (
    Floats,
    Ints,
    batches_up_to,
    expand_ranges,
    join,
    join_unsorted,
    unique_rows,
)
from spanagree.chance.start_distributions import Profiles, exclusion_groups, start_profiles
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.profile_sums import correlated, cover, covered_together, inner
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.segments import by_layer

_KINDS = 32  # pairs of kinds in a cell; of more, what covers a token is added up first
_TOGETHER = 1 << 20  # places of pairs that are computed at once


@dataclass(frozen=True, eq=False)
class UniformStarts(Starts):
    """Start distributions of segments that may stand anywhere; a segment's number is a profile.

    Attributes:
        profiles: distinct start distributions.
    """

    profiles: Profiles

    @classmethod
    def of(cls, request: StartsRequest) -> tuple[UniformStarts, list[Ints]]:
        """Return the start distributions of several layers, and that of each segment."""
        layers, chance, measure = request.layers, request.chance, request.measure
        group, documents = exclusion_groups(layers, chance.name)
        profiles, profile = start_profiles(
            group,
            request.corpus.lengths[documents],
            np.concatenate([layer.end - layer.start for layer in layers]),
            free=chance.is_free or (measure is not None and measure.one_to_one),
        )
        return cls(profiles), by_layer(profile, layers)

    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return E[Σ φ] of each cell, as :class:`Starts` has it."""
        if measure.one_to_one:
            tokens = [
                self.profiles.size[profile] + layer.end - layer.start - 1
                for layer, profile in zip(sides.layers, sides.profiles, strict=True)
            ]
            return expected_one_to_one(sides, sides.document_tokens(tokens), measure)
        if sides.first_is_fixed:
            return self._with_fixed(sides, measure), ApproximationError()
        return self._both_random(sides, measure), ApproximationError()

    def _both_random(self, sides: LayerPair, measure: Measure) -> Floats:
        cells = sides.count
        # segments that chance treats alike: same cell, length and start distribution
        kinds = []
        for layer, profile, cell in zip(sides.layers, sides.profiles, sides.cells, strict=True):
            columns, _, number = unique_rows(cell, layer.end - layer.start, profile)
            kinds.append((*columns, number))
        summed = np.zeros(cells)
        if measure.kernel == "cover":
            pairs = np.prod([np.bincount(kind[0], minlength=cells) for kind in kinds], axis=0)
            many = pairs > _KINDS
            if many.any():
                together = [tuple(column[many[kind[0]]] for column in kind) for kind in kinds]
                summed = covered_together(self.profiles, together, cells)
                kinds = [tuple(column[~many[kind[0]]] for column in kind) for kind in kinds]
        (cell_a, length_a, profile_a, number_a), (cell_b, length_b, profile_b, number_b) = kinds
        i, j = join(cell_a, cell_b)
        if measure.kernel == "equal":
            equal = length_a[i] == length_b[j]
            i, j = i[equal], j[equal]
        columns = (profile_a[i], length_a[i], profile_b[j], length_b[j])
        (p, p_length, q, q_length), which, _ = unique_rows(*columns)
        value = self._of_pairs(p, p_length, q, q_length, measure)[which]
        return summed + np.bincount(cell_a[i], number_a[i] * number_b[j] * value, cells)

    def _of_pairs(
        self, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, measure: Measure
    ) -> Floats:
        """Return E[φ] of a random segment of A and one of B, for pairs of profiles and lengths."""
        profiles = self.profiles
        if measure.kernel == "equal":
            return inner(profiles, profile_a, profiles, profile_b)
        if measure.kernel == "cover":
            cover_a, row_a = cover(profiles, profile_a, a)
            cover_b, row_b = cover(profiles, profile_b, b)
            return inner(cover_a, row_a, cover_b, row_b)
        return correlated(profiles, profile_a, a, profile_b, b, measure.phi)

    def _with_fixed(self, sides: LayerPair, measure: Measure) -> Floats:
        """Return E[Σ φ] of the first annotation as it is and a random second one, for each cell."""
        a, b = sides.layers
        # random segments that are alike, once
        columns = sides.cells[1], sides.profiles[1], b.end - b.start
        (cell, profile, length), _, number = unique_rows(*columns)
        i, j = join_unsorted(cell, sides.cells[0])
        length_a = (a.end - a.start)[j]
        if measure.kernel == "equal":
            same = length[i] == length_a
            i, j = i[same], j[same]
            value = self.profiles.at(profile[i], a.start[j])
        else:
            value = np.zeros(len(i))
            for low, high in batches_up_to(length[i] + length_a, _TOGETHER):
                rows = slice(low, high)
                size = length[i[rows]]
                offset, which = expand_ranges(1 - size, length_a[rows])
                start = a.start[j[rows]][which] + offset
                p = self.profiles.at(profile[i[rows]][which], start)
                phi = measure.phi(offset, length_a[rows][which], size[which])
                value[rows] = np.bincount(which, p * phi, high - low)
        return np.bincount(cell[i], number[i] * value, sides.count).astype(np.float64)


def expected_one_to_one(
    sides: LayerPair, tokens: Ints, measure: Measure
) -> tuple[Floats, ApproximationError]:
    """Return the expected one-to-one matches of each cell, of segments that may stand anywhere.

    Args:
        sides: the segments.
        tokens: of each document.
        measure: one-to-one, within a tolerance or of what overlaps.
    """
    from spanagree.comparisons.overlap_expected import expected_overlap

    return expected_overlap(sides, tokens, measure)
