"""The best alignment of units, exact for two annotators and for more (Mathet et al. 2015).

A *unit* is a segment, and a *unitary alignment* contains at most one unit of each annotator. Its
*disorder* is

    δ = Σ d(u, v) / C,   over the C pairs of annotators,

where d is the dissimilarity of two units, or Δ_∅ if a unit is missing. An *alignment* puts every
unit of a document into one unitary alignment; its *cost* is the sum of their disorders, which is
smallest in the best alignment.

Equivalently, each unit alone costs Δ_∅, and a unitary alignment of m units saves

    (m − 1) Δ_∅ + Σ (Δ_∅ − d)/C,   over its pairs of units.

For two annotators the largest saving is an assignment problem; for more see
:mod:`.unitary_alignments`. The *rank* of an annotator is their position among the annotators with a
unit in the document. Arrays have one entry for each unit (`group`) or document (`cost`).
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, group_indices
from spanagree.units.dissimilarity import (
    Dissimilarity,
    UnitPairs,
    Units,
    count_pairs,
    find_near_pairs,
)
from spanagree.units.time_limit import NO_DEADLINE, Deadline
from spanagree.units.unitary_alignments import find_best_alignment, find_components

_TOGETHER = 2000  # number of units in one assignment problem; the time grows with the square
_AGAIN = 2  # number of further passes over the annotators


class UnitAlignment(NamedTuple):
    """An alignment of the units of many documents.

    Attributes:
        group: unitary alignment of each unit, numbered from 0 in the order of the units.
        cost: sum of the disorders of the unitary alignments of each document.
        gap: largest possible excess of the cost over that of the best alignment, for each
            document; 0 if the alignment is proven to be best.
    """

    group: Ints
    cost: Floats
    gap: Floats

    @property
    def lowest(self) -> Floats:
        """Lower bound of the cost of the best alignment of each document."""
        return self.cost - self.gap


def bound_disorder(annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Compute an upper bound of the dissimilarity of two units aligned in a best alignment.

    There is a bound for each document. If a unit leaves its unitary alignment, this costs Δ_∅ and
    saves Σ (d − Δ_∅)/C over its pairs. Each summand is at least −Δ_∅/C, so d ≤ (C + n − 1) Δ_∅ for
    n annotators with C pairs.
    """
    factor = count_pairs(annotators) + annotators - 1
    return np.asarray(factor * dissimilarity.delta_empty, np.float64)


def align_units(
    units: Units,
    pairs: UnitPairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    deadline: Deadline = NO_DEADLINE,
) -> UnitAlignment:
    """Compute the best alignment of the units of many documents.

    If there are too many units, or the time is over, the alignment is good but unproven. Its gap
    then follows from the best alignments of each two annotators.

    Args:
        units: units of all documents.
        pairs: pairs of units with a dissimilarity below :func:`bound_disorder`.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        deadline: end of the time.
    """
    group = np.arange(len(units.start))
    gap = np.zeros(len(annotators))
    is_of_two = annotators[units.document[pairs.u]] == 2
    _assign_partners(units, pairs.select_rows(is_of_two), dissimilarity, group)
    larger_pairs = pairs.select_rows(~is_of_two)
    is_unproven = np.zeros(len(annotators), np.bool_)
    if len(larger_pairs.u):
        gap, is_left = find_best_alignment(
            units, larger_pairs, annotators, dissimilarity, group, deadline
        )
        _assign_in_turn(
            units,
            larger_pairs.select_rows(is_left[larger_pairs.u]),
            annotators,
            dissimilarity,
            group,
        )
        is_unproven[units.document[is_left]] = True
    _, group = np.unique(group, return_inverse=True)
    cost = compute_cost(units, group, annotators, dissimilarity)
    if is_unproven.any():
        lowest_cost = _bound_cost(
            units.select_rows(is_unproven[units.document]), annotators, dissimilarity
        )
        gap[is_unproven] = np.maximum(cost - lowest_cost, 0)[is_unproven]
    return UnitAlignment(group, cost, gap)


def _assign_in_turn(
    units: Units, pairs: UnitPairs, annotators: Ints, dissimilarity: Dissimilarity, group: Ints
) -> None:
    """Find a good alignment greedily, annotator after annotator, and write it to `group`.

    In a turn, the units of one annotator leave their unitary alignments, and join those of the
    other annotators by an assignment of the largest gain. Every annotator has `1 + _AGAIN` turns.

    Args:
        units: units of all documents.
        pairs: pairs of units that may be aligned.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        group: unitary alignment of each unit; changed in place.
    """
    if not len(pairs.u):
        return
    is_movable = np.zeros(len(group), np.bool_)
    is_movable[pairs.u] = is_movable[pairs.v] = True
    rank = units.compute_ranks()
    n_pairs = np.maximum(count_pairs(annotators), 1)[units.document]
    saving = (dissimilarity.delta_empty - pairs.value) / n_pairs[pairs.u]
    unit_of_pair, partner = np.concatenate((pairs.u, pairs.v)), np.concatenate((pairs.v, pairs.u))
    saving = np.concatenate((saving, saving))
    initial_group = np.where(is_movable, np.arange(len(group)), group)
    group[is_movable] = -1
    last_rank = int(rank[is_movable].max())
    for rank_in_turn in [*range(last_rank + 1)] * (1 + _AGAIN):
        in_turn = is_movable & (rank == rank_in_turn)
        group[in_turn] = -1
        group[is_movable] = _identify_by_first_unit(group, is_movable, initial_group)
        can_join = in_turn[partner] & (group[unit_of_pair] >= 0)
        # a unit joins a unitary alignment only if it is near every unit of it
        target_and_unit = group[unit_of_pair[can_join]] * len(group) + partner[can_join]
        distinct_keys, key_index = np.unique(target_and_unit, return_inverse=True)
        target, candidate = distinct_keys // len(group), distinct_keys % len(group)
        n_members = np.bincount(group[is_movable & (group >= 0)], minlength=len(group))
        gain = dissimilarity.delta_empty + np.bincount(
            key_index, saving[can_join], len(distinct_keys)
        )
        joins_all = (np.bincount(key_index, minlength=len(distinct_keys)) == n_members[target]) & (
            gain > 0
        )
        target, candidate, gain = target[joins_all], candidate[joins_all], gain[joins_all]
        group[in_turn] = initial_group[in_turn]
        _assign_partners(
            units,
            UnitPairs(target, candidate, 2 * dissimilarity.delta_empty - gain),
            dissimilarity,
            group,
        )
        group[is_movable] = _identify_by_first_unit(group, is_movable, initial_group)


def _identify_by_first_unit(group: Ints, is_movable: Bools, initial_group: Ints) -> Ints:
    """Number each unitary alignment by its first unit; −1 for units without an alignment.

    Args:
        group: unitary alignment of each unit.
        is_movable: mask of the units to relabel.
        initial_group: unit that identifies each unit while it is alone.

    Returns:
        Number of the unitary alignment of each movable unit.
    """
    first_unit = np.full(len(group), len(group))
    has_group = is_movable & (group >= 0)
    np.minimum.at(first_unit, group[has_group], initial_group[has_group])
    return np.where(group[is_movable] >= 0, first_unit[group[is_movable]], -1)


def _count_annotators_with_units(units: Units, n_documents: int) -> Ints:
    """Count the annotators with a unit in each document."""
    count = np.zeros(n_documents, np.int64)
    np.maximum.at(count, units.document, units.compute_ranks() + 1)
    return count


def _bound_cost(units: Units, annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Compute a lower bound of the cost of the best alignment of each document.

    An alignment of all annotators contains an alignment of each two. So its cost is at least the
    sum of the costs of the best alignments of two, each weighted by 1/C.
    """
    n_documents, rank = len(annotators), units.compute_ranks()
    n_with_units = _count_annotators_with_units(units, n_documents)
    costs = np.zeros(n_documents)
    for rank_pair in itertools.combinations(range(int(n_with_units.max(initial=0))), 2):
        units_of_pair = units.select_rows(np.isin(rank, rank_pair))
        n_present = _count_annotators_with_units(units_of_pair, n_documents)
        pairs = find_near_pairs(
            units_of_pair, bound_disorder(n_present, dissimilarity), dissimilarity
        )
        costs += align_units(units_of_pair, pairs, n_present, dissimilarity).cost * count_pairs(
            n_present
        )
    # next to an annotator without units, each unit is alone
    n_units = np.bincount(units.document, minlength=n_documents)
    costs += dissimilarity.delta_empty * n_units * (annotators - n_with_units)
    return np.asarray(costs / np.maximum(count_pairs(annotators), 1), np.float64)


def compute_cost(
    units: Units, group: Ints, annotators: Ints, dissimilarity: Dissimilarity
) -> Floats:
    """Compute the disorder of the alignment of each document.

    The disorder is the sum of the dissimilarities of aligned units, and of Δ_∅ for each missing
    unit, divided by the number of pairs of annotators. Sums are correctly rounded, so the order of
    units changes no digit.

    Args:
        units: units of all documents.
        group: unitary alignment of each unit.
        annotators: number of annotators of each document.
        dissimilarity: dissimilarity of two units.
    """
    u, v = find_aligned_pairs(group)
    values = dissimilarity.compute_for_pairs(units, u, v)
    n_members = np.bincount(group)
    document = np.zeros(len(n_members), np.int64)
    document[group] = units.document
    n_pairs = count_pairs(annotators)
    n_empty_pairs = n_pairs[document] - n_members * (n_members - 1) // 2
    n_missing = np.bincount(document, n_empty_pairs, len(annotators))
    sums = [
        math.fsum(values[rows].tolist())
        for rows in group_indices(units.document[u], len(annotators))
    ]
    totals = np.array(sums) + n_missing * dissimilarity.delta_empty
    return np.asarray(totals / np.maximum(n_pairs, 1), np.float64)


def find_aligned_pairs(group: Ints) -> tuple[Ints, Ints]:
    """Find the pairs of units in the same unitary alignment, sorted.

    >>> [x.tolist() for x in find_aligned_pairs(np.array([0, 1, 0, 0]))]
    [[0, 0, 2], [2, 3, 3]]
    """
    order = np.argsort(group, kind="stable")
    u, v = [order[:0]], [order[:0]]
    step = 1
    while step < len(order):
        is_same_group = group[order[step:]] == group[order[:-step]]
        if not is_same_group.any():
            break
        u.append(order[:-step][is_same_group])
        v.append(order[step:][is_same_group])
        step += 1
    first, second = np.concatenate(u), np.concatenate(v)
    pair_order = np.lexsort((second, first))
    return first[pair_order], second[pair_order]


def _assign_partners(
    units: Units, pairs: UnitPairs, dissimilarity: Dissimilarity, group: Ints
) -> None:
    """Align the units of two annotators, and write the alignment to `group`.

    The second unit of an aligned pair gets the index of the first unit as its group. Components of
    linked units are independent; small components are assigned together.

    Args:
        units: units of all documents.
        pairs: pairs of units that may be aligned.
        dissimilarity: dissimilarity of two units.
        group: unitary alignment of each unit; changed in place.
    """
    if not len(pairs.u):
        return
    component = find_components(pairs, len(units.start))
    component_size = np.bincount(component)
    order = np.argsort(component[pairs.u], kind="stable")
    batch_of_pair = (np.cumsum(component_size) // _TOGETHER)[component[pairs.u[order]]]
    for rows in np.split(order, np.flatnonzero(np.diff(batch_of_pair)) + 1):
        _assign_components(pairs.select_rows(rows), dissimilarity, group)


def _assign_components(pairs: UnitPairs, dissimilarity: Dissimilarity, group: Ints) -> None:
    """Find the best assignment of the pairs of some components, and write it to `group`.

    The second unit of an aligned pair gets the index of the first unit as its group.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    first, row = np.unique(pairs.u, return_inverse=True)
    second, column = np.unique(pairs.v, return_inverse=True)
    first_index = np.arange(len(first))
    # a first unit alone costs 2 Δ_∅; Δ_∅ is added to all, as the solver drops edges of weight 0
    weight = np.concatenate((pairs.value, np.full(len(first), 2 * dissimilarity.delta_empty)))
    cost_matrix = csr_array(
        (
            weight + dissimilarity.delta_empty,
            (
                np.concatenate((row, first_index)),
                np.concatenate((column, len(second) + first_index)),
            ),
        ),
        shape=(len(first), len(second) + len(first)),
    )
    rows, columns = min_weight_full_bipartite_matching(cost_matrix)
    paired = columns < len(second)
    group[second[columns[paired]]] = first[rows[paired]]
