"""What segments have beside start, end and label: pieces, attributes, and relations between them.

Most corpora have none of it, so it is kept apart: a layer's ``details`` are ``None``, or say of
each segment, by its row, what its pieces and its attributes are, and which segments are linked.
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
"""Start and end of each piece, from left to right; in a shape, counted from the first one."""

NOWHERE = -1
"""The row of an argument that is not there."""


@dataclass(frozen=True, eq=False)
class RelationTable:
    """Relations between segments, a row for each.

    Attributes:
        first, second: the rows of the segments that it links; :data:`NOWHERE` for none.
        label: as a number.
        directed: whether it leads from the first to the second.
        location: the place in the source, for errors; empty where it is not known.
    """

    first: Ints
    second: Ints
    label: Ints
    directed: Bools
    location: tuple[str, ...]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, bool, str]]) -> RelationTable:
        """Return the relations of some rows."""
        first, second, label, directed, location = zip(*rows, strict=True) if rows else [()] * 5
        numbers = [np.array(column, np.int64) for column in (first, second, label)]
        return cls(
            numbers[0], numbers[1], numbers[2], np.array(directed, np.bool_), tuple(location)
        )

    def __len__(self) -> int:
        """Return the number of relations."""
        return len(self.label)

    @property
    def columns(self) -> tuple[Ints, Ints, Ints, Bools]:
        """First, second, label and directed."""
        return self.first, self.second, self.label, self.directed

    def some(self, rows: Ints) -> RelationTable:
        """Return some of them, by number."""
        location = tuple(self.location[i] for i in rows.tolist())
        first, second, label, directed = self.columns
        return RelationTable(first[rows], second[rows], label[rows], directed[rows], location)


SCORE = "score"
"""The attribute that has the score of a prediction."""


@dataclass(frozen=True, eq=False)
class SegmentDetails:
    """What some segments have beside start, end and label.

    Attributes:
        shape: of each segment the number of its shape; 0 for those of one piece.
        shapes: of each number, the pieces, counted from the first one's start.
        attributes: by name, of each segment the number of its value, −1 for none.
        values: by name of the attribute, what the numbers stand for.
        links: the relations between them.
        relation_labels: what the numbers of the relations' labels stand for.
    """

    shape: Ints
    shapes: tuple[Pieces, ...] = ((),)
    attributes: Mapping[str, Ints] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: RelationTable = field(default_factory=lambda: RelationTable.of(()))
    relation_labels: tuple[str, ...] = ()

    @classmethod
    def none(cls, count: int) -> SegmentDetails:
        """Return the details of segments that have none."""
        return cls(np.zeros(count, np.int64))

    @classmethod
    def of_rows(
        cls,
        count: int,
        pieces: Mapping[int, Pieces],
        attributes: Mapping[int, Mapping[str, str]],
        relations: Sequence[tuple[int, int, str, bool, str]],
    ) -> SegmentDetails | None:
        """Return the details of segments by row; ``None`` if there are none.

        Args:
            count: how many segments there are.
            pieces: of those with several; they need not be valid.
            attributes: by name, of those that have some.
            relations: first, second, label, whether directed, and place of each.
        """
        if not (pieces or attributes or relations):
            return None
        shape = np.zeros(count, np.int64)
        shapes: dict[Pieces, int] = {(): 0}
        for row, given in pieces.items():
            begin = given[0][0]
            moved = tuple((start - begin, end - begin) for start, end in given)
            shape[row] = shapes.setdefault(moved, len(shapes))
        columns: dict[str, Ints] = {}
        values: dict[str, dict[str, int]] = {}
        for row, given_values in attributes.items():
            for name, value in given_values.items():
                if name not in columns:
                    columns[name], values[name] = np.full(count, -1), {}
                columns[name][row] = values[name].setdefault(value, len(values[name]))
        labels: dict[str, int] = {}
        rows = [
            (first, second, labels.setdefault(label, len(labels)), directed, location)
            for first, second, label, directed, location in relations
        ]
        named = {name: tuple(of_name) for name, of_name in values.items()}
        return cls(shape, tuple(shapes), columns, named, RelationTable.of(rows), tuple(labels))

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.shape)

    @property
    def is_empty(self) -> bool:
        """Whether no segment has anything beside start, end and label."""
        return not (self.shape.any() or len(self.links) or self.attributes)

    def taken(self, rows: Ints, stands_for: Ints | None = None) -> SegmentDetails | None:
        """Return the details of some segments, by row, in the order given; ``None`` for none.

        Relations to others are left out, those to no segment at all stay.

        Args:
            rows: of the segments.
            stands_for: of each segment the row that is taken in its place, as of two that are the
                same; itself unless given.
        """
        place = np.full(len(self) + 1, NOWHERE - 1)
        place[rows] = np.arange(len(rows))
        place[-1] = NOWHERE
        if stands_for is not None:
            place[:-1] = place[:-1][stands_for]
        first, second = place[self.links.first], place[self.links.second]
        kept = np.flatnonzero((first >= NOWHERE) & (second >= NOWHERE))
        links = replace(self.links, first=first, second=second).some(kept)
        columns = {name: column[rows] for name, column in self.attributes.items()}
        taken = replace(self, shape=self.shape[rows], attributes=columns, links=links)
        return None if taken.is_empty else taken

    def repeated(self, rows: Ints) -> SegmentDetails:
        """Return the details of all segments, by row, in their order, some of them several times.

        Relations are those of the first copy of each.
        """
        columns = {name: column[rows] for name, column in self.attributes.items()}
        first = np.append(np.searchsorted(rows, np.arange(len(self))), NOWHERE)
        links = replace(self.links, first=first[self.links.first], second=first[self.links.second])
        return replace(self, shape=self.shape[rows], attributes=columns, links=links)

    def without_links(self, rows: Bools) -> SegmentDetails | None:
        """Return the details without some of the relations; ``None`` if nothing is left."""
        left = replace(self, links=self.links.some(np.flatnonzero(~rows)))
        return None if left.is_empty else left

    def with_pieces(self, pieces: Mapping[int, Pieces]) -> SegmentDetails | None:
        """Return the details with other pieces, by row; segments without a row have one piece."""
        shaped = SegmentDetails.of_rows(len(self), pieces, {}, ()) or SegmentDetails.none(len(self))
        details = replace(self, shape=shaped.shape, shapes=shaped.shapes)
        return None if details.is_empty else details

    def pieces(self, start: Ints) -> dict[int, Pieces]:
        """Return start and end of the pieces of each segment that has several, by row."""
        pieces = {}
        for row in np.flatnonzero(self.shape).tolist():
            at = int(start[row])
            pieces[row] = tuple((at + s, at + e) for s, e in self.shapes[self.shape[row]])
        return pieces

    def each_piece(self, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the segment, the start and the end of each piece of all segments."""
        count = np.array([max(len(pieces), 1) for pieces in self.shapes])
        bounds = np.zeros((len(self.shapes), count.max(), 2), np.int64)
        for code, pieces in enumerate(self.shapes):
            bounds[code, : len(pieces)] = np.array(pieces).reshape(-1, 2)
        number, row = expand_ranges(np.zeros(len(self), np.int64), count[self.shape])
        low, high = bounds[self.shape[row], number].T + start[row]
        return row, low, np.where(self.shape[row] == 0, end[row], high)

    def attribute(self, name: str) -> list[str | None]:
        """Return the value of an attribute of each segment; ``None`` where it has none."""
        if name not in self.attributes:
            return [None] * len(self)
        names = [*self.values[name], None]  # −1 is the last
        return [names[code] for code in self.attributes[name].tolist()]

    def attributes_of(self, row: int) -> dict[str, str]:
        """Return the attributes of a segment, by name."""
        return {
            name: self.values[name][column[row]]
            for name, column in self.attributes.items()
            if column[row] >= 0
        }

    def relations(self) -> Iterator[tuple[int, int, str, bool]]:
        """Yield the rows of both segments, label, and whether it is directed, of each relation."""
        columns = (column.tolist() for column in self.links.columns)
        for first, second, label, directed in zip(*columns, strict=True):
            yield first, second, self.relation_labels[label], directed

    def relations_from(self, low: int, high: int) -> Iterator[tuple[int, int, str, bool]]:
        """Yield the relations whose first segment is in these rows; as :meth:`relations`."""
        inside = (self.links.first >= low) & (self.links.first < high)
        return replace(self, links=self.links.some(np.flatnonzero(inside))).relations()

    def content(self) -> Any:
        """Return all of it in a form that is equal for equal details."""
        shapes = [self.shapes[code] for code in self.shape.tolist()]
        columns = {name: self.attribute(name) for name in sorted(self.attributes)}
        named = {name: some for name, some in columns.items() if some.count(None) < len(some)}
        relations = [
            (*(ends if directed else sorted(ends)), label, directed)
            for *ends, label, directed in self.relations()
        ]
        return shapes, named, sorted(relations)


def joined(parts: Sequence[tuple[SegmentDetails | None, int]]) -> SegmentDetails | None:
    """Return the details of several lists of segments, one after the other, with their numbers."""
    if all(details is None for details, _ in parts):
        return None
    pieces: dict[int, Pieces] = {}
    attributes: dict[int, dict[str, str]] = {}
    relations: list[tuple[int, int, str, bool, str]] = []
    at = 0
    for details, count in parts:
        if details is not None:
            for row in np.flatnonzero(details.shape).tolist():
                pieces[at + row] = details.shapes[details.shape[row]]
            some = [column >= 0 for column in details.attributes.values()]
            for row in np.flatnonzero(np.logical_or.reduce(some)).tolist() if some else ():
                attributes[at + row] = details.attributes_of(row)
            for (first, second, label, directed), location in zip(
                details.relations(), details.links.location, strict=True
            ):
                head, tail = (end if end == NOWHERE else at + end for end in (first, second))
                relations.append((head, tail, label, directed, location))
        at += count
    return SegmentDetails.of_rows(at, pieces, attributes, relations)


def tidy_pieces(pieces: Sequence[tuple[int, int]]) -> Pieces:
    """Return pieces from left to right, those that touch as one; overlaps stay, as a flaw.

    >>> tidy_pieces([(5, 6), (0, 2), (2, 3)])
    ((0, 3), (5, 6))
    """
    tidy: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if tidy and start == tidy[-1][1]:
            tidy[-1] = tidy[-1][0], end
        else:
            tidy.append((start, end))
    return tuple(tidy)


def united_pieces(pieces: Sequence[tuple[int, int]]) -> Pieces:
    """Return pieces from left to right, those that touch or overlap as one.

    >>> united_pieces([(0, 3), (2, 4), (6, 7)])
    ((0, 4), (6, 7))
    """
    united: list[tuple[int, int]] = []
    for start, end in sorted(pieces):
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return tuple(united)


def overlapping_shapes(details: SegmentDetails) -> Bools:
    """Return which segments have pieces that share tokens, or are empty or reversed."""
    bad = [
        any(s >= e for s, e in shape) or any(a[1] > b[0] for a, b in pairwise(shape))
        for shape in details.shapes
    ]
    return np.array(bad, np.bool_)[details.shape]


def check_attribute(name: str, details: Iterable[SegmentDetails | None]) -> None:
    """Refuse an attribute that no segment has.

    Raises:
        SettingError: for such a name, with those that there are.
    """
    known = sorted(
        {attribute for some in details if some is not None for attribute in some.attributes}
    )
    if name not in known:
        there = f"there are {join_names(known)}" if known else "no segment has any"
        raise SettingError(f"attribute {quote_value(name)}: no segment has it; {there}")
