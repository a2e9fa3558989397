"""The best alignment of three and more annotators: an exact set packing, by column generation.

The unitary alignments that save anything are too many to be listed where units are dense, but few
of them matter. With a price π on every unit, only those whose saving exceeds the prices of their
units can better a solution. So a linear program over some of them gives prices, the prices find
those that are missing, and so on until there are none: then its value bounds every alignment.
Where its solution is not whole, a whole one is sought among all unitary alignments whose reduced
saving lies within what is left between the bound and the best one known, by integer programming:
no other can be part of a better one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, ranges
from spanagree.units.dissimilarity import (
    TIE,
    Dissimilarity,
    Pairs,
    Units,
    pairs_of_annotators,
    tie_breaks,
)
from spanagree.units.effort import Work

_FLOORS = (1.0, 0.7, 0.4, 0.2, 0.0)  # of Δ_∅; prices that units have at least, at first
_SLACK = 0.03  # of Δ_∅; unitary alignments that miss the price by less are taken along
_SCALE = 1e4  # of savings in programs, whose tolerances are absolute
_EXACT = 1e-10  # of Δ_∅
_NEAR = 0.2  # of Δ_∅; prices that miss by no more in a document are near enough
_MANY = 600  # units; in a document of more, prices may miss by more
_CLOSE = 3.0  # of Δ_∅; a gap that can be closed by looking at all that could close it
_WHOLE = 1e-6
_MOST = 1 << 20  # unitary alignments that are looked at together
_ROUNDS = 60
_TAKEN = 20  # unitary alignments of a first unit and size that are taken along at a time
_NODES = 2000  # of one integer program
_COLUMN = 40  # work for each unitary alignment of a linear program


def components(pairs: Pairs, count: int) -> Ints:
    """Return for each unit the number of its component; units are linked by the pairs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(pairs.u), np.int8), (pairs.u, pairs.v)), shape=(count, count))
    return np.asarray(connected_components(links.tocsr(), directed=False)[1], np.int64)


class _Problem(NamedTuple):
    """Units of documents with three annotators or more, and the pairs of them that are near.

    Attributes:
        units: all units.
        dissimilarity: of two units.
        per_pair: of each unit 1/C, by which savings of pairs are divided.
        annotators: of each unit how many annotators saw its document.
        rank: of each unit the number of its annotator among those with a unit in its document.
        begin: where the pairs of each unit begin, and at last where all end.
        near: the second units of the pairs.
        saving: of each pair (Δ_∅ − d)/C.
        component: of each unit the number of its component.
        most_annotators: how many of them saw a document at the most.
        documents: how many documents there are.
        work: what may be done.
    """

    units: Units
    dissimilarity: Dissimilarity
    per_pair: Floats
    annotators: Ints
    rank: Ints
    begin: Ints
    near: Ints
    saving: Floats
    component: Ints
    most_annotators: int
    documents: int
    work: Work


class _Columns(NamedTuple):
    """Unitary alignments of the same size: their units, and what each saves beyond prices."""

    units: Ints
    reduced: Floats


def pack(
    units: Units,
    pairs: Pairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    group: Ints,
    work: Work,
) -> Floats:
    """Align the units of documents with three annotators or more.

    Args:
        units: the units.
        pairs: those of these documents that may be aligned.
        annotators: of each document, how many annotators saw it.
        dissimilarity: of two units.
        group: of each unit its unitary alignment; those worth are written here, each with the
            number of its first unit.
        work: what may be done.

    Raises:
        ExhaustedError: if that is not enough.

    Returns:
        Of each document by how much its cost may be above the least; 0 where it is proven, ``nan``
        where nothing is known.
    """
    problem = _problem(units, pairs, annotators, dissimilarity, work)
    pool, prices, cut = _generate(problem)
    tolerance = (
        _EXACT
        * dissimilarity.delta_empty
        * (1 + np.bincount(units.document, minlength=len(annotators)))
    )
    bound = np.bincount(units.document, prices, len(annotators))
    everywhere = np.bincount(units.document[pairs.u], minlength=len(annotators)) > 0
    value = _best_whole(problem, pool, everywhere, group)[0]
    gap = np.where(everywhere, bound - value, 0.0)
    open_ = (gap > tolerance) & (gap < _CLOSE * dissimilarity.delta_empty) & ~cut
    if open_.any():  # nothing else can be part of a better alignment
        here = open_[units.document]
        worth, left_out = _worth(
            problem, np.where(here, prices, np.inf), -(gap + tolerance)[units.document]
        )
        cut[units.document[left_out]] = True
        other = group.copy()
        better, short = _best_whole(problem, [x.units for x in worth], open_, other)
        taken = open_ & (better > value)  # a program that runs out of time may end with less
        group[taken[units.document]] = other[taken[units.document]]
        gap[open_] = (np.fmin(bound, better + short) - np.fmax(value, better))[open_]
    return np.where(cut, np.nan, np.where(gap <= tolerance, 0.0, gap))


def _problem(
    units: Units, pairs: Pairs, annotators: Ints, dissimilarity: Dissimilarity, work: Work
) -> _Problem:
    seen = annotators[units.document]
    per_pair = 1 / np.maximum(pairs_of_annotators(seen), 1)
    return _Problem(
        units=units,
        dissimilarity=dissimilarity,
        per_pair=per_pair,
        annotators=seen,
        rank=units.ranks(),
        begin=np.searchsorted(pairs.u, np.arange(len(seen) + 1)),
        near=pairs.v,
        saving=(dissimilarity.delta_empty - pairs.value) * per_pair[pairs.u],
        component=components(pairs, len(seen)),
        most_annotators=int(seen.max()),
        documents=len(annotators),
        work=work,
    )


def _generate(problem: _Problem) -> tuple[list[Ints], Floats, Bools]:
    """Return unitary alignments among which the relaxed optimum is, by size, and prices.

    No unitary alignment saves more than the prices of its units, but where the third says that of a
    document some had to be left out, as they were too many.
    """
    units, empty = problem.units, problem.dissimilarity.delta_empty
    pool: list[Ints] = [np.zeros((0, m), np.int64) for m in range(2, problem.most_annotators + 1)]
    duals = centre = np.zeros(len(problem.per_pair))
    cut = np.zeros(problem.documents, np.bool_)
    shares = [np.zeros(0) for _ in pool]
    size, same = 0, False
    for number in range(_ROUNDS):
        floor = _FLOORS[number] if number < len(_FLOORS) else 0.0
        prices = np.maximum(centre, floor * empty)
        least = -_SLACK * empty if floor == 0 else 0.0
        worth, left_out = _worth(problem, prices, np.full(len(centre), least))
        cut[units.document[left_out]] |= floor == 0
        if floor == 0:
            lift = _lift(worth, len(centre))
            lifted = np.bincount(units.document, lift, problem.documents)
            units_here = np.bincount(units.document, minlength=problem.documents)
            near = _NEAR * (1 + units_here / _MANY)
            exact = lifted.max() <= _EXACT * empty
            if exact or (same and (lifted <= near * empty).all()):
                return pool, centre + lift, cut
        for i, columns in enumerate(worth):
            both = np.concatenate((pool[i], _best_of(columns)))
            pool[i] = np.unique(both, axis=0) if len(columns.units) else pool[i]
        grown = sum(map(len, pool))
        if grown > size:
            size, before = grown, duals.sum()
            shares, duals = _relaxed(problem, pool)
            # while the optimum stays, prices that differ are as good, and their mean is better
            same = abs(duals.sum() - before) <= _EXACT * empty * len(duals)
        # as long as much is missing, prices that lie apart would ask for too much of it
        between = (centre + duals) / 2 if same else duals
        centre = _even(problem, pool, shares) if floor > 0 else between
    worth, left_out = _worth(problem, centre, np.zeros(len(centre)))
    cut[units.document[left_out]] = True
    return pool, centre + _lift(worth, len(centre)), cut


def _even(problem: _Problem, pool: list[Ints], shares: list[Floats]) -> Floats:
    """Return prices that the units of a unitary alignment have alike; their sum is the optimum."""
    prices = np.zeros(len(problem.per_pair))
    for columns, share in zip(pool, shares, strict=True):
        taken = share > _WHOLE
        saving = share[taken] * _savings(problem, columns[taken]) / columns.shape[1]
        for units in columns[taken].T:
            np.add.at(prices, units, saving)
    return prices


def _best_of(columns: _Columns) -> Ints:
    """Return for each first unit those of its unitary alignments that save most."""
    lead = columns.units[:, 0]
    order = np.lexsort((-columns.reduced, lead))
    lead = lead[order]
    place = np.arange(len(lead)) - np.searchsorted(lead, lead)
    return columns.units[order[place < _TAKEN]]


def _lift(worth: list[_Columns], count: int) -> Floats:
    """Return by how much prices have to rise that no unitary alignment saves more than them."""
    lift = np.zeros(count)
    for columns in worth:
        share = np.maximum(columns.reduced, 0) / columns.units.shape[1]
        for units in columns.units.T:
            np.maximum.at(lift, units, share)
    return lift


def _savings(problem: _Problem, columns: Ints) -> Floats:
    """Return what unitary alignments of one size save against units left alone."""
    empty, size = problem.dissimilarity.delta_empty, columns.shape[1]
    total = np.full(len(columns), (size - 1) * empty, np.float64)
    for i in range(size):
        for j in range(i + 1, size):
            total += _pair_saving(problem, columns[:, i], columns[:, j])
    return total


def _pair_saving(problem: _Problem, u: Ints, v: Ints) -> Floats:
    units, d = problem.units, problem.dissimilarity
    value = d.of_pairs(units, u, v) + tie_breaks(units, u, v, d)
    return np.asarray((d.delta_empty - value) * problem.per_pair[u], np.float64)


def _worth(problem: _Problem, prices: Floats, least: Floats) -> tuple[list[_Columns], Ints]:
    """Return all unitary alignments that save more than ``least`` beyond prices, by size.

    ``least`` is that of the first unit.

    They grow by one annotator after the other, as long as what could still be added may lift them
    above ``least``. The second are units for which some were left out, as they were too many.
    """
    empty = problem.dissimilarity.delta_empty
    gain = empty - prices  # of each unit, besides what its pairs save
    first = np.repeat(np.arange(len(gain)), np.diff(problem.begin))
    best = np.full((len(gain), problem.most_annotators), -np.inf)  # of a later annotator's units
    np.maximum.at(best, (first, problem.rank[problem.near]), gain[problem.near] + problem.saving)
    worth: list[_Columns] = []
    left_out: list[Ints] = []
    members, reduced = np.arange(len(gain))[:, None], gain - empty
    for size in range(1, problem.most_annotators):
        lead, last = members[:, 0], problem.rank[members[:, -1]]
        later = np.arange(problem.most_annotators) > last[:, None]
        others = (problem.annotators[lead] - 1 - last - 1).clip(0) / 2 + size - 1
        # a pair saves Δ_∅ at most, and what breaks ties
        most = best[lead] + (others * problem.per_pair[lead] * (1 + 2 * TIE) * empty)[:, None]
        hope = reduced + np.where(later, np.maximum(most, 0), 0).sum(1)
        keep = np.flatnonzero(hope > least[lead])
        width = np.diff(problem.begin)[lead[keep]]
        if width.sum() > _MOST:
            ordered = keep[np.argsort(-hope[keep], kind="stable")]
            fit = np.cumsum(np.diff(problem.begin)[lead[ordered]]) <= _MOST
            left_out.append(lead[ordered[~fit]])
            keep = np.sort(ordered[fit])
        problem.work.spend(int(width.sum()) * size + len(members))
        pair, row = ranges(problem.begin[lead[keep]], problem.begin[lead[keep] + 1])
        row, added = keep[row], problem.near[pair]
        fits = problem.rank[added] > last[row]
        row, added, pair = row[fits], added[fits], pair[fits]
        reduced = reduced[row] + gain[added] + problem.saving[pair]
        for j in range(1, size):
            reduced += _pair_saving(problem, members[row, j], added)
        members = np.column_stack((members[row], added))
        good = reduced > least[members[:, 0]]
        worth.append(_Columns(members[good], reduced[good]))
    return worth, np.concatenate([*left_out, np.zeros(0, np.int64)])


def _incidence(columns: list[Ints], count: int) -> object:
    """Return which units are in which unitary alignments, as a sparse table."""
    from scipy.sparse import csc_array

    rows = np.concatenate([of_size.ravel() for of_size in columns])
    sizes = np.concatenate([np.full(len(x), x.shape[1]) for x in columns])
    begin = np.concatenate(([0], np.cumsum(sizes)))
    return csc_array((np.ones(len(rows)), rows, begin), shape=(count, len(sizes)))


def _relaxed(problem: _Problem, pool: list[Ints]) -> tuple[list[Floats], Floats]:
    """Return the share of each unitary alignment in the relaxed optimum, and the units' prices."""
    from scipy.optimize import linprog  # takes a tenth of a second to import

    sizes = [len(columns) for columns in pool]
    count = len(problem.per_pair)
    if not sum(sizes):
        return [np.zeros(0) for _ in sizes], np.zeros(count)
    problem.work.spend(_COLUMN * sum(sizes))
    saving = np.concatenate([_savings(problem, columns) for columns in pool])
    scale = _SCALE / problem.dissimilarity.delta_empty
    solved = linprog(
        -saving * scale,
        A_ub=_incidence(pool, count),
        b_ub=np.ones(count),
        bounds=(0, None),
        method="highs-ds",
    )
    prices = np.maximum(-solved.ineqlin.marginals / scale, 0)
    return np.split(solved.x, np.cumsum(sizes)[:-1]), prices


def _best_whole(
    problem: _Problem, columns: list[Ints], documents: Bools, group: Ints
) -> tuple[Floats, Floats]:
    """Write the best alignments of some documents that are made of these unitary alignments.

    Returns:
        Of each document what it saves, and how much more may be possible with these.
    """
    document, component = problem.units.document, problem.component
    inside = np.flatnonzero(documents[document])
    group[inside] = inside
    value, short = np.zeros((2, len(documents)))
    fractional = np.zeros(len(component), np.bool_)  # components, which are solved apart
    shares = _relaxed(problem, columns)[0]
    for of_size, share in zip(columns, shares, strict=True):
        between = (share > _WHOLE) & (share < 1 - _WHOLE)
        fractional[component[of_size[between, 0]]] = True
    for of_size, share in zip(columns, shares, strict=True):
        taken = of_size[(share > 0.5) & ~fractional[component[of_size[:, 0]]]]
        group[taken] = taken[:, :1]
        value += np.bincount(document[taken[:, 0]], _savings(problem, taken), len(documents))
    for c in np.flatnonzero(fractional).tolist():
        here = np.flatnonzero(component == c)
        of_component = [of_size[component[of_size[:, 0]] == c] for of_size in columns]
        saved, chosen, bound = _program(problem, of_component, here)
        value[document[here[0]]] += saved
        short[document[here[0]]] += bound - saved
        for taken in chosen:
            group[taken] = taken[:, :1]
    return value, short


def _program(problem: _Problem, columns: list[Ints], here: Ints) -> tuple[float, list[Ints], float]:
    """Return the greatest saving of disjoint unitary alignments, these, and its upper bound."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    saving = np.concatenate([_savings(problem, of_size) for of_size in columns])
    scale = _SCALE / problem.dissimilarity.delta_empty
    place = np.zeros(len(problem.per_pair), np.int64)
    place[here] = np.arange(len(here))
    solved = milp(
        -saving * scale,
        integrality=np.ones(len(saving)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(
            _incidence([place[of_size] for of_size in columns], len(here)), ub=1
        ),
        options={"mip_rel_gap": 0.0, "node_limit": _NODES},
    )
    if solved.x is None:
        return 0.0, [], np.nan
    taken = solved.x > 0.5
    parts = np.split(taken, np.cumsum([len(of_size) for of_size in columns])[:-1])
    chosen = [of_size[part] for of_size, part in zip(columns, parts, strict=True)]
    return float(saving[taken].sum()), chosen, float(-solved.mip_dual_bound / scale)
