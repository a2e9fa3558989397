"""The best alignment of three or more annotators, an exact set packing by integer programmes.

First, all unitary alignments a that can be part of a best alignment are listed. With s_a the
*saving* of a, the cost of its units alone less its disorder, the best alignment solves

    max Σ_a s_a x_a,   Σ_{a ∋ u} x_a ≤ 1 for each unit u,   x_a ∈ {0, 1}.

Units linked by pairs that may be aligned form a *component*, and components are independent. A
linear programme with 0 ≤ x_a solves most components; each component with a fractional solution is
solved by an integer programme (HiGHS). Unitary alignments of the same size m are rows of
(alignments, m) units.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges
from spanagree.units.dissimilarity import (
    Dissimilarity,
    UnitPairs,
    Units,
    compute_tie_breaks,
    count_pairs,
)
from spanagree.units.time_limit import Deadline

_SCALE = 1e4  # factor of savings in programmes, as the solver's tolerances are absolute
_EXACT = 1e-10  # tolerance of a proven optimum, as a share of Δ_∅
_WHOLE = 1e-6  # tolerance of an integer solution
_COLUMNS = 100_000  # largest number of listed unitary alignments of a component


def find_components(pairs: UnitPairs, n_units: int) -> Ints:
    """Find the connected component of each unit, with pairs of units as links."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array(
        (np.ones(len(pairs.u), np.int8), (pairs.u, pairs.v)), shape=(n_units, n_units)
    )
    return np.asarray(connected_components(links.tocsr(), directed=False)[1], np.int64)


class _Candidates(NamedTuple):
    """Unitary alignments of one size.

    Attributes:
        units: units of each unitary alignment, in the order of annotators; (alignments, size).
        saving: saving of each unitary alignment over leaving its units alone.
    """

    units: Ints
    saving: Floats

    def select(self, is_selected: Bools) -> _Candidates:
        """Select the unitary alignments of a mask, with their savings."""
        return _Candidates(self.units[is_selected], self.saving[is_selected])


def find_best_alignment(
    units: Units,
    pairs: UnitPairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    group: Ints,
    deadline: Deadline,
) -> tuple[Floats, Bools]:
    """Find the best alignment in documents with three annotators or more.

    Args:
        units: units of all documents.
        pairs: pairs of units of these documents that may be aligned.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        group: unitary alignment of each unit; the best alignment is written here, with the index
            of the first unit of each unitary alignment.
        deadline: end of the time.

    Returns:
        Largest possible excess of the cost of each document, 0 if it is proven best; and a mask of
        the units in components that were not aligned, because they are too large or the time is
        over.
    """
    component = find_components(pairs, len(units.start))
    tolerance = _EXACT * dissimilarity.delta_empty
    gap = np.zeros(len(annotators))
    if deadline.is_over:
        return gap, np.isin(component, component[pairs.u])
    candidates_by_size, left_out = list_unitary_alignments(
        units, pairs, annotators, dissimilarity, component
    )
    if not candidates_by_size:
        return gap, left_out[component]
    x_by_size = _solve_relaxed(candidates_by_size, len(component), dissimilarity, deadline)
    if x_by_size is None:
        return gap, np.isin(component, component[pairs.u])
    is_fractional = np.zeros(len(left_out), np.bool_)
    for candidates, x in zip(candidates_by_size, x_by_size, strict=True):
        is_between = (x > _WHOLE) & (x < 1 - _WHOLE)
        is_fractional[component[candidates.units[is_between, 0]]] = True
    for candidates, x in zip(candidates_by_size, x_by_size, strict=True):
        selected = candidates.units[(x > 0.5) & ~is_fractional[component[candidates.units[:, 0]]]]
        group[selected] = selected[:, :1]
    for component_index in np.flatnonzero(is_fractional).tolist():
        members = np.flatnonzero(component == component_index)
        candidates_of_component = [
            candidates.select(component[candidates.units[:, 0]] == component_index)
            for candidates in candidates_by_size
        ]
        best_alignments, open_saving = _solve_integer(
            candidates_of_component, members, dissimilarity, deadline
        )
        left_out[component_index] = best_alignments is None
        for selected in best_alignments or ():
            group[selected] = selected[:, :1]
        if open_saving > tolerance * (1 + len(members)):
            gap[units.document[members[0]]] += open_saving
    return gap, left_out[component]


def list_unitary_alignments(
    units: Units,
    pairs: UnitPairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    component: Ints,
) -> tuple[list[_Candidates], Bools]:
    """List the unitary alignments that can be part of a best alignment.

    A unit adds Δ_∅ + Σ (Δ_∅ − d)/C, over its pairs, to the saving of its unitary alignment. If this
    is not positive, the alignment is better without the unit. Unitary alignments grow by units of
    one annotator after the other, as long as units of later annotators can still make the summand
    of every unit positive.

    Args:
        units: units of all documents.
        pairs: pairs of units that may be aligned, sorted.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        component: component of each unit.

    Returns:
        Unitary alignments by size, from two on; and a mask of the components that are left out,
        because they have more than 100,000.
    """
    empty, rank = dissimilarity.delta_empty, units.compute_ranks()
    per_pair = 1 / np.maximum(count_pairs(annotators), 1)[units.document]
    saving = (empty - pairs.value) * per_pair[pairs.u]
    begin = np.searchsorted(pairs.u, np.arange(len(rank) + 1))
    later_saving = _bound_later_savings(pairs, saving, rank)
    left_out = np.zeros(int(component.max(initial=-1)) + 1, np.bool_)
    n_listed = np.zeros(len(left_out), np.int64)
    candidates_by_size: list[_Candidates] = []
    units_of_candidate = np.column_stack((pairs.u, pairs.v))
    summand_of_unit = np.column_stack((empty + saving, empty + saving))  # summand of each unit
    total_saving = empty + saving
    while len(units_of_candidate):
        last_rank = rank[units_of_candidate[:, -1]]
        can_grow = (summand_of_unit + later_saving[units_of_candidate, last_rank[:, None]] > 0).all(
            axis=1
        )
        n_listed += np.bincount(component[units_of_candidate[can_grow, 0]], minlength=len(n_listed))
        left_out |= n_listed > _COLUMNS
        is_kept = can_grow & ~left_out[component[units_of_candidate[:, 0]]]
        units_of_candidate, summand_of_unit, last_rank = (
            units_of_candidate[is_kept],
            summand_of_unit[is_kept],
            last_rank[is_kept],
        )
        total_saving = total_saving[is_kept]
        is_useful = (summand_of_unit > 0).all(axis=1)
        candidates_by_size.append(
            _Candidates(units_of_candidate[is_useful], total_saving[is_useful])
        )
        pair, row = expand_ranges(
            begin[units_of_candidate[:, 0]], begin[units_of_candidate[:, 0] + 1]
        )
        added_unit = pairs.v[pair]
        is_later = rank[added_unit] > last_rank[row]
        row, added_unit = row[is_later], added_unit[is_later]
        saving_by_pair = np.column_stack(
            [
                _compute_savings(
                    units, units_of_candidate[row, j], added_unit, dissimilarity, per_pair
                )
                for j in range(units_of_candidate.shape[1])
            ]
        )
        summand_of_added = empty + saving_by_pair.sum(axis=1)
        summand_of_unit = np.column_stack((summand_of_unit[row] + saving_by_pair, summand_of_added))
        total_saving = total_saving[row] + summand_of_added
        units_of_candidate = np.column_stack((units_of_candidate[row], added_unit))
    candidates_by_size = [
        candidates.select(~left_out[component[candidates.units[:, 0]]])
        for candidates in candidates_by_size
    ]
    return [candidates for candidates in candidates_by_size if len(candidates.units)], left_out


def _bound_later_savings(pairs: UnitPairs, saving: Floats, rank: Ints) -> Floats:
    """Compute an upper bound of the saving that annotators after each rank add to a unit.

    Args:
        pairs: pairs of units that may be aligned.
        saving: saving of each pair.
        rank: index of each unit's annotator in its document.

    Returns:
        Sum of the largest saving with each later annotator, at least 0; (units, ranks).
    """
    best = np.zeros((len(rank), int(rank.max(initial=0)) + 1))
    np.maximum.at(best, (pairs.u, rank[pairs.v]), saving)
    from_here = best[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.column_stack((from_here[:, 1:], np.zeros(len(rank))))


def _compute_savings(
    units: Units, u: Ints, v: Ints, dissimilarity: Dissimilarity, per_pair: Floats
) -> Floats:
    """Compute the saving (Δ_∅ − d)/C of pairs of units.

    Args:
        units: units of all documents.
        u, v: units of each pair.
        dissimilarity: dissimilarity of two units.
        per_pair: 1/C in the document of each unit.
    """
    value = dissimilarity.compute_for_pairs(units, u, v) + compute_tie_breaks(
        units, u, v, dissimilarity
    )
    return np.asarray((dissimilarity.delta_empty - value) * per_pair[u], np.float64)


def _build_incidence(candidates_by_size: list[_Candidates], n_units: int) -> Any:
    """Build the sparse matrix with 1 for each unit of a unitary alignment; (units, alignments)."""
    from scipy.sparse import csc_array

    rows = np.concatenate([candidates.units.ravel() for candidates in candidates_by_size])
    alignment_sizes = np.concatenate(
        [
            np.full(len(alignments_of_size.units), alignments_of_size.units.shape[1])
            for alignments_of_size in candidates_by_size
        ]
    )
    begin = np.concatenate(([0], np.cumsum(alignment_sizes)))
    return csc_array((np.ones(len(rows)), rows, begin), shape=(n_units, len(alignment_sizes)))


def _solve_relaxed(
    candidates_by_size: list[_Candidates],
    n_units: int,
    dissimilarity: Dissimilarity,
    deadline: Deadline,
) -> list[Floats] | None:
    """Solve the linear programme with 0 ≤ x_a.

    Returns:
        x of the unitary alignments of each size; ``None`` if the time ends.
    """
    from scipy.optimize import linprog  # takes a tenth of a second to import

    saving = np.concatenate([candidates.saving for candidates in candidates_by_size])
    solved = linprog(
        -saving * (_SCALE / dissimilarity.delta_empty),
        A_ub=_build_incidence(candidates_by_size, n_units),
        b_ub=np.ones(n_units),
        bounds=(0, None),
        method="highs-ds",
        options=deadline.options,
    )
    if solved.status != 0:
        return None
    return np.split(
        solved.x, np.cumsum([len(candidates.units) for candidates in candidates_by_size])[:-1]
    )


def _solve_integer(
    candidates_by_size: list[_Candidates],
    members: Ints,
    dissimilarity: Dissimilarity,
    deadline: Deadline,
) -> tuple[list[Ints] | None, float]:
    """Solve the integer programme of one component.

    Args:
        candidates_by_size: unitary alignments of the component.
        members: units of the component.
        dissimilarity: dissimilarity of two units.
        deadline: end of the time.

    Returns:
        Selected unitary alignments by size, ``None`` if the time ends before a solution is found;
        and the largest possible further saving.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    candidates_by_size = [candidates for candidates in candidates_by_size if len(candidates.units)]
    saving = np.concatenate([candidates.saving for candidates in candidates_by_size])
    scale = _SCALE / dissimilarity.delta_empty
    indexed_candidates = [
        candidates._replace(units=np.searchsorted(members, candidates.units))
        for candidates in candidates_by_size
    ]
    solved = milp(
        -saving * scale,
        integrality=np.ones(len(saving)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(_build_incidence(indexed_candidates, len(members)), ub=1),
        options={"mip_rel_gap": 0.0, **deadline.options},
    )
    if solved.x is None:
        return None, 0.0
    is_selected = solved.x > 0.5
    selected_by_size = np.split(
        is_selected, np.cumsum([len(candidates.units) for candidates in candidates_by_size])[:-1]
    )
    best_alignments = [
        candidates.units[selected]
        for candidates, selected in zip(candidates_by_size, selected_by_size, strict=True)
    ]
    return best_alignments, float(-solved.mip_dual_bound / scale) - float(saving[is_selected].sum())
