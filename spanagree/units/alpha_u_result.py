"""The result of :func:`spanagree.alpha_u`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot
from spanagree.settings import Settings
from spanagree.units.score import CoefficientScore
from spanagree.units.team_result import PAIR, NamedRow, TeamResult, plot_coefficients


@dataclass(frozen=True, kw_only=True, eq=False)
class AlphaUSettings(Settings):
    """Settings of α_U.

    Attributes:
        measure: "alpha-u".
        continuum: treatment of several documents, summed or joined.
    """

    measure: str = "alpha-u"
    continuum: str


class AlphaUFigures(NamedTuple):
    """α_U of a team or of two annotators.

    Attributes:
        all: coefficient over all categories.
        labels: coefficient of each category.
        documents: number of compared documents.
    """

    all: CoefficientScore
    labels: Mapping[str, CoefficientScore]
    documents: int


@dataclass(frozen=True, eq=False, repr=False)
class AlphaU(TeamResult[AlphaUFigures]):
    """Result of :func:`spanagree.alpha_u`, with the attributes of a :class:`TeamResult`.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> found = sa.alpha_u(sa.Corpus.from_segments([9], layers))
    >>> round(found.all.value, 3), round(found.labels["LOC"].value, 3)
    (0.896, 0.723)
    """

    settings: AlphaUSettings

    @property
    def all(self) -> CoefficientScore:
        """α_U of all annotators over all categories."""
        return self.team.all

    @property
    def verdict(self) -> str:
        """Sentence on α_U, and on the labels with the lowest and the highest value."""
        return f"{self._write_verdict('α_U', self.all)} {self._write_extremes()}".rstrip()

    def _build_table(self, by: str | None) -> Frame:
        rows = list(self._yield_named_rows(by))
        heads = PAIR if by == "pair" else [Column("label", "label", "name", "label of units")]
        breaks = () if by == "pair" or len(rows) < 2 else (len(rows) - 1,)
        return self._build_coefficient_table(
            rows, heads, "alpha_u", "α_U", "α_U", sampled=False, breaks=breaks
        )

    def _yield_named_rows(self, by: str | None) -> Iterator[NamedRow]:
        """Yield the names, the number of documents and the coefficient of each row."""
        if by == "pair":
            for names, pair_figures in self._yield_compared_pairs():
                yield names, pair_figures.documents, pair_figures.all
            return
        for label, figure in self.labels.items():
            yield [label], self.team.documents, figure
        yield ["all"], self.team.documents, self.all

    def _build_plot(self, by: str | None) -> Plot:
        """Plot α_U by label and overall, or of pairs, as dots with their intervals."""
        if by == "pair":
            return plot_coefficients(
                [
                    (" – ".join(pair), coefficient)
                    for pair, _, coefficient in self._yield_named_rows(by)
                ],
                "α_U",
            )
        return plot_coefficients([*self.labels.items(), ("all", self.all)], "α_U")
