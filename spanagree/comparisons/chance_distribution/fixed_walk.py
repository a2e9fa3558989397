"""The match of random annotations with a fixed one: its exact distribution, read from the left.

All arrangements of segments that exclude each other are equally likely. Segments of one label and
kind of places are of one *kind*; kind i occurs cᵢ times, and u counts the segments of each kind
that are placed. Let G(u, p, m) be the number of ways to place u before the border p such that m is
matched; what is placed last ends there, or before::

    G(u, p, m) = G(u, p − 1, m) + Σ over places (s, p) of kinds i: G(u − eᵢ, s, m − gᵢ(s, p))

where gᵢ(s, p) is what a segment of kind i adds there. G(c, n, ·), scaled to the sum 1, is the
distribution. All terms are positive, so even the smallest probabilities keep their digits. Random
annotations of equal counts are walked together: each u needs a few operations over all of them.

A measure that is not additive carries one more bit; and where only mean and variance are wanted, or
matches are not whole numbers, G holds (1, Σ, Σ²) in place of a distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    batches_up_to,
    entries,
    expand_ranges,
    group_indices,
    unique_matrix_rows,
    unique_rows,
)
from spanagree.chance.arrangements import portions_of_work
from spanagree.chance.place_kinds import PlaceKinds, kinds_anywhere
from spanagree.chance.walk import OTHER, distributions_of
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    least_costs,
)
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.observed import similar
from spanagree.comparisons.overlap_match import kept_at, taken_at
from spanagree.corpus.segments import Layer

_POWER = 900  # numbers below 2 to this are not scaled
_PLACES = 1 << 18  # places of pieces that are looked at together
_TOGETHER = 1 << 20  # numbers of one level of annotations that are walked at once


class _Kinds(NamedTuple):
    """Random segments that are alike: of one piece, group, kind of places and label.

    Attributes:
        piece, group, kind: of each of these.
        many: how many segments each of these is.
        row: of each place, which of these may stand there.
        start, end: of each place.
        gain: what a segment there adds to the match; (places, bits).
        after: the bit that it leaves behind; (places, bits).
    """

    piece: Ints
    group: Ints
    kind: Ints
    many: Ints
    row: Ints
    start: Ints
    end: Ints
    gain: Ints | Floats
    after: Ints


@dataclass(frozen=True, eq=False)
class _Batch:
    """Random annotations of equal counts; ``keep`` says at which borders the bit is kept."""

    counts: tuple[int, ...]
    borders: int
    unit: list[Ints]
    start: list[Ints]
    end: list[Ints]
    gain: list[Ints | Floats]
    after: list[Ints]
    keep: Bools | None
    most: int


def fixed_walk(
    pieces: DocumentParts,
    measure: Measure,
    budget: float,
    moments: bool,
    kinds: PlaceKinds | None = None,
) -> list[Floats | None]:
    """Compute the distribution of the match in each piece, with A fixed and B random.

    Args:
        pieces: parts of documents.
        measure: the measure.
        budget: number of numbers that may be computed for a piece.
        moments: if True, mean and variance are computed.
        kinds: kinds of the places of segments. Default: segments may stand anywhere.

    Returns:
        The probabilities of 0, 1, … for each piece, or its mean and variance; ``None`` for a piece
        over the budget.
    """
    if kinds is not None:
        return _walked(pieces, kinds, measure, budget, moments)
    results: list[Floats | None] = [None] * len(pieces)
    within = np.flatnonzero(least_costs(pieces, pieces.b) <= budget)
    n_places = np.bincount(pieces.b.piece, pieces.tokens[pieces.b.piece], len(pieces))
    for low, high in batches_up_to(n_places[within].astype(np.int64), _PLACES):
        rows = within[low:high]
        here = pieces.some(rows)
        b = here.b
        kinds = kinds_anywhere(here.tokens[b.piece], b.length)
        here = replace(here, b=replace(b, kind=kinds.kind))
        for row, values in zip(
            rows.tolist(), _walked(here, kinds, measure, budget, moments), strict=True
        ):
            results[row] = values
    return results


def _walked(
    pieces: DocumentParts, kinds: PlaceKinds, measure: Measure, budget: float, moments: bool
) -> list[Floats | None]:
    results: list[Floats | None] = [
        np.zeros(2) if moments else np.ones(1) for _ in range(len(pieces))
    ]
    if not len(pieces.b):
        return results
    b, times = _equal_groups(pieces.b)
    pieces = replace(pieces, b=b)
    alike = _alike(pieces, kinds, measure)
    _, unit, _ = unique_rows(alike.piece, alike.group)
    order = np.lexsort((alike.many, unit))
    size = np.bincount(unit)
    begin = np.cumsum(size) - size
    able = np.bincount(unit[alike.row], (alike.gain > 0).any(axis=1), len(size)) > 0
    places = np.bincount(unit[alike.row], minlength=len(size))
    first = np.append(0, np.cumsum(np.bincount(alike.row, minlength=len(alike.many))))
    most = _most(alike, unit, len(size))
    states = np.exp(np.minimum(np.bincount(unit, np.log1p(alike.many)), 700))
    wide = np.full(len(size), 3) if moments else most + 1
    over = able & (states * places * wide * alike.gain.shape[1] > budget)
    of_unit = alike.piece[order[begin]]
    for u in np.flatnonzero(over).tolist():
        results[of_unit[u]] = None
    ends: dict[int, Floats] = {}
    walked = np.flatnonzero(able & ~over)
    same = np.arange(len(size))
    for t in np.unique(size[walked]).tolist():
        units = walked[size[walked] == t]
        rows = order[begin[units][:, None] + np.arange(t)]
        if alike.gain.shape[1] == 1:  # of what is equal, the first; else a bit goes on behind
            alone = _first_alike(alike, first, rows)
            same[units] = units[alone]
            is_first = alone == np.arange(len(units))
            units, rows = units[is_first], rows[is_first]
        shapes, which, _ = unique_matrix_rows(alike.many[rows])
        for counts, here in zip(shapes, group_indices(which, len(shapes)), strict=True):
            work = math.prod((counts + 1).tolist()) * places[units[here]] * wide[units[here]]
            for some in portions_of_work(here, work, _TOGETHER):
                batch = _batch(pieces, alike, first, tuple(counts.tolist()), rows[some])
                ends |= zip(units[some].tolist(), _walk(batch, moments), strict=True)
    for u in np.repeat(walked, times[walked]).tolist():
        _add_independent(results, int(of_unit[u]), ends[int(same[u])], moments)
    return results


def _equal_groups(side: AnnotatorSegments) -> tuple[AnnotatorSegments, Ints]:
    """Find groups of a piece that are one segment each, of the same kind of places and label.

    Returns:
        The side with the first of such groups, and for each of its groups the number of equal ones.
    """
    _, group, size = unique_rows(side.piece, side.group)
    alone = size[group] == 1
    columns = (
        np.where(alone, x, y) for x, y in ((-1, side.group), (side.kind, 0), (side.label, 0))
    )
    _, equal, count = unique_rows(side.piece, *columns)
    is_first = ~alone
    is_first[np.unique(equal, return_index=True)[1]] = True
    kept = side.rows(np.flatnonzero(is_first))
    _, group, _ = unique_rows(kept.piece, kept.group)
    times = np.ones(1 + int(group.max()), np.int64)
    times[group] = np.where(alone, count[equal], 1)[is_first]
    return kept, times


def _first_alike(alike: _Kinds, first: Ints, rows: Ints) -> Ints:
    """Return for each random annotation the first one with equal kinds, counts and gains.

    Args:
        alike: kinds of segments.
        first: of each of these, the position of its first place.
        rows: kinds of each annotation; (annotations, kinds).
    """
    same = np.arange(len(rows))
    shapes, which, _ = unique_matrix_rows(np.hstack((alike.kind[rows], alike.many[rows])))
    for here in group_indices(which, len(shapes)):
        if len(here) > 1:
            kinds = rows[here].ravel()
            at, _ = expand_ranges(first[kinds], first[kinds + 1])
            gains = alike.gain[at].reshape(len(here), -1)
            _, equal, _ = unique_matrix_rows(gains)
            earliest = np.full(len(here), len(here))
            np.minimum.at(earliest, equal, np.arange(len(here)))
            same[here] = here[earliest[equal]]
    return same


def _alike(pieces: DocumentParts, kinds: PlaceKinds, measure: Measure) -> _Kinds:
    """Return the random segments that are alike; those that match nowhere are so of any label."""
    b = pieces.b
    (piece, group, kind, label), which, _ = unique_rows(b.piece, b.group, b.kind, b.label)
    n_places = kinds.places[kind]
    row, at = np.repeat(np.arange(len(kind)), n_places), entries(kinds.places, kind)
    start, end = kinds.start[at], kinds.end[at]
    gain, after = _gains(pieces, measure, piece[row], start, end, label[row])
    useful = np.bincount(row, (gain > 0).any(axis=1), len(kind)) > 0
    columns = piece, group, kind, np.where(useful, label, OTHER)
    (piece, group, kind, _), merged, _ = unique_rows(*columns)
    count = np.bincount(merged[which], minlength=len(piece))
    member = np.zeros(len(piece), np.int64)  # one of each, as all have the same gains
    member[merged] = np.arange(len(merged))
    at = entries(n_places, member)
    row = np.repeat(np.arange(len(piece)), n_places[member])
    return _Kinds(piece, group, kind, count, row, start[at], end[at], gain[at], after[at])


def _gains(
    pieces: DocumentParts, measure: Measure, piece: Ints, start: Ints, end: Ints, label: Ints
) -> tuple[Ints | Floats, Ints]:
    """Return what a segment of B at each place adds, and the bit behind it; (places, bits)."""
    if measure.kernel == "one-to-one":
        return taken_at(pieces, measure, piece, start, end, label)
    gain = gains_at(pieces, measure, piece, start, end, label)
    return gain[:, None], np.zeros((len(gain), 1), np.int64)


def gains_at(
    pieces: DocumentParts, measure: Measure, piece: Ints, start: Ints, end: Ints, label: Ints
) -> Ints | Floats:
    """Return what a segment of B at each place adds to the match with A."""
    a = pieces.a
    many = 2 + int(a.label.max(initial=0))
    nobody = np.zeros(0, np.bool_)
    known = label < many - 1  # of labels that A has, none being the last
    cell = piece * many + np.where(known & (label != OTHER), label, many - 1)
    order = np.lexsort((end, start, cell))
    nothing = np.zeros(len(cell), np.int64)
    places = Layer(cell[order], start[order], end[order], nothing, nobody)
    of_a = a.piece * many + a.label
    gold_order = np.lexsort((a.start + a.length, a.start, of_a))
    gold = Layer(
        of_a[gold_order],
        a.start[gold_order],
        (a.start + a.length)[gold_order],
        np.zeros(len(a), np.int64),
        nobody,
    )
    _, j, phi = similar(gold, places, gold.document, places.document, measure)
    total = np.bincount(order[j], phi, len(cell))
    return total.astype(np.int64) if np.asarray(phi).dtype.kind == "i" else total


def _most(alike: _Kinds, unit: Ints, units: int) -> Ints:
    """Return an upper bound of the match of each random annotation."""
    first = np.searchsorted(alike.row, np.arange(len(alike.many)))
    top = np.maximum.reduceat(alike.gain.max(axis=1), first)
    return np.ceil(np.bincount(unit, top * alike.many, units)).astype(np.int64)


def _batch(
    pieces: DocumentParts, alike: _Kinds, first: Ints, counts: tuple[int, ...], rows: Ints
) -> _Batch:
    """Return random annotations of equal counts; ``rows`` are the kinds of each."""
    parts = []
    wide = 1
    for k in range(len(counts)):
        at, unit = expand_ranges(first[rows[:, k]], first[rows[:, k] + 1])
        parts.append((unit, at))
        wide = max(wide, 1 + int(alike.end[at].max(initial=0)))
    used = np.zeros((len(rows), wide), np.bool_)
    for unit, at in parts:
        used[unit, alike.start[at]] = used[unit, alike.end[at]] = True
    rank = np.cumsum(used, axis=1) - 1
    most = sum(
        c * float(alike.gain[at].max(initial=0)) for c, (_, at) in zip(counts, parts, strict=True)
    )
    keep = None
    if alike.gain.shape[1] == 2:
        keep = kept_at(pieces, alike.piece[rows[:, 0]], used, rank)
    return _Batch(
        counts,
        int(rank[:, -1].max()) + 1,
        [unit for unit, _ in parts],
        [rank[unit, alike.start[at]] for unit, at in parts],
        [rank[unit, alike.end[at]] for unit, at in parts],
        [alike.gain[at] for _, at in parts],
        [alike.after[at] for _, at in parts],
        keep,
        math.ceil(most),
    )


class _Step(NamedTuple):
    """Places of one kind that do the same.

    Attributes:
        source: row of ways before each place, by start and bit.
        target: row of ways behind, by distinct end and bit.
        begin: first place of each end; ``None`` if all ends are distinct.
        gain: increase of the match, of moments for each place.
    """

    source: Ints
    target: Ints
    begin: Ints | None
    gain: Any


def _steps(batch: _Batch, k: int, moments: bool) -> list[_Step]:
    """Return what placing a segment of kind k does."""
    source = batch.unit[k] * batch.borders + batch.start[k]
    target = batch.unit[k] * batch.borders + batch.end[k]
    steps = []
    bits = batch.gain[k].shape[1]
    for bit in range(bits):
        gain, after = batch.gain[k][:, bit], batch.after[k][:, bit]
        key = after.astype(np.float64) if moments else gain * 2 + after
        for value in np.unique(key).tolist():
            rows = np.flatnonzero(key == value)
            rows = rows[np.argsort(target[rows], kind="stable")]
            ends, begin = np.unique(target[rows], return_index=True)
            g = gain[rows] if moments else int(gain[rows[0]])
            onto = ends * bits + int(after[rows[0]])
            starts = None if len(ends) == len(rows) else begin
            steps.append(_Step(source[rows] * bits + bit, onto, starts, g))
    return steps


def _walk(batch: _Batch, moments: bool) -> list[Floats]:
    """Return the distribution, or mean and variance, of each random annotation."""
    units = int(batch.unit[0].max()) + 1
    bits = batch.gain[0].shape[1]
    wide = 3 if moments else batch.most + 1
    steps = [_steps(batch, k, moments) for k in range(len(batch.counts))]
    start = np.zeros((units * batch.borders, bits, wide))
    start[:, 0, 0] = 1
    level = {(0,) * len(batch.counts): start}
    n_places = max(map(len, batch.unit)) * len(batch.counts)
    is_scaled = sum(batch.counts) * math.log2(n_places + 1) > _POWER
    for _ in range(sum(batch.counts)):
        arrived: dict[tuple[int, ...], Floats] = {}
        for u, ways in level.items():
            for k, of_kind in enumerate(steps):
                if u[k] == batch.counts[k]:
                    continue
                then = (*u[:k], u[k] + 1, *u[k + 1 :])
                if then not in arrived:
                    arrived[then] = np.zeros_like(start)
                for step in of_kind:
                    _add(arrived[then], ways, step, moments)
        for table in arrived.values():
            _carry(table.reshape(units, batch.borders, bits, wide), batch.keep)
        level = arrived
        if not is_scaled:
            continue
        top = np.max(
            [x.reshape(units, batch.borders, -1)[:, -1].max(axis=1) for x in arrived.values()],
            axis=0,
        )
        power = -np.repeat(np.frexp(top)[1], batch.borders)[:, None, None]
        level = {u: np.ldexp(table, power) for u, table in arrived.items()}
    ends = level[batch.counts].reshape(units, batch.borders, bits, wide)[:, -1].sum(axis=1)
    return distributions_of(ends, moments)


def _add(target: Floats, ways: Floats, step: _Step, moments: bool) -> None:
    """Add what comes of placing a segment."""
    wide, gain = ways.shape[-1], step.gain
    ways, target = ways.reshape(-1, wide), target.reshape(-1, wide)  # views
    added = ways.take(step.source, axis=0)
    if moments:
        mass, mean, square = added.T
        added = np.stack((mass, mean + gain * mass, square + gain * (2 * mean + gain * mass)), 1)
    if step.begin is not None:
        added = np.add.reduceat(added, step.begin, axis=0)
    if moments or not gain:
        target[step.target] += added
    else:
        target[step.target, gain:] += added[:, : wide - gain]


def _carry(table: Floats, keep: Bools | None) -> None:
    """Add to every border what came to those before it; (annotations, borders, bits, …).

    Args:
        table: the ways in which a segment ends at each border; afterwards those in which one ended
            there or before.
        keep: whether what is between a border and the one before keeps the bit, if there is one.
    """
    if keep is None:
        np.cumsum(table, axis=1, out=table)
        return
    for p in range(1, table.shape[1]):
        kept = table[:, p - 1, 1] * keep[:, p, None]
        table[:, p, 1] += kept
        table[:, p, 0] += table[:, p - 1, 0]
        table[:, p, 0] += table[:, p - 1, 1] - kept  # either is 0, so no digit is lost


def _add_independent(
    results: list[Floats | None], place: int, added: Floats, moments: bool
) -> None:
    """Add to a result that is known one which is independent of it."""
    before = results[place]
    if before is not None and moments:
        results[place] = before + added
    elif before is not None:
        results[place] = added if len(before) == 1 else np.convolve(before, added)
