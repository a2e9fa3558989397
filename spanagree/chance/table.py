"""Start distributions as a table and a picture: the chance model by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from spanagree.arrays import Floats
from spanagree.errors import counted
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Picture, curves
from spanagree.results.result import Result
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class StartSettings(Settings):
    """The chance model, the length of the document and those of its segments, in tokens."""

    chance: str
    length: int
    segments: Sequence[int]


@dataclass(frozen=True, eq=False, repr=False)
class StartDistributions(Result):
    """Where the segments of a random annotation of one document start.

    Attributes:
        settings: the model, and the document.
        start: for each segment the probability of each start.
    """

    settings: StartSettings
    start: tuple[Floats, ...]
    notes: tuple[str, ...] = ()

    TABLES: ClassVar[Mapping[str, str | None]] = {"starts": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("bound",)

    @property
    def bound(self) -> float:
        """The probability that no start of any segment goes beyond: that of the first place."""
        return max(float(start.max()) for start in self.start)

    @property
    def _by_length(self) -> dict[int, Floats]:
        return dict(zip(self.settings.segments, self.start, strict=True))

    def _table(self, by: str | None) -> Frame:
        """Return for people a row for each place, for programs one for each length and place."""
        distributions = {size: start.tolist() for size, start in self._by_length.items()}
        rows = [
            (size, place, probability)
            for size, starts in distributions.items()
            for place, probability in enumerate(starts)
        ]
        keys = [Column("length", kind="count"), Column("start", kind="count")]
        titles = (Column("", f"length {size}", meaning="length") for size in distributions)
        together = enumerate(zip_longest(*distributions.values()))
        return Frame(
            [Column("", "start", "name"), *titles],
            [(str(place), *probabilities) for place, probabilities in together],
            self.settings,
            caption=f"P(start) of random segments in {counted(self.settings.length, 'token')}",
            remarks=[f"no start is likelier than {self.bound:.4f}"],
            in_data=Frame([*keys, Column("probability")], rows, self.settings),
        )

    def _picture(self, by: str | None) -> Picture:
        """Return a curve for each distinct length."""
        rows = {f"length {size}": start for size, start in sorted(self._by_length.items())}
        what = f"start, in a document of {counted(self.settings.length, 'token')}"
        return Picture(lambda ax: curves(ax, rows, what), (5.2, 2.8 + 0.06 * len(rows)))
