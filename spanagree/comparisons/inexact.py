"""Approximate expected matches: means over draws, and extrapolations.

The *content* of a document and label is all that its draws depend on, such as its length and the
lengths of its segments. Equal contents get the same draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import pluralize


@dataclass(eq=False)
class ApproximationError:
    """Number and error bounds of approximate expected matches.

    Attributes:
        drawn: number of pairs of document and label with a mean over draws.
        errors: standard errors of these means, by content. The means of equal content use the same
            draws, so their errors are added up.
        extrapolated: number of pairs of document and label that are extrapolated from coarser
            units.
        off: sum of the error bounds of the extrapolations.
    """

    drawn: int = 0
    errors: dict[bytes, float] = field(default_factory=dict)
    extrapolated: int = 0
    off: float = 0.0

    def add(self, content: bytes, error: float) -> None:
        """Add a mean over draws with its standard error, under its content."""
        self.drawn += 1
        self.errors[content] = self.errors.get(content, 0.0) + error

    def __add__(self, other: ApproximationError) -> ApproximationError:
        errors = dict(self.errors)
        for content, error in other.errors.items():
            errors[content] = errors.get(content, 0.0) + error
        return ApproximationError(
            self.drawn + other.drawn,
            errors,
            self.extrapolated + other.extrapolated,
            self.off + other.off,
        )

    def compute_error(self, size: float) -> float | None:
        """Compute the standard error of the expected F1; ``None`` if no match was drawn.

        Args:
            size: total size of both annotations, over all comparisons.

        >>> drawn = ApproximationError(2, {b"a": 0.3, b"b": 0.4})
        >>> drawn.compute_error(100), ApproximationError().compute_error(100)
        (0.01, None)
        """
        if not self.drawn:
            return None
        return 2 * math.sqrt(math.fsum(error**2 for error in self.errors.values())) / size

    def notes(self, size: float) -> list[str]:
        """Describe the approximations and their errors.

        Args:
            size: total size of both annotations, over all comparisons.

        >>> ApproximationError(2, {b"a": 0.5}).notes(100)[0].partition(";")[2]
        ' standard error of the chance F1: 0.0100'
        """
        notes = []
        if self.extrapolated:
            off_f1 = 2 * self.off / size if size else 0.0
            notes.append(
                "expected scores of long documents extrapolated from coarser units, to"
                f" {max(off_f1, 1e-6):.1g} of F1"
            )
        if not self.drawn:
            return notes
        error = self.compute_error(size)
        clause = f"; standard error of the chance F1: {error:.4f}" if error else ""
        return [
            *notes,
            write_drawn_sentence(f"{pluralize(self.drawn, 'pair')} of document and label") + clause,
        ]

    def settings(self, seed: int) -> dict[str, Any]:
        """Collect the settings that record approximations; empty if all expected matches are exact.

        Args:
            seed: seed of draws.

        >>> ApproximationError(drawn=1).settings(7), ApproximationError().settings(7)
        ({'expected': 'partly-drawn', 'chance_seed': 7}, {})
        """
        return {"expected": "partly-drawn", "chance_seed": seed} if self.drawn else {}


def write_drawn_sentence(items: str) -> str:
    """Build the sentence about items with drawn chance, such as documents over the budget.

    >>> write_drawn_sentence("2 documents")
    'chance is drawn in 2 documents, as exact chance would be too much work'
    """
    return f"chance is drawn in {items}, as exact chance would be too much work"


def write_standard_error_note(error: float) -> str:
    """Build the note about the standard error, for tables of parts of a result.

    >>> write_standard_error_note(0.00123)
    'chance F1 over all is of draws, standard error 0.0012; that of a row may be greater'
    """
    return (
        f"chance F1 over all is of draws, standard error {error:.4f}; that of a row may be greater"
    )


def compute_content_digest(content: object) -> bytes:
    """Compute a digest of 32 bytes from the representation of a content."""
    import hashlib  # takes a while to load

    return hashlib.sha256(repr(content).encode()).digest()


def create_generator(digest: bytes, seed: int) -> np.random.Generator:
    """Create a random generator that depends only on the digest of a content and the seed."""
    return np.random.default_rng(int.from_bytes(digest[:16], "little") + (seed << 128))


def compute_mean(draws: Floats | Ints) -> tuple[float, float]:
    """Compute the mean over draws, and its standard error.

    >>> compute_mean(np.array([1, 3]))
    (2.0, 1.0)
    """
    return float(draws.mean()), float(draws.std(ddof=1)) / math.sqrt(len(draws))
