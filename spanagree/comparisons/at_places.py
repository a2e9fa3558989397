"""Where the segments of several layers stand at random, under a rule of places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges, unique_rows
from spanagree.chance.arrangements import Arrangements, arrangements
from spanagree.chance.model import ChanceModel
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.place_rules import AnywhereRule, WordRule
from spanagree.chance.places import ANYWHERE, Places, words_of_texts
from spanagree.chance.simulate_places import redraw_at_places
from spanagree.chance.start_distributions import exclusion_groups
from spanagree.comparisons.measures import Measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, by_layer, columns_of_all


@dataclass(frozen=True, eq=False)
class PlacementModel:
    """Where the segments of several layers stand at random, under a rule of places.

    Attributes:
        kinds: of all segments.
        random: where they stand.
        one_rule: whether all labels have the same rule.
        free: segments do not exclude each other (the overlapping model).
        random_lengths: whether the places of a kind differ in length, as in characters.
        ruled: of each rule, whether segments may not stand anywhere.
        words: where words stand, if a tolerance counts these.
        at_words: whether the rule is that of these words.
    """

    kinds: PlaceKinds
    random: Arrangements
    one_rule: bool
    free: bool
    random_lengths: bool
    ruled: Bools
    words: WordRule | None = None
    at_words: bool = False

    def kinds_of(self, classes: Ints) -> Ints:
        """Return the kinds of segments."""
        return self.random.kind[classes]

    def in_words(
        self, measure: Measure, layers: Sequence[Layer], classes: Sequence[Ints]
    ) -> Measure:
        """Return a measure of these layers whose tolerance counts words, if it does.

        Copies of all documents may follow each other in a layer.
        """
        words = self.words
        if words is None:
            return measure
        real = np.zeros(len(layers[0].annotated), np.int64)
        for layer, of_layer in zip(layers, classes, strict=True):
            real[layer.document] = self.kinds.document[self.random.kind[of_layer]]

        def borders(layer: Layer) -> tuple[Ints, Ints]:
            document = real[layer.document % len(real)]
            return words.in_words(document, layer.start, layer.end)

        return replace(measure, borders=borders)

    def redraw(self, layer: Layer, classes: Ints, copies: int, rng: np.random.Generator) -> Layer:
        """Draw so many random annotations of a layer, as copies of its documents."""
        kind, group = self.random.kind[classes], self.random.group[classes]
        (_,), number, _ = unique_rows(group)
        return redraw_at_places(layer, self.kinds, kind, number, copies, rng, free=self.free)

    @cached_property
    def longest(self) -> Ints:
        """Where the last place of each class ends: its document is at least as long."""
        ends: Ints = np.maximum.reduceat(self.kinds.end, self.kinds.first[:-1])
        return ends[self.random.kind]

    @cached_property
    def mean_length(self) -> Floats:
        """The expected length of the segments of each class."""
        random = self.random
        length = (self.kinds.end - self.kinds.start).astype(np.float64)
        at, which = expand_ranges(random.first[:-1], random.first[1:])
        place = at - random.first[which] + self.kinds.first[random.kind[which]]
        mean = np.bincount(which, random.p * length[place], len(random.kind))
        return mean.astype(np.float64)


def placement_model(
    corpus: Corpus, names: Sequence[str], chance: ChanceModel, unit: str = ""
) -> tuple[PlacementModel, list[Ints]] | None:
    """Return where the segments of several layers stand, and the classes of each layer's.

    ``None`` if the chance model has no rule of places, unless a tolerance counts words.

    Args:
        corpus: the annotations.
        names: of the layers.
        chance: the chance model, with its rule.
        unit: the rule of the words that a tolerance counts, if it does.
    """
    given = chance.places
    if unit:
        at, classes = _at_places(corpus, names, chance, given or Places(ANYWHERE))
        words = words_of_texts(corpus, unit, f"tolerance in {unit}")
        at_words = given is not None and given.words_of_all("tolerance") == unit
        return replace(at, words=words, at_words=at_words), classes
    return None if given is None else _at_places(corpus, names, chance, given)


def _at_places(
    corpus: Corpus, names: Sequence[str], chance: ChanceModel, given: Places
) -> tuple[PlacementModel, list[Ints]]:
    """Return the same under a rule."""
    asked = chance.name, tuple(names)
    for of_corpus, rule, before, known in _LAST:
        if of_corpus() is corpus and rule is given and before == asked:
            return known
    places = given.of(corpus)
    layers = [corpus.layers[name] for name in names]
    kinds = places.kinds(columns_of_all(layers))
    group, _ = exclusion_groups(layers, chance.name)
    random = arrangements(kinds, group, free=chance.is_free)
    at = PlacementModel(
        kinds,
        random,
        len(places.rules) == 1,
        chance.is_free,
        any(isinstance(rule, WordRule) for rule in places.rules),
        np.array([not isinstance(rule, AnywhereRule) for rule in places.rules]),
    )
    placed = at, by_layer(random.class_of, layers)
    _LAST[:] = [(ref(corpus, lambda _: _LAST.clear()), given, asked, placed)]
    return placed


_LAST: list[tuple[ref[Corpus], Places, Any, tuple[PlacementModel, list[Ints]]]] = []
"""What was asked for last while its corpus lives, as what is said beside figures needs it again."""
