"""Coefficients of parts of what was labelled, and of each label by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.labels.coefficient import (
    CoefficientSettings,
)
from spanagree.labels.summary import Coefficients, ResultByPart, coefficients
from spanagree.labels.tokens import token_labels
from spanagree.results import verdict
from spanagree.results.caveats import merge_caveats
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Picture, dots_of
from spanagree.results.score import ends_of
from spanagree.settings import confidence_of


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CoefficientsByPart(ResultByPart[Coefficients]):
    """The coefficients of parts of what was labelled: a mapping from the name of each.

    Attributes:
        parts: what :func:`coefficients` says of each part.
        settings: what made the numbers.
        notes: what was read in another way than it stands.
    """

    parts: Mapping[str, Coefficients]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()

    PICTURED: ClassVar[str] = "α"

    @property
    def alphas(self) -> dict[str, float]:
        """α of each part."""
        return {name: part.alpha.value for name, part in self.items()}

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each, with the names of the parts."""
        every = ((name, caveat) for name, part in self.items() for caveat in part.caveats)
        parts = ((name, *caveat.partition(": ")) for name, caveat in every)
        return merge_caveats(f"{what} of {name}: {sentence}" for name, what, _, sentence in parts)

    def _picture(self, by: str | None) -> Picture:
        """Return α of each part with its interval."""
        rows = [
            (name, [(part.alpha.value, *ends_of(part.alpha.interval, "corrected"))])
            for name, part in self.items()
        ]
        return dots_of(rows, ["α"], self.PICTURED)


class CoefficientsByLabel(CoefficientsByPart):
    """The coefficients of each label by itself; see :func:`coefficients_by_label`.

    Each part is what :func:`coefficients` says of the tokens in a segment of the label or not.

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
        """On which label tokens agree most, and on which least, by α."""
        intervals = {x: ends_of(part.alpha.interval, "corrected") for x, part in self.items()}
        name, confidence = "Krippendorff's α of tokens", confidence_of(self.settings)
        sentence = verdict.extremes(self.alphas, "label", name, intervals, confidence)
        return sentence or next((part.verdict for part in self.values()), "")

    TABLES: ClassVar[Mapping[str, str | None]] = {"labels": None}

    def _table(self, by: str | None) -> Frame:
        """The tables of the labels, one below the other."""
        tables = {label: part.table() for label, part in self.items()}
        first = next(iter(tables.values()))
        size = len(first.rows)
        shift = [size * i for i in range(len(tables))]
        return replace(
            first,
            columns=[Column("label", "label", "name", "label of tokens"), *first.columns],
            rows=[[label, *row] for label, table in tables.items() for row in table.rows],
            breaks=set(shift[1:]),
            for_people={at + row for at in shift for row in first.for_people},
            for_data={at + row for at in shift for row in first.for_data},
            settings=self.settings,
            meanings={name: meaning for name, meaning in first.meanings.items() if name == meaning},
            remarks=list(self.caveats),
        )


def coefficients_by_label(
    corpus: CorpusLike, *, skip_outside: bool = False, **settings: Any
) -> CoefficientsByLabel:
    """Return coefficients of the tokens of a corpus for each label: in such a segment, or not.

    Segments of different labels may overlap, which one table of all labels could not hold.

    Args:
        corpus: the annotators (or systems) as layers.
        skip_outside: leave out, for each label, the tokens that nobody marked with it.
        settings: as for :func:`spanagree.coefficients`.

    Raises:
        InputError: for a corpus without labels.
        SettingError: as for :func:`spanagree.coefficients`.

    >>> corpus = Corpus.from_segments(
    ...     [4], {"ann": [[(0, 2, "PER"), (1, 3, "LOC")]], "bob": [[(0, 1, "PER"), (1, 3, "LOC")]]}
    ... )
    >>> {name: round(part.pi.value, 3) for name, part in coefficients_by_label(corpus).items()}
    {'LOC': 1.0, 'PER': 0.467}
    """
    corpus = corpus_of(corpus)
    parts = {
        label: coefficients(
            token_labels(_only(corpus, code), skip_outside=skip_outside), **settings
        )
        for code, label in enumerate(corpus.labels)
    }
    if not parts:
        raise InputError("the corpus has no segments; coefficients by label need a label")
    first = next(iter(parts.values())).settings
    return CoefficientsByLabel(
        parts=dict(sorted(parts.items())),
        settings=replace(first, reading={**first.reading, "by_label": True}),
        notes=corpus.notes,
    )


def _only(corpus: Corpus, code: int) -> Corpus:
    """Return a corpus with the segments of one label."""
    kept = {name: layer.only(layer.label == code) for name, layer in corpus.layers.items()}
    layers = {
        name: replace(layer, label=np.zeros(len(layer), np.int64)) for name, layer in kept.items()
    }
    return corpus.but(layers=layers, labels=(corpus.labels[code],), unplaced={})
