"""Table and plot of the start distributions of one document under the chance model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from spanagree.arrays import Floats
from spanagree.errors import pluralize
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import STEPS, Plot, plot_lines
from spanagree.results.result import Result
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class StartSettings(Settings):
    """Settings of start distributions.

    Attributes:
        chance: name of the chance model.
        length: number of tokens of the document.
        segments: length of each segment in tokens.
    """

    chance: str
    length: int
    segments: Sequence[int]


@dataclass(frozen=True, eq=False, repr=False)
class StartDistributions(Result):
    """Start distributions of the segments of one document.

    Attributes:
        settings: chance model, and lengths of document and segments.
        start: probability of each start, for each segment.
        notes: notes on the result, one sentence each.
    """

    settings: StartSettings
    start: tuple[Floats, ...]
    notes: tuple[str, ...] = ()

    TABLES: ClassVar[Mapping[str, str | None]] = {"starts": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("bound",)

    @property
    def bound(self) -> float:
        """Largest probability of a start, over all segments; it is that of position 0."""
        return max(float(start.max()) for start in self.start)

    @property
    def _by_length(self) -> dict[int, Floats]:
        """Start distribution of each distinct length of a segment."""
        return dict(zip(self.settings.segments, self.start, strict=True))

    def _build_table(self, by: str | None) -> Frame:
        """Build a table with a row for each position; in data, for each length and position."""
        distributions = {
            segment_length: start.tolist() for segment_length, start in self._by_length.items()
        }
        rows = [
            (segment_length, position, probability)
            for segment_length, probabilities_of_length in distributions.items()
            for position, probability in enumerate(probabilities_of_length)
        ]
        keys = [Column("length", kind="count"), Column("start", kind="count")]
        titles = (
            Column("", f"length {segment_length}", meaning="length")
            for segment_length in distributions
        )
        probabilities_by_position = enumerate(zip_longest(*distributions.values()))
        return Frame(
            [Column("", "start", "name"), *titles],
            [
                (str(position), *probabilities)
                for position, probabilities in probabilities_by_position
            ],
            self.settings,
            caption=f"P(start) of random segments in {pluralize(self.settings.length, 'token')}",
            remarks=[f"no start is likelier than {self.bound:.4f}"],
            in_data=Frame([*keys, Column("probability")], rows, self.settings),
        )

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the probabilities of each distinct length."""
        rows = {
            f"length {segment_length}": (range(len(start)), start)
            for segment_length, start in sorted(self._by_length.items())
        }
        axis_title = f"start, in a document of {pluralize(self.settings.length, 'token')}"
        return plot_lines(rows, (axis_title, "probability"), STEPS)
