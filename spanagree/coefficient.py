"""Coefficients of agreement on items with labels: π, κ, α, AC1, bias, and agreement by category.

Two to many annotators, complete or with gaps. Symbols as in Artstein & Poesio (2005): A_o the
observed and A_e the expected agreement, P(k) the share of category k, P(k|c) that of annotator c.
For gaps there is no single accepted form; these are the formulas of irrCAC (Gwet): A_o is the mean
over items with two labels or more, P(k) the mean over items with one or more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.arrow import to_arrow
from spanagree.errors import InputError, counted
from spanagree.label_table import LabelTable
from spanagree.label_tallies import Labels, LabelTallies
from spanagree.signature import signature
from spanagree.tally import UNDEFINED, Interval, corrected, plain
from spanagree.version import __version__


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


@dataclass(frozen=True, kw_only=True)
class Bias(Coefficient):
    """How far annotators' preferences differ; ``observed`` and ``expected`` are A_e of π and of κ.

    ``by_annotator`` has each one's share of the bias: of a complete table they add up to ``value``.
    """

    by_annotator: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with each annotator's share."""
        return {**super().to_dict(), "by_annotator": dict(self.by_annotator)}


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


# --- the coefficients ---------------------------------------------------------------------------


def pi(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """π (Scott 1955; for more than two annotators Fleiss 1971, who calls it kappa).

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
    stats = _Shares.of(table, complete_only)
    p = stats.share
    return stats.result("π", (p**2).sum(), p**2 + (1 - p) ** 2)


def kappa(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """κ (Cohen 1960; for more than two annotators Artstein & Poesio 2005 = Conger 1980).

    A_e = Σ_k of the mean over pairs of annotators of P(k|c_m)·P(k|c_n): a distribution for each
    annotator, over all she labelled. Undefined for a table of counts.
    """
    stats = _Shares.of(table, complete_only)
    if reason := stats.unnamed():
        return stats.undefined("κ", reason)
    of_k, of_the_rest = stats.pairs_mean()
    return stats.result("κ", of_k.sum(), of_k + of_the_rest)


def alpha(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """α for nominal labels (Krippendorff 2011): 1 − D_o/D_e of the coincidence matrix.

    ``observed`` is 1 − D_o and ``expected`` 1 − D_e; items with one label do not count.
    """
    stats = _Shares.of(table, complete_only)
    n, items, given, agreeing = stats.compared
    total = (n * items).sum()
    if total < 2:
        return stats.result("α", UNDEFINED, np.full(given.shape[1], UNDEFINED))
    weight = 1 / (n - 1)
    own = given.sum(0)  # n_c, of all values
    observed = (weight @ agreeing).sum() / total
    expected = (own * (own - 1)).sum() / (total * (total - 1))
    # of a category against the rest: D_o counts each label in such an unequal pair
    apart = 2 * (weight @ ((n - 1)[:, None] * given - agreeing)) / total
    luck = 1 - 2 * own * (total - own) / (total * (total - 1))
    return stats.result("α", expected, luck, observed, 1 - apart)


def ac1(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """AC1 (Gwet 2008): A_e = Σ_k P(k)(1 − P(k)) / (q − 1), with q the categories declared."""
    stats = _Shares.of(table, complete_only)
    p = stats.share
    if len(p) < 2:
        return stats.undefined("AC1", "one category; AC1 needs to know of a second")
    return stats.result("AC1", (p * (1 - p)).sum() / (len(p) - 1), 2 * p * (1 - p))


def bias(table: Labels, *, complete_only: bool = False) -> Bias:
    """Bias B (Artstein & Poesio 2005, 13.3): how far annotators' preferences differ.

    ``value`` is A_e of π − A_e of κ. Of a complete table that is Σ_k Var_c(P(k|c))/(c − 1), never
    negative; by category it is the term of k, by annotator the share of c in the variances. With
    gaps, annotators who labelled other items differ for that reason too.
    """
    stats = _Shares.of(table, complete_only)
    if reason := stats.unnamed() or stats.nothing:
        return Bias(
            name="B", value=UNDEFINED, observed=UNDEFINED, expected=UNDEFINED,
            counts=stats.counts, reason=reason, settings=stats.settings,
        )  # fmt: skip
    of_pi, (of_kappa, _) = stats.share**2, stats.pairs_mean()
    by_category = {
        name: Coefficient(name="B", value=a - b, observed=a, expected=b, counts=stats.counts)
        for name, a, b in zip(table.labels, of_pi.tolist(), of_kappa.tolist(), strict=True)
    }
    return Bias(
        name="B",
        value=float((of_pi - of_kappa).sum()),
        observed=float(of_pi.sum()),
        expected=float(of_kappa.sum()),
        counts=stats.counts,
        by_category=by_category,
        by_annotator=stats.apart(),
        settings=stats.settings,
    )


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
    stats = _Shares.of(table, complete_only)
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


# --- what they are made from --------------------------------------------------------------------


class _Compared(NamedTuple):
    """The rows of :class:`LabelCounts` of items with two labels or more."""

    n: Ints
    items: Ints
    given: Ints
    agreeing: Ints


@dataclass(frozen=True)
class _Shares:
    """The shares P(k) and P(k|c) and the observed agreement of a table."""

    counts: Counts
    names: tuple[str, ...]  # of the annotators
    labels: tuple[str, ...]
    compared: _Compared
    given: Ints  # labels of each category
    share: Floats  # P(k); (categories,)
    table: Labels
    settings: Mapping[str, Any]
    nothing: str  # why nothing can be compared; empty if something can

    @classmethod
    def of(cls, table: Labels, complete_only: bool) -> _Shares:
        settings = settings_of(table, complete_only=complete_only)
        table = table.complete() if complete_only else table
        n, items, given, agreeing = table.counts
        two = n >= 2
        with np.errstate(invalid="ignore"):  # no item at all: every share is nan
            share = (given / n[:, None]).sum(0) / items.sum()
        counts = counts_of(table)
        return cls(
            counts,
            table.annotators,
            table.labels,
            _Compared(n[two], items[two], given[two], agreeing[two]),
            given.sum(0),
            share,
            table,
            settings,
            counts.nothing_to_compare(complete_only),
        )

    @cached_property
    def own(self) -> tuple[Ints, Ints, Floats]:
        """Annotator, category and P(k|c) wherever that is not 0."""
        annotator, label, number = self.table.by_annotator
        gave = np.bincount(annotator, number, len(self.names))
        return annotator, label, number / gave[annotator]

    def pairs_mean(self) -> tuple[Floats, Floats]:
        """The mean over pairs of annotators of q_m·q_n, and of (1 − q_m)(1 − q_n), by category."""
        _, label, q = self.own
        order = np.lexsort((q, label))  # so that the order of annotators changes no digit
        K, c = len(self.labels), self.counts.annotators or 0
        if c < 2:
            return np.full(K, UNDEFINED), np.full(K, UNDEFINED)
        total, square = (np.bincount(label[order], x[order], K) for x in (q, q**2))
        pairs = c * (c - 1)
        rest = (c - total) ** 2 - (c - 2 * total + square)
        return (total**2 - square) / pairs, rest / pairs

    def apart(self) -> dict[str, float]:
        """Each annotator's share of the variances of P(k|c) over annotators, Σ_k (q_k − mean)²."""
        annotator, label, q = self.own
        K, c = len(self.labels), self.counts.annotators or 0
        mean = np.bincount(label, q, K) / c
        of_all = (mean**2).sum()
        more = np.bincount(annotator, (q - mean[label]) ** 2 - mean[label] ** 2, len(self.names))
        gave = np.bincount(annotator, minlength=len(self.names)) > 0
        return {
            name: max(float(extra + of_all), 0.0) / (c * (c - 1))
            for name, extra, is_in in zip(self.names, more, gave, strict=True)
            if is_in
        }

    def unnamed(self) -> str:
        """Why annotators cannot be told apart; empty if they can."""
        return "a table of counts does not say who gave which label" * (
            self.counts.annotators is None
        )

    def undefined(self, name: str, reason: str) -> Coefficient:
        """A coefficient of which nothing is defined."""
        nan = UNDEFINED
        return Coefficient(
            name=name, value=nan, observed=nan, expected=nan, counts=self.counts,
            reason=self.nothing or reason, settings=self.settings,
        )  # fmt: skip

    def result(
        self,
        name: str,
        expected: float,
        by_category: Floats,
        observed: float | None = None,
        observed_by_category: Floats | None = None,
    ) -> Coefficient:
        """The coefficient with this expected agreement, overall and of each category."""
        if self.nothing:
            return self.undefined(name, "")
        n, items, given, agreeing = self.compared
        # A_o: the mean of Pᵢ, and of the same with one category against all others
        weight = 1.0 / n / (n - 1) / items.sum()
        if observed is None or observed_by_category is None:
            observed = (weight @ agreeing).sum()
            unequal = weight @ ((n - 1)[:, None] * given - agreeing)
            observed_by_category = 1 - 2 * unequal
        categories = {
            label: _corrected(name, float(a), float(e), self.counts)
            for label, a, e in zip(self.labels, observed_by_category, by_category, strict=True)
        }
        return _corrected(
            name, float(observed), float(expected), self.counts, categories, self.settings
        )


def _corrected(
    name: str,
    observed: float,
    expected: float,
    counts: Counts,
    by_category: Mapping[str, Coefficient] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Coefficient:
    score = corrected(observed, expected)
    return Coefficient(
        name=name, value=score.corrected, observed=observed, expected=expected, counts=counts,
        reason=score.reason, by_category=by_category or {}, settings=settings or {},
    )  # fmt: skip


def counts_of(table: Labels) -> Counts:
    """What a coefficient of the table rests on."""
    n, items, _, _ = table.counts
    return Counts(
        int(items.sum()),
        int(items[n >= 2].sum()),
        len(np.unique(table.by_annotator[0])) if table.named else None,
        int((n * items).sum()),
        int((n * (n - 1) // 2 * items).sum()),
        len(table.labels),
    )


def settings_of(table: Labels, **more: Any) -> dict[str, Any]:
    """The settings of a coefficient of the table; what is left at its default is left out.

    Raises:
        InputError: for what is no table.
    """
    if not isinstance(table, (LabelTable, LabelTallies)):
        raise InputError(
            f"{type(table).__name__}; a LabelTable is needed: LabelTable.from_rows, read_labels and"
            " token_labels make one"
        )
    chosen = {key: value for key, value in more.items() if value is not False}
    return {**table.reading, "categories": len(table.labels), **chosen, "version": __version__}
