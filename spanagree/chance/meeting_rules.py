"""Rules for measures in which a segment can match only the segment that is read further.

The annotation that is read further in a walk (:mod:`spanagree.chance.walk`) has the *lead*: its
last segment ends ahead of the other annotation. The rule of a measure says what a placed segment
gains when it meets that segment. The table of a lead has a row for each border up to which both
annotations are read, and a column for each number of borders by which the lead is ahead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.walk import OTHER, Phi, Walk, WalkOption, add_ways

_ROWS = 64  # number of borders in a table, unless segments are longer


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

    def build_tables(self, walk: Walk, border_indices: Collection[int]) -> LeadTables:
        """Build the tables of a walk, with its first state."""
        return LeadTables(walk, self)

    def estimate_steps(self, walk: Walk) -> float:
        """Estimate the number of steps of the walk; a step adds one table to another."""
        n_borders = len(walk.borders)
        n_options = np.zeros(n_borders)
        begin_borders: list[int] = []
        end_borders: list[int] = []
        for annotation, annotation_places in zip(walk.annotations, walk.places, strict=True):
            earliest_start: dict[tuple[Hashable, int], int] = {}  # first start by tag and end
            for segment_kind, kind_places in zip(annotation.kinds, annotation_places, strict=True):
                n_options += np.bincount([i for i, _, _ in kind_places], minlength=n_borders)
                tags = {
                    length: self.compute_tag(length, segment_kind.label, is_level=False)
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
        n_states = 1 + (1 + self.takes_both) * n_leads
        return float((n_states * np.maximum(n_options, 1)).sum())


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


class LeadTables:
    """Tables of a walk by lead.

    They contain a fixed number of rows, and as many more as an option can reach; then these are
    moved to the beginning.
    """

    def __init__(self, walk: Walk, rule: MeetingRule) -> None:
        """Prepare empty tables, and the slices that a placed segment leads from and to.

        Args:
            walk: walk over two annotations.
            rule: rule of the measure.
        """
        self.walk, self.rule = walk, rule
        self._is_regular = self._has_every_start()
        self._transfers_by_options: dict[tuple[Lead, Any], list[_Transfer]] = {}
        self._reach = self._compute_largest_reaches()
        n_axes = len(walk.shape) - 1
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
        self._max_reach = max(self._reach.values())
        self._n_rows = max(self._max_reach, min(len(walk.borders), _ROWS))
        self._tables = {
            lead: np.zeros((self._n_rows + self._max_reach, reach + 1, *walk.shape))
            for lead, reach in self._reach.items()
        }
        # rows and columns as one axis
        self._flat_tables = {
            lead: table.reshape(-1, *walk.shape) for lead, table in self._tables.items()
        }
        self._tables[None].flat[0] = 1
        self._last_border_by_lead: dict[Lead, int] = {None: 0}
        self._first_border = 0  # of row 0

    def count_cells(self, i: int) -> float:
        """Return 0: :meth:`MeetingRule.estimate_steps` bounds them before a walk."""
        return 0

    def find_finished_ways(self, i: int) -> Floats:
        """Find the ways in which all segments are placed before the border with index ``i``."""
        all_placed = tuple(-1 for _ in self.walk.shape[:-1])
        return self._tables[None][(self._find_row(i), 0, *all_placed)].copy()

    def apply_options(self, i: int) -> None:
        """Apply all options to the states with border ``i`` as the lesser of their two borders."""
        row = self._find_row(i)
        if self._last_border_by_lead[None] >= i:
            self._apply_to_lead(None, i, row)
        for lead in [
            lead
            for lead, last_border in self._last_border_by_lead.items()
            if last_border >= i and lead is not None
        ]:
            self._apply_to_lead(lead, i, row)

    def _find_row(self, i: int) -> int:
        """Find the row of the border with index ``i``; move rows to the beginning if needed."""
        row = i - self._first_border
        if row == self._n_rows:
            for table in self._tables.values():
                table[: self._max_reach], table[self._max_reach :] = table[row:].copy(), 0
            self._first_border, row = i, 0
        return row

    def _has_every_start(self) -> bool:
        """Check whether the options are the same at every border, except near the last border."""
        last_border = len(self.walk.borders) - 1
        return self.walk.borders[last_border] - self.walk.borders[0] == last_border and all(
            bool(kind_places)
            and len(kind_places) == last_border + 1 - kind_places[0][2]
            and len({length for *_, length in kind_places}) == 1
            for kind_places in chain(*self.walk.places)
        )

    def _compute_largest_reaches(self) -> dict[Lead, int]:
        """Compute the largest number of borders by which each lead can be ahead."""
        reach: dict[Lead, int] = {None: 0, (0, None): 1, (1, None): 1}
        for annotation_index, annotation in enumerate(self.walk.annotations):
            for segment_kind, kind_places in zip(
                annotation.kinds, self.walk.places[annotation_index], strict=True
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

    def _apply_to_lead(self, lead: Lead, i: int, row: int) -> None:
        """Apply all options to the states of one lead.

        Args:
            lead: annotation that is read further, and its tag.
            i: index of the border up to which both annotations are read.
            row: row of this border in the tables.
        """
        states = self._tables[lead][row]
        if self._is_regular:
            transfers = self._list_transfers(lead, i)
        else:
            (occurring_columns,) = states.reshape(len(states), -1).any(axis=1).nonzero()
            if not len(occurring_columns):
                return
            column_range = int(occurring_columns[0]), int(occurring_columns[-1]) + 1
            options = self.walk.options[0 if lead is None else 1 - lead[0]][i]
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
            first_row = row * self._tables[next_lead].shape[1] + transfer.first_target
            target_rows = slice(
                first_row,
                first_row + transfer.target_step * (len(source) - 1) + 1,
                transfer.target_step,
            )
            target = self._flat_tables[next_lead][(target_rows, *transfer.target_slices)]
            if transfer.gain is None:
                target += source
            else:
                add_ways(target, source, transfer.gain, self.walk.moments)
            if self._last_border_by_lead.get(next_lead, -1) < i + transfer.n_rows:
                self._last_border_by_lead[next_lead] = i + transfer.n_rows

    def _list_transfers(self, lead: Lead, i: int) -> list[_Transfer]:
        """List the transfers of the options at a border; equal options are computed once.

        Args:
            lead: annotation that is read further, and its tag.
            i: index of the border up to which both annotations are read.
        """
        options = self.walk.options[0 if lead is None else 1 - lead[0]][i]
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
        n_borders_of_option, start_position = end - start, self.walk.borders[start]
        length = self.walk.borders[end] - start_position
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
        ahead_stop = min(ahead_stop, len(self.walk.borders) - start)
        gains = None
        if tag is not None and label != OTHER:
            n_unread = (
                np.array(self.walk.borders[start + min_ahead : start + ahead_stop], np.int64)
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
                if not self.walk.moments and gain is not None and gain >= self.walk.shape[-1]:
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
        if self.walk.moments and not self.rule.takes_both:
            yield low, high, gains.reshape(-1, *(1 for _ in self.walk.shape[:-1]))
            return
        run_borders = [0, *(np.flatnonzero(np.diff(gains)) + 1).tolist(), len(gains)]
        for run_start, run_stop in pairwise(run_borders):
            yield low + run_start, low + run_stop, gains[run_start].item() or None
