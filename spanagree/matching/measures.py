"""The measures: how similar two segments are, one table of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import check_choice

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]


@dataclass(frozen=True)
class Match:
    """A measure of two segments; what it gives adds up over pairs, with one exception.

    ``phi`` takes the offset of the second segment's start from the first's, and both lengths, as
    arrays; it is 0 for segments that do not overlap. With ``of_label`` only segments of the same
    label are compared. ``in_tokens``: an annotation's size is its tokens, else its segments.
    ``route`` is the shortest way to its sums: ``equal`` if φ is 1 for the same start and length and
    else 0, ``cover`` if it is the number of shared tokens, ``offsets`` for any other. It is
    ``one-to-one`` for the measure that is not additive: the greatest one-to-one matching of
    segments with φ above 0.
    """

    means: str
    phi: Phi
    of_label: bool = True
    in_tokens: bool = False
    route: str = "offsets"


def _same(offset: Ints, a: Ints, b: Ints) -> Ints:
    return ((offset == 0) & (a == b)).astype(np.int64)


def _shared(offset: Ints, a: Ints, b: Ints) -> Ints:
    return np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)


def _share(offset: Ints, a: Ints, b: Ints) -> Floats:
    shared = _shared(offset, a, b)
    return shared / (a + b - shared)


MATCHES = {
    "exact": Match("same start, end and label", _same, route="equal"),
    "token": Match("tokens in segments of the same label", _shared, in_tokens=True, route="cover"),
    "boundaries": Match("same start and end, any label", _same, of_label=False, route="equal"),
    "iou": Match("shared tokens / tokens of both together, same label", _share),
    "overlap": Match(
        "segments of the same label that share a token, each in one pair at most",
        _shared,
        route="one-to-one",
    ),
}
"""The measures by name."""


def find_match(match: str) -> Match:
    """Return the measure of that name.

    Raises:
        SettingError: if there is none.
    """
    check_choice(match, MATCHES, "match")
    return MATCHES[match]
