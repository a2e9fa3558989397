"""Coefficients from batch to batch, so that agreement is watched while labels are still given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from spanagree.corpus.label_table import LabelTable
from spanagree.errors import counted_of
from spanagree.formats.guessed import CorpusLike, corpus_of
from spanagree.labels.summary import CoefficientsByPart, coefficients
from spanagree.labels.tokens import token_labels
from spanagree.project.batch_names import BatchesBy, parts_of, parts_of_ids
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.score import ends_of


class CoefficientsByBatch(CoefficientsByPart):
    """The coefficients of each batch; see :func:`coefficients_by_batch`.

    Each part is what :func:`spanagree.coefficients` says of its items, in the batches' order; the
    notes name items in no batch, too.

    >>> import spanagree as sa
    >>> rows = [(i, who, "xy"[i % 2 if who == "a" else i > 2]) for i in range(6) for who in "ab"]
    >>> found = sa.project.coefficients_by_batch(sa.labels.LabelTable.from_rows(rows), 2)
    >>> list(found), round(found["1"].kappa.value, 2)
    (['1', '2'], 0.0)
    """

    PICTURED: ClassVar[str] = "α by batch"

    @property
    def verdict(self) -> str:
        """From where to where α goes; nothing that needs a test."""
        ends = verdict.from_first_to_last(self.alphas)
        if not ends:
            return "Fewer than two batches have an α that is defined."
        more = "" if self.settings.ci is not None else ": add --ci"
        return f"Krippendorff's α goes {ends}. No test was made{more}."

    TABLES: ClassVar[Mapping[str, str | None]] = {"batches": None}

    def _table(self, by: str | None) -> Frame:
        """A row for each batch."""
        ci = self.settings.ci is not None
        columns = [
            Column("batch", "batch", "name", "batch"),
            Column("items", "items", "count", "items of a batch"),
            Column("compared", "with two", "count", "items of a batch with two labels"),
            Column("labels", "labels", "count", "labels of a batch"),
            Column("observed", "agreement", meaning="agreement of a pair"),
            Column("spa", "SPA", meaning="SPA"),
            *(Column(key, key, meaning=key) for key in ("π", "κ", "α")),
            Column("", "interval of α" if ci else "", "interval", "interval"),
            Column("AC1", "AC1", meaning="AC1"),
        ]
        rows: list[list[Value]] = []
        for name, part in self.items():
            ends = ends_of(part.alpha.interval, "corrected")
            figures = part.pi.observed, part.spa.value, part.pi.value, part.kappa.value
            counts, last = part.counts, (part.alpha.value, ends, part.ac1.value)
            rows.append([name, counts.items, counts.compared, counts.labels, *figures, *last])
        items = sum(part.counts.items for part in self.values())
        with_two = counted_of(sum(part.counts.compared for part in self.values()), items, "item")
        caption = f"{len(self)} batch{'es' * (len(self) != 1)}, {with_two} with two labels or more"
        return Frame(columns, rows, self.settings, caption=caption, remarks=list(self.caveats))


def coefficients_by_batch(
    source: LabelTable | CorpusLike,
    spec: BatchesBy,
    *,
    skip_outside: bool = False,
    **settings: Any,
) -> CoefficientsByBatch:
    """Return the coefficients of each batch of items, to watch them while labels are given.

    Args:
        source: a table of labels, whose items are in batches; or a corpus, whose tokens are the
            items and whose documents are in batches.
        spec: how many batches, a pattern in the items' (or documents') ids, a table, or a name for
            each, as for :func:`spanagree.batches`.
        skip_outside: of a corpus, leave out tokens that nobody marked.
        settings: as for :func:`spanagree.coefficients`.

    Raises:
        SettingError: as for both; InputError for a table that cannot be read.

    >>> rows = [(i, who, "xy"[i % 2 if who == "a" else i > 2]) for i in range(6) for who in "ab"]
    >>> found = coefficients_by_batch(LabelTable.from_rows(rows), 2)
    >>> {name: round(part.pi.observed, 2) for name, part in found.items()}
    {'1': 0.67, '2': 0.67}
    """
    if not isinstance(source, LabelTable):
        corpora, says, notes = parts_of(corpus_of(source), spec)
        tables = {
            name: token_labels(part, skip_outside=skip_outside)
            for name, (part, _) in corpora.items()
        }
    else:
        ids = [source.name_of(item) for item in range(source.size)]
        numbers, _, says, notes = parts_of_ids(ids, spec, "item")
        tables = {name: source.subset(np.array(here)) for name, here in numbers.items()}
    parts = {name: coefficients(table, **settings) for name, table in tables.items()}
    every = dict.fromkeys(note for part in parts.values() for note in part.notes)
    first = next(iter(parts.values())).settings
    return CoefficientsByBatch(
        parts=parts,
        settings=replace(first, reading={**first.reading, "batches": says}),
        notes=(*every, *notes),
    )
