"""The edges of start distributions: the sums over what may lie to the left of a segment.

A document has ``n`` tokens, an annotator marked ``k`` segments of lengths a₁…a_k in it, a = Σaᵢ.
Li et al. 2024 (*Chance*), Eq. 1, sums over all subsets of the other segments. Here the same sum is
arranged so that subsets of equal size and total length are counted together: shrink every segment
to one token, and the k segments lie in k of F = n − a + k slots. Segment i in slot y, with m longer
segments of total excess d = Σ(aⱼ − 1) to its left, starts at x = y + d::

    P(x) = 1/F · Σ_y Σ_m H(m | y) · T(m, x − y)

    H(m | y)  m of the K segments longer than one token lie in the y slots to the left
              (hypergeometric: y slots drawn out of the F − 1 others)
    T(m, d)   m segments drawn at random out of these K have the total excess d

Every factor is a probability and every term is positive, so nothing overflows and nothing cancels.
P depends on i only through F and the excesses of the *other* segments, it is symmetric, and it is
constant for D ≤ x ≤ F − 1, D the excess of all others (Prop. 3). Further in than that edge it is
also constant to the last digit once the edge has converged, which in long documents happens long
before D; so a distribution is kept as one edge and one constant
(:class:`spanagree.chance.start_distributions.Profiles`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import prod

import numpy as np

from spanagree.arrays import Complexes, Floats, Ints, unique
from spanagree.limits import check_cost

FIRST_EDGE = 64  # tokens; an edge of up to so many is summed as it stands
_FLAT = 1e-13  # relative spread below which the end of an edge counts as its plateau
_ROUNDED = 4e-15  # the same after sums over a whole document, which do not converge but are exact
_LEAST = 1e-250  # smaller floats may lose digits
_NEGLIGIBLE = 1e-30  # probabilities below this are left out of sums of order 1
_PASCAL_ROWS = 512  # binomials up to here come from a table; its last row is near 1e153
_FOURIER = 256  # edges longer than this are summed by Fourier transforms
_CHUNK = 1 << 22  # elements of one temporary array
_CACHED = 1 << 10  # frequencies that are gone over many times
_FAINT = 1e-16  # of the greatest value; the transforms err by as much
_UNSEEN = 1e-18  # probabilities below this are left out of sums that transforms make
_LOST = 4.0  # by how much rounding may grow where one segment is left out
_MANY = 64  # segments for each distinct length; with fewer, all lengths share their sums


def short_edges(excess: Ints, slots: Ints) -> list[Floats]:
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


def long_edges(excess: Ints, F: int) -> dict[int, Floats]:
    """Return for each distinct excess of a long document the edge of P with its plateau.

    Edges are as long as a renewal process takes to forget its start, or doubled until their ends
    are flat: each value is a mean of earlier ones, at most ``longest`` back, so once that many in a
    row agree, all later ones do. Where an edge has room for most segments, as in dense text, sums
    over the whole document are less work; many lengths, as by characters, share their sums.
    """
    slots = np.array([F])
    long = excess[excess > 0]
    K, D = len(long), int(long.sum())
    longest = int(long.max()) + 1
    whole = {int(e): int(_whole_edge(D - int(e), F)) for e in unique(excess)}
    if K < _PASCAL_ROWS and len(whole) * _MANY > K:
        return _edges_of_many_lengths(long, F, whole)
    edges: dict[int, Floats] = {}
    limit = _memory(long, F) + max(longest, FIRST_EDGE // 4)
    while len(edges) < len(whole):
        limit = min(limit, max(whole.values()))
        most = _most(long, limit)
        if 2 * most > K and most * limit > F + D:
            return edges | _edges_by_halves(long, F, sorted(whole.keys() - edges.keys()))
        check_cost(4 * (min(K, most) + 1) * limit, _purpose(long, F))
        H = {k: _left_of(k, slots, limit, most) for k in {K - (e > 0) for e in whole}}
        T = _subset_sums(long, max(h.shape[2] for h in H.values()) - 1, limit)
        for e in whole.keys() - edges.keys():
            others, h = (_without(e, T, long), H[K - 1]) if e else (T, H[K])
            reach = min(limit, whole[e])
            P = _starts(h[:, : reach + 1], others[: h.shape[2], : reach + 1], slots)[0]
            end = P[-max(longest, FIRST_EDGE // 4) :]
            if reach == whole[e] or end.max() - end.min() <= _FLAT * end.max():
                edges[e] = P
        limit *= 2
    return edges


def _purpose(long: Ints, F: int) -> str:
    """Return what the work is for, as an error names it."""
    n = F + int(long.sum())
    return f"the chance of segments of up to {long.max() + 1} tokens in a document of {n}"


def _edges_of_many_lengths(long: Ints, F: int, whole: dict[int, int]) -> dict[int, Floats]:
    """Return the same from sums that all lengths share."""
    longest = int(long.max()) + 1
    edges: dict[int, Floats] = {}
    limit = _memory(long, F) + longest
    while len(edges) < len(whole):
        limit = min(limit, max(whole.values()))
        left = sorted(whole.keys() - edges.keys())
        P = _starts_up_to(limit, long, F, left)
        if P is None:
            return edges | _edges_by_halves(long, F, left)
        reach = np.array([whole[e] for e in left])
        for i in np.flatnonzero(reach < limit).tolist():
            P[i, reach[i] :] = P[i, reach[i]]
        end = P[:, -max(longest, FIRST_EDGE // 4) :]
        done = (np.ptp(end, axis=1) <= _FLAT * end.max(1)) | (reach <= limit)
        edges |= {e: p for e, p, d in zip(left, _trimmed(P), done.tolist(), strict=True) if d}
        limit *= 2
    return edges


def _memory(long: Ints, F: int) -> int:
    """Return after how many tokens a renewal process of these lengths has forgotten its start.

    Its density has, in Fourier space, the increments 1 / Σ_x z^x Pr(longer than x), here of a
    stretch that is doubled until they end in its first half; a document may be far longer.
    """
    n, stretch = F + int(long.sum()), 4 << int(long.max()).bit_length()
    if len(long) == F or stretch > _CHUNK:  # without any token alone it may never forget
        return n
    longer = np.bincount(long)[::-1].cumsum()[::-1] / F
    longer[0] = 1
    while stretch <= _CHUNK:
        increments = np.fft.irfft(1 / np.fft.rfft(longer, stretch), stretch)
        missing = np.abs(increments[::-1].cumsum())[::-1]
        reach = int(np.flatnonzero(missing > _FLAT * missing[0])[-1])
        if 2 * reach < stretch or n <= stretch:
            return reach
        stretch *= 2
    return n


def _starts_up_to(limit: int, long: Ints, F: int, excesses: list[int]) -> Floats | None:
    """Return P(x) for x up to ``limit``, a row for each excess.

    ``None`` where sums over the whole document are less work, or where more than half of the
    segments may be to the left and digits would be lost (as in :func:`_without`).
    """
    from scipy.fft import irfft, next_fast_len, rfft  # late: only long documents need it

    K, n, most = len(long), F + int(long.sum()), _most(long, limit)
    check_cost(4 * (min(K, most) + 1) * limit, _purpose(long, F))
    if most * limit > _CHUNK:
        return None
    C, size = _binomials(), next_fast_len(2 * limit + 1, real=True)
    least = np.cumsum([0, *np.sort(long)])[:, None]  # excess of m segments, which leaves less for y
    seen: dict[int, Floats] = {}
    for others in {K - (e > 0) for e in excesses}:
        H = _left_of(others, np.array([F]), limit, most)[0].T
        H = H * (np.arange(limit + 1) <= limit - least[: len(H)])
        greatest = H.max(1)
        m = np.arange(int(np.flatnonzero(greatest > _UNSEEN)[-1]) + 1)
        lost = greatest[m] * C[K, np.minimum(m, K // 2)] / C[others, m]
        if len(m) * limit > (K // 2 + 1) * n or (others < K and lost.max() > _LOST):
            return None
        seen[others] = H[m]
    T = rfft(_ways(long, max(map(len, seen.values())) - 1, limit), size)
    P = np.empty((len(excesses), limit + 1))
    for others, H in seen.items():
        of_these, transformed = T[: len(H)], rfft(H, size)
        if others == K:
            terms = (transformed * of_these / C[K, : len(H), None]).sum(0)
            P[0] = irfft(terms, size)[: limit + 1]
        else:
            terms = irfft(_terms(of_these, transformed, K), size)[:, : limit + 1]
            singles = excesses.count(0)  # they are sorted
            P[singles:] = _sum_shifted(terms, excesses[singles:])
    return np.maximum(P, 0) / F


def _edges_by_halves(long: Ints, F: int, excesses: list[int]) -> dict[int, Floats]:
    """Return the same from sums over the whole document.

    What P is with m of the K others to the left is the mirror image of what it is with K − m, so
    half of the m are enough.
    """
    from scipy.fft import irfft, next_fast_len, rfft  # late: only long documents need it

    K, D = len(long), int(long.sum())
    check_cost(2 * (K // 2 + 1) * (F + D), _purpose(long, F))
    size = next_fast_len(F + D, real=True)
    most, limit = K // 2, int(np.sort(long)[(K + 1) // 2 :].sum())
    T = _subset_sums(long, most, limit)
    edges: dict[int, Floats] = {}
    singles = excesses.count(0)  # a segment of one token is not among the K; they are sorted
    for portion in filter(len, (excesses[:singles], excesses[singles:])):
        others = K - (portion[0] > 0)
        H = np.empty((others // 2 + 1, size // 2 + 1), np.complex128)
        portions = np.array_split(np.arange(len(H)), 1 + len(H) * size // _CHUNK)
        for m in portions:  # for memory
            H[m] = rfft(_left_of_up_to_half(others, F, m), size)
        shared: Iterable[Floats]
        if K < _PASCAL_ROWS and portion[0] > 0 and len(portion) * _MANY > K:
            ways = np.empty_like(H)
            for m in portions:
                ways[m] = rfft(_binomials()[K, m, None] * T[m], size)
            shared = sums = np.zeros((len(portion), F + D))
            for j, term in enumerate(_terms(ways, H, K)):
                of_j = irfft(term, size)
                for row, e in zip(sums, portion, strict=True):
                    row[j * e :] += of_j[: max(F + D - j * e, 0)]
        else:
            tables = ((_without(e, T, long) if e else T)[: len(H)] for e in portion)
            shared = (irfft((H * rfft(table, size)).sum(0), size) for table in tables)
        for e, half in zip(portion, shared, strict=True):
            half, width = half[: F + D - e], int(_whole_edge(D - e, F)) + 1
            P = np.maximum(half[:width] + half[::-1][:width], 0) / F
            (edges[e],) = _trimmed(P[None])
    return edges


def _trimmed(P: Floats) -> list[Floats]:
    """Return each row up to where it is what it is at its end."""
    same = np.abs(P - P[:, -1:]) <= _ROUNDED * P[:, -1:]
    at_end = np.cumprod(same[:, ::-1], axis=1).sum(1)
    return [p[: len(p) + 1 - n] for p, n in zip(P, at_end.tolist(), strict=True)]


def _terms(T: Complexes, H: Complexes, K: int) -> Complexes:
    """Return ± c_j, in Fourier space, with which Σ_m H(m) T'(m) of each length is a short sum.

    T counts ways. T' of all but one segment of excess e is, as a mean over ways,
    T'(m) = Σ_j (−z^e)^j T(m − j) / C(K − 1, m), which is :func:`_without` solved. So
    Σ_m H(m) T'(m) = Σ_j (−z^e)^j c_j, and all that depends on e is a shift by j·e places
    (:func:`_sum_shifted`). No c_j is greater anywhere than at frequency 0. H takes the terms in,
    for memory. Where all further H(m) are below what the transforms err by, as at most
    frequencies, they are left out.
    """
    less = _binomials()[K - 1, : len(H), None]
    least = _FAINT * np.abs(H[:, 0]).max()
    mass = np.correlate((H[:, 0] / less[:, 0]).real, T[:, 0].real, "full")[len(T) - 1 :]
    terms = int(np.flatnonzero(mass > _FAINT)[-1]) + 1
    for at in range(0, H.shape[1], _CACHED):
        h, t = H[:, at : at + _CACHED], T[:, at : at + _CACHED]
        top = int(np.flatnonzero(np.abs(h).max(1) > least)[-1]) + 1
        weighted = h[:top] / less[:top]
        h[top:] = 0
        for j in range(min(top, terms)):
            h[j] = np.einsum("mf,mf->f", weighted[j:], t[: top - j])
    H[1:terms:2] *= -1
    return H[:terms]


def _sum_shifted(terms: Floats, excesses: list[int]) -> Floats:
    """Return Σ_j (±c_j)(x − j·e), a row for each e."""
    width = terms.shape[1]
    padded = np.zeros((len(terms), 2 * width))
    padded[:, width:] = terms
    whole, step = padded.strides
    total = np.empty((len(excesses), width))
    for row, e in zip(total, excesses, strict=True):
        shape = min(len(terms), (width - 1) // e + 1), width
        np.lib.stride_tricks.as_strided(padded[0, width:], shape, (whole - e * step, step)).sum(
            0, out=row
        )
    return total


def _ways(excess: Ints, most: int, limit: int) -> Floats:
    """Return in how many ways m of these segments have the excess d; m ≤ most, d ≤ limit."""
    ways = np.zeros((most + 1, limit + 1))
    ways[0, 0] = height = width = 1
    for e in np.sort(excess).tolist():
        columns = min(width, limit + 1 - e)
        if columns <= 0:
            break
        ways[1 : height + 1, e : e + columns] += ways[: min(height, most), :columns]
        height, width = min(height + 1, most + 1), min(width + e, limit + 1)
    return ways


def _left_of_up_to_half(K: int, F: int, m: Ints) -> Floats:
    """Return H(m | y) at [m, y < F], for some m up to K/2, half of it where m is K/2.

    H(m | y) = C(y, m) C(F − 1 − y, K − m) / C(F − 1, K), from the ratios of neighbours on either
    side of each row's peak; the sum of a row is F / (K + 1).
    """
    H = np.empty((len(m), F))
    y = np.arange(F - 1.0)
    for row, left in zip(H, m.tolist(), strict=True):
        more = (y + 1) * (F - 1 - y + (left - K))
        less = (y + (1 - left)) * (F - 1 - y)
        peak = left * (F - 1) // max(K, 1)
        row[peak] = 1
        np.cumprod(np.maximum(more[peak:], 0) / less[peak:], out=row[peak + 1 :])
        np.cumprod((np.maximum(less[:peak], 0) / more[:peak])[::-1], out=row[:peak][::-1])
        row *= (0.5 if 2 * left == K else 1.0) * F / (K + 1) / row.sum()
    return H


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
    T[0, 0] = height = width = 1
    total = 0
    # those of little excess first: so the table stays small for long
    count = np.bincount(excess)
    lengths = ((e, int(count[e])) for e in np.flatnonzero(count).tolist())
    for e, c in sorted(lengths, key=lambda each: (prod(each), each[0])):
        total += c
        known = T[:height, :width].copy()
        drawn = min(height + c, most + 1)
        shares = _shares if drawn <= FIRST_EDGE else _shares.__wrapped__  # large ones are not kept
        share = shares(drawn - 1, c, total, min(c, most))
        T[:height, :width] *= share[:height, :1]
        for j in range(1, min(c, most, limit // e) + 1):
            rows = min(height, most + 1 - j)
            columns = min(width, limit + 1 - j * e)
            T[j : j + rows, j * e : j * e + columns] += (
                share[j : j + rows, j, None] * known[:rows, :columns]
            )
        height, width = drawn, min(width + c * e, limit + 1)
    return T


@lru_cache(maxsize=1024)
def _shares(drawn: int, special: int, total: int, most: int) -> Floats:
    """Return the same as :func:`_hypergeometric` for one total; most shapes need the same few."""
    return _hypergeometric(drawn, special, np.array([total]), most)[0]


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
