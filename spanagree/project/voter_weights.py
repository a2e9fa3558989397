"""Weights of the votes of annotators: their corrected F1 against the others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from spanagree.agreement.agree import agree
from spanagree.arrays import Floats
from spanagree.chance.model import AUTO, ChanceModel
from spanagree.choices import MatchName
from spanagree.comparisons.overlaps import check_layers, choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, join_names, pluralize


def choose_weight_options(corpus: Corpus, vote: str) -> tuple[MatchName, str]:
    """Choose the measure and the chance model of the weights of voters.

    Returns:
        Names of the measure and of the chance model, the first that all layers allow.
    """
    candidates: list[MatchName] = ["token", "exact"] if vote == "tokens" else ["exact"]
    for match in candidates:
        chance = choose_chance_of_corpus(corpus, match, ChanceModel(AUTO))
        with suppress(SettingError):
            check_layers(corpus, match, chance)
            return match, chance.name
    raise AssertionError("exact match allows all annotators, and so does chance overlapping")


def compute_weights(corpus: Corpus, match: MatchName, chance: str) -> Floats:
    """Compute the weight of each voter: corrected F1 against the others, and 0 if it is negative.

    The mean weight replaces an undefined F1.
    """
    scores = agree(corpus, match=match, chance=chance).annotators.values()
    weights = np.array([score.f1.corrected for score in scores], np.float64)
    is_known = ~np.isnan(weights)
    mean_weight = weights[is_known].clip(0).mean() if is_known.any() else 1.0
    return np.where(is_known, weights.clip(0), mean_weight)


def write_note_on_zero_weights(names: Sequence[str], weights: Floats) -> list[str]:
    """Write a note on voters without weight, whose agreement is no better than chance."""
    names_without = [
        name for name, weight in zip(names, weights.tolist(), strict=True) if weight == 0
    ]
    subject = (
        f"{pluralize(len(names_without), 'annotator')} without a weight, agreeing no better than"
        " chance"
    )
    return [f"{subject}: {join_names(names_without)}"] if names_without else []
