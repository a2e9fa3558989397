"""Public names of packages, imported on first use, so that starting is quick."""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


RENAMED = {
    "AgainstReferences": "ReferenceEvaluation",
    "Change": "AlteredSegment",
    "Disagreement": "CoefficientScore",
    "Macro": "MacroAverage",
    "SideBySide": "MeasureComparison",
    "side_by_side": "compare_measures",
}
"""Current names by names from before 1.0, which still work."""


def build_exports(
    package: str, path: str
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Build ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    Its public names are its imports for type checkers, one on each line, so that they are written
    only once.

    Args:
        package: full name of the package.
        path: path of its source.

    >>> sorted(build_exports("spanagree.results", import_module("spanagree.results").__file__)[0])
    ['Interval', 'Score']
    """
    homes = find_home_modules(path)

    def look_up(name: str) -> object:
        """Import a public name when it is first used."""
        name = RENAMED.get(name, name)
        if name not in homes:
            from spanagree.removed import write_removal_message

            if removal := write_removal_message(f"sa.{name}"):
                raise AttributeError(removal)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        """List the names that ``dir`` shows."""
        return list_shown_names(vars(sys.modules[package]), homes)

    return sorted(homes), look_up, list_names


def list_shown_names(module: Iterable[str], public: Iterable[str]) -> list[str]:
    """Sort the names that ``dir`` shows: public names, and Python's own such as ``__doc__``.

    Args:
        module: all names in the module.
        public: the public names.

    >>> list_shown_names(["__doc__", "homes_of"], ["evaluate"])
    ['__doc__', 'evaluate']
    """
    dunder_names = {name for name in module if name.startswith("__") and name.endswith("__")}
    return sorted(dunder_names.union(public))


def find_home_modules(path: str) -> dict[str, str]:
    """Find the module of each name that a package imports for type checkers only."""
    with open(path, encoding="utf-8") as source:
        lines = [line.split() for line in source if line.startswith("    from spanagree.")]
    return {name: module for _, module, _, name, *_ in lines}
