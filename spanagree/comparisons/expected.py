"""The additive measures: what two layers have in common, observed and expected.

A measure is a function φ of two segments, one of each annotator, that adds up over all pairs
(Li et al. 2024, Prop. 1): so its expected value under two independent random annotations is the
sum over pairs of Σ_x Σ_y P_A(x) P_B(y) φ(y − x, a, b), and needs only start distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, join
from spanagree.chance.model import places_of, seed_of, whose
from spanagree.chance.start_distributions import (
    CHANCES,
    Profiles,
    exclusion_groups,
    is_long,
    start_profiles,
)
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.measures import Match
from spanagree.comparisons.observed import observed
from spanagree.comparisons.profile_sums import correlated, cover, covered_together, inner
from spanagree.comparisons.sides import Sides
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, by_layer
from spanagree.errors import SettingError, check_choice

if TYPE_CHECKING:  # each is loaded where it is needed, as most corpora need none of them
    from spanagree.comparisons.coarse_starts import CoarseStarts
    from spanagree.comparisons.expected_at_places import AtPlaces
    from spanagree.comparisons.relation_places import PairPlaces
    from spanagree.comparisons.shaped_starts import ShapedStarts

Starts: TypeAlias = "Profiles | ShapedStarts | PairPlaces | AtPlaces | CoarseStarts"
"""Where random segments start: anywhere, in blocks of several pieces, or as relations do."""

_KINDS = 32  # pairs of kinds in a cell; of more, what covers a token is added up first

# --- observed and expected ----------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """A layer with the start distribution of each segment under a chance model."""

    layer: Layer
    profile: Ints  # of each segment, in the Profiles that all layers share
    chance: str


def place_layers(
    corpus: Corpus,
    names: tuple[str, ...],
    chance: str,
    measure: Match | None = None,
    *,
    coarse: bool = True,
) -> tuple[Starts, dict[str, Placed]]:
    """Return start distributions for the segments of several layers, each distinct shape once.

    Under a rule of places these are :class:`AtPlaces`, and a segment's profile is its class there;
    of long recordings, if ``coarse``, :class:`CoarseStarts`, and it is its kind. For a ``measure``
    that does not add up over pairs of segments only their sizes are right.

    Raises:
        SettingError: for an unknown chance model.
    """
    check_choice(chance, CHANCES, "chance")
    starts, parts = _starts_of(corpus, names, chance, measure, coarse=coarse)
    layers = zip(names, parts, strict=True)
    return starts, {name: Placed(corpus.layers[name], profile, chance) for name, profile in layers}


def _starts_of(
    corpus: Corpus, names: tuple[str, ...], chance: str, measure: Match | None, *, coarse: bool
) -> tuple[Starts, Sequence[Ints]]:
    """Return start distributions, and which of them each segment of each layer has."""
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
    if unit or places_of(chance) is not None:
        from spanagree.comparisons.expected_at_places import at_places

        at = at_places(corpus, names, chance, unit)
        assert at is not None  # as there is a rule
        return at
    if coarse and whose(chance) == "both" and is_long(corpus):
        from spanagree.comparisons.coarse_starts import CoarseStarts

        return CoarseStarts.of(corpus, names, chance)
    layers = [corpus.layers[name] for name in names]
    group, documents = exclusion_groups(layers, chance)
    profiles, profile = start_profiles(
        group,
        corpus.lengths[documents],
        np.concatenate([layer.end - layer.start for layer in layers]),
        free=chance == "overlapping" or (measure is not None and measure.one_to_one),
    )
    return profiles, by_layer(profile, layers)


def _refuse_more(chance: str, what: str, why: str) -> None:
    """Refuse a chance model with a rule of places, or of systems only.

    Raises:
        SettingError: then.
    """
    if more := getattr(chance, "settings", {}):
        name = {"places": "places", "chance_of": "chance_of"}[next(iter(more))]
        raise SettingError(f"{name} does not go with {what}: {why}")


def compare_layers(
    a: Placed, b: Placed, profiles: Starts, measure: Match, labels: int
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
    sizes = [
        np.bincount(cell, x.layer.end - x.layer.start if measure.in_tokens else None, n)
        for x, cell in ((a, cell_a), (b, cell_b))
    ]
    random_sizes = None
    sides = Sides((a.layer, b.layer), (a.profile, b.profile), (cell_a, cell_b), n, a.chance)
    if profiles.are == "at places":
        measure = profiles.in_words(measure, sides.layers, sides.profiles)
    matched = observed(a.layer, b.layer, cell_a, cell_b, n, measure)
    values, inexact = expected(sides, profiles, measure)
    if measure.in_tokens:
        of_sides = list(zip(sides.profiles, sides.cells, strict=True))
        if profiles.are == "shaped":
            sizes = [np.bincount(cell, profiles.tokens(kind), n) for kind, cell in of_sides]
        if profiles.are == "at places" and profiles.random_lengths:
            random_sizes = [profiles.sizes(kind, cell, n) for kind, cell in of_sides]
            if whose(a.chance) == "systems":
                random_sizes[0] = sizes[0].astype(np.float64)
    return Comparisons.of(
        cells // labels if measure.of_label else cells,
        cells % labels if measure.of_label else np.full(n, NO_LABEL),
        matched,
        values,
        [size.astype(np.int64) for size in sizes],
        random_sizes,
        inexact=inexact,
    )


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


def expected(sides: Sides, profiles: Starts, measure: Match) -> tuple[Floats, Inexact]:
    """Return E[Σ φ] over all pairs of random segments in the same cell, for each cell.

    Beside it stands in how many cells it is not exact.
    """
    if profiles.are == "shaped":
        return profiles.expected(sides, measure), Inexact()
    if profiles.are == "of pairs":
        return _expected_relations(sides, profiles)
    anywhere = profiles.are != "at places" and whose(sides.chance) == "both"
    if measure.kernel == "near" and anywhere:
        from spanagree.comparisons.near_pairs import expected_near

        return expected_near(sides, tokens_of(sides, profiles), measure)
    if measure.one_to_one:
        return overlap_of(sides, profiles, measure)
    if profiles.are == "coarse":
        values, error = profiles.expected(sides, measure)
        return values, Inexact(extrapolated=sides.count, off=error * sides.count)
    if whose(sides.chance) == "systems":
        from spanagree.comparisons.expected_at_places import expected_with_fixed

        return expected_with_fixed(sides, profiles, measure), Inexact()
    cells = sides.count
    if profiles.are == "at places":
        from spanagree.comparisons.expected_at_places import expected_at_places

        return expected_at_places(profiles, sides.profiles, sides.cells, cells, measure), Inexact()
    # segments that chance treats alike: same cell, length and start distribution
    kinds = []
    for layer, profile, cell in zip(sides.layers, sides.profiles, sides.cells, strict=True):
        columns, _, number = distinct(cell, layer.end - layer.start, profile)
        kinds.append((*columns, number))
    summed = np.zeros(cells)
    if measure.kernel == "cover":
        many = np.prod([np.bincount(kind[0], minlength=cells) for kind in kinds], axis=0) > _KINDS
        if many.any():
            together = [tuple(column[many[kind[0]]] for column in kind) for kind in kinds]
            summed = covered_together(profiles, together, cells)
            kinds = [tuple(column[~many[kind[0]]] for column in kind) for kind in kinds]
    (kind_a, length_a, profile_a, number_a), (kind_b, length_b, profile_b, number_b) = kinds
    i, j = join(kind_a, kind_b)
    if measure.kernel == "equal":
        equal = length_a[i] == length_b[j]
        i, j = i[equal], j[equal]
    columns = (profile_a[i], length_a[i], profile_b[j], length_b[j])
    (p, p_length, q, q_length), which, _ = distinct(*columns)
    value = _expected_of_pairs(profiles, p, p_length, q, q_length, measure)[which]
    return summed + np.bincount(kind_a[i], number_a[i] * number_b[j] * value, cells), Inexact()


def _expected_relations(sides: Sides, places: PairPlaces) -> tuple[Floats, Inexact]:
    """Return the expected number of relations in common, for each cell."""
    ((kind_a, set_a), _, number_a), ((kind_b, set_b), _, number_b) = (
        distinct(*columns) for columns in zip(sides.cells, sides.profiles, strict=True)
    )
    i, j = join(kind_a, kind_b)
    drawn, number = Inexact(), number_a[i] * number_b[j]
    if places.corpus.rule.arguments == "random":
        from spanagree.comparisons.random_arguments import expected_shares  # few need draws

        alike = places.alike(set_a[i], set_b[j])
        i, j, number = i[alike], j[alike], number[alike]
        share, error = expected_shares(places, set_a[i], set_b[j], seed_of(sides.chance))
        for row in np.flatnonzero(error).tolist():
            document = places.groups[1][places.sets[0][set_a[i[row]]]]
            drawn.add(document.tobytes(), float(number[row] * error[row]))
    else:
        share = places.inner(set_a[i], set_b[j])
    return np.bincount(kind_a[i], number * share, sides.count).astype(np.float64), drawn


def _expected_of_pairs(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, measure: Match
) -> Floats:
    """Return E[φ] of a random segment of A and one of B, for each pair of profiles and lengths."""
    if measure.kernel == "equal":
        return inner(profiles, profile_a, profiles, profile_b)
    if measure.kernel == "cover":
        cover_a, row_a = cover(profiles, profile_a, a)
        cover_b, row_b = cover(profiles, profile_b, b)
        return inner(cover_a, row_a, cover_b, row_b)
    return correlated(profiles, profile_a, a, profile_b, b, measure.phi)


def overlap_of(
    sides: Sides, profiles: Profiles | AtPlaces | CoarseStarts, measure: Match
) -> tuple[Floats, Inexact]:
    """Return the expected one-to-one matches of each cell, and how they were computed."""
    from spanagree.comparisons.overlap_expected import expected_overlap

    drawn, at = Inexact(), profiles if profiles.are == "at places" else None
    fixed = whose(sides.chance) == "systems"
    values = expected_overlap(sides, tokens_of(sides, profiles), measure, drawn, at, fixed=fixed)
    return values, drawn


def tokens_of(sides: Sides, profiles: Profiles | AtPlaces | CoarseStarts) -> Ints:
    """Return the number of tokens of each document in which one has segments, by its number.

    Under a rule of places that is where the last place ends.
    """
    last = max(int(layer.document.max(initial=0)) for layer in sides.layers)
    tokens = np.zeros(1 + last, np.int64)
    for layer, profile in zip(sides.layers, sides.profiles, strict=True):
        if profiles.are == "coarse":
            group = profiles.tokens[profile]
        elif profiles.are == "at places":
            group = profiles.longest[profile]
        else:
            group = profiles.size[profile] + layer.end - layer.start - 1
        np.maximum.at(tokens, layer.document, group)
    return tokens
