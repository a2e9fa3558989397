"""Errors of systems by type, from pairs of segments of each system and gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from spanagree.comparisons.counting import collect_gold_settings
from spanagree.comparisons.pairing import KINDS, pair_layers
from spanagree.errors import escape_name
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_heat_map
from spanagree.results.result import Result
from spanagree.settings import Settings
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation
from spanagree.systems.single_segments import require_corpus, write_caption

_NAMED = 2  # systems whose most frequent error is in the verdict


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorSettings(Settings):
    """Settings of errors by type."""

    gold: str
    gold_first: bool | None = None
    unplaced: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ErrorTypes(Result):
    """Result of :func:`error_types`.

    Attributes:
        counts: number of pairs of a system with gold, by system and outcome, one of
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
        return {error_type: self.counts[system][error_type] for error_type in KINDS}

    @property
    def verdict(self) -> str:
        """The most frequent error of each of the first systems."""
        sentences = []
        for name in list(self.counts)[:_NAMED]:
            errors, quoted_name = self.errors(name), escape_name(name)
            most_frequent = (
                verdict.write_most_frequent_kinds(errors) if any(errors.values()) else ""
            )
            sentences.append(
                f"Errors of {quoted_name} are most often {most_frequent}."
                if most_frequent
                else f"{quoted_name}: no error."
            )
        return verdict.join_in_two_sentences(*sentences, self.not_in_text)

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with count and share of each type of error of each system."""
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
            rows += [
                [name, error_type, n, n / total if total else None]
                for error_type, n in errors.items()
            ]
        caption = write_caption("errors of", self.counts, self.documents, self.settings)
        return Frame(columns, rows, self.settings, caption=caption, breaks=breaks[1:])

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the number of errors of each type as a heat map."""
        table = [[self.counts[name][error_type] for name in self.counts] for error_type in KINDS]
        counts = np.array(table, np.int64)
        limits = (0, max(int(counts.max(initial=0)), 1))
        return plot_heat_map(list(KINDS), list(self.counts), counts, "errors", limits)


def error_types(evaluation: Evaluation) -> ErrorTypes:
    """Count the errors of each system by type, whatever the measure.

    Each segment of gold and of a system is in at most one pair. Equal segments are paired first,
    then segments with the same boundaries (an error of the label), then segments that overlap most
    (an error of the boundary, or of both). A segment without a partner is missed or spurious; a
    quote that is not in the text is spurious.

    Args:
        evaluation: evaluation of systems against gold.

    Raises:
        SettingError: if the evaluation has no segments: of rows that were read, or of relations.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 3, "PER")]]}
    >>> found = error_types(sa.evaluate(sa.Corpus.from_segments([9], layers)))
    >>> found.errors("mine")
    {'missed': 1, 'spurious': 0, 'boundary': 1, 'label': 0, 'boundary+label': 0}
    """
    corpus = require_corpus(evaluation, "errors by type")
    gold = corpus.layers[evaluation.settings.gold]
    counts = {
        name: pair_layers(gold, corpus.layers[name], n_labels=len(corpus.labels)).counts
        for name in evaluation.systems
    }
    counts = {
        name: {**system_counts, "spurious": system_counts["spurious"] + evaluation[name].not_found}
        for name, system_counts in counts.items()
    }
    settings = ErrorSettings(
        **collect_gold_settings(evaluation.settings.gold, corpus),
        unplaced=evaluation.settings.unplaced,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    lost_quotes = write_lost_quotes_sentence(evaluation)
    return ErrorTypes(counts, evaluation.documents, settings, evaluation.notes, lost_quotes)
