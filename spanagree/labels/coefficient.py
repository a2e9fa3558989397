"""The result of one coefficient, with its counts; SPA and bias have additional figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, ComparedAsFloat, Interval
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class CoefficientSettings(Settings):
    """Settings of coefficients.

    Attributes:
        categories: number of categories.
        weights: weights of SPA; ``None`` for other coefficients.
        classes: class distribution of these weights.
        complete_only: True if only items count that all annotators labelled.
        measurement: level of measurement; ``None`` unless requested.
        category_weights: weights of categories; ``None`` unless requested.
        order: categories from low to high; ``None`` for numbers.
        f1_chance: chance model of F1 of segments, if F1 is reported with coefficients of tokens.
        f1_unplaced: rule in that F1 for quotes that are not in the text, if there are any.
    """

    categories: int
    weights: str | None = None
    classes: Any = None
    complete_only: bool | None = None
    measurement: str | None = None
    category_weights: str | None = None
    order: Sequence[str] | None = None
    f1_chance: str | None = None
    f1_unplaced: str | None = None


class Counts(NamedTuple):
    """Counts of the data of a coefficient.

    Attributes:
        items: number of items with a label.
        compared: number of items with two labels or more.
        annotators: number of annotators with a label; ``None`` for a table of counts.
        labels: number of labels.
        pairs: number of pairs of labels of the same item.
        categories: number of declared categories. Default: those that occur.
    """

    items: int
    compared: int
    annotators: int | None
    labels: int
    pairs: int
    categories: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coefficient(ComparedAsFloat, Result):
    """One coefficient of agreement.

    ``float(coefficient)`` is its value, ``f"{coefficient:.2f}"`` formats it, and ``<``, ``>`` and
    ``round`` use it.

    Attributes:
        name: name of the coefficient, such as π.
        value: (observed − expected) / (1 − expected), except for SPA, bias and agreement R.
        observed: observed agreement.
        expected: agreement expected by chance.
        counts: numbers of items, labels and pairs.
        settings: settings of the computation.
        notes: notes on the data and the result, one sentence each.
        units: number of documents, if items are tokens; else ``None``.
        evidence: numbers of items (for tokens: documents) with two labels or more, with a
            disagreement, and with an agreement.
        reason: reason for an undefined value (``nan``); empty if it is defined.
        by_category: coefficient of each category against all others together.
        interval: intervals of observed, expected and value (for SPA the corrected figure);
            ``None`` unless requested.

    >>> import spanagree as sa
    >>> rows = [("1", "ann", "x"), ("1", "bob", "x"), ("2", "ann", "y"), ("2", "bob", "x")]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> found = sa.labels.pi(table)
    >>> found.observed, round(found.expected, 3), round(found.value, 3)
    (0.5, 0.625, -0.333)
    >>> found < 0.5, round(found, 2), f"{found:.1f}"
    (True, -0.33, '-0.3')
    """

    name: str
    value: float = UNDEFINED
    observed: float = UNDEFINED
    expected: float = UNDEFINED
    counts: Counts
    settings: CoefficientSettings
    notes: tuple[str, ...] = ()
    units: int | None = None
    evidence: tuple[int, ...]
    reason: str = ""
    by_category: Mapping[str, Coefficient] = field(default_factory=dict)
    interval: Interval | None = None

    FIGURES: ClassVar[tuple[str, ...]] = ("value", "observed", "expected")
    CORRECTED: ClassVar[str] = "value"  # the corrected figure; empty if there is none
    SHOWN_BY: ClassVar[str] = f"{__package__}.coefficient_table"

    def __float__(self) -> float:
        return float(self.value)

    def figures(self) -> dict[str, Any]:
        """Return the figures as plain data; undefined figures are ``nan``."""
        return {name: getattr(self, name) for name in self.FIGURES}

    TABLES: ClassVar[Mapping[str, str | None]] = {"coefficients": None}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Spa(Coefficient):
    """Sparse Probability of Agreement; ``value`` and ``observed`` are SPA itself.

    By category, the value is the probability that another annotator chooses the category if one
    did; ``expected`` is the share of the category.

    Attributes:
        corrected: plug-in estimate (SPA − expected) / (1 − expected), with expected = Σ p_c² for
            the weighted shares p_c of categories.
        jackknife: corrected SPA without its first-order bias, by leaving out one item at a time;
            undefined if a figure without one item is.
        jackknife_reason: reason for an undefined jackknife estimate; empty if it is defined.
        items: agreement Pᵢ of each item, ``nan`` with fewer than two labels.
        weights: weight kᵢ of each item; the sum is 1.
        note: note on the weights; empty without any.
        dependence: sentence on evidence that labels are not missing at random, because items with
            more labels agree more, or less; empty without any.
    """

    corrected: float = UNDEFINED
    jackknife: float = UNDEFINED
    jackknife_reason: str = ""
    items: Floats = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)
    weights: Floats = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)
    note: str = ""
    dependence: str = ""

    FIGURES: ClassVar[tuple[str, ...]] = (*Coefficient.FIGURES, "corrected", "jackknife")
    CORRECTED: ClassVar[str] = "corrected"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bias(Coefficient):
    """Bias B, the difference of annotators' preferences for categories.

    ``observed`` and ``expected`` are A_e of π and of κ.

    Attributes:
        by_annotator: summand of each annotator; for a complete table the sum is ``value``.
    """

    by_annotator: Mapping[str, float] = field(default_factory=dict)

    CORRECTED: ClassVar[str] = ""
