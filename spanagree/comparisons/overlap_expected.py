"""The expected one-to-one overlap of two random annotations, for each document and label.

The greatest matching is not additive. Where one annotation has a single segment to pair, its mean
is known all the same (:mod:`spanagree.comparisons.chance_distribution.single`); else it needs the
walk of both (:mod:`spanagree.comparisons.chance_distribution.walk_both`), one for each label: the
segments of other labels only take up room. Where that is too much work, the mean is taken over
draws of both. What is drawn depends on the number of tokens and what is marked how often, not on
who marked it, nor on what is compared beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, join
from spanagree.chance.model import seed_of
from spanagree.chance.near_matches import Lengths, one_random
from spanagree.comparisons.chance_distribution.draws import draw_matches, number_of_draws
from spanagree.comparisons.chance_distribution.near_at_places import near_walk_at_places
from spanagree.comparisons.chance_distribution.pair_draws import MOST_PAIRS, draw_pairs
from spanagree.comparisons.chance_distribution.pieces import Pieces, Side
from spanagree.comparisons.chance_distribution.single import single_matches
from spanagree.comparisons.chance_distribution.walk import fixed_walk
from spanagree.comparisons.chance_distribution.walk_at_places import (
    both_walk_at_places,
    fixed_walk_at_places,
)
from spanagree.comparisons.chance_distribution.walk_both import both_walk
from spanagree.comparisons.expected_at_places import AtPlaces, expected_at_places
from spanagree.comparisons.inexact import Inexact, digest_of, generator_of
from spanagree.comparisons.measures import Match
from spanagree.comparisons.near_pairs import BUDGET as NEAR_BUDGET
from spanagree.comparisons.sides import Sides
from spanagree.corpus.segments import Layer

BUDGET = 20_000_000
"""How many numbers may be computed for the mean of one document and label."""

STEPS = 8_000
"""How many steps a walk may take for it: more take longer than draws."""

DRAWS = 2000
"""Draws of a document and label; fewer if it has very many segments."""


def expected_overlap(
    sides: Sides,
    tokens: Ints,
    measure: Match,
    drawn: Inexact,
    at: AtPlaces | None,
    *,
    fixed: bool,
) -> Floats:
    """Return the expected greatest matching of each cell.

    Args:
        sides: the segments of both annotators; in the chance model those of one exclude each other.
        tokens: of each document.
        measure: the measure.
        drawn: takes what is drawn.
        at: where the segments may stand, under a rule of places.
        fixed: the first annotation stays as it is.
    """
    layers, cells = sides.layers, sides.cells
    values = np.zeros(sides.count)
    both = np.intersect1d(*cells)
    near = measure.kernel == "near"
    if at is not None and not fixed and not near:
        both = _but_single(at, sides, measure, both, values)
    document = np.zeros(sides.count, np.int64)
    document[cells[0]] = layers[0].document
    kinds = [np.zeros(len(layer), np.int64) for layer in layers]
    classes = kinds
    if at is not None:
        kinds, classes = (
            [at.kinds_of(side_classes) for side_classes in sides.profiles],
            [*sides.profiles],
        )
    marks, rows = zip(
        *(
            _side(layer, cell, both, document[both], sides.chance, number, kinds[number])
            for number, (layer, cell) in enumerate(zip(layers, cells, strict=True))
        ),
        strict=True,
    )
    pieces = Pieces(document[both], tokens[document[both]], *marks)
    walked: list[Floats | None]
    if near:
        rest, t = np.arange(len(both)), measure.within
        walked = (
            _near_with_fixed(pieces, t)
            if at is None
            else near_walk_at_places(
                pieces,
                at.kinds,
                t,
                # words from anywhere stand beside the figure only, and draws are ten times as fast
                NEAR_BUDGET if at.words is None or at.at_words else NEAR_BUDGET // 16,
                at.words,
                at_words=at.at_words,
                fixed=fixed,
            )
        )
    elif fixed:
        rest = np.arange(len(both))
        walked = (
            fixed_walk(pieces, measure, BUDGET, moments=True)
            if at is None
            else fixed_walk_at_places(pieces, at.kinds, measure, BUDGET, moments=True)
        )
    elif at is None:
        single, values[both] = single_matches(pieces, measure)
        rest = np.flatnonzero(~single)
        walked = both_walk(pieces.some(rest), measure, BUDGET, moments=True, steps=STEPS)
    else:
        rest = np.arange(len(both))
        walked = both_walk_at_places(pieces, at.kinds, measure, BUDGET, moments=True)
    over = []
    for piece, made in zip(rest.tolist(), walked, strict=True):
        if made is None:
            over.append(piece)
        else:
            values[both[piece]] = made[0]
    known: dict[bytes, tuple[float, float]] = {}
    marked = [
        _Marked(side, classes[number][of_side])
        for number, (side, of_side) in enumerate(zip(marks, rows, strict=True))
    ]
    for piece in over if fixed else ():
        seed = seed_of(sides.chance)
        values[both[piece]], error = _mean_with_fixed(pieces, marked, piece, measure, at, seed)
        drawn.add(b"one stream of draws", error)  # so errors may be alike, and add up
    for piece, (shape, what) in zip(
        over if not fixed else (), _shapes(pieces, marked, over if not fixed else []), strict=True
    ):
        if what not in known:
            n = int(pieces.tokens[piece])
            plain = [[segment[:2] for segment in side] for side in shape]  # classes have any number
            rng = generator_of(digest_of((n, plain)), seed_of(sides.chance))
            known[what] = _drawn_mean(n, shape, measure, at, rng)
        values[both[piece]], error = known[what]
        drawn.add(what, error)
    return values


def _near_with_fixed(pieces: Pieces, t: int) -> list[Floats | None]:
    """Return the mean number of near pairs of each piece, with A as it is and B anywhere."""
    means: list[Floats | None] = []
    for number, n in enumerate(pieces.tokens.tolist()):
        a, b = (side.of_piece(number) for side in (pieces.a, pieces.b))
        here = a.label == 0
        spans = np.stack((a.start[here], (a.start + a.length)[here]), axis=1).tolist()
        (length, matches), _, count = distinct(b.length, (b.label == 0).astype(np.int64))
        columns = length.tolist(), matches.astype(np.bool_).tolist(), count.tolist()
        kinds = tuple(map(Lengths, *columns))
        p = one_random(n, tuple(map(tuple, spans)), kinds, t, NEAR_BUDGET)
        means.append(None if p is None else np.array([p @ np.arange(len(p))]))
    return means


class _Marked(NamedTuple):
    """The segments of one annotator in the pieces, and their classes under a rule of places."""

    side: Side
    classes: Ints


Shape = tuple[tuple[tuple[int, bool, int], ...], ...]
"""Of both annotations all segments, sorted: length, whether it has the label, and class."""


def _shapes(
    pieces: Pieces, marked: list[_Marked], rows: list[int]
) -> Iterator[tuple[Shape, bytes]]:
    """Yield what is marked in pieces, whoever marked it: the sides in an order of their own."""
    for piece in rows:
        sides = []
        for side, classes in marked:
            low, high = np.searchsorted(side.piece, (piece, piece + 1))
            length, able = side.length[low:high], side.label[low:high] == 0
            columns = length.tolist(), able.tolist(), classes[low:high].tolist()
            sides.append(tuple(sorted(zip(*columns, strict=True))))
        shape = tuple(sorted(sides))
        yield shape, repr((int(pieces.tokens[piece]), shape)).encode()


def _drawn_mean(
    tokens: int, shape: Shape, measure: Match, places: AtPlaces | None, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the mean match over draws of both annotations, and its standard error."""
    draws = number_of_draws(DRAWS, max(map(len, shape)))
    columns = [
        tuple(np.array(column, np.int64) for column in zip(*side, strict=True)) for side in shape
    ]
    few = len(shape[0]) * len(shape[1]) <= MOST_PAIRS
    if places is None and measure.kernel == "one-to-one" and few:
        sides = [(length, able == 1) for length, able, _ in columns]
        matches = draw_pairs(tokens, (sides[0], sides[1]), measure, draws, rng)
        return float(matches.mean()), float(matches.std(ddof=1) / np.sqrt(draws))
    layers, classes = [], []
    for length, able, side_classes in columns:
        nothing = np.zeros(len(length), np.int64)
        layers.append(Layer(nothing, nothing, length, 1 - able, np.ones(1, np.bool_)))
        classes.append(side_classes[np.lexsort((1 - able, length))])  # as the rows of the layer
    cells = np.array([[0, 1]])  # what has the label, and what has none
    ask = (layers, (True, True), np.array([tokens]), cells, measure, "nonoverlapping", draws, rng)
    at = None if places is None else (places, classes)
    drawn = np.concatenate([some[:, 0] for some in draw_matches(*ask, at)])
    return float(drawn.mean()), float(drawn.std(ddof=1) / np.sqrt(draws))


def _mean_with_fixed(
    pieces: Pieces,
    marked: list[_Marked],
    piece: int,
    measure: Match,
    places: AtPlaces | None,
    seed: int,
) -> tuple[float, float]:
    """Return the mean match over draws of the second annotation, and its standard error."""
    layers, classes = [], []
    for side, side_classes in marked:
        low, high = np.searchsorted(side.piece, (piece, piece + 1))
        start, length = side.start[low:high], side.length[low:high]
        label = np.minimum(side.label[low:high], 1)
        layers.append(Layer(0 * start, start, start + length, label, np.ones(1, np.bool_)))
        order = np.lexsort((label, start + length, start))
        classes.append(side_classes[low:high][order])
    draws = number_of_draws(DRAWS, len(layers[1]))
    tokens, rng = pieces.tokens[[piece]], np.random.default_rng(seed)
    cells = np.array([[0, 1]])
    ask = (layers, (False, True), tokens, cells, measure, "nonoverlapping", draws, rng)
    at = None if places is None else (places, classes)
    matches = np.concatenate([some[:, 0] for some in draw_matches(*ask, at)])
    return float(matches.mean()), float(matches.std(ddof=1) / np.sqrt(draws))


def _but_single(at: AtPlaces, sides: Sides, measure: Match, both: Ints, values: Floats) -> Ints:
    """Fill in the cells in which either has one segment; return the others of ``both``.

    One segment of each is a pair or none, so their match is that of an additive measure.
    """
    many = [np.bincount(cell, minlength=sides.count) for cell in sides.cells]
    single = (many[0] == 1) & (many[1] == 1)
    classes, cells = (
        tuple(column[single[cell]] for column, cell in zip(columns, sides.cells, strict=True))
        for columns in (sides.profiles, sides.cells)
    )
    additive = replace(measure, kernel="offsets")
    values += expected_at_places(at, classes, cells, sides.count, additive)
    return both[~single[both]]


def _side(
    layer: Layer,
    cell: Ints,
    both: Ints,
    document: Ints,
    chance: str,
    number: int,
    kind: Ints,
) -> tuple[Side, Ints]:
    """Return a layer's segments in the pieces, and their numbers.

    The label of the piece is 0, all others are one.
    """
    if chance == "nonoverlapping":
        order = np.argsort(layer.document, kind="stable")
        piece, row = join(document, layer.document[order])
    else:
        order = np.argsort(cell, kind="stable")
        piece, row = join(both, cell[order])
    row = order[row]
    order = np.lexsort((layer.start[row], piece))
    piece, row = piece[order], row[order]
    side = Side(
        piece,
        np.zeros(len(row), np.int64),
        layer.start[row],
        (layer.end - layer.start)[row],
        np.where(cell[row] == both[piece], 0, 1 + number),
        kind[row],
    )
    return side, row
