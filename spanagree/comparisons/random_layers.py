"""Comparisons of a random baseline with other layers, as means over draws of the baseline.

Arrays have the shape (documents, labels), or (draws,).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, dense_ranks
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.comparisons.inexact import compute_mean
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import compute_observed
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import pluralize

NAME = "random"
"""Name of the random layer."""

REDRAWN = 100
"""Number of draws of the random layer in a mean."""


class RandomMean(NamedTuple):
    """Mean match of the random layer, with the total of each draw.

    Attributes:
        matched: mean match of each document and label; (documents, labels).
        totals: total match of each draw; (draws,).
    """

    matched: Floats
    totals: Floats

    def write_note(self, size: float, fixed: str) -> str:
        """Write the note on the random layer, with the standard error of F1.

        ``size`` is the total size of all compared annotations, ``fixed`` a clause on the fixed
        side.
        """
        error = 0.0 if not size else 2 * compute_mean(self.totals)[1] / size
        draws = pluralize(len(self.totals), "draw")
        return (
            f"{NAME}: means of {draws}, the standard error of F1 is {error:.2g}; only this side is"
            f" random, {fixed}"
        )


def is_drawn(corpus: Corpus) -> bool:
    """Check whether a corpus has a random layer of contiguous segments."""
    origin = corpus.reading.get("made", {}).get(NAME, "")
    layer = corpus.layers.get(NAME)
    return "/seed-" in origin and layer is not None and layer.details is None


def yield_random_layers(
    corpus: Corpus, layer: Layer, rng: np.random.Generator, chance: str
) -> Iterator[Layer]:
    """Yield layers with the segments of a layer at random places, without end.

    The draws depend on the ids of documents, not on their order.

    Args:
        corpus: documents of the layer.
        layer: segments to place.
        rng: generator of random numbers.
        chance: name of the chance model.
    """
    position = np.arange(len(corpus)) if corpus.ids is None else dense_ranks(corpus.ids)
    lengths, inverse = np.empty_like(corpus.lengths), np.argsort(position)
    lengths[position] = corpus.lengths
    sorted_layer = Layer(
        position[layer.document],
        layer.start,
        layer.end,
        layer.label,
        layer.annotated[inverse],
        layer.details,
    )
    n_labels = max(1, len(corpus.labels))
    while True:
        drawn = draw_random_layer(sorted_layer, lengths, n_labels, rng, chance)
        yield Layer(inverse[drawn.document], drawn.start, drawn.end, drawn.label, layer.annotated)


def yield_redrawn_layers(corpus: Corpus) -> Iterator[Layer]:
    """Yield random layers with the segments of the random layer, :data:`REDRAWN` times.

    The draws depend on the seed of the layer and on the ids of documents, not on their order.
    """
    chance, _, seed = corpus.reading["made"][NAME].rpartition("/seed-")
    rng = np.random.default_rng([int(seed), REDRAWN])
    layers = yield_random_layers(corpus, corpus.layers[NAME], rng, chance)
    return itertools.islice(layers, REDRAWN)


def count_matches(
    layer: Layer, references: Sequence[Layer], measure: Measure, n_documents: int, n_labels: int
) -> Floats:
    """Compute the total match of a layer with several other layers; (documents, labels)."""
    by_label = measure.of_label and n_labels > 1
    matched = np.zeros(n_documents * n_labels)
    for reference in references:
        cell, cell_other = (
            segments.document * n_labels + (segments.label if by_label else 0)
            for segments in (layer, reference)
        )
        matched += compute_observed(reference, layer, cell_other, cell, len(matched), measure)
    return matched.reshape(-1, n_labels)


def compute_mean_of_random(
    corpus: Corpus, other_names: Sequence[str], measure: Measure
) -> RandomMean:
    """Compute the mean match of the random layer with other layers, over :data:`REDRAWN` draws."""
    n_labels = max(1, len(corpus.labels))
    matched, totals = np.zeros((len(corpus), n_labels)), np.zeros(REDRAWN)
    references = [corpus.layers[name] for name in other_names]
    for draw, layer in enumerate(yield_redrawn_layers(corpus)):
        draw_matches = count_matches(layer, references, measure, len(corpus), n_labels)
        matched += draw_matches
        totals[draw] = draw_matches.sum()
    return RandomMean(matched / REDRAWN, totals)
