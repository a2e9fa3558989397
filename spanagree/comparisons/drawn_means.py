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
        above: by how much an exact upper bound exceeds them, of those that have one.
    """

    number: int = 0
    errors: dict[bytes, float] = field(default_factory=dict)
    above: float = 0.0

    def add(self, drawn: bytes, error: float, above: float = 0.0) -> None:
        """Count a mean."""
        self.number += 1
        self.above += above
        self.errors[drawn] = self.errors.get(drawn, 0.0) + error

    @property
    def how(self) -> Mapping[str, float]:
        """Their number, and of their sum the variance and distance to its bound; else nothing."""
        if not self.number:
            return {}
        variance = math.fsum(error**2 for error in self.errors.values())
        bound = {"above": self.above} if self.above else {}
        return {"drawn": self.number, "variance": variance, **bound}
