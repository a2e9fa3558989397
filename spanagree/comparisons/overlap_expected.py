"""The expected one-to-one match of two random annotations, for each document and label.

The greatest matching is not additive. Where one annotation has a single segment to pair, its mean
is known all the same (:mod:`spanagree.comparisons.chance_distribution.single`); else it needs the
walk of both (:mod:`spanagree.comparisons.chance_distribution.walk_both`), one for each label: the
segments of other labels only take up room. Where that is too much work, the mean is taken over
draws of both. What is drawn depends on the number of tokens and what is marked how often, not on
who marked it, nor on what is compared beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, join_unsorted
from spanagree.chance.walk import BUDGET
from spanagree.comparisons.at_places import PlacementModel
from spanagree.comparisons.chance_distribution.draws import draw_matches, number_of_draws
from spanagree.comparisons.chance_distribution.fixed_walk import fixed_walk
from spanagree.comparisons.chance_distribution.pair_draws import MOST_PAIRS, draw_pairs
from spanagree.comparisons.chance_distribution.pieces import AnnotatorSegments, DocumentParts
from spanagree.comparisons.chance_distribution.single import single_matches
from spanagree.comparisons.chance_distribution.walk_both import both_walk, near_walk
from spanagree.comparisons.inexact import ApproximationError, digest_of, generator_of, mean_of
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.starts import LayerPair
from spanagree.corpus.segments import Layer

STEPS = BUDGET // 2500
"""Number of steps within the budget: each takes as long as 2,500 numbers, if it has no more."""

NEAR_BUDGET = BUDGET * 3 // 20
"""The budget in numbers of pairs within a tolerance, whose tables are small: each takes longer."""

DRAWS = 2000
"""Draws of a document and label; fewer if it has very many segments."""

NEAR_DRAWS = 1000
"""Draws of both annotations for pairs within a tolerance, which take longer to count."""


def expected_overlap(
    sides: LayerPair,
    tokens: Ints,
    measure: Measure,
    at: PlacementModel | None = None,
    cells: Ints | None = None,
) -> tuple[Floats, ApproximationError]:
    """Return the expected greatest matching of each cell, and what of it is drawn.

    Args:
        sides: the segments of both annotators; in the chance model those of one exclude each other.
        tokens: of each document.
        measure: the measure, of overlap or with a tolerance.
        at: where the segments may stand, under a rule of places.
        cells: those in which both have segments, or some of them; the others are 0.
    """
    values, drawn = np.zeros(sides.count), ApproximationError()
    both = np.intersect1d(*sides.cells) if cells is None else cells
    fixed = sides.first_is_fixed
    pieces, marked = _pieces(sides, tokens, both, at)
    rest, todo = np.arange(len(both)), pieces
    if at is None and not fixed and measure.kernel != "near":
        single, values[both] = single_matches(pieces, measure)
        rest = np.flatnonzero(~single)
        todo = pieces.some(rest)
    over = []
    for piece, mean in zip(rest.tolist(), _walked(todo, measure, at, fixed=fixed), strict=True):
        if mean is None:
            over.append(piece)
        else:
            values[both[piece]] = mean[0]
    drawing = _Drawing(pieces, marked, measure, at, sides.chance.seed)
    draw = drawing.second if fixed else drawing.both
    for piece, what, mean_of_draws, error in draw(over):
        values[both[piece]] = mean_of_draws
        drawn.add(what, error)
    return values, drawn


class _MarkedTokens(NamedTuple):
    """The segments of one annotator in the pieces, and their classes under a rule of places."""

    side: AnnotatorSegments
    classes: Ints


def _pieces(
    sides: LayerPair, tokens: Ints, both: Ints, at: PlacementModel | None
) -> tuple[DocumentParts, list[_MarkedTokens]]:
    """Return cells as pieces, and what either annotator marked in them."""
    document = np.zeros(sides.count, np.int64)
    document[sides.cells[0]] = sides.layers[0].document
    marked = []
    for number, (layer, cell) in enumerate(zip(sides.layers, sides.cells, strict=True)):
        classes = kinds = np.zeros(len(layer), np.int64)
        if at is not None:
            classes = sides.profiles[number]
            kinds = at.kinds_of(classes)
        side, row = _side(layer, cell, both, document[both], sides.chance.name, number, kinds)
        marked.append(_MarkedTokens(side, classes[row]))
    a, b = (of_one.side for of_one in marked)
    return DocumentParts(document[both], tokens[document[both]], a, b), marked


def _walked(
    pieces: DocumentParts, measure: Measure, at: PlacementModel | None, *, fixed: bool
) -> list[Floats | None]:
    """Return the mean of each piece, first of what is known of it; ``None`` over the budget."""
    kinds = None if at is None else at.kinds
    if measure.kernel == "near":
        if at is None:
            return near_walk(pieces, measure.within, NEAR_BUDGET, is_fixed=fixed)
        # words from anywhere stand beside the figure only, and draws are ten times as fast
        budget = NEAR_BUDGET if at.words is None or at.at_words else NEAR_BUDGET // 16
        return near_walk(
            pieces, measure.within, budget,
            is_fixed=fixed, kinds=kinds, words=at.words, at_words=at.at_words,
        )  # fmt: skip
    if fixed:
        return fixed_walk(pieces, measure, BUDGET, True, kinds)
    return both_walk(pieces, measure, BUDGET, moments=True, steps=STEPS, kinds=kinds)


Shape = tuple[tuple[tuple[int, bool, int], ...], ...]
"""Of both annotations all segments, sorted: length, whether it has the label, and class."""


Drawn = Iterator[tuple[int, bytes, float, float]]
"""Of some pieces the number, what is drawn, the mean match over draws, and its standard error."""


class _Drawing(NamedTuple):
    """Pieces whose means are drawn, as they are over the budget.

    Attributes:
        pieces: all pieces.
        marked: what either annotator marked in them.
        measure: the measure.
        at: where the segments may stand, under a rule of places.
        seed: of the draws.
    """

    pieces: DocumentParts
    marked: Sequence[_MarkedTokens]
    measure: Measure
    at: PlacementModel | None
    seed: int

    def both(self, rows: list[int]) -> Drawn:
        """Draw both annotations of some pieces; those that are alike, once."""
        known: dict[bytes, tuple[float, float]] = {}
        for piece in rows:
            n, shape = int(self.pieces.tokens[piece]), self._shape(piece)
            what = repr((n, shape)).encode()
            if what not in known:
                # classes have any number
                plain = [[segment[:2] for segment in side] for side in shape]
                rng = generator_of(digest_of((n, plain)), self.seed)
                known[what] = _drawn_mean(n, shape, self.measure, self.at, rng)
            yield piece, what, *known[what]

    def _shape(self, piece: int) -> Shape:
        """Return what is marked in a piece, the sides in an order of their own."""
        sides = []
        for side, classes in self.marked:
            here = slice(*np.searchsorted(side.piece, (piece, piece + 1)).tolist())
            able = side.label[here] == 0
            columns = side.length[here].tolist(), able.tolist(), classes[here].tolist()
            sides.append(tuple(sorted(zip(*columns, strict=True))))
        return tuple(sorted(sides))

    def second(self, rows: list[int]) -> Drawn:
        """Draw the second annotation of some pieces, with the first as it is."""
        for piece in rows:
            documents = []
            for side, classes in self.marked:
                here = slice(*np.searchsorted(side.piece, (piece, piece + 1)).tolist())
                columns = side.start[here], side.length[here], side.label[here], classes[here]
                documents.append(_document(*columns))
            draws = number_of_draws(DRAWS, len(documents[1][0]))
            tokens, rng = int(self.pieces.tokens[piece]), np.random.default_rng(self.seed)
            random = (False, True)
            matches = _matches(documents, random, tokens, self.measure, self.at, draws, rng)
            # of one stream of draws, so errors may be alike, and add up
            yield piece, b"one stream of draws", *mean_of(matches)


def _drawn_mean(
    tokens: int,
    shape: Shape,
    measure: Measure,
    places: PlacementModel | None,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the mean match over draws of both annotations, and its standard error."""
    asked = NEAR_DRAWS if measure.kernel == "near" else DRAWS
    draws = number_of_draws(asked, max(map(len, shape)))
    columns = [
        tuple(np.array(column, np.int64) for column in zip(*side, strict=True)) for side in shape
    ]
    few = len(shape[0]) * len(shape[1]) <= MOST_PAIRS
    if places is None and measure.kernel == "one-to-one" and few:
        sides = [(length, able == 1) for length, able, _ in columns]
        return mean_of(draw_pairs(tokens, (sides[0], sides[1]), measure, draws, rng))
    marked = [
        _document(0 * length, length, (1 - able) * number, which)
        for number, (length, able, which) in enumerate(columns, 1)
    ]
    return mean_of(_matches(marked, (True, True), tokens, measure, places, draws, rng))


def _document(start: Ints, length: Ints, label: Ints, classes: Ints) -> tuple[Layer, Ints]:
    """Return segments as a layer of one document, and their classes in the order of its rows."""
    layer = Layer(0 * start, start, start + length, label, np.ones(1, np.bool_))
    return layer, classes[np.lexsort((label, start + length, start))]


def _matches(
    marked: Sequence[tuple[Layer, Ints]],
    random: tuple[bool, bool],
    tokens: int,
    measure: Measure,
    places: PlacementModel | None,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the match in each draw of a document; segments without label 0 only take up room."""
    layers, classes = zip(*marked, strict=True)
    cells = np.array([[0, 1, 2]])  # what has the label, and what has none in A, and in B
    ask = (layers, random, np.array([tokens]), cells, measure, "nonoverlapping", draws, rng)
    at = None if places is None else (places, classes)
    return np.concatenate([some[:, 0] for some in draw_matches(*ask, at)])


def _side(
    layer: Layer,
    cell: Ints,
    both: Ints,
    document: Ints,
    chance: str,
    number: int,
    kind: Ints,
) -> tuple[AnnotatorSegments, Ints]:
    """Return a layer's segments in the pieces, and their numbers.

    The label of the piece is 0, all others are one.
    """
    if chance == "nonoverlapping":
        piece, row = join_unsorted(document, layer.document)
    else:
        piece, row = join_unsorted(both, cell)
    order = np.lexsort((layer.start[row], piece))
    piece, row = piece[order], row[order]
    side = AnnotatorSegments(
        piece,
        np.zeros(len(row), np.int64),
        layer.start[row],
        (layer.end - layer.start)[row],
        np.where(cell[row] == both[piece], 0, 1 + number),
        kind[row],
    )
    return side, row
