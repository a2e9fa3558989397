"""Whether two results differ by rounding alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest


def equal_to_rounding(first, second, rel=1e-12):
    """Return whether figures of two results are equal to 1e-12, and all else is the same.

    >>> equal_to_rounding(("a", [0.1 + 0.2, None]), ("a", [0.3, None]))
    True
    """
    if isinstance(first, float) or isinstance(second, float):
        return first == pytest.approx(second, rel=rel, abs=1e-12, nan_ok=True)
    if isinstance(first, Mapping):
        return first.keys() == second.keys() and all(
            equal_to_rounding(first[key], second[key], rel) for key in first
        )
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(
            equal_to_rounding(*both, rel) for both in zip(first, second, strict=True)
        )
    return first == second
