"""Expected matches that are not exact: means over draws, and what is extrapolated."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import pluralize


@dataclass(eq=False)
class ApproximationError:
    """How many expected matches are not exact, and how far off they may be.

    Attributes:
        drawn: of how many pairs of document and label they are means over draws.
        errors: their standard errors, by what is drawn; the same draws err alike, and add up.
        extrapolated: how many are extrapolated from coarser units.
        off: by how much these may be off, together.
    """

    drawn: int = 0
    errors: dict[bytes, float] = field(default_factory=dict)
    extrapolated: int = 0
    off: float = 0.0

    def add(self, drawn: bytes, error: float) -> None:
        """Count a mean over draws."""
        self.drawn += 1
        self.errors[drawn] = self.errors.get(drawn, 0.0) + error

    def __add__(self, other: ApproximationError) -> ApproximationError:
        errors = dict(self.errors)
        for drawn, error in other.errors.items():
            errors[drawn] = errors.get(drawn, 0.0) + error
        return ApproximationError(
            self.drawn + other.drawn,
            errors,
            self.extrapolated + other.extrapolated,
            self.off + other.off,
        )

    def error(self, size: float) -> float | None:
        """Return the standard error of the expected F1; nothing if no match was drawn.

        Args:
            size: that of both annotations together, over all that was compared.

        >>> drawn = ApproximationError(2, {b"a": 0.3, b"b": 0.4})
        >>> drawn.error(100), ApproximationError().error(100)
        (0.01, None)
        """
        if not self.drawn:
            return None
        return 2 * math.sqrt(math.fsum(error**2 for error in self.errors.values())) / size

    def notes(self, size: float) -> list[str]:
        """Return where the expected match is not exact, and how far off it may be.

        Args:
            size: as of :meth:`error`.

        >>> ApproximationError(2, {b"a": 0.5}).notes(100)[0].partition(";")[2]
        ' standard error of the chance F1: 0.0100'
        """
        notes = []
        if self.extrapolated:
            off = 2 * self.off / size if size else 0.0
            notes.append(
                "expected scores of long documents extrapolated from coarser units, to"
                f" {max(off, 1e-6):.1g} of F1"
            )
        if not self.drawn:
            return notes
        error = self.error(size)
        after = f"; standard error of the chance F1: {error:.4f}" if error else ""
        return [
            *notes,
            f"expected match from draws in {pluralize(self.drawn, 'pair')} of document and"
            f" label, as the exact mean would be too much work{after}",
        ]

    def settings(self, seed: int) -> dict[str, Any]:
        """Return what the settings say of expected matches that are not all exact.

        Args:
            seed: seed of draws.

        >>> ApproximationError(drawn=1).settings(7), ApproximationError().settings(7)
        ({'expected': 'partly-drawn', 'chance_seed': 7}, {})
        """
        return {"expected": "partly-drawn", "chance_seed": seed} if self.drawn else {}


def of_all(error: float) -> str:
    """Return what tables of parts say of the standard error of the whole.

    >>> of_all(0.00123)
    'chance F1 over all is of draws, standard error 0.0012; that of a row may be greater'
    """
    return (
        f"chance F1 over all is of draws, standard error {error:.4f}; that of a row may be greater"
    )


def digest_of(what: object) -> bytes:
    """Return 32 bytes that are the same for what is written the same, wherever it is drawn."""
    import hashlib  # takes a while to load

    return hashlib.sha256(repr(what).encode()).digest()


def generator_of(digest: bytes, seed: int) -> np.random.Generator:
    """Return a generator for what is drawn and a seed: order and neighbours change no draw."""
    return np.random.default_rng(int.from_bytes(digest[:16], "little") + (seed << 128))


def mean_of(draws: Floats | Ints) -> tuple[float, float]:
    """Return the mean over draws, and its standard error.

    >>> mean_of(np.array([1, 3]))
    (2.0, 1.0)
    """
    return float(draws.mean()), float(draws.std(ddof=1)) / math.sqrt(len(draws))
