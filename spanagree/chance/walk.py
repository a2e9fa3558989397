"""Two annotations read from left to right: in how many ways they match by so much.

All arrangements of random segments that exclude each other are equally likely, so a distribution is
a count of arrangements. Both annotations are read at once, over the *borders* at which segments can
start or end. A state is how far either is read, what may still meet, and how many segments of each
kind are placed; a table holds, for each state, the number of ways by match. The annotation that
lags places its next segment or leaves a gap. Where both are read equally far, the first goes on.

A uniform annotation is one in which each start is allowed. A fixed annotation has one place for
each segment, which the segment takes. All terms are positive, so even the smallest probabilities
keep their digits.

Of most measures a segment meets only the one that is read further (:class:`LeadWalk`). Segments
within a tolerance may wait for each other: see :mod:`spanagree.chance.near_matches`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints

OTHER = -1
"""The label of segments that can match nothing."""

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]
"""Similarity of two segments: of the offset of the second from the first, and their lengths."""

BUDGET = 20_000_000
"""Number of numbers that may be computed for one document; a document above it is drawn."""

_ROWS = 64  # borders that tables hold, unless segments are longer
_ROUNDED = 1e-14  # a variance below this share of the mean square is 0 but for rounding


class SegmentKind(NamedTuple):
    """Segments of one annotation that are alike.

    Attributes:
        label: number of the label; :data:`OTHER` if they can match nothing.
        n_segments: number of segments.
        ends: the ends of their places, for each start.
    """

    label: int
    n_segments: int
    ends: Mapping[int, Sequence[int]]


class Annotation(NamedTuple):
    """The segments of one annotation, which exclude each other.

    Attributes:
        kinds: the segments by kind.
        is_fixed: if True, each kind has one segment at one place.
    """

    kinds: Sequence[SegmentKind]
    is_fixed: bool = False


def uniform_ends(tokens: int, length: int) -> dict[int, tuple[int, ...]]:
    """Build the places of segments of one length that may start anywhere.

    >>> uniform_ends(3, 2)
    {0: (2,), 1: (3,)}
    """
    return {start: (start + length,) for start in range(tokens - length + 1)}


def distribution_of(ways: Floats, moments: bool) -> Floats:
    """Compute the distribution from the ways by match, or mean and variance from moments.

    Args:
        ways: number of ways by match, up to a factor; or (1, Σ, Σ²) of the match over all ways.
        moments: if True, ``ways`` are moments.
    """
    return distributions_of(ways[None], moments)[0]


def distributions_of(ways: Floats, moments: bool) -> list[Floats]:
    """Compute the same for each row of ways; of moments without Σ², the mean."""
    if not moments:
        distributions = ways / ways.sum(axis=1, keepdims=True)
        return [p[: np.flatnonzero(p)[-1] + 1] for p in distributions]
    means = ways[:, 1:] / ways[:, :1]
    if means.shape[1] > 1:
        mean, square = means.T
        variance = square - mean**2
        variance[variance <= _ROUNDED * square] = 0
        means[:, 1] = variance
    return list(means)


def add_ways(target: Floats, ways: Floats, gain: float | Ints | Floats, moments: bool) -> None:
    """Add ways to others, with the match of each raised by ``gain``.

    Args:
        target: numbers of ways by match, or moments, to which is added.
        ways: the same of the ways to add.
        gain: increase of the match; of moments also an array of them, one for each table.
        moments: if True, the last axis is (1, Σ) or (1, Σ, Σ²).
    """
    if isinstance(gain, (int, float)) and not gain:
        target += ways
    elif moments:
        target[..., 0] += ways[..., 0]
        target[..., 1] += ways[..., 1] + gain * ways[..., 0]
        if target.shape[-1] > 2:
            target[..., 2] += ways[..., 2] + gain * (2 * ways[..., 1] + gain * ways[..., 0])
    else:
        rise = int(gain)
        target[..., rise:] += ways[..., : ways.shape[-1] - rise]


class Option(NamedTuple):
    """What an annotation can do at a border.

    Attributes:
        axis: the axis of the kind of which a segment is placed; ``None`` for a gap or a fixed
            segment, which no axis counts.
        start: index of the border.
        end: index of the border up to which the annotation is read then.
        label: label of the segment.
        weight: factor of the ways.
    """

    axis: int | None
    start: int
    end: int
    label: int
    weight: float


class Walk(ABC):
    """A walk over the borders of two annotations.

    A table has an axis for each random kind, the number of its segments that are placed, and one of
    ways by match, or of moments.

    Attributes:
        borders: all starts and ends of places, sorted.
        index: position of each border.
        places: for either annotation and each of its kinds, the indices of start and end of each
            place, and its length.
        shape: shape of a table.
        moments: if True, tables hold moments.
    """

    def __init__(
        self,
        first: Annotation,
        second: Annotation,
        width: int,
        *,
        moments: bool,
        more_borders: Collection[int] = (),
    ) -> None:
        """Prepare tables whose last axis has this width."""
        self.moments = moments
        self.annotations = (first, second)
        self.borders = _borders(self.annotations, more_borders)
        self.index = {border: i for i, border in enumerate(self.borders)}
        random = [x for side in self.annotations if not side.is_fixed for x in side.kinds]
        self.shape = (*(kind.n_segments + 1 for kind in random), width)
        index = self.index
        self.places = tuple(
            [
                [(index[s], index[e], e - s) for s, ends in kind.ends.items() for e in ends]
                for kind in annotation.kinds
            ]
            for annotation in self.annotations
        )

    @cached_property
    def options(self) -> tuple[list[list[Option]], ...]:
        """For either annotation and each border but the last, what it can do."""
        axes = iter(range(len(self.shape) - 1))
        return tuple(self._options(side, axes) for side in (0, 1))

    def _options(self, side: int, axes: Iterator[int]) -> list[list[Option]]:
        annotation = self.annotations[side]
        options = [[Option(None, i, i + 1, OTHER, 1.0)] for i in range(len(self.borders) - 1)]
        weight = 1.0 if annotation.is_fixed else weight_of(annotation.kinds)
        for kind, places in zip(annotation.kinds, self.places[side], strict=True):
            axis = None if annotation.is_fixed else next(axes)
            for i, end, _ in places:
                if annotation.is_fixed:
                    options[i].clear()
                options[i].append(Option(axis, i, end, kind.label, weight))
        return options

    @abstractmethod
    def run(self, borders: Collection[int]) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border.

        Args:
            borders: borders for which ways are counted.
        """


def weight_of(kinds: Sequence[SegmentKind]) -> float:
    """Compute a factor for each segment with which the number of ways stays within floats.

    It is a power of 2, so it changes no digit.
    """
    logs = 0.0
    for kind in kinds:
        n_places = max(1, sum(map(len, kind.ends.values())))
        logs += kind.n_segments * math.log(n_places) - math.lgamma(kind.n_segments + 1)
    return 2.0 ** round(-logs / max(1, sum(kind.n_segments for kind in kinds)) / math.log(2))


def _borders(annotations: Sequence[Annotation], more: Collection[int]) -> list[int]:
    kinds = chain.from_iterable(annotation.kinds for annotation in annotations)
    places = (place for kind in kinds for place in kind.ends.items())
    return sorted({border for start, ends in places for border in (start, *ends)}.union(more))


# --- at most one segment can still be met --------------------------------------------------------


class MeetingRule(ABC):
    """What a measure has to know of the segment that is read further, and what two segments add.

    A *tag* is what is known of such a segment; ``None`` if it adds nothing more.

    Attributes:
        takes_both: if True, two segments that match are taken, and neither can match again.
    """

    takes_both = False

    def tag_of(self, length: int, label: int, *, is_level: bool) -> Hashable:
        """Return the tag of a segment when it is placed.

        Args:
            length: its length.
            label: its label.
            is_level: whether the other annotation is read up to its start only.
        """
        return None if label == OTHER else label

    def later(self, tag: Hashable) -> Hashable:
        """Return the tag of a segment when the other annotation is read beyond its start."""
        return tag

    @abstractmethod
    def gains(
        self, side: int, tag: Hashable, left: Ints, length: int, label: int
    ) -> Ints | Floats | None:
        """Compute the gain of placing a segment where another one reaches further.

        Args:
            side: annotation of the segment that reaches further, 0 or 1.
            tag: its tag.
            left: numbers of its tokens that are not read yet.
            length: length of the segment that is placed.
            label: its label.

        Returns:
            The gain for each of ``left``; ``None`` if all are 0.
        """


class EqualRule(MeetingRule):
    """A match is a segment with the same start, end and label."""

    def tag_of(self, length: int, label: int, *, is_level: bool) -> Hashable:
        return None if label == OTHER or not is_level else label

    def later(self, tag: Hashable) -> Hashable:
        return None

    def gains(self, side: int, tag: Hashable, left: Ints, length: int, label: int) -> Ints | None:
        return (left == length).astype(np.int64) if tag == label else None


class CoverRule(MeetingRule):
    """The match is the number of shared tokens of the same label."""

    def gains(self, side: int, tag: Hashable, left: Ints, length: int, label: int) -> Ints | None:
        return np.minimum(left, length) if tag == label else None


class OverlapRule(MeetingRule):
    """A match is a pair of segments of one label that share a token, each in one pair at most."""

    takes_both = True

    def gains(self, side: int, tag: Hashable, left: Ints, length: int, label: int) -> Ints | None:
        return np.ones_like(left) if tag == label else None


class OffsetRule(MeetingRule):
    """The match is a sum of φ(offset, length, length) over pairs of one label.

    With ``takes_both`` each segment is in one pair at most, with the first that has φ > 0.
    """

    def __init__(self, phi: Phi, *, takes_both: bool) -> None:
        self.phi, self.takes_both = phi, takes_both

    def tag_of(self, length: int, label: int, *, is_level: bool) -> Hashable:
        return None if label == OTHER else (length, label)

    def gains(
        self, side: int, tag: Hashable, left: Ints, length: int, label: int
    ) -> Ints | Floats | None:
        if not isinstance(tag, tuple) or tag[1] != label:
            return None
        longer, placed = np.full_like(left, tag[0]), np.full_like(left, length)
        offset = longer - left
        gains = self.phi(*((offset, longer, placed) if side == 0 else (-offset, placed, longer)))
        return gains if gains.any() else None


Lead: TypeAlias = "tuple[int, Hashable] | None"
"""Annotation that is read further, and the tag of its segment; ``None`` if neither is."""


class _Addition(NamedTuple):
    """What an option adds to later states, for states of one lead that differ evenly.

    Attributes:
        then: the lead of the states that are reached.
        onto: position of the first of these in the table of that lead, from the present row.
        by: distance of their positions.
        rows: number of rows up to the last one that is reached.
        taken: the states that are left, by how far they are read further, of which each has a
            segment to place.
        given: part of each state that is reached, in which it is placed.
        weight: factor of the ways.
        gain: increase of the match; ``None`` if there is none.
    """

    then: Lead
    onto: int
    by: int
    rows: int
    taken: tuple[slice, ...]
    given: tuple[slice, ...]
    weight: float
    gain: float | Ints | Floats | None


class LeadWalk(Walk):
    """The walk for measures that know one segment at most: the one that is read further.

    The states of a lead are a table: the border up to which both annotations are read, and the
    number of borders by which the lead is read further. A table holds so many rows, and as many as
    an option reaches; then it moves on.
    """

    def __init__(
        self,
        first: Annotation,
        second: Annotation,
        rule: MeetingRule,
        width: int,
        *,
        moments: bool,
        more_borders: Collection[int] = (),
    ) -> None:
        super().__init__(first, second, width, moments=moments, more_borders=more_borders)
        self.rule = rule
        self._is_regular = self._has_every_start()
        self._known: dict[tuple[Lead, Any], list[_Addition]] = {}
        self._reach = self._reaches()
        n_axes = len(self.shape) - 1
        every = (slice(None),) * n_axes
        # states that can place one more of a kind, and states in which it is placed
        self._parts: dict[int | None, tuple[tuple[slice, ...], ...]] = {None: (every, every)}
        for axis in range(n_axes):
            before, after = every[:axis], every[axis + 1 :]
            parts = slice(None, -1), slice(1, None)
            self._parts[axis] = tuple((*before, part, *after) for part in parts)

    def _has_every_start(self) -> bool:
        """Return whether all borders have the same options, but for those that do not fit."""
        last = len(self.borders) - 1
        return self.borders[last] - self.borders[0] == last and all(
            bool(places)
            and len(places) == last + 1 - places[0][2]
            and len({length for *_, length in places}) == 1
            for places in chain(*self.places)
        )

    def _reaches(self) -> dict[Lead, int]:
        """Compute the number of borders by which each lead may be read further."""
        reach: dict[Lead, int] = {None: 0, (0, None): 1, (1, None): 1}
        for side, annotation in enumerate(self.annotations):
            for kind, places in zip(annotation.kinds, self.places[side], strict=True):
                longest: dict[int, int] = {}  # borders, by length
                for i, end, length in places:
                    longest[length] = max(longest.get(length, 0), end - i)
                for length, steps in longest.items():
                    tags = {self.rule.tag_of(length, kind.label, is_level=x) for x in (True, False)}
                    for tag in (*tags, *map(self.rule.later, tags), None):
                        reach[side, tag] = max(reach.get((side, tag), 0), steps)
        return reach

    def steps(self) -> float:
        """Estimate the number of steps of the walk, each of which computes a table."""
        n_borders = len(self.borders)
        n_options = np.zeros(n_borders)
        begin: list[int] = []
        last: list[int] = []
        for annotation, of_kinds in zip(self.annotations, self.places, strict=True):
            earliest: dict[tuple[Hashable, int], int] = {}  # start, by tag and end
            for kind, places in zip(annotation.kinds, of_kinds, strict=True):
                n_options += np.bincount([i for i, _, _ in places], minlength=n_borders)
                tags = {
                    length: self.rule.tag_of(length, kind.label, is_level=False)
                    for length in {length for *_, length in places}
                }
                for i, end, length in places:
                    key = tags[length], end
                    if earliest.get(key, i) >= i:
                        earliest[key] = i
            begin += earliest.values()
            last += [end for _, end in earliest]
        begun, ended = (np.bincount(x, minlength=n_borders) for x in (begin, last))
        n_ahead = np.cumsum(np.append(0, begun[:-1]) - ended)  # between start and end
        ahead = 1 + (1 + self.rule.takes_both) * n_ahead
        return float((ahead * np.maximum(n_options, 1)).sum())

    def run(self, borders: Collection[int]) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border."""
        wanted = {self.index[border] for border in borders}
        farthest = max(self._reach.values())
        kept = max(farthest, min(len(self.borders), _ROWS))
        tables = {
            lead: np.zeros((kept + farthest, reach + 1, *self.shape))
            for lead, reach in self._reach.items()
        }
        flat = {lead: table.reshape(-1, *self.shape) for lead, table in tables.items()}
        active: dict[Lead, int] = {None: 0}
        tables[None].flat[0] = 1
        everything_placed = tuple(-1 for _ in self.shape[:-1])
        ends: dict[int, Floats] = {}
        row = 0
        for i in range(max(wanted, default=-1) + 1):
            if row == kept:
                for table in tables.values():
                    table[:farthest], table[farthest:] = table[row:].copy(), 0
                row = 0
            if i in wanted:
                ends[self.borders[i]] = tables[None][(row, 0, *everything_placed)].copy()
            if i == len(self.borders) - 1:
                break
            if active[None] >= i:
                self._go_on(None, i, row, tables, flat, active)
            for lead in [x for x, last in active.items() if last >= i and x is not None]:
                self._go_on(lead, i, row, tables, flat, active)
            row += 1
        return ends

    def _go_on(
        self,
        lead: Lead,
        i: int,
        row: int,
        tables: Mapping[Lead, Floats],
        flat: Mapping[Lead, Floats],
        active: dict[Lead, int],
    ) -> None:
        """Add what follows from the states of one lead at a border, index ``i``."""
        states = tables[lead][row]
        if self._is_regular:
            additions = self._known_additions(lead, i)
        else:
            (occurring,) = states.reshape(len(states), -1).any(axis=1).nonzero()
            if not len(occurring):
                return
            reach = int(occurring[0]), int(occurring[-1]) + 1
            options = self.options[0 if lead is None else 1 - lead[0]][i]
            additions = [x for option in options for x in self._additions(lead, option, *reach)]
        for addition in additions:
            part = states[addition.taken]
            if addition.weight != 1:
                part = part * addition.weight
            then = addition.then
            first = row * tables[then].shape[1] + addition.onto
            places = slice(first, first + addition.by * (len(part) - 1) + 1, addition.by)
            target = flat[then][(places, *addition.given)]
            if addition.gain is None:
                target += part
            else:
                add_ways(target, part, addition.gain, self.moments)
            if active.get(then, -1) < i + addition.rows:
                active[then] = i + addition.rows

    def _known_additions(self, lead: Lead, i: int) -> list[_Addition]:
        """List what the options at a border add, as at any other border with these options."""
        options = self.options[0 if lead is None else 1 - lead[0]][i]
        key = lead, tuple((option.axis, option.end - i, option.label) for option in options)
        if key not in self._known:
            least, most = int(lead is not None), self._reach[lead] + 1
            of_each = (self._additions(lead, option, least, most) for option in options)
            self._known[key] = [*chain.from_iterable(of_each)]
        return self._known[key]

    def _additions(self, lead: Lead, option: Option, least: int, most: int) -> Iterator[_Addition]:
        """Yield what an option adds where a lead is read ``least`` borders further or more.

        Args:
            lead: the lead.
            option: what the other annotation does; without a lead, the first one.
            least: least number of borders by which the lead is read further.
            most: number above the greatest one.
        """
        axis, start, end, label, weight = option
        steps, begin = end - start, self.borders[start]
        length = self.borders[end] - begin
        taken, given = self._parts[axis]
        rule = self.rule
        if lead is None:
            then = 0, rule.tag_of(length, label, is_level=True)
            yield _Addition(then, steps, 1, 0, (slice(0, 1), *taken), given, weight, None)
            return
        side, tag = lead
        most = min(most, len(self.borders) - start)
        gains = None
        if tag is not None and label != OTHER:
            left = np.array(self.borders[start + least : start + most], np.int64) - begin
            gains = rule.gains(side, tag, left, length, label)
        for low, high in ((least, steps), (steps, steps + 1), (steps + 1, most)):
            low, high = max(low, least), min(high, most)
            if low >= high:
                continue
            here = None if gains is None else gains[low - least : high - least]
            for first, last, gain in self._even(here, low, high):
                if not self.moments and gain is not None and gain >= self.shape[-1]:
                    continue  # of states that do not occur: no match is so great
                is_taken = rule.takes_both and gain is not None
                placed = (slice(first, last), *taken), given, weight, gain
                if first < steps:
                    own_tag = None if is_taken else rule.tag_of(length, label, is_level=False)
                    then = 1 - side, own_tag
                    w = self._reach[then] + 1
                    onto, by = first * w + steps - first, w - 1
                    yield _Addition(then, onto, by, last - 1, *placed)
                elif first == steps:
                    yield _Addition(None, steps, 1, steps, *placed)
                else:
                    then = side, None if is_taken else rule.later(tag)
                    onto = steps * (self._reach[then] + 1) + first - steps
                    yield _Addition(then, onto, 1, steps, *placed)

    def _even(
        self, gains: Ints | Floats | None, low: int, high: int
    ) -> Iterator[tuple[int, int, float | Ints | Floats | None]]:
        """Yield reaches from ``low`` to ``high`` that are treated together, and their gain."""
        if gains is None or not gains.any():
            yield low, high, None
            return
        if high - low == 1:
            yield low, high, gains[0].item()
            return
        if self.moments and not self.rule.takes_both:
            yield low, high, gains.reshape(-1, *(1 for _ in self.shape[:-1]))
            return
        cuts = [0, *(np.flatnonzero(np.diff(gains)) + 1).tolist(), len(gains)]
        for first, last in pairwise(cuts):
            yield low + first, low + last, gains[first].item() or None
