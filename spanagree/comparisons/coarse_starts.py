"""Where segments start in long documents: in few units, and extrapolated to as many as there are.

These are recordings, and texts in which all units would be more work than is allowed. What two
random annotations share, in length or as a share of it, has a limit as units shrink, so it need
not be summed over every millisecond or character. It is computed in documents of few, fewer and
fewest units, and extrapolated by Richardson to the unit of the corpus. So the cost follows
segments, and not the resolution. How far the last step moves a value is the error that notes state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    batches_up_to,
    expand_ranges,
    group_indices,
    unique_rows,
)
from spanagree.chance.start_distributions import UNITS, Profiles, exclusion_groups, start_profiles
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.profile_sums import correlated, covered_together, inner
from spanagree.comparisons.starts import LayerPair, Starts, StartsRequest
from spanagree.comparisons.uniform_starts import expected_one_to_one
from spanagree.corpus.segments import by_layer
from spanagree.limits import check_cost

_A_SEGMENT = 16  # units at least for each segment of an annotation, in the finest
_TOGETHER = 1 << 20  # offsets that are added up at once
_LEVELS = 3  # each with half the units of the one before


class Resolution(NamedTuple):
    """Start distributions in documents of fewer units; a row for each kind of segment.

    Attributes:
        profiles: the distributions.
        profile: which is that of a kind.
        length: of a kind, in these units.
        factor: how many units of the corpus one of these is.
    """

    profiles: Profiles
    profile: Ints
    length: Ints
    factor: Floats


@dataclass(frozen=True, eq=False)
class CoarseStarts(Starts):
    """Where segments start, at several levels; a row for each kind of segment.

    Attributes:
        levels: from the finest to the coarsest.
        length: of a kind, in the units of the corpus.
        units: those of its document.
    """

    levels: tuple[Resolution, ...]
    length: Ints
    units: Ints

    @classmethod
    def of(cls, request: StartsRequest) -> tuple[CoarseStarts, list[Ints]]:
        """Return the kinds of the segments of several layers, and which is that of each."""
        corpus, layers, is_free = request.corpus, request.layers, request.chance.is_free
        group, document = exclusion_groups(layers, request.chance.name)
        length = np.concatenate([layer.end - layer.start for layer in layers])
        most = np.zeros(len(corpus), np.int64)  # segments of an annotation
        np.maximum.at(most, document, np.bincount(group, minlength=len(document)))
        wanted = np.maximum(
            UNITS, 1 << np.ceil(np.log2(np.maximum(_A_SEGMENT * most, 1))).astype(int)
        )
        made = []
        for level in range(_LEVELS):
            units = np.where(corpus.lengths > wanted, wanted >> level, corpus.lengths)
            factor = corpus.lengths / np.maximum(units, 1)
            short = shortened(length, group, factor[document])
            profiles, profile = start_profiles(group, units[document], short, free=is_free)
            made.append((profiles, profile, short, factor[document][group]))
        columns = [x for _, profile, short, _ in made for x in (profile, short)]
        n = corpus.lengths[document][group]
        kinds, which, counts = unique_rows(*columns, length, n)
        some = np.empty(len(counts), np.int64)
        some[which] = np.arange(len(which))
        levels = tuple(
            Resolution(profiles, profile[some], short[some], factor[some])
            for profiles, profile, short, factor in made
        )
        return cls(levels, kinds[-2], kinds[-1]), by_layer(which, layers)

    def expected(self, sides: LayerPair, measure: Measure) -> tuple[Floats, ApproximationError]:
        """Return E[Σ φ] of each cell, as :class:`Starts` has it; one-to-one it is exact."""
        if measure.one_to_one:
            tokens = sides.document_tokens([self.units[kinds] for kinds in sides.profiles])
            return expected_one_to_one(sides, tokens, measure)
        values = [self._at(level, sides, measure) for level in self.levels]
        unit = np.ones(sides.count)
        unit[sides.cells[0]] = 1 / self.levels[0].factor[sides.profiles[0]]
        value, error = extrapolated(values, unit)
        return value, ApproximationError(extrapolated=sides.count, off=error * sides.count)

    def _at(self, level: Resolution, sides: LayerPair, measure: Measure) -> Floats:
        """Return the same as one level has it."""
        if measure.kernel == "cover":
            return self._covered(level, sides)

        def same_length(a: Ints, b: Ints) -> Bools:
            return self.length[a] == self.length[b]

        return sides.expected_of_pairs(
            lambda p, q: self._of_pairs(level, p, q, measure),
            same_length if measure.kernel == "equal" else None,
        )

    def _covered(self, level: Resolution, sides: LayerPair) -> Floats:
        """Return the expected number of units that both annotators cover, for each cell."""
        covering, factor = [], np.ones(sides.count)
        for cell, kind, number in sides.alike():
            weight = number * self._scale(level, kind)
            covering.append((cell, level.length[kind], level.profile[kind], weight))
            factor[cell] = level.factor[kind]
        return covered_together(level.profiles, covering, sides.count) * factor

    def _of_pairs(self, level: Resolution, p: Ints, q: Ints, measure: Measure) -> Floats:
        """Return E[φ] of a segment of each of two kinds."""
        profiles, first, second = level.profiles, level.profile[p], level.profile[q]
        if measure.kernel == "equal":
            return inner(profiles, first, profiles, second) / level.factor[p]
        (first_profile, a, second_profile, b), which, _ = unique_rows(
            first, level.length[p], second, level.length[q]
        )
        value = correlated(profiles, first_profile, a, second_profile, b, measure.phi)[which]
        there = of_all_offsets(measure, level.length[p], level.length[q]) * level.factor[p]
        return value * of_all_offsets(measure, self.length[p], self.length[q]) / there

    def _scale(self, level: Resolution, kind: Ints) -> Floats:
        """Return by how much segments are longer than what they were rounded to."""
        return self.length[kind] / (level.length[kind] * level.factor[kind])


def shortened(length: Ints, group: Ints, factor: Floats) -> Ints:
    """Return lengths in coarser units, at least 1, such that those of a group add up.

    Args:
        length: of each segment.
        group: of each segment.
        factor: of each group, how many units make one.

    >>> shortened(np.array([5, 5, 5, 25]), np.zeros(4, int), np.array([10.0])).tolist()
    [1, 1, 1, 1]
    >>> shortened(np.array([15, 15, 15, 15]), np.zeros(4, int), np.array([10.0])).tolist()
    [2, 1, 1, 2]
    """
    short = np.empty(len(length), np.int64)
    for members, many in zip(group_indices(group, len(factor)), factor.tolist(), strict=True):
        rows = members[np.argsort(length[members], kind="stable")]
        number = np.arange(1, len(rows) + 1)
        ahead = np.rint(np.cumsum(length[rows]) / many).astype(np.int64) - number
        done = number + np.maximum.accumulate(np.maximum(ahead, 0))
        short[rows] = np.diff(done, prepend=0)
    return short


def of_all_offsets(measure: Measure, a: Ints, b: Ints) -> Floats:
    """Add φ up over all offsets at which two segments overlap, for each pair of lengths.

    >>> from spanagree.comparisons.measures import MEASURES
    >>> of_all_offsets(MEASURES["iou"], np.array([1, 2]), np.array([1, 2])).round(3).tolist()
    [1.0, 1.667]
    """
    if measure.of_all_offsets is not None:
        return np.asarray(measure.of_all_offsets(a, b), np.float64)
    (a, b), inverse, _ = unique_rows(a, b)
    sums = np.zeros(len(a))
    check_cost(
        float((a + b).sum()), f"the sum over all offsets of segments of {a.max(initial=0)} units"
    )
    for low, high in batches_up_to(a + b, _TOGETHER):
        offset, pair = expand_ranges(1 - b[low:high], a[low:high])
        pair += low
        np.add.at(sums, pair, measure.phi(offset, a[pair], b[pair]))
    return sums[inverse]


def extrapolated(values: Sequence[Floats], unit: Floats) -> tuple[Floats, float]:
    """Return what values in coarser units would be in those of the corpus, and the error of it.

    Args:
        values: the finest first; the units of the others are two and four times as long.
        unit: that of the corpus, as a share of the finest; of 1, the finest stays as it is.

    >>> limit, error = extrapolated([np.array([x]) for x in (1.25, 1.5, 2.0)], np.zeros(1))
    >>> round(float(limit[0]), 9), round(error, 9)
    (1.0, 0.0)
    """
    finest, middle, coarsest = values
    straight = (2 - unit) * finest + (unit - 1) * middle
    weights = (2 - unit) * (4 - unit) / 3, (unit - 1) * (4 - unit) / 2, (1 - unit) * (2 - unit) / 6
    bent = weights[0] * finest + weights[1] * middle + weights[2] * coarsest
    return np.maximum(bent, 0), float(np.abs(bent - straight).max(initial=0))
