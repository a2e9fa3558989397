"""Expected matches that are means over draws: how many, and how far off they may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class DrawnMeans:
    """Expected matches that are means over draws.

    Attributes:
        number: of how many pairs of document and label.
        errors: their standard errors, by what is drawn; the same draws err alike, and add up.
    """

    number: int = 0
    errors: dict[bytes, float] = field(default_factory=dict)

    def add(self, drawn: bytes, error: float) -> None:
        """Count a mean."""
        self.number += 1
        self.errors[drawn] = self.errors.get(drawn, 0.0) + error

    @property
    def how(self) -> Mapping[str, float]:
        """Their number, and the variance of their sum; nothing if there are none."""
        if not self.number:
            return {}
        variance = math.fsum(error**2 for error in self.errors.values())
        return {"drawn": self.number, "variance": variance}
