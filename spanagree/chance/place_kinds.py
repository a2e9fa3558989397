"""The kinds of places that segments are of, and where these places are.

Columns, for many documents at once: a kind is one of a document, of a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Ints, distinct, entries, ranges
from spanagree.chance.place_rules import PlaceRule


@dataclass(frozen=True, eq=False)
class PlaceKinds:
    """Kinds and their places.

    Attributes:
        kind: of each segment.
        document: of each kind.
        rule: of each kind, the number of its rule.
        at_site: of each kind, whether it keeps the rule.
        slots: of each kind, how many slots its document has.
        taken: of each kind, how many slots a segment takes; 0 unless it may stand in any.
        first: of each kind, where its places stand; one more than there are kinds.
        start, end: of each place, in the order of the text.
    """

    kind: Ints
    document: Ints
    rule: Ints
    at_site: Ints
    slots: Ints
    taken: Ints
    first: Ints
    start: Ints
    end: Ints

    @property
    def places(self) -> Ints:
        """How many places each kind has."""
        return np.diff(self.first)

    def longest(self, kind: int) -> int:
        """Return the length of the longest place of a kind."""
        here = slice(int(self.first[kind]), int(self.first[kind + 1]))
        return int((self.end[here] - self.start[here]).max(initial=0))

    def ends(self, kind: int) -> dict[int, list[int]]:
        """Return the ends of the places of a kind, for each start."""
        here = slice(int(self.first[kind]), int(self.first[kind + 1]))
        ends: dict[int, list[int]] = {}
        for start, end in zip(self.start[here].tolist(), self.end[here].tolist(), strict=True):
            ends.setdefault(start, []).append(end)
        return ends


def place_kinds(
    rules: Sequence[PlaceRule], rule: Ints, document: Ints, start: Ints, end: Ints
) -> PlaceKinds:
    """Return the kinds of segments.

    Args:
        rules: all rules.
        rule: of each segment, the number of its rule.
        document, start, end: of each segment.
    """
    first, second = np.zeros((2, len(start)), np.int64)
    for number, its_rule in enumerate(rules):
        rows = np.flatnonzero(rule == number)
        if len(rows):
            first[rows], second[rows] = its_rule.kinds(document[rows], start[rows], end[rows])
    (rule, document, first, second), kind, _ = distinct(rule, document, first, second)
    at_site, slots, taken = np.zeros((3, len(rule)), np.int64)
    nothing = np.zeros(0, np.int64)
    parts = [(nothing, nothing, nothing)]
    for number, its_rule in enumerate(rules):  # kinds of one rule stand together
        rows = np.flatnonzero(rule == number)
        if len(rows):
            columns = document[rows], first[rows], second[rows]
            at_site[rows] = its_rule.at_site(first[rows], second[rows])
            slots[rows], taken[rows] = its_rule.slots(*columns)
            which, s, e = its_rule.places(*columns)
            parts.append((rows[which], s, e))
    which, s, e = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    up_to = np.append(0, np.cumsum(np.bincount(which, minlength=len(rule))))
    return PlaceKinds(kind, document, rule, at_site, slots, taken, up_to, s, e)


def kinds_anywhere(tokens: Ints, length: Ints) -> PlaceKinds:
    """Build the kinds of segments that may stand anywhere.

    Args:
        tokens: number of tokens of the document of each segment.
        length: length of each segment.

    >>> kinds = kinds_anywhere(np.array([3, 3]), np.array([2, 2]))
    >>> kinds.kind.tolist(), kinds.start.tolist(), kinds.end.tolist()
    ([0, 0], [0, 1], [2, 3])
    """
    (tokens, length), kind, _ = distinct(tokens, length)
    n_places = tokens - length + 1
    start, which = ranges(np.zeros_like(n_places), n_places)
    first = np.append(0, np.cumsum(n_places))
    nothing = np.zeros_like(tokens)
    return PlaceKinds(
        kind, nothing, nothing, nothing, tokens, length, first, start, start + length[which]
    )


def without_gaps(kinds: PlaceKinds, text: Ints, kind: Ints) -> tuple[Ints, PlaceKinds, Ints]:
    """Leave out what lies in no place, so that equal patterns of places are equal kinds.

    Which segments can meet, and where, stays the same in every text.

    Args:
        kinds: the kinds.
        text: number of the text of each segment.
        kind: kind of each segment.

    Returns:
        The kind of each segment, all kinds, and the length of each text that has segments.

    >>> places = np.array([0, 2, 4]), np.array([1, 7, 4, 8]), np.array([2, 9, 5, 10])
    >>> kinds = PlaceKinds(*[np.zeros(2, np.int64)] * 6, *places)
    >>> kind, squeezed, lengths = without_gaps(kinds, np.array([0, 1]), np.array([0, 1]))
    >>> kind.tolist(), squeezed.start.tolist(), squeezed.end.tolist(), lengths.tolist()
    ([0, 0], [0, 1], [1, 3], [3, 3])
    """
    (text, kind), which, _ = distinct(text, kind)
    at = entries(kinds.places, kind)
    n_places = kinds.places[kind]
    whose = np.repeat(text, n_places)
    (owner, border), index, _ = distinct(
        np.tile(whose, 2), np.concatenate((kinds.start[at], kinds.end[at]))
    )
    begin, end = np.split(index, 2)
    n_open = np.cumsum(np.bincount(begin, minlength=len(border)) - np.bincount(end))
    position = np.append(0, np.cumsum(np.diff(border) * (n_open[:-1] > 0)))
    is_first = np.append(True, owner[1:] != owner[:-1])
    number = np.cumsum(is_first) - 1
    position -= position[is_first][number]
    start, end = position[begin], position[end]
    last = np.cumsum(n_places)
    known: dict[tuple[bytes, bytes], int] = {}
    same = np.zeros(len(kind), np.int64)
    kept: list[int] = []
    for row, (low, high) in enumerate(zip((last - n_places).tolist(), last.tolist(), strict=True)):
        pattern = start[low:high].tobytes(), end[low:high].tobytes()
        same[row] = known.setdefault(pattern, len(kept))
        if same[row] == len(kept):
            kept.append(row)
    chosen = entries(n_places, np.array(kept, np.int64))
    first = kind[kept]
    squeezed = PlaceKinds(
        same[which],
        kinds.document[first],
        kinds.rule[first],
        kinds.at_site[first],
        kinds.slots[first],
        kinds.taken[first],
        np.append(0, np.cumsum(n_places[kept])),
        start[chosen],
        end[chosen],
    )
    return same[which], squeezed, position[np.append(is_first[1:], True)]
