"""Votes of annotators on segments, or on tokens and boundaries, over all documents at once.

Votes are whole numbers, also where annotators have weights, so that sums and ties are exact and the
order of annotators changes nothing.

A vote on tokens is one on pieces: a *piece* is what lies between two neighbouring places where
anybody has a boundary, so its tokens have the same votes. A piece is gold, a tie, or neither.
Neighbouring pieces with one outcome are a *stretch*, which is a segment of the result; a stretch of
gold ends where more voters have a boundary than go on across it. Each document and label is a
*group* by itself, whose pieces are decided on without regard to the others. Of two segments that
overlap then, the one with fewer votes is a conflict.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges, join, unique_rows
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import columns_of_all
from spanagree.project.dawid_skene import Votes, dawid_skene

OUTCOMES = ("gold", "tie", "border", "conflict")
"""What becomes of a segment; all but the first are for adjudication."""

GOLD, TIE, BORDER, CONFLICT = range(4)
_NEITHER = -1  # of what too few voted for
UNIT = 2**20
"""A weight of 1 as a whole number."""

_NEAR = 1e-9  # a share that is reached but for rounding is reached
_EQUAL = 1e-6  # probabilities that differ by no more are a tie


class Ballots(NamedTuple):
    """What the voters marked, and what each vote weighs.

    Attributes:
        document, start, end, label: of each segment of each voter.
        voter: the number of the voter of each segment.
        weight: of each voter, a whole number.
        seen: per document, how many voters saw it.
        total: per document, the weights of those who saw it.
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    voter: Ints
    weight: Ints
    seen: Ints
    total: Ints

    @classmethod
    def of(cls, corpus: Corpus, names: list[str], weight: Ints) -> Ballots:
        """Return the ballots of these annotators."""
        layers = [corpus.layers[name] for name in names]
        seen = [np.flatnonzero(layer.annotated) for layer in layers]
        annotator = np.repeat(np.arange(len(names)), [len(documents) for documents in seen])
        there = np.concatenate([np.zeros(0, np.int64), *seen])
        return cls(
            *columns_of_all(layers),
            weight,
            np.bincount(there, minlength=len(corpus)),
            _sums(there, weight[annotator], len(corpus)),
        )

    def only(self, documents: Bools) -> Ballots:
        """Return the segments in those documents alone."""
        rows = documents[self.document]
        names = ("document", "start", "end", "label", "voter")
        return self._replace(**{name: getattr(self, name)[rows] for name in names})


class VotedSegments(NamedTuple):
    """Segments that were voted on.

    Attributes:
        document, start, end, label: of each segment.
        votes: for it, and how many there could be; of tokens summed over these.
        most: how many votes there could be.
        outcome: which of :data:`OUTCOMES`.
        segment, voter: who supports what, in pairs: the number of a segment, and of a voter.
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    votes: Ints
    most: Ints
    outcome: Ints
    segment: Ints
    voter: Ints

    @property
    def share(self) -> Floats:
        """The share of the votes that each segment has."""
        return self.votes / np.maximum(self.most, 1)


def on_segments(ballots: Ballots, share: float | None) -> VotedSegments:
    """Return the segments that a share of those who saw the document marked, and the ties.

    Without a share, more than half is needed and half is a tie.
    """
    columns = (ballots.document, ballots.start, ballots.end, ballots.label)
    (document, start, end, label), which, _ = unique_rows(*columns)
    votes = _sums(which, ballots.weight[ballots.voter], len(document))
    most = ballots.total[document]
    rows = (document, start, end, label, votes, most, _outcome(votes, most, share))
    kept = rows[-1] >= 0
    pairs = kept[which]
    supported = (np.cumsum(kept) - 1)[which[pairs]], ballots.voter[pairs]
    counted = VotedSegments._make([*(column[kept] for column in rows), *supported])
    first, second = _conflicting(counted)
    apart = ~_marked_both(counted, first, second)
    return _without_conflicts(counted, first[apart], second[apart])


def on_tokens(ballots: Ballots, share: float | None, labels: int) -> VotedSegments:
    """Return the stretches of tokens that a share of those who saw the document gave a label.

    Two neighbours of one label are one segment, unless more of those who marked one of them have a
    boundary between them than not.
    """
    _, group, start, end = _united(ballots, labels)
    (group, at), _, _ = unique_rows(np.concatenate((group, group)), np.concatenate((start, end)))
    places = _Places(group, at)
    cover = _cover(ballots, labels, places)
    most = ballots.total[group // labels]
    return _stretches(ballots, labels, places, cover, most, _outcome(cover, most, share))


def on_probabilities(ballots: Ballots, lengths: Ints, saw: Bools, labels: int) -> VotedSegments:
    """Return the stretches of tokens whose label is the most probable by Dawid & Skene's model.

    Tokens are the items of the model; what it finds out is the label of each, or that it has none.
    Whether two neighbours of one label are one segment is voted on as in :func:`on_tokens`.

    Args:
        ballots: what the voters marked; none of them marked a token twice.
        lengths: of each document.
        saw: who saw which of the documents that are voted on; (voters, documents).
        labels: how many labels there are.
    """
    pieces, probability = _probabilities(ballots, lengths, saw, labels)
    # each label that somebody gave in a document is decided on in all pieces of the document
    (document, label), _, _ = unique_rows(ballots.document, ballots.label)
    which, of_label = join(document, pieces.group)
    places = _Places((document * labels + label)[which], pieces.at[of_label])
    mine = probability[of_label, label[which] + 1]
    others = probability[of_label]
    others[np.arange(len(which)), label[which] + 1] = 0
    ahead = mine - others.max(1, initial=0)
    outcome = np.where(ahead > _EQUAL, GOLD, np.where(ahead >= -_EQUAL, TIE, _NEITHER))
    most = np.full(len(which), UNIT)
    votes = np.round(mine * UNIT).astype(np.int64)
    return _stretches(ballots, labels, places, votes, most, outcome)


# --- parts --------------------------------------------------------------------------------------


class _Places:
    """Places in groups, sorted, to which values are added; the last of a group is its end."""

    def __init__(self, group: Ints, at: Ints) -> None:
        self.group, self.at = group, at
        self.step = int(at.max(initial=0)) + 1
        self.keys = group * self.step + at

    def find(self, group: Ints, at: Ints) -> Ints:
        """Return the number of each place."""
        return np.searchsorted(self.keys, group * self.step + at)

    def sums(self, group: Ints, at: Ints, values: Ints) -> Ints:
        """Return the sum of the values at each place."""
        return _sums(self.find(group, at), values, len(self.keys))


def _united(ballots: Ballots, labels: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return each voter's segments of a document and label; what she marked twice is there once."""
    group = ballots.document * labels + ballots.label
    return united(ballots.voter, group, ballots.start, ballots.end)


def _cover(ballots: Ballots, labels: int, places: _Places) -> Ints:
    """Return the votes for each piece from a place to the next."""
    voter, group, start, end = _united(ballots, labels)
    weight = ballots.weight[voter]
    change = places.sums(group, start, weight) - places.sums(group, end, weight)
    return np.asarray(np.cumsum(change), np.int64)


def _on_boundaries(ballots: Ballots, labels: int, places: _Places) -> tuple[Ints, Ints]:
    """Return the votes for a boundary at each place, and for a segment that goes on across it."""
    voter, group, start, end = _united(ballots, labels)
    (b_voter, b_group, b_at), _, _ = unique_rows(
        np.concatenate((voter, voter)), np.concatenate((group, group)), np.concatenate((start, end))
    )  # who ends one segment there and begins the next has one vote
    boundary = places.sums(b_group, b_at, ballots.weight[b_voter])
    begun = places.sums(group, start, ballots.weight[voter])
    return boundary, _cover(ballots, labels, places) - begun


def _stretches(
    ballots: Ballots, labels: int, places: _Places, votes: Ints, most: Ints, outcome: Ints
) -> VotedSegments:
    """Return the stretches of pieces that have one outcome, and the boundaries that are tied.

    Each piece begins at a place; it has ``votes``, of ``most``, and what they come to.
    """
    group, at = places.group, places.at
    # from each place to the next there is a piece, unless the next is of another group
    outcome = np.where(group[:-1] == group[1:], outcome[:-1], _NEITHER)
    boundary, across = (column[:-1] for column in _on_boundaries(ballots, labels, places))

    follows = np.zeros(len(outcome), np.bool_)  # a piece of the same outcome and group
    follows[1:] = (outcome[1:] == outcome[:-1]) & (group[1:-1] == group[:-2])
    in_gold = follows & (outcome == GOLD)
    tied = np.flatnonzero(in_gold & (boundary == across) & (boundary > 0))
    goes_on = follows & ~(in_gold & (boundary > across))

    pieces = np.flatnonzero(outcome >= 0)
    first = np.flatnonzero((outcome >= 0) & ~goes_on)  # the first piece of each stretch
    stretch = np.searchsorted(first, pieces, side="right") - 1  # that each piece is part of
    last = pieces[np.flatnonzero(np.diff(stretch, append=len(first)))]
    length = at[pieces + 1] - at[pieces]
    columns = [
        np.concatenate((of_stretches, of_tied))
        for of_stretches, of_tied in (
            (group[first], group[tied]),
            (at[first], at[tied] - 1),  # a tied boundary is shown with a token on either side
            (at[last + 1], at[tied] + 1),
            (_sums(stretch, votes[pieces] * length, len(first)), boundary[tied]),
            (_sums(stretch, most[pieces] * length, len(first)), 2 * boundary[tied]),
            (outcome[first], np.full(len(tied), BORDER)),
        )
    ]
    group, start, end, _, _, outcome = columns
    order = np.lexsort((outcome, group, end, start, group // labels))
    group, start, end, votes, most, outcome = (column[order] for column in columns)
    document, label = group // labels, group % labels
    group_of_ballot = ballots.document * labels + ballots.label
    marked = (group_of_ballot, ballots.start, ballots.end)
    pairs = _touching((group, start, end), marked, ballots.voter)
    counted = VotedSegments(document, start, end, label, votes, most, outcome, *pairs)
    first, second = _conflicting(counted)
    apart = ~_gave_both(counted, ballots, labels, first, second)
    return _without_conflicts(counted, first[apart], second[apart])


def _probabilities(
    ballots: Ballots, lengths: Ints, saw: Bools, labels: int
) -> tuple[_Places, Floats]:
    """Return the pieces of documents between neighbouring boundaries, and what is probable there.

    The second has a row for each place, and columns for no label and for each label.
    """
    there = np.flatnonzero(saw.any(axis=0) & (lengths > 0))
    (document, at), _, _ = unique_rows(
        np.concatenate((there, there, ballots.document, ballots.document)),
        np.concatenate((np.zeros_like(there), lengths[there], ballots.start, ballots.end)),
    )
    places = _Places(document, at)
    size = np.zeros(len(at), np.int64)
    size[:-1] = np.where(document[1:] == document[:-1], at[1:] - at[:-1], 0)
    seen = saw.sum(axis=0)
    begin = np.cumsum(seen[document]) - seen[document]  # of the votes on each piece
    _, item = expand_ranges(begin, begin + seen[document])
    order = np.argsort(~saw, axis=0, kind="stable")  # of each document, first those who saw it
    rank = np.cumsum(saw, axis=0) - 1
    voter = order[np.arange(len(item)) - begin[item], document[item]]
    tag = np.zeros(len(item), np.int64)
    first = places.find(ballots.document, ballots.start)
    piece, row = expand_ranges(first, places.find(ballots.document, ballots.end))
    tag[begin[piece] + rank[ballots.voter[row], ballots.document[row]]] = ballots.label[row] + 1
    votes = Votes(item, voter, tag, size, len(saw), labels + 1)
    return places, dawid_skene(votes).probability


def _sums(which: Ints, values: Ints, count: int) -> Ints:
    """Return whole sums by number; they stay far below what a float counts exactly."""
    return np.bincount(which, values, count).astype(np.int64)


def _outcome(votes: Ints, most: Ints, share: float | None) -> Ints:
    """Return gold, tie or neither for each number of votes."""
    if share is None:
        outcome = np.where(2 * votes > most, GOLD, np.where(2 * votes == most, TIE, _NEITHER))
    else:
        outcome = np.where(votes + _NEAR * most >= share * most, GOLD, _NEITHER)
    return np.where(votes > 0, outcome, _NEITHER)


def united(voter: Ints, group: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return each voter's segments of a group, those that overlap united."""
    order = np.lexsort((end, start, group, voter))
    voter, group, start, end = (column[order] for column in (voter, group, start, end))
    new = np.ones(len(order), np.bool_)
    new[1:] = (voter[1:] != voter[:-1]) | (group[1:] != group[:-1])
    step = int(end.max(initial=0)) + 1
    shift = np.cumsum(new) * step
    reach = np.maximum.accumulate(end + shift) - shift  # within the voter's group
    new[1:] |= start[1:] >= reach[:-1]
    begin = np.flatnonzero(new)
    last = np.append(begin[1:], len(order))[: len(begin)] - 1
    return voter[begin], group[begin], start[begin], reach[last]


def _touching(
    runs: tuple[Ints, Ints, Ints], marked: tuple[Ints, Ints, Ints], voter: Ints
) -> tuple[Ints, Ints]:
    """Return which voters marked some of which run: the numbers of run and voter, in pairs."""
    step = max(int(runs[2].max(initial=0)), int(marked[2].max(initial=0))) + 1
    group, start, end = runs
    order = np.lexsort((start, group))
    first = (group * step + start)[order]
    last = np.maximum.accumulate((group * step + end)[order])  # borders lie inside of runs
    low = np.searchsorted(last, marked[0] * step + marked[1], side="right")
    high = np.searchsorted(first, marked[0] * step + marked[2], side="left")
    place, which = expand_ranges(low, np.maximum(low, high))
    run, marker = order[place], voter[which]  # of some that do not touch, too
    here = (start[run] < marked[2][which]) & (marked[1][which] < end[run])
    (run, marker), _, _ = unique_rows(run[here], marker[here])
    return run, marker


def _conflicting(counted: VotedSegments) -> tuple[Ints, Ints]:
    """Return the numbers of pairs of segments that are gold so far and overlap."""
    gold = np.flatnonzero(counted.outcome == GOLD)
    first, second = _overlapping(*(column[gold] for column in counted[:3]))
    return gold[first], gold[second]


def _overlapping(group: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of pairs of segments of a group that overlap."""
    order = np.lexsort((start, group))
    step = int(end.max(initial=0)) + 1
    first = (group * step + start)[order]
    low = np.arange(1, len(order) + 1)
    high = np.searchsorted(first, (group * step + end)[order], side="left")
    later, earlier = expand_ranges(low, np.maximum(low, high))
    return order[earlier], order[later]


def _marked_both(counted: VotedSegments, first: Ints, second: Ints) -> Bools:
    """Return whether some voter supports both segments of each pair."""
    together = len(counted.outcome)
    by_segment = np.argsort(counted.segment, kind="stable")
    pair, row = join(first, counted.segment[by_segment])
    supports_second = counted.voter[by_segment[row]] * together + second[pair]
    both = np.isin(supports_second, counted.voter * together + counted.segment)
    return np.bincount(pair[both], minlength=len(first)) > 0


def _gave_both(
    counted: VotedSegments, ballots: Ballots, labels: int, first: Ints, second: Ints
) -> Bools:
    """Return whether some voter gave a token that a pair of segments shares both labels."""
    by_voter = unique_rows(ballots.document, ballots.voter)[1]
    i, j = _overlapping(by_voter, ballots.start, ballots.end)
    key = _of_labels(ballots.document[i], ballots.label[i], ballots.label[j], labels)
    order = np.argsort(key, kind="stable")
    i, j, key = i[order], j[order], key[order]
    start = np.maximum(ballots.start[i], ballots.start[j])
    end = np.minimum(ballots.end[i], ballots.end[j])
    wanted = _of_labels(
        counted.document[first], counted.label[first], counted.label[second], labels
    )
    pair, twice = join(wanted, key)
    low = np.maximum(counted.start[first], counted.start[second])[pair]
    high = np.minimum(counted.end[first], counted.end[second])[pair]
    meet = (start[twice] < high) & (low < end[twice])
    return np.bincount(pair[meet], minlength=len(first)) > 0


def _of_labels(document: Ints, first: Ints, second: Ints, labels: int) -> Ints:
    """Return a number for each document and two labels in either order."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return np.asarray((document * labels + low) * labels + high, np.int64)


def _without_conflicts(counted: VotedSegments, first: Ints, second: Ints) -> VotedSegments:
    """Return the same where of two segments the one with fewer of the votes is a conflict.

    Of equals both are.
    """
    outcome, share = counted.outcome.copy(), counted.share
    outcome[first[share[first] <= share[second]]] = CONFLICT
    outcome[second[share[second] <= share[first]]] = CONFLICT
    return counted._replace(outcome=outcome)
