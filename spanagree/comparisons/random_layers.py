"""A random baseline: what it has in common with other layers, as a mean over many draws of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, dense_ranks
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.comparisons.inexact import mean_of
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import observed
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import pluralize

NAME = "random"
"""What the layer is called that is drawn."""

REDRAWN = 100
"""How many draws of it a figure is the mean of."""


class RandomMean(NamedTuple):
    """The mean over the draws, and what each of them adds up to.

    Attributes:
        matched: of each document and label; (documents, labels).
        totals: of each draw; (draws,).
    """

    matched: Floats
    totals: Floats

    def note(self, size: float, fixed: str) -> str:
        """Say what the figures are, which side is random, and the standard error of F1."""
        error = 0.0 if not size else 2 * mean_of(self.totals)[1] / size
        draws = pluralize(len(self.totals), "draw")
        return (
            f"{NAME}: means of {draws}, the standard error of F1 is {error:.2g}; only this side is"
            f" random, {fixed}"
        )


def is_drawn(corpus: Corpus) -> bool:
    """Return whether a corpus has a layer that was drawn, whose segments are in one piece."""
    made = corpus.reading.get("made", {}).get(NAME, "")
    layer = corpus.layers.get(NAME)
    return "/seed-" in made and layer is not None and layer.details is None


def redrawn(corpus: Corpus) -> Iterator[Layer]:
    """Yield the random layer, its segments placed anew, as often as a mean is over.

    The draws depend on the seed of the layer and on the ids of documents, not on their order.
    """
    chance, _, seed = corpus.reading["made"][NAME].rpartition("/seed-")
    place = np.arange(len(corpus)) if corpus.ids is None else dense_ranks(corpus.ids)
    lengths, back = np.empty_like(corpus.lengths), np.argsort(place)
    lengths[place] = corpus.lengths
    drawn = corpus.layers[NAME]
    base = Layer(
        place[drawn.document],
        drawn.start,
        drawn.end,
        drawn.label,
        drawn.annotated[back],
        drawn.details,
    )
    rng = np.random.default_rng([int(seed), REDRAWN])
    for _ in range(REDRAWN):
        moved = draw_random_layer(base, lengths, max(1, len(corpus.labels)), rng, chance)
        yield Layer(back[moved.document], moved.start, moved.end, moved.label, drawn.annotated)


def matches_of(
    layer: Layer, others: Sequence[Layer], measure: Measure, size: int, labels: int
) -> Floats:
    """Return what a layer has in common with others together; (documents, labels)."""
    by_label = measure.of_label and labels > 1
    matched = np.zeros(size * labels)
    for other in others:
        cell, cell_other = (
            side.document * labels + (side.label if by_label else 0) for side in (layer, other)
        )
        matched += observed(other, layer, cell_other, cell, len(matched), measure)
    return matched.reshape(-1, labels)


def mean_of_random(corpus: Corpus, others: Sequence[str], measure: Measure) -> RandomMean:
    """Return what the random layer has in common with others: its segments are placed anew."""
    labels = max(1, len(corpus.labels))
    matched, totals = np.zeros((len(corpus), labels)), np.zeros(REDRAWN)
    references = [corpus.layers[name] for name in others]
    for draw, layer in enumerate(redrawn(corpus)):
        here = matches_of(layer, references, measure, len(corpus), labels)
        matched += here
        totals[draw] = here.sum()
    return RandomMean(matched / REDRAWN, totals)
