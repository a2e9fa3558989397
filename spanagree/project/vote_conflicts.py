"""Conflicts of a vote: gold segments that overlap, though no voter supports both."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Bools, Ints, expand_ranges, join_sorted, unique_rows
from spanagree.project.ballots import CONFLICT, GOLD, Ballots, VotedSegments


def find_conflicts(voted: VotedSegments) -> tuple[Ints, Ints]:
    """Find pairs of overlapping gold segments: the indices of the first and the second segment."""
    gold_rows = np.flatnonzero(voted.outcome == GOLD)
    first, second = _find_overlapping_pairs(*(column[gold_rows] for column in voted[:3]))
    return gold_rows[first], gold_rows[second]


def _find_overlapping_pairs(group: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Find pairs of overlapping segments in one group: indices of the first and second segment."""
    order = np.lexsort((start, group))
    step = int(end.max(initial=0)) + 1
    sorted_start = (group * step + start)[order]
    low = np.arange(1, len(order) + 1)
    high = np.searchsorted(sorted_start, (group * step + end)[order], side="left")
    later_position, earlier_position = expand_ranges(low, np.maximum(low, high))
    return order[earlier_position], order[later_position]


def have_common_supporter(voted: VotedSegments, first_segment: Ints, second_segment: Ints) -> Bools:
    """Compute the mask of pairs of segments that have a supporter in common.

    ``first_segment`` and ``second_segment`` are the indices of both segments of each pair.
    """
    n_segments = len(voted.outcome)
    by_segment = np.argsort(voted.segment, kind="stable")
    pair, row = join_sorted(first_segment, voted.segment[by_segment])
    supports_second = voted.voter[by_segment[row]] * n_segments + second_segment[pair]
    is_shared = np.isin(supports_second, voted.voter * n_segments + voted.segment)
    return np.bincount(pair[is_shared], minlength=len(first_segment)) > 0


def have_voter_of_both_labels(
    voted: VotedSegments, ballots: Ballots, first_segment: Ints, second_segment: Ints
) -> Bools:
    """Compute the mask of pairs of segments in which one voter gave a shared token both labels.

    Args:
        voted: segments of the vote.
        ballots: segments of the voters.
        first_segment, second_segment: indices in ``voted`` of both segments of each pair.
    """
    by_voter = unique_rows(ballots.document, ballots.voter)[1]
    i, j = _find_overlapping_pairs(by_voter, ballots.start, ballots.end)
    overlap_key = ballots.encode_pair(ballots.document[i], ballots.label[i], ballots.label[j])
    order = np.argsort(overlap_key, kind="stable")
    i, j, overlap_key = i[order], j[order], overlap_key[order]
    start = np.maximum(ballots.start[i], ballots.start[j])
    end = np.minimum(ballots.end[i], ballots.end[j])
    pair_key = ballots.encode_pair(
        voted.document[first_segment], voted.label[first_segment], voted.label[second_segment]
    )
    pair, overlap_index = join_sorted(pair_key, overlap_key)
    low = np.maximum(voted.start[first_segment], voted.start[second_segment])[pair]
    high = np.minimum(voted.end[first_segment], voted.end[second_segment])[pair]
    is_overlapping = (start[overlap_index] < high) & (low < end[overlap_index])
    return np.bincount(pair[is_overlapping], minlength=len(first_segment)) > 0


def resolve_conflicts(
    voted: VotedSegments, first_segment: Ints, second_segment: Ints
) -> VotedSegments:
    """Change the segment with the smaller share of votes of each pair to a conflict.

    With equal shares, both are conflicts. ``first_segment`` and ``second_segment`` are the indices
    of both segments of each pair.
    """
    outcome, share = voted.outcome.copy(), voted.share
    outcome[first_segment[share[first_segment] <= share[second_segment]]] = CONFLICT
    outcome[second_segment[share[second_segment] <= share[first_segment]]] = CONFLICT
    return voted._replace(outcome=outcome)
