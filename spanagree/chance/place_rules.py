"""Rules that give every place of a document a kind, from its text alone.

A *place* is a pair (start, end) in a document. A rule never depends on annotations, so segments of
two annotators at the same place have the same kind. A kind has two components, ``first`` and
``second``: for most rules a length and a feature of the place, for :class:`WordRule` a length in
words and the positions of both ends relative to words. Some rules ask for a property of places; the
places that have it are the *sites* of the rule. Places and kinds are columns: one array each for
document, start and end, or for the two components of a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from spanagree.arrays import Bools, Ints, expand_ranges
from spanagree.limits import check_cost

EDGE, INSIDE, BETWEEN = range(3)
"""Positions of a border relative to words: at an edge, inside a word, or between two words."""

OFF_SITE, AT_SITE, NO_SITES = 0, 1, 2
"""Values for places that break the rule, that keep it, and of rules without sites."""


class PlaceRule(Protocol):
    """Rule that assigns a kind to each place, and lists the places of a kind."""

    def compute_kinds(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Compute the two components of the kind of each place."""

    def list_places(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
        """List the places of kinds, each in a document.

        Returns:
            Row of the kind, start and end of each place, sorted by kind.
        """

    def compute_site_codes(self, first: Ints, second: Ints) -> Ints:
        """Compute OFF_SITE, AT_SITE or NO_SITES for each kind: whether its places keep the rule."""

    def count_slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Count the slots of the document of each kind, and the slots that a segment takes.

        Slots are units of equal rank, such as words. A segment that takes slots may be at any
        consecutive slots, and its x-th place begins in slot x. A segment takes 0 slots if its kind
        allows only some.
        """


@dataclass(frozen=True)
class FeatureRule:
    """Rule with kinds that are a length and a feature of the place.

    Attributes:
        lengths: length of each document.
        feature: function from document, start and end of places to features.
        with_sites: True if the feature is 1 for sites and 0 for other places.
        purpose: name of the rule in errors.
    """

    lengths: Ints
    feature: Callable[[Ints, Ints, Ints], Ints]
    with_sites: bool = True
    purpose: str = "places"

    def compute_kinds(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Compute length and feature of each place."""
        return end - start, self.feature(document, start, end)

    def list_places(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
        """List the places with the lengths and features of these kinds, in a document each."""
        n_starts = np.maximum(self.lengths[document] - first + 1, 0)
        check_cost(
            4 * float(n_starts.sum()), f"{self.purpose}: the places of all kinds of segments"
        )
        start, kind_row = expand_ranges(np.zeros_like(n_starts), n_starts)
        end = start + first[kind_row]
        has_feature = self.feature(document[kind_row], start, end) == second[kind_row]
        return kind_row[has_feature], start[has_feature], end[has_feature]

    def compute_site_codes(self, first: Ints, second: Ints) -> Ints:
        """Return the feature as the code if the rule has sites, otherwise NO_SITES."""
        return second if self.with_sites else np.full(len(second), NO_SITES)

    def count_slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Count no slots for segments, because places with a feature are not consecutive."""
        return self.lengths[document], np.zeros_like(first)


@dataclass(frozen=True)
class AnywhereRule(FeatureRule):
    """Rule with kinds that are lengths: the uniform model."""

    def count_slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Count tokens as slots; a segment takes as many slots as it has tokens."""
        return self.lengths[document], first


def build_anywhere_rule(lengths: Ints) -> AnywhereRule:
    """Build the rule with lengths as kinds."""
    return AnywhereRule(lengths, lambda document, start, end: np.zeros_like(start), False)


def _compute_first_entries(lengths: Ints) -> Ints:
    """Compute the index of each document's first entry in a concatenated array."""
    return np.cumsum(lengths) - lengths


def build_end_value_rule(lengths: Ints, values: Ints) -> FeatureRule:
    """Build the rule with the values of the first and the last token as the feature.

    Args:
        lengths: number of tokens of each document.
        values: value of each token, documents concatenated.
    """
    first_token, n_values = _compute_first_entries(lengths), int(values.max(initial=0)) + 1

    def encode_end_values(document: Ints, start: Ints, end: Ints) -> Ints:
        """Encode the values of the first and the last token as one integer."""
        offset = first_token[document]
        return values[offset + start] * n_values + values[offset + end - 1]

    return FeatureRule(lengths, encode_end_values, False)


def build_both_ends_rule(lengths: Ints, has_property: Bools) -> FeatureRule:
    """Build the rule that both end tokens have a property.

    Args:
        lengths: number of tokens of each document.
        has_property: mask of the tokens with the property, documents concatenated.
    """
    first_token, has_value = _compute_first_entries(lengths), has_property.astype(np.int64)

    def mask_both_ends(document: Ints, start: Ints, end: Ints) -> Ints:
        """Return 1 for places with the property at both end tokens, 0 for others."""
        offset = first_token[document]
        return has_value[offset + start] & has_value[offset + end - 1]

    return FeatureRule(lengths, mask_both_ends)


def build_all_tokens_rule(lengths: Ints, has_property: Bools) -> FeatureRule:
    """Build the rule that all tokens have a property.

    Args:
        lengths: number of tokens of each document.
        has_property: mask of the tokens with the property, documents concatenated.
    """
    first_token, n_before = _compute_first_entries(lengths), np.append(0, np.cumsum(has_property))

    def mask_all_tokens(document: Ints, start: Ints, end: Ints) -> Ints:
        """Return 1 for places with the property at all tokens, 0 for others."""
        offset = first_token[document]
        return (n_before[offset + end] - n_before[offset + start] == end - start).astype(np.int64)

    return FeatureRule(lengths, mask_all_tokens)


def build_border_rule(lengths: Ints, may_start: Bools, may_end: Bools) -> FeatureRule:
    """Build the rule that a place starts at an allowed border and ends at an allowed border.

    Args:
        lengths: number n of tokens of each document.
        may_start: mask of the n + 1 borders that allow a start, documents concatenated.
        may_end: mask of the n + 1 borders that allow an end.
    """
    first_border, is_start, is_end = (
        _compute_first_entries(lengths + 1),
        may_start.astype(np.int64),
        may_end.astype(np.int64),
    )

    def mask_allowed_borders(document: Ints, s: Ints, e: Ints) -> Ints:
        """Return 1 for places from an allowed start to an allowed end, 0 for others."""
        return is_start[first_border[document] + s] & is_end[first_border[document] + e]

    return FeatureRule(lengths, mask_allowed_borders)


def build_site_rule(lengths: Ints, document: Ints, start: Ints, end: Ints) -> FeatureRule:
    """Build the rule with a list of sites.

    Args:
        lengths: number of tokens of each document.
        document: document of each site.
        start: start of each site.
        end: end of each site.
    """
    key_factor = int(lengths.max(initial=0)) + 1
    sites = np.unique((document * key_factor + start) * key_factor + end)

    def mask_sites(d: Ints, s: Ints, e: Ints) -> Ints:
        """Return 1 for places in the list of sites, 0 for others."""
        return np.isin((d * key_factor + s) * key_factor + e, sites).astype(np.int64)

    return FeatureRule(lengths, mask_sites)


@dataclass(frozen=True)
class WordRule:
    """Rule with the number of touched words, and the positions of both ends, as kind.

    A place touches a word if it shares a character with it. Each end is at an edge of a word,
    inside a word or between words. A place that touches no word has the kind 0 and its length. The
    texts of all documents are concatenated to one *line* of characters.

    Attributes:
        lengths: number of characters of each document.
        stretch: position of the first character of each document on the line.
        words: index of the first word of each document, and number of all words.
        start: start of each word on the line, followed by a position beyond the line.
        end: end of each word on the line, followed by a position beyond the line.
    """

    lengths: Ints
    stretch: Ints
    words: Ints
    start: Ints
    end: Ints

    @classmethod
    def from_words(cls, lengths: Ints, words: Sequence[Sequence[tuple[int, int]]]) -> WordRule:
        """Build the rule from the start and end of each word of each document, in order."""
        stretch = _compute_first_entries(lengths + 1)
        counts = np.array([len(document_words) for document_words in words], np.int64)
        borders = np.array(
            [border for document_words in words for border in document_words], np.int64
        ).reshape(-1, 2)
        line = borders + np.repeat(stretch, counts)[:, None]
        beyond = int((lengths + 1).sum()) + 1
        return cls(
            lengths,
            stretch,
            np.append(0, np.cumsum(counts)),
            np.append(line[:, 0], beyond),
            np.append(line[:, 1], beyond + 1),
        )

    def _locate_on_line(
        self, document: Ints, start: Ints, end: Ints
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Convert the positions of places to positions in the concatenation of all documents.

        Returns:
            Start and end of each place, and the first and last word that the place touches.
        """
        first, next_word = self.convert_to_words(document, start, end)
        line = self.stretch[document]
        return line + start, line + end, first, next_word - 1

    def convert_to_words(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Find the range of touched words of each place.

        Words are numbered over all documents. The range of a place that touches no word is empty.

        Returns:
            Index of the first touched word, and the index after the last.
        """
        s, e = self.stretch[document] + start, self.stretch[document] + end
        return np.searchsorted(self.end, s, side="right"), np.searchsorted(self.start, e)

    def compute_kinds(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Compute the two components of the kind of each place.

        The first component is the number of words that the place touches. The second component says
        where start and end lie in their words: at the edge, inside or outside. For places that
        touch no word it is their length.
        """
        line_start, line_end, first_word, last_word = self._locate_on_line(document, start, end)
        n_touched = np.maximum(last_word - first_word + 1, 0)
        start_position = _convert_border_to_words(
            line_start, self.start[first_word], self.start[first_word] < line_start
        )
        end_position = _convert_border_to_words(
            line_end, self.end[last_word], self.end[last_word] > line_end
        )
        return n_touched, np.where(n_touched > 0, 3 * start_position + end_position, end - start)

    def compute_site_codes(self, first: Ints, second: Ints) -> Ints:
        """Compute a code for each kind: AT_SITE if both ends are at edges of words, or OFF_SITE."""
        return ((first > 0) & (second == 3 * EDGE + EDGE)).astype(np.int64)

    def count_slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Count words as slots; a segment with both ends at edges of words takes its words."""
        n_words = np.diff(self.words)[document]
        return n_words, np.where(self.compute_site_codes(first, second) == AT_SITE, first, 0)

    def list_places(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
        """List the places of these kinds, with and without touched words, sorted by kind."""
        tables = [
            self._list_places_with_words(document, first, second),
            self._list_places_between_words(document, first, second),
        ]
        kind_row, start, end = (np.concatenate(columns) for columns in zip(*tables, strict=True))
        order = np.argsort(kind_row, kind="stable")
        return kind_row[order], start[order], end[order]

    def _list_places_with_words(
        self, document: Ints, touched: Ints, boundary: Ints
    ) -> tuple[Ints, Ints, Ints]:
        """List the places of kinds with touched words: row of the kind, start and end.

        Args:
            document: document of each kind.
            touched: number of touched words of each kind.
            boundary: code of the positions of both ends of each kind.
        """
        first_candidate = self.words[document]
        candidate_stop = np.where(
            touched > 0, self.words[document + 1] - touched + 1, first_candidate
        )
        # candidates for the first word
        first_word, kind_row = expand_ranges(
            first_candidate, np.maximum(candidate_stop, first_candidate)
        )
        last_word = first_word + touched[kind_row] - 1
        d = document[kind_row]
        s_low, s_high = self._compute_start_range(first_word, boundary[kind_row] // 3, d)
        e_low, e_high = self._compute_end_range(last_word, boundary[kind_row] % 3, d)
        n_places = np.maximum(s_high - s_low, 0) * np.maximum(e_high - e_low, 0)
        check_cost(4 * float(n_places.sum()), "places words: the places of all kinds of segments")
        s, candidate = expand_ranges(s_low, np.maximum(s_high, s_low))
        e, start_row = expand_ranges(e_low[candidate], np.maximum(e_high, e_low)[candidate])
        s, candidate = s[start_row], candidate[start_row]
        is_not_empty = s < e
        s, e, candidate = s[is_not_empty], e[is_not_empty], candidate[is_not_empty]
        offset = self.stretch[d[candidate]]
        return kind_row[candidate], s - offset, e - offset

    def _compute_start_range(
        self, first_word: Ints, boundary: Ints, document: Ints
    ) -> tuple[Ints, Ints]:
        """Compute the range of possible starts of places that first touch a given word.

        Args:
            first_word: index of the first touched word of each place.
            boundary: position of the start relative to the word: EDGE, INSIDE or BETWEEN.
            document: document of each place.

        Returns:
            First possible start, and position after the last start, in the concatenated documents.
        """
        is_first = first_word == self.words[document]
        previous_end = np.where(is_first, self.stretch[document], self.end[first_word - 1])
        low = np.choose(
            boundary, (self.start[first_word], self.start[first_word] + 1, previous_end)
        )
        return low, np.choose(
            boundary, (self.start[first_word] + 1, self.end[first_word], self.start[first_word])
        )

    def _compute_end_range(
        self, last_word: Ints, boundary: Ints, document: Ints
    ) -> tuple[Ints, Ints]:
        """Compute the range of ends on the line, from the last touched word.

        Args:
            boundary: position of the end relative to the word: EDGE, INSIDE or BETWEEN.
            last_word: index of the last touched word of each place.
            document: document of each place.
        """
        is_last = last_word == self.words[document + 1] - 1
        end_of_text = self.stretch[document] + self.lengths[document]
        next_start = np.where(is_last, end_of_text, self.start[last_word + 1])
        low = np.choose(
            boundary, (self.end[last_word], self.start[last_word] + 1, self.end[last_word] + 1)
        )
        return low, np.choose(
            boundary, (self.end[last_word] + 1, self.end[last_word], next_start + 1)
        )

    def _list_places_between_words(
        self, document: Ints, touched: Ints, length: Ints
    ) -> tuple[Ints, Ints, Ints]:
        """List the places between words, for all kinds of places that touch no word.

        Args:
            document: document of each kind.
            touched: number of words that a place of each kind touches; only kinds with 0 are used.
            length: length of the places of each kind.

        Returns:
            Index of the kind, start and end of each place.
        """
        rows = np.flatnonzero(touched == 0)
        n_starts = np.maximum(self.lengths[document[rows]] - length[rows] + 1, 0)
        start, row = expand_ranges(np.zeros_like(n_starts), n_starts)
        end = start + length[rows][row]
        _, _, first_word, last_word = self._locate_on_line(document[rows][row], start, end)
        touches_none = last_word < first_word
        return rows[row[touches_none]], start[touches_none], end[touches_none]


def _convert_border_to_words(border: Ints, edge: Ints, is_inside: Bools) -> Ints:
    """Classify borders as at the edge of a word, inside the word, or between words."""
    return np.where(border == edge, EDGE, np.where(is_inside, INSIDE, BETWEEN))
