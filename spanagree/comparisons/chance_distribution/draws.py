"""The match of random annotations, drawn: witness of the exact distribution, and fallback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, expand_ranges
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.chance.rigid_blocks import chain_hulls
from spanagree.comparisons.at_places import PlacementModel
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import similar
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.segments import Layer

_PORTION = 1 << 18  # segments that are placed at a time
_DRAWN = 2_000_000  # segments that are placed in all draws, unless they are fewer than _FEWEST
_FEWEST = 19  # with which p can still be .05


def number_of_draws(asked: int, segments: int) -> int:
    """Return how many draws are made: fewer than asked for if there are very many segments.

    >>> number_of_draws(1000, 500), number_of_draws(1000, 100_000), number_of_draws(20, 100_000)
    (1000, 20, 20)
    """
    return min(asked, max(_FEWEST, _DRAWN // max(segments, 1)))


def draw_matches(
    layers: Sequence[Layer],
    random: Sequence[bool],
    lengths: Ints,
    cells: Ints,
    measure: Measure,
    chance: str,
    draws: int,
    rng: np.random.Generator,
    at: tuple[PlacementModel, Sequence[Ints]] | None = None,
    *,
    rigid: bool = False,
) -> Iterator[Floats]:
    """Yield the match in each cell of every draw, some draws at a time; (draws, cells).

    Many draws are made at once: as so many copies of the documents, one after the other.

    Args:
        layers: of the two annotators.
        random: whether each of them is placed anew in every draw.
        lengths: of each document.
        cells: the cell of each document and label, (documents, labels); only segments of the same
            cell match.
        measure: what counts as a match.
        chance: the chance model.
        draws: how many.
        rng: to draw from.
        at: where the segments may stand, and their classes, under a rule of places.
        rigid: segments whose hulls overlap move together.
    """
    documents, labels = cells.shape
    count = int(cells.max(initial=0)) + 1
    largest = max(len(layer) for layer, is_random in zip(layers, random, strict=True) if is_random)
    most = max(1, _PORTION // max(largest, documents, 1))
    if at is not None:
        measure = at[0].in_words(measure, layers, at[1])
    for low in range(0, draws, most):
        copies = min(most, draws - low)
        tiled = np.tile(lengths, copies)
        drawn, numbers = [], []
        for side, (layer, is_random) in enumerate(zip(layers, random, strict=True)):
            if is_random and at is not None:
                two = at[0].redraw(layer, at[1][side], copies, rng)
            else:
                two = copies_of(layer, copies, documents)
                two = (
                    draw_random_layer(two, tiled, labels, rng, chance, rigid=rigid)
                    if is_random
                    else two
                )
            copy, document = np.divmod(two.document, documents)
            drawn.append(two)
            numbers.append(copy * count + cells[document, two.label])
        _, j, value = similar(drawn[0], drawn[1], numbers[0], numbers[1], measure)
        sums = np.bincount(numbers[1][j], value, copies * count).astype(np.float64)
        yield sums.reshape(copies, count)


def moves_in_blocks(layer: Layer, chance: str) -> bool:
    """Return whether some segments have several pieces, or overlap where none should."""
    if layer.shape.any() or chance != "nonoverlapping":
        return bool(layer.shape.any())
    return len(chain_hulls(layer.document, layer.start, layer.end).start) < len(layer)


def canonical_order(corpus: Corpus) -> list[int]:
    """Return the documents in an order of their own, so that theirs changes no draw."""
    _, alike, count = np.unique(corpus.lengths, return_inverse=True, return_counts=True)

    def key(d: int) -> tuple[int, list[Any]]:
        recurs = count[alike[d]] > 1  # else the length says it all
        return int(corpus.lengths[d]), list(corpus[d].segments.values()) if recurs else []

    return sorted(range(len(corpus)), key=key)


def copies_of(layer: Layer, copies: int, documents: int) -> Layer:
    """Return the same segments in so many copies of the documents."""

    def repeated(column: Ints) -> Ints:
        return np.tile(column, copies)

    _, copy = expand_ranges(np.zeros(copies, np.int64), np.full(copies, len(layer)))
    details = None
    if layer.details is not None and layer.shape.any():
        details = SegmentDetails(repeated(layer.shape), layer.details.shapes)
    return Layer(
        repeated(layer.document) + copy * documents,
        repeated(layer.start),
        repeated(layer.end),
        repeated(layer.label),
        np.ones(copies * documents, np.bool_),
        details,
    )
