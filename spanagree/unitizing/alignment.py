"""The best alignment of units: exact, for two annotators and for more.

A unitary alignment holds at most one unit of each annotator; its disorder is the mean over pairs of
annotators of how unlike their units are, Δ_∅ where a unit is missing. The best alignment puts every
unit into one of them so that their disorders have the least sum.

Put otherwise: units left alone cost Δ_∅ each, and a unitary alignment of m units saves
(m − 1)·Δ_∅ + Σ over its pairs of (Δ_∅ − d)/C, with C the number of pairs of annotators. For two
annotators the greatest saving is an assignment problem; for more see :mod:`.packing`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, groups
from spanagree.unitizing.dissimilarity import Dissimilarity, Pairs, Units, near_pairs
from spanagree.unitizing.packing import components, pack

_TOGETHER = 2000  # units that are assigned together; the time grows with the square


class Alignment(NamedTuple):
    """An alignment of the units of many documents.

    Attributes:
        group: of each unit its unitary alignment, numbered from 0 in the order of the units.
        cost: of each document the sum of the disorders of its unitary alignments.
        gap: of each document, by how much the best alignment may be better; 0 if it is proven.
    """

    group: Ints
    cost: Floats
    gap: Floats


def pairs_of_annotators(annotators: Ints) -> Ints:
    """Return how many pairs so many annotators make."""
    return annotators * (annotators - 1) // 2


def best_alignment(units: Units, annotators: Ints, dissimilarity: Dissimilarity) -> Alignment:
    """Return the best alignment of each document.

    Args:
        units: the units, sorted.
        annotators: of each document, how many annotators saw it; two or more where units are.
        dissimilarity: of two units.
    """
    pairs = near_pairs(units, reachable(annotators, dissimilarity), dissimilarity)
    return aligned(units, pairs, annotators, dissimilarity)


def reachable(annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return of each document how much units of a best alignment differ at most.

    Taking a unit out of its unitary alignment costs Δ_∅ and saves Σ (d − Δ_∅)/C over its pairs, of
    which none is below −Δ_∅/C.
    """
    most = pairs_of_annotators(annotators) + annotators - 1
    return np.asarray(most * dissimilarity.delta_empty, np.float64)


def aligned(
    units: Units, pairs: Pairs, annotators: Ints, dissimilarity: Dissimilarity
) -> Alignment:
    """Return the best alignment, given all pairs that differ less than :func:`reachable` says."""
    two = annotators[units.document] == 2
    group = np.arange(len(units.start))
    gap = np.zeros(len(annotators))
    chosen = two[pairs.u]
    _assign(units, pairs.rows(chosen), dissimilarity, group)
    rest = pairs.rows(~chosen)
    if len(rest.u):
        gap += pack(units, rest, annotators, dissimilarity, group)
    _, group = np.unique(group, return_inverse=True)
    cost = cost_of(units, group, annotators, dissimilarity)
    for document in np.flatnonzero(np.isnan(gap)).tolist():
        here = units.rows(units.document == document)
        gap[document] = cost[document] - _least_by_pairs(here, annotators[document], dissimilarity)
    return Alignment(group, cost, gap)


def _least_by_pairs(units: Units, annotators: int, dissimilarity: Dissimilarity) -> float:
    """Return a cost below which no alignment of a document can be: the mean over its pairs."""
    names = np.unique(units.annotator).tolist()
    costs = []
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            pair = units.rows(np.isin(units.annotator, (one, other)))
            both = pair._replace(document=np.zeros(len(pair.start), np.int64))
            costs.append(best_alignment(both, np.array([2]), dissimilarity).cost[0])
    return math.fsum(costs) / (annotators * (annotators - 1) / 2)


def cost_of(units: Units, group: Ints, annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return the sum of the disorders of the unitary alignments of each document.

    The sums are exact, so that no order changes a digit.
    """
    u, v = aligned_pairs(group)
    value = dissimilarity.of_pairs(units, u, v)
    size = np.bincount(group)
    document = np.zeros(len(size), np.int64)
    document[group] = units.document
    of_all = pairs_of_annotators(annotators)
    empty = of_all[document] - size * (size - 1) // 2
    missing = np.bincount(document, empty, len(annotators))
    sums = [math.fsum(value[rows].tolist()) for rows in groups(units.document[u], len(annotators))]
    whole = np.array(sums) + missing * dissimilarity.delta_empty
    return np.asarray(whole / np.maximum(of_all, 1), np.float64)


def aligned_pairs(group: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of units in the same unitary alignment.

    >>> [x.tolist() for x in aligned_pairs(np.array([0, 1, 0, 0]))]
    [[0, 0, 2], [2, 3, 3]]
    """
    order = np.argsort(group, kind="stable")
    u, v = [order[:0]], [order[:0]]
    step = 1
    while step < len(order):
        same = group[order[step:]] == group[order[:-step]]
        if not same.any():
            break
        u.append(order[:-step][same])
        v.append(order[step:][same])
        step += 1
    first, second = np.concatenate(u), np.concatenate(v)
    by_first = np.lexsort((second, first))
    return first[by_first], second[by_first]


def _assign(units: Units, pairs: Pairs, dissimilarity: Dissimilarity, group: Ints) -> None:
    """Align the units of two annotators: write the number of the first unit to that of the second.

    Components are assigned together as long as they are small.
    """
    if not len(pairs.u):
        return
    component = components(pairs, len(units.start))
    size = np.bincount(component)
    order = np.argsort(component[pairs.u], kind="stable")
    portion = (np.cumsum(size) // _TOGETHER)[component[pairs.u[order]]]
    for rows in np.split(order, np.flatnonzero(np.diff(portion)) + 1):
        _assign_portion(pairs.rows(rows), dissimilarity, group)


def _assign_portion(pairs: Pairs, dissimilarity: Dissimilarity, group: Ints) -> None:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    first, row = np.unique(pairs.u, return_inverse=True)
    second, column = np.unique(pairs.v, return_inverse=True)
    alone = np.arange(len(first))
    # every first unit may stay alone, which costs Δ_∅ twice; weights of 0 would be no edges
    weight = np.concatenate((pairs.value, np.full(len(first), 2 * dissimilarity.delta_empty)))
    table = csr_array(
        (
            weight + dissimilarity.delta_empty,
            (np.concatenate((row, alone)), np.concatenate((column, len(second) + alone))),
        ),
        shape=(len(first), len(second) + len(first)),
    )
    rows, columns = min_weight_full_bipartite_matching(table)
    paired = columns < len(second)
    group[second[columns[paired]]] = first[rows[paired]]
