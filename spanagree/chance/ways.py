"""Numbers of ways to place the segments of an annotation before each border.

Segments exclude each other. Kind i has cᵢ segments, and u counts the placed segments of each kind.
Let F[u][p] be the number of ways to place u before the border p, so that the last segment ends at p
or before it:

    F[0] = 1;   F[u][p] = F[u][p − 1] + Σ over places (s, p) of kinds i: F[u − eᵢ][s].

Next to a fixed annotation, ways are counted by their match m, which a segment at a place raises by
its gain gᵢ(s, p):

    F[u][p][m] = F[u][p − 1][m] + Σ over places (s, p) of kinds i: F[u − eᵢ][s][m − gᵢ(s, p)].

A measure that is not additive needs one more *bit* in the state: whether the segment of the fixed
annotation that crosses the border is paired (:mod:`spanagree.comparisons.overlap_match`). If only
mean and variance are requested, or matches are not integers, tables contain (1, Σ m, Σ m²) instead
of a number for each match.

A *level* contains the tables of all states u with the same number of segments, for all annotations
with equal counts; it takes a few operations for each kind. Tables are shaped (states, annotations ·
borders · bits, matches). All terms are positive, so even the smallest numbers keep their digits;
large ones, and products of weights, are scaled by powers of 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, group_indices, unique, unique_matrix_rows

_LARGEST_POWER = 900  # exponent of 2 above which numbers are scaled


class KindPlaces(NamedTuple):
    """Places of one kind of segments, in many annotations.

    Attributes:
        annotation: annotation of each place.
        start, end: index of the first and of the last border of each place.
        gain: gain of a segment at each place; (places, bits). ``None`` if nothing is matched.
        bit_after: bit after each place; (places, bits).
        weight: factor of the ways with a segment at each place; ``None`` for 1.
    """

    annotation: Ints
    start: Ints
    end: Ints
    gain: Ints | Floats | None = None
    bit_after: Ints | None = None
    weight: Floats | None = None


class Level(NamedTuple):
    """Numbers of ways to place the same number of segments.

    Attributes:
        states: u of each state; (states, kinds).
        codes: number that identifies each state, Σ uᵢ · :func:`compute_code_steps`; sorted.
        tables: F[u], divided by a power of 2; (states, annotations · borders · bits, matches).
        exponents: exponent of the power of 2 of each annotation.
    """

    states: Ints
    codes: Ints
    tables: Floats
    exponents: Ints


class StateLevel(NamedTuple):
    """States u with the same number of placed segments.

    Attributes:
        states: u of each state; (states, kinds).
        codes: number that identifies each state; see :class:`Level`.
        moves: for each kind, the states of the level before that can take one segment more, and
            the state that each becomes; empty for the first level.
    """

    states: Ints
    codes: Ints
    moves: list[tuple[Ints, Ints]]


class _Step(NamedTuple):
    """The effect of placing a segment of a kind: ways move from cells of a table to later cells.

    Arrays have an entry for each place and bit.

    Attributes:
        source: row of the table before the place.
        target: cell of the flat table after the place, for each match that is possible there.
        is_possible: mask of these matches; (entries, matches). ``None`` if all are possible.
        gain: increase of the match, if tables contain moments.
        weight: factor of the ways; ``None`` for 1.
    """

    source: Ints
    target: Ints
    is_possible: Bools | None
    gain: Ints | Floats | None
    weight: Floats | None


def yield_batches_of_equal_counts(
    counts: Ints, sizes: Ints, max_size: int
) -> Iterator[tuple[tuple[int, ...], Ints]]:
    """Yield batches of annotations that are computed together, as their counts and rows.

    Args:
        counts: number of segments of each kind; (annotations, kinds).
        sizes: size of the table of each annotation for a single state.
        max_size: largest size of the tables of a batch, unless one annotation alone is larger.

    >>> counts = np.array([[1], [2], [1]])
    >>> [rows.tolist() for _, rows in yield_batches_of_equal_counts(counts, np.ones(3), 9)]
    [[0, 2], [1]]
    """
    distinct_counts, index, _ = unique_matrix_rows(counts)
    groups = group_indices(index, len(distinct_counts))
    for counts_of_batch, rows in zip(map(tuple, distinct_counts.tolist()), groups, strict=True):
        table_sizes = math.prod(count + 1 for count in counts_of_batch) * sizes[rows]
        for batch in _yield_batches_of_similar_size(rows, table_sizes, max_size):
            yield counts_of_batch, batch


def _yield_batches_of_similar_size(rows: Ints, table_sizes: Ints, max_size: int) -> Iterator[Ints]:
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


def yield_levels(
    counts: tuple[int, ...],
    places_by_kind: Sequence[KindPlaces],
    shape: tuple[int, int, int],
    *,
    moments: bool = False,
    keeps_bit: Bools | None = None,
    state_levels: Iterable[StateLevel] | None = None,
) -> Iterator[Level]:
    """Count the ways to place no segment, one segment, and so on up to all segments.

    Args:
        counts: number of segments of each kind.
        places_by_kind: places of each kind, in all annotations.
        shape: number of annotations, of borders, and of matches in a table.
        moments: True if tables contain moments.
        keeps_bit: mask of the borders where the bit is the same as at the border before;
            (annotations, borders). ``None`` without bits.
        state_levels: states of each level, if they are known from an earlier count.

    >>> anywhere = KindPlaces(np.zeros(2, np.int64), np.array([0, 1]), np.array([1, 2]))
    >>> [level.tables.ravel().tolist() for level in yield_levels((2,), [anywhere], (1, 3, 1))]
    [[1.0, 1.0, 1.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]
    """
    n_annotations, n_borders, width = shape
    bits = 1 if keeps_bit is None else 2
    steps = [_build_step(places, n_borders, bits, width, moments) for places in places_by_kind]
    n_places = max(len(places.start) for places in places_by_kind) * len(counts)
    has_weights = any(places.weight is not None for places in places_by_kind)
    is_scaled = has_weights or sum(counts) * math.log2(n_places + 1) > _LARGEST_POWER
    tables = np.zeros((1, n_annotations * n_borders * bits, width))
    tables[:, ::bits, 0] = 1
    exponents = np.zeros(n_annotations, np.int64)
    for states, codes, moves in state_levels or yield_state_levels(counts):
        if not moves:
            yield Level(states, codes, tables, exponents)
            continue
        earlier_tables = tables
        tables = np.zeros((len(codes), *tables.shape[1:]))
        for (sources, targets), step in zip(moves, steps, strict=True):
            _add_ways(tables, targets, earlier_tables, sources, step)
        _accumulate_ways(tables.reshape(-1, n_borders, bits, width), keeps_bit)
        if is_scaled:
            by_border = tables.reshape(len(codes), n_annotations, n_borders, -1)
            power = np.frexp(by_border[:, :, -1].max(axis=(0, 2)))[1]
            np.ldexp(by_border, -power[:, None, None], out=by_border)
            exponents = exponents + power
        yield Level(states, codes, tables, exponents)


def count_ways_by_state(
    counts: tuple[int, ...], places_by_kind: Sequence[KindPlaces], n_borders: int
) -> tuple[dict[tuple[int, ...], Floats], int]:
    """Count the ways to place the segments of each state before each border, in one annotation.

    Args:
        counts: number of segments of each kind.
        places_by_kind: places of each kind.
        n_borders: number of borders.

    Returns:
        F[u] by state u, divided by the same power of 2 for states with the same number of segments;
        and the exponent of that power for all segments.
    """
    levels = [*yield_levels(counts, places_by_kind, (1, n_borders, 1))]
    ways_by_state = {
        tuple(state): table
        for level in levels
        for state, table in zip(level.states.tolist(), level.tables[:, :, 0], strict=True)
    }
    return ways_by_state, int(levels[-1].exponents[0])


def yield_state_levels(counts: tuple[int, ...]) -> Iterator[StateLevel]:
    """Yield the states of each level, from no segment to all segments.

    >>> [level.states.tolist() for level in yield_state_levels((1, 2))]
    [[[0, 0]], [[0, 1], [1, 0]], [[0, 2], [1, 1]], [[1, 2]]]
    """
    code_steps = compute_code_steps(counts)
    states = np.zeros((1, len(counts)), np.int64)
    yield (level := StateLevel(states, states @ code_steps, []))
    for _ in range(sum(counts)):
        sources = [np.flatnonzero(column) for column in (level.states < counts).T]
        next_codes = [
            level.codes[rows] + step for rows, step in zip(sources, code_steps, strict=True)
        ]
        codes = unique(np.concatenate(next_codes))
        states = codes[:, None] // code_steps % (np.array(counts) + 1)
        targets = [np.searchsorted(codes, kind_codes) for kind_codes in next_codes]
        yield (level := StateLevel(states, codes, [*zip(sources, targets, strict=True)]))


def compute_code_steps(counts: Sequence[int]) -> Ints:
    """Compute the increase of a state's code for a segment of each kind.

    >>> compute_code_steps((2, 1, 4)).tolist()
    [10, 5, 1]
    """
    return np.append(np.cumprod(np.array(counts[:0:-1], np.int64) + 1)[::-1], 1)


def _build_step(places: KindPlaces, n_borders: int, bits: int, width: int, moments: bool) -> _Step:
    """Build the effect of placing a segment of a kind."""
    starts, ends = (
        (places.annotation * n_borders + border)[:, None] * bits
        for border in (places.start, places.end)
    )
    source = (starts + np.arange(bits)).ravel()
    row_after = (ends + (0 if places.bit_after is None else places.bit_after)).ravel()
    match_after: Ints | Floats = np.arange(width)[None]
    is_possible, gain = None, None
    if places.gain is not None and moments:
        gain = places.gain.ravel()
    elif places.gain is not None and places.gain.any():
        match_after = match_after + places.gain.reshape(-1, 1)
        is_possible = match_after < width
    target = row_after[:, None] * width + match_after
    weight = None if places.weight is None else np.repeat(places.weight, bits)[:, None]
    target = target.ravel() if is_possible is None else target[is_possible]
    return _Step(source, target, is_possible, gain, weight)


def _add_ways(tables: Floats, targets: Ints, level: Floats, sources: Ints, step: _Step) -> None:
    """Add the ways after placing a segment to the tables of later states.

    Args:
        tables: tables of the next level; changed in place.
        targets: later states.
        level: tables of the level before it.
        sources: states before the segment is placed, one for each later state.
        step: effect of placing the segment.
    """
    values = (level if len(sources) == len(level) else level[sources]).take(step.source, axis=1)
    if step.weight is not None:
        values *= step.weight
    if step.gain is not None:
        n_ways, total, square = np.moveaxis(values, 2, 0)
        square += step.gain * (2 * total + step.gain * n_ways)
        total += step.gain * n_ways
    values = (
        values.reshape(len(values), -1) if step.is_possible is None else values[:, step.is_possible]
    )
    flat_tables = tables.reshape(len(tables), -1)  # a view
    for state, added in zip(targets.tolist(), values, strict=True):
        flat_tables[state] += np.bincount(step.target, added, flat_tables.shape[1])


def _accumulate_ways(table: Floats, keeps_bit: Bools | None) -> None:
    """Add the ways at earlier borders to each border, in place.

    Args:
        table: ways with a last segment that ends at each border; afterwards, at or before it;
            (states · annotations, borders, bits, matches).
        keeps_bit: mask of the borders where the bit is the same as at the border before, if there
            are bits; (annotations, borders).
    """
    if keeps_bit is None:
        np.cumsum(table, axis=1, out=table)
        return
    keeps_bit = np.tile(keeps_bit, (len(table) // len(keeps_bit), 1))
    for border in range(1, table.shape[1]):
        kept_ways = table[:, border - 1, 1] * keeps_bit[:, border, None]
        table[:, border, 1] += kept_ways
        table[:, border, 0] += table[:, border - 1, 0]
        # one of the terms is 0, so no digit is lost
        table[:, border, 0] += table[:, border - 1, 1] - kept_ways
