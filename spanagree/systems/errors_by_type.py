"""Errors of systems by type: what differs between each system's segments and gold's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from spanagree.comparisons.counting import of_gold
from spanagree.comparisons.pairing import KINDS, pairing
from spanagree.errors import escape_name
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, heat_map
from spanagree.results.result import Result
from spanagree.settings import Settings
from spanagree.systems.lost_quotes import not_in_text
from spanagree.systems.result import Evaluation
from spanagree.systems.single_segments import against_gold, corpus_of_segments

_NAMED = 3  # systems of which the verdict names the most frequent error


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorSettings(Settings):
    """The settings of errors by type."""

    gold: str
    gold_first: bool | None = None
    unplaced: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ErrorTypes(Result):
    """The result of :func:`error_types`.

    Attributes:
        counts: by system, the number of its pairs with gold of each of
            :data:`spanagree.comparisons.pairing.OUTCOMES`: match and the types of error.
        documents: number of documents.
        settings: settings of the evaluation that matter here.
        notes: notes of the evaluation.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 3, "PER")]]}
    >>> found = sa.systems.error_types(sa.evaluate(sa.Corpus.from_segments([9], layers)))
    >>> found.verdict
    'Errors of mine are most often of the kinds missed and boundary (1 of 2 each).'
    """

    counts: Mapping[str, Mapping[str, int]]
    documents: int
    settings: ErrorSettings
    notes: tuple[str, ...]
    not_in_text: str = field(default="", repr=False, compare=False)

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "counts")

    TABLES: ClassVar[Mapping[str, str | None]] = {"errors": None}

    def errors(self, system: str) -> dict[str, int]:
        """Return the number of errors of a system, by type."""
        return {kind: self.counts[system][kind] for kind in KINDS}

    @property
    def verdict(self) -> str:
        """The most frequent error of each of the first systems."""
        sentences = []
        for name in list(self.counts)[:_NAMED]:
            errors, shown = self.errors(name), escape_name(name)
            most = verdict.most_often(errors) if any(errors.values()) else ""
            sentences.append(
                f"Errors of {shown} are most often {most}." if most else f"{shown}: no error."
            )
        return " ".join(filter(None, [*sentences, self.not_in_text]))

    def _table(self, by: str | None) -> Frame:
        """A row for each type of error of each system, with its share of the system's errors."""
        columns = [
            Column("system", "system", "name"),
            Column("error", "error", "name", "type of error"),
            Column("count", "count", "count", "count of errors"),
            Column("share", "share", "figure", "share of errors"),
        ]
        rows, breaks = list[list[Value]](), list[int]()
        for name in self.counts:
            breaks.append(len(rows))
            errors = self.errors(name)
            total = sum(errors.values())
            rows += [[name, kind, n, n / total if total else None] for kind, n in errors.items()]
        caption = against_gold("errors of", self.counts, self.documents, self.settings)
        return Frame(columns, rows, self.settings, caption=caption, breaks=breaks[1:])

    def _picture(self, by: str | None) -> Plot:
        """Return the number of errors of each type as a heat map."""
        table = [[self.counts[name][kind] for name in self.counts] for kind in KINDS]
        return heat_map(list(KINDS), list(self.counts), np.array(table, np.float64), "errors")


def error_types(evaluation: Evaluation) -> ErrorTypes:
    """Return how many errors each system makes of which type, whatever the measure.

    Each segment of gold and of a system is in one pair at most: those that are the same first, then
    those of the same boundaries (an error of the label), then those that overlap most (of the
    boundary, or of both). What has no partner is missed or spurious, as is a quote that is not in
    the text.

    Args:
        evaluation: systems against gold.

    Raises:
        SettingError: for an evaluation of rows that were read, or of relations, which have no
            segments.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 3, "PER")]]}
    >>> found = error_types(sa.evaluate(sa.Corpus.from_segments([9], layers)))
    >>> found.errors("mine")
    {'missed': 1, 'spurious': 0, 'boundary': 1, 'label': 0, 'boundary+label': 0}
    """
    corpus = corpus_of_segments(evaluation, "errors by type")
    gold = corpus.layers[evaluation.settings.gold]
    counts = {
        name: pairing(gold, corpus.layers[name], labels=len(corpus.labels)).counts
        for name in evaluation.systems
    }
    counts = {
        name: {**kinds, "spurious": kinds["spurious"] + evaluation[name].not_found}
        for name, kinds in counts.items()
    }
    settings = ErrorSettings(
        **of_gold(evaluation.settings.gold, corpus),
        unplaced=evaluation.settings.unplaced,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    lost = not_in_text(evaluation)
    return ErrorTypes(counts, evaluation.documents, settings, evaluation.notes, lost)
