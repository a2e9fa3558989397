"""One line on stderr that says what a long run is at: in a terminal only, after a second."""

from __future__ import annotations

import sys
import threading
from typing import Any

import click

_WAIT = 1.0  # seconds in which nothing is shown
_KEY = f"{__name__}.bar"


class Bar:
    """A bar that names the step of a run, and moves also where its end is not known."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown: Any = None
        self._task: dict[str, Any] = {}

    def __call__(self, done: int, total: int) -> None:
        """Say how many steps of a kind are done, and of how many."""
        self._update(completed=done, total=total)

    def step(self, name: str) -> Bar:
        """Begin with another step; in a second it is seen, unless it is hidden before."""
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
    """Return what shows a step of this command and how far it is; nothing outside a terminal."""
    if not sys.stderr.isatty():
        return None
    bar: Bar = click.get_current_context().meta.setdefault(_KEY, Bar())
    return bar.step(name)


def hide_progress() -> None:
    """Take what shows the progress of this command off the terminal."""
    bar = click.get_current_context().meta.get(_KEY)
    if bar is not None:
        bar.hide()
