"""The exact distribution of the match of random annotations with a fixed one, by a walk.

All arrangements of segments that exclude each other are equally likely. Segments of one label and
kind of places are of one *kind*. The number of ways F[c][n] to place all segments, by match m
(:mod:`spanagree.chance.ways`), scaled to the sum 1, is the distribution. Random annotations with
equal counts are walked together.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from typing import NamedTuple

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
from spanagree.chance.place_kinds import PlaceKinds, build_kinds_anywhere
from spanagree.chance.walk import OTHER, compute_distributions_of_ways
from spanagree.chance.ways import KindPlaces, yield_batches_of_equal_counts, yield_levels
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    SegmentPlaces,
    bound_costs,
)
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import find_similar_pairs
from spanagree.comparisons.overlap_match import compute_matches_at_places, mask_same_crossings
from spanagree.corpus.segments import Layer

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


class _Batch(NamedTuple):
    """Random annotations with equal counts, whose places are grouped by kind.

    Attributes:
        counts: number of segments of each kind.
        places: places of each kind, with gains.
        shape: number of annotations, of borders, and of matches.
        keeps_bit: mask of the borders that keep the bit; (annotations, borders). ``None`` without
            bits.
    """

    counts: tuple[int, ...]
    places: list[KindPlaces]
    shape: tuple[int, int, int]
    keeps_bit: Bools | None


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
    """Compute the distribution of each part from the kinds of places of its segments.

    A part is the sum of its groups, which are independent. It is ``None`` if a group exceeds the
    budget.
    """
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
    equal_annotation = np.arange(len(size))
    for n_kinds in np.unique(size[walked_annotations]).tolist():
        annotations = walked_annotations[size[walked_annotations] == n_kinds]
        rows = order[begin[annotations][:, None] + np.arange(n_kinds)]
        # equal annotations are walked once; with bits, the fixed segments matter too
        if kind_table.gain.shape[1] == 1:
            first_equal = _find_first_equal_annotation(kind_table, first_place, rows)
            equal_annotation[annotations] = annotations[first_equal]
            is_first = first_equal == np.arange(len(annotations))
            annotations, rows = annotations[is_first], rows[is_first]
        sizes = n_places[annotations] * width[annotations]
        for counts, members in yield_batches_of_equal_counts(
            kind_table.n_segments[rows], sizes, _VALUES_PER_BATCH
        ):
            batch = _build_batch(
                document_parts, kind_table, first_place, counts, rows[members], moments
            )
            result_by_annotation |= zip(
                annotations[members].tolist(), _walk_batch(batch, moments), strict=True
            )
    for index in np.repeat(walked_annotations, multiplicity[walked_annotations]).tolist():
        _add_independent(
            results,
            int(part_of_annotation[index]),
            result_by_annotation[int(equal_annotation[index])],
            moments,
        )
    return results


def _find_equal_groups(segments: AnnotatorSegments) -> tuple[AnnotatorSegments, Ints]:
    """Merge groups of a part with a single segment of the same kind of places and label.

    Returns:
        Segments without repetitions of such groups, and the number of equal groups for each group.
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
    """Build the table of kinds with the gain of each place.

    All segments that match at no place get the label ``OTHER``.
    """
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
    """Compute the gain of a segment of B at each place, and the bit at the end of the place.

    Both are shaped (places, bits), by the bit at the start of the place.
    """
    if measure.kernel == "one-to-one":
        return compute_matches_at_places(document_parts, measure, places)
    gain = _compute_gains(document_parts, measure, places)
    return gain[:, None], np.zeros((len(gain), 1), np.int64)


def _compute_gains(
    document_parts: DocumentParts, measure: Measure, places: SegmentPlaces
) -> Ints | Floats:
    """Compute the gain of a segment of B at each place: its match with the segments of A.

    Args:
        document_parts: parts with the fixed segments of A.
        measure: measure of the match.
        places: places of segments of B.

    Returns:
        Gain at each place; (places,).
    """
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
    """Compute an upper bound of the match of each random annotation, the sum of largest gains."""
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
    moments: bool,
) -> _Batch:
    """Build a batch of random annotations with equal counts.

    The borders of each annotation that no place uses are left out.

    Args:
        document_parts: parts of documents.
        kind_table: kinds of segments.
        first_place: position of the first place of each kind.
        counts: number of segments of each kind, equal in all annotations.
        rows: kinds of each annotation, as rows of the table; (annotations, kinds).
    """
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
        keeps_bit = mask_same_crossings(
            document_parts, kind_table.part_index[rows[:, 0]], is_used, rank
        )
    places = [
        KindPlaces(
            annotation,
            rank[annotation, kind_table.start[place_index]],
            rank[annotation, kind_table.end[place_index]],
            kind_table.gain[place_index],
            kind_table.bit_after[place_index],
        )
        for annotation, place_index in places_of_kinds
    ]
    width = 3 if moments else math.ceil(match_bound) + 1
    return _Batch(counts, places, (len(rows), int(rank[:, -1].max()) + 1, width), keeps_bit)


def _walk_batch(batch: _Batch, moments: bool) -> list[Floats]:
    """Compute the distribution, or mean and variance, of each random annotation."""
    levels = yield_levels(
        batch.counts, batch.places, batch.shape, moments=moments, keeps_bit=batch.keeps_bit
    )
    (last_level,) = deque(levels, maxlen=1)
    n_annotations, n_borders, width = batch.shape
    n_ways = last_level.tables.reshape(n_annotations, n_borders, -1, width)
    return compute_distributions_of_ways(n_ways[:, -1].sum(axis=1), moments)


def _add_independent(results: list[Floats | None], row: int, result: Floats, moments: bool) -> None:
    """Add an independent result to the result of a part, unless that is unknown.

    Distributions are convolved; means and variances are added.

    Args:
        results: result of each part; changed in place.
        row: index of the part.
        result: distribution of a group of the part, or its mean and variance.
        moments: True if results are means and variances.
    """
    earlier_result = results[row]
    if earlier_result is not None and moments:
        results[row] = earlier_result + result
    elif earlier_result is not None:
        results[row] = result if len(earlier_result) == 1 else np.convolve(earlier_result, result)
