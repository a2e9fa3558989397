"""Start distributions as a table and a picture: the chance model by itself."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

from spanagree.arrays import Floats
from spanagree.errors import counted
from spanagree.results.plots import Picture, curves
from spanagree.results.table import Column, Table
from spanagree.settings import signature
from spanagree.version import __version__


@dataclass(frozen=True)
class StartDistributions:
    """Where the segments of a random annotation of one document start.

    Attributes:
        length: how many tokens the document has.
        segments: the lengths of the segments.
        chance: the chance model.
        start: for each segment the probability of each start.
    """

    length: int
    segments: tuple[int, ...]
    chance: str
    start: tuple[Floats, ...]
    notes: ClassVar[tuple[str, ...]] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """The model, the document and the version."""
        document = {"length": self.length, "segments": list(self.segments)}
        return {"chance": self.chance, **document, "version": __version__}

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return signature(self.settings)

    @property
    def _pairs(self) -> list[tuple[int, list[float]]]:
        starts = (probabilities.tolist() for probabilities in self.start)
        return list(zip(self.segments, starts, strict=True))

    def to_dict(self, by: str | None = None) -> dict[str, Any]:
        """Return plain data, for JSON: a row for each length and place."""
        return {
            "kind": type(self).__name__,
            "signature": self.signature,
            "settings": self.settings,
            "notes": [],
            "caveats": [],
            "summary": {},
            "tables": {"starts": self.table().records},
        }

    def table(self, by: str | None = None) -> Table:
        """Return for people a row for each place, for programs one for each length and place."""
        distributions = dict(self._pairs)
        rows = [
            (size, place, probability)
            for size, starts in distributions.items()
            for place, probability in enumerate(starts)
        ]
        keys = [Column("length", kind="count"), Column("start", kind="count")]
        titles = (Column("", f"length {size}", meaning="length") for size in distributions)
        together = enumerate(zip_longest(*distributions.values()))
        return Table(
            [Column("", "start", "name"), *titles],
            [(str(place), *probabilities) for place, probabilities in together],
            self.settings,
            caption=f"P(start) of random segments in {counted(self.length, 'token')}",
            in_data=Table([*keys, Column("probability")], rows, self.settings),
        )

    def picture(self, by: str | None = None) -> Picture:
        """Return a curve for each distinct length."""
        distributions = dict(zip(self.segments, self.start, strict=True))
        rows = {f"length {size}": distributions[size] for size in sorted(distributions)}
        what = f"start, in a document of {counted(self.length, 'token')}"
        return Picture(lambda ax: curves(ax, rows, what), (5.2, 2.8 + 0.06 * len(rows)))
