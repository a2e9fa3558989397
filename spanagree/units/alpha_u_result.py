"""What :func:`spanagree.alpha_u` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Picture
from spanagree.settings import Settings
from spanagree.units.score import Disagreement
from spanagree.units.team_result import PAIR, Named, TeamResult, picture_of


@dataclass(frozen=True, kw_only=True, eq=False)
class AlphaUSettings(Settings):
    """The settings of α_U.

    Attributes:
        measure: alpha-u.
        continuum: what becomes of several documents.
    """

    measure: str = "alpha-u"
    continuum: str


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


@dataclass(frozen=True, eq=False, repr=False)
class AlphaU(TeamResult[AlphaUFigures]):
    """The result of :func:`spanagree.alpha_u`, with the attributes of a :class:`TeamResult`.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> found = sa.alpha_u(sa.Corpus.from_segments([9], layers))
    >>> round(found.all.value, 3), round(found.labels["LOC"].value, 3)
    (0.896, 0.723)
    """

    settings: AlphaUSettings

    @property
    def all(self) -> Disagreement:
        """α_U of all annotators over all categories."""
        return self.team.all

    @property
    def verdict(self) -> str:
        """How high α_U is, and for which labels."""
        return f"{self._verdict_on('α_U', self.all)} {self._extremes()}".rstrip()

    def _table(self, by: str | None) -> Frame:
        named = list(self._named(by))
        heads = PAIR if by == "pair" else [Column("label", "label", "name", "label of units")]
        breaks = () if by == "pair" or len(named) < 2 else (len(named) - 1,)
        return self._table_of(named, heads, "alpha_u", "α_U", "α_U", sampled=False, breaks=breaks)

    def _named(self, by: str | None) -> Iterator[Named]:
        """Yield the names, the documents and the figure of each row."""
        if by == "pair":
            for names, two in self._compared_pairs():
                yield names, two.documents, two.all
            return
        for label, figure in self.labels.items():
            yield [label], self.team.documents, figure
        yield ["all"], self.team.documents, self.all

    def _picture(self, by: str | None) -> Picture:
        """Return α_U by label and over all, or of pairs, as dots with their intervals."""
        if by == "pair":
            return picture_of([(" – ".join(pair), x) for pair, _, x in self._named(by)], "α_U")
        return picture_of([*self.labels.items(), ("all", self.all)], "α_U")
