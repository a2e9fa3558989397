"""Entry point of ``python -m spanagree`` and of the command ``spanagree``."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from spanagree.version import __version__

_STOPPED = 128  # plus the number of the signal, as shells do
_OBJECTS = 100_000  # objects between two garbage collections; loading creates half as many


def main() -> int:
    """Run the command line; ``--version`` is answered without loading it."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        print(f"spanagree {__version__}")  # noqa: T201 — the answer
        return 0
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads slow small products down
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)  # the last collection is of no use to a process that ends
    code = _run_command_line()
    if code > _STOPPED:  # threads of a pool would wait for dead workers
        os._exit(code)
    return code


def _run_command_line() -> int:
    """Run the command line and return its exit code; Ctrl-C has a code of its own."""
    try:
        from spanagree.cli.signals import exit_on_signals

        exit_on_signals()
        from spanagree.cli.main import main as command

        return command()
    except KeyboardInterrupt:
        return _STOPPED + 2


if __name__ == "__main__":
    sys.exit(main())
