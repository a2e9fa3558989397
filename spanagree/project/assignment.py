"""Readers for documents, as evenly as can be: nobody reads what they have seen, or reads twice.

Documents and annotators are the two sides of a graph with an edge for each reading that is allowed.
Loads are as even as any assignment of the same readings can have them if no reading can be passed
on, along a chain of annotators, to one whose load is lower by two or more (Harvey et al. 2006:
optimal semi-matchings). Such chains lead from annotator to annotator, whatever the number of
documents, so they are found in a small matrix.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import Bools, Ints


def assign(is_allowed: Bools, n_wanted: Ints, n_before: Ints, limit: int | None = None) -> Bools:
    """Choose who reads which document.

    Where nobody is left for a document, or all have as much as the limit allows, fewer read it.
    Documents with fewer readers come first then, their new readers counted, and of these the first.

    Args:
        is_allowed: whether an annotator may read a document; (annotators, documents).
        n_wanted: number of readers that each document lacks.
        n_before: number of readers that each document has.
        limit: most documents for one annotator. Default: any number.

    Returns:
        Whether an annotator is to read a document; (annotators, documents).

    >>> allowed = np.array([[True, True, False], [True, True, True]])
    >>> assign(allowed, np.array([1, 1, 1]), np.zeros(3, int)).astype(int).tolist()
    [[1, 0, 0], [0, 1, 1]]
    >>> assign(allowed, np.array([1, 1, 1]), np.zeros(3, int), limit=1).sum(axis=0).tolist()
    [1, 1, 0]
    """
    n_possible = np.minimum(n_wanted, is_allowed.sum(axis=0))
    if limit is None:
        return _evened(is_allowed, _first_readers(is_allowed, n_possible))
    document = np.repeat(np.arange(len(n_possible)), n_possible)
    step = np.arange(len(document)) - np.repeat(np.cumsum(n_possible) - n_possible, n_possible)
    order = np.lexsort((document, n_before[document] + step))
    return _within_limit(is_allowed, document[order], limit)


def _within_limit(is_allowed: Bools, readings: Ints, limit: int) -> Bools:
    """Assign as many readings as a limit allows, the first ones first.

    A reading that cannot be added to those before it never can be later (the readings that can be
    assigned together are a matroid), so the longest beginning that fits is found by halving, and
    again among those that still reach an annotator below the limit.

    Args:
        is_allowed: whether an annotator may read a document.
        readings: the document of each reading, the most urgent first.
        limit: most documents for one annotator.
    """
    n_taken = np.zeros(is_allowed.shape[1], np.int64)
    is_assigned = np.zeros_like(is_allowed)
    while len(readings):
        room = limit * len(is_allowed) - int(n_taken.sum())
        tried = min(len(readings), room)
        fits, too_many = 0, tried + 1
        while fits + 1 < too_many:
            more = np.bincount(readings[:tried], minlength=len(n_taken))
            trial = _evened(is_allowed, _first_readers(is_allowed, n_taken + more))
            if trial.sum(axis=1).max(initial=0) <= limit:
                fits, is_assigned = tried, trial
            else:
                too_many = tried
            tried = (fits + too_many) // 2
        n_taken = is_assigned.sum(axis=0)
        reaches = _reaches(is_allowed, is_assigned, is_assigned.sum(axis=1) < limit)
        readings = readings[fits:]
        can_be_added = is_allowed & ~is_assigned & reaches[:, None]
        readings = readings[can_be_added[:, readings].any(axis=0)]
    return is_assigned


def _first_readers(is_allowed: Bools, n_readers: Ints) -> Bools:
    """Assign so many readers to each document, beginning with another annotator at each."""
    n_annotators, n_documents = is_allowed.shape
    first = (np.cumsum(n_readers) - n_readers) % max(n_annotators, 1)
    turned = (first + np.arange(n_annotators)[:, None]) % max(n_annotators, 1)
    in_turn = np.take_along_axis(is_allowed, turned, axis=0)
    is_chosen = in_turn & (np.cumsum(in_turn, axis=0) <= n_readers)
    is_assigned = np.zeros((n_annotators, n_documents), np.bool_)
    np.put_along_axis(is_assigned, turned, is_chosen, axis=0)
    return is_assigned


def _evened(is_allowed: Bools, is_assigned: Bools) -> Bools:
    """Pass readings on until no chain leads to a load that is lower by two or more."""
    passable = _passable(is_allowed, is_assigned)
    loads = is_assigned.sum(axis=1)
    place, by_load = 0, np.argsort(-loads, kind="stable")
    while place < len(by_load):
        source = int(by_load[place])
        if loads[source] - loads.min() < 2:
            break
        chain = _chain(passable > 0, loads, source)
        if chain is None:
            place += 1
            continue
        steps = list(pairwise(chain))
        n_passed = min(int(passable[step]) for step in steps)
        n_passed = min(n_passed, int(loads[chain[0]] - loads[chain[-1]]) // 2)
        moves = [
            np.flatnonzero(is_assigned[a] & is_allowed[b] & ~is_assigned[b])[:n_passed]
            for a, b in steps
        ]
        moved = np.unique(np.concatenate(moves))
        passable -= _passable(is_allowed[:, moved], is_assigned[:, moved])
        for (a, b), documents in zip(steps, moves, strict=True):
            is_assigned[a, documents] = False
            is_assigned[b, documents] = True
        passable += _passable(is_allowed[:, moved], is_assigned[:, moved])
        loads[chain[0]] -= n_passed
        loads[chain[-1]] += n_passed
        place, by_load = 0, np.argsort(-loads, kind="stable")
    return is_assigned


def _passable(is_allowed: Bools, is_assigned: Bools) -> NDArray[np.float32]:
    """Count the readings that each annotator could pass on to each other."""
    free = (is_allowed & ~is_assigned).astype(np.float32)  # for fast products; exact below 2^24
    return is_assigned.astype(np.float32) @ free.T


def _chain(is_passable: Bools, loads: Ints, first: int) -> list[int] | None:
    """Find a shortest chain to the lowest load that an annotator reaches, if it is lower by two."""
    before = np.full(len(loads), -1)
    before[first] = first
    reached = [first]
    for a in reached:
        new = np.flatnonzero(is_passable[a] & (before < 0))
        before[new] = a
        reached += new.tolist()
    last = min(reached, key=lambda a: int(loads[a]))  # of equal ones the nearest
    if loads[first] - loads[last] < 2:
        return None
    chain = [last]
    while chain[-1] != first:
        chain.append(int(before[chain[-1]]))
    return chain[::-1]


def _reaches(is_allowed: Bools, is_assigned: Bools, is_below: Bools) -> Bools:
    """Mark the annotators who are below a limit, or can pass a reading on to one who is."""
    is_passable = _passable(is_allowed, is_assigned) > 0
    reaches = is_below
    while (more := reaches | (is_passable & reaches).any(axis=1)).sum() > reaches.sum():
        reaches = more
    return reaches
