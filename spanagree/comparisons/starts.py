"""Distributions of the starts of random segments, and the sums over them: the common interface.

A class of starts computes E[Σ φ] of each cell, over all pairs of random segments of two annotators.
Which class applies depends on the corpus and on the chance model:

- :class:`UniformStarts`: contiguous segments that may start anywhere,
- :class:`CoarseStarts`: the same in long documents,
- :class:`ShapedStarts`: segments of several fragments,
- :class:`StartsAtPlaces`: segments under a rule of places,
- :class:`PairPlaces`: relations,
- :class:`NoStarts`: no chance model.

Each class has a module of its own, which is loaded only if it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, join_sorted, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing from Python 3.11 on


@dataclass(frozen=True, eq=False)
class LayerPair:
    """The segments of two annotators. A *cell* is a document and label with a segment of either.

    Attributes:
        layers: segments of each annotator.
        profiles: index of the start distribution of each segment; of its class under a rule of
            places, and of its kind in long recordings.
        cells: index of the cell of each segment.
        count: number of cells.
        chance: chance model.
    """

    layers: tuple[Layer, Layer]
    profiles: tuple[Ints, Ints]
    cells: tuple[Ints, Ints]
    count: int
    chance: ChanceModel

    @property
    def first_is_fixed(self) -> bool:
        """Whether the first annotation is fixed, and only the second is random."""
        return self.chance.first_is_fixed

    def find_document_tokens(self, tokens: Sequence[Ints]) -> Ints:
        """Find the number of tokens of each document with segments; (documents,).

        Args:
            tokens: number of tokens of the document of each segment, for both annotators.
        """
        last_document = max(int(layer.document.max(initial=0)) for layer in self.layers)
        document_length = np.zeros(1 + last_document, np.int64)
        for layer, n_tokens in zip(self.layers, tokens, strict=True):
            np.maximum.at(document_length, layer.document, n_tokens)
        return document_length

    def count_equal_segments(self) -> list[tuple[Ints, Ints, Ints]]:
        """Count the segments of each annotator with the same cell and start distribution.

        Returns:
            Cell, start distribution and number of segments, for both annotators; sorted by cell.
        """
        rows = []
        for cell, profile in zip(self.cells, self.profiles, strict=True):
            (distinct_cell, distinct_profile), _, count = unique_rows(cell, profile)
            rows.append((distinct_cell, distinct_profile, count))
        return rows

    def compute_expected_from_pairs(
        self,
        value: Callable[[Ints, Ints], Floats],
        possible: Callable[[Ints, Ints], Bools] | None = None,
    ) -> Floats:
        """Compute E[Σ φ] of each cell from E[φ] of each pair of start distributions.

        Pairs with the same two start distributions are computed once.

        Args:
            value: function that computes E[φ] for two arrays of start distributions.
            possible: function that finds the pairs of start distributions for which φ may differ
                from 0.
        """
        (cell_a, a, count_a), (cell_b, b, count_b) = self.count_equal_segments()
        i, j = join_sorted(cell_a, cell_b)
        if possible is not None:
            is_possible = possible(a[i], b[j])
            i, j = i[is_possible], j[is_possible]
        (distinct_a, distinct_b), inverse, _ = unique_rows(a[i], b[j])
        n_pairs = count_a[i] * count_b[j]
        total = np.bincount(cell_a[i], n_pairs * value(distinct_a, distinct_b)[inverse], self.count)
        return total.astype(np.float64)


class StartsRequest(NamedTuple):
    """Layers whose segments start at random.

    Attributes:
        corpus: annotations.
        names: names of the layers.
        chance: chance model.
        measure: measure that the layers are compared by, if it is known.
    """

    corpus: Corpus
    names: Sequence[str]
    chance: ChanceModel
    measure: Measure | None = None

    @property
    def layers(self) -> list[Layer]:
        """Layers with these names."""
        return [self.corpus.layers[name] for name in self.names]


class Starts(ABC):
    """Start distributions of the segments of several layers, which refer to them by index."""

    @classmethod
    @abstractmethod
    def from_request(cls, request: StartsRequest) -> tuple[Self, list[Ints]]:
        """Compute the start distributions of several layers.

        The index of the distribution of each segment is returned for each layer.
        """

    @abstractmethod
    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute E[Σ φ] over all pairs of random segments in the same cell, for each cell.

        The number and the error bounds of approximate values are returned too.
        """

    def adapt_measure(self, measure: Measure, layer_pair: LayerPair) -> Measure:
        """Build the measure with borders counted in other units, if it needs them."""
        return measure

    def count_tokens(self, layer: Layer, profiles: Ints) -> Ints:
        """Count the tokens of each segment."""
        return layer.end - layer.start

    def compute_expected_tokens(self, profiles: Ints) -> Floats | None:
        """Compute the expected number of tokens of each random segment; ``None`` if fixed."""
        return None
