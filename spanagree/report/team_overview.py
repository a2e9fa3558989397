"""Results of a report on a team of annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from spanagree.agreement.agree import add_p_values as agree_p_values
from spanagree.agreement.agree import agree
from spanagree.agreement.label_confusion import Confusion, confusion
from spanagree.agreement.result import Agreement
from spanagree.agreement.team import AnnotatorScores
from spanagree.choices import MAJORITY
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.errors import InputError, SpanAgreeError
from spanagree.labels.by_label import CoefficientsByLabel, coefficients_by_label
from spanagree.labels.summary import Coefficients, coefficients
from spanagree.labels.tokens import OUTSIDE, token_labels
from spanagree.levels.difficulty import difficulty
from spanagree.project.disputed_documents import Disputes, disputes
from spanagree.project.document_level import DocumentAgreement, document_agreement
from spanagree.project.gold import Gold
from spanagree.project.gold import make_gold as by_votes
from spanagree.project.plan import Plan, plan_narrower
from spanagree.report.overview import SHOWN, Overview, has_few_pairs
from spanagree.slices.score import score_slices
from spanagree.uncertainty.chance_statistics import ChanceStatistics
from spanagree.units.all_measures import MeasureComparison, compare_measures

_CONFUSED = 1 << 22  # pairs of annotations in a table of confusion
_LABELS = 100  # labels in the team's table of confusion
_LAYERS = 1000  # labels times annotators with coefficients by label


@dataclass(frozen=True, kw_only=True)
class TeamOverview(Overview):
    """Results of a report on a team of annotators.

    Attributes:
        agreement: agreement of the annotators.
        annotators: annotators in the heat map, those who saw the most, in the order of the corpus.
        seen_by: number of documents that 0, 1, 2 and more annotators saw.
        plan: number of documents that a narrower interval needs, if it can be planned.
        coefficients: coefficients of the labels of tokens, or the reason why there are none.
        measures: corrected F1, α of tokens, α_U and γ, if requested.
    """

    TEMPLATE = "team.html"
    PAIRS_SHOWN = "those that share most,"

    agreement: Agreement
    annotators: Sequence[str]
    seen_by: Sequence[int]
    plan: Plan | None
    coefficients: Coefficients | CoefficientsByLabel | str
    measures: MeasureComparison | None

    @property
    def chance_by_pair(self) -> Mapping[tuple[str, str], Mapping[int, ChanceStatistics]]:
        """Chance statistics of documents, for each pair of annotators."""
        return self.agreement.chance_by_document()

    @cached_property
    def team_confusion(self) -> Confusion | None:
        """Confusion of labels in the team; ``None`` for very many pairs or labels."""
        pairs = sum(
            times * n_annotators * (n_annotators - 1) // 2
            for n_annotators, times in enumerate(self.seen_by)
        )
        if not 0 < pairs <= _CONFUSED or len(self.corpus.labels) > _LABELS:
            return None
        return confusion(self.corpus)

    @cached_property
    def document_agreement(self) -> DocumentAgreement:
        """Agreement on documents with and without segments, which chance keeps fixed."""
        return document_agreement(self.corpus)

    @cached_property
    def queue(self) -> Disputes | None:
        """Disputed documents, with most disagreement first; ``None`` if no document is shared."""
        if not self.agreement.pairs:
            return None
        counting = self.agreement.counting
        settings: dict[str, Any] = {"match": counting.match, "chance": counting.chance}
        return disputes(self.corpus, **settings, text=False)

    @cached_property
    def gold(self) -> Gold | None:
        """Gold by majority; ``None`` if no document is shared, or the corpus has such a layer.

        Votes are by token, so corpora with discontinuous segments have no such gold.
        """
        has_majority = MAJORITY in self.corpus.layers
        if not self.agreement.pairs or has_majority or self.corpus.kind == "pieces":
            return None
        return by_votes(self.corpus, vote="tokens")

    @property
    def _signed_parts(self) -> Mapping[str, Any]:
        """The other measures, the gold and the plan."""
        return {"measures": self.measures, "gold": self.gold, "plan": self.plan}

    @property
    def outliers(self) -> list[AnnotatorScores]:
        """Outliers, the lowest F1 first."""
        members, standings = self.agreement.sorted("corrected").members, self.agreement.standings
        return [
            member
            for member in members
            if member.name in standings and standings[member.name].outlier
        ]


def build_team_overview(
    corpus: Corpus, measures: bool, slicing: Mapping[str, Any], **settings: Any
) -> TeamOverview:
    """Compute the results of a team: agreement, difficulty, coefficients and a plan.

    Args:
        corpus: corpus of the annotators.
        measures: True to compute α_U and γ.
        slicing: arguments of :func:`spanagree.slices.score_slices`, if slices are requested.
        settings: measure and chance model.
    """
    chance = settings.get("chance", "nonoverlapping")
    unsorted_agreement = agree(corpus, **settings)
    agreement = unsorted_agreement.sorted("outlier")
    has_chance = not agreement.settings.chance_undefined
    if has_chance and has_few_pairs(corpus, len(agreement.pairs)):
        agreement = agree_p_values(agreement, corpus)
    pairs = list(agreement.pairs)
    if len(pairs) > SHOWN:  # those that share most
        pairs.sort(key=lambda names: -agreement.pairs[names].documents)
    largest_pair = max(
        agreement.pairs.pairs_without_intervals, key=lambda pair: pair.documents, default=None
    )
    members = sorted(agreement.annotators.values(), key=lambda member: -member.documents)
    shown_names = {member.name for member in members[:SHOWN]}
    annotators = corpus.layers
    n_seen = count_seen(corpus)
    return TeamOverview(
        corpus=corpus,
        difficulty=difficulty(corpus, **settings),
        pairs=pairs,
        first_pair=(largest_pair.a, largest_pair.b)
        if largest_pair
        else next(combinations(annotators, 2)),
        signature=agreement.signature,
        notes=agreement.notes,
        agreement=agreement,
        annotators=[name for name in annotators if name in shown_names],
        seen_by=np.bincount(n_seen, minlength=len(annotators) + 1).tolist(),
        plan=plan_narrower(unsorted_agreement),
        coefficients=_compute_coefficients(corpus),
        measures=compare_measures(corpus, chance=chance) if measures else None,
        slices=score_slices(unsorted_agreement, ci=True, **slicing) if slicing else None,
    )


def _compute_coefficients(corpus: Corpus) -> Coefficients | CoefficientsByLabel | str:
    """Compute coefficients of token labels, by label if segments of different labels overlap.

    Returns:
        The coefficients, or the reason why there are none.
    """
    try:
        return coefficients(token_labels(corpus))
    except InputError as error:
        has_many_layers = len(corpus.labels) * len(corpus.annotators) > _LAYERS
        if OUTSIDE in corpus.labels or len(corpus.labels) > _LABELS or has_many_layers:
            return str(error)
        return coefficients_by_label(corpus)
    except SpanAgreeError as error:
        return str(error)
