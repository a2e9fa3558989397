"""The witness of places: whole random annotations that keep the kinds of their places, drawn.

An arrangement is drawn from its end: with u segments of each kind left in front of a border, the
last of them stands at a place (s, e) of kind i with a probability in the proportion of F[u − eᵢ][s]
(:mod:`spanagree.chance.arrangements`). Over the budget there, the mixture is drawn from: it keeps
the number of segments, and of each kind how many there are on average.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints, groups, unique
from spanagree.chance.arrangements import (
    BUDGET,
    ways_before,
    ways_before_by_number,
    weights_of_mixture,
)
from spanagree.chance.place_kinds import PlaceKinds
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
    """Draw so many random annotations of a layer, as copies of its documents one after the other.

    Args:
        layer: the annotation whose segments are placed.
        kinds: all kinds and their places.
        kind: of each segment.
        group: of each segment; segments of one group exclude each other.
        copies: how many.
        rng: to draw from.
        free: segments do not exclude each other (the overlapping model).
        budget: as of :func:`spanagree.chance.arrangements.arrangements`.
    """
    documents = len(layer.annotated)
    start, end = np.zeros((2, copies, len(layer)), np.int64)
    label = np.tile(layer.label, (copies, 1))
    size = np.bincount(group, minlength=1)
    alone = np.flatnonzero((size[group] == 1) | free)
    places = kinds.places[kind[alone]]
    at = kinds.first[kind[alone]] + (rng.random((copies, len(alone))) * places).astype(np.int64)
    start[:, alone], end[:, alone] = kinds.start[at], kinds.end[at]
    for rows in [] if free else groups(group, len(size)):
        if len(rows) > 1:
            at, source = _drawn(kinds, kind[rows], copies, rng, budget)
            start[:, rows], end[:, rows] = kinds.start[at], kinds.end[at]
            label[:, rows] = layer.label[rows][source]
    copy = np.repeat(np.arange(copies), len(layer))
    return Layer(
        np.tile(layer.document, copies) + copy * documents,
        start.ravel(),
        end.ravel(),
        label.ravel(),
        np.ones(copies * documents, np.bool_),
    )


def _drawn(
    kinds: PlaceKinds, kind: Ints, copies: int, rng: np.random.Generator, budget: float
) -> tuple[Ints, Ints]:
    """Draw places for the segments of a group; (copies, segments), as numbers.

    The second table says the label of which segment is at each of them.
    """
    present = unique(kind)
    counts = tuple(int((kind == k).sum()) for k in present.tolist())
    of_kind = np.repeat(np.arange(len(present)), kinds.places[present])
    place = np.concatenate([np.arange(kinds.first[k], kinds.first[k + 1]) for k in present])
    order = np.argsort(kinds.end[place], kind="stable")
    of_kind, place = of_kind[order], place[order]
    start, end = kinds.start[place], kinds.end[place]
    borders = unique(np.concatenate((start, end)))
    start, end = np.searchsorted(borders, start), np.searchsorted(borders, end)
    wide = len(borders)
    states = float(np.prod(np.array(counts) + 1.0))
    if states * 2 * len(place) > budget:
        weight = weights_of_mixture(of_kind, start, end, counts, wide)[of_kind]
        ways = ways_before_by_number(start, end, weight, wide, sum(counts))
        number = np.zeros(len(place), np.int64)
    else:
        weight = np.ones(len(place))
        ways, number = ways_before(of_kind, start, end, counts, wide), of_kind
    chosen = _draw_from_the_end(ways, number, start, end, weight, copies, rng)
    shuffled = np.argsort(rng.random(chosen.shape), axis=1)  # in a random order within each kind
    chosen = np.take_along_axis(chosen, shuffled, axis=1)
    members = [np.flatnonzero(kind == k) for k in present.tolist()]
    return place[chosen], _segments_at(of_kind[chosen], members, rng)


def _draw_from_the_end(
    ways: dict[tuple[int, ...], Floats],
    number: Ints,
    start: Ints,
    end: Ints,
    weight: Floats,
    copies: int,
    rng: np.random.Generator,
) -> Ints:
    """Draw arrangements from what stands before every border; the last segment first.

    Args:
        ways: F of each state at every border.
        number, start, end, weight: of each place, sorted by end: which number of the state counts
            its segments, both borders, and the weight.
        copies: how many arrangements.
        rng: to draw from.

    Returns:
        The places of the segments of each arrangement, by number.
    """
    complete = max(ways, key=sum)
    k = sum(complete)
    chosen = np.zeros((copies, k), np.int64)
    border = np.full(copies, int(end.max()))
    at_state = {complete: np.arange(copies)}
    for step in range(k):
        following: dict[tuple[int, ...], list[Ints]] = {}
        for state, draws in at_state.items():
            mass = np.zeros(len(start))
            for i, count in enumerate(state):
                if count:
                    here = number == i
                    before = (*state[:i], count - 1, *state[i + 1 :])
                    mass[here] = ways[before][start[here]] * weight[here]
            up_to = np.append(0.0, np.cumsum(mass))
            last = up_to[np.searchsorted(end, border[draws], side="right")]
            asked = rng.random(len(draws)) * last
            row = np.searchsorted(up_to, asked, side="right") - 1
            chosen[draws, step] = row
            border[draws] = start[row]
            for i in unique(number[row]).tolist():
                then = (*state[:i], state[i] - 1, *state[i + 1 :])
                following.setdefault(then, []).append(draws[number[row] == i])
        at_state = {state: np.concatenate(parts) for state, parts in following.items()}
    return chosen


def _segments_at(drawn: Ints, members: list[Ints], rng: np.random.Generator) -> Ints:
    """Return which segment stands at each place, from the kinds drawn; (copies, segments).

    Args:
        drawn: the kind at each place, by number.
        members: the segments of each kind.
        rng: to draw from.
    """
    source = np.zeros_like(drawn)
    for i, rows in enumerate(members):
        here = drawn == i
        rank = np.cumsum(here, axis=1) - 1
        # of the mixture more may be drawn than there are, or fewer: any may be left out
        rank = rank + rng.integers(0, len(rows), (len(drawn), 1))
        source[here] = rows[rank[here] % len(rows)]
    return source
