"""What the results of α_U and of γ share: figures of a team and of its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from spanagree.corpus.placed import remarks_on_unplaced
from spanagree.errors import SettingError, counted, counted_of
from spanagree.results import verdict
from spanagree.results.caveats import FEW
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Picture, dots_of
from spanagree.results.result import Result
from spanagree.results.score import ends_of
from spanagree.settings import Settings, confidence_of, unit
from spanagree.uncertainty.confidence import Jackknife
from spanagree.units.score import Disagreement, columns, dot, reasons, values


class Figures(Protocol):
    """The figures of a team or of two."""

    @property
    def labels(self) -> Mapping[str, Disagreement]:
        """The figure of each category."""

    @property
    def documents(self) -> int:
        """How many documents are compared."""


Some = TypeVar("Some", bound=Figures)

Named: TypeAlias = tuple[list[str], int, Disagreement]
"""A row: its names, its documents, its figure."""

PAIR = [
    Column("annotator_a", "annotator", "name", "annotator of units"),
    Column("annotator_b", "annotator", "name", "annotator of units"),
]


@dataclass(frozen=True, eq=False, repr=False)
class TeamResult(Result, Generic[Some]):
    """Figures of a team of annotators, and of each two of them if asked for.

    Attributes:
        team: all annotators together.
        pairs: each two of them, if asked for.
        annotators: their names.
        of_documents: how many documents the corpus has.
        settings: what made the numbers.
        notes: what is out of the ordinary.
        jackknife: the request for intervals, if there was one.
    """

    team: Some
    pairs: Mapping[tuple[str, str], Some]
    annotators: tuple[str, ...]
    of_documents: int
    settings: Settings
    notes: tuple[str, ...]
    jackknife: Jackknife | None = field(default=None, repr=False)

    @property
    def labels(self) -> Mapping[str, Disagreement]:
        """The figure of all annotators for each category: α_U, or γ_k."""
        return self.team.labels

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if 1 < self.team.documents < FEW:
            few = counted(self.team.documents, unit(self.settings))
            return (f"only {few}; on others the figures may differ a lot",)
        return ()

    def _verdict_on(self, name: str, figure: Disagreement) -> str:
        """Say how high a figure is, or between which bounds it lies."""
        if figure.bounds is not None:
            low, high = map(verdict.short, figure.bounds)
            return f"{name} lies between {low} and {high}; the search for it ended early."
        interval = None if figure.interval is None else figure.interval.corrected
        confidence = confidence_of(self.settings)
        return verdict.coefficient(name, figure.value, interval, confidence, figure.reason)

    def _extremes(self, subject: str = "it") -> str:
        """Say for which labels the figure is highest and lowest, with intervals if there are."""
        values = {label: figure.value for label, figure in self.labels.items()}
        intervals = {label: ends_of(x.interval, "corrected") for label, x in self.labels.items()}
        confidence = confidence_of(self.settings)
        return verdict.extremes(values, "label", subject, intervals, confidence)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label",
        "pair": "a row for each pair of annotators",
    }
    TABLES: ClassVar[Mapping[str, str | None]] = {"figures": None}
    DRAWN: ClassVar[tuple[str, ...]] = ("label", "pair")

    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "of_documents", "documents=team.documents")

    def _compared_pairs(self) -> Iterator[tuple[list[str], Some]]:
        """Yield the names and the figures of each pair.

        Raises:
            SettingError: if pairs were not compared.
        """
        if not self.pairs:
            raise SettingError("pairs were not compared; pass pairs=True")
        for names, two in self.pairs.items():
            yield list(names), two

    def _table_of(
        self,
        named: Sequence[Named],
        heads: Sequence[Column],
        key: str,
        title: str,
        measure: str,
        *,
        sampled: bool,
        **more: Any,
    ) -> Frame:
        """Return a table of figures.

        Args:
            named: the rows.
            heads: the columns of their names.
            key: of a figure, for data.
            title: of a figure, for people.
            measure: what the caption calls it.
            sampled: whether figures have an error from sampling.
            more: what else the table has.
        """
        intervals = self.jackknife is not None
        noun = unit(self.settings)
        last = Column("documents", f"{noun}s", "count", "documents of units")
        return Frame(
            [*heads, *columns(key, title, intervals, sampled), last],
            [
                [*names, *values(figure, intervals, sampled), documents]
                for names, documents, figure in named
            ],
            self.settings,
            caption=f"{measure} of {counted(len(self.annotators), 'annotator')},"
            f" {counted_of(self.team.documents, self.of_documents, noun)}",
            remarks=[
                *reasons([(" ".join(names), figure) for names, _, figure in named]),
                *self.caveats,
                *remarks_on_unplaced(self.notes),
            ],
            **more,
        )


def picture_of(named: Iterable[tuple[str, Disagreement]], measure: str) -> Picture:
    """Return figures as dots with their intervals."""
    rows = [(name, [dot(figure)]) for name, figure in named]
    return dots_of(rows, ["value"], measure, zero=True)
