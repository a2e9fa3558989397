"""Progress of a long run on stderr: its step and the remaining time."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import click

_WAIT = 1.0  # seconds without a bar
_ESTIMATED_AFTER = 0.2  # seconds of a step before its duration is estimated
_ANNOUNCED_FROM = 60.0  # remaining seconds that are announced
_KEY = f"{__name__}.bar"


class Bar:
    """Progress bar with the name of the step; it also moves if the end is unknown.

    The duration of a step is estimated from its first fifth of a second, and announced if more
    than a minute remains. Time before a step reports no completed work is not counted.
    """

    def __init__(self) -> None:
        self._start_time: float | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._display: Any = None
        self._task: dict[str, Any] = {}

    def __call__(self, completed: int, total: int) -> None:
        """Update the number of completed steps and of all steps."""
        self._announce_duration(completed, total)
        self._update_task(completed=completed, total=total)

    def _announce_duration(self, completed: int, total: int) -> None:
        """Print the estimated remaining time of a step, once, if it is at least a minute.

        ``completed`` and ``total`` are amounts of work of the step.
        """
        if self._start_time is not None and completed <= 0:
            self._start_time = time.monotonic()
        if self._start_time is None or completed <= 0:
            return
        elapsed = time.monotonic() - self._start_time
        remaining = elapsed * (total - completed) / completed
        if elapsed < _ESTIMATED_AFTER or remaining < _ANNOUNCED_FROM:
            return
        self._start_time = None
        minutes = round(remaining / 60)
        step = self._task["description"]
        text = f"spanagree: note: {step}: about {minutes} more minute{'s'[: minutes - 1]}"
        with self._lock:
            if self._display is None:
                click.echo(text, err=True)
            else:
                self._display.console.print(text, highlight=False, markup=False)

    def step(self, name: str) -> Bar:
        """Start a step and return this bar, which appears after a second unless it is hidden."""
        self._start_time = time.monotonic()
        self._update_task(description=name, completed=0, total=None)
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(_WAIT, self._show_display)
                self._timer.daemon = True
                self._timer.start()
        return self

    def hide_bar(self) -> None:
        """Remove the bar from the terminal before other output."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._display is not None:
                self._display.stop()
            self._timer = self._display = None

    def _update_task(self, **task: Any) -> None:
        """Change the attributes of the step, also in the display."""
        with self._lock:
            self._task |= task
            if self._display is not None:
                self._display.update(self._display.task_ids[0], **task)

    def _show_display(self) -> None:
        """Show the bar, unless it was hidden before the timer ended."""
        from rich.console import Console  # takes a tenth of a second to load
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        with self._lock:
            if self._timer is threading.current_thread():  # still wanted
                self._display = Progress(*columns, console=Console(stderr=True), transient=True)
                self._display.add_task(**self._task)
                self._display.start()


def start_progress(name: str) -> Bar | None:
    """Start a step of the command's progress bar and return the bar; ``None`` without terminal."""
    if not sys.stderr.isatty():
        return None
    bar: Bar = click.get_current_context().meta.setdefault(_KEY, Bar())
    return bar.step(name)


def hide_progress() -> None:
    """Remove the bar of this command from the terminal."""
    bar = click.get_current_context().meta.get(_KEY)
    if bar is not None:
        bar.hide_bar()
