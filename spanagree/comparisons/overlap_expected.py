"""The expected one-to-one overlap of two random annotations, for each document and label.

The greatest matching is not additive, so its mean needs the walk of both
(:mod:`spanagree.comparisons.chance_distribution.walk_both`), one for each label: the segments of
other labels only take up room. Where that is too much work, the mean is taken over one random
annotation, the first staying as it is, or over draws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, join
from spanagree.comparisons.chance_distribution.draws import draw_matches, number_of_draws
from spanagree.comparisons.chance_distribution.pieces import Pieces, Side
from spanagree.comparisons.chance_distribution.walk import fixed_walk
from spanagree.comparisons.chance_distribution.walk_both import both_walk
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
) -> ExpectedOverlap:
    """Return the expected greatest matching of each cell, a document and label.

    Args:
        layers: of the two annotators.
        cells: of each segment of either.
        count: how many cells there are.
        tokens: of each document.
        measure: the measure.
        chance: the chance model, in which the segments of a layer exclude each other.
    """
    values = np.zeros(count)
    both = np.intersect1d(*cells)
    document = np.zeros(count, np.int64)
    document[cells[0]] = layers[0].document
    sides = (
        _side(layer, cell, both, document[both], chance, number)
        for number, (layer, cell) in enumerate(zip(layers, cells, strict=True))
    )
    pieces = Pieces(document[both], tokens[document[both]], *sides)
    over = np.zeros(len(both), np.bool_)
    for piece, made in enumerate(both_walk(pieces, measure, BUDGET, moments=True)):
        over[piece] = made is None
        values[both[piece]] = 0.0 if made is None else made[0]
    rest = np.flatnonzero(over)
    drawn: list[int] = []
    for piece, made in zip(
        rest.tolist(), fixed_walk(pieces.some(rest), measure, BUDGET, moments=True), strict=True
    ):
        values[both[piece]] = 0.0 if made is None else made[0]
        if made is None:
            drawn.append(piece)
    if drawn:
        values[both[drawn]] = _drawn_means(layers, cells, both[drawn], tokens, measure, chance)
    return ExpectedOverlap(values, len(rest) - len(drawn), len(drawn))


def _side(layer: Layer, cell: Ints, both: Ints, document: Ints, chance: str, number: int) -> Side:
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
        np.zeros(len(row), np.int64),
    )


def _drawn_means(
    layers: tuple[Layer, Layer],
    cells: tuple[Ints, Ints],
    wanted: Ints,
    tokens: Ints,
    measure: Match,
    chance: str,
) -> Floats:
    """Return the mean match of some cells over draws of both annotations."""
    documents = np.unique(
        np.concatenate([x.document[np.isin(c, wanted)] for x, c in zip(layers, cells, strict=True)])
    )
    labels = 1 + max(int(layer.label.max(initial=0)) for layer in layers)
    table = np.full((len(documents), labels), len(wanted))  # the last for what is not wanted
    some = []
    everyone = np.ones(len(documents), np.bool_)
    for layer, cell in zip(layers, cells, strict=True):
        rows = np.isin(layer.document, documents)
        place = np.searchsorted(documents, layer.document[rows])
        among = np.minimum(np.searchsorted(wanted, cell[rows]), len(wanted) - 1)
        asked = wanted[among] == cell[rows]
        table[place[asked], layer.label[rows][asked]] = among[asked]
        columns = (layer.start[rows], layer.end[rows], layer.label[rows])
        some.append(Layer(place, *columns, everyone))
    draws = number_of_draws(_DRAWS, max(map(len, some)))
    total = np.zeros(len(wanted) + 1)
    rng = np.random.default_rng(0)
    for drawn in draw_matches(
        some, (True, True), tokens[documents], table, measure, chance, draws, rng
    ):
        total[: drawn.shape[1]] += drawn.sum(0)
    return total[:-1] / draws
