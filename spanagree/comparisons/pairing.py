"""The pairs of segments of two annotators, with the difference of each pair.

The pairing is one-to-one. It depends only on the segments, not on the order of the input or of the
annotators. Segments with the same boundaries and label are paired first (``match``), then segments
with the same boundaries (``label``), then the largest overlaps of the remaining segments
(``boundary``, or ``boundary+label``). A segment without a partner is ``missed`` by the second
annotator, or ``spurious``.
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, unique_rows
from spanagree.comparisons.measures import MEASURES
from spanagree.comparisons.observed import find_similar_pairs
from spanagree.comparisons.overlapping_pairs import find_overlapping_pairs
from spanagree.corpus.discontinuous import encode_shapes
from spanagree.corpus.segments import Layer

KINDS = {
    "missed": "the first marked it, the second nothing that goes with it",
    "spurious": "the second marked it, the first nothing that goes with it",
    "boundary": "other boundaries, same label",
    "label": "same boundaries, other label",
    "boundary+label": "other boundaries, other label",
}
"""Kinds of disagreement."""

OUTCOMES = ("match", *KINDS)
"""Outcomes of a pair or a single segment; columns ``kind`` are indices of this tuple."""

NONE = -1  # index in place of a missing segment


class Pairing(NamedTuple):
    """Segments of two layers, in pairs or alone, in the order of the text.

    Attributes:
        a, b: index of the segment of each layer, −1 if it is missing.
        kind: index of the outcome in :data:`OUTCOMES`.
    """

    a: Ints
    b: Ints
    kind: Ints

    @property
    def counts(self) -> dict[str, int]:
        """Number of pairs and single segments of each of :data:`OUTCOMES`."""
        n_by_outcome = np.bincount(self.kind, minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, n_by_outcome, strict=True))


def pair_layers(a: Layer, b: Layer, n_labels: int) -> Pairing:
    """Pair the segments of two layers, over the documents that both annotators saw.

    Each segment occurs once, in a pair or alone. Among equal overlaps, pairs with the same label
    come first, then pairs with the fewest tokens that only one segment covers, then the first pairs
    in the text.

    Args:
        a, b: layers of the two annotators.
        n_labels: number of labels of the corpus.

    >>> seen = np.array([True])
    >>> a, b = (Layer(*np.array([[0], [s], [e], [0]]), seen) for s, e in ((2, 5), (3, 6)))
    >>> pairs = pair_layers(a, b, n_labels=1)
    >>> pairs.a.tolist(), pairs.b.tolist(), OUTCOMES[pairs.kind[0]]
    ([0], [0], 'boundary')
    """
    is_shared = a.annotated & b.annotated
    is_free_a, is_free_b = is_shared[a.document], is_shared[b.document]
    partner_of_a = np.full(len(a), NONE)
    # pairs with the same boundaries and label come before pairs with the same boundaries only
    for compute_key in (operator.attrgetter("label"), _rank_among_equal):
        row_a, row_b = np.flatnonzero(is_free_a), np.flatnonzero(is_free_b)
        unpaired_a, unpaired_b = a.only(is_free_a), b.only(is_free_b)
        cell_a, cell_b = (x.document * n_labels + compute_key(x) for x in (unpaired_a, unpaired_b))
        pair_a, pair_b, _ = find_similar_pairs(
            unpaired_a, unpaired_b, cell_a, cell_b, MEASURES["exact"]
        )
        partner_of_a[row_a[pair_a]] = row_b[pair_b]
        is_free_a[row_a[pair_a]], is_free_b[row_b[pair_b]] = False, False
    order_a, order_b = _compute_text_order(a, b)
    row_a, row_b = np.flatnonzero(is_free_a), np.flatnonzero(is_free_b)
    unpaired_a, unpaired_b = a.only(is_free_a), b.only(is_free_b)
    pair_a, pair_b = find_overlapping_pairs(
        unpaired_a, unpaired_b, unpaired_a.document, unpaired_b.document
    )
    row_a, row_b = row_a[pair_a], row_b[pair_b]
    n_shared = np.minimum(a.end[row_a], b.end[row_b]) - np.maximum(a.start[row_a], b.start[row_b])
    n_unshared = (a.end - a.start)[row_a] + (b.end - b.start)[row_b] - 2 * n_shared
    first_in_text, second_in_text = (
        np.minimum(order_a[row_a], order_b[row_b]),
        np.maximum(order_a[row_a], order_b[row_b]),
    )
    order = np.lexsort(
        (second_in_text, first_in_text, n_unshared, a.label[row_a] != b.label[row_b], -n_shared)
    )
    for first_row, second_row in zip(row_a[order].tolist(), row_b[order].tolist(), strict=True):
        if is_free_a[first_row] and is_free_b[second_row]:
            partner_of_a[first_row] = second_row
            is_free_a[first_row] = is_free_b[second_row] = False
    paired = np.flatnonzero(partner_of_a != NONE)
    missed, spurious = np.flatnonzero(is_free_a), np.flatnonzero(is_free_b)
    segment_a = np.concatenate([paired, missed, np.full(len(spurious), NONE)])
    segment_b = np.concatenate([partner_of_a[paired], np.full(len(missed), NONE), spurious])
    text_order = np.array(
        [np.append(order_a, NONE)[segment_a], np.append(order_b, NONE)[segment_b]]
    )
    second_in_text = text_order.max(0)
    order = np.lexsort(
        (second_in_text, np.where((text_order == NONE).any(0), second_in_text, text_order.min(0)))
    )
    segment_a, segment_b = segment_a[order], segment_b[order]
    return Pairing(segment_a, segment_b, _find_outcomes(a, b, segment_a, segment_b))


def _rank_among_equal(layer: Layer) -> Ints:
    """Count the earlier segments with the same boundaries, for each segment of a layer."""
    _, group, _ = unique_rows(layer.document, layer.start, layer.end, layer.shape)
    return np.arange(len(group)) - np.searchsorted(group, group)


def _compute_text_order(a: Layer, b: Layer) -> tuple[Ints, Ints]:
    """Compute the position of each segment in the order of the text, over both layers."""
    shapes = encode_shapes((a, b), {})
    columns_of_layers = (
        (x.document, x.start, x.end, x.label, shape)
        for x, shape in zip((a, b), shapes, strict=True)
    )
    _, position, _ = unique_rows(
        *(np.concatenate(columns) for columns in zip(*columns_of_layers, strict=True))
    )
    return position[: len(a)], position[len(a) :]


def _find_outcomes(a: Layer, b: Layer, segment_a: Ints, segment_b: Ints) -> Ints:
    """Find the index in :data:`OUTCOMES` of each pair or single segment.

    Args:
        a, b: layers of both annotators.
        segment_a, segment_b: segment of each layer in each pair, −1 if it is missing.
    """
    differs = [
        values_a != values_b
        for values_a, values_b in zip(
            look_up_columns(a, segment_a), look_up_columns(b, segment_b), strict=True
        )
    ]
    shape_a, shape_b = (np.append(shape, NONE) for shape in encode_shapes((a, b), {}))
    has_other_shape = shape_a[segment_a] != shape_b[segment_b]
    has_other_boundaries, has_other_label = differs[1] | differs[2] | has_other_shape, differs[3]
    cases = {
        "missed": segment_b == NONE,
        "spurious": segment_a == NONE,
        "boundary+label": has_other_boundaries & has_other_label,
        "boundary": has_other_boundaries,
        "label": has_other_label,
    }
    return np.select(list(cases.values()), [OUTCOMES.index(kind) for kind in cases], 0)


def look_up_columns(layer: Layer, segments: Ints) -> tuple[Ints, ...]:
    """Look up document, start, end and label of segments; −1 for missing segments."""
    columns = (layer.document, layer.start, layer.end, layer.label)
    return tuple(np.append(column, NONE)[segments] for column in columns)
