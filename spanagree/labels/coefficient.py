"""A coefficient with the counts that it rests on; SPA and bias have figures of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.results import verdict
from spanagree.results.caveats import caveats
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Dot, Picture, dots_of
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, Interval, Score, ends_of, undefined
from spanagree.settings import Settings, confidence_of


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
    """

    categories: int
    weights: str | None = None
    classes: Any = None
    complete_only: bool | None = None
    measurement: str | None = None
    category_weights: str | None = None
    order: Sequence[str] | None = None


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

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        score = undefined("")
        if self.CORRECTED:
            beyond = getattr(self, self.CORRECTED)
            score = Score(self.observed, self.expected, beyond, interval=self.interval)
        noun = "item" if self.units is None else "document"
        return tuple(caveats(self.name, score, self.evidence, noun))

    def figures(self) -> dict[str, Any]:
        """Return the figures as plain data; undefined is ``nan``."""
        return {name: getattr(self, name) for name in self.FIGURES}

    @property
    def verdict(self) -> str:
        """How high the coefficient is."""
        if self.CORRECTED != "value":
            return ""
        interval = None if self.interval is None else self.interval.corrected
        confidence = confidence_of(self.settings)
        return verdict.coefficient(self.name, self.value, interval, confidence, self.reason)

    TABLES: ClassVar[Mapping[str, str | None]] = {"coefficients": None}

    def _table(self, by: str | None) -> Frame:
        """A row for the coefficient, then one for each category."""
        return data_table(type(self), [("", self), *self.by_category.items()], self.settings)

    def _picture(self, by: str | None) -> Picture:
        """Return the value with its interval, then that of each category."""
        # the value is the corrected figure, unless that has a name of its own, as of SPA
        kind = "observed" if self.CORRECTED == "corrected" else "corrected"
        rows: list[tuple[str, list[Dot]]] = [
            (name, [(part.value, *ends_of(part.interval, kind))])
            for name, part in [(self.name, self), *self.by_category.items()]
        ]
        return dots_of(rows, ["value"], self.name)


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


_COUNTED = (*Counts._fields, "agreements", "potential")


def data_table(
    kind: type[Coefficient],
    parts: Iterable[tuple[str, Coefficient]],
    settings: Mapping[str, Any],
) -> Frame:
    """Return a table for programs, with a row for each part of a kind of coefficient, by name."""
    keys = dict.fromkeys((*kind.FIGURES, *Counts._fields))
    columns = [Column("coefficient", kind="name"), Column("category", kind="name")]
    columns += [Column(key, kind="count" if key in _COUNTED else "figure") for key in keys]
    columns += [Column("undefined", kind="json"), Column("interval", kind="json")]
    rows = []
    for category, part in parts:
        row = {**part.figures(), **part.counts._asdict()}
        rows.append([part.name, category, *(row[key] for key in keys), part.reason, part.interval])
    return Frame(columns, rows, settings)
