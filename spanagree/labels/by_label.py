"""Coefficients of tokens, one label at a time, as where segments of different labels overlap."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError
from spanagree.labels.coefficient import CoefficientSettings
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import token_labels
from spanagree.results.plots import Picture, dots, rows_size
from spanagree.results.result import Result, together
from spanagree.results.table import Column, Table


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CoefficientsByLabel(Result, Mapping[str, Coefficients]):
    """The coefficients of each label by itself; see :func:`coefficients_by_label`.

    Attributes:
        by_label: what :func:`coefficients` says of the tokens in a segment of the label or not.
        settings: what made the numbers.
        notes: what was read in another way than it stands.
    """

    by_label: Mapping[str, Coefficients]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()

    def __getitem__(self, label: str) -> Coefficients:
        return self.by_label[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_label)

    def __len__(self) -> int:
        return len(self.by_label)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each, with the labels."""
        every = ((label, each) for label, part in self.items() for each in part.caveats)
        parts = ((label, *each.partition(": ")) for label, each in every)
        return together(f"{name} of {label}: {sentence}" for label, name, _, sentence in parts)

    TABLES: ClassVar[Mapping[str, str | None]] = {"labels": None}

    def _table(self, by: str | None) -> Table:
        """The tables of the labels, one below the other."""
        tables = {label: part.table() for label, part in self.items()}
        whole = next(iter(tables.values()))
        size = len(whole.rows)
        shift = [size * i for i in range(len(tables))]
        return replace(
            whole,
            columns=[Column("label", "label", "name", "label of tokens"), *whole.columns],
            rows=[[label, *row] for label, table in tables.items() for row in table.rows],
            breaks=set(shift[1:]),
            for_people={at + row for at in shift for row in whole.for_people},
            for_data={at + row for at in shift for row in whole.for_data},
            settings=self.settings,
            caption="",
            meanings={name: each for name, each in whole.meanings.items() if name == each},
            remarks=list(self.caveats),
        )

    def _picture(self, by: str | None) -> Picture:
        """Return α of each label with its interval."""
        nothing = (float("nan"), float("nan"))
        rows = [
            (label, [(part.alpha.value, *getattr(part.alpha.interval, "corrected", nothing))])
            for label, part in self.items()
        ]
        draw = functools.partial(dots, rows=rows, kinds=["α"], what="α of tokens by label")
        return Picture(draw, rows_size(self))


def coefficients_by_label(
    corpus: Corpus, *, skip_outside: bool = False, **settings: Any
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
    parts = {
        label: coefficients(
            token_labels(_only(corpus, code), skip_outside=skip_outside), **settings
        )
        for code, label in enumerate(corpus.labels)
    }
    if not parts:
        raise InputError("the corpus has no segments; coefficients by label need a label")
    own = next(iter(parts.values())).settings
    return CoefficientsByLabel(
        by_label=dict(sorted(parts.items())),
        settings=replace(own, reading={**own.reading, "by_label": True}),
        notes=corpus.notes,
    )


def _only(corpus: Corpus, code: int) -> Corpus:
    """Return a corpus with the segments of one label."""
    kept = {name: layer.only(layer.label == code) for name, layer in corpus.layers.items()}
    layers = {
        name: replace(layer, label=np.zeros(len(layer), np.int64)) for name, layer in kept.items()
    }
    return corpus.but(layers=layers, labels=(corpus.labels[code],))
