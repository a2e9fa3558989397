"""Where an answer is shaky: few documents, luck that gives nearly everything, a wide interval."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from spanagree.errors import counted
from spanagree.matching.score import Score

FEW = 30  # documents or items; a figure over fewer may be quite another one on more


HIGH = 0.5  # of an expected figure; what is corrected is divided by what is left


WIDE = 0.2  # from the low to the high end of an interval of a corrected figure


def caveats(name: str, score: Score, units: int, noun: str) -> list[str]:
    """What to keep in mind with one score, in sentences; empty if there is nothing.

    >>> caveats("mine", Score(0.9, 0.8, 0.5), units=100, noun="document")
    ['mine: luck alone gives 0.8000; the corrected figure rests on the little that is left']
    """
    said = []
    if 0 < units < FEW:
        said.append(f"{name}: only {counted(units, noun)}; on others the figures may differ a lot")
    if score.expected > HIGH:  # nan is not
        said.append(
            f"{name}: luck alone gives {score.expected:.4f}; the corrected figure rests on the"
            " little that is left"
        )
    if score.interval is not None:
        low, high = score.interval.corrected
        if high - low > WIDE:
            said.append(
                f"{name}: the corrected figure is only known to lie in {low:.2f} to {high:.2f}"
            )
        if score.interval.reason:
            said.append(f"{name}: interval: {score.interval.reason}")
    return said


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
        return import_module("spanagree.rendering.plots").plot(self, ax)

    def _repr_html_(self) -> str:
        """The table of the result, for notebooks."""
        return str(import_module("spanagree.results_notebook").as_html(self))
