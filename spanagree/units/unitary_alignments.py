"""The best alignment of three and more annotators: an exact set packing by integer programmes.

All unitary alignments that can be part of a best alignment are listed. Those of units that are
linked by near pairs form a component, and components are solved apart: a linear programme over the
unitary alignments x, which maximises Σ saving(x) where each unit is in one at most, and an integer
programme (HiGHS) for each component of which that solution is not whole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, ranges
from spanagree.units.dissimilarity import (
    Dissimilarity,
    Pairs,
    Units,
    pairs_of_annotators,
    tie_breaks,
)
from spanagree.units.time_limit import Deadline

_SCALE = 1e4  # of savings in programmes, whose tolerances are absolute
_EXACT = 1e-10  # of Δ_∅
_WHOLE = 1e-6
_COLUMNS = 100_000  # unitary alignments of a component, of which more are not listed


def components(pairs: Pairs, count: int) -> Ints:
    """Return for each unit the number of its component; units are linked by the pairs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(pairs.u), np.int8), (pairs.u, pairs.v)), shape=(count, count))
    return np.asarray(connected_components(links.tocsr(), directed=False)[1], np.int64)


class _Listed(NamedTuple):
    """Unitary alignments of one size.

    Attributes:
        units: units of each, (unitary alignments, size), an annotator after the other.
        saving: saving of each against its units left alone.
    """

    units: Ints
    saving: Floats

    def where(self, is_chosen: Bools) -> _Listed:
        """Return those of a mask."""
        return _Listed(self.units[is_chosen], self.saving[is_chosen])


def pack(
    units: Units,
    pairs: Pairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    group: Ints,
    deadline: Deadline,
) -> tuple[Floats, Bools]:
    """Align the units of documents with three annotators or more.

    Args:
        units: units of all documents.
        pairs: pairs of units of these documents that may be aligned.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        group: unitary alignment of each unit; those of the best alignment are written here, each
            with the number of its first unit.
        deadline: end of the time.

    Returns:
        Of each document by how much its cost may be above the least, 0 where it is proven; and
        which units are in components that were not aligned, as they are too large, or the time is
        over.
    """
    component = components(pairs, len(units.start))
    tolerance = _EXACT * dissimilarity.delta_empty
    gap = np.zeros(len(annotators))
    if deadline.is_over:
        return gap, np.isin(component, component[pairs.u])
    columns, left_out = unitary_alignments(units, pairs, annotators, dissimilarity, component)
    if not columns:
        return gap, left_out[component]
    shares = _relaxed(columns, len(component), dissimilarity, deadline)
    if shares is None:
        return gap, np.isin(component, component[pairs.u])
    is_fractional = np.zeros(len(left_out), np.bool_)
    for listed, share in zip(columns, shares, strict=True):
        between = (share > _WHOLE) & (share < 1 - _WHOLE)
        is_fractional[component[listed.units[between, 0]]] = True
    for listed, share in zip(columns, shares, strict=True):
        taken = listed.units[(share > 0.5) & ~is_fractional[component[listed.units[:, 0]]]]
        group[taken] = taken[:, :1]
    for number in np.flatnonzero(is_fractional).tolist():
        members = np.flatnonzero(component == number)
        in_component = [listed.where(component[listed.units[:, 0]] == number) for listed in columns]
        chosen, open_saving = _programme(in_component, members, dissimilarity, deadline)
        left_out[number] = chosen is None
        for taken in chosen or ():
            group[taken] = taken[:, :1]
        if open_saving > tolerance * (1 + len(members)):
            gap[units.document[members[0]]] += open_saving
    return gap, left_out[component]


def unitary_alignments(
    units: Units,
    pairs: Pairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    component: Ints,
) -> tuple[list[_Listed], Bools]:
    """List the unitary alignments that can be part of a best alignment.

    A unit adds Δ_∅ + Σ (Δ_∅ − d)/C, over its pairs, to what its unitary alignment saves. Where that
    is not positive for each of its units, the alignment is better without the unit. A unitary
    alignment grows by the units of one annotator after the other, as long as units of later
    annotators can make up for what is missing.

    Args:
        units: units of all documents.
        pairs: pairs of units that may be aligned, sorted.
        annotators: number of annotators who saw each document.
        dissimilarity: dissimilarity of two units.
        component: component of each unit.

    Returns:
        The unitary alignments by their size from two on, and which components are left out, as they
        have more than 100,000.
    """
    empty, rank = dissimilarity.delta_empty, units.ranks()
    per_pair = 1 / np.maximum(pairs_of_annotators(annotators), 1)[units.document]
    saving = (empty - pairs.value) * per_pair[pairs.u]
    begin = np.searchsorted(pairs.u, np.arange(len(rank) + 1))
    hope = _most_of_later(pairs, saving, rank)
    left_out = np.zeros(int(component.max(initial=-1)) + 1, np.bool_)
    n_listed = np.zeros(len(left_out), np.int64)
    columns: list[_Listed] = []
    members = np.column_stack((pairs.u, pairs.v))
    gain = np.column_stack((empty + saving, empty + saving))  # by each unit of a unitary alignment
    total = empty + saving
    while len(members):
        last = rank[members[:, -1]]
        grows = (gain + hope[members, last[:, None]] > 0).all(axis=1)
        n_listed += np.bincount(component[members[grows, 0]], minlength=len(n_listed))
        left_out |= n_listed > _COLUMNS
        is_kept = grows & ~left_out[component[members[:, 0]]]
        members, gain, last = members[is_kept], gain[is_kept], last[is_kept]
        total = total[is_kept]
        is_useful = (gain > 0).all(axis=1)
        columns.append(_Listed(members[is_useful], total[is_useful]))
        pair, row = ranges(begin[members[:, 0]], begin[members[:, 0] + 1])
        added = pairs.v[pair]
        is_later = rank[added] > last[row]
        row, added = row[is_later], added[is_later]
        by_pair = np.column_stack(
            [
                _saving_of_pairs(units, members[row, j], added, dissimilarity, per_pair)
                for j in range(members.shape[1])
            ]
        )
        of_added = empty + by_pair.sum(axis=1)
        gain = np.column_stack((gain[row] + by_pair, of_added))
        total = total[row] + of_added
        members = np.column_stack((members[row], added))
    columns = [listed.where(~left_out[component[listed.units[:, 0]]]) for listed in columns]
    return [listed for listed in columns if len(listed.units)], left_out


def _most_of_later(pairs: Pairs, saving: Floats, rank: Ints) -> Floats:
    """Return how much pairs with units of annotators after each rank save a unit at most.

    Args:
        pairs: pairs of units that may be aligned.
        saving: saving of each pair.
        rank: number of each unit's annotator in its document.

    Returns:
        The sums of the greatest savings of each later annotator, 0 at least; (units, ranks).
    """
    best = np.zeros((len(rank), int(rank.max(initial=0)) + 1))
    np.maximum.at(best, (pairs.u, rank[pairs.v]), saving)
    from_here = best[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.column_stack((from_here[:, 1:], np.zeros(len(rank))))


def _saving_of_pairs(
    units: Units, u: Ints, v: Ints, dissimilarity: Dissimilarity, per_pair: Floats
) -> Floats:
    """Return (Δ_∅ − d)/C of pairs of units."""
    value = dissimilarity.of_pairs(units, u, v) + tie_breaks(units, u, v, dissimilarity)
    return np.asarray((dissimilarity.delta_empty - value) * per_pair[u], np.float64)


def _incidence(columns: list[_Listed], count: int) -> Any:
    """Return which units are in which unitary alignments, as a sparse table."""
    from scipy.sparse import csc_array

    rows = np.concatenate([listed.units.ravel() for listed in columns])
    sizes = np.concatenate([np.full(len(x.units), x.units.shape[1]) for x in columns])
    begin = np.concatenate(([0], np.cumsum(sizes)))
    return csc_array((np.ones(len(rows)), rows, begin), shape=(count, len(sizes)))


def _relaxed(
    columns: list[_Listed], count: int, dissimilarity: Dissimilarity, deadline: Deadline
) -> list[Floats] | None:
    """Return the share of each unitary alignment in the relaxed optimum; ``None`` if time ends."""
    from scipy.optimize import linprog  # takes a tenth of a second to import

    saving = np.concatenate([listed.saving for listed in columns])
    solved = linprog(
        -saving * (_SCALE / dissimilarity.delta_empty),
        A_ub=_incidence(columns, count),
        b_ub=np.ones(count),
        bounds=(0, None),
        method="highs-ds",
        options=deadline.options,
    )
    if solved.status != 0:
        return None
    return np.split(solved.x, np.cumsum([len(listed.units) for listed in columns])[:-1])


def _programme(
    columns: list[_Listed], members: Ints, dissimilarity: Dissimilarity, deadline: Deadline
) -> tuple[list[Ints] | None, float]:
    """Return the unitary alignments of a component that save most, and how much more may be saved.

    There are none if the time ends before any are found.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    columns = [listed for listed in columns if len(listed.units)]
    saving = np.concatenate([listed.saving for listed in columns])
    scale = _SCALE / dissimilarity.delta_empty
    in_component = [
        listed._replace(units=np.searchsorted(members, listed.units)) for listed in columns
    ]
    solved = milp(
        -saving * scale,
        integrality=np.ones(len(saving)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(_incidence(in_component, len(members)), ub=1),
        options={"mip_rel_gap": 0.0, **deadline.options},
    )
    if solved.x is None:
        return None, 0.0
    taken = solved.x > 0.5
    parts = np.split(taken, np.cumsum([len(listed.units) for listed in columns])[:-1])
    chosen = [listed.units[part] for listed, part in zip(columns, parts, strict=True)]
    return chosen, float(-solved.mip_dual_bound / scale) - float(saving[taken].sum())
