"""The best alignment of units: exact, for two annotators and for more.

A unitary alignment holds at most one unit of each annotator; its disorder is the mean over pairs of
annotators of how unlike their units are, Δ_∅ where a unit is missing. The best alignment puts every
unit into one of them so that their disorders have the least sum.

Put otherwise: units left alone cost Δ_∅ each, and a unitary alignment of m units saves
(m − 1)·Δ_∅ + Σ over its pairs of (Δ_∅ − d)/C, with C the number of pairs of annotators. For two
annotators the greatest saving is an assignment problem; for more see :mod:`.unitary_alignments`.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, groups
from spanagree.units.dissimilarity import (
    Dissimilarity,
    Pairs,
    Units,
    near_pairs,
    pairs_of_annotators,
)
from spanagree.units.time_limit import NO_DEADLINE, Deadline
from spanagree.units.unitary_alignments import components, pack

_TOGETHER = 2000  # units that are assigned together; the time grows with the square
_AGAIN = 2  # times that each annotator's units are aligned anew with those of the others


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

    @property
    def lowest(self) -> Floats:
        """What the best alignment of each document costs at least."""
        return self.cost - self.gap


def reachable(annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return of each document how much units of a best alignment differ at most.

    Taking a unit out of its unitary alignment costs Δ_∅ and saves Σ (d − Δ_∅)/C over its pairs, of
    which none is below −Δ_∅/C.
    """
    most = pairs_of_annotators(annotators) + annotators - 1
    return np.asarray(most * dissimilarity.delta_empty, np.float64)


def aligned(
    units: Units,
    pairs: Pairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    deadline: Deadline = NO_DEADLINE,
) -> Alignment:
    """Return the best alignment, given all pairs that differ less than :func:`reachable` says.

    Of units that are too many for that, or when the time is over, it is a good one, and the least
    cost is that of the best alignments of each two annotators.
    """
    group = np.arange(len(units.start))
    gap = np.zeros(len(annotators))
    is_of_two = annotators[units.document[pairs.u]] == 2
    _assign(units, pairs.rows(is_of_two), dissimilarity, group)
    rest = pairs.rows(~is_of_two)
    unknown = np.zeros(len(annotators), np.bool_)
    if len(rest.u):
        gap, is_left = pack(units, rest, annotators, dissimilarity, group, deadline)
        _assign_in_turn(units, rest.rows(is_left[rest.u]), annotators, dissimilarity, group)
        unknown[units.document[is_left]] = True
    _, group = np.unique(group, return_inverse=True)
    cost = cost_of(units, group, annotators, dissimilarity)
    if unknown.any():
        least = _least(units.rows(unknown[units.document]), annotators, dissimilarity)
        gap[unknown] = np.maximum(cost - least, 0)[unknown]
    return Alignment(group, cost, gap)


def _assign_in_turn(
    units: Units, pairs: Pairs, annotators: Ints, dissimilarity: Dissimilarity, group: Ints
) -> None:
    """Align one annotator's units after the other's with what the others' are aligned to so far.

    Then each annotator's once more, as long as that is worth it: a good alignment, not the best.
    """
    if not len(pairs.u):
        return
    chosen = np.zeros(len(group), np.bool_)
    chosen[pairs.u] = chosen[pairs.v] = True
    number = units.ranks()
    count = np.maximum(pairs_of_annotators(annotators), 1)[units.document]
    saving = (dissimilarity.delta_empty - pairs.value) / count[pairs.u]
    unit_of_pair, partner = np.concatenate((pairs.u, pairs.v)), np.concatenate((pairs.v, pairs.u))
    saving = np.concatenate((saving, saving))
    former = np.where(chosen, np.arange(len(group)), group)
    group[chosen] = -1
    last = int(number[chosen].max())
    for turn in [*range(last + 1)] * (1 + _AGAIN):
        in_turn = chosen & (number == turn)
        group[in_turn] = -1
        group[chosen] = _by_first(group, chosen, former)
        near = in_turn[partner] & (group[unit_of_pair] >= 0)
        # a unit joins a unitary alignment only if it is near to all that are in it
        key = group[unit_of_pair[near]] * len(group) + partner[near]
        kinds, which = np.unique(key, return_inverse=True)
        to, unit = kinds // len(group), kinds % len(group)
        members = np.bincount(group[chosen & (group >= 0)], minlength=len(group))
        gain = dissimilarity.delta_empty + np.bincount(which, saving[near], len(kinds))
        fits = (np.bincount(which, minlength=len(kinds)) == members[to]) & (gain > 0)
        to, unit, gain = to[fits], unit[fits], gain[fits]
        group[in_turn] = former[in_turn]
        _assign(units, Pairs(to, unit, 2 * dissimilarity.delta_empty - gain), dissimilarity, group)
        group[chosen] = _by_first(group, chosen, former)


def _by_first(group: Ints, chosen: Bools, former: Ints) -> Ints:
    """Return unitary alignments by the number of their first unit; −1 stays."""
    first = np.full(len(group), len(group))
    some = chosen & (group >= 0)
    np.minimum.at(first, group[some], former[some])
    return np.where(group[chosen] >= 0, first[group[chosen]], -1)


def _annotators_with_units(units: Units, documents: int) -> Ints:
    """Return how many annotators have a unit in each document."""
    count = np.zeros(documents, np.int64)
    np.maximum.at(count, units.document, units.ranks() + 1)
    return count


def _least(units: Units, annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return a cost of each document below which no alignment can be.

    An alignment of all annotators is one of each two as well, so the best alignments of each two
    cost no more together.
    """
    documents, rank = len(annotators), units.ranks()
    count = _annotators_with_units(units, documents)
    total = np.zeros(documents)
    for two in itertools.combinations(range(int(count.max(initial=0))), 2):
        of_two = units.rows(np.isin(rank, two))
        present = _annotators_with_units(of_two, documents)
        pairs = near_pairs(of_two, reachable(present, dissimilarity), dissimilarity)
        total += aligned(of_two, pairs, present, dissimilarity).cost * pairs_of_annotators(present)
    # a unit is alone in its pairs with annotators who have none
    units_here = np.bincount(units.document, minlength=documents)
    total += dissimilarity.delta_empty * units_here * (annotators - count)
    return np.asarray(total / np.maximum(pairs_of_annotators(annotators), 1), np.float64)


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
    totals = np.array(sums) + missing * dissimilarity.delta_empty
    return np.asarray(totals / np.maximum(of_all, 1), np.float64)


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
