"""Where a random segment starts: the exact distribution, for one shape or for thousands at once.

A document has ``n`` tokens, an annotator marked ``k`` segments of lengths a₁…a_k in it, a = Σaᵢ.
A random annotation puts them anywhere, uniformly over all configurations in which no two share a
token (Li et al. 2024, *Chance*). Their Eq. 1 sums over all subsets of the other segments. Here
the same sum is arranged so that subsets of equal size and total length are counted together:
shrink every segment to one token, and the k segments lie in k of F = n − a + k slots. Segment i in
slot y, with m longer segments of total excess d = Σ(aⱼ − 1) to its left, starts at x = y + d::

    P(x) = 1/F · Σ_y Σ_m H(m | y) · T(m, x − y)

    H(m | y)  m of the K segments longer than one token lie in the y slots to the left
              (hypergeometric: y slots drawn out of the F − 1 others)
    T(m, d)   m segments drawn at random out of these K have the total excess d

Every factor is a probability and every term is positive, so nothing overflows and nothing cancels.
P depends on i only through F and the excesses of the *other* segments, it is symmetric, and it is
constant for D ≤ x ≤ F − 1, D the excess of all others (Prop. 3). Further in than that edge it is
also constant to the last digit once the edge has converged, which in long documents happens long
before D; so a distribution is kept as one edge and one constant (:class:`Profiles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints, distinct_rows, groups
from spanagree.corpus.segments import Layer, frozen
from spanagree.errors import InputError, check_choice, is_whole, show, unfit
from spanagree.limits import check_cost

CHANCES = {
    "nonoverlapping": "no two segments of one annotator share a token",
    "per-label": "no two segments of the same label share a token; labels are independent",
    "overlapping": "every segment by itself, anywhere",
}
"""The chance models by name: what a random annotation must respect."""


_LONGEST = 10**9  # tokens of a document whose distributions are written out in full


_FIRST_EDGE = 64  # tokens; an edge that has not converged is doubled


_FLAT = 1e-13  # relative spread below which the end of an edge counts as its plateau


_LEAST = 1e-250  # smaller floats may lose digits


_NEGLIGIBLE = 1e-30  # probabilities below this are left out of sums of order 1


_PASCAL_ROWS = 512  # binomials up to here come from a table; its last row is near 1e153


_FOURIER = 256  # edges longer than this are summed by Fourier transforms


_CHUNK = 1 << 22  # elements of one temporary array

_Cell: TypeAlias = tuple[Ints, Ints, Ints]
"""F of shapes that differ in n only; these; where they note the profile of one segment length."""


# --- one document -------------------------------------------------------------------------------


def start_distribution(
    length: int, segments: Sequence[int], chance: str = "nonoverlapping"
) -> tuple[Floats, ...]:
    """Return where the segments of one random annotation start.

    Args:
        length: number of tokens of the document, n.
        segments: the lengths of the segments in tokens, all of one label.
        chance: the chance model, one of :data:`CHANCES`.

    Returns:
        For each segment a read-only array of n − a + 1 probabilities, P(start = x) at index x.
        Segments of equal length share one array.

    Raises:
        SettingError: for an unknown chance model.
        InputError: for lengths that are not whole and positive, or do not fit the document.

    Source: Li et al. 2024, Eq. 1.

    >>> [p.tolist() for p in start_distribution(6, [3, 3])]
    [[0.5, 0.0, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5]]
    """
    check_choice(chance, CHANCES, "chance")
    n = _whole(length, "length")
    if isinstance(segments, (str, bytes)) or not isinstance(segments, Iterable):
        raise InputError(f"segments: {show(segments)}; a list of lengths is needed")
    lengths = np.array([_whole(a, "segments") for a in segments], dtype=np.int64)
    needed = int(lengths.max(initial=0) if chance == "overlapping" else lengths.sum())
    if needed > n:
        which = "the longest segment has" if chance == "overlapping" else "the segments have"
        raise InputError(
            f"segments do not fit: {which} {needed} tokens, the document {n};"
            f" chance {chance!r} allows at most {n}"
        )
    if not len(lengths):
        return ()
    check_cost(n, f"the start distribution in a document of {n} tokens")
    documents = np.zeros(len(lengths), np.int64)
    profiles, profile = place(documents, np.array([n]), lengths, free=chance == "overlapping")
    arrays = {i: frozen(profiles.expand(i), np.float64) for i in set(profile.tolist())}
    return tuple(arrays[i] for i in profile.tolist())


def _whole(value: object, what: str) -> int:
    if is_whole(value) and 1 <= value <= _LONGEST:
        return int(value)
    raise unfit(f"{what}:", value, f"a length is a whole number from 1 to {_LONGEST}")


# --- many documents -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Profiles:
    """Many functions on 0 … size − 1, each its own mirror image and constant between two edges.

    Profile i has ``width[i]`` values of its own at either end, and one value in between:
    ``values[offset[i] : offset[i] + width[i]]`` is the edge, ``values[offset[i] + width[i]]`` the
    plateau. ``2·width ≤ size``; with ``2·width == size`` the plateau is empty and not used.
    """

    size: Ints
    width: Ints
    offset: Ints
    values: Floats

    @property
    def plateau(self) -> Floats:
        """The value of each profile between its edges."""
        return self.values[self.offset + self.width]

    def at(self, profile: Ints, x: Ints) -> Floats:
        """Return the values at places ``x`` (broadcast against ``profile``), 0 outside of them."""
        inner = np.minimum(x, self.size[profile] - 1 - x)  # the mirror image
        inside = inner >= 0
        place = self.offset[profile] + np.minimum(np.where(inside, inner, 0), self.width[profile])
        return np.where(inside, self.values[place], 0.0)

    def expand(self, profile: int) -> Floats:
        """Return one profile in full, ``size`` values."""
        return self.at(np.array(profile), np.arange(self.size[profile]))

    @classmethod
    def of(cls, size: Ints, edges: Sequence[Floats]) -> Profiles:
        """Return profiles of one array each: its edge, then its plateau."""
        sizes = np.array([len(edge) for edge in edges], dtype=np.int64)
        values = np.concatenate([np.zeros(0), *edges])
        return cls(size, sizes - 1, np.cumsum(sizes) - sizes, values)


def exclusion_groups(layer: Layer, labels: int, chance: str) -> tuple[Ints, Ints]:
    """Return the group of each segment, of which one excludes another, and each group's document.

    Groups are documents, under ``per-label`` a document and label.
    """
    per = labels if chance == "per-label" else 1
    key = layer.document * per + (layer.label if chance == "per-label" else 0)
    distinct, group = np.unique(key, return_inverse=True)
    return group, distinct // max(per, 1)


def place(group: Ints, tokens: Ints, length: Ints, *, free: bool = False) -> tuple[Profiles, Ints]:
    """Return start distributions of many random annotations, each distinct shape once.

    Args:
        group: per segment, the annotation it belongs to (segments of one group exclude each other).
        tokens: per group, the number of tokens of its document.
        length: per segment, its length in tokens.
        free: segments do not exclude each other (the overlapping model).

    Returns:
        The distinct start distributions, and for each segment which of them is its own.
    """
    if free:
        size, profile = np.unique(tokens[group] - length + 1, return_inverse=True)
        return Profiles.of(size, [np.array([1 / s]) for s in size]), profile
    order = np.lexsort((length, group))
    profile = np.empty(len(length), np.int64)
    counts = np.bincount(group, minlength=len(tokens))
    first = np.cumsum(counts) - counts
    tables: list[tuple[Ints, Ints, Ints]] = []
    cells: dict[bytes, list[_Cell]] = {}
    edges: list[Floats] = []
    sizes: list[int] = []
    for k in np.unique(counts[counts > 0]):  # groups of equally many segments make a table
        here = np.flatnonzero(counts == k)
        rows = order[first[here][:, None] + np.arange(k)]  # segments, by length
        shapes, shape, _ = distinct_rows(np.column_stack((tokens[here], length[rows])))
        slots = shapes[:, 0] - shapes[:, 1:].sum(1) + k
        of_shape = np.empty((len(shapes), k), np.int64)
        tables.append((rows, shape, of_shape))
        alike, which, _ = distinct_rows(shapes[:, 1:] - 1)
        members = groups(which, len(alike))
        for excess, of_these in zip(alike, members, strict=True):
            if excess.sum() <= _FIRST_EDGE:
                for e in np.unique(excess):
                    first_e, last_e = np.searchsorted(excess, (e, e + 1))
                    others = np.concatenate((excess[:first_e], excess[first_e + 1 :]))
                    cell = slots[of_these], of_these, of_shape[:, first_e:last_e]
                    cells.setdefault(others[others > 0].tobytes(), []).append(cell)
                continue
            for s in of_these:
                for e, edge in _long_edges(excess, int(slots[s])).items():
                    of_shape[s, excess == e] = len(edges)
                    edges.append(edge)
                    sizes.append(int(slots[s] + excess.sum()) - e)
    _fill(cells, edges, sizes)
    for rows, shape, of_shape in tables:
        profile[rows] = of_shape[shape]
    return Profiles.of(np.array(sizes, np.int64), edges), profile


def _fill(cells: dict[bytes, list[_Cell]], edges: list[Floats], sizes: list[int]) -> None:
    """Add the profiles of the short shapes, each once, and tell each shape its own."""
    for key, members in cells.items():
        excess = np.frombuffer(key, dtype=np.int64)
        slots, own = np.unique(np.concatenate([cell[0] for cell in members]), return_inverse=True)
        profile = own + len(edges)
        edges += _short_edges(excess, slots)
        sizes += (slots + excess.sum()).tolist()
        at = 0
        for of_cell, shapes, target in members:
            target[shapes] = profile[at : at + len(of_cell), None]
            at += len(of_cell)


# --- the mathematics ----------------------------------------------------------------------------


def _short_edges(excess: Ints, slots: Ints) -> list[Floats]:
    """Return for each F in ``slots`` the edge of P with its plateau.

    ``excess`` is that of the K longer others.
    """
    whole = _whole_edge(int(excess.sum()), slots)
    limit = int(whole.max())
    edges: list[Floats] = []
    step = max(1, _CHUNK // (limit + 1) ** 2)
    for at in range(0, len(slots), step):
        K = len(excess)
        H = _left_of(K, slots[at : at + step], limit, _most(excess, limit))
        P = _starts(H, _subset_sums(excess, H.shape[2] - 1, limit), slots[at : at + step])
        edges += [p[: w + 1] for p, w in zip(P, whole[at : at + step], strict=True)]
    return edges


def _long_edges(excess: Ints, F: int) -> dict[int, Floats]:
    """Return for each distinct excess of a long document the edge of P with its plateau.

    Edges are doubled until their ends are flat. Near an edge P follows a renewal equation: each
    value is a mean of earlier ones, at most ``longest`` back. So once that many values in a row
    agree, all later ones agree with them.
    """
    slots = np.array([F])
    long = excess[excess > 0]
    K = len(long)
    longest = int(long.max()) + 1
    whole = {int(e): int(_whole_edge(int(long.sum() - e), F)) for e in np.unique(excess)}
    edges: dict[int, Floats] = {}
    limit = max(_FIRST_EDGE, 4 * longest)
    while len(edges) < len(whole):
        limit = min(limit, max(whole.values()))
        purpose = f"the chance of segments of up to {longest} tokens in a document of {F - K}"
        check_cost(limit * (min(K, _most(long, limit)) + 1), purpose)
        H = {k: _left_of(k, slots, limit, _most(long, limit)) for k in {K - (e > 0) for e in whole}}
        T = _subset_sums(long, max(h.shape[2] for h in H.values()) - 1, limit)
        for e in whole.keys() - edges.keys():
            others, h = (_without(e, T, long), H[K - 1]) if e else (T, H[K])
            reach = min(limit, whole[e])
            P = _starts(h[:, : reach + 1], others[: h.shape[2], : reach + 1], slots)[0]
            end = P[-max(longest, _FIRST_EDGE // 4) :]
            if reach == whole[e] or end.max() - end.min() <= _FLAT * end.max():
                edges[e] = P
        limit *= 2
    return edges


def _whole_edge(D: int, slots: Ints | int) -> Ints:
    """Return the width of an edge by Prop. 3, or up to the middle where the two edges meet."""
    return np.minimum(D, (slots + D) // 2)


def _most(excess: Ints, limit: int) -> int:
    """Return how many longer segments fit left of ``limit``: the shortest, each with its slot."""
    return int(np.searchsorted(np.cumsum(excess + 1), limit, side="right"))


def _left_of(K: int, slots: Ints, limit: int, most: int) -> Floats:
    """Return H(m | y) at [F, y ≤ limit, m], without columns m that are negligible everywhere."""
    H = _hypergeometric(limit, K, slots - 1, min(K, most))
    return H[:, :, : np.flatnonzero(H.max((0, 1)) > _NEGLIGIBLE)[-1] + 1]


def _starts(H: Floats, T: Floats, slots: Ints) -> Floats:
    """Return P(x) for x below the width of T, one row for each F in ``slots``.

    Σ_m of the convolutions of H(m | ·) with T(m, ·): summed as they stand where that is little
    work, by Fourier transforms, which err by 1e-16 of the greatest value, where it is much.
    """
    height = T.shape[1]
    if height > _FOURIER:
        from scipy.fft import irfft, next_fast_len, rfft  # late: only long documents need it

        size = next_fast_len(2 * height, real=True)
        both = rfft(T, size, axis=1)
        of_slots = [(rfft(h[:height].T, size, axis=1) * both).sum(0) for h in H]
        P = np.maximum(irfft(np.stack(of_slots), size, axis=1)[:, :height], 0)
    else:
        P = np.zeros((len(slots), height))
        step = max(1, _CHUNK // (2 * len(slots) * height))
        for y in range(0, height, step):  # slots in portions, for memory
            table = H[:, y : y + step] @ T[:, : height - y]  # Σ_m, at [F, slot, d]
            P[:, y:] += _sum_antidiagonals(table)
    return P / slots[:, None]


def _without(e: int, T: Floats, excess: Ints) -> Floats:
    """Return T of all segments but one of excess ``e``.

    T(m, d) is a mean over whether that one is among the m: with weight 1 − m/K of T' (m, d) and
    with m/K of T'(m − 1, d − e). Solved for T' from m = 0 upwards; that is stable up to K/2.
    """
    K, most = len(excess), len(T) - 1
    if 2 * most > K:
        others = np.delete(excess, np.flatnonzero(excess == e)[0])
        return _subset_sums(others, most, T.shape[1] - 1)
    rest = np.empty_like(T)
    rest[0] = T[0]
    for m in range(1, most + 1):
        rest[m] = T[m]
        rest[m, e:] -= m / K * rest[m - 1, : max(T.shape[1] - e, 0)]
        rest[m] /= 1 - m / K
    return np.maximum(rest, 0, out=rest)


def _sum_antidiagonals(table: Floats) -> Floats:
    """Return Σ of table[f, y, x − y] over y, for x below the table's width."""
    rows, height, width = table.shape
    padded = np.zeros((rows, height, width + height))
    padded[:, :, :width] = table
    skewed = padded.reshape(rows, -1)[:, : height * (width + height - 1)]
    return skewed.reshape(rows, height, -1).sum(1)[:, :width]


def _subset_sums(excess: Ints, most: int, limit: int) -> Floats:
    """Return T(m, d): m of these segments, drawn at random, have the excess d; m ≤ most, d ≤ limit.

    One distinct length after the other: of m drawn from those up to now, j are of this length.
    """
    T = np.zeros((most + 1, limit + 1))
    T[0, 0] = 1
    lengths, counts = np.unique(excess, return_counts=True)
    # rare lengths first: what of T is not zero yet, up to `drawn` and `deepest`, stays small
    total, drawn, deepest = 0, 0, 0
    for c, e in sorted(zip(counts.tolist(), lengths.tolist(), strict=True)):
        total += c
        more = min(drawn + c, most), min(deepest + c * e, limit)
        share = _hypergeometric(more[0], c, np.array([total]), min(c, most))[0]
        known, T = T, np.zeros_like(T)
        for j in range(min(c, most, limit // e) + 1):
            rows = min(drawn, most - j) + 1
            columns = min(deepest, limit - j * e) + 1
            T[j : j + rows, j * e : j * e + columns] += (
                share[j : j + rows, j, None] * known[:rows, :columns]
            )
        drawn, deepest = more
    return T


def _hypergeometric(drawn: int, special: int, total: Ints, most: int) -> Floats:
    """Return Pr(m of the ``special`` are among y drawn out of ``total``).

    At [total, y ≤ drawn, m ≤ most]; zero where y exceeds the total. Small tables are ratios of
    binomials. In large ones these would overflow: each m follows from the one before, and m = 0 is
    a product over the draws; where that is impossible or too small for a float, the draws are
    followed one by one. All are products and sums of positive numbers, so nothing cancels.
    """
    y = np.arange(drawn + 1)[:, None]
    m = np.arange(most + 1)
    rest = (total[:, None] - y.T)[:, :, None]
    if total.max() < _PASCAL_ROWS and drawn < _PASCAL_ROWS:
        C = _binomials()
        table = C[y, m] * C[np.maximum(rest, 0), special - m]
        return np.where(rest >= 0, table / C[total, special][:, None, None], 0.0)
    table = np.zeros((len(total), drawn + 1, most + 1))
    table[:, 0, 0] = 1
    if (total - special - drawn).min() >= 0:
        none = np.cumprod((rest[:, :-1, 0] - special) / rest[:, :-1, 0], axis=1)
        if none.min(initial=1) > _LEAST:
            table[:, 1:, 0] = none
            more = (special - m[:-1]).clip(0) * (y - m[:-1]).clip(0)
            less = m[1:] * (rest - special + m[1:])
            table[:, :, 1:] = table[:, :, :1] * np.cumprod(more / less, axis=2)
            return table
    for i in range(min(drawn, int(total.max()))):
        left = np.maximum(rest[:, i], 0)
        hit = np.minimum(special - m, left) / np.maximum(left, 1)
        stay = np.maximum(left - special + m, 0) / np.maximum(left, 1)
        table[:, i + 1] = table[:, i] * stay
        table[:, i + 1, 1:] += table[:, i, :-1] * hit[:, :-1]
    return table


@lru_cache(maxsize=1)
def _binomials() -> Floats:
    """Return Pascal's triangle as floats: C[n, k], 0 for k > n."""
    C = np.zeros((_PASCAL_ROWS, _PASCAL_ROWS))
    C[:, 0] = 1
    for n in range(1, _PASCAL_ROWS):
        C[n, 1:] = C[n - 1, 1:] + C[n - 1, :-1]
    return C
