"""Comparison of two layers, observed and expected, for each document and label.

A measure φ of two segments adds up over all pairs, one segment of each annotator (Li et al. 2024,
Prop. 1). So under two independent random annotations

    E[Σ φ] = Σ over pairs of Σ_x Σ_y P_A(x) P_B(y) φ(y − x, a, b),

for segments with lengths a and b at x and y. This needs only the start distributions P of the
segments. *Starts* are an object with the distributions of several layers
(:mod:`spanagree.comparisons.starts`). A *cell* is a document and label with a segment of either
annotator, or a document if labels are not compared; arrays have one entry for each cell, or for
each segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import CHANCES, is_long
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import compute_observed
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, split_by_layer
from spanagree.errors import check_choice
from spanagree.limits import CostError


@dataclass(frozen=True, eq=False)
class LayerWithStarts:
    """A layer with the start distribution of each segment under a chance model.

    Attributes:
        layer: segments.
        profile: index of each segment in the starts that all layers share.
        chance: chance model.
    """

    layer: Layer
    profile: Ints
    chance: ChanceModel


STARTS = {
    "segments": "spanagree.comparisons.uniform_starts.UniformStarts",
    "long": "spanagree.comparisons.coarse_starts.CoarseStarts",
    "places": "spanagree.comparisons.expected_at_places.StartsAtPlaces",
    "pieces": "spanagree.comparisons.shaped_starts.ShapedStarts",
    "relations": "spanagree.comparisons.relation_places.PairPlaces",
    "none": "spanagree.comparisons.no_starts.NoStarts",
}
"""Class of starts for each kind of corpus, for rules of places, and without chance."""


def find_starts_key(corpus: Corpus, chance: ChanceModel, measure: Measure | None = None) -> str:
    """Find the key in :data:`STARTS` for a corpus and a chance model.

    >>> from spanagree.chance.model import build_chance_model
    >>> corpus = Corpus.from_segments([5], {"a": [[(0, 2, "X")]]})
    >>> [find_starts_key(corpus, build_chance_model("auto", rule)) for rule in (None, "capitals")]
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
    """Compute the start distributions of the segments of several layers.

    Long recordings use coarser units, and so do documents in which sums over all units would exceed
    the budget, if ``coarse``. If ``measure`` does not add up over pairs of segments, only the sizes
    of the start distributions are correct.

    Returns:
        Starts that all layers share, and each layer with the index of its segments in them, by
        name.

    Raises:
        SettingError: for an unknown chance model.
    """
    starts_key = find_starts_key(corpus, chance, measure)
    if starts_key != "none":
        check_choice(chance.name, CHANCES, "chance")
    may_be_coarse = starts_key == "segments" and coarse and not chance.first_is_fixed
    if may_be_coarse and is_long(corpus):
        starts_key = "long"
    request = StartsRequest(corpus, names, chance, measure)
    try:
        starts, profiles = _load_starts(starts_key).from_request(request)
    except CostError:
        if not may_be_coarse or starts_key == "long":
            raise
        starts, profiles = _load_starts("long").from_request(request)
    layers = zip(names, profiles, strict=True)
    return starts, {
        name: LayerWithStarts(corpus.layers[name], profile, chance) for name, profile in layers
    }


def _load_starts(starts_key: str) -> type[Starts]:
    """Import the class of starts with a key of :data:`STARTS`."""
    module, _, name = STARTS[starts_key].rpartition(".")
    loaded: type[Starts] = getattr(import_module(module), name)
    return loaded


def compare_layers(
    a: LayerWithStarts, b: LayerWithStarts, starts: Starts, measure: Measure, n_labels: int
) -> Comparisons:
    """Compute the observed and the expected match of two layers, for each document and label.

    Only documents that both annotators saw count. The caller has checked that the layers have no
    overlaps that the measure forbids. If only systems are random, the first layer is fixed.

    Args:
        a, b: layers with their start distributions.
        starts: start distributions that the layers refer to.
        measure: measure of two segments.
        n_labels: number of labels of the corpus.
    """
    is_shared = a.layer.annotated & b.layer.annotated
    a, b = _select_documents(a, is_shared), _select_documents(b, is_shared)
    cells, (cell_a, cell_b) = _find_cells((a.layer, b.layer), n_labels if measure.of_label else 1)
    n = len(cells)
    layer_pair = LayerPair(
        (a.layer, b.layer), (a.profile, b.profile), (cell_a, cell_b), n, a.chance
    )
    measure = starts.adapt_measure(measure, layer_pair)
    matched = compute_observed(a.layer, b.layer, cell_a, cell_b, n, measure)
    expected, inexact = starts.compute_expected(layer_pair, measure)
    sizes, random_sizes = _compute_sizes(layer_pair, starts, measure)
    return Comparisons.of(
        cells // n_labels if measure.of_label else cells,
        cells % n_labels if measure.of_label else np.full(n, NO_LABEL),
        matched,
        expected,
        sizes,
        random_sizes,
        inexact=inexact,
    )


def _compute_sizes(
    layer_pair: LayerPair, starts: Starts, measure: Measure
) -> tuple[list[Ints], list[Floats] | None]:
    """Compute the sizes of both annotations in each cell.

    Returns:
        Sizes of A and of B, in segments or tokens; and their expected values, ``None`` if random
        annotations have the same sizes.
    """
    n = layer_pair.count
    if not measure.in_tokens:
        return [np.bincount(cell, minlength=n) for cell in layer_pair.cells], None
    sizes, random_sizes = [], []
    for layer, profile, cell in zip(
        layer_pair.layers, layer_pair.profiles, layer_pair.cells, strict=True
    ):
        size = np.bincount(cell, starts.count_tokens(layer, profile), n)
        sizes.append(size.astype(np.int64))
        expected_tokens = starts.compute_expected_tokens(profile)
        if expected_tokens is not None:
            random_sizes.append(np.bincount(cell, expected_tokens, n).astype(np.float64))
    if random_sizes and layer_pair.first_is_fixed:
        random_sizes[0] = sizes[0].astype(np.float64)
    return sizes, random_sizes or None


def _select_documents(layer_with_starts: LayerWithStarts, documents: Bools) -> LayerWithStarts:
    """Select the segments of the documents that a mask marks."""
    is_kept = documents[layer_with_starts.layer.document]
    return (
        layer_with_starts
        if is_kept.all()
        else LayerWithStarts(
            layer_with_starts.layer.only(is_kept),
            layer_with_starts.profile[is_kept],
            layer_with_starts.chance,
        )
    )


def _find_cells(layers: tuple[Layer, ...], n_labels: int) -> tuple[Ints, list[Ints]]:
    """Number the documents and labels with a segment as cells.

    Returns:
        Code of each cell, document · labels + label; and the cell of each segment of each layer.
    """
    keys = [
        layer.document if n_labels == 1 else layer.document * n_labels + layer.label
        for layer in layers
    ]
    (cells,), cell_index, _ = unique_rows(np.concatenate(keys))
    return cells, split_by_layer(cell_index, layers)
