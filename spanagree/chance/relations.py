"""Distribution of the number of matching relations of two annotators, with fixed segments.

A relation links two segments. A *kind* of pairs contains the pairs of segments that could be linked
in the same way, such as those from a drug to a symptom. A random annotation links, for each label
and kind, as many pairs as the annotator did, and all choices among the annotator's pairs of the
kind are equally likely. Only the c pairs of both annotators, with both segments marked by both, can
match. With a and b relations on N_a and N_b pairs,

    P(m) = Σ_j Hyp(j; c, N_a, a) · Hyp(m; j, N_b, b),

where Hyp(j; c, N, a) is the probability that j of c special pairs are among a drawn out of N.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from spanagree.arrays import Floats


@lru_cache(maxsize=4096)
def compute_relation_matches(a: int, b: int, pairs_a: int, pairs_b: int, common: int) -> Floats:
    """Compute the distribution of the number of matching relations of one label and kind.

    The entry m of the array is the probability of m matches.

    Args:
        a: number of relations of the first annotator.
        b: number of relations of the second annotator.
        pairs_a: number of pairs of this kind that the first annotator could link.
        pairs_b: number of pairs of this kind that the second annotator could link.
        common: number of pairs that both could link.

    >>> compute_relation_matches(1, 2, 3, 3, 3).round(3).tolist()
    [0.333, 0.667]
    """
    distribution = [0.0] * (min(a, b, common) + 1)
    for on_common in range(max(0, a - (pairs_a - common)), min(a, common) + 1):
        p_on_common = _hypergeometric(on_common, common, pairs_a, a)
        for m in range(max(0, b - (pairs_b - on_common)), min(on_common, b) + 1):
            distribution[m] += p_on_common * _hypergeometric(m, on_common, pairs_b, b)
    return np.array(distribution)


def _hypergeometric(m: int, n_special: int, total: int, n_drawn: int) -> float:
    """Compute the probability of m special elements among ``n_drawn`` drawn from a total."""
    return comb(n_special, m) * comb(total - n_special, n_drawn - m) / comb(total, n_drawn)
