"""Votes of annotators on segments, or on tokens and boundaries, over all documents at once.

Votes are whole numbers, also where annotators have weights, so that sums and ties are exact and the
order of annotators changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, ranges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import columns_of_all

OUTCOMES = ("gold", "tie", "border", "conflict")
"""What becomes of a segment; all but the first are for adjudication."""

GOLD, TIE, BORDER, CONFLICT = range(4)
UNIT = 2**20
"""A weight of 1 as a whole number."""

_NEAR = 1e-9  # a share that is reached but for rounding is reached


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
        who = np.repeat(np.arange(len(names)), [len(each) for each in seen])
        there = np.concatenate([np.zeros(0, np.int64), *seen])
        return cls(
            *columns_of_all(layers),
            weight,
            np.bincount(there, minlength=len(corpus)),
            _sums(there, weight[who], len(corpus)),
        )

    def only(self, documents: Bools) -> Ballots:
        """Return the segments in those documents alone."""
        rows = documents[self.document]
        names = ("document", "start", "end", "label", "voter")
        return self._replace(**{name: getattr(self, name)[rows] for name in names})


class Counted(NamedTuple):
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


def on_segments(ballots: Ballots, share: float | None) -> Counted:
    """Return the segments that a share of those who saw the document marked, and the ties.

    Without a share, more than half is needed and half is a tie.
    """
    columns = (ballots.document, ballots.start, ballots.end, ballots.label)
    (document, start, end, label), which, _ = distinct(*columns)
    votes = _sums(which, ballots.weight[ballots.voter], len(document))
    most = ballots.total[document]
    outcome = _outcome(votes, most, share)
    kept = outcome >= 0
    place = np.cumsum(kept) - 1
    pairs = kept[which]
    whose = place[which[pairs]], ballots.voter[pairs]
    counted = Counted(document, start, end, label, votes, most, outcome, *whose)
    rows = {name: getattr(counted, name)[kept] for name in Counted._fields[:7]}
    return _without_conflicts(counted._replace(**rows))


def on_tokens(ballots: Ballots, share: float | None, labels: int) -> Counted:
    """Return the stretches of tokens that a share of those who saw the document gave a label.

    Two neighbours of one label are one segment, unless more of those who marked one of them have a
    boundary between them than not.
    """
    group = ballots.document * labels + ballots.label
    voter, weight = ballots.voter, ballots.weight
    # what one voter marked twice, in segments that overlap, counts once
    u_voter, u_group, u_start, u_end = united(voter, group, ballots.start, ballots.end)
    (at_group, at), _, _ = distinct(
        np.concatenate((u_group, u_group)), np.concatenate((u_start, u_end))
    )
    pieces = _Places(at_group, at)
    cover = pieces.sums(u_group, u_start, weight[u_voter])
    cover = np.cumsum(cover - pieces.sums(u_group, u_end, weight[u_voter]))
    on = (at_group[:-1] == at_group[1:]) if len(at) else np.zeros(0, np.bool_)
    document = at_group[:-1] // labels
    outcome = np.where(on, _outcome(cover[:-1], ballots.total[document], share), -1)

    # at each place, who has a boundary there, and who goes on across it
    ends = np.concatenate((ballots.start, ballots.end))
    (b_voter, b_group, b_at), _, _ = distinct(
        np.concatenate((voter, voter)), np.concatenate((group, group)), ends
    )
    (s_voter, s_group, s_at), _, _ = distinct(voter, group, ballots.start)
    stop = pieces.sums(b_group, b_at, weight[b_voter])
    across = cover - pieces.sums(s_group, s_at, weight[s_voter])

    follows = np.zeros(len(outcome), np.bool_)
    follows[1:] = (outcome[1:] == outcome[:-1]) & (at_group[1:-1] == at_group[:-2])
    inside = follows & (outcome == GOLD)
    tied = np.flatnonzero(inside & (stop[:-1] == across[:-1]) & (stop[:-1] > 0))
    first = (outcome >= 0) & ~(follows & ~(inside & (stop[:-1] > across[:-1])))
    run = np.cumsum(first) - 1
    pieces_in = np.flatnonzero(outcome >= 0)
    begin = np.flatnonzero(first)
    last = np.append(begin[1:], len(outcome))
    last = pieces_in[np.searchsorted(pieces_in, last) - 1] if len(begin) else begin
    length = at[pieces_in + 1] - at[pieces_in]
    votes = _sums(run[pieces_in], cover[pieces_in] * length, len(begin))
    columns = [
        np.concatenate((runs, borders))
        for runs, borders in (
            (at_group[begin], at_group[tied]),
            (at[begin], at[tied] - 1),
            (at[last + 1], at[tied] + 1),
            (votes, stop[tied]),
            (outcome[begin], np.full(len(tied), BORDER)),
        )
    ]
    whole = columns[0] // labels
    order = np.lexsort((columns[4], columns[0], columns[2], columns[1], whole))
    at_group, start, end, votes, outcome = (column[order] for column in columns)
    document, label = at_group // labels, at_group % labels
    most = np.where(outcome == BORDER, 2 * votes, ballots.total[document] * (end - start))
    pairs = _touching((at_group, start, end), (group, ballots.start, ballots.end), voter)
    return _without_conflicts(Counted(document, start, end, label, votes, most, outcome, *pairs))


# --- parts --------------------------------------------------------------------------------------


def _sums(which: Ints, values: Ints, count: int) -> Ints:
    """Return whole sums by number; they stay far below what a float counts exactly."""
    return np.bincount(which, values, count).astype(np.int64)


def _outcome(votes: Ints, most: Ints, share: float | None) -> Ints:
    """Return gold or tie for each number of votes, −1 for neither."""
    if share is None:
        outcome = np.where(2 * votes > most, GOLD, np.where(2 * votes == most, TIE, -1))
    else:
        outcome = np.where(votes + _NEAR * most >= share * most, GOLD, -1)
    return np.where(votes > 0, outcome, -1)


class _Places:
    """Places in groups, sorted, to which values are added."""

    def __init__(self, group: Ints, at: Ints) -> None:
        self.step = int(at.max(initial=0)) + 1
        self.keys = group * self.step + at

    def sums(self, group: Ints, at: Ints, values: Ints) -> Ints:
        """Return the sum of the values at each place."""
        return _sums(np.searchsorted(self.keys, group * self.step + at), values, len(self.keys))


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
    place, which = ranges(low, np.maximum(low, high))
    run, who = order[place], voter[which]  # of some that do not touch, too
    here = (start[run] < marked[2][which]) & (marked[1][which] < end[run])
    (run, who), _, _ = distinct(run[here], who[here])
    return run, who


def _without_conflicts(counted: Counted) -> Counted:
    """Return the same with those as conflicts that overlap others, which nobody marked with them.

    Of two such segments the one with the greater share of the votes stays gold, of equals neither.
    """
    gold = np.flatnonzero(counted.outcome == GOLD)
    document, start, end = (column[gold] for column in counted[:3])
    order = np.lexsort((start, document))
    step = int(end.max(initial=0)) + 1
    first = (document * step + start)[order]
    high = np.searchsorted(first, (document * step + end)[order], side="left")
    other, one = ranges(np.arange(1, len(gold) + 1), np.maximum(high, np.arange(1, len(gold) + 1)))
    one, other = gold[order[one]], gold[order[other]]
    if not len(one):
        return counted
    # a pair that some voter marked is one that may stand together
    together = len(counted.outcome)
    by_voter, _, _ = distinct(counted.voter, counted.segment)
    key = by_voter[0] * together + by_voter[1]
    size = np.bincount(counted.segment, minlength=together)
    begin = np.cumsum(size) - size
    of_segment = np.argsort(counted.segment, kind="stable")
    place, pair = ranges(begin[one], begin[one] + size[one])
    who = counted.voter[of_segment[place]]
    wanted = who * together + other[pair]
    both = key[np.minimum(np.searchsorted(key, wanted), len(key) - 1)] == wanted
    apart = np.bincount(pair[both], minlength=len(one)) == 0
    one, other = one[apart], other[apart]
    outcome = counted.outcome.copy()
    share = counted.share
    outcome[one[share[one] <= share[other]]] = CONFLICT
    outcome[other[share[other] <= share[one]]] = CONFLICT
    return counted._replace(outcome=outcome)
