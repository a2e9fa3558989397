"""Random annotations that keep the number of segments of each kind of place, drawn with a seed.

An arrangement is drawn from its end. A *state* u contains the number of segments of each kind that
are still to be placed before a border. The last of them is at the place (s, e) of kind i with a
probability proportional to

    F[u − eᵢ][s],   for e at or before the border,

with F of :mod:`spanagree.chance.ways`. If this exceeds the budget, the sampler uses the mixture of
:mod:`spanagree.chance.arrangements`, which keeps the number of segments exactly, and that of each
kind on average. Draws are shaped (copies, segments).
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, group_indices, unique
from spanagree.chance.arrangements import BUDGET, compute_mixture_weights
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.ways import KindPlaces, count_ways_by_state
from spanagree.corpus.segments import Layer


def redraw_at_places(
    layer: Layer,
    kinds: PlaceKinds,
    kind: Ints,
    group: Ints,
    copies: int,
    rng: np.random.Generator,
    *,
    free: bool = False,
    budget: float = BUDGET,
) -> Layer:
    """Draw random annotations of a layer, as one layer with consecutive copies of its documents.

    Args:
        layer: segments to place.
        kinds: kinds and their places.
        kind: kind of each segment.
        group: group of each segment; segments of one group exclude each other.
        copies: number of random annotations.
        rng: random generator.
        free: True if segments do not exclude each other (the overlapping model).
        budget: largest table size; see :func:`spanagree.chance.arrangements.compute_arrangements`.
    """
    n_documents = len(layer.annotated)
    start, end = np.zeros((2, copies, len(layer)), np.int64)
    label = np.tile(layer.label, (copies, 1))
    n_in_group = np.bincount(group, minlength=1)
    single_segments = np.flatnonzero((n_in_group[group] == 1) | free)
    n_places = kinds.places[kind[single_segments]]
    place_rows = kinds.first[kind[single_segments]] + (
        rng.random((copies, len(single_segments))) * n_places
    ).astype(np.int64)
    start[:, single_segments], end[:, single_segments] = (
        kinds.start[place_rows],
        kinds.end[place_rows],
    )
    for rows in [] if free else group_indices(group, len(n_in_group)):
        if len(rows) > 1:
            place_rows, source = _draw_places_of_group(kinds, kind[rows], copies, rng, budget)
            start[:, rows], end[:, rows] = kinds.start[place_rows], kinds.end[place_rows]
            label[:, rows] = layer.label[rows][source]
    copy = np.repeat(np.arange(copies), len(layer))
    return Layer(
        np.tile(layer.document, copies) + copy * n_documents,
        start.ravel(),
        end.ravel(),
        label.ravel(),
        np.ones(copies * n_documents, np.bool_),
    )


def _draw_places_of_group(
    kinds: PlaceKinds, kind_of_segment: Ints, copies: int, rng: np.random.Generator, budget: float
) -> tuple[Ints, Ints]:
    """Draw places for the segments of a group, which exclude each other.

    Args:
        kinds: kinds and their places.
        kind_of_segment: kind of each segment of the group.
        copies: number of random annotations.
        rng: random generator.
        budget: largest table size; larger groups use the mixture.

    Returns:
        Row of each drawn place in ``kinds``, and index of the segment that is at it; both (copies,
        segments).
    """
    distinct_kinds = unique(kind_of_segment)
    n_of_kind = tuple(int((kind_of_segment == k).sum()) for k in distinct_kinds.tolist())
    place_kind = np.repeat(np.arange(len(distinct_kinds)), kinds.places[distinct_kinds])
    place_rows = np.concatenate(
        [np.arange(kinds.first[k], kinds.first[k + 1]) for k in distinct_kinds]
    )
    by_end = np.argsort(kinds.end[place_rows], kind="stable")
    place_kind, place_rows = place_kind[by_end], place_rows[by_end]
    start, end = kinds.start[place_rows], kinds.end[place_rows]
    borders = unique(np.concatenate((start, end)))
    start, end = np.searchsorted(borders, start), np.searchsorted(borders, end)
    n_borders = len(borders)
    n_states = float(np.prod(np.array(n_of_kind) + 1.0))
    weight, counts, state_axis = np.ones(len(place_rows)), n_of_kind, place_kind
    if n_states * 2 * len(place_rows) > budget:
        weight = compute_mixture_weights(place_kind, start, end, n_of_kind, n_borders)[place_kind]
        counts, state_axis = (sum(n_of_kind),), np.zeros(len(place_rows), np.int64)
    places_by_axis = [
        KindPlaces(0 * rows, start[rows], end[rows], weight=weight[rows])
        for rows in group_indices(state_axis, len(counts))
    ]
    n_ways, _ = count_ways_by_state(counts, places_by_axis, n_borders)
    drawn_places = _draw_from_the_end(n_ways, state_axis, start, end, weight, copies, rng)
    # random order of the segments of a kind
    shuffled = np.argsort(rng.random(drawn_places.shape), axis=1)
    drawn_places = np.take_along_axis(drawn_places, shuffled, axis=1)
    segments_of_kinds = [np.flatnonzero(kind_of_segment == k) for k in distinct_kinds.tolist()]
    return place_rows[drawn_places], _assign_segments(
        place_kind[drawn_places], segments_of_kinds, rng
    )


def _draw_from_the_end(
    n_ways: dict[tuple[int, ...], Floats],
    state_axis: Ints,
    start: Ints,
    end: Ints,
    weight: Floats,
    copies: int,
    rng: np.random.Generator,
) -> Ints:
    """Draw random arrangements of all segments, one segment after the other, from right to left.

    The probability of a place is proportional to the number of arrangements of the remaining
    segments to the left of this place.

    Args:
        n_ways: number of arrangements of segments that end at or before each border. Keys are
            states: a state has the number of segments of each kind.
        state_axis: kind of each place, as its index in a state; places are sorted by end.
        start: index of the start border of each place.
        end: index of the end border of each place.
        weight: weight of each place.
        copies: number of arrangements.
        rng: random generator.

    Returns:
        Index of the place of each segment; (copies, segments).
    """
    full_state = max(n_ways, key=sum)
    n_segments = sum(full_state)
    drawn_places = np.zeros((copies, n_segments), np.int64)
    border = np.full(copies, int(end.max()))
    draws_by_state = {full_state: np.arange(copies)}
    for step in range(n_segments):
        draws_by_next_state: dict[tuple[int, ...], list[Ints]] = {}
        for state, draws in draws_by_state.items():
            weighted_ways = np.zeros(len(start))
            for axis, count in enumerate(state):
                if count:
                    is_of_kind = state_axis == axis
                    state_before = (*state[:axis], count - 1, *state[axis + 1 :])
                    weighted_ways[is_of_kind] = (
                        n_ways[state_before][start[is_of_kind]] * weight[is_of_kind]
                    )
            cumulative_ways = np.append(0.0, np.cumsum(weighted_ways))
            total_ways = cumulative_ways[np.searchsorted(end, border[draws], side="right")]
            drawn_point = rng.random(len(draws)) * total_ways
            place_index = np.searchsorted(cumulative_ways, drawn_point, side="right") - 1
            drawn_places[draws, step] = place_index
            border[draws] = start[place_index]
            for axis in unique(state_axis[place_index]).tolist():
                next_state = (*state[:axis], state[axis] - 1, *state[axis + 1 :])
                draws_by_next_state.setdefault(next_state, []).append(
                    draws[state_axis[place_index] == axis]
                )
        draws_by_state = {
            state: np.concatenate(draw_parts) for state, draw_parts in draws_by_next_state.items()
        }
    return drawn_places


def _assign_segments(
    drawn_kinds: Ints, segments_of_kinds: list[Ints], rng: np.random.Generator
) -> Ints:
    """Assign a segment to each drawn place, at random among the segments of the drawn kind.

    Args:
        drawn_kinds: index of the kind of each drawn place.
        segments_of_kinds: indices of the segments of each kind.
        rng: random generator.

    Returns:
        Index of the segment at each place; (copies, segments).
    """
    source = np.zeros_like(drawn_kinds)
    for kind_index, rows in enumerate(segments_of_kinds):
        is_kind = drawn_kinds == kind_index
        rank = np.cumsum(is_kind, axis=1) - 1
        # the mixture may draw more or fewer segments of a kind than exist, so start at random
        rank = rank + rng.integers(0, len(rows), (len(drawn_kinds), 1))
        source[is_kind] = rows[rank[is_kind] % len(rows)]
    return source
