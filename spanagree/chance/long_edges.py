"""The edges of start distributions in long documents, by sums that do not grow with their square.

:mod:`spanagree.chance.edges` has what an edge is, and the sum that is computed here by Fourier
transforms, over what a renewal process remembers, over halves of the document, or beside a few
segments that are far longer than all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np

from spanagree.arrays import Complexes, Floats, Ints, unique
from spanagree.chance.edges import CHUNK, FIRST_EDGE, max_segments_left_of, starts, whole_edge
from spanagree.chance.hypergeometric import PASCAL_ROWS, binomials, left_of, left_of_up_to_half
from spanagree.chance.subset_sums import subset_counts, subset_sums, subset_sums_without
from spanagree.limits import check_cost

_FLAT = 1e-13  # relative spread below which the end of an edge counts as its plateau
_ROUNDED = 4e-15  # the same after sums over a whole document, which do not converge but are exact
_CACHED = 1 << 10  # frequencies that are gone over many times
_FAINT = 1e-16  # of the greatest value; the transforms err by as much
_UNSEEN = 1e-18  # probabilities below this are left out of sums that transforms make
_LOST = 4.0  # by how much rounding may grow where one segment is left out
_FEW = 3  # segments that may be far longer than all others; polynomials of this degree keep digits
_FAR = 1000  # tokens; beside a segment that is no longer, the plain sums cost as little
_SMOOTH = 1e-14  # relative error with which an edge counts as a polynomial
_MANY = 64  # segments for each distinct length; with fewer, all lengths share their sums


def long_edges(excess: Ints, F: int) -> dict[int, Floats]:
    """Return for each distinct excess of a long document the edge of P with its plateau.

    ``excess`` is sorted. Edges are as long as a renewal process takes to forget its start, or
    doubled until their ends are flat: each value is a mean of earlier ones, at most ``longest``
    back, so once that many in a row agree, all later ones do. Where an edge has room for most
    segments, as in dense text, sums over the whole document are less work; many lengths, as by
    characters, share their sums; a few segments that are far longer are put beside short tables.
    """
    long = excess[int(np.searchsorted(excess, 0, side="right")) :]
    distinct = excess[np.flatnonzero(np.diff(excess, prepend=-1))].tolist()
    for few in range(min(_FEW, len(long) - 1), 0, -1):
        short, far = long[:-few], long[-few:]
        if far[0] > max(_FAR, 2 * short[-1]):
            limit = 2 * (_memory(short, F) + max(int(short[-1]) + 1, FIRST_EDGE // 4))
            limit = min(limit, (F - 1 + int(short.sum())) // 2)
            beside = _edges_beside(short, far, F, limit, distinct) if limit < far[0] else None
            if beside is not None:
                return beside
    D = int(long.sum())
    widths = {e: int(whole_edge(D - e, F)) for e in distinct}
    least = max(int(long[-1]) + 1, FIRST_EDGE // 4)
    edges: dict[int, Floats] = {}
    limit = _memory(long, F) + least
    while len(edges) < len(widths):
        limit = min(limit, max(widths.values()))
        left = sorted(widths.keys() - edges.keys())
        P = _starts_up_to(limit, long, F, left)
        if P is None:
            return edges | _edges_by_halves(long, F, left)
        reach = np.array([widths[e] for e in left])
        for i in np.flatnonzero(reach < limit).tolist():
            P[i, reach[i] :] = P[i, reach[i]]
        end = P[:, -least:]
        done = (np.ptp(end, axis=1) <= _FLAT * end.max(1)) | (reach <= limit)
        edges |= {e: p for e, p, d in zip(left, _trimmed(P), done.tolist(), strict=True) if d}
        limit *= 2
    return edges


def _purpose(long: Ints, F: int) -> str:
    """Return what the work is for, as an error names it."""
    n = F + int(long.sum())
    return f"the chance of segments of up to {long.max() + 1} tokens in a document of {n}"


def _memory(long: Ints, F: int) -> int:
    """Return after how many tokens a renewal process of these lengths has forgotten its start.

    Its density has, in Fourier space, the increments 1 / Σ_x z^x Pr(longer than x), here of a
    stretch that is doubled until they end in its first half; a document may be far longer.
    """
    n, stretch = F + int(long.sum()), 4 << int(long.max()).bit_length()
    if len(long) == F or stretch > CHUNK:  # without any token alone it may never forget
        return n
    longer = np.bincount(long)[::-1].cumsum()[::-1] / F
    longer[0] = 1
    while stretch <= CHUNK:
        increments = np.fft.irfft(1 / np.fft.rfft(longer, stretch), stretch)
        missing = np.abs(increments[::-1].cumsum())[::-1]
        reach = int(np.flatnonzero(missing > _FLAT * missing[0])[-1])
        if 2 * reach < stretch or n <= stretch:
            return reach
        stretch *= 2
    return n


def _starts_up_to(
    limit: int, long: Ints, F: int, excesses: list[int], alone: int = 0
) -> Floats | None:
    """Return P(x) for x up to ``limit``, a row for each excess.

    Where ``alone`` is given, it is the probability that also so many given segments of one token
    are to the left. ``None`` where sums over the whole document are less work, or where more than
    half of the segments may be to the left and digits would be lost.
    """
    K, n, most = len(long), F + int(long.sum()), max_segments_left_of(long, limit)
    shared = K < PASCAL_ROWS and len(excesses) * _MANY > K
    if most * limit > (CHUNK if shared else n) and (shared or 2 * most > K):
        return None
    check_cost(4 * (min(K, most) + 1) * limit, _purpose(long, F))
    slots, counts = np.array([F]), {K - (e > 0) for e in excesses}
    H = {others: left_of(others, slots, limit, most, alone) for others in counts}
    if shared:
        return _starts_together(H, long, F, excesses)
    T = subset_sums(long, max(h.shape[2] for h in H.values()) - 1, limit)
    P = np.empty((len(excesses), limit + 1))
    singles = excesses.count(0)  # they are sorted
    if singles:
        P[0] = starts(H[K], T[: H[K].shape[2]], slots)
    step = max(1, CHUNK // T.size)
    for at in range(singles, len(excesses), step):
        rest = subset_sums_without(excesses[at : at + step], T, long)
        P[at : at + step] = starts(H[K - 1], rest[:, : H[K - 1].shape[2]], slots)
    return P


def _starts_together(
    H: dict[int, Floats], long: Ints, F: int, excesses: list[int]
) -> Floats | None:
    """Return the same from sums that all lengths share; H(m | y) is by the number of others."""
    from scipy.fft import irfft, next_fast_len, rfft  # lazy: only long documents need it

    K, n, limit = len(long), F + int(long.sum()), next(iter(H.values())).shape[1] - 1
    C, size = binomials(), next_fast_len(2 * limit + 1, real=True)
    least = np.cumsum([0, *np.sort(long)])[:, None]  # excess of m segments, which leaves less for y
    seen: dict[int, Floats] = {}
    for others, (h,) in H.items():
        rows = h.T * (np.arange(limit + 1) <= limit - least[: h.shape[1]])
        greatest = rows.max(1)
        m = np.arange(int(np.flatnonzero(greatest > _UNSEEN * greatest.max())[-1]) + 1)
        lost = greatest[m] * C[K, np.minimum(m, K // 2)] / C[others, m]
        if len(m) * limit > (K // 2 + 1) * n or (others < K and lost.max() > _LOST):
            return None
        seen[others] = rows[m]
    T = rfft(subset_counts(long, max(map(len, seen.values())) - 1, limit), size)
    P = np.empty((len(excesses), limit + 1))
    for others, rows in seen.items():
        of_these, transformed = T[: len(rows)], rfft(rows, size)
        if others == K:
            terms = (transformed * of_these / C[K, : len(rows), None]).sum(0)
            P[0] = irfft(terms, size)[: limit + 1]
        else:
            terms = irfft(_terms(of_these, transformed, K), size)[:, : limit + 1]
            singles = excesses.count(0)  # they are sorted
            P[singles:] = _sum_shifted(terms, excesses[singles:])
    return np.maximum(P, 0) / F


def _edges_beside(
    short: Ints, far: Ints, F: int, limit: int, excesses: list[int]
) -> dict[int, Floats] | None:
    """Return the same where a few segments are far longer, from which of these are to the left.

    They are first taken for one token each. Let W_l(x) be the probability that the segment starts
    at x and l given ones of them are to its left: near an edge the same sum as P, weighted. Which
    of them are to the left follows by inclusion and exclusion, up to the middle; the rest is its
    mirror image. Those to the left then add their excess.
    """
    K, slots = len(short), F + int(short.sum())
    check_cost((len(excesses) + 2 * len(far) + 2) * (slots + int(far.sum())), _purpose(far, F))
    near = unique(np.array([0, *(e for e in excesses if e < far[0])])).tolist()
    W = np.zeros((len(far) + 1, len(near), limit + 1))
    for left in range(min(len(far), limit) + 1):
        rows = near[left > F - 1 - K :]
        P = _starts_up_to(limit, short, F, rows, left) if rows else np.empty((0, limit + 1))
        if P is None:
            return None
        alone = [F - 1 - K + (e > 0) for e in rows]  # slots of one token
        share = [comb(min(limit, n), left) / comb(n, left) for n in alone]
        W[left, len(near) - len(rows) :] = P * np.array(share)[:, None]
    edges: dict[int, Floats] = {}
    for e in excesses:
        itself, own_excess = (1, 0) if e >= far[0] else (0, e)
        others = np.delete(far, np.searchsorted(far, [e] * itself))
        w, q = (
            _continued(W[: len(others) + 1, near.index(own_excess)], slots - 1 - own_excess),
            len(others),
        )
        if w is None:
            return None
        V = [
            sum((-1) ** j * comb(q - left, j) * w[left + j] for j in range(q - left + 1))
            for left in range(q + 1)
        ]
        half = (slots - own_excess) // 2
        V = [np.concatenate((v, u[:half][::-1])) for v, u in zip(V, V[::-1], strict=True)]
        D = slots - F - own_excess + int(others.sum())
        P = np.zeros(1 + min(limit + int(others.sum()), int(whole_edge(D, F))))
        for left, v in enumerate(V):
            for those in combinations(others.tolist(), left):
                there = P[sum(those) : sum(those) + len(v)]
                there += v[: len(there)]
        (edges[e],) = _trimmed(np.maximum(P, 0)[None])
    return edges


def _continued(W: Floats, last: int) -> Floats | None:
    """Return W_l, whose last place is ``last``, up to the middle; row l is W_l up to some place.

    From half of the places it is a polynomial of degree l where P is constant: through l of these,
    and through one whose mirror image is the last of the others. ``None`` where it is not.
    """
    limit = W.shape[1] - 1
    if limit >= last // 2:
        return W[:, : last // 2 + 1]
    x = np.arange(limit - limit // 2, last // 2 + 1.0)
    known = W[:, limit - limit // 2 :]
    values = np.empty((len(W), len(x)))
    for degree, row in enumerate(W):
        at = np.append(limit - limit // (2 * max(degree, 1)) * np.arange(degree), last - limit)
        newton = np.empty(degree + 1)
        newton[:-1] = row[at[:-1]]
        newton[-1] = sum((-1) ** j * comb(degree, j) * W[j, -1] for j in range(degree + 1))
        for j in range(1, degree + 1):
            newton[j:] = np.diff(newton[j - 1 :]) / (at[j:] - at[:-j])
        values[degree] = newton[-1]
        for place, term in zip(at[:-1][::-1], newton[:-1][::-1], strict=True):
            values[degree] = values[degree] * (x - place) + term
    differs = np.abs(values[:, : known.shape[1]] - known).max(1)
    if (differs > _SMOOTH * known.max(1)).any():
        return None
    return np.concatenate((W, values[:, known.shape[1] :]), axis=1)


def _edges_by_halves(long: Ints, F: int, excesses: list[int]) -> dict[int, Floats]:
    """Return the same from sums over the whole document.

    What P is with m of the K others to the left is the mirror image of what it is with K − m, so
    half of the m are enough.
    """
    from scipy.fft import irfft, next_fast_len, rfft  # lazy: only long documents need it

    K, D = len(long), int(long.sum())
    check_cost(2 * (K // 2 + 1) * (F + D), _purpose(long, F))
    size = next_fast_len(F + D, real=True)
    most, limit = K // 2, int(np.sort(long)[(K + 1) // 2 :].sum())
    T = subset_sums(long, most, limit)
    edges: dict[int, Floats] = {}
    singles = excesses.count(0)  # a segment of one token is not among the K; they are sorted
    for portion in filter(len, (excesses[:singles], excesses[singles:])):
        others = K - (portion[0] > 0)
        H = np.empty((others // 2 + 1, size // 2 + 1), np.complex128)
        portions = np.array_split(np.arange(len(H)), 1 + len(H) * size // CHUNK)
        for m in portions:  # for memory
            H[m] = rfft(left_of_up_to_half(others, F, m), size)
        shared: Iterable[Floats]
        if K < PASCAL_ROWS and portion[0] > 0 and len(portion) * _MANY > K:
            counts = np.empty_like(H)
            for m in portions:
                counts[m] = rfft(binomials()[K, m, None] * T[m], size)
            shared = sums = np.zeros((len(portion), F + D))
            for j, term in enumerate(_terms(counts, H, K)):
                of_j = irfft(term, size)
                for row, e in zip(sums, portion, strict=True):
                    row[j * e :] += of_j[: max(F + D - j * e, 0)]
        else:
            tables = ((subset_sums_without([e], T, long)[0] if e else T)[: len(H)] for e in portion)
            shared = (irfft((H * rfft(table, size)).sum(0), size) for table in tables)
        for e, half in zip(portion, shared, strict=True):
            half, width = half[: F + D - e], int(whole_edge(D - e, F)) + 1
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
    T'(m) = Σ_j (−z^e)^j T(m − j) / C(K − 1, m), which is :func:`subset_sums_without` solved. So
    Σ_m H(m) T'(m) = Σ_j (−z^e)^j c_j, and all that depends on e is a shift by j·e places
    (:func:`_sum_shifted`). No c_j is greater anywhere than at frequency 0. H takes the terms in,
    for memory. Where all that further H(m) add is below what the transforms err by, as at most
    frequencies, they are left out.
    """
    m, C = np.arange(len(H)), binomials()
    less = C[K - 1, m, None]
    least = _FAINT * np.abs(H[:, 0]).max() * C[K - 1, m] / C[K, np.minimum(m, K // 2)]
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
    row_stride, step = padded.strides
    total = np.empty((len(excesses), width))
    for row, e in zip(total, excesses, strict=True):
        shape = min(len(terms), (width - 1) // e + 1), width
        np.lib.stride_tricks.as_strided(
            padded[0, width:], shape, (row_stride - e * step, step)
        ).sum(0, out=row)
    return total
