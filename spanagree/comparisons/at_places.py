"""Random places of the segments of several layers under a rule of places.

Under a rule, each random segment keeps the *kind* of its place, a set of places of a document
(:mod:`spanagree.chance.place_kinds`): P(x) is positive only for places x of that kind. Segments
that exclude each other form a *group*. Segments of one group and one kind have the same
distribution, and form a *class*. Arrays have one entry for each class, segment or place, as stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges, unique_rows
from spanagree.chance.arrangements import Arrangements, compute_arrangements
from spanagree.chance.model import ChanceModel
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.place_rules import AnywhereRule, WordRule
from spanagree.chance.places import ANYWHERE, Places, find_words_of_texts
from spanagree.chance.simulate_places import redraw_at_places
from spanagree.chance.start_distributions import find_exclusion_groups
from spanagree.comparisons.measures import Measure
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, concatenate_segments, split_by_layer


@dataclass(frozen=True, eq=False)
class PlacementModel:
    """Distributions of the segments of several layers over places, under a rule of places.

    Attributes:
        kinds: kinds of places of all segments.
        random: distribution of each class of segments over the places of its kind.
        one_rule: True if all labels have the same rule.
        free: True if segments do not exclude each other (the overlapping model).
        random_lengths: True if the places of a kind differ in length, as in characters.
        ruled: mask of the rules that do not allow all places.
        words: positions of words, if a tolerance counts words.
        at_words: True if the rule is that of these words.
    """

    kinds: PlaceKinds
    random: Arrangements
    one_rule: bool
    free: bool
    random_lengths: bool
    ruled: Bools
    words: WordRule | None = None
    at_words: bool = False

    def look_up_kinds(self, classes: Ints) -> Ints:
        """Look up the kinds of these classes of segments."""
        return self.random.kind[classes]

    def convert_to_words(
        self, measure: Measure, layers: Sequence[Layer], classes: Sequence[Ints]
    ) -> Measure:
        """Build the measure that compares borders in words, if its tolerance counts words.

        A layer may contain several copies of all documents, one after another.

        Args:
            measure: measure of the layers.
            layers: layers that are compared.
            classes: class of each segment of each layer.
        """
        words = self.words
        if words is None:
            return measure
        document_of_copy = np.zeros(len(layers[0].annotated), np.int64)
        for layer, classes_of_layer in zip(layers, classes, strict=True):
            document_of_copy[layer.document] = self.kinds.document[
                self.random.kind[classes_of_layer]
            ]

        def find_word_borders(layer: Layer) -> tuple[Ints, Ints]:
            """Find the first touched word of each segment, and the word after the last one."""
            document = document_of_copy[layer.document % len(document_of_copy)]
            return words.convert_to_words(document, layer.start, layer.end)

        return replace(measure, borders=find_word_borders)

    def redraw(self, layer: Layer, classes: Ints, copies: int, rng: np.random.Generator) -> Layer:
        """Draw random annotations of a layer, with each segment at a random place of its own kind.

        Args:
            layer: segments to place.
            classes: class of each segment.
            copies: number of random annotations.
            rng: random generator.

        Returns:
            Layer with the documents of all random annotations, one annotation after the other.
        """
        kind_of_segment, group = self.random.kind[classes], self.random.group[classes]
        (_,), group_index, _ = unique_rows(group)
        return redraw_at_places(
            layer, self.kinds, kind_of_segment, group_index, copies, rng, free=self.free
        )

    @cached_property
    def longest(self) -> Ints:
        """Largest end of a place of each class: a lower bound of the length of its document."""
        ends: Ints = np.maximum.reduceat(self.kinds.end, self.kinds.first[:-1])
        return ends[self.random.kind]

    @cached_property
    def mean_length(self) -> Floats:
        """Expected length of the segments of each class."""
        random = self.random
        length = (self.kinds.end - self.kinds.start).astype(np.float64)
        row, class_index = expand_ranges(random.first[:-1], random.first[1:])
        place_index = row - random.first[class_index] + self.kinds.first[random.kind[class_index]]
        mean = np.bincount(class_index, random.p * length[place_index], len(random.kind))
        return mean.astype(np.float64)


def build_placement_model(
    corpus: Corpus, names: Sequence[str], chance: ChanceModel, unit: str = ""
) -> tuple[PlacementModel, list[Ints]] | None:
    """Compute the distributions of the segments of several layers over places.

    Args:
        corpus: annotations.
        names: names of the layers.
        chance: chance model with its rule.
        unit: rule of the words that a tolerance counts, or empty.

    Returns:
        Model, and the class of each segment of each layer. ``None`` if the chance model has no rule
        of places and no tolerance counts words.
    """
    places = chance.places
    if unit:
        model, classes = _build_cached_model(corpus, names, chance, places or Places(ANYWHERE))
        words = find_words_of_texts(corpus, unit, f"tolerance in {unit}")
        at_words = places is not None and places.find_words_of_all("tolerance") == unit
        return replace(model, words=words, at_words=at_words), classes
    return None if places is None else _build_cached_model(corpus, names, chance, places)


def _build_cached_model(
    corpus: Corpus, names: Sequence[str], chance: ChanceModel, places: Places
) -> tuple[PlacementModel, list[Ints]]:
    """Build the model and the classes under a rule; the last result is kept."""
    request = chance.name, tuple(names)
    for corpus_ref, rule, earlier_request, result in _LAST:
        if corpus_ref() is corpus and rule is places and earlier_request == request:
            return result
    bound_places = places.bind_to_corpus(corpus)
    layers = [corpus.layers[name] for name in names]
    kinds = bound_places.find_kinds(concatenate_segments(layers))
    group, _ = find_exclusion_groups(layers, chance.name)
    random = compute_arrangements(kinds, group, free=chance.is_free)
    model = PlacementModel(
        kinds,
        random,
        len(bound_places.rules) == 1,
        chance.is_free,
        any(isinstance(rule, WordRule) for rule in bound_places.rules),
        np.array([not isinstance(rule, AnywhereRule) for rule in bound_places.rules]),
    )
    model_and_classes = model, split_by_layer(random.class_of, layers)
    _LAST[:] = [(ref(corpus, lambda _: _LAST.clear()), places, request, model_and_classes)]
    return model_and_classes


_LAST: list[tuple[ref[Corpus], Places, Any, tuple[PlacementModel, list[Ints]]]] = []
"""The last result, kept as long as its corpus exists, because notes and tables need it again."""
