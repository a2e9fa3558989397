"""What :func:`spanagree.gamma` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Picture
from spanagree.settings import Settings
from spanagree.units.score import Disagreement
from spanagree.units.team_result import PAIR, Named, TeamResult, picture_of

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
        precision: the standard error of γ and of γ_cat at which sampling ends.
        stopped: time, if that ended the search for best alignments, or sampling.
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
        is_cut: whether the time limit ended the search.
    """

    gamma: Disagreement
    cat: Disagreement
    labels: Mapping[str, Disagreement]
    documents: int
    units: int
    alignments: int
    draws: int
    gap: float
    is_cut: bool


@dataclass(frozen=True, eq=False, repr=False)
class Gamma(TeamResult[GammaFigures]):
    """The result of :func:`spanagree.gamma`, with the attributes of a :class:`TeamResult`.

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
        return self.labels

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each; of few documents only beside intervals."""
        return () if self.jackknife is None else super().caveats

    @property
    def verdict(self) -> str:
        """How high γ is, and γ_k of which labels."""
        return f"{self._verdict_on('γ', self.gamma)} {self._extremes('γ_k')}".rstrip()

    def _table(self, by: str | None) -> Frame:
        coefficient = Column("coefficient", "coefficient", "name", "coefficient of units")
        heads = {
            None: [coefficient],
            "label": [Column("label", "label", "name", "label of units")],
            "pair": [*PAIR, coefficient],
        }[by]
        title = "γ_k" if by == "label" else "value"
        meanings = {name: name for name in {None: _NAMES, "pair": _NAMES[:2]}.get(by, ())}
        named = list(self._named(by))
        return self._table_of(named, heads, "gamma", title, "γ", sampled=True, meanings=meanings)

    def _named(self, by: str | None) -> Iterator[Named]:
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
            for names, two in self._compared_pairs():
                yield [*names, "γ"], two.documents, two.gamma
                yield [*names, "γ_cat"], two.documents, two.cat

    def _picture(self, by: str | None) -> Picture:
        """Return γ, γ_cat and γ_k, or γ and γ_cat of pairs, as dots with their intervals."""
        if by == "pair":
            return picture_of([(" – ".join(row), x) for row, _, x in self._named(by)], "γ")
        named = [("γ", self.gamma), ("γ_cat", self.gamma_cat), *self.gamma_k.items()]
        return picture_of(named, "γ")
