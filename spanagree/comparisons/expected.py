"""What two layers have in common, observed and expected, by document and label.

A measure is a function φ of two segments, one of each annotator, that adds up over all pairs
(Li et al. 2024, Prop. 1): so its expected value under two independent random annotations is the
sum over pairs of Σ_x Σ_y P_A(x) P_B(y) φ(y − x, a, b), and needs only start distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import (
    CHANCES,
    exclusion_groups,
    is_long,
    start_profiles,
)
from spanagree.comparisons.measures import Match
from spanagree.comparisons.observed import observed
from spanagree.comparisons.starts import Sides, Starts
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, by_layer
from spanagree.errors import SettingError, check_choice
from spanagree.limits import CostError


@dataclass(frozen=True, eq=False)
class Placed:
    """A layer with the start distribution of each segment under a chance model."""

    layer: Layer
    profile: Ints  # of each segment, its number in the starts that all layers share
    chance: ChanceModel


def place_layers(
    corpus: Corpus,
    names: tuple[str, ...],
    chance: ChanceModel,
    measure: Match | None = None,
    *,
    coarse: bool = True,
) -> tuple[Starts, dict[str, Placed]]:
    """Return where the segments of several layers start at random, each distinct shape once.

    Of long recordings that is known in coarser units, and of documents in which each unit would be
    more work than is allowed, if ``coarse``. For a ``measure`` that does
    not add up over pairs of segments only sizes of start distributions are right.

    Raises:
        SettingError: for an unknown chance model.
    """
    if not chance.undefined:
        check_choice(chance.name, CHANCES, "chance")
    starts, parts = _starts_of(corpus, names, chance, measure, coarse=coarse)
    layers = zip(names, parts, strict=True)
    return starts, {name: Placed(corpus.layers[name], profile, chance) for name, profile in layers}


def _starts_of(
    corpus: Corpus,
    names: tuple[str, ...],
    chance: ChanceModel,
    measure: Match | None,
    *,
    coarse: bool,
) -> tuple[Starts, Sequence[Ints]]:
    """Return start distributions, and which of them each segment of each layer has."""
    if chance.undefined:
        from spanagree.comparisons.no_starts import NoStarts  # most segments have a chance

        return NoStarts.of(corpus, names)
    if corpus.of_relations:
        from spanagree.comparisons.relation_places import PairPlaces, RelationCorpus

        assert isinstance(corpus, RelationCorpus)
        _refuse_more(chance, "relations and attributes", "their chance is over marked segments")
        return PairPlaces.of(corpus, names)
    if corpus.has_pieces:
        from spanagree.comparisons.shaped_starts import ShapedStarts

        why = "these keep their shape and may stand anywhere"
        _refuse_more(chance, "segments of several pieces", why)
        return ShapedStarts.of(corpus, names, chance)
    unit = "" if measure is None else measure.unit
    if unit or chance.places is not None:
        from spanagree.comparisons.expected_at_places import StartsAtPlaces

        return StartsAtPlaces.of(corpus, names, chance, unit)
    may_be_coarse = coarse and not chance.first_is_fixed
    if not (may_be_coarse and is_long(corpus)):
        layers = [corpus.layers[name] for name in names]
        group, documents = exclusion_groups(layers, chance.name)
        try:
            profiles, profile = start_profiles(
                group,
                corpus.lengths[documents],
                np.concatenate([layer.end - layer.start for layer in layers]),
                free=chance.is_free or (measure is not None and measure.one_to_one),
            )
        except CostError:
            if not may_be_coarse:
                raise
        else:
            return UniformStarts(profiles), by_layer(profile, layers)
    from spanagree.comparisons.coarse_starts import CoarseStarts

    return CoarseStarts.of(corpus, names, chance)


def _refuse_more(chance: ChanceModel, what: str, why: str) -> None:
    """Refuse a chance model with a rule of places, or of systems only.

    Raises:
        SettingError: then.
    """
    if chance.keeps:
        raise SettingError(f"{next(iter(chance.keeps))} does not go with {what}: {why}")


def compare_layers(
    a: Placed, b: Placed, starts: Starts, measure: Match, labels: int
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
    sides = Sides((a.layer, b.layer), (a.profile, b.profile), (cell_a, cell_b), n, a.chance)
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


def _sizes(sides: Sides, starts: Starts, measure: Match) -> tuple[list[Ints], list[Floats] | None]:
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


def _within(x: Placed, documents: Bools) -> Placed:
    keep = documents[x.layer.document]
    return x if keep.all() else Placed(x.layer.only(keep), x.profile[keep], x.chance)


def _cells(layers: tuple[Layer, ...], labels: int) -> tuple[Ints, list[Ints]]:
    """Return a cell for each document and label that occur, and which one each segment is in."""
    keys = [
        layer.document if labels == 1 else layer.document * labels + layer.label for layer in layers
    ]
    (cells,), number, _ = distinct(np.concatenate(keys))
    return cells, by_layer(number, layers)
