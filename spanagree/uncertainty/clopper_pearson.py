"""The exact interval of a share that was seen in few of many (Clopper & Pearson 1934)."""

from __future__ import annotations

from typing import Any


def greatest_share(n_found: Any, n_units: Any, tail: float) -> Any:
    """Compute the high end of the exact interval of a share.

    Args:
        n_found: number of units that have something, fewer than all.
        n_units: number of units.
        tail: probability beyond the end.

    >>> round(float(greatest_share(0, 50, 0.025)), 4)  # 1 − 0.025^(1/50)
    0.0711
    """
    from scipy.special import betaincinv  # takes a tenth of a second to import

    return betaincinv(n_found + 1, n_units - n_found, 1 - tail)
