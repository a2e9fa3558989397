"""A coefficient with the counts that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spanagree.errors import counted
from spanagree.matching.score import Interval, plain
from spanagree.rendering.data import to_arrow
from spanagree.settings import signature


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

    def nothing_to_compare(self, complete_only: bool = False) -> str:
        """Why no coefficient is defined; empty if there is something to compare."""
        if self.compared:
            return ""
        if complete_only and not self.items:
            return "no item was labelled by all annotators"
        if self.annotators is not None and self.annotators < 2:
            return f"{counted(self.annotators, 'annotator')}; agreement needs two"
        return "no item has two labels"


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient: its value, and what it was made from.

    Attributes:
        name: what it is called.
        value: (observed − expected) / (1 − expected), unless its function says otherwise.
        observed: the observed agreement.
        expected: what luck alone would give.
        counts: the items, labels and pairs behind it.
        reason: why the value is undefined (``nan``), if it is.
        by_category: the same coefficient for each category against all others together.
        interval: of observed, expected and value (of SPA the corrected figure), if asked for.
        settings: what made the number.
    """

    name: str
    value: float
    observed: float
    expected: float
    counts: Counts
    reason: str = ""
    by_category: Mapping[str, Coefficient] = field(default_factory=dict, repr=False)
    interval: Interval | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def signature(self) -> str:
        """The settings that made the number, and the version, in one line."""
        return signature(self.settings)

    def figures(self) -> dict[str, Any]:
        """The figures as plain data; undefined is ``nan``."""
        return {"value": self.value, "observed": self.observed, "expected": self.expected}

    def to_dict(self) -> dict[str, Any]:
        """The coefficient as plain data, for JSON; undefined is ``None``, and why."""
        data = {"name": self.name, **self.figures(), **self._said()}
        data["counts"] = self.counts._asdict()
        if self.by_category:
            data["by_category"] = {
                category: {**of.figures(), **of._said()}
                for category, of in self.by_category.items()
            }
        whole: dict[str, Any] = plain(data)
        return {**whole, "signature": self.signature} if self.settings else whole

    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = {"undefined": self.reason} if self.reason else {}
        return said if self.interval is None else {**said, "interval": self.interval.to_dict()}

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for the coefficient, then one for each category, for CSV or a data frame."""
        end = {**self.counts._asdict(), "signature": self.signature}
        parts = [("", self), *self.by_category.items()]
        return [
            {"coefficient": self.name, "category": category, **of.figures(), **end}
            for category, of in parts
        ]

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows())
