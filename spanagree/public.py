"""The public names of a package, looked up when they are first used, so that starting is quick."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from collections.abc import Callable


def names_of(
    package: str, path: str
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    Its names are those that it imports for type checkers only, a line each, so that each is written
    once.

    Args:
        package: its name.
        path: the path of its source.

    >>> sorted(names_of("spanagree.results", import_module("spanagree.results").__file__)[0])
    ['Interval', 'Score']
    """
    homes = homes_of(path)

    def look_up(name: str) -> object:
        if name not in homes:
            from spanagree.left import answer

            if left := answer(f"sa.{name}"):
                raise AttributeError(left)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return sorted(homes), look_up, names


def homes_of(path: str) -> dict[str, str]:
    """Return the module of each name that a package imports for type checkers only."""
    with open(path, encoding="utf-8") as source:
        lines = [line.split() for line in source if line.startswith("    from spanagree.")]
    return {name: module for _, module, _, name, *_ in lines}
