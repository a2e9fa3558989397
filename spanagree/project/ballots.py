"""Ballots of the voters, and the segments that a vote gives.

Votes are integers, also with weights, so that sums and ties are exact and independent of the order
of annotators. The *ballots* of a voter are the segments that they marked. Each document and label
is a separate *group*. Possible votes are the summed weights of the voters who saw the document.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import concatenate_segments

OUTCOMES = ("gold", "tie", "border", "conflict")
"""Outcomes of a segment; all except the first are to be adjudicated."""

GOLD, TIE, BORDER, CONFLICT = range(4)
NEITHER = -1  # outcome of pieces and segments with too few votes
UNIT = 2**20
"""Weight 1 as an integer."""


class Ballots(NamedTuple):
    """Segments of the voters, with the weights of their votes.

    Attributes:
        document, start, end, label: columns of the segments of all voters.
        voter: index of the voter of each segment.
        weight: weight of each voter, an integer.
        total: sum of the weights of voters who saw each document.
        n_labels: number of labels, from 1.
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    voter: Ints
    weight: Ints
    total: Ints
    n_labels: int

    @classmethod
    def from_corpus(cls, corpus: Corpus, weight: Ints) -> Ballots:
        """Collect the segments of voters.

        Args:
            corpus: voters as layers.
            weight: weight of each voter, an integer; :data:`UNIT` for weight 1.
        """
        total = np.zeros(len(corpus), np.int64)
        for layer, weight_of_voter in zip(corpus.layers.values(), weight.tolist(), strict=True):
            total[layer.annotated] += weight_of_voter
        columns = concatenate_segments(corpus.layers.values())
        return cls(*columns, weight, total, max(1, len(corpus.labels)))

    @property
    def group(self) -> Ints:
        """Group of each segment, a document and label as one integer."""
        return self.document * self.n_labels + self.label

    def encode_pair(self, document: Ints, first_label: Ints, second_label: Ints) -> Ints:
        """Encode a document and two labels, in any order, as an integer."""
        low, high = np.minimum(first_label, second_label), np.maximum(first_label, second_label)
        return np.asarray((document * self.n_labels + low) * self.n_labels + high, np.int64)

    def merge_by_label(self) -> MergedBallots:
        """Merge each voter's overlapping segments of a document and label."""
        columns = merge_overlapping(self.voter, self.group, self.start, self.end)
        return MergedBallots(*columns, weight=self.weight[columns[0]])

    def select_documents(self, documents: Bools) -> Ballots:
        """Select the segments in the documents of a mask."""
        rows = documents[self.document]
        names = ("document", "start", "end", "label", "voter")
        return self._replace(**{name: getattr(self, name)[rows] for name in names})


class MergedBallots(NamedTuple):
    """Segments of the voters, in which no voter has two overlapping segments of a group.

    Attributes:
        voter, group, start, end: columns of the segments.
        weight: weight of the vote of each segment.
    """

    voter: Ints
    group: Ints
    start: Ints
    end: Ints
    weight: Ints


class VotedSegments(NamedTuple):
    """Segments of a vote, with their outcomes.

    Attributes:
        document, start, end, label: columns of the segments.
        votes: number of votes for each segment; for votes on tokens, the sum over tokens.
        most: largest possible number of votes for each segment.
        outcome: index in :data:`OUTCOMES` of each segment.
        segment, voter: pairs of a segment and a voter who supports it, as indices.
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
        """Share of the votes for each segment."""
        return self.votes / np.maximum(self.most, 1)


def merge_overlapping(
    voter: Ints, group: Ints, start: Ints, end: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Merge the overlapping segments of each voter in each group.

    The arguments are columns of the segments; the result has the same columns of merged segments.
    """
    order = np.lexsort((end, start, group, voter))
    voter, group, start, end = (column[order] for column in (voter, group, start, end))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (voter[1:] != voter[:-1]) | (group[1:] != group[:-1])
    step = int(end.max(initial=0)) + 1
    shift = np.cumsum(is_new) * step
    furthest_end = np.maximum.accumulate(end + shift) - shift  # within the voter's group
    is_new[1:] |= start[1:] >= furthest_end[:-1]
    first_row = np.flatnonzero(is_new)
    last_row = np.append(first_row[1:], len(order))[: len(first_row)] - 1
    return voter[first_row], group[first_row], start[first_row], furthest_end[last_row]
