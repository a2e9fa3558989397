"""Optional packages: imported only inside the function that needs them, named when not there."""

from __future__ import annotations

import importlib
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spanagree.errors import SettingError
from spanagree.limits import check_expansion


def import_optional(package: str, extra: str, what: str) -> Any:
    """Return an optional package; ``extra`` is empty for one that no extra of ours brings.

    Raises:
        SettingError: if it is not installed, with the line that installs it.
    """
    try:
        with _signals_wait():
            return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise SettingError(
            f"{what} needs {name}, which is not installed; {how_to_install(name, extra)}"
        ) from None


def how_to_install(name: str, extra: str = "") -> str:
    """Return the line that installs a package, by the extra of ours that brings it.

    >>> how_to_install("pandas")
    'run: pip install pandas'
    >>> how_to_install("matplotlib", "plot")
    "the extra plot brings it; run in a clone of spanagree: pip install '.[plot]'"
    """
    if not extra:
        return f"run: pip install {name}"
    return f"the extra {extra} brings it; run in a clone of spanagree: pip install '.[{extra}]'"


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Let a signal wait until a package is loaded.

    Packages that try others catch whatever is raised meanwhile, and say that these are not there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread only
        return
    came: list[int] = []
    names = (name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
    numbers: list[int] = [getattr(signal, name) for name in names]
    handlers = {n: handler for n in numbers if callable(handler := signal.getsignal(n))}
    try:
        for number in handlers:
            signal.signal(number, lambda sent, _: came.append(sent))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def read_parquet(parquet: Any, name: str, path: str | os.PathLike[str]) -> Any:
    """Return the table in a file, read by ``pyarrow.parquet``, with all of its values checked.

    Raises:
        InputError: as :func:`spanagree.limits.check_expansion`.
        Exception: whatever the decoder raises for a file that is damaged.
    """
    with open(path, "rb") as file:
        pages = parquet.ParquetFile(file)
        about = pages.metadata
        sizes = (about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        cells = about.num_rows * about.num_columns  # those that repeat take no bytes
        check_expansion(name, os.path.getsize(path), max(sum(sizes), 8 * cells))
        table = pages.read()
    table.validate(full=True)
    return table
