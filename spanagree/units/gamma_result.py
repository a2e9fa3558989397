"""The result of :func:`spanagree.gamma`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot
from spanagree.settings import Settings
from spanagree.units.score import CoefficientScore
from spanagree.units.team_result import PAIR, NamedRow, TeamResult, plot_coefficients

_NAMES = ("γ", "γ_cat", "γ_k")


@dataclass(frozen=True, kw_only=True, eq=False)
class GammaSettings(Settings):
    """Settings of γ.

    Attributes:
        measure: "gamma".
        alpha: weight of positions.
        beta: weight of categories.
        delta_empty: cost of a unit without a partner.
        categorical: dissimilarity of categories, nominal or ordinal.
        order: labels of ordinal categories, from the lowest.
        sampler: source of random annotations.
        chance: chance model of the sampler chance; ``None`` for other samplers.
        precision: standard error of γ and of γ_cat at which sampling ends.
        stopped: "time" if the time limit ended the alignment or the sampling; else ``None``.
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
    stopped: str | None = None


class GammaFigures(NamedTuple):
    """γ, γ_cat and γ_k of a team or of two annotators.

    Attributes:
        gamma: γ, on units and categories.
        cat: γ_cat, on the categories of aligned units.
        labels: γ_k of each label.
        documents: number of documents seen by two annotators or more.
        units: number of units.
        alignments: number of unitary alignments of the best alignment.
        draws: number of random annotations.
        gap: largest possible excess of the observed disorder; 0 if the alignment is proven best.
        is_cut: True if the time limit ended the computation.
    """

    gamma: CoefficientScore
    cat: CoefficientScore
    labels: Mapping[str, CoefficientScore]
    documents: int
    units: int
    alignments: int
    draws: int
    gap: float
    is_cut: bool


@dataclass(frozen=True, eq=False, repr=False)
class Gamma(TeamResult[GammaFigures]):
    """Result of :func:`spanagree.gamma`, with the attributes of a :class:`TeamResult`.

    >>> import spanagree as sa
    >>> ann, bob = [(0, 2, "PER"), (4, 5, "LOC")], [(0, 2, "PER"), (4, 6, "ORG")]
    >>> found = sa.gamma(sa.Corpus.from_segments([9], {"ann": [ann], "bob": [bob]}))
    >>> round(found.gamma.value, 1), round(found.gamma_cat.value, 1)
    (0.6, 0.3)
    """

    settings: GammaSettings

    BY: ClassVar[Mapping[str, str]] = {**TeamResult.BY, "label": "a row for each label: γ_k"}
    SUMMARY: ClassVar[tuple[str, ...]] = (
        *TeamResult.SUMMARY,
        "units=team.units",
        "alignments=team.alignments",
        "draws=team.draws",
        "gap=team.gap",
    )

    @property
    def gamma(self) -> CoefficientScore:
        """γ of all annotators."""
        return self.team.gamma

    @property
    def gamma_cat(self) -> CoefficientScore:
        """γ_cat of all annotators."""
        return self.team.cat

    @property
    def gamma_k(self) -> Mapping[str, CoefficientScore]:
        """γ_k of all annotators, for each label."""
        return self.labels

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each; on few documents with intervals."""
        return () if self.jackknife is None else super().caveats

    @property
    def verdict(self) -> str:
        """Sentence on γ, and on the labels with the lowest and the highest γ_k."""
        return f"{self._write_verdict('γ', self.gamma)} {self._write_extremes('γ_k')}".rstrip()

    def _build_table(self, by: str | None) -> Frame:
        coefficient = Column("coefficient", "coefficient", "name", "coefficient of units")
        heads = {
            None: [coefficient],
            "label": [Column("label", "label", "name", "label of units")],
            "pair": [*PAIR, coefficient],
        }[by]
        title = "γ_k" if by == "label" else "value"
        meanings = {name: name for name in {None: _NAMES, "pair": _NAMES[:2]}.get(by, ())}
        rows = list(self._yield_named_rows(by))
        return self._build_coefficient_table(
            rows, heads, "gamma", title, "γ", sampled=True, meanings=meanings
        )

    def _yield_named_rows(self, by: str | None) -> Iterator[NamedRow]:
        """Yield the names, the number of documents and the coefficient of each row."""
        if by is None:
            yield ["γ"], self.team.documents, self.gamma
            yield ["γ_cat"], self.team.documents, self.gamma_cat
            for label, figure in self.gamma_k.items():
                yield [f"γ_k {label}"], self.team.documents, figure
        elif by == "label":
            for label, figure in self.gamma_k.items():
                yield [label], self.team.documents, figure
        else:
            for names, pair_figures in self._yield_compared_pairs():
                yield [*names, "γ"], pair_figures.documents, pair_figures.gamma
                yield [*names, "γ_cat"], pair_figures.documents, pair_figures.cat

    def _build_plot(self, by: str | None) -> Plot:
        """Plot γ, γ_cat and γ_k, or γ and γ_cat of pairs, as dots with their intervals."""
        if by == "pair":
            return plot_coefficients(
                [
                    (" – ".join(row), coefficient)
                    for row, _, coefficient in self._yield_named_rows(by)
                ],
                "γ",
            )
        figures_by_name = [("γ", self.gamma), ("γ_cat", self.gamma_cat), *self.gamma_k.items()]
        return plot_coefficients(figures_by_name, "γ")
