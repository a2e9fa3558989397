"""Distributions of segments over places, for random annotations with fixed counts of each kind.

A *group* contains segments that exclude each other: those of one annotator in a document, or of one
label too. Let the group have cᵢ segments of kind i, c in total. The number of arrangements of u
segments, uᵢ of each kind, before the border p is::

    F[0] = 1;  F[u][p] = Σ over q ≤ p, kinds i, places (s, q) of i:  F[u − eᵢ][s],

and B is the same number after the border. A segment of kind i is at (s, e) with the probability::

    Σ_u F[u][s] · B[c − eᵢ − u][e] / (cᵢ · F[c][n]).

All terms are positive. Many groups with equal counts are computed together, with a gather and a
cumulative sum for each u; tables are shaped (states u, groups · borders).

If a group has too many states u, the *mixture* keeps the number of segments exactly, and the number
of each kind only on average. Each kind has a weight, and there is one F for each number of
segments. For six segments or more, its expected token match differed from the exact value by at
most 2.2e-3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    expand_ranges,
    group_indices,
    unique_matrix_rows,
    unique_rows,
)
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.start_distributions import compute_start_profiles

BUDGET = 1 << 22
"""Largest table size of a group with exact arrangements; larger groups use the mixture."""

_TOGETHER = 1 << 18  # largest size of the tables of a batch of groups
_POWER = 900  # tables with values below 2 to this power are not scaled
_CLOSE = 1e-6  # relative tolerance of the mean counts of kinds in the mixture
_ROUNDS = 2000  # largest number of iterations for the weights of the mixture


@dataclass(frozen=True, eq=False)
class Arrangements:
    """Distributions over places for the segments of many random annotations.

    Segments of a group and kind form a *class*, and have the same distribution.

    Attributes:
        class_of: class of each segment; (segments,).
        group: group of each class; (classes,).
        kind: kind of each class; (classes,).
        count: number of segments of each class; (classes,).
        first: index in ``p`` of the first place of each class, and length of ``p``.
        p: probability of each place of the kind of each class, classes concatenated.
        mixed: groups that use the mixture.
    """

    class_of: Ints
    group: Ints
    kind: Ints
    count: Ints
    first: Ints
    p: Floats
    mixed: Ints

    def list_places(
        self, place_kinds: PlaceKinds, classes: Ints
    ) -> tuple[Ints, Ints, Ints, Floats]:
        """List the places of segments: row in `classes`, start, end and probability of each."""
        p_index, class_row = expand_ranges(self.first[classes], self.first[classes + 1])
        place_index = (
            p_index
            - self.first[classes][class_row]
            + place_kinds.first[self.kind[classes]][class_row]
        )
        return (
            class_row,
            place_kinds.start[place_index],
            place_kinds.end[place_index],
            self.p[p_index],
        )


def compute_arrangements(
    kinds: PlaceKinds, group: Ints, *, free: bool = False, budget: float = BUDGET
) -> Arrangements:
    """Compute the distributions of the segments of random annotations over places.

    Args:
        kinds: kinds of the segments, and their places.
        group: group of each segment; segments of one group exclude each other.
        free: True if segments do not exclude each other (the overlapping model).
        budget: largest table size of a group; larger groups use the mixture.
    """
    (of_group, of_kind), class_of, n_segments = unique_rows(group, kinds.kind)
    n_places = kinds.places[of_kind]
    first = np.append(0, np.cumsum(n_places))
    p = np.repeat(1 / np.maximum(n_places, 1), n_places)
    mixed = np.zeros(0, np.int64)
    if not free and len(of_group):
        is_open = _is_dependent(kinds, of_group, of_kind, n_segments)
        result = Arrangements(class_of, of_group, of_kind, n_segments, first, p, mixed)
        is_open = _fill_slots(kinds, result, is_open)
        mixed = _fill_in_order(kinds, result, is_open, budget)
    return Arrangements(class_of, of_group, of_kind, n_segments, first, p, mixed)


def _count_by_group(of_group: Ints, is_counted: Bools) -> Ints:
    """Count the classes of each group that a mask marks."""
    return np.bincount(of_group, is_counted, int(of_group.max()) + 1).astype(np.int64)


def _is_dependent(kinds: PlaceKinds, of_group: Ints, of_kind: Ints, count: Ints) -> Bools:
    """Mask the classes of groups with segments that are not uniform on the places of their kind.

    A single segment is uniform. So are segments of one token each, if kinds share no places.
    """
    n_segments = np.bincount(of_group, count)
    longest = np.maximum.reduceat(kinds.end - kinds.start, kinds.first[:-1])[of_kind]
    n_dependent = _count_by_group(
        of_group, (longest > 1) | _has_other_rule(kinds, of_group, of_kind)
    )
    return ((n_segments > 1) & (n_dependent > 0))[of_group]


def _has_other_rule(kinds: PlaceKinds, of_group: Ints, of_kind: Ints) -> Bools:
    """Mask the classes with a rule that differs from another rule of their group."""
    rule_of_group = np.full(int(of_group.max()) + 1, -1)
    rule_of_group[of_group] = kinds.rule[of_kind]
    return kinds.rule[of_kind] != rule_of_group[of_group]


def _fill_slots(kinds: PlaceKinds, result: Arrangements, is_open: Bools) -> Bools:
    """Compute distributions for groups with segments in any slots, as in the uniform model.

    Args:
        kinds: kinds and their places.
        result: distributions, to be filled.
        is_open: mask of the classes without a distribution.

    Returns:
        Mask of the classes that are still without a distribution.
    """
    of_group, of_kind = result.group, result.kind
    class_rows = np.flatnonzero(is_open & _is_slots_only(kinds, of_group, of_kind))
    if not len(class_rows):
        return is_open
    (_,), group, _ = unique_rows(of_group[class_rows])
    slots = np.zeros(int(group.max()) + 1, np.int64)
    slots[group] = kinds.slots[of_kind[class_rows]]
    segment = np.repeat(np.arange(len(class_rows)), result.count[class_rows])
    profiles, profile = compute_start_profiles(
        group[segment], slots, kinds.taken[of_kind[class_rows]][segment]
    )
    profile_of_class = np.zeros(len(class_rows), np.int64)
    profile_of_class[segment] = profile
    p_index, class_row = expand_ranges(result.first[class_rows], result.first[class_rows + 1])
    start = p_index - result.first[class_rows][class_row]
    result.p[p_index] = profiles.look_up(profile_of_class[class_row], start)
    still_open = is_open.copy()
    still_open[class_rows] = False
    return still_open


def _is_slots_only(kinds: PlaceKinds, of_group: Ints, of_kind: Ints) -> Bools:
    """Mask the classes of groups with segments that may all be in any slots."""
    is_not_slot = (kinds.taken[of_kind] == 0) | _has_other_rule(kinds, of_group, of_kind)
    return (_count_by_group(of_group, is_not_slot) == 0)[of_group]


# --- exact counts from both ends ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _GroupBatch:
    """Groups with equal counts.

    Attributes:
        counts: number of segments of each kind.
        classes: class of each group and kind; (groups, kinds).
        borders: number of distinct borders of each group; (groups,).
        unit: group of each place, in an array for each kind.
        start: index of the start border of each place, in an array for each kind.
        end: index of the end border of each place, in an array for each kind.
    """

    counts: tuple[int, ...]
    classes: Ints
    borders: Ints
    unit: list[Ints]
    start: list[Ints]
    end: list[Ints]


def _fill_in_order(kinds: PlaceKinds, result: Arrangements, is_open: Bools, budget: float) -> Ints:
    """Compute the distributions of all other classes; return the groups that use the mixture."""
    open_rows = np.flatnonzero(is_open)
    if not len(open_rows):
        return open_rows
    # sort by group, and the kinds of a group by count
    order = np.lexsort((result.kind[open_rows], result.count[open_rows], result.group[open_rows]))
    open_rows = open_rows[order]
    (group_ids,), unit, n_classes = unique_rows(result.group[open_rows])
    first_row = np.cumsum(n_classes) - n_classes
    n_places = np.bincount(unit, kinds.places[result.kind[open_rows]])
    intractable = _is_intractable(unit, result.count[open_rows], n_places, budget)
    for n_kinds in np.unique(n_classes[~intractable]).tolist():
        units = np.flatnonzero(~intractable & (n_classes == n_kinds))
        classes = open_rows[first_row[units][:, None] + np.arange(n_kinds)]
        distinct_counts, counts_index, _ = unique_matrix_rows(result.count[classes])
        for counts, units_of_counts in zip(
            distinct_counts, group_indices(counts_index, len(distinct_counts)), strict=True
        ):
            table_sizes = math.prod((counts + 1).tolist()) * n_places[units[units_of_counts]]
            for batch_units in yield_batches_of_work(units_of_counts, table_sizes, _TOGETHER):
                batch = _build_batch(kinds, result, tuple(counts.tolist()), classes[batch_units])
                for k, p in enumerate(_compute_exact_probabilities(batch)):
                    _write_probabilities(result, batch.classes[:, k], p)
    for unit_index in np.flatnonzero(intractable).tolist():
        classes = open_rows[first_row[unit_index] : first_row[unit_index] + n_classes[unit_index]][
            None
        ]
        counts = tuple(result.count[classes[0]].tolist())
        batch = _build_batch(kinds, result, counts, classes)
        for k, p in enumerate(_compute_mixture_probabilities(batch)):
            _write_probabilities(result, batch.classes[:, k], p)
    return group_ids[intractable]


def _is_intractable(unit: Ints, n_segments: Ints, n_places: Ints, budget: float) -> Bools:
    """Mask the groups with tables larger than the budget, from the counts of their kinds."""
    n_states = np.exp(np.minimum(np.bincount(unit, np.log1p(n_segments)), 700))
    return np.asarray(n_states * 2 * n_places > budget)


def yield_batches_of_work(rows: Ints, table_sizes: Floats | Ints, max_size: int) -> Iterator[Ints]:
    """Yield batches of rows with tables of similar size.

    Args:
        rows: rows to split into batches.
        table_sizes: table size of each row.
        max_size: largest size of the tables of a batch, unless one table alone is larger.
    """
    order = np.argsort(table_sizes, kind="stable")
    rows, table_sizes = rows[order], table_sizes[order]
    first = 0
    while first < len(rows):  # tables are padded to the largest, the last one
        padded_sizes = table_sizes[first:] * np.arange(1, len(rows) - first + 1)
        stop = first + max(1, int(np.searchsorted(padded_sizes, max_size, side="right")))
        yield rows[first:stop]
        first = stop


def _build_batch(
    kinds: PlaceKinds, result: Arrangements, counts: tuple[int, ...], classes: Ints
) -> _GroupBatch:
    """Build a batch of groups with equal counts, and number their borders."""
    place_columns = [
        result.list_places(kinds, np.ascontiguousarray(classes[:, k]))[:3]
        for k in range(len(counts))
    ]
    unit_of_place, start, end = ([column[i] for column in place_columns] for i in range(3))
    # each border has two events: the ends of places at it, then the starts
    line_length = 2 + 2 * max(int(ends_of_kind.max(initial=0)) for ends_of_kind in end)
    is_used = np.zeros(len(classes) * line_length, np.bool_)
    for units, starts_of_kind, ends_of_kind in zip(unit_of_place, start, end, strict=True):
        is_used[units * line_length + 2 * ends_of_kind] = is_used[
            units * line_length + 2 * starts_of_kind + 1
        ] = True
    # consecutive ends without a start in between, and the starts after them, are one border
    border_events = np.flatnonzero(is_used)
    is_start = border_events % 2 == 1
    border_index = np.zeros(len(is_used), np.int64)
    border_index[border_events] = np.cumsum(np.append(False, is_start[:-1]) & ~is_start)
    first_event, last_event = np.searchsorted(
        border_events,
        [np.arange(len(classes)) * line_length + offset for offset in (0, line_length)],
    )
    first_border, last_border = (
        border_index[border_events[first_event]],
        border_index[border_events[last_event - 1]],
    )
    start, end = (
        [
            border_index[units * line_length + 2 * borders_of_kind + is_end] - first_border[units]
            for units, borders_of_kind in zip(unit_of_place, ends, strict=True)
        ]
        for is_end, ends in ((1, start), (0, end))
    )
    return _GroupBatch(counts, classes, last_border - first_border + 1, unit_of_place, start, end)


def _write_probabilities(result: Arrangements, classes: Ints, p: Floats) -> None:
    """Write the probabilities of the places of classes."""
    p_index, _ = expand_ranges(result.first[classes], result.first[classes + 1])
    result.p[p_index] = p


class _States:
    """All states u, the numbers of segments of each kind before a border.

    Attributes:
        numbers: u of each state, sorted by the number of segments; (states, kinds).
        first: first state of each number of segments, and number of states.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        """Number the states, from no segment to all segments.

        Args:
            counts: number of segments of each kind.
        """
        n_values = np.array(counts) + 1
        self._steps = np.append(np.cumprod(n_values[:0:-1])[::-1], 1)
        state_numbers = np.arange(int(n_values.prod()))[:, None] // self._steps % n_values
        n_segments = state_numbers.sum(axis=1)
        self._code = np.argsort(n_segments, kind="stable")
        self._state = np.argsort(self._code)
        self.numbers = state_numbers[self._code]
        self.first = np.append(0, np.cumsum(np.bincount(n_segments)))

    def list_by_n_segments(self, n_segments: int) -> Ints:
        """List the states with ``n_segments`` segments in total."""
        return np.arange(self.first[n_segments], self.first[n_segments + 1])

    def remove_segment(self, states: Ints, kind_index: int) -> Ints:
        """Map each state to the state with one segment of a kind less."""
        return self._state[self._code[states] - self._steps[kind_index]]

    def find_remaining(self, states: Ints) -> Ints:
        """Map each state u to the state c − u of the segments that are left."""
        return self._state[len(self._code) - 1 - self._code[states]]


def _count_ways(
    batch: _GroupBatch, states: _States, max_level: int, *, mirrored: bool
) -> tuple[Floats, Ints | None]:
    """Compute F, or B if ``mirrored``, for the states of up to ``max_level`` segments.

    Returns:
        F, (states, groups · borders); and, if values may overflow, the exponents of the powers of
        2 that scale each number of segments, (max_level + 1, groups), else ``None``.
    """
    n_units, n_borders = len(batch.classes), int(batch.borders.max())
    start_borders, end_borders = _find_place_borders(batch, mirrored)
    start = [
        u * n_borders + starts_of_kind
        for u, starts_of_kind in zip(batch.unit, start_borders, strict=True)
    ]
    end = [
        u * n_borders + ends_of_kind
        for u, ends_of_kind in zip(batch.unit, end_borders, strict=True)
    ]
    n_ways = np.zeros((int(states.first[max_level + 1]), n_units * n_borders))
    n_ways[0] = 1
    max_places = max(map(len, batch.unit)) * len(batch.unit)  # upper bound of the places of a group
    is_scaled = max_level * math.log2(max_places + 1) > _POWER
    exponents = np.zeros((max_level + 1, n_units), np.int64)
    for n_segments in range(1, max_level + 1):
        level = states.list_by_n_segments(n_segments)
        for kind_index, (starts_of_kind, ends_of_kind) in enumerate(zip(start, end, strict=True)):
            with_kind = level[states.numbers[level, kind_index] > 0]
            arriving = np.take(
                n_ways[states.remove_segment(with_kind, kind_index)], starts_of_kind, axis=1
            )
            for state, row in zip(with_kind.tolist(), arriving, strict=True):
                n_ways[state] += np.bincount(ends_of_kind, row, n_units * n_borders)
        # view of n_ways
        tables = n_ways[level[0] : level[-1] + 1].reshape(len(level), n_units, n_borders)
        np.cumsum(tables, axis=2, out=tables)
        if is_scaled:
            exponents[n_segments] = np.frexp(tables[:, :, -1].max(axis=0))[1]
            np.ldexp(tables, -exponents[n_segments][:, None], out=tables)
    return n_ways, np.cumsum(exponents, axis=0) if is_scaled else None


def _find_place_borders(batch: _GroupBatch, mirrored: bool) -> tuple[list[Ints], list[Ints]]:
    """Return the start and end borders of places, or of their mirror images."""
    if not mirrored:
        return batch.start, batch.end
    last_border = batch.borders - 1
    starts, ends = (
        [last_border[u] - x for u, x in zip(batch.unit, borders, strict=True)]
        for borders in (batch.end, batch.start)
    )
    return starts, ends


def _compute_exact_probabilities(batch: _GroupBatch) -> list[Floats]:
    """Compute the probability of each place of each kind."""
    counts, n_borders = batch.counts, int(batch.borders.max())
    states, max_level = _States(counts), sum(counts) - 1  # all segments except one
    front, front_exponents = _count_ways(batch, states, max_level, mirrored=False)
    back, back_exponents = _count_ways(batch, states, max_level, mirrored=True)
    mirrored_end, _ = _find_place_borders(batch, mirrored=True)
    results = []
    for kind_index, unit in enumerate(batch.unit):
        front_index = unit * n_borders + batch.start[kind_index]
        back_index = unit * n_borders + mirrored_end[kind_index]
        p = np.zeros(len(unit))
        for n_before in range(max_level + 1):
            states_before = states.list_by_n_segments(n_before)
            states_before = states_before[
                states.numbers[states_before, kind_index] < counts[kind_index]
            ]
            states_after = states.remove_segment(states.find_remaining(states_before), kind_index)
            front_ways = np.take(front[states_before], front_index, axis=1)
            p_of_level = np.einsum(
                "ij,ij->j", front_ways, np.take(back[states_after], back_index, axis=1)
            )
            if front_exponents is not None and back_exponents is not None:
                power = (
                    front_exponents[n_before]
                    + back_exponents[max_level - n_before]
                    - front_exponents[-1]
                )
                p_of_level = np.ldexp(p_of_level, power[unit])
            p += p_of_level
        results.append(p / np.bincount(unit, p)[unit])  # averaged over the segments of the kind
    return results


# --- over the budget -----------------------------------------------------------------------------


def _compute_mixture_probabilities(batch: _GroupBatch) -> list[Floats]:
    """Compute the probability of each place of each kind by the mixture, for one group."""
    n_borders, n_segments = int(batch.borders[0]), sum(batch.counts)
    place_kind = np.repeat(np.arange(len(batch.counts)), [len(u) for u in batch.unit])
    start_border, end_border = np.concatenate(batch.start), np.concatenate(batch.end)
    weight = compute_mixture_weights(place_kind, start_border, end_border, batch.counts, n_borders)
    p = weight[place_kind] * _compute_expected_counts(
        start_border, end_border, weight[place_kind], n_borders, n_segments
    )
    p /= np.bincount(place_kind, p)[place_kind]
    return np.split(p, np.cumsum(np.bincount(place_kind))[:-1])


def compute_mixture_weights(
    place_kind: Ints, start: Ints, end: Ints, counts: Sequence[int], n_borders: int
) -> Floats:
    """Compute weights of kinds that make the mean number of segments of each kind correct.

    Args:
        place_kind: kind of each place.
        start: index of the start border of each place.
        end: index of the end border of each place.
        counts: number of segments of each kind.
        n_borders: number of borders.
    """
    target = np.array(counts, np.float64)
    weight = target / np.bincount(place_kind)
    for _ in range(_ROUNDS):
        mean_counts = np.bincount(
            place_kind,
            weight[place_kind]
            * _compute_expected_counts(start, end, weight[place_kind], n_borders, sum(counts)),
        )
        if np.abs(mean_counts / target - 1).max() < _CLOSE:
            break
        weight *= target / mean_counts
        weight /= weight.max()
    return weight


def count_ways_before_by_number(
    start: Ints, end: Ints, weight: Floats, n_borders: int, max_segments: int
) -> dict[tuple[int, ...], Floats]:
    """Compute F[m] at every border for m segments of any kind, for places with weights.

    Args:
        start, end: indices of the two borders of each place.
        weight: weight of each place.
        n_borders: number of borders.
        max_segments: largest m.

    Returns:
        F by the state (m,), each scaled by a power of 2.
    """
    table, _ = _count_ways_by_number(start, end, weight, n_borders, max_segments)
    return {(m,): row for m, row in enumerate(table)}


def count_ways_before(
    place_kind: Ints, start: Ints, end: Ints, counts: tuple[int, ...], n_borders: int
) -> dict[tuple[int, ...], Floats]:
    """Compute F[u] at every border for each state u of one group.

    Args:
        place_kind: kind of each place.
        start, end: indices of the two borders of each place.
        counts: number of segments of each kind.
        n_borders: number of borders.

    Returns:
        F by state; for each number of segments, scaled by a power of 2.
    """
    rows_of_kinds = [np.flatnonzero(place_kind == k) for k in range(len(counts))]
    batch = _GroupBatch(
        counts,
        np.zeros((1, len(counts)), np.int64),
        np.array([n_borders]),
        [np.zeros(len(places_of_kind), np.int64) for places_of_kind in rows_of_kinds],
        [start[places_of_kind] for places_of_kind in rows_of_kinds],
        [end[places_of_kind] for places_of_kind in rows_of_kinds],
    )
    states = _States(counts)
    n_ways, _ = _count_ways(batch, states, sum(counts), mirrored=False)
    return dict(zip(map(tuple, states.numbers.tolist()), n_ways, strict=True))


def _compute_expected_counts(
    start: Ints, end: Ints, weight: Floats, n_borders: int, n_segments: int
) -> Floats:
    """Compute Σ_m F[m][s] · B[k − 1 − m][e] / F[k] for each place, over m segments before it."""
    front, front_exponents = _count_ways_by_number(start, end, weight, n_borders, n_segments)
    back, back_exponents = _count_ways_by_number(
        n_borders - 1 - end, n_borders - 1 - start, weight, n_borders, n_segments
    )
    sums = np.zeros(len(start))
    for n_before in range(n_segments):
        power = int(
            front_exponents[n_before]
            + back_exponents[n_segments - 1 - n_before]
            - front_exponents[n_segments]
        )
        sums += np.ldexp(
            front[n_before][start] * back[n_segments - 1 - n_before][n_borders - 1 - end], power
        )
    return sums / front[n_segments][-1]


def _count_ways_by_number(
    start: Ints, end: Ints, weight: Floats, n_borders: int, max_segments: int
) -> tuple[Floats, Ints]:
    """Compute F[m] for each number m of segments, scaled by powers of 2, and their exponents."""
    table, exponents = np.ones((max_segments + 1, n_borders)), np.zeros(max_segments + 1, np.int64)
    for n_before in range(1, max_segments + 1):
        n_arriving = np.bincount(end, table[n_before - 1][start] * weight, n_borders)
        np.cumsum(n_arriving, out=table[n_before])
        exponents[n_before] = np.frexp(table[n_before][-1])[1]
        np.ldexp(table[n_before], -exponents[n_before], out=table[n_before])
    return table, np.cumsum(exponents)
