"""Matches of random annotations by draws, as a test of the exact distributions and a fallback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, expand_ranges
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.chance.rigid_blocks import chain_hulls
from spanagree.comparisons.at_places import PlacementModel
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import find_similar_pairs
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.segments import Layer

_BATCH_SIZE = 1 << 18  # segments in one batch of draws
_MOST_SEGMENTS = (
    2_000_000  # segments in all draws, unless there would be fewer than _LEAST_DRAWS draws
)
_LEAST_DRAWS = 19  # least number with which p can be .05


def limit_draws(n_requested: int, n_segments: int) -> int:
    """Limit the number of draws, if there are very many segments.

    >>> limit_draws(1000, 500), limit_draws(1000, 100_000), limit_draws(20, 100_000)
    (1000, 20, 20)
    """
    return min(n_requested, max(_LEAST_DRAWS, _MOST_SEGMENTS // max(n_segments, 1)))


def draw_matches(
    layers: Sequence[Layer],
    is_random_layer: Sequence[bool],
    lengths: Ints,
    cells: Ints,
    measure: Measure,
    chance: str,
    draws: int,
    rng: np.random.Generator,
    model_and_classes: tuple[PlacementModel, Sequence[Ints]] | None = None,
    *,
    rigid: bool = False,
) -> Iterator[Floats]:
    """Yield the match in each cell of each draw, in batches of draws; (draws, cells).

    A batch is computed as one corpus with a copy of all documents for each draw.

    Args:
        layers: layers of the two annotators.
        is_random_layer: True for each layer that is drawn again in every draw.
        lengths: length of each document.
        cells: cell of each document and label, (documents, labels); only segments of the same cell
            match.
        measure: measure of the match.
        chance: name of the chance model.
        draws: number of draws.
        rng: random generator.
        model_and_classes: places of the segments, and their classes, under a rule of places.
        rigid: True to move segments with overlapping hulls together.
    """
    n_documents, n_labels = cells.shape
    n_cells = int(cells.max(initial=0)) + 1
    max_segments = max(
        len(layer) for layer, is_random in zip(layers, is_random_layer, strict=True) if is_random
    )
    copies_per_batch = max(1, _BATCH_SIZE // max(max_segments, n_documents, 1))
    if model_and_classes is not None:
        measure = model_and_classes[0].convert_to_words(measure, layers, model_and_classes[1])
    for n_draws_before in range(0, draws, copies_per_batch):
        copies = min(copies_per_batch, draws - n_draws_before)
        lengths_of_copies = np.tile(lengths, copies)
        drawn_layers, cell_of_segments = [], []
        for annotator, (layer, is_random) in enumerate(zip(layers, is_random_layer, strict=True)):
            if is_random and model_and_classes is not None:
                drawn_layer = model_and_classes[0].redraw(
                    layer, model_and_classes[1][annotator], copies, rng
                )
            else:
                drawn_layer = repeat_layer(layer, copies, n_documents)
                drawn_layer = (
                    draw_random_layer(
                        drawn_layer, lengths_of_copies, n_labels, rng, chance, rigid=rigid
                    )
                    if is_random
                    else drawn_layer
                )
            copy, document = np.divmod(drawn_layer.document, n_documents)
            drawn_layers.append(drawn_layer)
            cell_of_segments.append(copy * n_cells + cells[document, drawn_layer.label])
        _, j, similarity = find_similar_pairs(
            drawn_layers[0], drawn_layers[1], cell_of_segments[0], cell_of_segments[1], measure
        )
        sums = np.bincount(cell_of_segments[1][j], similarity, copies * n_cells).astype(np.float64)
        yield sums.reshape(copies, n_cells)


def moves_in_blocks(layer: Layer, chance: str) -> bool:
    """Check whether segments of a layer move together in random annotations.

    They do if a segment has several fragments, or segments overlap although the chance model is
    nonoverlapping.
    """
    if layer.shape.any() or chance != "nonoverlapping":
        return bool(layer.shape.any())
    return len(chain_hulls(layer.document, layer.start, layer.end).start) < len(layer)


def sort_canonically(corpus: Corpus) -> list[int]:
    """Sort the documents by their content, so that their order in the corpus changes no draw."""
    _, length_index, count = np.unique(corpus.lengths, return_inverse=True, return_counts=True)

    def build_sort_key(d: int) -> tuple[int, list[Any]]:
        """Build the key of a document: its length, and its segments if the length is shared."""
        is_repeated = count[length_index[d]] > 1  # a unique length determines the position
        return int(corpus.lengths[d]), list(corpus[d].segments.values()) if is_repeated else []

    return sorted(range(len(corpus)), key=build_sort_key)


def repeat_layer(layer: Layer, n_copies: int, n_documents: int) -> Layer:
    """Build a layer with several consecutive copies of the documents."""

    def repeat_column(column: Ints) -> Ints:
        """Repeat a column once for each copy."""
        return np.tile(column, n_copies)

    _, copy = expand_ranges(np.zeros(n_copies, np.int64), np.full(n_copies, len(layer)))
    details = None
    if layer.details is not None and layer.shape.any():
        details = SegmentDetails(repeat_column(layer.shape), layer.details.shapes)
    return Layer(
        repeat_column(layer.document) + copy * n_documents,
        repeat_column(layer.start),
        repeat_column(layer.end),
        repeat_column(layer.label),
        np.ones(n_copies * n_documents, np.bool_),
        details,
    )
