"""Kinds of places of segments, for many documents together.

A *place* is a pair of start and end in a document. A rule of places divides the places of each
document into *kinds* (:mod:`spanagree.chance.place_rules`), and a random segment of a kind may be
at any place of the kind. Places that keep a rule are its *sites*. *Slots* are units of equal rank
in a document, such as words or tokens: a segment that takes w slots may be at any w consecutive
slots, as in the uniform model. Kinds are columns with one entry for each kind; places are columns
of start and end, sorted by kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Ints, expand_ranges, find_entries, unique_rows
from spanagree.chance.place_rules import PlaceRule


@dataclass(frozen=True, eq=False)
class PlaceKinds:
    """Kinds and their places.

    Attributes:
        kind: kind of each segment; (segments,).
        document: document of each kind; (kinds,).
        rule: index of the rule of each kind; (kinds,).
        at_site: `AT_SITE` if the places of the kind keep the rule; (kinds,).
        slots: number of slots of the document of each kind; (kinds,).
        taken: number of slots of a segment of each kind, or 0 if slots are not interchangeable.
        first: index of the first place of each kind, and number of places; (kinds + 1,).
        start: start of each place, in the order of the text; (places,).
        end: end of each place; (places,).
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
        """Number of places of each kind."""
        return np.diff(self.first)

    def compute_longest(self, kind_index: int) -> int:
        """Compute the length of the longest place of a kind; 0 without places."""
        rows = slice(int(self.first[kind_index]), int(self.first[kind_index + 1]))
        return int((self.end[rows] - self.start[rows]).max(initial=0))

    def collect_ends(self, kind_index: int) -> dict[int, list[int]]:
        """Collect the ends of the places of a kind by start."""
        rows = slice(int(self.first[kind_index]), int(self.first[kind_index + 1]))
        ends: dict[int, list[int]] = {}
        for start, end in zip(self.start[rows].tolist(), self.end[rows].tolist(), strict=True):
            ends.setdefault(start, []).append(end)
        return ends


def find_place_kinds(
    rules: Sequence[PlaceRule], rule: Ints, document: Ints, start: Ints, end: Ints
) -> PlaceKinds:
    """Find the kind of the place of each segment, and all places of each kind.

    Args:
        rules: rules of places.
        rule: index of the rule of each segment.
        document: document of each segment.
        start: start of each segment.
        end: end of each segment.
    """
    first, second = np.zeros((2, len(start)), np.int64)
    for rule_index, place_rule in enumerate(rules):
        rows = np.flatnonzero(rule == rule_index)
        if len(rows):
            first[rows], second[rows] = place_rule.compute_kinds(
                document[rows], start[rows], end[rows]
            )
    (rule, document, first, second), kind_of_segment, _ = unique_rows(rule, document, first, second)
    at_site, slots, n_taken = np.zeros((3, len(rule)), np.int64)
    no_rows = np.zeros(0, np.int64)
    tables = [(no_rows, no_rows, no_rows)]
    for rule_index, place_rule in enumerate(rules):  # kinds are sorted by rule
        rows = np.flatnonzero(rule == rule_index)
        if len(rows):
            columns = document[rows], first[rows], second[rows]
            at_site[rows] = place_rule.compute_site_codes(first[rows], second[rows])
            slots[rows], n_taken[rows] = place_rule.count_slots(*columns)
            kind_row, place_start, place_end = place_rule.list_places(*columns)
            tables.append((rows[kind_row], place_start, place_end))
    kind_row, place_start, place_end = (
        np.concatenate(columns) for columns in zip(*tables, strict=True)
    )
    first_place = np.append(0, np.cumsum(np.bincount(kind_row, minlength=len(rule))))
    return PlaceKinds(
        kind_of_segment,
        document,
        rule,
        at_site,
        slots,
        n_taken,
        first_place,
        place_start,
        place_end,
    )


def build_kinds_anywhere(tokens: Ints, length: Ints) -> PlaceKinds:
    """Build the kinds of segments that may be anywhere.

    Args:
        tokens: number of tokens of the document of each segment.
        length: length of each segment.

    >>> kinds = build_kinds_anywhere(np.array([3, 3]), np.array([2, 2]))
    >>> kinds.kind.tolist(), kinds.start.tolist(), kinds.end.tolist()
    ([0, 0], [0, 1], [2, 3])
    """
    (tokens, length), kind_of_segment, _ = unique_rows(tokens, length)
    n_places = tokens - length + 1
    start, kind_row = expand_ranges(np.zeros_like(n_places), n_places)
    first = np.append(0, np.cumsum(n_places))
    zeros = np.zeros_like(tokens)
    return PlaceKinds(
        kind_of_segment, zeros, zeros, zeros, tokens, length, first, start, start + length[kind_row]
    )


def remove_gaps(
    all_kinds: PlaceKinds, text: Ints, kind_index: Ints
) -> tuple[Ints, PlaceKinds, Ints]:
    """Remove the tokens outside all places, and merge kinds with the same pattern of places.

    Positions are counted without these tokens, so patterns with other gaps become equal. The
    possible overlaps of segments stay the same in every text.

    Args:
        all_kinds: kinds and their places.
        text: index of the text of each segment; positions are changed in each text separately.
        kind_index: kind of each segment.

    Returns:
        New kind of each segment, all new kinds, and the length of each text with segments.

    >>> places = np.array([0, 2, 4]), np.array([1, 7, 4, 8]), np.array([2, 9, 5, 10])
    >>> kinds = PlaceKinds(*[np.zeros(2, np.int64)] * 6, *places)
    >>> kind, squeezed, lengths = remove_gaps(kinds, np.array([0, 1]), np.array([0, 1]))
    >>> kind.tolist(), squeezed.start.tolist(), squeezed.end.tolist(), lengths.tolist()
    ([0, 0], [0, 1], [1, 3], [3, 3])
    """
    (text, kind_index), row_of_segment, _ = unique_rows(text, kind_index)
    place_rows = find_entries(all_kinds.places, kind_index)
    n_places = all_kinds.places[kind_index]
    text_of_place = np.repeat(text, n_places)
    (owner, border), border_index, _ = unique_rows(
        np.tile(text_of_place, 2),
        np.concatenate((all_kinds.start[place_rows], all_kinds.end[place_rows])),
    )
    start_border, end_border = np.split(border_index, 2)
    n_places_over = np.cumsum(
        np.bincount(start_border, minlength=len(border)) - np.bincount(end_border)
    )
    position = np.append(0, np.cumsum(np.diff(border) * (n_places_over[:-1] > 0)))
    is_first_border = np.append(True, owner[1:] != owner[:-1])
    text_index = np.cumsum(is_first_border) - 1
    position -= position[is_first_border][text_index]
    start, end = position[start_border], position[end_border]
    last_place = np.cumsum(n_places)
    row_by_pattern: dict[tuple[bytes, bytes], int] = {}
    new_kind = np.zeros(len(kind_index), np.int64)
    kept_rows: list[int] = []
    for row, (first_place_row, place_stop) in enumerate(
        zip((last_place - n_places).tolist(), last_place.tolist(), strict=True)
    ):
        pattern = (
            start[first_place_row:place_stop].tobytes(),
            end[first_place_row:place_stop].tobytes(),
        )
        new_kind[row] = row_by_pattern.setdefault(pattern, len(kept_rows))
        if new_kind[row] == len(kept_rows):
            kept_rows.append(row)
    kept_places = find_entries(n_places, np.array(kept_rows, np.int64))
    kept_kinds = kind_index[kept_rows]
    squeezed = PlaceKinds(
        new_kind[row_of_segment],
        all_kinds.document[kept_kinds],
        all_kinds.rule[kept_kinds],
        all_kinds.at_site[kept_kinds],
        all_kinds.slots[kept_kinds],
        all_kinds.taken[kept_kinds],
        np.append(0, np.cumsum(n_places[kept_rows])),
        start[kept_places],
        end[kept_places],
    )
    return new_kind[row_of_segment], squeezed, position[np.append(is_first_border[1:], True)]
