"""Votes of annotators on segments, or on tokens and boundaries, vectorized over all documents.

Votes, ballots and groups are those of :mod:`spanagree.project.ballots`. A voter *supports* a
segment of the result if they marked it or, in votes on tokens, a token of it with its label. A vote
on tokens is a vote on pieces: a *piece* is the range between two neighbouring boundaries of any
annotator, so all of its tokens have the same votes. A piece is gold, a tie, or neither.
Neighbouring pieces with one outcome are a *stretch*, a segment of the result; a stretch of gold
ends where more voters have a boundary than a segment across it. If as many have a boundary as a
segment across it, the boundary is *tied*, and a case to adjudicate. The pieces of a group are
decided independently of other groups. If two gold segments overlap afterwards, and no voter
supports both, the segment with fewer votes is a *conflict*.
"""

from __future__ import annotations

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    argsort_rows,
    expand_ranges,
    join_sorted,
    unique_rows,
)
from spanagree.project.ballots import (
    BORDER,
    GOLD,
    NEITHER,
    TIE,
    UNIT,
    Ballots,
    MergedBallots,
    VotedSegments,
)
from spanagree.project.dawid_skene import Votes, dawid_skene
from spanagree.project.vote_conflicts import (
    find_conflicts,
    have_common_supporter,
    have_voter_of_both_labels,
    resolve_conflicts,
)

_NEAR = 1e-9  # tolerance for rounding errors of shares
_EQUAL = 1e-6  # largest difference of probabilities that are a tie


def elect_segments(ballots: Ballots, share: float | None) -> VotedSegments:
    """Elect the segments that enough voters marked with these boundaries and this label.

    Args:
        ballots: segments of the voters.
        share: needed share of the possible votes. Default: more than half, with half as a tie.
    """
    ballot_columns = (ballots.document, ballots.start, ballots.end, ballots.label)
    (document, start, end, label), segment_of_ballot, _ = unique_rows(*ballot_columns)
    votes = _sum_by_index(segment_of_ballot, ballots.weight[ballots.voter], len(document))
    possible_votes = ballots.total[document]
    outcome = _decide_outcomes(votes, possible_votes, share)
    is_kept = outcome >= 0
    is_supported = is_kept[segment_of_ballot]
    supported_segment = (np.cumsum(is_kept) - 1)[segment_of_ballot[is_supported]]
    supports = (supported_segment, ballots.voter[is_supported])
    columns = (document, start, end, label, votes, possible_votes, outcome)
    voted = VotedSegments._make([*(column[is_kept] for column in columns), *supports])
    first_segment, second_segment = find_conflicts(voted)
    is_conflict = ~have_common_supporter(voted, first_segment, second_segment)
    return resolve_conflicts(voted, first_segment[is_conflict], second_segment[is_conflict])


def elect_tokens(ballots: Ballots, share: float | None) -> VotedSegments:
    """Elect stretches of tokens to which enough voters gave the same label.

    Two neighbouring tokens of one label are in one segment, unless more of the voters who marked
    one of them have a boundary between them than a segment across it.

    Args:
        ballots: segments of the voters.
        share: needed share of the possible votes. Default: more than half, with half as a tie.
    """
    merged = ballots.merge_by_label()
    (group, offset), _, _ = unique_rows(
        np.concatenate((merged.group, merged.group)), np.concatenate((merged.start, merged.end))
    )
    positions = _Positions(group, offset)
    votes = _count_cover(merged, positions)
    possible_votes = ballots.total[group // ballots.n_labels]
    outcome = _decide_outcomes(votes, possible_votes, share)
    return _join_pieces_to_stretches(ballots, positions, votes, possible_votes, outcome)


def elect_by_probabilities(ballots: Ballots, lengths: Ints, is_seen: Bools) -> VotedSegments:
    """Elect stretches of tokens with the most probable label in the model of Dawid & Skene.

    Tokens are the items of the model, and the answers are their labels, or no label. Votes decide
    whether two neighbouring tokens of one label are in one segment, see :func:`elect_tokens`.

    Args:
        ballots: segments of the voters; no voter marked a token twice.
        lengths: length of each document.
        is_seen: mask of documents in the vote that each voter saw; (voters, documents).
    """
    pieces, probability = _estimate_probabilities(ballots, lengths, is_seen)
    # each label in a document is decided in all pieces of the document
    (document, label), _, _ = unique_rows(ballots.document, ballots.label)
    pair_index, piece_index = join_sorted(document, pieces.group)
    group = (document * ballots.n_labels + label)[pair_index]
    positions = _Positions(group, pieces.at[piece_index])
    own_probability = probability[piece_index, label[pair_index] + 1]
    other_probabilities = probability[piece_index]
    other_probabilities[np.arange(len(pair_index)), label[pair_index] + 1] = 0
    margin = own_probability - other_probabilities.max(1, initial=0)
    outcome = np.where(margin > _EQUAL, GOLD, np.where(margin >= -_EQUAL, TIE, NEITHER))
    possible_votes = np.full(len(pair_index), UNIT)
    votes = np.round(own_probability * UNIT).astype(np.int64)
    return _join_pieces_to_stretches(ballots, positions, votes, possible_votes, outcome)


# --- components ---------------------------------------------------------------------------------


class _Positions:
    """Sorted distinct offsets of groups; each begins a piece, except the last of a group.

    ``group`` and ``at`` have group and offset of each position; ``keys`` encode both in an integer.
    """

    def __init__(self, group: Ints, offset: Ints) -> None:
        self.group, self.at = group, offset
        self.step = int(offset.max(initial=0)) + 1
        self.keys = group * self.step + offset

    def find(self, group: Ints, offset: Ints) -> Ints:
        """Find the index of each position."""
        return np.searchsorted(self.keys, group * self.step + offset)

    def sum_by_position(self, group: Ints, offset: Ints, values: Ints) -> Ints:
        """Sum values by position."""
        return _sum_by_index(self.find(group, offset), values, len(self.keys))


def _count_cover(merged: MergedBallots, positions: _Positions) -> Ints:
    """Count the votes for the piece after each position: voters with a segment that covers it."""
    n_begun, n_ended = (
        positions.sum_by_position(merged.group, offset, merged.weight)
        for offset in (merged.start, merged.end)
    )
    return np.asarray(np.cumsum(n_begun - n_ended), np.int64)


def _count_boundaries(ballots: Ballots, positions: _Positions) -> tuple[Ints, Ints]:
    """Count the votes of boundaries.

    Returns:
        For each position, the votes for a boundary there, and for a segment across it.
    """
    merged = ballots.merge_by_label()
    # one vote, also for an end and a start at the same offset
    (voter, group, offset), _, _ = unique_rows(
        np.concatenate((merged.voter, merged.voter)),
        np.concatenate((merged.group, merged.group)),
        np.concatenate((merged.start, merged.end)),
    )
    boundary_votes = positions.sum_by_position(group, offset, ballots.weight[voter])
    votes_begun = positions.sum_by_position(merged.group, merged.start, merged.weight)
    return boundary_votes, _count_cover(merged, positions) - votes_begun


def _join_pieces_to_stretches(
    ballots: Ballots,
    positions: _Positions,
    votes: Ints,
    possible_votes: Ints,
    outcome: Ints,
) -> VotedSegments:
    """Join neighbouring pieces with one outcome to stretches, and add tied boundaries.

    Args:
        ballots: segments of the voters.
        positions: beginnings of pieces, and ends of groups.
        votes, possible_votes, outcome: votes, possible votes and outcome of the piece that begins
            at each position; ignored at the end of a group.
    """
    group, offset = positions.group, positions.at
    # from each position to the next there is a piece, unless the next is in another group
    outcome = np.where(group[:-1] == group[1:], outcome[:-1], NEITHER)
    boundary_votes, votes_across = (column[:-1] for column in _count_boundaries(ballots, positions))

    is_like_previous = np.zeros(
        len(outcome), np.bool_
    )  # the previous piece has the same outcome and group
    is_like_previous[1:] = (outcome[1:] == outcome[:-1]) & (group[1:-1] == group[:-2])
    is_inside_gold = is_like_previous & (outcome == GOLD)
    tied_positions = np.flatnonzero(
        is_inside_gold & (boundary_votes == votes_across) & (boundary_votes > 0)
    )
    is_continued = is_like_previous & ~(is_inside_gold & (boundary_votes > votes_across))

    pieces = np.flatnonzero(outcome >= 0)
    first_piece = np.flatnonzero((outcome >= 0) & ~is_continued)  # first piece of each stretch
    stretch = np.searchsorted(first_piece, pieces, side="right") - 1  # stretch of each piece
    last_piece = pieces[np.flatnonzero(np.diff(stretch, append=len(first_piece)))]
    n_tokens = offset[pieces + 1] - offset[pieces]
    columns = [
        np.concatenate((stretch_values, tied_values))
        for stretch_values, tied_values in (
            (group[first_piece], group[tied_positions]),
            (
                offset[first_piece],
                offset[tied_positions] - 1,
            ),  # a tied boundary is shown with a token on both sides
            (offset[last_piece + 1], offset[tied_positions] + 1),
            (
                _sum_by_index(stretch, votes[pieces] * n_tokens, len(first_piece)),
                boundary_votes[tied_positions],
            ),
            (
                _sum_by_index(stretch, possible_votes[pieces] * n_tokens, len(first_piece)),
                2 * boundary_votes[tied_positions],
            ),
            (outcome[first_piece], np.full(len(tied_positions), BORDER)),
        )
    ]
    group, start, end, _, _, outcome = columns
    order = argsort_rows(group // ballots.n_labels, start, end, group, outcome)
    group, start, end, votes, possible_votes, outcome = (column[order] for column in columns)
    document, label = np.divmod(group, ballots.n_labels)
    ballot_ranges = (ballots.group, ballots.start, ballots.end)
    supports = _find_supporters((group, start, end), ballot_ranges, ballots.voter)
    voted = VotedSegments(document, start, end, label, votes, possible_votes, outcome, *supports)
    first_segment, second_segment = find_conflicts(voted)
    is_conflict = ~have_voter_of_both_labels(voted, ballots, first_segment, second_segment)
    return resolve_conflicts(voted, first_segment[is_conflict], second_segment[is_conflict])


def _estimate_probabilities(
    ballots: Ballots, lengths: Ints, is_seen: Bools
) -> tuple[_Positions, Floats]:
    """Divide documents at all segment boundaries into pieces, and estimate label probabilities.

    The arguments are documented in :func:`elect_by_probabilities`.

    Returns:
        Start position of each piece, grouped by document, and the probabilities that a piece has no
        label or each of the labels; (pieces, labels + 1).
    """
    seen_documents = np.flatnonzero(is_seen.any(axis=0) & (lengths > 0))
    (document, offset), _, _ = unique_rows(
        np.concatenate((seen_documents, seen_documents, ballots.document, ballots.document)),
        np.concatenate(
            (np.zeros_like(seen_documents), lengths[seen_documents], ballots.start, ballots.end)
        ),
    )
    positions = _Positions(document, offset)
    size = np.zeros(len(offset), np.int64)
    size[:-1] = np.where(document[1:] == document[:-1], offset[1:] - offset[:-1], 0)
    n_seen = is_seen.sum(axis=0)
    first_vote = (
        np.cumsum(n_seen[document]) - n_seen[document]
    )  # index of the first vote on each piece
    _, item = expand_ranges(first_vote, first_vote + n_seen[document])
    order = np.argsort(~is_seen, axis=0, kind="stable")  # voters who saw the document first
    rank_of_voter = np.cumsum(is_seen, axis=0) - 1
    voter = order[np.arange(len(item)) - first_vote[item], document[item]]
    tag = np.zeros(len(item), np.int64)
    first_piece = positions.find(ballots.document, ballots.start)
    piece, row = expand_ranges(first_piece, positions.find(ballots.document, ballots.end))
    tag[first_vote[piece] + rank_of_voter[ballots.voter[row], ballots.document[row]]] = (
        ballots.label[row] + 1
    )
    votes = Votes(item, voter, tag, size, len(is_seen), ballots.n_labels + 1)
    return positions, dawid_skene(votes).probability


def _sum_by_index(index: Ints, values: Ints, n_sums: int) -> Ints:
    """Sum integers by index; sums are far below the limit of exact floats."""
    return np.bincount(index, values, n_sums).astype(np.int64)


def _decide_outcomes(votes: Ints, possible_votes: Ints, share: float | None) -> Ints:
    """Decide the outcome of each number of votes: gold, tie or neither.

    Args:
        votes, possible_votes: votes, and largest possible number of votes.
        share: needed share of the possible votes. Default: more than half, with half as a tie.
    """
    if share is None:
        outcome = np.where(
            2 * votes > possible_votes, GOLD, np.where(2 * votes == possible_votes, TIE, NEITHER)
        )
    else:
        outcome = np.where(votes + _NEAR * possible_votes >= share * possible_votes, GOLD, NEITHER)
    return np.where(votes > 0, outcome, NEITHER)


def _find_supporters(
    runs: tuple[Ints, Ints, Ints], ranges: tuple[Ints, Ints, Ints], voter: Ints
) -> tuple[Ints, Ints]:
    """Find the voters who have a segment that overlaps a run in the same group.

    Args:
        runs: group, start and end of each run: a stretch or a tied boundary.
        ranges: group, start and end of each segment of the voters.
        voter: voter of each of these segments.

    Returns:
        Index of the run and of the voter of each pair.
    """
    step = max(int(runs[2].max(initial=0)), int(ranges[2].max(initial=0))) + 1
    group, start, end = runs
    order = np.lexsort((start, group))
    run_start = (group * step + start)[order]
    run_end = np.maximum.accumulate((group * step + end)[order])  # tied boundaries are inside runs
    low = np.searchsorted(run_end, ranges[0] * step + ranges[1], side="right")
    high = np.searchsorted(run_start, ranges[0] * step + ranges[2], side="left")
    position, range_index = expand_ranges(low, np.maximum(low, high))
    run, voter_of_range = order[position], voter[range_index]  # also pairs that do not overlap
    is_overlapping = (start[run] < ranges[2][range_index]) & (ranges[1][range_index] < end[run])
    (run, voter_of_range), _, _ = unique_rows(run[is_overlapping], voter_of_range[is_overlapping])
    return run, voter_of_range
