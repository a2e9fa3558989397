"""Rules that give every place of a document a kind, from its text alone.

A *place* is a (start, end) of a document. A rule never looks at annotations, so two annotators'
segments at one place are of one kind. The kinds of most rules are a length and what the rule says
of the place; those of :class:`WordRule` are a length in words and how the ends stand to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from spanagree.arrays import Bools, Ints, ranges
from spanagree.limits import check_cost

EDGE, INSIDE, BETWEEN = range(3)
"""How a border stands to the words: at an edge of one, inside of one, or between two."""

OFF_SITE, AT_SITE, NO_SITES = 0, 1, 2
"""Whether a place keeps the rule; a rule of values has no sites."""


class PlaceRule(Protocol):
    """What gives every place a kind; documents are numbered, places are arrays."""

    def kinds(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Return the kind of each place, as two columns of numbers."""

    def places(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the places of some kinds in some documents: which of these, start and end."""

    def at_site(self, first: Ints, second: Ints) -> Ints:
        """Return whether the places of each kind keep the rule."""

    def slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Return the slots of the document and how many of them a segment of each kind takes.

        Segments of these kinds stand in consecutive slots, and anywhere: place number x begins in
        slot x. A kind that is not such takes 0.
        """


@dataclass(frozen=True)
class FeatureRule:
    """Kinds are a length and a feature of the place.

    Attributes:
        lengths: of each document.
        feature: of places, from document, start and end.
        with_sites: whether the feature is 1 for sites and 0 for all other places.
        purpose: what the rule is called in errors.
    """

    lengths: Ints
    feature: Callable[[Ints, Ints, Ints], Ints]
    with_sites: bool = True
    purpose: str = "places"

    def kinds(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Return length and feature."""
        return end - start, self.feature(document, start, end)

    def places(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the places of these lengths with these features."""
        room = np.maximum(self.lengths[document] - first + 1, 0)
        check_cost(4 * float(room.sum()), f"{self.purpose}: the places of all kinds of segments")
        start, which = ranges(np.zeros_like(room), room)
        end = start + first[which]
        here = self.feature(document[which], start, end) == second[which]
        return which[here], start[here], end[here]

    def at_site(self, first: Ints, second: Ints) -> Ints:
        """Return the feature, if there are sites."""
        return second if self.with_sites else np.full(len(second), NO_SITES)

    def slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Return no slots: features are here and there."""
        return self.lengths[document], np.zeros_like(first)


@dataclass(frozen=True)
class AnywhereRule(FeatureRule):
    """Kinds are lengths: the uniform rule."""

    def slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Return the tokens: a segment takes its length."""
        return self.lengths[document], first


def anywhere(lengths: Ints) -> AnywhereRule:
    """Return the rule of which a kind is a length."""
    return AnywhereRule(lengths, lambda document, start, end: np.zeros_like(start), False)


def _first(lengths: Ints) -> Ints:
    """Return where documents begin in a row of so many entries each."""
    return np.cumsum(lengths) - lengths


def ends_at(lengths: Ints, values: Ints) -> FeatureRule:
    """Return the rule of the values of the first and the last token; ``values`` in a row."""
    begin, many = _first(lengths), int(values.max(initial=0)) + 1

    def feature(document: Ints, start: Ints, end: Ints) -> Ints:
        at = begin[document]
        return values[at + start] * many + values[at + end - 1]

    return FeatureRule(lengths, feature, False)


def both_ends(lengths: Ints, have: Bools) -> FeatureRule:
    """Return the rule whose sites have a property at both end tokens."""
    begin, number = _first(lengths), have.astype(np.int64)

    def feature(document: Ints, start: Ints, end: Ints) -> Ints:
        at = begin[document]
        return number[at + start] & number[at + end - 1]

    return FeatureRule(lengths, feature)


def all_tokens(lengths: Ints, have: Bools) -> FeatureRule:
    """Return the rule whose sites have a property at all tokens."""
    begin, up_to = _first(lengths), np.append(0, np.cumsum(have))

    def feature(document: Ints, start: Ints, end: Ints) -> Ints:
        at = begin[document]
        return (up_to[at + end] - up_to[at + start] == end - start).astype(np.int64)

    return FeatureRule(lengths, feature)


def at_borders(lengths: Ints, begin: Bools, end: Bools) -> FeatureRule:
    """Return the rule whose sites begin and end at some of the n + 1 borders."""
    row, first, last = _first(lengths + 1), begin.astype(np.int64), end.astype(np.int64)

    def feature(document: Ints, s: Ints, e: Ints) -> Ints:
        return first[row[document] + s] & last[row[document] + e]

    return FeatureRule(lengths, feature)


def given_places(lengths: Ints, document: Ints, start: Ints, end: Ints) -> FeatureRule:
    """Return the rule whose sites are given."""
    wide = int(lengths.max(initial=0)) + 1
    sites = np.unique((document * wide + start) * wide + end)

    def feature(d: Ints, s: Ints, e: Ints) -> Ints:
        return np.isin((d * wide + s) * wide + e, sites).astype(np.int64)

    return FeatureRule(lengths, feature)


@dataclass(frozen=True)
class WordRule:
    """Kinds are how many words a place touches and how its two ends stand to them.

    A place that touches no word has the kind 0 and its length. All words stand on one long line
    of characters, on which each document has a stretch of its own.

    Attributes:
        lengths: of each document, in characters.
        stretch: where each document begins on the line.
        words: the number of each document's first word, and of all words.
        start, end: of each word on the line; behind the last one stands one that is out of reach.
    """

    lengths: Ints
    stretch: Ints
    words: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, lengths: Ints, words: Sequence[Sequence[tuple[int, int]]]) -> WordRule:
        """Return the rule of the words of each document, by start and end, in order."""
        stretch = _first(lengths + 1)
        counts = np.array([len(some) for some in words], np.int64)
        flat = np.array([border for some in words for border in some], np.int64).reshape(-1, 2)
        line = flat + np.repeat(stretch, counts)[:, None]
        beyond = int((lengths + 1).sum()) + 1
        return cls(
            lengths,
            stretch,
            np.append(0, np.cumsum(counts)),
            np.append(line[:, 0], beyond),
            np.append(line[:, 1], beyond + 1),
        )

    def _reach(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """Return both ends on the line, the first word that ends later and the last before."""
        first, behind = self.in_words(document, start, end)
        line = self.stretch[document]
        return line + start, line + end, first, behind - 1

    def in_words(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Return starts and ends in words: the first that is touched, and behind the last.

        Words are numbered over all documents. What touches none is empty, between two words.
        """
        s, e = self.stretch[document] + start, self.stretch[document] + end
        return np.searchsorted(self.end, s, side="right"), np.searchsorted(self.start, e)

    def kinds(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Return how many words are touched, and how the ends stand, or the length."""
        s, e, first, last = self._reach(document, start, end)
        touched = np.maximum(last - first + 1, 0)
        how_s = _stands(s, self.start[first], self.start[first] < s)
        how_e = _stands(e, self.end[last], self.end[last] > e)
        return touched, np.where(touched > 0, 3 * how_s + how_e, end - start)

    def at_site(self, first: Ints, second: Ints) -> Ints:
        """Return whether both ends stand at edges of words."""
        return ((first > 0) & (second == 3 * EDGE + EDGE)).astype(np.int64)

    def slots(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints]:
        """Return the words: a segment with both ends at edges takes those that it touches."""
        words = np.diff(self.words)[document]
        return words, np.where(self.at_site(first, second) == AT_SITE, first, 0)

    def places(self, document: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the places of these kinds."""
        parts = [self._with_words(document, first, second), self._without(document, first, second)]
        which, start, end = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(which, kind="stable")
        return which[order], start[order], end[order]

    def _with_words(self, document: Ints, touched: Ints, boundary: Ints) -> tuple[Ints, Ints, Ints]:
        low = self.words[document]
        high = np.where(touched > 0, self.words[document + 1] - touched + 1, low)
        i, which = ranges(low, np.maximum(high, low))  # each word that may be the first one
        j = i + touched[which] - 1
        d = document[which]
        s_low, s_high = self._starts(i, boundary[which] // 3, d)
        e_low, e_high = self._ends(j, boundary[which] % 3, d)
        many = np.maximum(s_high - s_low, 0) * np.maximum(e_high - e_low, 0)
        check_cost(4 * float(many.sum()), "places words: the places of all kinds of segments")
        s, place = ranges(s_low, np.maximum(s_high, s_low))
        e, at = ranges(e_low[place], np.maximum(e_high, e_low)[place])
        s, place = s[at], place[at]
        fits = s < e
        s, e, place = s[fits], e[fits], place[fits]
        base = self.stretch[d[place]]
        return which[place], s - base, e - base

    def _starts(self, i: Ints, boundary: Ints, document: Ints) -> tuple[Ints, Ints]:
        """Return from where to where a place may start whose first word is i."""
        is_first = i == self.words[document]
        before = np.where(is_first, self.stretch[document], self.end[i - 1])
        low = np.choose(boundary, (self.start[i], self.start[i] + 1, before))
        return low, np.choose(boundary, (self.start[i] + 1, self.end[i], self.start[i]))

    def _ends(self, j: Ints, boundary: Ints, document: Ints) -> tuple[Ints, Ints]:
        """Return from where to where a place may end whose last word is j."""
        is_last = j == self.words[document + 1] - 1
        end_of_text = self.stretch[document] + self.lengths[document]
        after = np.where(is_last, end_of_text, self.start[j + 1])
        low = np.choose(boundary, (self.end[j], self.start[j] + 1, self.end[j] + 1))
        return low, np.choose(boundary, (self.end[j] + 1, self.end[j], after + 1))

    def _without(self, document: Ints, touched: Ints, length: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the places that touch no word."""
        rows = np.flatnonzero(touched == 0)
        room = np.maximum(self.lengths[document[rows]] - length[rows] + 1, 0)
        start, row = ranges(np.zeros_like(room), room)
        end = start + length[rows][row]
        _, _, first, last = self._reach(document[rows][row], start, end)
        free = last < first
        return rows[row[free]], start[free], end[free]


def _stands(border: Ints, edge: Ints, inside: Bools) -> Ints:
    return np.where(border == edge, EDGE, np.where(inside, INSIDE, BETWEEN))
