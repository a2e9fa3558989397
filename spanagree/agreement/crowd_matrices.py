"""The matrices F of crowded documents, whose products F W Fᵀ compare all pairs of annotators.

F has a row for each annotator and a column for each segment, token or start that two may share; W
has the weights of the columns. A profile is the distribution of the start of a random segment; that
of its cover has the probability that the segment covers a token. Both are symmetric: the
probabilities at the beginning of a document, the edge, occur at its end too, and all starts between
the edges have one probability, the middle. So the columns of a profile are its edge, with weight 2,
and its middle, with the number of starts that it stands for as weight.

A cell of F is one of its entries. Documents are numbered among the crowded documents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, expand_ranges, unique, unique_rows
from spanagree.chance.start_distributions import Profiles
from spanagree.comparisons.annotation_pairs import AnnotationIndex, SegmentStarts
from spanagree.comparisons.measures import Measure
from spanagree.corpus.corpus import Corpus

MAX_VALUES = 1 << 20
"""Largest number of values that are laid out at a time."""

_MAX_SINGLE = 1 << 24  # integers up to this are exact in single precision


class CrowdSegments(NamedTuple):
    """The segments of crowded documents, sorted by document and name of the annotator.

    Attributes:
        document: index of the document of each segment.
        row: position of the annotator of each segment in the document, by name.
        label: index of the label of each segment, by name; 0 if the measure ignores labels.
        start, length, profile: start, length and profile index of each segment.
    """

    document: Ints
    row: Ints
    label: Ints
    start: Ints
    length: Ints
    profile: Ints

    def select_documents(self, low: int, high: int) -> CrowdSegments:
        """Select the segments of a range of documents."""
        rows = slice(*np.searchsorted(self.document, (low, high)).tolist())
        return CrowdSegments(*(column[rows] for column in self))


class MarkedCells(NamedTuple):
    """Columns of F for marked segments or tokens, and the cells that are 1, by document.

    Attributes:
        document, label, weight: document, label and weight of each column.
        row, column: position of each cell.
    """

    document: Ints
    label: Ints
    weight: Ints
    row: Ints
    column: Ints

    @classmethod
    def of(cls, segments: CrowdSegments, measure: Measure) -> MarkedCells:
        """Find the columns and cells of segments.

        The columns are the distinct segments for measures of equal segments. For measures of shared
        tokens, they are the stretches of tokens between neighbouring borders of segments.

        Args:
            segments: segments of some crowded documents.
            measure: measure of matches.
        """
        key = segments.document, segments.label
        if measure.kernel == "equal":
            (document, label, *_), column, _ = unique_rows(*key, segments.start, segments.length)
            return cls(document, label, np.ones(len(label), np.int64), segments.row, column)
        ends = segments.start, segments.start + segments.length
        (document, label, border), inverse, _ = unique_rows(
            *(np.concatenate((column, column)) for column in key), np.concatenate(ends)
        )
        column, segment = expand_ranges(*np.split(inverse, 2))
        length = np.append(np.diff(border), 0)  # none is covered from one label to the next
        return cls(document, label, np.maximum(length, 0), segments.row[segment], column)

    def yield_products(self, low: int, n_annotators: Ints) -> Iterator[Floats]:
        """Yield F W Fᵀ of each document.

        Args:
            low: index of the first document.
            n_annotators: number of annotators of each of the documents.
        """
        borders = np.arange(low, low + len(n_annotators) + 1)
        columns = np.searchsorted(self.document, borders).tolist()
        cells = np.searchsorted(self.document[self.column], borders).tolist()
        for i, k in enumerate(n_annotators.tolist()):
            begin, end = columns[i : i + 2]
            cell_range = slice(*cells[i : i + 2])
            W = self.weight[begin:end].astype(np.float64)
            if W.sum() < _MAX_SINGLE:
                W = W.astype(np.float32)
            F = np.zeros((k, end - begin), W.dtype)
            F[self.row[cell_range], self.column[cell_range] - begin] = 1
            # for F @ F.T only one half is computed
            yield (F if (W == 1).all() else F * W) @ F.T


class RandomStarts(NamedTuple):
    """Starts of the random segments of a document, or tokens that they cover.

    Segments with the same label and the same number of possible starts are of one kind. The columns
    of F are the starts of one kind after the other: first edges, which occur at both ends and
    therefore have weight 2, then middles.

    Attributes:
        document: index of the document.
        label: label of each kind.
        first: first column of each kind.
        F: F √W; (annotators, columns).
    """

    document: int
    label: Ints
    first: Ints
    F: Floats


def bound_cell_counts(
    corpus: Corpus, crowd: AnnotationIndex, marks: SegmentStarts, measure: Measure
) -> tuple[Ints, Ints]:
    """Compute upper bounds of the number of cells of F, for each document of the corpus.

    Args:
        corpus: annotators as layers.
        crowd: annotations of the corpus.
        marks: segments of the annotations, with their profiles.
        measure: measure of matches.

    Returns:
        Bound for expected matches and bound for observed matches, (documents,) each.
    """
    annotation = np.repeat(np.arange(len(crowd.document)), crowd.end - crowd.begin)
    document = crowd.document[annotation]
    n_starts = marks.uniform_profiles.size[marks.profile]  # equal for segments of one length
    label = marks.label if measure.of_label else 0 * document
    (document_index, _, _), inverse, _ = unique_rows(document, label, n_starts)
    width_of_kind = np.zeros(len(document_index), np.int64)
    np.maximum.at(width_of_kind, inverse, marks.uniform_profiles.width[marks.profile] + 1)
    n_expected_columns = np.bincount(document_index, width_of_kind, len(corpus)).astype(np.int64)
    n_observed_columns = 2 * np.bincount(document, minlength=len(corpus))
    n_annotators = np.bincount(crowd.document, minlength=len(corpus))
    return n_annotators * n_expected_columns, n_annotators * n_observed_columns


def yield_random_starts(
    segments: CrowdSegments, profiles: Profiles, n_annotators: Ints
) -> Iterator[RandomStarts]:
    """Yield F of random segments for documents in which annotators have a kind in common.

    Kinds are defined in :class:`RandomStarts`. A kind of one annotator alone adds nothing to pairs,
    and has no columns.

    Args:
        segments: segments of some crowded documents.
        profiles: distributions of starts, or of covers.
        n_annotators: number of annotators of each crowded document.
    """
    n_starts_of_segment = profiles.size[segments.profile]
    columns, kind_index, _ = unique_rows(segments.document, segments.label, n_starts_of_segment)
    (kind_of_row, _), _, _ = unique_rows(kind_index, segments.row)
    is_shared = np.bincount(kind_of_row) > 1
    document, label, n_starts = (column[is_shared] for column in columns)
    kind_index, is_kept = (np.cumsum(is_shared) - 1)[kind_index], is_shared[kind_index]
    # sorted by length, as the indices of profiles depend on other documents
    entries = (
        column[is_kept] for column in (kind_index, segments.row, segments.length, segments.profile)
    )
    (kind_index, row, _, profile), _, n_segments = unique_rows(*entries)
    width = np.zeros(len(document), np.int64)
    np.maximum.at(width, kind_index, profiles.width[profile])
    end_of_kind = np.cumsum(width + 1)
    root_weight = np.full(int(width.sum()) + len(width), math.sqrt(2))
    root_weight[end_of_kind - 1] = np.sqrt(n_starts - 2 * width)
    # one matrix after the other, each with the rows of annotators
    borders = np.flatnonzero(np.diff(document, prepend=-1, append=-1))
    document_indices = document[borders[:-1]]
    matrix_column = np.append(0, end_of_kind)[borders]
    matrix_shape = np.stack((n_annotators[document_indices], np.diff(matrix_column)))
    first_value = np.cumsum(np.append(0, matrix_shape.prod(axis=0)))
    matrix_of_kind = np.repeat(np.arange(len(document_indices)), np.diff(borders))
    first_column = end_of_kind - width - 1 - matrix_column[matrix_of_kind]
    value_index = (
        first_value[matrix_of_kind[kind_index]]
        + row * matrix_shape[1, matrix_of_kind[kind_index]]
        + first_column[kind_index]
    )
    values = _lay_out_profiles(
        profiles, int(first_value[-1]), value_index, width[kind_index], profile, n_segments
    )
    for i, (low, high) in enumerate(pairwise(borders.tolist())):
        F = (
            values[first_value[i] : first_value[i + 1]].reshape(matrix_shape[:, i])
            * root_weight[matrix_column[i] : matrix_column[i + 1]]
        )
        yield RandomStarts(int(document_indices[i]), label[low:high], first_column[low:high], F)


def _lay_out_profiles(
    profiles: Profiles, size: int, value_index: Ints, width: Ints, profile: Ints, n_segments: Ints
) -> Floats:
    """Write the values of profiles into one flat array of all matrices F.

    Args:
        profiles: distributions of starts, or of covers.
        size: length of the array.
        value_index: index of the first value of each entry; values of entries with the same
            index are added.
        width: width of the edge of each entry's kind.
        profile: index of the profile of each entry.
        n_segments: number of segments that each entry stands for.
    """
    flat_values = np.zeros(size)
    for w in unique(width).tolist():
        rows = np.flatnonzero(width == w)
        first_rows = np.flatnonzero(np.diff(value_index[rows], prepend=-1))
        step = max(1, MAX_VALUES // len(rows))
        for low in range(0, w + 1, step):
            starts = np.arange(low, min(low + step, w + 1))
            values = profiles.look_up_left(profile[rows, None], starts) * n_segments[rows, None]
            if len(first_rows) < len(rows):
                values = np.add.reduceat(values, first_rows)
            flat_values[value_index[rows[first_rows], None] + starts] = values
    return flat_values


def sum_pair_products(F: Floats) -> Floats:
    """Compute Σ F[i] F[j] over all rows i < j, for each column; halves of the rows are paired."""
    total = np.zeros(F.shape[1])
    while len(F) > 1:
        n_half = len(F) // 2
        first, second = F[:n_half], F[n_half : 2 * n_half]
        total += np.einsum("ij,ij->j", first, second)
        F = np.concatenate((first + second, F[2 * n_half :]))
    return total
