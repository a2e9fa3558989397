"""Where random segments start: what every kind of starts says to those who compare two annotators.

Where segments of one piece may stand anywhere, that is :class:`UniformStarts`; of long recordings
:class:`CoarseStarts`, of segments of several pieces :class:`ShapedStarts`, under a rule of places
:class:`StartsAtPlaces`, of relations :class:`PairPlaces`, and without chance :class:`NoStarts`.
Each is a module of its own, which is loaded where it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, join, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing from Python 3.11 on


@dataclass(frozen=True, eq=False)
class LayerPair:
    """The segments of two annotators; a document and label that either marked is a *cell*.

    Attributes:
        layers: the segments of either.
        profiles: of each segment, the number of its start distribution; under a rule of places
            its class, and in long recordings its kind.
        cells: of each segment, the number of its cell.
        count: how many cells there are.
        chance: the chance model.
    """

    layers: tuple[Layer, Layer]
    profiles: tuple[Ints, Ints]
    cells: tuple[Ints, Ints]
    count: int
    chance: ChanceModel

    @property
    def first_is_fixed(self) -> bool:
        """Whether the first annotation stays as it is, and only the second is random."""
        return self.chance.first_is_fixed

    def document_tokens(self, tokens: Sequence[Ints]) -> Ints:
        """Return the tokens of each document in which one has segments, by its number.

        Args:
            tokens: of each segment of either annotator, those of its document.
        """
        last = max(int(layer.document.max(initial=0)) for layer in self.layers)
        longest = np.zeros(1 + last, np.int64)
        for layer, of_segments in zip(self.layers, tokens, strict=True):
            np.maximum.at(longest, layer.document, of_segments)
        return longest

    def alike(self) -> list[tuple[Ints, Ints, Ints]]:
        """Return the cells and start distributions of either side, and how often they occur."""
        rows = []
        for cell, profile in zip(self.cells, self.profiles, strict=True):
            (in_cell, of_profile), _, number = unique_rows(cell, profile)
            rows.append((in_cell, of_profile, number))
        return rows

    def expected_of_pairs(
        self,
        value: Callable[[Ints, Ints], Floats],
        possible: Callable[[Ints, Ints], Bools] | None = None,
    ) -> Floats:
        """Return E[Σ φ] of each cell, from E[φ] of two segments.

        Args:
            value: E[φ] of two start distributions, for arrays of these.
            possible: whether φ of two start distributions may be other than 0.
        """
        (cell_a, a, number_a), (cell_b, b, number_b) = self.alike()
        i, j = join(cell_a, cell_b)
        if possible is not None:
            keep = possible(a[i], b[j])
            i, j = i[keep], j[keep]
        (first, second), which, _ = unique_rows(a[i], b[j])
        weight = number_a[i] * number_b[j]
        total = np.bincount(cell_a[i], weight * value(first, second)[which], self.count)
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
        """The layers."""
        return [self.corpus.layers[name] for name in self.names]


class Starts(ABC):
    """Where the segments of several layers start at random; each segment has a number in it."""

    @classmethod
    @abstractmethod
    def of(cls, request: StartsRequest) -> tuple[Self, list[Ints]]:
        """Return the starts of several layers, and the number of each layer's segments in them."""

    @abstractmethod
    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return E[Σ φ] over all pairs of random segments in the same cell, for each cell.

        Beside it stands in how many cells it is not exact.
        """

    def adapted(self, measure: Measure, sides: LayerPair) -> Measure:
        """Return a measure as it is of these segments, if borders are counted in another way."""
        return measure

    def tokens(self, layer: Layer, profiles: Ints) -> Ints:
        """Return how many tokens each segment has."""
        return layer.end - layer.start

    def random_tokens(self, profiles: Ints) -> Floats | None:
        """Return how many tokens each segment has on average; ``None`` if as many as it has."""
        return None
