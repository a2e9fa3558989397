"""Segments of several pieces: what they have in common, observed and expected.

In a random annotation a segment keeps its shape, and moves with those whose hulls it overlaps
(:mod:`spanagree.chance.rigid_blocks`). Two segments are the same if their shapes are; they share
the tokens that their pieces share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique_rows
from spanagree.chance.rigid_blocks import chain_hulls, shared_tokens_by_offset
from spanagree.chance.start_distributions import Profiles, exclusion_groups, start_profiles
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.details import Pieces
from spanagree.corpus.discontinuous import shape_codes
from spanagree.corpus.segments import Layer, by_layer, columns_of_all
from spanagree.errors import pluralize
from spanagree.limits import check_cost


@dataclass(frozen=True, eq=False)
class ShapedStarts(Starts):
    """Where segments start that may have several pieces, and their shapes; a row for each kind.

    Attributes:
        profiles: the start distributions of blocks.
        profile: of each kind, that of its block.
        offset: how far after its block it begins.
        length: of its hull.
        shape: the number of its shape, 0 for one piece.
        shapes: the pieces of each number.
    """

    profiles: Profiles
    profile: Ints
    offset: Ints
    length: Ints
    shape: Ints
    shapes: tuple[Pieces, ...]

    @classmethod
    def of(cls, request: StartsRequest) -> tuple[ShapedStarts, list[Ints]]:
        """Return the kinds of the segments of several layers, and which is that of each.

        Raises:
            SettingError: for a chance model with a rule of places, or of systems only.
        """
        corpus, chance, layers = request.corpus, request.chance, request.layers
        why = "these keep their shape and may stand anywhere"
        chance.check_keeps_nothing("segments of several pieces", why)
        _, start, end, _, _ = columns_of_all(layers)
        known: dict[Pieces, int] = {}
        shape = np.concatenate([np.zeros(0, np.int64), *shape_codes(layers, known)])
        group, of_group = exclusion_groups(layers, chance.name)
        blocks = chain_hulls(group, start, end, alone=chance.is_free)
        profiles, profile = start_profiles(
            blocks.group,
            corpus.lengths[of_group],
            blocks.end - blocks.start,
            free=chance.is_free,
        )
        columns = (profile[blocks.block], blocks.offset, end - start, shape)
        kinds, which, _ = unique_rows(*columns)
        made = cls(profiles, kinds[0], kinds[1], kinds[2], kinds[3], tuple(known))
        return made, by_layer(which, layers)

    def tokens(self, layer: Layer, profiles: Ints) -> Ints:
        """Return the tokens of the pieces of each segment."""
        return self._tokens(profiles)

    def _tokens(self, kind: Ints) -> Ints:
        gaps = [
            sum(e - s for s, e in shape) - (shape[-1][1] if shape else 0) for shape in self.shapes
        ]
        counts: Ints = self.length[kind] + np.array(gaps, np.int64)[self.shape[kind]]
        return counts

    def pieces(self, kind: int) -> Pieces:
        """Return the pieces of a kind, from its start."""
        return self.shapes[self.shape[kind]] or ((0, int(self.length[kind])),)

    def _shares(self, first: int, second: int, measure: Measure) -> tuple[int, Floats]:
        """Return φ of two kinds for each offset at which their hulls share a token."""
        least, shared = shared_tokens_by_offset(self.pieces(first), self.pieces(second))
        assert measure.of_shared is not None  # others are refused
        sizes = self._tokens(np.array([first, second]))
        return least, np.asarray(measure.of_shared(shared, *sizes), np.float64)

    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return E[Σ φ] of each cell, as :class:`Starts` has it."""
        if measure.kernel == "cover":
            return self._covered(sides), ApproximationError()

        def value(first: Ints, second: Ints) -> Floats:
            pairs = zip(first.tolist(), second.tolist(), strict=True)
            return np.array([self._pair(p, q, measure) for p, q in pairs], np.float64)

        def same_shape(a: Ints, b: Ints) -> Bools:
            return (self.shape[a] == self.shape[b]) & (self.length[a] == self.length[b])

        possible = same_shape if measure.kernel == "equal" else None
        return sides.expected_of_pairs(value, possible), ApproximationError()

    def _at(self, kind: int) -> Floats:
        """Return the start distribution of a kind over all tokens of its document."""
        profile = int(self.profile[kind])
        starts = self.profiles.expand(profile)
        check_cost(
            4 * len(starts),
            f"the chance of segments in a text of {pluralize(len(starts), 'token')}",
        )
        return np.concatenate([np.zeros(int(self.offset[kind])), starts])

    def _pair(self, first: int, second: int, measure: Measure) -> float:
        """Return E[φ] of a random segment of either kind."""
        p, q = self._at(first), self._at(second)
        if measure.kernel == "equal":
            shortest = min(len(p), len(q))
            return float(p[:shortest] @ q[:shortest])
        least, shared = self._shares(first, second, measure)
        # Σ_x p(x) Σ_δ φ(δ) q(x + δ)
        weighted = np.convolve(q, shared[::-1])
        at = np.arange(len(p)) + least + len(shared) - 1
        inside = (at >= 0) & (at < len(weighted))
        return float(p[inside] @ weighted[at[inside]])

    def _covered(self, sides: LayerPair) -> Floats:
        """Return the expected number of tokens that both annotators cover, for each cell."""
        total = np.zeros(sides.count)
        alike = sides.alike()
        covers_of_kinds: dict[int, Floats] = {}
        for cell in np.intersect1d(*sides.cells).tolist():
            covers = []
            for cells, kinds, numbers in alike:
                here = slice(*np.searchsorted(cells, (cell, cell + 1)).tolist())
                cover = np.zeros(0)
                for kind, number in zip(kinds[here].tolist(), numbers[here].tolist(), strict=True):
                    if kind not in covers_of_kinds:
                        covers_of_kinds[kind] = self._cover(kind)
                    cover = _added(cover, covers_of_kinds[kind] * number)
                covers.append(cover)
            shortest = min(map(len, covers))
            total[cell] = covers[0][:shortest] @ covers[1][:shortest]
        return total

    def _cover(self, kind: int) -> Floats:
        """Return how likely a random segment of a kind covers each token."""
        starts = self._at(kind)
        pieces = self.pieces(kind)
        change = np.zeros(len(starts) + pieces[-1][1] + 1)
        for start, end in pieces:
            change[start : start + len(starts)] += starts
            change[end : end + len(starts)] -= starts
        cover: Floats = np.maximum(np.cumsum(change), 0)
        return cover


def _added(a: Floats, b: Floats) -> Floats:
    """Return the sum of two arrays, of which the shorter one lacks zeros at its end."""
    short, long = sorted((a, b), key=len)
    total = long.copy()
    total[: len(short)] += short
    return total
