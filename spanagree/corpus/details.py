"""Details of segments in addition to start, end and label: pieces, attributes and relations.

A discontinuous segment consists of several *pieces*, ranges of offsets. Its *shape* is the tuple of
its pieces relative to its start; segments of one piece have the empty shape. Most corpora have no
details, so they are stored separately: the ``details`` of a layer are ``None`` or columns with the
shape and attributes of each segment, by row, and a table of relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Ints, expand_ranges
from spanagree.errors import SettingError, join_names, quote_value

Pieces: TypeAlias = tuple[tuple[int, int], ...]
"""Start and end of each piece, from left to right; in a shape, relative to the first start."""

NOWHERE = -1
"""Row of a missing argument of a relation."""


@dataclass(frozen=True, eq=False)
class RelationTable:
    """Relations between segments, one row each.

    Attributes:
        first, second: row of each of the two segments; :data:`NOWHERE` if it is missing.
        label: code of the label.
        directed: True if the relation leads from the first to the second segment.
        location: position in the source, for error messages; empty if unknown.
    """

    first: Ints
    second: Ints
    label: Ints
    directed: Bools
    location: tuple[str, ...]

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[int, int, int, bool, str]]) -> RelationTable:
        """Build the table from rows."""
        first, second, label, directed, location = zip(*rows, strict=True) if rows else [()] * 5
        int_columns = [np.array(column, np.int64) for column in (first, second, label)]
        return cls(
            int_columns[0],
            int_columns[1],
            int_columns[2],
            np.array(directed, np.bool_),
            tuple(location),
        )

    def __len__(self) -> int:
        """Return the number of relations."""
        return len(self.label)

    @property
    def columns(self) -> tuple[Ints, Ints, Ints, Bools]:
        """Columns first, second, label and directed."""
        return self.first, self.second, self.label, self.directed

    def select(self, rows: Ints) -> RelationTable:
        """Select relations by row."""
        location = tuple(self.location[i] for i in rows.tolist())
        first, second, label, directed = self.columns
        return RelationTable(first[rows], second[rows], label[rows], directed[rows], location)


SCORE = "score"
"""Attribute with the score of a prediction."""


@dataclass(frozen=True, eq=False)
class SegmentDetails:
    """Pieces, attributes and relations of the segments of a layer.

    Attributes:
        shape: code of the shape of each segment; 0 for one piece.
        shapes: pieces of each shape, relative to the start of the first piece.
        attributes: code of the value for each segment, by name of the attribute; −1 if none.
        values: values by name of the attribute; codes are indices.
        links: relations between the segments.
        relation_labels: labels of the relations; codes are indices.
    """

    shape: Ints
    shapes: tuple[Pieces, ...] = ((),)
    attributes: Mapping[str, Ints] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: RelationTable = field(default_factory=lambda: RelationTable.from_rows(()))
    relation_labels: tuple[str, ...] = ()

    @classmethod
    def create_empty(cls, count: int) -> SegmentDetails:
        """Build details without any content, for `count` segments."""
        return cls(np.zeros(count, np.int64))

    @classmethod
    def from_rows(
        cls,
        count: int,
        pieces: Mapping[int, Pieces],
        attributes: Mapping[int, Mapping[str, str]],
        relations: Sequence[tuple[int, int, str, bool, str]],
    ) -> SegmentDetails | None:
        """Build details from mappings by row; ``None`` if all are empty.

        Args:
            count: number of segments.
            pieces: pieces of segments with several, by row; they need not be valid.
            attributes: attributes by name, for each row with any.
            relations: first, second, label, direction and location of each relation.
        """
        if not (pieces or attributes or relations):
            return None
        shape = np.zeros(count, np.int64)
        shapes: dict[Pieces, int] = {(): 0}
        for row, pieces_of_row in pieces.items():
            first_start = pieces_of_row[0][0]
            shape_pieces = tuple(
                (start - first_start, end - first_start) for start, end in pieces_of_row
            )
            shape[row] = shapes.setdefault(shape_pieces, len(shapes))
        code_columns: dict[str, Ints] = {}
        codes_by_name: dict[str, dict[str, int]] = {}
        for row, values_of_row in attributes.items():
            for name, value in values_of_row.items():
                if name not in code_columns:
                    code_columns[name], codes_by_name[name] = np.full(count, -1), {}
                code_columns[name][row] = codes_by_name[name].setdefault(
                    value, len(codes_by_name[name])
                )
        label_codes: dict[str, int] = {}
        relation_rows = [
            (first, second, label_codes.setdefault(label, len(label_codes)), directed, location)
            for first, second, label, directed, location in relations
        ]
        values_by_name = {
            name: tuple(codes_by_value) for name, codes_by_value in codes_by_name.items()
        }
        return cls(
            shape,
            tuple(shapes),
            code_columns,
            values_by_name,
            RelationTable.from_rows(relation_rows),
            tuple(label_codes),
        )

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.shape)

    @property
    def is_empty(self) -> bool:
        """True if no segment has several pieces, attributes or relations."""
        return not (self.shape.any() or len(self.links) or self.attributes)

    def select(self, rows: Ints, stands_for: Ints | None = None) -> SegmentDetails | None:
        """Select the details of segments, in the order of `rows`; ``None`` if none is left.

        Relations to segments that are not selected are left out; relations with a missing segment
        stay.

        Args:
            rows: rows of the segments.
            stands_for: row of the segment that replaces each segment in relations, for merged
                duplicates. Default: each segment itself.
        """
        new_row = np.full(len(self) + 1, NOWHERE - 1)
        new_row[rows] = np.arange(len(rows))
        new_row[-1] = NOWHERE
        if stands_for is not None:
            new_row[:-1] = new_row[:-1][stands_for]
        first, second = new_row[self.links.first], new_row[self.links.second]
        kept_relations = np.flatnonzero((first >= NOWHERE) & (second >= NOWHERE))
        links = replace(self.links, first=first, second=second).select(kept_relations)
        columns = {name: column[rows] for name, column in self.attributes.items()}
        selected = replace(self, shape=self.shape[rows], attributes=columns, links=links)
        return None if selected.is_empty else selected

    def repeat_rows(self, rows: Ints) -> SegmentDetails:
        """Repeat details of segments by row, in ascending order of `rows`.

        Relations refer to the first copy of each segment.
        """
        columns = {name: column[rows] for name, column in self.attributes.items()}
        first_copy = np.append(np.searchsorted(rows, np.arange(len(self))), NOWHERE)
        links = replace(
            self.links, first=first_copy[self.links.first], second=first_copy[self.links.second]
        )
        return replace(self, shape=self.shape[rows], attributes=columns, links=links)

    def remove_relations(self, rows: Bools) -> SegmentDetails | None:
        """Remove relations by mask; ``None`` if the details are empty without them."""
        remaining = replace(self, links=self.links.select(np.flatnonzero(~rows)))
        return None if remaining.is_empty else remaining

    def replace_pieces(self, pieces: Mapping[int, Pieces]) -> SegmentDetails | None:
        """Replace the pieces, by row; segments without an entry have one piece."""
        new_shapes = SegmentDetails.from_rows(
            len(self), pieces, {}, ()
        ) or SegmentDetails.create_empty(len(self))
        details = replace(self, shape=new_shapes.shape, shapes=new_shapes.shapes)
        return None if details.is_empty else details

    def compute_pieces_by_row(self, start: Ints) -> dict[int, Pieces]:
        """Compute start and end of each piece of the segments with several pieces, by row.

        ``start`` is the start of each segment.
        """
        pieces = {}
        for row in np.flatnonzero(self.shape).tolist():
            segment_start = int(start[row])
            pieces[row] = tuple(
                (segment_start + s, segment_start + e) for s, e in self.shapes[self.shape[row]]
            )
        return pieces

    def list_pieces(self, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """List the pieces of all segments as columns: row of the segment, start and end.

        ``start`` and ``end`` are the bounds of each segment, which are its only piece if it has
        one.
        """
        n_pieces = np.array([max(len(pieces), 1) for pieces in self.shapes])
        bounds = np.zeros((len(self.shapes), n_pieces.max(), 2), np.int64)
        for code, pieces in enumerate(self.shapes):
            bounds[code, : len(pieces)] = np.array(pieces).reshape(-1, 2)
        piece_index, row = expand_ranges(np.zeros(len(self), np.int64), n_pieces[self.shape])
        low, high = bounds[self.shape[row], piece_index].T + start[row]
        return row, low, np.where(self.shape[row] == 0, end[row], high)

    def list_attribute_values(self, name: str) -> list[str | None]:
        """List the value of an attribute for each segment; ``None`` without a value."""
        if name not in self.attributes:
            return [None] * len(self)
        values = [*self.values[name], None]  # index −1 is the last
        return [values[code] for code in self.attributes[name].tolist()]

    def collect_attributes(self, row: int) -> dict[str, str]:
        """Collect the attributes of a segment, by name."""
        return {
            name: self.values[name][column[row]]
            for name, column in self.attributes.items()
            if column[row] >= 0
        }

    def yield_relations(self) -> Iterator[tuple[int, int, str, bool]]:
        """Yield the rows of both segments, the label and the direction of each relation."""
        columns = (column.tolist() for column in self.links.columns)
        for first, second, label, directed in zip(*columns, strict=True):
            yield first, second, self.relation_labels[label], directed

    def yield_relations_from(self, low: int, high: int) -> Iterator[tuple[int, int, str, bool]]:
        """Yield relations with the first segment in these rows; see :meth:`yield_relations`."""
        inside = (self.links.first >= low) & (self.links.first < high)
        return replace(self, links=self.links.select(np.flatnonzero(inside))).yield_relations()

    def build_comparable_content(self) -> Any:
        """Build plain data of all details that are equal for equal details."""
        shapes = [self.shapes[code] for code in self.shape.tolist()]
        columns = {name: self.list_attribute_values(name) for name in sorted(self.attributes)}
        used_columns = {
            name: values for name, values in columns.items() if values.count(None) < len(values)
        }
        relations = [
            (*(ends if directed else sorted(ends)), label, directed)
            for *ends, label, directed in self.yield_relations()
        ]
        return shapes, used_columns, sorted(relations)


def join_details(
    details_and_counts: Sequence[tuple[SegmentDetails | None, int]],
) -> SegmentDetails | None:
    """Concatenate the details of several lists of segments, each with its number of segments."""
    if all(details is None for details, _ in details_and_counts):
        return None
    pieces: dict[int, Pieces] = {}
    attributes: dict[int, dict[str, str]] = {}
    relations: list[tuple[int, int, str, bool, str]] = []
    n_before = 0
    for details, n_segments in details_and_counts:
        if details is not None:
            for row in np.flatnonzero(details.shape).tolist():
                pieces[n_before + row] = details.shapes[details.shape[row]]
            has_value = [column >= 0 for column in details.attributes.values()]
            for row in (
                np.flatnonzero(np.logical_or.reduce(has_value)).tolist() if has_value else ()
            ):
                attributes[n_before + row] = details.collect_attributes(row)
            for (first, second, label, directed), location in zip(
                details.yield_relations(), details.links.location, strict=True
            ):
                head, tail = (end if end == NOWHERE else n_before + end for end in (first, second))
                relations.append((head, tail, label, directed, location))
        n_before += n_segments
    return SegmentDetails.from_rows(n_before, pieces, attributes, relations)


def join_adjacent(pieces: Sequence[tuple[int, int]]) -> Pieces:
    """Sort pieces and join adjacent pieces; overlapping and reversed ones stay, as they are a flaw.

    >>> join_adjacent([(5, 6), (0, 2), (2, 3)])
    ((0, 3), (5, 6))
    """
    tidy: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if tidy and start == tidy[-1][1] <= end:
            tidy[-1] = tidy[-1][0], end
        else:
            tidy.append((start, end))
    return tuple(tidy)


def merge_pieces(pieces: Sequence[tuple[int, int]]) -> Pieces:
    """Sort pieces and join pieces that touch or overlap.

    >>> merge_pieces([(0, 3), (2, 4), (6, 7)])
    ((0, 4), (6, 7))
    """
    united: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return tuple(united)


def find_overlapping_shapes(details: SegmentDetails) -> Bools:
    """Find segments with pieces that overlap, or are empty or reversed."""
    is_flawed = [
        any(s >= e for s, e in shape) or any(a[1] > b[0] for a, b in pairwise(shape))
        for shape in details.shapes
    ]
    return np.array(is_flawed, np.bool_)[details.shape]


def check_attribute(name: str, details: Iterable[SegmentDetails | None]) -> None:
    """Check that some segment has an attribute.

    Raises:
        SettingError: if no segment has the attribute; lists the known attributes.
    """
    known_names = sorted(
        {
            attribute
            for layer_details in details
            if layer_details is not None
            for attribute in layer_details.attributes
        }
    )
    if name not in known_names:
        known_attributes = (
            f"there are {join_names(known_names)}" if known_names else "no segment has any"
        )
        raise SettingError(f"attribute {quote_value(name)}: no segment has it; {known_attributes}")
