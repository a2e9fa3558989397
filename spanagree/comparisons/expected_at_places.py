"""Expected matches of random annotations that keep the kinds of their places.

A *class* of segments, those of one annotator, document and kind, has the same distribution: it
occurs at each place x of its kind with a probability P(x). The places depend on the text, so sums
run over all places, and cannot use a constant middle as in the uniform model:

- exact match: E[Σ φ] = Σ_x P_A(x) P_B(x), over places of the same kind,
- shared tokens: E[Σ φ] = Σ_t c_A(t) c_B(t), with the *cover* c(t), the expected number of segments
  with token t,
- other additive measures: E[Σ φ] = Σ_x Σ_y P_A(x) P_B(y) φ(x, y), over overlapping places.

A *cell* is a document and label. Arrays have one entry for each cell, for each distinct cell and
class, or for each place, as stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    argsort_rows,
    expand_ranges,
    join_unsorted,
    unique,
    unique_matrix_rows,
    unique_rows,
    yield_batches,
)
from spanagree.comparisons.at_places import PlacementModel, build_placement_model
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure, Phi, swap_annotators
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest

_TOGETHER = 1 << 20  # array elements in one batch of cells
_PAIRS = 1 << 15  # pairs of places in one batch


@dataclass(frozen=True, eq=False)
class StartsAtPlaces(Starts):
    """Places of segments under a rule of places; the index of a segment is its class.

    Attributes:
        model: distribution of each class over the places of its kind.
    """

    model: PlacementModel

    @classmethod
    def from_request(cls, request: StartsRequest) -> tuple[StartsAtPlaces, list[Ints]]:
        """Compute the places of several layers, and the class of each segment."""
        corpus, names, chance, measure = request
        model_and_classes = build_placement_model(
            corpus, names, chance, "" if measure is None else measure.unit
        )
        assert model_and_classes is not None  # there is a rule, or a tolerance counts words
        model, classes = model_and_classes
        return cls(model), classes

    def adapt_measure(self, measure: Measure, layer_pair: LayerPair) -> Measure:
        """Build the measure that compares borders in words, if its tolerance is in words."""
        return self.model.convert_to_words(measure, layer_pair.layers, layer_pair.profiles)

    def compute_expected_tokens(self, profiles: Ints) -> Floats | None:
        """Compute the mean length of random segments; ``None`` if each kind has a single length."""
        return self.model.mean_length[profiles] if self.model.random_lengths else None

    def compute_expected(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute E[Σ φ] of each cell; see :meth:`Starts.compute_expected`."""
        if measure.one_to_one:
            return self._compute_one_to_one(layer_pair, measure)
        compute = (
            _compute_expected_with_fixed if layer_pair.first_is_fixed else _compute_expected_of_both
        )
        return compute(self.model, layer_pair, measure), ApproximationError()

    def _compute_one_to_one(
        self, layer_pair: LayerPair, measure: Measure
    ) -> tuple[Floats, ApproximationError]:
        """Compute the expected one-to-one match of each cell, with the error of drawn means."""
        from spanagree.comparisons.overlap_expected import compute_expected_overlap

        shared_cells = np.intersect1d(*layer_pair.cells)
        additive = np.zeros(layer_pair.count)
        if measure.kernel != "near" and not layer_pair.first_is_fixed:
            # two single segments are matched or not, so the measure is additive
            n_segments = [
                np.bincount(cell, minlength=layer_pair.count) for cell in layer_pair.cells
            ]
            has_single_pair = (n_segments[0] == 1) & (n_segments[1] == 1)
            shared_cells = shared_cells[~has_single_pair[shared_cells]]
            as_additive = replace(measure, kernel="offsets")
            additive = _compute_expected_of_both(
                self.model, layer_pair, as_additive, has_single_pair
            )
        tokens = layer_pair.find_document_tokens(
            [self.model.longest[classes] for classes in layer_pair.profiles]
        )
        values, error = compute_expected_overlap(
            layer_pair, tokens, measure, self.model, shared_cells
        )
        return values + additive, error


def _compute_expected_of_both(
    model: PlacementModel,
    layer_pair: LayerPair,
    measure: Measure,
    is_requested: Bools | None = None,
) -> Floats:
    """Compute E[Σ φ] over all pairs of random segments in the same cell, for each cell.

    Args:
        model: places of the segments.
        layer_pair: segments of both annotators.
        measure: additive measure.
        is_requested: mask of the requested cells; the others get 0. Default: all.
    """
    n_cells = layer_pair.count
    segments = [_CountedSegments(*columns) for columns in layer_pair.count_equal_segments()]
    is_shared = (
        np.multiply(
            *(np.bincount(segments_of_one.cell, minlength=n_cells) for segments_of_one in segments)
        )
        > 0
    )
    if is_requested is not None:
        is_shared &= is_requested
    segments = [
        _CountedSegments(*(column[is_shared[segments_of_one.cell]] for column in segments_of_one))
        for segments_of_one in segments
    ]
    if measure.kernel == "equal" and (measure.of_label or model.one_rule):
        return _sum_equal(model, segments, n_cells)
    total = np.zeros(n_cells)
    for batch_cells in _yield_batches(model, segments, np.flatnonzero(is_shared)):
        batch = [segments_of_one.select_cells(batch_cells) for segments_of_one in segments]
        if measure.kernel == "cover":
            total[batch_cells] = _sum_covered(model, batch, len(batch_cells))
        else:
            total[batch_cells] = _sum_overlapping(
                [_compute_expected_places(model, segments_of_one) for segments_of_one in batch],
                len(batch_cells),
                measure,
            )
    return total


def _compute_expected_with_fixed(
    model: PlacementModel, layer_pair: LayerPair, measure: Measure
) -> Floats:
    """Compute E[Σ φ] of a fixed first and a random second annotation, for each cell."""
    a = layer_pair.layers[0]
    cell, class_index, count = layer_pair.count_equal_segments()[1]
    i, j = join_unsorted(cell, layer_pair.cells[0])
    value = np.zeros(len(i))
    length = a.end - a.start
    for low, high in yield_batches(np.diff(model.random.first)[class_index[i]], _TOGETHER):
        row, start, end, p = model.random.list_places(model.kinds, class_index[i[low:high]])
        fixed_segment = j[low:high][row]
        phi = measure.phi(start - a.start[fixed_segment], length[fixed_segment], end - start)
        value[low:high] = np.bincount(row, p * phi, high - low)
    return np.bincount(cell[i], count[i] * value, layer_pair.count).astype(np.float64)


class _CountedSegments(NamedTuple):
    """Number of an annotator's segments in each cell and class, sorted by both."""

    cell: Ints
    class_index: Ints
    n_segments: Ints

    def select_cells(self, cells: Ints) -> _CountedSegments:
        """Select the segments of a contiguous range of cells, which are numbered from 0."""
        rows = slice(*np.searchsorted(self.cell, (cells[0], cells[-1] + 1)).tolist())
        cell, class_index, count = (column[rows] for column in self)
        return _CountedSegments(np.searchsorted(cells, cell), class_index, count)


def _sum_equal(model: PlacementModel, segments: Sequence[_CountedSegments], n_cells: int) -> Floats:
    """Compute Σ P_A · P_B over equal places, for each cell.

    Only segments of the same kind can be at the same place.

    Args:
        model: places of the segments.
        segments: segments of both annotators, counted by cell and class.
        n_cells: number of cells.
    """
    kind_of_class = model.random.kind
    (cell_a, a, count_a), (cell_b, b, count_b) = segments
    keys = np.concatenate((cell_a, cell_b)), np.concatenate((kind_of_class[a], kind_of_class[b]))
    _, kind_in_cell, _ = unique_rows(*keys)
    i, j = join_unsorted(kind_in_cell[: len(a)], kind_in_cell[len(a) :])
    # equal pairs of classes are computed once
    (p, q), pair, _ = unique_rows(a[i], b[j])
    first, probability = model.random.first, model.random.p
    size = np.diff(first)[p]
    value = np.zeros(len(p))
    for low, high in yield_batches(size, _TOGETHER):
        row_p, pair_index = expand_ranges(first[p[low:high]], first[p[low:high] + 1])
        row_q = row_p - first[p[low:high]][pair_index] + first[q[low:high]][pair_index]
        value[low:high] = np.add.reduceat(
            probability[row_p] * probability[row_q], np.cumsum(size[low:high]) - size[low:high]
        )
    total = np.bincount(cell_a[i], count_a[i] * count_b[j] * value[pair], n_cells)
    return total.astype(np.float64)


def _yield_batches(
    model: PlacementModel, segments: Sequence[_CountedSegments], cells: Ints
) -> Iterator[Ints]:
    """Yield batches of cells with a limited number of places."""
    size = np.diff(model.random.first)
    n_places = np.maximum(
        *(np.bincount(columns.cell, size[columns.class_index]) for columns in segments)
    )
    for low, high in yield_batches(n_places[cells].astype(np.int64), _TOGETHER):
        yield cells[low:high]


# --- covered tokens ------------------------------------------------------------------------------


def _sum_covered(
    model: PlacementModel, segments: Sequence[_CountedSegments], n_cells: int
) -> Floats:
    """Compute Σ_t c_A(t) · c_B(t) over the tokens t of each cell.

    The annotation of one annotator occurs in the cells of several pairs of annotators; its cover is
    computed once.

    Args:
        model: places of the segments.
        segments: segments of both annotators, counted by cell and class.
        n_cells: number of cells.
    """
    cell, class_index, count = (np.concatenate(columns) for columns in zip(*segments, strict=True))
    cell[len(segments[0].cell) :] += n_cells
    annotation, example_cell = _find_distinct_annotations(cell, class_index, count)
    exponent, row, covers = _compute_cover_tables(model, cell, class_index, count, example_cell)
    first, second = annotation[:n_cells], annotation[n_cells:]
    total = np.zeros(n_cells)
    (exponents_a, exponents_b), exponent_pair, _ = unique_rows(exponent[first], exponent[second])
    for pair_index, (exponent_a, exponent_b) in enumerate(
        zip(exponents_a.tolist(), exponents_b.tolist(), strict=True)
    ):
        cells, n_tokens = (
            np.flatnonzero(exponent_pair == pair_index),
            1 << min(exponent_a, exponent_b),
        )
        for batch in np.array_split(cells, 1 + (len(cells) * n_tokens) // _TOGETHER):
            cover_a, cover_b = (
                covers[exponent_a][row[first[batch]], :n_tokens],
                covers[exponent_b][row[second[batch]], :n_tokens],
            )
            total[batch] = (cover_a * cover_b).sum(1)
    return total


def _find_distinct_annotations(cell: Ints, class_index: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Find the distinct annotations of cells.

    An annotation is a set of classes, each with its number of segments. The columns are sorted by
    cell.

    Args:
        cell, class_index, count: cell, class and number of segments.

    Returns:
        Index of the annotation of each cell, and one example cell of each annotation.
    """
    size = np.bincount(cell)
    begin = np.cumsum(size) - size
    annotation, example_cells = np.zeros(len(size), np.int64), [np.zeros(0, np.int64)]
    n_distinct = 0
    for k in unique(size).tolist():
        cells = np.flatnonzero(size == k)
        rows = begin[cells][:, None] + np.arange(k)
        distinct, inverse, _ = unique_matrix_rows(np.hstack((class_index[rows], count[rows])))
        annotation[cells] = inverse + n_distinct
        example = np.zeros(len(distinct), np.int64)
        example[inverse] = cells
        example_cells.append(example)
        n_distinct += len(distinct)
    return annotation, np.concatenate(example_cells)


def _compute_cover_tables(
    model: PlacementModel, cell: Ints, class_index: Ints, count: Ints, example_cell: Ints
) -> tuple[Ints, Ints, dict[int, Floats]]:
    """Compute the cover of each annotation: the expected number of random segments at each token.

    Tables have a row for each annotation and a column for each token. The number of columns is a
    power of 2, and each annotation has its row in the narrowest table with enough columns.

    Args:
        model: places of the segments.
        cell, class_index, count: cell, class and number of segments, sorted by cell and class.
        example_cell: example cell of each annotation.

    Returns:
        Exponent of the power of 2 of each annotation, its row in that table, and the tables by
        exponent.
    """
    annotation_of_cell = np.full(int(cell[-1]) + 1, -1)
    annotation_of_cell[example_cell] = np.arange(len(example_cell))
    is_example = annotation_of_cell[cell] >= 0
    row_index, start, end, p = model.random.list_places(model.kinds, class_index[is_example])
    annotation, expected_segments = (
        annotation_of_cell[cell[is_example]][row_index],
        p * count[is_example][row_index],
    )
    width = np.zeros(len(example_cell), np.int64)
    np.maximum.at(width, annotation, end + 1)
    exponent_of_annotation = np.frexp(width - 1)[1].astype(np.int64)
    row, covers = np.zeros(len(example_cell), np.int64), dict[int, Floats]()
    for exponent in unique(exponent_of_annotation).tolist():
        members = np.flatnonzero(exponent_of_annotation == exponent)
        row[members] = np.arange(len(members))
        has_width = exponent_of_annotation[annotation] == exponent
        first, size = row[annotation[has_width]] << exponent, len(members) << exponent
        steps = np.bincount(first + start[has_width], expected_segments[has_width], size)
        steps -= np.bincount(first + end[has_width], expected_segments[has_width], size)
        covers[exponent] = np.cumsum(steps.reshape(len(members), -1), axis=1, dtype=np.float64)
    return exponent_of_annotation, row, covers


# --- pairs of places -----------------------------------------------------------------------------


class _ExpectedPlaces(NamedTuple):
    """Places by cell, start and end, with the expected number of segments at each."""

    cell: Ints
    start: Ints
    end: Ints
    value: Floats


def _compute_expected_places(model: PlacementModel, segments: _CountedSegments) -> _ExpectedPlaces:
    """Compute the expected number of an annotator's segments at each place of a cell."""
    row, start, end, p = model.random.list_places(model.kinds, segments.class_index)
    value = p * segments.n_segments[row]
    order = argsort_rows(segments.cell[row], start, end)
    return _ExpectedPlaces(segments.cell[row][order], start[order], end[order], value[order])


def _sum_overlapping(
    places_of_both: Sequence[_ExpectedPlaces], n_cells: int, measure: Measure
) -> Floats:
    """Compute Σ P_A · P_B · φ over all pairs of overlapping places, for each cell.

    If two places overlap, one starts in the other.

    Args:
        places_of_both: places of each annotator with expected numbers of segments.
        n_cells: number of cells.
        measure: additive measure.
    """
    a, b = places_of_both
    # length of each cell on one common line
    cell_width = 1 + max(int(places.end.max()) for places in places_of_both)
    sums_of_a = _sum_starting_within(a, b, cell_width, "left", measure.phi)
    sums_of_b = _sum_starting_within(b, a, cell_width, "right", swap_annotators(measure).phi)
    total = np.bincount(a.cell, sums_of_a, n_cells) + np.bincount(b.cell, sums_of_b, n_cells)
    return total.astype(np.float64)


def _sum_starting_within(
    a: _ExpectedPlaces,
    b: _ExpectedPlaces,
    cell_width: int,
    bound: Literal["left", "right"],
    phi: Phi,
) -> Floats:
    """Compute Σ P_A · P_B · φ over the places of B that start in a place of A, for each place of A.

    Args:
        a, b: places of each annotator with expected numbers of segments.
        cell_width: distance of the cells, which are laid out on one line.
        bound: side of :func:`numpy.searchsorted`: left if equal starts count, otherwise right.
        phi: similarity φ.
    """
    line = b.cell * cell_width + b.start
    low = np.searchsorted(line, a.cell * cell_width + a.start, bound)
    high = np.searchsorted(line, a.cell * cell_width + a.end)
    total, length = np.zeros(len(low)), b.end - b.start
    outer = np.flatnonzero(high > low)
    low, n_inner = low[outer], (high - low)[outer]
    start, size = a.start[outer], (a.end - a.start)[outer]
    for batch_start, batch_stop in yield_batches(n_inner, _PAIRS):
        batch = slice(batch_start, batch_stop)
        j, _ = expand_ranges(low[batch], low[batch] + n_inner[batch])
        offset = b.start[j] - np.repeat(start[batch], n_inner[batch])
        value = b.value[j] * phi(offset, np.repeat(size[batch], n_inner[batch]), length[j])
        total[outer[batch]] = np.add.reduceat(value, np.cumsum(n_inner[batch]) - n_inner[batch])
    return total * a.value
