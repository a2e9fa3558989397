"""How many relations of two annotators match by chance, their segments staying where they are.

A relation links two segments. Which pairs of segments could be linked in the same way is a *kind*
of pairs, such as those from a drug to a symptom. A random annotation links, for each label and
kind, as many pairs as the annotator did, and all choices among her pairs of that kind are equally
likely. Of her pairs some are pairs of the other annotator too, as both marked the two segments:
only these can match.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from spanagree.arrays import Floats


@lru_cache(maxsize=4096)
def relation_matches(a: int, b: int, pairs_a: int, pairs_b: int, common: int) -> Floats:
    """Return the distribution of the number of relations in common, of one label and kind.

    So many of A's relations are on pairs of both, which is hypergeometric; and so many of B's are
    on the same pairs, which is hypergeometric again.

    Args:
        a, b: how many relations either annotator has.
        pairs_a, pairs_b: how many pairs of this kind either could have linked.
        common: how many of these are pairs of both.

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
