"""Slow and obvious counterparts of what the package computes: enumeration, in fractions.

Nothing here is imported from the package, and no formula is shared with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb

from scipy import stats

Span = tuple[int, int, str]  # start, length, label


def configurations(
    n: int, segments: list[tuple[int, str]], chance: str
) -> Iterator[tuple[Span, ...]]:
    """All placements of labelled segments (length, label) in n tokens that a model allows."""

    def extend(placed: tuple[Span, ...], rest: list[tuple[int, str]]) -> Iterator[tuple[Span, ...]]:
        if not rest:
            yield placed
            return
        (length, label), *others = rest
        for start in range(n - length + 1):
            clash = any(
                start < s + a and s < start + length
                for s, a, other in placed
                if chance == "nonoverlapping" or (chance == "per-label" and other == label)
            )
            if not clash:
                yield from extend((*placed, (start, length, label)), others)

    yield from extend((), segments)


Sides = tuple[list[tuple[Span, ...]], list[tuple[Span, ...]]]


def arranged(
    n: int, a: list[tuple[int, str]], b: list[tuple[int, str]], chance: str, most: int = 4000
) -> Sides:
    """All placements of the first segments of two annotators: those that fit side by side.

    Of more pairs of placements than ``most`` there are fewer segments.
    """
    a, b = (
        [x for i, x in enumerate(side) if sum(y[0] for y in side[: i + 1]) <= n] for side in (a, b)
    )
    while True:
        sides = list(configurations(n, a, chance)), list(configurations(n, b, chance))
        if len(sides[0]) * len(sides[1]) <= most:
            return sides
        (a if len(sides[0]) >= len(sides[1]) else b).pop()


def apart(placed: list[tuple[Span, ...]]) -> list[tuple[Span, ...]]:
    """Those of some placements in which no two segments overlap."""
    return [
        spans
        for spans in placed
        if not any(shared(p, q) for i, p in enumerate(spans) for q in spans[:i])
    ]


def enumerated_starts(n: int, lengths: list[int]) -> list[list[Fraction]]:
    """P(start = x) of each segment, by counting all configurations of the nonoverlapping model."""
    counts = [[0] * (n - a + 1) for a in lengths]
    total = 0
    for placed in configurations(n, [(a, "X") for a in lengths], "nonoverlapping"):
        total += 1
        for i, (start, _, _) in enumerate(placed):
            counts[i][start] += 1
    return [[Fraction(c, total) for c in of_segment] for of_segment in counts]


PHI: dict[str, Callable[[Span, Span], Fraction]] = {
    "exact": lambda p, q: Fraction(p == q),
    "boundaries": lambda p, q: Fraction(p[:2] == q[:2]),
    "token": lambda p, q: Fraction(shared(p, q) if p[2] == q[2] else 0),
    "iou": lambda p, q: (
        Fraction(shared(p, q), p[1] + q[1] - shared(p, q)) if p[2] == q[2] else Fraction(0)
    ),
}


def shared(p: Span, q: Span) -> int:
    """How many tokens two spans share, counted one by one."""
    return len(set(range(p[0], p[0] + p[1])) & set(range(q[0], q[0] + q[1])))


def matched(a: tuple[Span, ...], b: tuple[Span, ...], match: str) -> Fraction:
    """The similarity of two annotations, summed over all pairs; or the greatest matching."""
    if match.startswith("overlap"):
        least = Fraction(match.removeprefix("overlap")[4:] or 0)
        return Fraction(most_pairs(a, b, lambda p, q: shared(p, q) and PHI["iou"](p, q) >= least))
    if match == "partial":
        return most_halves(a, b)
    if match.startswith("exact-within-"):
        within = int(match.removeprefix("exact-within-"))
        return Fraction(most_pairs(a, b, lambda p, q: is_near(p, q, within)))
    return sum((PHI[match](p, q) for p in a for q in b), Fraction(0))


def most_pairs(
    a: tuple[Span, ...], b: tuple[Span, ...], fit: Callable[[Span, Span], object]
) -> int:
    """The most pairs of spans of the same label that fit, each in one pair: all are tried."""
    if not a:
        return 0
    first, *rest = a
    partners = [q for q in b if q[2] == first[2] and fit(first, q)]
    without = most_pairs(tuple(rest), b, fit)
    each = (1 + most_pairs(tuple(rest), tuple(x for x in b if x is not q), fit) for q in partners)
    return max([without, *each])


def most_halves(a: tuple[Span, ...], b: tuple[Span, ...]) -> Fraction:
    """The greatest sum over pairs of spans that overlap, each in one pair: all are tried.

    Equal borders count 1, others 1/2.
    """
    if not a:
        return Fraction(0)
    first, *rest = a
    sums = [most_halves(tuple(rest), b)]
    for q in b:
        if shared(first, q):
            left = tuple(x for x in b if x is not q)
            sums.append(Fraction(1 + (first[:2] == q[:2]), 2) + most_halves(tuple(rest), left))
    return max(sums)


def is_near(p: Span, q: Span, within: int) -> bool:
    """Whether both borders of two spans differ by so much at most."""
    return abs(p[0] - q[0]) <= within and abs(p[0] + p[1] - q[0] - q[1]) <= within


def enumerated_expectation(
    n: int, a: list[tuple[int, str]], b: list[tuple[int, str]], match: str, chance: str
) -> Fraction:
    """E[matched] of two independent random annotations: the mean over all pairs of configurations.

    A random annotation is drawn as a whole, so the mean is taken over whole configurations.
    """
    all_a, all_b = (list(configurations(n, x, chance)) for x in (a, b))
    total = sum((matched(x, y, match) for x in all_a for y in all_b), Fraction(0))
    return total / (len(all_a) * len(all_b))


def two_lengths_start(n: int, i: int, u: tuple[int, int], v: tuple[int, int], x: int) -> Fraction:
    """P(start = x) of a segment of length i beside u[0] others of length u[1] and v[0] of v[1].

    With two lengths among the others the subsets of Eq. 1 that lie to the left are counted by two
    binomials; everything stays a whole number until the last division.
    """
    (cu, lu), (cv, lv) = u, v
    k, a = cu + cv + 1, cu * lu + cv * lv + i
    slots = n - a + k
    total = 0
    for p in range(cu + 1):
        for q in range(cv + 1):
            free = x - p * lu - q * lv  # tokens to the left that stay free
            right = n - i - x - (cu - p) * lu - (cv - q) * lv
            if free < 0 or right < 0:
                continue
            # orders of the left slots and of the right slots, segments of equal length unordered
            left_orders = comb(free + p + q, p + q) * comb(p + q, p)
            right_orders = comb(right + cu - p + cv - q, cu - p + cv - q) * comb(
                cu - p + cv - q, cu - p
            )
            total += left_orders * right_orders
    # all configurations with equal lengths unordered, the one segment apart
    everything = slots * comb(slots - 1, cu + cv) * comb(cu + cv, cu)
    return Fraction(total, everything)


MASK = 2**64 - 1


def jackknifed(left_out, value, n, floor=None, confidence=0.95):
    """The ends of the jackknife-t interval of one figure, term by term.

    ``left_out``: the figure without each document; ``n``: how many of these could tell; ``floor``:
    the lowest value of a share of agreement, whose interval is one of log odds.
    """
    changes = [x - value for x in left_out]
    variance = math.fsum(d**2 for d in changes)
    spread = math.fsum(d**4 for d in changes) - variance**2 / n
    freedom = min(max(2 * variance**2 / spread if spread > 0 else math.inf, 1), n - 1)
    reach = stats.t.ppf(0.5 + confidence / 2, freedom) * math.sqrt(variance)
    if floor is None:
        return value - reach, value + reach
    share = (value - floor) / (1 - floor)
    reach /= (1 - floor) * share * (1 - share)
    center = math.log(share / (1 - share))
    return tuple(floor + (1 - floor) / (1 + math.exp(-x)) for x in (center - reach, center + reach))


def shares(
    annotators: list[str], categories: list[str]
) -> tuple[dict[str, Fraction], list[dict[str, Fraction]]]:
    """How often each category is given: the mean over items, and of each annotator."""
    items = [[c for c in column if c != " "] for column in zip(*annotators, strict=True)]
    seen = [i for i in items if i]
    share = {c: sum(Fraction(i.count(c), len(i)) for i in seen) / len(seen) for c in categories}
    given = [a for a in annotators if a.strip()]
    own = [{c: Fraction(a.count(c), len(a.replace(" ", ""))) for c in categories} for a in given]
    return share, own
