"""What results look like in a notebook and as pictures.

Results know nothing of reports. The renderers are looked up by name when a notebook or a user asks.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Shown:
    """A result that can be shown."""

    def plot(self, ax: Any = None) -> Any:
        """A picture of the result; see ``docs/plots.md`` for what it shows.

        Args:
            ax: the ``matplotlib`` Axes to draw into; a new figure of ``pyplot`` unless given.

        Returns:
            The Axes.

        Raises:
            SettingError: if matplotlib is not installed.
        """
        return import_module("spanagree.report.plots").plot(self, ax)

    def _repr_html_(self) -> str:
        """The table of the result, for notebooks."""
        return str(import_module("spanagree.report.notebook").as_html(self))
