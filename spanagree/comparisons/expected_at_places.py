"""The expected match of two random annotations that keep the kinds of their places.

Where a segment may stand depends on the text, so start distributions have no edges and middles as
those of the uniform model have: sums run over places. Segments of two annotators at one place are
of one kind, so an exact match is a sum within kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, join, ranges
from spanagree.chance.arrangements import Arrangements, arrangements
from spanagree.chance.model import places_of
from spanagree.chance.place_kinds import PlaceKinds, place_kinds
from spanagree.chance.place_rules import AnywhereRule, WordRule
from spanagree.chance.places import Places
from spanagree.chance.simulate_places import redraw_at_places
from spanagree.chance.start_distributions import Profiles, exclusion_groups
from spanagree.comparisons.measures import Match
from spanagree.comparisons.observed import similar
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, columns_of_all

_TOGETHER = 1 << 20  # numbers of cells that are computed at once
_PAIRS = 1 << 3  # times as many pairs of places, most of which are too far apart to count


@dataclass(frozen=True)
class AtPlaces:
    """Where the segments of several layers stand at random, under a rule of places.

    Attributes:
        kinds: of all segments.
        random: where they stand.
        one_rule: whether all labels have the same rule.
        free: segments do not exclude each other (the overlapping model).
        random_lengths: whether the places of a kind differ in length, as in characters.
        ruled: of each rule, whether segments may not stand anywhere.
    """

    kinds: PlaceKinds
    random: Arrangements
    one_rule: bool
    free: bool
    random_lengths: bool
    ruled: Bools

    def kinds_of(self, classes: Ints) -> Ints:
        """Return the kinds of segments."""
        return self.random.kind[classes]

    def redraw(self, layer: Layer, classes: Ints, copies: int, rng: np.random.Generator) -> Layer:
        """Draw so many random annotations of a layer, as copies of its documents."""
        kind, group = self.random.kind[classes], self.random.group[classes]
        (_,), number, _ = distinct(group)
        return redraw_at_places(layer, self.kinds, kind, number, copies, rng, free=self.free)

    def sizes(self, classes: Ints, cell: Ints, cells: int) -> Floats:
        """Return the expected size of each cell in tokens, as places of a kind differ in length."""
        size: Floats = np.bincount(cell, self.mean_length[classes], cells).astype(np.float64)
        return size

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
        at, which = ranges(random.first[:-1], random.first[1:])
        place = at - random.first[which] + self.kinds.first[random.kind[which]]
        mean = np.bincount(which, random.p * length[place], len(random.kind))
        return mean.astype(np.float64)


def at_places(
    corpus: Corpus, names: Sequence[str], chance: str
) -> tuple[AtPlaces, list[Ints]] | None:
    """Return where the segments of several layers stand, and the classes of each layer's.

    ``None`` if the chance model has no rule of places.

    Args:
        corpus: the annotations.
        names: of the layers.
        chance: the chance model, with its rule.
    """
    given = places_of(chance)
    if given is None:
        return None
    asked = str.__str__(chance), tuple(names)
    for whose, places_of_it, before, known in _LAST:
        if whose() is corpus and places_of_it is given and before == asked:
            return known
    places = given.of(corpus)
    layers = [corpus.layers[name] for name in names]
    all_of = columns_of_all(layers)
    rule = places.table[places.variant[all_of.document], all_of.label]
    kinds = place_kinds(places.rules, rule, all_of.document, all_of.start, all_of.end)
    first, group = 0, []
    for layer in layers:
        of_layer, documents = exclusion_groups(layer, len(corpus.labels), chance)
        group.append(of_layer + first)
        first += len(documents)
    random = arrangements(kinds, np.concatenate(group), free=chance == "overlapping")
    borders = np.cumsum([len(layer) for layer in layers])[:-1]
    at = AtPlaces(
        kinds,
        random,
        len(places.rules) == 1,
        chance == "overlapping",
        any(isinstance(each, WordRule) for each in places.rules),
        np.array([not isinstance(each, AnywhereRule) for each in places.rules]),
    )
    placed = at, np.split(random.class_of, borders)
    _LAST[:] = [(ref(corpus, lambda _: _LAST.clear()), given, asked, placed)]
    return placed


_LAST: list[tuple[ref[Corpus], Places, Any, tuple[AtPlaces, list[Ints]]]] = []
"""What was asked for last while its corpus lives, as what is said beside figures needs it again."""


def expected_at_places(
    at: AtPlaces,
    classes: tuple[Ints, Ints],
    cells: tuple[Ints, Ints],
    count: int,
    measure: Match,
) -> Floats:
    """Return E[Σ φ] over all pairs of random segments in the same cell, for each cell.

    Args:
        at: where the segments of either annotator stand.
        classes: of the segments of either annotator.
        cells: of the segments of either annotator.
        count: how many cells there are.
        measure: the measure, an additive one.
    """
    sides = []
    for class_of, cell in zip(classes, cells, strict=True):
        (in_cell, of_class), _, number = distinct(cell, class_of)
        sides.append((in_cell, of_class, number.astype(np.float64)))
    both = np.bincount(sides[0][0], minlength=count) * np.bincount(sides[1][0], minlength=count)
    sides = [
        (cell[both[cell] > 0], of_class[both[cell] > 0], number[both[cell] > 0])
        for cell, of_class, number in sides
    ]
    if measure.route == "equal" and (measure.of_label or at.one_rule):
        return _equal(at, sides, count)
    total = np.zeros(count)
    for portion in _portions(at, sides, both > 0, in_pairs=measure.route != "cover"):
        rows = [_rows(at, side, portion) for side in sides]
        total += _covered(rows, count) if measure.route == "cover" else _pairs(rows, count, measure)
    return total


def _equal(at: AtPlaces, sides: Sequence[tuple[Ints, Ints, Floats]], count: int) -> Floats:
    """Return Σ P_A · P_B over the places of the kinds that both have in a cell."""
    kind = at.random.kind
    (cell_a, a, number_a), (cell_b, b, number_b) = sides
    keys = np.concatenate((cell_a, cell_b)), np.concatenate((kind[a], kind[b]))
    _, which, _ = distinct(*keys)
    order = np.argsort(which[len(a) :], kind="stable")
    i, j = join(which[: len(a)], which[len(a) :][order])
    j = order[j]
    # equal pairs of classes once
    (p, q), pair, _ = distinct(a[i], b[j])
    first, p_of = at.random.first, at.random.p
    size = np.diff(first)[p]
    value = np.zeros(len(p))
    for low, high in _cut(size):
        places, row = ranges(first[p[low:high]], first[p[low:high] + 1])
        other = places - first[p[low:high]][row] + first[q[low:high]][row]
        value[low:high] = np.add.reduceat(
            p_of[places] * p_of[other], np.cumsum(size[low:high]) - size[low:high]
        )
    total = np.bincount(cell_a[i], number_a[i] * number_b[j] * value[pair], count)
    return total.astype(np.float64)


def _cut(size: Ints) -> Iterator[tuple[int, int]]:
    """Yield from which to which rows have about equal sizes together."""
    low, up_to = 0, np.cumsum(size)
    while low < len(size):
        most = (up_to[low - 1] if low else 0) + _TOGETHER
        high = max(low + 1, int(np.searchsorted(up_to, most, side="right")))
        yield low, high
        low = high


def _portions(
    at: AtPlaces, sides: Sequence[tuple[Ints, Ints, Floats]], here: Bools, *, in_pairs: bool
) -> Iterator[Ints]:
    """Yield cells whose places, or pairs of places, are looked at together."""
    size = np.diff(at.random.first)
    cells = np.flatnonzero(here)
    both = [np.bincount(cell, size[of_class], len(here)) for cell, of_class, _ in sides]
    many = both[0] * both[1] / _PAIRS if in_pairs else np.maximum(*both)
    for low, high in _cut(many[cells].astype(np.int64)):
        yield cells[low:high]


_Rows = tuple[Ints, Ints, Ints, Floats]


def _rows(at: AtPlaces, side: tuple[Ints, Ints, Floats], cells: Ints) -> _Rows:
    """Return cell, start, end and expected number of segments of each place of some cells."""
    cell, of_class, number = side
    low, high = np.searchsorted(cell, (cells[0], cells[-1] + 1))
    here = slice(int(low), int(high))
    which, start, end, p = at.random.rows(at.kinds, of_class[here])
    return cell[here][which], start, end, p * number[here][which]


def _covered(rows: Sequence[_Rows], count: int) -> Floats:
    """Return Σ_t c_A(t) · c_B(t) of each cell, c the expected number that cover a token."""
    total = np.zeros(count)
    (cells,), _, _ = distinct(rows[0][0])
    width = np.zeros(len(cells), np.int64)
    placed = []
    for cell, start, end, value in rows:
        unit = np.searchsorted(cells, cell)
        np.maximum.at(width, unit, end + 1)
        placed.append((unit, start, end, value))
    power = np.frexp(np.maximum(width - 1, 0))[1]  # of the cell alone, whatever is beside it
    for wide in np.unique(power).tolist():
        here = np.flatnonzero(power == wide)
        number = np.full(len(cells), -1)
        number[here] = np.arange(len(here))
        covers = []
        for unit, start, end, value in placed:
            row = number[unit]
            some = row >= 0
            size = len(here) << wide
            at, upto = ((row[some] << wide) + x[some] for x in (start, end))
            change = np.bincount(at, value[some], size) - np.bincount(upto, value[some], size)
            covers.append(np.cumsum(change.reshape(len(here), -1), axis=1))
        total[cells[here]] = (covers[0] * covers[1]).sum(1)
    return total


def _pairs(rows: Sequence[_Rows], count: int, measure: Match) -> Floats:
    """Return Σ P_A · P_B · φ over all pairs of places, of each cell."""
    layers, weights = [], []
    nobody = np.zeros(0, np.bool_)
    for cell, start, end, value in rows:
        order = np.lexsort((end, start, cell))
        nothing = np.zeros(len(cell), np.int64)
        layers.append(Layer(cell[order], start[order], end[order], nothing, nobody))
        weights.append(value[order])
    a, b = layers
    i, j, phi = similar(a, b, a.document, b.document, measure)
    total = np.bincount(a.document[i], weights[0][i] * weights[1][j] * phi, count)
    return total.astype(np.float64)


# --- one side as it is ---------------------------------------------------------------------------


def expected_with_fixed(
    layers: tuple[Layer, Layer],
    profiles_of: tuple[Ints, Ints],
    cells: tuple[Ints, Ints],
    count: int,
    profiles: Profiles | AtPlaces,
    measure: Match,
) -> Floats:
    """Return E[Σ φ] of the first annotation as it is and a random second one, for each cell.

    Args:
        layers: of the two annotators.
        profiles_of: of the segments of either, the start distribution or the class.
        cells: of the segments of either.
        count: how many cells there are.
        profiles: all start distributions, or where segments stand under a rule of places.
        measure: the measure, an additive one.
    """
    a, (cell_a, cell_b) = layers[0], cells
    length_b = layers[1].end - layers[1].start
    at = isinstance(profiles, AtPlaces)
    # random segments that are alike, once
    columns = cell_b, profiles_of[1], length_b * (not at)
    (in_cell, of_profile, length), _, number = distinct(*columns)
    order = np.argsort(cell_a, kind="stable")
    i, j = join(in_cell, cell_a[order])
    j = order[j]
    value = np.zeros(len(i))
    length_a = (a.end - a.start)[j]
    if isinstance(profiles, AtPlaces):
        work = np.diff(profiles.random.first)[of_profile[i]]
    elif measure.route == "equal":
        same = length[i] == length_a
        i, j, length_a = i[same], j[same], length_a[same]
        value = profiles.at(of_profile[i], a.start[j])
        work = np.zeros(0, np.int64)
    else:
        work = length[i] + length_a
    for low, high in _cut(work):
        rows = slice(low, high)
        if isinstance(profiles, AtPlaces):
            which, start, end, p = profiles.random.rows(profiles.kinds, of_profile[i[rows]])
            one = j[rows][which]
            phi = measure.phi(start - a.start[one], length_a[rows][which], end - start)
        else:
            size = length[i[rows]]
            offset, which = ranges(1 - size, length_a[rows])
            p = profiles.at(of_profile[i[rows]][which], a.start[j[rows]][which] + offset)
            phi = measure.phi(offset, length_a[rows][which], size[which])
        value[rows] = np.bincount(which, p * phi, high - low)
    total = np.bincount(in_cell[i], number[i] * value, count)
    return total.astype(np.float64)
