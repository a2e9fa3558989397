"""The match of random annotations, drawn: the witness of the exact distribution, and its fallback."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, ranges
from spanagree.chance.simulate import redraw
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.matching.measures import Match
from spanagree.matching.observed import similar

_PORTION = 1 << 18  # segments that are placed at a time


def draw_matches(
    corpus: Corpus,
    names: Sequence[str],
    random: Sequence[str],
    measure: Match,
    chance: str,
    draws: int,
    rng: np.random.Generator,
    *,
    apart: bool = False,
) -> Floats:
    """Return the match of two layers over all documents, of which one or both are placed anew.

    Many draws are made at once: as so many copies of the corpus, one after the other.

    Args:
        corpus: the documents.
        names: of the two layers.
        random: which of them are placed anew in every draw.
        measure: what counts as a match.
        chance: the chance model.
        draws: how many.
        rng: to draw from.
        apart: whether documents are kept apart: (draws, documents) rather than (draws,).
    """
    labels = max(1, len(corpus.labels))
    matches = []
    largest = max(len(corpus.layers[name]) for name in random)
    most = max(1, _PORTION // max(largest, len(corpus), 1))
    for low in range(0, draws, most):
        copies = min(most, draws - low)
        lengths = np.tile(corpus.lengths, copies)
        two, cells = [], []
        for name in names:
            layer = _copies(corpus.layers[name], copies, len(corpus))
            if name in random:
                layer = redraw(layer, lengths, labels, rng, chance)
            two.append(layer)
            cells.append(layer.document * labels + layer.label * measure.of_label)
        _, j, value = similar(*two, *cells, measure)
        document = two[1].document[j]
        if apart:
            drawn = np.bincount(document, value, copies * len(corpus)).reshape(copies, -1)
        else:
            drawn = np.bincount(document // len(corpus), value, copies)
        matches.append(drawn)
    return np.concatenate(matches)


def canonical_order(corpus: Corpus) -> list[int]:
    """Return the documents in an order of their own, so that theirs changes no draw."""
    documents = list(corpus)
    return sorted(
        range(len(corpus)),
        key=lambda d: (documents[d].length, list(documents[d].segments.values())),
    )


def _copies(layer: Layer, copies: int, documents: int) -> Layer:
    """Return the same segments in so many copies of the documents."""

    def repeated(column: Ints) -> Ints:
        return np.tile(column, copies)

    _, copy = ranges(np.zeros(copies, np.int64), np.full(copies, len(layer)))
    return Layer(
        repeated(layer.document) + copy * documents,
        repeated(layer.start),
        repeated(layer.end),
        repeated(layer.label),
        np.ones(copies * documents, np.bool_),
    )
