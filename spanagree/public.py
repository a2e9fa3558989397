"""The public names of a package, looked up when they are first used, so that starting is quick."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


RENAMED = {
    "AgainstReferences": "ReferenceEvaluation",
    "Change": "AlteredSegment",
    "Macro": "MacroAverage",
    "SideBySide": "MeasureComparison",
    "side_by_side": "compare_measures",
}
"""Names before 1.0, under which what they named is still found."""


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
        name = RENAMED.get(name, name)
        if name not in homes:
            from spanagree.left import answer

            if left := answer(f"sa.{name}"):
                raise AttributeError(left)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return shown_names(vars(sys.modules[package]), homes)

    return sorted(homes), look_up, names


def shown_names(module: Iterable[str], public: Iterable[str]) -> list[str]:
    """Return the names that ``dir`` shows: public ones, and those that Python gives each module.

    Args:
        module: all names in the module.
        public: the public names.

    >>> shown_names(["__doc__", "homes_of"], ["evaluate"])
    ['__doc__', 'evaluate']
    """
    of_python = {name for name in module if name.startswith("__") and name.endswith("__")}
    return sorted(of_python.union(public))


def homes_of(path: str) -> dict[str, str]:
    """Return the module of each name that a package imports for type checkers only."""
    with open(path, encoding="utf-8") as source:
        lines = [line.split() for line in source if line.startswith("    from spanagree.")]
    return {name: module for _, module, _, name, *_ in lines}
