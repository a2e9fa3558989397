"""Expected one-to-one matches of two random annotations, for each document and label.

The greatest matching is not additive, so its mean E[max Σ φ] is computed in one of three ways:

- exactly, if one annotation has a single segment to match
(:mod:`spanagree.comparisons.chance_distribution.single`),
- exactly, by a *walk*, which counts arrangements of both annotations from left to right
(:mod:`spanagree.comparisons.chance_distribution.walk_both`), for each label, where segments of
other labels only take up room,
- as the mean over draws of both annotations, if the walk exceeds the budget.

Draws depend only on the *content* of a part, its number of tokens and multiset of segments, not on
the annotators nor on the other documents. A *cell* is a document and label with a segment of either
annotator, and a *part* is a cell to compute, with the segments of other labels that take up room.
Under a rule of places, the *class* of a segment determines its distribution. Arrays have
one entry for each part, cell or segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, join_unsorted
from spanagree.chance.walk import BUDGET
from spanagree.comparisons.at_places import PlacementModel
from spanagree.comparisons.chance_distribution.draws import draw_matches, limit_draws
from spanagree.comparisons.chance_distribution.fixed_walk import compute_fixed_by_walk
from spanagree.comparisons.chance_distribution.pair_draws import MOST_PAIRS, draw_pairs
from spanagree.comparisons.chance_distribution.pieces import AnnotatorSegments, DocumentParts
from spanagree.comparisons.chance_distribution.single import compute_single_matches
from spanagree.comparisons.chance_distribution.walk_both import (
    compute_both_by_walk,
    compute_near_by_walk,
)
from spanagree.comparisons.inexact import (
    ApproximationError,
    compute_content_digest,
    compute_mean,
    create_generator,
)
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.starts import LayerPair
from spanagree.corpus.segments import Layer

STEPS = BUDGET // 2500
"""Number of steps within the budget: each takes as long as 2,500 numbers or less."""

NEAR_BUDGET = BUDGET * 3 // 20
"""Budget in numbers for pairs within a tolerance; each takes longer, as the tables are small."""

DRAWS = 2000
"""Number of draws of a document and label; fewer if it has very many segments."""

NEAR_DRAWS = 1000
"""Number of draws of both annotations within a tolerance, where a match takes longer to count."""


def compute_expected_overlap(
    layer_pair: LayerPair,
    tokens: Ints,
    measure: Measure,
    model: PlacementModel | None = None,
    shared_cells: Ints | None = None,
) -> tuple[Floats, ApproximationError]:
    """Compute the expected greatest matching of each cell, with the error of drawn means.

    Args:
        layer_pair: segments of both annotators; segments of one annotator exclude each
            other by chance.
        tokens: number of tokens of each document.
        measure: measure of overlaps, or with a tolerance.
        model: places of the segments, under a rule of places.
        shared_cells: cells with segments of both annotators, or some of them; other cells get 0.
            Default: all.
    """
    values, error = np.zeros(layer_pair.count), ApproximationError()
    part_cells = np.intersect1d(*layer_pair.cells) if shared_cells is None else shared_cells
    first_is_fixed = layer_pair.first_is_fixed
    document_parts, segments = _build_parts_of_cells(layer_pair, tokens, part_cells, model)
    walked_parts, parts_to_walk = np.arange(len(part_cells)), document_parts
    if model is None and not first_is_fixed and measure.kernel != "near":
        is_single, values[part_cells] = compute_single_matches(document_parts, measure)
        walked_parts = np.flatnonzero(~is_single)
        parts_to_walk = document_parts.select_parts(walked_parts)
    over_budget = []
    for part_index, mean in zip(
        walked_parts.tolist(),
        _compute_means_by_walk(parts_to_walk, measure, model, first_is_fixed=first_is_fixed),
        strict=True,
    ):
        if mean is None:
            over_budget.append(part_index)
        else:
            values[part_cells[part_index]] = mean[0]
    drawn_means = _DrawnMeans(document_parts, segments, measure, model, layer_pair.chance.seed)
    draw = drawn_means.draw_second if first_is_fixed else drawn_means.draw_both
    for part_index, content, mean_of_draws, standard_error in draw(over_budget):
        values[part_cells[part_index]] = mean_of_draws
        error.add(content, standard_error)
    return values, error


class _SegmentsWithClasses(NamedTuple):
    """Segments of one annotator in the parts, and their classes under a rule of places."""

    segments: AnnotatorSegments
    classes: Ints


def _build_parts_of_cells(
    layer_pair: LayerPair, tokens: Ints, part_cells: Ints, model: PlacementModel | None
) -> tuple[DocumentParts, list[_SegmentsWithClasses]]:
    """Build a part for each cell, with the segments of both annotators and their classes.

    Args:
        layer_pair: segments of both annotators.
        tokens: number of tokens of each document.
        part_cells: cell of each part.
        model: places of the segments, under a rule of places.
    """
    document = np.zeros(layer_pair.count, np.int64)
    document[layer_pair.cells[0]] = layer_pair.layers[0].document
    segments = []
    for index, (layer, cell) in enumerate(zip(layer_pair.layers, layer_pair.cells, strict=True)):
        classes = kinds_of_segments = np.zeros(len(layer), np.int64)
        if model is not None:
            classes = layer_pair.profiles[index]
            kinds_of_segments = model.look_up_kinds(classes)
        columns, row = _find_segments_in_parts(
            layer,
            cell,
            part_cells,
            document[part_cells],
            layer_pair.chance.name,
            index,
            kinds_of_segments,
        )
        segments.append(_SegmentsWithClasses(columns, classes[row]))
    a, b = (annotator.segments for annotator in segments)
    return DocumentParts(document[part_cells], tokens[document[part_cells]], a, b), segments


def _compute_means_by_walk(
    document_parts: DocumentParts,
    measure: Measure,
    model: PlacementModel | None,
    *,
    first_is_fixed: bool,
) -> list[Floats | None]:
    """Compute the mean match of each part exactly; ``None`` for parts over the budget."""
    place_kinds = None if model is None else model.kinds
    if measure.kernel == "near":
        if model is None:
            return compute_near_by_walk(
                document_parts, measure.within, NEAR_BUDGET, is_fixed=first_is_fixed
            )
        # without a rule of these words, the result is displayed only for comparison, and draws are
        # ten times as fast
        budget = NEAR_BUDGET if model.words is None or model.at_words else NEAR_BUDGET // 16
        return compute_near_by_walk(
            document_parts, measure.within, budget,
            is_fixed=first_is_fixed, place_kinds=place_kinds, words=model.words,
            at_words=model.at_words,
        )  # fmt: skip
    if first_is_fixed:
        return compute_fixed_by_walk(document_parts, measure, BUDGET, True, place_kinds)
    return compute_both_by_walk(
        document_parts, measure, BUDGET, moments=True, steps=STEPS, place_kinds=place_kinds
    )


PartContent = tuple[tuple[tuple[int, bool, int], ...], ...]
"""Sorted segments of both annotations: length, whether it has the label, and class."""


DrawnMean = Iterator[tuple[int, bytes, float, float]]
"""Index of each part, its content, the mean match over draws, and the standard error."""


class _DrawnMeans(NamedTuple):
    """Parts with drawn means, because they exceed the budget.

    Attributes:
        parts: all parts.
        segments: segments of each annotator in the parts.
        measure: measure of the match.
        model: places of the segments, under a rule of places.
        seed: seed of the draws.
    """

    document_parts: DocumentParts
    segments: Sequence[_SegmentsWithClasses]
    measure: Measure
    model: PlacementModel | None
    seed: int

    def draw_both(self, parts: list[int]) -> DrawnMean:
        """Draw both annotations of these parts; parts with equal content are drawn once.

        Args:
            parts: indices of the parts.
        """
        mean_by_content: dict[bytes, tuple[float, float]] = {}
        for part_index in parts:
            n, content_tuple = (
                int(self.document_parts.tokens[part_index]),
                self._build_content(part_index),
            )
            content = repr((n, content_tuple)).encode()
            if content not in mean_by_content:
                # class indices depend on the corpus, so the seed must not
                plain_content = [[segment[:2] for segment in columns] for columns in content_tuple]
                rng = create_generator(compute_content_digest((n, plain_content)), self.seed)
                mean_by_content[content] = _draw_mean(
                    n, content_tuple, self.measure, self.model, rng
                )
            yield part_index, content, *mean_by_content[content]

    def _build_content(self, part_index: int) -> PartContent:
        """Build the content of a part, in an order that does not depend on who is first."""
        contents = []
        for segments, classes in self.segments:
            rows = segments.find_part(part_index)
            has_label = segments.label[rows] == 0
            columns = segments.length[rows].tolist(), has_label.tolist(), classes[rows].tolist()
            contents.append(tuple(sorted(zip(*columns, strict=True))))
        return tuple(sorted(contents))

    def draw_second(self, parts: list[int]) -> DrawnMean:
        """Draw the second annotation of these parts; the first is fixed.

        Args:
            parts: indices of the parts.
        """
        for part_index in parts:
            documents = []
            for segments, classes in self.segments:
                in_part = segments.find_part(part_index)
                columns = (
                    segments.start[in_part],
                    segments.length[in_part],
                    segments.label[in_part],
                    classes[in_part],
                )
                documents.append(_build_document_layer(*columns))
            draws = limit_draws(DRAWS, len(documents[1][0]))
            tokens, rng = (
                int(self.document_parts.tokens[part_index]),
                np.random.default_rng(self.seed),
            )
            is_random = (False, True)
            matches = _draw_matches(
                documents, is_random, tokens, self.measure, self.model, draws, rng
            )
            # one stream for all parts, so the errors may be equal, and are added up
            yield part_index, b"one stream of draws", *compute_mean(matches)


def _draw_mean(
    tokens: int,
    content: PartContent,
    measure: Measure,
    model: PlacementModel | None,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Compute the mean match over draws of both annotations, and its standard error.

    Args:
        tokens: number of tokens of the part.
        content: sorted segments of both annotations.
        measure: measure of the match.
        model: places of the segments, under a rule of places.
        rng: random generator.
    """
    max_draws = NEAR_DRAWS if measure.kernel == "near" else DRAWS
    draws = limit_draws(max_draws, max(map(len, content)))
    columns = [
        tuple(np.array(column, np.int64) for column in zip(*rows, strict=True)) for rows in content
    ]
    has_few_pairs = len(content[0]) * len(content[1]) <= MOST_PAIRS
    if model is None and measure.kernel == "one-to-one" and has_few_pairs:
        length_and_label = [(length, has_label == 1) for length, has_label, _ in columns]
        return compute_mean(
            draw_pairs(tokens, (length_and_label[0], length_and_label[1]), measure, draws, rng)
        )
    documents = [
        _build_document_layer(0 * length, length, (1 - has_label) * index, class_index)
        for index, (length, has_label, class_index) in enumerate(columns, 1)
    ]
    return compute_mean(_draw_matches(documents, (True, True), tokens, measure, model, draws, rng))


def _build_document_layer(
    start: Ints, length: Ints, label: Ints, classes: Ints
) -> tuple[Layer, Ints]:
    """Build a layer of one document, and the class of each segment in its order."""
    layer = Layer(0 * start, start, start + length, label, np.ones(1, np.bool_))
    return layer, classes[np.lexsort((label, start + length, start))]


def _draw_matches(
    documents: Sequence[tuple[Layer, Ints]],
    is_random: tuple[bool, bool],
    tokens: int,
    measure: Measure,
    model: PlacementModel | None,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Compute the match in each draw of a document; only segments with label 0 can match.

    Args:
        documents: layer and classes of each annotator.
        is_random: mask of the annotators with random segments.
        tokens: number of tokens of the document.
        measure: measure of the match.
        model: places of the segments, under a rule of places.
        draws: number of draws.
        rng: random generator.
    """
    layers, classes = zip(*documents, strict=True)
    cells = np.array([[0, 1, 2]])  # segments with the label, and segments of A and of B without it
    arguments = (
        layers,
        is_random,
        np.array([tokens]),
        cells,
        measure,
        "nonoverlapping",
        draws,
        rng,
    )
    model_and_classes = None if model is None else (model, classes)
    return np.concatenate(
        [matches[:, 0] for matches in draw_matches(*arguments, model_and_classes)]
    )


def _find_segments_in_parts(
    layer: Layer,
    cell: Ints,
    part_cells: Ints,
    document: Ints,
    chance: str,
    index: int,
    kind_index: Ints,
) -> tuple[AnnotatorSegments, Ints]:
    """Find the segments of one annotator in the parts, and their rows in the layer.

    Segments with the label of the part get the label 0. Other labels, which only take up room,
    become one label, 1 + ``index``.

    Args:
        layer: segments of the annotator.
        cell: cell of each segment.
        part_cells: cell of each part.
        document: document of each part.
        chance: name of the chance model.
        index: 0 for the first annotator, 1 for the second.
        kind_index: kind of each segment under a rule of places.
    """
    if chance == "nonoverlapping":
        part_index, row = join_unsorted(document, layer.document)
    else:
        part_index, row = join_unsorted(part_cells, cell)
    order = np.lexsort((layer.start[row], part_index))
    part_index, row = part_index[order], row[order]
    segments = AnnotatorSegments(
        part_index,
        np.zeros(len(row), np.int64),
        layer.start[row],
        (layer.end - layer.start)[row],
        np.where(cell[row] == part_cells[part_index], 0, 1 + index),
        kind_index[row],
    )
    return segments, row
