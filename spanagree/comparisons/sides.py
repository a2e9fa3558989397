"""What two annotators are compared by: their segments, and the document and label of each."""

from __future__ import annotations

from dataclasses import dataclass

from spanagree.arrays import Ints
from spanagree.corpus.segments import Layer


@dataclass(frozen=True, eq=False)
class Sides:
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
    chance: str
