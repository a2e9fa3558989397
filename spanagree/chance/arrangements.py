"""Distributions of segments over places, for random annotations with fixed counts of each kind.

A *border* is a position between two tokens, or at an end of the text, and a *place* (s, e) is a
start and an end border. A *kind* is a set of places at which a segment may be
(:mod:`spanagree.chance.place_kinds`). A *group* contains segments that exclude each other: those of
one annotator in a document, or of one label too. Segments of one group and kind form a *class* and
have the same distribution.

Let the group have cᵢ segments of kind i, and let a *state* u contain the number uᵢ of segments of
each kind before a border. With F[u][p], the number of ways to place these segments before the
border p (:mod:`spanagree.chance.ways`), and B, the same number after the border, a segment of kind
i is at the place (s, e) with the probability::

    Σ_u F[u][s] · B[c − eᵢ − u][e] / (cᵢ · F[c][n]),

where eᵢ is one segment of kind i, and n the last border. B is F of the mirror image. Many groups
with equal counts are computed together.

If a group has too many states u, the *mixture* keeps the number of segments exactly, and the number
of each kind only on average. Each kind has a weight, and there is one F for each number of
segments. For six segments or more, its expected token match differed from the exact value by at
most 2.2e-3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    expand_ranges,
    unique_rows,
)
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.start_distributions import compute_start_profiles
from spanagree.chance.ways import (
    KindPlaces,
    StateLevel,
    compute_code_steps,
    yield_batches_of_equal_counts,
    yield_levels,
    yield_state_levels,
)

BUDGET = 1 << 22
"""Largest table size of a group with exact arrangements; larger groups use the mixture."""

_TOGETHER = 1 << 18  # largest size of the tables of a batch of groups
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
        """List the possible places of segments of some classes.

        Returns:
            For each place: its row in ``classes``, start, end, and probability.
        """
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
        is_open = _mask_dependent_classes(kinds, of_group, of_kind, n_segments)
        result = Arrangements(class_of, of_group, of_kind, n_segments, first, p, mixed)
        is_open = _fill_groups_in_slots(kinds, result, is_open)
        mixed = _fill_other_groups(kinds, result, is_open, budget)
    return Arrangements(class_of, of_group, of_kind, n_segments, first, p, mixed)


def _count_by_group(of_group: Ints, is_counted: Bools) -> Ints:
    """Count the classes of each group that a mask marks."""
    return np.bincount(of_group, is_counted, int(of_group.max()) + 1).astype(np.int64)


def _mask_dependent_classes(kinds: PlaceKinds, of_group: Ints, of_kind: Ints, count: Ints) -> Bools:
    """Mask the classes of groups with segments that are not uniform on the places of their kind.

    A single segment is uniform. So are segments of one token each, if kinds share no places.
    """
    n_segments = np.bincount(of_group, count)
    longest = np.maximum.reduceat(kinds.end - kinds.start, kinds.first[:-1])[of_kind]
    n_dependent = _count_by_group(
        of_group, (longest > 1) | _mask_other_rules(kinds, of_group, of_kind)
    )
    return ((n_segments > 1) & (n_dependent > 0))[of_group]


def _mask_other_rules(kinds: PlaceKinds, of_group: Ints, of_kind: Ints) -> Bools:
    """Mask the classes with a rule that differs from another rule of their group."""
    rule_of_group = np.full(int(of_group.max()) + 1, -1)
    rule_of_group[of_group] = kinds.rule[of_kind]
    return kinds.rule[of_kind] != rule_of_group[of_group]


def _fill_groups_in_slots(kinds: PlaceKinds, result: Arrangements, is_open: Bools) -> Bools:
    """Compute the start distributions of all groups to which the uniform model applies.

    It applies to groups whose segments occupy consecutive slots, such as words, and may start at
    every slot.

    Args:
        kinds: kinds of places.
        result: start distributions of all classes; rows of these groups are written in place.
        is_open: mask of the classes whose distribution is not computed yet.

    Returns:
        Mask of the classes whose distribution is still not computed.
    """
    of_group, of_kind = result.group, result.kind
    class_rows = np.flatnonzero(is_open & _mask_classes_in_slots(kinds, of_group, of_kind))
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


def _mask_classes_in_slots(kinds: PlaceKinds, of_group: Ints, of_kind: Ints) -> Bools:
    """Mask the classes of groups with segments that may all be in any slots."""
    is_not_slot = (kinds.taken[of_kind] == 0) | _mask_other_rules(kinds, of_group, of_kind)
    return (_count_by_group(of_group, is_not_slot) == 0)[of_group]


# --- exact counts from both ends ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _GroupBatch:
    """Groups with equal counts.

    Attributes:
        counts: number of segments of each kind.
        classes: class of each group and kind; (groups, kinds).
        borders: number of distinct borders of each group; (groups,).
        places: places of each kind, in all groups.
    """

    counts: tuple[int, ...]
    classes: Ints
    borders: Ints
    places: list[KindPlaces]


def _fill_other_groups(
    kinds: PlaceKinds, result: Arrangements, is_open: Bools, budget: float
) -> Ints:
    """Compute the distributions of all other classes; return the groups that use the mixture."""
    open_rows = np.flatnonzero(is_open)
    if not len(open_rows):
        return open_rows
    # sort by group, and the kinds of a group by count
    order = np.lexsort((result.kind[open_rows], result.count[open_rows], result.group[open_rows]))
    open_rows = open_rows[order]
    (group_ids,), group_of_class, n_classes = unique_rows(result.group[open_rows])
    first_row = np.cumsum(n_classes) - n_classes
    n_places = np.bincount(group_of_class, kinds.places[result.kind[open_rows]])
    intractable = _mask_intractable_groups(
        group_of_class, result.count[open_rows], n_places, budget
    )
    for n_kinds in np.unique(n_classes[~intractable]).tolist():
        groups = np.flatnonzero(~intractable & (n_classes == n_kinds))
        classes = open_rows[first_row[groups][:, None] + np.arange(n_kinds)]
        for counts, rows in yield_batches_of_equal_counts(
            result.count[classes], n_places[groups], _TOGETHER
        ):
            batch = _build_batch(kinds, result, counts, classes[rows])
            probabilities = _compute_exact_probabilities(counts, batch.places, batch.borders)
            for k, p in enumerate(probabilities):
                _write_probabilities(result, batch.classes[:, k], p)
    for group_row in np.flatnonzero(intractable).tolist():
        classes = open_rows[first_row[group_row] : first_row[group_row] + n_classes[group_row]][
            None
        ]
        counts = tuple(result.count[classes[0]].tolist())
        batch = _build_batch(kinds, result, counts, classes)
        for k, p in enumerate(_compute_mixture_probabilities(batch)):
            _write_probabilities(result, batch.classes[:, k], p)
    _list_state_levels.cache_clear()  # states of many kinds take memory
    return group_ids[intractable]


def _mask_intractable_groups(
    group_of_class: Ints, n_segments: Ints, n_places: Ints, budget: float
) -> Bools:
    """Mask the groups with tables larger than the budget, from the counts of their kinds."""
    n_states = np.exp(np.minimum(np.bincount(group_of_class, np.log1p(n_segments)), 700))
    return np.asarray(n_states * 2 * n_places > budget)


def _build_batch(
    kinds: PlaceKinds, result: Arrangements, counts: tuple[int, ...], classes: Ints
) -> _GroupBatch:
    """Build a batch of groups with equal counts, and number their borders."""
    place_columns = [
        result.list_places(kinds, np.ascontiguousarray(classes[:, k]))[:3]
        for k in range(len(counts))
    ]
    group_of_place, start, end = ([column[i] for column in place_columns] for i in range(3))
    # each border has two events: the ends of places at it, then the starts
    line_length = 2 + 2 * max(int(ends_of_kind.max(initial=0)) for ends_of_kind in end)
    is_used = np.zeros(len(classes) * line_length, np.bool_)
    for group, starts_of_kind, ends_of_kind in zip(group_of_place, start, end, strict=True):
        is_used[group * line_length + 2 * ends_of_kind] = is_used[
            group * line_length + 2 * starts_of_kind + 1
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
    places = [
        KindPlaces(
            group,
            border_index[group * line_length + 2 * starts_of_kind + 1] - first_border[group],
            border_index[group * line_length + 2 * ends_of_kind] - first_border[group],
        )
        for group, starts_of_kind, ends_of_kind in zip(group_of_place, start, end, strict=True)
    ]
    return _GroupBatch(counts, classes, last_border - first_border + 1, places)


def _write_probabilities(result: Arrangements, classes: Ints, p: Floats) -> None:
    """Write the probabilities of the places of classes."""
    p_index, _ = expand_ranges(result.first[classes], result.first[classes + 1])
    result.p[p_index] = p


def _mirror_places(places_by_kind: Sequence[KindPlaces], borders: Ints) -> list[KindPlaces]:
    """Mirror the places of each kind, so that F of the mirror images is B."""
    last_border = borders - 1
    return [
        places._replace(
            start=last_border[places.annotation] - places.end,
            end=last_border[places.annotation] - places.start,
        )
        for places in places_by_kind
    ]


@lru_cache(maxsize=1)  # consecutive batches have the same counts
def _list_state_levels(counts: tuple[int, ...]) -> list[StateLevel]:
    """List the states of each level."""
    return [*yield_state_levels(counts)]


def _compute_exact_probabilities(
    counts: tuple[int, ...], places_by_kind: Sequence[KindPlaces], borders: Ints
) -> list[Floats]:
    """Compute the probability of each place of each kind, for one segment of the kind.

    Args:
        counts: number of segments of each kind.
        places_by_kind: places of each kind, in all groups.
        borders: number of borders of each group.
    """
    n_borders, n_others = int(borders.max()), sum(counts) - 1
    shape = len(borders), n_borders, 1
    code_steps = compute_code_steps(counts)
    code_of_all = int(code_steps @ counts)
    mirrored_places = _mirror_places(places_by_kind, borders)
    state_levels = _list_state_levels(counts)[: n_others + 1]
    front, back = (
        [*yield_levels(counts, read_places, shape, state_levels=state_levels)]
        for read_places in (places_by_kind, mirrored_places)
    )
    results = []
    for kind, (places, mirrored) in enumerate(zip(places_by_kind, mirrored_places, strict=True)):
        group = places.annotation
        front_row, back_row = group * n_borders + places.start, group * n_borders + mirrored.start
        p = np.zeros(len(group))
        for before, after in zip(front, reversed(back), strict=True):
            is_left = before.states[:, kind] < counts[kind]
            code_after = code_of_all - code_steps[kind] - before.codes[is_left]
            ways_before = before.tables[is_left, :, 0].take(front_row, axis=1)
            ways_after = after.tables[np.searchsorted(after.codes, code_after), :, 0]
            p_of_level = np.einsum("ij,ij->j", ways_before, ways_after.take(back_row, axis=1))
            power = before.exponents + after.exponents - front[-1].exponents
            p += np.ldexp(p_of_level, power[group]) if power.any() else p_of_level
        if places.weight is not None:
            p *= places.weight
        results.append(p / np.bincount(group, p)[group])
    return results


# --- over the budget -----------------------------------------------------------------------------


def _compute_mixture_probabilities(batch: _GroupBatch) -> list[Floats]:
    """Compute the probability of each place of each kind by the mixture, for one group."""
    n_places = [len(places.start) for places in batch.places]
    place_kind = np.repeat(np.arange(len(batch.counts)), n_places)
    start, end = (
        np.concatenate([getattr(places, name) for places in batch.places])
        for name in ("start", "end")
    )
    n_borders = int(batch.borders[0])
    weight = compute_mixture_weights(place_kind, start, end, batch.counts, n_borders)
    p = compute_weighted_probabilities(start, end, weight[place_kind], n_borders, sum(batch.counts))
    p /= np.bincount(place_kind, p)[place_kind]
    return np.split(p, np.cumsum(n_places)[:-1])


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
        p = compute_weighted_probabilities(start, end, weight[place_kind], n_borders, sum(counts))
        mean_counts = sum(counts) * np.bincount(place_kind, p)
        if np.abs(mean_counts / target - 1).max() < _CLOSE:
            break
        weight *= target / mean_counts
        weight /= weight.max()
    return weight


def compute_weighted_probabilities(
    start: Ints, end: Ints, weight: Floats, n_borders: int, n_segments: int
) -> Floats:
    """Compute the probability of each place, for one of equal segments at places with weights.

    An arrangement is as likely as the product of the weights of its places.

    Args:
        start, end: indices of the two borders of each place.
        weight: weight of each place.
        n_borders: number of borders.
        n_segments: number of segments.
    """
    places = KindPlaces(np.zeros(len(start), np.int64), start, end, weight=weight)
    return _compute_exact_probabilities((n_segments,), [places], np.array([n_borders]))[0]
