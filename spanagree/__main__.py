"""``python -m spanagree``, and the command ``spanagree``."""

from __future__ import annotations

import atexit
import gc
import os
import sys

from spanagree.version import __version__

_STOPPED = 128  # and the number of a signal
_OBJECTS = 100_000  # new ones between two searches for what can be freed; modules make half as many


def main() -> int:
    """Run the command line; the version is said without loading it."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        print(f"spanagree {__version__}")  # noqa: T201 — the answer
        return 0
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small products; threads wait longer
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)  # the process is over: there is no need to search what is left
    code = _run()
    if code > _STOPPED:  # threads of a pool would wait for workers that are gone
        os._exit(code)
    return code


def _run() -> int:
    try:
        from spanagree.cli.signals import while_loading

        while_loading()
        from spanagree.cli.main import main as command

        return command()
    except KeyboardInterrupt:
        return _STOPPED + 2


if __name__ == "__main__":
    sys.exit(main())
