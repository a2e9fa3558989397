"""The measures: how similar two segments are, one table of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.chance.model import places_of
from spanagree.corpus.segments import Layer, is_time
from spanagree.errors import SettingError, check_choice, is_whole, show

if TYPE_CHECKING:
    from spanagree.choices import MatchName

SAME_BORDERS = "the same borders"
OVERLAP = "an overlap"
LABEL_OVERLAP = "an overlap of segments with one label"

Phi: TypeAlias = Callable[[Ints, Ints, Ints], "Ints | Floats"]


def _in_offsets(layer: Layer) -> tuple[Ints, Ints]:
    """Return where segments start and end, as they are."""
    return layer.start, layer.end


@dataclass(frozen=True)
class Match:
    """A measure of two segments; what it gives adds up over pairs, with one exception.

    ``phi`` takes the offset of the second segment's start from the first's, and both lengths, as
    arrays; it is 0 for segments that do not overlap. With ``of_label`` only segments of the same
    label are compared. ``in_tokens``: an annotation's size is its tokens, else its segments.
    ``kernel`` is the shortest way to its sums: ``equal`` if φ is 1 for the same start and length
    and else 0, ``cover`` if it is the number of shared tokens, ``offsets`` for any other. It is
    ``one-to-one`` for the measure that is not additive: the greatest one-to-one matching of
    segments with φ = 1, which is then 1 for an iou of at least ``share``, and else 0; and ``near``
    for one-to-one matches of segments whose borders differ by at most ``within``: by what offsets
    count, or by words as the rule of places called ``unit`` has them. ``borders`` says where the
    segments of a layer start and end, counted so. ``forbids`` names what two segments of a layer
    may not have: nothing, :data:`SAME_BORDERS`, :data:`OVERLAP` or :data:`LABEL_OVERLAP`.
    """

    means: str
    phi: Phi
    of_label: bool = True
    in_tokens: bool = False
    kernel: str = "offsets"
    share: float = 0.0
    within: int = 0
    unit: str = ""
    borders: Callable[[Layer], tuple[Ints, Ints]] = _in_offsets
    forbids: str = ""

    @property
    def one_to_one(self) -> bool:
        """Whether each segment is in one pair at most, so that φ does not add up over pairs."""
        return self.kernel in ("near", "one-to-one")


def _same(offset: Ints, a: Ints, b: Ints) -> Ints:
    return ((offset == 0) & (a == b)).astype(np.int64)


def _shared(offset: Ints, a: Ints, b: Ints) -> Ints:
    return np.maximum(np.minimum(a, offset + b) - np.maximum(offset, 0), 0)


def _share(offset: Ints, a: Ints, b: Ints) -> Floats:
    shared = _shared(offset, a, b)
    return shared / (a + b - shared)


def _one_to_one(share: float, means: str) -> Match:
    def phi(offset: Ints, a: Ints, b: Ints) -> Ints:
        shared = _shared(offset, a, b)
        return ((shared > 0) & (shared / (a + b - shared) >= share)).astype(np.int64)

    return Match(means, phi, kernel="one-to-one", share=share, forbids=LABEL_OVERLAP)


MATCHES = {
    "exact": Match("same start, end and label", _same, kernel="equal"),
    "token": Match("tokens in segments of the same label", _shared, in_tokens=True, kernel="cover",
                   forbids=LABEL_OVERLAP),
    "boundaries": Match("same start and end, any label", _same, of_label=False, kernel="equal",
                        forbids=SAME_BORDERS),
    "iou": Match("shared tokens / tokens of both together, same label", _share,
                 forbids=LABEL_OVERLAP),
    "overlap": _one_to_one(
        0.0, "segments of the same label that share a token, each in one pair at most"
    ),
}  # fmt: skip
"""The measures by name; :func:`find_match` knows ``overlap-at-0.5`` and ``exact-within-1`` too."""

_AT = "overlap-at-"
_WITHIN = "-within-"
_NEAR = re.compile("(exact|boundaries)-within-([1-9][0-9]{0,2})(?:-(words|words[+]marks))?")
MOST_WITHIN = 999
"""The greatest tolerance, in tokens, characters or words."""


def within(match: str, tolerance: float, offsets: str = "", chance: str = "") -> MatchName:
    """Return the name of a measure with a tolerance.

    Args:
        match: exact or boundaries.
        tolerance: by how many tokens or characters starts may differ, and ends; of recordings, by
            how many seconds; where random segments stand at words, by how many of these.
        offsets: what they count.
        chance: the chance model, whose rule of places may be one of words.

    Raises:
        SettingError: for another measure, or no whole number from 0 to :data:`MOST_WITHIN`; of
            recordings, of units; for a rule of words that is not that of all labels.

    >>> within("exact", 1), within("token", 0), within("exact", 0.05, "10ms")
    ('exact-within-1', 'token', 'exact-within-5')
    """
    if is_time(offsets) and isinstance(tolerance, (int, float)):
        from spanagree.corpus.times import shown, ticks, ticks_of  # few corpora are recordings

        units, rest = divmod(ticks(tolerance, "tolerance"), ticks_of(offsets))
        if rest or not 0 <= units <= MOST_WITHIN:
            raise SettingError(
                f"tolerance {tolerance:g} s; a multiple of {offsets}, of up to"
                f" {shown(MOST_WITHIN, offsets)} s, is needed: resolution names other units"
            )
        tolerance = units
    if isinstance(tolerance, float) and tolerance.is_integer():
        tolerance = int(tolerance)
    if not is_whole(tolerance) or not 0 <= tolerance <= MOST_WITHIN:
        raise SettingError(
            f"tolerance {show(tolerance)}; a whole number from 0 to {MOST_WITHIN} is needed"
        )
    places = places_of(chance)
    if not tolerance:
        named = _NEAR.fullmatch(match) if isinstance(match, str) else None
        if places is None or named is None or named[3]:
            return cast("MatchName", match)
        match, tolerance = named[1], int(named[2])
    if match not in ("exact", "boundaries"):
        raise SettingError(
            f"tolerance {tolerance} goes with match exact and boundaries, not with {show(match)}"
        )
    words = "" if places is None else places.words_of_all(f"tolerance {tolerance}")
    name = f"{match}{_WITHIN}{int(tolerance)}"
    return cast("MatchName", f"{name}-{words}" if words else name)


def _near(name: str, t: int, unit: str) -> Match:
    def phi(offset: Ints, a: Ints, b: Ints) -> Ints:
        near = (np.abs(offset) <= t) & (np.abs(offset + b - a) <= t)
        return near.astype(np.int64)

    label = "same label" if name == "exact" else "any label"
    most = f"{t} word{'s' * (t > 1)}" if unit else f"{t}"
    means = f"start and end differ by at most {most}, {label}, each in one pair at most"
    of_label = name == "exact"
    forbids = LABEL_OVERLAP if of_label else OVERLAP
    return Match(means, phi, of_label, kernel="near", within=t, unit=unit, forbids=forbids)


def turned(measure: Match) -> Match:
    """Return the same measure of the second annotator and the first."""
    phi = measure.phi
    return Match(
        measure.means,
        lambda offset, a, b: phi(-offset, b, a),
        measure.of_label,
        measure.in_tokens,
        measure.kernel,
    )


def find_match(match: str) -> Match:
    """Return the measure of that name, which may be ``overlap-at-`` and a share.

    Raises:
        SettingError: if there is none.

    >>> find_match("overlap-at-0.5").means
    'segments of the same label with an iou of at least 0.5, each in one pair at most'
    """
    if isinstance(match, str) and match.startswith(_AT):
        share = match.removeprefix(_AT)
        if not re.fullmatch("0[.][0-9]{1,4}|1", share) or f"{float(share):g}" != share:
            raise SettingError(
                f"match {show(match)}: a share from 0.0001 to 1 stands at its end, such as {_AT}0.5"
            )
        means = f"segments of the same label with an iou of at least {share}, each in one pair"
        return _one_to_one(float(share), f"{means} at most")
    if isinstance(match, str) and match.startswith(("exact-within-", "boundaries-within-")):
        if (named := _NEAR.fullmatch(match)) is None:
            raise SettingError(
                f"match {show(match)}: a whole number from 1 to 999 stands at its end, or that and"
                " -words or -words+marks"
            )
        return _near(named[1], int(named[2]), named[3] or "")
    check_choice(match, MATCHES, "match")
    return MATCHES[match]
