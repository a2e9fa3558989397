"""Bias: how far annotators' preferences differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spanagree.labels.chance_corrected import Shares
from spanagree.labels.coefficient import Coefficient
from spanagree.labels.patterns import Labels
from spanagree.matching.score import UNDEFINED


@dataclass(frozen=True, kw_only=True)
class Bias(Coefficient):
    """How far annotators' preferences differ; ``observed`` and ``expected`` are A_e of π and of κ.

    ``by_annotator`` has each one's share of the bias: of a complete table they add up to ``value``.
    """

    by_annotator: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with each annotator's share."""
        return {**super().to_dict(), "by_annotator": dict(self.by_annotator)}


def bias(table: Labels, *, complete_only: bool = False) -> Bias:
    """Bias B (Artstein & Poesio 2005, 13.3): how far annotators' preferences differ.

    ``value`` is A_e of π − A_e of κ. Of a complete table that is Σ_k Var_c(P(k|c))/(c − 1), never
    negative; by category it is the term of k, by annotator the share of c in the variances. With
    gaps, annotators who labelled other items differ for that reason too.
    """
    stats = Shares.of(table, complete_only)
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
