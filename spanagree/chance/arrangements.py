"""Where the segments of a random annotation stand that keeps how many there are of each kind.

A *group* holds segments that exclude each other: those of one annotator in a document, or of one
label too. With kinds i, of which the group has cᵢ, count the arrangements that fill a part of the
document::

    F[0] = 1;  F[u][p] = Σ over q ≤ p, kinds i, places (s, q) of i:  F[u − eᵢ][s]

for u segments of each kind in front of the border p, and B likewise behind it. Then a segment of
kind i stands at (s, e) with the probability Σ_u F[u][s] · B[c − eᵢ − u][e] / (cᵢ · F[c][n]). All
terms are positive. Many groups with the same counts are computed at once, each u a gather and a
running sum.

Where a group has too many u, the number of its segments is kept exactly and their kinds in the mean
only: each kind has a weight, and there is one F for each number of segments (*mixture*).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, distinct_rows, groups, ranges
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.start_distributions import start_profiles

BUDGET = 1 << 22
"""The most numbers that a group's arrangements may take; above it the mixture is taken."""

_TOGETHER = 1 << 18  # numbers of groups that are computed at once
_POWER = 900  # numbers below 2 to this are not scaled
_CLOSE = 1e-6  # relative; kinds of the mixture are met as closely
_ROUNDS = 2000


@dataclass(frozen=True, eq=False)
class Arrangements:
    """Where the segments of many random annotations stand.

    Segments of a group and kind are of one *class* and have the same distribution.

    Attributes:
        class_of: of each segment, its class.
        group: of each class.
        kind: of each class.
        count: of each class, how many segments.
        first: of each class, where its places stand in ``p``; one more than there are classes.
        p: the probability of each place of the class's kind.
        mixed: the groups of which kinds are kept in the mean only.
    """

    class_of: Ints
    group: Ints
    kind: Ints
    count: Ints
    first: Ints
    p: Floats
    mixed: Ints

    def rows(self, kinds: PlaceKinds, classes: Ints) -> tuple[Ints, Ints, Ints, Floats]:
        """Return the places of some classes: which of them, start, end and probability."""
        at, which = ranges(self.first[classes], self.first[classes + 1])
        place = at - self.first[classes][which] + kinds.first[self.kind[classes]][which]
        return which, kinds.start[place], kinds.end[place], self.p[at]


def arrangements(
    kinds: PlaceKinds, group: Ints, *, free: bool = False, budget: float = BUDGET
) -> Arrangements:
    """Return where the segments of random annotations stand.

    Args:
        kinds: of the segments.
        group: of each segment; segments of one group exclude each other.
        free: segments do not exclude each other (the overlapping model).
        budget: the most numbers of one group before the mixture is taken.
    """
    (of_group, of_kind), class_of, count = distinct(group, kinds.kind)
    size = kinds.places[of_kind]
    first = np.append(0, np.cumsum(size))
    p = np.repeat(1 / np.maximum(size, 1), size)
    mixed = np.zeros(0, np.int64)
    if not free and len(of_group):
        todo = _not_uniform(kinds, of_group, of_kind, count)
        made = Arrangements(class_of, of_group, of_kind, count, first, p, mixed)
        todo = _in_slots(kinds, made, todo)
        mixed = _in_order(kinds, made, todo, budget)
    return Arrangements(class_of, of_group, of_kind, count, first, p, mixed)


def _by_group(of_group: Ints, rows: Bools) -> Ints:
    """Return how many classes of each group are among these rows."""
    return np.bincount(of_group, rows, int(of_group.max()) + 1).astype(np.int64)


def _not_uniform(kinds: PlaceKinds, of_group: Ints, of_kind: Ints, count: Ints) -> Bools:
    """Return the classes of groups in which segments are not uniform on the places of their kind.

    A segment alone is, and segments of one token each, where kinds share no places.
    """
    many = np.bincount(of_group, count)
    longest = np.maximum.reduceat(kinds.end - kinds.start, kinds.first[:-1])[of_kind]
    apart = _by_group(of_group, (longest > 1) | _other_rule(kinds, of_group, of_kind))
    return ((many > 1) & (apart > 0))[of_group]


def _other_rule(kinds: PlaceKinds, of_group: Ints, of_kind: Ints) -> Bools:
    """Return the classes of another rule than one of their group's classes."""
    some = np.full(int(of_group.max()) + 1, -1)
    some[of_group] = kinds.rule[of_kind]
    return kinds.rule[of_kind] != some[of_group]


def _in_slots(kinds: PlaceKinds, made: Arrangements, todo: Bools) -> Bools:
    """Fill in the groups whose segments may stand in any slots; return the classes of the others.

    They are those of the uniform model with slots for tokens, such as words.
    """
    of_group, of_kind = made.group, made.kind
    here = np.flatnonzero(todo & _slots_only(kinds, of_group, of_kind))
    if not len(here):
        return todo
    (_,), group, _ = distinct(of_group[here])
    slots = np.zeros(int(group.max()) + 1, np.int64)
    slots[group] = kinds.slots[of_kind[here]]
    segment = np.repeat(np.arange(len(here)), made.count[here])
    profiles, profile = start_profiles(group[segment], slots, kinds.taken[of_kind[here]][segment])
    of_class = np.zeros(len(here), np.int64)
    of_class[segment] = profile
    at, which = ranges(made.first[here], made.first[here + 1])
    x = at - made.first[here][which]
    made.p[at] = profiles.at(of_class[which], x)
    rest = todo.copy()
    rest[here] = False
    return rest


def _slots_only(kinds: PlaceKinds, of_group: Ints, of_kind: Ints) -> Bools:
    """Return the classes of groups whose segments may all stand in any slots."""
    apart = (kinds.taken[of_kind] == 0) | _other_rule(kinds, of_group, of_kind)
    return (_by_group(of_group, apart) == 0)[of_group]


# --- read from both ends -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Batch:
    """Groups of equal counts.

    Attributes:
        counts: of each kind.
        classes: of each group and kind; (groups, kinds).
        borders: how many borders of the document differ in what can stand before; (groups,).
        unit, start, end: of each place, for each kind: the number of the group, and the number of
            either border among those.
    """

    counts: tuple[int, ...]
    classes: Ints
    borders: Ints
    unit: list[Ints]
    start: list[Ints]
    end: list[Ints]


def _in_order(kinds: PlaceKinds, made: Arrangements, todo: Bools, budget: float) -> Ints:
    """Fill in the classes that are left, and return the groups that the mixture was taken for."""
    rows = np.flatnonzero(todo)
    if not len(rows):
        return rows
    # groups one after the other, the kinds of each by count
    order = np.lexsort((made.kind[rows], made.count[rows], made.group[rows]))
    rows = rows[order]
    (numbers,), unit, size = distinct(made.group[rows])
    begin = np.cumsum(size) - size
    places = np.bincount(unit, kinds.places[made.kind[rows]])
    intractable = _intractable(unit, made.count[rows], places, budget)
    for t in np.unique(size[~intractable]).tolist():
        units = np.flatnonzero(~intractable & (size == t))
        classes = rows[begin[units][:, None] + np.arange(t)]
        alike, which, _ = distinct_rows(made.count[classes])
        for counts, here in zip(alike, groups(which, len(alike)), strict=True):
            work = math.prod((counts + 1).tolist()) * places[units[here]]
            for some in portions_of_work(here, work, _TOGETHER):
                batch = _batch(kinds, made, tuple(counts.tolist()), classes[some])
                for k, p in enumerate(_exact(batch)):
                    _fill(made, batch.classes[:, k], p)
    for u in np.flatnonzero(intractable).tolist():
        classes = rows[begin[u] : begin[u] + size[u]][None]
        counts = tuple(made.count[classes[0]].tolist())
        batch = _batch(kinds, made, counts, classes)
        for k, p in enumerate(_mixture(batch)):
            _fill(made, batch.classes[:, k], p)
    return numbers[intractable]


def _intractable(unit: Ints, count: Ints, places: Ints, budget: float) -> Bools:
    """Return which groups take more numbers than the budget, from the counts of their kinds."""
    states = np.exp(np.minimum(np.bincount(unit, np.log1p(count)), 700))
    return np.asarray(states * 2 * places > budget)


def portions_of_work(rows: Ints, work: Floats | Ints, together: int) -> Iterator[Ints]:
    """Yield rows of about equal work, so many that their tables have no more numbers together."""
    order = np.argsort(work, kind="stable")
    rows, work = rows[order], work[order]
    low = 0
    while low < len(rows):  # tables are as wide as the widest, the last one
        wide = work[low:] * np.arange(1, len(rows) - low + 1)
        high = low + max(1, int(np.searchsorted(wide, together, side="right")))
        yield rows[low:high]
        low = high


def _batch(kinds: PlaceKinds, made: Arrangements, counts: tuple[int, ...], classes: Ints) -> _Batch:
    """Return groups of equal counts with their places."""
    columns = [
        made.rows(kinds, np.ascontiguousarray(classes[:, k]))[:3] for k in range(len(counts))
    ]
    unit, start, end = ([column[i] for column in columns] for i in range(3))
    # borders in a row, each with room for the ends of places there and the starts after them
    wide = 2 + 2 * max(int(e.max(initial=0)) for e in end)
    used = np.zeros(len(classes) * wide, np.bool_)
    for u, s, e in zip(unit, start, end, strict=True):
        used[u * wide + 2 * e] = used[u * wide + 2 * s + 1] = True
    # ends with no start between them are one border, with the starts that come before another end
    event = np.flatnonzero(used)
    starts = event % 2 == 1
    rank = np.zeros(len(used), np.int64)
    rank[event] = np.cumsum(np.append(False, starts[:-1]) & ~starts)
    first, last = np.searchsorted(event, [np.arange(len(classes)) * wide + x for x in (0, wide)])
    low, high = rank[event[first]], rank[event[last - 1]]
    start, end = (
        [rank[u * wide + 2 * x + side] - low[u] for u, x in zip(unit, ends, strict=True)]
        for side, ends in ((1, start), (0, end))
    )
    return _Batch(counts, classes, high - low + 1, unit, start, end)


def _fill(made: Arrangements, classes: Ints, p: Floats) -> None:
    """Write the probabilities of the places of some classes."""
    at, _ = ranges(made.first[classes], made.first[classes + 1])
    made.p[at] = p


class _States:
    """How many segments of each kind stand before a border, for all such numbers u.

    Attributes:
        numbers: of each state and kind, u; states of fewer segments come first.
        first: of each number of segments, its first state; one more than there are numbers.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        """Number the states: the first has no segment, the last one all of them."""
        size = np.array(counts) + 1
        self._steps = np.append(np.cumprod(size[:0:-1])[::-1], 1)
        numbers = np.arange(int(size.prod()))[:, None] // self._steps % size
        level = numbers.sum(axis=1)
        self._code = np.argsort(level, kind="stable")
        self._state = np.argsort(self._code)
        self.numbers = numbers[self._code]
        self.first = np.append(0, np.cumsum(np.bincount(level)))

    def of_level(self, number: int) -> Ints:
        """Return the states of so many segments."""
        return np.arange(self.first[number], self.first[number + 1])

    def without(self, states: Ints, kind: int) -> Ints:
        """Return the states with a segment of a kind less."""
        return self._state[self._code[states] - self._steps[kind]]

    def rest(self, states: Ints) -> Ints:
        """Return the states of all segments that these do not have."""
        return self._state[len(self._code) - 1 - self._code[states]]


def _ways(
    batch: _Batch, states: _States, last: int, *, mirrored: bool
) -> tuple[Floats, Ints | None]:
    """Return F, or B if ``mirrored``, of the states of up to ``last`` segments.

    That is (states, groups · borders), by border. Where numbers may leave the range of floats, each
    level is scaled by a power of 2, whose exponents are the second table; (levels, groups).
    """
    units, wide = len(batch.classes), int(batch.borders.max())
    here, there = _ends_of(batch, mirrored)
    start = [u * wide + s for u, s in zip(batch.unit, here, strict=True)]
    end = [u * wide + e for u, e in zip(batch.unit, there, strict=True)]
    ways = np.zeros((int(states.first[last + 1]), units * wide))
    ways[0] = 1
    most = max(map(len, batch.unit)) * len(batch.unit)  # places of a group, at most
    scaled = last * math.log2(most + 1) > _POWER
    exponents = np.zeros((last + 1, units), np.int64)
    for number in range(1, last + 1):
        level = states.of_level(number)
        for k, (s, e) in enumerate(zip(start, end, strict=True)):
            some = level[states.numbers[level, k] > 0]
            arriving = np.take(ways[states.without(some, k)], s, axis=1)
            for state, row in zip(some.tolist(), arriving, strict=True):
                ways[state] += np.bincount(e, row, units * wide)
        tables = ways[level[0] : level[-1] + 1].reshape(len(level), units, wide)  # a view
        np.cumsum(tables, axis=2, out=tables)
        if scaled:
            exponents[number] = np.frexp(tables[:, :, -1].max(axis=0))[1]
            np.ldexp(tables, -exponents[number][:, None], out=tables)
    return ways, np.cumsum(exponents, axis=0) if scaled else None


def _ends_of(batch: _Batch, mirrored: bool) -> tuple[list[Ints], list[Ints]]:
    """Return starts and ends of places, or those of their mirror images."""
    if not mirrored:
        return batch.start, batch.end
    last = batch.borders - 1
    starts, ends = (
        [last[u] - x for u, x in zip(batch.unit, side, strict=True)]
        for side in (batch.end, batch.start)
    )
    return starts, ends


def _exact(batch: _Batch) -> list[Floats]:
    """Return the probability of each place of each kind."""
    counts, wide = batch.counts, int(batch.borders.max())
    states, last = _States(counts), sum(counts) - 1  # of all segments but one
    front, up = _ways(batch, states, last, mirrored=False)
    back, down = _ways(batch, states, last, mirrored=True)
    behind, _ = _ends_of(batch, mirrored=True)
    results = []
    for k, unit in enumerate(batch.unit):
        at = unit * wide + batch.start[k]
        after = unit * wide + behind[k]
        p = np.zeros(len(unit))
        for number in range(last + 1):
            before = states.of_level(number)
            before = before[states.numbers[before, k] < counts[k]]
            rest = states.without(states.rest(before), k)
            in_front = np.take(front[before], at, axis=1)
            of_level = np.einsum("ij,ij->j", in_front, np.take(back[rest], after, axis=1))
            if up is not None and down is not None:
                power = up[number] + down[last - number] - up[-1]
                of_level = np.ldexp(of_level, power[unit])
            p += of_level
        results.append(p / np.bincount(unit, p)[unit])  # the kind's segments alike
    return results


# --- over the budget -----------------------------------------------------------------------------


def _mixture(batch: _Batch) -> list[Floats]:
    """Return the same of one group, with its kinds in the mean only."""
    wide, k = int(batch.borders[0]), sum(batch.counts)
    kind = np.repeat(np.arange(len(batch.counts)), [len(u) for u in batch.unit])
    start, end = np.concatenate(batch.start), np.concatenate(batch.end)
    weight = weights_of_mixture(kind, start, end, batch.counts, wide)
    p = weight[kind] * _numbers(start, end, weight[kind], wide, k)
    p /= np.bincount(kind, p)[kind]
    return np.split(p, np.cumsum(np.bincount(kind))[:-1])


def weights_of_mixture(
    kind: Ints, start: Ints, end: Ints, counts: Sequence[int], wide: int
) -> Floats:
    """Return the weight of each kind with which there are as many of it on average as there are.

    Args:
        kind, start, end: of each place, the borders numbered.
        counts: of each kind.
        wide: how many borders there are.
    """
    needed = np.array(counts, np.float64)
    weight = needed / np.bincount(kind)
    for _ in range(_ROUNDS):
        mean = np.bincount(
            kind, weight[kind] * _numbers(start, end, weight[kind], wide, sum(counts))
        )
        if np.abs(mean / needed - 1).max() < _CLOSE:
            break
        weight *= needed / mean
        weight /= weight.max()
    return weight


def ways_before_by_number(
    start: Ints, end: Ints, weight: Floats, wide: int, k: int
) -> dict[tuple[int, ...], Floats]:
    """Return F[m] of each number of segments up to ``k`` at every border, for places with weights.

    Args, result: as of :func:`ways_before`; kinds are not told apart.
    """
    table, _ = _rows(start, end, weight, wide, k)
    return {(m,): row for m, row in enumerate(table)}


def ways_before(
    kind: Ints, start: Ints, end: Ints, counts: tuple[int, ...], wide: int
) -> dict[tuple[int, ...], Floats]:
    """Return F of each u at every border, for one group; each level by a power of 2 of its own.

    Args:
        kind, start, end: of each place, the borders numbered.
        counts: of each kind.
        wide: how many borders there are.
    """
    rows = [np.flatnonzero(kind == k) for k in range(len(counts))]
    batch = _Batch(
        counts,
        np.zeros((1, len(counts)), np.int64),
        np.array([wide]),
        [np.zeros(len(some), np.int64) for some in rows],
        [start[some] for some in rows],
        [end[some] for some in rows],
    )
    states = _States(counts)
    ways, _ = _ways(batch, states, sum(counts), mirrored=False)
    return dict(zip(map(tuple, states.numbers.tolist()), ways, strict=True))


def _numbers(start: Ints, end: Ints, weight: Floats, wide: int, k: int) -> Floats:
    """Return Σ_m F[m][s] · B[k − 1 − m][e] / F[k] of each place, m segments standing before it."""
    front, up = _rows(start, end, weight, wide, k)
    back, down = _rows(wide - 1 - end, wide - 1 - start, weight, wide, k)
    total = np.zeros(len(start))
    for m in range(k):
        power = int(up[m] + down[k - 1 - m] - up[k])
        total += np.ldexp(front[m][start] * back[k - 1 - m][wide - 1 - end], power)
    return total / front[k][-1]


def _rows(start: Ints, end: Ints, weight: Floats, wide: int, k: int) -> tuple[Floats, Ints]:
    """Return F[m] for every number of segments, scaled by powers of 2, and their exponents."""
    table, exponents = np.ones((k + 1, wide)), np.zeros(k + 1, np.int64)
    for m in range(1, k + 1):
        arrived = np.bincount(end, table[m - 1][start] * weight, wide)
        np.cumsum(arrived, out=table[m])
        exponents[m] = np.frexp(table[m][-1])[1]
        np.ldexp(table[m], -exponents[m], out=table[m])
    return table, np.cumsum(exponents)
