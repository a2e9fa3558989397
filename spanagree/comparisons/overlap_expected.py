"""The expected one-to-one overlap of two random annotations, for each document and label.

The greatest matching is not additive, so its mean needs the walk of both
(:mod:`spanagree.comparisons.chance_distribution.walk_both`), one for each label: the segments of
other labels only take up room. Where that is too much work, the mean is taken over one random
annotation, the first staying as it is, or over draws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, join
from spanagree.comparisons.chance_distribution.draws import draw_matches, number_of_draws
from spanagree.comparisons.chance_distribution.pieces import Pieces, Side
from spanagree.comparisons.chance_distribution.walk import fixed_walk
from spanagree.comparisons.chance_distribution.walk_at_places import (
    both_walk_at_places,
    fixed_walk_at_places,
)
from spanagree.comparisons.chance_distribution.walk_both import both_walk
from spanagree.comparisons.expected_at_places import AtPlaces, expected_at_places
from spanagree.comparisons.measures import Match
from spanagree.corpus.segments import Layer

BUDGET = 20_000_000
"""How many numbers may be computed for the mean of one document and label."""

_DRAWS = 1000


class ExpectedOverlap(NamedTuple):
    """The expected match of each cell, and in how many it is not that of two random annotations.

    Attributes:
        values: of each cell.
        fixed: for how many cells the first annotation stays as it is.
        drawn: for how many the mean is over draws.
    """

    values: Floats
    fixed: int
    drawn: int


def expected_overlap(
    layers: tuple[Layer, Layer],
    cells: tuple[Ints, Ints],
    count: int,
    tokens: Ints,
    measure: Match,
    chance: str,
    at: tuple[AtPlaces, tuple[Ints, Ints]] | None = None,
) -> ExpectedOverlap:
    """Return the expected greatest matching of each cell, a document and label.

    Args:
        layers: of the two annotators.
        cells: of each segment of either.
        count: how many cells there are.
        tokens: of each document.
        measure: the measure.
        chance: the chance model, in which the segments of a layer exclude each other.
        at: where the segments may stand, and their classes, under a rule of places.
    """
    values = np.zeros(count)
    both = np.intersect1d(*cells)
    if at is not None:
        both = _but_single(at, cells, count, measure, both, values)
    document = np.zeros(count, np.int64)
    document[cells[0]] = layers[0].document
    kinds = [np.zeros(len(layer), np.int64) for layer in layers]
    if at is not None:
        kinds = [at[0].kinds_of(classes) for classes in at[1]]
    sides = (
        _side(layer, cell, both, document[both], chance, number, kinds[number])
        for number, (layer, cell) in enumerate(zip(layers, cells, strict=True))
    )
    pieces = Pieces(document[both], tokens[document[both]], *sides)
    over = np.zeros(len(both), np.bool_)
    walked = (
        both_walk(pieces, measure, BUDGET, moments=True)
        if at is None
        else both_walk_at_places(pieces, at[0].kinds, measure, BUDGET, moments=True)
    )
    for piece, made in enumerate(walked):
        over[piece] = made is None
        values[both[piece]] = 0.0 if made is None else made[0]
    rest = np.flatnonzero(over)
    drawn: list[int] = []
    walked = (
        fixed_walk(pieces.some(rest), measure, BUDGET, moments=True)
        if at is None
        else fixed_walk_at_places(pieces.some(rest), at[0].kinds, measure, BUDGET, moments=True)
    )
    for piece, made in zip(rest.tolist(), walked, strict=True):
        values[both[piece]] = 0.0 if made is None else made[0]
        if made is None:
            drawn.append(piece)
    if drawn:
        values[both[drawn]] = _drawn_means(layers, cells, both[drawn], tokens, measure, chance, at)
    return ExpectedOverlap(values, len(rest) - len(drawn), len(drawn))


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
) -> Side:
    """Return a layer's segments in the pieces: the label of the piece is 0, all others are one."""
    if chance == "nonoverlapping":
        order = np.argsort(layer.document, kind="stable")
        piece, row = join(document, layer.document[order])
    else:
        order = np.argsort(cell, kind="stable")
        piece, row = join(both, cell[order])
    row = order[row]
    order = np.lexsort((layer.start[row], piece))
    piece, row = piece[order], row[order]
    return Side(
        piece,
        np.zeros(len(row), np.int64),
        layer.start[row],
        (layer.end - layer.start)[row],
        np.where(cell[row] == both[piece], 0, 1 + number),
        kind[row],
    )


def _drawn_means(
    layers: tuple[Layer, Layer],
    cells: tuple[Ints, Ints],
    wanted: Ints,
    tokens: Ints,
    measure: Match,
    chance: str,
    at: tuple[AtPlaces, tuple[Ints, Ints]] | None,
) -> Floats:
    """Return the mean match of some cells over draws of both annotations."""
    documents = np.unique(
        np.concatenate([x.document[np.isin(c, wanted)] for x, c in zip(layers, cells, strict=True)])
    )
    labels = 1 + max(int(layer.label.max(initial=0)) for layer in layers)
    table = np.full((len(documents), labels), len(wanted))  # the last for what is not wanted
    some: list[Layer] = []
    classes: list[Ints] = []
    everyone = np.ones(len(documents), np.bool_)
    for number, (layer, cell) in enumerate(zip(layers, cells, strict=True)):
        rows = np.isin(layer.document, documents)
        place = np.searchsorted(documents, layer.document[rows])
        among = np.minimum(np.searchsorted(wanted, cell[rows]), len(wanted) - 1)
        asked = wanted[among] == cell[rows]
        table[place[asked], layer.label[rows][asked]] = among[asked]
        columns = (layer.start[rows], layer.end[rows], layer.label[rows])
        some.append(Layer(place, *columns, everyone))
        if at is not None:
            classes.append(at[1][number][rows])
    draws = number_of_draws(_DRAWS, max(map(len, some)))
    total = np.zeros(len(wanted) + 1)
    rng = np.random.default_rng(0)
    for drawn in draw_matches(
        some, (True, True), tokens[documents], table, measure, chance, draws, rng,
        None if at is None else (at[0], classes),
    ):  # fmt: skip
        total[: drawn.shape[1]] += drawn.sum(0)
    return total[:-1] / draws
