"""What :func:`spanagree.gamma` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from spanagree.errors import SettingError, counted
from spanagree.rendering.plots import Dot, Picture, dots, rows_size
from spanagree.rendering.table import Column, Table, Value
from spanagree.results import FEW, Result
from spanagree.settings import Settings, unit
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.unitizing.score import Disagreement, columns, dot, reasons, values

_NAMES = ("γ", "γ_cat", "γ_k")


@dataclass(frozen=True, kw_only=True, eq=False)
class GammaSettings(Settings):
    """The settings of γ.

    Attributes:
        measure: gamma.
        alpha, beta, delta_empty, categorical: of the dissimilarity.
        order: of ordinal categories, from the lowest.
        sampler: where random annotations come from.
        chance: the chance model of the sampler chance.
        precision: the standard error of γ at which sampling ends.
    """

    measure: str
    alpha: float
    beta: float
    delta_empty: float
    categorical: str
    sampler: str
    order: str | None = None
    chance: str | None = None
    precision: float = 0.01


class GammaFigures(NamedTuple):
    """γ, γ_cat and γ_k of a team or of two.

    Attributes:
        gamma: on units and categories.
        cat: on the categories of aligned units.
        labels: on those of one category, γ_k.
        documents: how many documents two of them saw.
        units: how many units there are.
        alignments: how many unitary alignments the best alignment has.
        draws: how many random annotations were drawn.
        gap: by how much the observed disorder may be above the least; 0 where that is proven.
    """

    gamma: Disagreement
    cat: Disagreement
    labels: Mapping[str, Disagreement]
    documents: int
    units: int
    alignments: int
    draws: int
    gap: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "documents": self.documents,
            "units": self.units,
            "alignments": self.alignments,
            "draws": self.draws,
            "gap": self.gap,
            "gamma": self.gamma.to_dict(),
            "gamma_cat": self.cat.to_dict(),
            "gamma_k": {label: figure.to_dict() for label, figure in self.labels.items()},
        }


@dataclass(frozen=True, eq=False)
class Gamma(Result):
    """The result of :func:`spanagree.gamma`.

    Attributes:
        team: all annotators together.
        pairs: each two of them, if asked for.
        annotators: their names.
        settings: what made the numbers.
        notes: what is out of the ordinary.
    """

    team: GammaFigures
    pairs: Mapping[tuple[str, str], GammaFigures]
    annotators: tuple[str, ...]
    settings: GammaSettings
    notes: tuple[str, ...]
    resampling: Resampling | None = field(default=None, repr=False)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label: γ_k",
        "pair": "a row for each pair of annotators",
    }

    @property
    def gamma(self) -> Disagreement:
        """γ of all annotators."""
        return self.team.gamma

    @property
    def gamma_cat(self) -> Disagreement:
        """γ_cat of all annotators."""
        return self.team.cat

    @property
    def gamma_k(self) -> Mapping[str, Disagreement]:
        """γ_k of all annotators, for each label."""
        return self.team.labels

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if 1 < self.team.documents < FEW and self.resampling is not None:
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
        rows: list[list[Value]] = []
        named = list(self._named(by))
        for names, documents, figure in named:
            rows.append([*names, *values(figure, intervals, True), documents])
        heads = {
            None: [Column("coefficient", "coefficient", "name", "coefficient of units")],
            "label": [Column("label", "label", "name", "label of units")],
            "pair": [
                Column("annotator_a", "annotator", "name", "annotator of units"),
                Column("annotator_b", "annotator", "name", "annotator of units"),
                Column("coefficient", "coefficient", "name", "coefficient of units"),
            ],
        }[by]
        title = "γ_k" if by == "label" else "value"
        noun = unit(self.settings)
        last = Column("documents", f"{noun}s", "count", "documents of units")
        return Table(
            [*heads, *columns("gamma", title, intervals, True), last],
            rows,
            self.settings,
            caption=f"γ of {counted(len(self.annotators), 'annotator')},"
            f" {counted(self.team.documents, noun)}",
            remarks=[
                *reasons([(" ".join(map(str, names)), figure) for names, _, figure in named]),
                *self.caveats,
            ],
            meanings={name: name for name in {None: _NAMES, "pair": _NAMES[:2]}.get(by, ())},
        )

    def _named(self, by: str | None) -> Iterator[tuple[list[str], int, Disagreement]]:
        """Yield the names, the documents and the figure of each row."""
        if by is None:
            yield ["γ"], self.team.documents, self.gamma
            yield ["γ_cat"], self.team.documents, self.gamma_cat
            for label, figure in self.gamma_k.items():
                yield [f"γ_k {label}"], self.team.documents, figure
        elif by == "label":
            for label, figure in self.gamma_k.items():
                yield [label], self.team.documents, figure
        else:
            if not self.pairs:
                raise SettingError("pairs were not compared; pass pairs=True")
            for (a, b), two in self.pairs.items():
                yield [a, b, "γ"], two.documents, two.gamma
                yield [a, b, "γ_cat"], two.documents, two.cat

    def picture(self) -> Picture:
        """Return γ, γ_cat and γ_k as dots with their intervals."""
        named = [("γ", self.gamma), ("γ_cat", self.gamma_cat), *self.gamma_k.items()]
        rows: list[tuple[str, list[Dot]]] = [(name, [dot(figure)]) for name, figure in named]

        def draw(ax: Any) -> None:
            dots(ax, rows, ["value"], "γ", zero=True)

        return Picture(draw, rows_size(len(rows)))
