"""A coefficient with the counts that it rests on; SPA and bias have figures of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, Interval
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class CoefficientSettings(Settings):
    """The settings of coefficients.

    Attributes:
        categories: how many there are.
        weights: of SPA.
        classes: the class distribution that the weights use.
        complete_only: whether only items count that all annotators labelled.
        measurement: what labels measure, if it was said.
        category_weights: how near categories are, if it was said.
        order: the categories from low to high, if they are not numbers.
        f1_chance: chance model of F1 of segments, if it stands beside the coefficients of tokens.
        f1_unplaced: rule for quotes that are not in the text in that F1, if there are any.
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
    """What a coefficient rests on.

    Attributes:
        items: the items with a label.
        compared: those with two labels or more.
        annotators: those who gave a label; ``None`` if the table does not say who gave which.
        labels: the labels given.
        pairs: the pairs of labels of the same item.
        categories: the categories declared, or else those that occur.
    """

    items: int
    compared: int
    annotators: int | None
    labels: int
    pairs: int
    categories: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coefficient(Result):
    """One coefficient: its value, and what it was made from.

    Attributes:
        name: what it is called.
        value: (observed − expected) / (1 − expected), unless its function says otherwise.
        observed: the observed agreement.
        expected: what chance alone would give.
        counts: the items, labels and pairs behind it.
        settings: what made the number.
        notes: what was read in another way than it stands, or is out of the ordinary.
        units: of tokens, the number of their documents.
        evidence: how many items (of tokens, their documents) have two labels or more, and of
            these, how many have any that disagree, and that agree.
        reason: why the value is undefined (``nan``), if it is.
        by_category: the same coefficient for each category against all others together.
        interval: of observed, expected and value (of SPA the corrected figure), if asked for.

    >>> import spanagree as sa
    >>> rows = [("1", "ann", "x"), ("1", "bob", "x"), ("2", "ann", "y"), ("2", "bob", "x")]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> found = sa.labels.pi(table)
    >>> found.observed, round(found.expected, 3), round(found.value, 3)
    (0.5, 0.625, -0.333)
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

    def figures(self) -> dict[str, Any]:
        """Return the figures as plain data; undefined is ``nan``."""
        return {name: getattr(self, name) for name in self.FIGURES}

    TABLES: ClassVar[Mapping[str, str | None]] = {"coefficients": None}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Spa(Coefficient):
    """Sparse Probability of Agreement; ``value`` and ``observed`` are SPA itself.

    By category it is how likely another annotator chooses the category of one who did;
    ``expected`` is the share of the category.

    Attributes:
        corrected: (SPA − expected) / (1 − expected), with expected = Σ p_c² of the shares p_c that
            the same weights give: the plug-in.
        jackknife: the same with its first-order bias removed by leaving out one item at a time;
            undefined where a leave-one-out figure is, and ``jackknife_reason`` says so.
        items: Pᵢ of each item of the table, ``nan`` where it has fewer than two labels.
        weights: kᵢ of each item, summing to 1.
        note: what is out of the ordinary, if anything.
        dependence: what speaks against the assumption that labels are missing at random, if
            anything does: that items with more labels agree more, or less.
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
    """How far annotators' preferences differ; ``observed`` and ``expected`` are A_e of π and of κ.

    ``by_annotator`` has each one's share of the bias: of a complete table they add up to ``value``.
    """

    by_annotator: Mapping[str, float] = field(default_factory=dict)

    CORRECTED: ClassVar[str] = ""
