"""The expected match of two random annotations that keep the kinds of their places.

Where a segment may stand depends on the text, so start distributions have no edges and middles as
those of the uniform model have: sums run over places. Segments of two annotators at one place are
of one kind, so an exact match is a sum within kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple
from weakref import ref

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    distinct,
    distinct_rows,
    join,
    portions_of,
    ranges,
    row_order,
    unique,
)
from spanagree.chance.arrangements import Arrangements, arrangements
from spanagree.chance.model import places_of
from spanagree.chance.place_kinds import PlaceKinds, place_kinds
from spanagree.chance.place_rules import AnywhereRule, WordRule
from spanagree.chance.places import ANYWHERE, Places, words_of_texts
from spanagree.chance.simulate_places import redraw_at_places
from spanagree.chance.start_distributions import Profiles, exclusion_groups
from spanagree.comparisons.measures import Match, Phi, turned
from spanagree.comparisons.sides import Sides
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, by_layer, columns_of_all

_TOGETHER = 1 << 20  # numbers of cells that are computed at once
_PAIRS = 1 << 15  # pairs of places that are computed at once


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
    are: ClassVar[Literal["at places"]] = "at places"

    def kinds_of(self, classes: Ints) -> Ints:
        """Return the kinds of segments."""
        return self.random.kind[classes]

    def in_words(self, measure: Match, layers: Sequence[Layer], classes: Sequence[Ints]) -> Match:
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
    corpus: Corpus, names: Sequence[str], chance: str, unit: str = ""
) -> tuple[AtPlaces, list[Ints]] | None:
    """Return where the segments of several layers stand, and the classes of each layer's.

    ``None`` if the chance model has no rule of places, unless a tolerance counts words.

    Args:
        corpus: the annotations.
        names: of the layers.
        chance: the chance model, with its rule.
        unit: the rule of the words that a tolerance counts, if it does.
    """
    given = places_of(chance)
    if unit:
        at, classes = _at_places(corpus, names, chance, given or Places(ANYWHERE))
        words = words_of_texts(corpus, unit, f"tolerance in {unit}")
        at_words = given is not None and given.words_of_all("tolerance") == unit
        return replace(at, words=words, at_words=at_words), classes
    return None if given is None else _at_places(corpus, names, chance, given)


def _at_places(
    corpus: Corpus, names: Sequence[str], chance: str, given: Places
) -> tuple[AtPlaces, list[Ints]]:
    """Return the same under a rule."""
    asked = str.__str__(chance), tuple(names)
    for whose, places_of_it, before, known in _LAST:
        if whose() is corpus and places_of_it is given and before == asked:
            return known
    places = given.of(corpus)
    layers = [corpus.layers[name] for name in names]
    all_of = columns_of_all(layers)
    rule = places.table[places.variant[all_of.document], all_of.label]
    kinds = place_kinds(places.rules, rule, all_of.document, all_of.start, all_of.end)
    group, _ = exclusion_groups(layers, chance)
    random = arrangements(kinds, group, free=chance == "overlapping")
    at = AtPlaces(
        kinds,
        random,
        len(places.rules) == 1,
        chance == "overlapping",
        any(isinstance(rule, WordRule) for rule in places.rules),
        np.array([not isinstance(rule, AnywhereRule) for rule in places.rules]),
    )
    placed = at, by_layer(random.class_of, layers)
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
        sides.append(_Side(in_cell, of_class, number))
    both = np.multiply(*(np.bincount(side.cell, minlength=count) for side in sides)) > 0
    sides = [_Side(*(column[both[side.cell]] for column in side)) for side in sides]
    if measure.kernel == "equal" and (measure.of_label or at.one_rule):
        return _equal(at, sides, count)
    total = np.zeros(count)
    for portion in _portions(at, sides, np.flatnonzero(both)):
        some = [side.of_cells(portion) for side in sides]
        if measure.kernel == "cover":
            total[portion] = _covered(at, some, len(portion))
        else:
            total[portion] = _pairs([_rows(at, side) for side in some], len(portion), measure)
    return total


class _Side(NamedTuple):
    """The segments of one annotator that are alike: cell and class, sorted, and how many."""

    cell: Ints
    of_class: Ints
    number: Ints

    def of_cells(self, cells: Ints) -> _Side:
        """Return the segments of some cells that stand together, which are numbered from 0."""
        here = slice(*np.searchsorted(self.cell, (cells[0], cells[-1] + 1)).tolist())
        cell, of_class, number = (column[here] for column in self)
        return _Side(np.searchsorted(cells, cell), of_class, number)


def _equal(at: AtPlaces, sides: Sequence[_Side], count: int) -> Floats:
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
    for low, high in portions_of(size, _TOGETHER):
        places, row = ranges(first[p[low:high]], first[p[low:high] + 1])
        other = places - first[p[low:high]][row] + first[q[low:high]][row]
        value[low:high] = np.add.reduceat(
            p_of[places] * p_of[other], np.cumsum(size[low:high]) - size[low:high]
        )
    total = np.bincount(cell_a[i], number_a[i] * number_b[j] * value[pair], count)
    return total.astype(np.float64)


def _portions(at: AtPlaces, sides: Sequence[_Side], cells: Ints) -> Iterator[Ints]:
    """Yield cells whose places are looked at together."""
    size = np.diff(at.random.first)
    many = np.maximum(*(np.bincount(side.cell, size[side.of_class]) for side in sides))
    for low, high in portions_of(many[cells].astype(np.int64), _TOGETHER):
        yield cells[low:high]


# --- covered tokens ------------------------------------------------------------------------------


def _covered(at: AtPlaces, sides: Sequence[_Side], count: int) -> Floats:
    """Return Σ_t c_A(t) · c_B(t) of each cell, c the expected number that cover a token.

    One annotation is in many cells, of pairs of annotators: what it covers is computed once.
    """
    cell, of_class, number = (np.concatenate(columns) for columns in zip(*sides, strict=True))
    cell[len(sides[0].cell) :] += count
    annotation, one_of = _annotations(cell, of_class, number)
    power, row, covers = _covers(at, cell, of_class, number, one_of)
    first, second = annotation[:count], annotation[count:]
    total = np.zeros(count)
    (powers_a, powers_b), which, _ = distinct(power[first], power[second])
    for k, (x, y) in enumerate(zip(powers_a.tolist(), powers_b.tolist(), strict=True)):
        cells, wide = np.flatnonzero(which == k), 1 << min(x, y)
        for some in np.array_split(cells, 1 + (len(cells) * wide) // _TOGETHER):
            a, b = covers[x][row[first[some]], :wide], covers[y][row[second[some]], :wide]
            total[some] = (a * b).sum(1)
    return total


def _annotations(cell: Ints, of_class: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Return which annotation each cell has, and one cell of each annotation.

    An annotation is a set of classes, each with its number of segments.
    """
    size = np.bincount(cell)
    begin = np.cumsum(size) - size
    annotation, one_of = np.zeros(len(size), np.int64), [np.zeros(0, np.int64)]
    known = 0
    for k in unique(size).tolist():
        cells = np.flatnonzero(size == k)
        rows = begin[cells][:, None] + np.arange(k)
        alike, which, _ = distinct_rows(np.hstack((of_class[rows], number[rows])))
        annotation[cells] = which + known
        some = np.zeros(len(alike), np.int64)
        some[which] = cells
        one_of.append(some)
        known += len(alike)
    return annotation, np.concatenate(one_of)


def _covers(
    at: AtPlaces, cell: Ints, of_class: Ints, number: Ints, one_of: Ints
) -> tuple[Ints, Ints, dict[int, Floats]]:
    """Return what annotations cover, as rows of tables whose width is a power of 2.

    Args:
        at: where segments stand.
        cell, of_class, number: of segments, as :class:`_Side` has them.
        one_of: a cell of each annotation.

    Returns:
        The power of each annotation, its row, and the table of each power.
    """
    unit_of = np.full(int(cell[-1]) + 1, -1)
    unit_of[one_of] = np.arange(len(one_of))
    here = unit_of[cell] >= 0
    which, start, end, p = at.random.rows(at.kinds, of_class[here])
    unit, value = unit_of[cell[here]][which], p * number[here][which]
    width = np.zeros(len(one_of), np.int64)
    np.maximum.at(width, unit, end + 1)
    power = np.frexp(width - 1)[1].astype(np.int64)
    row, covers = np.zeros(len(one_of), np.int64), dict[int, Floats]()
    for wide in unique(power).tolist():
        units = np.flatnonzero(power == wide)
        row[units] = np.arange(len(units))
        some = power[unit] == wide
        first, size = row[unit[some]] << wide, len(units) << wide
        change = np.bincount(first + start[some], value[some], size)
        change -= np.bincount(first + end[some], value[some], size)
        covers[wide] = np.cumsum(change.reshape(len(units), -1), axis=1, dtype=np.float64)
    return power, row, covers


# --- pairs of places -----------------------------------------------------------------------------


class _Rows(NamedTuple):
    """Places by cell, start and end, with the number of segments expected there."""

    cell: Ints
    start: Ints
    end: Ints
    value: Floats


def _rows(at: AtPlaces, side: _Side) -> _Rows:
    """Return the places of an annotator's segments."""
    which, start, end, p = at.random.rows(at.kinds, side.of_class)
    value = p * side.number[which]
    order = row_order(side.cell[which], start, end)
    return _Rows(side.cell[which][order], start[order], end[order], value[order])


def _pairs(rows: Sequence[_Rows], count: int, measure: Match) -> Floats:
    """Return Σ P_A · P_B · φ over all pairs of places that overlap, of each cell.

    Of two that overlap, one begins in the other.
    """
    a, b = rows
    stretch = 1 + max(int(side.end.max()) for side in rows)  # of each cell, on one long line
    b_begins = _begun(a, b, stretch, "left", measure.phi)
    a_begins = _begun(b, a, stretch, "right", turned(measure).phi)
    total = np.bincount(a.cell, b_begins, count) + np.bincount(b.cell, a_begins, count)
    return total.astype(np.float64)


def _begun(a: _Rows, b: _Rows, stretch: int, side: Literal["left", "right"], phi: Phi) -> Floats:
    """Return Σ P_A · P_B · φ of each place of A over those of B that begin in it.

    That is where it begins too, if ``side`` is left.
    """
    line = b.cell * stretch + b.start
    low = np.searchsorted(line, a.cell * stretch + a.start, side)
    high = np.searchsorted(line, a.cell * stretch + a.end)
    total, length = np.zeros(len(low)), b.end - b.start
    some = np.flatnonzero(high > low)
    low, many = low[some], (high - low)[some]
    start, size = a.start[some], (a.end - a.start)[some]
    for first, last in portions_of(many, _PAIRS):
        here = slice(first, last)
        j, _ = ranges(low[here], low[here] + many[here])
        offset = b.start[j] - np.repeat(start[here], many[here])
        value = b.value[j] * phi(offset, np.repeat(size[here], many[here]), length[j])
        total[some[here]] = np.add.reduceat(value, np.cumsum(many[here]) - many[here])
    return total * a.value


# --- one side as it is ---------------------------------------------------------------------------


def expected_with_fixed(sides: Sides, profiles: Profiles | AtPlaces, measure: Match) -> Floats:
    """Return E[Σ φ] of the first annotation as it is and a random second one, for each cell.

    Args:
        sides: the segments of both.
        profiles: all start distributions, or where segments stand under a rule of places.
        measure: the measure, an additive one.
    """
    (a, b), (cell_a, cell_b) = sides.layers, sides.cells
    length_b = b.end - b.start
    at = isinstance(profiles, AtPlaces)
    # random segments that are alike, once
    columns = cell_b, sides.profiles[1], length_b * (not at)
    (in_cell, of_profile, length), _, number = distinct(*columns)
    order = np.argsort(cell_a, kind="stable")
    i, j = join(in_cell, cell_a[order])
    j = order[j]
    value = np.zeros(len(i))
    length_a = (a.end - a.start)[j]
    if isinstance(profiles, AtPlaces):
        work = np.diff(profiles.random.first)[of_profile[i]]
    elif measure.kernel == "equal":
        same = length[i] == length_a
        i, j, length_a = i[same], j[same], length_a[same]
        value = profiles.at(of_profile[i], a.start[j])
        work = np.zeros(0, np.int64)
    else:
        work = length[i] + length_a
    for low, high in portions_of(work, _TOGETHER):
        rows = slice(low, high)
        if isinstance(profiles, AtPlaces):
            which, start, end, p = profiles.random.rows(profiles.kinds, of_profile[i[rows]])
            fixed = j[rows][which]
            phi = measure.phi(start - a.start[fixed], length_a[rows][which], end - start)
        else:
            size = length[i[rows]]
            offset, which = ranges(1 - size, length_a[rows])
            p = profiles.at(of_profile[i[rows]][which], a.start[j[rows]][which] + offset)
            phi = measure.phi(offset, length_a[rows][which], size[which])
        value[rows] = np.bincount(which, p * phi, high - low)
    total = np.bincount(in_cell[i], number[i] * value, sides.count)
    return total.astype(np.float64)
