"""Segments without a chance: their sizes and what is observed are known, and nothing expected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.segments import Layer


class NoStarts(Starts):
    """Starts where no chance model goes with the segments or the measure: all is ``nan``."""

    @classmethod
    def of(cls, request: StartsRequest) -> tuple[NoStarts, list[Ints]]:
        """Return the starts of several layers, and number 0 for each segment."""
        return cls(), [np.zeros(len(layer), np.int64) for layer in request.layers]

    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return that the expected match of no cell is known."""
        return np.full(sides.count, np.nan), ApproximationError()

    def adapted(self, measure: Measure, sides: LayerPair) -> Measure:
        """Return the measure of segments that may overlap others of their layer."""
        return replace(measure, disjoint=False) if measure.pairs_once else measure

    def tokens(self, layer: Layer, profiles: Ints) -> Ints:
        """Return how many tokens the pieces of each segment have."""
        if not layer.shape.any():
            return layer.end - layer.start
        from spanagree.corpus.discontinuous import in_pieces  # most have one piece

        pieces, owner = in_pieces(layer)
        sizes = np.bincount(owner, pieces.end - pieces.start, len(layer))
        return sizes.astype(np.int64)
