"""Coefficients of parts of a table of labels, and of the tokens of each label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels.coefficient import CoefficientSettings
from spanagree.labels.summary import Coefficients, ResultByPart, coefficients
from spanagree.labels.tokens import token_labels
from spanagree.results import verdict
from spanagree.results.caveats import merge_caveats
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.score import get_ends
from spanagree.settings import parse_confidence


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CoefficientsByPart(ResultByPart[Coefficients]):
    """Coefficients of parts of a table of labels, a mapping by the name of the part.

    Attributes:
        parts: result of :func:`coefficients` for each part.
        settings: settings of the computation.
        notes: notes on changes to the data while reading, one sentence each.
    """

    parts: Mapping[str, Coefficients]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()

    PICTURED: ClassVar[str] = "α"

    @property
    def alphas(self) -> dict[str, float]:
        """α of each part."""
        return {
            name: coefficients_of_part.alpha.value for name, coefficients_of_part in self.items()
        }

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each, with the names of the parts."""
        named_caveats = (
            (name, caveat)
            for name, coefficients_of_part in self.items()
            for caveat in coefficients_of_part.caveats
        )
        split_caveats = ((name, *caveat.partition(": ")) for name, caveat in named_caveats)
        return merge_caveats(
            f"{subject} of {name}: {sentence}" for name, subject, _, sentence in split_caveats
        )

    def _build_plot(self, by: str | None) -> Plot:
        """Plot α of each part with its interval."""
        rows = [
            (
                name,
                [
                    (
                        coefficients_of_part.alpha.value,
                        *get_ends(coefficients_of_part.alpha.interval, "corrected"),
                    )
                ],
            )
            for name, coefficients_of_part in self.items()
        ]
        return plot_dots(rows, ["α"], self.PICTURED)


class CoefficientsByLabel(CoefficientsByPart):
    """Coefficients of each label by itself; see :func:`coefficients_by_label`.

    Each part is the result of :func:`coefficients` for two categories: tokens within a segment of
    the label, and others.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.labels.coefficients_by_label(corpus)
    >>> list(found), round(found["LOC"].alpha.value, 3)
    (['LOC', 'PER'], 0.622)
    """

    PICTURED: ClassVar[str] = "α of tokens by label"

    @property
    def verdict(self) -> str:
        """Sentence on the labels with the highest and the lowest α of tokens."""
        intervals = {
            label: get_ends(coefficients_of_label.alpha.interval, "corrected")
            for label, coefficients_of_label in self.items()
        }
        name, confidence = "Krippendorff's α of tokens", parse_confidence(self.settings)
        sentence = verdict.write_extremes(self.alphas, "label", name, intervals, confidence)
        return sentence or next(
            (coefficients_of_label.verdict for coefficients_of_label in self.values()), ""
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"labels": None}

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with the rows of all coefficients for each label in turn."""
        tables = {
            label: coefficients_of_label.table() for label, coefficients_of_label in self.items()
        }
        first_table = next(iter(tables.values()))
        n_rows = len(first_table.rows)
        first_rows = [n_rows * i for i in range(len(tables))]
        return replace(
            first_table,
            columns=[Column("label", "label", "name", "label of tokens"), *first_table.columns],
            rows=[[label, *row] for label, table in tables.items() for row in table.rows],
            breaks=set(first_rows[1:]),
            for_people={
                first_row + row for first_row in first_rows for row in first_table.for_people
            },
            for_data={first_row + row for first_row in first_rows for row in first_table.for_data},
            settings=self.settings,
            meanings={
                name: meaning for name, meaning in first_table.meanings.items() if name == meaning
            },
            remarks=list(self.caveats),
        )


def coefficients_by_label(
    corpus: CorpusLike, *, skip_outside: bool = False, **settings: Any
) -> CoefficientsByLabel:
    """Compute coefficients of tokens for each label: within a segment of the label, or not.

    Segments of different labels may overlap, unlike in one table of all labels.

    Args:
        corpus: annotations.
        skip_outside: True to leave out, for each label, the tokens without it in all annotations.
        settings: options of :func:`spanagree.coefficients`.

    Raises:
        InputError: if the corpus has no labels.
        SettingError: if :func:`spanagree.coefficients` raises it.

    >>> corpus = Corpus.from_segments(
    ...     [4], {"ann": [[(0, 2, "PER"), (1, 3, "LOC")]], "bob": [[(0, 1, "PER"), (1, 3, "LOC")]]}
    ... )
    >>> {name: round(part.pi.value, 3) for name, part in coefficients_by_label(corpus).items()}
    {'LOC': 1.0, 'PER': 0.467}
    """
    corpus = as_corpus(corpus)
    coefficients_of_labels = {
        label: coefficients(
            token_labels(_select_label(corpus, code), skip_outside=skip_outside), **settings
        )
        for code, label in enumerate(corpus.labels)
    }
    if not coefficients_of_labels:
        raise InputError("the corpus has no segments; coefficients by label need a label")
    first_settings = next(iter(coefficients_of_labels.values())).settings
    return CoefficientsByLabel(
        parts=dict(sorted(coefficients_of_labels.items())),
        settings=replace(first_settings, reading={**first_settings.reading, "by_label": True}),
        notes=corpus.notes,
    )


def _select_label(corpus: Corpus, code: int) -> Corpus:
    """Build a corpus with the segments of one label only; ``code`` is the index of the label."""
    layers_of_label = {
        name: layer.only(layer.label == code) for name, layer in corpus.layers.items()
    }
    layers = {
        name: replace(layer, label=np.zeros(len(layer), np.int64))
        for name, layer in layers_of_label.items()
    }
    return corpus.replace(layers=layers, labels=(corpus.labels[code],), unplaced={})
