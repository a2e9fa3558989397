"""What :func:`spanagree.alpha_u` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from spanagree.errors import SettingError, counted
from spanagree.rendering.plots import Picture, dots, rows_size
from spanagree.rendering.table import Column, Table, Value
from spanagree.results import FEW, Result
from spanagree.settings import Settings, unit
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.unitizing.score import Disagreement, columns, dot, reasons, values


@dataclass(frozen=True, kw_only=True, eq=False)
class AlphaUSettings(Settings):
    """The settings of α_U.

    Attributes:
        measure: alpha-u, or alpha-u-placed.
        continuum: what becomes of several documents.
        chance: the chance model of alpha-u-placed.
    """

    measure: str
    continuum: str
    chance: str | None = None


class AlphaUFigures(NamedTuple):
    """α_U of a team or of two.

    Attributes:
        all: over all categories.
        labels: for each category.
        documents: how many documents are compared.
    """

    all: Disagreement
    labels: Mapping[str, Disagreement]
    documents: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "documents": self.documents,
            "alpha_u": self.all.to_dict(),
            "labels": {label: figure.to_dict() for label, figure in self.labels.items()},
        }


@dataclass(frozen=True, eq=False)
class AlphaU(Result):
    """The result of :func:`spanagree.alpha_u`.

    Attributes:
        team: all annotators together.
        pairs: each two of them, if asked for.
        annotators: their names.
        settings: what made the numbers.
        notes: what is out of the ordinary.
    """

    team: AlphaUFigures
    pairs: Mapping[tuple[str, str], AlphaUFigures]
    annotators: tuple[str, ...]
    settings: AlphaUSettings
    notes: tuple[str, ...]
    resampling: Resampling | None = field(default=None, repr=False)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label",
        "pair": "a row for each pair of annotators",
    }

    @property
    def all(self) -> Disagreement:
        """α_U of all annotators over all categories."""
        return self.team.all

    @property
    def labels(self) -> Mapping[str, Disagreement]:
        """α_U of all annotators for each category."""
        return self.team.labels

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if 1 < self.team.documents < FEW:
            few = counted(self.team.documents, "document")
            return (f"only {few}; on others the figures may differ a lot",)
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, for JSON; undefined is ``None``."""
        pairs = [{"a": a, "b": b, **figure.to_dict()} for (a, b), figure in self.pairs.items()]
        whole = {**self.head(), "annotators": list(self.annotators), **self.team.to_dict()}
        return {**whole, "pairs": pairs} if self.pairs else whole

    def _table(self, by: str | None) -> Table:
        intervals = self.resampling is not None
        named = list(self._named(by))
        rows: list[list[Value]] = [
            [*names, *values(figure, intervals, False), documents]
            for names, documents, figure in named
        ]
        heads = {
            None: [Column("label", "label", "name", "label of units")],
            "label": [Column("label", "label", "name", "label of units")],
            "pair": [
                Column("annotator_a", "annotator", "name", "annotator of units"),
                Column("annotator_b", "annotator", "name", "annotator of units"),
            ],
        }[by]
        placed = self.settings.measure == "alpha-u-placed"
        title = "α_U, placed" if placed else "α_U"
        noun = unit(self.settings)
        last = Column("documents", f"{noun}s", "count", "documents of units")
        return Table(
            [*heads, *columns("alpha_u", title, intervals, False), last],
            rows,
            self.settings,
            caption=f"{title} of {counted(len(self.annotators), 'annotator')},"
            f" {counted(self.team.documents, noun)}",
            remarks=[
                *reasons(
                    [(" ".join(map(str, names)) or "all", figure) for names, _, figure in named]
                ),
                *self.caveats,
            ],
            breaks=() if by == "pair" or len(rows) < 2 else (len(rows) - 1,),
        )

    def _named(self, by: str | None) -> Iterator[tuple[list[str], int, Disagreement]]:
        """Yield the names, the documents and the figure of each row."""
        if by == "pair":
            if not self.pairs:
                raise SettingError("pairs were not compared; pass pairs=True")
            for (a, b), two in self.pairs.items():
                yield [a, b], two.documents, two.all
            return
        for label, figure in self.labels.items():
            yield [label], self.team.documents, figure
        yield ["all"], self.team.documents, self.all

    def picture(self) -> Picture:
        """Return α_U by label and over all as dots with their intervals."""
        rows = [(name, [dot(figure)]) for name, figure in (*self.labels.items(), ("all", self.all))]

        def draw(ax: Any) -> None:
            dots(ax, rows, ["value"], "α_U", zero=True)

        return Picture(draw, rows_size(len(rows)))
