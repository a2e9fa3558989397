"""Stop the program and its workers cleanly: on Ctrl-C, SIGTERM or SIGHUP."""

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


def while_loading() -> None:
    """Let a signal end the process without a word: as long as it loads, nothing needs tidying."""
    for number in _STOPPING:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup sets it
            signal.signal(number, _end)


def while_working() -> None:
    """Let a signal raise an error from now on, so that what was begun is removed on the way out."""
    for number in _STOPPING:
        if signal.getsignal(number) == _end:
            signal.signal(number, _stop)
            sys.unraisablehook = _stop_again


def in_worker() -> None:
    """Leave signals to the parent process, and end when it ends, however that comes about."""
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_after_parent, daemon=True).start()


@contextmanager
def closing(pool: Executor | None) -> Iterator[None]:
    """Shut a pool of processes down; at once if the program is stopped meanwhile."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        from multiprocessing import active_children  # takes a while to load

        threading.excepthook = lambda _: None  # the pool's own thread may complain of its end
        for child in active_children():
            child.kill()
        pool = None
        raise
    finally:
        if pool is not None:
            pool.shutdown()


def _end(number: int, _: Any) -> None:
    os._exit(128 + number)


def _stop(number: int, _: Any) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    signal.signal(number, signal.SIG_IGN)  # once is enough; tidying goes on
    raise SystemExit(128 + number)


def _stop_again(lost: Any) -> None:
    """Stop a little later if the error of a signal came where errors are lost, as in a fork."""
    if isinstance(lost.exc_value, (KeyboardInterrupt, SystemExit)):
        number = int(getattr(lost.exc_value, "code", 0) or 130) - 128
        signal.signal(number, _stop)
        threading.Timer(0.1, signal.raise_signal, (number,)).start()
    else:
        sys.__unraisablehook__(lost)


def _end_after_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
