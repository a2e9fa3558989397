"""Coefficients of agreement on items with labels: π, κ, α and AC1.

Two to many annotators, complete or with gaps; :mod:`spanagree.labels.formulas` has the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from spanagree.arrays import Floats, Ints, ranks
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import InputError, counted
from spanagree.labels.coefficient import Coefficient, CoefficientSettings, Counts
from spanagree.labels.formulas import Sums, rows_of, sums_by_n
from spanagree.labels.patterns import Labels, LabelTallies
from spanagree.matching.score import corrected

_KINDS = ("observed", "expected", "value")


def pi(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """Return π (Scott 1955; for more than two annotators Fleiss 1971, who calls it kappa).

    A_e = Σ_k P(k)²: one distribution for all annotators. By category it is Fleiss's κ_j.

    Args:
        table: the labels.
        complete_only: only items that all annotators labelled (of counts: those with the most).

    >>> table = LabelTable.from_rows(
    ...     (i, who, label)
    ...     for who, labels in {"Alice": "YYNYNYNNYY", "Bill": "YYNNYYYNYY"}.items()
    ...     for i, label in enumerate(labels)
    ... )
    >>> round(pi(table).value, 4)  # Artstein & Poesio 2005, 13.2
    0.3407
    """
    return score("π", Basis.of(table, complete_only))


def kappa(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """Return κ (Cohen 1960; for more than two Artstein & Poesio 2005 = Conger 1980).

    A_e = Σ_k of the mean over pairs of annotators of P(k|c_m)·P(k|c_n): a distribution for each
    annotator, over all she labelled. Undefined for a table of counts.
    """
    return score("κ", Basis.of(table, complete_only))


def alpha(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """Return α for nominal labels (Krippendorff 2011): 1 − D_o/D_e of the coincidence matrix.

    ``observed`` is 1 − D_o and ``expected`` 1 − D_e; items with one label do not count.
    """
    return score("α", Basis.of(table, complete_only))


def ac1(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """Return AC1 (Gwet 2008): A_e = Σ_k P(k)(1 − P(k)) / (q − 1), q the categories declared."""
    return score("AC1", Basis.of(table, complete_only))


@dataclass(frozen=True, eq=False)
class Basis:
    """The labels that coefficients are made of, and what all coefficients share.

    Attributes:
        table: the labels; of complete items only if that was asked for.
        settings: what is made of them, and how they were read.
    """

    table: Labels
    settings: CoefficientSettings

    @classmethod
    def of(cls, table: Labels, complete_only: bool) -> Basis:
        """Return the basis of a table.

        Raises:
            InputError: for what is not a table.
        """
        if not isinstance(table, (LabelTable, LabelTallies)):
            raise InputError(
                f"{type(table).__name__}; a LabelTable is needed: LabelTable.from_rows, read_labels"
                " and token_labels make one"
            )
        rest = table.complete() if complete_only else table
        fewer = complete_only and rest.counts[1].sum() < table.counts[1].sum()
        chosen = {"categories": len(table.labels), "complete_only": bool(fewer) or None}
        settings = CoefficientSettings.read({**table.reading, **chosen})
        return cls(rest, settings)

    @cached_property
    def counts(self) -> Counts:
        """What a coefficient of the table rests on."""
        n, items, _, _ = self.table.counts
        return Counts(
            int(items.sum()),
            int(items[n >= 2].sum()),
            int(self.own.any(axis=1).sum()) if self.table.named else None,
            int((n * items).sum()),
            int((n * (n - 1) // 2 * items).sum()),
            len(self.table.labels),
        )

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was read in another way than it stands."""
        return (
            self.table.final_notes() if isinstance(self.table, LabelTallies) else self.table.notes
        )

    @cached_property
    def nothing(self) -> str:
        """Why nothing can be compared; empty if something can."""
        items, compared, annotators, *_ = self.counts
        if compared:
            return ""
        if self.settings.complete_only and not items:
            return "no item was labelled by all annotators"
        if annotators is not None and annotators < 2:
            return f"{counted(annotators, 'annotator')}; agreement needs two"
        return "no item has two labels"

    @cached_property
    def ranks(self) -> Ints:
        """The place of each annotator among the names, sorted."""
        return ranks(self.table.annotators)

    @cached_property
    def own(self) -> Ints:
        """Labels by annotator, in the order of the names, and category."""
        return self.table.own[np.argsort(self.ranks)]

    @cached_property
    def sums(self) -> Sums:
        """The sums over all items; one row."""
        return self.weighted_sums(np.zeros(len(self.table.counts.n)))

    def weighted_sums(self, weights: Floats) -> Sums:
        """Return the same sums with SPA's weights, by the number of labels."""
        n, items, given, agreeing = self.table.counts
        own = self.own.reshape(1, -1)
        return sums_by_n(n, items[None], given[None], agreeing[None], own, weights)

    @cached_property
    def against_rest(self) -> Sums:
        """The sums for each category, with all others made one; a row for each."""
        n, items, given, agreeing = self.table.counts
        whole = n * items
        own = self.own.T  # of equal pairs among the rest: (n − x)(n − x − 1) for x of the category
        rest = (n - 1) * whole - 2 * (n - 1) * given.T + agreeing.T
        return sums_by_n(
            n,
            np.tile(items, (len(own), 1)),
            np.stack((given.T, whole - given.T), axis=-1),
            np.stack((agreeing.T, rest), axis=-1),
            np.stack((own, own.sum(axis=0) - own), axis=-1).reshape(len(own), -1),
            np.zeros(len(n)),
        )

    def shared(self, name: str) -> dict[str, Any]:
        """Return the fields of a coefficient that do not depend on its formula."""
        return {
            "name": name,
            "counts": self.counts,
            "settings": self.settings,
            "notes": self.notes,
            "units": self.table.units,
            "evidence": self.table.evidence,
        }

    def undefined(self, name: str) -> str:
        """Return why nothing of a coefficient is defined; empty if something is."""
        if self.nothing:
            return self.nothing
        if name in ("κ", "B") and not self.table.named:
            return "a table of counts does not say who gave which label"
        one = name == "AC1" and len(self.table.labels) < 2
        return "one category; AC1 needs to know of a second" if one else ""


def score(name: str, basis: Basis) -> Coefficient:
    """Return a coefficient by its name, also of each category against all others."""
    shared = basis.shared(name)
    if reason := basis.undefined(name):
        return Coefficient(**shared, reason=reason)
    parts = {
        label: Coefficient(**shared, **_fields(row))
        for label, row in zip(basis.table.labels, rows_of(name, basis.against_rest), strict=True)
    }
    return Coefficient(**shared, **_fields(*rows_of(name, basis.sums)), by_category=parts)


def _fields(row: Sequence[float]) -> dict[str, Any]:
    """Return the figures of a coefficient, and why its value is undefined."""
    reason = corrected(row[0], row[1]).reason
    return {**dict(zip(_KINDS, row, strict=True)), "reason": reason}
