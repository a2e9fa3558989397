"""Results of a report on systems against several references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.levels.difficulty import difficulty
from spanagree.references.against import (
    HumanAgreement,
    ReferenceEvaluation,
    SystemVsReferences,
    evaluate_references,
)
from spanagree.report.overview import Overview
from spanagree.results.verdict import choose_figure


@dataclass(frozen=True, kw_only=True)
class ReferencesOverview(Overview):
    """Results of a report on systems against many annotators.

    Attributes:
        against: comparison of the systems with the references, and of these with each other.
    """

    TEMPLATE = "references.html"

    against: ReferenceEvaluation

    @property
    def compared_names(self) -> Sequence[str]:
        """Names of the systems and the references."""
        return [*self.against.systems, *self.against.people]

    @property
    def ranked_systems(self) -> list[SystemVsReferences]:
        """Systems, the highest F1 first, corrected if chance is defined."""
        return _sort_by_f1(self.against.systems, self.against.settings)

    @property
    def references(self) -> list[HumanAgreement]:
        """References, the highest F1 first, corrected if chance is defined."""
        return _sort_by_f1(self.against.people, self.against.settings)


_Scored = TypeVar("_Scored", SystemVsReferences, HumanAgreement)


def _sort_by_f1(scored: Mapping[str, _Scored], settings: Mapping[str, Any]) -> list[_Scored]:
    """Sort systems or people by the F1 that ranks them, the highest first, undefined F1 last."""
    figure_name = choose_figure(settings)[0]
    return sorted(
        scored.values(),
        key=lambda system: np.nan_to_num(-getattr(system.f1, figure_name), nan=math.inf),
    )


def build_references_overview(
    corpus: Corpus,
    references: Sequence[str] | None,
    systems: Sequence[str] | None,
    **settings: Any,
) -> ReferencesOverview:
    """Evaluate systems against references, with intervals, next to the agreement of references.

    Args:
        corpus: corpus of references and systems.
        references, systems: names; `None` for all annotators without the other role.
        settings: measure and chance model.
    """
    against = evaluate_references(corpus, references, systems=systems, ci=True, **settings)
    seen_by_layer = {name: layer.annotated for name, layer in corpus.layers.items()}
    pairs = [(person, system) for system in against.systems for person in against.people]
    return ReferencesOverview(
        corpus=corpus.select_annotators([*against.people, *against.systems]),
        difficulty=difficulty(corpus.select_annotators([*against.people]), **settings),
        pairs=pairs,
        first_pair=max(
            pairs, key=lambda pair: (seen_by_layer[pair[0]] & seen_by_layer[pair[1]]).sum()
        ),
        signature=against.signature,
        notes=against.notes,
        against=against,
    )
