"""``python -m spanagree``, and the command ``spanagree``."""

from __future__ import annotations

import sys

from spanagree.settings import __version__


def main() -> int:
    """Run the command line; the version is said without loading it."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        print(f"spanagree {__version__}")  # noqa: T201 — the answer
        return 0
    from spanagree.cli.main import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
