"""The expected one-to-one overlap of two random annotations, for each document and label.

The greatest matching is not additive. Where one annotation has a single segment to pair, its mean
is known all the same (:mod:`spanagree.comparisons.chance_distribution.single`); else it needs the
walk of both (:mod:`spanagree.comparisons.chance_distribution.walk_both`), one for each label: the
segments of other labels only take up room. Where that is too much work, the mean is taken over
draws of both. What is drawn depends on the number of tokens and what is marked how often, not on
who marked it, nor on what is compared beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, join
from spanagree.comparisons.chance_distribution.draws import draw_matches, number_of_draws
from spanagree.comparisons.chance_distribution.pieces import Pieces, Side
from spanagree.comparisons.chance_distribution.single import single_matches
from spanagree.comparisons.chance_distribution.walk import fixed_walk
from spanagree.comparisons.chance_distribution.walk_at_places import (
    both_walk_at_places,
    fixed_walk_at_places,
)
from spanagree.comparisons.chance_distribution.walk_both import both_walk
from spanagree.comparisons.drawn_means import DrawnMeans
from spanagree.comparisons.expected_at_places import AtPlaces, expected_at_places
from spanagree.comparisons.measures import Match
from spanagree.corpus.segments import Layer

BUDGET = 20_000_000
"""How many numbers may be computed for the mean of one document and label."""

STEPS = 8_000
"""How many steps a walk may take for it: more take longer than draws."""

DRAWS = 2000
"""Draws of a document and label; fewer if it has very many segments."""


def expected_overlap(
    layers: tuple[Layer, Layer],
    cells: tuple[Ints, Ints],
    count: int,
    tokens: Ints,
    measure: Match,
    chance: str,
    drawn: DrawnMeans,
    at: tuple[AtPlaces, tuple[Ints, Ints]] | None = None,
    *,
    fixed: bool = False,
) -> Floats:
    """Return the expected greatest matching of each cell, a document and label.

    Args:
        layers: of the two annotators.
        cells: of each segment of either.
        count: how many cells there are.
        tokens: of each document.
        measure: the measure.
        chance: the chance model, in which the segments of a layer exclude each other.
        drawn: takes what is drawn.
        at: where the segments may stand, and their classes, under a rule of places.
        fixed: the first annotation stays as it is.
    """
    values = np.zeros(count)
    both = np.intersect1d(*cells)
    if at is not None and not fixed:
        both = _but_single(at, cells, count, measure, both, values)
    document = np.zeros(count, np.int64)
    document[cells[0]] = layers[0].document
    kinds = [np.zeros(len(layer), np.int64) for layer in layers]
    classes = kinds
    if at is not None:
        kinds, classes = [at[0].kinds_of(each) for each in at[1]], [*at[1]]
    sides, rows = zip(
        *(
            _side(layer, cell, both, document[both], chance, number, kinds[number])
            for number, (layer, cell) in enumerate(zip(layers, cells, strict=True))
        ),
        strict=True,
    )
    pieces = Pieces(document[both], tokens[document[both]], *sides)
    walked: list[Floats | None]
    if fixed:
        rest = np.arange(len(both))
        walked = (
            fixed_walk(pieces, measure, BUDGET, moments=True)
            if at is None
            else fixed_walk_at_places(pieces, at[0].kinds, measure, BUDGET, moments=True)
        )
    elif at is None:
        single, values[both] = single_matches(pieces, measure)
        rest = np.flatnonzero(~single)
        walked = both_walk(pieces.some(rest), measure, BUDGET, moments=True, steps=STEPS)
    else:
        rest = np.arange(len(both))
        walked = both_walk_at_places(pieces, at[0].kinds, measure, BUDGET, moments=True)
    over = []
    for piece, made in zip(rest.tolist(), walked, strict=True):
        if made is None:
            over.append(piece)
        else:
            values[both[piece]] = made[0]
    known: dict[bytes, tuple[float, float]] = {}
    marked = [
        _Marked(side, classes[number][of_side])
        for number, (side, of_side) in enumerate(zip(sides, rows, strict=True))
    ]
    for piece in over if fixed else ():
        places = None if at is None else at[0]
        values[both[piece]], error = _mean_with_fixed(pieces, marked, piece, measure, places)
        drawn.add(repr(piece).encode(), error)
    for piece, (shape, what) in zip(
        over if not fixed else (), _shapes(pieces, marked, over if not fixed else []), strict=True
    ):
        if what not in known:
            n, places = int(pieces.tokens[piece]), None if at is None else at[0]
            plain = [[segment[:2] for segment in side] for side in shape]  # classes have any number
            seed = hashlib.sha256(repr((n, plain)).encode()).digest()[:16]
            rng = np.random.default_rng(int.from_bytes(seed, "little"))
            known[what] = _drawn_mean(n, shape, measure, places, rng)
        values[both[piece]], error = known[what]
        drawn.add(what, error)
    return values


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
    layers, classes = [], []
    for side in shape:
        length, able, own = (np.array(column, np.int64) for column in zip(*side, strict=True))
        nothing = np.zeros(len(side), np.int64)
        layers.append(Layer(nothing, nothing, length, 1 - able, np.ones(1, np.bool_)))
        classes.append(own)
    cells = np.array([[0, 1]])  # what has the label, and what has none
    draws = number_of_draws(DRAWS, max(map(len, layers)))
    ask = (layers, (True, True), np.array([tokens]), cells, measure, "nonoverlapping", draws, rng)
    at = None if places is None else (places, classes)
    matches = np.concatenate([some[:, 0] for some in draw_matches(*ask, at)])
    return float(matches.mean()), float(matches.std(ddof=1) / np.sqrt(draws))


def _mean_with_fixed(
    pieces: Pieces, marked: list[_Marked], piece: int, measure: Match, places: AtPlaces | None
) -> tuple[float, float]:
    """Return the mean match over draws of the second annotation, and its standard error."""
    layers, classes = [], []
    for side, own in marked:
        low, high = np.searchsorted(side.piece, (piece, piece + 1))
        start, length = side.start[low:high], side.length[low:high]
        label = np.minimum(side.label[low:high], 1)
        layers.append(Layer(0 * start, start, start + length, label, np.ones(1, np.bool_)))
        order = np.lexsort((label, start + length, start))
        classes.append(own[low:high][order])
    draws = number_of_draws(DRAWS, len(layers[1]))
    tokens, rng = pieces.tokens[[piece]], np.random.default_rng(0)
    cells = np.array([[0, 1]])
    ask = (layers, (False, True), tokens, cells, measure, "nonoverlapping", draws, rng)
    at = None if places is None else (places, classes)
    matches = np.concatenate([some[:, 0] for some in draw_matches(*ask, at)])
    return float(matches.mean()), float(matches.std(ddof=1) / np.sqrt(draws))


def _but_single(
    at: tuple[AtPlaces, tuple[Ints, Ints]],
    cells: tuple[Ints, Ints],
    count: int,
    measure: Match,
    both: Ints,
    values: Floats,
) -> Ints:
    """Fill in the cells in which either has one segment; return the others of ``both``.

    One segment of each is a pair or none, so their match is that of an additive measure.
    """
    many = [np.bincount(cell, minlength=count) for cell in cells]
    single = (many[0] == 1) & (many[1] == 1)
    rows = [single[cell] for cell in cells]
    classes = at[1][0][rows[0]], at[1][1][rows[1]]
    here = cells[0][rows[0]], cells[1][rows[1]]
    additive = replace(measure, route="offsets")
    values += expected_at_places(at[0], classes, here, count, additive)
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
