"""Coefficients of agreement on items with labels: π, κ, α, AC1, bias, and agreement by category.

Two to many annotators, complete or with gaps. Symbols as in Artstein & Poesio (2005): A_o the
observed and A_e the expected agreement, P(k) the share of category k, P(k|c) that of annotator c.
For gaps there is no single accepted form; these are the formulas of irrCAC (Gwet): A_o is the mean
over items with two labels or more, P(k) the mean over items with one or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.corpus.label_table import LabelTable
from spanagree.errors import InputError
from spanagree.labels.coefficient import Coefficient, Counts
from spanagree.labels.patterns import Labels, LabelTallies
from spanagree.matching.score import UNDEFINED, corrected
from spanagree.settings import __version__

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
    stats = Shares.of(table, complete_only)
    p = stats.share
    return stats.result("π", (p**2).sum(), p**2 + (1 - p) ** 2)


def kappa(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """κ (Cohen 1960; for more than two annotators Artstein & Poesio 2005 = Conger 1980).

    A_e = Σ_k of the mean over pairs of annotators of P(k|c_m)·P(k|c_n): a distribution for each
    annotator, over all she labelled. Undefined for a table of counts.
    """
    stats = Shares.of(table, complete_only)
    if reason := stats.unnamed():
        return stats.undefined("κ", reason)
    of_k, of_the_rest = stats.pairs_mean()
    return stats.result("κ", of_k.sum(), of_k + of_the_rest)


def alpha(table: Labels, *, complete_only: bool = False) -> Coefficient:
    """α for nominal labels (Krippendorff 2011): 1 − D_o/D_e of the coincidence matrix.

    ``observed`` is 1 − D_o and ``expected`` 1 − D_e; items with one label do not count.
    """
    stats = Shares.of(table, complete_only)
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
    stats = Shares.of(table, complete_only)
    p = stats.share
    if len(p) < 2:
        return stats.undefined("AC1", "one category; AC1 needs to know of a second")
    return stats.result("AC1", (p * (1 - p)).sum() / (len(p) - 1), 2 * p * (1 - p))


# --- what they are made from --------------------------------------------------------------------


class _Compared(NamedTuple):
    """The rows of :class:`LabelCounts` of items with two labels or more."""

    n: Ints
    items: Ints
    given: Ints
    agreeing: Ints


@dataclass(frozen=True)
class Shares:
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
    def of(cls, table: Labels, complete_only: bool) -> Shares:
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
