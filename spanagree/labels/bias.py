"""Bias: how far annotators' preferences differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from spanagree.labels.chance_corrected import Basis
from spanagree.labels.coefficient import Coefficient
from spanagree.labels.formulas import Sums, rows_of
from spanagree.labels.patterns import Labels


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bias(Coefficient):
    """How far annotators' preferences differ; ``observed`` and ``expected`` are A_e of π and of κ.

    ``by_annotator`` has each one's share of the bias: of a complete table they add up to ``value``.
    """

    by_annotator: Mapping[str, float] = field(default_factory=dict)

    CORRECTED: ClassVar[str] = ""

    def entry(self) -> dict[str, Any]:
        """Return the figures with each annotator's share."""
        return {**super().entry(), "by_annotator": dict(self.by_annotator)}


def bias(table: Labels, *, complete_only: bool = False) -> Bias:
    """Return bias B (Artstein & Poesio 2005, 13.3): how far annotators' preferences differ.

    ``value`` is A_e of π − A_e of κ. Of a complete table that is Σ_k Var_c(P(k|c))/(c − 1), never
    negative; by category it is the term of k, by annotator the share of c in the variances. With
    gaps, annotators who labelled other items differ for that reason too.
    """
    return score_bias(Basis.of(table, complete_only))


def score_bias(basis: Basis) -> Bias:
    """Return the bias, also of each category and annotator."""
    shared = basis.shared("B")
    if reason := basis.undefined("B"):
        return Bias(**shared, reason=reason)
    sums = basis.sums
    ((of_pi, of_kappa, value),) = rows_of("B", sums)
    terms = zip(basis.table.labels, sums.of_one[0].tolist(), sums.of_pairs[0].tolist(), strict=True)
    return Bias(
        **shared,
        value=value,
        observed=of_pi,
        expected=of_kappa,
        by_category={
            label: Coefficient(**shared, value=a - b, observed=a, expected=b)
            for label, a, b in terms
        },
        by_annotator=_by_annotator(basis, sums),
    )


def _by_annotator(basis: Basis, sums: Sums) -> dict[str, float]:
    """Return each annotator's share of the variances of P(k|c) over annotators, Σ_k (q_k − mean)².

    Who gave no label has none.
    """
    own, c = (part[0] for part in sums.preferences)
    apart = sums.square(own - own.sum(axis=0) / c).sum(axis=1) / (c * (c - 1))
    gave = np.flatnonzero(basis.own.sum(axis=1)[basis.ranks])
    return {basis.table.annotators[i]: float(apart[basis.ranks[i]]) for i in gave.tolist()}
