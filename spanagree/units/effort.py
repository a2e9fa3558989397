"""How much is done for γ: steps that a clock ends, and the work of one step.

A step is the best alignment of some documents, observed or drawn. Whether there is time for another
is asked between steps only, and what a step does depends on no clock.
"""

from __future__ import annotations

import time
from numbers import Real

from spanagree.choices import TIME_LIMIT
from spanagree.errors import SettingError, show

WORK = 10_000_000  # unitary alignments that are looked at, in about a second
MANY = 1000  # units of a random annotation, for which there is as much work


class ExhaustedError(Exception):
    """There is no work left in a step."""


class Work:
    """What is left to be done in a step.

    Attributes:
        left: for best alignments.
        spare: for bounds of those that are not found, half as much.
    """

    def __init__(self, left: int = WORK) -> None:
        self.left: int = left
        self.spare: int = left // 2

    def spend(self, amount: int) -> None:
        """Take some of it.

        Raises:
            ExhaustedError: if there is no more.
        """
        self.left -= amount
        if self.left < 0:
            raise ExhaustedError


class Steps:
    """The steps of a computation.

    A step is not begun if it would pass the limit, were it as slow for its work as the slowest so
    far. The first one does not count for that, as libraries are loaded in it.

    Attributes:
        done: how many there were.
        stopped: time, if that ended them; empty if nothing was left to do.

    Raises:
        SettingError: for a limit below 0.
    """

    def __init__(self, time_limit: float | None = TIME_LIMIT) -> None:
        if time_limit is not None:
            fits = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
            if not fits or not time_limit >= 0:
                raise SettingError(
                    f"time_limit {show(time_limit)}; a number of seconds from 0, or none, is needed"
                )
        self.limit: float | None = time_limit
        self.begun: float = time.monotonic()
        self.done: int = 0
        self.stopped: str = ""
        self._since = self.begun  # when the step that is being done was begun
        self._work = 0  # of this step; 0 between steps
        self._slowest = 0.0  # seconds that a piece of work took

    def within(self, done: int, needed: int) -> int:
        """Return how many of the steps needed there is time for, if others take as long."""
        if self.limit is None:
            return needed
        passed = time.monotonic() - self.begun
        return min(needed, max(done, int(done * self.limit / passed))) if passed > 0 else needed

    def next(self, work: int = WORK) -> bool:
        """Return whether there may be another step, of so much work, and count it."""
        if self.limit is not None:
            self.pause()
            if self._since - self.begun + self._slowest * work >= self.limit:
                self.stopped = "time"
                return False
            self._work = work
        self.done += 1
        return True

    def next_work(self) -> Work:
        """Return the work of another step, which is none if there may be no other."""
        return Work() if self.next() else Work(0)

    def pause(self) -> None:
        """Say that the step before is done, and that what comes now is none."""
        now = time.monotonic()
        if self._work and self.done > 1:
            self._slowest = max(self._slowest, (now - self._since) / self._work)
        self._since, self._work = now, 0
