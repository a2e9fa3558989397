"""Agreement on each category by itself."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spanagree.labels.chance_corrected import Basis
from spanagree.labels.coefficient import Coefficient, CoefficientSettings, data_table
from spanagree.labels.patterns import Labels
from spanagree.results.plots import Dot, Picture, dots, rows_size
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED
from spanagree.results.table import Table


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CategoryAgreement(Coefficient):
    """Agreement on one category: of the pairs in which one chose it, in how many both did.

    Attributes:
        agreements: A_j, pairs of annotators who both chose the category.
        potential: P_j, pairs of whom one at least chose it.
        given: how many labels are of the category.
        specific: Uebersax's specific agreement, 2R/(1 + R): how likely another chooses the category
            if one does.
    """

    agreements: int
    potential: int
    given: int
    specific: float

    FIGURES: ClassVar[tuple[str, ...]] = (
        *Coefficient.FIGURES,
        "specific",
        "agreements",
        "potential",
        "labels",
    )

    CORRECTED: ClassVar[str] = ""

    @property
    def labels(self) -> int:
        """How many labels are of the category, as the data call it."""
        return self.given


@dataclass(frozen=True, eq=False, repr=False)
class Categories(Result, Mapping[str, CategoryAgreement]):
    """Agreement on each category; ``lowest`` is the name of that on which it is lowest."""

    by_name: Mapping[str, CategoryAgreement]
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each; all categories rest on the same items."""
        return next((part.caveats for part in self.values()), ())

    def __getitem__(self, category: str) -> CategoryAgreement:
        return self.by_name[category]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    @property
    def lowest(self) -> str | None:
        """The first of those with the lowest value; ``None`` if none is defined."""
        values = {name: part.value for name, part in self.items() if not math.isnan(part.value)}
        return min(values, key=values.__getitem__) if values else None

    TABLES: ClassVar[Mapping[str, str | None]] = {"categories": None}

    def _summary(self) -> dict[str, Any]:
        return {"lowest": self.lowest}

    def _table(self, by: str | None) -> Table:
        """A row for each category."""
        return data_table(CategoryAgreement, self.items(), self.settings)

    def _picture(self, by: str | None) -> Picture:
        """Return the value of each category."""
        rows: list[tuple[str, list[Dot]]] = [
            (name, [(part.value, UNDEFINED, UNDEFINED)]) for name, part in self.items()
        ]
        draw = functools.partial(dots, rows=rows, kinds=["R"], what="agreement by category")
        return Picture(draw, rows_size(self))


def category_agreement(table: Labels, *, complete_only: bool = False) -> Categories:
    """Return agreement on each category by itself (Uebersax, as worked out by Siegel 2018).

    ``value`` is R_j = A_j / P_j: of the pairs of labels of the same item of which at least one is
    j, the share in which both are (a Jaccard index). ``expected`` is R_j if labels were drawn at
    random from their shares among pairs. No category is hidden behind a frequent one, so report
    the lowest.

    >>> from spanagree.corpus.label_table import LabelTable
    >>> sandwich = [[2, 0]] * 400 + [[1, 1]] * 150 + [[0, 2]] * 450
    >>> found = category_agreement(LabelTable.from_counts(sandwich, ["no", "yes"]))
    >>> {name: (of.agreements, of.potential, round(of.specific, 3)) for name, of in found.items()}
    {'no': (400, 550, 0.842), 'yes': (450, 600, 0.857)}
    >>> found.lowest
    'no'
    """
    return score_categories(Basis.of(table, complete_only))


def score_categories(basis: Basis) -> Categories:
    """Return agreement on each category."""
    n, _, given, agreeing = basis.table.counts
    ordered = ((n - 1)[:, None] * given).sum(0)  # pairs of a label j and another label
    share = ordered / ordered.sum() if ordered.any() else np.full(len(ordered), UNDEFINED)
    columns = (agreeing.sum(0), ordered, share, given.sum(0))
    rows = zip(basis.table.labels, *(column.tolist() for column in columns), strict=True)
    categories = {}
    for name, both, pairs, p, labels in rows:
        value = both / (2 * pairs - both) if pairs else UNDEFINED
        categories[name] = CategoryAgreement(
            **basis.shared("R"),
            value=value,
            observed=value,
            expected=p / (2 - p),
            reason="" if pairs else basis.nothing or "in no pair of labels",
            agreements=both // 2,
            potential=pairs - both // 2,
            given=labels,
            specific=both / pairs if pairs else UNDEFINED,
        )
    return Categories(categories, basis.settings, basis.notes)
