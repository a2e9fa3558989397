"""Assignment of documents to annotators as readers, with loads as even as possible.

A reading is a document that is assigned to an annotator, who must not have read it. The load of an
annotator is the number of their readings. A reading is passable from one annotator to another if it
is assigned to the first, and the second may read the document too. A chain is a sequence of
annotators with a passable reading from each to the next: if each passes one on, the load of the
first decreases by one, and the load of the last increases by one. Loads are as even as possible if
no chain leads to a load that is lower by two or more (Harvey et al. 2006: optimal semi-matchings).
Chains depend only on the matrix (annotators, annotators) of numbers of passable readings.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import Bools, Ints


def assign(is_allowed: Bools, n_wanted: Ints, n_before: Ints, limit: int | None = None) -> Bools:
    """Choose the readers of each document.

    If annotators for a document run out, or all reach the limit, fewer read it. Then documents with
    fewer readers, including new readers, have priority; with equally many, the first.

    Args:
        is_allowed: mask of readings that are allowed; (annotators, documents).
        n_wanted: number of readers that each document lacks.
        n_before: number of readers that each document has.
        limit: largest number of documents for one annotator. Default: any number.

    Returns:
        Mask of the readings that are assigned; (annotators, documents).

    >>> allowed = np.array([[True, True, False], [True, True, True]])
    >>> assign(allowed, np.array([1, 1, 1]), np.zeros(3, int)).astype(int).tolist()
    [[1, 0, 0], [0, 1, 1]]
    >>> assign(allowed, np.array([1, 1, 1]), np.zeros(3, int), limit=1).sum(axis=0).tolist()
    [1, 1, 0]
    """
    n_possible = np.minimum(n_wanted, is_allowed.sum(axis=0))
    if limit is None:
        return _balance_loads(is_allowed, _assign_in_turn(is_allowed, n_possible))
    document = np.repeat(np.arange(len(n_possible)), n_possible)
    step = np.arange(len(document)) - np.repeat(np.cumsum(n_possible) - n_possible, n_possible)
    order = np.lexsort((document, n_before[document] + step))
    return _assign_within_limit(is_allowed, document[order], limit)


def _assign_within_limit(is_allowed: Bools, readings: Ints, limit: int) -> Bools:
    """Assign as many readings as a limit allows, in order of priority.

    The sets of readings that can be assigned together are a matroid: a reading that cannot be added
    to earlier readings cannot be added after further readings either. So the longest list of first
    readings that fits is found by bisection. This is repeated with the other readings that can
    still reach an annotator below the limit.

    Args:
        is_allowed: mask of readings that are allowed; (annotators, documents).
        readings: document of each reading, the most urgent first.
        limit: largest number of documents for one annotator.
    """
    n_assigned = np.zeros(is_allowed.shape[1], np.int64)
    is_assigned = np.zeros_like(is_allowed)
    while len(readings):
        n_free = limit * len(is_allowed) - int(n_assigned.sum())
        n_tried = min(len(readings), n_free)
        n_fitting, n_too_many = 0, n_tried + 1
        while n_fitting + 1 < n_too_many:
            n_more = np.bincount(readings[:n_tried], minlength=len(n_assigned))
            trial = _balance_loads(is_allowed, _assign_in_turn(is_allowed, n_assigned + n_more))
            if trial.sum(axis=1).max(initial=0) <= limit:
                n_fitting, is_assigned = n_tried, trial
            else:
                n_too_many = n_tried
            n_tried = (n_fitting + n_too_many) // 2
        n_assigned = is_assigned.sum(axis=0)
        can_reach = _find_annotators_with_chain(
            is_allowed, is_assigned, is_assigned.sum(axis=1) < limit
        )
        readings = readings[n_fitting:]
        can_be_added = is_allowed & ~is_assigned & can_reach[:, None]
        readings = readings[can_be_added[:, readings].any(axis=0)]
    return is_assigned


def _assign_in_turn(is_allowed: Bools, n_readers: Ints) -> Bools:
    """Assign readers to each document in turn, continuing after the annotators assigned before.

    Args:
        is_allowed: mask of readings that are allowed; (annotators, documents).
        n_readers: number of readers to assign to each document.
    """
    n_annotators, n_documents = is_allowed.shape
    first_reader = (np.cumsum(n_readers) - n_readers) % max(n_annotators, 1)
    reader_order = (first_reader + np.arange(n_annotators)[:, None]) % max(n_annotators, 1)
    is_allowed_in_order = np.take_along_axis(is_allowed, reader_order, axis=0)
    is_chosen = is_allowed_in_order & (np.cumsum(is_allowed_in_order, axis=0) <= n_readers)
    is_assigned = np.zeros((n_annotators, n_documents), np.bool_)
    np.put_along_axis(is_assigned, reader_order, is_chosen, axis=0)
    return is_assigned


def _balance_loads(is_allowed: Bools, is_assigned: Bools) -> Bools:
    """Pass readings on along chains until loads are as even as possible.

    The mask ``is_assigned``, (annotators, documents), is changed in place and returned.
    """
    n_passable = _count_passable(is_allowed, is_assigned)
    loads = is_assigned.sum(axis=1)
    position, by_load = 0, np.argsort(-loads, kind="stable")
    while position < len(by_load):
        source = int(by_load[position])
        if loads[source] - loads.min() < 2:
            break
        chain = _find_chain(n_passable > 0, loads, source)
        if chain is None:
            position += 1
            continue
        steps = list(pairwise(chain))
        n_passed = min(int(n_passable[step]) for step in steps)
        n_passed = min(n_passed, int(loads[chain[0]] - loads[chain[-1]]) // 2)
        documents_by_step = [
            np.flatnonzero(is_assigned[giver] & is_allowed[taker] & ~is_assigned[taker])[:n_passed]
            for giver, taker in steps
        ]
        moved_documents = np.unique(np.concatenate(documents_by_step))
        n_passable -= _count_passable(
            is_allowed[:, moved_documents], is_assigned[:, moved_documents]
        )
        for (giver, taker), documents in zip(steps, documents_by_step, strict=True):
            is_assigned[giver, documents] = False
            is_assigned[taker, documents] = True
        n_passable += _count_passable(
            is_allowed[:, moved_documents], is_assigned[:, moved_documents]
        )
        loads[chain[0]] -= n_passed
        loads[chain[-1]] += n_passed
        position, by_load = 0, np.argsort(-loads, kind="stable")
    return is_assigned


def _count_passable(is_allowed: Bools, is_assigned: Bools) -> NDArray[np.float32]:
    """Count the readings that each annotator could pass on to each other annotator."""
    is_free = (is_allowed & ~is_assigned).astype(np.float32)  # for fast products; exact below 2^24
    return is_assigned.astype(np.float32) @ is_free.T


def _find_chain(is_passable: Bools, loads: Ints, first_annotator: int) -> list[int] | None:
    """Find a shortest chain from an annotator to the lowest load that chains can reach.

    Args:
        is_passable: mask of pairs with a passable reading; (givers, takers).
        loads: load of each annotator.
        first_annotator: index of the annotator at the beginning of the chain.

    Returns:
        Indices of the annotators of the chain; ``None`` if no load in reach is lower by two.
    """
    predecessor = np.full(len(loads), -1)
    predecessor[first_annotator] = first_annotator
    reached = [first_annotator]
    for annotator in reached:
        newly_reached = np.flatnonzero(is_passable[annotator] & (predecessor < 0))
        predecessor[newly_reached] = annotator
        reached += newly_reached.tolist()
    last_annotator = min(
        reached, key=lambda annotator: int(loads[annotator])
    )  # with equal loads, the nearest
    if loads[first_annotator] - loads[last_annotator] < 2:
        return None
    chain = [last_annotator]
    while chain[-1] != first_annotator:
        chain.append(int(predecessor[chain[-1]]))
    return chain[::-1]


def _find_annotators_with_chain(is_allowed: Bools, is_assigned: Bools, is_below: Bools) -> Bools:
    """Compute the mask of annotators from whom a chain leads to an annotator below the limit.

    ``is_below`` is the mask of annotators below the limit, who are included.
    """
    is_passable = _count_passable(is_allowed, is_assigned) > 0
    can_reach = is_below
    while (extended := can_reach | (is_passable & can_reach).any(axis=1)).sum() > can_reach.sum():
        can_reach = extended
    return can_reach
