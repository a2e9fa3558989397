"""The match of random annotations that keep the kinds of their places, read from the left.

The walks of :mod:`spanagree.comparisons.chance_distribution.walk` and ``walk_both`` with other
steps: a segment goes from the start to the end of one of its kind's places. Places are of the text,
so documents are walked one by one where both annotations are random, and many of equal counts at
once where one stays as it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, distinct_rows, entries, groups, ranges
from spanagree.chance.arrangements import portions_of_work
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.comparisons.chance_distribution.pieces import (
    OTHER,
    Pieces,
    Side,
    add_shifted,
    mixture,
    of_ways,
)
from spanagree.comparisons.measures import Match, turned
from spanagree.comparisons.observed import similar
from spanagree.corpus.segments import Layer

_TOGETHER = 1 << 20  # numbers of one level of annotations that are walked at once
_MOVE = 50  # numbers, for the cost of a move of both

_Result: TypeAlias = "list[Floats | None]"


# --- one annotation as it is ---------------------------------------------------------------------


class _Kinds(NamedTuple):
    """Random segments that are alike: of one piece, group, kind of places and label.

    Attributes:
        piece, group: of each of these.
        many: how many segments each of these is.
        row: of each place, which of these may stand there.
        start, end: of each place.
        gain: what a segment there adds to the match; (places, bits).
        after: the bit that it leaves behind; (places, bits).
    """

    piece: Ints
    group: Ints
    many: Ints
    row: Ints
    start: Ints
    end: Ints
    gain: Ints | Floats
    after: Ints


@dataclass(frozen=True)
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


def fixed_walk_at_places(
    pieces: Pieces, kinds: PlaceKinds, measure: Match, budget: float, moments: bool
) -> _Result:
    """Return the distribution of each piece's match, with A as it is and B random at its places.

    Args, result: as of :func:`spanagree.comparisons.chance_distribution.walk.fixed_walk`, and
    ``kinds``, those of the places.
    """
    results: _Result = [np.zeros(2) if moments else np.ones(1) for _ in range(len(pieces))]
    if not len(pieces.b):
        return results
    alike = _alike(pieces, kinds, measure)
    _, unit, _ = distinct(alike.piece, alike.group)
    order = np.lexsort((alike.many, unit))
    size = np.bincount(unit)
    begin = np.cumsum(size) - size
    able = np.bincount(unit[alike.row], (alike.gain > 0).any(axis=1), len(size)) > 0
    places = np.bincount(unit[alike.row], minlength=len(size))
    first = np.append(0, np.cumsum(np.bincount(alike.row, minlength=len(alike.many))))
    most = _most(alike, unit, len(size))
    states = np.exp(np.minimum(np.bincount(unit, np.log1p(alike.many)), 700))
    wide = np.full(len(size), 3) if moments else most + 1
    over = able & (states * 2 * places * wide * alike.gain.shape[1] > budget)
    of_unit = alike.piece[order[begin]]
    for u in np.flatnonzero(over).tolist():
        results[of_unit[u]] = None
    for t in np.unique(size[able & ~over]).tolist():
        units = np.flatnonzero(able & ~over & (size == t))
        rows = order[begin[units][:, None] + np.arange(t)]
        shapes, which, _ = distinct_rows(alike.many[rows])
        for counts, here in zip(shapes, groups(which, len(shapes)), strict=True):
            work = math.prod((counts + 1).tolist()) * places[units[here]] * wide[units[here]]
            for some in portions_of_work(here, work, _TOGETHER):
                batch = _batch(pieces, alike, first, tuple(counts.tolist()), rows[some])
                for u, made in zip(units[some].tolist(), _walk(batch, moments), strict=True):
                    before = results[of_unit[u]]
                    if before is not None:
                        results[of_unit[u]] = (
                            before + made if moments else np.convolve(before, made)
                        )
    return results


def _alike(pieces: Pieces, kinds: PlaceKinds, measure: Match) -> _Kinds:
    """Return the random segments that are alike; those that match nowhere are so of any label."""
    b = pieces.b
    (piece, group, kind, label), which, _ = distinct(b.piece, b.group, b.kind, b.label)
    row, start, end = _places(kinds, kind)
    gain, _ = _gains(pieces, measure, piece[row], start, end, label[row])
    useful = np.bincount(row, (gain > 0).any(axis=1), len(kind)) > 0
    label = np.where(useful, label, OTHER)
    (piece, group, kind, label), again, _ = distinct(piece, group, kind, label)
    count = np.bincount(again[which], minlength=len(kind))
    row, start, end = _places(kinds, kind)
    gain, after = _gains(pieces, measure, piece[row], start, end, label[row])
    return _Kinds(piece, group, count, row, start, end, gain, after)


def _places(kinds: PlaceKinds, kind: Ints) -> tuple[Ints, Ints, Ints]:
    """Return all places of some kinds: which of these, start and end."""
    at = entries(kinds.places, kind)
    return np.repeat(np.arange(len(kind)), kinds.places[kind]), kinds.start[at], kinds.end[at]


def _gains(
    pieces: Pieces, measure: Match, piece: Ints, start: Ints, end: Ints, label: Ints
) -> tuple[Ints | Floats, Ints]:
    """Return what a segment of B at each place adds, and the bit behind it; (places, bits)."""
    if measure.kernel == "one-to-one":
        return _taking(pieces, measure, piece, start, end, label)
    gain = _adding(pieces, measure, piece, start, end, label)
    return gain[:, None], np.zeros((len(gain), 1), np.int64)


def _adding(
    pieces: Pieces, measure: Match, piece: Ints, start: Ints, end: Ints, label: Ints
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


def _taking(
    pieces: Pieces, measure: Match, piece: Ints, start: Ints, end: Ints, label: Ints
) -> tuple[Ints, Ints]:
    """Return what a segment of B at each place takes, and the bit behind it; (places, bits).

    The bit says whether the segment of A that reaches over the border is taken already. Of those
    that can be paired the first is: all are asked, or with the bit those that start here or later.
    """
    a = pieces.a  # sorted by piece and start; its segments do not overlap
    gain, after = np.zeros((2, len(start), 2), np.int64)
    low = np.searchsorted(a.piece, piece)
    high = np.searchsorted(a.piece, piece + 1)
    segment, place = ranges(low, high)
    s, e = a.start[segment], a.start[segment] + a.length[segment]
    length = (end - start)[place]
    meets = (e > start[place]) & (s < end[place]) & (a.label[segment] == label[place])
    able = meets & (measure.phi(start[place] - s, a.length[segment], length) > 0)
    none = len(a)
    over_start, over_end = np.full((2, len(start)), none)
    for over, border in ((over_start, start), (over_end, end)):
        here = (s < border[place]) & (border[place] < e)
        over[place[here]] = segment[here]
    for bit in (0, 1):
        match = np.full(len(start), none)
        can = np.flatnonzero(able & ((bit == 0) | (s >= start[place])))[::-1]
        match[place[can]] = segment[can]  # of several that are set in one place the first stays
        gain[:, bit] = match < none
        still = (over_end == match) | ((over_end == over_start) & (bit == 1))
        after[:, bit] = (over_end < none) & still
    return gain, after


def _most(alike: _Kinds, unit: Ints, units: int) -> Ints:
    """Return an upper bound of the match of each random annotation."""
    top = np.zeros(len(alike.many))
    np.maximum.at(top, alike.row, alike.gain.max(axis=1))
    return np.ceil(np.bincount(unit, top * alike.many, units)).astype(np.int64)


def _batch(
    pieces: Pieces, alike: _Kinds, first: Ints, counts: tuple[int, ...], rows: Ints
) -> _Batch:
    """Return random annotations of equal counts; ``rows`` are the kinds of each."""
    parts = []
    wide = 1
    for k in range(len(counts)):
        at, unit = ranges(first[rows[:, k]], first[rows[:, k] + 1])
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
        keep = _kept(pieces, alike.piece[rows[:, 0]], used, rank)
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


def _kept(pieces: Pieces, piece: Ints, used: Bools, rank: Ints) -> Bools:
    """Return at which borders one segment of A reaches over this one and the one before."""
    a = pieces.a
    segment, unit = ranges(np.searchsorted(a.piece, piece), np.searchsorted(a.piece, piece + 1))
    over = np.full(used.shape, -1)
    end = np.minimum(a.start[segment] + a.length[segment], used.shape[1])
    border, row = ranges(a.start[segment] + 1, np.maximum(end, a.start[segment] + 1))
    over[unit[row], border] = segment[row]
    at = np.full((len(piece), int(rank.max()) + 1), -1)
    u, p = np.nonzero(used)
    at[u, rank[u, p]] = over[u, p]
    keep = np.zeros(at.shape, np.bool_)
    keep[:, 1:] = (at[:, 1:] == at[:, :-1]) & (at[:, 1:] >= 0)
    return keep


class _Step(NamedTuple):
    """Places of one kind that do the same: from where, to which distinct borders, and how."""

    source: Ints
    target: Ints
    begin: Ints
    bit: int
    after: int
    gain: Any


def _steps(batch: _Batch, k: int, moments: bool) -> list[_Step]:
    """Return what placing a segment of kind k does."""
    source = batch.unit[k] * batch.borders + batch.start[k]
    target = batch.unit[k] * batch.borders + batch.end[k]
    steps = []
    for bit in range(batch.gain[k].shape[1]):
        gain, after = batch.gain[k][:, bit], batch.after[k][:, bit]
        key = after.astype(np.float64) if moments else gain * 2 + after
        for value in np.unique(key).tolist():
            rows = np.flatnonzero(key == value)
            rows = rows[np.argsort(target[rows], kind="stable")]
            ends, begin = np.unique(target[rows], return_index=True)
            g = gain[rows] if moments else int(gain[rows[0]])
            steps.append(_Step(source[rows], ends, begin, bit, int(after[rows[0]]), g))
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
        top = np.max(
            [x.reshape(units, batch.borders, -1)[:, -1].max(axis=1) for x in arrived.values()],
            axis=0,
        )
        power = -np.repeat(np.frexp(top)[1], batch.borders)[:, None, None]
        level = {u: np.ldexp(table, power) for u, table in arrived.items()}
    ends = level[batch.counts].reshape(units, batch.borders, bits, wide)[:, -1].sum(axis=1)
    if moments:
        mean, square = ends[:, 1] / ends[:, 0], ends[:, 2] / ends[:, 0]
        spread = square - mean**2
        spread[spread <= 1e-14 * square] = 0
        return list(np.stack((mean, spread), axis=1))
    ends /= ends.sum(axis=1, keepdims=True)
    return [p[: np.flatnonzero(p)[-1] + 1] for p in ends]


def _add(target: Floats, ways: Floats, step: _Step, moments: bool) -> None:
    """Add what comes of placing a segment."""
    from_there = ways[step.source, step.bit]
    if moments:
        g = step.gain
        mass, mean, square = from_there.T
        from_there = np.stack((mass, mean + g * mass, square + g * (2 * mean + g * mass)), axis=1)
    sums = np.add.reduceat(from_there, step.begin, axis=0)
    if moments:
        target[step.target, step.after] += sums
    else:
        g = step.gain
        target[step.target, step.after, g:] += sums[:, : sums.shape[1] - g]


def _carry(table: Floats, keep: Bools | None) -> None:
    """Add to every border what came to those before it, (units, borders, bits, …)."""
    if keep is None:
        np.cumsum(table, axis=1, out=table)
        return
    for p in range(1, table.shape[1]):
        kept = table[:, p - 1, 1] * keep[:, p, None]
        table[:, p, 1] += kept
        table[:, p, 0] += table[:, p - 1, 0] + table[:, p - 1, 1] - kept


# --- both random ---------------------------------------------------------------------------------


class Alike(NamedTuple):
    """Segments of one side that are alike: their label, number, and where they end by start."""

    label: int
    number: int
    ends: dict[int, list[int]]


class _Ahead(NamedTuple):
    """The side that is read further: to which border, and what its segment there still needs.

    The tag is its start and label, as far as the measure asks; ``None`` where nothing that comes
    can add to the match.
    """

    side: int
    until: int
    tag: tuple[int, int] | None


def both_walk_at_places(
    pieces: Pieces, kinds: PlaceKinds, measure: Match, budget: float, moments: bool
) -> _Result:
    """Return the distribution of each piece's match, with A and B random at their places.

    Args, result: as of :func:`fixed_walk_at_places`; segments of one side and piece exclude each
    other.
    """
    results: _Result = []
    for number in range(len(pieces)):
        sides = [side.of_piece(number) for side in (pieces.a, pieces.b)]
        there = set(sides[0].label.tolist()) & set(sides[1].label.tolist())
        if not there:
            results.append(np.zeros(2) if moments else np.ones(1))
            continue
        both = [alike_of(side, kinds, there) for side in sides]
        walk = _BothWalk(both, measure, moments)
        results.append(walk.run() if walk.cost() <= budget else None)
    return results


def alike_of(side: Side, kinds: PlaceKinds, there: set[int]) -> list[Alike]:
    """Return the segments of one side that are alike, by kind and label."""
    counts: dict[tuple[int, int], int] = {}
    for kind, label in zip(side.kind.tolist(), side.label.tolist(), strict=True):
        key = (kind, label if label in there else OTHER)
        counts[key] = counts.get(key, 0) + 1
    result = []
    for (kind, label), number in sorted(counts.items()):
        here = slice(int(kinds.first[kind]), int(kinds.first[kind + 1]))
        ends: dict[int, list[int]] = {}
        for s, e in zip(kinds.start[here].tolist(), kinds.end[here].tolist(), strict=True):
            ends.setdefault(s, []).append(e)
        result.append(Alike(label, number, ends))
    return result


class _Move(NamedTuple):
    """What can follow a state.

    Attributes:
        used: the axes of the kinds of which a segment is placed.
        gain: what is matched by it.
        border: up to where both are read then.
        then: who is ahead of it.
    """

    used: tuple[int, ...]
    gain: float
    border: int
    then: _Ahead | None


class _BothWalk:
    """The walk of two random annotations of one piece."""

    def __init__(self, sides: Sequence[Sequence[Alike]], measure: Match, moments: bool) -> None:
        self.sides, self.measure, self.moments = sides, measure, moments
        borders = {
            x
            for kinds in sides
            for kind in kinds
            for s, ends in kind.ends.items()
            for x in (s, *ends)
        }
        self.borders = sorted(borders)
        self.wide = 3 if moments else self._most() + 1
        self.shape = (*(kind.number + 1 for kinds in sides for kind in kinds), self.wide)

    def _most(self) -> int:
        """Return an upper bound of the match."""
        sizes = []
        for kinds in self.sides:
            longest = (max(e - s for s, ends in kind.ends.items() for e in ends) for kind in kinds)
            in_tokens = self.measure.in_tokens
            sizes.append(
                sum(
                    kind.number * (longest if in_tokens else 1)
                    for kind, longest in zip(kinds, longest, strict=True)
                    if kind.label != OTHER
                )
            )
        return min(sizes)

    def cost(self) -> float:
        """Return about how many numbers the walk computes."""
        number = {border: i for i, border in enumerate(self.borders)}
        begin, over = np.zeros((2, 2, len(self.borders) + 1))
        for side, kinds in enumerate(self.sides):
            for kind in kinds:
                for s, ends in kind.ends.items():
                    begin[side, number[s]] += len(ends)
                    for e in ends:
                        over[side, number[s] + 1] += 1
                        over[side, number[e]] -= 1
        over = np.cumsum(over, axis=1)
        moves = (1 + begin[0]) * (1 + begin[1])
        moves += over[0] * (1 + begin[1]) + over[1] * (1 + begin[0])
        return float(moves.sum()) * max(math.prod(self.shape), _MOVE)

    def run(self) -> Floats:
        """Return the distribution, or mean and variance."""
        start = np.zeros(self.shape)
        start.flat[0] = 1
        states: dict[int, dict[_Ahead | None, Floats]] = {self.borders[0]: {None: start}}
        following = dict(itertools.pairwise(self.borders))
        scale = self._scale()
        last = self.borders[-1]
        for p in self.borders[:-1]:
            for ahead, ways in states.pop(p, {}).items():
                moves = (
                    self._level(p, following[p])
                    if ahead is None
                    else self._behind(p, following[p], ahead)
                )
                for move in moves:
                    self._add(states, ways, move, scale)
        ways = states[last][None][(*(-1 for _ in self.shape[:-1]),)]
        return of_ways(ways, self.moments)

    def _scale(self) -> tuple[float, float]:
        """Return a factor for each segment of either side, a power of 2: ways do not grow."""
        factors = []
        for kinds in self.sides:
            placed = sum(kind.number for kind in kinds)
            logs = sum(
                kind.number * math.log(sum(map(len, kind.ends.values())))
                - math.lgamma(kind.number + 1)
                for kind in kinds
            )
            factors.append(2.0 ** round(-logs / max(placed, 1) / math.log(2)))
        return factors[0], factors[1]

    def _add(
        self,
        states: dict[int, dict[_Ahead | None, Floats]],
        ways: Floats,
        move: _Move,
        scale: tuple[float, float],
    ) -> None:
        """Add what comes of a move to the state that it leads to."""
        used, gain = move.used, move.gain
        there = states.setdefault(move.border, {})
        if move.then not in there:
            there[move.then] = np.zeros(self.shape)
        axes = range(len(self.shape) - 1)
        taken = tuple(slice(None, -1) if i in used else slice(None) for i in axes)
        onto = tuple(slice(1, None) if i in used else slice(None) for i in axes)
        part = ways[taken] * math.prod(scale[i >= len(self.sides[0])] for i in used)
        add_shifted(there[move.then][onto], part, gain, self.moments)

    def _placed(self, side: int, p: int) -> Iterator[tuple[int, int, int]]:
        """Yield axis, end and label of each segment of a side that can be placed at p."""
        at = side * len(self.sides[0])
        for i, kind in enumerate(self.sides[side]):
            for e in kind.ends.get(p, ()):
                yield at + i, e, kind.label

    def _level(self, p: int, following: int) -> Iterator[_Move]:
        """Yield what can follow where both are read equally far."""
        yield _Move((), 0, following, None)
        for side in (0, 1):
            for axis, e, label in self._placed(side, p):
                ahead = _Ahead(side, e, self._tag(p, label))
                yield _Move((axis,), 0, following, ahead if e > following else None)
        for i, e, label in self._placed(0, p):
            for j, f, other in self._placed(1, p):
                gain = self._gain(0, (p, e, label), (p, f, other))
                longer = _Ahead(0, e, self._tag(p, label))
                if f > e:
                    longer = _Ahead(1, f, self._tag(p, other))
                if gain and self.measure.kernel == "one-to-one":
                    longer = longer._replace(tag=None)
                yield _Move((i, j), gain, min(e, f), longer if e != f else None)

    def _behind(self, p: int, following: int, ahead: _Ahead) -> Iterator[_Move]:
        """Yield what can follow where one side is ahead: what the other one places."""
        q = ahead.until
        yield _Move((), 0, following, ahead if q > following else None)
        lags = 1 - ahead.side
        for axis, e, label in self._placed(lags, p):
            tag, own_tag, gain = ahead.tag, self._tag(p, label), 0.0
            if tag is not None and own_tag is not None:
                gain = self._gain(ahead.side, (tag[0], q, tag[1]), (p, e, label))
            if gain and self.measure.kernel == "one-to-one":
                tag = own_tag = None
            then = ahead._replace(tag=tag) if e < q else _Ahead(lags, e, own_tag)
            yield _Move((axis,), gain, min(e, q), then if e != q else None)

    def _tag(self, start: int, label: int) -> tuple[int, int] | None:
        """Return what has to be known of a segment while what comes can add to the match."""
        measure = self.measure
        if measure.kernel == "equal" or label == OTHER:
            return None
        any_start = measure.kernel == "cover" or (
            measure.kernel == "one-to-one" and not measure.share
        )
        return (0 if any_start else start), label

    def _gain(
        self, side: int, segment: tuple[int, int, int], following: tuple[int, int, int]
    ) -> float:
        """Return what two segments, each start, end and label, add; ``segment`` is of ``side``.

        Where the start does not matter, only what lies behind that of the other one counts.
        """
        if segment[2] != following[2] or segment[2] == OTHER:
            return 0
        first, second = (segment, following) if side == 0 else (following, segment)
        if self.measure.kernel == "cover":
            return min(segment[1], following[1]) - following[0]
        offset, a, b = second[0] - first[0], first[1] - first[0], second[1] - second[0]
        lengths = (np.array([x]) for x in (offset, a, b))
        return self.measure.phi(*lengths)[0].item()


# --- both random, where pairs may share a segment ------------------------------------------------


def both_random_at_places(
    pieces: Pieces, kinds: PlaceKinds, measure: Match, chance: str, budget: float, moments: bool
) -> _Result:
    """Return the distribution of each piece's match, with A and B random, under any chance model.

    Args, result: as of :func:`fixed_walk_at_places`.
    """
    if chance == "nonoverlapping" or (chance == "per-label" and measure.of_label):
        return both_walk_at_places(pieces, kinds, measure, budget, moments)
    return [
        _enumerated(pieces.some(np.array([piece])), kinds, measure, budget, moments)
        for piece in range(len(pieces))
    ]


def _enumerated(
    piece: Pieces, kinds: PlaceKinds, measure: Match, budget: float, moments: bool
) -> Floats | None:
    """Return the same of one piece: every arrangement of one side is written out."""
    ways = [_number(side, kinds) for side in (piece.a, piece.b)]
    swapped = ways[1] < ways[0]
    fixed, random = (piece.b, piece.a) if swapped else (piece.a, piece.b)
    places = float(kinds.places[random.kind].sum())
    if min(ways) * (places + len(fixed)) * len(random) > budget:
        return None
    starts, ends = np.moveaxis(np.array(list(_arrangements(fixed, kinds)), np.int64), 2, 0)
    count = len(starts)
    many = fixed.copies(count)
    many = replace(many, start=starts.ravel(), length=(ends - starts).ravel())
    many = many.rows(np.lexsort((many.start, many.piece)))
    if swapped:
        measure = turned(measure)
    tokens = np.full(count, piece.tokens[0])
    copied = Pieces(np.zeros(count, np.int64), tokens, many, random.copies(count))
    made = fixed_walk_at_places(copied, kinds, measure, budget, moments)
    return mixture(made, moments)


def _number(side: Side, kinds: PlaceKinds) -> float:
    """Return how many arrangements a side has at most."""
    return math.exp(min(float(np.log(kinds.places[side.kind]).sum()), 700))


def _arrangements(side: Side, kinds: PlaceKinds) -> Iterator[list[tuple[int, int]]]:
    """Yield start and end of a side's segments in every arrangement, segments being distinct."""
    choices = []
    for kind in side.kind.tolist():
        here = slice(int(kinds.first[kind]), int(kinds.first[kind + 1]))
        columns = kinds.start[here].tolist(), kinds.end[here].tolist()
        choices.append(list(zip(*columns, strict=True)))
    group = side.group.tolist()

    def fill(i: int, chosen: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        if i == len(choices):
            yield list(chosen)
            return
        for s, e in choices[i]:
            others = (chosen[j] for j in range(i) if group[j] == group[i])
            if all(e <= a or b <= s for a, b in others):
                yield from fill(i + 1, [*chosen, (s, e)])

    return fill(0, [])
