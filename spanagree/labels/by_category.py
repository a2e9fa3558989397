"""Agreement on each category by itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from spanagree.labels.chance_corrected import Shares
from spanagree.labels.coefficient import Coefficient, Counts
from spanagree.labels.patterns import Labels
from spanagree.matching.score import UNDEFINED
from spanagree.rendering.data import to_arrow


@dataclass(frozen=True, kw_only=True)
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

    def figures(self) -> dict[str, Any]:
        """The figures as plain data; undefined is ``nan``."""
        return {
            **super().figures(),
            "specific": self.specific,
            "agreements": self.agreements,
            "potential": self.potential,
            "labels": self.given,
        }


@dataclass(frozen=True)
class Categories(Mapping[str, CategoryAgreement]):
    """Agreement on each category; ``lowest`` is the name of that on which it is lowest."""

    _of: Mapping[str, CategoryAgreement]

    def __getitem__(self, category: str) -> CategoryAgreement:
        return self._of[category]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    @property
    def lowest(self) -> str | None:
        """The first of those with the lowest value; ``None`` if none is defined."""
        values = {name: of.value for name, of in self._of.items() if not math.isnan(of.value)}
        return min(values, key=values.__getitem__) if values else None

    def to_dict(self) -> dict[str, Any]:
        """Each category as plain data, for JSON, and the lowest; undefined is ``None``."""
        return {
            "lowest": self.lowest,
            "categories": {name: of.to_dict() for name, of in self._of.items()},
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each category, for CSV or a data frame; undefined is ``nan``."""
        return [{**row, "category": name} for name, of in self._of.items() for row in of.to_rows()]

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        figures = ("value", "observed", "expected", "specific", "agreements", "potential", "labels")
        columns = dict.fromkeys(("coefficient", "category", *figures, *Counts._fields, "signature"))
        return to_arrow(self.to_rows(), list(columns))


def category_agreement(table: Labels, *, complete_only: bool = False) -> Categories:
    """Agreement on each category by itself (Uebersax, as worked out by Siegel 2018).

    ``value`` is R_j = A_j / P_j: of the pairs of labels of the same item of which at least one is
    j, the share in which both are (a Jaccard index). ``expected`` is R_j if labels were drawn at
    random from their shares among pairs. No category is hidden behind a frequent one, so report
    the lowest.

    >>> sandwich = [[2, 0]] * 400 + [[1, 1]] * 150 + [[0, 2]] * 450
    >>> found = category_agreement(LabelTable.from_counts(sandwich, ["no", "yes"]))
    >>> {name: (of.agreements, of.potential, round(of.specific, 3)) for name, of in found.items()}
    {'no': (400, 550, 0.842), 'yes': (450, 600, 0.857)}
    >>> found.lowest
    'no'
    """
    stats = Shares.of(table, complete_only)
    n, _, given, agreeing = stats.compared
    ordered = ((n - 1)[:, None] * given).sum(0)  # pairs of a label j and another label
    both = agreeing.sum(0)
    share = ordered / ordered.sum() if ordered.any() else np.full(len(ordered), UNDEFINED)
    found = {}
    all_given = stats.given.tolist()
    rows = zip(
        table.labels, both.tolist(), ordered.tolist(), share.tolist(), all_given, strict=True
    )
    for name, agreements, of, p, labels in rows:
        found[name] = CategoryAgreement(
            name="R",
            value=agreements / (2 * of - agreements) if of else UNDEFINED,
            observed=agreements / (2 * of - agreements) if of else UNDEFINED,
            expected=p / (2 - p),
            counts=stats.counts,
            reason="" if of else stats.nothing or "in no pair of labels",
            settings=stats.settings,
            agreements=agreements // 2,
            potential=of - agreements // 2,
            given=labels,
            specific=agreements / of if of else UNDEFINED,
        )
    return Categories(found)
