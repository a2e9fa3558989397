"""Dawid & Skene's model: how likely each answer is, given how often each annotator errs.

Dawid & Skene (1979). Each annotator has a confusion matrix: how often she says each tag where
another is true. Expectation maximisation starts from the shares of the votes and alternates: the
confusion matrices that fit the tags, then the tags that fit the confusion matrices.

Probabilities are kept as multiples of a power of two, and so are logarithms. So all sums are exact,
and neither the order of annotators nor that of documents changes a digit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints

ROUNDS = 100
_CLOSE = 1e-5  # probabilities that change by less have converged
_LEAST = 1e-10  # of a probability, as in crowd-kit
_FINE = 2.0**24  # probabilities and logarithms are multiples of its reciprocal


class Votes(NamedTuple):
    """Who said what of which item.

    Attributes:
        item, voter, tag: of each vote.
        weight: of each item, how often it counts; whole numbers.
        voters: how many voters there are.
        tags: how many tags there are.
    """

    item: Ints
    voter: Ints
    tag: Ints
    weight: Ints
    voters: int
    tags: int


class Truth(NamedTuple):
    """What the model says.

    Attributes:
        probability: of each item and tag that it is true; (items, tags).
        prior: of each tag; (tags,).
        confusion: how often each voter says a tag where one is true; (voters, true, said).
    """

    probability: Floats
    prior: Floats
    confusion: Floats


def dawid_skene(votes: Votes, rounds: int = ROUNDS, close: float = _CLOSE) -> Truth:
    """Return the probability of each tag of each item.

    Args:
        votes: who said what.
        rounds: at most.
        close: ends the rounds once no probability changes by as much.

    >>> item, voter = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    >>> tag = np.array([0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1])
    >>> truth = dawid_skene(Votes(item, voter, tag, np.ones(4, int), 3, 2))
    >>> truth.probability.round(2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    items, tags = len(votes.weight), votes.tags
    cell = votes.item * tags + votes.tag
    count = np.bincount(cell, minlength=items * tags).reshape(items, tags).astype(np.float64)
    share: Floats = _fine(count / np.maximum(count.sum(1, keepdims=True), 1))
    prior, confusion = _maximised(votes, share)
    for _ in range(rounds):
        before, share = share, _expected(votes, prior, confusion)
        prior, confusion = _maximised(votes, share)
        if np.abs(share - before).max(initial=0) < close:
            break
    return Truth(share, prior, confusion)


def _fine(values: Floats) -> Floats:
    """Return values as multiples of a power of two, whose sums are exact."""
    return np.asarray(np.round(values * _FINE) / _FINE, np.float64)


def _maximised(votes: Votes, share: Floats) -> tuple[Floats, Floats]:
    """Return the prior and the confusion matrices that fit the probabilities best."""
    weight = votes.weight.astype(np.float64)
    voters, tags = votes.voters, votes.tags
    counts = np.empty((voters, tags, tags))
    for true in range(tags):
        weighted = (share[:, true] * weight)[votes.item]
        summed = np.bincount(votes.voter * tags + votes.tag, weighted, voters * tags)
        counts[:, true] = summed.reshape(voters, tags)
    counts = np.maximum(counts, _LEAST)
    prior = (share * weight[:, None]).sum(0) / max(float(weight.sum()), 1.0)
    return np.maximum(prior, _LEAST), counts / counts.sum(2, keepdims=True)


def _expected(votes: Votes, prior: Floats, confusion: Floats) -> Floats:
    """Return the probabilities that fit the confusion matrices best."""
    items = len(votes.weight)
    logs: Floats = _fine(np.log(confusion))
    total = np.empty((items, votes.tags))
    for true in range(votes.tags):
        of_votes = logs[votes.voter, true, votes.tag]
        total[:, true] = np.bincount(votes.item, of_votes, items) + np.log(prior[true])
    odds = np.exp(total - total.max(1, keepdims=True, initial=-np.inf))
    return _fine(odds / odds.sum(1, keepdims=True))
