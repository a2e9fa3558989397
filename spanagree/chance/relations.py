"""How many relations of two annotators match by chance, their segments staying where they are.

A relation links two segments. Which pairs of segments could be linked in the same way is a *kind*
of pairs, such as those from a drug to a symptom. A random annotation links, for each label and
kind, as many pairs as the annotator did, and all choices among her pairs of that kind are equally
likely. Of her pairs some are pairs of the other annotator too, as both marked the two segments:
only these can match.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, factorial, perm

import numpy as np

from spanagree.arrays import Floats, Ints


def expected_relations(a: Ints, b: Ints, pairs_a: Ints, pairs_b: Ints, common: Ints) -> Floats:
    """Return the expected number of relations in common, for each label and kind of pairs.

    Args:
        a, b: how many relations either annotator has.
        pairs_a, pairs_b: how many pairs of this kind either could have linked.
        common: how many of these are pairs of both.

    >>> one = np.array([1])
    >>> expected_relations(2 * one, one, 6 * one, 6 * one, 6 * one).tolist()
    [0.3333333333333333]
    """
    possible = pairs_a.astype(np.float64) * pairs_b
    matched = a.astype(np.float64) * b * common
    return np.divide(matched, possible, out=np.zeros(len(a)), where=possible > 0)


@lru_cache(maxsize=4096)
def relation_matches(a: int, b: int, pairs_a: int, pairs_b: int, common: int) -> Floats:
    """Return the distribution of the number of relations in common, of one label and kind.

    So many of A's relations are on pairs of both, which is hypergeometric; and so many of B's are
    on the same pairs, which is hypergeometric again. Arguments: :func:`expected_relations`.

    >>> relation_matches(1, 2, 3, 3, 3).round(3).tolist()
    [0.333, 0.667]
    """
    total = [0.0] * (min(a, b, common) + 1)
    for on_common in range(max(0, a - (pairs_a - common)), min(a, common) + 1):
        first = _hypergeometric(on_common, common, pairs_a, a)
        for m in range(max(0, b - (pairs_b - on_common)), min(on_common, b) + 1):
            total[m] += first * _hypergeometric(m, on_common, pairs_b, b)
    return np.array(total)


def _hypergeometric(m: int, special: int, total: int, drawn: int) -> float:
    """Return the probability that m of ``special`` are among ``drawn`` of a total."""
    return comb(special, m) * comb(total - special, drawn - m) / comb(total, drawn)


def one_label_matches(
    relations: Sequence[tuple[int, int]], pairs_a: int, pairs_b: int, common: int
) -> Floats:
    """Return the distribution of the relations in common if a pair has one label at most.

    Then labels are not independent: where one is, no other can be. The binomial moments of the
    number in common are products, in whole numbers, and give the distribution exactly.

    Args:
        relations: for each label, how many relations of it either annotator has.
        pairs_a, pairs_b, common: as :func:`expected_relations` takes them.

    >>> one_label_matches([(1, 0), (0, 1)], 2, 2, 2).tolist()
    [1.0]
    """
    most = min(common, sum(min(pair) for pair in relations))
    # the coefficients of the product over labels of sums over k of [a]_k [b]_k / k! x^k
    product = [1] + [0] * most
    for a, b in relations:
        terms = [perm(a, k) * perm(b, k) // factorial(k) for k in range(min(a, b, most) + 1)]
        product = [
            sum(terms[k] * product[j - k] for k in range(min(j, len(terms) - 1) + 1))
            for j in range(most + 1)
        ]
    # over one denominator, so that the differences are of whole numbers
    whole = perm(pairs_a, most) * perm(pairs_b, most)
    moments = [
        perm(common, j) * product[j] * perm(pairs_a - j, most - j) * perm(pairs_b - j, most - j)
        for j in range(most + 1)
    ]
    return np.array(
        [
            sum((-1) ** (j - m) * comb(j, m) * moments[j] for j in range(m, most + 1)) / whole
            for m in range(most + 1)
        ]
    )
