"""The distribution of the match of two annotations, by counting arrangements from left to right.

All arrangements of random segments that exclude each other are equally likely, so

    P(match = m) = number of pairs of arrangements with match m / number of all pairs.

Both annotations are read together, over the *borders* at which segments can start or end. A state
consists of the border up to which each annotation is read, the segments that may still match later
segments, and the number of placed segments of each *kind*, with equal label and places. A table
contains, for each state, the number of *ways*, pairs of arrangements up to there, by match; or only
their *moments*, the sums over all ways of 1, of the match, and of its square. In each step, the
annotation that is behind takes one of its *options*: it places its next segment, or leaves a gap up
to the next border. If both are read equally far, the first annotation goes on. The annotation that
is read further has the *lead*; its last segment ends ahead of the other annotation.

A uniform annotation allows every start. A fixed annotation has one place for each segment. All
terms are positive, so even the smallest probabilities keep their digits.

For most measures a segment can match only the segment that is read further (:class:`LeadWalk`).
Segments within a tolerance may wait for each other; see :mod:`spanagree.chance.near_matches`.
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
"""Label of segments that cannot match."""

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]
"""Function φ from the offset of the second segment, and both lengths, to the similarity."""

BUDGET = 20_000_000
"""Largest number of table cells for one document; documents above it are sampled."""

_ROWS = 64  # number of borders in a table, unless segments are longer
_ROUNDED = 1e-14  # variance, relative to the mean square, that counts as 0


class SegmentKind(NamedTuple):
    """Segments of one annotation with the same label and places.

    Attributes:
        label: index of the label; :data:`OTHER` if the segments cannot match.
        n_segments: number of segments.
        ends: ends of the allowed places, for each start.
    """

    label: int
    n_segments: int
    ends: Mapping[int, Sequence[int]]


class SegmentSequence(NamedTuple):
    """Segments of one annotation, which exclude each other.

    Attributes:
        kinds: segments by kind.
        is_fixed: True if each kind has one segment at one place.
    """

    kinds: Sequence[SegmentKind]
    is_fixed: bool = False


def build_uniform_ends(tokens: int, length: int) -> dict[int, tuple[int, ...]]:
    """Build the places of segments of one length that may start anywhere.

    >>> build_uniform_ends(3, 2)
    {0: (2,), 1: (3,)}
    """
    return {start: (start + length,) for start in range(tokens - length + 1)}


def compute_distribution_of_ways(n_ways: Floats, moments: bool) -> Floats:
    """Compute the distribution from the ways by match, or mean and variance from moments.

    Args:
        n_ways: number of ways by match, up to a factor; or (1, Σ, Σ²) of the match over all ways.
        moments: True if ``n_ways`` are moments.
    """
    return compute_distributions_of_ways(n_ways[None], moments)[0]


def compute_distributions_of_ways(n_ways: Floats, moments: bool) -> list[Floats]:
    """Compute the distribution of the match of each row of ways, or mean and variance from moments.

    Moments without Σ² give only the mean.

    Args:
        n_ways: number of ways by match, or moments of the match; (rows, matches or moments).
        moments: True if ``n_ways`` are moments.
    """
    if not moments:
        distributions = n_ways / n_ways.sum(axis=1, keepdims=True)
        return [p[: np.flatnonzero(p)[-1] + 1] for p in distributions]
    moment_rows = n_ways[:, 1:] / n_ways[:, :1]
    if moment_rows.shape[1] > 1:
        mean, mean_square = moment_rows.T
        variance = mean_square - mean**2
        variance[variance <= _ROUNDED * mean_square] = 0
        moment_rows[:, 1] = variance
    return list(moment_rows)


def add_ways(
    target: Floats, added_ways: Floats, gain: float | Ints | Floats, moments: bool
) -> None:
    """Add ways to a table, with the match of each way increased by ``gain``.

    Args:
        target: table of ways by match, or of moments; changed in place.
        added_ways: table of ways to add.
        gain: increase of the match; for moments also an array with one value for each table.
        moments: True if the last axis is (1, Σ) or (1, Σ, Σ²).
    """
    if isinstance(gain, (int, float)) and not gain:
        target += added_ways
    elif moments:
        target[..., 0] += added_ways[..., 0]
        target[..., 1] += added_ways[..., 1] + gain * added_ways[..., 0]
        if target.shape[-1] > 2:
            target[..., 2] += added_ways[..., 2] + gain * (
                2 * added_ways[..., 1] + gain * added_ways[..., 0]
            )
    else:
        rise = int(gain)
        target[..., rise:] += added_ways[..., : added_ways.shape[-1] - rise]


class WalkOption(NamedTuple):
    """Option of an annotation at a border: to place a segment, or to leave a gap.

    Attributes:
        axis: axis of the kind of the placed segment; ``None`` for a gap or a fixed segment, which
            no axis counts.
        start: index of the border.
        end: index of the border up to which the annotation is read after the step.
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

    A table has an axis for each random kind, over the number of its placed segments, and a last
    axis over matches, or moments.

    Attributes:
        borders: starts and ends of all places, sorted.
        index: index of each border.
        places: start index, end index and length of each place, in a list for each annotation and
            each of its kinds.
        shape: shape of a table.
        moments: True if tables contain moments.
    """

    def __init__(
        self,
        first: SegmentSequence,
        second: SegmentSequence,
        width: int,
        *,
        moments: bool,
        more_borders: Collection[int] = (),
    ) -> None:
        """Prepare the borders, the places, and the shape of tables.

        Args:
            first: first annotation.
            second: second annotation.
            width: length of the last axis of tables.
            moments: True if tables contain moments.
            more_borders: borders in addition to the borders of places.
        """
        self.moments = moments
        self.annotations = (first, second)
        self.borders = _collect_borders(self.annotations, more_borders)
        self.index = {border: i for i, border in enumerate(self.borders)}
        random_kinds = [
            kind
            for annotation in self.annotations
            if not annotation.is_fixed
            for kind in annotation.kinds
        ]
        self.shape = (*(segment_kind.n_segments + 1 for segment_kind in random_kinds), width)
        index = self.index
        self.places = tuple(
            [
                [(index[s], index[e], e - s) for s, ends in segment_kind.ends.items() for e in ends]
                for segment_kind in annotation.kinds
            ]
            for annotation in self.annotations
        )

    @cached_property
    def options(self) -> tuple[list[list[WalkOption]], ...]:
        """Options of each annotation at each border except the last."""
        axes = iter(range(len(self.shape) - 1))
        return tuple(self._list_options(annotation_index, axes) for annotation_index in (0, 1))

    def _list_options(self, annotation_index: int, axes: Iterator[int]) -> list[list[WalkOption]]:
        """List the options of one annotation at each border except the last.

        Args:
            annotation_index: 0 for the first annotation, 1 for the second.
            axes: axes of the tables for its random kinds.
        """
        annotation = self.annotations[annotation_index]
        options = [[WalkOption(None, i, i + 1, OTHER, 1.0)] for i in range(len(self.borders) - 1)]
        weight = 1.0 if annotation.is_fixed else compute_scaling_weight(annotation.kinds)
        for segment_kind, kind_places in zip(
            annotation.kinds, self.places[annotation_index], strict=True
        ):
            axis = None if annotation.is_fixed else next(axes)
            for i, end, _ in kind_places:
                if annotation.is_fixed:
                    options[i].clear()
                options[i].append(WalkOption(axis, i, end, segment_kind.label, weight))
        return options

    @abstractmethod
    def run(self, borders: Collection[int]) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border.

        Args:
            borders: borders for which ways are counted.

        Returns:
            Number of ways by match, or moments, for each of these borders.
        """


def compute_scaling_weight(segment_kinds: Sequence[SegmentKind]) -> float:
    """Compute a factor for each placed segment that keeps the number of ways within floats.

    It is a power of 2, so it changes no digit.
    """
    log_n_ways = 0.0
    for segment_kind in segment_kinds:
        n_places = max(1, sum(map(len, segment_kind.ends.values())))
        log_n_ways += segment_kind.n_segments * math.log(n_places) - math.lgamma(
            segment_kind.n_segments + 1
        )
    return 2.0 ** round(
        -log_n_ways
        / max(1, sum(segment_kind.n_segments for segment_kind in segment_kinds))
        / math.log(2)
    )


def _collect_borders(
    annotations: Sequence[SegmentSequence], more_borders: Collection[int]
) -> list[int]:
    """Collect the starts and ends of all places, and the additional borders, sorted."""
    segment_kinds = chain.from_iterable(annotation.kinds for annotation in annotations)
    starts_and_ends = (
        start_and_ends
        for segment_kind in segment_kinds
        for start_and_ends in segment_kind.ends.items()
    )
    return sorted(
        {border for start, ends in starts_and_ends for border in (start, *ends)}.union(more_borders)
    )


# --- measures with at most one segment that can still be met --------------------------------------


class MeetingRule(ABC):
    """Rule of a measure for two segments that overlap.

    A *tag* contains the properties of the segment that is read further on which its matches depend;
    ``None`` if it cannot add to the match.

    Attributes:
        takes_both: True if two segments that match cannot match again.
    """

    takes_both = False

    def compute_tag(self, length: int, label: int, *, is_level: bool) -> Hashable:
        """Compute the tag of a segment when the walk places it.

        Args:
            length: length of the segment.
            label: label of the segment.
            is_level: True if the other annotation is read exactly up to the start of the segment.
        """
        return None if label == OTHER else label

    def update_tag(self, tag: Hashable) -> Hashable:
        """Compute the new tag of a segment after the other annotation was read beyond its start."""
        return tag

    @abstractmethod
    def compute_gains(
        self, longer_index: int, tag: Hashable, n_unread: Ints, length: int, label: int
    ) -> Ints | Floats | None:
        """Compute the gain of the match from a placed segment while the other annotation is ahead.

        Args:
            longer_index: annotation of the segment that is read further, 0 or 1.
            tag: tag of the segment that is read further.
            n_unread: possible numbers of tokens of that segment that the other annotation has not
                read yet.
            length: length of the placed segment.
            label: label of the placed segment.

        Returns:
            Gain for each of ``n_unread``; ``None`` if all are 0.
        """


class EqualRule(MeetingRule):
    """A match is a segment with the same start, end and label."""

    def compute_tag(self, length: int, label: int, *, is_level: bool) -> Hashable:
        """Return the label if the other annotation is read up to the start, otherwise ``None``."""
        return None if label == OTHER or not is_level else label

    def update_tag(self, tag: Hashable) -> Hashable:
        """Return ``None``: segments with different starts are not equal."""
        return None

    def compute_gains(
        self, longer_index: int, tag: Hashable, n_unread: Ints, length: int, label: int
    ) -> Ints | None:
        """Compute 1 for equal ends of segments with the same label."""
        return (n_unread == length).astype(np.int64) if tag == label else None


class CoverRule(MeetingRule):
    """The match is the number of tokens in segments of the same label of both annotations."""

    def compute_gains(
        self, longer_index: int, tag: Hashable, n_unread: Ints, length: int, label: int
    ) -> Ints | None:
        """Compute the number of shared tokens of segments with the same label."""
        return np.minimum(n_unread, length) if tag == label else None


class OverlapRule(MeetingRule):
    """A match is a pair of segments of one label that share a token, each in one pair at most."""

    takes_both = True

    def compute_gains(
        self, longer_index: int, tag: Hashable, n_unread: Ints, length: int, label: int
    ) -> Ints | None:
        """Compute 1 for segments with the same label, which share a token when they meet."""
        return np.ones_like(n_unread) if tag == label else None


class OffsetRule(MeetingRule):
    """The match is a sum of φ(offset, length, length) over pairs of one label.

    With ``takes_both`` each segment is in one pair at most, with the first that has φ > 0.
    """

    def __init__(self, phi: Phi, *, takes_both: bool) -> None:
        self.phi, self.takes_both = phi, takes_both

    def compute_tag(self, length: int, label: int, *, is_level: bool) -> Hashable:
        """Return length and label of a segment that can match, otherwise ``None``."""
        return None if label == OTHER else (length, label)

    def compute_gains(
        self, longer_index: int, tag: Hashable, n_unread: Ints, length: int, label: int
    ) -> Ints | Floats | None:
        """Compute φ of segments with the same label from their offset and lengths."""
        if not isinstance(tag, tuple) or tag[1] != label:
            return None
        longer_lengths, placed_lengths = (
            np.full_like(n_unread, tag[0]),
            np.full_like(n_unread, length),
        )
        offset = longer_lengths - n_unread
        gains = self.phi(
            *(
                (offset, longer_lengths, placed_lengths)
                if longer_index == 0
                else (-offset, placed_lengths, longer_lengths)
            )
        )
        return gains if gains.any() else None


Lead: TypeAlias = "tuple[int, Hashable] | None"
"""Annotation that is read further, and the tag of its segment; ``None`` if neither is."""


class _Transfer(NamedTuple):
    """Transfer of ways by an option, from states of one lead to evenly spaced later states.

    The earlier states are consecutive in a row of the table of the lead: they differ only in the
    number of borders by which the lead is ahead. The later states are at regular distances in the
    table of the next lead.

    Attributes:
        next_lead: lead of the later states.
        first_target: position of the first later state in the table of that lead, from the
            present row.
        target_step: distance of the positions of later states.
        n_rows: number of rows up to the last later state.
        source_slices: slices of the earlier states, by the number of borders read further, with
            a segment left to place.
        target_slices: slices of each later state, in which the segment is placed.
        weight: factor of the ways.
        gain: increase of the match; ``None`` for 0.
    """

    next_lead: Lead
    first_target: int
    target_step: int
    n_rows: int
    source_slices: tuple[slice, ...]
    target_slices: tuple[slice, ...]
    weight: float
    gain: float | Ints | Floats | None


class LeadWalk(Walk):
    """The walk for measures in which a segment can match only the segment that is read further.

    The table of a lead has a row for each border up to which both annotations are read, and a
    column for each number of borders by which the lead is ahead. It contains a fixed number of
    rows, and as many more as an option can reach; then these are moved to its beginning.
    """

    def __init__(
        self,
        first: SegmentSequence,
        second: SegmentSequence,
        rule: MeetingRule,
        width: int,
        *,
        moments: bool,
        more_borders: Collection[int] = (),
    ) -> None:
        """Prepare the walk, and the slices of tables that a placed segment leads from and to.

        Args:
            first: first annotation.
            second: second annotation.
            rule: rule of the measure.
            width: length of the last axis of tables.
            moments: True if tables contain moments.
            more_borders: borders in addition to the borders of places.
        """
        super().__init__(first, second, width, moments=moments, more_borders=more_borders)
        self.rule = rule
        self._is_regular = self._has_every_start()
        self._transfers_by_options: dict[tuple[Lead, Any], list[_Transfer]] = {}
        self._reach = self._compute_largest_reaches()
        n_axes = len(self.shape) - 1
        all_slices = (slice(None),) * n_axes
        # slices of states with a segment of the kind left to place, and of states after placing it
        self._parts: dict[int | None, tuple[tuple[slice, ...], ...]] = {
            None: (all_slices, all_slices)
        }
        for axis in range(n_axes):
            leading, trailing = all_slices[:axis], all_slices[axis + 1 :]
            count_slices = slice(None, -1), slice(1, None)
            self._parts[axis] = tuple(
                (*leading, count_slice, *trailing) for count_slice in count_slices
            )

    def _has_every_start(self) -> bool:
        """Check whether the options are the same at every border, except near the last border."""
        last_border = len(self.borders) - 1
        return self.borders[last_border] - self.borders[0] == last_border and all(
            bool(kind_places)
            and len(kind_places) == last_border + 1 - kind_places[0][2]
            and len({length for *_, length in kind_places}) == 1
            for kind_places in chain(*self.places)
        )

    def _compute_largest_reaches(self) -> dict[Lead, int]:
        """Compute the largest number of borders by which each lead can be ahead."""
        reach: dict[Lead, int] = {None: 0, (0, None): 1, (1, None): 1}
        for annotation_index, annotation in enumerate(self.annotations):
            for segment_kind, kind_places in zip(
                annotation.kinds, self.places[annotation_index], strict=True
            ):
                most_borders: dict[int, int] = {}  # number of borders by length
                for i, end, length in kind_places:
                    most_borders[length] = max(most_borders.get(length, 0), end - i)
                for length, n_borders in most_borders.items():
                    tags = {
                        self.rule.compute_tag(length, segment_kind.label, is_level=is_level)
                        for is_level in (True, False)
                    }
                    for tag in (*tags, *map(self.rule.update_tag, tags), None):
                        reach[annotation_index, tag] = max(
                            reach.get((annotation_index, tag), 0), n_borders
                        )
        return reach

    def estimate_steps(self) -> float:
        """Estimate the number of steps of the walk; a step adds one table to another."""
        n_borders = len(self.borders)
        n_options = np.zeros(n_borders)
        begin_borders: list[int] = []
        end_borders: list[int] = []
        for annotation, annotation_places in zip(self.annotations, self.places, strict=True):
            earliest_start: dict[tuple[Hashable, int], int] = {}  # first start by tag and end
            for segment_kind, kind_places in zip(annotation.kinds, annotation_places, strict=True):
                n_options += np.bincount([i for i, _, _ in kind_places], minlength=n_borders)
                tags = {
                    length: self.rule.compute_tag(length, segment_kind.label, is_level=False)
                    for length in {length for *_, length in kind_places}
                }
                for i, end, length in kind_places:
                    key = tags[length], end
                    if earliest_start.get(key, i) >= i:
                        earliest_start[key] = i
            begin_borders += earliest_start.values()
            end_borders += [end for _, end in earliest_start]
        n_begun, n_ended = (
            np.bincount(counted_borders, minlength=n_borders)
            for counted_borders in (begin_borders, end_borders)
        )
        n_leads = np.cumsum(np.append(0, n_begun[:-1]) - n_ended)  # between start and end
        n_states = 1 + (1 + self.rule.takes_both) * n_leads
        return float((n_states * np.maximum(n_options, 1)).sum())

    def run(self, borders: Collection[int]) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border."""
        border_indices = {self.index[border] for border in borders}
        max_reach = max(self._reach.values())
        n_rows = max(max_reach, min(len(self.borders), _ROWS))
        tables = {
            lead: np.zeros((n_rows + max_reach, reach + 1, *self.shape))
            for lead, reach in self._reach.items()
        }
        flat_tables = {lead: table.reshape(-1, *self.shape) for lead, table in tables.items()}
        last_border_by_lead: dict[Lead, int] = {None: 0}
        tables[None].flat[0] = 1
        all_placed = tuple(-1 for _ in self.shape[:-1])
        ways_by_border: dict[int, Floats] = {}
        row = 0
        for i in range(max(border_indices, default=-1) + 1):
            if row == n_rows:
                for table in tables.values():
                    table[:max_reach], table[max_reach:] = table[row:].copy(), 0
                row = 0
            if i in border_indices:
                ways_by_border[self.borders[i]] = tables[None][(row, 0, *all_placed)].copy()
            if i == len(self.borders) - 1:
                break
            if last_border_by_lead[None] >= i:
                self._apply_options(None, i, row, tables, flat_tables, last_border_by_lead)
            for lead in [
                lead_to_apply
                for lead_to_apply, last_border in last_border_by_lead.items()
                if last_border >= i and lead_to_apply is not None
            ]:
                self._apply_options(lead, i, row, tables, flat_tables, last_border_by_lead)
            row += 1
        return ways_by_border

    def _apply_options(
        self,
        lead: Lead,
        i: int,
        row: int,
        tables: Mapping[Lead, Floats],
        flat_tables: Mapping[Lead, Floats],
        last_border_by_lead: dict[Lead, int],
    ) -> None:
        """Apply all options to the states of one lead at the border with index ``i``.

        Args:
            lead: annotation that is read further, and its tag.
            i: index of the border up to which both annotations are read.
            row: row of this border in the tables.
            tables: table of each lead, (rows, borders ahead, shape of a table).
            flat_tables: these tables, with rows and columns as one axis.
            last_border_by_lead: last border at which each lead has states; updated.
        """
        states = tables[lead][row]
        if self._is_regular:
            transfers = self._list_transfers(lead, i)
        else:
            (occurring_columns,) = states.reshape(len(states), -1).any(axis=1).nonzero()
            if not len(occurring_columns):
                return
            column_range = int(occurring_columns[0]), int(occurring_columns[-1]) + 1
            options = self.options[0 if lead is None else 1 - lead[0]][i]
            transfers = [
                transfer_of_option
                for option in options
                for transfer_of_option in self._yield_transfers(lead, option, *column_range)
            ]
        for transfer in transfers:
            source = states[transfer.source_slices]
            if transfer.weight != 1:
                source = source * transfer.weight
            next_lead = transfer.next_lead
            first_row = row * tables[next_lead].shape[1] + transfer.first_target
            target_rows = slice(
                first_row,
                first_row + transfer.target_step * (len(source) - 1) + 1,
                transfer.target_step,
            )
            target = flat_tables[next_lead][(target_rows, *transfer.target_slices)]
            if transfer.gain is None:
                target += source
            else:
                add_ways(target, source, transfer.gain, self.moments)
            if last_border_by_lead.get(next_lead, -1) < i + transfer.n_rows:
                last_border_by_lead[next_lead] = i + transfer.n_rows

    def _list_transfers(self, lead: Lead, i: int) -> list[_Transfer]:
        """List the transfers of the options at a border; equal options are computed once.

        Args:
            lead: annotation that is read further, and its tag.
            i: index of the border up to which both annotations are read.
        """
        options = self.options[0 if lead is None else 1 - lead[0]][i]
        key = lead, tuple((option.axis, option.end - i, option.label) for option in options)
        if key not in self._transfers_by_options:
            min_ahead, ahead_stop = int(lead is not None), self._reach[lead] + 1
            transfers_of_options = (
                self._yield_transfers(lead, option, min_ahead, ahead_stop) for option in options
            )
            self._transfers_by_options[key] = [*chain.from_iterable(transfers_of_options)]
        return self._transfers_by_options[key]

    def _yield_transfers(
        self, lead: Lead, option: WalkOption, min_ahead: int, ahead_stop: int
    ) -> Iterator[_Transfer]:
        """Yield the transfers of an option, for a range of borders by which the lead is ahead.

        Args:
            lead: annotation that is read further, and its tag.
            option: option of the other annotation; without a lead, of the first annotation.
            min_ahead: smallest number of borders by which the lead is ahead.
            ahead_stop: largest number of borders by which the lead is ahead, plus 1.
        """
        axis, start, end, label, weight = option
        n_borders_of_option, start_position = end - start, self.borders[start]
        length = self.borders[end] - start_position
        source_slices, target_slices = self._parts[axis]
        rule = self.rule
        if lead is None:
            next_lead = 0, rule.compute_tag(length, label, is_level=True)
            yield _Transfer(
                next_lead,
                n_borders_of_option,
                1,
                0,
                (slice(0, 1), *source_slices),
                target_slices,
                weight,
                None,
            )
            return
        lead_index, tag = lead
        ahead_stop = min(ahead_stop, len(self.borders) - start)
        gains = None
        if tag is not None and label != OTHER:
            n_unread = (
                np.array(self.borders[start + min_ahead : start + ahead_stop], np.int64)
                - start_position
            )
            gains = rule.compute_gains(lead_index, tag, n_unread, length, label)
        for low, high in (
            (min_ahead, n_borders_of_option),
            (n_borders_of_option, n_borders_of_option + 1),
            (n_borders_of_option + 1, ahead_stop),
        ):
            low, high = max(low, min_ahead), min(high, ahead_stop)
            if low >= high:
                continue
            range_gains = None if gains is None else gains[low - min_ahead : high - min_ahead]
            for range_start, range_stop, gain in self._split_by_gain(range_gains, low, high):
                if not self.moments and gain is not None and gain >= self.shape[-1]:
                    continue  # such states do not occur, as no match is so large
                is_paired = rule.takes_both and gain is not None
                transfer_fields = (
                    (slice(range_start, range_stop), *source_slices),
                    target_slices,
                    weight,
                    gain,
                )
                if range_start < n_borders_of_option:
                    new_tag = None if is_paired else rule.compute_tag(length, label, is_level=False)
                    next_lead = 1 - lead_index, new_tag
                    table_width = self._reach[next_lead] + 1
                    first_target, target_step = (
                        range_start * table_width + n_borders_of_option - range_start,
                        table_width - 1,
                    )
                    yield _Transfer(
                        next_lead, first_target, target_step, range_stop - 1, *transfer_fields
                    )
                elif range_start == n_borders_of_option:
                    yield _Transfer(
                        None, n_borders_of_option, 1, n_borders_of_option, *transfer_fields
                    )
                else:
                    next_lead = lead_index, None if is_paired else rule.update_tag(tag)
                    first_target = (
                        n_borders_of_option * (self._reach[next_lead] + 1)
                        + range_start
                        - n_borders_of_option
                    )
                    yield _Transfer(
                        next_lead, first_target, 1, n_borders_of_option, *transfer_fields
                    )

    def _split_by_gain(
        self, gains: Ints | Floats | None, low: int, high: int
    ) -> Iterator[tuple[int, int, float | Ints | Floats | None]]:
        """Yield subranges that can be transferred together, each with its gain.

        Args:
            gains: gain for each number of borders ahead; ``None`` if all are 0.
            low, high: range of the numbers of borders ahead.
        """
        if gains is None or not gains.any():
            yield low, high, None
            return
        if high - low == 1:
            yield low, high, gains[0].item()
            return
        if self.moments and not self.rule.takes_both:
            yield low, high, gains.reshape(-1, *(1 for _ in self.shape[:-1]))
            return
        run_borders = [0, *(np.flatnonzero(np.diff(gains)) + 1).tolist(), len(gains)]
        for run_start, run_stop in pairwise(run_borders):
            yield low + run_start, low + run_stop, gains[run_start].item() or None
