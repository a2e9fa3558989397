"""The progress of a long run, on stderr in a terminal: its step, and how long it will take."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import click

_WAIT = 1.0  # seconds in which nothing is shown
_TOLD = 0.2  # seconds of a step that say how long all of it takes
_LONG = 60.0  # seconds of a step that are said in advance
_KEY = f"{__name__}.bar"


class Bar:
    """A bar that names the step of a run, and moves also where its end is not known.

    A step counts what it has to do. The first of it that takes a fifth of a second says how long
    all of it will take; if that is more than a minute, it is said at once. What comes before it
    says that nothing is done is not counted.
    """

    def __init__(self) -> None:
        self._begun: float | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown: Any = None
        self._task: dict[str, Any] = {}

    def __call__(self, done: int, total: int) -> None:
        """Say how many steps of a kind are done, and of how many."""
        self._announce(done, total)
        self._update(completed=done, total=total)

    def _announce(self, done: int, total: int) -> None:
        """Say once for each step how long it will still take, if that is long."""
        if self._begun is not None and done <= 0:
            self._begun = time.monotonic()
        if self._begun is None or done <= 0:
            return
        passed = time.monotonic() - self._begun
        left = passed * (total - done) / done
        if passed < _TOLD or left < _LONG:
            return
        self._begun = None
        minutes = round(left / 60)
        step = self._task["description"]
        text = f"spanagree: note: {step}: about {minutes} more minute{'s'[: minutes - 1]}"
        with self._lock:
            if self._shown is None:
                click.echo(text, err=True)
            else:
                self._shown.console.print(text, highlight=False, markup=False)

    def step(self, name: str) -> Bar:
        """Begin with another step; in a second it is seen, unless it is hidden before."""
        self._begun = time.monotonic()
        self._update(description=name, completed=0, total=None)
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(_WAIT, self._show)
                self._timer.daemon = True
                self._timer.start()
        return self

    def hide(self) -> None:
        """Take the bar off the terminal, as something else is written there."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._shown is not None:
                self._shown.stop()
            self._timer = self._shown = None

    def _update(self, **task: Any) -> None:
        with self._lock:
            self._task |= task
            if self._shown is not None:
                self._shown.update(self._shown.task_ids[0], **task)

    def _show(self) -> None:
        from rich.console import Console  # takes a tenth of a second to load
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        with self._lock:
            if self._timer is threading.current_thread():  # not hidden meanwhile
                self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
                self._shown.add_task(**self._task)
                self._shown.start()


def progress(name: str) -> Bar | None:
    """Return the bar of this command at a new step; ``None`` outside a terminal."""
    if not sys.stderr.isatty():
        return None
    bar: Bar = click.get_current_context().meta.setdefault(_KEY, Bar())
    return bar.step(name)


def hide_progress() -> None:
    """Take what shows the progress of this command off the terminal."""
    bar = click.get_current_context().meta.get(_KEY)
    if bar is not None:
        bar.hide()
