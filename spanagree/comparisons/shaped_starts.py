"""Expected matches of segments of several fragments.

The *shape* of a segment is its fragments relative to its start, and its *hull* reaches from the
first to the last token. A random segment keeps its shape, and moves together with the segments
whose hulls it overlaps, as a *block* (:mod:`spanagree.chance.rigid_blocks`). Two segments are equal
if their shapes are; they share the tokens that their fragments share. With the start distributions
p and q of two segments,

    E[φ] = Σ_x p(x) Σ_δ φ(δ) q(x + δ).

A *kind* of segments has the same shape, offset in the block and start distribution. Arrays have one
entry for each kind, unless stated otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique_rows
from spanagree.chance.rigid_blocks import chain_hulls, count_shared_tokens_by_offset
from spanagree.chance.start_distributions import (
    Profiles,
    compute_start_profiles,
    find_exclusion_groups,
)
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.details import Pieces
from spanagree.corpus.discontinuous import encode_shapes
from spanagree.corpus.segments import Layer, concatenate_segments, split_by_layer
from spanagree.errors import pluralize
from spanagree.limits import check_cost


@dataclass(frozen=True, eq=False)
class ShapedStarts(Starts):
    """Start distributions and shapes of segments; all arrays have one row for each kind of segment.

    Attributes:
        profiles: start distributions of blocks.
        profile: index of the start distribution of the block of each kind.
        offset: offset of each kind from the start of its block.
        length: length of the hull of each kind.
        shape: index of the shape of each kind, 0 for contiguous segments.
        shapes: fragments of each shape.
    """

    profiles: Profiles
    profile: Ints
    offset: Ints
    length: Ints
    shape: Ints
    shapes: tuple[Pieces, ...]

    @classmethod
    def from_request(cls, request: StartsRequest) -> tuple[ShapedStarts, list[Ints]]:
        """Find the kinds of the segments of several layers, and the kind of each segment.

        Raises:
            SettingError: if the chance model has a rule of places, or randomizes systems only.
        """
        corpus, chance, layers = request.corpus, request.chance, request.layers
        reason = "these keep their shape and may stand anywhere"
        chance.check_has_no_options("segments of several pieces", reason)
        _, start, end, _, _ = concatenate_segments(layers)
        index_by_shape: dict[Pieces, int] = {}
        shape = np.concatenate([np.zeros(0, np.int64), *encode_shapes(layers, index_by_shape)])
        group, document_of_group = find_exclusion_groups(layers, chance.name)
        blocks = chain_hulls(group, start, end, alone=chance.is_free)
        profiles, profile = compute_start_profiles(
            blocks.group,
            corpus.lengths[document_of_group],
            blocks.end - blocks.start,
            free=chance.is_free,
        )
        columns = (profile[blocks.block], blocks.offset, end - start, shape)
        kind_columns, kind_index, _ = unique_rows(*columns)
        starts = cls(
            profiles,
            kind_columns[0],
            kind_columns[1],
            kind_columns[2],
            kind_columns[3],
            tuple(index_by_shape),
        )
        return starts, split_by_layer(kind_index, layers)

    def count_tokens(self, layer: Layer, profiles: Ints) -> Ints:
        """Count the tokens of the fragments of each segment."""
        return self._count_tokens_of_kinds(profiles)

    def _count_tokens_of_kinds(self, kind_index: Ints) -> Ints:
        """Count the tokens of the fragments of each kind."""
        gaps = [
            sum(e - s for s, e in shape) - (shape[-1][1] if shape else 0) for shape in self.shapes
        ]
        counts: Ints = self.length[kind_index] + np.array(gaps, np.int64)[self.shape[kind_index]]
        return counts

    def look_up_fragments(self, kind_index: int) -> Pieces:
        """Look up the fragments of a kind, relative to its start."""
        return self.shapes[self.shape[kind_index]] or ((0, int(self.length[kind_index])),)

    def _compute_similarity_by_offset(
        self, first: int, second: int, measure: Measure
    ) -> tuple[int, Floats]:
        """Compute φ of two kinds for each offset at which their hulls overlap.

        Returns:
            Smallest offset, and φ from there on.
        """
        smallest_offset, n_shared = count_shared_tokens_by_offset(
            self.look_up_fragments(first), self.look_up_fragments(second)
        )
        assert measure.of_shared is not None  # other measures are forbidden
        sizes = self._count_tokens_of_kinds(np.array([first, second]))
        return smallest_offset, np.asarray(measure.of_shared(n_shared, *sizes), np.float64)

    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute E[Σ φ] of each cell; exact, see :meth:`Starts.compute_expected`."""
        if measure.kernel == "cover":
            return self._compute_covered(layer_pair), ApproximationError()

        def compute_value(first: Ints, second: Ints) -> Floats:
            """Compute E[φ] for each pair of kinds."""
            pairs = zip(first.tolist(), second.tolist(), strict=True)
            return np.array(
                [self._compute_expected_of_pair(p, q, measure) for p, q in pairs], np.float64
            )

        def have_same_shape(a: Ints, b: Ints) -> Bools:
            """Mask the pairs of kinds with equal fragments."""
            return (self.shape[a] == self.shape[b]) & (self.length[a] == self.length[b])

        possible = have_same_shape if measure.kernel == "equal" else None
        return layer_pair.compute_expected_from_pairs(compute_value, possible), ApproximationError()

    def _expand_starts(self, kind_index: int) -> Floats:
        """Expand the start distribution of a kind to an array over the tokens of its document."""
        profile = int(self.profile[kind_index])
        starts = self.profiles.expand(profile)
        check_cost(
            4 * len(starts),
            f"the chance of segments in a text of {pluralize(len(starts), 'token')}",
        )
        return np.concatenate([np.zeros(int(self.offset[kind_index])), starts])

    def _compute_expected_of_pair(self, first: int, second: int, measure: Measure) -> float:
        """Compute E[φ] of two random segments, one of each kind."""
        p, q = self._expand_starts(first), self._expand_starts(second)
        if measure.kernel == "equal":
            shortest = min(len(p), len(q))
            return float(p[:shortest] @ q[:shortest])
        smallest_offset, phi = self._compute_similarity_by_offset(first, second, measure)
        # Σ_x p(x) Σ_δ φ(δ) q(x + δ)
        weighted = np.convolve(q, phi[::-1])
        position = np.arange(len(p)) + smallest_offset + len(phi) - 1
        is_inside = (position >= 0) & (position < len(weighted))
        return float(p[is_inside] @ weighted[position[is_inside]])

    def _compute_covered(self, layer_pair: LayerPair) -> Floats:
        """Compute the expected number of tokens that both annotators cover, for each cell.

        The cover of an annotation is the expected number of its segments at each token.
        """
        total = np.zeros(layer_pair.count)
        counted_segments = layer_pair.count_equal_segments()
        covers_of_kinds: dict[int, Floats] = {}
        for cell in np.intersect1d(*layer_pair.cells).tolist():
            covers = []
            for cells, kind_indices, counts in counted_segments:
                rows = slice(*np.searchsorted(cells, (cell, cell + 1)).tolist())
                cover = np.zeros(0)
                for kind_index, count in zip(
                    kind_indices[rows].tolist(), counts[rows].tolist(), strict=True
                ):
                    if kind_index not in covers_of_kinds:
                        covers_of_kinds[kind_index] = self._compute_cover(kind_index)
                    cover = _add_padded(cover, covers_of_kinds[kind_index] * count)
                covers.append(cover)
            shortest = min(map(len, covers))
            total[cell] = covers[0][:shortest] @ covers[1][:shortest]
        return total

    def _compute_cover(self, kind_index: int) -> Floats:
        """Compute the probability that a random segment of a kind covers each token."""
        starts = self._expand_starts(kind_index)
        pieces = self.look_up_fragments(kind_index)
        steps = np.zeros(len(starts) + pieces[-1][1] + 1)
        for start, end in pieces:
            steps[start : start + len(starts)] += starts
            steps[end : end + len(starts)] -= starts
        cover: Floats = np.maximum(np.cumsum(steps), 0)
        return cover


def _add_padded(a: Floats, b: Floats) -> Floats:
    """Add two arrays; the shorter array is padded with zeros."""
    shorter, longer = sorted((a, b), key=len)
    total = longer.copy()
    total[: len(shorter)] += shorter
    return total
