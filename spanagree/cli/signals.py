"""Handlers that stop the program and its workers on Ctrl-C, SIGTERM or SIGHUP."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

_STOPPING = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def exit_on_signals() -> None:
    """Exit silently while loading; there is nothing to clean up."""
    for signal_number in _STOPPING:
        if signal.getsignal(signal_number) != signal.SIG_IGN:  # nohup ignores SIGHUP
            signal.signal(signal_number, _exit_on_signal)


def raise_on_signals() -> None:
    """Raise an error on a signal from now on, so that unfinished outputs are removed."""
    for signal_number in _STOPPING:
        if signal.getsignal(signal_number) == _exit_on_signal:
            signal.signal(signal_number, _raise_signal)
            sys.unraisablehook = _repeat_signal


def ignore_signals() -> None:
    """Ignore signals, and exit when the parent process ends in any way."""
    for signal_number in _STOPPING:
        signal.signal(signal_number, signal.SIG_IGN)
    threading.Thread(target=_exit_after_parent, daemon=True).start()


@contextmanager
def shut_down_pool(pool: Executor | None) -> Iterator[None]:
    """Shut down a pool of processes after a block; kill them if the program is stopped."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        from multiprocessing import active_children  # takes a while to load

        threading.excepthook = lambda _: None  # hides errors of the pool's thread
        for child in active_children():
            child.kill()
        pool = None
        raise
    finally:
        if pool is not None:
            pool.shutdown()


def _exit_on_signal(signal_number: int, _: Any) -> None:
    """Exit with the usual code for a signal."""
    os._exit(128 + signal_number)


def _raise_signal(signal_number: int, _: Any) -> None:
    """Raise `KeyboardInterrupt` for Ctrl-C, and `SystemExit` for other signals."""
    if signal_number == signal.SIGINT:
        raise KeyboardInterrupt
    signal.signal(signal_number, signal.SIG_IGN)  # a second signal may not interrupt the clean-up
    raise SystemExit(128 + signal_number)


def _repeat_signal(unraisable: Any) -> None:
    """Send a signal again if Python could not raise its error, as in a fork; show other errors."""
    if isinstance(unraisable.exc_value, (KeyboardInterrupt, SystemExit)):
        signal_number = int(getattr(unraisable.exc_value, "code", 0) or 130) - 128
        signal.signal(signal_number, _raise_signal)
        threading.Timer(0.1, signal.raise_signal, (signal_number,)).start()
    else:
        sys.__unraisablehook__(unraisable)


def _exit_after_parent() -> None:
    """Wait for the end of the parent process, and exit."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
