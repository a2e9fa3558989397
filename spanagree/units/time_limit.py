"""The time limit of γ."""

from __future__ import annotations

import math
import time
from numbers import Real
from typing import Any, NamedTuple

from spanagree.errors import SettingError, quote_value


class Deadline(NamedTuple):
    """End of the time, equal in all processes.

    Attributes:
        at: seconds since the epoch, of ``time.time``.

    >>> Deadline().is_over, Deadline.from_time_limit(0).is_over
    (False, True)
    """

    at: float = math.inf

    @classmethod
    def from_time_limit(cls, time_limit: float | None) -> Deadline:
        """Compute the deadline `time_limit` seconds from now; no deadline for ``None``.

        Raises:
            SettingError: if the limit is not a number from 0.
        """
        if time_limit is None:
            return cls()
        is_number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
        if not is_number or not time_limit >= 0:
            raise SettingError(
                f"time_limit {quote_value(time_limit)}; a number of seconds from 0, or none, is"
                " needed"
            )
        return cls(time.time() + time_limit)

    @property
    def is_over(self) -> bool:
        """True if no time is left."""
        return self.seconds_left <= 0

    @property
    def seconds_left(self) -> float:
        """Remaining seconds."""
        return self.at - time.time() if math.isfinite(self.at) else math.inf

    @property
    def options(self) -> dict[str, Any]:
        """Options of the HiGHS solver for the remaining time."""
        return {} if math.isinf(self.at) else {"time_limit": max(self.seconds_left, 0.0)}


NO_DEADLINE = Deadline()
"""A deadline that never ends."""
