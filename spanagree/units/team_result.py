"""Results of coefficients of units, α_U and γ, for a team and its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from spanagree.corpus.placed import select_notes_on_unplaced
from spanagree.errors import SettingError, format_count_of_total, pluralize
from spanagree.results import verdict
from spanagree.results.caveats import FEW
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.result import Result
from spanagree.results.score import get_ends
from spanagree.settings import Settings, document_noun, parse_confidence
from spanagree.uncertainty.confidence import Jackknife
from spanagree.units.score import (
    CoefficientScore,
    build_cells,
    build_columns,
    build_dot,
    collect_reasons,
)


class TeamScores(Protocol):
    """Scores of a team or of two annotators."""

    @property
    def labels(self) -> Mapping[str, CoefficientScore]:
        """Coefficient of each category."""

    @property
    def documents(self) -> int:
        """Number of compared documents."""


Some = TypeVar("Some", bound=TeamScores)

NamedRow: TypeAlias = tuple[list[str], int, CoefficientScore]
"""Row of a table: names, number of documents, coefficient."""

PAIR = [
    Column("annotator_a", "annotator", "name", "annotator of units"),
    Column("annotator_b", "annotator", "name", "annotator of units"),
]


@dataclass(frozen=True, eq=False, repr=False)
class TeamResult(Result, Generic[Some]):
    """Scores of a team of annotators, and of its pairs if requested.

    Attributes:
        team: scores of all annotators together.
        pairs: scores of each two annotators, by their names; empty unless requested.
        annotators: names of the annotators.
        of_documents: number of documents of the corpus.
        settings: settings of the computation.
        notes: notes on the data and the result, one sentence each.
        jackknife: request for intervals; ``None`` without.
    """

    team: Some
    pairs: Mapping[tuple[str, str], Some]
    annotators: tuple[str, ...]
    of_documents: int
    settings: Settings
    notes: tuple[str, ...]
    jackknife: Jackknife | None = field(default=None, repr=False)

    @property
    def labels(self) -> Mapping[str, CoefficientScore]:
        """Coefficient of all annotators for each category: α_U, or γ_k."""
        return self.team.labels

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        if 1 < self.team.documents < FEW:
            few_note = pluralize(self.team.documents, document_noun(self.settings))
            return (f"only {few_note}; on others the figures may differ a lot",)
        return ()

    def _write_verdict(self, name: str, figure: CoefficientScore) -> str:
        """Write the sentence on the value of a coefficient, or on its bounds."""
        if figure.bounds is not None:
            low, high = map(verdict.format_short, figure.bounds)
            return f"{name} lies between {low} and {high}; the search for it ended early."
        interval = None if figure.interval is None else figure.interval.corrected
        confidence = parse_confidence(self.settings)
        return verdict.write_coefficient(name, figure.value, interval, confidence, figure.reason)

    def _write_extremes(self, subject: str = "it") -> str:
        """Write the sentence on the labels with the highest and the lowest value."""
        values = {label: figure.value for label, figure in self.labels.items()}
        intervals = {
            label: get_ends(figure_of_label.interval, "corrected")
            for label, figure_of_label in self.labels.items()
        }
        confidence = parse_confidence(self.settings)
        return verdict.write_extremes(values, "label", subject, intervals, confidence)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label",
        "pair": "a row for each pair of annotators",
    }
    TABLES: ClassVar[Mapping[str, str | None]] = {"figures": None}
    DRAWN: ClassVar[tuple[str, ...]] = ("label", "pair")

    SUMMARY: ClassVar[tuple[str, ...]] = ("annotators", "of_documents", "documents=team.documents")

    def _yield_compared_pairs(self) -> Iterator[tuple[list[str], Some]]:
        """Yield the names and the scores of each pair.

        Raises:
            SettingError: if pairs were not compared.
        """
        if not self.pairs:
            raise SettingError("pairs were not compared; pass pairs=True")
        for names, pair_figures in self.pairs.items():
            yield list(names), pair_figures

    def _build_coefficient_table(
        self,
        rows: Sequence[NamedRow],
        heads: Sequence[Column],
        key: str,
        title: str,
        measure: str,
        *,
        sampled: bool,
        **frame_options: Any,
    ) -> Frame:
        """Build a table of coefficients.

        Args:
            rows: names, number of documents and coefficient of each row.
            heads: columns of the names.
            key: key of the coefficient in data.
            title: title of the coefficient in text.
            measure: name of the coefficient in the caption.
            sampled: True if coefficients have an error from sampling.
            frame_options: further arguments of :class:`Frame`.
        """
        intervals = self.jackknife is not None
        noun = document_noun(self.settings)
        documents_column = Column("documents", f"{noun}s", "count", "documents of units")
        return Frame(
            [*heads, *build_columns(key, title, intervals, sampled), documents_column],
            [
                [*names, *build_cells(figure, intervals, sampled), documents]
                for names, documents, figure in rows
            ],
            self.settings,
            caption=f"{measure} of {pluralize(len(self.annotators), 'annotator')},"
            f" {format_count_of_total(self.team.documents, self.of_documents, noun)}",
            remarks=[
                *collect_reasons([(" ".join(names), figure) for names, _, figure in rows]),
                *self.caveats,
                *select_notes_on_unplaced(self.notes),
            ],
            **frame_options,
        )


def plot_coefficients(
    figures_by_name: Iterable[tuple[str, CoefficientScore]], measure: str
) -> Plot:
    """Plot coefficients as dots with their intervals."""
    rows = [(name, [build_dot(figure)]) for name, figure in figures_by_name]
    return plot_dots(rows, ["value"], measure, zero=True)
