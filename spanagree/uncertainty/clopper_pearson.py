"""The exact interval of a binomial proportion (Clopper & Pearson 1934).

If k of n units are found, the upper end u of the interval is the (1 − tail) quantile of
Beta(k + 1, n − k).
"""

from __future__ import annotations

from typing import Any


def compute_greatest_share(n_found: Any, n_units: Any, tail: float) -> Any:
    """Compute the upper end of the exact interval of a proportion.

    Args:
        n_found: number k of units with the property, below `n_units`.
        n_units: number n of units.
        tail: probability beyond the end.

    >>> round(float(compute_greatest_share(0, 50, 0.025)), 4)  # 1 − 0.025^(1/50)
    0.0711
    """
    from scipy.special import betaincinv  # takes a tenth of a second to import

    return betaincinv(n_found + 1, n_units - n_found, 1 - tail)
