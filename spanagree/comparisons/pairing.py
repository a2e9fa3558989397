"""The segments of two annotators in pairs, and what differs in each.

The pairing is one to one and depends on the segments alone, not on the order of input nor on
which annotator comes first. Same boundaries and label go together first (``match``), then same
boundaries (``label``), then the largest overlap of what is left (``boundary``, or
``boundary+label``). What finds no partner is ``missed`` by the second, or ``spurious``.
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, unique_rows
from spanagree.comparisons.measures import MEASURES
from spanagree.comparisons.observed import overlapping_pairs, similar
from spanagree.corpus.discontinuous import shape_codes
from spanagree.corpus.segments import Layer

KINDS = {
    "missed": "the first marked it, the second nothing that goes with it",
    "spurious": "the second marked it, the first nothing that goes with it",
    "boundary": "other boundaries, same label",
    "label": "same boundaries, other label",
    "boundary+label": "other boundaries, other label",
}
"""The kinds of disagreement."""

OUTCOMES = ("match", *KINDS)
"""What becomes of a segment; the columns ``kind`` index it."""

NONE = -1  # in place of a segment that is not there


class Pairing(NamedTuple):
    """The segments of two layers, in pairs or alone, in the order of the text.

    ``a`` and ``b`` are numbers of segments, −1 where there is none; ``kind`` indexes
    :data:`OUTCOMES`.
    """

    a: Ints
    b: Ints
    kind: Ints

    @property
    def counts(self) -> dict[str, int]:
        """The number of pairs and single segments of each of :data:`OUTCOMES`."""
        numbers = np.bincount(self.kind, minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, numbers, strict=True))


def pairing(a: Layer, b: Layer, labels: int) -> Pairing:
    """Return every segment of two layers once, paired or alone, over the documents both saw.

    Of equal overlaps the same label comes first, then the pair with the least that only one of
    the two covers, then the first in the text. ``labels`` is the number of labels of the corpus.

    >>> seen = np.array([True])
    >>> a, b = (Layer(*np.array([[0], [s], [e], [0]]), seen) for s, e in ((2, 5), (3, 6)))
    >>> pairs = pairing(a, b, labels=1)
    >>> pairs.a.tolist(), pairs.b.tolist(), OUTCOMES[pairs.kind[0]]
    ([0], [0], 'boundary')
    """
    both = a.annotated & b.annotated
    free_a, free_b = both[a.document], both[b.document]
    partner = np.full(len(a), NONE)
    # the same boundaries: first of the same label, then of any
    for number in (operator.attrgetter("label"), _place_among_twins):
        i, j = np.flatnonzero(free_a), np.flatnonzero(free_b)
        rest_a, rest_b = a.only(free_a), b.only(free_b)
        cell_a, cell_b = (x.document * labels + number(x) for x in (rest_a, rest_b))
        p, q, _ = similar(rest_a, rest_b, cell_a, cell_b, MEASURES["exact"])
        partner[i[p]] = j[q]
        free_a[i[p]], free_b[j[q]] = False, False
    code_a, code_b = _codes(a, b)
    i, j = np.flatnonzero(free_a), np.flatnonzero(free_b)
    rest_a, rest_b = a.only(free_a), b.only(free_b)
    p, q = overlapping_pairs(rest_a, rest_b, rest_a.document, rest_b.document)
    i, j = i[p], j[q]
    shared = np.minimum(a.end[i], b.end[j]) - np.maximum(a.start[i], b.start[j])
    alone = (a.end - a.start)[i] + (b.end - b.start)[j] - 2 * shared
    first, last = np.minimum(code_a[i], code_b[j]), np.maximum(code_a[i], code_b[j])
    order = np.lexsort((last, first, alone, a.label[i] != b.label[j], -shared))
    for first_row, second_row in zip(i[order].tolist(), j[order].tolist(), strict=True):
        if free_a[first_row] and free_b[second_row]:
            partner[first_row] = second_row
            free_a[first_row] = free_b[second_row] = False
    paired = np.flatnonzero(partner != NONE)
    missed, spurious = np.flatnonzero(free_a), np.flatnonzero(free_b)
    all_a = np.concatenate([paired, missed, np.full(len(spurious), NONE)])
    all_b = np.concatenate([partner[paired], np.full(len(missed), NONE), spurious])
    codes = np.array([np.append(code_a, NONE)[all_a], np.append(code_b, NONE)[all_b]])
    last = codes.max(0)
    order = np.lexsort((last, np.where((codes == NONE).any(0), last, codes.min(0))))
    all_a, all_b = all_a[order], all_b[order]
    return Pairing(all_a, all_b, _kinds(a, b, all_a, all_b))


def _place_among_twins(layer: Layer) -> Ints:
    """Return the place of each segment among those with the same boundaries, from 0."""
    _, which, _ = unique_rows(layer.document, layer.start, layer.end, layer.shape)
    return np.arange(len(which)) - np.searchsorted(which, which)


def _codes(a: Layer, b: Layer) -> tuple[Ints, Ints]:
    """Return the segments of both layers as numbers, in the order of the text."""
    shapes = shape_codes((a, b), {})
    sides = (
        (x.document, x.start, x.end, x.label, shape)
        for x, shape in zip((a, b), shapes, strict=True)
    )
    _, which, _ = unique_rows(*(np.concatenate(columns) for columns in zip(*sides, strict=True)))
    return which[: len(a)], which[len(a) :]


def _kinds(a: Layer, b: Layer, side_a: Ints, side_b: Ints) -> Ints:
    """Return which of :data:`OUTCOMES` each pair is."""
    differs = [x != y for x, y in zip(columns_of(a, side_a), columns_of(b, side_b), strict=True)]
    shape_a, shape_b = (np.append(shape, NONE) for shape in shape_codes((a, b), {}))
    reshaped = shape_a[side_a] != shape_b[side_b]
    moved, renamed = differs[1] | differs[2] | reshaped, differs[3]
    cases = {
        "missed": side_b == NONE,
        "spurious": side_a == NONE,
        "boundary+label": moved & renamed,
        "boundary": moved,
        "label": renamed,
    }
    return np.select(list(cases.values()), [OUTCOMES.index(kind) for kind in cases], 0)


def columns_of(layer: Layer, segments: Ints) -> tuple[Ints, ...]:
    """Return document, start, end and label of some segments; −1 where there is none."""
    columns = (layer.document, layer.start, layer.end, layer.label)
    return tuple(np.append(column, NONE)[segments] for column in columns)
