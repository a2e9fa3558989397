"""The exact distribution of the match of random annotations with a fixed one, by a walk.

All arrangements of segments that exclude each other are equally likely. Segments of one label and
kind of places are of one *kind*; kind i occurs cᵢ times, and u counts the placed segments of each
kind. Let G(u, p, m) be the number of ways to place u before the border p with match m, where the
last segment ends at p or before it. Then

    G(u, p, m) = G(u, p − 1, m) + Σ over places (s, p) of kinds i: G(u − eᵢ, s, m − gᵢ(s, p)),

where gᵢ(s, p) is the gain of a segment of kind i at that place. G(c, n, ·), scaled to the sum 1, is
the distribution. All terms are positive, so even the smallest probabilities keep their digits.
Random annotations with equal counts are walked together, so each u takes a few operations over all
of them.

A measure that is not additive needs one more *bit* in the state: whether the segment of A that
crosses the border is paired (:mod:`spanagree.comparisons.overlap_match`). If only mean and variance
are requested, or matches are not integers, G contains (1, Σ m, Σ m²) instead of a distribution.
Tables have the shape (annotations, borders, bits, matches).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    expand_ranges,
    find_entries,
    group_indices,
    unique_matrix_rows,
    unique_rows,
    yield_batches,
)
from spanagree.chance.arrangements import yield_batches_of_work
from spanagree.chance.place_kinds import PlaceKinds, build_kinds_anywhere
from spanagree.chance.walk import OTHER, compute_distributions_of_ways
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    SegmentPlaces,
    bound_costs,
)
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import find_similar_pairs
from spanagree.comparisons.overlap_match import compute_matches_at_places, is_same_crossing
from spanagree.corpus.segments import Layer

_LARGEST_POWER = 900  # exponent of 2 above which numbers are scaled
_PLACES_PER_BATCH = 1 << 18  # places in one batch of parts
_VALUES_PER_BATCH = 1 << 20  # values of one level of the annotations in a batch


class _KindTable(NamedTuple):
    """Kinds of random segments, with one row for each part, group, kind of places and label.

    Attributes:
        part_index, group, kind: part, group and kind of places of each row.
        n_segments: number of segments of each row.
        row: row that each place belongs to.
        start, end: borders of each place.
        gain: gain of a segment at each place; (places, bits).
        bit_after: bit after this segment; (places, bits).
    """

    part_index: Ints
    group: Ints
    kind: Ints
    n_segments: Ints
    row: Ints
    start: Ints
    end: Ints
    gain: Ints | Floats
    bit_after: Ints


@dataclass(frozen=True, eq=False)
class _Batch:
    """Random annotations with equal counts, whose places are grouped by kind.

    Attributes:
        counts: number of segments of each kind.
        borders: number of borders.
        annotation, start, end: annotation, first and last border of each place, for each kind.
        gain, bit_after: gain and bit after each place, for each kind; (places, bits).
        keeps_bit: mask of the borders that keep the bit; (annotations, borders). ``None`` without
            bits.
        match_bound: upper bound of the match.
    """

    counts: tuple[int, ...]
    borders: int
    annotation: list[Ints]
    start: list[Ints]
    end: list[Ints]
    gain: list[Ints | Floats]
    bit_after: list[Ints]
    keeps_bit: Bools | None
    match_bound: int


def compute_fixed_by_walk(
    document_parts: DocumentParts,
    measure: Measure,
    budget: float,
    moments: bool,
    place_kinds: PlaceKinds | None = None,
) -> list[Floats | None]:
    """Compute the distribution of the match in each part, with A fixed and B random.

    Args:
        document_parts: parts of documents.
        measure: measure of the match.
        budget: largest number of values that may be computed for a part.
        moments: True to compute only mean and variance.
        place_kinds: kinds of the places of segments. Default: segments may start anywhere.

    Returns:
        The probabilities of 0, 1, … for each part, or its mean and variance; ``None`` for a part
        that exceeds the budget.
    """
    if place_kinds is not None:
        return _compute_distributions(document_parts, place_kinds, measure, budget, moments)
    results: list[Floats | None] = [None] * len(document_parts)
    affordable = np.flatnonzero(bound_costs(document_parts, document_parts.b) <= budget)
    n_places = np.bincount(
        document_parts.b.part_index,
        document_parts.tokens[document_parts.b.part_index],
        len(document_parts),
    )
    for start, stop in yield_batches(n_places[affordable].astype(np.int64), _PLACES_PER_BATCH):
        rows = affordable[start:stop]
        batch = document_parts.select_parts(rows)
        b = batch.b
        place_kinds = build_kinds_anywhere(batch.tokens[b.part_index], b.length)
        batch = replace(batch, b=replace(b, kind=place_kinds.kind))
        for row, result in zip(
            rows.tolist(),
            _compute_distributions(batch, place_kinds, measure, budget, moments),
            strict=True,
        ):
            results[row] = result
    return results


def _compute_distributions(
    document_parts: DocumentParts,
    place_kinds: PlaceKinds,
    measure: Measure,
    budget: float,
    moments: bool,
) -> list[Floats | None]:
    """Compute the distribution of each part from the kinds of places of its segments."""
    results: list[Floats | None] = [
        np.zeros(2) if moments else np.ones(1) for _ in range(len(document_parts))
    ]
    if not len(document_parts.b):
        return results
    segments_b, multiplicity = _find_equal_groups(document_parts.b)
    document_parts = replace(document_parts, b=segments_b)
    kind_table = _build_kind_table(document_parts, place_kinds, measure)
    _, annotation, _ = unique_rows(kind_table.part_index, kind_table.group)
    order = np.lexsort((kind_table.n_segments, annotation))
    size = np.bincount(annotation)
    begin = np.cumsum(size) - size
    can_match = (
        np.bincount(annotation[kind_table.row], (kind_table.gain > 0).any(axis=1), len(size)) > 0
    )
    n_places = np.bincount(annotation[kind_table.row], minlength=len(size))
    first_place = np.append(
        0, np.cumsum(np.bincount(kind_table.row, minlength=len(kind_table.n_segments)))
    )
    match_bound = _bound_match(kind_table, annotation, len(size))
    n_states = np.exp(np.minimum(np.bincount(annotation, np.log1p(kind_table.n_segments)), 700))
    width = np.full(len(size), 3) if moments else match_bound + 1
    is_over = can_match & (n_states * n_places * width * kind_table.gain.shape[1] > budget)
    part_of_annotation = kind_table.part_index[order[begin]]
    for index in np.flatnonzero(is_over).tolist():
        results[part_of_annotation[index]] = None
    result_by_annotation: dict[int, Floats] = {}
    walked_annotations = np.flatnonzero(can_match & ~is_over)
    representative = np.arange(len(size))
    for n_kinds in np.unique(size[walked_annotations]).tolist():
        annotations = walked_annotations[size[walked_annotations] == n_kinds]
        rows = order[begin[annotations][:, None] + np.arange(n_kinds)]
        # equal annotations are walked once; with bits, the fixed segments matter too
        if kind_table.gain.shape[1] == 1:
            first_equal = _find_first_equal_annotation(kind_table, first_place, rows)
            representative[annotations] = annotations[first_equal]
            is_first = first_equal == np.arange(len(annotations))
            annotations, rows = annotations[is_first], rows[is_first]
        distinct_counts, count_index, _ = unique_matrix_rows(kind_table.n_segments[rows])
        for counts, members in zip(
            distinct_counts, group_indices(count_index, len(distinct_counts)), strict=True
        ):
            cost = (
                math.prod((counts + 1).tolist())
                * n_places[annotations[members]]
                * width[annotations[members]]
            )
            for batch_members in yield_batches_of_work(members, cost, _VALUES_PER_BATCH):
                batch = _build_batch(
                    document_parts,
                    kind_table,
                    first_place,
                    tuple(counts.tolist()),
                    rows[batch_members],
                )
                result_by_annotation |= zip(
                    annotations[batch_members].tolist(), _walk_batch(batch, moments), strict=True
                )
    for index in np.repeat(walked_annotations, multiplicity[walked_annotations]).tolist():
        _add_independent(
            results,
            int(part_of_annotation[index]),
            result_by_annotation[int(representative[index])],
            moments,
        )
    return results


def _find_equal_groups(segments: AnnotatorSegments) -> tuple[AnnotatorSegments, Ints]:
    """Find the groups of a part that consist of one segment, of the same kind of places and label.

    Returns:
        The segments without repetitions of such groups, and the multiplicity of each group.
    """
    _, group, size = unique_rows(segments.part_index, segments.group)
    is_alone = size[group] == 1
    columns = (
        np.where(is_alone, alone_value, other_value)
        for alone_value, other_value in (
            (-1, segments.group),
            (segments.kind, 0),
            (segments.label, 0),
        )
    )
    _, equal_index, count = unique_rows(segments.part_index, *columns)
    is_first = ~is_alone
    is_first[np.unique(equal_index, return_index=True)[1]] = True
    kept_segments = segments.select_rows(np.flatnonzero(is_first))
    _, group, _ = unique_rows(kept_segments.part_index, kept_segments.group)
    multiplicity = np.ones(1 + int(group.max()), np.int64)
    multiplicity[group] = np.where(is_alone, count[equal_index], 1)[is_first]
    return kept_segments, multiplicity


def _find_first_equal_annotation(kind_table: _KindTable, first_place: Ints, rows: Ints) -> Ints:
    """Find the first random annotation with equal kinds, counts and gains, for each annotation.

    Args:
        kind_table: kinds of segments.
        first_place: position of the first place of each kind.
        rows: kinds of each annotation; (annotations, kinds).
    """
    first_equal = np.arange(len(rows))
    distinct_contents, content_index, _ = unique_matrix_rows(
        np.hstack((kind_table.kind[rows], kind_table.n_segments[rows]))
    )
    for members in group_indices(content_index, len(distinct_contents)):
        if len(members) > 1:
            kind_rows = rows[members].ravel()
            place_index, _ = expand_ranges(first_place[kind_rows], first_place[kind_rows + 1])
            gains = kind_table.gain[place_index].reshape(len(members), -1)
            _, equal_index, _ = unique_matrix_rows(gains)
            earliest = np.full(len(members), len(members))
            np.minimum.at(earliest, equal_index, np.arange(len(members)))
            first_equal[members] = members[earliest[equal_index]]
    return first_equal


def _build_kind_table(
    document_parts: DocumentParts, place_kinds: PlaceKinds, measure: Measure
) -> _KindTable:
    """Build the table of kinds; segments that match at no place are of one label."""
    b = document_parts.b
    (part_index, group, place_kind, label), inverse, _ = unique_rows(
        b.part_index, b.group, b.kind, b.label
    )
    n_places = place_kinds.places[place_kind]
    row, place_index = (
        np.repeat(np.arange(len(place_kind)), n_places),
        find_entries(place_kinds.places, place_kind),
    )
    start, end = place_kinds.start[place_index], place_kinds.end[place_index]
    places = SegmentPlaces(part_index[row], start, end, label[row])
    gain, bit_after = _compute_gains_and_bits(document_parts, measure, places)
    can_match = np.bincount(row, (gain > 0).any(axis=1), len(place_kind)) > 0
    columns = part_index, group, place_kind, np.where(can_match, label, OTHER)
    (part_index, group, place_kind, _), merged, _ = unique_rows(*columns)
    count = np.bincount(merged[inverse], minlength=len(part_index))
    # an example of each, because all have the same gains
    member = np.zeros(len(part_index), np.int64)
    member[merged] = np.arange(len(merged))
    place_index = find_entries(n_places, member)
    row = np.repeat(np.arange(len(part_index)), n_places[member])
    return _KindTable(
        part_index,
        group,
        place_kind,
        count,
        row,
        start[place_index],
        end[place_index],
        gain[place_index],
        bit_after[place_index],
    )


def _compute_gains_and_bits(
    document_parts: DocumentParts, measure: Measure, places: SegmentPlaces
) -> tuple[Ints | Floats, Ints]:
    """Compute the gain of a segment of B at each place, and the bit after the segment.

    Both are shaped (places, bits).
    """
    if measure.kernel == "one-to-one":
        return compute_matches_at_places(document_parts, measure, places)
    gain = _compute_gains(document_parts, measure, places)
    return gain[:, None], np.zeros((len(gain), 1), np.int64)


def _compute_gains(
    document_parts: DocumentParts, measure: Measure, places: SegmentPlaces
) -> Ints | Floats:
    """Compute the gain of a segment of B at each place, its match with A."""
    a = document_parts.a
    part_index, start, end, label = places
    n_labels = 2 + int(a.label.max(initial=0))
    no_mask = np.zeros(0, np.bool_)
    # mask of the labels of A; all other labels share the last index
    is_known = label < n_labels - 1
    cell = part_index * n_labels + np.where(is_known & (label != OTHER), label, n_labels - 1)
    order = np.lexsort((end, start, cell))
    no_label = np.zeros(len(cell), np.int64)
    place_layer = Layer(cell[order], start[order], end[order], no_label, no_mask)
    cell_of_a = a.part_index * n_labels + a.label
    order_a = np.lexsort((a.start + a.length, a.start, cell_of_a))
    layer_a = Layer(
        cell_of_a[order_a],
        a.start[order_a],
        (a.start + a.length)[order_a],
        np.zeros(len(a), np.int64),
        no_mask,
    )
    _, j, phi = find_similar_pairs(
        layer_a, place_layer, layer_a.document, place_layer.document, measure
    )
    total = np.bincount(order[j], phi, len(cell))
    return total.astype(np.int64) if np.asarray(phi).dtype.kind == "i" else total


def _bound_match(kind_table: _KindTable, annotation: Ints, n_annotations: int) -> Ints:
    """Compute an upper bound of the match of each random annotation."""
    first_row = np.searchsorted(kind_table.row, np.arange(len(kind_table.n_segments)))
    largest_gain = np.maximum.reduceat(kind_table.gain.max(axis=1), first_row)
    return np.ceil(
        np.bincount(annotation, largest_gain * kind_table.n_segments, n_annotations)
    ).astype(np.int64)


def _build_batch(
    document_parts: DocumentParts,
    kind_table: _KindTable,
    first_place: Ints,
    counts: tuple[int, ...],
    rows: Ints,
) -> _Batch:
    """Build a batch of random annotations with equal counts, from the kinds of each annotation."""
    places_of_kinds = []
    n_borders = 1
    for k in range(len(counts)):
        place_index, annotation = expand_ranges(
            first_place[rows[:, k]], first_place[rows[:, k] + 1]
        )
        places_of_kinds.append((annotation, place_index))
        n_borders = max(n_borders, 1 + int(kind_table.end[place_index].max(initial=0)))
    is_used = np.zeros((len(rows), n_borders), np.bool_)
    for annotation, place_index in places_of_kinds:
        is_used[annotation, kind_table.start[place_index]] = is_used[
            annotation, kind_table.end[place_index]
        ] = True
    rank = np.cumsum(is_used, axis=1) - 1
    match_bound = sum(
        count * float(kind_table.gain[place_index].max(initial=0))
        for count, (_, place_index) in zip(counts, places_of_kinds, strict=True)
    )
    keeps_bit = None
    if kind_table.gain.shape[1] == 2:
        keeps_bit = is_same_crossing(
            document_parts, kind_table.part_index[rows[:, 0]], is_used, rank
        )
    return _Batch(
        counts,
        int(rank[:, -1].max()) + 1,
        [annotation for annotation, _ in places_of_kinds],
        [
            rank[annotation, kind_table.start[place_index]]
            for annotation, place_index in places_of_kinds
        ],
        [
            rank[annotation, kind_table.end[place_index]]
            for annotation, place_index in places_of_kinds
        ],
        [kind_table.gain[place_index] for _, place_index in places_of_kinds],
        [kind_table.bit_after[place_index] for _, place_index in places_of_kinds],
        keeps_bit,
        math.ceil(match_bound),
    )


class _Step(NamedTuple):
    """Places of one kind with the same effect.

    Attributes:
        source: row of the ways before each place, by start and bit.
        target: row of the ways after each place, by distinct end and bit.
        begin: first place of each end; ``None`` if all ends are distinct.
        gain: increase of the match; for each place if moments are computed.
    """

    source: Ints
    target: Ints
    begin: Ints | None
    gain: Any


def _list_steps(batch: _Batch, k: int, moments: bool) -> list[_Step]:
    """List the effects of placing a segment of kind k."""
    source = batch.annotation[k] * batch.borders + batch.start[k]
    target = batch.annotation[k] * batch.borders + batch.end[k]
    steps = []
    bits = batch.gain[k].shape[1]
    for bit in range(bits):
        gain, bit_after = batch.gain[k][:, bit], batch.bit_after[k][:, bit]
        effect = bit_after.astype(np.float64) if moments else gain * 2 + bit_after
        for effect_value in np.unique(effect).tolist():
            rows = np.flatnonzero(effect == effect_value)
            rows = rows[np.argsort(target[rows], kind="stable")]
            distinct_targets, begin = np.unique(target[rows], return_index=True)
            step_gain = gain[rows] if moments else int(gain[rows[0]])
            target_rows = distinct_targets * bits + int(bit_after[rows[0]])
            starts = None if len(distinct_targets) == len(rows) else begin
            steps.append(_Step(source[rows] * bits + bit, target_rows, starts, step_gain))
    return steps


def _walk_batch(batch: _Batch, moments: bool) -> list[Floats]:
    """Compute the distribution, or mean and variance, of each random annotation."""
    n_annotations = int(batch.annotation[0].max()) + 1
    bits = batch.gain[0].shape[1]
    width = 3 if moments else batch.match_bound + 1
    steps = [_list_steps(batch, k, moments) for k in range(len(batch.counts))]
    first_table = np.zeros((n_annotations * batch.borders, bits, width))
    first_table[:, 0, 0] = 1
    level = {(0,) * len(batch.counts): first_table}
    n_places = max(map(len, batch.annotation)) * len(batch.counts)
    is_scaled = sum(batch.counts) * math.log2(n_places + 1) > _LARGEST_POWER
    for _ in range(sum(batch.counts)):
        arrived: dict[tuple[int, ...], Floats] = {}
        for counts, ways in level.items():
            for k, steps_of_kind in enumerate(steps):
                if counts[k] == batch.counts[k]:
                    continue
                next_counts = (*counts[:k], counts[k] + 1, *counts[k + 1 :])
                if next_counts not in arrived:
                    arrived[next_counts] = np.zeros_like(first_table)
                for step in steps_of_kind:
                    _add_ways(arrived[next_counts], ways, step, moments)
        for table in arrived.values():
            _accumulate_ways(
                table.reshape(n_annotations, batch.borders, bits, width), batch.keeps_bit
            )
        level = arrived
        if not is_scaled:
            continue
        largest = np.max(
            [
                x.reshape(n_annotations, batch.borders, -1)[:, -1].max(axis=1)
                for x in arrived.values()
            ],
            axis=0,
        )
        power = -np.repeat(np.frexp(largest)[1], batch.borders)[:, None, None]
        level = {counts: np.ldexp(table, power) for counts, table in arrived.items()}
    final_ways = (
        level[batch.counts].reshape(n_annotations, batch.borders, bits, width)[:, -1].sum(axis=1)
    )
    return compute_distributions_of_ways(final_ways, moments)


def _add_ways(target: Floats, ways: Floats, step: _Step, moments: bool) -> None:
    """Add the ways after placing a segment."""
    width, gain = ways.shape[-1], step.gain
    ways, target = ways.reshape(-1, width), target.reshape(-1, width)  # views
    values = ways.take(step.source, axis=0)
    if moments:
        n_ways, total, square = values.T
        values = np.stack(
            (n_ways, total + gain * n_ways, square + gain * (2 * total + gain * n_ways)), 1
        )
    if step.begin is not None:
        values = np.add.reduceat(values, step.begin, axis=0)
    if moments or not gain:
        target[step.target] += values
    else:
        target[step.target, gain:] += values[:, : width - gain]


def _accumulate_ways(table: Floats, keeps_bit: Bools | None) -> None:
    """Add the ways at earlier borders to each border, in place; (annotations, borders, bits, …).

    Args:
        table: ways with a last segment that ends at each border; afterwards, at or before it.
        keeps_bit: mask of the borders where the bit is the same as at the border before, if there
            are bits.
    """
    if keeps_bit is None:
        np.cumsum(table, axis=1, out=table)
        return
    for border in range(1, table.shape[1]):
        kept_ways = table[:, border - 1, 1] * keeps_bit[:, border, None]
        table[:, border, 1] += kept_ways
        table[:, border, 0] += table[:, border - 1, 0]
        # one of the terms is 0, so no digit is lost
        table[:, border, 0] += table[:, border - 1, 1] - kept_ways


def _add_independent(results: list[Floats | None], row: int, result: Floats, moments: bool) -> None:
    """Add an independent result to an earlier result, if that is known."""
    earlier_result = results[row]
    if earlier_result is not None and moments:
        results[row] = earlier_result + result
    elif earlier_result is not None:
        results[row] = result if len(earlier_result) == 1 else np.convolve(earlier_result, result)
