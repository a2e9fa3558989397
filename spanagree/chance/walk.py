"""The distribution of the match of two annotations, by counting arrangements from left to right.

All arrangements of random segments that exclude each other are equally likely, so

    P(match = m) = number of pairs of arrangements with match m / number of all pairs.

Both annotations are read together, over the *borders* at which segments can start or end. A state
consists of the border up to which each annotation is read, the segments that may still match later
segments, and the number of placed segments of each *kind*, with equal label and places. A table
contains, for each state, the number of *ways*, pairs of arrangements up to there, by match; or only
their *moments*, the sums over all ways of 1, of the match, and of its square. In each step, the
annotation that is behind takes one of its *options*: it places its next segment, or leaves a gap up
to the next border. If both are read equally far, the first annotation goes on.

A uniform annotation allows every start. A fixed annotation has one place for each segment. All
terms are positive, so even the smallest probabilities keep their digits.

The rule of a measure determines what may still match, and so how tables are laid out. For most
measures it is at most the segment that is read further (:mod:`spanagree.chance.meeting_rules`).
Within a tolerance several segments may wait (:mod:`spanagree.chance.near_matches`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints

OTHER = -1
"""Label of segments that cannot match."""

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]
"""Function φ from the offset of the second segment, and both lengths, to the similarity."""

BUDGET = 20_000_000
"""Largest number of table cells for one document; documents above it are sampled."""

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


class WalkTables(Protocol):
    """Tables of the states of a walk, in the layout of a rule."""

    def count_cells(self, i: int) -> float:
        """Count the cells computed for states up to a border; 0 if they were counted before."""

    def find_finished_ways(self, i: int) -> Floats:
        """Find the ways in which all segments are placed before the border with index ``i``."""

    def apply_options(self, i: int) -> None:
        """Apply all options to the states with border ``i`` as the lesser of their two borders."""


class MatchRule(Protocol):
    """Rule of a measure for a walk."""

    def build_tables(self, walk: Walk, border_indices: Collection[int]) -> WalkTables:
        """Build the tables of a walk, with its first state.

        Args:
            walk: walk over two annotations.
            border_indices: indices of the borders for which ways are counted.
        """


class Walk:
    """A walk over the borders of two annotations.

    A table has an axis for each random kind, over the number of its placed segments, and a last
    axis over matches, or moments.

    Attributes:
        rule: rule of the measure.
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
        rule: MatchRule,
        width: int,
        *,
        moments: bool,
        more_borders: Collection[int] = (),
    ) -> None:
        """Prepare the borders, the places, and the shape of tables.

        Args:
            first: first annotation.
            second: second annotation.
            rule: rule of the measure.
            width: length of the last axis of tables.
            moments: True if tables contain moments.
            more_borders: borders in addition to the borders of places.
        """
        self.rule = rule
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

    def run(self, borders: Collection[int], budget: float = math.inf) -> dict[int, Floats]:
        """Count the ways in which all segments are placed before a border.

        Args:
            borders: borders for which ways are counted.
            budget: largest number of computed table cells.

        Returns:
            Number of ways by match, or moments, for each of these borders; borders that exceed the
            budget are missing.
        """
        border_indices = {self.index[border] for border in borders}
        tables = self.rule.build_tables(self, border_indices)
        ways_by_border: dict[int, Floats] = {}
        for i in range(max(border_indices, default=-1) + 1):
            if tables.count_cells(i) > budget:
                break
            if i in border_indices:
                ways_by_border[self.borders[i]] = tables.find_finished_ways(i)
            if i < len(self.borders) - 1:
                tables.apply_options(i)
        return ways_by_border


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
