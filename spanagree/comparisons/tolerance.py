"""Names of measures with a tolerance, a largest difference of borders."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from spanagree.comparisons.measures import NEAR, OF_EQUAL, WITHIN
from spanagree.corpus.segments import is_time
from spanagree.errors import SettingError, is_integer, quote_value

if TYPE_CHECKING:
    from spanagree.chance.places import Places
    from spanagree.choices import MatchName

MOST_WITHIN = 999
"""Greatest tolerance, in tokens, characters or words."""


def name_with_tolerance(
    match: str, tolerance: float, offsets: str = "", places: Places | None = None
) -> MatchName:
    """Build the name of a measure with a tolerance.

    Args:
        match: name of a measure, exact or boundaries.
        tolerance: largest difference of starts, and of ends, in tokens or characters; in seconds
            for recordings; in words if random segments start at words.
        offsets: unit of offsets.
        places: rule of places of the chance model, which may be a rule of words.

    Raises:
        SettingError: if the measure has no tolerance; if the tolerance is not an integer from 0 to
            :data:`MOST_WITHIN`, in units for recordings; if the rule of words does not apply to all
            labels.

    >>> name_with_tolerance("exact", 1), name_with_tolerance("token", 0)
    ('exact-within-1', 'token')
    >>> name_with_tolerance("exact", 0.05, "10ms")
    'exact-within-5'
    """
    if is_time(offsets) and isinstance(tolerance, (int, float)):
        from spanagree.corpus.times import (  # few corpora are recordings
            format_offset,
            look_up_ticks,
            parse_ticks,
        )

        units, remainder = divmod(parse_ticks(tolerance, "tolerance"), look_up_ticks(offsets))
        if remainder or not 0 <= units <= MOST_WITHIN:
            raise SettingError(
                f"tolerance {tolerance:g} s; a multiple of {offsets}, of up to"
                f" {format_offset(MOST_WITHIN, offsets)} s, is needed: resolution names other units"
            )
        tolerance = units
    if isinstance(tolerance, float) and tolerance.is_integer():
        tolerance = int(tolerance)
    if not is_integer(tolerance) or not 0 <= tolerance <= MOST_WITHIN:
        raise SettingError(
            f"tolerance {quote_value(tolerance)}; a whole number from 0 to {MOST_WITHIN} is needed"
        )
    if not tolerance:
        name_match = NEAR.fullmatch(match) if isinstance(match, str) else None
        if places is None or name_match is None or name_match[3]:
            return cast("MatchName", match)
        match, tolerance = name_match[1], int(name_match[2])
    if match not in OF_EQUAL:
        allowed = " and ".join(OF_EQUAL)
        raise SettingError(
            f"tolerance {tolerance} goes with match {allowed}, not with {quote_value(match)}"
        )
    words = "" if places is None else places.find_words_of_all(f"tolerance {tolerance}")
    name = f"{match}{WITHIN}{int(tolerance)}"
    return cast("MatchName", f"{name}-{words}" if words else name)
