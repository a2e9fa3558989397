"""Tolerances: the name of a measure by which borders may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from spanagree.comparisons.measures import NEAR, OF_EQUAL, WITHIN
from spanagree.corpus.segments import is_time
from spanagree.errors import SettingError, is_whole, quote_value

if TYPE_CHECKING:
    from spanagree.chance.places import Places
    from spanagree.choices import MatchName

MOST_WITHIN = 999
"""The greatest tolerance, in tokens, characters or words."""


def within(
    match: str, tolerance: float, offsets: str = "", places: Places | None = None
) -> MatchName:
    """Return the name of a measure with a tolerance.

    Args:
        match: exact or boundaries.
        tolerance: by how many tokens or characters starts may differ, and ends; of recordings, by
            how many seconds; where random segments stand at words, by how many of these.
        offsets: what they count.
        places: rule of places of the chance model, which may be one of words.

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
            f"tolerance {quote_value(tolerance)}; a whole number from 0 to {MOST_WITHIN} is needed"
        )
    if not tolerance:
        named = NEAR.fullmatch(match) if isinstance(match, str) else None
        if places is None or named is None or named[3]:
            return cast("MatchName", match)
        match, tolerance = named[1], int(named[2])
    if match not in OF_EQUAL:
        allowed = " and ".join(OF_EQUAL)
        raise SettingError(
            f"tolerance {tolerance} goes with match {allowed}, not with {quote_value(match)}"
        )
    words = "" if places is None else places.words_of_all(f"tolerance {tolerance}")
    name = f"{match}{WITHIN}{int(tolerance)}"
    return cast("MatchName", f"{name}-{words}" if words else name)
