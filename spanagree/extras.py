"""Optional packages, imported only inside the functions that need them."""

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


def import_optional(package: str, extra: str, purpose: str) -> Any:
    """Import an optional package.

    Args:
        package: name of the module.
        extra: name of the extra of spanagree that installs it; empty if no extra does.
        purpose: start of the message if it is missing, such as "the plot".

    Raises:
        SettingError: if it is not installed; the message has the line that installs it.
    """
    try:
        with _delay_signals():
            return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise SettingError(
            f"{purpose} needs {name}, which is not installed; {write_install_line(name, extra)}"
        ) from None


def write_install_line(name: str, extra: str = "") -> str:
    """Build the line that installs a package, or the extra that contains it.

    >>> write_install_line("pandas")
    'run: pip install pandas'
    >>> write_install_line("matplotlib", "plot")
    "the extra plot brings it; run in a clone of spanagree: pip install '.[plot]'"
    """
    if not extra:
        return f"run: pip install {name}"
    return f"the extra {extra} brings it; run in a clone of spanagree: pip install '.[{extra}]'"


@contextmanager
def _delay_signals() -> Iterator[None]:
    """Delay signals until a package is loaded.

    A package that tries to import another one would catch the signal's error as a failed import.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    received: list[int] = []
    names = (name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
    signal_numbers: list[int] = [getattr(signal, name) for name in names]
    handlers = {
        signal_number: handler
        for signal_number in signal_numbers
        if callable(handler := signal.getsignal(signal_number))
    }
    try:
        for signal_number in handlers:
            signal.signal(signal_number, lambda sent, _: received.append(sent))
        yield
    finally:
        for signal_number, handler in handlers.items():
            signal.signal(signal_number, handler)
        for signal_number in received[:1]:
            signal.raise_signal(signal_number)


def read_parquet(parquet: Any, name: str, path: str | os.PathLike[str]) -> Any:
    """Read the table in a file with ``pyarrow.parquet``, and check all of its values.

    Raises:
        InputError: if it expands too much; see :func:`spanagree.limits.check_expansion`.
        Exception: any error of the decoder, for a damaged file.
    """
    with open(path, "rb") as file:
        pages = parquet.ParquetFile(file)
        metadata = pages.metadata
        sizes = (metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        cells = metadata.num_rows * metadata.num_columns  # repeated cells take no bytes
        check_expansion(name, os.path.getsize(path), max(sum(sizes), 8 * cells))
        table = pages.read()
    table.validate(full=True)
    return table
