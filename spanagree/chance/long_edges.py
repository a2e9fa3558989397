"""The edges of start distributions in long documents, in less than quadratic time.

The edge, with its plateau and the symbols, is that of :mod:`spanagree.chance.edges`::

    P(x) = 1/F · Σ_y Σ_m H(m | y) · T(m, x − y).

It is computed by Fourier transforms, in one of three ways. First, only up to the token at which the
edge becomes flat. A renewal process, segments and free tokens one after the other, estimates this
token: it is where the process has forgotten its start. Second, over half of the m, as the other
half is the mirror image. Third, if a few *far* segments are far longer than all other segments,
which are *near*, separately for each set of far segments to the left. Tables are shaped (m, y) or
(m, d), and (excesses, x) for P.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np

from spanagree.arrays import Complexes, Floats, Ints, unique
from spanagree.chance.edges import (
    CHUNK,
    FIRST_EDGE,
    compute_edge_width,
    convolve_starts,
    count_max_segments_left_of,
)
from spanagree.chance.hypergeometric import (
    PASCAL_ROWS,
    compute_binomials,
    hypergeometric_left_of,
    hypergeometric_up_to_half,
)
from spanagree.chance.subset_sums import count_subsets, subset_sums, subset_sums_without
from spanagree.limits import check_cost

_FLAT = 1e-13  # largest relative spread of the end of an edge that counts as its plateau
_ROUNDED = 4e-15  # the same for sums over a whole document, which are exact up to rounding
_CACHED = 1 << 10  # number of frequencies in a batch that fits into the cache
_FAINT = 1e-16  # relative size of negligible values, equal to the error of the transforms
_UNSEEN = 1e-18  # relative size of probabilities that are left out of transforms
_LOST = 4.0  # largest growth of rounding errors when one segment is left out
_FEW = 3  # largest number of far segments; polynomials of this degree keep their digits
_FAR = 1000  # smallest length in tokens of a far segment; direct sums are cheaper below
_SMOOTH = 1e-14  # largest relative error of an edge that counts as a polynomial
_MANY = 64  # number of segments for each distinct length, below which all lengths share sums


def compute_long_edges(excess: Ints, F: int) -> dict[int, Floats]:
    """Compute the edge of P with its plateau, by the distinct excesses of a long document.

    The edge of an excess e is that of each segment of this excess. Its width starts from the memory
    of the renewal process, and is doubled until the end of the edge is flat. Each value is a mean
    of earlier values, no further back than the longest length. So if that many consecutive values
    agree, all later values do. If an edge has room for most segments, as in dense text, sums over
    the whole document are faster.

    Args:
        excess: excess of each segment, sorted.
        F: number of slots.
    """
    excess_of_longer = excess[int(np.searchsorted(excess, 0, side="right")) :]
    distinct_excesses = unique(excess).tolist()
    for n_far in range(min(_FEW, len(excess_of_longer) - 1), 0, -1):
        near_excess, far_excess = excess_of_longer[:-n_far], excess_of_longer[-n_far:]
        if far_excess[0] > max(_FAR, 2 * near_excess[-1]):
            width = 2 * (
                _compute_renewal_memory(near_excess, F)
                + max(int(near_excess[-1]) + 1, FIRST_EDGE // 4)
            )
            width = min(width, (F - 1 + int(near_excess.sum())) // 2)
            edges_with_far = (
                _compute_edges_with_outliers(near_excess, far_excess, F, width, distinct_excesses)
                if width < far_excess[0]
                else None
            )
            if edges_with_far is not None:
                return edges_with_far
    D = int(excess_of_longer.sum())
    widths = {e: int(compute_edge_width(D - e, F)) for e in distinct_excesses}
    n_flat = max(int(excess_of_longer[-1]) + 1, FIRST_EDGE // 4)
    edges: dict[int, Floats] = {}
    width = max(widths.values())
    if width > _choose_first_size(excess_of_longer):
        width = _compute_renewal_memory(excess_of_longer, F) + n_flat
    while len(edges) < len(widths):
        width = min(width, max(widths.values()))
        missing = sorted(widths.keys() - edges.keys())
        P = _compute_starts_up_to(width, excess_of_longer, F, missing)
        if P is None:
            return edges | _compute_edges_by_halves(excess_of_longer, F, missing)
        full_widths = np.array([widths[e] for e in missing])
        for i in np.flatnonzero(full_widths < width).tolist():
            P[i, full_widths[i] :] = P[i, full_widths[i]]
        edge_ends = P[:, -n_flat:]
        is_converged = (full_widths <= width) | (
            edge_ends.max(1) - edge_ends.min(1) <= _FLAT * edge_ends.max(1)
        )
        edges |= {
            e: p
            for e, p, d in zip(missing, _trim_plateaus(P), is_converged.tolist(), strict=True)
            if d
        }
        width *= 2
    return edges


def _describe_purpose(excess: Ints, F: int) -> str:
    """Describe the computation for the error that it takes too much work."""
    n = F + int(excess.sum())
    return f"the chance of segments of up to {excess.max() + 1} tokens in a document of {n}"


def _compute_renewal_memory(excess: Ints, F: int) -> int:
    """Compute the number of tokens after which the renewal process forgets its start.

    In Fourier space, the increments of the renewal density are 1 / Σ_x z^x Pr(length > x). They are
    computed for the first tokens, twice as many each time, until they vanish in the second half.

    Args:
        excess: excess of each segment that is longer than one token.
        F: number of slots.
    """
    n, n_tokens = F + int(excess.sum()), _choose_first_size(excess)
    if len(excess) == F or n_tokens > CHUNK:  # without slots of one token it may never forget
        return n
    p_longer = np.bincount(excess)[::-1].cumsum()[::-1] / F
    p_longer[0] = 1
    while n_tokens <= CHUNK:
        increments = np.fft.irfft(1 / np.fft.rfft(p_longer, n_tokens), n_tokens)
        remaining = np.abs(increments[::-1].cumsum())[::-1]
        last_relevant = int(np.flatnonzero(remaining > _FLAT * remaining[0])[-1])
        if 2 * last_relevant < n_tokens or n <= n_tokens:
            return last_relevant
        n_tokens *= 2
    return n


def _choose_first_size(excess: Ints) -> int:
    """Choose the number of tokens with which the renewal process is looked at first."""
    return 4 << int(excess.max()).bit_length()


def _compute_starts_up_to(
    limit: int, excess: Ints, F: int, excesses: list[int], n_alone: int = 0
) -> Floats | None:
    """Compute P_e(x), the probability that a segment of excess e starts at x, for x ≤ ``limit``.

    Args:
        limit: largest x.
        excess: excess of each segment that is longer than one token.
        F: number of slots.
        excesses: distinct values of e for which P_e is computed, in ascending order.
        n_alone: number of additional segments of one token that start before x.

    Returns:
        P_e(x); (excesses, x). ``None`` if the exact sum over slots is faster, or if more than half
        of the segments may start before x, where rounding errors are too large.
    """
    K, n, max_m = len(excess), F + int(excess.sum()), count_max_segments_left_of(excess, limit)
    is_shared = K < PASCAL_ROWS and len(excesses) * _MANY > K
    if max_m * limit > (CHUNK if is_shared else n) and (is_shared or 2 * max_m > K):
        return None
    check_cost(4 * (min(K, max_m) + 1) * limit, _describe_purpose(excess, F))
    slots, n_others_options = np.array([F]), {K - (e > 0) for e in excesses}
    H = {
        n_others: hypergeometric_left_of(n_others, slots, limit, max_m, n_alone)
        for n_others in n_others_options
    }
    if is_shared:
        return _compute_starts_with_shared_sums(H, excess, F, excesses)
    T = subset_sums(excess, max(h.shape[2] for h in H.values()) - 1, limit)
    P = np.empty((len(excesses), limit + 1))
    n_singles = excesses.count(0)  # excesses are sorted
    if n_singles:
        P[0] = convolve_starts(H[K], T[: H[K].shape[2]], slots)
    batch_size = max(1, CHUNK // T.size)
    for first_row in range(n_singles, len(excesses), batch_size):
        T_without = subset_sums_without(excesses[first_row : first_row + batch_size], T, excess)
        P[first_row : first_row + batch_size] = convolve_starts(
            H[K - 1], T_without[:, : H[K - 1].shape[2]], slots
        )
    return P


def _compute_starts_with_shared_sums(
    H: dict[int, Floats], excess: Ints, F: int, excesses: list[int]
) -> Floats | None:
    """Compute P(x) for each excess from Fourier sums that all excesses share.

    Args:
        H: H(m | y) by the number of other longer segments.
        excess: excess of each segment that is longer than one token.
        F: number of slots.
        excesses: excesses of the segments for which P is computed, sorted.

    Returns:
        P, (excesses, x); ``None`` if this takes too much work or loses digits.
    """
    from scipy.fft import irfft, next_fast_len, rfft  # lazy: only long documents need it

    K, n, limit = len(excess), F + int(excess.sum()), next(iter(H.values())).shape[1] - 1
    C, size = compute_binomials(), next_fast_len(2 * limit + 1, real=True)
    least_excess = np.cumsum([0, *np.sort(excess)])[:, None]  # smallest excess of m segments
    rows_by_others: dict[int, Floats] = {}
    for n_others, (h,) in H.items():
        rows = h.T * (np.arange(limit + 1) <= limit - least_excess[: h.shape[1]])
        row_maxima = rows.max(1)
        (relevant_rows,) = (row_maxima > _UNSEEN * row_maxima.max()).nonzero()
        m = np.arange(relevant_rows[-1] + 1)
        rounding = row_maxima[m] * C[K, np.minimum(m, K // 2)] / C[n_others, m]
        if len(m) * limit > (K // 2 + 1) * n or (n_others < K and rounding.max() > _LOST):
            return None
        rows_by_others[n_others] = rows[m]
    T = rfft(count_subsets(excess, max(map(len, rows_by_others.values())) - 1, limit), size)
    P = np.empty((len(excesses), limit + 1))
    for n_others, rows in rows_by_others.items():
        T_rows, transformed = T[: len(rows)], rfft(rows, size)
        if n_others == K:
            terms = (transformed * T_rows / C[K, : len(rows), None]).sum(0)
            P[0] = irfft(terms, size)[: limit + 1]
        else:
            terms = irfft(_compute_shift_terms(T_rows, transformed, K), size)[:, : limit + 1]
            n_singles = excesses.count(0)  # they are sorted
            P[n_singles:] = _sum_shifted(terms, excesses[n_singles:])
    return np.maximum(P, 0) / F


def _compute_edges_with_outliers(
    near_excess: Ints, far_excess: Ints, F: int, limit: int, excesses: list[int]
) -> dict[int, Floats] | None:
    """Compute edges if a few segments are far longer than the others.

    First, far segments count as one token each. Let W_l(x) be the probability that the segment
    starts at x and l specific far segments are to its left, which is a weighted sum like P. The
    probability that exactly these far segments are to the left follows by inclusion and exclusion,
    up to the middle of the document; the rest is the mirror image. Then the far segments to the
    left add their excess to x.

    Args:
        near_excess: excess of each other segment that is longer than one token.
        far_excess: excess of each far segment.
        F: number of slots.
        limit: largest x of W.
        excesses: distinct excesses, sorted.

    Returns:
        Edges by excess; ``None`` if W is no polynomial in the middle.
    """
    K, slots = len(near_excess), F + int(near_excess.sum())
    check_cost(
        (len(excesses) + 2 * len(far_excess) + 2) * (slots + int(far_excess.sum())),
        _describe_purpose(far_excess, F),
    )
    near_distinct = unique(np.array([0, *(e for e in excesses if e < far_excess[0])])).tolist()
    W = np.zeros((len(far_excess) + 1, len(near_distinct), limit + 1))
    for n_left in range(min(len(far_excess), limit) + 1):
        rows = near_distinct[n_left > F - 1 - K :]
        P = _compute_starts_up_to(limit, near_excess, F, rows, n_left)
        if P is None:
            return None
        n_single_slots = [F - 1 - K + (e > 0) for e in rows]  # slots of single tokens
        p_left = [comb(min(limit, n), n_left) / comb(n, n_left) for n in n_single_slots]
        W[n_left, len(near_distinct) - len(rows) :] = P * np.array(p_left)[:, None]
    edges: dict[int, Floats] = {}
    for e in excesses:
        n_itself, own_excess = (1, 0) if e >= far_excess[0] else (0, e)
        other_far = np.delete(far_excess, np.searchsorted(far_excess, [e] * n_itself))
        w, q = (
            _extend_to_middle(
                W[: len(other_far) + 1, near_distinct.index(own_excess)], slots - 1 - own_excess
            ),
            len(other_far),
        )
        if w is None:
            return None
        V = [
            sum((-1) ** j * comb(q - n_left, j) * w[n_left + j] for j in range(q - n_left + 1))
            for n_left in range(q + 1)
        ]
        half_width = (slots - own_excess) // 2
        V = [np.concatenate((v, u[:half_width][::-1])) for v, u in zip(V, V[::-1], strict=True)]
        D = slots - F - own_excess + int(other_far.sum())
        P = np.zeros(1 + min(limit + int(other_far.sum()), int(compute_edge_width(D, F))))
        for n_left, v in enumerate(V):
            for left_far in combinations(other_far.tolist(), n_left):
                target = P[sum(left_far) : sum(left_far) + len(v)]
                target += v[: len(target)]
        (edges[e],) = _trim_plateaus(np.maximum(P, 0)[None])
    return edges


def _extend_to_middle(W: Floats, last_position: int) -> Floats | None:
    """Extend W_l(x) from the first positions x to all positions up to the middle of a document.

    W_l(x) is the probability that a segment starts at x after exactly l far segments. Where P is
    constant, W_l is a polynomial of degree l in x. The polynomial is computed by Newton's
    interpolation, from l positions in the second half of the first positions and from one position
    near the end of the document. Its value there is a sum of values at first positions, because P
    is symmetric.

    Args:
        W: W_l(x) for the first positions x; (l, x).
        last_position: last position of the document.

    Returns:
        W for all positions up to the middle; ``None`` if the known values are not polynomial.
    """
    limit = W.shape[1] - 1
    if limit >= last_position // 2:
        return W[:, : last_position // 2 + 1]
    positions = np.arange(limit - limit // 2, last_position // 2 + 1.0)
    known_half = W[:, limit - limit // 2 :]
    values = np.empty((len(W), len(positions)))
    for degree, row in enumerate(W):
        nodes = np.append(
            limit - limit // (2 * max(degree, 1)) * np.arange(degree), last_position - limit
        )
        newton = np.empty(degree + 1)
        newton[:-1] = row[nodes[:-1]]
        newton[-1] = sum((-1) ** j * comb(degree, j) * W[j, -1] for j in range(degree + 1))
        for j in range(1, degree + 1):
            newton[j:] = np.diff(newton[j - 1 :]) / (nodes[j:] - nodes[:-j])
        values[degree] = newton[-1]
        for node, term in zip(nodes[:-1][::-1], newton[:-1][::-1], strict=True):
            values[degree] = values[degree] * (positions - node) + term
    differs = np.abs(values[:, : known_half.shape[1]] - known_half).max(1)
    if (differs > _SMOOTH * known_half.max(1)).any():
        return None
    return np.concatenate((W, values[:, known_half.shape[1] :]), axis=1)


def _compute_edges_by_halves(excess: Ints, F: int, excesses: list[int]) -> dict[int, Floats]:
    """Compute edges by sums over the whole document, with m up to half of the others.

    The part of P with m of the K other segments to the left is the mirror image of the part with K
    − m.

    Args:
        excess: excess of each segment that is longer than one token.
        F: number of slots.
        excesses: distinct excesses, sorted.
    """
    from scipy.fft import irfft, next_fast_len, rfft  # lazy: only long documents need it

    K, D = len(excess), int(excess.sum())
    check_cost(2 * (K // 2 + 1) * (F + D), _describe_purpose(excess, F))
    size = next_fast_len(F + D, real=True)
    max_m, limit = K // 2, int(np.sort(excess)[(K + 1) // 2 :].sum())
    T = subset_sums(excess, max_m, limit)
    edges: dict[int, Floats] = {}
    n_singles = excesses.count(0)  # excesses are sorted; a segment of one token is not among the K
    for batch in filter(len, (excesses[:n_singles], excesses[n_singles:])):
        n_others = K - (batch[0] > 0)
        H = np.empty((n_others // 2 + 1, size // 2 + 1), np.complex128)
        batches = np.array_split(np.arange(len(H)), 1 + len(H) * size // CHUNK)
        for m in batches:  # for memory
            H[m] = rfft(hypergeometric_up_to_half(n_others, F, m), size)
        half_sums: Iterable[Floats]
        if K < PASCAL_ROWS and batch[0] > 0 and len(batch) * _MANY > K:
            counts = np.empty_like(H)
            for m in batches:
                counts[m] = rfft(compute_binomials()[K, m, None] * T[m], size)
            half_sums = batch_sums = np.zeros((len(batch), F + D))
            for j, term in enumerate(_compute_shift_terms(counts, H, K)):
                shifted_term = irfft(term, size)
                for row, e in zip(batch_sums, batch, strict=True):
                    row[j * e :] += shifted_term[: max(F + D - j * e, 0)]
        else:
            tables = ((subset_sums_without([e], T, excess)[0] if e else T)[: len(H)] for e in batch)
            half_sums = (irfft((H * rfft(table, size)).sum(0), size) for table in tables)
        for e, half in zip(batch, half_sums, strict=True):
            half, width = half[: F + D - e], int(compute_edge_width(D - e, F)) + 1
            P = np.maximum(half[:width] + half[::-1][:width], 0) / F
            (edges[e],) = _trim_plateaus(P[None])
    return edges


def _trim_plateaus(P: Floats) -> list[Floats]:
    """Cut each row after the first value of its constant end; the last value is the plateau."""
    is_edge = np.abs(P - P[:, -1:]) > _ROUNDED * P[:, -1:]
    n_flat_at_end = np.where(is_edge.any(1), is_edge[:, ::-1].argmax(1), P.shape[1])
    return [p[: len(p) + 1 - n] for p, n in zip(P, n_flat_at_end.tolist(), strict=True)]


def _compute_shift_terms(T: Complexes, H: Complexes, K: int) -> Complexes:
    """Compute the coefficients (−1)^j c_j of Σ_m H(m) T'(m) = Σ_j (−z^e)^j c_j, in Fourier space.

    T(m) counts the sets of m segments, and T'(m) the sets of m segments without one fixed segment
    of excess e. By the recursion of :func:`subset_sums_without`,

        T'(m) = Σ_j (−z^e)^j T(m − j) / C(K − 1, m).

    The coefficients c_j do not depend on e, which only shifts term j by j·e positions, so
    :func:`_sum_shifted` computes the sums for all excesses from the same coefficients. Summands
    below the rounding error of the transforms are left out. The coefficients overwrite H, which
    saves memory.

    Args:
        T: numbers of sets of m segments with each total excess, transformed; (m, frequencies).
        H: H(m | y), transformed, (m, frequencies); overwritten.
        K: number of segments that are longer than one token.
    """
    m, C = np.arange(len(H)), compute_binomials()
    divisor = C[K - 1, m, None]
    negligible = _FAINT * np.abs(H[:, 0]).max() * C[K - 1, m] / C[K, np.minimum(m, K // 2)]
    mass = np.correlate((H[:, 0] / divisor[:, 0]).real, T[:, 0].real, "full")[len(T) - 1 :]
    n_terms = int(np.flatnonzero(mass > _FAINT)[-1]) + 1
    for first_frequency in range(0, H.shape[1], _CACHED):
        h, t = (
            H[:, first_frequency : first_frequency + _CACHED],
            T[:, first_frequency : first_frequency + _CACHED],
        )
        n_relevant = int(np.flatnonzero(np.abs(h).max(1) > negligible)[-1]) + 1
        weighted = h[:n_relevant] / divisor[:n_relevant]
        h[n_relevant:] = 0
        for j in range(min(n_relevant, n_terms)):
            h[j] = np.einsum("mf,mf->f", weighted[j:], t[: n_relevant - j])
    H[1:n_terms:2] *= -1
    return H[:n_terms]


def _sum_shifted(terms: Floats, excesses: list[int]) -> Floats:
    """Compute Σ_j (−1)^j c_j(x − j·e), with a row for each excess e.

    Args:
        terms: values (−1)^j c_j(x); (j, x).
        excesses: excesses e of the rows.
    """
    width = terms.shape[1]
    padded = np.zeros((len(terms), 2 * width))
    padded[:, width:] = terms
    row_stride, step = padded.strides
    sums = np.empty((len(excesses), width))
    for row, e in zip(sums, excesses, strict=True):
        shape = min(len(terms), (width - 1) // e + 1), width
        np.lib.stride_tricks.as_strided(
            padded[0, width:], shape, (row_stride - e * step, step)
        ).sum(0, out=row)
    return sums
