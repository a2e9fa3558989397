"""Segments without a chance model: sizes and matches are known, expected matches are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.corpus.segments import Layer


class NoStarts(Starts):
    """Starts without a chance model for the segments or the measure; expectations are ``nan``."""

    @classmethod
    def from_request(cls, request: StartsRequest) -> tuple[NoStarts, list[Ints]]:
        """Build the starts of several layers, with index 0 for each segment."""
        return cls(), [np.zeros(len(layer), np.int64) for layer in request.layers]

    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Return ``nan`` for each cell."""
        return np.full(layer_pair.count, np.nan), ApproximationError()

    def adapt_measure(self, measure: Measure, layer_pair: LayerPair) -> Measure:
        """Return the measure for segments that may overlap others of their layer."""
        return replace(measure, disjoint=False) if measure.pairs_once else measure

    def count_tokens(self, layer: Layer, profiles: Ints) -> Ints:
        """Count the tokens of the fragments of each segment."""
        if not layer.shape.any():
            return layer.end - layer.start
        from spanagree.corpus.discontinuous import split_into_pieces  # most have one piece

        pieces, owner = split_into_pieces(layer)
        sizes = np.bincount(owner, pieces.end - pieces.start, len(layer))
        return sizes.astype(np.int64)
