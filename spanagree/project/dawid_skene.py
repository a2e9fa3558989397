"""Model of Dawid & Skene (1979): probabilities of answers, given the errors of each annotator.

Each annotator has a confusion matrix: the probabilities of their answers for each true answer.
Expectation maximization starts from the shares of the votes T_ij for item i and answer j, and
alternates two steps:

    M:  p_j = mean of T_ij over items,   π_jl of annotator k ∝ Σ_i T_ij · [k answers l to item i]
    E:  T_ij ∝ p_j · Π_k π_jl of annotator k, with their answer l to item i

Probabilities and logarithms are rounded to multiples of a power of two. So all sums are exact,
independent of the order of annotators and documents. Arrays are shaped (items, tags) for T, (tags,)
for p, and (voters, true tags, answered tags) for π. Answers are called tags in the code, and
annotators voters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints

ROUNDS = 100
_CLOSE = 1e-5  # change of probabilities at which iteration stops
_LEAST = 1e-10  # smallest probability, as in crowd-kit
_FINE = 2.0**24  # probabilities and logarithms are multiples of 1 / _FINE


class Votes(NamedTuple):
    """Answers of voters to items.

    Attributes:
        item, voter, tag: columns of the votes, indices from 0.
        weight: number of times that each item counts, an integer.
        voters: number of voters.
        tags: number of tags.
    """

    item: Ints
    voter: Ints
    tag: Ints
    weight: Ints
    voters: int
    tags: int


class Truth(NamedTuple):
    """Estimates of the model.

    Attributes:
        probability: probability of each tag of each item; (items, tags).
        prior: probability of each tag; (tags,).
        confusion: probability of each answer by each voter, for each true tag; (voters, true tags,
            answered tags).
    """

    probability: Floats
    prior: Floats
    confusion: Floats


def dawid_skene(votes: Votes, rounds: int = ROUNDS, close: float = _CLOSE) -> Truth:
    """Estimate the probability of each tag of each item.

    Args:
        votes: answers of voters.
        rounds: largest number of iterations.
        close: change of probabilities below which iteration stops.
    >>> item, voter = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    >>> tag = np.array([0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1])
    >>> truth = dawid_skene(Votes(item, voter, tag, np.ones(4, int), 3, 2))
    >>> truth.probability.round(2).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    n_items, n_tags = len(votes.weight), votes.tags
    cell = votes.item * n_tags + votes.tag
    count = (
        np.bincount(cell, minlength=n_items * n_tags).reshape(n_items, n_tags).astype(np.float64)
    )
    probability: Floats = _round_finely(count / np.maximum(count.sum(1, keepdims=True), 1))
    prior, confusion = _maximize(votes, probability)
    for _ in range(rounds):
        previous, probability = probability, _expect(votes, prior, confusion)
        prior, confusion = _maximize(votes, probability)
        if np.abs(probability - previous).max(initial=0) < close:
            break
    return Truth(probability, prior, confusion)


def _round_finely(values: Floats) -> Floats:
    """Round values to multiples of a power of two, so that sums are exact."""
    return np.asarray(np.round(values * _FINE) / _FINE, np.float64)


def _maximize(votes: Votes, probability: Floats) -> tuple[Floats, Floats]:
    """Compute the prior p and the confusion matrices π from the probabilities T (M step)."""
    weight = votes.weight.astype(np.float64)
    n_voters, n_tags = votes.voters, votes.tags
    counts = np.empty((n_voters, n_tags, n_tags))
    for true_tag in range(n_tags):
        weights_of_votes = (probability[:, true_tag] * weight)[votes.item]
        sums = np.bincount(votes.voter * n_tags + votes.tag, weights_of_votes, n_voters * n_tags)
        counts[:, true_tag] = sums.reshape(n_voters, n_tags)
    counts = np.maximum(counts, _LEAST)
    prior = (probability * weight[:, None]).sum(0) / max(float(weight.sum()), 1.0)
    return np.maximum(prior, _LEAST), counts / counts.sum(2, keepdims=True)


def _expect(votes: Votes, prior: Floats, confusion: Floats) -> Floats:
    """Compute the probabilities T from the prior p and the confusion matrices π (E step)."""
    n_items = len(votes.weight)
    logs: Floats = _round_finely(np.log(confusion))
    log_odds = np.empty((n_items, votes.tags))
    for true_tag in range(votes.tags):
        logs_of_votes = logs[votes.voter, true_tag, votes.tag]
        log_odds[:, true_tag] = np.bincount(votes.item, logs_of_votes, n_items) + np.log(
            prior[true_tag]
        )
    odds = np.exp(log_odds - log_odds.max(1, keepdims=True, initial=-np.inf))
    return _round_finely(odds / odds.sum(1, keepdims=True))
