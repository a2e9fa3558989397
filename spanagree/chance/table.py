"""Start distributions as a table and a picture: the chance model by itself."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from spanagree.arrays import Floats
from spanagree.rendering.plots import Picture, curves
from spanagree.rendering.table import Column, Table, Value
from spanagree.settings import __version__, signature


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
    notes = ()

    @property
    def settings(self) -> dict[str, str]:
        """The model and the version."""
        return {"chance": self.chance, "version": __version__}

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return signature(self.settings)

    @property
    def _pairs(self) -> list[tuple[int, list[float]]]:
        starts = (probabilities.tolist() for probabilities in self.start)
        return list(zip(self.segments, starts, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON: the distribution of each segment."""
        return {
            "signature": self.signature,
            "length": self.length,
            "chance": self.chance,
            "segments": [{"length": size, "start": starts} for size, starts in self._pairs],
        }

    def table(self, by: str | None = None) -> Table:
        """Return for people a row for each place, for programs one for each length and place."""
        distributions = dict(self._pairs)
        places = range(max(map(len, distributions.values()), default=0))
        for_data: list[list[Value]] = [
            [size, place, probability, "", *[None] * len(distributions)]
            for size, starts in distributions.items()
            for place, probability in enumerate(starts)
        ]
        nothing = [None] * 3
        for_people: list[list[Value]] = [
            [
                *nothing,
                str(place),
                *(p[place] if place < len(p) else None for p in distributions.values()),
            ]
            for place in places
        ]
        return Table(
            [
                Column("length", "", "count"),
                Column("start", "", "count"),
                Column("probability"),
                Column("", "start", "name"),
                *(Column("", f"length {size}", meaning="length") for size in distributions),
            ],
            for_data + for_people,
            self.settings,
            caption=f"P(start) of random segments in {self.length} tokens",
            for_data=range(len(for_data)),
            for_people=range(len(for_data), len(for_data) + len(for_people)),
        )

    def picture(self) -> Picture:
        """Return a curve for each distinct length."""
        distributions = dict(zip(self.segments, self.start, strict=True))
        rows = {f"length {size}": distributions[size] for size in sorted(distributions)}
        what = f"start, in a document of {self.length} tokens"
        return Picture(functools.partial(curves, rows=rows, what=what), (5.2, 3.0))
