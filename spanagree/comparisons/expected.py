"""What two layers have in common, observed and expected, by document and label.

A measure is a function φ of two segments, one of each annotator, that adds up over all pairs
(Li et al. 2024, Prop. 1): so its expected value under two independent random annotations is the
sum over pairs of Σ_x Σ_y P_A(x) P_B(y) φ(y − x, a, b), and needs only start distributions.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import CHANCES, is_long
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import observed
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, by_layer
from spanagree.errors import check_choice
from spanagree.limits import CostError


@dataclass(frozen=True, eq=False)
class LayerWithStarts:
    """A layer with the start distribution of each segment under a chance model."""

    layer: Layer
    profile: Ints  # of each segment, its number in the starts that all layers share
    chance: ChanceModel


STARTS = {
    "segments": "spanagree.comparisons.uniform_starts.UniformStarts",
    "long": "spanagree.comparisons.coarse_starts.CoarseStarts",
    "places": "spanagree.comparisons.expected_at_places.StartsAtPlaces",
    "pieces": "spanagree.comparisons.shaped_starts.ShapedStarts",
    "relations": "spanagree.comparisons.relation_places.PairPlaces",
    "none": "spanagree.comparisons.no_starts.NoStarts",
}
"""The class of starts of each kind of corpus; of segments anywhere, at places, and of no chance."""


def kind_of_starts(corpus: Corpus, chance: ChanceModel, measure: Measure | None = None) -> str:
    """Return which of :data:`STARTS` are those of a corpus under a chance model.

    >>> from spanagree.chance.model import chance_model
    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X")]]})
    >>> [kind_of_starts(corpus, chance_model("auto", rule)) for rule in (None, "capitals")]
    ['segments', 'places']
    """
    if chance.undefined:
        return "none"
    counts_words = measure is not None and bool(measure.unit)
    if corpus.kind == "segments" and (counts_words or chance.places is not None):
        return "places"
    return corpus.kind


def compute_start_distributions(
    corpus: Corpus,
    names: tuple[str, ...],
    chance: ChanceModel,
    measure: Measure | None = None,
    *,
    coarse: bool = True,
) -> tuple[Starts, dict[str, LayerWithStarts]]:
    """Return where the segments of several layers start at random, each distinct shape once.

    Of long recordings that is known in coarser units, and of documents in which each unit would be
    more work than is allowed, if ``coarse``. For a ``measure`` that does
    not add up over pairs of segments only sizes of start distributions are right.

    Raises:
        SettingError: for an unknown chance model.
    """
    kind = kind_of_starts(corpus, chance, measure)
    if kind != "none":
        check_choice(chance.name, CHANCES, "chance")
    may_be_coarse = kind == "segments" and coarse and not chance.first_is_fixed
    if may_be_coarse and is_long(corpus):
        kind = "long"
    request = StartsRequest(corpus, names, chance, measure)
    try:
        starts, parts = _starts(kind).of(request)
    except CostError:
        if not may_be_coarse or kind == "long":
            raise
        starts, parts = _starts("long").of(request)
    layers = zip(names, parts, strict=True)
    return starts, {
        name: LayerWithStarts(corpus.layers[name], profile, chance) for name, profile in layers
    }


def _starts(kind: str) -> type[Starts]:
    """Load a class of :data:`STARTS`."""
    module, _, name = STARTS[kind].rpartition(".")
    loaded: type[Starts] = getattr(import_module(module), name)
    return loaded


def compare_layers(
    a: LayerWithStarts, b: LayerWithStarts, starts: Starts, measure: Measure, labels: int
) -> Comparisons:
    """Return what two layers have in common, observed and expected, by document and label.

    Only documents that both annotators saw count. ``labels`` is the number of labels in the
    corpus. The layers must not overlap themselves in the measure's sense
    (:func:`spanagree.comparisons.overlaps.check_layer`). If chance is that of systems only, the
    first stays as it is.
    """
    both = a.layer.annotated & b.layer.annotated
    a, b = _within(a, both), _within(b, both)
    cells, (cell_a, cell_b) = _cells((a.layer, b.layer), labels if measure.of_label else 1)
    n = len(cells)
    sides = LayerPair((a.layer, b.layer), (a.profile, b.profile), (cell_a, cell_b), n, a.chance)
    measure = starts.adapted(measure, sides)
    matched = observed(a.layer, b.layer, cell_a, cell_b, n, measure)
    expected, inexact = starts.expected(sides, measure)
    sizes, random_sizes = _sizes(sides, starts, measure)
    return Comparisons.of(
        cells // labels if measure.of_label else cells,
        cells % labels if measure.of_label else np.full(n, NO_LABEL),
        matched,
        expected,
        sizes,
        random_sizes,
        inexact=inexact,
    )


def _sizes(
    sides: LayerPair, starts: Starts, measure: Measure
) -> tuple[list[Ints], list[Floats] | None]:
    """Return the sizes of both annotations in each cell; and at random, where these vary."""
    n = sides.count
    if not measure.in_tokens:
        return [np.bincount(cell, minlength=n) for cell in sides.cells], None
    sizes, random_sizes = [], []
    for layer, profile, cell in zip(sides.layers, sides.profiles, sides.cells, strict=True):
        size = np.bincount(cell, starts.tokens(layer, profile), n)
        sizes.append(size.astype(np.int64))
        tokens = starts.random_tokens(profile)
        if tokens is not None:
            random_sizes.append(np.bincount(cell, tokens, n).astype(np.float64))
    if random_sizes and sides.first_is_fixed:
        random_sizes[0] = sizes[0].astype(np.float64)
    return sizes, random_sizes or None


def _within(x: LayerWithStarts, documents: Bools) -> LayerWithStarts:
    keep = documents[x.layer.document]
    return x if keep.all() else LayerWithStarts(x.layer.only(keep), x.profile[keep], x.chance)


def _cells(layers: tuple[Layer, ...], labels: int) -> tuple[Ints, list[Ints]]:
    """Return a cell for each document and label that occur, and which one each segment is in."""
    keys = [
        layer.document if labels == 1 else layer.document * labels + layer.label for layer in layers
    ]
    (cells,), number, _ = unique_rows(np.concatenate(keys))
    return cells, by_layer(number, layers)
