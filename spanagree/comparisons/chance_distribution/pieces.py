"""The pieces that chance is computed of: the parts of documents that are independent of each other.

A *piece* is a part of a document that can be looked at by itself: under the chance model
``nonoverlapping`` the whole document; under the other two a label of it, if the measure compares
equal labels only. The match of a document is the sum of its pieces' matches, and they are
independent of each other, whatever is random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.chance.place_kinds import PlaceKinds, without_gaps
from spanagree.comparisons.measures import Measure
from spanagree.corpus.segments import Layer


@dataclass(frozen=True, eq=False)
class AnnotatorSegments:
    """The segments of one annotator, a row for each.

    Attributes:
        piece: the number of the piece it lies in.
        group: segments of one piece and group exclude each other.
        start: where it starts; where it is random that does not matter.
        length: its tokens.
        label: as a number; 0 throughout if the measure disregards labels.
        kind: of its place, where a rule says which places there are; else 0.
    """

    piece: Ints
    group: Ints
    start: Ints
    length: Ints
    label: Ints
    kind: Ints

    def rows(self, rows: Ints) -> AnnotatorSegments:
        """Return some of the segments, by number."""
        return AnnotatorSegments(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def of_piece(self, piece: int) -> AnnotatorSegments:
        """Return the segments of one piece; the pieces are sorted."""
        low, high = np.searchsorted(self.piece, (piece, piece + 1))
        return self.rows(np.arange(low, high))

    def __len__(self) -> int:
        return len(self.piece)

    def copies(self, count: int) -> AnnotatorSegments:
        """Return the side so many times, each time as a piece of its own."""
        columns = {name: np.tile(getattr(self, name), count) for name in self.__dataclass_fields__}
        return AnnotatorSegments(**{**columns, "piece": np.repeat(np.arange(count), len(self))})


@dataclass(frozen=True, eq=False)
class DocumentParts:
    """The pieces of all documents in which both annotators marked something.

    Attributes:
        document: of each piece.
        tokens: of each piece.
        a, b: the segments of either annotator, sorted by piece and start.
    """

    document: Ints
    tokens: Ints
    a: AnnotatorSegments
    b: AnnotatorSegments

    def some(self, rows: Ints) -> DocumentParts:
        """Return some of the pieces, by number, rising."""
        number = np.full(len(self), -1)
        number[rows] = np.arange(len(rows))
        sides = []
        for side in (self.a, self.b):
            kept = side.rows(np.flatnonzero(number[side.piece] >= 0))
            sides.append(replace(kept, piece=number[kept.piece]))
        return DocumentParts(self.document[rows], self.tokens[rows], *sides)

    def __len__(self) -> int:
        return len(self.document)


def pieces_of(
    a: Layer,
    b: Layer,
    tokens: Ints,
    measure: Measure,
    chance: str,
    kinds: tuple[Ints, Ints] | None = None,
) -> DocumentParts:
    """Return the pieces of two layers, where both have segments.

    ``kinds`` are those of the places of their segments, under a rule of places.
    """
    of_label = measure.of_label and chance != "nonoverlapping"
    many = 1 + max(int(a.label.max(initial=0)), int(b.label.max(initial=0)))
    keys = [x.document * many + x.label * of_label for x in (a, b)]
    both = np.intersect1d(keys[0], keys[1])
    sides = []
    kinds = kinds or (np.zeros(len(a), np.int64), np.zeros(len(b), np.int64))
    for layer, key, kind in zip((a, b), keys, kinds, strict=True):
        rows = np.flatnonzero(np.isin(key, both))
        piece = np.searchsorted(both, key[rows])
        order = np.lexsort((layer.start[rows], piece))
        rows, piece = rows[order], piece[order]
        group = np.arange(len(rows)) if chance == "overlapping" else np.zeros(len(rows), np.int64)
        sides.append(
            AnnotatorSegments(
                piece,
                layer.label[rows] if chance == "per-label" else group,
                layer.start[rows],
                (layer.end - layer.start)[rows],
                layer.label[rows] * measure.of_label,
                kind[rows],
            )
        )
    documents = both // many
    return DocumentParts(documents, tokens[documents], *sides)


def without_gaps_between(
    pieces: DocumentParts, kinds: PlaceKinds
) -> tuple[DocumentParts, PlaceKinds]:
    """Leave out what lies in no place of a piece's segments, all of which are random."""
    sides = pieces.a, pieces.b
    texts, numbers = (
        np.concatenate(columns)
        for columns in zip(*((side.piece, side.kind) for side in sides), strict=True)
    )
    number, kinds, lengths = without_gaps(kinds, texts, numbers)
    a, b = (
        replace(side, kind=kind)
        for side, kind in zip(sides, np.split(number, [len(pieces.a)]), strict=True)
    )
    return DocumentParts(pieces.document, lengths, a, b), kinds


def with_arranged(
    piece: DocumentParts, *, swap: bool, starts: Ints, lengths: Ints | None = None
) -> DocumentParts:
    """Return a piece for each arrangement of one side of a single piece, which becomes A.

    Args:
        piece: both sides.
        swap: whether it is B that is arranged.
        starts: of its segments in each arrangement; (arrangements, segments).
        lengths: the same of lengths, where these differ too.
    """
    arranged, random = (piece.b, piece.a) if swap else (piece.a, piece.b)
    count = len(starts)
    copies = replace(arranged.copies(count), start=starts.ravel())
    if lengths is not None:
        copies = replace(copies, length=lengths.ravel())
    copies = copies.rows(np.lexsort((copies.start, copies.piece)))
    tokens = np.full(count, piece.tokens[0])
    return DocumentParts(np.zeros(count, np.int64), tokens, copies, random.copies(count))


def least_costs(pieces: DocumentParts, *random: AnnotatorSegments) -> Floats:
    """Return for each piece how many numbers a walk computes at the very least.

    That is one for each token and each choice of how many segments of each length are placed.
    """
    logs = np.log(pieces.tokens + 1.0)
    for side in random:
        (piece, group, _), _, count = unique_rows(side.piece, side.group, side.length)
        _, unit, _ = unique_rows(piece, group)
        states = np.bincount(unit, np.log1p(count))
        most = np.zeros(len(pieces))
        np.maximum.at(most, piece, states[unit])
        logs += most
    return np.rint(np.exp(np.minimum(logs, 700)))
